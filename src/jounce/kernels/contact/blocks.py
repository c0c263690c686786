"""Sets of unknowns that a matrix joins: bodies that stand apart are solved apart."""

from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers, Reals2


@kernel
def label_blocks(matrix: Reals2, size: Integer, label: Integers) -> Integer:
    """Number the sets of unknowns that the matrix joins, one with the next, into ``label``; returns their number."""
    # each unknown carries the smallest number of its set, until sets that an entry joins are renamed
    for i in range(size):
        label[i] = i
        for j in range(i):
            if label[i] != label[j] and (matrix[i, j] != 0.0 or matrix[j, i] != 0.0):
                kept, gone = min(label[i], label[j]), max(label[i], label[j])
                for k in range(i + 1):
                    if label[k] == gone:
                        label[k] = kept
    blocks = 0
    for i in range(size):
        if label[i] == i:
            label[i] = -1 - blocks
            blocks += 1
        else:
            label[i] = label[label[i]]
    for i in range(size):
        label[i] = -1 - label[i]
    return blocks


@kernel
def one_block(size: Integer, label: Integers) -> Integer:
    """As if the matrix joined all unknowns; returns 1."""
    for i in range(size):
        label[i] = 0
    return 1
