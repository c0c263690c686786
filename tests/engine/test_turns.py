"""Angles are counted in turns: a motion does not depend on how many, and nobody who looks at it sees any of this."""

from __future__ import annotations

import dataclasses
from functools import cache

import mpmath
import numpy as np
import pytest
from sympy import cos, pi, sin, tan

import jounce
from jounce.analysis.sections.recurrence import FREE, state_periods
from jounce.analysis.sections.section_map import SectionMap
from jounce.model import Contact, Model, coordinate, coordinates, parameters, time
from jounce.model.periodicity import NOWHERE, mechanics_turns, turns
from jounce.system import System
from tests.engine.support import ready_made, unexplained

ROD = {"omega": 4.405, "mu": 0.05, "e": 0.8}
TOLERANCE = 1e-12


def rotor(**rest) -> Model:
    """A wheel with a pin, turned by a constant torque against a drag; the pin never reaches the wall."""
    theta, dtheta = coordinate("theta", "rad")
    T, c, b = parameters(T=1.0, c=0.0, b=0.0)
    return Model.from_lagrangian(
        "pin_rotor",
        coordinates=[theta],
        kinetic=dtheta**2 / 2,
        potential=b * cos(theta) - T * theta,
        forces={theta: -c * dtheta},
        contacts=[Contact("pin", gap=2 - sin(theta), restitution=0.5)],
        **rest,
    )


@cache
def compiled_rotor() -> System:
    theta, _ = coordinate("theta", "rad")
    return jounce.compile_model(rotor(guards={"twenty": theta - 20, "half": sin(theta / 2), "up": sin(theta - 1)}))


def unreduced(system: System) -> System:
    """The same system with angles left as they grow."""
    return dataclasses.replace(system, turns=(0,) * system.n)


def within_a_turn(angle: float, k: int) -> float:
    """angle - 2 pi k, correctly rounded."""
    with mpmath.workdps(50):
        return float(mpmath.mpf(angle) - 2 * mpmath.pi * k)


def end_and_events(run) -> tuple[np.ndarray, np.ndarray]:
    return np.concatenate([run.final.q, run.final.u]), run.events["t"].to_numpy()


# ------------------------------------------------------------------------------------------------ which coordinates


def test_angles_are_found_in_the_model():
    (a, da), (b, _), (x, _), (s, _) = coordinates("a b x s")
    T, k = parameters(T=1.0, k=3.0)
    model = Model(
        "angles",
        coordinates=[a, b, x, s],
        mass=[2 + cos(a - b), 1, 1, 1],
        forces=[T + sin(a / 2) * da, sin(2 * a + b + x**2) + tan(b), 0, -k * s],
        contacts=[Contact("c", gap=3 + sin(1.5 * a + pi / 7), slip=da * cos(b), friction=0.1, restitution=0.5)],
    )
    assert mechanics_turns(model) == (2, 1, 0, 0)
    a, b = model.q[:2]
    assert turns(model, [sin(model.p[0] * a), cos(sin(b)) + b]) == (0, 0, NOWHERE, NOWHERE)
    assert turns(model, [cos(sin(b))]) == (NOWHERE, 1, NOWHERE, NOWHERE)
    assert turns(model, [sin(a * b), sin(a / 1000)]) == (0, 0, NOWHERE, NOWHERE)


def test_a_driven_crank_is_not_counted_in_turns():
    theta, _ = coordinate("theta", "rad")
    model = Model("driven", coordinates=[theta], mass=[1], forces=[-sin(theta)], joints={"motor": theta - 2 * time})
    assert mechanics_turns(model) == (0,)


def test_recurrence_asks_guards_too():
    theta, _ = coordinate("theta", "rad")
    assert state_periods(jounce.compile_model(rotor()))[0] == pytest.approx(2 * np.pi)
    assert state_periods(compiled_rotor())[0] == 0.0
    assert compiled_rotor().watched_angles == (0,)
    assert jounce.compile_model(rotor(guards={"up": sin(theta)})).watched_angles == ()
    assert state_periods(ready_made("slender_rod"))[0] == FREE


# ------------------------------------------------------------------------------------------------ motions


@pytest.mark.parametrize("k", [1, -1, 7, 100, -12345, 10**6])
@pytest.mark.parametrize("angle", [0.3, -1.1, 2.9])
def test_turns_of_the_start_change_nothing(k, angle):
    """Against a start at the correctly rounded angle within its turn: what is left is one rounding."""
    system = ready_made("slender_rod")
    given = angle + 2 * np.pi * k
    runs = [
        jounce.simulate(system, system.state(y=3.0, theta=theta), 6.0, **ROD)
        for theta in (within_a_turn(given, k), given)
    ]
    (end, times), (far_end, far_times) = map(end_and_events, runs)
    assert runs[0].events["kind"].tolist() == runs[1].events["kind"].tolist()
    assert np.abs(times - far_times).max() < 1e-9  # 6 impacts, each of which multiplies a rounding by ten or so
    shift = np.array([0, 0, 2 * np.pi * k, 0, 0, 0])
    assert np.abs(far_end - end - shift).max() < 1e-8 + 1e-15 * abs(given)
    assert runs[1].start["theta"] == given


@pytest.mark.parametrize("start", range(20))
def test_impacts_far_from_zero(start):
    """At theta = 619 a period of the forcing had a million impacts in place of 190, or ended in a paradox."""
    system = ready_made("slender_rod")
    counts = set()
    for k in (0, 98, 1000):
        state = system.state(y=0.1 + 1.1 * np.sin(0.05 * start), theta=0.05 * start + 2 * np.pi * k, d_theta=0.3)
        run = jounce.simulate(system, state, 1.5, options=jounce.Options(max_events=20_000), **ROD)
        assert run.status.name == "FINISHED"
        counts.add(len(run.events))
    assert max(counts) < 1.5 * min(counts) + 10


