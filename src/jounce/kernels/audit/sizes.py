"""How large things are in a recorded run, and whether all of its numbers are finite."""

import math

from jounce.kernels.records.fields import Audit, Machine
from jounce.kernels.records.tolerances import LARGEST_MOVE, START_TOLERANCE
from jounce.toolchain.jit import address, kernel
from jounce.toolchain.kernel_types import Integer, Reals, Reals2, Reals3, Truth


@kernel
def are_finite(values: Reals, size: Integer) -> Truth:
    """Whether these numbers are finite, by their sum: in eight parts, of which none waits for another."""
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
    whole = size - size % 8
    for k in range(0, whole, 8):
        s0 += values[k]
        s1 += values[k + 1]
        s2 += values[k + 2]
        s3 += values[k + 3]
        s4 += values[k + 4]
        s5 += values[k + 5]
        s6 += values[k + 6]
        s7 += values[k + 7]
    for k in range(whole, size):
        s0 += values[k]
    return math.isfinite((s0 + s1 + (s2 + s3)) + (s4 + s5 + (s6 + s7)))


@kernel
def find_sizes(m: Machine, a: Audit, coefficients: Reals3) -> None:
    """How large q and u are, a.size: the largest value in the run of any coordinate of the same unit, or its velocity.

    An angle has the size of a radian at least, a velocity that of its coordinate over the duration of the run.
    """
    n, duration = m.n, a.final[2 * m.n] - a.first[2 * m.n]
    for k in range(2 * n):
        a.size[k] = 0.0
    for k in range(2 * n):
        largest = abs(a.first[k])
        for step in range(coefficients.shape[0]):
            largest = max(largest, abs(coefficients[step, 0, k]))
        alike = a.alike[k % n] + (k - k % n)
        a.size[alike] = max(a.size[alike], largest)
    for k in range(n):
        a.size[k], a.size[n + k] = a.size[a.alike[k]], a.size[n + a.alike[k]]
    for k in range(n):
        if a.is_angle[k]:
            a.size[k] = max(a.size[k], 1.0)
        if duration > 0.0:
            a.size[n + k] = max(a.size[n + k], a.size[k] / duration)


@kernel
def place_start(m: Machine, a: Audit, coefficients: Reals3, began: Truth) -> None:
    """Let a.first be the start as the engine has placed it: what touches within its tolerance lies on the surface.

    Velocities too, unless an event at the start changes them: a start that goes on in contact is known to the accuracy
    of the run that it comes from.
    """
    if coefficients.shape[0] == 0:
        return
    moved = False
    for k in range(2 * m.n):
        moved = moved or coefficients[0, 0, k] != a.first[k]
    if moved:
        find_sizes(m, a, coefficients)
        for k in range(m.n if began else 2 * m.n):
            placed = coefficients[0, 0, k]
            if abs(placed - a.first[k]) <= max(START_TOLERANCE, a.tolerance) * a.size[k]:
                a.first[k] = placed


@kernel
def squares_are_finite(m: Machine, a: Audit) -> Truth:
    """Whether the squares of the sizes found so far are finite."""
    total = 0.0
    for k in range(m.n):
        total += a.extent[k] * a.extent[k] + a.speed[k] * a.speed[k] + a.moved[k] * a.moved[k]
    return math.isfinite(total)


@kernel
def begin_sizes(m: Machine, a: Audit) -> None:
    """What is known before the first step."""
    n = m.n
    a.longest = a.largest_force = a.largest_normal = a.largest_friction = 0.0
    for k in range(2 * m.nc):
        a.surface_size[k] = 0.0
    for k in range(n):
        a.extent[k], a.speed[k], a.moved[k] = a.given[k], a.given[n + k], LARGEST_MOVE * a.given[k]


@kernel
def grow_sizes(m: Machine, a: Audit, rows: Reals2) -> None:
    """Let the sizes grow with a step."""
    for k in range(m.n):
        a.extent[k] = max(a.extent[k], abs(rows[0, k]))
        a.speed[k] = max(a.speed[k], abs(rows[0, m.n + k]))
        a.moved[k] = max(a.moved[k], abs(rows[1, k]), abs(rows[2, k]))


@kernel
def first_too_large(m: Machine, a: Audit, coefficients: Reals3) -> Integer:
    """The first step with which the squares of the sizes are not finite."""
    begin_sizes(m, a)
    for step in range(coefficients.shape[0]):
        grow_sizes(m, a, coefficients[step])
        if not squares_are_finite(m, a):
            return step
    return coefficients.shape[0]


@kernel
def measure(m: Machine, a: Audit, lengths: Reals, coefficients: Reals3, began: Truth) -> Integer:
    """Sizes of the run: largest speeds, coordinates and changes over one step. Returns how many steps are finite.

    Their squares are, too: a motion whose energy is no number is none. Sizes only grow, so that the squares of the last
    ones say it of all. The ends count as one more step.

    A run that continues another one has its sizes too: its start is known to the accuracy of that run. ``began``: an
    event at the start changes velocities there.
    """
    n, size = m.n, coefficients.shape[1] * coefficients.shape[2]
    place_start(m, a, coefficients, began)
    begin_sizes(m, a)
    finite = coefficients.shape[0]
    for step in range(coefficients.shape[0]):
        if not are_finite(address(coefficients, step * size), size):
            finite = step
            break
        a.longest = max(a.longest, lengths[step])
        grow_sizes(m, a, coefficients[step])
    if not squares_are_finite(m, a):
        return first_too_large(m, a, coefficients)
    if finite < coefficients.shape[0]:
        return finite
    for k in range(n):
        a.extent[k] = max(a.extent[k], abs(a.first[k]), abs(a.final[k]))
        a.speed[k] = max(a.speed[k], abs(a.first[n + k]), abs(a.final[n + k]))
    ends_are_finite = are_finite(address(a.first, 0), 2 * n) and are_finite(address(a.final, 0), 2 * n)
    return coefficients.shape[0] + (1 if ends_are_finite and squares_are_finite(m, a) else 0)
