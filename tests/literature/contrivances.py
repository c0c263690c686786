"""Contrivances: ratchets, cams, flippers, slings, pumps and kicks; resets, discrete states, curves, moving lines."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from sympy import Max, cos, pi, sin

import jounce
from jounce import (
    Body,
    CircleOn,
    Contact,
    Driver,
    EllipseOn,
    Line,
    Model,
    PointOn,
    Reset,
    Revolute,
    Translational,
    contact_between,
    coordinate,
    discrete,
    ground,
    internal,
    parameters,
)  # fmt: skip
from tests.literature.case import Case, Seen
from tests.literature.flights import first_root
from tests.literature.hybrid import integrate

time = jounce.time
near = np.testing.assert_allclose


def trebuchet() -> Model:
    """A beam, a hung weight, and a sling that drags its stone through a trough, lifts it and lets go."""
    m, M, B, g, a, b, h, L, S, long = parameters(
        m=(2.0, "kg"), M=(120.0, "kg"), B=(8.0, "kg"), g=(9.81, "m/s^2"), a=(0.6, "m"), b=(2.4, "m"), h=(0.5, "m"),
        L=(1.8, "m"), S=(2.3, "m"), long=(1e3, "m"),
    )  # fmt: skip
    let_go = discrete("let_go", 0)
    beam = Body("beam", mass=B, inertia=B * (a + b) ** 2 / 12, center=(-0.9 * math.cos(0.8), 1.8 - 0.9 * math.sin(0.8)))
    weight = Body("weight", mass=M, inertia=M * h**2, center=(0.6 * math.cos(0.8), 1.3 + 0.6 * math.sin(0.8)), angle=0)
    tip = (-2.4 * math.cos(0.8), 1.8 - 2.4 * math.sin(0.8))
    x = tip[0] + math.sqrt(2.3**2 - tip[1] ** 2)
    stone = Body("stone", mass=m, inertia=m * h**2, center=(x, 0), angle=0, spin=0)
    lever = beam.point((-(a + b) / 2, 0))
    return Model.from_bodies(
        "trebuchet",
        bodies=[beam, weight, stone],
        joints=[
            Revolute("axle", ground, beam, (0, L), ((b - a) / 2, 0)),
            Revolute("hook", beam, weight, ((a + b) / 2, 0), (0, h)),
        ],
        gravity=g,
        contacts=[
            jounce.rope("sling", lever, stone.point((0, 0)), length=S + long * let_go),
            contact_between("trough", PointOn(stone, (0, 0)), Line(ground)),
        ],
        resets=[Reset(stone.y - lever[1], {let_go: 1}, direction=+1, only_if=let_go < 0.5, name="release")],
    )


def check_trebuchet(seen: Seen) -> None:
    """Angles of the beam and the weight and the stone's place; forces of sling and trough as multipliers."""
    m, M, B, g, a, b, h, L, S = 2.0, 120.0, 8.0, 9.81, 0.6, 2.4, 0.5, 1.8, 2.3
    J, off = B * 9 / 12, 0.9  # the beam's centre lies at -off along it

    def equations(y: Any) -> Any:
        q, p, x, z, w, r, v, u = y
        c, s, C, D = math.cos(q), math.sin(q), math.cos(p), math.sin(p)
        # beam along (c, s) from the axle; the weight's centre at a (c, s) + h (D, -C), p from the vertical
        k = M * a * h * (c * D - s * C)
        A = np.diag([J + B * off**2 + M * a * a, 2 * M * h * h, m, m]).astype(float)
        A[0, 1] = A[1, 0] = k
        f = np.array([
            -M * a * h * (c * C + s * D) * r * r + (B * off - M * a) * g * c,
            M * a * h * (s * D + c * C) * w * w - M * g * h * D, 0.0, -m * g,
        ])  # fmt: skip
        tip, dtip = np.array([-b * c, L - b * s]), b * w * np.array([s, -c])
        d, e = np.array([x, z]) - tip, np.array([v, u]) - dtip
        row = np.array([d[0] * -b * s + d[1] * b * c, 0.0, d[0], d[1]])
        drift = e @ e - d @ (b * w * w * np.array([c, s]))
        return A, f, row, drift

    def solve(y: Any, rows: list[Any], drifts: list[float]) -> Any:
        A, f, _, _ = equations(y)
        k = len(rows)
        if not k:
            return np.linalg.solve(A, f), []
        G = np.array(rows)
        whole = np.block([[A, -G.T], [G, np.zeros((k, k))]])
        found = np.linalg.solve(whole, np.concatenate([f, -np.array(drifts)]))
        return found[:4], found[4:]

    def modes(mode: Any) -> Any:
        def both(y: Any) -> Any:
            _, _, row, drift = equations(y)
            if mode == "drags":
                return solve(y, [row, np.array([0, 0, 0, 1.0])], [drift, 0.0])
            return solve(y, [row] if mode == "swings" else [], [drift] if mode == "swings" else [])

        def rates(t: float, y: Any) -> Any:
            return [*y[4:], *both(y)[0]]

        if mode == "drags":
            return rates, [(lambda t, y: both(y)[1][1], -1, lambda t, y: ("swings", y))]
        if mode == "swings":
            return rates, [(lambda t, y: y[3] - L + b * math.sin(y[0]), 1, lambda t, y: ("flies", y))]
        return rates, []

    x = -b * math.cos(0.8) + math.sqrt(S**2 - (L - b * math.sin(0.8)) ** 2)
    expected = integrate(modes, "drags", [0.8, 0.0, x, 0, 0, 0, 0, 0], 1.1)
    near([seen.times("lift_off", contact="trough")[0], seen.times("reset")[0]], expected.times, rtol=1e-8)
    final = seen.final
    near([final["stone_x"], final["stone_y"]], expected.final[2:4], rtol=1e-6)
    near([final["d_stone_x"], final["d_stone_y"]], expected.final[6:], rtol=1e-6)


