"""The impulse-space process of one contact: velocities as piecewise-linear functions of the normal impulse.

Convention: v = (v_t, v_n) is the relative velocity of the contact, p = (p_t, p_n) the impulse on it, and

    v+ = v- + K p,    K = [[A, B], [B, C]],    A = W_T.M^-1.W_T,  B = W_T.M^-1.W_N,  C = W_N.M^-1.W_N.

v_n < 0 approaches, p_n >= 0 pushes apart, friction opposes slip: dp_t = -mu sign(v_t) dp_n.
"""

from __future__ import annotations

import math

from jounce.kernels.flow.parabola import turns_negative
from jounce.kernels.records.codes import NEWTON, POISSON, SLIP_NEGATIVE, SLIP_POSITIVE, STICK
from jounce.kernels.records.tolerances import RANK_TOLERANCE, VELOCITY_TOLERANCE
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2, Truth

# What a solver of an impact returns.
OK = 0
NO_SOLUTION = 1  # rigid bodies wedge: contact sticks while it still approaches, and K has rank one
NOT_CONVERGED = 2
UNKNOWN_LAW = 3

# Regions of an outcome. 1..10 are those of Nordmark, Dankowicz & Champneys; odd: slip starts positive.
REGION_NONE = 0
REGION_SLIP = 1  # 1, 2: slip throughout
REGION_STICK_RESTITUTION = 3  # 3, 4: slip stops in restitution and sticks
REGION_STICK_COMPRESSION = 5  # 5, 6: slip stops in compression and sticks
REGION_REVERSAL_RESTITUTION = 7  # 7, 8: slip reverses in restitution
REGION_REVERSAL_COMPRESSION = 9  # 9, 10: slip reverses in compression
REGION_FRICTIONLESS = 11
REGION_LOCKED = 12  # K of rank one: slip and approach stop together, and no impulse can part the bodies
REGION_RUBBING = 13  # joints rub along: rubbing.py


# Columns of a phase table: motion, 0 compression | 1 restitution, p_n, p_t, and v_t, v_n at its end.
PHASE_COLUMNS = 6
PHASE_ROWS = 4


# A slip in direction s has dp_t = -mu s dp_n, so
#     dv_t/dp_n = k_T = B - s mu A,    dv_n/dp_n = k_N = C - s mu B.
# It is mirrored to s = +1 by b = s B and a = s v_t = |v_t|:  k_T = b - mu A,  k_N = C - mu b.
# k_N <= 0 (jam) needs mu b >= C; then mu A >= A C / b >= b, so k_T <= 0: a jam always ends in v_t = 0.
# At v_t = 0 a slip in direction s' needs s' (B - s' mu A) > 0, that is |B| > mu A with s' = sign B; and since slip
# in direction s was being stopped (b < mu A), s' = -s: slip reverses. Otherwise it sticks: dp_t/dp_n = -B/A,
#     k_T' = 0, k_N' = C - B^2/A >= 0                 (stick)
#     k_T' = b + mu A < 0, k_N' = C + mu b = C - mu|B| >= C - B^2/A >= 0     (reversal, mirrored)
# Neither changes again, so a process has at most two motions.
# From v_t = 0 the direction is sign B: k_T >= 0 is slip from rest; k_T < 0 sticks at once (the first motion is empty).
@kernel
def motion_rates(A: Real, B: Real, C: Real, v_t: Real, mu: Real) -> tuple[Real, Truth, Real, Real, Real, Real, Real]:
    """Return (s, stick, k_T, k_N, k_T2, k_N2, r2): both motions of a process, mirrored so that slip starts positive.

    r2 is dp_t/dp_n of the second motion (mirrored); that of the first is -mu.
    """
    s = 1.0 if v_t > 0.0 or (v_t == 0.0 and B > 0.0) else -1.0
    b = s * B
    k_T = b - mu * A
    k_N = C - mu * b
    stick = abs(B) <= mu * A
    if stick:
        r2 = -b / A
        k_T2 = 0.0
        k_N2 = C + r2 * b
    else:
        r2 = mu
        k_T2 = b + mu * A
        k_N2 = C + mu * b
    if k_N2 <= RANK_TOLERANCE * C:
        k_N2 = 0.0
    return s, stick, k_T, k_N, k_T2, k_N2, r2


