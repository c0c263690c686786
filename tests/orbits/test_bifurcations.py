"""Every kind of bifurcation, found, named and located to 1e-8 against a closed form or an independent computation."""

from __future__ import annotations

import math
from functools import cache

import mpmath as mp
import numpy as np
import pytest
import sympy as sp

import jounce
from jounce.analysis.orbits.bifurcations.touching import least_gap
from tests.orbits import chatter_map, closed_form
from tests.orbits.small_models import (
    blown_ball,
    forced_block,
    free_block,
    impact_damper,
    lever_on_cam,
    softening_block,
)
from tests.references.belt import Belt

EXACT = 1e-8


def compiled(name):
    return jounce.compile_model(getattr(jounce.systems, name)())


def settled(system, start, span, period=1, **parameters):
    """The orbit onto which a motion settles."""
    run = jounce.simulate(system, system.state(**start), span, **parameters)
    return jounce.find_orbit(system, run.final, period=period, **parameters)


def only(branch):
    (special,) = branch.specials
    return special


# ------------------------------------------------------------------ of smooth maps


@pytest.mark.parametrize(("e", "omega"), [(0.8, 2.6), (0.6, 2.9)])
def test_neimark_sacker_where_volumes_stop_shrinking(e, omega):
    """The product of the multipliers is e^2 exp(c T): the pair leaves the unit circle where that is 1."""
    period, angle = 2 * math.pi / omega, closed_form.phase(1, e, omega)
    start = blown_ball().state(t=angle / omega + period / 2, y=math.sin(angle) + closed_form.G * period**2 / 8)
    orbit = jounce.find_orbit(blown_ball(), start, omega=omega, e=e)
    exact = -2 * math.log(e) / period
    branch = jounce.continue_orbit(orbit, "c", (-0.02, exact + 0.1), step=0.05)
    found = only(branch)
    assert found.kind == "neimark_sacker"
    assert found.parameter == pytest.approx(exact, abs=1e-11)
    assert np.abs(found.solution.multipliers) == pytest.approx([1.0, 1.0], abs=1e-9)
    assert np.abs(found.solution.multipliers.imag).min() > 0.1
    assert branch.stable[branch.values < exact].all()
    assert not branch.stable[branch.values > exact].any()


def test_limit_point_of_sliding_equilibria():
    """mu m g = k x - s x^3 has its maximum 2 k/3 sqrt(k/(3 s)) at x = sqrt(k/(3 s)): there stable and unstable meet."""
    rest = jounce.find_equilibrium(softening_block(), "SLIP-", softening_block().state(x=0.3), mu=0.1, k=2.5)
    branch = jounce.continue_equilibrium(rest, "mu", (0.01, 0.4))
    found = only(branch)
    x = math.sqrt(2.5 / 3)
    assert found.kind == "limit_point"
    assert found.parameter == pytest.approx(2 * 2.5 * x / 3 / 10, abs=1e-12)
    assert found.solution.state["x"] == pytest.approx(x, abs=1e-6)  # the branch is vertical there
    assert np.ptp(branch.variable("x")) > 1.0  # passed
    assert branch.stable[0] is not branch.stable[-1]


def test_strongly_unstable_orbit_is_followed_from_node_to_node():
    """x'' + c x' - k x = F cos(omega t): a saddle whose multipliers exp(lambda T) reach 1e10."""
    system = compiled("impact_oscillator")
    orbit = jounce.find_orbit(system, system.state(x=-0.5), k=-0.3, omega=1.0, c=0.1, d=10.0)
    branch = jounce.continue_orbit(orbit, "k", (-14.0, -0.2), step=2.0)
    assert branch.specials == []
    assert branch.values[[0, -1]] == pytest.approx([-14.0, -0.2], abs=1e-12)
    for point in branch.points:
        solution, k = point.solution, point.solution.parameters["k"]
        growth = math.exp(2 * math.pi * (-0.05 + math.sqrt(0.0025 - k)))
        assert solution.multipliers[0].real == pytest.approx(growth, rel=1e-9)
        response = 1 / (k - 1 + 0.1j)
        times = np.linspace(solution.run.t_start, solution.run.t_end, 40)
        exact = np.real(response * np.exp(1j * times))
        assert solution.run.states(times)[:, 0] == pytest.approx(exact, abs=1e-9)
    assert branch.points[0].solution.nodes > 3
    assert abs(branch.points[0].solution.multipliers[0]) > 1e10


# ------------------------------------------------------------------ of touching and flying


