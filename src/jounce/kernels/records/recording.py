"""The rows a run leaves behind: events and steps, in buffers that Python empties."""

import math

import numpy as np

from jounce.kernels.records.codes import CHATTER, GRAZING
from jounce.kernels.records.fields import Record
from jounce.kernels.records.roster import all_words, named, spread_words
from jounce.kernels.records.words import encode_word, word_count
from jounce.kernels.records.workspace import (
    INTERPOLANT_ROWS,
    MAX_CONTACTS,
    MAX_COORDINATES,
    MAX_STATES,
    STATE,
    WORDS,
    WORKS,
)
from jounce.toolchain.abi import record
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals, Reals2

# columns of the float part of an event row
EVENT_T, V_N_BEFORE, V_N_AFTER, V_T_BEFORE, V_T_AFTER, P_N, P_T, ENERGY_LOSS = 0, 1, 2, 3, 4, 5, 6, 7
EVENT_FLOATS = 8
# columns of the integer part
KIND, CONTACT, MODE_BEFORE, MODE_AFTER, LAW, REGION, STEP, ROW_FACE = 0, 1, 2, 3, 4, 5, 6, 7
EVENT_INTEGERS = 8
# counters of a run
EVENTS_STORED, STEPS_STORED, EVENTS_TOTAL, STEPS_TOTAL, REJECTED, IMPACTS_TOTAL, DEEP_STARTS = 0, 1, 2, 3, 4, 5, 6
TURNS = 7  # of the loop: steps that are whole, end with an event, or have no length
COUNTERS = 8


EVENT_CAPACITY = 8192
STEP_CAPACITY = 512

# Buffers; ``keep_events`` and ``keep_steps`` say whether rows are stored at all.
RECORD = np.dtype(
    [
        ("epoch", "f8"),  # added to every time
        ("turned", "f8", (MAX_COORDINATES,)),  # added to every coordinate
        ("keep_events", "i8"),
        ("keep_steps", "i8"),
        ("roster", "i8"),  # as in the settings of a motion
        ("watch_kind", "i8"),  # the kind of event at which the run is to stop, plus 1; 0: none
        ("watch_contact", "i8"),  # of this contact only; -1: of any
        ("seen", "i8"),  # the watched event has happened
        ("orders", "i8", (WORDS,)),  # of the step that is about to be added
        ("jumped", "i8", (MAX_CONTACTS,)),  # 1: the contact has had an impact, chatter or grazing at this instant
        ("signature", "i8"),  # a hash of the events so far: kind, contact, mode after
        ("happened", "i8", (MAX_CONTACTS,)),  # bit k: an event of kind k since the instant began
        ("state_count", "i8"),  # discrete states, and their values now
        ("states", "f8", (MAX_STATES,)),
        ("lost", "i8"),  # 1: an instant had more rows, of events or steps, than there is room for
        ("counter", "i8", (COUNTERS,)),
        ("event_float", "f8", (EVENT_CAPACITY, EVENT_FLOATS)),
        ("event_integer", "i8", (EVENT_CAPACITY, EVENT_INTEGERS)),
        ("step_time", "f8", (STEP_CAPACITY, 2)),  # t, h
        ("step_mode", "i8", (STEP_CAPACITY, WORDS)),
        ("step_order", "i8", (STEP_CAPACITY, WORDS)),  # how the guards begin: contact/orders.py
        # z0 and the rows of the interpolant, 2n numbers each, one after the other
        ("step_data", "f8", (STEP_CAPACITY, (1 + INTERPOLANT_ROWS) * STATE)),
        ("step_work", "f8", (STEP_CAPACITY, WORKS)),  # the ledger at the step's start
        ("step_states", "f8", (STEP_CAPACITY, MAX_STATES)),  # discrete states on the step
    ],
    align=True,
)
buffer_record = record(RECORD)


