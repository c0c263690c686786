"""Orbits of the ball on a table against the closed form: bifurcations, multipliers, branches."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import jounce
from jounce.errors import OptionError, SimulationError
from tests.orbits import closed_form

CASES = [(k, e) for e in (0.9, 0.7, 0.5, 0.3, 0.1) for k in (1, 2, 3)]


@cache
def ball():
    return jounce.compile_model(jounce.systems.ball_on_table())


def one_bounce(k, e, omega, branch=1, off=0.0):
    """The orbit of one bounce, from a guess at the top of its flight."""
    period = 2 * math.pi * k / omega
    angle = closed_form.phase(k, e, omega, branch)
    height = math.sin(angle) + closed_form.G * period**2 / 8
    guess = ball().state(t=angle / omega + period / 2, y=height + off, d_y=off)
    return jounce.find_orbit(ball(), guess, period=k, omega=omega, e=e)


@pytest.mark.parametrize(("k", "e"), CASES)
def test_fold_flip_and_grazing(k, e):
    fold, flip = closed_form.fold(k, e), closed_form.flip(k, e)
    orbit = one_bounce(k, e, 0.3 * fold + 0.7 * flip)
    grazing = closed_form.grazing(k, e)
    bounds = (0.9 * fold, 1.1 * max(flip, grazing))
    # the grazing lies within so many points; beyond it the branch may go on with more bounces
    branch = jounce.continue_orbit(orbit, "omega", bounds, step=0.3, max_points=36 if e < 0.6 else 60)
    bounced_once = [special for special in branch.specials if len(special.solution.signature) == 1]
    assert len(bounced_once) == 3
    found = {special.kind: special.parameter for special in bounced_once}
    assert set(found) == {"fold", "period_doubling", "grazing"}
    assert found["fold"] == pytest.approx(fold, abs=1e-9)
    assert found["period_doubling"] == pytest.approx(flip, abs=1e-9)
    assert found["grazing"] == pytest.approx(grazing, abs=1e-9)
    once = [p.solution for p in branch.points if len(p.solution.signature) == 1]
    upper = [solution for solution in once if math.sin(impact_phase(solution)) > 0.0]
    for solution in (*upper[::9], *once[::9]):
        omega = solution.parameters["omega"]
        side = 1 if math.sin(impact_phase(solution)) > 0.0 else -1
        assert np.sort_complex(solution.multipliers) == pytest.approx(
            np.sort_complex(closed_form.multipliers(k, e, omega, side)), abs=1e-8, rel=1e-8
        )


def impact_phase(orbit):
    return float(orbit.events.t.iloc[0]) * orbit.parameters["omega"]


@pytest.mark.parametrize("branch", [1, -1])
def test_orbit_from_a_poor_guess(branch):
    orbit = one_bounce(1, 0.9, 3.0, branch, off=0.02)
    assert orbit.stable is (branch == 1)
    assert orbit.multipliers == pytest.approx(closed_form.multipliers(1, 0.9, 3.0, branch), abs=1e-9)
    assert orbit.period == pytest.approx(2 * math.pi / 3, abs=1e-14)
    assert math.cos(impact_phase(orbit)) == pytest.approx(closed_form.level(1, 0.9) / 9, abs=1e-9)
    again = orbit.at(orbit.state.t + 5 * orbit.period)
    assert again.q == pytest.approx(orbit.state.q, abs=1e-9)


def test_multiple_shooting_gives_the_same_orbit():
    orbit = one_bounce(3, 0.7, 5.5, -1)
    assert abs(orbit.multipliers[0]) > 8.0
    many = jounce.find_orbit(ball(), orbit.state, period=3, nodes=5, omega=5.5, e=0.7)
    assert many.nodes == 5
    assert many.multipliers == pytest.approx(orbit.multipliers, abs=1e-7)


def test_the_smallest_period_is_found():
    guess = one_bounce(1, 0.9, 3.0).state
    orbit = jounce.find_orbit(ball(), guess, period=6, omega=3.0, e=0.9)
    assert orbit.forcing_periods == 1
    assert len(orbit.signature) == 1


def test_section_counts_returns():
    guess = one_bounce(2, 0.9, 3.2).state
    orbit = jounce.find_orbit(ball(), guess, "impact:table", omega=3.2, e=0.9)
    assert orbit.forcing_periods == 2


def test_period_doubling_is_switched_and_ends_where_it_began():
    orbit = one_bounce(1, 0.7, 3.3)
    branch = jounce.continue_orbit(orbit, "omega", (3.2, 3.5), step=0.05)
    doubled = jounce.switch_branch(branch, branch.find("period_doubling")[0])
    assert doubled.forcing_periods == 2
    assert doubled.stable
    second = jounce.continue_orbit(doubled, "omega", (3.3, 3.7), step=0.03)
    assert "half its period" in second.ends[0]
    assert closed_form.flip(1, 0.7) == pytest.approx(float(second.ends[0].split(" = ")[1].split(":")[0]), abs=1e-4)
    next_flip = second.find("period_doubling")[0].parameter
    # period four: simulated attractors on both sides
    for omega, count in ((next_flip - 2e-3, 2), (next_flip + 2e-3, 4)):
        run = jounce.simulate(ball(), doubled.state, 4000.0, omega=omega, e=0.7)
        period = 2 * math.pi / omega
        states = run.states(np.arange(1600, 1616) * period)
        assert np.abs(states[count:] - states[:-count]).max() < 1e-5
        if count == 4:
            assert np.abs(states[2:] - states[:-2]).max() > 1e-2


def test_rest_on_the_table_takes_off_at_the_known_frequency():
    orbit = jounce.find_orbit(ball(), ball().state(y=0.0, d_y=3.0), omega=3.0, e=0.5)
    assert orbit.signature == ()
    branch = jounce.continue_orbit(orbit, "omega", (2.9, 3.2), step=0.05, direction="up")
    first = branch.specials[0]
    assert first.kind == "gain_of_flight"
    assert first.parameter == pytest.approx(math.sqrt(closed_form.G), abs=1e-8)
    assert "lift_off" in {step.kind for step in first.after}
    assert len(branch.signatures) > 1  # followed on, with its chatter


def test_curves_in_two_parameters():
    orbit = one_bounce(1, 0.7, 3.0)
    branch = jounce.continue_orbit(orbit, "omega", (2.2, 3.6), step=0.2)
    for kind, curve, exact in (
        ("fold", jounce.fold_curve, closed_form.fold),
        ("period_doubling", jounce.flip_curve, closed_form.flip),
    ):
        found = curve(branch.find(kind)[0], {"omega": (2.0, 4.0), "e": (0.55, 0.82)}, step=0.2)
        table = found.table
        assert len(table) > 4
        assert table.omega.to_numpy() == pytest.approx([exact(1, e) for e in table.e], abs=1e-8)
        # it ends on the edges of the region: at the lowest e, and at the highest or where omega is 2
        assert found.ends[0] == "e reaches its bound 0.55"
        assert table.e.iloc[0] == pytest.approx(0.55, abs=1e-14)
        edge = ("e", 0.82) if exact(1, 0.82) > 2.0 else ("omega", 2.0)
        assert found.ends[1] == "{} reaches its bound {:g}".format(*edge)
        assert table[edge[0]].iloc[-1] == pytest.approx(edge[1], abs=1e-14)


def test_errors_say_what_to_do():
    orbit = one_bounce(1, 0.9, 3.0)
    with pytest.raises(OptionError, match="no parameter 'omeg'"):
        jounce.continue_orbit(orbit, "omeg", (2, 4))
    with pytest.raises(OptionError, match="outside the bounds"):
        jounce.continue_orbit(orbit, "omega", (3.5, 4))
    with pytest.raises(OptionError, match="smaller first"):
        jounce.continue_orbit(orbit, "omega", (4, 2))
    with pytest.raises(OptionError, match="period is 0"):
        jounce.find_orbit(ball(), orbit.state, period=0)
    with pytest.raises(SimulationError, match="no periodic orbit was found"):
        jounce.find_orbit(ball(), ball().state(y=3.0), omega=8.0, e=0.95)
