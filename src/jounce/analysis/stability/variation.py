"""The linearised flow: how a motion answers to small changes of its start and of a parameter.

Between events perturbations obey the variational equations, at an impact, lift-off, stick, slip, reversal and at the
end of a chatter they are glued by the saltation matrix (kernels/tangent/saltation.py). In contact they are
confined to what the constraints allow, so a start in stick gives a matrix of lower rank: its missing
multipliers are zero.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from jounce.analysis.stability.budget import step_budget
from jounce.analysis.variables import variables_of
from jounce.errors import SimulationError, suggestion
from jounce.kernels.contact.project_state import project_state
from jounce.kernels.tangent.linearise import linearise as linearise_mode
from jounce.kernels.tangent.linearise import mode_rate
from jounce.simulation.driver import Driver
from jounce.simulation.modes import codes_of
from jounce.simulation.options import Options, Recording
from jounce.simulation.records import RunRecords, borrow_variation, return_variation
from jounce.simulation.roster import look_at_closed
from jounce.simulation.run_start import model_records
from jounce.simulation.trajectory import Trajectory
from jounce.system.checks import check_start
from jounce.system.inputs import beside_parameters
from jounce.system.state import State
from jounce.system.system import System

ENDED_WELL = ("FINISHED", "AT_REST")


@dataclass(frozen=True, eq=False)
class Variation:
    """A run with its derivatives; z = [q, u] and behind them the discrete states that take real values.

    run               the run itself
    matrix            d z(t0 + T) / d z(t0), [2n, 2n] and wider where there are such states
    parameter_column  d z(t0 + T) / d parameter at fixed t0, z(t0) and T, or None
    rate_start        z' at the start, in the mode in which it starts
    rate_end          z' at the end, in the mode in which it ends
    irregular         events at which the motion has no derivative (grazing, the edge of an impact law's region)
    remembered        contacts whose memory of their touch is part of z
    """

    run: Trajectory
    matrix: np.ndarray
    parameter_column: np.ndarray | None
    rate_start: np.ndarray
    rate_end: np.ndarray
    modes_start: np.ndarray
    modes_end: np.ndarray
    irregular: int
    remembered: tuple[int, ...] = ()

    @property
    def final(self) -> State:
        """The state at the end."""
        return self.run.final

    @property
    def final_vector(self) -> np.ndarray:
        """The same as z."""
        return variables_of(self.run.system, self.run.final, self.remembered)


@beside_parameters
def flow(
    system: System,
    start: State,
    duration: float,
    *,
    parameter: str | None = None,
    options: Options | None = None,
    most_steps: int | None = None,
    **parameters: float | str,
) -> Variation:
    """Follow the motion from ``start`` for ``duration`` together with its derivatives by the start and a parameter.

    most_steps   a SimulationError where the run takes more steps than this
    """
    p = system.parameters(**parameters)
    if not (np.isfinite(duration) and duration > 0.0):
        raise SimulationError(f"duration is {duration}; it must be a finite positive time")
    if parameter is not None and parameter not in system.parameter_names:
        raise SimulationError(f"unknown parameter {parameter!r}; {suggestion(parameter, system.parameter_names)}")
    return follow(system, start, duration, p, parameter, options or Options(), most_steps)


def follow(
    system: System,
    start: State,
    duration: float,
    p: np.ndarray,
    parameter: str | None,
    options: Options,
    most_steps: int | None,
    remembered: tuple[int, ...] = (),
) -> Variation:
    """``flow`` of a checked duration and parameter, the parameters as a vector."""
    recorded = options if options.record is Recording.ALL else replace(options, record="all")
    driver = Driver(system, start, start.t + duration, p, recorded)
    if not driver.start_is_sound():
        check_start(system, start, p)
    nz = system.width + len(remembered)
    driver.carry(np.eye(nz), None if parameter is None else system.parameter_names.index(parameter), remembered)
    run = driver.run(None if most_steps is None else step_budget(driver, most_steps))
    if run.status.name not in ENDED_WELL:
        raise SimulationError(f"the motion cannot be followed for {duration:g} s: {run.status.message}")
    columns, irregular = driver.columns, driver.irregular
    driver.release()
    ends = (run.data.step_mode[0], run.data.mode_final)
    modes_start, modes_end = (np.array(codes_of(int(code), system.nc), dtype=np.int64) for code in ends)
    return Variation(
        run=run,
        matrix=columns[:, :nz],
        parameter_column=columns[:, nz] if parameter is not None else None,
        rate_start=_widened(rate(system, _as_begun(run, start), modes_start, p), nz),
        rate_end=_widened(rate(system, run.final, modes_end, p), nz),
        modes_start=modes_start,
        modes_end=modes_end,
        irregular=irregular,
        remembered=remembered,
    )


def _as_begun(run: Trajectory, start: State) -> State:
    """The start with what the run took its compliant contacts for."""
    if not run.model.memory:
        return start
    return start.with_memory(run.at([run.t_start])[0].memory, run.system.state_names)


@dataclass(frozen=True, eq=False)
class Linearisation:
    """A mode at one state: z' = f(t, z, p), its derivatives, its forces and theirs.

    rate, forces                f [2n] and (lambda_N, lambda_T) [nc, 2]
    by_state, by_time           df/dz [2n, 2n], df/dt [2n]
    by_parameter                df/dp [2n] or None
    forces_by_state, ...        the same for the forces, [nc, 2, ...]
    """

    rate: np.ndarray
    forces: np.ndarray
    by_state: np.ndarray
    by_time: np.ndarray
    by_parameter: np.ndarray | None
    forces_by_state: np.ndarray
    forces_by_time: np.ndarray
    forces_by_parameter: np.ndarray | None


def linearise(
    system: System, state: State, modes: np.ndarray, p: np.ndarray, parameter: str | None = None
) -> Linearisation:
    """The vector field of a mode (codes by contact), its forces and their derivatives at a state."""
    n, nc = system.n, system.nc
    variation = borrow_variation(system)
    count = 2 * n + 1 + (parameter is not None)
    directions = np.zeros((count, 2 * n + 2))
    directions[0, 0] = 1.0
    directions[1 : 2 * n + 1, 1 : 2 * n + 1] = np.eye(2 * n)
    if parameter is not None:
        variation.v.parameter = system.parameter_names.index(parameter)
        directions[-1, -1] = 1.0
    value, z = np.zeros(n), np.concatenate([state.q, state.u])
    with _mode_records(system, state, modes, p) as (records, contacts, chosen):
        out, pressed = np.zeros((count, n + 2 * len(contacts))), np.zeros(max(2 * len(contacts), 1))
        linearise_mode(records.m, records.w, variation.v, state.t, z, chosen, directions, out, value, pressed)
    return_variation(variation)
    force, forces = np.zeros((nc, 2)), np.zeros((count, nc, 2))
    force[contacts] = pressed[: 2 * len(contacts)].reshape(-1, 2)
    forces[:, contacts] = out[:, n:].reshape(count, -1, 2)
    velocity = directions[:, 1 + n : 1 + 2 * n]
    field = np.hstack([velocity, out[:, :n]])
    last = parameter is not None
    return Linearisation(
        rate=np.concatenate([state.u, value]),
        forces=force,
        by_state=field[1 : 2 * n + 1].T,
        by_time=field[0],
        by_parameter=field[-1] if last else None,
        forces_by_state=np.moveaxis(forces[1 : 2 * n + 1], 0, -1),
        forces_by_time=forces[0],
        forces_by_parameter=forces[-1] if last else None,
    )


def rate(system: System, state: State, modes: np.ndarray, p: np.ndarray) -> np.ndarray:
    """z' = (u, u') of a mode."""
    value = np.zeros(system.n)
    with _mode_records(system, state, modes, p) as (records, _, chosen):
        mode_rate(records.m, records.w, state.t, np.concatenate([state.q, state.u]), chosen, value)
    return np.concatenate([state.u, value])


def _widened(rates: np.ndarray, width: int) -> np.ndarray:
    """The rates of all variables: those behind q and u have none."""
    return np.append(rates, np.zeros(width - len(rates)))


def onto_constraints(system: System, state: State, modes: np.ndarray, p: np.ndarray) -> State:
    """The state moved onto the constraints of a mode: joints, closed gaps, sticking slips."""
    q, u = np.array(state.q, dtype=np.float64), np.array(state.u, dtype=np.float64)
    with _mode_records(system, state, modes, p) as (records, _, chosen):
        project_state(records.m, records.w, state.t, q, u, chosen)
    return State(state.t, q, u, system.coordinate_names).with_memory(state.memory, state.states)


@contextmanager
def _mode_records(
    system: System, state: State, modes: np.ndarray, p: np.ndarray
) -> Iterator[tuple[RunRecords, np.ndarray, np.ndarray]]:
    """Records that know the model at a mode, the contacts that they look at, and the codes of these."""
    with model_records(system, system.vector(p, state)) as records:
        roster, contacts = look_at_closed(system, records, modes)
        yield records, contacts, _padded(np.asarray(modes)[contacts])
        del roster  # the records have its address as long as they are used


def _padded(modes: np.ndarray) -> np.ndarray:
    """Codes as the kernels want them; at least one entry, so that there is an address."""
    codes = np.zeros(max(len(modes), 1), dtype=np.int64)
    codes[: len(modes)] = modes
    return codes
