"""Impacts of machines whose joints rub: friction on the impulses that joints transmit.

A blow gives the joints impulses, and these press pins and guides. With p the normal impulse of the struck contact the
impact is a process in p, as without rubbing (impulse.py): at every p Coulomb's law holds for what dp adds,

    |d tau_k| <= mu_k dN_k ,      d tau_k = -s_k mu_k dN_k while slip k goes on with the sign s_k,

for the contact itself (dN = dp) and for every contact that others load (contact/loads.py): dN = |(dP_a, dP_b)| of a
pin, max(|dP_a|, c |dP_b|) of a guide, dp of a disc that rolls on the struck contact. Preloads are finite forces and
have no impulse. It is the limit of contacts that are stiffer and stiffer while joints stay rigid, and friction takes
energy at every p.

With the joints projected out, all velocities and all loads are linear in the impulses:

    v = D x ,       (P_a, P_b) = L x ,       x = (dp, d tau_1, d tau_2, ...)/dp ,

D the Delassus matrix, L what joints answer to unit impulses (``keep_answers``). A slip that goes on closes its own
equation by x_k + s_k mu_k d_k.(L x) = 0 with d_k the gradient of the load at the loads themselves: a few turns of
Newton's method, as in contact/loads.py. One that has stopped sticks, (D x)_k = 0, as long as its impulse stays in the
cone. Rates are constant until a slip stops or a phase of the law ends, so the process is a short march.

Where friction makes the load that causes it grow beyond any balance, the joint jams: it stops at once, by an impulse of
its own friction alone, while p stands still. That is driven by d tau_k = -s_k while the others rub as ever, and it is
admissible because there, and only there, mu_k dN_k >= |d tau_k|. A joint that jams in smooth motion stops in the same
way: an impact without collision.

Every friction impulse is measured by its mobility W M^-1 W, so that torques and forces may be compared.
"""

import math

from jounce.kernels.impact.impulse import NO_SOLUTION, OK, REGION_RUBBING, phase_impulse
from jounce.kernels.impact.rubbing_rates import (
    FRICTION,
    IMPULSE,
    IMPULSE_RATE,
    LOAD,
    LOAD_RATE,
    LOSS,
    SIZE,
    SLIP,
    SLIP_RATE,
    find_rates,
    is_mobile,
    slip_rates,
    turn_member,
)
from jounce.kernels.records.codes import (
    SLIP_NEGATIVE,
    SLIP_POSITIVE,
    STICK,
)
from jounce.kernels.records.fields import Machine, Workspace
from jounce.kernels.records.tolerances import SINGULAR, VELOCITY_TOLERANCE
from jounce.kernels.records.workspace import RESTITUTION, SURFACE_STRIDE
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


@kernel
def next_stop(w: Workspace, count: Integer) -> tuple[Real, Integer]:
    """(how much driving impulse stops the first slip, its member); inf: none stops."""
    least, member = math.inf, -1
    for a in range(count):
        slip, rate = w.rub[SLIP, a], w.rub[SLIP_RATE, a]
        if slip * rate < 0.0 and -slip / rate < least:
            least, member = -slip / rate, a
    return least, member


@kernel
def move_members(w: Workspace, count: Integer, x: Real, stopped: Integer) -> None:
    """Impulses, loads, losses and slips over the driving impulse x; slips that stop together stop exactly."""
    for a in range(count):
        slip, change = w.rub[SLIP, a], w.rub[SLIP_RATE, a] * x
        after = slip + change
        if a == stopped or (slip != 0.0 and abs(after) <= VELOCITY_TOLERANCE * abs(slip) and stopped >= 0):
            after = 0.0
        if w.rub_state[a] == STICK:
            after = 0.0
        w.rub[IMPULSE, a] += w.rub[IMPULSE_RATE, a] * x
        w.rub[LOAD, a] += w.rub[LOAD_RATE, a] * x
        w.rub[LOSS, a] -= 0.5 * w.rub[IMPULSE_RATE, a] * x * (slip + after)
        w.rub[SLIP, a] = after


@kernel
def jam_member(m: Machine, w: Workspace, count: Integer) -> Integer:
    """The sliding member whose own friction presses it more than it needs, -1: none; the rates are of its stop."""
    for a in range(count):
        k = w.rubbing[a]
        if m.load[k] == 0 or w.rub[SLIP, a] == 0.0 or not is_mobile(w, a):
            continue
        if drive_stop(m, w, count, a):
            return a
    return -1


