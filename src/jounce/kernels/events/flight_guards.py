"""The user's guards on a ballistic flight: parabolas of its time by the quadratic formula, others the general way.

A guard phi of degree 2 at most (codegen/flight_guards.py) is, along the whole flight,

    phi(s) = phi + phi' s + phi'' s^2/2 ,

with what it is at the start. With the sign that makes it positive while nothing happens, it turns negative first at
one of its zeros (parabola.py), or never. A parabola that only touches zero does not turn negative and is no event.

A guard whose last event was its own starts at one of its two roots, the one of smaller size, s = 0 but for rounding;
the other one is where it turns back. So neither a false repeat nor a fast return is possible.
"""

import math

from jounce.kernels.events.event_location import first_event, polish
from jounce.kernels.events.guards import add_guard
from jounce.kernels.flow.flight import PARABOLA_ROWS, write_parabola
from jounce.kernels.flow.parabola import roots, turns_negative
from jounce.kernels.records.codes import GUARD_USER
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.tolerances import FLIGHT_END, START_ROUNDING
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import i8
from jounce.toolchain.jit import address, block, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real

NO_GUARD = -1


@kernel
def later_root(value: Real, rate: Real, curvature: Real) -> Real:
    """The later time at which a parabola that opens downwards and rises at the start is zero; inf if it does not."""
    if not (rate >= 0.0 and curvature < 0.0):
        return math.inf
    near, far = roots(value, rate, curvature)
    # at a root of its own the value is rounding, and the whole parabola may be below zero by as much: then its crest
    return max(near, far) if near == near else rate / -curvature


@kernel
def crossing_time(value: Real, rate: Real, curvature: Real, t: Real, longest: Real) -> Real:
    """The first time at which a guard turns negative that does not start at its own root; inf if it never does.

    It has turned already where it is negative by more than its rounding: that of its own size, and of the time t.
    """
    if value < 0.0:
        speed = abs(rate) + 0.5 * abs(curvature) * longest
        if value < -FLIGHT_END * speed * (longest + abs(t)):
            return 0.0
        value = 0.0
    return turns_negative(value, rate, curvature)


@kernel
def return_time(value: Real, rate: Real, curvature: Real, longest: Real) -> Real:
    """The same for a guard that starts at its own root: when it turns back.

    At once, if it leaves on the wrong side. A slope that is only rounding says nothing: the curvature decides.
    """
    if rate < 0.0:
        rounded = -rate < START_ROUNDING * abs(rate + 0.5 * curvature * longest)
        return math.inf if rounded and curvature > 0.0 else 0.0
    return later_root(value, rate, curvature)


@kernel
def first_parabola(m: Machine, w: Workspace, s: Motion) -> tuple[Integer, Real]:
    """(guard, time) of the guard among the parabolas that vanishes first, before the end of the flight; else NO_GUARD.

    Of guards that vanish together the first in order; the others follow on a flight of no length.
    """
    t, q, u, p = s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0)
    call_state(m.guards, t, q, u, p, address(w.user, 0))
    call_state(m.guard_rates, t, q, u, p, address(w.user_rate, 0))
    first, time = NO_GUARD, s.event.flight
    for k in range(m.ng):
        if m.guard_degree[k] < 0:
            continue
        sign = s.user_sign[k]
        value, rate, curvature = sign * w.user[k], sign * w.user_rate[2 * k], sign * w.user_rate[2 * k + 1]
        if s.user_fresh[k]:
            root = return_time(value, rate, curvature, s.event.flight)
            if root == 0.0:
                # it goes on on the side to which it leaves
                s.user_sign[k] = -sign
                root = return_time(-value, -rate, -curvature, s.event.flight)
        else:
            root = crossing_time(value, rate, curvature, t, s.event.flight)
        if root < time:
            first, time = k, root
    return first, time


@block(i8(machine_record, workspace_record, motion_record))
def guard_on_flight(m: Machine, w: Workspace, s: Motion) -> Integer:
    """The row of the guard that vanishes first on the flight, which then ends there; NO_GUARD if none does.

    Guards that are no parabolas are looked for up to the first of those that are.
    """
    first, time = first_parabola(m, w, s)
    count = 0
    for k in range(m.ng):
        if m.guard_degree[k] < 0:
            count = add_guard(s.event.guards, count, GUARD_USER, k, s.user_sign[k], s.user_fresh[k])
    if count > 0 and time > 0.0:
        write_parabola(m, w, s, time)
        s.pace.reach = max(s.pace.reach, time)
        g = first_event(m, w, s, time, PARABOLA_ROWS, 0, count)
        if g >= 0:
            s.event.flight = time * polish(m, w, s, time, PARABOLA_ROWS, g)
            return g
    if first == NO_GUARD:
        return NO_GUARD
    s.event.flight = time
    return add_guard(s.event.guards, count, GUARD_USER, first, s.user_sign[first], s.user_fresh[first]) - 1
