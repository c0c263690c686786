"""Slips that stop at once, where contacts have no finite forces together.

Contacts that touch without closing may have no finite forces together, though none of them is jammed alone: a disc
that slides down a wall and is held by others that stick. Then slips stop at once, in an impact without collision. A
step of Moreau's scheme, gamma+ = gamma- + D p + h b with the accelerations b, has a solution for every h > 0 (its
matrix is copositive); where finite forces exist p is of the size of h, and where there are none it tends to an
impulse that solves the same conditions (joint_conditions.py) with h = 0. Lemke's method finds the basis at a small h;
in it p is linear in h, so h may be zero.

Small is what is small beside the slowest slip: one of 1e-9 beside others of 1e-2 would stop by finite forces within a
step that is short for these. A slip that is so much faster keeps its direction, whatever its speed; so the problem is
posed with slips of a limited size, from that of the slowest ones on, and its answer is one of the motion itself if
those that were limited slide on in it.
"""

from __future__ import annotations

from jounce.kernels.contact.pivoting import solve_complementarity
from jounce.kernels.impact.impulse import NO_SOLUTION, OK
from jounce.kernels.impact.joint_conditions import (
    LEAST,
    STORED,
    TARGET_N,
    TARGET_T,
    holds,
    is_consistent,
    solve_trial,
    velocities_after,
)
from jounce.kernels.impact.joint_pivoting import fill_tableau, propose, states_of_proposal
from jounce.kernels.records.fields import Workspace
from jounce.kernels.records.tolerances import (
    JOINT_CONSISTENCY,
    LEMKE_PATHS,
    MOREAU_LONGER,
    MOREAU_STEP,
    MOREAU_STEPS,
    SLIDES_ON,
)
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2, Truth


@kernel
def limited(slip: Real, limit: Real) -> Real:
    """A slip of at most this size, in its direction."""
    return min(max(slip, -limit), limit)


@kernel
def next_limit(k: Integer, v: Reals, limit: Real) -> Real:
    """SLIDES_ON times the slowest slip beyond ``limit``; 0 where there is none. Slips above it slide on."""
    slowest = 0.0
    for j in range(k):
        slip = abs(v[2 * j + 1])
        if slip > limit and (slowest == 0.0 or slip < slowest):
            slowest = slip
    return SLIDES_ON * slowest


@kernel
def _stops_slip(k: Integer, v: Reals, limit: Real, width: Real, w: Workspace) -> Truth:
    """Whether a contact that slides with v has stopped or turned after the trial, and none that was limited has.

    ``width`` is what the trial leaves of velocities that are zero; a slip no faster than that has not been stopped.
    """
    found = False
    for j in range(k):
        slip, after = limited(v[2 * j + 1], limit), w.joint_after[2 * j + 1]
        if abs(slip) > 2.0 * width and slip * after <= JOINT_CONSISTENCY * slip * slip + width * abs(slip):
            if slip != v[2 * j + 1]:
                return False
            found = True
    return found


@kernel
def _without_step(k: Integer, v: Reals, mu: Reals, speed: Real, w: Workspace) -> None:
    """The values of the basis for h = 0 and the slips of v.

    The inverse basis stands in the columns of the tableau that belong to w.
    """
    n, tableau = 4 * k, w.tableau
    for i in range(n):
        total = 0.0
        for j in range(k):
            if mu[j] == 0.0:
                total += tableau[i, 4 * j + 1] + tableau[i, 4 * j + 2] + tableau[i, 4 * j + 3]
            else:
                total += (tableau[i, 4 * j + 1] - tableau[i, 4 * j + 2]) * v[2 * j + 1] / speed
        tableau[i, 2 * n + 1] = total


@kernel
def largest_of(count: Integer, values: Reals) -> Real:
    """The largest of so many numbers, without their signs."""
    largest = 0.0
    for a in range(count):
        largest = max(largest, abs(values[a]))
    return largest


@kernel
def fastest_slip(k: Integer, v: Reals, limit: Real) -> Real:
    """The fastest of the slips as they are limited: the unit of a step."""
    return min(largest_of(2 * k, v), limit)


