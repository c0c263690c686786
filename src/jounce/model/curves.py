"""A curve of polynomials from point to point, as one node of an expression.

SymPy's Piecewise has a case for each piece, and every derivative, replacement and comparison walks through all of them:
a cam of a hundred points took a minute to compile. Here the pieces are numbers inside a leaf; what SymPy sees is a
function of one variable whose derivative is another one. With breaks b_1 < ... < b_n there are n + 1 pieces,

    f(x) = sum_j c_kj (x - a_k)^(d-j),    k = number of breaks <= x,    a_0 = b_1, a_k = b_k,

each a tuple of coefficients, the highest power first. A curve that repeats has a period, b_n - b_1, and x is taken to
[b_1, b_n) before.
"""

from __future__ import annotations

import hashlib
import math
from bisect import bisect_right
from typing import Any

import numpy as np
import sympy as sp

from jounce.model.cases import Piecewise

Numbers = tuple[float, ...]
#: Steps see a jump of the third derivative of a force in their error; at jumps of lower ones they have to end.
ROUGH = 2
POINTS = "points_"  # begins the names of curves
# derivatives that differ by less than this part of the largest one at any break are those of a smooth curve
_ROUNDING = 1e-9
_QUADRATIC = 3  # coefficients of a polynomial whose zeros have a formula


class Points(sp.AtomicExpr):
    """The breaks of a curve, the coefficients of its pieces, and whether it repeats."""

    breaks: Numbers
    pieces: tuple[Numbers, ...]
    repeats: bool

    def __new__(cls, breaks: Any, pieces: Any, repeats: bool = False) -> Any:
        """Numbers; there is one piece more than breaks, and a curve that repeats does not use the outer two."""
        made = sp.AtomicExpr.__new__(cls)
        made.breaks = tuple(map(float, breaks))
        made.pieces = tuple(tuple(map(float, piece)) for piece in pieces)
        made.repeats = repeats
        return made

    def __getnewargs__(self) -> tuple[Numbers, tuple[Numbers, ...], bool]:
        return self.breaks, self.pieces, self.repeats

    _hashable_content = __getnewargs__

    @property
    def period(self) -> float:
        """After which the curve repeats, if it does."""
        return self.breaks[-1] - self.breaks[0]

    def _sympystr(self, _: Any) -> str:
        """A name that two curves do not share: SymPy orders leaves by it."""
        return f"{POINTS}{hashlib.sha256(repr(self._hashable_content()).encode()).hexdigest()[:12]}"

    def _pythoncode(self, _: Any) -> str:
        """What SymPy's ``lambdify`` hands to ``Curve``."""
        return repr(self.__getnewargs__())

    _numpycode = _pythoncode

    def anchor(self, k: int) -> float:
        """Where the variable of piece k is zero."""
        return self.breaks[max(k - 1, 0)]

    def value(self, x: float) -> float:
        """f(x)."""
        if self.repeats:
            x -= self.period * math.floor((x - self.breaks[0]) / self.period) if math.isfinite(x) else math.nan
        k = bisect_right(self.breaks, x)
        return float(_value(self.pieces[k], x - self.anchor(k)))

    def cases(self, x: sp.Expr) -> Piecewise:
        """f(x) with each piece written out."""
        if self.repeats:
            middle, turns = sp.Float((self.breaks[0] + self.breaks[-1]) / 2), self.period / (2 * sp.pi)
            x = middle + turns * sp.atan2(sp.sin((x - middle) / turns), sp.cos((x - middle) / turns))
        written = [_value(tuple(map(sp.Float, piece)), x - self.anchor(k)) for k, piece in enumerate(self.pieces)]
        conditions = [x < sp.Float(here) for here in self.breaks]
        return Piecewise(*zip(written, [*conditions, sp.true], strict=True))

    def slope(self) -> Points:
        """The points of f'."""
        return Points(self.breaks, [_derivative(piece) for piece in self.pieces], self.repeats)

    def continued(self) -> Points:
        """A curve that does not repeat, with its first and last inner piece twice as long, and going on beyond."""
        low, high = self.breaks[1] - self.breaks[0], self.breaks[-1] - self.breaks[-2]
        first, last = _shifted(self.pieces[1], -low), _shifted(self.pieces[-2], 2.0 * high)
        inner = [first, *self.pieces[2:-1]]
        if len(self.breaks) == 2:  # one piece, longer on both sides
            last = _shifted(first, low + 2.0 * high)
        breaks = [self.breaks[0] - low, *self.breaks[1:-1], self.breaks[-1] + high]
        return Points(breaks, [first, *inner, last])

    def integral(self) -> Points:
        """The points of the integral from 0 on, of a curve that does not repeat."""
        pieces = [_antiderivative(piece) for piece in self.pieces]
        begins = [0.0, 0.0]  # at the anchors: the first two pieces have the same one
        for k in range(1, len(self.breaks)):
            begins.append(begins[k] + _value(pieces[k], self.breaks[k] - self.breaks[k - 1]))
        raised = [(*piece[:-1], begin) for piece, begin in zip(pieces, begins, strict=True)]
        zero = Points(self.breaks, raised).value(0.0)
        return Points(self.breaks, [(*piece[:-1], piece[-1] - zero) for piece in raised])

    def extent(self) -> list[tuple[float, float]]:
        """The least and the largest value of each piece."""
        ends = [-math.inf, *self.breaks, math.inf]
        return [
            _range(piece, ends[k] - self.anchor(k), ends[k + 1] - self.anchor(k)) for k, piece in enumerate(self.pieces)
        ]

    def roughness(self) -> int:
        """The lowest derivative that jumps at a break, by more than rounding; 4 where none below the fourth does."""
        curve = self
        for order in range(4):
            before = [_value(curve.pieces[k], here - curve.anchor(k)) for k, here in enumerate(curve.breaks)]
            after = [piece[-1] for piece in curve.pieces[1:]]
            size = max(map(abs, (*before, *after)))
            if any(abs(a - b) > _ROUNDING * size for a, b in zip(after, before, strict=True)):
                return order
            curve = curve.slope()
        return 4

    def crossings(self, x: sp.Expr, above: float = -math.inf) -> sp.Expr:
        """A function of x that changes its sign at the breaks: a sine where they are even and the curve repeats.

        Else a curve of parabolas of alternating sign, with slope 1 at the breaks. Over a curve that repeats signs must
        alternate from the last piece to the first too: there is a zero more inside a last piece of an odd number.
        """
        places = [here for here in self.breaks if here > above]
        if not places:
            return sp.Integer(0)
        widths = np.diff(places)
        if self.repeats and np.ptp(widths) < _ROUNDING * widths.min():
            return sp.sin(sp.pi * (len(widths) / self.period) * (x - places[0]))
        if self.repeats and len(widths) % 2:
            places.insert(-1, (places[-2] + places[-1]) / 2)
        signs = [1.0 if k % 2 == 0 else -1.0 for k in range(len(places))]
        inner = [(-sign / (b - a), sign, 0.0) for sign, a, b in zip(signs, places, places[1:], strict=False)]
        return Curve(x, Points(places, [(1.0, 0.0), *inner, (signs[-1], 0.0)], self.repeats))


