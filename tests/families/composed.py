"""Models composed at random: bodies, couplings, surfaces, laws and automata that nobody chose to go together.

    python -m tests.families.composed --seed 0 --runs 20

A family of the others is one model with random numbers; here the equations are random too, written as a stranger
writes them, and each seed is compiled by itself. What is asked of a run is what is asked of every random run.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

import jounce
from jounce import Contact, HuntCrossley, KelvinVoigt, Model, Reset, Switch, coordinate, discrete, parameter, time
from tests.families.check import failures_of
from tests.families.family import Family, Numbers, compiled
from tests.spoilt_scratch import spoil_scratch

#: ends that may be right: rigid friction has paradoxes, surfaces may close in on a body
MAY_END = ("FINISHED", "AT_REST", "PARADOX", "ENDLESS_RESETS")


@dataclass(frozen=True)
class Place:
    """A material point: where it is, and on which body."""

    body: int
    x: sp.Expr
    y: sp.Expr


@dataclass
class Composer:
    """The parts of one random model, in the order in which they were drawn."""

    random: np.random.Generator
    velocity: dict[sp.Symbol, sp.Symbol] = field(default_factory=dict)  # of each coordinate
    kinetic: sp.Expr = sp.S.Zero
    potential: sp.Expr = sp.S.Zero
    forces: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    joints: dict[str, sp.Expr] = field(default_factory=dict)
    contacts: list[Contact] = field(default_factory=list)
    resets: list[Reset] = field(default_factory=list)
    guards: dict[str, sp.Expr] = field(default_factory=dict)
    rates: dict[sp.Symbol, sp.Expr] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)
    starts: list[Callable[[], Numbers]] = field(default_factory=list)
    values: dict[sp.Symbol, float] = field(default_factory=dict)
    units: dict[sp.Symbol, str] = field(default_factory=dict)  # of each coordinate

    # numbers

    def number(self, low: float, high: float) -> float:
        """One of them, in proportion where both are positive."""
        if low > 0:
            return float(np.exp(self.random.uniform(np.log(low), np.log(high))))
        return float(self.random.uniform(low, high))

    def parameter(self, unit: str, low: float, high: float) -> sp.Symbol:
        """A parameter of the model, which other units may scale."""
        value = self.number(low, high)
        symbol = parameter(f"p{len(self.values)}", value, unit)
        self.values[symbol] = value
        return symbol

    def chance(self, share: float) -> bool:
        """True in this share of cases."""
        return bool(self.random.random() < share)

    def one_of(self, things: Any) -> Any:
        """One of some things."""
        return things[int(self.random.integers(len(things)))]

    # kinematics

    def rate(self, expression: sp.Expr) -> sp.Expr:
        """d/dt of an expression of coordinates and time."""
        along = sum(sp.diff(expression, q) * u for q, u in self.velocity.items())
        return along + sp.diff(expression, time)

    def push(self, expression: sp.Expr, force: sp.Expr) -> None:
        """A force along the gradient of an expression of the coordinates."""
        for q in self.velocity:
            self.forces[q] = self.forces.get(q, sp.Integer(0)) + sp.diff(expression, q) * force

    def coordinate(self, unit: str) -> sp.Symbol:
        """A new coordinate."""
        q, u = coordinate(f"q{len(self.velocity)}", unit)
        self.velocity[q], self.units[q] = u, unit
        return q

    def moves(self, mass: sp.Expr, x: sp.Expr, y: sp.Expr) -> None:
        """The energies of a mass at a place."""
        self.kinetic += mass * (self.rate(x) ** 2 + self.rate(y) ** 2) / 2
        self.potential += mass * self.gravity * y

    @cached_property
    def gravity(self) -> sp.Expr:
        """One for all bodies."""
        return self.parameter("m/s^2", 2, 15) if self.chance(0.85) else sp.Integer(0)

    @cached_property
    def frequency(self) -> sp.Symbol:
        """One for all that is driven: the model has a period."""
        return self.parameter("rad/s", 1, 15)

    def uniform(self, **ranges: tuple[float, float]) -> None:
        """A start: each coordinate and velocity uniform in its range."""
        self.starts.append(lambda: {name: self.number(*bounds) for name, bounds in ranges.items()})

    # bodies

    def particle(self, body: int) -> None:
        """A mass in the plane."""
        x, y = self.coordinate("m"), self.coordinate("m")
        self.moves(self.parameter("kg", 0.2, 3), x, y)
        self.places.append(Place(body, x, y))
        self.uniform(**{x.name: (-1, 1), y.name: (0.1, 1.5), f"d_{x.name}": (-2, 2), f"d_{y.name}": (-2, 2)})

    def slider(self, body: int) -> None:
        """A mass on a line that may be tilted."""
        s, tilt, high = self.coordinate("m"), self.parameter("rad", -0.5, 0.5), self.parameter("m", -0.2, 1)
        x, y = s * sp.cos(tilt), high + s * sp.sin(tilt)
        self.moves(self.parameter("kg", 0.2, 3), x, y)
        self.places.append(Place(body, x, y))
        self.uniform(**{s.name: (-1, 1), f"d_{s.name}": (-2, 2)})

    def rod(self, body: int) -> None:
        """A rod in the plane, both of its ends."""
        x, y, a = self.coordinate("m"), self.coordinate("m"), self.coordinate("rad")
        m, half = self.parameter("kg", 0.2, 3), self.parameter("m", 0.1, 0.6)
        self.moves(m, x, y)
        self.kinetic += m * half**2 * self.velocity[a] ** 2 / 6
        for side in (1, -1):
            self.places.append(Place(body, x + side * half * sp.cos(a), y + side * half * sp.sin(a)))
        self.uniform(**{
            x.name: (-0.5, 0.5), y.name: (0.5, 1.5), a.name: (-3, 3),
            f"d_{x.name}": (-1, 1), f"d_{y.name}": (-1, 1), f"d_{a.name}": (-4, 4),
        })  # fmt: skip

    def pendulum(self, body: int) -> None:
        """One or two links on a pivot that may move with a cart or be shaken."""
        x, y = sp.Integer(0), self.parameter("m", 0.8, 1.5)
        if self.chance(0.3):
            x = self.coordinate("m")
            self.kinetic += self.parameter("kg", 0.5, 3) * self.velocity[x] ** 2 / 2
            self.potential += self.parameter("N/m", 1, 30) * x**2 / 2
            self.places.append(Place(body, x, y))
            self.uniform(**{x.name: (-0.3, 0.3), f"d_{x.name}": (-1, 1)})
        for _ in range(self.one_of([1, 1, 2])):
            a, length = self.coordinate("rad"), self.parameter("m", 0.3, 0.8)
            x, y = x + length * sp.sin(a), y - length * sp.cos(a)
            m = self.parameter("kg", 0.2, 2)
            self.moves(m, x, y)
            self.kinetic += m * length**2 * self.velocity[a] ** 2 / 24
            self.places.append(Place(body, x, y))
            self.uniform(**{a.name: (-1.5, 1.5), f"d_{a.name}": (-3, 3)})

    def held(self, body: int) -> None:
        """A bob that joints hold on a circle, perhaps with a pin that rubs."""
        x, y, a = self.coordinate("m"), self.coordinate("m"), self.coordinate("rad")
        m, length, high = self.parameter("kg", 0.2, 2), self.parameter("m", 0.3, 0.8), self.parameter("m", 0.8, 1.5)
        self.moves(m, x, y)
        self.kinetic += m * length**2 * self.velocity[a] ** 2 / 20
        names = (f"across{body}", f"along{body}")
        self.joints |= {names[0]: x - length * sp.sin(a), names[1]: y - high + length * sp.cos(a)}
        self.places.append(Place(body, x, y))
        if self.chance(0.5):
            radius, mu = self.parameter("m", 0.01, 0.1), self.parameter("", 0.05, 0.8)
            pin = Contact(f"pin{body}", slip=radius * self.velocity[a], friction=mu, load=names)
            self.contacts.append(pin)

        def start() -> Numbers:
            angle, spin = self.number(-1.5, 1.5), self.number(-3, 3)
            far, top = self.values[length], self.values[high]
            s, c = float(np.sin(angle)), float(np.cos(angle))
            place = {x.name: far * s, y.name: top - far * c, a.name: angle}
            return place | {f"d_{x.name}": far * c * spin, f"d_{y.name}": far * s * spin, f"d_{a.name}": spin}

        self.starts.append(start)

    # couplings and loads

    def spring(self) -> None:
        """Between two places, or a place and the ground: linear, hardening, by distance, or magnetic."""
        a = self.one_of(self.places)
        others = [place for place in self.places if place.body != a.body]
        if others and self.chance(0.6):
            b = self.one_of(others)
        else:
            b = Place(-1, self.parameter("m", -1, 1), self.parameter("m", -0.5, 2))
        dx, dy = a.x - b.x, a.y - b.y
        kind = self.one_of(["linear", "hardening", "distance", "magnet"])
        k, d = self.parameter("N/m", 0.5, 60), self.parameter("m", 0.2, 1)
        if kind == "linear":
            self.potential += k * (dx**2 + dy**2) / 2
        elif kind == "hardening":
            self.potential += k * (dx**2 + (dx**4 + dy**4) / d**2) / 4
        elif kind == "distance":
            self.potential += k * (sp.sqrt(dx**2 + dy**2 + d**2 / 100) - d) ** 2 / 2
        else:
            self.potential -= k * d**4 / (dx**2 + dy**2 + d**2 / 4) / 8

    def resistance(self) -> None:
        """Of a coordinate: viscous, of the square, dry, saturated."""
        q = self.one_of(list(self.velocity))
        u, turns = self.velocity[q], self.turns(q)
        kind = self.one_of(["viscous", "square", "dry", "saturated"])
        if kind == "viscous":
            self.push(q, -self.parameter("N m s" if turns else "kg/s", 0.01, 3) * u)
        elif kind == "square":
            self.push(q, -self.parameter("kg m^2" if turns else "kg/m", 0.01, 1) * u * sp.Abs(u))
        elif kind == "dry":
            self.push(q, -self.parameter("N m" if turns else "N", 0.05, 2) * sp.sign(u))
        else:
            limit, slope = self.parameter("N m" if turns else "N", 0.2, 3), self.parameter("s", 0.1, 5)
            length = sp.Integer(1) if turns else self.parameter("m", 0.3, 2)
            self.push(q, -limit * sp.Max(-1, sp.Min(1, slope * u / length)))

    def turns(self, q: sp.Symbol) -> bool:
        """Whether a coordinate is an angle."""
        return self.units[q] == "rad"

    def drive(self) -> None:
        """A force in time: harmonic, a square wave, a ramp, a pulse."""
        q = self.one_of(list(self.velocity))
        size = self.parameter("N m" if self.turns(q) else "N", 0.2, 6)
        w, late = self.frequency, self.parameter("s", 0.1, 1.5)
        wave = self.one_of([
            sp.cos(w * time), sp.sign(sp.sin(w * time)), sp.tanh(time / late), sp.exp(-((time / late - 1) ** 2) * 100),
            sp.Piecewise((1, time < late), (0, True)),
        ])  # fmt: skip
        self.push(q, size * wave)

    def switch(self) -> None:
        """A relay with or without a mixture of position and speed in its surface."""
        q = self.one_of(list(self.velocity))
        late, size = self.parameter("s", 0.05, 1), self.parameter("N m" if self.turns(q) else "N", 0.1, 3)
        self.push(q, -size * Switch(f"relay{len(self.forces)}_{q.name}", q + late * self.velocity[q]))

    def actuator(self) -> None:
        """A force that follows its command with a lag."""
        q = self.one_of(list(self.velocity))
        unit = "N m" if self.turns(q) else "N"
        f = jounce.internal(f"f{len(self.rates)}", unit)
        late, size = self.parameter("s", 0.01, 0.5), self.parameter(unit, 0.2, 4)
        self.rates[f] = (size * sp.cos(self.frequency * time) - f) / late
        self.push(q, f)

    # surfaces

    def surface(self, k: int) -> None:
        """A place against a surface of the ground, or against a place of another body."""
        a = self.one_of(self.places)
        others = [place for place in self.places if place.body != a.body]
        kind = self.one_of(["floor", "floor", "wall", "slope", "inside", "outside", "hill", "pair"])
        sway = self.parameter("m", 0.01, 0.15) * sp.sin(self.frequency * time) if self.chance(0.4) else sp.Integer(0)
        x, y = sp.Symbol("X"), sp.Symbol("Y")
        if kind == "floor":
            gap = y - sway
        elif kind == "wall":
            gap = self.parameter("m", 0.2, 1.5) - self.one_of([1, -1]) * x + sway
        elif kind == "slope":
            tilt = self.parameter("rad", -0.7, 0.7)
            gap = y * sp.cos(tilt) - x * sp.sin(tilt) + self.parameter("m", 0.0, 0.5) - sway
        elif kind == "inside":
            gap = self.parameter("m", 1.5, 2.5) - sp.sqrt((x - sway) ** 2 + (y - self.parameter("m", 0.3, 1)) ** 2)
        elif kind == "outside":
            gap = sp.sqrt((x - self.parameter("m", -1, 1)) ** 2 + (y - sway) ** 2) - self.parameter("m", 0.2, 0.6)
        elif kind == "hill":
            gap = y - sway - self.parameter("m", 0.02, 0.2) * sp.sin(x / self.parameter("m", 0.1, 0.5))
        elif others:
            b = self.one_of(others)
            a = Place(a.body, a.x - b.x, a.y - b.y)
            gap = sp.sqrt(x**2 + y**2) - self.parameter("m", 0.05, 0.3)
        else:
            gap = y - sway
        across, along = sp.diff(gap, x), sp.diff(gap, y)
        here = {x: a.x, y: a.y}
        slip = (along * self.rate(a.x) - across * self.rate(a.y)).subs(here)
        if self.chance(0.25):
            slip -= self.parameter("m/s", -1, 1)  # a belt
        self.contacts.append(Contact(f"c{k}", gap=gap.subs(here), **self.law(slip)))

    def law(self, slip: sp.Expr) -> dict[str, Any]:
        """Friction and restitution, or stiffness, of a contact."""
        law: dict[str, Any] = {}
        if self.chance(0.75) and slip.has(*self.velocity.values()):
            mu = self.parameter("", 0.02, 1.2)
            law |= {"slip": slip, "friction": mu}
            if self.chance(0.25):
                law["friction"] = mu * (1 + sp.exp(-jounce.slip / self.parameter("m/s", 0.05, 1))) / 2
            elif self.chance(0.2):
                law["static_friction"] = mu * sp.Rational(5, 4)
        e = self.parameter("", 0.05, 0.95) if self.chance(0.85) else sp.Integer(0)
        kind = self.one_of(["rigid"] * 6 + ["voigt", "hunt"])
        if kind == "voigt":
            law["compliance"] = KelvinVoigt(self.parameter("N/m", 1e3, 1e5), self.parameter("kg/s", 0.5, 20))
        elif kind == "hunt":
            law["compliance"] = HuntCrossley(self.parameter("N/m", 1e3, 1e5), 1)
            law["restitution"] = self.parameter("", 0.3, 0.9)
        elif self.chance(0.2):
            law["restitution"] = e / (1 + jounce.approach_speed / self.parameter("m/s", 0.5, 5))
        else:
            law["restitution"] = e
        return law

    # automata

    def reset(self, k: int) -> None:
        """At an impact, or where a guard vanishes."""
        count = discrete(f"n{k}", 0)
        rigid = [each.name for each in self.contacts if each.compliance is None and each.gap is not None]
        q = self.one_of(list(self.velocity))
        u = self.velocity[q]
        held = bool(self.joints)  # a reset must not open a joint
        if rigid and self.chance(0.5):
            change = {} if held else {u: u * self.parameter("", 0.5, 1.1)}
            self.resets.append(Reset(f"impact:{self.one_of(rigid)}", {count: count + 1, **change}, name=f"hit{k}"))
        else:
            place = self.parameter("rad" if self.turns(q) else "m", -0.5, 0.5)
            change = {} if held else {u: u * self.parameter("", 0.6, 1.1)}
            self.resets.append(Reset(q - place, {count: count + 1, **change}, direction=1, name=f"passes{k}"))
        self.push(q, -self.parameter("N m" if self.turns(q) else "N", 0.05, 1) * count / (1 + count))


def composed(seed: int) -> Composer:
    """The parts of the model of a seed."""
    parts = Composer(np.random.default_rng([seed, 11]))
    kinds = [parts.particle, parts.particle, parts.slider, parts.rod, parts.pendulum, parts.held]
    for body in range(parts.one_of([1, 1, 2, 2, 3])):
        parts.one_of(kinds)(body)
    for share, add, most in (
        (0.7, parts.spring, 3), (0.6, parts.resistance, 2), (0.6, parts.drive, 2), (0.15, parts.switch, 1),
        (0.15, parts.actuator, 1),
    ):  # fmt: skip
        for _ in range(most):
            if parts.chance(share):
                add()
    for k in range(parts.one_of([1, 1, 2, 2, 3, 4])):
        parts.surface(k)
    if parts.chance(0.25):
        parts.reset(0)
    if parts.chance(0.2):
        parts.guards["apex"] = parts.one_of(list(parts.velocity.values()))
    return parts


def model_of(seed: int) -> Model:
    """The model of a seed."""
    parts = composed(seed)
    driven = "frequency" in vars(parts)
    return Model.from_lagrangian(
        f"composed{seed}",
        coordinates=list(parts.velocity),
        kinetic=parts.kinetic,
        potential=parts.potential,
        forces=parts.forces,
        joints=parts.joints,
        contacts=parts.contacts,
        resets=parts.resets,
        guards=parts.guards,
        rates=parts.rates,
        period=2 * sp.pi / parts.frequency if driven else None,
        parameters=[],
    )


def family_of(seed: int) -> Family:
    """A family of one run: it starts with every gap open, or is not made."""
    parts = composed(seed)
    known = {**parts.values, time: 0.0}

    def draw(_: np.random.Generator) -> tuple[Numbers, Numbers, float]:
        gaps = [sp.sympify(contact.gap) for contact in parts.contacts if contact.gap is not None]
        opened = sp.lambdify(list(parts.velocity), [gap.subs(known) for gap in gaps])
        for _ in range(300):
            start = {name: value for part in parts.starts for name, value in part().items()}
            if min(opened(*(start[q.name] for q in parts.velocity))) > 0.01:
                return {}, start, 3.0
        raise LookupError(seed)

    integrators = ("taylor", "taylor", "dop853", "dopri5")
    return Family(f"composed{seed}", lambda: model_of(seed), draw, integrators=integrators, good=MAY_END)


def main() -> int:
    """Run and report; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--runs", type=int, default=20, help="models")
    chosen = parser.parse_args()
    spoil_scratch()
    ends: Counter[str] = Counter()
    failed = 0
    for seed in range(chosen.seed, chosen.seed + chosen.runs):
        family = family_of(seed)
        try:
            family.sample(seed)
        except LookupError:
            ends["no start"] += 1
            continue
        found = failures_of(family, seed)
        for failure in found:
            print(f"{seed}: {failure.cause}: {failure.detail}", flush=True)
        failed += bool(found)
        ends["failed" if found else "good"] += 1
        compiled.cache_clear()
    print(dict(ends))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
