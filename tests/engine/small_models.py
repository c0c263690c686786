"""Fifteen small models of different structure, each with a draw of random parameters and starts.

One to three coordinates, one to three contacts; fixed and moving surfaces; joints; contacts between two free bodies;
static friction above kinetic friction; friction that depends on the position.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sympy import Abs, cos, pi, sin, sqrt

from jounce.model import Contact, Model, coordinate, coordinates, parameters, time

Draw = Callable[[np.random.Generator], tuple[dict[str, float], dict[str, float]]]


class Case(NamedTuple):
    """A model, how to draw (start, parameters), and how long a run is."""

    model: Callable[[], Model]
    draw: Draw
    t_end: float


def uniform(random: np.random.Generator, **ranges: tuple[float, float]) -> dict[str, float]:
    """One number a name."""
    return {name: float(random.uniform(*bounds)) for name, bounds in ranges.items()}


def two_walls() -> Model:
    """A forced oscillator between two walls, one of which moves: 1 coordinate, 2 contacts."""
    x, dx = coordinate("x", "m")
    k, c, F, omega, d, A, e = parameters(k=1.0, c=0.1, F=2.0, omega=2.0, d=1.0, A=0.1, e=0.7)
    return Model.from_lagrangian(
        "two_walls",
        coordinates=[x],
        kinetic=dx**2 / 2,
        potential=k * x**2 / 2,
        forces={x: F * cos(omega * time) - c * dx},
        contacts=[
            Contact("left", gap=x + d - A * sin(omega * time), restitution=e),
            Contact("right", gap=d - x, restitution=e / 2),
        ],
        period=2 * pi / omega,
        start={x: 0.0},
    )


def draw_two_walls(random):
    parameters = uniform(random, k=(0, 5), c=(0, 0.5), F=(0, 6), omega=(0.3, 8), d=(0.3, 1.5), A=(0, 0.2), e=(0, 1))
    return uniform(random, x=(-0.1, 0.3), d_x=(-3, 3)), parameters


def groove() -> Model:
    """A point mass in a V-shaped groove with friction: 2 coordinates, 2 contacts."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    g, a, b, mu, mu_s, e = parameters(g=9.81, a=0.6, b=0.8, mu=0.2, mu_s=0.3, e=0.5)
    return Model.from_lagrangian(
        "groove",
        coordinates=[x, y],
        kinetic=(dx**2 + dy**2) / 2,
        potential=g * y,
        contacts=[
            Contact(
                "falling", gap=sin(a) * x + cos(a) * y, slip=cos(a) * dx - sin(a) * dy,
                friction=mu, static_friction=mu_s, restitution=e,
            ),
            Contact(
                "rising", gap=-sin(b) * x + cos(b) * y, slip=cos(b) * dx + sin(b) * dy,
                friction=mu, static_friction=mu_s, restitution=e,
            ),
        ],
        start={y: 1.0},
    )  # fmt: skip


def draw_groove(random):
    parameters = uniform(random, a=(0.1, 1.2), b=(0.1, 1.2), mu=(0, 0.8), e=(0, 0.9))
    parameters["mu_s"] = parameters["mu"] * random.uniform(1, 1.5)
    return uniform(random, x=(-0.2, 0.2), y=(0.5, 2), d_x=(-3, 3), d_y=(-3, 3)), parameters


