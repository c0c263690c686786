"""A ball that bounces on a fixed floor until it rests.

Source: B. Brogliato, Nonsmooth Mechanics, 3rd edition, Springer, 2016 (the standard example of accumulating impacts).
"""

from __future__ import annotations

from jounce.model import Contact, Ground, Model, Point, coordinate, parameters


def bouncing_ball() -> Model:
    """A ball that bounces on a fixed floor until it rests."""
    y, dy = coordinate("y", "m")
    m, g, e = parameters(m=(1.0, "kg", "mass"), g=(9.81, "m/s^2", "gravity"), e=(0.8, "", "restitution"))
    return Model.from_lagrangian(
        "bouncing_ball",
        coordinates=[y],
        kinetic=m * dy**2 / 2,
        potential=m * g * y,
        contacts=[Contact("floor", gap=y, restitution=e)],
        start={y: 1.0},
        drawing=[Ground(0), Point((0, y), "floor")],
        description="A ball that bounces on a fixed floor until it rests.",
        source="Brogliato, Nonsmooth Mechanics, 3rd edition, Springer, 2016",
    )
