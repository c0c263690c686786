"""Where two faces meet: on which of them a contact goes on, or that another corner is what touches (faces.py).

    one of the two faces that meet there is left with g' > 0     the corner parts from the outline, and opens
    else the faces on which it may be (bodies/faces.py)          the one with the larger g': impact, slip or stick
    none                                                         other corners of the two outlines are what touches

The first line is exact: outside of a convex corner is outside of one of its faces.
"""

import math

from jounce.kernels.contact.face_ends import find_partner
from jounce.kernels.contact.faces import (
    ALONG,
    CEASES,
    COUNT,
    FACE,
    KEEPS,
    LEAN,
    LENGTH,
    OTHERS,
    OWN,
    PARTS,
    SPEED,
    TURNS,
    find_faces,
    held_face,
    hold_face,
    other_face,
)
from jounce.kernels.records.codes import JOINT, OPEN
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.scales import length_limit
from jounce.kernels.records.tolerances import AT_CORNER, NEAR_END, SAME_VELOCITY, START_TOLERANCE, TOUCH_TOLERANCE
from jounce.kernels.records.workspace import FACE_STRIDE, machine_record, workspace_record
from jounce.toolchain.abi import i8
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


@kernel
def find_touching(m: Machine, w: Workspace, s: Motion, hit: Integer, tolerance: Real) -> Truth:
    """Hold every contact that touches on the face it is on, or was held on; release the others.

    One that has left its face at this instant is still at the corner. In joint impacts corners that are near take part
    (w.only_near), and must be told apart from those of the other outline in the same way.
    """
    joint = hit >= 0 and s.settings.simultaneous == JOINT
    q, u, p = address(s.q, 0), address(s.u, 0), address(m.p, 0)
    for i in range(m.nc):
        if s.modes[i] == OPEN and s.choice.fate[i] == KEEPS:
            hold_face(m, i, 0)
    call_state(m.gaps, s.t, q, u, p, address(w.gap, 0))
    find_faces(m, w, s.t, q, u)
    found = False
    for i in range(m.nc):
        touches: Integer = s.modes[i] != OPEN or i == hit or w.gap[2 * i] <= tolerance * w.size[i]
        near = joint and not touches and w.gap[2 * i] <= length_limit(s.settings.joint_gap, w.size[i])
        w.only_near[i] = 1 if near and w.face[i * FACE_STRIDE + OTHERS] > 0.0 else 0
        touches = touches or w.only_near[i] or s.choice.fate[i] != KEEPS
        if w.face[i * FACE_STRIDE + COUNT] > 0.0 and touches:
            hold_face(m, i, w.face[i * FACE_STRIDE + FACE])
            found = True
    return found


@kernel
def hold_corners(m: Machine, w: Workspace, second: Integer) -> None:
    """Hold every contact that is at a corner of an outline on the first of the two faces there, or on the second."""
    for i in range(m.nc):
        if w.second_face[i] > 0:
            hold_face(m, i, w.second_face[i] if second else w.first_face[i])


@kernel
def note_corners(m: Machine, w: Workspace, s: Motion, second: Integer) -> None:
    """What those contacts do on the face on which they are held: g', how they lean, how fast their feet leave it.

    A face without length, the end of an edge, is none to be on.
    """
    q, u, p = address(s.q, 0), address(s.u, 0), address(m.p, 0)
    hold_corners(m, w, second)
    call_state(m.gaps, s.t, q, u, p, address(w.gap, 0))
    find_faces(m, w, s.t, q, u)
    for i in range(m.nc):
        if w.second_face[i] > 0:
            at, to = i * FACE_STRIDE, 2 * i + second
            w.corner_rate[to] = w.gap[2 * i + 1]
            w.corner_lean[to] = w.face[at + LEAN] if w.face[at + LENGTH] > 0.0 else -math.inf
            ahead = 2.0 * w.face[at + ALONG] > w.face[at + LENGTH]
            w.corner_outward[to] = w.face[at + SPEED] if ahead else -w.face[at + SPEED]


@kernel
def slowest(w: Workspace, s: Motion, i: Integer) -> Real:
    """The velocity of the corner of contact i below which it is zero."""
    fast = max(s.memory.speed[2 * i], s.memory.speed[2 * i + 1])
    for k in (2 * i, 2 * i + 1):
        fast = max(fast, abs(w.corner_rate[k]), abs(w.corner_outward[k]))
    return SAME_VELOCITY * fast


