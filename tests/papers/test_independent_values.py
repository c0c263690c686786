"""What `jounce reproduce` gives for the thesis and the paper of 2015, against closed forms and 40-digit arithmetic."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jounce.papers.burns2015 import level_rod
from jounce.papers.burns_thesis import laws as thesis_laws
from jounce.papers.burns_thesis import pendulum as thesis_pendulum
from jounce.papers.framework.orbits import impacts
from tests.papers.two_link_reference import PendulumReference
from tests.references.ball import one_bounce_orbit, table_impacts


@pytest.mark.parametrize("name", ["p1", "p2", "p3"])
def test_orbits_return_in_many_digits(name: str) -> None:
    """Taken over at an impact, the ball in 40 digits repeats its phase and speed after the same number of bounces."""
    motion = level_rod.orbit(name)
    count = motion.cycle.impacts
    row = impacts(motion.run, "P1").iloc[-20]
    period = 2 * math.pi / motion.omega
    state = motion.run.at(row.t, side="right")
    phase = math.remainder(row.t, period)
    flights = table_impacts(
        3 * count, A=1, omega=motion.omega, e=motion.e, y=math.sin(motion.omega * phase), v=state["d_y"], t=phase,
        touching=True,
    )  # fmt: skip
    for k in range(count, 3 * count):
        turns = float(flights[k].t - flights[k - count].t) / period
        assert turns == pytest.approx(motion.cycle.period / period, abs=1e-7)
        assert turns == pytest.approx(round(turns), abs=1e-7)
        assert float(flights[k].v_after) == pytest.approx(float(flights[k - count].v_after), abs=1e-6)


def test_p2_and_the_branches_follow_from_the_multipliers() -> None:
    """The orbits of one bounce that p2 and the branches come from have lost stability through -1; p1's is stable."""
    stable = one_bounce_orbit(1, A=1, omega=3, e=0.9)
    assert max(abs(value) for value in stable.multipliers) < 1
    doubled = one_bounce_orbit(2, A=1, omega=3.55085, e=0.8)
    assert min(value.real for value in doubled.multipliers) < -1
    for e, branches in ((0.9, level_rod.BRANCHES_9), (0.8, level_rod.BRANCHES_8)):
        for k, end in level_rod.ends(e, branches).items():
            assert min(value.real for value in one_bounce_orbit(k, A=1, omega=end, e=e).multipliers) < -1.3


@pytest.mark.parametrize(
    ("name", "low", "high", "slip"), [("3.8", -0.14, -0.12, -1), ("3.8", 0.005, 0.02, 1), ("3.10", -0.1, -0.05, -1)]
)
def test_stick_begins_in_closed_form(name: str, low: float, high: float, slip: int) -> None:
    """Slip that just ends with the impact: v_t = (1 + e) v_n k_T/k_N, k_T = B - s mu A, k_N = C - s mu B."""
    given = thesis_laws.inputs(name)
    A, B, C, v_n, mu, e = (given[key] for key in ("A", "B", "C", "v_n", "mu", "e"))
    exact = (1 + e) * v_n * (B - slip * mu * A) / (C - slip * mu * B)
    for law in (thesis_laws.ENERGETIC, thesis_laws.BRACH):
        assert thesis_laws.stick_edge(name, law, low, high) == pytest.approx(exact, abs=1e-11)


def test_energy_loss_of_the_figures() -> None:
    """T_L from the velocities of the whole rod before and after the impulse, without any contact matrix."""
    f = thesis_laws.ENERGY_FIGURES["3.4"]
    x, y = math.cos(f.theta), math.sin(f.theta)
    v_t, v_n = f.V_T + y * f.spin, f.V_N - x * f.spin
    for e in (0.0, 0.5, 1.0):
        for mu in (-1.0, 0.4, 3.0):
            ratio = -math.copysign(1.0, v_t) * mu
            # The unit normal impulse with its friction changes V_T by ratio, V_N by 1, the spin by 3 (ratio y - x).
            gain = 1 - x * 3 * (ratio * y - x)
            p = -(1 + e) * v_n / gain
            after = (f.V_T + ratio * p, f.V_N + p, f.spin + 3 * (ratio * y - x) * p)
            before = (f.V_T, f.V_N, f.spin)
            energies = [(v[0] ** 2 + v[1] ** 2 + v[2] ** 2 / 3) / 2 for v in (before, after)]
            expected = (energies[0] - energies[1]) / energies[0]
            assert thesis_laws.energy_loss("3.4", e, np.array([mu]))[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("place", [thesis_pendulum.FIRST, thesis_pendulum.SECOND])
def test_rest_and_spectrum_of_the_pendulum(place) -> None:
    """Statics, and central differences of Cartesian accelerations under constant forces."""
    reference = PendulumReference(mu=place.mu, e=place.e, V=place.V)
    torque, force = thesis_pendulum.statics(place)
    assert torque == pytest.approx(reference.resting_torque(place.theta, place.phi), rel=1e-12)
    reference.T = torque
    z = np.array([place.theta, place.phi, 0.0, 0.0])
    np.testing.assert_allclose(reference.accelerations(z, force, -place.mu * force), 0.0, atol=1e-12)
    h, columns = 1e-5, []
    for shift in np.eye(4)[:2] * h:
        ends = [reference.accelerations(z + sign * shift, force, -place.mu * force) for sign in (1, -1)]
        columns.append((ends[0] - ends[1]) / (2 * h))
    expected = np.sqrt(np.sort(np.linalg.eigvals(np.array(columns).T))[::-1])
    found = thesis_pendulum.spectrum(place)
    assert np.abs(found.imag).max() == 0.0
    np.testing.assert_allclose(found.real, expected, rtol=1e-7)
