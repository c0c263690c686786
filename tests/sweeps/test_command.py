"""`jounce sweep` and `jounce basins`: files, JSON, resuming, and the pictures."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.cli import main
from jounce.plot.diagram import section_words
from tests.sweeps.support import ball

SWEEP = ["sweep", "ball_on_table", "--parameter", "omega", "--from", "3", "--to", "3.6", "--step", "0.05",
         "--set", "e=0.8", "--transient", "200", "--keep", "20", "--start", "y=1,d_y=4",
         "--start", "omega=3.3,y=2", "--direction", "both"]  # fmt: skip
BASINS = ["basins", "ball_on_table", "--grid", "y=-1:8:12,d_y=-8:8:10", "--set", "omega=3,e=0.9", "--transient", "800",
          "--keep", "12"]  # fmt: skip


def ink(path: Path) -> float:
    """The share of a picture that is not white."""
    from matplotlib.image import imread

    return float((imread(path)[:, :, :3].min(axis=2) < 0.95).mean())


def test_sweep_writes_data_table_and_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, report = tmp_path / "out", tmp_path / "report.json"
    assert main([*SWEEP, "--out", str(folder), "--json", str(report)]) == 0
    assert "start 0 up" in capsys.readouterr().out
    content = json.loads(report.read_text())
    assert content["values"] == 13
    assert [lane["direction"] for lane in content["lanes"]] == ["up", "down", "up", "down"]
    assert content["lanes"][2]["first"] == pytest.approx(3.3)
    assert content["total_impacts"] > 100
    assert set(content["files"]) == {"attractors", "branches", "picture", "data"}
    assert ink(folder / "diagram.png") > 0.01
    diagram = jounce.load(content["files"]["data"])
    assert diagram.complete
    assert len((folder / "attractors.csv").read_text().splitlines()) == 1 + len(diagram.attractors)
    first = (folder / "attractors.csv").read_text()
    assert main([*SWEEP, "--out", str(folder), "--threads", "1"]) == 0  # nothing left to do
    assert (folder / "attractors.csv").read_text() == first
    assert main([*SWEEP, "--out", str(folder), "--keep", "21"]) == 2
    assert "differs in keep" in " ".join(capsys.readouterr().err.split())


def test_basins_writes_data_table_and_picture(tmp_path: Path) -> None:
    folder, report = tmp_path / "out", tmp_path / "report.json"
    assert main([*BASINS, "--out", str(folder), "--json", str(report)]) == 0
    content = json.loads(report.read_text())
    assert sum(row["share"] for row in content["attractors"]) == pytest.approx(1.0)
    assert content["impossible"] == 20
    assert content["attractors"][0]["points"][0]["y"] >= 0.0
    assert ink(folder / "basins.png") > 0.2


def test_ctrl_c_says_how_to_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from jounce.analysis.attractors.work import Work

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Work, "keep", interrupt)
        assert main([*SWEEP, "--out", str(tmp_path)]) == 130
    assert "repeat the command to go on" in capsys.readouterr().err
    assert main([*SWEEP, "--out", str(tmp_path)]) == 0


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (["--from", "4"], "not above"),
        (["--step", "0"], "must be positive"),
        (["--section", "impact:floor"], "no contact 'floor'"),
        (["--start", "z=1"], "unknown name 'z'"),
        (["--random", "3"], "leave start"),
        (["--parameter", "omeg"], "did you mean 'omega'"),
    ],
)
def test_wrong_options_are_named(
    extra: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SWEEP, "--out", str(tmp_path / "x"), *extra]) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.iterdir())  # a refused sweep leaves no folder behind


def test_wrong_grids_and_ranges(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["basins", "ball_on_table", "--grid", "y=1:2", "--out", str(tmp_path)]) == 2
    assert "NAME=LOW:HIGH:COUNT" in capsys.readouterr().err
    bare = [item for item in SWEEP if not item.startswith(("--start", "y=", "omega=3.3"))]
    assert main([*bare, "--random", "2", "--range", "y=1", "--out", str(tmp_path)]) == 2
    assert "NAME=LOW:HIGH" in capsys.readouterr().err


@pytest.mark.parametrize("colour", ["start", "direction", "kind"])
def test_a_diagram_has_labels_with_units(colour: str, tmp_path: Path) -> None:
    diagram = jounce.sweep(ball(), "omega", np.linspace(3.2, 4.2, 11), "plane:d_y=0:-1", ball().state(y=1.0),
                           transient=100, keep=30, e=0.8)  # fmt: skip
    figure = jounce.plot.plot_diagram(diagram, colour=colour, marks={"here": (3.5, 2.0)})
    axes = figure.axes[0]
    assert axes.get_xlabel() == "ω [rad/s]"
    assert axes.get_ylabel() == "y [m] where dy/dt = 0, falling"
    assert "e = 0.8" in axes.get_title(loc="left")
    drawn = sum(len(line.get_xdata()) for line in axes.lines)
    assert drawn >= np.isfinite(diagram.dataset["samples"].sel(quantity="y")).sum()
    assert all(line.get_rasterized() for line in axes.lines if len(line.get_xdata()) > 1)


def test_what_cannot_be_drawn_is_named() -> None:
    from jounce.errors import OptionError, SimulationError

    diagram = jounce.sweep(ball(), "omega", [3.0], "phase:0", transient=10, keep=2)
    with pytest.raises(SimulationError, match="samples have no 'z'"):
        jounce.plot.plot_diagram(diagram, "z")
    with pytest.raises(OptionError, match="colour is 'x'"):
        jounce.plot.plot_diagram(diagram, colour="x")
    line = jounce.basins(ball(), {"y": [1.0, 2.0]}, "phase:0", transient=10, keep=2)
    with pytest.raises(OptionError, match="over two"):
        jounce.plot.plot_basins(line)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("phase:0", "at t = 0 (mod T)"),
        ("phase:0.25", "at t = 0.25 T"),
        ("impact:P1", "after P1 impact"),
        ("impact", "after impact"),
        ("guard:turning:+1", "where turning = 0, rising"),
        ("plane:theta=0.5", "where θ = 0.5"),
    ],
)
def test_sections_in_words(text: str, words: str) -> None:
    assert " ".join(section_words(text).split()) == words
