"""Slider-crank and quick-return against loop closure, Newton-Euler and virtual power, for any parameters."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Body, CircleOn, contact_between, ground
from jounce.systems.quick_return import quick_return_parts
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
    expected = [reference.driver_torque_by_virtual_power(reference.quick_return_poses, t, p, masses) for t in times]
    assert np.abs(torque.values - expected).max() < 1e-9 * np.abs(expected).max()


def test_quick_return_energy_closes(quick_return: jounce.System) -> None:
    run, _ = turn(quick_return)
    assert np.abs(run.energy["residual"]).max() < 1e-9


def test_quick_return_motor_torque_in_one_coordinate(quick_return: jounce.System) -> None:
    """The same bodies reduced to the crank's angle: one joint, the motor, is left, and its torque is the same."""
    parts = quick_return_parts()
    crank, lever, block, rod, slider = parts.bodies
    joints = [*parts.guides, *parts.pins]
    known = {s.name: s for joint in joints for g in joint.equations().values() for s in g.free_symbols}
    a, length, r, b, h = (known[name] for name in ("l_crank", "l_lever", "l_rod", "b", "h"))
    angle, _ = jounce.coordinate("angle", "rad")
    pin = (a * sp.cos(angle), b + a * sp.sin(angle))
    theta = sp.atan2(pin[1], pin[0])
    end = (length * sp.cos(theta), length * sp.sin(theta))
    beta = sp.asin((h - end[1]) / r)
    x = end[0] + r * sp.cos(beta)
    model = jounce.Model.from_bodies(
        "reduced_quick_return",
        bodies=parts.bodies,
        joints=joints,
        gravity=parts.gravity,
        minimal={
            crank: (pin[0] / 2, b + a * sp.sin(angle) / 2, angle),
            lever: (end[0] / 2, end[1] / 2, theta),
            block: (*pin, theta),
            rod: ((end[0] + x) / 2, (end[1] + h) / 2, beta),
            slider: (x, h, 0),
        },
    )
    assert list(model.joints) == ["motor.angle"]
    changes = {"omega": 4.1, "m_slider": 1.2, "g": 5.0}
    reduced, _ = turn(jounce.compile_model(model), **changes)
    full, _ = turn(quick_return, **changes)
    times = np.linspace(0.0, full.t_end, 40)[:-1]
    torques = [run.joint_forces(times)["motor.angle"].values for run in (reduced, full)]
    assert np.abs(torques[0] - torques[1]).max() < 1e-11 * np.abs(torques[1]).max()


def test_four_bar_obeys_freudenstein() -> None:
    """k1 cos(theta4) - k2 cos(theta2) + k3 = cos(theta2 - theta4) for the crank's angle and the rocker's."""
    system = jounce.compile_model(jounce.systems.four_bar())
    changes = {"a": 0.08, "b": 0.4, "c": 0.3, "d": 0.33, "omega": -6.0}
    run = jounce.simulate(system, system.assemble(**changes), 1.2, **changes)
    a, b, c, d = (changes[name] for name in "abcd")
    k1, k2, k3 = d / a, d / c, (a * a - b * b + c * c + d * d) / (2 * a * c)
    for t in np.linspace(0.0, 1.2, 17):
        crank, rocker = run.at(t)["crank_theta"], run.at(t)["rocker_theta"]
        assert crank == pytest.approx(1.0 - 6.0 * t, abs=1e-12)
        assert k1 * np.cos(rocker) - k2 * np.cos(crank) + k3 == pytest.approx(np.cos(crank - rocker), abs=1e-11)
    assert np.abs(run.energy["residual"]).max() < 1e-9


def test_link_with_play_on_a_fixed_pin() -> None:
    """A journal centred in a rigid bearing: the end falls through the clearance c in sqrt(2 c/g) and rebounds."""
    link = Body("link", 1.0, 0.1, center=(0.5, 0), angle=0)
    model = jounce.Model.from_bodies(
        "loose",
        bodies=[link],
        contacts=[
            contact_between(
                "J",
                CircleOn(ground, (0, 0), 0.0095),
                CircleOn(link, (-0.5, 0), 0.01, inside=True),
                friction=0.2,
                restitution=0.5,
            )
        ],
        gravity=9.81,
    )
    system = jounce.compile_model(model)
    run = jounce.simulate(system, system.state(), 2.0)
    first = run.events.iloc[0]
    fall = np.sqrt(2 * 0.0005 / 9.81)
    assert first["t"] == pytest.approx(fall, abs=1e-10)
    assert first["v_n_after"] == pytest.approx(0.5 * 9.81 * fall, abs=1e-9)
    z = run.states(np.linspace(0.0, 2.0, 1000))
    eccentricity = np.hypot(z[:, 0] - 0.5 * np.cos(z[:, 2]), z[:, 1] - 0.5 * np.sin(z[:, 2]))
    assert eccentricity.max() < 0.0005 + 1e-10
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
    start = system.state(d_crank_theta=40.0)
    assert system.state()["d_crank_theta"] == 20.0
    run = jounce.simulate(system, start, t_end=5.0)
    assert np.abs(run.energy["residual"]).max() < 1e-8
    assert np.abs(run.energy["surface_work"]).max() < 1e-15  # nothing drives it
    assert float(run.final["crank_theta"]) > 2 * np.pi  # it turns over
