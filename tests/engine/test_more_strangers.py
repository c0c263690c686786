"""Machines of the literature that nobody here had in mind: other units, cut and saved, against what others compute."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from sympy import Abs, Max, cos, exp, sin, sqrt

import jounce
from jounce import Contact, Model, Reset, coordinate, coordinates, discrete, parameters
from tests.families.family import factor

Numbers = dict[str, float]
#: What the reference says: (kinds of the rows, their times), and how much an error of the motion has grown by the end.
Expected = tuple[set[str], list[float], float]
time = jounce.time


class Case(NamedTuple):
    model: Callable[[], Model]
    start: Numbers
    t_end: float
    expected: Callable[[], Expected]


# ------------------------------------------------------------------ an independent integration with events

Rule = tuple[Callable[[float, Any], float], int, Callable[[float, Any], tuple[Any, Any]]]


def by_scipy(modes: dict[Any, tuple[Callable[[float, Any], Any], list[Rule]]], mode: Any, y: Any, t_end: float) -> Any:
    """The times at which a hybrid motion changes: modes[m] = (rates, [(guard, direction, state -> (mode, state))])."""
    t, times = 0.0, []
    while True:
        rates, rules = modes[mode]
        guards = []
        for guard, direction, _ in rules:
            one = lambda t, y, guard=guard: guard(t, y)  # noqa: E731 - SciPy wants attributes on it
            one.terminal, one.direction = True, direction  # type: ignore[attr-defined]
            guards.append(one)
        found = solve_ivp(rates, (t, t_end), y, method="DOP853", rtol=1e-12, atol=1e-13, events=guards)
        t, y = found.t[-1], found.y[:, -1].copy()
        if found.status == 0:
            return times
        hit = next(k for k, when in enumerate(found.t_events) if len(when))
        mode, y = rules[hit][2](t, y)
        times.append(t)


# ------------------------------------------------------------------ billiards


def galperin() -> Model:
    """Two balls and a wall: of masses 1 and 100^n they collide 31415... times (Galperin 2003)."""
    (a, _), (b, _) = coordinates("a b", "m")
    M, m = parameters(M=(1e4, "kg"), m=(1.0, "kg"))
    contacts = [Contact("wall", gap=a, restitution=1), Contact("pair", gap=b - a, restitution=1)]
    return Model("galperin", [a, b], [m, M], [0, 0], contacts=contacts)


def galperin_collides() -> Expected:
    a, b, v, w, t, times = 1.0, 2.0, 0.0, -1.0, 0.0, []
    while v < 0 or v > w:
        wall = -a / v if v < 0 else math.inf
        pair = (b - a) / (v - w) if v > w else math.inf
        t += min(wall, pair)
        a, b = a + v * min(wall, pair), b + w * min(wall, pair)
        if wall < pair:
            a, v = 0.0, -v
        else:
            v, w = ((1 - 1e4) * v + 2e4 * w) / (1 + 1e4), ((1e4 - 1) * w + 2 * v) / (1 + 1e4)
            a = b
        times.append(t)
    assert len(times) == 314
    return {"impact"}, times, 1e3


def stadium() -> Model:
    """Bunimovich's billiard: a fence of two straights and two half circles, one contact whose curvature jumps."""
    (x, _), (y, _) = coordinates("x y", "m")
    m, a, R = parameters(m=(1.0, "kg"), a=(1.0, "m"), R=(1.0, "m"))
    fence = Contact("fence", gap=R - sqrt(Max(Abs(x) - a, 0) ** 2 + y**2), restitution=1)
    return Model("stadium", [x, y], [m, m], [0, 0], contacts=[fence])


