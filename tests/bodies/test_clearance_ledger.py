"""The quick-return mechanism with rigid clearance in four pins: every joule of its coupled impacts, chatters, rests."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from mpmath import mp, mpf

import jounce
from jounce.simulation.energy import model_function
from tests.engine.support import exchanged_energy

CLOSED = 1e-8
BODIES = ("crank", "lever", "block", "rod", "slider")
CASES = (
    (True, 0.8, {}),
    (True, 0.5, {"omega": 6.0}),
    (False, 0.45, {}),
    (False, 0.8, {"mu": 0.1, "e": 0.6}),
)


@cache
def system(minimal: bool) -> jounce.System:
    return jounce.compile_model(jounce.systems.quick_return("rigid", minimal=minimal))


@cache
def run(case: int) -> jounce.Trajectory:
    minimal, t_end, given = CASES[case]
    return jounce.simulate(system(minimal), system(minimal).state(), t_end, **given)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_ledger_closes(case):
    """Against all energy that moved, and against the largest of its accounts, which is a tenth of that."""
    energy = run(case).energy
    residual = float(np.abs(energy["residual"]).max())
    assert run(case).status.name == "FINISHED"
    assert len(run(case).events) > 1000
    assert residual < CLOSED * exchanged_energy(energy)
    assert residual < CLOSED * float(np.abs(energy["surface_work"]).max())


@pytest.mark.parametrize("case", range(len(CASES)))
def test_no_journal_leaves_its_bearing(case):
    """Also not while other pins chatter: gaps at the start of every step."""
    data = run(case).data
    parameters = np.broadcast_to(data.parameters, (len(data.step_t), len(data.parameters)))
    for contact in run(case).model.contacts:
        gap = model_function(run(case).model, contact.gap)(data.step_t, data.step_coefficients[:, 0], parameters)
        assert gap.min() > -1e-12


def body_energy(state: jounce.State, parameters: dict[str, float]) -> mpf:
    """m v^2/2 + J w^2/2 + m g y of every body, from the poses' velocities, in 40 digits."""
    total = mpf(0)
    for name in BODIES:
        m, J = mpf(parameters[f"m_{name}"]), mpf(parameters[f"J_{name}"])
        vx, vy, spin = (mpf(state[f"d_{name}_{axis}"]) for axis in ("x", "y", "theta"))
        total += m * (vx**2 + vy**2) / 2 + J * spin**2 / 2 + m * mpf(parameters["g"]) * mpf(state[f"{name}_y"])
    return total


@pytest.mark.parametrize("case", [2, 3])
def test_newton_and_euler_agree(case):
    """What the motor gave less what impacts and friction took is the energy of the five bodies."""
    motion = run(case)
    energy = motion.energy.isel(time=-1)
    with mp.workdps(40):
        stored = body_energy(motion.final, motion.parameters) - body_energy(motion.start, motion.parameters)
        given = mpf(float(energy["surface_work"])) + mpf(float(energy["applied_work"]))
        taken = mpf(float(energy["impact_loss"])) + mpf(float(energy["friction_loss"]))
        assert abs(stored - given + taken) < CLOSED * exchanged_energy(motion.energy)
    # the losses are the sum over all contacts as the engine counts them while it runs, rows or not
    assert float(energy["impact_loss"]) == pytest.approx(float(motion.data.total_impact_loss.sum()), rel=1e-9)
