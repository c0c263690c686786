"""Contacts whose load is not their own: rubbing pins and guides, discs that resist rolling.

Such a contact has a slip velocity and friction |lambda_T| <= mu N, but no gap. Its load is

    pin       N = N_0 + |(nu_a, nu_b)|              of the two forces of a revolute joint,
    guide     N = N_0 + max(|nu_a|, c |nu_b|)       of the force across a guide and its couple (c = 2/length: the sum of
                                                    the forces on its two ends), c = 0: |nu_a| ,
    contact   N = N_0 + lambda_N                    of a contact, which it rolls on,
    fixed     N = N_0 ,

with a preload N_0. While it sticks lambda_T is one more unknown. While it slides lambda_T = -s mu N, and the mode's
equations A x + sum_i b_i N_i(x) = r (contact/forces.py) are not linear. But apart from N_0 a load is homogeneous:
N_i = N_0 + d_i.x with d_i the gradient of N_i at x. So with d known they are linear, friction joined to the columns of
the forces that load it, as that of a sliding contact is to its own normal force; and to solve them, turn d to the new x
and so on is Newton's method, which begins with the forces without friction. Its matrix is the derivative of the
equations: perturbations use it as it stands. Its determinant over that without friction is 1 - d.y for one pin, with y
the force that answers its friction. For |y| < 1 there is one solution; where it vanishes two solutions meet, and
beyond there is none: the joint jams.

The load of a guide is linear between the instants at which another of its four parts becomes the largest. Which it is
(w.load_branch) is part of the mode, with a guard.
"""

import math

from jounce.kernels.contact.unknowns import constrains, place_of, slide_sign, slides, sliding_friction
from jounce.kernels.records.codes import CONTACT_LOAD, FIXED_LOAD, GUIDE_LOAD, OWN_LOAD, PIN_LOAD
from jounce.kernels.records.fields import Machine, Variation, Workspace
from jounce.kernels.records.rows import column, normal_place
from jounce.kernels.records.workspace import LEVER, PRELOAD, SURFACE_STRIDE
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Truth

ACROSS, ACROSS_BACK, COUPLE, COUPLE_BACK = 0, 1, 2, 3  # the parts of the load of a guide: see load_branch


@kernel
def always_closed(m: Machine, i: Integer) -> Truth:
    """Whether contact i is loaded by joints or by a preload alone, which never open."""
    return m.load[i] != OWN_LOAD and m.load[i] != CONTACT_LOAD


@kernel
def has_no_impacts(m: Machine, i: Integer) -> Truth:
    """Whether contact i takes no impulses: it is compliant, or has no gap of its own."""
    return m.compliant[i] != 0 or m.load[i] != 0


@kernel
def preload(w: Workspace, i: Integer) -> Real:
    """N_0 of loaded contact i."""
    return w.surface[i * SURFACE_STRIDE + PRELOAD]


@kernel
def lever(w: Workspace, i: Integer) -> Real:
    """c of the couple of a guide."""
    return w.surface[i * SURFACE_STRIDE + LEVER]


@kernel
def load_term(m: Machine, w: Workspace, modes: Integers, i: Integer, part: Integer) -> tuple[Integer, Real]:
    """(place of an unknown force, its factor d) of part 0 or 1 of the load of contact i; place -1: there is none."""
    kind, first = m.load[i], m.load_of[2 * i]
    if kind == PIN_LOAD:
        return m.load_of[2 * i + part], w.cosine[2 * i + part]
    if part == 1 or kind == FIXED_LOAD or (kind == CONTACT_LOAD and not constrains(modes[first])):
        return -1, 0.0
    if kind == CONTACT_LOAD:
        return place_of(m, modes, first), 1.0
    branch = w.load_branch[i]
    sign = 1.0 if branch == ACROSS or branch == COUPLE else -1.0
    if branch <= ACROSS_BACK:
        return first, sign
    return m.load_of[2 * i + 1], sign * lever(w, i)


@kernel
def load_force(m: Machine, w: Workspace, modes: Integers, i: Integer) -> Real:
    """N of contact i from the unknowns just solved for; pins are turned (``turn_pins``)."""
    total = preload(w, i)
    for part in range(2):
        place, factor = load_term(m, w, modes, i, part)
        if place >= 0:
            total += factor * w.unknown[place]
    return total


@kernel
def load_change(m: Machine, w: Workspace, v: Variation, i: Integer) -> Real:
    """d N of contact i at fixed unknowns: of its preload and of the lever of a guide."""
    total = v.surface[i * SURFACE_STRIDE + PRELOAD]
    if m.load[i] == GUIDE_LOAD and w.load_branch[i] >= COUPLE:
        change = v.surface[i * SURFACE_STRIDE + LEVER] * v.unknown[m.load_of[2 * i + 1]]
        total += change if w.load_branch[i] == COUPLE else -change
    return total


@kernel
def load_tangent(m: Machine, w: Workspace, v: Variation, modes: Integers, i: Integer) -> Real:
    """d N of contact i, with d of the unknowns in w.unknown."""
    total = load_change(m, w, v, i)
    for part in range(2):
        place, factor = load_term(m, w, modes, i, part)
        if place >= 0:
            total += factor * w.unknown[place]
    return total


