"""Where the forces of a model are not smooth: the zeros at which steps must end.

A step over a kink or a jump of a force is no better than its error estimate, which expects smooth functions. The engine
locates the zeros of guards and ends its steps there; so the expressions whose signs decide between smooth branches are
guards of the model as well, without rows in the table of events:

    |a|, sign(a), Heaviside(a)        a
    Max and Min of a, b, c, ...       a - b, a - c, b - c, ...      (nested ones count as one)
    Piecewise                         both sides of each comparison

A force that jumps with a velocity may hold the motion where it jumps, as friction does: there its zeros follow one
another without end, and they are left to ``Switch``, which has a mode for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import TYPE_CHECKING

import sympy as sp
from sympy.core.relational import Relational

from jounce.model.expressions import expressions_in
from jounce.model.symbols import slip, time

if TYPE_CHECKING:
    from jounce.model.model import Model

_NOT_SMOOTH = (sp.Abs, sp.sign, sp.Heaviside, sp.Max, sp.Min, sp.Piecewise)
#: A Piecewise of more cases is a curve through points, whose pieces join smoothly as a rule.
MOST_CASES = 4
#: Guards that a model may have in all; kernels/records/workspace.py has the same number.
MOST_GUARDS = 16


def force_kinks(model: Model, forces: Iterable[sp.Expr] | None = None) -> dict[sp.Expr, bool]:
    """The expressions at whose zeros forces or friction coefficients are not smooth, and whether they may jump there.

    A guard of the model stays the one it is; of others there are as many as there is room for. ``forces`` are the
    expressions that forces are made of, where the model has not written them out.
    """
    guards = set(model.guards.values())
    # compliant contacts begin and end at events of their own, or where Options.contact_detection finds them
    opened = {model.symbols[name]: sp.Integer(0) for name in model.vocabulary.memory[::2]}
    written = model.h.xreplace(opened) if forces is None else list(forces)
    parts = [written, *(part for contact in model.contacts for part in (contact.friction, contact.static_friction))]
    found: dict[sp.Expr, bool] = {}
    for part in parts:
        for expression in expressions_in(part):
            for border, jumps in _borders(model, expression):
                known = -border if -border in found or -border in guards else border
                found[known] = found.get(known, False) or jumps
    shared = {border: jumps for border, jumps in found.items() if border in guards}
    others = [(border, jumps) for border, jumps in found.items() if border not in guards]
    return shared | dict(others[: max(0, MOST_GUARDS - len(guards))])


def _borders(model: Model, expression: sp.Expr) -> Iterator[tuple[sp.Expr, bool]]:
    """Expressions of time and motion whose signs decide between the branches of one expression, and if it may jump."""
    moving = {time, *model.q, *model.u}
    for part in sorted(expression.atoms(*_NOT_SMOOTH), key=sp.default_sort_key):
        jumps = isinstance(part, sp.sign | sp.Heaviside | sp.Piecewise)
        for border in _signs(part):
            symbols = border.free_symbols
            smooth = not border.has(*_NOT_SMOOTH) and slip not in symbols
            if smooth and symbols & moving and not (jumps and symbols & set(model.u)):
                yield border, jumps


def _signs(part: sp.Expr) -> Iterator[sp.Expr]:
    if isinstance(part, sp.Max | sp.Min):
        yield from (a - b for a, b in combinations(_leaves(part), 2))
    elif isinstance(part, sp.Piecewise):
        if len(part.args) <= MOST_CASES:
            for _, condition in part.args:
                for relation in sorted(condition.atoms(Relational), key=sp.default_sort_key):
                    yield relation.lhs - relation.rhs
    else:
        yield part.args[0]


def _leaves(part: sp.Expr) -> list[sp.Expr]:
    """What nested Max and Min choose from."""
    if not isinstance(part, sp.Max | sp.Min):
        return [part]
    return [leaf for argument in sorted(part.args, key=sp.default_sort_key) for leaf in _leaves(argument)]
