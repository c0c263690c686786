"""The candidates of a run that looks only at contacts that are near: kernels/records/roster.py from Python's side."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from jounce.errors import SimulationError
from jounce.kernels.contact.orders import gap_beginning, gap_digit
from jounce.kernels.flow.unseen import FRICTION, FRICTION_BACK
from jounce.kernels.records import codes
from jounce.kernels.records import roster as rows
from jounce.kernels.records.workspace import MACHINE, MAX_CONTACTS, PAIR
from jounce.simulation.law import Law
from jounce.simulation.options import Options
from jounce.simulation.records import RunRecords, record_of
from jounce.simulation.templates import templates_of
from jounce.system.state import State
from jounce.system.system import System
from jounce.toolchain.jit import python_function

OF_CONTACTS = (FRICTION, FRICTION_BACK)  # ranges of what belongs to a contact by its number: codegen/ranges.py
LEAST = 32  # contacts up to which all of them are looked at: a list would cost more than it saves


def keeps_list(system: System) -> bool:
    """Whether runs of this system look at near contacts only."""
    if system.near is None or not system.near.bounded or system.nc <= LEAST:
        return False
    if system.narrow is not None and any(kind in OF_CONTACTS for kind, *_ in system.narrow.outputs):
        return False
    if system.outline.resets:
        return False  # they name contacts, and may move bodies to others
    return all(contact.load is None and contact.compliance is None for contact in system.outline.contacts)


def needs_list(system: System) -> bool:
    """Whether not all contacts fit into the engine's records, so that whatever runs looks at near ones only."""
    return system.nc > MAX_CONTACTS and keeps_list(system)


