"""The examples of impacts: a number of each is compared with a closed form or a second computation."""

from __future__ import annotations

from math import atan, exp, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.interpolate import PchipInterpolator

from tests.examples.gallery import Checks, G, Names, examples, try_example

CHECKS = Checks()
check = CHECKS.check


@pytest.mark.parametrize("path", examples("impacts"), ids=lambda path: path.stem)
def test_example(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try_example(path, CHECKS, tmp_path, monkeypatch)


def test_every_example_has_a_check() -> None:
    assert {path.stem for path in examples("impacts")} == set(CHECKS)


@check
def how_long_does_a_ball_bounce(names: Names) -> None:
    e = names["restitutions"]
    np.testing.assert_allclose(names["durations"], np.sqrt(2 / G) * (1 + e) / (1 - e), rtol=1e-11)


@check
def how_well_is_a_bounce_known(names: Names) -> None:
    runs = names["runs"]
    h, e = runs["y_start"].to_numpy(), runs["e"].to_numpy()
    assert set(runs["status"].values) == {"AT_REST"}
    np.testing.assert_allclose(runs["chatter_first"], np.sqrt(2 * h / G) * (1 + e) / (1 - e), rtol=1e-9)
    assert np.corrcoef(h, e)[0, 1] == pytest.approx(-0.4, abs=0.01)
    assert (h.mean(), h.std(), e.mean(), e.std()) == pytest.approx((1.0, 0.01, 0.75, 0.015), rel=0.01)


@check
def how_high_does_the_small_ball_jump(names: Names) -> None:
    t = names["jump"]["t"]
    fall, M, m = sqrt(2 * G), 0.6, 0.06  # both meet just above the floor
    lower, upper = 2 * fall - G * t, -G * t
    assert names["speed"] == pytest.approx((2 * M * lower + (m - M) * upper) / (M + m), rel=1e-9)
    assert names["speed"] == pytest.approx((3 * M - m) / (M + m) * fall, rel=1e-3)


@check
def newtons_cradle(names: Names) -> None:
    run = names["elastic"]
    last = run.events[run.events["contact"] == "pair4"].iloc[0]["t"]
    after = run.at(last)
    first = -run.events.iloc[0]["v_n_before"]
    assert list(run.events["contact"][:4]) == ["pair1", "pair2", "pair3", "pair4"]
    # each waits for a hair, in which the strings take 2e-6 of the speed
    assert after["d_x5"] == pytest.approx(first, rel=1e-5)
    assert first == pytest.approx(0.1 * sqrt(G / 0.25), rel=1e-5)


@check
def where_is_the_sweet_spot(names: Names) -> None:
    assert names["sweet_spot"] == pytest.approx(2 / 3 * 0.9, abs=1e-8)


@check
def hertz_contact_time(names: Names) -> None:
    # T = 2 d/v int_0^1 dx/sqrt(1 - x^(5/2)) with the largest indentation d = (5 m v^2/(4 K))^(2/5)
    m, K, v = names["mass"], float(names["K"]), names["speeds"]
    shape = 2 * quad(lambda s: 2 * s / sqrt(1 - (1 - s * s) ** 2.5), 0, 1)[0]
    exact = shape * (5 * m * v**2 / (4 * K)) ** 0.4 / v
    np.testing.assert_allclose(names["touches"], exact, rtol=1e-6)


@check
def which_impact_law(names: Names) -> None:
    assert names["laws_that_add"] == ["brach"]  # as its page says
    slow = names["table"][(names["table"]["law"] == "newton")]
    np.testing.assert_allclose(slow["v_n_after"], 0.6, rtol=1e-12)


@check
def fit_restitution(names: Names) -> None:
    # the same by a straight line: the logarithms of the intervals fall by ln(e)
    slope = np.polyfit(range(7), np.log(np.diff(names["clicks"])), 1)[0]
    assert names["restitution"] == pytest.approx(exp(slope), abs=3 * names["deviations"][0])
    assert names["fit"].cost < 7  # of six degrees of freedom


@check
def does_friction_throw_a_billiard_ball(names: Names) -> None:
    # slip lasts through the impact where 3 mu (1 + e) < tan of the angle of incidence: discs have A = 3 C
    cut = names["cuts"]
    incidence = np.tan(np.arcsin(cut))
    slides = incidence > 3 * 0.1 * 1.9
    throws = np.array(names["throws"])
    np.testing.assert_allclose(throws[slides], atan(0.1), rtol=1e-9)
    np.testing.assert_allclose(np.tan(throws[~slides]), incidence[~slides] / (3 * 1.9), rtol=1e-9)


@check
def does_a_superball_come_back(names: Names) -> None:
    run = names["run"]
    assert run.events[run.events.kind == "impact"].contact.tolist() == ["floor", "table", "floor"]
    assert run.final["d_x"] == pytest.approx(-3.0 * 333 / 343, rel=1e-12)
    assert run.final["x"] < 0


@check
def why_does_topspin_kick(names: Names) -> None:
    """A shell: its lowest point is moved by 1 + r^2 m/J = 5/2 of what the ball is. It grips, or slides all along."""
    held = 0.6 * 1.75 * names["runs"][0].events.v_n_before.abs().iloc[0]  # how much friction can change the speed
    slips = 29.0 + 0.033 * names["spins"]
    for grip, speeds in names["speeds"].items():
        change = (1 + grip) * slips / 2.5
        assert (np.abs(change) < held).any()
        assert (np.abs(change) > held).any()
        np.testing.assert_allclose(speeds, 29.0 - np.clip(change, -held, held), rtol=1e-9)
    assert all(run.audit().empty for run in names["runs"])


@check
def why_are_buffers_preloaded(names: Names) -> None:
    """E = (F_0 + F) d/2 with the way d that was asked for."""
    wanted = 2 * 22500.0 / (0.1 * (1 + names["shares"]))
    assert names["forces"] == pytest.approx(wanted, rel=1e-8)


@check
def what_do_balls_that_touch(names: Names) -> None:
    def rates(_: float, z: np.ndarray) -> np.ndarray:
        force = np.concatenate([[0.0], 1e7 * np.maximum(-np.diff(z[:5]), 0.0) ** 1.5, [0.0]])
        return np.concatenate([z[5:], -np.diff(force)])

    theirs = solve_ivp(rates, (0, 0.015), [0.0] * 5 + [1.0] + [0.0] * 4, "DOP853", rtol=1e-10, atol=1e-13).y[5:, -1]
    assert names["speeds"][5] == pytest.approx(theirs, abs=1e-6)


@check
def how_often_does_a_soft_ball_bounce(names: Names) -> None:
    """Each bounce by hand, down to where the gap is known no better."""
    speed = sqrt(2 * G)
    for row in names["tables"]["yields"].head(40).itertuples():
        assert -row.v_n_before == pytest.approx(speed, rel=1e-9)
        speed *= (1 + speed / 0.5) ** -0.25
        assert row.v_n_after == pytest.approx(speed, rel=1e-9)


@check
def how_does_a_cushion_save_an_egg(names: Names) -> None:
    """Against SciPy, with the curve as SciPy has it."""
    curve = PchipInterpolator(names["depths"], names["forces"], extrapolate=False)

    def motion(_t: float, z: np.ndarray) -> list[float]:
        depth, rate = max(-z[0], 0.0), -z[1]
        force = float(curve(min(depth, 0.04))) + 40 * depth * rate if depth > 0.0 else 0.0
        return [z[1], force / 0.06 - G]

    height = float(names["heights"][10])
    begin = [0.0, -sqrt(2 * G * height)]
    deepest = lambda _t, z: z[1]  # noqa: E731
    deepest.terminal, deepest.direction = True, 1
    found = solve_ivp(motion, (0.0, 1.0), begin, events=deepest, rtol=1e-11, atol=1e-13, max_step=1e-4)
    assert names["peaks"]["foam"][10] == pytest.approx(-found.y[0, -1], rel=1e-6)


@check
def how_does_a_blow_run_through_twenty_balls(names: Names) -> None:
    """Pendulums by SciPy: a ball swings until it is two radii from the next one, which hangs at rest."""
    length, radius, pitch = names["length"], names["radius"], names["pitch"]
    inertia = 0.04 * radius**2 + 0.1 * length**2  # about the pin

    def near(_: float, z: np.ndarray) -> float:
        across = pitch - length * np.sin(z[0])
        return float(np.hypot(across, length * (np.cos(z[0]) - 1)) - 2 * radius)

    near.terminal = True  # type: ignore[attr-defined]
    for run, e in ((names["elastic"], 1.0), (names["lossy"], 0.95)):
        t, z, times = 0.0, [names["aside"], 0.0], []
        for _ in range(19):
            swing = solve_ivp(
                lambda _, z: [z[1], -0.1 * G * length / inertia * np.sin(z[0])],
                (t, t + 1.0), z, "DOP853", rtol=1e-12, atol=1e-14, events=near,
            )  # fmt: skip
            t, (angle, rate) = swing.t[-1], swing.y[:, -1]
            times.append(t)
            n = np.array([pitch - length * np.sin(angle), length * (np.cos(angle) - 1)]) / (2 * radius)
            arms = length * np.array([n @ [np.cos(angle), np.sin(angle)], n @ [1.0, 0.0]])
            z = [0.0, arms[1] * (1 + e) * arms[0] * rate / (arms @ arms)]  # equal inertias
        hits = run.events[run.events.kind == "impact"].drop_duplicates("contact")
        assert hits.contact.tolist() == [f"c{k}" for k in range(19)]
        assert hits.t.to_numpy() == pytest.approx(times, abs=1e-9)
        assert run.audit().empty
