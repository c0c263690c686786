"""The end of an infinite run of impacts.

Impacts of a contact that is pressed towards its surface (gap acceleration a < 0) follow one another at times that shrink
geometrically. Close to their accumulation point everything but the contact velocities is constant: the accelerations
a_N, a_T of the contacts between impacts and the Delassus matrix D change by O(tau) over the remaining time tau = O(v).
In that frozen problem the impacts are iterated exactly,

    flight:  s = the first root of g + v_N s + a_N s^2/2 ,   v_N += a_N s ,  v_T += a_T s ,
    impact:  v += D p ,  p by the contact's own law ,

with slip, stick, reversal and several contacts that drive one another (a rod rattling to rest on both ends), until the
ratio of successive normal velocities is constant (one contact: the rest is a geometric series, summed in closed form)
or the velocities are down to rounding (several contacts). Then

    t+ = t + tau ,   u+ = u + u' tau + Y W sum(p) ,   q+ = q + tau (u + u+)/2 ,

and what was neglected is O(v^2): the error falls with the square of the speed at which the extrapolation starts.
It is refused, and the impacts are simulated one by one, while the accelerations still change by more than a tenth
over tau.
"""

import math

from jounce.kernels.codes import OPEN, STICK
from jounce.kernels.contact_forces import evaluate_model, solve_mode
from jounce.kernels.impacts import contact_law
from jounce.kernels.jit import address, block, f8, kernel
from jounce.kernels.motion import motion_record
from jounce.kernels.workspace import CONTACT_STRIDE, SURFACE_STRIDE, machine_record, workspace_record

# rows of w.chatter
GAP, A_N, A_T, SUM_N, SUM_T, SUM_LOSS, MEMBER, START_N, START_T = 0, 1, 2, 3, 4, 5, 6, 7, 8
ROWS = 9
FROZEN_CHANGE = 0.1  # accelerations may change by this fraction over the extrapolated time
MOST_IMPACTS = 20000
SETTLED = 1e-14  # relative to the speed at which the extrapolation started
SAME_RATIO = 1e-12
HELD = 2.0


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
def choose_members(m, w, modes, touching, speed):
    """Who takes part: bouncing contacts slower than ``speed``, whoever they may meet, and closed ones, which are held.

    Returns the expected remaining time, or -1 if this is no chatter.
    """
    n = m.n
    c = w.chatter
    horizon = 0.0
    for i in range(m.nc):
        base = i * (CONTACT_STRIDE + 2 * n)
        a_n, a_t = w.contact[base + 3], w.contact[base + 4]
        for j in range(n):
            a_n += w.contact[base + CONTACT_STRIDE + j] * w.acceleration[j]
            a_t += w.contact[base + CONTACT_STRIDE + n + j] * w.acceleration[j]
        c[A_N, i], c[A_T, i] = a_n, a_t
        c[GAP, i] = 0.0 if touching[i] or modes[i] != OPEN else max(w.contact[base], 0.0)
        c[SUM_N, i] = c[SUM_T, i] = c[SUM_LOSS, i] = c[MEMBER, i] = 0.0
        c[START_N, i], c[START_T, i] = w.velocity[2 * i], w.velocity[2 * i + 1]
        if modes[i] != OPEN:
            c[MEMBER, i] = HELD
        elif touching[i] and 0.0 < w.velocity[2 * i] < speed and a_n < 0.0:
            c[MEMBER, i] = 1.0
            e = w.surface[i * SURFACE_STRIDE + 2]
            horizon = max(horizon, 2.0 * w.velocity[2 * i] / (-a_n * max(1.0 - e, 1e-3)))
    if horizon == 0.0:
        return -1.0
    for i in range(m.nc):
        if c[MEMBER, i] == 0.0:
            if first_return(c[GAP, i], w.velocity[2 * i], c[A_N, i]) < 3.0 * horizon:
                if abs(w.velocity[2 * i]) > 10.0 * speed or not c[A_N, i] < 0.0:
                    return -1.0
                c[MEMBER, i] = 1.0
    return horizon


@kernel
def held_undisturbed(m, w, modes, small):
    """Whether the closed contacts still neither lift off nor leave stick."""
    for i in range(m.nc):
        if w.chatter[MEMBER, i] == HELD:
            if abs(w.velocity[2 * i]) > small:
                return False
            if modes[i] == STICK and abs(w.velocity[2 * i + 1]) > small:
                return False
    return True


@kernel
def strike(m, w, i, small):
    """Impacts of one frozen instant: contact i, then whoever it drives into its surface; the sums are kept."""
    for _ in range(50):
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
            if w.chatter[MEMBER, k] > 0.0 and w.chatter[GAP, k] == 0.0 and w.velocity[2 * k] < -small:
                i = k
        if i < 0:
            return True
    return False


@kernel
def fly(m, w):
    """Frozen flight to the next impact; returns (contact, time), contact -1 if none comes."""
    c = w.chatter
    best, time = -1, math.inf
    for i in range(m.nc):
        if c[MEMBER, i] == 1.0:
            s = first_return(c[GAP, i], w.velocity[2 * i], c[A_N, i])
            if s < time:
                best, time = i, s
    if best < 0:
        return -1, 0.0
    for i in range(m.nc):
        if c[MEMBER, i] == 1.0:
            v = w.velocity[2 * i]
            c[GAP, i] = 0.0 if i == best else max(c[GAP, i] + (v + 0.5 * c[A_N, i] * time) * time, 0.0)
            w.velocity[2 * i] = v + c[A_N, i] * time
        if c[MEMBER, i] > 0.0:
            w.velocity[2 * i + 1] += c[A_T, i] * time
    return best, time


