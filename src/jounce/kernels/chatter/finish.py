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

    t+ = t + tau ,   u+ = u + u'_free tau + Y W sum(p_k) ,
    q+ = q + u tau + u'_free tau^2/2 + Y W sum(p_k (tau - t_k)) ,

with u'_free and Y W the means of their values at both ends, and what was neglected is O(v^2): the error falls with the
square of the speed at which the extrapolation starts. The gaps of all members close by this motion, those of members
that begin in flight too: q + tau (u + u+)/2 would leave them open, and what brings them onto their constraints would
move the coordinates by as much. Works are sums over both ends too: the ledger closes to O(v^3).
It is refused, and the impacts are simulated one by one, while the free accelerations still change by more than a tenth
over tau.
"""

import math

from jounce.kernels.chatter.frozen import (
    A_N,
    ASIDE,
    BOUNCING,
    END_T,
    FREE_N,
    FREE_T,
    GAP,
    HELD,
    JOINT_WORK,
    MEMBER,
    MODE,
    ROWS,
    START_GAP,
    START_N,
    START_T,
    SUM_N,
    SUM_T,
    TURNING,
    WAY_N,
    WAY_T,
    count_members,
    energy_of,
    first_return,
    frozen_forces,
    iterate_frozen,
)
from jounce.kernels.contact.faces import ceases, find_faces, is_over_corner
from jounce.kernels.contact.forces import evaluate_model, solve_mode
from jounce.kernels.contact.loads import has_no_impacts
from jounce.kernels.contact.unknowns import constrains, slide_sign
from jounce.kernels.impact.resolve import prepare_impacts
from jounce.kernels.impact.responses import add_response
from jounce.kernels.impact.rubbing_rates import any_rubs_along
from jounce.kernels.records.codes import NEWTON, OPEN, STICK
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.rows import along, contact_place, normal_place
from jounce.kernels.records.scales import contact_scales
from jounce.kernels.records.tolerances import (
    CASCADE_CHANGE,
    FREE_NOISE,
    FROZEN_CHANGE,
    FROZEN_COST,
    LEAST_FALL,
    LONGEST,
    MOST_REFUSALS,
    NEAR_MEETING,
    WIDE_MEETING,
)
from jounce.kernels.records.workspace import (
    MAX_CLOSED,
    RESTITUTION,
    SLOW_RESTITUTION,
    SURFACE_STRIDE,
    machine_record,
    workspace_record,
)
from jounce.toolchain.abi import f8
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals, Truth


@kernel
def soonest_meeting(m: Machine, w: Workspace, s: Motion, speeds: Reals) -> Real:
    """The time to the next slow landing of a contact in flight."""
    c = w.chatter
    soonest = math.inf
    for i in range(m.nc):
        flies = c[MEMBER, i] == 0.0 and c[ASIDE, i] == 0.0
        if flies and abs(w.velocity[2 * i]) <= speeds[i]:
            soonest = min(soonest, first_return(c[GAP, i], w.velocity[2 * i], c[FREE_N, i]))
    return soonest


@kernel
def keeps_restitution(w: Workspace, i: Integer) -> Truth:
    """Whether slower bounces of contact i have the restitution of this one."""
    e, slow = w.surface[i * SURFACE_STRIDE + RESTITUTION], w.surface[i * SURFACE_STRIDE + SLOW_RESTITUTION]
    return abs(slow - e) <= FROZEN_CHANGE * (1.0 - e)


@kernel
def bouncing_time(w: Workspace, i: Integer, acceleration: Real) -> Real:
    """How long contact i bounces by itself, against an acceleration into its surface."""
    return 2.0 * w.velocity[2 * i] / (acceleration * max(1.0 - w.surface[i * SURFACE_STRIDE + RESTITUTION], LEAST_FALL))


@kernel
def choose_members(m: Machine, w: Workspace, s: Motion, wide: Real) -> Truth:
    """Who takes part: bouncing contacts slower than their ``speeds``, whoever they may meet, and closed ones.

    Needs the free accelerations in w.acceleration. ``wide`` is how far ahead, in units of the expected duration, a
    contact in flight is still taken in (a cascade of landings). Returns False if this is no chatter.
    """
    c, modes, touching, speeds = w.chatter, s.choice.trial, s.choice.touching, s.memory.chatter_speed
    horizon = 0.0
    if m.faces != 0:
        find_faces(m, w, s.t, address(s.q, 0), address(s.u, 0))
    for i in range(m.nc):
        base, normal = contact_place(m, i), normal_place(m, i)
        b_n = along(m, w.contact, i, normal, w.acceleration, w.contact[base + 3])
        b_t = along(m, w.contact, i, normal + m.width, w.acceleration, w.contact[base + 4])
        for row in range(ROWS):
            c[row, i] = 0.0
        c[FREE_N, i], c[FREE_T, i] = b_n, b_t
        c[ASIDE, i] = 1.0 if has_no_impacts(m, i) or ceases(m, s, i) else 0.0
        c[TURNING, i] = 1.0 if m.faces != 0 and is_over_corner(m, w, i) else 0.0
        c[GAP, i] = 0.0 if touching[i] or modes[i] != OPEN else max(w.contact[base], 0.0)
        c[START_N, i], c[START_T, i], c[START_GAP, i] = w.velocity[2 * i], w.velocity[2 * i + 1], c[GAP, i]
        if c[ASIDE, i] > 0.0:
            continue
        if modes[i] != OPEN:
            c[MEMBER, i] = HELD
            c[MODE, i] = modes[i]
        elif touching[i] and 0.0 < w.velocity[2 * i] < speeds[i]:
            c[MEMBER, i] = BOUNCING
            if b_n < 0.0:
                if not keeps_restitution(w, i):
                    return False
                horizon = max(horizon, bouncing_time(w, i, -b_n))
    if horizon == 0.0:
        # contacts that are held may bring them back: the floor brakes a block into the one behind it
        frozen_forces(m, w)
        for i in range(m.nc):
            if c[MEMBER, i] == BOUNCING and c[A_N, i] < 0.0:
                if not keeps_restitution(w, i):
                    return False
                horizon = max(horizon, bouncing_time(w, i, -c[A_N, i]))
    if horizon == 0.0:
        # no force brings them back; bodies that others drive together may still collapse onto each other
        horizon = soonest_meeting(m, w, s, speeds)
    if not 0.0 < horizon < math.inf:
        return False
    for i in range(m.nc):
        if c[MEMBER, i] > 0.0 or c[ASIDE, i] > 0.0:
            continue
        meeting = first_return(c[GAP, i], w.velocity[2 * i], c[FREE_N, i])
        slow = abs(w.velocity[2 * i]) <= speeds[i] and c[TURNING, i] == 0.0
        if slow and meeting < wide * horizon:
            c[MEMBER, i] = BOUNCING
        elif meeting < NEAR_MEETING * horizon:
            return False
    return count_members(m, w) <= MAX_CLOSED


@kernel
def end_state(m: Machine, w: Workspace, tau: Real, q: Reals, u: Reals) -> None:
    """State at the accumulation point from the sums of the frozen problem."""
    sum_changes(m, w, SUM_N, SUM_T, tau)
    for j in range(m.n):
        w.new_u[j] = u[j] + w.forward[j]
    sum_changes(m, w, WAY_N, WAY_T, 0.5 * tau * tau)
    for j in range(m.n):
        w.new_q[j] = q[j] + (tau * u[j] + w.forward[j])


@kernel
def sum_changes(m: Machine, w: Workspace, normal: Integer, tangent: Integer, free: Real) -> None:
    """w.forward: u'_free times ``free`` + Y W of two rows of w.chatter, with the responses that are in the workspace.

    SUM_N, SUM_T and tau: the change of u; WAY_N, WAY_T and tau^2/2: that of q beside u tau.
    """
    c = w.chatter
    for j in range(m.n):
        w.forward[j] = w.acceleration[j] * free
    for i in range(m.nc):
        if c[MEMBER, i] > 0.0:
            add_response(m, w, i, c[normal, i], c[tangent, i], w.forward)


@kernel
def add_joint_work(m: Machine, w: Workspace, weight: Real) -> None:
    """The work of moving joints in the impulses of each member, as one end of the chatter sees it."""
    c = w.chatter
    for i in range(m.nc):
        c[JOINT_WORK, i] += weight * (c[SUM_N, i] * w.joint_drift[2 * i] + c[SUM_T, i] * w.joint_drift[2 * i + 1])


@kernel
def correct_end(m: Machine, w: Workspace, t: Real, tau: Real, q: Reals, u: Reals) -> None:
    """Correct the state at the end by accelerations and responses there; the slips of the frozen problem are kept.

    Needs the free accelerations at the end in w.acceleration.
    """
    for i in range(m.nc):
        w.chatter[END_T, i] = w.velocity[2 * i + 1]
    add_joint_work(m, w, 0.5)
    prepare_impacts(m, w, t + tau, address(w.new_q, 0), address(w.new_u, 0))
    add_joint_work(m, w, 0.5)
    sum_changes(m, w, SUM_N, SUM_T, tau)
    for j in range(m.n):
        w.new_u[j] = u[j] + 0.5 * (w.new_u[j] - u[j] + w.forward[j])
    sum_changes(m, w, WAY_N, WAY_T, 0.5 * tau * tau)
    for j in range(m.n):
        w.new_q[j] = q[j] + 0.5 * (w.new_q[j] - q[j] + tau * u[j] + w.forward[j])


@kernel
def loads_slide_on(m: Machine, w: Workspace, modes: Integers) -> Truth:
    """Whether contacts that others load slide as their modes say: one that sticks or turns round feels every bounce."""
    for i in range(m.nc):
        if m.load[i] and constrains(modes[i]):
            slip = w.contact[contact_place(m, i) + 2]
            if modes[i] == STICK or not slide_sign(modes[i]) * slip > 0.0:
                return False
    return True


@kernel
def accelerations_frozen(m: Machine, w: Workspace, t: Real, tau: Real, modes: Integers) -> Truth:
    """Whether the members' free accelerations at the end are still those of the start.

    The long cascade of several contacts must also not gain more than a fraction of its own speed by the change.
    """
    if not evaluate_model(m, w, t, address(w.new_q, 0), address(w.new_u, 0)):
        return False
    solve_mode(m, w, address(modes, 0))
    if not loads_slide_on(m, w, modes):
        return False
    start = 0.0
    members = 0
    for i in range(m.nc):
        if w.chatter[MEMBER, i] > 0.0:
            members += 1
            start = max(start, energy_of(w, 2 * i, w.chatter[START_N, i]))
    for i in range(m.nc):
        if w.chatter[MEMBER, i] == 0.0:
            continue
        base, normal = contact_place(m, i), normal_place(m, i)
        a = along(m, w.contact, i, normal, w.acceleration, w.contact[base + 3])
        a_t = along(m, w.contact, i, normal + m.width, w.acceleration, w.contact[base + 4])
        gained = energy_of(w, 2 * i, (a - w.chatter[FREE_N, i]) * tau)
        gained = max(gained, energy_of(w, 2 * i + 1, (a_t - w.chatter[FREE_T, i]) * tau))
        if members > 1 and gained > CASCADE_CHANGE * CASCADE_CHANGE * start:
            return False
        _, largest = contact_scales(m, w, i)
        allowed = FROZEN_CHANGE * abs(w.chatter[FREE_N, i]) + FREE_NOISE * largest
        if not abs(a - w.chatter[FREE_N, i]) <= allowed:
            return False
    return True


@kernel
def longest_chatter(m: Machine, w: Workspace) -> Real:
    """How long a chatter may last: a thousand flights of its fastest member. Slower decay is not local any more."""
    longest = 0.0
    for i in range(m.nc):
        if w.chatter[MEMBER, i] == BOUNCING:
            acceleration = min(w.chatter[FREE_N, i], w.chatter[A_N, i])  # A_N is 0 unless contacts that are held matter
            if acceleration < 0.0:
                longest = max(longest, LONGEST * abs(w.chatter[START_N, i]) / -acceleration)
            elif w.chatter[START_N, i] < 0.0:
                longest = max(longest, LONGEST * w.chatter[START_GAP, i] / -w.chatter[START_N, i])
    return longest


@kernel
def extrapolate(m: Machine, w: Workspace, s: Motion, latest: Real, wide: Real) -> Real:
    """One attempt, with the contacts within ``wide`` of the expected duration; its duration or -1."""
    solve_mode(m, w, address(s.choice.chosen, 0))
    if not choose_members(m, w, s, wide):
        return -1.0
    longest = min(longest_chatter(m, w), latest - s.t)
    tau = iterate_frozen(m, w, longest, s.memory.chatter_speed)
    if not 0.0 <= tau <= longest or s.t + tau >= latest:
        return -1.0
    end_state(m, w, tau, s.q, s.u)
    if not accelerations_frozen(m, w, s.t + tau, tau, s.choice.chosen):
        return -1.0
    correct_end(m, w, s.t, tau, s.q, s.u)
    return tau


@block(f8(machine_record, workspace_record, motion_record, f8))
def finish_chatter(m: Machine, w: Workspace, s: Motion, latest: Real) -> Real:
    """Extrapolate to the accumulation point; returns its distance in time, or -1 if there is none before ``latest``.

    Needs ``prepare_impacts`` at the state after the last impact, and in s.choice.trial the modes of contacts that stay
    closed. The state at the end is in w.new_q, w.new_u; w.chatter[MEMBER] tells who came to rest.
    """
    if s.memory.chatter_wait > 0:
        s.memory.chatter_wait -= 1
        return -1.0
    for i in range(m.nc):
        s.choice.chosen[i] = s.modes[i] if has_no_impacts(m, i) else OPEN
    w.frozen_impacts = 0
    for i in range(m.nc):
        if m.loaded > 0 and s.choice.touching[i] and m.laws[i] <= NEWTON and any_rubs_along(m, w, i):
            return -1.0  # impacts in which joints rub are followed one by one
    if not loads_slide_on(m, w, s.choice.chosen):
        return -1.0
    tau = extrapolate(m, w, s, latest, WIDE_MEETING)
    if tau < 0.0:
        prepare_impacts(m, w, s.t, address(s.q, 0), address(s.u, 0))
        tau = extrapolate(m, w, s, latest, NEAR_MEETING)
    s.memory.chatter_refusals = min(s.memory.chatter_refusals + 1, MOST_REFUSALS) if tau < 0.0 else 0
    s.memory.chatter_wait = (1 << s.memory.chatter_refusals) - 1
    if tau < 0.0:
        # as long as the attempt took: what is in vain costs no more than what it was to spare
        s.memory.chatter_wait = max(s.memory.chatter_wait, w.frozen_impacts // FROZEN_COST)
    return tau
