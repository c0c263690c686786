"""The scales of a run: how large things are, so that every threshold is a pure number.

Nothing in the engine is small or large by itself. What it is compared with is

    reference   the largest |q_j| and |u_j| of the run so far (or what the user says)
    size        the terms of which a gap, a joint, a guard, a slip is the sum (model/magnitude.py), the largest so far
    speed       the largest normal and tangential velocity of each contact so far, and what its acceleration would
                give it over its size, v^2 = a size: bodies at rest have a scale too
    whole       sum_j M_jj u_j^2, the motion as a whole in the metric of M: a coordinate that stays at zero while others
                move carries the rounding of their coupling, sqrt(whole/M_jj) times a few units in the last place;
                so is sum_j M_jj a_j^2 of the free accelerations: what contacts and joints hold in balance is known to
                the rounding of the forces that cancel

Each has the unit of what it measures, grows with the motion, and is the same multiple of the motion in any units; in
units that differ by powers of two it is the same to the last bit. For that roots are only taken of what is the square
of a length, a velocity or an acceleration: the root of a mass would be rounded differently.
"""

import math

from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.rows import column, contact_place, normal_place
from jounce.kernels.records.tolerances import COUPLING, EPSILON, MASSLESS, RANK_TOLERANCE, ROUNDING_ASKED
from jounce.kernels.records.workspace import CONTACT_STRIDE
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Truth


@kernel
def forget_scales(m: Machine, w: Workspace, s: Motion) -> None:
    """The scales of a run that begins at the state in s: that state, and what the user or the run before gives.

    The motion as a whole was never less than its largest part: a run that goes on from rest knows what rest is.
    """
    n = m.n
    call_state(m.dynamics, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.mass, 0))
    w.whole[0] = w.whole[1] = w.whole[2] = 0.0
    for j in range(n):
        w.start_mass[j] = max(w.mass[j * m.mass_step], 0.0)
    for k in range(2 * n):
        w.reference[k] = s.brought.given[k]
        part = w.start_mass[k % n] * (w.reference[k] * w.reference[k])
        w.whole[k // n] = max(w.whole[k // n], part)
    for k in range(2 * m.nc + m.nj + m.ng):
        w.size[k] = s.brought.given_size[k]
    note_state(m, w, s, s.z)
    set_scales(m, w, s)
    note_sizes(m, w, s.t, s.z)


@kernel
def natural_time(m: Machine, w: Workspace, s: Motion) -> Real:
    """The time in which the motion as a whole changes by itself; inf where nothing moves and no force acts."""
    n = m.n
    call_state(m.free_acceleration, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.free, 0))
    acceleration = 0.0
    for j in range(n):
        acceleration += w.start_mass[j] * (w.free[j] * w.free[j])
    w.whole[2] = acceleration
    return change_time(w.whole[0], w.whole[1], acceleration, math.inf)


@kernel
def change_time(position: Real, motion: Real, acceleration: Real, longest: Real) -> Real:
    """The time in which a motion with the squares X, V and A of position, velocity and acceleration changes by itself.

    sqrt(V/A), or from rest (X/A)^(1/4), the larger of the two: a velocity that is only rounding says nothing. Without
    acceleration sqrt(X/V); where nothing says anything, ``longest``.
    """
    if acceleration > 0.0:
        time = max(math.sqrt(motion / acceleration), math.sqrt(math.sqrt(position / acceleration)))
    elif motion > 0.0:
        time = math.sqrt(position / motion)
    else:
        time = 0.0
    return min(time, longest) if time > 0.0 else longest


@kernel
def note_state(m: Machine, w: Workspace, s: Motion, z: Reals) -> None:
    """Let the references grow with the state z, and the scales with them."""
    n = m.n
    position = motion = 0.0
    grown = False
    for j in range(n):
        place, speed = abs(z[j]), abs(z[n + j])
        if place > w.reference[j]:
            w.reference[j], grown = place, True
        if speed > w.reference[n + j]:
            w.reference[n + j], grown = speed, True
        position += w.start_mass[j] * (z[j] * z[j])
        motion += w.start_mass[j] * (z[n + j] * z[n + j])
    if position > w.whole[0]:
        w.whole[0], grown = position, True
    if motion > w.whole[1]:
        w.whole[1], grown = motion, True
    if grown:
        set_scales(m, w, s)


@kernel
def set_scales(m: Machine, w: Workspace, s: Motion) -> None:
    """The scales of coordinates and velocities by what the references are now."""
    n, floor = m.n, rounding_asked(s.settings.tolerance)
    for j in range(n):
        w.scale[j] = max(w.reference[j], floor * share(w.whole[0], w.start_mass[j]))
        w.scale[n + j] = max(w.reference[n + j], floor * share(w.whole[1], w.start_mass[j]))


