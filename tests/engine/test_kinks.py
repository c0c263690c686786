"""Forces with kinks and jumps: steps end there, and errors fall with the tolerance as on smooth motion."""

from __future__ import annotations

from math import cos, pi, sin, sqrt

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Contact, Model, coordinate
from jounce.kernels.records import codes
from jounce.model.kinks import Kink

x, dx = coordinate("x", "m")
y, dy = coordinate("y", "m")
t = jounce.time


def oscillator(force: sp.Expr, **parts: object) -> Model:
    return Model("oscillator", [x], [1], [force], **parts)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize(
    "spring", [sp.Piecewise((x, x < 0), (4 * x, True)), sp.Max(x, 4 * x), sp.Rational(5, 2) * x + 3 * sp.Abs(x) / 2]
)
def test_a_bilinear_spring_returns_after_its_period(spring: sp.Expr, tolerance: float) -> None:
    """Half a period of each stiffness, 1 and 4: pi + pi/2."""
    run = jounce.simulate(oscillator(-spring), {"x": 1.0}, 15.0 * pi, tolerance=tolerance)
    assert run.status.name == "FINISHED"
    assert len(run.events) == 0
    assert abs(run.final["x"] - 1.0) < 20.0 * tolerance
    assert abs(run.final["d_x"]) < 400.0 * tolerance


def square_wave(end: float) -> float:
    """x of x'' + x = sign(sin 3t)/2 from x = 1 at rest."""
    place, speed, now, force = 1.0, 0.0, 0.0, 0.5
    for k in range(1, 100):
        span = min(end, k * pi / 3) - now
        place, speed = (
            force + (place - force) * cos(span) + speed * sin(span),
            (force - place) * sin(span) + speed * cos(span),
        )
        now, force = now + span, -force
        if now >= end:
            break
    return place


@pytest.mark.parametrize("tolerance", [1e-7, 1e-9, 1e-11, 1e-13])
def test_a_square_wave_from_its_jump_on(tolerance: float) -> None:
    run = jounce.simulate(oscillator(-x + sp.sign(sp.sin(3 * t)) / 2), {"x": 1.0}, 20.0, tolerance=tolerance)
    assert abs(run.final["x"] - square_wave(20.0)) < 10.0 * tolerance
    assert run.at(0.0)["x"] == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e6])
@pytest.mark.parametrize("tolerance", [1e-8, 1e-12])
def test_a_force_that_sets_in(unit: float, tolerance: float) -> None:
    """From t = 2.3 on about x = 2; the same in other units of time and length."""
    at, force = 2.3 * unit, 2 * unit
    model = oscillator((-x + sp.Heaviside(t - at) * force) / unit**2)
    run = jounce.simulate(model, {"x": unit}, 20.0 * unit, tolerance=tolerance)
    since = 17.7
    expected = 2 + (cos(2.3) - 2) * cos(since) - sin(2.3) * sin(since)
    assert abs(run.final["x"] / unit - expected) < 20.0 * tolerance


def block(force: sp.Expr, friction: sp.Expr) -> Model:
    floor = Contact("floor", gap=y, slip=dx, friction=friction)
    return Model("block", [x, y], [1, 1], [force, -10], contacts=[floor], potential=10 * y)


def test_a_block_slides_from_where_a_push_sets_in() -> None:
    run = jounce.simulate(block(8 * sp.Heaviside(t - 1), sp.Rational(1, 2)), {"x": 0.0, "y": 0.0}, 3.0)
    assert run.status.ok
    (slip,) = run.events[run.events.kind == "slip"].t
    assert slip == pytest.approx(1.0, abs=1e-12)
    assert run.final["x"] == pytest.approx(0.5 * 3.0 * 2.0**2, rel=1e-11)


def test_a_block_sticks_where_a_push_ends() -> None:
    push = sp.Piecewise((sp.Integer(8), t < 1), (sp.Integer(4), True))
    run = jounce.simulate(block(push, sp.Rational(1, 2)), {"x": 0.0, "y": 0.0}, 6.0)
    stick = run.events[run.events.kind == "stick"].t.iloc[-1]
    assert stick == pytest.approx(1.0 + 3.0, abs=1e-10)
    assert run.final["x"] == pytest.approx(1.5 + 3.0**2 / 2, rel=1e-11)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-10])
def test_a_block_that_slides_onto_ice(tolerance: float) -> None:
    ice = sp.Piecewise((sp.Rational(1, 20), x > 1), (sp.Rational(1, 2), True))
    run = jounce.simulate(block(sp.Integer(0), ice), {"x": 0.0, "y": 0.0, "d_x": 4.0}, 20.0, tolerance=tolerance)
    assert run.status.name == "AT_REST"
    onto = sqrt(16.0 - 2 * 5.0)
    assert run.final["x"] == pytest.approx(1.0 + onto**2 / (2 * 0.5), rel=1e-11)


def test_a_guard_of_ones_own_at_a_kink_has_its_rows() -> None:
    model = oscillator(-x + sp.Heaviside(t - 2) * 2, guards={"switched": t - 2})
    run = jounce.simulate(model, {"x": 1.0}, 5.0, tolerance=1e-12)
    assert run.events.kind.tolist() == ["user"]
    assert run.events.t[0] == pytest.approx(2.0, abs=1e-12)  # steps across a jump are not shorter than 4e-13
    expected = 2 + (cos(2.0) - 2) * cos(3.0) - sin(2.0) * sin(3.0)
    assert run.final["x"] == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("rubs", [False, True])
def test_which_expressions_are_borders(rubs: bool) -> None:
    """Beside a jump with a velocity those of place are switches as well: decision 30."""
    force = sp.Max(-3, sp.Min(3, 2 * x + dx)) + sp.Abs(y) + sp.sign(x - 1) + sp.Heaviside(1 - x)
    force += sp.sign(dx) if rubs else 0
    model = Model("borders", [x, y], [1, 1], [force, sp.Piecewise((x, y < 2), (2, True))])
    kink, leap = Kink.KINK, Kink.LEAP
    expected = {2 * x + dx - 3: kink, 2 * x + dx + 3: kink, y: kink, y - 2: leap} | ({} if rubs else {x - 1: leap})
    found = {frozenset({str(border), str(sp.expand(-border))}): jumps for border, jumps in model.kinks.items()}
    assert found == {frozenset({str(border), str(sp.expand(-border))}): jumps for border, jumps in expected.items()}
    assert sum(name.endswith("_switches") for name in model.guards) == (2 if rubs else 0)
    assert [Kink.KINK, Kink.LEAP, Kink.SURFACE] == [codes.KINK, codes.LEAP, codes.SURFACE_LEAP]


def test_more_borders_than_the_engine_watches_are_left_to_the_steps() -> None:
    force = sp.Add(*(sp.Abs(x - k) for k in range(40)))
    run = jounce.simulate(oscillator(-force), {"x": 0.5}, 1.0)
    assert run.system.ng == 16
    assert run.status.ok
    assert np.isfinite(run.final["x"])
