"""How the guards of a contact begin, as one digit: with the mode, all that a start must know of a rigid contact.

    1      the guard does not start at its root
    2, 3   it does: a root of order 1 (just after an impact, a slip from rest) or 2 (a gap whose force has vanished)
    4      a gap that goes unguarded for one short step
    5      a gap that lies on its surface without a force

Digit 5 lasts as long as the mode does; the others are those of the very instant behind an event.
"""

from jounce.kernels.records.codes import DOUBLE_ROOT, MODE_BASE, NO_ROOT, OPEN, WORD
from jounce.kernels.records.words import digit_of, word_count
from jounce.toolchain.jit import kernel


@kernel
def order_digit(m, s, i):
    """The digit of contact i; compliant contacts find theirs from what they remember."""
    if m.compliant[i]:
        return NO_ROOT
    return 1 + (s.gap_fresh[i] if s.modes[i] == OPEN else s.slip_fresh[i])


@kernel
def encode_orders(m, s, out):
    """The digits of all contacts, as words."""
    for k in range(word_count(m.nc)):
        out[k] = 0
        for i in range(min(m.nc, (k + 1) * WORD) - 1, k * WORD - 1, -1):
            out[k] = out[k] * MODE_BASE + order_digit(m, s, i)


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
def decode_contacts(m, s, row, at):
    """Put all contacts into modes and orders: the words of the modes from place ``at`` of a row on, then the orders."""
    words = word_count(m.nc)
    for i in range(m.nc):
        k = at + i // WORD
        set_contact(m, s, i, digit_of(int(row[k]), i), digit_of(int(row[k + words]), i))
