"""What the default audit asks of every step, also of those that it does not look at in full."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from sympy import cos

import jounce
from jounce.simulation.audit import motion
from jounce.simulation.trajectory import Trajectory
from tests.audit.corruptions import shift, spoiled, with_coefficients


@cache
def swing() -> Trajectory:
    """A pendulum that swings between walls and strikes them, steps of a few rows and of many."""
    system = jounce.compile_model(jounce.systems.wall_pendulum())
    return jounce.simulate(system, system.state(), 12.0, options=jounce.Options(audit="off"))


@cache
def press() -> Trajectory:
    """The same with compliant walls, whose flags change from step to step."""
    system = jounce.compile_model(jounce.systems.compliant_wall_pendulum())
    return jounce.simulate(system, system.state(), 3.0, options=jounce.Options(audit="off"))


RUNS = {"rigid": swing, "compliant": press}


def seldom(run: Trajectory) -> list[int]:
    """Steps at which the default audit does not look in full, with none of their neighbours at an event."""
    steps, at_events = np.arange(len(run.data.step_t)), run.data.event_int[:, 6]
    chosen = (steps > 20) & (steps % motion.SPARSE > 1) & ~np.isin(steps, [*at_events, *at_events - 1, *at_events + 1])
    found: list[int] = steps[chosen][:12].tolist()
    assert len(found) == 12
    return found


def beyond(run: Trajectory) -> float:
    """By how much a coordinate must be off for the body to be behind a wall."""
    return 2.0 * float(np.abs(run.data.step_coefficients[:, 0, 0]).max())


@pytest.mark.parametrize("of", RUNS.values(), ids=RUNS)
def test_right_records_have_no_findings(of: Callable[[], Trajectory]) -> None:
    assert of().audit("events").empty


@pytest.mark.parametrize("of", RUNS.values(), ids=RUNS)
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda run: shift(0, 1e-4), "coordinate jumps"),
        (lambda run: shift(run.system.n, 1e-3), "velocity jumps without its impulse"),
    ],
    ids=["coordinate", "velocity"],
)
def test_a_spoiled_step_is_found_wherever_it_is(of: Callable[[], Trajectory], change, expected: str) -> None:
    run = of()
    for step in seldom(run):
        found = with_coefficients(run, step, change(run)).audit("events")
        assert found["what"].str.startswith(expected).any(), (step, found)


def test_a_gap_below_zero_is_found_at_the_end_of_every_step() -> None:
    run = swing()
    for step in seldom(run):
        found = [with_coefficients(run, step, shift(0, side * beyond(run))).audit("events") for side in (-1.0, 1.0)]
        assert any((each["what"] == "penetration").any() for each in found), step


@pytest.mark.parametrize("of", RUNS.values(), ids=RUNS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_number_that_is_not_finite_is_found_in_every_row_and_named_by_its_step(
    of: Callable[[], Trajectory], value: float
) -> None:
    run, step = of(), seldom(of())[0]
    for row in range(run.data.step_coefficients.shape[1]):
        for column in range(run.data.step_coefficients.shape[2]):
            coefficients = run.data.step_coefficients.copy()
            coefficients[step, row, column] = value
            found = spoiled(run, step_coefficients=coefficients).audit("events")
            assert found["what"].tolist() == ["record is not finite, or the squares in it are not"]
            assert found["t"].tolist() == [run.data.step_t[step]]


def test_what_is_not_in_the_record_of_one_run_is_not_taken_from_the_audit_before() -> None:
    """The record of audits is kept from run to run: switches, memories, schedules and faces must not stay in it."""
    x, dx = jounce.coordinate("x", "m")
    forces = -x - 0.3 * jounce.Switch("rubs", dx) + 1.1 * cos(1.7 * jounce.time)
    rubbed = jounce.simulate(jounce.Model("rubbed", [x], [1], [forces], start={x: 1.0}), None, 20.0)
    ball = jounce.compile_model(jounce.systems.bouncing_ball())
    changed = jounce.simulate(ball, ball.state(), 1.5, schedule=[(0.5, {"g": 5.0})])
    runs = [rubbed, swing(), changed, press(), rubbed, changed, press(), swing()]
    assert all(run.audit(level).empty for level in ("events", "dense") for run in runs)
    sides = rubbed.data.step_states.copy()
    step = int(np.flatnonzero(sides[:, 0] == 1.0)[1])
    assert step < motion.WHOLE
    sides[step] = -1.0
    found = spoiled(rubbed, step_states=sides).audit("events")
    assert found["what"].str.startswith("switch is not on the side").any()
