"""The command line with machines: other parameters are assembled, joint forces are drawn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jounce.cli.main import main


def test_simulate_with_other_parameters_and_forces(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, result = tmp_path / "forces.png", tmp_path / "run.json"
    arguments = ["simulate", "slider_crank", "--t-end", "0.2", "--set", "omega=31,l=0.2,phi=0.4"]
    assert main([*arguments, "--joint-forces", str(picture), "--json", str(result)]) == 0
    assert picture.stat().st_size > 10_000
    content = json.loads(result.read_text())
    assert content["final"]["crank_theta"] == pytest.approx(0.4 + 31 * 0.2, abs=1e-9)
    assert "FINISHED" in capsys.readouterr().out


def test_joint_forces_need_joints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "bouncing_ball", "--joint-forces", str(tmp_path / "forces.png")]) != 0
    assert "--joint-forces: bouncing_ball has no joints" in capsys.readouterr().err
