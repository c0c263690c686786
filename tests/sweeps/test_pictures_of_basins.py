"""The legend of a picture of basins: attractors of the same words are told apart by where they are."""

from __future__ import annotations

import numpy as np
import pytest

import jounce


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e4])
def test_two_places_of_rest_have_names_of_their_own(unit: float) -> None:
    """A mass between two wells, x = -1 and x = 1 m: the basins are images of each other."""
    x, dx = jounce.coordinate("x", "m")
    force = x - x**3 * unit**2 - dx / 4
    ends = {"left": x + 2 / unit, "right": 2 / unit - x}
    walls = [jounce.Contact(name, gap=gap, restitution=0.7) for name, gap in ends.items()]
    model = jounce.Model("wells", [x], [1], [force], contacts=walls, start={x: 1.5 / unit})
    grid = {"x": np.linspace(-1.9, 1.9, 8) / unit, "d_x": np.linspace(-1, 1, 8) / unit}
    basins = jounce.basins(jounce.compile_model(model), grid, "plane:d_x=0:-1", transient=50)
    index = basins.index.reshape(8, 8)
    np.testing.assert_array_equal(index[::-1, ::-1], 1 - index)
    (legend,) = jounce.plot.plot_basins(basins).legends
    texts = sorted(text.get_text() for text in legend.get_texts())
    assert texts == sorted(f"rest, x ≈ {sign / unit:.9g} (50.0%)" for sign in (1, -1))