def stadium_rays() -> Expected:
    p, v, t, times = np.array([0.1, 0.2]), np.array([1.0, 0.61]), 0.0, []
    while True:
        hits = []
        for side in (-1.0, 1.0):
            if v[1] * side > 0:
                way = (side - p[1]) / v[1]
                if abs(p[0] + way * v[0]) <= 1.0:
                    hits.append((way, np.array([0, side])))
            center = np.array([side, 0])
            b, c = (p - center) @ v, (p - center) @ (p - center) - 1
            if b * b > c * (v @ v):
                way = (math.sqrt(b * b - c * (v @ v)) - b) / (v @ v)
                if way > 1e-9 and (p + way * v)[0] * side > 1.0:
                    hits.append((way, p + way * v - center))
        way, normal = min(hits, key=lambda hit: hit[0])
        t += way
        if t > 12.0:
            return {"impact"}, times, 1e3
        p, v = p + way * v, v - 2 * (v @ normal) * normal
        times.append(t)


# ------------------------------------------------------------------ closed forms


def half_oscillator() -> Model:
    """An oscillator whose wall is where it rests: impacts for ever, k + 1/2 half periods, none of them a chatter."""
    x, _ = coordinate("x", "m")
    m, k = parameters(m=(1.0, "kg"), k=(1.0, "N/m"))
    return Model("half", [x], [m], [-k * x], contacts=[Contact("wall", gap=x, restitution=0.8)])


def drag_ball() -> Model:
    """A ball that falls and rises against the square of its speed."""
    y, dy = coordinate("y", "m")
    m, c, g = parameters(m=(1.0, "kg"), c=(0.3, "kg/m"), g=(9.81, "m/s^2"))
    floor = Contact("floor", gap=y, restitution=0.8)
    return Model("drag", [y], [m], [-m * g - c * dy * Abs(dy)], contacts=[floor])


def drag_bounces() -> Expected:
    g, limit, h, t, times = 9.81, math.sqrt(9.81 / 0.3), 5.0, 0.0, []
    for _ in range(4):
        t += limit / g * math.acosh(math.exp(g * h / limit**2))
        times.append(t)
        v = 0.8 * limit * math.sqrt(-math.expm1(-2 * g * h / limit**2))
        t += limit / g * math.atan(v / limit)
        h = limit**2 / (2 * g) * math.log1p((v / limit) ** 2)
    return {"impact"}, times, 1.0


