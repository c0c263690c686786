"""Forces that are flat nearly everywhere: pulses in time, in position and in velocity, down to 1e-8 of the motion.

A step that samples such a force sees nothing of it. All motions here have a closed form, in several units.
"""

from __future__ import annotations

from math import atan, erfc, exp, lgamma, log, pi, sqrt, tanh
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import brentq

import jounce
from jounce import Contact, Model, parameter, table
from jounce import time as t

x, dx = jounce.coordinate("x", "m")
y, dy = jounce.coordinate("y", "m")
A, w, L, T = (parameter(name, value, unit) for name, value, unit in (
    ("A", 0.1, "1"), ("w", 1e-3, "1"), ("L", 1.0, "m"), ("T", 1.0, "s")
))  # fmt: skip
WIDTHS = [10.0**-k for k in range(1, 9)]
#: lengths, times: the motion is the same in all units
UNITS = [(1.0, 1.0), (1e-6, 1e3), (1e5, 1e-4)]
position, instant, speed = x / L - 1, t / T - 1, dx * T / L - 1


def bump(z: Any) -> Any:
    """A pulse of the area sqrt(pi) and the width w."""
    return sp.exp(-((z / w) ** 2)) / w


#: Shapes of a pulse in one variable z, and their areas.
SHAPES = {
    "gauss": (bump, lambda width: sqrt(pi)),
    "steps": (lambda z: (sp.tanh(z / w + 2) - sp.tanh(z / w - 2)) / w, lambda width: 8.0),
    "resonance": (lambda z: w / (z**2 + w**2), lambda width: 2 * atan(1 / width)),
    "box": (lambda z: sp.Piecewise((1 / w, sp.And(z > 0, z < w)), (0, True)), lambda width: 1.0),
    "hat": (lambda z: sp.Max(0, 1 - sp.Abs(z) / w) / w, lambda width: 1.0),
    "secant": (lambda z: 1 / sp.cosh(z / w) / w, lambda width: 4 * atan(tanh(0.5 / width))),
    "root": (lambda z: (1 + (z / w) ** 2) ** sp.Rational(-3, 2) / w, lambda width: 2 / sqrt(1 + width**2)),
}


@pytest.fixture(scope="module")
def moved() -> dict[str, jounce.System]:
    """Masses that pass through a field of force at x = L, and that are pushed at t = T."""
    unit = L / T**2
    models = {}
    for name, (shape, _) in SHAPES.items():
        models[f"{name} of x"] = Model(f"{name}_of_x", [x], [1], [-A * unit * shape(position)])
        models[f"{name} of t"] = Model(f"{name}_of_t", [x], [1], [-A * unit * shape(instant)])
    return {name: jounce.compile_model(model) for name, model in models.items()}


@pytest.mark.parametrize("integrator", ["taylor", "dop853", "dopri5"])
@pytest.mark.parametrize("shape", SHAPES)
def test_a_narrow_pulse_in_space_and_in_time(moved: Any, shape: str, integrator: str) -> None:
    """v^2/2 falls by A times the area where the pulse is in space, v by A times the area where it is in time."""
    widths = {"taylor": WIDTHS, "dop853": WIDTHS[1::3], "dopri5": [1e-2, 1e-4]}[integrator]
    tolerance = 1e-10
    if shape == "box":  # no step is much shorter than 1e-12, so that a jump by A/w is not known better
        widths = [width for width in widths if width > 1e-7]
    for k, width in enumerate(widths):
        length, duration = UNITS[k % 3]
        area = SHAPES[shape][1](width)
        for variable, wanted in (("x", sqrt(1 - 0.02 * area)), ("t", 1 - 0.01 * area)):
            run = jounce.simulate(
                moved[f"{shape} of {variable}"],
                {"x": 0.0, "d_x": length / duration},
                2.0 * duration if variable == "t" else 2.2 * duration,
                options=jounce.Options(tolerance=tolerance, integrator=integrator),
                A=0.01, w=width, L=length, T=duration,
            )  # fmt: skip
            assert run.status.name == "FINISHED"
            assert shape != "secant" or run.audit("dense").empty  # its poles may be nearer than a step is long
            # the tails of these end behind x = 2
            if variable == "x" and (shape in ("resonance", "root") or (shape == "secant" and width > 0.05)):
                continue
            # a pulse of the width w is known to the rounding of its place
            error = abs(float(run.final.u[0]) * duration / length - wanted)
            assert error < 300 * tolerance + 1e-14 / width, (shape, variable, width, error)


