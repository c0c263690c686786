"""Laws that users write may give energy: what a run says of it.

An own impact law changes the velocities by a reset, whose row has the energy; an own compliance gives where the loss of
the contact falls from one separation to the next. Neither is an error of the run: motors and bumpers are such laws. But
nobody shall find it out by chance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.kernels.records.recording import ENERGY_LOSS, REGION, STEP
from jounce.model.names import own_law_name
from jounce.simulation.events import EventKind
from jounce.simulation.run_data import WORK_COLUMNS
from jounce.system.evaluation import values_of

if TYPE_CHECKING:
    from jounce.system.state import State
    from jounce.system.system import System

#: Of the kinetic energy of a run: a smaller fall of the contact loss is an error of its integration.
FALLS = 1e-6
LOST = WORK_COLUMNS.index("contact_loss")


def energy_given(
    system: System, state: State, parameters: np.ndarray, event_float: np.ndarray, event_int: np.ndarray,
    step_work: np.ndarray,
) -> str:  # fmt: skip
    """A sentence on the energy that own laws have given in a run; "" if they gave none.

    state        at the end, which knows how fast the run has been; step_work: at the start of each step
    """
    given = _by_impacts(system, event_float, event_int)
    if len(step_work) and any(contact.compliance and contact.compliance.own for contact in system.outline.contacts):
        given |= _by_compliance(system, event_int, step_work, FALLS * _energy(system, state, parameters))
    if not given:
        return ""
    parts = ", ".join(f"contact {name!r} {energy:.4g}" for name, energy in given.items())
    return f"; own laws have given energy, in the model's unit: {parts}"


def _by_impacts(system: System, event_float: np.ndarray, event_int: np.ndarray) -> dict[str, float]:
    """Contact -> energy, of own impact laws that gave any."""
    given: dict[str, float] = {}
    for r, reset in enumerate(system.outline.resets):
        if reset.event is None or reset.name != own_law_name(reset.event[1]):
            continue
        rows = (event_int[:, 0] == EventKind.RESET) & (event_int[:, REGION] == r)
        gains = -event_float[rows, ENERGY_LOSS]
        if (gains > 0.0).any():
            given[reset.event[1]] = float(gains[gains > 0.0].sum())
    return given


def _energy(system: System, state: State, parameters: np.ndarray) -> float:
    """The kinetic energy of the largest speeds of a run."""
    n = system.n
    values = values_of(system.functions.dynamics, n * n + n, state.t, state.q, state.u, parameters)
    return 0.5 * float(np.abs(values[: n * n].reshape(n, n).diagonal()) @ state.scales[n : 2 * n] ** 2)


def _by_compliance(system: System, event_int: np.ndarray, step_work: np.ndarray, least: float) -> dict[str, float]:
    """Contact -> energy, of own compliances that gave any in a whole contact."""
    own = [k for k, contact in enumerate(system.outline.contacts) if contact.compliance and contact.compliance.own]
    ends = np.flatnonzero((event_int[:, 0] == EventKind.SEPARATE) & (event_int[:, STEP] < len(step_work)))
    losses = step_work[event_int[ends, STEP], LOST]
    gains = -np.diff(losses, prepend=step_work[0, LOST])
    clear = gains > least
    given: dict[str, float] = {}
    for k in own:
        rows = clear & (event_int[ends, 1] == k)
        if rows.any():
            given[system.outline.contacts[k].name] = float(gains[rows].sum())
    return given


def lets_go_at_once(system: System, event_int: np.ndarray) -> str:
    """What to say of an own compliance whose contact ends where it begins; "" if the last events are no such thing."""
    last = event_int[-2:]
    contact = system.outline.contacts[last[-1, 1]] if len(last) == 2 and last[-1, 1] >= 0 else None
    if contact is None or contact.compliance is None or not contact.compliance.own:
        return ""
    if set(last[:, 0].tolist()) != {EventKind.TOUCH, EventKind.SEPARATE}:
        return ""
    return (
        f". The own law of contact {contact.name!r} pulls where the contact is touched, so that it ends where it "
        "begins: its damping has the sign of a motor. A damper takes energy: damping times penetration_rate is not "
        "negative"
    )
