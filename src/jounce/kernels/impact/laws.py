"""One number a law and the one function that applies it to a contact."""

from __future__ import annotations

import math

from jounce.kernels.flow.parabola import exponent_of, in_range, times_power
from jounce.kernels.impact.algebraic_laws import chatterjee_ruina, poisson_two_phase, smith, whittaker
from jounce.kernels.impact.brach_laws import brach, brach_extended
from jounce.kernels.impact.energetic_maps import closed_process
from jounce.kernels.impact.impulse import UNKNOWN_LAW
from jounce.kernels.records.codes import (
    BRACH,
    BRACH_EXTENDED,
    CHATTERJEE_RUINA,
    NEWTON,
    POISSON_TWO_PHASE,
    SMITH,
    WHITTAKER,
)
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals


@kernel
def law_in_range(
    law: Integer, A: Real, B: Real, C: Real, v_t: Real, v_n: Real, mu: Real, e: Real, e_t: Real, out: Reals
) -> Integer:
    """``apply_law`` where products and squares of velocities and mobilities are doubles."""
    if law <= NEWTON:
        return closed_process(law, A, B, C, v_t, v_n, mu, e, out)
    if law == WHITTAKER:
        return whittaker(A, B, C, v_t, v_n, mu, e, e_t, out)
    if law == SMITH:
        return smith(A, B, C, v_t, v_n, mu, e, out)
    if law == BRACH:
        return brach(A, B, C, v_t, v_n, mu, e, out)
    if law == BRACH_EXTENDED:
        return brach_extended(A, B, C, v_t, v_n, mu, e, out)
    if law == POISSON_TWO_PHASE:
        return poisson_two_phase(A, B, C, v_t, v_n, mu, e, e_t, out)
    if law == CHATTERJEE_RUINA:
        return chatterjee_ruina(A, B, C, v_t, v_n, mu, e, e_t, out)
    return UNKNOWN_LAW


# All laws are homogeneous: velocities times 2^x give impulses times 2^x and energies times 2^2x, mobilities times 2^y
# impulses and energies times 2^-y. Powers of two are exact, so a law that squares velocities of 1e-200 or multiplies
# mobilities of 1e200 is asked in units in which they are close to 1, and answers as it does there, bit for bit.
@kernel
def apply_law(
    law: Integer, A: Real, B: Real, C: Real, v_t: Real, v_n: Real, mu: Real, e: Real, e_t: Real, out: Reals
) -> Integer:
    """The impulse of one contact, v+ = v- + K p with K = [[A, B], [B, C]]; return 0, or why there is none.

    out[0:8] = p_t, p_n, region, work of compression, work of restitution, energy lost, v_t+, v_n+.
    """
    speed, mobility = max(abs(v_t), abs(v_n)), max(A, C)
    if (in_range(speed) and in_range(mobility)) or not (speed < math.inf and mobility < math.inf):
        return law_in_range(law, A, B, C, v_t, v_n, mu, e, e_t, out)
    x = exponent_of(speed) if speed > 0.0 else 0
    y = exponent_of(mobility) if mobility > 0.0 else 0
    A, B, C = times_power(A, -y), times_power(B, -y), times_power(C, -y)
    code = law_in_range(law, A, B, C, times_power(v_t, -x), times_power(v_n, -x), mu, e, e_t, out)
    for k in range(2):
        out[k] = times_power(out[k], x - y)
        out[6 + k] = times_power(out[6 + k], x)
    for k in range(3, 6):
        out[k] = times_power(out[k], 2 * x - y)
    return code
