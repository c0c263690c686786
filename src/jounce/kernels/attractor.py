"""The attractors of a section map: value after value of a parameter, or start after start.

Every value begins with a fresh run at a point (phase, q, u), which is all that is carried from one value to the next:
what a value gives depends on that point and on the value alone, wherever and whenever it is computed.
"""

import math

from jounce.kernels.attractor_codes import (
    CHAOTIC,
    COUNT,
    EVENTS,
    IMPACTS,
    KIND,
    PERIOD,
    PERIODIC,
    REST,
    RETURNS,
    SIGNATURE_LENGTH,
    STATUS,
    STOPPED_MOTION,
    TOTAL_IMPACTS,
    UNSETTLED,
)
from jounce.kernels.codes import AT_REST, NO_RETURN, NOT_FINITE, OPEN, SLIP_POSITIVE, STICK
from jounce.kernels.contact_forces import derivative, evaluate_model
from jounce.kernels.contact_modes import count_closed
from jounce.kernels.iterate import (
    CANCELLED,
    PHASE,
    PLAN,
    RETURN_TIME,
    clear_counts,
    crossing,
    go_to_phase,
    own_events,
    phase_time,
    write_sample,
)
from jounce.kernels.jit import address, entry, f8_1d, f8_2d, f8_3d, i8, i8_1d, i8_2d, kernel
from jounce.kernels.motion import MOTION
from jounce.kernels.orbit_signature import write_signature
from jounce.kernels.projection import project
from jounce.kernels.recording import EVENTS_TOTAL, IMPACTS_TOTAL, RECORD
from jounce.kernels.workspace import CONTACT_STRIDE, MACHINE, WORKSPACE, record_array

PENETRATION = 1e-10  # relative to 1 + |q|: a start deeper in a surface is moved onto it
NOISE = 0.1  # of the recurrence tolerance: deviations below need not shrink
DEVIATION = 1e-8  # size of the deviation whose growth is measured
LEAST_DEVIATION = 1e-16  # what is left of one that was forgotten, as in stick
SETTLING = 5  # one part in so many of the twin's returns is not counted: the deviation turns to where it grows most
STILL = 1e-6  # how far, relative to 1 + |q|, a motion at rest may still reach
GROWTH = 2.0  # logarithm by which a deviation must grow for the motion to be called chaotic
REFERENCE, NOW, IMAGE, TWIN, TWIN_IMAGE, FIRST = 0, 1, 2, 3, 4, 5  # rows of the scratch


@kernel
def write_point(m, s, plan, point):
    """The present crossing as (phase, q, u)."""
    t = phase_time(s, plan)
    point[0] = t / s.period if s.period > 0.0 else t
    for k in range(m.n):
        point[1 + k] = s.q[k]
        point[1 + m.n + k] = s.u[k]


@kernel
def copy_point(m, source, target):
    """target = source."""
    for k in range(1 + 2 * m.n):
        target[k] = source[k]


@kernel
def leave_surfaces(m, w, s):
    """Another parameter may have moved a surface over the start: back onto it, and onto the joints."""
    if not evaluate_model(m, w, s.t, address(s.q, 0), address(s.u, 0)):
        return False
    size = 1.0
    for j in range(m.n):
        size = max(size, abs(s.q[j]))
        s.z[m.n + j] = s.u[j]
    inside = False
    for i in range(m.nc):
        s.trial[i] = OPEN
        if w.contact[i * (CONTACT_STRIDE + 2 * m.n)] < -PENETRATION * size:
            s.trial[i] = SLIP_POSITIVE
            inside = True
    if inside or m.nj > 0:
        project(m, w, s.t, address(s.q, 0), address(s.u, 0), address(s.trial, 0))
        for i in range(m.nc):
            s.trial[i] = OPEN
        for j in range(m.n):
            s.u[j] = s.z[m.n + j]  # only the joints change velocities; contacts have their impacts
        if m.nj > 0:
            project(m, w, s.t, address(s.q, 0), address(s.u, 0), address(s.trial, 0))
    for j in range(m.n):
        s.z[j], s.z[m.n + j] = s.q[j], s.u[j]
    return True


@kernel
def begin(m, w, motion, fresh, period, point):
    """A run that starts at a point (phase, q, u); returns whether the model is defined there."""
    motion[0] = fresh[0]
    s = motion[0]
    if not s.autonomous:
        s.period = period
    s.t = point[0] * s.period if s.period > 0.0 else point[0]
    for k in range(m.n):
        s.q[k] = point[1 + k]
        s.u[k] = point[1 + m.n + k]
        if not abs(s.q[k]) + abs(s.u[k]) < math.inf:
            return False
    return leave_surfaces(m, w, s)


@kernel
def separation(m, s, plan, a, b):
    """The largest deviation of two points, relative to 1 + |z|; the phase counts where the section leaves it free."""
    largest = 0.0
    if plan.section != PHASE and not s.autonomous:
        d = a[0] - b[0]
        if s.period > 0.0:
            d -= math.floor(d + 0.5)
        largest = abs(d)
    for k in range(2 * m.n):
        wrap = plan.wrap[k]
        if wrap >= 0.0:
            d = a[1 + k] - b[1 + k]
            if wrap > 0.0:
                d -= wrap * math.floor(d / wrap + 0.5)
            d = abs(d) / (1.0 + abs(b[1 + k]))
            # a comparison that a NaN does not survive
            if not d <= largest:
                largest = d
    return largest


