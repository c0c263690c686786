"""A forced, damped oscillator that hits a rigid wall.

Source: A. B. Nordmark, Non-periodic motion caused by grazing incidence in an impact oscillator, Journal of Sound and
Vibration 145 (1991) 279-297.
"""

from __future__ import annotations

from sympy import cos, pi

from jounce.model import Contact, Ground, Model, Point, Segment, coordinate, parameters, time


def impact_oscillator() -> Model:
    """A forced, damped oscillator that hits a rigid wall."""
    x, dx = coordinate("x", "m")
    m, c, k, F, omega, d, e = parameters(
        m=(1.0, "kg", "mass"),
        c=(0.1, "N s/m", "damping"),
        k=(1.0, "N/m", "stiffness"),
        F=(1.0, "N", "amplitude of the force"),
        omega=(0.8, "rad/s", "frequency of the force"),
        d=(1.0, "m", "position of the wall"),
        e=(0.8, "", "restitution"),
    )
    return Model.from_lagrangian(
        "impact_oscillator",
        coordinates=[x],
        kinetic=m * dx**2 / 2,
        potential=k * x**2 / 2,
        forces={x: F * cos(omega * time) - c * dx},
        contacts=[Contact("wall", gap=d - x, restitution=e)],
        period=2 * pi / omega,
        start={x: 0.0},
        drawing=[Ground(((d, -1), (d, 1))), Segment((-2 * d, 0), (x, 0)), Point((x, 0), "wall")],
        description="A forced, damped oscillator that hits a rigid wall.",
        source="Nordmark, Journal of Sound and Vibration 145 (1991) 279-297",
    )
