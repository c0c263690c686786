"""Every example of the gallery runs, and a number of it is compared with a closed form or a second computation."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from math import acos, atan, cos, exp, log, pi, sin, sqrt
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from scipy.integrate import quad, solve_ivp
from scipy.interpolate import PchipInterpolator
from scipy.linalg import expm
from scipy.optimize import brentq

import jounce
from tests.references.dominoes import Row

matplotlib.use("Agg")
EXAMPLES = Path(__file__).parents[2] / "examples"
G = 9.81

Names = dict[str, Any]
CHECKS: dict[str, Callable[[Names], None]] = {}


def check(function: Callable[[Names], None]) -> Callable[[Names], None]:
    """Register the check of the example of the same name."""
    CHECKS[function.__name__] = function
    return function


def gallery() -> list[Path]:
    return sorted(path for path in EXAMPLES.glob("*/*.py"))


def test_every_example_has_a_check() -> None:
    assert {path.stem for path in gallery()} == set(CHECKS)
    assert len(CHECKS) >= 20


@pytest.mark.parametrize("path", gallery(), ids=lambda path: path.stem)
def test_example(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    assert 10 <= len(lines) <= 40
    # in a page |F| would be a substitution of reStructuredText
    assert not re.search(r"\|\w+\|", path.read_text(encoding="utf-8").split('"""')[1])
    monkeypatch.chdir(tmp_path)
    # films are drawn when the site is built; tests/plot has their own tests
    monkeypatch.setattr(jounce.plot, "animate", lambda *_, **__: None, raising=False)
    names = runpy.run_path(str(path))
    plt.close("all")
    assert isinstance(names["figure"], Figure)
    runs = [value for value in names.values() if isinstance(value, jounce.Trajectory)]
    assert all(run.status.ok for run in runs)
    CHECKS[path.stem](names)


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
    assert names["paradox"]["t"] == 0.0


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
def rimless_wheel(names: Names) -> None:
    alpha, inertia = pi / 8, 0.1
    kept = (inertia + cos(2 * alpha)) / (inertia + 1)
    steady = sqrt(4 * G * sin(alpha) * sin(0.1) / ((inertia + 1) * (1 - kept**2)))
    assert names["speed"] == pytest.approx(steady, rel=1e-5)


@check
def does_a_chain_fall_faster_than_a_stone(names: Names) -> None:
    """The chain of links is near the continuous one, ahead of the stone, and keeps its energy."""
    for drop in (0.2, 0.5, 0.7):
        time = np.interp(drop, names["drops"], names["times"])
        assert time == pytest.approx(np.interp(drop, names["falls"], names["law"]), rel=5e-3)
        assert time < sqrt(2 * drop / G)
    assert np.abs(names["run"].energy["residual"]).max() < 1e-8


@check
def domino_row(names: Names) -> None:
    h, w, d = 0.048, 0.0075, 0.025
    inertia = (h * h + w * w) / 3

    def rate(a: float) -> float:
        return sqrt(64.0 + 2 * G / inertia * (h / 2 * (1 - cos(a)) - w / 2 * sin(a)))

    first = quad(lambda a: 1 / rate(a), 0, np.arcsin((d - w) / h))[0]
    assert names["hits"][0] == pytest.approx(first, rel=1e-9)
    assert np.abs(names["run"].energy["residual"]).max() < 1e-10


@check
def gear_rattle(names: Names) -> None:
    losses, amplitudes = np.array(names["losses"]), names["amplitudes"]
    assert (losses[amplitudes < names["threshold"]] == 0).all()
    assert (losses[amplitudes > names["threshold"]] > 0).all()
    flight = names["run"].events[names["run"].events["kind"] == "lift_off"].iloc[0]
    assert sin(600.0 * flight["t"]) == pytest.approx(0.5 / (1e-3 * amplitudes[-1] * 600.0**2), rel=1e-7)


