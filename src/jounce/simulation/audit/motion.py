"""The audit of the recorded steps and events, by kernels/audit/run.py."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.kernels.audit.record import AUDIT
from jounce.kernels.audit.run import audit_run
from jounce.simulation.audit.findings import no_findings
from jounce.simulation.energy import parameters_at
from jounce.simulation.forces import memory_on_steps
from jounce.simulation.law import Law
from jounce.simulation.modes import mode_codes, split_words, word_count
from jounce.simulation.options import Audit, ConstraintStabilisation, ContactDetection, Options, Simultaneous
from jounce.simulation.records import structure
from jounce.simulation.roster import audit_roster
from jounce.simulation.templates import JOINT_GAP
from jounce.simulation.watch import flag, look

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory

#: The relative error that a record may have: this multiple of Options.tolerance, and not less than the least.
#: The tolerance is that of one step; interpolants and events in it are worse by their constants.
TOLERANCE_MULTIPLE = 100.0
LEAST_ACCURACY = 1e-7
#: Places inside a step (dense), and pieces into which the gap of a contact may be cut on one step.
INNER_PLACES = 5
#: With "events": so many steps and so many events are looked at each, then one of every SPARSE.
WHOLE, SPARSE = 16, 8
START_TOLERANCE = 1e-10  # of the coordinates: kernels/records/tolerances
_ONE_VECTOR = np.empty(0, dtype=np.int64)  # of parameters, for all steps
ADDS_ENERGY = [law.may_add_energy for law in Law]
MOST_PIECES = {Audit.EVENTS: 400, Audit.DENSE: 4000}


def motion_findings(run: Trajectory, audit: Audit, machine: Any) -> np.ndarray:
    """Rows of findings about every step and every event of a recorded run.

    machine   the record of the model, or its structure; its parameters are overwritten
    """
    data, n = run.data, run.system.n
    settings = _settings(run.options, audit)
    settings.joint_gap = _joint_gap(run)
    settings.given[: 2 * n] = carried_scales(run).tolist()
    kept = audit_roster(run.system, run.options)  # as long as the audit runs
    settings.roster = kept.address if kept else 0
    machine = kept.machine if kept else machine
    parameters, which = _parameters(run)
    ends = np.array([
        [*placed_start(run), data.t_start],
        [*data.q_final.tolist(), *data.u_final.tolist(), data.t_end_reached],
    ])  # fmt: skip
    audit_run(
        machine,
        settings,
        data.step_t,
        data.step_h,
        *_modes(run),
        data.step_coefficients,
        data.event_float,
        data.event_int,
        ends,
        parameters,
        which,
        _faces(run),
        flag(),
    )
    look()
    return _OWN.record[0]["finding"][: settings.found].copy() if settings.found else no_findings()


def _modes(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """The words of the mode on every step, and at the end."""
    data, nc = run.data, run.system.nc
    if word_count(nc) > 1:
        return split_words(data.step_mode, nc), split_words(np.array([data.mode_final], dtype=object), nc)[0]
    return data.step_mode[:, None], np.array([data.mode_final])


def _faces(run: Trajectory) -> np.ndarray:
    """The face on which each contact is at the start, 0: not known."""
    known = run.data.faces_start
    return known.copy() if known.size else np.zeros(run.system.nc, dtype=np.int64)


def _joint_gap(run: Trajectory) -> float:
    """The largest gap of contacts that collide together."""
    options, n, nc = run.options, run.system.n, run.system.nc
    if options.simultaneous is not Simultaneous.JOINT:
        return 0.0
    if options.joint_gap is not None:
        return float(options.joint_gap)
    return JOINT_GAP * float(run.data.scales[2 * n : 2 * n + nc].max(initial=0.0))


def carried_scales(run: Trajectory) -> np.ndarray:
    """How large q and u were before the start, in the run that this one continues or as the user says; 0: unknown."""
    known = run.data.scales_start
    return known if known.size else np.zeros(2 * run.system.n)


def placed_start(run: Trajectory) -> list[float]:
    """[q, u] of the start as the engine has placed it: what touches within its tolerance lies on the surface.

    Velocities too, unless an event at the start changes them: a start that goes on in contact is known to the accuracy
    of the run that it comes from.
    """
    data, n = run.data, run.system.n
    given = data.q_start.tolist() + data.u_start.tolist()
    if not len(data.step_t) or data.step_coefficients[0, 0].tolist() == given:
        return given
    start, placed = np.array(given), data.step_coefficients[0, 0]
    free = n if (data.event_int[:, 6] == 0).any() else 2 * n
    near = np.abs(placed - start) <= max(START_TOLERANCE, run.options.tolerance) * state_sizes(run, start)
    near[free:] = False
    found: list[float] = np.where(near, placed, start).tolist()
    return found


def state_sizes(run: Trajectory, start: np.ndarray) -> np.ndarray:
    """How large [q, u] are: the largest value in the run of any coordinate of the same unit, or of any velocity.

    An angle has the size of a radian at least, a velocity that of its coordinate over the duration of the run.
    """
    data, n = run.data, run.system.n
    largest = np.maximum(np.abs(data.step_coefficients[:, 0]).max(axis=0), np.abs(start))
    units = np.array([run.outline.units[name] for name in run.system.coordinate_names])
    alike = units[:, None] == units[None, :]
    q, u = ((alike * values).max(axis=1) for values in (largest[:n], largest[n:]))
    q = np.where(np.isin(units, ("rad", "")), np.maximum(q, 1.0), q)
    duration = data.t_end_reached - data.t_start
    return np.concatenate([q, np.maximum(u, q / duration) if duration > 0.0 else u])


def looked_at(count: int, audit: Audit) -> np.ndarray:
    """Which of so many steps an audit of this level looks at: all, or the first and then one of every SPARSE."""
    steps = np.arange(count)
    return steps[(steps < WHOLE) | (steps % SPARSE == 0)] if audit is Audit.EVENTS else steps


def accuracy_of(options: Options) -> float:
    """The relative error that the record of a run may have."""
    return max(LEAST_ACCURACY, TOLERANCE_MULTIPLE * options.tolerance)


class _Own(threading.local):
    """The record of audits in each thread: making one takes as long as the audit of a short run."""

    def __init__(self) -> None:
        self.record = np.zeros(1, AUDIT)
        self.settings = structure(self.record)
        self.settings.adds_energy[: len(Law)] = ADDS_ENERGY
        self.asked: tuple[Options | None, Audit] = (None, Audit.OFF)  # by the audit before


_OWN = _Own()


def _settings(options: Options, audit: Audit) -> Any:
    """The record of an audit that has not begun, as a structure."""
    a = _OWN.settings
    if _OWN.asked[0] is options and _OWN.asked[1] is audit:
        return a
    a.tolerance, a.accuracy = options.tolerance, accuracy_of(options)
    a.inner = INNER_PLACES if audit is Audit.DENSE else 0
    a.thorough = audit is Audit.DENSE
    a.whole, a.every = (WHOLE, SPARSE) if audit is Audit.EVENTS else (0, 1)
    a.pieces = MOST_PIECES[audit]
    a.check_joints = options.constraint_stabilisation is not ConstraintStabilisation.BAUMGARTE
    a.check_compliant_gaps = options.contact_detection is ContactDetection.LOCATED
    a.jointly = options.simultaneous is Simultaneous.JOINT
    _OWN.asked = options, audit
    return a


def _parameters(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of parameters, with what compliant contacts remember, and which of them is in force on every step."""
    data = run.data
    if not run.outline.memory:
        if len(data.schedule) <= 1:
            return data.parameters[None, :], _ONE_VECTOR
        times = np.append(data.step_t, data.t_end_reached)
        starts = np.array([t for t, _ in data.schedule])
        which = np.maximum(np.searchsorted(starts, times, side="right") - 1, 0)
        return np.vstack([vector for _, vector in data.schedule]), which
    look()
    times = np.append(data.step_t, data.t_end_reached)
    modes = mode_codes(np.append(data.step_mode, data.mode_final), len(run.contacts))
    memory = memory_on_steps(run, modes)
    look()
    scheduled = parameters_at(data, times)[:, : len(data.parameters)]
    look()
    rows = np.ascontiguousarray(np.hstack([scheduled, memory]))
    look()
    return rows, np.arange(len(times))
