"""The forces of the joints over time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from jounce.errors import OptionError, suggestion
from jounce.plot import style
from jounce.plot.drawn import drawn_from

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.simulation.trajectory import Trajectory


@drawn_from("Trajectory")
def plot_joint_forces(run: Trajectory, joints: Sequence[str] | None = None, *, samples: int = 1000) -> Figure:
    """One panel a joint: each of its forces, and for a pin the size of the force as well.

    joints: names of joints (``"crank_pin"``) or of equations (``"crank_pin.x"``); by default all joints.

    >>> crank = jounce.compile_model(jounce.systems.slider_crank())
    >>> run = jounce.simulate(crank, None, t_end=0.1)
    >>> jounce.plot.plot_joint_forces(run).savefig("forces.png")
    """
    times = np.linspace(run.t_start, run.t_end, samples)
    forces = run.joint_forces(times)
    groups = _groups([str(name) for name in forces.data_vars], joints)
    figure = style.new_figure(9.0, 1.5 * len(groups) + 0.8)
    panels = figure.subplots(len(groups), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (joint, names) in zip(panels, groups.items(), strict=True):
        style.tidy(axes)
        if [name.rpartition(".")[2] for name in names][:2] == ["x", "y"]:
            size = np.hypot(forces[names[0]], forces[names[1]])
            axes.fill_between(times, 0.0, size, color=style.GREY, alpha=0.25, linewidth=0, label="|F|")
        units = list(dict.fromkeys(forces[name].attrs["units"] for name in names))
        for k, name in enumerate(names):
            text = style.label(name.rpartition(".")[2], forces[name].attrs["units"] if len(units) > 1 else "")
            axes.plot(times, forces[name], color=style.LINES[k], linewidth=1.1, label=text)
        axes.set_ylabel(f"{joint}\n[{', '.join(units)}]" if any(units) else joint, fontsize=10)
        axes.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    panels[-1].set_xlabel("t [s]", fontsize=10)
    panels[-1].set_xlim(run.t_start, run.t_end if run.t_end > run.t_start else run.t_start + 1.0)
    figure.align_ylabels(list(panels))
    figure.suptitle(f"{run.model.name}: joint forces on the second body", fontsize=11, x=0.01, ha="left")
    return figure


def _groups(names: list[str], chosen: Sequence[str] | None) -> dict[str, list[str]]:
    """Joint -> its equations."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name.rpartition(".")[0] or name, []).append(name)
    if chosen is None:
        return groups
    picked: dict[str, list[str]] = {}
    for name in chosen:
        if name not in groups and name not in names:
            raise OptionError(f"no joint {name!r}; {suggestion(name, [*groups, *names], 'joints')}")
        picked[name] = groups.get(name, [name])
    return picked
