"""What a random model is composed of: its symbols, its numbers, and the lists to which bodies and laws add."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np
import sympy as sp

from jounce import Contact, Reset, coordinate, parameter, time
from tests.families.family import Numbers

T = TypeVar("T")


@dataclass(frozen=True)
class Place:
    """A material point, or the centre of a disc that turns: where it is, and on which body."""

    body: int
    x: sp.Expr
    y: sp.Expr
    angle: sp.Expr | None = None  # of the body; None: it does not turn, or turns with its path
    radius: sp.Expr = sp.S.Zero


@dataclass
class Parts:
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
    #: factors without a unit that contacts may take on: of an internal state, which friction knows, or a discrete one
    warmth: list[sp.Expr] = field(default_factory=list)
    wear: list[sp.Expr] = field(default_factory=list)

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

    def one_of(self, things: Sequence[T]) -> T:
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

    @property
    def is_driven(self) -> bool:
        """Whether anything took the frequency."""
        return "frequency" in vars(self)

    def uniform(self, **ranges: tuple[float, float]) -> None:
        """A start: each coordinate and velocity uniform in its range."""
        self.starts.append(lambda: {name: self.number(*bounds) for name, bounds in ranges.items()})

    # what is where

    def turns(self, q: sp.Symbol) -> bool:
        """Whether a coordinate is an angle."""
        return self.units[q] == "rad"

    def force_unit(self, q: sp.Symbol) -> str:
        """Of the generalised force."""
        return "N m" if self.turns(q) else "N"

    def any_coordinate(self) -> sp.Symbol:
        """One of the coordinates."""
        return self.one_of(list(self.velocity))

    def free_coordinates(self) -> list[sp.Symbol]:
        """Those that no joint holds: a reset may change their velocities."""
        held = {symbol for joint in self.joints.values() for symbol in joint.free_symbols}
        return [q for q in self.velocity if q not in held]

    def places_off(self, place: Place) -> list[Place]:
        """The places on other bodies."""
        return [other for other in self.places if other.body != place.body]

    def factor(self, states: list[sp.Expr]) -> sp.Expr:
        """One of these factors, or 1."""
        return self.one_of(states) if states and self.chance(0.4) else sp.Integer(1)