def flipper() -> Model:
    """A ball that falls onto a flipper: a line that turns about its pivot, prescribed."""
    m, R, g, A, w, e = parameters(
        m=(0.08, "kg"), R=(0.0135, "m"), g=(1.2, "m/s^2"), A=(0.5, "rad"), w=(12.0, "rad/s"), e=0.7
    )
    ball = Body("ball", mass=m, inertia=0.4 * m * R**2, center=(0.06, 0.15), angle=0)
    angle = -A * cos(w * time)
    arm = Line(ground, (0, 0), (cos(angle), sin(angle)))
    hit = contact_between("flipper", CircleOn(ball, (0, 0), R), arm, restitution=e)
    return Model.from_bodies("flipper", bodies=[ball], gravity=g, contacts=[hit])


def check_flipper(seen: Seen) -> None:
    R, g, A, w, e = 0.0135, 1.2, 0.5, 12.0, 0.7
    p, v, t = np.array([0.06, 0.15]), np.zeros(2), 0.0

    def normal(t: float) -> Any:
        q = -A * math.cos(w * t)
        return np.array([-math.sin(q), math.cos(q)]), np.array([-math.cos(q), -math.sin(q)]) * A * w * math.sin(w * t)

    hits = seen.times("impact")
    assert len(hits) >= 3
    for hit in hits[:6]:
        place = lambda s, p=p, v=v, t=t: p + v * (s - t) - np.array([0, g / 2]) * (s - t) ** 2  # noqa: E731
        now = first_root(lambda s: normal(s)[0] @ place(s) - R, t + 1e-9, 1e-4, t + 5.0)  # noqa: B023
        p, v, t = place(now), v - np.array([0, g]) * (now - t), now
        n, turned = normal(t)
        v = v - (1 + e) * (n @ v + turned @ p) * n
        near(hit, t, atol=1e-9)


