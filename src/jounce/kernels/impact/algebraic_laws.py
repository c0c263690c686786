"""Laws that relate the velocities before and after an impact by algebra alone: Whittaker, Smith, Chatterjee & Ruina,
and the two phases of Pfeiffer & Glocker. Convention and ``out`` as in impulse.py and impact_laws.py.

Newton's laws share v_n+ = -e v_n. With the impulse ratio r = p_t/p_n that is

    p_n = -(1+e) v_n/(C + B r),    v_t+ = v_t + (B + A r) p_n = g(r),    dg/dr = (A C - B^2) p_n/(C + B r) >= 0,

so v_t+ grows with r wherever p_n > 0, that is C + B r > 0.
"""

from __future__ import annotations

import math

from jounce.kernels.impact.energetic_maps import frictionless, no_impulse
from jounce.kernels.impact.impulse import NO_SOLUTION, NOT_CONVERGED, OK, REGION_LOCKED
from jounce.kernels.records.codes import (
    SLIP_NEGATIVE,
    SLIP_POSITIVE,
    STICK,
)
from jounce.kernels.records.tolerances import (
    RANK_TOLERANCE,
    SMITH_BRACKET,
    SMITH_DEFINITE,
    SMITH_DOUBLINGS,
    SMITH_ITERATIONS,
    SMITH_ROUNDING,
    VELOCITY_TOLERANCE,
)
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals

REGION_KEPT = 21  # slip goes on in its direction
REGION_STUCK = 22  # v_t+ = 0
REGION_REVERSED = 23  # slip ends reversed (or starts, from v_t = 0)
REGION_WITHIN_CONE = 61  # Chatterjee & Ruina: e_t is reached
REGION_ON_CONE = 62  # Chatterjee & Ruina: friction is exhausted
REGION_TWO_PHASE = 200  # + 10 * motion at the end of compression + motion at the end of expansion


# Works along the straight path from 0 to p, on which v_n is linear in p_n: with v_n+ > v_n
#   W_c = -p_n v_n^2/(2 (v_n+ - v_n)),  W_r = p_n v_n+^2/(2 (v_n+ - v_n)),  W_c + W_r = p_n (v_n + v_n+)/2 for any path.
@kernel
def straight_outcome(
    A: Real, B: Real, C: Real, v_t: Real, v_n: Real, p_t: Real, p_n: Real, region: Integer, out: Reals
) -> None:
    """Fill ``out`` for an impulse reached on a straight path."""
    v_t_plus = v_t + A * p_t + B * p_n
    v_n_plus = v_n + B * p_t + C * p_n
    change = v_n_plus - v_n
    share = 0.5 * p_n / change if change > 0.0 else 0.0
    out[0] = p_t
    out[1] = p_n
    out[2] = region
    out[3] = -share * v_n * v_n
    out[4] = share * v_n_plus * v_n_plus
    out[5] = -0.5 * (p_t * (v_t + v_t_plus) + p_n * (v_n + v_n_plus))
    out[6] = v_t_plus
    out[7] = v_n_plus


@kernel
def slip_region(v_t: Real, v_t_plus: Real) -> Integer:
    """Kept, stuck or reversed."""
    if v_t_plus == 0.0:
        return REGION_STUCK
    return REGION_KEPT if v_t * v_t_plus > 0.0 else REGION_REVERSED


