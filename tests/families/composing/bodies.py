"""Bodies of composed models: free ones, linkages, and some that joints hold or that time moves."""

from __future__ import annotations

import numpy as np
import sympy as sp

from jounce import Contact, time
from tests.families.composing.parts import Parts, Place
from tests.families.family import Numbers


def particle(parts: Parts, body: int) -> None:
    """A mass in the plane, which may grow and shrink in time."""
    x, y = parts.coordinate("m"), parts.coordinate("m")
    mass = parts.parameter("kg", 0.2, 3)
    if parts.chance(0.08):
        mass *= 1 + parts.parameter("", 0.05, 0.5) * sp.cos(parts.frequency * time)
    parts.moves(mass, x, y)
    parts.places.append(Place(body, x, y))
    parts.uniform(**{x.name: (-1, 1), y.name: (0.1, 1.5), f"d_{x.name}": (-2, 2), f"d_{y.name}": (-2, 2)})


def slider(parts: Parts, body: int) -> None:
    """A mass on a line that may be tilted."""
    s, tilt, high = parts.coordinate("m"), parts.parameter("rad", -0.5, 0.5), parts.parameter("m", -0.2, 1)
    x, y = s * sp.cos(tilt), high + s * sp.sin(tilt)
    parts.moves(parts.parameter("kg", 0.2, 3), x, y)
    parts.places.append(Place(body, x, y))
    parts.uniform(**{s.name: (-1, 1), f"d_{s.name}": (-2, 2)})


def _free(parts: Parts, mass: sp.Expr, inertia: sp.Expr, spin: float) -> tuple[sp.Symbol, sp.Symbol, sp.Symbol]:
    """The coordinates of a body that moves freely in the plane."""
    x, y, a = parts.coordinate("m"), parts.coordinate("m"), parts.coordinate("rad")
    parts.moves(mass, x, y)
    parts.kinetic += inertia * parts.velocity[a] ** 2 / 2
    parts.uniform(**{
        x.name: (-0.5, 0.5), y.name: (0.5, 1.5), a.name: (-3, 3),
        f"d_{x.name}": (-1, 1), f"d_{y.name}": (-1, 1), f"d_{a.name}": (-spin, spin),
    })  # fmt: skip
    return x, y, a


def rod(parts: Parts, body: int) -> None:
    """A rod in the plane, both of its ends."""
    m, half = parts.parameter("kg", 0.2, 3), parts.parameter("m", 0.1, 0.6)
    x, y, a = _free(parts, m, m * half**2 / 3, 4)
    for side in (1, -1):
        parts.places.append(Place(body, x + side * half * sp.cos(a), y + side * half * sp.sin(a), a))


def block(parts: Parts, body: int) -> None:
    """A triangle or a box, its corners."""
    m, size = parts.parameter("kg", 0.2, 3), parts.parameter("m", 0.1, 0.4)
    x, y, a = _free(parts, m, m * size**2 * sp.Rational(2, 5), 3)
    outline = parts.one_of([[(1, 1), (-1, 1), (-1, -1), (1, -1)], [(1, -0.5), (-1, -0.5), (0, 1)]])
    for across, up in outline:
        px, py = size * sp.nsimplify(across), size * sp.nsimplify(up)
        parts.places.append(Place(body, x + px * sp.cos(a) - py * sp.sin(a), y + px * sp.sin(a) + py * sp.cos(a), a))


def disc(parts: Parts, body: int) -> None:
    """A disc, balanced or not."""
    m, radius = parts.parameter("kg", 0.2, 3), parts.parameter("m", 0.05, 0.3)
    x, y, a = _free(parts, m, m * radius**2 / 2, 10)
    parts.places.append(Place(body, x, y, a, radius))
    if parts.chance(0.3):
        far = radius / 2
        parts.moves(parts.parameter("kg", 0.05, 0.5), x + far * sp.sin(a), y - far * sp.cos(a))


def wheel(parts: Parts, body: int) -> None:
    """A wheel on a fixed axle, whose inertia may depend on its angle, and a pin on its rim."""
    a, radius = parts.coordinate("rad"), parts.parameter("m", 0.1, 0.5)
    inertia = parts.parameter("kg m^2", 0.01, 1)
    if parts.chance(0.3):
        inertia *= 1 + parts.parameter("", 0.05, 0.7) * sp.cos(2 * a)
    parts.kinetic += inertia * parts.velocity[a] ** 2 / 2
    x, y = parts.parameter("m", -0.5, 0.5), parts.parameter("m", 0.3, 1.2)
    parts.places.append(Place(body, x + radius * sp.sin(a), y - radius * sp.cos(a), a))
    parts.uniform(**{a.name: (-2, 2), f"d_{a.name}": (-6, 6)})


def bead(parts: Parts, body: int) -> None:
    """A bead on an arm that turns, freely or as time says."""
    s, inner = parts.coordinate("m"), parts.parameter("m", 0.2, 0.5)
    if parts.chance(0.5):
        a: sp.Expr = parts.frequency * time / parts.one_of([1, 2])
    else:
        a = parts.coordinate("rad")
        parts.kinetic += parts.parameter("kg m^2", 0.05, 1) * parts.velocity[a] ** 2 / 2
        parts.uniform(**{a.name: (-2, 2), f"d_{a.name}": (-3, 3)})
    x, y = (inner + s) * sp.sin(a), 1 * parts.parameter("m", 0.5, 1.5) - (inner + s) * sp.cos(a)
    parts.moves(parts.parameter("kg", 0.2, 2), x, y)
    parts.potential += parts.parameter("N/m", 1, 60) * s**2 / 2
    parts.places.append(Place(body, x, y))
    parts.uniform(**{s.name: (-0.1, 0.2), f"d_{s.name}": (-1, 1)})


