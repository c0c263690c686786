"""A section turns the flow into a map: from one crossing to the next, inside the compiled loop.

A phase section is met whenever t = (k + fraction) T. There the time is set back to fraction T after every turn, so that
the map is the same function at every turn, to the last bit. Other sections stop the loop at a guard or at an event; in
between, whole periods are taken off the time.
"""

import math

import numpy as np

from jounce.kernels.contact.orders import decode_contacts, encode_orders
from jounce.kernels.contact.window import bring_contacts
from jounce.kernels.engine.advance import run_machine
from jounce.kernels.records.codes import (
    AT_REST,
    BUFFERS_FULL,
    FINISHED,
    MODE_BASE,
    NO_RETURN,
    OPEN,
    PAUSED,
    SIDE_PASSED,
    STOPPED,
    WORD,
)
from jounce.kernels.records.fields import Machine, Motion, Plan, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import (
    COUNTERS,
    EVENTS_STORED,
    EVENTS_TOTAL,
    IMPACTS_TOTAL,
    buffer_record,
)
from jounce.kernels.records.roster import all_contacts, all_words, near_place, spread_words
from jounce.kernels.records.scales import forget_scales, natural_time
from jounce.kernels.records.tolerances import ON_PHASE
from jounce.kernels.records.words import encode_word, word_count
from jounce.kernels.records.workspace import STATE, machine_record, workspace_record
from jounce.toolchain.abi import f8_2d, i8, i8_1d, record
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals, Reals2

PHASE, STOP = 0, 1  # kinds of section: a phase of the forcing; a guard or event that stops the loop
CANCELLED = -3
WORD_SIZE = float(MODE_BASE**WORD)
SIGNATURE_MASK = (1 << 52) - 1  # what a float64 holds exactly

# columns of a sample; q and u follow
PHASE_TIME, RETURN_TIME, IMPACTS, EVENTS, MODE, SIGNATURE = 0, 1, 2, 3, 4, 5
FIRST_STATE = 6

# What a section map does, and what the search for its attractors needs besides.
PLAN = np.dtype(
    [
        ("section", "i8"),  # PHASE or STOP
        ("fraction", "f8"),  # of the period, for PHASE
        ("longest_return", "f8"),  # time after which a return is given up, for STOP
        ("natural_returns", "f8"),  # > 0: so many times that in which the start changes by itself, if it does
        ("parameter", "i8"),  # index of the parameter that varies; -1: none
        ("carried", "i8"),  # whether each value starts where the one before ended
        ("transient", "i8"),  # returns before the attractor is looked at
        ("keep", "i8"),  # samples of a motion that does not repeat
        ("twin_returns", "i8"),  # over which the growth of a small deviation is measured
        ("recurrence", "f8"),  # deviation relative to the scales of the run within which points are the same
        ("wrap", "f8", (STATE,)),  # period of a component of z; 0: none; negative: it does not count
    ],
    align=True,
)
plan_record = record(PLAN)


@kernel
def set_clock(m: Machine, s: Motion, t: Real, record: Record) -> None:
    """Let the present instant be the time t of turn 0."""
    s.memory.last_instant += t - s.t
    for k in range(m.ng):
        s.memory.user_time[k] += t - (s.epoch + s.t)
    s.t = t
    s.turns = 0
    s.epoch = record.epoch = 0.0


@kernel
def flow_until(m: Machine, w: Workspace, s: Motion, record: Record, cancel: Integers) -> Integer:
    """Advance to s.settings.t_end or to a stop, whatever the buffers say; returns a status or CANCELLED."""
    while cancel[0] == 0:  # before each return too: thousands of short ones follow one another without a pause
        status = run_machine(m, w, s, address(w.point, 0), 0, record)  # no schedule
        if status == BUFFERS_FULL:
            record.counter[EVENTS_STORED] = 0
        elif status != PAUSED:
            return status
    return CANCELLED


@kernel
def go_to_phase(
    m: Machine, w: Workspace, s: Motion, plan: Plan, record: Record, cancel: Integers
) -> tuple[Integer, Real]:
    """From a start at any time to the phase of the section; returns 0 when it is there, and the time that it took."""
    T = s.settings.period
    wait = (plan.fraction * T - s.t) % T
    if wait <= ON_PHASE * T or wait >= (1.0 - ON_PHASE) * T:
        return 0, 0.0
    s.settings.t_end = s.t + wait
    status = flow_until(m, w, s, record, cancel)
    return 0 if status == FINISHED else status, wait


