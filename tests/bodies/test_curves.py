"""Closed curves that touch, against closed forms, SciPy, mpmath and the shapes that need no search."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import mpmath as mp
import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad
from scipy.optimize import brentq

import jounce
from jounce import (
    Body,
    CircleOn,
    Corners,
    CurveOn,
    Driver,
    Edge,
    EllipseOn,
    Line,
    Model,
    ModelError,
    Options,
    PointOn,
    Revolute,
    Translational,
    contact_between,
    ground,
)
from jounce.codegen.cache import model_key
from jounce.model.curve_arcs import S
from jounce.model.profiles import Distance, Foot, NormalY, Profile, Reach, profile_of
from tests.references.flow import check_derivative

s = sp.Symbol("s")
G = 9.81
A, B = 2.0, 1.0
J = (A**2 + B**2) / 4
DENSE = Options(audit="dense", tolerance=1e-11)


@cache
def egg() -> jounce.System:
    """An elliptic plate over a floor."""
    mu, e = jounce.parameters(mu=5.0, e=0.0)
    body = Body("egg", mass=1.0, inertia=J, center=(0, 3.0))
    floor = contact_between("floor", EllipseOn(body, (0, 0), A, B), Line(ground), friction=mu, restitution=e)
    return jounce.compile_model(Model.from_bodies("egg_on_floor", bodies=[body], gravity=G, contacts=[floor]))


def height(theta: float) -> float:
    """Of the middle of the plate where it touches the floor."""
    return math.sqrt((A * math.sin(theta)) ** 2 + (B * math.cos(theta)) ** 2)


def slope(theta: float) -> float:
    return (A**2 - B**2) * math.sin(theta) * math.cos(theta) / height(theta)


@cache
def hole(length: float = 1.0, rate: float = 1.0, mass: float = 1.0) -> jounce.System:
    """A point in an elliptic hole, in other units."""
    g, mu, e = jounce.parameters(g=0.0, mu=0.0, e=1.0)
    ball = Body("ball", mass=mass, inertia=mass * length**2, center=(0.3 * length, 0.1 * length))
    wall = EllipseOn(ground, (0, 0), 1.9 * length, 1.1 * length, inside=True)
    touch = contact_between("wall", PointOn(ball), wall, friction=mu, restitution=e)
    gravity = g * length * rate**2
    return jounce.compile_model(Model.from_bodies("hole", bodies=[ball], gravity=gravity, contacts=[touch]))


def distance_from_ellipse(a: float, b: float, u: float, v: float) -> Any:
    """With 50 digits: the largest root t of (a u/(t + a²))² + (b v/(t + b²))² = 1 gives the nearest place."""
    a, b, u, v = (mp.mpf(float(part)) for part in (a, b, abs(u), abs(v)))
    if a < b:
        a, b, u, v = b, a, v, u
    low, high = -b * b + b * v, -b * b + mp.sqrt((a * u) ** 2 + (b * v) ** 2)
    for _ in range(190):
        t = (low + high) / 2
        low, high = (t, high) if (a * u / (t + a * a)) ** 2 + (b * v / (t + b * b)) ** 2 > 1 else (low, t)
    t = (low + high) / 2
    return mp.sqrt((a * a * u / (t + a * a) - u) ** 2 + (b * b * v / (t + b * b) - v) ** 2)


@pytest.mark.parametrize(("a", "b"), [(2.0, 1.0), (1.0, 0.05), (1.3e-6, 2e-6)])
def test_distances_from_ellipses_are_right_to_rounding(a: float, b: float) -> None:
    """Anywhere from 1e-6 to 1e6 sizes away, next to the medial axis, on the curve and at centres of curvature."""
    profile = profile_of(a * sp.cos(S), b * sp.sin(S), 0.0, math.tau)
    random, size = np.random.default_rng(4), max(a, b)
    places = [random.normal(size=2) * size * 10.0 ** random.uniform(-6, 6) for _ in range(12)]
    places += [
        (random.uniform(-1, 1) * size, random.normal() * size * 10.0 ** random.uniform(-14, -3)) for _ in "123456"
    ]
    for angle, off in zip(random.uniform(0, math.tau, 12), 10.0 ** random.uniform(-12, -1, 12), strict=True):
        cos, sin = math.cos(angle), math.sin(angle)
        evolute = ((a * a - b * b) / a * cos**3 * (1 + off), (b * b - a * a) / b * sin**3 * (1 - off))
        places += [(a * cos * (1 + off), b * sin * (1 - off)), evolute]
    with mp.workdps(50):
        for u, v in places:
            error = abs(mp.mpf(abs(Distance.at(float(u), float(v), profile))) - distance_from_ellipse(a, b, u, v))
            assert error <= 4e-16 * (abs(u) + abs(v) + size), (u, v)


def test_a_place_between_two_feet_has_one_of_them_and_the_right_distance() -> None:
    """The middle of a circle, of an ellipse, and the end of its medial axis."""
    for (a, b), place, distance in (((1, 1), (0, 0), 1), ((2, 1), (0, 0), 1), ((2, 1), (1.5, 0), 0.5)):
        profile = profile_of(a * sp.cos(S), b * sp.sin(S), 0.0, math.tau)
        assert Distance.at(*map(float, place), profile) == pytest.approx(-distance, rel=4e-16)


def test_derivatives_of_all_functions_are_those_of_neighbours() -> None:
    u, v = sp.symbols("u v", real=True)
    profile = profile_of(2 * sp.cos(S), (1 + sp.sin(S) / 5) * sp.sin(S), 0.0, math.tau)
    from jounce.model.arithmetic import value_at

    for kind, at in ((Foot, (2.5, 0.7)), (Distance, (2.5, 0.7)), (NormalY, (0.5, 1.3)), (Reach, (0.6, -0.8))):
        for expression in (kind(u, v, profile), sp.diff(kind(u, v, profile), u)):
            for symbol, way in ((u, (1, 0)), (v, (0, 1))):
                ends = [value_at(expression, {u: at[0] + h * way[0], v: at[1] + h * way[1]}) for h in (1e-5, -1e-5)]
                slope = value_at(sp.diff(expression, symbol), {u: at[0], v: at[1]})
                assert slope == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-7, abs=1e-8)


def test_an_egg_rocks_with_its_closed_form_period() -> None:
    """Rolling, T = (J + m r²) θ'²/2 and V = m g h(θ); small periods in closed form, large ones by quadrature."""
    small = math.tau / math.sqrt(G * (A**2 - B**2) / B / (J + B**2))
    for theta in (1e-4, 0.7):

        def turn(phi: float, theta: float = theta) -> float:
            here = theta * math.sin(phi)
            mass = J + height(here) ** 2 + slope(here) ** 2
            return math.sqrt(mass / (2 * G * (height(theta) - height(here)))) * theta * math.cos(phi)

        period = 4 * quad(turn, 0, math.pi / 2 - 1e-9, epsrel=1e-11)[0] if theta > 0.1 else small
        start = egg().state(egg_y=height(theta), egg_theta=theta)
        run = jounce.simulate(egg(), start, t_end=1.3 * period, options=DENSE)
        first, second = (
            brentq(lambda t, run=run: run.states([t])[0][2], a * period, b * period, xtol=1e-14)
            for a, b in ((0.1, 0.4), (0.6, 0.9))
        )
        assert 2 * (second - first) == pytest.approx(period, rel=3e-8)