def asteroid() -> Model:
    """A stone that hops on a small round world: arcs of Kepler ellipses, to their end in chatter and sliding."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, GM, R = parameters(m=(1.0, "kg"), GM=(1.0, "m^3/s^2"), R=(1.0, "m"))
    r = sqrt(x**2 + y**2)
    return Model.from_lagrangian(
        "asteroid",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=-m * GM / r,
        contacts=[Contact("ground", gap=r - R, restitution=0.7)],
    )


def asteroid_hops() -> Expected:
    rises, along, t, times = 0.6, 0.5, 0.0, []
    for _ in range(7):
        energy = (rises**2 + along**2) / 2 - 1
        a, eccentric = -0.5 / energy, math.sqrt(1 + 2 * energy * along**2)
        leaves = math.acos((1 - 1 / a) / eccentric)
        t += (2 * math.pi - 2 * leaves + 2 * eccentric * math.sin(leaves)) * a**1.5
        times.append(t)
        rises *= 0.7
    return {"impact"}, times, 3.0


# ------------------------------------------------------------------ friction


def drill_string() -> Model:
    """A bit on a long string, turned at its top, whose friction falls with its speed: it sticks and slips."""
    q, w = coordinate("q", "rad")
    J, k, c, W, T, d = parameters(
        J=(1.0, "kg m^2"), k=(10.0, "N m"), c=(0.1, "N m s"), W=(2.0, "rad/s"), T=(5.0, "N m"), d=(2.0, "s")
    )
    bit = Contact("bit", slip=w, friction=(1 + exp(-d * jounce.slip)) / 2, load=(), preload=T)
    return Model("drill", [q], [J], [k * (W * time - q) + c * (W - w)], contacts=[bit])


def drill_sticks() -> Expected:
    def torque(t: float, y: Any) -> float:
        return float(10 * (2 * t - y[0]) + 0.1 * (2 - y[1]))

    modes = {
        "stick": (lambda t, y: [0, 0], [(lambda t, y: torque(t, y) - 5, 1, lambda t, y: ("slip", y))]),
        "slip": (
            lambda t, y: [y[1], torque(t, y) - 2.5 * (1 + math.exp(-2 * y[1]))],
            [(lambda t, y: y[1], -1, lambda t, y: ("stick", [y[0], 0.0]))],
        ),
    }
    return {"stick", "slip"}, by_scipy(modes, "stick", [0, 0], 12.0), 1.0


def burridge_knopoff() -> Model:
    """Two blocks of an earthquake fault, pulled slowly, that hold on by a higher friction than they slide with."""
    (a, da), (b, db) = coordinates("a b", "m")
    m, k, c, N, P, V = parameters(
        m=(1.0, "kg"), k=(1.0, "N/m"), c=(1.2, "N/m"), N=(1.0, "N"), P=(1.1, "N"), V=(0.1, "m/s")
    )
    held = {"friction": 0.6, "static_friction": 1, "load": ()}
    contacts = [Contact("one", slip=da, preload=N, **held), Contact("two", slip=db, preload=P, **held)]
    forces = [k * (V * time - a) + c * (b - a), k * (V * time - b) + c * (a - b)]
    return Model("fault", [a, b], [m, m], forces, contacts=contacts)


def fault_slips() -> Expected:
    holds = (1.0, 1.1)

    def force(i: int, t: float, y: Any) -> float:
        return float(0.1 * t - y[2 * i] + 1.2 * (y[2 - 2 * i] - y[2 * i]))

    def rates(signs: tuple[int, ...]) -> Callable[[float, Any], Any]:
        return lambda t, y: [
            part
            for i, s in enumerate(signs)
            for part in ((y[2 * i + 1], force(i, t, y) - s * 0.6 * holds[i]) if s else (0.0, 0.0))
        ]

    def rules(signs: tuple[int, ...]) -> list[Rule]:
        made: list[Rule] = []
        for i, s in enumerate(signs):

            def to(sign: int, i: int = i) -> tuple[int, ...]:
                return tuple(sign if j == i else other for j, other in enumerate(signs))

            if s == 0:
                made += [
                    (
                        lambda t, y, i=i, way=way: force(i, t, y) - way * holds[i],
                        way,
                        lambda t, y, to=to, way=way: (to(way), y),
                    )
                    for way in (1, -1)
                ]
            else:

                def stop(t: float, y: Any, i: int = i, to: Any = to) -> Any:
                    y[2 * i + 1] = 0.0
                    f = force(i, t, y)
                    return to(0 if abs(f) <= holds[i] else int(np.sign(f))), y

                made.append((lambda t, y, i=i: y[2 * i + 1], -s, stop))
        return made

    every = [(r, s) for r in (-1, 0, 1) for s in (-1, 0, 1)]
    modes = {signs: (rates(signs), rules(signs)) for signs in every}
    return {"stick", "slip", "reversal"}, by_scipy(modes, (0, 0), [0, 0, 0.3, 0], 40.0), 30.0


def capsule() -> Model:
    """A capsule that crawls by a mass inside, which hits a sprung plate (Liu, Wiercigroch, Pavlovskaia, Yu 2013)."""
    (a, da), (b, db) = coordinates("a b", "m")
    m, M, k, K, gap, R, F, w, c = parameters(
        m=(1.0, "kg"), M=(2.0, "kg"), k=(1.0, "N/m"), K=(10.0, "N/m"), gap=(0.05, "m"), R=(0.4, "N"), F=(0.6, "N"),
        w=(0.9, "rad/s"), c=(0.1, "N s/m"),
    )  # fmt: skip
    inner = k * (a - b) + c * (da - db)
    contacts = [
        jounce.one_sided_spring("plate", gap - (a - b), stiffness=K),
        Contact("ground", slip=db, friction=1, load=(), preload=R),
    ]
    return Model("capsule", [a, b], [m, M], [F * cos(w * time) - inner, inner], contacts=contacts)


def capsule_steps() -> Expected:
    def pull(y: Any, pressed: int) -> float:
        return float(y[0] - y[2] + 0.1 * (y[1] - y[3]) + pressed * 10 * (y[0] - y[2] - 0.05))

    modes: dict[Any, Any] = {}
    for pressed in (0, 1):
        for s in (-1, 0, 1):

            def rates(t: float, y: Any, pressed: int = pressed, s: int = s) -> Any:
                f = pull(y, pressed)
                rest = (y[3], (f - s * 0.4) / 2) if s else (0.0, 0.0)
                return [y[1], 0.6 * math.cos(0.9 * t) - f, *rest]

            def stop(t: float, y: Any, pressed: int = pressed) -> Any:
                y[3] = 0.0
                f = pull(y, pressed)
                return (pressed, 0 if abs(f) <= 0.4 else int(np.sign(f))), y

            rules: list[Rule] = [
                (
                    lambda t, y: y[0] - y[2] - 0.05,
                    -1 if pressed else 1,
                    lambda t, y, pressed=pressed, s=s: ((1 - pressed, s), y),
                )
            ]
            if s:
                rules.append((lambda t, y: y[3], -s, stop))
            else:
                rules += [
                    (
                        lambda t, y, pressed=pressed, way=way: pull(y, pressed) - way * 0.4,
                        way,
                        lambda t, y, pressed=pressed, way=way: ((pressed, way), y),
                    )
                    for way in (1, -1)
                ]
            modes[(pressed, s)] = (rates, rules)
    rows = {"touch", "separate", "stick", "slip", "reversal"}
    return rows, by_scipy(modes, (0, 0), [0.0, 0, 0, 0], 30.0), 30.0


# ------------------------------------------------------------------ resets


def runner() -> Model:
    """A mass that runs on a sprung leg without mass: the foot's place is a discrete state (Blickhan 1989)."""
    (x, _), (y, _) = coordinates("x y", "m")
    m, g, k, L = parameters(m=(1.0, "kg"), g=(9.81, "m/s^2"), k=(1500.0, "N/m"), L=(1.0, "m"))
    foot, stance = discrete("foot", 0.0, "m"), discrete("stance", 0)
    r = sqrt((x - foot) ** 2 + y**2)
    push = stance * k * (L - r) / r
    lands = Reset(
        y - L * cos(0.35), {foot: x + L * sin(0.35), stance: 1}, direction=-1, only_if=stance < 0.5, name="down"
    )
    leaves = Reset(r - L, {stance: 0}, direction=+1, only_if=stance > 0.5, name="up")
    return Model("runner", [x, y], [m, m], [push * (x - foot), push * y - m * g], resets=[lands, leaves])


