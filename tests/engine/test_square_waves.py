"""Belts and pushes that switch on and off, against motions that are known piece by piece."""

import itertools
import math
from functools import cache

import pytest
import sympy as sp

import jounce
from jounce import Contact, Model, Options, coordinate, coordinates, parameters

t = jounce.time
UNITS = [(1.0, 1.0, 1.0), (1e-6, 1.0, 1e6), (1e6, 1e-6, 1e-6)]
INTEGRATORS = ("dop853", "dopri5", "taylor")


@cache
def carriage(form: str) -> jounce.System:
    """A block with a spring on a belt whose speed is a square wave."""
    (x, dx), (y, _) = coordinates("x y", "m")
    W, V, mu, k, m, g = parameters(W=7.0, V=0.4, mu=0.3, k=20.0, m=1.0, g=10.0)
    wave = sp.sin(W * t)
    speed = {
        "Heaviside": V * sp.Heaviside(wave),
        "Piecewise": sp.Piecewise((V, wave > 0), (0, True)),
        "sign": V * sp.sign(wave),
    }[form]
    belt = Contact("belt", gap=y, slip=dx - speed, friction=mu)
    return jounce.compile_model(Model("carriage", [x, y], [m, m], [-k * x, -m * g], contacts=[belt]))


def place(back: float, k: float = 20.0, hold: float = 3.0, half: float = math.pi / 7, t_end: float = 6.0) -> float:
    """Where the block is: straight lines and arcs of ellipses about the two centres, put together."""
    w, x, v, time, sticks, number = math.sqrt(k), 0.0, 0.0, 0.0, False, 0
    while True:
        belt, until = (0.4 if number % 2 == 0 else back), min((number + 1) * half, t_end)
        sticks = v == belt and abs(k * x) <= hold
        while time < until:
            if sticks:
                limit = math.copysign(hold / k, belt)
                rest = (limit - x) / belt if belt else math.inf
                if rest >= until - time:
                    x, time = x + belt * (until - time), until
                    break
                x, time, sticks = limit, time + rest, False
            slip = math.copysign(1.0, v - belt) if v != belt else -math.copysign(1.0, x)
            centre = -slip * hold / k
            radius, phase = math.hypot(x - centre, v / w), math.atan2(v / w, x - centre)
            rest = math.inf
            if abs(belt) <= w * radius:
                angle = math.asin(-belt / (w * radius))
                roots = [(a + phase + 2 * math.pi * n) / w for a in (angle, math.pi - angle) for n in range(-2, 4)]
                rest = min(root for root in roots if root > 1e-9)
            passed = min(rest, until - time)
            turn = w * passed - phase
            x, v, time = centre + radius * math.cos(turn), -w * radius * math.sin(turn), time + passed
            if passed == rest:
                v, sticks = belt, abs(k * x) <= hold
        if until == t_end:
            return x
        time, number = until, number + 1


@pytest.mark.parametrize(("form", "back"), [("Heaviside", 0.0), ("Piecewise", 0.0), ("sign", -0.4)])
def test_a_belt_with_a_square_wave(form: str, back: float) -> None:
    """In any units, with every integrator, cut at a jump or between two."""
    expected = place(back)
    for (L, T, M), integrator, cut in itertools.product(UNITS, INTEGRATORS, (None, math.pi / 7, 1.234)):
        values = {"W": 7 / T, "V": 0.4 * L / T, "k": 20 * M / T**2, "m": M, "g": 10 * L / T**2}
        options = Options(integrator=integrator, tolerance=1e-9, audit="dense")
        start: object = {}
        if cut is not None:
            start = jounce.simulate(carriage(form), start, cut * T, options=options, **values).final
        run = jounce.simulate(carriage(form), start, 6.0 * T, options=options, **values)
        assert run.status.name == "FINISHED", run.status
        assert abs(run.final["x"] / L - expected) < 1e-9


