"""The derivative of the flow by differences of whole simulations: knows nothing of saltation."""

from __future__ import annotations

from typing import Any

import numpy as np

import jounce
from jounce.analysis.variation import Variation, onto_constraints

STEPS = (1e-4, 1e-5, 1e-6)


def flow_by_differences(
    system: jounce.System, start: jounce.State, duration: float, known: Variation, parameter: str, **parameters: Any
) -> list[np.ndarray]:
    """For each step size the matrix [2n, 2n + 1] of derivatives by the start and the parameter (order four)."""
    n, options = system.n, jounce.Options(tolerance=1e-12)
    value = dict(zip(system.parameter_names, system.parameters(**parameters), strict=True))[parameter]

    def end(change: np.ndarray) -> np.ndarray:
        now = parameters | {parameter: value + change[-1]}
        moved = jounce.State(start.t, start.q + change[:n], start.u + change[n : 2 * n], start.names)
        placed = onto_constraints(system, moved, known.modes_start, system.parameters(**now))
        final = jounce.simulate(system, placed, start.t + duration, options=options, **now).final
        return np.concatenate([final.q, final.u])

    matrices = []
    for h in STEPS:
        matrix = np.zeros((2 * n, 2 * n + 1))
        for k, direction in enumerate(np.eye(2 * n + 1)):
            near = end(h * direction) - end(-h * direction)
            far = end(2 * h * direction) - end(-2 * h * direction)
            matrix[:, k] = (8 * near - far) / (12 * h)
        matrices.append(matrix)
    return matrices
