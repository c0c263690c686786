"""One function of a model at many states, for Python."""

from jounce.toolchain.abi import f8_1d, f8_2d, i8, void
from jounce.toolchain.jit import address, block, call_state
from jounce.toolchain.kernel_types import Integer, Reals, Reals2


@block(void(i8, f8_1d, f8_2d, f8_2d, f8_1d, f8_2d))
def call_rows(function: Integer, t: Reals, q: Reals2, u: Reals2, p: Reals, out: Reals2) -> None:
    """Row k of ``out`` becomes function(t[k], q[k], u[k], p)."""
    n, width = q.shape[1], out.shape[1]
    for k in range(t.shape[0]):
        call_state(function, t[k], address(q, k * n), address(u, k * n), address(p, 0), address(out, k * width))
