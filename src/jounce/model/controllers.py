"""Controllers that look at the state at a rate of their own and hold their outputs in between.

A sample at t = k T computes what the outputs become; they take effect at t = k T + delay. Both are resets at zeros of
functions of time alone, sin(pi t/T), which a model sees in the same way in every period: sections, orbits and runs that
are cut and gone on with need not know how many samples have passed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model.expressions import as_expression
from jounce.model.resets import Reset
from jounce.model.symbols import DiscreteSymbol, discrete, time
from jounce.units import in_seconds

MOST_DELAYED = 16  # samples on their way


def sampled(outputs: Mapping[Any, Any], every: Any, *, delay: Any = 0, name: str = "sample") -> list[Reset]:
    """The resets of a sampled controller: ``resets=sampled({F: -k*x - d*dx}, every=1e-3, delay=4e-4)``.

    outputs   {discrete state: expression}: what is held, and what a sample makes of it; until the first sample has
              taken effect an output has its value at the start
    every     the time between two samples, at t = 0, every, 2 every, ...: a number, a text such as "1 ms" or a
              parameter. A run that starts at such a time begins behind it
    delay     from a sample to its effect: a number; a parameter if it stays below ``every``
    name      of the resets, in the table of events

    >>> x, dx = jounce.coordinate("x", "m")
    >>> F = jounce.discrete("F", unit="N")
    >>> resets = jounce.sampled({F: -4 * x - 4 * dx}, every=0.01)
    >>> cart = jounce.Model("cart", [x], [1], [F], resets=resets, start={x: 1.0})
    >>> abs(jounce.simulate(cart, None, t_end=5.0).final["x"]) < 1e-3
    True
    """
    if not isinstance(outputs, Mapping) or not outputs:
        raise ModelError(f"sampled: expected a dictionary {{discrete state: expression}}, not {outputs!r}")
    for symbol in outputs:
        if not isinstance(symbol, DiscreteSymbol):
            raise ModelError(
                f"sampled: {symbol!s} is no discrete state; make one with jounce.discrete({str(symbol)!r})"
            )
    period = _positive(in_seconds(every, "sampled: every", ModelError), "every")
    later = in_seconds(delay, "sampled: delay", ModelError)
    whole, rest = _parts(as_expression(later, "sampled: delay"), period)
    if whole == 0 and rest == 0:
        return [Reset(_clock(0, period), dict(outputs), name=name)]
    taken: dict[Any, Any] = {}
    acting: dict[Any, Any] = {}
    count = whole + 1 if rest != 0 else whole  # samples that are kept
    for symbol, value in outputs.items():
        kept = [discrete(f"{symbol.name}_{name}_{k}", symbol.state.default, symbol.state.unit) for k in range(count)]
        taken |= dict(zip(kept, [value, *kept[:-1]], strict=True))
        acting[symbol] = kept[-1]
    if rest == 0:
        return [Reset(_clock(0, period), taken | acting, name=name)]
    return [
        Reset(_clock(0, period), taken, name=name),
        Reset(_clock(rest, period), acting, name=f"{name}_acts"),
    ]


def _clock(offset: Any, period: sp.Expr) -> sp.Expr:
    """Zero at offset, offset + period, offset + 2 period, ..."""
    return sp.sin(sp.pi * (time - offset) / period)


def _positive(value: Any, what: str) -> sp.Expr:
    expression = as_expression(value, f"sampled: {what}")
    if expression.is_number and not expression > 0:
        raise ModelError(f"sampled: {what} is {value!r}; it must be a positive time")
    return expression


def _parts(delay: sp.Expr, period: sp.Expr) -> tuple[int, sp.Expr]:
    """The delay in whole periods, and what is left of it."""
    if not (delay.is_number and period.is_number):
        return 0, delay  # in parameters: less than a period, as the documentation says
    if delay < 0:
        raise ModelError(f"sampled: the delay is {delay}; it must not be negative")
    whole = math.floor(float(delay) / float(period) * (1 + 4e-16))
    rest = delay - whole * period
    rest = sp.Integer(0) if abs(float(rest)) < 1e-12 * float(period) else rest
    if whole > MOST_DELAYED:
        raise ModelError(
            f"sampled: the delay is {whole} times the period; at most {MOST_DELAYED} samples may be on their way"
        )
    return whole, rest
