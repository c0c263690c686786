"""Billiards, balls and oscillators between impacts: each flight has a closed form, each impact is a map."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import brentq
from sympy import cos, pi, sin, sqrt

import jounce
from jounce import Contact, Model, coordinate, coordinates, internal, parameters
from tests.literature.case import Case, Seen
from tests.literature.hybrid import Motion, integrate

time = jounce.time
near = np.testing.assert_allclose


def first_root(f: Any, start: float, step: float, end: float) -> float:
    """The first time behind ``start`` at which f falls through zero."""
    a = start
    while a < end:
        if f(a) > 0 >= f(a + step):
            return float(brentq(f, a, a + step, xtol=1e-15, rtol=1e-15))
        a += step
    return math.inf


# ------------------------------------------------------------------ gravitational billiards


def wedge() -> Model:
    """A ball between two planes that lean apart (Lehtihet and Miller 1986)."""
    (x, _dx), (y, _dy) = coordinates("x y", "m")
    m, g, half = parameters(m=(1.0, "kg"), g=(9.81, "m/s^2"), half=(0.6, "rad"))
    walls = [Contact(name, gap=y * sin(half) + s * x * cos(half), restitution=1) for name, s in (("l", 1), ("r", -1))]
    return Model("wedge", [x, y], [m, m], [0, -m * g], contacts=walls, potential=m * g * y, start={x: 0.1, y: 1.0})


def check_wedge(seen: Seen) -> None:
    p, v, t = np.array([0.1, 1.0]), np.zeros(2), 0.0
    normals = {"l": np.array([math.cos(0.6), math.sin(0.6)]), "r": np.array([-math.cos(0.6), math.sin(0.6)])}
    fall = np.array([0, -9.81])
    for hit, contact in zip(seen.times("impact"), seen.run.events.contact, strict=True):
        ways = {}
        for name, n in normals.items():
            roots = np.roots([n @ fall / 2, n @ v, n @ p])
            ways[name] = min((r.real for r in roots if abs(r.imag) < 1e-12 and r.real > 1e-7), default=math.inf)
        name = min(ways, key=lambda key: ways[key])
        assert name == contact
        way, n = ways[name], normals[name]
        p, v, t = p + v * way + fall * way**2 / 2, v + fall * way, t + way
        v -= 2 * (n @ v) * n
        near(hit, t, atol=1e-7)
    assert len(seen.times("impact")) > 8


def parabola() -> Model:
    """A ball in a parabolic bowl: integrable (Korsch and Lang 1991)."""
    (x, _dx), (y, _dy) = coordinates("x y", "m")
    m, g, f = parameters(m=(1.0, "kg"), g=(9.81, "m/s^2"), f=(0.5, "m", "focal length"))
    bowl = Contact("bowl", gap=y - x**2 / (4 * f), restitution=1)
    return Model("parabola", [x, y], [m, m], [0, -m * g], contacts=[bowl], potential=m * g * y)


def check_parabola(seen: Seen) -> None:
    p, v, t, f = np.array([0.3, 1.2]), np.array([0.7, 0.0]), 0.0, 0.5
    hits = seen.times("impact")
    assert len(hits) > 20
    for hit in hits:
        a, b, c = -9.81 / 2 - v[0] ** 2 / 2, v[1] - p[0] * v[0], max(p[1] - p[0] ** 2 / 2, 0.0)
        way = (-b - math.sqrt(b * b - 4 * a * c)) / (2 * a)
        p, v, t = p + v * way - np.array([0, 9.81]) * way**2 / 2, v - np.array([0, 9.81]) * way, t + way
        p[1] = p[0] ** 2 / (4 * f)
        n = np.array([-p[0] / (2 * f), 1.0])
        v = v - 2 * (n @ v) / (n @ n) * n
        near(hit, t, rtol=1e-9)


def sinai() -> Model:
    """A point in a square with a disc in its middle."""
    (x, _dx), (y, _dy) = coordinates("x y", "m")
    m, a, R = parameters(m=(1.0, "kg"), a=(1.0, "m"), R=(0.4, "m"))
    gaps = {"e": a - x, "w": a + x, "n": a - y, "s": a + y, "disc": sqrt(x**2 + y**2) - R}
    walls = [Contact(name, gap=gap, restitution=1) for name, gap in gaps.items()]
    return Model("sinai", [x, y], [m, m], [0, 0], contacts=walls)


def check_sinai(seen: Seen) -> None:
    p, v, t = np.array([0.7, 0.3]), np.array([0.83, 0.41]), 0.0
    order = []
    for hit in seen.times("impact"):
        ways = []
        for k in (0, 1):
            side = math.copysign(1.0, v[k])
            ways.append(((side - p[k]) / v[k], "ew"[int(side < 0)] if k == 0 else "ns"[int(side < 0)], np.eye(2)[k]))
        b, c = p @ v, p @ p - 0.16
        if b < 0 and b * b > c * (v @ v):
            way = (-b - math.sqrt(b * b - c * (v @ v))) / (v @ v)
            ways.append((way, "disc", (p + way * v) / 0.4))
        way, name, n = min(ways, key=lambda one: one[0])
        p, t = p + way * v, t + way
        v = v - 2 * (n @ v) * n
        order.append(name)
        near(hit, t, atol=2e-6)
    assert order == seen.run.events.contact.tolist()
    assert order.count("disc") > 2
    assert len(order) > 10


def turning_box() -> Model:
    """A point in a square box that turns: straight lines between walls that come towards it."""
    (x, _dx), (y, _dy) = coordinates("x y", "m")
    m, a, w, e = parameters(m=(1.0, "kg"), a=(1.0, "m"), w=(0.7, "rad/s"), e=0.9)
    walls = [
        Contact(f"wall{k}", gap=a - x * cos(w * time + k * pi / 2) - y * sin(w * time + k * pi / 2), restitution=e)
        for k in range(4)
    ]
    return Model("turning_box", [x, y], [m, m], [0, 0], contacts=walls)


def check_turning_box(seen: Seen) -> None:
    p, v, t = np.array([0.2, 0.1]), np.array([2.0, 1.1]), 0.0

    def normal(t: float, k: int) -> np.ndarray:
        return np.array([math.cos(0.7 * t + k * math.pi / 2), math.sin(0.7 * t + k * math.pi / 2)])

    hits = seen.times("impact")
    assert len(hits) > 7
    for hit, contact in zip(hits, seen.run.events.contact, strict=True):
        gap = [lambda s, k=k, p=p, v=v, t=t: 1 - normal(s, k) @ (p + v * (s - t)) for k in range(4)]
        ways = [first_root(f, t + 1e-9, 1e-3, t + 5.0) for f in gap]
        k = int(np.argmin(ways))
        p, t = p + v * (ways[k] - t), ways[k]
        n, turned = normal(t, k), 0.7 * normal(t, k + 1)
        v = v + 1.9 * (-n @ v - turned @ p) * n
        near(hit, t, atol=1e-8)
        assert contact == f"wall{k}"


def two_balls() -> Model:
    """Two elastic balls, one above the other (Whelan, Goodings and Cannizzo 1990)."""
    (a, _), (b, _) = coordinates("a b", "m")
    m, M, g = parameters(m=(0.3, "kg"), M=(0.7, "kg"), g=(9.81, "m/s^2"))
    contacts = [Contact("floor", gap=a, restitution=1), Contact("pair", gap=b - a, restitution=1)]
    weight = g * (M * a + m * b)
    return Model("two_balls", [a, b], [M, m], [-M * g, -m * g], contacts=contacts, potential=weight)


def check_two_balls(seen: Seen) -> None:
    a, b, v, w, t = 1.0, 1.7, 0.0, 0.0, 0.0
    hits = seen.times("impact")
    assert len(hits) > 15
    for hit in hits:
        floor = (v + math.sqrt(v * v + 2 * 9.81 * max(a, 0.0))) / 9.81
        pair = (b - a) / (v - w) if v > w else math.inf
        way = min(floor, pair)
        a, b = a + v * way - 9.81 * way**2 / 2, b + w * way - 9.81 * way**2 / 2
        v, w, t = v - 9.81 * way, w - 9.81 * way, t + way
        if floor < pair:
            a, v = 0.0, -v
        else:
            c = 0.7 * v + 0.3 * w
            a, v, w = b, 2 * c - v, 2 * c - w
        near(hit, t, atol=1e-6)


# ------------------------------------------------------------------ oscillators


def shaw_holmes() -> Model:
    """A damped, shaken oscillator with a stop on one side (Shaw and Holmes 1983)."""
    x, dx = coordinate("x", "m")
    m, c, k, F, w, d, r = parameters(
        m=(2.0, "kg"), c=(0.4, "N s/m"), k=(50.0, "N/m"), F=(60.0, "N"), w=(7.3, "rad/s"), d=(0.3, "m"), r=0.75
    )
    stop = Contact("stop", gap=d - x, restitution=r)
    forces = [F * cos(w * time) - k * x - c * dx]
    return Model("shaw_holmes", [x], [m], forces, contacts=[stop], period=2 * pi / w, potential=k * x**2 / 2)


def check_shaw_holmes(seen: Seen) -> None:
    w, rate, swing = 7.3, 0.1, math.sqrt(25 - 0.01)
    answer = 60.0 / (50 - 2 * w**2 + 1j * 0.4 * w)

    def flow(t0: float, x0: float, v0: float, t: float) -> tuple[float, float]:
        def steady(s: float) -> tuple[float, float]:
            z = answer * np.exp(1j * w * s)
            return z.real, (1j * w * z).real

        p, q = steady(t0)
        a, b = x0 - p, (v0 - q + rate * (x0 - p)) / swing
        s = t - t0
        free = math.exp(-rate * s) * (a * math.cos(swing * s) + b * math.sin(swing * s))
        speed = math.exp(-rate * s) * (
            (-rate * a + swing * b) * math.cos(swing * s) - (rate * b + swing * a) * math.sin(swing * s)
        )
        p, q = steady(t)
        return free + p, speed + q

    t, x, v = 0.0, 0.1, 0.0
    hits = seen.times("impact")
    assert len(hits) > 15
    for hit in hits:
        t_next = first_root(lambda s: 0.3 - flow(t, x, v, s)[0], t + 1e-7, 1e-3, t + 20)  # noqa: B023
        v = -0.75 * flow(t, x, v, t_next)[1]
        t, x = t_next, 0.3
        near(hit, t, atol=1e-6)


def grazing() -> Model:
    """The square root of Nordmark (1991): what passes the stop by d hits it with sqrt(2 a d)."""
    x, _dx = coordinate("x", "m")
    m, k, d = parameters(m=(1.0, "kg"), k=(4.0, "N/m"), d=(1.0, "m"))
    stop = Contact("stop", gap=d - x, restitution=0.5)
    return Model("grazing", [x], [m], [-k * x], contacts=[stop], potential=k * x**2 / 2, start={x: -1})


def check_grazing(seen: Seen) -> None:
    """It comes back to the amplitude d with the speed with which it has left -d; half of it is left each time."""
    speeds = -seen.run.events.v_n_before.to_numpy() / seen.units.factor("m/s")
    near(speeds[:8] ** 2, 1e-6 * 0.25 ** np.arange(8), atol=1e-10)


def gear_rattle() -> Model:
    """A loose gear with drag between the flanks of a shaken one (Pfeiffer and Kunert 1990)."""
    q, dq = coordinate("q", "rad")
    J, T, c, A, w, j, e = parameters(
        J=(1e-3, "kg m^2"),
        T=(0.05, "N m"),
        c=(2e-3, "N m s"),
        A=(0.02, "rad"),
        w=(60.0, "rad/s"),
        j=(0.02, "rad"),
        e=0.7,
    )
    drive = A * sin(w * time)
    flanks = [
        Contact("front", gap=drive + j / 2 - q, restitution=e),
        Contact("back", gap=q - drive + j / 2, restitution=e),
    ]
    return Model("gear_rattle", [q], [J], [-T - c * dq], contacts=flanks, period=2 * pi / w)


def check_gear_rattle(seen: Seen) -> None:
    t, q, v = 0.0, 0.0, 0.0
    for hit, contact in zip(seen.times("impact")[:25], seen.run.events.contact, strict=False):

        def place(s: float, t: float = t, q: float = q, v: float = v) -> float:
            fade = -math.expm1(-2 * (s - t)) / 2
            return q - 25 * (s - t) + (v + 25) * fade

        gaps = [
            lambda s, place=place: 0.02 * math.sin(60 * s) + 0.01 - place(s),
            lambda s, place=place: place(s) - 0.02 * math.sin(60 * s) + 0.01,
        ]
        ways = [first_root(gap, t + 1e-9, 2e-5, t + 0.5) for gap in gaps]
        k = int(np.argmin(ways))
        now = ways[k]
        wall, v = 1.2 * math.cos(60 * now), (v + 25) * math.exp(-2 * (now - t)) - 25
        q, v, t = place(now), wall - 0.7 * (v - wall), now
        near(hit, t, atol=1e-8)
        assert contact == ("front", "back")[k]


def valve() -> Model:
    """A valve before a reservoir that fills, which hits its seat (Licsko, Champneys and Hos 2009)."""
    x, dx = coordinate("x", "m")
    m, c, k, pre, fill, out, r = parameters(
        m=(1.0, "kg"), c=(1.25, "N s/m"), k=(1.0, "N/m"), pre=(10.0, "N"), fill=(60.0, "N/s"),
        out=(20.0, "N^0.5/m s"), r=0.8,
    )  # fmt: skip
    p = internal("p", "N")
    seat = Contact("seat", gap=x, restitution=r)
    forces = [p - pre - k * x - c * dx]
    rates = {p: fill - out * x * sqrt(p)}
    return Model("valve", [x], [m], forces, contacts=[seat], rates=rates, start={x: 3.0, p: 8.0})


def valve_by_scipy(t_end: float) -> Motion:
    def modes(mode: str) -> Any:
        def rates(t: float, y: Any) -> Any:
            return [y[1], y[2] - 10 - y[0] - 1.25 * y[1], 60 - 20 * y[0] * math.sqrt(abs(y[2]))]

        return rates, [(lambda t, y: y[0], -1, lambda t, y: ("open", np.array([0.0, -0.8 * y[1], y[2]])))]

    return integrate(modes, "open", [3.0, 0.0, 8.0], t_end)


def check_valve(seen: Seen) -> None:
    expected = valve_by_scipy(8.0)
    near(seen.times("impact"), expected.times, atol=1e-7)
    assert len(expected.times) > 2
    near([seen.final["x"], seen.final["d_x"], seen.final["p"]], expected.final, rtol=1e-6, atol=1e-6)


def fermi_ulam() -> Model:
    """An elastic ball between a wall that rests and one that shakes: thousands of impacts, no loss."""
    x, _dx = coordinate("x", "m")
    m, L, A, w = parameters(m=(1.0, "kg"), L=(1.0, "m"), A=(0.01, "m"), w=(1.0, "rad/s"))
    walls = [Contact("shaken", gap=x - A * cos(w * time), restitution=1), Contact("fixed", gap=L - x, restitution=1)]
    return Model("fermi_ulam", [x], [m], [0], contacts=walls, period=2 * pi / w, start={x: 0.5})


def check_fermi_ulam(seen: Seen) -> None:
    t, v, expected = 0.0, 3.7, []
    t = 0.5 / v
    while t < 600:
        expected.append(t)
        way = lambda s, t=t, v=v: 1 - v * (s - t) - 0.01 * math.cos(s)  # noqa: E731
        t = float(brentq(way, t + 0.9 / v, t + 1.1 / v, xtol=1e-15, rtol=1e-15))
        if t > 600:
            break
        expected.append(t)
        v = v - 2 * 0.01 * math.sin(t)  # the wall moves with -A sin t
        t = t + (1 - 0.01 * math.cos(t)) / v
    found = seen.times("impact")
    assert len(found) == len(expected)
    near(found, expected, atol=1e-7)


def tethered() -> Model:
    """Two satellites on a tether without weight: straight lines between jerks, at last a turn about each other."""
    (a, _da), (b, _db) = coordinates("a b", "m")
    (c, _dc), (d, _dd) = coordinates("c d", "m")
    m, M, L, e = parameters(m=(3.0, "kg"), M=(5.0, "kg"), L=(2.0, "m"), e=0.6)
    tether = jounce.rope("tether", (a, b), (c, d), length=L, restitution=e)
    return Model("tethered", [a, b, c, d], [m, m, M, M], [0] * 4, contacts=[tether])


def check_tethered(seen: Seen) -> None:
    r, v, t = np.array([0.4, 0.3]), np.array([1.0, 0.2]), 0.0
    hits = seen.times("impact")
    for hit in hits[:12]:
        b, c = r @ v, r @ r - 4
        way = (-b + math.sqrt(b * b - c * (v @ v))) / (v @ v)
        t, r = t + way, r + v * way
        n = r / 2
        v = v - 1.6 * (v @ n) * n
        near(hit, t, rtol=1e-9)
    spin = (0.4 * 0.2 - 0.3 * 1.0) / 4
    final = seen.final
    r = np.array([final["c"] - final["a"], final["d"] - final["b"]])
    v = np.array([final["d_c"] - final["d_a"], final["d_d"] - final["d_b"]])
    near(r @ r, 4.0, rtol=1e-12)
    near((r[0] * v[1] - r[1] * v[0]) / 4, spin, rtol=1e-10)
    near(np.hypot(*v), 2 * abs(spin), rtol=1e-9)
    near([3 * final["d_a"] + 5 * final["d_c"], 3 * final["d_b"] + 5 * final["d_d"]], [5.0, 1.0], rtol=1e-11)


def throw_feeder() -> Model:
    """A grain on a feeder that is shaken along a slant: it slides, sticks, is thrown and lands."""
    (x, dx), (y, _dy) = coordinates("x y", "m")
    m, g, A, B, w, mu, e = parameters(
        m=(1e-3, "kg"), g=(9.81, "m/s^2"), A=(2e-3, "m"), B=(1.5e-3, "m"), w=(100.0, "rad/s"), mu=0.4, e=0.3
    )
    pan = Contact("pan", gap=y - B * sin(w * time), slip=dx - A * w * cos(w * time), friction=mu, restitution=e)
    return Model("throw_feeder", [x, y], [m, m], [0, -m * g], contacts=[pan], potential=m * g * y, period=2 * pi / w)


def check_throw_feeder(seen: Seen) -> None:
    """By impacts: a flight is a parabola, an impact a point mass's, and bounces below 1e-9 m/s end it."""
    B, w, g, mu, e = 1.5e-3, 100.0, 9.81, 0.4, 0.3
    impacts = seen.times("impact")
    assert len(impacts) > 20
    events = seen.run.events
    rows = events[events.kind == "impact"]
    speed = seen.units.factor("m/s")
    for t, before, after, slip_before, slip_after in zip(
        impacts, rows.v_n_before / speed, rows.v_n_after / speed, rows.v_t_before / speed, rows.v_t_after / speed,
        strict=True,
    ):  # fmt: skip
        pressed = -(1 + e) * before
        near(after, -e * before, atol=1e-9)
        kept = math.copysign(max(abs(slip_before) - mu * pressed, 0.0), slip_before)
        near(slip_after, kept, atol=1e-9)
        near(seen.at(t)["y"], B * math.sin(w * t), atol=1e-11)
    leaves = seen.times("lift_off")
    assert len(leaves)
    # it leaves where the pan's acceleration is -g, to the end of a ride
    for t in leaves:
        near(B * w**2 * math.sin(w * t), g, rtol=1e-6)
    # between a lift-off and the next impact a parabola
    for t in leaves[:5]:
        v, y = B * w * math.cos(w * t), B * math.sin(w * t)
        down = first_root(lambda s: y + v * (s - t) - g * (s - t) ** 2 / 2 - B * math.sin(w * s), t + 1e-3, 1e-5, t + 1)  # noqa: B023
        near(impacts[impacts > t + 1e-4][0], down, atol=1e-8)


