"""One mode on trial: whether it is consistent at this instant and on the motion that follows, and what it costs.

At most events a condition of the mode sought holds only as an equality: a force has vanished and the gap starts to open
without acceleration, friction has reached its limit and the slip starts without any. A mode lasts if there is a moment
behind the instant in which its conditions hold, so what decides is their first derivative that is not zero. It is found
on the motion itself: one step is taken in the mode in question, and its conditions are looked at on it from the very
first part on, until each has become clearly positive or clearly negative. One that never does, as that of two bodies
which move side by side without a force, is kept as it is.
"""

from jounce.kernels.contact.forces import derivative, evaluate_model, solve_mode
from jounce.kernels.contact.loads import always_closed
from jounce.kernels.contact.modes import NORMAL, TANGENTIAL, all_stick, count_closed, follows_from, is_elsewhere, judge
from jounce.kernels.contact.terms import contact_acceleration, measure_terms
from jounce.kernels.flow.runge_kutta import interpolate, make_interpolant, take_step
from jounce.kernels.flow.step_length import first_step_size
from jounce.kernels.records.codes import GUARD_FREE, KEEP_CONTACT, OPEN, SLIP_NEGATIVE, SLIP_POSITIVE, STICK, WORD
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.tolerances import EQUALITY, INDEFINITE_FORCES, LARGEST, NEAREST_LOOK, SHORTENINGS, SHORTER
from jounce.kernels.records.words import digit_of
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Truth

SURE_COST = 500.0  # below: no condition is an equality
NO_COST = LARGEST  # of a mode that is not consistent
PROPOSED = 2  # how to look: ahead, at a mode that is not compared with all others


@kernel
def next_option(m: Machine, w: Workspace, s: Motion, i: Integer, mode: Integer) -> Integer:
    """The option of contact i after ``mode`` (-1: before the first); -2 when there is none left."""
    candidate, resting = s.choice.candidate, s.choice.resting
    if not candidate[i]:
        if mode != -1:
            return -2
        return s.modes[i] if m.compliant[i] else OPEN
    if mode == -1:
        if not always_closed(m, i):
            return OPEN
        mode = OPEN
    if not m.has_slip[i]:
        return SLIP_POSITIVE if mode == OPEN else -2
    if resting[i]:
        # stick before slip: it wins among equals
        if mode == OPEN:
            return STICK
        if mode == STICK:
            return SLIP_POSITIVE
        return SLIP_NEGATIVE if mode == SLIP_POSITIVE else -2
    slip = w.contact[contact_place(m, i) + 2]
    return (SLIP_POSITIVE if slip > 0.0 else SLIP_NEGATIVE) if mode == OPEN else -2


@kernel
def compare(
    candidate: Integers, previous: Integers, trial: Integers, load: Integers, nc: Integer
) -> tuple[Integer, Real, Integer]:
    """(open candidates, a measure of change against ``previous`` and towards slip, bit set of open candidates)."""
    open_count = 0
    open_set = 0
    changes = 0.0
    bit = 1
    for i in range(nc):
        if not candidate[i]:
            continue
        if trial[i] == OPEN and load[i]:
            continue  # it opens with what loads it, which is counted
        if trial[i] == OPEN:
            open_count += 1
            open_set += bit
        elif trial[i] != STICK:
            changes += 0.1
        bit *= 2
        if trial[i] != previous[i]:
            changes += 0.01
    return open_count, changes, open_set


@kernel
def exchange_modes(m: Machine, s: Motion) -> None:
    """Make the mode s.choice.trial the present one, or undo that."""
    for i in range(m.nc):
        s.modes[i], s.choice.trial[i] = s.choice.trial[i], s.modes[i]


@kernel
def step_ahead(m: Machine, w: Workspace, s: Motion) -> Real:
    """Take a step from the state in q and u in the present mode, as long as it is accurate; returns its length."""
    for j in range(m.n):
        s.z[j], s.z[m.n + j] = s.q[j], s.u[j]
    closed = count_closed(s.modes, m.nc)
    derivative(m, w, s.t, s.z, s.modes, closed, 0)
    length = (
        s.pace.step_size if s.pace.step_size > 0.0 else first_step_size(m, w, s, 0, s.settings.t_end - s.epoch - s.t)
    )
    if s.pace.reach > 0.0:
        length = min(length, s.pace.reach)
    for _ in range(SHORTENINGS):
        if take_step(m, w, s, length, closed) <= 1.0:
            break
        length *= SHORTER
    make_interpolant(m, w, s, length, closed)
    return length


@kernel
def step_in_trial(m: Machine, w: Workspace, s: Motion) -> Real:
    """``step_ahead`` in the mode s.choice.trial; other clusters move in their own modes meanwhile."""
    for i in range(m.nc):
        if is_elsewhere(s, i):
            s.choice.trial[i] = s.choice.settled[i]
    exchange_modes(m, s)
    length = step_ahead(m, w, s)
    exchange_modes(m, s)
    for i in range(m.nc):
        if is_elsewhere(s, i):
            s.choice.trial[i] = OPEN
    return length


@kernel
def state_ahead(m: Machine, w: Workspace, s: Motion, x: Real, length: Real) -> Integer:
    """Model data at a part x of the step just taken; False if they are not finite."""
    interpolate(s.z, w.interpolant, s.settings.rows, x, 2 * m.n, w.point)
    return evaluate_model(m, w, s.t + x * length, address(w.point, 0), address(w.point, m.n))


