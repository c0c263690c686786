"""Joint impact of up to four contacts by complementarity: every combination of contact states is tried.

    gamma+ = gamma- + D p,   order (n1, t1, n2, t2, ...),   D = W^T M^-1 W (Delassus, symmetric, >= 0)

Few contacts: enumeration beats a pivoting method, because redundant contacts (the two ends of a flat rod share one
tangential velocity) only make some of the small systems rank deficient, and those are solved with least norm.
"""

from __future__ import annotations

import math

from jounce.kernels.contact.linear import solve_ranked
from jounce.kernels.impact.impulse import NO_SOLUTION, OK
from jounce.toolchain.jit import kernel

JOINT_NEWTON = 0
JOINT_POISSON = 1

# States of a contact, likeliest first. OPEN: p_n has its least value; the others: gamma_n+ reaches its target.
_STICK = 0
_SLIP_POSITIVE = 1
_SLIP_NEGATIVE = 2
_CLOSED_STATES = 3
_NEWTON_STATES = 4  # + OPEN, which has no impulse
_EXPANSION_STATES = 6  # the three with p_n = e p_nC, then the three with gamma_n+ = 0

# Inequalities and residuals are accepted to this fraction of the largest velocity or impulse.
CONSISTENCY_TOLERANCE = 1e-9

# Layout of the scratch array w.joint_work.
_ROWS = 0  # component of gamma of each equation, which is also the impulse of each unknown
_TARGETS = 8
_NORMAL_BASE = 16  # p_n = base when it is no unknown
_SHEAR_BASE = 20  # p_t = base + slope p_n when it is no unknown
_SHEAR_SLOPE = 24
_TRIAL = 28
_AFTER = 36
_LEAST = 44
_STATES = 48
_QUESTION = 52  # least p_n, targets of gamma_n+ and gamma_t+, stored shear: four each, then eight velocities


