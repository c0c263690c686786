"""Many runs, one after the other, of which only what is asked for is kept.

Each run has fresh records and returns from the loop where ``simulate`` would, so that it is the same run bit for bit,
whichever runs came before it in the same records. What simulate reads from the record of all steps afterwards (states
at times, extrema) is read here from the buffers, each time the loop returns, one step behind: a step holds until the
next one starts.
"""

import math

import numpy as np

from jounce.kernels.contact.window import loss_of, show_contacts
from jounce.kernels.engine.advance import run_machine
from jounce.kernels.maps.extrema import widen_by_piece
from jounce.kernels.maps.iterate import CANCELLED, clear_counts
from jounce.kernels.maps.run_start import END, FIRST, TIME, load_run
from jounce.kernels.records.codes import RESET_EVENT, USER, WORD
from jounce.kernels.records.fields import Machine, Motion, Reader, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import (
    CONTACT,
    EVENT_T,
    EVENTS_STORED,
    EVENTS_TOTAL,
    IMPACTS_TOTAL,
    KIND,
    REGION,
    STEP,
    STEPS_STORED,
    STEPS_TOTAL,
    buffer_record,
)
from jounce.kernels.records.roster import all_contacts, all_words, named
from jounce.kernels.records.tolerances import ALIGNED, EXTREMUM_PIECES, NO_HOLE
from jounce.kernels.records.words import encode_word
from jounce.kernels.records.workspace import INTERPOLANT_ROWS, STATE, WORKS, machine_record, workspace_record
from jounce.toolchain.abi import f8_1d, f8_2d, f8_3d, i8, i8_1d, i8_2d, record
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Integers2, Real, Reals, Reals2, Reals3

# columns of ``facts``
STATUS, EVENTS, IMPACTS, STEPS, MODE, GUARD = 0, 1, 2, 3, 4, 5
FACTS = 6  # and the further words of the mode, if there are any
# columns of ``watched``
COUNT, FIRST_TIME, LAST_TIME = 0, 1, 2
# columns of ``ends``: t, q, u, the accounts of the ledger, the loss of each contact; with resets the discrete states
# and the energy given by resets
END_STATE = 1

# Of the run that is being read: the step whose end is not known yet, and scratch.
READER = np.dtype(
    [
        ("held", "i8"),  # 1: there is such a step
        ("t", "f8"),
        ("h", "f8"),
        ("data", "f8", (1 + INTERPOLANT_ROWS, STATE)),
        ("before", "i8"),  # steps before those in the buffer
        ("event", "i8"),  # 1: the next step may start at an event, at ``event_t``
        ("event_t", "f8"),
        ("sample", "i8"),  # the next time at which the state is wanted
        ("final", "f8", (STATE,)),
        ("pieces", "f8", (EXTREMUM_PIECES + 1, INTERPOLANT_ROWS + 1)),
    ],
    align=True,
)
reader_record = record(READER)


@kernel
def align_steps(record: Record, a: Reader, span: Real) -> None:
    """A step that starts at an event starts at exactly its time: turns may make them differ in the last bit."""
    stored = record.counter[STEPS_STORED]
    if a.event and stored > 0:
        align(record, 0, a.event_t, span)
        a.event = 0
    for e in range(record.counter[EVENTS_STORED]):
        k = record.event_integer[e, STEP] - a.before
        if 0 <= k < stored:
            align(record, k, record.event_float[e, EVENT_T], span)
        elif k == stored:
            a.event, a.event_t = 1, record.event_float[e, EVENT_T]


@kernel
def align(record: Record, k: Integer, t: Real, span: Real) -> None:
    """Let the step k start at t, if it all but does."""
    if abs(record.step_time[k, 0] - t) <= ALIGNED * (span + abs(t)):
        record.step_time[k, 0] = t


@kernel
def state_in_step(a: Reader, rows: Integer, k: Integer, x: Real) -> Real:
    """Component k of the held step at x."""
    nested = a.data[rows, k]
    for i in range(rows - 1, 0, -1):
        nested *= (1.0 - x) if i % 2 else x
        nested += a.data[i, k]
    return a.data[0, k] + x * nested


@kernel
def sample_step(
    m: Machine, a: Reader, rows: Integer, stop: Real, following: Real, after: Reals, times: Reals, samples: Reals2
) -> None:
    """States at the times before ``following``; behind ``stop``, in a chatter, on a line to the state after it."""
    while a.sample < times.shape[0] and times[a.sample] < following:
        t = times[a.sample]
        for k in range(2 * m.n):
            if t > stop:
                left = state_in_step(a, rows, k, (stop - a.t) / a.h)
                weight = (t - stop) / (following - stop)
                samples[a.sample, k] = (1.0 - weight) * left + weight * after[k]
            else:
                samples[a.sample, k] = state_in_step(a, rows, k, (t - a.t) / a.h)
        a.sample += 1


