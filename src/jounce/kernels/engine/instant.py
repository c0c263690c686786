"""One instant: impulses, the end of a chatter, the next mode.

Whatever ends a smooth phase comes here with the state at that time; what leaves is a mode that is consistent, a state
on its constraints, and guards that know at which root they start.
"""

from jounce.kernels.chatter.event import small_rebound, try_chatter
from jounce.kernels.chatter.frozen import MEMBER, energy_of
from jounce.kernels.contact.faces import (
    CEASES,
    begin_faces,
    enters_outline,
    is_on_other_face,
    judge_faces,
    write_face,
)
from jounce.kernels.contact.forces import evaluate_model
from jounce.kernels.contact.modes import count_closed, note_forces
from jounce.kernels.contact.orders import begin_gap
from jounce.kernels.contact.projection import energy_across, project
from jounce.kernels.contact.unknowns import constrains, slides, sliding_friction
from jounce.kernels.engine.choice import CHOSEN, NO_MODE, REFUSED
from jounce.kernels.engine.clusters import first_candidate
from jounce.kernels.engine.jams import stop_together
from jounce.kernels.engine.rebounds import (
    add_hidden_rebounds,
    is_only_near,
    load_candidates,
    mark_candidates,
    next_mode,
    show_rebounds,
    slip_is_zero,
    stop_candidates,
)
from jounce.kernels.impact.resolve import (
    SURFACE_WORK,
    hardest,
    prepare_impacts,
    prepare_landed,
    resolve_impacts,
    stop_jammed_joint,
)
from jounce.kernels.impact.touching import count_touching, mark_touching
from jounce.kernels.records.codes import (
    CHATTER,
    GAP_HOVERING,
    GAP_UNGUARDED,
    GAP_WATCHED,
    GRAZING,
    GUARD_CONE_LOWER,
    GUARD_CONE_UPPER,
    GUARD_END,
    GUARD_FORCE,
    GUARD_SLIP,
    IMPACT_IF_INCONSISTENT,
    INCONSISTENT,
    LIFT_OFF,
    NOT_FINITE,
    OPEN,
    PARADOX,
    PARADOX_STOP,
    PRESSED,
    REFUSED_BY_LAW,
    REFUSED_INCONSISTENT,
    REFUSED_INDETERMINATE,
    REFUSED_JAM,
    REFUSED_PLASTIC_RELEASE,
    REFUSED_TOGETHER,
    REVERSAL,
    SEQUENTIAL,
    SINGULAR_POINT,
    SLIP_BEGINS,
    SLIP_POSITIVE,
    STICK,
    STICK_BEGINS,
    STOP_AFTER_PLASTIC,
    TOO_MANY_CLOSED,
    TOUCH,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import TRIED_LIMIT, motion_record
from jounce.kernels.records.recording import (
    CONTACT,
    EVENTS_STORED,
    IMPACTS_TOTAL,
    KIND,
    MODE_AFTER,
    REGION,
    add_event,
    buffer_record,
    set_velocities,
)
from jounce.kernels.records.roster import named
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.scales import note_slips, note_speeds
from jounce.kernels.records.tolerances import (
    GRAZING_RISE,
    GRAZING_SPEED,
    PARADOX_LIMIT,
    SAME_VELOCITY,
    STUCK,
)
from jounce.kernels.records.words import encode_word, word_count
from jounce.kernels.records.workspace import MAX_CLOSED, machine_record, workspace_record
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

MODE_CHANGE, JUMP, RESET, START = 0, 1, 2, 3  # what may happen at an instant: see ``instant``


@kernel
def has_stopped(m: Machine, w: Workspace, s: Motion, i: Integer) -> Truth:
    """Whether the slip of contact i has just been stopped; one that other constraints hold goes on as it is."""
    if s.event.guard_kind != GUARD_SLIP or s.event.guard_contact != i:
        return False
    size = max(s.memory.speed[2 * i + 1], w.size[m.nc + m.nj + m.ng + i])
    return abs(w.velocity[2 * i + 1]) <= SAME_VELOCITY * size


@kernel
def keep_constraints(m: Machine, w: Workspace, s: Motion) -> None:
    """Velocities that a constraint holds at zero are zero, whatever rounding says."""
    for i in range(m.nc):
        if s.modes[i] != OPEN and s.modes[i] != PRESSED:
            w.velocity[2 * i] = 0.0
        if s.modes[i] == STICK or has_stopped(m, w, s, i):
            w.velocity[2 * i + 1] = 0.0


@kernel
def stops_much(m: Machine, w: Workspace, s: Motion, hit: Integer) -> Truth:
    """Whether to stop a slow contact takes more energy, with the closed ones held, than any that grazes by itself has.

    Next to a dead centre a corner comes near slowly while its body turns fast about another one: that is an impact.
    """
    if count_closed(s.modes, m.nc) == 0 or not w.delassus[2 * hit, 2 * hit] > 0.0:
        return False
    for i in range(m.nc):
        s.choice.trial[i] = s.modes[i]
    s.choice.trial[hit] = SLIP_POSITIVE
    energy = energy_across(m, w, address(s.u, 0), address(s.choice.trial, 0))
    return energy > energy_of(w, 2 * hit, GRAZING_SPEED * s.memory.speed[2 * hit])


@kernel
def stop_approach(m: Machine, w: Workspace, s: Motion, hit: Integer) -> None:
    """A contact that only grazes has no normal velocity: make it exactly zero, so that what follows starts there."""
    for i in range(m.nc):
        s.choice.trial[i] = s.modes[i]
    s.choice.trial[hit] = SLIP_POSITIVE
    project(m, w, s.t, address(s.q, 0), address(s.u, 0), address(s.choice.trial, 0))
    s.ledger[SURFACE_WORK] += w.projection_work
    prepare_impacts(m, w, s.t, address(s.q, 0), address(s.u, 0))
    keep_constraints(m, w, s)
    w.velocity[2 * hit] = 0.0


@kernel
def sliding_load(m: Machine, s: Motion) -> Integer:
    """A candidate that others load and that slides; -1 if there is none."""
    for i in range(m.nc):
        if m.load[i] and s.choice.candidate[i] and not s.choice.resting[i]:
            return i
    return -1


@kernel
def jammed_contact(m: Machine, w: Workspace, s: Motion) -> Integer:
    """The sliding candidate that drives itself into its surface, C - s mu B < 0; -1 if there is none."""
    worst, found = 0.0, -1
    for i in range(m.nc):
        if s.choice.candidate[i] and m.has_slip[i] and not s.choice.resting[i]:
            sign = 1.0 if w.velocity[2 * i + 1] > 0.0 else -1.0
            mu = sliding_friction(w.surface, i, sign)
            value = w.delassus[2 * i, 2 * i] - sign * mu * w.delassus[2 * i, 2 * i + 1]
            if value < worst:
                worst, found = value, i
    return found


@kernel
def leads_into_jam(m: Machine, w: Workspace, s: Motion) -> Integer:
    """Whether a slide has just run into its singular point: no mode goes on there, an impact without collision follows.

    Beyond the point the slide is unstable, at a rate without bound, and without a force the contact would close again.
    Where the force has grown beyond all bounds nothing but this impact can follow; where it has a limit, compliance
    may also let the contact open for a moment first (Nordmark, Várkonyi & Champneys 2018).
    """
    return s.event.singular and (jammed_contact(m, w, s) >= 0 or joint_jams(m, s))


@kernel
def joint_jams(m: Machine, s: Motion) -> Truth:
    """Whether only contacts that others load slide where a determinant vanishes: their balance has no way on."""
    found = False
    for i in range(m.nc):
        if slides(m, s.modes, i):
            if not m.load[i]:
                return False
            found = True
    return found


@kernel
def change_kind(before: Integer, after: Integer) -> Integer:
    """The kind of an event by which a contact changes its mode without an impact."""
    if after == OPEN:
        return LIFT_OFF
    if before == OPEN:
        return TOUCH
    if after == STICK:
        return STICK_BEGINS
    return SLIP_BEGINS if before == STICK else REVERSAL


@kernel
def own_row(record: Record, t: Real, contact: Integer, first_row: Integer) -> Integer:
    """The last impact, chatter or grazing row of a contact at this instant; -1 if it has none."""
    if record.keep_events:
        contact = named(record.roster, contact)
        for row in range(record.counter[EVENTS_STORED] - 1, first_row - 1, -1):
            kind = record.event_integer[row, KIND]
            if record.event_integer[row, CONTACT] == contact and (kind <= CHATTER or kind == GRAZING):
                return row
    return -1


@kernel
def lies_on_chosen(m: Machine, w: Workspace, s: Motion, jump: Integer) -> Truth:
    """Whether the state is on the constraints of the chosen mode already: nothing has moved it, nothing is held anew.

    The step that led here has ended on those of the mode before, in s.z, and a slip that has vanished has been stopped.
    """
    if jump != MODE_CHANGE or m.nr > 0 or m.faces != 0:
        return False
    kind = s.event.guard_kind
    if kind != GUARD_SLIP and kind != GUARD_FORCE and kind != GUARD_CONE_UPPER and kind != GUARD_CONE_LOWER:
        return False
    for j in range(m.n):
        if s.q[j] != s.z[j] or s.u[j] != s.z[m.n + j]:
            return False
    for i in range(m.nc):
        before, after = s.modes[i], s.choice.chosen[i]
        stopped = before == STICK or (kind == GUARD_SLIP and s.event.guard_contact == i)
        if constrains(after) and not (constrains(before) and (after != STICK or stopped)):
            return False
    return True


@kernel
def enter_mode(m: Machine, w: Workspace, s: Motion, first_row: Integer, jump: Integer, record: Record) -> None:
    """Make the chosen mode the mode: write its changes, set how its guards start, project the state."""
    t, starting, held = s.t, jump == START, lies_on_chosen(m, w, s, jump)
    for i in range(m.nc):
        if m.compliant[i]:
            continue
        before, after = w.mode_before[i] if m.faces != 0 else s.modes[i], s.choice.chosen[i]
        s.slip_fresh[i] = 0
        s.released[i] = after == OPEN and s.choice.candidate[i]
        if after == OPEN and s.choice.candidate[i]:
            s.gap_fresh[i] = 2
            s.gap_watch[i] = GAP_WATCHED if s.memory.repeats < STUCK else GAP_UNGUARDED
        elif after != OPEN and after != STICK and s.choice.resting[i]:
            s.slip_fresh[i] = 1
        if m.faces != 0 and after == OPEN and s.choice.fate[i] == CEASES:
            s.gap_watch[i] = GAP_HOVERING
        s.modes[i] = after
        row = own_row(record, t, i, first_row)
        if row >= 0:
            record.event_integer[row, MODE_AFTER] = after
        elif before != after and not starting and not record.jumped[i]:
            row = add_event(record, t, change_kind(before, after), i, before, after)
            set_velocities(record, row, w.velocity[2 * i], w.velocity[2 * i + 1])
            write_face(m, w, i, row, record)
        if after != OPEN and is_on_other_face(m, w, i, starting):
            row = add_event(record, t, TOUCH, i, after, after)
            set_velocities(record, row, w.velocity[2 * i], w.velocity[2 * i + 1])
            write_face(m, w, i, row, record)
    # rounding ends this mode again and again: it goes on for a moment all the same
    s.unguarded = 1 if s.memory.repeats >= STUCK else 0
    # where nothing is left to do what was measured of this mode to choose it is what its first step asks for
    w.terms_known = 1 if held and w.mode_known and m.loaded == 0 else 0
    if not held and (count_closed(s.modes, m.nc) > 0 or m.nj > 0):
        project(m, w, t, address(s.q, 0), address(s.u, 0), address(s.modes, 0))
        if not starting:
            s.ledger[SURFACE_WORK] += w.projection_work


@kernel
def settle_members(m: Machine, w: Workspace, s: Motion) -> None:
    """Candidates after a chatter: its members, resting or not.

    One whose slip the others have stopped rests with them: both ends of a rod that lies flat.
    """
    for i in range(m.nc):
        member = w.chatter[MEMBER, i]
        if not m.compliant[i]:
            begin_gap(s, i, 0)
        s.choice.candidate[i] = member > 0.0
        s.choice.touching[i] = member > 0.0
    load_candidates(m, s)
    for i in range(m.nc):
        s.choice.resting[i] = s.choice.candidate[i] and (s.choice.trial[i] == STICK or slip_is_zero(w, s, i))


@kernel
def stops_nothing(m: Machine, w: Workspace, s: Motion, hit: Integer) -> Truth:
    """Whether contact ``hit`` has closed at a corner, is held on no face there, and no other one closes.

    Where the other outline's corner has a contact too, the two have been judged together, and nothing is left open.
    """
    alone = m.faces != 0 and hit >= 0 and s.choice.fate[hit] == CEASES and w.partner[hit] < 0
    return alone and hardest(m, w, s) < 0


@kernel
def prepare_arrival(m: Machine, w: Workspace, s: Motion) -> Integer:
    """``prepare_impacts`` at the state with which an instant begins."""
    landed, w.landed = w.landed, 0
    if landed:
        return prepare_landed(m, w, s.t, address(s.q, 0), address(s.u, 0))
    return prepare_impacts(m, w, s.t, address(s.q, 0), address(s.u, 0))


@kernel
def arrive(m: Machine, w: Workspace, s: Motion, hit: Integer, jump: Integer) -> Integer:
    """What touches, how fast, and which mode is not to be entered again; returns 0 or the status of the run's end."""
    if m.faces != 0:
        begin_faces(m, w, s, jump == START)
        ended = s.event.guard_contact if s.event.guard_kind == GUARD_END else -1
        judge_faces(m, w, s, hit, ended, jump == START)
    if not prepare_arrival(m, w, s):
        return NOT_FINITE
    note_speeds(m, w, s)
    mark_touching(m, w, s, hit, jump == START)
    if stops_nothing(m, w, s, hit) and enters_outline(m, w, s, hit):
        if not prepare_impacts(m, w, s.t, address(s.q, 0), address(s.u, 0)):
            return NOT_FINITE
        mark_touching(m, w, s, hit, jump == START)
    if count_touching(m, s) > MAX_CLOSED:
        return TOO_MANY_CLOSED
    for i in range(m.nc):
        s.choice.struck[i] = 0
    if jump < RESET:
        keep_constraints(m, w, s)
    if jump:
        s.choice.tried_count = 0
    elif s.choice.tried_count < TRIED_LIMIT:
        for k in range(word_count(m.nc)):
            s.choice.tried[s.choice.tried_count, k] = encode_word(s.modes, m.nc, k)
        s.choice.tried_count += 1
    return 0


@kernel
def grazes(m: Machine, w: Workspace, s: Motion, hit: Integer, record: Record) -> Truth:
    """Whether the gap that has just closed did so without velocity; then it is stopped, and has a row of its own."""
    if hit < 0 or not w.velocity[2 * hit] >= -GRAZING_SPEED * s.memory.speed[2 * hit]:
        return False
    if m.faces != 0 and s.choice.fate[hit] == CEASES:
        return False  # it is not what touches
    if w.velocity[2 * hit] <= GRAZING_SPEED * s.memory.speed[2 * hit] and stops_much(m, w, s, hit):
        return False
    cornered = m.faces != 0 and w.second_face[hit] > 0  # what it does there is another thing than grazing
    if s.memory.repeats == 0 and not cornered and not w.velocity[2 * hit] > GRAZING_RISE * s.memory.speed[2 * hit]:
        # without progress in time it is the rounding of a start at the root, not a touch
        row = add_event(record, s.t, GRAZING, hit, OPEN, OPEN)
        set_velocities(record, row, w.velocity[2 * hit], w.velocity[2 * hit + 1])
    if w.velocity[2 * hit] <= GRAZING_SPEED * s.memory.speed[2 * hit]:
        stop_approach(m, w, s, hit)
    return True


@kernel
def settle(m: Machine, w: Workspace, s: Motion, hit: Integer, struck: Truth, latest: Real, record: Record) -> Truth:
    """After the impacts: a chatter is finished, contacts that are all but at rest are stopped; False: not finite.

    ``struck``: there were impulses. Where there were none the model is still that of this state.
    """
    if struck and m.loaded > 0:
        note_slips(m, w, s)
    mark_candidates(m, w, s, hit)
    if try_chatter(m, w, s, latest, record):
        if not prepare_impacts(m, w, s.t, address(s.q, 0), address(s.u, 0)):
            return False
        settle_members(m, w, s)
        for i in range(m.nc):
            s.choice.struck[i] = 1  # the motion has been moved on: nothing is as it was
    elif struck and add_hidden_rebounds(m, w, s):
        if not stop_candidates(m, w, s):
            show_rebounds(m, w, s, hit)
    elif struck and first_candidate(m, s) >= 0:
        # the velocities have jumped: forces and slip signs are those after the impulses
        return evaluate_model(m, w, s.t, address(s.q, 0), address(s.u, 0)) != 0
    return True


@kernel
def all_leave(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether the impacts leave nothing to ask: no contact was closed, and each that touches leaves it so fast that it
    neither lasts nor rebounds unseen nor accumulates.
    """
    if m.faces != 0 or m.loaded > 0 or m.nj > 0 or m.compliant_contacts > 0 or s.event.singular:
        return False
    for i in range(m.nc):
        slowest = max(SAME_VELOCITY * s.memory.speed[2 * i], s.memory.chatter_speed[i])
        drift = abs(w.contact[contact_place(m, i) + 3])  # a surface that accelerates may bring back what no force does
        if drift > 0.0:
            slowest = max(slowest, small_rebound(w, s, i, drift))
        if s.modes[i] != OPEN or (s.choice.touching[i] and not w.velocity[2 * i] > slowest):
            return False
    return True


@kernel
def leave(m: Machine, w: Workspace, s: Motion, hit: Integer) -> None:
    """What ``settle``, ``next_mode`` and ``enter_mode`` come to where all contacts leave: their mode is open flight."""
    for i in range(m.nc):
        s.choice.candidate[i] = s.choice.resting[i] = s.slip_fresh[i] = s.released[i] = 0
        s.choice.touching[i] = s.choice.touching[i] and not is_only_near(m, w, s, hit, i)
        s.choice.chosen[i] = OPEN
        begin_gap(s, i, 1 if s.choice.touching[i] else 0)
    s.shared, w.mode_known, w.terms_known = 0, 0, 0
    s.unguarded = 1 if s.memory.repeats >= STUCK else 0
    w.leaves = 1 if m.nr == 0 and not s.settings.variation else 0
    s.memory.last_instant = s.t


@kernel
def give_way(m: Machine, w: Workspace, s: Motion, record: Record) -> Integer:
    """No mode is consistent: the contact that is to have an impact without collision, -1 if there is none."""
    jammed = jammed_contact(m, w, s)
    if jammed >= 0:
        w.velocity[2 * jammed] = 0.0  # a candidate: what is left is rounding, and must not hide the impact
    named = jammed if jammed >= 0 else sliding_load(m, s)
    row = add_event(record, s.t, PARADOX, named, s.modes[named] if named >= 0 else -1, -1)
    if row >= 0:
        record.event_integer[row, REGION] = SINGULAR_POINT if s.event.singular else INCONSISTENT
    s.event.singular = 0
    if s.settings.inconsistent != IMPACT_IF_INCONSISTENT:
        s.report.refusal = REFUSED_INCONSISTENT
        return -1
    if jammed < 0:
        s.report.refusal = REFUSED_JAM if named >= 0 else REFUSED_TOGETHER
    s.choice.tried_count = 0
    return jammed


@kernel
def friction_stops(m: Machine, w: Workspace, s: Motion, record: Record) -> Truth:
    """Whether an impact without collision of a joint, or of several contacts together, has stopped something."""
    if s.report.refusal == REFUSED_JAM:
        return stop_jammed_joint(m, w, s, record) != 0
    return s.report.refusal == REFUSED_TOGETHER and stop_together(m, w, s, record) != 0


@block(i8(machine_record, workspace_record, motion_record, i8, i8, f8, buffer_record))
def instant(m: Machine, w: Workspace, s: Motion, hit: Integer, jump: Integer, latest: Real, record: Record) -> Integer:
    """Everything that happens at one time; returns 0 or the status with which the run must end.

    ``hit`` is the contact whose gap has just closed, -1 if none. ``jump``: MODE_CHANGE where only the mode changes
    (then the mode just left is not entered again), JUMP at an impact, RESET where parameters have changed, START.
    """
    first_row, w.leaves = record.counter[EVENTS_STORED], 0
    for i in range(m.nc):
        record.jumped[i] = 0
    status = arrive(m, w, s, hit, jump)
    if status != 0:
        return status
    grazing = grazes(m, w, s, hit, record)
    first = -1
    policy, jammed, stopped = s.settings.simultaneous, False, False
    for _ in range(PARADOX_LIMIT):
        impacts = record.counter[IMPACTS_TOTAL]
        status = resolve_impacts(m, w, s, hit, 1 if jump == START else 0, first, policy, record)
        struck = stopped or record.counter[IMPACTS_TOTAL] > impacts
        if struck:
            # a jump, whatever brought us here: the mode just left may be the right one again
            s.choice.tried_count = 0
        if status != 0:
            return status
        if jammed and w.law_out[1] == 0.0:
            s.report.refusal = REFUSED_BY_LAW
            return PARADOX_STOP
        if struck and all_leave(m, w, s):
            leave(m, w, s, hit)
            return 0
        if not settle(m, w, s, hit, struck, latest, record):
            return NOT_FINITE
        outcome = NO_MODE if leads_into_jam(m, w, s) else next_mode(m, w, s, hit, struck, jump >= RESET, record)
        if outcome == CHOSEN and s.settings.plastic_release == STOP_AFTER_PLASTIC and hit >= 0:
            if s.choice.candidate[hit] and s.choice.chosen[hit] == OPEN and not grazing:
                s.report.refusal = REFUSED_PLASTIC_RELEASE
                return PARADOX_STOP
        if outcome == CHOSEN:
            s.shared = 0
            if first_candidate(m, s) >= 0:
                note_forces(m, w, s, address(s.choice.chosen, 0), w.mode_known)
            enter_mode(m, w, s, first_row, jump, record)
            s.memory.last_instant = s.t
            return 0
        if outcome == REFUSED:
            s.report.refusal = REFUSED_INDETERMINATE
            return PARADOX_STOP
        first = give_way(m, w, s, record)
        stopped = first < 0 and friction_stops(m, w, s, record)
        if first < 0 and not stopped:
            return PARADOX_STOP
        s.report.refusal = 0
        policy, jammed = SEQUENTIAL, first >= 0
    return PARADOX_STOP
