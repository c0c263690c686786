"""How immediate the studio is, measured in a real browser: ``python -m benchmarks.studio``.

Prints a table and writes studio.md beside itself; ``--million [ROUNDS]`` measures only what streaming and drawing add
to a million points, and writes nothing. Needs chromium and its driver; everything runs on this machine, the browser
draws without a graphics card, and engine, server and browser share its cores.

A million points are computed alone and drawn in turn, in both orders. Beside the time on the wall stands the processor
time of the server and of the browser, which other work on the machine hardly changes, and the cores that such work
took; the medians are over the half of the rounds that it disturbed least.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import jounce
from jounce.analysis.attractors.live import stream
from jounce.analysis.attractors.search import AttractorSearch
from tests.studio.browser import Page, open_browser

ROUNDS = 10  # of a million points
HERE = Path(__file__).parent
COMMAND = [sys.executable, "-m", "jounce", "studio", "--no-browser", "--port", "0"]
TARGETS = {
    "studio start, warm [s]": 2.0,
    "memory, idle after a motion [MB]": 300.0,
    "slider to new curve, rod over 50 s, median [ms]": 100.0,
    "slider to new curve, rod over 50 s, 90 % below [ms]": float("nan"),
    "of which the server computes [ms]": float("nan"),
    "first points of a 1,000-value diagram on the screen [ms]": 300.0,
    "a million points: computed alone [s]": float("nan"),
    "a million points: computed, streamed and drawn [s]": float("nan"),
    "a million points: what streaming and drawing add [%]": 10.0,
    "a million points: processor time of computing them alone [s]": float("nan"),
    "a million points: what streaming adds to the processor time of the server [%]": float("nan"),
    "a million points: processor time of the browser [s]": float("nan"),
    "a million points: cores that other work took": float("nan"),
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


@dataclass(frozen=True)
class Million:
    """One round; times in s.

    others   cores that other work on the machine took meanwhile
    """

    alone: float
    drawn: float
    alone_worked: float
    server_worked: float
    browser_worked: float
    others: float

    def __str__(self) -> str:
        wall = f"alone {self.alone:.2f} s, drawn {self.drawn:.2f} s ({self.added:+.1f} %)"
        worked = f"alone {self.alone_worked:.2f}, server {self.server_worked:.2f}, browser {self.browser_worked:.2f}"
        return f"{wall}; processor time {worked} s; other work took {self.others:.2f} cores"

    @property
    def added(self) -> float:
        """What streaming and drawing add [%]."""
        return 100.0 * (self.drawn / self.alone - 1.0)

    @property
    def server_added(self) -> float:
        """What streaming adds to the processor time of computing [%]."""
        return 100.0 * (self.server_worked / self.alone_worked - 1.0)


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.studio", description="How immediate the studio is.")
    parser.add_argument("--million", nargs="?", const=ROUNDS, type=int, metavar="ROUNDS", help="only a million points")
    million: int | None = parser.parse_args().million
    found: dict[str, float] = {}
    if million is None:
        found["studio start, warm [s]"] = statistics.median(_start_time() for _ in range(3))
    with tempfile.TemporaryDirectory() as profile, open_browser(profile) as driver:
        process, address = _start()
        try:
            page = Page(driver)
            driver.set_script_timeout(600)
            page.open(address)
            page.wait(lambda: page.data(".motion", "details"), "the first motion", 300.0)
            if million is None:
                time.sleep(2.0)
                found["memory, idle after a motion [MB]"] = _memory(process.pid)
                found |= _slider(page)
                print(found, flush=True)
            _open_diagram(page)
            found |= _first_points(page)
            found |= _million(page, process.pid, million or ROUNDS)
        finally:
            process.kill()
            process.wait()
    text = _report({name: found[name] for name in TARGETS if name in found})
    print(text)
    if million is None:
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
    lines = Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


TICKS = os.sysconf("SC_CLK_TCK")  # a second


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()


def _worked(*pids: int) -> float:
    """Processor time [s] of processes and their threads."""
    return sum(int(field) for pid in pids for field in _stat(pid)[11:13]) / TICKS


def _descendants(pid: int) -> list[int]:
    """The processes that a process has started, and those that these have."""
    found = [pid]
    for other in sorted(int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()):
        try:
            if int(_stat(other)[1]) in found:
                found.append(other)
        except FileNotFoundError:
            pass  # it has ended
    return found[1:]


def _busy() -> float:
    """Processor time [s] of all that runs on the machine."""
    user, nice, system, _, _, *rest = map(
        int, Path("/proc/stat").read_text(encoding="utf-8").split("\n")[0].split()[1:9]
    )
    return (user + nice + system + sum(rest)) / TICKS


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


def _open_diagram(page: Page) -> None:
    page.script(
        "jounceStudio.restore({jounce_studio: 1, system: 'ball_on_table', t_end: 10, panel: 'diagram',"
        "parameters: arguments[0], start: {y: 1, d_y: 4}, diagram: {...arguments[1], values: 50, keep: 5}})",
        BALL,
        CASCADE,
    )
    page.wait(lambda: page.script("return document.querySelector('.diagram').dataset.done"), "a small diagram", 300.0)


def _first_points(page: Page) -> dict[str, float]:
    small = {"values": 1000, "transient": 300, "keep": 60}
    first = [page.driver.execute_async_script(DIAGRAM, small)[0] for _ in range(5)]
    return {"first points of a 1,000-value diagram on the screen [ms]": statistics.median(first)}


def _million(page: Page, server: int, count: int) -> dict[str, float]:
    """Rounds of a million points, and the medians over the calmer half of them."""
    rounds = []
    for k in range(count):
        rounds.append(_round(page, server, alone_first=k % 2 == 0))
        print(rounds[-1], flush=True)
    calm = sorted(rounds, key=lambda one: one.others)[: (count + 1) // 2]

    def median(quantity: Callable[[Million], float]) -> float:
        return statistics.median(quantity(one) for one in calm)

    return {
        "a million points: computed alone [s]": median(lambda one: one.alone),
        "a million points: computed, streamed and drawn [s]": median(lambda one: one.drawn),
        "a million points: what streaming and drawing add [%]": median(lambda one: one.added),
        "a million points: processor time of computing them alone [s]": median(lambda one: one.alone_worked),
        "a million points: what streaming adds to the processor time of the server [%]": median(
            lambda one: one.server_added
        ),
        "a million points: processor time of the browser [s]": median(lambda one: one.browser_worked),
        "a million points: cores that other work took": median(lambda one: one.others),
    }


def _round(page: Page, server: int, alone_first: bool) -> Million:
    request = {"values": 2000, "transient": 300, "keep": 550}
    browser = _descendants(page.driver.service.process.pid)
    own = (os.getpid(), page.driver.service.process.pid, server, *browser)
    began, busy, ours = time.perf_counter(), _busy(), _worked(*own)
    alone = _alone(request) if alone_first else None
    before = _worked(server), _worked(*browser)
    _, drawn, points = page.driver.execute_async_script(DIAGRAM, request)
    after = _worked(server), _worked(*browser)
    assert points > 1e6, points
    spent, worked = alone or _alone(request)
    others = (_busy() - busy - (_worked(*own) - ours)) / (time.perf_counter() - began)
    return Million(spent, drawn / 1000.0, worked, after[0] - before[0], after[1] - before[1], others)


def _alone(request: dict[str, int]) -> tuple[float, float]:
    """The same attractors, found and thrown away: time on the wall and of the processor."""
    system = jounce.compile_model(jounce.systems.ball_on_table())
    values = np.linspace(CASCADE["from"], CASCADE["to"], request["values"])  # type: ignore[call-overload]
    section = jounce.Section.parse("phase:0")
    search = AttractorSearch(system, section, "omega", dict(BALL), request["transient"], request["keep"])
    search = search.settled(values)
    start = search.point(system.state(y=1.0, d_y=4.0), float(search.periods(values[:1])[0]))
    began, worked = time.perf_counter(), time.process_time()
    for _ in stream(search, values, start[None, :], carried=True, cancel=np.zeros(2, np.int64)):
        pass
    return time.perf_counter() - began, time.process_time() - worked


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
