"""The references against each other and against closed forms: a reference nobody checked proves nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq

from tests.references import ball, belt, pendulum, rod, rod_scan, sliding
from tests.references.arithmetic import first_root, mp

TINY = mp.mpf(10) ** -35


def test_search_finds_the_first_of_close_roots():
    roots = [mp.mpf("0.3"), mp.mpf("0.3") + mp.mpf(10) ** -9, mp.mpf(2)]

    def cubic(t):
        a, b, c = (t - root for root in roots)
        return -a * b * c, -(a * b + a * c + b * c)

    found = first_root([cubic], 20, 0)
    # g'' = -2 (a + b + c) >= -20 up to t = 4; the sign is positive before the first root
    assert found is not None
    assert abs(found[0] - roots[0]) < mp.mpf(10) ** -28


def test_search_passes_a_near_miss():
    def parabola(t):
        return (t - 1) ** 2 * (3 - t) + mp.mpf(10) ** -12 * (3 - t), 2 * (t - 1) * (3 - t) - (t - 1) ** 2 - mp.mpf(
            10
        ) ** -12

    found = first_root([parabola], 20, 0)
    assert found is not None
    assert abs(found[0] - 3) < TINY


def test_bounces_closed_form_and_marched():
    times = ball.bounce_times(1, 0.9, 12)
    marched = ball.table_impacts(12, A=0, omega=1, e=0.9, y=1, v=0)
    assert max(abs(a - b.t) for a, b in zip(times, marched, strict=True)) < TINY
    limit = ball.accumulation_time(1, 0.9)
    assert abs(ball.bounce_times(1, 0.9, 900)[-1] - limit) < 20 * mp.mpf("0.9") ** 900 + TINY


def test_table_impacts_against_dense_samples():
    A, omega, e, g = 1.0, 5.0, 0.8, 9.81
    t, y, v = 0.0, 1.2, 0.0
    for impact in ball.table_impacts(8, A=A, omega=omega, e=e, y=y, v=v):

        def gap(s, t=t, y=y, v=v):
            return y + s * (v - g * s / 2) - A * np.sin(omega * (t + s))

        grid = np.arange(1e-6, 8.0, 1e-5)
        index = int(np.argmax(gap(grid) < 0))
        s = brentq(gap, grid[index - 1], grid[index], xtol=1e-15, rtol=1e-15)
        assert t + s == pytest.approx(float(impact.t), abs=1e-11)
        t, y, v = float(impact.t), float(impact.y), float(impact.v_after)


@pytest.mark.parametrize(("k", "omega", "e"), [(1, 3.0, 0.9), (1, 3.55085, 0.8), (2, 5.0, 0.9)])
@pytest.mark.parametrize("rising", [True, False])
def test_one_bounce_orbit_returns_and_has_its_multipliers(k, omega, e, rising):
    orbit = ball.one_bounce_orbit(k, A=1, omega=omega, e=e, rising_phase=rising)

    def image(t, v):
        impact = ball.table_impacts(1, A=1, omega=omega, e=e, t=t, y=mp.sin(omega * t), v=v, touching=True)[0]
        return impact.t - orbit.period, impact.v_after

    omega = mp.mpf(omega)
    t, v = image(orbit.t, orbit.v)
    assert abs(t - orbit.t) < TINY
    assert abs(v - orbit.v) < TINY
    h = mp.mpf(10) ** -12
    d_t = [(a - b) / (2 * h) for a, b in zip(image(orbit.t + h, orbit.v), image(orbit.t - h, orbit.v), strict=True)]
    d_v = [(a - b) / (2 * h) for a, b in zip(image(orbit.t, orbit.v + h), image(orbit.t, orbit.v - h), strict=True)]
    first, second = orbit.multipliers
    assert abs(d_t[0] + d_v[1] - (first + second)) < 1e-18
    assert abs(d_t[0] * d_v[1] - d_t[1] * d_v[0] - first * second) < 1e-18
    assert abs(first * second - mp.mpf(e) ** 2) < TINY


def test_lift_off_starts_with_the_third_derivative():
    release = ball.table_lift_off(A=1, omega=4)
    assert abs(16 * mp.sin(4 * release.t_release) - mp.mpf(9.81)) < TINY
    s = mp.mpf(10) ** -8
    gap = release.y_release + s * (release.v_release - mp.mpf(9.81) * s / 2) - mp.sin(4 * (release.t_release + s))
    assert float(gap / (64 * mp.cos(4 * release.t_release) * s**3 / 6)) == pytest.approx(1, abs=1e-6)
    flight = release.t_landing - release.t_release
    fallen = release.y_release + flight * (release.v_release - mp.mpf(9.81) * flight / 2)
    assert abs(fallen - mp.sin(4 * release.t_landing)) < TINY


def test_rod_flights_against_the_scan():
    starts = rod_scan.random_starts(240, seed=5)
    times, ends, codes = rod_scan.first_crossings(starts, A=1.0, omega=3.0)
    assert (codes == rod_scan.CROSSING).all()
    body = rod.Rod(omega=3.0)
    for start, time, end in zip(starts, times, ends, strict=True):
        t, name, q, u = rod.next_landing(body, start[0], start[1:4], start[4:])
        # the scan's rounding of 1e-15 in the gap is this much time
        slack = 1e-14 / abs(float(body.gap(name, t, q, u)[1])) + 1e-13
        assert time == pytest.approx(float(t), abs=slack)
        other = rod.ENDS[1 - rod.ENDS.index(name)]
        assert rod.ENDS[end] == name or abs(float(body.gap(other, t, q, u)[0])) < 1e-13


def test_scan_sees_nothing_between_exact_impacts():
    body = rod.Rod(omega=4.405, mu=0.05, e=0.8)
    impacts = rod.rod_impacts(body, 30, (0, 6, 0.3), (0, 0, 0))
    flights = np.array([[float(x) for x in (i.t, *i.q, *i.u_after)] for i in impacts[:-1]])
    durations = np.diff([float(i.t) for i in impacts])
    touching = np.array([rod.ENDS.index(i.end) for i in impacts[:-1]])
    settings = {"A": 1.0, "omega": 4.405, "touching": touching}
    _, _, codes = rod_scan.first_crossings(flights, duration=durations - 1e-11, **settings)
    assert (codes == rod_scan.NONE).all()
    _, ends, codes = rod_scan.first_crossings(flights, duration=durations + 1e-11, **settings)
    assert (codes == rod_scan.CROSSING).all()
    assert [rod.ENDS[end] for end in ends] == [i.end for i in impacts[1:]]


def test_rod_impact_balances_work_and_energy():
    body = rod.Rod(omega=4.405, mu=0.3, e=0.7)
    for hit in rod.rod_impacts(body, 40, (0, 6, 0.3), (1, 0, 2)):
        change = body.energy(hit.q, hit.u_after) - body.energy(hit.q, hit.u_before)
        floor = body.omega * mp.cos(body.omega * hit.t)  # A = 1; the floor works on the rod with p_n
        (p_t, p_n), (t0, n0), (t1, n1) = hit.impulse, hit.v_before, hit.v_after
        work = (p_t * (t0 + t1) + p_n * (n0 + n1)) / 2 + p_n * floor
        assert abs(change - work) < TINY
        assert abs(p_t) <= body.mu * p_n * (1 + TINY)


def _random_impact(seed):
    random = np.random.default_rng(seed)
    factor = random.normal(size=(2, 2))
    (A, B), (_, C) = factor @ factor.T + 0.05 * np.eye(2)
    return A, B, C, random.normal(), -random.uniform(0.2, 2), random.uniform(0, 1.5), random.uniform(0, 1)


@pytest.mark.parametrize(
    ("case", "phases"),
    [
        *((_random_impact(seed), None) for seed in range(10)),
        ((1.0, 0.9, 1.2, -0.3, -1.0, 0.3, 0.7), ("slip-", "slip+", "slip+")),  # reversal
        ((1.0, 0.9, 1.2, -1.2, -1.0, 0.3, 0.7), ("slip-", "slip-", "slip+")),  # reversal in restitution
        ((1.0, 1.2, 1.6, 1.0, -0.5, 2.0, 0.5), ("slip+", "stick", "stick")),  # k_N < 0: jam
        ((1.0, 0.3, 1.0, 0.0, -1.0, 0.1, 0.5), ("slip+", "slip+")),  # slip sets in at once
    ],
)
def test_energetic_impact_against_small_steps_of_impulse(case, phases):
    *_, e = case
    exact = rod.energetic_impact(*case)
    assert phases in (None, exact.phases)
    assert abs(exact.work_restitution + mp.mpf(e) ** 2 * exact.work_compression) < TINY
    for count in (5_000, 50_000):  # equal steps of impulse err by a few of their lengths
        step = float(exact.p_n) / count
        for value, stepped in zip((exact.v_t, exact.v_n, exact.p_n), _small_steps(*case, step), strict=True):
            assert stepped == pytest.approx(float(value), abs=20 * step)


def _small_steps(A, B, C, v_t, v_n, mu, e, step):
    """The process in equal steps of normal impulse; stick is whatever friction within the cone stops v_t."""
    p_n = compression = restitution = 0.0
    while v_n < 0 or restitution < -e * e * compression:
        needed = -(v_t + B * step) / (A * step)
        ratio = min(mu, max(-mu, needed))
        v_t, old = v_t + (B + A * ratio) * step, v_n
        v_n += (C + B * ratio) * step
        work = step * (old + v_n) / 2
        compression, restitution = (compression + work, 0.0) if v_n <= 0 else (compression, restitution + work)
        p_n += step
    return v_t, v_n, p_n


def test_rod_slide_without_friction_conserves_energy():
    body = sliding.SlidingRod(A=0.0, mu=0.0)
    end = sliding.rod_slide(body, 0.0, 0.0, 0.9, 1.0 - math.sin(0.9) * -0.4, -0.4)

    def spin(theta):  # (1/3 + cos^2) theta'^2/2 + g sin(theta) is constant, m = L = 1
        energy = (1 / 3 + math.cos(0.9) ** 2) * 0.4**2 / 2 + 9.81 * math.sin(0.9)
        return math.sqrt(2 * (energy - 9.81 * math.sin(theta)) / (1 / 3 + math.cos(theta) ** 2))

    assert end.kind == "landing"
    assert end.t == pytest.approx(quad(lambda theta: 1 / spin(theta), 0, 0.9, epsabs=1e-13)[0], abs=1e-11)
    assert end.u[2] == pytest.approx(-spin(0.0), abs=1e-11)


SLIDES = [
    ("landing", sliding.SlidingRod(A=0.3, omega=2.0, mu=0.2), 0.6, 0.0, 1.5),
    ("landing", sliding.SlidingRod(A=0.5, omega=3.0, mu=0.3), 0.5, 1.0, -4.0),
    ("release", sliding.SlidingRod(A=1.0, omega=4.0, mu=0.3), 0.6, 0.0, 3.0),
    ("stop", sliding.SlidingRod(A=0.2, omega=2.0, mu=0.6), 1.2, 0.0, 0.5),
]


@pytest.mark.parametrize(("kind", "body", "theta", "spin", "slip"), SLIDES)
def test_rod_slide_by_two_methods_and_by_full_equations(kind, body, theta, spin, slip):
    q, u = sliding.sliding_start(body, 0.0, theta, spin, slip)
    end = sliding.rod_slide(body, 0.0, q[0], q[2], u[0], u[2])
    assert end.kind == kind
    # the full equations with the force from gap'' = 0, written with W_N and W_T and a 2 x 2 solution instead
    s = math.copysign(1.0, slip)

    def full(t, z):
        sine, cosine = math.sin(z[2]), math.cos(z[2])
        W = np.array([0.0, 1.0, -cosine]) - s * body.mu * np.array([1.0, 0.0, sine])
        M_inverse = np.array([1.0, 1.0, 3.0])
        offset = -body.g + sine * z[5] ** 2 + body.A * body.omega**2 * math.sin(body.omega * t)
        force = -offset / (W * M_inverse * np.array([0.0, 1.0, -cosine])).sum()
        return [*z[3:], *(np.array([0.0, -body.g, 0.0]) + M_inverse * W * force)]

    other = solve_ivp(full, (0, end.t), [*q, *u], method="LSODA", rtol=1e-12, atol=1e-13, max_step=1e-2)
    np.testing.assert_allclose(other.y[:, -1], [*end.q, *end.u], atol=3e-9)


def test_rod_after_release_against_dense_samples():
    body = SLIDES[2][1]
    q, u = sliding.sliding_start(body, 0.0, 0.6, 0.0, 3.0)
    end = sliding.rod_slide(body, 0.0, q[0], q[2], u[0], u[2])
    assert end.kind == "release"
    t, name, _, _ = rod.landing_after_release(rod.Rod(A=1, omega=4), "P1", end.t, end.q, end.u)
    s = np.linspace(1e-3, float(t) - end.t + 0.01, 400_001)
    height = end.q[1] + s * (end.u[1] - 9.81 * s / 2) - np.sin(4 * (end.t + s))
    arm = np.sin(end.q[2] + s * end.u[2])
    gaps = {"P1": height - arm, "P2": height + arm}
    first = {key: s[np.argmax(gap < 0)] if (gap < 0).any() else np.inf for key, gap in gaps.items()}
    assert min(first, key=first.get) == name
    assert first[name] == pytest.approx(float(t) - end.t, abs=2 * (s[1] - s[0]))


def test_belt_without_damping_in_closed_form():
    stick_slip = belt.Belt(m=2.0, k=3.0, v_belt=0.7, mu=0.3, mu_s=0.5)
    events = belt.belt_events(stick_slip, 4, 0, 0.7)
    assert [event.kind for event in events] == ["slip", "stick", "slip", "stick"]
    grip = mp.mpf(0.5) * 2 * mp.mpf(9.81) / 3
    centre = mp.mpf(0.3) * 2 * mp.mpf(9.81) / 3
    assert abs(events[0].x - grip) < TINY
    assert abs(events[1].x - (2 * centre - grip)) < TINY  # symmetric about the centre of the slide
    omega, belt_speed = mp.sqrt(mp.mpf(3) / 2), mp.mpf(0.7)
    slide = 2 * (mp.pi - mp.atan(omega * (grip - centre) / belt_speed)) / omega
    assert abs(events[1].t - events[0].t - slide) < TINY


@pytest.mark.parametrize(("damping", "static", "x", "v"), [(0.0, 0.4, -12, 3), (0.1, 0.4, -12, 3), (0.05, 0.3, 8, -2)])
def test_belt_against_integration(damping, static, x, v):
    block = belt.Belt(c=damping, v_belt=0.5, mu_s=static)
    t, state = 0.0, np.array([x, v], dtype=float)
    kinds = set()
    for event in belt.belt_events(block, 4, x, v):
        kinds.add(event.kind)
        if event.kind == "slip":
            state = np.array([float(event.x), 0.5])
        else:
            s = math.copysign(1.0, state[1] - 0.5) if state[1] != 0.5 else -math.copysign(1.0, state[0])

            def rate(_, z, s=s):
                return [z[1], -z[0] - damping * z[1] - s * 0.3 * 9.81]

            end = solve_ivp(rate, (t, float(event.t)), state, method="DOP853", rtol=1e-13, atol=1e-13)
            assert (s * (end.y[1, 1:-1] - 0.5) > 0).all()
            np.testing.assert_allclose(end.y[:, -1], [float(event.x), 0.5], atol=1e-10)
            state = np.array([float(event.x), 0.5])
        t = float(event.t)
    assert kinds == {"slip", "stick"} | ({"reversal"} if x < 0 else set())


@pytest.mark.parametrize(
    ("phi", "d_phi", "wall", "mu", "sigma"), [(-1, 0, 0.1, 0.3, -1), (0.9, 1, 0.3, 0, 1), (0.5, -1, -0.2, 2, 1)]
)
def test_pendulum_against_integration(phi, d_phi, wall, mu, sigma):
    angle = math.asin(wall / 1.3)
    state, t = [phi, d_phi], 0.0

    def hits(_, z):
        return sigma * (z[0] - angle)

    hits.terminal, hits.direction = True, -1
    settings = {"phi": phi, "d_phi": d_phi, "length": 1.3, "wall": wall, "e": 0.8, "mu": mu, "sigma": sigma}
    for impact in pendulum.wall_impacts(4, **settings):
        end = solve_ivp(
            lambda _, z: [z[1], -9.81 / 1.3 * math.sin(z[0])],
            (t, t + 20),
            state,
            method="DOP853",
            rtol=1e-13,
            atol=1e-14,
            max_step=0.02,
            events=hits,
        )
        t = end.t_events[0][0]
        assert t == pytest.approx(float(impact.t), abs=1e-10)
        assert end.y_events[0][0][1] == pytest.approx(float(impact.d_phi_before), abs=1e-10)
        t, state = float(impact.t), [angle, float(impact.d_phi_after)]


@pytest.mark.parametrize(("phi", "mu"), [(0.4, 0.0), (0.4, 0.6), (-0.7, 0.9), (1.2, 0.3)])
def test_pendulum_impact_by_the_impulse_process(phi, mu):
    """The rank-one K of the constrained mass, made regular by 1e-24, has the closed form's restitution."""
    sine, cosine, small = mp.sin(phi), mp.cos(phi), mp.mpf(10) ** -24
    # moving into the wall with phi' = -1 (sigma = +1): gamma_N = cos phi', gamma_T = sin phi'
    process = rod.energetic_impact(sine**2 + small, sine * cosine, cosine**2 + small, -sine, -cosine, mu, 0.8)
    assert float(process.v_n / cosine) == pytest.approx(float(pendulum.wall_restitution(phi, mu, 0.8)), abs=1e-9)
