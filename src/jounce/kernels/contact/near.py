"""Which contacts of a machine may touch within a step: the list of those that are near, with a proof.

The gap of a candidate is the distance of a point of one body from a set of another one. While the bodies move by at
most D_a, D_b and turn by T_a, T_b it changes by no more than

    D_a + l_a T_a + D_b + l_b T_b ,      l the levers of bodies/near.py.

A list is made at some place of the machine with all gaps there: those below twice a length, the skin, are near. It is
good as long as D + l T <= skin for every body, whatever happens to velocities: no other gap can have closed. D and T
over a step are bounds of the step's own polynomial, on which the guards are looked at too. (Lists of neighbours with a
skin: Verlet 1967; with event-driven discs: Donev, Torquato & Stillinger 2005.)

Contacts whose parts move by themselves, as functions of time, are always near.
"""

import math

import numpy as np

from jounce.kernels.records.arrays import integers_at, numbers_at
from jounce.kernels.records.codes import GAP_WATCHED, OPEN
from jounce.kernels.records.fields import Machine, Roster
from jounce.kernels.records.roster import (
    ALL,
    CANDIDATE_INTEGERS,
    COLUMNS,
    GAP_FRESH,
    GAP_WATCH,
    HAS_SLIP,
    LAW,
    LEVERS,
    MODE,
    MOVING,
)
from jounce.kernels.records.tolerances import LIST_SEARCH, NEIGHBOURS, STEPS_AHEAD
from jounce.kernels.records.workspace import INTERPOLANT_ROWS, MAX_CONTACTS, PAIR
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Reals2, Truth


def _peaks() -> np.ndarray:
    """The largest value of the factor x^a (1-x)^b of each row of an interpolant: x, x (1-x), x^2 (1-x), ..."""
    peaks = []
    for row in range(INTERPOLANT_ROWS):
        a, b = row // 2 + 1, (row + 1) // 2
        x = a / (a + b)
        peaks.append(x**a * (1.0 - x) ** b)
    return np.array(peaks)


PEAKS = _peaks()


@kernel
def moved(z: Reals, values: Reals2, first: Integer, rows: Integer, j: Integer, place: Real) -> Real:
    """How far coordinate j is from ``place`` at most on a step from z with the rows ``first`` on of an interpolant."""
    reach = abs(z[j] - place)
    for row in range(rows):
        reach += PEAKS[row] * abs(values[first + row, j])
    return reach


@kernel
def farthest(m: Machine, r: Roster, z: Reals, values: Reals2, first: Integer, rows: Integer) -> Real:
    """The largest D + l T of all bodies since the list was made, up to the end of a step."""
    most = 0.0
    for k in range(m.n // 3):
        x = moved(z, values, first, rows, 3 * k, r.place[3 * k])
        y = moved(z, values, first, rows, 3 * k + 1, r.place[3 * k + 1])
        way = math.sqrt(x * x + y * y)
        if r.turn[k] > 0.0:
            way += r.turn[k] * moved(z, values, first, rows, 3 * k + 2, r.place[3 * k + 2])
        if not way <= most:
            most = way
    return most


@kernel
def belongs(r: Roster, k: Integer, limit: Real) -> Truth:
    """Whether candidate k is in a list of gaps up to a limit."""
    row = address(integers_at(r.integer).at, k * CANDIDATE_INTEGERS)
    if row[MODE] != OPEN or row[MOVING] or row[GAP_FRESH] > 0 or row[GAP_WATCH] != GAP_WATCHED:
        return True
    return not numbers_at(r.gap).at[2 * k] > limit


@kernel
def count_near(r: Roster, limit: Real) -> Integer:
    """How many candidates belong to a list of gaps up to a limit."""
    count = 0
    for k in range(r.total):
        count += 1 if belongs(r, k, limit) else 0
    return count


@kernel
def choose_limit(m: Machine, r: Roster, least: Real) -> Real:
    """The largest gap of the list: about ``NEIGHBOURS`` contacts a body, gaps up to ``least`` in any case.

    -1 where these are too many. The longer the list the longer it lasts, and the more each step costs.
    """
    if count_near(r, least) > MAX_CONTACTS:
        return -1.0
    wanted = min(int(NEIGHBOURS * (m.n // 3)), MAX_CONTACTS)
    high = least
    for k in range(r.total):
        high = max(high, numbers_at(r.gap).at[2 * k])
    if count_near(r, high) <= wanted:
        return high
    low = least
    for _ in range(LIST_SEARCH):
        middle = 0.5 * (low + high)
        if count_near(r, middle) <= wanted:
            low = middle
        else:
            high = middle
    return low


@kernel
def write_list(m: Machine, r: Roster, limit: Real) -> None:
    """The list of gaps up to a limit, and what the machine must know of its contacts."""
    slots, count = integers_at(r.slot).at, 0
    for k in range(r.total):
        slots[k] = -1
        if belongs(r, k, limit):
            slots[k] = count
            r.list[1 + count] = k
            row = address(integers_at(r.integer).at, k * CANDIDATE_INTEGERS)
            m.has_slip[count], m.laws[count] = row[HAS_SLIP], row[LAW]
            for side in range(2):
                for j in range(3):
                    m.column[PAIR * count + 3 * side + j] = row[COLUMNS + side] + j
            count += 1
    r.list[0] = count
    m.nc = count


@kernel
def set_turns(m: Machine, r: Roster, limit: Real) -> None:
    """How far a turn of each body by a unit moves what may touch it; distances grow by the limit at most."""
    for k in range(m.n // 3):
        r.turn[k] = 0.0
    for k in range(r.total):
        row, lever = address(integers_at(r.integer).at, k * CANDIDATE_INTEGERS), numbers_at(r.lever).at
        for side in range(2):
            body = row[COLUMNS + side] // 3
            grows = limit if side == 1 and lever[LEVERS * k + 2] > 0.0 else 0.0
            r.turn[body] = max(r.turn[body], lever[LEVERS * k + side] + grows)


@kernel
def all_gaps(m: Machine, r: Roster, t: Real, q: Reals, u: Reals) -> None:
    """Gaps and levers of all candidates."""
    m.p[m.np] = ALL
    p = address(m.p, 0)
    call_state(m.gaps, t, q, u, p, address(numbers_at(r.gap).at, 0))
    call_state(r.levers, t, q, u, p, address(numbers_at(r.lever).at, 0))


@kernel
def make_list(m: Machine, r: Roster, z: Reals, values: Reals2, first: Integer, rows: Integer, rounding: Real) -> Truth:
    """A list at z that is good for a step from there, with the rows of its interpolant; False: it would be too long.

    ``rounding`` is by how much coordinates may be wrong. Needs ``all_gaps`` at z. The list before is lost in any case.
    """
    r.changes += 1
    for j in range(m.n):
        r.place[j] = z[j]
    set_turns(m, r, 0.0)
    need = farthest(m, r, z, values, first, rows) + rounding
    ahead = STEPS_AHEAD
    while True:
        limit = choose_limit(m, r, 2.0 * ahead * need)
        if limit >= 0.0 or ahead == 1.0:
            break
        ahead = 1.0
    if limit < 0.0:
        r.skin = -1.0  # the list that is there is good for nothing any more
        return False
    set_turns(m, r, limit)
    r.skin = 0.5 * limit
    write_list(m, r, limit)
    return True
