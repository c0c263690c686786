"""The classical sliding rod in closed form, and the double pendulum of Burns' thesis, chapter 6."""

from __future__ import annotations

import math

import mpmath as mp
import pytest

import jounce
from jounce.analysis import painleve
from jounce.analysis.painleve import ScalarMode
from tests.painleve import maximal_coordinates as maximal

G = 9.81


@pytest.fixture(scope="module")
def rod():
    return jounce.compile_model(jounce.systems.painleve_rod())


@pytest.fixture(scope="module")
def pendulum():
    return jounce.compile_model(jounce.systems.double_pendulum())


@pytest.mark.parametrize("slip", [1, -1])
def test_rod_in_closed_form(rod, slip) -> None:
    """Génot & Brogliato: m A = 1 + 3 cos^2 + 3 s mu sin cos,  B = l theta'^2 sin - g."""
    for theta, rate, mu, m, half in ((0.3, 2.0, 1.5, 1.0, 1.0), (1.1, -4.0, 0.7, 2.0, 0.5), (2.0, 1.0, 1.9, 0.3, 2.0)):
        state = rod.state(theta=theta, d_theta=rate)
        ours = painleve.coefficients(rod, state, "tip", slip, mu=mu, m=m, l=half)
        s, c = math.sin(theta), math.cos(theta)
        assert pytest.approx((1 + 3 * c * c + 3 * slip * mu * s * c) / m, rel=1e-13) == ours.A
        assert pytest.approx(half * rate**2 * s - G, rel=1e-13) == ours.B
        assert ours.inverse_mass - slip * mu * ours.coupling == pytest.approx(ours.A, rel=1e-13)


def test_rod_critical_friction(rod) -> None:
    """4/3 at theta = atan 2 (thesis (6.5)-(6.8); Génot & Brogliato), when the tip slides ahead of the centre."""
    found = painleve.minimal_critical_friction(rod, {"theta": (0.05, 1.55)}, "tip")
    assert found.mu == pytest.approx(4 / 3, rel=1e-14)
    assert found.state["theta"] == pytest.approx(math.atan(2.0), abs=1e-6)
    assert found.slip == -1
    for theta in (0.4, 0.9, 1.3):
        s, c = math.sin(theta), math.cos(theta)
        assert float(painleve.critical_friction(rod, rod.state(theta=theta), "tip")) == pytest.approx(
            (1 + 3 * c * c) / (3 * s * c), rel=1e-13
        )


def test_slender_rod_is_the_same_rod() -> None:
    """The ends of the rod on a shaker mirror each other: 4/3 for P1 sliding left and for P2 sliding right."""
    system = jounce.compile_model(jounce.systems.slender_rod())
    first = painleve.minimal_critical_friction(system, {"theta": (0.05, 1.55)}, "P1")
    second = painleve.minimal_critical_friction(system, {"theta": (-1.55, -0.05)}, "P2", state=system.state(theta=-0.3))
    assert (first.mu, second.mu) == pytest.approx((4 / 3, 4 / 3), rel=1e-13)
    assert (first.slip, second.slip) == (-1, 1)


@pytest.mark.parametrize("mu", [1.4, 1.5, 8 / (3 * math.sqrt(3)), 1.8])
def test_rod_singular_points_in_closed_form(rod, mu) -> None:
    """A = 0: tan^2 - 3 mu tan + 4 = 0. B = 0: theta'^2 = g/(l sin). By hand from theta'' = -3(mu s - c) B/(m l A)."""
    points = painleve.singular_points(rod, {"theta": (0.1, 1.5), "d_theta": (-6.0, -1.0)}, "tip", mu=mu)
    root = math.sqrt(9 * mu * mu - 16)
    for point, tangent, kind in zip(
        points, ((3 * mu - root) / 2, (3 * mu + root) / 2), ("unstable node", "saddle"), strict=True
    ):
        theta = math.atan(tangent)
        s, c = math.sin(theta), math.cos(theta)
        rate = -math.sqrt(G / s)
        assert point.state["theta"] == pytest.approx(theta, abs=1e-10)
        assert point.state["d_theta"] == pytest.approx(rate, rel=1e-10)
        assert point.slip == -1
        assert point.slip_velocity < 0.0
        assert point.eigenvalues[0] == pytest.approx((-6 * c * s - 3 * mu * (c * c - s * s)) * rate, rel=1e-8)
        assert point.eigenvalues[1] == pytest.approx(-6 * (mu * s - c) * s * rate, rel=1e-8)
        assert point.kind == kind


