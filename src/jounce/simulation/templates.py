"""What the records of all runs of one system with the same options have in common, made once; and records to be reused.

Filling a record field by field takes Python a microsecond a field, and a fresh buffer of steps, whose pages the
operating system clears, longer than a short run.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from jounce.errors import OptionError, suggestion
from jounce.kernels.records import codes
from jounce.kernels.records.motion import MOTION
from jounce.kernels.records.recording import RECORD
from jounce.kernels.records.workspace import (
    MACHINE,
    MAX_ORDER,
    MEMORY_BYTES,
    WORKSPACE,
)
from jounce.kernels.tangent.variation import CARRIED_BYTES, VARIATION
from jounce.model.loads import CONTACT, FIXED, GUIDE, PIN, kind_of_load
from jounce.model.resets import EVENT_KINDS, RUN_BEGINS, unread_states
from jounce.model.speeds import depends_on_speed
from jounce.simulation.law import Law
from jounce.simulation.options import ConstraintStabilisation, Integrator, Options
from jounce.system.system import System

JOINT_GAP = 1e-9  # of a gap's terms: contacts nearer than this collide together
PENETRATION = 1e-9  # of a gap's terms: the deepest a contact may begin where steps are repeated
POLICIES = (
    "simultaneous",
    "indeterminate",
    "inconsistent",
    "stick_release",
    "plastic_release",
    "contact_detection",
)
# Steps, and evaluations of the model, between two looks at progress and at Ctrl-C: about a tenth of a second.
PAUSE_STEPS, PAUSE_EFFORT = 20_000, 200_000
MOST_KEPT = 64  # templates of one system
HEADER = RECORD.fields["event_float"][1]  # type: ignore[index]  # bytes of a record before its rows

_KEPT: WeakKeyDictionary[System, dict[Any, np.ndarray]] = WeakKeyDictionary()


def copy_of(record: np.ndarray) -> np.ndarray:
    """A copy of a record, of its bytes at once: NumPy would go through it field by field."""
    return np.frombuffer(bytearray(record.tobytes()), record.dtype)


def _kept(system: System, key: Any) -> np.ndarray | None:
    return _KEPT.get(system, {}).get(key)


def _keep(system: System, key: Any, template: np.ndarray) -> np.ndarray:
    own = _KEPT.setdefault(system, {})
    if len(own) >= MOST_KEPT:
        own.clear()
    own[key] = template
    template.flags.writeable = False
    return template


def machine_template(system: System, options: Options) -> np.ndarray:
    """The record of the model, without parameters."""
    key = (options.law, options.constraint_stabilisation, options.baumgarte)
    known = _kept(system, key)
    return _keep(system, key, _machine(system, options)) if known is None else known


def _machine(system: System, options: Options) -> np.ndarray:
    machine = np.zeros(1, MACHINE)
    m = machine[0]
    for name, function in system.functions._asdict().items():
        m[name] = function.address
    m["n"], m["nc"], m["nj"], m["ng"] = system.n, system.nc, system.nj, system.ng
    m["np"] = system.vector_size
    m["ballistic"] = system.ballistic and all(contact.load is None for contact in system.model.contacts)
    m["free_flow"] = system.free_flow.address if system.free_flow else 0
    for i, (slide, stick) in enumerate(system.contact_flows):
        m["slide"][i], m["stick"][i] = slide.address, stick.address if stick else 0
    series = system.series
    m["series_stride"], m["series_guards"] = system.series_stride, system.series_guards
    m["free_series"] = _address(series.get("free"))
    for i in range(system.nc):
        m["slide_series"][i] = _address(series.get(f"slide_{i}"))
        m["stick_series"][i] = _address(series.get(f"stick_{i}"))
    if system.narrow is not None:
        m["ranges"], m["watched"] = system.narrow.ranges.address, system.narrow.watched
        m["range_outputs"] = len(system.narrow.outputs)
        m["range_output"][: len(system.narrow.outputs)] = system.narrow.outputs
    m["guard_degree"][: system.ng] = system.guard_degrees
    m["has_slip"][: system.nc] = system.has_friction
    m["speed_coefficients"] = any(depends_on_speed(contact) for contact in system.model.contacts)
    if options.constraint_stabilisation is ConstraintStabilisation.BAUMGARTE:
        m["baumgarte"] = options.baumgarte
    for i, contact in enumerate(system.model.contacts):
        m["laws"][i] = int(Law.parse(contact.law or options.law))
    describe_compliance(m, system)
    describe_loads(m, system)
    describe_resets(m, system)
    m["whole_angle"][:] = -1
    place = len(system.parameter_names) + len(system.model.memory)
    for k, coordinate in enumerate(system.watched_angles):
        m["whole_angle"][coordinate] = place + k
    return machine


def _address(function: Any) -> int:
    return function.address if function else 0


def describe_compliance(m: Any, system: System) -> None:
    """Which contacts are compliant, where their memory lies in the parameter vector and their branch in the state."""
    place = len(system.parameter_names)
    for i, contact in enumerate(system.model.contacts):
        law = contact.compliance
        m["branch"][i] = -1
        if law is None:
            continue
        m["compliant_contacts"] += 1
        m["compliant"][i], m["memory"][i] = 1, place
        if law.pulls == codes.ADHERES:
            m["turns"][i] = contact.slip is not None
        else:
            m["may_pull"][i] = law.pulls
        if law.branch is not None:
            m["branch"][i] = system.coordinate_names.index(law.branch)
        place += 2


def describe_loads(m: Any, system: System) -> None:
    """What loads the contacts that have no gap of their own."""
    m["load_of"][:] = -1
    kinds = {PIN: codes.PIN_LOAD, GUIDE: codes.GUIDE_LOAD, CONTACT: codes.CONTACT_LOAD, FIXED: codes.FIXED_LOAD}
    for i, contact in enumerate(system.model.contacts):
        kind = kind_of_load(contact, system.model.joints)
        if kind is None:
            continue
        names = system.contact_names if kind == CONTACT else system.joint_names
        m["loaded"] += 1
        m["load"][i] = kinds[kind]
        for k, name in enumerate(contact.load):
            m["load_of"][2 * i + k] = names.index(name)


def describe_resets(m: Any, system: System) -> None:
    """What triggers every reset and what it assigns, and where the discrete states lie in the parameter vector."""
    model = system.model
    initial = system.memory_of()[len(model.memory) - len(model.states) :]
    m["nr"], m["nd"] = len(model.resets), len(model.states)
    m["states"] = len(system.parameter_names) + len(model.memory) - len(model.states)
    m["state_initial"][: initial.size] = m["p"][m["states"] : m["states"] + initial.size] = initial
    unread = unread_states(model) if model.states else ()
    m["state_read"][: initial.size] = [name not in unread for name in model.states]
    m["reset_guard"][:] = m["reset_contact"][:] = -1
    targets = (*system.coordinate_names, *system.velocity_names, *system.state_names)
    count = 0
    for r, reset in enumerate(model.resets):
        if reset.event is None:
            guard = system.guard_names.index(reset.guard)
            m["reset_guard"][r], m["reset_direction"][r] = guard, reset.direction
        elif reset.guard == RUN_BEGINS:
            m["reset_contact"][r] = codes.AT_START
        else:
            kind, contact = reset.event
            m["reset_contact"][r], m["reset_kind"][r] = system.contact_names.index(contact), EVENT_KINDS.index(kind)
            m["counted"][m["reset_contact"][r]] |= kind == "impact"
        for name in reset.map:
            m["reset_target"][count] = targets.index(name)
            count += 1
        m["reset_first"][r + 1 :] = count
    own = {reset.name for reset in model.resets if reset.guard == reset.name}
    hidden = [name in own for name in system.guard_names]
    m["guard_hidden"][: system.ng] = hidden + [True] * (system.ng - len(hidden))
    m["guard_kink"][: system.ng] = system.guard_kinks


def describe_integrator(settings: Any, system: System, options: Options) -> None:
    """The pair, the order of Taylor series where there are any, and the rows of the interpolants."""
    chosen = options.integrator
    assert isinstance(chosen, Integrator)
    settings["pair"] = (Integrator.DOP853 if chosen is Integrator.TAYLOR else chosen).value
    if chosen is Integrator.TAYLOR and system.series_stride > 0:
        settings["order"] = series_order(options.tolerance)
    settings["rows"] = 4 if chosen is Integrator.DOPRI5 else max(7, int(settings["order"]) + 1)


def series_order(tolerance: float) -> int:
    """The order of Taylor series with which a unit of time costs least.

    A step may have a length of R tolerance^(1/N), R the distance of the nearest singularity, and takes a + b N^2; for
    models of few coordinates a is about 500 ns and b between 0.5 and 3 ns. So N^3 = (a/b + N^2) log(1/tolerance)/2 or
    more, which this line follows.
    """
    return min(round(8.0 - 0.36 * math.log(tolerance)), MAX_ORDER)


def motion_template(system: System, options: Options) -> np.ndarray:
    """The record of a motion, without its start."""
    known = _kept(system, options)
    return _keep(system, options, _motion(system, options)) if known is None else known


def _motion(system: System, options: Options) -> np.ndarray:
    motion = np.zeros(1, MOTION)
    s, n = motion[0], system.n
    describe_settings(s["settings"], system, options)
    s["brought"]["given"][: 2 * n] = given_scales(system, options)
    s["report"]["stopped_by"] = -1
    return motion


def describe_settings(settings: Any, system: System, options: Options) -> None:
    """What the options ask for, and what the loop must know of the model to do it."""
    describe_integrator(settings, system, options)
    for name in POLICIES:
        settings[name] = getattr(options, name).value
    settings["keep_ledger"] = options.ledger
    settings["max_events"], settings["max_steps"] = options.max_events, options.step_budget
    settings["pause_steps"], settings["pause_effort"] = PAUSE_STEPS, PAUSE_EFFORT
    settings["autonomous"], settings["has_applied_power"] = system.autonomous, system.has_applied_power
    settings["tolerance"] = options.tolerance
    settings["chatter_limit"] = -options.chatter_rise if options.chatter_speed is None else options.chatter_speed
    settings["joint_gap"] = -JOINT_GAP if options.joint_gap is None else options.joint_gap
    settings["largest_step"] = math.inf if options.largest_step is None else options.largest_step
    depth = options.penetration_tolerance
    settings["penetration_tolerance"] = -PENETRATION if depth is None else depth
    settings["cycle"][: system.n] = np.maximum(system.turns, 0)


def given_scales(system: System, options: Options) -> np.ndarray:
    """What model and options say how large coordinates and velocities are; 0 where they say nothing."""
    names = (*system.coordinate_names, *system.velocity_names)
    for name in options.scales:
        if name not in names:
            raise OptionError(f"scales: unknown name {name!r}; {suggestion(name, names, 'coordinates and velocities')}")
    given = system.model.scales | options.scales
    return np.array([given.get(name, 0.0) for name in names])


class _Spare(threading.local):
    """Workspaces, buffers and variations that no run of this thread uses now."""

    def __init__(self) -> None:
        self.records: list[tuple[np.ndarray, np.ndarray]] = []
        self.variations: list[np.ndarray] = []


_SPARE = _Spare()


def borrow_records() -> tuple[np.ndarray, np.ndarray]:
    """A workspace and a buffer as new: zeros, except scratch, and rows of the buffer, of which none is stored."""
    if not _SPARE.records:
        return np.zeros(1, WORKSPACE), np.zeros(1, RECORD)
    workspace, record = _SPARE.records.pop()
    workspace.view(np.uint8)[:MEMORY_BYTES].fill(0)
    record.view(np.uint8)[:HEADER].fill(0)
    return workspace, record


def return_records(workspace: np.ndarray, record: np.ndarray) -> None:
    """Let the next run of this thread have them; nothing may look at them any more."""
    if not _SPARE.records:
        _SPARE.records.append((workspace, record))


@contextmanager
def borrowed_workspace() -> Iterator[np.ndarray]:
    """A workspace for a moment: to evaluate a mode at a state."""
    workspace, record = borrow_records()
    try:
        yield workspace
    finally:
        return_records(workspace, record)


def borrow_variation() -> np.ndarray:
    """A record of perturbations with none in it: zeros, except scratch."""
    if not _SPARE.variations:
        return np.zeros(1, VARIATION)
    variation = _SPARE.variations.pop()
    variation.view(np.uint8)[:CARRIED_BYTES].fill(0)
    return variation


def return_variation(variation: np.ndarray) -> None:
    """Let the next run of this thread have it."""
    if not _SPARE.variations:
        _SPARE.variations.append(variation)
