"""Which contacts a picture shows: of many only those that touch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.simulation.modes import Mode, mode_codes

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory

#: So many contacts are all shown.
FEW = 12


def shown_contacts(run: Trajectory) -> tuple[str, ...]:
    """The names of all contacts of a run; of more than a few, of those that close, collide or chatter."""
    if len(run.contacts) <= FEW:
        return tuple(run.contacts)
    closed = (mode_codes(run.data.step_mode, len(run.contacts)) != int(Mode.OPEN)).any(axis=0)
    met = np.isin(np.arange(len(run.contacts)), run.data.event_int[:, 1])
    return tuple(name for name, touches in zip(run.contacts, closed | met, strict=True) if touches)
