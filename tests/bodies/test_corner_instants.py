"""Instants at which a sharp corner is at a corner of an outline, and runs that end or are cut there."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import jounce
from jounce import Body, CircleOn, Edge, Model, PointOn, PolygonOn, contact_between, ground
from tests.families.check import failures_of, simulate
from tests.families.cornered import FAMILIES

G = 9.81
FAMILY = {family.name: family for family in FAMILIES}


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        # cut at rest and continued: the scale of the motion that was is known
        *(("table_end", 50050), ("table_end", 50193), ("wedge", 50288), ("stairs", 60117)),
        ("stairs", 60094),  # contacts that an accumulation closes are held on faces
        ("table_end", 50093),  # an accumulation of which one member begins in flight
        *(("wedge", 50168), ("wedge", 50276)),  # a corner struck at the foot of a slope leaves the slope
    ],
)
def test_random_boxes_that_were_reported(name: str, seed: int) -> None:
    assert failures_of(FAMILY[name], seed) == []


def corner_jump(w: float, h: float, corner: tuple[float, float], q: np.ndarray, u: np.ndarray) -> tuple:
    """(position, velocity, K) of a corner of a box of mass 1: K maps an impulse there to the change of its velocity."""
    c, s = np.cos(q[2]), np.sin(q[2])
    arm = np.array([[c, -s], [s, c]]) @ (np.array(corner) * [w / 2, h / 2])
    inverse = 12.0 / (w * w + h * h)
    lever = np.array([-arm[1], arm[0]])
    return q[:2] + arm, u[:2] + u[2] * lever, np.eye(2) + inverse * np.outer(lever, lever), lever * inverse


def test_corner_at_the_foot_of_a_slope_has_one_impact() -> None:
    """Newton's law at the floor by hand: the corner then leaves the slope, and no impulse of the slope follows."""
    family = FAMILY["wedge"]
    draw = family.sample(50168)
    p = draw.parameters
    run = simulate(family, draw)
    rows = run.events[run.events.contact == "floor_4"]
    t = float(rows.t.iloc[0])
    before, after = run.at(t, side="left"), run.at(t, side="right")
    place, v, K, turn = corner_jump(p["w"], p["h"], (-1, 1), before.q, before.u)
    np.testing.assert_allclose(place, [p["length"], -p["slope"] * p["length"]], rtol=0, atol=1e-8)
    # it slides in x all along: p_x = -mu p_y until the slip stops, then what keeps it at rest or turns it round
    mu, e = p["mu"], p["e"]
    assert v[0] > 0
    slide = K @ [-mu, 1.0]
    stop = -v[0] / slide[0]
    back = -K[0, 1] / K[0, 0] if abs(K[0, 1] / K[0, 0]) <= mu else -np.sign(K[0, 1]) * mu
    rest = ((-e * v[1] - v[1]) - stop * slide[1]) / (K @ [back, 1.0])[1]
    impulse = np.array([-mu * stop + back * rest, stop + rest])
    u = before.u + np.array([*impulse, turn @ impulse])
    v_after = v + K @ impulse
    n = np.array([p["slope"], 1.0]) / np.hypot(p["slope"], 1.0)
    assert v_after[0] < 0 < n @ v_after  # against the hidden side of the hill, and away from its slope
    np.testing.assert_allclose(after.u, u, rtol=0, atol=1e-6)
    assert not ((run.events.contact == "hill_a_4") & (run.events.t == t) & (run.events.kind == "impact")).any()


def test_box_whose_bounces_end_together_slides_over_the_end_of_its_step() -> None:
    """Between two instants it is slowed by mu g alone; it used to be stopped where a corner reaches the end."""
    family = FAMILY["stairs"]
    draw = family.sample(60094)
    run = simulate(family, draw, 0.66)
    chatter = float(run.events.t[run.events.kind == "chatter"].iloc[-1])
    p, x = draw.parameters, float(run.at(chatter)["b_x"])
    v = float(run.at(chatter)["d_b_x"])
    reached = p["tread"] - p["w"] / 2 - x
    slowed = p["mu"] * p["g"]
    t = chatter + (v - np.sqrt(v * v - 2 * slowed * reached)) / slowed
    over = run.events[(run.events.kind == "lift_off") & (run.events.contact == "step_1_a_2")]
    assert over.t.iloc[-1] == pytest.approx(t, abs=1e-9)
    assert run.at(t + 1e-4)["d_b_x"] == pytest.approx(v - slowed * (t + 1e-4 - chatter), abs=1e-8)


