"""No gap below zero anywhere on a step, from bounds and not from samples alone.

On a piece of length d with the gap and its rate known at both ends: while -K <= g'' <= K_up (ballistic flights, whose
bounds hold for the whole flight), g stays above each of

    the chord less K_up d^2/8 ,       the parabolas  g_a + g_a' s - K s^2/2  and  g_b - g_b' s - K s^2/2  from the ends.

Elsewhere the gap is a smooth function of an interpolant, and on a piece where the cubic through the ends' values and
rates meets the middle, it is that cubic up to the distance by which it misses the middle (the error of Hermite's cubic
has one sign and is largest there), and a cubic lies above the least of its Bernstein coefficients. A piece for which no
bound is above zero is halved.
"""

from jounce.kernels.audit.place import contact_limit
from jounce.kernels.audit.record import (
    PENETRATION,
    audit_record,
    report,
)
from jounce.kernels.records.codes import OPEN
from jounce.kernels.records.fields import Audit, Machine
from jounce.kernels.records.tolerances import SAFE_MISS, WAITING_PIECES
from jounce.kernels.records.workspace import BOUND_STRIDE, machine_record
from jounce.toolchain.abi import f8, f8_2d, i8, void
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2, Truth


@kernel
def interpolate(m: Machine, rows: Reals2, x: Real, out: Reals) -> None:
    """The state at x of a step: z0 + x (F1 + (1-x) (F2 + x (F3 + ...))).

    Rows are taken in pairs, F1 + (1-x) F2 + w (F3 + (1-x) F4) + ... with w = x (1-x), and a coordinate with the next
    one: one product then seldom waits for another. At the end of a step all but F1 have no weight.
    """
    degree = rows.shape[0] - 1
    if x == 1.0 and degree > 0:
        for k in range(2 * m.n):
            out[k] = rows[0, k] + rows[1, k]
        return
    y = 1.0 - x
    w = x * y
    for k in range(0, 2 * m.n, 2):
        first, second = 0.0, 0.0
        if degree % 2:
            first, second = rows[degree, k], rows[degree, k + 1]
        for i in range(degree - degree % 2 - 1, 0, -2):
            first = first * w + (rows[i, k] + y * rows[i + 1, k])
            second = second * w + (rows[i, k + 1] + y * rows[i + 1, k + 1])
        out[k], out[k + 1] = rows[0, k] + x * first, rows[0, k + 1] + x * second


@kernel
def flight_bounded(a: Audit, i: Integer, d: Real, gap: Real, rate: Real, gap_ahead: Real, rate_ahead: Real) -> Truth:
    """Whether the gap of a flight is surely not below its limit on a piece of length d with these ends."""
    least = -a.gap_limit[i]
    lower, upper = a.bound[BOUND_STRIDE * i], a.bound[BOUND_STRIDE * i + 1]
    if min(gap, gap_ahead) - 0.125 * max(upper, 0.0) * d * d >= least:
        return True
    half = 0.5 * d
    fall = 0.5 * max(lower, 0.0) * half * half
    before = min(gap, gap + rate * half - fall)
    return min(before, gap_ahead, gap_ahead - rate_ahead * half - fall) >= least


@kernel
def least_of_cubic(d: Real, gap: Real, rate: Real, gap_ahead: Real, rate_ahead: Real) -> Real:
    """The least Bernstein coefficient of the cubic with these ends."""
    return min(gap, gap_ahead, gap + rate * d / 3.0, gap_ahead - rate_ahead * d / 3.0)


@kernel
def gap_inside(m: Machine, a: Audit, rows: Reals2, start: Real, h: Real, i: Integer, x: Real) -> tuple[Real, Real]:
    """Gap and rate of contact i at x of a step."""
    interpolate(m, rows, x, a.ahead)
    q, u = address(a.ahead, 0), address(a.ahead, m.n)
    call_state(m.gaps, start + x * h, q, u, address(m.p, 0), address(a.gap_middle, 0))
    return a.gap_middle[2 * i], a.gap_middle[2 * i + 1]


@kernel
def is_below(m: Machine, a: Audit, i: Integer, gap: Real, t: Real, z: Reals) -> Truth:
    """Whether the gap of contact i at t, z is below its limit there, into a.gap_limit if it is larger.

    A limit is the gap's gradient times errors of the coordinates. That of a pin in the middle of its hole vanishes, and
    says nothing of the gap at the other end of the step: where that limit is too small, it is asked for at the place.
    """
    if gap >= -a.gap_limit[i]:
        return False
    p = address(m.p, 0)
    call_state(m.contacts, t, address(z, 0), address(z, m.n), p, address(a.contact, 0))
    a.gap_limit[i] = max(a.gap_limit[i], contact_limit(m, a, i))
    call_state(m.contacts, a.t, address(a.z, 0), address(a.z, m.n), p, address(a.contact, 0))
    return not gap >= -a.gap_limit[i]


