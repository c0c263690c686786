"""The code of the pages on compliant contact and on clearance joints runs as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import jounce
from jounce.analysis.impacts.restitution import damping_ratio, exact_restitution
from tests.docs.pages import run_page

DOCS = Path(__file__).parents[2] / "docs"


def test_compliant_contact(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    names = run_page(DOCS / "compliant-contact.md", tmp_path, monkeypatch)
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
    names = run_page(DOCS / "clearance-joints.md", tmp_path, monkeypatch)
    assert (tmp_path / "journal.png").stat().st_size > 10_000
    assert set(names["run"].events["contact"]) == {"crank_pin"}
    assert names["run"].status.ok
