"""What a guard of a contact that vanishes asks for, rigid or compliant; and a motion that rests."""

from jounce.kernels.contact.compliant import compliant_event
from jounce.kernels.contact.faces import held_face, hold_face, is_over_polygon
from jounce.kernels.contact.forces import derivative, evaluate_model, solve_mode
from jounce.kernels.contact.loads import other_part
from jounce.kernels.contact.modes import count_closed
from jounce.kernels.contact.orders import encode_orders
from jounce.kernels.contact.projection import project
from jounce.kernels.contact.unknowns import slide_sign
from jounce.kernels.engine.jams import joint_jams
from jounce.kernels.engine.resets import (
    contacts_reset,
    forget_happened,
)
from jounce.kernels.engine.start import (
    begin_instant,
    pass_resets,
)
from jounce.kernels.flow.accept import store_state
from jounce.kernels.flow.powers import integrate_powers
from jounce.kernels.flow.singular_point import reach_singular_point
from jounce.kernels.impact.resolve import SURFACE_WORK
from jounce.kernels.records.codes import (
    AT_REST,
    GAP_JUMPS,
    GUARD_END,
    GUARD_GAP,
    GUARD_JAM,
    GUARD_SLIP,
    GUARD_TURN,
    JUMP,
    MODE_CHANGE,
    OPEN,
    RESET,
    STICK,
    STOPPED,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.recording import (
    add_step,
)
from jounce.kernels.records.rows import column, contact_place, normal_place
from jounce.kernels.records.scales import share, whole_acceleration
from jounce.kernels.records.tolerances import (
    NEGLIGIBLE,
    ON_SURFACE,
    REST_ACCELERATION,
    REST_SPEED,
    START_TOLERANCE,
)
from jounce.kernels.tangent.variation import (
    call_glue,
    call_pass_compliant,
    call_shift_to_event,
    variation_at,
)
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


@kernel
def resting(m: Machine, w: Workspace, s: Motion, closed: Integer, rows: Integer) -> Truth:
    """Whether nothing will move any more: an autonomous model, no velocity, no acceleration, nothing that varies."""
    if s.settings.variation or not s.settings.autonomous or s.schedule_position < rows or closed + m.nj == 0:
        return False
    for j in range(m.n):
        if abs(s.u[j]) > REST_SPEED * max(w.reference[m.n + j], share(w.whole[1], w.start_mass[j])):
            return False
    evaluate_model(m, w, s.t, address(s.z, 0), address(s.z, m.n))
    solve_mode(m, w, address(s.modes, 0))
    whole = whole_acceleration(m, w)
    for j in range(m.n):
        free = share(whole, w.mass[j * m.mass_step])
        if not abs(w.acceleration[j]) <= REST_ACCELERATION * free:
            return False
    return True


@kernel
def rest_until(m: Machine, w: Workspace, s: Motion, closed: Integer, record: Record) -> None:
    """One constant step to the end."""
    rows = s.settings.rows
    for i in range(m.nc):
        # what touches stays where it is, even where the others could carry everything
        if s.modes[i] == OPEN and s.choice.candidate[i] and m.has_slip[i]:
            s.modes[i] = STICK
    s.report.open_forces = 1 if closed > 0 and solve_mode(m, w, address(s.modes, 0)) == 0.0 else 0
    length = s.settings.t_end - s.epoch - s.t
    for row in range(rows):
        for k in range(2 * m.n):
            w.interpolant[row, k] = 0.0
    if length > 0.0:
        encode_orders(m, s, record.orders)
        add_step(record, s.t, length, s.modes, m.nc, m.n, s.z, w.interpolant, rows, s.ledger)
        integrate_powers(m, w, s, s.t, length, 1.0, closed)
    s.t = s.settings.t_end - s.epoch


@kernel
def glue_at_forces(m: Machine, w: Workspace, s: Motion, asked: Truth) -> None:
    """Columns behind an instant at which forces have jumped; ``asked``: contacts were, and resets may have followed.

    A jump of forces and a reset at one instant have no common derivative.
    """
    v = variation_at(s.settings.variation)
    if asked and m.nr > 0 and s.memory.rounds > 0:
        v.irregular += 1
        return
    call_glue(v.glue, m, w, s, 1)


@kernel
def stop_slip(m: Machine, w: Workspace, s: Motion, i: Integer) -> None:
    """A slip velocity has been located at zero: make it zero, so that the next mode starts from rest."""
    for k in range(m.nc):
        s.choice.trial[k] = s.modes[k]
    s.choice.trial[i] = STICK
    project(m, w, s.t, address(s.q, 0), address(s.u, 0), address(s.choice.trial, 0))
    s.ledger[SURFACE_WORK] += w.projection_work
    store_state(m, s)


@kernel
def still_slips(m: Machine, w: Workspace, s: Motion, i: Integer) -> Truth:
    """Whether the slip of contact i, located at zero, has its sign still on the constraints, where nothing stops it.

    The other constraints leave it no freedom: it is a small part k of a velocity that a step knows to an error d, and
    seems to vanish where the velocity is d/k, as that of the corner about which a box turns. Where no time has passed
    since the last such place it has vanished, to the rounding of the time.
    """
    if s.memory.repeats > 0:
        return False
    call_state(m.contacts, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.contact, 0))
    slip = slide_sign(s.modes[i]) * w.contact[contact_place(m, i) + 2]
    return slip > NEGLIGIBLE * max(s.memory.speed[2 * i + 1], w.size[m.nc + m.nj + m.ng + i])


