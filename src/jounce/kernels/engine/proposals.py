"""The mode of a cluster that is too large to be enumerated: proposed by pivoting, accepted by the same conditions.

The accelerations a = b + D x of the candidates (clusters.py) and their forces x obey, for each of them,

    0 <= a_n  complementary to  x_n >= 0 ,
    at rest:   |x_t| <= mu x_n ,  with  x_t = -mu x_n sign(a_t)  where a_t is not zero,
    sliding:   x_t = -s mu x_n ,

a linear complementarity problem of the form that joint.py has for impulses (a slide joins its friction to the column of
its normal force). Lemke's method (pivoting.py) gives one solution or none. What it gives is a proposal: the mode that
belongs to its accelerations is judged as every other one. Where friction is larger at rest than in slip, both
coefficients are asked.

Where contacts slide Lemke's method may end on a ray though there is a solution. A step of Moreau's scheme (joint.py)
has one always: at a small h its impulses are h x where finite forces x exist.

At an event a condition is zero, and the solution at the instant does not tell on which side it goes on. Proposals
are also made a little ahead, on the motion that the first one leads to: there they are what the motion turns to.

A solution is the only one if friction has no part in normal accelerations (D_nt mu = 0) and D_nn is positive definite:
the normal forces are those of a convex programme, and with them so is friction. Otherwise there may be others, which
nobody counts here: indeterminacy is counted where all modes are enumerated.
"""

import math

from jounce.kernels.contact.forces import evaluate_model
from jounce.kernels.contact.modes import TANGENTIAL, follows_from
from jounce.kernels.contact.pivoting import solve_complementarity
from jounce.kernels.contact.unknowns import sliding_friction
from jounce.kernels.engine.clusters import contact_problem
from jounce.kernels.engine.trial_modes import (
    NO_COST,
    PROPOSED,
    SURE_COST,
    is_sure,
    keep_trial,
    next_option,
    slides,
    state_ahead,
    step_in_trial,
    was_tried,
    weigh,
)
from jounce.kernels.impact.joint_conditions import LEAST, STORED, TARGET_N, TARGET_T, largest_term, velocities_after
from jounce.kernels.impact.joint_pivoting import fill_tableau, propose
from jounce.kernels.impact.joint_slips import fastest_slip, next_limit, solve_step
from jounce.kernels.records.codes import (
    GUARD_CONE_LOWER,
    GUARD_CONE_UPPER,
    GUARD_FORCE,
    GUARD_FREE,
    OPEN,
    SLIP_NEGATIVE,
    SLIP_POSITIVE,
    STICK,
)
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.tolerances import (
    CLEARLY_DEFINITE,
    FIRST_LOOK,
    JOINT_CONSISTENCY,
    LATER_LOOK,
    LEMKE_PATHS,
    LOOKS,
    MOREAU_LONGER,
    MOREAU_STEP,
    MOREAU_STEPS,
    PIVOT_ROUNDING,
    UNCOUPLED,
)
from jounce.kernels.records.workspace import (
    FRICTION_AT_REST,
    STATIC_FRICTION,
    SURFACE_STRIDE,
    machine_record,
    workspace_record,
)
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


@kernel
def slide_of(m: Machine, w: Workspace, s: Motion, i: Integer) -> Real:
    """The sign of the slip of candidate i; 0 at rest or without friction."""
    if s.choice.resting[i] or not m.has_slip[i]:
        return 0.0
    return 1.0 if w.contact[contact_place(m, i) + 2] > 0.0 else -1.0


@kernel
def unit_of(w: Workspace, row: Integer) -> Real:
    """The root of a mobility: accelerations over it and forces times it have one unit, in any coordinates."""
    mobility = w.joint_delassus[row, row]
    return math.sqrt(mobility) if mobility > 0.0 else 1.0


