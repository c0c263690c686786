"""Motions that close up to a shift, guesses that cannot close, and the user's Ctrl-C."""

from __future__ import annotations

import json
import math
import os
import signal
import threading
import time as clock
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from sympy import pi, sin

import jounce
from jounce.errors import Interrupted, OptionError, SimulationError
from jounce.model import Model, coordinate, parameters
from tests.orbits.small_models import blown_ball

SHIFTED = {"L": 0.8, "F": 1.5, "c": 0.7, "k": 2.0}


def washboard_model():
    """A bead that slides down a tilted washboard for ever: x'' = F - c x' - k sin(2 pi x/L)."""
    x, dx = coordinate("x", "m")
    L, F, c, k = parameters(L=(0.8, "m"), F=(1.5, "N"), c=(0.7, "N s/m"), k=(2.0, "N"))
    force = F - c * dx - k * sin(2 * pi * x / L)
    return Model.from_lagrangian("washboard", coordinates=[x], kinetic=dx**2 / 2, forces={x: force}, start={dx: 2.0})


@cache
def washboard():
    return jounce.compile_model(washboard_model())


@cache
def crossing(L, F, c, k):
    """Speed at x = 0 and time per tile of the running motion, by SciPy: t and v as functions of x."""

    def tile(v):
        def rates(x, y):
            return [(F - c * y[0] - k * math.sin(2 * math.pi * x / L)) / y[0], 1.0 / y[0]]

        return solve_ivp(rates, (0.0, L), [v, 0.0], method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]

    v = brentq(lambda v: tile(v)[0] - v, 1.5, 4.0, xtol=1e-14)
    return v, float(tile(v)[1])


def running():
    system = washboard()
    run = jounce.simulate(system, system.state(d_x=2.0), 30.0, **SHIFTED)
    return system, system.model.p[0], run.final


def test_a_motion_closes_up_to_a_shift():
    system, L, guess = running()
    orbit = jounce.find_orbit(system, guess, closes={"x": L}, **SHIFTED)
    assert orbit.period == pytest.approx(crossing(**SHIFTED)[1], abs=1e-11)
    assert orbit.drift == {"x": pytest.approx(0.8, abs=1e-12)}
    assert orbit.closes == {"x": "L"}
    assert orbit.stable
    assert orbit.closure < 1e-12
    (multiplier,) = orbit.nontrivial
    assert multiplier.real == pytest.approx(math.exp(-0.7 * orbit.period), abs=1e-10)  # the trace of the flow


@pytest.mark.parametrize("shift", ["L", 0.8, "2*L/2"])
@pytest.mark.parametrize("nodes", [1, 5])
def test_a_shift_is_a_number_or_an_expression(shift, nodes):
    system, _, guess = running()
    orbit = jounce.find_orbit(system, guess, closes={"x": shift}, nodes=nodes, **SHIFTED)
    assert orbit.period == pytest.approx(crossing(**SHIFTED)[1], abs=1e-10)
    assert orbit.run.final["x"] - orbit.state["x"] == pytest.approx(0.8, abs=1e-10)


def test_two_returns_that_are_one_are_run_through_once():
    system, L, guess = running()
    twice = jounce.find_orbit(system, guess, closes={"x": L}, period=2, **SHIFTED)
    assert twice.period == pytest.approx(crossing(**SHIFTED)[1], abs=1e-11)


def test_the_shift_varies_along_a_branch(tmp_path):
    system, L, guess = running()
    orbit = jounce.find_orbit(system, guess, closes={"x": L}, **SHIFTED)
    branch = jounce.continue_orbit(orbit, "L", (0.6, 1.0), step=0.1)
    assert branch.values[[0, -1]] == pytest.approx([0.6, 1.0], abs=1e-12)
    assert branch.specials == []
    for point in branch.points:
        solution = point.solution
        assert solution.period == pytest.approx(crossing(**{**SHIFTED, "L": solution.parameters["L"]})[1], abs=1e-9)
        assert solution.drift["x"] == pytest.approx(solution.parameters["L"], abs=1e-10)
    branch.save(tmp_path / "branch.nc")
    again = jounce.load(tmp_path / "branch.nc")
    assert again.points[0].solution.closes == {"x": "L"}
    further = jounce.continue_orbit(again.points[-1].solution, "L", (0.9, 1.1), step=0.1, direction="up")
    assert further.values[-1] == pytest.approx(1.1)
    (found,) = again.orbit_at(0.77)
    assert found.period == pytest.approx(crossing(**{**SHIFTED, "L": 0.77})[1], abs=1e-9)


