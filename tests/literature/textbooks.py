"""Exercises of mechanics books: rods, wheels, strings and rollers whose motion has a closed form between its events."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import sympy as sp
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipk
from sympy import cos, sqrt

import jounce
from jounce import Contact, Model, Reset, coordinate, coordinates, discrete, parameters
from tests.literature.case import Case, Seen

near = np.testing.assert_allclose
EXACT: dict[str, Any] = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}
OPTIONS = {"tolerance": 1e-12}
G = 9.81


def duration(square_of_speed: Any, start: float, end: float) -> float:
    """The time from a rest at ``start`` to ``end``, the square of the speed being known over the way."""
    way = math.sqrt(end - start)
    return float(quad(lambda s: 2 * s / math.sqrt(square_of_speed(start + s * s)), 0, way, epsabs=1e-13)[0])


# ------------------------------------------------------------------ a rod that falls over, and slips before it lies

ROD, ROD_FRICTION, TILT = 0.8, 0.3, 0.05


def falling_rod() -> Model:
    """A rod falls over on a rough floor (Cross 2006; Turner and Turner 2010)."""
    m, length, g, mu = parameters(m=(0.4, "kg"), L=(ROD, "m"), g=(G, "m/s^2"), mu=ROD_FRICTION)
    (x, dx), (y, dy), (q, dq) = coordinate("x", "m"), coordinate("y", "m"), coordinate("q", "rad")
    foot = Contact("foot", gap=y - length / 2 * cos(q), slip=dx - length / 2 * cos(q) * dq, friction=mu)
    kinetic = m * (dx**2 + dy**2) / 2 + m * length**2 * dq**2 / 24
    start = {x: ROD / 2 * math.sin(TILT), y: ROD / 2 * math.cos(TILT), q: TILT}
    return Model.from_lagrangian(
        "falling_rod", coordinates=[x, y, q], kinetic=kinetic, potential=m * g * y, contacts=[foot], start=start
    )


def spin_square(q: float) -> float:
    return 3 * G / ROD * (math.cos(TILT) - math.cos(q))


def forces_of_rod(q: float) -> tuple[float, float]:
    """Friction and normal force of the foot that sticks, over the mass."""
    w2, a = spin_square(q), 1.5 * G / ROD * math.sin(q)
    return ROD / 2 * (math.cos(q) * a - math.sin(q) * w2), G - ROD / 2 * (math.sin(q) * a + math.cos(q) * w2)


def check_falling_rod(seen: Seen) -> None:
    def reserve(q: float) -> float:
        along, across = forces_of_rod(q)
        return ROD_FRICTION * across - abs(along)

    slips = float(brentq(reserve, 0.2, 0.6, xtol=1e-15))
    time = duration(spin_square, TILT, slips)
    near(seen.times("slip")[0], time, rtol=1e-9)
    near(seen.at(time)["q"], slips, rtol=1e-9)

    def rates(_t: float, state: np.ndarray) -> list[float]:
        _x, v, q, w = state
        lever = 6 / ROD * (math.sin(q) - ROD_FRICTION * math.cos(q))
        load = (G - ROD / 2 * math.cos(q) * w * w) / (1 + ROD / 2 * math.sin(q) * lever)
        return [v, ROD_FRICTION * load, w, lever * load]

    w = math.sqrt(spin_square(slips))
    start = [ROD / 2 * math.sin(slips), ROD / 2 * math.cos(slips) * w, slips, w]
    end = solve_ivp(rates, (time, 0.83), start, **EXACT).y[:, -1]
    near([seen.final[name] for name in ("x", "d_x", "q", "d_q")], end, rtol=1e-8)


# ------------------------------------------------------------------ a wheel that runs onto a step

WHEEL, STEP, SPEED = 0.3, 0.05, 1.5


def wheel_on_a_step() -> Model:
    """A disc rolls against a step, keeps its angular momentum about the edge, and leaves the floor at once."""
    m, R, H, g = parameters(m=(2.0, "kg"), R=(WHEEL, "m"), H=(STEP, "m"), g=(G, "m/s^2"))
    (x, dx), (y, dy), (q, dq) = coordinate("x", "m"), coordinate("y", "m"), coordinate("q", "rad")
    away = sqrt(x**2 + (y - H) ** 2)
    across = (dx * (y - H) - dy * x) / away
    contacts = [
        Contact("floor", gap=y - R, slip=dx - R * dq, friction=2),
        Contact("edge", gap=away - R, slip=across - R * dq, friction=2),
    ]
    kinetic = m * (dx**2 + dy**2) / 2 + m * R**2 * dq**2 / 4
    start = {x: -1.0, y: WHEEL, dx: SPEED, dq: SPEED / WHEEL}
    return Model.from_lagrangian(
        "wheel_on_a_step", coordinates=[x, y, q], kinetic=kinetic, potential=m * g * y, contacts=contacts, start=start
    )


def check_wheel_on_a_step(seen: Seen) -> None:
    angle = math.acos((WHEEL - STEP) / WHEEL)
    time = (1 - WHEEL * math.sin(angle)) / SPEED
    near(seen.times("impact")[0], time, rtol=1e-12)
    spin = SPEED * (1.5 * WHEEL - STEP) / (1.5 * WHEEL**2)
    near(seen.at(time + 1e-12)["d_q"], spin, rtol=1e-9)
    turning = solve_ivp(lambda _t, z: [z[1], G / (1.5 * WHEEL) * math.sin(z[0])], (time, 0.6), [-angle, spin], **EXACT)
    near([seen.final["x"], seen.final["d_q"]], [WHEEL * math.sin(turning.y[0, -1]), turning.y[1, -1]], rtol=1e-9)


# ------------------------------------------------------------------ a weight on a string that goes slack

STRING, THROWN = 1.2, 3.7


def slack_string() -> Model:
    """A weight on a string is thrown from below, leaves its circle, flies a parabola and is caught by the string."""
    m, length, g = parameters(m=(0.5, "kg"), L=(STRING, "m"), g=(G, "m/s^2"))
    (x, dx), (y, dy) = coordinates("x y", "m")
    string = jounce.rope("string", (0, 0), (x, y), length=length)
    start = {y: -STRING, dx: math.sqrt(THROWN * G * STRING)}
    return Model.from_lagrangian(
        "slack_string", coordinates=[x, y], kinetic=m * (dx**2 + dy**2) / 2, potential=m * g * y, contacts=[string],
        start=start,
    )  # fmt: skip


def check_slack_string(seen: Seen) -> None:
    high = (THROWN - 2) / 3
    side, speed = math.sqrt(1 - high**2), math.sqrt(G * STRING * high)
    way = quad(
        lambda a: STRING / math.sqrt(G * STRING * (THROWN - 2 + 2 * math.cos(a))), 0, math.pi - math.acos(high),
        epsabs=1e-14,
    )[0]  # fmt: skip
    flight = 4 * speed * side / G
    near(seen.times("lift_off")[0], way, rtol=1e-9)
    near(seen.times("impact")[0], way + flight, rtol=1e-9)
    fall = np.array([0, G])
    place = np.array([STRING * side, STRING * high]) + np.array([-high, side]) * speed * flight - fall * flight**2 / 2
    velocity = np.array([-high, side]) * speed - fall * flight
    along = place / STRING
    kept = velocity - (velocity @ along) * along
    caught = seen.at(way + flight + 1e-9)
    near([caught["d_x"], caught["d_y"]], kept, atol=1e-7)


# ------------------------------------------------------------------ Galileo's pendulum

PENDULUM, PEG = 1.0, 0.7


def galileo() -> Model:
    """A pendulum whose string meets a peg below its pivot: it rises as high as it was let go."""
    m, length, h, g = parameters(m=(0.3, "kg"), L=(PENDULUM, "m"), h=(PEG, "m"), g=(G, "m/s^2"))
    q, dq = coordinate("q", "rad")
    held = discrete("held", 0)
    arm = length - held * h
    resets = [
        Reset(q, {held: 1, dq: dq * length / (length - h)}, direction=1, only_if=sp.Eq(held, 0), name="peg"),
        Reset(q, {held: 0, dq: dq * (length - h) / length}, direction=-1, only_if=sp.Eq(held, 1), name="free"),
    ]
    return Model.from_lagrangian(
        "galileo", coordinates=[q], kinetic=m * arm**2 * dq**2 / 2, potential=-m * g * (arm * cos(q) + held * h),
        resets=resets, start={q: -0.7},
    )  # fmt: skip


def check_galileo(seen: Seen) -> None:
    highest = math.acos(1 - PENDULUM * (1 - math.cos(0.7)) / (PENDULUM - PEG))
    long = 4 * math.sqrt(PENDULUM / G) * ellipk(math.sin(0.35) ** 2)
    short = 4 * math.sqrt((PENDULUM - PEG) / G) * ellipk(math.sin(highest / 2) ** 2)
    near(seen.times("reset")[:4], long / 4 + np.array([0, short, short + long, 2 * short + long]) / 2, rtol=1e-9)
    near(seen.at(long / 4 + short / 4)["q"], highest, rtol=1e-9)


# ------------------------------------------------------------------ a wedge that lifts a load along a wall

SLOPE, FORCE = math.radians(12), 150.0


def wedge_press() -> Model:
    """A wedge is driven under a load that leans on a wall: three surfaces rub."""
    (x, dx), (w, dw), (X, dX), (y, dy) = coordinates("x w X y", "m")
    m, M, F, g, mu = parameters(m=(1.0, "kg"), M=(20.0, "kg"), F=(FORCE, "N"), g=(G, "m/s^2"), mu=0.1)
    c, s = math.cos(SLOPE), math.sin(SLOPE)
    contacts = [
        Contact("floor", gap=w, slip=dx, friction=mu),
        Contact("slope", gap=(y - w) * c - (x - X) * s, slip=(dX - dx) * c - (dy - dw) * s, friction=mu),
        Contact("wall", gap=-X, slip=dy, friction=mu),
    ]
    return Model("wedge_press", [x, w, X, y], [m, m, M, M], [F, -m * g, 0, -M * g], contacts=contacts)


def check_wedge_press(seen: Seen) -> None:
    c, s, mu, t = math.cos(SLOPE), math.sin(SLOPE), 0.1, math.tan(SLOPE)
    balance = np.array(
        [
            [0, s + mu * c, -1, 0],
            [0, c - mu * s, -mu, -20 * t],
            [-mu, -(s + mu * c), 0, -1],
            [1, -(c - mu * s), 0, 0],
        ]
    )
    *_forces, acceleration = np.linalg.solve(balance, [0, 20 * G, -FORCE, G])
    near(seen.final["y"], acceleration * t * 0.005, rtol=1e-11)


CASES = {
    "falling_rod": Case(falling_rod, 0.83, check_falling_rod, options=OPTIONS),
    "wheel_on_a_step": Case(wheel_on_a_step, 0.6, check_wheel_on_a_step, options=OPTIONS),
    "slack_string": Case(slack_string, 1.6, check_slack_string, options=OPTIONS),
    "galileo": Case(galileo, 2.9, check_galileo, options=OPTIONS),
    "wedge_press": Case(wedge_press, 0.1, check_wedge_press),
}
