"""The contact-space problem of a chatter, with forces and inertia as they are at its start (chatter.py).

Flights are parabolas, impacts are those of the law, and contacts that have come to rest are held.
"""

import math

from jounce.kernels.contact.linear import solve_ranked
from jounce.kernels.contact.unknowns import slide_sign, sliding_friction
from jounce.kernels.flow.parabola import turns_negative
from jounce.kernels.impact.resolve import contact_law
from jounce.kernels.impact.responses import add_velocities
from jounce.kernels.records.codes import OPEN, SLIP_NEGATIVE, SLIP_POSITIVE, STICK
from jounce.kernels.records.fields import Machine, Workspace
from jounce.kernels.records.tolerances import (
    COLLAPSED,
    ENDLESS,
    MOST_IMPACTS,
    MOST_STRIKES,
    SAME_RATIO,
    SAME_VELOCITY,
    SETTLED,
    UNFELT,
    UNSEEN_SUM,
    WINDOW,
)
from jounce.kernels.records.workspace import MAX_CLOSED, STATIC_FRICTION, SURFACE_STRIDE
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Truth

# rows of w.chatter, one column a contact
GAP, FREE_N, FREE_T, A_N, A_T, FORCE_N, FORCE_T = 0, 1, 2, 3, 4, 5, 6
SUM_N, SUM_T, SUM_LOSS, SUM_FRICTION, MEMBER, MODE, START_N, START_T, START_GAP = 7, 8, 9, 10, 11, 12, 13, 14, 15
END_T, JOINT_WORK, WAY_N, WAY_T = 16, 17, 18, 19  # the last two: the integrals of SUM_N and SUM_T over the time
TURNING = 20  # 1: its normal turns as it comes near, so that nothing of it is frozen
ASIDE = 21  # 1: it takes no part, has no impacts or is at a corner where another contact is what touches
ROWS = 22
BOUNCING, HELD = 1.0, 2.0  # what a member was when the chatter began


@kernel
def energy_of(w: Workspace, row: Integer, velocity: Real) -> Real:
    """v^2/D: how velocities of contacts of any kind, angles too, are compared; 0 if nothing moves the contact."""
    mobility = w.delassus[row, row]
    return velocity * velocity / mobility if mobility > 0.0 else 0.0


@kernel
def is_slow(w: Workspace, row: Integer, energy: Real) -> Truth:
    """Whether a contact velocity is worth at most this energy."""
    return w.velocity[row] * w.velocity[row] <= energy * w.delassus[row, row]


@kernel
def count_members(m: Machine, w: Workspace) -> Integer:
    """How many contacts take part."""
    members = 0
    for i in range(m.nc):
        if w.chatter[MEMBER, i] > 0.0:
            members += 1
    return members


@kernel
def first_return(gap: Real, v: Real, a: Real) -> Real:
    """When a gap with velocity v and acceleration a closes, inf if it does not; one that is zero closes later again.

    A velocity into the surface of a gap that is zero is rounding: such a gap stays if it is pressed, and leaves else.
    """
    if gap <= 0.0 and v < 0.0:
        v = 0.0
    return turns_negative(gap, v, a)


