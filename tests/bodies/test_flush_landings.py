"""Boxes that turn about a corner on the floor until a side lies on the floor and another one on a wall, at one instant.

The corner between both sides comes to the wall without a velocity, w (1 - cos phi), so that its time is known to the
square root of its error only, while the floor and the wall are struck at speed at the very same instant. Which of them
comes first is rounding, and the motions behind differ; whatever comes first, no corner may be inside.
"""

import numpy as np
import pytest

import jounce
from jounce import Body, Corners, Line, Model, contact_between, ground, parameters

WIDTH, HEIGHT, GRAVITY = 0.48655925, 0.27398936, 13.1276629


def box_beside_wall() -> Model:
    m, w, h, g, mu, e = parameters(m=(1.0, "kg"), w=(WIDTH, "m"), h=(HEIGHT, "m"), g=(GRAVITY, "m/s^2"), mu=0.9, e=0.25)
    box = Body("b", mass=m, inertia=m * (w**2 + h**2) / 12)
    outline = [(-w / 2, -h / 2), (w / 2, -h / 2), (w / 2, h / 2), (-w / 2, h / 2)]
    surface = {"friction": mu, "restitution": e}
    contacts = contact_between("floor", Corners(box, outline), Line(ground), **surface)
    contacts += contact_between("wall", Corners(box, outline), Line(ground, direction=(0, -1)), **surface)
    return Model.from_bodies(
        "box_beside_wall", bodies=[box], contacts=contacts, gravity=(0, -g), start={box.x: 1.0, box.y: 1.0}
    )


@pytest.fixture(scope="module")
def system():
    return jounce.compile_model(box_beside_wall(), bodies="tables")


@pytest.mark.parametrize("integrator", ["dop853", "dopri5", "taylor"])
@pytest.mark.parametrize("tilt", [0.013, 0.03, 0.21, 0.3, 0.4])
def test_no_corner_is_inside_where_floor_and_wall_are_met_at_once(system, tilt, integrator):
    for draw in range(24):
        random = np.random.default_rng([draw, int(1e3 * tilt)])
        aside = float(random.choice([0.0, 1e-15, 1e-13, 1e-11])) * float(random.choice([-1, 1]))
        options = jounce.Options(
            integrator=integrator,
            tolerance=float(10.0 ** random.uniform(-11.5, -8.5)),
            simultaneous=str(random.choice(["sequential", "joint"])),
            audit="dense",
        )
        # the right lower corner stands on the floor, one width away from the wall
        corner = np.array([WIDTH + aside, 0.0])
        turn = np.array([[np.cos(tilt), np.sin(tilt)], [-np.sin(tilt), np.cos(tilt)]])
        centre = corner - turn @ [WIDTH / 2, -HEIGHT / 2]
        start = system.state(b_x=centre[0], b_y=centre[1], b_theta=-tilt)
        run = jounce.simulate(system, start, 1.0, options=options)
        assert run.status.name in ("FINISHED", "AT_REST"), (draw, run.status)
        assert run.audit().empty, (draw, run.audit())
        # held at the wall, at the dead centre about the corner that sticks to the floor, it took 10,000 steps of 1e-9 s
        assert len(run.data.step_t) < 400
