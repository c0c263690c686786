"""The modes of the scalar contact problem over two state variables, for both directions of slip."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from jounce.analysis.painleve.closing import close_grid, grid_rows, make_axes, make_closure, reachable
from jounce.analysis.painleve.scalar_problem import Array, ScalarMode, check_slip, classify, evaluate_rows, make_problem
from jounce.errors import OptionError
from jounce.simulation.options import check_callable
from jounce.system import State, System
from jounce.system.inputs import beside_parameters


@dataclass(frozen=True)
class ModeMap:
    """A and B over a grid; arrays have the shape (points along the first name, points along the second).

    A and the modes exist for each direction of slip: ``A[+1]``, ``modes[-1]``; B does not depend on it. States that
    closed contact cannot reach are NaN in A and B and UNREACHABLE in the modes.

    >>> system = jounce.compile_model(jounce.systems.manipulator())
    >>> over = {"theta1": (-0.8, 0.8), "d_theta1": (-3, 3)}
    >>> found = jounce.painleve.mode_map(system, over, points=20, v_t=0.0, mu=0.8)
    >>> found.names, found.units
    (('theta1', 'd_theta1'), ('rad', 'rad/s'))
    """

    names: tuple[str, str]
    values: tuple[Array, Array]
    contact: str
    A: dict[int, Array]
    B: Array
    modes: dict[int, NDArray[np.int8]]
    slip_velocity: Array
    q: Array
    u: Array
    units: tuple[str, str]

    @property
    def own_modes(self) -> NDArray[np.int8]:
        """The modes with each state's own direction of slip (at zero slip velocity: unreachable)."""
        own = np.where(self.slip_velocity > 0.0, self.modes[1], self.modes[-1])
        return np.where(self.slip_velocity == 0.0, np.int8(ScalarMode.UNREACHABLE), own)

    def fractions(self, slip: int | None = None) -> dict[ScalarMode, float]:
        """The part of the reachable area that each mode takes, for one direction of slip or (None) each state's own."""
        modes = self.own_modes if slip is None else self.modes[check_slip(slip)]
        weights = np.outer(*(_widths(values) for values in self.values))
        total = float(weights[modes != ScalarMode.UNREACHABLE].sum())
        if total == 0.0:
            raise OptionError(
                "no state of this map is reachable in closed contact; change the ranges or the base state"
            )
        return {mode: float(weights[modes == mode].sum()) / total for mode in ScalarMode if mode}


@beside_parameters
def mode_map(
    system: System,
    over: Mapping[str, Any],
    contact: str | None = None,
    *,
    state: State | None = None,
    points: int = 400,
    solve_for: Sequence[str] | str | None = None,
    modes: Mapping[str, str] | None = None,
    progress: Callable[[float], None] | None = None,
    **parameters: float | str,
) -> ModeMap:
    """Map the modes of a closed contact over two state variables (Liu, Zhao & Chen, Figs 3, 5, 6).

    over       two names with ranges (low, high), or with arrays of values: {"theta1": (-0.8, 0.8), "d_theta1": (-3, 3)}
    state      everything else, and the branch: coordinates that follow from the contact start from their values here
    solve_for  the coordinates that follow; None: those that matter most for the gap
    modes      other contacts that are closed, e.g. {"P2": "STICK"}
    progress   called with the share of the configurations that is closed; what it raises ends the work

    >>> system = jounce.compile_model(jounce.systems.manipulator())
    >>> over = {"theta1": (-0.8, 0.8), "d_theta1": (-3, 3)}
    >>> jounce.painleve.mode_map(system, over, points=20, v_t=0.0, mu=0.8).A[1].shape
    (20, 20)
    """
    check_callable("progress", progress)
    problem = make_problem(system, contact, modes, parameters)
    axes = make_axes(system, over, points, (2,))
    t, q, u = close_grid(make_closure(problem, state, axes, solve_for), axes, progress)
    motion = evaluate_rows(problem, *grid_rows(t, q, u))
    shape = t.shape
    A = {slip: motion.A(slip).reshape(shape) for slip in (1, -1)}
    B = motion.B.reshape(shape)
    if not reachable(q).any():
        raise OptionError("no state of this map is reachable in closed contact; change the ranges or the base state")
    return ModeMap(
        names=(axes[0].name, axes[1].name),
        values=(axes[0].values, axes[1].values),
        contact=system.contact_names[problem.contact],
        A=A,
        B=B,
        modes={slip: classify(A[slip], B) for slip in A},
        slip_velocity=motion.slip_velocity.reshape(shape),
        q=q,
        u=u,
        units=(system.model.units[axes[0].name], system.model.units[axes[1].name]),
    )


def _widths(values: Array) -> Array:
    """Trapezoidal weights: each value stands for half the way to its neighbours."""
    edges = np.concatenate([values[:1], (values[1:] + values[:-1]) / 2, values[-1:]])
    return np.diff(edges)