@kernel
def friction_weight(w: Workspace, modes: Integers, i: Integer) -> Real:
    """s mu of sliding contact i."""
    sign = slide_sign(modes[i])
    return sign * sliding_friction(w.surface, i, sign)


@kernel
def rubs(m: Machine, modes: Integers) -> Truth:
    """Whether a loaded contact slides."""
    for i in range(m.nc):
        if m.load[i] and slides(m, modes, i):
            return True
    return False


@kernel
def add_preloads(m: Machine, w: Workspace, modes: Integers, row: Integer) -> None:
    """Friction of preloads into row ``row`` of w.rows, which holds h."""
    for i in range(m.nc):
        if m.load[i] and slides(m, modes, i):
            force = friction_weight(w, modes, i) * preload(w, i)
            tangent = normal_place(m, i) + m.width
            for k in range(m.width):
                w.rows[row, column(m, i, k)] -= force * w.contact[tangent + k]


@kernel
def add_friction(m: Machine, w: Workspace, modes: Integers) -> None:
    """Join the friction of loaded contacts that slide to the columns of the forces that load them."""
    for i in range(m.nc):
        if not m.load[i] or not slides(m, modes, i):
            continue
        weight = friction_weight(w, modes, i)
        tangent = normal_place(m, i) + m.width
        for part in range(2):
            place, factor = load_term(m, w, modes, i, part)
            if place >= 0:
                for k in range(m.width):
                    w.columns[place, column(m, i, k)] -= weight * factor * w.contact[tangent + k]


@kernel
def turn_pins(m: Machine, w: Workspace, modes: Integers) -> Real:
    """Turn d of every pin to the forces just solved for; returns by how much those that slide have turned.

    Relative to the force, and where it all but vanishes to what makes it up: no direction is left of it then.
    """
    largest = 0.0
    for i in range(m.nc):
        if m.load[i] != PIN_LOAD:
            continue
        first, second = m.load_of[2 * i], m.load_of[2 * i + 1]
        x, y = w.unknown[first], w.unknown[second]
        force = math.hypot(x, y)
        along = x / force if force > 0.0 else 0.0
        across = y / force if force > 0.0 else 0.0
        turned = abs(along - w.cosine[2 * i]) + abs(across - w.cosine[2 * i + 1])
        if slides(m, modes, i) and turned > 0.0:
            terms = force
            for k in (first, second):
                if w.mobility[k] > 0.0:
                    terms += abs(w.right[k]) / w.mobility[k]
            largest = max(largest, turned * (force / terms))
        w.cosine[2 * i], w.cosine[2 * i + 1] = along, across
    return largest


@kernel
def straighten_pins(m: Machine, w: Workspace) -> None:
    """Begin without directions."""
    for i in range(m.nc):
        w.cosine[2 * i] = w.cosine[2 * i + 1] = 0.0


@kernel
def parts_of_guide(m: Machine, w: Workspace, i: Integer) -> tuple[Real, Real]:
    """(force across, couple as a force) of guide i."""
    second = m.load_of[2 * i + 1]
    return w.joint_force[m.load_of[2 * i]], lever(w, i) * w.joint_force[second] if second >= 0 else 0.0


@kernel
def largest_part(m: Machine, w: Workspace, i: Integer) -> Integer:
    """Which part of the load of guide i is the largest, from the joint forces now in the workspace."""
    across, couple = parts_of_guide(m, w, i)
    if abs(across) >= abs(couple):
        return ACROSS if across >= 0.0 else ACROSS_BACK
    return COUPLE if couple >= 0.0 else COUPLE_BACK


@kernel
def other_part(m: Machine, w: Workspace, i: Integer) -> Integer:
    """The part that takes over where the guard of guide i vanishes."""
    branch = w.load_branch[i]
    across, couple = parts_of_guide(m, w, i)
    if m.load_of[2 * i + 1] < 0:
        return ACROSS_BACK if branch == ACROSS else ACROSS
    if branch <= ACROSS_BACK:
        return COUPLE if couple >= 0.0 else COUPLE_BACK
    return ACROSS if across >= 0.0 else ACROSS_BACK


@kernel
def part_margin(m: Machine, w: Workspace, i: Integer) -> tuple[Real, Real]:
    """(by how much the present part of the load of guide i is the largest, the size of the terms of that).

    Of two parts the difference of the squares: it has no kink where the smaller one changes its sign.
    """
    across, couple = parts_of_guide(m, w, i)
    size = w.force_size[i, 0]
    if m.load_of[2 * i + 1] < 0:
        return (across if w.load_branch[i] == ACROSS else -across), size
    margin = across * across - couple * couple
    return (margin if w.load_branch[i] <= ACROSS_BACK else -margin), size * size


@kernel
def load_size(m: Machine, w: Workspace, i: Integer, load: Real) -> Real:
    """The size of the terms of N: ``load`` as ``largest_load`` measures it."""
    if m.load[i] == CONTACT_LOAD:
        return preload(w, i) + w.force_size[m.load_of[2 * i], 0]
    total = preload(w, i)
    for part in range(2):
        joint = m.load_of[2 * i + part]
        if joint >= 0:
            factor = lever(w, i) if m.load[i] == GUIDE_LOAD and part == 1 else 1.0
            square = w.mobility[joint]
            own = load / math.sqrt(square) if square > 0.0 else 0.0
            total += factor * max(own, abs(w.unknown[joint]))
    return total