def test_grazing_of_the_oscillator():
    """The amplitude F/|k - m omega^2 + i c omega| reaches the wall."""
    system = compiled("impact_oscillator")
    amplitude = 1.3 / abs(1.1 - 0.8**2 + 0.17 * 0.8j)
    parameters = {"omega": 0.8, "c": 0.17, "F": 1.3, "k": 1.1}
    orbit = jounce.find_orbit(system, system.state(x=2.0), d=amplitude + 0.3, **parameters)
    found = jounce.continue_orbit(orbit, "d", (amplitude - 0.5, amplitude + 1.0), step=0.2).find("grazing")[0]
    assert found.parameter == pytest.approx(amplitude, abs=1e-10)
    assert "touches" in found.explanation


@pytest.mark.parametrize("e", [0.0, 0.5])
def test_flight_is_lost_where_the_table_no_longer_throws(e):
    """A omega^2 = g; gained there in test_ball.py.

    A flight at A omega^2 = (1 + x) g is x^2 A high, up to a factor: below x = 2^-26 it drowns in the rounding of y.
    """
    orbit = settled(compiled("ball_on_table"), {"y": 1.0}, 200.0, omega=3.2, e=e)
    found = only(jounce.continue_orbit(orbit, "omega", (3.1, 3.3), step=0.05, direction="down"))
    assert found.kind == "loss_of_flight"
    exact = math.sqrt(closed_form.G)
    assert found.parameter == pytest.approx(exact, rel=2.0**-26)
    assert abs(found.parameter - exact) <= found.uncertainty < 1e-7
    assert "no longer opens" in found.explanation


@pytest.mark.parametrize(("e", "low", "high"), [(0.3, 4.35, 4.4), (0.7, 3.6, 3.65)])
def test_chatter_ends_where_the_bounces_are_thrown_before_they_are_over(e, low, high):
    """Followed bounce by bounce in 25 digits."""
    orbit = settled(compiled("ball_on_table"), {"y": 1.0}, 200.0, omega=3.2, e=e)
    assert {step.kind for step in orbit.signature} == {"chatter", "lift_off"}
    found = jounce.continue_orbit(orbit, "omega", (3.15, high), step=0.2, direction="up").specials[0]
    assert found.kind == "chatter_end"
    assert found.parameter == pytest.approx(chatter_map.threshold(e, low, high), abs=EXACT)
    assert "finitely many" in found.explanation


# ------------------------------------------------------------------ of friction


FORCED = {"k": 4.0, "c": 0.3, "omega": 1.3, "v_belt": 0.5}


@cache
def response_reaches_the_belt():
    """The force at which the velocity of the linear response is that of the belt."""
    return 0.5 * abs(4.0 - 1.3**2 + 0.3 * 1.3j) / 1.3


def test_stick_is_gained_and_lost_where_the_velocity_reaches_the_belt():
    orbit = settled(forced_block(), {"x": -0.5}, 300.0, F=0.5, mu=0.2, mu_s=0.2, **FORCED)
    branch = jounce.continue_orbit(orbit, "F", (0.45, 1.2), step=0.1)
    gained = only(branch)
    assert gained.kind == "gain_of_stick"
    assert gained.parameter == pytest.approx(response_reaches_the_belt(), abs=EXACT)
    assert "slip velocity touches zero" in gained.explanation
    back = jounce.continue_orbit(branch.points[-1].solution, "F", (0.45, 1.25), step=0.1, direction="down")
    lost = only(back)
    assert lost.kind == "loss_of_stick"
    assert lost.parameter == pytest.approx(response_reaches_the_belt(), abs=EXACT)
    assert back.points[0].solution.signature == ()  # and followed on


def test_stick_that_begins_with_a_jump_ends_the_branch():
    """With more static friction the block is let go later, however short the stick: no orbit is near."""
    orbit = settled(forced_block(), {"x": -0.5}, 300.0, F=0.5, mu=0.2, mu_s=0.25, **FORCED)
    branch = jounce.continue_orbit(orbit, "F", (0.45, 1.2), step=0.1, direction="up")
    assert only(branch).parameter == pytest.approx(response_reaches_the_belt(), abs=EXACT)
    assert "no orbit emanates" in branch.ends[1]


@pytest.mark.parametrize(("parameter", "bounds", "near"), [("c", (0.05, 0.3), 0.167), ("v_belt", (0.4, 0.9), 0.665)])
def test_stick_is_lost_where_the_slide_misses_the_belt(parameter, bounds, near):
    """The greatest velocity of the slide after release is just the belt's: in closed form with 40 digits."""
    import mpmath

    fixed = {"mu": 0.3, "mu_s": 0.4, "c": 0.1, "v_belt": 0.5}

    def misses(value):
        belt = Belt(**{"k": 10.0, **fixed, parameter: value})
        x = (belt.mu_s * belt.m * belt.g - belt.c * belt.v_belt) / belt.k
        ringing = mpmath.sqrt(belt.k / belt.m - (belt.c / (2 * belt.m)) ** 2)
        t = mpmath.findroot(lambda t: belt.slide(x, belt.v_belt, -1, t)[2], 1.45 * mpmath.pi / ringing)
        return belt.slide(x, belt.v_belt, -1, t)[1] - belt.v_belt

    exact = float(mpmath.findroot(misses, (near - 0.001, near + 0.001), solver="anderson"))
    orbit = settled(compiled("belt_oscillator"), {}, 40.0, **fixed)
    found = only(jounce.continue_orbit(orbit, parameter, bounds, step=0.1, direction="up"))
    assert found.kind == "loss_of_stick"
    assert found.parameter == pytest.approx(exact, abs=EXACT)
    assert "no longer reaches zero" in found.explanation


