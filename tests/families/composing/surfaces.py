"""Contacts of composed models: places against the ground, each other and faces of bodies, stops, and their laws."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy as sp

import jounce
from jounce import Contact, time
from tests.families.composing.parts import Parts, Place

X, Y = sp.symbols("X Y")


def _sway(parts: Parts) -> sp.Expr:
    """How a surface of the ground is shaken, if it is."""
    if not parts.chance(0.35):
        return sp.Integer(0)
    size = parts.parameter("m", 0.01, 0.15)
    return size * parts.one_of([sp.sin(parts.frequency * time), sp.sin(parts.frequency * time) ** 2])


def _ground(parts: Parts, kind: str, sway: sp.Expr) -> list[sp.Expr]:
    """Distances of (X, Y) from surfaces of the ground: one, or two that face each other."""
    if kind == "wall":
        return [parts.parameter("m", 0.2, 1.5) - parts.one_of([1, -1]) * X + sway]
    if kind == "slope":
        tilt = parts.parameter("rad", -0.7, 0.7)
        return [Y * sp.cos(tilt) - X * sp.sin(tilt) + parts.parameter("m", 0.0, 0.5) - sway]
    if kind == "inside":
        return [parts.parameter("m", 1.5, 2.5) - sp.sqrt((X - sway) ** 2 + (Y - parts.parameter("m", 0.3, 1)) ** 2)]
    if kind == "outside":
        return [sp.sqrt((X - parts.parameter("m", -1, 1)) ** 2 + (Y - sway) ** 2) - parts.parameter("m", 0.2, 0.6)]
    if kind == "hill":
        return [Y - sway - parts.parameter("m", 0.02, 0.2) * sp.sin(X / parts.parameter("m", 0.1, 0.5))]
    if kind == "walls":
        left, wide = parts.parameter("m", -1, 0), parts.parameter("m", 0.6, 2)
        return [X - left - sway, left + wide - X + sway]
    if kind == "groove":
        half, deep = parts.parameter("rad", 0.4, 1.2), parts.parameter("m", 0.0, 0.5)
        return [(Y + deep - sway) * sp.cos(half) + side * X * sp.sin(half) for side in (1, -1)]
    return [Y - sway]


def surface(parts: Parts, k: int) -> None:
    """A place against surfaces of the ground, against a place of another body, or against a face of one."""
    a = parts.one_of(parts.places)
    kind = parts.one_of([
        "floor", "floor", "wall", "slope", "inside", "outside", "hill", "walls", "groove", "pair", "pair", "face",
    ])  # fmt: skip
    others = parts.places_off(a)
    if kind == "pair" and others:
        _pair(parts, f"c{k}", a, parts.one_of(others))
        return
    faces = [place for place in others if place.angle is not None]
    if kind == "face" and faces:
        _face(parts, f"c{k}", a, parts.one_of(faces))
        return
    for number, distance in enumerate(_ground(parts, kind, _sway(parts))):
        across, along = (sp.diff(distance, z).subs({X: a.x, Y: a.y}) for z in (X, Y))
        slip = along * parts.rate(a.x) - across * parts.rate(a.y) + a.radius * _spin(parts, a)
        gap = distance.subs({X: a.x, Y: a.y}) - a.radius
        _contact(parts, f"c{k}_{number}", gap, slip - _belt(parts))


def _belt(parts: Parts) -> sp.Expr:
    """The speed of a surface along itself, which may begin, or go to and fro."""
    if not parts.chance(0.25):
        return sp.Integer(0)
    speed = parts.parameter("m/s", -1, 1)
    late = parts.parameter("s", 0.2, 1.5)
    w = parts.frequency if parts.is_driven else 1 / late
    return speed * parts.one_of([1, 1, sp.cos(w * time), sp.sign(sp.sin(w * time)), sp.Heaviside(time - late)])


def _spin(parts: Parts, place: Place) -> sp.Expr:
    return sp.Integer(0) if place.angle is None else parts.rate(place.angle)


def _pair(parts: Parts, name: str, a: Place, b: Place) -> None:
    """Two discs, or places with a distance to keep; or tied by a rope, which is taut at its length."""
    dx, dy = a.x - b.x, a.y - b.y
    distance = sp.sqrt(dx**2 + dy**2)
    if parts.chance(0.2):
        parts.contacts.append(Contact(name, gap=parts.parameter("m", 0.8, 2) - distance, restitution=_e(parts)))
        return
    apart = a.radius + b.radius
    if apart == 0 or parts.chance(0.2):
        apart += parts.parameter("m", 0.05, 0.3)
    slip = (dy * parts.rate(dx) - dx * parts.rate(dy)) / distance
    turning = a.radius * _spin(parts, a) + b.radius * _spin(parts, b)
    _contact(parts, name, distance - apart, slip + turning)


def _face(parts: Parts, name: str, a: Place, b: Place) -> None:
    """A place against the line through another along its body: n = (-sin, cos) of the body's angle.

    The point of the body under a moves with v_b + w x (a - b), along the face v_b.t - w n.(a - b).
    """
    angle = b.angle
    dx, dy = a.x - b.x, a.y - b.y
    side, off = parts.one_of([1, -1]), a.radius + parts.parameter("m", 0.01, 0.1)
    s, c = sp.sin(angle), sp.cos(angle)
    height = -s * dx + c * dy
    slip = c * parts.rate(dx) + s * parts.rate(dy) + parts.rate(angle) * height
    _contact(parts, name, side * height - off, side * slip + a.radius * _spin(parts, a))


def _contact(parts: Parts, name: str, gap: sp.Expr, slip: sp.Expr) -> None:
    if not gap.has(*parts.velocity) or gap in [each.gap for each in parts.contacts]:
        return  # a place that does not move along this normal, or a surface that it has already
    contact = Contact(name, gap=gap, **law(parts, slip))
    parts.contacts.append(contact)
    if contact.has_friction and contact.compliance is None and parts.chance(0.08):  # an axle that rolls there
        angles = [q for q in parts.velocity if parts.turns(q)]
        if angles:
            arm, mu = parts.parameter("m", 0.005, 0.05), parts.parameter("", 0.1, 1)
            rolls = Contact(f"rolls_{name}", slip=arm * parts.velocity[parts.one_of(angles)], friction=mu, load=name)
            parts.contacts.append(rolls)


def stops(parts: Parts, k: int) -> None:
    """Stops of a coordinate, on one side or on both; a coordinate of time may move them."""
    q = parts.any_coordinate()
    unit = "rad" if parts.turns(q) else "m"
    middle, half, e = parts.parameter(unit, -0.3, 0.3), parts.parameter(unit, 0.5, 2), _e(parts)
    away = middle + parts.parameter(unit, 0.01, 0.2) * sp.cos(parts.frequency * time) if parts.chance(0.2) else middle
    sides = (1, -1) if parts.chance(0.5) else (parts.one_of([1, -1]),)
    for side in sides:
        contact = Contact(f"stop{k}_{'up' if side > 0 else 'low'}", gap=half - side * (q - away), restitution=e)
        if parts.chance(0.15) and not parts.turns(q):
            contact = replace(contact, compliance=jounce.KelvinVoigt(parts.parameter("N/m", 1e2, 1e4), 0))
        parts.contacts.append(contact)


def _e(parts: Parts) -> sp.Expr:
    return parts.parameter("", 0.05, 0.95) if parts.chance(0.85) else sp.Integer(0)


def _friction(parts: Parts) -> dict[str, Any]:
    mu = parts.parameter("", 0.02, 1.2) * parts.factor(parts.warmth + parts.wear)
    kind = parts.one_of(["plain"] * 4 + ["speed", "speed", "static", "place", "time"])
    if kind == "speed":
        slow = jounce.slip / parts.parameter("m/s", 0.05, 1)
        return {"friction": mu * parts.one_of([(1 + sp.exp(-slow)) / 2, 1 / (1 + slow), (2 + slow**2) / (1 + slow)])}
    if kind == "place":
        q = parts.any_coordinate()
        wide = sp.Integer(1) if parts.turns(q) else parts.parameter("m", 0.1, 0.5)
        return {"friction": mu * (1 + sp.sin(q / wide) / 2)}
    if kind == "time":
        return {"friction": mu * (1 + sp.cos(parts.frequency * time) / 2)}
    return {"friction": mu, "static_friction": mu * sp.Rational(5, 4)} if kind == "static" else {"friction": mu}


def _compliance(parts: Parts, kind: str) -> dict[str, Any]:
    k = parts.parameter("N/m^2" if kind == "square" else "N/m", 1e3, 1e5)
    if kind == "voigt":
        damping = parts.parameter("kg/s", 0.5, 20)
        return {"compliance": jounce.KelvinVoigt(k, damping, adhesive=parts.chance(0.2))}
    if kind == "maxwell":
        return {"compliance": jounce.Maxwell(k, parts.parameter("kg/s", 5, 200))}
    if kind == "square":
        return {"compliance": jounce.Hertz(k, 2)}
    hysteretic = parts.one_of([jounce.HuntCrossley, jounce.LankaraniNikravesh, jounce.Flores2011])
    return {"compliance": hysteretic(k, 1), "restitution": parts.parameter("", 0.3, 0.9)}


def law(parts: Parts, slip: sp.Expr) -> dict[str, Any]:
    """Friction and restitution, or stiffness, of a contact."""
    chosen: dict[str, Any] = {}
    if parts.chance(0.75) and slip.has(*parts.velocity.values()):
        chosen |= {"slip": slip} | _friction(parts)
    e = _e(parts) * parts.factor(parts.wear)
    kind = parts.one_of(["rigid"] * 12 + ["voigt", "hysteretic", "maxwell", "square"])
    if kind != "rigid":
        chosen.pop("static_friction", None)
        return chosen | _compliance(parts, kind)
    chosen["restitution"] = e / (1 + jounce.approach_speed / parts.parameter("m/s", 0.5, 5)) if parts.chance(0.2) else e
    if parts.chance(0.15):
        chosen["law"] = parts.one_of(["energetic", "poisson", "newton", "poisson_two_phase", "chatterjee_ruina"])
        if chosen["law"].endswith(("phase", "ruina")):
            chosen["tangential_restitution"] = parts.parameter("", 0.0, 0.9)
    return chosen