@block(f8(machine_record, workspace_record, motion_record, i8))
def bend_ahead(m: Machine, w: Workspace, s: Motion, i: Integer) -> Real:
    """g'' of contact i, which has neither gap nor rate, as soon as it is clear on the motion in the present mode.

    Zero if it never is. Needs ``evaluate_model``.
    """
    solve_mode(m, w, address(s.modes, 0))
    measure_terms(m, w, address(s.modes, 0))
    value, size = contact_acceleration(m, w, i, False)
    if abs(value) > EQUALITY * size:
        return value
    length = step_ahead(m, w, s)
    bend, x = 0.0, NEAREST_LOOK
    while bend == 0.0 and x <= 1.0 and state_ahead(m, w, s, x, length):
        solve_mode(m, w, address(s.modes, 0))
        measure_terms(m, w, address(s.modes, 0))
        value, size = contact_acceleration(m, w, i, False)
        if abs(value) > EQUALITY * size:
            bend = value
        x *= 4.0
    evaluate_model(m, w, s.t, address(s.q, 0), address(s.u, 0))
    return bend


@block(i8(machine_record, workspace_record, motion_record, i8))
def look_ahead(m: Machine, w: Workspace, s: Motion, weak: Integer) -> Integer:
    """How many of the ``weak`` conditions never become clear on the motion in s.choice.trial; -1 if one is broken.

    s.choice.weak says which these are, before and after. A contact that is to slide and never does has the wrong mode:
    it sticks.
    """
    length = step_in_trial(m, w, s)
    x = NEAREST_LOOK
    while weak > 0 and x <= 1.0 and state_ahead(m, w, s, x, length):
        weak = judge(m, w, s, s.choice.trial, True)
        x *= 4.0
    evaluate_model(m, w, s.t, address(s.q, 0), address(s.u, 0))
    for i in range(m.nc):
        if s.choice.candidate[i] and weak > 0 and s.choice.weak[i] & TANGENTIAL and slides(s.choice.trial[i]):
            weak = -1
    return weak


@kernel
def slides(mode: Integer) -> Truth:
    """Whether a contact in this mode slides."""
    return mode == SLIP_POSITIVE or mode == SLIP_NEGATIVE


@kernel
def was_tried(s: Motion, nc: Integer, count: Integer) -> Truth:
    """Whether the mode s.choice.trial is among the first ``count`` of those tried at this instant."""
    for k in range(count):
        same = True
        for i in range(nc):
            if not is_elsewhere(s, i) and digit_of(s.choice.tried[k, i // WORD], i) != s.choice.trial[i]:
                same = False
        if same:
            return True
    return False


@kernel
def keep_trial(s: Motion, to: Integers, nc: Integer) -> None:
    """Copy the mode s.choice.trial."""
    for i in range(nc):
        to[i] = s.choice.trial[i]


@block(f8(machine_record, workspace_record, motion_record, i8))
def weigh(m: Machine, w: Workspace, s: Motion, look: Integer) -> Real:
    """The cost of the mode s.choice.trial, NO_COST if it is not consistent.

    It is 1000 for each condition that is only an equality, then the policy, then changes. ``look``: look ahead where
    there are equalities (PROPOSED: and do not ask whether the forces of another mode are unique).
    In s.choice: ``strict`` receives 1 where all conditions hold clearly at the instant, ``open_set`` which candidates
    are open; ``nearest`` the mode that breaks its conditions least so far, ``least`` by how much.
    """
    nc, guarded = m.nc, s.event.guard_contact
    weak = judge(m, w, s, s.choice.trial, False)
    if (
        weak > 0
        and (s.event.guard_kind == GUARD_FREE or s.event.opens)
        and follows_from(s, guarded, s.choice.trial, nc)
        and s.choice.candidate[guarded]
        and s.choice.weak[guarded] & NORMAL
    ):
        # stick is given up because the gap would open, or a force has gone through zero: it opens without a test
        s.choice.weak[guarded] -= NORMAL
        weak -= 1
    if weak < 0 and s.choice.broken < s.choice.least:
        s.choice.least = s.choice.broken
        keep_trial(s, s.choice.nearest, nc)
    open_count, changes, s.choice.open_set = compare(s.choice.candidate, s.modes, s.choice.trial, m.load, nc)
    s.choice.strict = 1 if weak == 0 else 0
    indefinite = look != PROPOSED and not s.choice.determinate and not all_stick(m, s.choice.trial)
    if weak > 0 and look:
        weak = look_ahead(m, w, s, weak)
    if weak < 0:
        return NO_COST
    equalities = weak + (INDEFINITE_FORCES if indefinite else 0)
    preference = open_count if s.settings.indeterminate == KEEP_CONTACT else -open_count
    return 1000.0 * equalities + 10.0 * preference + changes


@kernel
def is_sure(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether the mode s.choice.trial holds clearly at the instant; then it is chosen, the only one.

    w.mode_known says that it is also the one that was solved last.
    """
    if weigh(m, w, s, 0) >= SURE_COST:
        return False
    keep_trial(s, s.choice.chosen, m.nc)
    s.choice.open_sets, w.mode_known = 1, 1
    return True
