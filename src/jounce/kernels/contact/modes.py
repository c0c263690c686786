"""The conditions under which a mode is consistent.

A candidate contact has gap = 0 and gap velocity = 0. It may

    stay open   if g'' >= 0                                     with lambda = 0,
    slide       if lambda_N >= 0, and s gamma_T' >= 0 when it starts from gamma_T = 0,
    stick       if gamma_T = 0, lambda_N >= 0 and |lambda_T| <= mu_s lambda_N.

Each is judged relative to the terms of which it is the sum. One that is zero by that measure says nothing yet: it holds
if it is positive on the motion that follows in this mode, which engine/choice.py looks at. Where statics leaves the
forces open (two feet that stick) their conditions are one: that friction can carry the mode (contact/capacity.py).
"""

from jounce.kernels.contact.capacity import are_asked_together, capacity, has_open_forces, mark_null
from jounce.kernels.contact.forces import solve_mode
from jounce.kernels.contact.loads import largest_part
from jounce.kernels.contact.terms import contact_acceleration, measure_terms
from jounce.kernels.contact.unknowns import constrains, count_constraints, slide_sign
from jounce.kernels.records.codes import (
    CONTACT_LOAD,
    GUARD_CARRIED,
    GUARD_CONE_LOWER,
    GUARD_CONE_UPPER,
    GUARD_FORCE,
    GUARD_FREE,
    GUIDE_LOAD,
    OPEN,
    PRESSED,
    SLIP_NEGATIVE,
    SLIP_POSITIVE,
    STICK,
)
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.rows import contact_place
from jounce.kernels.records.tolerances import CONTRADICTION, EQUALITY, NEGLIGIBLE, SHIFTS, SINGULAR
from jounce.kernels.records.workspace import STATIC_FRICTION, SURFACE_STRIDE, machine_record, workspace_record
from jounce.toolchain.abi import i8, integer_pointer
from jounce.toolchain.jit import address, block, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Real, Truth

NORMAL, TANGENTIAL, BOTH = 1, 2, 3  # conditions of a contact: see ``judge``


@kernel
def count_closed(modes: Integers, nc: Integer) -> Integer:
    """How many contacts are equations of the mode: closed and rigid."""
    closed = 0
    for i in range(nc):
        if constrains(modes[i]):
            closed += 1
    return closed


@kernel
def count_pressed(modes: Integers, nc: Integer) -> Integer:
    """How many compliant contacts are pressed."""
    pressed = 0
    for i in range(nc):
        if modes[i] == PRESSED:
            pressed += 1
    return pressed


@kernel
def is_elsewhere(s: Motion, i: Integer) -> Truth:
    """Whether contact i belongs to another cluster than the one that is asked for: engine/clusters.py."""
    return s.choice.cluster[i] > 0 and not s.choice.candidate[i]


@kernel
def follows_from(s: Motion, i: Integer, modes: Integers, nc: Integer) -> Truth:
    """Whether a mode is the one to which the guard of contact i leads, all other contacts unchanged.

    Where a force vanishes the gap's free acceleration vanishes too; where a sticking force leaves the kinetic cone the
    slip starts without acceleration. These equalities need no test, and rounding must not fail them.
    """
    if s.event.guard_contact != i or s.event.guard_kind < 0:
        return False
    for k in range(nc):
        if k != i and modes[k] != s.modes[k] and not is_elsewhere(s, k):
            return False
    if s.event.guard_kind == GUARD_FORCE or s.event.guard_kind == GUARD_FREE:
        return modes[i] == OPEN
    if s.event.guard_kind == GUARD_CONE_UPPER:
        return modes[i] == SLIP_NEGATIVE
    return s.event.guard_kind == GUARD_CONE_LOWER and modes[i] == SLIP_POSITIVE


@kernel
def contradictory(m: Machine, w: Workspace, modes: Integers) -> Truth:
    """Whether constraints that depend on one another ask for different accelerations: then no force answers them.

    The forces of least norm are in w.unknown; what they leave of the equations is rounding, or the contradiction. Two
    links and a sticking end, stretched and moving, are one: the end cannot stay. What is left of row k is compared with
    its terms, and with what the largest row asks for, in the unit sqrt(C_k) that all rows share: where nothing acts
    along a row its terms are rounding too.
    """
    size = count_constraints(m, modes)
    load = 0.0
    for k in range(size):
        terms = row_terms(w, size, k)
        if w.mobility[k] > 0.0:
            load = max(load, terms * terms / w.mobility[k])
    for k in range(size):
        left = -w.right[k]
        for j in range(size):
            left += w.matrix[k, j] * w.unknown[j]
        terms = row_terms(w, size, k)
        if left * left > CONTRADICTION * CONTRADICTION * max(terms * terms, load * w.mobility[k]):
            return True
    return False


