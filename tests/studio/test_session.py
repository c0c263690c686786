"""Sessions: a file, a link, a script, a command and one HTML file, each of which brings the same picture back."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import time
from pathlib import Path
from typing import Any

import pytest

import jounce
from jounce import OptionError
from jounce.cli import main
from jounce.studio.catalogue import Catalogue
from jounce.studio.scripts import command_text, python_text
from jounce.studio.session import is_session, load_session, read_session
from tests.studio.browser import Page
from tests.studio.client import connected

SESSION: dict[str, Any] = {
    "jounce_studio": 1,
    "system": "slender_rod",
    "parameters": {"omega": 4.405, "mu": 0.05},
    "start": {"y": 6.5, "theta": 0.25},
    "t_start": 0.5,
    "t_end": 12.5,
    "options": {"law": "poisson", "tolerance": 1e-9},
    "panel": "motion",
    "variables": ["y", "d_y"],
}
DIAGRAM = {
    "parameter": "omega", "from": 3.5, "to": 3.9, "section": "phase:0", "quantity": "d_y", "direction": "up",
    "transient": 50, "keep": 8, "values": 12, "colour": "kind",
}  # fmt: skip
BALL: dict[str, Any] = {
    "jounce_studio": 1,
    "system": "ball_on_table",
    "parameters": {"e": 0.5, "omega": 3.3},
    "start": {"y": 1.86, "d_y": -7.2},
    "t_end": 10.0,
    "panel": "diagram",
    "diagram": DIAGRAM,
}
SEEDS = [{"value": 3.6, "state": {"t": 0.0, "y": 1.86, "d_y": -7.2}, "period": 1}]
STAGE = {"x": 1.0, "y": 2.0, "scale": 80.0}
LANES = [{"direction": "up", "value": 3.5, "state": {"t": 0.0, "y": 1.86, "d_y": -7.2}}]
BASINS = {"x": "y", "y": "d_y", "xFrom": 0.5, "xTo": 3.0, "yFrom": -8.0, "yTo": 8.0, "section": "phase:0"}
IMPACT: dict[str, Any] = {"A": 2.3, "B": -0.7, "C": 1.4, "v_t": 1.0, "v_n": -1.0, "mu": 0.9, "e": 0.5}
MAP = {"x": "theta", "y": "d_theta", "xFrom": -3.0, "xTo": 3.0, "yFrom": -5.0, "yTo": 5.0, "contact": "P2"}


def _final() -> dict[str, float]:
    system = jounce.compile_model(jounce.systems.slender_rod())
    options = jounce.Options(law="poisson", tolerance=1e-9)
    start = system.state(t=0.5, y=6.5, theta=0.25)
    return jounce.simulate(system, start, 12.5, options=options, omega=4.405, mu=0.05).final.as_dict()


def test_a_session_that_was_read_reads_the_same_again() -> None:
    catalogue = Catalogue()
    for given in (
        SESSION,
        BALL,
        {**BALL, "basins": {**BASINS, "size": 20}, "impact": IMPACT},
        {**SESSION, "impact": {**IMPACT, "map": MAP}, "time": 1.5, "view": [1.0, 2.0], "stage": STAGE, "theme": "dark"},
        {**BALL, "diagram": {**DIAGRAM, "branches": SEEDS}},
    ):
        session = read_session(given, catalogue)
        assert read_session(json.loads(json.dumps(session)), catalogue) == session
        for key, value in given.items():
            if not isinstance(value, dict):
                assert session[key] == value
            else:
                assert session[key].items() >= value.items()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"jounce_studio": 2}, "no session"),
        ({"system": "os"}, "has no system"),
        ({"parameters": {"omega": "__import__('os')"}}, "omega is"),
        ({"parameters": {"omega": 1e300}}, "omega is 1e+300"),
        ({"start": {"y; import os": 1}}, "unknown name"),
        ({"t_end": 1e12}, "t_end is"),
        ({"options": {"law": "x" * 300}}, "law is"),
        ({"panel": "shell"}, "panel is"),
        ({"diagram": {**DIAGRAM, "values": 10**9}}, "values is"),
        ({"diagram": {**DIAGRAM, "lanes": LANES * 9}}, "at most 8"),
        ({"diagram": "all"}, "expected named entries"),
        ({"diagram": {**DIAGRAM, "branches": SEEDS * 9}}, "at most 8"),
        ({"diagram": {**DIAGRAM, "branches": [{**SEEDS[0], "period": 0}]}}, "period is 0"),
        ({"view": [2.0, 1.0]}, "the second later"),
        ({"time": "now"}, "time is"),
        ({"theme": "url(x)"}, "theme is"),
        ({"stage": {**STAGE, "scale": 0.0}}, "scale is"),
        ({"impact": {**IMPACT, "mu": None}}, "mu is None"),
        ({"impact": {**IMPACT, "map": {**MAP, "contact": "tip"}}}, "contact is"),
    ],
)
def test_a_bad_session_is_refused_by_name(change: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message.replace("(", r"\(").replace("+", r"\+")):
        read_session({**SESSION, **change}, Catalogue())


def test_what_a_session_does_not_know_is_left_out() -> None:
    session = read_session({**SESSION, "code": "print(1)", "variables": ["y", 3, "__class__"]}, Catalogue())
    assert "code" not in session
    assert session["variables"] == ["y"]


def test_only_a_session_file_counts_as_one(tmp_path: Path) -> None:
    good, other, broken = (tmp_path / f"{name}.json" for name in ("good", "other", "broken"))
    good.write_text(json.dumps(SESSION))
    other.write_text("{}")
    broken.write_text("{" * 100)
    assert is_session(str(good))
    assert load_session(str(good)) == SESSION
    assert not is_session(str(other))
    assert not is_session(str(broken))
    assert not is_session(str(tmp_path / "absent.json"))
    assert not is_session("slender_rod")


def _run(script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[dict[str, Any], str]:
    monkeypatch.chdir(folder)
    names: dict[str, Any] = {}
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(script, "copied.py", "exec"), names)
    return names, output.getvalue()


def test_the_copied_script_makes_the_same_motion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = Catalogue()
    names, _ = _run(python_text(read_session(SESSION, catalogue), catalogue), tmp_path, monkeypatch)
    assert names["run"].final.as_dict() == _final()
    assert (tmp_path / "motion.png").stat().st_size > 1000


@pytest.mark.parametrize(("lanes", "starts"), [(None, []), (LANES, []), (None, [{"start": {"y": 1.2, "d_y": 3.0}}])])
def test_the_copied_script_makes_the_same_diagram(
    lanes: Any, starts: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, studio: Any
) -> None:
    catalogue = Catalogue()
    session = read_session({**BALL, "diagram": {**DIAGRAM, "lanes": lanes, "starts": starts}}, catalogue)
    names, _ = _run(python_text(session, catalogue), tmp_path, monkeypatch)
    assert list(tmp_path.glob("diagram*.png"))
    found = sum(len(part.quantity) for part in names["diagram"].points("d_y"))
    with connected(studio) as client:
        client.send("diagram", **{**session, **session["diagram"], "type": "diagram"})
        assert client.receive("diagram-done")[0]["points"] == found


def test_the_copied_script_lays_the_same_branch_over_the_diagram(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, studio: Any
) -> None:
    catalogue = Catalogue()
    with connected(studio) as client:
        client.send("diagram", **{**BALL, **DIAGRAM, "type": "diagram"})
        client.receive("diagram-done")
        clicked, (values, _, curves) = client.ask("branch", value=3.6, y=0.0)
        again, (same, _, _) = client.ask("branch", seed=clicked["seed"])
    assert again["type"] == "branch", again
    assert list(same) == list(values)
    given = {**DIAGRAM, "branches": [clicked["seed"]], "colour": "period", "low": -10.0, "high": 0.0}
    names, _ = _run(python_text(read_session({**BALL, "diagram": given}, catalogue), catalogue), tmp_path, monkeypatch)
    assert list(names["branch"].values) == list(values)
    drawn = {line.get_xdata()[0]: line.get_ydata()[0] for line in names["axes"].lines if len(line.get_xdata()) == 1}
    for value, height in zip(values, curves, strict=True):
        assert drawn[value] == pytest.approx(height, abs=1e-9)
    assert names["axes"].get_ylim() == (-10.0, 0.0)


def test_a_zoomed_diagram_of_both_directions_is_one_picture_and_two_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    catalogue = Catalogue()
    down = {"direction": "down", "value": 3.9, "state": {"t": 0.0, "y": 1.86, "d_y": -7.2}}
    session = read_session({**BALL, "diagram": {**DIAGRAM, "lanes": [*LANES, down]}}, catalogue)
    names, _ = _run(python_text(session, catalogue), tmp_path, monkeypatch)
    assert [path.name for path in tmp_path.glob("*.png")] == ["diagram.png"]
    assert sum(len(line.get_xdata()) >= 12 for line in names["axes"].lines) == 2
    for way, line in zip(("down", "up"), command_text(session, catalogue).splitlines(), strict=True):
        assert main(shlex.split(line)[1:]) == 0
        assert (tmp_path / f"diagram_{way}" / "diagram.png").exists()


@pytest.mark.parametrize("panel", ["basins", "impact"])
def test_the_other_scripts_run(panel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = Catalogue()
    given = {**BALL, "panel": panel, "basins": {**BASINS, "size": 8, "transient": 20}, "impact": IMPACT}
    names, output = _run(python_text(read_session(given, catalogue), catalogue), tmp_path, monkeypatch)
    if panel == "basins":
        assert names["basins"].shape == (8, 8)
    else:
        assert len(output.splitlines()) == len(jounce.Law)
        titles = [axes.get_title(loc="left").split(":")[0] for axes in names["figure"].axes]
        assert titles == [str(law) for law in jounce.Law]


def test_the_copied_script_makes_the_same_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = Catalogue()
    session = read_session({**SESSION, "panel": "impact", "impact": {**IMPACT, "map": MAP}}, catalogue)
    names, output = _run(python_text(session, catalogue), tmp_path, monkeypatch)
    assert len(output.splitlines()) == len(jounce.Law)
    assert names["modes"].contact == "P2"
    assert names["modes"].values[0][0] == -3.0
    assert (tmp_path / "painleve.png").stat().st_size > 1000


def test_the_copied_commands_make_the_same_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second command, beside that of the impact, says what the library says of the session's map."""
    catalogue = Catalogue()
    session = read_session({**SESSION, "panel": "impact", "impact": {**IMPACT, "map": MAP}}, catalogue)
    words = shlex.split(command_text(session, catalogue).splitlines()[1])
    monkeypatch.chdir(tmp_path)
    assert main([*words[1:], "--json", "map.json"]) == 0
    result = json.loads((tmp_path / "map.json").read_text())
    system = catalogue.entry(session["system"]).system
    over = {MAP["x"]: (MAP["xFrom"], MAP["xTo"]), MAP["y"]: (MAP["yFrom"], MAP["yTo"])}
    state = system.state(t=session["t_start"], **session["start"])
    modes = jounce.painleve.mode_map(system, over, "P2", state=state, points=160, **session["parameters"])
    assert result["contact"] == "P2"
    assert result["shares"] == {mode.name.lower(): share for mode, share in modes.fractions().items()}
    assert (tmp_path / "painleve.png").stat().st_size > 1000


