"""Small models with compliant contacts, compiled once a process."""

from __future__ import annotations

from functools import cache

import sympy as sp

import jounce
from jounce.model.compliance import ComplianceLaw

FINE = jounce.Options(tolerance=1e-12)


@cache
def drop(law: ComplianceLaw | None) -> jounce.System:
    """A point mass above a floor at y = 0."""
    y, dy = jounce.coordinate("y", "m")
    m, g, e = jounce.parameters(m=1.0, g=(9.81, "m/s^2"), e=0.7)
    contact = jounce.Contact("floor", gap=y, restitution=e, compliance=law)
    name = f"drop_{type(law).__name__}"
    model = jounce.Model.from_lagrangian(
        name, coordinates=[y], kinetic=m * dy**2 / 2, potential=m * g * y, contacts=[contact], start={y: 1.0}
    )
    return jounce.compile_model(model)


@cache
def slider_on_floor(law: ComplianceLaw | None, wall_law: ComplianceLaw | None, moving: bool = False) -> jounce.System:
    """A mass that slides on a floor (perhaps a belt that also rises and falls) and runs into a wall at x = 1."""
    (x, dx), (y, dy) = jounce.coordinates("x y", "m")
    m, g, mu, e, e_w, belt = jounce.parameters(m=2.0, g=9.81, mu=0.2, e=0.0, e_w=0.8, belt=0.5)
    height = belt / 100 * sp.sin(20 * jounce.time) if moving else 0
    floor = jounce.Contact(
        "floor", gap=y - height, slip=dx - (belt if moving else 0), friction=mu, restitution=e, compliance=law
    )
    wall = jounce.Contact("wall", gap=1 - x, restitution=e_w, compliance=wall_law)
    model = jounce.Model.from_lagrangian(
        f"slider_{type(law).__name__}_{type(wall_law).__name__}_{moving}",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        contacts=[floor, wall],
        period=2 * sp.pi / 20 if moving else None,
        start={x: 0.0, y: 0.1},
    )
    return jounce.compile_model(model)


def largest_residual(run: jounce.Trajectory) -> float:
    """What the ledger of a run cannot explain [J]."""
    return float(abs(run.energy["residual"]).max())
