"""Machines that stick and slip: closed forms, and SciPy with the modes by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipj, ellipkinc
from sympy import Heaviside, Max, Piecewise, cos, exp, sin

import jounce
from jounce import (
    Body,
    CircleOn,
    Contact,
    Line,
    Model,
    PointOn,
    PolygonOn,
    contact_between,
    coordinate,
    coordinates,
    ground,
    parameters,
)
from tests.literature.case import Case, Seen
from tests.literature.hybrid import integrate, sliders

time = jounce.time
near = np.testing.assert_allclose
CHANGES = ("stick", "slip", "reversal")


# ------------------------------------------------------------------ oscillators that rub


def popp_stelter() -> Model:
    """Two masses in a row of springs on one belt, with friction that falls (Popp and Stelter 1990)."""
    (a, da), (b, db) = coordinates("a b", "m")
    m, M, k, K, N, v, fade = parameters(
        m=(1.0, "kg"), M=(1.3, "kg"), k=(10.0, "N/m"), K=(6.0, "N/m"), N=(10.0, "N"), v=(0.4, "m/s"), fade=(1.5, "s/m")
    )
    mu = 0.2 + 0.3 * exp(-fade * jounce.slip)
    contacts = [
        Contact("one", slip=da - v, friction=mu, load=(), preload=N),
        Contact("two", slip=db - v, friction=mu, load=(), preload=N),
    ]
    return Model("popp_stelter", [a, b], [m, M], [-k * a - K * (a - b), -k * b - K * (b - a)], contacts=contacts)


def check_popp_stelter(seen: Seen) -> None:
    def force(i: int, t: float, y: Any) -> float:
        return float(-10 * y[2 * i] - 6 * (y[2 * i] - y[2 - 2 * i]))

    modes = sliders(force, [1.0, 1.3], lambda i, t: 5.0, lambda i, t, v: 2 + 3 * math.exp(-1.5 * v), lambda t: 0.4)
    expected = integrate(modes, (-1, -1), [0, 0, 0.3, 0], 12.0)
    found = seen.times(*CHANGES)
    assert len(expected.times) > 8
    near(found, expected.times, atol=1e-7)
    near([seen.final[name] for name in ("a", "d_a", "b", "d_b")], expected.final, atol=1e-7)


def chimney() -> Model:
    """A chimney's mode with a pendulum that rubs in its joint (a damper of Pfeiffer's kind)."""
    x, dx = coordinate("x", "m")
    q, dq = coordinate("q", "rad")
    M, m, L, k, g, F, w, C = parameters(
        M=(1000.0, "kg"), m=(50.0, "kg"), L=(1.5, "m"), k=(6000.0, "N/m"), g=(9.81, "m/s^2"), F=(200.0, "N"),
        w=(2.4, "rad/s"), C=(30.0, "N m"),
    )  # fmt: skip
    return Model.from_lagrangian(
        "chimney",
        coordinates=[x, q],
        kinetic=(M + m) * dx**2 / 2 + m * L**2 * dq**2 / 2 + m * L * cos(q) * dx * dq,
        potential=k * x**2 / 2 - m * g * L * cos(q),
        forces={x: F * cos(w * time)},
        contacts=[Contact("joint", slip=L * dq, friction=1, load=(), preload=C / L)],
    )


def check_chimney(seen: Seen) -> None:
    M, m, L, k, g, F, w, C = 1000.0, 50.0, 1.5, 6000.0, 9.81, 200.0, 2.4, 30.0

    def held(t: float, y: Any) -> float:
        along = (F * math.cos(w * t) - k * y[0]) / (M + m)
        return -m * g * L * math.sin(y[2]) - m * L * math.cos(y[2]) * along

    def modes(s: Any) -> Any:
        def rates(t: float, y: Any) -> Any:
            x, v, q, r = y
            if s == 0:
                return [v, (F * math.cos(w * t) - k * x) / (M + m), 0.0, 0.0]
            A = np.array([[M + m, m * L * math.cos(q)], [m * L * math.cos(q), m * L * L]])
            h = [F * math.cos(w * t) - k * x + m * L * math.sin(q) * r * r, -m * g * L * math.sin(q) - s * C]
            a, b = np.linalg.solve(A, h)
            return [v, a, r, b]

        def stop(t: float, y: Any) -> Any:
            y[3] = 0.0
            f = held(t, y)
            return (0 if abs(f) <= C else (1 if f > 0 else -1)), y

        if s:
            return rates, [(lambda t, y: y[3], -s, stop)]
        return rates, [
            (lambda t, y, way=way: held(t, y) - way * C, way, lambda t, y, way=way: (way, y)) for way in (1, -1)
        ]

    expected = integrate(modes, 0, [0.05, 0, 0, 0], 25.0)
    assert len(expected.times) > 10
    near(seen.times(*CHANGES), expected.times, atol=1e-7)
    near([seen.final[name] for name in ("x", "d_x", "q", "d_q")], expected.final, atol=1e-7)


def piezo() -> Model:
    """A slider on a stage that goes forth slowly and back at once (Pohl 1987)."""
    x, dx = coordinate("x", "m")
    m, g, mu, v, w = parameters(
        m=(2e-3, "kg"), g=(9.81, "m/s^2"), mu=0.15, v=(1e-3, "m/s"), w=(2000 * math.pi, "rad/s")
    )
    stage = v * Piecewise((1, sin(w * time) > -0.5), (-2, True))
    return Model(
        "piezo", [x], [m], [0], contacts=[Contact("stage", slip=dx - stage, friction=mu, load=(), preload=m * g)]
    )


def check_piezo(seen: Seen) -> None:
    """Constant accelerations between the jumps; forth for 2/3 of a period, back for 1/3."""
    T, a, v, x, t = 1e-3, 0.15 * 9.81, 0.0, 0.0, 0.0
    jumps = sorted([T * (7 / 12 + k) for k in range(20)] + [T * (11 / 12 + k) for k in range(20)])
    stage = 1e-3
    for end in [*(j for j in jumps if j < 0.0195), 0.0195]:
        span = end - t
        way = math.copysign(1.0, stage - v)
        reach = abs(stage - v) / a
        if reach < span:
            x += v * reach + way * a * reach**2 / 2 + stage * (span - reach)
            v = stage
        else:
            x += v * span + way * a * span**2 / 2
            v += way * a * span
        t, stage = end, -2e-3 if stage > 0 else 1e-3
    near([seen.final["x"], seen.final["d_x"]], [x, v], rtol=1e-9)


def tablecloth() -> Model:
    """A plate on a cloth that is pulled away: onto the table behind the cloth's end."""
    x, dx = coordinate("x", "m")
    m, g, a, L, mu, table = parameters(
        m=(0.4, "kg"), g=(9.81, "m/s^2"), a=(12.0, "m/s^2"), L=(0.3, "m"), mu=0.2, table=0.45
    )
    end = a * time**2 / 2 - L
    on = Heaviside(x - end)
    rub = Contact("rub", slip=dx - a * time * on, friction=table + (mu - table) * on, load=(), preload=m * g)
    return Model("tablecloth", [x], [m], [0], contacts=[rub])


