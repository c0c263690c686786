"""Small models whose orbits change at parameters known in closed form."""

from __future__ import annotations

from functools import cache

from sympy import cos, pi, sin

import jounce
from jounce.model import Contact, Model, coordinate, coordinates, parameters, time


@cache
def blown_ball() -> jounce.System:
    """A ball on a table in a wind that drives it on, y'' = -g + c y': volumes grow by e^2 exp(c T) in a bounce."""
    y, dy = coordinate("y", "m")
    m, g, A, omega, e, c = parameters(
        m=(1.0, "kg", "mass"),
        g=(9.81, "m/s^2", "gravity"),
        A=(1.0, "m", "amplitude"),
        omega=(3.0, "rad/s", "frequency"),
        e=(0.9, "", "restitution"),
        c=(0.0, "1/s", "growth"),
    )
    return jounce.compile_model(
        Model.from_lagrangian(
            "blown_ball",
            coordinates=[y],
            kinetic=m * dy**2 / 2,
            potential=m * g * y,
            forces={y: m * c * dy},
            contacts=[Contact("table", gap=y - A * sin(omega * time), restitution=e)],
            period=2 * pi / omega,
            start={y: 6.0},
        )
    )


@cache
def forced_block() -> jounce.System:
    """A block on a belt, on a spring and under two harmonics of a force; its contact never opens."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, k, c, F, a, omega, v_belt, mu, mu_s = parameters(
        m=(1.0, "kg", "mass"),
        g=(10.0, "m/s^2", "gravity"),
        k=(0.0, "N/m", "stiffness"),
        c=(0.0, "N s/m", "damping"),
        F=(1.0, "N", "force"),
        a=(0.0, "", "share of the second harmonic"),
        omega=(1.0, "rad/s", "frequency"),
        v_belt=(0.0, "m/s", "speed of the belt"),
        mu=(0.3, "", "kinetic friction"),
        mu_s=(0.3, "", "static friction"),
    )
    return jounce.compile_model(
        Model.from_lagrangian(
            "forced_block",
            coordinates=[x, y],
            kinetic=m * (dx**2 + dy**2) / 2,
            potential=k * x**2 / 2 + m * g * y,
            forces={x: -c * dx + F * (cos(omega * time) + a * cos(2 * omega * time))},
            contacts=[Contact("belt", gap=y, slip=dx - v_belt, friction=mu, static_friction=mu_s, restitution=0)],
            period=2 * pi / omega,
            start={x: 0.0, y: 0.0},
        )
    )


@cache
def free_block() -> jounce.System:
    """``forced_block`` without a spring: where the block is does not matter."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, F, a, omega, mu, mu_s = parameters(
        m=(1.0, "kg", "mass"),
        g=(10.0, "m/s^2", "gravity"),
        F=(4.0, "N", "force"),
        a=(1.0, "", "share of the second harmonic"),
        omega=(1.0, "rad/s", "frequency"),
        mu=(0.3, "", "kinetic friction"),
        mu_s=(0.3, "", "static friction"),
    )
    return jounce.compile_model(
        Model.from_lagrangian(
            "free_block",
            coordinates=[x, y],
            kinetic=m * (dx**2 + dy**2) / 2,
            potential=m * g * y,
            forces={x: F * (cos(omega * time) + a * cos(2 * omega * time))},
            contacts=[Contact("floor", gap=y, slip=dx, friction=mu, static_friction=mu_s, restitution=0)],
            period=2 * pi / omega,
            start={x: 0.0, y: 0.0},
        )
    )


@cache
def softening_block() -> jounce.System:
    """A block on a belt and on a spring k x - s x^3: two sliding rests meet where the spring is strongest."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, k, s, c, v_belt, mu = parameters(
        m=(1.0, "kg", "mass"),
        g=(10.0, "m/s^2", "gravity"),
        k=(3.0, "N/m", "stiffness"),
        s=(1.0, "N/m^3", "softening"),
        c=(0.5, "N s/m", "damping"),
        v_belt=(1.0, "m/s", "speed of the belt"),
        mu=(0.1, "", "friction"),
    )
    return jounce.compile_model(
        Model.from_lagrangian(
            "softening_block",
            coordinates=[x, y],
            kinetic=m * (dx**2 + dy**2) / 2,
            potential=k * x**2 / 2 - s * x**4 / 4 + m * g * y,
            forces={x: -c * dx},
            contacts=[Contact("belt", gap=y, slip=dx - v_belt, friction=mu, restitution=0)],
            start={x: 0.0, y: 0.0},
        )
    )


@cache
def lever_on_cam() -> jounce.System:
    """A sprung lever, pivoted at the origin, on an eccentric disc that turns at the speed omega."""
    theta, dtheta = coordinate("theta", "rad")
    J, k, c, r, a, L, rest, omega, e = parameters(
        J=(0.01, "kg m^2", "inertia of the lever"),
        k=(2.0, "N m/rad", "stiffness"),
        c=(0.002, "N m s/rad", "damping"),
        r=(0.05, "m", "radius of the disc"),
        a=(0.01, "m", "eccentricity"),
        L=(0.3, "m", "pivot to shaft"),
        rest=(-0.1, "rad", "angle at which the spring is relaxed"),
        omega=(20.0, "rad/s", "speed"),
        e=(0.4, "", "restitution"),
    )
    x, y = L + a * cos(omega * time), -r + a * sin(omega * time)
    return jounce.compile_model(
        Model.from_lagrangian(
            "lever_on_cam",
            coordinates=[theta],
            kinetic=J * dtheta**2 / 2,
            potential=k * (theta - rest) ** 2 / 2,
            forces={theta: -c * dtheta},
            contacts=[Contact("cam", gap=sin(theta) * x - cos(theta) * y - r, restitution=e)],
            period=2 * pi / omega,
            start={theta: 0.06},
        )
    )


@cache
def impact_damper() -> jounce.System:
    """A forced oscillator with a loose mass that rattles in it: two contacts between two free bodies."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    M, m, k, c, F, omega, L, e = parameters(
        M=(1.0, "kg", "mass of the oscillator"),
        m=(0.1, "kg", "loose mass"),
        k=(1.0, "N/m", "stiffness"),
        c=(0.02, "N s/m", "damping"),
        F=(0.1, "N", "force"),
        omega=(1.0, "rad/s", "frequency"),
        L=(0.8, "m", "play"),
        e=(0.6, "", "restitution"),
    )
    return jounce.compile_model(
        Model.from_lagrangian(
            "impact_damper",
            coordinates=[x, y],
            kinetic=M * dx**2 / 2 + m * dy**2 / 2,
            potential=k * x**2 / 2,
            forces={x: -c * dx + F * cos(omega * time)},
            contacts=[
                Contact("right", gap=L / 2 - (y - x), restitution=e),
                Contact("left", gap=L / 2 + (y - x), restitution=e),
            ],
            period=2 * pi / omega,
        )
    )