@check
def impact_damper(names: Names) -> None:
    # the first seconds by SciPy, restarted at every impact
    def motion(t: float, z: np.ndarray) -> list[float]:
        acceleration = np.cos(10 * t) - 0.4 * z[2] - 100 * z[0]  # of the structure; the ball flies
        return [z[2], z[3], acceleration, -acceleration]

    def wall(sign: int) -> Callable[[float, np.ndarray], float]:
        def gap(t: float, z: np.ndarray) -> float:
            return 0.075 - sign * z[1]

        gap.terminal, gap.direction = True, -1  # type: ignore[attr-defined]
        return gap

    t, z, impacts = 0.0, np.zeros(4), []
    while t < 3.0:
        flight = solve_ivp(
            motion, (t, 3.0), z, method="DOP853", rtol=1e-12, atol=1e-14, events=[wall(1), wall(-1)], max_step=0.02
        )
        t, z = flight.t[-1], flight.y[:, -1].copy()
        if flight.status == 1:
            impacts.append(t)
            p = 1.7 * z[3] * (0.1 * 1.0 / 1.1)
            z[2], z[3] = z[2] + p / 1.0, z[3] - p / 1.0 - p / 0.1
    ours = names["run"].events["t"]
    np.testing.assert_allclose(ours[ours < 3.0], impacts, atol=1e-8)
    assert names["amplitude"] < 0.3 * names["without"]


@check
def valve_float(names: Names) -> None:
    exact = sqrt((200.0 * (0.04 + 0.05) + G) / 0.02)
    assert names["floats_at"] - 0.5 < exact <= names["floats_at"]


@check
def rocking_column(names: Names) -> None:
    np.testing.assert_allclose(names["ratios"], 1 - 1.5 * 0.1**2 / (0.1**2 + 0.4**2), rtol=1e-8)


@check
def woodpecker_toy(names: Names) -> None:
    # what it loses in height is what impacts and friction took in the same time
    run, (before, after) = names["run"], names["pecks"][-2:]
    ledger = run.energy.sel(jump=run.energy.jump) if "jump" in run.energy.dims else run.energy
    spent = (ledger.impact_loss + ledger.friction_loss).values
    times = ledger.time.values
    lost = np.interp(after + 1e-9, times, spent) - np.interp(before + 1e-9, times, spent)
    assert lost == pytest.approx((0.0003 + 0.0045) * G * names["step"], rel=0.02)
    assert 0.1 < names["period"] < 0.2


@check
def motor_of_a_pump(names: Names) -> None:
    # the mean power of the motor is that of the liquid, c v^2; the piston's speed by hand
    phi = np.linspace(0, 2 * pi, 20001)
    r, length, omega = 0.05, 0.2, 30.0
    v = -omega * r * np.sin(phi) * (1 + r * np.cos(phi) / np.sqrt(length**2 - (r * np.sin(phi)) ** 2))
    assert names["mean_power"] == pytest.approx(40.0 * np.mean(v[:-1] ** 2), rel=1e-6)


@check
def monte_carlo_of_a_latch(names: Names) -> None:
    at_stop = names["speeds"] ** 2 + 2 * 4.0 * 0.01 / 0.05
    caught = names["restitutions"] ** 2 * at_stop < 2 * 4.0 * 0.01 / 0.05
    assert names["caught"] == caught.tolist()
    assert 0 < names["failures"] < 500


@check
def when_does_the_ball_bounce_in_pairs(names: Names) -> None:
    # one bounce a period loses its stability where A w^2 sin(phase) = 2 (1 + e^2) g/(1 + e)^2
    e = 0.9
    w = ((pi * (1 - e) / (1 + e)) ** 2 + (2 * (1 + e * e) / (1 + e) ** 2) ** 2) ** 0.25 * sqrt(G)
    assert names["doubling"].parameter == pytest.approx(w, rel=1e-9)


@check
def what_happens_when_a_machine_just_touches(names: Names) -> None:
    w, c = 0.8, 0.1
    assert names["grazing"] == pytest.approx(sqrt((1 - w * w) ** 2 + (c * w) ** 2), rel=1e-9)


@check
def which_starts_lead_where(names: Names) -> None:
    atlas = names["atlas"]
    single = atlas.attractors[(atlas.attractors["kind"] == "periodic") & (atlas.attractors["period"] == 1)].index[0]
    point = atlas.points[single].iloc[0]
    # flown back to its impact, the ball leaves with g T/(1 + e) against the table's speed
    T, e, w = 2 * pi / 3, 0.9, 3.0
    table = G * T * (1 - e) / (2 * (1 + e))  # speed of the table at the impact
    phase = np.arccos(table / w)  # the stable one throws the ball while it slows down
    start, v = sin(phase), table + e * G * T / (1 + e)
    flight = T - phase / w
    assert point["y"] == pytest.approx(start + v * flight - G * flight**2 / 2, abs=1e-6)


