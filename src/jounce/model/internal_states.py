"""Internal states: numbers with a rate equation of their own, z' = f(t, q, u, z).

An internal state is the velocity of a coordinate of its own, the integral of z over time, on which nothing depends. Its
equation of motion is m z' = m f, so that integration, guards, impacts (M is block diagonal), derivatives of the flow
and orbits need nothing new: the integral is a coordinate that appears nowhere, which need not return. The mass m is so
small that no sum of energies or of squares in the metric of M feels it, and a power of two, so that m f / m is f to the
last bit. Where scales are shared between coordinates, a mass below MASSLESS has no share (kernels/records/scales.py).

    z = jounce.internal("z", "m")
    jounce.Model(..., rates={z: dx - abs(dx) * z / length})
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model.expressions import as_expression
from jounce.model.names import integral_name, is_integral
from jounce.model.symbols import CoordinateSymbol

#: The mass of an internal state; kernels/records/tolerances has MASSLESS above it.
MASS = sp.Float(2.0**-600)


def checked_rates(given: Any) -> dict[Any, Any]:
    """The rates by their symbols or names; a ModelError for anything else."""
    if not isinstance(given, Mapping):
        raise ModelError(f"rates: expected a dictionary internal state -> rate, not {given!r}")
    for key in given:
        if not isinstance(key, str | sp.Symbol):
            raise ModelError(f"rates: {key!r} is no internal state; make one with jounce.internal('z', 'm')")
    return dict(given)


def state_name(key: Any) -> str:
    """The name of an internal state, which is a symbol or a name."""
    return key if isinstance(key, str) else str(key.name)


def integrals(rates: Mapping[Any, Any]) -> dict[str, str]:
    """Name -> unit of the coordinates that the internal states add."""
    units = {key: getattr(key, "unit", "") for key in rates}
    return {integral_name(state_name(key)): f"{unit} s".strip() for key, unit in units.items()}


def internal_scales(rates: Mapping[Any, Any]) -> dict[str, float]:
    """The scales that were given with the symbols."""
    return {key.name: key.scale for key in rates if isinstance(key, CoordinateSymbol) and key.scale > 0.0}


def extended_mass(rows: list[list[Any]], n: int, count: int) -> list[list[Any]]:
    """The mass matrix of n coordinates with one more row and column for each internal state."""
    if all(len(row) == 1 for row in rows) and len(rows) == n:
        return [*rows, *([MASS] for _ in range(count))]
    extra = [[MASS if j == n + k else 0 for j in range(n + count)] for k in range(count)]
    return [*([*row, *[0] * count] for row in rows), *extra]


def extended_forces(given: Any, rates: Mapping[Any, Any]) -> Any:
    """The forces with those that make the rates."""
    pushed = {
        integral_name(state_name(key)): MASS * as_expression(rate, f"rate of {state_name(key)!r}")
        for key, rate in rates.items()
    }
    if isinstance(given, Mapping):
        return {**given, **pushed}
    listed = list(given) if isinstance(given, list | tuple | sp.MatrixBase) else [given]
    return [*listed, *pushed.values()]


def rates_of(coordinates: Mapping[str, str], forces: sp.MatrixBase) -> dict[str, sp.Expr]:
    """The rates as they were given, by the names of the integrals."""
    pairs = zip(coordinates, forces, strict=True)
    one = {sp.Float(1.0): sp.Integer(1), sp.Float(-1.0): sp.Integer(-1)}
    return {name: (force / MASS).xreplace(one) for name, force in pairs if is_integral(name)}
