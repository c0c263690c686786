"""Sharp corners over faces: the face on which a contact is held.

The gap of a sharp corner over a convex outline has no normal where the outline has a corner, and neither of the normals
beside it is the right one before it is known where the corner moves. So a contact that touches is held on one face: its
number stands behind the parameters, and all functions of the model go on along that face beyond its ends, smoothly. A
contact that slides has the end of its face for a guard. There, and at every other instant, the face is judged anew
(corners.py).

A contact that has opened is held for one more step, on the face from which it parts (face_ends.py). The height over any
face is not above the distance from the outline, so that nothing is lost; where it vanishes and the distance does not,
the step ends there without an event.
"""

from jounce.kernels.contact.unknowns import slide_sign
from jounce.kernels.records.codes import OPEN, STICK
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.recording import ROW_FACE
from jounce.kernels.records.tolerances import AT_CORNER
from jounce.kernels.records.workspace import FACE_STRIDE
from jounce.toolchain.jit import address, call_state, kernel
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