# Each contact has p_n unknown or p_n = base, and p_t unknown or p_t = shear base + slope p_n. An unknown p_n comes with
# the equation gamma_n+ = target, an unknown p_t with gamma_t+ = target: a square system for the unknowns.
@kernel
def _solve_trial(k, D, start, m, w):
    """Assemble and solve the system of the current states, fill the trial impulse and the velocities after it."""
    work = w.joint_work
    for r in range(m):
        a = int(work[_ROWS + r])
        rhs = work[_TARGETS + r] - start[a]
        for j in range(k):
            rhs -= D[a, 2 * j] * work[_NORMAL_BASE + j]
            rhs -= D[a, 2 * j + 1] * (work[_SHEAR_BASE + j] + work[_SHEAR_SLOPE + j] * work[_NORMAL_BASE + j])
        w.right[r] = rhs
        for c in range(m):
            b = int(work[_ROWS + c])
            value = D[a, b]
            if b % 2 == 0:
                value += D[a, b + 1] * work[_SHEAR_SLOPE + b // 2]
            w.matrix[r, c] = value
    if m > 0:
        solve_ranked(w, m)
    for j in range(k):
        work[_TRIAL + 2 * j] = work[_NORMAL_BASE + j]
        work[_TRIAL + 2 * j + 1] = 0.0
    for c in range(m):
        work[_TRIAL + int(work[_ROWS + c])] = w.unknown[c]
    for j in range(k):
        if work[_STATES + j] != _STICK:
            work[_TRIAL + 2 * j + 1] = work[_SHEAR_BASE + j] + work[_SHEAR_SLOPE + j] * work[_TRIAL + 2 * j]
    for a in range(2 * k):
        total = start[a]
        for b in range(2 * k):
            total += D[a, b] * work[_TRIAL + b]
        work[_AFTER + a] = total
    return m


# Shear of contact j lies in [low, high]: Coulomb's [-mu p_n, mu p_n]; in expansion with e_t > 0 one end is the stored
# impulse (see poisson_two_phase in algebraic_laws.py). Slip+ takes the low end, slip- the high one.
@kernel
def _shear_end(j, high_end, mu, stored, work):
    """Set p_t = base + slope p_n of a slipping contact."""
    work[_SHEAR_BASE + j] = 0.0
    work[_SHEAR_SLOPE + j] = mu if high_end else -mu
    if (stored < 0.0 and high_end) or (stored > 0.0 and not high_end):
        work[_SHEAR_BASE + j] = stored
        work[_SHEAR_SLOPE + j] = 0.0


# Columns of the question asked for each contact: least p_n, target of gamma_n+, target of gamma_t+, stored shear.
@kernel
def _complementarity(expansion, k, D, start, mu, least, target_n, target_t, stored, w):
    """Try every combination of states; leave the first consistent one in the trial slots and return 0."""
    work = w.joint_work
    base = _EXPANSION_STATES if expansion else _NEWTON_STATES
    combinations = base**k
    for number in range(combinations):
        rest = number
        m = 0
        for j in range(k):
            state = rest % base
            rest //= base
            closed = state >= _CLOSED_STATES if expansion else state < _CLOSED_STATES
            motion = state % _CLOSED_STATES if expansion else state
            work[_NORMAL_BASE + j] = 0.0 if closed else least[j]
            work[_SHEAR_BASE + j] = 0.0
            work[_SHEAR_SLOPE + j] = 0.0
            work[_STATES + j] = motion
            work[_LEAST + j] = 1.0 if closed else 0.0
            if closed:
                work[_ROWS + m] = 2 * j
                work[_TARGETS + m] = target_n[j]
                m += 1
            if motion == _STICK:
                work[_ROWS + m] = 2 * j + 1
                work[_TARGETS + m] = target_t[j]
                m += 1
            elif motion != _NEWTON_STATES - 1:
                _shear_end(j, motion == _SLIP_NEGATIVE, mu[j], stored[j], work)
        _solve_trial(k, D, start, m, w)
        if _consistent(k, start, mu, least, target_n, target_t, stored, work):
            return OK
    return NO_SOLUTION


@kernel
def _consistent(k, start, mu, least, target_n, target_t, stored, work):
    """Whether the trial satisfies every equation and inequality."""
    velocity = impulse = 0.0
    for a in range(2 * k):
        velocity = max(velocity, abs(start[a]), abs(work[_AFTER + a]))
        impulse = max(impulse, abs(work[_TRIAL + a]))
        if not math.isfinite(work[_TRIAL + a]):
            return False
    tol_v = CONSISTENCY_TOLERANCE * velocity
    tol_p = CONSISTENCY_TOLERANCE * impulse
    for j in range(k):
        p_n, p_t = work[_TRIAL + 2 * j], work[_TRIAL + 2 * j + 1]
        over_n = work[_AFTER + 2 * j] - target_n[j]
        over_t = work[_AFTER + 2 * j + 1] - target_t[j]
        if p_n < least[j] - tol_p or over_n < -tol_v:
            return False
        if work[_LEAST + j] > 0.0 and over_n > tol_v:
            return False
        motion = work[_STATES + j]
        if motion == _STICK:
            low = stored[j] if stored[j] > 0.0 else -mu[j] * p_n
            high = stored[j] if stored[j] < 0.0 else mu[j] * p_n
            if abs(over_t) > tol_v or p_t < low - tol_p or p_t > high + tol_p:
                return False
        elif motion == _SLIP_POSITIVE and over_t < -tol_v:
            return False
        elif motion == _SLIP_NEGATIVE and over_t > tol_v:
            return False
    return True


# Newton:  gamma_n+ + e min(gamma_n-, 0) >= 0 complementary to p_n >= 0, Coulomb's law with gamma_t+ + e_t gamma_t-.
# Poisson: compression: gamma_nC >= 0 complementary to p_nC >= 0, Coulomb's law on p_C with gamma_tC;
#          expansion:   gamma_n+ >= 0 complementary to p_nE - e p_nC >= 0, Coulomb's law on p_E with gamma_t+ (and e_t).
@kernel
def joint_impact(kind, k, D, v, mu, e, e_t, p, w):
    """Impulses p of k <= 4 contacts at once; return 0, or NO_SOLUTION when no combination of states is consistent.

    D is (2k, 2k), v and p have 2k entries, mu, e and e_t have k; w is a workspace, for its scratch.
    """
    work = w.joint_work
    least = work[_QUESTION : _QUESTION + 4]
    target_n = work[_QUESTION + 4 : _QUESTION + 8]
    target_t = work[_QUESTION + 8 : _QUESTION + 12]
    stored = work[_QUESTION + 12 : _QUESTION + 16]
    start = work[_QUESTION + 16 : _QUESTION + 24]
    for j in range(k):
        least[j] = 0.0
        stored[j] = 0.0
        target_n[j] = -e[j] * min(v[2 * j], 0.0) if kind == JOINT_NEWTON else 0.0
        target_t[j] = -e_t[j] * v[2 * j + 1] if kind == JOINT_NEWTON else 0.0
    for a in range(2 * k):
        p[a] = 0.0
        start[a] = v[a]
    for phase in range(2):
        code = _complementarity(phase == 1, k, D, start, mu, least, target_n, target_t, stored, w)
        if code != OK:
            for a in range(2 * k):
                p[a] = 0.0
            return code
        for a in range(2 * k):
            p[a] += work[_TRIAL + a]
            start[a] = work[_AFTER + a]
        if kind == JOINT_NEWTON or phase == 1:
            break
        bounces = False
        for j in range(k):
            least[j] = e[j] * max(p[2 * j], 0.0)
            if e_t[j] > 0.0:
                stored[j] = e[j] * e_t[j] * p[2 * j + 1]
            bounces = bounces or least[j] > 0.0
        if not bounces:
            break
    return OK
