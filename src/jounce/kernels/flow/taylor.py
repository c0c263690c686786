"""One step by Taylor series, where the model has them for its present mode (codegen/taylor.py).

With x the time since the start of the step over a length H, the model's function writes C_k of

    z(x) = sum_k C_k x^k ,   0 <= k <= N ,

with one term more for q, of which u is then the derivative, and the powers of the ledger in the same way. One series
serves all lengths h: in y = h/H the last two terms |C_N-1| y^(N-1) and |C_N| y^N are what a step of length h may be
wrong by, and the first of them to reach the tolerance gives its length (Jorba & Zou 2005). So no step is tried in vain:
one that is too long is cut, not repeated. Two terms, because every second one vanishes in motions that are even or odd
in time. What is left out is smaller by the same ratio as one term is to the one before. y^k is found by multiplication
and only ratios are raised to a power: other units of time give the same step.

A series knows the motion at its start only, and a force that changes sign with a velocity as steeply as v/(|v| + 1e-9)
has another series behind. So the equations are asked at the end of the step whether the polynomial fulfils them,

    |h f(z(y)) - y dz/dy| <= N DEFECT tolerance ,

and the step is halved until it does; and no step is much longer than the one before. Equations that are affine with
constant factors (m.affine) have no other series behind, and are not asked.

The polynomial is the interpolant: rows F of the nested form (runge_kutta.py) as many as its degree. With
Q(x) = (z(x) - z_0)/x = sum_k c_k x^k, F = Q(1) and (Q(x) - Q(1))/(1 - x) = -sum_j x^j sum_k>j c_k leads to the next
row, the division by x to that behind it. No row is a difference of states, whose rounding over a short h would be
a velocity.
"""

import math

from jounce.kernels.contact.forces import derivative, lone_contact
from jounce.kernels.contact.unknowns import slide_sign
from jounce.kernels.flow.pole import nears_pole
from jounce.kernels.flow.shortest import refuse_guess, too_short
from jounce.kernels.records.codes import STICK
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import REJECTED, buffer_record
from jounce.kernels.records.tolerances import DEFECT, LARGEST, LONGER, SURELY_CUT
from jounce.kernels.records.workspace import WORKS, machine_record, workspace_record
from jounce.toolchain.abi import f8, i8, void
from jounce.toolchain.jit import address, block, call_batch, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Truth

LAST = 12  # the stage at the end of a step


@kernel
def series_of(m: Machine, s: Motion, closed: Integer) -> Integer:
    """The function that writes the series of the present mode; 0: there is none."""
    if s.settings.order == 0 or s.settings.variation or m.compliant_contacts > 0 or m.nj > 0:
        return 0
    if closed == 0:
        return m.free_series
    i = lone_contact(m, s.modes, closed)
    if i < 0:
        return 0
    return m.stick_series[i] if s.modes[i] == STICK else m.slide_series[i]


@kernel
def write_series(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer, function: Integer) -> Truth:
    """C_k for the length h; False where the mode has no sound solution at its start."""
    w.series_time[0], w.series_time[1], w.series_time[2] = s.t, h, 0.0
    if closed > 0:
        w.series_time[2] = slide_sign(s.modes[lone_contact(m, s.modes, closed)])
    z, n = s.z, m.n
    call_batch(
        function,
        s.settings.order,
        address(w.series_time, 0),
        address(z, 0),
        address(z, n),
        address(m.p, 0),
        address(w.series, 0),
    )
    w.series_length = h
    w.series_order = int(w.series[2 * m.series_stride + 2 * n + WORKS])
    last = w.series_order * m.series_stride
    for j in range(n):
        w.series[last + m.series_stride + j] = h * w.series[last + n + j] / (w.series_order + 1)
        w.series[last + m.series_stride + n + j] = 0.0
    return w.series[2 * n + WORKS] == 1.0


@kernel
def last_terms(m: Machine, w: Workspace, s: Motion) -> tuple[Real, Real]:
    """(|C_N-1|, |C_N|) in units of the tolerance, root mean squares over the state."""
    nz, stride = 2 * m.n, m.series_stride
    before = (w.series_order - 1) * stride
    first = last = 0.0
    for k in range(nz):
        a, b = w.series[before + k], w.series[before + stride + k]
        if a != 0.0 or b != 0.0:
            scale = s.settings.tolerance * w.error_scale[k]
            first += (a / scale) ** 2
            last += (b / scale) ** 2
    return math.sqrt(first / nz), math.sqrt(last / nz)


