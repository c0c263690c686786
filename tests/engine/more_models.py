"""Six more small models, for what the first fifteen do not have.

Four contacts of one body, discs in corners and bearings, a chain with joints on a rough floor, coupled clearances.
"""

from __future__ import annotations

import numpy as np
from sympy import cos, pi, sin, sqrt

from jounce.model import Contact, Model, coordinate, coordinates, parameters, time
from tests.engine.small_models import Case, uniform


def disc_in_groove() -> Model:
    """A disc that rolls, slips and jams in a V-shaped groove, with static friction: 3 coordinates, 2 contacts."""
    (x, dx), (y, dy), (phi, dphi) = coordinates("x y phi", "m m rad")
    g, r, a, b, mu, mu_s, e = parameters(g=9.81, r=0.3, a=0.7, b=0.5, mu=0.3, mu_s=0.4, e=0.5)
    contacts = [
        Contact(
            name,
            gap=y * cos(angle) + side * x * sin(angle) - r,
            slip=dx * cos(angle) - side * dy * sin(angle) + r * dphi,
            friction=mu,
            static_friction=mu_s,
            restitution=e,
        )
        for name, side, angle in (("left", 1, a), ("right", -1, b))
    ]
    return Model.from_lagrangian(
        "disc_in_groove",
        coordinates=[x, y, phi],
        kinetic=(dx**2 + dy**2 + r**2 / 2 * dphi**2) / 2,
        potential=g * y,
        contacts=contacts,
        start={y: 2.0},
    )


def draw_disc_in_groove(random):
    values = uniform(random, r=(0.1, 0.5), a=(0.1, 1.2), b=(0.1, 1.2), mu=(0, 1.2), e=(0, 0.95))
    values["mu_s"] = values["mu"] * random.uniform(1, 1.5)
    start = uniform(random, x=(-0.3, 0.3), d_x=(-3, 3), d_y=(-3, 1), d_phi=(-10, 10))
    start["y"] = 0.8 / min(np.cos(values["a"]), np.cos(values["b"])) + random.uniform(0, 0.5)
    return start, values


def rod_between_walls() -> Model:
    """A rod on a spring between two walls, one of which moves: 3 coordinates, 4 contacts with friction."""
    (x, dx), (y, dy), (theta, dtheta) = coordinates("x y theta", "m m rad")
    g, k, L, d, A, omega, mu, e = parameters(g=9.81, k=40.0, L=0.6, d=0.5, A=0.05, omega=5.0, mu=0.3, e=0.6)
    contacts = []
    for name, end in (("P", 1), ("Q", -1)):
        place = x + end * L * cos(theta)
        sliding = dy + end * L * cos(theta) * dtheta
        left = place + d - A * sin(omega * time)
        contacts.append(Contact(f"{name}_left", gap=left, slip=sliding, friction=mu, restitution=e))
        contacts.append(Contact(f"{name}_right", gap=d - place, slip=sliding, friction=mu, restitution=e))
    return Model.from_lagrangian(
        "rod_between_walls",
        coordinates=[x, y, theta],
        kinetic=(dx**2 + dy**2 + L**2 / 3 * dtheta**2) / 2,
        potential=g * y + k * y**2 / 2,
        contacts=contacts,
        period=2 * pi / omega,
        start={theta: 1.5},
    )


def draw_rod_between_walls(random):
    values = uniform(random, k=(5, 80), L=(0.3, 0.9), A=(0, 0.08), omega=(1, 9), mu=(0, 0.9), e=(0, 0.9), d=(0.2, 0.8))
    # friction above the slope of the line between two ends jams the rod between walls that close in: no rigid motion
    widest = values["d"] + values["A"] / 2
    if values["L"] > values["d"] - values["A"] / 2:
        slope = np.sqrt(max(values["L"] ** 2 - widest**2, 0.0)) / widest
        values["mu"] = min(values["mu"], 0.9 * float(slope))
    steep = np.arccos(min(1.0, 0.4 * values["d"] / values["L"]))
    start = uniform(random, x=(-0.2, 0.2), y=(-0.3, 0.3), d_x=(-2, 2), d_y=(-2, 2), d_theta=(-4, 4))
    start["x"] *= values["d"]
    start["theta"] = float(random.uniform(steep, np.pi - steep))
    return start, values