@kernel
def frozen_forces(m: Machine, w: Workspace) -> None:
    """Forces of the held contacts and the accelerations they leave; needs MODE. The same elimination as in a mode."""
    c, d = w.chatter, w.delassus
    size = 0
    for i in range(m.nc):
        if c[MODE, i] == OPEN:
            continue
        for row in range(2 if c[MODE, i] == STICK else 1):
            w.order[size] = 2 * i + row
            w.right[size] = -c[FREE_N + row, i]
            size += 1
    # the columns need the same list: keep it aside, solve_ranked uses w.order itself
    for k in range(size):
        w.right[size + k] = w.order[k]
    for k in range(size):
        j = int(w.right[size + k])
        i = j // 2
        w.mobility[k] = d[j, j]
        weight = 0.0
        if j % 2 == 0 and c[MODE, i] != STICK:
            sign = slide_sign(int(c[MODE, i]))
            weight = sign * sliding_friction(w.surface, i, sign)
        for row in range(size):
            other = int(w.right[size + row])
            w.matrix[row, k] = d[other, j] - (weight * d[other, j + 1] if j % 2 == 0 else 0.0)
    if size > 0:
        solve_ranked(w, size)
    k = 0
    for i in range(m.nc):
        c[FORCE_N, i] = c[FORCE_T, i] = 0.0
        if c[MODE, i] == OPEN:
            continue
        c[FORCE_N, i] = w.unknown[k]
        k += 1
        if c[MODE, i] == STICK:
            c[FORCE_T, i] = w.unknown[k]
            k += 1
        else:
            sign = slide_sign(int(c[MODE, i]))
            c[FORCE_T, i] = -sign * sliding_friction(w.surface, i, sign) * c[FORCE_N, i]
    for i in range(m.nc):
        c[A_N, i], c[A_T, i] = c[FREE_N, i], c[FREE_T, i]
    for k in range(m.nc):
        if c[MODE, k] == OPEN:
            continue
        for i in range(m.nc):
            c[A_N, i] += d[2 * i, 2 * k] * c[FORCE_N, k] + d[2 * i, 2 * k + 1] * c[FORCE_T, k]
            c[A_T, i] += d[2 * i + 1, 2 * k] * c[FORCE_N, k] + d[2 * i + 1, 2 * k + 1] * c[FORCE_T, k]


@kernel
def static_limit(w: Workspace, i: Integer, normal_force: Real) -> Real:
    """The largest friction of contact i at rest."""
    return w.surface[i * SURFACE_STRIDE + STATIC_FRICTION] * normal_force


@kernel
def hold(m: Machine, w: Workspace, small: Real) -> Truth:
    """Hold every member that has settled, let go whoever is pulled off, and find the forces; True if all are held."""
    c = w.chatter
    for i in range(m.nc):
        if c[MEMBER, i] == 0.0:
            continue
        settled = c[GAP, i] == 0.0 and is_slow(w, 2 * i, small)
        if not settled:
            c[MODE, i] = OPEN
        elif not m.has_slip[i]:
            c[MODE, i] = SLIP_POSITIVE
        elif not is_slow(w, 2 * i + 1, small):
            c[MODE, i] = SLIP_POSITIVE if w.velocity[2 * i + 1] > 0.0 else SLIP_NEGATIVE
        elif c[MODE, i] == OPEN:
            c[MODE, i] = STICK
    for _ in range(4 * m.nc):
        frozen_forces(m, w)
        changed = False
        for i in range(m.nc):
            if c[MODE, i] == OPEN:
                continue
            if c[FORCE_N, i] < 0.0:
                c[MODE, i] = OPEN
                changed = True
            elif c[MODE, i] == STICK and abs(c[FORCE_T, i]) > static_limit(w, i, c[FORCE_N, i]):
                c[MODE, i] = SLIP_NEGATIVE if c[FORCE_T, i] > 0.0 else SLIP_POSITIVE
                changed = True
            if changed:
                break
        if not changed:
            break
    for i in range(m.nc):
        if c[MEMBER, i] > 0.0 and c[MODE, i] == OPEN:
            return False
    return True


