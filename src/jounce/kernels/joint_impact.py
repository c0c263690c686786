"""Joint impact of up to four contacts by complementarity: every combination of contact states is tried.

    gamma+ = gamma- + D p,   order (n1, t1, n2, t2, ...),   D = W^T M^-1 W (Delassus, symmetric, >= 0)

Few contacts: enumeration beats a pivoting method, because redundant contacts (the two ends of a flat rod share one
tangential velocity) only make some of the small systems rank deficient, and those are solved with least norm.
"""

from __future__ import annotations

import math

from jounce.kernels.impulse import NO_SOLUTION, OK
from jounce.kernels.jit import kernel

JOINT_NEWTON = 0
JOINT_POISSON = 1
MAX_JOINT_CONTACTS = 4
JOINT_WORK_SIZE = 384  # float64 numbers of scratch, enough for MAX_JOINT_CONTACTS

# States of a contact, likeliest first. OPEN: p_n has its least value; the others: gamma_n+ reaches its target.
_STICK = 0
_SLIP_POSITIVE = 1
_SLIP_NEGATIVE = 2
_CLOSED_STATES = 3
_NEWTON_STATES = 4  # + OPEN, which has no impulse
_EXPANSION_STATES = 6  # the three with p_n = e p_nC, then the three with gamma_n+ = 0

# A pivot or singular value below this fraction of the largest is zero: entries of D carry errors of about 1e-14.
RANK_TOLERANCE = 1e-11
# Inequalities and residuals are accepted to this fraction of the largest velocity or impulse.
CONSISTENCY_TOLERANCE = 1e-9

# Layout of the scratch array.
_MATRIX = 0
_TURNED = 64
_RIGHT = 128
_RHS = 192
_SOLUTION = 200
_ROWS = 208  # component of gamma of each equation, which is also the impulse of each unknown
_TARGETS = 216
_NORMAL_BASE = 224  # p_n = base when it is no unknown
_SHEAR_BASE = 228  # p_t = base + slope p_n when it is no unknown
_SHEAR_SLOPE = 232
_TRIAL = 236
_AFTER = 260
_LEAST = 268
_STATES = 272
_ORDER = 276
_LU = 284
_QUESTION = 348  # least p_n, targets of gamma_n+ and gamma_t+, stored shear: four each, then eight velocities


@kernel
def _solve_pivoting(m, work):
    """Solve by elimination with complete pivoting; return whether the rank is full."""
    for i in range(m):
        work[_ORDER + i] = i
        for j in range(m):
            work[_LU + 8 * i + j] = work[_MATRIX + 8 * i + j]
        work[_SOLUTION + i] = work[_RHS + i]
    largest = 0.0
    for c in range(m):
        best, row, column = -1.0, c, c
        for i in range(c, m):
            for j in range(c, m):
                size = abs(work[_LU + 8 * i + j])
                if size > best:
                    best, row, column = size, i, j
        largest = max(largest, best)
        if best <= RANK_TOLERANCE * largest:
            return False
        for j in range(m):
            work[_LU + 8 * c + j], work[_LU + 8 * row + j] = work[_LU + 8 * row + j], work[_LU + 8 * c + j]
        for i in range(m):
            work[_LU + 8 * i + c], work[_LU + 8 * i + column] = work[_LU + 8 * i + column], work[_LU + 8 * i + c]
        work[_SOLUTION + c], work[_SOLUTION + row] = work[_SOLUTION + row], work[_SOLUTION + c]
        work[_ORDER + c], work[_ORDER + column] = work[_ORDER + column], work[_ORDER + c]
        for i in range(c + 1, m):
            factor = work[_LU + 8 * i + c] / work[_LU + 8 * c + c]
            for j in range(c, m):
                work[_LU + 8 * i + j] -= factor * work[_LU + 8 * c + j]
            work[_SOLUTION + i] -= factor * work[_SOLUTION + c]
    for i in range(m - 1, -1, -1):
        total = work[_SOLUTION + i]
        for j in range(i + 1, m):
            total -= work[_LU + 8 * i + j] * work[_SOLUTION + j]
        work[_SOLUTION + i] = total / work[_LU + 8 * i + i]
    for i in range(m):  # undo the exchange of columns
        work[_LU + int(work[_ORDER + i])] = work[_SOLUTION + i]
    for i in range(m):
        work[_SOLUTION + i] = work[_LU + i]
    return True


