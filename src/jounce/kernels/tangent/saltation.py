"""Columns through an event: the saltation matrix.

A perturbed motion meets the event's surface beta(t, z) = 0 later by dt = -beta_z dz / (beta_t + beta_z f-), with
dz_e = dz + f- dt. The instant is a map (t, z) -> (t+, z+): the identity where only the mode changes, an impact, a
sequence of impacts, or a whole chatter, which also takes time. Its derivative D along (dt, dz_e) and the flow behind it
give (Aizerman & Gantmacher 1958; Leine & Nijmeijer 2004, 7.2; for chatter Nordmark & Piiroinen 2009)

    dz+ = D z+ - f+ D t+ .

The map of an instant is algebraic and known to rounding, so D is a central difference of order six, taken of the very
code that makes the jump: one formula for every law, for simultaneous impacts and for chatter. All six points must lead
to the same modes and lie on a smooth map: there f(3h) + f(-3h) - 9 f(h) - 9 f(-h) + 16 f(0) = O(h^4), while the edge
of a law's region leaves O(h). The step shrinks until they do.

A reset is a map of known expressions: its D is their generated derivative. At one instant an impact, a reset and the
impacts that follow from it are one map after the other, each with its own D, before the flow behind them all.

At the touch of a compliant contact nothing jumps but what it remembers, w = 1/v with v = -gamma_N, so that
D w = w^2 D gamma_N, and the force s of a Maxwell branch, which becomes s - F, or 0 at the end. The flow may jump: a
damper beside the spring pushes at once. So it does where a force jumps with the place or with time.
"""

