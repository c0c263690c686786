"""Switches in an audit: each is on its side of its surface, none slides beyond its limits.

Nor does one slide while a closed contact pushes along its surface.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.model.names import limit_guard
from jounce.model.switching.switch import AT_CONTACT, SLIDING, UNKNOWN, switch_names
from jounce.simulation.audit.findings import Finding, no_findings
from jounce.simulation.audit.motion import accuracy_of, looked_at, state_sizes
from jounce.simulation.dense_output import interpolate, step_ends
from jounce.simulation.energy import scheduled_at
from jounce.simulation.modes import Mode, mode_codes
from jounce.system.evaluation import rows_of

#: Of the largest sum of the terms of a surface in a run: by less the errors of integration may have moved it.
ON_SURFACE = 1e-6

if TYPE_CHECKING:
    from jounce.simulation.options import Audit
    from jounce.simulation.trajectory import Trajectory
    from jounce.system.system import System


def switch_findings(run: Trajectory) -> np.ndarray:
    """Steps on which a switch slides and a contact is closed whose force would move its surface.

    The value of a switch that slides is an expression of the model's forces; those of contacts are not among them.
    """
    states, contacts = list(run.model.states), list(run.contacts)
    rows = []
    for reset in run.model.resets:
        if not reset.name.startswith(AT_CONTACT) or not len(run.data.step_t):
            continue
        place = contacts.index(reset.name.removeprefix(AT_CONTACT))
        closed = mode_codes(run.data.step_mode, len(contacts))[:, place] != int(Mode.OPEN)
        for name in reset.map:
            slides = run.data.step_states[:, states.index(str(name))] == SLIDING
            rows += [
                (run.data.step_t[k], float(place), float(Finding.SWITCH), run.data.step_h[k], 0.0)
                for k in np.flatnonzero(slides & closed)
            ]
    return np.array(rows) if rows else no_findings()


def side_findings(run: Trajectory, audit: Audit) -> np.ndarray:
    """Steps in whose middle the surface of a switch has not the sign of its side, or is not zero while it slides.

    Compared with the largest sum of the terms of the surface so far, and with that of the largest velocities of the
    run: one that is held all along is rounding of what moves beside it. While it slides its value lies in [-1, 1].
    """
    data, system, rows = run.data, run.system, []
    names, states, guards = switch_names(run.model), list(run.model.states), list(system.guard_names)
    if not names or not len(data.step_t):
        return no_findings()
    steps = looked_at(len(data.step_t), audit)
    half = ((step_ends(data) - data.step_t) / 2)[steps]  # events end steps early
    t, z = data.step_t[steps] + half, interpolate(data.step_coefficients[steps], half / data.step_h[steps])
    sides = data.step_states[steps]
    beside, places = sides.copy(), [states.index(name) for name in names]
    beside[:, places] = np.where(np.abs(sides[:, places]) == 1.0, sides[:, places], 1.0)
    known = np.hstack([scheduled_at(data, t, True), np.zeros((len(t), system.outline.compliant_memory))])
    surfaces = _guards(run, *_kinds(system)[0], t, z, np.hstack([known, beside]))
    largest = _largest_terms(run, np.hstack([known, beside])[:1])
    accuracy = accuracy_of(run.options)
    for name in names:
        k, side = guards.index(f"{name}_switches"), sides[:, states.index(name)]
        limit = max(max(ON_SURFACE, accuracy) * largest[k], np.finfo(float).tiny)
        away = np.where(side == SLIDING, np.abs(surfaces[:, k]), -side * surfaces[:, k])
        wrong = np.flatnonzero(~(away <= limit) | (side == UNKNOWN))
        rows += [(t[i] - half[i], -1.0, float(Finding.SIDE), away[i], limit) for i in wrong]
    held = [name for name in names if limit_guard(name) in guards]
    sliding = np.flatnonzero((sides == SLIDING).any(axis=1)) if held else np.empty(0, dtype=int)
    if sliding.size:
        where = t[sliding], z[sliding], np.hstack([known, sides])[sliding]
        values, sizes = (_guards(run, *part, *where) for part in _kinds(system))
        for name in held:
            k, slides = guards.index(limit_guard(name)), sides[sliding, states.index(name)] == SLIDING
            least = accuracy * sizes[:, k]
            beyond = np.flatnonzero(slides & (-values[:, k] > least))
            begins = (t - half)[sliding]
            rows += [(begins[i], -1.0, float(Finding.LIMIT), -values[i, k], least[i]) for i in beyond]
    return np.array(rows) if rows else no_findings()


def _kinds(system: System) -> tuple[tuple[Any, int, int], tuple[Any, int, int]]:
    """The functions of the guards and of their terms: how many numbers they write, and where those of guards begin."""
    others = system.nc + system.nj
    return (system.functions.guards, system.ng, 0), (system.functions.sizes, others + system.ng + system.nc, others)


def _guards(
    run: Trajectory, function: Any, size: int, first: int, t: np.ndarray, z: np.ndarray, parameters: np.ndarray
) -> np.ndarray:
    """What a function says of every guard at each place, with the parameters and discrete states of that place."""
    n, ng = run.system.n, run.system.ng
    found = np.empty((len(t), ng))
    vectors, which = parameters[:1], np.zeros(len(t), dtype=int)
    if (parameters != vectors).any():
        vectors, which = np.unique(parameters, axis=0, return_inverse=True)
    for k, vector in enumerate(vectors):
        here = which.reshape(-1) == k
        found[here] = rows_of(function, size, t[here], z[here, :n], z[here, n:], vector)[:, first : first + ng]
    return found


def _largest_terms(run: Trajectory, parameters: np.ndarray) -> np.ndarray:
    """The terms of every guard where all is as large as it was in this run, or in that which it continues."""
    data, system = run.data, run.system
    sizes = state_sizes(run, np.concatenate([data.q_start, data.u_start]))
    now = _guards(run, *_kinds(system)[1], np.array([data.t_start]), sizes[None, :], parameters)[0]
    first = 2 * system.n + system.nc + system.nj
    before = data.scales[first : first + system.ng] if data.scales.size else 0.0
    return np.maximum(np.where(np.isfinite(now), now, 0.0), before)