@pytest.mark.parametrize("power", [10**2, 10**3, 10**5, 10**8])
def test_high_powers_of_a_cosine(power: int) -> None:
    """The mean of cos^2n is (2n)!/(2^n n!)^2, whether the exponent is a number or a parameter."""
    n = parameter("n", 1.0, "1")
    forces = {"real": (sp.cos(t) ** 2) ** n} | ({"whole": sp.cos(t) ** power} if power <= 10**3 else {})
    half = power / 2
    mean = np.exp(lgamma(2 * half + 1) - 2 * lgamma(half + 1) - 2 * half * log(2))
    for name, force in forces.items():
        system = jounce.compile_model(Model(f"cosine_{name}_{power}", [x], [1], [force]))
        given = {"n": half} if name == "real" else {}
        run = jounce.simulate(system, {"d_x": 0.1}, 7.5 * pi, **given)
        assert run.final["d_x"] == pytest.approx(0.1 + 7.5 * pi * mean, rel=1e-8)


@pytest.mark.parametrize("width", WIDTHS)
def test_a_narrow_resistance_in_velocity(width: float) -> None:
    """v' = 1/(1 + A bump(v)): the time to reach v is v + A sqrt(pi)."""
    system = jounce.compile_model(Model("crawling", [x], [1], [L / T**2 / (1 + A * bump(speed))]))
    run = jounce.simulate(system, {"d_x": 0.0}, 2.0, w=width)
    assert run.final["d_x"] == pytest.approx(2.0 - 0.1 * sqrt(pi), abs=3e-8 + 1e-14 / width)


@pytest.mark.parametrize("width", WIDTHS[:7])
def test_a_needle_on_the_floor_is_hit(width: float) -> None:
    """A point that flies at half the height of a needle meets it at x = 1 - w sqrt(log 2)."""
    gap = y - sp.exp(-((x / L - 1) ** 2) / w**2) * L
    model = Model("needle", [x, y], [1, 1], [0, 0], contacts=[Contact("needle", gap=gap, restitution=0.5)])
    run = jounce.simulate(jounce.compile_model(model), {"y": 0.5, "d_x": 1.0}, 2.0, w=width)
    assert run.events["kind"].iloc[0] == "impact"
    assert run.events["t"].iloc[0] == pytest.approx(1 - width * sqrt(log(2)), abs=1e-9)


@pytest.mark.parametrize("kind", ["linear", "monotone"])
def test_a_narrow_peak_in_a_table(kind: str) -> None:
    """The area of a measured pulse, 1e-5 wide among points that are 0.25 apart."""
    points = sorted([*np.linspace(0, 4, 17), 1.7, 1.7 + 1e-5, 1.7 + 2e-5])
    heights = [1e4 if abs(p - 1.7 - 1e-5) < 1e-9 else 0.0 for p in points]
    push = table(t, points, heights, kind)
    run = jounce.simulate(jounce.compile_model(Model(f"pushed_{kind}", [x], [1], [push])), {"d_x": 0.3}, 4.0)
    assert run.final["d_x"] == pytest.approx(0.3 + 0.1, abs=1e-7)


def test_a_force_that_begins_at_rest() -> None:
    """Nothing moves until t = 1: no size to compare with, and no end of shorter steps."""
    woken = Model("woken", [x], [1], [sp.Piecewise((2, t > 1), (0, True))])
    run = jounce.simulate(woken, {}, 3.0)
    assert run.status.name == "FINISHED"
    assert run.final["x"] == pytest.approx(4.0, rel=1e-9)


@pytest.fixture(scope="module")
def ramp() -> jounce.System:
    return jounce.compile_model(Model("ramp", [x], [1], [A * L / T**2 * sp.Max(0, t / T - 1) ** w]))


@pytest.mark.parametrize("integrator", ["taylor", "dop853", "dopri5"])
@pytest.mark.parametrize("power", [1.0, 2.0, 3.0])
@pytest.mark.parametrize("begins", [1e-3, 0.1, 1.0, 7.0, 1e3])
def test_a_force_that_grows_out_of_nothing(ramp: Any, begins: float, power: float, integrator: str) -> None:
    """Out of rest in the origin nothing has a size, and what a force has moved is known as its beginning is known."""
    exact = 2.0 ** (power + 2) / ((power + 1) * (power + 2))
    for length, more in ((1.0, {}), (1e-9, {}), (1e9, {}), (1.0, {"scales": {"d_x": 100.0}})):
        options = jounce.Options(integrator=integrator, tolerance=1e-10, **more)
        run = jounce.simulate(ramp, {}, 3 * begins, options=options, A=1.0, w=power, L=length, T=begins)
        assert run.status.ok, run.status
        assert run.final["x"] / length == pytest.approx(exact, rel=1e-8)


