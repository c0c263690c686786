"""Orbits of compliant contacts against a map made of SciPy's integrator; nodes where the state is all there is."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve

import jounce
from jounce.analysis.orbits.solution.node_places import node_times
from jounce.simulation.modes import Mode

K, E, G, OMEGA = 6e4, 0.6, 9.81, 20.0
PERIOD = 2 * np.pi / OMEGA


@cache
def soft_ball(law: str = "HuntCrossley") -> jounce.System:
    """A ball on a shaking floor whose damping goes by the speed of the touch."""
    y, dy = jounce.coordinate("y", "m")
    A, omega, e = jounce.parameters(A=0.03, omega=OMEGA, e=E)
    floor = jounce.Contact(
        "floor", gap=y - A * sp.sin(omega * jounce.time), restitution=e, compliance=getattr(jounce, law)(K)
    )
    model = jounce.Model.from_lagrangian(
        f"soft_ball_{law}",
        coordinates=[y],
        kinetic=dy**2 / 2,
        potential=G * y,
        contacts=[floor],
        period=2 * sp.pi / omega,
        start={y: 0.1},
    )
    return jounce.compile_model(model)


def stroboscopic_map(z: np.ndarray, t: float, A: float) -> np.ndarray:
    """One period from a state in flight by SciPy: flight and contact in turn, Hunt & Crossley's force as defined."""
    a, end = 3 * (1 - E) / 2, t + PERIOD

    def gap(t: float, z: np.ndarray) -> float:
        return float(z[0] - A * np.sin(OMEGA * t))

    def rate(t: float, z: np.ndarray) -> float:
        return float(z[1] - A * OMEGA * np.cos(OMEGA * t))

    pressed, speed = False, 1.0
    while t < end:

        def field(t: float, z: np.ndarray, pressed: bool = pressed, speed: float = speed) -> list[float]:
            depth = max(-gap(t, z), 0.0)
            force = K * depth**1.5 * (1 - a * rate(t, z) / speed) if pressed else 0.0
            return [z[1], force - G]

        def crossing(t: float, z: np.ndarray) -> float:
            return gap(t, z)

        crossing.terminal, crossing.direction = True, 1.0 if pressed else -1.0  # type: ignore[attr-defined]
        part = solve_ivp(field, (t, end), z, "DOP853", events=crossing, rtol=1e-12, atol=1e-14, max_step=2e-3)
        t, z = part.t[-1], part.y[:, -1]
        if part.status == 1:
            pressed, speed = not pressed, -rate(t, z)
    return np.asarray(z)


def jacobian(z: np.ndarray, t: float, A: float) -> np.ndarray:
    columns = []
    for j in range(2):
        h = np.eye(2)[j] * 1e-5
        ahead, behind = (stroboscopic_map(z + side * h, t, A) for side in (1, -1))
        columns.append((ahead - behind) / 2e-5)
    return np.array(columns).T


def test_multipliers_are_those_of_the_map_by_another_integrator() -> None:
    A = 0.025
    orbit = jounce.find_orbit(soft_ball(), {"y": 0.1, "d_y": 1.0}, period=1, A=A)
    t, z = orbit.state.t, np.concatenate([orbit.state.q, orbit.state.u])
    fixed = fsolve(lambda z: stroboscopic_map(z, t, A) - z, z, xtol=1e-12)
    assert z == pytest.approx(fixed, abs=1e-8)
    theirs = np.linalg.eigvals(jacobian(fixed, t, A))
    key = lambda value: (value.real, value.imag)  # noqa: E731
    assert sorted(orbit.multipliers, key=key) == pytest.approx(sorted(theirs, key=key), abs=1e-6)


def test_the_branch_of_a_soft_ball_doubles_where_the_other_map_does(tmp_path: Path) -> None:
    orbit = jounce.find_orbit(soft_ball(), {"y": 0.1, "d_y": 1.0}, period=1, A=0.025)
    branch = jounce.continue_orbit(orbit, "A", bounds=(0.02, 0.032))
    doublings = branch.find("period_doubling")
    assert len(doublings) == 1
    doubling = doublings[0].solution
    t, z = doubling.state.t, np.concatenate([doubling.state.q, doubling.state.u])
    values = np.linalg.eigvals(jacobian(z, t, doubling.parameters["A"]))
    assert np.abs(values + 1.0).min() < 2e-5
    branch.save(tmp_path / "branch.nc")
    again = jounce.load(tmp_path / "branch.nc")
    assert again.values.tolist() == branch.values.tolist()


def test_nodes_keep_away_from_contacts_that_go_by_their_touch() -> None:
    """The state of a pressed contact does not say with which speed it touched."""
    system = soft_ball()
    alone = jounce.find_orbit(system, {"y": 0.1, "d_y": 1.0}, period=1, A=0.03)
    orbit = jounce.find_orbit(system, alone.state, period=1, A=0.03, nodes=4)
    assert orbit.nodes > 1
    times = np.array(node_times(orbit.run, 6))
    assert len(times) >= 2
    assert not (orbit.run.mode_codes_at(times, "right") == Mode.PRESSED).any()
    assert sorted(abs(orbit.multipliers)) == pytest.approx(sorted(abs(alone.multipliers)), rel=1e-6)


def test_an_orbit_that_never_leaves_its_floor_keeps_the_memory_that_it_has() -> None:
    """A heavy ball rides on the floor: no touch, hence a constant memory, and a node anywhere."""
    system = soft_ball()
    run = jounce.simulate(system, {"y": 0.01}, 40 * PERIOD, A=0.005)
    orbit = jounce.find_orbit(system, run.at(38 * PERIOD), period=1, A=0.005)
    assert orbit.signature == ()
    assert orbit.state.memory[0] == 1.0
    assert orbit.state.memory[1] > 0.0
    assert abs(orbit.multipliers).max() < 1.0
