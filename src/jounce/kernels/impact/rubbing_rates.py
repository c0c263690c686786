"""Rates of an impact of machines that rub: who slips, who sticks, what each adds per normal impulse (rubbing.py)."""

import math

from jounce.kernels.contact.linear import solve_ranked
from jounce.kernels.contact.loads import always_closed, lever
from jounce.kernels.contact.unknowns import sliding_friction
from jounce.kernels.records.codes import (
    CONTACT_LOAD,
    FIXED_LOAD,
    GUIDE_LOAD,
    PIN_LOAD,
    SLIP_NEGATIVE,
    SLIP_POSITIVE,
    STICK,
)
from jounce.kernels.records.fields import Machine, Workspace
from jounce.kernels.records.rows import along, normal_place
from jounce.kernels.records.tolerances import BALANCES, EQUALITY, RANK_TOLERANCE, TRIED_TOGETHER, TURNED
from jounce.kernels.records.words import combinations
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

# rows of w.rub, one column a member of the process
SLIP, SLIP_RATE, IMPULSE_RATE, LOAD_RATE, IMPULSE, LOAD, LOSS, FIRST, SECOND, FRICTION, SIZE = range(11)


@kernel
def keep_answers(m: Machine, w: Workspace, direction: Integer) -> None:
    """What the loads of all loaded contacts are for a unit impulse in ``direction``, whose response was just projected.

    The joints answer it with -x (x: the unknowns of ``project_joints``); a contact loads by its own normal impulse.
    """
    for k in range(m.nc):
        kind = m.load[k]
        for part in range(2):
            answer = 0.0
            joint = m.load_of[2 * k + part]
            if (kind == PIN_LOAD or kind == GUIDE_LOAD) and joint >= 0:
                answer = -w.unknown[joint]
            elif kind == CONTACT_LOAD and part == 0 and direction == 2 * joint:
                answer = 1.0
            w.load_answer[2 * k + part, direction] = answer


@kernel
def own_mobility(m: Machine, w: Workspace, i: Integer) -> Real:
    """W_T M^-1 W_T of contact i from its response, before joints are projected out."""
    return along(m, w.contact, i, normal_place(m, i) + m.width, w.response_t[i], 0.0)


@kernel
def rubs_along(m: Machine, w: Workspace, k: Integer, struck: Integer) -> Truth:
    """Whether impulses can press contact k: those of joints, or of the contact ``struck`` (-1: none)."""
    if m.load[k] == FIXED_LOAD or not m.has_slip[k] or not (always_closed(m, k) or m.load_of[2 * k] == struck):
        return False
    return m.load[k] != 0 and sliding_friction(w.surface, k, w.velocity[2 * k + 1]) > 0.0


@kernel
def any_rubs_along(m: Machine, w: Workspace, struck: Integer) -> Truth:
    """Whether friction of a loaded contact has a part in impacts of this one."""
    for k in range(m.nc):
        if rubs_along(m, w, k, struck):
            return True
    return False


@kernel
def add_member(m: Machine, w: Workspace, count: Integer, k: Integer) -> Integer:
    """Contact k as a member of the process, with its slip as it is now; returns their number."""
    w.rubbing[count] = k
    for row in range(SIZE + 1):
        w.rub[row, count] = 0.0
    w.rub[SLIP, count] = w.velocity[2 * k + 1]
    w.rub[FRICTION, count] = sliding_friction(w.surface, k, w.velocity[2 * k + 1])
    w.rub[SIZE, count] = math.sqrt(w.slip_mobility[k])
    return count + 1


@kernel
def gather_members(m: Machine, w: Workspace, struck: Integer) -> Integer:
    """The slips that friction may change in an impact of contact ``struck`` (-1: a jam); returns their number."""
    count = 0
    if struck >= 0 and m.has_slip[struck] and sliding_friction(w.surface, struck, w.velocity[2 * struck + 1]) > 0.0:
        count = add_member(m, w, count, struck)
    for k in range(m.nc):
        if rubs_along(m, w, k, struck):
            count = add_member(m, w, count, k)
            if w.rub[SLIP, count - 1] == 0.0 and not is_mobile(w, count - 1):
                count -= 1
    return count


@kernel
def is_mobile(w: Workspace, a: Integer) -> Truth:
    """Whether the slip of member a can change at all: that of a pin on a driven crank cannot."""
    direction = 2 * w.rubbing[a] + 1
    return w.delassus[direction, direction] > RANK_TOLERANCE * w.slip_mobility[w.rubbing[a]]


