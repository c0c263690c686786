"""The end of an infinite run of impacts.

Impacts of a contact that is pressed towards its surface follow one another at times that shrink geometrically. Close
to their accumulation point everything but the contact velocities is constant: the free accelerations b of the contacts
and the Delassus matrix D change by O(tau) over the remaining time tau = O(v). In that frozen problem, which lives in
contact space alone, the motion is followed exactly,

    flight:   v' = b + D lambda ,  g' = v_N                      (parabolas; lambda from the contacts that are held)
    impact:   v += D p ,           p by the contact's own law    (one by one, until none closes)

with slip, stick, reversal, and contacts that are held, struck loose and caught again: a rod that rattles to rest on
both ends does so in a cascade of landings. A bounce whose ratio has become constant is a geometric series and is summed
in closed form, also inside a cascade. Then

    t+ = t + tau ,   u+ = u + u'_free tau + Y W sum(p) ,   q+ = q + tau (u + u+)/2 ,

with u'_free and Y W the means of their values at both ends, and what was neglected is O(v^2): the error falls with the
square of the speed at which the extrapolation starts. Works are sums over both ends too: the ledger closes to O(v^3).
It is refused, and the impacts are simulated one by one, while the free accelerations still change by more than a tenth
over tau.
"""

import math

from jounce.kernels.abi import f8
from jounce.kernels.codes import OPEN, SLIP_NEGATIVE, SLIP_POSITIVE, STICK
from jounce.kernels.contact_forces import evaluate_model, slide_sign, solve_mode
from jounce.kernels.impacts import contact_law, prepare_impacts
from jounce.kernels.jit import address, block, kernel
from jounce.kernels.linear import solve_ranked
from jounce.kernels.motion import motion_record
from jounce.kernels.workspace import CONTACT_STRIDE, SURFACE_STRIDE, machine_record, workspace_record

# rows of w.chatter, one column a contact
GAP, FREE_N, FREE_T, A_N, A_T, FORCE_N, FORCE_T = 0, 1, 2, 3, 4, 5, 6
SUM_N, SUM_T, SUM_LOSS, SUM_FRICTION, MEMBER, MODE, START_N, START_T, START_GAP = 7, 8, 9, 10, 11, 12, 13, 14, 15
END_T, JOINT_WORK = 16, 17
ROWS = 18
BOUNCING, HELD = 1.0, 2.0  # what a member was when the chatter began
FROZEN_CHANGE = 0.1  # accelerations may change by this fraction over the extrapolated time
CASCADE_CHANGE = 0.05  # speed that a cascade may gain from changing accelerations, relative to its own
MOST_IMPACTS = 20000
WINDOW = 100  # impacts of each contact in which an accumulation must have become slower
MOST_REFUSALS = 3  # after k refusals in a row the next 2^k - 1 impacts are followed without another attempt
FROZEN_COST = 16  # impacts of the frozen problem that cost as much as one of the motion
NEAR, WIDE = 3.0, 100.0  # how far ahead, in expected durations, contacts in flight matter
LONGEST = 2000.0  # duration in units of v/a: twice a thousand flights
SETTLED = 1e-13  # relative to the speed at which the extrapolation started
SAME_RATIO = 1e-11


@kernel
def first_return(gap, v, a):
    """First s > 0 with gap + v s + a s^2/2 = 0 for gap >= 0; inf if there is none. gap = 0 is deflated."""
    if gap <= 0.0:
        return -2.0 * v / a if a < 0.0 and v > 0.0 else (math.inf if v > 0.0 or a >= 0.0 else 0.0)
    discriminant = v * v - 2.0 * a * gap
    if discriminant < 0.0:
        return math.inf
    root = math.sqrt(discriminant)
    if a < 0.0:
        # of one sign each way: the form without cancellation
        return (v + root) / -a if v > 0.0 else 2.0 * gap / (root - v)
    return 2.0 * gap / (root - v) if v < 0.0 else math.inf


@kernel
def soonest_meeting(m, w, speed):
    """The time to the next slow landing of a contact in flight."""
    c = w.chatter
    soonest = math.inf
    for i in range(m.nc):
        if c[MEMBER, i] == 0.0 and not m.compliant[i] and abs(w.velocity[2 * i]) <= speed:
            soonest = min(soonest, first_return(c[GAP, i], w.velocity[2 * i], c[FREE_N, i]))
    return soonest


