"""Starts that are put together, and machines that cannot be: what is said about them."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import jounce
from jounce import Body, Driver, Model, ModelError, Revolute, Rigid, SimulationError, Translational, ground
from jounce.model import assembly
from tests.bodies.machines import four_bar


def closed(system: jounce.System, state: jounce.State, **parameters: float) -> None:
    from jounce.system.assembly import joint_rows

    g, rate, _ = joint_rows(system, state.t, state.q, state.u, system.parameters(**parameters))
    assert np.abs(g).max() < 1e-12
    assert np.abs(rate).max() < 1e-11


def test_poses_not_given_follow_from_those_given() -> None:
    """Only three angles are given; the crank's is decided by its motor, the others stay near what was said."""
    model = four_bar(0.3, 1.0, 0.8, 1.0)
    assert model.start["crank_theta"] == pytest.approx(1.0, abs=1e-13)
    # coupler and rocker by the law of cosines on the diagonal from the crank's pin
    pin = 0.3 * np.array([math.cos(1.0), math.sin(1.0)])
    diagonal = np.array([1.0, 0.0]) - pin
    length = np.linalg.norm(diagonal)
    inner = math.acos((1.0**2 + length**2 - 0.8**2) / (2 * 1.0 * length))
    angle = math.atan2(diagonal[1], diagonal[0]) + inner
    assert model.start["coupler_theta"] == pytest.approx(angle, abs=1e-12)


def test_machine_is_assembled_from_nothing() -> None:
    """No pose at all is given: all angles zero is far from any assembled machine."""
    crank, rod = Body("crank", 1, 1), Body("rod", 1, 1)
    model = Model.from_bodies(
        "triangle",
        bodies=[crank, rod],
        joints=[
            Revolute("A", ground, crank),
            Revolute("B", crank, rod, (3, 0), (4, 0)),
            Revolute("C", ground, rod, (0, 5)),
        ],
    )
    # a triangle of sides 3, 4, 5: a right angle between the links
    turn = model.start["crank_theta"] - model.start["rod_theta"]
    assert abs(math.cos(turn)) == pytest.approx(0.0, abs=1e-10)


def test_velocities_follow_the_driver() -> None:
    system = jounce.compile_model(four_bar(0.3, 1.0, 0.8, 1.0))
    state = system.state()
    assert state["d_crank_theta"] == pytest.approx(2.0, abs=1e-13)
    closed(system, state)
    faster = system.assemble(omega=7.0)
    assert faster["d_crank_theta"] == pytest.approx(7.0, abs=1e-12)
    closed(system, faster, omega=7.0)
    with pytest.raises(SimulationError, match=r"'motor.angle': the start velocities leave .* system.assemble\(start"):
        jounce.simulate(system, state, 1.0, omega=7.0)


def test_state_holds_what_is_given_and_moves_the_rest() -> None:
    system = jounce.compile_model(four_bar(0.3, 1.0, 0.8, 1.0, driven=False))
    for angle in (2.5, -1.2, 6.0):
        state = system.state(crank_theta=angle, d_crank_theta=3.0)
        assert state["crank_theta"] == angle
        assert state["d_crank_theta"] == 3.0
        closed(system, state)
        # it is never turned over into the crossed machine: the coupler stays on its side of the diagonal
        pin = 0.3 * np.array([math.cos(angle), math.sin(angle)])
        along = np.array([math.cos(state["coupler_theta"]), math.sin(state["coupler_theta"])])
        diagonal = np.array([1.0, 0.0]) - pin
        assert diagonal[0] * along[1] - diagonal[1] * along[0] > 0


def test_state_at_a_later_time_is_where_the_motion_gets() -> None:
    system = jounce.compile_model(four_bar(0.3, 1.0, 0.8, 1.0))
    run = jounce.simulate(system, system.state(), 5.0)
    later = system.state(t=5.0)
    assert np.abs(later.q - run.final.q).max() < 1e-9
    assert np.abs(later.u - run.final.u).max() < 1e-8


