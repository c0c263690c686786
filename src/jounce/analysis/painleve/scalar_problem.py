"""A and B of the scalar contact problem g'' = A lambda_N + B, for one state or many.

Joints, and other contacts that are closed, are equations R u' + c = 0 with forces along the columns of G (G = R^T for
joints and stick, W_N - s mu W_T for a sliding contact). Eliminating them leaves

    u' = a + v lambda_N,   v = P M^-1 F,   a = P M^-1 h - M^-1 G (R M^-1 G)^-1 c,   P = 1 - M^-1 G (R M^-1 G)^-1 R,

and A = W_N.v, B = W_N.a + c_N (Liu, Zhao & Chen (7); Génot & Brogliato (8)).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jounce.errors import OptionError, SimulationError, suggestion
from jounce.kernels.records.workspace import FRICTION, FRICTION_BACK, SURFACE_STRIDE
from jounce.simulation.modes import Mode
from jounce.simulation.watch import look
from jounce.system import State, System
from jounce.system.evaluation import contact_directions, contact_width, joint_directions, joint_width, rows_of
from jounce.system.inputs import beside_parameters

Array = NDArray[np.float64]

# States evaluated at once: enough to make NumPy's overhead vanish, few enough to stay in the cache.
_CHUNK = 8192


class ScalarMode(IntEnum):
    """The four modes of the scalar problem, numbered as M_s^1 ... M_s^4 of Liu, Zhao & Chen, Table 1.

    >>> [mode.name for mode in jounce.painleve.ScalarMode]
    ['UNREACHABLE', 'FLIGHT', 'SLIDING', 'INDETERMINATE', 'INCONSISTENT']
    """

    UNREACHABLE = 0
    """No state of closed contact belongs to this point of a map."""
    FLIGHT = 1
    """lambda_N = 0 is the only solution."""
    SLIDING = 2
    """lambda_N = -B/A is the only solution."""
    INDETERMINATE = 3
    """Both are solutions."""
    INCONSISTENT = 4
    """There is no solution."""

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True)
class Coefficients:
    """The scalar problem of one contact in one state: g'' = A lambda_N + B.

    inverse_mass  W_N.M^-1.W_N, coupling  W_N.M^-1.W_T (joints projected out): A = inverse_mass - slip mu coupling
    slip          the direction of slip for which A was computed, +1 or -1 (0: a contact without friction)

    >>> system = jounce.compile_model(jounce.systems.manipulator())
    >>> found = jounce.painleve.coefficients(system, slip=1, v_t=0.0, mu=0.8)
    >>> found.A > 0
    False
    """

    A: float
    B: float
    mode: ScalarMode
    slip: int
    mu: float
    inverse_mass: float
    coupling: float
    slip_velocity: float
    gap: float
    gap_rate: float

    @property
    def normal_forces(self) -> tuple[float, ...]:
        """Every solution lambda_N, the smallest first; empty where the state is inconsistent."""
        solutions = []
        if self.B >= 0.0:
            solutions.append(0.0)
        if self.mode in (ScalarMode.SLIDING, ScalarMode.INDETERMINATE):
            solutions.append(-self.B / self.A)
        return tuple(solutions)


@dataclass(frozen=True)
class Problem:
    """Which contact is asked about, with which parameters, and which other contacts are closed, in which mode."""

    system: System
    contact: int
    p: Array
    others: tuple[tuple[int, Mode], ...]


@dataclass(frozen=True)
class Motion:
    """Rows of what the scalar problem is made of; one row a state."""

    free: Array
    """a: the acceleration without the contact's force, (rows, n)."""
    normal: Array
    """P M^-1 W_N, (rows, n)."""
    tangential: Array
    """P M^-1 W_T, (rows, n)."""
    inverse_mass: Array
    coupling: Array
    B: Array
    mu: Array
    slip_velocity: Array
    gap: Array
    gap_rate: Array

    def A(self, slip: float | Array) -> Array:
        """A for a direction of slip."""
        return self.inverse_mass - slip * self.mu * self.coupling


