"""Parts of a machine -> tables."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import sympy as sp

from jounce.codegen.held_sides import Sides, held_sides
from jounce.codegen.kinematics import assigned_rows, coefficients_at, reset_conditions
from jounce.kernels.bodies import layout
from jounce.kernels.records.workspace import COMPLIANCE_STRIDE
from jounce.model.bodies.body import Body, Frame, pair
from jounce.model.bodies.clearance import ClearanceJoint
from jounce.model.bodies.curve_shapes import CurveShape
from jounce.model.bodies.forces import Damper, Force, Spring, Torque, TorsionSpring, generalised
from jounce.model.bodies.geometry import CircleOn, Edge, Line, PolygonOn
from jounce.model.bodies.joints import Driver, Revolute, Rigid, Translational, unit_vector
from jounce.model.bodies.machine_model import MachineModel
from jounce.model.bodies.parts import InternalForce, own_values
from jounce.model.bodies.rubbing import AxialDamper
from jounce.model.bodies.touching import DrawnContact
from jounce.model.compliant_contact import Pressing, forces_of, memory_names, return_of
from jounce.model.contact import Contact
from jounce.model.expressions import as_expression, expressions_in
from jounce.model.internal_states import MASS
from jounce.model.jumps import NOT_SMOOTH, normal
from jounce.model.kinks import Kink
from jounce.model.magnitude import guard_size
from jounce.model.periodicity import turns
from jounce.model.resets import parts_that_matter
from jounce.model.symbols import approach_speed, slip, time
from jounce.system.tables.corner_partners import corner_partners
from jounce.system.tables.joint_pattern import joint_pattern
from jounce.system.tables.lowering import NotInTablesError, Programs, Stage
from jounce.system.tables.written import written_row
from jounce.toolchain.tools import SCRATCH

#: What the law of a contact's coefficients is given, in order: slip velocity, normal velocity.
_SLIDING = sp.symbols("given_slip given_rate", real=True)
#: What that of its force is given.
_PRESSING = Pressing(*sp.symbols(" ".join(f"given_{name}" for name in Pressing._fields), real=True))
_ALL_SPEEDS = (slip, approach_speed)
MOST_COMPLIANT = SCRATCH // COMPLIANCE_STRIDE


class Tables:
    """The record of one machine and the arrays behind its addresses, which live as long as this does."""

    def __init__(self, sizes: dict[str, int], arrays: dict[str, np.ndarray], facts: dict[str, Any]) -> None:
        self.record = np.zeros(1, layout.TABLES)
        self.arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
        self.facts = facts
        self.kept: list[Any] = []  # ways back from C, where kernels run as Python
        for name, size in sizes.items():
            self.record[name] = size
        for name, array in self.arrays.items():
            self.record[name] = array.ctypes.data

    def digest(self) -> str:
        """A hash of all numbers."""
        digest = hashlib.sha256()
        for name, array in sorted(self.arrays.items()):
            digest.update(f"{name}{array.dtype}{array.shape}".encode() + array.tobytes())
        return digest.hexdigest()[:16]


class TableBuilder:
    """Writes the rows of one machine; raises NotInTablesError for what they do not hold."""

    def __init__(self, model: MachineModel) -> None:
        self.model, self.words, self.parts = model, model.vocabulary, model.parts
        self.programs = Programs(self.words)
        self.numbers = {body: k for k, body in enumerate(self.parts.bodies)}
        self.corners: list[list[int]] = []
        self._outlines: dict[int, tuple[int, int]] = {}
        self.works = False  # whether anything but what has a potential does work
        self.written: list[sp.Expr] = []  # gaps and slip velocities that are expressions

    def tables(self, guards: Sequence[sp.Expr]) -> Tables:
        """Everything."""
        parts = self.parts
        symbols, sides = self._sides()
        self.programs.hold(symbols, sides)
        mass = [[self._steady(value, body) for value in (body.mass, body.inertia)] for body in parts.bodies]
        gravity = [self.programs.steady(part, "gravity") for part in parts.gravity]
        joints = [row for joint in parts.joints for row in self._joint(joint)]
        contacts = [self._contact(*pair) for pair in zip(parts.contacts, self.model.contacts, strict=True)]
        mass += [[self.programs.steady(MASS, "an internal state"), 0] for _ in parts.rates]
        mass += [[self._branch_mass(contact), 0] for contact in self._branches()]
        for row, (others, own) in zip(contacts, corner_partners(parts.contacts), strict=True):
            row[layout.OTHERS], row[layout.OWN] = others, own
        surfaces = [self._surface(contact) for contact in self.model.contacts]
        elements = [self._element(force) for force in (*parts.forces, *parts.internal_forces())]
        # what is covered comes last: what it shares with the rest has been looked at there
        self.programs.covered = True
        for row, force in zip(elements, (*parts.forces, *parts.internal_forces()), strict=True):
            self._given_force(row, force)
        for row, contact in zip(contacts, self.model.contacts, strict=True):
            self._laws(row, contact)
        watched = [
            [self.programs.reference(part, f"guard {guard}", Stage.GUARDS) for part in (guard, guard_size(guard))]
            for guard in guards
        ]
        reset = self._resets()
        constants, code, ends, laws = self.programs.arrays()
        order, pattern, shared = joint_pattern([(row[1], row[2]) for row in joints], len(parts.bodies))
        arrays = {"constant": constants, "program": code, "order": order, "pattern": pattern, "shared": shared}
        rows = {"mass": mass, "gravity": gravity, "joint": joints, "contact": contacts, "surface": surfaces}
        rows |= {"element": elements, "corner": self.corners, "guard": watched, "law": laws, "reset": reset}
        arrays |= {name: _integers(entries) for name, entries in rows.items()}
        sizes = {
            "n": len(self.words.q),
            "bodies": len(parts.bodies),
            "nc": len(contacts),
            "nj": len(joints),
            "ng": len(guards),
            "nr": len(self.model.resets),
            "assigned": len(assigned_rows(self.model)),
            "elements": len(elements),
            "compliant": sum(row[layout.COMPLIANCE] > 0 for row in contacts),
            "branches": len(self.words.q) - 3 * len(parts.bodies),
            "surface_laws": sum(row[layout.SURFACE_LAW] > 0 for row in contacts),
            "parameters": len(self.words.p) + len(self.words.memory) + len(self.words.states) + len(symbols),
            "pattern_size": len(pattern),
            "prescribed": int(any(_in_time(row) for row in joints)),
            "shapes_end": ends[Stage.TOUCHES],
            "forces_end": ends[Stage.FORCES],
            "guards_end": ends[Stage.GUARDS],
            "resets_end": ends[Stage.RESETS],
        }
        facts: dict[str, Any] = {"autonomous": not self.programs.uses_time, "works": self.works}
        facts["narrow"], facts["timed"] = self.programs.narrow, self.programs.timed
        facts["sides"] = symbols, sides
        facts["held"] = tuple(int(normal(guard)[0] in sides) for guard in guards) if sides else ()
        facts["faces"] = any(row[layout.FACES] for row in contacts)
        facts["turns"] = turns(self.model, [self.written, self.programs.noted, parts_that_matter(self.model)])
        return Tables(sizes, arrays, facts)

    def _resets(self) -> list[list[int]]:
        """Per reset whether its condition holds, then all right sides."""
        given = [*reset_conditions(self.model), *assigned_rows(self.model)]
        return [[self.programs.reference(value, "a reset", Stage.RESETS)] for value in given]

    def _sides(self) -> tuple[tuple[sp.Symbol, ...], Sides]:
        """The sides of jumps of the user's forces; what else has a border is left as it is written."""
        if not any(kink >= Kink.LEAP for kink in self.model.kinks.values()):
            return (), {}
        parts, own = self.parts, (Force, Torque)
        given = [list(own_values(force)) for force in parts.forces if isinstance(force, own)]
        given.append([force.value for force in parts.internal_forces()])
        left = [list(own_values(force)) for force in parts.forces if not isinstance(force, own)]
        left += [list(parts.shapes()), *(list(_coefficients(contact)) for contact in self.model.contacts)]
        forces, others = (
            [
                self.words.expression(part, "a machine", speeds=_ALL_SPEEDS)
                for part in dict.fromkeys(expressions_in(values))
                if part.has(*NOT_SMOOTH)
            ]
            for values in (given, left)
        )
        return held_sides(self.model, forces, others)

    # ------------------------------------------------------------------------------------------ pieces of rows

    def _body(self, frame: Frame) -> int:
        return self.numbers[frame] if isinstance(frame, Body) else len(self.numbers)

    def _steady(self, value: Any, body: Body) -> int:
        return self.programs.steady(value, f"body {body.name!r}")

    def _point(self, place: Any, where: str) -> list[int]:
        a, b = pair(place, where)
        return [*self.programs.moving(a, where), *self.programs.moving(b, where)]

    def _fixed(self, place: Any, where: str) -> list[int]:
        return [self.programs.steady(part, where) for part in pair(place, where)]

    def _direction(self, vector: Any, where: str) -> list[int]:
        """A vector of length 1, how fast it turns, and the rate of that."""
        a, b = unit_vector(vector, where)
        turning = a * sp.diff(b, time) - b * sp.diff(a, time) if a.has(time) or b.has(time) else sp.Integer(0)
        rate, second, _ = self.programs.moving(turning, where)
        return [self.programs.reference(a, where), self.programs.reference(b, where), rate, second]

    # ------------------------------------------------------------------------------------------ contacts

    def _contact(self, contact: Any, settled: Contact) -> list[int]:
        if not isinstance(contact, DrawnContact):
            self.written += [part for part in (settled.gap, settled.slip) if part is not None]
            return written_row(self.model, self.programs, settled)
        if not (contact.law is None or isinstance(contact.law, str)):
            raise NotInTablesError(f"contact {contact.name!r} with a law of its own")
        where = f"contact {contact.name!r}"
        if isinstance(contact.b, CurveShape):
            raise NotInTablesError(f"{where} on a closed curve")
        row = self._disc(contact.a, where)
        row[layout.BODY_B] = self._body(contact.b.body)
        row[layout.HAS_SLIP] = int(contact.has_slip)
        match contact.b:
            case Line():
                self._line(row, contact.b, where)
            case Edge():
                self._edge(row, contact.b, where)
            case PolygonOn():
                row[layout.KIND] = layout.POLYGON
                row[layout.FIRST_CORNER], row[layout.CORNERS] = self._outline(contact.b, where)
            case CircleOn():
                self._circle(row, contact.a, contact.b, where)
        self._faces(row, contact, where)
        return row

    def _faces(self, row: list[int], contact: DrawnContact, where: str) -> None:
        """Of a sharp corner: on how many faces it may be, and how its own outline goes on from it."""
        row[layout.FACES] = contact.b.face_count if contact.has_faces else 0
        for k, direction in enumerate(contact.beside if contact.has_faces else ()):
            at = layout.BESIDE + 2 * k
            row[at : at + 2] = [self.programs.moving(part, where)[0] for part in direction]

    def _disc(self, a: CircleOn, where: str) -> list[int]:
        row = [0] * layout.TOUCH_ROW
        row[layout.BODY_A] = self._body(a.body)
        row[layout.CENTER_A : layout.CENTER_A + 6] = self._point(a.center, where)
        row[layout.RADIUS_A : layout.RADIUS_A + 3] = self.programs.moving(a.radius, where)
        row[layout.SPIN_A : layout.SPIN_A + 2] = self.programs.moving(a.spin, where)[:2]
        return row

    def _line(self, row: list[int], b: Line, where: str) -> None:
        row[layout.KIND] = layout.LINE
        row[layout.POINT_B : layout.POINT_B + 6] = self._point(b.start, where)
        row[layout.DIRECTION : layout.DIRECTION + 4] = self._direction(b.direction, where)
        row[layout.SPEED : layout.SPEED + 2] = self.programs.moving(b.speed, where)[:2]

    def _edge(self, row: list[int], b: Edge, where: str) -> None:
        row[layout.KIND] = layout.EDGE
        start, end = self._fixed(b.start, where), self._fixed(b.end, where)
        row[layout.POINT_B], row[layout.POINT_B + 3] = start
        row[layout.END_B : layout.END_B + 2] = end
        row[layout.DIRECTION : layout.DIRECTION + 2] = self._direction(b._ends()[1], where)[:2]
        row[layout.SPEED : layout.SPEED + 2] = self.programs.moving(b.speed, where)[:2]

    def _circle(self, row: list[int], a: CircleOn, b: CircleOn, where: str) -> None:
        row[layout.KIND] = layout.HOLE if b.inside else layout.CIRCLE
        row[layout.POINT_B : layout.POINT_B + 6] = self._point(b.center, where)
        row[layout.RADIUS_B : layout.RADIUS_B + 3] = self.programs.moving(b.radius, where)
        row[layout.SPIN_B : layout.SPIN_B + 2] = self.programs.moving(b.spin, where)[:2]
        if b.inside and any(as_expression(radius, where).has(time) for radius in (a.radius, b.radius)):
            raise NotInTablesError(f"{where}: a hole or its disc with a radius that depends on time")

    def _outline(self, b: PolygonOn, where: str) -> tuple[int, int]:
        if id(b) not in self._outlines:
            corners = [pair(corner, where) for corner in b.corners]
            first = len(self.corners)
            for P, Q in zip(corners, corners[1:] + corners[:1], strict=True):
                direction = self._direction((Q[0] - P[0], Q[1] - P[1]), where)[:2]
                self.corners.append([*self._fixed(P, where), *direction])
            self._outlines[id(b)] = first, len(corners)
        return self._outlines[id(b)]

    def _surface(self, contact: Contact) -> list[int]:
        if not self._is_steady(contact):
            return [0] * layout.SURFACE_REFERENCES
        return [self.programs.reference(value, f"contact {contact.name!r}") for value in _coefficients(contact)]

    def _is_steady(self, contact: Contact) -> bool:
        """Whether its coefficients depend on time and parameters alone."""
        allowed = {*self.words.p, *self.words.states_symbols, time}
        return all(value.free_symbols <= allowed for value in _coefficients(contact))

    # ------------------------------------------------------------------------------------------ laws of contacts

    def _laws(self, row: list[int], contact: Contact) -> None:
        """The laws of its coefficients, where these depend on speeds or places, and of its force."""
        if not self._is_steady(contact):
            says = coefficients_at(contact, *_SLIDING)
            row[layout.SURFACE_LAW] = self.programs.law(says, _SLIDING)
        if contact.compliance is None:
            return
        if len(self.parts.contacts) > MOST_COMPLIANT:
            raise NotInTablesError(f"more than {MOST_COMPLIANT} contacts of which {contact.name!r} is compliant")
        law, pressing = contact.compliance.own_law, _PRESSING
        if not row[layout.HAS_SLIP]:
            pressing = pressing._replace(slip=None)
        response, tangential = forces_of(law, contact, pressing)
        drive = sp.Integer(0) if response.branch is None else response.branch[1]
        says = [response.force, tangential, response.loss, response.elastic, return_of(response, pressing.rate), drive]
        row[layout.COMPLIANCE] = self.programs.law(says, list(_PRESSING))
        memory = memory_names(contact)[0]
        row[layout.MEMORY] = len(self.words.p) + self.words.memory.index(memory)
        branch = contact.compliance.branch
        row[layout.BRANCH] = -1 if branch is None else list(self.words.coordinates).index(branch)

    def _branches(self) -> list[Contact]:
        """The contacts with a coordinate of their own."""
        laws = ((contact, contact.compliance) for contact in self.model.contacts)
        return [contact for contact, law in laws if law is not None and law.branch is not None]

    def _branch_mass(self, contact: Contact) -> int:
        response, _ = forces_of(contact.compliance.own_law, contact, _PRESSING._replace(slip=None))
        assert response.branch is not None
        return self.programs.steady(response.branch[0], f"contact {contact.name!r}: the stiffness of its branch")

    # ------------------------------------------------------------------------------------------ joints

    def _joint(self, joint: Any) -> Iterable[list[int]]:
        where = f"joint {joint.name!r}"
        match joint:
            case ClearanceJoint():
                return
            case Revolute():
                yield from self._pins(joint, where)
            case Rigid():
                yield from self._pins(joint, where)
                yield self._angle(joint, where)
            case Translational():
                a, b = unit_vector(joint.axis, where)
                yield self._along(joint, (a, b), 0, where)
                yield self._angle(joint, where)
            case Driver() if joint.angle is not None:
                yield self._angle(joint, where)
            case Driver() if joint.axis is not None:
                a, b = unit_vector(joint.axis, where)
                yield self._along(joint, (b, -a), joint.length, where)
            case Driver():
                row = self._ends(joint, where)
                row[layout.KIND] = layout.CIRCLE
                row[layout.RADIUS_A : layout.RADIUS_A + 3] = self.programs.moving(joint.length, where)
                yield row
            case _:
                raise NotInTablesError(f"{where} of a kind of its own")

    def _ends(self, joint: Any, where: str) -> list[int]:
        row = [0] * layout.TOUCH_ROW
        row[layout.BODY_A], row[layout.BODY_B] = self._body(joint.second), self._body(joint.first)
        row[layout.CENTER_A : layout.CENTER_A + 6] = self._point(joint.at_second, where)
        row[layout.POINT_B : layout.POINT_B + 6] = self._point(joint.at_first, where)
        return row

    def _pins(self, joint: Any, where: str) -> Iterable[list[int]]:
        for kind in (layout.PIN_X, layout.PIN_Y):
            row = self._ends(joint, where)
            row[layout.KIND] = kind
            yield row

    def _along(self, joint: Any, direction: Any, length: Any, where: str) -> list[int]:
        """n.d - length = 0 with n the direction turned by +90 degrees, on the first body."""
        row = self._ends(joint, where)
        row[layout.KIND] = layout.LINE
        row[layout.DIRECTION : layout.DIRECTION + 4] = self._direction(direction, where)
        row[layout.RADIUS_A : layout.RADIUS_A + 3] = self.programs.moving(length, where)
        return row

    def _angle(self, joint: Any, where: str) -> list[int]:
        row = [0] * layout.TOUCH_ROW
        row[layout.KIND] = layout.ANGLE
        row[layout.BODY_A], row[layout.BODY_B] = self._body(joint.second), self._body(joint.first)
        row[layout.PRESCRIBED : layout.PRESCRIBED + 3] = self.programs.moving(joint.angle, where)
        return row

    # ------------------------------------------------------------------------------------------ forces

    def _element(self, force: Any) -> list[int]:
        row, where = [0] * layout.ELEMENT_ROW, type(force).__name__
        match force:
            case Spring() | Damper():
                self._spring(row, force, where)
            case TorsionSpring():
                row[layout.KIND] = layout.TORSION
                row[layout.SECOND], row[layout.FIRST] = self._body(force.second), self._body(force.first)
                row[layout.STIFFNESS] = self.programs.steady(force.stiffness, where)
                row[layout.DAMPING] = self.programs.reference(force.damping, where)
                row[layout.REST : layout.REST + 2] = self.programs.moving(force.rest_angle, where)[:2]
                self.works |= force.damping != 0 or row[layout.REST_RATE] != 0
            case Force():
                row[layout.KIND], row[layout.SECOND] = layout.FORCE, self._body(force.body)
                row[layout.POINT_SECOND : layout.POINT_SECOND + 6] = self._point(force.at, where)
                row[layout.FOLLOWS] = int(force.follows)
                self.works = True
            case Torque():
                row[layout.KIND] = layout.TORQUE
                row[layout.SECOND], row[layout.FIRST] = self._body(force.body), self._body(force.reaction)
                self.works = True
            case InternalForce():
                row[layout.KIND] = layout.RATE
                row[layout.SECOND] = list(self.words.coordinates).index(force.coordinate)
            case AxialDamper():
                row[layout.KIND] = layout.DRAG
                row[layout.SECOND], row[layout.FIRST] = self._body(force.second), self._body(force.first)
                self.works = True
            case _:
                raise NotInTablesError(f"a force of the kind {where}")
        return row

    def _given_force(self, row: list[int], force: Any) -> None:
        """The expressions of the user's in an element, whose ranges are known (narrow.py)."""
        where = type(force).__name__
        if isinstance(force, Force):
            for at, part in zip((layout.FORCE_X, layout.FORCE_Y), pair(force.force, where), strict=True):
                row[at] = self.programs.force(part, where)
        elif isinstance(force, Torque):
            row[layout.MOMENT] = self.programs.force(force.torque, where)
        elif isinstance(force, InternalForce):
            row[layout.RATE_OF] = self.programs.force(force.value, where)
        elif isinstance(force, AxialDamper):
            for at, load in zip((layout.DRAG_SECOND, layout.DRAG_FIRST), force.loads(), strict=True):
                row[at : at + 3] = [self.programs.force(part, where) for part in generalised(load)]

    def _spring(self, row: list[int], force: Any, where: str) -> None:
        row[layout.KIND] = layout.SPRING
        row[layout.SECOND], row[layout.FIRST] = self._body(force.second), self._body(force.first)
        row[layout.POINT_SECOND : layout.POINT_SECOND + 6] = second = self._point(force.at_second, where)
        row[layout.POINT_FIRST : layout.POINT_FIRST + 6] = first = self._point(force.at_first, where)
        row[layout.DAMPING] = self.programs.reference(force.damping, where)
        damped = force.damping != 0
        if isinstance(force, Spring):
            row[layout.STIFFNESS] = self.programs.steady(force.stiffness, where)
            row[layout.REST : layout.REST + 2] = self.programs.moving(force.rest_length, where)[:2]
            row[layout.FORM] = layout.STRETCHED if force.rest_length != 0 else 0
        row[layout.FORM] |= layout.DAMPED if damped else 0
        self.works |= damped or any((*second[1::3], *first[1::3], row[layout.REST_RATE]))