@check
def how_chaotic_is_a_ball(names: Names) -> None:
    spectrum = names["spectrum"]
    assert float(sum(spectrum.exponents)) == pytest.approx(2 * log(0.8) * spectrum.impacts / 1000.0, rel=1e-9)
    assert names["largest"] > 0


@check
def does_a_diagram_depend_on_the_way(names: Names) -> None:
    spacing = 2.0 / 80
    assert 0 <= sqrt(G) - names["rests"] < spacing  # A w^2 = g
    fold = sqrt(pi * G * (1 - 0.8) / (1 + 0.8))
    assert 0 <= names["bounces"] - fold < spacing


@check
def ball_downstairs(names: Names) -> None:
    # flights and bounces by hand: the ball lands on the first tread under it, and here on no corner
    t, x, y, vy, found = 0.0, 0.05, 0.5, 0.0, []
    while True:
        landings = []
        for k in range(5):
            fall = (vy + sqrt(vy * vy + 2 * G * (y + 0.17 * k - 0.03))) / G if y + 0.17 * k >= 0.03 else np.inf
            if 0.3 * k <= x + fall and (k == 4 or x + fall <= 0.3 * (k + 1)) and fall > 1e-9:
                landings.append((fall, k))
        fall, k = min(landings)
        if t + fall > 1.6:
            break
        t, x, y, vy = t + fall, x + fall, 0.03 - 0.17 * k, 0.8 * (G * fall - vy)
        found.append((f"step{k}", t))
    assert names["sequence"] == [step for step, _ in found]
    np.testing.assert_allclose(names["hits"]["t"], [time for _, time in found], rtol=1e-9)


@check
def how_does_a_clock_keep_ticking(names: Names) -> None:
    """v^2 behind a tick: q^2 v^2 + 2E, from the first passage of the free swing on."""
    delta, energy = 2e-3, 2e-5
    q = exp(-delta * names["half_swing"])
    run = names["run"]
    assert names["count"] == 10_000 == run.final["ticks"]
    assert run.final["pallet"] == 1
    lasting = 2 * energy / (1 - q**2)
    assert abs(names["speeds"][-1]) ** 2 == pytest.approx(lasting, rel=1e-5)
    # every tick gives E, and damping has taken all of it but what the swing holds now
    assert float(run.energy["reset_work"][-1]) == pytest.approx(10_000 * energy, rel=1e-10)
    assert np.abs(run.energy["residual"]).max() < 1e-9
    first = names["speeds"][0] ** 2
    closed = lasting + (first - lasting) * q ** (2 * np.arange(1500))
    np.testing.assert_allclose(names["speeds"] ** 2, closed, rtol=1e-8)


@check
def when_does_a_soft_ball_bounce_in_pairs(names: Names) -> None:
    """The hard ball's doubling is the limit, approached with the time in contact, which goes with the root of 1/k."""
    late = names["hard"] - np.array(names["doublings"])
    assert (late > 0.0).all()
    assert late[-1] < 1e-3
    np.testing.assert_allclose(late[:-1] / late[1:], sqrt(10.0), rtol=0.05)


@check
def when_does_a_walker_limp(names: Names) -> None:
    """Garcia et al. (1998): the gait at slope 0.009 to 15 digits, and a doubling near 0.015."""
    slopes, angles = names["slopes"], names["angles"]
    np.testing.assert_allclose(angles[0], 0.200310900544287, atol=1e-8)
    spread = np.array([np.ptp(row) for row in angles])
    assert (spread[slopes < 0.0149] < 1e-6).all()
    assert (spread[slopes > 0.0152] > 1e-3).all()
    two = angles[int(np.argmin(np.abs(slopes - 0.016)))]
    assert np.ptp(two[::2]) < 1e-6 < 1e-3 < abs(two[0] - two[1])


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
def what_does_friction_cost_an_engine(names: Names) -> None:
    """Over a turn the motor gives what the joints rub away; without friction nothing."""
    for value, run in names["runs"].items():
        times = np.linspace(0.0, names["turn"], 20001)
        torque = run.joint_forces(times[1:-1])["motor.angle"].to_numpy()
        work = 50.0 * torque.sum() * (times[1] - times[0])
        assert work == pytest.approx(float(run.energy.friction_loss[-1]), abs=2e-4)
        assert (work > 0.05) == (value > 0)