@beside_parameters
def coefficients(
    system: System,
    state: State | None = None,
    contact: str | None = None,
    slip: int | None = None,
    *,
    modes: Mapping[str, str] | None = None,
    **parameters: float | str,
) -> Coefficients:
    """A and B of the scalar contact problem in a state, and which of its four modes they make.

    slip   the direction of slip, +1 or -1; None: that of the state's own slip velocity
    modes  other contacts that are closed, e.g. {"P2": "STICK"}; those not named are open

    The contact counts as closed whatever its gap in the state: ``closed_state`` moves a state onto the contact.

    >>> system = jounce.compile_model(jounce.systems.manipulator())
    >>> found = jounce.painleve.coefficients(system, slip=1, v_t=0.0, mu=0.8)
    >>> found.mode.name
    'INCONSISTENT'
    """
    problem = make_problem(system, contact, modes, parameters)
    chosen = system.state() if state is None else state
    motion = evaluate_rows(problem, *as_rows(chosen))
    direction = _direction(problem, slip, float(motion.slip_velocity[0]))
    A, B = motion.A(direction), motion.B
    return Coefficients(
        A=float(A[0]),
        B=float(B[0]),
        mode=ScalarMode(int(classify(A, B)[0])),
        slip=direction,
        mu=float(motion.mu[0]),
        inverse_mass=float(motion.inverse_mass[0]),
        coupling=float(motion.coupling[0]),
        slip_velocity=float(motion.slip_velocity[0]),
        gap=float(motion.gap[0]),
        gap_rate=float(motion.gap_rate[0]),
    )


def classify(A: Array, B: Array) -> NDArray[np.int8]:
    """The mode of each pair; NaN is unreachable. On A = 0 or B = 0 what counts is the number of solutions."""
    mode = np.full(np.shape(A), ScalarMode.FLIGHT, dtype=np.int8)
    mode[(A > 0.0) & (B < 0.0)] = ScalarMode.SLIDING
    mode[(A < 0.0) & (B > 0.0)] = ScalarMode.INDETERMINATE
    mode[(A <= 0.0) & (B < 0.0)] = ScalarMode.INCONSISTENT
    mode[np.isnan(A) | np.isnan(B)] = ScalarMode.UNREACHABLE
    return mode


def make_problem(
    system: System, contact: str | None, modes: Mapping[str, str] | None, parameters: Mapping[str, Any]
) -> Problem:
    """Check every name and collect what the evaluation needs."""
    names = system.contact_names
    if contact is None and len(names) == 1:
        contact = names[0]
    if contact is None:
        raise OptionError(
            f"{system.model.name} has {len(names)} contacts: say which, contact=one of {', '.join(names)}"
        )
    if contact not in names:
        raise OptionError(f"no contact {contact!r} in {system.model.name}; {suggestion(contact, names, 'contacts')}")
    others = []
    for name, mode in (modes or {}).items():
        if name not in names or name == contact:
            valid = [other for other in names if other != contact]
            raise OptionError(f"modes: {name!r} is no other contact; {suggestion(name, valid, 'contacts')}")
        valid = list(system.modes[name])
        if mode not in valid:
            raise OptionError(f"modes: {name!r} cannot be {mode!r}; {suggestion(str(mode), valid, 'modes')}")
        index = ("OPEN", "SLIP+", "SLIP-", "STICK").index(mode)
        if index:
            others.append((names.index(name), Mode(index)))
    return Problem(system, names.index(contact), system.parameters(**parameters), tuple(others))


def as_rows(state: State) -> tuple[Array, Array, Array]:
    """t, q, u of one state as one row."""
    return np.array([state.t]), state.q[None, :].copy(), state.u[None, :].copy()


