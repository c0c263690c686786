"""Machines draw themselves: every body, pin, spring and touching shape is where it should be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce import (
    Body,
    Circle,
    CircleOn,
    Coil,
    Corners,
    Ground,
    Line,
    Model,
    OptionError,
    Point,
    PointOn,
    Polygon,
    Revolute,
    Segment,
    SimulationError,
    Spring,
    contact_between,
    ground,
)


def swing() -> Model:
    """A link on a pin with a spring and a wheel that falls on a slope."""
    link = Body("link", 1.0, 0.1, center=(0.5, 0), angle=0)
    wheel = Body("wheel", 1.0, 0.02, center=(0.0, -0.4))
    return Model.from_bodies(
        "swing",
        bodies=[link, wheel],
        joints=[Revolute("pin", ground, link, (0, 0), (-0.5, 0))],
        forces=[Spring(ground, link, 40.0, 0.5, at_first=(1.0, 0.8), at_second=(0.5, 0))],
        contacts=[
            contact_between(
                "slope", CircleOn(wheel, (0, 0), 0.2), Line(ground, (0, -1), (1, -0.2)), friction=0.4, restitution=0.3
            )
        ],
        gravity=9.81,
    )


def test_drawing_has_every_part() -> None:
    kinds = [type(shape) for shape in swing().drawing]
    assert kinds.count(Ground) == 1
    assert kinds.count(Coil) == 1
    wheel = next(shape for shape in swing().drawing if isinstance(shape, Circle))
    assert wheel.body == "wheel"
    assert wheel.angle is not None
    assert any(isinstance(shape, Segment) and shape.body == "link" for shape in swing().drawing)
    points = [shape for shape in swing().drawing if isinstance(shape, Point)]
    assert [point.fixed for point in points] == [True, False]
    assert points[1].contact == "slope"


def test_a_link_reaches_the_point_that_touches() -> None:
    bar = Body("bar", 1.0, 1 / 12, center=(0.5, 0.5))
    machine = Model.from_bodies(
        "flap",
        bodies=[bar],
        joints=[Revolute("hinge", ground, bar, (0, 0.5), (-0.5, 0))],
        contacts=[contact_between("floor", PointOn(bar, (0.5, 0)), Line(ground))],
    )
    (link,) = (shape for shape in machine.drawing if isinstance(shape, Segment))
    pose = {symbol: machine.start.get(symbol.name, 0.0) for symbol in machine.q}
    at_start = [part.subs(pose) for part in (*link.start, *link.end)]
    assert [float(part) for part in at_start] == pytest.approx([0.0, 0.5, 1.0, 0.5])
    assert not any(isinstance(shape, Circle) for shape in machine.drawing)


def test_shapes_are_where_the_bodies_are() -> None:
    from jounce.plot.shapes import shape_frames

    system = jounce.compile_model(jounce.systems.quick_return("ideal"))
    run = jounce.simulate(system, system.state(), t_end=0.7)
    times = np.array([0.0, 0.35, 0.7])
    frames = shape_frames(run, times)
    pose = run.dataset(times)
    lever = next(item for item in frames if isinstance(item.shape, Segment) and item.shape.body == "lever")
    for k in range(3):
        c, s = np.cos(pose["lever_theta"].values[k]), np.sin(pose["lever_theta"].values[k])
        assert np.allclose(lever.values[k], [0, 0, 0.5 * c, 0.5 * s], atol=1e-12)
    block = next(item for item in frames if isinstance(item.shape, Polygon) and item.shape.body == "block")
    centre = block.values.reshape(3, 4, 2).mean(axis=1)
    assert np.allclose(centre, np.column_stack((pose["block_x"], pose["block_y"])), atol=1e-12)


def test_corners_share_one_floor_and_own_shapes_are_used() -> None:
    box = Body("box", 1, 1, center=(0, 2), shapes=[Polygon([(-1, -1), (1, -1), (1, 1), (-1, 1)])])
    model = Model.from_bodies(
        "box", bodies=[box], contacts=[contact_between("c", Corners(box, [(-1, -1), (1, -1)]), Line(ground))]
    )
    kinds = [type(shape) for shape in model.drawing]
    assert (kinds.count(Ground), kinds.count(Polygon), kinds.count(Point)) == (1, 1, 2)


def test_film_of_everything(tmp_path: Path) -> None:
    from PIL import Image

    system = jounce.compile_model(swing())
    run = jounce.simulate(system, system.state(), t_end=1.0)
    assert "impact" in set(run.events["kind"])
    jounce.plot.animate(run, tmp_path / "swing.gif", speed=0.5, max_frames=40)
    film = Image.open(tmp_path / "swing.gif")
    assert film.n_frames == 40
    first, last = (np.asarray(_frame(film, k), dtype=int) for k in (0, 39))
    assert np.abs(first - last).sum() > 0
    for bad in (0.0, -1.0, float("nan")):
        with pytest.raises(OptionError, match="it must be a positive number: 1 is real time"):
            jounce.plot.animate(run, tmp_path / "no.gif", speed=bad)


def _frame(film, k: int):
    film.seek(k)
    return film.convert("RGB")


def test_plot_of_joint_forces(tmp_path: Path) -> None:
    system = jounce.compile_model(swing())
    run = jounce.simulate(system, system.state(), t_end=0.5)
    figure = jounce.plot.plot_joint_forces(run)
    (axes,) = figure.axes
    assert axes.get_ylabel() == "pin\n[N]"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["|F|", "x", "y"]
    with pytest.raises(OptionError, match="no joint 'pon'; did you mean 'pin'"):
        jounce.plot.plot_joint_forces(run, ["pon"])
    ball = jounce.compile_model(jounce.systems.bouncing_ball())
    with pytest.raises(SimulationError, match="bouncing_ball has no joints"):
        jounce.simulate(ball, ball.state(), 0.1).joint_forces()


def test_machines_are_saved_and_loaded(tmp_path: Path) -> None:
    system = jounce.compile_model(swing())
    run = jounce.simulate(
        system,
        system.state(),
        t_end=0.5,
        options=jounce.Options(constraint_stabilisation="baumgarte", baumgarte=(9, 8)),
    )
    run.save(tmp_path / "run.nc")
    back = jounce.load(tmp_path / "run.nc")
    assert back.options == run.options
    assert np.array_equal(back.joint_forces([0.1, 0.2])["pin.x"], run.joint_forces([0.1, 0.2])["pin.x"])
    assert back.model.drawing == run.model.drawing


def test_sizes_know_every_parameter() -> None:
    """A parameter that stands only in a spring's end, and a plain SymPy symbol for a length."""
    import sympy as sp

    anchor = jounce.parameter("anchor", 0.7, "m")
    length = sp.Symbol("length")
    bob = Body("bob", 1.0, 0.1, angle=-1.0)
    model = Model.from_bodies(
        "plain",
        bodies=[bob],
        joints=[Revolute("pin", ground, bob, (0, 0), (-length, 0))],
        forces=[Spring(ground, bob, 10.0, at_first=(anchor, 0))],
        parameters={"length": 0.4},
    )
    assert set(model.parameters) == {"anchor", "length"}
    assert model.start["bob_x"] == pytest.approx(0.4 * np.cos(-1.0), abs=1e-12)
