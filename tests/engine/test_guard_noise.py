"""Guards that are zero up to rounding, and runs whose steps are too many."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Contact, Model, coordinate, coordinates, parameters
from jounce.kernels.events.guard_noise import PATTERNS, TIME, move_sign
from jounce.kernels.records import recording
from jounce.kernels.records.workspace import MAX_VECTOR
from jounce.simulation.driver import Driver


def effort(system, t_end, tolerance=1e-10, **values):
    """(evaluations of the model, steps, the run)"""
    options = jounce.Options(tolerance=tolerance)
    driver = Driver(system, system.state(), t_end, system.parameters(**values), options)
    run = driver.run()
    return int(driver.motion[0]["memory"]["effort"]), int(driver.record[0]["counter"][recording.STEPS_TOTAL]), run


@pytest.fixture(scope="module")
def hopper():
    """Two masses with a spring that is relaxed, in free fall: their relative velocity is zero up to rounding."""
    (Y, dY), (y, dy) = coordinates("Y y", "m")
    M, m, g, k, c, L = parameters(M=10.0, m=0.5, g=9.81, k=4000.0, c=20.0, L=0.5)
    guards = {"down": y, "apex": dY, "bottom": dY - dy, "length": Y - y - L, "both": (dY - dy) * k + sp.sin(Y - y - L)}
    model = Model.from_lagrangian(
        "hopper",
        coordinates=[Y, y],
        kinetic=M * dY**2 / 2 + m * dy**2 / 2,
        potential=M * g * Y + m * g * y + k * (Y - y - L) ** 2 / 2,
        forces={Y: -c * (dY - dy), y: c * (dY - dy)},
        contacts=[Contact("foot", gap=y, restitution=0.0)],
        guards=guards,
        start={Y: 0.9, y: 0.4},
    )
    return jounce.compile_model(model)


def test_a_guard_that_is_rounding_costs_next_to_nothing(hopper):
    """0.28 s of free fall; then the foot lands and the guards are guards again."""
    evaluations, steps, run = effort(hopper, 0.28)
    assert run.status.name == "FINISHED"
    assert steps < 400
    assert evaluations < 100_000
    assert len(run.events) < 20
    whole = effort(hopper, 0.6)[2]
    rows = whole.events[whole.events.kind == "user"]
    assert {"bottom", "down"} <= set(rows.guard)
    bottom = rows[(rows.guard == "bottom") & (rows.t > 0.29)].t.to_numpy()
    relative = whole.states(bottom)[:, 2] - whole.states(bottom)[:, 3]
    assert len(bottom)
    assert np.abs(relative).max() < 1e-8


def test_patterns_move_any_two_inputs_together_and_against_each_other():
    inputs = TIME + 1 + MAX_VECTOR
    signs = np.array([[move_sign(k, i) for k in range(PATTERNS)] for i in range(inputs)])
    agreements = signs @ signs.T
    assert (np.abs(agreements[~np.eye(inputs, dtype=bool)]) < PATTERNS).all()


@pytest.fixture(scope="module")
def sliding_relay():
    x, v = coordinate("x", "m")
    model = Model.from_lagrangian(
        "sliding_relay",
        coordinates=[x],
        kinetic=v**2 / 2,
        forces={x: -sp.sign(sp.Max(x, 0) + sp.Min(x, 0) + v)},  # with a surface that has kinks it is no switch
        contacts=[Contact("far", gap=x + 5, restitution=1)],
        start={x: 1.0},
    )
    return jounce.compile_model(model)


def test_a_sliding_discontinuity_ends_with_its_cause(sliding_relay):
    options = jounce.Options(max_steps=20_000)
    run = jounce.simulate(sliding_relay, sliding_relay.state(), 5.0, options=options)
    assert run.status.name == "TOO_MANY_STEPS"
    assert not run.status.ok
    assert "the acceleration of x jumps there" in run.status.message
    assert "max_steps" in run.status.message
    assert len(run.data.step_t) <= 20_000
    assert run.final["x"] == pytest.approx(-run.final["d_x"], abs=1e-6)  # on the surface x + v = 0


def test_short_steps_of_smooth_motion_are_named_as_such():
    x, v = coordinate("x", "m")
    (k,) = parameters(k=(1e8, "N/m"))
    model = Model.from_lagrangian("fast", coordinates=[x], kinetic=v**2 / 2, potential=k * x**2 / 2, start={x: 1.0})
    system = jounce.compile_model(model)
    run = jounce.simulate(system, system.state(), 10.0, options=jounce.Options(max_steps=1000))
    assert run.status.name == "TOO_MANY_STEPS"
    assert "fast or stiff" in run.status.message


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "many"])
def test_wrong_budgets(wrong):
    with pytest.raises(jounce.OptionError, match="max_steps"):
        jounce.Options(max_steps=wrong)


def test_without_guards_the_error_alone_chooses_the_steps():
    """An oscillator without contacts takes no more steps than with a guard that never vanishes."""
    x, v = coordinate("x", "m")
    counts = []
    for guards in ({}, {"far": x - 100}):
        model = Model.from_lagrangian(
            f"free{len(guards)}", coordinates=[x], kinetic=v**2 / 2, potential=x**2 / 2, guards=guards, start={x: 1.0}
        )
        counts.append(effort(jounce.compile_model(model), 1000.0)[1])
    assert counts[0] <= 1.02 * counts[1]
    assert counts[0] < 3500  # 2 pi / 0.32 s, what order 8 needs for 1e-10; 40 times as many were taken once


@pytest.fixture(scope="module")
def oscillator():
    x, v = coordinate("x", "m")
    model = Model.from_lagrangian(
        "guarded_oscillator",
        coordinates=[x],
        kinetic=v**2 / 2,
        potential=x**2 / 2,
        guards={"x": x, "v": v},
        start={x: 1.0},
    )
    return jounce.compile_model(model)


@pytest.mark.parametrize(("amplitude", "tolerance"), [(1.0, 1e-3), (1e-3, 1e-6), (1e-6, 1e-10), (1e-8, 1e-10)])
def test_zeros_of_a_motion_that_the_tolerance_resolves_have_their_rows(oscillator, amplitude, tolerance):
    """x = a cos t in 100 s, with a hundred tolerances of amplitude or more: 32 zeros of x, 31 of its velocity."""
    run = jounce.simulate(oscillator, oscillator.state(x=amplitude), 100.0, tolerance=tolerance)
    counts = run.events.guard.value_counts()
    assert counts["x"] == 32
    assert counts["v"] == 31


@pytest.mark.parametrize(("amplitude", "tolerance"), [(1e-8, 1e-6), (1e-9, 1e-3), (1e-10, 1e-6)])
def test_a_motion_far_below_the_tolerance_has_no_flood_of_rows(oscillator, amplitude, tolerance):
    """Such a run is a matter of its errors; there were up to 487,779 rows."""
    run = jounce.simulate(oscillator, oscillator.state(x=amplitude), 100.0, tolerance=tolerance)
    assert run.status.name == "FINISHED"
    assert len(run.events) <= 63


@pytest.mark.parametrize("below", [1e-2, 1e-4, 1e-6, 1e-8])
def test_a_guard_that_returns_at_once_has_both_its_events(below: float) -> None:
    """A body thrown up passes a level just below its highest point twice, on a step that is much longer than that."""
    y, dy = jounce.coordinate("y", "m")
    g = 9.81
    model = jounce.Model(
        "thrown", [y], [1], [-g], guards={"level": y - (1 - below)}, start={y: 0.0, dy: math.sqrt(2 * g)}
    )
    run = jounce.simulate(model, None, t_end=3.0)
    top, wait = math.sqrt(2 / g), math.sqrt(2 * below / g)
    assert run.events.t.to_numpy() == pytest.approx([top - wait, top + wait], abs=1e-10)
