"""Joint impact of any number of contacts by complementarity.

    gamma+ = gamma- + D p,   order (n1, t1, n2, t2, ...),   D = W^T M^-1 W (Delassus, symmetric, >= 0)

Few contacts: every combination of their states is tried, likeliest first. Redundant contacts (the two ends of a flat
rod share one tangential velocity) only make some of the small systems rank deficient, and those are solved with least
norm, so equal contacts share equally. More contacts: Lemke's method (pivoting.py) proposes velocities; the states that
belong to them give a system with least norm as before, and where its solution leaves the cones the proposal itself is
taken. Whatever the way, an answer counts only if it satisfies every condition of the law.

Contacts that touch without closing may have no finite forces together, though none of them is jammed alone: a disc
that slides down a wall and is held by others that stick. Then slips stop at once, in an impact without collision. A
step of Moreau's scheme, gamma+ = gamma- + D p + h b with the accelerations b, has a solution for every h > 0 (its
matrix is copositive); where finite forces exist p is of the size of h, and where there are none it tends to an
impulse that solves the same conditions with h = 0. Lemke's method finds the basis at a small h; in it p is linear in
h, so h may be zero.

Small is what is small beside the slowest slip: one of 1e-9 beside others of 1e-2 would stop by finite forces within a
step that is short for these. A slip that is so much faster keeps its direction, whatever its speed; so the problem is
posed with slips of a limited size, from that of the slowest ones on, and its answer is one of the motion itself if
those that were limited slide on in it.
"""

from __future__ import annotations

import math

from jounce.kernels.contact.linear import solve_ranked
from jounce.kernels.contact.pivoting import solve_complementarity
from jounce.kernels.impact.impulse import NO_SOLUTION, OK
from jounce.kernels.records.fields import Workspace
from jounce.kernels.records.tolerances import JOINT_CONSISTENCY, MOREAU_LONGER, MOREAU_STEP, MOREAU_STEPS, SLIDES_ON
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2, Truth

JOINT_NEWTON = 0
JOINT_POISSON = 1

# States of a contact, likeliest first. OPEN: p_n has its least value; the others: gamma_n+ reaches its target.
_STICK = 0
_SLIP_POSITIVE = 1
_SLIP_NEGATIVE = 2
_CLOSED_STATES = 3
_NEWTON_STATES = 4  # + OPEN, which has no impulse
_EXPANSION_STATES = 6  # the three with p_n = e p_nC, then the three with gamma_n+ = 0

ENUMERATED = 4  # contacts up to which all combinations are tried
COVERS = 4  # paths of Lemke's method that are tried

# Rows of w.joint_question, one column a contact: what is asked for
LEAST, TARGET_N, TARGET_T, STORED = 0, 1, 2, 3
# Rows of w.joint_state: p_n = NORMAL_BASE unless it is unknown, p_t = SHEAR_BASE + SHEAR_SLOPE p_n unless it is
NORMAL_BASE, SHEAR_BASE, SHEAR_SLOPE, STICKS = 0, 1, 2, 3