@kernel
def row_terms(w: Workspace, size: Integer, k: Integer) -> Real:
    """The terms of equation k of the mode just solved."""
    terms = abs(w.right[k])
    for j in range(size):
        terms += abs(w.matrix[k, j] * w.unknown[j])
    return terms


@kernel
def cone_margin(w: Workspace, i: Integer) -> tuple[Real, Real]:
    """(mu_s lambda_N - |lambda_T|, the size of its terms) of a sticking contact."""
    mu = w.surface[i * SURFACE_STRIDE + STATIC_FRICTION]
    return mu * w.force[i, 0] - abs(w.force[i, 1]), mu * w.force_size[i, 0] + w.force_size[i, 1]


@kernel
def magnification(w: Workspace) -> Real:
    """By how much rounding of accelerations exceeds what EQUALITY allows for, in the mode just solved; at least 1.

    A matrix that is nearly singular magnifies it: a disc between a wall and a disc beside it that is higher by 1e-6 has
    a slip of 1e-10 of the accelerations where it cannot slip at all.
    """
    return max(1.0, NEGLIGIBLE / (EQUALITY * w.least_pivot)) if w.least_pivot > 0.0 else 1.0


@kernel
def margin(m: Machine, w: Workspace, s: Motion, modes: Integers, i: Integer, tangential: Integer) -> Real:
    """By how much contact i keeps one condition of its mode, relative to the terms of it; 1 where there is none."""
    if not tangential:
        if m.load[i]:
            return 1.0
        value, size = w.force[i, 0], w.force_size[i, 0]
        if modes[i] == OPEN:
            value, size = contact_acceleration(m, w, i, False)
    elif modes[i] == OPEN or not m.has_slip[i] or not s.choice.resting[i]:
        return 1.0
    elif modes[i] == STICK:
        value, size = cone_margin(w, i)
    else:
        value, size = contact_acceleration(m, w, i, True)
        value, size = value * slide_sign(modes[i]), size * magnification(w)
    return value / size if size > 0.0 else 0.0


@kernel
def own_condition(s: Motion, i: Integer, tangential: Integer) -> Truth:
    """Whether the guard that ended the last mode is this condition of contact i: then it starts at zero."""
    if s.event.guard_contact != i:
        return False
    if tangential:
        return s.event.guard_kind == GUARD_CONE_UPPER or s.event.guard_kind == GUARD_CONE_LOWER
    return s.event.guard_kind == GUARD_FORCE or s.event.guard_kind == GUARD_FREE or s.event.guard_kind == GUARD_CARRIED


@kernel
def is_carried(modes: Integers, i: Integer, tangential: Integer) -> Truth:
    """Whether a condition is one of the forces of contact i."""
    return constrains(modes[i]) and (not tangential or modes[i] == STICK)


@block(i8(machine_record, workspace_record, integer_pointer))
def settle_guides(m: Machine, w: Workspace, modes: Integers) -> Integer:
    """Find which parts of the loads of guides are the largest in a mode; False where it has no balance."""
    for _ in range(SHIFTS):
        determinant = solve_mode(m, w, modes)
        settled = True
        for i in range(m.nc):
            if m.load[i] == GUIDE_LOAD and constrains(modes[i]):
                branch = largest_part(m, w, i)
                settled = settled and branch == w.load_branch[i]
                w.load_branch[i] = branch
        if not determinant == determinant:
            return 0
        if settled:
            return 1
    return 0


@block(i8(machine_record, workspace_record, integer_pointer, i8))
def bears_its_loads(m: Machine, w: Workspace, modes: Integers, ahead: Integer) -> Integer:
    """Whether loaded contacts are closed exactly where what loads them is, and their forces have a balance."""
    for i in range(m.nc):
        if m.load[i]:
            closed = m.load[i] != CONTACT_LOAD or constrains(modes[m.load_of[2 * i]])
            if constrains(modes[i]) != closed:
                return 0
    if ahead:
        return 1
    return settle_guides(m, w, modes)


