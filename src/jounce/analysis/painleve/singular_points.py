"""Points A = B = 0 of the sliding flow, where sliding meets all three other modes.

While a contact slides, lambda_N = -B/A and u' = a - v B/A. The change of time dt = A d(tau) removes the singularity
(Génot & Brogliato (16); Liu, Zhao & Chen (18)):

    dq/d(tau) = A u,   du/d(tau) = A a - B v .

At A = B = 0 its Jacobian (u, a) grad A - (0, v) grad B has rank two. A does not depend on the velocities, so
grad A.(0, v) = 0: the two eigenvalues that matter are real, whatever the number of coordinates,

    lambda_1 = dA/dt along the motion with no contact force,   lambda_2 = -(dB/du).v ,

and the point is a node or a saddle, never a focus. tau runs with time where A > 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.analysis.painleve.closing import (
    Axis,
    Closure,
    close_grid,
    close_rows,
    grid_rows,
    make_axes,
    make_closure,
)
from jounce.analysis.painleve.scalar_problem import Array, Problem, check_slip, evaluate_rows, make_problem
from jounce.analysis.scales import diagonal_mass, time_scale
from jounce.simulation.options import check_callable
from jounce.system import State, System
from jounce.system.inputs import beside_parameters

_STEP = 1e-3  # of the differences for the eigenvalues, relative to the motion; one extrapolation makes the error h^4
_SAME = 1e-7  # roots nearer than this part of the ranges are one
_ZERO = 1e-9  # an eigenvalue below this part of the other counts as zero


@dataclass(frozen=True)
class SingularPoint:
    """A state in which A = B = 0, and the desingularised sliding flow around it.

    eigenvalues  lambda_1 (of A along the motion) and lambda_2 (of B along the contact force)
    kind         "stable node", "unstable node", "saddle" or "degenerate" (an eigenvalue is zero)
    slip         the direction of slip for which A = 0; ``own`` tells whether it is that of the state's slip velocity

    >>> system = jounce.compile_model(jounce.systems.manipulator())
    >>> over = {"theta1": (-0.8, 0.8), "d_theta1": (-3, 3)}
    >>> point = jounce.painleve.singular_points(system, over, points=40, v_t=0.0, mu=0.8)[0]
    >>> point.kind, point.slip
    ('saddle', 1)
    """

    state: State
    slip: int
    eigenvalues: tuple[float, float]
    kind: str
    slip_velocity: float
    own: bool


@beside_parameters
def singular_points(
    system: System,
    over: Mapping[str, Any],
    contact: str | None = None,
    slip: int | None = None,
    *,
    state: State | None = None,
    points: int = 200,
    solve_for: Sequence[str] | str | None = None,
    modes: Mapping[str, str] | None = None,
    progress: Callable[[float], None] | None = None,
    **parameters: float | str,
) -> list[SingularPoint]:
    """Every point A = B = 0 in a range of two state variables, the contact kept closed.

    slip    a direction, whatever the states' slip velocities; None: both, and only points whose slip velocity agrees
    points  along each axis; a point is found where A and B both change sign around a cell, and polished to rounding

    The other arguments are those of ``mode_map``.

    >>> system = jounce.compile_model(jounce.systems.manipulator())
    >>> over = {"theta1": (-0.8, 0.8), "d_theta1": (-3, 3)}
    >>> [point.kind for point in jounce.painleve.singular_points(system, over, points=40, v_t=0.0, mu=0.8)]
    ['saddle', 'saddle']
    """
    check_callable("progress", progress)
    problem = make_problem(system, contact, modes, parameters)
    axes = make_axes(system, over, points, (2,))
    closure = make_closure(problem, state, axes, solve_for)
    t, q, u = close_grid(closure, axes, progress)
    motion = evaluate_rows(problem, *grid_rows(t, q, u))
    found: list[SingularPoint] = []
    for sign in (1, -1) if slip is None else (check_slip(slip),):
        A, B = motion.A(sign).reshape(t.shape), motion.B.reshape(t.shape)
        roots: list[Array] = []
        for i, j in np.argwhere(_sign_changes(A) & _sign_changes(B)):
            if progress is not None:
                progress(1.0)  # that a point is polished takes as long as many rows
            cell = (slice(i, i + 2), slice(j, j + 2))
            measure = np.array([np.abs(A[cell]).max(), np.abs(B[cell]).max()])
            root = _polish(closure, axes, q[i, j], sign, (int(i), int(j)), np.where(measure > 0.0, measure, 1.0))
            if root is not None and not any(_close(root, other, axes) for other in roots):
                roots.append(root)
                point = _describe(closure, axes, q[i, j], root, sign)
                if slip is not None or point.own:
                    found.append(point)
    return sorted(found, key=lambda point: (point.state[axes[0].name], point.state[axes[1].name]))


def _sign_changes(values: Array) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Cells whose corners do not all have one sign; cells with an unreachable corner are left out."""
    corners = np.stack([values[:-1, :-1], values[1:, :-1], values[:-1, 1:], values[1:, 1:]])
    return np.asarray((corners.min(axis=0) <= 0.0) & (corners.max(axis=0) >= 0.0))