@kernel
def load_part(
    m: Machine, w: Workspace, count: Integer, a: Integer, part: Integer, drive: Integer, amount: Real
) -> Real:
    """Part 0 or 1 of the load of member a, from the impulse rates of all."""
    row = 2 * w.rubbing[a] + part
    total = w.load_answer[row, drive] * amount
    for b in range(count):
        total += w.load_answer[row, 2 * w.rubbing[b] + 1] * w.rub[IMPULSE_RATE, b]
    return total


@kernel
def turn_member(m: Machine, w: Workspace, count: Integer, a: Integer, drive: Integer, amount: Real) -> Real:
    """Turn the gradient of the load of member a to the impulses just found; returns by how much."""
    k = w.rubbing[a]
    first, second = 0.0, 0.0
    if m.load[k] == 0:
        load = amount  # the struck contact itself
    else:
        x, y = load_part(m, w, count, a, 0, drive, amount), load_part(m, w, count, a, 1, drive, amount)
        if m.load[k] == PIN_LOAD:
            load = math.hypot(x, y)
            if load > 0.0:
                first, second = x / load, y / load
        else:
            c = lever(w, k) if m.load[k] == GUIDE_LOAD else 0.0
            load = max(abs(x), c * abs(y))
            if abs(x) >= c * abs(y):
                first = 1.0 if x >= 0.0 else -1.0
            else:
                second = c if y >= 0.0 else -c
    turned = abs(first - w.rub[FIRST, a]) + abs(second - w.rub[SECOND, a])
    w.rub[FIRST, a], w.rub[SECOND, a], w.rub[LOAD_RATE, a] = first, second, load
    return turned * load * w.rub[SIZE, a]


@kernel
def fill_row(m: Machine, w: Workspace, count: Integer, a: Integer, drive: Integer, amount: Real) -> None:
    """The equation of member a in the unknowns x_b sqrt(C_b): its slip rests, or its friction opposes it."""
    k = w.rubbing[a]
    direction, own = 2 * k + 1, w.rub[SIZE, a]
    if w.rub_state[a] == STICK:
        for b in range(count):
            w.matrix[a, b] = w.delassus[direction, 2 * w.rubbing[b] + 1] / (own * w.rub[SIZE, b])
        w.right[a] = -w.delassus[direction, drive] * amount / own
        return
    weight = w.rub[FRICTION, a] if w.rub_state[a] == SLIP_POSITIVE else -w.rub[FRICTION, a]
    first, second = w.rub[FIRST, a], w.rub[SECOND, a]
    for b in range(count):
        other = 2 * w.rubbing[b] + 1
        load = first * w.load_answer[2 * k, other] + second * w.load_answer[2 * k + 1, other]
        w.matrix[a, b] = (1.0 if a == b else 0.0) + weight * load * own / w.rub[SIZE, b]
    load = first * w.load_answer[2 * k, drive] + second * w.load_answer[2 * k + 1, drive]
    w.right[a] = -weight * (load if m.load[k] else 1.0) * amount * own


@kernel
def solve_rates(m: Machine, w: Workspace, count: Integer, drive: Integer, amount: Real) -> Truth:
    """Impulse rates and loads of the states in w.rub_state, per unit of the driving impulse; False without a balance.

    Where friction has turned the sign of the determinant more friction would mean less load: no such motion is stable.
    """
    for a in range(count):
        w.rub[IMPULSE_RATE, a] = w.rub[FIRST, a] = w.rub[SECOND, a] = 0.0
        w.mobility[a] = 1.0
    for a in range(count):
        turn_member(m, w, count, a, drive, amount)
    for _ in range(BALANCES):
        for a in range(count):
            fill_row(m, w, count, a, drive, amount)
        determinant = solve_ranked(w, count) if count > 0 else 1.0
        size = abs(amount) * math.sqrt(w.delassus[drive, drive])
        for a in range(count):
            w.rub[IMPULSE_RATE, a] = w.unknown[a] / w.rub[SIZE, a]
            size = max(size, abs(w.unknown[a]))
        turned = 0.0
        for a in range(count):
            change = turn_member(m, w, count, a, drive, amount)
            if w.rub_state[a] != STICK:
                turned = max(turned, change)
        if turned <= TURNED * size:
            return determinant >= 0.0
    return False


@kernel
def slip_rates(m: Machine, w: Workspace, count: Integer, drive: Integer, amount: Real) -> Real:
    """The change of every slip, and of the velocity in the driving direction, which is returned.

    A rate that cancels in its terms is zero: friction that holds a mechanism of one freedom holds all its velocities,
    and what is left of them by rounding would want an impulse without bound.
    """
    for a in range(count):
        w.rub[SLIP_RATE, a] = rate_along(w, count, 2 * w.rubbing[a] + 1, drive, amount)
    return rate_along(w, count, drive, drive, amount)