@cache
def pushed(form: str) -> jounce.System:
    """A mass that is pushed for a short time D, with the momentum 1."""
    x, _ = coordinate("x", "m")
    a, D, P, m = parameters(a=1.3, D=1e-6, P=1.0, m=1.0)
    pulse = {
        "Heaviside": sp.Heaviside(t - a) - sp.Heaviside(t - a - D),
        "Piecewise": sp.Piecewise((1, (t > a) & (t < a + D)), (0, True)),
        "three cases": sp.Piecewise((0, t < a), (1, t < a + D), (0, True)),
    }[form]
    return jounce.compile_model(Model("pushed", [x], [m], [P / D * pulse]))


@pytest.mark.parametrize("form", ["Heaviside", "Piecewise", "three cases"])
def test_a_short_push(form: str) -> None:
    """It gives its momentum, to the rounding of the times at which it begins and ends."""
    for (L, T, M), integrator, D in itertools.product(UNITS, INTEGRATORS, (1e-6, 1e-8)):
        values = {"a": 1.3 * T, "D": D * T, "P": M * L / T, "m": M}
        options = Options(integrator=integrator, tolerance=1e-11, audit="dense")
        for cut in (None, 1.3, 1.3 + D):
            start: object = {}
            if cut is not None:
                start = jounce.simulate(pushed(form), start, cut * T, options=options, **values).final
            run = jounce.simulate(pushed(form), start, 3.0 * T, options=options, **values)
            assert run.status.name == "FINISHED", run.status
            assert abs(run.final["x"] / L - (1.7 - D / 2)) < 1e-11 + 1e-14 / D


def test_a_branch_that_ends_at_its_border() -> None:
    """sqrt(1 - t) is no number behind t = 1: the step that meets the border decides by itself there."""
    x, _ = coordinate("x", "m")
    fading = jounce.compile_model(Model("fading", [x], [1], [sp.Piecewise((sp.sqrt(1 - t), t < 1), (-1, True))]))
    for integrator in INTEGRATORS:
        run = jounce.simulate(fading, {}, 2.0, options=Options(integrator=integrator, tolerance=1e-9, audit="dense"))
        assert run.status.name == "FINISHED", run.status
        # u = 2/3 (1 - (1 - t)^(3/2)), x = 2/3 t - 4/15 (1 - (1 - t)^(5/2))
        assert run.final["x"] == pytest.approx(2 / 3 - 4 / 15 + 2 / 3 - 0.5, abs=1e-7)


def test_a_jump_of_place_that_drives_back() -> None:
    """x'' = -sign(x): parabolas of the duration 2 sqrt(2), whatever their start."""
    x, _ = coordinate("x", "m")
    swing = jounce.compile_model(Model("swing", [x], [1], [-sp.sign(x)]))
    period = 4.0 * math.sqrt(2.0)
    for integrator in INTEGRATORS:
        run = jounce.simulate(swing, {"x": 1.0}, 10 * period, options=Options(integrator=integrator, tolerance=1e-9))
        assert run.status.name == "FINISHED", run.status
        assert run.final["x"] == pytest.approx(1.0, abs=1e-8)


def test_bounces_that_accumulate_about_a_jump() -> None:
    """A ball on a table that rises with 1/2 bounces until t = 0.1; then, or just before, the table falls."""
    y, _ = coordinate("y", "m")
    (T,) = parameters(T=0.1)
    height = sp.Piecewise((t / 2, t < T), ((2 * T - t) / 2, True))
    floor = Contact("table", gap=y - height, restitution=sp.Rational(1, 2))
    ball = jounce.compile_model(Model("thrown", [y], [1], [-10], contacts=[floor]))
    for integrator, early in itertools.product(INTEGRATORS, (1e-7, 3e-8, 1e-9, 1e-12, 0.0, -1e-15, -1e-8, -1e-3)):
        jump, options = 0.1 - early, Options(integrator=integrator, tolerance=1e-9, audit="dense")
        run = jounce.simulate(ball, {}, 0.2, options=options, T=jump)
        assert run.status.name == "FINISHED", run.status
        left = 0.2 - jump
        # bounces that have not ended yet are as low as what is left of them is short
        assert run.final["y"] == pytest.approx(jump / 2 + left / 2 - 5 * left**2, abs=1e-8 + max(early, 0.0))
