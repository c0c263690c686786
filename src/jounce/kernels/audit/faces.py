"""On which face of an outline a sharp corner is, by the record, and whether it can be there.

Where a corner meets one of another outline several faces have that place in common, and neither the place nor the
velocities say afterwards along which normal an impulse has acted. So the rows of events name the face: of an impact the
one that was struck, of every other row the one on which the contact goes on. A named face is not believed. Two convex
outlines touch along a line that separates them, so that, up to what the record leaves open,

    g = 0 ,      0 <= s <= L ,      n.f >= 0

for the gap g over the face, the way s of the corner along it and the edges f that meet in the corner. The last
condition says that both ends of these edges lie above the line of the face, as its ends do by themselves.
"""

from jounce.kernels.audit.gaps import interpolate
from jounce.kernels.audit.place import contact_limit
from jounce.kernels.audit.record import WRONG_FACE, report
from jounce.kernels.contact.faces import held_face, hold_face, release_faces
from jounce.kernels.records.codes import OPEN
from jounce.kernels.records.fields import Audit, Machine
from jounce.kernels.records.recording import CONTACT, ROW_FACE
from jounce.kernels.records.roster import named
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.workspace import FACE_STRIDE
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Integers2, Real, Reals2, Truth

COUNT, FACE, ALONG, LENGTH, LEAN = 0, 1, 2, 3, 5  # of what `faces` writes


@kernel
def note_faces(first: Integer, last: Integer, integers: Integers2, faces: Integers) -> None:
    """The faces that the rows first <= row < last name, by contact."""
    for row in range(first, last):
        if integers[row, ROW_FACE] > 0:
            faces[integers[row, CONTACT]] = integers[row, ROW_FACE]


@kernel
def hold_in_step(m: Machine, a: Audit, rows: Reals2, start: Real, h: Real, last: Real, faces: Integers) -> None:
    """Hold every closed contact of a sharp corner on one face for the whole step, the one of its last row.

    Where no row says it, as at the start of a run, it is the one on which it is in the middle of the step.
    """
    release_faces(m)
    x = 0.5 * last
    interpolate(m, rows, x, a.ahead)
    call_state(m.faces, start + x * h, address(a.ahead, 0), address(a.ahead, m.n), address(m.p, 0), address(a.face, 0))
    for i in range(m.nc):
        if a.mode[i] != OPEN and a.face[i * FACE_STRIDE + COUNT] > 0.0:
            known = faces[named(a.roster, i)]
            hold_face(m, i, known if known > 0 else a.face[i * FACE_STRIDE + FACE])


@kernel
def see_on_face(m: Machine, a: Audit, i: Integer, face: Integer) -> None:
    """a.contact at the place with contact i on this face."""
    hold_face(m, i, face)
    call_state(m.contacts, a.t, address(a.z, 0), address(a.z, m.n), address(m.p, 0), address(a.contact, 0))


@kernel
def face_limit(m: Machine, a: Audit, i: Integer, column: Integer, value: Real) -> Real:
    """By how much what ``faces`` writes of contact i may be wrong: its changes with the errors of the coordinates.

    a.steepest is its largest change by a unit of one of them; of n.f, by an angle, it is the length of the edge.
    """
    total, at, p = 0.0, i * FACE_STRIDE + column, address(m.p, 0)
    a.steepest = 0.0
    for j in range(m.n):
        change = 0.0
        for k in range(2 * m.n):
            a.deeper[k] = a.z[k]
        for side in (-1.0, 1.0):
            a.deeper[j] = a.z[j] + side * a.place_known[j]
            call_state(m.faces, a.t, address(a.deeper, 0), address(a.deeper, m.n), p, address(a.face, 0))
            change = max(change, abs(a.face[at] - value))
        total += change
        a.steepest = max(a.steepest, change / a.place_known[j] if a.place_known[j] > 0.0 else 0.0)
    return total


@kernel
def check_face(m: Machine, a: Audit, i: Integer, face: Integer, t: Real, reach: Real) -> None:
    """Whether contact i can be on this face at the place a.z; corners nearer than ``reach`` may take part.

    An edge that goes into the face is inside of the outline as far as the face is long. There it may be as deep as the
    gap of the corner may be off, twice, as gaps are, and by what the edge may have turned.
    """
    before, at = held_face(m, i), i * FACE_STRIDE
    see_on_face(m, a, i, face)
    call_state(m.faces, a.t, address(a.z, 0), address(a.z, m.n), address(m.p, 0), address(a.face, 0))
    along, length, lean = a.face[at + ALONG], a.face[at + LENGTH], a.face[at + LEAN]
    apart, near = abs(a.contact[contact_place(m, i)]), contact_limit(m, a, i) + reach
    beyond = max(-along, along - length)
    far = face_limit(m, a, i, ALONG, along) + reach if beyond > 0.0 else 0.0
    inside, deep = 0.0, 0.0
    if lean < 0.0:
        turned = face_limit(m, a, i, LEAN, lean)
        part = min(1.0, length / a.steepest) if a.steepest > 0.0 else 1.0
        inside, deep = -lean * part, turned * part + 2.0 * near
    if not apart <= near:
        report(a, t, i, WRONG_FACE, apart, near)
    elif not beyond <= far:
        report(a, t, i, WRONG_FACE, beyond, far)
    elif not inside <= deep:
        report(a, t, i, WRONG_FACE, inside, deep)
    see_on_face(m, a, i, before)


@kernel
def names_face(m: Machine, integers: Integers2, row: Integer) -> Truth:
    """Whether a row says on which face its contact is."""
    return m.faces != 0 and integers[row, ROW_FACE] > 0
