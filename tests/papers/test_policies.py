"""The papers' own rules are options: each test shows the rule, its alternative, and what decides between them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce
from jounce.analysis import painleve
from jounce.papers.lancioni2009.motion import advance, dropped
from jounce.papers.liu2006.cases import CASES
from tests.papers.two_link_reference import ManipulatorReference
from tests.papers.wiper_reference import WiperReference


@pytest.fixture(scope="module")
def wiper():
    return jounce.compile_model(jounce.systems.wiper())


@pytest.fixture(scope="module")
def manipulator():
    return jounce.compile_model(jounce.systems.manipulator())


# ---------------------------------------------------------------------------------- Lancioni: plastic impact, b > 0


def plastic(system, start, phi0: float, release: str, e: float = 0.0):
    options = jounce.Options(law="poisson_two_phase", plastic_release=release)
    return jounce.simulate(system, start, start.t + 5.0, options=options, mu=0.4, e=e, phi0=phi0)


def free_acceleration(phi0: float, state) -> float:
    """b: the gap's acceleration without contact, from the printed equations."""
    phi, rate = state["phi"], state["d_phi"]
    ddphi, ddy = WiperReference(mu=0.4, phi0=phi0).flight(0.0, np.array([phi, state["y"], rate, state["d_y"]]))[2:]
    return ddy + ddphi * math.sin(phi) + rate**2 * math.cos(phi)


def test_plastic_release_stops_where_nothing_holds_the_tip(wiper) -> None:
    """phi0 = .43: both runs are one up to the impact after which b > 0; the paper's ends there."""
    start = dropped(0.38)
    stopped, continued = (plastic(wiper, start, 0.43, release) for release in ("stop", "continue"))
    assert continued.status.ok
    assert not stopped.status.ok
    assert "plastic_release='stop'" in stopped.status.message
    assert stopped.t_end == float(continued.events.t.iloc[len(stopped.events) - 1])
    last = stopped.events.iloc[-1]
    assert last.kind == "impact"
    assert abs(last.v_n_after) < 1e-14
    assert free_acceleration(0.43, stopped.final) > 0
    assert continued.events.iloc[len(stopped.events) - 1].mode_after == "OPEN"


@pytest.mark.parametrize(("phi0", "stops"), [(0.4288, False), (0.4298, True)])
def test_the_paper_stops_on_the_orbit_from_the_printed_threshold_on(wiper, phi0: float, stops: bool) -> None:
    """The orbit itself meets b > 0 from phi0 = .429 on ("the slip phase is lost", Fig. 8d)."""
    settled = advance(dropped(phi0 - 0.05), 60.0, mu=0.4, e=0.0, phi0=phi0)
    assert plastic(wiper, settled, phi0, "stop").status.ok is not stops


def test_plastic_release_leaves_other_impacts_alone(wiper) -> None:
    """An impact after which the tip stays, and one with a rebound, are no reason to stop."""
    for phi0, e in ((0.35, 0.0), (0.43, 0.2)):
        run = plastic(wiper, dropped(0.3), phi0, "stop", e)
        assert run.status.ok
        assert (run.events.kind == "impact").sum() > 5


# ------------------------------------------------------------------------------ Liu: no contact force wherever B > 0


def case_4_plastic(system, release: str, t_end: float = 0.2, **policies: str):
    theta1, height, _, parameters = CASES["case 4 plastic"]
    theta2 = math.acos(height - math.cos(theta1))
    options = jounce.Options(law="poisson", stick_release=release, tolerance=1e-12, **policies)
    start = system.state(theta1=theta1, theta2=theta2)
    return jounce.simulate(system, start, t_end, options=options, H=height, d0=theta1 - theta2, **parameters)


def test_stick_release_free_lets_go_where_b_vanishes(manipulator) -> None:
    """At the release B = 0 exactly while the belt still pushes and the force is inside the static cone."""
    run = case_4_plastic(manipulator, "free")
    release = run.events[run.events.kind == "lift_off"].iloc[0]
    assert (release.mode_before, release.mode_after) == ("STICK", "OPEN")
    state = run.at(release.t)
    given = {name: run.parameters[name] for name in ("H", "d0", "Kr", "C1", "C2", "v_t")}
    assert pytest.approx(0.0, abs=1e-8) == painleve.coefficients(manipulator, state, slip=1, **given).B
    reference = ManipulatorReference(**given)
    normal, tangential = reference.stick_forces(np.array([*state.q, *state.u]))
    assert normal > 0
    assert abs(tangential) < 0.8 * normal


def test_stick_release_cone_holds_on(manipulator) -> None:
    """With the usual rule the same stick outlives B = 0 and ends where its force leaves the cone."""
    free, cone = (case_4_plastic(manipulator, release, 5.4) for release in ("free", "cone"))
    spans = {
        name: next((a, b) for a, b, mode in run.mode_intervals("tip") if str(mode) == "STICK" and b - a > 1e-6)
        for name, run in (("free", free), ("cone", cone))
    }
    assert spans["cone"][0] == spans["free"][0] == 0.0
    assert spans["cone"][1] > spans["free"][1] + 1e-3
    given = {name: cone.parameters[name] for name in ("H", "d0", "Kr", "C1", "C2", "v_t")}
    after = cone.at(spans["free"][1] + 1e-3)
    assert painleve.coefficients(manipulator, after, slip=1, **given).B > 0
    state = cone.at(spans["cone"][1], side="left")
    normal, tangential = ManipulatorReference(**given).stick_forces(np.array([*state.q, *state.u]))
    assert abs(tangential) == pytest.approx(0.8 * normal, rel=1e-7)


def test_inconsistency_stops_or_is_an_impact(manipulator) -> None:
    """Case 4 starts with A < 0 and B < 0."""
    stopped = case_4_plastic(manipulator, "free", inconsistent="stop")
    assert stopped.status.name == "PARADOX"
    assert stopped.t_end == 0.0
    run = case_4_plastic(manipulator, "free", inconsistent="impact")
    assert run.status.ok
    first = run.events[run.events.kind == "impact"].iloc[0]
    assert first.t == 0.0
    assert first.v_n_before == 0.0
    assert first.p_n > 0
