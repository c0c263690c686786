"""What the records of a run hold before it begins: the model with its parameters, the start and what it brings."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from jounce.kernels.contact.orders import gap_beginning
from jounce.kernels.records import codes
from jounce.kernels.records.motion import MOTION
from jounce.kernels.records.workspace import MACHINE, MAX_CONTACTS
from jounce.model.outline import ContactOutline
from jounce.simulation.law import Law
from jounce.simulation.options import Options
from jounce.simulation.period import turn_length
from jounce.simulation.records import RunRecords, borrow_records, record_of, return_records, structure
from jounce.simulation.templates import templates_of
from jounce.system.state import State
from jounce.system.system import System
from jounce.toolchain.jit import python_function


def machine_record(system: System, p: np.ndarray, options: Options) -> np.ndarray:
    """The model as the kernels see it."""
    templates = templates_of(system, options)
    machine = record_of(templates.machine, MACHINE)
    machine[0]["p"][: p.size] = p
    for contact in templates.unheeded:
        _warn_of_tangential_restitution(system, contact, options, p)
    return machine


def _warn_of_tangential_restitution(system: System, contact: ContactOutline, options: Options, p: np.ndarray) -> None:
    """Say that a coefficient which was given changes nothing."""
    from jounce.model.arithmetic import value_at  # SymPy, for the few models of which this is to be said

    given = system.model.contacts[system.contact_names.index(contact.name)].tangential_restitution
    law = Law.parse(contact.law or options.law)
    values = dict(zip(system.model.p, p.tolist(), strict=False))  # discrete states may stand behind the parameters
    if given.free_symbols <= values.keys() and value_at(given, values) == 0.0:
        return
    users = ", ".join(str(other) for other in Law if other.tangential_range != (0.0, 0.0))
    warnings.warn(
        f"contact {contact.name!r}: tangential_restitution = {given} has no part in the law {str(law)!r}; laws that "
        f"use one: {users}",
        stacklevel=5,
    )


@contextmanager
def model_records(system: System, p: np.ndarray) -> Iterator[RunRecords]:
    """Records for a moment, with the model and these parameters, or what stands behind them too."""
    records = borrow_records()
    records.load_model(templates_of(system, Options.default()).machine, system)
    records.p[: p.size] = p
    try:
        yield records
    finally:
        return_records(records)


def load_records(
    records: RunRecords, system: System, start: State, t_end: float, p: np.ndarray, options: Options
) -> None:
    """Let borrowed records be those of a run that has not begun."""
    templates = templates_of(system, options)
    records.load(templates.machine, templates.motion, system)
    records.p[: p.size] = p
    for contact in templates.unheeded:
        _warn_of_tangential_restitution(system, contact, options, p)
    put_start(records.s, system, start, t_end)
    records.settings.period = turn_length(system, p)
    if system.outline.memory:
        remember(records.p, records.brought, system, start)


def start_motion(system: System, start: State, t_end: float, p: np.ndarray, options: Options) -> np.ndarray:
    """The motion record of a run that has not begun."""
    motion = record_of(templates_of(system, options).motion, MOTION)
    s = structure(motion)
    put_start(s, system, start, t_end)
    s.settings.period = turn_length(system, p)
    return motion


def put_start(s: Any, system: System, start: State, t_end: float) -> None:
    """Begin at a state: where it is, how large things have been, and its modes."""
    n, q, u = system.n, start.q.tolist(), start.u.tolist()
    s.t, s.settings.t_end = start.t, t_end
    s.q[:n], s.u[:n], s.z[: 2 * n] = q, u, q + u
    if start.scales.size:
        take_scales(s, system, start)
    sides = system.sides_of(start)
    s.brought.sides[: len(sides)] = sides
    if start.modes.size and system.knows_modes(start):
        s.brought.known = 1
        if system.nc > MAX_CONTACTS:
            return  # simulation/roster.py has them
        if start.faces.size == system.nc:
            s.brought.face[: system.nc] = start.faces.tolist()
        for i, contact in enumerate(system.outline.contacts):
            if contact.compliance is None:
                take_up(s, i, int(start.modes[i]), int(start.orders[i]))


def take_up(s: Any, i: int, mode: int, digit: int) -> None:
    """Contact i as a start brings it: ``set_contact`` of kernels/contact/orders.py."""
    s.modes[i] = mode
    if mode == codes.OPEN:
        s.gap_fresh[i], s.gap_watch[i] = python_function(gap_beginning)(digit)
    else:
        s.slip_fresh[i] = max(digit, codes.NO_ROOT) - codes.NO_ROOT
    s.released[i] = mode == codes.OPEN and digit == codes.DOUBLE_ROOT


def scales_of(system: System, w: Any, s: Any) -> np.ndarray:
    """How large things have been in a run with this workspace and motion: q and u; gaps, joints, guards; speeds."""
    sizes = w.size[: 2 * system.nc + system.nj + system.ng]
    return np.array([*w.reference[: 2 * system.n], *sizes, *s.memory.own_speed[: 2 * system.nc]])


def take_scales(s: Any, system: System, start: State) -> None:
    """Let the scales begin with those of the run out of which the start comes, where it is one of this system."""
    n, nc, sizes = system.n, system.nc, 2 * system.nc + system.nj + system.ng
    if start.scales.size == 2 * n + sizes + 2 * nc:
        scales, brought = start.scales.tolist(), s.brought
        brought.given[: 2 * n] = np.maximum(brought.given[: 2 * n], scales[: 2 * n]).tolist()
        if nc > MAX_CONTACTS:
            return  # simulation/roster.py has them
        brought.given_size[:sizes] = scales[2 * n : 2 * n + sizes]
        s.memory.own_speed[: 2 * nc] = scales[2 * n + sizes :]


def remember(vector: np.ndarray, brought: Any, system: System, start: State) -> None:
    """Give the engine the discrete states of a start and what it remembers of compliant contacts.

    A memory of another size is that of another model: nothing is known, discrete states have their initial values.
    """
    memory, place = system.memory_of(start), len(system.parameter_names)
    known = not np.isnan(memory).any()
    vector[place : place + memory.size] = np.nan_to_num(memory)
    brought.remembered = known and memory.size > len(system.state_names)
