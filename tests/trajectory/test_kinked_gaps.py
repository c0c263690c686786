"""A gap with a kink has no normal there: the run says so, and the sides as contacts of their own are right."""

from __future__ import annotations

from math import sqrt

import pytest
import sympy as sp

import jounce
from jounce import Contact, Model, Options, coordinate

x, dx = coordinate("x", "m")
y, dy = coordinate("y", "m")


def slope(*gaps: sp.Expr, e: float = 0.0) -> Model:
    contacts = [Contact(f"side{k}", gap=gap, slip=dx, restitution=e) for k, gap in enumerate(gaps)]
    return Model("slope", [x, y], [1, 1], [0, -10], contacts=contacts, potential=10 * y)


def test_a_kinked_gap_is_named_by_a_run_that_fails() -> None:
    run = jounce.simulate(slope(y - sp.Max(0, x)), {"x": -0.5, "y": 0.0, "d_x": 3.0}, 0.4)
    assert run.status.name == "AUDIT_FAILED"
    assert "The gap of contact 'side0' contains Max(0, x)" in run.status.message


def test_a_groove_that_holds_a_body_is_named_too() -> None:
    run = jounce.simulate(slope(y - sp.Abs(x), e=0.5), {"x": 1.0, "y": 2.0}, 3.0, options=Options(max_steps=3000))
    assert run.status.name in ("AUDIT_FAILED", "TOO_MANY_STEPS")
    assert "contains Abs(x)" in run.status.message


def test_two_contacts_are_the_ramp_that_was_meant() -> None:
    """At the foot of the ramp the velocity across it is lost, and the rest rises until gravity has taken it."""
    run = jounce.simulate(slope(y, (y - x) / sqrt(2)), {"x": -0.5, "y": 0.0, "d_x": 3.0}, 0.4)
    assert run.status.name == "FINISHED"
    along, t = 3.0 / sqrt(2), 0.4 - 0.5 / 3.0
    assert run.final["x"] == pytest.approx((along * t - 10 / sqrt(2) * t**2 / 2) / sqrt(2), abs=1e-9)


def test_two_contacts_are_the_groove_that_was_meant() -> None:
    run = jounce.simulate(slope((y - x) / sqrt(2), (y + x) / sqrt(2)), {"x": 1.0, "y": 2.0}, 3.0)
    assert run.status.ok
    assert run.final["x"] == pytest.approx(0.0, abs=1e-9)
    assert run.final["y"] == pytest.approx(0.0, abs=1e-9)
