"""What joints transmit in impacts, from the impulses of the contacts.

Joints hold before and after an impact, J (u+ - u-) = 0, so with M (u+ - u-) = W_N p_N + W_T p_T + J^T P

    (J M^-1 J^T) P = -J M^-1 (W_N p_N + W_T p_T) .

Only the place enters, which an impact does not change: each row of several impacts at one time has its own share.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.errors import SimulationError
from jounce.simulation.mobility import inverse_mobility
from jounce.system.evaluation import contact_directions, contact_rows, joint_directions, joint_rows, values_of

if TYPE_CHECKING:
    import pandas as pd

    from jounce.simulation.trajectory import Trajectory


def joint_impulses(run: Trajectory) -> pd.DataFrame:
    """One row an impact, with the time, the kind, the contact and the impulse of every joint equation by its name.

    The index is the row of ``run.events``. Signs are those of ``run.joint_forces``: an impulse acts on the joint's
    second body; units are N s, for angles N m s. Of a chatter it is the sum of its blows. Where joints are redundant
    the impulses are those of least norm.
    """
    import pandas as pd

    system = run.system
    if not system.nj:
        raise SimulationError(f"{run.model.name} has no joints; the impulses of its contacts are in run.events")
    events = run.events
    hits = events[np.isfinite(events["p_n"].to_numpy(dtype=float))]
    times = hits["t"].to_numpy(dtype=float)
    states = run.states(times)
    history = run.data.schedule or [(run.data.t_start, run.data.parameters)]
    starts = np.array([t for t, _ in history])
    in_force = np.clip(np.searchsorted(starts, times, side="right") - 1, 0, None)
    rows = np.empty((len(hits), system.nj))
    for k, event in enumerate(hits.itertuples(index=False)):
        contact = run.contacts.index(event.contact)
        p_t = event.p_t if np.isfinite(event.p_t) else 0.0
        rows[k] = _impulses(run, times[k], states[k], history[in_force[k]][1], contact, event.p_n, p_t)
    table = hits[["t", "kind", "contact"]].copy()
    return pd.concat([table, pd.DataFrame(rows, index=hits.index, columns=list(system.joint_names))], axis=1)


def _impulses(
    run: Trajectory, t: float, z: np.ndarray, p: np.ndarray, contact: int, p_n: float, p_t: float
) -> np.ndarray:
    """P of every joint for the impulse (p_N, p_T) of one contact."""
    system, n = run.system, run.system.n
    q, u = np.ascontiguousarray(z[:n]), np.ascontiguousarray(z[n:])
    W_N, W_T = contact_directions(contact_rows(system, t, q, u, p)[contact])
    M = values_of(system.functions.dynamics, n * n + n, t, q, u, p)[: n * n].reshape(n, n)
    J = joint_directions(joint_rows(system, t, q, u, p))
    blow = np.linalg.solve(M, W_N * p_n + W_T * p_t)
    return -inverse_mobility(J @ np.linalg.solve(M, J.T)) @ (J @ blow)