def check_tablecloth(seen: Seen) -> None:
    off = math.sqrt(0.6 / (12 - 0.2 * 9.81))
    v = 0.2 * 9.81 * off
    stop = off + v / (0.45 * 9.81)
    near(seen.times("reversal"), [off], rtol=1e-10)
    near(seen.times("stick"), [stop], rtol=1e-10)
    near(seen.final["x"], v * off / 2 + v**2 / (2 * 0.45 * 9.81), rtol=1e-10)


def clutch() -> Model:
    """Two flywheels that a clutch brings to one speed while its pressure grows."""
    (a, da), (b, db) = coordinates("a b", "rad")
    J, K, r, mu, rise = parameters(J=(0.2, "kg m^2"), K=(0.5, "kg m^2"), r=(0.1, "m"), mu=0.3, rise=(400.0, "N/s"))
    disc = Contact("disc", slip=r * (da - db), friction=mu, load=(), preload=rise * time)
    return Model("clutch", [a, b], [J, K], [0, 0], contacts=[disc])


def check_clutch(seen: Seen) -> None:
    lock = math.sqrt(2 * 100.0 / ((1 / 0.2 + 1 / 0.5) * 0.1 * 0.3 * 400))
    near(seen.times("stick"), [lock], rtol=1e-10)
    common = 0.2 * 100 / 0.7
    near([seen.final["d_a"], seen.final["d_b"]], [common, common], rtol=1e-11)
    turned = 0.1 * 0.3 * 400 / 6 * lock**3
    near(seen.final["b"], turned / 0.5 + common * (3.0 - lock), rtol=1e-10)


def centrifugal_clutch() -> Model:
    """A drum that shoes take along once they are fast enough to overcome their springs."""
    q, dq = coordinate("q", "rad")
    J, m, r, F, mu, a = parameters(
        J=(0.05, "kg m^2"), m=(0.2, "kg"), r=(0.08, "m"), F=(100.0, "N"), mu=0.35, a=(40.0, "rad/s^2")
    )
    shoe = Contact("shoe", slip=r * (dq - a * time), friction=mu, load=(), preload=Max(0, m * r * (a * time) ** 2 - F))
    return Model("centrifugal_clutch", [q], [J], [0], contacts=[shoe])


