"""Columns along one smooth step: the linearised flow  d(dz)/dt = (du, du')  along the step's own interpolant.

On a ballistic flight, where the answer is a polynomial of degree two, four stages of order 4 give it exactly. Else the
pair of order 8 takes the step that the state has taken, in as many equal pieces as the columns need: how long it is was
found from the motion, which says nothing of its neighbours. A pendulum that rests upright on a pivot that shakes may
take one step a period, and they oscillate all the while. The pair's own estimate says how exact a piece is. Of a column
dz it is

    max_k sqrt(M_kk) (|e_k| + h |e'_k|)   over   max_k sqrt(M_kk) (|dq_k| + h |du_k|) ,

e and e' the errors of dq and du, h the length of the step: products of one unit, of which rounding of a column that
does not move a coordinate is a small part. Their squares are compared, so that units which are powers of two change no
bit. An internal state has no mass, and is compared with itself.

A step that begins or ends where a force is not smooth lies on one side of that place, but for rounding: derivatives are
taken a little inside of it. Where a compliant contact begins or ends they are no smoother than the root of the depth,
of d(delta^(3/2)). There the step is taken in r with t = h r^2 (3 - 2 r): the root of t is then smooth at both ends, and
the ends themselves, where t' = 0, have no weight. Functions of r are less smooth than those of t by that polynomial,
and so several pieces make up for it.
"""

import math

import numpy as np

from jounce.kernels.contact.compliant import end_gaps
from jounce.kernels.contact.modes import count_pressed
from jounce.kernels.flow.runge_kutta import interpolate
from jounce.kernels.flow.tableaus import DOP853_A, DOP853_B, DOP853_C, DOP853_E3, DOP853_E5
from jounce.kernels.records.codes import PRESSED
from jounce.kernels.records.fields import Machine, Motion, Variation, Workspace
from jounce.kernels.records.tolerances import (
    COLUMNS_KNOWN,
    EDGE_PIECES,
    INSIDE_STEP,
    MASSLESS,
    MORE_PIECES,
    MOST_PIECES,
    SMOOTH_CHANGE,
)
from jounce.kernels.records.workspace import STATE
from jounce.kernels.tangent.mode_tangent import along, enter_point, project_columns
from jounce.kernels.tangent.variation import PROPAGATE, TANGENT_STAGES, variation_at
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2, Truth

RK4_A = np.array([[0.0, 0.0, 0.0, 0.0], [0.5, 0.0, 0.0, 0.0], [0.0, 0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]])
RK4_B = np.array([1.0, 2.0, 2.0, 1.0]) / 6.0
RK4_C = np.array([0.0, 0.5, 0.5, 1.0])


@kernel
def has_edge(m: Machine, s: Motion, gaps: Reals, length: Real) -> Truth:
    """Whether a pressed contact is so little deep at one end of a step that its force is not smooth there."""
    for i in range(m.nc):
        if s.modes[i] == PRESSED and length * abs(gaps[2 * i + 1]) > SMOOTH_CHANGE * abs(gaps[2 * i]):
            return True
    return False


@kernel
def begins_or_ends(m: Machine, w: Workspace, s: Motion, length: Real) -> Truth:
    """Whether a compliant contact begins or ends within the step just taken."""
    if m.compliant_contacts == 0 or count_pressed(s.modes, m.nc) == 0:
        return False
    end_gaps(m, w, s, length)
    return has_edge(m, s, w.gap, length) or has_edge(m, s, w.gap_ahead, length)


@kernel
def integrate_columns(
    m: Machine,
    w: Workspace,
    s: Motion,
    v: Variation,
    h: Real,
    x: Real,
    piece: Integer,
    pieces: Integer,
    edged: Truth,
    count: Integer,
    a: Reals2,
    b: Reals,
    c: Reals,
) -> None:
    """An explicit Runge-Kutta step of all columns over one of the equal pieces of [0, x] of the step of length h.

    ``edged``: the pieces are equal in r.
    """
    n = m.n
    rows = s.settings.rows
    length, limited = h * x, 0
    for i in range(count):
        place, speed = (piece + c[i]) / pieces, 1.0 / pieces
        if edged:
            r = place
            place, speed = r * r * (3.0 - 2.0 * r), 6.0 * r * (1.0 - r) / pieces
        place = min(max(place, INSIDE_STEP), 1.0 - INSIDE_STEP)
        interpolate(s.z, w.interpolant, rows, place * x, 2 * n, v.point)
        t = s.t + place * length
        enter_point(m, w, v, t, address(v.point, 0), address(s.modes, 0))
        limited = max(limited, w.limited)
        for column in range(v.count):
            for k in range(2 * n):
                total = 0.0
                for j in range(i):
                    total += a[i, j] * v.stages[j, column, k]
                v.shifted[column, k] = v.columns[column, k] + length * total
            along(m, w, v, t, 0.0, address(v.shifted, column * STATE), column, address(s.modes, 0))
            for j in range(n):
                v.stages[i, column, j] = speed * v.shifted[column, n + j]
                v.stages[i, column, n + j] = speed * v.rate[j]
    for column in range(v.count):
        for k in range(2 * n):
            total = 0.0
            for i in range(count):
                total += b[i] * v.stages[i, column, k]
            v.columns[column, k] += length * total
    # which limits of friction choose the motion (contact/statics.py) is not differentiated
    v.irregular += limited


