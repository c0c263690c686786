"""The derivative of the hybrid flow by differences of whole simulations: knows nothing of saltation.

Starts are moved along the constraints of the mode in which the motion starts, so the matrix is that of the flow on the
surface to which the mode confines it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import jounce
from jounce.analysis.orbits.solution.mode_surface import ModeSurface
from jounce.analysis.orbits.solution.signature import signature_of
from jounce.analysis.stability.variation import flow
from jounce.errors import SimulationError
from jounce.simulation.modes import mode_codes

#: Fourth-order central difference: f'(x) = sum w_k (f(x + k h) - f(x - k h)) / h.
STENCIL = ((1, 2 / 3), (2, -1 / 12))
#: Two differences with different steps agree to this; to SURE, no shorter one is tried.
AGREE = 2e-7
SURE = 2e-9
STEPS, SHORTER = 7, 4.0


class NotSmooth(Exception):  # noqa: N818 - a finding, not a failure
    """The motion changes its signature so near that no difference can be taken."""


@dataclass(frozen=True, eq=False)
class DifferenceFlow:
    """basis: the directions in which the start may move; columns: d z(T) along each of them."""

    run: Any
    basis: np.ndarray
    columns: np.ndarray
    parameter_column: np.ndarray | None


def difference_flow(
    system: Any,
    start: Any,
    duration: float,
    *,
    parameter: str | None = None,
    options: Any = None,
    step: float = 3e-4,
    **parameters: float,
) -> DifferenceFlow:
    """Central differences with shorter and shorter steps until two of them agree; ``step`` is the first one."""
    p, n, end = system.parameters(**parameters), system.n, start.t + duration
    run = jounce.simulate(system, start, end, options=options, **parameters)
    modes = tuple(int(m) for m in mode_codes(int(run.data.step_mode[0]), system.nc))
    z0, kind = np.concatenate([start.q, start.u]), _events(run)

    def arrive(z: np.ndarray, chosen: dict[str, float]) -> np.ndarray:
        z = ModeSurface(system, system.parameters(**chosen), modes).project(start.t, z)
        moved = jounce.State(start.t, z[:n], z[n:], system.coordinate_names)
        try:
            other = jounce.simulate(system, moved, end, options=options, **chosen)
        except SimulationError:  # the shift reaches through a surface
            raise NotSmooth from None
        if _events(other) != kind:
            raise NotSmooth
        return np.concatenate([other.final.q, other.final.u])

    basis = ModeSurface(system, p, modes).tangent_basis(start.t, z0, np.ones(2 * n))
    sizes = step * (1.0 + np.abs(z0) @ np.abs(basis))
    columns = [
        _derivative(lambda h, along=along: arrive(z0 + h * along, parameters), size)
        for along, size in zip(basis.T, sizes, strict=True)
    ]
    column = None
    if parameter is not None:
        value = float(p[system.parameter_names.index(parameter)])
        column = _derivative(lambda h: arrive(z0, {**parameters, parameter: value + h}), step * (1.0 + abs(value)))
    return DifferenceFlow(run, basis, np.array(columns).reshape(len(columns), 2 * n).T, column)


def check_derivative(
    system: Any,
    start: Any,
    duration: float,
    parameter: str,
    kinds: set[str],
    within: float = 2e-8,
    **parameters: float,
) -> None:
    """The derivative of a flow through events of some kinds agrees with differences, relative to its size.

    How a start off its constraints is brought back to them is a convention: compared are possible starts.
    """
    options = jounce.Options(tolerance=1e-12)
    ours = flow(system, start, duration, parameter=parameter, options=options, **parameters)
    theirs = difference_flow(system, start, duration, parameter=parameter, options=options, **parameters)
    assert kinds <= set(ours.run.events.kind.astype(str))
    assert ours.irregular == 0
    size = 1.0 + np.abs(ours.matrix).max()
    assert np.abs(ours.matrix @ theirs.basis - theirs.columns).max(initial=0.0) < within * size
    assert np.abs(ours.parameter_column - theirs.parameter_column).max() < within * size


def _events(run: Any) -> list[tuple[Any, ...]]:
    """What happens in a run; cases of an impact law may meet smoothly, and where they do not differences will tell."""
    return [(step.kind, step.contact, step.mode_before, step.mode_after) for step in signature_of(run)]


def _derivative(shifted: Callable[[float], np.ndarray], h: float) -> np.ndarray:
    """The difference that changes least from one step to the next shorter one: long ones bend, short ones round."""
    before, best, smallest = None, None, AGREE
    for _ in range(STEPS):
        try:
            now = sum(weight * (shifted(k * h) - shifted(-k * h)) / h for k, weight in STENCIL)
        except NotSmooth:
            now = None
        if now is not None and before is not None:
            change = np.abs(now - before).max() / max(1.0, np.abs(now).max())
            if best is not None and change > smallest:
                break
            if change < smallest:
                best, smallest = now, change
            if change < SURE:
                break
        before, h = now, h / SHORTER
    if best is None:
        raise NotSmooth
    return best