@kernel
def choose_members(m, w, modes, touching, speed, wide):
    """Who takes part: bouncing contacts slower than ``speed``, whoever they may meet, and closed ones.

    Needs the free accelerations in w.acceleration. ``wide`` is how far ahead, in units of the expected duration, a
    contact in flight is still taken in (a cascade of landings). Returns False if this is no chatter.
    """
    n = m.n
    c = w.chatter
    horizon = 0.0
    for i in range(m.nc):
        base = i * (CONTACT_STRIDE + 2 * n)
        b_n, b_t = w.contact[base + 3], w.contact[base + 4]
        for j in range(n):
            b_n += w.contact[base + CONTACT_STRIDE + j] * w.acceleration[j]
            b_t += w.contact[base + CONTACT_STRIDE + n + j] * w.acceleration[j]
        for row in range(ROWS):
            c[row, i] = 0.0
        c[FREE_N, i], c[FREE_T, i] = b_n, b_t
        c[GAP, i] = 0.0 if touching[i] or modes[i] != OPEN else max(w.contact[base], 0.0)
        c[START_N, i], c[START_T, i], c[START_GAP, i] = w.velocity[2 * i], w.velocity[2 * i + 1], c[GAP, i]
        if m.compliant[i]:
            continue
        if modes[i] != OPEN:
            c[MEMBER, i] = HELD
            c[MODE, i] = modes[i]
        elif touching[i] and 0.0 < w.velocity[2 * i] < speed:
            c[MEMBER, i] = BOUNCING
            if b_n < 0.0:
                e = w.surface[i * SURFACE_STRIDE + 2]
                horizon = max(horizon, 2.0 * w.velocity[2 * i] / (-b_n * max(1.0 - e, 1e-3)))
    if horizon == 0.0:
        # no force brings them back; bodies that others drive together may still collapse onto each other
        horizon = soonest_meeting(m, w, speed)
    if not 0.0 < horizon < math.inf:
        return False
    for i in range(m.nc):
        if c[MEMBER, i] > 0.0 or m.compliant[i]:
            continue
        meeting = first_return(c[GAP, i], w.velocity[2 * i], c[FREE_N, i])
        slow = abs(w.velocity[2 * i]) <= speed
        if slow and meeting < wide * horizon:
            c[MEMBER, i] = BOUNCING
        elif meeting < NEAR * horizon:
            return False
    return True


@kernel
def frozen_forces(m, w):
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
        weight = 0.0
        if j % 2 == 0 and c[MODE, i] != STICK:
            weight = slide_sign(int(c[MODE, i])) * w.surface[i * SURFACE_STRIDE]
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
            c[FORCE_T, i] = -slide_sign(int(c[MODE, i])) * w.surface[i * SURFACE_STRIDE] * c[FORCE_N, i]
    for i in range(m.nc):
        c[A_N, i], c[A_T, i] = c[FREE_N, i], c[FREE_T, i]
        for k in range(m.nc):
            c[A_N, i] += d[2 * i, 2 * k] * c[FORCE_N, k] + d[2 * i, 2 * k + 1] * c[FORCE_T, k]
            c[A_T, i] += d[2 * i + 1, 2 * k] * c[FORCE_N, k] + d[2 * i + 1, 2 * k + 1] * c[FORCE_T, k]


@kernel
def hold(m, w, small):
    """Hold every member that has settled, let go whoever is pulled off, and find the forces; True if all are held."""
    c = w.chatter
    for i in range(m.nc):
        if c[MEMBER, i] == 0.0:
            continue
        settled = c[GAP, i] == 0.0 and abs(w.velocity[2 * i]) <= small
        if not settled:
            c[MODE, i] = OPEN
        elif not m.has_slip[i]:
            c[MODE, i] = SLIP_POSITIVE
        elif abs(w.velocity[2 * i + 1]) > small:
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
            elif c[MODE, i] == STICK and abs(c[FORCE_T, i]) > w.surface[i * SURFACE_STRIDE + 1] * c[FORCE_N, i]:
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
def strike(m, w, i, small):
    """Impacts of one frozen instant: contact i, then whoever it drives into its surface; the sums are kept."""
    for _ in range(200):
        if contact_law(m, w, i) != 0:
            return False
        p_t, p_n = w.law_out[0], w.law_out[1]
        w.chatter[SUM_N, i] += p_n
        w.chatter[SUM_T, i] += p_t
        w.chatter[SUM_LOSS, i] -= 0.5 * (p_n * w.velocity[2 * i] + p_t * w.velocity[2 * i + 1])
        for k in range(2 * m.nc):
            w.velocity[k] += w.delassus[k, 2 * i] * p_n + w.delassus[k, 2 * i + 1] * p_t
        w.chatter[SUM_LOSS, i] -= 0.5 * (p_n * w.velocity[2 * i] + p_t * w.velocity[2 * i + 1])
        i = -1
        for k in range(m.nc):
            if not m.compliant[k] and w.chatter[GAP, k] == 0.0 and w.velocity[2 * k] < -small:
                if w.chatter[MEMBER, k] == 0.0:
                    return False  # it was leaving, and is driven back
                i = k
        if i < 0:
            return True
    return False


