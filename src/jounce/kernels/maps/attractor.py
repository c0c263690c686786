"""The attractors of a section map: value after value of a parameter, or start after start.

Every value begins with a fresh run at a point (phase, q, u), which is all that is carried from one value to the next:
what a value gives depends on that point and on the value alone, wherever and whenever it is computed.
"""

import math

from jounce.kernels.maps.growth import (
    ANCHOR,
    BEFORE,
    FIRST,
    IMAGE,
    NOW,
    REFERENCE,
    SIZES,
    TWIN_IMAGE,
    growth_rate,
    is_held,
    is_still,
)
from jounce.kernels.maps.iterate import (
    CANCELLED,
    PHASE,
    RETURN_TIME,
    clear_counts,
    go_to_phase,
    limit_returns,
    own_events,
    plan_record,
    write_sample,
)
from jounce.kernels.maps.orbit_signature import write_signature
from jounce.kernels.maps.passing import next_crossing
from jounce.kernels.maps.section_point import begin, copy_point, read_point, separation, write_point
from jounce.kernels.records.attractor_codes import (
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
from jounce.kernels.records.codes import AT_REST, NO_RETURN, NOT_FINITE
from jounce.kernels.records.fields import Machine, Motion, Plan, Record, Workspace
from jounce.kernels.records.motion import motion_record
from jounce.kernels.records.recording import EVENTS_TOTAL, IMPACTS_TOTAL, buffer_record
from jounce.kernels.records.tolerances import CHAOTIC_GROWTH, MOST_RETURNS, RECURRENCE_NOISE, SAME_POINTS, SETTLING
from jounce.kernels.records.workspace import machine_record, workspace_record
from jounce.toolchain.abi import f8_1d, f8_2d, f8_3d, i8, i8_1d, i8_2d
from jounce.toolchain.jit import block, kernel
from jounce.toolchain.kernel_types import Integer, Integers, Integers2, Real, Reals, Reals2, Reals3, Truth


@kernel
def converged(d: Real, last: Real, tolerance: Real) -> Truth:
    """Whether the limit is nearer than the tolerance, from the deviations over the last two periods.

    What rounding leaves does not shrink any more.
    """
    return ends_near(d, last, tolerance) or d <= RECURRENCE_NOISE * tolerance


@kernel
def ends_near(d: Real, last: Real, tolerance: Real) -> Truth:
    """Whether deviations that shrink by the factor d/last come together within the tolerance: d/(1 - d/last) is left to
    go, next to a bifurcation much more than d.
    """
    return d < last and d <= tolerance * (1.0 - d / last)


@kernel
def search(
    m: Machine,
    w: Workspace,
    s: Motion,
    plan: Plan,
    record: Record,
    samples: Reals2,
    facts: Integers,
    scratch: Reals2,
    cancel: Integers,
) -> tuple[Integer, Integer]:
    """Iterate until the motion repeats or the returns are used up; returns (status, period or 0).

    Brent's search: the reference point moves on after 1, 2, 4, ... returns. A point within the tolerance of it gives a
    candidate, which must come back after as many returns until it has ``converged``, or to where it began MOST_RETURNS
    times. A motion that creeps on, past the place at which an orbit is about to be born, comes back as near each time
    and leaves all the same.

    The references are ever farther apart: a motion that approaches its orbit by a fifth a return is within 1e-8 of it
    after 85 returns, and would be recognised after 130. Most motions repeat after one return, so each point is also
    compared with the one before, where the two are seen to approach: points that follow one another at a constant
    distance, however small, belong to a motion that drifts.
    """
    reference, before, now, anchor = scratch[REFERENCE], scratch[BEFORE], scratch[NOW], scratch[ANCHOR]
    lag, power, candidate, cycles, last = 0, 1, 0, 0, 0.0
    steady, change = 0, 0.0
    write_point(m, s, plan, reference)
    copy_point(m, reference, before)
    for k in range(plan.transient + plan.keep):
        clear_counts(record)
        status, duration = next_crossing(m, w, s, plan, record, cancel)
        facts[TOTAL_IMPACTS] += record.counter[IMPACTS_TOTAL]
        if status != 0:
            return status, 0
        facts[RETURNS] += 1
        if k >= plan.transient:
            write_sample(m, s, plan, record, duration, samples[k - plan.transient])
            facts[COUNT] += 1
        lag += 1
        write_point(m, s, plan, now)
        d = separation(m, w, plan, s, scratch[SIZES], now, before)
        steady = steady + 1 if d <= plan.recurrence else 0
        if steady > 1 and (d == 0.0 or ends_near(d, change, plan.recurrence)):
            return 0, 1
        change = d
        copy_point(m, now, before)
        d = separation(m, w, plan, s, scratch[SIZES], now, reference)
        if d <= plan.recurrence:
            cycles = cycles + 1 if lag == candidate else 0
            if cycles > 0 and converged(d, last, plan.recurrence):
                return 0, lag
            candidate, last = lag, d
            if cycles == 0:
                copy_point(m, now, anchor)
            elif cycles >= MOST_RETURNS:
                if separation(m, w, plan, s, scratch[SIZES], now, anchor) <= plan.recurrence:
                    return 0, lag
                candidate, power = 0, 2 * power
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
def follow_orbit(
    m: Machine,
    w: Workspace,
    s: Motion,
    plan: Plan,
    record: Record,
    samples: Reals2,
    facts: Integers,
    signature: Integers,
    cancel: Integers,
) -> Integer:
    """One period of a motion that repeats: its samples and its signature; returns a status."""
    for row in range(facts[COUNT]):
        for column in range(samples.shape[1]):
            samples[row, column] = math.nan
    facts[COUNT] = facts[IMPACTS] = facts[EVENTS] = 0
    clear_counts(record)
    record.keep_events = 1
    status = 0
    for k in range(facts[PERIOD]):
        record.signature = 0
        record.counter[IMPACTS_TOTAL] = record.counter[EVENTS_TOTAL] = 0
        status, duration = next_crossing(m, w, s, plan, record, cancel)
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
def smallest_period(
    m: Machine, w: Workspace, s: Motion, plan: Plan, samples: Reals2, facts: Integers, scratch: Reals2
) -> Integer:
    """The period after which the samples of an orbit already agree: next to a flip twice the period is seen first."""
    period = facts[PERIOD]
    if period != facts[COUNT]:
        return period
    for shorter in range(1, period // 2 + 1):
        if period % shorter == 0:
            apart = 0.0
            for k in range(period):
                read_point(m, s, samples[k], scratch[IMAGE])
                read_point(m, s, samples[(k + shorter) % period], scratch[TWIN_IMAGE])
                apart = max(apart, separation(m, w, plan, s, scratch[SIZES], scratch[TWIN_IMAGE], scratch[IMAGE]))
            if apart <= SAME_POINTS * plan.recurrence:
                return shorter
    return period


@kernel
def find_attractor(
    m: Machine,
    w: Workspace,
    s: Motion,
    fresh: Motion,
    period: Real,
    plan: Plan,
    record: Record,
    samples: Reals2,
    facts: Integers,
    exponents: Reals,
    index: Integer,
    signature: Integers,
    scratch: Reals2,
    cancel: Integers,
) -> None:
    """The attractor that the point in scratch[FIRST] leads to; its last point is left in scratch[NOW]."""
    status, repeats = 0, 0
    for k in range(scratch.shape[1]):
        scratch[SIZES, k] = 0.0
    if not begin(m, w, s, fresh, period, scratch[FIRST]):
        status = NOT_FINITE
    elif plan.section == PHASE:
        status, _ = go_to_phase(m, w, s, plan, record, cancel)
    else:
        limit_returns(m, w, s, plan)
    if status == 0:
        status, repeats = search(m, w, s, plan, record, samples, facts, scratch, cancel)
    if repeats > 0:
        facts[PERIOD] = repeats
        status = follow_orbit(m, w, s, plan, record, samples, facts, signature, cancel)
        repeats = smallest_period(m, w, s, plan, samples, facts, scratch)
        if repeats < facts[PERIOD] and status == 0:
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
        exponents[index] = growth_rate(m, w, s, fresh, period, plan, record, scratch, facts, cancel)
        copy_point(m, scratch[REFERENCE], scratch[NOW])
        counted = plan.twin_returns - plan.twin_returns // SETTLING
        facts[KIND] = CHAOTIC if exponents[index] * counted > CHAOTIC_GROWTH else UNSETTLED


@block(
    i8(
        machine_record,
        workspace_record,
        motion_record,
        motion_record,
        buffer_record,
        plan_record,
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
    m: Machine,
    w: Workspace,
    s: Motion,
    fresh: Motion,
    record: Record,
    plan: Plan,
    values: Reals,
    periods: Reals,
    starts: Reals2,
    ends: Reals2,
    samples: Reals3,
    facts: Integers2,
    exponents: Reals,
    signatures: Integers2,
    scratch: Reals2,
    cancel: Integers,
) -> Integer:
    """The attractor of every item; returns how many were done before ``cancel[0]`` was set.

    values, periods   of the parameter plan.parameter and of the forcing, one an item
    starts            points (phase, q, u), one an item; where they are carried, the rows are: the first start, and the
                      one taken after a motion that stopped
    ends              the last point of every item
    samples, facts, exponents, signatures   results, as attractor_codes.py names them
    """
    if plan.carried:
        copy_point(m, starts[0], scratch[NOW])
    for i in range(values.shape[0]):
        copy_point(m, scratch[NOW] if plan.carried else starts[i], scratch[FIRST])
        if plan.parameter >= 0:
            m.p[plan.parameter] = values[i]
        find_attractor(
            m, w, s, fresh, periods[i], plan, record, samples[i], facts[i], exponents, i, signatures[i], scratch, cancel
        )
        if cancel[0] != 0 or facts[i, STATUS] == CANCELLED:
            return i
        if plan.carried and facts[i, KIND] == STOPPED_MOTION:
            copy_point(m, starts[1], scratch[NOW])
        copy_point(m, scratch[NOW], ends[i])
    return values.shape[0]