@check
def when_does_a_belt_slip(names: Names) -> None:
    """It slips at first where more would have to reach the flywheel than the belt carries, and grips in the end."""
    for torque, run in names["runs"].items():
        share = 0.15 / 0.15**2 / (0.002 / 0.05**2 + 0.15 / 0.15**2)  # of the force at the motor's rim
        slips = torque / 0.05 * share > names["carried"]
        assert (str(run.at(0.01).mode_names[0]) != "STICK") == slips
        assert str(run.final.mode_names[0]) == "STICK"
    slipping = names["runs"][8.0]
    grips = float(slipping.events.t.iloc[0])
    assert slipping.at(grips)["d_b"] == pytest.approx(0.15 * names["carried"] / 0.15 * grips, rel=1e-9)


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
def does_a_relay_balance_a_broom(names: Names) -> None:
    for angle, run in names["runs"].items():
        caught = angle < np.arcsin(0.5)
        assert (abs(run.final["theta"]) < 0.1) == caught
        if caught:  # on its line the broom rises as e^-t
            met = run.at(float(run.events.t.iloc[-1]))
            assert run.final["theta"] == pytest.approx(met["theta"] * exp(met.t - 8.0), abs=1e-10)


@check
def how_hard_does_a_rope_catch(names: Names) -> None:
    np.testing.assert_allclose(names["hardest"], names["textbook"], rtol=1e-9)
    assert names["swing"].audit().empty


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
def where_does_a_rubbing_pendulum_stop(names: Names) -> None:
    """The turning points of an ideal pin without play, with the torque of the friction circle under the force |F|."""
    m, J, L, arm = 1.0, 0.02, 0.5, names["circle"] * 0.5

    def acceleration(angle: float, rate: float, way: float) -> float:
        found = 0.0
        for _ in range(30):  # the force depends on the acceleration, weakly
            a_x = L * (found * cos(angle) - rate**2 * sin(angle))
            a_y = L * (found * sin(angle) + rate**2 * cos(angle))
            force = m * sqrt(a_x**2 + (a_y + G) ** 2)
            found = (-m * G * L * sin(angle) - way * arm * force) / (J + m * L**2)
        return found

    angle, turning = 0.4, []
    while abs(m * G * L * sin(angle)) > arm * m * G:
        way = -np.sign(angle)

        def turns(t: float, z: np.ndarray, way: float = way) -> float:
            return float(way * z[1]) if t > 0.1 else 1.0

        turns.terminal = True  # type: ignore[attr-defined]
        swing = solve_ivp(
            lambda t, z, way=way: [z[1], acceleration(z[0], z[1], way)], (0, 2), [angle, 0.0], events=turns, rtol=1e-9
        )
        angle = swing.y[0, -1]
        turning.append(angle)
    run, found = names["run"], names["angles"]
    peaks = found[1:-1][(np.diff(found)[:-1] * np.diff(found)[1:] < 0) & (np.abs(found[1:-1]) > 0.02)]
    np.testing.assert_allclose(peaks[:15], turning[:15], atol=4e-3)  # the play lets the journal roll a little
    assert 0.0 < run.final["bob_theta"] < names["circle"]
    assert run.audit().empty


@check
def how_high_does_a_hopper_hop(names: Names) -> None:
    height = 0.2
    for found in names["heights"]:
        height = 0.36 * height + 150 * 0.1 / (2 * G)
        assert found == pytest.approx(height, rel=1e-10)
    assert height == pytest.approx(names["limit"], rel=1e-4)
    assert names["run"].audit().empty


@check
def how_late_may_a_controller_be(names: Names) -> None:
    """From sample to sample (x, x', F) is multiplied by a matrix: the delay at which its largest eigenvalue is 1."""
    every, gains = 0.3, np.array([6.0, 4.0])
    flow = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])

    def radius(delay: float) -> float:
        before, after = expm(flow * delay)[:2], expm(flow * (every - delay))[:2]
        step = np.zeros((3, 3))
        step[:2, :2] = after[:, :2] @ before[:, :2] - np.outer(after[:, 2], gains)
        step[:2, 2] = after[:, :2] @ before[:, 2]
        step[2, :2] = -gains
        return float(np.abs(np.linalg.eigvals(step)).max())

    assert names["latest"] == pytest.approx(brentq(lambda delay: radius(delay) - 1.0, 0.1, 0.25), abs=1e-3)
    assert names["growth"] == pytest.approx([radius(delay) for delay in names["delays"]], abs=5e-3)


