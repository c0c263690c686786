"""Switches: feedback that jumps, sign(s(t, q, u)), with the sliding mode in which it holds the surface s = 0.

    relay = jounce.Switch("relay", x + dx)
    jounce.Model("servo", [x], [1], [-relay])

On either side of the surface the value of a switch is the sign of s. With M u' = h_0 + h_1 S the surface moves by

    s' = a + b S,   a = s_t + s_q.u + s_u.M^-1 h_0,   b = s_u.M^-1 h_1,

and where s' points to s = 0 from both sides, a + b <= 0 <= a - b, no motion leaves it: the switch takes the value with
which s stays zero, S = -a/b (Filippov 1960; the equivalent control of Utkin 1977), until that reaches -1 or 1. So a
switch is a discrete state: 1, -1, 0 while it slides, UNKNOWN before a run has begun; and resets where s vanishes, where
S = -a/b reaches its limits, where a run begins, and where an impact has made s jump. Leaving, the velocities are moved
back onto the surface along M^-1 h_1, by what the errors of integration have added up to.

Several switches may slide at once: their values solve a linear system.

Joints push too: with J u' = -c, G = J M^-1 J^T, forces f move the velocities by P M^-1 f, P = 1 - M^-1 J^T G^-1 J, and
the joints by themselves by -M^-1 J^T G^-1 c. Where a surface depends on velocities that joints move, these take the
place of M^-1 f and of nothing; their expressions grow fast with the number of joints, of which a few are allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model.cases import Piecewise
from jounce.model.expressions import as_expression, expressions_in, identically_zero
from jounce.model.lagrangian import gradient, time_derivative
from jounce.model.magnitude import magnitude
from jounce.model.resets import RUN_BEGINS, Reset
from jounce.model.symbols import Parameter, plain_symbol, time, velocity_name
from jounce.model.vocabulary import check_identifier

if TYPE_CHECKING:
    from jounce.model.contact import Contact
    from jounce.model.vocabulary import Vocabulary

SLIDING, UNKNOWN = 0, 2
AT_CONTACT = "switches_at_"  # name of the reset behind impacts of a contact that moves surfaces; its name follows
MOST = 3  # switches of one model
MOST_JOINTS = 4  # equations, where joints move a surface
ROUNDING = 8 * 2.0**-52  # of a surface, relative to its terms: nearer to zero a start lies on it


class Switch(sp.Symbol):
    """The sign of an expression as a symbol for forces and rates: ``relay = Switch("relay", x + dx)``."""

    surface: Any

    def __new__(cls, name: str, surface: Any = 0, **assumptions: Any) -> Switch:
        """A symbol beside SymPy's own cache."""
        check_identifier(name, "switch")
        symbol: Switch = sp.Symbol.__xnew__(cls, name, real=True)
        symbol.surface = as_expression(surface, f"switch {name!r}")
        return symbol

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return Switch, (self.name, self.surface)

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.surface)


def found_switches(given: Any, contents: Iterable[Any]) -> dict[str, sp.Expr]:
    """Name -> surface of the switches that are listed and of those met in expressions."""
    if not isinstance(given, Mapping):
        raise ModelError(f"switches: expected a dictionary name -> surface, not {given!r}")
    found = {str(name): as_expression(surface, f"switch {name!r}") for name, surface in given.items()}
    for item in contents:
        for expression in expressions_in(item):
            for symbol in sorted(expression.atoms(Switch), key=lambda symbol: symbol.name):
                if found.setdefault(symbol.name, symbol.surface) != symbol.surface:
                    raise ModelError(f"switch {symbol.name!r} has two surfaces; give them two names")
    if len(found) > MOST:
        raise ModelError(f"a model of {len(found)} switches; at most {MOST} are supported")
    return found


def switch_states(names: Iterable[str]) -> dict[str, Parameter]:
    """The discrete state of each switch."""
    words = "side of its surface, 0 while it slides, 2 before a run"
    return {name: Parameter(name, float(UNKNOWN), "", words) for name in names}


def switch_names(model: Any) -> tuple[str, ...]:
    """The discrete states of a settled model that are switches."""
    return tuple(name for name in model.states if f"{name}_switches" in model.guards)