def test_a_bouncing_egg_is_the_one_that_is_computed_by_hand() -> None:
    """Frictionless: parabolas, the gap y - h(θ), impulses along (1, -h')."""
    q, u, t, end = np.array([2.6, 0.4]), np.array([0.3, 1.7]), 0.0, 2.5
    start = egg().state(egg_y=q[0], egg_theta=q[1], d_egg_y=u[0], d_egg_theta=u[1])
    run = jounce.simulate(egg(), start, t_end=end, options=DENSE, mu=0.0, e=0.8)
    times = []
    while True:

        def gap(h: float, q: Any = q, u: Any = u) -> float:
            return float(q[0] + u[0] * h - G * h * h / 2 - height(q[1] + u[1] * h))

        grid = np.linspace(1e-5 if times else 0.0, end - t, 4000)
        below = [k for k, h in enumerate(grid) if gap(h) < 0]
        h = brentq(gap, grid[below[0] - 1], grid[below[0]], xtol=1e-15) if below else end - t
        q = np.array([q[0] + u[0] * h - G * h * h / 2, q[1] + u[1] * h])
        u = np.array([u[0] - G * h, u[1]])
        t += h
        if not below:
            break
        times.append(t)
        w = np.array([1.0, -slope(q[1])])
        u = u - w / np.array([1.0, J]) * 1.8 * (w @ u) / (w @ (w / np.array([1.0, J])))
    events = run.events[run.events["kind"] == "impact"]
    assert len(times) > 4
    assert np.abs(events["t"].to_numpy() - times).max() < 1e-12
    assert np.abs(run.states([end])[0][[1, 2, 4, 5]] - [*q, *u]).max() < 1e-11


