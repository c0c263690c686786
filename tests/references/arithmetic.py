"""Arithmetic of 40 digits and a root search that cannot step over a root.

The context is our own, so no other user of mpmath changes its precision. A Python float enters as the binary number
it is: the reference answers for exactly the parameters that the engine is given.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from mpmath.ctx_mp import MPContext

DIGITS = 40
mp = MPContext()
mp.dps = DIGITS

Number = Any
Guard = Callable[[Any], tuple[Any, Any]]


def first_root(
    guards: Sequence[Guard], curvature: Number, t: Number, touching: Collection[int] = (), t_max: Number = None
) -> tuple[Any, int] | None:
    """The first zero of any guard after t, as (time, index of the guard), or None before t_max.

    A guard returns (g, g') and has g'' >= -K, K the curvature. From g >= 0 then
        g(t + s) >= g + g' s - K s^2 / 2 > 0   for   0 < s < 2 g / (sqrt(g'^2 + 2 K g) - g'),
    so that step crosses no zero. Repeated, it converges to the first zero from the left: quadratically where g' < 0,
    as Newton's method does. The guards named in ``touching`` start at their own zero, with g = 0 exactly.
    """
    t, K = mp.mpf(t), mp.mpf(curvature)
    resolution = mp.mpf(2) ** (8 - mp.prec)
    while t_max is None or t < t_max:
        step, nearest = mp.inf, -1
        for i, guard in enumerate(guards):
            g, rate = guard(t)
            if i in touching:
                g = mp.mpf(0)
            if g <= 0 and rate <= 0:
                return t, i
            if g < 0:
                raise ValueError(
                    f"guard {i} is negative and rising at t={mp.nstr(t, 12)}: the search started below zero"
                )
            root = mp.sqrt(rate * rate + 2 * K * g)
            reach = 2 * g / (root - rate) if rate < 0 else (rate + root) / K
            if reach < step:
                step, nearest = reach, i
        if step <= resolution * max(1, abs(t)):
            return t, nearest
        t, touching = t + step, ()
    return None


def first_return(
    guard: Guard, order: int, leading: Number, bound: Number, curvature: Number, t: Number, t_max: Number = None
) -> Any:
    """The first zero after t (None if not before t_max) of a guard that starts with a zero of the given order.

    With g = ... = g^(m-1) = 0, g^(m) = c > 0 and |g^(m+1)| <= b at the start, g > 0 for 0 < s < (m+1) c / b:
    the search of ``first_root`` begins in the middle of that interval.
    """
    start = mp.mpf(t) + (order + 1) * mp.mpf(leading) / (2 * mp.mpf(bound))
    found = first_root([guard], curvature, start, t_max=t_max)
    return None if found is None else found[0]
