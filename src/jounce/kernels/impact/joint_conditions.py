"""What the impulses of a joint impact (joint.py) have to satisfy, and the solution of one choice of states."""

from __future__ import annotations

import math

from jounce.kernels.contact.linear import solve_ranked
from jounce.kernels.records.fields import Workspace
from jounce.kernels.records.tolerances import JOINT_CONSISTENCY
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2, Truth

# States of a contact, likeliest first. OPEN: p_n has its least value; the others: gamma_n+ reaches its target.
STICKING = 0
SLIDING_POSITIVE = 1
SLIDING_NEGATIVE = 2
CLOSED_STATES = 3

# Rows of w.joint_question, one column a contact: what is asked for
LEAST, TARGET_N, TARGET_T, STORED = 0, 1, 2, 3
# Rows of w.joint_state: p_n = NORMAL_BASE unless it is unknown, p_t = SHEAR_BASE + SHEAR_SLOPE p_n unless it is
NORMAL_BASE, SHEAR_BASE, SHEAR_SLOPE, STICKS = 0, 1, 2, 3


# Each contact has p_n unknown or p_n = base, and p_t unknown or p_t = shear base + slope p_n. An unknown p_n comes with
# the equation gamma_n+ = target, an unknown p_t with gamma_t+ = target: a square system for the unknowns.
@kernel
def solve_trial(k: Integer, D: Reals2, start: Reals, m: Integer, w: Workspace) -> None:
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
def set_state(j: Integer, m: Integer, closed: Truth, motion: Integer, mu: Reals, w: Workspace) -> Integer:
    """Put contact j into a state: append its equations to the m there are and return their number."""
    state, question = w.joint_state, w.joint_question
    state[NORMAL_BASE, j] = 0.0 if closed else question[LEAST, j]
    state[SHEAR_BASE, j] = state[SHEAR_SLOPE, j] = 0.0
    state[STICKS, j] = 1.0 if motion == STICKING else 0.0
    if closed:
        w.joint_rows[m] = 2 * j
        w.joint_targets[m] = question[TARGET_N, j]
        m += 1
    if motion == STICKING:
        w.joint_rows[m] = 2 * j + 1
        w.joint_targets[m] = question[TARGET_T, j]
        m += 1
    elif motion < CLOSED_STATES:
        stored, high_end = question[STORED, j], motion == SLIDING_NEGATIVE
        if (stored < 0.0 and high_end) or (stored > 0.0 and not high_end):
            state[SHEAR_BASE, j] = stored
        else:
            state[SHEAR_SLOPE, j] = mu[j] if high_end else -mu[j]
    return m


# The conditions are asked of impulses and velocities themselves, whatever way has led to them:
#   p_n >= least, gamma_n+ >= target, one of them an equation; p_t in [low, high], where
#   gamma_t+ > target takes the low end, gamma_t+ < target the high one, and gamma_t+ = target any between.
@kernel
def is_consistent(k: Integer, D: Reals2, start: Reals, mu: Reals, w: Workspace) -> Truth:
    """Whether the trial satisfies every equation and inequality."""
    impulse = 0.0
    for a in range(2 * k):
        impulse = max(impulse, abs(w.joint_trial[a]))
        if not math.isfinite(w.joint_trial[a]):
            return False
    return holds(k, mu, JOINT_CONSISTENCY * largest_term(k, D, start, w), JOINT_CONSISTENCY * impulse, w)


@kernel
def holds(k: Integer, mu: Reals, tol_v: Real, tol_p: Real, w: Workspace) -> Truth:
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