@kernel
def add_event(record: Record, t: Real, kind: Integer, contact: Integer, before: Integer, after: Integer) -> Integer:
    """A row without impulse; returns its index (-1 if rows are not kept, or there is no room for more)."""
    record.counter[EVENTS_TOTAL] += 1
    if contact >= 0 and (kind <= CHATTER or kind == GRAZING):
        record.jumped[contact] = 1
    if contact >= 0:
        record.happened[contact] |= 1 << kind
    contact = named(record.roster, contact)
    # the step of the Fowler-Noll-Vo hash, on a whole event at a time
    place = (contact + 1) % 16 * 16 + (contact + 1) // 16 * 65536
    record.signature = (record.signature ^ (kind * 256 + place + after + 1)) * 1099511628211
    if kind + 1 == record.watch_kind and (contact == record.watch_contact or record.watch_contact < 0):
        record.seen = 1
    if not record.keep_events:
        return -1
    row = record.counter[EVENTS_STORED]
    if row >= EVENT_CAPACITY:
        record.lost = 1
        return -1
    record.counter[EVENTS_STORED] += 1
    record.event_float[row, EVENT_T] = record.epoch + t
    for k in range(1, EVENT_FLOATS):
        record.event_float[row, k] = math.nan
    record.event_integer[row, KIND] = kind
    record.event_integer[row, CONTACT] = contact
    record.event_integer[row, MODE_BEFORE] = before
    record.event_integer[row, MODE_AFTER] = after
    record.event_integer[row, LAW] = -1
    record.event_integer[row, REGION] = -1
    record.event_integer[row, STEP] = record.counter[STEPS_TOTAL]
    record.event_integer[row, ROW_FACE] = 0
    return row


@kernel
def set_velocities(record: Record, row: Integer, normal: Real, tangent: Real) -> None:
    """The contact's velocities at an event without a jump."""
    if row >= 0:
        record.event_float[row, V_N_BEFORE] = normal
        record.event_float[row, V_N_AFTER] = normal
        record.event_float[row, V_T_BEFORE] = tangent
        record.event_float[row, V_T_AFTER] = tangent


@kernel
def set_impulse(
    record: Record,
    row: Integer,
    v_n: Real,
    v_n_after: Real,
    v_t: Real,
    v_t_after: Real,
    p_n: Real,
    p_t: Real,
    loss: Real,
    law: Integer,
    region: Integer,
) -> None:
    """The jump of an impact."""
    if row >= 0:
        record.event_float[row, V_N_BEFORE] = v_n
        record.event_float[row, V_N_AFTER] = v_n_after
        record.event_float[row, V_T_BEFORE] = v_t
        record.event_float[row, V_T_AFTER] = v_t_after
        record.event_float[row, P_N] = p_n
        record.event_float[row, P_T] = p_t
        record.event_float[row, ENERGY_LOSS] = loss
        record.event_integer[row, LAW] = law
        record.event_integer[row, REGION] = region


@kernel
def add_step(
    record: Record,
    t: Real,
    h: Real,
    modes: Integers,
    nc: Integer,
    n: Integer,
    z: Reals,
    interpolant: Reals2,
    rows: Integer,
    ledger: Reals,
) -> None:
    """One smooth step: where it starts, its length, its modes and its interpolant."""
    record.counter[STEPS_TOTAL] += 1
    if not record.keep_steps:
        return
    row = record.counter[STEPS_STORED]
    if row >= STEP_CAPACITY:
        record.lost = 1
        return
    record.counter[STEPS_STORED] += 1
    record.step_time[row, 0] = record.epoch + t
    record.step_time[row, 1] = h
    if record.roster == 0:
        for k in range(word_count(nc)):
            record.step_mode[row, k] = encode_word(modes, nc, k)
            record.step_order[row, k] = record.orders[k]
    else:
        spread_words(record.roster, modes, nc, 0, record.step_mode[row])
        for k in range(all_words(record.roster, nc)):
            record.step_order[row, k] = record.orders[k]
    for k in range(n):
        record.step_data[row, k] = z[k] + record.turned[k]
        record.step_data[row, n + k] = z[n + k]
    for i in range(rows):
        for k in range(2 * n):
            record.step_data[row, (1 + i) * (2 * n) + k] = interpolant[i, k]
    for k in range(WORKS):
        record.step_work[row, k] = ledger[k]
    for k in range(record.state_count):
        record.step_states[row, k] = record.states[k]
