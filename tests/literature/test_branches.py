"""Orbits, multipliers and bifurcations of the literature, in three units, against closed forms and maps of our own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq
from sympy import Rational, cos, pi, sin, sqrt

import jounce
from jounce import Contact, Model, Reset, coordinate, discrete, internal, parameters
from tests.literature.case import UNITS
from tests.units.rescaling import Units

near = np.testing.assert_allclose
time = jounce.time
G = 9.81


def scaled(model: Model, units: Units, **values: float) -> dict[str, float]:
    """Values of all parameters in other units."""
    return {name: values.get(name, x) * units.factor(model.parameters[name].unit) for name, x in model.defaults.items()}


def settled(model: Model, units: Units, start: dict[str, float], t_end: float, **values: float) -> Any:
    """Where a motion is after its transient, and the system."""
    system = jounce.compile_model(model)
    sizes = {**model.coordinates, **model.velocity_units, **dict.fromkeys(model.states, "")}
    begin = {name: x * units.factor(sizes.get(name, "")) for name, x in start.items()}
    options = jounce.Options(record="events")
    run = jounce.simulate(system, begin, t_end * units.time, options=options, **scaled(model, units, **values))
    return system, run.final


# ------------------------------------------------------------------ a buck converter

R, L, C, REFERENCE, GAIN, LOW, HIGH, MS = 22.0, 20e-3, 47e-6, 11.3, 8.4, 3.8, 8.2, 1e-3


def test_the_buck_converter_doubles_its_period() -> None:
    """At 24.516 V (Fossas and Olivar 1996; Hamill and Deane 1992): a switch that compares with a ramp."""
    (E,) = parameters(E=20.0)
    v, dv = coordinate("v")
    ramp = internal("ramp")
    closed = jounce.Switch("closed", LOW + (HIGH - LOW) * ramp - GAIN * (v - REFERENCE))
    period = Rational(2, 5)  # ms
    force = MS**2 / (L * C) * (E * (closed + 1) / 2 - v) - MS / (R * C) * dv
    clock = Reset(ramp - 1, {ramp: 0}, direction=1, name="clock")
    model = Model("buck", [v], [1], [force], rates={ramp: 1 / period}, resets=[clock], start={v: 12.0})

    rates = MS * np.array([[-1 / (R * C), 1 / C], [-1 / L, 0]])

    def multipliers(volts: float) -> np.ndarray:
        drive = MS * np.array([0, volts / L])

        def states(part: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            """Flows of the open and the closed part of a period, and the state in between."""
            off, on = expm(rates * 0.4 * part), expm(rates * 0.4 * (1 - part))
            first = np.linalg.solve(np.eye(2) - on @ off, np.linalg.solve(rates, (on - np.eye(2)) @ drive))
            return off, on, off @ first

        def compared(part: float) -> float:
            return GAIN * (states(part)[2][0] - REFERENCE) - LOW - (HIGH - LOW) * part

        off, on, state = states(brentq(compared, 0.01, 0.99, xtol=1e-15))
        slope = GAIN * (rates @ state)[0] - (HIGH - LOW) / 0.4
        return np.linalg.eigvals(on @ (np.eye(2) + np.outer(drive, [GAIN, 0]) / slope) @ off)

    system, state = settled(model, Units(), {"v": 12.0, "ramp": 0.0}, 40.2)
    orbit = jounce.find_orbit(system, state, "reset:clock")
    near(sorted(orbit.nontrivial, key=np.imag), sorted(multipliers(20.0), key=np.imag), rtol=1e-9)
    (doubling,) = jounce.continue_orbit(orbit, "E", (20.0, 27.0), step=1.0, direction="up").specials
    assert doubling.kind == "period_doubling"
    near(doubling.parameter, brentq(lambda volts: multipliers(volts).real.min() + 1, 22, 28, xtol=1e-13), rtol=1e-10)
    near(doubling.parameter, 24.516, atol=1e-3)


# ------------------------------------------------------------------ oscillators


def impact_oscillator() -> Model:
    """A damped oscillator on one stop at its rest (Peterka 1974)."""
    x, dx = coordinate("x", "m")
    m, k, c, F, w, e = parameters(
        m=(1.0, "kg"), k=(1.0, "N/m"), c=(0.04, "N s/m"), F=(1.0, "N"), w=(2.2, "rad/s"), e=0.6
    )
    stop = Contact("stop", gap=-x, restitution=e)
    return Model("peterka", [x], [m], [F * cos(w * time) - k * x - c * dx], contacts=[stop], period=2 * pi / w)


def one_impact_a_period(w: float, e: float = 0.6, c: float = 0.04) -> np.ndarray:
    """The multipliers of its motion z = 1/1."""
    rates = np.array([[0, 1], [-1, -c]])
    flow, answer = expm(rates * 2 * math.pi / w), 1 / (1 - w * w + 1j * c * w)
    back = (1 - flow[0, 0]) / flow[0, 1]  # free velocities behind and before the impact, over the free place
    forth = flow[1, 0] + flow[1, 1] * back
    ratio = (back + e * forth) / (1 + e)  # of the forced velocity and the forced place
    z = abs(answer) * np.exp(-1j * math.atan2(ratio, w))
    if forth * -z.real + (1j * w * z).real <= 0:
        z = -z
    before = forth * -z.real + (1j * w * z).real
    after, force = -e * before, (z / answer).real
    jump = np.array([[-e, 0], [(e * (force - c * before) + force - c * after) / before, -e]])
    return np.linalg.eigvals(flow @ jump)


@pytest.mark.parametrize("units", UNITS)
def test_peterkas_oscillator_doubles_its_period(units: str) -> None:
    scale, model = UNITS[units], impact_oscillator()
    system, state = settled(model, scale, {"x": -0.5}, 400.0)
    orbit = jounce.find_orbit(system, state, "phase:0.2", **scaled(model, scale))
    near(np.poly(orbit.multipliers), np.poly(one_impact_a_period(2.2)), atol=1e-9)
    branch = jounce.continue_orbit(orbit, "w", (2.2 / scale.time, 3.0 / scale.time), step=0.2 / scale.time)
    (doubling,) = branch.specials
    exact = brentq(lambda w: np.poly(one_impact_a_period(w)) @ [1, -1, 1], 2.4, 2.9, xtol=1e-14)
    near(doubling.parameter * scale.time, exact, rtol=1e-10)


def den_hartog() -> Model:
    """An oscillator that rubs, forced (Den Hartog 1931)."""
    x, dx = coordinate("x", "m")
    m, k, F, w, mu, N = parameters(m=(1.0, "kg"), k=(1.0, "N/m"), F=(1.0, "N"), w=(0.8, "rad/s"), mu=0.3, N=(1.0, "N"))
    rub = Contact("rub", slip=dx, friction=mu, load=(), preload=N)
    return Model("den_hartog", [x], [m], [F * cos(w * time) - k * x], contacts=[rub], period=2 * pi / w)


@pytest.mark.parametrize("units", UNITS)
def test_den_hartogs_amplitude_and_where_it_stops(units: str) -> None:
    """x_0 = sqrt(V^2 - (f U)^2), without stops as long as w^2 x_0 > f."""
    scale, model, w = UNITS[units], den_hartog(), 0.8
    V, U = 1 / (1 - w * w), math.sin(math.pi / w) / (1 + math.cos(math.pi / w)) / w
    system, state = settled(model, scale, {"x": 1.0}, 300.0)
    orbit = jounce.find_orbit(system, state, "phase:0", **scaled(model, scale))
    turns = [abs(orbit.run.at(t)["x"]) / scale.length for t in orbit.events.t]
    near(turns, math.sqrt(V * V - (0.3 * U) ** 2), rtol=1e-11)
    (stops,) = jounce.continue_orbit(orbit, "mu", (0.3, 0.9), direction="up").specials
    assert stops.kind == "gain_of_stick"
    near(stops.parameter, w * w * V / math.sqrt(1 + w**4 * U * U), rtol=1e-9)


@pytest.mark.parametrize("units", UNITS)
def test_a_relay_swings_as_tsypkin_says(units: str) -> None:
    """Relay with hysteresis h before 1/(s (s + 1)) (Tsypkin 1955; multiplier: Astrom 1995)."""
    scale = UNITS[units]
    x, dx = coordinate("x", "m")
    h, rate, u = parameters(h=(0.1, "m"), rate=(1.0, "1/s"), u=(1.0, "m/s^2"))
    side = discrete("side", 1)
    switches = [
        Reset(x - h, {side: 1}, direction=1, name="up"),
        Reset(x + h, {side: -1}, direction=-1, name="down"),
    ]
    model = Model("tsypkin", [x], [1], [-rate * dx - side * u], resets=switches, start={x: 0.3})
    half = brentq(lambda H: (1 + math.tanh(H / 2)) * -math.expm1(-H) - H + 0.2, 0.1, 5, xtol=1e-15)
    speed, fade = math.tanh(half / 2), math.exp(-half)
    system, state = settled(model, scale, {"x": 0.3}, 60.0)
    orbit = jounce.find_orbit(system, state, "reset:up", **scaled(model, scale))
    near(orbit.period / scale.time, 2 * half, rtol=1e-11)
    near(orbit.nontrivial, [(fade - (speed + 1) * fade * (1 - fade) / speed) ** 2], rtol=1e-8)


# ------------------------------------------------------------------ running


def runner() -> Model:
    """A mass on a springy leg (Geyer, Seyfarth and Blickhan 2005): 80 kg, 20 kN/m, 68 degrees."""
    (x, dx), (y, dy) = coordinate("x", "m"), coordinate("y", "m")
    m, k, length, g, a = parameters(
        m=(80.0, "kg"), k=(20e3, "N/m"), length=(1.0, "m"), g=(G, "m/s^2"), a=(math.radians(68), "rad")
    )
    foot, stands = discrete("foot", 0.0, "m"), discrete("stands", 0)
    leg = sqrt((x - foot) ** 2 + y**2)
    push = stands * k * (length - leg) / leg
    resets = [
        Reset(
            y - length * sin(a),
            {stands: 1, foot: x + length * cos(a)},
            direction=-1,
            only_if=sp.Eq(stands, 0),
            name="touch_down",
        ),
        Reset(leg - length, {stands: 0}, direction=1, only_if=sp.Eq(stands, 1), name="take_off"),
    ]
    forces = [push * (x - foot), push * y - m * g]
    return Model("runner", [x, y], [m, m], forces, resets=resets, guards={"apex": dy}, start={y: 1.0, dx: 5.0})


def next_apex(height: float, energy: float) -> tuple[float, float, float]:
    """Height, time and place of the next apex, the stance by SciPy."""
    a, speed = math.radians(68), math.sqrt(2 * (energy - G * height))
    fall = math.sqrt(2 * (height - math.sin(a)) / G)

    def rates(_t: float, z: np.ndarray) -> list[float]:
        leg = math.hypot(z[0], z[1])
        push = 250.0 * (1 - leg) / leg
        return [z[2], z[3], push * z[0], push * z[1] - G]

    def stretched(_t: float, z: np.ndarray) -> float:
        return math.hypot(z[0], z[1]) - 1

    stretched.terminal, stretched.direction = True, 1  # type: ignore[attr-defined]
    start = [-math.cos(a), math.sin(a), speed, -G * fall]
    found = solve_ivp(rates, (0, 2), start, method="DOP853", rtol=1e-13, atol=1e-14, events=stretched)
    x, y, v, w = found.y[:, -1]
    return y + w * w / 2 / G, fall + found.t[-1] + w / G, speed * fall + x + math.cos(a) + v * w / G


@pytest.mark.parametrize("units", UNITS)
def test_a_runner_on_a_springy_leg(units: str) -> None:
    scale, model, energy = UNITS[units], runner(), G + 12.5
    system = jounce.compile_model(model)
    height = brentq(lambda y: next_apex(y, energy)[0] - y, 1.3, 1.4, xtol=1e-14)
    slope = (next_apex(height + 1e-5, energy)[0] - next_apex(height - 1e-5, energy)[0]) / 2e-5
    _, period, stride = next_apex(height, energy)
    speed = math.sqrt(2 * (energy - G * height))
    start = {"y": height * scale.length, "d_x": speed * scale.length / scale.time}
    with pytest.raises(jounce.SimulationError, match=r"shrunk to a point.* From the guess .*x.* does not close"):
        jounce.find_orbit(system, start, "guard:apex:-1", **scaled(model, scale))
    orbit = jounce.find_orbit(
        system, start, "guard:apex:-1", closes={"x": stride * scale.length}, **scaled(model, scale)
    )
    near(orbit.period / scale.time, period, rtol=1e-10)
    near(np.abs(orbit.multipliers).max(), slope, rtol=1e-7)


# ------------------------------------------------------------------ equilibria


@pytest.mark.parametrize("units", UNITS)
def test_a_plate_is_pulled_in(units: str) -> None:
    """At sqrt(8 k g^3/(27 eps A)) volts (Nathanson and others 1967), a third of its gap down: a micromachine."""
    scale = UNITS[units]
    x, dx = coordinate("x", "m")
    m, k, c, g, area, V = parameters(
        m=(5e-11, "kg"), k=(1.2, "N/m"), c=(1e-6, "N s/m"), g=(2e-6, "m"), area=(8.854e-20, "N m^2"), V=1.0
    )
    pull = area * V**2 / (2 * (g - x) ** 2)
    stop = Contact("stop", gap=Rational(9, 10) * g - x, restitution=0.3)
    model = Model("plate", [x], [m], [pull - k * x - c * dx], contacts=[stop])
    rest = jounce.find_equilibrium(model, "", {"x": 1e-7 * scale.length}, **scaled(model, scale))
    branch = jounce.continue_equilibrium(rest, "V", (0.5, 8.0))
    volts = math.sqrt(8 * 1.2 * (2e-6) ** 3 / (27 * 8.854e-20))
    near(branch.find("limit_point")[0].parameter, volts, rtol=1e-10)
    near(branch.find("limit_point")[0].solution.state["x"] / scale.length, 2e-6 / 3, rtol=1e-6)
    stopped = math.sqrt(2 * 1.2 * 1.8e-6 * (0.2e-6) ** 2 / 8.854e-20)
    near(branch.find("boundary")[0].parameter, stopped, rtol=1e-9)


def test_watts_governor_hunts() -> None:
    """Where b J/m = 2 F/w (Vyshnegradskii 1876; Pontryagin)."""
    phi, dphi = coordinate("phi", "rad")
    w = internal("w", "rad/s")
    m, b, J, F, k, g, n = parameters(m=1.0, b=2.0, J=2.0, F=1.5, k=3.0, g=G, n=4.0)
    force = m * n**2 * w**2 * sin(phi) * cos(phi) - m * g * sin(phi) - b * dphi
    model = Model("governor", [phi], [m], [force], rates={w: (k * cos(phi) - F) / J}, start={phi: 1.0, w: 1.1})
    branch = jounce.continue_equilibrium(jounce.find_equilibrium(model, "", {"phi": 1.0, "w": 1.1}), "b", (0.5, 3.0))
    (hopf,) = branch.specials
    assert hopf.kind == "hopf"
    near(hopf.parameter, 2 * 1.5 / 2.0 / math.sqrt(G / 16 / 0.5), rtol=1e-11)
