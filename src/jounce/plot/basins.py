"""Basins of attraction: each start in the colour of the attractor it leads to."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from jounce.errors import OptionError
from jounce.model.expressions import value_at
from jounce.plot import style
from jounce.plot.drawn import drawn_from
from jounce.plot.labels import rounded_apart

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.analysis.attractors.basins import Basins

SHOWN = 8  # attractors with a colour of their own
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#666666")
OTHERS = "#D9D9D9"
LABEL_LENGTH = 60


@drawn_from("Basins")
def plot_basins(basins: Basins) -> Figure:
    """The basins over the two axes of the grid; section points of the attractors where they lie in that plane.

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> grid = {"y": [2.0, 6.4], "d_y": [0.0, 1.0]}
    >>> basins = jounce.basins(system, grid, "phase:0", omega=3.0, e=0.9)
    >>> jounce.plot.plot_basins(basins).savefig("basins.png")
    """
    from matplotlib.colors import ListedColormap

    if len(basins.axes) != 2:
        raise OptionError(f"basins over {len(basins.axes)} axes cannot be drawn; compute them over two")
    (x_name, x), (y_name, y) = basins.axes.items()
    table, index = basins.attractors, basins.index
    shown = min(len(table), SHOWN)
    colours = ListedColormap(["#FFFFFF", *COLOURS[:shown], OTHERS])
    cells = np.where(index < 0, 0, np.minimum(index, shown) + 1)
    figure = style.new_figure(8.6, 5.4)
    axes = figure.subplots()
    style.tidy(axes)
    axes.grid(visible=False)
    axes.pcolormesh(x, y, cells.T, cmap=colours, vmin=-0.5, vmax=shown + 1.5, shading="nearest", rasterized=True)
    if _plane_is_section(basins):
        for number in range(shown):
            points = basins.points[number]
            axes.plot(
                points[x_name], points[y_name], "o", markersize=5, color=COLOURS[number], markeredgecolor="black",
                markeredgewidth=0.9, linestyle="none", zorder=4,
            )  # fmt: skip
        axes.set_xlim(x.min(), x.max())
        axes.set_ylim(y.min(), y.max())
    units = {**basins.model.coordinates, **basins.model.velocity_units, "t": "s"}
    axes.set_xlabel(f"{style.label(x_name, units[x_name])} at the start", fontsize=10)
    axes.set_ylabel(f"{style.label(y_name, units[y_name])} at the start", fontsize=10)
    _draw_legend(figure, basins, shown, bool((index < 0).any()))
    fixed = ", ".join(f"{style.symbol(name)} = {value:g}" for name, value in basins.description["parameters"].items())
    figure.suptitle(f"{basins.model.name}{': ' if fixed else ''}{fixed}", fontsize=11, x=0.01, ha="left")
    return figure


def _plane_is_section(basins: Basins) -> bool:
    """Whether the starts lie at the phase of the section, so that its points belong into the picture."""
    if not basins.section.startswith("phase:") or "t" in basins.axes or len(basins.model.coordinates) > 1:
        return False
    values = basins.model.defaults | basins.description["parameters"]
    period = value_at(basins.model.period, dict(zip(basins.model.p, values.values(), strict=True)))
    fraction = float(basins.section.partition(":")[2])
    apart = (basins.description["base"]["t"] / period - fraction) % 1.0
    return math.isclose(min(apart, 1.0 - apart), 0.0, abs_tol=1e-9)


def _draw_legend(figure: Figure, basins: Basins, shown: int, impossible: bool) -> None:
    from matplotlib.patches import Patch

    table = basins.attractors
    entries = [Patch(color=COLOURS[k], label=text) for k, text in enumerate(_labels(basins, shown))]
    if len(table) > shown:
        rest = table["share"].iloc[shown:].sum()
        entries.append(Patch(color=OTHERS, label=f"{len(table) - shown} others ({rest:.1%})"))
    if impossible:
        entries.append(Patch(facecolor="#FFFFFF", edgecolor="#999999", label="inside a surface"))
    figure.legend(handles=entries, loc="outside lower left", fontsize=8, frameon=False, ncols=2)


def _labels(basins: Basins, shown: int) -> list[str]:
    """What each attractor is, with its share; those of the same words with where they are: ``rest, x ≈ 1 (50.0%)``."""
    table = basins.attractors
    texts = [_text(table.iloc[k]) for k in range(shown)]
    places = [""] * shown
    for text in set(texts):
        alike = [k for k in range(shown) if texts[k] == text and len(basins.points[k])]
        means = np.array([[basins.points[k][name].mean() for name in basins.axes] for k in alike])
        extents = [np.ptp(values) for values in basins.axes.values()]
        if len(alike) < 2 or not np.ptp(means, axis=0).any():
            continue
        best = int(np.argmax(np.ptp(means, axis=0) / extents))
        for k, mean in zip(alike, rounded_apart(means[:, best]).tolist(), strict=True):
            places[k] = f", {style.symbol(list(basins.axes)[best])} ≈ {mean:.9g}"
    shares = table["share"].tolist()
    return [f"{text}{place} ({share:.1%})" for text, place, share in zip(texts, places, shares, strict=False)]


def _text(row: object) -> str:
    """``period 3: table impact ×3``."""
    kind, period, signature = (getattr(row, name) for name in ("kind", "period", "signature"))
    text = f"period {period}: {signature}" if kind == "periodic" else f"{kind} {getattr(row, 'status', '')}".strip()
    if len(text) > LABEL_LENGTH:
        text = text[: LABEL_LENGTH - 1] + "…"
    return text
