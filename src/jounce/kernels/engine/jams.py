"""Closed contacts that have no finite forces together: their slips stop at once (impact/joint.py)."""

from jounce.kernels.engine.choice import has_loads
from jounce.kernels.engine.clusters import ask_for
from jounce.kernels.engine.proposals import pose_step
from jounce.kernels.impact.impulse import NO_SOLUTION, OK
from jounce.kernels.impact.joint_slips import stop_by_friction
from jounce.kernels.impact.resolve import give_all
from jounce.kernels.records.codes import NEWTON
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import buffer_record
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import i8
from jounce.toolchain.jit import block
from jounce.toolchain.kernel_types import Integer


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