@kernel
def search(m, w, s, plan, record, samples, facts, scratch, cancel):
    """Iterate until the motion repeats or the returns are used up; returns (status, period or 0).

    Brent's search: the reference point moves on after 1, 2, 4, ... returns. A point within the tolerance of it gives a
    candidate, which must come back once more after as many returns, and no farther away.
    """
    reference, now = scratch[REFERENCE], scratch[NOW]
    lag, power, candidate, last = 0, 1, 0, 0.0
    write_point(m, s, plan, reference)
    for k in range(plan.transient + plan.keep):
        clear_counts(record)
        status, duration = crossing(m, w, s, plan, record, cancel)
        facts[TOTAL_IMPACTS] += record.counter[IMPACTS_TOTAL]
        if status != 0:
            return status, 0
        facts[RETURNS] += 1
        if k >= plan.transient:
            write_sample(m, s, plan, record, duration, samples[k - plan.transient])
            facts[COUNT] += 1
        lag += 1
        write_point(m, s, plan, now)
        d = separation(m, s, plan, now, reference)
        if d <= plan.recurrence:
            if lag == candidate and d <= max(last, NOISE * plan.recurrence):
                return 0, lag
            candidate, last = lag, d
        elif candidate > 0 and lag == candidate:
            candidate = 0
        elif candidate > 0 or lag < power:
            continue
        else:
            power *= 2
        copy_point(m, now, reference)
        lag = 0
    return 0, 0


@kernel
def follow_orbit(m, w, s, plan, record, samples, facts, signature, cancel):
    """One period of a motion that repeats: its samples and its signature; returns a status."""
    for row in range(facts[COUNT]):
        for column in range(samples.shape[1]):
            samples[row, column] = math.nan
    facts[COUNT] = 0
    clear_counts(record)
    record.keep_events = 1
    status = 0
    for k in range(facts[PERIOD]):
        record.signature = 0
        record.counter[IMPACTS_TOTAL] = record.counter[EVENTS_TOTAL] = 0
        status, duration = crossing(m, w, s, plan, record, cancel)
        if status != 0:
            break
        facts[IMPACTS] += record.counter[IMPACTS_TOTAL]
        facts[EVENTS] += record.counter[EVENTS_TOTAL]
        if k < plan.keep:
            write_sample(m, s, plan, record, duration, samples[k])
            facts[COUNT] += 1
    record.keep_events = 0
    facts[RETURNS] += facts[PERIOD]
    facts[TOTAL_IMPACTS] += facts[IMPACTS]
    write_signature(record, facts, signature)
    facts[EVENTS] -= facts[PERIOD] * own_events(plan, record)
    return status


@kernel
def is_held(m, s):
    """Whether contacts and joints leave no freedom."""
    held = m.nj
    for i in range(m.nc):
        if s.modes[i] != OPEN:
            held += 2 if s.modes[i] == STICK else 1
    return held >= m.n


@kernel
def is_still(m, w, s, duration):
    """Whether a motion without time has all but come to rest, although it crosses the section for ever.

    A focus is approached in ever smaller turns: with r = duration/2 pi they reach as far as u r and u' r^2.
    """
    if not s.autonomous:
        return False
    r = duration / (2.0 * math.pi)
    derivative(m, w, s.t, s.z, s.modes, count_closed(s.modes, m.nc), 0)
    for j in range(m.n):
        reach = max(abs(s.u[j]) * r, abs(w.stages[0, m.n + j]) * r * r)
        if not reach <= STILL * (1.0 + abs(s.q[j])):
            return False
    return True


@kernel
def deviate(m, s, plan, scratch, scale):
    """The next twin: the present image plus its deviation, scaled."""
    image, twin_image, now, twin = scratch[IMAGE], scratch[TWIN_IMAGE], scratch[NOW], scratch[TWIN]
    copy_point(m, image, now)
    copy_point(m, image, twin)
    if plan.section != PHASE and not s.autonomous:
        d = twin_image[0] - image[0]
        if s.period > 0.0:
            d -= math.floor(d + 0.5)
        twin[0] = image[0] + scale * d
    for k in range(1, 1 + 2 * m.n):
        wrap = plan.wrap[k - 1]
        d = twin_image[k] - image[k]
        if wrap > 0.0:
            d -= wrap * math.floor(d / wrap + 0.5)
        if wrap >= 0.0:
            twin[k] = image[k] + scale * d


@kernel
def perturb(m, scratch):
    """A first deviation, of the velocities only: no constraint on the positions is touched."""
    now, twin = scratch[NOW], scratch[TWIN]
    copy_point(m, now, twin)
    for k in range(1 + m.n, 1 + 2 * m.n):
        twin[k] += DEVIATION * (1.0 + abs(now[k])) * math.cos(1.0 + k)


