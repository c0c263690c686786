"""Machines with one of everything that tables hold."""

from __future__ import annotations

import sympy as sp

import jounce
from jounce import (
    Body,
    CircleOn,
    Corners,
    Damper,
    Driver,
    Edge,
    Force,
    Line,
    Model,
    PointOn,
    PolygonOn,
    Revolute,
    Rigid,
    Spring,
    Torque,
    TorsionSpring,
    Translational,
    contact_between,
    ground,
)

t = jounce.time


def shapes() -> Model:
    """Every pair of sides, at rest and moving, with parameters in most numbers."""
    m, g, mu, e, amplitude, omega, size, r = jounce.parameters(
        m=1.3, g=9.81, mu=0.3, e=0.4, amplitude=0.02, omega=7.0, size=0.6, r=0.11
    )
    box = Body("box", m, m * size**2 / 6, center=(0.0, 1.5), angle=0.2)
    disc = Body("disc", 0.7 * m, m * r**2 / 2, center=(1.5, 2.0))
    cage = Body("cage", 2.0, 0.3, center=(-3.0, 2.0), angle=0.1)
    square = [(-size / 2, -size / 2), (size / 2, -size / 2), (size / 2, size / 2), (-size / 2, size / 2)]
    outline, moving = (
        PolygonOn(box, square),
        Line(ground, (0, amplitude * sp.sin(omega * t)), (1, 0), speed=0.2 * omega),
    )
    rocking = Line(ground, (-5, 0), (sp.cos(0.1 * sp.sin(t)), sp.sin(0.1 * sp.sin(t))))
    ball = CircleOn(disc, (0.03, 0.0), r, spin=0.5 * t)
    growing = CircleOn(ground, (4 + 0.1 * sp.sin(t), 0.5), 0.3 + 0.02 * sp.cos(omega * t), spin=2.0)
    coefficients = {"friction": mu, "restitution": e}
    return Model.from_bodies(
        "shapes",
        bodies=[box, disc, cage],
        contacts=[
            contact_between("floor", Corners(box, square), moving, **coefficients),
            contact_between("rocker", PointOn(cage, (0.1, -0.2)), rocking, friction=0.5, static_friction=0.6),
            contact_between("ball", ball, moving, friction=0.2, restitution=0.5, tangential_restitution=0.1),
            contact_between("face", ball, outline, friction=mu),
            contact_between("wall", ball, Line(cage, (0.5, 0), (0, -1))),
            contact_between("step", ball, Edge(ground, (2.0, 0.4), (3.0, 0.3)), friction=mu),
            contact_between("lid", Corners(cage, [(0.2, 0.2)]), Edge(box, (-size, 1.0), (size, 1.0)), friction=0.1),
            contact_between("wheel", ball, growing, friction=0.4),
            contact_between(
                "hole", CircleOn(disc, (0, 0), 0.05), CircleOn(cage, (0, 0), 60 * r, inside=True), friction=mu
            ),
        ],
        gravity=g,
    )


def forces() -> Model:
    """Every joint and every force."""
    m, g, size, k, c, torque = jounce.parameters(m=1.0, g=9.81, size=0.5, k=80.0, c=0.7, torque=0.4)
    crank = Body("crank", m, m * size**2 / 12, center=(size / 2, 0), angle=0)
    rod = Body("rod", 2 * m, 0.1, center=(0.75, -0.2), angle=-0.4)
    slider = Body("slider", 0.5, 0.02, center=(0.9, -0.5), angle=0)
    weight = Body("weight", 0.4, 0.01, center=(-1.0, 0.5))
    arm = Body("arm", 0.6, 0.05, center=(-2.0, 1.0), angle=0.1)
    piston = Body("piston", 0.3, 0.01, center=(2.5, 1.0), angle=0)
    hanging = Body("hanging", 0.3, 0.02, center=(-3.0, 0.2))
    return Model.from_bodies(
        "forces",
        bodies=[crank, rod, slider, weight, arm, piston, hanging],
        joints=[
            Revolute("pin", ground, crank, at_second=(-size / 2, 0)),
            Revolute("knee", crank, rod, at_first=(size / 2, 0), at_second=(-size / 2, 0)),
            Rigid("weld", rod, slider, at_first=(0.4, 0.1), at_second=(0.05, 0), angle=0.3),
            Revolute("hinge", ground, arm, at_first=(-2.2, 1.0), at_second=(-0.2, 0)),
            Driver("motor", crank, arm, angle=0.1 + 0.3 * sp.sin(2 * t)),
            Translational("guide", ground, piston, at_first=(2, 1), axis=(1, sp.Rational(1, 2)), at_second=(0.1, 0)),
            Driver(
                "pump", ground, piston, length=0.5 + 0.1 * sp.sin(3 * t), axis=(1, sp.Rational(1, 2)), at_first=(2, 1)
            ),
            Driver("rope", weight, hanging, length=2.0 + 0.1 * t, at_first=(0.1, 0), at_second=(0, 0.1)),
        ],
        forces=[
            Spring(
                ground, weight, k, rest_length=size, damping=c, at_first=(-1 + 0.1 * sp.sin(t), 1), at_second=(0.05, 0)
            ),
            Spring(weight, slider, k / 10, at_first=(0.1, 0.1)),
            Damper(crank, weight, c, at_first=(0.1, 0)),
            TorsionSpring(crank, rod, 3.0, rest_angle=0.1 * sp.sin(t), damping=0.05),
            Force(rod, (0.3 * sp.cos(2 * t), -c * rod.d_y), at=(0.1, 0.0), follows=True),
            Force(weight, (sp.Max(weight.x, 0) ** 2, sp.Piecewise((1, weight.y > 0), (torque, True))), at=(0, 0.05)),
            Torque(arm, torque * sp.tanh(arm.d_theta), reaction=crank),
        ],
        gravity=(0.1, -g),
        guards={"high": weight.y - sp.sin(t) * slider.d_x},
    )
