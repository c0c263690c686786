"""The examples run and give the numbers they should."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from examples.demo import simulate_rod
from examples.hopping_block import hopping_block


def test_demo_meets_the_floor_and_closes_its_ledger():
    run = simulate_rod(t_end=3.0)
    first = run.events.iloc[0]
    assert first["kind"] == "impact"
    # the end P1 falls freely until y - sin(0.3) - g t^2/2 = sin(omega t)
    t = first["t"]
    assert 6.0 - np.sin(0.3) - 9.81 * t * t / 2 == pytest.approx(np.sin(4.405 * t), abs=1e-9)
    assert np.abs(run.energy["residual"]).max() < 1e-9


def test_hopping_block_rides_until_the_floor_falls_faster_than_it():
    system = jounce.compile_model(hopping_block())
    # below A omega^2 = g the block never leaves the floor once it rests on it
    gentle = jounce.simulate(system, system.state(y=0.0, d_y=0.02 * 20.0), t_end=2.0, e=0.0)
    assert "lift_off" not in set(gentle.events["kind"])
    strong = jounce.simulate(system, system.state(y=0.0, d_y=0.05 * 20.0), t_end=0.3, A=0.05, e=0.0)
    lift_off = strong.events[strong.events["kind"] == "lift_off"].iloc[0]
    assert lift_off["t"] == pytest.approx(np.arcsin(9.81 / (0.05 * 400)) / 20.0, abs=1e-8)