@kernel
def may_stay(w: Workspace, i: Integer, second: Integer, slow: Real, near: Real) -> Truth:
    """Whether the corner of contact i may be on one of its two faces: it does not leave it, nor do its own edges go in.

    An edge that lies on the face has its other end there too, to what counts as touching: ``near`` of the gap's terms.
    """
    k = 2 * i + second
    return w.corner_lean[k] >= -near * w.size[i] and w.corner_outward[k] <= slow


@kernel
def hold_parting(m: Machine, w: Workspace, i: Integer) -> None:
    """Hold contact i on that of its two faces from which it parts faster."""
    faster = w.corner_rate[2 * i + 1] > w.corner_rate[2 * i]
    hold_face(m, i, w.second_face[i] if faster else w.first_face[i])


@kernel
def decide_face(m: Machine, w: Workspace, s: Motion, i: Integer, ended: Truth, near: Real) -> Integer:
    """Of the two faces that meet where the corner of contact i is, the one that counts; returns what becomes of it."""
    rate, other_rate, slow = w.corner_rate[2 * i], w.corner_rate[2 * i + 1], slowest(w, s, i)
    stays, other_stays = may_stay(w, i, 0, slow, near) and not ended, may_stay(w, i, 1, slow, near)
    if ended or max(rate, other_rate) > slow:
        hold_face(m, i, w.second_face[i] if ended or other_rate > rate else w.first_face[i])
        return PARTS
    if stays and not (other_stays and other_rate > rate):
        hold_face(m, i, w.first_face[i])
        return KEEPS
    if other_stays:
        hold_face(m, i, w.second_face[i])
        return TURNS
    hold_parting(m, w, i)
    return CEASES


@kernel
def pair_corners(m: Machine, w: Workspace, s: Motion) -> None:
    """Two corners that are at one place are one contact: w.partner, and the faces of both."""
    for i in range(m.nc):
        w.partner[i] = -1
    for i in range(m.nc):
        k = find_partner(m, w, s, i) if w.second_face[i] > 0 and w.partner[i] < 0 else -1
        if k < 0 or w.partner[k] >= 0:
            continue
        if w.only_near[i] and held_face(m, k) > 0 and not w.only_near[k] and w.second_face[k] == 0:
            w.second_face[i], s.choice.fate[i] = 0, CEASES  # the other corner touches, beside this one
            continue
        w.partner[i], w.partner[k] = k, i
        # the faces of k's outline that meet in the corner that contact i is
        face, count = int(w.face[i * FACE_STRIDE + OWN]), int(w.face[k * FACE_STRIDE + COUNT])
        before = face - 1 if face > 1 else count
        first = before if held_face(m, k) == before else face
        w.first_face[k], w.second_face[k] = first, before + face - first


@kernel
def decide_pair(m: Machine, w: Workspace, s: Motion, i: Integer, k: Integer, ended: Integer, near: Real) -> None:
    """Of two corners at one place, contacts i and k, the one that touches and its face; into s.choice.fate.

    Relative to the other, a body moves outside of the difference of both outlines, a convex one of which this place is
    a corner. Its two edges are those faces of either outline into which the other one does not lean. So the bodies
    part where g' > 0 on one of them; otherwise the one with the larger g' counts, whose foot then does not leave it.
    Where g' is the same on both (at rest, or if they are parallel) a foot that leaves decides, then what was closed.
    """
    slow, best = max(slowest(w, s, i), slowest(w, s, k)), -math.inf
    for c in (i, k):
        best = max(best, w.corner_lean[2 * c] / w.size[c], w.corner_lean[2 * c + 1] / w.size[c])
    near = max(near, -best)  # errors of steps may have turned them into one another: the least wrong one
    most = -math.inf
    for c in (i, k):
        for x in (0, 1):
            if w.corner_lean[2 * c + x] >= -near * w.size[c] and not (c == ended and x == 0):
                most = max(most, w.corner_rate[2 * c + x])
    chosen, second, rank = -1, 0, -1
    for c in (i, k):
        for x in (0, 1):
            leans = not w.corner_lean[2 * c + x] >= -near * w.size[c]
            if leans or (c == ended and x == 0) or w.corner_rate[2 * c + x] < most - slow:
                continue
            face = w.second_face[c] if x else w.first_face[c]
            was = (s.modes[c] != OPEN or s.choice.fate[c] == TURNS) and w.face_before[c] == face
            own = (2 if w.corner_outward[2 * c + x] <= slow else 0) + (1 if was else 0)
            if own > rank:
                chosen, second, rank = c, x, own
    for c in (i, k):
        if c != chosen:
            hold_parting(m, w, c)
            s.choice.fate[c] = CEASES
            continue
        hold_face(m, c, w.second_face[c] if second else w.first_face[c])
        if most > slow:
            s.choice.fate[c] = PARTS
        else:
            s.choice.fate[c] = KEEPS if s.modes[c] != OPEN and not second else TURNS