@kernel
def rounding_asked(tolerance: Real) -> Real:
    """The part of the whole motion below which no coordinate is asked for more digits than rounding leaves it."""
    return min(ROUNDING_ASKED * EPSILON / tolerance, 1.0)


@kernel
def share(whole: Real, mass: Real) -> Real:
    """What a motion whose whole is ``whole`` may be in a coordinate of this mass; internal states have no part."""
    return math.sqrt(whole / mass) if mass > MASSLESS else 0.0


@kernel
def note_sizes(m: Machine, w: Workspace, t: Real, z: Reals) -> None:
    """Let the sizes of gaps, joints, guards and slips grow with what they are at the state z."""
    call_state(m.sizes, t, address(z, 0), address(z, m.n), address(m.p, 0), address(w.size_now, 0))
    grow_sizes(m, w, w.size_now, 0)


@kernel
def grow_sizes(m: Machine, w: Workspace, sizes: Reals, first: Integer) -> None:
    """Let the sizes grow with those from place ``first`` of an array on."""
    for k in range(2 * m.nc + m.nj + m.ng):
        # a size that is not finite says nothing
        if w.size[k] < sizes[first + k] < math.inf:
            w.size[k] = sizes[first + k]


@kernel
def note_landing(m: Machine, w: Workspace, t: Real, z: Reals) -> None:
    """``note_sizes`` where a flight lands, by the function that gives w.contact as well: they share most of their
    terms.
    """
    call_state(m.landing, t, address(z, 0), address(z, m.n), address(m.p, 0), address(w.contact, 0))
    grow_sizes(m, w, w.contact, contact_place(m, m.nc))
    w.landed = 1


@kernel
def whole_acceleration(m: Machine, w: Workspace) -> Real:
    """sum_j M_jj a_j^2 of the free motion a in w.free."""
    n = m.n
    whole = 0.0
    for j in range(n):
        whole += w.mass[j * m.mass_step] * (w.free[j] * w.free[j])
    return whole


@kernel
def acceleration_along(m: Machine, w: Workspace, i: Integer, base: Integer, whole: Real) -> Real:
    """The terms of the free acceleration along the direction W of contact i at w.contact[base], sum_j |W_j a_j|.

    Not below a small part of what the free motion as a ``whole`` (``whole_acceleration``) may be in each coordinate: a
    wall beside a body that lies on the floor feels gravity by rounding only.
    """
    total = 0.0
    for k in range(m.width):
        entry, j = abs(w.contact[base + k]), column(m, i, k)
        if entry > 0.0:
            size, mass = abs(w.free[j]), w.mass[j * m.mass_step]
            # the root only where it may be the larger one: half of its square counts as that
            if not 0.5 * mass * (size * size) > COUPLING * COUPLING * whole:
                size = max(size, COUPLING * share(whole, mass))
            total += entry * size
    return total


@kernel
def contact_scales(m: Machine, w: Workspace, i: Integer) -> tuple[Real, Real]:
    """(force, acceleration) of contact i against which equalities are judged: what stops the free motion of all.

    Needs ``evaluate_model`` and w.free. The force is acceleration/C with C = sum_j W_j^2/M_jj.
    """
    base = contact_place(m, i)
    whole = whole_acceleration(m, w)
    acceleration = abs(w.contact[base + 3]) + acceleration_along(m, w, i, base + CONTACT_STRIDE, whole)
    mobility = contact_mobility(m, w, i)
    return acceleration / mobility if mobility > 0.0 else 0.0, acceleration


@kernel
def contact_mobility(m: Machine, w: Workspace, i: Integer) -> Real:
    """sum_j W_j^2/M_jj of the normal direction of contact i."""
    base = normal_place(m, i)
    total = 0.0
    for k in range(m.width):
        entry = w.contact[base + k]
        if entry != 0.0:
            total += entry * entry / w.mass[column(m, i, k) * m.mass_step]
    return total


@kernel
def velocity_terms(m: Machine, w: Workspace, u: Reals, i: Integer, base: Integer, velocity: Real) -> Real:
    """|velocity - W.u| + sum_j |W_j u_j|: the terms that make up a velocity of contact i, W at w.contact[base]."""
    drift, terms = velocity, 0.0
    for k in range(m.width):
        term = w.contact[base + k] * u[column(m, i, k)]
        drift -= term
        terms += abs(term)
    return terms + abs(drift)


@kernel
def normal_speed(m: Machine, w: Workspace, s: Motion, i: Integer, acceleration: Real) -> Real:
    """The velocity scale of contact i as the state in s has it, with the terms of its free acceleration."""
    base = contact_place(m, i)
    terms = velocity_terms(m, w, s.u, i, base + CONTACT_STRIDE, w.contact[base + 1])
    return max(terms, math.sqrt(acceleration * w.size[i]))