@kernel
def widen(extrema: Reals2, k: Integer, value: Real) -> None:
    """Let the extrema of component k include a value."""
    extrema[0, k] = min(extrema[0, k], value)
    extrema[1, k] = max(extrema[1, k], value)


@kernel
def widen_by_step(m: Machine, a: Reader, rows: Integer, x: Real, extrema: Reals2) -> None:
    """Let the extrema include the held step up to x of its length."""
    for k in range(2 * m.n):
        widen_by_piece(a.data, rows, k, x, a.pieces, extrema)


@kernel
def end_step(
    m: Machine, s: Motion, a: Reader, following: Real, after: Reals, times: Reals, samples: Reals2, extrema: Reals2
) -> None:
    """The held step is over: the next one starts at ``following`` in the state ``after``."""
    rows = s.settings.rows
    stop = a.t + a.h
    if not stop < following - NO_HOLE * max(a.h, abs(following)):
        stop = following
    sample_step(m, a, rows, stop, following, after, times, samples)
    if extrema.shape[0] > 0:
        widen_by_step(m, a, rows, (stop - a.t) / a.h, extrema)
    a.held = 0


@kernel
def hold_step(m: Machine, s: Motion, record: Record, a: Reader, k: Integer) -> None:
    """Step k of the buffer is the one that runs now."""
    a.held, a.t, a.h = 1, record.step_time[k, 0], record.step_time[k, 1]
    for i in range(1 + s.settings.rows):
        for j in range(2 * m.n):
            a.data[i, j] = record.step_data[k, i * (2 * m.n) + j]


@kernel
def count_events(record: Record, kinds: Integers2, watched: Reals2) -> None:
    """Count the events of every kind (kind, contact or guard; -1: any) and note the times of the first and the last."""
    for e in range(record.counter[EVENTS_STORED]):
        kind = record.event_integer[e, KIND]
        place = record.event_integer[e, REGION if kind == USER or kind == RESET_EVENT else CONTACT]
        for k in range(kinds.shape[0]):
            if kinds[k, 0] == kind and (kinds[k, 1] < 0 or kinds[k, 1] == place):
                t = record.event_float[e, EVENT_T]
                if watched[k, COUNT] == 0.0:
                    watched[k, FIRST_TIME] = t
                watched[k, LAST_TIME] = t
                watched[k, COUNT] += 1.0


@kernel
def read_buffers(
    m: Machine,
    s: Motion,
    record: Record,
    a: Reader,
    span: Real,
    kinds: Integers2,
    watched: Reals2,
    times: Reals,
    samples: Reals2,
    extrema: Reals2,
) -> None:
    """Take what is wanted out of the buffers and empty them."""
    count_events(record, kinds, watched)
    if times.shape[0] > 0 or extrema.shape[0] > 0:
        align_steps(record, a, span)
        for k in range(record.counter[STEPS_STORED]):
            if a.held:
                end_step(m, s, a, record.step_time[k, 0], record.step_data[k], times, samples, extrema)
            hold_step(m, s, record, a, k)
    a.before = record.counter[STEPS_TOTAL]
    record.counter[EVENTS_STORED] = record.counter[STEPS_STORED] = 0


@kernel
def begin_reading(
    m: Machine, record: Record, a: Reader, row: Reals, times: Reals, watched: Reals2, samples: Reals2, extrema: Reals2
) -> None:
    """Nothing has been recorded and nothing read."""
    clear_counts(record)
    record.epoch = 0.0
    record.seen = 0
    for i in range(m.nc):
        record.jumped[i] = 0
    a.held = a.event = a.before = a.sample = 0
    while a.sample < times.shape[0] and times[a.sample] < row[TIME]:
        a.sample += 1
    for k in range(samples.shape[0]):
        for j in range(2 * m.n):
            samples[k, j] = math.nan
    for k in range(watched.shape[0]):
        watched[k, COUNT], watched[k, FIRST_TIME], watched[k, LAST_TIME] = 0.0, math.nan, math.nan
    if extrema.shape[0] > 0:
        for j in range(2 * m.n):
            extrema[0, j] = extrema[1, j] = row[FIRST + j]


@kernel
def finish_reading(m: Machine, s: Motion, a: Reader, t: Real, times: Reals, samples: Reals2, extrema: Reals2) -> None:
    """The run has ended at t: so has its last step, and the final state is the last one."""
    for j in range(m.n):
        a.final[j], a.final[m.n + j] = s.q[j] + s.turned[j], s.u[j]
    if a.held:
        end_step(m, s, a, t, a.final, times, samples, extrema)
    while a.sample < times.shape[0] and times[a.sample] <= t:
        for k in range(2 * m.n):
            samples[a.sample, k] = a.final[k]
        a.sample += 1
    if extrema.shape[0] > 0:
        for k in range(2 * m.n):
            widen(extrema, k, a.final[k])


