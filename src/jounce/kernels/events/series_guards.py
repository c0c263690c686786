"""The guards of a step that was taken by Taylor series: polynomials that its series already are.

What ends a mode has series of its own (codegen/taylor.py): a gap, a force, a slip velocity, the limits of friction. On
the step, x from 0 to 1, a guard is sum_k c_k x^k without a single evaluation of the model. Most are seen to hold by
c_0 > -sum of the negative c_k. The others are brought to the Bernstein basis, b_i = sum_k C(i,k)/C(d,k) c_k, and go the
way of guard_polynomial.py: no change of sign is no root, one is one root, more are halved.

A guard that starts at its own root has c_0 = 0 (and c_1 = 0 at a root of order two): the division by x is a shift.

The polynomial is believed where what it leaves out, the last terms times their ratio to those before, is about what the
tolerance leaves in the state, and where it agrees with the guard itself at the end of the step (one of affine motion
can do nothing else). Where it leaves out
more the step is shortened: a part of it costs a sum of its series. For what needs more care (a flight so low, a slip so
slow or a force so small that rounding has a part in it, a user's guard) the search by samples takes over
(event_location.py): a guard is never lost here, it is only handed on.
"""

from jounce.kernels.contact.faces import ends_face
from jounce.kernels.contact.forces import evaluate_model, solve_mode
from jounce.kernels.contact.terms import measure_terms
from jounce.kernels.events.guard_polynomial import NO_ROOT, first_root, sign_changes
from jounce.kernels.events.guards import flow_guard, guard_at, guard_terms
from jounce.kernels.events.series_roots import largest_term, left_out, only_root, slope_at, survey, to_bernstein
from jounce.kernels.flow.taylor import sum_series
from jounce.kernels.records.codes import (
    GAP_WATCHED,
    GUARD_CONE_LOWER,
    GUARD_CONE_UPPER,
    GUARD_FORCE,
    GUARD_GAP,
    GUARD_JAM,
    GUARD_SLIP,
    OPEN,
    RELEASE_WHEN_FREE,
    STICK,
)
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.tolerances import (
    EPSILON,
    EQUALITY,
    EVALUATED,
    FLIGHT_KNOWN,
    GAP_KNOWN,
    GRAZING_DEPTH,
    GUARD_LEFT_OUT,
    LARGEST,
    LARGEST_LEFT_OUT,
    NEWTON_LAST,
    POLISH_RANGE,
    ROUNDING_SEEN,
    SAFETY,
    SERIES_POLISH_TURNS,
    SHORTEST_PART,
    START_ROUNDING,
    SUMMED,
    TOUCH_AHEAD,
)
from jounce.kernels.records.workspace import (
    FLOW_SOUND,
    SERIES_DETERMINANT,
    SERIES_GAPS,
    SERIES_LIMIT,
    SERIES_NORMAL,
    SERIES_SLIP,
    SERIES_TANGENT,
    WORKS,
    machine_record,
    workspace_record,
)
from jounce.toolchain.abi import f8, i8
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Reals, Truth

CONSTANT_BITS = 50  # codegen/taylor.py
HOLDS, SEARCH, ON_PART = -1, -2, -3  # what ``first_series_event`` may return in place of a row


@kernel
def guards_have_series(m: Machine, s: Motion) -> Truth:
    """Whether the guards of the present mode are such that their series tell everything; the step is one by series."""
    if not m.series_guards or m.ng > 0 or m.loaded > 0 or s.shared or s.settings.stick_release == RELEASE_WHEN_FREE:
        return False
    for i in range(m.nc):
        if m.faces != 0 and s.modes[i] != OPEN and ends_face(m, s, i):
            return False
        if s.gap_watch[i] != GAP_WATCHED if s.modes[i] == OPEN else s.slip_fresh[i] > 1:
            return False
    return True


@kernel
def set_powers(w: Workspace, h: Real) -> None:
    """w.step_powers: (h/H)^k, which make of series in the time over H those over the step."""
    y, power = h / w.series_length, 1.0
    for k in range(w.series_order):
        w.step_powers[k] = power
        power *= y


