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

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import sympy as sp

from jounce.errors import ModelError, named_arguments, suggestion
from jounce.model.compliant_contact import added_coordinates, apply_compliance, check_law, memory_names
from jounce.model.contact import Contact
from jounce.model.drawing import Circle, Coil, Ground, Point, Polygon, Segment
from jounce.model.expressions import identically_zero
from jounce.model.internal import (
    MASS,
    checked_rates,
    extended_forces,
    extended_mass,
    integrals,
    internal_scales,
    rates_of,
    state_name,
)
from jounce.model.kinks import force_kinks
from jounce.model.lagrangian import is_scleronomic, lagrange_equations, tidy, time_derivative
from jounce.model.loads import check_loads, with_load
from jounce.model.own_impacts import impulses_in, own_laws, with_own_impacts
from jounce.model.resets import settled_resets
from jounce.model.speeds import friction_at_rest
from jounce.model.switches import Switching, found_switches, switch_states
from jounce.model.symbols import approach_speed, is_integral, plain_symbol, slip, velocity_name, velocity_unit
from jounce.model.validation import check_model
from jounce.model.vocabulary import Vocabulary, check_identifier, given_scales
from jounce.units import TIME, in_unit


@named_arguments(ModelError)
@dataclass(frozen=True, eq=False)
class Model:
    """M(q,t) u' = h(t,q,u) + contact and joint forces, with u = dq/dt.

    name         an identifier
    coordinates  symbols from ``coordinate``; kept as a dictionary name -> unit
    mass         M: a matrix, a list of diagonal entries, or one expression for one coordinate
    forces       h: a list, a dictionary coordinate -> expression (0 where absent), or one expression
    contacts     a list of Contact
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
        contents = (kinetic, potential, forces or {}, *rest.values())
        rates = checked_rates(rest.pop("rates", {}))
        switches = rest["switches"] = found_switches(rest.get("switches", {}), contents)
        contents = (*contents, list(switches.values()))
        states = {**rest.get("states", {}), **switch_states(switches)}
        rest["scales"] = given_scales(coordinates) | internal_scales(rates) | dict(rest.get("scales", {}))
        words = Vocabulary.collect(coordinates, parameters, contents, states=states)
        words = replace(words, coordinates=words.coordinates | integrals(rates))
        words.check_names()
        rest["states"] = words.states
        internal = [plain_symbol(state_name(key)) for key in rates]
        T = words.expression(kinetic, "kinetic energy", internal=False) + MASS * sp.Add(*(z**2 for z in internal)) / 2
        forces = extended_forces(forces or {}, rates)
        V = words.expression(potential, "potential", velocities=False)
        Q = _column(words, forces, "force")
        M, h = lagrange_equations(T, V, Q, words.q, words.u)
        power = None
        if is_scleronomic(T, words.u):
            # d/dt (T + V) = u.Q + V_t: exact, and shorter than what the general formula gives
            powers = (u_i * Q_i for u_i, Q_i in zip(words.u, Q, strict=True) if u_i not in internal)
            power = sp.Add(*powers, sp.diff(V, words.symbols["t"]))
        return cls(name, words.coordinates, M, h, potential=V, parameters=words.parameters, applied_power=power, **rest)

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
            "mass": _mass_matrix(words, self.mass),
            "forces": sp.ImmutableMatrix(_column(words, self.forces, "force")),
            "contacts": tuple(_contact(words, contact) for contact in _items(self.contacts)),
            "joints": _named_expressions(words, self.joints, "joint", velocities=False),
            "guards": settled_guards(words, self.guards),
            "potential": words.expression(self.potential, "potential", velocities=False),
            "period": None if self.period is None else settled_period(words, self.period),
            "start": _numbers(words, self.start, "start"),
            "scales": _scales(words, given_scales(self.coordinates) | dict(self.scales)),
            "drawing": tuple(_shape(words, shape) for shape in _items(self.drawing)),
            "states": words.states,
            "rates": {},  # they are forces now
            "switches": {},  # they are discrete states and resets now
        }
        if own:
            parts = (words, settled["mass"], settled["contacts"], own, self.joints)
            settled["contacts"], laws = with_own_impacts(*parts)
            object.__setattr__(self, "resets", [*laws, *_items(self.resets)])
        if switches:
            settled["forces"] = self._switched(words, switches, settled["mass"], settled["forces"], settled["contacts"])
        settled["resets"], settled["guards"] = settled_resets(
            words, self.resets, settled["guards"], settled["contacts"]
        )
        for attribute, value in settled.items():
            object.__setattr__(self, attribute, value)  # the one moment at which a frozen Model changes
        _check_distinct(self)
        check_loads(self.contacts, self.joints)
        object.__setattr__(self, "applied_power", _applied_power(self, words))
        self._make_compliant(words)
        check_model(self)

    def _with_internal_states(self, words: Vocabulary) -> Vocabulary:
        """Turn rates into equations of motion of the integrals; a settled model has them already."""
        rates = checked_rates(self.rates)
        if not rates:
            return words
        extended = {
            "mass": extended_mass(_rows(self.mass), len(words.coordinates), len(rates)),
            "forces": extended_forces(self.forces, rates),
            "scales": given_scales(self.coordinates) | internal_scales(rates) | dict(self.scales),
        }
        for attribute, value in extended.items():
            object.__setattr__(self, attribute, value)
        words = replace(words, coordinates=words.coordinates | integrals(rates))
        words.check_names()
        return words

    def _switched(self, words: Vocabulary, switches: dict[str, sp.Expr], mass: Any, forces: Any, contacts: Any) -> Any:
        """The forces with the values of the switches; their resets join those of the model."""
        switching = Switching(words, switches, mass, forces, self.joints)
        values = dict(zip(switching.symbols, switching.values, strict=True))
        object.__setattr__(self, "resets", [*_items(self.resets), *switching.resets(contacts)])
        if self.applied_power is not None:
            power = words.expression(self.applied_power, "applied power")
            object.__setattr__(self, "applied_power", power.xreplace(values))
        return switching.switched(forces)

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
    def kinks(self) -> dict[sp.Expr, bool]:
        """Where forces are not smooth, and whether they may jump there (kinks.py)."""
        return force_kinks(self)

    @property
    def velocity_units(self) -> dict[str, str]:
        """Velocity name -> unit."""
        return {velocity_name(name): velocity_unit(unit) for name, unit in self.coordinates.items()}

    @cached_property
    def units(self) -> dict[str, str]:
        """The declared unit of every number that a run is given: time, coordinates, velocities, parameters, states."""
        declared = {entry.name: entry.unit for entry in (*self.parameters.values(), *self.states.values())}
        return {"t": TIME, **self.coordinates, **self.velocity_units, **declared}

    @property
    def defaults(self) -> dict[str, float]:
        """Parameter name -> default."""
        return {name: parameter.default for name, parameter in self.parameters.items()}

    def _repr_html_(self) -> str:
        """For notebooks: coordinates, contacts, and the parameters with their defaults and units."""
        from jounce.html_summary import summary, table

        units = {name: unit for name, unit in self.coordinates.items() if not is_integral(name)}
        facts = {
            "coordinates": ", ".join(f"{name} [{unit}]" if unit else name for name, unit in units.items()),
            **({"internal states": ", ".join(self.internal_states)} if self.internal_states else {}),
            "contacts": ", ".join(contact.name for contact in self.contacts) or "none",
            "joints": ", ".join(self.joints) or "none",
            **({"resets": ", ".join(reset.name for reset in self.resets)} if self.resets else {}),
            "source": self.source or "–",
        }
        rows = [(entry.name, entry.default, entry.unit, entry.description) for entry in self.parameters.values()]
        title = f"{self.name}: {self.description}" if self.description else self.name
        return summary(title, facts, table(("parameter", "default", "unit", ""), rows))

    def __repr__(self) -> str:
        contacts = ", ".join(contact.name for contact in self.contacts) or "none"
        coordinates = ", ".join(name for name in self.coordinates if not is_integral(name))
        internal = f"; internal states {', '.join(self.internal_states)}" if self.internal_states else ""
        return f"Model({self.name!r}: coordinates {coordinates}{internal}; contacts {contacts})"


def _mass_matrix(words: Vocabulary, given: Any) -> sp.ImmutableMatrix:
    n, names = len(words.coordinates), list(words.coordinates)
    rows = _rows(given)
    if all(len(row) == 1 for row in rows) and len(rows) == n:
        rows = [[row[0] if i == j else 0 for j in range(n)] for i, row in enumerate(rows)]
    if len(rows) != n or any(len(row) != n for row in rows):
        shape = f"{len(rows)} x {len(rows[0]) if rows else 0}"
        raise ModelError(f"the mass matrix has shape {shape}; the {n} coordinates need {n} x {n}")

    def entry(i: int, j: int) -> sp.Expr:
        return words.expression(rows[i][j], f"mass matrix, entry [{names[i]},{names[j]}]", velocities=False)

    return sp.ImmutableMatrix(n, n, entry)


def _rows(given: Any) -> list[list[Any]]:
    """The rows of a matrix, of a list of rows or of diagonal entries, or of one entry."""
    if isinstance(given, sp.MatrixBase):
        return [list(given.row(i)) for i in range(given.rows)]
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, (list, tuple)):
        given = [given]
    return [list(row) if isinstance(row, (list, tuple)) else [row] for row in given]


def _column(words: Vocabulary, given: Any, kind: str) -> list[sp.Expr]:
    """One expression for each coordinate."""
    names = list(words.coordinates)
    if isinstance(given, Mapping):
        named = {key if isinstance(key, str) else key.name: value for key, value in given.items()}
        for name in named:
            if name not in names:
                raise ModelError(f"{kind} on {name!r}: no such coordinate; {suggestion(name, names, 'coordinates')}")
        given = [named.get(name, 0) for name in names]
    elif isinstance(given, sp.MatrixBase):
        given = list(given)
    elif not isinstance(given, (list, tuple)):
        given = [given]
    if len(given) != len(names):
        raise ModelError(f"{len(given)} {kind}s for {len(names)} coordinates ({', '.join(names)})")
    return [words.expression(value, f"{kind} on {name!r}") for name, value in zip(names, given, strict=True)]


def _items(given: Any) -> Any:
    """A list or tuple as it is, one object as a list of one."""
    return given if isinstance(given, (list, tuple)) else [given]


def _contact(words: Vocabulary, contact: Any) -> Contact:
    if not isinstance(contact, Contact):
        raise ModelError(f"contacts: expected a Contact, not {contact!r}")
    check_identifier(contact.name, "contact")
    check_law(contact)
    where = f"contact {contact.name!r}"
    if contact.law is not None and not isinstance(contact.law, str):
        raise ModelError(f"{where}: the law must be a name such as 'energetic', or None, not {contact.law!r}")
    offset = contact.offset
    if offset is not None and not (isinstance(offset, list | tuple) and len(offset) == 2):
        raise ModelError(f"{where}: the offset must be a pair (x, y), not {offset!r}")
    contact = with_load(words, contact)
    return replace(
        contact,
        gap=words.expression(contact.gap, f"{where}: gap", velocities=False),
        slip=None if contact.slip is None else words.expression(contact.slip, f"{where}: slip"),
        penetration=None
        if contact.penetration is None
        else words.expression(contact.penetration, f"{where}: penetration", velocities=False),
        offset=None
        if contact.offset is None
        else tuple(words.expression(part, f"{where}: offset", velocities=False) for part in contact.offset),
        **settled_coefficients(words, contact),
    )


def settled_coefficients(words: Vocabulary, contact: Contact) -> dict[str, sp.Expr]:
    """Friction and restitution of a contact in the symbols of the model."""
    where = f"contact {contact.name!r}"
    friction = words.expression(contact.friction, f"{where}: friction", velocities=False, internal=True, speeds=(slip,))
    at_rest, static = friction_at_rest(friction, where), contact.static_friction
    settled = {"friction": friction, "static_friction": at_rest}
    if static is not None:
        settled["static_friction"] = words.expression(
            static, f"{where}: static_friction", velocities=False, internal=True
        )
    for name in ("restitution", "tangential_restitution"):
        value, speeds = getattr(contact, name), (approach_speed,)
        settled[name] = words.expression(value, f"{where}: {name}", velocities=False, speeds=speeds)
    return settled


def settled_guards(words: Vocabulary, guards: Any) -> dict[str, sp.Expr]:
    """The user's guards in the symbols of the model."""
    return _named_expressions(words, guards, "guard", velocities=True)