def runner_steps() -> Expected:
    x, y, v, w, t, times = 0.0, 1.05, 5.0, 0.0, 0.0, []
    for _ in range(2):
        level = math.cos(0.35)
        falls = (w + math.sqrt(w * w + 2 * 9.81 * (y - level))) / 9.81
        x, y, w, t = x + v * falls, level, w - 9.81 * falls, t + falls
        times.append(t)
        foot = x + math.sin(0.35)

        def rates(t: float, z: Any, foot: float = foot) -> Any:
            r = math.hypot(z[0] - foot, z[1])
            push = 1500 * (1 - r) / r
            return [z[2], z[3], push * (z[0] - foot), push * z[1] - 9.81]

        def stretched(t: float, z: Any, foot: float = foot) -> float:
            return math.hypot(z[0] - foot, z[1]) - 1

        stretched.terminal, stretched.direction = True, 1  # type: ignore[attr-defined]
        stance = solve_ivp(rates, (t, t + 2), [x, y, v, w], "DOP853", rtol=1e-12, atol=1e-13, events=stretched)
        t, (x, y, v, w) = stance.t[-1], stance.y[:, -1]
        times.append(t)
    return {"reset"}, times, 30.0


CASES = {
    "galperin": Case(galperin, {"a": 1.0, "b": 2.0, "d_b": -1.0}, 20.0, galperin_collides),
    "stadium": Case(stadium, {"x": 0.1, "y": 0.2, "d_x": 1.0, "d_y": 0.61}, 12.0, stadium_rays),
    "half oscillator": Case(
        half_oscillator, {"x": 1.0}, 100.0, lambda: ({"impact"}, [math.pi * (k + 0.5) for k in range(32)], 10.0)
    ),
    "drag ball": Case(drag_ball, {"y": 5.0}, 3.2, drag_bounces),
    "asteroid": Case(asteroid, {"y": 1.0, "d_x": 0.5, "d_y": 0.6}, 6.0, asteroid_hops),
    "drill string": Case(drill_string, {}, 12.0, drill_sticks),
    "fault": Case(burridge_knopoff, {"b": 0.3}, 40.0, fault_slips),
    "capsule": Case(capsule, {}, 30.0, capsule_steps),
    "runner": Case(runner, {"y": 1.05, "d_x": 5.0}, 1.2, runner_steps),
}
SCALES = {"as written": (1.0, 1.0, 1.0), "micro": (1e-6, 1e-3, 1e-12), "cosmic": (1e9, 1e4, 1e15)}


