"""Machines with joints, resets, springs, ropes and stops: SciPy with the modes by hand, closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.optimize import brentq
from sympy import Heaviside, Piecewise, cos, pi, sin, sqrt

import jounce
from jounce import (
    Body,
    CircleOn,
    Contact,
    Line,
    Model,
    PointOn,
    Reset,
    Revolute,
    Translational,
    contact_between,
    coordinate,
    coordinates,
    ground,
    internal,
    parameters,
)
from tests.literature.case import Case, Seen
from tests.literature.hybrid import integrate

time = jounce.time
near = np.testing.assert_allclose
CHANGES = ("stick", "slip", "reversal")


def cart_pole() -> Model:
    """A pole that falls over on a cart, which runs into the ends of its rails."""
    M, m, L, g, w, e = parameters(M=(2.0, "kg"), m=(0.5, "kg"), L=(1.2, "m"), g=(9.81, "m/s^2"), w=(0.1, "m"), e=0.6)
    cart = Body("cart", mass=M, inertia=M * L**2, center=(0, 0), angle=0, velocity=(0.3, 0), spin=0)
    pole = Body("pole", mass=m, inertia=m * L**2 / 12, angle=1.4, spin=0)
    return Model.from_bodies(
        "cart_pole",
        bodies=[cart, pole],
        joints=[Translational("rail", ground, cart), Revolute("pin", cart, pole, (0, 0), (-L / 2, 0))],
        gravity=g,
        contacts=[
            contact_between("right", PointOn(cart, (0, 0)), Line(ground, (w, 0), (0, 1)), restitution=e),
            contact_between("left", PointOn(cart, (0, 0)), Line(ground, (-w, 0), (0, -1)), restitution=e),
        ],
    )


def check_cart_pole(seen: Seen) -> None:
    M, m, h, g, J = 2.0, 0.5, 0.6, 9.81, 0.5 * 1.44 / 12

    def matrix(q: float) -> Any:
        return np.array([[M + m, -m * h * math.sin(q)], [-m * h * math.sin(q), m * h * h + J]])

    def modes(_: Any) -> Any:
        def rates(t: float, y: Any) -> Any:
            _x, q, v, w = y
            force = [m * h * math.cos(q) * w * w, -m * g * h * math.cos(q)]
            return [v, w, *np.linalg.solve(matrix(q), force)]

        def hit(t: float, y: Any) -> Any:
            push = np.linalg.solve(matrix(y[1]), [1.0, 0.0])
            y[2:] -= 1.6 * y[2] / push[0] * push
            return 0, y

        return rates, [(lambda t, y: 0.1 - y[0], -1, hit), (lambda t, y: y[0] + 0.1, -1, hit)]

    expected = integrate(modes, 0, [0, 1.4, 0.3, 0], 2.0)
    assert len(expected.times) > 4
    near(seen.times("impact")[: len(expected.times)], expected.times, atol=1e-7)
    final = seen.final
    near([final["cart_x"], final["pole_theta"], final["d_cart_x"], final["d_pole_theta"]], expected.final, atol=1e-6)


def truss() -> Model:
    """Von Mises' truss is pressed through its flat position and caught by a damped pad."""
    y, dy = coordinate("y", "m")
    m, k, b, L, F, d, K, c = parameters(
        m=(1.0, "kg"), k=(2000.0, "N/m"), b=(0.5, "m"), L=(0.52, "m"), F=(200.0, "N/s"), d=(0.12, "m"),
        K=(5e4, "N/m"), c=(60.0, "N s/m"),
    )  # fmt: skip
    pad = jounce.one_sided_spring("pad", y + d, stiffness=K, damping=c)
    return Model.from_lagrangian(
        "truss",
        coordinates=[y],
        kinetic=m * dy**2 / 2,
        potential=k * (sqrt(b**2 + y**2) - L) ** 2,
        forces={y: -F * time},
        contacts=[pad],
        start={y: math.sqrt(0.52**2 - 0.25)},
    )


