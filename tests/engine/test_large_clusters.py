"""Closed contacts beyond enumeration: pivoting proposes, the conditions of modes decide; clusters are asked apart."""

from __future__ import annotations

import time

import numpy as np
import pytest

import jounce
from benchmarks.scenes import G, compiled, feet
from jounce import Body, Corners, Force, Line, Model, contact_between, ground, parameters
from tests.engine.test_carried_forces import block, draw, largest_force


@pytest.mark.parametrize("count", [5, 8, 12])
def test_block_at_rest_on_many_feet(count):
    run = jounce.simulate(compiled(feet(count)), None, 1.0, pull=2.0)
    assert set(run.final.mode_names) == {"STICK"}
    assert run.audit().empty
    forces = run.contact_forces(np.array([0.5]))
    assert float(forces.lambda_N.sum()) == pytest.approx(G, rel=1e-9)
    assert float(forces.lambda_T.sum()) == pytest.approx(-2.0, rel=1e-9)


@pytest.mark.parametrize("count", [6, 8])
def test_pulled_block_begins_to_slide_at_the_limit_of_friction(count):
    """mu m g = pull + rate t, and from there on x'' = (rate/m)(t - t0): x = rate (t - t0)^3/6."""
    run = jounce.simulate(compiled(feet(count)), None, 3.0, pull=4.0, rate=0.5)
    begins = (0.5 * G - 4.0) / 0.5
    assert run.events.t.iloc[0] == pytest.approx(begins, rel=1e-9)
    assert run.status.name == "FINISHED"
    assert run.final["block_x"] == pytest.approx(0.5 * (3.0 - begins) ** 3 / 6, rel=1e-8)
    assert run.audit().empty


@pytest.mark.parametrize("count", [7])
def test_rest_on_many_feet_ends_where_no_distribution_is_carried(count):
    """Random places and coefficients of friction: slip or tipping, against the linear programme of SciPy."""
    system = jounce.compile_model(block(count))
    random = np.random.default_rng(7)
    for _ in range(2):
        p = draw(random, count)
        limit = largest_force(p, count)
        run = jounce.simulate(system, None, limit / 0.5 * 1.02, **p)
        assert run.events.t.iloc[0] == pytest.approx(limit / 0.5, rel=1e-8)
        assert run.status.name == "FINISHED"


def side_by_side(count):
    """Blocks on three feet each that do not touch one another, the k-th pulled with (k + 1) times the force."""
    mu, rate = parameters(mu=(0.5, ""), rate=(1.0, "N/s"))
    blocks = [Body(f"b{k}", mass=1.0, inertia=0.05, center=(2.0 * k, 0.3)) for k in range(count)]
    soles = [(-0.4, -0.3), (0.1, -0.3), (0.4, -0.3)]
    return Model.from_bodies(
        f"side_by_side{count}",
        bodies=blocks,
        gravity=G,
        forces=[Force(b, ((k + 1) * rate * jounce.time, 0), at=(0, -0.3)) for k, b in enumerate(blocks)],
        contacts=[
            contact_between(f"f{k}", Corners(b, soles), Line(ground, (0, 0), (1, 0)), friction=mu)
            for k, b in enumerate(blocks)
        ],
    )


def test_clusters_are_asked_apart():
    """Five blocks on three feet, 4^15 modes together: each slides at mu m g = (k + 1) rate t, the others stay."""
    system = jounce.compile_model(side_by_side(5))
    began = time.process_time()
    run = jounce.simulate(system, None, 5.5)
    assert time.process_time() - began < 20.0
    slips = run.events[run.events.kind.isin(["slip", "lift_off"])]
    for k in range(5):
        own = slips[slips.contact.str.startswith(f"f{k}_")]
        assert own.t.iloc[0] == pytest.approx(0.5 * G / (k + 1), rel=1e-9)
    assert run.audit().empty
