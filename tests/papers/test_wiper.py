"""The wiper against a second formulation, and each trap of Lancioni et al. (2009) as a test of its own."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce
from jounce.simulation.trajectory import Trajectory
from tests.papers.wiper_reference import WiperReference

ROUNDING = 1e-9  # m/s: an event whose velocities stay below it transfers nothing


@pytest.fixture(scope="module")
def wiper():
    return jounce.compile_model(jounce.systems.wiper())


def simulate(system, t_end: float, phi: float = 0.35, height: float = 0.05, **parameters: float) -> Trajectory:
    start = system.state(phi=phi, y=math.cos(phi) + height)
    options = jounce.Options(law="poisson_two_phase", tolerance=1e-12)
    return jounce.simulate(system, start, t_end, options=options, **parameters)


def real_events(run: Trajectory) -> list[tuple[float, str]]:
    """(t, what follows) for impacts with a real approach and for changes of mode that last."""
    table = run.events
    impacts = table[(table.kind == "impact") & (table.v_n_before < -ROUNDING)]
    events = [(float(t), "impact") for t in impacts.t]
    spans = [span for span in run.mode_intervals("tip") if span[1] - span[0] > ROUNDING]
    kinds = {"OPEN": "lift_off", "STICK": "stick"}
    for before, after in zip(spans, spans[1:], strict=False):
        if str(before[2]) == "OPEN" or before[2] == after[2]:
            continue
        slips = "slip" if str(before[2]) == "STICK" else "reversal"
        events.append((after[0], kinds.get(str(after[2]), slips)))
    return sorted(events)


CASES = {
    "flight-stick-slip": ({"mu": 0.6, "e": 0.0}, 2.0),
    "bouncing": ({"mu": 0.6, "e": 0.2}, 2.0),
    "stick-slip": ({"mu": 0.4, "e": 0.0, "phi0": 0.1}, 2.0),
    "flight-slip-stick-slip": ({"mu": 0.4, "e": 0.0, "phi0": 0.35}, 2.0),
    "out of stick into flight": ({"mu": 0.8, "e": 0.0}, 2.0),
    "harmonic belt": ({"mu": 0.4, "e": 0.0, "v_belt": 0.0, "v_amplitude": 1.0, "phi0": 0.2}, 4.5),
}


@pytest.mark.parametrize("name", CASES)
def test_second_formulation_agrees(wiper, name: str) -> None:
    """Event times to 1e-8, states to 1e-7, the same events in the same order."""
    parameters, t_end = CASES[name]
    run = simulate(wiper, t_end, **parameters)
    reference = WiperReference(**parameters)
    _, final = reference.run(0.35, math.cos(0.35) + 0.05, t_end)
    events = real_events(run)
    assert [kind for _, kind in events] == [kind for _, kind in reference.events]
    assert len(events) >= 10
    np.testing.assert_allclose([t for t, _ in events], [t for t, _ in reference.events], rtol=0, atol=1e-8)
    ours = run.final
    np.testing.assert_allclose([*ours.q, *ours.u], final, rtol=0, atol=1e-7)