@kernel
def drive_stop(m: Machine, w: Workspace, count: Integer, a: Integer) -> Truth:
    """Rates while the friction of member a alone drives the motion to its stop; whether its load grows enough for that.

    The driving member leaves the others' equations: it is exchanged with the last one meanwhile.
    """
    swap_members(w, a, count - 1)
    k = w.rubbing[count - 1]
    amount = -1.0 if w.rub[SLIP, count - 1] > 0.0 else 1.0
    found = find_rates(m, w, count - 1, 2 * k + 1, amount)
    if found:
        rate = slip_rates(m, w, count - 1, 2 * k + 1, amount)
        last = count - 1
        w.rub[IMPULSE_RATE, last] = 0.0
        turn_member(m, w, last, last, 2 * k + 1, amount)
        w.rub[IMPULSE_RATE, last], w.rub[SLIP_RATE, last] = amount, rate
        w.rub_state[last] = SLIP_POSITIVE if amount < 0.0 else SLIP_NEGATIVE
        found = rate * amount > 0.0 and w.rub[FRICTION, last] * w.rub[LOAD_RATE, last] >= 1.0 - 4.0 * SINGULAR
    swap_members(w, a, count - 1)
    return found


@kernel
def swap_members(w: Workspace, a: Integer, b: Integer) -> None:
    """Exchange two columns."""
    w.rubbing[a], w.rubbing[b] = w.rubbing[b], w.rubbing[a]
    w.rub_state[a], w.rub_state[b] = w.rub_state[b], w.rub_state[a]
    for row in range(SIZE + 1):
        w.rub[row, a], w.rub[row, b] = w.rub[row, b], w.rub[row, a]


@kernel
def velocity_rate(w: Workspace, count: Integer, direction: Integer) -> Real:
    """How a velocity that is no member's changes with the rates of all members alone."""
    total = 0.0
    for b in range(count):
        total += w.delassus[direction, 2 * w.rubbing[b] + 1] * w.rub[IMPULSE_RATE, b]
    return total


@kernel
def stop_jammed(m: Machine, w: Workspace, count: Integer, normal: Integer) -> Real:
    """Stop a member that jams; returns by how much the velocity in ``normal`` (-1: none) changes, nan if none jams."""
    gained = 0.0
    jammed = jam_member(m, w, count)
    if jammed < 0:
        return math.nan
    while w.rub[SLIP, jammed] != 0.0:
        x, member = next_stop(w, count)
        if member < 0:
            return math.nan
        if normal >= 0:
            gained += velocity_rate(w, count, normal) * x
        move_members(w, count, x, member)
        if w.rub[SLIP, jammed] != 0.0 and not drive_stop(m, w, count, jammed):
            return math.nan
    return gained


# As ``impulse_process``, with rates that are found anew where a slip stops.
@kernel
def march(m: Machine, w: Workspace, i: Integer, count: Integer) -> Integer:
    """Impulses of the impact of contact i and of its members, into w.law_out[0:2] and w.rub; OK or NO_SOLUTION."""
    e, law, normal = w.surface[i * SURFACE_STRIDE + RESTITUTION], m.laws[i], 2 * i
    v_n = v_start = w.velocity[normal]
    p = p_compression = p_restitution = w_compression = w_restitution = 0.0
    restitution = False
    for _ in range(4 * count + 8):
        restitution = restitution or v_n > 0.0  # by a joint that has jammed
        if not find_rates(m, w, count, normal, 1.0):
            change = stop_jammed(m, w, count, normal)
            if not change == change:
                return finish_march(w, p, w_compression, w_restitution) if restitution else NO_SOLUTION
            v_n += change
            continue
        k_N = slip_rates(m, w, count, normal, 1.0)
        x_end = phase_impulse(
            law, restitution, e, v_n, v_start, k_N, p_compression, p_restitution, w_compression, w_restitution
        )
        x_stop, member = next_stop(w, count)
        if x_end == math.inf and x_stop == math.inf:
            # nothing moves: what the contact has stored is not given back
            return finish_march(w, p, w_compression, w_restitution) if restitution else NO_SOLUTION
        stops = x_stop < x_end
        x = x_stop if stops else x_end
        v_after = v_n + k_N * x
        ends = not stops
        if not restitution and (ends or abs(v_after) <= VELOCITY_TOLERANCE * abs(v_n)):
            v_after, ends = 0.0, True  # slips of a mechanism stop with it, up to rounding
        work = 0.5 * x * (v_n + v_after)
        move_members(w, count, x, member if stops or x_stop <= x * (1.0 + VELOCITY_TOLERANCE) else -1)
        v_n = v_after
        p += x
        if restitution:
            p_restitution += x
            w_restitution += work
        else:
            p_compression += x
            w_compression += work
        if ends and restitution:
            return finish_march(w, p, w_compression, w_restitution)
        restitution = restitution or ends
    return NO_SOLUTION


@kernel
def finish_march(w: Workspace, p: Real, w_compression: Real, w_restitution: Real) -> Integer:
    """The result as laws give it: the normal impulse, and the energy that its work has taken."""
    w.law_out[1] = p
    w.law_out[2] = REGION_RUBBING
    w.law_out[3], w.law_out[4] = w_compression, w_restitution
    return OK