def test_a_billiard_in_an_ellipse_keeps_both_angular_momenta() -> None:
    """The product of those about the foci; the ball passes between them, where two walls are equally near."""
    start = hole().state(ball_x=0.3, ball_y=0.1, d_ball_x=1.0, d_ball_y=0.7)
    run = jounce.simulate(hole(), start, t_end=100.0, options=DENSE)
    x, y, _, vx, vy, _ = run.states(np.linspace(0, 100, 200)).T
    focus = math.sqrt(1.9**2 - 1.1**2)
    product = ((x - focus) * vy - y * vx) * ((x + focus) * vy - y * vx)
    assert len(run.events) > 50
    assert np.abs(product / product[0] - 1).max() < 1e-12


def test_an_eccentric_cam_is_a_circle() -> None:
    """Its roller is lifted as closed form says, and rubs as one on a CircleOn, which needs no search."""
    e, R, r, omega = 0.3, 1.0, 0.25, 2.0
    runs = []
    for kind in ("curve", "circle"):
        cam, roller = Body("cam", mass=1.0, inertia=1.0), Body("roller", mass=1.0, inertia=1.0, center=(0, 1.3))
        rim: Any = CurveOn(cam, (R * sp.cos(s), R * sp.sin(s)), s, center=(e, 0))
        rim = rim if kind == "curve" else CircleOn(cam, (e, 0), R)
        joints = [
            Revolute("pin", ground, cam, (0, 0), (0, 0)),
            Driver("motor", ground, cam, angle=omega * jounce.time),
            Translational("guide", ground, roller, axis=(0, 1)),
        ]
        contact = contact_between("rim", CircleOn(roller, (0, 0), r), rim, friction=0.2)
        model = Model.from_bodies("cam", bodies=[cam, roller], joints=joints, gravity=G, contacts=[contact])
        system = jounce.compile_model(model, bodies="compiled" if kind == "curve" else "tables")
        start = system.state(roller_y=math.sqrt((R + r) ** 2 - e**2), d_roller_y=e * omega)
        runs.append(jounce.simulate(system, start, t_end=6.0, options=DENSE))
    t = np.linspace(0, 6, 40)
    lift = e * np.sin(omega * t) + np.sqrt((R + r) ** 2 - (e * np.cos(omega * t)) ** 2)
    assert np.abs(runs[0].states(t)[:, 4] - lift).max() < 1e-14
    assert len(runs[0].events) == len(runs[1].events)
    ours, theirs = (run.joint_forces(t) for run in runs)
    for name in ("motor.angle", "pin.x", "guide.normal"):
        assert np.abs(ours[name] - theirs[name]).max() < 1e-12 * float(np.abs(theirs[name]).max())


