"""What happens at the very start of a run is in its ledger."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from tests.engine.support import ready_made


@pytest.mark.parametrize("amplitude", [0.0, 0.02])
def test_impact_at_the_start(amplitude):
    """A ball that starts on its table, on the way down; the table moves up or not."""
    system = ready_made("ball_on_table")
    run = jounce.simulate(system, system.state(y=0.0, d_y=-5.0), 1.0, e=0.5, A=amplitude, omega=20.0)
    first = run.events.iloc[0]
    assert (first["t"], first["kind"]) == (0.0, "impact")
    ledger = run.energy
    assert ledger.time.values[:2].tolist() == [0.0, 0.0]
    assert ledger.jump.values[:2].tolist() == [0, 1]
    assert float(ledger.kinetic[0]) == pytest.approx(12.5 * float(ledger.kinetic[1]) / (run.at(0.0)["d_y"] ** 2 / 2))
    assert float(ledger.impact_loss[0]) == 0.0
    assert float(ledger.impact_loss[1]) == first["energy_loss"]
    assert float(ledger.surface_work[0]) == pytest.approx(0.0, abs=1e-13)
    assert abs(ledger.residual.values).max() < 1e-12


def test_impacts_at_the_start_of_random_rods():
    """Rods that start with an end on the floor and driven into it, with friction: chatter and paradox included."""
    system = ready_made("slender_rod")
    rng = np.random.default_rng(2)
    for _ in range(40):
        theta = rng.uniform(-1.2, 1.2)
        y = abs(np.sin(theta))
        speeds = {"d_x": rng.uniform(-3, 3), "d_y": rng.uniform(-3, -1), "d_theta": rng.uniform(-1, 1)}
        start = system.state(y=y, theta=theta, **speeds)
        run = jounce.simulate(system, start, 0.5, A=0.0, mu=rng.uniform(0, 0.5), e=rng.uniform(0, 0.9))
        assert run.events.t.iloc[0] == 0.0
        assert abs(run.energy.residual.values).max() < 1e-8
