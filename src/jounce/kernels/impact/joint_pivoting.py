"""A joint impact of many contacts by Lemke's method (joint.py)."""

from __future__ import annotations

from jounce.kernels.contact.pivoting import solve_complementarity
from jounce.kernels.impact.impulse import NO_SOLUTION, OK
from jounce.kernels.impact.joint_conditions import (
    CLOSED_STATES,
    LEAST,
    SLIDING_NEGATIVE,
    SLIDING_POSITIVE,
    STICKING,
    STORED,
    TARGET_N,
    TARGET_T,
    is_consistent,
    largest_term,
    set_state,
    solve_trial,
    velocities_after,
)
from jounce.kernels.records.fields import Workspace
from jounce.kernels.records.tolerances import JOINT_CONSISTENCY, LEMKE_PATHS, SLIDES_ON
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2, Truth


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
def states_of_proposal(k: Integer, D: Reals2, start: Reals, mu: Reals, w: Workspace) -> Integer:
    """States from the velocities after the trial: at their targets closed and sticking; the number of equations."""
    tol_v = JOINT_CONSISTENCY * largest_term(k, D, start, w)
    m = 0
    for j in range(k):
        over_n = w.joint_after[2 * j] - w.joint_question[TARGET_N, j]
        over_t = w.joint_after[2 * j + 1] - w.joint_question[TARGET_T, j]
        closed = over_n <= tol_v
        motion = STICKING
        if abs(over_t) > tol_v:
            motion = SLIDING_POSITIVE if over_t > 0.0 else SLIDING_NEGATIVE
        if not closed and w.joint_question[LEAST, j] == 0.0:
            motion = CLOSED_STATES  # no normal impulse, no friction
        m = set_state(j, m, closed, motion, mu, w)
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
def solve_by_pivoting(k: Integer, D: Reals2, start: Reals, mu: Reals, w: Workspace) -> Integer:
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
    for attempt in range(2 * LEMKE_PATHS):
        sliding = attempt < LEMKE_PATHS
        if sliding and not known:
            continue
        scale = closing if sliding else speed
        fill_tableau(k, D, start, mu, scale, mobility, w)
        if sliding:
            keep_sliding(k, D, start, mu, closing, mobility, w)
        if not solve_complementarity(w.tableau, w.basis, 4 * k, attempt % LEMKE_PATHS):
            continue
        propose(k, scale / mobility, w)
        if sliding:
            propose_sliding(k, start, mu, closing, w)
        velocities_after(k, D, start, w)
        m = states_of_proposal(k, D, start, mu, w)
        for a in range(2 * k):
            w.joint_proposal[a] = w.joint_trial[a]
        solve_trial(k, D, start, m, w)
        if is_consistent(k, D, start, mu, w):
            return OK
        for a in range(2 * k):
            w.joint_trial[a] = w.joint_proposal[a]
        velocities_after(k, D, start, w)
        if is_consistent(k, D, start, mu, w):
            return OK
    return NO_SOLUTION


@kernel
def propose_sliding(k: Integer, start: Reals, mu: Reals, closing: Real, w: Workspace) -> None:
    """The friction of the contacts that slide on, whose normal impulses have been proposed."""
    for j in range(k):
        if mu[j] > 0.0 and _slides_on(j, start, closing, w):
            sign = 1.0 if start[2 * j + 1] > w.joint_question[TARGET_T, j] else -1.0
            w.joint_trial[2 * j + 1] = -sign * mu[j] * w.joint_trial[2 * j]
