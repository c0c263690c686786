"""The audit of the recorded steps and events, by kernels/audit/run.py."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.kernels.audit.record import AUDIT
from jounce.kernels.audit.run import audit_run
from jounce.model.names import limit_guard, switch_names
from jounce.simulation.audit.findings import no_findings
from jounce.simulation.law import Law
from jounce.simulation.modes import split_words, word_count
from jounce.simulation.options import Audit, ConstraintStabilisation, ContactDetection, Options, Simultaneous
from jounce.simulation.records import structure
from jounce.simulation.roster import audit_roster
from jounce.simulation.templates import JOINT_GAP
from jounce.simulation.watch import flag, look
from jounce.toolchain.c_function import address_of

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory
    from jounce.system.system import System

#: The relative error that a record may have: this multiple of Options.tolerance, and not less than the least.
#: The tolerance is that of one step; interpolants and events in it are worse by their constants.
TOLERANCE_MULTIPLE = 100.0
LEAST_ACCURACY = 1e-7
#: Places inside a step (dense), and pieces into which the gap of a contact may be cut on one step.
INNER_PLACES = 5
#: With "events": so many steps and so many events are looked at each, then one of every SPARSE.
WHOLE, SPARSE = 16, 8
ADDS_ENERGY = [law.may_add_energy for law in Law]
MOST_PIECES = {Audit.EVENTS: 400, Audit.DENSE: 4000}


def motion_findings(run: Trajectory, audit: Audit, machine: Any) -> np.ndarray:
    """Rows of findings about every step and every event of a recorded run.

    machine   the record of the model, or its structure; its parameters are overwritten
    """
    data, n = run.data, run.system.n
    settings = _settings(run.options, audit)
    _describe(run, settings)
    settings.joint_gap = _joint_gap(run)
    settings.given[: 2 * n] = carried_scales(run).tolist()
    settings.first[: 2 * n + 1] = [*data.q_start.tolist(), *data.u_start.tolist(), data.t_start]
    settings.final[: 2 * n + 1] = [*data.q_final.tolist(), *data.u_final.tolist(), data.t_end_reached]
    kept = audit_roster(run.system, run.options)  # as long as the audit runs
    settings.roster = kept.address if kept else 0
    machine = kept.machine if kept else machine
    machine = structure(machine) if isinstance(machine, np.ndarray) else machine
    machine.p[: data.parameters.size] = data.parameters.tolist()
    held = _hold(run, settings)
    audit_run.from_python(
        machine,
        settings,
        data.step_t,
        data.step_h,
        _modes(run, settings),
        data.step_coefficients,
        data.event_float,
        data.event_int,
    )
    del held
    look()
    return _OWN.record[0]["finding"][: settings.found].copy() if settings.found else no_findings()


def _describe(run: Trajectory, settings: Any) -> None:
    """What an audit knows of a system beside its functions; as it is where the one before was of the same system."""
    system = run.system
    if _OWN.described is system:
        return
    units = [run.outline.units[name] for name in system.coordinate_names]
    settings.alike[: system.n] = [units.index(unit) for unit in units]
    settings.is_angle[: system.n] = [unit in ("rad", "") for unit in units]
    states, guards = list(run.outline.states), list(system.guard_names)
    names = switch_names(states, guards)
    settings.switches = len(names)
    for k, name in enumerate(names):
        limits = guards.index(limit_guard(name)) if limit_guard(name) in guards else -1
        settings.switch[k][:] = [guards.index(f"{name}_switches"), states.index(name), limits]
    _OWN.described = system


def _hold(run: Trajectory, settings: Any) -> list[np.ndarray]:
    """What few runs have, by its addresses; the arrays, which must stay while the audit runs."""
    data, system = run.data, run.system
    held = [flag()]
    settings.cancel = address_of(held[0])
    settings.vectors = settings.which = 0
    if len(data.schedule) > 1:
        times = np.append(data.step_t, data.t_end_reached)
        starts = np.array([t for t, _ in data.schedule])
        which = np.maximum(np.searchsorted(starts, times, side="right") - 1, 0)
        vectors = np.vstack([vector for _, vector in data.schedule])
        settings.vectors, settings.which = address_of(vectors), address_of(which)
        settings.vector_size = vectors.shape[1]
        held += [vectors, which]
    if system.faces is not None:
        faces = data.faces_start.copy() if data.faces_start.size else np.zeros(system.nc, dtype=np.int64)
        settings.faces = address_of(faces)
        held += [faces]
    if run.outline.states:
        sides = np.ascontiguousarray(data.step_states)
        settings.states = address_of(sides)
        held += [sides]
        settings.last_states[: len(run.outline.states)] = data.memory_final[-len(run.outline.states) :].tolist()
        first = 2 * system.n + system.nc + system.nj
        for k in range(settings.switches):
            settings.side_scale[k] = data.scales[first + settings.switch[k][0]] if data.scales.size else 0.0
    if run.outline.compliant_memory:
        known = np.nan_to_num(data.memory_start).tolist() or [0.0] * run.outline.compliant_memory
        compliant = (i for i, contact in enumerate(run.outline.contacts) if contact.compliance is not None)
        for count, i in enumerate(compliant):
            settings.inverse[i] = known[2 * count + 1]
    return held


def _modes(run: Trajectory, settings: Any) -> np.ndarray:
    """The words of the mode on every step; those at the end go into the settings."""
    data, nc = run.data, run.system.nc
    if word_count(nc) == 1:
        settings.last_mode[0] = data.mode_final
        return data.step_mode.reshape(-1, 1)
    words = split_words(np.array([data.mode_final], dtype=object), nc)[0]
    settings.last_mode[: len(words)] = words.tolist()
    return split_words(data.step_mode, nc)


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
        self.described: System | None = None


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
