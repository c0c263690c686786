"""The paper's pendulum: contact time, depth, duration and energy against quadrature; rigid as stiffness grows."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import jounce
from tests.compliant.models import largest_residual
from tests.compliant.references import elastic_pendulum


@cache
def pendulum(rigid: bool = False) -> jounce.System:
    model = jounce.systems.compliant_wall_pendulum(None) if rigid else jounce.systems.compliant_wall_pendulum()
    return jounce.compile_model(model)


@pytest.mark.parametrize("K", [1e6, 3.39e10])
def test_elastic_pendulum(K: float) -> None:
    """With the default options; the energy to 1e-9 of itself over three impacts."""
    run = jounce.simulate(pendulum(), pendulum().state(), 4.0, K=K)
    reference = elastic_pendulum(K)
    period = jounce.contact_periods(run).iloc[0]
    assert period["t_touch"] == pytest.approx(reference["touch"], abs=1e-9)
    assert period["deepest"] == pytest.approx(reference["deepest"], rel=1e-6)
    assert period["largest_force"] == pytest.approx(reference["force"], rel=1e-6)
    assert period["duration"] == pytest.approx(reference["duration"], rel=1e-6)
    assert len(jounce.contact_periods(run)) == 3
    ledger = run.energy
    total = ledger["kinetic"] + ledger["potential"] + ledger["elastic"]
    assert float(abs(total - total[0]).max()) < 1e-9 * 9.81
    assert largest_residual(run) < 1e-8


def test_it_comes_back_to_where_it_was_released() -> None:
    run = jounce.simulate(pendulum(), pendulum().state(), 2.0)
    heights = run.dataset(np.linspace(0.8, 2.0, 2001))["y"]
    assert float(heights.max()) == pytest.approx(0.0, abs=1e-6)


def test_compliant_becomes_rigid_as_stiffness_grows() -> None:
    """One argument apart. The rebound is later by the duration ~ K^(-2/5), so the error falls with that power."""
    rigid = jounce.simulate(pendulum(rigid=True), pendulum(rigid=True).state(), 1.0, e=1.0).final
    errors = []
    for K in (1e6, 1e8, 1e10):
        soft = jounce.simulate(pendulum(), pendulum().state(), 1.0, K=K).final
        errors.append(float(np.hypot(soft["x"] - rigid["x"], soft["y"] - rigid["y"])))
    orders = np.log10(np.array(errors[:-1]) / errors[1:]) / 2
    np.testing.assert_allclose(orders, 0.4, atol=0.02)
    assert errors[-1] < 1e-3


def test_asked_restitution_below_one() -> None:
    """The pendulum's blow is so short that gravity hardly matters: the closed form of a free mass holds to 1e-4."""
    run = jounce.simulate(pendulum(), pendulum().state(), 1.0, e=0.5)
    achieved = jounce.contact_periods(run)["restitution"].iloc[0]
    exact = jounce.exact_restitution(jounce.LankaraniNikravesh(1.0), 0.5)
    assert achieved == pytest.approx(exact, abs=1e-4)
    assert exact > 0.7  # far from the 0.5 asked for
