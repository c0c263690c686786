"""What the server answers without a browser: motions equal to simulate, bounds, cancelling, an end by Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import OptionError
from jounce.analysis.scales import start_sizes
from jounce.plot.labels import rounded_apart
from jounce.studio import limits
from jounce.studio.catalogue import Catalogue, describe
from jounce.studio.jobs import Job
from jounce.studio.motion import read_motion
from jounce.studio.protocol import Fields, pack, parse
from tests.studio.client import connected, get, unpack

ROD = {"system": "slender_rod", "parameters": {"omega": 4.405, "mu": 0.05}, "start": {"y": 6.0, "theta": 0.3}}


def test_a_motion_equals_simulate(studio: Any) -> None:
    with connected(studio) as client:
        answer, arrays = client.ask("motion", **ROD, t_end=50.0)
    system = jounce.compile_model(jounce.systems.slender_rod())
    run = jounce.simulate(system, system.state(y=6.0, theta=0.3), 50.0, omega=4.405, mu=0.05)
    assert answer["final"] == run.final.as_dict()
    assert answer["events"] == len(run.events)
    times, states, frame_times, frames, modes, hits, contacts, resets = arrays
    assert resets.size == 0
    states = states.reshape(6, -1)
    there = np.isfinite(states[0])
    inside = there & (np.diff(times, append=np.inf) > 0) & (np.diff(times, prepend=-np.inf) > 0)
    np.testing.assert_array_equal(states[:, inside].T, run.states(times[inside]))
    ends = frames.reshape(len(frame_times), -1)[:, 4:8]  # of the rod, after the floor's four numbers
    q = run.states(frame_times)
    np.testing.assert_allclose(ends[:, 2] - ends[:, 0], 2 * np.cos(q[:, 2]), atol=1e-5)
    impacts = run.events[run.events["kind"].isin(["impact", "chatter"])]
    np.testing.assert_array_equal(hits, impacts["t"])
    assert [run.contacts[k] for k in contacts] == impacts["contact"].tolist()
    assert modes.size == 2 * len(frame_times)


def test_a_window_and_details_are_of_the_run_on_the_screen(studio: Any) -> None:
    with connected(studio) as client:
        assert "no motion" in client.refusal("window", **{"from": 0, "to": 1})
        client.ask("motion", **ROD, t_end=10.0)
        _, (times, _) = client.ask("window", **{"from": 2.0, "to": 2.5})
        assert times[0] == 2.0
        assert times[-1] == 2.5
        assert len(times) >= limits.HISTORY
        assert "to is 11" in client.refusal("window", **{"from": 2.0, "to": 11})
        details, arrays = client.ask("details")
        assert details["rows"] == len(details["table"]["t"])
        ledger = dict(zip(("time", *details["ledger"]), arrays, strict=True))
        assert np.abs(ledger["residual"]).max() < 1e-9
        assert ledger["time"][-1] == 10.0


def test_a_dragged_body_starts_under_the_pointer(studio: Any) -> None:
    with connected(studio) as client:
        drag = {"shape": 1, "weights": [0.0, 1.0], "target": [3.0, 4.0]}
        start = client.ask("drag", "motion", **ROD, t_end=1.0, drag=drag)[0]["start"]
        assert start["x"] + np.cos(start["theta"]) == pytest.approx(3.0, abs=1e-9)
        assert start["y"] + np.sin(start["theta"]) == pytest.approx(4.0, abs=1e-9)
        drag["target"] = [0.0, -3.0]  # into the floor
        assert "P" in client.refusal("drag", **ROD, t_end=1.0, drag=drag)


def test_a_machine_keeps_its_joints_when_a_length_changes(studio: Any) -> None:
    with connected(studio) as client:
        answer, _ = client.ask("motion", system="slider_crank", parameters={"r": 0.06}, t_end=0.05)
        assert answer["status"]["name"] == "FINISHED"
        system = jounce.compile_model(jounce.systems.slider_crank())
        start = system.assemble(system.state(), r=0.06)
        assert answer["start"] == start.as_dict()


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"t_end": 1e12}, "between 0 and 100000"),
        ({"t_end": "soon"}, "t_end is 'soon'"),
        ({"t_end": True}, "t_end is True"),
        ({"t_end": 5.0, "parameters": {"omga": 3}}, "unknown name 'omga'; did you mean 'omega'"),
        ({"t_end": 5.0, "parameters": [1]}, "expected named entries"),
        ({"t_end": 5.0, "start": {"y": -5.0}}, "P1"),
        ({"t_end": 5.0, "parameters": {"m": 0.0}}, "mass matrix"),
        ({"t_end": 5.0, "options": {"law": "wishful"}}, "wishful"),
        ({"t_end": 5.0, "options": {"tolerance": 1.0}}, "tolerance is 1.0"),
        ({"t_end": 5.0, "system": "../etc/passwd"}, "has no system"),
        ({"t_end": 5.0, "system": "x" * 500}, "at most 200 letters"),
    ],
)
def test_an_absurd_request_gets_a_clear_message(studio: Any, request_: dict[str, Any], message: str) -> None:
    with connected(studio) as client:
        assert message in client.refusal("motion", **{"system": "slender_rod", **request_})
        assert client.ask("motion", **ROD, t_end=1.0)[0]["type"] == "motion"  # and the page goes on


def test_what_is_no_request_is_refused(studio: Any) -> None:
    with connected(studio) as client:
        for text in ("", "[]", "{", '{"type": "fly", "id": 1}', '{"type": "motion", "id": NaN}', "[" * 100_000):
            client.socket.send(text)
            assert client.receive("error")[0]["message"]


def test_a_run_that_never_ends_is_given_up_and_shown_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RUN_SECONDS", 0.2)
    entry = Catalogue().entry("quick_return")
    motion = read_motion(Fields({"t_end": 1e5}, "request"), entry)
    began = time.perf_counter()
    run = motion.run(Job("motion", 1, lambda *_: None))
    assert time.perf_counter() - began < 20.0
    assert 0.0 < run.t_end < 1e5
    status = motion.status(run)
    assert status["name"] == "INTERRUPTED"
    assert "given up" in status["message"]
    assert run.at(run.t_end).q == pytest.approx(run.final.q, rel=1e-9)  # what there is can be shown


def test_the_engine_leaves_the_interpreter_free_while_it_runs() -> None:
    """A long run in a thread; the main thread keeps ticking: the longest pause is far below the run's own time."""
    system = jounce.compile_model(jounce.systems.slender_rod())
    options = jounce.Options(record="nothing")
    done = threading.Event()
    spent = []

    def work() -> None:
        began = time.perf_counter()
        jounce.simulate(system, system.state(), 200_000.0, options=options, omega=4.405, e=0.8)
        spent.append(time.perf_counter() - began)
        done.set()

    threading.Thread(target=work).start()
    ticks = [time.perf_counter()]
    while not done.is_set():
        time.sleep(0.001)
        ticks.append(time.perf_counter())
    assert len(ticks) > 10
    assert max(np.diff(ticks)) < 0.5 * spent[0], (max(np.diff(ticks)), spent)


