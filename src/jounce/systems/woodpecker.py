"""The woodpecker toy: a bird on a spring that climbs down a pole by impacts and by jamming its sleeve.

Small angles: the sleeve has height y and angle phi_sleeve, the bird the angle phi_bird. The beak strikes the pole, and
the sleeve jams with its lower or its upper edge. All kinematics are linear, as in the source.

Source: R. I. Leine, D. H. van Campen and C. Glocker, Nonlinear dynamics and modeling of various wooden toys with impact
and friction, Journal of Vibration and Control 9 (2003) 25-78; the model is Glocker's and Pfeiffer's.
"""

from __future__ import annotations

from jounce.model import Contact, Ground, Model, Point, Segment, coordinate, coordinates, parameters


def woodpecker() -> Model:
    """The woodpecker toy: a bird on a spring that climbs down a pole by impacts and jamming."""
    y, dy = coordinate("y", "m")
    (sleeve, dsleeve), (bird, dbird) = coordinates("phi_sleeve phi_bird", "rad")
    m_sleeve, J_sleeve, m_bird, J_bird, c, g, mu, e = parameters(
        m_sleeve=(0.0003, "kg", "mass of the sleeve"),
        J_sleeve=(5.0e-9, "kg m^2", "inertia of the sleeve"),
        m_bird=(0.0045, "kg", "mass of the bird"),
        J_bird=(7.0e-7, "kg m^2", "inertia of the bird"),
        c=(0.0056, "N m/rad", "stiffness of the spring between sleeve and bird"),
        g=(9.81, "m/s^2", "gravity"),
        mu=(0.3, "", "friction"),
        e=(0.5, "", "restitution of the beak"),
    )
    r_pole, r_sleeve, h_sleeve, l_sleeve, l_bird, h_beak, l_beak = parameters(
        r_pole=(0.0025, "m", "radius of the pole"),
        r_sleeve=(0.0031, "m", "inner radius of the sleeve"),
        h_sleeve=(0.0058, "m", "half height of the sleeve"),
        l_sleeve=(0.010, "m", "pole to spring"),
        l_bird=(0.015, "m", "spring to the bird's centre"),
        h_beak=(0.02, "m", "height of the beak over the bird's centre"),
        l_beak=(0.0201, "m", "bird's centre to the beak"),
    )
    rise = dy + l_sleeve * dsleeve + l_bird * dbird  # of the bird's centre
    height = y + l_sleeve * sleeve + l_bird * bird
    jammed = dy + r_sleeve * dsleeve
    play = r_sleeve - r_pole
    beak = l_sleeve + l_bird - l_beak
    spring, centre = (l_sleeve, y + l_sleeve * sleeve), (l_sleeve + l_bird, height)
    return Model.from_lagrangian(
        "woodpecker",
        coordinates=[y, sleeve, bird],
        kinetic=m_sleeve * dy**2 / 2 + J_sleeve * dsleeve**2 / 2 + m_bird * rise**2 / 2 + J_bird * dbird**2 / 2,
        potential=m_sleeve * g * y + m_bird * g * height + c * (sleeve - bird) ** 2 / 2,
        contacts=[
            Contact("beak", beak - r_pole - h_beak * bird, rise - l_beak * dbird, mu, restitution=e),
            Contact("lower", play + h_sleeve * sleeve, jammed, mu),
            Contact("upper", play - h_sleeve * sleeve, jammed, mu),
        ],
        start={sleeve: -0.1034, bird: -0.2788, dy: -0.3411, dbird: -7.4583},
        drawing=[
            Ground(((r_pole, 1), (r_pole, 0))),
            Segment((r_sleeve - h_sleeve * sleeve, y + h_sleeve), (r_sleeve + h_sleeve * sleeve, y - h_sleeve)),
            Segment((r_sleeve, y), spring),
            Segment(spring, centre),
            Segment(centre, (beak - h_beak * bird, height + h_beak - l_beak * bird)),
            Point((beak - h_beak * bird, height + h_beak - l_beak * bird), "beak"),
            Point((r_sleeve + h_sleeve * sleeve, y - h_sleeve), "lower"),
            Point((r_sleeve - h_sleeve * sleeve, y + h_sleeve), "upper"),
        ],
        description="The woodpecker toy: a bird on a spring that climbs down a pole by impacts and jamming.",
        source="Leine, van Campen and Glocker, Journal of Vibration and Control 9 (2003) 25-78",
    )
