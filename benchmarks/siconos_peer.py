"""The problems of side_by_side in Siconos: Moreau's time-stepping at fixed steps dt, with Newton's or Coulomb's law.

Siconos comes from Debian (python3-siconos) or from its own sources, not from PyPI, and brings a Python of its own. Run
this file with that Python, ``python -m benchmarks.siconos_peer``: it writes its answers into side_by_side.json, from
where side_by_side takes them. Only NumPy and Siconos are needed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import siconos.kernel as sk

from benchmarks.pairs import PERIODS, E, by_trying, differ, simple_motion

G = 9.81
STEPS = (1e-3, 1e-4)
NEAR = 1e-3
KEPT = Path(__file__).parent / "side_by_side.json"

Force = Callable[[float, np.ndarray], list[float]]
Touch = tuple[list[list[float]], float, float, float]  # rows normal (and slip), offset of the gap, e, mu


def steps(
    dt: float, t_end: float, q: list[float], u: list[float], mass: list[float], force: Force, touches: list[Touch]
) -> Iterator[tuple[float, np.ndarray, np.ndarray]]:
    """(t, q, u) after each step; forces are those of the state before it."""
    body = sk.LagrangianLinearTIDS(q, u, np.diag(mass).tolist())
    body.setFExtPtr(force(0.0, np.array(q, dtype=float)))
    system = sk.NonSmoothDynamicalSystem(0.0, t_end)
    system.insertDynamicalSystem(body)
    frictional = any(mu > 0.0 for *_, mu in touches)
    for rows, offset, e, mu in touches:
        law = sk.NewtonImpactFrictionNSL(e, 0.0, mu, 2) if frictional else sk.NewtonImpactNSL(e)
        relation = sk.LagrangianLinearTIR(rows, [offset, *[0.0] * (len(rows) - 1)])
        system.link(sk.Interaction(law, relation), body)
    problem = sk.FrictionContact(2) if frictional else sk.LCP()
    simulation = sk.TimeStepping(system, sk.TimeDiscretisation(0.0, dt), sk.MoreauJeanOSI(0.5), problem)
    while simulation.hasNextEvent():
        body.setFExtPtr(force(simulation.startingTime(), np.array(body.q())))
        simulation.computeOneStep()
        yield simulation.nextTime(), np.array(body.q()), np.array(body.velocity())
        simulation.nextStep()


def falling(mass: list[float]) -> Force:
    return lambda t, q: [-G * m for m in mass]


def bounces(dt: float, e: float) -> tuple[list[float], float]:
    """Turns at the floor, and when the ball was last farther than NEAR from it."""
    v, found, away = 0.0, [], 0.0
    for t, q, u in steps(dt, 6.0, [1.0], [0.0], [1.0], falling([1.0]), [([[1.0]], 0.0, e, 0.0)]):
        if v < 0.0 <= u[0]:
            found.append(t)
        v = u[0]
        away = t if q[0] > NEAR else away
    return found, away


def stopping_distance(dt: float) -> float:
    """A block with 2 m/s and friction 0.3."""
    floor = ([[0.0, 1.0], [1.0, 0.0]], 0.0, 0.0, 0.3)
    *_, last = steps(dt, 2.0, [0.0, 0.0], [2.0, 0.0], [1.0, 1.0], lambda t, q: [0.0, -G], [floor])
    return float(last[1][0])


def begins_to_roll(dt: float) -> float:
    """A disc with 6 m/s and friction 0.1."""
    r, m = 0.11, 6.0
    floor = ([[0.0, 1.0, 0.0], [1.0, 0.0, r]], 0.0, 0.0, 0.1)
    mass = [m, m, m * r**2 / 2]
    for t, _, u in steps(dt, 4.0, [0.0] * 3, [6.0, 0.0, 0.0], mass, lambda t, q: [0.0, -G * m, 0.0], [floor]):
        if u[0] + r * u[2] <= 1e-6:
            return t
    return math.nan


def two_balls(dt: float) -> float:
    """The speed of a light ball dropped on top of a heavy one; coordinates are heights of lowest points."""
    touches = [([[1.0, 0.0]], 0.0, 1.0, 0.0), ([[-1.0, 1.0]], 0.0, 1.0, 0.0)]
    thrown = 0.0
    for _, _, u in steps(dt, 0.6, [1.0, 1.001], [0.0, 0.0], [0.6, 0.06], falling([0.6, 0.06]), touches):
        thrown = max(thrown, float(u[1]))
    return thrown


def cradle(dt: float) -> float:
    """The speed of the last of five balls, each 0.1 mm from the next."""
    rows = [[0.0] * 5 for _ in range(4)]
    for k, row in enumerate(rows):
        row[k], row[k + 1] = -1.0, 1.0
    touches = [([row], 1e-4, 1.0, 0.0) for row in rows]
    spring = G / 0.25
    for _, _, u in steps(dt, 0.3, [-0.1, 0, 0, 0, 0], [0.0] * 5, [1.0] * 5, lambda t, q: list(-spring * q), touches):
        if u[4] > 0.1:
            return float(u[4])
    return math.nan


def pendulum(dt: float) -> float:
    """The third turn at a wall below the pivot of a pendulum released level, e = 0.7, in its angle."""
    v, found = 0.0, 0
    wall = ([[1.0]], 0.0, 0.7, 0.0)
    for t, _, u in steps(dt, 6.0, [math.pi / 2], [0.0], [1.0], lambda t, q: [-G * math.sin(q[0])], [wall]):
        found += v < 0.0 <= u[0]
        if found == 3:
            return t
        v = u[0]
    return math.nan


def spin(dt: float) -> float:
    """The sideways speed of a disc that lands with 60 rad/s from 1 m, friction 0.2, e = 0.6."""
    floor = ([[0.0, 1.0, 0.0], [1.0, 0.0, 0.1]], 0.0, 0.6, 0.2)
    mass = [1.0, 1.0, 0.005]
    start = ([0.0, 1.0, 0.0], [0.0, 0.0, 60.0])
    for _, _, u in steps(dt, 0.6, *start, mass, lambda t, q: [0.0, -G, 0.0], [floor]):
        if u[1] > 0.0:
            return abs(float(u[0]))
    return math.nan


def belt(dt: float) -> float:
    """How far a block on a spring of 10 N/m is carried by a belt of 0.2 m/s, friction 0.3; x is seen from the belt."""
    floor = ([[0.0, 1.0], [1.0, 0.0]], 0.0, 0.0, 0.3)
    farthest = 0.0
    force = lambda t, q: [-10.0 * (q[0] + 0.2 * t), -G]  # noqa: E731
    for t, q, _ in steps(dt, 3.0, [0.0, 0.0], [-0.2, 0.0], [1.0, 1.0], force, [floor]):
        farthest = max(farthest, float(q[0]) + 0.2 * t)
    return farthest


def alternates(dt: float, omega: float) -> bool:
    """Whether flights of a ball on the table of benchmarks/pairs.py alternate; seen from the table."""
    t0, speed = simple_motion(omega)
    start = 1.001 * (speed - omega * math.cos(omega * t0))
    force = lambda t, q: [-G + omega**2 * math.sin(omega * (t + t0))]  # noqa: E731
    found, v = [], 0.0
    t_end = PERIODS * 2 * math.pi / omega
    for t, _, u in steps(dt, t_end, [1e-9], [start], [1.0], force, [([[1.0]], 0.0, E, 0.0)]):
        if v < 0.0 <= u[0]:
            found.append(t)
        v = u[0]
    return differ(found, omega)


def answers(dt: float) -> dict[str, float]:
    """All problems."""
    fifth, lies = bounces(dt, 0.8)[0], bounces(dt, 0.5)[1]
    return {
        "fifth bounce": fifth[4],
        "lies within a millimetre": lies,
        "stopping distance": stopping_distance(dt),
        "begins to roll": begins_to_roll(dt),
        "two balls": two_balls(dt),
        "cradle": cradle(dt),
        "pendulum on a wall": pendulum(dt),
        "bounce with spin": spin(dt),
        "carried by a belt": belt(dt),
        "bounces in pairs": by_trying(lambda omega: alternates(dt, omega)),
    }


def main() -> None:
    """Measure and keep."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    for dt in STEPS:
        kept["answers"][f"Siconos, {dt:g} s"] = answers(dt)
        print(dt, kept["answers"][f"Siconos, {dt:g} s"], flush=True)
    KEPT.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