@kernel
def solve_step(
    k: Integer, D: Reals2, v: Reals, b: Reals, mu: Reals, limit: Real, part: Real, cover: Integer, w: Workspace
) -> Real:
    """A step of Moreau's scheme of k contacts that touch with the slips of v and have the accelerations b; its h.

    ``limit`` is the largest slip, ``part`` says how large h b may be, of the fastest one. The impulses are in the
    trial, the velocities in w.joint_after, those without impulses in w.joint_proposal. 0 where nothing slides, or no
    solution is found.
    """
    question, start = w.joint_question, w.joint_proposal
    fastest, strongest = fastest_slip(k, v, limit), largest_of(2 * k, b)
    if not (fastest > 0.0 and strongest > 0.0):
        return 0.0
    length, mobility = part * fastest / strongest, largest_mobility(k, D)
    for j in range(k):
        question[LEAST, j] = question[STORED, j] = question[TARGET_N, j] = question[TARGET_T, j] = 0.0
    for a in range(2 * k):
        start[a] = limited(v[a], limit) + length * b[a]
    fill_tableau(k, D, start, mu, fastest, mobility, w)
    if not solve_complementarity(w.tableau, w.basis, 4 * k, cover):
        return 0.0
    propose(k, fastest / mobility, w)
    velocities_after(k, D, start, w)
    return length


@kernel
def largest_mobility(k: Integer, D: Reals2) -> Real:
    """The largest entry of the diagonal of D."""
    mobility = 0.0
    for a in range(2 * k):
        mobility = max(mobility, D[a, a])
    return mobility


@kernel
def _limit_start(k: Integer, v: Reals, limit: Real, w: Workspace) -> None:
    """w.joint_proposal: the slips of v, limited, without the step."""
    for a in range(2 * k):
        w.joint_proposal[a] = limited(v[a], limit)


@kernel
def _stops_exactly(
    k: Integer, D: Reals2, v: Reals, b: Reals, mu: Reals, limit: Real, part: Real, cover: Integer, w: Workspace
) -> Truth:
    """Whether the step of ``solve_step`` has a limit for h = 0 that stops a slip; its impulses are in the trial."""
    if solve_step(k, D, v, b, mu, limit, part, cover, w) == 0.0:
        return False
    start = w.joint_proposal
    m = states_of_proposal(k, D, start, mu, w)
    _limit_start(k, v, limit, w)
    solve_trial(k, D, start, m, w)  # redundant contacts share equally
    if not is_consistent(k, D, start, mu, w):
        fastest = fastest_slip(k, v, limit)
        _without_step(k, start, mu, fastest, w)
        propose(k, fastest / largest_mobility(k, D), w)
        velocities_after(k, D, start, w)
    return is_consistent(k, D, start, mu, w) and _stops_slip(k, v, limit, 0.0, w)


# Where contacts have impulses of very different sizes (discs that jam, and one that lies on them) no h may be short
# enough for the smallest and long enough for pivoting: in the basis of h these would be negative without it. Those of
# the step itself are not. Within their cones, and without h b, they leave velocities of the size of h b, which are
# stopped as impacts of their own.
@kernel
def _stops_nearly(
    k: Integer, D: Reals2, v: Reals, b: Reals, mu: Reals, limit: Real, part: Real, cover: Integer, w: Workspace
) -> Truth:
    """Whether the impulses of the step stop a slip, up to what the forces give in its time; they are in the trial."""
    length = solve_step(k, D, v, b, mu, limit, part, cover, w)
    if length == 0.0:
        return False
    for j in range(k):
        w.joint_trial[2 * j] = max(w.joint_trial[2 * j], 0.0)
        w.joint_trial[2 * j + 1] = limited(w.joint_trial[2 * j + 1], mu[j] * w.joint_trial[2 * j])
    _limit_start(k, v, limit, w)
    velocities_after(k, D, w.joint_proposal, w)
    width = 2.0 * length * largest_of(2 * k, b)
    return holds(k, mu, width, width / largest_mobility(k, D), w) and _stops_slip(k, v, limit, width, w)


@kernel
def stop_slips(k: Integer, D: Reals2, v: Reals, b: Reals, mu: Reals, limit: Real, nearly: Truth, w: Workspace) -> Truth:
    """Whether a step with slips up to a limit stops one: the shortest that does, its impulses are in the trial."""
    part = MOREAU_STEP
    for _ in range(MOREAU_STEPS):
        for cover in range(LEMKE_PATHS):
            if nearly:
                if _stops_nearly(k, D, v, b, mu, limit, part, cover, w):
                    return True
            elif _stops_exactly(k, D, v, b, mu, limit, part, cover, w):
                return True
        part *= MOREAU_LONGER
    return False


@kernel
def stop_by_friction(k: Integer, D: Reals2, v: Reals, b: Reals, mu: Reals, p: Reals, w: Workspace) -> Integer:
    """Impulses p that stop slips of k contacts which touch with the velocities v and have no finite forces together.

    b are their accelerations without forces. NO_SOLUTION where no slip is stopped.
    """
    limit = next_limit(k, v, 0.0)
    while limit > 0.0:
        if stop_slips(k, D, v, b, mu, limit, False, w) or stop_slips(k, D, v, b, mu, limit, True, w):
            for a in range(2 * k):
                p[a] = w.joint_trial[a]
            return OK
        limit = next_limit(k, v, limit)
    return NO_SOLUTION
