"""How an instant ends (instant.py): the chosen mode becomes the mode, its changes are written, the state lies on it."""

from jounce.kernels.contact.faces import CEASES, is_on_other_face, write_face
from jounce.kernels.contact.modes import count_closed
from jounce.kernels.contact.projection import project
from jounce.kernels.contact.unknowns import constrains
from jounce.kernels.impact.resolve import SURFACE_WORK
from jounce.kernels.records.codes import (
    CHATTER,
    GAP_HOVERING,
    GAP_UNGUARDED,
    GAP_WATCHED,
    GRAZING,
    GUARD_CONE_LOWER,
    GUARD_CONE_UPPER,
    GUARD_FORCE,
    GUARD_SLIP,
    LIFT_OFF,
    MODE_CHANGE,
    OPEN,
    REVERSAL,
    SLIP_BEGINS,
    START,
    STICK,
    STICK_BEGINS,
    TOUCH,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.recording import CONTACT, EVENTS_STORED, KIND, MODE_AFTER, add_event, set_velocities
from jounce.kernels.records.roster import named
from jounce.kernels.records.tolerances import STUCK
from jounce.toolchain.jit import address, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


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