def _named_expressions(words: Vocabulary, given: Any, kind: str, *, velocities: bool) -> dict[str, sp.Expr]:
    if not isinstance(given, Mapping):
        raise ModelError(f"{kind}s: expected a dictionary name -> expression, not {given!r}")
    for name in given:
        # a joint of several equations names each of them joint.direction
        for part in str(name).split(".") if kind == "joint" else [name]:
            check_identifier(part, kind)
    return {name: words.expression(value, f"{kind} {name!r}", velocities=velocities) for name, value in given.items()}


def settled_period(words: Vocabulary, given: Any) -> sp.Expr:
    """The forcing period in the parameters of the model."""
    period = words.expression(given, "period", velocities=False)
    others = sorted(symbol.name for symbol in period.free_symbols - set(words.p))
    if others:
        raise ModelError(f"period depends on {others[0]!r}; only parameters may appear")
    return period


def _numbers(words: Vocabulary, given: Any, what: str) -> dict[str, float]:
    """Numbers by the names of coordinates and velocities."""
    if not isinstance(given, Mapping):
        raise ModelError(f"{what}: expected a dictionary coordinate or velocity -> number, not {given!r}")
    units = words.coordinates | {velocity_name(name): velocity_unit(unit) for name, unit in words.coordinates.items()}
    numbers = {}
    for key, value in given.items():
        name = key if isinstance(key, str) else key.name
        if name not in units:
            raise ModelError(f"{what}: {name!r} is no coordinate or velocity; {suggestion(name, units)}")
        try:
            numbers[name] = float(in_unit(value, units[name], f"{what}: {name!r}", ModelError))
        except (TypeError, ValueError):
            raise ModelError(f"{what}: {name!r} must be a number, not {value!r}") from None
        if not math.isfinite(numbers[name]):
            raise ModelError(f"{what}: {name!r} is {numbers[name]}; it must be finite")
    return numbers


