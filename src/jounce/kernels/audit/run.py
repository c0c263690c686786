"""The audit of one recorded run, from its first step to its last."""

from jounce.kernels.audit.faces import hold_in_step, note_faces
from jounce.kernels.audit.gaps import check_gaps, gaps_at_start, interpolate
from jounce.kernels.audit.in_force import keep_parameters, take_memory, take_parameters
from jounce.kernels.audit.jumps import check_momentum, check_position, check_rows, moves_on
from jounce.kernels.audit.place import check_place, contact_limit, evaluate_place, weigh_place
from jounce.kernels.audit.record import (
    NOT_FINITE,
    TOO_MANY_NEAR,
    audit_record,
    report,
)
from jounce.kernels.audit.sides import check_sides, find_side_limits
from jounce.kernels.audit.sizes import measure
from jounce.kernels.contact.faces import release_faces
from jounce.kernels.contact.near import all_gaps, farthest, make_list
from jounce.kernels.records.arrays import integers_at
from jounce.kernels.records.codes import CHATTER, LEAP, MODE_BASE, RESET_EVENT, WORD
from jounce.kernels.records.fields import Audit, Machine
from jounce.kernels.records.recording import KIND, STEP
from jounce.kernels.records.roster import named, roster_at
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.tolerances import BEFORE_END, JUMP_KNOWN, NO_HOLE, TIME_KNOWN
from jounce.kernels.records.workspace import machine_record
from jounce.toolchain.abi import f8_1d, f8_2d, f8_3d, i8_2d, void
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Integers2, Real, Reals, Reals2, Reals3, Truth