def shaken_block() -> Model:
    """A block between two plates that shake by themselves, with friction on both: 2 coordinates, 2 contacts."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    g, k, A, B, omega, H, mu, v, e = parameters(g=9.81, k=1.0, A=0.1, B=0.1, omega=5.0, H=0.5, mu=0.3, v=1.0, e=0.6)
    return Model.from_lagrangian(
        "shaken_block",
        coordinates=[x, y],
        kinetic=(dx**2 + dy**2) / 2,
        potential=g * y + k * x**2 / 2,
        contacts=[
            Contact("floor", gap=y - A * sin(omega * time), slip=dx - v, friction=mu, restitution=e),
            Contact("ceiling", gap=H + B * cos(omega * time / 2) - y, slip=dx + v, friction=mu / 2, restitution=e),
        ],
        period=4 * pi / omega,
        start={y: 0.2},
    )


def draw_shaken_block(random):
    ranges = {"k": (0, 10), "A": (0, 0.1), "B": (0, 0.1), "omega": (1, 12), "mu": (0, 1), "v": (-1, 1), "e": (0, 0.9)}
    return uniform(random, x=(-1, 1), y=(0.12, 0.35), d_x=(-2, 2), d_y=(-2, 2)), uniform(random, **ranges)


def stacked_balls() -> Model:
    """Three balls above one another over a floor, contacts between free bodies: 3 coordinates, 3 contacts."""
    (y1, v1), (y2, v2), (y3, v3) = coordinates("y1 y2 y3", "m")
    g, m1, m2, m3, r, e = parameters(g=9.81, m1=1.0, m2=1.0, m3=1.0, r=0.1, e=0.5)
    return Model.from_lagrangian(
        "stacked_balls",
        coordinates=[y1, y2, y3],
        kinetic=(m1 * v1**2 + m2 * v2**2 + m3 * v3**2) / 2,
        potential=g * (m1 * y1 + m2 * y2 + m3 * y3),
        contacts=[
            Contact("floor", gap=y1 - r, restitution=e),
            Contact("lower", gap=y2 - y1 - 2 * r, restitution=e),
            Contact("upper", gap=y3 - y2 - 2 * r, restitution=e),
        ],
        start={y1: 1.0, y2: 2.0, y3: 3.0},
    )


def draw_stacked_balls(random):
    start = uniform(random, d_y1=(-2, 2), d_y2=(-2, 2), d_y3=(-2, 2), y1=(0.11, 0.6))
    start["y2"] = start["y1"] + random.uniform(0.21, 1)
    start["y3"] = start["y2"] + random.uniform(0.21, 1)
    return start, uniform(random, m1=(0.2, 3), m2=(0.2, 3), m3=(0.2, 3), e=(0, 0.8))


def rough_slope() -> Model:
    """A mass on a slope whose friction depends on the place: 2 coordinates, 1 contact."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    g, tilt, mu, wave, e = parameters(g=9.81, tilt=0.3, mu=0.3, wave=5.0, e=0.4)
    rough = mu * (1 + sin(wave * x) / 2)
    return Model.from_lagrangian(
        "rough_slope",
        coordinates=[x, y],
        kinetic=(dx**2 + dy**2) / 2,
        potential=g * (cos(tilt) * y - sin(tilt) * x),
        contacts=[Contact("slope", y, slip=dx, friction=rough, static_friction=rough * 6 / 5, restitution=e)],
        start={y: 0.5},
    )


def draw_rough_slope(random):
    start = uniform(random, x=(-2, 2), y=(0, 1), d_x=(-4, 4), d_y=(-1, 1))
    return start, uniform(random, tilt=(-0.6, 0.6), mu=(0, 1), wave=(0, 20), e=(0, 0.9))


def shaking_belt() -> Model:
    """A block on a belt that runs back and forth, static friction above kinetic: 2 coordinates, 1 contact."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    g, k, c, v, omega, mu, mu_s = parameters(g=9.81, k=10.0, c=0.1, v=1.0, omega=2.0, mu=0.2, mu_s=0.3)
    belt = v * cos(omega * time)
    return Model.from_lagrangian(
        "shaking_belt",
        coordinates=[x, y],
        kinetic=(dx**2 + dy**2) / 2,
        potential=g * y + k * x**2 / 2,
        forces={x: -c * dx},
        contacts=[Contact("belt", gap=y, slip=dx - belt, friction=mu, static_friction=mu_s)],
        period=2 * pi / omega,
        start={y: 0.0},
    )


def draw_shaking_belt(random):
    parameters = uniform(random, k=(0, 30), c=(0, 1), v=(0, 2), omega=(0.5, 8), mu=(0.02, 0.6))
    parameters["mu_s"] = parameters["mu"] * random.uniform(1, 2)
    return uniform(random, x=(-1, 1), d_x=(-2, 2)), parameters


def caged_pendulum() -> Model:
    """A point mass on an arm (a joint) between two walls with friction: 2 coordinates, 2 contacts, 1 joint."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    g, left, right, mu, e, F, omega = parameters(g=9.81, left=-0.4, right=0.5, mu=0.2, e=0.7, F=2.0, omega=3.0)
    return Model.from_lagrangian(
        "caged_pendulum",
        coordinates=[x, y],
        kinetic=(dx**2 + dy**2) / 2,
        potential=g * y,
        forces={x: F * sin(omega * time)},
        contacts=[
            Contact("left", gap=x - left, slip=dy, friction=mu, restitution=e),
            Contact("right", gap=right - x, slip=dy, friction=mu, restitution=e),
        ],
        joints={"arm": (x**2 + y**2 - 1) / 2},
        period=2 * pi / omega,
        start={y: -1.0},
    )


