"""User guards that vanish at the instant of a contact's event: a guard equal to a gap does so at every impact.

Which of two roots is found first is then a matter of rounding. The rule: a guard that has been away from zero on the
step that ends with the event, and is zero there to its own rounding, has vanished; its row comes before those of the
contact, with the state before the jump. A guard that jumps over zero without being zero on either side has no row.
"""

from jounce.kernels.events.guard_noise import user_guard_noise
from jounce.toolchain.jit import address, call_state, kernel

FAR = 1e-2  # relative to its value in the middle of the step: a guard that is larger at the end is not zero there
# moments after the jump, relative to the step before it: the first over which a guard changes by more than its rounding
FIRST_MOMENT, LAST_MOMENT, LATER = 2.0**-40, 2.0**-4, 2.0**6


@kernel
def keep_middle(m, w, s, t, state):
    """The user's guards in the middle of a step that ends with a contact's event."""
    call_state(m.guards, t, address(state, 0), address(state, m.n), address(m.p, 0), address(w.user_middle, 0))


@kernel
def keep_sizes(m, w, s, duration):
    """The sizes of the state on the step from s.z to w.new_state, whose rounding is that of the state at its end."""
    w.last_duration = duration
    for j in range(2 * m.n):
        w.size[j] = max(abs(s.z[j]), abs(w.new_state[j]))


@kernel
def mark_vanished(m, w, s):
    """Mark in s.user_meets the guards that vanish at the present state, before the jump; returns how many do."""
    call_state(m.guards, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.user, 0))
    found = 0
    for k in range(m.ng):
        value, middle = abs(w.user[k]), abs(w.user_middle[k])
        s.user_meets[k] = 0
        if value <= FAR * middle:
            w.user_noise[k] = user_guard_noise(m, w, s, k)
            if value <= w.user_noise[k] < middle:
                s.user_meets[k] = 1
                s.user_sign[k] = 1 if w.user_middle[k] > 0.0 else -1
                found += 1
    return found


@kernel
def start_marked(m, w, s):
    """After the jump: a guard that is marked starts at its own zero, towards where the motion now takes it.

    Needs the derivative of the state in w.stages[0]. A guard that does not change goes on as it was.
    """
    n, p = m.n, address(m.p, 0)
    call_state(m.guards, s.t, address(s.z, 0), address(s.z, n), p, address(w.user, 0))
    moment = FIRST_MOMENT
    while moment <= LAST_MOMENT:
        dt = moment * w.last_duration
        for k in range(2 * n):
            w.point[k] = s.z[k] + dt * w.stages[0, k]
        # where the slope vanishes it is the curvature that says on which side the guard goes on
        for j in range(n):
            w.point[j] += 0.5 * dt * dt * w.stages[0, n + j]
        call_state(m.guards, s.t + dt, address(w.point, 0), address(w.point, n), p, address(w.user_middle, 0))
        for k in range(m.ng):
            change = w.user_middle[k] - w.user[k]
            if s.user_meets[k] and abs(change) > w.user_noise[k]:
                s.user_meets[k] = 0
                s.user_fresh[k] = 1
                s.user_sign[k] = 1 if change > 0.0 else -1
        moment *= LATER
    for k in range(m.ng):
        s.user_meets[k] = 0
