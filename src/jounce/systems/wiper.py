"""The frictional impact oscillator: a bar under a spring whose lower end slides, sticks and hops on a moving belt.

Mass m2 moves on a vertical guide at height y. A massless bar of length l hangs from it at the angle phi and carries m1
at its lower end, which meets the belt at height 0. Springs and dashpots act on y and on phi. It stands for the blade of
a windscreen wiper, a piece of chalk on a board, a robot's finger on a plate.

Source: G. Lancioni, S. Lenci and U. Galvanetto, Non-linear dynamics of a mechanical system with a frictional unilateral
constraint, International Journal of Non-Linear Mechanics 44 (2009) 658-674; the model is that of R. I. Leine,
B. Brogliato and H. Nijmeijer, European Journal of Mechanics A/Solids 21 (2002) 869-896.
"""

from __future__ import annotations

from sympy import cos, pi, sin

from jounce.model import Contact, Ground, Model, Point, Segment, coordinate, parameters, time


def wiper() -> Model:
    """A sprung bar whose end slides, sticks and hops on a moving belt: the windscreen wiper."""
    phi, dphi = coordinate("phi", "rad")
    y, dy = coordinate("y", "m")
    m1, m2, l, g = parameters(  # noqa: E741 - the paper's l
        m1=(0.1, "kg", "mass at the lower end of the bar"),
        m2=(1.0, "kg", "mass on the guide"),
        l=(1.0, "m", "length of the bar"),
        g=(10.0, "m/s^2", "gravity"),
    )
    k_y, c_y, k_phi, c_phi, phi0, y0 = parameters(
        k_y=(100.0, "N/m", "stiffness of the guide's spring"),
        c_y=(10.0, "N s/m", "damping on the guide"),
        k_phi=(100.0, "N m/rad", "stiffness of the bar's spring"),
        c_phi=(0.0, "N m s/rad", "damping of the bar's rotation"),
        phi0=(0.39269908169872414, "rad", "angle at which the bar's spring is relaxed"),
        y0=(1.0, "m", "height at which the guide's spring is relaxed"),
    )
    mu, e, v_belt, v_amplitude, v_period = parameters(
        mu=(0.3, "", "friction"),
        e=(0.0, "", "restitution"),
        v_belt=(-1.0, "m/s", "constant part of the belt's velocity"),
        v_amplitude=(0.0, "m/s", "amplitude of the belt's velocity"),
        v_period=(4.0, "s", "period of the belt's velocity"),
    )
    tip = (l * sin(phi), y - l * cos(phi))
    belt = v_belt + v_amplitude * sin(2 * pi * time / v_period)
    tip_speed_squared = (l * cos(phi) * dphi) ** 2 + (dy + l * sin(phi) * dphi) ** 2
    return Model.from_lagrangian(
        "wiper",
        coordinates=[phi, y],
        kinetic=m1 * tip_speed_squared / 2 + m2 * dy**2 / 2,
        potential=k_y * (y - y0) ** 2 / 2 + k_phi * (phi - phi0) ** 2 / 2 + m1 * g * tip[1] + m2 * g * y,
        forces={phi: -c_phi * dphi, y: -c_y * dy},
        contacts=[Contact("tip", gap=tip[1], slip=l * cos(phi) * dphi - belt, friction=mu, restitution=e)],
        period=v_period,
        start={phi: 0.39269908169872414, y: 1.0},
        drawing=[Ground(0), Segment((0, y), tip), Segment((0, y), (0, y + l / 2)), Point(tip, "tip"), Point((0, y))],
        description="A sprung bar whose end slides, sticks and hops on a moving belt: the windscreen wiper.",
        source="Lancioni, Lenci and Galvanetto, International Journal of Non-Linear Mechanics 44 (2009) 658-674",
    )
