"""Resets in runs: against closed forms, with contacts, at their limits, in the ledger, the audit and files."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce
from tests.resets.models import WALKER_RATE, WALKER_THETA, kicked_ball, relay, simplest_walker, walker_start

G = 9.81


def closes(run: jounce.Trajectory) -> bool:
    return bool(np.abs(run.energy["residual"]).max() < 1e-9) and run.audit().empty


def test_a_reset_at_impacts_has_its_closed_form() -> None:
    """Each bounce multiplies the speed by e and the kick by 1.1."""
    run = jounce.simulate(kicked_ball(), None, t_end=3.0)
    kicks = run.events[run.events.kind == "reset"]
    speed, t, times = sqrt(2 * G), sqrt(2 / G), []
    while t < 3.0:
        times.append(t)
        speed *= 0.8 * 1.1
        t += 2 * speed / G
    np.testing.assert_allclose(kicks.t, times, rtol=1e-13)
    assert set(kicks.reset) == {"kick"}
    assert run.final["n"] == len(times)
    second = float(kicks.t.iloc[1])
    assert run.at(second, side="left")["n"] == 1
    assert run.at(second)["n"] == 2
    assert (np.diff(run["n"]) >= 0).all()
    assert run["n"][-1] == len(times)
    # energy of a kick: (1.1^2 - 1) v^2/2 behind the impact
    impacts = run.events[run.events.kind == "impact"].v_n_after.to_numpy()
    np.testing.assert_allclose(-kicks.energy_loss, 0.21 * impacts**2 / 2, rtol=1e-12)
    assert run.energy["reset_work"][-1] == pytest.approx(np.sum(0.21 * impacts**2 / 2), rel=1e-12)
    assert closes(run)


def test_bounces_with_resets_are_followed_one_by_one_to_rest() -> None:
    """A counter counts every bounce: an accumulation is not summed up, and ends where rounding hides it."""
    y, _dy = jounce.coordinate("y", "m")
    n = jounce.discrete("n")
    e = 0.5
    model = jounce.Model(
        "counted", [y], [1], [-G], contacts=[jounce.Contact("floor", gap=y, restitution=e)],
        resets=[jounce.Reset("impact:floor", {n: n + 1})], start={y: 1.0},
    )  # fmt: skip
    run = jounce.simulate(model, None, t_end=3.0)
    assert run.status.name == "AT_REST"
    assert "chatter" not in set(run.events.kind)
    assert run.final["n"] == (run.events.kind == "impact").sum() > 20
    assert run.events.t.iloc[-1] == pytest.approx(sqrt(2 / G) * (1 + e) / (1 - e), abs=1e-6)


def test_the_right_sides_of_a_map_see_the_state_before() -> None:
    x, dx = jounce.coordinate("x")
    y, dy = jounce.coordinate("y")
    a, b = jounce.discrete("a", 1), jounce.discrete("b", 2)
    swap = jounce.Reset(x - 1, {x: y, y: x, dx: -dy, dy: dx, a: b, b: a}, direction=+1, name="swap")
    model = jounce.Model("swap", [x, y], [1, 1], [0, 0], resets=[swap], start={x: 0.0, dx: 1.0, y: -2.0, dy: 0.5})
    run = jounce.simulate(model, None, t_end=1.5)
    behind = run.at(float(run.events.t.iloc[0]))
    assert [behind[name] for name in ("x", "y", "d_x", "d_y", "a", "b")] == pytest.approx([-1.5, 1, -0.5, 1, 2, 1])
    assert closes(run)


def test_resets_of_one_guard_exclude_each_other_by_their_conditions() -> None:
    """Both conditions are asked of the state before: one reset does not make the other due."""
    x, _dx = jounce.coordinate("x")
    side, n = jounce.discrete("side", 1), jounce.discrete("n")
    resets = [
        jounce.Reset(x, {side: -1, n: n + 1}, only_if=sp.Eq(side, 1), name="right"),
        jounce.Reset(x, {side: 1, n: n + 1}, only_if=sp.Eq(side, -1), name="left"),
    ]
    model = jounce.Model("switch", [x], [1], [-x], resets=resets, start={x: 1.0})
    run = jounce.simulate(model, None, t_end=10.0)
    assert list(run.events.reset) == ["right", "left", "right"]
    np.testing.assert_allclose(run.events.t, np.pi * np.array([0.5, 1.5, 2.5]), rtol=1e-9)
    assert list(model.guards) == ["right"]  # one expression, one guard
    assert run.final["n"] == 3


def test_a_relay_with_hysteresis_grows_as_its_parabolas_say() -> None:
    """Between switches x'' = -side; each switch comes 2h late, so v^2/2 grows by 2h a half turn."""
    run = jounce.simulate(relay(), None, t_end=12.0)
    assert run.status.name == "FINISHED"
    switches = run.events.t.to_numpy()
    speeds = np.array([abs(run.at(t)["d_x"]) for t in switches])
    # from x = 1 at rest to x = -h: v^2/2 = 1 + h; then to -h from +h: v^2/2 keeps growing by 2h
    np.testing.assert_allclose(speeds**2 / 2, 1.1 + 0.2 * np.arange(len(switches)), rtol=1e-9)
    assert list(run.events.reset)[:4] == ["down", "up", "down", "up"]
    assert closes(run)


def test_a_cut_run_goes_on_with_its_discrete_states(tmp_path: Path) -> None:
    system = jounce.compile_model(relay())
    whole = jounce.simulate(system, None, t_end=9.0)
    first = jounce.simulate(system, None, t_end=4.0)
    first.save(tmp_path / "first.nc")
    loaded = jounce.load(tmp_path / "first.nc")
    assert loaded.final == first.final
    assert loaded.final["side"] == first.final["side"]
    np.testing.assert_array_equal(loaded["side"], first["side"])
    assert loaded.energy["reset_work"].equals(first.energy["reset_work"])
    rest = jounce.simulate(loaded.system, loaded.final, t_end=9.0)
    assert rest.final["side"] == whole.final["side"]
    assert rest.final["x"] == pytest.approx(whole.final["x"], abs=1e-9)
    assert "side" in whole.dataset([1.0, 5.0])
    assert "side" in whole.final
    assert whole.final.replace(side=-7)["side"] == -7


def test_the_simplest_walker_has_its_published_step() -> None:
    """Garcia, Chatterjee, Ruina & Coleman (1998): period one at slope 0.009; scuffing at mid-stance is passed over."""
    system = jounce.compile_model(simplest_walker())
    run = jounce.simulate(system, walker_start(system), t_end=8.0, tolerance=1e-12)
    assert list(run.events.reset) == ["heelstrike", "heelstrike"]
    for t in run.events.t:
        behind = run.at(float(t))
        assert behind["theta"] == pytest.approx(WALKER_THETA, abs=1e-12)
        assert behind["d_theta"] == pytest.approx(WALKER_RATE, abs=1e-12)
    assert closes(run)


def test_contacts_are_judged_again_behind_a_reset() -> None:
    """A block that lies on the floor is put into the air, falls and lands; a velocity into the floor is an impact."""
    y, dy = jounce.coordinate("y", "m")
    x, dx = jounce.coordinate("x", "m")
    floor = jounce.Contact("floor", gap=y, slip=dx, friction=0.1, restitution=0.5)
    lift = jounce.Reset(jounce.time - 1, {y: 0.2}, name="lift")
    strike = jounce.Reset(jounce.time - 2, {dy: -1}, name="strike")
    model = jounce.Model(
        "block", [x, y], [1, 1], [0, -G], contacts=[floor], resets=[lift, strike], start={x: 0.0}, potential=G * y
    )
    run = jounce.simulate(model, None, t_end=3.0)
    rows = run.events[["t", "kind"]].itertuples(index=False)
    kinds = [(round(row.t, 6), row.kind) for row in rows]
    assert kinds[:2] == [(1.0, "reset"), (1.0, "lift_off")]
    assert kinds[2][1] == "impact"
    assert run.events.t[2] == pytest.approx(1 + sqrt(0.4 / G), rel=1e-9)
    at_two = [kind for t, kind in kinds if t == 2.0]
    assert at_two[:2] == ["reset", "impact"]
    assert run.at(2.0)["d_y"] == pytest.approx(0.5)
    assert closes(run)


def test_a_reset_at_lift_off_and_on_compliant_contacts() -> None:
    y, dy = jounce.coordinate("y", "m")
    n = jounce.discrete("n")
    soft = jounce.Contact("floor", gap=y, compliance=jounce.KelvinVoigt(stiffness=1e4, damping=0))
    model = jounce.Model(
        "soft", [y], [1], [-G], contacts=[soft], potential=G * y, start={y: 0.1},
        resets=[jounce.Reset("separate:floor", {n: n + 1, dy: 2 * dy}, only_if=n < 1)],
    )  # fmt: skip
    run = jounce.simulate(model, None, t_end=1.0)
    speed = sqrt(2 * G * 0.1)
    assert run.final["n"] == 1
    separates = run.events[run.events.kind == "reset"].t.iloc[0]
    assert run.at(separates)["d_y"] == pytest.approx(2 * speed, rel=1e-8)
    assert np.abs(run.energy["residual"]).max() < 1e-8


@pytest.mark.parametrize("record", ["events", "nothing"])
def test_the_ledger_knows_resets_without_steps(record: str) -> None:
    full = jounce.simulate(kicked_ball(), None, t_end=3.0)
    run = jounce.simulate(kicked_ball(), None, t_end=3.0, options=jounce.Options(record=record))
    assert float(run.energy["reset_work"][-1]) == pytest.approx(float(full.energy["reset_work"][-1]), rel=1e-14)
    assert abs(float(run.energy["residual"][-1])) < 1e-10
    assert run.final["n"] == full.final["n"]


def test_resets_without_end_are_a_status() -> None:
    """An impact whose reset throws the ball at the floor again, at the same instant."""
    y, dy = jounce.coordinate("y", "m")
    again = jounce.Reset("impact:floor", {dy: -1}, name="again")
    model = jounce.Model(
        "stuck", [y], [1], [-G], contacts=[jounce.Contact("floor", gap=y, restitution=0.5)], resets=[again],
        start={y: 1.0},
    )  # fmt: skip
    run = jounce.simulate(model, None, t_end=3.0)
    assert run.status.name == "ENDLESS_RESETS"
    assert not run.status.ok
    assert "'again'" in run.status.message
    assert run.t_end == pytest.approx(sqrt(2 / G))


def test_resets_without_end_leave_the_record_whole() -> None:
    """Thirteen resets a round and a thousand rounds at one instant: more rows than there is room for."""
    y, dy = jounce.coordinate("y", "m")
    counters = [jounce.discrete(f"n{k}") for k in range(12)]
    resets = [jounce.Reset("impact:floor", {dy: -1}, name="again")]
    resets += [jounce.Reset("impact:floor", {n: n + 1}, name=f"count{k}") for k, n in enumerate(counters)]
    model = jounce.Model(
        "crowded", [y], [1], [-G], contacts=[jounce.Contact("floor", gap=y, restitution=0.5)], resets=resets,
        start={y: 1.0},
    )  # fmt: skip
    run = jounce.simulate(model, None, t_end=3.0)
    assert run.status.name == "ENDLESS_RESETS"
    assert run.t_end == pytest.approx(sqrt(2 / G))
    assert set(run.events.kind) == {"impact", "reset"}
    np.testing.assert_allclose(run.events.t, sqrt(2 / G), rtol=1e-12)
    rounds = run.events[run.events.reset == "again"]
    assert len(rounds) > 500
    assert run.energy["residual"].notnull().all()


def test_resets_that_accumulate_are_a_status() -> None:
    """A ball that bounces by a reset alone: infinitely many in a finite time, and nothing behind it."""
    y, dy = jounce.coordinate("y", "m")
    bounce = jounce.Reset(y, {dy: -dy / 2}, direction=-1, name="bounce")
    model = jounce.Model("by_reset", [y], [1], [-G], resets=[bounce], start={y: 1.0})
    run = jounce.simulate(model, None, t_end=3.0)
    assert run.status.name == "ENDLESS_RESETS"
    assert "'bounce'" in run.status.message
    assert run.t_end == pytest.approx(3 * sqrt(2 / G), abs=1e-4)


@pytest.mark.parametrize(
    ("assigned", "message"),
    [({"y": -1}, "puts contact 'floor' inside its surface"), ({"d_y": "log"}, "gives a value that is not finite")],
)
def test_a_reset_to_nowhere_is_a_status(assigned: dict[str, Any], message: str) -> None:
    y, dy = jounce.coordinate("y", "m")
    values = {name: sp.log(dy) if value == "log" else value for name, value in assigned.items()}
    model = jounce.Model(
        "nowhere", [y], [1], [-G], contacts=[jounce.Contact("floor", gap=y)],
        resets=[jounce.Reset(y - 0.5, values, name="jump")], start={y: 1.0},
    )  # fmt: skip
    run = jounce.simulate(model, None, t_end=3.0)
    assert run.status.name == "RESET_REFUSED"
    assert message in run.status.message
    assert "'jump'" in run.status.message


def test_a_reset_that_opens_a_joint_is_a_status() -> None:
    x, _dx = jounce.coordinate("x")
    y, dy = jounce.coordinate("y")
    swing = jounce.Reset(x, {dy: dy + 1}, name="push")
    model = jounce.Model(
        "pendulum", [x, y], [1, 1], [0, -G], joints={"rod": x**2 + y**2 - 1}, resets=[swing], start={x: 0.6, y: -0.8}
    )
    run = jounce.simulate(model, None, t_end=3.0)
    assert run.status.name == "RESET_REFUSED"
    assert "opens joint 'rod'" in run.status.message


def test_an_audit_finds_a_state_that_is_not_the_map() -> None:
    from dataclasses import replace

    run = jounce.simulate(relay(), None, t_end=4.0)
    assert run.audit().empty
    wrong = run.data.step_states.copy()
    wrong[run.data.event_int[0, 6] :] = 0.5
    changed = jounce.Trajectory(replace(run.data, step_states=wrong), run.model)
    assert "state behind a reset is not that of its map" in set(changed.audit().what)


def test_a_run_stops_just_behind_an_event() -> None:
    system = jounce.compile_model(kicked_ball())
    t = sqrt(2 / G)
    run = jounce.simulate(system, None, t_end=5.0, stop_at="impact:floor")
    assert run.status.name == "STOPPED"
    assert "impact:floor" in run.status.message
    assert run.t_end == pytest.approx(t)
    assert run.final["n"] == 1
    assert run.final["d_y"] == pytest.approx(0.88 * sqrt(2 * G))
    on = jounce.simulate(system, run.final, t_end=5.0, stop_at="reset:kick")
    assert on.t_end == pytest.approx(t + 2 * 0.88 * sqrt(2 * G) / G)
    assert on.final["n"] == 2
    top = jounce.simulate(system, run.final, t_end=5.0, stop_at="plane:d_y=0:-1")
    assert top.final["y"] == pytest.approx(0.88**2)
    with pytest.raises(jounce.OptionError, match="no contact 'flor'"):
        jounce.simulate(system, None, t_end=5.0, stop_at="impact:flor")
    with pytest.raises(jounce.SimulationError, match="unknown guard 'nothing'"):
        jounce.simulate(system, None, t_end=5.0, stop_at="nothing")


def test_a_reset_at_lift_off_has_its_closed_form() -> None:
    """A body leaves a shaken table where A omega^2 sin(omega t) = g, here with 1.3 times the velocity of the table."""
    from tests.resets.test_reset_orbits import hopper

    run = jounce.simulate(hopper(), None, t_end=0.3, tolerance=1e-12)
    rows = run.events[run.events.kind.isin(["lift_off", "reset"])]
    t = np.arcsin(G / (0.5 * 36)) / 6
    assert list(rows.kind) == ["lift_off", "reset"]
    assert rows.t.to_numpy() == pytest.approx([t, t], rel=1e-9)
    assert run.at(float(rows.t.iloc[0]))["d_y"] == pytest.approx(1.3 * 3 * np.cos(6 * t), rel=1e-9)
    assert closes(run)


def test_a_guard_that_vanishes_with_an_impact_comes_first() -> None:
    """The guard is the gap itself: its reset stops half of the fall, and the floor returns half of the rest."""
    y, dy = jounce.coordinate("y", "m")
    model = jounce.Model(
        "both", [y], [1], [-G], contacts=[jounce.Contact("floor", gap=y, restitution=0.5)], potential=G * y,
        resets=[jounce.Reset(y, {dy: dy / 2}, direction=-1, name="brake")], start={y: 1.0},
    )  # fmt: skip
    run = jounce.simulate(model, None, t_end=0.5)
    assert list(run.events.kind) == ["reset", "impact"]
    assert run.at(float(run.events.t.iloc[0]))["d_y"] == pytest.approx(sqrt(2 * G) / 4)
    assert closes(run)


def test_a_potential_that_a_reset_switches_does_work() -> None:
    """V = side x: switching at x = -h and x = h gives -2 side x each time, which the ledger books."""
    x, dx = jounce.coordinate("x", "m")
    side = jounce.discrete("side", 1)
    model = jounce.Model.from_lagrangian(
        "switched", coordinates=[x], kinetic=dx**2 / 2, potential=side * x, start={x: 1.0},
        resets=[
            jounce.Reset(x - 0.1, {side: 1}, direction=+1, name="up"),
            jounce.Reset(x + 0.1, {side: -1}, direction=-1, name="down"),
        ],
    )  # fmt: skip
    run = jounce.simulate(model, None, t_end=12.0)
    np.testing.assert_allclose(-run.events.energy_loss, 0.2, rtol=1e-9)
    assert float(run.energy["reset_work"][-1]) == pytest.approx(0.2 * len(run.events), rel=1e-9)
    assert closes(run)


def test_a_reset_sees_the_time_of_the_run_however_long_it_is() -> None:
    """Time is counted in turns of the forcing, but not where a map keeps it."""
    y, dy = jounce.coordinate("y", "m")
    last, longest = jounce.discrete("last"), jounce.discrete("longest")
    t = jounce.time
    table = jounce.Contact("table", gap=y - 0.1 * sp.sin(9 * t), restitution=0.8)
    note = jounce.Reset("impact:table", {last: t, longest: sp.Max(longest, t - last)}, name="note")
    model = jounce.Model(
        "noted", [y], [1], [-G], contacts=[table], resets=[note], period=2 * sp.pi / 9, start={y: 1.0, dy: 0.0}
    )
    run = jounce.simulate(model, None, t_end=20.0)
    impacts = run.events[run.events.kind == "impact"].t.to_numpy()
    assert len(impacts) > 20
    assert run.final["last"] == impacts[-1]
    assert run.final["longest"] == pytest.approx(np.diff(impacts, prepend=0.0).max(), rel=1e-13)


def test_a_start_on_the_guard_is_behind_it() -> None:
    x, dx = jounce.coordinate("x")
    model = jounce.Model("on", [x], [1], [0], resets=[jounce.Reset(x, {dx: -dx})], start={x: 0.0, dx: 1.0})
    assert jounce.simulate(model, None, 1.0).events.empty
    assert len(jounce.simulate(model, {"x": -0.5}, 1.0).events) == 1


def test_sweeps_tell_states_apart_and_name_resets() -> None:
    """A flag doubles the period of an oscillator that is the same at every passage."""
    x, dx = jounce.coordinate("x")
    side = jounce.discrete("side", 1)
    k = jounce.parameter("k", 1.0)
    flip = jounce.Reset(x, {side: -side, dx: 1}, direction=+1, name="flip")
    model = jounce.Model("flip", [x], [1], [-k * x * (1 + side / 4)], resets=[flip], start={dx: 1.0})
    found = jounce.sweep(jounce.compile_model(model), "k", np.array([1.0, 1.1]), "reset:flip", transient=5, keep=8)
    assert list(found.attractors["kind"]) == ["periodic"] * 2
    assert list(found.attractors["period"]) == [2, 2]
    assert "reset flip" in found.attractors["signature"][0]


def test_the_command_line_stops_at_events(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from jounce.cli.main import main

    path = kicked_ball().to_file(tmp_path / "ball.toml")
    assert main(["simulate", str(path), "--t-end", "5", "--stop-at", "reset:kick", "--start", "n=4"]) == 0
    shown = capsys.readouterr().out
    assert "stopped at reset:kick at t=0.4515" in shown
    assert "n = 5" in shown
    assert "reset work" in shown
    assert main(["simulate", str(path), "--stop-at", "reset:kik"]) == 2


def test_many_runs_stop_at_events() -> None:
    system = jounce.compile_model(kicked_ball())
    runs = jounce.ensemble(system, {"y": np.array([1.0, 2.0])}, 3.0, stop_at="impact:floor")
    assert list(runs["status"].values) == ["STOPPED", "STOPPED"]
    np.testing.assert_allclose(runs["t"], np.sqrt(2 * np.array([1.0, 2.0]) / G), rtol=1e-12)
    assert list(runs["n"].values) == [1.0, 1.0]


def test_many_runs_count_as_one_does() -> None:
    system = jounce.compile_model(kicked_ball())
    runs = jounce.ensemble(system, {"y": np.array([1.0, 2.0])}, 3.0, keep=("final", "status", "ledger"))
    for k, y in enumerate((1.0, 2.0)):
        run = jounce.simulate(system, {"y": y}, 3.0)
        assert float(runs["n"][k]) == run.final["n"]
        assert float(runs["reset_work"][k]) == pytest.approx(float(run.energy["reset_work"][-1]), rel=1e-12)


@pytest.mark.parametrize("resting", [False, True])
def test_a_reset_where_a_force_jumps_happens_beside_closed_contacts(resting: bool) -> None:
    """x'' = -2 sign(x) with half the speed at each passage: at t = 1, 2, 2.5, ...; another body may lie on a floor."""
    (x, dx), (y, _) = jounce.coordinates("x y", "m")
    hit = jounce.Reset(x, {dx: dx / 2}, name="hit")
    contacts = [jounce.Contact("floor", gap=y)] if resting else []
    parts = {"contacts": contacts, "resets": [hit], "guards": {"middle": x}, "start": {x: 1.0}}
    system = jounce.compile_model(jounce.Model("hit", [x, y], [1, 1], [-2 * sp.sign(x), -10], **parts))
    run = jounce.simulate(system, None, 2.6)
    assert run.status.name == "FINISHED"
    assert run.events.t[run.events.kind == "reset"].tolist() == pytest.approx([1.0, 2.0, 2.5], abs=1e-9)
    assert run.audit().empty
    stopped = jounce.simulate(system, None, 2.6, stop_at="middle")
    assert (stopped.status.name, stopped.final.t) == ("STOPPED", pytest.approx(1.0, abs=1e-9))
