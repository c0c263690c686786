"""The audit of one recorded run, from its first step to its last."""

import math

from jounce.kernels.audit.faces import hold_in_step, note_faces
from jounce.kernels.audit.gaps import check_gaps, interpolate
from jounce.kernels.audit.jumps import check_momentum, check_position, check_rows, moves_on
from jounce.kernels.audit.place import check_place, contact_limit, evaluate_place, place_limit, weigh_place
from jounce.kernels.audit.record import (
    NOT_FINITE,
    TOO_MANY_NEAR,
    audit_record,
    report,
)
from jounce.kernels.contact.faces import release_faces
from jounce.kernels.contact.near import all_gaps, farthest, make_list
from jounce.kernels.records.codes import CHATTER, LEAP, MODE_BASE, RESET_EVENT, WORD
from jounce.kernels.records.fields import Audit, Machine
from jounce.kernels.records.recording import KIND, STEP
from jounce.kernels.records.roster import named, roster_at
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.tolerances import BEFORE_END, JUMP_KNOWN, LARGEST_MOVE, NO_HOLE, TIME_KNOWN
from jounce.kernels.records.workspace import machine_record
from jounce.toolchain.abi import f8_1d, f8_2d, f8_3d, i8_1d, i8_2d, void
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Integers2, Real, Reals, Reals2, Reals3, Truth


@kernel
def measure(m: Machine, a: Audit, lengths: Reals, coefficients: Reals3, ends: Reals2) -> Truth:
    """Sizes of the run: largest speeds, coordinates and changes over one step. False where a square is not finite.

    A run that continues another one has its sizes too: its start is known to the accuracy of that run.
    """
    n = m.n
    finite = True
    a.longest = a.largest_force = a.largest_normal = a.largest_friction = 0.0
    for k in range(n):
        a.extent[k], a.speed[k], a.moved[k] = a.given[k], a.given[n + k], LARGEST_MOVE * a.given[k]
    for side in range(2):
        for k in range(n):
            place, speed = abs(ends[side, k]), abs(ends[side, n + k])
            finite = finite and math.isfinite(place * place + speed * speed)
            a.extent[k] = max(a.extent[k], place)
            a.speed[k] = max(a.speed[k], speed)
    for step in range(coefficients.shape[0]):
        a.longest = max(a.longest, lengths[step])
        for k in range(n):
            place, speed = abs(coefficients[step, 0, k]), abs(coefficients[step, 0, n + k])
            first, second = abs(coefficients[step, 1, k]), abs(coefficients[step, 2, k])
            finite = finite and math.isfinite(place * place + speed * speed + first * first + second * second)
            a.extent[k] = max(a.extent[k], place)
            a.speed[k] = max(a.speed[k], speed)
            a.moved[k] = max(a.moved[k], first, second)
    return finite