def check_centrifugal_clutch(seen: Seen) -> None:
    begin = math.sqrt(100 / (0.2 * 0.08)) / 40
    force = 0.2 * 0.08 * 1600
    speed = lambda t: 0.35 * 0.08 / 0.05 * (force * (t**3 - begin**3) / 3 - 100 * (t - begin))  # noqa: E731
    lock = float(brentq(lambda t: speed(t) - 40 * t, begin + 0.1, 9.0))
    near(seen.times("stick"), [lock], rtol=1e-9)
    near(seen.at(0.9 * lock)["d_q"], speed(0.9 * lock), rtol=1e-9)
    near(seen.final["d_q"], 40 * 10.0, rtol=1e-11)


# ------------------------------------------------------------------ bodies that roll and slide


def loop() -> Model:
    """A block in a loop with friction, too slow to pass the top."""
    m, J, R, g = parameters(m=(0.5, "kg"), J=(1e-3, "kg m^2"), R=(2.0, "m"), g=(9.81, "m/s^2"))
    block = Body("block", mass=m, inertia=J, center=(0, -2), velocity=(8.8, 0), angle=0, spin=0)
    ring = CircleOn(ground, (0, 0), R, inside=True)
    touch = contact_between("loop", PointOn(block, (0, 0)), ring, friction=0.1, restitution=0.4)
    return Model.from_bodies("loop", bodies=[block], gravity=g, contacts=[touch])


def check_loop(seen: Seen) -> None:
    """d(v^2)/dq = -2 g R sin q - 2 mu (v^2 + g R cos q) from the bottom on, until v^2 = -g R cos q."""
    g, R, mu = 9.81, 2.0, 0.1
    p = 1 + 4 * mu * mu
    along = lambda q: 2 * g * R / p * ((1 - 2 * mu**2) * math.cos(q) - 3 * mu * math.sin(q))  # noqa: E731
    square = lambda q: along(q) + (8.8**2 - along(0)) * math.exp(-2 * mu * q)  # noqa: E731
    leaves = float(brentq(lambda q: square(q) + g * R * math.cos(q), 1.6, 3.1))
    t = seen.times("lift_off")[0]
    state = seen.at(t)
    near(math.atan2(state["block_x"], -state["block_y"]), leaves, rtol=1e-9)
    near(math.hypot(state["d_block_x"], state["d_block_y"]), math.sqrt(square(leaves)), rtol=1e-9)
    v = state["d_block_x"], state["d_block_y"]
    # a parabola meets the circle which it leaves osculating where three roots are the beginning
    quartic = np.roots([g * g / 4, -v[1] * g, v[0] ** 2 + v[1] ** 2 - state["block_y"] * g, 0, 0])
    lands = max(r.real for r in quartic if abs(r.imag) < 1e-6)
    near(seen.times("impact")[0] - t, lands, rtol=1e-7)


def disc_off_an_edge() -> Model:
    """A disc that rolls over a sharp edge: it slips before it leaves."""
    m, R, g, W = parameters(m=(2.0, "kg"), R=(0.25, "m"), g=(9.81, "m/s^2"), W=(2.0, "m"))
    center = (0.25 * math.sin(0.05), 0.25 * math.cos(0.05))
    disc = Body("disc", mass=m, inertia=m * R**2 / 2, center=center, angle=0)
    block = PolygonOn(ground, [(-W, -W), (0, -W), (0, 0), (-W, 0)])
    touch = contact_between("edge", CircleOn(disc, (0, 0), R), block, friction=0.6)
    return Model.from_bodies("disc_off_an_edge", bodies=[disc], gravity=g, contacts=[touch])


def check_disc_off_an_edge(seen: Seen) -> None:
    g, r, mu = 9.81, 0.25, 0.6
    square = lambda q: 4 / 3 * g / r * (math.cos(0.05) - math.cos(q))  # noqa: E731
    slips = float(brentq(lambda q: g * math.sin(q) / 3 - mu * (g * math.cos(q) - r * square(q)), 0.06, 0.9))
    t = seen.times("slip")[0]
    state = seen.at(t)
    near(math.atan2(state["disc_x"], state["disc_y"]), slips, rtol=1e-8)
    pressed = lambda t, y: g * math.cos(y[0]) - r * y[1] ** 2  # noqa: E731
    pressed.terminal = True  # type: ignore[attr-defined]

    def rates(t: float, y: Any) -> Any:
        return [y[1], (g * math.sin(y[0]) - mu * pressed(t, y)) / r, -2 * mu * pressed(t, y) / r]

    found = solve_ivp(
        rates, (0, 1), [slips, math.sqrt(square(slips)), -math.sqrt(square(slips))], "DOP853", rtol=1e-12, atol=1e-13,
        events=pressed,
    )  # fmt: skip
    near(seen.times("lift_off")[0] - t, found.t[-1], rtol=1e-6)
    near(seen.at(seen.times("lift_off")[0])["d_disc_theta"], found.y[2, -1], rtol=1e-7)


