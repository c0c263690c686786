"""What the engine hands over when a run ends: plain arrays, nothing computed from them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from jounce.simulation.options import Options
    from jounce.simulation.status import Status
    from jounce.system.system import System

#: Columns of RunData.step_work, in order.
WORK_COLUMNS = ("applied_work", "friction_loss", "surface_work", "contact_loss")


def _no_steps() -> np.ndarray:
    return np.empty(0)


@dataclass(frozen=True, eq=False)
class RunData:
    """The raw record of one run, n coordinates, nc contacts, S accepted steps, E events.

    A step starts at step_t[k] and holds until the next one starts. Inside it, with x = (t - step_t[k]) / step_h[k],

        z(x) = z0 + x (F1 + (1-x) (F2 + x (F3 + (1-x) (F4 + ...)))),    z = [q, u],

    where step_coefficients[k] = [z0, F1, ..., Fm]. ``record="events"`` leaves the step arrays empty,
    ``record="nothing"`` the events too; the states at both ends and the totals are always there.
    """

    system: System | None  # None after loading from a file, until it is needed
    parameters: np.ndarray  # [np] in force at the start
    t_start: float
    q_start: np.ndarray  # [n]
    u_start: np.ndarray  # [n]
    t_end_reached: float
    q_final: np.ndarray  # [n]
    u_final: np.ndarray  # [n]
    mode_final: int
    total_impact_loss: np.ndarray  # [nc] energy lost in impacts, by contact, over the whole run
    status: Status
    options: Options
    record: str = "all"  # "all" | "events" | "nothing"
    schedule: list[tuple[float, np.ndarray]] = field(default_factory=list)  # (t, parameters in force from t on)
    step_t: np.ndarray = field(default_factory=_no_steps)  # [S]
    step_h: np.ndarray = field(default_factory=_no_steps)  # [S]
    step_mode: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # [S] encoded system mode
    step_coefficients: np.ndarray = field(default_factory=lambda: np.empty((0, 1, 0)))  # [S, 1+m, 2n]
    step_work: np.ndarray = field(default_factory=lambda: np.zeros((1, 4)))  # [S+1, 4] cumulative; last row: the end
    event_float: np.ndarray = field(default_factory=lambda: np.empty((0, 8)))  # [E, 8] see events.FLOAT_COLUMNS
    event_int: np.ndarray = field(default_factory=lambda: np.empty((0, 8), dtype=np.int64))  # [E, 8] INT_COLUMNS
    wall_time: float = 0.0  # seconds spent in the engine
    # [2 per compliant contact, then the discrete states] see State; [0]: not known
    memory_start: np.ndarray = field(default_factory=_no_steps)
    memory_final: np.ndarray = field(default_factory=_no_steps)
    # how guards begin, encoded like modes (kernels/contact/orders.py); -1: not known
    mode_start: int = -1  # as the start brought it
    order_start: int = -1
    order_final: int = -1
    sides_final: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # of guards: see State
    # [nc] the face on which each contact of a sharp corner is held, 0: none (kernels/contact/faces.py); [0]: not known
    faces_start: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # as the start brought it
    faces_final: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    step_order: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64))  # [S]; [0]: not known
    # discrete states on each step, and the energy that resets have given over the whole run
    step_states: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))  # [S, number of discrete states]
    total_reset_work: float = 0.0
    modes_dropped: str = ""  # why the modes of the start were not believed
    contact_speed: np.ndarray = field(default_factory=_no_steps)  # [nc] scales of normal velocities; [0]: not known
    chatter_speed: np.ndarray = field(default_factory=_no_steps)  # [nc]; [0]: not known
    scales: np.ndarray = field(default_factory=_no_steps)  # how large things have been: see State; [0]: not known
    scales_start: np.ndarray = field(default_factory=_no_steps)  # [2n] of q and u, with which the run began; [0]: none
