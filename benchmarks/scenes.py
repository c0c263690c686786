"""Machines of many contacts, for tests and benchmarks: stacks, cradles, dominoes, discs, chains, gears, stairs."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
from scipy.optimize import brentq
from sympy import cos, sin

import jounce
from jounce import (
    Body,
    CircleOn,
    Contact,
    Corners,
    Edge,
    Force,
    Line,
    Model,
    PointOn,
    PolygonOn,
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


def discs(count: int, friction: float = 0.2, size: float = 0.5) -> Model:
    """Discs in a box that is shaken sideways, each touching every other one and every wall."""
    mu, e, amplitude, omega = parameters(mu=(friction, ""), e=(0.9, ""), A=(0.02, "m"), omega=(20.0, "rad/s"))
    radius = 0.05
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


def billiard(count: int, part: float = 0.25, mass: float = 1.0, length: float = 1.0, rate: float = 1.0) -> Model:
    """Elastic discs without friction or weight in a box of which they fill a ``part``, each touching every other one.

    mass, length, rate   of a disc, of its radius and of its speeds: the same motion in other units.
    """
    return _box(f"billiard{count}", count, part, mass, length, rate, gravity=0.0, restitution=1.0, friction=0.0)


def heap(count: int, part: float = 0.25) -> Model:
    """Discs with friction that fall into a box of which they fill a ``part``, and on one another."""
    return _box(f"heap{count}", count, part, 1.0, 1.0, 1.0, gravity=1.0, restitution=0.95, friction=0.3)


def random_heap(seed: int, mass: float = 1.0, length: float = 1.0, rate: float = 1.0, boxes: int = 0) -> Model:
    """Four to eight discs, the first of them ``boxes``, with random velocities and friction of 0.1 to 0.7, in a box.

    mass, length, rate   of a disc, of its radius and of its speeds: the same motion in other units.
    """
    random = np.random.default_rng(seed)
    count, friction = int(random.integers(4, 9)), float(random.uniform(0.1, 0.7))
    size = length * np.sqrt(4 * np.pi * count)
    columns = int(np.ceil(np.sqrt(count)))
    mu, e = parameters(mu=(friction, ""), e=(0.0, ""))
    touch = {"friction": mu, "restitution": e}
    bodies, rims, feet = [], [], []
    for k in range(count):
        place = (np.array([k % columns, k // columns]) + 0.5) * size / columns
        velocity = length * rate * random.uniform(-1.0, 1.0, 2)
        moves: dict[str, Any] = {"center": tuple(place), "velocity": tuple(velocity)}
        moves["spin"] = float(rate * random.uniform(-1.0, 1.0))
        if k < boxes:
            a, b = length * random.uniform(0.5, 0.9), length * random.uniform(0.4, 0.8)
            angle = float(random.uniform(-1.0, 1.0))
            body = Body(f"d{k}", mass=mass, inertia=mass * (a * a + b * b) / 3, angle=angle, **moves)
            outline = [(-a, -b), (a, -b), (a, b), (-a, b)]
            rims.append(PolygonOn(body, outline))
            feet.append(Corners(body, outline))
        else:
            body = Body(f"d{k}", mass=mass, inertia=0.5 * mass * length**2, **moves)
            rims.append(CircleOn(body, (0, 0), length))
            feet.append(rims[-1])
        bodies.append(body)
    contacts = [
        contact_between(f"{side}{k}", foot, wall, **touch)
        for side, wall in _walls(size).items()
        for k, foot in enumerate(feet)
    ]
    contacts += [contact_between(f"pair{a}_{b}", rims[a], rims[b], **touch) for a, b in combinations(range(count), 2)]
    return Model.from_bodies(f"random_heap{seed}", bodies=bodies, gravity=length * rate**2, contacts=contacts)


def _walls(size: float) -> dict[str, Line]:
    return {
        "floor": Line(ground, (0, 0), (1, 0)),
        "roof": Line(ground, (0, size), (-1, 0)),
        "left": Line(ground, (0, 0), (0, -1)),
        "right": Line(ground, (size, 0), (0, 1)),
    }


def _box(
    name: str, count: int, part: float, mass: float, length: float, rate: float,
    *, gravity: float, restitution: float, friction: float,
) -> Model:  # fmt: skip
    e, mu = parameters(e=(restitution, ""), mu=(friction, ""))
    size = length * np.sqrt(np.pi * count / part)
    columns = int(np.ceil(np.sqrt(count)))
    random = np.random.default_rng(count)
    bodies = []
    for k in range(count):
        place = (np.array([k % columns, k // columns]) + 0.5) * size / columns
        velocity = length * rate * random.uniform(-1.0, 1.0, 2)
        bodies.append(
            Body(f"d{k}", mass=mass, inertia=0.5 * mass * length**2, center=tuple(place), velocity=tuple(velocity))
        )
    rims = [CircleOn(body, (0, 0), length) for body in bodies]
    contacts = [
        contact_between(f"{side}{k}", rim, wall, friction=mu, restitution=e)
        for side, wall in _walls(size).items()
        for k, rim in enumerate(rims)
    ]
    contacts += [
        contact_between(f"pair{a}_{b}", rims[a], rims[b], friction=mu, restitution=e)
        for a, b in combinations(range(count), 2)
    ]
    weight = gravity * length * rate**2
    return Model.from_bodies(name, bodies=bodies, gravity=weight, contacts=contacts)


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


def free_dominoes(count: int) -> Model:
    """Dominoes without hinges, which stand on a floor by their lower corners; the first one is pushed over."""
    mu, e, floor = parameters(mu=(0.2, ""), e=(0.3, ""), mu_floor=(0.5, ""))
    a, b, pitch, spin = 0.005, 0.025, 0.02, 8.0
    bodies = [
        Body(f"d{k}", mass=0.01, inertia=0.01 * (a * a + b * b) / 3, center=(k * pitch - a, b)) for k in range(count)
    ]
    hits = [
        contact_between(f"c{k}", PointOn(left, (a, b)), Line(right, (-a, -b), (0, 2 * b)), friction=mu, restitution=e)
        for k, (left, right) in enumerate(pairwise(bodies))
    ]
    soles = [
        contact_between(f"floor{k}", Corners(body, [(-a, -b), (a, -b), (a, b), (-a, b)]), Line(ground), friction=floor)
        for k, body in enumerate(bodies)
    ]
    push = {bodies[0].d_theta: -spin, bodies[0].d_x: spin * b, bodies[0].d_y: spin * a}
    return Model.from_bodies(f"free_dominoes{count}", bodies=bodies, gravity=G, contacts=hits + soles, start=push)


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


def catenary(count: int, span: float, friction: float = 0.0) -> tuple[Model, float]:
    """Uniform links of 1 kg that hang between two pins ``span`` apart in balance, and the horizontal force on them.

    The vertical force grows by a weight from link to link, so tan(angle_k) = (k - (count - 1)/2) m g/H.
    """
    steps = np.arange(count) - (count - 1) / 2
    pull = brentq(lambda H: LINK * np.sum(1 / np.hypot(1, steps * G / H)) - span, 1e-3, 1e9)
    links, joints, end, before = [], [], np.zeros(2), ground
    rubs: dict[str, Any] = {"radius": LINK / 10, "friction": friction} if friction else {}
    for k, angle in enumerate(np.arctan(steps * G / pull)):
        along = LINK * np.array([np.cos(angle), np.sin(angle)])
        link = Body(f"link{k}", mass=1.0, inertia=LINK**2 / 12, center=tuple(end + along / 2), angle=float(angle))
        first = (0, 0) if before is ground else (LINK / 2, 0)
        joints.append(Revolute(f"pin{k}", before, link, first, (-LINK / 2, 0), **rubs))
        links.append(link)
        end, before = end + along, link
    joints.append(Revolute("last", before, ground, (LINK / 2, 0), tuple(end)))
    return Model.from_bodies(f"catenary{count}", bodies=links, joints=joints, gravity=G), float(pull)


WRAPPED, ROLLER = 20, 0.01  # links that lie around the wheel of a roller chain; radius of a roller


def roller_chain(count: int = 60) -> Model:
    """A chain of rollers over half of a fixed wheel, its ends straight down on both sides, a pull at each of them.

    No weight and no friction: rollers on the wheel sit on its rim, each a turn of pi/WRAPPED from the next.
    """
    left, right = parameters(left=(10.0, "N"), right=(10.0, "N"))
    turn, tail = np.pi / WRAPPED, (count - WRAPPED) // 2
    reach = LINK / 2 / np.sin(turn / 2)  # from the middle of the wheel to a pin on it
    pins = [np.array([-reach, -LINK * k]) for k in range(tail, 0, -1)]
    pins += [reach * np.array([-np.cos(turn * k), np.sin(turn * k)]) for k in range(WRAPPED + 1)]
    pins += [np.array([reach, -LINK * k]) for k in range(1, count - WRAPPED - tail + 1)]
    links, joints = [], []
    for k, (begin, end) in enumerate(pairwise(pins)):
        angle = float(np.arctan2(*(end - begin)[::-1]))
        links.append(
            Body(f"link{k}", mass=0.1, inertia=0.1 * LINK**2 / 12, center=tuple((begin + end) / 2), angle=angle)
        )
        if k > 0:
            joints.append(Revolute(f"pin{k}", links[k - 1], links[k], (LINK / 2, 0), (-LINK / 2, 0)))
    wheel = CircleOn(ground, (0, 0), float(reach) - ROLLER)
    rollers = [CircleOn(link, (-LINK / 2, 0), ROLLER) for link in links]
    contacts = [contact_between(f"roller{k}", roller, wheel) for k, roller in enumerate(rollers) if k > 0]
    pulls = [
        Force(links[0], (0, -left), at=(-LINK / 2, 0)),
        Force(links[-1], (0, -right), at=(LINK / 2, 0)),
    ]
    return Model.from_bodies(f"roller_chain{count}", bodies=links, joints=joints, contacts=contacts, forces=pulls)


def touching_balls(count: int, stiffness: float = 1e6, radius: float = 0.02) -> Model:
    """Balls of 100 g that touch without force, with Hertz's contacts; the first comes with 1 m/s."""
    balls = [
        Body(f"ball{k}", 0.1, 1e-5, center=(2 * radius * k, 0), velocity=(1.0 if k == 0 else 0.0, 0))
        for k in range(count)
    ]
    rims = [CircleOn(ball, (0, 0), radius) for ball in balls]
    hertz = jounce.Hertz(stiffness)
    contacts = [contact_between(f"c{k}", b, a, compliance=hertz) for k, (a, b) in enumerate(pairwise(rims))]
    return Model.from_bodies(f"touching_balls{count}", bodies=balls, contacts=contacts)