def chased_pulse(width: float, grip: float) -> tuple[list[float], float]:
    """When a mass after v = exp(-z^2/2), z = (t - 5)/width, by at most ``grip`` lets go, meets it, lands; its way."""

    def v(z: float) -> float:
        return exp(-(z**2) / 2)

    slope = grip * width
    leaves = brentq(lambda z: -z * v(z) - slope, -20, -1, xtol=1e-15)
    meets = brentq(lambda z: v(leaves) + slope * (z - leaves) - v(z), 0, 9, xtol=1e-15)
    lands = brentq(lambda z: v(meets) - slope * (z - meets) - v(z), meets + 0.1, meets + 99, xtol=1e-15)
    tails = sqrt(pi / 2) * (erfc(-leaves / sqrt(2)) + erfc(lands / sqrt(2)))
    way = tails + (v(leaves) + v(meets)) / 2 * (meets - leaves) + (v(meets) + v(lands)) / 2 * (lands - meets)
    return [5 + width * z for z in (leaves, meets, lands)], width * way


@pytest.fixture(scope="module")
def chaser() -> jounce.System:
    """Dry friction on a belt that moves for an instant: a switch whose surface, force and limits are narrow."""
    belt = sp.exp(-(((t / T - 5) / w) ** 2) / 2) * L / T
    return jounce.compile_model(Model("chaser", [x], [1], [-A * L / T**2 * sp.sign(dx - belt)]))


@pytest.mark.parametrize("t_end", [6.0, 8.0, 100.0])
@pytest.mark.parametrize("tolerance", [1e-6, 1e-10, 1e-13])
@pytest.mark.parametrize("width", [1e-2, 1e-4])
def test_a_narrow_pulse_under_a_switch(chaser: Any, width: float, tolerance: float, t_end: float) -> None:
    """From rest, by numbers that are no normal doubles at first: nothing has a size, and nothing is stepped over."""
    times, way = chased_pulse(width, 3.0)
    for length, duration in UNITS:
        options = jounce.Options(tolerance=tolerance)
        units = {"A": 3.0, "w": width, "L": length, "T": duration}
        run = jounce.simulate(chaser, {}, t_end * duration, options=options, **units)
        assert run.status.name == "FINISHED"
        assert run.final["x"] / length == pytest.approx(way, rel=1e3 * max(tolerance, 1e-12))
        found = [time / duration for time in run.events.t[run.events.t > 0]]
        assert found == pytest.approx(times, abs=1e3 * max(tolerance, 1e-12) * width)


def test_conditions_that_choices_share_have_ranges() -> None:
    """Written once and used in two forces, a condition is a line of its own."""
    within = sp.And(x > 0, dx > 0)
    forces = [sp.Piecewise((bump(instant), within), (0, True)), sp.Piecewise((bump(position), within), (1, True))]
    assert jounce.compile_model(Model("shared", [x, y], [1, 1], forces)).narrow is not None
    assert jounce.compile_model(Model("slides", [x], [1], [-jounce.Switch("s", dx - bump(instant))])).narrow is not None


def test_models_without_narrow_parts_are_not_asked() -> None:
    for name in ("impact_oscillator", "double_pendulum", "slender_rod", "belt_oscillator", "wiper"):
        assert jounce.compile_model(getattr(jounce.systems, name)()).narrow is None


@pytest.mark.parametrize("integrator", ["taylor", "dop853", "dopri5"])
def test_names_that_mean_another_place_elsewhere(integrator: str) -> None:
    """Coordinates and parameters named as arguments of generated code, in another order: the same steps, to the bit."""
    motions = []
    for names in (("a", "b", "c", "d"), ("q1", "q0", "p1", "p0")):
        (s, ds), (r, _) = jounce.coordinates(" ".join(names[:2]), "m")
        far, strong = parameter(names[2], 30.0, "1/m"), parameter(names[3], 2.0, "m/s^2")
        pulse = -strong * sp.exp(-((far * (r - 1)) ** 2) * 1000)
        clamped = -3 * sp.Max(-1, sp.Min(1, ds * far / strong))
        model = Model(f"named_{names[0]}", [s, r], [1, 1], [clamped - 4 * s, pulse])
        start = {names[0]: 0.1, f"d_{names[0]}": -1.1, f"d_{names[1]}": 1.0}
        motions.append(jounce.simulate(model, start, 3.0, options=jounce.Options(integrator=integrator)))
    plain, named = motions
    assert plain.data.step_t.tolist() == named.data.step_t.tolist()
    assert plain.final.q.tolist() == named.final.q.tolist()
