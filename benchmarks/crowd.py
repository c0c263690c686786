"""Cost of an event against the number of bodies: discs in a box, for ``python -m benchmarks.scaling``.

Billiard: elastic discs without friction or weight. Heap: discs with friction that fall on one another. Every disc may
touch every other one and every wall. Processor time of the thread, the least of several runs, ledger on, steps kept;
with and without the audit. The exponent is the slope of log(time of an instant) over log(bodies), by least squares.

Beside them the billiard in pymunk: impulses at fixed steps, of which there are so many that a run costs about as much.
Errors are those of the places of the discs at a time before which closed forms have not lost their digits.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import jounce
from benchmarks import scenes
from jounce import Model, Options
from jounce.simulation.driver import Driver

BODIES = (8, 16, 32, 64, 100)
SPAN = 10.0
REPEATS = 3
PEER_SPAN = 3.0
PEER_STEPS = (1e-2, 1e-3)
HEAD = (
    "bodies", "contacts", "near, at most", "lists", "to the first step, s", "steps", "instants", "µs an instant",
    "µs with the audit", "residual of the ledger", "status",
)  # fmt: skip


def first_step(scene: Callable[[int], Model], count: int) -> float:
    """Processor seconds from the script to the first step, with the engine loaded."""
    begun = time.process_time()
    jounce.simulate(jounce.compile_model(scene(count)), None, 1e-6)
    return time.process_time() - begun


def timed(system: jounce.System, options: Options) -> tuple[float, Driver, jounce.Trajectory]:
    """(seconds of the least of several runs, the records of the last one, its motion)."""
    best = math.inf
    for _ in range(REPEATS):
        driver = Driver(system, system.state(), SPAN, system.parameters(), options)
        begun = time.thread_time()
        run = driver.run()
        best = min(best, time.thread_time() - begun)
    return best, driver, run


def crowd_rows(scene: Callable[[int], Model], sizes: tuple[int, ...] = BODIES) -> tuple[list[str], float, float]:
    """Lines of a table, and the exponents without and with the audit."""
    first_step(scene, 6)
    lines, each, audited = [], [], []
    for count in sizes:
        begin = first_step(scene, count)
        system = jounce.compile_model(scene(count))
        seconds, driver, run = timed(system, Options(audit="off"))
        whole, _, checked = timed(system, Options())
        instants = run.events.t.nunique()
        each.append(1e6 * seconds / instants)
        audited.append(1e6 * whole / instants)
        roster = driver.roster
        near, lists = (int(roster.record[0]["list"][0]), int(roster.record[0]["changes"])) if roster else (system.nc, 0)
        residual = float(np.abs(run.energy.residual).max() / run.energy.kinetic.max())
        cells = (
            count, system.nc, near, lists, f"{begin:.2f}", len(run.data.step_t), instants, f"{each[-1]:.0f}",
            f"{audited[-1]:.0f}", f"{residual:.0e}", checked.status.name,
        )  # fmt: skip
        lines.append(f"| {' | '.join(map(str, cells))} |")
        print(lines[-1], flush=True)
    return lines, slope(sizes, each), slope(sizes, audited)


def slope(sizes: tuple[int, ...], values: list[float]) -> float:
    """The exponent of a power through the values."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def peer_row(count: int, dt: float) -> str:
    """The billiard in pymunk: time of a run, and how far its discs are from those of Jounce at the end."""
    import pymunk

    model = scenes.billiard(count)
    system = jounce.compile_model(model)
    begun = time.thread_time()
    exact = jounce.simulate(system, None, PEER_SPAN)
    own = time.thread_time() - begun
    space, size, start = pymunk.Space(), math.sqrt(math.pi * count / 0.25), system.state()
    space.collision_slop = 0.0
    for a, b in (((0, 0), (size, 0)), ((0, size), (size, size)), ((0, 0), (0, size)), ((size, 0), (size, size))):
        wall = pymunk.Segment(space.static_body, a, b, 0)
        wall.elasticity = 1.0
        space.add(wall)
    discs = []
    for q, u in zip(start.q.reshape(-1, 3).tolist(), start.u.reshape(-1, 3).tolist(), strict=True):
        body = pymunk.Body(1.0, 0.5)
        body.position, body.velocity = (q[0], q[1]), (u[0], u[1])
        rim = pymunk.Circle(body, 1.0)
        rim.elasticity = 1.0
        space.add(body, rim)
        discs.append(body)
    begun, deepest = time.thread_time(), 0.0
    for _ in range(round(PEER_SPAN / dt)):
        space.step(dt)
    seconds = time.thread_time() - begun
    places = np.array([tuple(body.position) for body in discs])
    off = np.abs(places - exact.final.q.reshape(-1, 3)[:, :2]).max()
    deepest = max(0.0, 2.0 - min(np.hypot(*(a - b)) for k, a in enumerate(places) for b in places[:k]))
    energy = sum(0.5 * body.velocity.length**2 for body in discs) / float(exact.energy.kinetic[0]) - 1.0
    cells = (count, dt, f"{1e3 * seconds:.0f}", f"{off:.0e}", f"{energy:+.0e}", f"{deepest:.0e}", f"{1e3 * own:.0f}")
    return f"| {' | '.join(map(str, cells))} |"


def memory(count: int) -> str:
    """Megabytes of a process that has taken the first steps of a billiard."""
    code = f"from benchmarks import crowd, scenes; crowd.first_step(scenes.billiard, {count}); print(crowd.peak())"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    return found.stdout.strip()


def peak() -> int:
    """The largest resident memory of this process so far, MB; getrusage counts that of the parent, too."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM"))) // 1024


def page() -> list[str]:
    """The part of scaling.md that is about many bodies."""
    text: list[str] = []
    for name, scene in (("billiard", scenes.billiard), ("heap", scenes.heap)):
        lines, plain, audited = crowd_rows(scene)
        text += ["", f"Discs in a box, a {name}, over a time of {SPAN:g}:", ""]
        text += [f"| {' | '.join(HEAD)} |", "|" + "---|" * len(HEAD), *lines, ""]
        text += [f"An instant costs (bodies)^{plain:.2f}, with the audit (bodies)^{audited:.2f}."]
    sizes = ", ".join(f"{count} discs {memory(count)} MB" for count in (8, 100))
    text += ["", f"Memory of a process after its first steps: {sizes}.", "", "The billiard beside pymunk:", ""]
    columns = ("bodies", "dt", "pymunk, ms", "off at the end", "energy", "penetration at the end", "Jounce, ms")
    text += [f"| {' | '.join(columns)} |", "|" + "---|" * len(columns)]
    return text + [peer_row(count, dt) for count in (16, 64) for dt in PEER_STEPS]
