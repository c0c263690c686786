"""The switches of a model: its own, and those of forces that jump with a velocity, in forces, contacts and resets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model.compliant_contact import pressing_forces
from jounce.model.contact import Contact
from jounce.model.expressions import expressions_in
from jounce.model.jumps import Jump, find_jumps, without_kinked_borders
from jounce.model.kinks import MOST_GUARDS
from jounce.model.resets import MOST_RESETS, Reset
from jounce.model.settling import settled_contact
from jounce.model.switching.brakes import as_brake, pressed_along, without_brake
from jounce.model.switching.changes import with_folds
from jounce.model.switching.switch import switch_states, switch_surfaces

if TYPE_CHECKING:
    from jounce.model.vocabulary import Vocabulary


LARGE = 4  # coordinates that a mass matrix ties to each other


@dataclass(frozen=True)
class Switched:
    """What the switches of a model are a part of; ``power`` is None where it is not given."""

    words: Vocabulary
    forces: sp.ImmutableMatrix
    power: sp.Expr | None
    resets: list[Reset]
    brakes: list[Contact]


class Settlement:
    """A model that is settled but for its switches, and these."""

    def __init__(
        self,
        words: Vocabulary,
        switches: Mapping[str, sp.Expr],
        settled: Mapping[str, Any],
        joints: Mapping[str, Any],
        power: sp.Expr | None,
        elsewhere: Any,
    ) -> None:
        """``elsewhere``: where a switch may stand beside forces, so that it cannot be a contact."""
        self.words, self.switches, self.joints = words, dict(switches), joints
        self.mass, self.guards, self.start = settled["mass"], settled["guards"], settled["start"]
        self.contacts: list[Contact] = list(settled["contacts"])
        rows = [
            without_kinked_borders(row, words.u) for row in (*settled["forces"], *([] if power is None else [power]))
        ]
        self.forces = sp.ImmutableMatrix(rows[: len(words.q)])
        self.power = None if power is None else rows[-1]
        self.used = {str(symbol) for expression in expressions_in(elsewhere) for symbol in expression.free_symbols}
        self.brakes: list[Contact] = []

    @cached_property
    def pressing(self) -> sp.ImmutableMatrix:
        """The forces of compliant contacts, which switches feel."""
        return pressing_forces(self.words, self.mass, tuple(self.contacts))

    def switched(self) -> Switched:
        """The model with its switches and those of its forces.

        Where forces jump with a velocity they have switches of their own (jumps.py), as many as there is room for.
        Those along whose surfaces contacts push, those for which there is no room, and those whose values would be
        expressions of no reasonable size are contacts if they can be (brakes.py).
        """
        jumps = self._jumps()
        if self._let_be_brakes({jump.name: jump.surface for jump in entangled(self.mass, jumps, self.words.u)}):
            jumps = self._jumps()
        while True:
            with_switches, pressed = self._with_switches(jumps)
            surfaces = self.switches | {jump.name: jump.surface for jump in jumps}
            if not self._let_be_brakes({name: surfaces[name] for name in pressed}):
                break
            jumps = self._jumps()
        if isinstance(with_switches, ModelError):
            raise with_switches
        return with_switches

    def _rows(self) -> sp.ImmutableMatrix:
        """The forces, then the power if it is given."""
        return self.forces if self.power is None else self.forces.col_join(sp.ImmutableMatrix([self.power]))

    def _jumps(self) -> list[Jump]:
        """Where forces jump beside the switches that are known."""
        taken = [contact.name for contact in (*self.contacts, *self.brakes)]
        return find_jumps(self.words, self._rows(), self.switches | switch_surfaces(self.guards), taken)

    def _let_be_brakes(self, surfaces: Mapping[str, sp.Expr]) -> bool:
        """Let switches be contacts that can be; True if any is."""
        before = len(self.brakes)
        for name, surface in surfaces.items():
            if name not in self.used:
                self._let_be_brake(name, self.words.expression(surface, f"switch {name!r}"))
        return len(self.brakes) > before

    def _let_be_brake(self, name: str, surface: sp.Expr) -> None:
        """Let one switch be a contact, if it can be."""
        brake = as_brake(self.words, name, surface, self.forces, self.switches, self.start)
        if brake is None:
            return
        power = None if self.power is None else without_brake(self.words, self.power, surface, brake)
        if power is None and self.power is not None:
            return
        self.forces, self.power = brake.forces, power
        self.brakes.append(settled_contact(self.words, brake.contact))
        if name in self.switches:
            del self.switches[name]
            states = {state: value for state, value in self.words.states.items() if state != name}
            self.words = replace(self.words, states=states)

    def _with_switches(self, jumps: list[Jump]) -> tuple[Switched | ModelError, list[str]]:
        """The model with its switches, and the names of those that should be contacts."""
        room = MOST_GUARDS - len(self.guards)
        found = jumps[: max(0, room // 2 - len(self.switches))]
        rows, words = self._rows(), self.words
        contacts = [*self.contacts, *self.brakes]
        while found or self.switches:
            named = words if not found else replace(words, states=words.states | switch_states(j.name for j in found))
            surfaces = self.switches | {jump.name: jump.surface for jump in found}
            sliding, beside = (found[-1].sliding, found[-1].beside) if found else (rows, rows)
            try:
                parts = self.mass, sliding[: len(words.q), :] + self.pressing, self.joints
                named, switching = with_folds(named, surfaces, *parts, room=room, found=[jump.name for jump in found])
                written = [switching.switched(*pair) for pair in zip(sliding, beside, strict=True)]
                resets = switching.resets(contacts)
            except ModelError as error:
                if not found:
                    return error, [jump.name for jump in jumps] + list(self.switches)
                resets = []
            if found and not 0 < len(resets) <= MOST_RESETS:
                found = found[:-1]  # what cannot be a switch is left to the steps
                continue
            pressed = [name for name in pressed_along(switching, contacts) if name in surfaces]
            return self._result(named, written, resets), pressed + [jump.name for jump in jumps[len(found) :]]
        return self._result(words, list(rows), []), [jump.name for jump in jumps]

    def _result(self, words: Vocabulary, rows: Sequence[sp.Expr], resets: list[Reset]) -> Switched:
        n = len(words.q)
        power = None if self.power is None else rows[-1]
        return Switched(words, sp.ImmutableMatrix(rows[:n]), power, resets, self.brakes)


def entangled(mass: sp.MatrixBase, jumps: Sequence[Jump], u: Sequence[sp.Symbol]) -> list[Jump]:
    """The jumps whose sliding values hold the inverse of a mass matrix that is too large to be written out for them.

    S = -a/b has M^-1 of all coordinates that the matrix ties to those of the surface, of several surfaces once for each
    set of them that may slide. Four coordinates, or three with several surfaces, make millions of terms.
    """
    n, tied = mass.rows, list(range(mass.rows))
    for i in range(n):
        for j in range(i):
            if mass[i, j] != 0:
                tied = [tied[i] if group == tied[j] else group for group in tied]
    groups = [{tied[k] for k, speed in enumerate(u) if speed in jump.surface.free_symbols} for jump in jumps]
    found = []
    for jump, mine in zip(jumps, groups, strict=True):
        size = max((tied.count(group) for group in mine), default=0)
        together = sum(bool(mine & others) for others in groups)
        if size >= LARGE or (size == LARGE - 1 and together > 1):
            found.append(jump)
    return found
