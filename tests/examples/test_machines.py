"""The examples of machines: a number of each is compared with a closed form or a second computation."""

from __future__ import annotations

import re
from collections.abc import Callable
from math import cos, exp, pi, sin, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq

import jounce
from tests.examples.gallery import Checks, G, Names, examples, try_example
from tests.references.dominoes import Row

CHECKS = Checks()
check = CHECKS.check


@pytest.mark.parametrize("path", examples("machines"), ids=lambda path: path.stem)
def test_example(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try_example(path, CHECKS, tmp_path, monkeypatch)


def test_every_example_has_a_check() -> None:
    assert {path.stem for path in examples("machines")} == set(CHECKS)


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
def how_does_an_egg_rock(names: Names) -> None:
    """At rest the centre of mass is above the place that touches: small swings have the period of a rolling body."""

    def place(s: float) -> tuple[float, float]:
        return 0.03 * cos(s) - names["middle"], 0.022 * sin(s) * (1 + 0.15 * cos(s))

    def slope(s: float) -> tuple[float, float]:
        return -0.03 * sin(s), 0.022 * (cos(s) + 0.15 * cos(2 * s))

    lowest = brentq(lambda s: np.dot(place(s), slope(s)), -2.0, -1.2)
    height, bend = np.hypot(*place(lowest)), (-0.03 * cos(lowest), -0.022 * (sin(lowest) + 0.3 * sin(2 * lowest)))
    radius = np.hypot(*slope(lowest)) ** 3 / (slope(lowest)[0] * bend[1] - slope(lowest)[1] * bend[0])
    assert names["swings"][0] < 0.005
    small = 2 * pi * sqrt((names["inertia"] + height**2) / (G * (radius - height)))
    assert names["periods"][0] == pytest.approx(small, rel=2e-4)
    assert (np.diff(names["periods"]) > 0).all()


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
    corner = names["corners"][int(first["contact"].rsplit("_", 1)[1]) - 1]  # "step0_a_2": the second one of the box

    def height(t: float) -> float:
        """Of the corner that hits, above the tread that it hits, in free flight."""
        angle = -3.0 * t
        tread = -names["rise"] * int(re.findall(r"\d+", first["contact"])[0])
        return 0.3 - G * t**2 / 2 + sin(angle) * corner[0] + cos(angle) * corner[1] - tread

    assert re.fullmatch(r"step\d+_a_\d", first["contact"])
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
def how_does_a_chain_hang(names: Names) -> None:
    assert names["rest"].status.name == "AT_REST"
    assert names["across"] == pytest.approx(np.full(60, -names["pull"]), rel=1e-9)
    assert names["down"] == pytest.approx((30 - np.arange(60)) * 0.1 * G, abs=1e-9)


@check
def when_does_a_stack_topple(names: Names) -> None:
    for number, slope in names["found"].items():
        assert slope == pytest.approx(np.arctan(1 / number), rel=1e-9)
    assert names["run"].audit().empty


@check
def what_do_fifty_discs_in_a_shaken_box_do(names: Names) -> None:
    run = names["run"]
    assert names["momentum"] == pytest.approx(names["given"], abs=1e-9 * np.abs(run.final.u).sum())
    assert float(abs(run.energy.residual).max()) < 1e-9 * float(run.energy.kinetic.max())
    assert (run.events.kind == "impact").sum() > 200
    assert run.audit().empty


@check
def how_does_a_roller_chain_press(names: Names) -> None:
    share = np.array([1.0, *[2.0] * 19, 1.0])
    assert names["forces"] == pytest.approx(share * 10.0 * np.tan(pi / 40), rel=1e-9)
    assert names["rest"].audit().empty


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