def check_truss(seen: Seen) -> None:
    def bars(y: float) -> float:
        r = math.hypot(0.5, y)
        return -2 * 2000 * (r - 0.52) * y / r

    def modes(pressed: Any) -> Any:
        def pad(y: Any) -> float:
            return float(-5e4 * (y[0] + 0.12) - 60 * y[1])

        def rates(t: float, y: Any) -> Any:
            return [y[1], bars(y[0]) - 200 * t + pressed * pad(y)]

        if pressed:
            return rates, [(lambda t, y: pad(y), -1, lambda t, y: (0, y))]
        return rates, [(lambda t, y: y[0] + 0.12, -1, lambda t, y: (1, y))]

    expected = integrate(modes, 0, [math.sqrt(0.52**2 - 0.25), 0], 1.0, 0.01)
    assert len(expected.times) > 6
    near(seen.times("touch", "separate"), expected.times, atol=1e-7)
    near([seen.final["y"], seen.final["d_y"]], expected.final, atol=1e-7)


def relay() -> Model:
    """An armature that a coil pulls onto its core, past a sprung contact, and that bounces there."""
    x, _dx = coordinate("x", "m")
    m, k, pre, K, c, e = parameters(
        m=(5e-3, "kg"), k=(60.0, "N/m"), pre=(0.5, "N"), K=(800.0, "N/m"), c=(0.2, "N s/m"), e=0.4
    )
    gap, at, U, R, f0 = parameters(
        gap=(1.5e-3, "m"), at=(1.0e-3, "m"), U=(6.0, "1/s"), R=(120.0, "1/s"), f0=(9000.0, "N"),
    )  # fmt: skip
    flux = internal("flux", "")
    contacts = [
        Contact("core", gap=gap - x, restitution=e),
        Contact("rest", gap=x, restitution=e),
        jounce.one_sided_spring("switch", at - x, stiffness=K, damping=c),
    ]
    forces = [f0 * flux**2 - pre - k * x]
    return Model("relay", [x], [m], forces, contacts=contacts, rates={flux: U - R * (1 + 2 * (gap - x) / gap) * flux})


def check_relay(seen: Seen) -> None:
    def modes(mode: Any) -> Any:
        held, pressed = mode

        def spring(y: Any) -> float:
            return float(800 * (y[0] - 1e-3) + 0.2 * y[1])

        def push(y: Any) -> float:
            return float(9000 * y[2] ** 2 - 0.5 - 60 * y[0] - pressed * spring(y))

        def rates(t: float, y: Any) -> Any:
            flux = 6 - 120 * (1 + 2 * (1.5e-3 - y[0]) / 1.5e-3) * y[2]
            return [0, 0, flux] if held else [y[1], push(y) / 5e-3, flux]

        def hit(t: float, y: Any) -> Any:
            y[1] *= -0.4
            return (False, pressed), y

        if held:
            return rates, [(lambda t, y: push(y), 1, lambda t, y: ((False, pressed), y))]
        rules = [(lambda t, y: 1.5e-3 - y[0], -1, hit)]
        if pressed:
            rules.append((lambda t, y: spring(y), -1, lambda t, y: ((False, False), y)))
        else:
            rules.append((lambda t, y: y[0] - 1e-3, 1, lambda t, y: ((False, True), y)))
        return rates, rules

    first = seen.times("impact", "touch", "separate")[:5]
    expected = integrate(modes, (True, False), [0, 0, 0], float(first[-1]) * 1.00001, 1e-4)
    near(first, expected.times[1:6], rtol=1e-7)
    near(seen.times("lift_off")[0], expected.times[0], rtol=1e-9)


def compass() -> Model:
    """The compass walker of Goswami, Thuilot and Espiau (1998) on a slope of 3 degrees."""
    (p, dp), (q, dq) = coordinate("p", "rad"), coordinate("q", "rad")
    m, M, a, b, g, slope = parameters(
        m=(5.0, "kg"), M=(10.0, "kg"), a=(0.5, "m"), b=(0.5, "m"), g=(9.8, "m/s^2"), slope=(math.radians(3), "rad")
    )
    L = a + b
    # p the stance leg, q the swing leg, from the vertical
    kinetic = (m * a**2 + M * L**2 + m * L**2) * dp**2 / 2 + m * b**2 * dq**2 / 2 - m * L * b * cos(p - q) * dp * dq
    potential = g * ((m * a + M * L + m * L) * cos(p) - m * b * cos(q))
    # velocities behind the strike: momentum about the new foot, and about the hip of the new swing leg
    c = cos(p - q)
    whole, leg = (M * L**2 + 2 * m * a * L) * c * dp - m * a * b * (dp + dq), -m * a * b * dp
    behind = -m * L * b * c, m * b**2
    along = m * L**2 + m * a**2 + M * L**2 + behind[0], behind[0] + behind[1]
    det = along[0] * behind[1] - along[1] * behind[0]
    new_p = (whole * behind[1] - along[1] * leg) / det
    new_q = (along[0] * leg - whole * behind[0]) / det
    strike = Reset(
        cos(p + slope) - cos(q + slope), {p: q, q: p, dp: new_p, dq: new_q}, direction=-1, only_if=(p - q) < -0.1,
        name="strike",
    )  # fmt: skip
    return Model.from_lagrangian("compass", coordinates=[p, q], kinetic=kinetic, potential=potential, resets=[strike])


