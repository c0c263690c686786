"""The derivatives of the flow by central differences of ``jounce.simulate``: the independent check of the variations.

Starts are moved along the constraints of the mode in which the motion starts, so the matrix is that of the flow on the
surface to which the mode confines it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import jounce
from jounce.analysis import variation
from jounce.analysis.orbits.mode_surface import ModeSurface
from jounce.compilation.state import State
from jounce.simulation.modes import mode_codes

#: Fourth-order central difference.
STENCIL = ((1, 2 / 3), (2, -1 / 12))


@dataclass(frozen=True, eq=False)
class DifferenceFlow:
    run: Any
    matrix: np.ndarray
    parameter_column: np.ndarray | None
    rate_start: np.ndarray
    rate_end: np.ndarray
    modes_start: np.ndarray
    modes_end: np.ndarray
    irregular: int = 0

    @property
    def final(self) -> State:
        return self.run.final


def flow(
    system: Any,
    start: State,
    duration: float,
    *,
    parameter: str | None = None,
    options: Any = None,
    step: float = 3e-4,
    **parameters: float,
) -> DifferenceFlow:
    p = system.parameters(**parameters)
    run = jounce.simulate(system, start, start.t + duration, options=options, **parameters)
    codes = [int(run.data.step_mode[0]), int(run.data.mode_final)]
    modes = [tuple(int(m) for m in mode_codes(code, system.nc)) for code in codes]
    fields = [ModeSurface(system, p, mode) for mode in modes]
    z0 = np.concatenate([start.q, start.u])
    n = system.n

    def end(z: np.ndarray, chosen: dict[str, float]) -> np.ndarray:
        field = ModeSurface(system, system.parameters(**chosen), modes[0])
        z = field.project(start.t, z)
        state = State(start.t, z[:n], z[n:], system.coordinate_names)
        quiet = {} if options is None else {"options": options}
        final = jounce.simulate(system, state, start.t + duration, **quiet, **chosen).final
        return np.concatenate([final.q, final.u])

    basis = fields[0].tangent_basis(start.t, z0)
    columns = []
    for direction in basis.T:
        h = step * (1.0 + np.abs(z0 @ np.abs(direction)))
        total = sum(
            weight * (end(z0 + k * h * direction, parameters) - end(z0 - k * h * direction, parameters)) / h
            for k, weight in STENCIL
        )
        columns.append(total)
    matrix = np.array(columns).T @ basis.T if columns else np.zeros((2 * n, 2 * n))
    column = None
    if parameter is not None:
        value = float(p[system.parameter_names.index(parameter)])
        h = step * (1.0 + abs(value))
        column = sum(
            weight
            * (end(z0, {**parameters, parameter: value + k * h}) - end(z0, {**parameters, parameter: value - k * h}))
            / h
            for k, weight in STENCIL
        )
    return DifferenceFlow(
        run,
        matrix,
        column,
        variation.rate(system, start, np.array(modes[0], dtype=np.int64), p),
        variation.rate(system, run.final, np.array(modes[1], dtype=np.int64), p),
        np.array(modes[0]),
        np.array(modes[1]),
    )
