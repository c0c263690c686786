"""Runs that are cut at the events of guards and switches, and gone on with: no event is lost, none happens twice."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce

(x, dx), (y, dy) = jounce.coordinates("x y", "m")
t = jounce.time


def dry() -> jounce.Model:
    """Den Hartog's oscillator: dry friction as a force."""
    return jounce.Model("dry", [x], [1], [-x + sp.cos(0.6 * t) - 0.4 * sp.sign(dx)], start={x: 1.0})


def rocking() -> jounce.Model:
    """Housner's block: the impact at theta = 0 is a reset, the restoring moment changes its sign there."""
    lean = sp.sign(x) / 4 - x
    moment = -4 * (sp.sin(lean) + sp.sin(8 * t) / 10 * sp.cos(lean))
    return jounce.Model("rocking", [x], [1], [moment], resets=[jounce.Reset(x, {dx: 0.9 * dx})], start={x: 0.1})


def flying() -> jounce.Model:
    """A ball on exact flights, which turns round at heights; a counter of its apexes, which pass."""
    count, side = jounce.discrete("count"), jounce.discrete("side", 1)
    resets = [
        jounce.Reset(y, {dy: -dy, side: -side}, direction=-1, name="floor"),
        jounce.Reset(dy, {count: count + 1}, direction=-1, name="apex"),
    ]
    return jounce.Model("flying", [y], [1], [-2], resets=resets, start={y: 1.0})


def padded() -> jounce.Model:
    """Den Hartog's oscillator with a pad that its load presses, which sticks for a while: a slip without a normal."""
    pad = jounce.Contact("pad", slip=dx, friction=0.4, load=(), preload=1)
    return jounce.Model("padded", [x], [1], [-x + sp.cos(0.3 * t)], contacts=[pad], start={x: 1.0})


ENDS = {dry: 18.0, rocking: 3.5, flying: 5.5, padded: 60.0}


@cache
def compiled(make: Any) -> jounce.System:
    return jounce.compile_model(make())


def cuts(run: jounce.Trajectory) -> list[float]:
    """The times of events, the floats beside them, and times before and behind them by more than rounding."""
    times = run.events.t[run.events.t > 0.0].unique()[:4]
    beside = [near for time in times for near in (math.nextafter(time, 0), math.nextafter(time, 99))]
    return [*beside, *(float(time) * (1 + part) for time in times for part in (0.0, 1e-13, -1e-13, 1e-9, -1e-9))]


def same(a: jounce.State, b: jounce.State, run: jounce.Trajectory) -> bool:
    size = np.abs(run.states(run["t"])).max(axis=0)
    here, there = (np.concatenate([state.q, state.u]) for state in (a, b))
    return bool((np.abs(here - there) <= 1e-8 * size).all()) and np.array_equal(a.memory, b.memory)


@pytest.mark.parametrize("integrator", ["taylor", "dopri5"])
@pytest.mark.parametrize("make", [dry, rocking, flying])
def test_a_run_cut_at_an_event_goes_on_the_same(make: Any, integrator: str) -> None:
    system, t_end, options = compiled(make), ENDS[make], jounce.Options(integrator=integrator)
    run = jounce.simulate(system, None, t_end, options=options)
    assert run.status.name == "FINISHED"
    assert len(run.events) > 2
    for cut in cuts(run):
        first = jounce.simulate(system, None, cut, options=options)
        second = jounce.simulate(system, first.final, t_end, options=options)
        assert second.status.name == "FINISHED", (cut, second.status.message)
        assert same(second.final, run.final, run), cut
        counted = sum(len(part.events[part.events.kind == "reset"]) for part in (first, second))
        assert counted == len(run.events[run.events.kind == "reset"]), cut


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("make", [dry, rocking, flying])
def test_a_state_beside_an_event_goes_on_the_same(make: Any, side: Any) -> None:
    system, t_end = compiled(make), ENDS[make]
    run = jounce.simulate(system, None, t_end)
    for time in cuts(run):
        second = jounce.simulate(system, run.at(time, side), t_end)
        assert same(second.final, run.final, run), (time, side)


def test_a_side_that_a_person_changes_is_not_believed_against_the_motion() -> None:
    """``replace`` keeps the sides of switches: one that the motion contradicts at once has its event."""
    system = compiled(dry)
    run = jounce.simulate(system, None, 18.0)
    time = float(run.events.t.iloc[2])
    for side in (1.0, -1.0):
        second = jounce.simulate(system, run.at(time).replace(sign_d_x=side), 18.0)
        assert second.final["x"] == pytest.approx(run.final["x"], abs=1e-8)


def test_a_start_that_is_written_down_beside_a_zero() -> None:
    """A velocity of rounding, a fraction of the rounding of the time before it vanishes, has no scale but its rate."""
    system = compiled(dry)
    run = jounce.simulate(system, None, 18.0)
    for time in run.events.t[run.events.t > 0.0].unique():
        for place in (run.at(near, side) for near in (time, math.nextafter(time, 0)) for side in ("left", "right")):
            for known in ({}, {"sign_d_x": 1.0}, {"sign_d_x": -1.0}):
                start = system.state(t=place.t, x=place["x"], d_x=place["d_x"], **known)
                assert jounce.simulate(system, start, 18.0).final["x"] == pytest.approx(run.final["x"], abs=1e-9)


