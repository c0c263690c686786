"""Maps of sections that are iterated, called one by one and cut by hand: the same crossings, at zeros of guards too."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Model, Reset, SectionMap

(x, dx), (y, dy) = jounce.coordinates("x y", "m")
t = jounce.time


def dry() -> Model:
    """Den Hartog's oscillator: dry friction as a force, with a guard equal to the surface of its switch."""
    force = -x + sp.cos(0.6 * t) - 0.4 * sp.sign(dx)
    return Model("dry", [x], [1], [force], start={x: 1.0}, period=2 * sp.pi / 0.6, guards={"turns": dx})


def rocking() -> Model:
    """Housner's block: at x = 0 the force jumps, a reset happens, and a section may lie."""
    lean = sp.sign(x) / 4 - x
    moment = -4 * (sp.sin(lean) + sp.sin(8 * t) / 10 * sp.cos(lean))
    hit = Reset(x, {dx: 0.9 * dx}, name="hit")
    return Model("rocking", [x], [1], [moment], resets=[hit], start={x: 0.1}, period=sp.pi / 4)


def relay() -> Model:
    """A relay with hysteresis: autonomous, its turning points are zeros of no guard."""
    side, a = jounce.discrete("side", 1), sp.Rational(1, 10)
    resets = [
        Reset(x - a, {side: 1}, direction=+1, name="up"),
        Reset(x + a, {side: -1}, direction=-1, name="down"),
    ]
    return Model("relay", [x], [1], [-side - x / 5], resets=resets, start={x: 1.0})


SECTIONS = {
    dry: ["phase:0", "phase:0.37", "plane:d_x=0:-1", "plane:d_x=0", "plane:x=0.2:+1", "guard:turns:-1"],
    rocking: ["phase:0", "phase:0.9", "plane:x=0", "plane:x=0:+1", "plane:d_x=0:-1", "reset:hit"],
    relay: ["plane:x=0.1", "plane:x=0.1:+1", "plane:d_x=0:-1", "reset:up", "plane:x=-0.1:-1"],
}
CASES = [(make, section) for make, sections in SECTIONS.items() for section in sections]


@cache
def compiled(make: Any) -> jounce.System:
    return jounce.compile_model(make())


def named(make_section: tuple[Any, str]) -> str:
    make, section = make_section
    return f"{make.__name__} {section}"


@pytest.mark.parametrize("case", CASES, ids=named)
def test_crossings_one_by_one_are_those_in_one_go(case: Any) -> None:
    """A crossing as a state knows on which side of zero its guards are: the next one is behind it, none is left out."""
    make, section = case
    system, count = compiled(make), 12
    section_map = SectionMap(system, section)
    samples = section_map.iterate(system.state(), count)
    whole = jounce.simulate(system, None, float(samples["return_time"].sum()) * (1 + 1e-9) + 1e-9)
    state, time = system.state(), 0.0
    for k in range(count):
        state, time = section_map(state), time + samples["return_time"][k]
        sides = [whole.at(min(near, whole.t_end)) for near in (time - 1e-9, time + 1e-9)]  # of a reset
        for name in ("x", "d_x"):
            assert state[name] == pytest.approx(samples[name][k], abs=1e-8)
            assert min(abs(side[name] - state[name]) for side in sides) < 1e-7


@pytest.mark.parametrize("case", [case for case in CASES if "phase" not in case[1]], ids=named)
def test_runs_that_stop_at_a_section_go_on_to_the_next_crossing(case: Any) -> None:
    make, section = case
    system = compiled(make)
    times = np.cumsum(SectionMap(system, section).iterate(system.state(), 12)["return_time"])
    stop: Any = {"turns": -1} if section.startswith("guard") else section
    state = system.state()
    for time in times:
        state = jounce.simulate(system, state, state.t + 100.0, stop_at=stop).final
        assert state.t == pytest.approx(time, abs=1e-8)
        # the plane is not there for one that goes on without it
        on = jounce.simulate(system, state, float(times[-1]) + 1.0)
        whole = jounce.simulate(system, None, float(times[-1]) + 1.0)
        assert on.final["x"] == pytest.approx(whole.final["x"], abs=1e-7)


@pytest.mark.parametrize("make", [dry, rocking, relay])
def test_an_ensemble_goes_on_from_states_beside_the_events_of_guards(make: Any) -> None:
    """As ``simulate`` does, bit for bit: its rows know the sides of guards, too."""
    system = compiled(make)
    run = jounce.simulate(system, None, 9.0)
    times = [float(time) for time in run.events.t.unique() if time > 0.0]
    beside = [near for time in times for near in (math.nextafter(time, 0.0), time, math.nextafter(time, 99.0))]
    states = [jounce.simulate(system, None, time).final for time in beside]
    states += [run.at(time, side) for time in times for side in ("left", "right")]
    ends = jounce.ensemble(system, states, 9.0, threads=1)
    for k, state in enumerate(states):
        alone = jounce.simulate(system, state, 9.0).final
        assert (ends["x"][k], ends["d_x"][k]) == (alone["x"], alone["d_x"])
        assert alone["x"] == pytest.approx(run.final["x"], abs=1e-7)


def test_a_phase_that_lies_ahead_of_the_start_is_the_first_crossing() -> None:
    system = compiled(dry)
    samples = SectionMap(system, "phase:0.25").iterate(system.state(), 3)
    period = 2 * math.pi / 0.6
    run = jounce.simulate(system, None, 3 * period)
    assert samples["return_time"] == pytest.approx([period / 4, period, period], rel=1e-12)
    assert samples["x"] == pytest.approx([run.at((k + 0.25) * period)["x"] for k in range(3)], abs=1e-9)