@kernel
def pose_problem(m: Machine, w: Workspace, s: Motion, count: Integer, friction: Integer) -> None:
    """The questions that joint.py asks, of the problem in w.joint_delassus brought to the unit of ``unit_of``.

    Slides join their friction to the columns of their normal forces.
    """
    d, question, unit = w.joint_delassus, w.joint_question, w.joint_targets
    for a in range(2 * count):
        unit[a] = unit_of(w, a)
    for a in range(2 * count):
        w.joint_start[a] /= unit[a]
        for b in range(2 * count):
            d[a, b] /= unit[a] * unit[b]
    for b in range(count):
        i = w.members[b]
        question[LEAST, b] = question[STORED, b] = question[TARGET_N, b] = question[TARGET_T, b] = 0.0
        sign = slide_of(m, w, s, i)
        ratio = unit[2 * b + 1] / unit[2 * b]
        rests = m.has_slip[i] and sign == 0.0
        w.joint_friction[b] = ratio * w.surface[i * SURFACE_STRIDE + friction] if rests else 0.0
        if sign != 0.0:
            weight = sign * ratio * sliding_friction(w.surface, i, sign)
            for row in range(2 * count):
                d[row, 2 * b] -= weight * d[row, 2 * b + 1]
                d[row, 2 * b + 1] = 0.0
        w.joint_trial[2 * b] = w.joint_trial[2 * b + 1] = 0.0


@kernel
def read_modes(m: Machine, w: Workspace, s: Motion, count: Integer, loose: Integer) -> None:
    """s.choice.trial from the accelerations in w.joint_after; ``loose``: what touches without a force is open."""
    limit = JOINT_CONSISTENCY * largest_term(count, w.joint_delassus, w.joint_start, w)
    force = 0.0
    for a in range(count):
        force = max(force, w.joint_trial[2 * a])
    for i in range(m.nc):
        s.choice.trial[i] = next_option(m, w, s, i, -1)
    for a in range(count):
        i = w.members[a]
        slip = w.joint_after[2 * a + 1]
        if w.joint_after[2 * a] > limit or (loose and w.joint_trial[2 * a] <= JOINT_CONSISTENCY * force):
            s.choice.trial[i] = OPEN
        elif not m.has_slip[i]:
            s.choice.trial[i] = SLIP_POSITIVE
        elif not s.choice.resting[i]:
            s.choice.trial[i] = SLIP_POSITIVE if slide_of(m, w, s, i) > 0.0 else SLIP_NEGATIVE
        elif abs(slip) <= limit:
            s.choice.trial[i] = STICK
        else:
            s.choice.trial[i] = SLIP_POSITIVE if slip > 0.0 else SLIP_NEGATIVE


@block(i8(machine_record, workspace_record, motion_record, i8, i8))
def solve_by_pivoting(m: Machine, w: Workspace, s: Motion, friction: Integer, cover: Integer) -> Integer:
    """Forces and accelerations of the cluster where the model was evaluated last; its number of members, 0: none."""
    count = contact_problem(m, w, s)
    pose_problem(m, w, s, count, friction)
    speed = largest_term(count, w.joint_delassus, w.joint_start, w)
    if not speed > 0.0:
        speed = 1.0
    fill_tableau(count, w.joint_delassus, w.joint_start, w.joint_friction, speed, 1.0, w)
    if not solve_complementarity(w.tableau, w.basis, 4 * count, cover):
        return 0
    propose(count, speed, w)
    velocities_after(count, w.joint_delassus, w.joint_start, w)
    return count


@kernel
def is_unique(m: Machine, w: Workspace, s: Motion, count: Integer) -> Truth:
    """Whether the problem in w.joint_delassus and w.joint_friction has one solution at most: see above."""
    d, work = w.joint_delassus, w.svd[0]
    for a in range(count):
        for b in range(count):
            sign = slide_of(m, w, s, w.members[b])
            rubs = sign != 0.0 and sliding_friction(w.surface, w.members[b], sign) != 0.0
            if rubs or abs(d[2 * a, 2 * b + 1] * w.joint_friction[b]) > UNCOUPLED:
                return False
    for i in range(count):
        for j in range(i + 1):
            total = d[2 * i, 2 * j]
            for k in range(j):
                total -= work[i, k] * work[j, k] * work[k, k]
            if j < i:
                work[i, j] = total / work[j, j]
            elif not total > CLEARLY_DEFINITE * d[2 * i, 2 * i]:
                return False
            else:
                work[i, i] = total
    return True


