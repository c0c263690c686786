"""The start of one of many runs, read from a row of numbers, and whether the model makes sense there.

A row is t, t_end, period, q, u; behind them, where a start comes out of another run, what it knows of its contacts (as
in section_point.py) and the scales of that run: q and u; gaps, joints, guards, slips; speeds of the contacts.
"""

import math

from jounce.kernels.contact.linear import factor_mass
from jounce.kernels.maps.iterate import read_contacts, read_memory
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.workspace import CONTACT_STRIDE, SURFACE_STRIDE, WORKS, machine_record, workspace_record
from jounce.toolchain.abi import f8_2d, i8, i8_1d
from jounce.toolchain.jit import address, block, call_state, copy_record, kernel

TIME, END, PERIOD, FIRST = 0, 1, 2, 3  # columns of a row; q begins at FIRST
SAME = 1e-9  # relative: a difference this small is rounding
PAIRS = 3  # of times one period apart at which the model is compared with itself


@kernel
def clear_memory(m):
    """No compliant contact is pressed, and no angle has turned."""
    for i in range(m.nc):
        if m.compliant[i]:
            m.p[m.memory[i]] = m.p[m.memory[i] + 1] = 0.0
    for j in range(m.n):
        if m.whole_angle[j] >= 0:
            m.p[m.whole_angle[j]] = 0.0


@kernel
def take_scales(m, s, row, at):
    """Let the scales begin with those of the run out of which the start comes, where the row has them."""
    sizes = 2 * m.nc + m.nj + m.ng
    if row.shape[0] < at + 2 * m.n + sizes + 2 * m.nc:
        return
    for k in range(2 * m.n):
        s.given[k] = max(s.given[k], row[at + k])
    for k in range(sizes):
        s.given_size[k] = row[at + 2 * m.n + k]
    for k in range(2 * m.nc):
        s.own_speed[k] = row[at + 2 * m.n + sizes + k]


@kernel
def load_run(m, s, fresh, row, parameters):
    """The records of a run that starts at this row with these parameters."""
    copy_record(s, fresh)
    for k in range(parameters.shape[0]):
        m.p[k] = parameters[k]
    clear_memory(m)
    s.t, s.t_end, s.period = row[TIME], row[END], row[PERIOD]
    for j in range(m.n):
        s.q[j] = s.z[j] = row[FIRST + j]
        s.u[j] = s.z[m.n + j] = row[FIRST + m.n + j]
    at = FIRST + 2 * m.n
    s.remembered = read_memory(m, row, at)
    at += 2 * m.compliant_contacts
    s.known = read_contacts(m, s, row, at)
    take_scales(m, s, row, at + 2)


@kernel
def sound(m, w, s):
    """Whether masses, forces, friction and restitution make sense at the start and no rigid contact is closed too far.

    False is a doubt, not a verdict: a gap may be negative by its rounding. That is for Python to say, with words.
    """
    n, q, u, p = m.n, address(s.q, 0), address(s.u, 0), address(m.p, 0)
    call_state(m.dynamics, s.t, q, u, p, address(w.mass, 0))
    for k in range(n * n + n):
        if not abs(w.mass[k]) < math.inf:
            return False
    if not factor_mass(w.mass, n, w.factor):
        return False
    if m.nc == 0:
        return True
    call_state(m.contacts, s.t, q, u, p, address(w.contact, 0))
    call_state(m.surfaces, s.t, q, u, p, address(w.surface, 0))
    for i in range(m.nc):
        if not m.compliant[i] and not w.contact[i * (CONTACT_STRIDE + 2 * n)] >= 0.0:
            return False
        base = i * SURFACE_STRIDE
        mu, mu_static, e, e_t = w.surface[base], w.surface[base + 1], w.surface[base + 2], w.surface[base + 3]
        if not (0.0 <= mu <= mu_static < math.inf and 0.0 <= e <= 1.0 and -1.0 <= e_t <= 1.0):
            return False
    return True


@kernel
def same_values(values, size):
    """Whether the rows of every pair agree, relative to the largest of each column."""
    for k in range(size):
        largest, apart = 0.0, 0.0
        for pair in range(PAIRS):
            now, later = values[2 * pair, k], values[2 * pair + 1, k]
            largest = max(largest, abs(now), abs(later))
            apart = max(apart, abs(now - later))
        if apart > SAME * largest:
            return False
    return True


@kernel
def repeats(m, w, s, values):
    """Whether the model is the same one period later: ``turn_length`` of simulation/period.py, for many runs."""
    n, period = m.n, s.period
    # some velocities, lest what multiplies them goes unseen
    for j in range(n):
        w.point[j] = s.u[j] + 0.1 * (1.0 if s.u[j] == 0.0 else s.u[j])
    for which in range(6):
        function, size = m.dynamics, n * (n + 1)
        if which == 1:
            function, size = m.contacts, m.nc * (CONTACT_STRIDE + 2 * n)
        elif which == 2:
            function, size = m.surfaces, m.nc * SURFACE_STRIDE
        elif which == 3:
            function, size = m.joints, m.nj * (3 + n)
        elif which == 4:
            function, size = m.powers, WORKS + m.nj
        elif which == 5:
            function, size = m.guards, m.ng
        if size == 0:
            continue
        for pair in range(PAIRS):
            t = s.t + (0.0, 0.31, 0.77)[pair] * period
            for later in range(2):
                out = address(values[2 * pair + later], 0)
                call_state(function, t + later * period, address(s.q, 0), address(w.point, 0), address(m.p, 0), out)
        if not same_values(values, size):
            return False
    return True


@block(i8(machine_record, workspace_record, motion_record, motion_record, f8_2d, f8_2d, f8_2d, i8_1d))
def screen_starts(m, w, s, fresh, starts, parameters, values, doubtful):
    """Mark the starts at which the model may make no sense; returns how many. Periods that are none become 0.

    values   scratch, [2 PAIRS, the largest number of values of a function of the model]
    """
    count = 0
    for i in range(starts.shape[0]):
        load_run(m, s, fresh, starts[i], parameters[i])
        clear_memory(m)
        doubtful[i] = 0 if sound(m, w, s) else 1
        count += doubtful[i]
        if not s.autonomous and s.period > 0.0 and not repeats(m, w, s, values):
            starts[i, PERIOD] = 0.0
    return count
