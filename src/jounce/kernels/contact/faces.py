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

import math

from jounce.kernels.contact.unknowns import slide_sign
from jounce.kernels.records.codes import GAP_WATCHED, JOINT, OPEN, STICK
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import ROW_FACE
from jounce.kernels.records.roster import near_place
from jounce.kernels.records.scales import length_limit
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
from jounce.toolchain.kernel_types import Integer, Integers, Real, Reals, Truth

# what ``faces`` writes of a contact
COUNT, FACE, ALONG, LENGTH, SPEED, LEAN, OTHERS, OWN, SENSE = range(FACE_STRIDE)
KEEPS, PARTS, CEASES, TURNS = 0, 1, 2, 3  # what becomes of a contact: s.choice.fate


@kernel
def held_face(m: Machine, i: Integer) -> Integer:
    """The face on which contact i is held, 0: none."""
    return int(m.p[m.faces_at + i]) if m.faces != 0 else 0


@kernel
def hold_face(m: Machine, i: Integer, face: Real) -> None:
    """Let contact i be held on a face, or on none."""
    m.p[m.faces_at + i] = face


@kernel
def release_faces(m: Machine) -> None:
    """No contact is held."""
    if m.faces != 0:
        for i in range(m.nc):
            hold_face(m, i, 0)


@kernel
def keep_faces(m: Machine, back: Truth) -> None:
    """Keep the faces on which contacts are held while something else is tried, behind them in p, or bring them back."""
    if m.faces != 0:
        for i in range(m.nc):
            kept = m.faces_at + m.nc + i
            if back:
                hold_face(m, i, m.p[kept])
            else:
                m.p[kept] = held_face(m, i)


@kernel
def ends_face(m: Machine, s: Motion, i: Integer) -> Truth:
    """Whether closed contact i may come to the end of its face: it slides, or may."""
    return held_face(m, i) > 0 and (s.modes[i] != STICK or not m.has_slip[i])


@kernel
def ceases(m: Machine, s: Motion, i: Integer) -> Truth:
    """Whether contact i is at a corner where, at this instant, another one is what touches."""
    return m.faces != 0 and s.choice.fate[i] == CEASES


@kernel
def find_faces(m: Machine, w: Workspace, t: Real, q: Reals, u: Reals) -> None:
    """w.face of the contacts as they are held."""
    call_state(m.faces, t, q, u, address(m.p, 0), address(w.face, 0))


@kernel
def end_margin(m: Machine, w: Workspace, modes: Integers, i: Integer) -> Real:
    """How far the corner of contact i is from the end of its face to which it slides; one rounding beyond it is zero.

    The end behind it is none: where two corners meet it may begin beyond that by what counts as one place. Without
    friction no mode tells its direction: then it is the distance from the nearer end, about.
    """
    at, beyond = i * FACE_STRIDE, AT_CORNER * w.size[i]
    along, length = w.face[at + ALONG], w.face[at + LENGTH]
    behind, ahead = along + beyond, length - along + beyond
    if m.has_slip[i]:
        return ahead if slide_sign(modes[i]) * w.face[at + SENSE] > 0.0 else behind
    return behind * ahead / (length + 2.0 * beyond)


@kernel
def next_face(w: Workspace, i: Integer) -> Integer:
    """The face that meets that of contact i at the nearer one of its ends."""
    at = i * FACE_STRIDE
    count, face = int(w.face[at + COUNT]), int(w.face[at + FACE])
    if 2.0 * w.face[at + ALONG] > w.face[at + LENGTH]:
        return face + 1 if face < count else 1
    return face - 1 if face > 1 else count


@kernel
def other_face(w: Workspace, i: Integer, near: Real) -> Integer:
    """The face that meets that of contact i where its corner is, 0: it is not as near as this to an end."""
    at = i * FACE_STRIDE
    if w.face[at + LENGTH] == 0.0:
        return 1
    if w.face[at + ALONG] <= near or w.face[at + LENGTH] - w.face[at + ALONG] <= near:
        return next_face(w, i)
    return 0


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
def find_partner(m: Machine, w: Workspace, s: Motion, i: Integer) -> Integer:
    """The contact of the corner of the outline at which contact i is with i's own outline; -1: there is none."""
    at = i * FACE_STRIDE
    first, face, count = int(w.face[at + OTHERS]), int(w.face[at + FACE]), int(w.face[at + COUNT])
    if first == 0:
        return -1
    ahead = 2.0 * w.face[at + ALONG] > w.face[at + LENGTH]
    corner = face if ahead else face - 1  # from 0 on: face k goes from corner k - 1 to corner k
    return near_place(s.settings.roster, first - 1 + corner % count)


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


@kernel
def begin_faces(m: Machine, w: Workspace, s: Motion, starting: Truth) -> None:
    """An instant begins: no contact has left its face yet. No row says on which a contact is at the start of a run."""
    for i in range(m.nc):
        s.choice.fate[i], w.mode_before[i] = KEEPS, s.modes[i]
        w.row_face[i] = held_face(m, i) if s.modes[i] != OPEN and not starting else 0


@kernel
def write_face(m: Machine, w: Workspace, i: Integer, row: Integer, record: Record) -> None:
    """Let a row of contact i say on which face it is: the one along which an impulse of the row acts.

    Where corners meet, neither place nor velocities say that afterwards. The face of a closed contact is the one of its
    last row.
    """
    if m.faces != 0:
        w.row_face[i] = held_face(m, i)
        if row >= 0:
            record.event_integer[row, ROW_FACE] = w.row_face[i]


