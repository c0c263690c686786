"""Sharp corners that slide off the ends of faces, against SciPy and closed forms, from tables and compiled."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jounce
from jounce import Body, Corners, Edge, Line, Model, PointOn, PolygonOn, contact_between, ground
from jounce.model.bodies.polygons import outermost
from jounce.model.expressions import as_expression

G, W, H, MU, SPEED = 9.81, 0.4, 0.2, 0.2, 1.5


def rectangle(w: float, h: float) -> list[tuple[float, float]]:
    return [(-w / 2, -h / 2), (w / 2, -h / 2), (w / 2, h / 2), (-w / 2, h / 2)]


def box(name: str, w: float, h: float, center: tuple[float, float], scale: float = 1.0, **motion) -> Body:
    return Body(name, mass=1.0, inertia=(w * w + h * h) / 12, center=center, **motion)


def table_end(side: int = 1, length: float = 1.0, tilt: float = 0.0) -> Model:
    """A box that slides to the end of a table at x = 0; ``length`` is the unit of lengths."""
    w, h = W * length, H * length
    y = (w * abs(math.sin(tilt)) + h * math.cos(tilt)) / 2
    motion = {"angle": side * tilt, "velocity": (side * SPEED * length, 0.0)}
    b = box("b", w, h, (-0.5 * side * length, y), **motion)
    left, right = sorted((0.0, -2.0 * side * length))
    table = [(left, -length), (right, -length), (right, 0.0), (left, 0.0)]
    contacts = contact_between("t", PolygonOn(b, rectangle(w, h)), PolygonOn(ground, table), friction=MU)
    return Model.from_bodies("table_end", bodies=[b], contacts=contacts, gravity=(0, -G * length))


def tipping() -> tuple[float, float, np.ndarray]:
    """When the rear corner lifts, when the table's end is left, and the state there, by SciPy.

    Flat, the box is slowed by mu g; the rear corner is free where the force at the end, N up and mu N back, passes the
    centre. Then the bottom turns and slides on the end: M u' = f + N (n - mu e) with g'' = 0.
    """
    inertia = (W * W + H * H) / 12
    x_1 = -MU * H / 2
    t_1 = (SPEED - math.sqrt(SPEED**2 - 2 * MU * G * (0.5 + x_1))) / (MU * G)

    def forces(z: np.ndarray) -> tuple[float, np.ndarray, float]:
        c, rate, turn = z[:2], z[3:5], z[5]
        n, e = np.array([-math.sin(z[2]), math.cos(z[2])]), np.array([math.cos(z[2]), math.sin(z[2])])
        F = n - MU * e
        torque = -c[0] * F[1] + c[1] * F[0]
        bias = -G * n[1] - 2 * turn * (e @ rate) - turn**2 * (n @ c)
        N = -bias / (n @ F - torque / inertia * (e @ c))
        return N, np.array([0.0, -G]) + N * F, N * torque / inertia

    def flow(t: float, z: np.ndarray) -> list[float]:
        _, a, alpha = forces(z)
        return [*z[3:], *a, alpha]

    def lifts(t: float, z: np.ndarray) -> float:
        return forces(z)[0]

    lifts.terminal, lifts.direction = True, -1  # type: ignore[attr-defined]
    start = [x_1, H / 2, 0.0, SPEED - MU * G * t_1, 0.0, 0.0]
    found = solve_ivp(flow, (t_1, 2.0), start, "DOP853", rtol=1e-12, atol=1e-13, events=lifts)
    return t_1, found.t[-1], found.y[:, -1]


@pytest.mark.parametrize("side", [1, -1])
def test_box_tips_over_the_end_of_a_table_as_scipy_has_it(side: int) -> None:
    run = jounce.simulate(table_end(side), None, 1.0, tolerance=1e-11)
    t_1, t_2, state = tipping()
    rows = run.events[run.events.t > 1e-9]
    reached = (SPEED - math.sqrt(SPEED**2 - 2 * MU * G * (0.5 - W / 2))) / (MU * G)
    assert rows.kind.tolist()[:4] == ["lift_off", "touch", "lift_off", "lift_off"] or set(rows.kind[:2]) == {
        "touch",
        "lift_off",
    }
    np.testing.assert_allclose(rows.t.to_numpy()[:4], [reached, reached, t_1, t_2], rtol=0, atol=1e-9)
    at = run.at(t_2, side="left")
    mirrored = np.array([side, 1, side, side, 1, side])
    np.testing.assert_allclose(np.concatenate([at.q, at.u]), mirrored * state, rtol=0, atol=1e-7)
    assert run.status.name == "FINISHED"
    assert run.audit().empty


@pytest.mark.parametrize("length", [1e-6, 2.0**-20, 1e6])
def test_the_same_box_in_other_units_tips_alike(length: float) -> None:
    plain, other = (
        jounce.simulate(jounce.compile_model(table_end(length=unit), bodies="tables"), None, 1.0)
        for unit in (1.0, length)
    )
    assert plain.events.kind.tolist() == other.events.kind.tolist()
    np.testing.assert_allclose(other.events.t, plain.events.t, rtol=1e-9)
    np.testing.assert_allclose(other.final.q[:2] / length, plain.final.q[:2], rtol=0, atol=1e-8)


@pytest.mark.parametrize("tilt", [-0.3, 0.3, 0.8])
def test_the_end_of_a_table_does_not_stop_a_corner(tilt: float) -> None:
    """A tilted box falls flat or goes over the end: nothing but contact forces with its law acts on it."""
    run = jounce.simulate(jounce.compile_model(table_end(tilt=tilt), bodies="tables"), None, 1.0)
    assert run.status.name == "FINISHED"
    assert run.audit().empty
    assert np.abs(run.energy["residual"]).max() < 1e-8


def test_boxes_of_one_width_meet_with_their_tops() -> None:
    lower, upper = box("a", W, H, (0.0, H / 2)), box("c", W, H, (0.0, 1.5 * H + 0.1))
    contacts = contact_between("p", PolygonOn(upper, rectangle(W, H)), PolygonOn(lower, rectangle(W, H)), friction=0.5)
    contacts += contact_between("f", Corners(lower, rectangle(W, H)), Line(ground), friction=0.5)
    model = Model.from_bodies("aligned", bodies=[lower, upper], contacts=contacts, gravity=(0, -G))
    run = jounce.simulate(model, None, 1.0)
    assert run.events.t.iloc[0] == pytest.approx(math.sqrt(0.2 / G), abs=1e-10)
    assert run.final["c_y"] == pytest.approx(1.5 * H, abs=1e-9)
    assert run.audit().empty


def test_box_goes_down_stairs_with_risers() -> None:
    w, h = 0.25, 0.15
    b = box("b", w, h, (-0.3, h / 2), velocity=(1.5, 0.0))
    contacts = contact_between("f", Corners(b, rectangle(w, h)), Line(ground, (0, -0.4)), friction=0.1)
    for k in range(4):
        left, right, top = -2.0 if k == 0 else 0.3 * (k - 1), 0.3 * k, -0.1 * k
        step = PolygonOn(ground, [(left, -1.5), (right, -1.5), (right, top), (left, top)])
        contacts += contact_between(f"s{k}", PolygonOn(b, rectangle(w, h)), step, friction=0.1)
    model = Model.from_bodies("stairs", bodies=[b], contacts=contacts, gravity=(0, -G))
    run = jounce.simulate(model, None, 3.0)
    assert run.status.name in ("FINISHED", "AT_REST")
    assert run.audit().empty
    assert run.final["b_y"] < -0.2


def test_needle_falls_off_an_edge_on_a_parabola() -> None:
    b = Body("b", mass=1.0, inertia=1.0, center=(-0.5, 0.0), velocity=(2.0, 0.0))
    contact = contact_between("e", PointOn(b), Edge(ground, (-1, 0), (0, 0)), friction=0.1)
    model = Model.from_bodies("needle", bodies=[b], contacts=[contact], gravity=(0, -G))
    run = jounce.simulate(jounce.compile_model(model, bodies="tables"), None, 1.0)
    left = (2.0 - math.sqrt(4.0 - 0.2 * G * 0.5)) / (0.1 * G)
    assert run.events.kind.tolist() == ["lift_off"]
    assert run.events.t.iloc[0] == pytest.approx(left, abs=1e-10)
    assert run.final["b_y"] == pytest.approx(-G * (1.0 - left) ** 2 / 2, abs=1e-8)


def test_outermost_directions() -> None:
    square = [tuple(as_expression(x, "x") for x in place) for place in rectangle(2.0, 2.0)]
    assert set(outermost(square[0], square)) == {(2.0, 0.0), (0.0, 2.0)}
    assert outermost(square[0], square[:2]) == ((2.0, 0.0),)
    middle = (as_expression(0, "x"), as_expression(0, "y"))
    assert outermost(middle, [middle, *square]) == ()
