"""Switches whose surface has jumped: asked anew (model/switches.py).

The side of a switch is a discrete state, which changes where the surface s passes zero. A schedule that changes a
parameter, a reset that changes a velocity, a start that a person has altered make s jump without passing: the side that
is remembered is then one on which the motion is not, or the switch holds a surface on which the motion does not lie.
Behind each of them s is compared with the side,

    side s < -limit   or, while it slides,   |s| > limit ,

limit = ON_SURFACE tolerance sum_i |ds/dx_i| X_i by the scales X_i of the run: by less the errors of integration may
have moved it. Nor is a state known better than it changes within the rounding of the time: a start that is written down
beside a zero has no other scale in a velocity that just vanishes. The reset that sets the
sides of a run's start is then due.

Forces jump with them, and at the kinks of forces: a brake that is let go while it holds. What ends sliding is a guard
that is then negative without having passed zero, by more than its own limit: the reset at its zero is due.

A contact that is closed may hold a surface at zero, as a stop does with dry friction pressed against it: then
a + b side + c lambda = 0 in place of s' = a + b S, c = s_u.M^-1 W_N. Where it lets go lambda vanishes, so that the side
is the very value -a/b that holds the surface, and the motion goes on to where c points. A side that agrees with that is
kept. Otherwise -a/b comes from the side into its range: the switch slides on, nothing jumps, and the guard of its limit
starts at its own root.
"""

from jounce.kernels.contact.forces import evaluate_model
from jounce.kernels.contact.linear import solve_mass
from jounce.kernels.events.guard_noise import add_changes
from jounce.kernels.records.codes import AT_SWITCH, RESET_EVENT, SURFACE_SIDE, SWITCH_MEETS, SWITCH_UNKNOWN
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.recording import ENERGY_LOSS, REGION, add_event
from jounce.kernels.records.rows import normal_place, spread
from jounce.kernels.records.tolerances import MOVE, ON_SURFACE, TIME_ROUNDING
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Truth


@kernel
def has_switches(m: Machine) -> Truth:
    """Whether the model has switches."""
    for r in range(m.nr):
        if m.reset_contact[r] == AT_SWITCH:
            return True
    return False


@kernel
def side_of(m: Machine, r: Integer) -> Integer:
    """Where the side of the switch that reset r starts lies in the parameter vector."""
    return m.states + m.reset_target[m.reset_first[r]] - 2 * m.n


@kernel
def beside_surfaces(m: Machine) -> None:
    """Let guards be surfaces: that of a switch that slides is none.

    Those on a side keep it, which may be that of the fold of another surface (model/folds.py).
    """
    for r in range(m.nr):
        if m.reset_contact[r] == AT_SWITCH and abs(m.p[side_of(m, r)]) != 1.0:
            m.p[side_of(m, r)] = 1.0


@kernel
def restore_sides(m: Machine, record: Record) -> None:
    """Undo ``beside_surfaces``."""
    for k in range(m.nd):
        m.p[m.states + k] = record.states[k]


@kernel
def find_limits(m: Machine, w: Workspace, s: Motion) -> None:
    """The guards into w.user and by what the errors of integration may have moved them into w.user_noise.

    Needs the free accelerations in w.free.
    """
    n, known = m.n, ON_SURFACE * s.settings.tolerance
    for k in range(m.ng):
        w.user_noise[k] = 0.0
    moment = TIME_ROUNDING * abs(s.t) / known
    for j in range(n):
        w.point[j], w.state_size[j] = s.z[j], max(w.scale[j], moment * abs(s.z[n + j]))
        w.point[n + j], w.state_size[n + j] = s.z[n + j], max(w.scale[n + j], moment * abs(w.free[j]))
    add_changes(m, w, s.t, MOVE, MOVE, known / MOVE, w.user_noise)


@kernel
def find_surfaces(m: Machine, w: Workspace, s: Motion, record: Record) -> None:
    """The surfaces into w.user and their limits into w.user_noise, each at the index of its guard."""
    call_state(m.free_acceleration, s.t, address(s.q, 0), address(s.u, 0), address(m.p, 0), address(w.free, 0))
    beside_surfaces(m)
    find_limits(m, w, s)
    restore_sides(m, record)


