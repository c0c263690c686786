"""The contacts of a run and its candidates: what waits in the roster, and what moves when another list is made."""

from jounce.kernels.contact.faces import held_face, hold_face
from jounce.kernels.contact.near import all_gaps, farthest, make_list
from jounce.kernels.contact.orders import gap_beginning
from jounce.kernels.records.arrays import integers_at, numbers_at
from jounce.kernels.records.codes import DOUBLE_ROOT, GAP_WATCHED, NO_ROOT, OPEN, WORD
from jounce.kernels.records.fields import Machine, Motion, Roster, Workspace
from jounce.kernels.records.motion import MODE_STEPS, motion_record
from jounce.kernels.records.roster import (
    CANDIDATE_INTEGERS,
    CANDIDATE_NUMBERS,
    CHATTER_SPEED,
    FACE,
    GAP_FRESH,
    GAP_WATCH,
    LOSS,
    MODE,
    OPEN_FORCE,
    OWN_SPEED,
    RELEASED,
    SIZE,
    SLIP_FRESH,
    SLIP_SIZE,
    SPEED,
    roster_at,
)
from jounce.kernels.records.scales import note_sizes
from jounce.kernels.records.words import digit_of
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import i8, void
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Truth


@kernel
def store_contacts(m: Machine, w: Workspace, s: Motion, r: Roster) -> None:
    """What every contact has, into the row of its candidate; the sizes of joints and guards to w.size_now."""
    memory, others = s.memory, m.nj + m.ng
    for i in range(m.nc):
        k = r.list[1 + i]
        row = address(integers_at(r.integer).at, k * CANDIDATE_INTEGERS)
        row[MODE], row[GAP_FRESH], row[GAP_WATCH] = s.modes[i], s.gap_fresh[i], s.gap_watch[i]
        row[SLIP_FRESH], row[RELEASED], row[FACE] = s.slip_fresh[i], s.released[i], held_face(m, i)
        row[OPEN_FORCE] = s.open_force[i]
        own = address(numbers_at(r.number).at, k * CANDIDATE_NUMBERS)
        own[LOSS], own[CHATTER_SPEED] = s.loss[i], memory.chatter_speed[i]
        own[SIZE], own[SLIP_SIZE] = w.size[i], w.size[m.nc + others + i]
        for side in range(2):
            own[OWN_SPEED + side], own[SPEED + side] = memory.own_speed[2 * i + side], memory.speed[2 * i + side]
    for k in range(others):
        w.size_now[k] = w.size[m.nc + k]


@kernel
def begin_roster(m: Machine, roster: Integer) -> None:
    """No list yet, and every candidate open, as one of which nothing is known."""
    r = roster_at(roster)
    integers, numbers = integers_at(r.integer).at, numbers_at(r.number).at
    for k in range(r.total):
        row = address(integers, k * CANDIDATE_INTEGERS)
        row[MODE], row[GAP_FRESH], row[GAP_WATCH] = OPEN, 0, GAP_WATCHED
        row[SLIP_FRESH] = row[RELEASED] = row[FACE] = row[OPEN_FORCE] = 0
        for j in range(CANDIDATE_NUMBERS):
            numbers[k * CANDIDATE_NUMBERS + j] = 0.0
    r.list[0] = m.nc = 0
    m.p[m.np] = float(r.list_address)


