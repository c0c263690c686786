"""Smooth motion between events: four problems as hybrid automata, written once for every hand-made peer.

A mode has rates z' = f(t, z) and guards that are positive while it lasts; a guard that vanishes leads to a next mode
by a jump. The functions are made from ``sin`` and ``cos``, so that the same lines serve Numba, SciPy and heyoka.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

State = tuple[Any, ...]
MOST_EVENTS = 100.0  # a second: a peer that meets more repeats false ones for ever


def plain(function: Any) -> Any:
    """A function as it is; Numba has its own way with those that are called by others."""
    return function


@dataclass(frozen=True)
class Mode:
    """One mode; guard k leads to mode ``after[k]`` with the state ``jumps[k](t, z)`` (None: as it is).

    ``quiet``: a time after its beginning in which no guard can vanish, where one begins at a root of higher order.
    """

    rate: Callable[[Any, Any], State]
    guards: tuple[Callable[[Any, Any], Any], ...]
    after: tuple[int, ...]
    jumps: tuple[Callable[[float, Any], State] | None, ...]
    quiet: float = 0.0


@dataclass(frozen=True)
class Problem:
    """A system with its parameters and start; ``modes`` makes those of the hand-made peers, of which the first begins.

    ``error_span`` is where errors are measured, ``span`` what is timed.
    """

    name: str
    system: str
    parameters: dict[str, float]
    q: dict[str, float]
    u: dict[str, float]
    error_span: float
    span: float
    modes: Callable[..., tuple[Mode, ...]]

    @property
    def start(self) -> tuple[float, ...]:
        """(q, u)."""
        return (*self.q.values(), *self.u.values())


def _belt(sin: Any, cos: Any, function: Any = plain) -> tuple[Mode, ...]:
    """x and v of the block; it starts at rest on the belt. The contact never opens: its force is the weight."""
    k, g, mu, mu_s, belt = 10.0, 9.81, 0.3, 0.4, 0.2

    def stick(t: Any, z: Any) -> State:
        return (z[1], 0.0 * z[0])

    def slip_back(t: Any, z: Any) -> State:
        return (z[1], -k * z[0] + mu * g)

    def slip_ahead(t: Any, z: Any) -> State:
        return (z[1], -k * z[0] - mu * g)

    def upper(t: Any, z: Any) -> Any:
        return mu_s * g - k * z[0]

    def lower(t: Any, z: Any) -> Any:
        return mu_s * g + k * z[0]

    def slower(t: Any, z: Any) -> Any:
        return belt - z[1]

    def faster(t: Any, z: Any) -> Any:
        return z[1] - belt

    def caught(t: float, z: Any) -> State:
        return (z[0], belt)

    return (
        Mode(stick, (upper, lower), (1, 2), (None, None)),
        Mode(slip_back, (slower,), (0,), (caught,)),
        Mode(slip_ahead, (faster,), (0,), (caught,)),
    )


def _oscillator(sin: Any, cos: Any, function: Any = plain) -> tuple[Mode, ...]:
    """A forced oscillator and its wall."""

    def rate(t: Any, z: Any) -> State:
        return (z[1], cos(0.8 * t) - 0.1 * z[1] - z[0])

    def gap(t: Any, z: Any) -> Any:
        return 1.0 - z[0]

    def bounce(t: float, z: Any) -> State:
        return (1.0, -0.8 * z[1])

    return (Mode(rate, (gap,), (0,), (bounce,)),)


def _pendulum(sin: Any, cos: Any, function: Any = plain) -> tuple[Mode, ...]:
    """Two arms of length 1 with masses 0.5, and a smooth elastic wall that the tip hits: sin(theta) + sin(phi) = -d."""
    g, d = 9.81, 0.2

    def rate(t: Any, z: Any) -> State:
        theta, phi, a, b = z[0], z[1], z[2], z[3]
        c, s = cos(theta - phi), sin(theta - phi)
        h1 = -0.5 * s * (b * b) - g * sin(theta)
        h2 = 0.5 * s * (a * a) - 0.5 * g * sin(phi)
        factor = 1.0 / (0.5 - 0.25 * (c * c))
        return (a, b, (0.5 * h1 - 0.5 * c * h2) * factor, (h2 - 0.5 * c * h1) * factor)

    def gap(t: Any, z: Any) -> Any:
        return sin(z[0]) + sin(z[1]) + d

    def bounce(t: float, z: Any) -> State:
        """u - 2 M^-1 W_N (W_N.u)/(W_N.M^-1.W_N), M = ((1, c/2), (c/2, 1/2)), W_N = (cos(theta), cos(phi))."""
        c, w1, w2 = cos(z[0] - z[1]), cos(z[0]), cos(z[1])
        r1, r2 = 0.5 * w1 - 0.5 * c * w2, w2 - 0.5 * c * w1
        strength = 2.0 * (w1 * z[2] + w2 * z[3]) / (w1 * r1 + w2 * r2)
        return (z[0], z[1], z[2] - strength * r1, z[3] - strength * r2)

    return (Mode(rate, (gap,), (0,), (bounce,)),)


def _wiper(sin: Any, cos: Any, function: Any = plain) -> tuple[Mode, ...]:
    """In flight, sliding against the belt's velocity from above, sticking; plastic impacts that always stick here."""
    m1, m2, g, k, c_y, k_phi, phi0, mu, belt = 0.1, 1.0, 10.0, 100.0, 10.0, 100.0, math.pi / 8, 0.6, -1.0

    @function
    def forces(z: Any) -> State:
        """M (phi phi, phi y, y y) and h."""
        s = sin(z[0])
        h_phi = -k_phi * (z[0] - phi0) - m1 * g * s
        h_y = -k * (z[1] - 1.0) - (m1 + m2) * g - c_y * z[3] - m1 * cos(z[0]) * (z[2] * z[2])
        return m1 + 0.0 * s, m1 * s, m1 + m2 + 0.0 * s, h_phi, h_y

    def flight(t: Any, z: Any) -> State:
        a, b, c, f, h = forces(z)
        factor = 1.0 / (a * c - b * b)
        return (z[2], z[3], (c * f - b * h) * factor, (a * h - b * f) * factor)

    @function
    def normal_force(z: Any) -> Any:
        """lambda_N where the end slides ahead of the belt: g'' = 0 with W_N = (s, 1), F = W_N - mu (c, 0)."""
        a, b, c, f, h = forces(z)
        s, co = sin(z[0]), cos(z[0])
        free = s * (c * f - b * h) + (a * h - b * f)
        push = s - mu * co
        return -(free + co * (z[2] * z[2]) * (a * c - b * b)) / (s * (c * push - b) + (a - b * push))

    def slide(t: Any, z: Any) -> State:
        a, b, c, f, h = forces(z)
        force = normal_force(z)
        f, h = f + (sin(z[0]) - mu * cos(z[0])) * force, h + force
        factor = 1.0 / (a * c - b * b)
        return (z[2], z[3], (c * f - b * h) * factor, (a * h - b * f) * factor)

    @function
    def stick(t: Any, z: Any) -> State:
        turn = sin(z[0]) / cos(z[0]) * (z[2] * z[2])
        return (z[2], z[3], turn, -cos(z[0]) * (z[2] * z[2]) - sin(z[0]) * turn)

    @function
    def held(t: Any, z: Any) -> State:
        """lambda_N, lambda_T while it sticks."""
        a, b, c, f, h = forces(z)
        rates = stick(t, z)
        normal = b * rates[2] + c * rates[3] - h
        return normal, (a * rates[2] + b * rates[3] - f - sin(z[0]) * normal) / cos(z[0])

    def gap(t: Any, z: Any) -> Any:
        return z[1] - cos(z[0])

    def slip(t: Any, z: Any) -> Any:
        return cos(z[0]) * z[2] - belt

    def pressed(t: Any, z: Any) -> Any:
        return normal_force(z)

    def held_down(t: Any, z: Any) -> Any:
        return held(t, z)[0]

    def ahead(t: Any, z: Any) -> Any:
        normal, tangential = held(t, z)
        return mu * normal + tangential

    def land(t: float, z: Any) -> State:
        turn = belt / cos(z[0])
        return (z[0], cos(z[0]), turn, -sin(z[0]) * turn)

    return (
        Mode(flight, (gap,), (2,), (land,), quiet=1e-2),
        Mode(slide, (pressed, slip), (0, 2), (None, land), quiet=1e-3),
        Mode(stick, (held_down, ahead), (0, 1), (None, None)),
    )


PROBLEMS = {
    problem.name: problem
    for problem in (
        Problem("belt", "belt_oscillator", {}, {"x": 0.0}, {"x": 0.2}, 20.0, 2000.0, _belt),
        Problem("oscillator", "impact_oscillator", {}, {"x": 0.0}, {"x": 0.0}, 80.0, 8000.0, _oscillator),
        Problem(
            "pendulum",
            "double_pendulum",
            {"d": 0.2, "mu": 0.0, "e": 1.0},
            {"theta": 0.4, "phi": 0.2},
            {"theta": 0.0, "phi": 0.0},
            20.0,
            500.0,
            _pendulum,
        ),
        Problem(
            "wiper",
            "wiper",
            {"mu": 0.6},
            {"phi": math.pi / 8, "y": 1.0},
            {"phi": 0.0, "y": 0.0},
            4.0,
            200.0,
            _wiper,
        ),
    )
}
