"""Diagrams: what is streamed equals sweep, zooms refine it, clicks give motions and branches of it, all bounded."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import jounce
from jounce.studio import limits, streaming
from jounce.studio.catalogue import Catalogue
from jounce.studio.diagram import read_diagram, send_diagram
from jounce.studio.jobs import Cancelled, Job
from jounce.studio.protocol import Fields
from jounce.studio.raster import Raster
from tests.orbits.closed_form import flip
from tests.studio.browser import Page
from tests.studio.client import Client, connected

E = 0.5
START = {"y": 1.86, "d_y": -7.2}  # near the orbit with one bounce a period at omega = 3.5
REQUEST: dict[str, Any] = {
    "system": "ball_on_table",
    "parameters": {"e": E},
    "start": START,
    "parameter": "omega",
    "from": 3.5,
    "to": 4.1,
    "section": "phase:0",
    "quantity": "y",
    "values": 120,
    "transient": 200,
    "keep": 32,
}


def streamed(client: Client, **changes: Any) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """The head, and the points in world coordinates, sorted."""
    client.send("diagram", **{**REQUEST, **changes})
    head, x, y = {}, [], []
    while True:
        content, arrays = client.receive("diagram", "diagram-points", "diagram-raster", "diagram-done", "error")
        assert content["type"] != "error", content["message"]
        if content["type"] == "diagram":
            head = content
        elif content["type"] == "diagram-points":
            x.append(head["from"] + arrays[0].astype(float) * (head["to"] - head["from"]))
            y.append(head["y0"] + arrays[1].astype(float))
        elif content["type"] == "diagram-done":
            columns = np.concatenate(x), np.concatenate(y)
            order = np.lexsort(columns[::-1])
            return {**content, **head, "points": content["points"]}, columns[0][order], columns[1][order]


@pytest.mark.parametrize("direction", ["up", "both"])
def test_what_is_streamed_equals_sweep(studio: Any, direction: str) -> None:
    with connected(studio) as client:
        head, x, y = streamed(client, direction=direction)
    system = jounce.compile_model(jounce.systems.ball_on_table())
    diagram = jounce.sweep(
        system, "omega", np.linspace(3.5, 4.1, 120), "phase:0", system.state(**START), transient=200, patience=1,
        keep=32, direction=direction, e=E,
    )  # fmt: skip
    parts = list(diagram.points("y"))
    wanted_x = np.concatenate([part.parameter for part in parts])
    wanted_y = np.concatenate([part.quantity for part in parts])
    order = np.lexsort((wanted_y, wanted_x))
    assert head["points"] == len(wanted_x) == len(x)
    np.testing.assert_allclose(x, wanted_x[order], atol=1e-6)
    np.testing.assert_allclose(y, wanted_y[order], atol=1e-6)


@pytest.mark.parametrize("section", ["phase:0", "impact:table"])
def test_a_zoom_follows_the_branch_on_the_screen_with_more_points(studio: Any, section: str) -> None:
    with connected(studio) as client:
        _, x, y = streamed(client, section=section)
        window: dict[str, Any] = {"from": 3.9, "to": 3.95}
        inside = (x >= 3.9) & (x <= 3.95)
        window["section"] = section
        head, fine, heights = streamed(client, **window, zoom=True, y0=2.0, low=0.0, high=4.0)
        assert len(fine) > 5 * inside.sum()
        assert heights.min() >= y[inside].min() - 0.05
        assert heights.max() <= y[inside].max() + 0.05  # and not the ball at rest on the table, which attracts too
        lane = head["lanes"][0]
        assert 3.89 < lane["value"] <= 3.9
        _, again, same = streamed(client, **window, lanes=head["lanes"])  # as a session restores it
        np.testing.assert_allclose(again, fine, atol=1e-7)
        np.testing.assert_allclose(same, heights, atol=1e-6)


def test_a_click_gives_the_motion_of_the_point(studio: Any) -> None:
    with connected(studio) as client:
        streamed(client)
        found, _ = client.ask("pick", "picked", value=3.6, y=0.0)
        assert found["kind"] == "period 1"
        motion, _ = client.ask(
            "motion", system="ball_on_table", parameters={"e": E, "omega": found["value"]}, start=found["start"],
            t_start=found["t"], t_end=found["t"] + 20.0,
        )  # fmt: skip
    system = jounce.compile_model(jounce.systems.ball_on_table())
    start = system.state(t=found["t"], **found["start"])
    run = jounce.simulate(system, start, found["t"] + 20.0, e=E, omega=found["value"])
    for name, value in run.final.as_dict().items():
        assert abs(motion["final"][name] - value) <= 1e-12 * (1 + abs(value))
    period = 2 * np.pi / found["value"]
    np.testing.assert_allclose(run.states([found["t"] + period])[0], run.states([found["t"]])[0], atol=1e-6)


def test_a_branch_with_its_flip_lies_on_the_diagram(studio: Any) -> None:
    with connected(studio) as client:
        _, x, y = streamed(client, **{"from": 3.5, "to": 3.95, "values": 40})
        content, (values, stable, curves) = client.ask("branch", value=3.6, y=0.0)
        assert content["type"] == "branch", content
        doubling = [special for special in content["specials"] if special["kind"] == "period doubling"]
        assert len(doubling) == 1
        assert doubling[0]["value"] == pytest.approx(flip(1, E), abs=1e-7)
        assert np.array_equal(stable == 1, values < flip(1, E))
        below = x < 3.85
        order = np.argsort(values)
        np.testing.assert_allclose(np.interp(x[below], values[order], curves[order]), y[below], atol=2e-3)
        orbit, _ = client.ask("orbit", branch=content["branch"], index=int(order[0]))
        assert orbit["stable"]
        assert len(orbit["multipliers"]) == 2
        product = complex(*orbit["multipliers"][0]) * complex(*orbit["multipliers"][1])
        assert product == pytest.approx(E**2, abs=1e-6)  # the determinant of one bounce


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"values": 10**9}, "between 2 and 4,000"),
        ({"keep": 50_000}, "points; at most"),
        ({"transient": 90_000, "keep": 20_000, "values": 2}, "at most 100,000 are taken"),
        ({"from": 4.0, "to": 3.0}, "second must be larger"),
        ({"parameter": "gravity"}, "gravity"),
        ({"section": "__import__('os').system('id')"}, "section"),
        ({"section": "plane:__import__('os').getcwd()=0:1"}, "__import__"),
        ({"section": "impact:floor"}, "floor"),
        ({"quantity": "colour"}, "colour"),
        ({"lanes": [{"direction": "up", "value": 3.5, "state": {}}] * 9}, "at most 8"),
        ({"from": -1.0}, "does not repeat itself"),
    ],
)
def test_an_absurd_diagram_is_refused(studio: Any, change: dict[str, Any], message: str) -> None:
    with connected(studio) as client:
        assert message in client.refusal("diagram", **{**REQUEST, **change})
        assert "no diagram yet" in client.refusal("pick", value=3.0, y=0.0)


def test_a_newer_diagram_ends_the_older_at_once(studio: Any) -> None:
    """An hour of work, then a small diagram: its first points come at once, and nothing more of the old one."""
    with connected(studio) as client:
        long = {**REQUEST, "values": 4000, "transient": 90_000, "keep": 1000, "from": 3.9, "to": 5.0}
        client.send("diagram", **long)
        client.receive("diagram")
        time.sleep(0.2)
        began = time.perf_counter()
        number = client.send("diagram", **REQUEST)
        head, _ = client.receive("diagram")
        waited = time.perf_counter() - began
        assert head["id"] == number
        assert waited < 10.0, waited  # the older one has an hour of work
        client.receive("diagram-done")


def test_a_diagram_that_is_given_up_ends_at_once_though_its_sender_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "PAUSE", (60.0, 60.0))
    request = {**REQUEST, "values": 4000, "transient": 90_000, "keep": 100}
    diagram = read_diagram(Fields(request, "request"), Catalogue().entry("ball_on_table"), None)
    job = Job("diagram", 1, lambda *_: None)
    with ThreadPoolExecutor(1) as pool:
        ended = pool.submit(send_diagram, job, diagram)
        time.sleep(0.3)
        assert not ended.done()
        job.cancel()
        began = time.perf_counter()
        with pytest.raises(Cancelled):
            ended.result(timeout=30.0)
    assert (
        time.perf_counter() - began < 20.0
    )  # 50 ms on a machine without other work, and 60 s if it waited for its sender


def test_a_chaotic_diagram_that_is_given_up_computes_no_further() -> None:
    """Of the 90,000 returns of a value none is begun any more, by processor time, which other work leaves alone."""
    request = {**REQUEST, "values": 4000, "transient": 90_000, "keep": 100, "direction": "down"}
    diagram = read_diagram(Fields(request, "request"), Catalogue().entry("ball_on_table"), None)
    for _ in range(3):
        job = Job("diagram", 1, lambda *_: None)
        with ThreadPoolExecutor(1) as pool:
            ended = pool.submit(send_diagram, job, diagram)
            time.sleep(0.3)
            worked = time.process_time()
            job.cancel()
            with pytest.raises(Cancelled):
                ended.result(timeout=30.0)
        assert time.process_time() - worked < 0.05


def test_many_points_become_a_raster(studio: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "RASTER_POINTS", 500)
    with connected(studio) as client:
        client.send("diagram", **{**REQUEST, "width": 300, "height": 200})
        content, (image,) = client.receive("diagram-raster")
        assert image.shape == (300 * 200,)
        assert content["low"] < content["high"]
        last = client.receive("diagram-done")[0]
        assert last["points"] > 500


@pytest.mark.parametrize(("chaotic", "shown"), [(30, "raster"), (8, "points")])
def test_a_raster_is_foreseen_and_gives_way_to_points_if_there_are_fewer(
    monkeypatch: pytest.MonkeyPatch, chaotic: int, shown: str
) -> None:
    """Thirty points a value at first, one later: 900 or 264 of them where the limit is 300."""
    monkeypatch.setattr(limits, "RASTER_POINTS", 300)
    request = {**REQUEST, "values": 32, "width": 64, "height": 64}
    diagram = read_diagram(Fields(request, "request"), Catalogue().entry("ball_on_table"), None)
    sent: list[tuple[str, int]] = []
    stream = streaming.DiagramStream(
        Job("diagram", 1, lambda _, content, arrays: sent.append((content["type"], arrays[0].size))), diagram
    )
    for value in range(32):
        size = 30 if value < chaotic else 1
        x, y = np.full(size, value / 31.0, np.float32), np.linspace(0.0, 1.0, size, dtype=np.float32)
        stream._send([streaming.Points(0, 1, x, y, np.zeros(size, np.uint8), np.zeros(size, np.uint8))])
    kinds = [kind for kind, _ in sent]
    assert kinds[0] == "diagram-points"  # too few to foresee anything
    assert kinds[1] == "diagram-raster"  # 60 points of 2 values of 32
    assert diagram.raster.image().astype(bool).any()
    assert kinds[-1] == f"diagram-{shown}"
    points = sum(size for kind, size in sent if kind == "diagram-points")
    assert points == (30 if shown == "raster" else 30 * chaotic + 32 - chaotic)
    assert "diagram-raster" not in kinds[1 + kinds.count("diagram-raster") :]  # no way back and forth between the two


def test_a_raster_counts_every_point_once() -> None:
    generator = np.random.default_rng(1)
    raster = Raster(50, 40)
    x, y = generator.random(5000).astype(np.float32), generator.normal(size=5000)
    for part in np.array_split(np.arange(5000), 17):
        raster.add(x[part], y[part])
        raster.count()
    assert raster.counts.sum() == 5000  # though the range grew many times
    fixed = Raster(50, 40)
    fixed.fix(-1.0, 1.0)
    fixed.add(x, y)
    fixed.count()
    assert fixed.counts.sum() == np.sum((y > -1.0) & (y <= 1.0))
    assert fixed.image().max() == 255
    assert np.array_equal(fixed.image() > 0, fixed.counts > 0)


# ---------------------------------------------------------------------- in the browser


@pytest.fixture
def diagram(page: Page) -> Page:
    """The diagram of the ball on its cascade."""
    page.script("const s = document.querySelector('.systems'); s.value = 'ball_on_table';")
    page.after(lambda: page.script("document.querySelector('.systems').dispatchEvent(new Event('change'))"))
    for name, value in (("e", E), ("y", START["y"]), ("d_y", START["d_y"])):
        page.after(lambda name=name, value=value: page.type(f'[data-entry="{name}"]', str(value)))
    page.script(
        "Object.assign(jounceStudio.session.diagram, {from: 3.5, to: 4.1, transient: 200, keep: 32, values: 150});"
        "jounceStudio.panels[1].makeBar(jounceStudio.info);"
    )
    page.click('[data-tab="diagram"]')
    finished(page)
    return page


def finished(page: Page, after: int = 0) -> int:
    """Wait for a diagram that began after the given one; its number."""
    number = "return Number(document.querySelector('.diagram').dataset.done ?? 0)"
    page.wait(lambda: page.script(number) > after, "the diagram to be done")
    return int(page.script(number))


INSIDE = (
    "const p = jounceStudio.panels[1], v = p.plane.view, c = p.picture.cloud;"
    "const x = new Float32Array(c.count), gl = p.picture.painter.gl; gl.bindBuffer(gl.ARRAY_BUFFER, c.x);"
    "gl.getBufferSubData(gl.ARRAY_BUFFER, 0, x);"
    "const [low, high] = [arguments[0], arguments[1]].map((w) => (w - c.from) / (c.to - c.from));"
    "return x.filter((f) => f >= low && f <= high).length"
)


def test_a_zoomed_diagram_is_computed_anew_with_more_points_inside(diagram: Page) -> None:
    before = finished(diagram)
    over = diagram.one(".diagram .over")
    width, height = over.size["width"], over.size["height"]
    low, high = diagram.script(
        "const v = jounceStudio.panels[1].plane.view, w = v.x1 - v.x0; return [v.x0 + 0.5 * w, v.x0 + 0.7 * w]"
    )
    coarse = diagram.script(INSIDE, low, high)
    edge = 66  # of the axes
    inner = width - edge - 14
    diagram.drag(over, (edge + 0.5 * inner, 30), (edge + 0.7 * inner, height - 60))
    finished(diagram, before)
    fine = diagram.script(INSIDE, low, high)
    assert fine > 3 * coarse
    assert diagram.script(PAINTED)[0] > 500
    diagram.click('.diagram [data-do="whole"]')


#: How many pixels of the diagram are painted, and the mean of their red parts.
PAINTED = (
    "const g = jounceStudio.panels[1].picture.painter.gl, w = g.drawingBufferWidth, h = g.drawingBufferHeight;"
    "const d = new Uint8Array(4 * w * h); g.readPixels(0, 0, w, h, g.RGBA, g.UNSIGNED_BYTE, d);"
    "let n = 0, red = 0; for (let k = 3; k < d.length; k += 4) if (d[k] > 0) { n += 1; red += d[k - 3] }"
    "return [n, red / n]"
)


#: A diagram begins in the page as if the server had sent its head; what is drawn of it is written down.
BEGIN_STREAM = (
    "const panel = jounceStudio.panels[1], s = jounceStudio.session.diagram, g = panel.picture.painter.gl;"
    "const draw = g.drawArrays.bind(g); window.drawnPoints = [];"
    "g.drawArrays = (mode, first, count) => { drawnPoints.push([first, count]); draw(mode, first, count) };"
    "panel.begin({parameter: s.parameter, parameter_unit: '', quantity: s.quantity, unit: '', section: s.section,"
    " from: 0, to: 1, y0: 0, size: 1, lanes: panel.lanes});"
)
TAKE = (
    "const n = arguments[0], values = Float32Array.from({length: n}, (_, k) => (k + 0.5) / n);"
    "const bytes = new Uint8Array(n);"
    "jounceStudio.panels[1].take({lane: 0, fraction: 0.1}, [values, values, bytes, bytes])"
)


def test_a_point_that_streams_in_is_drawn_once_and_once_more_at_the_end(diagram: Page) -> None:
    """The messages of a stream are made here: how many a real one has depends on the speed of the machine."""
    finished(diagram)
    diagram.script(BEGIN_STREAM)
    counts = [100, 30, 2000, 7]
    for count in counts:
        before = diagram.data(".diagram", "serial")
        diagram.script(TAKE, count)
        diagram.wait(lambda before=before: diagram.data(".diagram", "serial") > before, "the new points to be drawn")
    points = sum(counts)
    diagram.script("jounceStudio.panels[1].done({points: arguments[0], values: 1, seconds: 1})", points)
    calls = diagram.script("delete jounceStudio.panels[1].picture.painter.gl.drawArrays; return drawnPoints")
    assert calls == [[0, 100], [100, 30], [130, 2000], [2130, 7], [0, points]]
    diagram.click('.diagram [data-do="whole"]')


def test_a_density_picture_has_the_ink_of_its_theme(diagram: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    before = finished(diagram)
    monkeypatch.setattr(limits, "RASTER_POINTS", 500)
    diagram.script("jounceStudio.setTheme('light')")
    diagram.click('.diagram [data-do="whole"]')
    finished(diagram, before)
    many, dark_on_light = diagram.script(PAINTED)
    diagram.script("jounceStudio.setTheme('dark')")
    same, light_on_dark = diagram.script(PAINTED)
    diagram.script("jounceStudio.setTheme('light')")
    assert same == many > 100
    assert light_on_dark > dark_on_light + 50
    assert "density" in diagram.one(".diagram .legend").text


def test_a_diagram_of_nothing_but_rounding_is_a_line_in_a_wide_view(page: Page) -> None:
    """A rod that lies on a slow floor: its height is 1e-14 m at each period."""
    page.script(
        "Object.assign(jounceStudio.session.diagram, {from: 2.3, to: 2.5, transient: 50, keep: 8, values: 20});"
        "jounceStudio.panels[1].makeBar(jounceStudio.info);"
    )
    page.click('[data-tab="diagram"]')
    finished(page)
    view, (low, high) = page.script("const p = jounceStudio.panels[1]; return [p.plane.view, p.picture.range]")
    assert high - low < 1e-9
    assert view["y0"] < -0.1 < 0.1 < view["y1"]


def test_a_second_start_is_followed_beside_the_first(diagram: Page) -> None:
    before = finished(diagram)
    diagram.click('.diagram [data-do="add-start"]')
    before = finished(diagram, before)
    assert diagram.script("return jounceStudio.panels[1].lanes.length") == 2
    assert diagram.script("return document.querySelector('.starts').dataset.count") == "2"
    diagram.click('.diagram [data-do="one-start"]')
    finished(diagram, before)
    assert diagram.script("return jounceStudio.panels[1].lanes.length") == 1


def test_a_clicked_point_moves_on_the_stage(diagram: Page) -> None:
    over = diagram.one(".diagram .over")
    from selenium.webdriver.common.action_chains import ActionChains

    where = diagram.script(
        "const p = jounceStudio.panels[1].plane, v = p.view, i = p.inner();"
        "return [66 + (3.6 - v.x0) / (v.x1 - v.x0) * i.width, 10 + i.height / 2]"
    )
    size = over.size
    before = diagram.serial()
    offset = (int(where[0] - size["width"] / 2), int(where[1] - size["height"] / 2))
    ActionChains(diagram.driver).move_to_element_with_offset(over, *offset).click().perform()
    diagram.wait(lambda: diagram.serial() > before, "the motion of the point")
    assert diagram.script("return jounceStudio.session.panel") == "motion"
    start, final = diagram.data(".motion", "start"), diagram.data(".motion", "final")
    omega = float(diagram.one('[data-entry="omega"]').get_attribute("value"))
    assert omega == pytest.approx(3.6, abs=0.01)
    system = jounce.compile_model(jounce.systems.ball_on_table())
    t = start.pop("t")
    run = jounce.simulate(system, system.state(t=t, **start), final["t"], e=E, omega=omega)
    for name, value in run.final.as_dict().items():
        assert abs(final[name] - value) <= 1e-12 * (1 + abs(value)), name


def test_a_click_follows_a_branch_and_a_click_on_it_gives_its_multipliers(diagram: Page) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.support.ui import Select

    over = diagram.one(".diagram .over")

    def click(x: float, y: float) -> None:
        left, top = diagram.script(
            "const p = jounceStudio.panels[1].plane, v = p.view, i = p.inner(), [x, y] = arguments;"
            "return [66 + (x - v.x0) / (v.x1 - v.x0) * i.width, 10 + (v.y1 - y) / (v.y1 - v.y0) * i.height]",
            x, y,
        )  # fmt: skip
        offset = (round(left - over.size["width"] / 2), round(top - over.size["height"] / 2))
        ActionChains(diagram.driver).move_to_element_with_offset(over, *offset).click().perform()

    Select(diagram.one('[data-select="a click"]')).select_by_visible_text("branch")
    middle = diagram.script("const v = jounceStudio.panels[1].plane.view; return (v.y0 + v.y1) / 2")
    click(3.6, middle)
    diagram.wait(lambda: diagram.script("return jounceStudio.panels[1].layer.branches.length"), "the branch")
    note = diagram.one(".diagram .note")
    assert "period doubling at 3.87" in note.text, note.text
    place = diagram.script(
        "const b = jounceStudio.panels[1].layer.branches[0], k = b.values.findIndex((v) => v > 3.6 && v < 3.8);"
        "return [b.values[k], b.curves[k]]"
    )
    click(*place)
    diagram.wait(lambda: "multipliers" in note.text, "the orbit")
    assert "stable" in note.text
    diagram.after(lambda: diagram.click('[data-do="show-orbit"]'))
    assert diagram.script("return jounceStudio.session.panel") == "motion"
    assert float(diagram.one('[data-entry="omega"]').get_attribute("value")) == pytest.approx(place[0], abs=1e-2)
