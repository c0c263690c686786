"""How large the terms of an expression are: the scale of its rounding.

A gap is the difference of lengths. Its value may be anything down to zero, but it is known to a few units in the last
place of its terms and no better, and what counts as touching must be measured by these. For every expression e

    size(number) = |number| ,   size(symbol) = |symbol| ,
    size(a + b) = size(a) + size(b) ,   size(a b) = size(a) |b| + |a| size(b) ,
    size(f(a)) = |f(a)| + |f'(a)| size(a)      for powers with a number as exponent and functions of one variable,

so that |error of e| <= c eps size(e) to first order, with c a small multiple of the depth of e (the forward error
analysis of Wilkinson). A size has the unit of its expression: in other units it is the same multiple of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from jounce.model.curve_arcs import S
from jounce.model.curves import Curve
from jounce.model.profiles import Distance, NormalX, NormalY, Reach

if TYPE_CHECKING:
    from jounce.model.model import Model


def magnitude(expression: sp.Expr) -> sp.Expr:
    """The size of the terms of an expression, as an expression of the same symbols."""
    return _magnitude(expression, {})


def _magnitude(e: sp.Expr, known: dict[sp.Expr, sp.Expr]) -> sp.Expr:
    if e not in known:
        known[e] = _rule(e, known)
    return known[e]


def _rule(e: sp.Expr, known: dict[sp.Expr, sp.Expr]) -> sp.Expr:
    if not e.args:
        return sp.Abs(e)
    if isinstance(e, sp.Piecewise):
        return sp.Piecewise(*((_magnitude(value, known), condition) for value, condition in e.args))
    sizes = [_magnitude(part, known) for part in e.args]
    if isinstance(e, sp.Add | sp.Max | sp.Min):
        return sp.Add(*sizes)
    if isinstance(e, sp.Mul):
        return sp.Add(*(size * _product(e.args, without=k) for k, size in enumerate(sizes)))
    if isinstance(e, sp.Abs):
        return sizes[0]
    if isinstance(e, sp.Pow) and not e.exp.free_symbols:
        return _absolute(e) + sp.Abs(e.exp) * _absolute(e.base) ** (e.exp - 1) * sizes[0]
    if isinstance(e, sp.sign | sp.Heaviside):
        return sp.Integer(1)
    if isinstance(e, Curve):
        return sp.Abs(e, evaluate=False) + sp.Abs(e.fdiff(), evaluate=False) * sizes[0]
    if isinstance(e, Distance | Reach):
        return _on_profile(e, sizes)
    if isinstance(e, sp.Function) and len(e.args) == 1:
        slope = e.diff(e.args[0]) if e.args[0].is_Symbol else _slope(e)
        return sp.Abs(e, evaluate=False) + sp.Abs(slope, evaluate=False) * sizes[0]
    return sp.Abs(e, evaluate=False)


def _on_profile(e: Distance | Reach, sizes: list[sp.Expr]) -> sp.Expr:
    """Of n.(p - c(s)) or n.c(s): an error of s, where these are least, does not count."""
    u, v, profile, *values = e.args
    near, s = isinstance(e, Distance), e.place
    normal = (NormalX(*e.args), NormalY(*e.args)) if near else (u, v)
    # places beyond the ends of an open curve are as large as (u, v): what is asked is the size of the end
    inside = sp.Max(profile.measured.start, sp.Min(profile.measured.end, s)) if profile.is_open else s
    given = {S: inside, **dict(zip(profile.symbols, values, strict=True))}
    places = [_magnitude(part, {S: sp.Integer(0)}).xreplace(given) for part in profile.inner(0)]
    if near:
        places = [size + place for size, place in zip(sizes, places, strict=False)]
        return sp.Add(*(_absolute(n) * place for n, place in zip(normal, places, strict=True)))
    c = e.along(0)
    terms = zip(normal, places, c, sizes, strict=False)
    return sp.Add(*(_absolute(n) * place + _absolute(part) * size for n, place, part, size in terms))


def _absolute(e: sp.Expr) -> sp.Expr:
    """|e|; where SymPy cannot tell that e is real it would write conjugates, but everything of a model is real.

    Of a sum it would search for a sign, a tenth of the time in which the largest system is compiled, and of cases for
    one in each of them.
    """
    if isinstance(e, sp.Add):
        return sp.Abs(-e if e.could_extract_minus_sign() else e, evaluate=False)
    if isinstance(e, sp.Piecewise):
        return sp.Abs(e, evaluate=False)
    found = sp.Abs(e)
    return sp.Abs(e, evaluate=False) if found.has(sp.conjugate) else found


def _product(factors: tuple[sp.Expr, ...], without: int) -> sp.Expr:
    """|a b c ...| of all factors but one."""
    return sp.Mul(*(_absolute(factor) for k, factor in enumerate(factors) if k != without))


def _slope(e: sp.Expr) -> sp.Expr:
    """f'(a) of f(a)."""
    x = sp.Dummy("x", real=True)
    return e.func(x).diff(x).xreplace({x: e.args[0]})


def guard_size(guard: sp.Expr) -> sp.Expr:
    """The size of the terms of what is watched.

    A case that is a number stands for "nothing to watch now", as that of a switch which does not slide. It is no sum of
    terms, is exact and has no unit: beside the terms of the other cases 1 would be everything or nothing, by the units.
    """
    if not isinstance(guard, sp.Piecewise):
        return magnitude(guard)
    sizes = ((sp.Integer(0) if case.is_number else magnitude(case), condition) for case, condition in guard.args)
    return sp.Piecewise(*sizes)


def size_rows(model: Model) -> list[sp.Expr]:
    """The sizes of all gaps, then of all joints, of what is watched, of all slip velocities."""
    gaps, slips = ([getattr(contact, name) for contact in model.contacts] for name in ("gap", "slip"))
    lengths, speeds = (
        [sp.Integer(0) if expression is None else magnitude(expression) for expression in expressions]
        for expressions in ((*gaps, *model.joints.values()), slips)
    )
    return [*lengths, *map(guard_size, model.watched), *speeds]
