"""``jounce simulate`` from end to end."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import jounce
from jounce.cli import main

BALL = ("simulate", "bouncing_ball", "--start", "y=1", "--set", "e=0.5,g=9.81", "--t-end", "0.8")


def fails(capsys, *arguments):
    assert main(list(arguments)) == 2
    error = capsys.readouterr().err
    assert error.startswith("jounce: error: ")
    assert "Traceback" not in error
    return " ".join(error.split())


def test_every_file_is_written(tmp_path, capsys):
    files = {
        "events": "events.csv",
        "out": "run.nc",
        "plot": "run.png",
        "phase": "phase.png",
        "energy": "energy.png",
        "animate": "run.gif",
        "json": "run.json",
    }
    options = [word for option, name in files.items() for word in (f"--{option}", str(tmp_path / name))]
    assert main([*BALL, *options]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(files.values())
    content = json.loads((tmp_path / "run.json").read_text())
    first = np.sqrt(2 / 9.81)
    events = pd.read_csv(tmp_path / "events.csv")
    assert events["t"][0] == pytest.approx(first, abs=1e-9)
    assert content["status"]["name"] == "FINISHED"
    assert content["impacts"] == {events["contact"][0]: 1}
    assert abs(content["energy"]["largest_residual"]) < 1e-8 * content["energy_exchanged"]
    run = jounce.load(tmp_path / "run.nc")
    assert run.final["y"] == content["final"]["y"]
    assert "FINISHED" in capsys.readouterr().out


def test_json_alone_on_standard_output(capsys):
    assert main([*BALL, "--json", "-"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["parameters"]["e"] == 0.5
    # dropped from 1 m, one impact at sqrt(2/g), then a parabola upwards with half the speed
    t1 = np.sqrt(2 / 9.81)
    s = 0.8 - t1
    assert content["final"]["y"] == pytest.approx(0.5 * 9.81 * t1 * s - 9.81 * s * s / 2, abs=1e-9)


def test_records(capsys):
    for record in ("events", "nothing"):
        assert main([*BALL, "--record", record]) == 0
    assert "--plot" in fails(capsys, *BALL, "--record", "events", "--plot", "x.png")
    assert "--events" in fails(capsys, *BALL, "--record", "nothing", "--events", "x.csv")


def test_schedule(capsys):
    """Without restitution from the middle of the first flight on, the first impact is the last."""
    assert main([*BALL, "--schedule", "t=0.2:e=0", "--json", "-"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["final"]["y"] == pytest.approx(0.0, abs=1e-9)
    assert content["events"]["schedule"] == 1


def test_own_model(tmp_path, capsys):
    (tmp_path / "model.py").write_text(
        "import jounce\n"
        "def point():\n"
        "    x, dx = jounce.coordinate('x', 'm')\n"
        "    return jounce.Model('point', coordinates=[x], mass=[[1]], forces=[0], start={x: 1.0, dx: 2.0})\n"
    )
    assert main(["simulate", f"{tmp_path}/model.py:point", "--t-end", "3", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["final"]["x"] == pytest.approx(7.0, abs=1e-12)
    assert "no drawing" in fails(
        capsys, "simulate", f"{tmp_path}/model.py:point", "--animate", str(tmp_path / "point.gif")
    )


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--set", "omegga=3"), "omegga"),
        (("--start", "z=3"), "z"),
        (("--start", "y=-1"), "gap"),
        (("--set", "e=1.5"), "e"),
        (("--law", "newtonian"), "newton"),
        (("--tolerance", "-1"), "tolerance"),
        (("--t-end", "-1"), "t_end"),
        (("--schedule", "t=3:mew=1"), "mew"),
        (("--phase-coordinate", "yy"), "did you mean 'y'"),
        (("--plot", "/nowhere/run.png"), "does not exist"),
    ],
)
def test_mistakes(arguments, expected, capsys):
    assert expected in fails(capsys, "simulate", "bouncing_ball", *arguments)


def test_outputs_are_checked_before_the_run(monkeypatch, capsys):
    def must_not_run(*_, **__):
        raise AssertionError("the run was started")

    monkeypatch.setattr("jounce.cli.simulate._simulate", must_not_run)
    assert "does not exist" in fails(capsys, *BALL, "--out", "/nowhere/run.nc")


def test_interrupting_a_run(monkeypatch, capsys):
    from contextlib import contextmanager

    @contextmanager
    def interrupting(_):
        def report(_):
            raise KeyboardInterrupt

        yield report

    monkeypatch.setattr("jounce.cli.simulate.shown_progress", interrupting)
    assert main(list(BALL)) == 130
    assert capsys.readouterr().err.startswith("jounce: interrupted at t=")