def pendulum(parts: Parts, body: int) -> None:
    """One or two links on a pivot that may move with a cart or be shaken."""
    x, y = sp.Integer(0), parts.parameter("m", 0.8, 1.5)
    if parts.chance(0.3):
        x = parts.coordinate("m")
        parts.kinetic += parts.parameter("kg", 0.5, 3) * parts.velocity[x] ** 2 / 2
        parts.potential += parts.parameter("N/m", 1, 30) * x**2 / 2
        parts.places.append(Place(body, x, y))
        parts.uniform(**{x.name: (-0.3, 0.3), f"d_{x.name}": (-1, 1)})
    elif parts.chance(0.3):
        y += parts.parameter("m", 0.01, 0.1) * sp.sin(parts.frequency * time)
    for _ in range(parts.one_of([1, 1, 2])):
        a, length = parts.coordinate("rad"), parts.parameter("m", 0.3, 0.8)
        x, y = x + length * sp.sin(a), y - length * sp.cos(a)
        m = parts.parameter("kg", 0.2, 2)
        parts.moves(m, x, y)
        parts.kinetic += m * length**2 * parts.velocity[a] ** 2 / 24
        parts.places.append(Place(body, x, y, a))
        parts.uniform(**{a.name: (-1.5, 1.5), f"d_{a.name}": (-3, 3)})


def held(parts: Parts, body: int) -> None:
    """A bob that joints hold on a circle, whose centre may move in time, perhaps with a pin that rubs."""
    x, y, a = parts.coordinate("m"), parts.coordinate("m"), parts.coordinate("rad")
    m, length, high = parts.parameter("kg", 0.2, 2), parts.parameter("m", 0.3, 0.8), parts.parameter("m", 0.8, 1.5)
    parts.moves(m, x, y)
    parts.kinetic += m * length**2 * parts.velocity[a] ** 2 / 20
    names = (f"across{body}", f"along{body}")
    sway = parts.parameter("m", 0.01, 0.1) if parts.chance(0.3) else None
    moved = sp.Integer(0) if sway is None else sway * sp.sin(parts.frequency * time)
    parts.joints |= {names[0]: x - moved - length * sp.sin(a), names[1]: y - high + length * sp.cos(a)}
    parts.places.append(Place(body, x, y, a))
    if parts.chance(0.5):
        radius, mu = parts.parameter("m", 0.01, 0.1), parts.parameter("", 0.05, 0.8)
        pin = Contact(f"pin{body}", slip=radius * parts.velocity[a], friction=mu, load=names)
        parts.contacts.append(pin)

    def start() -> Numbers:
        angle, spin = parts.number(-1.5, 1.5), parts.number(-3, 3)
        far, top = parts.values[length], parts.values[high]
        push = 0.0 if sway is None else parts.values[sway] * parts.values[parts.frequency]
        s, c = float(np.sin(angle)), float(np.cos(angle))
        place = {x.name: far * s, y.name: top - far * c, a.name: angle}
        return place | {f"d_{x.name}": push + far * c * spin, f"d_{y.name}": far * s * spin, f"d_{a.name}": spin}

    parts.starts.append(start)


def crank(parts: Parts, body: int) -> None:
    """A slider-crank, a closed loop, whose guide and brake may rub."""
    a, b, s = parts.coordinate("rad"), parts.coordinate("rad"), parts.coordinate("m")
    short, long = parts.parameter("m", 0.1, 0.3), parts.parameter("m", 0.5, 0.9)
    m, high = parts.parameter("kg", 0.2, 2), parts.parameter("m", 0.2, 1)
    parts.kinetic += parts.parameter("kg m^2", 0.02, 0.5) * parts.velocity[a] ** 2 / 2
    parts.moves(parts.parameter("kg", 0.1, 1), short * sp.cos(a) + long * sp.cos(b) / 2, long * sp.sin(b) / 2 + high)
    parts.kinetic += m * parts.velocity[s] ** 2 / 2
    names = (f"reach{body}", f"guide{body}")
    parts.joints |= {
        names[0]: short * sp.cos(a) + long * sp.cos(b) - s, names[1]: short * sp.sin(a) + long * sp.sin(b),
    }  # fmt: skip
    parts.places += [Place(body, s, high + 0 * s), Place(body, short * sp.cos(a), high + short * sp.sin(a), a)]
    if parts.chance(0.4):
        load = parts.one_of([names[1], names])
        rubs = Contact(f"rubs{body}", slip=parts.velocity[s], friction=parts.parameter("", 0.02, 0.4), load=load)
        parts.contacts.append(rubs)

    def start() -> Numbers:
        angle, spin = parts.number(-3, 3), parts.number(-4, 4)
        r, far = parts.values[short], parts.values[long]
        other = float(-np.arcsin(r / far * np.sin(angle)))
        turn = float(-r * np.cos(angle) / (far * np.cos(other)) * spin)
        reach = r * float(np.cos(angle)) + far * float(np.cos(other))
        speed = -r * float(np.sin(angle)) * spin - far * float(np.sin(other)) * turn
        places = {a.name: angle, b.name: other, s.name: reach}
        return places | {f"d_{a.name}": spin, f"d_{b.name}": turn, f"d_{s.name}": speed}

    parts.starts.append(start)


BODIES = (particle, particle, slider, rod, rod, block, disc, disc, wheel, bead, pendulum, pendulum, held, crank)
