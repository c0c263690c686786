"""Model.from_bodies: bodies, joints, forces and contacts -> Model.

In Cartesian coordinates (x, y, theta of every body) M is diagonal, h holds the forces, and the joints are constraints:

    M u' = Q - dV/dq + J^T nu ,      M = diag(m, m, I, ...).

With minimal coordinates s the poses are q(s, t), u = q_s s' + q_t, and the same equations are projected on q_s:

    (q_s^T M q_s) s'' = q_s^T (Q - dV/dq - M b) ,      b = d/dt(u) at fixed s' ,

which are Lagrange's. Joints that hold for every s are dropped; the others (a driver) remain constraints.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model.bodies.body import Body, ground, pair
from jounce.model.bodies.clearance import ClearanceJoint
from jounce.model.bodies.forces import ForceElement, generalised
from jounce.model.bodies.joints import Joint
from jounce.model.bodies.pictures import machine_drawing
from jounce.model.bodies.reduction import Reduction
from jounce.model.bodies.start import assembled_start
from jounce.model.bodies.touching import DrawnContact
from jounce.model.contact import Contact
from jounce.model.expressions import as_expression, value_at
from jounce.model.internal import checked_rates, integrals, state_name
from jounce.model.lagrangian import time_derivative
from jounce.model.model import Model
from jounce.model.resets import Reset, as_number
from jounce.model.switches import found_switches, switch_states
from jounce.model.symbols import is_integral, time
from jounce.model.vocabulary import Vocabulary
from jounce.units import in_unit


@dataclass(frozen=True)
class Parts:
    """What a machine is made of."""

    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    forces: tuple[ForceElement, ...]
    contacts: tuple[Contact, ...]
    gravity: tuple[Any, Any]


def machine_from_bodies(
    name: str,
    *,
    bodies: Any,
    joints: Any = (),
    forces: Any = (),
    contacts: Any = (),
    gravity: Any = 0,
    minimal: Mapping[Any, Any] | None = None,
    coordinates: Any = None,
    guards: Mapping[str, Any] | None = None,
    resets: Any = (),
    states: Mapping[Any, Any] | None = None,
    rates: Mapping[Any, Any] | None = None,
    switches: Mapping[Any, Any] | None = None,
    start: Mapping[Any, Any] | None = None,
    drawing: Any = None,
    parameters: Any = (),
    allow_redundant: bool = False,
    **texts: Any,
) -> Model:
    """The model of a machine.

    bodies           a list of Body
    joints           a list of Revolute, Translational, Rigid, Driver; a ClearanceJoint becomes a contact
    forces           a list of Spring, Damper, TorsionSpring, Force, Torque
    contacts         what ``contact_between`` returns, or Contact with expressions of the bodies' coordinates
    gravity          g (downwards) or a vector (g_x, g_y)
    minimal          body -> (x, y, theta) as expressions of minimal coordinates (``coordinates``), for every body
    resets, states, rates, switches   as for Model
    start            further start values, e.g. {crank.theta: 0.3}; they count like the poses given to the bodies
    drawing          shapes to draw in place of those of the bodies, joints and contacts
    allow_redundant  accept joints that follow from others
    texts            description, source, period

    The start is assembled: see ``Body``.
    """
    for argument in texts:
        if argument not in ("description", "source", "period"):
            valid = (
                *("joints", "forces", "contacts", "gravity", "minimal", "coordinates", "guards", "start", "drawing"),
                *("resets", "states", "rates", "switches"),
            )
            raise ModelError(
                f"from_bodies has no argument {argument!r}; {suggestion(argument, [*valid, 'parameters'])}"
            )
    parts = _checked_parts(bodies, joints, forces, contacts, gravity)
    equations, loose = _joint_equations(parts)
    reduction = Reduction(parts.bodies, minimal, coordinates)
    given = {q: value for body in parts.bodies for q, value in body.guess().items()} if minimal is None else {}
    internal, start = _internal_start(checked_rates(rates or {}), start or {})
    given |= dict(_start_value(key, value, reduction) for key, value in start.items())
    custom = list(_flat(drawing)) if drawing is not None else [body.shapes for body in parts.bodies]
    contents = [
        equations,
        loose,
        custom,
        given,
        guards or {},
        list(resets),
        rates or {},
        minimal or {},
        texts.get("period"),
        *_expressions_of(parts),
    ]
    surfaces = found_switches(switches or {}, contents)
    contents.append(list(surfaces.values()))
    states = {**(states or {}), **switch_states(surfaces)}
    words = Vocabulary.collect(reduction.coordinates, parameters, contents, states=states)
    fill = _Filler(replace(words, coordinates=words.coordinates | integrals(rates or {})), reduction)
    if minimal is None:
        _check_masses(parts, words)
    numbers = _numbers(words, given)
    kept = fill.kept_joints(equations, numbers)
    # journals are centred at the start, and move there as if their pins had no play
    closed = kept | fill.kept_joints(loose, numbers)
    numbers = assembled_start(words, closed, numbers, allow_redundant=allow_redundant)
    pictures = custom if drawing is not None else machine_drawing(parts, _known_values(parts, fill, numbers))
    mass, h, V, power = _dynamics(parts, fill)
    return Model(
        name,
        words.coordinates,
        mass,
        h,
        contacts=[fill.contact(contact) for contact in parts.contacts],
        joints=kept,
        guards={key: fill(value) for key, value in (guards or {}).items()},
        resets=[fill.reset(reset) for reset in resets],
        states=words.states,
        rates={key: fill(rate) for key, rate in (rates or {}).items()},
        switches={key: fill(surface) for key, surface in surfaces.items()},
        potential=V,
        parameters=words.parameters,
        start={**numbers, **internal},
        drawing=[fill.shape(shape) for shape in pictures],
        applied_power=power,
        **texts,
    )


# ---------------------------------------------------------------------------------------------- the parts


def _checked_parts(bodies: Any, joints: Any, forces: Any, contacts: Any, gravity: Any) -> Parts:
    listed = _listed(joints, Joint, "joints", "Revolute, Translational, Rigid, Driver or ClearanceJoint")
    with_play = [joint.contact() for joint in listed if isinstance(joint, ClearanceJoint)]
    parts = Parts(
        tuple(_listed(bodies, Body, "bodies", "Body")),
        tuple(listed),
        tuple(_listed(forces, ForceElement, "forces", "Spring, Damper, TorsionSpring, Force or Torque")),
        (*with_play, *_listed(contacts, Contact, "contacts", "what contact_between returns")),
        pair(gravity, "gravity")
        if isinstance(gravity, (tuple, list))
        else (sp.Integer(0), -as_expression(gravity, "gravity")),
    )
    if not parts.bodies:
        raise ModelError("from_bodies needs at least one Body")
    names = [*(body.name for body in parts.bodies), *(joint.name for joint in parts.joints)]
    for name in names:
        if names.count(name) > 1:
            raise ModelError(f"two bodies or joints are called {name!r}; names must differ")
    for joint in parts.joints:
        _check_member(parts, (joint.first, joint.second), f"{type(joint).__name__} {joint.name!r}")
    for force in parts.forces:
        _check_member(parts, force.bodies(), type(force).__name__)
    for contact in parts.contacts:
        if isinstance(contact, DrawnContact):
            _check_member(parts, contact.frames, f"contact {contact.name!r}")
    return parts


def _check_masses(parts: Parts, words: Vocabulary) -> None:
    """In Cartesian coordinates every body moves and turns by itself, so it needs a mass and an inertia."""
    defaults = {symbol: words.parameters[symbol.name].default for symbol in words.p}
    for body in parts.bodies:
        for what in ("mass", "inertia"):
            expression = words.expression(getattr(body, what), f"body {body.name!r}: {what}")
            if not expression.free_symbols <= set(defaults):
                continue
            value = value_at(expression, defaults)
            if not 0.0 < value < math.inf:
                raise ModelError(
                    f"body {body.name!r}: the {what} is {value:.6g} at the default parameters; in Cartesian "
                    "coordinates it must be positive. Give it a small one, merge it with another body, or describe the "
                    "machine by minimal= coordinates"
                )


def _listed(given: Any, kind: type, what: str, expected: str) -> list[Any]:
    items = list(_flat(given))
    for item in items:
        if not isinstance(item, kind):
            raise ModelError(f"{what}: expected {expected}, not {item!r}")
    return items


def _flat(given: Any) -> Any:
    """The items of nested lists."""
    if isinstance(given, (list, tuple)):
        for item in given:
            yield from _flat(item)
    else:
        yield given


def _check_member(parts: Parts, frames: Sequence[Any], where: str) -> None:
    for frame in frames:
        if frame is ground or frame in parts.bodies:
            continue
        if frame.name in [body.name for body in parts.bodies]:
            raise ModelError(
                f"{where} holds another Body called {frame.name!r} than the one among the bodies of this machine; make "
                "the Body once and use it in bodies=, joints, forces and contacts"
            )
        hint = suggestion(frame.name, [body.name for body in parts.bodies], "bodies")
        raise ModelError(f"{where} holds {frame.name!r}, which is not among the bodies of this machine; {hint}")


def _joint_equations(parts: Parts) -> tuple[dict[str, sp.Expr], dict[str, sp.Expr]]:
    """Of the joints that hold, and of those with play if they held."""
    equations: tuple[dict[str, sp.Expr], dict[str, sp.Expr]] = ({}, {})
    for joint in parts.joints:
        equations[isinstance(joint, ClearanceJoint)].update(joint.equations())
    return equations


def _expressions_of(parts: Parts) -> list[Any]:
    """Every expression in the parts, for the names of the parameters."""
    found: list[Any] = [value for body in parts.bodies for value in (body.mass, body.inertia)]
    for force in parts.forces:
        found += [
            force.potential(),
            *(as_expression(part, "a force") for load in force.loads() for part in generalised(load)),
        ]
    found += [contact.plain() if isinstance(contact, DrawnContact) else contact for contact in parts.contacts]
    return [*found, *parts.gravity]


def _start_value(key: Any, value: Any, reduction: Reduction) -> tuple[Any, Any]:
    """A start value and its symbol; a name is taken as the symbol of that name, a text in the unit of the symbol."""
    if isinstance(key, str):
        known = {symbol.name: symbol for symbol in (*reduction.coordinates, *reduction.velocities)}
        if key not in known:
            raise ModelError(f"start: {key!r} is no coordinate or velocity; {suggestion(key, known)}")
        key = known[key]
    return key, in_unit(value, getattr(key, "unit", ""), f"start: {getattr(key, 'name', key)!r}", ModelError)


def _internal_start(rates: Mapping[Any, Any], start: Mapping[Any, Any]) -> tuple[dict[str, Any], dict[Any, Any]]:
    """The start of the internal states, which no joint moves, and that of the rest."""
    names = {state_name(key) for key in rates}
    own = {state_name(key): value for key, value in start.items() if state_name(key) in names}
    return own, {key: value for key, value in start.items() if state_name(key) not in names}


def _numbers(words: Vocabulary, given: Mapping[Any, Any]) -> dict[str, float]:
    """Start values at the default parameters, by name."""
    defaults = {parameter.symbol: parameter.default for parameter in words.parameters.values()}
    numbers = {}
    for symbol, value in given.items():
        expression = words.expression(as_expression(value, f"start of {symbol}"), f"start of {symbol}")
        others = sorted(str(s) for s in expression.free_symbols - set(defaults))
        if others:
            raise ModelError(f"start of {symbol}: {value} depends on {others[0]!r}; only parameters may appear")
        numbers[symbol.name] = value_at(expression, defaults)
    return numbers


def _known_values(parts: Parts, fill: _Filler, start: Mapping[str, float]) -> dict[str, float]:
    """Poses, parameters and time at the start by name, for the sizes in the picture."""
    words = fill.words
    own = {symbol: start.get(name, 0.0) for name, symbol in words.symbols.items()}
    own |= {parameter.symbol: parameter.default for parameter in words.parameters.values()}
    values = {symbol.name: value for symbol, value in own.items()}
    return values | {q.name: value_at(fill(q), own) for body in parts.bodies for q in body.pose}


# ---------------------------------------------------------------------------------------------- the equations


class _Filler:
    """Expressions of the bodies' symbols -> expressions of the model's own coordinates."""

    def __init__(self, words: Vocabulary, reduction: Reduction) -> None:
        self.words = words
        self.reduction = reduction
        self.replacements = reduction.replacements(words)

    def __call__(self, expression: Any) -> sp.Expr:
        settled = self.reduction.settled(as_expression(expression, "an expression of the machine"), self.replacements)
        return self.words.expression(settled, "an expression of the machine")

    def contact(self, contact: Contact) -> Contact:
        """A contact in the model's own coordinates, without its pictures."""
        plain = contact.plain() if isinstance(contact, DrawnContact) else contact
        changes: dict[str, Any] = {
            entry.name: self(value)
            for entry in fields(plain)
            if isinstance(value := getattr(plain, entry.name), sp.Expr)
        }
        if plain.offset is not None:
            changes["offset"] = tuple(map(self, plain.offset))
        return replace(plain, **changes)

    def reset(self, reset: Any) -> Any:
        """A reset in the model's own coordinates."""
        if not isinstance(reset, Reset):
            raise ModelError(f"resets: expected a Reset, not {reset!r}")
        return replace(
            reset,
            guard=self(reset.guard) if isinstance(reset.guard, sp.Expr) else reset.guard,
            map={key: self(value) for key, value in dict(reset.map).items()},
            only_if=None if reset.only_if is None else self(as_number(reset.only_if, "only_if")),
        )

    def shape(self, shape: Any) -> Any:
        """A shape in the model's own coordinates."""

        def settle(value: Any) -> Any:
            if isinstance(value, (tuple, list)):
                return tuple(map(settle, value))
            return self(value) if isinstance(value, sp.Expr) else value

        return replace(shape, **{entry.name: settle(getattr(shape, entry.name)) for entry in fields(shape)})

    def kept_joints(self, equations: Mapping[str, sp.Expr], start: Mapping[str, float]) -> dict[str, sp.Expr]:
        """The joints that minimal coordinates do not satisfy by themselves."""
        settled = {name: self(expression) for name, expression in equations.items()}
        if self.reduction.minimal is None:
            return settled
        return {name: g for name, g in settled.items() if not self.reduction.satisfied(g, self.words, start)}


