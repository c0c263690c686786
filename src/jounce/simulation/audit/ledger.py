"""The ledger of energy in an audit: it closes, and friction only takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.kernels.records.tolerances import MASSLESS, RATE_ROUNDING, VELOCITY_NOISE
from jounce.simulation.audit.findings import Finding, no_findings
from jounce.simulation.audit.motion import accuracy_of, carried_scales
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
    the kinetic energy, also that of the run which this one continues. Of a machine at rest nothing moves: there
    rounding is left, of the accounts themselves and of the work of its forces.
    """
    if not run.options.ledger:
        return no_findings()
    ledger = ledger_columns(run.data, run.system)
    turned = sum(np.abs(np.diff(ledger[name], prepend=ledger[name][0])) for name in _ACCOUNTS)
    ends = run.data.event_float[run.data.event_int[:, 0] == EventKind.CHATTER, 0]
    in_chatter = np.where(np.isin(ledger["time"], ends), turned, 0.0)
    carried, without_mass = _kinetic_sizes(run)
    size = np.cumsum(turned) + np.maximum(np.maximum.accumulate(np.abs(ledger["kinetic"])), carried)
    books = np.maximum.accumulate(sum(np.abs(ledger[name]) for name in _ACCOUNTS)) + _work_of_forces(run)
    limit = accuracy_of(run.options) * size + CHATTER_SHARE * np.cumsum(in_chatter) + ROUNDING * books
    limit = limit + without_mass + _least_energy(run)
    limit = limit + _power_of_rounding(run) * (ledger["time"] - ledger["time"][0])
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


def _kinetic_sizes(run: Trajectory) -> tuple[float, float]:
    """The kinetic energy of the speeds before the start; what stands for that of internal states, which have none.

    The latter is u.M.u/2 and the work of their rates, with the number in place of a mass (model/internal_states.py).
    """
    data, n = run.data, run.system.n
    diagonal = _mass_diagonal(run)
    internal = diagonal <= MASSLESS
    largest = np.maximum(np.abs(data.step_coefficients[:, 0, n:]).max(axis=0, initial=0.0), np.abs(data.u_final))
    carried = 0.5 * float((diagonal * carried_scales(run)[n:] ** 2)[~internal].sum())
    return carried, float((diagonal * largest**2)[internal].sum())


def _least_energy(run: Trajectory) -> float:
    """sum_j M_jj v_j^2, v_j = tolerance V_j + eps X_j/T: of velocities of this size nothing is known.

    Steps are asked for errors of tolerance times the scales V of the run, and none moves a coordinate of the size X in
    the time T of the run by less than its rounding. Where motion begins or has ended the kinetic energy is less.
    """
    data, n = run.data, run.system.n
    duration = data.t_end_reached - data.t_start
    if not data.scales.size or not duration > 0.0:
        return 0.0
    diagonal = _mass_diagonal(run)
    speeds = run.options.tolerance * data.scales[n : 2 * n] + np.finfo(float).eps * data.scales[:n] / duration
    energy = float((diagonal * speeds**2)[diagonal > MASSLESS].sum())
    return max(energy, np.finfo(float).tiny) if np.isfinite(energy) else 0.0


def _mass_diagonal(run: Trajectory) -> np.ndarray:
    """The diagonal of M at the start."""
    data, system, n = run.data, run.system, run.system.n
    mass = values_of(system.functions.dynamics, n * n + n, data.t_start, data.q_start, data.u_start, data.parameters)
    return np.asarray(np.abs(mass[: n * n].reshape(n, n).diagonal()))


def _power_of_rounding(run: Trajectory) -> float:
    """What the forces do on velocities of contacts that are rounding of their terms.

    Slip velocities of a surface that has hardly begun to move: friction acts along either side of such a velocity, or
    sticks, and no mode can be told from another. Normal velocities of bodies that contacts hold in balance: their
    accelerations are the rounding of forces that cancel, and what these do on them is in no account.
    """
    data, system = run.data, run.system
    n, nc = system.n, system.nc
    sizes = data.scales[2 * n + nc + system.nj + system.ng : 2 * n + 2 * nc + system.nj + system.ng]
    if not sizes.size:
        return 0.0
    values = values_of(system.functions.dynamics, n * n + n, data.t_start, data.q_start, data.u_start, data.parameters)
    speeds = data.scales[-2 * nc :: 2]  # normal ones, the largest so far
    velocity = VELOCITY_NOISE * float(sizes.sum()) + RATE_ROUNDING * float(speeds.max(initial=0.0))
    power = float(np.abs(values[n * n :]).sum()) * velocity
    return power if np.isfinite(power) else 0.0


def _work_of_forces(run: Trajectory) -> float:
    """sum_j |h_j q_j| at both ends of the run: what its forces do where coordinates of this size are rounded."""
    data, system, n = run.data, run.system, run.system.n
    ends = ((data.t_start, data.q_start, data.u_start), (data.t_end_reached, data.q_final, data.u_final))
    work = 0.0
    for t, q, u in ends:
        h = values_of(system.functions.dynamics, n * n + n, t, q, u, data.parameters)[n * n :]
        work = max(work, float(np.abs(h * q).sum()))
    return work if np.isfinite(work) else 0.0
