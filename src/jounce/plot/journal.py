"""The journal's centre in its bearing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.impacts.contact_periods import contact_offset
from jounce.plot import style
from jounce.plot.drawn import drawn_from
from jounce.simulation.energy import model_function, parameters_at

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.simulation.trajectory import Trajectory


@drawn_from("Trajectory")
def plot_journal_orbit(run: Trajectory, joint: str, *, t_from: float | None = None) -> Figure:
    """Where the journal of a clearance joint goes, a point for each step, and the circle of the clearance.

    t_from   leave out what comes before. Steps are short where the contact is pressed, so dense points are contact;
             pressed in a compliant joint they lie outside the circle.

    >>> crank = jounce.compile_model(jounce.systems.slider_crank("compliant"))
    >>> run = jounce.simulate(crank, None, t_end=0.01)
    >>> jounce.plot.plot_journal_orbit(run, "crank_pin").savefig("journal.png")
    """
    begin = run.t_start if t_from is None else t_from
    times = run.data.step_t[run.data.step_t >= begin]
    offset = 1e3 * contact_offset(run, joint, times)
    clearance = 1e3 * _clearance(run, joint)
    figure = style.new_figure(5.2, 5.4)
    axes = figure.subplots()
    style.tidy(axes)
    axes.plot(*offset.T, "-", color=style.GREY, linewidth=0.3, zorder=1)
    axes.plot(*offset.T, ".", color=style.BLUE, markersize=1.5, label="journal's centre, one point a step")
    angle = np.linspace(0, 2 * np.pi, 400)
    axes.plot(clearance * np.cos(angle), clearance * np.sin(angle), color=style.INK, linewidth=0.9, label="clearance")
    axes.set_aspect("equal")
    axes.set_xlabel("x [mm]", fontsize=10)
    axes.set_ylabel("y [mm]", fontsize=10)
    axes.set_title(f"{joint}: the journal in its bearing, from t = {begin:.3g} s", fontsize=10, loc="left")
    figure.legend(loc="outside lower center", ncols=2, fontsize=9, frameon=False)
    return figure


def _clearance(run: Trajectory, joint: str) -> float:
    """c = 2 gap at the centre: the gap is (c^2 - e^2)/(2 c)."""
    entry = next(entry for entry in run.model.contacts if entry.name == joint)
    start = np.array([run.t_start])
    z, parameters = run.states(start), parameters_at(run.data, start)
    gap = float(model_function(run.model, entry.gap)(start, z, parameters)[0])
    e = float(np.hypot(*contact_offset(run, joint, start)[0]))
    return gap + float(np.hypot(gap, e))
