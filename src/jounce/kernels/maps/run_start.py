"""The start of one of many runs, read from a row of numbers, and whether the model makes sense there.

A row is t, t_end, period, q, u; behind them, where a start comes out of another run, what it knows of its contacts (as
in section_point.py), the scales of that run (q and u; gaps, joints, guards, slips; speeds of the contacts) and the side
of zero on which each guard is.
"""

from jounce.kernels.contact.window import begin_roster, bring_scales
from jounce.kernels.engine.sound import clear_memory, sound
from jounce.kernels.maps.iterate import memory_size, read_contacts, read_memory
from jounce.kernels.records.begin_motion import begin_motion
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.roster import all_contacts, all_words
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import f8_2d, i8, i8_1d
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Reals, Reals2

TIME, END, PERIOD, FIRST = 0, 1, 2, 3  # columns of a row; q begins at FIRST


@kernel
def take_scales(m: Machine, s: Motion, row: Reals, at: Integer) -> None:
    """Let the scales begin with those of the run out of which the start comes, and the guards on their sides."""
    nc = all_contacts(s.settings.roster, m.nc)
    sizes = 2 * nc + m.nj + m.ng
    if row.shape[0] < at + 2 * m.n + sizes + 2 * nc:
        return
    for k in range(2 * m.n):
        s.brought.given[k] = max(s.brought.given[k], row[at + k])
    if s.settings.roster != 0:
        bring_scales(m, s, address(row, at + 2 * m.n))
    else:
        for k in range(sizes):
            s.brought.given_size[k] = row[at + 2 * m.n + k]
        for k in range(2 * nc):
            s.memory.own_speed[k] = row[at + 2 * m.n + sizes + k]
    at += 2 * m.n + sizes + 2 * nc
    for k in range(m.ng if row.shape[0] >= at + m.ng else 0):
        s.brought.sides[k] = int(row[at + k])


@kernel
def load_run(m: Machine, s: Motion, fresh: Motion, row: Reals, parameters: Reals) -> None:
    """The records of a run that starts at this row with these parameters."""
    if fresh.settings.roster != 0:
        begin_roster(m, fresh.settings.roster)
    begin_motion(m, s, fresh)
    for k in range(parameters.shape[0]):
        m.p[k] = parameters[k]
    clear_memory(m)
    s.t, s.settings.t_end, s.settings.period = row[TIME], row[END], row[PERIOD]
    for j in range(m.n):
        s.q[j] = s.z[j] = row[FIRST + j]
        s.u[j] = s.z[m.n + j] = row[FIRST + m.n + j]
    at = FIRST + 2 * m.n
    s.brought.remembered = read_memory(m, row, at)
    at += memory_size(m)
    s.brought.known = read_contacts(m, s, row, at)
    take_scales(m, s, row, at + 2 * all_words(s.settings.roster, m.nc))


@block(i8(machine_record, workspace_record, motion_record, motion_record, f8_2d, f8_2d, i8_1d))
def screen_starts(
    m: Machine,
    w: Workspace,
    s: Motion,
    fresh: Motion,
    starts: Reals2,
    parameters: Reals2,
    doubtful: Integers,
) -> Integer:
    """Mark the starts at which the model may make no sense; returns how many."""
    count = 0
    for i in range(starts.shape[0]):
        load_run(m, s, fresh, starts[i], parameters[i])
        clear_memory(m)
        doubtful[i] = 0 if sound(m, w, s) else 1
        count += doubtful[i]
    return count
