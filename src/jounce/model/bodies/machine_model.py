"""MachineModel: a model of bodies in Cartesian coordinates whose expressions are written when they are asked for.

Such a machine runs from its parts (system/tables); writing all its equations as expressions would take longer than most
runs. What is known without them (names, parameters, the assembled start, coefficients) is there at once. Gaps and
joints are written one by one, masses, forces and the drawing all together, where something wants them: a file, a
picture, the compiler.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, replace
from functools import cached_property
from typing import Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model.bodies.body import Body
from jounce.model.bodies.clearance import ClearanceJoint
from jounce.model.bodies.forces import Damper, Force, Spring, Torque, TorsionSpring
from jounce.model.bodies.joints import Driver, Joint, Revolute, Rigid, Translational
from jounce.model.bodies.parts import Parts, own_values
from jounce.model.bodies.rubbing import AxialDamper
from jounce.model.bodies.touching import DrawnContact
from jounce.model.compliance import Compliance, ComplianceLaw, pulls_of
from jounce.model.compliant_contact import apply_compliance, branch_name, check_law, law_in_symbols_of
from jounce.model.contact import Contact
from jounce.model.curves import Curve
from jounce.model.expressions import expressions_in, value_at
from jounce.model.jumps import NOT_SMOOTH
from jounce.model.kinks import Kink, force_kinks
from jounce.model.loads import check_loads
from jounce.model.model import Model
from jounce.model.profiles import Distance, Reach
from jounce.model.settling import settled_coefficients, settled_contact
from jounce.model.validation import check_contact_structure, check_one_restitution, check_surface, warn_of_units
from jounce.model.vocabulary import Vocabulary, check_identifier

_FORCES = (Spring, Damper, TorsionSpring, Force, Torque, AxialDamper)
_JOINTS = (Revolute, Translational, Rigid, Driver, ClearanceJoint)


class MachineModel(Model):
    """A model that knows its parts; the expressions of its equations are made by ``write``."""

    write: Callable[[], Model]

    def __init__(self, settled: Mapping[str, Any], parts: Parts, write: Callable[[], Model]) -> None:
        known: dict[str, Any] = {"rates": {}, "switches": {}}
        for attribute, value in {**known, **settled, "parts": parts, "write": write}.items():
            object.__setattr__(self, attribute, value)

    def __reduce__(self) -> tuple[Any, ...]:
        settled = {entry.name: self.__dict__[entry.name] for entry in fields(Model) if entry.name in self.__dict__}
        return _restored, (settled, self.parts, self.write)

    @cached_property
    def written(self) -> Model:
        """The model with all its expressions."""
        return self.write()

    @cached_property
    def mass(self) -> Any:  # type: ignore[override]
        """M."""
        return self.written.mass

    @cached_property
    def forces(self) -> Any:  # type: ignore[override]
        """h."""
        return self.written.forces

    @cached_property
    def drawing(self) -> Any:  # type: ignore[override]
        """Shapes for animations."""
        return self.written.drawing

    @cached_property
    def applied_power(self) -> Any:  # type: ignore[override]
        """The power of what is not in V."""
        return self.written.applied_power

    @cached_property
    def potential(self) -> Any:  # type: ignore[override]
        """V(q, t)."""
        return self.vocabulary.expression(self.parts.potential(), "potential", velocities=False)

    @cached_property
    def kinks(self) -> dict[sp.Expr, Kink]:
        """Where forces are not smooth: those of the user's, the others are."""
        return force_kinks(self, self._given_forces)

    @property
    def may_read_states(self) -> tuple[Any, ...]:
        """Forces and contacts as they are given: shapes and masses are functions of time and parameters."""
        own = [contact for contact in self.contacts if not isinstance(contact, MachineContact)]
        coefficients = [
            (contact.friction, contact.static_friction, contact.restitution, contact.tangential_restitution)
            for contact in self.contacts
        ]
        laws = [contact.compliance.coefficients for contact in self.contacts if contact.compliance is not None]
        return self._given_forces, own, coefficients, laws

    @cached_property
    def _given_forces(self) -> list[sp.Expr]:
        """The expressions in forces and in the rates of internal states."""
        forces = (*self.parts.forces, *self.parts.internal_forces())
        given = expressions_in([list(own_values(force)) for force in forces])
        return [self.vocabulary.expression(part, "a force") for part in given]

    @cached_property
    def kinetic(self) -> sp.Expr:
        """u.M.u/2."""
        words, bodies = self.vocabulary, self.parts.bodies
        # the force of a Maxwell branch behind the velocities of the bodies has its energy in a spring
        return sp.Add(*(m * u**2 / 2 for m, u in zip(masses_of(bodies, words), words.u, strict=False)))


def _restored(settled: Mapping[str, Any], parts: Parts, write: Callable[[], Model]) -> MachineModel:
    return MachineModel(settled, parts, write)


