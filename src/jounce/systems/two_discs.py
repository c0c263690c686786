"""Two free discs that collide in the plane with friction.

The normal n points from disc 2 to disc 1 and the tangent is n turned by +90 degrees:
gamma_T = t.(v1 - v2) - r1 phi1' - r2 phi2'.

Source: W. J. Stronge, Impact Mechanics, Cambridge University Press, 2000 (planar collision with friction).
"""

from __future__ import annotations

from sympy import sqrt

from jounce.model import Circle, Contact, Model, Point, coordinates, parameters


def two_discs() -> Model:
    """Two free discs that collide in the plane with friction."""
    (x1, dx1), (y1, dy1), (x2, dx2), (y2, dy2) = coordinates("x1 y1 x2 y2", "m")
    (phi1, dphi1), (phi2, dphi2) = coordinates("phi1 phi2", "rad")
    m1, m2, r1, r2, mu, e = parameters(
        m1=(1.0, "kg", "mass of disc 1"),
        m2=(1.0, "kg", "mass of disc 2"),
        r1=(0.5, "m", "radius of disc 1"),
        r2=(0.5, "m", "radius of disc 2"),
        mu=(0.3, "", "friction"),
        e=(0.8, "", "restitution"),
    )
    distance = sqrt((x1 - x2) ** 2 + (y1 - y2) ** 2)
    n_x, n_y = (x1 - x2) / distance, (y1 - y2) / distance
    slip = -n_y * (dx1 - dx2) + n_x * (dy1 - dy2) - r1 * dphi1 - r2 * dphi2
    spin = m1 * r1**2 / 2 * dphi1**2 / 2 + m2 * r2**2 / 2 * dphi2**2 / 2
    return Model.from_lagrangian(
        "two_discs",
        coordinates=[x1, y1, phi1, x2, y2, phi2],
        kinetic=m1 * (dx1**2 + dy1**2) / 2 + m2 * (dx2**2 + dy2**2) / 2 + spin,
        contacts=[Contact("rims", gap=distance - r1 - r2, slip=slip, friction=mu, restitution=e)],
        start={"x1": -1.0, "y1": 0.3, "x2": 1.0, "d_x1": 1.0},
        drawing=[
            Circle((x1, y1), r1, phi1),
            Circle((x2, y2), r2, phi2),
            Point((x2 + r2 * n_x, y2 + r2 * n_y), "rims"),
        ],
        description="Two free discs that collide in the plane with friction.",
        source="Stronge, Impact Mechanics, Cambridge University Press, 2000",
    )
