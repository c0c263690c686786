"""Switches in an audit: none slides while a closed contact pushes along its surface. Sides: kernels/audit/sides.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.model.switching.switch import AT_CONTACT, SLIDING
from jounce.simulation.audit.findings import Finding, no_findings
from jounce.simulation.modes import Mode, mode_codes

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory


def switch_findings(run: Trajectory) -> np.ndarray:
    """Steps on which a switch slides and a contact is closed whose force would move its surface.

    The value of a switch that slides is an expression of the model's forces; those of contacts are not among them.
    """
    states, contacts = list(run.model.states), list(run.contacts)
    rows = []
    for reset in run.model.resets:
        if not reset.name.startswith(AT_CONTACT) or not len(run.data.step_t):
            continue
        place = contacts.index(reset.name.removeprefix(AT_CONTACT))
        closed = mode_codes(run.data.step_mode, len(contacts))[:, place] != int(Mode.OPEN)
        for name in reset.map:
            slides = run.data.step_states[:, states.index(str(name))] == SLIDING
            rows += [
                (run.data.step_t[k], float(place), float(Finding.SWITCH), run.data.step_h[k], 0.0)
                for k in np.flatnonzero(slides & closed)
            ]
    return np.array(rows) if rows else no_findings()