def check_compass(seen: Seen) -> None:
    """SciPy from step to step, each step by the momenta of point masses."""
    m, M, a, b, L, g, slope = 5.0, 10.0, 0.5, 0.5, 1.0, 9.8, math.radians(3)

    def modes(_: Any) -> Any:
        def rates(t: float, y: Any) -> Any:
            p, q, v, w = y
            c, s = math.cos(p - q), math.sin(p - q)
            A = np.array([[m * a * a + (M + m) * L * L, -m * L * b * c], [-m * L * b * c, m * b * b]])
            h = [
                -m * L * b * s * w * w + g * (m * a + M * L + m * L) * math.sin(p),
                m * L * b * s * v * v - m * g * b * math.sin(q),
            ]
            # d/dt(dT/dp') has -m L b (-s)(v - w) w; minus dT/dp = m L b s v w
            h[0] = -m * L * b * s * (v - w) * w + m * L * b * s * v * w + g * (m * a + M * L + m * L) * math.sin(p)
            h[1] = -m * L * b * s * (v - w) * v - m * L * b * s * v * w - m * g * b * math.sin(q)
            return [v, w, *np.linalg.solve(A, h)]

        def strike(t: float, y: Any) -> Any:
            """By momenta of point masses: Cartesian, about the new foot and about the hip."""
            p, q, v, w = y

            def legs(p: float, q: float, v: float, w: float) -> Any:
                """Hip, stance and swing mass from the stance foot: places and velocities; angles from the vertical."""
                # a leg at angle p stands from foot to hip along (-sin p, cos p)
                hip, dhip = np.array([-math.sin(p), math.cos(p)]), v * np.array([-math.cos(p), -math.sin(p)])
                swing = hip - b * np.array([-math.sin(q), math.cos(q)])
                dswing = dhip - b * w * np.array([-math.cos(q), -math.sin(q)])
                return hip, dhip, a * hip, a * dhip, swing, dswing

            cross = lambda r, u: r[0] * u[1] - r[1] * u[0]  # noqa: E731
            hip, dhip, one, done, two, dtwo = legs(p, q, v, w)
            foot = hip - np.array([-math.sin(q), math.cos(q)])
            whole = M * cross(hip - foot, dhip) + m * cross(one - foot, done) + m * cross(two - foot, dtwo)
            leg = m * cross(one - hip, done)
            rows = []
            for unit in ((1.0, 0.0), (0.0, 1.0)):
                hip, dhip, one, done, two, dtwo = legs(q, p, *unit)
                rows.append(
                    [M * cross(hip, dhip) + m * cross(one, done) + m * cross(two, dtwo), m * cross(two - hip, dtwo)]
                )
            v, w = np.linalg.solve(np.array(rows).T, [whole, leg])
            return 0, np.array([q, p, v, w])

        down = lambda t, y: math.cos(y[0] + slope) - math.cos(y[1] + slope) if y[0] - y[1] < -0.1 else 1.0  # noqa: E731
        return rates, [(down, -1, strike)]

    start = compass_start()
    expected = integrate(modes, 0, [start["p"], start["q"], start["d_p"], start["d_q"]], 4.0, 0.01)
    assert len(expected.times) > 3
    near(seen.times("reset")[: len(expected.times)], expected.times, atol=1e-6)


def compass_start() -> dict[str, float]:
    return {"p": 0.2187, "q": -0.3234, "d_p": -1.0918, "d_q": -0.3772}


