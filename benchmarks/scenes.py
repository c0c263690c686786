"""Machines of many contacts, for tests and benchmarks: stacks, cradles, dominoes, a box in a slot, discs in a box."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
from sympy import cos, sin

import jounce
from jounce import (
    Body,
    CircleOn,
    Contact,
    Corners,
    Force,
    Line,
    Model,
    PointOn,
    Revolute,
    contact_between,
    coordinates,
    ground,
    parameters,
    time,
)

G = 9.81


def feet(count: int) -> Model:
    """A block on feet in one line, pulled sideways by the force ``pull`` + ``rate`` t at a height of its own."""
    mu, pull, rate, height = parameters(mu=(0.5, ""), pull=(0.0, "N"), rate=(0.0, "N/s"), height=(0.05, "m"))
    body = Body("block", mass=1.0, inertia=0.05, center=(0.0, 0.3))
    places = [(-0.4 + 0.8 * k / (count - 1), -0.3) for k in range(count)]
    soles = Corners(body, {f"foot{k}": place for k, place in enumerate(places)})
    floor = contact_between("floor", soles, Line(ground, (0, 0), (1, 0)), friction=mu)
    drive = pull + rate * time
    return Model.from_bodies(
        f"feet{count}",
        bodies=[body],
        gravity=G,
        forces=[Force(body, (drive, 0), at=(0, height))],
        contacts=[floor],
    )


def stack(count: int, turning: bool = False, half_width: float = 0.1, half_height: float = 0.1) -> Model:
    """Boxes on one another on a slope of the angle ``slope`` (``turning``: that grows by ``rate`` t).

    Seen from the slope, so that gravity turns: the stack is at rest in coordinates along and across it.
    """
    mu, slope, rate = parameters(mu=(0.9, ""), slope=(0.0, "rad"), rate=(0.05, "rad/s"))
    a, b = half_width, half_height
    boxes = [Body(f"box{k}", mass=1.0, inertia=(a * a + b * b) / 3, center=(0.0, b + 2 * b * k)) for k in range(count)]
    surfaces = [Line(ground, (0, 0), (1, 0)), *(Line(box, (-a, b), (2 * a, 0)) for box in boxes[:-1])]
    contacts = [
        contact_between(f"under{k}", Corners(box, {"left": (-a, -b), "right": (a, -b)}), surface, friction=mu)
        for k, (box, surface) in enumerate(zip(boxes, surfaces, strict=True))
    ]
    angle = slope + rate * time if turning else slope
    pulls: dict[str, Any] = {"gravity": (G * sin(angle), -G * cos(angle))}
    if turning:
        pulls = {"forces": [Force(box, (G * sin(angle), -G * cos(angle))) for box in boxes]}
    used = () if turning else (slope,)
    return Model.from_bodies(
        f"stack{count}" + ("_turning" if turning else ""), bodies=boxes, contacts=contacts, parameters=used, **pulls
    )


def row(count: int, gap: float = 0.01, radius: float = 0.05) -> Model:
    """Balls in a row on a straight track, ``gap`` apart; the first one comes with 1 m/s."""
    (e,) = parameters(e=(1.0, ""))
    places = coordinates(" ".join(f"x{k}" for k in range(count)), "m")
    balls = [Body(f"ball{k}", mass=1.0, inertia=1e-3) for k in range(count)]
    rims = [CircleOn(ball, (0, 0), radius) for ball in balls]
    return Model.from_bodies(
        f"row{count}",
        bodies=balls,
        coordinates=[x for x, _ in places],
        minimal={ball: (x, 0, 0) for ball, (x, _) in zip(balls, places, strict=True)},
        start={x: k * (2 * radius + gap) for k, (x, _) in enumerate(places)} | {places[0][1]: 1.0},
        contacts=[contact_between(f"c{k}", b, a, restitution=e) for k, (a, b) in enumerate(pairwise(rims))],
    )


def cradle(count: int, minimal: bool, gap: float = 1e-3, radius: float = 0.02, length: float = 0.3) -> Model:
    """Newton's cradle: balls on massless rods, ``gap`` apart at rest, the first one drawn aside by ``aside``.

    In Cartesian coordinates with a joint a ball, or with the angles of the rods alone.
    """
    (e,) = parameters(e=(1.0, ""))
    pitch, aside = 2 * radius + gap, -0.4
    turns = [aside] + [0.0] * (count - 1)
    balls = [
        Body(
            f"ball{k}",
            mass=1.0,
            inertia=0.4 * radius**2,
            center=(k * pitch + length * np.sin(turn), -length * np.cos(turn)),
            angle=turn,
        )
        for k, turn in enumerate(turns)
    ]
    rims = [CircleOn(ball, (0, 0), radius) for ball in balls]
    parts: dict[str, Any] = {
        "gravity": G,
        "contacts": [contact_between(f"c{k}", b, a, restitution=e) for k, (a, b) in enumerate(pairwise(rims))],
    }
    if minimal:
        angles = coordinates(" ".join(f"a{k}" for k in range(count)), "rad")
        parts["coordinates"] = [a for a, _ in angles]
        parts["minimal"] = {
            ball: (k * pitch + length * sin(a), -length * cos(a), a)
            for k, (ball, (a, _)) in enumerate(zip(balls, angles, strict=True))
        }
        parts["start"] = {angles[0][0]: aside}
    else:
        parts["joints"] = [
            Revolute(f"pin{k}", ground, ball, (k * pitch, 0), (0, length)) for k, ball in enumerate(balls)
        ]
    return Model.from_bodies(f"cradle{count}_{'minimal' if minimal else 'joints'}", bodies=balls, **parts)


def slot(clearance: float = 0.0) -> Model:
    """A box between two walls on a floor: every corner may touch every wall, 8 contacts, and two of them the floor."""
    mu, e = parameters(mu=(0.3, ""), e=(1.0, ""))
    a, b = 0.2, 0.1
    box = Body("box", mass=1.0, inertia=(a * a + b * b) / 3, center=(0.0, b))
    corners = {"sw": (-a, -b), "se": (a, -b), "ne": (a, b), "nw": (-a, b)}
    half = a + clearance
    walls = {"left": Line(ground, (-half, 0), (0, -1)), "right": Line(ground, (half, 0), (0, 1))}
    contacts = [
        contact_between(side, Corners(box, corners), wall, friction=mu, restitution=e) for side, wall in walls.items()
    ]
    soles = Corners(box, {name: corners[name] for name in ("sw", "se")})
    contacts.append(contact_between("floor", soles, Line(ground, (0, 0), (1, 0)), friction=0))
    name = "slot" if clearance == 0.0 else "wide_slot"
    return Model.from_bodies(name, bodies=[box], gravity=G, contacts=contacts)


def discs(count: int, friction: float = 0.2) -> Model:
    """Discs in a box that is shaken sideways, each touching every other one and every wall."""
    mu, e, amplitude, omega = parameters(mu=(friction, ""), e=(0.9, ""), A=(0.02, "m"), omega=(20.0, "rad/s"))
    radius, size = 0.05, 0.5
    random = np.random.default_rng(count)
    columns = int(np.ceil(np.sqrt(count)))
    bodies = []
    for k in range(count):
        place = (np.array([k % columns, k // columns]) + 0.5) * size / columns
        velocity = random.uniform(-1.0, 1.0, 2)
        bodies.append(
            Body(f"d{k}", mass=1.0, inertia=0.5 * radius**2, center=tuple(place.tolist()), velocity=tuple(velocity))
        )
    rims = [CircleOn(body, (0, 0), radius) for body in bodies]
    x = amplitude * sin(omega * time)
    walls = {
        "floor": Line(ground, (x, 0), (1, 0)),
        "roof": Line(ground, (x, size), (-1, 0)),
        "left": Line(ground, (x, 0), (0, -1)),
        "right": Line(ground, (size + x, 0), (0, 1)),
    }
    contacts: list[Contact] = [
        contact_between(f"{side}{k}", rim, wall, friction=mu, restitution=e)
        for side, wall in walls.items()
        for k, rim in enumerate(rims)
    ]
    contacts += [
        contact_between(f"pair{a}_{b}", rims[a], rims[b], friction=mu, restitution=e)
        for a, b in combinations(range(count), 2)
    ]
    return Model.from_bodies(f"discs{count}", bodies=bodies, gravity=G, contacts=contacts, period=2 * np.pi / omega)


def dominoes(count: int, minimal: bool) -> Model:
    """Dominoes on hinges at their right lower corners; the first one is pushed and topples into the next, and so on."""
    mu, e = parameters(mu=(0.2, ""), e=(0.3, ""))
    a, b, pitch = 0.005, 0.025, 0.02
    bodies = [
        Body(f"d{k}", mass=0.01, inertia=0.01 * (a * a + b * b) / 3, center=(k * pitch - a, b)) for k in range(count)
    ]
    contacts = [
        contact_between(f"c{k}", PointOn(left, (a, b)), Line(right, (-a, -b), (0, 2 * b)), friction=mu, restitution=e)
        for k, (left, right) in enumerate(pairwise(bodies))
    ]
    stops = [
        contact_between(f"floor{k}", PointOn(body, (-a, -b)), Line(ground, (0, 0), (1, 0)))
        for k, body in enumerate(bodies)
    ]
    parts: dict[str, Any] = {"gravity": G, "contacts": contacts + stops}
    if minimal:
        angles = coordinates(" ".join(f"p{k}" for k in range(count)), "rad")
        parts["coordinates"] = [p for p, _ in angles]
        parts["minimal"] = {
            body: (k * pitch - a * cos(p) - b * sin(p), b * cos(p) - a * sin(p), p)
            for k, (body, (p, _)) in enumerate(zip(bodies, angles, strict=True))
        }
        parts["start"] = {angles[0][1]: -8.0}
    else:
        parts["joints"] = [Revolute(f"pin{k}", ground, body, (k * pitch, 0), (a, -b)) for k, body in enumerate(bodies)]
        parts["start"] = {bodies[0].d_theta: -8.0, bodies[0].d_x: 8.0 * b, bodies[0].d_y: 8.0 * a}
    return Model.from_bodies(f"dominoes{count}_{'minimal' if minimal else 'joints'}", bodies=bodies, **parts)


LINK = 0.05  # length of a link of a chain


def chain(count: int) -> Model:
    """Uniform links on one another, the first one pinned, let go along a wave."""
    links, joints, end, before = [], [], np.zeros(2), ground
    for k in range(count):
        angle = 0.3 * np.sin(0.2 * k)
        along = LINK * np.array([np.cos(angle), np.sin(angle)])
        link = Body(f"link{k}", mass=1.0, inertia=LINK**2 / 12, center=tuple(end + along / 2), angle=angle)
        joints.append(Revolute(f"pin{k}", before, link, (0, 0) if before is ground else (LINK / 2, 0), (-LINK / 2, 0)))
        links.append(link)
        end, before = end + along, link
    return Model.from_bodies(f"chain{count}", bodies=links, joints=joints, gravity=G)


SYSTEMS: dict[str, jounce.System] = {}


def compiled(model: Model) -> jounce.System:
    """Its system, made once."""
    if model.name not in SYSTEMS:
        SYSTEMS[model.name] = jounce.compile_model(model)
    return SYSTEMS[model.name]
