"""Random machines of bodies: discs, boxes, edges, walls, pins, a motor, springs; the same machine in any units.

    python -m tests.families.assembled --seed 0 --runs 20

runs each machine in units drawn at random, lengths, times and masses multiplied by powers of two and of ten, and prints
those whose motion is another one, that do not end well or fail their dense audit.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

import jounce
from jounce import (
    Body,
    CircleOn,
    Corners,
    Driver,
    Edge,
    Line,
    Model,
    PolygonOn,
    Revolute,
    Spring,
    TorsionSpring,
    contact_between,
    ground,
    time,
)

SAME = 1e-6  # of the machine's own size and speeds, in units that are no powers of two


class Units(NamedTuple):
    """How large the units of the machine's own are in those of the model."""

    length: float = 1.0
    time: float = 1.0
    mass: float = 1.0


def machine(seed: int, units: Units) -> Model:
    """One to three discs and up to two boxes between walls over a ramp, a pendulum of one or two links, springs."""
    random, (L, T, M) = np.random.default_rng(seed), units
    law = {"friction": float(random.uniform(0.0, 0.6)), "restitution": float(random.uniform(0.0, 0.9))}
    bodies, rims, feet = [], [], []
    discs, boxes = int(random.integers(1, 4)), int(random.integers(0, 3))
    for k in range(discs + boxes):
        mass, size = float(random.uniform(0.5, 2.0)), float(random.uniform(0.15, 0.25))
        moves: dict[str, Any] = {
            "center": (L * (0.6 + 0.7 * k), L * random.uniform(0.9, 1.6)),
            "velocity": tuple(L / T * random.uniform(-1.0, 1.0, 2)),
            "angle": float(random.uniform(-1.0, 1.0)),
            "spin": float(random.uniform(-2.0, 2.0)) / T,
        }
        body = Body(f"b{k}", mass=M * mass, inertia=M * L * L * (0.5 * mass * size * size), **moves)
        bodies.append(body)
        if k < discs:
            rims.append(CircleOn(body, (0, 0), L * size))
            feet.append(rims[-1])
        else:
            outline = [(L * x * size, L * y * size) for x, y in ((-1, -0.7), (1, -0.7), (1, 0.7), (-1, 0.7))]
            rims.append(PolygonOn(body, outline))
            feet.append(Corners(body, outline))
    free, width = len(bodies), 0.7 * len(bodies) + 0.5
    walls = {
        "floor": Line(ground, (0, 0), (1, 0)),
        "left": Line(ground, (0, 0), (0, -1)),
        "right": Line(ground, (L * width, 0), (0, 1)),
        "ramp": Edge(ground, (L * 0.1, L * 0.4), (L * 0.5, L * random.uniform(0.1, 0.3))),
    }
    contacts = [
        contact_between(f"{name}{k}", foot, wall, **law)
        for name, wall in walls.items()
        for k, foot in enumerate(feet)
        if name != "ramp" or k < discs
    ]
    contacts += [contact_between(f"pair{a}_{b}", rims[a], rims[b], **law) for a, b in combinations(range(free), 2)]
    # velocities with which neither pins nor motor agree: the assembly shares out what is missing
    joints, forces, before, pin = [], [], ground, (L * 0.5 * width, L * 3.0)
    tip = np.array(pin)
    for k in range(int(random.integers(1, 3))):
        reach, turn = L * float(random.uniform(0.2, 0.4)), float(random.uniform(-0.5, 0.5))
        arm = reach * np.array([np.sin(turn), -np.cos(turn)])
        moves = {"center": tuple(tip + arm), "velocity": tuple(L / T * random.uniform(-1.0, 1.0, 2)), "angle": turn}
        link = Body(
            f"link{k}", mass=M, inertia=M * reach * reach / 3, spin=float(random.uniform(-2.0, 2.0)) / T, **moves
        )
        joints.append(Revolute(f"pin{k}", before, link, pin, (0, reach)))
        if k == 0 and random.random() < 0.5:
            joints.append(Driver("motor", ground, link, angle=turn + float(random.uniform(1.0, 3.0)) / T * time))
        tip, before, pin = tip + 2 * arm, link, (0, -reach)
        bodies.append(link)
    pull = M / T**2
    forces.append(
        Spring(before, bodies[0], pull * random.uniform(1.0, 9.0), L * 0.5, damping=M / T * random.uniform(0.0, 0.5))
    )
    forces.append(TorsionSpring(ground, bodies[free], pull * L * L * random.uniform(0.0, 2.0), 0.2))
    return Model.from_bodies(
        f"assembled{seed}", bodies=bodies, joints=joints, forces=forces, contacts=contacts, gravity=L / T**2
    )


def motion(seed: int, units: Units, end: float, steps: int = 9, **options: Any) -> tuple[jounce.Trajectory, np.ndarray]:
    """The run, and its states at some times in units of the machine's own, as (time, coordinate or velocity)."""
    system = jounce.compile_model(machine(seed, units), "tables")
    run = jounce.simulate(system, None, end * units.time, options=jounce.Options(**options))
    z = run.states(np.linspace(0.0, run.t_end, steps))
    sizes = np.tile([units.length, units.length, 1.0], system.n // 3)
    return run, z / np.concatenate([sizes, sizes / units.time])


def powers(seed: int, base: float, most: int) -> Units:
    """Units that are random powers of a base."""
    return Units(*(base ** np.random.default_rng([seed, 7]).integers(-most, most + 1, 3)).tolist())


def nudged(seed: int, end: float) -> float:
    """How far a motion moves that is followed with another tolerance: what it amplifies errors by."""
    return float(np.abs(motion(seed, Units(), end, tolerance=1e-11)[1] - motion(seed, Units(), end)[1]).max())


def failures_of(seed: int, end: float) -> list[str]:
    """What is wrong with a machine: its end, its audit, its motion in other units."""
    run, own = motion(seed, Units(), end)
    found = [] if run.status.name in ("FINISHED", "AT_REST") else [f"{seed}: {run.status}"]
    found += [f"{seed}: {row.what} {row.amount:g}" for row in run.audit().itertuples()]
    twos = powers(seed, 2.0, 20)
    if not np.array_equal(motion(seed, twos, end)[1], own):
        found.append(f"{seed}: another motion in units {twos}")
    tens = powers(seed, 10.0, 6)
    off = float(np.abs(motion(seed, tens, end)[1] - own).max())
    if off > SAME * np.abs(own).max() + 1e3 * nudged(seed, end):
        found.append(f"{seed}: off by {off:g} in units {tens}")
    return found


def main() -> None:
    """Print what fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--end", type=float, default=2.0)
    given = parser.parse_args()
    for seed in range(given.seed, given.seed + given.runs):
        for failure in failures_of(seed, given.end):
            print(failure, flush=True)


if __name__ == "__main__":
    main()
