"""Forces and surfaces that jump at the instant of another event: a belt that turns while a brake does.

Which of the roots is found first is a matter of rounding, and all of them have happened with the first
(guards_at_contact.py). The rule: the event of the contact comes before the jump. It has the forces and surfaces of the
step that has led to it, whose sides are held, on whichever side the rounding of its time has put the state. Then the
state is moved on along its velocities, by the shortest time that shows, behind all borders that have been passed; there
the modes are judged anew. The next step goes on with what is behind. A block that sticks to a belt which turns at the
instant of another contact's event stuck to it with the velocity before, or its velocity was put onto the belt's.
"""

from jounce.kernels.contact.modes import count_closed
from jounce.kernels.engine.start import begin_instant
from jounce.kernels.engine.switches import ask_switches
from jounce.kernels.events.guards_at_contact import REPORT
from jounce.kernels.records.codes import LEAP, RESET
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.tolerances import BEHIND_BORDER, EPSILON, START_MOMENT
from jounce.kernels.tangent.variation import variation_at
from jounce.toolchain.jit import address, call_state, kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


@kernel
def has_leapt(m: Machine, s: Motion, k: Integer) -> Truth:
    """Whether user guard k, the border of a jump, has vanished at the present instant."""
    return s.user_meets[k] == REPORT and m.guard_kink[k] >= LEAP


@kernel
def is_behind(m: Machine, w: Workspace, s: Motion, time: Real) -> Truth:
    """Whether every border that has been passed has its new sign a time later."""
    n = m.n
    for j in range(n):
        w.point[j], w.point[n + j] = s.q[j] + time * s.u[j], s.u[j]
    call_state(m.guards, s.t + time, address(w.point, 0), address(w.point, n), address(m.p, 0), address(w.user, 0))
    for k in range(m.ng):
        if has_leapt(m, s, k) and not s.user_sign[k] * w.user[k] > 0.0:
            return False
    return True


@kernel
def time_behind(m: Machine, w: Workspace, s: Motion) -> Real:
    """The shortest time that puts the state behind the borders that have been passed; below 0 if that is not rounding.

    The state behind is left in w.point.
    """
    time = EPSILON * abs(s.t)
    if is_behind(m, w, s, 0.0):
        return 0.0
    for _ in range(BEHIND_BORDER):
        if is_behind(m, w, s, time):
            return time
        time *= 2.0
    return -1.0


@kernel
def are_passed(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Whether there are borders that have vanished with the event, and the motion goes on beyond all of them.

    What comes to rest on a border has not passed it, on whichever side rounding has put it: a moment ahead it is still
    no further from it than the border is known (borders.py).
    """
    n, time, leaps = m.n, START_MOMENT * s.pace.step_size, False
    for j in range(n):
        w.point[j], w.point[n + j] = s.q[j] + time * s.u[j], s.u[j]
    call_state(m.guards, s.t + time, address(w.point, 0), address(w.point, n), address(m.p, 0), address(w.user, 0))
    for k in range(m.ng):
        if has_leapt(m, s, k):
            leaps = True
            if not s.user_sign[k] * w.user[k] > w.user_noise[k]:
                return False
    return leaps


@kernel
def hold_before_leaps(m: Machine, w: Workspace, s: Motion) -> Truth:
    """Let a contact's event have the sides before the borders that are passed at it; whether there are any."""
    if not are_passed(m, w, s):
        return False
    for k in range(m.ng if m.holds else 0):
        if m.guard_held[k] and has_leapt(m, s, k):
            m.p[m.held + k] = -float(s.user_sign[k])
    return True


@kernel
def move_behind(m: Machine, w: Workspace, s: Motion, latest: Real) -> None:
    """Move the present state behind the borders that have been passed; not where that takes longer than rounding."""
    time = time_behind(m, w, s)
    if time > 0.0 and s.t + time <= latest:
        s.t += time
        for j in range(m.n):
            s.q[j] = s.z[j] = w.point[j]


@kernel
def judge_behind_leaps(m: Machine, w: Workspace, s: Motion, latest: Real, record: Record) -> Integer:
    """What jumps at the instant of a contact's event, which has been dealt with: the contacts are judged behind it.

    Two events at one instant have no common derivative. Returns a status.
    """
    move_behind(m, w, s, latest)
    ask_switches(m, w, s, record)
    if count_closed(s.modes, m.nc) == 0:
        return 0
    if s.settings.variation:
        variation_at(s.settings.variation).irregular += 1
    return begin_instant(m, w, s, -1, RESET, latest, record)
