"""The cascade of the simplest walker by continuation, by sections and by a map of steps made of SciPy's integrator.

Garcia, Chatterjee, Ruina & Coleman (1998): one gait is stable for slopes below 0.015 rad, then period doublings lead to
motions that seem chaotic, up to 0.019. "Do horizontal propulsive forces influence the nonlinear structure of
locomotion?" (2007, J. NeuroEngineering and Rehabilitation 4:30, figure 1) places the chaotic gaits of its sweep between
0.01839 and 0.0189 rad, and none beyond 0.019.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jounce
from tests.resets.models import simplest_walker, walker_start

FEIGENBAUM = 4.669201609
HEELSTRIKE = "reset:heelstrike"


def step(theta: float, rate: float, slope: float) -> np.ndarray:
    """One step of the walker by the equations (1) to (4) of the paper: stance angle and rate behind two heelstrikes."""

    def field(_: float, z: np.ndarray) -> list[float]:
        theta, d_theta, phi, d_phi = z
        fall = np.sin(theta - slope)
        return [d_theta, fall, d_phi, fall + np.sin(phi) * (d_theta**2 - np.cos(theta - slope))]

    def heelstrike(_: float, z: np.ndarray) -> float:
        return float(z[2] - 2 * z[0]) if z[0] < -0.05 else 1.0

    def mid_stance(_: float, z: np.ndarray) -> float:
        return float(z[0] + 0.1)

    start = [theta, rate, 2 * theta, (1 - np.cos(2 * theta)) * rate]
    mid_stance.terminal = heelstrike.terminal = True  # type: ignore[attr-defined]
    settings = {"method": "DOP853", "rtol": 1e-12, "atol": 1e-14}
    half = solve_ivp(field, (0.0, 10.0), start, events=mid_stance, **settings)
    end = solve_ivp(field, (0.0, 10.0), half.y[:, -1], events=heelstrike, **settings).y[:, -1]
    return np.array([-end[0], np.cos(2 * end[0]) * end[1]])


def jacobian_of_steps(point: np.ndarray, slope: float, count: int) -> np.ndarray:
    """The derivative of so many steps: differences of each, multiplied."""
    product, h = np.eye(2), 1e-6
    for _ in range(count):
        columns = [(step(*(point + h * e), slope) - step(*(point - h * e), slope)) / (2 * h) for e in np.eye(2)]
        product, point = np.array(columns).T @ product, step(*point, slope)
    return product


@cache
def cascade() -> list[jounce.analysis.orbits.continuation.branch.SpecialPoint]:
    """The doublings from one step to sixteen, each branch from the doubling of the one before."""
    system = jounce.compile_model(simplest_walker())
    gait = walker_start(system)
    for slope in np.linspace(0.009, 0.0148, 25):
        gait = jounce.SectionMap(system, HEELSTRIKE, slope=slope).iterate(gait, 50).state(-1)
    orbit = jounce.find_orbit(system, gait, HEELSTRIKE, slope=0.0148)
    found = []
    for upper in (0.0152, 0.0182, 0.01835, 0.0184):
        branch = jounce.continue_orbit(orbit, "slope", (0.0148, upper))
        (doubling,) = branch.find("period_doubling")
        found.append(doubling)
        orbit = jounce.switch_branch(branch, doubling)
        assert orbit.stable
        assert orbit.period == pytest.approx(2 * doubling.solution.period, rel=1e-3)
    return found


def test_doublings_are_those_of_another_integrator() -> None:
    slopes = [doubling.parameter for doubling in cascade()]
    assert slopes[0] == pytest.approx(0.015, abs=1e-4)  # as published
    for count, doubling in zip((1, 2, 4), cascade(), strict=False):
        run = doubling.solution.run
        behind = run.at(float(run.events.t[run.events.kind == "reset"].iloc[0]))
        point = np.array([behind["theta"], behind["d_theta"]])
        values = np.linalg.eigvals(jacobian_of_steps(point, doubling.parameter, count))
        assert np.abs(values + 1.0).min() < 1e-5


def test_doublings_follow_one_another_as_feigenbaum_has_it() -> None:
    slopes = np.array([doubling.parameter for doubling in cascade()])
    gaps = np.diff(slopes)
    assert gaps[1] / gaps[2] == pytest.approx(FEIGENBAUM, rel=0.01)
    end = slopes[-1] + gaps[-1] / (FEIGENBAUM - 1)
    # where published sweeps first see chaos: bands of it begin behind the last doubling
    assert end == pytest.approx(0.01839, abs=1.5e-4)
    assert end < 0.01839


@pytest.mark.parametrize(("slope", "steps"), [(0.0145, 1), (0.0165, 2), (0.0179, 4), (0.01822, 8)])
def test_sections_show_the_gaits_between(slope: float, steps: int) -> None:
    system = jounce.compile_model(simplest_walker())
    gait = walker_start(system)
    for value in np.linspace(0.009, slope, 40):
        gait = jounce.SectionMap(system, HEELSTRIKE, slope=value).iterate(gait, 40).state(-1)
    angles = jounce.SectionMap(system, HEELSTRIKE, slope=slope).iterate(gait, 1600)["theta"][-32:]
    repeats = [k for k in (1, 2, 4, 8, 16) if np.abs(angles[k:] - angles[:-k]).max() < 1e-6]
    assert repeats[0] == steps


def test_gaits_behind_the_cascade_are_chaotic() -> None:
    system = jounce.compile_model(simplest_walker())
    gait = walker_start(system)
    for value in np.linspace(0.009, 0.0186, 40):
        gait = jounce.SectionMap(system, HEELSTRIKE, slope=value).iterate(gait, 40).state(-1)
    spectrum = jounce.lyapunov(system, gait, 4000.0, count=1, slope=0.0186)
    assert spectrum.chaotic
    assert spectrum.irregular == 0
