"""Cost falls as the tolerance grows: evaluations of the model, counted, for every ready-made system."""

from __future__ import annotations

from itertools import pairwise

import pytest

import jounce
from tests.engine.support import ready_made
from tests.engine.test_guard_noise import effort

NAMES = sorted(jounce.systems.SYSTEMS)
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-8)
# the journals of this mechanism have 0.5 mm of clearance and sink in by micrometres: errors of 0.1 mm and more, which a
# looser tolerance allows in a step, make them rattle, which is another motion
LOOSEST = {"quick_return": 1e-5}
# a looser tolerance may happen to meet an event more, or resolve the first steps anew
SLACK, START = 1.1, 300


@pytest.mark.parametrize("name", NAMES)
def test_a_looser_tolerance_is_never_slower(name):
    system = ready_made(name)
    t_end = 0.3 if "return" in name else 1.0
    tolerances = [tolerance for tolerance in TOLERANCES if tolerance <= LOOSEST.get(name, 1.0)]
    costs = [effort(system, t_end, tolerance)[0] for tolerance in tolerances]
    for looser, sharper in pairwise(costs):
        assert looser <= SLACK * sharper + START, costs
