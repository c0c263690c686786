"""Brach's law and its extension in Burns' thesis, section 3.1, in terms of K instead of one body's geometry.

With r = p_t/p_n and Newton's restitution, p_n = -(1+e) v_n/(C + B r). The thesis writes r = s mu, s = -sign(v_t):
its mu_C, mu_E, mu_M, mu_s are s times the ratios below.
"""

from __future__ import annotations

import math

from jounce.kernels.impact.algebraic_laws import lock_or_fail, straight_outcome
from jounce.kernels.impact.energetic_maps import frictionless, no_impulse
from jounce.kernels.impact.impulse import OK
from jounce.kernels.records.tolerances import RANK_TOLERANCE
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals

BOUND_FRICTION = 1  # |r| = mu
BOUND_STICK = 2  # r = r_C: slip stops
BOUND_ENERGY = 3  # |r| = |r_E|: no energy is lost
REGION_BRACH = 30  # + bound
REGION_BRACH_EXTENDED = 100  # + 10 * case + bound


# r_C: v_t+ = 0. v_t (C + B r) = (1+e) v_n (A r + B)                                       (3.14)
# The energy lost is T_L(r) = (1+e) v_n N(r)/(2 (C + B r)^2),
#   N = alpha r^2 + 2 beta r + gamma,  alpha = 2 B v_t - (1+e) A v_n,  beta = C v_t - e B v_n,  gamma = (1-e) C v_n.
# r_E: N = 0. Discriminant beta^2 - alpha gamma = (C v_t - B v_n)^2 + (1-e^2) det K v_n^2 >= 0      (3.16)
# r_M: dT_L/dr = 0, N' (C + B r) = 2 B N:  r_M = (B gamma - C beta)/(C alpha - B beta)              (3.19)
# r_s: C + B r = 0                                                                                   (3.13)
@kernel
def brach_ratios(A: Real, B: Real, C: Real, v_t: Real, v_n: Real, e: Real) -> tuple[Real, Real, Real, Real, Real]:
    """Return (r_C, r_E of smaller size, r_E of larger size, r_M, r_s); an absent one is infinite."""
    stop = (1.0 + e) * A * v_n - B * v_t
    r_C = (C * v_t - (1.0 + e) * B * v_n) / stop if stop != 0.0 else math.inf
    alpha = 2.0 * B * v_t - (1.0 + e) * A * v_n
    beta = C * v_t - e * B * v_n
    gamma = (1.0 - e) * C * v_n
    across = C * v_t - B * v_n
    root = math.sqrt(across * across + (1.0 - e * e) * max(A * C - B * B, 0.0) * v_n * v_n)
    q = -(beta + math.copysign(root, beta))  # the root without cancellation; the other follows from the product
    if q == 0.0:
        near = far = 0.0
    else:
        # At e = 1 the near root is zero; it keeps the sign it has for e < 1, which is that of gamma/q, gamma -> 0-.
        near = gamma / q if gamma != 0.0 else math.copysign(0.0, -q)
        far = q / alpha if alpha != 0.0 else math.copysign(math.inf, q)
    if abs(far) < abs(near):
        near, far = far, near
    most = C * alpha - B * beta
    r_M = -C * across / most if most != 0.0 else math.copysign(math.inf, -across)
    r_s = -C / B if B != 0.0 else math.inf
    return r_C, near, far, r_M, r_s


# Slip stops: K p = (-v_t, dn), dn = -(1+e) v_n. Written so, C + B r_C is not a difference of like numbers.
@kernel
def _stick_impulse(A: Real, B: Real, C: Real, v_t: Real, dn: Real) -> tuple[Real, Real]:
    """Return (p_t, p_n) for v_t+ = 0, v_n+ - v_n = dn; infinite when K has rank one."""
    det = A * C - B * B
    p_n = (A * dn + B * v_t) / det if det > 0.0 else math.inf
    return -(v_t + B * p_n) / A, p_n


# No energy is lost at r_E = (-beta + j root)/alpha, j = +-1, where D = C + B r_E = (most + j B root)/alpha with
# most = C alpha - B beta. The two D multiply to (1+e)|v_n| C det K/alpha: of most + j B root and
# most - j B root the sum of like signs is used, so that p_n = -(1+e) v_n/D stays exact close to the singular ratio.
@kernel
def _energy_impulse(A: Real, B: Real, C: Real, v_t: Real, v_n: Real, e: Real, r: Real) -> tuple[Real, Real]:
    """Return (p_t, p_n) for an energy bound r that ``brach_ratios`` returned."""
    alpha = 2.0 * B * v_t - (1.0 + e) * A * v_n
    beta = C * v_t - e * B * v_n
    across = C * v_t - B * v_n
    det = max(A * C - B * B, 0.0)
    root = math.sqrt(across * across + (1.0 - e * e) * det * v_n * v_n)
    j = 1.0 if alpha * r + beta >= 0.0 else -1.0
    most = C * alpha - B * beta
    dn = -(1.0 + e) * v_n
    if most * j * B >= 0.0:
        p_n = dn * alpha / (most + j * B * root)
    else:
        p_n = (most - j * B * root) / (C * det)
    return r * p_n, p_n