@kernel
def limit_returns(m: Machine, w: Workspace, s: Motion, plan: Plan) -> None:
    """Let returns be given up by the time of the motion that begins in s; needs ``forget_scales``."""
    if plan.natural_returns > 0.0:
        natural = natural_time(m, w, s)
        if 0.0 < natural < math.inf:
            plan.longest_return = plan.natural_returns * natural


@kernel
def crossing(m: Machine, w: Workspace, s: Motion, plan: Plan, record: Record, cancel: Integers) -> tuple[Integer, Real]:
    """From wherever s is to the next crossing; returns 0 there, else the status with which the motion ended.

    The time since is s.epoch + s.t minus the time at the start, which is returned too.
    """
    record.seen = 0
    if plan.section == PHASE:
        set_clock(m, s, plan.fraction * s.settings.period, record)
        s.settings.t_end = s.t + s.settings.period
    else:
        if s.settings.period > 0.0:
            set_clock(m, s, s.t - math.floor(s.t / s.settings.period) * s.settings.period, record)
        s.settings.t_end = s.t + plan.longest_return
    return finish_return(m, w, s, plan, record, s.t, cancel)


@kernel
def finish_return(
    m: Machine, w: Workspace, s: Motion, plan: Plan, record: Record, began: Real, cancel: Integers
) -> tuple[Integer, Real]:
    """``crossing`` of a return that began at the run's time ``began``, from wherever s is."""
    status = flow_until(m, w, s, record, cancel)
    duration = s.epoch + s.t - began
    if plan.section == PHASE:
        return 0 if status == FINISHED else status, duration
    if status == FINISHED:
        status = NO_RETURN
    return 0 if status == STOPPED else status, duration


@kernel
def clear_counts(record: Record) -> None:
    """Forget what has been counted and hashed."""
    for k in range(COUNTERS):
        record.counter[k] = 0
    record.signature = record.lost = 0


@kernel
def phase_time(s: Motion, plan: Plan) -> Real:
    """The time within the period at a crossing; 0 for a model without time."""
    if plan.section == PHASE:
        return plan.fraction * s.settings.period
    if s.settings.autonomous or s.settings.period == 0.0:
        return 0.0 if s.settings.autonomous else s.t
    return s.t - math.floor(s.t / s.settings.period) * s.settings.period


@kernel
def own_events(plan: Plan, record: Record) -> Integer:
    """How many events of a return are the section's own: the guard at which it ends is one, a watched event is not."""
    return 1 if plan.section == STOP and record.watch_kind == 0 else 0


@kernel
def memory_size(m: Machine) -> Integer:
    """How many numbers a run remembers: two for each compliant contact, then the discrete states."""
    return 2 * m.compliant_contacts + m.nd


@kernel
def write_memory(m: Machine, row: Reals, at: Integer) -> None:
    """What compliant contacts remember and the discrete states, behind the state, where the row has room for it."""
    if row.shape[0] < at + memory_size(m):
        return
    for i in range(m.nc):
        if m.compliant[i]:
            row[at], row[at + 1] = m.p[m.memory[i]], m.p[m.memory[i] + 1]
            at += 2
    for k in range(m.nd):
        row[at + k] = m.p[m.states + k]


@kernel
def read_memory(m: Machine, row: Reals, at: Integer) -> Integer:
    """The same back into the parameter vector; 0 where the row does not know what compliant contacts remember.

    What is not known is NaN in a row that has room for it; discrete states are then those of the model.
    """
    known = row.shape[0] >= at + memory_size(m)
    for k in range(m.nd):
        value = row[at + 2 * m.compliant_contacts + k] if known else math.nan
        m.p[m.states + k] = m.state_initial[k] if math.isnan(value) else value
    if m.compliant_contacts == 0 or not known or math.isnan(row[at]):
        return 0
    for i in range(m.nc):
        if m.compliant[i]:
            m.p[m.memory[i]], m.p[m.memory[i] + 1] = row[at], row[at + 1]
            at += 2
    return 1


@kernel
def write_modes(m: Machine, s: Motion, out: Reals) -> None:
    """The words of the mode of all contacts."""
    if s.settings.roster != 0:
        spread_words(s.settings.roster, s.modes, m.nc, OPEN, out)
        return
    for k in range(word_count(m.nc)):
        out[k] = encode_word(s.modes, m.nc, k)


