"""Sections and the maps they make, against closed forms and against simulate."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce
from jounce import Section, SectionMap
from jounce.errors import ModelError, OptionError, SimulationError
from jounce.model.parsing import parse_expression
from tests.sweeps.support import ball, rod

G = 9.81


def one_bounce(omega: float, e: float, k: int = 1) -> tuple[float, float, float]:
    """(t, y, d_y) just after the bounce of the orbit with one bounce in k periods, A = 1."""
    phase = math.acos(k * math.pi * G * (1 - e) / ((1 + e) * omega**2))
    return phase / omega, math.sin(phase), k * G * math.pi / omega


@pytest.mark.parametrize(
    "text",
    ["phase:0.0", "phase:0.25", "impact:P1", "impact", "event:lift_off:P2", "event:chatter", "guard:turning:+1",
     "plane:theta=0.1:+1", "plane:y - A*sin(omega*t)=0.0:-1", "plane:d_y=-1e-05:0"],
)  # fmt: skip
def test_a_section_is_its_text(text: str) -> None:
    section = Section.parse(text)
    assert str(section) == text
    assert Section.parse(str(section)) == section
    assert Section.parse(section) is section


def test_short_forms() -> None:
    assert Section.parse("phase") == Section.phase(0.0)
    assert Section.parse("guard:g") == Section.guard("g", 0)
    assert Section.parse(" plane:theta : -1") == Section.plane("theta", 0.0, -1)
    theta = jounce.coordinate("theta", "rad")[0]
    assert Section.plane(2 * theta, 1, 1) == Section.parse("plane:2*theta=1:+1")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("phase:1.5", r"must be in \[0, 1\)"),
        ("phase:x", "not a number"),
        ("fase:0", "one of the forms phase:FRACTION"),
        ("guard:g:up", r"must be \+1, -1 or 0"),
        ("event:bounce", "no events of kind 'bounce'.*impact"),
        ("plane:theta=a:1", "not a number"),
        (3, "expected a Section or text"),
        ("lift_of:floor", "did you mean .lift_off.?"),
        ("resets:tick", "did you mean .reset.?"),
    ],
)
def test_a_wrong_section_says_what_is_right(text: str, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        Section.parse(text)


@pytest.mark.parametrize(
    ("section", "error", "message"),
    [
        ("impact:P3", OptionError, "no contact 'P3'.*P1, P2"),
        ("guard:turning", OptionError, "no guard 'turning'"),
        ("plane:phi=0:1", ModelError, "unknown name 'phi'"),
        ("plane:exec(y)=0", ModelError, "unknown function 'exec'"),
        ("plane:y.real=0", ModelError, "cannot be used"),
        ("plane:y +=0", ModelError, "not an expression"),
    ],
)
def test_a_section_the_system_does_not_have(section: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        SectionMap(rod(), section)


def test_an_autonomous_model_has_no_phase() -> None:
    system = jounce.compile_model(jounce.systems.bouncing_ball())
    with pytest.raises(OptionError, match="no forcing period"):
        SectionMap(system, "phase:0")


def test_text_is_read_not_run() -> None:
    symbols = rod().model.symbols
    value = parse_expression("-2*sin(theta)**2 + pi/y", symbols, "here")
    assert value == -2 * __import__("sympy").sin(symbols["theta"]) ** 2 + __import__("sympy").pi / symbols["y"]
    with pytest.raises(ModelError, match="cannot be used"):
        parse_expression("__import__('os').system('true')", symbols, "here")


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("section", ["phase:0", "phase:0.3", "impact:table", "plane:d_y=0:-1"])
def test_the_closed_form_orbit_is_a_fixed_point(section: str, k: int) -> None:
    omega, e = 2.6, 0.9
    t, y, d_y = one_bounce(omega, e, k)
    samples = SectionMap(ball(), section, omega=omega, e=e).iterate(ball().state(t=t, y=y, d_y=d_y), 60)
    assert samples.status.name == "FINISHED"
    returns = k if section.startswith("phase") else 1
    np.testing.assert_allclose(samples["y"][returns:], samples["y"][:-returns], atol=1e-10)
    T = 2 * math.pi / omega
    np.testing.assert_allclose(samples["return_time"][1:], T if returns == k else k * T, rtol=1e-12)
    assert samples["impacts"][-returns:].sum() == 1
    if section.startswith("plane"):
        np.testing.assert_allclose(samples["y"], y + d_y**2 / (2 * G), rtol=1e-12)
        np.testing.assert_allclose(samples["d_y"], 0.0, atol=1e-13)
    if section.startswith("impact"):
        np.testing.assert_allclose(samples["t"], t, atol=1e-12)


@pytest.mark.parametrize("section", ["phase:0.4", "impact:P1", "event:impact:P2", "plane:theta=0.2:+1", "plane:d_y=0"])
def test_crossings_are_those_of_simulate(section: str) -> None:
    """The map's samples against one long run whose events and states are looked at afterwards."""
    start, settings = rod().state(y=6.0, theta=0.3), {"omega": 4.405, "mu": 0.05, "e": 0.8}
    samples = SectionMap(rod(), section, **settings).iterate(start, 40)
    times = np.cumsum(samples["return_time"])
    T = 2 * math.pi / settings["omega"]
    run = jounce.simulate(rod(), start, times[-1] + 0.01, **settings)
    behind = 1e-12  # times of both are known to rounding, and an impact lies between its two sides
    names = ("y", "theta", "d_y", "d_theta")
    states = np.array([[run.at(t + behind, "right")[name] for name in names] for t in times])
    found = np.column_stack([samples[name] for name in names])
    early = 3  # the motion is chaotic: each impact multiplies what rounding left by ten
    np.testing.assert_allclose(found[:early], states[:early], atol=1e-7)
    contact = {"impact:P1": "P1", "event:impact:P2": "P2"}.get(section)
    if contact:
        events = run.events
        expected = events.loc[(events["kind"] == "impact") & (events["contact"] == contact), "t"].to_numpy()
        np.testing.assert_allclose(times[:early], np.unique(expected)[:early], atol=1e-9)
    if section.startswith("plane:theta"):
        np.testing.assert_allclose(samples["theta"], 0.2, atol=1e-12)
        assert np.all(samples["d_theta"] > 0.0)
    phase = (start.t + times) % T
    np.testing.assert_allclose((samples["t"][:early] - phase[:early] + T / 2) % T, T / 2, atol=1e-8)


