"""One instant: impulses, the end of a chatter, the next mode.

Whatever ends a smooth phase comes here with the state at that time; what leaves is a mode that is consistent, a state
on its constraints, and guards that know at which root they start.
"""

from jounce.kernels.chatter.event import small_rebound, try_chatter
from jounce.kernels.chatter.frozen import MEMBER
from jounce.kernels.contact.forces import evaluate_model
from jounce.kernels.contact.modes import note_forces
from jounce.kernels.contact.orders import begin_gap
from jounce.kernels.engine.arrival import arrive, grazes
from jounce.kernels.engine.choice import CHOSEN, NO_MODE, REFUSED
from jounce.kernels.engine.clusters import first_candidate
from jounce.kernels.engine.enter_mode import enter_mode
from jounce.kernels.engine.jams import friction_stops, give_way, leads_into_jam
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
from jounce.kernels.impact.resolve import prepare_impacts, resolve_impacts
from jounce.kernels.records.codes import (
    NOT_FINITE,
    OPEN,
    PARADOX_STOP,
    REFUSED_BY_LAW,
    REFUSED_INDETERMINATE,
    REFUSED_PLASTIC_RELEASE,
    RESET,
    SEQUENTIAL,
    START,
    STICK,
    STOP_AFTER_PLASTIC,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import EVENTS_STORED, IMPACTS_TOTAL, buffer_record
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.scales import note_slips
from jounce.kernels.records.tolerances import PARADOX_LIMIT, SAME_VELOCITY, STUCK
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


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
