"""The next mode: all that are consistent, and the choice among them.

All combinations over the candidates are tried: few contacts, and enumeration also counts. No consistent mode is an
inconsistency (an impact without collision follows); several with different open sets are an indeterminacy, decided by a
named policy.

At most events a condition of the mode sought holds only as an equality: a force has vanished and the gap starts to open
without acceleration, friction has reached its limit and the slip starts without any. A mode lasts if there is a moment
behind the instant in which its conditions hold, so what decides is their first derivative that is not zero. It is found
on the motion itself: one step is taken in the mode in question, and its conditions are looked at on it from the very
first part on, until each has become clearly positive or clearly negative. One that never does, as that of two bodies
which move side by side without a force, is kept as it is.
"""

from jounce.kernels.contact.forces import derivative, evaluate_model, solve_mode
from jounce.kernels.contact.modes import all_stick, count_closed, encode, follows_from, judge
from jounce.kernels.contact.terms import contact_acceleration, measure_terms
from jounce.kernels.flow.runge_kutta import interpolant_rows, interpolate, make_interpolant, take_step
from jounce.kernels.flow.stepping import first_step_size
from jounce.kernels.records.codes import (
    GUARD_FREE,
    INDETERMINATE,
    KEEP_CONTACT,
    OPEN,
    PARADOX,
    SLIP_NEGATIVE,
    SLIP_POSITIVE,
    STICK,
    STOP_IF_INDETERMINATE,
)
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import REGION, add_event
from jounce.kernels.records.tolerances import EQUALITY, INDEFINITE_FORCES, NEAREST_LOOK, SHORTENINGS, SHORTER, SLIGHTLY
from jounce.kernels.records.workspace import CONTACT_STRIDE, machine_record, workspace_record
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, kernel

ALL_CONDITIONS = -1
NOTHING, EQUALITIES, SURE = 0, 1, 2  # what a search has found: see ``select_mode``
CHOSEN, NO_MODE, REFUSED = 0, 1, 2  # see ``choose_mode``


@kernel
def next_option(m, w, s, i, mode):
    """The option of contact i after ``mode`` (-1: before the first); -2 when there is none left."""
    candidate, resting = s.candidate, s.resting
    if not candidate[i]:
        if mode != -1:
            return -2
        return s.modes[i] if m.compliant[i] else OPEN
    if mode == -1:
        return OPEN
    if not m.has_slip[i]:
        return SLIP_POSITIVE if mode == OPEN else -2
    if resting[i]:
        # stick before slip: it wins among equals
        if mode == OPEN:
            return STICK
        if mode == STICK:
            return SLIP_POSITIVE
        return SLIP_NEGATIVE if mode == SLIP_POSITIVE else -2
    slip = w.contact[i * (CONTACT_STRIDE + 2 * m.n) + 2]
    return (SLIP_POSITIVE if slip > 0.0 else SLIP_NEGATIVE) if mode == OPEN else -2


@kernel
def advance_trial(m, w, s, trial):
    """The next combination, like a counter; False after the last."""
    for i in range(m.nc):
        option = next_option(m, w, s, i, trial[i])
        if option != -2:
            trial[i] = option
            return True
        trial[i] = next_option(m, w, s, i, -1)
    return False


@kernel
def compare(candidate, previous, trial, nc):
    """(open candidates, a measure of change against ``previous`` and towards slip, bit set of open candidates)."""
    open_count = 0
    open_set = 0
    changes = 0.0
    for i in range(nc):
        if not candidate[i]:
            continue
        if trial[i] == OPEN:
            open_count += 1
            open_set += 1 << i
        elif trial[i] != STICK:
            changes += 0.1
        if trial[i] != previous[i]:
            changes += 0.01
    return open_count, changes, open_set


@kernel
def count_bits(bits):
    """How many conditions a set holds."""
    count = 0
    while bits:
        count += bits & 1
        bits >>= 1
    return count


@kernel
def exchange_modes(m, s):
    """Make the mode s.trial the present one, or undo that."""
    for i in range(m.nc):
        s.modes[i], s.trial[i] = s.trial[i], s.modes[i]