# One-sided Jacobi: rotate the columns of G until they are orthogonal, G V = U S. Then x = V S^+ U^T b has least norm.
@kernel
def _solve_least_norm(m, work):
    """The least-norm solution of a rank-deficient system by singular values."""
    for i in range(m):
        for j in range(m):
            work[_TURNED + 8 * i + j] = work[_MATRIX + 8 * i + j]
            work[_RIGHT + 8 * i + j] = 1.0 if i == j else 0.0
    for _ in range(40):
        turned = False
        for a in range(m - 1):
            for b in range(a + 1, m):
                aa = bb = ab = 0.0
                for i in range(m):
                    x, y = work[_TURNED + 8 * i + a], work[_TURNED + 8 * i + b]
                    aa += x * x
                    bb += y * y
                    ab += x * y
                if abs(ab) <= 1e-15 * math.sqrt(aa * bb):
                    continue
                turned = True
                zeta = (bb - aa) / (2.0 * ab)
                tangent = math.copysign(1.0, zeta) / (abs(zeta) + math.sqrt(1.0 + zeta * zeta))
                cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
                sine = cosine * tangent
                for start in (_TURNED, _RIGHT):
                    for i in range(m):
                        x, y = work[start + 8 * i + a], work[start + 8 * i + b]
                        work[start + 8 * i + a] = cosine * x - sine * y
                        work[start + 8 * i + b] = sine * x + cosine * y
        if not turned:
            break
    largest = 0.0
    for j in range(m):
        norm = 0.0
        for i in range(m):
            norm += work[_TURNED + 8 * i + j] ** 2
        largest = max(largest, norm)
    for i in range(m):
        work[_SOLUTION + i] = 0.0
    for j in range(m):
        norm = projection = 0.0
        for i in range(m):
            norm += work[_TURNED + 8 * i + j] ** 2
            projection += work[_TURNED + 8 * i + j] * work[_RHS + i]
        if norm > RANK_TOLERANCE * RANK_TOLERANCE * largest and norm > 0.0:
            for i in range(m):
                work[_SOLUTION + i] += work[_RIGHT + 8 * i + j] * projection / norm


# Each contact has p_n unknown or p_n = base, and p_t unknown or p_t = shear base + slope p_n. An unknown p_n comes with
# the equation gamma_n+ = target, an unknown p_t with gamma_t+ = target: a square system for the unknowns.
@kernel
def _solve_trial(k, D, start, m, work):
    """Assemble and solve the system of the current states, fill the trial impulse and the velocities after it."""
    for r in range(m):
        a = int(work[_ROWS + r])
        rhs = work[_TARGETS + r] - start[a]
        for j in range(k):
            rhs -= D[a, 2 * j] * work[_NORMAL_BASE + j]
            rhs -= D[a, 2 * j + 1] * (work[_SHEAR_BASE + j] + work[_SHEAR_SLOPE + j] * work[_NORMAL_BASE + j])
        work[_RHS + r] = rhs
        for c in range(m):
            b = int(work[_ROWS + c])
            value = D[a, b]
            if b % 2 == 0:
                value += D[a, b + 1] * work[_SHEAR_SLOPE + b // 2]
            work[_MATRIX + 8 * r + c] = value
    if m > 0 and not _solve_pivoting(m, work):
        _solve_least_norm(m, work)
    for j in range(k):
        work[_TRIAL + 2 * j] = work[_NORMAL_BASE + j]
        work[_TRIAL + 2 * j + 1] = 0.0
    for c in range(m):
        work[_TRIAL + int(work[_ROWS + c])] = work[_SOLUTION + c]
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
def _complementarity(expansion, k, D, start, mu, least, target_n, target_t, stored, work):
    """Try every combination of states; leave the first consistent one in the trial slots and return 0."""
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
        _solve_trial(k, D, start, m, work)
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
def joint_impact(kind, k, D, v, mu, e, e_t, p, work):
    """Impulses p of k <= 4 contacts at once; return 0, or NO_SOLUTION when no combination of states is consistent.

    D is (2k, 2k), v and p have 2k entries, mu, e and e_t have k, work has JOINT_WORK_SIZE; all are float64.
    """
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
        code = _complementarity(phase == 1, k, D, start, mu, least, target_n, target_t, stored, work)
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
