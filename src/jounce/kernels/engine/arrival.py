"""How an instant begins (instant.py): what touches, how fast, and whether it only grazes."""

from jounce.kernels.chatter.frozen import energy_of
from jounce.kernels.contact.corners import enters_outline, judge_faces
from jounce.kernels.contact.faces import CEASES, begin_faces
from jounce.kernels.contact.modes import count_closed
from jounce.kernels.contact.projection import energy_across, project
from jounce.kernels.engine.borders import leave_borders
from jounce.kernels.impact.resolve import SURFACE_WORK, hardest, prepare_impacts, prepare_landed
from jounce.kernels.impact.touching import count_touching, mark_touching
from jounce.kernels.records.codes import (
    GRAZING,
    GUARD_END,
    GUARD_SLIP,
    NOT_FINITE,
    OPEN,
    PRESSED,
    RESET,
    SLIP_POSITIVE,
    START,
    STICK,
    TOO_MANY_CLOSED,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.recording import add_event, set_velocities
from jounce.kernels.records.scales import note_speeds
from jounce.kernels.records.tolerances import GRAZING_RISE, GRAZING_SPEED, SAME_VELOCITY, TRIED_LIMIT
from jounce.kernels.records.words import encode_word, word_count
from jounce.kernels.records.workspace import MAX_CLOSED
from jounce.toolchain.jit import address, kernel
from jounce.toolchain.kernel_types import Integer, Truth


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
    leave_borders(m, w, s)
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
