"""System: a compiled model, ready for the engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from jounce.errors import SimulationError, is_one_of, suggestion
from jounce.kernels.records import workspace
from jounce.model.loads import ALWAYS_CLOSED, kind_of_load
from jounce.model.model import Model
from jounce.model.symbols import time, velocity_name
from jounce.system.state import MODE_NAMES, State
from jounce.units import in_seconds, in_unit

MODE_BASE = 8
#: how a machine of bodies runs
WAYS = ("auto", "tables", "compiled")
# up to so many bodies and contacts a machine is compiled unless tables are asked for
COMPILED_BODIES, COMPILED_CONTACTS = 4, 16


class ModelFunctions(NamedTuple):
    """The compiled functions of a model; shapes and layouts are in the docstring of each generated function."""

    free_acceleration: Any
    joint_acceleration: Any
    dynamics: Any
    contacts: Any
    gaps: Any
    surfaces: Any
    joints: Any
    powers: Any
    guards: Any
    guard_rates: Any
    gap_rates: Any
    flight_bounds: Any
    compliance: Any
    resets: Any
    sizes: Any


class TangentFunctions(NamedTuple):
    """Directional derivatives of the model's functions (codegen/tangents.py), compiled when first asked for."""

    dynamics_tangent: Any
    contacts_tangent: Any
    surfaces_tangent: Any
    joints_tangent: Any
    guards_tangent: Any
    resets_tangent: Any


class NarrowParts(NamedTuple):
    """The ranges of parts that can be narrow: the function, its outputs as (kind, index, index), how many parts."""

    ranges: Any
    outputs: list[tuple[int, int, int]]
    watched: int


