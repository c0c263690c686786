"""The restitution that laws of compliant contact give against the one asked for."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.impacts.restitution import achieved_restitution, damping_ratio, exact_restitution
from jounce.model.compliance import (
    ComplianceLaw,
    Flores2011,
    Hertz,
    HuntCrossley,
    KelvinVoigt,
    LankaraniNikravesh,
    Maxwell,
    StandardLinearSolid,
)
from jounce.plot import style
from jounce.simulation.options import check_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STIFFNESS = 1.0e6  # of a mass of 1 kg at 1 m/s: no restitution here depends on them


def laws_asked(asked: float) -> dict[str, ComplianceLaw]:
    """Every law, asked for a restitution: by its own factor, or by the damping ratio of half an oscillation."""
    zeta = damping_ratio(asked)
    beside, in_a_row = 2 * zeta * math.sqrt(_STIFFNESS), math.sqrt(_STIFFNESS) / (2 * zeta) if zeta else math.inf
    laws: dict[str, ComplianceLaw] = {
        "Hertz": Hertz(_STIFFNESS),
        "Hunt-Crossley": HuntCrossley(_STIFFNESS),
        "Lankarani-Nikravesh": LankaraniNikravesh(_STIFFNESS),
        "Flores 2011": Flores2011(_STIFFNESS),
        "Kelvin-Voigt": KelvinVoigt(_STIFFNESS, beside),
        "Kelvin-Voigt, adhesive": KelvinVoigt(_STIFFNESS, beside, adhesive=True),
    }
    if math.isfinite(in_a_row):
        laws["Maxwell"] = Maxwell(_STIFFNESS, in_a_row)
        laws["standard linear solid"] = StandardLinearSolid(_STIFFNESS / 2, _STIFFNESS / 2, in_a_row)
    return laws


def plot_restitution(points: int = 13) -> Figure:
    """Asked against achieved for every law: dots are simulated, lines the closed forms.

    >>> jounce.plot.plot_restitution(points=3).savefig("restitution.png")
    """
    asked = np.linspace(0.05, 0.98, check_whole("points", points, 2, 1000))
    figure = style.new_figure(9.6, 4.8)
    left, right = figure.subplots(1, 2, sharey=True)
    groups = (
        (left, ("Hertz", "Hunt-Crossley", "Lankarani-Nikravesh", "Flores 2011"), "asked by the law's own factor"),
        (right, ("Kelvin-Voigt", "Kelvin-Voigt, adhesive", "Maxwell", "standard linear solid"), "asked by ζ(e)"),
    )
    for axes, names, title in groups:
        style.tidy(axes)
        axes.plot([0, 1], [0, 1], color=style.GREY, linewidth=0.8, linestyle="--")
        for name, colour in zip(names, style.LINES, strict=False):
            _draw(axes, name, asked, colour)
        axes.set_xlabel("restitution asked for", fontsize=10)
        axes.set_title(title, fontsize=10, loc="left")
        axes.legend(fontsize=8, frameon=False, loc="lower right")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1.03)
    left.set_ylabel("restitution achieved", fontsize=10)
    return figure


def _draw(axes: Axes, name: str, asked: np.ndarray, colour: str) -> None:
    simulated = [achieved_restitution(laws_asked(float(e))[name], float(e)) for e in asked]
    axes.plot(asked, simulated, "o", color=colour, markersize=3.5, label=name)
    if name == "standard linear solid":
        axes.plot(asked, simulated, color=colour, linewidth=0.6, linestyle=":")
        return
    fine = np.linspace(0.01, 0.999, 200)
    axes.plot(
        fine, [exact_restitution(laws_asked(float(e))[name], float(e)) for e in fine], color=colour, linewidth=1.0
    )
