"""One look for every figure: small, light, safe for colour-blind readers (the palette of Okabe and Ito)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jounce.simulation.modes import Mode

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#222222"
BLUE = "#0072B2"
RED = "#D55E00"
GREY = "#999999"
LINES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")

#: Full colours for points, light ones for shading.
MODE_COLOURS = {
    Mode.OPEN: GREY,
    Mode.SLIP_POSITIVE: "#E69F00",
    Mode.SLIP_NEGATIVE: "#56B4E9",
    Mode.STICK: "#009E73",
    Mode.PRESSED: "#CC79A7",
}
MODE_SHADES = {
    Mode.SLIP_POSITIVE: "#FBE6B8",
    Mode.SLIP_NEGATIVE: "#CFE8F8",
    Mode.STICK: "#B5E3D3",
    Mode.PRESSED: "#F0D9E6",
}


def new_figure(width: float = 8.0, height: float = 5.0) -> Figure:
    """An empty figure that belongs to no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained", dpi=130)
    FigureCanvasAgg(figure)
    return figure


def tidy(axes: Axes) -> None:
    """Thin frame, small ticks, a faint grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=9, length=3)
    axes.grid(color="#000000", alpha=0.08, linewidth=0.6)
    axes.set_axisbelow(True)


def label(name: str, unit: str) -> str:
    """``theta [rad]`` with Greek letters as such."""
    return f"{symbol(name)} [{unit}]" if unit else symbol(name)


_GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "theta": "θ", "phi": "φ", "psi": "ψ", "omega": "ω",
    "mu": "μ", "lambda": "λ", "nu": "ν",
}  # fmt: skip
#: A Greek letter's name that is not part of a longer word.
_GREEK_WORD = re.compile(rf"(?<![A-Za-z])({'|'.join(_GREEK)})(?![A-Za-z])")


def symbol(name: str) -> str:
    """A coordinate's or velocity's name for an axis: d_theta -> dθ/dt, phi1 -> φ1, d_wheel_theta -> d(wheel_θ)/dt."""
    if name.startswith("d_"):
        inner = symbol(name[2:])
        first = inner.split("_")[0]
        return f"d{inner}/dt" if len(first) < 2 or not first.isalpha() else f"d({inner})/dt"
    return _GREEK_WORD.sub(lambda found: _GREEK[found[0]], name)