@kernel
def members_settled(m, w, small, small_gap):
    for i in range(m.nc):
        if w.chatter[MEMBER, i] == 1.0 and (abs(w.velocity[2 * i]) > small or w.chatter[GAP, i] > small_gap):
            return False
    return True


@kernel
def count_members(m, w):
    members = 0
    for i in range(m.nc):
        members += w.chatter[MEMBER, i] == 1.0
    return members


@kernel
def iterate_frozen(m, w, modes):
    """The whole frozen chatter; returns its duration, or -1 if it does not settle."""
    c = w.chatter
    alone = count_members(m, w) == 1
    start = 0.0
    for i in range(m.nc):
        if c[MEMBER, i] == 1.0:
            start = max(start, abs(w.velocity[2 * i]))
    small = 1e-9 * start
    tau = ratio = 0.0
    for _ in range(MOST_IMPACTS):
        contact, s = fly(m, w)
        if contact < 0:
            return -1.0
        tau += s
        before = -w.velocity[2 * contact]
        impulse_n, impulse_t = c[SUM_N, contact], c[SUM_T, contact]
        if not strike(m, w, contact, SETTLED * start) or not held_undisturbed(m, w, modes, small):
            return -1.0
        after = w.velocity[2 * contact]
        if members_settled(m, w, SETTLED * start, SETTLED * start * start / -c[A_N, contact]):
            return tau
        if not alone:
            continue
        new_ratio = after / before
        if abs(new_ratio - ratio) < SAME_RATIO and new_ratio < 1.0 - 1e-9 and c[A_N, contact] < 0.0:
            # all that follows is this flight and this impact again, scaled by ratio, ratio^2, ...
            flight = 2.0 * after / -c[A_N, contact]
            rest = flight / (1.0 - new_ratio)
            p_n = (c[SUM_N, contact] - impulse_n) * new_ratio / (1.0 - new_ratio)
            p_t = (c[SUM_T, contact] - impulse_t) * new_ratio / (1.0 - new_ratio)
            d = w.delassus
            row = 2 * contact + 1
            slip = w.velocity[row]
            final = slip + d[row, row - 1] * p_n + d[row, row] * p_t + c[A_T, contact] * rest
            if slip * final > 0.0 or (slip == 0.0 and abs(final) <= small) or d[row, row] == 0.0:
                c[SUM_N, contact] += p_n
                c[SUM_T, contact] += p_t
                # normal work falls as ratio^2; friction works against the slip's mean
                square = new_ratio * new_ratio
                normal = 0.5 * (c[SUM_N, contact] - p_n - impulse_n) * (before - after) * square / (1.0 - square)
                c[SUM_LOSS, contact] += normal - 0.5 * p_t * (slip + final)
                w.velocity[row] = final
                return tau + rest
        ratio = new_ratio
    return -1.0


@kernel
def end_state(m, w, tau, q, u):
    """State at the accumulation point from the sums of the frozen problem."""
    c = w.chatter
    for j in range(m.n):
        change = w.acceleration[j] * tau
        for i in range(m.nc):
            if c[MEMBER, i] > 0.0:
                change += w.response_n[i, j] * c[SUM_N, i] + w.response_t[i, j] * c[SUM_T, i]
        w.new_u[j] = u[j] + change
        w.new_q[j] = q[j] + tau * (u[j] + 0.5 * change)


@kernel
def accelerations_frozen(m, w, t, modes):
    """Whether the members' gap accelerations at the end are still those of the start."""
    n = m.n
    if not evaluate_model(m, w, t, address(w.new_q, 0), address(w.new_u, 0)):
        return False
    solve_mode(m, w, address(modes, 0))
    for i in range(m.nc):
        if w.chatter[MEMBER, i] != 1.0:
            continue
        base = i * (CONTACT_STRIDE + 2 * n)
        a = w.contact[base + 3]
        for j in range(n):
            a += w.contact[base + CONTACT_STRIDE + j] * w.acceleration[j]
        if not abs(a - w.chatter[A_N, i]) <= FROZEN_CHANGE * abs(w.chatter[A_N, i]):
            return False
    return True


@block(f8(machine_record, workspace_record, motion_record, f8))
def finish_chatter(m, w, s, latest):
    """Extrapolate to the accumulation point; returns its distance in time, or -1 if there is none before ``latest``.

    Needs ``prepare_impacts`` at the state after the last impact, and in s.trial the mode of the contacts that stay closed.
    The state at the end is in w.new_q, w.new_u; w.chatter[MEMBER] tells who came to rest.
    """
    solve_mode(m, w, address(s.trial, 0))
    if choose_members(m, w, s.trial, s.touching, s.chatter_speed) < 0.0:
        return -1.0
    tau = iterate_frozen(m, w, s.trial)
    if not 0.0 <= tau or s.t + tau >= latest:
        return -1.0
    end_state(m, w, tau, s.q, s.u)
    if not accelerations_frozen(m, w, s.t + tau, s.trial):
        return -1.0
    return tau