@kernel
def entry_error(v: Variation, column: Integer, k: Integer) -> Real:
    """The error of entry k of a column over the piece just taken, over the length of the step (Hairer's estimate)."""
    error5 = error3 = 0.0
    for i in range(TANGENT_STAGES):
        error5 += DOP853_E5[i] * v.stages[i, column, k]
        error3 += DOP853_E3[i] * v.stages[i, column, k]
    size = error5 * error5 + 0.01 * error3 * error3
    return error5 * error5 / math.sqrt(size) if size > 0.0 else 0.0


@kernel
def entry_size(v: Variation, column: Integer, k: Integer, length: Real) -> Real:
    """The size of entry k of a column on the piece just taken: at its end, or its change."""
    change = 0.0
    for i in range(TANGENT_STAGES):
        change += abs(DOP853_B[i] * v.stages[i, column, k])
    return max(abs(v.columns[column, k]), length * change)


@kernel
def column_error(m: Machine, w: Workspace, v: Variation, column: Integer, length: Real) -> Real:
    """The error of a column over the piece just taken, of its size."""
    n = m.n
    worst = error = size = 0.0
    for k in range(n):
        e_q, e_u = length * entry_error(v, column, k), length * entry_error(v, column, n + k)
        q, u = entry_size(v, column, k, length), entry_size(v, column, n + k, length)
        if w.start_mass[k] > MASSLESS:
            error = max(error, w.start_mass[k] * (e_q + length * e_u) ** 2)
            size = max(size, w.start_mass[k] * (q + length * u) ** 2)
        elif q > 0.0:
            worst = max(worst, e_q / q)
    return max(worst, math.sqrt(error / size)) if size > 0.0 else worst


@kernel
def in_pieces(
    m: Machine, w: Workspace, s: Motion, v: Variation, h: Real, x: Real, pieces: Integer, edged: Truth
) -> tuple[Real, Real]:
    """Carry the columns over [0, x] of the step in so many pieces.

    Returns the largest error of a perturbation and that of the derivative by the parameter, in units of the tolerance.
    """
    worst = driven = 0.0
    for piece in range(pieces):
        integrate_columns(m, w, s, v, h, x, piece, pieces, edged, TANGENT_STAGES, DOP853_A, DOP853_B, DOP853_C)
        for column in range(v.count):
            error = column_error(m, w, v, column, h * x) / s.settings.tolerance
            if v.parameter >= 0 and column == v.parameter_column:
                driven = max(driven, error)
            else:
                worst = max(worst, error)
    return worst, driven


# The estimate falls with the eighth power of the length of a piece.
@kernel
def pieces_for(pieces: Integer, error: Real) -> Integer:
    """How many pieces have an error of 1, if so many have ``error``."""
    factor = error**0.125 if error < math.inf else MORE_PIECES
    return min(int(pieces * min(factor, MORE_PIECES)) + 1, MOST_PIECES)


# Rounding falls with the first power of the length of a piece at best, so that an error that falls with less than the
# fourth is rounding. A derivative by the parameter may be nothing else, as where forces balance whatever it is, and at
# the first instants of a touch: of its size it may be known to no digit.
@kernel
def more_pieces_help(error: Real, limit: Real, known: Real) -> Truth:
    """Whether an error asks for more pieces: it is above 1, and below ``limit`` or above ``known``."""
    return error > 1.0 and (error <= limit or error > known)


@kernel
def exchange(v: Variation, n: Integer, irregular: Integer, keep: Truth) -> None:
    """Keep the columns before a step, or go back to them."""
    for column in range(v.count):
        for k in range(2 * n):
            if keep:
                v.kept[column, k] = v.columns[column, k]
            else:
                v.columns[column, k] = v.kept[column, k]
    v.irregular = irregular


@block(PROPAGATE)
def propagate(m: Machine, w: Workspace, s: Motion, h: Real, x: Real, closed: Integer) -> None:
    """Carry the columns over the step that starts at s.t, s.z and is kept up to x of its length h."""
    v = variation_at(s.settings.variation)
    if m.ballistic and closed == 0:
        integrate_columns(m, w, s, v, h, x, 0, 1, False, 4, RK4_A, RK4_B, RK4_C)
        return
    edged, irregular = begins_or_ends(m, w, s, h * x), v.irregular
    pieces, known = EDGE_PIECES if edged else 1, COLUMNS_KNOWN / s.settings.tolerance
    exchange(v, m.n, irregular, True)
    error, driven = in_pieces(m, w, s, v, h, x, pieces, edged)
    limit = driven_limit = math.inf
    while pieces < MOST_PIECES and (
        more_pieces_help(error, limit, known) or more_pieces_help(driven, driven_limit, math.inf)
    ):
        before, pieces = pieces, pieces_for(pieces, max(error, driven))
        fall = (before / pieces) ** 4
        limit, driven_limit = fall * error, fall * driven
        exchange(v, m.n, irregular, False)
        error, driven = in_pieces(m, w, s, v, h, x, pieces, edged)
    if error > known:
        v.irregular += 1
    if closed + m.nj > 0:
        project_columns(m, w, v, s.t + h * x, address(w.new_state, 0), address(s.modes, 0))
