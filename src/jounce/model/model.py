"""Model: what moves, in symbols only.

A model takes ten lines:

    import sympy as sp, jounce

    y, dy = jounce.coordinate("y", "m")
    g, e = jounce.parameters(g=(9.81, "m/s^2", "gravity"), e=(0.9, "", "restitution"))
    model = jounce.Model.from_lagrangian(
        "ball", coordinates=[y], kinetic=dy**2 / 2, potential=g * y,
        contacts=[jounce.Contact("floor", gap=y - sp.sin(3 * jounce.time), restitution=e)], start={y: 1.0})
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import sympy as sp

from jounce.errors import ModelError, named_arguments, suggestion
from jounce.model.compliant_contact import added_coordinates, apply_compliance, memory_names
from jounce.model.energies import equations_of_energies
from jounce.model.html import model_html
from jounce.model.internal_states import (
    checked_rates,
    extended_forces,
    extended_mass,
    integrals,
    internal_scales,
    rates_of,
)
from jounce.model.kinks import Kink, force_kinks
from jounce.model.loads import check_loads
from jounce.model.names import Quantities, is_integral, velocity_name
from jounce.model.outline import Outline
from jounce.model.outlining import outline_of
from jounce.model.own_impacts import impulses_in, own_laws, with_own_impacts
from jounce.model.resets import settled_resets
from jounce.model.settling import (
    as_list,
    check_distinct,
    matrix_rows,
    settled_column,
    settled_contact,
    settled_expressions,
    settled_guards,
    settled_mass,
    settled_numbers,
    settled_period,
    settled_power,
    settled_scales,
    settled_shape,
)
from jounce.model.switching.settled import Settlement
from jounce.model.switching.switch import found_switches, switch_states
from jounce.model.validation import check_model
from jounce.model.vocabulary import Vocabulary, check_identifier, given_scales


@named_arguments(ModelError)
@dataclass(frozen=True, eq=False)
class Model(Quantities):
    """M(q,t) u' = h(t,q,u) + contact and joint forces, with u = dq/dt.

    name         an identifier
    coordinates  symbols from ``coordinate``; kept as a dictionary name -> unit
    mass         M: a matrix, a list of diagonal entries, or one expression for one coordinate
    forces       h: a list, a dictionary coordinate -> expression (0 where absent), or one expression
    contacts     a list of Contact, and of lists of them such as ``gear_pair`` gives
    joints       a dictionary name -> g(q, t), held at zero
    guards       a dictionary name -> expression of (t, q, u) whose zeros are reported as events of kind "user"
    potential    V(q, t), for the energy ledger; the kinetic energy is u.M.u/2
    parameters   only needed for plain SymPy symbols: name -> default or (default, unit, description)
    period       the period of the forcing, an expression of the parameters
    start        the default start: coordinates and velocities -> numbers (0 where absent)
    drawing      shapes for animations
    scales       how large coordinates and velocities are, by name, where the motion does not show it; the scale of a
                 coordinate may also be given with its symbol
    resets       a list of Reset: what changes at an instant where a guard vanishes or a contact has an event
    states       discrete states that are plain SymPy symbols: name -> initial value, or (value, unit, description)
    rates        internal states from ``internal`` -> their rates, expressions of (t, q, u) and of internal states
    switches     switches that are plain SymPy symbols: name -> surface; ``Switch`` in forces brings its own

    Everything is checked here, by name: a Model that exists is well formed.

    >>> y, dy = jounce.coordinate("y", "m")
    >>> floor = jounce.Contact("floor", gap=y, restitution=0.5)
    >>> model = jounce.Model("ball", [y], [1], [-9.81], contacts=[floor], start={y: 1.0})
    >>> print(model)
    Model('ball': coordinates y; contacts floor)
    >>> jounce.simulate(model, None, t_end=5.0).status.name
    'AT_REST'
    """

    name: str
    coordinates: Any
    mass: Any
    forces: Any
    contacts: Any = ()
    joints: Any = field(default_factory=dict)
    guards: Any = field(default_factory=dict)
    potential: Any = 0
    parameters: Any = ()
    period: Any = None
    start: Any = field(default_factory=dict)
    drawing: Any = ()
    description: str = ""
    source: str = ""
    applied_power: Any = None
    scales: Any = field(default_factory=dict)
    resets: Any = ()
    states: Any = field(default_factory=dict)
    rates: Any = field(default_factory=dict)
    switches: Any = field(default_factory=dict)

    #: the bodies, joints, forces and contacts of a machine that can run from them (bodies/machine_model.py)
    parts: ClassVar[Any] = None
    #: what keeps a machine of bodies from running from these, in words
    why_written: ClassVar[str] = ""

    @classmethod
    def from_lagrangian(
        cls,
        name: str,
        *,
        coordinates: Any,
        kinetic: Any,
        potential: Any = 0,
        forces: Mapping[Any, Any] | None = None,
        parameters: Any = (),
        **rest: Any,
    ) -> Model:
        """A model from T and V; ``forces`` are the generalised forces that come from no potential."""
        allowed = {entry.name for entry in fields(cls)} - {"mass", "applied_power"}
        for argument in rest:
            if argument not in allowed:
                raise ModelError(f"from_lagrangian has no argument {argument!r}; {suggestion(argument, allowed)}")
        return cls(name, **equations_of_energies(coordinates, kinetic, potential, forces or {}, parameters, rest))

    @classmethod
    def from_bodies(cls, name: str, *, bodies: Any, **parts: Any) -> Model:
        """A model from bodies, joints, forces and contacts: see ``jounce.model.bodies.machine.machine_from_bodies``."""
        from jounce.model.bodies.machine import machine_from_bodies

        return machine_from_bodies(name, bodies=bodies, **parts)

    @classmethod
    def from_sympy_mechanics(cls, name: str, method: Any, **parts: Any) -> Model:
        """A model from a KanesMethod, LagrangesMethod or System of sympy.physics.mechanics.

        parameters    a default for every symbol: name -> number or (number, unit, description)
        units         coordinate -> unit
        joint_names   names for the holonomic constraints, which become joints (constraint_1, ... without)
        potential     V(q, t) for the energy ledger; the forces are in the equations already
        and contacts, joints, guards, period, start, drawing, description, source, scales, resets, states as for
        ``Model``

        Expressions may use SymPy's q(t) and their derivatives, or the symbols of ``coordinate``.
        """
        from jounce.model.sympy_mechanics import model_from_mechanics

        return model_from_mechanics(name, method, **parts)

    @classmethod
    def from_file(cls, path: str | Path) -> Model:
        """The model of a TOML file, of which nothing is executed; a ModelError says file, line and column."""
        from jounce.model.files import model_from_file

        return model_from_file(path)

    def to_file(self, path: str | Path) -> Path:
        """Write the model as a TOML file, M u' = h, which ``from_file`` reads to the same equations."""
        from jounce.model.files import model_to_file

        return model_to_file(self, path)

    @classmethod
    def from_text(cls, text: str, name: str = "model.toml") -> Model:
        """The model of the text of a TOML file; ``name`` stands for the file in messages."""
        from jounce.model.files import model_from_text

        return model_from_text(text, name)

    def to_text(self) -> str:
        """What ``to_file`` writes."""
        from jounce.model.files import model_text

        return model_text(self)

    def __post_init__(self) -> None:
        check_identifier(self.name, "model")
        contents = [getattr(self, entry.name) for entry in fields(self)]
        plain, own = own_laws(self.contacts)
        object.__setattr__(self, "contacts", plain)
        switches = found_switches(self.switches, contents)
        contents = [*contents, list(switches.values()), impulses_in(own)]
        states = {**dict(self.states), **switch_states(switches)} if switches else self.states
        words = Vocabulary.collect(self.coordinates, self.parameters, contents, memory_names(self.contacts), states)
        words = self._with_internal_states(words)
        settled = {
            "coordinates": words.coordinates,
            "parameters": words.parameters,
            "mass": settled_mass(words, self.mass),
            "forces": sp.ImmutableMatrix(settled_column(words, self.forces, "force")),
            "contacts": tuple(settled_contact(words, contact) for contact in as_list(self.contacts)),
            "joints": settled_expressions(words, self.joints, "joint", velocities=False),
            "guards": settled_guards(words, self.guards),
            "potential": words.expression(self.potential, "potential", velocities=False),
            "period": None if self.period is None else settled_period(words, self.period),
            "start": settled_numbers(words, self.start, "start"),
            "scales": settled_scales(words, given_scales(self.coordinates, self.scales)),
            "drawing": tuple(settled_shape(words, shape) for shape in as_list(self.drawing)),
            "states": words.states,
            "rates": {},  # they are forces now
            "switches": {},  # they are discrete states and resets now
        }
        if own:
            parts = (words, settled["mass"], settled["contacts"], own, self.joints)
            settled["contacts"], laws = with_own_impacts(*parts)
            object.__setattr__(self, "resets", [*laws, *as_list(self.resets)])
        words = self._switched(words, switches, settled, own)
        # the values of switches may hold the forces of compliant contacts
        whole = replace(words, coordinates=words.coordinates | added_coordinates(settled["contacts"]))
        settled["resets"], settled["guards"] = settled_resets(
            whole, self.resets, settled["guards"], settled["contacts"]
        )
        for attribute, value in settled.items():
            object.__setattr__(self, attribute, value)  # the one moment at which a frozen Model changes
        check_distinct(self)
        check_loads(self.contacts, self.joints)
        object.__setattr__(self, "applied_power", settled_power(self, words, whole))
        self._make_compliant(words)
        check_model(self)

    def _with_internal_states(self, words: Vocabulary) -> Vocabulary:
        """Turn rates into equations of motion of the integrals; a settled model has them already."""
        rates = checked_rates(self.rates)
        if not rates:
            return words
        extended = {
            "mass": extended_mass(matrix_rows(self.mass), len(words.coordinates), len(rates)),
            "forces": extended_forces(self.forces, rates),
            "scales": internal_scales(rates) | given_scales(self.coordinates, self.scales),
        }
        for attribute, value in extended.items():
            object.__setattr__(self, attribute, value)
        words = replace(words, coordinates=words.coordinates | integrals(rates))
        words.check_names()
        return words

    def _switched(
        self, words: Vocabulary, switches: dict[str, sp.Expr], settled: dict[str, Any], own: Any
    ) -> Vocabulary:
        """Settle the switches, those of forces that jump with a velocity among them; returns the names with theirs."""
        power = None if self.applied_power is None else words.expression(self.applied_power, "applied power")
        elsewhere = [settled["contacts"], settled["guards"], self.resets, impulses_in(own)]
        found = Settlement(words, switches, settled, self.joints, power, elsewhere).switched()
        settled |= {"forces": found.forces, "states": found.words.states}
        settled["contacts"] = (*settled["contacts"], *found.brakes)
        object.__setattr__(self, "applied_power", found.power)
        object.__setattr__(self, "resets", [*as_list(self.resets), *found.resets])
        return found.words

    def _make_compliant(self, words: Vocabulary) -> None:
        """Turn laws of compliant contact into forces; a model read from a file has them already."""
        added = added_coordinates(self.contacts)
        words = replace(words, coordinates=words.coordinates | added)
        words.check_names()
        mass, forces, contacts = apply_compliance(words, self.mass, self.forces, self.contacts)
        extended = {"coordinates": words.coordinates, "mass": mass, "forces": forces, "contacts": contacts}
        for attribute, value in extended.items():
            object.__setattr__(self, attribute, value)

    @property
    def n(self) -> int:
        """The number of coordinates."""
        return len(self.coordinates)

    @property
    def M(self) -> sp.ImmutableMatrix:
        """The mass matrix."""
        return self.mass

    @property
    def h(self) -> sp.ImmutableMatrix:
        """The right side of M u' = h."""
        return self.forces

    @property
    def V(self) -> sp.Expr:
        """The potential energy."""
        return self.potential

    @cached_property
    def kinetic(self) -> sp.Expr:
        """The kinetic energy u.M.u/2."""
        # the velocity of a branch is a force, and what stands beside it in u.M.u/2 is the energy of a spring
        branches = [contact.compliance.branch for contact in self.contacts if contact.compliance is not None]
        moving = [0 if name in branches else u for name, u in zip(self.coordinates, self.u, strict=True)]
        u = sp.Matrix(moving)
        return (u.T * self.M * u)[0, 0] / 2

    @property
    def q(self) -> tuple[sp.Symbol, ...]:
        """The symbols of the coordinates."""
        return self.vocabulary.q

    @property
    def u(self) -> tuple[sp.Symbol, ...]:
        """The symbols of the velocities, named d_<coordinate>."""
        return self.vocabulary.u

    @property
    def p(self) -> tuple[sp.Symbol, ...]:
        """The symbols of the parameters, in the order of the parameter vector."""
        return self.vocabulary.p

    @cached_property
    def memory(self) -> tuple[sp.Symbol, ...]:
        """What the engine remembers of compliant contacts, then the discrete states: behind the parameters."""
        return tuple(self.symbols[name] for name in (*self.vocabulary.memory, *self.states))

    @property
    def symbols(self) -> dict[str, sp.Symbol]:
        """Every symbol of the model by name."""
        return self.vocabulary.symbols

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The names of the model."""
        return Vocabulary(self.coordinates, self.parameters, memory_names(self.contacts), self.states)

    @cached_property
    def internal_states(self) -> dict[str, sp.Expr]:
        """Internal state -> its rate."""
        return {velocity_name(name): rate for name, rate in rates_of(self.coordinates, self.h).items()}

    @cached_property
    def watched(self) -> tuple[sp.Expr, ...]:
        """What the engine looks for zeros of: the guards, then the kinks of forces."""
        guards = tuple(self.guards.values())
        return (*guards, *(border for border in self.kinks if border not in guards))

    @cached_property
    def kinks(self) -> dict[sp.Expr, Kink]:
        """Where forces and surfaces are not smooth, and what may jump there (kinks.py)."""
        return force_kinks(self)

    @property
    def may_read_states(self) -> tuple[Any, ...]:
        """The parts of the motion in whose expressions discrete states may stand, beside guards and resets."""
        return self.M, self.h, self.contacts, self.joints

    @cached_property
    def outline(self) -> Outline:
        """The model without its expressions: what it is run by."""
        return outline_of(self)

    @property
    def defaults(self) -> dict[str, float]:
        """Parameter name -> default."""
        return {name: parameter.default for name, parameter in self.parameters.items()}

    def _repr_html_(self) -> str:
        """For notebooks: coordinates, contacts, and the parameters with their defaults and units."""
        return model_html(self)

    def __repr__(self) -> str:
        contacts = ", ".join(contact.name for contact in self.contacts) or "none"
        coordinates = ", ".join(name for name in self.coordinates if not is_integral(name))
        internal = f"; internal states {', '.join(self.internal_states)}" if self.internal_states else ""
        return f"Model({self.name!r}: coordinates {coordinates}{internal}; contacts {contacts})"
