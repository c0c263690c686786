"""Bodies that share a model and nothing else move as each would alone: what one flies through is not what another did.

A block lies on a shaken floor, is thrown off and falls back, so that steps and flights follow one another; beads fly
between walls, in closed form. Whatever a flight asks, it must ask of this flight.
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Contact, Model, Options, coordinates, parameters
from jounce.model import time

BEADS = 3
UNITS = [(1.0, 1.0), (2.0**-20, 2.0**20), (1e-6, 1e-3), (1e6, 1e6)]


def _beads_and_a_block() -> jounce.System:
    """Beads between walls at 0 and L, and a block on a floor that moves as A sin(w t)."""
    *beads, (y, _) = coordinates(" ".join(f"x{k}" for k in range(BEADS)) + " y", "m")
    m, g, A, w, L = parameters(
        m=(1.0, "kg"), g=(9.81, "m/s^2"), A=(0.02, "m"), w=(30.0, "rad/s"), L=(1.0, "m")
    )  # fmt: skip
    walls = [
        Contact(f"{x}_{side}", gap=gap, restitution=1.0)
        for x, _ in beads
        for side, gap in (("left", x), ("right", L - x))
    ]
    floor = Contact("floor", gap=y - A * sp.sin(w * time), restitution=0.0)
    places = [x for x, _ in beads]
    model = Model(
        "beads_and_a_block", [*places, y], [m] * (BEADS + 1), [0] * BEADS + [-m * g], [*walls, floor],
        parameters=[m, g, A, w, L],
    )  # fmt: skip
    return jounce.compile_model(model)


def _between_walls(start: float, speed: float, t: float) -> float:
    """The place of a bead that has flown for t between walls at 0 and 1."""
    unfolded = (start + speed * t) % 2.0
    return min(unfolded, 2.0 - unfolded)


@pytest.mark.parametrize("units", UNITS)
def test_beads_beside_a_block_that_rests_and_flies(units: tuple[float, float]) -> None:
    """The end of each bead by unfolding its way; 20 random starts, whole and cut."""
    system, (length, period) = _beads_and_a_block(), units
    values = {"g": 9.81 * length / period**2, "A": 0.02 * length, "w": 30.0 / period, "L": length}
    for trial in range(20):
        rng = np.random.default_rng(trial)
        place, speed, cut = rng.uniform(0.05, 0.95, BEADS), rng.uniform(-2.0, 2.0, BEADS), rng.uniform(0.5, 5.5)
        start = {"y": 0.0, "d_y": 0.6 * length / period}
        start |= {f"x{k}": x * length for k, x in enumerate(place)}
        start |= {f"d_x{k}": v * length / period for k, v in enumerate(speed)}
        options = Options(audit="dense")
        whole = jounce.simulate(system, start, 6.0 * period, **values, options=options)
        first = jounce.simulate(system, start, cut * period, **values, options=options)
        rest = jounce.simulate(system, first.final, 6.0 * period, **values, options=options)
        expected = [_between_walls(x, v, 6.0) for x, v in zip(place, speed, strict=True)]
        for run in (whole, rest):
            assert run.status.name == "FINISHED"
            assert run.final.q[:BEADS] / length == pytest.approx(expected, abs=1e-12)
