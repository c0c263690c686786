"""What the records of all runs of one system with the same options have in common, made once.

Filling a record field by field takes Python a microsecond a field.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from jounce.errors import OptionError, suggestion
from jounce.kernels.records import codes
from jounce.kernels.records.motion import MOTION
from jounce.kernels.records.workspace import MACHINE, MAX_CONTACTS, MAX_ORDER, PAIR, SMOOTH_ORDER
from jounce.model.names import CONTACT, EVENT_KINDS, FIXED, GUIDE, PIN, RUN_BEGINS, limit_guard
from jounce.model.outline import ContactOutline
from jounce.simulation.law import Law
from jounce.simulation.options import ConstraintStabilisation, ContactDetection, Integrator, Options, Simultaneous
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
# Steps, and evaluations of the model, between two looks at progress and at Ctrl-C: about a hundredth of a second.
PAUSE_STEPS, PAUSE_EFFORT = 2_000, 20_000
MOST_KEPT = 64  # templates of one system


class Templates(NamedTuple):
    """The records of a model and of a motion before parameters and a start are put in, and what to warn of.

    unheeded   contacts with a coefficient of tangential restitution that their law does not use
    """

    options: Options
    machine: bytes
    motion: bytes
    unheeded: tuple[ContactOutline, ...]


class _Kept:
    """The templates of one system: by the options themselves, and by which object they are, which is faster."""

    def __init__(self) -> None:
        self.machines: dict[Any, bytes] = {}
        self.loops: dict[Any, int] = {}
        self.awaited: dict[Any, Callable[[], int | None]] = {}
        self.by_value: dict[Options, Templates] = {}
        self.by_object: dict[int, Templates] = {}


_KEPT: WeakKeyDictionary[System, _Kept] = WeakKeyDictionary()


def templates_of(system: System, options: Options) -> Templates:
    """The templates of a system with these options."""
    kept = _KEPT.get(system)
    if kept is None:
        kept = _KEPT.setdefault(system, _Kept())
    if kept.awaited:
        _take_arrived(kept)
    found = kept.by_object.get(id(options))
    if found is not None and found.options is options:
        return found
    found = kept.by_value.get(options)
    if found is None:
        machine, motion = _machine_of(system, options, kept), _motion(system, options).tobytes()
        found = Templates(options, machine, motion, _unheeded(system, options))
        _keep(kept.by_value, options, found)
    _keep(kept.by_object, id(options), found._replace(options=options))
    return found


def _machine_of(system: System, options: Options, kept: _Kept) -> bytes:
    """The record of the model, which few of the options concern."""
    key = _concerned(options)
    if key not in kept.machines:
        machine = _machine(system, options)
        machine[0]["own_loop"] = kept.loops.get(key, 0)
        _keep(kept.machines, key, machine.tobytes())
    return kept.machines[key]


def _concerned(options: Options) -> tuple[Any, ...]:
    """The options that the record of a model depends on."""
    return options.law, options.constraint_stabilisation, options.baumgarte


def give_loop(system: System, options: Options, address: int) -> None:
    """Let runs of a system that begin from now on take a loop of its own, where these options concern the machine."""
    _give(_KEPT.setdefault(system, _Kept()), _concerned(options), address)


def await_loop(system: System, options: Options, arrived: Callable[[], int | None]) -> None:
    """The same once there is one: ``arrived`` says its address then, None before, 0 where none will come."""
    _KEPT.setdefault(system, _Kept()).awaited[_concerned(options)] = arrived


def own_loop(system: System, options: Options) -> int:
    """The loop of its own that runs may take now, those included which have begun without one; 0: there is none."""
    kept = _KEPT.get(system)
    if kept is None:
        return 0
    if kept.awaited:
        _take_arrived(kept)
    return kept.loops.get(_concerned(options), 0)


def _take_arrived(kept: _Kept) -> None:
    for key, arrived in list(kept.awaited.items()):
        address = arrived()
        if address is not None:
            kept.awaited.pop(key, None)
            if address:
                _give(kept, key, address)


def _give(kept: _Kept, key: Any, address: int) -> None:
    kept.loops[key] = address
    for made in (kept.machines, kept.by_value, kept.by_object):
        made.clear()  # type: ignore[attr-defined]


def _keep(own: dict[Any, Any], key: Any, value: Any) -> None:
    if len(own) >= MOST_KEPT:
        own.clear()
    own[key] = value


def _unheeded(system: System, options: Options) -> tuple[ContactOutline, ...]:
    if options.simultaneous is Simultaneous.JOINT and system.nc > 1:
        return ()  # joint impacts have one, whatever the law of each contact alone
    return tuple(
        contact
        for contact in system.outline.contacts
        if contact.tangential_restitution
        and contact.compliance is None
        and Law.parse(contact.law or options.law).tangential_range == (0.0, 0.0)
    )


def _machine(system: System, options: Options) -> np.ndarray:
    machine = np.zeros(1, MACHINE)
    m = machine[0]
    for name, function in system.functions._asdict().items():
        m[name] = function.address
    m["n"], m["nc"], m["nj"], m["ng"] = system.n, system.nc, system.nj, system.ng
    describe_rows(m, system)
    m["np"] = system.vector_size
    if system.faces is not None:
        # of a machine of tables the list of contacts that are near stands before them: kernels/bodies/near.py
        m["faces"], m["faces_at"] = system.faces.address, system.vector_size + (0 if system.near is None else 1)
    m["ballistic"] = system.ballistic and all(contact.load is None for contact in system.outline.contacts)
    m["free_flow"] = system.free_flow.address if system.free_flow else 0
    for i, (slide, stick) in enumerate(system.contact_flows):
        m["slide"][i], m["stick"][i] = slide.address, stick.address if stick else 0
    series = system.series
    m["series_stride"], m["series_guards"] = system.series_stride, system.series_guards
    m["affine"] = _is_affine(system)
    m["free_series"] = _address(series.get("free"))
    for i in range(system.nc if series else 0):
        m["slide_series"][i] = _address(series.get(f"slide_{i}"))
        m["stick_series"][i] = _address(series.get(f"stick_{i}"))
    if system.narrow is not None:
        m["ranges"], m["watched"] = system.narrow.ranges.address, system.narrow.watched
        m["range_outputs"] = len(system.narrow.outputs)
        m["range_output"][: len(system.narrow.outputs)] = system.narrow.outputs
    m["guard_degree"][: system.ng] = system.guard_degrees
    fitting = min(system.nc, MAX_CONTACTS)  # of more than fit a run takes those that are near: simulation/roster.py
    m["has_slip"][:fitting] = system.has_friction[:fitting]
    m["speed_coefficients"] = any(contact.depends_on_speed for contact in system.outline.contacts)
    if options.constraint_stabilisation is ConstraintStabilisation.BAUMGARTE:
        m["baumgarte"] = options.baumgarte
    for i, contact in enumerate(system.outline.contacts[:fitting]):
        m["laws"][i] = int(Law.parse(contact.law or options.law))
    describe_compliance(m, system)
    describe_loads(m, system)
    describe_resets(m, system)
    m["whole_angle"][:] = -1
    place = len(system.parameter_names) + system.outline.memory
    for k, coordinate in enumerate(system.watched_angles):
        m["whole_angle"][coordinate] = place + k
    if any(system.held_sides):
        m["holds"], m["held"] = 1, place + len(system.watched_angles)
        m["guard_held"][: system.ng] = system.held_sides
    return machine


def describe_rows(m: Any, system: System) -> None:
    """Which entries the directions of contacts and the mass matrix have: kernels/records/rows.py."""
    n, near = system.n, system.near
    m["width"], m["mass_step"], m["force_place"] = n, n + 1, n * n
    if near is None:
        return
    m["width"], m["paired"], m["diagonal"], m["mass_step"], m["force_place"] = PAIR, 1, 1, 1, n
    for name in ("contacts", "gaps", "gap_rates", "surfaces", "sizes", "dynamics"):
        m[name] = getattr(near, name).address
    fitting = near.columns[:MAX_CONTACTS]
    m["column"][: fitting.size] = fitting.reshape(-1)


def _address(function: Any) -> int:
    return function.address if function else 0


def describe_compliance(m: Any, system: System) -> None:
    """Which contacts are compliant, where their memory lies in the parameter vector and their branch in the state."""
    place = len(system.parameter_names)
    m["branch"][:] = -1
    for i, contact in enumerate(system.outline.contacts):
        law = contact.compliance
        if law is None:
            continue
        m["compliant_contacts"] += 1
        m["compliant"][i], m["memory"][i] = 1, place
        if law.pulls == codes.ADHERES:
            m["turns"][i] = contact.has_friction
        else:
            m["may_pull"][i] = law.pulls
        if law.branch is not None:
            m["branch"][i] = system.coordinate_names.index(law.branch)
        place += 2


def describe_loads(m: Any, system: System) -> None:
    """What loads the contacts that have no gap of their own."""
    m["load_of"][:] = -1
    kinds = {PIN: codes.PIN_LOAD, GUIDE: codes.GUIDE_LOAD, CONTACT: codes.CONTACT_LOAD, FIXED: codes.FIXED_LOAD}
    for i, contact in enumerate(system.outline.contacts):
        kind = contact.kind_of_load
        if kind is None or contact.load is None:
            continue
        names = system.contact_names if kind == CONTACT else system.joint_names
        m["loaded"] += 1
        m["load"][i] = kinds[kind]
        for k, name in enumerate(contact.load):
            m["load_of"][2 * i + k] = names.index(name)


def describe_resets(m: Any, system: System) -> None:
    """What triggers every reset and what it assigns, and where the discrete states lie in the parameter vector."""
    model = system.outline
    initial = system.memory_of()[model.compliant_memory :]
    m["nr"], m["nd"] = len(model.resets), len(model.states)
    m["states"] = len(system.parameter_names) + model.compliant_memory
    m["state_initial"][: initial.size] = m["p"][m["states"] : m["states"] + initial.size] = initial
    m["state_read"][: initial.size] = [name not in model.unread_states for name in model.states]
    m["state_real"][: initial.size] = [name in model.real_states for name in model.states]
    m["reset_guard"][:] = m["reset_contact"][:] = -1
    targets = (*system.coordinate_names, *system.velocity_names, *system.state_names)
    count = 0
    for r, reset in enumerate(model.resets):
        if reset.event is None:
            guard = system.guard_names.index(reset.guard)
            m["reset_guard"][r], m["reset_direction"][r] = guard, reset.direction
        elif reset.guard == RUN_BEGINS:
            surface = reset.starts_switch
            switch = surface in system.guard_names
            m["reset_contact"][r] = codes.AT_SWITCH if switch else codes.AT_START
            m["reset_kind"][r] = system.guard_names.index(surface) if switch else 0
        else:
            kind, contact = reset.event
            m["reset_contact"][r], m["reset_kind"][r] = system.contact_names.index(contact), EVENT_KINDS.index(kind)
            m["counted"][m["reset_contact"][r]] |= kind == "impact"
        for name in reset.targets:
            m["reset_target"][count] = targets.index(name)
            count += 1
        m["reset_first"][r + 1 :] = count
    own = {reset.name for reset in model.resets if reset.guard == reset.name}
    hidden = [name in own for name in system.guard_names]
    m["guard_hidden"][: system.ng] = hidden + [True] * (system.ng - len(hidden))
    m["guard_kink"][: system.ng] = system.guard_kinks
    sides: dict[str, int] = {}
    for reset in model.resets:
        if reset.starts_switch:
            state = targets.index(reset.targets[0]) - 2 * system.n
            sides |= {limit_guard(reset.targets[0]): codes.LIMIT_SIDE, reset.starts_switch: codes.SURFACE_SIDE + state}
    m["guard_side"][: len(hidden)] = [sides.get(name, 0) for name in system.guard_names]


PAIR_ROWS = 7  # of the interpolant of DOP853


def describe_integrator(settings: Any, system: System, options: Options) -> None:
    """The pair, the order of Taylor series where there are any, and the rows of the interpolants."""
    chosen = options.integrator
    assert isinstance(chosen, Integrator)
    settings["pair"] = (Integrator.DOP853 if chosen is Integrator.TAYLOR else chosen).value
    if chosen is Integrator.TAYLOR and system.series_stride > 0:
        settings["order"] = (affine_order if _is_affine(system) else series_order)(options.tolerance)
    settings["implicit"] = chosen is Integrator.TAYLOR and options.contact_detection is ContactDetection.LOCATED
    settings["rows"] = 4 if chosen is Integrator.DOPRI5 else max(PAIR_ROWS, int(settings["order"]) + 1)


def _is_affine(system: System) -> bool:
    """Whether steps by series are those of affine motion, with nothing else on the way."""
    return system.series_affine and system.ng == 0 and system.narrow is None


def series_order(tolerance: float) -> int:
    """The order of Taylor series with which a unit of time costs least.

    A step may have a length of R tolerance^(1/N), R the distance of the nearest singularity, and takes a + b N^2; for
    models of few coordinates a is about 500 ns and b between 0.5 and 3 ns. So N^3 = (a/b + N^2) log(1/tolerance)/2 or
    more, which this line follows.
    """
    return min(round(8.0 - 0.36 * math.log(tolerance)), SMOOTH_ORDER)


def affine_order(tolerance: float) -> int:
    """The order of the series of affine motion.

    With the fastest frequency w a step has a length of (N! tolerance)^(1/N)/w. It grows with N, and an order costs 10
    to 30 ns where a step costs 500: the higher the better, up to where the step reaches the next event. From one stick
    to the next a slip lasts between half a period and a whole one; this line has w h = 4.4. Longer steps would lose
    digits, since terms are as large as e^wh.
    """
    return min(round(11.6 - 0.67 * math.log(tolerance)), MAX_ORDER)


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
    given = {**system.outline.scales, **options.scales}
    return np.array([given.get(name, 0.0) for name in names])
