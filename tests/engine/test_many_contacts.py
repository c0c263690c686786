"""Many contacts that collide at one instant: every one has its row, and the energy is accounted for."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import jounce
from jounce import Contact, Model, coordinates, parameters


def drops(count, height=0.2, rise=0.0):
    """Independent balls above one floor, each higher than the last one by ``rise``."""
    balls = coordinates(" ".join(f"y{k}" for k in range(count)), "m")
    (e,) = parameters(e=(0.5, ""))
    return Model.from_lagrangian(
        f"drops{count}",
        coordinates=[y for y, _ in balls],
        kinetic=sum(v**2 / 2 for _, v in balls),
        potential=sum(10 * y for y, _ in balls),
        contacts=[Contact(f"c{k}", gap=y, restitution=e) for k, (y, _) in enumerate(balls)],
        start={y: height + rise * k for k, (y, _) in enumerate(balls)},
    )


@pytest.mark.parametrize("law", ["newton", "poisson"])
@pytest.mark.parametrize("count", [5, 8])
def test_balls_that_land_together(count, law):
    """Each is the ball alone: down with 2 m/s, up with 1 m/s, at rest again 0.1 s later."""
    system = jounce.compile_model(drops(count))
    options = jounce.Options(simultaneous="joint", law=law)
    run = jounce.simulate(system, system.state(), t_end=0.3, options=options)
    assert run.status.name == "FINISHED"
    assert run.events.kind.tolist() == ["impact"] * count
    assert run.events.contact.tolist() == [f"c{k}" for k in range(count)]
    assert run.events.v_n_after.to_numpy() == pytest.approx(np.full(count, 1.0), abs=1e-12)
    assert run.final.u == pytest.approx(np.zeros(count), abs=1e-12)
    assert run.final.q == pytest.approx(np.full(count, 0.05), abs=1e-12)
    assert float(abs(run.energy.residual).max()) < 1e-12


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_row_of_balls_against_a_wall(law):
    """Eight balls that touch, all at the same speed towards a wall: e = 1 gives every one its speed back."""
    balls = coordinates(" ".join(f"x{k}" for k in range(8)), "m")
    gaps = [balls[0][0]] + [b - a for (a, _), (b, _) in pairwise(balls)]
    model = Model.from_lagrangian(
        "row",
        coordinates=[x for x, _ in balls],
        kinetic=sum(v**2 / 2 for _, v in balls),
        contacts=[Contact(f"c{k}", gap=gap, restitution=1) for k, gap in enumerate(gaps)],
    )
    system = jounce.compile_model(model)
    start = system.state(**{f"x{k}": 0.5 for k in range(8)}, **{f"d_x{k}": -1.0 for k in range(8)})
    run = jounce.simulate(system, start, t_end=1.0, options=jounce.Options(simultaneous="joint", law=law))
    assert run.final.u.sum() > 0.0
    assert float(abs(run.energy.residual).max()) < 1e-12
    assert float(run.energy.impact_loss[-1]) == pytest.approx(0.0, abs=1e-12)
    gaps_after = np.diff(run.final.q, prepend=0.0)
    assert gaps_after.min() > -1e-12
