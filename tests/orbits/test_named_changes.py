"""Along random branches stability never changes without a named point in between."""

from itertools import pairwise

import pytest

import jounce
from tests.orbits import random_orbits

FOLLOWED = {"oscillator": ("d", 0.15), "belt": ("v_belt", 0.1), "wiper": ("mu", 0.05)}


@pytest.mark.parametrize("kind", FOLLOWED)
def test_every_change_of_stability_has_a_name(kind):
    """Multipliers that are neutral within their accuracy may count on either side."""
    name, range_ = FOLLOWED[kind]
    changes = 0
    for orbit in random_orbits.random_orbits(getattr(random_orbits, kind), 4, seed=2026):
        value = orbit.parameters[name]
        branch = jounce.continue_orbit(orbit, name, (value - range_, value + range_), step=0.05)
        for k, (a, b) in enumerate(pairwise(point.solution.spectrum for point in branch.points)):
            if abs(a.unstable - b.unstable) > max(a.neutral, b.neutral):
                changes += 1
                assert any(special.index == k + 1 for special in branch.specials), (orbit.parameters, k)
    assert changes > 0 or kind == "belt"  # a stick-slip cycle forgets everything: it is superstable
