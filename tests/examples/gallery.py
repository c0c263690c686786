"""How an example of the gallery is tried: it runs, it has a figure, and the check of its name holds."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

import jounce

matplotlib.use("Agg")
EXAMPLES = Path(__file__).parents[2] / "examples"
G = 9.81

Names = dict[str, Any]


class Checks(dict[str, Callable[[Names], None]]):
    """Checks of examples by their names."""

    def check(self, function: Callable[[Names], None]) -> Callable[[Names], None]:
        """Register the check of the example of the same name."""
        self[function.__name__] = function
        return function


def examples(folder: str) -> list[Path]:
    return sorted((EXAMPLES / folder).glob("*.py"))


def try_example(path: Path, checks: Checks, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert 10 <= len(lines) <= 40
    # in a page |F| would be a substitution of reStructuredText
    assert not re.search(r"\|\w+\|", path.read_text(encoding="utf-8").split('"""')[1])
    monkeypatch.chdir(folder)
    # films are drawn when the site is built; tests/plot has their own tests
    monkeypatch.setattr(jounce.plot, "animate", lambda *_, **__: None, raising=False)
    names = runpy.run_path(str(path))
    plt.close("all")
    assert isinstance(names["figure"], Figure)
    runs = [value for value in names.values() if isinstance(value, jounce.Trajectory)]
    assert all(run.status.ok for run in runs)
    checks[path.stem](names)
