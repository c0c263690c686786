"""Gap and slip of every pair of shapes against material points followed numerically.

The check knows nothing of the formulas under test: two rigid bodies are moved by their pose functions, the distance is
measured by brute force over sampled outlines, and the slip velocity is the difference of the velocities of the two
material points, from finite differences of where marks on the bodies go.
"""

from __future__ import annotations

import math
import time as clock
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import (
    Body,
    CircleOn,
    Corners,
    Edge,
    Force,
    Line,
    Model,
    ModelError,
    PointOn,
    PolygonOn,
    contact_between,
    ground,
    time,
)

A, B = Body("a", 1, 1), Body("b", 1, 1)
RATES = {"a": np.array([0.3, -0.7, 1.1]), "b": np.array([-0.5, 0.2, -0.8])}
H = 1e-6


def pose(frame: Any, places: dict[str, np.ndarray], s: float) -> np.ndarray:
    return np.zeros(3) if frame is ground else places[frame.name] + s * RATES[frame.name]


def carried(p: np.ndarray, local: Any) -> np.ndarray:
    c, s = math.cos(p[2]), math.sin(p[2])
    return p[:2] + np.array([c * local[0] - s * local[1], s * local[0] + c * local[1]])


def marked(p: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The inverse of ``carried``: local coordinates of the material at a place."""
    d, c, s = place - p[:2], math.cos(p[2]), math.sin(p[2])
    return np.array([c * d[0] + s * d[1], -s * d[0] + c * d[1]])


@cache
def function_of(expression: sp.Expr) -> Any:
    """An expression of time, places and rates of both bodies, as a function of numbers: made once, asked often."""
    symbols = [time, *(symbol for body in (A, B) for symbol in (*body.pose, *body.motion))]
    return sp.lambdify(symbols, expression, "math")


def evaluate(expression: sp.Expr, places: dict[str, np.ndarray], t: float) -> float:
    values = [value for body in (A, B) for value in (*places[body.name], *RATES[body.name])]
    return float(function_of(expression)(t, *values))


def material_slip(frames: tuple[Any, Any], places: dict[str, np.ndarray], touch: tuple[Any, Any], normal: Any) -> float:
    """t.(v_a - v_b) with marks on both bodies at their own touching places."""
    velocities = []
    for frame, place in zip(frames, touch, strict=True):
        local = marked(pose(frame, places, 0.0), place)
        ahead, behind = (carried(pose(frame, places, s), local) for s in (H, -H))
        velocities.append((ahead - behind) / (2 * H))
    relative = velocities[0] - velocities[1]
    return float(normal[1] * relative[0] - normal[0] * relative[1])


PLACES = [
    {"a": np.array([0.9, 1.3, 0.4]), "b": np.array([-0.2, 0.1, 0.7])},
    {"a": np.array([-1.1, 1.6, 2.9]), "b": np.array([0.3, -0.4, -1.3])},
    {"a": np.array([0.2, -1.7, -0.6]), "b": np.array([0.1, 0.2, 3.3])},
]


@pytest.mark.parametrize("places", PLACES)
@pytest.mark.parametrize("radius", [0, 0.15])
@pytest.mark.parametrize("base", [ground, B])
def test_line(places: dict[str, np.ndarray], radius: float, base: Any) -> None:
    shape = CircleOn(A, (0.2, -0.1), radius) if radius else PointOn(A, (0.2, -0.1))
    contact = contact_between("c", shape, Line(base, (0.1, -0.3), (2.0, 1.0)), friction=0.3)
    p = pose(base, places, 0.0)
    foot, ahead = carried(p, (0.1, -0.3)), carried(p, (2.1, 0.7))
    e = (ahead - foot) / np.linalg.norm(ahead - foot)
    n = np.array([-e[1], e[0]])
    centre = carried(places["a"], (0.2, -0.1))
    height = float(n @ (centre - foot))
    assert evaluate(contact.gap, places, 0.0) == pytest.approx(height - radius, abs=1e-12)
    expected = material_slip((A, base), places, (centre - radius * n, centre - height * n), n)
    assert evaluate(contact.slip, places, 0.0) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("places", PLACES)
def test_circle_outside_and_the_order_does_not_matter(places: dict[str, np.ndarray]) -> None:
    a, b = CircleOn(A, (0.1, 0.2), 0.3), CircleOn(B, (-0.2, 0.05), 0.25)
    contact, other = (contact_between("c", *shapes, friction=0.3) for shapes in ((a, b), (b, a)))
    c_a, c_b = carried(places["a"], (0.1, 0.2)), carried(places["b"], (-0.2, 0.05))
    distance = float(np.linalg.norm(c_a - c_b))
    n = (c_a - c_b) / distance
    assert evaluate(contact.gap, places, 0.0) == pytest.approx(distance - 0.55, abs=1e-12)
    expected = material_slip((A, B), places, (c_a - 0.3 * n, c_b + 0.25 * n), n)
    assert evaluate(contact.slip, places, 0.0) == pytest.approx(expected, abs=1e-8)
    assert evaluate(other.gap, places, 0.0) == pytest.approx(evaluate(contact.gap, places, 0.0), abs=1e-12)
    assert evaluate(other.slip, places, 0.0) == pytest.approx(evaluate(contact.slip, places, 0.0), abs=1e-12)


@pytest.mark.parametrize("direction", [0.3, 2.0, -2.4])
def test_circle_inside_touches_where_it_should_with_unit_rate(direction: float) -> None:
    """A journal at the wall of its bearing: gap zero, gap rate and slip those of the material points."""
    contact = contact_between("c", CircleOn(A, (0, 0), 0.3), CircleOn(B, (0, 0), 0.5, inside=True), friction=0.1)
    outwards = np.array([math.cos(direction), math.sin(direction)])
    places = {"b": np.array([0.1, 0.2, 0.6]), "a": np.append(np.array([0.1, 0.2]) + 0.2 * outwards, 1.3)}
    assert evaluate(contact.gap, places, 0.0) == pytest.approx(0.0, abs=1e-15)
    wall = places["b"][:2] + 0.5 * outwards
    expected = material_slip((A, B), places, (wall, wall), -outwards)
    assert evaluate(contact.slip, places, 0.0) == pytest.approx(expected, abs=1e-8)
    rate = sum(sp.diff(contact.gap, q) * u for body in (A, B) for q, u in zip(body.pose, body.motion, strict=True))
    approach = -outwards @ (RATES["a"][:2] - RATES["b"][:2])
    assert evaluate(rate, places, 0.0) == pytest.approx(approach, abs=1e-12)
    centred = {"b": np.array([0.1, 0.2, 0.6]), "a": np.array([0.1, 0.2, 1.3])}
    assert math.isfinite(evaluate(rate, centred, 0.0))
    assert evaluate(contact.gap, centred, 0.0) > 0


def outline(corners: list[tuple[float, float]], p: np.ndarray, count: int = 4000) -> np.ndarray:
    places = np.array([carried(p, corner) for corner in corners])
    x = np.linspace(0, 1, count)[:, None]
    return np.vstack([a + x * (b - a) for a, b in zip(places, np.roll(places, -1, axis=0), strict=True)])


PENTAGON = [(0.5, -0.3), (0.6, 0.2), (0.1, 0.5), (-0.5, 0.3), (-0.4, -0.4)]


@pytest.mark.parametrize("seed", range(12))
def test_polygon_is_the_distance_from_its_outline(seed: int) -> None:
    random = np.random.default_rng(seed)
    places = {"a": random.uniform(-1.5, 1.5, 3), "b": random.uniform(-0.3, 0.3, 3)}
    places["a"][:2] += np.sign(places["a"][:2])  # outside
    contact = contact_between("c", CircleOn(A, (0.0, 0.0), 0.1), PolygonOn(B, PENTAGON), friction=0.2)
    boundary = outline(PENTAGON, places["b"])
    distances = np.linalg.norm(boundary - places["a"][:2], axis=1)
    nearest = boundary[np.argmin(distances)]
    assert evaluate(contact.gap, places, 0.0) == pytest.approx(distances.min() - 0.1, abs=1e-6)
    n = (places["a"][:2] - nearest) / distances.min()
    expected = material_slip((A, B), places, (places["a"][:2] - 0.1 * n, nearest), n)
    assert evaluate(contact.slip, places, 0.0) == pytest.approx(expected, abs=2e-3)


def test_polygon_is_negative_inside() -> None:
    contact = contact_between("c", PointOn(A, (0, 0)), PolygonOn(B, PENTAGON))
    for x, y in ((0.0, 0.0), (0.3, 0.1), (-0.3, -0.2)):
        places = {"a": np.array([x, y, 0.3]), "b": np.zeros(3)}
        depth = np.linalg.norm(outline(PENTAGON, np.zeros(3)) - [x, y], axis=1).min()
        assert evaluate(contact.gap, places, 0.0) == pytest.approx(-depth, abs=1e-6)


@pytest.mark.parametrize(("x", "expected"), [(0.5, 0.2), (-0.3, math.hypot(0.3, 0.2)), (1.4, math.hypot(0.4, 0.2))])
def test_edge_ends_where_it_ends(x: float, expected: float) -> None:
    contact = contact_between("c", PointOn(A), Edge(ground, (0, 0), (1, 0)))
    assert contact.slip is None
    assert evaluate(contact.gap, {"a": np.array([x, 0.2, 0.0]), "b": np.zeros(3)}, 0.0) == pytest.approx(expected)


def motions() -> dict[str, tuple[Any, Callable[[float, float], np.ndarray]]]:
    """Prescribed lines and circles with where a mark on them, at parameter x along them, is at time t."""
    angle = 0.3 * sp.sin(2 * time)
    turning = Line(ground, (0.2 * time, 0.1 * sp.sin(3 * time)), (sp.cos(angle), sp.sin(angle)))

    def on_turning(x: float, t: float) -> np.ndarray:
        a = 0.3 * math.sin(2 * t)
        return np.array([0.2 * t + x * math.cos(a), 0.1 * math.sin(3 * t) + x * math.sin(a)])

    belt = Line(ground, (0, 0), (1, 0), speed=0.8)
    roller = CircleOn(ground, (0.1 * time, 0), 0.5, spin=2.5)

    def on_roller(x: float, t: float) -> np.ndarray:
        return np.array([0.1 * t + 0.5 * math.cos(x + 2.5 * t), 0.5 * math.sin(x + 2.5 * t)])

    return {
        "turning": (turning, on_turning),
        "belt": (belt, lambda x, t: np.array([x + 0.8 * t, 0.0])),
        "roller": (roller, on_roller),
    }


@pytest.mark.parametrize("kind", ["turning", "belt", "roller"])
def test_prescribed_surfaces_carry_their_material(kind: str) -> None:
    """A body at rest that touches a moving surface slips with minus the velocity of the surface's mark there."""
    surface, mark = motions()[kind]
    contact = contact_between("c", PointOn(A), surface, friction=0.3)
    t, x = 0.37, 0.6
    if kind == "roller":
        x -= 2.5 * t
    place = mark(x, t)
    values = dict.fromkeys((*A.motion, *B.motion), 0.0) | dict(zip(A.pose, (*place, 0.4), strict=True)) | {time: t}
    velocity = (mark(x, t + H) - mark(x, t - H)) / (2 * H)
    tangent = (mark(x + H, t) - mark(x - H, t)) / (2 * H)
    tangent /= np.linalg.norm(tangent)
    if kind == "roller":
        tangent = -tangent  # counter-clockwise along the rim is against the normal turned by -90 degrees
    assert float(contact.gap.subs(values)) == pytest.approx(0.0, abs=1e-12)
    assert float(contact.slip.subs(values)) == pytest.approx(-float(tangent @ velocity), abs=1e-8)


def test_corners_make_one_contact_each() -> None:
    floor = Line(ground)
    listed = contact_between("box", Corners(A, [(-1, -1), (1, -1)]), floor, friction=0.1, restitution=0.5)
    named = contact_between("box", floor, Corners(A, {"left": (-1, -1), "right": (1, -1)}))
    assert [contact.name for contact in listed] == ["box_1", "box_2"]
    assert [contact.name for contact in named] == ["box_left", "box_right"]
    assert all(contact.restitution == 0.5 for contact in listed)


def test_corners_are_drawn_as_their_polygon() -> None:
    """In the order around the body, whatever the order in which they are named; two as a rod; not over own shapes."""
    square = {"sw": (-1, -1), "ne": (1, 1), "se": (1, -1), "nw": (-1, 1)}

    def drawn(corners, **body) -> list:
        box = Body("box", 1.0, 1.0, center=(0, 1), **body)
        feet = contact_between("foot", Corners(box, corners), Line(ground))
        model = Model.from_bodies("box", bodies=[box], contacts=feet)
        return [shape for shape in model.drawing if getattr(shape, "body", None) == "box"]

    (polygon,) = drawn(square)
    symbols = {symbol for point in polygon.points for part in point for symbol in part.free_symbols}
    here = dict.fromkeys(symbols, 0)
    corners = [tuple(float(part.subs(here)) for part in point) for point in polygon.points]
    assert corners == [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    assert [type(shape).__name__ for shape in drawn([(-1, 0), (1, 0)])] == ["Segment"]
    assert [type(shape).__name__ for shape in drawn(square, shapes=[jounce.Circle((0, 0), 1)])] == ["Circle"]


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ((Line(ground), Line(A)), "Line against Line is no contact; one side must be PointOn"),
        ((PointOn(A), PointOn(B)), "two points have no normal"),
        ((PointOn(A), CircleOn(A, (1, 0), 0.3)), "both sides belong to 'a'"),
        ((CircleOn(A, (0, 0), 1, inside=True), CircleOn(B, (0, 0), 2, inside=True)), "two holes cannot touch"),
        ((PolygonOn(A, PENTAGON, rounding=0.1), PolygonOn(B, PENTAGON)), "give both a rounding"),
        ((Edge(A, (0, 0), (1, 0)), PolygonOn(B, PENTAGON, rounding=0.1)), "an Edge as a thin PolygonOn"),
    ],
)
def test_pairs_that_cannot_touch(shapes: tuple[Any, Any], message: str) -> None:
    with pytest.raises(ModelError, match=message):
        contact_between("c", *shapes)


