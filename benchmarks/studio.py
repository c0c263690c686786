"""How immediate the studio is, measured in a real browser: ``python -m benchmarks.studio``.

Prints a table and writes studio.md beside itself. Needs chromium and its driver; everything runs on this machine, the
browser draws without a graphics card, and engine, server and browser share its cores.
"""

from __future__ import annotations

import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import jounce
from jounce.analysis.attractors.live import stream
from jounce.analysis.attractors.search import AttractorSearch
from tests.studio.browser import Page, open_browser

ROUNDS = 7  # of a million points, alone and drawn in turn: other work on the machine meets both
HERE = Path(__file__).parent
COMMAND = [sys.executable, "-m", "jounce", "studio", "--no-browser", "--port", "0"]
TARGETS = {
    "studio start, warm [s]": 2.0,
    "memory, idle after a motion [MB]": 300.0,
    "slider to new curve, rod over 50 s, median [ms]": 100.0,
    "slider to new curve, rod over 50 s, 90 % below [ms]": float("nan"),
    "of which the server computes [ms]": float("nan"),
    "first points of a 1,000-value diagram on the screen [ms]": 300.0,
    "a million points: computed alone, best [s]": float("nan"),
    "a million points: computed, streamed and drawn, best [s]": float("nan"),
    "a million points: what streaming and drawing add, best against best [%]": 10.0,
    "a million points: the same, median of the pairs [%]": 10.0,
    "a million points: what streaming adds to the processor time of the server [%]": float("nan"),
}
#: Moves a slider once and waits until the curve of the answer has been drawn.
MOVE = """
const [position, done] = arguments, panel = document.querySelector('.motion');
const slider = document.querySelector('[data-knob="omega"]');
const before = panel.dataset.serial, began = performance.now();
slider.value = position;
slider.dispatchEvent(new Event('input', {bubbles: true}));
const look = () => panel.dataset.serial !== before
  ? requestAnimationFrame(() => done(performance.now() - began)) : setTimeout(look, 0);
look();
"""
#: Asks for a diagram; reports when its first points and when all of them have been drawn.
DIAGRAM = """
const [request, done] = arguments, panel = document.querySelector('.diagram'), own = jounceStudio.panels[1];
Object.assign(jounceStudio.session.diagram, request);
const before = panel.dataset.serial ?? '0', number = Number(panel.dataset.started ?? 0), began = performance.now();
let first = null;
const watch = new MutationObserver(() => {  // a timer that polls would take its share of the cores
  if (first === null && (panel.dataset.serial ?? '0') !== before) {
    requestAnimationFrame(() => { first = performance.now() - began; });
    first = -1;
  }
  if (Number(panel.dataset.done ?? 0) > number) {
    watch.disconnect();
    requestAnimationFrame(() => done([first, performance.now() - began, Number(panel.dataset.points)]));
  }
});
watch.observe(panel, {attributes: true});
own.whole();
"""
CASCADE = {"parameter": "omega", "from": 4.2, "to": 5.0, "section": "phase:0", "quantity": "y", "direction": "up"}
BALL: dict[str, Any] = {"e": 0.8}


def main() -> None:
    """Measure, print, write."""
    found: dict[str, float] = {}
    found["studio start, warm [s]"] = statistics.median(_start_time() for _ in range(3))
    with tempfile.TemporaryDirectory() as profile, open_browser(profile) as driver:
        process, address = _start()
        try:
            page = Page(driver)
            driver.set_script_timeout(600)
            page.open(address)
            page.wait(lambda: page.data(".motion", "details"), "the first motion", 300.0)
            time.sleep(2.0)
            found["memory, idle after a motion [MB]"] = _memory(process.pid)
            print(found, flush=True)
            found |= _slider(page)
            print(found, flush=True)
            found |= _diagrams(page, process.pid)
        finally:
            process.kill()
            process.wait()
    found = {name: found[name] for name in TARGETS}
    text = _report(found)
    print(text)
    (HERE / "studio.md").write_text(text)