@kernel
def set_modes(m: Machine, a: Audit, modes: Integers2, row: Integer) -> None:
    """The mode of every contact from a row of the words of systems' modes."""
    for i in range(m.nc):
        k = named(a.roster, i)
        a.mode[i] = (modes[row, k // WORD] >> (3 * (k % WORD))) % MODE_BASE


@kernel
def load_step(m: Machine, a: Audit, coefficients: Reals3, step: Integer) -> None:
    """The interpolant of a step, into a.step."""
    a.rows = coefficients.shape[1]
    for i in range(a.rows):
        for k in range(2 * m.n):
            a.step[i, k] = coefficients[step, i, k]


@kernel
def load_place(m: Machine, a: Audit, h: Real, x: Real) -> None:
    """State and derivative at x of the step, into a.z and a.dz."""
    for k in range(2 * m.n):
        nested, slope = a.step[a.rows - 1, k], 0.0
        for i in range(a.rows - 2, 0, -1):
            if i % 2:
                slope = slope * (1.0 - x) - nested
                nested = nested * (1.0 - x) + a.step[i, k]
            else:
                slope = slope * x + nested
                nested = nested * x + a.step[i, k]
        a.z[k] = a.step[0, k] + x * nested
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
def check_inside(m: Machine, a: Audit, start: Real, h: Real, last: Real) -> None:
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
        load_place(m, a, h, x)
        evaluate_place(m, a)
        check_place(m, a, 1, h)


@kernel
def load_start(
    m: Machine, a: Audit, starts: Reals, modes: Integers2, coefficients: Reals3, ends: Reals2, step: Integer, h: Real
) -> Truth:
    """The place at which a step starts, or the end of the run; True if other contacts are near than before."""
    n = m.n
    if step < starts.shape[0]:
        a.t = starts[step]
        load_step(m, a, coefficients, step)
        load_place(m, a, h, 0.0)
    else:
        a.t = ends[1, 2 * n]
        a.rows = 1
        for k in range(2 * n):
            a.z[k] = ends[1, k]
    renewed = a.roster != 0 and renew_near(m, a)
    set_modes(m, a, modes, step)
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
def renew_near(m: Machine, a: Audit) -> Truth:
    """Let the contacts be those that may touch on the step in a.step, from a.z on; True if they are others now.

    Closed contacts are among them whatever rounding makes of their gaps.
    """
    r, rounding = roster_at(a.roster), 0.0
    if r.changes > 0 and farthest(m, r, a.z, a.step, 1, a.rows - 1) <= r.skin:
        return False
    weigh_place(m, a)  # place_limit needs its sizes
    for k in range(m.n):
        if k % 3 < 2 and not place_limit(a, k) <= rounding:
            rounding = place_limit(a, k)
    all_gaps(m, r, a.t, address(a.z, 0), address(a.z, m.n))
    if not make_list(m, r, a.z, a.step, 1, a.rows - 1, rounding):
        report(a, a.t, -1, TOO_MANY_NEAR, 0.0, 0.0)
    m.p[m.np] = float(r.list_address)
    return True


@kernel
def skip_place(m: Machine, a: Audit) -> None:
    """Only the gaps, of a place that is not looked at in full."""
    if m.nc > 0:
        call_state(m.gaps, a.t, address(a.z, 0), address(a.z, m.n), address(m.p, 0), address(a.gap, 0))


@kernel
def finish_step(m: Machine, a: Audit, start: Real, h: Real, last: Real) -> None:
    """The rest of a step up to x = last: its gaps, places inside; its end is left in a.before."""
    interpolate(m, a, last, a.before)
    if m.nc > 0:
        check_gaps(m, a, start, h, last)
    if a.inner > 0:
        check_inside(m, a, start, h, last)


@block(void(machine_record, audit_record, f8_1d, f8_1d, i8_2d, f8_3d, f8_2d, i8_2d, f8_2d, f8_2d, i8_1d, i8_1d, i8_1d))
def audit_run(
    m: Machine,
    a: Audit,
    starts: Reals,
    lengths: Reals,
    modes: Integers2,
    coefficients: Reals3,
    floats: Reals2,
    integers: Integers2,
    ends: Reals2,
    parameters: Reals2,
    which: Integers,
    faces: Integers,
    cancel: Integers,
) -> None:
    """Look at every step and every boundary of a record; findings go to a.finding, their number to a.found.

    modes: the words of the mode on every step and at the end; ends: [q, u, t] at the start and at the end;
    parameters[which[k]] are in force on step k; faces: of each contact at the start, 0: not known, and then as the rows
    of events say. Where cancel[0] becomes nonzero the rest is not looked at.
    """
    n, steps = m.n, starts.shape[0]
    a.found = 0
    release_faces(m)
    if not measure(m, a, lengths, coefficients, ends):
        report(a, ends[0, 2 * n], -1, NOT_FINITE, 0.0, 0.0)
        return
    first, chatter, before_t = 0, False, ends[0, 2 * n]
    for k in range(2 * n):
        a.before[k] = ends[0, k]
    seen = 0
    for step in range(steps + 1):
        if cancel[0] != 0:
            return
        for k in range(parameters.shape[1]):
            m.p[k] = parameters[which[step], k]
            if m.nd > 0:
                a.p_before[k] = parameters[which[max(step - 1, 0)], k]
        h = lengths[step] if step < steps else 1.0
        renewed = load_start(m, a, starts, modes, coefficients, ends, step, h)
        until = starts[step + 1] if step + 1 < steps else ends[1, 2 * n]
        last = end_of_rows(integers, first, step)
        if m.faces != 0:
            note_faces(first, last, integers, faces)
            if step < steps:
                hold_in_step(m, a, starts[step], h, min((until - starts[step]) / h, 1.0), faces)
        chatters = ends_in_chatter(integers, last, step + 1)
        duration = a.t - before_t if a.t - before_t > NO_HOLE * abs(a.t) else 0.0
        seen += last > first
        number = seen if last > first else step
        if (
            renewed
            or number <= a.whole
            or number % a.every == 0
            or step == steps
            or not (last > first or moves_on(m, a))
        ):
            look_behind_jump(m, a, h)
            evaluate_place(m, a)
            keep_gaps(m, a)
            if step < steps and not chatters:
                check_place(m, a, 0, h)
            check_boundary(m, a, first, last, floats, integers, duration, chatter)
            set_modes(m, a, modes, step)
        else:
            if not has_reset(integers, first, last):
                check_position(m, a, duration)
            skip_place(m, a)
        if step == steps:
            return
        first, chatter, before_t = last, chatters, starts[step]
        if chatters:
            for k in range(2 * n):
                a.before[k] = a.step[0, k]
            continue
        before_t = min(starts[step] + h, until) if until - starts[step] - h > NO_HOLE * abs(until) else until
        finish_step(m, a, starts[step], h, (before_t - starts[step]) / h)