@block(i8(machine_record, workspace_record, motion_record, i8, i8, i8))
def judge_faces(m: Machine, w: Workspace, s: Motion, hit: Integer, ended: Integer, starting: Integer) -> Integer:
    """On which faces the contacts that touch go on, into s.choice.fate what becomes of each; 1 if something changes.

    ``hit`` is the contact whose gap has just closed, ``ended`` the one that has come to the end of its face, -1: none.
    """
    for i in range(m.nc):
        w.second_face[i], w.face_before[i] = 0, held_face(m, i)
    near = START_TOLERANCE if starting else NEAR_END * AT_CORNER
    if not find_touching(m, w, s, hit, START_TOLERANCE if starting else TOUCH_TOLERANCE):
        return 0
    corners = False
    for i in range(m.nc):
        if held_face(m, i) > 0:
            reach = NEAR_END * AT_CORNER * w.size[i]
            if w.only_near[i]:
                reach = max(reach, length_limit(s.settings.joint_gap, w.size[i]))
            w.first_face[i], w.second_face[i] = held_face(m, i), other_face(w, i, reach)
            corners = corners or w.second_face[i] > 0
    if not corners:
        return 0
    pair_corners(m, w, s)
    note_corners(m, w, s, 0)
    note_corners(m, w, s, 1)
    hold_corners(m, w, 0)
    changed = 0
    for i in range(m.nc):
        k, fate = w.partner[i], s.choice.fate[i]
        if w.second_face[i] == 0 or (k >= 0 and k < i):
            continue
        other_fate = s.choice.fate[k] if k >= 0 else 0
        if k >= 0:
            decide_pair(m, w, s, i, k, ended, near)
            changed = 1 if s.choice.fate[k] != other_fate or held_face(m, k) != w.face_before[k] else changed
            if s.choice.fate[k] != KEEPS:
                s.modes[k] = OPEN
        else:
            s.choice.fate[i] = decide_face(m, w, s, i, i == ended, near)
        changed = 1 if s.choice.fate[i] != fate or held_face(m, i) != w.face_before[i] else changed
        if s.choice.fate[i] != KEEPS:
            s.modes[i] = OPEN  # what held it is no more
    return changed


@kernel
def enters_outline(m: Machine, w: Workspace, s: Motion, i: Integer) -> Truth:
    """Hold contact i, whose corner goes into the outline where two faces meet, on one of them; False if it may not be.

    It leaves the face on which its own edges let it be, and the corner of the outline leaves those of its body: both
    are true of the corners as points, where the velocity is nearly along an edge, and neither body is stopped by them.
    """
    q, u, p, at = address(s.q, 0), address(s.u, 0), address(m.p, 0), i * FACE_STRIDE
    before, best, most = held_face(m, i), 0, 0.0
    for face in (w.first_face[i], w.second_face[i]):
        hold_face(m, i, face)
        call_state(m.gaps, s.t, q, u, p, address(w.gap, 0))
        find_faces(m, w, s.t, q, u)
        may = w.face[at + LENGTH] > 0.0 and w.face[at + LEAN] >= -NEAR_END * AT_CORNER * w.size[i]
        if may and (best == 0 or w.gap[2 * i + 1] > most):
            best, most = face, w.gap[2 * i + 1]
    if best == 0 or not most < -SAME_VELOCITY * max(s.memory.speed[2 * i], s.memory.speed[2 * i + 1]):
        hold_face(m, i, before)
        return False
    hold_face(m, i, best)
    s.choice.fate[i] = TURNS
    return True
