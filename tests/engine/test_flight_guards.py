"""Guards that are parabolas of a flight's time: the quadratic formula against 100 digits, against the general way, and
against the roots of every flight of random runs; touches, ties, starts at a root, ends of runs.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath.ctx_mp import MPContext

import jounce
from jounce.kernels.events.flight_guards import crossing_time, return_time
from jounce.model import Contact, Model, coordinates, parameters, time
from jounce.system import System
from tests.engine.support import of_kind

mp = MPContext()
mp.dps = 100  # the formula of the schoolbook cancels up to fifty of them
EPSILON = 2.0**-52
sizes = st.floats(-8.0, 8.0).map(lambda exponent: 10.0**exponent)
signed = st.one_of(st.just(0.0), sizes, sizes.map(lambda size: -size))


# ---------------------------------------------------------------------- the formula


def exact_crossing(value: float, rate: float, curvature: float) -> Any:
    """The first s >= 0 at which value + rate s + curvature s^2/2 turns negative, in 100 digits; inf: never."""
    v, r, half = mp.mpf(value), mp.mpf(rate), mp.mpf(curvature) / 2
    if half == 0:
        return -v / r if r < 0 else mp.inf
    square = r * r - 4 * half * v
    if square < 0 or (square == 0 and half > 0):
        return mp.inf
    roots = sorted([(-r - mp.sqrt(square)) / (2 * half), (-r + mp.sqrt(square)) / (2 * half)])
    # upwards it is negative between its roots, downwards behind the later one
    start = roots[0] if half > 0 else roots[1]
    return start if start >= 0 else mp.inf


@given(st.one_of(st.just(0.0), sizes), signed, signed)
@settings(max_examples=1000, deadline=None)
def test_a_crossing_against_a_hundred_digits(value, rate, curvature):
    """To the rounding of the number below the root: that of its two terms, magnified where they cancel."""
    terms = mp.mpf(rate) ** 2 + abs(2 * mp.mpf(curvature) * mp.mpf(value))
    square = mp.mpf(rate) ** 2 - 2 * mp.mpf(curvature) * mp.mpf(value)
    exact = exact_crossing(value, rate, curvature)
    found = crossing_time(value, rate, curvature, 0.0, 1.0)
    if rate < 0.0 and abs(square) <= 4 * EPSILON * terms:
        # a touch to rounding: a miss, or the place of the touch
        assert found == math.inf or found == pytest.approx(-rate / curvature, rel=1e-7)
        return
    if exact == mp.inf:
        assert found == math.inf
        return
    magnified = 1 + (terms / square if square > 0 else 0)
    assert abs(found - exact) <= 4 * EPSILON * magnified * exact


@given(sizes, sizes, st.floats(-1e-6, 1e-6))
@settings(max_examples=300, deadline=None)
def test_the_second_root_from_the_first(rate, curvature, offset):
    """A guard a little beside its own root: the other root, exactly, and not the near one."""
    value = offset * rate * rate / curvature
    square = mp.mpf(rate) ** 2 + 2 * mp.mpf(curvature) * mp.mpf(value)
    exact = (mp.mpf(rate) + mp.sqrt(square)) / mp.mpf(curvature)
    found = return_time(value, rate, -curvature, 1.0)
    assert abs(found - exact) <= 8 * EPSILON * exact
    assert return_time(value, rate, curvature, 1.0) == math.inf
    assert return_time(value, rate, 0.0, 1.0) == math.inf


@pytest.mark.parametrize(
    ("value", "rate", "curvature", "expected"),
    [
        (0.0, 0.0, 0.0, math.inf),  # identically zero
        (1.0, 0.0, 0.0, math.inf),
        (0.0, -1.0, 0.0, 0.0),  # at zero, and it goes on below
        (0.0, 0.0, -1.0, 0.0),
        (0.0, 1.0, -2.0, 1.0),
        (1.0, -2.0, 2.0, math.inf),  # (1 - s)^2 only touches
        (-1.0, 5.0, 0.0, 0.0),  # it has turned already
        (-1e-17, 5.0, -10.0, 1.0),  # rounding has not
        (-1e-17, -5.0, 0.0, 0.0),
    ],
)
def test_crossings_at_the_edge(value, rate, curvature, expected):
    assert crossing_time(value, rate, curvature, 0.0, 1.0) == expected


@pytest.mark.parametrize(
    ("value", "rate", "curvature", "expected"),
    [
        (0.0, 0.0, 0.0, math.inf),
        (0.0, 0.0, 1.0, math.inf),  # a double root, left on the right side
        (0.0, 0.0, -1.0, 0.0),  # and on the wrong one
        (0.0, -1.0, 1.0, 0.0),
        (0.0, -1e-12, 1.0, math.inf),  # a slope that is only rounding
        (-1e-17, 1e-12, -1.0, 1e-12),  # as a touch leaves it: below the root by rounding
    ],
)
def test_returns_at_the_edge(value, rate, curvature, expected):
    assert return_time(value, rate, curvature, 1.0) == pytest.approx(expected, rel=1e-14)


# ---------------------------------------------------------------------- runs


@cache
def thrown(*guards: str) -> System:
    """A mass thrown over a shaking floor that keeps its horizontal speed; guards g0, g1, ... of its motion."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    g, e, A, h, k = parameters(g=8.0, e=0.8, A=0.0, h=0.5, k=0.0)
    names = {str(symbol): symbol for symbol in (x, dx, y, dy, g, e, A, h, k)} | {"t": time}
    return jounce.compile_model(
        Model.from_lagrangian(
            "thrown",
            coordinates=[x, y],
            kinetic=(dx**2 + dy**2) / 2,
            potential=g * y,
            contacts=[Contact("floor", gap=y - A * sp.sin(3 * time), restitution=e)],
            guards={f"g{i}": sp.sympify(text, locals=names) for i, text in enumerate(guards)},
            start={y: 1.0},
        )
    )