@kernel
def write_mode(m: Machine, s: Motion, facts: Integers) -> None:
    """The words of the mode of all contacts: the first among the facts, the others behind them."""
    for k in range(all_words(s.settings.roster, m.nc)):
        facts[MODE if k == 0 else FACTS + k - 1] = 0 if s.settings.roster != 0 else encode_word(s.modes, m.nc, k)
    for i in range(m.nc if s.settings.roster != 0 else 0):
        k = named(s.settings.roster, i)
        facts[MODE if k < WORD else FACTS + k // WORD - 1] += s.modes[i] << (3 * (k % WORD))


@kernel
def write_end(
    m: Machine,
    w: Workspace,
    s: Motion,
    record: Record,
    a: Reader,
    t: Real,
    status: Integer,
    ends: Reals,
    facts: Integers,
) -> None:
    """How the run ended."""
    ends[0] = t
    for k in range(2 * m.n):
        ends[END_STATE + k] = a.final[k]
    at = END_STATE + 2 * m.n
    for k in range(WORKS):
        ends[at + k] = s.ledger[k]
    nc = all_contacts(s.settings.roster, m.nc)
    if s.settings.roster != 0:
        show_contacts(m, w, s)
    for i in range(nc):
        ends[at + WORKS + i] = s.loss[i] if s.settings.roster == 0 else loss_of(s.settings.roster, i)
    for k in range(m.nd):
        ends[at + WORKS + nc + k] = m.p[m.states + k]
    if m.nr > 0:
        ends[at + WORKS + nc + m.nd] = s.reset_work
    facts[STATUS], facts[EVENTS], facts[IMPACTS] = status, record.counter[EVENTS_TOTAL], record.counter[IMPACTS_TOTAL]
    facts[STEPS], facts[GUARD] = record.counter[STEPS_TOTAL], s.report.stopped_by
    write_mode(m, s, facts)


@kernel
def one_run(
    m: Machine,
    w: Workspace,
    s: Motion,
    record: Record,
    a: Reader,
    row: Reals,
    kinds: Integers2,
    times: Reals,
    ends: Reals,
    facts: Integers,
    watched: Reals2,
    samples: Reals2,
    extrema: Reals2,
    cancel: Integers,
) -> Integer:
    """The run whose records are loaded, to its end; returns its status or CANCELLED."""
    begin_reading(m, record, a, row, times, watched, samples, extrema)
    span = row[END] - row[TIME]
    while True:
        status = run_machine(m, w, s, address(w.point, 0), 0, record)  # no schedule
        read_buffers(m, s, record, a, span, kinds, watched, times, samples, extrema)
        if status >= 0:
            break
        if cancel[0] != 0:
            return CANCELLED
    t = s.epoch + s.t
    finish_reading(m, s, a, t, times, samples, extrema)
    write_end(m, w, s, record, a, t, status, ends, facts)
    return status


@block(
    i8(
        machine_record,
        workspace_record,
        motion_record,
        motion_record,
        buffer_record,
        reader_record,
        f8_2d,
        f8_2d,
        i8_2d,
        f8_1d,
        f8_2d,
        i8_2d,
        f8_3d,
        f8_3d,
        f8_3d,
        i8_1d,
    )
)
def run_all(
    m: Machine,
    w: Workspace,
    s: Motion,
    fresh: Motion,
    record: Record,
    reader: Reader,
    starts: Reals2,
    parameters: Reals2,
    kinds: Integers2,
    times: Reals,
    ends: Reals2,
    facts: Integers2,
    watched: Reals3,
    samples: Reals3,
    extrema: Reals3,
    cancel: Integers,
) -> Integer:
    """Every run; returns how many were done before ``cancel[0]`` was set.

    starts, parameters   one row a run: run_start.py
    kinds                events that are counted: rows (kind, contact or guard)
    times                at which the state is wanted, ascending
    ends, facts          how runs ended
    watched              [run, kind, 3]: count, first and last time
    samples              [run, time, q and u]
    extrema              [run, 2 or 0, q and u]: least and largest
    """
    for i in range(starts.shape[0]):
        load_run(m, s, fresh, starts[i], parameters[i])
        status = one_run(
            m, w, s, record, reader, starts[i], kinds, times,
            ends[i], facts[i], watched[i], samples[i], extrema[i], cancel,
        )  # fmt: skip
        if status == CANCELLED or cancel[0] != 0:
            return i
    return starts.shape[0]
