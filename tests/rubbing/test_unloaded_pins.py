"""Pins whose load all but vanishes: |nu| has a branch point next to the motion, which no estimate of errors sees."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from tests.families.family import Family, compiled
from tests.families.rubbing import FAMILIES

CRANK: Family = next(family for family in FAMILIES if family.name == "rubbing_crank")


@pytest.mark.parametrize(("seed", "t_end"), [(101500073, 0.5), (111500129, 3.8)])
def test_a_crank_whose_pins_lose_their_load(seed: int, t_end: float) -> None:
    """Its force turns within a step; that step was off by 200 times the tolerance. Against a tolerance of 1e-13."""
    draw = CRANK.sample(seed)
    tolerance = draw.options["tolerance"]
    runs = [
        jounce.simulate(
            compiled(CRANK), draw.start, t_end, options=jounce.Options(**draw.options | {"tolerance": asked}),
            **draw.parameters,
        )
        for asked in (tolerance, 1e-13)
    ]  # fmt: skip
    found, exact = (run.final for run in runs)
    speeds = np.abs(runs[0].data.step_coefficients[:, 0, 6:]).max()
    assert np.abs(found.u - exact.u).max() < 60 * tolerance * speeds
    assert runs[0].audit("dense").empty