def evaluate_rows(problem: Problem, t: Array, q: Array, u: Array) -> Motion:
    """The scalar problem of every row; rows that are not finite give NaN."""
    parts = []
    for k in range(0, max(len(t), 1), _CHUNK):
        look()
        parts.append(_evaluate_chunk(problem, t[k : k + _CHUNK], q[k : k + _CHUNK], u[k : k + _CHUNK]))
    return Motion(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


def contact_rows(problem: Problem, t: Array, q: Array, u: Array) -> Array:
    """Per contact g, gamma_N, gamma_T, c_N, c_T, W_N, W_T: (rows, contacts, 5 + 2n)."""
    system = problem.system
    width = contact_width(system)
    return rows_of(system.functions.contacts, system.nc * width, t, q, u, problem.p).reshape(len(t), system.nc, width)


def joint_rows(problem: Problem, t: Array, q: Array, u: Array) -> Array:
    """Per joint g, g', c, J: (rows, joints, 3 + n)."""
    system = problem.system
    width = joint_width(system)
    if not system.nj:
        return np.empty((len(t), 0, width))
    return rows_of(system.functions.joints, system.nj * width, t, q, u, problem.p).reshape(len(t), system.nj, width)


def _evaluate_chunk(problem: Problem, t: Array, q: Array, u: Array) -> tuple[Array, ...]:
    system, n = problem.system, problem.system.n
    good = np.isfinite(q).all(axis=1) & np.isfinite(u).all(axis=1) & np.isfinite(t)
    t, q, u = t[good], q[good], u[good]
    dynamics = rows_of(system.functions.dynamics, n * n + n, t, q, u, problem.p)
    surfaces = rows_of(system.functions.surfaces, system.nc * SURFACE_STRIDE, t, q, u, problem.p)
    surfaces = surfaces.reshape(len(t), system.nc, SURFACE_STRIDE)
    contacts = contact_rows(problem, t, q, u)
    row = contacts[:, problem.contact]
    W_N, W_T = contact_directions(row)
    R, G, c = _constraints(problem, contacts, surfaces, joint_rows(problem, t, q, u))
    size = R.shape[1]
    sides = np.concatenate([dynamics[:, n * n :, None], W_N[:, :, None], W_T[:, :, None], G], axis=2)
    solved = np.linalg.solve(dynamics[:, : n * n].reshape(-1, n, n), sides)  # M^-1 [h, W_N, W_T, G]
    motion = solved[:, :, :3]
    if size:
        motion = motion - solved[:, :, 3:] @ _constraint_forces(R, solved, c)
    free, normal, tangential = (motion[:, :, k] for k in range(3))
    columns = (
        free,
        normal,
        tangential,
        np.einsum("ij,ij->i", W_N, normal),
        np.einsum("ij,ij->i", W_N, tangential),
        np.einsum("ij,ij->i", W_N, free) + row[:, 3],
        _friction(surfaces[:, problem.contact], row[:, 2]) * float(system.has_friction[problem.contact]),
        row[:, 2],
        row[:, 0],
        row[:, 1],
    )
    return tuple(_spread(column, good) for column in columns)


def _friction(surface: Array, slip: Array) -> Array:
    """The coefficient of the direction in which each state slides."""
    return np.where(slip < 0.0, surface[:, FRICTION_BACK], surface[:, FRICTION])


def _constraint_forces(R: Array, solved: Array, c: Array) -> Array:
    """(R M^-1 G)^-1 (R M^-1 [h, W_N, W_T] + [c, 0, 0]): what joints and closed contacts answer."""
    right = R @ solved[:, :, :3]
    right[:, :, 0] += c
    return solve_rows(R @ solved[:, :, 3:], right)


def solve_rows(matrix: Array, right: Array) -> Array:
    """matrix^-1 right row by row; where constraints depend on one another, the solution of least norm."""
    try:
        return np.asarray(np.linalg.solve(matrix, right))
    except np.linalg.LinAlgError:
        finite = np.isfinite(matrix).all(axis=(1, 2))  # the singular value decomposition refuses NaN
        answer = np.full(right.shape, np.nan)
        answer[finite] = np.linalg.pinv(matrix[finite]) @ right[finite]
        return answer


def _constraints(problem: Problem, contacts: Array, surfaces: Array, joints: Array) -> tuple[Array, Array, Array]:
    """R (rows, size, n), G (rows, n, size) and c (rows, size) of the joints and of the other closed contacts."""
    n = problem.system.n
    rows = [joint_directions(joints[:, k]) for k in range(joints.shape[1])]
    forces = list(rows)
    biases = [joints[:, k, 2] for k in range(joints.shape[1])]
    for index, mode in problem.others:
        data = contacts[:, index]
        W_N, W_T = contact_directions(data)
        rows.append(W_N)
        biases.append(data[:, 3])
        if mode is Mode.STICK:
            forces += [W_N, W_T]
            rows.append(W_T)
            biases.append(data[:, 4])
        else:
            sign = 1.0 if mode is Mode.SLIP_POSITIVE else -1.0
            column = FRICTION if mode is Mode.SLIP_POSITIVE else FRICTION_BACK
            forces.append(W_N - sign * surfaces[:, index, column, None] * W_T)
    if not rows:
        count = len(contacts)
        return np.empty((count, 0, n)), np.empty((count, n, 0)), np.empty((count, 0))
    return np.stack(rows, axis=1), np.stack(forces, axis=2), np.stack(biases, axis=1)


def _spread(values: Array, good: NDArray[np.bool_]) -> Array:
    if good.all():
        return values
    full = np.full((len(good), *values.shape[1:]), np.nan)
    full[good] = values
    return full


def _direction(problem: Problem, slip: int | None, slip_velocity: float) -> int:
    if not problem.system.has_friction[problem.contact]:
        return 0
    if slip is None:
        if slip_velocity == 0.0:
            raise SimulationError(
                f"the contact {problem.system.contact_names[problem.contact]!r} does not slip in this state: "
                "say which direction is meant, slip=+1 or slip=-1"
            )
        return 1 if slip_velocity > 0.0 else -1
    return check_slip(slip)


def check_slip(slip: Any) -> int:
    """+1 or -1, or an error that says so."""
    if slip not in (1, -1):
        raise OptionError(f"slip must be +1, -1 or None (the state's own direction), not {slip!r}")
    return int(slip)