@block(void(machine_record, audit_record, f8_2d, f8, f8, i8, i8, f8))
def search_gap(
    m: Machine, a: Audit, rows: Reals2, start: Real, h: Real, i: Integer, flying: Integer, last: Real
) -> None:
    """Halve pieces of a step up to x = last until the gap of contact i is bounded on each or found below its limit.

    a.gap and a.gap_ahead hold gaps and rates at both ends; a.piece the right ends of the pieces still to be looked at.
    """
    x, gap, rate = 0.0, a.gap[2 * i], a.gap[2 * i + 1]
    a.piece[0, 0], a.piece[0, 1], a.piece[0, 2] = last, a.gap_ahead[2 * i], a.gap_ahead[2 * i + 1]
    waiting, asked = 1, 0
    while waiting > 0:
        end, gap_end, rate_end = a.piece[waiting - 1, 0], a.piece[waiting - 1, 1], a.piece[waiting - 1, 2]
        d = (end - x) * h
        safe = flying and flight_bounded(a, i, d, gap, rate, gap_end, rate_end)
        if not safe:
            if asked >= a.pieces or waiting >= WAITING_PIECES:
                return
            asked += 1
            middle = 0.5 * (x + end)
            gap_middle, rate_middle = gap_inside(m, a, rows, start, h, i, middle)
            if is_below(m, a, i, gap_middle, start + middle * h, a.ahead):
                report(a, start + middle * h, i, PENETRATION, -gap_middle, a.gap_limit[i])
                return
            if not flying:
                miss = abs(gap_middle - 0.5 * (gap + gap_end) - 0.125 * d * (rate - rate_end))
                safe = least_of_cubic(d, gap, rate, gap_end, rate_end) - SAFE_MISS * miss >= -a.gap_limit[i]
            if not safe:
                a.piece[waiting, 0], a.piece[waiting, 1], a.piece[waiting, 2] = middle, gap_middle, rate_middle
                waiting += 1
                continue
        x, gap, rate = end, gap_end, rate_end
        waiting -= 1


@kernel
def gap_is_asked(m: Machine, a: Audit, i: Integer) -> Truth:
    """Whether contact i may not close on a step without an event."""
    return a.mode[i] == OPEN and not (m.compliant[i] and (m.may_pull[i] or not a.check_compliant_gaps))


@kernel
def is_asked(m: Machine, a: Audit) -> Truth:
    """Whether any gap is asked for on a step."""
    for i in range(m.nc):
        if gap_is_asked(m, a, i):
            return True
    return False


@kernel
def gaps_at_start(m: Machine, a: Audit, goes_on: Truth) -> None:
    """The gaps at the start of a step that is not looked at in full; those at the end of the last one if it goes on."""
    if goes_on and a.ahead_known:
        for k in range(2 * m.nc):
            a.gap[k] = a.gap_ahead[k]
    elif is_asked(m, a):
        call_state(m.gaps, a.t, address(a.z, 0), address(a.z, m.n), address(m.p, 0), address(a.gap, 0))


@kernel
def check_gaps(m: Machine, a: Audit, rows: Reals2, start: Real, h: Real, last: Real) -> None:
    """No gap of an open contact is below its limit on the step up to x = last; a.gap holds the gaps at its start.

    Unless ``thorough``, a gap whose cubic through both ends lies above zero is believed.
    """
    a.ahead_known = is_asked(m, a)
    if not a.ahead_known:
        return
    flying = m.ballistic
    for i in range(m.nc):
        flying = flying and a.mode[i] == OPEN
    call_state(
        m.gaps, start + last * h, address(a.before, 0), address(a.before, m.n), address(m.p, 0), address(a.gap_ahead, 0)
    )
    if flying and a.thorough:
        z = a.z
        call_state(m.flight_bounds, start, address(z, 0), address(z, m.n), address(m.p, 0), address(a.bound, 0))
    for i in range(m.nc):
        if not gap_is_asked(m, a, i):
            continue
        gap, rate, ahead, rate_ahead = a.gap[2 * i], a.gap[2 * i + 1], a.gap_ahead[2 * i], a.gap_ahead[2 * i + 1]
        if is_below(m, a, i, ahead, start + last * h, a.before):
            report(a, start + last * h, i, PENETRATION, -ahead, a.gap_limit[i])
        elif a.thorough or least_of_cubic(last * h, gap, rate, ahead, rate_ahead) < -a.gap_limit[i]:
            search_gap(m, a, rows, start, h, i, flying, last)