@kernel
def series_place(s: Motion, g: Integer) -> Integer:
    """Where the series of guard row g, no limit of friction, stands among those of the guards."""
    kind = s.event.guards[g, 0]
    if kind == GUARD_GAP:
        return SERIES_GAPS + s.event.guards[g, 1]
    if kind == GUARD_SLIP:
        return SERIES_SLIP
    return SERIES_DETERMINANT if kind == GUARD_JAM else SERIES_NORMAL


@kernel
def guard_series(m: Machine, w: Workspace, s: Motion, g: Integer, c: Reals) -> None:
    """c_k of guard row g over the step of ``set_powers``, degree w.series_order - 1."""
    kind, sign = s.event.guards[g, 0], 1.0 * s.event.guards[g, 2]
    stride, first, powers = m.series_stride, 2 * m.n + WORKS + 1, w.step_powers
    if kind == GUARD_CONE_UPPER or kind == GUARD_CONE_LOWER:
        other = -1.0 if kind == GUARD_CONE_UPPER else 1.0
        for k in range(w.series_order):
            at = k * stride + first
            c[k] = sign * powers[k] * (w.series[at + SERIES_LIMIT] + other * w.series[at + SERIES_TANGENT])
        return
    place = first + series_place(s, g)
    for k in range(w.series_order):
        c[k] = sign * powers[k] * w.series[k * stride + place]
    if kind == GUARD_JAM:
        c[0] -= sign * w.jam_level


@kernel
def holds_constantly(m: Machine, w: Workspace, s: Motion, g: Integer) -> Truth:
    """Whether guard row g is positive and does not change along the flow: the weight of a block on a belt."""
    kind, bits = s.event.guards[g, 0], int(w.series[m.series_stride + 2 * m.n + WORKS])
    place = series_place(s, g)
    if kind == GUARD_CONE_UPPER or kind == GUARD_CONE_LOWER or place >= CONSTANT_BITS or (bits >> place) & 1 == 0:
        return False
    value = w.series[2 * m.n + WORKS + 1 + place]
    if kind == GUARD_JAM:
        value -= w.jam_level
    return s.event.guards[g, 2] * value > 0.0


@kernel
def end_value(m: Machine, w: Workspace, s: Motion, g: Integer, h: Real, alone: Truth) -> Real:
    """Guard row g at the end of the step; w.flow has what ``fulfils`` left there, w.gap the gaps."""
    kind, index, sign = s.event.guards[g, 0], s.event.guards[g, 1], s.event.guards[g, 2]
    if kind == GUARD_GAP:
        return sign * w.gap[2 * index]
    if alone:
        return sign * flow_guard(m, w, kind)
    value, _ = guard_at(m, w, kind, index, sign, s.t + h, w.new_state, s.modes)
    return value


@kernel
def allowed_out(s: Motion, size: Real, rounding: Real) -> Real:
    """What the polynomial of a guard of this size may leave out of it."""
    return max(s.settings.tolerance, min(GUARD_LEFT_OUT * s.settings.tolerance, LARGEST_LEFT_OUT)) * size + rounding


@kernel
def known_rounding(w: Workspace, s: Motion, g: Integer) -> Real:
    """The rounding of a guard's terms without its forces: of a gap and of a slip."""
    kind, i = s.event.guards[g, 0], s.event.guards[g, 1]
    if kind == GUARD_GAP:
        return EVALUATED * w.size[i]
    return EVALUATED * s.memory.speed[2 * i + 1] if kind == GUARD_SLIP else 0.0


