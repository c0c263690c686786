"""Sharp corners at the ends of faces: on which face a contact is held, and on which one it goes on.

The gap of a sharp corner over a convex outline has no normal where the outline has a corner, and neither of the normals
beside it is the right one before it is known where the corner moves. So a contact that touches is held on one face: its
number stands behind the parameters, and all functions of the model go on along that face beyond its ends, smoothly. A
contact that slides has the end of its face for a guard. There, and at every other instant, the face is judged anew:

    one of the two faces that meet there is left with g' > 0     the corner parts from the outline, and opens
    else the faces on which it may be (bodies/faces.py)          the one with the larger g': impact, slip or stick
    none                                                         other corners of the two outlines are what touches

The first line is exact: outside of a convex corner is outside of one of its faces. A contact that has opened is held
for one more step, on the face from which it parts. The height over any face is not above the distance from the outline,
so that nothing is lost; where it vanishes and the distance does not, the step ends there without an event.
"""

from jounce.kernels.records.codes import OPEN, STICK
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.tolerances import (
    AT_CORNER,
    NEAR_END,
    SAME_VELOCITY,
    START_TOLERANCE,
    TOUCH_TOLERANCE,
)
from jounce.kernels.records.workspace import FACE_STRIDE, machine_record, workspace_record
from jounce.toolchain.abi import i8
from jounce.toolchain.jit import address, block, call_state, kernel

# what ``faces`` writes of a contact
COUNT, FACE, ALONG, LENGTH, SPEED, LEAN = range(FACE_STRIDE)
KEEPS, PARTS, CEASES, TURNS = 0, 1, 2, 3  # what becomes of a contact: s.choice.fate


@kernel
def held_face(m, i):
    """The face on which contact i is held, 0: none."""
    return int(m.p[m.faces_at + i]) if m.faces != 0 else 0


@kernel
def hold_face(m, i, face):
    """Let contact i be held on a face, or on none."""
    m.p[m.faces_at + i] = face


@kernel
def release_faces(m):
    """No contact is held."""
    if m.faces != 0:
        for i in range(m.nc):
            hold_face(m, i, 0)


@kernel
def keep_faces(m, back):
    """Keep the faces on which contacts are held while something else is tried, behind them in p, or bring them back."""
    if m.faces != 0:
        for i in range(m.nc):
            kept = m.faces_at + m.nc + i
            if back:
                hold_face(m, i, m.p[kept])
            else:
                m.p[kept] = held_face(m, i)


@kernel
def ends_face(m, s, i):
    """Whether closed contact i may come to the end of its face: it slides, or may."""
    return held_face(m, i) > 0 and (s.modes[i] != STICK or not m.has_slip[i])


@kernel
def find_faces(m, w, t, q, u):
    """w.face of the contacts as they are held."""
    call_state(m.faces, t, q, u, address(m.p, 0), address(w.face, 0))


@kernel
def end_margin(w, i):
    """How far the corner of contact i is from the nearer end of its face, about; one rounding beyond it is zero."""
    at, beyond = i * FACE_STRIDE, AT_CORNER * w.size[i]
    along, length = w.face[at + ALONG], w.face[at + LENGTH]
    return (along + beyond) * (length - along + beyond) / (length + 2.0 * beyond)


@kernel
def other_face(w, i):
    """The face that meets that of contact i where its corner is, 0: it is not at an end."""
    at, near = i * FACE_STRIDE, NEAR_END * AT_CORNER * w.size[i]
    count, face = int(w.face[at + COUNT]), int(w.face[at + FACE])
    if w.face[at + LENGTH] == 0.0:
        return 1
    if w.face[at + ALONG] <= near:
        return face - 1 if face > 1 else count
    if w.face[at + LENGTH] - w.face[at + ALONG] <= near:
        return face + 1 if face < count else 1
    return 0


@kernel
def may_stay(w, i, slow, near):
    """Whether the corner of contact i may be on the face in w.face: it does not leave it, nor do its own edges go in.

    An edge that lies on the face has its other end there too, to what counts as touching: ``near`` of the gap's terms.
    """
    at = i * FACE_STRIDE
    if w.face[at + LENGTH] == 0.0 or w.face[at + LEAN] < -near * w.size[i]:
        return False
    outward = w.face[at + SPEED] if 2.0 * w.face[at + ALONG] > w.face[at + LENGTH] else -w.face[at + SPEED]
    return outward <= slow


@kernel
def find_touching(m, w, s, hit, tolerance):
    """Hold every contact that touches on the face it is on, or was held on; release the others.

    One that has left its face at this instant is still at the corner.
    """
    q, u, p = address(s.q, 0), address(s.u, 0), address(m.p, 0)
    for i in range(m.nc):
        if s.modes[i] == OPEN and s.choice.fate[i] == KEEPS:
            hold_face(m, i, 0)
    call_state(m.gaps, s.t, q, u, p, address(w.gap, 0))
    find_faces(m, w, s.t, q, u)
    found = False
    for i in range(m.nc):
        touches = s.modes[i] != OPEN or s.choice.fate[i] != KEEPS or i == hit or w.gap[2 * i] <= tolerance * w.size[i]
        if w.face[i * FACE_STRIDE + COUNT] > 0.0 and touches:
            hold_face(m, i, w.face[i * FACE_STRIDE + FACE])
            found = True
    return found


