"""Resets at the impacts of an accumulation, of which there are infinitely many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce

(x, dx), (y, dy) = jounce.coordinates("x y", "m")
side, count = jounce.discrete("side", 1), jounce.discrete("count")


def bouncing(reset: dict[Any, Any], **parts: Any) -> jounce.Model:
    """A ball that comes to rest on the floor at t = 3 sqrt(2/g) = 3 s (e = 1/2, g = 2, from 1 m)."""
    floor = jounce.Contact("floor", gap=y, restitution=0.5)
    own = jounce.Reset("impact:floor", reset, name="own", **parts)
    return jounce.Model("bouncing", [x, y], [1, 1], [0, -2], contacts=[floor], resets=[own], start={y: 1.0})


@pytest.mark.parametrize("change", [{dx: -dx}, {dx: dx + side / 4, side: -side}, {x: x + 1}], ids=str)
def test_what_each_impact_changes_for_good_has_no_limit(change: dict[Any, Any]) -> None:
    run = jounce.simulate(bouncing(change), {"d_x": 1.0}, 5.0)
    assert run.status.name == "ENDLESS_RESETS"
    assert "'own'" in run.status.message
    assert run.final.t == pytest.approx(3.0, abs=1e-6)
    assert run.final["y"] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize(
    ("change", "only_if"),
    [
        ({dx: dx + dy}, None),  # goes to zero with the rebounds
        ({count: count + 1}, None),  # nothing reads it
        ({side: -1}, None),  # the same after the first
        ({dx: -dx, side: -side}, dy > 0.1),  # finitely many
    ],
    ids=["with the speed", "counted", "once", "above a speed"],
)
def test_what_has_a_limit_goes_on(change: dict[Any, Any], only_if: Any) -> None:
    run = jounce.simulate(bouncing(change, only_if=only_if), {"d_x": 1.0}, 5.0)
    assert run.status.name == "FINISHED"
    assert run.final["y"] == 0.0
    assert run.audit().empty
    if change == {dx: dx + dy}:  # rebounds of 1, 1/2, 1/4, ... m/s
        assert run.final["d_x"] == pytest.approx(1.0 + 2.0, rel=1e-6)


def test_a_body_that_does_not_rebound_has_one_impact() -> None:
    """Without restitution the reset happens once."""
    floor = jounce.Contact("floor", gap=y)
    model = jounce.Model(
        "landing", [x, y], [1, 1], [0, -2], contacts=[floor], start={y: 1.0},
        resets=[jounce.Reset("impact:floor", {dx: -dx, side: -side})],
    )  # fmt: skip
    run = jounce.simulate(model, {"d_x": 1.0}, 3.0)
    assert run.status.name == "FINISHED"
    assert (run.final["side"], run.final["d_x"]) == (-1.0, -1.0)


@pytest.mark.parametrize("integrator", ["taylor", "dop853", "dopri5"])
@pytest.mark.parametrize("height", [1e-3, 1e-4, 1e-5])
def test_a_guard_that_just_passes_zero_and_returns_is_no_accumulation(height: float, integrator: str) -> None:
    """x = sin t passes 1 - height twice in each period: each second time soon after the first, and by little."""
    model = jounce.Model("crests", [x], [1], [-x], resets=[jounce.Reset(x - (1 - height), {count: count + 1})])
    options = jounce.Options(tolerance=1e-7, integrator=integrator, scales={"x": 1.0, "d_x": 1.0})
    run = jounce.simulate(model, {"d_x": 1.0}, 31.0, options=options)
    assert run.status.name == "FINISHED", run.status.message
    assert run.final["count"] == 10


@pytest.mark.parametrize("ratio", [0.03, 0.3, 0.7])
def test_bounces_by_a_reset_have_no_end(ratio: float) -> None:
    """The ball that bounces by a map of its own ends before a bounce is hidden by what its guard is known to."""
    bounce = jounce.Reset(y, {dy: -ratio * dy}, direction=-1, name="bounce")
    model = jounce.Model("bounces", [y], [1], [-2], resets=[bounce], start={y: 1.0})
    run = jounce.simulate(model, None, 20.0, tolerance=1e-9)
    assert run.status.name == "ENDLESS_RESETS"
    assert run.final.t == pytest.approx(1 + 2 * ratio / (1 - ratio), abs=1e-3)
    assert abs(run.final["y"]) < 1e-6


@pytest.mark.parametrize("integrator", ["taylor", "dop853", "dopri5"])
def test_the_side_of_a_switch_behind_an_accumulation_is_that_of_the_state(integrator: str) -> None:
    """A mass that dry friction slows bounces to rest at a stop: its side changes at every impact, and it rests."""
    m, e, F, w = jounce.parameters(m=(1.0, "kg"), e=0.5, F=(0.5, "N"), w=(1.0, "rad/s"))
    stop = jounce.Contact("stop", gap=y, restitution=e)
    force = -2 - sp.cos(w * jounce.time) / 2 - F * sp.sign(dy)
    system = jounce.compile_model(jounce.Model("slowed", [y], [m], [force], contacts=[stop]))
    random = np.random.default_rng(3)
    for _ in range(100):
        options = jounce.Options(integrator=integrator, tolerance=10.0 ** random.uniform(-11, -7), audit="dense")
        drawn = {"m": random.uniform(0.3, 3), "e": random.uniform(0.1, 0.6), "F": random.uniform(0.1, 1.3), "w": 1.0}
        run = jounce.simulate(system, {"y": random.uniform(0.01, 0.2)}, 8.0, options=options, **drawn)
        assert run.status.name == "FINISHED", run.status.message
        assert abs(run.final["y"]) < 1e-12
        assert abs(run.final["d_y"]) < 1e-12


@pytest.mark.parametrize("begin", [0.0, 100.0, -8.0])
def test_two_tanks_that_are_filled_in_turn_have_an_end(begin: float) -> None:
    """Lygeros and Johansson's water tanks: inflow 3/4 into one, outflow 1/2 of each, accumulate 8 s from their start.

    The levels stay known to all their digits; what comes to an end is the time between the switchings.
    """
    first, second = jounce.internal("first", "m"), jounce.internal("second", "m")
    into = 0.75 * (1 + side) / 2
    resets = [
        jounce.Reset(first, {side: 1}, direction=-1, name="to_first"),
        jounce.Reset(second, {side: -1}, direction=-1, name="to_second"),
    ]
    model = jounce.Model("tanks", [x], [1], [0], rates={first: into - 0.5, second: 0.25 - into}, resets=resets)
    run = jounce.simulate(model, {"t": begin, "first": 1.0, "second": 1.0}, begin + 10.0)
    assert run.status.name == "ENDLESS_RESETS"
    assert run.final.t == pytest.approx(begin + 8.0, abs=1e-6)
    assert run.final["first"] >= -1e-9
    assert run.final["second"] >= -1e-9