def _coefficients(contact: Contact) -> tuple[sp.Expr, ...]:
    """Friction, static friction, restitution, tangential restitution, as ``surface`` has them.

    A contact that others load has its preload and its lever in place of restitutions.
    """
    if contact.load is not None:
        lever = sp.Integer(0) if contact.lever is None else contact.lever
        return contact.friction, contact.static_friction, contact.preload, lever
    return contact.friction, contact.static_friction, contact.restitution, contact.tangential_restitution


def _in_time(row: Sequence[int]) -> bool:
    """Whether a joint's equation depends on time: a point, a length, a direction or an angle that is prescribed."""
    if row[layout.KIND] == layout.ANGLE:
        return row[layout.PRESCRIBED + 1] != 0
    rates = [layout.CENTER_A + 1, layout.CENTER_A + 4, layout.POINT_B + 1, layout.POINT_B + 4, layout.RADIUS_A + 1]
    if row[layout.KIND] == layout.LINE:
        rates.append(layout.DIRECTION + 2)
    return any(row[at] != 0 for at in rates)


def _integers(rows: Any) -> np.ndarray:
    """Rows of whole numbers as one array, never empty: it has an address."""
    array = np.array(rows, dtype=np.int64).reshape(-1)
    return array if array.size else np.zeros(1, np.int64)
