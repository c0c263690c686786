"""Events on steps by Taylor series: the guards' own series find them all, where they are and as what they are."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from sympy import cos

import jounce
from jounce.codegen.module_text import generate_module
from jounce.model import Contact, Model, coordinate, parameters
from jounce.simulation import templates
from jounce.simulation.templates import series_order
from tests.engine.support import ready_made
from tests.engine.test_guard_noise import effort


def test_a_block_on_a_belt_slips_and_sticks_when_its_closed_form_says():
    """It slips where the spring has the limit of friction, and sticks behind a half turn of its harmonic motion."""
    system = ready_made("belt_oscillator")
    k, g, mu, mu_s, v, w = 10.0, 9.81, 0.3, 0.4, 0.2, math.sqrt(10.0)
    slips = mu_s * g / k / v
    # about the new middle mu g/k: amplitudes a of the deviation, v/w of the velocity; the belt's velocity returns
    a = (mu_s - mu) * g / k
    slides = (math.pi + 2 * math.atan2(v / w, a)) / w
    # from the place of the stick back to that of the slip at the speed of the belt
    sticks = 2 * a / v
    times = np.cumsum([slips, slides, sticks, slides, sticks, slides])
    run = jounce.simulate(system, system.state(d_x=v), float(times[-1]) + 0.1, options=jounce.Options(tolerance=1e-12))
    assert [*run.events.kind] == ["slip", "stick"] * 3
    np.testing.assert_allclose(run.events.t, times, rtol=0, atol=1e-10)


def test_a_pause_behind_an_event_changes_no_bit(monkeypatch):
    """What an instant has measured of its mode serves its first step; behind a pause it is measured anew."""
    system = ready_made("belt_oscillator")
    whole = jounce.simulate(system, system.state(d_x=0.2), 30.0)
    monkeypatch.setattr(templates, "PAUSE_STEPS", 1)
    other = dataclasses.replace(system)  # whose records are made now
    paused = jounce.simulate(other, other.state(d_x=0.2), 30.0)
    assert len(whole.events) > 20
    for name in ("t", "v_t_before", "v_t_after"):
        np.testing.assert_array_equal(whole.events[name], paused.events[name])
    np.testing.assert_array_equal(whole.final.q, paused.final.q)


def wavy(waves):
    """A mass on a spring before a wall whose distance changes ``waves`` times as fast as the mass moves."""
    x, v = coordinate("x", "m")
    (e, a) = parameters(e=0.9, a=0.2)
    wall = Contact("wall", gap=1 - x + a * cos(waves * x), restitution=e)
    model = Model.from_lagrangian(
        f"wavy{waves}", coordinates=[x], kinetic=v**2 / 2, potential=x**2 / 2, contacts=[wall]
    )
    return jounce.compile_model(model)


@pytest.mark.parametrize("waves", [3, 20, 60])
@pytest.mark.parametrize("tolerance", [1e-4, 1e-8, 1e-12])
def test_a_gap_that_changes_much_faster_than_the_motion_loses_no_impact(waves, tolerance):
    """Its series is not resolved on a step that resolves the motion: the step is shortened, or samples tell."""
    system = wavy(waves)
    assert system.series_guards
    runs = [
        jounce.simulate(system, system.state(x=-1.6), 20.0, options=jounce.Options(tolerance=tight, integrator=pair))
        for pair, tight in (("taylor", tolerance), ("dop853", 1e-13))
    ]
    times = [run.events.t.to_numpy()[:4] for run in runs]
    np.testing.assert_allclose(*times, rtol=0, atol=1e4 * tolerance)
    assert not len(runs[0].audit())


@pytest.mark.parametrize(("start", "hits"), [(-1.0 + 1e-9, 0), (-1.0 - 1e-9, 1), (-1.0 + 1e-6, 0), (-1.0 - 1e-6, 1)])
def test_a_wall_that_is_just_missed_and_just_hit(start, hits):
    """x = start cos(t) before a wall at 1."""
    x, v = coordinate("x", "m")
    wall = Contact("wall", gap=1 - x, restitution=0.5)
    model = Model.from_lagrangian("grazing", coordinates=[x], kinetic=v**2 / 2, potential=x**2 / 2, contacts=[wall])
    run = jounce.simulate(model, {"x": start}, 3.5, tolerance=1e-12)
    assert len(run.events) == hits
    if hits:
        assert run.events.t[0] == pytest.approx(math.acos(1 / start), abs=1e-7)


def test_what_has_no_series_leaves_the_motion_its_own():
    """A gap with a kink: the motion goes on by series, its guard by samples."""
    x, v = coordinate("x", "m")
    wall = Contact("wall", gap=1.5 - abs(x), restitution=0.5)
    model = Model.from_lagrangian("kink", coordinates=[x], kinetic=v**2 / 2, potential=-(x**2) / 20, contacts=[wall])
    system = jounce.compile_model(model)
    assert system.series
    assert not system.series_guards
    run = jounce.simulate(system, system.state(x=0.1), 12.0, options=jounce.Options(tolerance=1e-11))
    # x = 0.1 cosh(t/sqrt(10))
    assert run.events.t[0] == pytest.approx(math.sqrt(10) * math.acosh(15.0), abs=1e-8)


def test_guards_with_series_cost_no_evaluations():
    """A series of order N counts as N evaluations; what is counted beside it is for the events."""
    cost, steps, run = effort(ready_made("double_pendulum"), 5.0, 1e-8)
    assert cost <= (series_order(1e-8) + 0.5) * steps
    assert len(run.events)


def test_sums_are_written_in_groups():
    """Four at a time: instructions.py knows the form."""
    text = generate_module(jounce.systems.double_pendulum())
    assert "sums[i] += left[j*16 + i]*right[(k - j)*16 + i]" in text