@kernel
def strike(m: Machine, w: Workspace, i: Integer, small: Real) -> Truth:
    """Impacts of one frozen instant: contact i, then whoever it drives into its surface; the sums are kept."""
    for _ in range(MOST_STRIKES):
        if contact_law(m, w, i) != 0:
            return False
        p_t, p_n = w.law_out[0], w.law_out[1]
        w.chatter[SUM_N, i] += p_n
        w.chatter[SUM_T, i] += p_t
        w.chatter[SUM_LOSS, i] -= 0.5 * (p_n * w.velocity[2 * i] + p_t * w.velocity[2 * i + 1])
        add_velocities(m, w, i, p_n, p_t)
        w.chatter[SUM_LOSS, i] -= 0.5 * (p_n * w.velocity[2 * i] + p_t * w.velocity[2 * i + 1])
        i = -1
        for k in range(m.nc):
            closes = w.velocity[2 * k] < 0.0 and not is_slow(w, 2 * k, small)
            if w.chatter[ASIDE, k] == 0.0 and w.chatter[GAP, k] == 0.0 and closes:
                if w.chatter[MEMBER, k] == 0.0:
                    return False  # it was leaving, and is driven back
                i = k
        if i < 0:
            return True
    return False


@kernel
def next_frozen_event(m: Machine, w: Workspace) -> tuple[Integer, Integer, Real]:
    """(contact that lands or -1, held contact that stops sliding or -1, time) of the first frozen event.

    Contacts that are no members may land too: the impulses of the others drive them.
    """
    c = w.chatter
    landing, stopping, time = -1, -1, math.inf
    for i in range(m.nc):
        if c[ASIDE, i] > 0.0:
            continue
        if c[MODE, i] == OPEN:
            s = first_return(c[GAP, i], w.velocity[2 * i], c[A_N, i])
            if s < time:
                landing, stopping, time = i, -1, s
        elif c[MODE, i] != STICK and m.has_slip[i]:
            slip, a = w.velocity[2 * i + 1], c[A_T, i]
            if slip * a < 0.0 and -slip / a < time:
                landing, stopping, time = -1, i, -slip / a
    return landing, stopping, time


@kernel
def fly(m: Machine, w: Workspace, landing: Integer, stopping: Integer, s: Real) -> None:
    """Frozen motion over the time s."""
    c = w.chatter
    for i in range(m.nc):
        if c[ASIDE, i] > 0.0:
            continue
        c[WAY_N, i] += c[SUM_N, i] * s
        c[WAY_T, i] += c[SUM_T, i] * s
        v_n, v_t = w.velocity[2 * i], w.velocity[2 * i + 1]
        w.velocity[2 * i + 1] = 0.0 if i == stopping else v_t + c[A_T, i] * s
        if c[MODE, i] == OPEN:
            c[GAP, i] = 0.0 if i == landing else max(c[GAP, i] + (v_n + 0.5 * c[A_N, i] * s) * s, 0.0)
            w.velocity[2 * i] = v_n + c[A_N, i] * s
        else:
            w.velocity[2 * i] = 0.0
            if c[MODE, i] == STICK:
                w.velocity[2 * i + 1] = 0.0
            c[WAY_N, i] += 0.5 * c[FORCE_N, i] * s * s
            c[WAY_T, i] += 0.5 * c[FORCE_T, i] * s * s
            c[SUM_N, i] += c[FORCE_N, i] * s
            c[SUM_T, i] += c[FORCE_T, i] * s
            c[SUM_FRICTION, i] -= c[FORCE_T, i] * (v_t + 0.5 * c[A_T, i] * s) * s