@kernel
def root_of(w: Workspace, s: Motion, g: Integer, c: Reals, size: Real, rounding: Real) -> Real:
    """First root of guard row g, whose coefficients c, up to ``size``, are changed; NO_ROOT if it has none."""
    kind, fresh, degree = s.event.guards[g, 0], s.event.guards[g, 3], w.series_order - 1
    if kind == GUARD_GAP and fresh == 0 and c[0] <= 0.0 and c[1] > 0.0:
        fresh = 1  # a gap that rounding has closed and its velocity opens starts at its root
    if fresh > 0:
        degree -= fresh
        for k in range(degree + 1):
            c[k] = c[k + fresh]
    while degree > 1 and c[degree] == 0.0:
        degree -= 1  # a force in a stick at constant velocity is a straight line
    if fresh > 0 and (fresh > 1 or kind != GUARD_GAP):
        if abs(c[0]) < START_ROUNDING * size:
            c[0] = 0.0
    elif fresh == 0 and kind == GUARD_GAP and c[0] > 0.0:
        c[0] -= min(GRAZING_DEPTH * size, 0.5 * c[0])
    if abs(c[0]) <= rounding:
        c[0] = 0.0
    to_bernstein(c, degree, w.bernstein, rounding)
    changes = sign_changes(w.bernstein, degree)
    if changes == 1 and c[0] > 0.0:
        return only_root(c, w.bernstein, degree)
    return first_root(w.bernstein, degree, w.split)


@kernel
def needs_care(w: Workspace, s: Motion, g: Integer, c: Reals, size: Real) -> Truth:
    """Whether rounding may have a part in where guard row g vanishes; w.terms has the terms of forces.

    ``size`` is its largest coefficient.
    """
    kind, i = s.event.guards[g, 0], s.event.guards[g, 1]
    if kind == GUARD_GAP:
        return largest_term(w, c, 1) <= ROUNDING_SEEN * w.size[i]
    scale = s.memory.speed[2 * i + 1] if kind == GUARD_SLIP else w.terms[g]
    return not size > ROUNDING_SEEN * scale


@kernel
def note_force_terms(m: Machine, w: Workspace, s: Motion, count: Integer, alone: Truth) -> None:
    """The terms of all guards at the start of the step, into w.terms.

    ``alone``: the step has asked the model's own function only, and what the instant before it has left is there still.
    """
    q, u = address(s.z, 0), address(s.z, m.n)
    determinant = w.mode_determinant
    if not (alone and w.terms_known):
        evaluate_model(m, w, s.t, q, u)
        determinant = solve_mode(m, w, address(s.modes, 0))
        measure_terms(m, w, address(s.modes, 0))
    guard_terms(m, w, u, 0.0, s.modes, determinant, s.event.guards, count, True)


@block(i8(machine_record, workspace_record, motion_record, f8, i8, i8))
def first_series_event(m: Machine, w: Workspace, s: Motion, h: Real, closed: Integer, count: Integer) -> Integer:
    """The guard row that vanishes first on the step of length h just taken by series, its place in s.event.event_x.

    HOLDS where none does, SEARCH where the search by samples has to tell, ON_PART where the guards are resolved on a
    part of the step only, which is s.event.event_x.
    """
    if not guards_have_series(m, s):
        return SEARCH
    c = w.power_form
    best, x, terms_known = HOLDS, NO_ROOT, False
    alone = closed > 0 and (m.affine == 1 or w.flow[m.n + FLOW_SOUND] == 1.0)
    if closed < m.nc and not m.affine:
        state = w.new_state
        call_state(m.gaps, s.t + h, address(state, 0), address(state, m.n), address(m.p, 0), address(w.gap, 0))
    set_powers(w, h)
    for g in range(count):
        if holds_constantly(m, w, s, g):
            continue
        guard_series(m, w, s, g, c)
        kind, fresh = s.event.guards[g, 0], s.event.guards[g, 3]
        rounding = known_rounding(w, s, g)
        size, total, lowest = survey(w, c, fresh)
        missed, allowed = left_out(w, c), allowed_out(s, size, rounding)
        if missed > allowed:
            s.event.event_x = SAFETY * (allowed / missed) ** (1.0 / w.series_order)
            return ON_PART if s.event.event_x > SHORTEST_PART else SEARCH
        # where they differ in sign the event lies at the very end of the step, and only the guard itself tells
        if m.affine:
            if abs(total) <= allowed:
                return SEARCH
        else:
            end = end_value(m, w, s, g, h, alone)
            if not abs(total - end) <= allowed or (total < 0.0) != (end < 0.0):
                return SEARCH
        if lowest > 0.0:
            continue
        if kind != GUARD_GAP and kind != GUARD_SLIP:
            if not terms_known:
                note_force_terms(m, w, s, count, alone)
                terms_known = True
            rounding = EVALUATED * w.terms[g]
        if needs_care(w, s, g, c, size):
            return SEARCH
        root = root_of(w, s, g, c, size, max(rounding, EPSILON * (abs(total) + 2.0 * (c[fresh] - lowest))))
        if root < x:
            best, x = g, root
    s.pace.reach = max(s.pace.reach, h)
    s.event.event_x = x
    return best


