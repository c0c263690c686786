"""Curves with parameters of the model in them, and ellipses that touch ellipses, against closed forms and searches."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.optimize import minimize

import jounce
from jounce import (
    Body,
    CircleOn,
    CurveOn,
    Driver,
    EllipseOn,
    Line,
    Model,
    ModelError,
    Options,
    PointOn,
    Revolute,
    SimulationError,
    Translational,
    contact_between,
    ground,
)
from jounce.codegen.cache import model_key
from jounce.model.arithmetic import value_at
from jounce.model.curve_arcs import VALUES, S
from jounce.model.profiles import Distance, Foot, NormalX, Reach, Support, profile_of
from tests.references.flow import check_derivative

s = sp.Symbol("s")
DENSE = Options(audit="dense", tolerance=1e-11)


@cache
def cam() -> jounce.System:
    """An eccentric disc, whose radius and eccentricity are parameters, and its roller."""
    R, e = jounce.parameters(R=1.0, e=0.3)
    wheel, roller = Body("wheel", mass=1.0, inertia=1.0), Body("roller", mass=1.0, inertia=1.0, center=(0, 1.3))
    rim = CurveOn(wheel, (e + R * sp.cos(s), R * sp.sin(s)), s, ranges={R: (0.5, 2.0), e: (0.0, 0.6)})
    joints = [
        Revolute("pin", ground, wheel, (0, 0), (0, 0)),
        Driver("motor", ground, wheel, angle=2 * jounce.time),
        Translational("guide", ground, roller, axis=(0, 1)),
    ]
    contact = contact_between("rim", CircleOn(roller, (0, 0), 0.25), rim)
    return jounce.compile_model(
        Model.from_bodies("cam_of_parameters", bodies=[wheel, roller], joints=joints, gravity=20.0, contacts=[contact])
    )


@pytest.mark.parametrize(("R", "e"), [(1.0, 0.3), (0.7, 0.2), (1.9, 0.6)])
def test_a_cam_whose_radius_is_a_parameter_lifts_as_closed_form_says(R: float, e: float) -> None:
    """One system for all of them."""
    start = cam().state(roller_y=math.sqrt((R + 0.25) ** 2 - e**2), d_roller_y=2 * e)
    run = jounce.simulate(cam(), start, t_end=4.0, options=DENSE, R=R, e=e)
    assert run.status.name == "FINISHED"
    t = np.linspace(0, 4, 40)
    lift = e * np.sin(2 * t) + np.sqrt((R + 0.25) ** 2 - (e * np.cos(2 * t)) ** 2)
    assert np.abs(run.states(t)[:, 4] - lift).max() < 1e-13


def test_values_outside_of_their_ranges_are_refused() -> None:
    for run in (
        lambda: jounce.simulate(cam(), None, t_end=1.0, R=2.1),
        lambda: jounce.sweep(cam(), "R", np.linspace(1.0, 3.0, 3), section="impact:rim"),
        lambda: jounce.simulate(cam(), None, t_end=1.0, schedule=[(0.5, {"R": 3.0})]),
        lambda: jounce.ensemble(cam(), [cam().state()], 1.0, parameters={"R": np.array([0.1])}),
    ):
        with pytest.raises(SimulationError, match=r"R is .*from 0\.5 to 2"):
            run()


def test_all_functions_of_a_curve_with_values_are_right_and_so_are_their_derivatives() -> None:
    """Those of the curve with numbers in place of values; central differences in the place and in the values."""
    a, b, v = *VALUES[:2], sp.Symbol("v", real=True)
    u, p, k = sp.symbols("u p k", real=True)
    shape = ((2 + a * sp.cos(2 * S)) * sp.cos(S), b * (2 + a * sp.cos(2 * S)) * sp.sin(S))
    profile = profile_of(*shape, 0.0, math.tau, False, [(-0.2, 0.2), (0.8, 1.2)])
    numbers = {a: sp.Float(0.13), b: sp.Float(0.93)}
    fixed = profile_of(*(part.xreplace(numbers) for part in shape), 0.0, math.tau)
    at = {u: 2.5, v: 0.7, p: 0.13, k: 0.93}
    for kind in (Foot, Distance, NormalX, Support, Reach):
        expression = kind(u, v, profile, p, k)
        assert value_at(expression, at) == pytest.approx(kind.at(2.5, 0.7, fixed), rel=1e-13)
        for symbol in (u, p, k):
            ends = [value_at(expression, {**at, symbol: at[symbol] + h}) for h in (1e-5, -1e-5)]
            slope = value_at(sp.diff(expression, symbol), at)
            assert slope == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-7, abs=1e-8), (kind, symbol)
    # and once more: what accelerations of gaps are made of
    for symbol in (u, p, k):
        slope = sp.diff(Distance(u, v, profile, p, k), p)
        ends = [value_at(slope, {**at, symbol: at[symbol] + h}) for h in (1e-5, -1e-5)]
        assert value_at(sp.diff(slope, symbol), at) == pytest.approx((ends[0] - ends[1]) / 2e-5, rel=1e-7), symbol


def test_derivatives_by_a_semi_axis_are_those_of_neighbouring_motions() -> None:
    """An ellipse over a floor, through impacts and a roll."""
    mu, e, a = jounce.parameters(mu=5.0, e=0.4, a=2.0)
    body = Body("egg", mass=1.0, inertia=1.25, center=(0, 3.0))
    egg = EllipseOn(body, (0, 0), a, 1, ranges={a: (1.5, 2.5)})
    floor = contact_between("floor", egg, Line(ground), friction=mu, restitution=e)
    system = jounce.compile_model(Model.from_bodies("egg_of_a", bodies=[body], gravity=9.81, contacts=[floor]))
    start = system.state(egg_y=2.3, egg_theta=0.4, d_egg_x=0.5, d_egg_theta=1.0)
    check_derivative(system, start, 1.6, "a", {"impact"}, e=0.4, mu=0.2)


def places(axes: tuple[float, float], pose: Any, angle: Any) -> np.ndarray:
    """Of an ellipse at the pose (x, y, theta)."""
    x, y, theta = pose
    p, q = axes[0] * np.cos(angle), axes[1] * np.sin(angle)
    return np.array([x + p * np.cos(theta) - q * np.sin(theta), y + p * np.sin(theta) + q * np.cos(theta)])


def apart(a: Any, pose_a: Any, b: Any, pose_b: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """The least distance of two ellipses that do not touch, by SciPy, and the two places."""
    angles = np.linspace(0, math.tau, 90)
    outlines = [places(a, pose_a, angles), places(b, pose_b, angles)]
    gaps = np.hypot(*(outlines[0][:, :, None] - outlines[1][:, None, :]))
    i, j = np.unravel_index(np.argmin(gaps), gaps.shape)

    def square(z: np.ndarray) -> float:
        return float(np.sum((places(a, pose_a, z[0]) - places(b, pose_b, z[1])) ** 2))

    found = minimize(square, [angles[i], angles[j]], method="BFGS", options={"gtol": 1e-13})
    return math.sqrt(found.fun), places(a, pose_a, found.x[0]), places(b, pose_b, found.x[1])


@cache
def two(inside: bool = False) -> Model:
    """An ellipse and another one, or in the hole of another one; off the centres of their bodies."""
    mu, e = jounce.parameters(mu=0.3, e=0.5)
    one, other = Body("one", mass=1.0, inertia=1.25, center=(0.0, 3.5)), Body("other", mass=2.0, inertia=0.7)
    if inside:
        one = Body("one", mass=1.0, inertia=1.25)
    ours, theirs = ((1.0, 0.9), (3, 2)) if inside else ((2, 1), (1.5, 0.8))
    shapes = EllipseOn(one, (0.1, -0.2), *ours), EllipseOn(other, (0.1, 0.2), *theirs, inside=inside)
    contact = contact_between("c", *shapes, friction=mu, restitution=e)
    return Model.from_bodies("two_ellipses", bodies=[one, other], gravity=0, contacts=[contact])


def test_the_gap_of_two_ellipses_is_their_distance_and_the_slip_that_of_the_places() -> None:
    """Against SciPy's distance; the slip at contact from the velocities of the two places that it finds."""
    model, random, compared = two(), np.random.default_rng(5), 0
    gap, slip = model.contacts[0].gap, model.contacts[0].slip
    q, v = sp.symbols("one_x one_y one_theta other_x other_y other_theta", real=True), None
    symbols = {symbol.name: symbol for symbol in gap.free_symbols | slip.free_symbols}
    for _ in range(20):
        numbers = random.uniform(-3, 3, 6)
        poses = [(p[0] + 0.0, p[1], p[2]) for p in (numbers[:3], numbers[3:])]
        centres = [
            (
                *(
                    np.array(p[:2])
                    + np.array([[math.cos(p[2]), -math.sin(p[2])], [math.sin(p[2]), math.cos(p[2])]]) @ c
                ),
                p[2],
            )
            for p, c in zip(poses, ((0.1, -0.2), (0.1, 0.2)), strict=True)
        ]
        distance, place_a, place_b = apart((2, 1), centres[0], (1.5, 0.8), centres[1])
        if distance < 1e-3:
            continue
        compared += 1
        speeds = random.normal(size=6)
        names = [symbol.name for symbol in q]
        values = {symbols[name]: float(x) for name, x in zip(names, numbers, strict=True)}
        assert value_at(gap, values) == pytest.approx(distance, rel=2e-8)
        n = (place_a - place_b) / distance
        values |= {symbols[f"d_{name}"]: float(x) for name, x in zip(names, speeds, strict=True)}
        velocities = [
            w[:2] + w[2] * np.array([-(place - p[:2])[1], (place - p[:2])[0]])
            for w, place, p in ((speeds[:3], place_a, numbers[:3]), (speeds[3:], place_b, numbers[3:]))
        ]
        expected = float(np.array([n[1], -n[0]]) @ (velocities[0] - velocities[1]))
        assert value_at(slip, values) == pytest.approx(expected, abs=1e-6)
    assert compared > 8
    assert v is None


