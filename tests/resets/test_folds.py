"""Switches on curves that have a fold, as that of the time-optimal servo: closed forms, units, disturbances, cuts."""

from __future__ import annotations

from functools import cache
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import jounce


@cache
def servo(named: bool = False) -> jounce.System:
    """x'' = -U sign(2 D x + x'|x'|) + F t: D = U is the servo that arrives in the least time."""
    x, dx = jounce.coordinate("x", "m")
    U, D, F = jounce.parameters(U=1.0, D=1.0, F=0.0)
    surface = 2 * D * x + dx * sp.Abs(dx)
    side = jounce.Switch("side", surface) if named else sp.sign(surface)
    model = jounce.Model(f"servo{named:d}", [x], [1], [-U * side + F * jounce.time], start={x: 1.0})
    return jounce.compile_model(model)


def arrival(x: float, U: float, D: float) -> float:
    """When it is at rest at 0 from rest at x: the curve is met with v^2 (1/U + 1/D) = 2 x.

    D <= U: on the curve v falls by D. D > U: it crosses the curve, and from one crossing to the next
    v falls by r^2 = (D - U)/(D + U), which takes (1 + r) v/U.
    """
    v = sqrt(2 * x / (1 / U + 1 / D))
    r = sqrt(max(D - U, 0.0) / (D + U))
    return v / U + (v / D if D <= U else v / U * (1 + r) / (1 - r))


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(("length", "duration"), [(1.0, 1.0), (1e-6, 1e-3), (1e3, 1e-6), (1e6, 1e6)])
@pytest.mark.parametrize(("U", "D"), [(1.0, 1.0), (3.0, 2.9999999), (1.0, 0.95), (1.0, 0.3)])
def test_it_arrives_along_its_curve(U: float, D: float, length: float, duration: float, named: bool) -> None:
    a = length / duration**2
    when = arrival(length, U * a, D * a)
    run = jounce.simulate(servo(named), {"x": length}, 2 * when, U=U * a, D=D * a)
    assert run.status.name == "FINISHED"
    assert len(run.events) == 4  # two starts, the curve, its end
    assert run.events.t.iloc[-1] == pytest.approx(when, rel=1e-12)
    assert run.final["x"] == pytest.approx(0.0, abs=1e-12 * length)
    assert run.final["d_x"] == pytest.approx(0.0, abs=1e-12 * length / duration)
    assert run.audit("dense").empty


@pytest.mark.parametrize(("length", "duration"), [(1.0, 1.0), (1e-6, 1e-3), (1e6, 1e6)])
@pytest.mark.parametrize("D", [1.0000001, 1.05, 2.0, 20.0])
def test_infinitely_many_crossings_end(D: float, length: float, duration: float) -> None:
    """The velocity is known to the root of what a position is: so is the time of its end."""
    a = length / duration**2
    when = arrival(length, a, D * a)
    run = jounce.simulate(servo(), {"x": length}, 2 * when, U=a, D=D * a)
    assert run.status.name == "FINISHED"
    crossings = run.events.t[run.events.reset == "sign_1_switches"].to_numpy()
    if D >= 1.05:
        r = sqrt((D - 1) / (D + 1))
        # known to some 1e-13 of the run, of which the third interval is a small part
        np.testing.assert_allclose(np.diff(crossings)[1:4] / np.diff(crossings)[:3], r, rtol=1e-8)
        assert len(crossings) < 20 + log(1e-6) / log(r)
    assert run.events.t.iloc[-1] == pytest.approx(when, rel=3e-4)
    assert run.final["x"] == pytest.approx(0.0, abs=1e-8 * length)
    assert run.final["d_x"] == 0.0
    assert run.audit("dense").empty


def test_it_rests_until_the_disturbance_is_too_strong() -> None:
    """At the end of its curve it holds F t up to U: then x'' = F t - U."""
    run = jounce.simulate(servo(), None, 12.0, D=0.8, F=0.1)
    leaves = run.events[run.events.reset == "sign_1_leaves"]
    assert leaves.t.tolist() == pytest.approx([10.0], rel=1e-9)
    assert run.at(9.0)["sign_1"] == run.at(9.0)["sign_1_fold"] == 0
    assert run.final["x"] == pytest.approx(0.1 * 2.0**3 / 6, rel=1e-8)
    assert run.final["d_x"] == pytest.approx(0.1 * 2.0**2 / 2, rel=1e-8)
    assert run.audit("dense").empty


