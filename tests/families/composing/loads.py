"""Loads of composed models: springs, resistances, drives, relays, and forces with states of their own."""

from __future__ import annotations

import sympy as sp

import jounce
from jounce import Contact, Switch, time
from tests.families.composing.parts import Parts, Place


def spring(parts: Parts) -> None:
    """Between two places, or a place and the ground: linear, hardening, by distance, magnetic, slack, damped."""
    a = parts.one_of(parts.places)
    others = parts.places_off(a)
    if others and parts.chance(0.6):
        b = parts.one_of(others)
    else:
        b = Place(-1, parts.parameter("m", -1, 1), parts.parameter("m", -0.5, 2))
    dx, dy = a.x - b.x, a.y - b.y
    kind = parts.one_of(["linear", "hardening", "distance", "magnet", "slack", "damped"])
    k, d = parts.parameter("N/m", 0.5, 60), parts.parameter("m", 0.2, 1)
    length = sp.sqrt(dx**2 + dy**2 + d**2 / 100)
    if kind == "linear":
        parts.potential += k * (dx**2 + dy**2) / 2
    elif kind == "hardening":
        parts.potential += k * (dx**2 + (dx**4 + dy**4) / d**2) / 4
    elif kind == "distance":
        parts.potential += k * (length - d) ** 2 / 2
    elif kind == "magnet":
        parts.potential -= k * d**4 / (dx**2 + dy**2 + d**2 / 4) / 8
    elif kind == "slack":  # pulls where it is longer than d
        parts.push(length, -k * sp.Max(0, length - d))
    else:
        parts.push(length, -k * (length - d) - parts.parameter("kg/s", 0.05, 3) * parts.rate(length))


def turning_spring(parts: Parts) -> None:
    """Of an angle, with a dead zone or without."""
    angles = [q for q in parts.velocity if parts.turns(q)]
    if not angles:
        return
    a, k, rest = parts.one_of(angles), parts.parameter("N m", 0.1, 10), parts.parameter("rad", -1, 1)
    if parts.chance(0.5):
        parts.potential += k * (a - rest) ** 2 / 2
    else:
        dead = parts.parameter("rad", 0.05, 0.5)
        parts.push(a, -k * (sp.Max(0, a - rest - dead) - sp.Max(0, rest - a - dead)))


def resistance(parts: Parts) -> None:
    """Of a coordinate: viscous, of the square, dry, saturated."""
    q = parts.any_coordinate()
    u, turns = parts.velocity[q], parts.turns(q)
    kind = parts.one_of(["viscous", "square", "dry", "saturated"])
    if kind == "viscous":
        parts.push(q, -parts.parameter("N m s" if turns else "kg/s", 0.01, 3) * u)
    elif kind == "square":
        parts.push(q, -parts.parameter("kg m^2" if turns else "kg/m", 0.01, 1) * u * sp.Abs(u))
    elif kind == "dry":
        parts.push(q, -parts.parameter(parts.force_unit(q), 0.05, 2) * sp.sign(u))
    else:
        limit, slope = parts.parameter(parts.force_unit(q), 0.2, 3), parts.parameter("s", 0.1, 5)
        length = sp.Integer(1) if turns else parts.parameter("m", 0.3, 2)
        parts.push(q, -limit * sp.Max(-1, sp.Min(1, slope * u / length)))


def brake(parts: Parts) -> None:
    """Friction of a coordinate under a load of its own, which may vary in time."""
    q = parts.any_coordinate()
    arm = parts.parameter("m", 0.05, 0.3) if parts.turns(q) else sp.Integer(1)
    press = parts.parameter("N", 0.1, 5)
    if parts.chance(0.3):
        press *= 1 + sp.cos(parts.frequency * time) / 2
    law = {"friction": parts.parameter("", 0.05, 0.9)}
    if parts.chance(0.3):
        law["static_friction"] = law["friction"] * sp.Rational(5, 4)
    name = f"brake{len(parts.contacts)}"
    parts.contacts.append(Contact(name, slip=arm * parts.velocity[q], load=(), preload=press, **law))


def drive(parts: Parts) -> None:
    """A force in time: harmonic, a square wave, a ramp, a pulse, one that begins."""
    q = parts.any_coordinate()
    size = parts.parameter(parts.force_unit(q), 0.2, 6)
    w, late = parts.frequency, parts.parameter("s", 0.1, 1.5)
    wave = parts.one_of([
        sp.cos(w * time), sp.sign(sp.sin(w * time)), sp.tanh(time / late), sp.exp(-((time / late - 1) ** 2) * 100),
        sp.Piecewise((1, time < late), (0, True)), sp.Heaviside(time - late), sp.Max(0, sp.sin(w * time)),
    ])  # fmt: skip
    parts.push(q, size * wave)


def switch(parts: Parts) -> None:
    """A relay with or without a mixture of position and speed in its surface."""
    q = parts.any_coordinate()
    late, size = parts.parameter("s", 0.05, 1), parts.parameter(parts.force_unit(q), 0.1, 3)
    parts.push(q, -size * Switch(f"relay{len(parts.values)}_{q.name}", q + late * parts.velocity[q]))


def state_force(parts: Parts) -> None:
    """A force with an internal state: an actuator that lags, an integral, a spring with a damper in series."""
    q = parts.any_coordinate()
    unit, number = parts.force_unit(q), len(parts.rates)
    f = jounce.internal(f"f{number}", unit)
    late = parts.parameter("s", 0.02, 0.5)
    kind = parts.one_of(["lag", "integral", "maxwell"])
    if kind == "lag":
        size = parts.parameter(unit, 0.2, 4)
        parts.rates[f] = (size * sp.cos(parts.frequency * time) - f) / late
        parts.push(q, f)
        return
    stiffness = parts.parameter("N m" if parts.turns(q) else "N/m", 0.5, 30)
    parts.rates[f] = stiffness * q / late if kind == "integral" else stiffness * parts.velocity[q] - f / late
    if kind == "integral":
        parts.push(q, -stiffness * q)
    parts.push(q, -f / (10 if kind == "integral" else 1))


def warmth(parts: Parts) -> None:
    """An internal state without a unit that grows with a speed and fades, of which contacts may take a factor."""
    q = parts.any_coordinate()
    number, late = len(parts.rates), parts.parameter("s", 0.1, 2)
    z = jounce.internal(f"z{number}", "")
    reach = sp.Integer(1) if parts.turns(q) else parts.parameter("m", 0.1, 1)
    parts.rates[z] = late * (parts.velocity[q] / reach) ** 2 - z / late
    parts.warmth.append(1 / (1 + z**2))


#: (share, load, how often it may be drawn)
LOADS = (
    (0.6, spring, 3), (0.2, turning_spring, 1), (0.5, resistance, 2), (0.15, brake, 1), (0.5, drive, 2),
    (0.12, switch, 1), (0.15, state_force, 1), (0.12, warmth, 1),
)  # fmt: skip