def test_counts_are_those_of_the_events() -> None:
    """Impacts and events counted without being kept are as many as a run keeps."""
    start, settings = ball().state(y=1.0, d_y=4.0), {"omega": 3.4, "e": 0.5}
    samples = SectionMap(ball(), "phase:0", **settings).iterate(start, 30)
    run = jounce.simulate(ball(), start, 30 * 2 * math.pi / 3.4, **settings)
    assert samples["events"].sum() == len(run.events)
    assert samples["impacts"].sum() == (run.events["kind"] == "impact").sum()
    assert {"chatter", "lift_off"} <= set(run.events["kind"])


def test_the_signature_tells_motions_apart() -> None:
    t, y, d_y = one_bounce(2.6, 0.9)
    orbit = SectionMap(ball(), "phase:0", omega=2.6, e=0.9).iterate(ball().state(t=t, y=y, d_y=d_y), 10)
    assert len(set(orbit["signature"][1:])) == 1  # the first is that of the way to the phase
    lying = SectionMap(ball(), "phase:0", omega=2.6, e=0.9).iterate(ball().state(y=0.0, d_y=2.6), 10)
    assert set(lying["signature"]) == {0.0}
    assert set(orbit["signature"]) != {0.0}


def test_a_phase_map_is_the_same_at_every_turn() -> None:
    """Ten thousand turns later the map gives the same bits: time is set back at every turn."""
    section_map = SectionMap(ball(), "phase:0.25", omega=4.1, e=0.8)
    samples = section_map.iterate(ball().state(y=1.0, d_y=4.0), 10_000)
    again = section_map.iterate(samples.state(9_000), 3)
    np.testing.assert_allclose(again["y"], samples["y"][9_001:9_004], rtol=1e-9)


def test_rest_is_a_fixed_point() -> None:
    system = jounce.compile_model(jounce.systems.bouncing_ball())
    samples = SectionMap(system, "impact").iterate(system.state(), 400)
    assert samples.status.name == "AT_REST"
    assert len(samples) == 400
    np.testing.assert_allclose(samples.array[-1][6:], 0.0, atol=1e-15)


def test_a_section_that_is_not_met_ends_with_a_status() -> None:
    section_map = SectionMap(ball(), "plane:y=50:+1", omega=3.0)
    samples = section_map.iterate(ball().state(), 5)
    assert samples.status.name == "NO_RETURN"
    assert len(samples) == 0
    assert "longest_return" in samples.status.message
    with pytest.raises(SimulationError, match="no return to the section"):
        section_map(ball().state())


def test_the_call_gives_the_next_crossing() -> None:
    section_map = SectionMap(ball(), "plane:d_y=0:-1", omega=3.0)
    state = section_map(ball().state(y=2.0, d_y=3.0))
    assert state["y"] == pytest.approx(2.0 + 9.0 / (2 * G), rel=1e-14)
    assert section_map.iterate(state, 3).table.shape == (3, 8)
