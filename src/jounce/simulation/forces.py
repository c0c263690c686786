"""Contact and joint forces of a run at given times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from jounce.simulation.modes import Mode

if TYPE_CHECKING:
    import xarray as xr

    from jounce.simulation.trajectory import Side, Trajectory


def contact_forces(run: Trajectory, times: ArrayLike) -> xr.Dataset:
    """lambda_N >= 0 and lambda_T of every contact, nu of every joint, from the state and the mode at each time.

    Forces between impacts; the impulses of impacts are in ``run.events``. Dimensions (time, contact) and (time, joint).
    """
    import xarray as xr

    system = run.system
    instants = np.atleast_1d(np.asarray(times, dtype=np.float64))
    out = _all_forces(run, instants, "right")
    contact = out[:, : 2 * system.nc]
    return xr.Dataset(
        {
            "lambda_N": (("time", "contact"), contact[:, 0::2], {"long_name": "normal force"}),
            "lambda_T": (("time", "contact"), contact[:, 1::2], {"long_name": "tangential force"}),
            "joint_force": (("time", "joint"), out[:, 2 * system.nc :], {"long_name": "joint force"}),
        },
        coords={"time": instants, "contact": list(system.contact_names), "joint": list(system.joint_names)},
        attrs=run.attributes(),
    )


def normal_forces(run: Trajectory, times: np.ndarray, contact: str) -> np.ndarray:
    """lambda_N of one contact at the given times, left of events."""
    return _all_forces(run, times, "left")[:, 2 * run.contacts.index(contact)]


def _all_forces(run: Trajectory, instants: np.ndarray, side: Side) -> np.ndarray:
    """Per time: lambda_N and lambda_T of every contact, then the joint forces."""
    from jounce.kernels.sample_forces import sample_forces
    from jounce.kernels.workspace import WORKSPACE
    from jounce.simulation.driver import machine_record

    system, data = run.system, run.data
    z = run.states(instants, side)
    modes = np.zeros((instants.size, max(system.nc, 1)), dtype=np.int64)
    modes[:, : system.nc] = run.mode_codes_at(instants, side)
    history = data.schedule or [(data.t_start, data.parameters)]
    starts = np.array([t for t, _ in history])
    in_force = np.clip(np.searchsorted(starts, instants, side="right") - 1, 0, None)
    parameters = np.hstack([np.array([p for _, p in history])[in_force], contact_memory(run, instants, modes, side)])
    out = np.zeros((instants.size, 2 * system.nc + system.nj))
    n = system.n
    q, u = np.ascontiguousarray(z[:, :n]), np.ascontiguousarray(z[:, n:])
    machine = machine_record(system, data.parameters, data.options)
    sample_forces(machine, np.zeros(1, WORKSPACE), instants, q, u, modes, np.ascontiguousarray(parameters), out)
    return out


def contact_memory(run: Trajectory, instants: np.ndarray, modes: np.ndarray, side: Side) -> np.ndarray:
    """What the engine remembered of compliant contacts at each time: the flag "pressed" and 1/v of the last touch."""
    from jounce.simulation.events import EventKind

    data = run.data
    kind, contact = data.event_int[:, 0], data.event_int[:, 1]
    columns = []
    for i, entry in enumerate(run.model.contacts):
        if entry.compliance is None:
            continue
        touches = np.flatnonzero((kind == EventKind.TOUCH) & (contact == i))
        # as in kernels/compliant.py; a contact that was pressed from the start has no approach
        speeds = np.maximum(-data.event_float[touches, 1], max(data.options.chatter_speed, 1e-12))
        inverse = np.concatenate([[0.0], 1.0 / speeds])
        last = np.searchsorted(data.event_float[touches, 0], instants, side=side)
        pressed = modes[:, i] == Mode.PRESSED
        columns += [pressed.astype(float), np.where(pressed, inverse[last], 0.0)]
    return np.array(columns).T.reshape(len(instants), len(columns))