# Table 3.1 by the signs of s r: E of both roots, M, and whether r_s is between the roots.
@kernel
def brach_case(near: Real, far: Real, r_M: Real, r_s: Real, s: Real) -> Integer:
    """The case 1..8 of the thesis' Table 3.1 (2 and 4 cannot occur: see docs/impact-laws.md)."""
    near_positive = math.copysign(1.0, s * near) > 0.0
    far_positive = s * far > 0.0
    most_positive = s * r_M > 0.0
    if near_positive != far_positive:
        return 6 if most_positive else 5
    if near_positive != most_positive:
        return 7 if most_positive else 8
    inside = min(near, far) < r_s < max(near, far)
    if most_positive:
        return 1 if inside else 2
    return 3 if inside else 4


@kernel
def brach(A: Real, B: Real, C: Real, v_t: Real, v_n: Real, mu: Real, e: Real, out: Reals) -> Integer:
    """Brach: friction opposes the initial slip with |r| = min(mu, mu_C), mu_C counting if it opposes slip too."""
    if v_n >= 0.0:
        no_impulse(v_t, v_n, out)
        return OK
    if mu == 0.0 or A == 0.0:
        return frictionless(B, C, v_t, v_n, e, out)
    r_C = brach_ratios(A, B, C, v_t, v_n, e)[0]
    s = -1.0 if v_t > 0.0 or (v_t == 0.0 and B > 0.0) else 1.0
    r, bound = s * mu, BOUND_FRICTION
    rank_one = A * C - B * B <= RANK_TOLERANCE * A * C
    if 0.0 <= s * r_C <= mu and not rank_one:
        r, bound = r_C, BOUND_STICK
    elif C + B * r <= RANK_TOLERANCE * C:  # beyond the singular ratio mu_s a push would have to pull
        return lock_or_fail(A, B, C, v_t, v_n, out)
    p_n = -(1.0 + e) * v_n / (C + B * r)
    p_t = r * p_n
    if bound == BOUND_STICK:
        p_t, p_n = _stick_impulse(A, B, C, v_t, -(1.0 + e) * v_n)
    straight_outcome(A, B, C, v_t, v_n, p_t, p_n, REGION_BRACH + bound, out)
    out[7] = -e * v_n
    if bound == BOUND_STICK:
        out[6] = 0.0
    return OK


# (3.21)-(3.24): r = sign(r_M) min(mu, |r_C|, |r_E|), r_C counting only on r_M's side. N(0) = gamma <= 0: r = 0 is safe.
# alpha > 0: the roots enclose 0, and the one on r_M's side bounds. alpha < 0: both are on one side, energy is gained
# between them, r_s among them (N(r_s) >= 0); on r_M's side the nearer bounds, on the other side nothing does.
# In each case r stays on the side of r_s that contains 0, so p_n > 0.
@kernel
def brach_extended(A: Real, B: Real, C: Real, v_t: Real, v_n: Real, mu: Real, e: Real, out: Reals) -> Integer:
    """Brach's law with the bounds of Burns' thesis: never adds energy, but can forbid almost all friction."""
    if v_n >= 0.0:
        no_impulse(v_t, v_n, out)
        return OK
    if mu == 0.0 or A == 0.0:
        return frictionless(B, C, v_t, v_n, e, out)
    if A * C - B * B <= RANK_TOLERANCE * A * C:  # r_C = r_M = r_s, and no ratio with p_n > 0 adds energy
        return brach(A, B, C, v_t, v_n, mu, e, out)
    r_C, near, far, r_M, r_s = brach_ratios(A, B, C, v_t, v_n, e)
    s = -1.0 if v_t > 0.0 or (v_t == 0.0 and B > 0.0) else 1.0
    case = brach_case(near, far, r_M, r_s, s)
    side = math.copysign(1.0, r_M)
    size, bound = mu, BOUND_FRICTION
    if side * r_C >= 0.0 and abs(r_C) < size:
        size, bound = abs(r_C), BOUND_STICK
    energy = math.inf
    if math.copysign(1.0, near) == side:
        energy = abs(near) if case != 2 and case != 4 else abs(far)
    elif far * side > 0.0:
        energy = abs(far)
    if energy < size:
        size, bound = energy, BOUND_ENERGY
    r = side * size
    if r_M == 0.0:
        r = 0.0
    p_n = -(1.0 + e) * v_n / (C + B * r)
    p_t = r * p_n
    if bound == BOUND_STICK:
        p_t, p_n = _stick_impulse(A, B, C, v_t, -(1.0 + e) * v_n)
    elif bound == BOUND_ENERGY and r != 0.0 and not math.isinf(r):
        p_t, p_n = _energy_impulse(A, B, C, v_t, v_n, e, r)
    straight_outcome(A, B, C, v_t, v_n, p_t, p_n, REGION_BRACH_EXTENDED + 10 * case + bound, out)
    out[7] = -e * v_n
    if bound == BOUND_STICK:
        out[6] = 0.0
    return OK