def by_closed(system: System, modes: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Rows of modes, as many at a time as have closed contacts that fit into the engine's records, with these.

    All rows and all contacts where the records hold them.
    """
    if not needs_list(system):
        check_all_fit(system, "a table of forces")
        yield slice(0, len(modes)), np.arange(system.nc)
        return
    first, seen = 0, np.zeros(system.nc, dtype=bool)
    for row, closed in enumerate(modes[:, : system.nc] != codes.OPEN):
        if (seen | closed).sum() > MAX_CONTACTS:
            yield slice(first, row), np.flatnonzero(seen)
            first, seen = row, np.zeros(system.nc, dtype=bool)
        seen |= closed
    yield slice(first, len(modes)), np.flatnonzero(seen)


def look_at_closed(system: System, records: RunRecords, modes: np.ndarray) -> tuple[Roster | None, np.ndarray]:
    """The contacts that borrowed records of a model have at a mode: all, or those that are closed, by a list.

    The roster must be kept as long as the records are used.
    """
    if not needs_list(system):
        return None, np.arange(system.nc)
    closed = np.flatnonzero(modes != codes.OPEN)
    roster = Roster(system, Options.default())
    records.forget_model()
    roster.look_at(records.machine, closed)
    return roster, closed


def check_all_fit(system: System, what: str) -> None:
    """Say where all contacts must fit into the engine's records at once, and do not."""
    if system.nc > MAX_CONTACTS:
        raise SimulationError(
            f"system {system.outline.name!r} has {system.nc} contacts; {what} looks at all of them at once and serves "
            f"up to {MAX_CONTACTS}. simulate looks at those that are near"
        )


class Roster:
    """All contacts of one run: what does not change, and what a contact has while it is not near."""

    def __init__(self, system: System, options: Options) -> None:
        near = system.near
        assert near is not None
        total = system.nc
        self.system = system
        self.integers = np.zeros((total, rows.CANDIDATE_INTEGERS), dtype=np.int64)
        self.numbers = np.zeros((total, rows.CANDIDATE_NUMBERS))
        self.gaps, self.levers = np.zeros((total, 2)), np.zeros((total, rows.LEVERS))
        self.slots = np.full(total, -1, dtype=np.int64)
        self.integers[:, rows.HAS_SLIP] = system.has_friction
        self.integers[:, rows.LAW] = [int(Law.parse(contact.law or options.law)) for contact in system.outline.contacts]
        self.integers[:, rows.MOVING] = near.moving
        self.integers[:, rows.COLUMNS : rows.COLUMNS + 2] = near.columns[:, [0, 3]]
        self.machine: np.ndarray | None = None  # of an audit
        self.record = np.zeros(1, rows.ROSTER)
        r = self.record[0]
        r["total"], r["levers"] = total, near.levers.address
        arrays = {"integer": self.integers, "number": self.numbers, "gap": self.gaps, "lever": self.levers}
        for name, array in (arrays | {"slot": self.slots}).items():
            r[name] = array.ctypes.data
        r["list_address"] = self.record["list"].ctypes.data

    @property
    def address(self) -> int:
        """Where its record is."""
        return int(self.record.ctypes.data)

    def take_up(self, start: State, known: bool) -> None:
        """The modes, sizes and speeds that a start brings."""
        n, nc, others = self.system.n, self.system.nc, self.system.nj + self.system.ng
        if start.scales.size == 2 * n + 4 * nc + others:
            sizes, speeds = start.scales[2 * n : 2 * n + 2 * nc + others], start.scales[-2 * nc :]
            self.numbers[:, rows.SIZE], self.numbers[:, rows.SLIP_SIZE] = sizes[:nc], sizes[nc + others :]
            self.numbers[:, rows.OWN_SPEED : rows.OWN_SPEED + 2] = speeds.reshape(nc, 2)
        if not known:
            return
        if start.faces.size == nc:
            self.integers[:, rows.FACE] = start.faces
        for row, mode, digit in zip(self.integers, start.modes.tolist(), start.orders.tolist(), strict=True):
            row[rows.MODE] = mode
            if mode == codes.OPEN:
                row[rows.GAP_FRESH], row[rows.GAP_WATCH] = python_function(gap_beginning)(digit)
            else:
                row[rows.SLIP_FRESH] = max(digit, codes.NO_ROOT) - codes.NO_ROOT
            row[rows.RELEASED] = mode == codes.OPEN and digit == codes.DOUBLE_ROOT

    def attach(self, records: RunRecords, start: State) -> None:
        """Let a run that has not begun look at near contacts only."""
        n, nc, others = self.system.n, self.system.nc, self.system.nj + self.system.ng
        self.take_up(start, bool(records.brought.known))
        records.forget_model()
        records.m.nc = 0
        records.settings.roster = records.r.roster = self.address
        if start.scales.size == 2 * n + 4 * nc + others:
            records.brought.given_size[:others] = start.scales[2 * n + nc : 2 * n + nc + others].tolist()

    def join(self, machine: np.ndarray, motion: np.ndarray, record: np.ndarray) -> None:
        """Let runs with these records look at near contacts only; the kernels begin each of them."""
        machine[0]["nc"] = 0
        motion[0]["settings"]["roster"] = record[0]["roster"] = self.address

    def look_at(self, machine: np.ndarray, contacts: np.ndarray) -> None:
        """Let the contacts of a machine be these, in this order: ``write_list`` of kernels/contact/near.py."""
        m, count, chosen = machine[0], len(contacts), self.integers[contacts]
        self.record[0]["list"][: 1 + count] = [count, *contacts]
        m["nc"], m["has_slip"][:count], m["laws"][:count] = count, chosen[:, rows.HAS_SLIP], chosen[:, rows.LAW]
        first = chosen[:, rows.COLUMNS : rows.COLUMNS + 2]
        m["column"][: PAIR * count] = (first[:, :, None] + np.arange(3)).ravel()
        m["p"][m["np"]] = self.record[0]["list_address"]

    def name(self, contact: int) -> int:
        """The candidate that a contact of the records is."""
        return int(self.record[0]["list"][1 + contact]) if contact >= 0 else contact

    @property
    def modes(self) -> list[int]:
        """The mode of every candidate."""
        return list(self.integers[:, rows.MODE].tolist())

    @property
    def orders(self) -> list[int]:
        """How the guards of every candidate begin."""
        fields = (rows.MODE, rows.GAP_FRESH, rows.GAP_WATCH, rows.SLIP_FRESH)
        return [
            python_function(gap_digit)(gap, watch) if mode == codes.OPEN else codes.NO_ROOT + slip
            for mode, gap, watch, slip in self.integers[:, fields].tolist()
        ]

    def scales(self, workspace: np.ndarray) -> np.ndarray:
        """Sizes and speeds in the order in which a state carries them."""
        count, others = int(self.record[0]["list"][0]), self.system.nj + self.system.ng
        held = workspace[0]["size"][count : count + others]
        parts = (self.numbers[:, rows.SIZE], held, self.numbers[:, rows.SLIP_SIZE])
        return np.concatenate([*parts, self.numbers[:, rows.OWN_SPEED : rows.OWN_SPEED + 2].reshape(-1)])


def audit_roster(system: System, options: Options) -> Roster | None:
    """All contacts of an audit that looks at near ones only, by a list of its own; None where it looks at all.

    The machine of a run has the list of that run: the audit has one of its own, ``machine`` of the roster.
    """
    if not keeps_list(system):
        return None
    roster = Roster(system, options)
    roster.machine = record_of(templates_of(system, options).machine, MACHINE)
    roster.machine[0]["nc"] = 0
    return roster