# Each contact has p_n unknown or p_n = base, and p_t unknown or p_t = shear base + slope p_n. An unknown p_n comes with
# the equation gamma_n+ = target, an unknown p_t with gamma_t+ = target: a square system for the unknowns.
@kernel
def _solve_trial(k: Integer, D: Reals2, start: Reals, m: Integer, w: Workspace) -> None:
    """Assemble and solve the system of the current states, fill the trial impulse and the velocities after it."""
    state, rows, trial = w.joint_state, w.joint_rows, w.joint_trial
    for r in range(m):
        a = rows[r]
        rhs = w.joint_targets[r] - start[a]
        for j in range(k):
            rhs -= D[a, 2 * j] * state[NORMAL_BASE, j]
            rhs -= D[a, 2 * j + 1] * (state[SHEAR_BASE, j] + state[SHEAR_SLOPE, j] * state[NORMAL_BASE, j])
        w.right[r] = rhs
        w.mobility[r] = D[a, a]
        for c in range(m):
            b = rows[c]
            value = D[a, b]
            if b % 2 == 0:
                value += D[a, b + 1] * state[SHEAR_SLOPE, b // 2]
            w.matrix[r, c] = value
    if m > 0:
        solve_ranked(w, m)
    for j in range(k):
        trial[2 * j] = state[NORMAL_BASE, j]
        trial[2 * j + 1] = 0.0
    for c in range(m):
        trial[rows[c]] = w.unknown[c]
    for j in range(k):
        if not state[STICKS, j]:
            trial[2 * j + 1] = state[SHEAR_BASE, j] + state[SHEAR_SLOPE, j] * trial[2 * j]
    velocities_after(k, D, start, w)


@kernel
def velocities_after(k: Integer, D: Reals2, start: Reals, w: Workspace) -> None:
    """gamma+ of the trial impulse."""
    for a in range(2 * k):
        total = start[a]
        for b in range(2 * k):
            total += D[a, b] * w.joint_trial[b]
        w.joint_after[a] = total


@kernel
def largest_term(k: Integer, D: Reals2, start: Reals, w: Workspace) -> Real:
    """The largest of the velocities from which gamma+ is summed: contacts may stop one another to the last digit."""
    largest = 0.0
    for a in range(2 * k):
        total = abs(start[a])
        for b in range(2 * k):
            total += abs(D[a, b] * w.joint_trial[b])
        largest = max(largest, total)
    return largest


# Shear of contact j lies in [low, high]: Coulomb's [-mu p_n, mu p_n]; in expansion with e_t > 0 one end is the stored
# impulse (see poisson_two_phase in algebraic_laws.py). Slip+ takes the low end, slip- the high one.
@kernel
def _set_state(j: Integer, m: Integer, closed: Truth, motion: Integer, mu: Reals, w: Workspace) -> Integer:
    """Put contact j into a state: append its equations to the m there are and return their number."""
    state, question = w.joint_state, w.joint_question
    state[NORMAL_BASE, j] = 0.0 if closed else question[LEAST, j]
    state[SHEAR_BASE, j] = state[SHEAR_SLOPE, j] = 0.0
    state[STICKS, j] = 1.0 if motion == _STICK else 0.0
    if closed:
        w.joint_rows[m] = 2 * j
        w.joint_targets[m] = question[TARGET_N, j]
        m += 1
    if motion == _STICK:
        w.joint_rows[m] = 2 * j + 1
        w.joint_targets[m] = question[TARGET_T, j]
        m += 1
    elif motion < _CLOSED_STATES:
        stored, high_end = question[STORED, j], motion == _SLIP_NEGATIVE
        if (stored < 0.0 and high_end) or (stored > 0.0 and not high_end):
            state[SHEAR_BASE, j] = stored
        else:
            state[SHEAR_SLOPE, j] = mu[j] if high_end else -mu[j]
    return m


@kernel
def _enumerate(expansion: Truth, k: Integer, D: Reals2, start: Reals, mu: Reals, w: Workspace) -> Integer:
    """Try every combination of states; leave the first consistent one in the trial and return OK."""
    base = _EXPANSION_STATES if expansion else _NEWTON_STATES
    for number in range(base**k):
        rest = number
        m = 0
        for j in range(k):
            state = rest % base
            rest //= base
            closed = state >= _CLOSED_STATES if expansion else state < _CLOSED_STATES
            m = _set_state(j, m, closed, state % _CLOSED_STATES if expansion else state, mu, w)
        _solve_trial(k, D, start, m, w)
        if _consistent(k, D, start, mu, w):
            return OK
    return NO_SOLUTION


# The conditions are asked of impulses and velocities themselves, whatever way has led to them:
#   p_n >= least, gamma_n+ >= target, one of them an equation; p_t in [low, high], where
#   gamma_t+ > target takes the low end, gamma_t+ < target the high one, and gamma_t+ = target any between.
@kernel
def _consistent(k: Integer, D: Reals2, start: Reals, mu: Reals, w: Workspace) -> Truth:
    """Whether the trial satisfies every equation and inequality."""
    impulse = 0.0
    for a in range(2 * k):
        impulse = max(impulse, abs(w.joint_trial[a]))
        if not math.isfinite(w.joint_trial[a]):
            return False
    return _holds(k, mu, JOINT_CONSISTENCY * largest_term(k, D, start, w), JOINT_CONSISTENCY * impulse, w)


@kernel
def _holds(k: Integer, mu: Reals, tol_v: Real, tol_p: Real, w: Workspace) -> Truth:
    """Whether the conditions hold to these widths of velocities and impulses."""
    question = w.joint_question
    for j in range(k):
        p_n, p_t, stored = w.joint_trial[2 * j], w.joint_trial[2 * j + 1], question[STORED, j]
        over_n = w.joint_after[2 * j] - question[TARGET_N, j]
        over_t = w.joint_after[2 * j + 1] - question[TARGET_T, j]
        least = question[LEAST, j]
        if p_n < least - tol_p or over_n < -tol_v or (p_n > least + tol_p and over_n > tol_v):
            return False
        low = stored if stored > 0.0 else -mu[j] * p_n
        high = stored if stored < 0.0 else mu[j] * p_n
        if p_t < low - tol_p or p_t > high + tol_p:
            return False
        if (over_t > tol_v and p_t > low + tol_p) or (over_t < -tol_v and p_t < high - tol_p):
            return False
    return True


@kernel
def drop_pair(n: Integer, row: Integer, w: Workspace) -> None:
    """A pair that a contact does not have: w = 1, and nothing depends on its z."""
    for i in range(n):
        w.tableau[i, n + row] = w.tableau[row, n + i] = 0.0
    w.tableau[row, 2 * n + 1] = 1.0


# As a linear complementarity problem, four pairs a contact (Anitescu & Potra 1997, with a stored shear):
#   x = p_n - least                       with   gamma_n+ - target ,
#   b+, b- : p_t = stored + b+ - b-       with   l +- (gamma_t+ - target) ,
#   l                                     with   mu p_n - |stored| - b+ - b- .
# l is the slip speed. A stored shear > 0 has no b-, one < 0 no b+: that end of the interval is the stored one.
# Without friction there are none of the three.
# z.M.z = p.D.p + mu x.l >= 0 for z >= 0: copositive. Velocities are in units of ``largest_term``, D of its largest.
@kernel
def fill_tableau(k: Integer, D: Reals2, start: Reals, mu: Reals, speed: Real, mobility: Real, w: Workspace) -> None:
    """-M and q of the contacts as ``solve_complementarity`` wants them."""
    n = 4 * k
    tableau, question = w.tableau, w.joint_question
    impulse = speed / mobility
    for i in range(n):
        for c in range(n, 2 * n):
            tableau[i, c] = 0.0
    for j in range(k):
        over_n, over_t = start[2 * j] - question[TARGET_N, j], start[2 * j + 1] - question[TARGET_T, j]
        for i in range(k):
            over_n += D[2 * j, 2 * i] * question[LEAST, i] + D[2 * j, 2 * i + 1] * question[STORED, i]
            over_t += D[2 * j + 1, 2 * i] * question[LEAST, i] + D[2 * j + 1, 2 * i + 1] * question[STORED, i]
            for sign in range(-1, 2):
                # rows n, t+ and t-; columns x, b+ and b-
                row = 4 * j + (0 if sign == 0 else (1 if sign > 0 else 2))
                a = 2 * j if sign == 0 else 2 * j + 1
                factor = -(1.0 if sign == 0 else float(sign)) / mobility
                tableau[row, n + 4 * i] = factor * D[a, 2 * i]
                tableau[row, n + 4 * i + 1] = factor * D[a, 2 * i + 1]
                tableau[row, n + 4 * i + 2] = -factor * D[a, 2 * i + 1]
        stored, last = question[STORED, j], 2 * n + 1
        for row in range(4 * j + 1, 4 * j + 3):
            tableau[row, n + 4 * j + 3] = -1.0
            tableau[4 * j + 3, n + row] = 1.0
        tableau[4 * j + 3, n + 4 * j] = -mu[j]
        tableau[4 * j, last] = over_n / speed
        tableau[4 * j + 1, last] = over_t / speed
        tableau[4 * j + 2, last] = -over_t / speed
        tableau[4 * j + 3, last] = (mu[j] * question[LEAST, j] - abs(stored)) / impulse
    for j in range(k):
        stored = question[STORED, j]
        for part in range(1, 4):
            if mu[j] == 0.0 or (part == 1 and stored < 0.0) or (part == 2 and stored > 0.0):
                drop_pair(n, 4 * j + part, w)


@kernel
def propose(k: Integer, impulse: Real, w: Workspace) -> None:
    """The impulses of the basis that Lemke's method has ended with, as the trial."""
    n = 4 * k
    for j in range(k):
        w.joint_trial[2 * j] = w.joint_question[LEAST, j]
        w.joint_trial[2 * j + 1] = w.joint_question[STORED, j]
    for i in range(n):
        variable = w.basis[i] - n
        if 0 <= variable < n and variable % 4 < 3:
            j, part = variable // 4, variable % 4
            value = impulse * w.tableau[i, 2 * n + 1]
            w.joint_trial[2 * j + (1 if part > 0 else 0)] += -value if part == 2 else value


@kernel
def _states_of_proposal(k: Integer, D: Reals2, start: Reals, mu: Reals, w: Workspace) -> Integer:
    """States from the velocities after the trial: at their targets closed and sticking; the number of equations."""
    tol_v = JOINT_CONSISTENCY * largest_term(k, D, start, w)
    m = 0
    for j in range(k):
        over_n = w.joint_after[2 * j] - w.joint_question[TARGET_N, j]
        over_t = w.joint_after[2 * j + 1] - w.joint_question[TARGET_T, j]
        closed = over_n <= tol_v
        motion = _STICK
        if abs(over_t) > tol_v:
            motion = _SLIP_POSITIVE if over_t > 0.0 else _SLIP_NEGATIVE
        if not closed and w.joint_question[LEAST, j] == 0.0:
            motion = _CLOSED_STATES  # no normal impulse, no friction
        m = _set_state(j, m, closed, motion, mu, w)
    return m


@kernel
def closing_speed(k: Integer, start: Reals, w: Workspace) -> Real:
    """The largest velocity by which a contact misses its target: what the impulses have to give."""
    speed = 0.0
    for j in range(k):
        speed = max(speed, w.joint_question[TARGET_N, j] - start[2 * j])
    return speed


@kernel
def _slides_on(j: Integer, start: Reals, closing: Real, w: Workspace) -> Truth:
    """Whether contact j slides so much faster than anything closes that its direction of slip is known beforehand."""
    slip = abs(start[2 * j + 1] - w.joint_question[TARGET_T, j])
    return w.joint_question[STORED, j] == 0.0 and slip > SLIDES_ON * closing


# The last impulses of a long sequence are small beside the slips of the same contacts, by as many digits as the
# sequence has taken away. In units of the slips they would be rounding. Contacts that slide on have p_t = -+mu p_n,
# one unknown each, so no slip is in the problem, and its unit is the closing speed.
@kernel
def keep_sliding(k: Integer, D: Reals2, start: Reals, mu: Reals, closing: Real, mobility: Real, w: Workspace) -> None:
    """Let contacts that slide on have the friction of their slip: their columns of x, and no pairs of friction."""
    n, tableau = 4 * k, w.tableau
    for j in range(k):
        if mu[j] == 0.0 or not _slides_on(j, start, closing, w):
            continue
        sign = 1.0 if start[2 * j + 1] > w.joint_question[TARGET_T, j] else -1.0
        for i in range(k):
            shear_n = sign * mu[j] * D[2 * i, 2 * j + 1] / mobility
            shear_t = sign * mu[j] * D[2 * i + 1, 2 * j + 1] / mobility
            tableau[4 * i, n + 4 * j] += shear_n
            if mu[i] > 0.0 and not _slides_on(i, start, closing, w):
                tableau[4 * i + 1, n + 4 * j] += shear_t
                tableau[4 * i + 2, n + 4 * j] -= shear_t
    for j in range(k):
        if _slides_on(j, start, closing, w):
            for part in range(1, 4):
                drop_pair(n, 4 * j + part, w)


@kernel
def _by_pivoting(k: Integer, D: Reals2, start: Reals, mu: Reals, w: Workspace) -> Integer:
    """Lemke's proposal, with least norm where its states allow; leave it in the trial and return OK.

    First, where contacts slide on, with their friction known.
    """
    mobility, known = 0.0, False
    closing = closing_speed(k, start, w)
    for j in range(k):
        # what is certain: at least this much is given
        w.joint_trial[2 * j], w.joint_trial[2 * j + 1] = w.joint_question[LEAST, j], w.joint_question[STORED, j]
        mobility = max(mobility, D[2 * j, 2 * j], D[2 * j + 1, 2 * j + 1])
        known = known or (closing > 0.0 and w.joint_question[LEAST, j] == 0.0 and _slides_on(j, start, closing, w))
    speed = largest_term(k, D, start, w)
    if not (speed > 0.0 and mobility > 0.0):
        speed = mobility = 1.0
    for attempt in range(2 * COVERS):
        sliding = attempt < COVERS
        if sliding and not known:
            continue
        scale = closing if sliding else speed
        fill_tableau(k, D, start, mu, scale, mobility, w)
        if sliding:
            keep_sliding(k, D, start, mu, closing, mobility, w)
        if not solve_complementarity(w.tableau, w.basis, 4 * k, attempt % COVERS):
            continue
        propose(k, scale / mobility, w)
        if sliding:
            propose_sliding(k, start, mu, closing, w)
        velocities_after(k, D, start, w)
        m = _states_of_proposal(k, D, start, mu, w)
        for a in range(2 * k):
            w.joint_proposal[a] = w.joint_trial[a]
        _solve_trial(k, D, start, m, w)
        if _consistent(k, D, start, mu, w):
            return OK
        for a in range(2 * k):
            w.joint_trial[a] = w.joint_proposal[a]
        velocities_after(k, D, start, w)
        if _consistent(k, D, start, mu, w):
            return OK
    return NO_SOLUTION


@kernel
def propose_sliding(k: Integer, start: Reals, mu: Reals, closing: Real, w: Workspace) -> None:
    """The friction of the contacts that slide on, whose normal impulses have been proposed."""
    for j in range(k):
        if mu[j] > 0.0 and _slides_on(j, start, closing, w):
            sign = 1.0 if start[2 * j + 1] > w.joint_question[TARGET_T, j] else -1.0
            w.joint_trial[2 * j + 1] = -sign * mu[j] * w.joint_trial[2 * j]


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
    m = _states_of_proposal(k, D, start, mu, w)
    _limit_start(k, v, limit, w)
    _solve_trial(k, D, start, m, w)  # redundant contacts share equally
    if not _consistent(k, D, start, mu, w):
        fastest = fastest_slip(k, v, limit)
        _without_step(k, start, mu, fastest, w)
        propose(k, fastest / largest_mobility(k, D), w)
        velocities_after(k, D, start, w)
    return _consistent(k, D, start, mu, w) and _stops_slip(k, v, limit, 0.0, w)


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
    return _holds(k, mu, width, width / largest_mobility(k, D), w) and _stops_slip(k, v, limit, width, w)


@kernel
def stop_slips(k: Integer, D: Reals2, v: Reals, b: Reals, mu: Reals, limit: Real, nearly: Truth, w: Workspace) -> Truth:
    """Whether a step with slips up to a limit stops one: the shortest that does, its impulses are in the trial."""
    part = MOREAU_STEP
    for _ in range(MOREAU_STEPS):
        for cover in range(COVERS):
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


@kernel
def _complementarity(expansion: Truth, k: Integer, D: Reals2, start: Reals, mu: Reals, w: Workspace) -> Integer:
    """The impulse of one phase into the trial; OK or NO_SOLUTION."""
    if k <= ENUMERATED:
        return _enumerate(expansion, k, D, start, mu, w)
    return _by_pivoting(k, D, start, mu, w)


# Newton:  gamma_n+ + e min(gamma_n-, 0) >= 0 complementary to p_n >= 0, Coulomb's law with gamma_t+ + e_t gamma_t-.
# Poisson: compression: gamma_nC >= 0 complementary to p_nC >= 0, Coulomb's law on p_C with gamma_tC;
#          expansion:   gamma_n+ >= 0 complementary to p_nE - e p_nC >= 0, Coulomb's law on p_E with gamma_t+ (and e_t).
@kernel
def joint_impact(
    kind: Integer, k: Integer, D: Reals2, v: Reals, mu: Reals, e: Reals, e_t: Reals, p: Reals, w: Workspace
) -> Integer:
    """Impulses p of k contacts at once; return 0, or NO_SOLUTION when no combination of states is consistent.

    D is (2k, 2k), v and p have 2k entries, mu, e and e_t have k; w is a workspace, for its scratch.
    """
    question, start = w.joint_question, w.joint_start
    for j in range(k):
        question[LEAST, j] = question[STORED, j] = 0.0
        question[TARGET_N, j] = -e[j] * min(v[2 * j], 0.0) if kind == JOINT_NEWTON else 0.0
        question[TARGET_T, j] = -e_t[j] * v[2 * j + 1] if kind == JOINT_NEWTON else 0.0
    for a in range(2 * k):
        p[a] = 0.0
        start[a] = v[a]
    for phase in range(2):
        code = _complementarity(phase == 1, k, D, start, mu, w)
        if code != OK:
            for a in range(2 * k):
                p[a] = 0.0
            return code
        for a in range(2 * k):
            p[a] += w.joint_trial[a]
            start[a] = w.joint_after[a]
        if kind == JOINT_NEWTON or phase == 1:
            break
        bounces = False
        for j in range(k):
            question[LEAST, j] = e[j] * max(p[2 * j], 0.0)
            if e_t[j] > 0.0:
                question[STORED, j] = e[j] * e_t[j] * p[2 * j + 1]
            bounces = bounces or question[LEAST, j] > 0.0
        if not bounces:
            break
    return OK
