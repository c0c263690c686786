"""The ledger of energy in an audit: it closes, and friction only takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.simulation.audit.findings import Finding, no_findings
from jounce.simulation.audit.motion import accuracy_of
from jounce.simulation.energy import ledger_columns
from jounce.simulation.events import EventKind
from jounce.system.evaluation import values_of

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
#: Of the accounts: sums of a few terms each, every one rounded.
ROUNDING = 64.0 * np.finfo(float).eps


def ledger_findings(run: Trajectory) -> np.ndarray:
    """Where the residual exceeds what the accuracy of the record explains, and where friction gives energy.

    Errors of steps add up: the residual is measured against all energy that has moved between the accounts so far, and
    the kinetic energy. Of a machine at rest nothing moves: there rounding is left, of the accounts themselves and of
    the work of its forces.
    """
    if not run.options.ledger:
        return no_findings()
    ledger = ledger_columns(run.data, run.model)
    turned = sum(np.abs(np.diff(ledger[name], prepend=ledger[name][0])) for name in _ACCOUNTS)
    ends = run.data.event_float[run.data.event_int[:, 0] == EventKind.CHATTER, 0]
    in_chatter = np.where(np.isin(ledger["time"], ends), turned, 0.0)
    size = np.cumsum(turned) + np.maximum.accumulate(np.abs(ledger["kinetic"]))
    books = np.maximum.accumulate(sum(np.abs(ledger[name]) for name in _ACCOUNTS)) + _work_of_forces(run)
    limit = accuracy_of(run.options) * size + CHATTER_SHARE * np.cumsum(in_chatter) + ROUNDING * books
    # rows of one instant share the rounding of its jump
    limit = limit[np.searchsorted(ledger["time"], ledger["time"], side="right") - 1]
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


def _work_of_forces(run: Trajectory) -> float:
    """sum_j |h_j q_j| at both ends of the run: what its forces do where coordinates of this size are rounded."""
    data, system, n = run.data, run.system, run.system.n
    ends = ((data.t_start, data.q_start, data.u_start), (data.t_end_reached, data.q_final, data.u_final))
    work = 0.0
    for t, q, u in ends:
        h = values_of(system.functions.dynamics, n * n + n, t, q, u, data.parameters)[n * n :]
        work = max(work, float(np.abs(h * q).sum()))
    return work if np.isfinite(work) else 0.0
