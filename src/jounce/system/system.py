"""System: a compiled model, ready for the engine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.codegen.kept import kept_code
from jounce.errors import SimulationError, is_one_of, suggestion
from jounce.kernels.records.codes import SIDE_PASSED
from jounce.model.names import ALWAYS_CLOSED, own_law_name, velocity_name
from jounce.model.outline import Outline
from jounce.system.functions import ModelFunctions, NarrowParts, NearContacts, TangentFunctions
from jounce.system.state import MODE_NAMES, State
from jounce.units import in_seconds, in_unit

if TYPE_CHECKING:
    from jounce.model.model import Model
    from jounce.system.forcing import Forcing

MODE_BASE = 8


@dataclass(frozen=True, eq=False)
class System:
    """A model that is ready to run: made by ``compile_model``, taken by ``simulate`` and by every analysis.

    It knows the model's names and makes states and vectors of parameters from them:

        system.state(y=1.0)     a start by names
        system.coordinate_names, system.parameter_names, system.contact_names
        system.model            the model, with its expressions

    >>> system = jounce.compile_model(jounce.systems.bouncing_ball())
    >>> system.state(y=2.0)
    State(t=0, y=2, d_y=0)
    """

    # outline             the model's names, units, numbers and kinds of parts: all that a run asks of it
    # source              gives the model itself, model: its expressions, which a run asks for seldom
    # n, nc, nj, ng       numbers of coordinates, contacts, joints and guards
    # functions           ModelFunctions: what the engine calls
    # free_flow           u' and the powers of the ledger in one function; None where there are joints or no powers
    # contact_flows       functions (slide, stick) of the first contacts, each closed alone (codegen/contact_flow.py)
    # series              Taylor series of these along the flow (codegen/taylor.py), by name: free, slide_0, ...
    # series_stride       numbers of one order of a series; 0: there are none
    # series_guards       whether what ends a mode has series too
    # series_affine       whether these and the motion are affine in every mode, with harmonic forcing at most
    # energies            T, V and the energies of compliant contacts at many states; None: asked of the expressions
    # forcing             the period of the forcing, and whether the model is known to repeat after it
    # narrow              what can be narrow in the model (codegen/ranges.py); None where nothing can
    # autonomous          whether the time appears in no expression
    # ballistic           whether free flight is a parabola along which gaps have a known bound (bounds.py)
    # guard_kinks         of each guard what is not smooth at its zeros (model/kinks.py), 0 if nothing
    # held_sides          of each guard whether steps hold its side (codegen/held_sides.py); none where no guard is held
    # guard_degrees       of each guard in the time of such a flight; -1: above 2 or no polynomial (flight_guards.py)
    # has_applied_power   whether forces other than those of the potential do work, or the model depends on time
    # has_friction        for each contact, whether it has a slip velocity
    # turns               for each coordinate, after how many turns of 2 pi the mechanics repeats (model/periodicity.py)
    # watched_angles      coordinates whose whole angle a guard or the ledger reads: their turns stand behind the memory
    # defaults            the parameter vector of the defaults
    # near                of such a machine, NearContacts
    # faces               of contacts of sharp corners with outlines, the faces that may hold them; None: there are none
    # tables              of a machine that runs without compilation (system/tables); None: the model is compiled
    # key                 the hash under which the code is kept

    outline: Outline
    source: Callable[[], Model]
    functions: ModelFunctions
    free_flow: Any
    contact_flows: tuple[tuple[Any, Any], ...]
    series: dict[str, Any]
    series_stride: int
    series_guards: bool
    series_affine: bool
    energies: Any
    forcing: Forcing | None
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
    held_sides: tuple[int, ...]
    has_applied_power: bool
    has_friction: np.ndarray
    turns: tuple[int, ...]
    watched_angles: tuple[int, ...]
    defaults: np.ndarray
    near: NearContacts | None = None
    faces: Any = None
    tables: Any = None

    @cached_property
    def model(self) -> Model:
        """The model, with its expressions."""
        return self.source()

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """The names of the coordinates, in order."""
        return tuple(self.outline.coordinates)

    @cached_property
    def velocity_names(self) -> tuple[str, ...]:
        """The names of the velocities, d_<coordinate>, in order."""
        return tuple(velocity_name(name) for name in self.outline.coordinates)

    @cached_property
    def parameter_names(self) -> tuple[str, ...]:
        """The names of the parameters, in order."""
        return tuple(self.outline.parameters)

    @cached_property
    def _parameter_places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.parameter_names)}

    @cached_property
    def contact_names(self) -> tuple[str, ...]:
        """The names of the contacts, in order."""
        return tuple(contact.name for contact in self.outline.contacts)

    @cached_property
    def own_laws(self) -> bool:
        """Whether a user has written the law of an impact or of a compliance, which may give energy."""
        own = (contact.compliance and contact.compliance.own for contact in self.outline.contacts)
        resets = (reset.event and reset.name == own_law_name(reset.event[1]) for reset in self.outline.resets)
        return any(own) or any(resets)

    @cached_property
    def vector_size(self) -> int:
        """The length of the vector that the model's functions read: parameters, memory, turns, sides."""
        return len(self.parameter_names) + self.outline.memory + len(self.watched_angles) + len(self.held_sides)

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """The names of the joints, in order."""
        return tuple(self.outline.joints)

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        """The names of the discrete states, in order."""
        return tuple(self.outline.states)

    @cached_property
    def real_states(self) -> tuple[str, ...]:
        """The discrete states that take real values on which something depends: variables, as q and u are."""
        return self.outline.carried_states

    @cached_property
    def width(self) -> int:
        """How many variables a perturbation has: q, u and the real discrete states."""
        return 2 * self.n + len(self.real_states)

    @cached_property
    def reset_names(self) -> tuple[str, ...]:
        """The names of the resets, in order."""
        return tuple(reset.name for reset in self.outline.resets)

    @cached_property
    def _unknown_memory(self) -> np.ndarray:
        """Nothing is known of compliant contacts (nan), and discrete states have their initial values."""
        initial = [state.default for state in self.outline.states.values()]
        unknown = np.array([np.nan] * self.outline.compliant_memory + initial)
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
        return tuple(self.outline.guards)

    @property
    def modes(self) -> dict[str, tuple[str, ...]]:
        """Contact name -> the modes it can be in; without friction a closed contact has no slip direction.

        What joints load is never open.
        """
        return {
            contact.name: (MODE_NAMES[0], MODE_NAMES[4])
            if contact.compliance is not None
            else MODE_NAMES[1:4]
            if contact.kind_of_load in ALWAYS_CLOSED
            else MODE_NAMES[:4]
            if contact.has_friction
            else MODE_NAMES[:2]
            for contact in self.outline.contacts
        }

    @cached_property
    def _mode_codes(self) -> tuple[frozenset[int], ...]:
        """The codes of ``modes``."""
        return tuple(frozenset(map(MODE_NAMES.index, names)) for names in self.modes.values())

    def mode_names(self, code: int) -> dict[str, str]:
        """The mode of every contact from the encoded mode of the system, sum mode_i * 8**i."""
        digits = f"{max(int(code), 0):o}"[::-1].ljust(self.nc, "0")
        return {name: MODE_NAMES[int(digit)] for name, digit in zip(self.contact_names, digits, strict=False)}

    def knows_modes(self, start: State) -> bool:
        """Whether a state brings the modes of all contacts; those of another model mean nothing here."""
        if self.nc == 0 or start.modes.size != self.nc:
            return False
        return all(mode in valid for mode, valid in zip(start.modes.tolist(), self._mode_codes, strict=True))

    def sides_of(self, start: State) -> list[int]:
        """On which side of zero each named guard is at a start; 0 where a person has written it, exactly."""
        named = len(self.guard_names)
        if start.sides.size == named:
            return list(start.sides.tolist())
        return [SIDE_PASSED if start.scales.size else 0] * named

    def fitted(self, start: State) -> State:
        """A start with the scales and sides of this system's guards.

        A run that stops at a plane has one guard more than others of its model, behind those that have names.
        """
        named = len(self.guard_names)
        extra, expected = start.sides.size - named, 2 * self.n + 4 * self.nc + self.nj + self.ng
        if abs(extra) != 1 or start.scales.size != expected + extra:
            return start
        place = 2 * self.n + self.nc + self.nj + min(named, start.sides.size)
        if extra > 0:
            scales, sides = np.delete(start.scales, place), start.sides[:named]
        else:
            scales, sides = np.insert(start.scales, place, 0.0), np.append(start.sides, SIDE_PASSED)
        carried = start.memory, start.modes, start.orders, scales, start.states, sides, start.faces
        return State(start.t, start.q, start.u, start.names, *carried)

    def closed_contacts(self, start: State) -> list[str]:
        """The contacts that a state knows to be closed."""
        modes = start.mode_names if self.knows_modes(start) else ()
        return [name for name, mode in zip(self.contact_names, modes, strict=False) if mode != MODE_NAMES[0]]

    def state(self, /, t: float | str = 0.0, **values: float | str) -> State:
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
        numbers = [given.get(name, self.outline.start.get(name, 0.0)) for name in valid]
        q, u = numbers[: self.n], numbers[self.n :]
        return State(t, q, u, self.coordinate_names, memory, states=self.state_names)

    def _started_memory(self, given: Mapping[str, float]) -> np.ndarray:
        """The memory with which a state begins; none for a model without discrete states."""
        if not self.state_names:
            return np.empty(0)
        memory = self._unknown_memory.copy()
        first = memory.size - len(self.state_names)
        for name, value in given.items():
            memory[first + self.state_names.index(name)] = value
        return memory

    def assemble(self, /, start: State | None = None, hold: Iterable[str] = (), **parameters: float | str) -> State:
        """The state nearest to ``start`` (default: the default start) that satisfies the joints.

        hold         names of coordinates and velocities that keep their values
        parameters   overrides by name: lengths, or the speed of a driver

        Raises a SimulationError where the joints cannot be satisfied.
        """
        return self.assemble_with(start, hold, parameters)

    def assemble_with(self, start: State | None, hold: Iterable[str], parameters: Mapping[str, float | str]) -> State:
        """``assemble`` with the parameters of a run, whatever these are called."""
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

    def parameters(self, /, **overrides: float | str) -> np.ndarray:
        """The parameter vector: the defaults with some values changed."""
        vector = self.defaults.copy()
        for name, value in self.numbers(overrides).items():
            vector[self._parameter_places[name]] = value
        for name in self.outline.ranges:
            self.check_range(name, float(vector[self._parameter_places[name]]))
        return vector

    def numbers(self, parameters: Mapping[str, Any]) -> dict[str, float]:
        """Values of some parameters, checked by name, as numbers in their declared units."""
        numbers = self._checked_numbers(parameters, self.parameter_names, "parameters", "parameters")
        for name, value in numbers.items():
            self.check_range(name, value)
        return numbers

    def check_range(self, name: str, *values: float) -> None:
        """Of a parameter that shapes a curve, whose places are searched with bounds that hold in its range."""
        low, high = self.outline.ranges.get(name, (-math.inf, math.inf))
        for value in values:
            if not low <= value <= high:
                raise SimulationError(
                    f"parameters: {name} is {value:g}; the curve that it shapes was made for values from {low:g} to "
                    f"{high:g}. Give it a wider range: ranges={{{name}: (least, largest)}} of the CurveOn, PathOn or "
                    "EllipseOn"
                )

    def _checked_numbers(
        self, given: Mapping[str, Any], valid: tuple[str, ...], what: str, noun: str
    ) -> dict[str, float]:
        numbers = {}
        for name, value in given.items():
            if not is_one_of(name, valid):
                raise SimulationError(f"{what}: unknown name {name!r}; {suggestion(name, valid, noun)}")
            if isinstance(value, str):
                value = in_unit(value, self.outline.units[name], f"{what}: {name}", SimulationError)
            numbers[name] = _finite_number(value, f"{what}: {name}")
        return numbers

    def period(self, p: np.ndarray | None = None) -> float | None:
        """The period of the forcing at these parameters (default: the defaults), or None."""
        return None if self.forcing is None else self.forcing.period(self.defaults if p is None else p)

    @cached_property
    def tangents(self) -> TangentFunctions:
        """The directional derivatives of the model's functions."""
        if self.tables is not None:
            from jounce.system.tables.system import table_tangents

            return table_tangents(self.tables)
        code = kept_code(f"{self.outline.name}_{self.key}_tangents")
        if code is None:
            from jounce.codegen.cache import load_tangents  # SymPy, only where they have not been made

            code = load_tangents(self.model, self.key)
        return TangentFunctions(*(code.functions[name] for name in TangentFunctions._fields))

    def __reduce__(self) -> tuple[Any, ...]:
        # machine code is not sent to another process but loaded there
        from jounce.system.compilation import compile_model  # which makes Systems itself

        return compile_model, (self.model, "compiled" if self.tables is None else "tables")

    def _repr_html_(self) -> str:
        """For notebooks: what the compiled model is made of, and its parameters with defaults and units."""
        from jounce.html_summary import summary, table

        outline = self.outline
        facts = {
            "coordinates": ", ".join(f"{name} [{outline.units[name]}]" for name in self.coordinate_names),
            "contacts": ", ".join(contact.name for contact in outline.contacts) or "none",
            "joints": ", ".join(self.joint_names) or "none",
            **({"discrete states": ", ".join(self.state_names)} if self.state_names else {}),
            "runs": "from tables" if self.tables is not None else "compiled",
        }
        entries = outline.parameters.values()
        rows = [(entry.name, entry.default, entry.unit, entry.description) for entry in entries]
        return summary(f"System {outline.name}", facts, table(("parameter", "default", "unit", ""), rows))

    def __repr__(self) -> str:
        way = "" if self.tables is None else "; from tables"
        return f"System({self.outline.name!r}: {self.n} coordinates, {self.nc} contacts, {self.nj} joints{way})"


def _finite_number(value: Any, what: str) -> float:
    try:
        number = math.nan if isinstance(value, (str, bytes, bool)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise SimulationError(f"{what} must be a finite number, not {value!r}")
    return number