def littlewood() -> Model:
    """A hoop with a weight on its rim: it slips, and hops (Littlewood 1953; Pritchett 1999)."""
    m, J, R, b, g = parameters(m=(1.0, "kg"), J=(0.3, "kg m^2"), R=(1.0, "m"), b=(0.8, "m"), g=(9.81, "m/s^2"))
    hoop = Body("hoop", mass=m, inertia=J, center=(0, 1.8), angle=0, velocity=(0.9, 0), spin=-0.5)
    touch = contact_between("floor", CircleOn(hoop, (0, -b), R), Line(ground), friction=0.5, restitution=0.2)
    return Model.from_bodies("littlewood", bodies=[hoop], gravity=g, contacts=[touch])


def check_littlewood(seen: Seen) -> None:
    g, b, mu, inertia = 9.81, 0.8, 0.5, 0.3

    def accelerations(q: float, w: float) -> tuple[float, float, float]:
        """(q'', T, N) while it rolls; q clockwise."""
        M = inertia + (1 + b * math.cos(q)) ** 2 + (b * math.sin(q)) ** 2
        a = (b * math.sin(q) * w * w + g * b * math.sin(q)) / M
        along = (1 + b * math.cos(q)) * a - b * math.sin(q) * w * w
        up = -b * math.sin(q) * a - b * math.cos(q) * w * w
        return a, along, g + up

    def rolls(t: float, y: Any) -> Any:
        return [y[1], accelerations(*y)[0]]

    limits = []
    for way in (1, -1):
        limit = lambda t, y, way=way: mu * accelerations(*y)[2] - way * accelerations(*y)[1]  # noqa: E731
        limit.terminal = True  # type: ignore[attr-defined]
        limits.append(limit)
    found = solve_ivp(rolls, (0, 20), [0.0, 0.5], "DOP853", rtol=1e-12, atol=1e-13, events=limits)
    way = 1 if len(found.t_events[0]) else -1  # friction along +x or -x
    t = seen.times("slip")[0]
    near(t, found.t[-1], rtol=1e-8)
    state = seen.at(t)
    near(-state["d_hoop_theta"], found.y[1, -1], rtol=1e-8)

    def slides(s: float, y: Any) -> Any:
        q, w, _x, v = y
        # N from y'' = N - g = -b sin q q'' - b cos q w^2 and I q'' = N b sin q - T (1 + b cos q), T = way mu N
        arm = b * math.sin(q) - way * mu * (1 + b * math.cos(q))
        N = (g - b * math.cos(q) * w * w) / (1 + b * math.sin(q) * arm / inertia)
        return [w, N * arm / inertia, v, way * mu * N]

    def pressed(s: float, y: Any) -> float:
        return float(g - b * math.cos(y[0]) * y[1] ** 2)

    pressed.terminal = True  # type: ignore[attr-defined]
    q, w = found.y[:, -1]
    rest = solve_ivp(
        slides, (t, t + 3), [q, w, 0, (1 + b * math.cos(q)) * w], "DOP853", rtol=1e-12, atol=1e-13, events=pressed
    )
    later = seen.times()[seen.times() > t + 1e-9][0]
    until = min(later, rest.t[-1])
    near(until, later, rtol=1e-6)
    behind = solve_ivp(slides, (t, until), [q, w, 0, (1 + b * math.cos(q)) * w], "DOP853", rtol=1e-12, atol=1e-13)
    near(-seen.at(until, side="left")["d_hoop_theta"], behind.y[1, -1], rtol=1e-6)


def two_wedges() -> Model:
    """A block that slides down a wedge which slides away on the floor, with friction at both."""
    (X, dX), (Y, dY), (x, dx), (y, dy) = coordinates("X Y x y", "m")
    M, m, g, slope, mu, nu = parameters(
        M=(4.0, "kg"), m=(1.5, "kg"), g=(9.81, "m/s^2"), slope=(0.7, "rad"), mu=0.05, nu=0.15
    )
    n, t = (sin(slope), cos(slope)), (cos(slope), -sin(slope))
    contacts = [
        Contact("floor", gap=Y, slip=dX, friction=mu),
        Contact("face", gap=(x - X) * n[0] + (y - Y) * n[1], slip=(dx - dX) * t[0] + (dy - dY) * t[1], friction=nu),
    ]
    return Model("two_wedges", [X, Y, x, y], [M, M, m, m], [0, -M * g, 0, -m * g], contacts=contacts)