# The normal impulse that ends a phase of slope k_N from v_n: zero velocity ends a compression. In restitution
#   energetic: the work missing, R = -e^2 W_c - W_r, is v_n x + k_N x^2/2  ->  a zero of R - v_n x - k_N x^2/2,
#   Poisson:   e p_c less what restitution has had,       Newton: v_n + k_N x = e |v_n^-|.
@kernel
def phase_impulse(
    ending: Integer,
    restitution: Truth,
    e: Real,
    v_n: Real,
    v_n_start: Real,
    k_N: Real,
    p_compression: Real,
    p_restitution: Real,
    w_compression: Real,
    w_restitution: Real,
) -> Real:
    """The normal impulse that ends the phase, inf if none does."""
    if not restitution:
        return -v_n / k_N if k_N > 0.0 else (0.0 if v_n >= 0.0 and k_N == 0.0 else math.inf)
    if ending == POISSON:
        return e * p_compression - p_restitution
    if ending == NEWTON:
        missing = -e * v_n_start - v_n
        return missing / k_N if k_N > 0.0 else (0.0 if missing <= 0.0 else math.inf)
    missing = -e * e * w_compression - w_restitution
    return turns_negative(missing, -v_n, -k_N) if missing > 0.0 else 0.0


# March from event to event: the end of the motion (v_t = 0), of the compression (v_n = 0) or of the impact,
# whichever needs the least normal impulse. Work of a piece is its impulse times the mean normal velocity.
@kernel
def impulse_process(
    ending: Integer, A: Real, B: Real, C: Real, v_t: Real, v_n: Real, mu: Real, e: Real, out: Reals, phases: Reals2
) -> tuple[Integer, Integer]:
    """Follow the process to its end; fill out as ``apply_law`` does and the rows of phases; return (code, rows)."""
    out[:8] = 0.0
    out[6] = v_t
    out[7] = v_n
    if A == 0.0:
        mu = 0.0  # no tangential mobility: the contact has no slip direction
    s, stick, k_T, k_N, k_T2, k_N2, r2 = motion_rates(A, B, C, v_t, mu)
    second = v_t == 0.0 and k_T < 0.0
    if v_n > 0.0 or (v_n == 0.0 and (second or k_N >= 0.0)):
        return OK, 0
    v_start = v_n
    v_t *= s
    rows = 0
    restitution = locked = False
    stopped_in_compression = second
    p = p_compression = p_restitution = 0.0
    p_t = w_compression = w_restitution = 0.0
    for _ in range(2 * PHASE_ROWS):
        slope_t, slope_n, r = (k_T2, k_N2, r2) if second else (k_T, k_N, -mu)
        x_end = phase_impulse(
            ending, restitution, e, v_n, v_start, slope_n, p_compression, p_restitution, w_compression, w_restitution
        )
        x_stop = -v_t / k_T if not second and k_T < 0.0 else math.inf
        if x_end == math.inf and x_stop == math.inf:
            return NO_SOLUTION, rows
        stops = x_stop < x_end
        x = x_stop if stops else x_end
        v_n_end = v_n + slope_n * x
        if stops and k_N2 == 0.0 and abs(v_n_end) <= VELOCITY_TOLERANCE * (abs(v_start) + abs(k_N) * (p + x)):
            locked = True
        if locked or not (stops or restitution):
            v_n_end = 0.0
        work = 0.5 * x * (v_n + v_n_end)
        v_n = v_n_end
        v_t = 0.0 if stops else v_t + slope_t * x
        p += x
        p_t += r * x
        if restitution:
            p_restitution += x
            w_restitution += work
        else:
            p_compression += x
            w_compression += work
        if x > 0.0 and rows < phases.shape[0]:
            motion = STICK if second and stick else (SLIP_POSITIVE if (s > 0.0) != second else SLIP_NEGATIVE)
            phases[rows, 0] = motion
            phases[rows, 1] = 1.0 if restitution else 0.0
            phases[rows, 2] = x
            phases[rows, 3] = s * r * x
            phases[rows, 4] = s * v_t
            phases[rows, 5] = v_n
            rows += 1
        if locked:
            break
        if stops:
            second = True
            stopped_in_compression = not restitution
        elif restitution:
            break
        else:
            restitution = True
    region = REGION_SLIP
    if locked or mu == 0.0:
        region = REGION_LOCKED if locked else REGION_FRICTIONLESS
    else:
        if second:
            region = REGION_STICK_RESTITUTION if stick else REGION_REVERSAL_RESTITUTION
            region += 2 if stopped_in_compression else 0
        region += 0 if s > 0.0 else 1
    out[0] = s * p_t
    out[1] = p
    out[2] = region
    out[3] = w_compression
    out[4] = w_restitution
    out[5] = -0.5 * (s * p_t * (out[6] + s * v_t) + p * (v_start + v_n))
    out[6] = s * v_t + 0.0
    out[7] = v_n
    return OK, rows
