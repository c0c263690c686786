"""Slider-crank and quick-return against loop closure, Newton-Euler and virtual power, for any parameters."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from tests.bodies import reference

QUICK_RETURN = ("crank", "lever", "block", "rod", "slider")
ODD_QUICK_RETURN = {
    "l_crank": 0.07, "l_lever": 0.61, "l_rod": 0.2, "b": 0.23, "h": 0.55, "omega": -4.3, "phi": 0.6, "m_lever": 1.7,
    "J_rod": 0.02, "m_slider": 0.9, "g": 3.7,
}  # fmt: skip
ODD_SLIDER_CRANK = {"r": 0.08, "l": 0.19, "omega": -31.0, "phi": 0.4, "m_rod": 0.6, "J_rod": 0.003, "g": 1.6}


@pytest.fixture(scope="module")
def quick_return() -> jounce.System:
    return jounce.compile_model(jounce.systems.quick_return("ideal"))


@pytest.fixture(scope="module")
def slider_crank() -> jounce.System:
    return jounce.compile_model(jounce.systems.slider_crank())


def turn(system: jounce.System, **changes: float) -> tuple[jounce.Trajectory, dict[str, float]]:
    start = system.assemble(**changes) if changes else system.state()
    p = system.model.defaults | changes
    return jounce.simulate(system, start, t_end=2 * np.pi / abs(p["omega"]), **changes), p


def masses_of(p: dict[str, float], bodies: tuple[str, ...], inertias: dict[str, float] | None = None) -> list[float]:
    inertias = inertias or {}
    return [value for b in bodies for value in (p[f"m_{b}"], p[f"m_{b}"], inertias.get(b, p.get(f"J_{b}", 1.0)))]


@pytest.mark.parametrize("changes", [{}, ODD_QUICK_RETURN])
def test_quick_return_follows_the_loop_closure(quick_return: jounce.System, changes: dict[str, float]) -> None:
    run, p = turn(quick_return, **changes)
    assert run.status.name == "FINISHED"
    for t in np.linspace(0.0, run.t_end, 23):
        q, u, _ = reference.motion(reference.quick_return_poses, t, p)
        state = run.at(t)
        assert np.abs(state.q - q).max() < 1e-10
        assert np.abs(state.u - u).max() < 1e-10 * (1 + np.abs(u).max())


@pytest.mark.parametrize("changes", [{}, ODD_QUICK_RETURN])
def test_quick_return_motor_torque_by_two_routes(quick_return: jounce.System, changes: dict[str, float]) -> None:
    run, p = turn(quick_return, **changes)
    times = np.linspace(0.0, run.t_end, 9)
    torque = run.joint_forces(times)["motor.angle"]
    assert torque.attrs["units"] == "N m"
    masses = masses_of(p, QUICK_RETURN)
    expected = [
        reference.driver_torque_by_virtual_power(reference.quick_return_poses, t, p, masses) for t in times
    ]
    assert np.abs(torque.values - expected).max() < 1e-9 * np.abs(expected).max()


def test_quick_return_energy_closes(quick_return: jounce.System) -> None:
    run, _ = turn(quick_return)
    assert np.abs(run.energy["residual"]).max() < 1e-9


@pytest.mark.parametrize("changes", [{}, ODD_SLIDER_CRANK])
def test_slider_crank_joint_forces_by_newton_and_euler(slider_crank: jounce.System, changes: dict[str, float]) -> None:
    run, p = turn(slider_crank, **changes)
    names = {
        "A.x": "main_bearing.x", "A.y": "main_bearing.y", "B.x": "crank_pin.x", "B.y": "crank_pin.y",
        "C.x": "slider_pin.x", "C.y": "slider_pin.y", "N": "guide.normal", "M": "guide.angle", "T": "motor.angle",
    }  # fmt: skip
    for t in np.linspace(0.0, run.t_end, 11):
        expected = reference.slider_crank_forces(t, p)
        forces = run.joint_forces(t)
        scale = max(map(abs, expected.values()))
        for key, name in names.items():
            assert forces[name].values[0] == pytest.approx(expected[key], abs=1e-9 * scale), name


def test_slider_crank_follows_the_loop_closure(slider_crank: jounce.System) -> None:
    run, p = turn(slider_crank, **ODD_SLIDER_CRANK)
    for t in np.linspace(0.0, run.t_end, 23):
        q, u, _ = reference.motion(reference.slider_crank_poses, t, p)
        assert np.abs(run.at(t).q - q).max() < 1e-11
        assert np.abs(run.at(t).u - u).max() < 1e-11 * np.abs(u).max()


def test_free_slider_crank_keeps_its_energy_for_long() -> None:
    system = jounce.compile_model(jounce.systems.slider_crank(driven=False))
    run = jounce.simulate(system, system.state(), t_end=5.0)
    assert np.abs(run.energy["residual"]).max() < 1e-8
    assert np.abs(run.energy["surface_work"]).max() < 1e-14
    assert float(run.final["crank_theta"]) > 2 * np.pi  # it turns over
