"""What Python does around a short run, counted: times depend on the machine, calls do not."""

from __future__ import annotations

import cProfile
import pstats

import pytest

import jounce
from jounce.simulation.audit.motion import motion_findings
from jounce.simulation.records import borrow_records

# it makes 234 to 250; with 380 to 440, in which records were searched for fields and addresses, it took thrice as long
MOST_CALLS = 290


@pytest.mark.parametrize("name", ["bouncing_ball", "ball_on_table", "slender_rod", "impact_oscillator"])
def test_a_short_run_makes_few_calls(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # scratch is not spoilt here
    monkeypatch.setattr("jounce.simulation.driver.borrow_records", borrow_records)
    monkeypatch.setattr("jounce.simulation.audit.report.motion_findings", motion_findings)
    system = jounce.compile_model(getattr(jounce.systems, name)())
    start = system.state()
    jounce.simulate(system, start, start.t + 0.1)
    profile = cProfile.Profile()
    profile.enable()
    run = jounce.simulate(system, start, start.t + 0.1)
    profile.disable()
    assert run.status.ok
    assert pstats.Stats(profile).total_calls < MOST_CALLS
