"""How the guards of a contact begin, as one digit: with the mode, all that a start must know of a rigid contact.

    1      the guard does not start at its root
    2, 3   it does: a root of order 1 (just after an impact, a slip from rest) or 2 (a gap whose force has vanished)
    4      a gap that goes unguarded for one short step
    5      a gap that lies on its surface without a force

Digit 5 lasts as long as the mode does; the others are those of the very instant behind an event.
"""

from jounce.kernels.records.codes import DOUBLE_ROOT, MODE_BASE, NO_ROOT, OPEN
from jounce.toolchain.jit import kernel


@kernel
def order_digit(m, s, i):
    """The digit of contact i; compliant contacts find theirs from what they remember."""
    if m.compliant[i]:
        return NO_ROOT
    return 1 + (s.gap_fresh[i] if s.modes[i] == OPEN else s.slip_fresh[i])


@kernel
def encode_orders(m, s):
    """The digits of all contacts as one integer."""
    code = 0
    for i in range(m.nc - 1, -1, -1):
        code = code * MODE_BASE + order_digit(m, s, i)
    return code


@kernel
def set_contact(m, s, i, mode, digit):
    """Put contact i into a mode whose guards begin as the digit says."""
    if m.compliant[i]:
        return
    s.modes[i] = mode
    fresh = max(digit, NO_ROOT) - 1
    s.gap_fresh[i] = fresh if mode == OPEN else 0
    s.slip_fresh[i] = 0 if mode == OPEN else fresh
    s.released[i] = 1 if mode == OPEN and digit == DOUBLE_ROOT else 0


@kernel
def decode_contacts(m, s, modes, orders):
    """Put all contacts into the modes and orders of two codes."""
    for i in range(m.nc):
        set_contact(m, s, i, modes % MODE_BASE, orders % MODE_BASE)
        modes //= MODE_BASE
        orders //= MODE_BASE