# Coulomb's law on impulses: p_t = -mu p_n sign(v_t+), or |p_t| <= mu p_n with v_t+ = 0, and v_n rises by dn >= 0.
# g(r) is continuous and increasing on the part of [-mu, mu] where C + B r > 0, which contains 0. If a pole r = -C/B
# cuts it, g -> -inf at a lower and +inf at an upper pole, so exactly one of these holds:
#   r = -mu admissible and g >= 0: slip+;   r = +mu admissible and g <= 0: slip-;   else g = 0 in between: stick.
# Stick: K p = (-v_t, dn), p_n = (A dn + B v_t)/det K.  For dn = 0 (tangential impact) the same test gives no impulse
# unless C < mu |B|, and then stick with p_n = B v_t/det K.
@kernel
def coulomb_impulse(A: Real, B: Real, C: Real, v_t: Real, dn: Real, mu: Real) -> tuple[Integer, Integer, Real, Real]:
    """Return (code, motion, p_t, p_n) for Coulomb's law on impulses with a given change of normal velocity."""
    down = C - mu * B
    up = C + mu * B
    det = A * C - B * B
    least = RANK_TOLERANCE * C  # a smaller mobility is rounding
    if down > least and v_t + (B - mu * A) * dn / down >= 0.0:
        p_n = dn / down
        return OK, SLIP_POSITIVE, -mu * p_n, p_n
    if up > least and v_t + (B + mu * A) * dn / up <= 0.0:
        p_n = dn / up
        return OK, SLIP_NEGATIVE, mu * p_n, p_n
    if det > RANK_TOLERANCE * A * C:
        p_n = (A * dn + B * v_t) / det
        return OK, STICK, -(v_t + B * p_n) / A, p_n
    if abs(v_t + B * dn / C) <= VELOCITY_TOLERANCE * (abs(v_t) + abs(B) * dn / C):
        return OK, STICK, 0.0, dn / C  # rank one: v_t+ = 0 for every r, friction is undetermined and none is needed
    return NO_SOLUTION, STICK, 0.0, 0.0


# K = c w w^T and v = u w: with one degree of freedom slip and approach stop together. A law that asks for a rebound
# then also asks for slip that friction forbids; the contact locks, as in the process. How normal and tangential
# impulse share the stop is undetermined: all of it is normal here.
@kernel
def lock_or_fail(A: Real, B: Real, C: Real, v_t: Real, v_n: Real, out: Reals) -> Integer:
    """The plastic outcome of a locked contact, or no solution."""
    p_n = -v_n / C
    rank_one = A * C - B * B <= RANK_TOLERANCE * A * C
    if not rank_one or abs(v_t + B * p_n) > VELOCITY_TOLERANCE * (abs(v_t) + abs(B) * p_n):
        no_impulse(v_t, v_n, out)
        return NO_SOLUTION
    straight_outcome(A, B, C, v_t, v_n, 0.0, p_n, REGION_LOCKED, out)
    out[6] = 0.0
    out[7] = 0.0
    return OK


# With e_t Coulomb's law is that of xi = v_t+ + e_t v_t = (1 + e_t) v_t + A p_t + B p_n (Moreau 1988, Glocker 2001): the
# same problem for a slip that is larger by that factor.
@kernel
def whittaker(A: Real, B: Real, C: Real, v_t: Real, v_n: Real, mu: Real, e: Real, e_t: Real, out: Reals) -> Integer:
    """Newton's restitution and Coulomb's law on impulses with v_t+ + e_t v_t; it can add energy."""
    if v_n >= 0.0:
        no_impulse(v_t, v_n, out)
        return OK
    if mu == 0.0 or A == 0.0:
        return frictionless(B, C, v_t, v_n, e, out)
    code, motion, p_t, p_n = coulomb_impulse(A, B, C, (1.0 + e_t) * v_t, -(1.0 + e) * v_n, mu)
    if code != OK:
        return lock_or_fail(A, B, C, v_t, v_n, out)
    straight_outcome(A, B, C, v_t, v_n, p_t, p_n, 0, out)
    if motion == STICK:
        out[6] = -e_t * v_t + 0.0
    out[7] = -e * v_n
    out[2] = slip_region(v_t, 0.0 if motion == STICK else out[6] + e_t * v_t)
    return OK