def test_accumulation_with_a_member_in_flight_moves_by_its_own_motion() -> None:
    """Against impacts followed a hundred times further: the slide during the accumulation has its friction in it."""
    family = FAMILY["table_end"]
    draw = family.sample(50093)
    places = []
    for speed in (1e-6, 1e-8):
        options = {**draw.options, "chatter_speed": speed, "tolerance": 1e-12}
        places.append(simulate(family, replace(draw, options=options), 0.669).final["b_x"])
    assert places[0] == pytest.approx(places[1], abs=2e-13)


def rectangle(w: float, h: float) -> list[tuple[float, float]]:
    return [(-w / 2, -h / 2), (w / 2, -h / 2), (w / 2, h / 2), (-w / 2, h / 2)]


@pytest.mark.parametrize("speed", [1.3, 1.5, 2.5])
@pytest.mark.parametrize("bottom", [-1.0, -0.01])
def test_edge_is_the_top_of_a_plate(speed: float, bottom: float) -> None:
    """A box that slides on an edge, and off its end, moves as it does on a polygon, thick or thin."""
    ends = []
    for surface in (Edge(ground, (-2, 0), (0, 0)), PolygonOn(ground, [(-2, bottom), (0, bottom), (0, 0), (-2, 0)])):
        box = Body("b", mass=1.0, inertia=0.2 / 12, center=(-0.5, 0.1), velocity=(speed, 0))
        contacts = contact_between("t", PolygonOn(box, rectangle(0.4, 0.2)), surface, friction=0.2)
        model = Model.from_bodies("plate", bodies=[box], contacts=contacts, gravity=(0, -G))
        ends.append(jounce.simulate(model, None, 1.2))
    assert ends[0].events.kind.tolist() == ends[1].events.kind.tolist()
    np.testing.assert_allclose(ends[0].final.q, ends[1].final.q, rtol=0, atol=1e-8)
    assert ends[0].audit("dense").empty


@pytest.mark.parametrize("bodies", ["tables", "compiled"])
@pytest.mark.parametrize("radius", [0.0, 0.05])
def test_what_comes_behind_an_edge_ends_the_run(bodies: str, radius: float) -> None:
    """Thrown below the level of the edge from beyond its end: it used to be lifted onto the edge in no time."""
    ball = Body("b", mass=1.0, inertia=1.0, center=(0.5, -0.3), velocity=(-2.0, 0.0))
    shape = CircleOn(ball, radius=radius) if radius else PointOn(ball)
    contact = contact_between("e", shape, Edge(ground, (-1, 0), (0, 0)), friction=0.1)
    model = Model.from_bodies("under", bodies=[ball], contacts=[contact], gravity=(0, -G))
    run = jounce.simulate(jounce.compile_model(model, bodies=bodies), None, 0.6)
    assert run.status.name == "GAP_JUMPS"
    assert "'e'" in run.status.message
    assert "PolygonOn" in run.status.message
    assert run.t_end == pytest.approx(0.25, abs=1e-3)  # x = 0.5 - 2 t passes the end
    assert run.events.empty


def test_a_thin_polygon_is_met_from_below() -> None:
    """The same throw under a thin plate goes on as a parabola; upwards it meets the plate's underside."""
    for velocity, hits in (((-2.0, 0.0), False), ((-4.0, 4.5), True)):
        ball = Body("b", mass=1.0, inertia=1.0, center=(0.5, -0.8), velocity=velocity)
        plate = PolygonOn(ground, [(-1, -0.01), (0, -0.01), (0, 0), (-1, 0)])
        contact = contact_between("e", PointOn(ball), plate, restitution=0.5)
        model = Model.from_bodies("under", bodies=[ball], contacts=[contact], gravity=(0, -G))
        run = jounce.simulate(model, None, 0.6)
        assert run.status.name == "FINISHED"
        assert run.audit("dense").empty
        t, v = 0.6, velocity[1]
        if hits:
            t = (v - np.sqrt(v * v - 2 * G * 0.79)) / G
            assert run.events.t.tolist() == [pytest.approx(t, abs=1e-10)]
        else:
            assert run.final["b_y"] == pytest.approx(-0.8 - G * t * t / 2, abs=1e-10)
