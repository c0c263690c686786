"""How Lyapunov exponents settle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.plot import style
from jounce.plot.drawn import drawn_from

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.analysis.stability.lyapunov import LyapunovSpectrum

_COLOURS = (style.RED, style.BLUE, "#009E73", "#E69F00", "#CC79A7", "#56B4E9")


@drawn_from("LyapunovSpectrum")
def plot_lyapunov(spectrum: LyapunovSpectrum, title: str = "") -> Figure:
    """The running mean of every finite exponent over the time of averaging.

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> spectrum = jounce.lyapunov(system, {"y": 1.86, "d_y": -7.2}, 50.0, omega=4.13, e=0.5)
    >>> jounce.plot.plot_lyapunov(spectrum).savefig("exponents.png")
    """
    figure = style.new_figure(8.0, 4.2)
    axes = figure.subplots()
    style.tidy(axes)
    axes.axhline(0.0, color=style.INK, linewidth=0.8)
    for k, value in enumerate(spectrum.exponents):
        if np.isfinite(value):
            label = f"$\\lambda_{{{k + 1}}}$ = {value:.4g} ± {spectrum.spread[k]:.1g} /s"
            axes.plot(spectrum.times, spectrum.history[:, k], color=_COLOURS[k % 6], linewidth=1.2, label=label)
        else:
            axes.plot([], [], color=_COLOURS[k % 6], label=f"$\\lambda_{{{k + 1}}}$ = −∞: contracted to nothing")
    axes.set_xlim(0.0, spectrum.times[-1])
    axes.set_xlabel("time of averaging [s]", fontsize=10)
    axes.set_ylabel("exponent [1/s]", fontsize=10)
    axes.legend(loc="best", fontsize=9, frameon=False)
    settled = spectrum.history[len(spectrum.times) // 20 :]
    finite = settled[np.isfinite(settled)]
    if finite.size:
        low, high = min(finite.min(), 0.0), max(finite.max(), 0.0)
        margin = 0.1 * (high - low) or 1.0
        axes.set_ylim(low - margin, high + margin)
    figure.suptitle(title or "Lyapunov exponents", fontsize=11, x=0.01, ha="left")
    return figure
