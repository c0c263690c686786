"""System, State and the checks of a start."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.errors import SimulationError
from jounce.model import Contact, Model
from jounce.system import State, System, compile_model
from jounce.system.checks import check_start


@pytest.fixture(scope="module")
def rod() -> System:
    return compile_model(jounce.systems.slender_rod())


@pytest.fixture(scope="module")
def pendulum() -> System:
    return compile_model(jounce.systems.wall_pendulum())


def test_state_by_names(rod: System) -> None:
    state = rod.state(t=2.0, theta=0.1, d_x=-1)
    assert (state["t"], state["theta"], state["d_x"], state["y"], state["d_theta"]) == (2.0, 0.1, -1.0, 6.0, 0.0)
    assert state.q.tolist() == [0.0, 6.0, 0.1]
    assert state.u.tolist() == [-1.0, 0.0, 0.0]
    assert list(state.as_dict()) == ["t", "x", "y", "theta", "d_x", "d_y", "d_theta"]
    assert repr(state).startswith("State(t=2, x=0, y=6, theta=0.1")
    assert state.replace(y=7.0)["y"] == 7.0
    assert state["y"] == 6.0
    assert pickle.loads(pickle.dumps(state)) == state


def test_state_is_read_only(rod: System) -> None:
    state = rod.state()
    with pytest.raises(ValueError, match="read-only"):
        state.q[0] = 1.0
    with pytest.raises(AttributeError, match="cannot be changed"):
        state.t = 1.0  # type: ignore[misc]


def test_a_coordinate_may_be_named_like_a_velocity() -> None:
    state = State(0.0, [1.0, 2.0], [3.0, 4.0], ("d_a", "b"))
    assert (state["d_a"], state["b"], state["d_d_a"], state["d_b"]) == (1.0, 2.0, 3.0, 4.0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tehta": 1.0}, r"state: unknown name 'tehta'; did you mean 'theta'\? Valid coordinates and velocities: x, y"),
        ({"theta": math.nan}, "state: theta must be a finite number, not nan"),
        ({"theta": "big"}, "state: theta must be a finite number, not 'big'"),
        ({"t": math.inf}, "state: t must be a finite number"),
    ],
)
def test_wrong_states(rod: System, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        rod.state(**arguments)


def test_unknown_name_of_a_state(rod: System) -> None:
    with pytest.raises(SimulationError, match=r"a state has no 'd_tehta'; did you mean 'd_theta'"):
        rod.state()["d_tehta"]


def test_parameters(rod: System) -> None:
    p = rod.parameters(omega=4.5)
    assert dict(zip(rod.parameter_names, p, strict=True)) == rod.model.defaults | {"omega": 4.5}
    assert rod.period(p) == pytest.approx(2 * math.pi / 4.5, rel=1e-15)
    assert rod.period() == pytest.approx(2 * math.pi / 3.0, rel=1e-15)
    with pytest.raises(SimulationError, match=r"parameters: unknown name 'omga'; did you mean 'omega'"):
        rod.parameters(omga=1.0)
    with pytest.raises(SimulationError, match="parameters: mu must be a finite number"):
        rod.parameters(mu=math.inf)


def test_flags(rod: System, pendulum: System) -> None:
    assert (rod.n, rod.nc, rod.nj, rod.ng) == (3, 2, 0, 0)
    assert (pendulum.n, pendulum.nc, pendulum.nj) == (2, 1, 1)
    assert not rod.autonomous
    assert pendulum.autonomous
    assert pendulum.period() is None
    assert rod.has_friction.tolist() == [True, True]
    assert rod.modes["P1"] == ("OPEN", "SLIP+", "SLIP-", "STICK")
    assert rod.mode_names(3 + 8 * 2) == {"P1": "STICK", "P2": "SLIP-"}
    assert jounce.compile_model(jounce.systems.impact_oscillator()).has_applied_power


def test_a_system_travels_to_other_processes(rod: System) -> None:
    again = pickle.loads(pickle.dumps(rod))
    assert again.key == rod.key
    assert again.parameters(omega=2.0).tolist() == rod.parameters(omega=2.0).tolist()


def test_good_starts_pass(rod: System, pendulum: System) -> None:
    check_start(rod, rod.state(), rod.defaults)
    check_start(pendulum, pendulum.state(x=0.6, y=-0.8, d_x=0.8, d_y=0.6), pendulum.defaults)


@pytest.mark.parametrize(
    ("state", "parameters", "message"),
    [
        ({"y": 0.1}, {}, r"contact 'P1': the gap is -0.19.* at the start"),
        ({"y": 0.1, "theta": -0.3}, {}, r"contact 'P2': the gap is -0.19"),
        ({}, {"e": 1.2}, r"contact 'P1': the restitution is 1.2; it must lie in \[0, 1\] at the start"),
        ({}, {"mu": -0.1}, r"contact 'P1': the friction coefficient is -0.1"),
        ({}, {"m": -1.0}, r"mass matrix is not positive definite at the start \(lowest eigenvalue -1\)"),
    ],
)
def test_impossible_starts(rod: System, state: dict[str, float], parameters: dict[str, float], message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        check_start(rod, rod.state(**state), rod.parameters(**parameters))


def test_not_finite_values_are_named(rod: System) -> None:
    start = rod.state()
    broken = State(start.t, start.q, [0.0, np.nan, 0.0], start.names)
    with pytest.raises(SimulationError, match="'d_y' is nan at the start"):
        check_start(rod, broken, rod.defaults)


def test_joints_hold_at_the_start(pendulum: System) -> None:
    with pytest.raises(SimulationError, match=r"joint 'arm' is violated by 1\.5 at the start"):
        check_start(pendulum, pendulum.state(x=2.0), pendulum.defaults)
    with pytest.raises(SimulationError, match=r"joint 'arm': the start velocities leave the joint at the rate 3"):
        check_start(pendulum, pendulum.state(d_x=3.0), pendulum.defaults)


def test_static_friction_below_kinetic() -> None:
    belt = compile_model(jounce.systems.belt_oscillator())
    with pytest.raises(SimulationError, match=r"contact 'belt': the static friction 0.1 is below the kinetic"):
        check_start(belt, belt.state(), belt.parameters(mu_s=0.1))


def test_force_that_is_not_finite() -> None:
    x, _ = jounce.coordinate("x")
    model = Model("pole", [x], mass=1, forces=1 / x, contacts=[Contact("wall", gap=x)], start={x: 1.0})
    system = compile_model(model)
    with pytest.raises(SimulationError, match="the force on 'x' is not finite at the start"):
        check_start(system, system.state(x=0.0), system.defaults)


def test_only_models_compile() -> None:
    with pytest.raises(SimulationError, match="compile_model needs a Model"):
        compile_model("slender_rod")  # type: ignore[arg-type]
