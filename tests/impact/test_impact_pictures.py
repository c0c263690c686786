"""The pictures of impacts: what is drawn, not how it looks."""

from __future__ import annotations

import numpy as np
import pytest

from jounce.analysis.impacts.compare_laws import compare_laws
from jounce.analysis.impacts.impact import impact
from jounce.plot.impact import plot_impact_path, plot_law_comparison, save_impact_laws_picture
from jounce.simulation.law import Law

SLANTED = {"A": 1.45, "B": -1.08, "C": 3.55, "v_t": 0.5, "v_n": -1.0, "mu": 0.45, "e": 0.8}


@pytest.mark.parametrize("law", Law)
def test_path_ends_at_the_impulse(law):
    outcome = impact(law, **SLANTED)
    (axes,) = plot_impact_path(outcome).axes
    (end,) = [line for line in axes.lines if line.get_label() == "end"]
    assert end.get_xydata()[0] == pytest.approx((outcome.p_t, outcome.p_n), rel=1e-9)
    low, high = axes.get_xlim()
    assert low < outcome.p_t < high
    assert outcome.p_n < axes.get_ylim()[1]
    drawn = [line for line in axes.lines if line.get_linewidth() == 3.0]
    assert len(drawn) == len(outcome.phases)
    assert str(law) in axes.get_title(loc="left")


def test_frictionless_and_empty_paths_are_drawn():
    plot_impact_path(impact("energetic", **{**SLANTED, "mu": 0.0})).canvas.draw()
    plot_impact_path(impact("energetic", **{**SLANTED, "v_n": 0.0})).canvas.draw()


def test_comparison_draws_every_law_and_marks_added_energy():
    table = compare_laws("v_t", np.linspace(-0.5, 1.5, 201), **{k: v for k, v in SLANTED.items() if k != "v_t"})
    figure = plot_law_comparison(table, title="all laws")
    assert len(figure.axes) == 4
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels[: len(Law)] == [name.replace("_", " ") for name in Law.names()]
    assert table["added_energy"].any()
    assert "energy added" in labels


def test_a_steep_curve_is_whole_and_a_jump_is_open():
    """The energetic law is continuous, however coarse the sweep; Brach's jumps where the slip before is zero."""
    table = compare_laws("v_t", np.linspace(-3.0, 3.0, 61), **{**SLANTED, "v_t": 0.0})
    lines = {line.get_label(): line.get_ydata() for line in plot_law_comparison(table).axes[0].lines}
    for name, values in lines.items():
        rows = table[table["law"] == name.replace(" ", "_")]
        assert np.isfinite(values).sum() == len(rows), "no value is lost"
    heights = {line.get_label(): line.get_ydata() for line in plot_law_comparison(table).axes[1].lines}
    assert np.isfinite(heights["energetic"]).all()
    assert np.isfinite(heights["poisson"]).all()
    assert np.isnan(lines["brach"]).sum() == 1


def test_picture_of_the_documentation(tmp_path):
    file = save_impact_laws_picture(tmp_path / "laws.png")
    assert file.stat().st_size > 20_000