def in_general(system: System) -> System:
    """The same system with all guards on the general way."""
    return dataclasses.replace(system, guard_degrees=(-1,) * system.ng)


def crossings(system: System, t_end: float, start: dict[str, float], **rest: Any) -> list[tuple[int, float]]:
    """(guard, time) of every user event; a system knows only the parameters that its guards use."""
    known = {name: value for name, value in rest.items() if name in system.parameter_names}
    run = jounce.simulate(system, system.state(**start), t_end, **known)
    rows = of_kind(run, "user")
    return [(int(guard), float(t)) for guard, t in zip(rows["region"], rows["t"], strict=True)]


LOW = ("d_y", "y - h", "x - 1", "t - 7/10", "d_y**2 - 4", "x*d_y + 1/3", "(t - 1)*d_y - x", "y*d_x**3 - sin(d_x)")
HIGH = ("sin(2*x) - h", "y*d_y - 1", "y - h + Abs(x - 1)")


def random_motions(count: int) -> Iterator[tuple[dict[str, float], dict[str, float]]]:
    random = np.random.default_rng(11)
    for _ in range(count):
        x, y, dx, dy, h, A, e, g = random.uniform([-1, 0.3, -2, -3, 0.1, 0, 0.5, 2], [1, 2, 2, 6, 1.5, 0.2, 1, 12])
        yield {"x": x, "y": y, "d_x": dx, "d_y": dy}, {"h": h, "A": A, "e": e, "g": g}


def test_degrees():
    assert thrown(*LOW).guard_degrees == (1, 2, 1, 1, 2, 2, 2, 2)
    assert thrown(*HIGH).guard_degrees == (-1, -1, -1)
    assert thrown("d_x**2/2", "sin(d_x)*cos(h)", "k*y", "d_y**2/2 + g*y").guard_degrees == (0, 0, 2, 2)


