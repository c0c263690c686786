"""The audit of the recorded steps and events, by kernels/audit/run.py."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from jounce.kernels.audit.record import AUDIT
from jounce.simulation.law import Law
from jounce.simulation.modes import mode_codes, split_words
from jounce.simulation.options import Audit, ConstraintStabilisation, ContactDetection, Options, Simultaneous

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
START_TOLERANCE = 1e-10  # of the coordinates: kernels/engine/instant.py
ADDS_ENERGY = [law.may_add_energy for law in Law]
MOST_PIECES = {Audit.EVENTS: 400, Audit.DENSE: 4000}


def motion_findings(run: Trajectory, audit: Audit, machine: np.ndarray) -> np.ndarray:
    """Rows of findings about every step and every event of a recorded run; ``machine`` is overwritten."""
    from jounce.kernels.audit.run import audit_run

    data, system = run.data, run.system
    record = _settings(run.options, audit)
    record[0]["given"][: 2 * system.n] = carried_scales(run)
    parameters, which = _parameters(run)
    ends = np.empty((2, 2 * system.n + 1))
    n = system.n
    ends[0, : 2 * n], ends[0, 2 * n] = placed_start(run), data.t_start
    ends[1, :n], ends[1, n : 2 * n], ends[1, 2 * n] = data.q_final, data.u_final, data.t_end_reached
    audit_run(
        machine,
        record,
        data.step_t,
        data.step_h,
        split_words(np.append(data.step_mode, data.mode_final), system.nc),
        data.step_coefficients,
        data.event_float,
        data.event_int,
        ends,
        parameters,
        which,
    )
    return record[0]["finding"][: record[0]["found"]].copy()


def carried_scales(run: Trajectory) -> np.ndarray:
    """How large q and u were before the start, in the run that this one continues or as the user says; 0: unknown."""
    known = run.data.scales_start
    return known if known.size else np.zeros(2 * run.system.n)


def placed_start(run: Trajectory) -> np.ndarray:
    """[q, u] of the start as the engine has placed it: what touches within its tolerance lies on the surface.

    Velocities too, unless an event at the start changes them: a start that goes on in contact is known to the accuracy
    of the run that it comes from.
    """
    data, n = run.data, run.system.n
    start = np.concatenate([data.q_start, data.u_start])
    if not len(data.step_t):
        return start
    placed = data.step_coefficients[0, 0]
    if (placed == start).all():
        return start
    free = n if (data.event_int[:, 6] == 0).any() else 2 * n
    near = np.abs(placed - start) <= max(START_TOLERANCE, run.options.tolerance) * (1.0 + np.abs(start[:n]).max())
    near[free:] = False
    return np.where(near, placed, start)


def accuracy_of(options: Options) -> float:
    """The relative error that the record of a run may have."""
    return max(LEAST_ACCURACY, TOLERANCE_MULTIPLE * options.tolerance)


#: The record of audits in each thread: making one takes as long as the audit of a short run.
_OWN = threading.local()


def _settings(options: Options, audit: Audit) -> np.ndarray:
    """The record of an audit that has not begun."""
    record: np.ndarray | None = getattr(_OWN, "record", None)
    if record is None:
        record = _OWN.record = np.zeros(1, AUDIT)
    a = record[0]
    a["accuracy"] = accuracy_of(options)
    a["inner"] = INNER_PLACES if audit is Audit.DENSE else 0
    a["thorough"] = audit is Audit.DENSE
    a["whole"], a["every"] = (WHOLE, SPARSE) if audit is Audit.EVENTS else (0, 1)
    a["pieces"] = MOST_PIECES[audit]
    a["check_joints"] = options.constraint_stabilisation is not ConstraintStabilisation.BAUMGARTE
    a["check_compliant_gaps"] = options.contact_detection is ContactDetection.LOCATED
    a["jointly"] = options.simultaneous is Simultaneous.JOINT
    a["adds_energy"][: len(Law)] = ADDS_ENERGY
    return record


def _parameters(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    """Vectors of parameters, with what compliant contacts remember, and which of them is in force on every step."""
    from jounce.simulation.energy import parameters_at

    data = run.data
    if not run.model.memory:
        if len(data.schedule) <= 1:
            return data.parameters[None, :], np.zeros(len(data.step_t) + 1, dtype=np.int64)
        times = np.append(data.step_t, data.t_end_reached)
        starts = np.array([t for t, _ in data.schedule])
        which = np.maximum(np.searchsorted(starts, times, side="right") - 1, 0)
        return np.vstack([vector for _, vector in data.schedule]), which
    from jounce.simulation.forces import memory_at

    times = np.append(data.step_t, data.t_end_reached)
    modes = mode_codes(np.append(data.step_mode, data.mode_final), len(run.contacts))
    memory = memory_at(run, times, modes, "right")
    rows = np.hstack([parameters_at(data, times)[:, : len(data.parameters)], memory])
    return np.ascontiguousarray(rows), np.arange(len(times))
