"""What counts as rest at an instant: rebounds too low to be seen, and slips that take no more energy than these.

A rebound at a velocity v that is brought back with an acceleration a rises by v^2/(2a). One that stays within what
counts as touching has not been one: its contact is closed. Who brings it back may be the free motion (a ball on a
floor), or the other contacts: a disc that is pressed against a wall by the discs that lie on it has no free
acceleration towards the wall at all, and impacts of its neighbours throw it off by some 1e-8 of the speeds, again and
again. What the others do is known once a mode has been found in which it is open; so the mode is asked again with
those closed that return so soon in it.
"""

from jounce.kernels.chatter.frozen import energy_of
from jounce.kernels.contact.forces import evaluate_model, solve_mode
from jounce.kernels.contact.loads import always_closed
from jounce.kernels.contact.orders import begin_gap
from jounce.kernels.contact.projection import energy_across, project
from jounce.kernels.engine.choice import CHOSEN, NO_MODE, choose_mode
from jounce.kernels.impact.resolve import SURFACE_WORK, prepare_impacts
from jounce.kernels.records.codes import OPEN, SLIP_POSITIVE, STICK
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.rows import along, contact_place, normal_place
from jounce.kernels.records.scales import rising_speed
from jounce.kernels.records.tolerances import SAME_VELOCITY, TOUCH_TOLERANCE
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

ACCUMULATED = 2  # in choice.struck: the impact was the last of an accumulation, whose rebound is not seen


@kernel
def lowest_rebound(m: Machine, w: Workspace, i: Integer) -> Real:
    """The normal velocity of contact i below which a rebound stays within what counts as touching.

    w.free has the accelerations that bring it back. Nested accumulations end here.
    """
    acceleration = along(m, w.contact, i, normal_place(m, i), w.free, w.contact[contact_place(m, i) + 3])
    return rising_speed(-acceleration, TOUCH_TOLERANCE * w.size[i]) if acceleration < 0.0 else 0.0


@kernel
def slip_is_zero(w: Workspace, s: Motion, i: Integer) -> Truth:
    """Whether contact i has no slip velocity, up to rounding."""
    return abs(w.velocity[2 * i + 1]) <= SAME_VELOCITY * s.memory.speed[2 * i + 1]


@kernel
def load_candidates(m: Machine, s: Motion) -> None:
    """Contacts that others load are candidates where what loads them is: joints always."""
    for i in range(m.nc):
        if m.load[i]:
            s.choice.candidate[i] = 1 if always_closed(m, i) else s.choice.candidate[m.load_of[2 * i]]
            s.choice.touching[i] = s.choice.candidate[i]


@kernel
def rebounds_slowly(w: Workspace, s: Motion, i: Integer) -> Integer:
    """Whether contact i leaves more slowly than a rebound that may belong to an accumulation."""
    return s.choice.touching[i] and not s.choice.candidate[i] and w.velocity[2 * i] <= s.memory.chatter_speed[i]


@kernel
def any_rebounds_slowly(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether there is a contact of which ``add_unseen`` might make a candidate."""
    found: Integer = False
    for i in range(m.nc):
        found = found or rebounds_slowly(w, s, i)
    return found != 0


@kernel
def add_unseen(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Contacts that rebound too little to be seen, with the accelerations in w.free, are candidates; True if any.

    A contact that lies close to another one rises little while the body turns visibly about that one: to stop it with
    the others held takes the turning. So each is one only if that takes no more energy than the highest rebound that
    is not seen has by itself.
    """
    found = False
    for i in range(m.nc):
        s.choice.trial[i] = SLIP_POSITIVE if s.choice.candidate[i] else OPEN
    evaluate_model(m, w, s.t, address(s.q, 0), address(s.u, 0))
    taken = energy_across(m, w, address(s.u, 0), address(s.choice.trial, 0))
    for i in range(m.nc):
        if not rebounds_slowly(w, s, i) or not w.velocity[2 * i] <= lowest_rebound(m, w, i):
            continue
        s.choice.trial[i] = SLIP_POSITIVE
        energy = energy_across(m, w, address(s.u, 0), address(s.choice.trial, 0))
        if energy - taken <= energy_of(w, 2 * i, lowest_rebound(m, w, i)):
            taken = energy
            s.choice.candidate[i] = 1
            if s.choice.struck[i]:
                s.choice.struck[i] = ACCUMULATED
            begin_gap(s, i, 0)
            found = True
        else:
            s.choice.trial[i] = OPEN
    if found:
        load_candidates(m, s)
    return found


@kernel
def move_freely(m: Machine, w: Workspace, s: Motion) -> None:
    """w.free: the accelerations of the motion without contacts."""
    call_state(m.free_acceleration, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.free, 0))


