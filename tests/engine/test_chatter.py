"""Impacts that accumulate: the end is reached in finite time and the error falls with the square of the speed."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import jounce
from jounce.system import System
from tests.engine.models import rubbing_mass
from tests.engine.support import of_kind, simulate, unexplained
from tests.references.ball import accumulation_time, bounce_times
from tests.references.chatter import ChatterEnd, table_chatter

SPEEDS = (1e-1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4)
TIGHT = 1e-13


@cache
def rubbing() -> System:
    return jounce.compile_model(rubbing_mass())


def slope(errors: list[float], speeds: tuple[float, ...] = SPEEDS) -> float:
    """The exponent of a fitted power law."""
    return float(np.polyfit(np.log(speeds), np.log(errors), 1)[0])


@pytest.mark.parametrize(("height", "e"), [(1.0, 0.9), (1.0, 0.5), (3.0, 0.8), (0.01, 0.95), (1.0, 0.1)])
def test_accumulation_time_of_a_dropped_ball(height, e):
    """sqrt(2 h/g) (1 + e)/(1 - e) to 1e-9."""
    expected = float(accumulation_time(height, e))
    run = simulate("bouncing_ball", 1.5 * expected, {"y": height}, e=e)
    assert run.status.name == "AT_REST"
    chatter = of_kind(run, "chatter")
    assert len(chatter) == 1
    assert chatter["t"].iloc[0] == pytest.approx(expected, abs=1e-9)
    assert abs(run.final["y"]) < 1e-12
    assert abs(run.final["d_y"]) < 1e-12


def test_each_bounce_of_a_dropped_ball():
    """Every impact before the extrapolation against the closed form, to 1e-12."""
    run = simulate("bouncing_ball", 10.0, {"y": 1.0}, e=0.7)
    times = of_kind(run, "impact")["t"].to_numpy()
    expected = [float(t) for t in bounce_times(1.0, 0.7, len(times))]
    assert len(times) > 20
    np.testing.assert_allclose(times, expected, rtol=0, atol=1e-12)


def test_a_plastic_ball_rests_at_once():
    run = simulate("bouncing_ball", 2.0, {"y": 1.0}, e=0.0)
    assert run.status.name == "AT_REST"
    assert run.events["kind"].tolist() == ["impact"]
    assert run.events["t"].iloc[0] == pytest.approx(float(accumulation_time(1.0, 0.0)), abs=1e-12)


TABLES = (
    {"A": 0.1, "omega": 4.0, "e": 0.5, "y": 0.5, "v": 0.0},
    {"A": 0.3, "omega": 3.0, "e": 0.6, "y": 0.4, "v": 0.5},
    {"A": 0.05, "omega": 10.0, "e": 0.4, "y": 0.3, "v": 0.0},
)


def table_errors(case: dict[str, float]) -> list[float]:
    """The error of the accumulation time for every speed at which the extrapolation starts."""
    reference = table_chatter(**case)
    errors = []
    for speed in SPEEDS:
        run = simulate(
            "ball_on_table",
            float(reference.t) + 0.05,
            {"y": case["y"], "d_y": case["v"]},
            options=jounce.Options(chatter_speed=speed, tolerance=TIGHT),
            **{name: case[name] for name in ("A", "omega", "e")},
        )
        errors.append(abs(float(of_kind(run, "chatter")["t"].iloc[0] - reference.t)))
    return errors


@pytest.mark.parametrize("case", TABLES, ids=str)
def test_chatter_on_a_vibrating_table_is_of_second_order(case):
    """The accumulation time against impacts followed to speeds of 1e-25; the fit uses errors above rounding."""
    errors = table_errors(case)
    assert errors[-1] < 1e-8
    usable = [(speed, error) for speed, error in zip(SPEEDS, errors, strict=True) if error > 1e-12]
    assert len(usable) >= 5
    speeds, values = zip(*usable, strict=True)
    assert 1.8 < slope(list(values), speeds) < 2.3, errors


def test_default_chatter_is_exact_to_1e9():
    case = TABLES[0]
    reference = table_chatter(**case)
    run = simulate("ball_on_table", float(reference.t) + 0.05, {"y": 0.5}, A=0.1, omega=4.0, e=0.5)
    assert of_kind(run, "chatter")["t"].iloc[0] == pytest.approx(float(reference.t), abs=1e-9)


RUBBING = {
    "tilted plane": {"A": 0.0, "omega": 1.0, "e": 0.6, "y": 0.5, "v": 0.0, "mu": 0.1, "v_x": 1.0, "tilt": 0.3},
    "vibrating table": {"A": 0.1, "omega": 4.0, "e": 0.5, "y": 0.5, "v": 0.0, "mu": 0.05, "v_x": 3.0},
    "vibrating and tilted": {
        "A": 0.1,
        "omega": 5.0,
        "e": 0.6,
        "y": 0.3,
        "v": 0.2,
        "mu": 0.15,
        "v_x": 2.0,
        "tilt": -0.2,
    },
    "slip reversed": {"A": 0.1, "omega": 4.0, "e": 0.7, "y": 0.5, "v": 0.0, "mu": 0.02, "v_x": -1.0, "tilt": 0.4},
}


def rubbing_end(case: dict[str, float], reference: ChatterEnd, speed: float) -> np.ndarray:
    """(t, x, x') at the end of the chatter."""
    options = jounce.Options(chatter_speed=speed, tolerance=TIGHT)
    start = {"y": case["y"], "d_y": case["v"], "d_x": case["v_x"]}
    parameters = {name: case[name] for name in ("A", "omega", "e", "mu", "tilt") if name in case}
    run = simulate(rubbing(), float(reference.t) + 0.02, start, options=options, **parameters)
    t = float(of_kind(run, "chatter")["t"].iloc[0])
    state = run.at(t)
    return np.array([t, state["x"], state["d_x"]])


@pytest.mark.parametrize("name", RUBBING)
def test_chatter_with_friction_is_of_second_order(name):
    """Time and end state of a point mass that slides while it chatters, against impacts followed to 1e-25."""
    case = RUBBING[name]
    reference = table_chatter(**case)
    exact = np.array([float(reference.t), float(reference.x), float(reference.v_x)])
    errors = [float(np.abs(rubbing_end(case, reference, speed) - exact).max()) for speed in SPEEDS]
    assert errors[-1] < 1e-7, errors
    if case["A"] == 0.0:
        # nothing changes on a plane at rest: what is summed is the motion itself
        assert max(errors) < 3e-12, errors
        return
    usable = [(speed, error) for speed, error in zip(SPEEDS, errors, strict=True) if error > 3e-12]
    assert len(usable) >= 5
    speeds, values = zip(*usable, strict=True)
    assert 1.8 < slope(list(values), speeds) < 2.3, errors


def test_friction_stops_the_slip_during_the_chatter():
    """Enough friction: the slip ends before the impacts do, exactly, and the mass then sticks."""
    case = {"A": 0.1, "omega": 4.0, "e": 0.5, "y": 0.5, "v": 0.0, "mu": 0.5, "v_x": 1.0}
    reference = table_chatter(**case)
    assert reference.v_x == 0
    t, x, v_x = rubbing_end(case, reference, 1e-4)
    assert t == pytest.approx(float(reference.t), abs=1e-7)
    assert x == pytest.approx(float(reference.x), abs=1e-7)
    assert abs(v_x) < 1e-12


@pytest.mark.parametrize("speed", [1e-1, 1e-3, 1e-5])
def test_the_ledger_closes_over_a_chatter(speed):
    """The extrapolated losses are of second order too: 1e-8 at the default speed."""
    options = jounce.Options(chatter_speed=speed)
    run = simulate(rubbing(), 4.0, {"y": 0.5, "d_x": 3.0}, A=0.1, omega=4.0, mu=0.05, options=options)
    assert "chatter" in run.events["kind"].tolist()
    assert unexplained(run) < max(1e-8, speed**2)


def test_a_chatter_that_the_table_interrupts_is_not_extrapolated():
    """Just before the release of a table with A omega^2 > g the accumulation has no time: impacts go on one by one."""
    run = simulate("ball_on_table", 60.0, {"y": 0.1}, A=0.2, omega=8.0, e=0.3)
    assert run.status.name == "FINISHED"
    events = run.events
    chatter = events[events["kind"] == "chatter"]
    lifts = events[events["kind"] == "lift_off"]
    assert len(chatter) > 10
    assert len(lifts) > 10
    # the release: A omega^2 sin(omega t) = g while rising
    phase = np.mod(8.0 * lifts["t"].to_numpy(), 2 * np.pi)
    np.testing.assert_allclose(phase, np.arcsin(9.81 / (0.2 * 64)), atol=1e-8)
