"""States of closed contact: some coordinates and velocities follow from the others.

A closed contact (with the joints, and other closed contacts) makes g = 0 and gamma_N = 0. As many coordinates as there
are equations follow from the rest; they are found by Newton's method, marching from a known state so that a map stays
on one branch (the sign of the determinant of dg/dq in them changes where two branches meet, and ends the march).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jounce.analysis.painleve.scalar_problem import (
    Array,
    Problem,
    as_rows,
    contact_rows,
    joint_rows,
    make_problem,
    solve_rows,
)
from jounce.errors import OptionError, SimulationError, suggestion
from jounce.model.assembly import moving_cost
from jounce.simulation.modes import Mode
from jounce.simulation.watch import look
from jounce.system import State, System
from jounce.system.evaluation import contact_directions, joint_directions, rows_of
from jounce.system.inputs import beside_parameters

_NEWTON_STEPS = 40
_HALVINGS = 12
_CLOSED = (
    1e-12  # a Newton step this small, relative to the coordinates and to what gaps are made of, ends the iteration
)
_DEPENDENT = 1e-9  # a pivot this small, in rows of length 1, means that the equations do not fix the coordinate
_APPROACH_STEPS = 16  # from a state to closed contact, or to the nearest point of a map


@dataclass(frozen=True)
class Closure:
    """The equations of closed contact and the coordinates and velocities that follow from them."""

    problem: Problem
    base: State
    coordinates: tuple[int, ...]
    velocities: tuple[int, ...]
    branch: float
    """The sign of det(dg/dq) in the dependent coordinates at the base state."""


@dataclass(frozen=True)
class Axis:
    """One variable of a map: its name, its place and its values."""

    name: str
    kind: str
    """coordinate, velocity or t."""
    index: int
    values: Array

    @property
    def moves(self) -> bool:
        """Whether the configuration changes along the axis."""
        return self.kind != "velocity"


@beside_parameters
def closed_state(
    system: System,
    state: State | None = None,
    contact: str | None = None,
    *,
    solve_for: Sequence[str] | str | None = None,
    modes: Mapping[str, str] | None = None,
    **parameters: float | str,
) -> State:
    """The state of closed contact near a state: g = 0 and gamma_N = 0, with the joints closed as well.

    solve_for  the coordinates (with their velocities) that are changed; None: those that matter most for the gap

    >>> system = jounce.compile_model(jounce.systems.manipulator())
    >>> state = jounce.painleve.closed_state(system, v_t=0.0)
    >>> round(state["theta1"], 3)
    0.7
    """
    problem = make_problem(system, contact, modes, parameters)
    closure = make_closure(problem, state, (), solve_for)
    t, q, u = as_rows(closure.base)
    open_gaps = _positions(problem, t, q)[0]
    for part in np.linspace(1.0, 0.0, _APPROACH_STEPS + 1):  # little by little, so that no step leaps to another branch
        q = close_positions(closure, t, q, part * open_gaps)
    if not np.isfinite(q).all():
        raise SimulationError(_not_closed(closure))
    return State(float(t[0]), q[0], _close_velocities(closure, t, q, u)[0], system.coordinate_names)


def make_axes(system: System, over: Mapping[str, Any], points: int, sizes: tuple[int, ...]) -> list[Axis]:
    """Axes from {"theta1": (low, high), ...} or {"theta1": array of values}."""
    if not isinstance(over, Mapping) or len(over) not in sizes:
        wanted = " or ".join(map(str, sizes))
        raise OptionError(f"over must name {wanted} state variables with their ranges, like {{'theta': (0, 1.5)}}")
    valid = ["t", *system.coordinate_names, *system.velocity_names]
    axes = []
    for name, given in over.items():
        if name not in valid:
            raise OptionError(f"over: no state variable {name!r}; {suggestion(name, valid, 'state variables')}")
        values = np.asarray(given, dtype=np.float64)
        if values.shape == (2,):
            values = np.linspace(values[0], values[1], points)
        if values.ndim != 1 or len(values) < 3 or not np.isfinite(values).all() or not (np.diff(values) > 0.0).all():
            raise OptionError(f"over: {name} needs (low, high) with low < high, or at least 3 increasing values")
        kind = "t" if name == "t" else "coordinate" if name in system.coordinate_names else "velocity"
        names = system.velocity_names if kind == "velocity" else system.coordinate_names
        axes.append(Axis(name, kind, 0 if kind == "t" else names.index(name), values))
    return axes


def make_closure(
    problem: Problem, state: State | None, axes: Sequence[Axis], solve_for: Sequence[str] | str | None
) -> Closure:
    """Choose what follows from the contact: the coordinates on which the equations depend most, none of the axes'."""
    system = problem.system
    base = system.state() if state is None else state
    t, q, u = as_rows(base)
    taken = {axis.index for axis in axes if axis.kind != "t"}
    jacobian = _positions(problem, t, q)[1][0]
    chosen = _pivots(system, jacobian, taken) if solve_for is None else _named(system, solve_for, taken, len(jacobian))
    if len(chosen) < len(jacobian):
        raise OptionError(_too_few(problem, len(jacobian), len(chosen)))
    rates = _velocities(problem, t, q, u)[1][0]
    follow = chosen if len(rates) == len(chosen) else _pivots(system, rates, taken)
    branch = float(np.sign(np.linalg.det(jacobian[:, chosen])))
    if branch == 0.0 or len(follow) < len(rates):
        raise OptionError(_too_few(problem, len(rates), len(follow) if branch else 0))
    return Closure(problem, base, chosen, follow, branch)


