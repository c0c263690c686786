"""The first step in a mode, which begins with the length that another mode allowed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.families.check import simulate
from tests.families.rubbing import FAMILIES

DISC = next(family for family in FAMILIES if family.name == "rolling_disc")


@pytest.mark.parametrize("tolerance", [1e-7, 4.4e-9, 1e-10])
@pytest.mark.parametrize("seed", [161500207, 181500004, 181500021, 181500033])
def test_a_disc_on_a_shaken_floor_moves_with_it(seed: int, tolerance: float) -> None:
    """Height and velocity are those of the floor, inside steps too: a hundred tolerances are what a record promises.

    Behind its bounces the disc begins with the step of its flight, a third of the period.
    """
    draw = DISC.sample(seed)
    options = {**draw.options, "tolerance": tolerance, "integrator": "dop853"}
    run = simulate(DISC, replace(draw, options=options))
    A, v = draw.parameters["A"], draw.parameters["v"]
    times = np.linspace(0.0, run.t_end, 500)
    closed = [t for t in times if run.at(t).mode_names[0] != "OPEN"]
    assert closed
    for t in closed:
        state = run.at(t)
        assert state["y"] == pytest.approx(A * np.sin(v * t), abs=100 * tolerance)
        assert state["d_y"] == pytest.approx(A * v * np.cos(v * t), abs=1000 * tolerance)