@pytest.mark.parametrize("panel", ["motion", "diagram", "basins", "impact"])
def test_the_copied_command_runs(panel: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    catalogue = Catalogue()
    given = {**(SESSION if panel == "motion" else BALL), "panel": panel, "impact": IMPACT}
    if panel == "basins":
        given["basins"] = {**BASINS, "size": 8, "transient": 20}
    words = shlex.split(command_text(read_session(given, catalogue), catalogue))
    monkeypatch.chdir(tmp_path)
    assert words[0] == "jounce"
    assert main([*words[1:], "--json", "result.json"]) == 0
    result = json.loads((tmp_path / "result.json").read_text())
    if panel == "motion":
        final = result["final"] if "final" in result else result["final_state"]
        assert final["theta"] == pytest.approx(_final()["theta"], abs=1e-12)
    assert list(tmp_path.rglob("*.png"))


def test_an_own_model_is_named_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "own_rod.py"
    path.write_text("from jounce.systems import slender_rod\n\n\ndef my_rod():\n    return slender_rod()\n")
    catalogue = Catalogue(jounce.systems.slender_rod(), f"{path}:my_rod")
    session = read_session(SESSION, catalogue)
    monkeypatch.syspath_prepend(str(tmp_path))
    names, _ = _run(python_text(session, catalogue), tmp_path, monkeypatch)
    assert names["run"].final.as_dict() == _final()
    assert f"{path}:my_rod" in command_text(session, catalogue)


# ---------------------------------------------------------------------- in the browser


@pytest.fixture
def downloads(page: Page, tmp_path: Path) -> Path:
    behaviour = {"behavior": "allow", "downloadPath": str(tmp_path)}
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", behaviour)
    return tmp_path


def _downloaded(folder: Path, suffix: str) -> Path:
    end = time.perf_counter() + 60.0
    while time.perf_counter() < end:
        found = [path for path in folder.iterdir() if path.name.endswith(suffix)]
        if found and found[0].stat().st_size:
            return found[0]
        time.sleep(0.02)
    raise AssertionError(f"no {suffix} was saved")


def _turn(page: Page) -> dict[str, float]:
    """Turn some knobs; the state at the end of the motion then shown."""
    page.after(lambda: page.type('[data-entry="omega"]', "4.405"))
    page.after(lambda: page.type('[data-entry="theta"]', "0.25"))
    page.after(lambda: page.type('[data-entry="t_end"]', "12"))
    shown: dict[str, float] = page.data(".motion", "final")
    return shown


def test_a_saved_session_restores_the_screen(page: Page, downloads: Path, studio: Any) -> None:
    final = _turn(page)
    page.script(
        "const m = jounceStudio.motion; m.setTime(3); m.history.zoom(2, 5); m.stage.choose(arguments[0])", STAGE
    )
    page.click(".theme")
    colours = page.script("return jounceStudio.theme.name")
    page.click('[data-tab="session"]')
    page.click('[data-do="save"]')
    saved = _downloaded(downloads, ".studio.json")
    content = json.loads(saved.read_text())
    assert content["parameters"] == {"omega": 4.405}
    assert saved.stat().st_size < 4000
    assert content["time"] == 3.0
    assert content["theme"] == colours
    assert content["stage"] == STAGE
    assert content["view"] == pytest.approx([2.0, 5.0])
    page.open(studio.address)
    page.wait(lambda: page.serial() >= 1, "the page anew")
    assert page.data(".motion", "final") != final
    assert page.script("return jounceStudio.theme.name") != colours
    page.click('[data-tab="session"]')
    page.one('[data-do="load"]').send_keys(str(saved))
    page.wait(lambda: page.data(".motion", "final") == final, "the motion of the session")
    assert page.one('[data-entry="omega"]').get_attribute("value") == "4.405"
    assert page.script("return jounceStudio.theme.name") == colours
    assert page.script("return jounceStudio.motion.time") == 3.0
    assert page.script("return jounceStudio.motion.stage.chosen()") == STAGE
    assert page.script("return jounceStudio.motion.history.view") == pytest.approx([2.0, 5.0])


def test_a_restored_diagram_has_its_branches(page: Page) -> None:
    page.script("jounceStudio.restore(arguments[0])", {**BALL, "diagram": {**DIAGRAM, "branches": SEEDS}})
    page.wait(lambda: page.script("return jounceStudio.panels[1].layer.branches.length"), "the branch")
    kept = page.script("return jounceStudio.snapshot().diagram.branches")
    assert [seed["value"] for seed in kept] == [3.6]
    before = page.data(".diagram", "started")
    page.click('.diagram [data-do="whole"]')
    page.wait(lambda: page.data(".diagram", "started") > before, "the diagram anew")
    assert page.script("return jounceStudio.snapshot().diagram.branches") == []


def test_a_link_restores_the_screen_and_a_broken_file_is_refused(page: Page, downloads: Path, studio: Any) -> None:
    final = _turn(page)
    page.click('[data-tab="session"]')
    link = page.script("return jounceStudio.panels.find((p) => p.name == 'session').link()")
    page.open(link)
    page.wait(lambda: page.data(".motion", "final") == final, "the motion of the link")
    bad = downloads / "bad.json"
    bad.write_text(json.dumps({"jounce_studio": 1, "system": "slender_rod", "t_end": 1e12}))
    page.click('[data-tab="session"]')
    page.one('[data-do="load"]').send_keys(str(bad))
    assert "t_end is" in page.one(".error").text


def test_scripts_are_shown_for_copying(page: Page) -> None:
    _turn(page)
    page.click('[data-tab="session"]')
    page.wait(lambda: "omega=4.405" in page.one('[data-text="python"]').text, "the script")
    assert "jounce simulate slender_rod" in page.one('[data-text="command"]').text
    page.click('[data-copy="python"]')
    page.wait(lambda: "python copied" in page.one(".said").text, "the word that it was copied")


def test_one_html_file_plays_without_a_server(page: Page, downloads: Path) -> None:
    final = _turn(page)
    page.click('[data-tab="session"]')
    page.click('[data-do="film"]')
    film = _downloaded(downloads, ".html")
    page.driver.get_log("browser")  # what earlier pages said
    page.open(film.as_uri())
    page.wait(lambda: page.data(".motion", "details"), "the film's events")
    assert page.data(".motion", "final") == final
    page.click(".play")
    page.wait(lambda: page.script("return jounceStudio.motion.time") > 0.05, "the film to run")
    assert page.script("return jounceStudio.motion.history.plots.length") == 3
    assert not [entry for entry in page.driver.get_log("browser") if entry["level"] == "SEVERE"]
    requests = page.script("return performance.getEntriesByType('resource').map((entry) => entry.name)")
    assert not [name for name in requests if name.startswith("http")]


def test_a_reload_keeps_what_was_on_the_screen(page: Page, studio: Any) -> None:
    ball = {"jounce_studio": 1, "system": "ball_on_table", "t_end": 10.0, "panel": "motion"}
    page.script("jounceStudio.restore(arguments[0])", ball)
    page.wait(lambda: page.script("return jounceStudio.info?.name") == "ball_on_table", "the other system")
    page.after(lambda: page.type('aside input[data-entry="e"]', "0.625"))
    page.driver.refresh()
    page.wait(lambda: page.script("return jounceStudio.info?.name") == "ball_on_table", "the same system again")
    assert page.script("return jounceStudio.session.parameters.e") == 0.625
    page.open(studio.address)  # a link that is opened begins anew
    page.wait(lambda: page.data(".motion", "details"), "the first motion")
    assert page.script("return jounceStudio.info.name") == "slender_rod"


def test_a_motion_that_was_refused_is_not_shown_as_if_it_were_one(page: Page) -> None:
    page.type('aside input[data-entry="e"]', "3")
    page.wait(lambda: "restitution is 3" in page.text(".errors"), "the refusal")
    stage = "return getComputedStyle(document.querySelector('.stage-box')).opacity"
    assert page.script(stage) == "0.4"
    page.after(lambda: page.type('aside input[data-entry="e"]', "0.5"))
    assert page.script(stage) == "1"
