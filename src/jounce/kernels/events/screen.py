"""Whether all guards clearly hold on a step: a look at five places that spares most steps the search for roots.

A step that ends at an event is rare. On the others the guards stay away from zero, and that can be seen before the
interpolant exists. The coordinates between both ends are known well enough from q, u and u' there: the polynomial of
degree five through them, whose derivative gives the velocities, is off by terms of order h^6. Each guard is evaluated
at the Chebyshev points x_k = (1 - cos(pi k/4))/2, and with the Chebyshev coefficients a_j of the polynomial of degree
four through its values v_k

    min v_k > |a_2| + CLEARLY (|a_3| + |a_4|)

says that it stays positive: between its samples that polynomial falls below the smallest of them by no more than
|a_2| + |a_3| + |a_4|, and what it leaves out is of the size of its last coefficients, which fall geometrically.

A gap just behind its impact and a slip that starts from rest begin at a root of order one. They are divided by it, with
the slope in place of the first value: of a gap its velocity, of a slip its value a little later.

A guard may change faster than five places show. So this is asked only on steps no longer than the time over which the
search has resolved the guards of this run (s.pace.reach, guard_polynomial.py); longer ones go to the search.
"""

import numpy as np

from jounce.kernels.contact.faces import end_margin, find_faces
from jounce.kernels.contact.forces import evaluate_model, flows_alone, solve_mode
from jounce.kernels.contact.orders import begins_simply
from jounce.kernels.events.guards import flow_guard, guard_value
from jounce.kernels.flow.runge_kutta import DOP853
from jounce.kernels.records.codes import GUARD_END, GUARD_GAP, GUARD_SLIP, OPEN, RELEASE_WHEN_FREE
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.tolerances import CLEARLY, SLOPE_PART
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Truth

PLACES = 0.5 * (1.0 - np.cos(np.pi * np.arange(5) / 4))
LAST = 12  # the stage at the end of a step of DOP853


def _between() -> np.ndarray:
    """For the places inside: weights of q0 - q1, h u0, h u1, h^2 u0', h^2 u1' in q - q1 and in h u."""
    x = PLACES[1:4]
    y = 1.0 - x
    position = [y**3 * (1 + 3 * x + 6 * x * x), x * y**3 * (1 + 3 * x), -y * x**3 * (1 + 3 * y)]
    position += [x * x * y**3 / 2, y * y * x**3 / 2]
    velocity = [-30 * x * x * y * y, y * y * (1 + 2 * x - 15 * x * x), x * x * (1 + 2 * y - 15 * y * y)]
    velocity += [x * y * y * (2 - 5 * x) / 2, -y * x * x * (2 - 5 * y) / 2]
    return np.ascontiguousarray(np.array([position, velocity]).transpose(2, 0, 1))


BETWEEN = _between()


@kernel
def state_between(m: Machine, w: Workspace, s: Motion, h: Real, k: Integer) -> None:
    """w.point: the state at PLACES[k], inside the step just taken."""
    n, start, end, table = m.n, s.z, w.new_state, BETWEEN[k - 1]
    for j in range(n):
        delta, first, last = start[j] - end[j], h * start[n + j], h * end[n + j]
        bend_first, bend_last = h * h * w.stages[0, n + j], h * h * w.stages[LAST, n + j]
        w.point[j] = end[j] + (
            table[0, 0] * delta
            + table[0, 1] * first
            + table[0, 2] * last
            + table[0, 3] * bend_first
            + table[0, 4] * bend_last
        )
        w.point[n + j] = (
            table[1, 0] * delta
            + table[1, 1] * first
            + table[1, 2] * last
            + table[1, 3] * bend_first
            + table[1, 4] * bend_last
        ) / h