def close_rows(closure: Closure, t: Array, q: Array, u: Array) -> tuple[Array, Array, Array]:
    """Rows of closed contact; NaN where there is none on the branch."""
    q = close_positions(closure, t, q)
    return t, q, _close_velocities(closure, t, q, u)


def close_positions(closure: Closure, t: Array, q: Array, target: Array | float = 0.0) -> Array:
    """Newton's method in the dependent coordinates, all rows at once; NaN where it does not converge on the branch.

    target  what gaps and joints are to become, normally zero
    """
    look()
    q, chosen = q.copy(), list(closure.coordinates)
    closed = np.zeros(len(q), dtype=np.bool_)
    with np.errstate(all="ignore"):
        values, jacobian = _positions(closure.problem, t, q)
        determinant = _determinants(jacobian[:, :, chosen])
        for _ in range(_NEWTON_STEPS):
            step = _newton_step(jacobian[:, :, chosen], values - target)
            part = np.ones((len(q), 1))
            for _ in range(_HALVINGS):
                trial = q.copy()
                trial[:, chosen] -= part * step
                values, jacobian = _positions(closure.problem, t, trial)
                after = _determinants(jacobian[:, :, chosen])
                # near the fold where branches meet a full step would leap onto another branch
                leap = np.isfinite(determinant) & ~((after / determinant > 0.2) & (after / determinant < 5.0))
                if not leap.any():
                    break
                part[leap] /= 2
            q, determinant = trial, after
            size = np.abs(q[:, chosen]) + _reach(jacobian[:, :, chosen], _terms(closure.problem, t, q))
            closed = (np.abs(step) <= _CLOSED * size).all(axis=1) & (part[:, 0] == 1.0)
            if (closed | ~np.isfinite(step).all(axis=1)).all():
                break
    q[~(closed & (np.sign(determinant) == closure.branch))] = np.nan
    return q


def close_grid(
    closure: Closure, axes: Sequence[Axis], progress: Callable[[float], None] | None = None
) -> tuple[Array, Array, Array]:
    """t, q, u over the grid of one or two axes, with shapes (*grid), (*grid, n), (*grid, n)."""
    system, base = closure.problem.system, closure.base
    shape = tuple(len(axis.values) for axis in axes)
    t = np.full(shape, base.t)
    q, u = (np.broadcast_to(part, (*shape, system.n)).copy() for part in (base.q, base.u))
    for k, axis in enumerate(axes):
        values = axis.values.reshape([-1 if k == j else 1 for j in range(len(axes))])
        if axis.kind == "t":
            t[...] = values
        else:
            (q if axis.kind == "coordinate" else u)[..., axis.index] = values
    q = _march(closure, axes, t, q, progress)
    rows = (t.ravel(), q.reshape(-1, system.n), u.reshape(-1, system.n))
    return t, q, _close_velocities(closure, *rows).reshape(u.shape)


def _determinants(matrices: Array) -> Array:
    return matrices[:, 0, 0] if matrices.shape[1] == 1 else np.asarray(np.linalg.det(matrices))