def _scales(words: Vocabulary, given: Any) -> dict[str, float]:
    scales = _numbers(words, given, "scales")
    for name, value in scales.items():
        if not value > 0.0:
            raise ModelError(f"scales: {name!r} is {value}; it must be positive")
    return scales


def _shape(words: Vocabulary, shape: Any) -> Any:
    def settle(value: Any) -> sp.Expr:
        return words.expression(value, f"drawing: {type(shape).__name__}", velocities=False)

    def pair(values: Any) -> tuple[sp.Expr, sp.Expr]:
        if not isinstance(values, (list, tuple)) or len(values) != 2:
            raise ModelError(f"drawing: {type(shape).__name__} needs pairs (x, y), not {values!r}")
        return settle(values[0]), settle(values[1])

    match shape:
        case Segment():
            return replace(shape, start=pair(shape.start), end=pair(shape.end))
        case Coil():
            return Coil(pair(shape.start), pair(shape.end))
        case Polygon():
            return replace(shape, points=tuple(pair(point) for point in shape.points))
        case Circle():
            angle = None if shape.angle is None else settle(shape.angle)
            return replace(shape, center=pair(shape.center), radius=settle(shape.radius), angle=angle)
        case Ground():
            first, second = shape.points
            return Ground((pair(first), pair(second)))
        case Point():
            return replace(shape, position=pair(shape.position))
    raise ModelError(f"drawing: expected Segment, Circle, Polygon, Coil, Ground or Point, not {shape!r}")