def test_every_root_of_every_flight():
    """Flights of random runs as polynomials in 100 digits: all their roots are events, and nothing else is."""
    system = thrown(*LOW)
    symbols = (time, *system.model.q, *system.model.u, *system.model.p)
    s = sp.Symbol("s")
    (x, y), (dx, dy) = system.model.q, system.model.u
    g = next(p for p in system.model.p if p.name == "g")
    along = {time: time + s, x: x + dx * s, y: y + dy * s - g * s**2 / 2, dy: dy - g * s}
    coefficients = [
        sp.lambdify(symbols, [sp.expand(guard.subs(along, simultaneous=True)).coeff(s, k) for k in range(3)], mp)
        for guard in system.model.guards.values()
    ]
    compared = 0
    for start, values in random_motions(40):
        run = jounce.simulate(system, system.state(**start), 2.0, **values)
        p = [mp.mpf(float(number)) for number in system.parameters(**values)]
        chatter = of_kind(run, "chatter")["t"]  # the end of its last flight
        impacts = [0.0, *of_kind(run, "impact")["t"], min([run.t_end, *chatter])]
        impacts = [t for t in impacts if t <= impacts[-1]]
        found = of_kind(run, "user")
        for begin, end in itertools.pairwise(impacts):
            if end - begin < 1e-3:
                continue
            state = run.at(begin)
            numbers = [mp.mpf(float(z)) for z in (begin, *state.q, *state.u)]
            for index, function in enumerate(coefficients):
                c, b, a = function(*numbers, *p)
                roots = mp.polyroots([a, b, c], maxsteps=200, extraprec=200) if a else ([-c / b] if b else [])
                times = sorted(float(begin + mp.re(r)) for r in roots if abs(mp.im(r)) < 1e-20)
                inside = [t for t in times if begin + 1e-9 < t < end - 1e-9]
                rows = found[(found["region"] == index) & (found["t"] > begin + 1e-9) & (found["t"] < end - 1e-9)]
                np.testing.assert_allclose(rows["t"], inside, rtol=0, atol=2e-12, err_msg=f"{start} {values} {index}")
                compared += len(inside)
    assert compared > 400


def test_both_ways_agree():
    """Parabolas and other guards together, and all of them on the general way: the same events at the same times."""
    system = thrown(*LOW[:5], *HIGH)
    compared = 0
    for start, values in random_motions(60):
        quick = crossings(system, 2.0, start, **values)
        general = crossings(in_general(system), 2.0, start, **values)
        assert sorted(guard for guard, _ in quick) == sorted(guard for guard, _ in general), (start, values)
        for guard in range(system.ng):
            times = [[t for k, t in events if k == guard] for events in (quick, general)]
            np.testing.assert_allclose(*times, rtol=0, atol=1e-10)
        compared += len(quick)
    assert compared > 500


def test_the_first_stop_is_the_same_both_ways():
    """Directions: a run that stops at a guard, from random starts."""
    system = thrown(*LOW)
    for start, values in random_motions(40):
        for direction in (-1, 0, 1):
            ends = [
                jounce.simulate(each, each.state(**start), 1.5, stop_at={"g1": direction}, **values)
                for each in (system, in_general(system))
            ]
            assert ends[0].status.name == ends[1].status.name
            assert ends[0].t_end == pytest.approx(ends[1].t_end, abs=1e-11)
            if ends[0].status.name == "STOPPED":
                assert ends[0].final["y"] == pytest.approx(values["h"], abs=1e-14)


def test_the_state_at_a_crossing_is_on_the_parabola():
    system = thrown("y - h")
    run = jounce.simulate(system, system.state(y=1.0, x=0.25, d_x=3.0), 1.0, stop_at="g0", h=0.75)
    s = math.sqrt(2 * 0.25 / 8.0)
    assert run.t_end == pytest.approx(s, rel=1e-15)
    expected = {"x": 0.25 + 3.0 * s, "y": 0.75, "d_x": 3.0, "d_y": -8.0 * s}
    assert {name: run.final[name] for name in expected} == pytest.approx(expected, rel=1e-15)


# ---------------------------------------------------------------------- touches, ties, starts and ends

RISE = {"y": 0.0, "d_y": 4.0}  # with g = 8 the apex is at t = 1/2, height 1, exactly


@pytest.mark.parametrize(("lift", "count"), [(0.0, 0), (2.0**-52, 0), (-(2.0**-40), 2), (-(2.0**-30), 2), (-0.25, 2)])
def test_a_touch_is_no_crossing(lift, count):
    """A height that the apex just reaches, misses by one rounding, or passes."""
    events = crossings(thrown("h - y"), 0.9, RISE, h=1.0 + lift)
    half = math.sqrt(-2.0 * lift / 8.0) if count else 0.0
    assert [t for _, t in events] == pytest.approx([0.5 - half, 0.5 + half][:count], abs=1e-15 + 1e-16 / (half or 1))


