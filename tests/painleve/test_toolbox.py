"""The toolbox for any model: joints, other contacts, closing, maps, mistakes."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce.analysis import painleve
from jounce.analysis.painleve import ScalarMode
from jounce.analysis.painleve.scalar_problem import classify
from jounce.cli import main
from jounce.errors import OptionError, SimulationError


@pytest.fixture(scope="module")
def rod():
    return jounce.compile_model(jounce.systems.slender_rod())


@pytest.fixture(scope="module")
def wall_pendulum():
    return jounce.compile_model(jounce.systems.wall_pendulum())


def kkt(model, values, contact, slip, modes):
    """A and B from the model's symbols: one dense linear system with a unit force and without."""
    numbers = {model.symbols[name]: value for name, value in (model.defaults | values).items()}

    def rate(expression):
        along = sum(sp.diff(expression, q) * u for q, u in zip(model.q, model.u, strict=True))
        return along + sp.diff(expression, jounce.time)

    def row(expression):
        """Direction and bias of an acceleration-level constraint from its velocity-level expression."""
        direction = [float(sp.diff(expression, u).subs(numbers)) for u in model.u]
        return np.array(direction), float(rate(expression).subs(numbers))

    named = {c.name: c for c in model.contacts}
    rows, columns, biases = [], [], []
    for expression in model.joints.values():
        direction, bias = row(rate(expression))
        rows.append(direction)
        columns.append(direction)
        biases.append(bias)
    for name, mode in modes.items():
        (N, c_N), (T, c_T) = row(rate(named[name].gap)), row(named[name].slip)
        mu = float(sp.sympify(named[name].friction).subs(numbers))
        rows.append(N)
        biases.append(c_N)
        columns.append(N if mode == "STICK" else N - (1 if mode == "SLIP+" else -1) * mu * T)
        if mode == "STICK":
            rows.append(T)
            columns.append(T)
            biases.append(c_T)
    (N, c_N), (T, _) = row(rate(named[contact].gap)), row(named[contact].slip)
    mu = float(sp.sympify(named[contact].friction).subs(numbers))
    M = np.array(model.M.subs(numbers), dtype=float)
    h = np.array(model.h.subs(numbers), dtype=float).ravel()
    n, k = len(h), len(rows)
    matrix = np.zeros((n + k, n + k))
    matrix[:n, :n] = M
    if k:
        matrix[:n, n:] = -np.array(columns).T
        matrix[n:, :n] = np.array(rows)
    gaps = []
    for force in (0.0, 1.0):
        right = np.concatenate([h + force * (N - slip * mu * T), -np.array(biases)])
        gaps.append(N @ np.linalg.solve(matrix, right)[:n] + c_N)
    return gaps[1] - gaps[0], gaps[0]


@pytest.mark.parametrize("mode", ["OPEN", "SLIP+", "SLIP-", "STICK"])
def test_other_contacts_in_given_modes(rod, mode) -> None:
    values = {"x": 0.1, "y": 1.2, "theta": 0.4, "d_x": 0.3, "d_y": -0.7, "d_theta": 1.9, "t": 0.6, "mu": 0.7}
    state = rod.state(**{name: value for name, value in values.items() if name != "mu"})
    for slip in (1, -1):
        ours = painleve.coefficients(rod, state, "P1", slip, modes={"P2": mode}, mu=0.7)
        expected = kkt(rod.model, values, "P1", slip, {} if mode == "OPEN" else {"P2": mode})
        assert pytest.approx(expected, rel=1e-11, abs=1e-12) == (ours.A, ours.B)


def test_joints_are_projected_out(wall_pendulum) -> None:
    """A bob on an arm moves along the tangent tau: A = tau_x (tau_x - s mu tau_y)/m, mu_c = |tau_x/tau_y|."""
    place = {"x": -0.5, "y": -math.sqrt(0.75)}
    values = {**place, "d_x": 0.6 * math.sqrt(0.75), "d_y": -0.3}
    state = wall_pendulum.state(**values)
    ours = painleve.coefficients(wall_pendulum, state, slip=1, mu=0.4)
    tau = np.array([math.sqrt(0.75), -0.5])
    assert pytest.approx(tau[0] * (tau[0] - 0.4 * tau[1]), rel=1e-13) == ours.A
    assert pytest.approx(kkt(wall_pendulum.model, values | {"mu": 0.4}, "wall", 1, {}), rel=1e-12) == (ours.A, ours.B)
    found = painleve.critical_friction(wall_pendulum, state)
    assert found.mu == pytest.approx(abs(tau[0] / tau[1]), rel=1e-13)
    assert found.slip == -1


def test_closing_with_a_joint(wall_pendulum) -> None:
    """Contact and arm together leave no freedom: both coordinates follow, and both velocities vanish."""
    state = painleve.closed_state(wall_pendulum, wall_pendulum.state(x=-0.4, y=-0.8, d_x=1.0))
    assert (state["x"], state["y"]) == pytest.approx((-0.5, -math.sqrt(0.75)), rel=1e-12)
    assert state.u == pytest.approx([0.0, 0.0], abs=1e-14)


