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
from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model.bodies.body import Body, ground, pair
from jounce.model.bodies.clearance import ClearanceJoint
from jounce.model.bodies.equations import Filler, dynamics
from jounce.model.bodies.forces import ForceElement, generalised
from jounce.model.bodies.joint_rows import NumericJoints
from jounce.model.bodies.joints import Joint
from jounce.model.bodies.machine_model import (
    JointEquations,
    MachineModel,
    check_plain,
    check_written,
    settled_contacts,
    why_written,
)
from jounce.model.bodies.parts import Parts, own_values
from jounce.model.bodies.pictures import machine_drawing
from jounce.model.bodies.reduction import Reduction
from jounce.model.bodies.seams import warn_of_seams
from jounce.model.bodies.start import JointRows, SymbolicJoints, assembled_start
from jounce.model.bodies.touching import DrawnContact
from jounce.model.compliant_contact import added_coordinates, memory_names
from jounce.model.contact import Contact
from jounce.model.expressions import as_expression, expressions_in, value_at
from jounce.model.internal_states import checked_rates, integrals, internal_scales, state_name
from jounce.model.jumps import NOT_SMOOTH, find_jumps
from jounce.model.model import Model
from jounce.model.resets import settled_resets
from jounce.model.settling import settled_guards, settled_numbers, settled_period, settled_scales
from jounce.model.switching.switch import found_switches, switch_states
from jounce.model.vocabulary import Vocabulary, check_identifier
from jounce.units import in_unit


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
    warn_of_seams(parts.contacts, stacklevel=4)
    given = {
        "minimal": minimal,
        "coordinates": coordinates,
        "guards": guards or {},
        "resets": list(resets),
        "states": states or {},
        "rates": rates or {},
        "switches": switches or {},
        "drawing": drawing,
        "parameters": parameters,
        "texts": texts,
    }
    used = {"minimal": minimal is not None or coordinates is not None, "switches": switches}
    reason = next((f"it has {what}=" for what, value in used.items() if value), "")
    if not reason:
        machine = _plain_machine(name, parts, given, start or {}, allow_redundant)
        if isinstance(machine, Model):
            return machine
        reason = machine
    written = _written_machine(name, parts, given, start or {}, allow_redundant)
    object.__setattr__(written, "why_written", reason)
    return written


def _plain_machine(
    name: str, parts: Parts, given: dict[str, Any], given_start: Mapping[Any, Any], allow_redundant: bool
) -> Model | str:
    """The machine without its expressions; which of its parts is known by expressions only, if one is."""
    reduction = Reduction(parts.bodies, None, None)
    parts = replace(parts, rates=checked_rates(given["rates"]))
    internal, start = _internal_start(parts.rates, given_start)
    guess = {q: value for body in parts.bodies for q, value in body.guess().items()}
    guess |= dict(_start_value(key, value, reduction) for key, value in start.items())
    pictures = given["drawing"] if given["drawing"] is not None else [body.shapes for body in parts.bodies]
    forces: list[Any] = [list(own_values(force)) for force in parts.forces]
    forces.append([force.value for force in parts.internal_forces()])
    contents = [list(parts.shapes()), list(parts.coefficients()), forces, guess, given["guards"], pictures]
    contents.append([contact.compliance for contact in parts.contacts])
    contents.append([contact for contact in parts.contacts if not isinstance(contact, DrawnContact)])
    contents += [given["resets"], given["texts"].get("period")]
    if found_switches({}, contents):
        return "it has a Switch"
    memory = memory_names(parts.contacts)
    words = Vocabulary.collect(reduction.coordinates, given["parameters"], contents, memory, given["states"])
    words = replace(words, coordinates=words.coordinates | integrals(parts.rates))
    reason = why_written(parts, words)
    if reason or _jumps_with_velocity(words, forces):
        return reason or "a force jumps with a velocity"
    _check_masses(parts, words)
    defaults = {key: parameter.default for key, parameter in words.parameters.items()}
    assembling = replace(words, coordinates=dict(list(words.coordinates.items())[: 3 * len(parts.bodies)]))
    rows = NumericJoints(parts.bodies, parts.joints, defaults) if parts.joints else None
    numbers = _assembled(parts, assembling, rows, _numbers(words, guess), allow_redundant)
    words = replace(words, coordinates=words.coordinates | added_coordinates(parts.contacts))
    words.check_names()
    period = given["texts"].get("period")
    contacts = settled_contacts(parts, words, numbers)
    resets, guards = settled_resets(words, given["resets"], settled_guards(words, given["guards"]), contacts)
    settled = {
        "name": name,
        "coordinates": words.coordinates,
        "parameters": words.parameters,
        "states": words.states,
        "contacts": contacts,
        "joints": JointEquations(words, parts.joints),
        "guards": guards,
        "resets": resets,
        "start": numbers | settled_numbers(words, internal, "start"),
        "scales": settled_scales(words, internal_scales(parts.rates)),
        "period": None if period is None else settled_period(words, period),
        "description": given["texts"].get("description", ""),
        "source": given["texts"].get("source", ""),
    }
    check_identifier(name, "model")
    check_plain(parts, words, numbers, settled["period"])
    given = given | {"parameters": words.parameters}
    write = partial(_written_machine, name, parts, given, given_start, allow_redundant, numbers)
    machine = MachineModel(settled, parts, write)
    check_written(machine)
    return machine


