"""|b|, Max and Min as choices between smooth branches by the signs of their borders.

    |b| = b where b > 0, else -b ;   Max(a, b) = a where a - b > 0, else b ;   nested ones leaf by leaf,

and what their derivatives decide by, Heaviside(d + Min(a, b)), is 1 where a + d > 0 and b + d > 0. So a step can hold
the sides of all borders that they share with a jump (held_sides.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import sympy as sp

from jounce.model.cases import Piecewise
from jounce.model.curves import Curve
from jounce.model.jumps import NOT_SMOOTH

CHOICES = (sp.Abs, sp.Max, sp.Min)
#: Branches of one choice; what has more is left as it is written.
MOST_BRANCHES = 8

#: Border -> the condition that it is positive.
Positive = Callable[[sp.Expr], sp.Basic]
Branch = tuple[sp.Expr, tuple[sp.Basic, ...]]


def is_open(part: sp.Expr) -> bool:
    """Whether a choice is one between smooth expressions, few enough to be written out."""
    if isinstance(part, sp.Abs):
        return not part.args[0].has(*NOT_SMOOTH, Curve)
    leaves = 0
    for argument in part.args:
        if isinstance(argument, sp.Max | sp.Min):
            if not is_open(argument):
                return False
            leaves += _leaves(argument)
        elif argument.has(*NOT_SMOOTH, Curve):
            return False
        else:
            leaves += 1
    return 2 ** (leaves - 1) <= MOST_BRANCHES


def _leaves(part: sp.Expr) -> int:
    return sum(_leaves(argument) for argument in part.args) if isinstance(part, sp.Max | sp.Min) else 1


def chosen(part: sp.Expr, is_positive: Positive) -> sp.Expr:
    """An open choice, decided by the signs of its borders."""
    if isinstance(part, sp.Abs):
        b = part.args[0]
        return Piecewise((b, is_positive(b)), (-b, sp.true))
    *first, (last, _) = _branches(part, is_positive)
    return Piecewise(*((leaf, _joined(sp.And, sp.true, conditions)) for leaf, conditions in first), (last, sp.true))


def _branches(part: sp.Expr, is_positive: Positive) -> list[Branch]:
    """(leaf, conditions under which it is what the choice is), one of which holds."""
    if not isinstance(part, sp.Max | sp.Min):
        return [(part, ())]
    sign = 1 if isinstance(part, sp.Max) else -1
    found, *others = (_branches(argument, is_positive) for argument in sorted(part.args, key=sp.default_sort_key))
    for other in others:
        both = []
        for (a, of_a), (b, of_b) in product(found, other):
            larger = is_positive(sign * (a - b))
            if larger != sp.false:
                both.append((a, (*of_a, *of_b, larger)))
            if larger != sp.true:
                both.append((b, (*of_a, *of_b, sp.Not(larger, evaluate=False))))
        found = both
    return found


def sign_of_choice(part: sp.Expr, is_positive: Positive) -> sp.Expr | None:
    """sign or Heaviside of an argument with open choices, by the signs of smooth borders; None for other arguments."""
    condition = _positive(part.args[0], is_positive)
    return None if condition is None else Piecewise((1, condition), (-1 if isinstance(part, sp.sign) else 0, sp.true))


def _positive(argument: sp.Expr, is_positive: Positive) -> sp.Basic | None:
    """The condition that an expression of the form +-Max or +-Min plus smooth terms is positive; None for others."""
    if not argument.has(*CHOICES):
        return is_positive(argument)
    kinked = [term for term in sp.Add.make_args(argument) if term.has(*CHOICES)]
    if len(kinked) != 1:
        return None
    rest = argument - kinked[0]
    factor, choice = kinked[0].as_coeff_Mul()
    if not isinstance(choice, sp.Max | sp.Min) or not is_open(choice) or not factor.is_number:
        return None
    parts = [_positive(factor * leaf + rest, is_positive) for leaf in choice.args]
    if any(part is None for part in parts):
        return None
    # the larger of two is positive where one of them is; so is the smaller one times a negative number
    either = isinstance(choice, sp.Max) == bool(factor > 0)
    return _joined(sp.Or, sp.false, parts) if either else _joined(sp.And, sp.true, parts)


def _joined(kind: type[sp.And] | type[sp.Or], neutral: sp.Basic, conditions: Sequence[sp.Basic]) -> sp.Basic:
    """All or one of the conditions, as they are written; SymPy would compare them with each other."""
    asked = [condition for condition in conditions if condition != neutral]
    decides = sp.Not(neutral)
    if decides in asked:
        return decides
    return kind(*asked, evaluate=False) if len(asked) > 1 else asked[0] if asked else neutral
