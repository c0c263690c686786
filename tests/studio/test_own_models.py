"""Models of one's own in the studio: in sessions as text, never as code, and with every element on the screen."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sympy import cos, sin

import jounce
from jounce import Circle, Contact, Ground, Model, ModelError, OptionError, Reset, coordinate, discrete, internal
from jounce.cli import main
from jounce.studio import limits
from jounce.studio.catalogue import Catalogue, describe
from jounce.studio.dragging import read_drag
from jounce.studio.protocol import Fields
from jounce.studio.scripts import command_text, python_text
from jounce.studio.session import read_session
from tests.studio.browser import Page, running_studio
from tests.studio.client import Client, connected


def machine() -> Model:
    """A ball with a jet: a counter, a reset, an internal state, a switch, an action's parameter."""
    y, dy = coordinate("y", "m")
    g, e, kick, tau = jounce.parameters(g=(9.81, "m/s^2"), e=0.8, kick=(0.5, "m/s"), tau=(0.3, "s"))
    n = discrete("n", 0, description="bounces so far")
    thrust = internal("thrust", "N")
    return Model.from_lagrangian(
        "jet_ball",
        coordinates=[y],
        kinetic=dy**2 / 2,
        potential=g * y,
        forces={y: thrust},
        rates={thrust: -(thrust + jounce.Switch("relay", y - 0.4)) / tau},
        contacts=[Contact("floor", gap=y, restitution=e)],
        resets=[Reset("impact:floor", {dy: dy + kick, n: n + 1}, only_if=n < 3, name="hit")],
        start={y: 1.0},
        drawing=[Ground(line=0), Circle((0, y + 0.1), 0.1)],
    )


REQUEST: dict[str, Any] = {"parameters": {"kick": 0.7}, "start": {"y": 0.9, "n": 1, "thrust": 0.5}, "t_end": 1.5}
ACTIONS = [{"event": "impact:floor", "name": "kick", "value": "kick/2"}]


def simulated(**more: Any) -> jounce.Trajectory:
    return jounce.simulate(jounce.compile_model(machine()), REQUEST["start"], 1.5, kick=0.7, **more)


def session_of(catalogue: Catalogue, **more: Any) -> dict[str, Any]:
    return read_session({"jounce_studio": 1, "system": "jet_ball", **REQUEST, **more}, catalogue)


@pytest.fixture(scope="module")
def session() -> dict[str, Any]:
    """What the studio of the model's own file saves."""
    return session_of(Catalogue(machine(), "jet.py:machine"))


def test_a_session_carries_the_model_as_text(session: dict[str, Any], studio: Any) -> None:
    """A studio that has never seen the model makes the same motion of it, to the last bit."""
    with connected(studio) as client:
        opened, _ = client.ask("open", "system", system=session["system"], model=session["model"])
        answer, _ = client.ask("motion", system=opened["name"], **REQUEST)
        read, _ = client.ask("session", session=session)
    assert opened["model"] == session["model"]
    assert read["session"] == session
    run = simulated()
    assert answer["final"] == run.final.as_dict()
    assert answer["events"] == len(run.events)


def test_only_models_of_ones_own_are_carried(session: dict[str, Any]) -> None:
    assert Model.from_text(session["model"]).name == "jet_ball"
    assert read_session({"jounce_studio": 1, "system": "ball_on_table", "t_end": 1.0}, Catalogue())["model"] is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (('"0.1 + y"', """\"__import__('os').system('true')\""""), "the session's model:"),
        (("mass = [1]", "mass = [open('x')]"), "the session's model:"),
        (('name = "jet_ball"', 'name = "../../x"'), "identifier|name"),
        (("[equations]", "[nothing]"), "nothing"),
    ],
)
def test_a_text_is_read_by_its_grammar(change: tuple[str, str], message: str, session: dict[str, Any]) -> None:
    text = session["model"].replace(*change)
    assert text != session["model"]
    with pytest.raises(ModelError, match=message):
        read_session({**session, "model": text}, Catalogue())


def test_a_text_beyond_its_bounds_is_refused(session: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match="model is"):
        read_session({**session, "model": "#" * (limits.MODEL_LETTERS + 1)}, Catalogue())
    with pytest.raises(OptionError, match="model is"):
        read_session({**session, "model": {"code": 1}}, Catalogue())


def test_names_that_are_taken_and_models_beyond_the_last_few(session: dict[str, Any]) -> None:
    catalogue = Catalogue()
    other = session["model"].replace("9.81", "1.62")
    names = [catalogue.adopt(text) for text in (session["model"], other, session["model"], other)]
    assert names[0] == names[2] == "jet_ball"
    assert names[1] == names[3] != "jet_ball"
    ball = jounce.systems.ball_on_table().to_text().replace("9.81", "1.62")
    assert catalogue.adopt(ball) != "ball_on_table"
    assert catalogue.entry(catalogue.adopt(ball)).model.parameters["g"].default == 1.62
    for k in range(limits.MODELS):
        catalogue.adopt(session["model"].replace("9.81", f"{k}.5"))
    with pytest.raises(OptionError, match="has no system 'jet_ball'"):
        catalogue.entry("jet_ball")


