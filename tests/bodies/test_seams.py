"""Points at places where two outlines of one body meet."""

import warnings

import numpy as np
import pytest

import jounce
from jounce import Body, Model, PointOn, PolygonOn, contact_between, ground
from jounce.model.bodies.seams import only_touch


def groove(rng: np.random.Generator, overlap: float) -> tuple[list[list[tuple[float, float]]], float]:
    """Two blocks whose slopes meet in a groove at a random place, and that place; in corners if they do not overlap."""
    x, left, right = rng.uniform(-0.5, 0.5), rng.uniform(0.3, 2.0), rng.uniform(0.3, 2.0)
    a, b = x + overlap, x - overlap
    blocks = [
        [(x - 2, -3.0), (a, -3.0), (a, -left * overlap), (x - 2, 2 * left)],
        [(b, -3.0), (x + 2, -3.0), (x + 2, 2 * right), (b, -right * overlap)],
    ]
    return blocks, x


def needle(blocks: list[list[tuple[float, float]]], x: float, speed: float) -> Model:
    body = Body("b", mass=1.0, inertia=0.01, center=(x, 5.0), velocity=(speed, 0.0))
    contacts = [
        contact_between(f"c{k}", PointOn(body, (0, 0)), PolygonOn(ground, block), friction=0.2, restitution=0.3)
        for k, block in enumerate(blocks)
    ]
    return Model.from_bodies("needle", bodies=[body], contacts=contacts, gravity=(0, -9.81))


def test_a_point_stays_in_a_groove_of_blocks_that_overlap() -> None:
    rng = np.random.default_rng(5)
    for _ in range(8):
        blocks, x = groove(rng, rng.uniform(0.05, 0.5))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model = needle(blocks, x + rng.uniform(-0.5, 0.5), rng.uniform(-0.3, 0.3))
        run = jounce.simulate(model, None, 8.0, options=jounce.Options(audit="dense"))
        assert run.status.ok, run.status
        assert run.final["b_y"] > -1e-9
        struck = run.events[run.events["kind"] == "impact"]
        assert set(struck["face"]) <= {3.0, 4.0}  # the slopes: from the third corner, and from the fourth to the first
        assert struck["face"].notna().all()


def test_blocks_that_only_touch_are_warned_of() -> None:
    rng = np.random.default_rng(6)
    blocks, x = groove(rng, 0.0)
    with pytest.warns(UserWarning, match="'c0' and 'c1': their outlines touch and do not overlap"):
        needle(blocks, x, 0.0)


def test_outlines_that_only_touch() -> None:
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]

    def moved(x: float, y: float) -> list[tuple[float, float]]:
        return [(a + x, b + y) for a, b in square]

    assert only_touch(square, moved(1.0, 0.3))
    assert only_touch(square, moved(1.0, 1.0))
    assert not only_touch(square, moved(0.9, 0.3))
    assert not only_touch(square, moved(1.1, 0.3))
