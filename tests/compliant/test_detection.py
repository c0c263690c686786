"""How a contact is found: located, or at the end of steps with the paper's procedures 1 and 2 and without control."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import jounce
from tests.compliant.models import drop, largest_residual

K = 1e9
HERTZ = jounce.Hertz(K)


def fall(detection: str, step: float = 1e-3, **options: float) -> jounce.Trajectory:
    chosen = jounce.Options(contact_detection=detection, largest_step=step, **options)  # type: ignore[arg-type]
    return jounce.simulate(drop(HERTZ), drop(HERTZ).state(y=0.5), 0.6, options=chosen)


def depth_at_touch(run: jounce.Trajectory) -> float:
    first = run.events[run.events["kind"] == "touch"].iloc[0]
    return -run.at(float(first["t"]))["y"]


def gained(run: jounce.Trajectory) -> float:
    """Kinetic and potential energy after the first contact minus before it."""
    after = float(run.events[run.events["kind"] == "separate"]["t"].iloc[0])
    now, start = run.at(after), run.start
    return 0.5 * now["d_y"] ** 2 + 9.81 * now["y"] - 0.5 * start["d_y"] ** 2 - 9.81 * start["y"]


@pytest.mark.parametrize("step", [1e-2, 3e-3, 1e-3, 1e-4])
def test_without_control_the_first_penetration_gives_energy(step: float) -> None:
    """Exactly the work (2/5) K delta0^(5/2) that the spring was never given."""
    run = fall("none", step)
    depth = depth_at_touch(run)
    assert 0 < depth <= step * np.sqrt(2 * 9.81 * 0.5) * 1.001
    # the end is not located either: what the force does in the last step past the gap is nothing for Hertz
    assert gained(run) == pytest.approx(0.4 * K * depth**2.5, rel=1e-6, abs=1e-9)
    # the ledger shows it as a negative loss, and closes
    assert float(run.energy["contact_loss"][-1]) == pytest.approx(-0.4 * K * depth**2.5, rel=1e-6)
    assert largest_residual(run) < 1e-6 * max(1.0, 0.4 * K * depth**2.5)


def test_located_contacts_start_at_zero() -> None:
    run = fall("located", 1e-2)
    assert abs(depth_at_touch(run)) < 1e-15
    assert abs(gained(run)) < 1e-9


@pytest.mark.audit_finds("velocity is not the rate of its coordinate", "ledger open")
def test_procedure_1_interpolates_and_restarts() -> None:
    """The straight line through the step's ends is wrong by O(h^2): velocities, and so the energy."""
    errors = []
    for step in (4e-3, 2e-3, 1e-3):
        run = fall("interpolate", step)
        assert depth_at_touch(run) < 1e-9
        errors.append(abs(gained(run)))
    assert errors[0] < 0.1  # without control the same step gives hundreds of joules
    assert gained(fall("none", 4e-3)) > 100 * errors[0]
    assert errors[-1] < errors[0]
    # equations 9, 11 and 12 by hand, on the step in which the contact is found
    run = fall("interpolate", 1e-3)
    touch = float(run.events["t"].iloc[0])
    k = int(np.searchsorted(run.data.step_t, touch)) - 1
    before = run.at(run.data.step_t[k])
    h = 1e-3  # the step that was replaced
    after_y = before["y"] + before["d_y"] * h - 9.81 * h**2 / 2
    x = before["y"] / (before["y"] - after_y)
    assert touch - before["t"] == pytest.approx(x * h, abs=2e-9 * h)
    assert run.at(touch)["d_y"] == pytest.approx(before["d_y"] - x * 9.81 * h, abs=1e-9)


def test_procedure_2_rejects_until_the_penetration_is_small() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = fall("reject", 1e-3, penetration_tolerance=1e-6)
    assert 0 < depth_at_touch(run) < 1e-6
    assert gained(run) == pytest.approx(0.4 * K * depth_at_touch(run) ** 2.5, abs=1e-8)
    # the step was shortened before the contact and grew again after it
    touch = float(run.events["t"].iloc[0])
    starts, lengths = run.data.step_t, run.data.step_h
    assert lengths[starts < touch - 2e-3].max() == pytest.approx(1e-3, rel=1e-9)
    assert lengths[(starts < touch) & (starts > touch - 1e-3)].min() < 1e-5
    separate = float(run.events["t"].iloc[1])
    assert lengths[starts > separate].max() == pytest.approx(1e-3, rel=1e-9)


def test_procedure_2_warns_at_its_smallest_step() -> None:
    with pytest.warns(UserWarning, match=r"1 contacts began deeper than penetration_tolerance allows"):
        run = fall("reject", 1e-3, penetration_tolerance=1e-12)
    own_time = np.sqrt(run.start["y"] / 9.81)  # of the fall, from rest
    assert depth_at_touch(run) < 1e-7 * own_time * np.sqrt(2 * 9.81 * 0.5) * 1.01
    k = int(np.searchsorted(run.data.step_t, float(run.events["t"].iloc[0]))) - 1
    assert run.data.step_h[k] == pytest.approx(1e-7 * own_time, rel=1e-9)


def test_a_largest_step_does_not_change_a_located_run() -> None:
    """It is only needed to repeat what other programs do."""
    free = jounce.simulate(drop(HERTZ), drop(HERTZ).state(y=0.5), 0.6)
    held = fall("located", 1e-3)
    assert held.final["y"] == pytest.approx(free.final["y"], abs=1e-9)
    assert held.data.step_h.max() <= 1e-3
    assert free.data.step_h.max() > 0.1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"contact_detection": "locate"}, "contact_detection is 'locate'; did you mean 'located'"),
        ({"largest_step": 0.0}, "largest_step is 0.0"),
        ({"penetration_tolerance": -1.0}, "penetration_tolerance is -1.0"),
    ],
)
def test_wrong_options(given: dict[str, object], message: str) -> None:
    with pytest.raises(jounce.OptionError, match=message):
        jounce.Options(**given)  # type: ignore[arg-type]
