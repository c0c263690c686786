"""The state at any time of a recorded run, many times at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from jounce.kernels.records.codes import NO_ROOT, ON_SURFACE, OPEN
from jounce.simulation.modes import MODE_BASE, code_type, join_words, mode_codes, split_words
from jounce.simulation.run_data import RunData
from jounce.simulation.watch import look

Floats = NDArray[np.float64]


def step_index(data: RunData, times: Floats, side: str) -> NDArray[np.int64]:
    """The step that holds each time: at a jump the step before it ("left") or after it ("right")."""
    found = np.searchsorted(data.step_t, times, side="right" if side == "right" else "left") - 1
    return np.clip(found, 0, len(data.step_t) - 1)


def states_at(data: RunData, times: Floats, side: str) -> Floats:
    """z = [q, u] at each time, shape (len(times), 2n)."""
    look()
    if len(data.step_t) == 0:  # a run of no duration: its two ends are all there is
        ends = (data.q_final, data.u_final) if side == "right" else (data.q_start, data.u_start)
        return np.tile(np.concatenate(ends), (len(times), 1))
    index = step_index(data, times, side)
    z = interpolate(data.step_coefficients[index], (times - data.step_t[index]) / data.step_h[index])
    _fill_holes(data, times, index, z)
    if side == "right":
        # An event at the very end has no step after it: its right side is the final state.
        z[times >= data.t_end_reached] = np.concatenate([data.q_final, data.u_final])
    else:
        # The motion before the start is not known: the left side of the start is the state given.
        z[times <= data.t_start] = np.concatenate([data.q_start, data.u_start])
    return z


def states_on_steps(data: RunData, times: Floats, right: NDArray[np.bool_] | bool) -> Floats:
    """The discrete states at each time, shape (len(times), their number): at a reset those behind it on the right."""
    count = data.step_states.shape[1]
    if count == 0:
        return np.empty((len(times), 0))
    first, last = data.memory_start[-count:], data.memory_final[-count:]
    if len(data.step_states) == 0:  # only the ends are known
        after, before = np.where((times < data.t_end_reached)[:, None], first, last), np.tile(first, (len(times), 1))
    else:
        after, before = (data.step_states[step_index(data, times, side)] for side in ("right", "left"))
        after[times >= data.t_end_reached] = last
        before[times <= data.t_start] = first
    return np.where(np.broadcast_to(right, len(times))[:, None], after, before)


def states_beside_steps(data: RunData) -> tuple[Floats, Floats]:
    """The discrete states before and behind each boundary of steps, the start and the end included.

    By the number of the step and not by its time: a step may be shorter than the rounding of the time.
    """
    count = data.step_states.shape[1]
    first, last = (memory[memory.size - count :][None, :] for memory in (data.memory_start, data.memory_final))
    return np.vstack([first, data.step_states]), np.vstack([data.step_states, last])


def contacts_at(data: RunData, times: Floats, side: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Modes of the system and orders of its guards at each time, encoded; -1 where they are not known.

    They are not between the last bounce that was followed and the end of a chatter, and in runs from older files.
    """
    contacts = len(data.total_impact_loss)
    modes: NDArray[Any] = np.full(len(times), -1, dtype=code_type(contacts))
    orders = modes.copy()
    if len(data.step_order):
        index = step_index(data, times, side)
        begins = (times == data.step_t[index]) & (side == "right")
        modes = data.step_mode[index]
        orders = np.where(begins, data.step_order[index], lasting_orders(data.step_order[index], contacts))
        orders[times > step_ends(data)[index]] = -1
    if side == "right":
        at_end = times >= data.t_end_reached
        modes[at_end], orders[at_end] = data.mode_final, data.order_final
    else:
        at_start = times <= data.t_start
        modes[at_start], orders[at_start] = data.mode_start, data.order_start
    return modes, orders


def faces_at(data: RunData, times: Floats, side: str, modes: NDArray[Any]) -> NDArray[np.int64]:
    """The face on which each contact is held at each time, by the encoded modes then; no columns where none is known.

    That of a closed contact is the one of its last row of events, or of the start.
    """
    contacts = len(data.total_impact_loss)
    if not data.faces_final.size:
        return np.empty((len(times), 0), dtype=np.int64)
    start = data.faces_start if data.faces_start.size else np.zeros(contacts, dtype=np.int64)
    event_t, rows = data.event_float[:, 0], data.event_int
    seen = np.searchsorted(event_t, times, side="right" if side == "right" else "left")
    faces = np.tile(start, (len(times), 1))
    for k in range(contacts):
        own = np.flatnonzero((rows[:, 1] == k) & (rows[:, 7] > 0))
        last = np.searchsorted(own, seen) - 1
        faces[last >= 0, k] = rows[own[last[last >= 0]], 7]
    faces[mode_codes(modes, contacts) == OPEN] = 0
    if side == "right":
        faces[times >= data.t_end_reached] = data.faces_final
    return faces


def lasting_orders(orders: NDArray[Any], contacts: int) -> NDArray[Any]:
    """The orders inside steps that have begun with the given ones: see kernels/contact/orders.py."""
    words = split_words(orders, contacts)
    lasting, place = np.zeros_like(words), 1
    rest = words.copy()
    while (rest > 0).any():
        digit = rest % MODE_BASE
        lasting += place * np.where(digit == ON_SURFACE, digit, NO_ROOT)
        rest, place = rest // MODE_BASE, place * MODE_BASE
    return join_words(np.where(words < 0, -1, lasting))


def interpolate(coefficients: Floats, x: Floats) -> Floats:
    """z0 + x (F1 + (1-x) (F2 + x (F3 + ...))): rows of coefficients [K, 1+m, 2n] at x [K] -> [K, 2n]."""
    x = x[:, None]
    m = coefficients.shape[1] - 1
    if m == 0:
        return coefficients[:, 0].copy()
    nested = coefficients[:, m].copy()
    for i in range(m - 1, 0, -1):
        nested *= (1.0 - x) if i % 2 else x
        nested += coefficients[:, i]
    return coefficients[:, 0] + x * nested


def step_ends(data: RunData) -> Floats:
    """Where each step stops being valid: its own end, or the start of the next where that comes first."""
    following = np.append(data.step_t[1:], data.t_end_reached)
    own = data.step_t + data.step_h
    # t + h misses the next step's start by a few roundings: that is no hole in time.
    rounding = 8.0 * np.finfo(float).eps * np.maximum(data.step_h, np.abs(following))
    return np.where(own < following - rounding, own, following)


def _fill_holes(data: RunData, times: Floats, index: NDArray[np.int64], z: Floats) -> None:
    """Between the last impact integrated and the end of an extrapolated chatter no step exists: a straight line there.

    The infinitely many remaining bounces are smaller than the tolerance; the line joins the states on both sides.
    """
    stop = step_ends(data)[index]
    holes = np.flatnonzero((times > stop) & (times < data.t_end_reached))
    if holes.size == 0:
        return
    k = index[holes]
    left = interpolate(data.step_coefficients[k], (stop[holes] - data.step_t[k]) / data.step_h[k])
    final = np.concatenate([data.q_final, data.u_final])
    after_t = np.append(data.step_t, data.t_end_reached)[k + 1]
    after_z = np.vstack([data.step_coefficients[:, 0], final])[k + 1]
    weight = ((times[holes] - stop[holes]) / (after_t - stop[holes]))[:, None]
    z[holes] = (1.0 - weight) * left + weight * after_z
