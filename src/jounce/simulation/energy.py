"""The energy ledger: where every joule of a run came from and went."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from jounce.simulation.dense_output import interpolate, states_on_steps, step_ends
from jounce.simulation.events import EventKind
from jounce.simulation.modes import Mode, mode_code, mode_codes
from jounce.simulation.run_data import RunData
from jounce.simulation.stored_energy import Energies, stored_energies
from jounce.system.system import System

if TYPE_CHECKING:
    import xarray as xr

    from jounce.model.model import Model

Floats = NDArray[np.float64]


_TEXTS = {
    "kinetic": "kinetic energy",
    "potential": "potential energy",
    "elastic": "energy in pressed compliant contacts",
    "impact_loss": "energy lost in impacts so far",
    "friction_loss": "energy lost to sliding friction so far",
    "applied_work": "work of applied forces so far",
    "surface_work": "work of moving surfaces so far",
    "contact_loss": "energy lost in compliant contacts so far",
    "reset_work": "energy given by resets so far",
    "residual": "energy not accounted for",
}


def energy_ledger(data: RunData, system: System) -> xr.Dataset:
    """Energies and cumulative work along the run, both sides of every jump: ``ledger_columns`` with names and units."""
    import xarray as xr

    columns, unit = ledger_columns(data, system), system.outline.energy_unit
    variables: dict[str, Any] = {
        name: ("time", columns[name], {"units": unit, "long_name": text}) for name, text in _TEXTS.items()
    }
    variables["impact_loss_by_contact"] = (
        ("time", "contact"),
        columns["impact_loss_by_contact"],
        {"units": unit, "long_name": "energy lost in impacts so far, by contact"},
    )
    coordinates = {
        "time": ("time", columns["time"], {"units": "s"}),
        "jump": ("time", columns["jump"], {"long_name": "number of events so far"}),
        "contact": list(system.contact_names),
    }
    return xr.Dataset(variables, coordinates)


def ledger_columns(data: RunData, system: System) -> dict[str, Floats]:
    """The ledger as plain arrays over hybrid time.

        residual = (T + V + E) - (T + V + E)_0 - applied_work - surface_work - reset_work
                   + friction_loss + impact_loss + contact_loss

    T = u.M.u / 2; E is the energy in the springs of pressed compliant contacts (``elastic``). Rows with one
    ``time`` and successive ``jump`` are the two sides of an event. A scheduled parameter that changes T or V at its
    instant does work, counted in applied_work. With Options.ledger off, work and residual are NaN. Without recorded
    steps (record="events" or "nothing") there are two rows, the start and the end.
    """
    rows = _recorded_rows(data) if len(data.step_t) else _end_rows(data)
    parameters = parameters_at(data, rows["t"], rows["right"])
    energies_of = stored_energies(system)
    energies = energies_of(rows["t"], rows["z"], parameters)
    kinetic, potential, elastic = energies[:, 0], energies[:, 1], _elastic(system, rows, energies)
    total = kinetic + potential + elastic
    applied = rows["work"][:, 0] + _schedule_work(data, rows, parameters, energies_of)
    friction, surface, lost = rows["work"][:, 1], rows["work"][:, 2].copy(), rows["work"][:, 3].copy()
    impact_loss, given = rows["loss_total"], rows["given"]
    # Work is stored at the start of a step, after the jump. The left side of a jump has the surface's work in the
    # jump taken out again: what the jump changed beyond the loss.
    left = np.flatnonzero(~rows["right"])
    # What a compliant contact loses in the instant at which it opens is what its springs held.
    lost[left] = lost[left + 1] - (elastic[left] - elastic[left + 1])
    step = total[left + 1] - total[left] - (applied[left + 1] - applied[left]) + lost[left + 1] - lost[left]
    step -= given[left + 1] - given[left]
    surface[left] = surface[left + 1] - step - (impact_loss[left + 1] - impact_loss[left])
    if not data.options.ledger:  # no work was integrated, so nothing can be said about it
        applied, friction, surface, lost = (np.full(len(total), np.nan) for _ in range(4))
    return {
        "time": rows["t"],
        "jump": rows["jump"],
        "kinetic": kinetic,
        "potential": potential,
        "elastic": elastic,
        "impact_loss": impact_loss,
        "friction_loss": friction,
        "applied_work": applied,
        "surface_work": surface,
        "contact_loss": lost,
        "reset_work": given,
        "residual": total - total[0] - applied - surface - given + friction + impact_loss + lost,
        "impact_loss_by_contact": rows["loss"],
    }


def _elastic(system: System, rows: dict[str, Any], energies: Floats) -> Floats:
    """The energy in the springs of the contacts that are pressed in each row."""
    compliant = [i for i, contact in enumerate(system.outline.contacts) if contact.compliance is not None]
    if not compliant:
        return np.zeros(len(energies))
    pressed = mode_codes(rows["mode"], system.nc)[:, compliant] == Mode.PRESSED
    return np.where(pressed, energies[:, 2:], 0.0).sum(axis=1)


def model_function(model: Model, expression: Any, given: Sequence[Any] = ()) -> Callable[..., Floats]:
    """An expression of the model as a function of (t [K], z [K, 2n], parameters [K, np + nd]) -> [K].

    ``given`` are the symbols of the columns of parameters, where they are others.
    """
    from jounce.model.numeric import numpy_function  # SymPy, for those who ask for expressions

    symbols = given or parameter_symbols(model)
    function = numpy_function([model.symbols["t"], *model.q, *model.u, *symbols], expression)

    def evaluate(t: Floats, z: Floats, parameters: Floats) -> Floats:
        values = function(t, *z.T, *parameters.T)
        return np.array(np.broadcast_to(np.asarray(values, dtype=float), t.shape))

    return evaluate


def parameter_symbols(model: Model) -> list[Any]:
    """The symbols of the columns that ``parameters_at`` gives."""
    return [*model.p, *(model.symbols[name] for name in model.states)]


def parameters_at(data: RunData, times: Floats, right: NDArray[np.bool_] | bool = True) -> Floats:
    """Parameters and discrete states in force at each time, [K, np + nd]; where they change, the new on the right."""
    return np.hstack([scheduled_at(data, times, right), states_on_steps(data, times, right)])


def scheduled_at(data: RunData, times: Floats, right: NDArray[np.bool_] | bool) -> Floats:
    """Parameters in force at each time; where a schedule changes them, the new on the right."""
    if len(data.schedule) <= 1:
        return np.broadcast_to(data.parameters, (len(times), len(data.parameters)))
    starts = np.array([t for t, _ in data.schedule])
    vectors = np.vstack([vector for _, vector in data.schedule])
    after = np.searchsorted(starts, times, side="right") - 1
    before = np.searchsorted(starts, times, side="left") - 1
    return vectors[np.maximum(np.where(right, after, before), 0)]


def _recorded_rows(data: RunData) -> dict[str, Any]:
    """One row a step boundary, two where events lie between the steps."""
    steps, contacts = len(data.step_t), len(data.total_impact_loss)
    ends = step_ends(data)
    ends_z = interpolate(data.step_coefficients, (ends - data.step_t) / data.step_h)
    final = np.concatenate([data.q_final, data.u_final])
    right_t = np.append(data.step_t, data.t_end_reached)
    right_z = np.vstack([data.step_coefficients[:, 0], final])
    boundary = data.event_int[:, 6]
    events_before = np.bincount(boundary, minlength=steps + 1)
    loss = np.zeros((steps + 1, contacts))
    loss_total = np.zeros(steps + 1)
    spent = np.where(data.event_int[:, 4] >= 0, np.nan_to_num(data.event_float[:, 7]), 0.0)
    touched = data.event_int[:, 1] >= 0
    np.add.at(loss, (boundary[touched], data.event_int[touched, 1]), spent[touched])
    np.add.at(loss_total, boundary, spent)
    given = np.zeros(steps + 1)
    resets = data.event_int[:, 0] == EventKind.RESET
    np.add.at(given, boundary[resets], -data.event_float[resets, 7])
    given = np.append(0.0, np.cumsum(given))
    loss, loss_total = np.cumsum(loss, axis=0), np.cumsum(loss_total)
    jumps = np.cumsum(events_before)

    # Left rows only at boundaries with events: the end of the step before, or the start as it was given.
    before_z = np.vstack([np.concatenate([data.q_start, data.u_start]), ends_z])
    before_t = np.append(data.t_start, ends)
    # a contact that the start brings pressed may open there: its spring held energy until then
    before_mode = np.append(data.mode_start if data.mode_start >= 0 else data.step_mode[0], data.step_mode)
    has_left = events_before > 0
    k = np.repeat(np.arange(steps + 1), 1 + has_left)
    right = np.ones(len(k), dtype=bool)
    right[np.flatnonzero(np.diff(k, prepend=-1) == 0) - 1] = False
    zero = np.zeros((1, contacts))
    loss, loss_total, jumps = np.vstack([zero, loss]), np.append(0.0, loss_total), np.append(0, jumps)
    return {
        "t": np.where(right, right_t[k], before_t[k]),
        "z": np.where(right[:, None], right_z[k], before_z[k]),
        "right": right,
        "mode": np.where(right, np.append(data.step_mode, data.mode_final)[k], before_mode[k]),
        "work": data.step_work[k],
        "loss": loss[k + right],
        "loss_total": loss_total[k + right],
        "given": given[k + right],
        "jump": jumps[k + right],
    }


def _end_rows(data: RunData) -> dict[str, Any]:
    """The start and the end of a run whose steps were not recorded."""
    lost = np.vstack([np.zeros_like(data.total_impact_loss), data.total_impact_loss])
    return {
        "t": np.array([data.t_start, data.t_end_reached]),
        "z": np.vstack([np.r_[data.q_start, data.u_start], np.r_[data.q_final, data.u_final]]),
        "right": np.ones(2, dtype=bool),
        # springs of an open contact hold nothing, whatever the mode says
        "mode": np.array([mode_code(np.full(len(data.total_impact_loss), Mode.PRESSED)), data.mode_final]),
        "work": np.vstack([np.zeros(4), data.step_work[-1]]),
        "loss": lost,
        "loss_total": lost.sum(axis=1),
        "given": np.array([0.0, data.total_reset_work]),
        "jump": np.array([0, len(data.event_int)]),
    }


def _schedule_work(
    data: RunData,
    rows: dict[str, Any],
    parameters: Floats,
    energies_of: Energies,
) -> Floats:
    """Cumulative change of T + V by scheduled parameter changes, at the state of the instant.

    NaN where that state was not recorded and the parameter matters to the energy.
    """
    work = np.zeros(len(parameters))
    recorded = len(data.step_t) > 0
    for (_, old), (t, new) in zip(data.schedule[:-1], data.schedule[1:], strict=True):
        after = np.flatnonzero((rows["t"] > t) | ((rows["t"] >= t) & rows["right"]))
        if after.size == 0:
            continue
        first = after[0]
        at = (rows["t"][first : first + 1], rows["z"][first : first + 1])
        states = parameters[first, len(new) :]
        vectors = [np.concatenate([vector, states])[None, :] for vector in (new, old)]
        change = (energies_of(*at, vectors[0]) - energies_of(*at, vectors[1]))[0, :2]
        work[after] += change.sum() if recorded or not change.any() else np.nan
    return work
