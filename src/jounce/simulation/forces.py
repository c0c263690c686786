"""Contact and joint forces of a run at given times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from jounce.errors import SimulationError
from jounce.kernels.contact.sample_forces import project_samples, sample_forces
from jounce.kernels.records.workspace import WORKSPACE
from jounce.simulation.dense_output import states_on_steps
from jounce.simulation.events import EventKind
from jounce.simulation.modes import Mode
from jounce.simulation.options import ConstraintStabilisation
from jounce.simulation.roster import Roster, by_closed
from jounce.simulation.run_start import machine_record

if TYPE_CHECKING:
    import xarray as xr

    from jounce.simulation.trajectory import Side, Trajectory


def contact_forces(run: Trajectory, times: ArrayLike) -> xr.Dataset:
    """lambda_N >= 0 and lambda_T of every contact, nu of every joint, from the state and the mode at each time.

    Forces between impacts; the impulses of impacts are in ``run.events``. Dimensions (time, contact) and (time, joint).
    """
    import xarray as xr

    system = run.system
    instants, out = _sampled(run, times)
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


def joint_forces(run: Trajectory, times: ArrayLike | None = None) -> xr.Dataset:
    """nu of every joint equation by its name, e.g. ``forces["crank_pin.x"]``, with unit and meaning as attributes.

    The force acts on the joint's second body and its opposite on the first; of a Driver it is the torque or the force
    that the motor gives (see ``jounce.model.bodies.joints``). Forces between impacts: an impact's share of a joint
    is an impulse. times: by default a thousand over the run and the beginning of every step.
    """
    import xarray as xr

    from jounce.model.bodies.joints import force_direction

    system = run.system
    if not system.nj:
        raise SimulationError(
            f"{run.model.name} has no joints; the forces of its contacts are run.contact_forces(times)"
        )
    instants, out = _sampled(run, _default_times(run) if times is None else times)
    variables = {}
    for k, name in enumerate(system.joint_names):
        unit, meaning = force_direction(name)
        variables[name] = ("time", out[:, 2 * system.nc + k], {"units": unit, "long_name": f"{name}: {meaning}"})
    return xr.Dataset(variables, {"time": ("time", instants, {"units": "s"})}, attrs=run.attributes())


def _default_times(run: Trajectory) -> np.ndarray:
    return np.unique(np.concatenate((run.data.step_t, np.linspace(run.t_start, run.t_end, 1000))))


def put_on_joints(run: Trajectory, times: np.ndarray, side: Side, z: np.ndarray) -> None:
    """Project states between steps onto joints and closed contacts, in place; Baumgarte's drift is left as it is."""
    if run.options.constraint_stabilisation is ConstraintStabilisation.BAUMGARTE:
        return
    n = run.system.n
    q, u = np.ascontiguousarray(z[:, :n]), np.ascontiguousarray(z[:, n:])
    modes, parameters = _in_force(run, times, side)
    for part, _, records, looked_at in _parts(run, modes):
        project_samples.from_python(*records, times[part], q[part], u[part], looked_at, parameters[part])
    z[:, :n], z[:, n:] = q, u


def normal_forces(run: Trajectory, times: np.ndarray, contact: str) -> np.ndarray:
    """lambda_N of one contact at the given times, left of events."""
    return _sampled(run, times, "left")[1][:, 2 * run.contacts.index(contact)]


def _sampled(run: Trajectory, times: ArrayLike, side: Side = "right") -> tuple[np.ndarray, np.ndarray]:
    """The times, and per time lambda_N and lambda_T of every contact, then nu of every joint."""
    system, n = run.system, run.system.n
    instants = np.atleast_1d(np.array(times, dtype=np.float64))
    z = run.states(instants, side)
    q, u = np.ascontiguousarray(z[:, :n]), np.ascontiguousarray(z[:, n:])
    out = np.zeros((instants.size, 2 * system.nc + system.nj))
    modes, parameters = _in_force(run, instants, side)
    for part, contacts, records, looked_at in _parts(run, modes):
        values = np.zeros((part.stop - part.start, 2 * len(contacts) + system.nj))
        sample_forces.from_python(*records, instants[part], q[part], u[part], looked_at, parameters[part], values)
        of_contacts = np.stack([2 * contacts, 2 * contacts + 1], axis=1).ravel()
        out[part, of_contacts], out[part, 2 * system.nc :] = np.split(values, [2 * len(contacts)], axis=1)
    return instants, out


def _parts(
    run: Trajectory, modes: np.ndarray
) -> Iterator[tuple[slice, np.ndarray, tuple[np.ndarray, np.ndarray], np.ndarray]]:
    """Instants and the contacts looked at there, the records of the kernels, the modes of these contacts."""
    system, data = run.system, run.data
    for part, contacts in by_closed(system, modes):
        machine, roster = machine_record(system, data.parameters, data.options), None
        if len(contacts) < system.nc:
            roster = Roster(system, data.options)
            roster.look_at(machine, contacts)
        looked_at = np.zeros((part.stop - part.start, max(len(contacts), 1)), dtype=np.int64)
        looked_at[:, : len(contacts)] = modes[part][:, contacts]
        yield part, contacts, (machine, np.zeros(1, WORKSPACE)), looked_at


def _in_force(run: Trajectory, instants: np.ndarray, side: Side) -> tuple[np.ndarray, np.ndarray]:
    """The modes and parameters in force at each time."""
    system, data = run.system, run.data
    modes = np.zeros((instants.size, max(system.nc, 1)), dtype=np.int64)
    modes[:, : system.nc] = run.mode_codes_at(instants, side)
    history = data.schedule or [(data.t_start, data.parameters)]
    starts = np.array([t for t, _ in history])
    in_force = np.clip(np.searchsorted(starts, instants, side=side) - 1, 0, None)
    parameters = np.hstack([np.array([p for _, p in history])[in_force], memory_at(run, instants, modes, side)])
    return modes, np.ascontiguousarray(parameters)


def memory_at(run: Trajectory, instants: np.ndarray, modes: np.ndarray, side: Side) -> np.ndarray:
    """What the engine remembered at each time: of compliant contacts, then the discrete states."""
    return np.hstack([contact_memory(run, instants, modes, side), states_on_steps(run.data, instants, side == "right")])


def contact_memory(run: Trajectory, instants: np.ndarray, modes: np.ndarray, side: Side) -> np.ndarray:
    """What the engine remembered of compliant contacts at each time: the flag "pressed" and 1/v of the last touch."""
    data = run.data
    kind, contact = data.event_int[:, 0], data.event_int[:, 1]
    columns: list[np.ndarray] = []
    for i, entry in enumerate(run.model.contacts):
        if entry.compliance is None:
            continue
        touches = np.flatnonzero((kind == EventKind.TOUCH) & (contact == i))
        # the approach that the law remembers (kernels/contact/compliant.py); before the start only the start knows it
        speeds = -data.event_float[touches, 2]
        known = np.nan_to_num(data.memory_start[len(columns) + 1]) if data.memory_start.size else 0.0
        inverse = np.concatenate([[known], np.divide(1.0, speeds, out=np.zeros_like(speeds), where=speeds > 0.0)])
        last = np.searchsorted(data.event_float[touches, 0], instants, side=side)
        pressed = modes[:, i] == Mode.PRESSED
        columns += [pressed.astype(float), np.where(pressed, inverse[last], 0.0)]
    return np.array(columns).T.reshape(len(instants), len(columns))
