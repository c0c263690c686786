"""Joints that rub while a machine is struck, against other formulations of the same process."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import jounce
from tests.references.flow import check_derivative
from tests.rubbing.impact_reference import Sums, arm_start, compliant, double_arm, jam_of_pin, process
from tests.rubbing.machines import pendulum

# angles and angular velocities shortly before the floor is hit, friction of pins and floor, restitution
CASES = {
    "all slide on": ((0.5, -0.4), (-0.5, -2.0), 0.3, 0.2, 0.6),
    "the pin turns round": ((0.45, -0.5), (-0.05, -2.0), 0.3, 0.5, 0.6),
    "the knee turns round": ((0.8, -0.1), (-2.0, -1.9), 0.9, 0.3, 0.7),
    "the foot sticks": ((0.9, -0.9), (-1.0, 0.5), 0.2, 0.9, 0.5),
    "the knee sticks": ((0.2, -0.1), (-1.0, -1.1), 3.0, 0.3, 0.7),
    "plastic": ((0.6, -0.3), (-1.0, -3.0), 0.5, 0.3, 0.0),
}


@pytest.fixture(scope="module")
def system() -> jounce.System:
    return jounce.compile_model(double_arm())


def first_blow(system: jounce.System, case: str, law: str = "energetic", **units: float) -> jounce.Trajectory:
    """The motion until the floor has been hit once."""
    angles, spins, mu, mu_floor, e = CASES[case]
    start = arm_start(system, angles, spins, **units)
    options = jounce.Options(law=law, tolerance=1e-11)
    given: Any = {"mu": mu, "mu_knee": mu, "mu_floor": mu_floor, "e": e}
    t_end = 3.0 * units.get("time", 1.0)
    return jounce.simulate(system, start, t_end, stop_at="impact:floor", options=options, **given)


def both_sides(run: jounce.Trajectory) -> tuple[list[float], np.ndarray, np.ndarray]:
    """Angles at the impact, velocities before and behind it."""
    before, after = (run.at(run.t_end, side=side) for side in ("left", "right"))
    return [before["a_theta"], before["b_theta"]], before.u, after.u


@pytest.mark.parametrize("law", ["energetic", "poisson", "newton"])
@pytest.mark.parametrize("case", CASES)
def test_velocities_behind_a_blow_are_those_of_the_process(system: jounce.System, case: str, law: str) -> None:
    run = first_blow(system, case, law)
    angles, before, after = both_sides(run)
    theirs = process(angles, before, law, *CASES[case][2:])
    assert after == pytest.approx(theirs, rel=1e-8, abs=1e-9)
    rows = run.events[run.events.kind.astype(str) == "impact"]
    assert set(rows.contact) == {"floor", "pin", "knee"}
    assert (rows.energy_loss > -1e-12).all()
    M = np.diag([2.0, 2.0, 0.05, 1.0, 1.0, 0.02])
    lost = (before @ M @ before - after @ M @ after) / 2
    assert rows.energy_loss.sum() == pytest.approx(lost, rel=1e-9)
    assert run.audit().empty


@pytest.mark.parametrize("law", ["energetic", "poisson", "newton"])
@pytest.mark.parametrize("case", CASES)
def test_impulses_of_a_blow_are_those_of_the_process(system: jounce.System, case: str, law: str) -> None:
    """p_n of a joint is the length of the way of its impulse, which is longer than the impulse where that turns."""
    run = first_blow(system, case, law)
    angles, before, _ = both_sides(run)
    sums = Sums()
    process(angles, before, law, *CASES[case][2:], sums=sums)
    rows = run.events[run.events.kind.astype(str) == "impact"].set_index("contact").loc[["floor", "pin", "knee"]]
    scale = sums.pressed[0]
    assert rows.p_n.to_numpy() == pytest.approx(sums.pressed, rel=1e-8, abs=1e-9 * scale)
    assert rows.p_t.to_numpy() == pytest.approx(sums.rubbed, rel=1e-8, abs=1e-9 * scale)
    given = run.joint_impulses()[["pin.x", "pin.y", "knee.x", "knee.y"]].to_numpy().sum(axis=0)
    assert given == pytest.approx(sums.joints, rel=1e-8, abs=1e-9 * scale)
    assert (rows.p_n.to_numpy()[1:] >= np.hypot(given[::2], given[1::2]) * (1 - 1e-9)).all()


@pytest.mark.parametrize("case", ["all slide on", "the pin turns round", "the foot sticks"])
def test_they_are_the_limit_of_stiff_floors(system: jounce.System, case: str) -> None:
    """A spring that gives back e^2 of its work, with friction that is smooth over 1e-4 m/s."""
    angles, before, after = both_sides(first_blow(system, case))
    theirs = compliant(angles, before, *CASES[case][2:], width=1e-4)
    assert after == pytest.approx(theirs, abs=1e-3 * np.abs(before).max())
    smooth = process(angles, before, "energetic", 0.0, *CASES[case][3:])
    assert np.abs(after - theirs).max() < 0.2 * np.abs(after - smooth).max()


def test_a_blow_in_other_units() -> None:
    ours = first_blow(jounce.compile_model(double_arm()), "the pin turns round")
    for length, mass, time in ((1e6, 1e-3, 1e-4), (1e-5, 1e6, 1e3)):
        scaled = jounce.compile_model(double_arm(length, mass, time))
        run = first_blow(scaled, "the pin turns round", length=length, time=time)
        unit = {"p_n": mass * length / time, "p_t": mass * length / time, "energy_loss": mass * (length / time) ** 2}
        for column, size in unit.items():
            theirs = run.events[column].to_numpy(dtype=float) / size
            assert theirs == pytest.approx(ours.events[column].to_numpy(dtype=float), rel=1e-8)


def test_the_flow_through_blows_has_its_derivative(system: jounce.System) -> None:
    start = arm_start(system, (0.45, -0.5), (-0.05, -2.0))
    check_derivative(system, start, 0.3, "mu", {"impact"}, within=1e-6, mu_floor=0.5)


def struck_slider(height: float) -> jounce.Model:
    """A block in a guide of 0.2 m that runs into a stop at a height above its axis: 2 height/0.2 presses the guide."""
    mu, e = jounce.parameters(mu=(0.5, ""), e=(0.7, ""))
    block = jounce.Body("block", 1.0, 0.02, center=(0, 0), velocity=(3.0, 0))
    rail = jounce.Translational("rail", jounce.ground, block, friction=mu, length=0.2)
    face = jounce.Line(jounce.ground, (1.0, 0), (0, 1))
    stop = jounce.contact_between("stop", jounce.PointOn(block, (0.1, height)), face, restitution=e)
    return jounce.Model.from_bodies("struck_slider", bodies=[block], joints=[rail], contacts=[stop])


@pytest.mark.parametrize("height", [0.0, 0.02, 0.1, 0.15, 0.3])
def test_a_guide_that_is_struck_beside_its_axis(height: float) -> None:
    """N = 2 h p/L: v falls at the rate 1 + mu N and rises at 1 - mu N; from mu N = 1 on nothing throws it back."""
    system = jounce.compile_model(struck_slider(height))
    run = jounce.simulate(system, None, t_end=0.35)
    ratio = 0.5 * 2 * height / 0.2
    work = 9.0 / (2 * (1 + ratio))
    thrown = math.sqrt(2 * 0.49 * work * max(0.0, 1 - ratio))
    assert run.final["d_block_x"] == pytest.approx(-thrown, rel=1e-10, abs=1e-12)
    assert run.energy.impact_loss[-1] == pytest.approx(4.5 - thrown**2 / 2, rel=1e-10)
    assert run.audit().empty


def test_a_disc_that_resists_rolling_is_slowed_by_its_landings() -> None:
    """The normal impulse acts ahead of the contact point: it turns the disc back by arm p."""
    x, dx = jounce.coordinate("x", "m")
    y, dy = jounce.coordinate("y", "m")
    theta, spin = jounce.coordinate("theta", "rad")
    floor = jounce.Contact("floor", gap=y, restitution=0.5)
    rolling = jounce.Contact("rolling", slip=spin, friction=0.01, load="floor")
    model = jounce.Model.from_lagrangian(
        "landing_disc", coordinates=[x, y, theta], kinetic=(dx**2 + dy**2) / 2 + spin**2 / 400, potential=9.81 * y,
        contacts=[floor, rolling],
    )  # fmt: skip
    run = jounce.simulate(model, {"y": 0.2, "d_x": 1.0, "d_theta": 30.0}, t_end=10.0)
    total = 3 * math.sqrt(2 * 9.81 * 0.2)  # of all normal impulses until it lies: (1 + e)/(1 - e) of the first speed
    fallen = math.sqrt(0.4 / 9.81) * 3  # the weight acts from then on
    stops = fallen + (30.0 * 0.005 / 0.01 - total) / 9.81
    assert run.status.name == "FINISHED"
    assert run.events[run.events.kind.astype(str) == "stick"].t.iloc[-1] == pytest.approx(stops, rel=1e-6)
    assert run.audit().empty


def test_a_pin_that_jams_stops_at_once() -> None:
    """From mu r = J/(m h) on no force balances its friction: it takes all of the angular momentum J omega."""
    system = jounce.compile_model(pendulum())
    start = system.assemble(system.state(d_arm_theta=-3.0))
    J, moment = 0.05 + 2.0 * 0.4**2, 2.0 * 0.4
    limit = J / (moment * 0.05)
    assert "paradox" not in set(
        jounce.simulate(system, start, 0.1, mu=limit * 0.99, mu_s=limit).events.kind.astype(str)
    )
    run = jounce.simulate(system, start, 0.1, mu=limit * 1.01, mu_s=limit * 1.01)
    blow = run.events[run.events.kind.astype(str) == "impact"].iloc[0]
    assert (blow.t, blow.p_t, blow.p_n) == pytest.approx((0.0, J * 3.0 / 0.05, moment * 3.0))
    assert blow.energy_loss == pytest.approx(J * 9.0 / 2)
    assert run.status.name == "AT_REST"
    assert run.audit().empty


def test_a_pin_that_comes_to_jam_stops_there() -> None:
    """Without weight omega' = y omega^2/sqrt(1 - y^2), y = mu r m h/J: 1/omega grows by sqrt(1 - y^2) until y = 1."""
    arm = jounce.Body("arm", 2.0, 0.05, center=(0.4, 0.0))
    pin = jounce.Revolute("pin", jounce.ground, arm, (0, 0), (-0.4, 0), radius=0.05, friction=9.2 + 10 * jounce.time)
    system = jounce.compile_model(jounce.Model.from_bodies("worn_pin", bodies=[arm], joints=[pin]))
    run = jounce.simulate(system, system.assemble(system.state(d_arm_theta=-3.0)), t_end=1.0)
    omega = 1 / (1 / 3 + 0.925 * math.sqrt(1 - (9.2 / 9.25) ** 2))
    assert list(run.events.kind.astype(str)) == ["paradox", "impact"]
    assert run.events.t.to_numpy() == pytest.approx(0.005, abs=1e-8)
    assert run.events.v_t_before.iloc[1] == pytest.approx(-0.05 * omega, rel=1e-3)  # less the last 2^-26 of 1 - y^2
    assert run.final.u == pytest.approx(np.zeros(3), abs=1e-12)
    assert run.audit().empty


def test_one_of_two_joints_jams(system: jounce.System) -> None:
    """The pin stops while the knee slides on: one inelastic problem of impulses, solved by SciPy."""
    start = arm_start(system, (1.2, 0.9), (2.0, 4.0))
    run = jounce.simulate(system, start, t_end=0.001, mu=40.0, mu_knee=0.5)
    theirs, friction, joints = jam_of_pin((1.2, 0.9), start.u, 0.5)
    assert abs(friction[0]) <= 40.0 * math.hypot(*joints[:2])
    assert run.at(0.0, side="right").u == pytest.approx(theirs, rel=1e-9)
    rows = run.events[run.events.kind.astype(str) == "impact"].set_index("contact")
    assert [rows.p_t[name] for name in ("pin", "knee")] == pytest.approx(friction, rel=1e-9)
    assert run.audit().empty