def test_the_rod_of_the_readme_for_a_long_time():
    """It ended in a paradox at t = 69942, with a friction of 0.05 against a critical one of 4/3 and more."""
    system = ready_made("slender_rod")
    start = system.state(y=6.0, theta=0.3 + 200 * np.pi)  # as far as it may have turned by then
    run = jounce.simulate(system, start, 1e5, options=jounce.Options(record="nothing"), **ROD)
    assert run.status.name == "FINISHED"


@pytest.mark.parametrize(("name", "start"), [("slender_rod", {"y": 2.0, "theta": 0.3}), ("rocking_block", {})])
def test_motions_within_a_turn_keep_every_bit(name, start):
    system = ready_made(name)
    runs = [jounce.simulate(each, each.state(**start), 4.0) for each in (system, unreduced(system))]
    assert np.abs(runs[0].states(np.linspace(0, runs[0].t_end, 50))[:, :3][:, 2]).max() < 2 * np.pi
    for a, b in zip(*map(end_and_events, runs), strict=True):
        assert np.array_equal(a, b)


# ------------------------------------------------------------------------------------------------ who looks on


def test_everything_shows_whole_angles(tmp_path):
    """theta = t^2/2 under a unit torque: states, events, energy, files and cut runs, over 80 turns and across each."""
    system = compiled_rotor()
    run = jounce.simulate(system, system.state(), 32.0, options=jounce.Options(tolerance=TOLERANCE))
    times = np.linspace(0.0, 32.0, 2001)
    assert np.abs(run.states(times)[:, 0] - times**2 / 2).max() < 1e-9
    assert run.final["theta"] == pytest.approx(512.0, abs=1e-9)
    assert run.at(20.0)["theta"] == pytest.approx(200.0, abs=1e-9)
    events = run.events
    names = np.array(list(system.guard_names))[np.nan_to_num(events["region"]).astype(int)]
    crossed = {
        name: events["t"].to_numpy()[(events["kind"] == "user") & (names == name)] for name in system.guard_names
    }
    assert crossed["twenty"] == pytest.approx([np.sqrt(40.0)], abs=1e-9)
    for name, first, step in (("half", 2 * np.pi, 2 * np.pi), ("up", 1.0, np.pi)):
        expected = np.sqrt(2 * np.arange(first, 512.0, step))
        assert crossed[name] == pytest.approx(expected, abs=1e-9)
    energy = run.energy
    assert float(energy["potential"][-1]) == pytest.approx(-512.0, abs=1e-8)
    assert unexplained(run) < 1e-12
    run.save(tmp_path / "run.nc")
    assert np.array_equal(jounce.load(tmp_path / "run.nc").states(times), run.states(times))
    cut = jounce.simulate(system, run.at(20.0), 32.0, options=jounce.Options(tolerance=TOLERANCE))
    assert cut.final["theta"] == pytest.approx(512.0, abs=1e-9)


def test_work_that_is_not_periodic_in_the_angle():
    """A potential -F t theta: its rate -F theta is applied power, and needs the whole angle."""
    theta, dtheta = coordinate("theta", "rad")
    (F,) = parameters(F=0.5)
    model = Model.from_lagrangian(
        "growing_torque",
        coordinates=[theta],
        kinetic=dtheta**2 / 2,
        potential=-F * time * theta,
        contacts=[Contact("pin", gap=2 - sin(theta), restitution=0.5)],
    )
    system = jounce.compile_model(model)
    assert system.watched_angles == (0,)
    run = jounce.simulate(system, system.state(), 15.0, options=jounce.Options(tolerance=TOLERANCE))
    assert run.final["theta"] == pytest.approx(0.5 * 15.0**3 / 6, rel=1e-11)
    assert float(run.energy["applied_work"][-1]) == pytest.approx(-0.5 * 0.5 * 15.0**4 / 24, rel=1e-10)
    assert unexplained(run) < 1e-11


def test_sections_and_their_samples_are_whole():
    system = compiled_rotor()
    samples = SectionMap(system, "plane:theta=100:+1").iterate(system.state(d_theta=1.0), 1)
    assert samples["theta"] == pytest.approx([100.0], abs=1e-9)
    upward = SectionMap(jounce.compile_model(rotor()), "plane:sin(theta)=0:+1").iterate(system.state(d_theta=1.0), 30)
    assert upward["theta"] == pytest.approx(2 * np.pi * np.arange(1, 31), abs=1e-8)


def test_a_turning_pendulum_against_the_angle_left_as_it_is():
    """Two formulations of one motion: reduced and not, over 60 turns with varying speed."""
    system = compiled_rotor()
    options = jounce.Options(tolerance=TOLERANCE)
    start = {"theta": 0.4, "d_theta": 9.0}
    values = {"T": 1.0, "c": 0.1, "b": 8.0}
    pair = (system, unreduced(system))
    runs = [jounce.simulate(each, each.state(**start), 40.0, options=options, **values) for each in pair]
    times = np.linspace(0.0, 40.0, 1001)
    assert runs[0].final["theta"] > 100 * np.pi
    assert np.abs(runs[0].states(times) - runs[1].states(times)).max() < 1e-7
    assert runs[0].events["t"].to_numpy() == pytest.approx(runs[1].events["t"].to_numpy(), abs=1e-8)
