"""Slides that run into the zero of their determinant, against the same motion in a time in which it is regular.

With dt = A ds the equations of a rod, A lambda + b = 0, have no division left, and the singular point is a node
that is approached like exp(-s). SciPy integrates that, with A and b as unknowns of their own, so that they are known
relative to themselves. With p the power of flow/singular_point.py, 0.81 at mu = 1.6 and 0.34 at mu = 2, the force grows
without bound as A^(p - 1), or falls and vanishes just before the point.
"""

import functools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import jounce
from tests.families import jamming
from tests.families.check import simulate
from tests.families.family import Draw, compiled, in_units
from tests.families.jamming import FAMILIES

GRAVITY = 9.81


@functools.cache
def rod():
    return jounce.compile_model(jounce.systems.painleve_rod())


def at_the_singular_point(theta, rate, slip, mu):
    """(t, theta, theta', x'), and A where b or A has vanished; m = l = 1, the tip slides ahead of the centre."""

    def flow(_, z):
        _, angle, w, _, A, b = z
        sine, cosine = math.sin(angle), math.cos(angle)
        gain = 3.0 * (mu * sine - cosine)
        slope = -3.0 * math.sin(2.0 * angle) - 3.0 * mu * math.cos(2.0 * angle)
        return [A, A * w, -b * gain, -b * mu, slope * A * w, A * w**3 * cosine - 2.0 * w * sine * b * gain]

    def arrived(_, z):
        return z[4] - 1e-120

    def opens(_, z):
        return z[5]

    arrived.terminal = opens.terminal = True
    A = 1.0 + 3.0 * math.cos(theta) ** 2 - 3.0 * mu * math.sin(theta) * math.cos(theta)
    start = [0.0, theta, rate, slip - rate * math.sin(theta), A, rate**2 * math.sin(theta) - GRAVITY]
    options = {"method": "DOP853", "rtol": 1e-12, "atol": [1e-14] * 4 + [1e-200] * 2}
    return solve_ivp(flow, (0.0, 1e4), start, events=[arrived, opens], **options).y[:5, -1]


def singular_angle(mu):
    """The smaller root of 1 + 3 cos^2 - 3 mu sin cos, at which the rod arrives as it rises."""
    return math.atan((3.0 * mu - math.sqrt(9.0 * mu**2 - 16.0)) / 2.0)


def start_before(mu, away, part):
    """theta and theta' a little below the singular angle, with b at ``part`` of -g."""
    theta = singular_angle(mu) - away
    return theta, math.sqrt((1.0 - part) * GRAVITY / math.sin(theta))


def slide(theta, rate, slip, mu, tolerance, law="poisson"):
    system = rod()
    start = system.state(
        x=math.cos(theta), y=math.sin(theta), theta=theta,
        d_x=slip - rate * math.sin(theta), d_y=rate * math.cos(theta), d_theta=rate,
    )  # fmt: skip
    options = jounce.Options(tolerance=tolerance, audit="dense", law=law)
    return jounce.simulate(system, start, 0.3, mu=mu, e=0.4, options=options)


CASES = [(1.6, 0.02, 0.3), (1.6, 0.05, 0.5), (1.8, 0.1, 0.8), (1.8, 0.05, 0.1), (2.0, 0.02, 0.05), (3.0, 0.02, 0.05)]


