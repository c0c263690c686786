"""A ball on a table that moves as sin(omega t): where it stops to bounce once a period and begins to bounce in pairs.

With restitution e the simple motion loses its stability where 1 + trace + det of its map vanishes, that is at

    omega^4 = g^2 [(2 (1 + e^2)/(1 + e)^2)^2 + (pi (1 - e)/(1 + e))^2].

Programs that follow orbits find it so; with the others it is found by trying which frequencies let flights alternate.
Only NumPy is needed here: some programs bring a Python of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

G = 9.81
E = 0.9
PERIODS = 50  # after which flights that alternate are seen to
EXACT = math.sqrt(G) * ((2 * (1 + E**2) / (1 + E) ** 2) ** 2 + (math.pi * (1 - E) / (1 + E)) ** 2) ** 0.25


def simple_motion(omega: float) -> tuple[float, float]:
    """Time of an impact of the simple motion, and the speed after it."""
    phase = math.acos(math.pi * G * (1 - E) / (1 + E) / omega**2)
    return phase / omega, math.pi * G / omega


def by_trying(alternates: Callable[[float], bool]) -> float:
    """The frequency, by bisection down to 0.002 rad/s."""
    low, high = 3.05, 3.3
    while high - low > 2e-3:
        omega = (low + high) / 2
        low, high = (low, omega) if alternates(omega) else (omega, high)
    return (low + high) / 2


def differ(turns: list[float], omega: float) -> bool:
    """Whether the last flights between turns differ by more than 2 % of the period."""
    flights = np.diff(np.asarray(turns)[-13:])
    return bool(len(flights) < 12 or abs(flights[::2].mean() - flights[1::2].mean()) > 0.04 * math.pi / omega)


def difference(function: Callable[[np.ndarray], np.ndarray], z: np.ndarray, step: np.ndarray) -> np.ndarray:
    """The change of a function along a step, exact to its fourth order."""
    return (8 * (function(z + step) - function(z - step)) - function(z + 2 * step) + function(z - 2 * step)) / 12


def by_orbit(impact: Callable[[float, float, float], tuple[float, float]]) -> float:
    """The frequency at which the simple orbit of a map (t, v, omega) -> (t, v) after the next impact flips."""
    from scipy.optimize import brentq, fsolve

    def flips(omega: float) -> float:
        period = 2 * math.pi / omega

        def returns(z: np.ndarray) -> np.ndarray:
            return np.array(impact(z[0], z[1], omega)) - [period, 0.0]

        orbit = fsolve(lambda z: returns(z) - z, simple_motion(omega), xtol=1e-12)
        h = 1e-3
        jacobian = np.array([difference(returns, orbit, step) for step in np.eye(2) * h]).T / h
        return float(1 + np.trace(jacobian) + np.linalg.det(jacobian))

    return float(brentq(flips, 3.1, 3.2, xtol=1e-12))