def _check_distinct(model: Model) -> None:
    taken: dict[str, str] = {}
    named = [(contact.name, "contact") for contact in model.contacts]
    named += [(name, "joint") for name in model.joints] + [(name, "guard") for name in model.guards]
    named += [(reset.name, "reset") for reset in model.resets if reset.name not in model.guards]
    for name, kind in named:
        if name in taken:
            raise ModelError(f"{kind} {name!r} has the same name as a {taken[name]}; names must differ")
        taken[name] = kind
    contacts = [contact.name for contact in model.contacts]
    for shape in model.drawing:
        if isinstance(shape, Point) and shape.contact is not None and shape.contact not in contacts:
            hint = suggestion(shape.contact, contacts, "contacts")
            raise ModelError(f"drawing: Point belongs to contact {shape.contact!r}, which does not exist; {hint}")


def _applied_power(model: Model, words: Vocabulary) -> sp.Expr:
    """The rate of u.M.u/2 + V without contacts and joints: u.(h + Mdot u/2) + dV/dt."""
    power = model.applied_power
    if power is None:
        pairs = zip(words.coordinates, words.u, strict=True)
        u = sp.Matrix([0 if is_integral(name) else u_i for name, u_i in pairs])
        rate = model.M.applyfunc(lambda entry: time_derivative(entry, words.q, words.u))
        total = (u.T * (model.h + rate * u / 2))[0, 0] + time_derivative(model.V, words.q, words.u)
        power = tidy(total)
    power = words.expression(power, "applied power")
    return sp.Integer(0) if identically_zero(power) else power
