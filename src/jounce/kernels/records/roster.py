"""All contacts that a machine has, of which a run looks at those that are near: its candidates.

Where a machine has more contacts than a few, the engine's contacts are the candidates of a list: contact i is candidate
list[1 + i], everything in the other records that belongs to contacts has the length of the list, and what a candidate
has that is not in it waits here. contact/near.py makes the list.
"""

import numpy as np

from jounce.kernels.records.arrays import integers_at
from jounce.kernels.records.codes import MODE_BASE, WORD
from jounce.kernels.records.words import word_count
from jounce.kernels.records.workspace import MAX_CONTACTS, MAX_COORDINATES
from jounce.toolchain.abi import record
from jounce.toolchain.jit import kernel, record_at
from jounce.toolchain.kernel_types import Entry, Integer, Integers, Numbers

# whole numbers of a candidate; COLUMNS: the first coordinate of each of its bodies; FACE: on which it is held
MODE, GAP_FRESH, GAP_WATCH, SLIP_FRESH, RELEASED, HAS_SLIP, LAW, MOVING, COLUMNS, FACE = 0, 1, 2, 3, 4, 5, 6, 7, 8, 10
OPEN_FORCE = 11
CANDIDATE_INTEGERS = 12
ALL = -1  # in place of the address of a list behind the parameters: every contact as its place is
# numbers of a candidate: its impact loss; speeds as in MEMORY; the size of its gap and of its slip
LOSS, OWN_SPEED, SPEED, CHATTER_SPEED, SIZE, SLIP_SIZE = 0, 1, 3, 5, 6, 7
CANDIDATE_NUMBERS = 8
LEVERS = 3  # what `levers` writes of a candidate

ROSTER = np.dtype(
    [
        ("total", "i8"),  # candidates
        # addresses of rows, one a candidate
        ("integer", "i8"),
        ("number", "i8"),
        ("gap", "i8"),  # g, g' where the list was made
        ("lever", "i8"),
        ("slot", "i8"),  # the place in the list, -1: it is not there
        ("levers", "i8"),  # the function
        ("skin", "f8"),  # how far every body may have moved since the list was made
        ("changes", "i8"),  # lists made so far
        ("place", "f8", (MAX_COORDINATES,)),  # the coordinates for which it was made
        ("turn", "f8", (MAX_COORDINATES // 3,)),  # of each body: how far a turn by a unit moves what may touch
        ("list", "i8", (1 + MAX_CONTACTS,)),  # how many, then which
        ("list_address", "i8"),
    ],
    align=True,
)
roster_record = record(ROSTER)
roster_at = record_at(roster_record)


@kernel
def named(roster: Integer, contact: Integer) -> Integer:
    """The candidate that a contact is; ``roster`` is an address, 0: contacts are all there are."""
    if roster == 0 or contact < 0:
        return contact
    return roster_at(roster).list[1 + contact]


@kernel
def all_contacts(roster: Integer, nc: Integer) -> Integer:
    """How many candidates there are, or the nc contacts where these are all."""
    return nc if roster == 0 else roster_at(roster).total


@kernel
def all_words(roster: Integer, nc: Integer) -> Integer:
    """How many words the mode of all candidates has, or of nc contacts where these are all."""
    return word_count(all_contacts(roster, nc))


@kernel
def spread_words(roster: Integer, digits: Integers, nc: Integer, others: Integer, out: Numbers[Entry]) -> None:
    """The words of all candidates: the digits of the nc contacts that are near, and ``others`` for all others."""
    r = roster_at(roster)
    whole = 0
    for _ in range(WORD):
        whole = whole * MODE_BASE + others
    for k in range(word_count(r.total)):
        out[k] = whole
    last = 0
    for _ in range(r.total - (word_count(r.total) - 1) * WORD):
        last = last * MODE_BASE + others
    out[word_count(r.total) - 1] = last
    for i in range(nc):
        k = r.list[1 + i]
        out[k // WORD] += (digits[i] - others) << (3 * (k % WORD))


@kernel
def near_place(roster: Integer, candidate: Integer) -> Integer:
    """The contact that a candidate is, -1: it is not near."""
    if roster == 0 or candidate < 0:
        return candidate
    return integers_at(roster_at(roster).slot).at[candidate]
