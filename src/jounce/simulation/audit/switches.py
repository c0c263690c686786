"""Switches in an audit: each is on its side of its surface, none slides beyond its limits.

Nor does one slide while a closed contact pushes along its surface.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.model.arithmetic import value_at
from jounce.model.magnitude import magnitude
from jounce.model.names import limit_guard
from jounce.model.switches import AT_CONTACT, SLIDING, UNKNOWN, switch_surfaces
from jounce.simulation.audit.findings import Finding, no_findings
from jounce.simulation.audit.motion import accuracy_of
from jounce.simulation.energy import parameters_at
from jounce.simulation.modes import Mode, mode_codes

#: Of the largest sum of the terms of a surface in a run: by less the errors of integration may have moved it.
ON_SURFACE = 1e-6

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory


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


def side_findings(run: Trajectory) -> np.ndarray:
    """Steps in whose middle the surface of a switch has not the sign of its side, or is not zero while it slides.

    Compared with the largest sum of the terms of the surface in the run. While it slides its value lies in [-1, 1].
    """
    data, model, rows = run.data, run.model, []
    states = list(model.states)
    for name, surface in switch_surfaces(model.guards).items():
        middles = (data.step_t + np.append(data.step_t[1:], data.t_end_reached)) / 2  # events end steps early
        numbers = parameters_at(data, middles)
        places = zip(middles, numbers, data.step_states, strict=True)
        known = [_numbers(run, float(t), p, now) for t, p, now in places]
        values, terms = (np.array([value_at(part, at) for at in known]) for part in (surface, magnitude(surface)))
        inside = model.guards.get(limit_guard(name))
        size = None if inside is None else magnitude(inside)
        for k, at in enumerate(known if inside is not None else []):
            beyond, limit = -value_at(inside, at), accuracy_of(run.options) * value_at(size, at)
            if beyond > limit:
                rows.append((data.step_t[k], -1.0, float(Finding.LIMIT), beyond, limit))
        sides = data.step_states[:, states.index(name)]
        limit = ON_SURFACE * max(terms.max(initial=0.0), np.finfo(float).tiny)
        away = np.where(sides == SLIDING, np.abs(values), -sides * values)
        wrong = np.flatnonzero((away > limit) | (sides == UNKNOWN))
        rows += [(data.step_t[k], -1.0, float(Finding.SIDE), away[k], limit) for k in wrong]
    return np.array(rows) if rows else no_findings()


def _numbers(run: Trajectory, t: float, parameters: np.ndarray, states: np.ndarray) -> dict[Any, float]:
    """What the symbols of the model are at one place."""
    model, state = run.model, run.at(t)
    known = zip((*model.q, *model.u), (*state.q, *state.u), strict=True)
    named = zip((*model.p, *model.memory[-len(states) :]), (*parameters[: len(model.p)], *states), strict=True)
    return dict(known) | dict(named) | {model.symbols["t"]: t}
