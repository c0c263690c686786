"""The energy ledger over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jounce.plot import style
from jounce.plot.drawn import drawn_from
from jounce.plot.sampling import sample
from jounce.simulation.energy import parameters_at
from jounce.simulation.stored_energy import stored_energies

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.simulation.trajectory import Trajectory


_WORK = {
    "impact_loss": style.RED,
    "friction_loss": "#E69F00",
    "contact_loss": "#000000",
    "surface_work": "#CC79A7",
    "applied_work": style.BLUE,
    "reset_work": "#882255",
}


@drawn_from("Trajectory")
def plot_energy(run: Trajectory) -> Figure:
    """Energies and cumulative work above, the residual of the ledger below.

    >>> ball = jounce.systems.bouncing_ball()
    >>> run = jounce.simulate(ball, {"y": 1.0}, t_end=1.0)
    >>> jounce.plot.plot_energy(run).savefig("energy.png")
    """
    ledger = run.energy
    time = ledger["time"].to_numpy()
    figure = style.new_figure(9.0, 5.6)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[3.2, 1])
    for axes in (upper, lower):
        style.tidy(axes)
    dense, kinetic, potential = _stored_energy(run)
    upper.plot(dense, kinetic, color="#56B4E9", linewidth=0.8, label="kinetic")
    upper.plot(dense, potential, color="#009E73", linewidth=0.8, label="potential")
    upper.plot(dense, kinetic + potential, color=style.INK, linewidth=1.4, label="kinetic + potential")
    if np.any(ledger["elastic"].to_numpy()):
        upper.plot(time, ledger["elastic"].to_numpy(), color="#F0E442", linewidth=1.4, label="elastic")
    for name, colour in _WORK.items():
        values = ledger[name].to_numpy()
        if np.any(values != values[0]):
            upper.plot(time, values, color=colour, linewidth=1.4, label=name.replace("_", " "))
    unit = run.model.energy_unit
    upper.set_ylabel(style.label("energy", unit), fontsize=10)
    lower.plot(time, ledger["residual"].to_numpy(), color=style.INK, linewidth=0.8)
    lower.set_ylabel(style.label("residual", unit), fontsize=10)
    lower.set_xlabel("t [s]", fontsize=10)
    if run.t_end > run.t_start:
        lower.set_xlim(run.t_start, run.t_end)
    figure.align_ylabels([upper, lower])
    figure.legend(loc="outside lower center", ncols=7, fontsize=9, frameon=False)
    figure.suptitle(f"{run.model.name}: energy", fontsize=11, x=0.01, ha="left")
    return figure


def _stored_energy(run: Trajectory) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Times, T and V, finely sampled where the run keeps its motion: a step is too long for a straight line."""
    if len(run.data.step_t) == 0:
        ledger = run.energy
        return ledger["time"].to_numpy(), ledger["kinetic"].to_numpy(), ledger["potential"].to_numpy()
    times, states = sample(run)
    parameters = parameters_at(run.data, times)
    kinetic, potential = stored_energies(run.system)(times, states, parameters)[:, :2].T
    return times, kinetic, potential
