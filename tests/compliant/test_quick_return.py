"""The quick-return mechanism with play in four pins: two formulations of it, its energy, its joints."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import jounce
from jounce.analysis.impacts.contact_periods import contact_offset, contact_statistics
from tests.compliant.models import largest_residual

TURN = 2 * math.pi / 3
SHARED = ("lever_x", "lever_y", "lever_theta", "rod_x", "rod_y", "rod_theta", "slider_x")


@cache
def system(minimal: bool) -> jounce.System:
    return jounce.compile_model(jounce.systems.quick_return(minimal=minimal))


@cache
def run(minimal: bool, t_end: float) -> jounce.Trajectory:
    return jounce.simulate(system(minimal), system(minimal).state(), t_end)


def test_the_start_is_that_of_the_ideal_mechanism() -> None:
    for minimal in (False, True):
        for name in ("J1", "J2", "J3", "J4"):
            assert np.hypot(*contact_offset(run(minimal, 0.04), name, np.array([0.0]))[0]) < 1e-14
    ideal = jounce.compile_model(jounce.systems.quick_return("ideal")).state()
    start = system(False).state()
    for name in (*SHARED, *(f"d_{name}" for name in SHARED), "block_x", "crank_theta", "d_block_y"):
        assert start[name] == pytest.approx(ideal[name], abs=1e-13)


def test_cartesian_and_minimal_coordinates_agree() -> None:
    """Eleven joint equations and fifteen coordinates on one side, eight coordinates on the other."""
    cartesian, minimal = run(False, 0.04), run(True, 0.04)
    first, second = cartesian.events, minimal.events
    assert list(first["contact"][:12]) == list(second["contact"][:12])
    assert list(first["kind"][:12]) == list(second["kind"][:12])
    assert set(first["contact"]) == {"J1", "J2", "J3", "J4"}
    assert set(first["kind"]) == {"touch", "separate"}
    np.testing.assert_allclose(first["t"][:12], second["t"][:12], atol=1e-8)
    np.testing.assert_allclose(first["v_n_before"][:12], second["v_n_before"][:12], rtol=1e-7)
    a, b = cartesian.at(0.01), minimal.at(0.01)
    for name in (*SHARED, *(f"d_{name}" for name in SHARED)):
        assert a[name] == pytest.approx(b[name], abs=1e-10)
    block = math.hypot(a["block_x"] - a["lever_x"], a["block_y"] - a["lever_y"])
    assert block == pytest.approx(abs(b["block_s"]), abs=1e-10)


def test_the_first_flight_by_hand() -> None:
    """Before any contact the slider feels no force along its guide: its velocity is the ideal one's at the start."""
    motion = run(False, 0.04)
    first = float(motion.events["t"].iloc[0])
    assert motion.at(first, "left")["d_slider_x"] == pytest.approx(motion.start["d_slider_x"], abs=1e-12)
    assert 0.005 < first < 0.02  # 0.5 mm at about the acceleration of gravity: sqrt(2 c/g) = 0.0101 s
    # at touch the journal is as far off as the clearance allows
    contact = str(motion.events["contact"].iloc[0])
    assert np.hypot(*contact_offset(motion, contact, np.array([first]))[0]) == pytest.approx(0.5e-3, abs=1e-12)


def test_penetration_is_the_true_depth() -> None:
    """The gap of the model is only a function with the right zero; force and depth are not made of it."""
    motion = run(True, 0.04)
    table = jounce.contact_periods(motion)
    hit = table.loc[table["largest_force"].idxmax()]
    at = np.array([hit["t_largest_force"]])
    depth = float(np.hypot(*contact_offset(motion, hit["contact"], at)[0])) - 0.5e-3
    K = jounce.hertz_stiffness(0.0095, 0.01, material=jounce.Material(207e9, 0.3), inside=True)
    rate = (np.hypot(*contact_offset(motion, hit["contact"], at + 1e-9)[0])
            - np.hypot(*contact_offset(motion, hit["contact"], at - 1e-9)[0])) / 2e-9  # fmt: skip
    expected = K * depth**1.5 * (1 + 0.75 * (1 - 0.9**2) * rate / hit["approach"])
    assert hit["largest_force"] == pytest.approx(float(expected), rel=1e-6)


def test_a_turn_in_minimal_coordinates() -> None:
    """Energy: what the motor gives is stored or lost; the slider stays near the ideal one."""
    motion = run(True, TURN)
    assert motion.status.name == "FINISHED"
    assert largest_residual(motion) < 2e-7  # 1e-6 J in five turns
    ideal = jounce.compile_model(jounce.systems.quick_return("ideal"))
    times = np.linspace(0, TURN, 500)
    reference = jounce.simulate(ideal, ideal.state(), TURN).dataset(times)["slider_x"]
    deviation = float(abs(motion.dataset(times)["slider_x"] - reference).max())
    # four clearances of 0.5 mm and their leverage: J1 and J2 turn the lever by 1e-3/0.15 at worst, 0.5 m long
    assert 1e-4 < deviation < 2 * 0.5e-3 + 0.5 * 1e-3 / 0.15 + 1e-3
    for name in ("J1", "J2", "J3", "J4"):
        offset = np.hypot(*contact_offset(motion, name, motion.data.step_t).T)
        assert offset.max() < 0.5e-3 + 2e-5


def test_statistics_need_turns() -> None:
    with pytest.raises(jounce.SimulationError, match="the run covers 0 whole turns"):
        contact_statistics(run(True, 0.04), TURN)
    table = contact_statistics(run(True, 0.04), 0.01)
    assert list(table.index) == ["J1", "J2", "J3", "J4"]
    touches = run(True, 0.04).events.query("kind == 'touch'").groupby("contact").size()
    for name, count in touches.items():
        assert table.loc[name, ("touches", "mean")] == pytest.approx(count / 4)
    with pytest.raises(jounce.SimulationError, match="'J9' is no clearance joint of quick_return"):
        contact_offset(run(True, 0.04), "J9", np.array([0.0]))