@block(f8(machine_record, workspace_record, motion_record, f8, i8))
def polish_on_series(m: Machine, w: Workspace, s: Motion, h: Real, g: Integer) -> Real:
    """Sharpen a root of the guard's polynomial on the guard itself, by the slope of the polynomial.

    The state at the place that is returned is in w.new_state.
    """
    kind, index, sign, x = s.event.guards[g, 0], s.event.guards[g, 1], s.event.guards[g, 2], s.event.event_x
    c, best, best_value, state = w.power_form, x, LARGEST, w.new_state
    rounding = 0.0
    if kind != GUARD_GAP:
        rounding = SUMMED * (s.memory.speed[2 * index + 1] if kind == GUARD_SLIP else w.terms[g])
    for turn in range(SERIES_POLISH_TURNS):
        sum_series(m, w, s, x * h / w.series_length, state)
        value, speed = guard_at(m, w, kind, index, sign, s.t + x * h, state, s.modes)
        if abs(value) <= rounding:
            return x
        if turn == 0:
            guard_series(m, w, s, g, c)
        if (
            kind == GUARD_GAP
            and s.event.guards[g, 3] == 1
            and GAP_KNOWN * w.size[index] > FLIGHT_KNOWN * x * h * abs(speed)
        ):
            break  # a flight so low that the rounding of its gap spoils the time that its velocity gives
        if abs(value) < abs(best_value):
            best, best_value = x, value
        elif abs(value) > 0.5 * abs(best_value):
            break
        slope = slope_at(w, c, x)
        if value == 0.0 or not slope < 0.0:
            break
        # near a double root the slope is no guide: stay where the polynomial has its root
        new = min(max(x - value / slope, s.event.event_x - POLISH_RANGE, 0.0), s.event.event_x + POLISH_RANGE, 1.0)
        if abs(new - x) <= NEWTON_LAST:
            best = new
            break
        x = new
    sum_series(m, w, s, best * h / w.series_length, state)
    return best


@kernel
def clearly_crosses(m: Machine, w: Workspace, s: Motion, g: Integer) -> Truth:
    """Whether guard row g, which vanishes at s.event.event_x, falls so fast there that it does not only touch zero.

    By as much as ``only_touches`` asks for where it looks first; w.terms has its terms.
    """
    c = w.power_form
    guard_series(m, w, s, g, c)
    return -slope_at(w, c, s.event.event_x) * TOUCH_AHEAD > 2.0 * EQUALITY * w.terms[g]


@kernel
def opens_by_force(m: Machine, s: Motion, g: Integer, closed: Integer) -> Truth:
    """Whether the contact of guard row g, which clearly crosses zero, surely opens: its force in a slide has vanished.

    While it slides g'' = b + A lambda_N = 0, b the acceleration without a force: b = -A lambda_N grows from zero as the
    force falls through it, if A > 0, and the motion without the force begins with the same velocities and forces.
    """
    return (
        s.event.guards[g, 0] == GUARD_FORCE
        and closed == 1
        and s.jam_sign > 0
        and s.modes[s.event.guards[g, 1]] != STICK
    )
