"""Branches switched at period doublings, one after the other, and walks that are interrupted."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import jounce
from tests.orbits import closed_form, impact_cascade

BOUNDS = (2.2, 6.5)


@cache
def ball():
    return jounce.compile_model(jounce.systems.ball_on_table())


def one_bounce(e, omega):
    period, angle = 2 * math.pi / omega, closed_form.phase(1, e, omega)
    guess = ball().state(t=angle / omega + period / 2, y=math.sin(angle) + closed_form.G * period**2 / 8)
    return jounce.find_orbit(ball(), guess, omega=omega, e=e)


def impact_times(orbit):
    return sorted(float(t) for t in orbit.events.t)


@pytest.mark.parametrize(("e", "steps"), [(0.7, (0.05, 0.02, 0.005)), (0.3, (0.05, 0.05, 0.02))])
def test_cascade_against_the_impact_times(e, steps):
    """One, two and four bounces: each branch begins at the flip of the one before and is followed to its own."""
    flip = closed_form.flip(1, e)
    branch = jounce.continue_orbit(one_bounce(e, flip - 0.05), "omega", (flip - 0.1, flip + 0.1), step=steps[0])
    for count, step in zip((2, 4), steps[1:], strict=True):
        special = branch.find("period_doubling")[0]
        doubled = jounce.switch_branch(branch, special)
        assert doubled.forcing_periods == count
        branch = jounce.continue_orbit(doubled, "omega", (flip - 0.1, flip + 1.5), step=step, max_points=25)
        begins = branch.find("period_halving")[0]
        assert begins.parameter == pytest.approx(special.parameter, abs=1e-10)
        assert "half its period" in branch.ends[0]
        assert branch.values[0] == begins.parameter  # the curve reaches the one it came from
        found = branch.find("period_doubling")[0]
        times = impact_times(found.solution)
        assert len(times) == count
        exact = impact_cascade.flip(e, round(found.parameter, 4), [round(t, 4) for t in times])
        assert found.parameter == pytest.approx(exact, abs=1e-10)
        for point in branch.points[1::5]:
            assert point.solution.closure < 1e-11


class Interrupted:
    """A progress report that is interrupted at a given call."""

    def __init__(self, at):
        self.at, self.calls = at, 0

    def __call__(self, count, value):
        self.calls += 1
        if self.calls == self.at:
            raise KeyboardInterrupt


def identical(a, b):
    assert a.table.equals(b.table)
    assert a.special.equals(b.special)
    assert a.ends == b.ends
    assert a.settings == b.settings
    assert [s.after for s in a.specials] == [s.after for s in b.specials]
    for one, other in zip(a.points, b.points, strict=True):
        assert one.solution.state == other.solution.state
        assert np.array_equal(one.solution.monodromy, other.solution.monodromy)


@pytest.mark.parametrize("at", [(1,), (4, 1, 6), (12, 5), (17,)])
def test_a_branch_that_was_interrupted_is_the_same_to_the_last_bit(tmp_path, at):
    """Downwards through a fold and a grazing, upwards through a flip; interrupted in either, also twice."""
    request = {"step": 0.25, "checkpoint": tmp_path / "branch.nc"}
    for call in at:
        with pytest.raises(KeyboardInterrupt) as raised:
            jounce.continue_orbit(start(), "omega", BOUNDS, progress=Interrupted(call), **request)
        assert "interrupted" in raised.value.partial.ends
    again = jounce.continue_orbit(start(), "omega", BOUNDS, **request)
    identical(again, uninterrupted())
    identical(jounce.load(tmp_path / "branch.nc"), uninterrupted())


@cache
def start():
    return one_bounce(0.7, 3.0)


@cache
def uninterrupted():
    branch = jounce.continue_orbit(start(), "omega", BOUNDS, step=0.25)
    assert {special.kind for special in branch.specials} == {"grazing", "fold", "period_doubling"}
    assert len(branch) > 20
    return branch


def test_a_branch_that_was_killed_goes_on_from_its_last_checkpoint(tmp_path):
    """What is on disk when the process dies is the checkpoint: no interrupt was seen."""
    from jounce.analysis.orbits.continuation import walk

    path, kept = tmp_path / "branch.nc", tmp_path / "killed.nc"

    def copy(count, value):
        if path.exists():
            kept.write_bytes(path.read_bytes())

    stopped = Interrupted(16)

    def report(count, value):
        copy(count, value)
        stopped(count, value)

    with pytest.raises(KeyboardInterrupt):
        jounce.continue_orbit(start(), "omega", BOUNDS, step=0.25, checkpoint=path, progress=report)
    assert walk.SAVE_EVERY <= len(jounce.load(kept)) < 16
    again = jounce.continue_orbit(start(), "omega", BOUNDS, step=0.25, checkpoint=kept)
    identical(again, uninterrupted())


def test_an_autonomous_branch_resumes_identically(tmp_path):
    """The period is an unknown too, and nodes lie in stick."""
    belt = jounce.compile_model(jounce.systems.belt_oscillator())
    orbit = jounce.find_orbit(belt, jounce.simulate(belt, belt.state(), 40.0, c=0.1).final, c=0.1)
    request = {"step": 0.02, "checkpoint": tmp_path / "branch.nc"}
    whole = jounce.continue_orbit(orbit, "c", (0.02, 0.25), step=0.02)
    with pytest.raises(KeyboardInterrupt):
        jounce.continue_orbit(orbit, "c", (0.02, 0.25), progress=Interrupted(9), **request)
    identical(jounce.continue_orbit(orbit, "c", (0.02, 0.25), **request), whole)