def draw_caged_pendulum(random):
    phi, rate = random.uniform(-0.25, 0.25), random.uniform(-4, 4)
    start = {"x": np.sin(phi), "y": -np.cos(phi), "d_x": rate * np.cos(phi), "d_y": rate * np.sin(phi)}
    ranges = {"left": (-0.7, -0.3), "right": (0.3, 0.7), "mu": (0, 0.6), "e": (0, 0.95), "F": (0, 5), "omega": (1, 8)}
    return {name: float(value) for name, value in start.items()}, uniform(random, **ranges)


def ladder() -> Model:
    """A rod between a floor and a wall, friction on both: 3 coordinates, 2 contacts."""
    (x, dx), (y, dy), (theta, dtheta) = coordinates("x y theta", "m")
    g, L, mu, mu_wall, e = parameters(g=9.81, L=1.0, mu=0.2, mu_wall=0.1, e=0.3)
    return Model.from_lagrangian(
        "ladder",
        coordinates=[x, y, theta],
        kinetic=(dx**2 + dy**2) / 2 + L**2 / 3 * dtheta**2 / 2,
        potential=g * y,
        contacts=[
            Contact("foot", y - L * sin(theta), slip=dx - L * sin(theta) * dtheta, friction=mu, restitution=e),
            Contact("head", x - L * cos(theta), slip=dy + L * cos(theta) * dtheta, friction=mu_wall, restitution=e),
        ],
        start={x: 1.0, y: 1.0, theta: 1.0},
    )


def draw_ladder(random):
    theta = random.uniform(0.5, 1.4)
    start = {"theta": theta, "x": np.cos(theta) + random.uniform(0, 0.3), "y": np.sin(theta) + random.uniform(0, 0.3)}
    start |= uniform(random, d_x=(-1, 1), d_y=(-1, 1), d_theta=(-1, 1))
    parameters = uniform(random, mu=(0, 0.5), mu_wall=(0, 0.5), e=(0, 0.8))
    return {name: float(value) for name, value in start.items()}, parameters


def rocking_block() -> Model:
    """A block on a floor that shakes sideways, rocking about its corners: 3 coordinates, 2 contacts."""
    (x, dx), (y, dy), (theta, dtheta) = coordinates("x y theta", "m")
    g, a, b, A, omega, mu, e = parameters(g=9.81, a=0.2, b=0.6, A=0.1, omega=4.0, mu=0.5, e=0.1)
    floor = A * omega * cos(omega * time)

    def corner(side: int) -> Contact:
        height = y - b * cos(theta) + side * a * sin(theta)
        slip = dx + (b * cos(theta) - side * a * sin(theta)) * dtheta - floor
        return Contact("left" if side < 0 else "right", height, slip=slip, friction=mu, restitution=e)

    return Model.from_lagrangian(
        "rocking_corners",
        coordinates=[x, y, theta],
        kinetic=(dx**2 + dy**2) / 2 + (a**2 + b**2) / 3 * dtheta**2 / 2,
        potential=g * y,
        contacts=[corner(-1), corner(1)],
        period=2 * pi / omega,
        start={y: 0.6},
    )


def draw_rocking_block(random):
    parameters = uniform(random, a=(0.1, 0.4), b=(0.3, 0.8), A=(0, 0.2), omega=(1, 8), mu=(0, 1.2), e=(0, 0.5))
    theta = random.uniform(-0.1, 0.1)
    height = parameters["b"] * np.cos(theta) + parameters["a"] * abs(np.sin(theta)) + random.choice([0, 0.05])
    start = {"theta": theta, "y": float(height)}
    if random.random() < 0.5:
        start = {"y": parameters["b"]}
    return start, parameters


def bouncing_disc() -> Model:
    """A disc that spins, bounces and rolls on a vibrating slope: 3 coordinates, 1 contact."""
    (x, dx), (y, dy), (phi, dphi) = coordinates("x y phi", "m")
    g, tilt, r, A, omega, mu, e = parameters(g=9.81, tilt=0.2, r=0.3, A=0.05, omega=6.0, mu=0.3, e=0.5)
    return Model.from_lagrangian(
        "bouncing_disc",
        coordinates=[x, y, phi],
        kinetic=(dx**2 + dy**2 + r**2 / 2 * dphi**2) / 2,
        potential=g * (cos(tilt) * y - sin(tilt) * x),
        contacts=[Contact("slope", gap=y - r - A * sin(omega * time), slip=dx + r * dphi, friction=mu, restitution=e)],
        period=2 * pi / omega,
        start={y: 1.0},
    )