@kernel
def set_modes(m: Machine, a: Audit, words: Integers) -> None:
    """The mode of every contact from the words of the mode of the system."""
    for i in range(m.nc):
        k = named(a.roster, i)
        a.mode[i] = (words[k // WORD] >> (3 * (k % WORD))) % MODE_BASE


@kernel
def modes_of_step(m: Machine, a: Audit, modes: Integers2, step: Integer) -> None:
    """The mode of every contact on a step, or at the end of the run."""
    if step == modes.shape[0]:
        set_modes(m, a, a.last_mode)
    else:
        set_modes(m, a, modes[step])


@kernel
def load_rates(m: Machine, a: Audit, rows: Reals2, h: Real) -> None:
    """The derivative at the start of a step, into a.dz, and the sizes of what it is the sum of."""
    for k in range(2 * m.n):
        a.dz[k] = (rows[1, k] + rows[2, k]) / h
    for k in range(m.n):
        j = m.n + k
        a.row_size[k] = abs(rows[1, j]) + abs(rows[2, j]) + (abs(rows[3, j]) if rows.shape[0] > 3 else 0.0)


@kernel
def load_place(m: Machine, a: Audit, rows: Reals2, h: Real, x: Real) -> None:
    """State and derivative at x of a step, into a.z and a.dz."""
    for k in range(2 * m.n):
        nested, slope = rows[rows.shape[0] - 1, k], 0.0
        for i in range(rows.shape[0] - 2, 0, -1):
            if i % 2:
                slope = slope * (1.0 - x) - nested
                nested = nested * (1.0 - x) + rows[i, k]
            else:
                slope = slope * x + nested
                nested = nested * x + rows[i, k]
        a.z[k] = rows[0, k] + x * nested
        a.dz[k] = (nested + x * slope) / h


@kernel
def keep_gaps(m: Machine, a: Audit) -> None:
    """Gaps, rates and limits of gaps from the place evaluated last."""
    for i in range(m.nc):
        base = contact_place(m, i)
        a.gap[2 * i], a.gap[2 * i + 1] = a.contact[base], a.contact[base + 1]
        a.gap_limit[i] = contact_limit(m, a, i)


@kernel
def end_of_rows(integers: Integers2, first: Integer, boundary: Integer) -> Integer:
    """The first row behind those of a boundary."""
    while first < integers.shape[0] and integers[first, STEP] <= boundary:
        first += 1
    return first


@kernel
def ends_in_chatter(integers: Integers2, first: Integer, boundary: Integer) -> Truth:
    """Whether rows of this boundary, from ``first`` on, end a chatter."""
    while first < integers.shape[0] and integers[first, STEP] <= boundary:
        if integers[first, KIND] == CHATTER:
            return True
        first += 1
    return False


@kernel
def has_reset(integers: Integers2, first: Integer, last: Integer) -> Truth:
    """Whether one of these rows is a reset: the state then jumps by a map of the user's, which the record names."""
    for row in range(first, last):
        if integers[row, KIND] == RESET_EVENT:
            return True
    return False


@kernel
def check_boundary(
    m: Machine,
    a: Audit,
    first: Integer,
    last: Integer,
    floats: Reals2,
    integers: Integers2,
    duration: Real,
    chatter: Truth,
) -> None:
    """The change from a.before to the place evaluated last; resets are compared with their maps elsewhere."""
    if has_reset(integers, first, last):
        check_rows(m, a, first, last, floats, integers)
        return
    check_position(m, a, duration)
    if last > first:
        check_rows(m, a, first, last, floats, integers)
    if last > first or not moves_on(m, a):
        check_momentum(m, a, first, last, floats, integers, duration, chatter)


@kernel
def check_inside(m: Machine, a: Audit, rows: Reals2, start: Real, h: Real, last: Real) -> None:
    """Places inside a step, and its end.

    A step that meets a jump of a force, a coefficient or a surface ends behind it, by no more than shows: what has been
    in force on the step is asked before that, as well as the time of a jump is known.
    """
    before, known = 0.0, 0.0
    for k in range(m.ng):
        if m.guard_kink[k] >= LEAP:
            before, known = BEFORE_END, JUMP_KNOWN * (abs(start) + h)
    for inner in range(a.inner):
        x = last * (inner + 1.0 - (before if inner + 1 == a.inner else 0.0)) / a.inner
        if known > 0.0 and (last - x) * h < known:  # without a jump x may be behind the end by rounding
            continue
        a.t = start + x * h
        load_place(m, a, rows, h, x)
        evaluate_place(m, a)
        check_place(m, a, 1, h)


@kernel
def load_start(m: Machine, a: Audit, starts: Reals, modes: Integers2, coefficients: Reals3, step: Integer) -> Truth:
    """The place at which a step starts, or the end of the run; True if other contacts are near than before."""
    n, renewed = m.n, False
    if step == starts.shape[0]:
        a.t = a.final[2 * n]
        for k in range(2 * n):
            a.z[k] = a.final[k]
        renewed = a.roster != 0 and renew_near(m, a, a.piece, 0)
    else:
        a.t = starts[step]
        for k in range(2 * n):
            a.z[k] = coefficients[step, 0, k]
        renewed = a.roster != 0 and renew_near(m, a, coefficients[step], coefficients.shape[1] - 1)
    modes_of_step(m, a, modes, step)
    return renewed


@kernel
def look_behind_jump(m: Machine, a: Audit, h: Real) -> None:
    """A step that starts at a jump starts behind it; where the rounding of the time hides that, look a little later.

    Times are counted in periods of the model while a run goes on, and in all behind it.
    """
    if m.ng == 0:
        return
    z, p, later = address(a.z, 0), address(m.p, 0), a.t + TIME_KNOWN * (abs(a.t) + h)
    call_state(m.guards, a.t, z, address(a.z, m.n), p, address(a.ahead, 0))
    call_state(m.guards, later, z, address(a.z, m.n), p, address(a.deeper, 0))
    for k in range(m.ng):
        if m.guard_kink[k] >= LEAP and (a.ahead[k] > 0.0) != (a.deeper[k] > 0.0):
            a.t = later
            return


@kernel
def renew_near(m: Machine, a: Audit, values: Reals2, rows: Integer) -> Truth:
    """Let the contacts be those that may touch on a step from a.z with so many rows; True if they are others now.

    Closed contacts are among them whatever rounding makes of their gaps.
    """
    r, rounding = roster_at(a.roster), 0.0
    if r.changes > 0 and farthest(m, r, a.z, values, 1, rows) <= r.skin:
        return False
    weigh_place(m, a)
    for k in range(m.n):
        if k % 3 < 2 and not a.place_known[k] <= rounding:
            rounding = a.place_known[k]
    all_gaps(m, r, a.t, address(a.z, 0), address(a.z, m.n))
    if not make_list(m, r, a.z, values, 1, rows, rounding):
        report(a, a.t, -1, TOO_MANY_NEAR, 0.0, 0.0)
    m.p[m.np] = float(r.list_address)
    return True


@kernel
def share_of(start: Real, h: Real, until: Real) -> Real:
    """How much of a step is gone through: all, unless the next one starts before its end."""
    return (until - start) / h if until < start + h else 1.0


@kernel
def finish_step(m: Machine, a: Audit, rows: Reals2, start: Real, h: Real, last: Real) -> None:
    """The rest of a step up to x = last: its gaps, places inside; its end is left in a.before."""
    interpolate(m, rows, last, a.before)
    check_gaps(m, a, rows, start, h, last)
    if a.inner > 0:
        check_inside(m, a, rows, start, h, last)


@block(void(machine_record, audit_record, f8_1d, f8_1d, i8_2d, f8_3d, f8_2d, i8_2d))
def audit_run(
    m: Machine,
    a: Audit,
    starts: Reals,
    lengths: Reals,
    modes: Integers2,
    coefficients: Reals3,
    floats: Reals2,
    integers: Integers2,
) -> None:
    """Look at every step and every boundary of a record; findings go to a.finding, their number to a.found.

    modes: the words of the mode on every step. The rest of the record is in ``a``; parameters that no schedule changes
    are in force in ``m``.
    """
    n, steps = m.n, starts.shape[0]
    a.found = 0
    release_faces(m)
    finite = measure(m, a, lengths, coefficients, integers.shape[0] > 0 and integers[0, STEP] == 0)
    if finite <= steps:
        report(a, starts[finite] if finite < steps else a.final[2 * n], -1, NOT_FINITE, 0.0, 0.0)
        return
    first, chatter, before_t, seen = 0, False, a.first[2 * n], 0
    a.ahead_known = 0
    for k in range(2 * n):
        a.before[k] = a.first[k]
    for step in range(steps + 1):
        if integers_at(a.cancel).at[0] != 0:
            return
        ended, last = step == steps, end_of_rows(integers, first, step)
        if step > 0:
            keep_parameters(m, a)
        changed = take_parameters(m, a, step, ended)
        h = 1.0 if ended else lengths[step]
        renewed = load_start(m, a, starts, modes, coefficients, step)
        if m.compliant_contacts > 0:
            changed = take_memory(m, a, first, last, floats, integers) or changed
        if step == 0:
            keep_parameters(m, a)
        until = starts[step + 1] if step + 1 < steps else a.final[2 * n]
        if m.faces != 0:
            faces = integers_at(a.faces).at
            note_faces(first, last, integers, faces)
            if not ended:
                hold_in_step(m, a, coefficients[step], starts[step], h, share_of(starts[step], h, until), faces)
        chatters = ends_in_chatter(integers, last, step + 1)
        duration = a.t - before_t if a.t - before_t > NO_HOLE * abs(a.t) else 0.0
        seen += last > first
        number, goes_on = seen if last > first else step, moves_on(m, a)
        if renewed or number <= a.whole or number % a.every == 0 or ended or not (last > first or goes_on):
            look_behind_jump(m, a, h)
            evaluate_place(m, a)
            keep_gaps(m, a)
            if not ended and not chatters:
                load_rates(m, a, coefficients[step], h)
                check_place(m, a, 0, h)
            check_boundary(m, a, first, last, floats, integers, duration, chatter)
            modes_of_step(m, a, modes, step)
        else:
            same = not has_reset(integers, first, last) and check_position(m, a, duration)
            goes_on = goes_on and same and duration == 0.0 and not changed and m.faces == 0
            gaps_at_start(m, a, goes_on)
        if ended:
            return
        if a.switches > 0 and (step < a.whole or step % a.every == 0):
            if step == 0:
                find_side_limits(m, a, coefficients)
            check_sides(m, a, coefficients[step], starts[step], h, share_of(starts[step], h, until))
        first, chatter, before_t = last, chatters, starts[step]
        if chatters:
            for k in range(2 * n):
                a.before[k] = a.z[k]
            a.ahead_known = 0
            continue
        before_t = min(starts[step] + h, until) if until - starts[step] - h > NO_HOLE * abs(until) else until
        finish_step(m, a, coefficients[step], starts[step], h, share_of(starts[step], h, until))
