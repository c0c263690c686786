"""A slide whose determinant has a minimum before it vanishes (singular_point.py): the march over that minimum."""

import math

from jounce.kernels.contact.forces import evaluate_model, solve_mode
from jounce.kernels.flow.jamming_force import determinant_ahead, force_beside, jamming_contact, respond_after
from jounce.kernels.records.fields import Machine, Motion, Workspace
from jounce.kernels.records.tolerances import (
    DETERMINANT_BESIDE,
    DOUBLED_AT_LEAST,
    DOUBLED_AT_MOST,
    EPSILON,
    GROWN_AT_MOST,
    JAM_BESIDE,
    PASSING_PIECES,
    SHORTEST_MARCH,
)
from jounce.toolchain.jit import address, kernel
from jounce.toolchain.kernel_types import Integer, Real

DOUBLED = 0.6931471805599453  # log 2, to which the logarithm grows


@kernel
def rate_of_determinant(m: Machine, w: Workspace, s: Motion, time: Real, change: Real) -> Real:
    """How fast the determinant changes with velocities changed by this much along the accelerations of a unit force.

    Between the places before and behind by ``time``, so that what is quadratic in the way cancels.
    """
    n, modes, rate = m.n, address(s.modes, 0), 0.0
    for end in range(-1, 2, 2):
        for j in range(n):
            w.point[n + j] = s.z[n + j] + change * w.stages[1, n + j]
            w.point[j] = s.z[j] + end * time * w.point[n + j]
        if not evaluate_model(m, w, s.t + end * time, address(w.point, 0), address(w.point, n)):
            return math.nan
        rate += end * solve_mode(m, w, modes)
    return rate / (2.0 * time)


@kernel
def passes_by(m: Machine, w: Workspace, s: Motion, i: Integer, time: Real) -> tuple[Real, Real, Real, Real, Real]:
    """(impulse P, time, integral of P over the time) until the determinant has passed its minimum and is doubled.

    Then the means over P of the time and of that integral. Zeros where it arrives at the singular point instead. Rows 0
    and 1 are those of ``jamming_contact``.

    Velocities change along the accelerations of a unit force next to the point, where W_N v = A is next to nothing, as
    it is on nearly all of the way. The time passes at its ends, where A falls and grows by a factor in a short step.
    """
    first, force = determinant_ahead(m, w, s, 0.0), w.stage_sums[0, 2 * i]
    respond_after(m, w, s, (1.0 - JAM_BESIDE) * time, 0.0)
    largest, fastest = 0.0, 0.0
    for j in range(m.n, 2 * m.n):
        largest, fastest = max(largest, abs(s.z[j])), max(fastest, abs(w.stages[1, j]))
    if not (largest > 0.0 and fastest > 0.0):
        return 0.0, 0.0, 0.0, 0.0, 0.0
    unit = largest / fastest
    more, less = force_beside(m, w, s, i, unit), force_beside(m, w, s, i, -unit)
    slope, bend = (more - less) / (2.0 * unit), (more + less - 2.0 * force) / (2.0 * unit * unit)
    beside = DETERMINANT_BESIDE / abs(first) * time
    begin = rate_of_determinant(m, w, s, beside, 0.0) / first
    change = (rate_of_determinant(m, w, s, beside, unit) / first - begin) / unit
    if not (begin < 0.0 and change > 0.0):
        return 0.0, 0.0, 0.0, 0.0, 0.0
    turn = -begin / change
    impulse = passed = turned = logarithm = early = before = 0.0
    step, strength = turn / PASSING_PIECES, force
    for _ in range(PASSING_PIECES * PASSING_PIECES):
        middle, end = impulse + 0.5 * step, impulse + step
        half, last = force + middle * (slope + bend * middle), force + end * (slope + bend * end)
        if not (half > 0.5 * strength and last > 0.5 * half):
            if end <= turn and step < turn / PASSING_PIECES**3:
                return 0.0, 0.0, 0.0, 0.0, 0.0
            step *= 0.5
            continue
        a, b, c = begin + change * impulse, begin + change * middle, begin + change * end
        a, b, c = a / strength, b / half, c / last
        grown = step * (a + 4.0 * b + c) / 6.0
        if logarithm + grown > DOUBLED * DOUBLED_AT_MOST and impulse > turn:
            step *= max(SHORTEST_MARCH, (DOUBLED - logarithm) / grown)
            continue
        if abs(grown) > GROWN_AT_MOST and math.exp(logarithm + max(grown, 0.0)) > EPSILON:
            step *= 0.5
            continue
        at, between, ahead = (
            math.exp(logarithm) / strength,
            math.exp(logarithm + step * (5.0 * a + 8.0 * b - c) / 24.0) / half,
            math.exp(logarithm + grown) / last,
        )
        early, before = early + 0.5 * step * passed, before + 0.5 * step * turned
        passed += step * (at + 4.0 * between + ahead) / 6.0
        turned += step * (at * impulse + 4.0 * between * middle + ahead * end) / 6.0
        early, before = early + 0.5 * step * passed, before + 0.5 * step * turned
        impulse, strength, logarithm = end, last, logarithm + grown
        step = min(2.0 * step, turn / PASSING_PIECES)
        if logarithm >= DOUBLED_AT_LEAST * DOUBLED and impulse > turn:
            jamming_contact(m, w, s)
            return impulse, passed, turned, early / impulse, before / impulse
    return 0.0, 0.0, 0.0, 0.0, 0.0
