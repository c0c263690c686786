"""One bounce in k forcing periods of a ball on a table, in closed form; derived here, not taken from a paper.

The ball leaves at the phase phi with the velocity that brings it back after T = 2 pi k / omega: relative to the table
v = g T/2 - A omega cos(phi), and arrives with -g T/2 - A omega cos(phi). Newton's law v = e (g T/2 + A omega cos(phi))
gives cos(phi) = k pi g (1 - e)/((1 + e) A omega^2). The map (phase, speed) of one bounce has the determinant e^2 and
the trace below; folds have the multiplier 1, flips -1.
"""

from __future__ import annotations

import math

import mpmath

G = 9.81


def level(k: int, e: float) -> float:
    """omega^2 cos(phi) with A = 1."""
    return k * math.pi * G * (1 - e) / (1 + e)


def phase(k: int, e: float, omega: float, branch: int = 1) -> float:
    """The phase of the impact; branch +1 begins stable at the fold, -1 is unstable."""
    return branch * math.acos(level(k, e) / omega**2)


def multipliers(k: int, e: float, omega: float, branch: int = 1) -> list[complex]:
    trace = 1 + e**2 - (1 + e) ** 2 * omega**2 * math.sin(phase(k, e, omega, branch)) / G
    root = complex(trace**2 / 4 - e**2) ** 0.5
    return [trace / 2 + root, trace / 2 - root]


def fold(k: int, e: float) -> float:
    """cos(phi) = 1."""
    return math.sqrt(level(k, e))


def flip(k: int, e: float) -> float:
    """trace = -1 - e^2: omega^2 sin(phi) = 2 (1 + e^2) g/(1 + e)^2."""
    return float((level(k, e) ** 2 + (2 * (1 + e**2) * G / (1 + e) ** 2) ** 2) ** 0.25)


def grazing(k: int, e: float) -> float:
    """The frequency at which the flight of the unstable branch touches the table once more: gap = gap' = 0.

    The first omega above the fold at which the least gap inside the flight is zero, by bisection on a fine scan, then
    mpmath.
    """
    low, high = fold(k, e) * 1.0001, 3.0 * flip(k, e)
    while high - low > 1e-6:
        middle = (low + high) / 2
        if least_gap(k, e, middle)[0] > 0.0:
            low = middle
        else:
            high = middle
    start = (low, least_gap(k, e, low)[1])
    return float(mpmath.findroot(lambda omega, t: _touch(k, e, omega, t), start)[0])


def _touch(k: int, e: float, omega: float, t: float) -> tuple[float, float]:
    angle = -mpmath.acos(level(k, e) / omega**2)
    speed = G * k * mpmath.pi / omega
    gap = mpmath.sin(angle) + speed * t - G * t**2 / 2 - mpmath.sin(omega * t + angle)
    return gap, speed - G * t - omega * mpmath.cos(omega * t + angle)


def least_gap(k: int, e: float, omega: float) -> tuple[float, float]:
    """The least value of the gap at a local minimum inside the flight, and its time; (inf, 0) where it has none."""
    import numpy as np

    t = np.linspace(0.0, 2 * math.pi * k / omega, 20001)
    angle, speed = phase(k, e, omega, -1), G * k * math.pi / omega
    gap = math.sin(angle) + speed * t - G * t**2 / 2 - np.sin(omega * t + angle)
    inside = np.flatnonzero((gap[1:-1] < gap[:-2]) & (gap[1:-1] < gap[2:])) + 1
    if len(inside) == 0:
        return math.inf, 0.0
    best = inside[np.argmin(gap[inside])]
    return float(gap[best]), float(t[best])