@pytest.mark.parametrize("mu", [0.3, 0.25])
def test_slip_is_lost_and_gained_where_the_force_reaches_static_friction(mu):
    """F (cos t + cos 2t) has the maximum 2 F and two minima of -9 F/8 (cos t = -1/4): slip begins at mu_s m g = 3 N."""
    orbit = settled(free_block(), {}, 60.0, F=2.0, mu=mu, mu_s=0.3)
    branch = jounce.continue_orbit(orbit, "F", (1.2, 2.75), step=0.2)
    lost, gained = branch.specials
    assert (lost.kind, gained.kind) == ("loss_of_slip", "gain_of_slip")
    assert lost.parameter == pytest.approx(3 / 2, abs=EXACT)
    assert gained.parameter == pytest.approx(3 / (9 / 8), abs=EXACT)
    # with less kinetic friction the slip that is lost still lasts
    assert ("friction no longer reaches its limit" in lost.explanation) is (mu < 0.3)
    assert branch.points[0].solution.signature == ()
    assert len(branch.points[-1].solution.signature) == 6


def test_nothing_is_reported_outside_the_bounds():
    """Stick is lost at F = 4.0189, just beyond."""
    orbit = settled(free_block(), {}, 60.0, F=3.5, mu=0.25, mu_s=0.3)
    branch = jounce.continue_orbit(orbit, "F", (3.4, 4.0), step=0.1, direction="up")
    assert branch.specials == []
    assert branch.values[-1] == 4.0


def test_flight_is_gained_where_the_least_force_vanishes():
    """Riding on the cam the lever's angle is atan2(y, x) + asin(r/sqrt(x^2 + y^2)): a closed form, in 40 digits."""
    t, omega = sp.symbols("t omega")
    J, k, c, r, a, L, rest = (sp.Rational(text) for text in ["1/100", "2", "1/500", "1/20", "1/100", "3/10", "-1/10"])
    x, y = L + a * sp.cos(omega * t), -r + a * sp.sin(omega * t)
    angle = sp.atan2(y, x) + sp.asin(r / sp.sqrt(x**2 + y**2))
    moment = J * angle.diff(t, 2) + c * angle.diff(t) + k * (angle - rest)
    force, rate = (sp.lambdify((t, omega), entry, "mpmath") for entry in (moment, moment.diff(t)))
    with mp.workdps(40):
        exact = float(mp.findroot(lambda at, speed: (force(at, speed), rate(at, speed)), (0.0617, 28.1))[1])
    system = lever_on_cam()
    riding = jounce.simulate(system, system.state(), 20.0).final
    branch = jounce.continue_orbit(jounce.find_orbit(system, riding, "phase:0"), "omega", (18.0, 34.0), direction="up")
    (found,) = branch.find("gain_of_flight")
    assert found.parameter == pytest.approx(exact, abs=1e-9)
    assert branch.ends[1] == "omega reaches its bound 34"


def test_a_strongly_unstable_branch_has_no_false_grazing():
    """Whatever point of the branch it starts from: the same doublings, and the one grazing where a gap touches zero.

    The multiplier reaches 2,000 on the way: single shooting, and steps that stray, once ended the branch in grazings
    that were none.
    """
    system, found = impact_damper(), []
    for omega in (0.81, 0.815):
        settled = jounce.simulate(system, system.state(), 3000.0, omega=omega, options=jounce.Options(record="nothing"))
        orbit = jounce.find_orbit(system, settled.final, "phase:0", period=2, omega=omega)
        branch = jounce.continue_orbit(orbit, "omega", (0.76, 0.9125), step=0.002)
        found.append([(special.kind, special.parameter) for special in branch.specials[:3]])
        assert branch.values.min() == pytest.approx(branch.find("period_halving")[0].parameter, abs=1e-9)
        assert least_gap(branch.find("grazing")[0].solution, "left")[0] == pytest.approx(0.0, abs=1e-8)
    for (kind, one), (other_kind, other) in zip(*found, strict=True):
        assert kind == other_kind
        assert one == pytest.approx(other, abs=1e-9)
    assert [kind for kind, _ in found[0]] == ["period_halving", "period_doubling", "grazing"]
