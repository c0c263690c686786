"""Points at places where two outlines of one body meet."""

import warnings

import numpy as np
import pytest

import jounce
from jounce import Body, Corners, Edge, Model, PointOn, PolygonOn, contact_between, ground
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


def test_edges_around_a_corner_are_warned_of_and_those_of_a_notch_are_not() -> None:
    places = [(-1.0, 0.0), (0.0, 0.0), (0.0, -1.0), (1.0, -1.0)]  # a tread, a riser, and the tread below
    box = Body("box", mass=1.0, inertia=0.01, center=(-0.5, 1.0))
    square = Corners(box, [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)])
    tread, riser, below = (
        contact_between(name, square, Edge(ground, places[k], places[k + 1]))
        for k, name in enumerate(["tread", "riser", "below"])
    )
    with pytest.warns(UserWarning, match="'tread_1' and 'riser_1': their edges meet at a corner that points outwards"):
        Model.from_bodies("stairs", bodies=[box], contacts=[*tread, *riser])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Model.from_bodies("notch", bodies=[box], contacts=[*riser, *below])
        Model.from_bodies("treads", bodies=[box], contacts=[*tread, *below])


def test_corners_that_nothing_meets_are_warned_of() -> None:
    outline = [(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)]
    upper, lower = (Body(name, mass=1.0, inertia=0.01, center=(0, y)) for name, y in (("upper", 0.5), ("lower", 0.1)))
    one_way = contact_between("on", Corners(upper, outline), PolygonOn(lower, outline), friction=0.3)
    with pytest.warns(UserWarning, match="'on_1' to 'on_4': .* those of 'lower' may enter 'upper'"):
        Model.from_bodies("stack", bodies=[upper, lower], contacts=one_way)
    both_ways = contact_between("on", PolygonOn(upper, outline), PolygonOn(lower, outline), friction=0.3)
    end = contact_between("end", PointOn(lower, (0.2, 0.1)), PolygonOn(upper, outline))
    table = contact_between("table", Corners(upper, outline), PolygonOn(ground, outline))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Model.from_bodies("pair", bodies=[upper, lower], contacts=both_ways)
        Model.from_bodies("met", bodies=[upper, lower], contacts=[*one_way, end])
        Model.from_bodies("table", bodies=[upper], contacts=table)