def draw_bouncing_disc(random):
    start = uniform(random, y=(0.6, 2), d_x=(-3, 3), d_y=(-2, 2), d_phi=(-20, 20))
    return start, uniform(random, tilt=(-0.4, 0.4), A=(0, 0.2), omega=(1, 12), mu=(0, 1), e=(0, 0.9))


def cam_follower() -> Model:
    """A follower pressed by a spring onto a turning cam with two harmonics: 1 coordinate, 1 contact."""
    y, dy = coordinate("y", "m")
    k, preload, a, b, omega, e = parameters(k=50.0, preload=5.0, a=0.1, b=0.02, omega=10.0, e=0.3)
    cam = a * cos(omega * time) + b * cos(3 * omega * time)
    return Model.from_lagrangian(
        "follower",
        coordinates=[y],
        kinetic=dy**2 / 2,
        potential=k * y**2 / 2 + preload * y,
        contacts=[Contact("cam", gap=y - cam, restitution=e)],
        period=2 * pi / omega,
        start={y: 0.2},
    )


def draw_cam_follower(random):
    return uniform(random, y=(0.16, 0.5), d_y=(-1, 1)), uniform(
        random, k=(5, 200), preload=(0, 10), a=(0, 0.12), b=(0, 0.03), omega=(2, 20), e=(0, 0.8)
    )


def sliding_wedge() -> Model:
    """A mass on the incline of a wedge that itself moves freely on a spring: 3 coordinates, 1 contact, two bodies."""
    (X, dX), (x, dx), (y, dy) = coordinates("X x y", "m")
    g, M, k, a, mu, mu_s, e = parameters(g=9.81, M=2.0, k=20.0, a=0.5, mu=0.2, mu_s=0.25, e=0.4)
    return Model.from_lagrangian(
        "sliding_wedge",
        coordinates=[X, x, y],
        kinetic=(M * dX**2 + dx**2 + dy**2) / 2,
        potential=g * y + k * X**2 / 2,
        contacts=[
            Contact(
                "incline", gap=cos(a) * y - sin(a) * (x - X), slip=cos(a) * (dx - dX) + sin(a) * dy,
                friction=mu, static_friction=mu_s, restitution=e,
            )
        ],
        start={y: 1.0},
    )  # fmt: skip


def draw_sliding_wedge(random):
    parameters = uniform(random, M=(0.3, 5), k=(0, 50), a=(0, 1), mu=(0, 1), e=(0, 0.9))
    parameters["mu_s"] = parameters["mu"] * random.uniform(1, 1.5)
    return uniform(random, x=(-1, 0), y=(0.01, 1), d_x=(-2, 2), d_y=(-1, 1), d_X=(-1, 1)), parameters


def two_carts() -> Model:
    """Two carts on springs between a wall and each other: 2 coordinates, 2 contacts, one between free bodies."""
    (x1, dx1), (x2, dx2) = coordinates("x1 x2", "m")
    m, k, F, omega, d, e = parameters(m=2.0, k=5.0, F=5.0, omega=3.0, d=0.3, e=0.6)
    return Model.from_lagrangian(
        "two_carts",
        coordinates=[x1, x2],
        kinetic=(dx1**2 + m * dx2**2) / 2,
        potential=k * (x1**2 + x2**2) / 2,
        forces={x1: F * cos(omega * time)},
        contacts=[
            Contact("wall", gap=x1 + d, restitution=e),
            Contact("bumper", gap=x2 + d - x1, restitution=e),
        ],
        period=2 * pi / omega,
        start={x1: 0.0},
    )


def draw_two_carts(random):
    ranges = {"m": (0.2, 5), "k": (0.5, 20), "F": (0, 15), "omega": (0.5, 8), "d": (0.05, 0.5), "e": (0, 0.95)}
    return uniform(random, x1=(-0.04, 0), x2=(0, 0.5), d_x1=(-2, 2), d_x2=(-2, 2)), uniform(random, **ranges)