def check_two_wedges(seen: Seen) -> None:
    M, m, g, s, mu, nu = 4.0, 1.5, 9.81, 0.7, 0.05, 0.15
    n, t = np.array([math.sin(s), math.cos(s)]), np.array([math.cos(s), -math.sin(s)])
    f = n - nu * t  # on the block, of a unit normal force; unknown: A of the wedge, a_t relative, N of the face
    # m (A ex + a t) = N f - m g ey;  M A = -N f_x + mu (M g + N f_y), the wedge goes to the left
    matrix = np.array([[m, m * t[0], -f[0]], [0, m * t[1], -f[1]], [M, 0, f[0] - mu * f[1]]])
    A, a, N = np.linalg.solve(matrix, [0, -m * g, mu * M * g])
    assert N > 0 > A
    final = seen.final
    near([final["d_X"], final["X"]], [A * 0.5, A / 8], rtol=1e-10)
    near(final["x"], (A + a * t[0]) / 8, rtol=1e-10)
    near(final["y"], a * t[1] / 8, rtol=1e-10)
    forces = seen.run.contact_forces([0.3 * seen.units.time])["lambda_N"].values[0] / seen.units.factor("N")
    near(forces, [M * g + N * f[1], N], rtol=1e-9)


def hula_hoop() -> Model:
    """A hoop about a waist that goes round: a pendulum in the turning frame (Seyranian and Belyakov 2011)."""
    m, a, w, r, R = parameters(m=(0.3, "kg"), a=(0.1, "m"), w=(12.0, "rad/s"), r=(0.15, "m"), R=(0.5, "m"))
    phi, turn, far = 0.9, 12.4, 0.35
    hoop = Body(
        "hoop", mass=m, inertia=m * R**2, center=(0.1 + far * math.cos(phi), far * math.sin(phi)), angle=0,
        velocity=(-far * turn * math.sin(phi), 1.2 + far * turn * math.cos(phi)), spin=far * turn / 0.5,
    )  # fmt: skip
    middle = (a * cos(w * time), a * sin(w * time))
    touch = contact_between("waist", CircleOn(ground, middle, r), CircleOn(hoop, (0, 0), R, inside=True), friction=2)
    return Model.from_bodies("hula_hoop", bodies=[hoop], contacts=[touch])


def check_hula_hoop(seen: Seen) -> None:
    """psi = phi - w t: psi'' = -(a w^2/2)/(R - r) sin psi for a thin hoop; elliptic functions."""
    pull = 0.05 * 144 / 0.35
    # 1/2 psi'^2 - pull cos psi = E: sin(psi/2) = k sn(sqrt(pull) (t + t_0), k^2)
    k = math.sqrt(math.sin(0.45) ** 2 + 0.4**2 / (4 * pull))
    begin = ellipkinc(math.asin(math.sin(0.45) / k), k * k)
    for t in (0.3, 1.7, 4.0):
        state = seen.at(t)
        phi = math.atan2(state["hoop_y"] - 0.1 * math.sin(12 * t), state["hoop_x"] - 0.1 * math.cos(12 * t))
        sn = ellipj(begin + math.sqrt(pull) * t, k * k)[0]
        near(math.remainder(phi - 12 * t - 2 * math.asin(k * sn), 2 * math.pi), 0.0, atol=1e-7)


CASES = {
    "popp stelter": Case(popp_stelter, 12.0, check_popp_stelter, {"b": 0.3}),
    "chimney": Case(chimney, 25.0, check_chimney, {"x": 0.05}),
    "piezo": Case(piezo, 0.0195, check_piezo),
    "tablecloth": Case(tablecloth, 1.0, check_tablecloth),
    "clutch": Case(clutch, 3.0, check_clutch, {"d_a": 100.0}),
    "centrifugal clutch": Case(centrifugal_clutch, 10.0, check_centrifugal_clutch),
    "two wedges": Case(two_wedges, 0.5, check_two_wedges),
    "loop": Case(loop, 3.0, check_loop),
    "disc off an edge": Case(disc_off_an_edge, 0.8, check_disc_off_an_edge),
    "littlewood": Case(littlewood, 3.0, check_littlewood),
    "hula hoop": Case(hula_hoop, 5.0, check_hula_hoop),
}