class MachineContact(Contact):
    """A contact whose coefficients are settled, and whose gap and slip are written when they are asked for."""

    _words: Vocabulary
    _drawn: DrawnContact

    def __init__(self, words: Vocabulary, drawn: Any, masses: tuple[sp.Expr, ...]) -> None:
        own = {"name": drawn.name, "law": drawn.law, "_words": words, "_drawn": drawn}
        for attribute, value in {**own, **settled_coefficients(words, drawn)}.items():
            object.__setattr__(self, attribute, value)
        if drawn.compliance is not None:
            check_law(drawn)
            object.__setattr__(self, "compliance", MachineCompliance(words, self, drawn.compliance, masses))

    @property
    def has_friction(self) -> bool:
        """Whether the contact can carry a tangential force."""
        return self._drawn.has_friction

    @property
    def moves_smoothly(self) -> bool:
        """Whether the numbers of its shapes hold no kink and no curve through points: known without gap and slip."""
        if not isinstance(self._drawn, DrawnContact):
            return False
        shapes = [list(own_values(side)) for side in (self._drawn.a, self._drawn.b)]
        return not any(number.has(*NOT_SMOOTH, Curve) for number in expressions_in(shapes))

    @property
    def curve_ranges(self) -> dict[str, tuple[float, float]]:
        """Known without the gap."""
        return self._drawn.curve_ranges

    @cached_property
    def gap(self) -> Any:  # type: ignore[override]
        """g(q, t)."""
        return self._words.expression(self._drawn.gap, f"contact {self.name!r}: gap", velocities=False)

    @cached_property
    def slip(self) -> Any:  # type: ignore[override]
        """gamma_T(q, u, t)."""
        if not self.has_friction:
            return None
        return self._words.expression(self._drawn.slip, f"contact {self.name!r}: slip")

    @cached_property
    def penetration(self) -> Any:  # type: ignore[override]
        """The depth where it is not -g."""
        depth, where = self._drawn.penetration, f"contact {self.name!r}: penetration"
        return None if depth is None else self._words.expression(depth, where, velocities=False)

    @cached_property
    def offset(self) -> Any:  # type: ignore[override]
        """The journal in its bearing."""
        offset, where = self._drawn.offset, f"contact {self.name!r}: offset"
        return None if offset is None else tuple(self._words.expression(part, where) for part in offset)


class MachineCompliance(Compliance):
    """The law of a compliant contact, whose forces are written when they are asked for."""

    is_smooth = True  # others are written out: why_written

    def __init__(
        self, words: Vocabulary, contact: MachineContact, law: ComplianceLaw, masses: tuple[sp.Expr, ...]
    ) -> None:
        own = law_in_symbols_of(words, law, contact._drawn.name)
        settled = {"law": type(law).__name__, "pulls": pulls_of(own), "coefficients": own.coefficients()}
        settled["branch"] = branch_name(contact._drawn.name) if law.has_branch else None
        written_from = {"_words": words, "_contact": contact, "own_law": own, "_masses": masses}
        for attribute, value in {**settled, **written_from}.items():
            object.__setattr__(self, attribute, value)

    own_law: ComplianceLaw
    _words: Vocabulary
    _contact: MachineContact
    _masses: tuple[sp.Expr, ...]

    @cached_property
    def _written(self) -> Compliance:
        contact = Contact(**{entry.name: getattr(self._contact, entry.name) for entry in fields(Contact)})
        plain = replace(contact, compliance=self.own_law)
        mass = sp.ImmutableMatrix(sp.diag(*self._masses))
        forces = sp.ImmutableMatrix([0] * len(self._masses))
        written: Compliance = apply_compliance(self._words, mass, forces, (plain,))[2][0].compliance
        return written

    @property
    def normal(self) -> Any:  # type: ignore[override]
        """F_N."""
        return self._written.normal

    @property
    def tangential(self) -> Any:  # type: ignore[override]
        """F_T."""
        return self._written.tangential

    @property
    def loss(self) -> Any:  # type: ignore[override]
        """Dissipated power."""
        return self._written.loss

    @property
    def surface(self) -> Any:  # type: ignore[override]
        """The power of a moving surface."""
        return self._written.surface

    @property
    def elastic(self) -> Any:  # type: ignore[override]
        """The energy in the springs."""
        return self._written.elastic

    @property
    def back(self) -> Any:  # type: ignore[override]
        """What presses the contact again."""
        return self._written.back