@kernel
def only_mode(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether the mode of this cluster is known to be the only one; then it is in s.choice.chosen."""
    count = contact_problem(m, w, s)
    pose_problem(m, w, s, count, STATIC_FRICTION)
    if not is_unique(m, w, s, count) or solve_by_pivoting(m, w, s, STATIC_FRICTION, 0) == 0:
        return False
    read_modes(m, w, s, count, False)
    return is_sure(m, w, s)


@kernel
def friction_differs(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether a candidate has more friction at rest than in slip."""
    for i in range(m.nc):
        base = i * SURFACE_STRIDE
        if s.choice.candidate[i] and w.surface[base + STATIC_FRICTION] != w.surface[base + FRICTION_AT_REST]:
            return True
    return False


@kernel
def follow_guard(m: Machine, s: Motion) -> Truth:
    """s.choice.trial: the present mode with the change that its guard announces; False if there is none."""
    kind, i = s.event.guard_kind, s.event.guard_contact
    if not (kind == GUARD_FORCE or kind == GUARD_FREE or kind == GUARD_CONE_UPPER or kind == GUARD_CONE_LOWER):
        return False
    if not s.choice.candidate[i]:
        return False
    for k in range(m.nc):
        s.choice.trial[k] = s.modes[k] if s.choice.candidate[k] or m.compliant[k] else OPEN
    s.choice.trial[i] = OPEN
    if kind == GUARD_CONE_UPPER or kind == GUARD_CONE_LOWER:
        s.choice.trial[i] = SLIP_NEGATIVE if kind == GUARD_CONE_UPPER else SLIP_POSITIVE
    return follows_from(s, i, s.choice.trial, m.nc)


@kernel
def hold_idle(m: Machine, s: Motion) -> Truth:
    """Let contacts stick that the mode just weighed, s.choice.trial, lets slide from rest without ever moving them.

    A vertex of a problem whose forces are open has friction at its limit and next to no slip; inside they stick.
    """
    found = False
    for i in range(m.nc):
        idle = s.choice.candidate[i] and s.choice.resting[i] and m.has_slip[i] and s.choice.weak[i] & TANGENTIAL
        if idle and slides(s.choice.trial[i]):
            s.choice.trial[i], found = STICK, True
    return found


@kernel
def try_proposal(m: Machine, w: Workspace, s: Motion, tried_count: Integer, best: Real) -> Real:
    """The lower one of ``best`` and the cost of s.choice.trial, which then is in s.choice.chosen."""
    if was_tried(s, m.nc, tried_count):
        return best
    cost = weigh(m, w, s, PROPOSED)
    if cost >= NO_COST and hold_idle(m, s) and not was_tried(s, m.nc, tried_count):
        cost = weigh(m, w, s, PROPOSED)
    if cost < best:
        keep_trial(s, s.choice.chosen, m.nc)
        return cost
    return best


@kernel
def try_pivoting(m: Machine, w: Workspace, s: Motion, tried_count: Integer, friction: Integer, best: Real) -> Real:
    """Proposals at the instant, by several paths, with what touches without a force closed or open."""
    for cover in range(LEMKE_PATHS):
        for loose in range(2):
            # judging a mode overwrites the problem
            count = solve_by_pivoting(m, w, s, friction, cover)
            if count > 0:
                read_modes(m, w, s, count, loose)
                best = try_proposal(m, w, s, tried_count, best)
            if best < SURE_COST or count == 0:
                break
        if best < SURE_COST:
            break
    return best


@kernel
def propose_ahead(m: Machine, w: Workspace, s: Motion, friction: Integer, x: Real) -> Truth:
    """s.choice.trial: the mode that the problem has at a part x of a step in the mode that it has at the instant."""
    count = solve_by_pivoting(m, w, s, friction, 0)
    if count == 0:
        return False
    read_modes(m, w, s, count, False)
    length = step_in_trial(m, w, s)
    found = state_ahead(m, w, s, x, length)
    count = solve_by_pivoting(m, w, s, friction, 0) if found else 0
    # slides have the directions that they have at the instant
    evaluate_model(m, w, s.t, address(s.q, 0), address(s.u, 0))
    if count > 0:
        read_modes(m, w, s, count, False)
    return count > 0


@kernel
def try_ahead(m: Machine, w: Workspace, s: Motion, tried_count: Integer, friction: Integer, best: Real) -> Real:
    """Proposals made on the motion that follows."""
    x = FIRST_LOOK
    for _ in range(LOOKS):
        if best >= SURE_COST and propose_ahead(m, w, s, friction, x):
            best = try_proposal(m, w, s, tried_count, best)
        x *= LATER_LOOK
    return best


@kernel
def pose_step(m: Machine, w: Workspace, s: Motion) -> Integer:
    """Slips and friction of the candidates, with their D and b, as ``solve_step`` wants them; their number."""
    count = contact_problem(m, w, s)
    for a in range(count):
        i = w.members[a]
        slip = w.contact[contact_place(m, i) + 2] if slide_of(m, w, s, i) != 0.0 else 0.0
        w.joint_velocity[2 * a], w.joint_velocity[2 * a + 1] = 0.0, slip
        w.joint_friction[a] = sliding_friction(w.surface, i, slip) if m.has_slip[i] else 0.0
    return count


@kernel
def read_step(m: Machine, w: Workspace, s: Motion, count: Integer, limit: Real) -> None:
    """s.choice.trial: the mode in which a step has ended; velocities below ``limit`` are none."""
    for i in range(m.nc):
        s.choice.trial[i] = next_option(m, w, s, i, -1)
    for a in range(count):
        i, sign, slip = w.members[a], slide_of(m, w, s, w.members[a]), w.joint_after[2 * a + 1]
        if w.joint_after[2 * a] > limit:
            s.choice.trial[i] = OPEN
        elif not m.has_slip[i] or sign > 0.0 or (sign == 0.0 and slip > limit):
            s.choice.trial[i] = SLIP_POSITIVE
        else:
            s.choice.trial[i] = SLIP_NEGATIVE if sign < 0.0 or slip < -limit else STICK


@kernel
def try_steps(m: Machine, w: Workspace, s: Motion, tried_count: Integer, best: Real) -> Real:
    """Modes in which steps of Moreau's scheme end, which have a solution where pivoting may meet a ray: in slides.

    Their velocities are of the size h b; what pivoting leaves of the fastest slip, in whose unit it works, is none.
    """
    limit = next_limit(pose_step(m, w, s), w.joint_velocity, 0.0)
    while limit > 0.0 and best >= SURE_COST:
        part = MOREAU_STEP
        for _ in range(MOREAU_STEPS):
            count = pose_step(m, w, s)  # judging a mode overwrites the problem
            v, b = w.joint_velocity, w.joint_start
            if solve_step(count, w.joint_delassus, v, b, w.joint_friction, limit, part, 0, w) > 0.0:
                read_step(m, w, s, count, PIVOT_ROUNDING * fastest_slip(count, v, limit))
                best = try_proposal(m, w, s, tried_count, best)
            if best < SURE_COST:
                break
            part *= MOREAU_LONGER
        limit = next_limit(pose_step(m, w, s), w.joint_velocity, limit)
    return best


@kernel
def try_neighbours(m: Machine, w: Workspace, s: Motion, tried_count: Integer, best: Real) -> Real:
    """Modes that differ in one contact from the one that breaks its conditions least, and so on from there."""
    for _ in range(2 * m.nc):
        least = s.choice.least
        for i in range(m.nc):
            if not s.choice.candidate[i]:
                continue
            option = next_option(m, w, s, i, -1)
            while option != -2 and best >= SURE_COST:
                for k in range(m.nc):
                    s.choice.trial[k] = s.choice.nearest[k]
                s.choice.trial[i] = option
                if option != s.choice.nearest[i]:
                    best = try_proposal(m, w, s, tried_count, best)
                option = next_option(m, w, s, i, option)
        if best < SURE_COST or not s.choice.least < least:
            break
    return best


@block(f8(machine_record, workspace_record, motion_record, i8))
def best_proposal(m: Machine, w: Workspace, s: Motion, tried_count: Integer) -> Real:
    """The best mode found but the first ``tried_count`` tried ones, to s.choice.chosen; its cost is returned."""
    best, s.choice.least, s.choice.open_sets = NO_COST, NO_COST, 1
    if follow_guard(m, s):
        best = try_proposal(m, w, s, tried_count, best)
    differs = friction_differs(m, w, s)
    for k in range(2 if differs else 1):
        if best >= SURE_COST:
            best = try_pivoting(m, w, s, tried_count, STATIC_FRICTION if k == 0 else FRICTION_AT_REST, best)
    for k in range(2 if differs else 1):
        if best >= SURE_COST:
            best = try_ahead(m, w, s, tried_count, STATIC_FRICTION if k == 0 else FRICTION_AT_REST, best)
    if best >= NO_COST:
        best = try_steps(m, w, s, tried_count, best)
    if best >= NO_COST and s.choice.least < NO_COST:
        best = try_neighbours(m, w, s, tried_count, best)
    return best