def _dynamics(parts: Parts, fill: _Filler) -> tuple[Any, list[sp.Expr], sp.Expr, sp.Expr | None]:
    """M, h, V and the power of what is not in V."""
    g_x, g_y = parts.gravity
    V = sp.Add(*(force.potential() for force in parts.forces))
    V -= sp.Add(*(body.mass * (g_x * body.x + g_y * body.y) for body in parts.bodies))
    Q = {body: [sp.Integer(0)] * 3 for body in parts.bodies}
    for force in parts.forces:
        for load in force.loads():
            body = load[0]
            if isinstance(body, Body):
                Q[body] = [total + part for total, part in zip(Q[body], generalised(load), strict=True)]
    masses = [fill(value) for body in parts.bodies for value in (body.mass, body.mass, body.inertia)]
    free = [fill(Q_k) for body in parts.bodies for Q_k in Q[body]]
    pulled = [fill(-sp.diff(V, q)) for body in parts.bodies for q in body.pose]
    total = [a + b for a, b in zip(free, pulled, strict=True)]
    energy = fill(V)
    motion = [fill(u) for body in parts.bodies for u in body.motion]
    power = sp.Add(*(u * F for u, F in zip(motion, free, strict=True)))
    if fill.reduction.minimal is None:
        return masses, total, energy, power + sp.diff(energy, time)
    return _projected(fill, masses, total, motion, energy, power)