def test_the_same_motion_in_other_units_has_the_same_bits() -> None:
    length, rate, mass = 2.0**10, 2.0**-5, 2.0**7
    start = {"ball_x": 0.9, "ball_y": 0.3, "d_ball_x": -2.0, "d_ball_y": 1.0}
    other = {name: value * length * (rate if name.startswith("d_") else 1) for name, value in start.items()}
    surface = {"g": G, "mu": 0.3, "e": 0.7}
    plain = jounce.simulate(hole(), hole().state(**start), t_end=4.0, options=DENSE, **surface)
    far = hole(length, rate, mass)
    run = jounce.simulate(far, far.state(**other), t_end=4.0 / rate, options=DENSE, **surface)
    assert len(plain.events) == len(run.events) > 10
    ours, theirs = plain.states([4.0])[0], run.states([4.0 / rate])[0]
    assert (ours * [length, length, 1, length * rate, length * rate, rate] == theirs).all()
    # and cut
    part = jounce.simulate(hole(), hole().state(**start), t_end=1.3, options=DENSE, **surface)
    rest = jounce.simulate(hole(), part.final, t_end=4.0, options=DENSE, **surface)
    assert np.abs(rest.states([4.0])[0] - ours).max() < 1e-10


def test_derivatives_of_the_flow_are_those_of_neighbouring_motions() -> None:
    """Through impacts and a roll."""
    system = egg()
    start = system.state(egg_y=2.3, egg_theta=0.4, d_egg_x=0.5, d_egg_theta=1.0)
    check_derivative(system, start, 1.6, "e", {"impact"}, e=0.4, mu=0.2)


def test_a_cam_of_measured_points_is_smooth_enough() -> None:
    """Steps end where the third derivative of the spline jumps; the ledger stays closed."""
    angle = np.linspace(0, math.tau, 25)
    radius = 1 + 0.15 * np.cos(2 * angle)
    radius[-1] = radius[0]
    places = [radius * np.cos(angle), radius * np.sin(angle)]
    for place in places:
        place[-1] = place[0]
    rim = CurveOn(ground, tuple(jounce.table(s, angle, place, kind="periodic") for place in places), s)
    ball = Body("ball", mass=1.0, inertia=0.02, center=(0.02, 1.2), velocity=(0.1, 0))
    contact = contact_between("rim", CircleOn(ball, (0, 0), 0.2), rim, friction=0.3, restitution=0.2)
    model = Model.from_bodies("spline", bodies=[ball], gravity=G, contacts=[contact])
    assert len(model.kinks) == 1
    system = jounce.compile_model(model)
    run = jounce.simulate(system, None, t_end=1.0, options=DENSE)
    assert run.status.name == "FINISHED"


FLOOR = Line(ground)
ROD = Body("rod", mass=1.0, inertia=1.0)
EIGHT = (sp.sin(2 * s), sp.sin(s))
BEAN = ((1 + 0.4 * sp.cos(2 * s)) * sp.cos(s), (1 + 0.4 * sp.cos(2 * s)) * sp.sin(s))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CurveOn(ROD, (sp.cos(s), -sp.sin(s)), s), "clockwise"),
        (lambda: CurveOn(ROD, EIGHT, s), "crosses itself"),
        (lambda: CurveOn(ROD, (sp.cos(s), sp.sin(s)), s, end=3), "not closed"),
        (lambda: CurveOn(ROD, (sp.cos(s) ** 3, sp.sin(s) ** 3), s), "no direction"),
        (lambda: CurveOn(ROD, (sp.cos(s), sp.Abs(sp.sin(s))), s), "not smooth"),
        (lambda: CurveOn(ROD, (sp.cos(s) / (1 - sp.cos(s)), sp.sin(s)), s), "not a finite number"),
        (lambda: CurveOn(ROD, (sp.cos(s) * jounce.time, sp.sin(s)), s), "numbers and the curve's parameter only"),
        (lambda: CurveOn(ROD, (sp.cos(s), sp.sin(s)), "s"), "must be a symbol"),
        (lambda: CurveOn(ROD, (jounce.table(s, [0, 3, 7], [1, 2, 1]), sp.sin(s)), s), "no continuous curvature"),
        (lambda: CurveOn(ROD, (sp.cos(s), sp.sin(s)), s, start=7), "end must be larger"),
        (lambda: EllipseOn(ROD, (0, 0), 2, 0), "semi-axis b is 0"),
        (lambda: contact_between("c", CurveOn(ROD, BEAN, s), FLOOR), "against a line a curve must be convex"),
        (
            lambda: contact_between("c", CurveOn(ROD, BEAN, s, inside=True), CircleOn(ground, (0, 0), 0.62)),
            "meets it at another place too",
        ),
        (
            lambda: contact_between("c", EllipseOn(ROD, (0, 0), 2, 1, inside=True), CircleOn(ground, (0, 0), 0.6)),
            "touches it at two places",
        ),
        (
            lambda: contact_between(
                "c", EllipseOn(ROD, (0, 0), 2, 1, inside=True), CircleOn(ground, (0, 0), jounce.parameter("r", 0.1))
            ),
            "must be a number",
        ),
        (lambda: contact_between("c", EllipseOn(ROD), CurveOn(ground, (sp.cos(s), sp.sin(s)), s)), "two ellipses only"),
        (lambda: contact_between("c", EllipseOn(ROD), Edge(ground, (0, 0), (1, 0))), "no closest points"),
        (lambda: contact_between("c", EllipseOn(ROD, inside=True), FLOOR), "does not fit into a hole"),
        (lambda: contact_between("c", EllipseOn(ROD), CircleOn(ROD, (0, 0), 1)), "both sides belong"),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        make()


