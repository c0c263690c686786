"""Flights go through a section at a phase: the motion of a sweep is that of a run that nobody interrupts."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce
from tests.sweeps.support import ball, rod

RETURNS = 150
BALL, HIGH = {"y": 1.0, "d_y": 4.0}, {"y": 60.0, "d_y": 4.0}  # flights of a period and less, and of several
ROD = {"y": 6.0, "theta": 0.3}


def sampled(
    system: jounce.System, start: jounce.State, fraction: float, omega: float, **parameters: float
) -> tuple[np.ndarray, np.ndarray]:
    """(times, states) of the first returns of a sweep at one value that do not repeat."""
    diagram = jounce.sweep(
        system, "omega", [omega], f"phase:{fraction}", start=start, transient=1, keep=RETURNS, threads=1, patience=1,
        **parameters,
    )  # fmt: skip
    names = list(diagram.dataset["quantity"].values)
    columns = [names.index(name) for name in (*system.coordinate_names, *system.velocity_names)]
    return start.t + np.arange(2, RETURNS + 2) * 2 * math.pi / omega, diagram.dataset["samples"].values[0, 0][
        :, columns
    ]


@pytest.mark.parametrize("fraction", [0.0, 0.37])
@pytest.mark.parametrize(
    ("system", "start", "parameters"),
    [(ball, BALL, {"e": 0.8}), (ball, HIGH, {"e": 0.8}), (rod, ROD, {"e": 0.8, "mu": 0.05})],
)
def test_a_chaotic_motion_is_that_of_the_run(
    system: object, start: dict[str, float], parameters: dict[str, float], fraction: float
) -> None:
    """Deviations of 1e-16 fill the attractor within thirty impacts: only equal flights stay together so long."""
    machine, omega = system(), 4.405  # type: ignore[operator]
    period = 2 * math.pi / omega
    begin = machine.state(t=fraction * period, **start)  # the very time of the section
    times, states = sampled(machine, begin, fraction, omega, **parameters)
    run = jounce.simulate(machine, begin, float(times[-1]) + 1.0, omega=omega, **parameters)
    assert np.isfinite(states).all()
    for name, column in zip((*machine.coordinate_names, *machine.velocity_names), states.T, strict=True):
        expected = np.array([run.at(t, side="left")[name] for t in times.tolist()])
        np.testing.assert_allclose(column, expected, rtol=0, atol=1e-11 * np.abs(expected).max(), err_msg=name)


def test_a_flight_without_an_end_meets_every_section() -> None:
    """A ball that is thrown so high that it does not come back: y = y0 + v t - g t^2/2."""
    omega, v = 4.405, 1e4
    times, states = sampled(ball(), ball().state(y=1.0, d_y=v), 0.0, omega, g=9.81, e=0.8)
    np.testing.assert_allclose(states[:, 0], 1.0 + v * times - 0.5 * 9.81 * times**2, rtol=1e-13)
    np.testing.assert_allclose(states[:, 1], v - 9.81 * times, rtol=1e-12)


def test_a_section_at_an_impact() -> None:
    """One bounce a period, the section at its phase: there flight, impact and section are known to rounding only."""
    omega, e, g = 3.0, 0.8, 9.81
    period = 2 * math.pi / omega
    phase = math.acos((1.0 - e) / (1.0 + e) * g * period / (2.0 * omega))
    speed = g * period / 2.0  # before and behind the bounce, relative to where the table is
    for nudge in (-1e-9, 0.0, 1e-9):
        fraction = phase / (2 * math.pi) + nudge
        start = ball().state(t=(fraction + 0.5) * period, y=math.sin(phase) + g * period**2 / 8)
        diagram = jounce.sweep(ball(), "omega", [omega], f"phase:{fraction}", start=start, transient=300, g=g, e=e)
        found = diagram.attractors.iloc[0]
        assert (found["kind"], found["period"], found["impacts"]) == ("periodic", 1, 1)
        y = diagram.dataset["samples"].values[0, 0, 0, list(diagram.dataset["quantity"].values).index("y")]
        assert y == pytest.approx(math.sin(phase), abs=1e-6 * speed)
