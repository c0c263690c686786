"""The code of the pages on compliant contact and on clearance joints runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import jounce
from jounce.analysis.impacts.restitution import damping_ratio, exact_restitution

DOCS = Path(__file__).parents[2] / "docs"


def run_page(name: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> dict[str, Any]:
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {"print": lambda *_: None}
    for block in re.findall(r"```python\n(.*?)```", (DOCS / name).read_text(), flags=re.DOTALL):
        exec(compile(block, name, "exec"), names)
    return names


def test_compliant_contact(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = run_page("compliant-contact.md", monkeypatch, tmp_path)
    assert list(names["run"].events["kind"][:3]) == ["touch", "separate", "touch"]
    assert names["rigid"].modes == {"floor": ("OPEN", "SLIP+")}
    assert float(abs(names["run"].energy["residual"]).max()) < 1e-7 * 9.81  # of the energy, at the default tolerance


def test_the_table_of_restitutions() -> None:
    rows = re.findall(r"^\| (0\.\d+) \| (.*) \|$", (DOCS / "compliant-contact.md").read_text(), flags=re.MULTILINE)
    assert len(rows) == 7
    for asked, values in rows:
        e = float(asked)
        laws = (
            jounce.HuntCrossley(1.0),
            jounce.LankaraniNikravesh(1.0),
            jounce.Flores2011(1.0),
            jounce.KelvinVoigt(1.0, 2 * damping_ratio(e)),
        )
        exact = [exact_restitution(law, e) for law in laws]
        assert [float(value) for value in values.split(" | ")] == pytest.approx(exact, abs=5.1e-5)


def test_clearance_joints(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = run_page("clearance-joints.md", monkeypatch, tmp_path)
    assert (tmp_path / "journal.png").stat().st_size > 10_000
    assert set(names["run"].events["contact"]) == {"crank_pin"}
    assert names["run"].status.ok
