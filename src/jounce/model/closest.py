"""The place of a curve that is nearest to a point, or lowest in a direction: a search that leaves out no arc.

These functions run as Python, and are the text from which machine code is made (codegen/profile_search.py): straight
arithmetic, loops, conditions, and numbers in flat arrays. A curve c(s) is given by ``profile(s, k, point)``, which
writes c, c', c'' at s, and by arcs [a, b] of its parameter with bounds B >= |c''| and T >= |c'''| on each. What is
looked for is the least value of

    near:      |c(s) - (u, v)| ,   with  F = (c - (u, v)).c' = 0  there,  F_s = |c'|^2 + (c - (u, v)).c''
    far:       u x(s) + v y(s) ,   with  F = u x' + v y' = 0  there,      F_s = u x'' + v y'' .

With the middle m of an interval and its half width w, c(s) is within B w^2/2 of the segment c(m) + (s - m) c'(m), which
bounds the value from below (``lower``); c'' is within T w of c''(m), which bounds F_s from below (``bending``). An
interval whose bound is above the value at some place is left out. One on which F_s > 0 has one minimum at most, between
F <= 0 and F >= 0, and Newton's steps between these ends find it to rounding. All others are halved. Ends that intervals
share are the same doubles, so that no minimum falls between two intervals.

Where F_s vanishes at the minimum (centres of curvature) intervals stay in doubt until they are so short that the value
is known to rounding; where a whole arc is equally near (the centre of a circle) MOST intervals are looked at. There the
value is right, and the place is one of those that share it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt

#: Numbers of an arc: its ends, c and c' at its middle, the bounds B and T.
ARC = 8
#: Intervals that are looked at before what is left of them is searched as it is.
MOST = 600
#: Numbers on the stack of intervals: two each, and one interval more for each halving.
STACK = 64
#: The shortest interval, as a part of its arc: the value is known to rounding by then.
SHORTEST = 1e-6
#: Of the sizes that a value is made of: differences below it are rounding.
ROUNDING = 1e-15
#: Of the span of the parameter: Newton's steps below it have arrived.
ARRIVED = 2e-16

#: What is known of a curve as a whole, ``ends``: start, end, size, whether it is open, how many numbers it depends on.
START, END, SIZE, OPEN, VALUES = range(5)

Numbers = Sequence[float]


def lower(
    u: float, v: float, near: float, x: float, y: float, dx: float, dy: float, w: float, bound: float
) -> float:  # fmt: skip
    """A bound from below on the value within w of a place (x, y) with the derivative (dx, dy)."""
    a = u - x
    b = v - y
    way = min(max((a * dx + b * dy) / (dx * dx + dy * dy), -w), w)
    p = a - way * dx
    q = b - way * dy
    off = 0.5 * bound * w * w
    return (
        sqrt(p * p + q * q) - off
        if near > 0.0
        else u * x + v * y - abs(u * dx + v * dy) * w - sqrt(u * u + v * v) * off
    )


def bending(u: float, v: float, near: float, point: Numbers, w: float, bound: float, third: float) -> float:
    """A bound from below on F_s within w of the place whose c, c', c'' are ``point``."""
    a = point[0] - u
    b = point[1] - v
    speed = sqrt(point[2] * point[2] + point[3] * point[3])
    slowest = max(speed - bound * w, 0.0)
    curl = sqrt(point[4] * point[4] + point[5] * point[5]) + third * w
    away = sqrt(a * a + b * b) * third * w + (speed * w + 0.5 * bound * w * w) * curl
    return (
        slowest * slowest + a * point[4] + b * point[5] - away
        if near > 0.0
        else u * point[4] + v * point[5] - sqrt(u * u + v * v) * third * w
    )


def value(u: float, v: float, near: float, x: float, y: float) -> float:
    """What is to be least, at the place (x, y)."""
    a = u - x
    b = v - y
    return sqrt(a * a + b * b) if near > 0.0 else u * x + v * y


def slope(u: float, v: float, near: float, point: Numbers) -> float:
    """F."""
    a = point[0] - u if near > 0.0 else u
    b = point[1] - v if near > 0.0 else v
    return a * point[2] + b * point[3]


