"""Columns along one smooth step: the linearised flow  d(dz)/dt = (du, du')  along the step's own interpolant.

The pair of order 8 takes the step that the state has taken; on a ballistic flight, where the answer is a polynomial of
degree two, four stages give it exactly.

A step that begins or ends where a force is not smooth lies on one side of that place, but for rounding: derivatives are
taken a little inside of it. Where a compliant contact begins or ends they are no smoother than the root of the depth,
of d(delta^(3/2)). There the step is taken in r with t = h r^2 (3 - 2 r): the root of t is then smooth at both ends, and
the ends themselves, where t' = 0, have no weight. Functions of r are less smooth than those of t by that polynomial,
and so several pieces make up for it.
"""

import numpy as np

from jounce.kernels.contact.compliant import end_gaps
from jounce.kernels.contact.modes import count_pressed
from jounce.kernels.flow.runge_kutta import interpolate
from jounce.kernels.flow.tableaus import DOP853_A, DOP853_B, DOP853_C
from jounce.kernels.records.codes import PRESSED
from jounce.kernels.records.fields import Machine, Motion, Variation, Workspace
from jounce.kernels.records.tolerances import EDGE_PIECES, INSIDE_STEP, SMOOTH_CHANGE
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
    count: Integer,
    a: Reals2,
    b: Reals,
    c: Reals,
) -> None:
    """An explicit Runge-Kutta step of all columns over [0, x] of the step of length h; of several pieces, in r."""
    n = m.n
    rows = s.settings.rows
    length, limited = h * x, 0
    for i in range(count):
        place, speed = c[i], 1.0
        if pieces > 1:
            r = (piece + c[i]) / pieces
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


@block(PROPAGATE)
def propagate(m: Machine, w: Workspace, s: Motion, h: Real, x: Real, closed: Integer) -> None:
    """Carry the columns over the step that starts at s.t, s.z and is kept up to x of its length h."""
    v = variation_at(s.settings.variation)
    if m.ballistic and closed == 0:
        integrate_columns(m, w, s, v, h, x, 0, 1, 4, RK4_A, RK4_B, RK4_C)
        return
    pieces = EDGE_PIECES if begins_or_ends(m, w, s, h * x) else 1
    for piece in range(pieces):
        integrate_columns(m, w, s, v, h, x, piece, pieces, TANGENT_STAGES, DOP853_A, DOP853_B, DOP853_C)
    if closed + m.nj > 0:
        project_columns(m, w, v, s.t + h * x, address(w.new_state, 0), address(s.modes, 0))