class _Held:
    """How forces move velocities that joints hold: P M^-1, symmetric; without joints M^-1."""

    def __init__(self, mass: sp.MatrixBase, joints: list[sp.Expr], q: Any, u: Any) -> None:
        self.mass, self.joints = mass, joints
        if joints:
            self.J = sp.Matrix([gradient(g, q) for g in joints])
            self.answer = mass.LUsolve(self.J.T)  # M^-1 J^T
            self.G = (self.J * self.answer).applyfunc(sp.expand)
            rates = [time_derivative(g, q, u) for g in joints]
            self.bias = sp.Matrix([time_derivative(rate, q, u) for rate in rates])

    def row(self, direction: sp.Matrix) -> sp.Matrix:
        """(P M^-1 d)^T."""
        moved = self.mass.LUsolve(direction)
        if self.joints:
            moved -= self.answer * self.G.LUsolve(self.J * moved)
        return moved.T

    def drift(self, direction: sp.Matrix) -> sp.Expr:
        """-d.M^-1 J^T G^-1 c: what the joints do by themselves."""
        if not self.joints:
            return sp.Integer(0)
        return -(direction.T * self.answer * self.G.LUsolve(self.bias))[0, 0]


class Switching:
    """The switches of one model in its own symbols: their values, and the resets that change them."""

    def __init__(
        self,
        words: Vocabulary,
        surfaces: Mapping[str, sp.Expr],
        mass: sp.MatrixBase,
        forces: sp.MatrixBase,
        joints: Mapping[str, Any],
    ) -> None:
        self.words = words
        self.names = list(surfaces)
        self.symbols = [plain_symbol(name) for name in self.names]
        self.surfaces = [words.expression(s, f"switch {name!r}") for name, s in surfaces.items()]
        for name, surface in zip(self.names, self.surfaces, strict=True):
            if not surface.free_symbols & {*words.q, *words.u, time}:
                raise ModelError(f"switch {name!r}: the surface depends on no coordinate, velocity or time")
            if surface.free_symbols & set(self.symbols):
                raise ModelError(f"switch {name!r}: the surface depends on a switch")
        self._linearise(mass, forces, self._moving_joints(joints))
        self.values = self._values()

    def _moving_joints(self, joints: Mapping[str, Any]) -> list[sp.Expr]:
        """The joints, where their forces move the surface of a switch."""
        moved = [
            name
            for name, surface in zip(self.names, self.surfaces, strict=True)
            if surface.free_symbols & set(self.words.u)
        ]
        if not joints or not moved:
            return []
        if len(joints) > MOST_JOINTS:
            raise ModelError(
                f"switch {moved[0]!r}: its surface depends on velocities, which the {len(joints)} joints move too; "
                f"with more than {MOST_JOINTS} joint equations write the model in minimal coordinates. Dry friction, "
                "whose direction turns with a velocity, is a contact with a load"
            )
        return [self.words.expression(g, f"joint {name!r}", velocities=False) for name, g in joints.items()]

    def _linearise(self, mass: sp.MatrixBase, forces: sp.MatrixBase, joints: list[sp.Expr]) -> None:
        """s' = a + B S."""
        words, off = self.words, dict.fromkeys(self.symbols, sp.Integer(0))
        directions = [forces.diff(symbol) for symbol in self.symbols]
        if any(direction.free_symbols & set(self.symbols) for direction in directions):
            raise ModelError("switches: forces must be linear in the values of switches; write two products apart")
        held = _Held(mass, joints, words.q, words.u)
        # rows s_u.P.M^-1, by which forces move the surfaces
        self.pushes = [held.row(sp.Matrix(gradient(s, words.u))) for s in self.surfaces]
        self.a = [
            sp.diff(s, time)
            + sp.Add(*(part * u for part, u in zip(gradient(s, words.q), words.u, strict=True)))
            + (push * forces.xreplace(off))[0, 0]
            + held.drift(sp.Matrix(gradient(s, words.u)))
            for s, push in zip(self.surfaces, self.pushes, strict=True)
        ]
        self.B = sp.Matrix([[sp.expand((push * direction)[0, 0]) for direction in directions] for push in self.pushes])
        self.ways = [held.row(direction).T for direction in directions]

    def _values(self) -> list[sp.Expr]:
        """S of each switch: its side, or what keeps all sliding surfaces at zero."""
        able = [self.B[k, k] != 0 for k in range(len(self.names))]
        if len(self.names) == 1:
            side = self.symbols[0]
            return [Piecewise((-self.a[0] / self.B[0, 0], sp.Eq(side, SLIDING)), (side, sp.true)) if able[0] else side]
        slides = [
            Piecewise((sp.Integer(1), sp.Eq(side, SLIDING)), (sp.Integer(0), sp.true)) if able[k] else sp.Integer(0)
            for k, side in enumerate(self.symbols)
        ]
        rest = sp.diag(*(1 - slide for slide in slides))
        system = rest + sp.diag(*slides) * self.B
        right = rest * sp.Matrix(self.symbols) - sp.diag(*slides) * sp.Matrix(self.a)
        return list(system.adjugate() * right / system.det(method="berkowitz"))

    def switched(self, forces: sp.MatrixBase) -> sp.ImmutableMatrix:
        """The forces with the values of the switches in them.

        Of one switch the forces on its surface are written as such: what S = -a/b cancels is gone, and not the
        difference of two forces that is left by their rounding.
        """
        values = dict(zip(self.symbols, self.values, strict=True))
        if len(self.names) > 1 or self.B[0, 0] == 0:
            return sp.ImmutableMatrix(forces.xreplace(values))
        side, held = self.symbols[0], {self.symbols[0]: -self.a[0] / self.B[0, 0]}
        entries = []
        for force in forces:
            on_surface = force.xreplace(held)
            on_surface = sp.Integer(0) if identically_zero(on_surface) else on_surface
            moved = side in force.free_symbols
            entries.append(Piecewise((on_surface, sp.Eq(side, SLIDING)), (force, sp.true)) if moved else force)
        return sp.ImmutableMatrix(len(entries), 1, entries)

    def _side(self, k: int) -> sp.Expr:
        """What becomes of switch k on its surface: up, down, or sliding."""
        others = {symbol: self.values[j] for j, symbol in enumerate(self.symbols) if j != k}
        rest = self.a[k] + sp.Add(*(self.B[k, j] * self.symbols[j] for j in range(len(self.names)) if j != k))
        rest, b = rest.xreplace(others), self.B[k, k]
        if b == 0:
            return Piecewise((sp.Integer(1), rest > 0), (sp.Integer(-1), sp.true))
        cases = [(sp.Integer(1), rest + b > 0), (sp.Integer(-1), rest - b < 0), (sp.Integer(SLIDING), sp.true)]
        return Piecewise(*cases)

    def _anew(self, k: int) -> sp.Expr:
        """What a switch is where nothing is known of it: by the sign of its surface, on it by the motion."""
        s, known = self.surfaces[k], ROUNDING * magnitude(self.surfaces[k])
        return Piecewise((sp.Integer(1), s > known), (sp.Integer(-1), s < -known), (self._side(k), sp.true))

    def resets(self, contacts: Iterable[Contact]) -> list[Reset]:
        """Where switches change."""
        found = []
        for k, (name, symbol) in enumerate(zip(self.names, self.symbols, strict=True)):
            sliding = sp.Eq(symbol, SLIDING)
            found.append(
                Reset(RUN_BEGINS, {symbol: self._anew(k)}, only_if=sp.Eq(symbol, UNKNOWN), name=f"{name}_starts")
            )
            crossing = Piecewise((sp.Integer(1), sliding), (self.surfaces[k], sp.true))
            found.append(Reset(crossing, {symbol: self._side(k)}, name=f"{name}_switches"))
            if self.B[k, k] != 0 and self.values[k].free_symbols & {*self.words.q, *self.words.u, time}:
                inside = Piecewise((1 - self.values[k] ** 2, sliding), (sp.Integer(1), sp.true))
                found.append(Reset(inside, self._leaving(k), name=f"{name}_leaves"))
        return [*found, *self._after_impacts(contacts)]

    def _leaving(self, k: int) -> dict[str, sp.Expr]:
        """The side to which a switch leaves, and the velocities on the surface."""
        side = Piecewise((sp.Integer(1), self.values[k] > 0), (sp.Integer(-1), sp.true))
        ways = zip(self.words.coordinates, self.words.u, self.ways[k], strict=True)
        back = self.surfaces[k] / self.B[k, k]
        moved = {velocity_name(name): u - back * way for name, u, way in ways if way != 0}
        return {self.names[k]: side, **moved}

    def _after_impacts(self, contacts: Iterable[Contact]) -> list[Reset]:
        """Impacts that make surfaces jump: the switches are asked anew."""
        found = []
        for contact in contacts:
            if contact.compliance is not None:
                continue
            directions = [gradient(contact.gap, self.words.q)]
            directions += [] if contact.slip is None else [gradient(contact.slip, self.words.u)]
            jumping = [
                k
                for k, push in enumerate(self.pushes)
                if not all(identically_zero((push * sp.Matrix(direction))[0, 0]) for direction in directions)
            ]
            if jumping:
                asked = {self.symbols[k]: self._anew(k) for k in jumping}
                found.append(Reset(f"impact:{contact.name}", asked, name=f"{AT_CONTACT}{contact.name}"))
        return found