@check
def how_does_a_leg_keep_its_height(names: Names) -> None:
    run, looks, heights = names["run"], names["looks"], names["heights"]
    assert heights[-1] == pytest.approx(0.95, abs=2e-4)
    assert heights[int(np.sum(looks["t"] < 10.0)) - 1] == pytest.approx(0.8, abs=2e-4)
    assert float(abs(run.energy["residual"]).max() / run.energy["potential"].max()) < 1e-8
    # the last hop by hand: both fall, the foot stays, the leg grows at the lowest point, lifts off, rises
    last = run.at(looks["t"].iloc[-2])
    length, t, z = 0.5, last.t, np.array([last["y"], last["s"], 0.0, last["d_s"]])
    for standing, event in ((False, "foot"), (True, "lowest"), (True, "lifts"), (False, "highest")):

        def motion(_: float, z: Any, standing: bool = standing, length: float = length) -> list[float]:
            pull = 4e3 * (z[0] - z[1] - length) + 20.0 * (z[2] - z[3])
            return [z[2], 0.0 if standing else z[3], -pull / 5.0 - G, 0.0 if standing else pull / 0.2 - G]

        def ends(_: float, z: Any, event: str = event, length: float = length) -> float:
            pull = 4e3 * (z[0] - z[1] - length) + 20.0 * (z[2] - z[3])
            return {"foot": z[1], "lowest": -z[2], "lifts": 0.2 * G - pull, "highest": z[2]}[event]

        ends.terminal, ends.direction = True, -1  # type: ignore[attr-defined]
        found = solve_ivp(motion, (t, t + 2.0), z, events=ends, rtol=1e-11, atol=1e-13, max_step=0.01)
        t, z = float(found.t[-1]), found.y[:, -1]
        if event == "foot":
            z[1] = z[3] = 0.0
        length = 0.5 + last["thrust"] if event == "lowest" else length
    assert (t, z[0]) == pytest.approx((float(looks["t"].iloc[-1]), heights[-1]), abs=1e-7)


@check
def box_downstairs(names: Names) -> None:
    run, hits = names["run"], names["hits"]
    first = hits.iloc[0]
    corner = names["corners"][int(first["contact"].rsplit("_", 1)[1]) - 1]

    def height(t: float) -> float:
        """Of the corner that hits, above the tread that it hits, in free flight."""
        angle = -3.0 * t
        tread = -names["rise"] * int(re.findall(r"\d+", first["contact"])[0])
        return 0.25 - G * t**2 / 2 + sin(angle) * corner[0] + cos(angle) * corner[1] - tread

    assert first["contact"].startswith("step")
    assert brentq(height, 0.1, 0.4) == pytest.approx(first["t"], abs=1e-9)
    assert run.status.name == "AT_REST"
    assert run.final["box_y"] == pytest.approx(-12 * names["rise"] + names["b"], abs=1e-9)  # flat on the floor
    assert abs(sin(run.final["box_theta"])) < 1e-9
    assert float(abs(run.energy["residual"]).max()) < 1e-8


@check
def how_does_a_bump_stop_change_the_rhythm(names: Names) -> None:
    """Above -d the soft spring; below, both about x_c = -k_2 d/(k_1 + k_2), from -d back to it."""
    soft, hard, d = names["soft"], names["hard"], 0.05
    for A, period in zip(names["amplitudes"], names["periods"], strict=True):
        if d >= A:
            assert period == pytest.approx(2 * pi / soft, rel=1e-9)
            continue
        v = soft * sqrt(A**2 - d**2)
        phase = np.arctan2(-d * (soft / hard) ** 2, -v / hard)
        below = (-pi - 2 * phase) / hard
        assert period == pytest.approx((pi + 2 * np.arcsin(d / A)) / soft + below, rel=1e-8)


@check
def why_are_buffers_preloaded(names: Names) -> None:
    """E = (F_0 + F) d/2 with the way d that was asked for."""
    wanted = 2 * 22500.0 / (0.1 * (1 + names["shares"]))
    assert names["forces"] == pytest.approx(wanted, rel=1e-8)


@check
def how_fast_over_the_top(names: Names) -> None:
    """2 sqrt(g L) on a rod, sqrt(5 g L) on a rope: the first of the speeds above."""
    speeds = names["speeds"]
    assert names["tops"]["rod"] == speeds[speeds > 2 * sqrt(G)][0]
    assert names["tops"]["rope"] == speeds[speeds > sqrt(5 * G)][0]