@pytest.mark.parametrize("name", ["slender_rod", "ball_on_table", "slider_crank"])
def test_a_system_describes_its_knobs(name: str) -> None:
    entry = Catalogue().entry(name)
    knobs = describe(entry)
    assert [knob["name"] for knob in knobs["parameters"]] == list(entry.model.parameters)
    assert sum(shape["width"] for shape in knobs["shapes"]) == sum(entry.drawing.widths)
    for knob in (*knobs["parameters"], *knobs["state"]):
        assert knob["low"] <= knob["value"] <= knob["high"]


def _resonator(length: float, time: float) -> jounce.Model:
    """A resonator at rest beside a stop, in units of so many metres and seconds."""
    x, _ = jounce.coordinate("x", "m")
    k, w = jounce.parameters(k=(time**2, "N/m"), w=(0.9 * time, "rad/s"))
    gap, force = jounce.parameters(gap=(0.3 / length, "m"), force=(0.04 * time**2 / length, "N"))
    forces = [-k * x + force * sp.cos(w * jounce.time)]
    stop = jounce.Contact("stop", gap=gap - x, restitution=0.8)
    parameters = [k, w, gap, force]
    period = 2 * sp.pi / w
    return jounce.Model("resonator", [x], [1], forces, contacts=[stop], parameters=parameters, period=period)


@pytest.mark.parametrize("unit", [2.0**-20, 2.0**20])
def test_knobs_and_sizes_are_the_same_in_other_units(unit: float) -> None:
    """Also of a machine that starts at rest at the origin, whose sizes are those of its forces."""
    found = []
    for length, time_ in ((1.0, 1.0), (unit, 1.0), (1.0, unit), (unit, unit)):
        system = jounce.compile_model(_resonator(length, time_))
        x, v = start_sizes(system, system.parameters(), system.state(), {})
        entry = Catalogue(system.model, "here").entry("resonator")
        knobs = {knob["name"]: knob["high"] for knob in describe(entry)["state"]}
        in_metres, in_speeds = length, length / time_
        found.append([x * in_metres, v * in_speeds, knobs["x"] * in_metres, knobs["d_x"] * in_speeds])
    np.testing.assert_allclose(found[0][:2], [0.04, 0.04], rtol=1e-12)  # force / k
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=0.06)  # knobs are rounded to two digits


@pytest.mark.parametrize(
    ("means", "shown"),
    [
        ([-4.48e-18, 3.14159265], [0.0, 3.14]),
        ([1000.001, 1000.002], [1000.001, 1000.002]),
        ([1e-9, 1.5e-9, -2e-9], [1e-9, 1.5e-9, -2e-9]),
        ([0.1, 0.1], [0.1, 0.1]),
    ],
)
def test_means_are_rounded_to_what_tells_them_apart(means: list[float], shown: list[float]) -> None:
    np.testing.assert_allclose(rounded_apart(np.array(means)), shown, rtol=1e-6)


def test_frames_come_through_unchanged() -> None:
    arrays = [np.arange(3.0), np.arange(5, dtype=np.float32), np.arange(3, dtype=np.uint8), np.empty(0)]
    content, found = unpack(pack({"a": [1.5, float("nan")], "b": {"c": np.float64(2.0)}}, arrays))
    assert content["a"] == [1.5, None]
    assert content["b"]["c"] == 2.0
    for sent, received in zip(arrays, found, strict=True):
        np.testing.assert_array_equal(sent, received)


def test_a_message_that_is_too_long_is_refused() -> None:
    with pytest.raises(OptionError, match="at most"):
        parse(" " * (limits.MESSAGE_BYTES + 1))


def test_ctrl_c_ends_the_command_cleanly() -> None:
    command = [sys.executable, "-c", "from jounce.cli import main; raise SystemExit(main())"]
    command += ["studio", "bouncing_ball", "--no-browser", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        port = int(address.split(":")[2].split("/")[0])
        assert get(port, address[address.index("/?") :])[0] == 200
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=10)
        assert process.returncode == 0, errors
        assert output == ""
        assert errors == ""
    finally:
        process.kill()
        process.wait()
