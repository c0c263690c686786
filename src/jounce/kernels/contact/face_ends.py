"""Open contacts whose corners are the ends of faces along which others slide, and what a step releases (faces.py)."""

from jounce.kernels.contact.faces import (
    ALONG,
    COUNT,
    FACE,
    LENGTH,
    OTHERS,
    OWN,
    ends_face,
    find_faces,
    held_face,
    hold_face,
    is_over_corner,
    next_face,
)
from jounce.kernels.records.codes import GAP_WATCHED, OPEN
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.roster import near_place
from jounce.kernels.records.tolerances import TOUCH_TOLERANCE
from jounce.kernels.records.workspace import FACE_STRIDE
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Reals, Truth


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