@kernel
def sum_bounces(
    m: Machine, w: Workspace, i: Integer, ratio: Real, p_n: Real, p_t: Real, before: Real, limit: Real
) -> Real:
    """The rest of contact i's bounces as a geometric series; returns its duration, or -1 if something else comes first.

    The bounce just past, impulse (p_n, p_t) at approach ``before``, repeats scaled by ratio, ratio^2, ...: flights
    tau_k = tau_0 ratio^k end with impulses p ratio^(k+1). They act on the others' gaps through
    sum p_k (T - t_k) = p_0 tau_0 ratio/((1 - ratio)(1 - ratio^2)). The slips before and after the impacts lie between
    those of the first flight and the last one.
    """
    c, d = w.chatter, w.delassus
    after = w.velocity[2 * i]
    flight = 2.0 * after / -c[A_N, i]
    total = flight / (1.0 - ratio)
    sum_n, sum_t = p_n * ratio / (1.0 - ratio), p_t * ratio / (1.0 - ratio)
    slip = w.velocity[2 * i + 1]
    final = slip + d[2 * i + 1, 2 * i] * sum_n + d[2 * i + 1, 2 * i + 1] * sum_t + c[A_T, i] * total
    if m.has_slip[i]:
        # it slides one way from the first flight to the end, or every impact stops it (up to rounding, as this one did)
        kept = slip * final > 0.0 and slip * (slip + c[A_T, i] * flight) > 0.0
        turned = abs(d[2 * i + 1, 2 * i] * p_n) + abs(d[2 * i + 1, 2 * i + 1] * p_t)
        stopped = abs(slip) <= SAME_VELOCITY * turned
        if not (final * final <= limit * d[2 * i + 1, 2 * i + 1] if stopped else kept):
            return -1.0
    for k in range(m.nc):
        if k == i or c[ASIDE, k] > 0.0:
            continue
        kick = d[2 * k, 2 * i] * sum_n + d[2 * k, 2 * i + 1] * sum_t
        if c[MODE, k] != OPEN:
            # a held contact must not feel the bounces
            shove = d[2 * k + 1, 2 * i] * sum_n + d[2 * k + 1, 2 * i + 1] * sum_t
            if energy_of(w, 2 * k, kick) > UNFELT * limit or energy_of(w, 2 * k + 1, shove) > limit:
                return -1.0
        elif first_return(c[GAP, k], w.velocity[2 * k] - abs(kick), c[A_N, k]) < total or c[GAP, k] == 0.0:
            return -1.0
    moment = flight * ratio * ratio / ((1.0 - ratio) * (1.0 - ratio * ratio))
    for k in range(m.nc):
        if k != i and c[ASIDE, k] == 0.0 and c[MODE, k] == OPEN:
            c[GAP, k] += d[2 * k, 2 * i] * p_n * moment + d[2 * k, 2 * i + 1] * p_t * moment
    fly(m, w, i, -1, total)
    c[WAY_N, i] += p_n * moment
    c[WAY_T, i] += p_t * moment
    add_velocities(m, w, i, sum_n, sum_t)
    w.velocity[2 * i] = 0.0
    c[GAP, i] = 0.0
    c[SUM_N, i] += sum_n
    c[SUM_T, i] += sum_t
    # normal work falls as ratio^2; friction works against the mean slip
    square = ratio * ratio
    c[SUM_LOSS, i] += 0.5 * p_n * (before - after) * square / (1.0 - square) - 0.5 * sum_t * (slip + final)
    return total