@pytest.mark.parametrize("force", [0, -x], ids=["flight", "spring"])
@pytest.mark.parametrize("length", [1.0, 1e5, 1e12])
@pytest.mark.parametrize("place", [1e-5, 1e-9, 1e-12])
def test_a_wall_next_to_the_start_is_met_however_long_the_run_is(force: Any, length: float, place: float) -> None:
    wall = jounce.Reset(x - jounce.parameter("a", 1.0), {dx: -dx}, direction=+1, name="wall")
    system = jounce.compile_model(jounce.Model("walled", [x], [1], [force], resets=[wall]))
    run = jounce.simulate(system, {"d_x": 1.0}, length, stop_at="reset:wall", a=place)
    assert run.status.name == "STOPPED"
    assert run.t_end == pytest.approx(place, rel=1e-6)
    assert run.final["d_x"] == pytest.approx(-1.0, rel=1e-9)


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e6])
def test_a_guard_counts_once_wherever_runs_stop(unit: float) -> None:
    """An oscillator that is stopped at each of its passages and gone on with counts as many as in one run."""
    count = jounce.discrete("count")
    a = jounce.parameter("a", 0.3, "m")
    passing = jounce.Reset(x - a, {count: count + 1}, name="passing")
    system = jounce.compile_model(jounce.Model("passing", [x], [1], [-x - dx / 50], resets=[passing]))
    start = system.state(x=unit)
    whole = jounce.simulate(system, start, 40.0, a=0.3 * unit)
    state, times = start, []
    while True:
        part = jounce.simulate(system, state, 40.0, stop_at="reset:passing", a=0.3 * unit)
        if part.status.name != "STOPPED":
            break
        state = part.final
        times.append(state.t)
    assert times == pytest.approx(whole.events.t.tolist(), abs=1e-8)
    assert min(b - a for a, b in pairwise(times)) > 1.0
    assert state["count"] == whole.final["count"]


@pytest.mark.parametrize("make", [dry, rocking, flying, padded])
def test_a_run_cut_at_an_event_goes_on_from_its_file(make: Any, tmp_path: Path) -> None:
    """A state out of a file has all that it had, how large things were too: what goes on from it is the same."""
    system, t_end = compiled(make), ENDS[make]
    run = jounce.simulate(system, None, t_end)
    for cut in cuts(run):
        first = jounce.simulate(system, None, cut)
        first.save(tmp_path / "cut.nc")
        kept = jounce.load(tmp_path / "cut.nc").final
        for part in jounce.State.__slots__:
            assert np.array_equal(getattr(kept, part), getattr(first.final, part)), part
        second = jounce.simulate(system, kept, t_end)
        assert same(second.final, run.final, run), cut
        assert second.events.equals(jounce.simulate(system, first.final, t_end).events)


def test_stick_without_a_normal_goes_on_without_a_row() -> None:
    """A pad that sticks has a velocity of rounding: it is measured by what the slip has been, not by itself."""
    system = compiled(padded)
    run = jounce.simulate(system, None, ENDS[padded])
    sticks = [(t_from, t_to) for t_from, t_to, mode in run.mode_intervals("pad") if mode.name == "STICK"]
    assert len(sticks) > 3
    for t_from, t_to in sticks[:-1]:
        first = jounce.simulate(system, None, (t_from + t_to) / 2)
        second = jounce.simulate(system, first.final, ENDS[padded])
        assert second.data.modes_dropped == ""
        assert len(first.events) + len(second.events) == len(run.events)
        assert same(second.final, run.final, run)


def _kicked_where(guard) -> jounce.System:
    """An oscillator under a force that a schedule changes, with a kick where a guard vanishes."""
    x, dx = jounce.coordinate("x", "m")
    F = jounce.parameter("F", 0.0, "N")
    kick = jounce.Reset(guard(x, dx), {dx: dx + 1}, direction=+1, name="kick")
    return jounce.compile_model(jounce.Model("kicked", [x], [1], [-9 * x + F], resets=[kick], start={x: 1.0}))


@pytest.mark.parametrize("tenth", range(3, 40, 4))
def test_a_guard_that_vanishes_where_parameters_change_has_its_event(tenth: int) -> None:
    """A kick at the very time of a scheduled change or of a sample was lost, and the run was FINISHED."""
    when = tenth / 10
    system = _kicked_where(lambda x, dx: jounce.time - when)
    before = jounce.simulate(system, None, when).final
    after = jounce.simulate(
        _kicked_where(lambda x, dx: jounce.time - 99), {"x": before["x"], "d_x": before["d_x"] + 1}, 6.0 - when, F=0.3
    )
    scheduled = jounce.simulate(system, None, 6.0, schedule=[(when, {"F": 0.3})])
    stepped = jounce.Controller(lambda t, state: {"F": 0.3 if t > when - 1e-9 else 0.0}, every=0.1)
    sampled = jounce.simulate(system, None, 6.0, controller=stepped)
    for run in (scheduled, sampled):
        assert run.events.reset.dropna().tolist() == ["kick"]
        assert run.audit().empty
        assert run.final["x"] == pytest.approx(after.final["x"], abs=1e-8)


def test_a_place_that_is_passed_where_parameters_change_is_passed_once() -> None:
    """At the time of the event as it was located: whether it lies before the change or behind it is rounding."""
    system = _kicked_where(lambda x, dx: x - 0.5)
    times = jounce.simulate(system, None, 20.0).events.t
    for k, when in enumerate(times[:8]):
        for shift in (-1, 0, 1):
            change = when + shift * np.spacing(when)
            run = jounce.simulate(system, None, when + 1e-3, schedule=[(change, {"F": 0.01})])
            assert run.events.reset.dropna().tolist() == ["kick"] * (k + 1)