def stopped_pendulum() -> Model:
    """A damped pendulum with a moving stop on one side and a fixed one on the other: 1 coordinate, 2 contacts."""
    phi, dphi = coordinate("phi", "rad")
    g, c, a, b, A, omega, e = parameters(g=9.81, c=0.1, a=0.3, b=0.5, A=0.1, omega=4.0, e=0.7)
    return Model.from_lagrangian(
        "stopped_pendulum",
        coordinates=[phi],
        kinetic=dphi**2 / 2,
        potential=-g * cos(phi),
        forces={phi: -c * dphi},
        contacts=[
            Contact("moving", gap=sin(phi) + a - A * sin(omega * time) ** 3, restitution=e),
            Contact("fixed", gap=b - phi, restitution=e),
        ],
        period=2 * pi / omega,
        start={phi: 0.2},
    )


def draw_stopped_pendulum(random):
    values = uniform(random, c=(0, 0.5), a=(-0.2, 0.6), b=(0.5, 1.5), A=(0, 0.1), omega=(0.5, 12), e=(0, 0.99))
    return uniform(random, phi=(0.35, 0.45), d_phi=(-4, 4)), values


def shaken_box() -> Model:
    """A box that tumbles on a floor that shakes both ways: 3 coordinates, 4 contacts, one a corner."""
    (x, dx), (y, dy), (theta, dtheta) = coordinates("x y theta", "m m rad")
    g, a, b, A, omega, B, mu, e = parameters(g=9.81, a=0.4, b=0.2, A=0.05, omega=8.0, B=0.05, mu=0.5, e=0.3)
    floor, ground = A * sin(omega * time), B * cos(omega * time)
    contacts = []
    for name, s, r in (("A", 1, 1), ("B", -1, 1), ("C", -1, -1), ("D", 1, -1)):
        height = s * a * sin(theta) + r * b * cos(theta)
        contacts.append(
            Contact(
                name,
                gap=y + height - floor,
                slip=dx - height * dtheta - ground.diff(time),
                friction=mu,
                restitution=e,
            )
        )
    return Model.from_lagrangian(
        "shaken_box",
        coordinates=[x, y, theta],
        kinetic=(dx**2 + dy**2 + (a**2 + b**2) / 3 * dtheta**2) / 2,
        potential=g * y,
        contacts=contacts,
        period=2 * pi / omega,
        start={y: 1.0},
    )


def draw_shaken_box(random):
    ranges = {"a": (0.1, 0.5), "b": (0.1, 0.5), "A": (0, 0.1), "B": (0, 0.1), "omega": (1, 15), "mu": (0, 1)}
    values = uniform(random, **ranges, e=(0, 0.8))
    start = uniform(random, y=(0.85, 1.5), theta=(-3.1, 3.1), d_x=(-2, 2), d_y=(-2, 1), d_theta=(-8, 8))
    return start, values


def dragged_chain() -> Model:
    """Two masses on links (joints) over a floor whose friction depends on the place: 4 coordinates, 2 contacts."""
    (x1, dx1), (y1, dy1), (x2, dx2), (y2, dy2) = coordinates("x1 y1 x2 y2", "m")
    g, m, a, b, h, mu, e = parameters(g=9.81, m=0.6, a=0.7, b=0.6, h=1.0, mu=0.4, e=0.4)
    return Model.from_lagrangian(
        "dragged_chain",
        coordinates=[x1, y1, x2, y2],
        kinetic=(dx1**2 + dy1**2 + m * (dx2**2 + dy2**2)) / 2,
        potential=g * (y1 + m * y2),
        joints={
            "upper": (x1**2 + (y1 - h) ** 2 - a**2) / (2 * a),
            "lower": ((x2 - x1) ** 2 + (y2 - y1) ** 2 - b**2) / (2 * b),
        },
        contacts=[
            Contact("first", gap=y1, slip=dx1, friction=mu * (1 + sin(3 * x1) / 2), restitution=e),
            Contact("second", gap=y2, slip=dx2, friction=mu * (1 + sin(3 * x2) / 2), restitution=e),
        ],
        start={x1: 0.7, y1: 1.0, x2: 1.3, y2: 1.0},
    )