def test_a_start_near_the_joints_is_moved_onto_them() -> None:
    system = jounce.compile_model(jounce.systems.slider_crank(driven=False))
    guess = system.state(crank_theta=1.0)
    rough = jounce.State(0.0, guess.q + 1e-3 * np.cos(np.arange(9)), guess.u, guess.names)
    start = system.assemble(rough, hold=["crank_theta"], l=0.2)
    assert start["crank_theta"] == rough["crank_theta"]
    closed(system, start, l=0.2)
    run = jounce.simulate(system, start, 0.1, l=0.2)
    assert run.status.name == "FINISHED"


def test_what_is_closed_is_left_alone_to_the_bit() -> None:
    system = jounce.compile_model(jounce.systems.wall_pendulum())
    state = system.state(x=0.6, y=-0.8)
    assert (state["x"], state["y"]) == (0.6, -0.8)
    other_arm = system.state(x=2.0, y=0.0)  # right for l=2, which state() does not know
    assert (other_arm["x"], other_arm["y"]) == (2.0, 0.0)
    jounce.simulate(system, other_arm, 0.1, l=2.0)


def test_cannot_be_assembled_names_the_open_joints() -> None:
    with pytest.raises(
        ModelError, match=r"cannot be assembled .* joints stay open \((\w\.[xy] by [-\d.e]+, )+.* m or rad"
    ):
        four_bar(0.3, 0.3, 0.3, 2.0, driven=False)


def test_cannot_be_assembled_with_other_lengths() -> None:
    system = jounce.compile_model(jounce.systems.slider_crank(driven=False))
    with pytest.raises(SimulationError, match=r"slider_crank cannot be assembled at t = 0 with crank_theta held"):
        system.assemble(system.state(crank_theta=1.5), hold="crank_theta", l=0.01)


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        (lambda a, b, c: [Driver("second", ground, a, angle=2 * jounce.time + 1)], "'second.angle' follows from"),
        (
            lambda a, b, c: [Revolute("again", ground, c, (1.0, 0), (-0.4, 0))],
            r"'again.x' follows from 'R.x'; 'again.y'",
        ),
    ],
)
def test_redundant_joints_are_named(extra: Callable[..., list], message: str) -> None:
    with pytest.raises(ModelError, match=f"the machine is over-constrained: .*{message}"):
        four_bar(0.3, 1.0, 0.8, 1.0, extra=extra)


def test_parallel_links_are_redundant_but_may_be_allowed() -> None:
    """Three equal cranks under one beam: movable, yet one equation too many; the forces of least norm share."""

    def machine(**options: bool) -> Model:
        cranks = [Body(f"crank{k}", 1.0, 1 / 12, angle=1.0) for k in range(3)]
        beam = Body("beam", 2.0, 1.0, angle=0.0)
        joints: list = []
        for k, crank in enumerate(cranks):
            joints.append(Revolute(f"foot{k}", ground, crank, (k - 1.0, 0), (-0.5, 0)))
            joints.append(Revolute(f"head{k}", crank, beam, (0.5, 0), (k - 1.0, 0)))
        return Model.from_bodies("rack", bodies=[*cranks, beam], joints=joints, gravity=9.81, **options)

    with pytest.raises(ModelError, match=r"over-constrained: 'head2.[xy]' follows from .*allow_redundant=True"):
        machine()
    system = jounce.compile_model(machine(allow_redundant=True))
    run = jounce.simulate(system, system.state(), 0.5)
    # the rack is a pendulum in one angle: (3/3 + 2) theta'' = -(3/2 + 2) g cos(theta), arms of length 1
    from scipy.integrate import solve_ivp

    exact = solve_ivp(
        lambda t, z: [z[1], -(3 * 0.5 + 2) * 9.81 * math.cos(z[0]) / (3 / 3 + 2)],
        (0, 0.5),
        [1.0, 0.0],
        rtol=1e-12,
        atol=1e-13,
    )
    assert run.final["crank0_theta"] == pytest.approx(exact.y[0, -1], abs=1e-9)
    forces = run.joint_forces(0.2)
    assert forces["head0.x"].values[0] == pytest.approx(forces["head2.x"].values[0], rel=1e-6)


