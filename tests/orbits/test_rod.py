"""The rod of Burns and Piiroinen (2015): the orbits its figures name, and the rocking orbit."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import jounce
from tests.orbits import closed_form

LEVEL = jounce.Options(simultaneous="joint", law="newton", tolerance=1e-12, chatter_speed=3e-7)
HELD = ("theta", "d_x", "d_theta")  # the motion stays level


@cache
def rod():
    return jounce.compile_model(jounce.systems.slender_rod())


@pytest.mark.parametrize(("omega", "e"), [(3.0, 0.9), (4.5, 0.3)])
def test_level_rod_bounces_like_a_ball(omega, e):
    angle, period = closed_form.phase(1, e, omega), 2 * math.pi / omega
    start = rod().state(
        t=angle / omega + period / 2, y=math.sin(angle) + closed_form.G * period**2 / 8 + 1e-3, theta=0.0
    )
    orbit = jounce.find_orbit(rod(), start, hold=HELD, options=LEVEL, omega=omega, e=e, mu=0.05)
    assert {step.contact for step in orbit.signature} == {"P1", "P2"}
    for value in closed_form.multipliers(1, e, omega):
        assert np.abs(orbit.nontrivial - value).min() < 1e-8


def test_rocking_orbit_is_found_and_continued():
    """omega = 3, e = 0.9, mu = 0.5: stable, of two forcing periods, both ends chatter, slip and stick."""
    options = jounce.Options(tolerance=1e-12, chatter_speed=1e-6)
    near = rod().state(t=0.5947851, y=1.3452, theta=3.5183, d_x=-0.0563, d_y=0.2776, d_theta=0.9823)
    start = jounce.simulate(rod(), near, near.t + 30.0, options=options, omega=3.0, e=0.9, mu=0.5).final
    orbit = jounce.find_orbit(rod(), start, period=2, options=options, omega=3.0, e=0.9, mu=0.5)
    assert orbit.forcing_periods == 2
    assert orbit.stable
    assert {"chatter", "stick", "slip", "reversal"} <= {step.kind for step in orbit.signature}
    branch = jounce.continue_orbit(orbit, "omega", (2.998, 3.006), step=0.001, max_points=12)
    assert branch.values[[0, -1]] == pytest.approx([2.998, 3.006], abs=1e-12)
    # it loses its symmetry, with a multiplier +1 while the parameter does not turn
    (lost,) = branch.find("branch_point")
    assert np.abs(lost.solution.nontrivial - 1.0).min() < 1e-5
    assert branch.stable[branch.values < lost.parameter].all()
    assert not branch.stable[branch.values > lost.parameter].any()


@pytest.mark.parametrize(
    ("omega", "e", "forcing", "bounces", "start"),
    [
        (3.0, 0.9, 1, 1, {"t": 1.5, "y": 6.36}),  # p1, Fig. 9c
        (3.55085, 0.8, 4, 2, None),  # p2, Fig. 9b: one bounce in two periods, doubled
        (3.0, 0.9, 6, 3, None),  # p3, Fig. 9a
    ],
)
def test_named_orbits_of_the_paper(omega, e, forcing, bounces, start):
    ball = jounce.compile_model(jounce.systems.ball_on_table())
    found = None
    starts = [start] if start else [{"y": y, "d_y": v} for y in np.arange(1, 24, 1.0) for v in np.arange(-8, 9, 4.0)]
    for values in starts:
        run = jounce.simulate(
            ball,
            ball.state(**values),
            300 * 2 * math.pi / omega,
            options=jounce.Options(record="nothing"),
            omega=omega,
            e=e,
        )
        try:
            found = jounce.find_orbit(ball, run.final, period=forcing, omega=omega, e=e)
        except jounce.SimulationError:
            continue
        if found.stable and found.forcing_periods == forcing and len(found.signature) == bounces:
            break
    assert found is not None
    assert (found.forcing_periods, len(found.signature)) == (forcing, bounces)
    assert found.stable
