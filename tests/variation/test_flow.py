"""The linearised flow with saltation against differences of whole simulations and against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.analysis.stability.variation import flow, linearise
from tests.references.flow import check_derivative

#: system, start, duration, parameter, overrides, event kinds that must be met on the way
CASES: dict[str, tuple[str, dict[str, float], float, str, dict[str, float], set[str]]] = {
    "impacts": ("ball_on_table", {"y": 2.0, "d_y": 0.3}, 2.0, "e", {"e": 0.6}, {"impact"}),
    "chatter": ("ball_on_table", {"y": 2.0, "d_y": 0.3}, 6.0, "omega", {"e": 0.3, "A": 0.1}, {"impact", "chatter"}),
    "springs": ("impact_oscillator", {}, 12.0, "omega", {}, {"impact"}),
    "stick_slip": ("belt_oscillator", {}, 9.3, "mu", {}, {"stick", "slip"}),
    "joint": ("wall_pendulum", {}, 2.3, "mu", {}, {"impact"}),
    "wiper": ("wiper", {}, 1.3, "mu", {"mu": 0.4}, {"impact"}),
    "rocking": ("rocking_block", {}, 2.3, "mu", {}, {"impact", "lift_off"}),
    "two_bodies": ("two_discs", {}, 2.0, "e", {}, {"impact"}),
    "rod_chatter": (
        "slender_rod",
        {"y": 3.0, "theta": 0.3, "d_theta": 0.2, "d_x": 0.5},
        3.0,
        "A",
        {"omega": 3.0, "e": 0.2, "mu": 0.8, "A": 0.2},
        {"impact", "chatter"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_saltation_agrees_with_differences_of_the_flow(name: str) -> None:
    system_name, start_values, duration, parameter, overrides, kinds = CASES[name]
    system = jounce.compile_model(getattr(jounce.systems, system_name)())
    check_derivative(system, system.state(**start_values), duration, parameter, kinds, **overrides)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("e", [0.9, 0.5, 0.1])
def test_multipliers_of_the_bouncing_orbit_have_their_closed_form(e: float, k: int) -> None:
    """One bounce in k periods: det = e^2, trace = 1 + e^2 - (1+e)^2 A omega^2 sin(phi)/g (papers.md, 000)."""
    g, A = 9.81, 1.0
    omega = 1.05 * math.sqrt(k * math.pi * g * (1 - e) / ((1 + e) * A)) + 0.2
    phi = math.acos(k * math.pi * g * (1 - e) / ((1 + e) * A * omega**2))
    T = 2 * math.pi / omega
    half = 0.5 * k * T
    system = jounce.compile_model(jounce.systems.ball_on_table())
    # start at the top of the flight, where the velocity vanishes
    start = system.state(t=phi / omega + half, y=A * math.sin(phi) + 0.5 * g * half**2, d_y=0.0)
    ours = flow(system, start, k * T, omega=omega, e=e, A=A, g=g)
    if len(ours.run.events) != 1:
        pytest.fail("the chosen orbit meets the table in between: choose another frequency")
    assert np.linalg.det(ours.matrix) == pytest.approx(e**2, abs=1e-10)
    trace = 1 + e**2 - (1 + e) ** 2 * A * omega**2 * math.sin(phi) / g
    assert np.trace(ours.matrix) == pytest.approx(trace, abs=1e-9)


def test_stick_has_zero_multipliers() -> None:
    """A mass that sticks on its belt keeps one direction only: its position along it."""
    system = jounce.compile_model(jounce.systems.belt_oscillator())
    run = jounce.simulate(system, system.state(), 30.0)
    sticking = [event.t for event in run.events.itertuples() if event.kind == "stick"][-1]
    released = [event.t for event in run.events.itertuples() if event.kind == "slip" and event.t > sticking]
    begin = sticking + 0.1 * (released[0] - sticking if released else 1.0)
    ours = flow(system, run.at(begin), 0.1)
    assert list(ours.modes_start) == [3]
    assert np.linalg.matrix_rank(ours.matrix, tol=1e-9) == 1


def test_linearisation_of_a_mode_is_the_derivative_of_its_forces() -> None:
    system = jounce.compile_model(jounce.systems.wiper())
    run = jounce.simulate(system, system.state(), 0.05)
    p, modes = system.parameters(), np.array([2])
    state = run.final
    ours = linearise(system, state, modes, p, "mu")
    h, n = 1e-5, system.n

    def at(change: np.ndarray) -> Any:
        moved = jounce.State(state.t, state.q + change[:n], state.u + change[n:], state.names)
        return linearise(system, moved, modes, p)

    for k, direction in enumerate(np.eye(2 * n)):
        up, down = at(h * direction), at(-h * direction)
        np.testing.assert_allclose((up.rate - down.rate) / (2 * h), ours.by_state[:, k], rtol=1e-5, atol=1e-5)
        change = (up.forces - down.forces) / (2 * h)
        np.testing.assert_allclose(change, ours.forces_by_state[..., k], rtol=1e-5, atol=1e-5)


def test_a_motion_that_ends_early_has_no_derivative() -> None:
    system = jounce.compile_model(jounce.systems.ball_on_table())
    with pytest.raises(jounce.SimulationError, match="duration"):
        flow(system, system.state(y=1.5), -1.0)
    with pytest.raises(jounce.SimulationError, match="unknown parameter 'omeg'"):
        flow(system, system.state(y=1.5), 1.0, parameter="omeg")