@kernel
def is_on_other_face(m: Machine, w: Workspace, i: Integer, starting: Truth) -> Truth:
    """Whether contact i, which is closed, is held on another face than its rows say."""
    if m.faces == 0:
        return False
    return w.row_face[i] != held_face(m, i) and (w.row_face[i] > 0 or not starting)


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


@kernel
def hold_brought(m: Machine, s: Motion) -> None:
    """Hold the contacts as the start of a run says; where only near ones are looked at, they are already."""
    if m.faces != 0 and s.settings.roster == 0:
        for i in range(m.nc):
            hold_face(m, i, s.brought.face[i] if s.brought.known else 0)


@kernel
def hold_closed(m: Machine, w: Workspace, s: Motion) -> None:
    """Hold every closed contact that is held on no face on the one it is on."""
    find_faces(m, w, s.t, address(s.q, 0), address(s.u, 0))
    for i in range(m.nc):
        if s.modes[i] != OPEN and w.face[i * FACE_STRIDE + COUNT] > 0.0:
            hold_face(m, i, w.face[i * FACE_STRIDE + FACE])


@kernel
def is_over_corner(m: Machine, w: Workspace, i: Integer) -> Truth:
    """Whether contact i, held on no face, has a corner of the outline before it, and not a face; needs ``find_faces``.

    Its gap is the distance between two corners, whose normal turns as they come near.
    """
    at = i * FACE_STRIDE
    if held_face(m, i) > 0 or w.face[at + COUNT] == 0.0:
        return False
    return not AT_CORNER * w.size[i] < w.face[at + ALONG] < w.face[at + LENGTH] - AT_CORNER * w.size[i]


@kernel
def is_over_polygon(m: Machine, w: Workspace, s: Motion, i: Integer) -> Truth:
    """Whether contact i is a sharp corner over a polygon: the second face of an edge is its end, without length."""
    before, at = held_face(m, i), i * FACE_STRIDE
    hold_face(m, i, 2)
    find_faces(m, w, s.t, address(s.q, 0), address(s.u, 0))
    hold_face(m, i, before)
    return w.face[at + COUNT] > 0.0 and w.face[at + LENGTH] > 0.0


@kernel
def hold_members(m: Machine, w: Workspace, s: Motion, member: Reals) -> None:
    """Hold the contacts that a chatter is about to close, those with member[i] > 0, on the faces over which they are.

    They have not touched at this instant, and are held on none.
    """
    find_faces(m, w, s.t, address(s.q, 0), address(s.u, 0))
    for i in range(m.nc):
        if member[i] > 0.0 and held_face(m, i) == 0 and w.face[i * FACE_STRIDE + COUNT] > 0.0:
            hold_face(m, i, w.face[i * FACE_STRIDE + FACE])


@kernel
def lies_at_end(m: Machine, w: Workspace, s: Motion, i: Integer) -> Truth:
    """Whether the corner of open contact i is an end of the face along which the next corner of its outline slides."""
    k = find_partner(m, w, s, i)
    if k < 0 or s.modes[k] == OPEN or s.gap_watch[i] != GAP_WATCHED:
        return False
    face, count = int(w.face[i * FACE_STRIDE + OWN]), int(w.face[k * FACE_STRIDE + COUNT])
    return held_face(m, k) == face or held_face(m, k) == (face - 1 if face > 1 else count)


@kernel
def hold_ends(m: Machine, w: Workspace, s: Motion, q: Reals, u: Reals) -> None:
    """Hold open contacts whose corners are ends of faces that another corner slides along, where they lie over a face.

    Two outlines touch at corner Q of the one, on the face PR of the other. The gap of P over the first one is s sin(a)
    with its way s to Q and the angle a between the faces. When Q comes to P, s passes zero, and P's distance goes on as
    |s|: its zero is a kink, whose place no interpolant knows. The height over the face passes zero as s does.
    """
    slides = False
    for i in range(m.nc):
        slides = slides or (s.modes[i] != OPEN and ends_face(m, s, i))
    if not slides:
        return
    find_faces(m, w, s.t, q, u)
    found = False
    for i in range(m.nc):
        w.second_face[i] = 0
        if s.modes[i] == OPEN and held_face(m, i) == 0 and w.face[i * FACE_STRIDE + COUNT] > 0.0:
            if lies_at_end(m, w, s, i):
                over = is_over_corner(m, w, i)
                w.second_face[i] = next_face(w, i) if over else int(w.face[i * FACE_STRIDE + FACE])
                hold_face(m, i, w.second_face[i])
                found = True
    if not found:
        return
    find_faces(m, w, s.t, q, u)
    call_state(m.gaps, s.t, q, u, address(m.p, 0), address(w.gap, 0))
    for i in range(m.nc):
        if w.second_face[i] > 0:
            beside = not 0.0 < w.face[i * FACE_STRIDE + ALONG] < w.face[i * FACE_STRIDE + LENGTH]
            if beside or not w.gap[2 * i] > TOUCH_TOLERANCE * w.size[i]:
                hold_face(m, i, 0)


@kernel
def release_opened(m: Machine, w: Workspace, s: Motion) -> None:
    """A step has passed: contacts that are open are held no more, unless their gaps are still only rounding."""
    for i in range(m.nc):
        w.was_held[i] = 0
        if s.modes[i] == OPEN and s.gap_fresh[i] == 0 and held_face(m, i) > 0:
            w.was_held[i] = 1
            hold_face(m, i, 0)
    hold_ends(m, w, s, address(s.q, 0), address(s.u, 0))