def test_the_command_takes_shifts(tmp_path, capsys):
    from jounce.cli.main import main

    system = f"{__file__}:washboard_model"
    arguments = ["orbit", system, "--settle", "30", "--json", str(tmp_path / "o.json"), "--out", str(tmp_path)]
    assert main([*arguments, "--closes", "x=L"]) == 0
    found = json.loads((tmp_path / "o.json").read_text())
    assert found["closes"] == {"x": "L"}
    assert found["period"] == pytest.approx(crossing(**SHIFTED)[1], abs=1e-10)
    capsys.readouterr()
    assert main([*arguments, "--closes", "x"]) == 2
    assert "NAME=SHIFT" in capsys.readouterr().err
    assert main([*arguments, "--closes", "z=L"]) == 2
    assert "no coordinate 'z'" in capsys.readouterr().err


def test_a_guess_that_cannot_close_says_what_does_not():
    system, _, guess = running()
    began = clock.process_time()
    with pytest.raises(SimulationError, match=r"does not close in x .*closes=\{'x': \.\.\.\}"):
        jounce.find_orbit(system, guess, **SHIFTED)
    assert clock.process_time() - began < 20.0


def test_newton_stays_near_the_guess():
    """A ball thrown up above a table that never throws it as far: the one orbit there is lies on the table."""
    system = blown_ball()
    orbit = jounce.find_orbit(system, system.state(y=50.0), omega=2.0, e=0.3, c=0.5)
    assert orbit.state["y"] == pytest.approx(math.sin(2.0 * orbit.state.t), abs=1e-12)
    assert orbit.signature == ()


@pytest.mark.parametrize(
    ("closes", "words"),
    [
        ({"y": 1.0}, "no coordinate 'y'"),
        ({"x": 0.0}, "not zero"),
        ({"x": "L - L"}, "not zero"),
        ({"x": 0.5}, "is not the same after a shift of x by 0.5"),
        ({"x": "2*M"}, "unknown name 'M'"),
        ({"x": None}, "a number or an expression"),
        ("x", "must be like"),
    ],
)
def test_shifts_that_make_no_sense(closes, words):
    system, _, guess = running()
    with pytest.raises(OptionError, match=words):
        jounce.find_orbit(system, guess, closes=closes, **SHIFTED)


def interrupt_after(seconds):
    timer = threading.Timer(seconds, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    return timer


def search_for_ever(system, guess, L):
    while True:
        jounce.find_orbit(system, guess, closes={"x": L}, **SHIFTED)


def test_ctrl_c_reaches_the_user_from_a_search():
    system, L, guess = running()
    orbit = jounce.find_orbit(system, guess, closes={"x": L}, **SHIFTED)
    timer = interrupt_after(0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            search_for_ever(system, orbit.state, L)
    finally:
        timer.cancel()


def test_ctrl_c_reaches_the_user_from_a_branch():
    system, L, guess = running()
    orbit = jounce.find_orbit(system, guess, closes={"x": L}, **SHIFTED)
    timer = interrupt_after(0.5)
    try:
        with pytest.raises(Interrupted) as raised:
            jounce.continue_orbit(orbit, "L", (0.3, 3.0), step=0.001, max_points=100_000)
    finally:
        timer.cancel()
    assert "interrupted" in raised.value.partial.ends
    assert len(raised.value.partial) > 0
    assert json.dumps(raised.value.partial.settings)
    assert np.all(np.diff(raised.value.partial.values) > 0)