@dataclass(frozen=True, eq=False)
class System:
    """A model with its machine code.

    n, nc, nj, ng       numbers of coordinates, contacts, joints and guards
    functions           ModelFunctions: what the engine calls
    free_flow           u' and the powers of the ledger in one function; None where there are joints or no powers
    contact_flows       functions (slide, stick) of the first contacts, each closed alone (codegen/contact_flow.py)
    series              Taylor series of these along the flow (codegen/taylor.py), by name: free, slide_0, stick_0, ...
    series_stride       numbers of one order of a series; 0: there are none
    series_guards       whether what ends a mode has series too
    narrow              what can be narrow in the model (codegen/ranges.py); None where nothing can
    autonomous          whether the time appears in no expression
    ballistic           whether free flight is a parabola along which gaps have a known bound (bounds.py)
    guard_kinks         of each guard: 1 a force is not smooth at its zeros, 2 it may jump there (kinks.py), else 0
    guard_degrees       of each guard in the time of such a flight; -1: above 2 or no polynomial (flight_guards.py)
    has_applied_power   whether forces other than those of the potential do work, or the model depends on time
    has_friction        for each contact, whether it has a slip velocity
    turns               for each coordinate, after how many turns of 2 pi the mechanics repeats (model/periodicity.py)
    watched_angles      coordinates whose whole angle a guard or the ledger reads: their turns stand behind the memory
    defaults            the parameter vector of the defaults
    tables              of a machine that runs without compilation (system/tables); None: the model is compiled
    key                 the hash under which the code is kept
    """

    model: Model
    functions: ModelFunctions
    free_flow: Any
    contact_flows: tuple[tuple[Any, Any], ...]
    series: dict[str, Any]
    series_stride: int
    series_guards: bool
    narrow: NarrowParts | None
    key: str
    n: int
    nc: int
    nj: int
    ng: int
    autonomous: bool
    ballistic: bool
    guard_degrees: tuple[int, ...]
    guard_kinks: tuple[int, ...]
    has_applied_power: bool
    has_friction: np.ndarray
    turns: tuple[int, ...]
    watched_angles: tuple[int, ...]
    defaults: np.ndarray
    tables: Any = None

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """The names of the coordinates, in order."""
        return tuple(self.model.coordinates)

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """The names of the velocities, d_<coordinate>, in order."""
        return tuple(velocity_name(name) for name in self.model.coordinates)

    @cached_property
    def parameter_names(self) -> tuple[str, ...]:
        """The names of the parameters, in order."""
        return tuple(self.model.parameters)

    @cached_property
    def contact_names(self) -> tuple[str, ...]:
        """The names of the contacts, in order."""
        return tuple(contact.name for contact in self.model.contacts)

    @cached_property
    def vector_size(self) -> int:
        """The length of the vector that the model's functions read: parameters, memory, turns of watched angles."""
        return len(self.parameter_names) + len(self.model.memory) + len(self.watched_angles)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """The names of the joints, in order."""
        return tuple(self.model.joints)

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        """The names of the discrete states, in order."""
        return tuple(self.model.states)

    @cached_property
    def reset_names(self) -> tuple[str, ...]:
        """The names of the resets, in order."""
        return tuple(reset.name for reset in self.model.resets)

    @cached_property
    def _unknown_memory(self) -> np.ndarray:
        """Nothing is known of compliant contacts (nan), and discrete states have their initial values."""
        initial = [state.default for state in self.model.states.values()]
        unknown = np.array([np.nan] * (len(self.model.memory) - len(initial)) + initial)
        unknown.flags.writeable = False
        return unknown

    def memory_of(self, state: State | None = None) -> np.ndarray:
        """What a state remembers: compliant contacts, nan where that is not known, then the discrete states.

        A state of another model, such as a run with actions leaves, gives the discrete states that have the same names.
        """
        unknown, own = self._unknown_memory, len(self.state_names)
        if state is None:
            return unknown
        if state.states == self.state_names or not state.states:
            return state.memory if state.memory.size == unknown.size else unknown
        memory, contacts = unknown.copy(), state.memory[: -len(state.states)]
        if contacts.size == memory.size - own:
            memory[: contacts.size] = contacts
        for k, name in enumerate(self.state_names):
            if name in state.states:
                memory[memory.size - own + k] = state[name]
        return memory

    def with_states(self, state: State, values: Mapping[str, float | str]) -> State:
        """A state with the discrete states of this system, some of them set."""
        if state.states == self.state_names and not values:
            return state
        memory = self.memory_of(state).copy()
        first = memory.size - len(self.state_names)
        for name, value in self._checked_numbers(values, self.state_names, "states", "discrete states").items():
            memory[first + self.state_names.index(name)] = value
        return state.with_memory(memory, self.state_names)

    def vector(self, p: np.ndarray, state: State | None = None) -> np.ndarray:
        """Parameters and memory, as the model's functions read them, no compliant contact pressed.

        p itself for a model without discrete states, and where it has the memory already.
        """
        if not self.state_names or p.size > len(self.parameter_names):
            return p
        memory = self.memory_of(state).copy()
        memory[: memory.size - len(self.state_names)] = 0.0
        return np.concatenate([p, memory])

    @cached_property
    def guard_names(self) -> tuple[str, ...]:
        """The names of the guards, in order."""
        return tuple(self.model.guards)

    @property
    def modes(self) -> dict[str, tuple[str, ...]]:
        """Contact name -> the modes it can be in; without friction a closed contact has no slip direction.

        What joints load is never open.
        """
        return {
            contact.name: (MODE_NAMES[0], MODE_NAMES[4])
            if contact.compliance is not None
            else MODE_NAMES[1:4]
            if kind_of_load(contact, self.model.joints) in ALWAYS_CLOSED
            else MODE_NAMES[:4]
            if contact.has_friction
            else MODE_NAMES[:2]
            for contact in self.model.contacts
        }

    def mode_names(self, code: int) -> dict[str, str]:
        """The mode of every contact from the encoded mode of the system, sum mode_i * 8**i."""
        return {name: MODE_NAMES[(int(code) // MODE_BASE**i) % MODE_BASE] for i, name in enumerate(self.contact_names)}

    def knows_modes(self, start: State) -> bool:
        """Whether a state brings the modes of all contacts; those of another model mean nothing here."""
        if self.nc == 0 or start.modes.size != self.nc:
            return False
        return all(name in valid for name, valid in zip(start.mode_names, self.modes.values(), strict=True))

    def closed_contacts(self, start: State) -> list[str]:
        """The contacts that a state knows to be closed."""
        modes = start.mode_names if self.knows_modes(start) else ()
        return [name for name, mode in zip(self.contact_names, modes, strict=False) if mode != MODE_NAMES[0]]

    def state(self, t: float | str = 0.0, **values: float | str) -> State:
        """A state by names; what is not given has its default start, else 0. Texts have units: theta="30 deg".

        With joints, what is not given follows from what is: the machine is moved along its joints from its default
        start, with the default parameters (for others see ``assemble``). Where no such motion exists the state is as
        given, and ``simulate`` says what is wrong with it.
        """
        valid = (*self.coordinate_names, *self.velocity_names)
        everything = (*valid, *self.state_names)
        noun = "coordinates, velocities and discrete states" if self.state_names else "coordinates and velocities"
        given = self._checked_numbers(values, everything, "state", noun)
        t = _finite_number(in_seconds(t, "state: t", SimulationError), "state: t")
        memory = self._started_memory({name: given.pop(name) for name in self.state_names if name in given})
        if self.nj:
            from jounce.system.assembly import followed

            state = followed(self, t, given)
            if state is not None:
                return state.with_memory(memory, self.state_names)
        numbers = [given.get(name, self.model.start.get(name, 0.0)) for name in valid]
        state = State(t, numbers[: self.n], numbers[self.n :], self.coordinate_names)
        return state.with_memory(memory, self.state_names)

    def _started_memory(self, given: Mapping[str, float]) -> np.ndarray:
        """The memory with which a state begins; none for a model without discrete states."""
        if not self.state_names:
            return np.empty(0)
        memory = self._unknown_memory.copy()
        first = memory.size - len(self.state_names)
        for name, value in given.items():
            memory[first + self.state_names.index(name)] = value
        return memory

    def assemble(self, start: State | None = None, hold: Iterable[str] = (), **parameters: float | str) -> State:
        """The state nearest to ``start`` (default: the default start) that satisfies the joints.

        hold         names of coordinates and velocities that keep their values
        parameters   overrides by name: lengths, or the speed of a driver

        Raises a SimulationError where the joints cannot be satisfied.
        """
        from jounce.system.assembly import assembled

        held = [hold] if isinstance(hold, str) else list(hold)
        valid = (*self.coordinate_names, *self.velocity_names)
        for name in held:
            if name not in valid:
                raise SimulationError(f"assemble: cannot hold {name!r}; {suggestion(name, valid)}")
        guess = self.state() if start is None else start
        if not self.nj:
            return guess
        return assembled(self, guess, self.parameters(**parameters), held).with_memory(guess.memory, guess.states)

    def parameters(self, **overrides: float | str) -> np.ndarray:
        """The parameter vector: the defaults with some values changed."""
        chosen = dict(zip(self.parameter_names, self.defaults.tolist(), strict=True))
        chosen |= self.numbers(overrides)
        return np.array(list(chosen.values()), dtype=np.float64)

    def numbers(self, parameters: Mapping[str, Any]) -> dict[str, float]:
        """Values of some parameters, checked by name, as numbers in their declared units."""
        return self._checked_numbers(parameters, self.parameter_names, "parameters", "parameters")

    def _checked_numbers(
        self, given: Mapping[str, Any], valid: tuple[str, ...], what: str, noun: str
    ) -> dict[str, float]:
        numbers = {}
        for name, value in given.items():
            if not is_one_of(name, valid):
                raise SimulationError(f"{what}: unknown name {name!r}; {suggestion(name, valid, noun)}")
            if isinstance(value, str):
                value = in_unit(value, self.model.units[name], f"{what}: {name}", SimulationError)
            numbers[name] = _finite_number(value, f"{what}: {name}")
        return numbers

    def period(self, p: np.ndarray | None = None) -> float | None:
        """The period of the forcing at these parameters (default: the defaults), or None."""
        if self.model.period is None:
            return None
        try:
            value = float(self._period_function(*(self.defaults if p is None else p).tolist()))
        except (ArithmeticError, TypeError, ValueError):
            return math.nan
        return value

    @cached_property
    def _period_function(self) -> Callable[..., Any]:
        """Of the parameters in order; SymPy would take a millisecond each of the thousands of times it is asked for."""
        import sympy as sp

        return sp.lambdify(self.model.p, self.model.period, "math")  # type: ignore[no-any-return]

    @cached_property
    def tangents(self) -> TangentFunctions:
        """The directional derivatives of the model's functions."""
        if self.tables is not None:
            from jounce.system.tables.system import table_tangents

            return table_tangents(self.tables)
        from jounce.codegen.cache import load_tangents

        code = load_tangents(self.model, self.key)
        return TangentFunctions(*(code.functions[name] for name in TangentFunctions._fields))

    def __reduce__(self) -> tuple[Any, ...]:
        # machine code is not sent to another process but loaded there
        return compile_model, (self.model, "compiled" if self.tables is None else "tables")

    def __repr__(self) -> str:
        way = "" if self.tables is None else "; from tables"
        return f"System({self.model.name!r}: {self.n} coordinates, {self.nc} contacts, {self.nj} joints{way})"


def compile_model(model: Model, bodies: str = "auto") -> System:
    """Make a model ready to run: translated into machine code, or loaded where that was done before on this machine.

    bodies   how a machine of ``Model.from_bodies`` runs: "tables" from its parts, without compiling anything,
             "compiled" as every other model, "auto" from tables if it has more than four bodies or sixteen contacts
             and tables hold everything in it: smaller machines are compiled in seconds, and then run faster
    """
    if not isinstance(model, Model):
        raise SimulationError(f"compile_model needs a Model, e.g. jounce.systems.slender_rod(), not {model!r}")
    if not is_one_of(bodies, WAYS):
        raise SimulationError(f"compile_model: bodies={bodies!r}; {suggestion(bodies, WAYS)}")
    check_sizes(model)
    if bodies != "compiled":
        system = _from_tables(model, required=bodies == "tables")
        if system is not None:
            return system
    return _compiled(model)


def _from_tables(model: Model, *, required: bool) -> System | None:
    """The system of a machine that runs from its parts; None where it must be compiled."""
    reason = "it is not made of bodies in Cartesian coordinates, or has parts that are expressions"
    if model.parts is not None:
        small = len(model.parts.bodies) <= COMPILED_BODIES and len(model.parts.contacts) <= COMPILED_CONTACTS
        if small and not required:
            return None
        from jounce.system.tables.lowering import NotInTablesError
        from jounce.system.tables.system import table_system

        try:
            system = table_system(model, model.parts)
            # the range of what can be narrow over a step is known to compiled code only (codegen/ranges.py)
            return None if system.tables.facts["narrow"] and not required else system
        except NotInTablesError as found:
            reason = str(found)
    if required:
        raise SimulationError(f"model {model.name!r} cannot run from tables: {reason}; leave bodies= out to compile it")
    return None


def _compiled(model: Model) -> System:
    """The system of a model whose functions are generated."""
    from jounce.codegen.cache import load_model, model_key

    key = model_key(model)
    code = load_model(model, key)
    functions = ModelFunctions(*(code.functions[name] for name in ModelFunctions._fields))
    has_friction = np.array([contact.has_friction for contact in model.contacts], dtype=np.bool_)
    defaults = np.array(list(model.defaults.values()), dtype=np.float64)
    has_friction.flags.writeable = defaults.flags.writeable = False
    return System(
        model=model,
        functions=functions,
        free_flow=code.functions.get("free_flow"),
        contact_flows=tuple(
            (code.functions[f"slide_{i}"], code.functions.get(f"stick_{i}"))
            for i in range(code.constants["CONTACT_FLOWS"])
        ),
        series={
            name.removesuffix("_series"): function
            for name, function in code.functions.items()
            if name.endswith("_series")
        },
        series_stride=code.constants["SERIES_STRIDE"],
        series_guards=code.constants["SERIES_GUARDS"],
        narrow=_narrow_parts(code),
        key=key,
        n=model.n,
        nc=len(model.contacts),
        nj=len(model.joints),
        ng=len(code.constants["GUARD_DEGREES"]),
        autonomous=_is_autonomous(model),
        ballistic=code.constants["BALLISTIC"],
        guard_degrees=tuple(code.constants["GUARD_DEGREES"]),
        guard_kinks=tuple(code.constants["GUARD_KINKS"]),
        has_applied_power=model.applied_power != 0,
        has_friction=has_friction,
        turns=tuple(code.constants["TURNS"]),
        watched_angles=tuple(code.constants["WATCHED_ANGLES"]),
        defaults=defaults,
    )


def _narrow_parts(code: Any) -> NarrowParts | None:
    outputs, watched = code.constants["NARROW"]
    return NarrowParts(code.functions["ranges"], outputs, watched) if watched else None


def check_sizes(model: Model) -> None:
    """The engine's records have fixed sizes; say so before a model that outgrows them is compiled."""
    limits = (
        (model.n, workspace.MAX_COORDINATES, "coordinates"),
        (len(model.contacts), workspace.MAX_CONTACTS, "contacts"),
        (len(model.joints), workspace.MAX_JOINTS, "joints"),
        (len(model.guards), workspace.MAX_GUARDS, "guards"),
        (len(model.parameters), workspace.MAX_PARAMETERS, "parameters"),
        (len(model.states), workspace.MAX_STATES, "discrete states"),
        (len(model.resets), workspace.MAX_RESETS, "resets"),
        (sum(len(reset.map) for reset in model.resets), workspace.MAX_ASSIGNMENTS, "assignments in resets"),
    )
    for size, limit, what in limits:
        if size > limit:
            raise SimulationError(f"model {model.name!r} has {size} {what}; the engine serves up to {limit}")


def _is_autonomous(model: Model) -> bool:
    from jounce.model.expressions import expressions_in

    parts = (
        *(model.M, model.h, model.contacts, model.joints, model.guards, model.V, model.applied_power),
        model.resets,
    )
    return not any(expression.has(time) for part in parts for expression in expressions_in(part))


def _finite_number(value: Any, what: str) -> float:
    try:
        number = math.nan if isinstance(value, (str, bytes, bool)) else float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise SimulationError(f"{what} must be a finite number, not {value!r}")
    return number
