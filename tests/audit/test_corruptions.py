"""An audit finds each way in which a record can be wrong, and nothing in records that are right."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import jounce
from jounce.simulation.modes import Mode
from jounce.simulation.trajectory import Trajectory
from tests.audit.corruptions import (
    block_run,
    dip,
    first_step,
    pendulum_run,
    push,
    shift,
    spoiled,
    with_coefficients,
    with_event,
    with_mode,
    without_events,
)
from tests.trajectory.handmade import BallRun, sliding_block


def slide(run: Trajectory) -> int:
    return first_step(run, Mode.SLIP_POSITIVE)


def work_that_falls(run: Trajectory) -> Trajectory:
    work = run.data.step_work.copy()
    work[slide(run) + 1 :, 1] -= 2.0 * work[-1, 1]
    return spoiled(run, step_work=work)


def open_ledger(run: Trajectory) -> Trajectory:
    work = run.data.step_work.copy()
    work[len(work) // 2 :, 0] += 0.1
    return spoiled(run, step_work=work)


def sticks_while_sliding(run: Trajectory) -> Trajectory:
    return with_mode(run, slide(run), Mode.STICK)


# what is spoiled -> what must be found
SPOILED: dict[str, tuple[Callable[[Trajectory], Trajectory], str]] = {
    "start of a flight below the floor": (lambda r: with_coefficients(r, 0, shift(1, -1.001)), "penetration"),
    "dip within a flight": (lambda r: with_coefficients(r, 1, dip(1, 1.0)), "penetration"),
    "slide above the floor": (lambda r: with_coefficients(r, slide(r), shift(1, 1e-3)), "closed contact has a gap"),
    "slide that rises": (lambda r: with_coefficients(r, slide(r), shift(3, 1e-3)), "closed contact moves"),
    "other slip": (lambda r: with_mode(r, slide(r), Mode.SLIP_NEGATIVE), "slip against the mode"),
    "stick that slips": (sticks_while_sliding, "stick slips"),
    "flight where it slides": (lambda r: with_mode(r, slide(r), Mode.OPEN), "acceleration without forces"),
    "weaker friction": (lambda r: with_coefficients(r, slide(r), push(2, 0.01)), "friction outside its law"),
    "floor that pulls": (lambda r: with_coefficients(r, slide(r), push(3, -9.0)), "normal force pulls"),
    "velocity that is no rate": (lambda r: with_coefficients(r, 0, push(0, 0.1)), "velocity is not the rate"),
    "coordinate that jumps": (lambda r: with_coefficients(r, 1, shift(0, 1e-3)), "coordinate jumps"),
    "other impulse": (lambda r: with_event(r, 5, 1.01), "velocity jumps without its impulse"),
    "impulse that pulls": (lambda r: with_event(r, 5, -1.0), "impulse pulls"),
    "impulse outside its cone": (lambda r: with_event(r, 6, 2.0), "impulse outside its cone"),
    "impact that gives": (lambda r: with_event(r, 7, -1.0), "impact gives energy"),
    "no row of an impact": (without_events, "velocity jumps without its impulse"),
    "friction that gives": (work_that_falls, "friction gives energy"),
    "open ledger": (open_ledger, "ledger open"),
    "restitution of another law": (lambda r: with_event(r, 2, 1.5), "impact disagrees with its law"),
    "not finite": (lambda r: with_coefficients(r, 0, shift(0, np.nan)), "record is not finite"),
    "squares not finite": (lambda r: with_coefficients(r, 0, shift(0, 1e200)), "record is not finite"),
}


@pytest.mark.parametrize("name", SPOILED)
def test_a_spoiled_record_is_found(name: str) -> None:
    spoil, expected = SPOILED[name]
    run = block_run()
    assert run.audit().empty, run.audit()
    found = spoil(run).audit()["what"]
    assert found.str.startswith(expected).any(), (name, found.tolist())


@pytest.mark.parametrize(
    ("change", "expected"),
    [(shift(0, 1e-4), "joint open"), (shift(2, 1e-2), "joint opens"), (push(2, 0.1), "acceleration without forces")],
)
def test_a_spoiled_joint_is_found(change: Callable[[np.ndarray], None], expected: str) -> None:
    run = pendulum_run()
    assert run.audit().empty, run.audit()
    found = with_coefficients(run, 3, change).audit()
    assert found["what"].str.startswith(expected).any(), found
    if expected.startswith("joint"):
        assert found.loc[found["what"] == expected, "contact"].tolist()[0] == "rod"


def test_runs_in_closed_form_are_clean() -> None:
    assert sliding_block().audit().empty


def test_an_impact_beside_its_surface_is_found() -> None:
    """The floor of these runs is elsewhere than their impacts: nothing that the audit could believe."""
    found = BallRun().trajectory().audit()
    assert {"penetration"} <= set(found["what"])


@pytest.mark.parametrize("level", ["events", "dense"])
def test_a_failed_audit_is_the_status_of_a_run(level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that lets a body through the floor does not say FINISHED."""
    from jounce.simulation import driver

    system = block_run().system
    collect = driver.Driver._run_data

    def through_the_floor(self, *arguments):  # type: ignore[no-untyped-def]
        data = collect(self, *arguments)
        return with_coefficients(Trajectory(data), 0, shift(1, -1.5)).data

    monkeypatch.setattr(driver.Driver, "_run_data", through_the_floor)
    run = jounce.simulate(system, system.state(y=1.0, d_x=4.0), 6.0, options=jounce.Options(audit=level))
    assert run.status.name == "AUDIT_FAILED"
    assert not run.status.ok
    assert "penetration at 'floor'" in run.status.message
    assert "run.audit()" in run.status.message
    off = jounce.simulate(system, system.state(y=1.0, d_x=4.0), 6.0, options=jounce.Options(audit="off"))
    assert off.status.name == "AT_REST"


def test_levels_are_checked() -> None:
    with pytest.raises(jounce.OptionError, match="dense"):
        jounce.Options(audit="densely")
    with pytest.raises(jounce.OptionError, match="dense"):
        block_run().audit("all")
