"""Runs that follow one another as one run: an unstable orbit is followed from node to node, not in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from jounce.simulation.events import INT_COLUMNS
from jounce.simulation.trajectory import Trajectory


def joined(runs: Sequence[Trajectory]) -> Trajectory:
    """One run of many, each begun where the one before ended, up to rounding; times follow those of the first."""
    if len(runs) == 1:
        return runs[0]
    shifts: list[float] = []
    steps, end = [0], runs[0].t_start
    for run in runs:
        shifts.append(end - run.t_start)
        steps.append(steps[-1] + len(run.data.step_t))
        end += run.t_end - run.t_start
    data = [run.data for run in runs]
    numbers = [d.event_int.copy() for d in data]
    floats = [d.event_float.copy() for d in data]
    for rows, values, shift, count in zip(numbers, floats, shifts, steps[:-1], strict=True):
        rows[:, INT_COLUMNS.index("step")] += count
        values[:, 0] += shift
    last = data[-1]
    return Trajectory(
        replace(
            data[0],
            t_end_reached=end,
            q_final=last.q_final,
            u_final=last.u_final,
            mode_final=last.mode_final,
            order_final=last.order_final,
            sides_final=last.sides_final,
            faces_final=last.faces_final,
            scales=last.scales,
            status=last.status,
            memory_final=last.memory_final,
            total_reset_work=sum(d.total_reset_work for d in data),
            step_states=np.concatenate([d.step_states for d in data]),
            total_impact_loss=np.sum([d.total_impact_loss for d in data], axis=0),
            step_t=np.concatenate([d.step_t + shift for d, shift in zip(data, shifts, strict=True)]),
            step_h=np.concatenate([d.step_h for d in data]),
            step_mode=np.concatenate([d.step_mode for d in data]),
            step_order=np.concatenate([d.step_order for d in data]),
            step_coefficients=np.concatenate([d.step_coefficients for d in data]),
            step_work=np.concatenate([*(d.step_work[:-1] for d in data[:-1]), last.step_work]),
            event_int=np.concatenate(numbers),
            event_float=np.concatenate(floats),
            wall_time=sum(d.wall_time for d in data),
        )
    )