def test_dead_point_at_the_start() -> None:
    """A slider that drives a stretched crank: the crank may turn either way, so nothing is decided."""
    r, length = 0.1, 0.3
    crank, rod, slider = Body("crank", 1, 1, angle=0), Body("rod", 1, 1, angle=0), Body("slider", 1, 1)
    joints = [
        Revolute("A", ground, crank, (0, 0), (-r / 2, 0)),
        Revolute("B", crank, rod, (r / 2, 0), (-length / 2, 0)),
        Revolute("C", rod, slider, (length / 2, 0)),
        Translational("guide", ground, slider),
        Driver("push", ground, slider, length=r + length - 0.05 * jounce.time**2, axis=(1, 0)),
    ]
    with pytest.raises(ModelError, match="the start is a dead point of the machine"):
        Model.from_bodies("stretched", bodies=[crank, rod, slider], joints=joints)


def test_a_machine_that_locks_says_where() -> None:
    """Crank 1, coupler 1.2, rocker 1.1 on 2.4: the crank cannot pass the angle at which the others are stretched."""
    system = jounce.compile_model(four_bar(1.0, 1.2, 1.1, 2.4))
    run = jounce.simulate(system, system.state(), 3.0)
    stretched = math.acos((1 + 2.4**2 - 2.3**2) / (2 * 2.4))
    assert run.status.name == "LOCKED"
    assert "the joints" in run.status.message
    assert not run.status.ok
    assert run.t_end == pytest.approx((stretched - 1.0) / 2.0, abs=1e-7)
    with pytest.raises(SimulationError, match=r"the machine locks on the way at t = 0\.12977"):
        system.assemble(system.state().replace(t=2.0))


def test_locked_velocities() -> None:
    """A welded body cannot be driven."""
    body = Body("body", 1, 1)
    with pytest.raises(ModelError, match=r"no velocities satisfy the joints at the start: '.*' keeps the rate"):
        Model.from_bodies(
            "welded",
            bodies=[body],
            joints=[Rigid("weld", ground, body), Driver("motor", ground, body, angle=jounce.time)],
            allow_redundant=True,
        )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda b: Revolute("A", b, b), "joins 'link' to itself"),
        (lambda b: Revolute("A", "ground", b), "expected a Body or jounce.ground, not 'ground'"),
        (lambda b: Revolute("A", ground, b, at_first=3), r"at_first must be a pair \(a, b\), not 3"),
        (lambda b: Driver("A", ground, b), "needs either angle= or length="),
        (lambda b: Driver("A", ground, b, angle=b.x), "may depend on time and parameters only"),
        (lambda b: Translational("A", ground, b, axis=(0, 0)), r"must be a direction, not \(0, 0\)"),
        (lambda b: Revolute("A", ground, Body("stranger", 1, 1)), "holds 'stranger', which is not among the bodies"),
    ],
)
def test_joints_that_make_no_sense(make: Callable[..., object], message: str) -> None:
    body = Body("link", 1, 1)
    with pytest.raises(ModelError, match=message):
        Model.from_bodies("machine", bodies=[body], joints=[make(body)])


def test_names_of_bodies() -> None:
    with pytest.raises(ModelError, match="two bodies or joints are called 'link'"):
        Model.from_bodies("machine", bodies=[Body("link", 1, 1), Body("link", 1, 1)])
    with pytest.raises(ModelError, match="cannot be called 'ground'"):
        Body("ground", 1, 1)
    with pytest.raises(ModelError, match="body 'link': mass: expected a number or a SymPy expression, not 'm'"):
        Body("link", "m", 1)
    with pytest.raises(ModelError, match="body 'link': the inertia is -1; it must be finite and not negative"):
        Body("link", 1, -1)
    with pytest.raises(ModelError, match="Spring: stiffness: expected a number or a SymPy expression, not 'k'"):
        jounce.Spring(ground, Body("link", 1, 1), "k")
    with pytest.raises(ModelError, match="from_bodies has no argument 'forcess'; did you mean 'forces'"):
        Model.from_bodies("machine", bodies=[Body("link", 1, 1)], forcess=[])