def ratchet() -> Model:
    """A wheel that an alternating couple turns forth, and that a pawl holds back: the tooth is a discrete state."""
    q, w = coordinate("q", "rad")
    J, T, load, c, pitch, e = parameters(
        J=(0.1, "kg m^2"), T=(4.0, "N m"), load=(0.6, "N m"), c=(0.05, "N m s"), pitch=(0.2, "rad"), e=0.0
    )
    rate = parameters(rate=(7.0, "rad/s"))[0]
    tooth = discrete("tooth", 0)
    pawl = Contact("pawl", gap=q - tooth * pitch, restitution=e)
    falls = Reset(q - (tooth + 1) * pitch, {tooth: tooth + 1}, direction=+1, name="falls")
    return Model("ratchet", [q], [J], [T * sin(rate * time) - load - c * w], contacts=[pawl], resets=[falls])


def check_ratchet(seen: Seen) -> None:
    def push(t: float) -> float:
        return 4 * math.sin(7 * t) - 0.6

    def modes(mode: Any) -> Any:
        state, tooth = mode
        if state == "held":
            return lambda t, y: [0.0, 0.0], [(lambda t, y: push(t), 1, lambda t, y: (("free", tooth), y))]
        return lambda t, y: [y[1], (push(t) - 0.05 * y[1]) / 0.1], [
            (lambda t, y: y[0] - 0.2 * (tooth + 1), 1, lambda t, y: (("free", tooth + 1), y)),
            (lambda t, y: y[0] - 0.2 * tooth, -1, lambda t, y: (("held", tooth), np.array([0.2 * tooth, 0.0]))),
        ]

    expected = integrate(modes, ("held", 0), [0.0, 0.0], 4.0, 0.05)
    falls = [
        t for t, mode, before in zip(expected.times, expected.modes, [("held", 0), *expected.modes], strict=False)
        if mode[1] > before[1]
    ]  # fmt: skip
    assert len(falls) > 20
    near(seen.times("reset"), falls, atol=1e-8)
    near([seen.final["q"], seen.final["d_q"]], expected.final, atol=1e-7)


def elliptic_cam() -> Model:
    """A flat follower on an elliptic cam that turns too fast: it leaves the cam, falls back and bounces."""
    m, g, w, e = parameters(m=(0.3, "kg"), g=(9.81, "m/s^2"), w=(14.0, "rad/s"), e=0.3)
    a, _b = parameters(a=(0.08, "m"), b=(0.04, "m"))
    cam = Body("cam", mass=m, inertia=m * a**2, center=(0, 0), angle=0)
    plate = Body("plate", mass=m, inertia=m * a**2, center=(0, 0.04))
    return Model.from_bodies(
        "elliptic_cam",
        bodies=[cam, plate],
        joints=[
            Revolute("axle", ground, cam),
            Driver("motor", ground, cam, angle=w * time),
            Translational("guide", ground, plate, axis=(0, 1)),
        ],
        gravity=g,
        contacts=[
            contact_between("cam", EllipseOn(cam, (0, 0), 0.08, 0.04), Line(plate, (0, 0), (-1, 0)), restitution=e)
        ],
    )


def check_elliptic_cam(seen: Seen) -> None:
    """The plate rides on h = sqrt(a^2 sin^2 + b^2 cos^2) of the cam's angle until h'' = -g, and is thrown."""
    a, b, w, g, e = 0.08, 0.04, 14.0, 9.81, 0.3

    def lift(t: float) -> tuple[float, float, float]:
        c, s, k = math.cos(w * t), math.sin(w * t), a * a - b * b
        h = math.sqrt(a * a * s * s + b * b * c * c)
        first = k * s * c / h
        return h, w * first, w * w * (k * (c * c - s * s) / h - first * first / h)

    t = first_root(lambda s: lift(s)[2] + g, 1e-3, 1e-4, 1.0)
    near(seen.times("lift_off")[0], t, rtol=1e-8)
    y, v, _ = lift(t)
    t0 = t
    hits = seen.times("impact")
    assert len(hits) > 4
    for hit in hits[:3]:
        t = first_root(lambda s: y + v * (s - t0) - g / 2 * (s - t0) ** 2 - lift(s)[0], t0 + 1e-4, 1e-4, t0 + 2)  # noqa: B023
        h, rate, _ = lift(t)
        y, v, t0 = h, rate - e * (v - g * (t - t0) - rate), t
        near(hit, t, atol=1e-8)