@kernel
def bring_contacts(roster: Integer, modes: Reals, orders: Reals) -> None:
    """What a start knows of every candidate: the words of the modes, and of how their guards begin."""
    r = roster_at(roster)
    for k in range(r.total):
        row = address(integers_at(r.integer).at, k * CANDIDATE_INTEGERS)
        mode, digit = digit_of(int(modes[k // WORD]), k), digit_of(int(orders[k // WORD]), k)
        row[MODE] = mode
        row[GAP_FRESH], row[GAP_WATCH] = gap_beginning(digit if mode == OPEN else NO_ROOT)
        row[SLIP_FRESH] = 0 if mode == OPEN else max(digit, NO_ROOT) - NO_ROOT
        row[RELEASED] = 1 if mode == OPEN and digit == DOUBLE_ROOT else 0


@kernel
def bring_scales(m: Machine, s: Motion, scales: Reals) -> None:
    """The sizes of gaps, joints, guards and slips, and the speeds of every candidate, as a start brings them."""
    r, others = roster_at(s.settings.roster), m.nj + m.ng
    for k in range(others):
        s.brought.given_size[k] = scales[r.total + k]
    for k in range(r.total):
        own = address(numbers_at(r.number).at, k * CANDIDATE_NUMBERS)
        own[SIZE], own[SLIP_SIZE] = scales[k], scales[r.total + others + k]
        for side in range(2):
            own[OWN_SPEED + side] = scales[2 * r.total + others + 2 * k + side]


@kernel
def loss_of(roster: Integer, candidate: Integer) -> Real:
    """The impact loss of a candidate; needs ``store_contacts``."""
    return numbers_at(roster_at(roster).number).at[candidate * CANDIDATE_NUMBERS + LOSS]


@kernel
def load_contacts(m: Machine, w: Workspace, s: Motion, r: Roster, sizes: Reals) -> None:
    """The contacts of a new list as their candidates are; ``sizes``: w.size, or what a start brings in its place."""
    memory, others = s.memory, m.nj + m.ng
    for i in range(m.nc):
        k = r.list[1 + i]
        row = address(integers_at(r.integer).at, k * CANDIDATE_INTEGERS)
        s.modes[i], s.gap_fresh[i], s.gap_watch[i] = row[MODE], row[GAP_FRESH], row[GAP_WATCH]
        s.slip_fresh[i], s.released[i], s.open_force[i] = row[SLIP_FRESH], row[RELEASED], row[OPEN_FORCE]
        if m.faces != 0:
            hold_face(m, i, row[FACE])
        s.turn_sign[i] = s.inside[i] = 0
        s.choice.candidate[i] = s.choice.touching[i] = s.choice.struck[i] = s.choice.resting[i] = 0
        own = address(numbers_at(r.number).at, k * CANDIDATE_NUMBERS)
        s.loss[i], memory.chatter_speed[i] = own[LOSS], own[CHATTER_SPEED]
        sizes[i], sizes[m.nc + others + i] = own[SIZE], own[SLIP_SIZE]
        for side in range(2):
            memory.own_speed[2 * i + side], memory.speed[2 * i + side] = own[OWN_SPEED + side], own[SPEED + side]
    for k in range(others):
        sizes[m.nc + k] = w.size_now[k]
    # what is known of modes is known of other contacts
    s.choice.tried_count = w.blocks_of = 0
    for k in range(MODE_STEPS):
        s.pace.mode_step[k] = 0.0
    m.p[m.np] = float(r.list_address)


@block(i8(machine_record, workspace_record, motion_record, i8))
def renew_window(m: Machine, w: Workspace, s: Motion, rows: Integer) -> Integer:
    """Make a list that is good for the step just taken, with ``rows`` rows of its interpolant; 0: it is too long."""
    r = roster_at(s.settings.roster)
    store_contacts(m, w, s, r)
    all_gaps(m, r, s.t, address(s.z, 0), address(s.z, m.n))
    made = make_list(m, r, s.z, w.interpolant, 0, rows, 0.0)
    if made:
        load_contacts(m, w, s, r, w.size)
        note_sizes(m, w, s.t, s.z)
    else:
        m.p[m.np] = float(r.list_address)
    return 1 if made else 0


@kernel
def window_covers(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether no contact that is not in the list can touch on the step just taken, whose interpolant is known."""
    r = roster_at(s.settings.roster)
    return farthest(m, r, s.z, w.interpolant, 0, s.settings.rows) <= r.skin


@block(i8(machine_record, workspace_record, motion_record))
def begin_window(m: Machine, w: Workspace, s: Motion) -> Integer:
    """The first list of a run, from the rows that Python has written; 0: too many contacts touch."""
    r = roster_at(s.settings.roster)
    all_gaps(m, r, s.t, address(s.q, 0), address(s.u, 0))
    for k in range(m.nj + m.ng):
        w.size_now[k] = s.brought.given_size[k]
    if not make_list(m, r, s.q, w.interpolant, 0, 0, 0.0):
        return 0
    load_contacts(m, w, s, r, s.brought.given_size)
    return 1


@block(void(machine_record, workspace_record, motion_record))
def show_contacts(m: Machine, w: Workspace, s: Motion) -> None:
    """The rows of all candidates as they are now, for Python."""
    store_contacts(m, w, s, roster_at(s.settings.roster))


@kernel
def look_before_start(m: Machine, w: Workspace, s: Motion) -> Truth:
    """A list for what is asked of the contacts before a run begins, which makes its own; False: it is too long."""
    if s.settings.roster == 0:
        return True
    made = begin_window(m, w, s) != 0
    for k in range(m.nj + m.ng):
        s.brought.given_size[k] = w.size_now[k]
    return made


@kernel
def chatter_covered(m: Machine, w: Workspace, s: Motion, tau: Real) -> Truth:
    """Whether no contact that is not in the list can touch while a chatter leads to w.new_q in the time tau."""
    if s.settings.roster == 0:
        return True
    r = roster_at(s.settings.roster)
    for j in range(m.n):
        w.interpolant[0, j] = w.new_q[j] - s.q[j]
        w.interpolant[1, j] = 4.0 * tau * (abs(s.u[j]) + abs(w.new_u[j]))
    return farthest(m, r, s.q, w.interpolant, 0, 2) <= r.skin
