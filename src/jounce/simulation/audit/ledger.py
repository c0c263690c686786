"""The ledger of energy in an audit: it closes, and friction only takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.simulation.audit.findings import Finding, no_findings
from jounce.simulation.audit.motion import accuracy_of
from jounce.simulation.energy import ledger_columns
from jounce.simulation.events import EventKind

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory

#: Accounts whose changes are the energy that a run exchanges.
_ACCOUNTS = (
    "kinetic",
    "potential",
    "elastic",
    "impact_loss",
    "friction_loss",
    "applied_work",
    "surface_work",
    "contact_loss",
    "reset_work",
)


#: A chatter is summed over accelerations that change by up to this share; its books close to as much of what it turns.
CHATTER_SHARE = 0.1


def ledger_findings(run: Trajectory) -> np.ndarray:
    """Where the residual exceeds what the accuracy of the record explains, and where friction gives energy.

    Errors of steps add up: the residual is measured against all energy that has moved between the accounts so far, and
    the energies themselves.
    """
    if not run.options.ledger:
        return no_findings()
    ledger = ledger_columns(run.data, run.model)
    turned = sum(np.abs(np.diff(ledger[name], prepend=ledger[name][0])) for name in _ACCOUNTS)
    ends = run.data.event_float[run.data.event_int[:, 0] == EventKind.CHATTER, 0]
    in_chatter = np.where(np.isin(ledger["time"], ends), turned, 0.0)
    size = np.cumsum(turned) + np.maximum.accumulate(np.abs(ledger["kinetic"]))
    limit = accuracy_of(run.options) * size + CHATTER_SHARE * np.cumsum(in_chatter)
    rows = []
    residual = np.abs(ledger["residual"])
    open_at = np.flatnonzero(~(residual <= limit))
    if open_at.size:
        rows.append(
            (ledger["time"][open_at[0]], -1.0, float(Finding.LEDGER), residual[open_at].max(), limit[open_at[0]])
        )
    given = -np.diff(ledger["friction_loss"])
    falls = np.flatnonzero(given > limit[1:])
    rows += [(ledger["time"][k + 1], -1.0, float(Finding.FRICTION_GIVES), given[k], limit[k + 1]) for k in falls[:100]]
    return np.array(rows) if rows else no_findings()
