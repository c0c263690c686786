"""The examples of friction: a number of each is compared with a closed form or a second computation."""

from __future__ import annotations

from math import acos, atan, cos, log, pi, sin, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import brentq

import jounce
from tests.examples.gallery import Checks, G, Names, examples, try_example

CHECKS = Checks()
check = CHECKS.check


@pytest.mark.parametrize("path", examples("friction"), ids=lambda path: path.stem)
def test_example(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try_example(path, CHECKS, tmp_path, monkeypatch)


def test_every_example_has_a_check() -> None:
    assert {path.stem for path in examples("friction")} == set(CHECKS)


@check
def when_does_a_ball_roll(names: Names) -> None:
    assert names["rolls"] == pytest.approx(6.0 / (3 * 0.1 * G), rel=1e-10)
    assert names["run"].final["d_x"] == pytest.approx(4.0, rel=1e-10)


@check
def why_does_a_bow_make_a_string_sing(names: Names) -> None:
    omega, v = sqrt(10.0), 0.2
    reach = (0.4 - 0.3) * G / 10.0  # of the spring beyond its mean, where static friction gives way
    slip = (pi + 2 * np.arctan2(v / omega, reach)) / omega
    assert names["period"] == pytest.approx(2 * reach / v + slip, rel=1e-9)


@check
def why_does_a_brake_squeal(names: Names) -> None:
    """Steady rubbing is unstable where c + mu'(v) < 0; the pad then reaches the speed of the disc."""
    assert names["hopf"] == pytest.approx(-0.4 * log(0.08 * 0.4 / 0.3), abs=1e-8)
    assert max(state["d_x"] for state in names["states"]) == pytest.approx(names["speeds"][3], abs=1e-9)
    assert names["stroke"][-1] < 1e-2 < 0.5 < names["stroke"][0]


@check
def when_does_a_ladder_leave_the_wall(names: Names) -> None:
    assert names["angle"] == pytest.approx(acos(2 / 3 * cos(0.3)), abs=1e-8)


@check
def does_a_box_slide_or_tip(names: Names) -> None:
    b, h, mu = 0.2, 0.5, 0.5
    exact = h + (b / mu - h) / 1.01  # moments about the centre while it slides on its front foot
    assert names["outcome"] == [height > exact for height in names["heights"]]
    assert names["boundary"] == pytest.approx(exact, abs=0.025)


@check
def why_does_chalk_hop(names: Names) -> None:
    assert names["least"].mu == pytest.approx(4 / 3, rel=1e-9)
    assert names["least"].state["theta"] == pytest.approx(atan(2.0), rel=1e-6)
    assert "paradox" not in set(names["smooth"].events["kind"])
    assert (names["paradox"]["kind"], names["paradox"]["t"]) == ("paradox", 0.0)
    # the hop is free flight: the tip comes back where y + v t - g t^2/2 = sin(theta + omega t)
    left = names["jammed"].at(0.0)

    def height(t: float) -> float:
        return left["y"] + left["d_y"] * t - G * t * t / 2 - sin(left["theta"] + left["d_theta"] * t)

    assert names["landed"]["t"] == pytest.approx(brentq(height, 0.05, 0.5, xtol=1e-15), abs=1e-10)


@check
def how_fast_does_a_feeder_convey(names: Names) -> None:
    # the part never leaves the track: u' = -mu (g - A w^2 sin(w t)) sign(u - B w cos(w t)), by small steps
    A, B, w, mu = names["lifts"][4], 2e-3, 2 * pi * 20, 0.3
    h, x, u, before = 5e-6, 0.0, 0.0, 0.0
    for k in range(200_000):
        t = (k + 0.5) * h
        track, press = B * w * cos(w * t), mu * (G - A * w * w * sin(w * t)) * h
        u += min(max(track - u, -press), press)
        x += h * u
        before = x if k == 189_999 else before  # a period earlier
    assert abs(names["speeds"][0]) < 1e-4  # without lift nothing is conveyed, once the start has died away
    assert names["speeds"][4] == pytest.approx((x - before) / 0.05, rel=3e-3)  # steps of 5e-7 s: 0.0329317


@check
def how_does_a_capsule_crawl(names: Names) -> None:
    # the same motion by Moreau's time stepping with small steps
    h, w = 2e-5, 5.5
    x = s = u = v = 0.0
    period, places = 2 * pi / w, []
    steps = round(period / h)
    h = period / steps
    for k in range(8 * steps):
        force = 3.0 * cos(w * (k + 0.5) * h) - v - 40.0 * s
        push, drag = -force * h, 0.3 * 2 * G * h
        # capsule and mass: M u' = -force + friction, m (u' + v') = force
        free = u + push
        change = min(max(-free, -drag), drag)
        kick = free + change - u
        v += force * h - kick
        u += kick
        if s + h * v > 0.05 and v > 0:
            p = (1 + 0.3) * v / 2  # equal masses
            u, v = u + p, v - 2 * p
        s, x = s + h * v, x + h * u
        if (k + 1) % steps == 0:
            places.append(x)
    assert names["step"] == pytest.approx(places[-1] - places[-2], rel=5e-3)


@check
def when_does_a_pulled_block_jerk(names: Names) -> None:
    """At the border the linearised equations have a pair of eigenvalues on the imaginary axis."""
    N, a, b, L, v, k = 10.0, 0.010, 0.015, 0.01, 0.01, names["border"]
    jacobian = np.array([[0, 1, 0], [-k, -N * a / v, -N * b], [0, -1 / L, -v / L]])
    values = np.linalg.eigvals(jacobian)
    assert np.sort(values.real)[1:] == pytest.approx([0.0, 0.0], abs=1e-12)
    t = np.linspace(100, 150, 2000)
    late = {part: np.ptp([z["d_x"] for z in run.at(t)]) for part, run in names["runs"].items()}
    assert late[1.3] < 1e-5 < 0.01 < late[0.7]


@check
def how_far_does_a_wheel_roll(names: Names) -> None:
    """It rolls from 2/3 of its speed on, slowed by (arm cos/R - sin) g/1.5."""
    for angle, run in names["runs"].items():
        rolls = run.events[(run.events.contact == "floor") & (run.events.kind == "stick")].iloc[0]
        slowed = 9.81 * (0.02 * cos(angle) - sin(angle)) / 1.5
        assert run.at(rolls.t + 0.5)["d_x"] == pytest.approx(run.at(rolls.t)["d_x"] - 0.5 * slowed, rel=1e-9)
        stop = rolls.t + run.at(rolls.t)["d_x"] / slowed
        assert (run.status.name == "AT_REST") == (stop < 25.0)


@check
def when_does_a_drawer_jam(names: Names) -> None:
    for friction, speeds in names["speeds"].items():
        exact = 10.0 / 2.0 * 0.2 * np.maximum(0.0, 1 - 2 * friction * names["knobs"] / 0.3)
        np.testing.assert_allclose(speeds, exact, atol=1e-9)
    assert names["strong"].final["d_box_x"] == 0.0


@check
def how_long_does_a_block_stick(names: Names) -> None:
    """The published period, and the multiplier that the stick phase takes away."""
    assert names["orbit"].period == pytest.approx(12.0010313, abs=5e-8)
    assert np.abs(names["orbit"].nontrivial).max() < 1e-9
    assert names["branch"]["period"].is_monotonic_decreasing or names["branch"]["period"].is_monotonic_increasing


@check
def how_far_does_a_body_give(names: Names) -> None:
    """Dahl's loops end at F_c tanh(sigma A/F_c); elastoplastic bristles below their breakaway are a plain spring."""
    run = names["run"]  # the last one, 0.3 mm
    turn = run.at(2 * pi / 0.1 * 2.25)
    assert turn["x"] == pytest.approx(0.3, abs=1e-8)
    assert turn["a"] == pytest.approx(np.tanh(10.0 * 0.3), abs=1e-6)
    small = jounce.simulate(names["system"], {"d_x": 0.002}, t_end=189.0, A=0.02)
    for state in small.at([50.0, 100.0, 150.0]):
        assert state["c"] == pytest.approx(state["x"], abs=1e-9)