@kernel
def decide_face(m, w, s, i, ended, near):
    """Of the two faces that meet where the corner of contact i is, the one that counts; w.gap, w.face: the second one.

    Returns what becomes of the contact.
    """
    at = i * FACE_STRIDE
    first, rate, second, other_rate = held_face(m, i), w.face_rate[i], w.second_face[i], w.gap[2 * i + 1]
    fast = max(s.memory.speed[2 * i], s.memory.speed[2 * i + 1], abs(rate), abs(other_rate), abs(w.face[at + SPEED]))
    slow = SAME_VELOCITY * fast
    stays, other_stays = w.may_stay[i] == 1 and not ended, may_stay(w, i, slow, near)
    if ended or max(rate, other_rate) > slow:
        hold_face(m, i, second if ended or other_rate > rate else first)
        return PARTS
    if stays and not (other_stays and other_rate > rate):
        hold_face(m, i, first)
        return KEEPS
    if other_stays:
        hold_face(m, i, second)
        return TURNS
    hold_face(m, i, second if other_rate > rate else first)
    return CEASES


@kernel
def begin_faces(m, w, s):
    """An instant begins: no contact has left its face yet."""
    for i in range(m.nc):
        s.choice.fate[i], w.mode_before[i] = KEEPS, s.modes[i]


@block(i8(machine_record, workspace_record, motion_record, i8, i8, i8))
def judge_faces(m, w, s, hit, ended, starting):
    """On which faces the contacts that touch go on, into s.choice.fate what becomes of each; 1 if one is another face.

    ``hit`` is the contact whose gap has just closed, ``ended`` the one that has come to the end of its face, -1: none.
    """
    for i in range(m.nc):
        w.second_face[i], w.face_before[i] = 0, held_face(m, i)
    near = START_TOLERANCE if starting else NEAR_END * AT_CORNER
    if not find_touching(m, w, s, hit, START_TOLERANCE if starting else TOUCH_TOLERANCE):
        return 0
    q, u, p = address(s.q, 0), address(s.u, 0), address(m.p, 0)
    call_state(m.gaps, s.t, q, u, p, address(w.gap, 0))
    corners = False
    for i in range(m.nc):
        if held_face(m, i) > 0:
            w.face_rate[i] = w.gap[2 * i + 1]
            w.second_face[i] = other_face(w, i)
            slow = SAME_VELOCITY * max(s.memory.speed[2 * i + 1], abs(w.face[i * FACE_STRIDE + SPEED]))
            w.may_stay[i] = 1 if may_stay(w, i, slow, near) else 0
            corners = corners or w.second_face[i] > 0
    if not corners:
        return 0
    for i in range(m.nc):
        if w.second_face[i] > 0:
            w.first_face[i] = held_face(m, i)
            hold_face(m, i, w.second_face[i])
    call_state(m.gaps, s.t, q, u, p, address(w.gap, 0))
    find_faces(m, w, s.t, q, u)
    changed = 0
    for i in range(m.nc):
        if w.second_face[i] > 0:
            hold_face(m, i, w.first_face[i])
            s.choice.fate[i] = decide_face(m, w, s, i, i == ended, near)
            if s.choice.fate[i] != KEEPS:
                s.modes[i] = OPEN  # what held it is no more
            changed = 1 if held_face(m, i) != w.face_before[i] else changed
    return changed


@kernel
def enters_outline(m, w, s, i):
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


@kernel
def hold_closed(m, w, s):
    """Hold every closed contact on the face it is on."""
    release_faces(m)
    find_faces(m, w, s.t, address(s.q, 0), address(s.u, 0))
    for i in range(m.nc):
        if s.modes[i] != OPEN and w.face[i * FACE_STRIDE + COUNT] > 0.0:
            hold_face(m, i, w.face[i * FACE_STRIDE + FACE])


@kernel
def is_over_corner(m, w, i):
    """Whether contact i, held on no face, has a corner of the outline before it, and not a face; needs ``find_faces``.

    Its gap is the distance between two corners, whose normal turns as they come near.
    """
    at = i * FACE_STRIDE
    if held_face(m, i) > 0 or w.face[at + COUNT] == 0.0:
        return False
    return not AT_CORNER * w.size[i] < w.face[at + ALONG] < w.face[at + LENGTH] - AT_CORNER * w.size[i]


@kernel
def is_over_polygon(m, w, s, i):
    """Whether contact i is a sharp corner over a polygon: the second face of an edge is its end, without length."""
    before, at = held_face(m, i), i * FACE_STRIDE
    hold_face(m, i, 2)
    find_faces(m, w, s.t, address(s.q, 0), address(s.u, 0))
    hold_face(m, i, before)
    return w.face[at + COUNT] > 0.0 and w.face[at + LENGTH] > 0.0


@kernel
def hold_members(m, w, s, member):
    """Hold the contacts that a chatter is about to close, those with member[i] > 0, on the faces over which they are.

    They have not touched at this instant, and are held on none.
    """
    find_faces(m, w, s.t, address(s.q, 0), address(s.u, 0))
    for i in range(m.nc):
        if member[i] > 0.0 and held_face(m, i) == 0 and w.face[i * FACE_STRIDE + COUNT] > 0.0:
            hold_face(m, i, w.face[i * FACE_STRIDE + FACE])


@kernel
def release_opened(m, w, s):
    """A step has passed: contacts that are open are held no more, unless their gaps are still only rounding."""
    for i in range(m.nc):
        w.was_held[i] = 0
        if s.modes[i] == OPEN and s.gap_fresh[i] == 0 and held_face(m, i) > 0:
            w.was_held[i] = 1
            hold_face(m, i, 0)