@kernel
def add_hidden_rebounds(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Add the contacts that the free motion brings back unseen; True if there are any.

    They are those of accumulations that no extrapolation could end. At an instant without impulses nothing rebounds:
    a contact that leaves slowly has begun to do so before.
    """
    if not any_rebounds_slowly(m, w, s):
        return False
    move_freely(m, w, s)
    return add_unseen(m, w, s)


@kernel
def is_only_near(m: Machine, w: Workspace, s: Motion, hit: Integer, i: Integer) -> Truth:
    """Whether contact i takes part in a joint impact although it does not touch, by joint_gap alone."""
    if hit < 0 or i == hit or s.modes[i] != OPEN:
        return False
    return w.contact[contact_place(m, i)] > TOUCH_TOLERANCE * w.size[i]


@kernel
def mark_candidates(m: Machine, w: Workspace, s: Motion, hit: Integer) -> None:
    """Candidates for lasting contact touch and have no normal velocity left; the others leave.

    One that is only near has had its part in the impact: it stays open, whatever velocity is left to it, and meets its
    partner when it does. Closed, it would be moved over its gap without time passing, or not, by the sign of a velocity
    that is rounding.
    """
    for i in range(m.nc):
        s.choice.touching[i] = s.choice.touching[i] and not is_only_near(m, w, s, hit, i)
        s.choice.candidate[i] = s.choice.touching[i] and w.velocity[2 * i] <= SAME_VELOCITY * s.memory.speed[2 * i]
    load_candidates(m, s)
    for i in range(m.nc):
        s.choice.resting[i] = s.choice.candidate[i] and slip_is_zero(w, s, i)
        if not m.compliant[i]:
            begin_gap(s, i, 1 if s.choice.touching[i] and not s.choice.candidate[i] else 0)


@kernel
def show_rebounds(m: Machine, w: Workspace, s: Motion, hit: Integer) -> None:
    """Let contacts leave that rebound too little to be seen."""
    for i in range(m.nc):
        if s.choice.struck[i] == ACCUMULATED:
            s.choice.struck[i] = 1
    mark_candidates(m, w, s, hit)


@kernel
def hold_slip(m: Machine, w: Workspace, s: Motion, i: Integer, taken: Real, unseen: Real) -> Real:
    """Let contact i stick in s.choice.trial if that takes little more than the energy ``taken``; what is taken then."""
    s.choice.trial[i] = STICK
    energy = energy_across(m, w, address(s.u, 0), address(s.choice.trial, 0))
    if energy - taken <= unseen:
        return energy
    s.choice.trial[i] = SLIP_POSITIVE
    return taken


@kernel
def stop_candidates(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Take from the candidates the normal velocities that count as none, before their slips are looked at.

    They are as large as these slips: a disc in a corner that seems to slip one way on one side and the other way on
    the other finds no mode. A slip counts as rest if to stop it too, with all candidates and those at rest held, takes
    no more energy than a rebound that is not seen. Its own velocity does not tell: the end of a rod that lies nearly
    along its slip moves slowly while the rod turns fast. One that is zero to rounding is stopped with the normal
    velocities, so that these do not change it, by the same rule: next to a dead centre a corner is at rest for an
    instant, and to hold it takes all of the motion. Those that rest are stopped before a mode is asked for: stopped
    with the mode they would turn slips of others behind its back.

    Where a touching contact would close then nothing is stopped, and the answer is False: one that leaves is driven
    back, or candidates depend on one another so closely, there too, that not all of them can be stopped.
    """
    u, trial = address(s.u, 0), address(s.choice.trial, 0)
    unseen, work = 0.0, s.ledger[SURFACE_WORK]
    for j in range(m.n):
        w.new_q[j], w.new_u[j] = s.q[j], s.u[j]
    for i in range(m.nc):
        s.choice.trial[i] = SLIP_POSITIVE if s.choice.candidate[i] else OPEN
        if s.choice.candidate[i]:
            unseen = max(unseen, energy_of(w, 2 * i, lowest_rebound(m, w, i)))
    evaluate_model(m, w, s.t, address(s.q, 0), u)  # with the velocities behind the impulses
    taken = energy_across(m, w, u, trial)
    for i in range(m.nc):
        if s.choice.candidate[i] and m.has_slip[i] and slip_is_zero(w, s, i):
            taken = hold_slip(m, w, s, i, taken, unseen)
    project(m, w, s.t, address(s.q, 0), u, trial)
    s.ledger[SURFACE_WORK] += w.projection_work
    prepare_impacts(m, w, s.t, address(s.q, 0), u)
    taken = 0.0
    for i in range(m.nc):
        if not s.choice.candidate[i] or not m.has_slip[i]:
            s.choice.resting[i] = s.choice.candidate[i]
            continue
        if s.choice.trial[i] != STICK:
            taken = hold_slip(m, w, s, i, taken, unseen)
        s.choice.resting[i] = s.choice.trial[i] == STICK
    if project(m, w, s.t, address(s.q, 0), u, trial):
        s.ledger[SURFACE_WORK] += w.projection_work
        prepare_impacts(m, w, s.t, address(s.q, 0), u)
    for i in range(m.nc):
        if s.choice.touching[i] and w.velocity[2 * i] < -SAME_VELOCITY * s.memory.speed[2 * i]:
            s.ledger[SURFACE_WORK] = work
            for j in range(m.n):
                s.q[j], s.u[j] = w.new_q[j], w.new_u[j]
            prepare_impacts(m, w, s.t, address(s.q, 0), u)
            return False
    return True


@kernel
def add_returning(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Add the contacts that come back unseen in the mode just chosen; True if there are any."""
    if not any_rebounds_slowly(m, w, s):
        return False
    solve_mode(m, w, address(s.choice.chosen, 0))
    for j in range(m.n):
        w.free[j] = w.acceleration[j]
    return add_unseen(m, w, s)


@kernel
def count_resting(m: Machine, s: Motion) -> Integer:
    """The number of contacts without slip."""
    count = 0
    for i in range(m.nc):
        count += 1 if s.choice.resting[i] else 0
    return count


@kernel
def add_resting(m: Machine, w: Workspace, s: Motion, hit: Integer) -> Truth:
    """Stop the slips that count as none where no mode is consistent; True if there are any.

    A slip that other constraints leave next to no freedom is known to the rounding of velocities over the smallest
    part that they leave of it: of a disc between a wall and a disc beside it that is higher by 1e-6 it is 1e-12 of the
    speeds. As a slide it has a direction which its neighbours, at rest, contradict.
    """
    before = count_resting(m, s)
    move_freely(m, w, s)
    if not stop_candidates(m, w, s):
        mark_candidates(m, w, s, hit)
        return False
    return count_resting(m, s) > before


@kernel
def next_mode(m: Machine, w: Workspace, s: Motion, hit: Integer, struck: Truth, anew: Truth, record: Record) -> Integer:
    """``choose_mode``, asked again where contacts that are not seen to part or to slide turn out to have a say.

    Only where an impulse was given does anything rebound. Elsewhere a contact that leaves slowly has begun to do so
    before: stopped where another one begins to stick, and left open where that one slides on therefore, it would be
    stopped again and again.
    """
    outcome = choose_mode(m, w, s, anew, record)
    for _ in range(m.nc):
        stopped: Truth = True
        if outcome == CHOSEN:
            if not struck or not add_returning(m, w, s):
                break
            stopped = stop_candidates(m, w, s)
            if not stopped:
                show_rebounds(m, w, s, hit)
        elif outcome != NO_MODE or not add_resting(m, w, s, hit):
            break
        outcome = choose_mode(m, w, s, anew, record)
        if not stopped:
            break
    return outcome
