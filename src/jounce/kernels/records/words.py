"""The mode of a system as integers: contact i is the digit i of a number with the base 8, cut into words of 17 digits.

A word is below 2^51, so that rows of floating-point numbers hold it exactly. Systems with up to 17 contacts have one.
"""

from jounce.kernels.records.codes import MODE_BASE, WORD
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers


@kernel
def word_count(nc: Integer) -> Integer:
    """How many words the mode of nc contacts has; at least one."""
    return max((nc + WORD - 1) // WORD, 1)


@kernel
def encode_word(digits: Integers, nc: Integer, word: Integer) -> Integer:
    """Word ``word`` of the mode whose digits are given by contact."""
    code = 0
    for i in range(min(nc, (word + 1) * WORD) - 1, word * WORD - 1, -1):
        code = code * MODE_BASE + digits[i]
    return code


@kernel
def digit_of(word: Integer, i: Integer) -> Integer:
    """The digit of contact i in the word that holds it."""
    return (word >> (3 * (i % WORD))) % MODE_BASE


@kernel
def mode_key(digits: Integers, nc: Integer) -> Integer:
    """One integer for a mode, to look it up by: the mode itself up to 17 contacts; beyond, others may share it."""
    key = 0
    for k in range(word_count(nc)):
        key = (31 * key + encode_word(digits, nc, k)) % MODE_BASE**WORD
    return key


@kernel
def combinations(states: Integer, members: Integer) -> Integer:
    """How many combinations there are where each member has so many states."""
    count = 1
    for _ in range(members):
        count *= states
    return count
