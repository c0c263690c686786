"""Requests that cannot be met: each says what is wrong; on the command line in one paragraph, with exit code 2."""

from __future__ import annotations

from functools import cache

import pytest
from sympy import cos

import jounce
from jounce.cli import main
from jounce.errors import JounceError


@cache
def ball():
    return jounce.compile_model(jounce.systems.ball_on_table())


@cache
def belt():
    return jounce.compile_model(jounce.systems.belt_oscillator())


@cache
def wiper():
    return jounce.compile_model(jounce.systems.wiper())


@cache
def orbit():
    return jounce.find_orbit(ball(), ball().state(t=1.51, y=6.36), omega=3.0, e=0.9)


@cache
def flip():
    return jounce.continue_orbit(orbit(), "omega", (2.9, 3.3), step=0.1).find("period_doubling")[0]


def find(*arguments, system=ball, **options):
    return jounce.find_orbit(system(), *arguments, **options)


def follow(*arguments, **options):
    return jounce.continue_orbit(orbit(), *arguments, **options)


def rest():
    return jounce.find_equilibrium(wiper(), "SLIP+", mu=0.3)


def forced_at_another_period():
    """A force of period pi, in a model that says 1: what is the same after 1 s is no orbit."""
    x, dx = jounce.coordinate("x", "m")
    return jounce.Model("forced", [x], [1], [cos(2 * jounce.time) - x - dx], period=1.0)


REFUSED = {
    "guess below the table": (lambda: find(ball().state(y=-5.0), omega=3.0), "the gap is -5"),
    "guess no state": (lambda: find((3.0, 0.0)), "must be a State, as system.state"),
    "guess of another system": (lambda: find(wiper().state()), "ball_on_table has y"),
    "section misspelt": (lambda: find(orbit().state, "impakt:table"), "one of the forms phase:FRACTION"),
    "section of no contact": (lambda: find(orbit().state, "impact:wall"), "valid contacts: table"),
    "phase without forcing": (lambda: find(belt().state(), "phase:0", system=belt), "has no forcing period"),
    "section never met": (lambda: find(belt().state(), "plane:x=5:+1", system=belt), "does not return to the section"),
    "period": (lambda: find(orbit().state, period=1.5), "whole number from 1"),
    "nodes": (lambda: find(orbit().state, nodes=0), "from 1 to 200"),
    "hold": (lambda: find(orbit().state, hold="theta"), "no variable 'theta'"),
    "parameter": (lambda: find(orbit().state, omegaa=3.0), "did you mean 'omega'"),
    "restitution": (lambda: find(orbit().state, e=2.0), "must lie in"),
    "friction": (lambda: find(belt().state(), system=belt, mu=-0.2), "not negative"),
    "frequency": (lambda: find(orbit().state, omega=-3.0), "forcing period of ball_on_table is -2.0944 s"),
    "rest": (
        lambda: find(belt().state(x=0.2943), system=belt, mu=0.3, mu_s=0.3, c=1.0),
        "found with jounce.find_equilibrium",
    ),
    "a false period": (
        lambda: jounce.find_orbit(forced_at_another_period(), {"x": 0.1}),
        "does not repeat itself after its period 1, or cannot be seen to: time stands in it",
    ),
    "an option": (lambda: find(orbit().state, tolerance=1e-9), "options=Options(tolerance=1e-09)"),
    "bounds reversed": (lambda: follow("omega", (4, 2)), "the smaller first"),
    "bounds incomplete": (lambda: follow("omega", (4,)), "two finite numbers"),
    "bounds no pair": (lambda: follow("omega", 4.0), "two finite numbers"),
    "bounds words": (lambda: follow("omega", ("a", "b")), "two finite numbers"),
    "bounds elsewhere": (lambda: follow("omega", (4, 5)), "outside the bounds"),
    "bounds beyond elastic": (lambda: follow("e", (0.8, 1.4)), "reach e = 1.4, where the model is not valid"),
    "bounds below plastic": (lambda: follow("e", (-0.1, 0.95)), "reach e = -0.1, where the model is not valid"),
    "bounds without frequency": (lambda: follow("omega", (0.0, 4.0)), "reach omega = 0, where the model is not valid"),
    "step": (lambda: follow("omega", (2, 4), step=-1), "must be positive"),
    "direction": (lambda: follow("omega", (2, 4), direction="left"), "'both', 'up' or 'down'"),
    "points": (lambda: follow("omega", (2, 4), max_points=1), "from 2 on"),
    "checkpoint": (lambda: follow("omega", (2.9, 3.1), checkpoint="/no/where/x.nc"), "cannot be written"),
    "no orbit": (lambda: jounce.continue_orbit(ball().state(), "omega", (2, 4)), "follows a PeriodicOrbit"),
    "equilibrium": (lambda: jounce.continue_orbit(rest(), "mu", (0.2, 0.4)), "continue_equilibrium"),
    "no equilibrium": (lambda: jounce.continue_equilibrium(orbit(), "omega", (2, 4)), "continue_orbit"),
    "equilibrium's bounds": (lambda: jounce.continue_equilibrium(rest(), "mu", (-0.2, 0.4)), "not valid"),
    "fold curve of a flip": (lambda: jounce.fold_curve(flip(), {"omega": (2, 4), "e": (0.5, 1)}), "not a fold"),
    "curve of an orbit": (lambda: jounce.flip_curve(orbit(), {"omega": (2, 4), "e": (0.5, 1)}), "branch.find"),
    "curve in one parameter": (lambda: jounce.flip_curve(flip(), {"omega": (2, 4)}), "needs two parameters"),
    "curve without bounds": (lambda: jounce.flip_curve(flip(), ["omega", "e"]), "needs two parameters"),
    "curve elsewhere": (lambda: jounce.flip_curve(flip(), {"omega": (2, 3), "e": (0.5, 1)}), "outside the bounds"),
    "switch at an orbit": (lambda: jounce.switch_branch(None, orbit()), "branch.find"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_reason(name):
    request, reason = REFUSED[name]
    with pytest.raises(JounceError) as caught:
        request()
    assert reason in str(caught.value)


GUESS = ["--set", "omega=3,e=0.9", "--start", "y=6.36", "--t-start", "1.51"]
FOLLOW = ["continue", "ball_on_table", *GUESS, "--parameter"]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["orbit", "ball_on_tabel", *GUESS], "no system named"),
        (["orbit", "ball_on_table", *GUESS, "--section", "impact:wall"], "valid contacts: table"),
        (["orbit", "ball_on_table", *GUESS, "--period", "0"], "whole number from 1"),
        (["orbit", "ball_on_table", "--start", "y=-3"], "the gap is -3"),
        (["orbit", "wiper", "--set", "mu=0.3", "--settle", "-1"], "--settle"),
        ([*FOLLOW, "omeg", "--from", "2", "--to", "4"], "did you mean 'omega'"),
        ([*FOLLOW, "omega", "--from", "4", "--to", "2"], "the smaller first"),
        ([*FOLLOW, "e", "--from", "0.5", "--to", "1.5"], "the restitution is 1.5"),
        ([*FOLLOW, "omega", "--from", "2", "--to", "4", "--orbit", "missing.nc"], "missing.nc"),
        (["continue", "wiper", "--mode", "tip:SLIDE", "--parameter", "mu", "--from", "0.1", "--to", "0.5"], "no mode"),
    ],
)
def test_command_line_refuses_in_one_paragraph(words, reason, tmp_path, capsys):
    assert main([*words, "--out", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert reason in " ".join(said.split())
    assert "Traceback" not in said
    assert "unexpected" not in said
    assert "\n\n" not in said.strip()
