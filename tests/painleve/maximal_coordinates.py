"""The papers' machines in full Cartesian coordinates with constraints, in 30 digits: nothing shared with Jounce.

g'' at a given contact force comes from one linear system for accelerations and joint forces,
[[M, -J^T], [J, 0]] [a, nu] = [f + F lambda, -bias].
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import mpmath as mp

mp.mp.dps = 30


@dataclass(frozen=True)
class Scalar:
    """A and B of g'' = A lambda_N + B, and the two accelerations they come from."""

    A: Any
    B: Any
    free: list[Any]
    """Accelerations of the two angles without contact force."""
    response: list[Any]
    """What a unit normal force (with its friction) adds to them."""


def manipulator(theta: Any, rate: Any, slip: int, mu: Any, *, length: Any = 1, m: Any = 1, g: Any = "9.8") -> Scalar:
    """Two uniform links: bodies (x1, y1, theta1, x2, y2, theta2), pinned at the pivot and at the elbow."""
    h, mu, g = mp.mpf(length) / 2, mp.mpf(mu), mp.mpf(g)
    (s1, s2), (c1, c2) = [mp.sin(a) for a in theta], [mp.cos(a) for a in theta]
    w1, w2 = (mp.mpf(r) ** 2 for r in rate)
    inertia = m * mp.mpf(length) ** 2 / 12
    J = [
        [1, 0, -h * c1, 0, 0, 0],
        [0, 1, -h * s1, 0, 0, 0],
        [-1, 0, -h * c1, 1, 0, -h * c2],
        [0, -1, -h * s1, 0, 1, -h * s2],
    ]
    bias = [h * s1 * w1, -h * c1 * w1, h * (s1 * w1 + s2 * w2), -h * (c1 * w1 + c2 * w2)]
    normal = [0, 0, 0, 0, 1, h * s2]
    tangent = [0, 0, 0, 1, 0, h * c2]
    answers = _accelerations(
        [m, m, inertia, m, m, inertia], J, bias, [0, -m * g, 0, 0, -m * g, 0], normal, tangent, slip * mu
    )
    return _scalar(answers, normal, h * c2 * w2, lambda a: [a[2], a[5]])


def double_pendulum(theta: Any, phi: Any, slip: int, mu: Any, *, torque: Any = 0) -> Scalar:
    """Two masses of 0.5 kg on rods of 1 m, at rest: (x1, y1, x2, y2); the torque is a force across the upper rod."""
    theta, phi, mu, m, g = mp.mpf(theta), mp.mpf(phi), mp.mpf(mu), mp.mpf("0.5"), mp.mpf("9.81")
    x1, y1 = mp.sin(theta), -mp.cos(theta)
    x2, y2 = x1 + mp.sin(phi), y1 - mp.cos(phi)
    J = [[x1, y1, 0, 0], [x1 - x2, y1 - y2, x2 - x1, y2 - y1]]
    forces = [torque * mp.cos(theta), -m * g + torque * mp.sin(theta), 0, -m * g]
    normal, tangent = [0, 0, 1, 0], [0, 0, 0, 1]
    answers = _accelerations([m] * 4, J, [0, 0], forces, normal, tangent, slip * mu)

    def angles(a: Any) -> list[Any]:
        first = a[0] * mp.cos(theta) + a[1] * mp.sin(theta)
        return [first, (a[2] - a[0]) * mp.cos(phi) + (a[3] - a[1]) * mp.sin(phi)]

    return _scalar(answers, normal, 0, angles)


def closed(theta1: Any, rate1: Any, H: Any) -> tuple[list[Any], list[Any]]:
    """The manipulator on the belt (Liu, Zhao & Chen (15)): theta2 = arccos(H - cos theta1) > 0."""
    theta2 = mp.acos(mp.mpf(H) - mp.cos(theta1))
    return [theta1, theta2], [rate1, -rate1 * mp.sin(theta1) / mp.sin(theta2)]


def desingularised(x1: Any, x2: Any, slip: int, mu: Any, H: Any) -> tuple[Any, Any]:
    """The sliding flow (18) in theta1 and theta1', in the time dt = A d(tau)."""
    found = manipulator(*closed(x1, x2, H), slip, mu)
    return found.A * x2, found.A * found.free[0] - found.B * found.response[0]


def _accelerations(
    masses: Any, J: Any, bias: Any, forces: Any, normal: Any, tangent: Any, weight: Any
) -> tuple[Any, Any]:
    """Accelerations at lambda_N = 0 and at 1."""
    n, k = len(masses), len(J)
    matrix = mp.zeros(n + k)
    for i in range(n):
        matrix[i, i] = masses[i]
        for j in range(k):
            matrix[i, n + j] = -mp.mpf(J[j][i])
            matrix[n + j, i] = mp.mpf(J[j][i])
    answers = []
    for force in (0, 1):
        right = [forces[i] + force * (normal[i] - weight * tangent[i]) for i in range(n)] + [-b for b in bias]
        answers.append(mp.lu_solve(matrix, mp.matrix(right)))
    return answers[0], answers[1]


def _scalar(answers: tuple[Any, Any], normal: Any, bias: Any, angles: Any) -> Scalar:
    free, pushed = answers
    gaps = [sum(w * a[i] for i, w in enumerate(normal)) + bias for a in (free, pushed)]
    before, after = angles(free), angles(pushed)
    return Scalar(gaps[1] - gaps[0], gaps[0], before, [b - a for a, b in zip(before, after, strict=True)])