@kernel
def next_frozen_event(m, w):
    """(contact that lands or -1, held contact that stops sliding or -1, time) of the first frozen event.

    Contacts that are no members may land too: the impulses of the others drive them.
    """
    c = w.chatter
    landing, stopping, time = -1, -1, math.inf
    for i in range(m.nc):
        if m.compliant[i]:
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
def fly(m, w, landing, stopping, s):
    """Frozen motion over the time s."""
    c = w.chatter
    for i in range(m.nc):
        if m.compliant[i]:
            continue
        v_n, v_t = w.velocity[2 * i], w.velocity[2 * i + 1]
        w.velocity[2 * i + 1] = 0.0 if i == stopping else v_t + c[A_T, i] * s
        if c[MODE, i] == OPEN:
            c[GAP, i] = 0.0 if i == landing else max(c[GAP, i] + (v_n + 0.5 * c[A_N, i] * s) * s, 0.0)
            w.velocity[2 * i] = v_n + c[A_N, i] * s
        else:
            w.velocity[2 * i] = 0.0
            if c[MODE, i] == STICK:
                w.velocity[2 * i + 1] = 0.0
            c[SUM_N, i] += c[FORCE_N, i] * s
            c[SUM_T, i] += c[FORCE_T, i] * s
            c[SUM_FRICTION, i] -= c[FORCE_T, i] * (v_t + 0.5 * c[A_T, i] * s) * s


@kernel
def sum_bounces(m, w, i, ratio, p_n, p_t, before, limit):
    """The rest of contact i's bounces as a geometric series; returns its duration, or -1 if something else comes first.

    The bounce just past, impulse (p_n, p_t) at approach ``before``, repeats scaled by ratio, ratio^2, ...: flights
    tau_k = tau_0 ratio^k end with impulses p ratio^(k+1). They act on the others' gaps through
    sum p_k (T - t_k) = p_0 tau_0 ratio/((1 - ratio)(1 - ratio^2)).
    """
    c, d = w.chatter, w.delassus
    after = w.velocity[2 * i]
    flight = 2.0 * after / -c[A_N, i]
    total = flight / (1.0 - ratio)
    sum_n, sum_t = p_n * ratio / (1.0 - ratio), p_t * ratio / (1.0 - ratio)
    slip = w.velocity[2 * i + 1]
    final = slip + d[2 * i + 1, 2 * i] * sum_n + d[2 * i + 1, 2 * i + 1] * sum_t + c[A_T, i] * total
    if m.has_slip[i] and slip * final <= 0.0 and not (slip == 0.0 and abs(final) <= limit):
        return -1.0
    for k in range(m.nc):
        if k == i or m.compliant[k]:
            continue
        kick = d[2 * k, 2 * i] * sum_n + d[2 * k, 2 * i + 1] * sum_t
        if c[MODE, k] != OPEN:
            # a held contact must not feel the bounces
            if abs(kick) > 1e-12 * limit or abs(d[2 * k + 1, 2 * i] * sum_n + d[2 * k + 1, 2 * i + 1] * sum_t) > limit:
                return -1.0
        elif first_return(c[GAP, k], w.velocity[2 * k] - abs(kick), c[A_N, k]) < total or c[GAP, k] == 0.0:
            return -1.0
    moment = flight * ratio * ratio / ((1.0 - ratio) * (1.0 - ratio * ratio))
    for k in range(m.nc):
        if k != i and not m.compliant[k] and c[MODE, k] == OPEN:
            c[GAP, k] += d[2 * k, 2 * i] * p_n * moment + d[2 * k, 2 * i + 1] * p_t * moment
    fly(m, w, i, -1, total)
    for k in range(2 * m.nc):
        w.velocity[k] += d[k, 2 * i] * sum_n + d[k, 2 * i + 1] * sum_t
    w.velocity[2 * i] = 0.0
    c[GAP, i] = 0.0
    c[SUM_N, i] += sum_n
    c[SUM_T, i] += sum_t
    # normal work falls as ratio^2; friction works against the mean slip
    square = ratio * ratio
    c[SUM_LOSS, i] += 0.5 * p_n * (before - after) * square / (1.0 - square) - 0.5 * sum_t * (slip + final)
    return total


