"""A chatter within an instant: tried, booked as events, works and a step, its members brought to rest."""

from jounce.kernels.chatter.finish import finish_chatter
from jounce.kernels.chatter.frozen import (
    BOUNCING,
    END_T,
    HELD,
    JOINT_WORK,
    MEMBER,
    START_N,
    START_T,
    SUM_FRICTION,
    SUM_LOSS,
    SUM_N,
    SUM_T,
    energy_of,
)
from jounce.kernels.contact.faces import hold_members, write_face
from jounce.kernels.contact.forces import evaluate_model, sample_power, solve_mode, surface_velocity
from jounce.kernels.contact.loads import has_no_impacts, preload
from jounce.kernels.contact.modes import count_closed, count_pressed
from jounce.kernels.contact.projection import project
from jounce.kernels.contact.window import chatter_covered
from jounce.kernels.impact.resolve import FRICTION_LOSS, SURFACE_WORK, prepare_impacts
from jounce.kernels.records.codes import CHATTER, LEAP, OPEN, SLIP_POSITIVE, STICK
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.recording import add_event, add_step, set_impulse
from jounce.kernels.records.roster import all_words
from jounce.kernels.records.rows import along, column, contact_place, normal_place
from jounce.kernels.records.scales import rising_speed, share
from jounce.kernels.records.tolerances import CHATTER_REST, STRUCK
from jounce.kernels.records.workspace import STATIC_FRICTION, SURFACE_STRIDE, WORKS
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


@kernel
def try_chatter(m: Machine, w: Workspace, s: Motion, latest: Real, record: Record) -> Truth:
    """Finish an accumulation of impacts if one has begun; True if the state has been moved to its end.

    Where impacts have resets each of them must happen: none of them is summed up.
    """
    slow: Integer = False
    for i in range(m.nc):
        slows = s.choice.touching[i] and not s.choice.candidate[i] and not m.counted[i]
        slow = slow or (slows and w.velocity[2 * i] < s.memory.chatter_speed[i])
    if not slow and not any_rises_little(m, w, s):
        return False
    # contacts that stay closed keep their mode while the others chatter
    for i in range(m.nc):
        s.choice.trial[i] = s.modes[i] if s.choice.candidate[i] or m.compliant[i] else OPEN
    t = s.t
    prepare_impacts(m, w, t, address(s.q, 0), address(s.u, 0))
    tau = finish_chatter(m, w, s, latest)
    for i in range(m.nc):
        if m.counted[i] and w.chatter[MEMBER, i] > 0.0:
            tau = -1.0
    if tau >= 0.0 and (not chatter_covered(m, w, s, tau) or jumps_meanwhile(m, w, s, tau)):
        tau = -1.0
    if tau < 0.0:
        prepare_impacts(m, w, t, address(s.q, 0), address(s.u, 0))
        return False
    if m.faces != 0:
        hold_members(m, w, s, w.chatter[MEMBER])
    for i in range(m.nc):
        s.choice.chosen[i] = s.choice.trial[i]  # the modes meanwhile
    rest_members(m, w, s)
    add_chatter_step(m, w, s, t, tau, record)
    book_chatter(m, w, s, t, tau, record)
    for j in range(m.n):
        s.q[j], s.u[j] = w.new_q[j], w.new_u[j]
    s.t = t + tau
    project(m, w, s.t, address(s.q, 0), address(s.u, 0), address(s.choice.trial, 0))
    s.ledger[SURFACE_WORK] += w.projection_work
    return True


