"""The friction from which sliding can be paradoxical: A = W_N.M^-1.W_N - s mu W_N.M^-1.W_T vanishes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.analysis.painleve.closing import (
    Axis,
    Closure,
    close_grid,
    close_positions,
    grid_rows,
    make_axes,
    make_closure,
)
from jounce.analysis.painleve.scalar_problem import Array, as_rows, check_slip, evaluate_rows, make_problem
from jounce.errors import OptionError
from jounce.system import State, System
from jounce.system.inputs import beside_parameters

# Local minima of the sampled curve that are polished: the best of them is the global one unless the sampling is coarse.
_CANDIDATES = 4


@dataclass(frozen=True)
class CriticalFriction:
    """The friction at which A = 0 in one configuration, and the direction of slip in which that happens.

    >>> system = jounce.compile_model(jounce.systems.manipulator())
    >>> found = jounce.painleve.critical_friction(system)
    >>> found.slip
    1
    """

    mu: float
    """Infinite where no friction makes A vanish."""
    slip: int

    def __float__(self) -> float:
        return self.mu


@dataclass(frozen=True)
class MinimalFriction:
    """The smallest critical friction over a range, where it is, and the sampled curve it was found on.

    >>> system = jounce.compile_model(jounce.systems.manipulator())
    >>> found = jounce.painleve.minimal_critical_friction(system, {"theta1": (-0.8, 0.8)})
    >>> round(found.state["theta1"], 3)
    0.716
    """

    mu: float
    slip: int
    state: State
    names: tuple[str, ...]
    values: tuple[Array, ...]
    curve: Array
    """mu over the grid of ``values``; NaN where closed contact cannot be, infinite where no friction is critical."""
    units: tuple[str, ...]

    def __float__(self) -> float:
        return self.mu


@beside_parameters
def critical_friction(
    system: System,
    state: State | None = None,
    contact: str | None = None,
    slip: int | None = None,
    *,
    modes: Mapping[str, str] | None = None,
    **parameters: float | str,
) -> CriticalFriction:
    """The friction at which A = 0 in a configuration: mu = W_N.M^-1.W_N / |W_N.M^-1.W_T| (Liu, Zhao & Chen (13)).

    A vanishes in one direction of slip only, the one in which s W_N.M^-1.W_T > 0. With ``slip`` given, the value is
    infinite if that is the other one. Friction between the other closed contacts (``modes``) keeps its own value.

    >>> system = jounce.compile_model(jounce.systems.manipulator())
    >>> round(float(jounce.painleve.critical_friction(system).mu), 4)
    0.4855
    """
    problem = make_problem(system, contact, modes, parameters)
    motion = evaluate_rows(problem, *as_rows(system.state() if state is None else state))
    ratios = _ratios(motion.coupling, motion.inverse_mass, slip)
    best = max(ratios, key=lambda sign: float(ratios[sign][0]))
    return CriticalFriction(float(_friction(ratios[best])[0]), best)


@beside_parameters
def minimal_critical_friction(
    system: System,
    over: Mapping[str, Any],
    contact: str | None = None,
    slip: int | None = None,
    *,
    state: State | None = None,
    points: int | None = None,
    solve_for: Sequence[str] | str | None = None,
    modes: Mapping[str, str] | None = None,
    **parameters: float | str,
) -> MinimalFriction:
    """The smallest critical friction over one or two coordinates, the contact kept closed.

    The range is sampled (``points`` along each axis), and the best local minima are polished. Minimised is not mu,
    which has poles, but its inverse with the sign reversed, which is smooth.

    >>> system = jounce.compile_model(jounce.systems.manipulator())
    >>> round(float(jounce.painleve.minimal_critical_friction(system, {"theta1": (-0.8, 0.8)})), 4)
    0.4806
    """
    problem = make_problem(system, contact, modes, parameters)
    axes = make_axes(system, over, points or (401 if len(over) == 1 else 161), (1, 2))
    for axis in axes:
        if axis.kind == "velocity":
            raise OptionError(f"over: the critical friction depends on coordinates only, not on {axis.name}")
    closure = make_closure(problem, state, axes, solve_for)
    t, q, u = close_grid(closure, axes)
    motion = evaluate_rows(problem, *grid_rows(t, q, np.zeros_like(u)))
    sampled = {
        sign: part.reshape(t.shape) for sign, part in _ratios(motion.coupling, motion.inverse_mass, slip).items()
    }
    best = max((_polish(closure, axes, q, sign, ratio) for sign, ratio in sampled.items()), key=lambda found: found[0])
    ratio, sign, place, time = best
    if not math.isfinite(ratio):
        raise OptionError("no configuration of this range is reachable in closed contact; change range or base state")
    curve = _friction(np.maximum.reduce(list(sampled.values())))
    return MinimalFriction(
        mu=float(_friction(np.array([ratio]))[0]),
        slip=sign,
        state=State(time, place, np.zeros(system.n), system.coordinate_names),
        names=tuple(axis.name for axis in axes),
        values=tuple(axis.values for axis in axes),
        curve=curve,
        units=tuple(system.model.units[axis.name] for axis in axes),
    )


def _ratios(coupling: Array, inverse_mass: Array, slip: int | None) -> dict[int, Array]:
    """Slip -> 1/mu, negative where A grows with friction."""
    signs = (1, -1) if slip is None else (check_slip(slip),)
    with np.errstate(invalid="ignore", divide="ignore"):
        return {sign: sign * coupling / inverse_mass for sign in signs}


def _friction(ratio: Array) -> Array:
    with np.errstate(divide="ignore", invalid="ignore"):
        mu: Array = np.where(ratio > 0.0, 1.0 / ratio, np.where(np.isnan(ratio), np.nan, np.inf))
    return mu


def _polish(
    closure: Closure, axes: Sequence[Axis], q: Array, sign: int, ratio: Array
) -> tuple[float, int, Array, float]:
    """The largest 1/mu of one direction of slip: (1/mu, slip, q, t)."""
    found = (-math.inf, sign, closure.base.q, closure.base.t)
    for index in _peaks(ratio):
        place = q[index]
        best = _climb(closure, axes, place, sign, index)
        if best[0] > found[0]:
            found = best
    return found


def _peaks(ratio: Array) -> list[tuple[int, ...]]:
    """Grid points not below their neighbours, the highest first."""
    filled = np.where(np.isfinite(ratio), ratio, -np.inf)
    padded = np.pad(filled, 1, constant_values=-np.inf)
    core = tuple(slice(1, -1) for _ in range(ratio.ndim))
    peak = np.isfinite(filled)
    for axis in range(ratio.ndim):
        for shift in (1, -1):
            peak &= filled >= np.roll(padded, shift, axis=axis)[core]
    indices = [tuple(int(k) for k in index) for index in np.argwhere(peak)]
    return sorted(indices, key=lambda index: -filled[index])[:_CANDIDATES]


def _climb(
    closure: Closure, axes: Sequence[Axis], place: Array, sign: int, index: tuple[int, ...]
) -> tuple[float, int, Array, float]:
    """Polish one peak between its neighbours on the grid."""
    from scipy.optimize import minimize, minimize_scalar

    bounds = [
        (axis.values[max(k - 1, 0)], axis.values[min(k + 1, len(axis.values) - 1)])
        for axis, k in zip(axes, index, strict=True)
    ]
    low = np.array([bound[0] for bound in bounds])
    span = np.array([bound[1] - bound[0] for bound in bounds])
    centre = np.array([axis.values[k] for axis, k in zip(axes, index, strict=True)])

    worst = 1.0 + abs(_at(closure, axes, place, centre, sign)[0])  # for points that closed contact cannot reach

    def value(point: Any) -> float:
        ratio = _at(closure, axes, place, np.atleast_1d(point), sign)[0]
        return -ratio if math.isfinite(ratio) else worst

    def within(share: Any) -> float:
        return value(low + np.atleast_1d(share) * span)

    candidates = [centre, *(np.array([bound]) for bound in bounds[0] if len(axes) == 1)]
    if len(axes) == 1:
        share = minimize_scalar(within, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-12}).x
    else:
        settings = {"xatol": 1e-11, "fatol": 1e-15, "maxiter": 800}
        begin = (centre - low) / span
        share = minimize(within, begin, method="Nelder-Mead", bounds=[(0.0, 1.0)] * len(axes), options=settings).x
    candidates.append(low + np.atleast_1d(share) * span)
    best = min(candidates, key=value)
    ratio, q, t = _at(closure, axes, place, best, sign)
    return ratio, sign, q, t


def _at(closure: Closure, axes: Sequence[Axis], place: Array, point: Array, sign: int) -> tuple[float, Array, float]:
    """1/mu at one point of the range, closed from a neighbouring configuration; with q and t."""
    t, q = np.array([closure.base.t]), place[None, :].copy()
    for axis, x in zip(axes, point, strict=True):
        if axis.kind == "t":
            t[0] = x
        else:
            q[0, axis.index] = x
    q = close_positions(closure, t, q)
    motion = evaluate_rows(closure.problem, t, q, np.zeros_like(q))
    return float(_ratios(motion.coupling, motion.inverse_mass, sign)[sign][0]), q[0], float(t[0])