@kernel
def iterate_frozen(m, w, longest, speed):
    """The whole frozen chatter; returns its duration, or -1 if it does not settle within ``longest``.

    A contact in flight that the others drive into its surface becomes a member, unless it lands faster than ``speed``.

    Contacts that strike one another loose may go on for ever or faster and faster. A landing from high up may be fast
    once; what is no slower in two later windows than in the one before is no accumulation.
    """
    c = w.chatter
    fastest, fastest_before, rises = 0.0, math.inf, 0
    start = 0.0
    for i in range(m.nc):
        if c[MEMBER, i] > 0.0:
            start = max(start, abs(w.velocity[2 * i]))
            if c[GAP, i] > 0.0 and c[FREE_N, i] < 0.0:
                start = max(start, math.sqrt(-2.0 * c[FREE_N, i] * c[GAP, i]))
    small = SETTLED * start
    settled_gap = small * start
    tau = ratio = 0.0
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
                if before > speed:
                    return -1.0
                c[MEMBER, landing] = BOUNCING
            fastest = max(fastest, before)
            p_n, p_t = c[SUM_N, landing], c[SUM_T, landing]
            if not strike(m, w, landing, small):
                return -1.0
            p_n, p_t = c[SUM_N, landing] - p_n, c[SUM_T, landing] - p_t
            after = w.velocity[2 * landing]
            new_ratio = after / before if before > 0.0 else 0.0
            steady = last == landing and abs(new_ratio - ratio) < SAME_RATIO and 0.0 < new_ratio < 1.0 - 1e-9
            last, ratio = landing, new_ratio
            all_held = hold(m, w, small)
            if steady and c[MODE, landing] == OPEN and c[A_N, landing] < 0.0:
                rest = sum_bounces(m, w, landing, new_ratio, p_n, p_t, before, 1e-9 * start)
                if rest >= 0.0:
                    tau += rest
                    last = -1
                    all_held = hold(m, w, small)
        else:
            all_held = hold(m, w, small)
        settle_gaps(m, w, small, settled_gap)
    return -1.0


@kernel
def settle_gaps(m, w, small, settled_gap):
    """Members whose gap and velocity are down to rounding touch."""
    for i in range(m.nc):
        if w.chatter[MEMBER, i] > 0.0 and abs(w.velocity[2 * i]) <= small and w.chatter[GAP, i] <= settled_gap:
            w.chatter[GAP, i] = 0.0


@kernel
def end_state(m, w, tau, q, u):
    """State at the accumulation point from the sums of the frozen problem."""
    for j in range(m.n):
        change = velocity_change(m, w, tau, j)
        w.new_u[j] = u[j] + change
        w.new_q[j] = q[j] + tau * (u[j] + 0.5 * change)


@kernel
def velocity_change(m, w, tau, j):
    """u'_free tau + Y W sum(p) of coordinate j, with the responses that are in the workspace."""
    c = w.chatter
    change = w.acceleration[j] * tau
    for i in range(m.nc):
        if c[MEMBER, i] > 0.0:
            change += w.response_n[i, j] * c[SUM_N, i] + w.response_t[i, j] * c[SUM_T, i]
    return change


@kernel
def add_joint_work(m, w, weight):
    """The work of moving joints in the impulses of each member, as one end of the chatter sees it."""
    c = w.chatter
    for i in range(m.nc):
        c[JOINT_WORK, i] += weight * (c[SUM_N, i] * w.joint_drift[2 * i] + c[SUM_T, i] * w.joint_drift[2 * i + 1])


@kernel
def correct_end(m, w, t, tau, q, u):
    """Correct the state at the end by accelerations and responses there; the slips of the frozen problem are kept.

    Needs the free accelerations at the end in w.acceleration.
    """
    for i in range(m.nc):
        w.chatter[END_T, i] = w.velocity[2 * i + 1]
    add_joint_work(m, w, 0.5)
    prepare_impacts(m, w, t + tau, address(w.new_q, 0), address(w.new_u, 0))
    add_joint_work(m, w, 0.5)
    for j in range(m.n):
        change = 0.5 * (w.new_u[j] - u[j] + velocity_change(m, w, tau, j))
        w.new_u[j] = u[j] + change
        w.new_q[j] = q[j] + tau * (u[j] + 0.5 * change)


