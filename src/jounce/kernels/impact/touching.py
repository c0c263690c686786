"""Which contacts take part in an instant, and on which faces, as the velocities are now."""

from jounce.kernels.contact.corners import judge_faces
from jounce.kernels.contact.faces import CEASES, PARTS, TURNS
from jounce.kernels.records.codes import JOINT, OPEN
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.scales import length_limit
from jounce.kernels.records.tolerances import START_TOLERANCE, TOUCH_TOLERANCE
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Truth


@kernel
def mark_touching(m: Machine, w: Workspace, s: Motion, hit: Integer, starting: Integer) -> None:
    """Contacts that take part: closed ones, the one that hit, and those whose gaps are zero to rounding.

    In joint impacts also those nearer than joint_gap, whether they approach or part: one that parts takes no impulse
    unless the others drive it back, and a moment of flight between two impacts of a chain must not decide.
    """
    tolerance = START_TOLERANCE if starting else TOUCH_TOLERANCE
    for i in range(m.nc):
        limit = tolerance * w.size[i]
        if hit >= 0 and s.settings.simultaneous == JOINT:
            limit = max(limit, length_limit(s.settings.joint_gap, w.size[i]))
        gap = w.contact[contact_place(m, i)]
        if m.compliant[i]:
            s.choice.touching[i] = 0  # its forces are finite: no part in impulses and modes
            continue
        s.choice.touching[i] = s.modes[i] != OPEN or i == hit or gap <= limit
        if m.faces != 0 and s.choice.fate[i] >= CEASES:
            s.choice.touching[i] = s.choice.fate[i] == TURNS


@kernel
def count_touching(m: Machine, s: Motion) -> Integer:
    """How many contacts take part in the instant."""
    count = 0
    for i in range(m.nc):
        count += s.choice.touching[i]
    return count


@kernel
def collides_jointly(m: Machine, s: Motion, i: Integer) -> Integer:
    """Whether contact i is one of those that collide together.

    A sharp corner that parts from one of the two faces that meet there is free, whatever drives it against the other
    one. After the impact both are asked again.
    """
    return s.choice.touching[i] and not m.load[i] and not (m.faces != 0 and s.choice.fate[i] == PARTS)


@kernel
def other_faces_count(m: Machine, w: Workspace, s: Motion, hit: Integer) -> Truth:
    """Whether, by the new velocities, other faces or contacts count at corners; s.choice.touching is then not known."""
    if m.faces == 0:
        return False
    for i in range(m.nc):
        if w.second_face[i] > 0:
            return judge_faces(m, w, s, hit, -1, 0) != 0
    return False
