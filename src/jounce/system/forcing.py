"""The period of a system's forcing, and whether the system is known to repeat after it (model/time_dependence.py)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.kernels.records.tolerances import WHOLE_CYCLES
from jounce.toolchain.c_function import address_of

if TYPE_CHECKING:
    import sympy as sp


@dataclass(frozen=True)
class Forcing:
    """What is known of a stated period at any parameters.

    numbers      of a parameter vector: the period, then how often each part of the model repeats in it
    known        False: time stands in the model in a way that shows nothing
    parameters   the places of the parameters that any of this depends on
    """

    numbers: Callable[[np.ndarray], Sequence[float]] = field(compare=False)
    known: bool
    parameters: tuple[int, ...]

    def period(self, p: np.ndarray) -> float:
        """The period that the model states; not a number where it has no value."""
        period = float(self._values(p)[0])
        return period if math.isfinite(period) else math.nan

    def turn(self, p: np.ndarray) -> float:
        """The same where the model repeats after it; 0 where that is not so or not known."""
        period, *cycles = self._values(p)
        return float(period) if self.known and 0.0 < period < math.inf and _are_whole(cycles) else 0.0

    def _values(self, p: np.ndarray) -> Sequence[float]:
        try:
            return self.numbers(p)
        except (ArithmeticError, TypeError, ValueError):
            return (math.nan,)


def _are_whole(cycles: Sequence[float]) -> bool:
    return all(math.isfinite(n) and abs(n - round(n)) <= WHOLE_CYCLES * max(1.0, abs(n)) for n in cycles)


def compiled_forcing(function: Any, count: int, parameters: Sequence[int]) -> Forcing:
    """That of a generated function, which writes the period and ``count`` numbers behind it; -1: nothing is known."""
    width = 1 + max(count, 0)

    def numbers(p: np.ndarray) -> Sequence[float]:
        values = np.empty(p.size + width)
        values[: p.size] = p
        begin = address_of(values)  # once: to ask where an array lies takes longer than the function
        function.at_addresses(0.0, 0, 0, begin, begin + values.itemsize * p.size)
        return values[p.size :].tolist()

    return Forcing(numbers, count >= 0, tuple(parameters))


def forcing_of(period: sp.Expr, cycles: Sequence[sp.Expr] | None, parameters: Sequence[sp.Symbol]) -> Forcing:
    """That of expressions, for a machine that runs from tables."""
    import sympy as sp  # whoever has expressions has loaded it

    outputs = [period, *(cycles or ())]
    function = sp.lambdify(parameters, outputs, "math")
    used = {symbol for output in outputs for symbol in output.free_symbols}
    places = tuple(k for k, symbol in enumerate(parameters) if symbol in used)
    return Forcing(lambda p: function(*p.tolist()), cycles is not None, places)
