"""T, V and the energy in the springs of compliant contacts along a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jounce.system.system import System

if TYPE_CHECKING:
    from jounce.model.model import Model

Floats = NDArray[np.float64]
#: (t [K], z [K, 2n], parameters and discrete states [K, np + nd]) -> columns [K, 2 + compliant contacts]
Energies = Callable[[Floats, Floats, Floats], Floats]


def stored_energies(system: System) -> Energies:
    """T, V, then the energy that each compliant contact would hold if it were pressed, by the system's machine code."""
    if system.energies is None:
        return _of_expressions(system.model)
    n, parameters = system.n, len(system.parameter_names)
    springs = sum(contact.compliance is not None for contact in system.outline.contacts)
    remembered = np.zeros(system.outline.compliant_memory)  # which no energy depends on

    def evaluate(t: Floats, z: Floats, given: Floats) -> Floats:
        out = np.empty((len(t), 2 + springs))
        t, q, u = (np.ascontiguousarray(part, dtype=np.float64) for part in (t, z[:, :n], z[:, n:]))
        # the function takes one vector of parameters for all its rows
        changes = np.flatnonzero((given[1:] != given[:-1]).any(axis=1)) + 1
        for first, last in zip([0, *changes.tolist()], [*changes.tolist(), len(t)], strict=True):
            if first == last:
                continue
            own = given[first]
            vector = np.concatenate([own[:parameters], remembered, own[parameters:]])
            rows = slice(first, last)
            system.energies(last - first, t[rows], q[rows], u[rows], vector, out[rows])
        return out

    return evaluate


def _of_expressions(model: Model) -> Energies:
    """The same by NumPy, of a machine that runs from tables."""
    from jounce.simulation.energy import model_function  # SymPy, which whoever made the machine has loaded

    laws = [contact.compliance for contact in model.contacts]
    functions = [model_function(model, model.kinetic), model_function(model, model.V)]
    functions += [model_function(model, law.elastic) for law in laws if law is not None]

    def evaluate(t: Floats, z: Floats, given: Floats) -> Floats:
        return np.column_stack([function(t, z, given) for function in functions])

    return evaluate
