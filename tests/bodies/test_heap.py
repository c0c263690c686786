"""Loose bodies that fall into a bin and come to rest on one another."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from benchmarks import scenes
from jounce import Body, CircleOn, Line, Model, contact_between, ground


def pyramid(rows: int, friction: float = 0.5) -> Model:
    """Discs stacked as oranges are, the lowest row between two walls: each carries the weight of what lies on it."""
    r, discs = 0.1, []
    for k in range(rows):
        for j in range(rows - k):
            place = (r + (2 * j + k) * r, r + k * np.sqrt(3) * r)
            discs.append(Body(f"d{k}_{j}", 1.0, 0.5 * r * r, center=place))
    rims = [CircleOn(disc, (0, 0), r) for disc in discs]
    places = np.array([disc.center for disc in discs], float)
    walls = {
        "floor": Line(ground, (0, 0), (1, 0)),
        "left": Line(ground, (0, 0), (0, -1)),
        "right": Line(ground, (2 * r * rows, 0), (0, 1)),
    }
    contacts = [
        contact_between(f"{name}{k}", rim, wall, friction=friction)
        for name, wall in walls.items()
        for k, rim in enumerate(rims)
    ]
    contacts += [
        contact_between(f"p{a}_{b}", rims[a], rims[b], friction=friction)
        for a in range(len(rims))
        for b in range(a)
        if np.hypot(*(places[a] - places[b])) < 3 * r
    ]
    return Model.from_bodies(f"pyramid{rows}", bodies=discs, gravity=scenes.G, contacts=contacts)


@pytest.mark.parametrize("rows", [4, 6])
def test_a_pyramid_of_discs_stays(rows: int) -> None:
    """A cluster of up to 38 contacts that touch: what the ground gives is the weight of all, and nothing sideways."""
    system = jounce.compile_model(pyramid(rows))
    run = jounce.simulate(system, None, 5.0)
    assert run.status.name == "AT_REST", run.status
    assert not len(run.audit("dense"))
    forces = run.contact_forces(np.array([2.0])).squeeze()
    names, given = [str(name) for name in forces.contact.values], np.zeros(2)
    for side, (x, y) in {"floor": (0, 1), "left": (1, 0), "right": (-1, 0)}.items():
        own = [k for k, name in enumerate(names) if name.startswith(side)]
        given += float(forces.lambda_N[own].sum()) * np.array([x, y])
        given += float(forces.lambda_T[own].sum()) * np.array([y, -x])
    weight = rows * (rows + 1) / 2 * scenes.G
    assert given == pytest.approx([0.0, weight], abs=1e-9 * weight)
    assert np.abs(run.final.q - system.state().q).max() < 1e-9


def test_a_heap_of_discs_falls_together() -> None:
    """Twelve discs that do not bounce: sequences of impacts whose remainders are far slower than the slips beside them.

    Until 3.1 s the law of impact had no answer to such a remainder; at 4.03 s a slide went on in the wrong direction.
    """
    run = jounce.simulate(jounce.compile_model(scenes.heap(12)), None, 4.2, e=0.0)
    assert run.status.name == "FINISHED", run.status
    assert run.audit().empty
    assert np.abs(run.energy.residual).max() < 1e-9 * float(run.energy.kinetic.max())
