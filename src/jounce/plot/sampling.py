"""Samples of a run for drawing: dense enough, both sides of every jump, a gap in the line between them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jounce.errors import OptionError

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory

Floats = NDArray[np.float64]

#: A picture shows no more than this.
SAMPLES = 4000
#: A variable that changes by more than this part of its largest value at an event jumps there.
VISIBLE_JUMP = 1e-9


def sample(
    run: Trajectory,
    samples: int = SAMPLES,
    span: tuple[float, float] | None = None,
    most_jumps: int | None = None,
    discrete: bool = False,
) -> tuple[Floats, Floats]:
    """Times [K] and states [K, 2n], with a row of NaN at every jump of the velocities, so that lines break there.

    span        from when to when; default: the whole run
    most_jumps  where there are more in the span they lie closer than pixels, and only the grid is taken
    discrete    whether the discrete states are further columns, and their changes jumps
    """
    first, last = (run.t_start, run.t_end) if span is None else span
    grid = np.linspace(first, last, samples)
    values = run.all_states if discrete else run.states
    jumps = _jumps(run, values)
    jumps = jumps[(jumps >= first) & (jumps <= last)]
    if most_jumps is not None and len(jumps) > most_jumps:
        return grid, values(grid)
    left, right = values(jumps, side="left"), values(jumps, side="right")
    times = np.concatenate([grid, jumps, jumps, jumps])
    states = np.vstack([values(grid), left, np.full_like(left, np.nan), right])
    # At one time: left side, break, right side. A grid point on a jump is its right side.
    order = np.repeat([3, 0, 1, 2], [len(grid), len(jumps), len(jumps), len(jumps)])
    sequence = np.lexsort((order, times))
    return times[sequence], states[sequence]


def jump_times(run: Trajectory) -> Floats:
    """The times inside the run at which the two sides differ."""
    return _jumps(run, run.states)


def _jumps(run: Trajectory, values: Callable[..., Floats]) -> Floats:
    times = np.unique(run.data.event_float[:, 0])
    times = times[(times > run.t_start) & (times <= run.t_end)]
    if len(times) == 0:
        return times
    left, right = values(times, side="left"), values(times, side="right")
    sizes = np.maximum(np.abs(left), np.abs(right)).max(axis=0)  # of each variable in its own unit
    return times[(np.abs(right - left) > VISIBLE_JUMP * sizes).any(axis=1)]


def columns(run: Trajectory, names: list[str]) -> list[int]:
    """The columns of the state that belong to the names."""
    valid = list(run.variables())
    unknown = [name for name in names if name not in valid]
    if unknown:
        raise OptionError(f"{run.model.name} has no variable {unknown[0]!r}; it has: {', '.join(valid)}")
    return [valid.index(name) for name in names]