@kernel
def sample_place(
    m: Machine, w: Workspace, s: Motion, t: Real, z: Reals, k: Integer, closed: Integer, count: Integer
) -> Truth:
    """Column k of w.samples: all guards at one state; False where a mode is not determinate."""
    q, u, p = address(z, 0), address(z, m.n), address(m.p, 0)
    if closed < m.nc:
        call_state(m.gaps, t, q, u, p, address(w.gap, 0))
    alone, determinant = True, 1.0
    if closed > 0:
        alone = flows_alone(m, w, t, q, u, s.modes, closed)
        if not alone:
            evaluate_model(m, w, t, q, u)
            determinant = solve_mode(m, w, address(s.modes, 0))
            if determinant == 0.0:
                return False
    if closed > 0 and m.faces != 0:
        find_faces(m, w, t, q, u)
    for g in range(count):
        kind, index = s.event.guards[g, 0], s.event.guards[g, 1]
        if kind == GUARD_GAP and k == 5:
            continue  # its slope is there already
        if kind == GUARD_GAP:
            value = w.gap[2 * index]
            if k == 0:
                w.samples[g, 5] = s.event.guards[g, 2] * w.gap[2 * index + 1]
        elif kind == GUARD_END:
            value = end_margin(m, w, s.modes, index)
        elif alone:
            value = flow_guard(m, w, kind)
        else:
            value = guard_value(m, w, kind, index, determinant, s.modes)
        w.samples[g, k] = s.event.guards[g, 2] * value
    return True


@kernel
def stays_positive(w: Workspace, g: Integer) -> Truth:
    """Whether the samples of guard row g say that it is positive between them too."""
    v = w.samples[g]
    least = min(v[0], v[1], v[2], v[3], v[4])
    a2 = 0.5 * (0.5 * (v[0] + v[4]) - v[2])
    a3 = 0.5 * (0.5 * (v[0] - v[4]) - 0.7071067811865476 * (v[1] - v[3]))
    a4 = 0.25 * (0.5 * (v[0] + v[4]) - v[1] + v[2] - v[3])
    return least > abs(a2) + CLEARLY * (abs(a3) + abs(a4))


@kernel
def may_be_screened(m: Machine, s: Motion, h: Real) -> Truth:
    """Whether the guards of this step are of the kinds that are looked at here, none of which starts at its root."""
    if (
        m.ng > 0
        or m.compliant_contacts > 0
        or s.shared
        or s.settings.stick_release == RELEASE_WHEN_FREE
        or not h <= s.pace.reach
    ):
        return False
    for i in range(m.nc):
        if m.load[i] and s.gap_fresh[i] > 0:
            return False
        if not begins_simply(s, i) if s.modes[i] == OPEN else s.slip_fresh[i] > 1:
            return False
    return True


@kernel
def starts_at_rest(s: Motion, count: Integer) -> Truth:
    """Whether a slip velocity among the guards starts at its root."""
    for g in range(count):
        if s.event.guards[g, 0] == GUARD_SLIP and s.event.guards[g, 3] == 1:
            return True
    return False


@kernel
def divide_by_root(w: Workspace, s: Motion, h: Real, g: Integer) -> None:
    """Samples of guard row g, which starts at a root of order one, over x; column 5 of a slip is one more sample."""
    v = w.samples[g]
    v[0] = h * v[5] if s.event.guards[g, 0] == GUARD_GAP else v[5] / SLOPE_PART
    for k in range(1, 5):
        v[k] /= PLACES[k]


@block(i8(machine_record, workspace_record, motion_record, f8, i8, i8))
def clearly_hold(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer, count: Integer) -> Integer:
    """1 if no guard vanishes on the step just taken, 0 if that has to be searched; needs ``end_step`` of DOP853."""
    if count == 0:
        s.pace.reach = max(s.pace.reach, h)
        return 1
    if s.settings.pair != DOP853 or not may_be_screened(m, s, h):
        return 0
    for k in range(5):
        if k == 0:
            known = sample_place(m, w, s, s.t, s.z, 0, closed, count)
        elif k == 4:
            known = sample_place(m, w, s, s.t + h, w.new_state, 4, closed, count)
        else:
            state_between(m, w, s, h, k)
            known = sample_place(m, w, s, s.t + h * PLACES[k], w.point, k, closed, count)
        if not known:
            return 0
    s.memory.effort += 5
    if starts_at_rest(s, count):
        for j in range(2 * m.n):
            w.point[j] = s.z[j] + SLOPE_PART * h * w.stages[0, j]
        if not sample_place(m, w, s, s.t + SLOPE_PART * h, w.point, 5, closed, count):
            return 0
    for g in range(count):
        if s.event.guards[g, 3] == 1:
            divide_by_root(w, s, h, g)
        if not stays_positive(w, g):
            return 0
    return 1
