"""The audit of a motion does not depend on its units: the same record in other units has the same findings.

A record is scaled after the run, so that this is a property of the audit alone: q, u, t, work and impulses of a clean
and of spoiled runs with lengths, times and masses multiplied by factors from 1e-6 to 1e6 and by powers of two.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import jounce
from jounce.simulation.modes import Mode
from jounce.simulation.trajectory import Trajectory
from tests.audit.corruptions import block_run, dip, first_step, push, ramp, shift, with_coefficients, with_event

FACTORS = [
    (1e-6, 1.0, 1.0),
    (1e6, 1.0, 1.0),
    (1.0, 1e-6, 1.0),
    (1.0, 1e6, 1.0),
    (1.0, 1.0, 1e-6),
    (1e-6, 1e-3, 1e6),
    (1e6, 1e6, 1e-6),
    (2.0**-20, 2.0**-10, 2.0**20),
    (2.0**15, 2.0**20, 2.0**-20),
]


def scaled(run: Trajectory, length: float, time: float, mass: float) -> Trajectory:
    """The record of ``run`` in units in which lengths, times and masses are these multiples."""
    data, speed = run.data, length / time
    energy, impulse = mass * speed**2, mass * speed
    state = np.array([length, length, speed, speed])
    parameters = data.parameters * [mass, length / time**2, 1.0, 1.0, length]
    sizes = [length] + [speed] * (data.scales.size - len(state) - 1)  # of the gap; of the slip and of speeds
    return Trajectory(
        replace(
            data,
            parameters=parameters,
            schedule=[],
            t_start=data.t_start * time,
            q_start=data.q_start * length,
            u_start=data.u_start * speed,
            t_end_reached=data.t_end_reached * time,
            q_final=data.q_final * length,
            u_final=data.u_final * speed,
            total_impact_loss=data.total_impact_loss * energy,
            scales=data.scales * np.append(state, sizes),
            scales_start=data.scales_start * state,
            step_t=data.step_t * time,
            step_h=data.step_h * time,
            step_coefficients=data.step_coefficients * state,
            step_work=data.step_work * energy,
            event_float=data.event_float * [time, speed, speed, speed, speed, impulse, impulse, energy],
        ),
        run.model,
    )


SPOILED = {
    "clean": lambda run: run,
    "dip": lambda run: with_coefficients(run, 1, dip(1, 1.0)),
    "penetration": lambda run: with_coefficients(run, 0, shift(1, -1.001)),
    "friction": lambda run: with_coefficients(run, first_step(run, Mode.SLIP_POSITIVE), push(2, 0.01)),
    "impulse": lambda run: with_event(run, 5, 1.01),
    "barely": lambda run: with_coefficients(run, first_step(run, Mode.SLIP_POSITIVE), shift(1, 4e-6)),
}


@pytest.mark.parametrize("factors", FACTORS, ids=str)
@pytest.mark.parametrize("name", SPOILED)
def test_the_verdict_is_the_same_in_all_units(name: str, factors: tuple[float, float, float]) -> None:
    run = SPOILED[name](block_run())
    here, there = run.audit(), scaled(run, *factors).audit()
    assert here["what"].tolist() == there["what"].tolist()
    assert here["contact"].tolist() == there["contact"].tolist()
    np.testing.assert_allclose(there["t"], here["t"] * factors[1], rtol=1e-9)
    ratio, rest = there["amount"] / there["limit"], here["amount"] / here["limit"]
    np.testing.assert_allclose(ratio, rest, rtol=1e-2)
    if name == "clean":
        assert here.empty


def test_the_limits_tell_a_little_from_too_much() -> None:
    """A slide lifted by ten roundings of its coordinates is clean, by a millionth of its way it is not."""
    run = block_run()
    step = first_step(run, Mode.SLIP_POSITIVE)
    assert with_coefficients(run, step, shift(1, 1e-15)).audit().empty
    assert not with_coefficients(run, step, shift(1, 1e-5)).audit().empty


def test_a_run_in_small_units_audits_itself() -> None:
    system = ramp()
    run = jounce.simulate(system, system.state(y=1.0, d_x=4.0), 6.0)
    assert run.status.name == "AT_REST"
