"""Multipliers by saltation against differences of the flow, on 200 random periodic orbits."""

from __future__ import annotations

import numpy as np
import pytest

from tests.orbits.finite_difference_flow import NotSmooth, flow
from tests.orbits.random_orbits import WANTED, random_orbits

#: What the orbits of a system must show between them.
SHOWN = {
    "ball": {"impact", "chatter", "lift_off"},
    "oscillator": {"impact"},
    "belt": {"stick", "slip"},
    "wiper": {"impact", "chatter", "stick", "slip", "lift_off"},
    "rod": {"chatter", "stick", "slip", "reversal"},
    "pendulum": {"impact"},
}


def test_two_hundred_are_wanted():
    assert sum(WANTED.values()) >= 200


@pytest.mark.parametrize("kind", WANTED, ids=lambda kind: kind.__name__)
def test_monodromy_equals_differences(kind):
    checked, shown = 0, set()
    for orbit in random_orbits(kind, 2 * WANTED[kind]):
        try:
            differences = flow(orbit.system, orbit.state, orbit.period, options=orbit.options, **orbit.parameters)
        except NotSmooth:  # a grazing so near that differences do not settle
            continue
        # how a start off its constraints is brought back to them is a convention: compared are possible starts
        columns = differences.matrix @ differences.basis
        error = np.abs(orbit.monodromy @ differences.basis - columns).max(initial=0.0)
        assert error < 1e-6 * np.abs(columns).max(initial=1.0), (orbit, orbit.parameters)
        shown |= {step.kind for step in orbit.signature}
        checked += 1
        if checked == WANTED[kind]:
            break
    assert checked == WANTED[kind]
    assert shown >= SHOWN[kind.__name__]
