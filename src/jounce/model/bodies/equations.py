"""The equations of a machine in expressions of the model's own coordinates: see machine.py."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model.bodies.body import Body
from jounce.model.bodies.forces import generalised
from jounce.model.bodies.parts import Parts
from jounce.model.bodies.reduction import Reduction
from jounce.model.bodies.touching import DrawnContact
from jounce.model.contact import Contact
from jounce.model.derivatives import derivative
from jounce.model.expressions import as_expression
from jounce.model.lagrangian import time_derivative
from jounce.model.names import is_integral
from jounce.model.resets import Reset, as_number
from jounce.model.speeds import SPEEDS_IN
from jounce.model.symbols import time
from jounce.model.vocabulary import Vocabulary


class Filler:
    """Expressions of the bodies' symbols -> expressions of the model's own coordinates."""

    def __init__(self, words: Vocabulary, reduction: Reduction) -> None:
        self.words = words
        self.reduction = reduction
        self.replacements = reduction.replacements(words)

    def __call__(self, expression: Any, speeds: tuple[sp.Symbol, ...] = ()) -> sp.Expr:
        """One expression; ``speeds`` are those of a contact that have a meaning in it."""
        settled = self.reduction.settled(as_expression(expression, "an expression of the machine"), self.replacements)
        return self.words.expression(settled, "an expression of the machine", speeds=speeds)

    def contact(self, contact: Contact) -> Contact:
        """A contact in the model's own coordinates, without its pictures."""
        plain = contact.plain() if isinstance(contact, DrawnContact) else contact
        changes: dict[str, Any] = {
            entry.name: self(value, SPEEDS_IN.get(entry.name, ()))
            for entry in fields(plain)
            if isinstance(value := getattr(plain, entry.name), sp.Expr)
        }
        if plain.offset is not None:
            changes["offset"] = tuple(map(self, plain.offset))
        return replace(plain, **changes)

    def reset(self, reset: Any) -> Any:
        """A reset in the model's own coordinates."""
        if not isinstance(reset, Reset):
            raise ModelError(f"resets: expected a Reset, not {reset!r}")
        return replace(
            reset,
            guard=self(reset.guard) if isinstance(reset.guard, sp.Expr) else reset.guard,
            map={key: self(value) for key, value in dict(reset.map).items()},
            only_if=None if reset.only_if is None else self(as_number(reset.only_if, "only_if")),
        )

    def shape(self, shape: Any) -> Any:
        """A shape in the model's own coordinates."""

        def settle(value: Any) -> Any:
            if isinstance(value, (tuple, list)):
                return tuple(map(settle, value))
            return self(value) if isinstance(value, sp.Expr) else value

        return replace(shape, **{entry.name: settle(getattr(shape, entry.name)) for entry in fields(shape)})

    def kept_joints(self, equations: Mapping[str, sp.Expr], start: Mapping[str, float]) -> dict[str, sp.Expr]:
        """The joints that minimal coordinates do not satisfy by themselves."""
        settled = {name: self(expression) for name, expression in equations.items()}
        if self.reduction.minimal is None:
            return settled
        return {name: g for name, g in settled.items() if not self.reduction.satisfied(g, self.words, start)}


def dynamics(parts: Parts, fill: Filler) -> tuple[Any, list[sp.Expr], sp.Expr, sp.Expr | None]:
    """M, h, V and the power of what is not in V."""
    V = parts.potential()
    Q = {body: [sp.Integer(0)] * 3 for body in parts.bodies}
    for force in parts.forces:
        for load in force.loads():
            body = load[0]
            if isinstance(body, Body):
                Q[body] = [total + part for total, part in zip(Q[body], generalised(load), strict=True)]
    masses = [fill(value) for body in parts.bodies for value in (body.mass, body.mass, body.inertia)]
    free = [fill(Q_k) for body in parts.bodies for Q_k in Q[body]]
    pulled = [fill(-derivative(V, q)) for body in parts.bodies for q in body.pose]
    total = [a + b for a, b in zip(free, pulled, strict=True)]
    energy = fill(V)
    motion = [fill(u) for body in parts.bodies for u in body.motion]
    power = sp.Add(*(u * F for u, F in zip(motion, free, strict=True)))
    if fill.reduction.minimal is None:
        return masses, total, energy, power + derivative(energy, time)
    return _projected(fill, masses, total, motion, energy, power)


def _projected(
    fill: Filler, masses: list[sp.Expr], forces: list[sp.Expr], motion: list[sp.Expr], V: sp.Expr, power: sp.Expr
) -> tuple[sp.Matrix, list[sp.Expr], sp.Expr, sp.Expr]:
    """q_s^T M q_s and q_s^T (F - M b)."""
    own = [k for k, name in enumerate(fill.words.coordinates) if not is_integral(name)]
    q, u = ([symbols[k] for k in own] for symbols in (fill.words.q, fill.words.u))
    directions = [[derivative(component, u_k) for u_k in u] for component in motion]
    bias = [time_derivative(component, q, u) for component in motion]
    n = len(q)
    mass = sp.zeros(n, n)
    h: list[sp.Expr] = []
    for i in range(n):
        for j in range(i + 1):
            mass[i, j] = mass[j, i] = sp.Add(*(m * row[i] * row[j] for m, row in zip(masses, directions, strict=True)))
        rows = zip(masses, directions, bias, forces, strict=True)
        h.append(sp.Add(*(row[i] * (F - m * b) for m, row, b, F in rows)))
    if not any(component.has(time) for component in motion):
        return mass, h, V, power + derivative(V, time)
    # d/dt (u.M.u/2 + V) = u.(h + M' u/2) + V'
    column = sp.Matrix(u)
    rate = mass.applyfunc(lambda entry: time_derivative(entry, q, u))
    return mass, h, V, (column.T * (sp.Matrix(h) + rate * column / 2))[0, 0] + time_derivative(V, q, u)
