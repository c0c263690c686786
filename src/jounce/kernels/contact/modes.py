"""Every consistent next mode, and the choice among them.

A candidate contact has gap = 0 and gap velocity = 0. It may

    stay open   if g'' >= 0                                     with lambda = 0,
    slide       if lambda_N >= 0, and s gamma_T' >= 0 when it starts from gamma_T = 0,
    stick       if gamma_T = 0, lambda_N >= 0 and |lambda_T| <= mu_s lambda_N.

All combinations over the candidates are tried: few contacts, and enumeration also counts. No consistent mode is an
inconsistency (an impact without collision follows); several with different open sets are an indeterminacy, decided by a
named policy. A condition that holds only as an equality makes a mode weak: it is taken when no strict one exists,
as at release (lambda_N = g'' = 0) or when stick ends on the cone of kinetic friction (gamma_T' = 0).
"""

from jounce.kernels.contact.forces import constrains, slide_sign, solve_mode
from jounce.kernels.records.codes import (
    GUARD_CONE_LOWER,
    GUARD_CONE_UPPER,
    GUARD_FORCE,
    GUARD_FREE,
    KEEP_CONTACT,
    MODE_BASE,
    OPEN,
    PRESSED,
    SLIP_NEGATIVE,
    SLIP_POSITIVE,
    STICK,
)
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.workspace import CONTACT_STRIDE, SURFACE_STRIDE, machine_record, workspace_record
from jounce.toolchain.abi import i8
from jounce.toolchain.jit import address, block, kernel

CONTRADICTION = 1e-6  # part of an equation's terms that its solution of least norm leaves
EQUALITY = 1e-9  # relative width of an inequality's boundary


@kernel
def encode(modes, nc):
    """The system mode as one integer."""
    code = 0
    for i in range(nc - 1, -1, -1):
        code = code * MODE_BASE + modes[i]
    return code


@kernel
def count_closed(modes, nc):
    """How many contacts are equations of the mode: closed and rigid."""
    closed = 0
    for i in range(nc):
        if constrains(modes[i]):
            closed += 1
    return closed


@kernel
def count_pressed(modes, nc):
    """How many compliant contacts are pressed."""
    pressed = 0
    for i in range(nc):
        if modes[i] == PRESSED:
            pressed += 1
    return pressed


@kernel
def next_option(m, w, s, i, mode):
    """The option of contact i after ``mode`` (-1: before the first); -2 when there is none left."""
    candidate, resting = s.candidate, s.resting
    if not candidate[i]:
        if mode != -1:
            return -2
        return s.modes[i] if m.compliant[i] else OPEN
    if mode == -1:
        return OPEN
    if not m.has_slip[i]:
        return SLIP_POSITIVE if mode == OPEN else -2
    if resting[i]:
        if w.surface[i * SURFACE_STRIDE + 1] == 0.0:
            # without friction nothing can stick
            if mode == OPEN:
                return SLIP_POSITIVE
            return SLIP_NEGATIVE if mode == SLIP_POSITIVE else -2
        # STICK before the slips, so that it is the first found of equals
        if mode == OPEN:
            return STICK
        if mode == STICK:
            return SLIP_POSITIVE
        return SLIP_NEGATIVE if mode == SLIP_POSITIVE else -2
    slip = w.contact[i * (CONTACT_STRIDE + 2 * m.n) + 2]
    return (SLIP_POSITIVE if slip > 0.0 else SLIP_NEGATIVE) if mode == OPEN else -2


@kernel
def scales(m, w, candidate):
    """(force, acceleration) against which equalities are judged: what stops the free motion of the candidates."""
    n = m.n
    force = acceleration = fastest = 0.0
    for j in range(n):
        fastest = max(fastest, abs(w.free[j]))
    for i in range(m.nc):
        if not candidate[i]:
            continue
        base = i * (CONTACT_STRIDE + 2 * n)
        value = abs(w.contact[base + 3])
        size = 0.0
        for j in range(n):
            value += abs(w.contact[base + CONTACT_STRIDE + j]) * fastest
            size = max(size, abs(w.contact[base + CONTACT_STRIDE + j]))
        acceleration = max(acceleration, value)
        # C >= size^2 / (largest mass), so this bounds the force from above up to a factor n
        heaviest = 0.0
        for j in range(n):
            if size > 0.0 and abs(w.contact[base + CONTACT_STRIDE + j]) > 0.0:
                heaviest = max(heaviest, w.mass[j * n + j])
        if size > 0.0:
            force = max(force, value * heaviest / (size * size))
    return force, acceleration


@kernel
def follows_from(s, i, modes, nc):
    """Whether a mode is the one to which the guard of contact i leads, all other contacts unchanged.

    Where a force vanishes the gap's free acceleration vanishes too; where a sticking force leaves the kinetic cone the
    slip starts without acceleration. These equalities need no test, and rounding must not fail them.
    """
    if s.guard_contact != i or s.guard_kind < 0:
        return False
    for k in range(nc):
        if k != i and modes[k] != s.modes[k]:
            return False
    if s.guard_kind == GUARD_FORCE or s.guard_kind == GUARD_FREE:
        return modes[i] == OPEN
    if s.guard_kind == GUARD_CONE_UPPER:
        return modes[i] == SLIP_NEGATIVE
    return s.guard_kind == GUARD_CONE_LOWER and modes[i] == SLIP_POSITIVE