def test_a_start_at_the_end_of_the_curve_stays_there() -> None:
    run = jounce.simulate(servo(), {"x": 0.0}, 5.0)
    assert (run.final["x"], run.final["d_x"]) == (0.0, 0.0)
    assert run.final["sign_1"] == run.final["sign_1_fold"] == 0


def test_a_start_on_the_curve_follows_it() -> None:
    run = jounce.simulate(servo(), {"x": 0.5, "d_x": -1.0}, 3.0)
    assert run.events.t.iloc[-1] == pytest.approx(1.0, rel=1e-12)
    assert run.final["x"] == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("D", [1.0, 0.9, 1.1])
def test_runs_that_are_cut_go_on(D: float) -> None:
    system = servo()
    whole = jounce.simulate(system, None, 4.0, D=D)
    for cut in (0.5, 1.5, 2.3, 3.0):
        half = jounce.simulate(system, None, cut, D=D)
        rest = jounce.simulate(system, half.final, 4.0, D=D)
        assert rest.final["x"] == pytest.approx(whole.final["x"], abs=1e-9)
        assert rest.final["d_x"] == pytest.approx(whole.final["d_x"], abs=1e-9)
    table = jounce.ensemble(system, {"x": np.array([1.0, -1.0])}, 4.0, parameters={"D": np.array([D, D])})
    np.testing.assert_allclose(table["x"].values, 0.0, atol=1e-9)


def test_it_pushes_the_wrong_way() -> None:
    """With +U no motion rests: from the curve's end the side of the start goes on, x = U t^2/2."""
    run = jounce.simulate(servo(), {"x": 1e-3}, 1.0, U=-1.0)
    assert run.final["x"] == pytest.approx(1e-3 + 0.5, rel=1e-12)


def test_a_file_keeps_the_fold(tmp_path: Path) -> None:
    servo().model.to_file(tmp_path / "servo.toml")
    run = jounce.simulate(jounce.Model.from_file(tmp_path / "servo.toml"), None, 3.0)
    assert run.events.t.iloc[-1] == pytest.approx(2.0, rel=1e-12)


def test_two_masses_that_disturb_each_other() -> None:
    """The curve's end is passed, rested at and left; a smoothed sign converges to it with the root of its width.

    The numbers are those of SciPy's Radau for -U tanh(s/w), extrapolated to w = 0 from w = 1e-5 (0.01129, -0.00007)
    and 1e-6 (0.01063, -0.00085).
    """
    x, dx = jounce.coordinate("x", "m")
    y, dy = jounce.coordinate("y", "m")
    U, D, k, c, F = jounce.parameters(U=1.0, D=0.5, k=2.0, c=0.3, F=0.1)
    pull = k * (y - x)
    forces = [-U * sp.sign(2 * D * x + dx * sp.Abs(dx)) + pull + F * jounce.time, -pull - c * dy]
    half = sp.Rational(1, 2)
    model = jounce.Model("two", [x, y], [[2, half], [half, 1]], forces, start={x: 1.0})
    run = jounce.simulate(model, None, 12.0)
    rested = run.events[(run.events.reset == "sign_1_leaves") & (run.events.t > 5.9) & (run.events.t < 6.1)]
    assert len(rested) == 1
    assert run.at(5.6)["d_x"] == pytest.approx(0.0, abs=1e-14)
    assert run.audit("dense").empty
    assert run.final["x"] == pytest.approx(0.01032, abs=1e-4)
    assert run.final["y"] == pytest.approx(-0.00122, abs=1e-4)


def test_a_parabola_without_a_fold_is_a_switch_too() -> None:
    """x'' = -sign(x - 1 + x'^2), linear in x alone: s' = v (1 - 2 S), so S = 1/2 holds it, and v' = -1/2."""
    x, dx = jounce.coordinate("x", "m")
    model = jounce.Model("parabola", [x], [1], [-sp.sign(x - 1 + dx**2)], start={x: 0.75, "d_x": 0.5})
    run = jounce.simulate(model, None, 0.5)
    assert run.final["d_x"] == pytest.approx(0.25, rel=1e-9)
    assert run.final["x"] == pytest.approx(1 - 0.25**2, rel=1e-9)
