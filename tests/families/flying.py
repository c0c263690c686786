"""Bodies that fly and hit: half planes, boxes that shake or turn, funnels, hills, stacks of corners."""

from __future__ import annotations

import numpy as np
import sympy as sp
from sympy import cos, pi, sin

from jounce import Contact, Model, coordinate, coordinates, parameters, time
from tests.families.family import Family, Numbers, between

Drawn = tuple[Numbers, Numbers, float]


def half_plane() -> Model:
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, a, A, w, mu, e = parameters(
        m=(1.0, "kg"), g=(9.81, "m/s^2"), a=(0.1, "rad"), A=(0.1, "m"), w=(5.0, "rad/s"), mu=0.3, e=0.6
    )
    return Model.from_lagrangian(
        "half_plane",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        contacts=[
            Contact(
                "plane",
                gap=cos(a) * y - sin(a) * x - A * sin(w * time),
                slip=cos(a) * dx + sin(a) * dy,
                friction=mu,
                restitution=e,
            )
        ],
        period=2 * pi / w,
    )


def draw_half_plane(random: np.random.Generator) -> Drawn:
    p = between(random, g=(5, 15), a=(-1.2, 1.2), A=(0, 0.2), w=(1, 20), mu=(0, 1.5), e=(0, 1))
    return p, between(random, y=(3, 6), d_x=(-3, 3), d_y=(-3, 3)), 4.0


def _box_contacts(x, y, dx, dy, spin, radius, d, A, w, mu, e):  # type: ignore[no-untyped-def]
    """Four walls of a box of half width d that shakes along x; the body turns with ``spin``."""
    shift, rate = A * sin(w * time), A * w * cos(w * time)
    return [
        Contact("floor", gap=y + d - radius, slip=dx - rate + radius * spin, friction=mu, restitution=e),
        Contact("ceiling", gap=d - radius - y, slip=-(dx - rate) + radius * spin, friction=mu, restitution=e),
        Contact("left", gap=x - shift + d - radius, slip=-dy + radius * spin, friction=mu, restitution=e),
        Contact("right", gap=d - radius - x + shift, slip=dy + radius * spin, friction=mu, restitution=e),
    ]


def disc_in_box() -> Model:
    (x, dx), (y, dy) = coordinates("x y", "m")
    theta, spin = coordinate("theta", "rad")
    m, g, r, d, A, w, mu, e = parameters(
        m=(1.0, "kg"), g=(9.81, "m/s^2"), r=(0.1, "m"), d=(1.0, "m"), A=(0.1, "m"), w=(5.0, "rad/s"), mu=0.3, e=0.6
    )
    return Model.from_lagrangian(
        "disc_in_box",
        coordinates=[x, y, theta],
        kinetic=m * (dx**2 + dy**2) / 2 + m * r**2 * spin**2 / 4,
        potential=m * g * y,
        contacts=_box_contacts(x, y, dx, dy, spin, r, d, A, w, mu, e),
        period=2 * pi / w,
    )


def draw_disc_in_box(random: np.random.Generator) -> Drawn:
    p = between(random, g=(0, 15), r=(0.05, 0.3), d=(0.6, 1.5), A=(0, 0.1), w=(1, 15), mu=(0, 1.0), e=(0, 1))
    return p, between(random, x=(-0.1, 0.1), y=(-0.1, 0.1), d_x=(-4, 4), d_y=(-4, 4), d_theta=(-9, 9)), 3.0


def rod_in_box() -> Model:
    (x, dx), (y, dy) = coordinates("x y", "m")
    theta, spin = coordinate("theta", "rad")
    m, g, r, d, A, w, mu, e = parameters(
        m=(1.0, "kg"), g=(9.81, "m/s^2"), r=(0.3, "m"), d=(1.0, "m"), A=(0.1, "m"), w=(5.0, "rad/s"), mu=0.3, e=0.6
    )
    contacts = []
    shift, rate = A * sin(w * time), A * w * cos(w * time)
    for end, side in (("a", 1), ("b", -1)):
        px, py = x + side * r * cos(theta), y + side * r * sin(theta)
        vx, vy = dx - side * r * sin(theta) * spin - rate, dy + side * r * cos(theta) * spin
        contacts += [
            Contact(f"floor_{end}", gap=py + d, slip=vx, friction=mu, restitution=e),
            Contact(f"ceiling_{end}", gap=d - py, slip=-vx, friction=mu, restitution=e),
            Contact(f"left_{end}", gap=px - shift + d, slip=-vy, friction=mu, restitution=e),
            Contact(f"right_{end}", gap=d - px + shift, slip=vy, friction=mu, restitution=e),
        ]
    return Model.from_lagrangian(
        "rod_in_box",
        coordinates=[x, y, theta],
        kinetic=m * (dx**2 + dy**2) / 2 + m * r**2 * spin**2 / 6,
        potential=m * g * y,
        contacts=contacts,
        period=2 * pi / w,
    )


def draw_rod_in_box(random: np.random.Generator) -> Drawn:
    p = between(random, g=(0, 15), r=(0.2, 0.5), d=(0.8, 1.5), A=(0, 0.1), w=(1, 15), mu=(0, 0.8), e=(0.1, 1))
    return (
        p,
        between(random, x=(-0.1, 0.1), y=(-0.1, 0.1), theta=(0, 6), d_x=(-3, 3), d_y=(-3, 3), d_theta=(-5, 5)),
        2.0,
    )