@kernel
def ask_switches(m: Machine, w: Workspace, s: Motion, record: Record) -> Truth:
    """Mark the resets of switches whose sides contradict their surfaces or forces, or are not known; True if any."""
    if not has_switches(m):
        return False
    find_surfaces(m, w, s, record)
    found = slides = False
    for r in range(m.nr):
        if m.reset_contact[r] != AT_SWITCH:
            continue
        at, surface, limit = side_of(m, r), w.user[m.reset_kind[r]], w.user_noise[m.reset_kind[r]]
        away = abs(surface) if m.p[at] == 0.0 else -m.p[at] * surface
        if m.p[at] == SWITCH_UNKNOWN or away > limit:
            m.p[at] = SWITCH_UNKNOWN
            s.event.triggered |= 1 << r
            found = True
        slides = slides or m.p[at] == 0.0
    return found or (slides and ask_sliding(m, w, s))


@kernel
def ask_sliding(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Mark the resets that end the sliding of switches which their forces hold no longer; True if there are any."""
    find_limits(m, w, s)
    found = False
    for r in range(m.nr):
        if m.reset_contact[r] != AT_SWITCH or m.p[side_of(m, r)] != 0.0:
            continue
        end = end_of_sliding(m, r)
        if end >= 0 and w.user[m.reset_guard[end]] < -w.user_noise[m.reset_guard[end]]:
            s.event.triggered |= 1 << end
            found = True
    return found


@kernel
def end_of_sliding(m: Machine, r: Integer) -> Integer:
    """The reset at the end of the sliding of the switch that reset r starts; -1 if it has none."""
    for other in range(m.nr):
        same = m.reset_target[m.reset_first[other]] == m.reset_target[m.reset_first[r]]
        if same and m.reset_guard[other] >= 0 and m.reset_guard[other] != m.reset_kind[r]:
            return other
    return -1


@kernel
def crossing_of(m: Machine, r: Integer) -> Integer:
    """The reset at the zeros of the surface of the switch that reset r starts."""
    for other in range(m.nr):
        if m.reset_guard[other] == m.reset_kind[r]:
            return other
    return -1


@kernel
def meet_surfaces(m: Machine, w: Workspace, s: Motion, record: Record) -> None:
    """Where one surface vanishes those that vanish with it, as far as the steps can tell, are crossed with it.

    Their switches know it of each other (SWITCH_MEETS) and decide together: one that was asked later would start at
    its own zero, behind which a guard has no event.
    """
    crossed = False
    for r in range(m.nr):
        if m.reset_contact[r] == AT_SWITCH and (s.event.triggered >> crossing_of(m, r)) & 1:
            crossed = True
    if not crossed:
        return
    find_surfaces(m, w, s, record)
    met = 0
    for r in range(m.nr):
        if m.reset_contact[r] != AT_SWITCH:
            continue
        k, crossing = m.reset_kind[r], crossing_of(m, r)
        if abs(m.p[side_of(m, r)]) == 1.0 and abs(w.user[k]) <= w.user_noise[k] / ON_SURFACE:
            s.event.triggered |= 1 << crossing
        met += (s.event.triggered >> crossing) & 1
    for r in range(m.nr if met > 1 else 0):
        if m.reset_contact[r] == AT_SWITCH and (s.event.triggered >> crossing_of(m, r)) & 1:
            m.p[side_of(m, r)] = SWITCH_MEETS


@kernel
def meet_accumulated(m: Machine, s: Motion, index: Integer) -> None:
    """Where crossings of surface ``index`` accumulate, those whose own come sooner vanish with it.

    Infinitely many crossings of both end at one instant, at which their switches are decided together. The resets of
    the present round stay triggered.
    """
    s.event.triggered = s.event.applied
    if m.guard_side[index] < SURFACE_SIDE:
        return
    for r in range(m.nr):
        if m.reset_contact[r] == AT_SWITCH and abs(m.p[side_of(m, r)]) == 1.0:
            if m.reset_kind[r] == index or s.memory.user_sooner[m.reset_kind[r]] > 0:
                s.event.triggered |= 1 << crossing_of(m, r)
                m.p[side_of(m, r)] = SWITCH_MEETS


@kernel
def push_surfaces(m: Machine, w: Workspace, s: Motion, i: Integer, record: Record) -> None:
    """The surfaces with the velocities changed along the normal of contact i, by their scales, into w.user_rate."""
    n = m.n
    spread(m, w.contact, i, normal_place(m, i), w.rows, 0)
    solve_mass(w.factor, n, w.rows, 0, w.response, 0)
    largest = fastest = 0.0
    for j in range(n):
        largest, fastest = max(largest, w.scale[n + j]), max(fastest, abs(w.response[0, j]))
    move = largest / fastest if fastest > 0.0 and largest > 0.0 else 1.0
    for j in range(n):
        w.point[j], w.point[n + j] = s.z[j], s.z[n + j] + move * w.response[0, j]
    beside_surfaces(m)
    q, u = address(w.point, 0), address(w.point, n)
    call_state(m.guards, s.t, q, u, address(m.p, 0), address(w.user_rate, 0))
    restore_sides(m, record)


@kernel
def slide_on(m: Machine, s: Motion, r: Integer, record: Record) -> None:
    """Let the switch that reset r starts slide at its limit; one that cannot slide is on its other side."""
    at, end = side_of(m, r), end_of_sliding(m, r)
    m.p[at] = 0.0 if end >= 0 else -m.p[at]
    record.states[at - m.states] = m.p[at]
    if end >= 0:
        s.user_fresh[m.reset_guard[end]], s.user_sign[m.reset_guard[end]] = 1, 1


@kernel
def slide_at_limit(m: Machine, w: Workspace, s: Motion, index: Integer, record: Record) -> Truth:
    """Where the motion leaves surface ``index`` against the side that its forces have said just now, the switch slides.

    True if that is so: no time has passed since the guard started at its zero. The force of that side is equal to what
    holds the surface, up to rounding, and falls: the limit of what the switch holds starts at its own root. The row is
    one more of the reset at the surface.
    """
    if m.guard_side[index] < SURFACE_SIDE or s.user_fresh[index] == 0:
        return False
    for r in range(m.nr):
        if m.reset_contact[r] == AT_SWITCH and m.reset_kind[r] == index:
            slide_on(m, s, r, record)
            crossing, slides = crossing_of(m, r), m.p[side_of(m, r)] == 0.0
            row = add_event(record, s.t, RESET_EVENT, -1, -1, crossing)
            if row >= 0:
                record.event_integer[row, REGION], record.event_float[row, ENERGY_LOSS] = crossing, 0.0
            s.user_fresh[index] = 0 if slides else 1
            s.user_sign[index] = 1 if slides else -s.user_sign[index]
            w.user_largest[index] = 0.0
    return True


@kernel
def slide_behind_contacts(m: Machine, w: Workspace, s: Motion, record: Record) -> None:
    """Where contacts have let go, switches on their surfaces whose sides the motion would contradict slide."""
    if not has_switches(m):
        return
    for i in range(m.nc):
        if not s.released[i]:
            continue
        find_surfaces(m, w, s, record)
        if not evaluate_model(m, w, s.t, address(s.z, 0), address(s.z, m.n)):
            return
        push_surfaces(m, w, s, i, record)
        for r in range(m.nr):
            if m.reset_contact[r] != AT_SWITCH:
                continue
            at, k = side_of(m, r), m.reset_kind[r]
            pushed = w.user_rate[k] - w.user[k]
            lies = abs(w.user[k]) <= w.user_noise[k] and abs(pushed) > w.user_noise[k]
            if lies and m.p[at] != SWITCH_UNKNOWN and m.p[at] * pushed < 0.0:
                slide_on(m, s, r, record)