@kernel
def accelerations_frozen(m, w, t, tau, modes):
    """Whether the members' free accelerations at the end are still those of the start.

    The long cascade of several contacts must also not gain more than a fraction of its own speed by the change.
    """
    n = m.n
    if not evaluate_model(m, w, t, address(w.new_q, 0), address(w.new_u, 0)):
        return False
    solve_mode(m, w, address(modes, 0))
    fastest = start = 0.0
    members = 0
    for j in range(n):
        fastest = max(fastest, abs(w.free[j]))
    for i in range(m.nc):
        if w.chatter[MEMBER, i] > 0.0:
            members += 1
            start = max(start, abs(w.chatter[START_N, i]))
    for i in range(m.nc):
        if w.chatter[MEMBER, i] == 0.0:
            continue
        base = i * (CONTACT_STRIDE + 2 * n)
        a, a_t = w.contact[base + 3], w.contact[base + 4]
        for j in range(n):
            a += w.contact[base + CONTACT_STRIDE + j] * w.acceleration[j]
            a_t += w.contact[base + CONTACT_STRIDE + n + j] * w.acceleration[j]
        change = max(abs(a - w.chatter[FREE_N, i]), abs(a_t - w.chatter[FREE_T, i]))
        if members > 1 and change * tau > CASCADE_CHANGE * start:
            return False
        allowed = FROZEN_CHANGE * abs(w.chatter[FREE_N, i]) + 1e-9 * fastest
        if not abs(a - w.chatter[FREE_N, i]) <= allowed:
            return False
    return True


@kernel
def longest_chatter(m, w):
    """How long a chatter may last: a thousand flights of its fastest member. Slower decay is not local any more."""
    longest = 0.0
    for i in range(m.nc):
        if w.chatter[MEMBER, i] == BOUNCING:
            if w.chatter[FREE_N, i] < 0.0:
                longest = max(longest, LONGEST * abs(w.chatter[START_N, i]) / -w.chatter[FREE_N, i])
            elif w.chatter[START_N, i] < 0.0:
                longest = max(longest, LONGEST * w.chatter[START_GAP, i] / -w.chatter[START_N, i])
    return longest


@kernel
def extrapolate(m, w, s, latest, wide):
    """One attempt, with the contacts within ``wide`` of the expected duration; its duration or -1."""
    solve_mode(m, w, address(s.chosen, 0))
    if not choose_members(m, w, s.trial, s.touching, s.chatter_speed, wide):
        return -1.0
    longest = min(longest_chatter(m, w), latest - s.t)
    tau = iterate_frozen(m, w, longest, s.chatter_speed)
    if not 0.0 <= tau <= longest or s.t + tau >= latest:
        return -1.0
    end_state(m, w, tau, s.q, s.u)
    if not accelerations_frozen(m, w, s.t + tau, tau, s.chosen):
        return -1.0
    correct_end(m, w, s.t, tau, s.q, s.u)
    return tau


@block(f8(machine_record, workspace_record, motion_record, f8))
def finish_chatter(m, w, s, latest):
    """Extrapolate to the accumulation point; returns its distance in time, or -1 if there is none before ``latest``.

    Needs ``prepare_impacts`` at the state after the last impact, and in s.trial the modes of contacts that stay closed.
    The state at the end is in w.new_q, w.new_u; w.chatter[MEMBER] tells who came to rest.
    """
    if s.chatter_wait > 0:
        s.chatter_wait -= 1
        return -1.0
    for i in range(m.nc):
        s.chosen[i] = s.modes[i] if m.compliant[i] else OPEN
    w.frozen_impacts = 0
    tau = extrapolate(m, w, s, latest, WIDE)
    if tau < 0.0:
        prepare_impacts(m, w, s.t, address(s.q, 0), address(s.u, 0))
        tau = extrapolate(m, w, s, latest, NEAR)
    s.chatter_refusals = min(s.chatter_refusals + 1, MOST_REFUSALS) if tau < 0.0 else 0
    s.chatter_wait = 2**s.chatter_refusals - 1
    if tau < 0.0:
        # as long as the attempt took: what is in vain costs no more than what it was to spare
        s.chatter_wait = max(s.chatter_wait, w.frozen_impacts // FROZEN_COST)
    return tau