def housner() -> Model:
    """Housner's (1963) slender block: q'' = p^2 (q - alpha sign q - a(t)/g), and r q' behind q = 0."""
    q, dq = coordinate("q", "rad")
    p, alpha, a, r, w = parameters(p=(2.0, "rad/s"), alpha=(0.2, "rad"), a=(0.25, "rad"), r=0.9, w=(5.0, "rad/s"))
    push = a * sin(w * time) * Heaviside(pi / w - time)
    rock = p**2 * (q - alpha * Piecewise((1, q > 0), (-1, True))) - p**2 * push
    knock = Reset(q, {dq: r * dq}, name="knock")
    return Model("housner", [q], [1], [rock], resets=[knock])


def check_housner(seen: Seen) -> None:
    """It begins with q < 0, where the push is against it; each part is cosh, sinh and the particular part."""
    p, alpha, a, r, w = 2.0, 0.2, 0.25, 0.9, 5.0
    swing = a * p * p / (w * w + p * p)  # of -p^2 a sin(w t): + swing sin(w t)

    def flow(t0: float, q0: float, v0: float, side: float, pushed: bool) -> Any:
        s0, c0 = (swing * math.sin(w * t0), swing * w * math.cos(w * t0)) if pushed else (0.0, 0.0)
        x0, y0 = q0 - side * alpha - s0, (v0 - c0) / p

        def at(t: float) -> tuple[float, float]:
            c, s = math.cosh(p * (t - t0)), math.sinh(p * (t - t0))
            more = (swing * math.sin(w * t), swing * w * math.cos(w * t)) if pushed else (0.0, 0.0)
            return side * alpha + x0 * c + y0 * s + more[0], p * (x0 * s + y0 * c) + more[1]

        return at

    t, q, v, side, times = 0.0, -0.05, 0.0, -1.0, []
    ends = math.pi / w
    while len(times) < 6:
        at = flow(t, q, v, side, t < ends)
        grid = np.linspace(t + 1e-9, ends if t < ends else t + 4.0, 4001)
        values = [at(s)[0] * side for s in grid]
        k = next((k for k in range(4000) if values[k] > 0 >= values[k + 1]), None)
        if k is None:
            if t >= ends:
                break
            q, v = at(ends)
            t = ends
            continue
        t = float(brentq(lambda s: at(s)[0], grid[k], grid[k + 1], xtol=1e-15))  # noqa: B023
        q, v = 0.0, r * at(t)[1]
        side = math.copysign(1.0, v)
        times.append(t)
    assert len(times) > 2
    near(seen.times("reset")[: len(times)], times, atol=1e-9)


def tilting_plane() -> Model:
    """A disc on a plane that tilts steadily: it rolls until tan = 3 mu, and slides behind."""
    m, R, g, w, mu = parameters(m=(1.5, "kg"), R=(0.1, "m"), g=(9.81, "m/s^2"), w=(0.25, "rad/s"), mu=0.2)
    disc = Body("disc", mass=m, inertia=m * R**2 / 2, center=(0, 0.1), angle=0)
    touch = contact_between("plane", CircleOn(disc, (0, 0), R), Line(ground), friction=mu)
    return Model.from_bodies(
        "tilting_plane", bodies=[disc], gravity=(g * sin(w * time), -g * cos(w * time)), contacts=[touch]
    )


def check_tilting_plane(seen: Seen) -> None:
    slips = math.atan(0.6) / 0.25
    near(seen.times("slip"), [slips], rtol=1e-9)
    rolled = 2 / 3 * 9.81 / 0.25 * (1 - math.cos(0.25 * slips))
    near(seen.at(slips)["d_disc_x"], rolled, rtol=1e-9)
    end = 3.5
    slid = (
        9.81
        / 0.25
        * (math.cos(0.25 * slips) - math.cos(0.25 * end) - 0.2 * (math.sin(0.25 * end) - math.sin(0.25 * slips)))
    )
    near(seen.final["d_disc_x"], rolled + slid, rtol=1e-9)