def test_rod_node_is_degenerate_at_genots_second_friction(rod) -> None:
    """At mu = 8/(3 sqrt 3) the two eigenvalues of the node meet: there Génot & Brogliato's picture changes."""
    difference = []
    for mu in (1.53, 8 / (3 * math.sqrt(3)), 1.55):
        node = painleve.singular_points(rod, {"theta": (0.1, 1.5), "d_theta": (-6.0, -1.0)}, "tip", mu=mu)[0]
        difference.append(node.eigenvalues[0] - node.eigenvalues[1])
    assert difference[0] < 0.0 < difference[2]
    assert difference[1] == pytest.approx(0.0, abs=1e-7)


def test_no_singular_points_below_the_critical_friction(rod) -> None:
    assert painleve.singular_points(rod, {"theta": (0.1, 1.5), "d_theta": (-6.0, 6.0)}, "tip", mu=1.33) == []


def test_mirrored_velocity_is_a_point_of_the_other_time(rod) -> None:
    """With the direction of slip prescribed, theta' -> -theta' is singular too, with both eigenvalues reversed."""
    points = painleve.singular_points(rod, {"theta": (0.1, 1.5), "d_theta": (-6.0, 6.0)}, "tip", -1, mu=1.4)
    assert sorted(point.kind for point in points) == ["saddle", "saddle", "stable node", "unstable node"]
    node, mirror = points[1], points[0]
    assert node.state["d_theta"] == pytest.approx(-mirror.state["d_theta"])
    assert node.eigenvalues == pytest.approx([-value for value in mirror.eigenvalues], rel=1e-8)


def torque(theta, phi, mu):
    """(6.29), (6.30) with lambda1 = -mu lambda2 (V < 0): the torque that holds it at rest on the belt, and lambda2."""
    force = 0.5 * G * math.sin(phi) / (math.cos(phi) - mu * math.sin(phi))
    return G * math.sin(theta) - force * (math.cos(theta) - mu * math.sin(theta)), force


@pytest.mark.parametrize(("theta", "phi", "printed"), [(3.8572, 4.1154, 0.82), (4.2062, 4.3, 0.46), (4.21, 4.3, 0.46)])
def test_pendulum_critical_friction(pendulum, theta, phi, printed) -> None:
    """mu_c = .82 and .46 (Figs 6.7, 6.8), from (6.23) read with (m1 + m2) cos^2(phi)."""
    found = painleve.critical_friction(pendulum, pendulum.state(theta=theta, phi=phi))
    d, m, M = theta - phi, 0.5, 1.0
    c1, c2, s1, s2 = math.cos(theta), math.cos(phi), math.sin(theta), math.sin(phi)
    top = m * (-(c1**2) + 2 * math.cos(d) * c1 * c2) - M * c2**2
    bottom = s1 * m * (math.cos(d) * c2 - c1) + s2 * m * math.cos(d) * c1 - s2 * c2 * M
    assert found.mu == pytest.approx(top / bottom, rel=1e-12)
    assert round(found.mu, 2) == printed
    assert found.slip == 1  # the belt moves down, V < 0


@pytest.mark.parametrize("mu", ["0.3", "0.9"])
def test_pendulum_against_full_coordinates(pendulum, mu) -> None:
    for theta, phi, T in ((3.8572, 4.1154, 2.5), (4.21, 4.3, -1.0), (0.4, 1.9, 0.7)):
        for slip in (1, -1):
            reference = maximal.double_pendulum(theta, phi, slip, mu, torque=mp.mpf(T))
            ours = painleve.coefficients(pendulum, pendulum.state(theta=theta, phi=phi), slip=slip, mu=float(mu), T=T)
            assert pytest.approx((float(reference.A), float(reference.B)), rel=1e-10) == (ours.A, ours.B)


def test_pendulum_at_rest_becomes_inconsistent_at_critical_friction(pendulum) -> None:
    """At rest by the torque (6.30); a change of friction leaves B < 0 as it is and turns A negative above mu_c."""
    theta, phi, mu0 = 4.21, 4.3, 0.3
    T, force = torque(theta, phi, mu0)
    state = pendulum.state(theta=theta, phi=phi)
    rest = painleve.coefficients(pendulum, state, T=T, mu=mu0, V=-0.98)
    assert rest.mode is ScalarMode.SLIDING
    assert rest.normal_forces == pytest.approx((force,), rel=1e-12)
    critical = painleve.critical_friction(pendulum, state).mu
    below, above = (painleve.coefficients(pendulum, state, T=T, mu=factor * critical) for factor in (0.999, 1.001))
    assert below.B == above.B == rest.B < 0.0
    assert (below.mode, above.mode) == (ScalarMode.SLIDING, ScalarMode.INCONSISTENT)


def test_pendulum_has_no_equilibrium_at_the_printed_friction() -> None:
    """mu0 = .7 (Fig 6.7) would need a belt that pulls: WRONG in the thesis."""
    assert torque(3.8572, 4.1154, 0.7)[1] < 0.0
    assert torque(3.8572, 4.1154, 0.6)[1] > 0.0
