"""Where no mode is consistent: a contact or a joint that jams, and closed contacts without finite forces together.

The first two have an impact without collision of their own; of the last the slips stop at once (impact/joint_slips.py).
"""

from jounce.kernels.contact.unknowns import slides, sliding_friction
from jounce.kernels.engine.choice import has_loads
from jounce.kernels.engine.clusters import ask_for
from jounce.kernels.engine.proposals import pose_step
from jounce.kernels.impact.impulse import NO_SOLUTION, OK
from jounce.kernels.impact.joint_slips import stop_by_friction
from jounce.kernels.impact.resolve import give_all, stop_jammed_joint
from jounce.kernels.records.codes import (
    IMPACT_IF_INCONSISTENT,
    INCONSISTENT,
    NEWTON,
    PARADOX,
    REFUSED_INCONSISTENT,
    REFUSED_JAM,
    REFUSED_TOGETHER,
    SINGULAR_POINT,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import REGION, add_event, buffer_record
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import i8
from jounce.toolchain.jit import block, kernel
from jounce.toolchain.kernel_types import Integer, Truth


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


@block(i8(machine_record, workspace_record, motion_record, buffer_record))
def stop_together(m: Machine, w: Workspace, s: Motion, record: Record) -> Integer:
    """The impact without collision of the cluster that has no mode; 0 if no impulse stops any of its slips.

    Contacts that others load have impulses of another kind (impact/rubbing.py). Needs ``prepare_impacts``.
    """
    ask_for(m, s, s.choice.without_mode)
    count, code = 0, NO_SOLUTION
    if not has_loads(m, s):
        count = pose_step(m, w, s)
        v, b = w.joint_velocity, w.joint_start
        code = stop_by_friction(count, w.joint_delassus, v, b, w.joint_friction, w.joint_impulse, w)
    ask_for(m, s, 0)
    if code != OK:
        return 0
    for a in range(count):
        # what is left of velocities that count as none must not be seen as a new impact
        i = w.members[a]
        w.velocity[2 * i], w.velocity[2 * i + 1] = w.joint_velocity[2 * a], w.joint_velocity[2 * a + 1]
    give_all(m, w, s, count, NEWTON, record)
    return 1
