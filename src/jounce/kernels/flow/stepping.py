"""One step of the general way: how long it is, how it is taken, how it lands on an event, what work it does."""

import math

import numpy as np

from jounce.kernels.chatter.frozen import first_return
from jounce.kernels.contact.forces import derivative, sample_power, stage_power
from jounce.kernels.contact.modes import count_pressed
from jounce.kernels.contact.orders import begins_simply
from jounce.kernels.contact.projection import project
from jounce.kernels.events.guards import guard_at
from jounce.kernels.flow.pole import nears_pole
from jounce.kernels.flow.radau import take_radau_step
from jounce.kernels.flow.runge_kutta import (
    DOP853,
    DOP853_STEP,
    DOP853_WEIGHTS,
    LAST_TERM_DOP853,
    end_step,
    estimate_errors,
    interpolate,
    make_interpolant,
    set_error_scales,
    take_step,
    weighted_sums,
)
from jounce.kernels.flow.stiff import (
    force_change,
    has_states,
    is_stiff,
    leave_implicit,
    note_stiffness,
    state_rate,
    stiff_step,
)
from jounce.kernels.flow.tableaus import DOP853_B, DOP853_C
from jounce.kernels.flow.taylor import end_series_at, series_of, series_step, sum_series_at, sum_series_powers
from jounce.kernels.flow.unseen import part_seen
from jounce.kernels.records.codes import (
    AT_SWITCH,
    GAP_UNGUARDED,
    GUARD_CARRIED,
    GUARD_CONE_LOWER,
    GUARD_END,
    GUARD_FORCE,
    GUARD_GAP,
    GUARD_SLIP,
    GUARD_USER,
    LEAP,
    OPEN,
    PRESSED,
    SURFACE_LEAP,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import MODE_STEPS
from jounce.kernels.records.recording import REJECTED
from jounce.kernels.records.rows import column, contact_place, normal_place
from jounce.kernels.records.scales import change_time
from jounce.kernels.records.tolerances import (
    BEHIND_KINK,
    CALM,
    CORRECTIONS,
    CUT,
    DAMPED,
    DAMPED_FIVE,
    EDGE_STRICTNESS,
    EPSILON,
    EXACT_FLOW,
    FARTHEST_EVENT,
    FARTHEST_SLIP,
    FINEST,
    FORCE_PART,
    FORCE_ROUNDING,
    GAUSS_REST,
    INTERPOLANT_REST,
    LONGEST_UNGUARDED,
    MASSLESS,
    MOMENT,
    ROUNDING_ASKED,
    SHORT_MOVE,
    SHORTEST_STEPS,
    SLIP_CORRECTIONS,
    SLOPE_PART,
    SMOOTH_CHANGE,
    STEP_ROUNDING,
    STUCK,
    WORK_PIECES,
    WORK_SHARE,
    WORK_TOLERANCE,
)
from jounce.kernels.records.words import mode_key
from jounce.kernels.records.workspace import COMPLIANCE_STRIDE, MAX_JOINTS, STAGES, STATE, WORKS
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


def _gauss(count: int) -> np.ndarray:
    """Points and weights of Gauss and Legendre on [0, 1]."""
    x, weight = np.polynomial.legendre.leggauss(count)
    return np.array([0.5 * (1.0 + x), 0.5 * weight])


def _edge_gauss(count: int) -> np.ndarray:
    """The same in y with x = y^2 (3 - 2 y): a power delta^(3/2) at either end of the step is smooth in y."""
    y, weight = _gauss(count)
    return np.array([y * y * (3.0 - 2.0 * y), 6.0 * y * (1.0 - y) * weight])


# points and weights that integrate the powers of the ledger, in general and where compliant contacts may begin or end
MOVED = STAGES - 1  # a stage that is free where a step lands on an event
GAUSS = _gauss(8)
EDGE_GAUSS = _edge_gauss(16)


@kernel
def first_step_size(m: Machine, w: Workspace, s: Motion, f_row: Integer, remaining: Real) -> Real:
    """A first guess: a hundredth of the time in which the motion as a whole, in the metric of M, changes by itself.

    As ``natural_time``, with the accelerations of the mode. What is too long is rejected, what is too short grows.
    """
    acceleration = 0.0
    for j in range(m.n):
        a = w.stages[f_row, m.n + j]
        acceleration += w.start_mass[j] * (a * a)
    h = 0.1 * (
        min(remaining, s.settings.period) if s.settings.period > 0.0 and not s.settings.autonomous else remaining
    )
    return 0.01 * min(h, change_time(w.whole[0], w.whole[1], acceleration, h))


@kernel
def time_to_contact(m: Machine, w: Workspace, s: Motion) -> Real:
    """The first return of an open gap if its acceleration stayed what it is (by a difference along the flow)."""
    n = m.n
    soonest = math.inf
    call_state(m.gaps, s.t, address(s.z, 0), address(s.z, n), address(m.p, 0), address(w.gap, 0))
    dt = 1e-4 * s.pace.reach
    for k in range(2 * n):
        w.point[k] = s.z[k] + dt * w.stages[0, k]
    call_state(m.gaps, s.t + dt, address(w.point, 0), address(w.point, n), address(m.p, 0), address(w.gap_ahead, 0))
    for i in range(m.nc):
        if s.modes[i] == OPEN and begins_simply(s, i) and not s.inside[i]:
            gap = 0.0 if s.gap_fresh[i] == 1 else w.gap[2 * i]
            acceleration = (w.gap_ahead[2 * i + 1] - w.gap[2 * i + 1]) / dt
            soonest = min(soonest, first_return(gap, w.gap[2 * i + 1], acceleration))
    return soonest


@kernel
def recall_step(m: Machine, s: Motion) -> None:
    """After an event begin with the step that the error allowed last in this mode: it has little to do with another.

    What one mode says of the next step's error is nothing either. A switch that slides may hold all that moves, so that
    no step is too long: where its next side has not been met, the shortest step so far is the one to begin with.
    """
    code, sides = step_key(m, s)
    place = code % MODE_STEPS
    if s.pace.step_size > 0.0 and s.pace.mode_code[place] == code and s.pace.mode_step[place] > 0.0:
        s.pace.step_size = s.pace.mode_step[place]
    elif sides:
        for k in range(MODE_STEPS):
            if 0.0 < s.pace.mode_step[k] < s.pace.step_size:
                s.pace.step_size = s.pace.mode_step[k]
    s.pace.last_error = 0.0


@kernel
def step_key(m: Machine, s: Motion) -> tuple[Integer, Truth]:
    """(one integer for the mode and the sides of all switches, whether there are any)"""
    key, sides = mode_key(s.modes, m.nc), False
    for r in range(m.nr):
        if m.reset_contact[r] == AT_SWITCH:
            side = m.p[m.states + m.reset_target[m.reset_first[r]] - 2 * m.n]
            key, sides = (4 * key + 1 + int(side)) % 2**60, True
    return key, sides


@kernel
def note_step(m: Machine, s: Motion) -> None:
    """Keep the step that the error allows for the next time this mode begins."""
    code, _ = step_key(m, s)
    s.pace.mode_code[code % MODE_STEPS] = code
    s.pace.mode_step[code % MODE_STEPS] = s.pace.step_size


@kernel
def choose_step(m: Machine, w: Workspace, s: Motion, closed: Integer, after_jump: Integer, latest: Real) -> Real:
    """The length of the next step: what the error allowed, what the guards could resolve, what lies ahead."""
    if after_jump:
        leave_implicit(s)
        recall_step(m, s)
    h = s.pace.step_size
    remaining = latest - s.t
    if h <= 0.0:
        for k in range(MODE_STEPS):
            s.pace.mode_step[k] = 0.0
        h = first_step_size(m, w, s, 0, remaining)
        s.pace.reach = 10.0 * h
        if s.settings.period > 0.0 and not s.settings.autonomous:
            s.pace.reach = max(s.pace.reach, 0.25 * s.settings.period)
    h = min(h, 4.0 * s.pace.reach, s.settings.largest_step)
    unguarded = s.unguarded
    for i in range(m.nc):
        unguarded = unguarded or (s.modes[i] == OPEN and s.gap_watch[i] == GAP_UNGUARDED)
    if unguarded:
        # short, but longer from one false return to the next
        longest = min(s.pace.step_size, LONGEST_UNGUARDED * s.pace.smallest_step) if s.pace.step_size > 0.0 else h
        h = min(longest, 1e-2 * s.pace.reach * 4.0 ** min(s.memory.repeats - STUCK, 30))
    if after_jump and m.nc > closed:
        # end the step just after the expected impact: what lies behind it is wasted
        soonest = time_to_contact(m, w, s)
        if soonest > 0.0:
            h = min(h, 1.25 * soonest)
    return remaining if h >= 0.99 * remaining else h


@kernel
def has_powers(m: Machine, s: Motion, closed: Integer) -> Integer:
    """Whether anything does work that the ledger asks for."""
    active = closed + m.nj + count_pressed(s.modes, m.nc)
    return s.settings.keep_ledger and (active > 0 or s.settings.has_applied_power)


@kernel
def work_error_allowed(m: Machine, w: Workspace, s: Motion, h: Real) -> Real:
    """By how much the works of the step just taken, whose sums are known, may be wrong.

    An error of the state that the tolerance allows, |q| and |u| times it, changes the energy by M u.u and M u'.q times
    it. The works may be about as wrong as the state of this step is, or as a hundredth of what the tolerance allows.
    """
    change = 0.0
    for j in range(m.n):
        change += w.start_mass[j] * (w.stages[0, m.n + j] * w.stages[0, m.n + j])
    energy = 0.5 * w.whole[1] + math.sqrt(change * w.whole[0])
    for j in range(2 * m.n, 2 * m.n + WORKS):
        energy += h * abs(w.stage_sums[0, j])
    return max(WORK_TOLERANCE, WORK_SHARE * s.pace.last_error) * s.settings.tolerance * energy


@kernel
def add_stage_powers(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> Truth:
    """Add the work over the step just taken; False if that is not good enough.

    The works are integrated as the state is, by the weights of DOP853: the stages have the powers behind them, but for
    those of joints, whose forces are known. The pair's own estimate says how good this is; the step was chosen for the
    state, which may be smoother than the work.
    """
    if not has_powers(m, s, closed):
        return True
    n, sums = m.n, w.stage_sums
    if w.by_radau:
        return False
    if w.by_series:
        return add_series_powers(m, w, s, h, closed)
    for j in range(2 * n, 2 * n + WORKS):
        sums[0, j] = sums[1, j] = sums[2, j] = 0.0
    if closed > 0 or m.free_flow != 0:
        weighted_sums(w.stages, DOP853_WEIGHTS, 3, 2 * n, 2 * n + WORKS, sums)
    if m.nj > 0:
        add_joint_powers(m, w, s, h)
    allowed = work_error_allowed(m, w, s, h)
    for j in range(2 * n, 2 * n + WORKS):
        error5, error3 = abs(sums[1, j]), abs(sums[2, j])
        if h * error5 * error5 > allowed * max(error5, 0.1 * error3):
            return False
    for j in range(WORKS):
        s.ledger[j] += h * sums[0, 2 * n + j]
    return True


@kernel
def add_series_powers(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> Truth:
    """The same by the series of the powers: their last terms say how good that is.

    The product of two harmonic motions is twice as fast as these, and its series ends too early. Eight points of Gauss
    integrate all that it has to order 15, and most of what it has not.
    """
    sum_series_powers(m, w, s, h)
    sums, n = w.stage_sums, m.n
    allowed = work_error_allowed(m, w, s, h)
    left_out = 0.0
    for j in range(2 * n, 2 * n + WORKS):
        left_out = max(left_out, h * sums[1, j])
    if left_out <= allowed:
        for j in range(WORKS):
            s.ledger[j] += h * sums[0, 2 * n + j]
        return True
    if not GAUSS_REST * left_out <= allowed:
        return False
    sum_series_at(m, w, s, h / w.series_length, GAUSS[0], 8, w.node_q, w.node_u)
    for k in range(8):
        q, u = address(w.node_q, k * n), address(w.node_u, k * n)
        sample_power(m, w, s.t + GAUSS[0, k] * h, q, u, address(s.modes, 0), closed)
        for j in range(WORKS):
            s.ledger[j] += GAUSS[1, k] * h * w.power[j]
    return True


@kernel
def add_joint_powers(m: Machine, w: Workspace, s: Motion, h: Real) -> None:
    """Add the powers of h and of the joints at the stages of the step just taken to their weighted sums."""
    sums, n = w.stage_sums, m.n
    for i in range(12):
        if DOP853_B[i] == 0.0:
            continue
        q = address(s.z, 0) if i == 0 else address(w.stage_state, i * STATE)
        u = address(s.z, n) if i == 0 else address(w.stage_state, i * STATE + n)
        stage_power(m, w, s.t + DOP853_C[i] * h, q, u, address(w.stage_force, i * MAX_JOINTS))
        for j in range(WORKS):
            for row in range(3):
                sums[row, 2 * n + j] += DOP853_STEP[row, i] * w.power[j]


@kernel
def integrate_piece(
    m: Machine, w: Workspace, s: Motion, t: Real, h: Real, start: Real, width: Real, closed: Integer
) -> None:
    """Add the work over a piece of the interpolant to the ledger."""
    rows = s.settings.rows
    edges = count_pressed(s.modes, m.nc) > 0
    for k in range(16 if edges else 8):
        x, weight = (EDGE_GAUSS[0, k], EDGE_GAUSS[1, k]) if edges else (GAUSS[0, k], GAUSS[1, k])
        place = start + x * width
        interpolate(s.z, w.interpolant, rows, place, 2 * m.n, w.point)
        point, now = w.point, t + place * h
        sample_power(m, w, now, address(point, 0), address(point, m.n), address(s.modes, 0), closed)
        for j in range(WORKS):
            s.ledger[j] += weight * width * h * w.power[j]


@kernel
def integrate_powers(m: Machine, w: Workspace, s: Motion, t: Real, h: Real, x_end: Real, closed: Integer) -> None:
    """Add the work of applied forces, friction, surfaces and compliant losses over [0, x_end] of the interpolant."""
    if has_powers(m, s, closed):
        integrate_piece(m, w, s, t, h, 0.0, x_end, closed)


@kernel
def resolve_powers(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> None:
    """The same over a whole step that was chosen for a state much smoother than the work: a motor that turns steadily,
    a body that friction holds against a force that changes.

    Twice as many pieces until the sums agree, the first with that of the stages. The ledger at the start of the step is
    in the fourth row of sums, the last work in the third.
    """
    if not w.interpolated:
        make_interpolant(m, w, s, h, closed)
    before, last = w.stage_sums[3], w.stage_sums[2]
    staged = not (w.by_radau or w.by_series)
    for j in range(WORKS):
        before[j] = s.ledger[j]
        last[j] = h * w.stage_sums[0, 2 * m.n + j]
    energy = 0.5 * w.whole[1]
    pieces = 1
    while pieces <= WORK_PIECES:
        for j in range(WORKS):
            s.ledger[j] = before[j]
        for piece in range(pieces):
            integrate_piece(m, w, s, s.t, h, piece / pieces, 1.0 / pieces, closed)
        agree = staged or pieces > 1
        for j in range(WORKS):
            work = s.ledger[j] - before[j]
            agree = agree and abs(work - last[j]) <= s.settings.tolerance * (energy + abs(work))
            last[j] = work
        if agree:
            return
        pieces *= 2


@kernel
def guard_slope(m: Machine, w: Workspace, s: Motion, g: Integer, h: Real, x: Real) -> Real:
    """The slope in time of guard row g before a part x of the step, by a difference along the interpolant."""
    kind, index, sign = s.event.guards[g, 0], s.event.guards[g, 1], s.event.guards[g, 2]
    rows, before = s.settings.rows, max(x - SLOPE_PART, 0.0)
    if before == x:
        return 0.0
    interpolate(s.z, w.interpolant, rows, before, 2 * m.n, w.point)
    first, _ = guard_at(m, w, kind, index, sign, s.t + before * h, w.point, s.modes)
    interpolate(s.z, w.interpolant, rows, x, 2 * m.n, w.point)
    last, _ = guard_at(m, w, kind, index, sign, s.t + x * h, w.point, s.modes)
    return (last - first) / ((x - before) * h)


@kernel
def move_end(m: Machine, w: Workspace, s: Motion, length: Real, time: Real, closed: Integer) -> None:
    """Let the step just taken end a little later or earlier: along the derivative at its end."""
    derivative(m, w, s.t + length, w.new_state, s.modes, closed, MOVED)
    for k in range(2 * m.n):
        w.new_state[k] += time * w.stages[MOVED, k]


@kernel
def retake(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> None:
    """Take the step just taken with another length."""
    if w.by_series:
        end_series_at(m, w, s, h)
    elif w.by_radau:
        take_radau_step(m, w, s, h, closed)
    else:
        take_step(m, w, s, h, closed)


@kernel
def pass_kink(
    m: Machine, w: Workspace, s: Motion, closed: Integer, length: Real, index: Integer, sign: Integer
) -> Real:
    """Let the step just taken end behind the kink that it has reached; returns its length.

    All its stages lie before the kink: its last one would see the other branch, or the value at zero, which may be a
    third one. From there the state is moved on, by no more than shows, until the guard has its new sign: the next step
    begins with the forces behind the kink. Where the velocity of a surface jumps the state is put onto its constraints
    here: those behind hold for it only after what happens at this instant.
    """
    time = STEP_ROUNDING * (abs(s.t) + length)
    for _ in range(BEHIND_KINK):
        value, _ = guard_at(m, w, GUARD_USER, index, sign, s.t + length, w.new_state, s.modes)
        if value > 0.0:
            break
        length -= time
        time *= 2.0
        retake(m, w, s, length, closed)
    if m.guard_kink[index] == SURFACE_LEAP and closed + m.nj > 0:
        project(m, w, s.t + length, address(w.new_state, 0), address(w.new_state, m.n), address(s.modes, 0))
    for _ in range(BEHIND_KINK):
        value, _ = guard_at(m, w, GUARD_USER, index, sign, s.t + length, w.new_state, s.modes)
        if value < 0.0:
            break
        move_end(m, w, s, length, time, closed)
        length += time
        time *= 2.0
    return length


@kernel
def ends_at_leap(m: Machine, w: Workspace, s: Motion, h: Real) -> Truth:
    """Whether something jumps at the very end of the step just taken, which has passed nothing."""
    for k in range(m.ng):
        if m.guard_kink[k] >= LEAP and s.user_sign[k] != 0 and not s.user_fresh[k]:
            value, _ = guard_at(m, w, GUARD_USER, k, s.user_sign[k], s.t + h, w.new_state, s.modes)
            if not value > 0.0:
                return True
    return False


@kernel
def end_before_leap(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> None:
    """Take a step that ends at a jump anew, up to just before it: its last stages have seen what is behind."""
    length = h - STEP_ROUNDING * (abs(s.t) + h)
    if length > 0.0:
        retake(m, w, s, length, closed)
        move_end(m, w, s, length, h - length, closed)
        w.interpolated = 0


@kernel
def is_corrected(kind: Integer) -> Truth:
    """Whether the time of an event of this kind is corrected on the state at the end of a fresh step."""
    return kind == GUARD_GAP or GUARD_FORCE <= kind <= GUARD_CONE_LOWER or kind == GUARD_CARRIED or kind == GUARD_END


@kernel
def land(
    m: Machine, w: Workspace, s: Motion, closed: Integer, g: Integer, h: Real, x: Real, error: Real
) -> tuple[Real, Real]:
    """The state at an event inside the step, into w.new_state; returns (h, x) of the step that leads there.

    A series has the same order everywhere. Where the flow is exact to rounding the interpolant is used as it is.
    Otherwise a fresh step ends at the event, so its state has the full order, and the time is corrected on that state
    by Newton: the interpolant is known to a lower order, and a force that is not quite zero where its contact opens
    would close it again at once. At a kink the step that passed it has seen both branches, the fresh one sees one.

    The slip of a joint is corrected on the state that lies on the constraints. Where it is a small part k of a velocity
    v that the step knows to an error d, it seems to vanish where v = d/k; on the constraints it vanishes with v.
    """
    t = s.t
    if w.by_series:
        end_series_at(m, w, s, x * h)
        w.interpolated = 0
        return x * h, 1.0
    kind, index, sign = s.event.guards[g, 0], s.event.guards[g, 1], s.event.guards[g, 2]
    kink = kind == GUARD_USER and m.guard_kink[index] != 0
    if error < EXACT_FLOW and not kink:
        interpolate(s.z, w.interpolant, s.settings.rows, x, 2 * m.n, w.new_state)
        return h, x
    length = x * h
    # the gap of a sharp corner may have a kink where it vanishes: the slope before it counts
    by_secant = kind != GUARD_GAP or m.faces != 0
    held = kind == GUARD_SLIP and closed + m.nj > 1
    turns, farthest = (SLIP_CORRECTIONS, FARTHEST_SLIP) if held else (CORRECTIONS, FARTHEST_EVENT)
    secant = guard_slope(m, w, s, g, h, x) if by_secant and (kink or is_corrected(kind)) else 0.0
    retake(m, w, s, length, closed)
    for _ in range(turns if not by_secant or secant != 0.0 else 0):
        if held:
            project(m, w, t + length, address(w.new_state, 0), address(w.new_state, m.n), address(s.modes, 0))
        value, slope = guard_at(m, w, kind, index, sign, t + length, w.new_state, s.modes)
        slope = secant if by_secant else slope
        correction = -value / slope if slope < 0.0 else 0.0
        if abs(correction) <= 1e-15 * (abs(t) + h) or abs(correction) > farthest * length:
            break
        if abs(correction) <= SHORT_MOVE * length:
            move_end(m, w, s, length, correction, closed)
            length += correction
        else:
            length += correction
            retake(m, w, s, length, closed)
    if kink:
        length = pass_kink(m, w, s, closed, length, index, sign)
    w.interpolated = 0
    return length, 1.0


@kernel
def strictness(m: Machine, w: Workspace, s: Motion, h: Real) -> Real:
    """The factor on the error ratio of a step: larger than 1 where a compliant contact begins or ends.

    A force delta^(3/2) is not smooth there, an estimate of order 8 is too hopeful, and these few steps decide the whole
    rebound. Where a step changes the depth by a fraction of itself only, the force is smooth.
    """
    if count_pressed(s.modes, m.nc) == 0:
        return 1.0
    call_state(m.gaps, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.gap, 0))
    for i in range(m.nc):
        if s.modes[i] == PRESSED and h * abs(w.gap[2 * i + 1]) > SMOOTH_CHANGE * abs(w.gap[2 * i]):
            return max(1.0, min(EDGE_STRICTNESS, s.settings.tolerance / FINEST))
    return 1.0


@kernel
def force_scale(m: Machine, w: Workspace, i: Integer, last: Integer) -> Real:
    """A force that would give the bodies of contact i the accelerations of the stages 0 and ``last``, the larger ones.

    A contact that nothing presses yet but what its neighbours do begins with a high power of time: no part of its own
    force is ever known at first, and none has to be.
    """
    normal, n = normal_place(m, i), m.n
    terms = mobility = 0.0
    for k in range(m.width):
        entry, j = abs(w.contact[normal + k]), column(m, i, k)
        mass = w.start_mass[j]
        if entry > 0.0 and mass > MASSLESS:
            terms += entry * max(abs(w.stages[0, n + j]), abs(w.stages[last, n + j]))
            mobility += entry * entry / mass
    return terms / mobility if mobility > 0.0 else 0.0


@kernel
def force_error(m: Machine, w: Workspace, s: Motion, h: Real) -> Real:
    """What the error of the explicit step just taken does to the forces of pressed contacts, in units of what it may.

    A stiff contact turns an error of the position into a force: a depth of micrometres below coordinates of half a
    metre is anything at all where 1e-3 of these is asked for, and so is the direction of a journal in its bearing. The
    force then makes another motion, which takes more steps than an exact one. So whatever the tolerance the force is
    known to a part of itself, or of the forces at work beside it, and to what the rounding of its gap leaves.
    """
    if count_pressed(s.modes, m.nc) == 0:
        return 0.0
    n, p, end, last = m.n, address(m.p, 0), s.t + h, 11 if s.settings.pair == DOP853 else 6
    estimate_errors(m, w, s, h)
    for j in range(n):
        w.point[j] = w.new_state[j] + (w.step_error[j] + h * w.step_error[n + j])
        w.point[n + j] = w.new_state[n + j] + w.step_error[n + j]
    state, moved = w.new_state, w.point
    call_state(m.compliance, end, address(state, 0), address(state, n), p, address(w.stiff_force, 0))
    call_state(m.compliance, end, address(moved, 0), address(moved, n), p, address(w.compliance, 0))
    call_state(m.contacts, end, address(state, 0), address(state, n), p, address(w.contact, 0))
    worst = 0.0
    for i in range(m.nc):
        change, depth = force_change(w, i), abs(w.contact[contact_place(m, i)])
        if s.modes[i] != PRESSED or change == 0.0 or depth == 0.0:
            continue
        if not change < math.inf:
            return math.inf
        force = max(abs(w.stiff_force[i * COMPLIANCE_STRIDE]), force_scale(m, w, i, last))
        known = max(FORCE_PART, FORCE_ROUNDING * EPSILON * w.size[i] / depth)
        worst = max(worst, change / (known * force)) if force > 0.0 else worst
    return worst


@kernel
def damping(m: Machine, w: Workspace, s: Motion, h: Real) -> Real:
    """h times the fastest rate of the equations, by two evaluations of DOP853 at the end of a step; DAMPED/3 at least.

    |f(z1) - f(z2)|/|z1 - z2| with the new state and the last stage (Hairer & Wanner II, IV.2). A motion that is damped
    fast has small errors at the ends of steps up to the limit of stability, but not inside of them: with h times the
    rate near 6 the interpolant of one with the tolerance 1e-11 is wrong by 1e-8.
    """
    if s.settings.pair != DOP853:
        return DAMPED / 3.0
    rates = states = 0.0
    for k in range(2 * m.n):
        if w.error_scale[k] > 0.0:
            rates += ((w.stages[12, k] - w.stages[11, k]) / w.error_scale[k]) ** 2
            states += ((w.new_state[k] - w.stage_state[11, k]) / w.error_scale[k]) ** 2
    if not states > (ROUNDING_ASKED * EPSILON) ** 2:
        return DAMPED / 3.0
    return max(DAMPED / 3.0, h * math.sqrt(rates / states))


@kernel
def step_by_series(m: Machine, w: Workspace, s: Motion, closed: Integer, h: Real, record: Record) -> Real:
    """The length of an accepted step by series, 0 where there are none. Its scales are those of its own length."""
    function = series_of(m, s, closed)
    if function == 0:
        return 0.0
    while True:
        set_error_scales(m, w, s, h, closed)
        taken = series_step(m, w, s, h, closed, function, record)
        if taken == 0.0 or taken >= 0.5 * h:
            return taken
        h = taken


@kernel
def shorten_series(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer, record: Record) -> Real:
    """The length of the series' step just taken, h, up to which nothing is hidden in it; 0 on underflow."""
    if m.watched == 0:
        return h
    while True:
        seen = part_seen(m, w, s, h, closed)
        if seen == 1.0:
            return h
        h *= max(seen, CUT)
        record.counter[REJECTED] += 1
        if not h > max(STEP_ROUNDING * abs(s.t), s.pace.smallest_step):
            return 0.0
        end_series_at(m, w, s, h)
        derivative(m, w, s.t + h, w.new_state, s.modes, closed, 12)
        w.interpolated = 0
        s.pace.step_size = 3.0 * h


@kernel
def interpolant_holds(m: Machine, w: Workspace, s: Motion, h: Real) -> Truth:
    """Whether the last term of the interpolant of the step just taken is as small as the record promises; DOP853.

    The stages of a step see a pulse, 1/cosh(x/w), at eleven places. Where its poles are nearer than the step is long
    their errors may cancel in both estimates, of order 5 and 3, and the step is taken for exact. The three stages of
    the interpolant lie elsewhere: its last term is then larger by any factor. It is known where a model has parts that
    may be narrow (unseen.py), whether steps are recorded or not. The shortest steps are taken in any case, as there.
    """
    if s.settings.pair != DOP853 or h <= max(MOMENT * s.pace.reach, SHORTEST_STEPS * s.pace.smallest_step):
        return True
    limit, last = INTERPOLANT_REST * s.settings.tolerance, w.interpolant[6]
    for k in range(2 * m.n):
        if not LAST_TERM_DOP853 * abs(last[k]) <= limit * max(w.error_scale[k], abs(w.new_state[k])):
            return False
    return True


@kernel
def smooth_step(m: Machine, w: Workspace, s: Motion, closed: Integer, h: Real, record: Record) -> tuple[Real, Real]:
    """Take one accepted step; returns (h taken, error ratio), h = 0 on underflow or leaving the domain."""
    taken = step_by_series(m, w, s, closed, h, record)
    if taken > 0.0:
        taken = shorten_series(m, w, s, taken, closed, record)
        note_step(m, s)
        return taken, s.pace.last_error
    if is_stiff(s):
        taken, error = stiff_step(m, w, s, closed, h, record)
        if taken > 0.0:
            return taken, error
        h = min(h, s.pace.step_size)
    order, most = (8.0, DAMPED) if s.settings.pair == DOP853 else (5.0, DAMPED_FIVE)
    t = s.t
    kept_short, states, rate = h < 0.99 * s.pace.step_size, has_states(m, w), 0.0
    while True:
        error = strictness(m, w, s, h) * take_step(m, w, s, h, closed)
        s.memory.effort += STAGES
        if error <= 1.0 and m.compliant_contacts > 0:
            error = max(error, force_error(m, w, s, h))
        if error <= 1.0:
            end_step(m, w, s, h, closed)
            seen = 0.0
            if not nears_pole(m, w, s, closed, 1, 13 if s.settings.pair == DOP853 else 7):
                seen = part_seen(m, w, s, h, closed) if m.watched > 0 else 1.0
                if seen == 1.0 and m.watched > 0 and not interpolant_holds(m, w, s, h):
                    seen = 0.5
            rate = state_rate(m, w, s, h, closed) if states else 0.0
            if seen == 1.0 and h * rate <= most:
                break
            h *= min(max(seen, CUT) if seen > 0.0 else 0.5, 0.9 * most / max(h * rate, most))
        else:
            h *= max(0.2, 0.9 * error ** (-1.0 / order)) if error < 1e300 else 0.1
        record.counter[REJECTED] += 1
        kept_short = False
        if not h > max(STEP_ROUNDING * abs(t), s.pace.smallest_step):
            if not (w.whole[0] == 0.0 and w.whole[1] == 0.0 and error < 1e300):
                return 0.0, error
            # a force begins where nothing is and nothing has moved: all that moves in the shortest step is error
            take_step(m, w, s, h, closed)
            end_step(m, w, s, h, closed)
            error = 1.0
            break
    # an error that collapses from one step to the next is an accident of its estimate, not a reason for a leap
    growth = 3.0 if s.pace.last_error < CALM else 1.3
    allowed = h * min(growth, 0.9 * max(error, 1e-10) ** (-1.0 / order), DAMPED / damping(m, w, s, h))
    if allowed * rate > 0.9 * most:
        allowed = 0.9 * most / rate
    if not kept_short:
        s.pace.last_error = error
    # a step that something else kept short tells nothing against the longer one that the error allowed before
    s.pace.step_size = max(allowed, s.pace.step_size) if kept_short else allowed
    note_step(m, s)
    if m.compliant_contacts > 0 or states:
        note_stiffness(m, w, s, closed, rate)
    return h, error