def test_polygons_are_convex_and_counter_clockwise() -> None:
    with pytest.raises(ModelError, match="counter-clockwise round a convex outline"):
        PolygonOn(A, PENTAGON[::-1])
    with pytest.raises(ModelError, match="has no argument 'restitutoin'; did you mean 'restitution'"):
        contact_between("c", PointOn(A), Line(ground), restitutoin=0.3)


def test_ball_falls_on_a_box_and_bounces_as_it_should() -> None:
    """A ball on the corner of a fixed box: the normal is from the corner to the centre, so it leaves sideways."""
    ball = Body("ball", 1.0, 0.4 * 0.1**2, center=(0.55, 1.0))
    box = PolygonOn(ground, [(-0.5, -1), (0.5, -1), (0.5, 0), (-0.5, 0)])
    model = jounce.Model.from_bodies(
        "corner",
        bodies=[ball],
        contacts=[contact_between("edge", CircleOn(ball, (0, 0), 0.1), box, restitution=1.0)],
        gravity=9.81,
    )
    system = jounce.compile_model(model)
    run = jounce.simulate(system, system.state(), t_end=0.6)
    first = run.events.iloc[0]
    height = math.sqrt(0.1**2 - 0.05**2)
    assert first["t"] == pytest.approx(math.sqrt(2 * (1 - height) / 9.81), abs=1e-9)
    v = -9.81 * first["t"]
    n = np.array([0.5, height / 0.1])
    after = np.array([0.0, v]) - 2 * (v * n[1]) * n
    state = run.at(first["t"], side="right")
    assert [state["d_ball_x"], state["d_ball_y"]] == pytest.approx(after.tolist(), abs=1e-9)


