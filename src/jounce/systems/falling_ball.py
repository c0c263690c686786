"""A steel ball that is thrown onto a floor and meets it with finite stiffness.

Source: P. Flores and J. Ambrosio, On the contact detection for contact-impact analysis in multibody systems, figure 1,
Multibody System Dynamics 24 (2010) 103-122. The paper gives mass, inertia, radius and speed; its height of fall and
stiffness are open: here 1 m and a steel sphere on a steel plane. The inertia printed, 0.1, exceeds m R^2 and matters
only with friction.
"""

from __future__ import annotations

from jounce.model import Circle, Contact, Ground, LankaraniNikravesh, Model, coordinate, coordinates, parameters
from jounce.model.compliance import ComplianceLaw
from jounce.model.stiffness import Material, hertz_stiffness

STEEL = Material(E=207e9, nu=0.3)


def falling_ball(compliance: ComplianceLaw | str | None = "steel") -> Model:
    """A steel ball that is thrown onto a floor and meets it with finite stiffness.

    compliance   the law of contact; "steel": Lankarani and Nikravesh's with stiffness K; None: rigid
    """
    (x, dx), (y, dy) = coordinates("x y", "m")
    theta, d_theta = coordinate("theta", "rad")
    m, inertia, radius, g, mu, e, K = parameters(
        m=(1.0, "kg", "mass"),
        I=(0.1, "kg m^2", "moment of inertia"),
        R=(0.1, "m", "radius"),
        g=(9.81, "m/s^2", "gravity"),
        mu=(0.0, "", "friction"),
        e=(1.0, "", "restitution"),
        K=(hertz_stiffness(0.1, material=STEEL), "N/m^1.5", "stiffness of the contact"),
    )
    law = LankaraniNikravesh(K) if compliance == "steel" else compliance
    floor = Contact("floor", gap=y - radius, slip=dx + radius * d_theta, friction=mu, restitution=e, compliance=law)
    return Model.from_lagrangian(
        "falling_ball",
        coordinates=[x, y, theta],
        kinetic=(m * (dx**2 + dy**2) + inertia * d_theta**2) / 2,
        potential=m * g * y,
        contacts=[floor],
        start={x: 0.0, y: 1.1, dx: 1.0},
        drawing=[Ground(0), Circle((x, y), radius, theta)],
        description="A steel ball that is thrown onto a floor and meets it with finite stiffness.",
        source="Flores and Ambrosio, Multibody System Dynamics 24 (2010) 103-122, figure 1",
    )