@kernel
def allowed_ratio(w: Workspace, first: Real, last: Real) -> Real:
    """How many times longer the step may be that has these last terms."""
    ratio = LARGEST
    if first > 0.0:
        ratio = min(ratio, first ** (-1.0 / (w.series_order - 1)))
    if last > 0.0:
        ratio = min(ratio, last ** (-1.0 / w.series_order))
    return ratio


@kernel
def sum_series(m: Machine, w: Workspace, s: Motion, y: Real, out: Reals) -> None:
    """z(y); the sums of two coordinates advance side by side, since each step of a sum waits for the one before."""
    n, stride, last, series = m.n, m.series_stride, (w.series_order + 1) * m.series_stride, w.series
    for j in range(0, n - 1, 2):
        k = n + j
        a, b, c, d = series[last + j], series[last + j + 1], series[last + k], series[last + k + 1]
        for at in range(last - stride, -1, -stride):
            a = a * y + series[at + j]
            b = b * y + series[at + j + 1]
            c = c * y + series[at + k]
            d = d * y + series[at + k + 1]
        out[j], out[j + 1], out[k], out[k + 1] = a, b, c, d
    if n % 2 == 1:
        a, c = series[last + n - 1], series[last + 2 * n - 1]
        for at in range(last - stride, -1, -stride):
            a = a * y + series[at + n - 1]
            c = c * y + series[at + 2 * n - 1]
        out[n - 1], out[2 * n - 1] = a, c


@kernel
def sum_slopes(m: Machine, w: Workspace, s: Motion, y: Real) -> None:
    """dz/dy of the velocities at y, into w.point; two at a time as in ``sum_series``."""
    n, stride, order, series = m.n, m.series_stride, w.series_order, w.series
    for k in range(n, 2 * n - 1, 2):
        c = d = 0.0
        for i in range(order, 0, -1):
            c = c * y + i * series[i * stride + k]
            d = d * y + i * series[i * stride + k + 1]
        w.point[k], w.point[k + 1] = c, d
    if n % 2 == 1:
        c = 0.0
        for i in range(order, 0, -1):
            c = c * y + i * series[i * stride + 2 * n - 1]
        w.point[2 * n - 1] = c


@kernel
def sum_series_at(
    m: Machine, w: Workspace, s: Motion, y: Real, places: Reals, count: Integer, out_q: Reals, out_u: Reals
) -> None:
    """q and u at y times each of the places, of which there are a multiple of four: four sums at a time."""
    n, stride, last = m.n, m.series_stride, (w.series_order + 1) * m.series_stride
    for i in range(0, count, 4):
        x0, x1, x2, x3 = y * places[i], y * places[i + 1], y * places[i + 2], y * places[i + 3]
        for k in range(2 * n):
            a = b = c = d = w.series[last + k]
            for at in range(last - stride, -1, -stride):
                value = w.series[at + k]
                a = a * x0 + value
                b = b * x1 + value
                c = c * x2 + value
                d = d * x3 + value
            out = out_q if k < n else out_u
            j = k if k < n else k - n
            out[i * n + j] = a
            out[(i + 1) * n + j] = b
            out[(i + 2) * n + j] = c
            out[(i + 3) * n + j] = d