def _reach(jacobian: Array, terms: Array) -> Array:
    """By how much coordinates move where gaps change by all that they are made of: |J^-1| terms."""
    if jacobian.shape[1] == 1:
        return terms / np.abs(jacobian[:, :, 0])
    return np.asarray(np.abs(solve_rows(jacobian, terms[:, None, :] * np.eye(terms.shape[1]))).sum(axis=2))


def _newton_step(jacobian: Array, values: Array) -> Array:
    if jacobian.shape[1] == 1:  # by far the most frequent: one contact, no joints
        return values / jacobian[:, :, 0]
    return solve_rows(jacobian, values[:, :, None])[:, :, 0]


def _march(
    closure: Closure, axes: Sequence[Axis], t: Array, q: Array, progress: Callable[[float], None] | None
) -> Array:
    """Close the configurations from the point nearest to the base state outwards."""
    moving = [axis.moves for axis in axes]
    reduced = tuple(slice(None) if moves else slice(0, 1) for moves in moving)
    times, places = t[reduced], q[reduced].copy()
    if places.ndim == 2:
        times, places = times[:, None], places[:, None, :]
    origin = [_nearest(closure.base, axis) if axis.moves else 0 for axis in axes]
    row, column = (*origin, 0)[:2]
    chosen = list(closure.coordinates)
    guess = _approach(closure, times[row, column], places[row, column])
    guesses = np.empty((places.shape[1], len(chosen)))
    for order in _outwards(column, places.shape[1]):
        latest = guess
        for j in order:
            latest = _closed_or(closure, times[row, j : j + 1], places[row, j : j + 1], latest)
            guesses[j] = latest[0]
    done = 0
    for order in _outwards(row, places.shape[0]):
        latest = guesses
        for i in order:
            latest = _closed_or(closure, times[i], places[i], latest)
            done += 1
            if progress is not None:
                progress(done / places.shape[0])
    return np.broadcast_to(places.reshape(q[reduced].shape), q.shape).copy()


def _closed_or(closure: Closure, t: Array, q: Array, guess: Array) -> Array:
    """Close rows in place from a guess of the dependent coordinates; returns the guess for their neighbours."""
    chosen = list(closure.coordinates)
    q[:, chosen] = guess
    q[...] = close_positions(closure, t, q)
    found = np.isfinite(q).all(axis=1, keepdims=True)
    return np.where(found, q[:, chosen], guess)


def _approach(closure: Closure, t: float, place: Array) -> Array:
    """The dependent coordinates at the first point of a map, along a straight line from the base state."""
    q = closure.base.q[None, :].copy()
    chosen = list(closure.coordinates)
    for part in np.linspace(0.0, 1.0, _APPROACH_STEPS + 1):
        guess = q[:, chosen]
        q = ((1.0 - part) * closure.base.q + part * place)[None, :]
        guess = _closed_or(closure, np.array([(1.0 - part) * closure.base.t + part * t]), q, guess)
        q[:, chosen] = guess
    return q[:, chosen]


def _outwards(origin: int, count: int) -> Iterator[range]:
    yield range(origin, count)
    yield range(origin, -1, -1)


def _nearest(base: State, axis: Axis) -> int:
    value = base.t if axis.kind == "t" else base.q[axis.index]
    return int(np.argmin(np.abs(axis.values - value)))


def _close_velocities(closure: Closure, t: Array, q: Array, u: Array) -> Array:
    """gamma_N = 0 is linear in the velocities: one solution."""
    follow = list(closure.velocities)
    u = u.copy()
    u[:, follow] = 0.0
    with np.errstate(all="ignore"):
        rates, jacobian = _velocities(closure.problem, t, q, u)
        u[:, follow] = -solve_rows(jacobian[:, :, follow], rates[:, :, None])[:, :, 0]
    u[~np.isfinite(q).all(axis=1) | ~np.isfinite(u).all(axis=1)] = np.nan
    return u


def _positions(problem: Problem, t: Array, q: Array) -> tuple[Array, Array]:
    """Values (rows, m) and gradients (rows, m, n) of what is held at zero: the contact, other contacts, joints."""
    u = np.zeros_like(q)
    contacts, joints = contact_rows(problem, t, q, u), joint_rows(problem, t, q, u)
    indices = [problem.contact, *(index for index, _ in problem.others)]
    values = np.concatenate([contacts[:, indices, 0], joints[:, :, 0]], axis=1)
    normals, _ = contact_directions(contacts)
    return values, np.concatenate([normals[:, indices], joint_directions(joints)], axis=1)