@check
def how_fast_do_thirty_dominoes_fall(names: Names) -> None:
    for mu, hits in names["hits"].items():
        theirs = Row(h=0.05, w=0.01, d=0.02, mu=mu).times(len(hits) + 1, 8.0)
        assert hits == pytest.approx(theirs, abs=1e-7)
    assert [len(hits) for hits in names["hits"].values()] == [29, 29]


@check
def how_does_a_gear_train_take_up_its_play(names: Names) -> None:
    """Flanks act on one another: sum J_k n_k w_k = T t, at the end with one speed n_k w."""
    run, ratios = names["run"], names["ratios"]
    for t in (0.003, 0.01):
        assert np.array(names["inertias"]) * ratios @ run.at(t).u == pytest.approx(0.5 * t, rel=1e-10)
    assert run.final.u == pytest.approx(0.5 * names["acceleration"] * ratios, rel=1e-9)


@check
def what_do_balls_that_touch(names: Names) -> None:
    def rates(_: float, z: np.ndarray) -> np.ndarray:
        force = np.concatenate([[0.0], 1e7 * np.maximum(-np.diff(z[:5]), 0.0) ** 1.5, [0.0]])
        return np.concatenate([z[5:], -np.diff(force)])

    theirs = solve_ivp(rates, (0, 0.015), [0.0] * 5 + [1.0] + [0.0] * 4, "DOP853", rtol=1e-10, atol=1e-13).y[5:, -1]
    assert names["speeds"][5] == pytest.approx(theirs, abs=1e-6)


@check
def how_does_a_chain_hang(names: Names) -> None:
    assert names["rest"].status.name == "AT_REST"
    assert names["across"] == pytest.approx(np.full(60, -names["pull"]), rel=1e-9)
    assert names["down"] == pytest.approx((30 - np.arange(60)) * 0.1 * G, abs=1e-9)


@check
def how_does_an_escapement_count(names: Names) -> None:
    """One tooth a period: entry and exit in turn, 7.5 teeth apart; the weight's work is torque by angle."""
    run, ticks = names["run"], names["ticks"]
    assert ticks.contact.tolist()[:8] == [
        f"{pallet}{k}" for n in range(4) for pallet, k in (("entry", 11 + n), ("exit", 4 + n))
    ]
    assert len(ticks) == 13
    begin, end = (run.at(float(ticks.t.iloc[k])) for k in (4, 12))
    assert np.degrees(begin["wheel_theta"] - end["wheel_theta"]) == pytest.approx(4 * 12, abs=1.0)
    alone = pi * sqrt((1e-4 + 0.2 * 0.25**2) / (0.2 * G * 0.25))  # half a swing of the pendulum without the wheel
    assert (np.diff(ticks.t)[2:] < alone).all()
    swings = np.linspace(0.0, 6.0, 6001)
    drag = 2e-4 * np.trapezoid(run.states(swings)[:, 11] ** 2, swings)
    work = -1.5e-3 * run.final["wheel_theta"] - drag
    assert float(run.energy.applied_work[-1]) == pytest.approx(work, rel=1e-4)
    assert run.audit().empty


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
def when_does_a_cam_lose_its_follower(names: Names) -> None:
    """The table has the limit of the cosine that it is made of, to the square of its spacing."""
    valve, limit = names["valve"], names["limit"]
    for part, jumps in ((0.995, False), (1.005, True)):
        run = jounce.simulate(valve, {"y": 0.0}, t_end=6 * np.pi / limit, w=part * limit)
        assert bool((run.events.kind == "lift_off").any()) is jumps


@check
def what_does_an_observer_know(names: Names) -> None:
    """The whole loop as a map from sample to sample, by the same matrix exponential."""
    step, gain = names["step"], np.array([0.3, 2.0])
    state, guess, force = np.array([1.0, 0.0]), np.zeros(2), 0.0
    for k in range(400):
        if k == 200:
            state[1] += 1.0
        guess = step @ [*guess, force]
        guess = guess + gain * (state[0] - guess[0])
        force = -3.0 * guess[1]
        state = step @ [*state, force]
    assert names["run"].final["x"] == pytest.approx(state[0], abs=1e-9)
    assert names["run"].events.reset.dropna().tolist() == ["kick"]
