"""The period doublings of a bouncing ball from its impact times alone, in 30 digits; A = 1.

A flight from t_i to t_(i+1) over s = t_(i+1) - t_i begins with v_i = (sin(omega t_(i+1)) - sin(omega t_i))/s + g s/2,
and Newton's law at its end, v_(i+1) = -e (v_i - g s) + (1 + e) omega cos(omega t_(i+1)), is one equation for each
bounce of n bounces in n periods. A multiplier is -1 where the equations, linearised, have a solution that comes back
with the opposite sign: det of the matrix whose terms across the end of the period have theirs reversed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mpmath as mp

from tests.orbits.closed_form import G


def flip(e: float, omega: float, times: Sequence[float]) -> float:
    """The frequency of the flip of the orbit with about these impact times at about this frequency."""
    with mp.workdps(30):
        count = len(times)
        found = mp.findroot(lambda *x: _equations(mp.mpf(e), x[:count], x[count]), [*times, omega], tol=1e-22)
        return float(found[count])


def _equations(e: Any, times: Sequence[Any], omega: Any) -> list[Any]:
    laws = [_law(e, omega, *_neighbours(times, omega, i)) for i in range(len(times))]
    return [*laws, mp.det(_matrix(e, times, omega))]


def _neighbours(times: Sequence[Any], omega: Any, i: int) -> list[Any]:
    """t_(i-1), t_i, t_(i+1), the orbit continued."""
    count, period = len(times), 2 * mp.pi * len(times) / omega
    return [times[k % count] + (k // count) * period for k in (i - 1, i, i + 1)]


def _law(e: Any, omega: Any, before: Any, now: Any, after: Any) -> Any:
    arriving, leaving = now - before, after - now
    fall = (mp.sin(omega * now) - mp.sin(omega * before)) / arriving - G * arriving / 2
    rise = (mp.sin(omega * after) - mp.sin(omega * now)) / leaving + G * leaving / 2
    return rise + e * fall - (1 + e) * omega * mp.cos(omega * now)


def _matrix(e: Any, times: Sequence[Any], omega: Any) -> Any:
    """d law_i/d t_k by central differences of half the working digits, the wrap reversed in sign."""
    count, h = len(times), mp.mpf(10) ** -10
    matrix = mp.zeros(count)
    for i in range(count):
        for offset in (-1, 0, 1):
            ends = []
            for side in (h, -h):
                moved = _neighbours(times, omega, i)
                moved[offset + 1] += side
                ends.append(_law(e, omega, *moved))
            sign = -1 if not 0 <= i + offset < count else 1
            matrix[i, (i + offset) % count] += sign * (ends[0] - ends[1]) / (2 * h)
    return matrix
