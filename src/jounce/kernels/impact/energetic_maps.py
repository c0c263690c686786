"""The process in closed form: the three maps and ten regions of Nordmark, Dankowicz & Champneys, and the same for
Poisson's and Newton's ends. No loop, no table of phases: this is what the engine calls."""

from __future__ import annotations

import math

from jounce.kernels.impact.impulse import (
    NO_SOLUTION,
    OK,
    REGION_FRICTIONLESS,
    REGION_LOCKED,
    REGION_NONE,
    REGION_REVERSAL_RESTITUTION,
    REGION_SLIP,
    REGION_STICK_RESTITUTION,
    motion_rates,
)
from jounce.kernels.records.codes import (
    ENERGETIC,
    POISSON,
)
from jounce.kernels.records.tolerances import RANK_TOLERANCE, VELOCITY_TOLERANCE
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals


@kernel
def no_impulse(v_t: Real, v_n: Real, out: Reals) -> None:
    """Leave the velocities as they are."""
    out[0] = 0.0
    out[1] = 0.0
    out[2] = REGION_NONE
    out[3] = 0.0
    out[4] = 0.0
    out[5] = 0.0
    out[6] = v_t
    out[7] = v_n


# Without friction every law is Newton's: p_n = -(1+e) v_n/C, v_n+ = -e v_n, and the tangential velocity follows B.
@kernel
def frictionless(B: Real, C: Real, v_t: Real, v_n: Real, e: Real, out: Reals) -> Integer:
    """The impact without friction, to which every law reduces for mu = 0 or A = 0."""
    if v_n >= 0.0 or C <= 0.0:
        no_impulse(v_t, v_n, out)
        return OK if v_n >= 0.0 else NO_SOLUTION
    p_n = -(1.0 + e) * v_n / C
    compression = -0.5 * v_n * v_n / C
    out[0] = 0.0
    out[1] = p_n
    out[2] = REGION_FRICTIONLESS
    out[3] = compression
    out[4] = -e * e * compression
    out[5] = -(1.0 - e * e) * compression
    out[6] = v_t + B * p_n
    out[7] = -e * v_n
    return OK


# Restitution of a process whose slip stopped in compression (maps III), at impulse p1 with normal velocity v1 <= 0.
# Both works of compression are negative, W_c = p1 (v_n + v1)/2 - v1^2/(2 k'), so with k' = k_N':
#   energetic  v_n+ = e sqrt(-2 k' W_c) = e sqrt(v1^2 - k' p1 (v_n + v1))        no difference of like numbers, and
#              it holds for every k_N, zero and negative included: p1 = -a/k_T does not contain k_N;
#   Poisson    p_c = p1 - v1/k',   v_n+ = k' e p_c;            Newton   v_n+ = -e v_n.
# Written with S = -v1 and p1 = -a/k_T the energetic one is map III of the papers:
#   v1^2 - k' p1 (v_n + v1) = (1 - k'/k_N) S^2 + (k'/k_N) v_n^2, as p1 = (v1 - v_n)/k_N.
@kernel
def _stopped_in_compression(
    ending: Integer, e: Real, v_n: Real, p1: Real, v1: Real, k_N2: Real
) -> tuple[Real, Real, Real, Real]:
    """Return (p_n - p1, W_c, W_r, v_n+)."""
    w_c = 0.5 * p1 * (v_n + v1) - 0.5 * v1 * v1 / k_N2
    if ending == ENERGETIC:
        v_plus = e * math.sqrt(v1 * v1 - k_N2 * p1 * (v_n + v1))
    elif ending == POISSON:
        v_plus = k_N2 * e * (p1 - v1 / k_N2)
    else:
        v_plus = -e * v_n
    w_r = -e * e * w_c if ending == ENERGETIC else 0.5 * v_plus * v_plus / k_N2
    return (v_plus - v1) / k_N2, w_c, w_r, v_plus