@cache
def compiled(name: str) -> jounce.System:
    return jounce.compile_model(CASES[name].model())


@cache
def expected(name: str) -> Expected:
    return CASES[name].expected()


@pytest.mark.parametrize("units", SCALES)
@pytest.mark.parametrize("name", CASES)
def test_a_strangers_machine(name: str, units: str, tmp_path: Path) -> None:
    """Its events are at the times of the reference, at every tolerance, in a run that is saved and gone on with."""
    case, system, by = CASES[name], compiled(name), np.array(SCALES[units])
    of = {**system.model.coordinates, **system.model.velocity_units}
    values = {key: x * factor(system.model.parameters[key].unit, by) for key, x in system.model.defaults.items()}
    start = {key: x * factor(of[key], by) for key, x in case.start.items()}
    kinds, times, growth = expected(name)
    for tolerance in (1e-6, 1e-9, 1e-12):
        first = jounce.simulate(system, start, 0.43 * case.t_end * by[1], tolerance=tolerance, **values)
        first.save(tmp_path / "cut.nc")
        again = jounce.load(tmp_path / "cut.nc")
        run = jounce.simulate(system, again.final, case.t_end * by[1], tolerance=tolerance, **values)
        rows = [
            t for part in (first, run) for t, kind in zip(part.events.t, part.events.kind, strict=True) if kind in kinds
        ]
        found = np.array([t for t in rows if t > 0][: len(times)]) / by[1]
        assert run.status.ok
        assert first.audit("dense").empty
        assert run.audit("dense").empty
        np.testing.assert_allclose(found, times, rtol=0, atol=max(growth * tolerance, 1e-10) * case.t_end)


@pytest.mark.parametrize("name", CASES)
def test_it_is_the_same_to_the_last_bit_in_units_of_powers_of_two(name: str) -> None:
    case, system, by = CASES[name], compiled(name), np.array([2.0**-11, 2.0**7, 2.0**13])
    of = {**system.model.coordinates, **system.model.velocity_units}
    values = {key: x * factor(system.model.parameters[key].unit, by) for key, x in system.model.defaults.items()}
    start = {key: x * factor(of[key], by) for key, x in case.start.items()}
    run = jounce.simulate(system, case.start, case.t_end)
    other = jounce.simulate(system, start, case.t_end * by[1], **values)
    assert (other.events.t / by[1]).tolist() == run.events.t.tolist()
    assert [other.final[key] / factor(of[key], by) for key in of] == [run.final[key] for key in of]
