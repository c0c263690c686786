"""A block on a spring that sticks and slips on a moving belt.

The block rests on the belt by its weight: one contact that stays closed, with y as its normal coordinate.

Source: U. Galvanetto and S. R. Bishop, Dynamics of a simple damped oscillator undergoing stick-slip vibrations,
Meccanica 34 (1999) 337-347.
"""

from __future__ import annotations

from jounce.model import Contact, Ground, Model, Point, Segment, coordinates, parameters


def belt_oscillator() -> Model:
    """A block on a spring that sticks and slips on a moving belt."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, k, c, v_belt, mu, mu_s, e = parameters(
        m=(1.0, "kg", "mass"),
        g=(9.81, "m/s^2", "gravity"),
        k=(10.0, "N/m", "stiffness"),
        c=(0.0, "N s/m", "damping"),
        v_belt=(0.2, "m/s", "speed of the belt"),
        mu=(0.3, "", "kinetic friction"),
        mu_s=(0.4, "", "static friction"),
        e=(0.0, "", "restitution"),
    )
    return Model.from_lagrangian(
        "belt_oscillator",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=k * x**2 / 2 + m * g * y,
        forces={x: -c * dx},
        contacts=[Contact("belt", gap=y, slip=dx - v_belt, friction=mu, static_friction=mu_s, restitution=e)],
        start={x: 0.0, y: 0.0},
        drawing=[Ground(0), Segment((-1, y), (x, y)), Point((x, y), "belt")],
        description="A block on a spring that sticks and slips on a moving belt.",
        source="Galvanetto and Bishop, Meccanica 34 (1999) 337-347",
    )