def _start() -> tuple[subprocess.Popen[str], str]:
    process = subprocess.Popen(COMMAND, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


def _start_time() -> float:
    began = time.perf_counter()
    process, address = _start()
    spent = time.perf_counter() - began
    assert address.startswith("http")
    process.kill()
    process.wait()
    return spent


def _memory(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def _worked(pid: int) -> float:
    """Processor time [s] of a process and its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _slider(page: Page) -> dict[str, float]:
    """Forty moves of the slider of omega, one after the other."""
    page.after(lambda: page.type('[data-entry="t_end"]', "50"))
    times, computed = [], []
    for k in range(44):
        times.append(page.driver.execute_async_script(MOVE, 300 + 5 * k))
        computed.append(float(page.one(".status .cost").text.split("·")[1].split()[0]))
    times, computed = times[4:], computed[4:]
    return {
        "slider to new curve, rod over 50 s, median [ms]": statistics.median(times),
        "slider to new curve, rod over 50 s, 90 % below [ms]": float(np.quantile(times, 0.9)),
        "of which the server computes [ms]": statistics.median(computed),
    }


def _diagrams(page: Page, server: int) -> dict[str, float]:
    page.script(
        "jounceStudio.restore({jounce_studio: 1, system: 'ball_on_table', t_end: 10, panel: 'diagram',"
        "parameters: arguments[0], start: {y: 1, d_y: 4}, diagram: {...arguments[1], values: 50, keep: 5}})",
        BALL,
        CASCADE,
    )
    page.wait(lambda: page.script("return document.querySelector('.diagram').dataset.done"), "a small diagram", 300.0)
    small = {"values": 1000, "transient": 300, "keep": 60}
    first = [page.driver.execute_async_script(DIAGRAM, small)[0] for _ in range(5)]
    large = {"values": 2000, "transient": 300, "keep": 550}
    alone, drawn, worked = [], [], []
    for _ in range(ROUNDS):
        own, others = time.process_time(), _worked(server)
        alone.append(_alone(large))
        own = time.process_time() - own
        _, spent, points = page.driver.execute_async_script(DIAGRAM, large)
        drawn.append(spent / 1000.0)
        worked.append(100.0 * ((_worked(server) - others) / own - 1.0))
        print(f"alone {alone[-1]:.2f} s, {points:.0f} points drawn after {drawn[-1]:.2f} s", flush=True)
    best = 100.0 * (min(drawn) / min(alone) - 1.0)
    pairs = [100.0 * (b / a - 1.0) for a, b in zip(alone, drawn, strict=True)]
    return {
        "first points of a 1,000-value diagram on the screen [ms]": statistics.median(first),
        "a million points: computed alone, best [s]": min(alone),
        "a million points: computed, streamed and drawn, best [s]": min(drawn),
        "a million points: what streaming and drawing add, best against best [%]": best,
        "a million points: the same, median of the pairs [%]": statistics.median(pairs),
        "a million points: what streaming adds to the processor time of the server [%]": statistics.median(worked),
    }


def _alone(request: dict[str, int]) -> float:
    """The same attractors, found and thrown away."""
    system = jounce.compile_model(jounce.systems.ball_on_table())
    values = np.linspace(CASCADE["from"], CASCADE["to"], request["values"])  # type: ignore[call-overload]
    section = jounce.Section.parse("phase:0")
    search = AttractorSearch(system, section, "omega", dict(BALL), request["transient"], request["keep"])
    search = search.settled(values)
    start = search.point(system.state(y=1.0, d_y=4.0), float(search.periods(values[:1])[0]))
    began = time.perf_counter()
    for _ in stream(search, values, start[None, :], carried=True, cancel=np.zeros(2, np.int64)):
        pass
    return time.perf_counter() - began


def _report(found: dict[str, float]) -> str:
    load = os.getloadavg()[0]
    lines = [
        "# The studio, measured in a browser",
        "",
        f"`python -m benchmarks.studio` on {os.cpu_count()} cores ({platform.machine()}), load of the machine "
        f"{load:.1f} at the end (more than 2 means that other work took its share), chromium without a graphics card.",
        "",
        "| what | measured | wanted at most |",
        "|---|---|---|",
    ]
    for name, value in found.items():
        wanted = TARGETS[name]
        lines.append(f"| {name} | {value:.3g} | {'' if wanted != wanted else f'{wanted:g}'} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
