"""Where velocities, gaps and forces are rounding: low flights, bodies that hover, corners, stretched chains."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from tests.engine.models import sprung_ball
from tests.engine.more_models import disc_in_groove, dragged_chain, rod_between_walls


@pytest.mark.parametrize("speed", [1e-8, 1e-9, 2e-10])
@pytest.mark.parametrize("t", [1.647, 40.3])
def test_a_low_flight_lands_as_fast_as_it_left(speed, t):
    """v over a floor, a flight of 2 v/g: 4e-11 s at the lowest, where times are hardly known to a thousandth of it."""
    system = jounce.compile_model(sprung_ball())
    start = system.state(t=t, y=0.0, d_y=speed)
    options = jounce.Options(chatter_speed=1e-13, max_events=1)
    run = jounce.simulate(system, start, t + 1.0, options=options, e=0.5)
    first = run.events.iloc[0]
    assert first.kind == "impact"
    clock = 2.3e-16 * t * 9.81 / speed  # the rounding of time, in units of the flight
    assert first.v_n_before == pytest.approx(-speed, rel=1e-6 + 20 * clock)


RODS = [
    (
        {"x": 0.07183222992102142, "y": 0.017104352996754058, "d_x": -0.6012065695678186, "d_y": 1.124706627567428,
         "d_theta": -3.2844798008199723, "theta": 1.6210842849679168},
        {"k": 59.35928127728022, "L": 0.8369884750680685, "A": 0.042458480336500654, "omega": 6.807029710889746,
         "mu": 0.2942158207647242, "e": 0.04919476094147727, "d": 0.3926025306379782},
    ),
    (
        {"x": 0.04907215439377207, "y": -0.13881480426200732, "d_x": 1.9900500673614578, "d_y": -0.8071037594791606,
         "d_theta": -0.501898086175534, "theta": 1.7820750734295379},
        {"k": 27.988392633554646, "L": 0.3804171978342858, "A": 0.05319854180369743, "omega": 3.0437275287663415,
         "mu": 0.6632149089162006, "e": 0.06280397382045574, "d": 0.6123735607700748},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("start", "given"), RODS, ids=["moving", "turning"])
def test_a_rod_that_lies_on_a_wall_without_force_goes_on(start, given):
    """Flat on the wall after a double chatter, nothing presses it: gap and velocity are rounding of either sign.

    Along the wall it swings on its spring, y'' = -g - k y, without friction.
    """
    system = jounce.compile_model(rod_between_walls())
    run = jounce.simulate(system, system.state(**start), 3.0, options=jounce.Options(max_events=2000), **given)
    assert run.status.name == "FINISHED"
    assert len(run.events) < 50
    flat = float(run.events.t[run.events.kind == "impact"].iloc[-1])
    state, w = run.at(flat), np.sqrt(given["k"])
    offset, tau = 9.81 / given["k"], 3.0 - flat
    expected = (state["y"] + offset) * np.cos(w * tau) + state["d_y"] / w * np.sin(w * tau) - offset
    assert run.final["y"] == pytest.approx(expected, abs=1e-9)
    assert run.final["x"] == pytest.approx(given["d"], abs=1e-12)


def test_a_stretched_chain_does_not_stick():
    """The end turns back where both links are in line: it has no velocity, but stick would stop the links that move."""
    system = jounce.compile_model(dragged_chain())
    start = system.state(x1=0.7112155321517365, y1=0.966055825226838, x2=-0.1531274356237421, y2=0.9771204787515713)
    given = {"m": 1.0211209837578075, "a": 0.7118883030602605, "b": 0.864413785464198, "h": 0.9969980756320618,
             "mu": 0.26319546027504953, "e": 0.11143262694095075}  # fmt: skip
    run = jounce.simulate(system, start, 3.0, **given)
    assert run.status.name == "FINISHED"
    turn = run.events[run.events.kind == "reversal"].iloc[0]
    state = run.at(float(turn.t))
    along = np.array([state["x1"], state["y1"] - given["h"]])
    beyond = np.array([state["x2"] - state["x1"], state["y2"] - state["y1"]])
    assert abs(np.cross(np.append(along, 0), np.append(beyond, 0))[2]) < 1e-9
    assert state["d_x1"] < -0.5


GROOVES = [
    (
        {"x": -0.147208080239327, "d_x": -0.11535021636534992, "d_y": 0.42882778560571744, "d_phi": 3.6649961653762464,
         "y": 1.9546101810001324},
        {"r": 0.4744747429752102, "a": 0.452933519882324, "b": 1.1064047558884433, "mu": 1.137559828665713,
         "e": 0.4371548836888791, "mu_s": 1.4108390490491338},
    ),
    (
        {"x": 0.08488518896386132, "d_x": -0.8314701284823816, "d_y": -2.852819169478933, "d_phi": -0.8163616149856718,
         "y": 2.18965097624823},
        {"r": 0.3084840404008903, "a": 1.0516024523000922, "b": 1.1873010999431046, "mu": 0.8182091555247901,
         "e": 0.8409095276629716, "mu_s": 0.9340371495629389},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("start", "given"), GROOVES, ids=["wide", "steep"])
def test_a_disc_comes_to_rest_in_its_groove(start, given):
    """Rebounds and slips of 1e-11 m/s count as none together: neither is left to contradict the other."""
    system = jounce.compile_model(disc_in_groove())
    run = jounce.simulate(system, system.state(**start), 3.0, **given)
    assert run.status.name == "AT_REST"
    assert "paradox" not in set(run.events.kind)
    a, b, r = given["a"], given["b"], given["r"]
    # both gaps are zero: y cos a + x sin a = y cos b - x sin b = r
    x, y = np.linalg.solve([[np.sin(a), np.cos(a)], [-np.sin(b), np.cos(b)]], [r, r])
    assert run.final["x"] == pytest.approx(x, abs=1e-12)
    assert run.final["y"] == pytest.approx(y, abs=1e-12)