def clackers() -> Model:
    """Two balls on strings from a hand that goes up and down; they clack below and above it."""
    (a, _da), (b, _db) = coordinate("a", "rad"), coordinate("b", "rad")
    m, M, L, g, A, w, d, e = parameters(
        m=(0.1, "kg"),
        M=(0.13, "kg"),
        L=(0.2, "m"),
        g=(9.81, "m/s^2"),
        A=(0.03, "m"),
        w=(15.0, "rad/s"),
        d=(0.2, "rad"),
        e=0.9,
    )
    pull = g - A * w**2 * sin(w * time)
    return Model(
        "clackers",
        [a, b],
        [m * L**2, M * L**2],
        [-m * L * pull * sin(a), -M * L * pull * sin(b)],
        contacts=[
            Contact("below", gap=a - b - d, restitution=e),
            Contact("above", gap=2 * pi - d - a + b, restitution=e),
        ],
    )


def check_clackers(seen: Seen) -> None:
    def modes(_: Any) -> Any:
        def rates(t: float, y: Any) -> Any:
            pull = (9.81 - 0.03 * 225 * math.sin(15 * t)) / 0.2
            return [y[1], -pull * math.sin(y[0]), y[3], -pull * math.sin(y[2])]

        def hit(t: float, y: Any) -> Any:
            p = -1.9 * (y[1] - y[3]) / (1 / 0.1 + 1 / 0.13)
            y[1] += p / 0.1
            y[3] -= p / 0.13
            return 0, y

        return rates, [
            (lambda t, y: y[0] - y[2] - 0.2, -1, hit),
            (lambda t, y: 2 * math.pi - 0.2 - y[0] + y[2], -1, hit),
        ]

    expected = integrate(modes, 0, [1.0, 9.5, -0.9, -9.0], 5.0)
    assert len(expected.times) > 5
    near(seen.times("impact"), expected.times, atol=1e-6)


def wagons() -> Model:
    """Four wagons with slack couplings, and a brake on the last: one push runs through them and back."""
    names = coordinates("a b c d", "m")
    q, u = [x for x, _ in names], [v for _, v in names]
    m, M, s, e, B = parameters(m=(10e3, "kg"), M=(16e3, "kg"), s=(0.08, "m"), e=0.35, B=(4e3, "N"))
    masses = [m, M, m, M]
    contacts = []
    for k in range(3):
        contacts.append(Contact(f"buffer{k}", gap=q[k + 1] - q[k], restitution=e))
        contacts.append(Contact(f"hook{k}", gap=q[k] + s - q[k + 1], restitution=e))
    contacts.append(Contact("brake", slip=u[3], friction=1, load=(), preload=B))
    return Model("wagons", q, masses, [0] * 4, contacts=contacts, start={x: 0.05 * k for k, x in enumerate(q)})


def check_wagons(seen: Seen) -> None:
    m = [10e3, 16e3, 10e3, 16e3]
    x, v, t, times = [0.05 * k for k in range(4)], [1.5, 0.0, 0.0, 0.0], 0.0, []
    slow = 4e3 / 16e3
    while len(times) < 25:
        best = (math.inf, 0, 0)
        a3 = -math.copysign(slow, v[3]) if v[3] != 0 else 0.0
        acc = [0.0, 0.0, 0.0, a3]
        if v[3] != 0:
            best = (abs(v[3]) / slow, -1, 0)
        for k in range(3):
            gap, rate, bend = x[k + 1] - x[k], v[k + 1] - v[k], acc[k + 1] - acc[k]
            for side, g0, r0, b0 in ((0, gap, rate, bend), (1, 0.08 - gap, -rate, -bend)):
                g0 = max(g0, 0.0) if g0 > 1e-13 else 0.0
                roots = [
                    r.real
                    for r in np.roots([b0 / 2, r0, g0] if b0 else [r0, g0] if r0 else [1.0])
                    if abs(r.imag) < 1e-12
                ]
                ahead = [r for r in roots if r > 1e-12 and r0 + b0 * r < 0]
                if ahead and min(ahead) < best[0]:
                    best = (min(ahead), k, side)
        way, k, side = best
        if not math.isfinite(way):
            break
        for i in range(4):
            x[i] += v[i] * way + acc[i] * way**2 / 2
            v[i] += acc[i] * way
        t += way
        if k < 0:
            v[3] = 0.0
            continue
        times.append(t)
        p = -1.35 * (v[k + 1] - v[k]) / (1 / m[k + 1] + 1 / m[k])
        v[k] -= p / m[k]
        v[k + 1] += p / m[k + 1]
    near(seen.times("impact")[:12], times[:12], atol=1e-9)


