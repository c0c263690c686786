"""A run that is cut in mid-contact goes on as if it had not been cut: the approach speed travels with the state."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jounce
from tests.compliant.models import drop

SHARP = jounce.Options(tolerance=1e-13)
LAWS = [
    jounce.HuntCrossley(1e6),
    jounce.LankaraniNikravesh(1e6),
    jounce.Flores2011(1e6),
    jounce.KelvinVoigt(1e5, 50.0),
    jounce.Maxwell(1e5, 500.0),
    jounce.StandardLinearSolid(1e5, 1e5, 200.0),
]


def difference(a: jounce.State, b: jounce.State) -> float:
    return float(np.abs(np.concatenate([a.q - b.q, a.u - b.u])).max())


@pytest.mark.parametrize("law", LAWS, ids=lambda law: type(law).__name__)
def test_split_and_whole(law: object) -> None:
    """Cut at the touch, early, in the middle, late, at the separation and in flight: the same events, the same end."""
    system = drop(law)
    whole = jounce.simulate(system, system.state(), 1.0, options=SHARP)
    touch, separate = whole.events["t"][:2]
    for part in (0.0, 0.1, 0.5, 0.93, 1.0, 3.0):
        t = float(touch + part * (separate - touch))
        first = jounce.simulate(system, system.state(), t, options=SHARP)
        for state, before in ((first.final, len(first.events)), (whole.at(t), int((whole.events["t"] <= t).sum()))):
            rest = jounce.simulate(system, state, 1.0, options=SHARP)
            # what is left is the error of the steps, which end at other places
            assert difference(rest.final, whole.final) < 2e-9
            assert before + len(rest.events) == len(whole.events)


@pytest.mark.parametrize("law", LAWS[:3], ids=lambda law: type(law).__name__)
def test_without_its_memory_the_contact_would_lose_its_damping(law: object) -> None:
    system = drop(law)
    whole = jounce.simulate(system, system.state(), 1.0)
    middle = whole.at(float(whole.events["t"][:2].mean()))
    assert middle.memory[0] == 1.0
    assert middle.memory[1] == pytest.approx(-1.0 / whole.events["v_n_before"][0], rel=1e-12)
    forgetful = jounce.State(middle.t, middle.q, middle.u, middle.names)
    assert difference(jounce.simulate(system, forgetful, 1.0).final, whole.final) > 1e-2


def test_files_forces_and_copies(tmp_path: Path) -> None:
    system = drop(jounce.LankaraniNikravesh(1e6))
    whole = jounce.simulate(system, system.state(), 1.0, options=SHARP)
    touch, separate = whole.events["t"][:2]
    first = jounce.simulate(system, system.state(), 0.5 * (touch + separate), options=SHARP)
    first.save(tmp_path / "first.nc")
    loaded = jounce.load(tmp_path / "first.nc")
    assert isinstance(loaded, jounce.Trajectory)
    assert loaded.final == first.final
    assert loaded.final.replace(t=0.0).memory.tolist() == first.final.memory.tolist()
    rest = jounce.simulate(system, loaded.final, 1.0, options=SHARP)
    rest.save(tmp_path / "rest.nc")
    times = np.linspace(first.t_end, separate, 9)[:-1]
    forces = [run.contact_forces(times)["lambda_N"].values for run in (whole, rest, jounce.load(tmp_path / "rest.nc"))]
    assert forces[1] == pytest.approx(forces[0], rel=1e-9)
    assert np.array_equal(forces[1], forces[2])
    assert rest.start == first.final
    assert abs(float(rest.energy["residual"][-1])) < 1e-9


def test_a_section_in_mid_contact() -> None:
    """Two returns one by one are the same as two returns at once, although the ball is pressed at the section."""
    system = drop(jounce.HuntCrossley(1e6))
    flow = jounce.SectionMap(system, "plane:y=-1e-4:-1", options=SHARP)
    start = system.state()
    both = flow.iterate(start, 3)
    assert both.memory[0, 0] == 1.0
    one = flow(start)
    assert difference(flow(one), both.state(1)) < 1e-9
    assert difference(flow(flow(one)), both.state(2)) < 1e-9


def test_a_state_that_contradicts_its_memory() -> None:
    """Lifted off the floor it is open; of another model the memory means nothing."""
    law = jounce.HuntCrossley(1e6)
    system, other = drop(law), drop(None)
    run = jounce.simulate(system, system.state(), 1.0)
    middle = run.at(float(run.events["t"][:2].mean()))
    lifted = jounce.simulate(system, middle.replace(y=0.5), middle.t + 0.01)
    assert lifted.final.memory.tolist() == [0.0, 0.0]
    assert jounce.simulate(other, middle.replace(y=0.5), middle.t + 0.01).status.name == "FINISHED"
