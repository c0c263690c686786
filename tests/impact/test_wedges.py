"""A roller that jams between a plate and an inclined stop: impulses that nearly cancel stop all of it, to rounding."""

from __future__ import annotations

import math
from functools import cache

import pytest
from sympy import cos, sin

import jounce
from jounce import Body, CircleOn, Line, Model, Translational, contact_between, ground, parameters
from tests.units.rescaling import Units

UNITS = [
    Units(),
    Units(1e3, 1e3, 1e3),
    Units(1e6, 1e6, 1e6),
    Units(1e-3, 1e-6),
    Units(1e-6, 1e-4, 1e-5),
    Units(3.0, 7.0, 11.0),
    Units(2.0**-20, 2.0**7, 2.0**30),
]


@cache
def clutch(units: Units) -> jounce.System:
    """A one-way clutch: the plate drags its roller into a wedge of the angle al."""
    al, mu = parameters(al=0.1, mu=0.2)
    r, mass = 0.01 * units.length, units.mass
    roller = Body("roller", mass=0.1 * mass, inertia=0.05 * mass * r * r, center=(0, r))
    plate = Body("plate", mass=2 * mass, inertia=1e-3 * mass * units.length**2, center=(0, 0))
    rim = CircleOn(roller, (0, 0), r)
    stop = Line(ground, (r * sin(al), r + r * cos(al)), (-cos(al), sin(al)))
    contacts = [
        contact_between("belt", rim, Line(plate, (0, 0), (1, 0)), friction=mu, restitution=0),
        contact_between("top", rim, stop, friction=mu, restitution=0),
    ]
    guide = Translational("guide", ground, plate)
    gravity = 9.81 * units.length / units.time**2
    model = Model.from_bodies("clutch", bodies=[roller, plate], joints=[guide], contacts=contacts, gravity=gravity)
    return jounce.compile_model(model)


@pytest.mark.parametrize("angle", [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.4])
def test_a_clutch_that_jams_is_at_rest_in_any_units(angle: float) -> None:
    """p_t = m v at the plate, and p_n = p_t/tan(al/2): to rounding, whatever the terms of the velocities are."""
    for units in UNITS:
        for excess in (1.02, 1.2, 3.0):
            speed = units.length / units.time
            run = jounce.simulate(
                clutch(units),
                {"plate_x": 0.0, "d_plate_x": speed},
                0.02 * units.time,
                al=angle,
                mu=excess * math.tan(angle / 2),
                options=jounce.Options(audit="dense"),
            )
            assert run.status.name == "AT_REST", (units, excess, run.status.message)
            for name in ("d_plate_x", "d_roller_x", "d_roller_y"):
                assert abs(run.final[name]) <= 1e-14 * speed, (units, excess, name)
            belt = run.events[run.events.contact == "belt"].iloc[0]
            momentum = units.mass * speed
            assert abs(belt.p_t) == pytest.approx(2 * momentum, rel=1e-13 / angle**2)
            assert belt.p_n == pytest.approx(2 * momentum / math.tan(angle / 2), rel=1e-13 / angle**2)
