"""The figures of Burns' thesis, chapter 3, from their captions."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from jounce.papers.burns_thesis.laws import (
    BRACH,
    ENERGETIC,
    ENERGY_FIGURES,
    SWEEP_FIGURES,
    energy_loss,
    inputs,
    ratios,
    sweep,
)
from jounce.papers.framework.portraits import finish, panels
from jounce.plot import style

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {BRACH: style.RED, ENERGETIC: style.BLUE}
LABELS = {BRACH: "Brach, extended", ENERGETIC: "energetic"}
BEFORE, AFTER = "slip before $V_{TC}^-$ [m/s]", "slip after $V_{TC}^+$ [m/s]"


@cache
def energy_figure(name: str) -> Figure:
    """The normalised loss of energy over the impulse ratio for e = 0, 0.5, 1 (Figs 3.3-3.5)."""
    shape = ENERGY_FIGURES[name]
    figure, (wide, near) = panels(2, 5.2, 4.2)
    limits = ((-shape.reach, shape.reach, *shape.height), shape.zoom)
    for axes, (left, right, low, high) in zip((wide, near), limits, strict=True):
        mu = np.linspace(left, right, 4001)
        for e, colour in zip((0.0, 0.5, 1.0), style.LINES, strict=False):
            loss = energy_loss(name, e, mu)
            axes.plot(mu, np.where(np.abs(loss) < 100, loss, np.nan), color=colour, linewidth=1.3, label=f"e = {e:g}")
        singular = ratios(name, 0.5)["s"]
        if left < singular < right:
            axes.axvline(singular, color=style.GREY, linestyle=":", linewidth=1.0, label="μ_s")
        _mark_ratios(axes, name, (left, right))
        axes.axhline(0.0, color=style.INK, linewidth=0.7)
        axes.set_xlim(left, right)
        axes.set_ylim(low, high)
    finish(figure, wide, "impulse ratio μ", "energy lost / energy before", f"Fig. {name}a")
    return finish(figure, near, "impulse ratio μ", "energy lost / energy before", f"Fig. {name}b")


def _mark_ratios(axes: Axes, name: str, reach: tuple[float, float]) -> None:
    """The zeros mu_E and the maximum mu_M of the curve of e = 0.5."""
    found = ratios(name, 0.5)
    for key, marker, text in (("E1", "o", "μ_E"), ("E2", "o", ""), ("M", "^", "μ_M")):
        mu = found[key]
        if reach[0] < mu < reach[1]:
            height = float(energy_loss(name, 0.5, np.array([mu]))[0])
            axes.plot(mu, height, marker, color=style.INK, markersize=5, label=f"{text} (e = 0.5)" if text else None)


@cache
def sweep_figure(name: str) -> Figure:
    """Slip after over slip before: Brach, energetic, both, and the ratio of Brach's law (Figs 3.8, 3.10, 3.11)."""
    reach = SWEEP_FIGURES[name].reach
    figure, axes = panels(4, 4.0, 3.8)
    tables = {law: sweep(name, law, *reach) for law in (BRACH, ENERGETIC)}
    for one, (law, table), letter in zip(axes, tables.items(), "ab", strict=False):
        _draw(one, table["v_t"], table["v_t_after"], law)
        finish(figure, one, BEFORE, AFTER, f"Fig. {name}{letter}")
    same = np.isclose(tables[BRACH]["v_t_after"], tables[ENERGETIC]["v_t_after"].to_numpy(), rtol=0, atol=1e-9)
    for law, table in tables.items():
        _draw(axes[2], table["v_t"], table["v_t_after"], law, linewidth=0.8)
    shared = np.where(same, tables[BRACH]["v_t_after"], np.nan)
    axes[2].plot(tables[BRACH]["v_t"], shared, color=style.INK, linewidth=2.2, label="equal")
    finish(figure, axes[2], BEFORE, AFTER, f"Fig. {name}c")
    table = tables[BRACH]
    sign = -np.sign(table["v_t"].to_numpy())
    _draw(axes[3], table["v_t"], sign * (table["p_t"] / table["p_n"]), BRACH)
    axes[3].axhline(inputs(name)["mu"], color=style.GREY, linewidth=0.8, linestyle=":", label="μ_f")
    return finish(
        figure, axes[3], BEFORE, "impulse ratio μ used", f"Fig. {name}d" if name == "3.8" else "the ratio of (a)"
    )


@cache
def centre_figure(name: str) -> Figure:
    """The tangential velocity of the centre of mass after over before (Fig. 3.9)."""
    shape = SWEEP_FIGURES[name]
    figure, axes = panels(2, 5.0, 3.8)
    for one, law, letter in zip(axes, (BRACH, ENERGETIC), "ab", strict=True):
        table = sweep(name, law, *shape.reach)
        before = table["v_t"] - np.sin(shape.theta) * shape.spin
        _draw(one, before, before + table["p_t"], law)
        finish(figure, one, "$V_T^-$ of the centre [m/s]", "$V_T^+$ of the centre [m/s]", f"Fig. 3.9{letter}")
    return figure


def _draw(axes: Axes, x: pd.Series, y: pd.Series, law: str, linewidth: float = 1.5) -> None:
    """A curve that is interrupted where it jumps."""
    values = y.to_numpy(dtype=float).copy()
    steps = np.abs(np.diff(values))
    values[1:][steps > 0.015 * np.ptp(values)] = np.nan
    axes.plot(x, values, color=COLOURS[law], linewidth=linewidth, label=LABELS[law])