# Smith: p_t = -mu p_n w with w = (|v_t| v_t + |v_t+| v_t+)/(v_t^2 + v_t+^2). Mirror to v = |v_t| > 0, x = v_t+.
# x >= 0 has w = 1: slip goes on, if g(-mu) >= 0. Otherwise x < 0, and r = -mu (v^2 - x^2)/(v^2 + x^2) falls from mu to
# -mu as x rises from -inf to 0, so x - g(r(x)) rises strictly: one root. Without denominators, dn = -(1+e) v_n,
#   h(x) = (x - v) D(x) - dn N(x),  D = (C + mu b) x^2 + (C - mu b) v^2,  N = (b + mu A) x^2 + (b - mu A) v^2,
# with sign h = sign(x - g) where D > 0 (p_n > 0). If C < mu b then D > 0 means x < -v sqrt((mu b - C)/(mu b + C)),
# where h -> +; if C < -mu b it means x > -v sqrt((C - mu b)/(-mu b - C)), where h -> -. The root is in between, by
# Newton kept in a bracket.
@kernel
def _smith_slip(A: Real, b: Real, C: Real, v: Real, dn: Real, mu: Real) -> tuple[Integer, Real]:
    """The mirrored slip velocity after the impact, negative; return (code, x)."""
    d2, d0 = C + mu * b, (C - mu * b) * v * v
    n2, n0 = b + mu * A, (b - mu * A) * v * v
    high = 0.0 if d0 > 0.0 else -math.sqrt(-d0 / d2)
    if d2 >= 0.0:  # d2 = 0 has n2 = det K/|b| >= 0: h < 0 far out as well
        low = min(-v, 2.0 * high)
        for _ in range(SMITH_DOUBLINGS):
            if (low - v) * (d2 * low * low + d0) - dn * (n2 * low * low + n0) < 0.0:
                break
            low *= 2.0
    else:
        low = -math.sqrt(d0 / -d2)
    x = 0.5 * (low + high)
    for _ in range(SMITH_ITERATIONS):
        D = d2 * x * x + d0
        N = n2 * x * x + n0
        h = (x - v) * D - dn * N
        if h > 0.0:
            high = x
        else:
            low = x
        slope = D + 2.0 * x * (d2 * (x - v) - dn * n2)
        step = h / slope if slope != 0.0 else math.inf
        new = x - step
        if not (low < new < high):
            new = 0.5 * (low + high)
        if abs(new - x) <= SMITH_ROUNDING * abs(x):
            return OK, new
        x = new
    return (OK if high - low <= SMITH_BRACKET * (v - low) else NOT_CONVERGED), x


@kernel
def smith(A: Real, B: Real, C: Real, v_t: Real, v_n: Real, mu: Real, e: Real, out: Reals) -> Integer:
    """Newton's restitution with friction weighted by the slip velocities before and after (Smith)."""
    if v_n >= 0.0:
        no_impulse(v_t, v_n, out)
        return OK
    if mu == 0.0 or A == 0.0:
        return frictionless(B, C, v_t, v_n, e, out)
    dn = -(1.0 + e) * v_n
    if v_t == 0.0:  # the weight is the sign of v_t+: Coulomb's law on impulses
        return whittaker(A, B, C, v_t, v_n, mu, e, 0.0, out)
    s = 1.0 if v_t > 0.0 else -1.0
    b, v = s * B, s * v_t
    x = math.nan
    det = A * C - B * B
    if C - mu * b > RANK_TOLERANCE * C and v + (b - mu * A) * dn / (C - mu * b) >= 0.0:
        p_n = dn / (C - mu * b)
        p_t = -mu * p_n
    else:
        code, x = _smith_slip(A, b, C, v, dn, mu)
        r = -mu * (v - x) * (v + x) / (v * v + x * x)
        if code != OK or not C + b * r > RANK_TOLERANCE * C:
            return lock_or_fail(A, B, C, v_t, v_n, out)
        p_n = dn / (C + b * r)
        p_t = r * p_n
        if det > SMITH_DEFINITE * A * C:  # momentum is exact, then: K p = (x - v, dn)
            p_n = (A * dn - b * (x - v)) / det
            p_t = (x - v - b * p_n) / A
    straight_outcome(A, B, C, v_t, v_n, s * p_t, p_n, 0, out)
    if x < 0.0 and det > SMITH_DEFINITE * A * C:
        out[6] = s * x  # v_t + A p_t + B p_n would lose its digits when all slip is small
    out[7] = -e * v_n
    out[2] = slip_region(v_t, out[6])
    return OK


