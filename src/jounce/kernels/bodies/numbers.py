"""Functions of numbers that may carry a derivative: x is a float, or complex with a tiny imaginary part.

The same kernels serve values and derivatives. Along a direction v the derivative of an analytic F is

    Im F(x + i h v)/h ,    h -> 0 ,

without cancellation (the complex step of Squire and Trapp). With h far below rounding the imaginary part is the
derivative itself: f(a + i b) = f(a) + i b f'(a). Sums and products of complex numbers do that by themselves, functions
are written so here. With a float the part beside f(a) is zero times something finite.
"""

import math

from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Real, Scalar


@kernel
def sine(x: Scalar) -> Scalar:
    """sin x."""
    a = x.real
    return math.sin(a) + (x - a) * math.cos(a)


@kernel
def cosine(x: Scalar) -> Scalar:
    """cos x."""
    a = x.real
    return math.cos(a) - (x - a) * math.sin(a)


@kernel
def root(x: Scalar) -> Scalar:
    """The square root; its derivative at zero is left out."""
    a = x.real
    value = math.sqrt(a)
    return value + (x - a) * (0.5 / value if value > 0.0 else 0.0)


@kernel
def inverse(x: Scalar) -> Scalar:
    """1/x."""
    a = x.real
    value = 1.0 / a
    return value - (x - a) * (value * value if a != 0.0 else 0.0)


@kernel
def size(x: Scalar) -> Scalar:
    """|x|."""
    return -x if x.real < 0.0 else x


@kernel
def chained(x: Scalar, value: Scalar, slope: Real) -> Scalar:
    """f(x) from f and f' at the real part of x; a slope that is not finite counts only where x carries a derivative."""
    rest = x - x.real
    return value + rest * slope if rest != 0.0 else value + rest