def test_a_touch_to_rounding_is_balanced():
    """Heights within rounding of the apex: what is passed upwards is passed downwards, or not at all."""
    system = thrown("y - h")
    for steps in range(-40, 41):
        speed = 3.7 + 0.01 * steps
        events = crossings(system, 0.8, {"y": 0.0, "d_y": speed}, h=speed * speed / 16.0 * (1.0 + steps * 2.0**-53))
        assert len(events) in (0, 2)
        assert [t for _, t in events] == pytest.approx([speed / 8.0] * len(events), abs=1e-6)


@pytest.mark.parametrize("height", [0.6, 0.7, 1000.3])
def test_guards_that_vanish_together(height):
    """Each is reported once at each passage; another kind of guard among them too."""
    system = thrown("y - h", "2*y - 2*h", "sin(y - h)", "3*y - 3*h")
    start = {"y": height - 0.5, "d_y": 4.0}
    events = crossings(system, 0.9, start, h=height)
    assert sorted(guard for guard, _ in events) == [0, 0, 1, 1, 2, 2, 3, 3]
    half = math.sqrt(8.0) / 8.0
    expected = [0.5 - half] * 4 + [0.5 + half] * 4
    assert [t for _, t in events] == pytest.approx(expected, abs=1e-15 * (8 + 8 * height))


def test_a_guard_that_is_identically_zero():
    assert crossings(thrown("k*y"), 3.0, RISE) == []
    assert crossings(thrown("k*y", "d_y"), 0.9, RISE) == [(1, 0.5)]


def test_a_conserved_guard_has_no_events():
    """The energy in flight: a polynomial of degree 0 behind rounding; it changes sign at an impact only."""
    system = thrown("d_y**2/2 + g*y - h")
    for start, values in random_motions(30):
        energy = start["d_y"] ** 2 / 2 + values["g"] * start["y"]
        assert crossings(system, 3.0, start, **values | {"h": energy - 0.01, "A": 0.0}) == []


@pytest.mark.parametrize("way", [lambda system: system, in_general])
@pytest.mark.parametrize("guard", ["y - h", "h - y", "d_y", "(d_y + 8*t)**2"])
def test_a_start_at_a_root(guard, way):
    """At rest in the apex, a double root of a height: nothing happens there, on whichever side it goes on."""
    assert crossings(way(thrown(guard)), 0.4, {"y": 1.0}, h=1.0) == []


@pytest.mark.parametrize("length", [1.0, 1e3, 1e9])
@pytest.mark.parametrize("before", [2e-8, 2e-12, 2e-15])
def test_a_start_a_little_before_a_root(before, length):
    """A run that begins a little before a crossing has it, however long it is; the way back has its exact time."""
    system = thrown("y - h")
    events = crossings(system, length, {"y": 0.75 - before, "d_y": 4.0}, h=0.75, e=0.0)
    root = mp.sqrt(mp.mpf(16) - 16 * (mp.mpf(0.75) - mp.mpf(0.75 - before)))
    exact = [float((4 - root) / 8), float((4 + root) / 8)]
    known = before > 1e-14  # nearer than the rounding of its terms a start is at the root itself
    assert [t for _, t in events[:2]] == pytest.approx(exact if known else exact[1:], abs=1e-15)


@pytest.mark.parametrize(("margin", "count"), [(1e-12, 1), (1e-15, 1), (-1e-12, 0), (-1e-15, 0)])
def test_a_crossing_near_the_end_of_the_run(margin, count):
    assert len(crossings(thrown("d_y"), 0.5 + margin, RISE)) == count


@pytest.mark.parametrize("height", [1e-3, 1e-9, 1e-13])
def test_a_crossing_just_before_and_after_an_impact(height):
    """The ball passes a low plane, hits the floor and passes it again."""
    times = [t for _, t in crossings(thrown("y - h"), 1.5, {"y": 1.0}, h=height)]
    v, w = math.sqrt(16.0), 0.8 * math.sqrt(16.0)
    landing = v / 8.0
    before, after = (
        math.sqrt(2.0 * (1.0 - height) / 8.0),
        landing + 2.0 * height / (w + math.sqrt(w * w - 16.0 * height)),
    )
    later = landing + (w + math.sqrt(w * w - 16.0 * height)) / 8.0
    assert times[:3] == pytest.approx([before, after, later], abs=1e-15)
