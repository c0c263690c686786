"""Scenes of many bodies, each held against something else: ``python -m benchmarks.scene_table`` writes scene_table.md.

The worst difference between the motion and a closed form or a second formulation, the residual of the energy ledger by
the largest energy, what the audit found, and the processor time of the run (of this thread, the engine loaded).
"""

from __future__ import annotations

import math
import runpy
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import jounce
from benchmarks import scenes
from benchmarks.scenes import BACKLASH, G, compiled
from jounce import Options
from tests.references.dominoes import Row

PAGE = Path(__file__).with_name("scene_table.md")
CLOCK = Path(__file__).parents[1] / "examples" / "machines" / "how_does_an_escapement_count.py"


@dataclass
class Held:
    """A motion, what it is held against, and the worst difference, with its unit or "rel."."""

    scene: str
    run: jounce.Trajectory
    against: str
    difference: float
    unit: str


class Timed:
    """Runs of a scene and the processor time that they took."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self, system: Any, start: Any, t_end: float, **given: Any) -> jounce.Trajectory:
        """As ``simulate``; a run of no length comes first, which loads what is missing."""
        jounce.simulate(system, start, 1e-9 * t_end, **given)
        begun = time.thread_time()
        run = jounce.simulate(system, start, t_end, **given)
        self.seconds += time.thread_time() - begun
        return run


def worst(found: Any, wanted: Any) -> float:
    """The largest difference."""
    return float(np.abs(np.asarray(found, float) - np.asarray(wanted, float)).max())


def row_of_balls(simulate: Timed, count: int) -> Held:
    """Ball k + 1 gets (1 + e)/2 of the speed with which ball k comes."""
    run = simulate(compiled(scenes.row(count)), None, 4.0, e=0.9)
    first = run.events.drop_duplicates("contact")
    speeds = 0.95 ** np.arange(count - 1)
    times = 0.01 * np.cumsum(1 / speeds)
    difference = max(worst(-first.v_n_before / speeds, 1.0), worst(first.t / times, 1.0))
    return Held(f"{count} balls a gap apart, e = 0.9", run, "speeds ((1 + e)/2)^k, times", difference, "rel.")


def cradle(simulate: Timed, count: int) -> Held:
    """Balls on rods: joints of Cartesian coordinates against the angles, up to the first chaos."""
    runs = [simulate(compiled(scenes.cradle(count, minimal)), None, 0.6) for minimal in (False, True)]
    turns = [runs[0].final[f"ball{k}_theta"] for k in range(count)]
    difference = max(worst(runs[0].events.t, runs[1].events.t), worst(turns, runs[1].final.q))
    return Held(f"Newton's cradle of {count}, elastic", runs[0], "the same in angles alone", difference, "s, rad")


def touching(simulate: Timed, count: int, t_end: float) -> Held:
    """Balls that touch without force, Hertz: final velocities by SciPy."""
    run = simulate(compiled(scenes.touching_balls(count)), None, t_end, tolerance=1e-10)
    ours = np.array([run.final[f"d_ball{k}_x"] for k in range(count)])

    def rates(_: float, z: np.ndarray) -> np.ndarray:
        force = np.concatenate([[0.0], 1e6 * np.maximum(-np.diff(z[:count]), 0.0) ** 1.5 / 0.1, [0.0]])
        return np.concatenate([z[count:], -np.diff(force)])

    start = np.concatenate([np.zeros(count), [1.0], np.zeros(count - 1)])
    theirs = solve_ivp(rates, (0.0, t_end), start, "DOP853", rtol=1e-13, atol=1e-15, max_step=t_end / 4000).y
    speeds = f"; the last leaves with {ours[-1]:.6f}, the first with {ours[0]:.6f}"
    return Held(f"{count} balls that touch, Hertz", run, f"SciPy{speeds}", worst(ours, theirs[count:, -1]), "m/s")


def dominoes(simulate: Timed) -> Held:
    """Thirty dominoes: when each is hit."""
    theirs = Row(h=0.05, w=0.01, d=0.02, mu=0.2).times(30, 8.0)
    options = Options(simultaneous="joint", law="newton", tolerance=1e-9)
    system = compiled(scenes.dominoes(30, minimal=False))
    run = simulate(system, None, float(theirs[-1]) + 0.01, options=options, e=0.0)
    hits = run.events[run.events.contact.str.startswith("c") & (run.events.kind == "impact")].drop_duplicates("contact")
    speed = 0.02 * 10 / (theirs[-1] - theirs[-11])
    against = f"van Leeuwen's equations in SciPy; the last ten fall with {speed:.4f} m/s"
    return Held("30 dominoes with friction", run, against, worst(hits.t, theirs), "s")


def boxes_at_rest(simulate: Timed) -> Held:
    """Ten boxes on a slope: the weight above each, and nothing moves."""
    run = simulate(compiled(scenes.stack(10)), None, 1000.0, slope=0.05)
    given = run.contact_forces(np.array([500.0])).lambda_N.values.reshape(10, 2).sum(axis=1)
    difference = max(worst(given / (np.arange(10, 0, -1) * G * math.cos(0.05)), 1.0), worst(run.final.q, run.start.q))
    return Held("10 boxes at rest, 1,000 s", run, "weights above each, the start", difference, "rel., m")


def boxes_that_topple(simulate: Timed) -> Held:
    """Ten boxes on a slope that turns: tan(slope) = width/(n height)."""
    angle = math.atan(1 / 10)
    run = simulate(compiled(scenes.stack(10, turning=True)), None, angle / 0.05 + 0.1, mu=1.5)
    return Held(
        "10 boxes that topple", run, "tan(slope) = a/(n b)", abs(run.events.t.iloc[0] * 0.05 / angle - 1), "rel."
    )


def shaken_discs(simulate: Timed) -> Held:
    """Fifty discs: impulses of the walls and weights are the change of momentum, as long as none lies on the floor."""
    system, t_end = jounce.compile_model(scenes.discs(50, size=1.2)), 0.3
    run = simulate(system, None, t_end)
    given = np.zeros(2)
    for side, (x, y) in {"left": (1, 0), "right": (-1, 0), "floor": (0, 1), "roof": (0, -1)}.items():
        own = run.events[run.events.contact.str.startswith(side)]
        given += own.p_n.sum() * np.array([x, y]) + own.p_t.sum() * np.array([y, -x])
    change = (run.final.u - system.state().u).reshape(-1, 3)[:, :2].sum(axis=0)
    change[1] += 50 * G * t_end
    size = float(np.abs(run.events.p_n).sum())
    return Held(
        "50 discs in a shaken box, 0.3 s", run, "momentum: impulses of the walls", worst(change, given) / size, "rel."
    )


def stairs(simulate: Timed) -> Held:
    """A box down twelve steps: every flight is a parabola until it begins to slide."""
    run = simulate(compiled(scenes.stairs(12)), None, 8.0)
    times = [0.0, *run.events[run.events.kind == "impact"].t.unique()[:8]]
    difference = 0.0
    for begin, end in pairwise(times):
        first, last, t = run.at(begin, side="right"), run.at(end, side="left"), end - begin
        y = first["box_y"] + first["d_box_y"] * t - G * t**2 / 2
        difference = max(difference, abs(last["box_y"] - y), abs(last["box_x"] - first["box_x"] - first["d_box_x"] * t))
    difference = max(difference, abs(run.final["box_y"] + 12 * scenes.RISE - scenes.HALF_BOX[1]))
    return Held("a box thrown down 12 steps", run, "parabolas of flights, where it lies", difference, "m")


def escapement(simulate: Timed) -> Held:
    """A clock of 30 teeth: the work of the weight less that of the drag, by quadrature between the events."""
    import matplotlib as mpl

    mpl.use("Agg")
    clock = runpy.run_path(str(CLOCK))["clock"]
    run = simulate(clock, None, 6.0, tolerance=1e-10)
    nodes, weights = np.polynomial.legendre.leggauss(8)
    drag = 0.0
    for begin, end in pairwise([0.0, *np.unique(run.data.step_t)[1:], 6.0]):
        if end - begin < 1e-9:
            continue
        times = (begin + end) / 2 + (end - begin) / 2 * nodes
        drag += (end - begin) / 2 * float(weights @ run.states(times)[:, 11] ** 2)
    work = -1.5e-3 * run.final["wheel_theta"] - 2e-4 * drag
    passed = int((run.events.kind == "impact").sum()) // 2
    difference = abs(float(run.energy.applied_work[-1]) / work - 1)
    return Held("a clock escapement with 30 teeth", run, f"work of weight and drag; {passed} teeth", difference, "rel.")


def roller_chain(simulate: Timed) -> Held:
    """Sixty links over a wheel: a roller gives 2 T tan(a/2), at the ends one half of it."""
    run = simulate(compiled(scenes.roller_chain(60)), None, 1.0)
    turn, first = math.pi / scenes.WRAPPED, (60 - scenes.WRAPPED) // 2
    names = [f"roller{k}" for k in range(first, first + scenes.WRAPPED + 1)]
    share = np.full(scenes.WRAPPED + 1, 2.0)
    share[[0, -1]] = 1.0
    given = run.contact_forces(np.array([0.5])).lambda_N.sel(contact=names).values.ravel()
    difference = worst(given / (share * 10.0 * math.tan(turn / 2)), 1.0)
    return Held("a roller chain of 60 links", run, "forces 2 T tan(a/2)", difference, "rel.")


def gear_train(simulate: Timed) -> Held:
    """Five gears with play: the speed that the torque alone gives, and all play taken up."""
    run = simulate(compiled(scenes.gear_train()), None, 1.0)
    radii = np.array(scenes.RADII)
    ratios = np.array([(-1) ** k * radii[0] / radius for k, radius in enumerate(radii)])
    speed = 0.5 / np.sum(np.array(scenes.INERTIAS) * ratios**2)
    play = radii[:-1] * run.final.q[:-1] + radii[1:] * run.final.q[1:]
    signs = np.array([1, -1, 1, -1])
    difference = max(worst(run.final.u / (speed * ratios), 1.0), worst(play * signs, BACKLASH / 2) / BACKLASH)
    return Held(
        "a train of five gears with backlash", run, "sum J n w = T t, the play that is left", difference, "rel."
    )


SCENES: tuple[Callable[[Timed], Held], ...] = (
    lambda simulate: row_of_balls(simulate, 5),
    lambda simulate: row_of_balls(simulate, 20),
    lambda simulate: cradle(simulate, 5),
    lambda simulate: cradle(simulate, 20),
    lambda simulate: touching(simulate, 5, 0.02),
    lambda simulate: touching(simulate, 20, 0.04),
    dominoes,
    boxes_at_rest,
    boxes_that_topple,
    shaken_discs,
    stairs,
    escapement,
    roller_chain,
    gear_train,
)


def line(scene: Callable[[Timed], Held]) -> str:
    """A row of the table."""
    simulate = Timed()
    held = scene(simulate)
    run, energy = held.run, held.run.energy
    stored = float(np.ptp(energy.potential.values)) or float(np.abs(energy.potential.values).max())
    size = float(energy.kinetic.values.max()) + stored + float(np.abs(energy.applied_work.values).max()) or 1.0
    cells = (
        held.scene, run.data.q_start.size, len(run.events), run.status.name, held.against,
        f"{held.difference:.0e} {held.unit}", f"{float(np.abs(energy.residual).max()) / size:.0e}", len(run.audit()),
        f"{simulate.seconds:.2f}",
    )  # fmt: skip
    return f"| {' | '.join(map(str, cells))} |"


def lines(chosen: str = "") -> Iterator[str]:
    """The rows of the scenes whose names hold a text; all of them without one."""
    names = [getattr(scene, "__name__", "") for scene in SCENES]
    for name, scene in zip(names, SCENES, strict=True):
        if chosen in name:
            yield line(scene)


TEXT = """# Scenes of many bodies

Written by `python -m benchmarks.scene_table`; scenes: benchmarks/scenes.py, examples/machines. Processor time of all
runs of a row, on a machine that others used too. Residual: of the energy ledger, by the largest energy. Findings: of
the audit.

"""
COLUMNS = ("scene", "coordinates", "events", "status", "held against", "off by", "residual", "findings", "seconds")


def main() -> None:
    """Measure and write."""
    rows = []
    for row in lines(sys.argv[1] if len(sys.argv) > 1 else ""):
        print(row, flush=True)
        rows.append(row)
    if len(sys.argv) == 1:
        PAGE.write_text(TEXT + f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}\n" + "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
