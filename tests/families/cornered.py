"""Boxes with sharp corners on table ends, stairs with risers, wedges and in grooves: corners slide off faces."""

from __future__ import annotations

import numpy as np

from jounce import Body, Corners, Line, Model, PolygonOn, contact_between, ground, parameters
from tests.families.family import Family, Numbers, between

Drawn = tuple[Numbers, Numbers, float]


def _rectangle(w, h):  # type: ignore[no-untyped-def]
    return [(-w / 2, -h / 2), (w / 2, -h / 2), (w / 2, h / 2), (-w / 2, h / 2)]


def _box(name, m, w, h):  # type: ignore[no-untyped-def]
    return Body(name, mass=m, inertia=m * (w**2 + h**2) / 12)


def _block(left, right, bottom, top):  # type: ignore[no-untyped-def]
    return PolygonOn(ground, [(left, bottom), (right, bottom), (right, top), (left, top)])


def table_end() -> Model:
    """One box, a table that ends at x = 0, and the floor below."""
    m, w, h, g, depth, mu, e = parameters(
        m=(1.0, "kg"), w=(0.4, "m"), h=(0.2, "m"), g=(9.81, "m/s^2"), depth=(1.0, "m"), mu=0.3, e=0.3
    )
    box = _box("b", m, w, h)
    outline, surface = _rectangle(w, h), {"friction": mu, "restitution": e}
    contacts = contact_between("table", PolygonOn(box, outline), _block(-8 * w, 0, -depth, 0), **surface)
    contacts += contact_between("floor", Corners(box, outline), Line(ground, (0, -depth)), **surface)
    return Model.from_bodies("table_end", bodies=[box], contacts=contacts, gravity=(0, -g), start={box.y: 1.0})


def draw_table_end(random: np.random.Generator) -> Drawn:
    p = between(random, w=(0.2, 0.6), h=(0.1, 0.5), g=(5, 15), depth=(0.3, 1.5), mu=(0, 0.8), e=(0, 0.8))
    return p, _above(random, p["w"], p["h"], -1.2 * p["w"]), 1.5


def _above(random: np.random.Generator, w: float, h: float, x: float) -> Numbers:
    """A box above the level y = 0, flat on it in half of the draws, that moves to the right."""
    speed = float(random.uniform(0.3, 3.0))
    if random.random() < 0.5:
        turn = int(random.integers(1, 4))  # right angles: what a motion does to an angle is compared with its size
        return {"b_x": x, "b_y": (w if turn % 2 else h) / 2, "b_theta": turn * np.pi / 2, "d_b_x": speed}
    turn = float(random.uniform(-1.5, 1.5))
    y = (w * abs(np.sin(turn)) + h * abs(np.cos(turn))) / 2 + float(random.uniform(0.0, 0.1))
    return {"b_x": x, "b_y": y, "b_theta": turn, "d_b_x": speed, "d_b_theta": float(random.uniform(-2, 2))}


def stairs() -> Model:
    """One box down three steps, whose treads and risers are faces of blocks that stand side by side."""
    m, w, h, g, tread, rise, mu, e = parameters(
        m=(1.0, "kg"), w=(0.3, "m"), h=(0.2, "m"), g=(9.81, "m/s^2"), tread=(0.4, "m"), rise=(0.15, "m"), mu=0.3, e=0.2
    )
    box = _box("b", m, w, h)
    outline, surface = _rectangle(w, h), {"friction": mu, "restitution": e}
    contacts = []
    for k in range(3):
        left = -8 * w if k == 0 else (k - 1) * tread
        step = _block(left, k * tread, -3 * rise, -k * rise)
        contacts += contact_between(f"step_{k}", PolygonOn(box, outline), step, **surface)
    contacts += contact_between("floor", Corners(box, outline), Line(ground, (0, -3 * rise)), **surface)
    return Model.from_bodies("stairs", bodies=[box], contacts=contacts, gravity=(0, -g), start={box.y: 1.0})