def test_an_ellipse_in_a_hole_is_as_far_from_it_as_its_outermost_places() -> None:
    """The least of the signed distances of its places from the hole, each by 50 digits elsewhere."""
    gap = two(inside=True).contacts[0].gap
    symbols = {symbol.name: symbol for symbol in gap.free_symbols}
    hole = profile_of(3 * sp.cos(S), 2 * sp.sin(S), 0.0, math.tau)
    for x, y, theta in ((0.3, 0.5, 0.7), (-1.2, 0.2, 2.0), (1.0, -0.6, -1.0)):
        values = dict.fromkeys(symbols.values(), 0.0)
        values |= {symbols["one_x"]: x, symbols["one_y"]: y, symbols["one_theta"]: theta}
        turned = np.array([[math.cos(theta), -math.sin(theta)], [math.sin(theta), math.cos(theta)]]) @ (0.1, -0.2)
        outline = places((1.0, 0.9), (x + turned[0] - 0.1, y + turned[1] - 0.2, theta), np.linspace(0, math.tau, 3001))
        least = min(-Distance.at(float(u), float(v), hole) for u, v in outline.T)
        assert value_at(gap, values) == pytest.approx(least, abs=3e-6)
        assert value_at(gap, values) <= least + 1e-14


def test_two_round_ellipses_are_two_discs() -> None:
    """They roll, slip and strike as CircleOn do, which need no search."""
    runs = []
    for kind in ("ellipse", "circle"):
        base, top = (
            Body("base", mass=3.0, inertia=1.5),
            Body("top", mass=1.0, inertia=0.08, center=(0.1, 1.45), spin=2.0),
        )
        shapes: Any = CircleOn(top, (0, 0), 0.4), CircleOn(base, (0, 0), 1.0)
        if kind == "ellipse":
            shapes = EllipseOn(top, (0, 0), 0.4, 0.4), EllipseOn(base, (0, 0), 1, 1)
        joints = [Revolute("pin", ground, base, (0, 0), (0, 0))]
        contact = contact_between("c", *shapes, friction=0.4, restitution=0.3)
        model = Model.from_bodies("discs", bodies=[base, top], joints=joints, gravity=9.81, contacts=[contact])
        runs.append(jounce.simulate(jounce.compile_model(model), None, t_end=1.0, options=DENSE))
    assert list(runs[0].events["kind"]) == list(runs[1].events["kind"])
    assert "impact" in set(runs[0].events["kind"])
    t = np.linspace(0, 1, 30)
    assert np.abs(runs[0].states(t) - runs[1].states(t)).max() < 1e-9