from jounce.kernels.contact.capacity import capacity
from jounce.kernels.contact.compliant import reciprocal
from jounce.kernels.contact.forces import solve_statics
from jounce.kernels.contact.terms import measure_terms
from jounce.kernels.events.guards import guard_at
from jounce.kernels.records.codes import (
    GUARD_CARRIED,
    GUARD_FREE,
    GUARD_GAP,
    GUARD_JAM,
    GUARD_USER,
    OPEN,
    PRESSED,
    RESET,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Variation, Workspace
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.scales import share
from jounce.kernels.records.tolerances import BEHIND_KINK, FLAT_GUARD, STEP_ROUNDING
from jounce.kernels.records.workspace import COMPLIANCE_STRIDE, STATE
from jounce.kernels.tangent.jump_derivative import column_size, differentiate_jump, has_jumped
from jounce.kernels.tangent.mode_tangent import along, enter_point, guard_tangent, project_columns
from jounce.kernels.tangent.variation import (
    GLUE,
    PASS_COMPLIANT,
    PASS_INSTANT,
    PASS_RESET,
    SHIFT_TO_EVENT,
    SHIFT_TO_LEAP,
    compliance_tangent,
    contact_tangent,
    motion_at,
    set_direction,
    set_point,
    variation_at,
)
from jounce.toolchain.jit import address, block, call_state, copy_record, kernel
from jounce.toolchain.kernel_types import Integer, Real


@kernel
def shift_columns(m: Machine, w: Workspace, s: Motion, v: Variation, t: Real, kind: Integer, index: Integer) -> None:
    """dt and dz_e of every column by a guard's slope at the point of the last ``enter_point``, with v.rate_before."""
    n, modes = m.n, address(v.modes, 0)
    along(m, w, v, t, 1.0, address(v.rate_before, 0), -1, modes)
    slope = guard_tangent(m, w, v, t, kind, index)
    largest = 0.0
    for column in range(v.count):
        along(m, w, v, t, 0.0, address(v.columns, column * STATE), column, modes)
        v.time_shift[column] = guard_tangent(m, w, v, t, kind, index)
        size = column_size(m, w, v, s.z, v.columns, column)
        if size > 0.0:
            largest = max(largest, abs(v.time_shift[column]) / size)
    # over the time in which the motion goes as far as it is large
    change = abs(slope) * max(share(w.whole[0], w.whole[1]), s.pace.step_size)
    regular = kind != GUARD_JAM and change > FLAT_GUARD * largest
    v.irregular += 0 if regular else 1
    for column in range(v.count):
        v.time_shift[column] = -v.time_shift[column] / slope if regular else 0.0
        for k in range(2 * n):
            v.shifted[column, k] = v.columns[column, k] + v.rate_before[k] * v.time_shift[column]


@block(SHIFT_TO_EVENT)
def shift_to_event(m: Machine, w: Workspace, s: Motion) -> None:
    """dt and dz_e of every column, on the surface of the guard that has just vanished; keeps the motion as it is."""
    v = variation_at(s.settings.variation)
    copy_record(motion_at(v.before), s)
    n, kind, index = m.n, s.event.guard_kind, s.event.guard_contact
    enter_point(m, w, v, s.t, address(s.z, 0), address(s.modes, 0))
    for j in range(n):
        v.rate_before[j] = s.z[n + j]
        v.rate_before[n + j] = v.acceleration[j]
    for i in range(m.nc):
        v.modes[i] = OPEN if kind == GUARD_FREE and i == index else s.modes[i]
    if kind == GUARD_FREE:
        enter_point(m, w, v, s.t, address(s.z, 0), address(v.modes, 0))
    if kind == GUARD_CARRIED:
        # of all distributions the one that is left where friction can just carry the mode
        solve_statics(m, w, address(v.modes, 0))
        measure_terms(m, w, address(v.modes, 0))
        capacity(m, w, address(v.modes, 0))
    shift_columns(m, w, s, v, s.t, kind, index)


@block(SHIFT_TO_LEAP)
def shift_to_leap(m: Machine, w: Workspace, s: Motion, index: Integer, sign: Integer) -> None:
    """dt and dz_e of every column, on the surface of guard ``index``, with the forces before it.

    The state lies behind the surface, by no more than shows (flow/landing.py): from there back along the motion until
    the guard has the sign that it had.
    """
    v = variation_at(s.settings.variation)
    n, modes = m.n, address(s.modes, 0)
    enter_point(m, w, v, s.t, address(s.z, 0), modes)
    for j in range(n):
        v.rate_before[j] = s.z[n + j]
        v.rate_before[n + j] = v.acceleration[j]
    t, time = s.t, STEP_ROUNDING * abs(s.t) + s.pace.smallest_step
    for _ in range(2 * BEHIND_KINK):
        t = s.t - time
        for k in range(2 * n):
            v.point[k] = s.z[k] - time * v.rate_before[k]
        value, _ = guard_at(m, w, GUARD_USER, index, sign, t, v.point, s.modes)
        if value > 0.0:
            break
        time *= 2.0
    enter_point(m, w, v, t, address(v.point, 0), modes)
    for j in range(n):
        v.rate_before[j] = v.point[n + j]
        v.rate_before[n + j] = v.acceleration[j]
    for i in range(m.nc):
        v.modes[i] = s.modes[i]
    shift_columns(m, w, s, v, t, GUARD_USER, index)


@block(PASS_INSTANT)
def pass_instant(
    m: Machine, w: Workspace, s: Motion, hit: Integer, jump: Integer, latest: Real, record: Record
) -> None:
    """v.shifted and v.time_shift behind the instant that led from v.before to s."""
    v = variation_at(s.settings.variation)
    before = motion_at(v.before)
    if has_jumped(m, w, s, before):
        differentiate_jump(m, w, s, v, before, hit, jump, latest, record)


@block(PASS_COMPLIANT)
def pass_compliant(m: Machine, w: Workspace, s: Motion, kind: Integer, i: Integer, before: Integer) -> None:
    """v.shifted and v.remembered behind an event of compliant contact i, which was in the mode ``before``.

    A memory that was taken from the chatter speed, or is none, does not change with the motion.
    """
    v = variation_at(s.settings.variation)
    if s.modes[i] == before:
        return
    pressed, branch, inverse = s.modes[i] == PRESSED, m.branch[i], m.p[m.memory[i] + 1]
    set_point(m, v, motion_at(v.before).z)
    for column in range(v.count):
        set_direction(m, v, v.time_shift[column], v.shifted[column], column)
        change = 0.0
        if pressed and inverse > 0.0 and kind == GUARD_GAP:
            contact_tangent(m, v, s.t)
            rate = w.contact[contact_place(m, i) + 1]
            change = inverse * inverse * v.contact[contact_place(m, i) + 1] if inverse == reciprocal(-rate) else 0.0
        v.remembered[column, i] = change
        if branch >= 0:
            k = m.n + branch
            compliance_tangent(m, v, s.t)
            v.shifted[column, k] = v.shifted[column, k] - v.compliance[i * COMPLIANCE_STRIDE] if pressed else 0.0


@block(PASS_RESET)
def pass_reset(m: Machine, w: Workspace, s: Motion, jump: Integer) -> None:
    """v.shifted and v.states behind the resets in s.event.applied, which are about to happen at the state in s.

    At a start or a change of parameters the time of the event is given: columns are what they are.
    """
    v = variation_at(s.settings.variation)
    n = m.n
    set_point(m, v, s.z)
    for column in range(v.count):
        if jump >= RESET:
            v.time_shift[column] = 0.0
            for k in range(2 * n):
                v.shifted[column, k] = v.columns[column, k]
        set_direction(m, v, v.time_shift[column], v.shifted[column], column)
        call_state(v.resets_tangent, s.t, address(v.q, 0), address(v.u, 0), address(v.p, 0), address(v.reset, 0))
        for r in range(m.nr):
            if (s.event.applied >> r) & 1:
                for a in range(m.reset_first[r], m.reset_first[r + 1]):
                    if m.reset_target[a] < 2 * n:
                        v.shifted[column, m.reset_target[a]] = v.reset[a]
                    else:
                        v.states[column, m.reset_target[a] - 2 * n] = v.reset[a]


@block(GLUE)
def glue(m: Machine, w: Workspace, s: Motion, moved: Integer) -> None:
    """Columns behind all maps of an instant; ``moved``: they are those of v.shifted, at the event of each."""
    v = variation_at(s.settings.variation)
    n = m.n
    if moved:
        enter_point(m, w, v, s.t, address(s.z, 0), address(s.modes, 0))
        for column in range(v.count):
            for j in range(n):
                v.columns[column, j] = v.shifted[column, j] - s.u[j] * v.time_shift[column]
                v.columns[column, n + j] = v.shifted[column, n + j] - v.acceleration[j] * v.time_shift[column]
    project_columns(m, w, v, s.t, address(s.z, 0), address(s.modes, 0))
