"""Branches of orbits and equilibria: stable parts solid, unstable parts dashed, bifurcations marked and named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.orbits.bifurcations.test_functions import label_of
from jounce.analysis.variables import variable_names
from jounce.errors import OptionError, suggestion
from jounce.plot import style
from jounce.plot.drawn import check_kind
from jounce.plot.labels import NAMED, place_labels
from jounce.simulation.options import check_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from jounce.analysis.orbits.continuation.branch import Branch
    from jounce.system.system import System

#: Marks of the bifurcations with a name in every textbook; the others are changes of signature.
_MARKS = {
    "fold": "o",
    "period_doubling": "s",
    "period_halving": "s",
    "neimark_sacker": "^",
    "hopf": "D",
    "limit_point": "o",
    "branch_point": "P",
    "pitchfork": "P",
    "transcritical": "X",
}


def plot_branch(
    branches: Branch | Sequence[Branch], variable: str | None = None, *, names: Sequence[str] = (), mark: bool = True
) -> Figure:
    """A variable of one or more branches against their parameter.

    variable   a column of ``branch.table``: "y", "max_y", "min_d_phi", "period"; "abs_d_phi" is the largest modulus.
               Default: the largest value of the first coordinate, or its value at rest
    names      legend entries, one a branch
    mark       whether bifurcations are marked and named

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> orbit = jounce.find_orbit(system, {"t": 1.5, "y": 6.4}, omega=3.0, e=0.9)
    >>> branch = jounce.continue_orbit(orbit, "omega", (2.9, 3.3), step=0.1)
    >>> jounce.plot.plot_branch(branch, "y").savefig("branch.png")
    """
    chosen: list[Any] = list(branches) if isinstance(branches, list | tuple) else [branches]
    for branch in chosen:
        check_kind("plot_branch", branch, "Branch")
    names = check_names("names", names)
    if not isinstance(variable, str | None):
        raise OptionError(f"variable is {variable!r}; it must be a column of the branch, like 'max_y'")
    if not chosen or any(not branch.points for branch in chosen):
        raise OptionError("there is no branch to draw: it has no points")
    figure = style.new_figure(7.6, 5.0)
    axes = figure.subplots()
    style.tidy(axes)
    for k, branch in enumerate(chosen):
        draw_branch(axes, branch, variable, style.LINES[k % len(style.LINES)], names[k] if names else "", mark)
    _frame(figure, axes, chosen, variable)
    place_labels(axes)
    return figure


def draw_branch(
    axes: Axes, branch: Branch, variable: str | None, colour: str, name: str = "", mark: bool = True
) -> None:
    """One branch into given axes."""
    x, y, stable = branch.values, column(branch, variable), branch.stable
    for begin, end in _stretches(stable):
        axes.plot(
            x[begin : end + 1],
            y[begin : end + 1],
            color=colour,
            linewidth=1.5 if stable[begin] else 1.0,
            linestyle="-" if stable[begin] else (0, (4, 2)),
        )
    if name:
        axes.plot([], [], color=colour, linewidth=1.5, label=name)
    if mark:
        _mark(axes, branch, y, colour)


def check_variable(name: str | None, system: System, parameter: str, kind: str) -> None:
    """Refuse what no branch has, before one is followed: its columns, and the largest absolute values of orbits."""
    numbered = "multiplier_" if kind == "orbit" else "eigenvalue_"
    if name is None or (name.startswith(numbered) and name[len(numbered) :].isdigit()):
        return
    of_state = variable_names(system)
    extremes = [f"{side}_{variable}" for side in ("min", "max", "abs") for variable in of_state]
    valid = [parameter, "period", "stable", "signature", *of_state, *extremes]
    if name not in valid:
        raise OptionError(f"a branch has no variable {name!r}; {suggestion(name, valid, 'variables')}")


def column(branch: Branch, variable: str | None) -> np.ndarray:
    """The values to draw; of complex ones the absolute value."""
    name = variable or _default(branch)
    if name.startswith("abs_") and branch.kind == "equilibrium":
        return np.abs(np.asarray(branch.variable(name[4:]), dtype=float))
    if name.startswith("abs_"):
        low, high = (branch.variable(f"{side}_{name[4:]}") for side in ("min", "max"))
        return np.maximum(np.abs(low), np.abs(high))
    table = branch.table
    if branch.kind == "equilibrium" and name[:4] in ("max_", "min_") and name[4:] in table:
        name = name[4:]
    if name not in table:
        raise OptionError(f"the branch has no variable {name!r}; {suggestion(name, map(str, table), 'variables')}")
    values = table[name].to_numpy()
    return np.asarray(np.abs(values) if np.iscomplexobj(values) else values, dtype=float)


def _default(branch: Branch) -> str:
    first: str = branch.system.coordinate_names[0]
    return first if branch.kind == "equilibrium" else f"max_{first}"


def _stretches(stable: np.ndarray) -> list[tuple[int, int]]:
    """(first, last) of runs of equal stability; each reaches to the beginning of the next, so that no gap shows."""
    edges = np.flatnonzero(np.diff(stable.astype(int))) + 1
    begins = [0, *edges.tolist()]
    ends = [*edges.tolist(), len(stable) - 1]
    return list(zip(begins, ends, strict=True))


def _mark(axes: Axes, branch: Branch, y: np.ndarray, colour: str) -> None:
    """Marks at the bifurcations; they are labelled when all branches are drawn."""
    x = branch.values
    for special in branch.specials:
        index = min(max(special.index, 1), len(x) - 1)
        # between the two points it lies between, at its own parameter
        below, above = x[index - 1], x[index]
        share = 0.5 if above == below else float(np.clip((special.parameter - below) / (above - below), 0.0, 1.0))
        height = float(y[index - 1] + share * (y[index] - y[index - 1]))
        axes.plot(
            special.parameter, height, _MARKS.get(special.kind, "d"), color=colour, markersize=5,
            markeredgecolor="white", markeredgewidth=0.6, zorder=4, gid=NAMED + label_of(special.kind),
        )  # fmt: skip


def _frame(figure: Figure, axes: Axes, branches: Sequence[Branch], variable: str | None) -> None:
    first = branches[0]
    model = first.system.model
    units: dict[str, Any] = {**model.coordinates, **model.velocity_units, "period": "s"}
    name = variable or _default(first)
    words = {"max_": "largest ", "min_": "least ", "abs_": "largest modulus of "}
    prefix = next((word for key, word in words.items() if name.startswith(key)), "")
    bare = name[4:] if prefix else name
    if name.startswith(("multiplier_", "eigenvalue_")):
        prefix, bare = "modulus of ", name.replace("_", " ")
    axes.set_xlabel(style.label(first.parameter, model.parameters[first.parameter].unit), fontsize=10)
    axes.set_ylabel(prefix + style.label(bare, units.get(bare, "")), fontsize=10)
    axes.plot([], [], color=style.GREY, linewidth=1.5, label="stable")
    axes.plot([], [], color=style.GREY, linewidth=1.0, linestyle=(0, (4, 2)), label="unstable")
    figure.legend(loc="outside upper right", ncols=6, fontsize=9, frameon=False)
    figure.suptitle(model.name, fontsize=11, x=0.01, ha="left")
