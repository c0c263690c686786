"""A row of dominoes on hinges as van Leeuwen (Am. J. Phys. 78, 2010, 721) has it, integrated by SciPy.

A falling domino leans on the next one from their plastic collision on: its upper corner slides down the other's back.
With theta the angles from upright, d the pitch, w the thickness, h the height, delta = theta_k - theta_k+1 and N_k,
mu N_k the forces between two of them

    h sin(delta) = d cos(theta_k+1) - w ,
    I theta_k'' = m g (h sin(theta_k) - w cos(theta_k))/2 + N_k-1 (s - mu w) - N_k h (cos(delta) + mu sin(delta)) ,

s = h cos(delta) - d sin(theta_k+1) the arm on the next one. A collision is the same balance with impulses.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp


class Row:
    """Dominoes of a unit mass."""

    def __init__(self, h: float, w: float, d: float, mu: float, g: float = 9.81) -> None:
        self.h, self.w, self.d, self.mu, self.g = h, w, d, mu, g
        self.inertia = (h**2 + w**2) / 3  # of a unit mass about the hinge

    def balance(self, theta: np.ndarray, rate: np.ndarray, torque: np.ndarray, right: np.ndarray) -> np.ndarray:
        """Accelerations (or changes of rates) and forces of the contacts for the torques and the rows' right sides."""
        n = len(theta)
        delta = theta[:-1] - theta[1:]
        arm = self.h * np.cos(delta) - self.d * np.sin(theta[1:])
        A = np.zeros((2 * n - 1, 2 * n - 1))
        A[:n, :n] = self.inertia * np.eye(n)
        for k in range(n - 1):
            A[k, n + k] = self.h * (np.cos(delta[k]) + self.mu * np.sin(delta[k]))
            A[k + 1, n + k] = -(arm[k] - self.mu * self.w)
            A[n + k, k], A[n + k, k + 1] = -self.h * np.cos(delta[k]), arm[k]
        return np.linalg.solve(A, np.concatenate([torque, right]))

    def rates(self, _: float, z: np.ndarray) -> np.ndarray:
        n = len(z) // 2
        theta, rate = z[:n], z[n:]
        delta, turn = theta[:-1] - theta[1:], rate[:-1] - rate[1:]
        torque = self.g * (self.h * np.sin(theta) - self.w * np.cos(theta)) / 2
        # G'' = G_theta theta'' + ... of G = d cos(theta_k+1) - h sin(delta) - w
        right = self.d * np.cos(theta[1:]) * rate[1:] ** 2 - self.h * np.sin(delta) * turn**2
        found = self.balance(theta, rate, torque, right)
        self.least = min(self.least, *found[n:]) if n > 1 else self.least
        return np.concatenate([rate, found[:n]])

    def times(self, count: int, rate: float) -> np.ndarray:
        """When each domino is hit, the first one pushed with this rate."""
        self.least = np.inf
        z, t, hits = np.array([0.0, rate]), 0.0, []
        reach = np.arcsin((self.d - self.w) / self.h)

        def hit(_: float, z: np.ndarray) -> float:
            return float(z[len(z) // 2 - 1] - reach)

        hit.terminal = True  # type: ignore[attr-defined]
        for _ in range(count - 1):
            piece = solve_ivp(self.rates, (t, t + 1), z, "DOP853", rtol=1e-10, atol=1e-12, events=hit)
            t, z = piece.t[-1], piece.y[:, -1]
            hits.append(t)
            n = len(z) // 2
            theta, before = np.append(z[:n], 0.0), np.append(z[n:], 0.0)
            delta = theta[:-1] - theta[1:]
            arm = self.h * np.cos(delta) - self.d * np.sin(theta[1:])
            closing = self.h * np.cos(delta) * before[:-1] - arm * before[1:]
            after = before + self.balance(theta, before, np.zeros(n + 1), closing)[: n + 1]
            z = np.concatenate([theta, after])
        return np.array(hits)