@pytest.mark.parametrize("phi", [2.5, -2.8, 5.0])
def test_other_parameters_do_not_turn_the_machine_over(phi: float) -> None:
    """The tool stays to the right of the lever's end, wherever the crank starts."""
    system = jounce.compile_model(jounce.systems.quick_return("ideal"))
    start = system.assemble(phi=phi, l_rod=0.2, b=0.25)
    closed(system, start, phi=phi, l_rod=0.2, b=0.25)
    assert start["crank_theta"] == pytest.approx(phi, abs=1e-12)
    assert start["slider_x"] > 0.5 * math.cos(start["lever_theta"])
    assert start["lever_theta"] == pytest.approx(math.atan2(0.25 + 0.1 * math.sin(phi), 0.1 * math.cos(phi)), abs=1e-12)


def test_joints_do_not_jump_by_schedule() -> None:
    system = jounce.compile_model(jounce.systems.slider_crank())
    with pytest.raises(SimulationError, match=r"joint 'motor.angle' depends on 'omega', so the machine would jump"):
        jounce.simulate(system, system.state(), 1.0, schedule=[(0.5, {"omega": 3.0})])
    run = jounce.simulate(system, system.state(), 0.2, schedule=[(0.1, {"m_slider": 2.0})])
    forces = run.joint_forces([0.0999999, 0.1])
    assert abs(float(np.diff(forces["slider_pin.x"])[0])) > 1.0  # a heavier slider asks for more


@pytest.mark.parametrize("unit", [2.0**-12, 2.0**10, 1e-6, 1e-3, 1e3, 1e6])
def test_a_start_that_disagrees_with_its_joints_is_the_same_in_any_unit_of_length(unit: float) -> None:
    """Rows of angles have derivatives of 1, which are no arms of a metre, or of a millimetre."""

    def crank_slider(k: float) -> Model:
        crank = Body("crank", 1, 0.01 * k * k, center=(0.05 * k, 0), velocity=(0.1 * k, 0.3 * k), spin=1.0)
        rod = Body("rod", 1, 0.02 * k * k, center=(0.2 * k, 0.02 * k), velocity=(0.2 * k, -0.1 * k), spin=-2.0)
        slider = Body("slider", 1, 0.01 * k * k, center=(0.35 * k, 0), velocity=(k, 0), spin=0.5)
        joints = [
            Revolute("a", ground, crank, (0, 0), (-0.05 * k, 0)),
            Revolute("b", crank, rod, (0.05 * k, 0), (-0.1 * k, 0)),
            Revolute("c", rod, slider, (0.12 * k, 0), (0, 0)),
            Translational("guide", ground, slider),
        ]
        return Model.from_bodies("crank_slider", bodies=[crank, rod, slider], joints=joints)

    own, other = ({str(name): float(value) for name, value in crank_slider(k).start.items()} for k in (1.0, unit))
    scaled = {name: value * (1.0 if name.endswith("theta") else unit) for name, value in own.items()}
    assert abs(own["d_crank_theta"]) > 0.1
    if np.log2(unit).is_integer():
        assert other == scaled
    else:
        for name, value in other.items():
            assert value == pytest.approx(scaled[name], rel=1e-9, abs=1e-12 * (1.0 if name.endswith("theta") else unit))


def test_an_angle_costs_the_arm_of_the_joints_that_also_move() -> None:
    """Two pins with arms of 3 and 5, an equation of lengths in another unit, and one of two angles."""
    J = np.array([[1.0, 0.0, 3.0], [0.0, 1.0, 5.0], [1e3, 0.0, 4e3], [0.0, 0.0, 1.0]])
    terms, units = np.array([7.0, 0.0, 2e3, 99.0]), ["m", "m", "rad"]
    np.testing.assert_allclose(assembly.moving_cost(J, terms, units), [1.0, 1.0, 4.0])
    assert assembly.machine_length(J, terms, units) == 7.0
    assert assembly.machine_length(J[:, 2:], np.full(4, 7.0), ["rad"]) == 1.0