def _jumps_with_velocity(words: Vocabulary, forces: list[Any]) -> bool:
    """Whether forces have switches of their own, which are known by expressions only."""
    kinked = [part for part in expressions_in(forces) if isinstance(part, sp.Expr) and part.has(*NOT_SMOOTH)]
    return bool(kinked and find_jumps(words, sp.Matrix([words.expression(part, "a force") for part in kinked]), {}))


def _written_machine(
    name: str,
    parts: Parts,
    options: dict[str, Any],
    start: Mapping[Any, Any],
    allow_redundant: bool,
    assembled: dict[str, float] | None = None,
) -> Model:
    """The machine in expressions."""
    minimal, rates, texts, drawing = options["minimal"], options["rates"], options["texts"], options["drawing"]
    equations, loose = _joint_equations(parts)
    reduction = Reduction(parts.bodies, minimal, options["coordinates"])
    given = {q: value for body in parts.bodies for q, value in body.guess().items()} if minimal is None else {}
    internal, start = _internal_start(checked_rates(rates), start)
    given |= dict(_start_value(key, value, reduction) for key, value in start.items())
    custom = list(_flat(drawing)) if drawing is not None else [body.shapes for body in parts.bodies]
    contents = [equations, loose, custom, given, options["guards"], options["resets"], rates, minimal or {}]
    contents += [texts.get("period"), *_expressions_of(parts)]
    surfaces = found_switches(options["switches"], contents)
    contents.append(list(surfaces.values()))
    states = {**options["states"], **switch_states(surfaces)}
    words = Vocabulary.collect(reduction.coordinates, options["parameters"], contents, states=states)
    fill = Filler(replace(words, coordinates=words.coordinates | integrals(rates)), reduction)
    if minimal is None:
        _check_masses(parts, words)
    numbers = _numbers(words, given)
    kept = fill.kept_joints(equations, numbers)
    _check_forces_known(parts, kept)
    # journals are centred at the start, and move there as if their pins had no play
    closed = kept | fill.kept_joints(loose, numbers)
    if assembled is None:
        symbolic = SymbolicJoints(words, closed) if closed else None
        assembled = _assembled(parts, words, symbolic, numbers, allow_redundant)
    pictures = custom if drawing is not None else machine_drawing(parts, _known_values(parts, fill, assembled))
    mass, h, V, power = dynamics(parts, fill)
    return Model(
        name,
        words.coordinates,
        mass,
        h,
        contacts=[fill.contact(contact) for contact in parts.contacts],
        joints=kept,
        guards={key: fill(value) for key, value in options["guards"].items()},
        resets=[fill.reset(reset) for reset in options["resets"]],
        states=words.states,
        rates={key: fill(rate) for key, rate in rates.items()},
        switches={key: fill(surface) for key, surface in surfaces.items()},
        potential=V,
        parameters=words.parameters,
        start={**assembled, **internal},
        drawing=[fill.shape(shape) for shape in pictures],
        applied_power=power,
        **texts,
    )


def _assembled(
    parts: Parts, words: Vocabulary, rows: JointRows | None, numbers: dict[str, float], allow_redundant: bool
) -> dict[str, float]:
    """The start at which all joints hold; what presses joints that rub must be known."""
    names = [] if rows is None else rows.names
    rubs = any(name in names for contact in parts.contacts for name in contact.load or ())
    try:
        return assembled_start(words, rows, numbers, allow_redundant=allow_redundant and not rubs)
    except ModelError as error:
        if not (rubs and allow_redundant):
            raise
        raise ModelError(
            f"joints of this machine rub, and what presses them must be known: {str(error).partition('. ')[0]}. "
            "allow_redundant=True is for machines without friction in their joints"
        ) from None


# ---------------------------------------------------------------------------------------------- the parts


def _checked_parts(bodies: Any, joints: Any, forces: Any, contacts: Any, gravity: Any) -> Parts:
    listed = _listed(joints, Joint, "joints", "Revolute, Translational, Rigid, Driver or ClearanceJoint")
    with_play = [joint.contact() for joint in listed if isinstance(joint, ClearanceJoint)]
    rubbing = [contact for joint in listed for contact in joint.rubbing()]
    viscous = [force for joint in listed for force in joint.viscous_forces()]
    parts = Parts(
        tuple(_listed(bodies, Body, "bodies", "Body")),
        tuple(listed),
        (*_listed(forces, ForceElement, "forces", "Spring, Damper, TorsionSpring, Force or Torque"), *viscous),
        (*with_play, *rubbing, *_listed(contacts, Contact, "contacts", "what contact_between returns")),
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


def _check_forces_known(parts: Parts, kept: Mapping[str, Any]) -> None:
    """What rubs in a joint is its force, which a joint that minimal coordinates satisfy by themselves does not have."""
    for joint in parts.joints:
        for contact in joint.rubbing():
            for equation in contact.load:
                if equation not in kept:
                    raise ModelError(
                        f"joint {joint.name!r} rubs, but minimal= satisfies its equation {equation!r} by itself, so "
                        "its force is not known; leave minimal= out, or take the friction out of this joint"
                    )


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


def _known_values(parts: Parts, fill: Filler, start: Mapping[str, float]) -> dict[str, float]:
    """Poses, parameters and time at the start by name, for the sizes in the picture."""
    words = fill.words
    own = {symbol: start.get(name, 0.0) for name, symbol in words.symbols.items()}
    own |= {parameter.symbol: parameter.default for parameter in words.parameters.values()}
    values = {symbol.name: value for symbol, value in own.items()}
    return values | {q.name: value_at(fill(q), own) for body in parts.bodies for q in body.pose}