@kernel
def iterate_frozen(m: Machine, w: Workspace, longest: Real, speeds: Reals) -> Real:
    """The whole frozen chatter; returns its duration, or -1 if it does not settle within ``longest``.

    A contact in flight that the others drive into its surface becomes a member, unless it lands faster than its speed
    in ``speeds``, or between two corners. Velocities of different contacts are compared by their energies v^2/D.

    Contacts that strike one another loose may go on for ever or faster and faster. A landing from high up may be fast
    once; what is no slower in two later windows than in the one before is no accumulation.

    Nobody is held for being slow while others are hardly faster: their next impacts would strike it loose. Of a box
    that slides in a groove two corners bounce in turn, 0.885 times as fast in each cycle; with the one held that falls
    below any bound first, they gain by what the other one has lost, and go on at that bound for ever. Where all of
    them are slow they are held together, and what they had left is in nobody's next impact.
    """
    c = w.chatter
    fastest, fastest_before, rises = 0.0, math.inf, 0
    start = 0.0
    for i in range(m.nc):
        if c[MEMBER, i] > 0.0:
            start = max(start, energy_of(w, 2 * i, w.velocity[2 * i]))
            if c[GAP, i] > 0.0 and c[FREE_N, i] < 0.0 and w.delassus[2 * i, 2 * i] > 0.0:
                start = max(start, -2.0 * c[FREE_N, i] * c[GAP, i] / w.delassus[2 * i, 2 * i])
    small, ended = SETTLED * SETTLED * start, COLLAPSED * COLLAPSED * start
    tau = ratio = lean = 0.0
    last = -1
    all_held = hold(m, w, small)
    for k in range(1, MOST_IMPACTS + 1):
        if all_held:
            return tau
        w.frozen_impacts += 1
        if k % (WINDOW * m.nc) == 0:
            rises += 1 if fastest >= fastest_before else 0
            fastest, fastest_before = 0.0, fastest
        if tau > longest or rises > 1:
            return -1.0
        landing, stopping, s = next_frozen_event(m, w)
        if landing < 0 and stopping < 0:
            return -1.0
        fly(m, w, landing, stopping, s)
        tau += s
        if landing >= 0:
            before = -w.velocity[2 * landing]
            if c[MEMBER, landing] == 0.0:
                if before > speeds[landing] or c[TURNING, landing] > 0.0 or count_members(m, w) >= MAX_CLOSED:
                    return -1.0
                c[MEMBER, landing] = BOUNCING
            fastest = max(fastest, energy_of(w, 2 * landing, before))
            p_n, p_t = c[SUM_N, landing], c[SUM_T, landing]
            if not strike(m, w, landing, small):
                return -1.0
            p_n, p_t = c[SUM_N, landing] - p_n, c[SUM_T, landing] - p_t
            after = w.velocity[2 * landing]
            new_ratio = after / before if before > 0.0 else 0.0
            new_lean = p_t / p_n if p_n > 0.0 else math.inf
            same = abs(new_ratio - ratio) < SAME_RATIO and abs(new_lean - lean) < SAME_RATIO
            steady = last == landing and same and 0.0 < new_ratio < 1.0 - ENDLESS
            last, ratio, lean = landing, new_ratio, new_lean
            all_held = hold(m, w, small)
            if steady and c[MODE, landing] == OPEN and c[A_N, landing] < 0.0:
                rest = sum_bounces(m, w, landing, new_ratio, p_n, p_t, before, UNSEEN_SUM * start)
                if rest >= 0.0:
                    tau += rest
                    last = -1
                    all_held = hold(m, w, small)
        else:
            all_held = hold(m, w, small)
        settle_gaps(m, w, small, start)
        if not all_held and has_collapsed(m, w, ended):
            all_held = hold(m, w, ended)
    return -1.0


@kernel
def has_collapsed(m: Machine, w: Workspace, energy: Real) -> Truth:
    """Whether no member in flight is worth more than this energy, with what its gap adds until it lands.

    Then their gaps are none.
    """
    c = w.chatter
    for i in range(m.nc):
        if c[MEMBER, i] > 0.0 and c[MODE, i] == OPEN:
            falls = 2.0 * abs(c[A_N, i]) * c[GAP, i]
            if not w.velocity[2 * i] * w.velocity[2 * i] + falls <= energy * w.delassus[2 * i, 2 * i]:
                return False
    for i in range(m.nc):
        if c[MEMBER, i] > 0.0:
            c[GAP, i] = 0.0
    return True


@kernel
def settle_gaps(m: Machine, w: Workspace, small: Real, start: Real) -> None:
    """Members whose gap and velocity are down to rounding touch: a gap that falls in no time at the slowest speed.

    Under the acceleration a it closes with the speed sqrt(2 a gap); of that as much is nothing as of the velocity.
    """
    c = w.chatter
    for i in range(m.nc):
        if c[MEMBER, i] > 0.0 and c[GAP, i] > 0.0 and is_slow(w, 2 * i, small):
            if abs(c[FREE_N, i]) * c[GAP, i] <= SETTLED * start * w.delassus[2 * i, 2 * i]:
                c[GAP, i] = 0.0
