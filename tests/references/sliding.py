"""The slender rod with one end sliding on the moving floor: a single mode in reduced coordinates, by SciPy at 1e-13.

End P1 slides. With y = A sin(omega t) + L sin(theta) put in, x and theta remain:
    lambda_N = m (g - A omega^2 sin(omega t) - L sin(theta) theta'^2 + L cos(theta) theta''),
    m x'' = -s mu lambda_N,   I theta'' = -(L cos(theta) + s mu L sin(theta)) lambda_N,   s = sign(gamma_T),
the moments about the centre of the forces at P1, which lies at -L (cos, sin).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

TOLERANCE = 1e-13


class SlideEnd(NamedTuple):
    """What ended the slide ("landing", "release" or "stop"), when, and the state there."""

    kind: str
    t: float
    q: tuple[float, float, float]
    u: tuple[float, float, float]


@dataclass(frozen=True)
class SlidingRod:
    """Parameters of a rod whose end P1 slides."""

    A: float = 1.0
    omega: float = 3.0
    mu: float = 0.2
    g: float = 9.81
    m: float = 1.0
    L: float = 1.0

    def rate(self, t: float, z: np.ndarray, s: float) -> list[float]:
        """d/dt (x, theta, x', theta') while gamma_T has the sign s."""
        _, theta, d_x, d_theta = z
        normal, turning = self._forces(t, theta, d_theta, s)
        return [d_x, d_theta, -s * self.mu * normal / self.m, turning]

    def _forces(self, t: float, theta: float, d_theta: float, s: float) -> tuple[float, float]:
        """(lambda_N, theta'')."""
        sine, cosine, L, m = math.sin(theta), math.cos(theta), self.L, self.m
        arm = L * (cosine + s * self.mu * sine)
        weight = m * (self.g - self.A * self.omega**2 * math.sin(self.omega * t) - L * sine * d_theta**2)
        turning = -arm * weight / (m * L**2 / 3 + arm * m * L * cosine)
        return weight + m * L * cosine * turning, turning

    def normal_force(self, t: float, z: np.ndarray, s: float) -> float:
        """lambda_N."""
        return self._forces(t, z[1], z[3], s)[0]

    def slip(self, z: np.ndarray) -> float:
        """gamma_T of P1."""
        return float(z[2] + self.L * math.sin(z[1]) * z[3])

    def full_state(self, t: float, z: np.ndarray) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
        """(q, u) in the coordinates x, y, theta."""
        x, theta, d_x, d_theta = (float(value) for value in z)
        y = self.A * math.sin(self.omega * t) + self.L * math.sin(theta)
        d_y = self.A * self.omega * math.cos(self.omega * t) + self.L * math.cos(theta) * d_theta
        return (x, y, theta), (d_x, d_y, d_theta)


def rod_slide(
    rod: SlidingRod,
    t: float,
    x: float,
    theta: float,
    d_x: float,
    d_theta: float,
    t_max: float = 10.0,
    method: str = "DOP853",
) -> SlideEnd:
    """Slide of P1 from the given state until P2 lands (sin(theta) = 0), lambda_N vanishes, or the slip does.

    The start must slide with a positive normal force; |gamma_T| > 0 decides the direction.
    """
    z0 = np.array([x, theta, d_x, d_theta])
    s = math.copysign(1.0, rod.slip(z0))
    if rod.slip(z0) == 0.0 or rod.normal_force(t, z0, s) <= 0.0 or math.sin(theta) <= 0.0:
        raise ValueError("the start is no slide of P1 with P2 above the floor")
    guards = {
        "landing": lambda time, z: math.sin(z[1]),
        "release": lambda time, z: rod.normal_force(time, z, s),
        "stop": lambda time, z: s * rod.slip(z),
    }
    events = []
    for guard in guards.values():
        guard.terminal, guard.direction = True, -1  # type: ignore[attr-defined]
        events.append(guard)
    solution = solve_ivp(
        lambda time, z: rod.rate(time, z, s),
        (t, t_max),
        z0,
        method=method,
        rtol=TOLERANCE,
        atol=TOLERANCE,
        max_step=5e-3,
        events=events,
    )
    for kind, times in zip(guards, solution.t_events, strict=True):
        if len(times):
            end = float(times[0])
            z = solution.y_events[list(guards).index(kind)][0]
            return SlideEnd(kind, end, *rod.full_state(end, z))
    raise ValueError(f"the slide did not end before t={t_max}")


def sliding_start(
    rod: SlidingRod, t: float, theta: float, d_theta: float, slip: float
) -> tuple[tuple[float, float, float], tuple[float, float, float]]:
    """(q, u) of the full rod with P1 on the floor, x = 0, and the given slip velocity of P1: an engine's start."""
    d_x = slip - rod.L * math.sin(theta) * d_theta
    return rod.full_state(t, np.array([0.0, theta, d_x, d_theta]))