# P_I = (0, -v_n/C) stops the approach without friction, P_II = -K^-1 v stops all motion; P_II - P_I = q (1, -B/C) with
# q = (B v_n - C v_t)/det K leaves v_n alone. The law is P = (1+e) P_I + (1+e_t)(P_II - P_I), and if it leaves the cone,
# the second part is cut to y = p_t with |y| = mu p_n, p_n = ((1+e)|v_n| - B y)/C:
#   |y| = mu (1+e)|v_n|/(C + mu sign(y) B).
# e_t = -1 is frictionless, 0 stops slip, 1 returns it.
@kernel
def chatterjee_ruina(
    A: Real, B: Real, C: Real, v_t: Real, v_n: Real, mu: Real, e: Real, e_t: Real, out: Reals
) -> Integer:
    """The algebraic law of Chatterjee & Ruina with restitutions e and e_t; it never adds energy."""
    if v_n >= 0.0:
        no_impulse(v_t, v_n, out)
        return OK
    if mu == 0.0 or A == 0.0:
        return frictionless(B, C, v_t, v_n, e, out)
    det = A * C - B * B
    stop = B * v_n - C * v_t
    if abs(stop) <= VELOCITY_TOLERANCE * C * abs(v_t) and det <= RANK_TOLERANCE * A * C:
        stop = 0.0  # rank one, and P_I stops slip already
    y = 0.0
    if stop != 0.0 and e_t > -1.0:
        y = (1.0 + e_t) * stop / det if det > RANK_TOLERANCE * A * C else math.copysign(math.inf, stop)
    edge = C + mu * math.copysign(B, B * y)
    limit = -mu * (1.0 + e) * v_n / edge if edge > RANK_TOLERANCE * C else math.inf
    region = REGION_WITHIN_CONE
    if abs(y) > limit:
        y = math.copysign(limit, y)
        region = REGION_ON_CONE
    if math.isinf(y):
        return lock_or_fail(A, B, C, v_t, v_n, out)
    p_n = (-(1.0 + e) * v_n - B * y) / C
    straight_outcome(A, B, C, v_t, v_n, y, p_n, region, out)
    out[7] = -e * v_n
    return OK


# Compression stops the approach, Coulomb's law holds on its impulse with the slip velocity at its end:
#   v_C = v + K p_C, v_nC = 0.      Expansion returns p_nE = e p_nC (Poisson), v+ = v_C + K p_E, with p_tE in
#   e_t = 0:   Coulomb's law on p_E with v_t+:      p_tE in [-mu p_nE, mu p_nE]
#   e_t > 0:   a reversible part after Pfeiffer & Glocker: p_tE in [e e_t |p_tC|, mu p_nE], times sign p_tC,
#              where v_t+ > 0 takes the low end, v_t+ < 0 the high one, and v_t+ = 0 any between.
# v_t+ = v_tC + B p_nE + A p_tE rises with p_tE: it is the stopping impulse -(v_tC + B p_nE)/A, clipped to the interval.
# v_n+ = (C + B r_E) p_nE >= 0: r_E lies between 0, r_C and -B/A, where C + B r is C, positive, and det K/A.
@kernel
def poisson_two_phase(
    A: Real, B: Real, C: Real, v_t: Real, v_n: Real, mu: Real, e: Real, e_t: Real, out: Reals
) -> Integer:
    """Compression and expansion of Pfeiffer & Glocker with Poisson's restitution and e_t of the stored shear."""
    if v_n > 0.0:
        no_impulse(v_t, v_n, out)
        return OK
    if mu == 0.0 or A == 0.0:
        return frictionless(B, C, v_t, v_n, e, out)
    code, compression, p_tC, p_nC = coulomb_impulse(A, B, C, v_t, -v_n, mu)
    if code != OK or p_nC == 0.0:
        no_impulse(v_t, v_n, out)
        return code
    v_tC = 0.0 if compression == STICK else v_t + A * p_tC + B * p_nC
    p_nE = e * p_nC
    high = mu * p_nE
    low = -high
    if e_t > 0.0 and p_tC != 0.0:
        stored = e * e_t * abs(p_tC)
        low, high = (stored, high) if p_tC > 0.0 else (-high, -stored)
    p_tE = -(v_tC + B * p_nE) / A
    expansion = STICK
    if p_tE > high:
        p_tE, expansion = high, SLIP_NEGATIVE
    elif p_tE < low:
        p_tE, expansion = low, SLIP_POSITIVE
    v_n_plus = max(B * p_tE + C * p_nE, 0.0)  # negative by rounding only
    v_t_plus = 0.0 if expansion == STICK else v_tC + A * p_tE + B * p_nE
    p_t, p_n = p_tC + p_tE, p_nC + p_nE
    out[0] = p_t
    out[1] = p_n
    out[2] = REGION_TWO_PHASE + 10 * compression + expansion
    out[3] = 0.5 * p_nC * v_n
    out[4] = 0.5 * p_nE * v_n_plus
    out[5] = -0.5 * (p_t * (v_t + v_t_plus) + p_n * (v_n + v_n_plus))
    out[6] = v_t_plus
    out[7] = v_n_plus
    return OK
