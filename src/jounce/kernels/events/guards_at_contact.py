"""User guards that vanish at the instant of a contact's event: a guard equal to a gap does so at every impact.

Which of the roots is found first is then a matter of rounding. The rule: a guard that has been away from zero since its
own last event and the last one of a contact, and is zero at this one to its own rounding, has vanished; its row comes
before those of the contact, with the state before the jump. A guard that jumps over zero without being zero on either
side has no row.
"""

from jounce.kernels.events.guard_noise import add_rounding
from jounce.kernels.events.user_guards import start_sign
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.tolerances import FAR, RECENT, TIME_ROUNDING
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth

REPORT, RESTART = 1, 2  # a guard that has just vanished; one that has done so before, and starts anew after the jump


@kernel
def note_since_contact(m: Machine, w: Workspace, s: Motion, duration: Real) -> None:
    """Sizes of the state, and the time, since a contact's last event: the state's rounding is relative to them."""
    w.since_contact += duration
    for j in range(2 * m.n):
        w.contact_size[j] = max(w.contact_size[j], abs(s.z[j]), abs(w.new_state[j]))


@kernel
def forget_sizes(m: Machine, w: Workspace) -> None:
    """A contact's event has happened: sizes and errors count from here."""
    w.since_contact = 0.0
    for k in range(m.ng):
        w.user_largest[k] = w.user_speed[k] = 0.0
    for j in range(2 * m.n):
        w.contact_size[j] = w.state_error[j] = 0.0


@kernel
def may_vanish(w: Workspace, s: Motion, k: Integer) -> Truth:
    """Whether user guard k is small enough at the present state for its rounding to matter; its value is in w.user."""
    recent = s.epoch + s.t - s.memory.user_time[k] <= RECENT * w.since_contact
    return recent or abs(w.user[k]) <= FAR * w.user_largest[k]


@kernel
def find_rounding(m: Machine, w: Workspace, s: Motion, index: Integer) -> Truth:
    """The rounding of the user's guards at the present state, into w.user_noise, where one of them may vanish.

    It is that of its evaluation, and what the rounding of the event's time makes of it. Where user guard ``index`` has
    vanished (-1: none) the time is known as well as that guard is zero: steps end just behind the jump of a force.
    """
    asked, late = False, TIME_ROUNDING * (abs(s.t) + w.since_contact)
    if index >= 0 and w.user_speed[index] > 0.0:
        late += abs(w.user[index]) / w.user_speed[index]
    for k in range(m.ng):
        asked = asked or may_vanish(w, s, k)
        w.user_noise[k] = late * w.user_speed[k]
    if asked:
        for j in range(2 * m.n):
            w.point[j], w.state_size[j] = s.z[j], w.contact_size[j]
        add_rounding(m, w, s.t, w.user_noise)
    return asked


@kernel
def mark_vanished(m: Machine, w: Workspace, s: Motion, index: Integer) -> Integer:
    """Mark in s.user_meets the guards that are zero at the present state, before a jump; returns how many to report.

    index   the user guard whose event it is, -1: that of a contact
    """
    call_state(m.guards, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.user, 0))
    asked, found = find_rounding(m, w, s, index), 0
    for k in range(m.ng):
        s.user_meets[k] = 0
        if asked and may_vanish(w, s, k) and abs(w.user[k]) <= w.user_noise[k]:
            s.user_meets[k] = REPORT if w.user_largest[k] > w.user_noise[k] else RESTART
            if s.user_meets[k] == REPORT:
                found += 1
    return found


@kernel
def start_marked(m: Machine, w: Workspace, s: Motion) -> None:
    """After the jump: a guard that is marked starts at its own zero, unless it has jumped as well."""
    call_state(m.guards, s.t, address(s.z, 0), address(s.z, m.n), address(m.p, 0), address(w.user, 0))
    for k in range(m.ng):
        if s.user_meets[k] != 0:
            s.user_fresh[k] = 1 if abs(w.user[k]) <= w.user_noise[k] else 0
            if s.user_fresh[k] == 0:
                s.user_sign[k] = start_sign(m, k, w.user[k])
        s.user_meets[k] = 0
    forget_sizes(m, w)
