"""Lancioni et al. (2009), Figs 2, 6, 10 and 13a by continuation: the branches, stable or not, and what joins them.

The paper's diagrams show what simulations settle on. Here equilibria are followed through their Hopf points, the cycles
that begin there through folds and through every change of their signature, and attractors that no cycle leads to are
found by simulation and followed too.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.orbits.continuation.branch import Branch
from jounce.analysis.orbits.continuation.continue_orbit import continue_orbit
from jounce.analysis.orbits.continuation.switching import switch_branch
from jounce.analysis.orbits.equilibria.equilibrium import find_equilibrium
from jounce.analysis.orbits.equilibria.equilibrium_branch import continue_equilibrium
from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit, find_orbit
from jounce.errors import SimulationError
from jounce.papers.lancioni2009.motion import Attractor, wiper_system
from jounce.papers.lancioni2009.thresholds import SIMULATION_2
from jounce.plot import style
from jounce.plot.branch import draw_branch
from jounce.plot.labels import place_labels
from jounce.simulation.options import Options

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OPTIONS = Options(law="poisson_two_phase", tolerance=1e-12, chatter_speed=3e-7)


@dataclass(frozen=True)
class Diagram:
    """One of the paper's figures: what varies, where a sliding equilibrium is, where attractors are sought."""

    parameter: str
    bounds: tuple[float, float]
    rest: float
    seeds: tuple[float, ...]
    step: float
    restitutions: tuple[float, ...] = (0.2, 0.0)
    fixed: dict[str, Any] = field(default_factory=dict)


DIAGRAMS = {
    "2": Diagram("mu", (0.36, 0.66), 0.37, (0.45,), 0.005),
    "6": Diagram("phi0", (0.02, 0.6), 0.03, (0.15, 0.3, 0.4), 0.01, fixed={"mu": 0.4}),
    "10": Diagram("mu", (0.33, 0.5), 0.34, (0.4, 0.49), 0.004, fixed=dict(SIMULATION_2)),
    "13": Diagram("phi0", (0.18, 0.47), 0.2, (0.3,), 0.006, (0.2,), {"mu": 0.4, **SIMULATION_2}),
}


@cache
def branches(name: str) -> dict[str, list[Branch]]:
    """The branches of a figure: the equilibria, and for each restitution the orbits."""
    diagram = DIAGRAMS[name]
    values: dict[str, Any] = {**diagram.fixed, diagram.parameter: diagram.rest}
    rest = find_equilibrium(wiper_system(), "tip:SLIP+", **values)
    equilibria = continue_equilibrium(rest, diagram.parameter, diagram.bounds)
    found = {"equilibrium": [equilibria]}
    for e in diagram.restitutions:
        found[f"e = {e:g}"] = _orbits(diagram, equilibria, e)
    return found


def _orbits(diagram: Diagram, equilibria: Branch, e: float) -> list[Branch]:
    """The cycles from the Hopf points and from simulated attractors, each branch once."""
    known: list[Branch] = []
    for hopf in equilibria.find("hopf"):
        orbit = _with_restitution(switch_branch(equilibria, hopf, options=OPTIONS), e)
        _follow(diagram, orbit, known)
    for value in diagram.seeds:
        parameters = {**diagram.fixed, "e": e, diagram.parameter: value}
        state = Attractor(settle=60.0, **parameters).state
        try:
            orbit = find_orbit(wiper_system(), state, options=OPTIONS, **parameters)
        except SimulationError:
            continue  # it rests
        _follow(diagram, orbit, known)
    return known


def _with_restitution(orbit: Any, e: float) -> Any:
    """A cycle of pure slip has no impacts: restitution does not matter to it."""
    return find_orbit(wiper_system(), orbit.state, options=OPTIONS, **{**orbit.parameters, "e": e})


def _follow(diagram: Diagram, orbit: Any, known: list[Branch]) -> None:
    """The branch of an orbit, unless a branch already passes through it."""
    value = orbit.parameters[diagram.parameter]
    for branch in known:
        for other in branch.orbit_at(value):
            if isinstance(other, PeriodicOrbit) and abs(other.period - orbit.period) < 1e-6 * orbit.period:
                return
    known.append(continue_orbit(orbit, diagram.parameter, diagram.bounds, step=diagram.step))


def thresholds(name: str, kinds: tuple[str, ...] = ()) -> list[tuple[str, str, float]]:
    """(restitution or equilibrium, kind, value) of every bifurcation of a figure."""
    rows = [
        (key, special.kind, special.parameter)
        for key, found in branches(name).items()
        for branch in found
        for special in branch.specials
    ]
    return [row for row in rows if not kinds or row[1] in kinds]


def draw(name: str) -> Figure:
    """The largest |phi'| against the parameter, with the parts that do not attract."""
    diagram = DIAGRAMS[name]
    figure = style.new_figure(10.0, 6.0)
    axes = figure.subplots()
    style.tidy(axes)
    for k, (label, found) in enumerate(branches(name).items()):
        for j, branch in enumerate(found):
            draw_branch(axes, branch, "abs_d_phi", style.LINES[k], label if j == 0 else "", mark=True)
    axes.set_xlabel(style.symbol(diagram.parameter), fontsize=10)
    axes.set_ylabel("largest |dφ/dt| [rad/s]", fontsize=10)
    axes.plot([], [], color=style.GREY, linewidth=1.5, label="stable")
    axes.plot([], [], color=style.GREY, linewidth=1.0, linestyle=(0, (4, 2)), label="unstable")
    axes.set_xlim(*diagram.bounds)
    axes.set_ylim(bottom=-0.03)
    figure.legend(loc="outside upper right", ncols=5, fontsize=9, frameon=False)
    figure.suptitle(f"Fig. {name}", fontsize=11, x=0.01, ha="left")
    place_labels(axes)
    return figure


def nearest(name: str, kind: str, key: str, near: float) -> float:
    """The bifurcation of a kind nearest to a value."""
    values = [value for where, what, value in thresholds(name, (kind,)) if where == key]
    return float(min(values, key=lambda value: abs(value - near))) if values else float(np.nan)