def held(joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
    """The joints that have equations: those with play are contacts."""
    return tuple(joint for joint in joints if not joint.has_play)


class JointEquations(Mapping[str, sp.Expr]):
    """Name -> g(q, t), written when it is asked for."""

    def __init__(self, words: Vocabulary, joints: tuple[Joint, ...]) -> None:
        self._words = words
        self._joints = {f"{joint.name}.{part}": joint for joint in held(joints) for part in joint.directions()}
        self._written: dict[str, sp.Expr] = {}

    def __getitem__(self, name: str) -> sp.Expr:
        if name not in self._written:
            for key, expression in self._joints[name].equations().items():
                self._written[key] = self._words.expression(expression, f"joint {key!r}", velocities=False)
        return self._written[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._joints)

    def __len__(self) -> int:
        return len(self._joints)


def why_written(parts: Parts, words: Vocabulary) -> str:
    """Which part is not of the kinds that MachineModel knows, with numbers of time and parameters in it; "": none."""
    for joint in parts.joints:
        if not isinstance(joint, _JOINTS):
            return f"joint {joint.name!r} is of a kind of its own"
    for force in parts.forces:
        if not isinstance(force, _FORCES):
            return f"a force is a {type(force).__name__}"
    for contact in parts.contacts:
        reason = _why_written(contact)
        if reason:
            return f"contact {contact.name!r} {reason}"
    allowed = {*words.parameters, "t"}
    for value in parts.shapes():
        for expression in expressions_in(value):
            for symbol in expression.free_symbols:
                if symbol.name not in allowed:
                    return f"a shape or a mass depends on {symbol.name!r}"
    return ""


def _why_written(contact: Contact) -> str:
    if not (contact.law is None or isinstance(contact.law, str)):
        return "has an impact law of its own"
    if not isinstance(contact, DrawnContact):
        if contact.compliance is not None:
            return "has a gap of its own and is compliant"
        kinks = (*NOT_SMOOTH, Curve, Distance, Reach)
        given = expressions_in([part for part in (contact.gap, contact.slip) if part is not None])
        return "has a gap or a slip of its own with kinks or curves" if any(part.has(*kinks) for part in given) else ""
    return "" if _has_smooth_law(contact) else "has a force with kinks while it is pressed"


def masses_of(bodies: tuple[Body, ...], words: Vocabulary) -> tuple[sp.Expr, ...]:
    """The mass of every coordinate of the bodies."""
    return tuple(words.expression(m, "mass") for body in bodies for m in (body.mass, body.mass, body.inertia))


def _has_smooth_law(contact: DrawnContact) -> bool:
    """Whether a contact is rigid, or has a force without kinks while it is pressed: these would be guards."""
    law = contact.compliance
    if law is None:
        return True
    if not isinstance(law, ComplianceLaw):
        return False
    numbers = [*law.coefficients().values(), contact.restitution]
    return not any(part.has(*NOT_SMOOTH, Curve) for part in expressions_in(numbers))


def check_plain(parts: Parts, words: Vocabulary, start: Mapping[str, float], period: Any) -> None:
    """What a model checks when it is made, of what is known here; gaps are looked at when there are tables."""
    names: dict[str, str] = {}
    joints = [f"{joint.name}.{part}" for joint in held(parts.joints) for part in joint.directions()]
    for name, kind in [
        *((contact.name, "contact") for contact in parts.contacts),
        *((name, "joint") for name in joints),
    ]:
        if kind == "contact":
            check_identifier(name, kind)
        if name in names:
            raise ModelError(f"{kind} {name!r} has the same name as a {names[name]}; names must differ")
        names[name] = kind
    for force in parts.forces:
        for expression in expressions_in(force):
            words.expression(expression, type(force).__name__)
    values = {symbol: start.get(name, 0.0) for name, symbol in words.symbols.items()}
    values |= {parameter.symbol: parameter.default for parameter in words.parameters.values()}
    if period is not None and not 0.0 < value_at(period, values) < float("inf"):
        raise ModelError(
            f"the forcing period is {value_at(period, values)} at the default parameters; it must be positive"
        )


def check_written(model: MachineModel) -> None:
    """What of its contacts is known by expressions, as in every model."""
    check_loads(model.contacts, model.joints)
    for contact in model.contacts:
        if not isinstance(contact, MachineContact):
            check_contact_structure(model, contact)
            warn_of_units(model, contact, stacklevel=6)


def settled_contacts(parts: Parts, words: Vocabulary, start: Mapping[str, float]) -> tuple[Contact, ...]:
    """The contacts of the model, their coefficients checked at the defaults."""
    masses = masses_of(parts.bodies, words)
    contacts: tuple[Contact, ...] = tuple(
        MachineContact(words, contact, masses) if isinstance(contact, DrawnContact) else settled_contact(words, contact)
        for contact in parts.contacts
    )
    values = {symbol: start.get(name, 0.0) for name, symbol in words.symbols.items()}
    values |= {parameter.symbol: parameter.default for parameter in words.parameters.values()}
    for contact in contacts:
        check_one_restitution(contact)
        check_surface(contact, values)
    return contacts