@kernel
def step_ahead(m, w, s):
    """Take a step from the state in q and u in the present mode, as long as it is accurate; returns its length."""
    for j in range(m.n):
        s.z[j], s.z[m.n + j] = s.q[j], s.u[j]
    closed = count_closed(s.modes, m.nc)
    derivative(m, w, s.t, s.z, s.modes, closed, 0)
    length = s.step_size if s.step_size > 0.0 else first_step_size(m, w, s, 0, s.t_end - s.epoch - s.t)
    if s.reach > 0.0:
        length = min(length, s.reach)
    for _ in range(SHORTENINGS):
        if take_step(m, w, s, length, closed) <= 1.0:
            break
        length *= SHORTER
    make_interpolant(m, w, s, length, closed)
    return length


@kernel
def state_ahead(m, w, s, x, length):
    """Model data at a part x of the step just taken; False if they are not finite."""
    interpolate(s.z, w.interpolant, interpolant_rows(s.pair), x, 2 * m.n, w.point)
    return evaluate_model(m, w, s.t + x * length, address(w.point, 0), address(w.point, m.n))


@block(f8(machine_record, workspace_record, motion_record, i8))
def bend_ahead(m, w, s, i):
    """g'' of contact i, which has neither gap nor rate, as soon as it is clear on the motion in the present mode.

    Zero if it never is. Needs ``evaluate_model``.
    """
    solve_mode(m, w, address(s.modes, 0))
    measure_terms(m, w, address(s.modes, 0))
    value, size = contact_acceleration(m, w, i, False)
    if abs(value) > EQUALITY * size:
        return value
    length = step_ahead(m, w, s)
    bend, x = 0.0, NEAREST_LOOK
    while bend == 0.0 and x <= 1.0 and state_ahead(m, w, s, x, length):
        solve_mode(m, w, address(s.modes, 0))
        measure_terms(m, w, address(s.modes, 0))
        value, size = contact_acceleration(m, w, i, False)
        if abs(value) > EQUALITY * size:
            bend = value
        x *= 4.0
    evaluate_model(m, w, s.t, address(s.q, 0), address(s.u, 0))
    return bend


@block(i8(machine_record, workspace_record, motion_record, i8))
def look_ahead(m, w, s, weak):
    """Those of the conditions in ``weak`` that never become clear on the motion in s.trial; -1 if one is broken.

    A contact that is to slide and never does has the wrong mode: it sticks.
    """
    exchange_modes(m, s)
    length = step_ahead(m, w, s)
    exchange_modes(m, s)
    x = NEAREST_LOOK
    while weak > 0 and x <= 1.0 and state_ahead(m, w, s, x, length):
        weak = judge(m, w, s, s.trial, weak, True)
        x *= 4.0
    evaluate_model(m, w, s.t, address(s.q, 0), address(s.u, 0))
    for i in range(m.nc):
        if weak > 0 and weak & (2 << (2 * i)) and slides(s.trial[i]):
            weak = -1
    return weak


@kernel
def slides(mode):
    """Whether a contact in this mode slides."""
    return mode == SLIP_POSITIVE or mode == SLIP_NEGATIVE


@kernel
def was_tried(s, nc, count):
    """Whether the mode s.trial is among the first ``count`` of those tried at this instant."""
    code = encode(s.trial, nc)
    for k in range(count):
        if s.tried[k] == code:
            return True
    return False


@kernel
def keep_trial(s, to, nc):
    """Copy the mode s.trial."""
    for i in range(nc):
        to[i] = s.trial[i]