def kapitza() -> Model:
    """Kapitza's pendulum, held up by its fast pivot, that a stop beside the top throws back: 500 shakes in a swing."""
    q, _dq = coordinate("q", "rad")
    m, L, g, A, w, stop, e = parameters(
        m=(0.2, "kg"), L=(0.3, "m"), g=(9.81, "m/s^2"), A=(0.01, "m"), w=(900.0, "rad/s"), stop=(0.1, "rad"), e=0.8
    )
    pull = g - A * w**2 * sin(w * time)
    return Model(
        "kapitza", [q], [m * L**2], [m * L * pull * sin(q)], contacts=[Contact("stop", gap=stop - q, restitution=e)]
    )


def check_kapitza(seen: Seen) -> None:
    def modes(_: Any) -> Any:
        def hit(t: float, y: Any) -> Any:
            y[1] *= -0.8
            return 0, y

        return (
            lambda t, y: [y[1], (9.81 - 0.01 * 900**2 * math.sin(900 * t)) / 0.3 * math.sin(y[0])],
            [(lambda t, y: 0.1 - y[0], -1, hit)],
        )

    expected = integrate(modes, 0, [-0.2, 0.0], 0.6, 5e-4)
    assert len(expected.times) > 2
    near(seen.times("impact"), expected.times, atol=2e-7)
    near([seen.final["q"], seen.final["d_q"]], expected.final, atol=1e-4)


def elevator() -> Model:
    """A lift and its counterweight on a rope over two pulleys; the lift's brake grips, and the counterweight hops."""
    (a, da), (b, _) = coordinates("a b", "m")
    m, M, g, B, T = parameters(m=(900.0, "kg"), M=(700.0, "kg"), g=(9.81, "m/s^2"), B=(40e3, "N"), T=(2.0, "s"))
    H, W, L = parameters(H=(30.0, "m"), W=(2.0, "m"), L=(42.0, "m"))
    line = jounce.rope("line", (0, a), (W, b), length=L, over=[(0, H), (W, H)])
    brake = Contact("brake", slip=da, friction=1, load=(), preload=B * Heaviside(time - T))
    return Model("elevator", [a, b], [m, M], [-m * g, -M * g], contacts=[line, brake], start={a: 20.0, b: 0.0})


def check_elevator(seen: Seen) -> None:
    """(30 - a) + 2 + (30 - b) = 42: taut from the start, with a = 20, b = 0."""
    g, m, M, B = 9.81, 900.0, 700.0, 40e3
    v = (m - M) * g / (m + M) * 2.0
    low, high = 20 - v, v
    slows = (B - m * g) / m
    assert slows > g  # so that the rope is slack
    near(seen.times("lift_off"), [2.0], rtol=1e-12)
    stop = 2 + v / slows
    low -= v**2 / (2 * slows)
    # the counterweight: high + v s - g s^2/2; taut again where b = 20 - a
    s = (v + math.sqrt(v * v + 2 * g * (high - (20 - low)))) / g
    jerk = seen.times("impact")[0]
    near(jerk, 2 + s, rtol=1e-9)
    assert stop < jerk
    near(seen.times("stick")[0], stop, rtol=1e-10)
    fall = v - g * s
    near(seen.at(jerk)["d_a"], -fall * M / (m + M), rtol=1e-9)


CASES = {
    "cart pole": Case(cart_pole, 2.0, check_cart_pole),
    "truss": Case(truss, 1.0, check_truss),
    "relay": Case(relay, 0.06, check_relay),
    "compass": Case(compass, 4.0, check_compass, compass_start()),
    "housner": Case(housner, 4.2, check_housner, {"q": -0.05}),
    "tilting plane": Case(tilting_plane, 3.5, check_tilting_plane),
    "clackers": Case(clackers, 5.0, check_clackers, {"a": 1.0, "b": -0.9, "d_a": 9.5, "d_b": -9.0}),
    "wagons": Case(wagons, 8.0, check_wagons, {"d_a": 1.5}),
    "kapitza": Case(kapitza, 0.6, check_kapitza, {"q": -0.2}),
    "elevator": Case(elevator, 4.0, check_elevator),
}