def _terms(problem: Problem, t: Array, q: Array) -> Array:
    """The sizes of the terms of the same, (rows, m)."""
    system = problem.system
    count = 2 * system.nc + system.nj + system.ng
    sizes = rows_of(system.functions.sizes, count, t, q, np.zeros_like(q), problem.p)
    indices = [problem.contact, *(index for index, _ in problem.others)]
    return sizes[:, [*indices, *range(system.nc, system.nc + system.nj)]]


def _velocities(problem: Problem, t: Array, q: Array, u: Array) -> tuple[Array, Array]:
    """Rates and their directions: gamma_N of closed contacts, gamma_T of those that stick, joints."""
    contacts, joints = contact_rows(problem, t, q, u), joint_rows(problem, t, q, u)
    indices = [problem.contact, *(index for index, _ in problem.others)]
    stuck = [index for index, mode in problem.others if mode is Mode.STICK]
    rates = [contacts[:, indices, 1], joints[:, :, 1], contacts[:, stuck, 2]]
    normals, tangents = contact_directions(contacts)
    directions = [normals[:, indices], joint_directions(joints), tangents[:, stuck]]
    return np.concatenate(rates, axis=1), np.concatenate(directions, axis=1)


def _pivots(system: System, jacobian: Array, taken: set[int]) -> tuple[int, ...]:
    """The columns that elimination with full pivoting takes: those on which the equations depend most.

    An angle is measured by its arm and every equation by its length, so that no unit has a part in the choice.
    """
    units = list(system.model.coordinates.values())
    work = jacobian / moving_cost(jacobian, np.zeros(len(jacobian)), units)
    lengths = np.linalg.norm(work, axis=1)
    work /= np.where(lengths > 0.0, lengths, 1.0)[:, None]
    work[:, list(taken)] = 0.0
    rows: list[int] = []
    chosen: list[int] = []
    for _ in range(len(work)):
        rest = np.abs(work)
        rest[rows] = 0.0
        i, j = (int(k) for k in np.unravel_index(int(np.argmax(rest)), rest.shape))
        if not rest[i, j] > _DEPENDENT:
            break
        rows.append(i)
        chosen.append(j)
        ratios = work[:, j] / work[i, j]
        ratios[rows] = 0.0
        work -= ratios[:, None] * work[i]
        work[:, j] = np.where(np.isin(np.arange(len(work)), rows), work[:, j], 0.0)
    return tuple(chosen)


def _named(system: System, solve_for: Sequence[str] | str, taken: set[int], count: int) -> tuple[int, ...]:
    names = [solve_for] if isinstance(solve_for, str) else list(solve_for)
    free = [name for k, name in enumerate(system.coordinate_names) if k not in taken]
    for name in names:
        if name not in free:
            raise OptionError(f"solve_for: {name!r} cannot follow from the contact; {suggestion(name, free)}")
    if len(set(names)) != count:
        raise OptionError(f"solve_for: {count} coordinates follow from contact and joints, not {len(set(names))}")
    return tuple(system.coordinate_names.index(name) for name in names)


def _too_few(problem: Problem, needed: int, found: int) -> str:
    contact = problem.system.contact_names[problem.contact]
    return (
        f"closing {contact!r} needs {needed} coordinates that follow from contact and joints, but in the base state "
        f"only {found} can be solved for; leave one more coordinate out of the ranges, or give another state"
    )


def _not_closed(closure: Closure) -> str:
    system = closure.problem.system
    names = ", ".join(system.coordinate_names[k] for k in closure.coordinates)
    return (
        f"no state of closed contact {system.contact_names[closure.problem.contact]!r} near {closure.base}: solving "
        f"for {names} found none; give a state nearer to contact or other coordinates in solve_for"
    )


def grid_rows(t: Array, q: Array, u: Array) -> tuple[Array, Array, Array]:
    """A grid of states as rows."""
    n = q.shape[-1]
    return t.reshape(-1), q.reshape(-1, n), u.reshape(-1, n)


def reachable(q: Array) -> NDArray[np.bool_]:
    """Where a grid holds a state of closed contact."""
    return np.asarray(np.isfinite(q).all(axis=-1))