# Slip stops in restitution (maps II): v1 > 0, k_N > 0, W_c = -v_n^2/(2 k_N), and restitution has had v1^2/(2 k_N):
#   energetic  v_n+^2 = v1^2 + (k'/k_N)(e^2 v_n^2 - v1^2),
#              p_n - p1 = (v_n+^2 - v1^2)/(k' (v_n+ + v1)) = (e^2 v_n^2 - v1^2)/(k_N (v_n+ + v1)), for k' = 0 as well;
#   Poisson    p_n = -(1+e) v_n/k_N;                    Newton   v_n+ = -e v_n (k' > 0).
@kernel
def _stopped_in_restitution(
    ending: Integer, e: Real, v_n: Real, p1: Real, v1: Real, k_N: Real, k_N2: Real
) -> tuple[Real, Real, Real, Real]:
    """Return (p_n - p1, W_c, W_r, v_n+)."""
    w_c = -0.5 * v_n * v_n / k_N
    if ending == ENERGETIC:
        rest = (-e * v_n - v1) * (v1 - e * v_n) / k_N
        v_plus = math.sqrt(v1 * v1 + k_N2 * rest)
        return rest / (v_plus + v1), w_c, -e * e * w_c, v_plus
    if ending == POISSON:
        x = -(1.0 + e) * v_n / k_N - p1
        v_plus = v1 + k_N2 * x
    else:
        v_plus = -e * v_n
        x = (v_plus - v1) / k_N2
    return x, w_c, 0.5 * v1 * v1 / k_N + 0.5 * x * (v1 + v_plus), v_plus


# With a = |v_t| slip stops at p1 = -a/k_T (never, if k_T >= 0) where v_n has become v1 = v_n + k_N p1.
# All three endings slip throughout exactly if v1 >= -e v_n, and then v_n+ = -e v_n:  p_n = -(1+e) v_n/k_N (map I).
# v1 > 0 implies k_N > 0; slip that never stops (b >= mu A) has k_N = C - mu b >= C - b^2/A >= 0.
@kernel
def closed_process(
    ending: Integer, A: Real, B: Real, C: Real, v_t: Real, v_n: Real, mu: Real, e: Real, out: Reals
) -> Integer:
    """The process and its end in closed form; ``out`` and the code as in ``apply_law``."""
    if mu == 0.0 or A == 0.0:
        return frictionless(B, C, v_t, v_n, e, out)
    s, stick, k_T, k_N, k_T2, k_N2, r2 = motion_rates(A, B, C, v_t, mu)
    if v_n >= 0.0 and (v_n > 0.0 or v_t == 0.0 or k_N >= 0.0):
        no_impulse(v_t, v_n, out)
        return OK
    a = s * v_t
    p1 = -a / k_T if k_T < 0.0 else math.inf
    v1 = v_n + k_N * p1 if k_T < 0.0 else math.inf
    # Rank one: slip and approach stop together, and restitution could move nothing.
    locked = k_N2 == 0.0 and k_T < 0.0 and abs(v1) <= VELOCITY_TOLERANCE * (abs(k_N) * p1 - v_n)
    if locked:
        p_n = p1
        p_t = -mu * p1
        v_t_plus = v_plus = w_r = 0.0
        w_c = 0.5 * p1 * v_n
        region = REGION_LOCKED
    elif v1 >= -e * v_n and v1 > 0.0:
        if k_N <= RANK_TOLERANCE * C:
            no_impulse(v_t, v_n, out)
            return NO_SOLUTION
        p_n = -(1.0 + e) * v_n / k_N
        p_t = -mu * p_n
        v_t_plus = a + k_T * p_n
        v_plus = -e * v_n
        w_c = -0.5 * v_n * v_n / k_N
        w_r = -e * e * w_c
        region = REGION_SLIP
    else:
        region = REGION_STICK_RESTITUTION if stick else REGION_REVERSAL_RESTITUTION
        if k_N2 == 0.0 and (v1 <= 0.0 or ending > POISSON):
            no_impulse(v_t, v_n, out)
            return NO_SOLUTION
        if v1 > 0.0:
            x, w_c, w_r, v_plus = _stopped_in_restitution(ending, e, v_n, p1, v1, k_N, k_N2)
        else:
            region += 2
            x, w_c, w_r, v_plus = _stopped_in_compression(ending, e, v_n, p1, v1, k_N2)
        p_n = p1 + x
        p_t = -mu * p1 + r2 * x
        v_t_plus = k_T2 * x
    out[0] = s * p_t
    out[1] = p_n
    out[2] = region if s > 0.0 or locked else region + 1
    out[3] = w_c
    out[4] = w_r
    out[5] = -0.5 * (p_t * (a + v_t_plus) + p_n * (v_n + v_plus))
    out[6] = s * v_t_plus + 0.0  # no -0.0
    out[7] = v_plus
    return OK