@kernel
def contradictory(m, w, modes):
    """Whether constraints that depend on one another ask for different accelerations: then no force answers them.

    The forces of least norm are in w.unknown; what they leave of the equations is rounding, or the contradiction. Two
    links and a sticking end, stretched and moving, are one: the end cannot stay.
    """
    size = m.nj
    for i in range(m.nc):
        if constrains(modes[i]):
            size += 2 if modes[i] == STICK else 1
    for k in range(size):
        left, terms = -w.right[k], abs(w.right[k])
        for j in range(size):
            term = w.matrix[k, j] * w.unknown[j]
            left += term
            terms += abs(term)
        if abs(left) > CONTRADICTION * terms:
            return True
    return False


@kernel
def judge(m, w, s, modes):
    """-1: inconsistent; otherwise the number of conditions that hold only as equalities."""
    candidate, resting = s.candidate, s.resting
    n = m.n
    determinant = solve_mode(m, w, address(modes, 0))
    if determinant == 0.0 and contradictory(m, w, modes):
        return -1
    force_scale, acceleration_scale = scales(m, w, candidate)
    largest = 0.0
    for i in range(m.nc):
        largest = max(largest, max(abs(w.force[i, 0]), abs(w.force[i, 1])))
    small_force = EQUALITY * max(force_scale, 1e-3 * largest)
    small_acceleration = EQUALITY * acceleration_scale
    weak = 0
    for i in range(m.nc):
        if not candidate[i]:
            continue
        base = i * (CONTACT_STRIDE + 2 * n)
        if modes[i] == OPEN:
            margin = w.contact[base + 3]
            for j in range(n):
                margin += w.contact[base + CONTACT_STRIDE + j] * w.acceleration[j]
            if margin < -small_acceleration and not follows_from(s, i, modes, m.nc):
                return -1
            weak += margin <= small_acceleration
            continue
        if not w.force[i, 0] >= -small_force:
            return -1
        weak += w.force[i, 0] <= small_force
        if not m.has_slip[i] or not resting[i]:
            continue
        if modes[i] == STICK:
            margin = w.surface[i * SURFACE_STRIDE + 1] * w.force[i, 0] - abs(w.force[i, 1])
            if margin < -small_force:
                return -1
            weak += margin <= small_force
        else:
            margin = w.contact[base + 4]
            size = abs(margin)
            for j in range(n):
                term = w.contact[base + CONTACT_STRIDE + n + j] * w.acceleration[j]
                margin += term
                size += abs(term)
            margin *= slide_sign(modes[i])
            allowance = EQUALITY * max(size, acceleration_scale)
            if margin < -allowance and not follows_from(s, i, modes, m.nc):
                return -1
            weak += margin <= allowance
    # a singular sliding problem has no definite forces: never the first choice
    return weak + 8 if determinant == 0.0 and not all_stick(m, modes) else weak


@kernel
def all_stick(m, modes):
    """Whether no contact slides."""
    for i in range(m.nc):
        if constrains(modes[i]) and modes[i] != STICK and m.has_slip[i]:
            return False
    return True


@kernel
def compare(candidate, previous, trial, nc):
    """(open candidates, a measure of change against ``previous`` and towards slip, bit set of open candidates)."""
    open_count = 0
    open_set = 0
    changes = 0.0
    for i in range(nc):
        if not candidate[i]:
            continue
        if trial[i] == OPEN:
            open_count += 1
            open_set += 1 << i
        elif trial[i] != STICK:
            changes += 0.1
        if trial[i] != previous[i]:
            changes += 0.01
    return open_count, changes, open_set


@kernel
def advance_trial(m, w, s, trial):
    """The next combination, like a counter; False after the last."""
    for i in range(m.nc):
        option = next_option(m, w, s, i, trial[i])
        if option != -2:
            trial[i] = option
            return True
        trial[i] = next_option(m, w, s, i, -1)
    return False


@block(i8(machine_record, workspace_record, motion_record, i8))
def select_mode(m, w, s, tried_count):
    """Choose among all consistent modes; returns their number, of those not among the first ``tried_count`` tried.

    Needs ``evaluate_model`` at the state. s.chosen receives the choice, s.open_sets the number of different sets of
    open contacts among the strict ones; s.trial is scratch.
    """
    nc = m.nc
    candidate, trial, policy = s.candidate, s.trial, s.indeterminate
    for i in range(nc):
        trial[i] = next_option(m, w, s, i, -1)
    found = 0
    best = 1e300
    open_sets = 0
    first_open_set = -1
    while True:
        code = encode(trial, nc)
        fresh = True
        for k in range(tried_count):
            fresh = fresh and s.tried[k] != code
        if fresh:
            weak = judge(m, w, s, trial)
            if weak >= 0:
                found += 1
                open_count, changes, open_set = compare(candidate, s.modes, trial, nc)
                if weak == 0 and open_set != first_open_set:
                    open_sets += 1
                    first_open_set = open_set
                preference = open_count if policy == KEEP_CONTACT else -open_count
                cost = 1000.0 * weak + 10.0 * preference + changes
                if cost < best:
                    best = cost
                    for i in range(nc):
                        s.chosen[i] = trial[i]
        if not advance_trial(m, w, s, trial):
            break
    s.open_sets = open_sets
    return found