def jointed_cart() -> Model:
    """A cart with a hanging mass on a rigid arm (a joint) and a floor under it: 3 coordinates, 2 contacts, 1 joint."""
    (X, dX), (x, dx), (y, dy) = coordinates("X x y", "m")
    g, M, k, depth, mu, e = parameters(g=9.81, M=2.0, k=30.0, depth=0.9, mu=0.2, e=0.5)
    return Model.from_lagrangian(
        "jointed_cart",
        coordinates=[X, x, y],
        kinetic=(M * dX**2 + dx**2 + dy**2) / 2,
        potential=g * y + k * X**2 / 2,
        contacts=[
            Contact("floor", gap=y + depth, slip=dx, friction=mu, restitution=e),
            Contact("stop", gap=1 - X, restitution=e),
        ],
        joints={"arm": ((x - X) ** 2 + y**2 - 1) / 2},
        start={X: 0.0, x: 1.0, y: 0.0},
    )


def draw_jointed_cart(random):
    parameters = uniform(random, M=(0.3, 5), k=(5, 60), depth=(0.5, 0.99), mu=(0, 0.6), e=(0, 0.9))
    phi = random.choice([-1, 1]) * random.uniform(np.arccos(parameters["depth"]) + 0.05, 1.5)
    position = random.uniform(-0.5, 0.5)
    start = {"X": position, "x": position + np.sin(phi), "y": -np.cos(phi)}
    return {name: float(value) for name, value in start.items()}, parameters


def dragged_bead() -> Model:
    """A bead on a rough line between two moving walls, with drag, M and h given directly: 2 coordinates, 3 contacts."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    g, drag, A, omega, mu, e = parameters(g=9.81, drag=0.2, A=0.2, omega=4.0, mu=0.2, e=0.6)
    speed = sqrt(dx**2 + dy**2 + 1)
    return Model(
        "dragged_bead",
        coordinates=[x, y],
        mass=[1, 2],
        forces=[-drag * speed * dx, -2 * g - drag * speed * dy],
        potential=2 * g * y,
        contacts=[
            Contact("line", gap=y, slip=dx, friction=mu * (1 + Abs(sin(x)) / 2), restitution=e),
            Contact("left", gap=x + 1 - A * sin(omega * time), slip=dy, friction=mu, restitution=e),
            Contact("right", gap=1 + A * cos(omega * time) - x, slip=dy, friction=mu, restitution=e),
        ],
        period=2 * pi / omega,
        start={y: 0.5},
    )


def draw_dragged_bead(random):
    start = uniform(random, x=(-0.7, 0.7), y=(0, 1), d_x=(-4, 4), d_y=(-2, 2))
    return start, uniform(random, drag=(0, 0.5), A=(0, 0.25), omega=(1, 8), mu=(0, 0.8), e=(0, 0.9))


CASES: dict[str, Case] = {
    "two_walls": Case(two_walls, draw_two_walls, 15.0),
    "groove": Case(groove, draw_groove, 4.0),
    "shaken_block": Case(shaken_block, draw_shaken_block, 6.0),
    "stacked_balls": Case(stacked_balls, draw_stacked_balls, 3.0),
    "rough_slope": Case(rough_slope, draw_rough_slope, 5.0),
    "shaking_belt": Case(shaking_belt, draw_shaking_belt, 10.0),
    "caged_pendulum": Case(caged_pendulum, draw_caged_pendulum, 6.0),
    "ladder": Case(ladder, draw_ladder, 2.0),
    "rocking_block": Case(rocking_block, draw_rocking_block, 4.0),
    "bouncing_disc": Case(bouncing_disc, draw_bouncing_disc, 6.0),
    "cam_follower": Case(cam_follower, draw_cam_follower, 6.0),
    "sliding_wedge": Case(sliding_wedge, draw_sliding_wedge, 4.0),
    "two_carts": Case(two_carts, draw_two_carts, 8.0),
    "jointed_cart": Case(jointed_cart, draw_jointed_cart, 6.0),
    "dragged_bead": Case(dragged_bead, draw_dragged_bead, 4.0),
}


def gap_functions(model: Model) -> Callable[..., Any]:
    """All gaps and joints of a model as one function of (t [K], z [K, 2n], p) -> ([contacts, K], [joints, K])."""
    import sympy as sp

    arguments = [model.symbols["t"], *model.q, *model.p]
    function = sp.lambdify(arguments, [[contact.gap for contact in model.contacts], list(model.joints.values())])

    def evaluate(t: np.ndarray, z: np.ndarray, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        gaps, joints = function(t, *z.T[: model.n], *p)
        return tuple(np.array([np.broadcast_to(row, t.shape) for row in rows]) for rows in (gaps, joints))

    return evaluate
