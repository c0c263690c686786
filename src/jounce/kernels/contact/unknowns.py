"""Which forces of a mode are unknown, and in which order: those of the joints, then of each contact.

A contact with a gap of its own has lambda_N while it is closed, behind it lambda_T while it sticks. One that others
load (contact/loads.py) has no lambda_N: only lambda_T while it sticks.
"""

from jounce.kernels.records.codes import OPEN, PRESSED, SLIP_POSITIVE, STICK
from jounce.kernels.records.fields import Machine
from jounce.kernels.records.workspace import FRICTION, FRICTION_BACK, SURFACE_STRIDE
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals, Truth


@kernel
def constrains(mode: Integer) -> Truth:
    """Whether a contact in this mode is an equation: neither open nor pressed, whose force is already in h."""
    return OPEN < mode < PRESSED


@kernel
def slide_sign(mode: Integer) -> Real:
    """+1 in SLIP+, -1 in SLIP-."""
    return 1.0 if mode == SLIP_POSITIVE else -1.0


@kernel
def sliding_friction(surface: Reals, i: Integer, direction: Real) -> Real:
    """mu of contact i while it slides in this direction, from the coefficients at a state."""
    return surface[i * SURFACE_STRIDE + (FRICTION_BACK if direction < 0.0 else FRICTION)]


@kernel
def slides(m: Machine, modes: Integers, i: Integer) -> Truth:
    """Whether contact i is closed, has friction and slides."""
    return constrains(modes[i]) and modes[i] != STICK and m.has_slip[i] != 0


@kernel
def own_unknowns(m: Machine, modes: Integers, i: Integer) -> Integer:
    """How many unknown forces contact i has in its mode."""
    if not constrains(modes[i]):
        return 0
    return (1 if modes[i] == STICK else 0) + (0 if m.load[i] else 1)


@kernel
def place_of(m: Machine, modes: Integers, i: Integer) -> Integer:
    """The place of the first unknown of contact i."""
    k = m.nj
    for other in range(i):
        k += own_unknowns(m, modes, other)
    return k


@kernel
def count_constraints(m: Machine, modes: Integers) -> Integer:
    """Unknown forces of a mode: joints, normal forces, friction where it sticks."""
    return place_of(m, modes, m.nc)
