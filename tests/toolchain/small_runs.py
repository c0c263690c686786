"""Small runs that meet most of the engine, and a hash of every number they leave; run by test_python_mode.py."""

from __future__ import annotations

import hashlib
import sys
import time
from dataclasses import fields

import numpy as np

import jounce

RUNS = {
    "ball_on_table": ({"y": 1.0}, 6.0, {"omega": 3.0, "e": 0.5}),
    "bouncing_ball": ({"y": 0.1}, 1.0, {"e": 0.4}),  # chatter, then rest
    "slender_rod": ({"y": 2.0, "theta": 0.3}, 4.0, {"omega": 4.405, "mu": 0.3, "e": 0.5}),
    "belt_oscillator": ({}, 8.0, {}),  # stick and slip
    "wall_pendulum": ({}, 3.0, {}),
    "two_discs": ({}, 1.0, {}),
    "rocking_block": ({}, 1.0, {}),
    "woodpecker": ({}, 0.1, {}),
    "wiper": ({}, 2.0, {"mu": 0.6}),
    "painleve_rod": ({}, 0.5, {}),
    "falling_ball": ({}, 0.5, {}),  # a compliant contact
    "slider_crank": ({}, 0.05, {}),  # joints
    "quick_return": ({}, 0.002, {}),  # joints and compliant bearings
}


def digest(run: jounce.Trajectory) -> str:
    """A hash of all arrays of a run."""
    made = hashlib.sha256(run.status.name.encode())
    for field in fields(run.data):
        value = getattr(run.data, field.name)
        if isinstance(value, np.ndarray):
            made.update(np.ascontiguousarray(value).tobytes())
    made.update(np.concatenate([run.final.q, run.final.u]).tobytes())
    return made.hexdigest()[:16]


def main() -> None:
    """One line a run."""
    for name, (start, t_end, parameters) in RUNS.items():
        began = time.perf_counter()
        system = jounce.compile_model(getattr(jounce.systems, name)())
        run = jounce.simulate(system, system.state(**start), t_end, **parameters)
        print(name, run.status.name, len(run.events), len(run.data.step_t), digest(run), flush=True)
        print(f"{name} {time.perf_counter() - began:.1f} s", file=sys.stderr)
    outcomes = [jounce.impact(law, 2.0, 0.3, 1.5, 0.5, -1.0, 0.3, 0.5) for law in jounce.Law]
    print([(float(outcome.v_t).hex(), float(outcome.p_n).hex(), len(outcome.phases)) for outcome in outcomes])
    ball = jounce.compile_model(jounce.systems.ball_on_table())
    spectrum = jounce.lyapunov(ball, ball.state(y=3.0), 10.0, transient=2.0, omega=4.5, e=0.8)
    orbit = jounce.find_orbit(ball, ball.state(t=1.5, y=6.4), omega=3.0, e=0.9)
    print([float(value).hex() for value in (*spectrum.exponents, orbit.period, *np.abs(orbit.multipliers))])
    print("jounce.toolchain.compiler" in sys.modules)


if __name__ == "__main__":
    main()
