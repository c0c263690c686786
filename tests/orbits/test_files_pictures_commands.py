"""Orbits and branches on disk, in pictures and on the command line."""

from __future__ import annotations

import json
import math
from functools import cache

import numpy as np
import pytest

import jounce
from jounce.cli import main
from jounce.errors import OptionError, StorageError


@cache
def ball():
    return jounce.compile_model(jounce.systems.ball_on_table())


@cache
def orbit():
    return jounce.find_orbit(ball(), ball().state(t=1.51, y=6.36), omega=3.0, e=0.9)


@cache
def branch():
    return jounce.continue_orbit(orbit(), "omega", (2.6, 3.4), step=0.1)


def test_orbit_comes_back_from_its_file(tmp_path):
    orbit().save(tmp_path / "orbit.nc")
    again = jounce.load(tmp_path / "orbit.nc")
    assert again.state == orbit().state
    assert again.period == orbit().period
    assert again.parameters == orbit().parameters
    assert again.signature == orbit().signature
    assert again.options == orbit().options
    assert np.array_equal(again.monodromy, orbit().monodromy)
    assert np.array_equal(again.multipliers, orbit().multipliers)
    assert again.run.final.q == pytest.approx(orbit().run.final.q, abs=1e-14)


def test_branch_comes_back_from_its_file(tmp_path):
    branch().save(tmp_path / "branch.nc")
    again = jounce.load(tmp_path / "branch.nc")
    assert again.table.equals(branch().table)
    assert again.special.equals(branch().special)
    assert again.ends == branch().ends


def test_equilibrium_comes_back_from_its_file(tmp_path):
    system = jounce.compile_model(jounce.systems.wiper())
    found = jounce.find_equilibrium(system, "SLIP+", mu=0.3)
    found.save(tmp_path / "rest.nc")
    again = jounce.load(tmp_path / "rest.nc")
    assert again.state == found.state
    assert again.eigenvalues == pytest.approx(found.eigenvalues, rel=1e-12)


def test_interrupted_branch_is_gone_on_with(tmp_path):
    calls = []

    def stop(count, value):
        calls.append(value)
        if len(calls) == 5:
            raise KeyboardInterrupt

    path = tmp_path / "branch.nc"
    arguments = {"step": 0.1, "checkpoint": path}
    with pytest.raises(KeyboardInterrupt) as raised:
        jounce.continue_orbit(orbit(), "omega", (2.6, 3.4), progress=stop, **arguments)
    first = raised.value.partial
    assert "interrupted" in first.ends
    assert 0 < len(first) < len(branch())
    second = jounce.continue_orbit(orbit(), "omega", (2.6, 3.4), **arguments)
    assert second.values[[0, -1]] == pytest.approx([2.6, 3.4], abs=1e-12)
    assert [s.kind for s in second.specials] == [s.kind for s in branch().specials]
    assert second.specials[0].parameter == pytest.approx(branch().specials[0].parameter, abs=1e-9)
    third = jounce.continue_orbit(orbit(), "omega", (2.6, 3.4), **arguments)
    assert third.table.equals(second.table)
    with pytest.raises(StorageError, match="another branch"):
        jounce.continue_orbit(orbit(), "omega", (2.6, 3.5), **arguments)


def test_solutions_at_a_value():
    (found,) = branch().orbit_at(3.0)
    assert found.multipliers == pytest.approx(orbit().multipliers, abs=1e-9)


def test_pictures():
    figure = jounce.plot.plot_branch(branch(), "y")
    axes = figure.axes[0]
    assert axes.get_xlabel() == "ω [rad/s]"
    assert axes.get_ylabel() == "y [m]"
    assert [text.get_text() for text in axes.texts] == ["PD"]
    styles = {line.get_linestyle() for line in axes.lines}
    assert {"-", "--"} <= styles
    portrait, circle = jounce.plot.plot_orbit(orbit()).axes
    assert portrait.get_xlabel() == "y [m]"
    assert "multiplier" in circle.get_xlabel()
    with pytest.raises(OptionError, match="no variable 'z'"):
        jounce.plot.plot_branch(branch(), "z")


def test_command_orbit(tmp_path):
    target = tmp_path / "result.json"
    words = ["orbit", "ball_on_table", "--set", "omega=3,e=0.9", "--start", "y=6.36", "--t-start", "1.51"]
    assert main([*words, "--out", str(tmp_path / "p1"), "--json", str(target)]) == 0
    result = json.loads(target.read_text())
    assert result["stable"] is True
    assert result["period"] == pytest.approx(2 * math.pi / 3)
    assert (tmp_path / "p1" / "orbit.png").stat().st_size > 10_000
    assert jounce.load(tmp_path / "p1" / "orbit.nc").forcing_periods == 1


def test_command_continue_twice(tmp_path):
    target = tmp_path / "result.json"
    words = ["continue", "ball_on_table", "--set", "omega=3,e=0.9", "--start", "y=6.36", "--t-start", "1.51"]
    words += ["--parameter", "omega", "--from", "2.9", "--to", "3.3", "--out", str(tmp_path), "--json", str(target)]
    assert main(words) == 0
    first = json.loads(target.read_text())
    assert [s["kind"] for s in first["special"]] == ["period_doubling"]
    assert main(words) == 0  # nothing is left to do
    assert json.loads(target.read_text()) == first
    assert (tmp_path / "branch.png").stat().st_size > 10_000


def test_command_errors(tmp_path, capsys):
    words = ["continue", "ball_on_table", "--parameter", "omeg", "--from", "1", "--to", "2", "--out", str(tmp_path)]
    assert main([*words, "--start", "y=5"]) == 2
    words = ["continue", "wiper", "--mode", "tip:SLIDE", "--parameter", "mu", "--from", "0.1", "--to", "0.5"]
    assert main([*words, "--out", str(tmp_path)]) == 2
    assert "no mode" in capsys.readouterr().err
