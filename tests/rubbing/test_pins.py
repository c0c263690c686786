"""Pins that rub, against independent integrations and balances of forces."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, fsolve

import jounce
from tests.references.flow import check_derivative
from tests.rubbing.machines import engine, pendulum

MASS, INERTIA, ARM, G = 2.0, 0.05, 0.4, 9.81
ABOUT_PIN = INERTIA + MASS * ARM**2


def pin_force(theta: float, omega: float, alpha: float) -> float:
    """|F| of the pendulum's pin, from m a = F + m g."""
    x = -ARM * (alpha * math.sin(theta) + omega**2 * math.cos(theta))
    y = ARM * (alpha * math.cos(theta) - omega**2 * math.sin(theta)) + G
    return MASS * math.hypot(x, y)


def acceleration(theta: float, omega: float, sign: float, mu_r: float, preload: float = 0.0) -> float:
    """alpha with friction against the turning ``sign``: one equation with |F| in it, by bisection."""

    def left(alpha: float) -> float:
        friction = sign * mu_r * (preload + pin_force(theta, omega, alpha))
        return ABOUT_PIN * alpha + MASS * G * ARM * math.cos(theta) + friction

    return float(brentq(left, -500.0, 500.0, xtol=1e-14, rtol=1e-15))


@pytest.fixture(scope="module")
def system() -> jounce.System:
    return jounce.compile_model(pendulum())


@pytest.mark.parametrize(("mu", "preload"), [(0.3, 0.0), (0.1, 20.0), (2.0, 0.0)])
def test_half_swings_of_a_rubbing_pendulum(system: jounce.System, mu: float, preload: float) -> None:
    run = jounce.simulate(system, None, t_end=6.0, tolerance=1e-11, mu=mu, mu_s=mu, preload=preload)
    theta, t = system.state()["arm_theta"], 0.0
    sign = -1.0
    turns = run.events[run.events.contact == "pin"].t.to_numpy()
    assert len(turns) >= 2
    for turn in turns[:3]:
        start = t

        def stops(now: float, z: Any, start: float = start, sign: float = sign) -> float:
            return float(z[1]) if now > start + 1e-5 else sign

        stops.terminal = True  # type: ignore[attr-defined]

        def rates(_: float, z: Any, sign: float = sign) -> list[float]:
            return [z[1], acceleration(z[0], z[1], sign, mu * 0.05, preload)]

        swing = solve_ivp(rates, (t, t + 5), [theta, 0.0], "DOP853", rtol=1e-11, atol=1e-12, events=stops)
        t, theta, sign = swing.t_events[0][0], swing.y_events[0][0][0], -sign
        assert abs(turn - t) < 2e-9
        assert abs(run.at(turn)["arm_theta"] - theta) < 2e-9
    assert run.audit().empty
    assert abs(run.energy.residual[-1]) < 1e-9


def test_it_comes_to_rest_and_stays(system: jounce.System) -> None:
    run = jounce.simulate(system, None, t_end=20.0)
    assert run.status.name == "AT_REST"
    theta = run.final["arm_theta"]
    assert abs(MASS * G * ARM * math.cos(theta)) <= 0.3 * 0.05 * MASS * G
    assert run.energy.friction_loss[-1] == pytest.approx(
        MASS * G * ARM * (math.sin(system.state()["arm_theta"]) - math.sin(theta)), abs=1e-8
    )


def test_stick_ends_where_the_torque_reaches_the_cone() -> None:
    """At rest |F| = m g: a growing torque turns the hanging arm at mu_s r m g, and it does not stop at once."""
    model = pendulum(guards={})
    mu_s, radius = 0.6, 0.05
    system = jounce.compile_model(model)
    rest = system.assemble(system.state(arm_theta=-math.pi / 2, arm_x=0.0, arm_y=-0.4))
    limit = mu_s * radius * MASS * G
    still = jounce.simulate(system, rest, t_end=1.0, mu=0.3, mu_s=mu_s, torque=limit * (1 - 1e-9))
    moves = jounce.simulate(system, rest, t_end=1.0, mu=0.3, mu_s=mu_s, torque=limit * (1 + 1e-9))
    assert still.status.name == "AT_REST"
    assert abs(moves.at(0.1)["d_arm_theta"]) > 0.01


def test_flow_of_a_rubbing_pendulum_has_its_derivative(system: jounce.System) -> None:
    check_derivative(system, system.state(d_arm_theta=-1.0), 2.0, "mu", {"reversal"}, mu=0.2, preload=3.0)


@pytest.fixture(scope="module")
def free_engine() -> jounce.System:
    return jounce.compile_model(engine())


