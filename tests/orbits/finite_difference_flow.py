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
from jounce.analysis.orbits.signature import signature_of
from jounce.compilation.state import State
from jounce.errors import SimulationError
from jounce.simulation.modes import mode_codes

#: Fourth-order central difference.
STENCIL = ((1, 2 / 3), (2, -1 / 12))


#: Two differences with different steps agree to this.
AGREE = 2e-7


class NotSmooth(Exception):  # noqa: N818 - a finding, not a failure
    """The motion changes its signature so near that no difference can be taken."""


@dataclass(frozen=True, eq=False)
class DifferenceFlow:
    run: Any
    matrix: np.ndarray
    parameter_column: np.ndarray | None
    rate_start: np.ndarray
    rate_end: np.ndarray
    modes_start: np.ndarray
    modes_end: np.ndarray
    basis: np.ndarray  # the directions in which the start may move

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

    kind = signature_of(run)

    def end(z: np.ndarray, chosen: dict[str, float]) -> np.ndarray:
        field = ModeSurface(system, system.parameters(**chosen), modes[0])
        z = field.project(start.t, z)
        state = State(start.t, z[:n], z[n:], system.coordinate_names)
        quiet = {} if options is None else {"options": options}
        try:
            other = jounce.simulate(system, state, start.t + duration, **quiet, **chosen)
        except SimulationError:  # the shift reaches through a surface
            raise NotSmooth from None
        if signature_of(other) != kind:
            raise NotSmooth
        return np.concatenate([other.final.q, other.final.u])

    def derivative(shifted: Any, h: float) -> np.ndarray:
        """Central differences with shorter and shorter steps, until two of them agree."""
        before = None
        for _ in range(7):
            try:
                now = sum(weight * (shifted(k * h) - shifted(-k * h)) / h for k, weight in STENCIL)
            except NotSmooth:
                now = None
            settled = now is not None and before is not None
            if settled and np.abs(now - before).max() < AGREE * max(1.0, np.abs(now).max()):
                return now
            before, h = now, h / 4.0
        raise NotSmooth

    basis = fields[0].tangent_basis(start.t, z0)
    columns = [
        derivative(lambda h, along=along: end(z0 + h * along, parameters), step * (1.0 + np.abs(z0) @ np.abs(along)))
        for along in basis.T
    ]
    matrix = np.array(columns).T @ basis.T if columns else np.zeros((2 * n, 2 * n))
    column = None
    if parameter is not None:
        value = float(p[system.parameter_names.index(parameter)])
        column = derivative(lambda h: end(z0, {**parameters, parameter: value + h}), step * (1.0 + abs(value)))
    return DifferenceFlow(
        run,
        matrix,
        column,
        variation.rate(system, start, np.array(modes[0], dtype=np.int64), p),
        variation.rate(system, run.final, np.array(modes[1], dtype=np.int64), p),
        np.array(modes[0]),
        np.array(modes[1]),
        basis,
    )
