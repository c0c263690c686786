"""The wiper against a second formulation, and each trap of Lancioni et al. (2009) as a test of its own."""

from __future__ import annotations

import math

import numpy as np
import pytest

import jounce
from jounce.simulation.trajectory import Trajectory
from tests.papers.comparison import ROUNDING, real_events
from tests.papers.wiper_reference import WiperReference


@pytest.fixture(scope="module")
def wiper():
    return jounce.compile_model(jounce.systems.wiper())


def simulate(system, t_end: float, phi: float = 0.35, height: float = 0.05, **parameters: float) -> Trajectory:
    start = system.state(phi=phi, y=math.cos(phi) + height)
    options = jounce.Options(law="poisson_two_phase", tolerance=1e-12)
    return jounce.simulate(system, start, t_end, options=options, **parameters)


CASES = {
    "flight-stick-slip": ({"mu": 0.6, "e": 0.0}, 2.0),
    "bouncing": ({"mu": 0.6, "e": 0.2}, 2.0),
    "stick-slip": ({"mu": 0.4, "e": 0.0, "phi0": 0.1}, 2.0),
    "flight-slip-stick-slip": ({"mu": 0.4, "e": 0.0, "phi0": 0.35}, 2.0),
    "out of stick into flight": ({"mu": 0.8, "e": 0.0}, 2.0),
    "chatter into slip": ({"mu": 0.4, "e": 0.2, "phi0": 0.3}, 2.0),
    "chatter into reversed slip": ({"mu": 0.4, "e": 0.2, "phi0": 0.34}, 2.0),
    "chatter into stick": ({"mu": 0.4, "e": 0.2, "phi0": 0.36}, 2.0),
    "chatter on the harmonic belt": (
        {"mu": 0.4, "e": 0.2, "v_belt": 0.0, "v_amplitude": 1.0, "phi0": 0.3, "k_phi": 80.0, "m1": 0.15},
        3.0,
    ),
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
    assert ("chatter" in name) == any(kind == "chatter" for _, kind in events)
    np.testing.assert_allclose([t for t, _ in events], [t for t, _ in reference.events], rtol=0, atol=1e-8)
    ours = run.final
    np.testing.assert_allclose([*ours.q, *ours.u], final, rtol=0, atol=1e-7)


# ---------------------------------------------------------------------------------------------- the traps


def test_plastic_impact_with_b_positive_continues_in_flight(wiper) -> None:
    """phi0=.43, e=0, mu=.4: nothing pushes the tip down after the impact; the paper stops, flight continues it."""
    run = simulate(wiper, 10.0, mu=0.4, e=0.0, phi0=0.43)
    impacts = run.events.tail(20)
    assert set(impacts.kind) == {"impact"}
    assert set(impacts.mode_after) == {"OPEN"}
    assert (impacts.v_n_after.abs() < 1e-14).all()
    t = float(impacts.t.iloc[0])
    gaps = [run.at(t + dt)["y"] - math.cos(run.at(t + dt)["phi"]) for dt in (1e-4, 2e-4)]
    assert gaps[0] > 0
    assert gaps[1] / gaps[0] == pytest.approx(4.0, rel=0.05)  # b > 0: g = b t^2/2


def test_stick_after_the_impact_that_the_forces_cannot_hold(wiper) -> None:
    """mu=.4, e=0, phi0=.42: the impulses stop the tip inside the cone, the forces after it do not hold it."""
    run = simulate(wiper, 20.0, mu=0.4, e=0.0, phi0=0.42)
    impacts = run.events[(run.events.kind == "impact") & (run.events.v_n_before < -ROUNDING)].tail(20)
    assert (impacts.v_t_after.abs() < 1e-14).all()
    assert (impacts.p_t.abs() < 0.4 * impacts.p_n).all()
    assert set(impacts.mode_after) == {"SLIP+"}
    phi = run.at(float(impacts.t.iloc[-1]))["phi"]
    reference = WiperReference(mu=0.4, phi0=0.42)
    normal, tangential = reference.contact_forces(phi, *reference._stick_rates(0.0, phi))
    assert abs(tangential) > 0.4 * normal > 0


@pytest.mark.parametrize(("shift", "first"), [(-1e-4, "slip"), (-1e-6, "slip"), (1e-6, "force"), (1e-4, "force")])
@pytest.mark.parametrize("tolerance", [1e-12, 1e-5])
def test_force_and_slip_vanish_in_one_step(wiper, shift: float, first: str, tolerance: float) -> None:
    """Both guards change sign within one step; whichever is earlier decides, also at a loose tolerance.

    The corner has a normal force near zero, so friction holds nothing there: slip that vanishes first reverses.
    """
    from scipy.integrate import solve_ivp
    from scipy.optimize import brentq

    reference = WiperReference(mu=0.4, phi0=0.35)

    def b(phi: float) -> float:
        """The free normal acceleration on the curve slip = 0."""
        dphi = -1.0 / math.cos(phi)
        rates = reference.flight(0.0, np.array([phi, math.cos(phi), dphi, -dphi * math.sin(phi)]))
        return rates[3] + rates[2] * math.sin(phi) + dphi**2 * math.cos(phi)

    def backwards(_, w):
        mass, v = reference.mass_and_v(w[0], w[1], 0.4)
        return [-w[1], v / mass]

    crossing = brentq(b, 0.3, 0.34, xtol=1e-15)
    side = 1.0 if b(crossing + 1e-3) > 0 else -1.0
    corner = crossing + side * shift  # on slip = 0, where b has the sign of the shift
    phi, dphi = solve_ivp(backwards, (0, 2e-3), [corner, -1.0 / math.cos(corner)], rtol=1e-13, atol=1e-14).y[:, -1]
    z = np.array([phi, math.cos(phi), dphi, -dphi * math.sin(phi)])
    t, _, _ = reference._slip(0.0, z, "slip-", 0.1)
    assert reference.events[0][1] == {"slip": "reversal", "force": "lift_off"}[first]
    start = wiper.state(phi=phi, y=z[1], d_phi=dphi, d_y=z[3])
    options = jounce.Options(law="poisson_two_phase", tolerance=tolerance)
    run = jounce.simulate(wiper, start, 0.0025, options=options, mu=0.4, phi0=0.35)
    event = real_events(run)[0]
    assert event[1] == reference.events[0][1]
    assert event[0] == pytest.approx(t, abs=1e-9 if tolerance < 1e-10 else 1e-6)


def test_lift_off_out_of_slip_is_cubic_and_slip_out_of_stick_quadratic(wiper) -> None:
    """Both event functions are exactly zero where the new mode starts; neither may fire at once."""
    run = simulate(wiper, 20.0, mu=0.6, e=0.0)
    spans = [(a, b, str(mode)) for a, b, mode in run.mode_intervals("tip") if b - a > ROUNDING]
    follows = {(first[2], second[2]): second for first, second in zip(spans[-20:-2], spans[-19:-1], strict=True)}
    opened, slipped = follows["SLIP+", "OPEN"], follows["STICK", "SLIP+"]
    assert opened[1] - opened[0] > 0.1
    assert slipped[1] - slipped[0] > 1e-3

    def gap(t: float) -> float:
        state = run.at(t)
        return state["y"] - math.cos(state["phi"])

    def slip(t: float) -> float:
        state = run.at(t)
        return state["d_phi"] * math.cos(state["phi"]) + 1.0

    assert gap(opened[0] + 2e-3) / gap(opened[0] + 1e-3) == pytest.approx(8.0, rel=0.02)
    assert slip(slipped[0] + 2e-4) / slip(slipped[0] + 1e-4) == pytest.approx(4.0, rel=0.02)


def test_chatter_that_ends_in_reversed_slip(wiper) -> None:
    """phi0=.34, e=.2: the bounces accumulate while the tip slips back; it sticks only after that."""
    run = simulate(wiper, 10.0, mu=0.4, e=0.2, phi0=0.34)
    chatters = run.events[run.events.kind == "chatter"].iloc[-6:-1]  # the last may be cut by the end of the run
    assert set(chatters.mode_after) == {"SLIP-"}
    spans = [(a, str(mode)) for a, b, mode in run.mode_intervals("tip") if b - a > ROUNDING]
    for t in chatters.t:
        following = [mode for a, mode in spans if a >= t - 1e-12]
        assert following[:4] == ["SLIP-", "STICK", "SLIP+", "OPEN"]