def refine(
    u: float, v: float, near: float, k: Numbers, a: float, b: float, ends: Numbers, point: list[float],
    best: list[float], profile: Callable[..., None],
) -> None:  # fmt: skip
    """The minimum between a and b, where F turns from negative to positive, into best[4] and best[5] if it is less.

    The end of a closed curve is its start: F is asked there, so that it has one sign at both.
    """
    profile(a, k, point)
    before = slope(u, v, near, point)
    profile(ends[START] if b >= ends[END] and ends[OPEN] == 0.0 else b, k, point)
    behind = slope(u, v, near, point)
    best[6] = a
    best[7] = b
    best[8] = 0.5 * (a + b)
    best[9] = 100.0 if before <= 0.0 and behind >= 0.0 else 0.0
    while best[9] > 0.0:
        place = best[8]
        profile(place, k, point)
        f = slope(u, v, near, point)
        x = point[0] - u if near > 0.0 else u
        y = point[1] - v if near > 0.0 else v
        rise = (point[2] * point[2] + point[3] * point[3] if near > 0.0 else 0.0) + x * point[4] + y * point[5]
        best[6] = place if f < 0.0 else best[6]
        best[7] = best[7] if f < 0.0 else place
        newton = place - f / rise if rise > 0.0 else best[7]
        inside = newton > best[6] and newton < best[7]
        next_place = newton if inside or newton == place else 0.5 * (best[6] + best[7])
        arrived = abs(next_place - place) <= ARRIVED * (ends[END] - ends[START]) or f == 0.0
        best[8] = place if f == 0.0 else next_place
        best[9] = 0.0 if arrived else best[9] - 1.0
    if before <= 0.0 and behind >= 0.0:
        profile(best[8], k, point)
        found = value(u, v, near, point[0], point[1])
        if found < best[4]:
            best[4] = found
            best[5] = best[8]
            best[0] = min(best[0], found)


def beyond(
    u: float, v: float, k: Numbers, at: float, sign: float, point: list[float], best: list[float],
    profile: Callable[..., None],
) -> None:  # fmt: skip
    """The nearest place of the straight part beyond the end ``at``, before it with the sign 1 and behind it with -1."""
    profile(at, k, point)
    f = slope(u, v, 1.0, point)
    if sign * f > 0.0:
        ahead = -f / (point[2] * point[2] + point[3] * point[3])
        found = value(u, v, 1.0, point[0] + ahead * point[2], point[1] + ahead * point[3])
        if found < best[4]:
            best[4] = found
            best[5] = at + ahead
            best[0] = min(best[0], found)


def middle(
    k: Numbers, arcs: Numbers, i: int, ends: Numbers, point: list[float], profile: Callable[..., None]
) -> None:  # fmt: skip
    """c and c' at the middle of arc i: numbers, where the curve depends on nothing else."""
    if ends[VALUES] > 0.0:
        profile(0.5 * (arcs[ARC * i] + arcs[ARC * i + 1]), k, point)
    else:
        point[0] = arcs[ARC * i + 2]
        point[1] = arcs[ARC * i + 3]
        point[2] = arcs[ARC * i + 4]
        point[3] = arcs[ARC * i + 5]


def closest(
    u: float, v: float, near: float, k: Numbers, arcs: Numbers, count: int, ends: Numbers, point: list[float],
    stack: list[float], best: list[float], profile: Callable[..., None],
) -> None:  # fmt: skip
    """The parameter of the least value into best[5].

    best: [least value at any place, where, intervals on the stack, intervals seen, least minimum, its place, ...].
    """
    best[0] = 1e999
    best[1] = ends[START]
    best[3] = 0.0
    best[4] = 1e999
    for i in range(count):
        middle(k, arcs, i, ends, point, profile)
        here = value(u, v, near, point[0], point[1])
        if here < best[0]:
            best[0] = here
            best[1] = 0.5 * (arcs[ARC * i] + arcs[ARC * i + 1])
    best[5] = best[1]
    if ends[OPEN] > 0.0:
        beyond(u, v, k, ends[START], 1.0, point, best, profile)
        beyond(u, v, k, ends[END], -1.0, point, best, profile)
    terms = abs(u) + abs(v) + ends[SIZE] if near > 0.0 else (abs(u) + abs(v)) * ends[SIZE]
    slack = ROUNDING * (abs(best[0]) + terms)
    for i in range(count):
        bound = arcs[ARC * i + 6]
        third = arcs[ARC * i + 7]
        width = 0.5 * (arcs[ARC * i + 1] - arcs[ARC * i])
        middle(k, arcs, i, ends, point, profile)
        floor = lower(u, v, near, point[0], point[1], point[2], point[3], width, bound)
        stack[0] = arcs[ARC * i]
        stack[1] = arcs[ARC * i + 1]
        best[2] = 1.0 if floor <= best[0] + slack else 0.0
        while best[2] > 0.0:
            best[2] -= 1.0
            best[3] += 1.0
            top = 2 * int(best[2])
            a = stack[top]
            b = stack[top + 1]
            m = 0.5 * (a + b)
            w = 0.5 * (b - a)
            profile(m, k, point)
            best[0] = min(best[0], value(u, v, near, point[0], point[1]))
            least = lower(u, v, near, point[0], point[1], point[2], point[3], w, bound)
            sure = bending(u, v, near, point, w, bound, third) > 0.0
            if least <= best[0] + slack:
                if sure or best[3] > MOST or w < SHORTEST * width:
                    refine(u, v, near, k, a, b, ends, point, best, profile)
                else:
                    stack[top] = a
                    stack[top + 1] = m
                    stack[top + 2] = m
                    stack[top + 3] = b
                    best[2] += 2.0
