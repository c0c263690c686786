"""Resets in an audit: the state behind each is what its map makes of the state before.

Only instants at which nothing but resets happens can be compared: an impact before or behind them hides the state in
between. Contacts that are closed behind a reset are put onto their surfaces, within the accuracy of the record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jounce.simulation.audit.findings import Finding, no_findings
from jounce.simulation.audit.laws import states_before
from jounce.simulation.audit.motion import accuracy_of, carried_scales
from jounce.simulation.dense_output import states_beside_steps
from jounce.simulation.energy import model_function, scheduled_at
from jounce.simulation.events import EventKind
from jounce.simulation.forces import contact_memory

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory


def reset_findings(run: Trajectory) -> np.ndarray:
    """Resets behind which the state is not that of their map."""
    data, model = run.data, run.model
    if not model.resets or not len(data.step_t):
        return no_findings()
    before, after = states_before(run), np.vstack([data.step_coefficients[:, 0], np.r_[data.q_final, data.u_final]])
    memory_before, memory_after = states_beside_steps(data) if model.states else (np.empty((len(after), 0)),) * 2
    size = np.maximum.reduce([np.abs(before).max(axis=0), np.abs(after).max(axis=0), carried_scales(run)])
    names = (*model.coordinates, *model.velocity_units, *model.states)
    rows = []
    for r, reset in enumerate(model.resets):
        chosen = _alone(run, r)
        if not chosen.size:
            continue
        boundary, t = data.event_int[chosen, 6], data.event_float[chosen, 0]
        pressed = contact_memory(run, t, run.mode_codes_at(t, "right"), "right")
        parameters = np.hstack([scheduled_at(data, t, False), pressed, memory_before[boundary]])
        found = np.hstack([after, memory_after])[boundary]
        wanted = np.hstack([before[boundary], memory_before[boundary]])
        for name, value in reset.map.items():
            target = model_function(model, value, [*model.p, *model.memory])
            wanted[:, names.index(name)] = target(t, before[boundary], parameters)
        scale = np.append(size, np.zeros(len(model.states))) + np.abs(wanted).max(axis=0)
        limit = accuracy_of(run.options) * scale
        miss = np.abs(found - wanted)
        for row, column in np.argwhere(~(miss <= limit))[:100]:
            rows.append((t[row], -1.0, float(Finding.RESET), miss[row, column], limit[column]))
    return np.array(rows) if rows else no_findings()


def _alone(run: Trajectory, reset: int) -> NDArray[np.int64]:
    """The events that are this reset, at instants at which nothing else happens."""
    events = run.data.event_int
    count = np.bincount(events[:, 6], minlength=len(run.data.step_t) + 1)
    is_this = (events[:, 0] == EventKind.RESET) & (events[:, 5] == reset)
    return np.flatnonzero(is_this & (count[events[:, 6]] == 1))
