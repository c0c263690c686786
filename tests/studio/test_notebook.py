"""Results and systems inside a notebook: pages that need nothing, a widget with the engine behind it."""

from __future__ import annotations

import html
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce
from jounce import OptionError
from jounce.studio.notebook import Page as NotebookPage
from tests.studio.browser import Page


def _rod() -> jounce.Trajectory:
    system = jounce.compile_model(jounce.systems.slender_rod())
    return jounce.simulate(system, system.state(y=6.0, theta=0.3), 12.0, omega=4.405, mu=0.05)


def _diagram() -> jounce.Diagram:
    system = jounce.compile_model(jounce.systems.ball_on_table())
    start = system.state(y=1.86, d_y=-7.2)
    return jounce.sweep(system, "omega", np.linspace(3.5, 4.0, 30), "phase:0", start, transient=60, keep=8, e=0.5)


def _framed(page: Page, shown: NotebookPage, folder: Path) -> None:
    """Open what a notebook would display: the frame of the page inside another page."""
    outer = folder / "notebook.html"
    outer.write_text(f"<!doctype html><body>{shown._repr_html_()}</body>")
    page.open(outer.as_uri())
    page.driver.switch_to.frame(page.one("iframe"))


def test_a_shown_run_plays_inside_a_notebook(driver: Any, tmp_path: Path) -> None:
    page, run = Page(driver), _rod()
    _framed(page, jounce.show(run), tmp_path)
    try:
        page.wait(lambda: page.data(".motion", "details"), "the run")
        assert page.data(".motion", "final") == run.final.as_dict()
        page.click(".play")
        page.wait(lambda: page.script("return jounceStudio.motion.time") > 0.05, "the film")
    finally:
        driver.switch_to.default_content()


def test_a_shown_diagram_has_its_points(driver: Any, tmp_path: Path) -> None:
    page, diagram = Page(driver), _diagram()
    _framed(page, jounce.show(diagram, "d_y"), tmp_path)
    try:
        page.wait(lambda: page.script("return document.querySelector('.diagram').dataset.done"), "the diagram")
        points = sum(len(part.quantity) for part in diagram.points("d_y"))
        assert page.script("return jounceStudio.panels[1].picture.cloud.count") == points
        box = page.one(".diagram .plane").size
        assert min(box["width"], box["height"]) > 300, "the diagram has no room"
    finally:
        driver.switch_to.default_content()


def test_a_page_is_escaped_saved_and_refused(tmp_path: Path) -> None:
    shown = jounce.show(_rod())
    text = shown._repr_html_()
    inside = text[text.index('srcdoc="') + 8 : text.index('" style=')]
    assert html.unescape(inside).encode() == shown.content
    assert '"' not in inside
    shown.save(str(tmp_path / "run.html"))
    assert (tmp_path / "run.html").read_bytes() == shown.content
    with pytest.raises(OptionError, match="not int"):
        jounce.show(3)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="not int"):
        jounce.explore(3)  # type: ignore[arg-type]


