"""Motions whose energy no number can hold: nothing is said of them that is not a number."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.errors import SimulationError

y, dy = jounce.coordinate("y")


def test_a_motion_that_outgrows_double_precision_is_not_finished() -> None:
    model = jounce.Model("growth", [y], [1], [100 * y], start={y: 1.0})  # y = cosh(10 t)
    run = jounce.simulate(model, None, 30.0)
    assert run.status.ok
    assert np.log(run.final["y"]) == pytest.approx(300.0 - np.log(2.0), rel=1e-9)
    run = jounce.simulate(model, None, 60.0)  # e^600 is a number, its square is none
    assert run.status.name == "AUDIT_FAILED"
    assert "nan" not in run.status.message
    assert "rounding" not in run.status.message


@pytest.mark.parametrize("start", [{"y": 1e308}, {"d_y": -1e160}, {"y": 1e150, "d_y": 1e155}])
@pytest.mark.parametrize("run", [jounce.simulate, jounce.lyapunov], ids=lambda f: f.__name__)
def test_a_start_without_energy_is_refused(run, start) -> None:
    with pytest.raises(SimulationError, match="too large for double precision; choose units"):
        run(jounce.systems.ball_on_table(), start, 1.0)


def test_a_large_start_with_an_energy_runs() -> None:
    run = jounce.simulate(jounce.systems.ball_on_table(), {"y": 1e120, "d_y": 1e100}, 1.0)
    assert run.status.ok
    assert np.isfinite(run.energy["residual"]).all()
