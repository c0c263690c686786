"""Dimensions of expressions, and the warning for gaps whose friction coefficient would not be a pure number."""

from __future__ import annotations

import warnings

import pytest
import sympy as sp

import jounce
from jounce import Contact, Model, coordinate, parameters
from jounce.model.dimensions import dimension, written

x, dx = coordinate("x", "m")
y, dy = coordinate("y", "mm")
theta, dtheta = coordinate("theta", "rad")
bare, dbare = coordinate("bare")
R, k, m = parameters(R=(2.0, "m"), k=(3.0, "N/m"), m=(1.0, "kg"))
UNITS = {"t": "s", "x": "m", "d_x": "m/s", "y": "mm", "d_y": "mm/s", "theta": "rad", "d_theta": "rad/s", "R": "m",
         "k": "N/m", "m": "kg", "bare": ""}  # fmt: skip


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (x**2 + y**2 - R**2, "m^2"),
        (sp.sqrt(x**2 + y**2) - R, "m"),
        (R * dtheta + dx - 3, "m/s"),
        (R * sp.sin(theta), "m"),
        (sp.Max(x, R / 2), "m"),
        (sp.Abs(x) ** sp.Rational(3, 2), "m^3/2"),
        (jounce.time * k * x / m, "m/s"),
        (theta + 1, "1"),
    ],
)
def test_dimensions_of_expressions(expression, text):
    assert written(dimension(expression, UNITS)) == text


@pytest.mark.parametrize("expression", [x + theta, x - bare, x + k, R**theta])
def test_terms_that_disagree_say_nothing(expression):
    assert dimension(expression, UNITS) is None


def in_a_bowl(gap, slip, friction=0.3):
    r = sp.sqrt(x**2 + y**2)
    contact = Contact("wall", gap=gap(r), slip=slip(r), friction=friction)
    return Model("bowl", [x, y], [m, m], [0, -9.81 * m], contacts=[contact], start={x: 1.0, y: -1.0})


def along(r):
    return (x * dy - y * dx) / r


def test_a_gap_that_is_no_distance_is_named():
    with pytest.warns(UserWarning, match=r"contact 'wall': its gap is in m\^2 and its slip velocity in m/s"):
        in_a_bowl(lambda r: R**2 - r**2, along)
    with pytest.warns(UserWarning, match=r"slip velocity in 1/s"):
        in_a_bowl(lambda r: R - r, lambda r: along(r) / r)


def test_coordinates_without_units_say_nothing():
    other, d_other = coordinate("other")
    contact = Contact("wall", gap=bare - 1, slip=d_other + dbare, friction=0.3)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Model("without_units", [bare, other], [1, 1], [0, 0], contacts=[contact], start={bare: 2.0})


def test_distances_and_frictionless_surfaces_are_not():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        in_a_bowl(lambda r: R - r, along)
        in_a_bowl(lambda r: R**2 - r**2, along, friction=0)
        in_a_bowl(lambda r: (R - r) / R, lambda r: along(r) / R)  # both per radius: mu is a number
