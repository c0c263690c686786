"""Open curves that touch, floors and hills, against closed forms, shapes that need no search, and SciPy."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import minimize_scalar

import jounce
from jounce import Body, CircleOn, CurveOn, Line, Model, ModelError, Options, PathOn, PointOn, contact_between, ground
from jounce.codegen.cache import model_key
from jounce.model.curve_arcs import S
from jounce.model.profiles import Distance, Foot, profile_of
from tests.references.flow import check_derivative

s = sp.Symbol("s")
G = 9.81
DENSE = Options(audit="dense", tolerance=1e-11)


def on(path: PathOn, radius: float = 0.0, **start: Any) -> jounce.System:
    """A point, or a disc, over a path of the ground."""
    mu, e = jounce.parameters(mu=0.0, e=0.0)
    body = Body("body", mass=1.0, inertia=radius**2 / 2 if radius else 1.0, **start)
    shape = CircleOn(body, (0, 0), radius) if radius else PointOn(body, (0, 0))
    contact = contact_between("path", shape, path, friction=mu, restitution=e)
    return jounce.compile_model(Model.from_bodies("over_a_path", bodies=[body], gravity=G, contacts=[contact]))


def test_distances_are_the_least_ones_beyond_the_ends_too() -> None:
    """Of a hill, against a minimum that SciPy refines from the best of many places."""
    profile = profile_of(S, sp.exp(-(S**2)), -2.0, 1.0, True)
    ends = {end: (math.exp(-(end**2)), -2 * end * math.exp(-(end**2))) for end in (-2.0, 1.0)}

    def height(t: float) -> float:
        end = min(max(t, -2.0), 1.0)
        return math.exp(-(t**2)) if end == t else ends[end][0] + (t - end) * ends[end][1]

    random, beyond = np.random.default_rng(3), 0
    grid = np.linspace(-13, 11, 2401)
    heights = np.array([height(float(t)) for t in grid])
    for u, v in zip(random.uniform(-5, 4, 60), random.uniform(-3, 3, 60), strict=True):

        def off(t: float, u: float = u, v: float = v) -> float:
            return math.hypot(t - u, height(t) - v)

        best = int(np.argmin(np.hypot(grid - u, heights - v)))
        found = minimize_scalar(
            off, bounds=(grid[best - 1], grid[best + 1]), method="bounded", options={"xatol": 1e-11}
        )
        distance = Distance.at(float(u), float(v), profile)
        assert abs(distance) == pytest.approx(found.fun, rel=1e-12)
        assert (distance < 0) == (v > height(Foot.at(float(u), float(v), profile)) or abs(distance) == 0)
        beyond += not -2.0 <= Foot.at(float(u), float(v), profile) <= 1.0
    assert beyond > 15


@pytest.mark.parametrize("amplitude", [0.1, 2.5])
def test_a_bead_on_a_cycloid_is_isochronous(amplitude: float) -> None:
    """It is at the bottom after pi sqrt(r/g), from wherever it starts (Huygens)."""
    r = 0.4
    bowl = PathOn(ground, (r * (s + sp.sin(s)), r * (1 - sp.cos(s))), s, -3.0, 3.0)
    place = [r * (amplitude + math.sin(amplitude)), r * (1 - math.cos(amplitude))]
    system = on(bowl, center=tuple(place))
    quarter = math.pi * math.sqrt(r / G)
    run = jounce.simulate(system, None, t_end=3 * quarter, options=DENSE)
    x, y = run.states([quarter, 2 * quarter, 3 * quarter])[:, :2].T
    assert np.abs(x - [0, -place[0], 0]).max() < 1e-9
    assert np.abs(y - [0, place[1], 0]).max() < 1e-9


def test_a_bead_leaves_a_round_hill_where_closed_form_says() -> None:
    """cos(angle) = (2 + v^2/(g R))/3, then a parabola."""
    R, v = 1.3, 0.6
    hill = PathOn(ground, (R * sp.sin(s), R * sp.cos(s)), s, -1.4, 1.4)
    run = jounce.simulate(on(hill, center=(0, R), velocity=(v, 0)), None, t_end=1.2, options=DENSE)
    gone = run.events[run.events["kind"] == "lift_off"]
    assert len(gone) == 1
    cosine = (2 + v * v / (G * R)) / 3
    state = run.at(float(gone["t"].iloc[0]))
    assert state["body_y"] / R == pytest.approx(cosine, abs=1e-9)
    assert math.hypot(state["d_body_x"], state["d_body_y"]) == pytest.approx(math.sqrt(G * R * cosine), rel=1e-9)


def test_a_disc_rolls_out_of_a_bowl_onto_its_straight_end() -> None:
    """With 3/4 m v^2 = m g h through the jump of curvature at the end; as on a line where it is straight."""
    radius, slope, depth = 0.2, 0.3, 0.5
    # a quarter of a circle of radius 1 that comes down onto a straight slope
    end = math.atan(slope)
    bowl = PathOn(ground, (sp.sin(s), -sp.cos(s)), s, -1.2, -end)
    begin = (-math.sin(1.0) * (1 - radius), -math.cos(1.0) * (1 - radius))
    system = on(bowl, radius, center=begin)
    run = jounce.simulate(system, None, t_end=1.5, options=DENSE, mu=2.0)
    assert run.status.name == "FINISHED"
    x, y, _, vx, vy, spin = run.states(np.linspace(0, 1.5, 50)).T
    speed = np.hypot(vx, vy)
    assert np.abs(0.75 * speed**2 - G * (begin[1] - y)).max() < 1e-8
    assert np.abs(spin + speed / radius).max() < 1e-7
    assert x[-1] > -math.sin(end) + depth
    late = slice(-15, None)
    height = (y[late] + math.cos(end) + slope * (x[late] + math.sin(end))) * math.cos(end)
    assert np.abs(height - radius).max() < 1e-12
    # in closed form from the end on
    t = np.linspace(0, 1.5, 50)
    assert np.diff(speed[late]) / np.diff(t[late]) == pytest.approx(2 / 3 * G * math.sin(end), rel=1e-7)


def test_a_straight_path_is_a_line() -> None:
    """Slip, then stick, on a slope: forces and motion of a Line, which needs no search."""
    runs = []
    for floor in (PathOn(ground, (s, -0.4 * s), s, -1, 1), Line(ground, (0, 0), (1, -0.4))):
        body = Body(
            "body", mass=1.0, inertia=0.02, center=(0, 0.2 * math.hypot(1, 0.4)), velocity=(1.0, -0.4), spin=9.0
        )
        contact = contact_between("floor", CircleOn(body, (0, 0), 0.2), floor, friction=0.3)
        model = Model.from_bodies("slope", bodies=[body], gravity=G, contacts=[contact])
        assert not model.kinks
        runs.append(jounce.simulate(jounce.compile_model(model), None, t_end=1.2, options=DENSE))
    assert list(runs[0].events["kind"]) == list(runs[1].events["kind"])
    t = np.linspace(0, 1.2, 30)
    assert np.abs(runs[0].states(t) - runs[1].states(t)).max() < 1e-10


def test_a_floor_of_measured_points_keeps_the_energy() -> None:
    """A frictionless point on a spline that bounces, slides and flies off; a path that goes on straight."""
    x = np.linspace(-2, 2, 13)
    floor = PathOn(ground, (s, jounce.table(s, x, 0.3 * np.cos(2.2 * x), kind="spline")), s, -2, 2)
    system = on(floor, center=(-1.9, 0.6), velocity=(1.0, 0))
    run = jounce.simulate(system, None, t_end=3.0, options=DENSE, e=0.5)
    assert run.status.name == "FINISHED"
    assert float(np.abs(run.energy["residual"]).max()) < 1e-9
    assert set(run.events["kind"]) >= {"impact", "chatter"}


def test_derivatives_of_the_flow_are_those_of_neighbours_in_the_shape_of_the_hill_too() -> None:
    """The height of the hill is a parameter; a bounce, then a roll."""
    (h,) = jounce.parameters(h=0.3)
    hill = PathOn(ground, (s, h * sp.exp(-(s**2))), s, -2, 2, ranges={h: (0.1, 0.5)})
    system = on(hill, 0.1, center=(-1.5, 0.5), velocity=(1.5, 0))
    start = system.state(body_x=-1.5, body_y=0.5, d_body_x=1.5)
    check_derivative(system, start, 0.9, "h", {"impact"}, e=0.4, mu=0.2)


def test_the_same_motion_in_other_units_has_the_same_bits() -> None:
    plain, far = (
        on(
            PathOn(ground, (s, size * sp.Rational(1, 2) * sp.cos(s / size)), s, -2 * size, 2 * size),
            size * 0.125,
            center=(0, size),
        )
        for size in (1, 1024)
    )
    start = {"body_x": -0.4, "body_y": 1.0, "d_body_x": 1.5, "d_body_theta": 3.0}
    runs = []
    for system, length in ((plain, 1.0), (far, 1024.0)):
        # gravity is the same number of lengths and times: a time of 32 for a length of 1024
        rate = length**-0.5
        named = {k: v * (1 if k.endswith("theta") else length) * (rate if k[1] == "_" else 1) for k, v in start.items()}
        runs.append(jounce.simulate(system, system.state(**named), t_end=2.0 / rate, options=DENSE, e=0.5, mu=0.3))
    assert len(runs[0].events) == len(runs[1].events) > 3
    ours, theirs = runs[0].states([2.0])[0], runs[1].states([64.0])[0]
    assert (ours * [1024, 1024, 1, 32, 32, 1 / 32] == theirs).all()


BALL = Body("ball", mass=1.0, inertia=1.0)
VALLEY = (s, s**2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: PathOn(ground, (sp.sin(2 * s), sp.sin(s)), s, 0, 6), "crosses itself"),
        (lambda: PathOn(ground, (sp.sin(s), -sp.cos(s)), s, -2, 2), "goes on straight beyond its ends"),
        (lambda: PathOn(ground, (s, sp.Abs(s)), s, -1, 1), "not smooth"),
        (lambda: PathOn(ground, (s, jounce.table(s, [-1, 0, 1], [0, 1, 0.4])), s, -1, 1), 'kind="spline"'),
        (lambda: PathOn(ground, (s**3, s**3), s, -1, 1), "no direction"),
        (lambda: PathOn(ground, VALLEY, s, 1, -1), "end must be larger"),
        (lambda: contact_between("c", CircleOn(BALL, (0, 0), 0.6), PathOn(ground, VALLEY, s, -2, 2)), "two places"),
        (lambda: contact_between("c", Line(BALL), PathOn(ground, VALLEY, s, -2, 2)), "an open curve"),
        (lambda: CurveOn(ground, VALLEY, s, -1, 1), "PathOn"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


def test_a_file_holds_a_path(tmp_path: Path) -> None:
    """As equations, and as a shape with the range of a parameter."""
    (h,) = jounce.parameters(h=-0.3)
    hill = PathOn(ground, (s, h * sp.cos(s)), s, -2, 2, ranges={h: (-0.5, -0.1)})
    contact = contact_between("path", PointOn(BALL), hill)
    model = Model.from_bodies("hill", bodies=[BALL], contacts=[contact])
    again = Model.from_file(model.to_file(tmp_path / "hill.toml"))
    assert model_key(again) == model_key(model)
    text = """name = "hill"
[parameters]
h = -0.3
[bodies.ball]
mass = 1
inertia = 1
[contacts.path]
between = [{ shape = "PointOn", body = "ball" },
           { shape = "PathOn", body = "ground", curve = ["s", "h*cos(s)"], parameter = "s", start = -2, end = 2,
             ranges = { h = [-0.5, -0.1] } }]
""".replace(",\n             ", ", ").replace(",\n           ", ", ")
    (tmp_path / "shape.toml").write_text(text)
    assert Model.from_file(tmp_path / "shape.toml").contacts[0].gap == again.contacts[0].gap