@kernel
def turns_slides(m: Machine, w: Workspace, s: Motion, modes: Integers) -> Truth:
    """Whether a mode asks a candidate that slides to stick, or to slide the other way."""
    for i in range(m.nc):
        if s.choice.candidate[i] and constrains(modes[i]) and m.has_slip[i] and not s.choice.resting[i]:
            slip = w.contact[contact_place(m, i) + 2]
            if modes[i] != (SLIP_POSITIVE if slip > 0.0 else SLIP_NEGATIVE):
                return True
    return False


@kernel
def judge(m: Machine, w: Workspace, s: Motion, modes: Integers, ahead: Truth) -> Integer:
    """-1: one of the conditions asked for is broken; otherwise how many hold only as equalities.

    Which these are s.choice.weak says of every candidate: 1 the normal condition, 2 the tangential one, 3 both; forces
    that statics leaves open are one condition, the normal one of the first with such. ``ahead``: the state in the
    workspace is one on the motion in this mode, only the conditions in s.choice.weak are asked for, and the one that
    ended the last mode is measured from where it started.
    s.choice.broken receives by how much the worst of the conditions is broken. Needs ``evaluate_model``.
    """
    s.choice.broken, s.choice.determinate, together = 0.0, 1, False
    if not ahead and turns_slides(m, w, s, modes):
        s.choice.broken = 1.0
        return -1
    if m.loaded > 0 and not bears_its_loads(m, w, address(modes, 0), ahead):
        s.choice.broken = 1.0
        return -1
    w.mode_determinant = solve_mode(m, w, address(modes, 0))
    if w.mode_determinant == 0.0:
        s.choice.determinate = 0
        if contradictory(m, w, modes):
            s.choice.broken = 1.0
            return -1
        together = are_asked_together(m, w, address(modes, 0))
    measure_terms(m, w, address(modes, 0))
    count, first = 0, -1
    if together:
        mark_null(w, count_constraints(m, modes))
    for i in range(m.nc):
        if not s.choice.candidate[i]:
            continue
        asked, weak = s.choice.weak[i] if ahead else BOTH, 0
        for tangential in range(2):
            bit = 1 << tangential
            if not asked & bit:
                continue
            if together and is_carried(modes, i, tangential) and has_open_forces(m, w, modes, i):
                if (first >= 0 and i != first) or tangential:
                    continue
                first = i
                value = capacity(m, w, address(modes, 0))
            else:
                value = margin(m, w, s, modes, i, tangential)
            if not ahead:
                w.start_margin[2 * i + tangential] = value
            elif own_condition(s, i, tangential):
                value -= w.start_margin[2 * i + tangential]
            if value > EQUALITY:
                continue
            weak |= bit
            count += 1
            if not value >= -EQUALITY and (ahead or not follows_from(s, i, modes, m.nc)):
                s.choice.broken = max(s.choice.broken, -value)
        s.choice.weak[i] = weak
    return -1 if s.choice.broken > 0.0 else count


@kernel
def all_stick(m: Machine, modes: Integers) -> Truth:
    """Whether no contact slides."""
    for i in range(m.nc):
        if constrains(modes[i]) and modes[i] != STICK and m.has_slip[i]:
            return False
    return True


@kernel
def note_forces(m: Machine, w: Workspace, s: Motion, modes: Integers, solved: Integer) -> None:
    """The sign of the mode's determinant, and whether its forces have one guard together; needs ``evaluate_model``.

    ``solved``: the mode was solved last, and w.mode_determinant is its determinant.
    """
    if m.loaded > 0:
        settle_guides(m, w, modes)
    determinant = w.mode_determinant if solved and m.loaded == 0 else solve_mode(m, w, modes)
    s.jam_sign = -1 if determinant < 0.0 else 1
    w.jam_level = s.jam_sign * min(SINGULAR, 0.5 * abs(determinant))
    s.shared = 1 if determinant == 0.0 and are_asked_together(m, w, modes) else 0
    if s.shared:
        mark_null(w, count_constraints(m, modes))
    for i in range(m.nc):
        s.open_force[i] = 1 if s.shared and has_open_forces(m, w, modes, i) else 0
