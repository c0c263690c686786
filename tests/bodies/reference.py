"""Independent solutions: closed-form kinematics of two machines, and their joint forces by Newton and Euler.

Nothing here uses the code under test: positions come from loop closure, derivatives from mpmath, and the forces from
the balance of each body solved as one linear system written down by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import mpmath
import numpy as np

Poses = dict[str, tuple[float, float, float]]


def slider_crank_poses(t: mpmath.mpf, p: Mapping[str, float]) -> list[mpmath.mpf]:
    """x, y, theta of crank, rod and slider."""
    r, length = mpmath.mpf(p["r"]), mpmath.mpf(p["l"])
    phi = mpmath.mpf(p["omega"]) * t + mpmath.mpf(p["phi"])
    pin = (r * mpmath.cos(phi), r * mpmath.sin(phi))
    beta = -mpmath.asin(pin[1] / length)
    x = pin[0] + length * mpmath.cos(beta)
    return [pin[0] / 2, pin[1] / 2, phi, (pin[0] + x) / 2, pin[1] / 2, beta, x, mpmath.mpf(0), mpmath.mpf(0)]


def quick_return_poses(t: mpmath.mpf, p: Mapping[str, float]) -> list[mpmath.mpf]:
    """x, y, theta of crank, lever, block, rod and slider."""
    phi = mpmath.mpf(p["omega"]) * t + mpmath.mpf(p["phi"])
    crank, lever, rod, b, h = (mpmath.mpf(p[name]) for name in ("l_crank", "l_lever", "l_rod", "b", "h"))
    pin = (crank * mpmath.cos(phi), b + crank * mpmath.sin(phi))
    theta = mpmath.atan2(pin[1], pin[0])
    end = (lever * mpmath.cos(theta), lever * mpmath.sin(theta))
    beta = mpmath.asin((h - end[1]) / rod)
    x = end[0] + rod * mpmath.cos(beta)
    crank_pose = [pin[0] / 2, b + (pin[1] - b) / 2, phi]
    return [
        *crank_pose,
        *[end[0] / 2, end[1] / 2, theta],
        *[*pin, theta],
        *[(end[0] + x) / 2, (end[1] + h) / 2, beta],
        *[x, h, mpmath.mpf(0)],
    ]


def motion(poses: Callable[..., list[mpmath.mpf]], t: float, p: Mapping[str, float]) -> np.ndarray:
    """Rows q, q', q'' at a time, from 40 digits."""
    with mpmath.workdps(40):
        instant = mpmath.mpf(t)
        count = len(poses(instant, p))
        rows = [
            [float(mpmath.diff(lambda s, k=k: poses(s, p)[k], instant, order)) for k in range(count)]
            for order in (0, 1, 2)
        ]
    return np.array(rows)


def inertia_forces(accelerations: np.ndarray, masses: np.ndarray, g: float) -> np.ndarray:
    """What the joints must give: m a_x, m (a_y + g), I theta'' of each body."""
    needed = masses * accelerations
    needed[1::3] += masses[1::3] * g
    return needed


def slider_crank_forces(t: float, p: Mapping[str, float]) -> dict[str, float]:
    """Newton and Euler for each body, forces named as the joints are."""
    q, _, a = motion(slider_crank_poses, t, p)
    m = np.array([p["m_crank"]] * 2 + [p["J_crank"]] + [p["m_rod"]] * 2 + [p["J_rod"]] + [p["m_slider"]] * 2 + [1.0])
    needed = inertia_forces(a, m, p["g"])
    names = ["A.x", "A.y", "B.x", "B.y", "C.x", "C.y", "N", "M", "T"]
    rows = np.zeros((9, 9))
    r, length = p["r"], p["l"]
    e, f = np.array([np.cos(q[2]), np.sin(q[2])]), np.array([np.cos(q[5]), np.sin(q[5])])
    # crank: A at -r/2, -B at +r/2, torque T
    rows[0, [0, 2]], rows[1, [1, 3]] = [1, -1], [1, -1]
    rows[2, :4] = [r / 2 * e[1], -r / 2 * e[0], r / 2 * e[1], -r / 2 * e[0]]
    rows[2, 8] = 1
    # rod: B at -l/2, -C at +l/2
    rows[3, [2, 4]], rows[4, [3, 5]] = [1, -1], [1, -1]
    rows[5, 2:6] = [length / 2 * f[1], -length / 2 * f[0], length / 2 * f[1], -length / 2 * f[0]]
    # slider: C, guide force N along y, guide couple M
    rows[6, 4], rows[7, 5], rows[7, 6], rows[8, 7] = 1, 1, 1, 1
    return dict(zip(names, np.linalg.solve(rows, needed).tolist(), strict=True))


def driver_torque_by_virtual_power(
    poses: Callable[..., list[mpmath.mpf]], t: float, p: Mapping[str, float], masses: list[float]
) -> float:
    """T omega = d/dt (kinetic + potential energy), all of it a function of time alone."""

    def energy(s: mpmath.mpf) -> mpmath.mpf:
        rates = [mpmath.diff(lambda v, k=k: poses(v, p)[k], s) for k in range(len(masses))]
        kinetic = sum(mpmath.mpf(m) * rate**2 / 2 for m, rate in zip(masses, rates, strict=True))
        heights = poses(s, p)[1::3]
        return kinetic + sum(mpmath.mpf(m) * p["g"] * y for m, y in zip(masses[1::3], heights, strict=True))

    with mpmath.workdps(40):
        return float(mpmath.diff(energy, mpmath.mpf(t)) / mpmath.mpf(p["omega"]))
