"""Ballistic flight: the next contact by certified steps.

Between contacts a model with constant M and h moves on parabolas, q = q0 + u0 s + a s^2/2, exactly; nothing is
integrated. Its gaps obey g'' >= -K with a K known for the whole flight (compilation/bounds.py), so from a place where
the gap is g and its velocity gamma no contact is possible before

    s = (gamma + sqrt(gamma^2 + 2 K g)) / K .

Going there and asking again approaches the first root from the left, quadratically once it is near, and can never step
over one. Just after an impact g = 0 exactly: the same formula with g = 0.
"""

import math

from jounce.kernels.codes import OPEN
from jounce.kernels.jit import address, block, call_state, f8, i8, kernel
from jounce.kernels.motion import motion_record
from jounce.kernels.runge_kutta import interpolant_rows
from jounce.kernels.workspace import machine_record, workspace_record

NO_CONTACT = -1
UNDECIDED = -2  # the general way must take this step
MOST_STEPS = 400
EPSILON = 2.220446049250313e-16


@kernel
def flight_state(m, w, s, time):
    """q and u after ``time`` on the parabola, into w.new_state; w.stages[0] holds the derivative at the start."""
    n = m.n
    for j in range(n):
        a = w.stages[0, n + j]
        w.new_state[j] = s.z[j] + (s.z[n + j] + 0.5 * a * time) * time
        w.new_state[n + j] = s.z[n + j] + a * time


@kernel
def flight_gaps(m, w, s, time):
    """Gaps and their velocities after ``time``."""
    flight_state(m, w, s, time)
    state = w.new_state
    call_state(m.gaps, s.t + time, address(state, 0), address(state, m.n), address(m.p, 0), address(w.gap, 0))


@kernel
def safe_time(gap, rate, bound):
    """The longest time in which a gap with g'' >= -bound cannot close."""
    if bound <= 0.0:
        return math.inf if rate >= 0.0 else gap / -rate
    root = math.sqrt(rate * rate + 2.0 * bound * gap)
    # the form without cancellation
    return (rate + root) / bound if rate > 0.0 else 2.0 * gap / (root - rate)


@kernel
def write_parabola(m, w, s, time):
    """The flight as an interpolant: q = q0 + x (delta + (1-x) (-a h^2/2)), u = u0 + x a h."""
    n = m.n
    rows = interpolant_rows(s.pair)
    for row in range(rows):
        for k in range(2 * n):
            w.interpolant[row, k] = 0.0
    for j in range(n):
        a = w.stages[0, n + j]
        w.interpolant[0, j] = (s.z[n + j] + 0.5 * a * time) * time
        w.interpolant[1, j] = -0.5 * a * time * time
        w.interpolant[0, n + j] = a * time


@block(i8(machine_record, workspace_record, motion_record, f8))
def fly_ballistic(m, w, s, longest):
    """Fly to the next contact or for the time ``longest``; returns the contact, NO_CONTACT or UNDECIDED.

    The state at the end is in w.new_state, the duration in s.flight.
    """
    n = m.n
    size, speed = 1.0, 0.0
    for j in range(n):
        size = max(size, abs(s.z[j]))
        speed = max(speed, abs(s.z[n + j]))
    z = s.z
    call_state(m.curvature_bounds, s.t, address(z, 0), address(z, n), address(m.p, 0), address(w.bound, 0))
    rounding = 2.0 * EPSILON * size
    time = 0.0
    call_state(m.gaps, s.t, address(z, 0), address(z, n), address(m.p, 0), address(w.gap, 0))
    for step in range(MOST_STEPS):
        advance, closest = math.inf, NO_CONTACT
        for i in range(m.nc):
            gap, rate = w.gap[2 * i], w.gap[2 * i + 1]
            if step == 0 and s.gap_fresh[i] == 1:
                gap = 0.0
                if not rate > 0.0:
                    return UNDECIDED
            elif not gap > rounding:
                if abs(rate) <= 64.0 * EPSILON * speed:
                    rate = 0.0  # bodies that move together, touching without force
                if rate < 0.0:
                    s.flight = time
                    flight_state(m, w, s, time)
                    return i
                if gap <= -64.0 * rounding:
                    return UNDECIDED
                gap = rounding
            safe = safe_time(gap, rate, w.bound[i])
            if safe < advance:
                advance, closest = safe, i
        if time + advance >= longest:
            s.flight = longest
            flight_state(m, w, s, longest)
            return NO_CONTACT
        if step > 0 and advance <= 2.0 * EPSILON * (abs(s.t) + time) and w.gap[2 * closest + 1] < 0.0:
            s.flight = time
            return closest
        # the parabola misses the root by less than K advance^2/|rate|: below rounding there is nothing to ask again
        rate = w.gap[2 * closest + 1]
        last = step > 0 and rate < 0.0 and w.bound[closest] * advance * advance < -rate * EPSILON * (abs(s.t) + time)
        time += max(advance, EPSILON * (abs(s.t) + time))
        if last:
            s.flight = time
            flight_state(m, w, s, time)
            return closest
        flight_gaps(m, w, s, time)
    return UNDECIDED


@kernel
def may_fly(m, s, closed):
    """Whether the ballistic way is open: all contacts apart, none that starts at a double root."""
    if not m.ballistic or closed > 0:
        return False
    for i in range(m.nc):
        if s.gap_fresh[i] > 1 or s.modes[i] != OPEN:
            return False
    return True
