"""A phase that begins and ends within the rounding of the time: nothing is left of it where it disappears."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import jounce
from jounce.analysis.orbits.solution.signature import explain_change
from jounce.simulation.trajectory import Trajectory
from tests.orbits.small_models import free_block

BEGIN = 3.39  # the block sticks there, and slips around 2 pi if F (cos t + cos 2t) comes to more than mu_s m g


def one_period(F: float) -> jounce.Trajectory:
    system = free_block()
    return jounce.simulate(system, system.state(t=BEGIN), BEGIN + 2 * math.pi, F=F, mu=0.3, mu_s=0.3)


@pytest.mark.parametrize("split", [False, True])
def test_a_slip_without_length_is_the_phase_that_is_lost(split: bool) -> None:
    """The events of a slip at one instant of a motion that sticks, with another slip at its ends or without."""
    sticks, slips = one_period(1.49), one_period(1.6)
    rows, floats = slips.data.event_int.copy(), slips.data.event_float.copy()
    assert len(rows) == 2
    base = slips if split else sticks
    at = int(np.searchsorted(base.data.step_t, 5.0))  # the boundary of a step in the stick before the other slip
    rows[:, 6], floats[:, 0] = at, base.data.step_t[at]
    if split:
        rows, floats = np.vstack([rows, base.data.event_int]), np.vstack([floats, base.data.event_float])
    short = Trajectory(replace(base.data, event_int=rows, event_float=floats))
    change = explain_change(short, base)
    assert change.name == "loss_of_slip"
    assert "its duration falls to zero" in change.explanation
