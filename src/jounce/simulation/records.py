"""The records of a run, kept for the next run of the same thread.

A fresh buffer of steps, whose pages the operating system clears, takes longer than a short run, and so does finding
fields and addresses in records. Here both are done once: every record is also a structure of ``ctypes``, whose fields
are attributes as they are in the kernels (``s.settings.t_end``), ten times as fast as the fields of NumPy's records.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

import numpy as np

from jounce.kernels.engine.advance import run_machine
from jounce.kernels.engine.sound import sound_start
from jounce.kernels.records.motion import MOTION
from jounce.kernels.records.recording import RECORD
from jounce.kernels.records.workspace import MACHINE, MEMORY_BYTES, WORKSPACE
from jounce.kernels.tangent import propagation, saltation
from jounce.kernels.tangent.variation import CARRIED_BYTES, VARIATION
from jounce.system.functions import TangentFunctions
from jounce.system.system import System

HEADER = RECORD.fields["event_float"][1]  # type: ignore[index]  # bytes of a record before its rows
NO_SCHEDULE = np.zeros((0, 3))
_AT_EVENTS = (
    *(saltation.shift_to_event, saltation.shift_to_leap, saltation.glue),
    *(saltation.pass_instant, saltation.pass_compliant, saltation.pass_reset),
)
MOST_SPARE = 2  # records kept: of a run, and of an evaluation of a mode while it goes on; each is tens of megabytes


@cache
def _structure_type(layout: np.dtype) -> Any:
    return np.ctypeslib.as_ctypes_type(layout)


def structure(record: np.ndarray) -> Any:
    """A record as a structure on the same memory: numbers and records in it are attributes, arrays can be sliced."""
    return _structure_type(record.dtype).from_buffer(record.view(np.uint8))


def record_of(template: bytes, layout: np.dtype) -> np.ndarray:
    """A record with the bytes of a template."""
    return np.frombuffer(bytearray(template), layout)


class RunRecords:
    """Machine, workspace, motion and buffer of one run.

    m, w, s, r       the same as structures
    p                the parameters and the memory of the machine, as an array
    rows             the arrays of the buffer, by name
    advance, sound   ``run_machine`` without a schedule and ``sound_start`` of these records
    """

    def __init__(self) -> None:
        self.machine, self.workspace = np.zeros(1, MACHINE), np.zeros(1, WORKSPACE)
        self.motion, self.record = np.zeros(1, MOTION), np.zeros(1, RECORD)
        self.m, self.w, self.s, self.r = (
            structure(record) for record in (self.machine, self.workspace, self.motion, self.record)
        )
        self.settings, self.brought, self.memory = self.s.settings, self.s.brought, self.s.memory
        self.counter, self.p = self.r.counter, self.machine[0]["p"]
        self.rows = {name: self.record[0][name] for name in RECORD.names or () if name.startswith(("event", "step"))}
        self.advance = run_machine.bound(self.machine, self.workspace, self.motion, NO_SCHEDULE, 0, self.record)
        self.sound = sound_start.bound(self.machine, self.workspace, self.motion)
        self._bytes = [memoryview(record.view(np.uint8)) for record in (self.machine, self.motion)]  # type: ignore[arg-type]
        self._remembered = ctypes.addressof(self.w), ctypes.addressof(self.r)
        self._described = b""

    def load(self, machine: bytes, motion: bytes, system: System) -> None:
        """Let a run of a system with these templates begin."""
        self.load_model(machine, system)
        self._bytes[1][:] = motion
        ctypes.memset(self._remembered[1], 0, HEADER)

    def forget_model(self) -> None:
        """The run changes the description of the model: the next one has it written anew."""
        self._described = b""

    def load_model(self, machine: bytes, system: System) -> None:
        """Describe a system, and remember nothing: enough to evaluate a mode at a state."""
        if self._described is not machine:
            self._describe(machine, system)
        # discrete states have their initial values behind the parameters
        self.p[: system.vector_size] = self._vector
        if system.faces is not None:
            self.p[self.m.faces_at : self.m.faces_at + system.nc] = 0.0
        ctypes.memset(self._remembered[0], 0, MEMORY_BYTES)

    def _describe(self, machine: bytes, system: System) -> None:
        self._bytes[0][:] = self._described = machine
        self._vector = self.p[: system.vector_size].copy()


#: Records that no run uses now, of all threads: the first run in new ones takes longer, for they have no memory yet.
#: A list hands each of its entries to one thread.
_SPARE: list[RunRecords] = []
_SPARE_VARIATIONS: list[VariationRecord] = []


def borrow_records() -> RunRecords:
    """The records of a run, as the last one has left them: ``load`` begins anew."""
    try:
        return _SPARE.pop()
    except IndexError:
        return RunRecords()


def return_records(records: RunRecords) -> None:
    """Let the next run have them; nothing may look at them any more."""
    if len(_SPARE) < MOST_SPARE:
        _SPARE.append(records)


class VariationRecord:
    """The perturbations of one run, with the two more motions that carrying them needs.

    record, v   the same record as an array and as a structure
    columns     its columns, one a row
    remembered  what each changes in the memory of compliant contacts; states: in the discrete states
    """

    def __init__(self) -> None:
        self.record, self._motions = np.zeros(1, VARIATION), np.zeros(2, MOTION)
        self.v, self.columns = structure(self.record), self.record[0]["columns"]
        self.remembered, self.states = self.record[0]["remembered"], self.record[0]["states"]
        self._bytes = memoryview(self.record.view(np.uint8))[:CARRIED_BYTES]  # type: ignore[arg-type]
        self._tangents: TangentFunctions | None = None
        self._template = bytes(CARRIED_BYTES)

    def load(self, system: System) -> None:
        """No perturbations yet, but the functions to carry them."""
        if self._tangents is system.tangents:
            self._bytes[:] = self._template
            return
        ctypes.memset(ctypes.addressof(self.v), 0, CARRIED_BYTES)
        for name, function in system.tangents._asdict().items():
            setattr(self.v, name, function.address)
        for block in (*_AT_EVENTS, propagation.propagate):
            setattr(self.v, block.__name__, block.address)
        self.v.before, self.v.trial = (self._motions[k : k + 1].ctypes.data for k in range(2))
        self.v.parameters = system.vector_size
        self.v.parameter = self.v.parameter_column = -1
        self._tangents, self._template = system.tangents, bytes(self._bytes)


def borrow_variation(system: System) -> VariationRecord:
    """A record of perturbations with none in it."""
    try:
        variation = _SPARE_VARIATIONS.pop()
    except IndexError:
        variation = VariationRecord()
    variation.load(system)
    return variation


def return_variation(variation: VariationRecord) -> None:
    """Let the next run have it."""
    if len(_SPARE_VARIATIONS) < MOST_SPARE:
        _SPARE_VARIATIONS.append(variation)