CASES = {
    "wedge": Case(wedge, 6.0, check_wedge),
    "parabola": Case(parabola, 30.0, check_parabola, {"x": 0.3, "y": 1.2, "d_x": 0.7}),
    "sinai": Case(sinai, 14.0, check_sinai, {"x": 0.7, "y": 0.3, "d_x": 0.83, "d_y": 0.41}),
    "turning box": Case(turning_box, 9.0, check_turning_box, {"x": 0.2, "y": 0.1, "d_x": 2.0, "d_y": 1.1}),
    "two balls": Case(two_balls, 7.0, check_two_balls, {"a": 1.0, "b": 1.7}),
    "shaw holmes": Case(shaw_holmes, 20.0, check_shaw_holmes, {"x": 0.1}),
    "grazing": Case(grazing, 30.0, check_grazing, {"d_x": 1e-3}),
    "gear rattle": Case(gear_rattle, 0.6, check_gear_rattle),
    "valve": Case(valve, 8.0, check_valve),
    "fermi ulam": Case(fermi_ulam, 600.0, check_fermi_ulam, {"d_x": 3.7}),
    "tethered": Case(tethered, 300.0, check_tethered, {"c": 0.4, "d": 0.3, "d_c": 1.0, "d_d": 0.2}),
    "throw feeder": Case(throw_feeder, 2.0, check_throw_feeder),
}
