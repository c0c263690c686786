"""What a film shows beside the motion: units, the size of the stage, solid ground, which contacts have dots, rows."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce import Body, CircleOn, Contact, Corners, Ground, Line, Model, Point, Polygon, contact_between, coordinate
from jounce.plot.animation import _Stage
from jounce.plot.artists import body_colours


def stage_of(run: jounce.Trajectory) -> _Stage:
    return _Stage(run, np.linspace(run.t_start, run.t_end, 3), 1.0, 0.1, 400)


def falling(unit: str, size: float, *shapes: object) -> jounce.Trajectory:
    """A point that falls by half its height, in any unit."""
    y, _ = coordinate("y", unit)
    drawing = [*shapes, Point((0, y))]
    model = Model("point", [y], [1], [-size], contacts=[Contact("floor", gap=y)], drawing=drawing, start={y: size})
    return jounce.simulate(model, None, 1.0)


@pytest.mark.parametrize("unit", ["m", "mm"])
def test_axes_have_the_unit_of_the_model(unit):
    axes = stage_of(falling(unit, 1.0)).axes
    assert (axes.get_xlabel(), axes.get_ylabel()) == (f"[{unit}]", f"[{unit}]")


@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_the_stage_is_as_large_as_the_motion(size):
    low, high = stage_of(falling("m", size, Ground(0))).axes.get_ylim()
    assert high - low == pytest.approx(1.15 * size, rel=1e-9)


def test_each_frame_has_a_time_of_its_own():
    run = falling("m", 1.0)
    stage = _Stage(run, np.array([0.0, 2e-7, 4e-7]), 1e-6, 0.1, 400)
    assert len({stage._time(k) for k in range(3)}) == 3


def test_ground_that_overlaps_has_one_border():
    """Two blocks of the ground, one in front of the other: no line where they overlap."""
    blocks = [Polygon([(-3, 0), (x, 0), (x, y), (-3, y)], body="ground") for x, y in ((1, 2), (3, 1))]
    run = falling("m", 3.0, *blocks)
    stage = stage_of(run)
    picture = np.asarray(stage.draw(0)).astype(int).sum(axis=2)

    def darkest(x: float, y: float) -> int:
        """Around a point of the plane."""
        column, row = (round(float(part)) for part in stage.axes.transData.transform((x, y)))
        row = picture.shape[0] - row
        return int(picture[row - 2 : row + 3, column - 2 : column + 3].min())

    ground = 3 * 0xDD
    assert darkest(2.0, 1.0) < ground - 100, "the tread of the lower block"
    assert darkest(1.0, 1.5) < ground - 100, "the riser between the two"
    assert darkest(0.0, 1.0) == ground, "inside the upper one"
    assert darkest(1.0, 0.5) == ground, "inside the lower one"


@pytest.fixture(scope="module")
def crowd() -> jounce.Trajectory:
    """Fourteen discs in the air; the first one lands."""
    discs = [Body(f"disc{k}", 1.0, 0.1, center=(3.0 * k, 1.2 if k == 0 else 50.0)) for k in range(14)]
    floor = Line(jounce.ground, (0, 0), (1, 0))
    touches = [contact_between(f"c{k}", CircleOn(disc, (0, 0), 1.0), floor) for k, disc in enumerate(discs)]
    return jounce.simulate(Model.from_bodies("crowd", bodies=discs, contacts=touches, gravity=9.81), None, 0.5)


def test_of_many_contacts_those_that_touch_are_shown(crowd):
    strip = jounce.plot.plot_time_history(crowd, ["disc0_y"]).axes[-1]
    assert [label.get_text() for label in strip.get_yticklabels()] == ["c0"]
    dots = [artists for artists, _ in stage_of(crowd).movers if artists[-1].get_zorder() >= 5]
    assert len(dots) == 1


def test_few_contacts_are_all_shown():
    box = Body("box", 1.0, 0.1, center=(0, 5.0))
    corners = Corners(box, [(-1, -1), (1, -1), (1, 1), (-1, 1)])
    touches = contact_between("floor", corners, Line(jounce.ground, (0, 0), (1, 0)))
    run = jounce.simulate(Model.from_bodies("box", bodies=[box], contacts=touches, gravity=9.81), None, 0.2)
    strip = jounce.plot.plot_time_history(run, ["box_y"]).axes[-1]
    assert len(strip.get_yticklabels()) == 4


def test_bodies_that_are_too_many_for_colours_have_one(crowd):
    colours = body_colours(crowd.model)
    assert len({colour for name, colour in colours.items() if name != "ground"}) == 1
