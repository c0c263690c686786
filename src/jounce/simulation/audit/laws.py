"""Every impact against its law, from the rows of events and the model alone.

With K = [[A, B], [B, C]] of the contact (joints projected out) an impulse (p_t, p_n) changes v = (v_t, v_n) by K p. The
laws that follow the process (energetic, poisson, newton) have a path p_t(p_n) of two straight pieces: slip of
direction s has the slope -s mu, from where it stops stick has -B/A, or slip turned around has -sign(B) mu. Along it

    W(p) = integral of v_n dp_n ,       compression ends where v_n = 0, at p_c ,

and restitution ends at p_n = (1 + e) p_c (poisson), v_n = -e v_n(0) (newton), W = (1 - e^2) W(p_c) (energetic).
All other laws but poisson_two_phase share v_n+ = -e v_n-.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from jounce.kernels.records.tolerances import AUDIT_ROUNDING
from jounce.kernels.records.workspace import (
    CONTACT_STRIDE,
    FACE_STRIDE,
    FRICTION,
    FRICTION_BACK,
    JOINT_STRIDE,
    PAIR,
    RESTITUTION,
    SURFACE_STRIDE,
)
from jounce.simulation.audit.findings import Finding, no_findings
from jounce.simulation.audit.motion import accuracy_of
from jounce.simulation.dense_output import interpolate, states_beside_steps, step_ends
from jounce.simulation.energy import parameters_at
from jounce.simulation.events import FLOAT_COLUMNS, INT_COLUMNS, EventKind
from jounce.simulation.law import Law
from jounce.simulation.mobility import inverse_mobility
from jounce.system.evaluation import rows_of

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory
    from jounce.system.system import System

Floats = NDArray[np.float64]
Place = tuple[Floats, Floats, Floats, Floats]  # t, q, u, parameters

TERM_ROUNDING = 16.0 * np.finfo(float).eps  # of sums of a few products
LOCKED = 12  # the region of contacts without a motion that parts them: the outcome is plastic by any law
JOINT = 0  # the region of contacts that collided together, by complementarity and not each by its own law
RUBBING = 13  # the region of impacts in which joints rub, whose process is not that of K alone
ROUNDING = 1e-12  # of velocities of contacts, relative to the fastest impact of the run
COLUMNS = {name: k for k, name in enumerate(FLOAT_COLUMNS)}
AT_ONCE = 2**22  # numbers of all contacts and joints that are held together, for as many impacts as they belong to
LEAN = 5  # of what ``faces`` writes: how deep the edges of a corner go into its face, if they do


class Known(NamedTuple):
    """What a record leaves open."""

    rounding: Floats  # of each coordinate
    accuracy: float  # of directions
    slow: float  # velocities below this are rounding


def law_findings(run: Trajectory) -> np.ndarray:
    """Impacts whose rows disagree with K, or with the law that they name."""
    rows = _rows(run)
    if not rows.size:
        return no_findings()
    v = {name: run.data.event_float[rows, k] for name, k in COLUMNS.items()}
    A, B, C, mu, e = _contact_numbers(run, rows)
    p_n, p_t = v["p_n"], np.nan_to_num(v["p_t"])
    speed = np.abs(v["v_n_before"]) + np.abs(v["v_n_after"]) + np.abs(v["v_t_before"]) + np.abs(v["v_t_after"])
    limit = 10.0 * accuracy_of(run.options) * speed + ROUNDING * speed.max()
    limit += _path_rounding(A, B, C, mu, v["v_t_before"], p_n)
    miss_n = np.abs(v["v_n_after"] - v["v_n_before"] - B * p_t - C * p_n)
    miss_t = np.abs(v["v_t_after"] - v["v_t_before"] - A * p_t - B * p_n)
    miss = np.maximum(miss_n, np.where(A > 0.0, miss_t, 0.0))
    law = run.data.event_int[rows, 4]
    miss = np.maximum(miss, _process_miss(law, A, B, C, mu, e, v["v_t_before"], v["v_n_before"], p_t, p_n))
    ends = ~np.isin(law, [Law.ENERGETIC, Law.POISSON, Law.NEWTON, Law.POISSON_TWO_PHASE])
    miss = np.maximum(miss, np.where(ends, np.abs(v["v_n_after"] + e * v["v_n_before"]), 0.0))
    bad = np.flatnonzero(~(miss <= limit))
    contact = run.data.event_int[rows, 1].astype(float)
    what = np.full(len(rows), float(Finding.LAW))
    return np.column_stack([v["t"], contact, what, miss, limit])[bad]


def _rows(run: Trajectory) -> NDArray[np.int64]:
    """The events that are one impact of one contact by its own law."""
    events = run.data.event_int
    kind, law, region = events[:, 0], events[:, 4], events[:, 5]
    rows = np.flatnonzero((kind == EventKind.IMPACT) & (law >= 0) & ~np.isin(region, [LOCKED, JOINT, RUBBING]))
    resets = np.flatnonzero(kind == EventKind.RESET)
    if resets.size:
        # behind a reset at the same instant the state before an impact is in no record
        boundary, first = np.unique(events[resets, 6], return_index=True)
        place = np.searchsorted(boundary, events[rows, 6]).clip(max=len(boundary) - 1)
        rows = rows[(boundary[place] != events[rows, 6]) | (rows < resets[first[place]])]
    if any(contact.depends_on_speed for contact in run.outline.contacts):
        # the coefficients of a second impact at an instant are those of velocities that no state has
        rows = rows[np.unique(events[rows, 6], return_index=True)[1]]
    return rows


def _contact_numbers(run: Trajectory, rows: NDArray[np.int64]) -> tuple[Floats, ...]:
    """A, B, C, mu and e of the contact of each row, at the place of its impact and the velocities before it."""
    data, system, n = run.data, run.system, run.system.n
    boundary, contact = data.event_int[rows, 6], data.event_int[rows, 1]
    t = data.event_float[rows, 0]
    z = states_before(run)[boundary]
    # discrete states are those before a reset at the same instant; no contact here is compliant
    count = len(system.state_names)
    remembered = np.zeros((len(t), system.outline.compliant_memory))
    scheduled = parameters_at(data, t)[:, : data.parameters.size]
    parameters = np.hstack([scheduled, remembered, states_beside_steps(data)[0][boundary]]) if count else scheduled
    forward = data.event_float[rows, FLOAT_COLUMNS.index("v_t_before")] >= 0.0
    if system.near is not None and not system.nj:
        velocities = np.nan_to_num(data.event_float[rows][:, [COLUMNS["v_n_before"], COLUMNS["v_t_before"]]])
        extent = np.abs(data.step_coefficients[:, 0, :n]).max(axis=0)
        known = Known(AUDIT_ROUNDING * extent, accuracy_of(run.options), ROUNDING * np.abs(velocities).max())
        faces = data.event_int[rows, INT_COLUMNS.index("face")]
        return _paired_numbers(system, contact, t, z, parameters, forward, velocities, faces, known)
    tables = {
        "dynamics": n * n + n,
        "contacts": system.nc * (CONTACT_STRIDE + 2 * n),
        "surfaces": system.nc * SURFACE_STRIDE,
        "joints": system.nj * (JOINT_STRIDE + n),
    }
    group = max(1, AT_ONCE // sum(tables.values()))
    found = []
    for first in range(0, len(rows), group):
        k = slice(first, first + group)
        found.append(_coupled_numbers(system, tables, contact[k], t[k], z[k], parameters[k], forward[k]))
    return tuple(np.concatenate(numbers) for numbers in zip(*found, strict=True))


def _coupled_numbers(
    system: System, tables: dict[str, int], contact: NDArray[np.int64], t: Floats, z: Floats, parameters: Floats,
    forward: NDArray[np.bool_],
) -> tuple[Floats, ...]:  # fmt: skip
    """The same of a group of rows, from all contacts and joints at once."""
    n, count = system.n, len(contact)
    values = {name: np.empty((count, size)) for name, size in tables.items()}
    for vector in np.unique(parameters, axis=0):
        here = np.flatnonzero((parameters == vector).all(axis=1))
        for name, size in tables.items():
            function = getattr(system.functions, name)
            values[name][here] = rows_of(function, size, t[here], z[here, :n], z[here, n:], vector)
    one = np.arange(count)
    W = values["contacts"].reshape(count, system.nc, -1)[one, contact, CONTACT_STRIDE:].reshape(-1, 2, n)
    surface = values["surfaces"].reshape(count, system.nc, SURFACE_STRIDE)[one, contact]
    M = values["dynamics"][:, : n * n].reshape(-1, n, n)
    response = np.linalg.solve(M, W.transpose(0, 2, 1))
    if system.nj:
        J = values["joints"].reshape(count, system.nj, -1)[:, :, JOINT_STRIDE:]
        held = np.linalg.solve(M, J.transpose(0, 2, 1))
        shares = inverse_mobility(J @ held) @ (J @ response)
        response = response - held @ shares
    D = W @ response
    mu = np.where(forward, surface[:, FRICTION], surface[:, FRICTION_BACK])
    return D[:, 1, 1], D[:, 0, 1], D[:, 0, 0], mu, surface[:, RESTITUTION]


def _paired_numbers(
    system: System, contact: NDArray[np.int64], t: Floats, z: Floats, parameters: Floats, forward: NDArray[np.bool_],
    velocities: Floats, faces: NDArray[np.int64], known: Known,
) -> tuple[Floats, ...]:  # fmt: skip
    """The same of a machine whose bodies answer alone: a contact knows the masses of its two bodies only."""
    near, n, nc = system.near, system.n, system.nc
    assert near is not None
    found = []
    for k in range(len(t)):
        at: Place = (t[k : k + 1], z[k : k + 1, :n], z[k : k + 1, n:], parameters[k])
        surface = rows_of(near.surfaces, nc * SURFACE_STRIDE, *at).reshape(nc, -1)[contact[k]]
        mass = rows_of(near.dynamics, 2 * n, *at)[0, near.columns[contact[k]]]
        W = _directions(system, int(contact[k]), at, int(faces[k]), velocities[k], known)
        D = (W / mass) @ W.T
        mu = surface[FRICTION] if forward[k] else surface[FRICTION_BACK]
        found.append((D[1, 1], D[0, 1], D[0, 0], mu, surface[RESTITUTION]))
    return tuple(np.array(found).T)


def _directions(system: System, i: int, at: Place, face: int, jump: Floats, known: Known) -> Floats:
    """W_N and W_T of contact i at one place, on the face that its row names (0: where no corner is sharp).

    Where its corner is at the end of that face, to rounding, it is at the next one too. It has not been struck if it
    parted from the next one, by the velocities v_n and v_t in ``jump``: outside of a convex outline is outside of one
    of its faces. Then no direction is the right one.
    """
    _, W = _on_face(system, i, at, face)
    for other in _faces_beside(system, i, at, face, known):
        gap, beside = _on_face(system, i, at, other)
        if abs(gap) <= _rounding(system, i, beside[0], known) and _parts(W, beside, jump, known):
            return np.full_like(W, np.nan)
    return W


def _rounding(system: System, i: int, direction: Floats, known: Known) -> float:
    """What rounding of the coordinates makes of a length along a direction of contact i."""
    assert system.near is not None
    return float(np.abs(direction) @ known.rounding[system.near.columns[i]])


def _on_face(system: System, i: int, at: Place, face: int) -> tuple[float, Floats]:
    """The gap of contact i and its directions, on a face."""
    assert system.near is not None
    held = np.zeros(1 + system.nc)  # no list of near contacts, then the face of each
    held[1 + i] = face
    width = system.nc * (CONTACT_STRIDE + 2 * PAIR)
    row = rows_of(system.near.contacts, width, *at[:3], np.concatenate([at[3], held])).reshape(system.nc, -1)[i]
    return float(row[0]), row[CONTACT_STRIDE:].reshape(2, PAIR)


def _parts(W: Floats, other: Floats, jump: Floats, known: Known) -> bool:
    """Whether a corner with the velocities v_n, v_t along the directions W goes away from the face of other ones."""
    side = slice(0, 2) if W[0, :2].any() else slice(3, 5)
    rate = jump[0] * (W[0, side] @ other[0, side]) + jump[1] * (W[1, side] @ other[0, side])
    return bool(rate > known.accuracy * np.abs(jump).max() + known.slow)


def _faces_beside(system: System, i: int, at: Place, face: int, known: Known) -> list[int]:
    """The face that meets that of contact i where its corner is, if its own edges do not go into it."""
    if face == 0 or system.faces is None:
        return []
    count, _, along, length = _face_row(system, i, at, face)[:4]
    _, W = _on_face(system, i, at, face)
    near = _rounding(system, i, W[1], known)
    beside = [(face - 2) % int(count) + 1] if along <= near else []
    beside += [face % int(count) + 1] if length - along <= near else []
    return [other for other in beside if _face_row(system, i, at, other)[LEAN] >= 0.0]


def _face_row(system: System, i: int, at: Place, face: int) -> Floats:
    """What ``faces`` says of contact i on a face."""
    held = np.zeros(1 + system.nc)
    held[1 + i] = face
    rows = rows_of(system.faces, system.nc * FACE_STRIDE, *at[:3], np.concatenate([at[3], held]))
    return np.asarray(rows.reshape(-1, FACE_STRIDE)[i])


def states_before(run: Trajectory) -> Floats:
    """The state on the left of each boundary between steps, the end of the run included."""
    data = run.data
    start = np.concatenate([data.q_start, data.u_start])[None, :]
    if not len(data.step_t):
        return start
    ends = (step_ends(data) - data.step_t) / data.step_h
    return np.vstack([start, interpolate(data.step_coefficients, ends)])


def _path_rounding(A: Floats, B: Floats, C: Floats, mu: Floats, v_t: Floats, p_n: Floats) -> Floats:
    """What rounding makes of the velocities where an impulse hardly changes them: then it is large.

    It stops a slip at the rate B - s mu A and ends the approach of a contact that sticks at the rate C - B^2/A,
    differences of terms that may be much larger.
    """
    held = np.divide(B**2, A, out=np.zeros_like(A), where=A > 0.0)
    parts = (np.abs(B), -np.sign(v_t) * np.sign(B) * mu * A), (C, -held)
    magnified = np.ones_like(A)
    for first, second in parts:
        rate = np.abs(first + second)
        grown = np.divide(np.abs(first) + np.abs(second), rate, out=np.ones_like(A), where=rate > 0.0)
        magnified = np.maximum(magnified, grown)
    return TERM_ROUNDING * magnified * (A + np.abs(B) + C) * p_n


def _process_miss(
    law: NDArray[np.int64], A: Floats, B: Floats, C: Floats, mu: Floats, e: Floats, v_t: Floats, v_n: Floats,
    p_t: Floats, p_n: Floats,
) -> Floats:  # fmt: skip
    """By what velocity an impulse misses the path and the end of its process; zero for laws that have none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        slips = A > 0.0
        s = np.where(v_t != 0.0, np.sign(v_t), np.sign(B))
        slope = np.where(slips, -s * mu, 0.0)
        sticks = np.abs(B) <= mu * A
        after = np.where(slips, np.where(sticks, -B / np.where(slips, A, 1.0), -np.sign(B) * mu), 0.0)
        slope = np.where((v_t == 0.0) & sticks, after, slope)
        rate_t, rate_n, rate_after = B + slope * A, C + slope * B, C + after * B
        stop = np.where(slips & (rate_t * s < 0.0) & (v_t != 0.0), -v_t / rate_t, np.inf)
        first = np.minimum(p_n, stop)
        rest = p_n - first
        path_miss = np.abs(p_t - slope * first - after * rest) * A
        early = (rate_n > 0.0) & (-v_n / rate_n <= stop)
        at_stop = v_n + rate_n * np.where(early, 0.0, stop)
        compression = np.where(early, -v_n / rate_n, stop - at_stop / rate_after)
        work = _work(compression, stop, v_n, rate_n, rate_after)
        v_end = v_n + rate_n * first + rate_after * rest
        kept = np.sqrt(np.maximum(0.0, 2.0 * C * np.abs(work)))
        # an error of work is measured as the speed that it changes
        work_miss = np.abs(_work(p_n, stop, v_n, rate_n, rate_after) - (1.0 - e**2) * work)
        work_miss = np.where(kept > 0.0, C * work_miss / kept, 0.0)
        end_miss = np.select(
            [law == Law.ENERGETIC, law == Law.POISSON, law == Law.NEWTON],
            [work_miss, np.abs(p_n - (1.0 + e) * compression) * C, np.abs(v_end + e * v_n)],
            0.0,
        )
    process = np.isin(law, [Law.ENERGETIC, Law.POISSON, Law.NEWTON])
    return np.where(process, np.nan_to_num(np.maximum(path_miss, end_miss), nan=np.inf), 0.0)


def _work(p: Floats, stop: Floats, v_n: Floats, rate: Floats, rate_after: Floats) -> Floats:
    """W(p) along the two pieces of the path."""
    first = np.minimum(p, stop)
    rest = p - first
    return first * (v_n + rate * first / 2.0) + rest * (v_n + rate * first + rate_after * rest / 2.0)
