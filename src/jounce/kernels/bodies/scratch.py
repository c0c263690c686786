"""What the functions of a machine compute with: values of its programs and frames of its bodies, on the stack."""

from jounce.kernels.bodies.frames import fill_frames
from jounce.kernels.bodies.programs import run_program
from jounce.kernels.records.fields import Tables
from jounce.kernels.records.tolerances import COMPLEX_STEP
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Complex, Complexes, Integer, Numbers, Real, Reals, Scalar


@kernel
def prepare(
    tables: Tables,
    end: Integer,
    t: Scalar,
    q: Numbers[Scalar],
    u: Numbers[Scalar],
    p: Numbers[Scalar],
    values: Numbers[Scalar],
    frames: Numbers[Scalar],
) -> None:
    """Run the programs up to an instruction and fill the frames."""
    run_program(tables, 0, end, t, q, u, p, values)
    fill_frames(tables.bodies, q, u, frames)


@kernel
def directed(source: Reals, first: Integer, count: Integer, offset: Integer, target: Complexes) -> None:
    """x + i h v into ``target`` from x in source[first:] and the direction v, ``offset`` behind it."""
    for k in range(count):
        target[k] = complex(source[first + k], COMPLEX_STEP * source[first + offset + k])


@kernel
def slope(x: Complex) -> Real:
    """The derivative that a number carries."""
    return x.imag / COMPLEX_STEP
