"""Ordinary scenes with polygons, as the pages on mechanisms and contacts would have them, in any units and mirrored."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from jounce import (
    Body,
    Force,
    Line,
    Model,
    PolygonOn,
    Revolute,
    Translational,
    contact_between,
    ground,
)

G = 9.81
Points = list[tuple[float, float]]


def rectangle(w: float, h: float) -> Points:
    """About the origin."""
    return block(-w / 2, w / 2, -h / 2, h / 2)


def block(left: float, right: float, bottom: float, top: float) -> Points:
    """With sides along the axes."""
    return [(left, bottom), (right, bottom), (right, top), (left, top)]


def centred(corners: Points) -> Points:
    """A triangle moved so that its centre of mass is the origin."""
    x, y = np.mean(corners, axis=0)
    return [(a - x, b - y) for a, b in corners]


def inertia(corners: Points) -> float:
    """Of mass 1 about the origin, by Green's theorem."""
    P = np.array(corners)
    Q = np.roll(P, -1, axis=0)
    cross = P[:, 0] * Q[:, 1] - P[:, 1] * Q[:, 0]
    return float((cross * ((P * P).sum(1) + (P * Q).sum(1) + (Q * Q).sum(1))).sum() / 12 / (cross.sum() / 2))


class Scene:
    """Bodies, outlines and contacts with lengths and times in units, mirrored where ``side`` is -1."""

    def __init__(self, side: int = 1, length: float = 1.0, time: float = 1.0) -> None:
        self.side, self.length, self.time = side, length, time
        self.outlines: list[tuple[Any, np.ndarray]] = []
        self.bodies: list[Body] = []
        self.contacts: list[Any] = []
        self.joints: list[Any] = []
        self.forces: list[Any] = []

    def place(self, x: float, y: float) -> tuple[float, float]:
        return self.side * x * self.length, y * self.length

    def speed(self, x: float, y: float) -> tuple[float, float]:
        return self.side * x * self.length / self.time, y * self.length / self.time

    def body(
        self, name: str, inertia: float, center: tuple[float, float], *, mass: float = 1.0, angle: float = 0.0,
        velocity: tuple[float, float] = (0.0, 0.0), spin: float = 0.0,
    ) -> Body:  # fmt: skip
        made = Body(
            name, mass=mass, inertia=mass * inertia * self.length**2, center=self.place(*center),
            angle=self.side * angle, velocity=self.speed(*velocity), spin=self.side * spin / self.time,
        )  # fmt: skip
        self.bodies.append(made)
        return made

    def outline(self, body: Any, corners: Points) -> PolygonOn:
        places = [self.place(*corner) for corner in corners][:: self.side]
        self.outlines.append((body, np.array(places)))
        return PolygonOn(body, places)

    def box(self, name: str, w: float, h: float, center: tuple[float, float], **motion: Any) -> tuple[Body, PolygonOn]:
        body = self.body(name, (w * w + h * h) / 12, center, **motion)
        return body, self.outline(body, rectangle(w, h))

    def floor(self, y: float, speed: float = 0.0) -> Line:
        return Line(ground, self.place(0.0, y), (1, 0), speed=self.speed(speed, 0.0)[0])

    def touch(self, a: Any, b: Any, **coefficients: float) -> None:
        self.contacts += contact_between(f"c{len(self.contacts)}", a, b, **coefficients)

    def model(self) -> Model:
        parts = {"bodies": self.bodies, "contacts": self.contacts, "joints": self.joints, "forces": self.forces}
        return Model.from_bodies("scene", **parts, gravity=(0, -G * self.length / self.time**2))


def table(s: Scene) -> float:
    """A box slides off a table, tips over its end and falls to the floor."""
    _, box = s.box("b", 0.4, 0.2, (-0.5, 0.1), velocity=(1.6, 0))
    s.touch(box, s.outline(ground, block(-2, 0, -0.8, 0)), friction=0.2, restitution=0.3)
    s.touch(box, s.floor(-0.8), friction=0.3, restitution=0.3)
    return 1.5


def triangle_in_a_v(s: Scene) -> float:
    """A triangle falls into a groove made of two blocks, whose corners meet at its bottom."""
    corners = [(-0.15, -0.1), (0.15, -0.1), (0.0, 0.2)]
    triangle = s.outline(s.body("b", inertia(corners), (0.05, 0.6), angle=0.4, velocity=(0.1, 0)), corners)
    for side in ([(-1, 1), (-1, -0.2), (0, -0.2), (0, 0)], [(0, 0), (0, -0.2), (1, -0.2), (1, 1)]):
        s.touch(triangle, s.outline(ground, side), friction=0.4, restitution=0.2)
    return 2.0


def box_between_walls(s: Scene) -> float:
    """A box thrown in between two walls rattles to rest."""
    _, box = s.box("b", 0.3, 0.2, (0, 0.5), angle=0.3, velocity=(2.5, 0), spin=2.0)
    for left in (-0.5, 0.3):
        s.touch(box, s.outline(ground, block(left, left + 0.2, -0.1, 2)), friction=0.2, restitution=0.5)
    s.touch(box, s.floor(0), friction=0.2, restitution=0.4)
    return 2.0


def wedge_under_a_box(s: Scene) -> float:
    """A wedge slides under a box and lifts it."""
    corners = centred([(-0.3, -0.1), (0.3, -0.1), (-0.3, 0.1)])
    body = s.body("w", inertia(corners), (-0.45, -min(y for _, y in corners)), velocity=(3.0, 0), mass=2.0)
    wedge, (_, box) = s.outline(body, corners), s.box("b", 0.3, 0.2, (0.15, 0.1))
    s.touch(box, wedge, friction=0.1)
    for outline in (wedge, box):
        s.touch(outline, s.floor(0), friction=0.1)
    return 1.5