def test_corners_touch_a_curve_one_by_one() -> None:
    contacts = contact_between("c", Corners(ROD, [(0.1, 0), (-0.1, 0)]), EllipseOn(ground))
    assert [contact.name for contact in contacts] == ["c_1", "c_2"]


def test_a_file_holds_a_curve(tmp_path: Path) -> None:
    """Written as equations and read again it is the same model; a machine in a file has curves, too."""
    model = hole().model
    again = Model.from_file(model.to_file(tmp_path / "hole.toml"))
    assert model_key(again) == model_key(model)
    text = """name = "cam"
[bodies.ball]
mass = 1
inertia = 1
center = [0, 3]
[contacts.rim]
between = [{ shape = "CircleOn", body = "ball", radius = 0.5 },
           { shape = "CurveOn", body = "ground", curve = ["2*cos(s)", "sin(s)"], parameter = "s" }]
[contacts.oval]
between = [{ shape = "PointOn", body = "ball" }, { shape = "EllipseOn", body = "ground", a = 2 }]
"""
    (tmp_path / "cam.toml").write_text(text)
    rim, oval = Model.from_file(tmp_path / "cam.toml").contacts
    assert rim.gap + sp.Float(0.5) == oval.gap
    assert len(rim.gap.atoms(Profile)) == 1


@pytest.mark.parametrize(
    "gap",
    [
        "Distance(y, y, s, cos(s), y, 0.0, 6.0)",
        "Distance(y, y, s, exp(exp(exp(exp(9*s)))), sin(s), 0.0, 6.283185307179586)",
        "Distance(y, y, s, 9**(9**(9*s)), sin(s), 0.0, 6.283185307179586)",
        "Distance(y, y, s, " + "+".join(f"sin({k}*s)" for k in range(1, 300)) + ", sin(s), 0.0, 6.283185307179586)",
        "Distance(y, y, s, cos(s), sin(1e9*s), 0.0, 6.283185307179586)",
        "Distance(y, y, 's', cos(s), sin(s), 0.0, 6.283185307179586)",
        "Distance(y, y, s, cos(s), sin(s), y, 6.283185307179586)",
        "Distance(y, y, s, cos(s), sin(s), 0.0, 1e999)",
        "Distance(y, y)",
        "Foot(y, y, s, cos(s), __import__('os'), 0.0, 6.283185307179586)",
    ],
)
def test_hostile_files_are_refused(gap: str, tmp_path: Path) -> None:
    text = f'name = "x"\n[coordinates]\ny = "m"\n[equations]\nmass = [1]\nforces = [0]\n[contacts.c]\ngap = "{gap}"\n'
    (tmp_path / "x.toml").write_text(text)
    with pytest.raises(ModelError):
        Model.from_file(tmp_path / "x.toml")


def test_a_machine_with_a_curve_does_not_run_from_tables() -> None:
    with pytest.raises(jounce.SimulationError, match="cannot run from tables"):
        jounce.compile_model(hole().model, bodies="tables")