@kernel
def write_contacts(m: Machine, s: Motion, row: Reals, at: Integer) -> None:
    """Modes and orders of the contacts behind the memory, where the row has room for them."""
    words = all_words(s.settings.roster, m.nc)
    if row.shape[0] >= at + 2 * words:
        write_modes(m, s, address(row, at))
        encode_orders(m, s, address(row, at + words))


@kernel
def read_contacts(m: Machine, s: Motion, row: Reals, at: Integer) -> Integer:
    """The same back into the record of a motion; 0 where the row does not know them."""
    words = all_words(s.settings.roster, m.nc)
    if row.shape[0] < at + 2 * words or not row[at] >= 0.0:
        return 0
    if s.settings.roster != 0:
        bring_contacts(s.settings.roster, address(row, at), address(row, at + words))
    else:
        decode_contacts(m, s, row, at)
    return 1


@kernel
def write_sides(m: Machine, s: Motion, row: Reals, at: Integer) -> None:
    """On which side of zero each guard is, behind the contacts, where the row has room for it: see State."""
    for k in range(m.ng if row.shape[0] >= at + m.ng else 0):
        row[at + k] = SIDE_PASSED if s.user_fresh[k] else s.user_sign[k]


@kernel
def mode_number(m: Machine, s: Motion) -> Real:
    """The mode of all contacts as one number, which does not tell all of them apart where there are many."""
    code = 0.0
    if s.settings.roster != 0:
        for k in range(all_contacts(s.settings.roster, m.nc) - 1, -1, -1):
            i = near_place(s.settings.roster, k)
            code = code * MODE_BASE + (s.modes[i] if i >= 0 else OPEN)
        return code
    for k in range(word_count(m.nc) - 1, -1, -1):
        code = code * WORD_SIZE + encode_word(s.modes, m.nc, k)
    return code


@kernel
def write_sample(m: Machine, s: Motion, plan: Plan, record: Record, duration: Real, row: Reals) -> None:
    """One crossing as a row of numbers."""
    row[PHASE_TIME] = phase_time(s, plan)
    row[RETURN_TIME] = duration
    row[IMPACTS] = record.counter[IMPACTS_TOTAL]
    row[EVENTS] = max(record.counter[EVENTS_TOTAL] - own_events(plan, record), 0)
    row[MODE] = mode_number(m, s)
    row[SIGNATURE] = record.signature & SIGNATURE_MASK
    for j in range(m.n):
        row[FIRST_STATE + j] = s.q[j] + s.turned[j]
        row[FIRST_STATE + m.n + j] = s.u[j]
    write_memory(m, row, FIRST_STATE + 2 * m.n)
    at = FIRST_STATE + 2 * m.n + memory_size(m)
    write_contacts(m, s, row, at)
    write_sides(m, s, row, at + 2 * all_words(s.settings.roster, m.nc))


@kernel
def rest_of(m: Machine, s: Motion, plan: Plan, record: Record, samples: Reals2, first: Integer) -> Integer:
    """All samples from ``first`` on are the state of rest; returns how many there are."""
    for rest in range(first, samples.shape[0]):
        write_sample(m, s, plan, record, 0.0, samples[rest])
        clear_counts(record)
    return samples.shape[0]


@block(
    i8(
        machine_record,
        workspace_record,
        motion_record,
        buffer_record,
        plan_record,
        f8_2d,
        i8_1d,
    )
)
def iterate(m: Machine, w: Workspace, s: Motion, record: Record, plan: Plan, samples: Reals2, out: Integers) -> Integer:
    """Fill ``samples`` with the next crossings; returns how many there were, the status is in out[1].

    ``out[0]`` set to 1 by another thread cancels. A motion that comes to rest fills the rest of the samples with it.
    """
    first = out[1] = 0
    if plan.section == STOP and not s.started:
        forget_scales(m, w, s)
        limit_returns(m, w, s, plan)
    if plan.section == PHASE and not s.started:
        clear_counts(record)
        out[1], wait = go_to_phase(m, w, s, plan, record, out)
        if out[1] != 0:
            return rest_of(m, s, plan, record, samples, 0) if out[1] == AT_REST else 0
        if wait > 0.0:
            write_sample(m, s, plan, record, wait, samples[0])
            first = 1
    for k in range(first, samples.shape[0]):
        clear_counts(record)
        status, duration = crossing(m, w, s, plan, record, out)
        if status != 0:
            out[1] = status
            return rest_of(m, s, plan, record, samples, k) if status == AT_REST else k
        write_sample(m, s, plan, record, duration, samples[k])
    return samples.shape[0]
