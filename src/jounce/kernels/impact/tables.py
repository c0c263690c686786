"""Laws of impact for Python: numbers in and out by arrays."""

from __future__ import annotations

from jounce.kernels.impact.algebraic_laws import coulomb_impulse
from jounce.kernels.impact.brach_laws import brach_case, brach_ratios
from jounce.kernels.impact.impulse import impulse_process
from jounce.kernels.impact.laws import apply_law
from jounce.toolchain.abi import f8, f8_1d, f8_2d, i8, i8_1d, void
from jounce.toolchain.jit import block
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals, Reals2


@block(void(i8, f8_2d, f8_2d, i8_1d))
def apply_law_to_rows(law: Integer, rows: Reals2, out: Reals2, codes: Integers) -> None:
    """``apply_law`` to each row (A, B, C, v_t, v_n, mu, e, e_t); fill out (n, 8) and the codes (n)."""
    for i in range(rows.shape[0]):
        codes[i] = apply_law(
            law, rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3], rows[i, 4], rows[i, 5], rows[i, 6], rows[i, 7], out[i]
        )


@block(i8(i8, f8_1d, f8_1d, f8_2d))
def process_phases(ending: Integer, row: Reals, out: Reals, phases: Reals2) -> Integer:
    """``impulse_process`` of (A, B, C, v_t, v_n, mu, e); return the number of rows of phases."""
    return impulse_process(ending, row[0], row[1], row[2], row[3], row[4], row[5], row[6], out, phases)[1]


@block(i8(f8, f8, f8, f8, f8, f8, f8_1d))
def coulomb_impulse_to(A: Real, B: Real, C: Real, v_t: Real, dn: Real, mu: Real, out: Reals) -> Integer:
    """``coulomb_impulse``: fill out with p_t, p_n; return the motion."""
    _, motion, out[0], out[1] = coulomb_impulse(A, B, C, v_t, dn, mu)
    return motion


@block(void(f8, f8, f8, f8, f8, f8, f8_1d))
def brach_ratios_to(A: Real, B: Real, C: Real, v_t: Real, v_n: Real, e: Real, out: Reals) -> None:
    """``brach_ratios``: fill out with r_C, the two r_E, r_M, r_s."""
    out[0], out[1], out[2], out[3], out[4] = brach_ratios(A, B, C, v_t, v_n, e)


@block(i8(f8, f8, f8, f8, f8))
def brach_case_of(near: Real, far: Real, r_M: Real, r_s: Real, s: Real) -> Integer:
    """``brach_case``."""
    return brach_case(near, far, r_M, r_s, s)