class Curve(sp.Function):
    """f(argument) of a curve through points."""

    nargs = 2
    is_real = True

    @staticmethod
    def _imp_(x: Any, content: tuple[Numbers, tuple[Numbers, ...], bool]) -> Any:
        """What SymPy's ``lambdify`` calls: the values at numbers or arrays."""
        breaks, pieces, repeats = content
        if repeats:
            period = breaks[-1] - breaks[0]
            x = x - period * np.floor((x - breaks[0]) / period)
        k = np.searchsorted(breaks, x, side="right")
        width = max(map(len, pieces))
        coefficients = np.array([(0.0,) * (width - len(piece)) + piece for piece in pieces])[k]
        step = x - np.array(breaks)[np.maximum(k - 1, 0)]
        return _value([coefficients[..., power] for power in range(width)], step)

    def __new__(cls, argument: Any, points: Points, **_: Any) -> Any:
        """A number where the argument is one, or where the curve is zero everywhere."""
        if not any(c for piece in points.pieces for c in piece):
            return sp.Integer(0)
        if argument.is_Number:
            return sp.Float(points.value(float(argument)))
        return sp.Expr.__new__(cls, argument, points)

    def fdiff(self, argindex: int = 1) -> Any:
        """The curve of the derivative."""
        return Curve(self.args[0], self.args[1].slope()) if argindex == 1 else sp.Integer(0)


def _value(piece: Any, step: Any) -> Any:
    """A polynomial by Horner's rule."""
    total = piece[0]
    for coefficient in piece[1:]:
        total = total * step + coefficient
    return total


def _range(piece: Numbers, first: float, last: float) -> tuple[float, float]:
    """The range of a polynomial of at most the fourth degree; everything where it is not constant on a half line."""
    slope = _derivative(piece)
    if not (math.isfinite(first) and math.isfinite(last)):
        return (-math.inf, math.inf) if any(slope) else (piece[-1], piece[-1])
    if len(slope) > _QUADRATIC:
        zeros = np.roots(slope).real.tolist()  # the real part of any other one is a place like any other
    else:
        a, b, c = ((0.0,) * (3 - len(slope)) + slope)[-3:]
        root = math.sqrt(max(b * b - 4 * a * c, 0.0))
        halves = [-(b + root) / 2, -(b - root) / 2]  # a s and c/s of the zeros s of a s^2 + b s + c
        zeros = [half / a for half in halves if a != 0.0] + [c / half for half in halves if half != 0.0]
    values = [_value(piece, step) for step in (first, last, *(zero for zero in zeros if first < zero < last))]
    return min(values), max(values)


def _shifted(piece: Numbers, step: float) -> Numbers:
    """The coefficients of a polynomial whose variable is zero where that of the piece is ``step``: Taylor's."""
    found: list[float] = []
    for order in range(len(piece)):
        found.append(_value(piece, step) / math.factorial(order))
        piece = _derivative(piece)
    return tuple(found[::-1])


def _antiderivative(piece: Numbers) -> Numbers:
    return (*(c / (len(piece) - j) for j, c in enumerate(piece)), 0.0)


def _derivative(piece: Numbers) -> Numbers:
    degree = len(piece) - 1
    return tuple((degree - j) * c for j, c in enumerate(piece[:-1])) or (0.0,)