def convex(random: np.random.Generator) -> list[tuple[float, float]]:
    """Corners with few decimals, counter-clockwise on an ellipse."""
    count = int(random.integers(3, 7))
    angles = np.sort(random.uniform(0, 2 * np.pi, count))
    while np.diff(angles, append=angles[0] + 2 * np.pi).max() > 2.8 or np.diff(angles).min() < 0.2:
        angles = np.sort(random.uniform(0, 2 * np.pi, count))
    centre, axes = random.uniform(-0.2, 0.2, 2), random.uniform(0.3, 0.8, 2)
    return [(round(float(x), 2), round(float(y), 2)) for x, y in centre + axes * np.c_[np.cos(angles), np.sin(angles)]]


def signed_distance(corners: np.ndarray, p: np.ndarray) -> tuple[float, np.ndarray]:
    """Distance from a closed outline by clamping to each of its segments, negative inside; and the nearest point."""
    ends = np.roll(corners, -1, axis=0) - corners
    along = np.clip(np.sum((p - corners) * ends, axis=1) / np.sum(ends**2, axis=1), 0.0, 1.0)
    nearest = corners + along[:, None] * ends
    distances = np.linalg.norm(p - nearest, axis=1)
    left = ends[:, 0] * (p - corners)[:, 1] - ends[:, 1] * (p - corners)[:, 0]
    k = int(np.argmin(distances))
    return float(-distances[k] if np.all(left > 0) else distances[k]), nearest[k]