@kernel
def rate_along(w: Workspace, count: Integer, direction: Integer, drive: Integer, amount: Real) -> Real:
    """The change of the velocity in a direction; zero where it is that by its terms."""
    total = w.delassus[direction, drive] * amount
    for b in range(count):
        total += w.delassus[direction, 2 * w.rubbing[b] + 1] * w.rub[IMPULSE_RATE, b]
    return total if abs(total) > EQUALITY * rate_size(w, count, direction, drive, amount) else 0.0


@kernel
def rate_size(w: Workspace, count: Integer, direction: Integer, drive: Integer, amount: Real) -> Real:
    """The size of the terms of the change of the velocity in a direction."""
    total = abs(w.delassus[direction, drive] * amount)
    for b in range(count):
        total += abs(w.delassus[direction, 2 * w.rubbing[b] + 1] * w.rub[IMPULSE_RATE, b])
    return total


@kernel
def broken_member(w: Workspace, count: Integer, drive: Integer, amount: Real) -> Integer:
    """A member at rest whose state the rates contradict: the cone of one that sticks, the sign of one that begins."""
    for a in range(count):
        if w.rub[SLIP, a] != 0.0:
            continue
        small = EQUALITY * rate_size(w, count, 2 * w.rubbing[a] + 1, drive, amount)
        if w.rub_state[a] == STICK:
            direction = 2 * w.rubbing[a] + 1
            outside = abs(w.rub[IMPULSE_RATE, a]) - w.rub[FRICTION, a] * w.rub[LOAD_RATE, a]
            if outside * w.delassus[direction, direction] > small or abs(w.rub[SLIP_RATE, a]) > small:
                return a
        else:
            sign = 1.0 if w.rub_state[a] == SLIP_POSITIVE else -1.0
            if sign * w.rub[SLIP_RATE, a] < -small:
                return a
    return -1


@kernel
def try_states(m: Machine, w: Workspace, count: Integer, drive: Integer, amount: Real) -> Truth:
    """Whether the states in w.rub_state have rates that agree with them."""
    if not solve_rates(m, w, count, drive, amount):
        return False
    slip_rates(m, w, count, drive, amount)
    return broken_member(w, count, drive, amount) < 0


@kernel
def opposite_slip(w: Workspace, a: Integer) -> Integer:
    """The slip against which the impulse of a member that stuck was directed."""
    return SLIP_NEGATIVE if w.rub[IMPULSE_RATE, a] > 0.0 else SLIP_POSITIVE


@kernel
def release_in_turn(m: Machine, w: Workspace, count: Integer, resting: Integer, drive: Integer, amount: Real) -> Truth:
    """Begin with stick in all members at rest, give the first that contradicts its state another; True if it ends."""
    for _ in range(4 * resting + 4):
        if not solve_rates(m, w, count, drive, amount):
            return False
        slip_rates(m, w, count, drive, amount)
        a = broken_member(w, count, drive, amount)
        if a < 0:
            return True
        w.rub_state[a] = opposite_slip(w, a) if w.rub_state[a] == STICK else STICK
    return False


@kernel
def let_all_begin(m: Machine, w: Workspace, count: Integer, drive: Integer, amount: Real) -> Truth:
    """Slip in all members at rest, as they would move without friction: a mechanism of one freedom begins at once."""
    for a in range(count):
        if w.rub[SLIP, a] == 0.0:
            rate = w.delassus[2 * w.rubbing[a] + 1, drive] * amount
            w.rub_state[a] = SLIP_POSITIVE if rate >= 0.0 else SLIP_NEGATIVE
    return try_states(m, w, count, drive, amount)


@kernel
def try_all(m: Machine, w: Workspace, count: Integer, resting: Integer, drive: Integer, amount: Real) -> Truth:
    """Every combination of states of the members at rest."""
    for number in range(combinations(3, resting)):
        rest = number
        for a in range(count):
            if w.rub[SLIP, a] == 0.0:
                w.rub_state[a] = SLIP_POSITIVE + rest % 3
                rest //= 3
        if try_states(m, w, count, drive, amount):
            return True
    return False


@kernel
def find_rates(m: Machine, w: Workspace, count: Integer, drive: Integer, amount: Real) -> Truth:
    """Rates per unit of the driving impulse, with states of the members at rest that agree with them; False: none."""
    resting = 0
    for a in range(count):
        w.rub_state[a] = SLIP_POSITIVE if w.rub[SLIP, a] > 0.0 else SLIP_NEGATIVE
        if w.rub[SLIP, a] == 0.0:
            w.rub_state[a] = STICK
            resting += 1
    if release_in_turn(m, w, count, resting, drive, amount):
        return True
    if resting == 0:
        return False
    if let_all_begin(m, w, count, drive, amount):
        return True
    return resting <= TRIED_TOGETHER and try_all(m, w, count, resting, drive, amount)
