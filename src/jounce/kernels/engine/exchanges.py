"""The mode of a large cluster with rubbing joints: found by exchanging the conditions that it breaks.

Friction that others load has no place in the problem of proposals.py: its limit mu N depends on forces that are not
those of its own contact. With N as it is, friction and slip acceleration are a complementarity problem with bounds,

    a = b + D x ,   |x| <= mu N ,   x = -mu N sign(a) where a is not zero,

D positive definite. Block pivoting solves such problems: all variables that break their condition change sides at
once, and where that does not lessen their number for a while the last of them alone, which ends (Murty's rule). Here it
is done on modes: each is solved and judged with the loads that it has, a joint that sticks with too much friction
begins to slide, one that would slide against its friction sticks, a contact that pulls opens, one that would sink in
closes. What breaks nothing is the mode. It begins with everything at rest, so that a machine which can rest does, and
then with the slips that the motion without friction has: those of a mechanism with one freedom.
"""

from jounce.kernels.contact.modes import judge
from jounce.kernels.contact.unknowns import constrains
from jounce.kernels.engine.clusters import contact_problem, count_candidates
from jounce.kernels.engine.proposals import follow_guard, try_proposal
from jounce.kernels.engine.trial_modes import NO_COST, SURE_COST, next_option
from jounce.kernels.records.codes import CONTACT_LOAD, OPEN, SLIP_NEGATIVE, SLIP_POSITIVE, STICK
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.tolerances import EQUALITY, EXCHANGES, EXCHANGES_TOGETHER
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import block, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

FROM_GUARD, FROM_REST, FROM_SLIPS, BEGINNINGS = 0, 1, 2, 3  # where a search begins


@kernel
def begin(m: Machine, w: Workspace, s: Motion, beginning: Integer) -> Truth:
    """The first mode of a search, to s.choice.trial; False if there is none of this kind."""
    if beginning == FROM_GUARD:
        return follow_guard(m, s)
    count = contact_problem(m, w, s) if beginning == FROM_SLIPS else 0
    for i in range(m.nc):
        first = next_option(m, w, s, i, -1)
        s.choice.trial[i] = next_option(m, w, s, i, OPEN) if s.choice.candidate[i] else first
    for a in range(count):
        i = w.members[a]
        if m.load[i] and s.choice.trial[i] == STICK:
            s.choice.trial[i] = SLIP_POSITIVE if w.joint_start[2 * a + 1] > 0.0 else SLIP_NEGATIVE
    return True


@kernel
def other_side(m: Machine, w: Workspace, s: Motion, i: Integer, tangential: Integer) -> Integer:
    """The mode of contact i on the other side of a condition that it breaks; its own where it has no other."""
    mode = s.choice.trial[i]
    if tangential:
        if mode != STICK:
            return STICK
        return SLIP_POSITIVE if w.force[i, 1] < 0.0 else SLIP_NEGATIVE
    if m.load[i]:
        return mode
    return next_option(m, w, s, i, OPEN) if mode == OPEN else OPEN


@kernel
def exchange(m: Machine, w: Workspace, s: Motion, last: Integer) -> Integer:
    """Let the contacts that break a condition of s.choice.trial, just judged, change sides; how many there are.

    last   -1: all of them; otherwise so many are passed over, and the next one alone changes
    """
    broken = 0
    for i in range(m.nc):
        if not s.choice.candidate[i]:
            continue
        for tangential in range(2):
            asked = (s.choice.weak[i] >> tangential) & 1
            if not asked or not w.start_margin[2 * i + tangential] < -EQUALITY:
                continue
            mode = other_side(m, w, s, i, tangential)
            if mode != s.choice.trial[i]:
                if last < 0 or broken == last:
                    s.choice.trial[i] = mode
                broken += 1
                break
    return broken


@kernel
def follow_bearers(m: Machine, w: Workspace, s: Motion) -> None:
    """Let friction that a contact loads open and close with that contact."""
    for i in range(m.nc):
        if s.choice.candidate[i] and m.load[i] == CONTACT_LOAD:
            closed = constrains(s.choice.trial[m.load_of[2 * i]])
            if closed != constrains(s.choice.trial[i]):
                s.choice.trial[i] = next_option(m, w, s, i, OPEN) if closed else OPEN


@kernel
def count_broken(m: Machine, w: Workspace, s: Motion) -> Integer:
    """How many contacts break a condition of the mode just judged and have another side."""
    return exchange(m, w, s, m.nc)


@kernel
def search(m: Machine, w: Workspace, s: Motion, tried_count: Integer, best: Real) -> Real:
    """Exchange from s.choice.trial on; the lower one of ``best`` and the cost of what is found, to s.choice.chosen."""
    least, left = m.nc + 1, EXCHANGES_TOGETHER
    for _ in range(EXCHANGES * count_candidates(m, s)):
        for i in range(m.nc):
            s.choice.weak[i] = 0
        if judge(m, w, s, s.choice.trial, False) >= 0:
            return try_proposal(m, w, s, tried_count, best)
        broken = count_broken(m, w, s)
        if broken == 0:
            break  # the loads have no balance, or no exchange mends what is broken
        if broken < least:
            least, left = broken, EXCHANGES_TOGETHER
        else:
            left -= 1
        exchange(m, w, s, -1 if left > 0 else broken - 1)
        follow_bearers(m, w, s)
    return best


@block(f8(machine_record, workspace_record, motion_record, i8))
def best_exchange(m: Machine, w: Workspace, s: Motion, tried_count: Integer) -> Real:
    """The best mode found but the first ``tried_count`` tried ones, to s.choice.chosen; its cost is returned."""
    best, s.choice.least, s.choice.open_sets = NO_COST, NO_COST, 1
    for beginning in range(BEGINNINGS):
        if best >= SURE_COST and begin(m, w, s, beginning):
            best = search(m, w, s, tried_count, best)
    return best