class _Heard:
    """What a widget has sent."""

    def __init__(self, widget: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.messages: list[tuple[dict[str, Any], list[Any]]] = []
        self.widget = widget
        monkeypatch.setattr(widget, "send", lambda content, buffers=None: self.messages.append((content, buffers)))

    def ask(self, kind: str, answer: str, **content: Any) -> tuple[dict[str, Any], list[Any]]:
        self.widget._handle_custom_msg({**content, "type": kind, "id": len(self.messages) + 1}, [])
        end = time.perf_counter() + 60.0
        while time.perf_counter() < end:
            for found in self.messages:
                if found[0]["type"] in (answer, "error"):
                    self.messages.remove(found)
                    return found
            time.sleep(0.005)
        raise AssertionError(f"no {answer}")


def test_an_explored_system_answers_as_the_studio_does(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("anywidget", reason="no anywidget here: pip install 'jounce[notebook]'")
    system = jounce.compile_model(jounce.systems.slender_rod())
    heard = _Heard(jounce.explore(system), monkeypatch)
    hello, _ = heard.ask("hello", "hello")
    assert hello["first"] == "slender_rod"
    assert "export" in heard.widget._esm
    info, _ = heard.ask("open", "system", system="slender_rod")
    assert info["coordinates"] == ["x", "y", "theta"]
    motion, buffers = heard.ask(
        "motion", "motion", system="slender_rod", start={"y": 6.0, "theta": 0.3},
        parameters={"omega": 4.405, "mu": 0.05}, t_end=12.0,
    )  # fmt: skip
    assert motion["final"] == _rod().final.as_dict()
    json.dumps(motion, allow_nan=False)
    times = np.frombuffer(buffers[0], np.float64)
    assert times.size == motion["buffers"][0][1]
    assert times[-1] == 12.0
    refused, _ = heard.ask("motion", "motion", system="slender_rod", t_end=1e12)
    assert "between 0 and 100000" in refused["message"]
    heard.widget.close()


def test_the_widget_draws_what_it_is_sent(page: Page) -> None:
    """The module in its anywidget form, with a model that passes messages to the page's own socket."""
    page.driver.execute_async_script(
        """
        const done = arguments[0];
        import('./studio.js').then(({default: widget}) => {
          const el = document.createElement('div'); el.id = 'widget'; document.body.prepend(el);
          const socket = new WebSocket(`ws://${location.host}/socket`); socket.binaryType = 'arraybuffer';
          const listeners = []; let hello = null;
          const model = {get: () => null, on: (event, f) => event === 'msg:custom' && listeners.push(f),
            send: (content) => content.type === 'hello' ? done() : socket.send(JSON.stringify(content))};
          const sizes = {Float64Array: 8, Float32Array: 4, Int32Array: 4, Uint8Array: 1};
          socket.onmessage = ({data}) => {
            const n = new DataView(data).getUint32(0, true);
            const text = new TextDecoder().decode(new Uint8Array(data, 4, n));
            const content = JSON.parse(text); let at = 8 * Math.ceil((4 + n) / 8);
            const buffers = content.buffers.map(([kind, size]) => {
              // as notebooks hand them over: copied into a buffer of its own, not aligned
              const bytes = sizes[kind] * size, odd = new Uint8Array(bytes + 1);
              odd.set(new Uint8Array(data, at, bytes), 1); at += 8 * Math.ceil(bytes / 8);
              return new DataView(odd.buffer, 1, bytes);
            });
            for (const f of listeners) f(content, buffers);
          };
          socket.onopen = () => widget.render({model, el});
        });
        """
    )
    page.wait(lambda: page.data("#widget .motion", "final"), "the widget's motion")
    assert page.data("#widget .motion", "final") == page.data("main .motion", "final")


def test_explore_without_the_extra_says_what_to_install() -> None:
    code = "import sys; sys.modules['anywidget'] = None\nimport jounce\njounce.explore('slender_rod')"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'jounce[notebook]'" in result.stderr


def test_results_show_themselves_as_tables() -> None:
    run, diagram = _rod(), _diagram()
    text = run._repr_html_()
    assert "FINISHED" in text
    assert "omega = 4.405" in text
    assert f"{run.final['theta']:.8g}" in text
    assert "over omega" in diagram._repr_html_()
    model = jounce.systems.slender_rod()
    assert "frequency of the floor" in model._repr_html_()
    system = jounce.compile_model(jounce.systems.ball_on_table())
    assert "amplitude of the table" in system._repr_html_()
    samples = jounce.SectionMap(system, "phase:0", omega=3.6, e=0.5).iterate(system.state(y=1.86, d_y=-7.2), 200)
    orbit = jounce.find_orbit(system, samples.state(199), "phase:0", omega=3.6, e=0.5)
    branch = jounce.continue_orbit(orbit, "omega", (3.6, 3.9), step=0.1)
    assert "period_doubling" in branch._repr_html_()
    from jounce.html_summary import summary, table

    assert "<script>" not in summary("<script>", {"<b>": "&"}, table(("<i>",), [("<u>",)]))
