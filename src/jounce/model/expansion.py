"""Multiplying out without losing digits: what cancels is added up, what was written as one number stays one.

An expansion finds that cos^2 + sin^2 is 1 and that inertial terms cancel, which makes the equations of a mechanism
short. But (x - c)^4 multiplied out is a sum of terms as large as c^4 that all but cancel, sqrt((x - a)^2 + (y - b)^2)
loses the distance of two places far from the origin, and exp(-(t/a - 1)^2) becomes a product of exponentials of which
one overflows.
So sums without sines, cosines and velocities, and functions other than these two with all that is in them, are taken as
symbols while the rest is multiplied out.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy as sp

from jounce.model.expressions import MOST_TERMS, terms_of

_CIRCULAR = (sp.sin, sp.cos)


def expanded(expression: sp.Expr, velocities: Iterable[sp.Symbol]) -> sp.Expr:
    """The expansion of an expression where it has at most MOST_TERMS terms; else the expression itself."""
    outlines = _Outlines(frozenset(velocities))
    outline = sp.Add(*map(outlines.of, sp.Add.make_args(expression)))
    if terms_of(outline) > MOST_TERMS:
        return expression
    return sp.expand(outline).xreplace({symbol: part for part, symbol in outlines.symbols.items()})


class _Outlines:
    """Expressions with a symbol for each part of them that stays whole."""

    def __init__(self, velocities: frozenset[sp.Symbol]) -> None:
        self.velocities = velocities
        self.symbols: dict[sp.Basic, sp.Symbol] = {}
        self._known: dict[sp.Basic, sp.Basic] = {}

    def of(self, part: sp.Basic) -> sp.Basic:
        """The outline of one term or factor."""
        if not part.args or isinstance(part, _CIRCULAR):
            return part
        if part not in self._known:
            self._known[part] = self._outlined(part)
        return self._known[part]

    def _outlined(self, part: sp.Basic) -> sp.Basic:
        if isinstance(part, sp.Add) and not part.has(*_CIRCULAR) and not part.free_symbols & self.velocities:
            # one symbol for all multiples: k (2 x - 2 c)/2 cancels k (x - c)
            number, total = part.primitive()
            sign = -1 if total.could_extract_minus_sign() else 1
            return sign * number * self._symbol(sign * total)
        natural = isinstance(part, sp.Pow) and part.exp.is_Integer and part.exp > 0
        if natural or isinstance(part, sp.Add | sp.Mul):
            return part.func(*map(self.of, part.args))
        return self._symbol(part)

    def _symbol(self, part: sp.Basic) -> sp.Symbol:
        return self.symbols.setdefault(part, sp.Dummy(real=True))