@kernel
def fulfils(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> Truth:
    """Whether the polynomial of length h, whose end is in w.new_state, solves the equations there; stage 12 is set.

    A slide must not come too near to its pole either.
    """
    n, length, y = m.n, w.series_length, h / w.series_length
    limit = DEFECT * w.series_order * s.settings.tolerance
    derivative(m, w, s.t + h, w.new_state, s.modes, closed, LAST)
    sum_slopes(m, w, s, y)
    for k in range(n, 2 * n):
        if not abs(y * (w.point[k] - length * w.stages[LAST, k])) <= limit * w.error_scale[k]:
            return False
    return not nears_pole(m, w, s, closed, LAST, LAST + 1)


@block(f8(machine_record, workspace_record, motion_record, f8, i8, i8, buffer_record))
def series_step(
    m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer, function: Integer, record: Record
) -> Real:
    """One accepted step of length h at most; returns its length, 0 where the series is of no use.

    s.pace.last_error is the term that would come next. Stage 0, the derivative at the start, and w.error_scale are
    known. Where the equations are affine the state at the end is not: most of these steps end with an event before it.
    """
    if not write_series(m, w, s, h, closed, function):
        return 0.0
    longest = s.pace.step_size
    first, last = last_terms(m, w, s)
    if not first + last < LARGEST:
        return 0.0
    ratio = allowed_ratio(w, first, last)
    allowed = h * ratio
    if ratio < 1.0:
        refuse_guess(m, w, s, allowed)
        h = allowed
        for _ in range(w.series_order - 1):
            first *= ratio
            last *= ratio
        last *= ratio
    while True:
        if too_short(s, h):
            return 0.0
        if m.affine:
            break
        sum_series(m, w, s, h / w.series_length, w.new_state)
        if fulfils(m, w, s, h, closed):
            break
        record.counter[REJECTED] += 1
        h *= SURELY_CUT
        allowed = h
    s.memory.effort += w.series_order
    s.pace.last_error = last * (last / first) if last < first else last
    # what was known of this mode counts; beyond it a step grows by a factor at most
    s.pace.step_size = min(LONGER * allowed, max(longest, 3.0 * h))
    w.by_series, w.by_radau = 1, 0
    w.interpolated = 0
    return h


@kernel
def end_series_at(m: Machine, w: Workspace, s: Motion, h: Real) -> None:
    """Let the step just taken have another length: the state there, into w.new_state."""
    sum_series(m, w, s, h / w.series_length, w.new_state)


@block(void(machine_record, workspace_record, motion_record, f8))
def interpolate_series(m: Machine, w: Workspace, s: Motion, h: Real) -> None:
    """Rows F of the step of length h just taken by series; a coordinate and its velocity at a time."""
    n, stride, degree, c = m.n, m.series_stride, w.series_order + 1, w.series_scratch
    y = h / w.series_length
    for j in range(n):
        k = n + j
        power = 1.0
        for i in range(degree):
            power *= y
            c[i, 0] = power * w.series[(i + 1) * stride + j]
            c[i, 1] = power * w.series[(i + 1) * stride + k]
        begin = 0
        for row in range(0, degree, 2):
            # sums from the end: that of all is the row itself, the others are left by the division by 1 - x
            a, b = c[degree - 1 - row // 2, 0], c[degree - 1 - row // 2, 1]
            for i in range(degree - 2 - row // 2, begin - 1, -1):
                later_a, later_b = a, b
                a += c[i, 0]
                b += c[i, 1]
                c[i, 0] = -later_a
                c[i, 1] = -later_b
            w.interpolant[row, j], w.interpolant[row, k] = a, b
            if row + 1 < degree:
                w.interpolant[row + 1, j], w.interpolant[row + 1, k] = c[begin, 0], c[begin, 1]
            begin += 1
        for rest in range(degree, s.settings.rows):
            w.interpolant[rest, j] = w.interpolant[rest, k] = 0.0


@kernel
def note_series_errors(m: Machine, w: Workspace, s: Motion, h: Real) -> None:
    """As ``note_errors``: the last term is what the state is known to."""
    y = h / w.series_length
    power = 1.0
    for _ in range(w.series_order):
        power *= y
    for k in range(2 * m.n):
        w.state_error[k] = max(w.state_error[k], abs(power * w.series[w.series_order * m.series_stride + k]))


@kernel
def sum_series_powers(m: Machine, w: Workspace, s: Motion, h: Real) -> None:
    """Works over the length h of the step just taken: over h in w.stage_sums[0], what they leave out in row 1.

    That is as much smaller than the last two terms as these are than the two before.
    """
    y, stride, sums, first, order = h / w.series_length, m.series_stride, w.stage_sums, 2 * m.n, w.series_order
    power = 1.0
    a = b = c = d = 0.0  # side by side: each addition waits for the one before
    for k in range(order):
        factor, at = power / (k + 1), k * stride + first
        w.series_scratch[k, 0] = factor
        power *= y
        a += factor * w.series[at]
        b += factor * w.series[at + 1]
        c += factor * w.series[at + 2]
        d += factor * w.series[at + 3]
    sums[0, first], sums[0, first + 1], sums[0, first + 2], sums[0, first + 3] = a, b, c, d
    for column in range(first, first + WORKS):
        last = before = 0.0
        for k in range(order - 4, order - 2):
            before += abs(w.series_scratch[k, 0] * w.series[k * stride + column])
        for k in range(order - 2, order):
            last += abs(w.series_scratch[k, 0] * w.series[k * stride + column])
        sums[1, column] = last * (last / before) if last < before else last