@block(f8(machine_record, workspace_record, motion_record, i8, i8))
def best_mode(m, w, s, tried_count, look):
    """Search all modes but the first ``tried_count`` tried ones; s.chosen receives the best, its cost is returned.

    The cost is 1000 for each condition that is only an equality, then the policy, then changes; none: 1e300. ``look``:
    look ahead where there are equalities. s.open_sets receives the number of different sets of open contacts among the
    modes without any; s.nearest the mode that breaks its conditions least, s.least by how much. s.trial is scratch.
    """
    nc = m.nc
    for i in range(nc):
        s.trial[i] = next_option(m, w, s, i, -1)
    best, s.least, s.open_sets, first_open_set = 1e300, 1e300, 0, -1
    while True:
        if not was_tried(s, nc, tried_count):
            weak = judge(m, w, s, s.trial, ALL_CONDITIONS, False)
            if weak > 0 and s.guard_kind == GUARD_FREE and follows_from(s, s.guard_contact, s.trial, nc):
                # stick is given up because the gap would open: that it does so needs no test
                weak &= ~(1 << (2 * s.guard_contact))
            if weak < 0 and s.broken < s.least:
                s.least = s.broken
                keep_trial(s, s.nearest, nc)
            open_count, changes, open_set = compare(s.candidate, s.modes, s.trial, nc)
            if weak == 0 and open_set != first_open_set:
                s.open_sets += 1
                first_open_set = open_set
            indefinite = not s.determinate and not all_stick(m, s.trial)
            if weak > 0 and look:
                weak = look_ahead(m, w, s, weak)
            if weak >= 0:
                equalities = count_bits(weak) + (INDEFINITE_FORCES if indefinite else 0)
                preference = open_count if s.indeterminate == KEEP_CONTACT else -open_count
                cost = 1000.0 * equalities + 10.0 * preference + changes
                if cost < best:
                    best = cost
                    keep_trial(s, s.chosen, nc)
        if not advance_trial(m, w, s, s.trial):
            return best


@kernel
def select_mode(m, w, s, tried_count):
    """Choose among all consistent modes but the first ``tried_count`` tried: SURE, EQUALITIES or NOTHING.

    A mode whose conditions all hold clearly is SURE, here or a moment ahead. Where none is, one that has EQUALITIES
    ahead may do, or else here. Needs ``evaluate_model`` at the state.
    """
    best = best_mode(m, w, s, tried_count, 0)
    if best >= 1e300:
        return NOTHING
    if best < 500.0:
        return SURE
    open_sets = s.open_sets
    ahead = best_mode(m, w, s, tried_count, 1)
    if ahead >= 1e300:
        best_mode(m, w, s, tried_count, 0)
        return EQUALITIES
    s.open_sets = open_sets
    return SURE if ahead < 500.0 else EQUALITIES


@kernel
def consistent_mode(m, w, s):
    """Find s.chosen; False if there is no mode.

    The mode just left is asked last: it is the one that goes on where its guard has only touched zero. If all that is
    left is broken by rounding, the one that breaks its conditions least goes on.
    """
    fresh = select_mode(m, w, s, s.tried_count)
    if fresh == SURE:
        return True
    least = s.least
    if s.tried_count > 0:
        any_mode = select_mode(m, w, s, 0)
        if any_mode == SURE or (any_mode == EQUALITIES and fresh == NOTHING):
            return True
        least = s.least
    if fresh == EQUALITIES:
        select_mode(m, w, s, s.tried_count)
        return True
    if least > SLIGHTLY:
        return False
    for i in range(m.nc):
        s.chosen[i] = s.nearest[i]
    return True


@kernel
def first_candidate(m, s):
    """The first contact that may last, -1 if there is none."""
    for i in range(m.nc):
        if s.candidate[i]:
            return i
    return -1


@kernel
def choose_mode(m, w, s, record):
    """Select the next mode, to s.chosen: CHOSEN, NO_MODE where none is consistent, REFUSED by the policy."""
    if first_candidate(m, s) < 0:
        for i in range(m.nc):
            s.chosen[i] = s.modes[i] if m.compliant[i] else OPEN
        return CHOSEN
    if not consistent_mode(m, w, s):
        return NO_MODE
    if s.open_sets > 1:
        if s.repeats == 0:
            # without progress in time it is still the one that has been written
            row = add_event(record, s.t, PARADOX, first_candidate(m, s), -1, -1)
            if row >= 0:
                record.event_integer[row, REGION] = INDETERMINATE
        if s.indeterminate == STOP_IF_INDETERMINATE:
            return REFUSED
    return CHOSEN