INERTIAS, RADII, BACKLASH = (1e-3, 4e-3, 2e-3, 5e-3, 1e-3), (0.02, 0.05, 0.03, 0.06, 0.02), 2e-4


def gear_train() -> Model:
    """Five gears in a row with play between their flanks; a torque turns the first."""
    (torque,) = parameters(torque=(0.5, "N m"))
    angles = coordinates("a b c d e", "rad")
    flanks = [
        contact
        for k in range(4)
        for contact in jounce.gear_pair(
            f"mesh{k}", angles[k][0], angles[k + 1][0], radii=RADII[k : k + 2], backlash=BACKLASH, restitution=0.5
        )
    ]
    kinetic = sum(J * rate**2 / 2 for J, (_, rate) in zip(INERTIAS, angles, strict=True))
    return Model.from_lagrangian(
        "gear_train",
        coordinates=[angle for angle, _ in angles],
        kinetic=kinetic,
        forces={angles[0][0]: torque},
        contacts=flanks,
    )


DEPTH, RISE, HALF_BOX = 0.25, 0.2, (0.06, 0.04)


def stairs(count: int) -> Model:
    """A box thrown down so many steps: its corners meet treads and the floor, the noses of the steps its sides."""
    a, b = HALF_BOX
    mu, e = parameters(mu=(0.3, ""), e=(0.5, ""))
    corners = [(-a, -b), (a, -b), (a, b), (-a, b)]
    box = Body("box", 0.5, 0.5 * (a * a + b * b) / 3, center=(0.1, 0.25), velocity=(1.0, 0), spin=-3.0)
    touch = {"restitution": e, "friction": mu}
    floor = Line(ground, (0, -count * RISE), (1, 0))
    contacts: list[Any] = [contact_between("floor", Corners(box, corners), floor, **touch)]
    for k in range(count):
        x, y = (k + 1) * DEPTH, -k * RISE
        tread = Edge(ground, (x - DEPTH, y), (x, y))
        contacts.append(contact_between(f"tread{k}", Corners(box, corners), tread, **touch))
        contacts.append(contact_between(f"nose{k}", PointOn(ground, (x, y)), PolygonOn(box, corners), **touch))
    return Model.from_bodies(f"stairs{count}", bodies=[box], gravity=G, contacts=contacts)


SYSTEMS: dict[str, jounce.System] = {}


def compiled(model: Model) -> jounce.System:
    """Its system, made once."""
    if model.name not in SYSTEMS:
        SYSTEMS[model.name] = jounce.compile_model(model)
    return SYSTEMS[model.name]