def test_two_ellipses_that_collide_keep_their_momenta() -> None:
    system = jounce.compile_model(two())
    start = system.state(one_x=0.3, one_y=3.2, one_theta=0.4, other_theta=0.2, d_one_y=-1.0, d_one_theta=1.0)
    run = jounce.simulate(system, start, t_end=3.0, options=Options(audit="dense", tolerance=1e-11, law="newton"))
    assert run.status.name == "FINISHED"
    assert list(run.events["kind"]) == ["impact"]
    impact = run.events.iloc[0]
    assert impact["v_n_after"] == pytest.approx(-0.5 * impact["v_n_before"], rel=1e-9)
    x, y, _, X, Y, _, vx, vy, w, VX, VY, W = run.states(np.linspace(0, 3, 20)).T
    for kept in (vx + 2 * VX, vy + 2 * VY, x * vy - y * vx + 1.25 * w + 2 * (X * VY - Y * VX) + 0.7 * W):
        assert np.ptp(kept) < 1e-13


def test_a_file_holds_two_ellipses(tmp_path: Path) -> None:
    again = Model.from_file(two().to_file(tmp_path / "two.toml"))
    assert model_key(again) == model_key(two())


ROD = Body("rod", mass=1.0, inertia=1.0)
(A,) = jounce.parameters(A=1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: EllipseOn(ROD, (0, 0), A, 1), r"A in its expressions.*ranges=\{name"),
        (lambda: EllipseOn(ROD, (0, 0), A, 1, ranges={A: (1.0, 0.5)}), "must be above the least"),
        (lambda: EllipseOn(ROD, (0, 0), A, 1, ranges={A: (-1.0, 1.0)}), "for all values in the ranges"),
        (lambda: EllipseOn(ROD, (0, 0), A, 1, ranges=[1]), "dictionary"),
        (lambda: EllipseOn(ROD, (0, 0), A, 1, ranges={A: (1, A)}), "must be numbers"),
        (
            lambda: contact_between(
                "c",
                CurveOn(ROD, (sp.cos(s) * (1 + A * sp.cos(2 * s)), sp.sin(s)), s, ranges={A: (0, 0.9)}),
                Line(ground),
            ),
            "must be convex",
        ),
        (
            lambda: contact_between(
                "c", EllipseOn(ROD, (0, 0), 2, 1), EllipseOn(ground, (0, 0), 2.2, 1.2, inside=True)
            ),
            "does not fit",
        ),
        (
            lambda: contact_between("c", EllipseOn(ROD), CurveOn(ground, (2 * sp.cos(s), sp.sin(s)), s)),
            "two ellipses only",
        ),
        (lambda: contact_between("c", EllipseOn(ROD), CircleOn(ground, (0, 0), 1)), None),
        (lambda: contact_between("c", EllipseOn(ROD), PointOn(ground, (3, 0))), None),
    ],
)
def test_what_makes_no_sense_is_refused(make: Any, message: str | None) -> None:
    if message is None:
        make()
        return
    with pytest.raises(ModelError, match=message):
        make()
