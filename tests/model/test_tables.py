"""Tables of points as expressions, against SciPy and in motion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PchipInterpolator

import jounce
from jounce.errors import ModelError
from jounce.model.expressions import value_at

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
