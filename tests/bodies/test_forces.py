"""Springs, dampers, forces, torques, gravity and minimal coordinates against equations written by hand."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import jounce
from jounce import (
    Body,
    CircleOn,
    Damper,
    Driver,
    Force,
    Line,
    Model,
    ModelError,
    Revolute,
    Spring,
    Torque,
    TorsionSpring,
    Translational,
    contact_between,
    ground,
    time,
)
from jounce.model.definition import equations_hash, from_definition, to_definition


def test_everything_that_pulls_on_a_free_body() -> None:
    """One body, all force elements at once, against Newton and Euler in SciPy."""
    m, J = 1.3, 0.4
    body = Body("body", m, J, center=(0.2, 0.5), angle=0.3, velocity=(0.4, -0.1), spin=1.2)
    model = Model.from_bodies(
        "kite",
        bodies=[body],
        forces=[
            Spring(ground, body, 30.0, 0.4, damping=0.7, at_first=(1.0, 1.5), at_second=(0.3, 0.1)),
            Spring(body, ground, 12.0, at_first=(-0.2, 0.4), at_second=(-1.0, 0.3)),
            Damper(ground, body, 0.9, at_first=(0.1 * sp.sin(time), -2.0), at_second=(0.0, -0.3)),
            TorsionSpring(ground, body, 2.0, 0.1, damping=0.05),
            Force(body, (sp.sin(3 * time), -0.2 * body.d_x), at=(0.1, -0.2)),
            Force(body, (0.3, 0.1), at=(-0.4, 0.0), follows=True),
            Torque(body, 0.2 * sp.cos(2 * time)),
        ],
        gravity=(0.5, -9.81),
    )

    def spring(k, rest, c, anchor, anchor_rate, place, velocity):
        d, v = place - anchor, velocity - anchor_rate
        length = np.linalg.norm(d)
        return -(k * (length - rest) + c * (d @ v) / length) * d / length

    def right(t, z):
        (x, y, th), (vx, vy, w) = z[:3], z[3:]
        R = np.array([[math.cos(th), -math.sin(th)], [math.sin(th), math.cos(th)]])
        total, torque = np.array([0.5 * m, -9.81 * m]), 0.0
        for local, force in [
            ((0.3, 0.1), lambda P, V: spring(30.0, 0.4, 0.7, np.array([1.0, 1.5]), 0, P, V)),
            ((-0.2, 0.4), lambda P, V: -12.0 * (P - [-1.0, 0.3])),
            (
                (0.0, -0.3),
                lambda P, V: spring(
                    0, 0, 0.9, np.array([0.1 * math.sin(t), -2]), np.array([0.1 * math.cos(t), 0]), P, V
                ),
            ),
            ((0.1, -0.2), lambda P, V: np.array([math.sin(3 * t), -0.2 * vx])),
            ((-0.4, 0.0), lambda P, V: R @ [0.3, 0.1]),
        ]:
            arm = R @ local
            F = force(np.array([x, y]) + arm, np.array([vx - w * arm[1], vy + w * arm[0]]))
            total, torque = total + F, torque + arm[0] * F[1] - arm[1] * F[0]
        torque += -2.0 * (th - 0.1) - 0.05 * w + 0.2 * math.cos(2 * t)
        return [vx, vy, w, *(total / m), torque / J]

    exact = solve_ivp(right, (0, 2), [0.2, 0.5, 0.3, 0.4, -0.1, 1.2], rtol=1e-12, atol=1e-13, method="DOP853")
    system = jounce.compile_model(model)
    run = jounce.simulate(system, system.state(), 2.0)
    assert np.abs(np.concatenate((run.final.q, run.final.u)) - exact.y[:, -1]).max() < 1e-8
    assert np.abs(run.energy["residual"]).max() < 1e-8


def test_torque_acts_back_on_a_body() -> None:
    """Two free discs that push each other round: the angular momentum stays."""
    a, b = Body("a", 1.0, 0.5), Body("b", 1.0, 0.2, center=(1, 0))
    model = Model.from_bodies("discs", bodies=[a, b], forces=[Torque(a, 0.3, reaction=b)])
    system = jounce.compile_model(model)
    final = jounce.simulate(system, system.state(), 2.0).final
    assert [final["d_a_theta"], final["d_b_theta"]] == pytest.approx([0.3 * 2 / 0.5, -0.3 * 2 / 0.2], rel=1e-12)


def elbow(minimal: bool, **more: Any) -> Model:
    """A double pendulum of two uniform links with a torsion spring and a floor, in either kind of coordinates."""
    l1, l2, m1, m2, k, g = jounce.parameters(l1=0.7, l2=0.5, m1=1.1, m2=0.6, k=1.5, g=9.81)
    upper = Body("upper", m1, m1 * l1**2 / 12, angle=0.4, spin=0.3)
    lower = Body("lower", m2, m2 * l2**2 / 12, angle=-0.7, spin=-1.0)
    (a, _), (b, _) = jounce.coordinates("a b", "rad")
    elbow_x, elbow_y = l1 * sp.cos(a), l1 * sp.sin(a)
    poses = {
        upper: (elbow_x / 2, elbow_y / 2, a),
        lower: (elbow_x + l2 / 2 * sp.cos(b), elbow_y + l2 / 2 * sp.sin(b), b),
    }
    chosen = {"minimal": poses, "start": {"a": 0.4, "b": -0.7, "d_a": 0.3, "d_b": -1.0}} if minimal else {}
    return Model.from_bodies(
        "elbow",
        bodies=[upper, lower],
        joints=[
            Revolute("shoulder", ground, upper, (0, 0), (-l1 / 2, 0)),
            Revolute("elbow_pin", upper, lower, (l1 / 2, 0), (-l2 / 2, 0)),
        ],
        forces=[TorsionSpring(upper, lower, k, damping=0.02)],
        contacts=[
            contact_between(
                "tip", CircleOn(lower, (l2 / 2, 0), 0.05), Line(ground, (0, -0.9)), friction=0.3, restitution=0.6
            )
        ],
        gravity=g,
        **chosen,
        **more,
    )


def test_minimal_and_cartesian_coordinates_agree_through_impacts() -> None:
    cartesian, minimal = (jounce.compile_model(elbow(kind)) for kind in (False, True))
    assert minimal.nj == 0
    assert minimal.coordinate_names == ("a", "b")
    long, short = (jounce.simulate(system, system.state(), 1.5, l2=0.5, m2=0.8) for system in (cartesian, minimal))
    first, second = long.events, short.events
    assert len(first) >= 3
    assert list(first["kind"]) == list(second["kind"])
    assert np.abs(first["t"].to_numpy() - second["t"].to_numpy()).max() < 1e-8
    assert long.final["lower_theta"] == pytest.approx(short.final["b"], abs=1e-7)
    for run in (long, short):
        assert np.abs(run.energy["residual"]).max() < 1e-8


def test_minimal_coordinates_keep_a_driver_and_give_its_torque() -> None:
    """The slider-crank in one coordinate: only the motor remains a joint, with the torque of the full machine."""
    r, length, omega = 0.05, 0.15, 20.0
    crank, rod, slider = Body("crank", 0.3, 1e-4), Body("rod", 0.2, 4e-4), Body("slider", 0.4, 1.0)
    phi, _ = jounce.coordinate("phi", "rad")
    pin = (r * sp.cos(phi), r * sp.sin(phi))
    x = pin[0] + sp.sqrt(length**2 - pin[1] ** 2)
    model = Model.from_bodies(
        "reduced",
        bodies=[crank, rod, slider],
        joints=[
            Revolute("A", ground, crank, (0, 0), (-r / 2, 0)),
            Revolute("B", crank, rod, (r / 2, 0), (-length / 2, 0)),
            Revolute("C", rod, slider, (length / 2, 0)),
            Translational("guide", ground, slider),
            Driver("motor", ground, crank, angle=omega * time + 0.5),
        ],
        minimal={
            crank: (pin[0] / 2, pin[1] / 2, phi),
            rod: ((pin[0] + x) / 2, pin[1] / 2, -sp.asin(pin[1] / length)),
            slider: (x, 0, 0),
        },
        start={phi: 0.3},
        gravity=9.81,
    )
    assert list(model.joints) == ["motor.angle"]
    assert model.start["phi"] == pytest.approx(0.5, abs=1e-14)
    system, full = jounce.compile_model(model), jounce.compile_model(jounce.systems.slider_crank())
    short = jounce.simulate(system, system.state(), 0.3)
    long = jounce.simulate(full, full.assemble(phi=0.5), 0.3, phi=0.5)
    times = np.linspace(0, 0.3, 31)
    torque, same = (run.joint_forces(times)["motor.angle"].values for run in (short, long))
    assert np.abs(torque - same).max() < 1e-10 * np.abs(same).max()
    assert np.abs(short.energy["residual"]).max() < 1e-9


def test_poses_that_move_in_time_keep_their_ledger() -> None:
    """A pendulum whose pivot is shaken, in one coordinate: Mathieu's equation, with the shaker's work booked."""
    bob = Body("bob", 1.0, 0.1)
    a, _ = jounce.coordinate("a", "rad")
    model = Model.from_bodies(
        "shaken",
        bodies=[bob],
        minimal={bob: (sp.sin(a), 0.2 * sp.sin(5 * time) - sp.cos(a), a)},
        start={a: 0.4},
        gravity=9.81,
    )
    system = jounce.compile_model(model)
    run = jounce.simulate(system, system.state(), 3.0)
    exact = solve_ivp(
        lambda t, z: [z[1], -(9.81 - 0.2 * 25 * math.sin(5 * t)) * math.sin(z[0]) / 1.1],
        (0, 3), [0.4, 0.0], rtol=1e-12, atol=1e-13, method="DOP853",
    )  # fmt: skip
    assert run.final["a"] == pytest.approx(exact.y[0, -1], abs=1e-8)
    assert np.abs(run.energy["residual"]).max() < 1e-8


@pytest.mark.parametrize(
    ("minimal", "message"),
    [
        ({}, "the pose of 'body' is missing"),
        ({"bod": (0, 0, 0)}, "'bod' is not among the bodies; did you mean 'body'"),
        ({"body": (0, 0)}, r"must be \(x, y, theta\)"),
        ({"body": (0, 0, 0)}, "the poses contain no coordinate"),
    ],
)
def test_minimal_coordinates_that_make_no_sense(minimal: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        Model.from_bodies("machine", bodies=[Body("body", 1, 1)], minimal=minimal)


@pytest.mark.parametrize("minimal", [False, True])
def test_machines_survive_as_data(minimal: bool) -> None:
    model = elbow(minimal)
    copy = from_definition(to_definition(model))
    assert equations_hash(copy) == equations_hash(model)
    assert copy.drawing == model.drawing
    assert copy.start == model.start


def test_baumgarte_lets_errors_decay_where_projection_removes_them() -> None:
    system = jounce.compile_model(jounce.systems.slider_crank(driven=False))
    from jounce.system.assembly import joint_rows

    def drift(**options: Any) -> tuple[float, jounce.Trajectory]:
        loose = jounce.Options(tolerance=1e-5, integrator="dopri5", **options)
        run = jounce.simulate(system, system.state(), 3.0, options=loose)
        rows = [joint_rows(system, t, *np.split(run.states(t)[0], 2), system.defaults)[0] for t in run.data.step_t]
        return float(np.abs(rows).max()), run

    projected, _ = drift()
    stabilised, run = drift(constraint_stabilisation="baumgarte", baumgarte=(20.0, 20.0))
    weak, _ = drift(constraint_stabilisation="baumgarte", baumgarte=(1e-3, 0.0))
    assert projected < 1e-14
    assert 1e-13 < stabilised < 0.1 * weak
    precise = jounce.simulate(system, system.state(), 3.0, options=jounce.Options(tolerance=1e-11))
    also = jounce.simulate(
        system, system.state(), 3.0, options=jounce.Options(tolerance=1e-11, constraint_stabilisation="baumgarte")
    )
    assert also.final["crank_theta"] == pytest.approx(precise.final["crank_theta"], abs=1e-6)
    assert run.status.name == "FINISHED"


@pytest.mark.parametrize("value", [(1.0,), 5.0, (0.0, 1.0), (1.0, -1.0), (float("nan"), 1.0)])
def test_baumgarte_coefficients_are_checked(value: Any) -> None:
    with pytest.raises(jounce.OptionError, match="baumgarte"):
        jounce.Options(constraint_stabilisation="baumgarte", baumgarte=value)