def test_closing_on_a_moving_floor(rod) -> None:
    """gamma_N = 0 includes the floor's velocity; by default y follows, theta if asked for."""
    start = rod.state(t=0.3, y=1.0, theta=0.5, d_x=0.4, d_theta=1.1)
    state = painleve.closed_state(rod, start, "P1")
    assert (state["theta"], state["d_theta"], state["d_x"]) == (0.5, 1.1, 0.4)
    assert state["y"] == pytest.approx(math.sin(0.5) + math.sin(0.9), rel=1e-13)
    assert state["d_y"] == pytest.approx(math.cos(0.5) * 1.1 + 3.0 * math.cos(0.9), rel=1e-13)
    tilted = painleve.closed_state(rod, start, "P1", solve_for="theta")
    assert tilted["y"] == 1.0
    assert math.sin(tilted["theta"]) == pytest.approx(1.0 - math.sin(0.9), rel=1e-12)


def test_closing_keeps_a_sticking_contact(rod) -> None:
    """Both ends on the floor, P2 at rest on it."""
    state = painleve.closed_state(rod, rod.state(y=0.1, theta=0.05, d_x=0.8), "P1", modes={"P2": "STICK"})
    assert (state["y"], state["theta"]) == pytest.approx((0.0, 0.0), abs=1e-12)
    assert (state["d_x"], state["d_y"], state["d_theta"]) == pytest.approx((0.0, 3.0, 0.0), abs=1e-12)


@pytest.mark.parametrize("theta", [0.3, 1.3, 1.5, math.pi - 1.4])
def test_closing_does_not_leap_to_another_branch(rod, theta) -> None:
    """y = sin(theta) has two branches (and their turns); Newton's full step from near their fold finds any of them."""
    for y in (0.1, 0.3, 0.5, 0.9):
        found = painleve.closed_state(rod, rod.state(y=y, theta=theta), "P1", solve_for="theta")["theta"]
        assert found == pytest.approx(math.asin(y) if theta < math.pi / 2 else math.pi - math.asin(y), abs=1e-12)


def test_map_stays_on_the_branch_of_its_state() -> None:
    """theta2 > 0 and theta2 < 0 are two branches of the manipulator; beyond their meeting nothing is reachable."""
    system = jounce.compile_model(jounce.systems.manipulator())
    reach = math.acos(5 / 3 - 1)
    for theta2 in (0.45, -0.45):
        over = {"theta1": (-1.0, 1.0), "d_theta1": (-1.0, 1.0)}
        found = painleve.mode_map(system, over, state=system.state(theta1=0.7, theta2=theta2), points=101)
        theta1 = np.abs(found.values[0])
        closed = np.isfinite(found.A[1]).all(axis=1)
        assert (closed == (theta1 < reach)).all()
        assert (np.sign(found.q[closed][..., 1]) == math.copysign(1.0, theta2)).all()
        assert (found.modes[1][~closed] == ScalarMode.UNREACHABLE).all()


def test_map_over_two_coordinates_agrees_with_single_states(rod) -> None:
    """Time and angle both move the configuration; x is free, y follows."""
    found = painleve.mode_map(rod, {"t": (0.0, 2.0), "theta": (0.2, 1.4)}, "P1", points=9, mu=1.5, omega=4.0)
    for i, j in ((0, 0), (3, 7), (8, 4)):
        t, theta = found.values[0][i], found.values[1][j]
        state = painleve.closed_state(rod, rod.state(t=t, theta=theta, y=math.sin(theta)), "P1", mu=1.5, omega=4.0)
        for slip in (1, -1):
            single = painleve.coefficients(rod, state, "P1", slip, mu=1.5, omega=4.0)
            assert found.A[slip][i, j] == pytest.approx(single.A, rel=1e-13)
            assert found.B[i, j] == pytest.approx(single.B, rel=1e-12)
            assert found.modes[slip][i, j] == single.mode


def test_minimum_over_two_coordinates(rod) -> None:
    """The critical friction of the rod does not depend on the time: 4/3 at atan 2 whatever the floor does."""
    found = painleve.minimal_critical_friction(rod, {"theta": (0.2, 1.4), "t": (0.1, 0.9)}, "P1", points=41)
    assert found.mu == pytest.approx(4 / 3, rel=1e-12)
    assert found.curve.shape == (41, 41)


def test_minimum_at_the_end_of_a_range(rod) -> None:
    theta = 0.6
    found = painleve.minimal_critical_friction(rod, {"theta": (0.2, theta)}, "P1")
    expected = (1 + 3 * math.cos(theta) ** 2) / (3 * math.sin(theta) * math.cos(theta))
    assert found.mu == pytest.approx(expected, rel=1e-12)


def test_modes_and_their_solutions() -> None:
    A = np.array([1.0, 1.0, -1.0, -1.0, 0.0, 0.0, 1.0, np.nan])
    B = np.array([1.0, -1.0, 1.0, -1.0, -1.0, 1.0, 0.0, 1.0])
    assert classify(A, B).tolist() == [1, 2, 3, 4, 4, 1, 1, 0]
    assert str(ScalarMode.INCONSISTENT) == "inconsistent"