@kernel
def growth_rate(m, w, motion, fresh, period, plan, record, scratch, facts, cancel):
    """The mean logarithm by which a small deviation grows in one return (Benettin, with a twin); NaN if a run ends.

    Both start afresh at each return, so that they differ by the deviation alone.
    """
    s = motion[0]
    total, counted = 0.0, 0
    perturb(m, scratch)
    for k in range(plan.twin_returns):
        before = separation(m, s, plan, scratch[TWIN], scratch[NOW])
        for row in (IMAGE, TWIN_IMAGE):
            begin(m, w, motion, fresh, period, scratch[NOW if row == IMAGE else TWIN])
            clear_counts(record)
            status, _ = crossing(m, w, s, plan, record, cancel)
            facts[TOTAL_IMPACTS] += record.counter[IMPACTS_TOTAL]
            if status != 0:
                return math.nan
            write_point(m, s, plan, scratch[row])
        after = max(separation(m, s, plan, scratch[TWIN_IMAGE], scratch[IMAGE]), LEAST_DEVIATION)
        if k * SETTLING >= plan.twin_returns:
            total += math.log(after / before)
            counted += 1
        if after > 10.0 * LEAST_DEVIATION:
            deviate(m, s, plan, scratch, DEVIATION / after)
        else:
            copy_point(m, scratch[IMAGE], scratch[NOW])
            perturb(m, scratch)
    return total / max(counted, 1)


@kernel
def find_attractor(
    m, w, motion, fresh, period, plan, record, samples, facts, exponents, index, signature, scratch, cancel
):
    """The attractor that the point in scratch[FIRST] leads to; its last point is left in scratch[NOW]."""
    s = motion[0]
    status, repeats = 0, 0
    if not begin(m, w, motion, fresh, period, scratch[FIRST]):
        status = NOT_FINITE
    elif plan.section == PHASE:
        status = go_to_phase(m, w, s, plan, record, cancel)
    if status == 0:
        status, repeats = search(m, w, s, plan, record, samples, facts, scratch, cancel)
    if repeats > 0:
        facts[PERIOD] = repeats
        status = follow_orbit(m, w, s, plan, record, samples, facts, signature, cancel)
    facts[STATUS] = status
    write_point(m, s, plan, scratch[NOW])
    if status == AT_REST:
        facts[KIND], facts[COUNT] = REST, 1
        clear_counts(record)
        write_sample(m, s, plan, record, 0.0, samples[0])
    elif status == NO_RETURN and is_held(m, s):
        facts[KIND], facts[COUNT] = REST, 0
    elif status != 0:
        facts[KIND] = STOPPED_MOTION
    elif repeats > 0:
        still = repeats == 1 and facts[SIGNATURE_LENGTH] == 0
        still = still and (is_held(m, s) or is_still(m, w, s, samples[0, RETURN_TIME]))
        facts[KIND] = REST if still else PERIODIC
    else:
        copy_point(m, scratch[NOW], scratch[REFERENCE])
        exponents[index] = growth_rate(m, w, motion, fresh, period, plan, record, scratch, facts, cancel)
        copy_point(m, scratch[REFERENCE], scratch[NOW])
        counted = plan.twin_returns - plan.twin_returns // SETTLING
        facts[KIND] = CHAOTIC if exponents[index] * counted > GROWTH else UNSETTLED


@entry(
    i8(
        record_array(MACHINE),
        record_array(WORKSPACE),
        record_array(MOTION),
        record_array(MOTION),
        record_array(RECORD),
        record_array(PLAN),
        f8_1d,
        f8_1d,
        f8_2d,
        f8_2d,
        f8_3d,
        i8_2d,
        f8_1d,
        i8_2d,
        f8_2d,
        i8_1d,
    )
)
def attractors(
    machine, workspace, motion, fresh, record, plan, values, periods, starts, ends,
    samples, facts, exponents, signatures, scratch, cancel,
):  # fmt: skip
    """The attractor of every item; returns how many were done before ``cancel[0]`` was set.

    values, periods   of the parameter plan.parameter and of the forcing, one an item
    starts            points (phase, q, u), one an item; where they are carried, the rows are: the first start, and the
                      one taken after a motion that stopped
    ends              the last point of every item
    samples, facts, exponents, signatures   results, as attractor_codes.py names them
    """
    m, w, r, p = machine[0], workspace[0], record[0], plan[0]
    if p.carried:
        copy_point(m, starts[0], scratch[NOW])
    for i in range(values.shape[0]):
        copy_point(m, scratch[NOW] if p.carried else starts[i], scratch[FIRST])
        if p.parameter >= 0:
            m.p[p.parameter] = values[i]
        find_attractor(
            m, w, motion, fresh, periods[i], p, r, samples[i], facts[i], exponents, i, signatures[i], scratch, cancel
        )
        if cancel[0] != 0 or facts[i, STATUS] == CANCELLED:
            return i
        if p.carried and facts[i, KIND] == STOPPED_MOTION:
            copy_point(m, starts[1], scratch[NOW])
        copy_point(m, scratch[NOW], ends[i])
    return values.shape[0]
