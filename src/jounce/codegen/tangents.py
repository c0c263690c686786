"""Model -> the text of directional derivatives, for stability and continuation.

Each function gives the derivative of one model function F(t, q, u, p) along a direction (dt, dq, du, dp),

    dF = F_t dt + F_q dq + F_u du + F_p dp ,

by the forward mode on the common subexpressions: every c_k = e_k(x, c_1, ...) is followed by its
dc_k = sum (de_k/ds) ds. The text grows with the model, not with the number of its derivatives.

The direction is packed behind the point, so that these functions have the signature of all the others:
q = [q, dq], u = [u, du, dt], p = [p, dp].
"""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from jounce.codegen import kinematics
from jounce.codegen.held_sides import Held
from jounce.codegen.module_text import ModuleWriter, without_impulses
from jounce.codegen.printer import curve_lines
from jounce.codegen.whole_angles import with_whole_angles
from jounce.model.compliant_contact import memory_names
from jounce.model.derivatives import derivative
from jounce.model.expressions import check_computable
from jounce.model.model import Model
from jounce.model.real_states import real_states
from jounce.model.symbols import time


def generate_tangents(model: Model) -> str:
    """All functions as text."""
    writer = _TangentWriter(model)
    functions = [
        writer.tangent("dynamics_tangent", [*model.M, *model.h], "dM row by row, then dh."),
        writer.tangent("contacts_tangent", kinematics.contact_rows(model), "Per contact: d of what `contacts` gives."),
        writer.tangent("surfaces_tangent", kinematics.surface_rows(model), "Per contact: d of what `surfaces` gives."),
        writer.tangent("joints_tangent", kinematics.joint_rows(model), "Per joint: d of what `joints` gives."),
        writer.tangent("compliance_tangent", kinematics.compliance_rows(model), "Per contact: d of `compliance`."),
        writer.tangent(
            "guards_tangent", with_whole_angles(model, list(model.watched)), "d of the guards of the user.", held=False
        ),
        writer.tangent(
            "resets_tangent", kinematics.assigned_rows(model), "d of the right sides of all resets.", held=False
        ),
    ]
    return "\n\n\n".join([*curve_lines(writer.printer), *functions])


class _TangentWriter(ModuleWriter):
    def __init__(self, model: Model) -> None:
        super().__init__(model)
        n, count = model.n, len(self.vector)
        slots = {symbol: f"q[{n + k}]" for k, symbol in enumerate(model.q)}
        slots |= {symbol: f"u[{n + k}]" for k, symbol in enumerate(model.u)}
        slots |= {symbol: f"p[{count + k}]" for k, symbol in enumerate(model.p)}
        # what compliant contacts remember of their touch is carried along; whether they are pressed does not vary
        approaches = enumerate(model.memory[: len(memory_names(model.contacts))])
        slots |= {symbol: f"p[{count + len(model.p) + k}]" for k, symbol in approaches if k % 2 == 1}
        # and so are discrete states that take real values; flags and counters do not vary
        first = count - len(model.states) - len(self.vector[len(model.p) + len(model.memory) :])
        real = real_states(model)
        slots |= {model.symbols[name]: f"p[{count + first + k}]" for k, name in enumerate(model.states) if name in real}
        # time keeps its own name, as the argument t
        self.direction_slots = slots | {time: f"u[{2 * n}]"}

    def tangent(self, name: str, outputs: Sequence[sp.Expr], doc: str, held: bool = True) -> str:
        assignments, results, used = self._reduce(outputs, held)
        lines = [f"{self.locals[s].name} = {slot}" for s, slot in self.slots.items() if s in used]
        direction: dict[sp.Symbol, sp.Symbol] = {}
        for symbol, slot in self.direction_slots.items():
            if symbol in used:
                local = self.locals.get(symbol, symbol)
                direction[local] = sp.Symbol(self.names.fresh(f"{local.name}_dot"), real=True)
                lines.append(f"{direction[local].name} = {slot}")
        for left, right in assignments:
            lines.append(self._line(left.name, right))
            rate = self._along(right, direction)
            if rate != 0:
                direction[left] = sp.Symbol(self.names.fresh(f"{left.name}_dot"), real=True)
                lines.append(self._line(direction[left].name, rate))
        lines += [self._line(f"out[{k}]", self._along(result, direction)) for k, result in enumerate(results)]
        return self.state_function(name, doc, lines)

    def _along(self, expression: sp.Expr, direction: dict[sp.Symbol, sp.Symbol]) -> sp.Expr:
        if not isinstance(expression, sp.Expr):  # a condition that several cases share
            return sp.Integer(0)
        terms = [
            without_impulses(derivative(expression, symbol)) * direction[symbol]
            for symbol in sorted(expression.free_symbols, key=lambda symbol: symbol.name)
            if symbol in direction
        ]
        rate = sp.Add(*terms)
        where = f"model {self.model.name!r}, directional derivatives for the generated code"
        check_computable(rate.replace(Held, lambda border, _: border), where, self.checked)
        return rate