def turning_box() -> Model:
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, d, w, mu, e = parameters(m=(1.0, "kg"), g=(9.81, "m/s^2"), d=(1.0, "m"), w=(1.0, "rad/s"), mu=0.3, e=0.6)
    contacts = []
    for k in range(4):
        n = (cos(w * time + k * pi / 2), sin(w * time + k * pi / 2))
        # the wall turns with the box: its points move with w (-y, x)
        slip = -(n[1] * (dx + w * y) - n[0] * (dy - w * x))
        contacts.append(Contact(f"wall_{k}", gap=d - n[0] * x - n[1] * y, slip=slip, friction=mu, restitution=e))
    return Model.from_lagrangian(
        "turning_box",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        contacts=contacts,
        period=2 * pi / w,
    )


def draw_turning_box(random: np.random.Generator) -> Drawn:
    p = between(random, g=(2, 15), d=(0.6, 1.5), w=(0.3, 3), mu=(0, 0.8), e=(0, 0.95))
    return p, between(random, x=(-0.3, 0.3), y=(-0.3, 0.3), d_x=(-3, 3), d_y=(-3, 3)), 3.0


def funnel() -> Model:
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, a, b, mu, e = parameters(m=(1.0, "kg"), g=(9.81, "m/s^2"), a=(0.6, "rad"), b=(0.6, "rad"), mu=0.2, e=0.5)
    return Model.from_lagrangian(
        "funnel",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        contacts=[
            Contact("left", cos(a) * y + sin(a) * x, slip=cos(a) * dx - sin(a) * dy, friction=mu, restitution=e),
            Contact("right", cos(b) * y - sin(b) * x, slip=cos(b) * dx + sin(b) * dy, friction=mu, restitution=e),
        ],
    )


def draw_funnel(random: np.random.Generator) -> Drawn:
    p = between(random, g=(5, 15), a=(0.1, 1.3), b=(0.1, 1.3), mu=(0, 0.9), e=(0, 0.95))
    return p, between(random, x=(-0.05, 0.05), y=(1, 2), d_x=(-2, 2), d_y=(-2, 2)), 5.0


def hills() -> Model:
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, H, k, mu, e = parameters(m=(1.0, "kg"), g=(9.81, "m/s^2"), H=(0.2, "m"), k=(2.0, "rad/m"), mu=0.2, e=0.5)
    slope = -H * k * sin(k * x)
    slip = (dx + slope * dy) / sp.sqrt(1 + slope**2)
    return Model.from_lagrangian(
        "hills",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        contacts=[Contact("ground", gap=y - H * cos(k * x), slip=slip, friction=mu, restitution=e)],
    )


def draw_hills(random: np.random.Generator) -> Drawn:
    p = between(random, g=(5, 15), H=(0.02, 0.5), k=(0.3, 4), mu=(0, 0.8), e=(0, 0.95))
    return p, between(random, x=(-2, 2), y=(1, 2), d_x=(-3, 3), d_y=(-1, 1)), 3.0


def rectangle() -> Model:
    """A block with four corners above a floor that shakes: rocking, sliding, falling flat."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    theta, spin = coordinate("theta", "rad")
    m, g, a, b, A, w, mu, e = parameters(
        m=(1.0, "kg"), g=(9.81, "m/s^2"), a=(0.2, "m"), b=(0.4, "m"), A=(0.05, "m"), w=(5.0, "rad/s"), mu=0.4, e=0.3
    )
    contacts = []
    for k, (i, j) in enumerate(((1, 1), (-1, 1), (-1, -1), (1, -1))):
        ry = i * a * sin(theta) + j * b * cos(theta)
        gap = y + ry - A * sin(w * time)
        contacts.append(Contact(f"corner_{k}", gap=gap, slip=dx - ry * spin, friction=mu, restitution=e))
    return Model.from_lagrangian(
        "rectangle",
        coordinates=[x, y, theta],
        kinetic=m * (dx**2 + dy**2) / 2 + m * (a**2 + b**2) * spin**2 / 6,
        potential=m * g * y,
        contacts=contacts,
        period=2 * pi / w,
    )


def draw_rectangle(random: np.random.Generator) -> Drawn:
    p = between(random, g=(5, 15), a=(0.1, 0.5), b=(0.1, 0.5), A=(0, 0.05), w=(1, 12), mu=(0, 0.9), e=(0, 0.8))
    return p, between(random, y=(1, 1.5), theta=(-2, 2), d_x=(-2, 2), d_y=(-2, 0), d_theta=(-4, 4)), 2.0


FAMILIES = [
    Family("half_plane", half_plane, draw_half_plane),
    Family("disc_in_box", disc_in_box, draw_disc_in_box),
    Family("rod_in_box", rod_in_box, draw_rod_in_box),
    Family("turning_box", turning_box, draw_turning_box),
    Family("funnel", funnel, draw_funnel),
    Family("hills", hills, draw_hills),
    Family("rectangle", rectangle, draw_rectangle),
]