def draw_dragged_chain(random):
    values = uniform(random, m=(0.1, 2), a=(0.4, 0.9), b=(0.3, 0.9), h=(0.7, 1.5), mu=(0, 0.6), e=(0, 0.9))
    first = float(random.uniform(-0.6, 3.7))
    place = values["a"] * np.cos(first), max(values["h"] + values["a"] * np.sin(first), 0.05)
    if place[1] == 0.05:
        place = np.sqrt(values["a"] ** 2 - (values["h"] - 0.05) ** 2), 0.05
    second = float(random.uniform(0, np.pi))
    end = place[0] + values["b"] * np.cos(second), place[1] + values["b"] * np.sin(second)
    return {"x1": float(place[0]), "y1": float(place[1]), "x2": float(end[0]), "y2": float(end[1])}, values


def nested_rings() -> Model:
    """A disc in the bore of a ring in a bearing that shakes: two clearances in a row, 6 coordinates, 2 contacts."""
    (x1, dx1), (y1, dy1), (s1, ds1), (x2, dx2), (y2, dy2), (s2, ds2) = coordinates(
        "x1 y1 s1 x2 y2 s2", "m m rad m m rad"
    )
    g, m, c, d, r, A, omega, mu, e = parameters(g=9.81, m=0.5, c=0.02, d=0.03, r=0.2, A=0.01, omega=10.0, mu=0.2, e=0.6)
    shake = A * sin(omega * time)

    def inside(name, ex, ey, dex, dey, clearance, turning):
        distance = sqrt(ex**2 + ey**2 + (clearance / 10**6) ** 2)
        return Contact(
            name,
            gap=(clearance**2 - ex**2 - ey**2) / (2 * clearance),
            slip=(-ey * dex + ex * dey) / distance + turning,
            friction=mu,
            restitution=e,
        )

    return Model.from_lagrangian(
        "nested_rings",
        coordinates=[x1, y1, s1, x2, y2, s2],
        kinetic=(dx1**2 + dy1**2 + r**2 * ds1**2 + m * (dx2**2 + dy2**2 + r**2 / 8 * ds2**2)) / 2,
        potential=g * (y1 + m * y2),
        contacts=[
            inside("outer", x1 - shake, y1, dx1 - shake.diff(time), dy1, c, r * ds1),
            inside("inner", x2 - x1, y2 - y1, dx2 - dx1, dy2 - dy1, d, r / 2 * (ds2 - ds1)),
        ],
        period=2 * pi / omega,
    )


def draw_nested_rings(random):
    values = uniform(
        random, m=(0.1, 3), A=(0, 0.02), omega=(3, 30), mu=(0, 0.6), e=(0, 0.9), c=(0.01, 0.05), d=(0.01, 0.05)
    )
    start = uniform(random, d_x1=(-0.3, 0.3), d_y1=(-0.3, 0.3), d_s1=(-3, 3), d_x2=(-0.3, 0.3), d_s2=(-5, 5))
    return start, values


MORE_CASES: dict[str, Case] = {
    "disc_in_groove": Case(disc_in_groove, draw_disc_in_groove, 3.0),
    "rod_between_walls": Case(rod_between_walls, draw_rod_between_walls, 3.0),
    "stopped_pendulum": Case(stopped_pendulum, draw_stopped_pendulum, 8.0),
    "shaken_box": Case(shaken_box, draw_shaken_box, 3.0),
    "dragged_chain": Case(dragged_chain, draw_dragged_chain, 3.0),
    "nested_rings": Case(nested_rings, draw_nested_rings, 1.0),
}