@pytest.mark.parametrize("tolerance", [1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize(("mu", "away", "part"), CASES)
def test_slide_arrives_at_the_singular_point(mu, away, part, tolerance):
    """The impulse of the last moment, A^p of all, is known to a thousandth if it is a power alone."""
    theta, rate = start_before(mu, away, part)
    run = slide(theta, rate, -8.0, mu, tolerance)
    assert run.status.ok, run.status
    first = run.events.iloc[0]
    assert (first.kind, first.contact, first.region, first.mode_before) == ("paradox", "tip", 3, "SLIP-")
    t, angle, turn, speed, A = at_the_singular_point(theta, rate, -8.0, mu)
    assert A < 1e-100
    state = run.at(first.t, side="left")
    power = 2.0 * math.sin(angle) * (mu * math.sin(angle) - math.cos(angle))
    power /= math.sin(2.0 * angle) + mu * math.cos(2.0 * angle)
    allowed = 10.0 * tolerance + 1e-3 * 2.0 ** (-26.0 * power) + 1e-9
    assert first.t == pytest.approx(t, abs=10.0 * tolerance + 1e-12)
    assert state["theta"] == pytest.approx(angle, abs=10.0 * tolerance + 1e-12)
    assert state["d_theta"] == pytest.approx(turn, abs=allowed)
    assert state["d_x"] == pytest.approx(speed, abs=allowed)


@pytest.mark.parametrize("tolerance", [1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize(("mu", "away", "part"), [(1.55, 0.02, 0.3), (1.55, 0.05, 0.5), (1.55, 0.1, 0.8)])
def test_slide_opens_just_before_the_singular_point(mu, away, part, tolerance):
    """Its force still is some 10 N where A = 1e-8, and vanishes on the last moment that is extrapolated."""
    theta, rate = start_before(mu, away, part)
    t, angle, turn, speed, A = at_the_singular_point(theta, rate, -8.0, mu)
    assert A < 2.0**-26
    run = slide(theta, rate, -8.0, mu, tolerance)
    first = run.events.iloc[0]
    assert (first.kind, first.contact, first.mode_after) == ("lift_off", "tip", "OPEN")
    state = run.at(first.t, side="left")
    assert first.t == pytest.approx(t, abs=10.0 * tolerance + 1e-12)
    found = [state["theta"], state["d_theta"], state["d_x"]]
    assert found == pytest.approx([angle, turn, speed], abs=10.0 * tolerance + 1e-9)


@pytest.mark.parametrize("law", ["poisson", "newton", "energetic"])
@pytest.mark.parametrize("mu", [1.6, 2.0])
def test_an_impact_without_collision_follows(mu, law):
    """It stops the slip: with A = 0 the normal velocity stays zero until then, and friction takes what the slip had."""
    theta, rate = start_before(mu, 0.05, 0.5)
    run = slide(theta, rate, -8.0, mu, 1e-11, law)
    assert list(run.events.kind[:2]) == ["paradox", "impact"]
    impact = run.events.iloc[1]
    assert impact.v_n_before == pytest.approx(0.0, abs=1e-12)
    assert abs(impact.v_t_after) < abs(impact.v_t_before)
    assert impact.p_t == pytest.approx(mu * impact.p_n, rel=1e-6) or impact.p_t < mu * impact.p_n
    assert impact.energy_loss > 0.0


def test_the_row_can_be_asked_for_as_a_policy():
    """inconsistent='stop' ends the run at the singular point."""
    theta, rate = start_before(1.6, 0.05, 0.5)
    system = rod()
    start = system.state(
        x=math.cos(theta), y=math.sin(theta), theta=theta,
        d_x=-8.0 - rate * math.sin(theta), d_y=rate * math.cos(theta), d_theta=rate,
    )  # fmt: skip
    run = jounce.simulate(system, start, 0.3, mu=1.6, options=jounce.Options(inconsistent="stop"))
    assert run.status.name == "PARADOX"
    assert run.final.t == pytest.approx(at_the_singular_point(theta, rate, -8.0, 1.6)[0], abs=1e-7)


def arm_at_the_singular_point(theta, rate, mu):
    """(t, theta1, theta2, theta1', theta2') of the two-link arm in the regular time; its force has a limit there."""
    g = 9.8

    def parts(z):
        first, second = z[1:3]
        sines, cosines = np.sin(z[1:3]), np.cos(z[1:3])
        M = np.array([[4 / 3, math.cos(first - second) / 2], [math.cos(first - second) / 2, 1 / 3]])
        twist = math.sin(first - second) / 2
        h = np.array([-twist * z[4] ** 2 - 1.5 * g * sines[0], twist * z[3] ** 2 - 0.5 * g * sines[1]])
        free, response = np.linalg.solve(M, h), np.linalg.solve(M, sines - mu * cosines)
        return free, response, sines @ response, sines @ free + cosines @ z[3:5] ** 2

    def flow(_, z):
        free, response, A, b = parts(z)
        return [A, *(A * z[3:5]), *(A * free - b * response)]

    def near(_, z):
        return parts(z)[2] - 1e-12

    near.terminal = True
    second = math.acos(5 / 3 - math.cos(theta))
    start = np.array([0.0, theta, second, rate, -rate * math.sin(theta) / math.sin(second)])
    return solve_ivp(flow, (0.0, 1e4), start, method="DOP853", rtol=1e-12, atol=1e-13, events=near).y[:, -1]


@pytest.mark.parametrize("tolerance", [1e-7, 1e-9, 1e-11])
@pytest.mark.parametrize(("theta", "rate"), [(0.6, 1.0), (0.65, 1.0), (0.675, 0.9), (0.575, 1.05)])
def test_arm_arrives_with_a_force_that_has_a_limit(theta, rate, tolerance):
    """Its eigenvalue is without bound all the same: long steps would make velocities jump."""
    system = jounce.compile_model(jounce.systems.manipulator())
    t, *state = arm_at_the_singular_point(theta, rate, 0.5)
    second = math.acos(5 / 3 - math.cos(theta))
    turn = -rate * math.sin(theta) / math.sin(second)
    start = system.state(theta1=theta, theta2=second, d_theta1=rate, d_theta2=turn)
    options = jounce.Options(tolerance=tolerance, audit="dense")
    run = jounce.simulate(system, start, 0.5, v_t=-1.0, mu=0.5, mu_s=0.8, e=0.5, options=options)
    assert run.status.ok, run.status
    first = run.events.iloc[0]
    assert (first.kind, first.region) == ("paradox", 3)
    found = run.at(first.t, side="left")
    assert first.t == pytest.approx(t, abs=20.0 * tolerance + 1e-11)
    assert [*found.q, *found.u] == pytest.approx(state, abs=100.0 * tolerance + 1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_a_jam_is_one_in_any_units(seed: int) -> None:
    """Painleve's rod with a spring, p = 0.28: the rate w = a'^2 obeys dw/da = P (q - r sin(a) w)/A, by SciPy in log(A).

    Its force grows beyond all bounds. The last impulse changes the velocities by a per cent, and what puts the state
    back onto the floor moved it to the near side of the singular point in some units: the tip lifted off.
    """
    m, r, g, mu, k, a, w = 2.9001, 2.6095, 3.0177, 2.1372, 2.287, 0.191686, 1.31247
    scales = 10.0 ** np.random.default_rng(seed).uniform(-6, 6, 3) if seed else np.ones(3)
    family = next(family for family in jamming.FAMILIES if family.name == "jamming_rod")
    start = {"x": 0.0, "y": r * math.sin(a), "a": a, "d_a": w, "d_y": r * w * math.cos(a), "d_x": -7.0}
    options = {"tolerance": 5e-11, "chatter_speed": 1e-6, "joint_gap": 1e-9, "law": "poisson"}
    draw = Draw({"m": m, "r": r, "g": g, "mu": mu, "mu_s": mu, "k": k, "e": 0.48}, start, 0.5, options)
    run = simulate(family, in_units(family, draw, scales))
    assert run.events.kind.tolist()[:2] == ["paradox", "impact"]

    def determinant(x: float) -> float:
        return 1 + 3 * math.cos(x) * (math.cos(x) - mu * math.sin(x))

    def rates(x: float, z: np.ndarray) -> list[float]:
        force = m * (g + k * r * math.sin(x) / m - r * math.sin(x) * z[0]) / determinant(x)
        return [6 / (m * r) * (mu * math.sin(x) - math.cos(x)) * force, 1 / math.sqrt(z[0])]

    end = brentq(determinant, a, 0.9)
    found = solve_ivp(rates, (a, end - 1e-9), [w**2, 0.0], method="LSODA", rtol=1e-10, atol=1e-12)
    assert run.events.t[0] / scales[1] == pytest.approx(found.y[1, -1], abs=1e-8)


def test_a_slide_that_turns_back_before_its_singular_point() -> None:
    """The determinant falls to a billionth and grows again, while the force turns the arm back within 70 ns.

    Integrated over the impulse P in place of the time, dt = -A dP/b, with SciPy's DOP853 at 1e-13: the slip stops at
    t = 0.3584883 with these velocities. The run opened the contact at 0.2992, with velocities of 1.4 rad/s, FINISHED.
    """
    family = next(family for family in FAMILIES if family.name == "jamming_arm")
    draw = family.sample(112500201)
    run = jounce.simulate(
        compiled(family), draw.start, draw.t_end, options=jounce.Options(**draw.options), **draw.parameters
    )
    assert run.events.kind.tolist() == ["reversal"]
    when = float(run.events.t.iloc[0])
    assert when == pytest.approx(0.3584883, abs=1e-6)
    state = run.at(when)
    assert [state["d_a"], state["d_b"]] == pytest.approx([-0.5675627, 0.4931401], abs=3e-6)
    assert run.audit("dense").empty


@pytest.mark.parametrize("scales", [(1.0, 1.0, 1.0), (1e-6, 1e3, 1e4)])
@pytest.mark.parametrize("seed", [112500201, 232500264])
def test_a_slide_that_turns_back_has_the_same_speed_at_the_same_place(seed: int, scales: tuple[float, ...]) -> None:
    """While it slides one way d(a'^2)/da is a function of a and a'^2: behind the turn it goes back on its own curve.

    The determinant of the second falls to 1e-105. Its speeds were off by 1e-5 behind the turn and the works, 1220 J, by
    8e-4 J, at any tolerance.
    """
    family = next(family for family in FAMILIES if family.name == "jamming_arm")
    draw = in_units(family, family.sample(seed), np.array(scales))
    options = jounce.Options(**{**draw.options, "tolerance": 1e-11})
    run = jounce.simulate(compiled(family), draw.start, draw.t_end, options=options, **draw.parameters)
    works = run.energy.friction_loss.to_numpy()
    turn = float(run.energy.time[np.argmax(np.diff(works))])
    for before in (1e-6, 1e-4, 1e-2):
        there = run.at(turn - before * scales[1])
        again = brentq(
            lambda t: run.at(t)["a"] - there["a"],  # noqa: B023
            turn + 1e-7 * scales[1], turn + 2 * before * scales[1], xtol=1e-18 * scales[1],
        )  # fmt: skip
        assert -run.at(again)["d_a"] == pytest.approx(there["d_a"], rel=5e-7)
    assert float(abs(run.energy.residual).max()) < 1e-7 * works[-1]
    assert run.audit("dense").empty