def _place(closure: Closure, axes: Sequence[Axis], guess: Array, point: Array) -> tuple[Array, Array, Array]:
    """The closed state at a point of the plane, as one row."""
    base = closure.base
    t, q, u = np.array([base.t]), guess[None, :].copy(), base.u[None, :].copy()
    for axis, value in zip(axes, point, strict=True):
        if axis.kind == "t":
            t[0] = value
        else:
            (q if axis.kind == "coordinate" else u)[0, axis.index] = value
    return close_rows(closure, t, q, u)


def _polish(
    closure: Closure, axes: Sequence[Axis], guess: Array, sign: int, cell: tuple[int, int], measure: Array
) -> Array | None:
    """The root in or beside a cell, by Powell's hybrid method; None where there is none.

    measure   the largest |A| and |B| at the corners of the cell: both equations count alike
    """
    from scipy.optimize import root

    low = np.array([axis.values[k] for axis, k in zip(axes, cell, strict=True)])
    high = np.array([axis.values[k + 1] for axis, k in zip(axes, cell, strict=True)])

    def residual(point: Array) -> Array:
        # in units of the cell, so that both unknowns count alike
        motion = evaluate_rows(closure.problem, *_place(closure, axes, guess, low + point * (high - low)))
        values = np.array([motion.A(sign)[0], motion.B[0]]) / measure
        return np.where(np.isfinite(values), values, 1e3)

    answer = root(residual, np.array([0.5, 0.5]), tol=1e-13)
    if not np.abs(residual(answer.x)).max() < 1e-9 or np.abs(answer.x - 0.5).max() > 1.5:
        return None
    return np.asarray(low + answer.x * (high - low))


def _close(a: Array, b: Array, axes: Sequence[Axis]) -> bool:
    spans = np.array([axis.values[-1] - axis.values[0] for axis in axes])
    return bool((np.abs(a - b) < _SAME * spans).all())


def _describe(closure: Closure, axes: Sequence[Axis], guess: Array, point: Array, sign: int) -> SingularPoint:
    problem = closure.problem
    t, q, u = _place(closure, axes, guess, point)
    motion = evaluate_rows(problem, t, q, u)
    velocity = float(motion.slip_velocity[0])
    first, second = _eigenvalues(problem, t, q, u, sign)
    return SingularPoint(
        state=_state(problem, t, q, u),
        slip=sign,
        eigenvalues=(first, second),
        kind=_kind(first, second),
        slip_velocity=velocity,
        own=velocity * sign > 0.0,
    )


def _eigenvalues(problem: Problem, t: Array, q: Array, u: Array, sign: int) -> tuple[float, float]:
    """lambda_1 = A_q.u + A_t and lambda_2 = -B_u.v, v = P M^-1 (W_N - s mu W_T)."""
    motion = evaluate_rows(problem, t, q, u)
    v = motion.normal - sign * motion.mu[:, None] * motion.tangential

    def along_motion(h: float) -> float:
        return float(evaluate_rows(problem, t + h, q + h * u, u).A(sign)[0])

    def along_force(h: float) -> float:
        return float(evaluate_rows(problem, t, q, u + h * v).B[0])

    reach, speed, force = _squares(problem, t, q, u, v)
    time = math.sqrt(reach / speed) if speed > 0.0 else time_scale(problem.system, _state(problem, t, q, u), problem.p)
    faster = math.sqrt(max(speed, reach / time**2) / force)
    return _derivative(along_motion, _STEP * time), -_derivative(along_force, _STEP * faster)


def _state(problem: Problem, t: Array, q: Array, u: Array) -> State:
    return State(float(t[0]), q[0], u[0], problem.system.coordinate_names)


def _squares(problem: Problem, t: Array, q: Array, u: Array, v: Array) -> tuple[float, float, float]:
    """Sums of M_jj x_j^2 of the coordinates, of an angle at least one radian; of the velocities; of the answer to a
    force."""
    system = problem.system
    mass = diagonal_mass(system, float(t[0]), q[0], problem.p)
    angles = np.array([unit == "rad" for unit in system.model.coordinates.values()])
    places = np.maximum(np.abs(q[0]), angles)
    return float(mass @ places**2), float(mass @ u[0] ** 2), float(mass @ v[0] ** 2)


def _derivative(function: Callable[[float], float], h: float) -> float:
    """f'(0) by central differences, extrapolated once."""
    wide = (function(h) - function(-h)) / (2.0 * h)
    narrow = (function(h / 2) - function(-h / 2)) / h
    return (4.0 * narrow - wide) / 3.0


def _kind(first: float, second: float) -> str:
    if min(abs(first), abs(second)) <= _ZERO * max(abs(first), abs(second)):
        return "degenerate"
    if first * second < 0.0:
        return "saddle"
    return "unstable node" if first > 0.0 else "stable node"
