"""Pictures: made without a display, with the lines and points they promise."""

from __future__ import annotations

import pytest

import jounce
from jounce.analysis import painleve
from jounce.errors import OptionError
from jounce.plot.painleve import plot_critical_friction, plot_mode_map, save_painleve_picture

OVER = {"theta1": (-0.84, 0.84), "d_theta1": (-3.0, 3.0)}


@pytest.fixture(scope="module")
def system():
    return jounce.compile_model(jounce.systems.manipulator())


@pytest.fixture(scope="module")
def case(system):
    found = painleve.mode_map(system, OVER, points=61, v_t=0.0, mu=0.8)
    return found, painleve.singular_points(system, OVER, points=61, v_t=0.0, mu=0.8)


@pytest.mark.parametrize("slip", [None, 1, -1])
def test_mode_map(case, slip, tmp_path) -> None:
    found, points = case
    assert len(points) == 2
    figure = plot_mode_map(found, slip=slip, singular=points)
    (axes,) = figure.axes
    markers = [line for line in axes.get_lines() if line.get_marker() == "X"]
    assert [line.get_xdata()[0] for line in markers] == pytest.approx([p.state["theta1"] for p in points])
    words = {text.get_text() for text in axes.get_legend().get_texts()}
    assert {"sliding", "A = 0", "B = 0", "saddle"} <= words
    assert ("inconsistent" in words) == (slip != -1)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("θ1 [rad]", "dθ1/dt [rad/s]")
    figure.savefig(tmp_path / "map.png")


def test_critical_friction(system) -> None:
    found = painleve.minimal_critical_friction(system, {"theta1": (-0.84, 0.84)}, points=101)
    (axes,) = plot_critical_friction(found).axes
    curve, mark = axes.get_lines()
    assert len(curve.get_xdata()) == 101
    assert mark.get_ydata()[0] == found.mu
    rod = jounce.compile_model(jounce.systems.painleve_rod())
    plane = painleve.minimal_critical_friction(rod, {"theta": (0.2, 1.4), "x": (0.0, 1.0)}, "tip", points=11)
    with pytest.raises(OptionError, match="over one coordinate"):
        plot_critical_friction(plane)


def test_picture_of_the_documentation(tmp_path) -> None:
    assert save_painleve_picture(tmp_path / "painleve.png").stat().st_size > 20_000
