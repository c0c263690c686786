"""What is in force on each step of a record: parameters, discrete states, what compliant contacts remember."""

from jounce.kernels.records.arrays import integers_at, numbers_at
from jounce.kernels.records.codes import PRESSED, TOUCH
from jounce.kernels.records.fields import Audit, Machine
from jounce.kernels.records.recording import CONTACT, KIND, V_N_AFTER
from jounce.toolchain.jit import address, kernel
from jounce.toolchain.kernel_types import Integer, Integers2, Real, Reals2, Truth


@kernel
def put(m: Machine, place: Integer, value: Real) -> Truth:
    """Let a number be in force; True if it was another one."""
    changed = m.p[place] != value
    m.p[place] = value
    return changed


@kernel
def take_parameters(m: Machine, a: Audit, step: Integer, ended: Truth) -> Truth:
    """Let parameters and discrete states be those in force on a step, or at the end; True if they change."""
    changed = False
    if a.vectors != 0:
        vector = address(numbers_at(a.vectors).at, integers_at(a.which).at[step] * a.vector_size)
        for k in range(a.vector_size):
            changed = put(m, k, vector[k]) or changed
    for k in range(m.nd):
        state = a.last_states[k] if ended else numbers_at(a.states).at[step * m.nd + k]
        changed = put(m, m.states + k, state) or changed
    return changed


@kernel
def take_memory(m: Machine, a: Audit, first: Integer, last: Integer, floats: Reals2, integers: Integers2) -> Truth:
    """Let compliant contacts remember what they do behind these rows, whether they press and 1/v of the last touch."""
    changed = False
    for row in range(first, last):
        i = integers[row, CONTACT]
        if integers[row, KIND] == TOUCH and 0 <= i < m.nc and m.compliant[i]:
            a.inverse[i] = 1.0 / -floats[row, V_N_AFTER] if floats[row, V_N_AFTER] < 0.0 else 0.0
    for i in range(m.nc):
        if m.compliant[i]:
            pressed = a.mode[i] == PRESSED
            changed = put(m, m.memory[i], 1.0 if pressed else 0.0) or changed
            changed = put(m, m.memory[i] + 1, a.inverse[i] if pressed else 0.0) or changed
    return changed


@kernel
def keep_parameters(m: Machine, a: Audit) -> None:
    """What is in force now, with the discrete states, for the other side of a jump."""
    if m.nd > 0:
        for k in range(m.np + 1 + m.nc):  # with what stands behind them: kernels/bodies/near.py
            a.p_before[k] = m.p[k]
