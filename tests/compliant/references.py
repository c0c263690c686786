"""References we did not write: closed forms, mpmath's quadrature, SciPy's integrator, matrix exponentials."""

from __future__ import annotations

from collections.abc import Callable

import mpmath as mp
import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq


def elastic_pendulum(K: float, m: float = 1.0, g: float = 9.81, length: float = 1.0) -> dict[str, float]:
    """The pendulum released horizontal whose sphere meets the wall when the arm hangs down; elastic Hertz contact.

    phi'^2/2 = (g/l) cos(phi) - (2/5) K delta^(5/2)/(m l^2) with delta = l sin(phi), phi counted behind the vertical.
    """
    with mp.workdps(30):
        touch = mp.sqrt(mp.mpf(length) / g) * mp.ellipk(mp.mpf(1) / 2)

        def square(phi: mp.mpf) -> mp.mpf:
            return 2 * g / length * mp.cos(phi) - mp.mpf(4) / 5 * K * (length * mp.sin(phi)) ** mp.mpf(2.5) / (
                m * length**2
            )

        guess = (mp.mpf(5) * m * g * length / (2 * K)) ** mp.mpf(0.4) / length
        deepest = mp.findroot(square, (guess / 2, guess * 2), solver="anderson")
        # phi = deepest (1 - s^2) removes the inverse square root at the turning point
        half = mp.re(
            mp.quad(lambda s: 2 * deepest * s / mp.sqrt(square(deepest * (1 - s * s))), [0, 0.25, 0.5, 0.75, 1])
        )
        return {
            "touch": float(touch),
            "deepest": float(length * mp.sin(deepest)),
            "duration": float(2 * half),
            "force": float(K * (length * mp.sin(deepest)) ** mp.mpf(1.5)),
        }


def linear_solid(k0: float, k: float, c: float, m: float, v: float) -> tuple[float, float]:
    """(duration, restitution) of a free mass on a standard linear solid: (delta, delta', s) by a matrix exponential."""
    matrix = np.array([[0, 1, 0], [-k0 / m, 0, -1 / m], [0, k, -k / c]])

    def state(t: float) -> np.ndarray:
        return expm(matrix * t) @ np.array([0.0, v, 0.0])

    def force(t: float) -> float:
        delta, _, s = state(t)
        return k0 * delta + s

    step = 0.1 * np.sqrt(m / (k0 + k))
    t = step
    while force(t) > 0:
        t += step
    end = brentq(force, t - step, t, xtol=1e-18, rtol=1e-15)
    return end, -state(end)[1] / v


def collide(
    force: Callable[[float, float, float], float], m: float, v: float, g: float = 0.0, longest: float = 1.0
) -> tuple[float, float]:
    """(duration, speed of departure) of a mass that meets a surface with speed v, by SciPy; force(delta, rate, v)."""

    def slope(t: float, z: np.ndarray) -> list[float]:
        return [z[1], g - force(max(z[0], 0.0), z[1], v) / m]

    def opens(t: float, z: np.ndarray) -> float:
        return z[0] if t > 0 else 1.0

    opens.terminal, opens.direction = True, -1  # type: ignore[attr-defined]
    result = solve_ivp(slope, (0, longest), [0.0, v], method="DOP853", rtol=1e-13, atol=1e-18, events=opens)
    return float(result.t_events[0][0]), -float(result.y_events[0][0][1])
