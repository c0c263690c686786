"""Multipliers by saltation against differences of the flow, on more than 200 random periodic orbits."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.orbits.random_orbits import UNSTABLE, WANTED, random_orbits, unstable_orbits
from tests.references.flow import NotSmooth, difference_flow

#: What the orbits of a system must show between them.
SHOWN = {
    "ball": {"impact", "chatter", "lift_off"},
    "oscillator": {"impact"},
    "belt": {"stick", "slip"},
    "wiper": {"impact", "chatter", "stick", "slip", "lift_off"},
    "rod": {"chatter", "stick", "slip", "reversal"},
    "pendulum": {"impact"},
}
#: How many of a system's orbits have phases of stick, of slip, and a complete chatter; over all at least 20 of each.
WITH_PHASE = {
    "belt": {"stick": 30, "slip": 30},
    "wiper": {"stick": 5, "slip": 20, "chatter": 10},
    "rod": {"stick": 4, "slip": 4, "chatter": 4},
    "ball": {"chatter": 10},
}


def test_two_hundred_are_wanted_and_every_phase_among_them():
    assert sum(WANTED.values()) >= 200
    assert sum(UNSTABLE.values()) >= 50
    for phase in ("stick", "slip", "chatter"):
        assert sum(least.get(phase, 0) for least in WITH_PHASE.values()) >= 20


def error_of(orbit):
    """The largest error of the monodromy, relative to its size; None where a grazing is too near for differences."""
    try:
        theirs = difference_flow(orbit.system, orbit.state, orbit.period, options=orbit.options, **orbit.parameters)
    except NotSmooth:
        return None
    # how a start off its constraints is brought back to them is a convention: compared are possible starts
    error = np.abs(orbit.monodromy @ theirs.basis - theirs.columns).max(initial=0.0)
    return error / np.abs(theirs.columns).max(initial=1.0)


def phases(orbit):
    """The kinds of phase in an orbit, from its signature."""
    modes = {step.mode_after for step in orbit.signature}
    found = {"stick"} if "STICK" in modes else set()
    if modes & {"SLIP+", "SLIP-"} and orbit.system.has_friction[0]:
        found.add("slip")
    return found | ({"chatter"} if any(step.kind == "chatter" for step in orbit.signature) else set())


def check(orbits, wanted):
    checked, shown, counts = 0, set(), Counter()
    for orbit in orbits:
        error = error_of(orbit)
        if error is None:
            continue
        assert error < 1e-6, (orbit, orbit.parameters)
        shown |= {step.kind for step in orbit.signature}
        counts.update(phases(orbit))
        checked += 1
        if checked == wanted:
            break
    assert checked == wanted
    return shown, counts


@pytest.mark.parametrize("kind", WANTED, ids=lambda kind: kind.__name__)
def test_monodromy_equals_differences(kind):
    name = kind.__name__
    shown, counts = check(random_orbits(kind, 2 * WANTED[kind]), WANTED[kind])
    assert shown >= SHOWN[name]
    for phase, least in WITH_PHASE.get(name, {}).items():
        assert counts[phase] >= least, counts


@pytest.mark.parametrize("kind", UNSTABLE, ids=lambda kind: kind.__name__)
def test_monodromy_of_unstable_orbits_equals_differences(kind):
    check(unstable_orbits(kind, 2 * UNSTABLE[kind]), UNSTABLE[kind])
