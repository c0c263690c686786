"""One step of the general way: how it is taken, with which error; its length, landing and work are beside it."""

import math

from jounce.kernels.contact.forces import derivative
from jounce.kernels.contact.modes import count_pressed
from jounce.kernels.flow.pole import nears_pole
from jounce.kernels.flow.runge_kutta import (
    DOP853,
    LAST_TERM_DOP853,
    end_step,
    estimate_errors,
    interpolate_step,
    set_error_scales,
    take_step,
)
from jounce.kernels.flow.shortest import begins, known_since, refuse_guess, too_short, wake
from jounce.kernels.flow.sides import holds_sides, release_sides
from jounce.kernels.flow.step_length import note_step
from jounce.kernels.flow.stiff import (
    force_change,
    has_states,
    is_stiff,
    note_stiffness,
    state_rate,
    stiff_step,
)
from jounce.kernels.flow.taylor import end_series_at, series_of, series_step
from jounce.kernels.flow.unseen import part_seen
from jounce.kernels.records.codes import (
    PRESSED,
)
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.motion import UNTRIED
from jounce.kernels.records.recording import REJECTED
from jounce.kernels.records.rows import column, contact_place, normal_place
from jounce.kernels.records.tolerances import (
    CALM,
    CALM_GROWTH,
    CUT,
    DAMPED,
    DAMPED_FIVE,
    EDGE_STRICTNESS,
    EPSILON,
    FAILED_RETRY,
    FINEST,
    FORCE_PART,
    FORCE_ROUNDING,
    GROWTH,
    INTERPOLANT_REST,
    KEPT_SHORT,
    LARGEST,
    LEAST_ERROR,
    MASSLESS,
    MOMENT,
    ROUNDING_ASKED,
    SAFETY,
    SHORTEST_RETRY,
    SHORTEST_STEPS,
    SMOOTH_CHANGE,
)
from jounce.kernels.records.workspace import COMPLIANCE_STRIDE, STAGES
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


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
    if function == 0 or (m.holds and not holds_sides(m)):
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
        if too_short(s, h):
            return 0.0
        end_series_at(m, w, s, h)
        derivative(m, w, s.t + h, w.new_state, s.modes, closed, 12)
        w.interpolated = 0
        s.pace.step_size = 3.0 * h


@kernel
def interpolant_holds(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer) -> Truth:
    """Whether the last term of the interpolant of the step just taken is as small as the record promises; DOP853.

    The stages of a step see a pulse, 1/cosh(x/w), at eleven places. Where its poles are nearer than the step is long
    their errors may cancel in both estimates, of order 5 and 3, and the step is taken for exact. The three stages of
    the interpolant lie elsewhere: its last term is then larger by any factor. The same happens to steps of a length
    that nobody has tried: a disc that comes to rest on a shaken floor began with the step of its flight, a third of the
    period, and was off by 50 tolerances. So it is asked where a model has parts that may be narrow (unseen.py), and of
    the first step in a mode that begins with the length of another one; whether steps are recorded or not. The
    shortest steps are taken in any case, as there.
    Models with guards are left out: a step over a located kink is taken anew up to it, and must not be cut before.
    """
    if s.settings.pair != DOP853 or h <= max(MOMENT * s.pace.reach, SHORTEST_STEPS * s.pace.smallest_step):
        return True
    if not w.interpolated:
        interpolate_step(m, w, s, h, closed)
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
    kept_short, states, rate = h < KEPT_SHORT * s.pace.step_size, has_states(m, w), 0.0
    while True:
        error = known_since(s, h) * strictness(m, w, s, h) * take_step(m, w, s, h, closed)
        s.memory.effort += STAGES
        if error <= 1.0 and m.compliant_contacts > 0:
            error = max(error, force_error(m, w, s, h))
        if error <= 1.0:
            end_step(m, w, s, h, closed)
            seen = 0.0
            if not nears_pole(m, w, s, closed, 1, 13 if s.settings.pair == DOP853 else 7):
                seen = part_seen(m, w, s, h, closed) if m.watched > 0 else 1.0
                asked = (m.watched > 0 or s.pace.last_error == UNTRIED) and m.ng == 0
                if seen == 1.0 and asked and not interpolant_holds(m, w, s, h, closed):
                    seen = 0.5
            rate = state_rate(m, w, s, h, closed) if states else 0.0
            if seen == 1.0 and h * rate <= most:
                break
            h *= min(max(seen, CUT) if seen > 0.0 else 0.5, SAFETY * most / max(h * rate, most))
        elif not error < LARGEST and holds_sides(m):
            release_sides(m)  # a branch may end at its border
        else:
            h *= max(SHORTEST_RETRY, SAFETY * error ** (-1.0 / order)) if error < LARGEST else FAILED_RETRY
        record.counter[REJECTED] += 1
        kept_short = False
        if not error <= 1.0:
            refuse_guess(m, w, s, h)
        if too_short(s, h):
            if math.isnan(error) or not begins(m, s) or h == 0.0:
                return 0.0, error
            # a force begins where nothing is and nothing has moved: all that moves in the shortest step is error
            h = wake(m, s, h)
            take_step(m, w, s, h, closed)
            end_step(m, w, s, h, closed)
            error = 1.0
            break
    # an error that collapses from one step to the next is an accident of its estimate, not a reason for a leap
    growth = CALM_GROWTH if s.pace.last_error < CALM else GROWTH
    allowed = h * min(growth, SAFETY * max(error, LEAST_ERROR) ** (-1.0 / order), DAMPED / damping(m, w, s, h))
    if allowed * rate > SAFETY * most:
        allowed = SAFETY * most / rate
    if not kept_short:
        s.pace.last_error = error
    # a step that something else kept short tells nothing against the longer one that the error allowed before
    s.pace.step_size = max(allowed, s.pace.step_size) if kept_short else allowed
    note_step(m, s)
    if m.compliant_contacts > 0 or states:
        note_stiffness(m, w, s, closed, rate)
    return h, error