@kernel
def any_rises_little(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether a rebound rises little under what turns it round; the chatter speeds of such contacts grow to that.

    They come from the free acceleration alone (set_chatter_speed). But a surface that accelerates, the friction of a
    preload, or that of contacts that are held bring a body back, too, without any force on it. The acceleration in the
    mode behind the impact is solved for only where a bound on it says that the rebound may be one.
    """
    possible: Integer = False
    for i in range(m.nc):
        slows = s.choice.touching[i] and not s.choice.candidate[i] and not m.counted[i] and w.velocity[2 * i] > 0.0
        possible = possible or (slows and w.velocity[2 * i] < small_rebound(w, s, i, largest_acceleration(m, w, i)))
    if not possible or not prepare_impacts(m, w, s.t, address(s.q, 0), address(s.u, 0)):
        return False
    for i in range(m.nc):
        s.choice.chosen[i] = s.modes[i] if s.choice.candidate[i] or has_no_impacts(m, i) else OPEN
    solve_mode(m, w, address(s.choice.chosen, 0))
    found = False
    for i in range(m.nc):
        if s.choice.touching[i] and not s.choice.candidate[i] and not m.counted[i] and w.velocity[2 * i] > 0.0:
            place = contact_place(m, i)
            acceleration = along(m, w.contact, i, normal_place(m, i), w.acceleration, w.contact[place + 3])
            if w.velocity[2 * i] < small_rebound(w, s, i, -acceleration):
                s.memory.chatter_speed[i] = small_rebound(w, s, i, -acceleration)
                found = True
    return found


@kernel
def small_rebound(w: Workspace, s: Motion, i: Integer, acceleration: Real) -> Real:
    """The speed of the rebounds of contact i that rise by no more than Options.chatter_rise says; 0 if nothing turns
    them round.
    """
    if s.settings.chatter_limit >= 0.0 or not acceleration > 0.0:
        return 0.0
    return rising_speed(acceleration, -s.settings.chatter_limit * w.size[i])


@kernel
def largest_acceleration(m: Machine, w: Workspace, i: Integer) -> Real:
    """A bound on the acceleration of gap i: its surface's, and all of the forces and preloads along it alone.

    Needs w.whole of ``note_speeds``. Squares of accelerations add up, times their number, without a root of a mass.
    """
    whole, parts = w.whole[2], 1.0
    for k in range(m.nc):
        if m.load[k]:
            force = w.surface[k * SURFACE_STRIDE + STATIC_FRICTION] * preload(w, k)
            base = normal_place(m, k) + m.width
            for j in range(m.width):
                entry = w.contact[base + j] * force
                whole += entry * entry / w.mass[column(m, k, j) * m.mass_step]
            parts += 1.0
    normal = normal_place(m, i)
    total = abs(w.contact[contact_place(m, i) + 3])
    for j in range(m.width):
        entry = abs(w.contact[normal + j])
        if entry > 0.0:
            total += entry * share(parts * whole, w.mass[column(m, i, j) * m.mass_step])
    return total


@kernel
def jumps_meanwhile(m: Machine, w: Workspace, s: Motion, tau: Real) -> Truth:
    """Whether a force or a surface jumps before the accumulation just found is over, at tau, in w.new_q and w.new_u.

    The frozen problem has the forces and surfaces of its start. Impacts are then followed one by one up to the jump.
    """
    if m.ng == 0 or not tau > 0.0:
        return False
    p = address(m.p, 0)
    call_state(m.guards, s.t, address(s.q, 0), address(s.u, 0), p, address(w.user, 0))
    call_state(m.guards, s.t + tau, address(w.new_q, 0), address(w.new_u, 0), p, address(w.user_rate, 0))
    for k in range(m.ng):
        if m.guard_kink[k] >= LEAP and w.user[k] != 0.0 and not w.user[k] * w.user_rate[k] > 0.0:
            return True
    return False


@kernel
def rest_members(m: Machine, w: Workspace, s: Motion) -> None:
    """After a chatter its members touch for good; whether they also rest is what the frozen problem ended with."""
    start = 0.0
    for i in range(m.nc):
        if w.chatter[MEMBER, i] > 0.0:
            start = max(start, energy_of(w, 2 * i, w.chatter[START_N, i]))
    for i in range(m.nc):
        if w.chatter[MEMBER, i] == 0.0:
            continue
        # a slip that no impulse changes, as that of a body moved by a motor, rests only if it is zero
        slip, mobility = w.chatter[END_T, i], w.delassus[2 * i + 1, 2 * i + 1]
        resting = m.has_slip[i] and slip * slip <= CHATTER_REST * CHATTER_REST * start * mobility
        s.choice.trial[i] = STICK if resting else SLIP_POSITIVE


@kernel
def add_chatter_step(m: Machine, w: Workspace, s: Motion, t: Real, tau: Real, record: Record) -> None:
    """The accumulation as one smooth step (Hermite's cubic in q), so that no hole is left; needs s.choice.chosen."""
    if not tau > 0.0:
        return
    rows = s.settings.rows
    for j in range(m.n):
        s.z[j], s.z[m.n + j] = s.q[j], s.u[j]
    for row in range(rows):
        for j in range(2 * m.n):
            w.interpolant[row, j] = 0.0
    for j in range(m.n):
        delta = w.new_q[j] - s.q[j]
        w.interpolant[0, j] = delta
        w.interpolant[1, j] = tau * s.u[j] - delta
        w.interpolant[2, j] = 2.0 * delta - tau * (s.u[j] + w.new_u[j])
        w.interpolant[0, m.n + j] = w.new_u[j] - s.u[j]
    for k in range(all_words(record.roster, m.nc)):
        record.orders[k] = -1  # no state of a motion: a run that starts in it must find its own modes
    add_step(record, t, tau, s.choice.chosen, m.nc, m.n, s.z, w.interpolant, rows, s.ledger)


@kernel
def book_chatter(m: Machine, w: Workspace, s: Motion, t: Real, tau: Real, record: Record) -> None:
    """Ledger and event rows of a finished chatter (the state in s is still the one before it)."""
    c = w.chatter
    lost = 0.0
    for i in range(m.nc):
        lost += c[SUM_LOSS, i]
    # the surfaces' motion is that of the states at both ends
    evaluate_model(m, w, t, address(s.q, 0), address(s.u, 0))
    for i in range(m.nc):
        if c[MEMBER, i] > 0.0:
            s.ledger[SURFACE_WORK] += c[JOINT_WORK, i]
            normal_drift, tangent_drift = surface_velocity(m, w, i, s.u)
            s.ledger[SURFACE_WORK] -= 0.5 * (c[SUM_N, i] * normal_drift + c[SUM_T, i] * tangent_drift)
    evaluate_model(m, w, t + tau, address(w.new_q, 0), address(w.new_u, 0))
    for i in range(m.nc):
        if c[MEMBER, i] > 0.0:
            normal_drift, tangent_drift = surface_velocity(m, w, i, w.new_u)
            s.ledger[SURFACE_WORK] -= 0.5 * (c[SUM_N, i] * normal_drift + c[SUM_T, i] * tangent_drift)
            s.loss[i] += c[SUM_LOSS, i]
            s.ledger[FRICTION_LOSS] += c[SUM_FRICTION, i]
        struck = c[MEMBER, i] == HELD and c[SUM_LOSS, i] > STRUCK * lost
        if c[MEMBER, i] == BOUNCING or struck:
            row = add_event(record, t + tau, CHATTER, i, s.modes[i] if struck else OPEN, OPEN)
            set_impulse(
                record, row, c[START_N, i], 0.0, c[START_T, i], c[END_T, i],
                c[SUM_N, i], c[SUM_T, i], c[SUM_LOSS, i], m.laws[i], -1,
            )  # fmt: skip
            write_face(m, w, i, row, record)
    if s.settings.keep_ledger:
        # applied forces only: what the contacts did is in the sums
        for i in range(m.nc):
            s.choice.chosen[i] = s.modes[i] if has_no_impacts(m, i) else OPEN
        pressed = count_pressed(s.choice.chosen, m.nc) + count_closed(s.choice.chosen, m.nc)
        sample_power(m, w, t, address(s.q, 0), address(s.u, 0), address(s.choice.chosen, 0), pressed)
        for k in range(WORKS):
            s.ledger[k] += 0.5 * tau * w.power[k]
        sample_power(m, w, t + tau, address(w.new_q, 0), address(w.new_u, 0), address(s.choice.chosen, 0), pressed)
        for k in range(WORKS):
            s.ledger[k] += 0.5 * tau * w.power[k]