@kernel
def set_chatter_speed(m: Machine, w: Workspace, s: Motion, i: Integer, acceleration: Real) -> None:
    """Rebounds of contact i slower than this are extrapolated: what the user says, or those that rise very little."""
    if s.settings.chatter_limit >= 0.0:
        s.memory.chatter_speed[i] = s.settings.chatter_limit
    else:
        s.memory.chatter_speed[i] = rising_speed(acceleration, -s.settings.chatter_limit * w.size[i])


@kernel
def rising_speed(acceleration: Real, height: Real) -> Real:
    """The speed of a rebound that an acceleration turns round at a height."""
    return math.sqrt(2.0 * acceleration * height)


@kernel
def note_normal_speed(m: Machine, w: Workspace, s: Motion, i: Integer) -> None:
    """Let the normal speed of contact i grow with what it is now; needs ``evaluate_model`` and w.free."""
    acceleration = acceleration_along(m, w, i, normal_place(m, i), whole_acceleration(m, w))
    s.memory.own_speed[2 * i] = max(s.memory.own_speed[2 * i], normal_speed(m, w, s, i, acceleration))
    s.memory.speed[2 * i] = s.memory.own_speed[2 * i]
    set_chatter_speed(m, w, s, i, acceleration)


@kernel
def is_mobile(m: Machine, w: Workspace, i: Integer, base: Integer, mobility: Real) -> Truth:
    """Whether an impulse along the direction of contact i at w.contact[base] moves anything: its mobility is not what
    the rounding of joints has left.

    A pawl in a guide on a bar that a motor drives has no motion along the bar, and v^2/D of its slip is no energy.
    """
    if m.nj == 0:
        return mobility > 0.0
    alone = 0.0
    for k in range(m.width):
        alone += w.contact[base + k] * w.contact[base + k] / w.mass[column(m, i, k) * m.mass_step]
    return mobility > RANK_TOLERANCE * alone


@kernel
def note_speeds(m: Machine, w: Workspace, s: Motion) -> None:
    """Let the contacts' speeds grow with what they are now; needs ``prepare_impacts``.

    What moves a contact along its normal may move it along its tangent: both have the energy scale v^2/D of the larger.
    That is asked anew at every instant, since D changes: what is kept are the speeds of each direction by itself.
    """
    call_state(m.free_acceleration, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.free, 0))
    whole = w.whole[2] = whole_acceleration(m, w)
    for i in range(m.nc):
        acceleration = acceleration_along(m, w, i, normal_place(m, i), whole)
        normal = s.memory.own_speed[2 * i] = max(s.memory.own_speed[2 * i], normal_speed(m, w, s, i, acceleration))
        if m.has_slip[i]:
            base = contact_place(m, i)
            tangent = velocity_terms(m, w, s.u, i, base + CONTACT_STRIDE + m.width, w.contact[base + 2])
            tangent = s.memory.own_speed[2 * i + 1] = max(s.memory.own_speed[2 * i + 1], tangent)
            C, A = w.delassus[2 * i, 2 * i], w.delassus[2 * i + 1, 2 * i + 1]
            normal_base = normal_place(m, i)
            if is_mobile(m, w, i, normal_base, C) and is_mobile(m, w, i, normal_base + m.width, A):
                ratio = math.sqrt(A / C)
                normal, tangent = max(normal, tangent / ratio), max(tangent, normal * ratio)
            else:
                # a slip without a normal of its own (a brake, a pin): at the instants of stick it is rounding
                tangent = max(tangent, w.size[m.nc + m.nj + m.ng + i])
            s.memory.speed[2 * i + 1] = tangent
        s.memory.speed[2 * i] = normal
        set_chatter_speed(m, w, s, i, acceleration)


@kernel
def gap_scale(m: Machine, w: Workspace, i: Integer) -> Real:
    """The terms of gap i and what the motion as a whole may be along it: a surface at zero gives a gap no terms."""
    base = normal_place(m, i)
    total = w.size[i]
    for k in range(m.width):
        total += abs(w.contact[base + k]) * share(w.whole[0], w.start_mass[column(m, i, k)])
    return total


@kernel
def length_limit(option: Real, size: Real) -> Real:
    """A length that the user gives, or minus its ratio to the size of a gap's terms."""
    return option if option >= 0.0 else -option * size


@kernel
def note_slips(m: Machine, w: Workspace, s: Motion) -> None:
    """Let the speeds of contacts that others load, a brake or a pin, grow with the slips that impacts have given them.

    They have no normal whose approach would tell how fast they may be: one that is struck at rest and stops within a
    step has been seen at rest alone, and what is left of its slip at the stop would be a speed.
    """
    for i in range(m.nc):
        if m.load[i]:
            slip = abs(w.velocity[2 * i + 1])
            s.memory.own_speed[2 * i + 1] = max(s.memory.own_speed[2 * i + 1], slip)
            s.memory.speed[2 * i + 1] = max(s.memory.speed[2 * i + 1], slip)