def angle_on_a_step(s: Scene) -> float:
    """An L of two polygons slides off a step and falls onto the next one."""
    shapes = (block(-0.2, 0.2, -0.1, 0.0), block(-0.2, -0.1, 0.0, 0.3))
    x, y = (4 * 0.0 + 3 * -0.15) / 7, (4 * -0.05 + 3 * 0.15) / 7
    moved = [[(a - x, b - y) for a, b in corners] for corners in shapes]
    own = (4 * inertia(moved[0]) + 3 * inertia(moved[1])) / 7
    body = s.body("b", own, (-0.35, 0.1 + y), velocity=(1.5, 0))
    for corners in moved:
        part = s.outline(body, corners)
        for step in (block(-2, 0, -0.5, 0), block(0, 2, -0.5, -0.15)):
            s.touch(part, s.outline(ground, step), friction=0.2, restitution=0.1)
    return 1.5


def pushed_stack(s: Scene) -> float:
    """The lower one of two boxes is pushed away under the upper one."""
    (lower, bottom), (_, top) = s.box("a", 0.3, 0.2, (0, 0.1)), s.box("b", 0.3, 0.2, (0, 0.3))
    s.touch(top, bottom, friction=0.2)
    s.touch(bottom, s.floor(0), friction=0.1)
    s.forces.append(Force(lower, (s.side * 8.0 * s.length / s.time**2, 0)))
    return 1.5


def rolling_hexagon(s: Scene) -> float:
    """A hexagon rolls down an incline from corner to corner."""
    corners = [(0.1 * math.cos(math.pi * k / 3), 0.1 * math.sin(math.pi * k / 3)) for k in range(6)]
    slope, height = 0.45, 0.1 * math.cos(math.pi / 6)
    c, d = math.cos(slope), math.sin(slope)
    body = s.body(
        "b", inertia(corners), (0.2 * c + height * d, -0.2 * d + height * c), angle=-slope, spin=-4.0,
        velocity=(4 * height * c, -4 * height * d),
    )  # fmt: skip
    hill = [(0.0, 0.0), (0.0, -3.0), (2.0, -3.0), (2.0, -2 * d / c)]
    s.touch(s.outline(body, corners), s.outline(ground, hill), friction=0.8)
    return 0.9


def ratchet(s: Scene) -> float:
    """A rack with teeth moves under a pawl on a pin."""
    body, pawl = s.box("pawl", 0.2, 0.04, (0.1 * math.cos(-0.5), 0.3 + 0.1 * math.sin(-0.5)), angle=-0.5)
    s.joints.append(Revolute("pin", ground, body, s.place(0, 0.3), s.place(-0.1, 0)))
    rack = s.body("rack", (1.6**2 + 0.1**2) / 12, (0.35, 0.05), velocity=(-0.6, 0), mass=3.0)
    s.joints.append(Translational("guide", ground, rack, at_first=s.place(0, 0.05)))
    for x in (-0.75, -0.5, -0.25, 0.0, 0.25, 0.5):
        tooth = s.outline(rack, [(x, 0.05), (x + 0.25, 0.05), (x, 0.15)])
        s.touch(pawl, tooth, friction=0.1, restitution=0.1)
    return 1.2


def domino(s: Scene) -> float:
    """A domino tips about its foot against a step."""
    _, box = s.box("b", 0.1, 0.5, (0, 0.25), spin=-1.8, velocity=(1.8 * 0.25, -1.8 * 0.05))
    s.touch(box, s.floor(0), friction=0.6)
    s.touch(box, s.outline(ground, block(0.3, 1.0, -0.2, 0.15)), friction=0.3, restitution=0.2)
    return 1.5


def box_on_a_belt(s: Scene) -> float:
    """A box laid on a belt takes its speed and is carried against a stop."""
    _, box = s.box("b", 0.3, 0.2, (-0.6, 0.1))
    s.touch(box, s.floor(0, speed=1.0), friction=0.4, restitution=0.1)
    s.touch(box, s.outline(ground, block(0.4, 0.6, 0, 0.1)), friction=0.2, restitution=0.1)
    return 2.0


SCENES: list[Callable[[Scene], float]] = [
    table, triangle_in_a_v, box_between_walls, wedge_under_a_box, angle_on_a_step, pushed_stack, rolling_hexagon,
    ratchet, domino, box_on_a_belt,
]  # fmt: skip


def depth(scene: Scene, state: Any) -> float:
    """How deep a corner of one outline is in another, by the heights over all its faces."""
    deepest = -math.inf
    for i, (body, corners) in enumerate(scene.outlines):
        for other, faces in scene.outlines[:i]:
            if body is not other:
                A, B = placed(body, corners, state), placed(other, faces, state)
                deepest = max(deepest, deepest_corner(A, B), deepest_corner(B, A))
    return deepest


def deepest_corner(corners: np.ndarray, outline: np.ndarray) -> float:
    """Of corners in a convex outline that goes counter-clockwise; negative outside."""
    along = np.roll(outline, -1, axis=0) - outline
    n = np.column_stack([along[:, 1], -along[:, 0]]) / np.linalg.norm(along, axis=1)[:, None]
    heights = np.einsum("fk,cfk->cf", n, corners[:, None] - outline[None])
    return float((-heights.max(axis=1)).max())


def placed(body: Any, corners: np.ndarray, state: Any) -> np.ndarray:
    """An outline where its body is."""
    if body is ground:
        return corners
    c, s = math.cos(state[f"{body.name}_theta"]), math.sin(state[f"{body.name}_theta"])
    return corners @ np.array([[c, s], [-s, c]]) + [state[f"{body.name}_x"], state[f"{body.name}_y"]]
