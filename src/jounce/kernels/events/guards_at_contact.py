"""User guards that vanish at the instant of a contact's event: a guard equal to a gap does so at every impact.

Which of the roots is found first is then a matter of rounding. The rule: a guard that has been away from zero since its
own last event and the last one of a contact, and is zero at this one to its own rounding, has vanished; its row comes
before those of the contact, with the state before the jump. A guard that jumps over zero without being zero on either
side has no row.
"""

from jounce.kernels.events.guard_noise import user_guard_noise
from jounce.toolchain.jit import address, call_state, kernel

REPORT, RESTART = 1, 2  # a guard that has just vanished; one that has done so before, and starts anew after the jump
FAR = 1e-2  # relative to its value in the middle of a step: a guard that is larger at the end is not zero there
RECENT = (
    1e-3  # of the time since the last event of a contact: a guard's own event this long ago may be the same instant
)
TIME_ROUNDING = 32.0 * 2.0**-52  # of an event's time
# moments after the jump, relative to the time before it: the first over which a guard changes by more than its rounding
FIRST_MOMENT, LAST_MOMENT, LATER = 2.0**-40, 2.0**-4, 2.0**6


@kernel
def keep_middle(m, w, t, state, duration):
    """What the user's guards are in the middle of a step that ends with an event: the largest since the last one."""
    call_state(m.guards, t, address(state, 0), address(state, m.n), address(m.p, 0), address(w.user_rate, 0))
    w.last_duration = max(w.last_duration, duration)
    for k in range(m.ng):
        if abs(w.user_rate[k]) > abs(w.user_middle[k]):
            w.user_middle[k] = w.user_rate[k]


@kernel
def note_sizes(m, w, s, duration):
    """Sizes of the state, and the time, since a contact's last event: the state's rounding is relative to them."""
    w.since_contact += duration
    for j in range(2 * m.n):
        w.contact_size[j] = max(w.contact_size[j], abs(s.z[j]), abs(w.new_state[j]))


@kernel
def forget_sizes(m, w):
    """A contact's event has happened."""
    w.since_contact = w.last_duration = 0.0
    for k in range(m.ng):
        w.user_middle[k] = 0.0
    for j in range(2 * m.n):
        w.contact_size[j] = 0.0


@kernel
def mark_vanished(m, w, s):
    """Mark in s.user_meets the guards that are zero at the present state, before the jump; returns how many to report.

    The rounding of a guard at an event is that of its evaluation and what the rounding of the event's time makes of it.
    """
    call_state(m.guards, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.user, 0))
    found = 0
    for j in range(2 * m.n):
        w.size[j] = w.contact_size[j]
    for k in range(m.ng):
        value, middle = abs(w.user[k]), abs(w.user_middle[k])
        s.user_meets[k] = 0
        recent = s.epoch + s.t - s.user_time[k] <= RECENT * w.since_contact
        if not (recent or value <= FAR * middle):
            continue
        noise = user_guard_noise(m, w, s, k)
        if w.last_duration > 0.0:
            noise += TIME_ROUNDING * (abs(s.t) + w.last_duration) * middle / w.last_duration
        w.user_noise[k] = noise
        if value <= noise:
            s.user_meets[k] = REPORT if middle > noise else RESTART
            if middle > noise:
                s.user_sign[k] = 1 if w.user_middle[k] > 0.0 else -1
                found += 1
    return found


@kernel
def start_marked(m, w, s):
    """After the jump: a guard that is marked starts at its own zero, towards where the motion now takes it.

    Needs the derivative of the state in w.stages[0]. A guard that stays at zero, as that of a gap that stays closed,
    will leave to the side from which it has come.
    """
    n, p = m.n, address(m.p, 0)
    call_state(m.guards, s.t, address(s.z, 0), address(s.z, n), p, address(w.user, 0))
    moment = FIRST_MOMENT
    while moment <= LAST_MOMENT:
        dt = moment * w.since_contact
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
        if s.user_meets[k] == REPORT:
            s.user_sign[k] = -s.user_sign[k]
        s.user_meets[k] = 0