def test_an_engine_sticks_in_all_its_joints_and_leaves_where_statics_says(free_engine: jounce.System) -> None:
    """Four rubbing joints and one freedom: at rest their forces are open, and the onset is a limit load."""
    run = jounce.simulate(free_engine, None, t_end=1.2, tolerance=1e-11)
    assert run.status.ok
    assert run.audit().empty
    begins = run.events[run.events.kind.astype(str) == "slip"]
    signs = {row.contact: 1 if str(row.mode_after) == "SLIP+" else -1 for row in begins.itertuples()}
    assert set(signs) == {"main", "big_end", "small_end", "cylinder"}
    assert begins.t.nunique() == 1
    state = run.at(float(begins.t.iloc[0]))
    angles = [state[f"{body}_theta"] for body in ("crank", "rod", "piston")]
    onset = _balance(angles, np.zeros((3, 3)), signs, 0.3, 0.2)[8]
    assert begins.t.iloc[0] == pytest.approx(onset / 0.05, rel=1e-8)


def _balance(angles: Any, accelerations: Any, signs: dict[str, float], mu: float, mu_guide: float) -> np.ndarray:
    """Forces on the three pins, force and couple of the guide, torque on the crank: M a = all forces, by fsolve."""
    masses, inertias = (0.3, 0.2, 0.4), (1e-4, 4e-4, 1e-4)
    pins = {
        "main": (None, (0.0, 0.0), 0, (-0.025, 0.0), 0.01),
        "big_end": (0, (0.025, 0.0), 1, (-0.075, 0.0), 0.01),
        "small_end": (1, (0.075, 0.0), 2, (0.0, 0.0), 0.008),
    }

    def lever(body: int, point: tuple[float, float]) -> np.ndarray:
        c, s = math.cos(angles[body]), math.sin(angles[body])
        return np.array([c * point[0] - s * point[1], s * point[0] + c * point[1]])

    def balance(x: np.ndarray) -> np.ndarray:
        loads = np.array([[0.0, -mass * G, 0.0] for mass in masses])
        loads[0, 2] += x[8]
        for k, (name, (first, at_first, second, at_second, radius)) in enumerate(pins.items()):
            force = x[2 * k : 2 * k + 2]
            friction = -signs[name] * mu * radius * math.hypot(*force)
            for body, point, sign in ((first, at_first, -1.0), (second, at_second, 1.0)):
                if body is not None:
                    r = lever(body, point)
                    loads[body] += sign * np.array([*force, r[0] * force[1] - r[1] * force[0] + friction])
        loads[2] += np.array([-signs["cylinder"] * mu_guide * abs(x[6]), x[6], x[7]])
        inertial = np.array([[m, m, J] for m, J in zip(masses, inertias, strict=True)]) * accelerations
        return (loads - inertial).ravel()

    solution = np.asarray(fsolve(balance, np.full(9, 0.5), xtol=1e-12))
    assert np.abs(balance(solution)).max() < 1e-10
    return solution


def test_forces_of_a_driven_engine_are_those_of_inverse_dynamics() -> None:
    system = jounce.compile_model(engine(driven=True, pins=0.1, guide=0.1))
    run = jounce.simulate(system, None, t_end=0.25, tolerance=1e-11)
    assert run.audit().empty
    assert abs(run.energy.residual[-1]) < 1e-9
    times = np.linspace(0.003, 0.247, 13)
    forces = run.joint_forces(times)
    names = ("main.x", "main.y", "big_end.x", "big_end.y", "small_end.x", "small_end.y", "cylinder.normal")
    for k, t in enumerate(times):
        state = run.at(t)
        spins = {b: state[f"d_{b}_theta"] for b in ("crank", "rod", "piston")}
        signs = {
            "main": np.sign(spins["crank"]),
            "big_end": np.sign(spins["rod"] - spins["crank"]),
            "small_end": np.sign(spins["piston"] - spins["rod"]),
            "cylinder": np.sign(state["d_piston_x"]),
        }
        angles, accelerations = _kinematics(0.4 + 50 * t)
        theirs = _balance(angles, accelerations, signs, 0.1, 0.1)
        ours = [float(forces[name][k]) for name in (*names, "cylinder.angle", "motor.angle")]
        assert ours == pytest.approx(theirs, rel=1e-7, abs=1e-7)


def _kinematics(phi: float) -> tuple[Any, Any]:
    """Angles and accelerations of an engine that turns with 50 rad/s."""
    r, length, w = 0.05, 0.15, 50.0
    beta = -math.asin(r / length * math.sin(phi))
    d_beta = -r * w * math.cos(phi) / (length * math.cos(beta))
    dd_beta = (r * w**2 * math.sin(phi) + length * d_beta**2 * math.sin(beta)) / (length * math.cos(beta))
    pin = -r * w**2 * np.array([math.cos(phi), math.sin(phi)])
    along = np.array([math.cos(beta), math.sin(beta)])
    end = length * (dd_beta * np.array([-along[1], along[0]]) - d_beta**2 * along)
    accelerations = np.array([[*(pin / 2), 0.0], [*(pin + end / 2), dd_beta], [*(pin + end), 0.0]])
    return (phi, beta, 0.0), accelerations
