"""Cost falls as the tolerance grows: evaluations of the model, counted, for every ready-made system."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import jounce
from tests.engine.support import ready_made
from tests.engine.test_guard_noise import effort

NAMES = sorted(jounce.systems.SYSTEMS)
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-8)
# a looser tolerance may happen to meet an event more, or resolve the first steps anew
SLACK, START = 1.1, 300


@pytest.mark.parametrize("name", NAMES)
def test_a_looser_tolerance_is_never_slower(name):
    system = ready_made(name)
    t_end = 0.3 if "return" in name else 1.0
    costs = [effort(system, t_end, tolerance)[0] for tolerance in TOLERANCES]
    for looser, sharper in pairwise(costs):
        assert looser <= SLACK * sharper + START, costs


@pytest.mark.parametrize("seed", range(4))
def test_journals_in_their_bearings_are_resolved_whatever_the_tolerance(seed):
    """They sink in by micrometres, and 1e-3 of a coordinate is half a millimetre: errors made them rattle.

    How often they touch differs from one tolerance to the next by chance, so only far ones are compared.
    """
    rng = np.random.default_rng(seed)
    values = {"omega": rng.uniform(1.0, 20.0), "R_journal": 0.01 - 10.0 ** rng.uniform(-4.0, -3.0)}
    costs = [effort(ready_made("quick_return"), 0.2, tolerance, **values)[0] for tolerance in (1e-2, 1e-3, 1e-4, 1e-8)]
    assert max(costs[:-1]) <= costs[-1], costs
