"""Tables of points as expressions, against SciPy and in motion."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.interpolate import CubicSpline, PchipInterpolator

import jounce
from jounce.errors import ModelError
from jounce.model.curves import Points
from jounce.model.expressions import value_at
from jounce.model.files.expression_text import tree_text
from jounce.model.numeric import numpy_function
from jounce.model.parsing import parse_expression
from jounce.model.trees import from_tree, to_tree

X = [0.0, 0.5, 1.0, 2.0, 4.0]
Y = [1.0, 0.6, 0.5, 0.55, 0.9]
CURVES = {"linear": lambda v: np.interp(v, X, Y), "monotone": PchipInterpolator(X, Y), "spline": CubicSpline(X, Y)}


@pytest.mark.parametrize("kind", CURVES)
def test_values_between_and_beyond(kind: str) -> None:
    x, _ = jounce.coordinate("x", "m")
    curve = jounce.table(x, X, Y, kind)
    for v in (*X, 0.1, 0.7, 1.3, 3.9):
        assert value_at(curve, {x: v}) == pytest.approx(float(CURVES[kind](v)), rel=1e-14)
    assert value_at(curve, {x: -1.0}) == Y[0]
    assert value_at(curve, {x: 9.0}) == Y[-1]


@pytest.mark.parametrize("kind", ["monotone", "spline"])
def test_derivatives(kind: str) -> None:
    x, _ = jounce.coordinate("x", "m")
    slope = sp.diff(jounce.table(3 * x, X, Y, kind), x, 2)
    for v in (0.1, 0.7, 1.3, 3.9):
        expected = 9.0 * float(CURVES[kind].derivative(2)(v))
        assert value_at(slope, {x: v / 3}) == pytest.approx(expected, rel=1e-12)
    assert value_at(slope, {x: -1.0}) == 0.0


def test_an_expression_does_not_grow_with_its_points() -> None:
    x, _ = jounce.coordinate("x", "m")
    points = [np.linspace(0.0, 1.0, n) for n in (5, 1000)]
    few, many = (sp.diff(jounce.table(x, v, np.sin(v), "spline") ** 2, x) for v in points)
    assert few.count_ops() == many.count_ops()


@pytest.mark.parametrize("count", [2, 3, 4, 7, 64])
def test_generated_code_finds_the_piece(count: int) -> None:
    """Accelerations from machine code, at all breaks and between them, against NumPy."""
    x, _ = jounce.coordinate("x", "m")
    knots = np.cumsum(np.random.default_rng(count).uniform(0.1, 1.0, count))
    values = np.random.default_rng(count + 1).normal(size=count)
    force = jounce.table(x, knots, values, "linear")
    system = jounce.compile_model(jounce.Model("curve", coordinates=[x], mass=[1], forces=[force]))
    for v in (*knots, *(knots[:-1] + np.diff(knots) / 3), knots[0] - 1.0, knots[-1] + 1.0):
        out = np.zeros(1)
        system.functions.free_acceleration(0.0, np.array([v]), np.zeros(1), np.zeros(1), out)
        assert out[0] == pytest.approx(float(np.interp(v, knots, values)), abs=1e-13)
    by_numpy = numpy_function([x], force)(np.linspace(0.0, knots[-1] + 1.0, 50))
    np.testing.assert_allclose(by_numpy, np.interp(np.linspace(0.0, knots[-1] + 1.0, 50), knots, values), atol=1e-13)


@pytest.mark.parametrize("tolerance", [1e-9, 1e-12])
def test_steps_end_at_the_kinks_of_a_table(tolerance: float) -> None:
    """A spring that becomes stiffer at a deflection of 1: harmonic pieces, whose period has a closed form."""
    k, stiff, amplitude = 1.0, 9.0, 2.0
    middle, fast = 1.0 - k / stiff, np.sqrt(stiff)
    outside = np.arccos((1.0 - middle) / (amplitude - middle)) / fast
    speed = fast * (amplitude - middle) * np.sin(fast * outside)
    inside = np.arcsin(1.0 / np.sqrt(1.0 + speed**2 / k)) / np.sqrt(k)
    x, _ = jounce.coordinate("x", "m")
    force = jounce.table(x, [-3, -1, 0, 1, 3], [k + 2 * stiff, k, 0, -k, -k - 2 * stiff], "linear")
    model = jounce.Model("stiffening", coordinates=[x], mass=[1], forces=[force])
    run = jounce.simulate(model, {"x": amplitude}, 40 * (outside + inside), tolerance=tolerance)
    assert run.final["x"] == pytest.approx(amplitude, abs=100 * tolerance)
    assert run.final["d_x"] == pytest.approx(0.0, abs=100 * tolerance)


@pytest.mark.parametrize("repeats", [True, False])
@pytest.mark.parametrize("places", [[0, 1, 2, 3], [0, 1, 2, 3, 4], [0, 1, 2, 5], [0, 2, 3, 7, 8]])
def test_a_sign_changes_at_each_break(places: list[float], repeats: bool) -> None:
    x, _ = jounce.coordinate("x", "m")
    zeros = Points(places, [(0.0,)] * (len(places) + 1), repeats).crossings(x)
    for here in places:
        before, at, after = (value_at(zeros, {x: here + nudge}) for nudge in (-1e-6, 0.0, 1e-6))
        assert before * after < 0.0
        assert abs(at) < 1e-14
        assert abs(after - before) > 1e-6


def test_files_keep_curves() -> None:
    x, _ = jounce.coordinate("x", "m")
    curve = jounce.table(2 * x - 1, X, Y, "monotone") + x
    assert from_tree(to_tree(curve), {"x": x}) == curve
    assert parse_expression(tree_text(to_tree(curve)), {"x": x}, "curve") == curve


@pytest.mark.parametrize(
    "tree",
    [
        ["Curve", "x", [0.0, 1.0], [[0.0], [1.0]], False],  # a piece is missing
        ["Curve", "x", [1.0, 0.0], [[0.0], [1.0], [0.0]], False],
        ["Curve", "x", [0.0, float("nan")], [[0.0], [1.0], [0.0]], False],
        ["Curve", "x", [0.0, "__import__('os')"], [[0.0], [1.0], [0.0]], False],
        ["Curve", "x", [0.0, [1.0]], [[0.0], [1.0], [0.0]], False],
        ["Curve", "x", list(range(5000)), [[0.0]] * 5001, False],
        ["Curve", "x", [0, 10**4000], [[0.0], [1.0], [0.0]], False],
        ["Curve", "x", [0.0], [[], [1.0]], False],
        ["Curve", "x", [0.0, 1.0], [[0.0], [1.0], [0.0]], 1],
        ["Curve", "x", [0.0], [[0.0], [1.0]], True],  # no period
    ],
)
def test_what_is_no_curve_is_refused(tree) -> None:
    x, _ = jounce.coordinate("x", "m")
    with pytest.raises(ModelError):
        from_tree(tree, {"x": x})


def test_friction_from_a_table() -> None:
    """A block that slides on measured friction: mu falls linearly with the speed, which has a closed form."""
    x, dx = jounce.coordinate("x", "m")
    y, dy = jounce.coordinate("y", "m")
    friction = jounce.table(jounce.slip, [0.0, 1.0, 3.0], [0.4, 0.3, 0.1], "linear")
    model = jounce.Model.from_lagrangian(
        "block",
        coordinates=[x, y],
        kinetic=(dx**2 + dy**2) / 2,
        potential=9.81 * y,
        contacts=[jounce.Contact("floor", gap=y, slip=dx, friction=friction)],
    )
    system = jounce.compile_model(model)
    run = jounce.simulate(system, {"d_x": 2.0}, t_end=3.0, tolerance=1e-11)
    # s' = -g (0.4 - 0.1 s): ends at ln(0.4/0.2)/(0.1 g)
    assert run.events.kind.tolist() == ["stick"]
    assert run.events.t[0] == pytest.approx(np.log(2.0) / 0.981, rel=1e-9)


def test_a_cam_from_a_table() -> None:
    """A mass that rides on a spline follows it, with the acceleration of the spline's own second derivative."""
    y, dy = jounce.coordinate("y", "m")
    t = np.linspace(0.0, 2.0, 9)
    lift = 0.02 * np.sin(np.pi * t) ** 2
    model = jounce.Model.from_lagrangian(
        "follower",
        coordinates=[y],
        kinetic=dy**2 / 2,
        potential=9.81 * y,
        contacts=[jounce.Contact("cam", gap=y - jounce.table(jounce.time, t, lift, "spline"))],
    )
    run = jounce.simulate(model, {}, t_end=1.9)
    spline = CubicSpline(t, lift)
    assert run.status.name == "FINISHED"
    assert run.at(1.1)["y"] == pytest.approx(float(spline(1.1)), abs=1e-9)
    assert float(run.contact_forces([1.1]).lambda_N[0, 0]) == pytest.approx(9.81 + float(spline(1.1, 2)), abs=1e-6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [0, 1, 2]), "2 values of x and 3 of y"),
        (([0], [0]), "1 points; there must be 2"),
        (([0, 2, 1], [0, 1, 2]), "2 is followed by 1"),
        (([0, float("nan")], [0, 1]), "finite numbers"),
        (([0, "a"], [0, 1]), "must be numbers"),
        (([0, 1], [0, 1], "cubic"), "unknown kind 'cubic'"),
    ],
)
def test_refusals(arguments, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        jounce.table(jounce.time, *arguments)