def chirikov() -> Model:
    """The kicked rotor: the standard map (Chirikov 1979), by resets at the zeros of sin(pi t/T)."""
    q, p = coordinate("q", "rad")
    J, T, K = parameters(J=(1.0, "kg m^2"), T=(1.0, "s"), K=0.8)
    kick = Reset(sin(pi * time / T), {p: p + K / T * sin(q)}, name="kick")
    return Model("chirikov", [q], [J], [0], resets=[kick])


def check_chirikov(seen: Seen) -> None:
    q, p = 1.0, 0.3
    for n in range(1, 201):
        q += p
        p += 0.8 * math.sin(q)
        if n % 40 == 0:
            state = seen.at(n + 0.5)
            near([state["q"], state["d_q"]], [q + p / 2, p], atol=1e-6)
    assert len(seen.times("reset")) == 200


def pump() -> Model:
    """A falling piston over gas that leaks through a valve, onto a stop: adiabatic, the gas an internal state."""
    x, dx = coordinate("x", "m")
    m, g, A, P, H, leak, e = parameters(
        m=(3.0, "kg"),
        g=(9.81, "m/s^2"),
        A=(0.002, "m^2"),
        P=(1e5, "N/m^2"),
        H=(0.2, "m"),
        leak=(2e-7, "m^4 s/kg"),
        e=0.5,
    )
    gas = internal("gas", "N/m^2")  # the pressure; its rate from p V^1.4 and the flow through the valve
    flow = leak * Max(gas - P, 0)
    rates = {gas: -1.4 * gas * (A * dx + flow * P / gas) / (A * x)}
    return Model(
        "pump", [x], [m], [(gas - P) * A - m * g], contacts=[Contact("stop", gap=x - H / 20, restitution=e)],
        rates=rates, start={x: 0.2, gas: 1e5},
    )  # fmt: skip


def check_pump(seen: Seen) -> None:
    def modes(_: Any) -> Any:
        def rates(t: float, y: Any) -> Any:
            x, v, p = y
            flow = 2e-7 * max(p - 1e5, 0.0)
            return [v, ((p - 1e5) * 0.002 - 3 * 9.81) / 3, -1.4 * p * (0.002 * v + flow * 1e5 / p) / (0.002 * x)]

        return rates, [(lambda t, y: y[0] - 0.01, -1, lambda t, y: (0, np.array([0.01, -0.5 * y[1], y[2]])))]

    expected = integrate(modes, 0, [0.2, 0, 1e5], 0.34, 1e-3)
    near(seen.times("impact"), expected.times, atol=1e-8)
    near([seen.final["x"], seen.final["d_x"], seen.final["gas"]], expected.final, rtol=1e-6)


CASES = {
    "trebuchet": Case(trebuchet, 1.1, check_trebuchet),
    "flipper": Case(flipper, 2.0, check_flipper),
    "ratchet": Case(ratchet, 4.0, check_ratchet),
    "chirikov": Case(chirikov, 200.5, check_chirikov, {"q": 1.0, "d_q": 0.3}),
    "pump": Case(pump, 0.34, check_pump),
}
#: A curve has numbers: in the units in which it is written.
AS_WRITTEN = {"elliptic cam": Case(elliptic_cam, 1.0, check_elliptic_cam)}