@kernel
def at_compliant_event(
    m: Machine, w: Workspace, s: Motion, kind: Integer, hit: Integer, closed: Integer, latest: Real, record: Record
) -> Integer:
    """A guard of compliant contact ``hit`` has vanished; returns a status."""
    forget_happened(m, record)
    carried, before = s.settings.variation != 0 and kind != GUARD_TURN, s.modes[hit]
    if carried:
        s.event.guard_kind, s.event.guard_contact = kind, hit
        call_shift_to_event(variation_at(s.settings.variation).shift_to_event, m, w, s)
    status = compliant_event(m, w, s, kind, hit, record)
    store_state(m, s)
    if carried and status == 0:
        call_pass_compliant(variation_at(s.settings.variation).pass_compliant, m, w, s, kind, hit, before)
    if status == 0 and contacts_reset(m, w, s, record):
        return pass_resets(m, w, s, latest, record)
    if status == 0 and closed > 0:
        # finite forces have changed: whether the rigid contacts keep their mode is asked again
        status = begin_instant(m, w, s, -1, RESET, latest, record)
    if carried and status == 0:
        glue_at_forces(m, w, s, closed > 0)
        s.event.guard_kind = -1
    return STOPPED if status == 0 and record.seen else status


@kernel
def shift_load(m: Machine, w: Workspace, s: Motion, i: Integer) -> None:
    """Another part of the load of guide i becomes the largest: the motion goes on, with no kink in its force."""
    evaluate_model(m, w, s.t, address(s.z, 0), address(s.z, m.n))
    solve_mode(m, w, address(s.modes, 0))
    w.load_branch[i] = other_part(m, w, i)
    s.gap_fresh[i] = 1


@kernel
def is_only_beside(m: Machine, w: Workspace, s: Motion, hit: Integer) -> Truth:
    """Whether contact ``hit`` has come to the line of a face over which it was held, but not to the face itself."""
    if not w.was_held[hit] and held_face(m, hit) == 0:
        return False
    hold_face(m, hit, 0)
    call_state(m.gaps, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.gap, 0))
    return w.gap[2 * hit] > START_TOLERANCE * w.size[hit]


@kernel
def gap_jumps(m: Machine, w: Workspace, s: Motion, hit: Integer) -> Truth:
    """Whether the gap of contact ``hit`` has changed its sign without vanishing: behind the end of a one-sided edge.

    Gaps of models that fly on parabolas are polynomials of sines with bounded curvature (codegen/bounds.py) and do not
    jump. That of a sharp corner over a polygon may: where it comes onto a face into which its own outline goes on it is
    inside of that face, and other corners are what touches (bodies/touch.py).
    """
    if m.ballistic:
        return False
    call_state(m.gaps, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.gap, 0))
    gap = abs(w.gap[2 * hit])
    if not gap > START_TOLERANCE * w.size[hit] or (m.faces != 0 and is_over_polygon(m, w, s, hit)):
        return False
    # the terms of a gap may vanish with it; the errors of the coordinates, to which its root is known, do not
    evaluate_model(m, w, s.t, address(s.z, 0), address(s.z, m.n))
    reach = 0.0
    for k in range(m.width):
        reach += abs(w.contact[normal_place(m, hit) + k]) * w.scale[column(m, hit, k)]
    return gap > max(START_TOLERANCE, ON_SURFACE * s.settings.tolerance) * reach


@kernel
def at_rigid_event(
    m: Machine, w: Workspace, s: Motion, kind: Integer, hit: Integer, latest: Real, rows: Integer, record: Record
) -> Integer:
    """A guard of a rigid contact has vanished, or of them all together; returns a status."""
    s.event.guard_kind, s.event.guard_contact = kind, hit
    if kind == GUARD_GAP and m.faces != 0 and is_only_beside(m, w, s, hit):
        s.event.guard_kind, s.gap_fresh[hit] = -1, 0
        return 0
    if kind == GUARD_GAP and gap_jumps(m, w, s, hit):
        s.report.failed_place = hit
        return GAP_JUMPS
    if kind == GUARD_JAM and joint_jams(m, s):
        s.event.singular = 1
    elif kind == GUARD_JAM:
        closed = count_closed(s.modes, m.nc)
        derivative(m, w, s.t, s.z, s.modes, closed, 0)
        s.event.singular = reach_singular_point(m, w, s, closed, latest, record)
    if s.event.guard_kind == GUARD_SLIP:
        stop_slip(m, w, s, s.event.guard_contact)
        if still_slips(m, w, s, s.event.guard_contact):
            s.event.guard_kind, s.memory.last_instant = -1, s.t
            return 0
    if kind == GUARD_GAP:
        status = begin_instant(m, w, s, hit, JUMP, latest, record)
    elif kind == GUARD_END:
        status = begin_instant(m, w, s, -1, JUMP, latest, record)
    else:
        status = begin_instant(m, w, s, -1, MODE_CHANGE, latest, record)
    s.event.guard_kind, s.event.singular, s.event.opens = -1, 0, 0
    closed = count_closed(s.modes, m.nc)
    if status == 0 and closed > 0 and resting(m, w, s, closed, rows):
        rest_until(m, w, s, closed, record)
        return AT_REST
    return status
