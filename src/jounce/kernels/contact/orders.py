"""How the guards of a contact begin, as one digit: with the mode, all that a start must know of a rigid contact.

    1      the guard does not start at its root
    2, 3   it does: a root of order 1 (just after an impact, a slip from rest) or 2 (a gap whose force has vanished)
    4      a gap that goes unguarded for one short step
    5      a gap that lies on its surface without a force

Digit 5 lasts as long as the mode does; the others are those of the very instant behind an event.
"""

from jounce.kernels.records.codes import DOUBLE_ROOT, GAP_HOVERING, GAP_WATCHED, MODE_BASE, NO_ROOT, OPEN, WORD
from jounce.kernels.records.fields import Machine, Motion
from jounce.kernels.records.roster import spread_words
from jounce.kernels.records.words import digit_of, word_count
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Entry, Integer, Numbers, Reals, Truth


@kernel
def gap_digit(order: Integer, watch: Integer) -> Integer:
    """The digit of an open gap that starts at a root of this order and is watched in this way."""
    return NO_ROOT + order if watch == GAP_WATCHED else DOUBLE_ROOT + watch


@kernel
def gap_beginning(digit: Integer) -> tuple[Integer, Integer]:
    """(order of the root, way of watching) of an open gap with this digit."""
    watch = max(digit - DOUBLE_ROOT, GAP_WATCHED)
    order = 0 if watch == GAP_HOVERING else min(max(digit, NO_ROOT), DOUBLE_ROOT) - NO_ROOT
    return order, watch


@kernel
def begin_gap(s: Motion, i: Integer, order: Integer) -> None:
    """Let the gap of contact i start at a root of this order, watched by its guard."""
    s.gap_fresh[i] = order
    s.gap_watch[i] = GAP_WATCHED


@kernel
def begins_simply(s: Motion, i: Integer) -> Truth:
    """Whether the gap of an open contact is watched by its guard and starts at no double root."""
    return s.gap_watch[i] == GAP_WATCHED and s.gap_fresh[i] < 2


@kernel
def order_digit(m: Machine, s: Motion, i: Integer) -> Integer:
    """The digit of contact i; compliant contacts find theirs from what they remember."""
    if m.compliant[i]:
        return NO_ROOT
    return gap_digit(s.gap_fresh[i], s.gap_watch[i]) if s.modes[i] == OPEN else NO_ROOT + s.slip_fresh[i]


@kernel
def encode_orders(m: Machine, s: Motion, out: Numbers[Entry]) -> None:
    """The digits of all contacts, as words."""
    if s.settings.roster != 0:
        for i in range(m.nc):
            s.choice.trial[i] = order_digit(m, s, i)
        spread_words(s.settings.roster, s.choice.trial, m.nc, NO_ROOT, out)
        return
    for k in range(word_count(m.nc)):
        out[k] = 0
        for i in range(min(m.nc, (k + 1) * WORD) - 1, k * WORD - 1, -1):
            out[k] = out[k] * MODE_BASE + order_digit(m, s, i)


@kernel
def set_contact(m: Machine, s: Motion, i: Integer, mode: Integer, digit: Integer) -> None:
    """Put contact i into a mode whose guards begin as the digit says."""
    if m.compliant[i]:
        return
    s.modes[i] = mode
    s.gap_fresh[i], s.gap_watch[i] = gap_beginning(digit if mode == OPEN else NO_ROOT)
    s.slip_fresh[i] = 0 if mode == OPEN else max(digit, NO_ROOT) - NO_ROOT
    s.released[i] = 1 if mode == OPEN and digit == DOUBLE_ROOT else 0


@kernel
def decode_contacts(m: Machine, s: Motion, row: Reals, at: Integer) -> None:
    """Put all contacts into modes and orders: the words of the modes from place ``at`` of a row on, then the orders."""
    words = word_count(m.nc)
    for i in range(m.nc):
        k = at + i // WORD
        s.brought.face[i] = 0  # no part of such rows
        set_contact(m, s, i, digit_of(int(row[k]), i), digit_of(int(row[k + words]), i))
