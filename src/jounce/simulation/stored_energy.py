"""T, V and the energy in the springs of compliant contacts along a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from jounce.kernels.records.workspace import COMPLIANCE_STRIDE
from jounce.system.evaluation import rows_of
from jounce.system.system import System

ELASTIC = 4  # place of the energy in a row of `compliance`
Floats = NDArray[np.float64]
#: (t [K], z [K, 2n], parameters and discrete states [K, np + nd]) -> columns [K, 2 + compliant contacts]
Energies = Callable[[Floats, Floats, Floats], Floats]


def stored_energies(system: System) -> Energies:
    """T, V, then the energy that each compliant contact would hold if it were pressed, by the system's machine code."""
    if system.energies is None:
        return _of_tables(system)
    n, parameters = system.n, len(system.parameter_names)
    springs = sum(contact.compliance is not None for contact in system.outline.contacts)
    remembered = np.zeros(system.outline.compliant_memory)  # which no energy depends on

    def evaluate(t: Floats, z: Floats, given: Floats) -> Floats:
        out = np.empty((len(t), 2 + springs))
        t, q, u = (np.ascontiguousarray(part, dtype=np.float64) for part in (t, z[:, :n], z[:, n:]))
        for rows in _of_one_vector(given):
            own = given[rows.start]
            vector = np.concatenate([own[:parameters], remembered, own[parameters:]])
            system.energies(rows.stop - rows.start, t[rows], q[rows], u[rows], vector, out[rows])
        return out

    return evaluate


def _of_one_vector(given: Floats) -> Iterator[slice]:
    """Rows with the same parameters: functions take one vector of them for all their rows."""
    changes = (np.flatnonzero((given[1:] != given[:-1]).any(axis=1)) + 1).tolist()
    for first, last in zip([0, *changes], [*changes, len(given)], strict=True):
        if first < last:
            yield slice(first, last)


def _of_tables(system: System) -> Energies:
    """The same of a machine that runs from tables: T and V by NumPy, springs by the machine's own function."""
    from jounce.simulation.energy import model_function  # SymPy, which whoever made the machine has loaded

    model, n, width = system.model, system.n, COMPLIANCE_STRIDE * system.nc
    functions = [model_function(model, model.kinetic), model_function(model, model.V)]
    compliant = [i for i, contact in enumerate(system.outline.contacts) if contact.compliance is not None]
    columns = [COMPLIANCE_STRIDE * i + ELASTIC for i in compliant]

    def evaluate(t: Floats, z: Floats, given: Floats) -> Floats:
        out = np.empty((len(t), 2 + len(columns)))
        out[:, 0], out[:, 1] = (function(t, z, given) for function in functions)
        for rows in _of_one_vector(given) if columns else ():
            part = (t[rows], z[rows, :n], z[rows, n:], given[rows.start])
            out[rows, 2:] = rows_of(system.functions.compliance, width, *part)[:, columns]
        return out

    return evaluate