def draw_stairs(random: np.random.Generator) -> Drawn:
    p = between(random, w=(0.15, 0.5), h=(0.1, 0.4), g=(5, 15), tread=(0.2, 0.6), rise=(0.05, 0.3), mu=(0, 0.6))
    p |= between(random, e=(0, 0.6))
    return p, _above(random, p["w"], p["h"], -1.0 * p["w"]), 2.0


def wedge() -> Model:
    """One box on a hill with a convex angle, at whose foot the floor makes a concave one."""
    m, w, h, g, length, slope, mu, e = parameters(
        m=(1.0, "kg"), w=(0.3, "m"), h=(0.2, "m"), g=(9.81, "m/s^2"), length=(1.0, "m"), slope=0.6, mu=0.2, e=0.2
    )
    box = _box("b", m, w, h)
    outline, surface = _rectangle(w, h), {"friction": mu, "restitution": e}
    foot = -slope * length
    hill = PolygonOn(ground, [(-8 * w, 2 * foot), (length, 2 * foot), (length, foot), (0, 0), (-8 * w, 0)])
    contacts = contact_between("hill", PolygonOn(box, outline), hill, **surface)
    contacts += contact_between("floor", Corners(box, outline), Line(ground, (0, foot)), **surface)
    return Model.from_bodies("wedge", bodies=[box], contacts=contacts, gravity=(0, -g), start={box.y: 1.0})


def draw_wedge(random: np.random.Generator) -> Drawn:
    p = between(random, w=(0.15, 0.5), h=(0.1, 0.4), g=(5, 15), length=(0.5, 1.5), slope=(0.1, 1.5), mu=(0, 0.6))
    p |= between(random, e=(0, 0.6))
    return p, _above(random, p["w"], p["h"], -1.0 * p["w"]), 1.5


def groove(name: str = "groove", roundings: float = 0.0) -> Model:
    """One box in a groove of two blocks whose corners meet at its bottom, where a corner of the box comes to rest.

    ``roundings``: the radius of all corners, in widths of the box.
    """
    m, w, h, g, left, right, mu, e = parameters(
        m=(1.0, "kg"), w=(0.3, "m"), h=(0.2, "m"), g=(9.81, "m/s^2"), left=1.0, right=1.0, mu=0.3, e=0.2
    )
    box = _box("b", m, w, h)
    outline, surface, wide = _rectangle(w, h), {"friction": mu, "restitution": e}, 8 * w
    shape = {"rounding": roundings * w} if roundings else {}
    sides = {
        "left": [(0, 0), (-wide, left * wide), (-wide, -wide), (0, -wide)],
        "right": [(0, 0), (0, -wide), (wide, -wide), (wide, right * wide)],
    }
    contacts = []
    for side, corners in sides.items():
        block = PolygonOn(ground, corners, **shape)
        contacts += contact_between(side, PolygonOn(box, outline, **shape), block, **surface)
    return Model.from_bodies(name, bodies=[box], contacts=contacts, gravity=(0, -g), start={box.y: 1.0})


def round_groove() -> Model:
    """The same with round corners."""
    return groove("round_groove", 1 / 40)


def draw_groove(random: np.random.Generator) -> Drawn:
    p = between(random, w=(0.15, 0.5), h=(0.1, 0.4), g=(5, 15), left=(0.3, 2.0), right=(0.3, 2.0), mu=(0, 0.8))
    p |= between(random, e=(0, 0.6))
    start = between(random, b_x=(-0.2, 0.2), b_theta=(-3, 3), d_b_x=(-1, 1), d_b_theta=(-3, 3))
    # the circle about the box is above both sides
    radius = np.hypot(p["w"], p["h"]) / 2
    slopes = {1: p["right"], -1: p["left"]}
    above = [side * slope * start["b_x"] + radius * np.hypot(1, slope) for side, slope in slopes.items()]
    return p, {**start, "b_y": float(max(above)) + 0.01}, 1.5


FAMILIES = [
    Family("table_end", table_end, draw_table_end, bodies="tables"),
    Family("stairs", stairs, draw_stairs, bodies="tables"),
    Family("wedge", wedge, draw_wedge, bodies="tables"),
    Family("groove", groove, draw_groove, bodies="tables"),
    Family("round_groove", round_groove, draw_groove, bodies="tables"),
]
