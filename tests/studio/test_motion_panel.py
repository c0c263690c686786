"""The Motion panel, used as a person would."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

import jounce
from jounce.studio import server
from tests.studio.browser import Page, running_studio, what_is_missing
from tests.studio.client import connected

CURVE = "const p = jounceStudio.motion.history.plots[1]; return Array.from(p.data[1]).filter((v, k) => k % 50 == 0)"


def _simulated(**overrides: Any) -> dict[str, float]:
    system = jounce.compile_model(jounce.systems.slender_rod())
    t_end = overrides.pop("t_end", 42.0)
    state = system.state(**{name: overrides.pop(name) for name in list(overrides) if name in ("y", "theta", "x")})
    return jounce.simulate(system, state, t_end, **overrides).final.as_dict()


def _is_simulated(page: Page, **overrides: Any) -> None:
    shown, wanted = page.data(".motion", "final"), _simulated(**overrides)
    for name, value in wanted.items():
        assert abs(shown[name] - value) <= 1e-12 * (1 + abs(value)), name


def test_a_slider_changes_the_curve_while_it_is_moved(page: Page) -> None:
    _is_simulated(page)
    before = page.script(CURVE)
    slider = page.one('[data-knob="omega"]')
    width, height = slider.size["width"], slider.size["height"]
    at = page.script("return Number(arguments[0].value) / 1000", slider)
    answers = page.serial()
    start = (8 + at * (width - 16), height / 2)
    page.drag(slider, start, (start[0] + 0.2 * width, height / 2), hold=True)  # the hand is still on it
    page.wait(lambda: page.serial() > answers, "an answer to the drag")
    during = page.script(CURVE)
    assert during != before
    from selenium.webdriver.common.action_chains import ActionChains

    page.after(lambda: ActionChains(page.driver).release().perform())
    omega = float(page.one('[data-entry="omega"]').get_attribute("value"))
    assert omega > 3.5
    _is_simulated(page, omega=omega)


def test_an_exact_entry_beyond_the_slider(page: Page) -> None:
    page.after(lambda: page.type('[data-entry="omega"]', "12.75"))
    _is_simulated(page, omega=12.75)
    assert page.one('[data-knob="omega"]').get_attribute("value") == "1000"


def test_a_dragged_body_sets_the_start(page: Page) -> None:
    canvas = page.one("canvas.stage")
    where = page.script(
        "const s = jounceStudio.motion.stage, v = s.view, k = s.size;"
        "return [k.width / 2 + (0 - v.x) * v.scale, k.height / 2 - (6 - v.y) * v.scale, v.scale]"
    )
    page.after(lambda: page.drag(canvas, (where[0], where[1]), (where[0] + 40, where[1] + 60)))
    # answers to the parts of the drag come first; the run after it is asked for when the last of them is there
    asked = "const m = jounceStudio.motion; return m.settling || m.fresh"
    page.wait(lambda: not page.script(asked), "the run after the drag")
    start = page.data(".motion", "start")
    assert start["x"] == pytest.approx(40 / where[2], abs=2.0 / where[2])
    assert start["y"] == pytest.approx(6 - 60 / where[2], abs=2.0 / where[2])
    _is_simulated(page, x=start["x"], y=start["y"], theta=start["theta"])
    assert float(page.one('[data-entry="y"]').get_attribute("value")) == start["y"]


def test_the_stage_is_zoomed_and_moved_by_hand_and_framed_anew(page: Page) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin

    canvas = page.one("canvas.stage")
    view = "const {x, y, scale} = jounceStudio.motion.stage.view; return [x, y, scale]"
    x, _, scale = page.script(view)
    origin = ScrollOrigin.from_element(canvas, 100, 0)
    ActionChains(page.driver).scroll_from_origin(origin, 0, -500).perform()
    page.wait(lambda: page.script(view)[2] > 2.0 * scale, "a larger picture")
    nearer = page.script(view)
    assert nearer[0] + 100 / nearer[2] == pytest.approx(x + 100 / scale, abs=2 / scale)  # what is under the pointer
    width, height = canvas.size["width"], canvas.size["height"]
    page.drag(canvas, (width - 60, 40), (width - 90, 60))
    moved = page.script(view)
    assert moved[:2] == pytest.approx([nearer[0] + 30 / nearer[2], nearer[1] + 20 / nearer[2]], abs=2 / scale)
    page.after(lambda: page.type('[data-entry="omega"]', "3.1"))
    assert page.script(view) == moved  # a new run leaves it as it is
    corner = (width // 2 - 20, 30 - height // 2)

    def framed() -> bool:  # where the machine is busy two clicks may come too far apart to be a double click
        ActionChains(page.driver).move_to_element_with_offset(canvas, *corner).double_click().perform()
        return bool(page.script(view)[2] < 2.0 * scale)

    page.wait(framed, "the whole motion")


def test_play_scrub_and_jump_to_an_event(page: Page) -> None:
    row = page.all(".events tbody tr")[2]
    t = float(row.get_attribute("data-t"))
    row.click()
    assert f"{t:.3f}" in page.one(".clock").text
    page.click(".play")
    page.wait(lambda: page.script("return jounceStudio.motion.time") > t + 0.05, "the film to run")
    page.click(".play")
    stopped = page.script("return jounceStudio.motion.time")
    scrubber = page.one(".scrubber")
    page.drag(scrubber, (20, 8), (0.7 * scrubber.size["width"], 8))
    assert page.script("return jounceStudio.motion.time") > stopped + 5.0


def test_a_history_zooms_with_samples_of_the_view(page: Page) -> None:
    over = page.one(".history .u-over")
    width = over.size["width"]
    page.drag(over, (0.2 * width, 20), (0.3 * width, 20))
    inside = "const v = jounceStudio.motion.history.view; const t = jounceStudio.motion.history.data.times;"
    inside += "return t.filter((x) => x >= v[0] && x <= v[1]).length"
    page.wait(lambda: page.script(inside) >= 4000, "samples of the window")
    view = page.script("return jounceStudio.motion.history.view")
    assert view == pytest.approx([0.2 * 42, 0.3 * 42], abs=0.6)


def test_an_absurd_span_is_refused_in_the_page(page: Page) -> None:
    page.type('[data-entry="t_end"]', "1e12")
    assert "between 0 and 100000" in page.one(".error").text
    page.after(lambda: page.type('[data-entry="t_end"]', "5"))
    assert not page.all(".error")
    _is_simulated(page, t_end=5.0)


def test_what_one_panel_computes_or_refuses_is_shown_in_it_alone(page: Page) -> None:
    width = "return document.querySelector('.busy').style.width"
    page.script("jounceStudio.busy('basins', 0.3)")
    assert page.script(width) in ("0", "0px")
    page.script("jounceStudio.showError({type: 'error', panel: 'painleve', message: 'no map'})")
    shown = "return document.querySelector('.error').offsetParent !== null"  # a panel may make the element anew
    assert not page.script(shown)
    page.click('[data-tab="impact"]')
    page.wait(lambda: page.script(shown), "the message of the panel")
    page.script("jounceStudio.session.panel = 'basins'; jounceStudio.showBusy()")
    assert page.script(width) == "30%"


def test_names_units_and_entries_read_well(page: Page) -> None:
    """rod_theta holds a letter, m/s^2 a power, and rounding does not fill an entry with digits."""
    page.script("jounceStudio.setStart({...arguments[0], x: 0.1 + 0.05})", page.data(".motion", "start"))
    assert page.one('[data-entry="x"]').get_attribute("value") == "0.15"
    assert page.script("return jounceStudio.session.start.x") == 0.1 + 0.05
    assert "g [m/s²]" in page.one(".knobs").text
    assert page.script("return jounceStudio.symbol('d_rod_theta')") == "drod_θ/dt"
    assert page.script("return jounceStudio.symbol('thetas')") == "thetas"


def test_the_strip_of_the_contacts_is_not_cut_off(page: Page) -> None:
    """Three contacts, and names of variables that take two lines once the legend stands beside them."""
    page.script("const s = document.querySelector('.systems'); s.value = 'woodpecker';")
    page.after(lambda: page.script("document.querySelector('.systems').dispatchEvent(new Event('change'))"))
    below = (
        "const [strip, box] = ['.strip', '.history'].map((n) => document.querySelector(n).getBoundingClientRect());"
        "return strip.bottom - box.bottom"
    )
    page.wait(lambda: page.script(below) <= 1.0, "the strip inside its box")
    assert page.script("return jounceStudio.motion.history.stripRows.length") == 3


def test_a_page_too_many_is_told_so(driver: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "CONNECTIONS", 1)
    with running_studio() as studio, connected(studio):
        page = Page(driver)
        page.open(studio.address)
        page.wait(lambda: "1 pages are open already" in page.one(".link-state").text, "the refusal")


def test_another_system_and_every_theme(page: Page) -> None:
    page.script("const s = document.querySelector('.systems'); s.value = 'belt_oscillator';")
    page.after(lambda: page.script("document.querySelector('.systems').dispatchEvent(new Event('change'))"))
    assert page.script("return jounceStudio.info.name") == "belt_oscillator"
    page.driver.get_log("browser")  # what earlier pages said
    papers = set()
    for _ in range(3):
        page.click(".theme")
        papers.add(page.script("return getComputedStyle(document.querySelector('.jounce')).backgroundColor"))
    assert len(papers) == 3
    assert not [entry for entry in page.driver.get_log("browser") if entry["level"] == "SEVERE"]


def test_a_wrong_link_shows_why(driver: Any, studio: Any) -> None:
    driver.get(f"http://127.0.0.1:{studio.port}/?token=wrong")
    assert "token is missing or wrong" in driver.find_element("tag name", "body").text


@pytest.mark.skipif(what_is_missing() is not None, reason=str(what_is_missing()))
def test_a_killed_server_is_noticed_and_found_again(driver: Any) -> None:
    token = "0123456789abcdefghijklmnop"

    def start(port: int) -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-c", "from jounce.cli import main; raise SystemExit(main())", "studio"]
        command += ["--no-browser", "--port", str(port)]
        environment = {**os.environ, "JOUNCE_STUDIO_TOKEN": token}
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert process.stdout is not None
        return process, process.stdout.readline().strip()

    process, address = start(0)
    page = Page(driver)
    try:
        page.open(address)
        page.wait(lambda: page.serial() >= 1, "the first motion")
        page.after(lambda: page.type('[data-entry="omega"]', "4.2"))
        process.kill()
        process.wait()
        page.wait(lambda: "does not answer" in page.one(".link-state").text, "the page to say so")
        process, again = start(int(address.split(":")[2].split("/")[0]))
        assert again == address
        page.wait(lambda: page.one(".link-state").text == "", "the page to connect again")
        page.wait(lambda: page.script("return !!jounceStudio.info && !jounceStudio.motion.fresh"), "its motion")
        _is_simulated(page, omega=4.2)
    finally:
        process.kill()
        process.wait()