def _projected(
    fill: _Filler, masses: list[sp.Expr], forces: list[sp.Expr], motion: list[sp.Expr], V: sp.Expr, power: sp.Expr
) -> tuple[sp.Matrix, list[sp.Expr], sp.Expr, sp.Expr]:
    """q_s^T M q_s and q_s^T (F - M b)."""
    own = [k for k, name in enumerate(fill.words.coordinates) if not is_integral(name)]
    q, u = ([symbols[k] for k in own] for symbols in (fill.words.q, fill.words.u))
    directions = [[sp.diff(component, u_k) for u_k in u] for component in motion]
    bias = [time_derivative(component, q, u) for component in motion]
    n = len(q)
    mass = sp.zeros(n, n)
    h: list[sp.Expr] = []
    for i in range(n):
        for j in range(i + 1):
            mass[i, j] = mass[j, i] = sp.Add(*(m * row[i] * row[j] for m, row in zip(masses, directions, strict=True)))
        rows = zip(masses, directions, bias, forces, strict=True)
        h.append(sp.Add(*(row[i] * (F - m * b) for m, row, b, F in rows)))
    if not any(component.has(time) for component in motion):
        return mass, h, V, power + sp.diff(V, time)
    # d/dt (u.M.u/2 + V) = u.(h + M' u/2) + V'
    column = sp.Matrix(u)
    rate = mass.applyfunc(lambda entry: time_derivative(entry, q, u))
    return mass, h, V, (column.T * (sp.Matrix(h) + rate * column / 2))[0, 0] + time_derivative(V, q, u)