def test_every_solution_of_an_indeterminate_state(rod) -> None:
    state = rod.state(theta=math.atan(2.0), d_theta=5.0)
    found = painleve.coefficients(rod, state, "P1", -1, mu=2.0, A=0.0)
    assert found.mode is ScalarMode.INDETERMINATE
    assert found.normal_forces == pytest.approx((0.0, -found.B / found.A))
    assert found.normal_forces[1] > 0.0


def test_frictionless_contact_has_no_direction() -> None:
    system = jounce.compile_model(jounce.systems.bouncing_ball())
    found = painleve.coefficients(system)
    assert (found.slip, found.mu) == (0, 0.0)
    assert pytest.approx(1.0 / system.model.defaults.get("m", 1.0)) == found.A
    assert found.mode is ScalarMode.SLIDING
    assert painleve.critical_friction(system).mu == math.inf


def test_public_names() -> None:
    assert jounce.painleve is painleve
    for name in ("impact", "impact_many", "impact_bodies", "PlanarBody", "compare_laws", "Law", "painleve"):
        assert name in jounce.__all__
        assert getattr(jounce, name) is not None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda s: painleve.coefficients(s), "2 contacts: say which"),
        (lambda s: painleve.coefficients(s, contact="P3"), "no contact 'P3'"),
        (lambda s: painleve.coefficients(s, contact="P1", slip=2), r"slip must be \+1, -1"),
        (lambda s: painleve.coefficients(s, contact="P1", slip=1, modes={"P1": "STICK"}), "no other contact"),
        (lambda s: painleve.coefficients(s, contact="P1", slip=1, modes={"P2": "GLUED"}), "cannot be 'GLUED'"),
        (lambda s: painleve.mode_map(s, {"theta": (0, 1)}, "P1"), "must name 2 state variables"),
        (lambda s: painleve.mode_map(s, {"theta": (0, 1), "phi": (0, 1)}, "P1"), "no state variable 'phi'"),
        (lambda s: painleve.mode_map(s, {"theta": (1, 0), "t": (0, 1)}, "P1"), "low < high"),
        (lambda s: painleve.mode_map(s, {"y": (1, 2), "theta": (0, 1)}, "P1"), "leave one more coordinate out"),
        (lambda s: painleve.mode_map(s, {"theta": (0, 1), "t": (0, 1)}, "P1", solve_for="theta"), "cannot follow"),
        (
            lambda s: painleve.minimal_critical_friction(s, {"d_theta": (0, 1)}, "P1"),
            "coordinates only, not on d_theta",
        ),
    ],
)
def test_mistakes_are_named(rod, call, words) -> None:
    with pytest.raises(OptionError, match=words):
        call(rod)


def test_no_slip_asks_for_a_direction(rod) -> None:
    with pytest.raises(SimulationError, match="does not slip in this state"):
        painleve.coefficients(rod, rod.state(theta=0.4), "P1")
    with pytest.raises(SimulationError, match="parameters: unknown name 'muu'"):
        painleve.coefficients(rod, rod.state(theta=0.4), "P1", 1, muu=0.4)


def test_what_cannot_be_closed_says_so(rod) -> None:
    with pytest.raises(SimulationError, match="no state of closed contact 'P1'"):
        painleve.closed_state(rod, rod.state(y=5.0, theta=0.3), "P1", solve_for="theta")
    with pytest.raises(OptionError, match="no state of this map is reachable"):
        painleve.mode_map(
            rod, {"y": (3.0, 5.0), "d_x": (-1.0, 1.0)}, "P1", state=rod.state(y=0.4, theta=0.4), points=11
        )


def test_the_command_prints_the_singular_points(capsys, tmp_path):
    """The same points as the library's, and clear words for ranges that are none."""
    path = tmp_path / "map.json"
    words = ["painleve", "manipulator", "--over", "theta1=-48deg:48deg,d_theta1=-3:3", "--set", "mu=0.8,v_t=0"]
    assert main([*words, "--points", "120", "--json", str(path)]) == 0
    system = jounce.compile_model(jounce.systems.manipulator())
    reach = np.radians(48.0)
    over = {"theta1": (-reach, reach), "d_theta1": (-3.0, 3.0)}
    points = jounce.painleve.singular_points(system, over, points=120, mu=0.8, v_t=0.0)
    found = json.loads(path.read_text())["singular_points"]
    assert [point["kind"] for point in found] == [point.kind for point in points]
    assert [point["theta1"] for point in found] == pytest.approx([point.state["theta1"] for point in points])
    assert points[0].kind in capsys.readouterr().out
    assert main(["painleve", "manipulator", "--over", "theta1=0:1"]) == 2
    assert "two state variables" in capsys.readouterr().err
    assert main(["painleve", "manipulator", "--over", "theta=0:1,d_theta1=0:1"]) == 2
    assert "did you mean" in capsys.readouterr().err