def _script(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> jounce.Trajectory:
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(compile(text, "copied.py", "exec"), names)
    run: jounce.Trajectory = names["run"]
    return run


def test_scripts_and_commands_of_a_text_and_of_a_file(
    session: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stranger = Catalogue()
    read = read_session({**session, "on": ACTIONS}, stranger)
    final = simulated(on={"impact:floor": {"kick": "kick/2"}}).final.as_dict()
    assert _script(python_text(read, stranger), tmp_path, monkeypatch).final.as_dict() == final
    path = machine().to_file(tmp_path / "jet_ball.toml")
    own = Catalogue(Model.from_file(path), "jet_ball.toml")
    assert _script(python_text(session_of(own, on=ACTIONS), own), tmp_path, monkeypatch).final.as_dict() == final
    words = shlex.split(command_text(read, stranger))
    assert words == shlex.split(command_text(session_of(own, on=ACTIONS), own))
    assert "jet_ball.toml" in words
    words = words[1 : words.index("--plot")]
    assert main([*words, "--json", "result.json"]) == 0
    assert json.loads((tmp_path / "result.json").read_text())["final"]["y"] == pytest.approx(final["y"], abs=1e-12)


def test_a_text_that_python_would_read_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    y, _ = coordinate("y", "m")
    model = Model("odd", [y], [1], [-1], start={y: 1.0}, description='a """ and a \\n and \\')
    catalogue = Catalogue()
    text = read_session({"jounce_studio": 1, "system": "", "model": model.to_text(), "t_end": 1.0}, catalogue)
    run = _script(python_text(text, catalogue), tmp_path, monkeypatch)
    assert run.model.description == model.description


# ---------------------------------------------------------------------- the newer elements


@pytest.fixture(scope="module")
def own_studio() -> Iterator[Any]:
    with running_studio(model=machine(), source="jet.py:machine") as running:
        yield running


@pytest.fixture
def client(own_studio: Any) -> Iterator[Client]:
    with connected(own_studio) as opened:
        yield opened


def test_discrete_and_internal_states_switches_and_resets_are_shown(client: Client) -> None:
    opened, _ = client.ask("open", "system", system="jet_ball")
    knobs = [knob["name"] for knob in opened["state"]]
    assert knobs == ["y", "d_y", "thrust", "n"]  # a run finds the side of a switch by itself
    assert opened["discrete"] == ["relay", "n"]
    assert {"reset:hit", "impact:floor", "phase:0"} & set(opened["sections"]) == {"reset:hit", "impact:floor"}
    e = next(knob for knob in opened["parameters"] if knob["name"] == "e")
    assert (e["low"], e["high"]) == (0.0, 1.0)
    answer, arrays = client.ask("motion", system="jet_ball", **REQUEST)
    run = simulated()
    names = [name for name, _ in answer["variables"]]
    times, states = arrays[0], arrays[1].reshape(len(names), -1)
    np.testing.assert_array_equal(arrays[7], run.events.loc[run.events["kind"] == "reset", "t"])
    inside = np.isfinite(states[0]) & (np.diff(times, append=np.inf) > 0) & (np.diff(times, prepend=-np.inf) > 0)
    for name in ("n", "relay", "thrust"):
        shown = states[names.index(name), inside]
        np.testing.assert_array_equal(shown, [state[name] for state in run.at(times[inside])])
        assert len(set(shown)) > 1
    details, ledger = client.ask("details")
    assert "hit" in details["table"]["reset"]
    accounts = dict(zip(("time", *details["ledger"]), ledger, strict=True))
    assert accounts["reset_work"][-1] == pytest.approx(float(run.energy["reset_work"][-1]), abs=1e-12)


def test_actions_make_the_motion_of_simulate(client: Client) -> None:
    answer, _ = client.ask("motion", system="jet_ball", **REQUEST, on=ACTIONS)
    run = simulated(on={"impact:floor": {"kick": "kick/2"}})
    assert answer["final"] == run.final.as_dict()
    assert "kick" in answer["discrete"]
    for on, message in (
        ([{"event": "impact:wall", "name": "kick", "value": "1"}], "wall"),
        ([{"event": "impact:floor", "name": "kick", "value": "__import__('os')"}], "kick"),
        (ACTIONS * (limits.ACTIONS + 1), "at most"),
    ):
        assert message in client.refusal("motion", system="jet_ball", **REQUEST, on=on)


def test_a_click_in_a_diagram_keeps_discrete_states() -> None:
    """A relay that remembers its side: the motion of a clicked point goes on as the diagram did."""
    x, dx = coordinate("x", "m")
    side = discrete("side", 1)
    low = jounce.parameters(low=(-0.1, "m"))[0]
    relay = Model(
        "relay",
        [x],
        [1],
        [-side - dx / 5],
        resets=[
            Reset(x - 0.1, {side: 1}, direction=+1, name="up"),
            Reset(x - low, {side: -1}, direction=-1, name="down"),
        ],
        start={x: 1.0},
    )
    with running_studio(model=relay) as studio, connected(studio) as client:
        asked = {"parameter": "low", "from": -0.2, "to": -0.1, "section": "reset:down", "quantity": "d_x"}
        client.send("diagram", system="relay", **asked, values=4, transient=60, keep=4)
        client.receive("diagram-done")
        picked, _ = client.ask("pick", "picked", value=-0.2, y=-0.5)
    assert picked["start"]["side"] == -1.0
    system = jounce.compile_model(relay)
    run = jounce.simulate(system, picked["start"], 20.0, low=picked["value"])
    speeds = np.array([run.at(t)["d_x"] for t in run.events.loc[run.events["reset"] == "down", "t"]])
    assert len(speeds) > 2
    np.testing.assert_allclose(speeds, picked["start"]["d_x"], rtol=1e-6)


def test_ready_made_systems_have_something_to_look_at() -> None:
    catalogue = Catalogue()
    for name in ("slender_rod", "compliant_wall_pendulum", "slider_crank"):
        described = describe(catalogue.entry(name))
        assert described["usual"] in described["coordinates"]
        assert described["happenings"]


# ---------------------------------------------------------------------- in the browser


def test_an_own_model_travels_by_link_and_an_action_by_hand(driver: Any, own_studio: Any, studio: Any) -> None:
    page = Page(driver)
    page.open(own_studio.address)
    page.wait(lambda: page.data(".motion", "details"), "the first motion")
    shown = page.script("return [...document.querySelectorAll('[data-variable]')].map((box) => box.dataset.variable)")
    assert shown == ["y", "d_y", "thrust", "relay", "n"]
    page.after(lambda: page.type('[data-entry="n"]', "2"))
    page.after(lambda: page.click('[data-do="action"]'))
    page.after(lambda: page.type('[data-action="value"]', "g + 1"))
    final = page.data(".motion", "final")
    wanted = jounce.simulate(machine(), {"y": 1.0, "n": 2}, 10.0, on={"impact:floor": {"g": "g + 1"}}).final.as_dict()
    assert final == wanted
    page.click('[data-tab="session"]')
    page.wait(lambda: "on=" in page.one('[data-text="python"]').text, "the script")
    link = page.script("return jounceStudio.panels.find((p) => p.name == 'session').link()")
    page.open(studio.address + "#" + link.partition("#")[2])  # another studio, which has never seen the model
    page.wait(lambda: page.data(".motion", "final") == final, "the motion of the link")
    assert page.one(".systems").get_attribute("value") == "jet_ball"
    page.wait(lambda: "reset" in page.text(".motion .legend"), "the legend")


@pytest.mark.parametrize("length", [1e-9, 1e-3, 1e6])
def test_sliders_and_drags_fit_machines_of_any_size(length: float) -> None:
    """A rod that is 2 lengths long: its sliders reach as far as its start, and a grabbed end lands on its target."""
    x, _ = jounce.coordinate("x", "m")
    y, _ = jounce.coordinate("y", "m")
    theta, _ = jounce.coordinate("theta", "rad")
    tip = (x + length * cos(theta), y + length * sin(theta))
    tail = (x - length * cos(theta), y - length * sin(theta))
    rod = jounce.Model(
        "dragged_rod", [x, y, theta], np.eye(3).tolist(), [0, 0, 0],
        start={y: 3 * length, theta: 0.2}, drawing=[jounce.Segment(tail, tip)],
    )  # fmt: skip
    entry = Catalogue(rod, "rod.py:rod").entry(rod.name)
    ranges = {knob["name"]: knob["high"] for knob in describe(entry)["state"]}
    assert ranges["x"] == ranges["y"] == pytest.approx(6 * length)
    target = [0.5 * length, 3.5 * length]
    request = {"system": rod.name, "t_end": 1.0, "drag": {"shape": 0, "weights": [0.0, 1.0], "target": target}}
    start = read_drag(Fields(request, "request"), entry).start
    end = [start["x"] + length * np.cos(start["theta"]), start["y"] + length * np.sin(start["theta"])]
    assert np.array(end) / length == pytest.approx(np.array(target) / length, abs=1e-9)
