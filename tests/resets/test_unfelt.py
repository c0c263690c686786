"""Resets that contacts do not feel leave their modes as they are."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Contact, Model, Reset, coordinate, discrete, parameter, time


def thrown(pushed: bool) -> Model:
    """A mass on a floor whose weight turns upwards at t = 5.5/w; then a force along the floor sets in, or nothing."""
    (x, _), (y, _) = coordinate("x", "m"), coordinate("y", "m")
    n, g, w = discrete("n", 0), parameter("g", 9.81), parameter("w", 3.0)
    along = -n / (1 + n) * g if pushed else sp.Integer(0)
    return Model(
        "thrown",
        coordinates=[x, y],
        mass=[1, 1],
        forces=[along, -g * (sp.Rational(11, 10) - time * w / 5)],
        contacts=[Contact("floor", gap=y)],
        resets=[Reset("lift_off:floor", {n: n + 1}, name="counts")],
    )


@pytest.mark.parametrize("pushed", [True, False])
def test_a_contact_lifts_off_once_in_any_units(pushed):
    system, random = jounce.compile_model(thrown(pushed)), np.random.default_rng(7)
    for _ in range(60):
        length, tick = 10.0 ** random.uniform(-6, 6, 2)
        w = random.uniform(2.2, 6.0)
        run = jounce.simulate(system, None, 3.0 * tick, g=9.81 * length / tick**2, w=w / tick)
        assert list(run.events.kind) == ["lift_off", "reset"]
        assert run.events.t.iloc[0] == pytest.approx(5.5 / w * tick, rel=1e-12)
        assert run.final["n"] == 1
        beyond = 3.0 - 5.5 / w
        wanted = 9.81 * length * (w / 5 * beyond**3 / 6)
        assert run.final["y"] == pytest.approx(wanted, rel=1e-9)
        pull = -9.81 / 2 * length * beyond**2 / 2 if pushed else 0.0
        assert run.final["x"] == pytest.approx(pull, rel=1e-9)


def test_a_force_that_presses_is_felt():
    """Behind the lift-off the reset presses the mass onto the floor again: it stays, and counts what it must."""
    (y, _), n, g = coordinate("y", "m"), discrete("n", 0), parameter("g", 9.81)
    model = Model(
        "pressed",
        coordinates=[y],
        mass=[1],
        forces=[g * (time - 1 - 4 * n)],
        contacts=[Contact("floor", gap=y)],
        resets=[Reset("lift_off:floor", {n: n + 1}, name="counts")],
    )
    run = jounce.simulate(model, None, 6.0)
    assert run.events[run.events.kind == "lift_off"].t.to_list() == pytest.approx([1.0, 5.0], rel=1e-12)
    assert run.final["n"] == 2
    assert run.final["y"] == 0.0