@pytest.mark.parametrize("base", [ground, B], ids=["ground", "free body"])
@pytest.mark.parametrize("seed", range(6))
def test_polygons_with_decimal_corners(seed: int, base: Any) -> None:
    random = np.random.default_rng(seed)
    corners = convex(random)
    contact = contact_between("c", CircleOn(A, (0.03, -0.02), 0.07), PolygonOn(base, corners), friction=0.2)
    for _ in range(25):
        places = {"a": random.uniform(-1.2, 1.2, 3), "b": random.uniform(-0.3, 0.3, 3)}
        p = pose(base, places, 0.0)
        centre = carried(places["a"], (0.03, -0.02))
        distance, nearest = signed_distance(np.array([carried(p, corner) for corner in corners]), centre)
        assert evaluate(contact.gap, places, 0.0) == pytest.approx(distance - 0.07, abs=1e-12)
        n = (centre - nearest) / distance
        expected = material_slip((A, base), places, (centre - 0.07 * n, nearest), n)
        assert evaluate(contact.slip, places, 0.0) == pytest.approx(expected, abs=1e-8)


def test_a_free_body_falls_on_the_polygon_of_another() -> None:
    """Compiled, simulated and drawn: the corner of a box meets the top of a fixed one after sqrt(2 h/g)."""
    box = [(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)]
    upper = Body("upper", mass=1.0, inertia=0.02, center=(0.03, 0.5))
    lower = Body("lower", mass=1.0, inertia=0.02, center=(0.0, 0.0))
    corner = contact_between(
        "corner", PointOn(upper, (-0.2, -0.1)), PolygonOn(lower, box), friction=0.3, restitution=0.5
    )
    model = Model.from_bodies("boxes", bodies=[upper, lower], contacts=[corner], forces=[Force(upper, (0, -9.81))])
    began = clock.process_time()
    run = jounce.simulate(model, {}, 0.3)
    assert clock.process_time() - began < 100.0
    impact = run.events.iloc[0]
    assert impact.kind == "impact"
    assert impact.t == pytest.approx(math.sqrt(2 * 0.3 / 9.81), abs=1e-9)
    assert impact.v_n_before == pytest.approx(-math.sqrt(2 * 0.3 * 9.81), abs=1e-8)


def test_a_users_piecewise_is_kept_as_it_is_written() -> None:
    """SymPy's own simplification of its conditions need not end."""
    (x, dx), (y, dy) = jounce.coordinates("x y", "m")
    distance = sp.Piecewise((y, x >= 0), (sp.sqrt(x**2 + y**2), True))
    model = Model.from_lagrangian(
        "ledge",
        coordinates=[x, y],
        kinetic=(dx**2 + dy**2) / 2,
        potential=9.81 * y,
        contacts=[jounce.Contact("c", distance)],
        start={x: 0.1, y: 1.0},
    )
    from jounce.model.definition import equations_hash, from_definition, to_definition

    assert equations_hash(from_definition(to_definition(model))) == equations_hash(model)
    run = jounce.simulate(model, {}, 0.5)
    assert run.events.iloc[0].t == pytest.approx(math.sqrt(2 / 9.81), abs=1e-9)
