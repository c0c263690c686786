"""Points of a section: (phase, q, u), then what a run that goes on from there must know of its contacts.

That is for each compliant contact whether it is pressed and 1/v of its touch, the discrete states, then the modes of
all rigid contacts and how their guards begin (contact/orders.py), one number each. Shorter rows do not know these.
"""

import math

from jounce.kernels.contact.forces import evaluate_model
from jounce.kernels.contact.projection import project
from jounce.kernels.contact.window import begin_roster, look_before_start
from jounce.kernels.maps.iterate import (
    FIRST_STATE,
    PHASE,
    PHASE_TIME,
    memory_size,
    phase_time,
    read_contacts,
    read_memory,
    write_contacts,
    write_memory,
)
from jounce.kernels.records.begin_motion import begin_motion
from jounce.kernels.records.codes import OPEN, SIDE_PASSED, SLIP_POSITIVE
from jounce.kernels.records.fields import Machine, Motion, Plan, Workspace
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.scales import forget_scales
from jounce.kernels.records.tolerances import START_PENETRATION
from jounce.toolchain.jit import address, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Truth


@kernel
def write_point(m: Machine, s: Motion, plan: Plan, point: Reals) -> None:
    """The present crossing as (phase, q, u); where a turn changes nothing, the angle within its turn."""
    t = phase_time(s, plan)
    point[0] = t / s.settings.period if s.settings.period > 0.0 else t
    for k in range(m.n):
        point[1 + k] = s.q[k] if plan.wrap[k] > 0.0 else s.q[k] + s.turned[k]
        point[1 + m.n + k] = s.u[k]
    write_memory(m, point, 1 + 2 * m.n)
    write_contacts(m, s, point, 1 + 2 * m.n + memory_size(m))


@kernel
def read_point(m: Machine, s: Motion, row: Reals, point: Reals) -> None:
    """A sample as a point (phase, q, u), with what it remembers where the row has it."""
    point[0] = row[PHASE_TIME] / s.settings.period if s.settings.period > 0.0 else row[PHASE_TIME]
    for k in range(2 * m.n):
        point[1 + k] = row[FIRST_STATE + k]
    for k in range(1 + 2 * m.n, point.shape[0]):
        at = FIRST_STATE + k - 1
        point[k] = row[at] if at < row.shape[0] else math.nan  # not known


@kernel
def copy_point(m: Machine, source: Reals, target: Reals) -> None:
    """target = source."""
    for k in range(target.shape[0]):
        target[k] = source[k] if k < source.shape[0] else math.nan  # not known


@kernel
def leave_surfaces(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Another parameter may have moved a surface over the start: back onto it, and onto the joints."""
    if not evaluate_model(m, w, s.t, address(s.q, 0), address(s.u, 0)):
        return False
    inside = False
    for i in range(m.nc):
        s.choice.trial[i] = OPEN
        if not m.compliant[i] and w.contact[contact_place(m, i)] < -START_PENETRATION * w.size[i]:
            s.choice.trial[i] = SLIP_POSITIVE
            inside = True
    if inside or m.nj > 0:
        project(m, w, s.t, address(s.q, 0), address(s.u, 0), address(s.choice.trial, 0))
        for i in range(m.nc):
            s.choice.trial[i] = OPEN
        for j in range(m.n):
            s.u[j] = s.z[m.n + j]  # only the joints change velocities; contacts have their impacts
        if m.nj > 0:
            project(m, w, s.t, address(s.q, 0), address(s.u, 0), address(s.choice.trial, 0))
    for j in range(m.n):
        s.z[j], s.z[m.n + j] = s.q[j], s.u[j]
    return True


@kernel
def begin(m: Machine, w: Workspace, s: Motion, fresh: Motion, period: Real, point: Reals) -> Truth:
    """A run that starts at a point (phase, q, u); returns whether the model is defined there."""
    if fresh.settings.roster != 0:
        begin_roster(m, fresh.settings.roster)
    begin_motion(m, s, fresh)
    if not s.settings.autonomous:
        s.settings.period = period
    s.t = point[0] * s.settings.period if s.settings.period > 0.0 else point[0]
    for k in range(m.n):
        s.q[k] = s.z[k] = point[1 + k]
        s.u[k] = s.z[m.n + k] = point[1 + m.n + k]
        if not abs(s.q[k]) + abs(s.u[k]) < math.inf:
            return False
    s.brought.remembered = read_memory(m, point, 1 + 2 * m.n)
    s.brought.known = read_contacts(m, s, point, 1 + 2 * m.n + memory_size(m))
    for k in range(m.ng):
        s.brought.sides[k] = SIDE_PASSED  # a point of a section has met it, to the errors of its run
    if not look_before_start(m, w, s):
        return True  # the run says that too many contacts touch
    forget_scales(m, w, s)
    return leave_surfaces(m, w, s)


@kernel
def first_state(m: Machine) -> Integer:
    """Where the discrete states of a point begin."""
    return 1 + 2 * m.n + 2 * m.compliant_contacts


@kernel
def separation(m: Machine, w: Workspace, plan: Plan, s: Motion, sizes: Reals, a: Reals, b: Reals) -> Real:
    """The largest deviation of two points, relative to the scales of the run; the phase counts where it is free.

    Points whose discrete states count different things are not the same, however near they are. States that hold a
    value of the motion, as the force of a sampled controller, deviate as the motion does; ``sizes`` has their largest
    values so far.
    """
    largest = 0.0
    for k in range(m.nd):
        at = first_state(m) + k
        if not (m.state_read[k] and at < min(a.shape[0], b.shape[0])):
            continue
        d = abs(a[at] - b[at])
        if m.state_real[k] and d > 0.0:
            sizes[at] = max(sizes[at], abs(a[at]), abs(b[at]))
            largest = max(largest, d / sizes[at])
        elif d > 0.0:
            largest = 1.0
    if plan.section != PHASE and not s.settings.autonomous:
        d = a[0] - b[0]
        if s.settings.period > 0.0:
            d -= math.floor(d + 0.5)
        largest = max(largest, abs(d))
    for k in range(2 * m.n):
        wrap = plan.wrap[k]
        if wrap >= 0.0:
            d = a[1 + k] - b[1 + k]
            if wrap > 0.0:
                d -= wrap * math.floor(d / wrap + 0.5)
            if d != 0.0:
                d = abs(d) / w.scale[k]
            # a comparison that a NaN does not survive
            if not d <= largest:
                largest = d
    return largest
