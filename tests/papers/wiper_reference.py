"""The wiper a second time: each mode's own equation, as Lancioni et al. print it, integrated by SciPy.

Nothing here comes from the package. Flight has two coordinates, slip the one of (28)-(31), stick the closed form (42);
the impact is the three-case enumeration of section 3.1. Only formulas that hold (see docs/papers) are used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import asin, cos, pi, sin

import numpy as np
from scipy.integrate import solve_ivp

from tests.papers.comparison import BOUNCE, SLOW, die_out

MAX_STEP = 2e-3


@dataclass
class WiperReference:
    """Parameters as in section 6.1, Simulation 1; ``events`` collects (t, kind), ``pieces`` the dense solutions."""

    mu: float
    e: float = 0.0
    phi0: float = pi / 8
    m1: float = 0.1
    m2: float = 1.0
    k_phi: float = 100.0
    k_y: float = 100.0
    c_y: float = 10.0
    y0: float = 1.0
    g: float = 10.0
    v_belt: float = -1.0
    v_amplitude: float = 0.0
    v_period: float = 4.0
    events: list[tuple[float, str]] = field(default_factory=list)
    pieces: list[tuple[float, float, object]] = field(default_factory=list)

    def belt(self, t: float) -> tuple[float, float]:
        """Velocity and acceleration of the belt."""
        w = 2 * pi / self.v_period
        return self.v_belt + self.v_amplitude * sin(w * t), self.v_amplitude * w * cos(w * t)

    def flight(self, t: float, z: np.ndarray) -> np.ndarray:
        """(8) and (9) without contact forces."""
        phi, y, dphi, dy = z
        h1 = -self.k_phi * (phi - self.phi0) - self.m1 * self.g * sin(phi)
        h2 = -self.c_y * dy - self.k_y * (y - self.y0) - self.m1 * dphi**2 * cos(phi) - (self.m1 + self.m2) * self.g
        m11, m12, m22 = self.m1, self.m1 * sin(phi), self.m1 + self.m2
        determinant = m11 * m22 - m12**2
        return np.array([dphi, dy, (m22 * h1 - m12 * h2) / determinant, (m11 * h2 - m12 * h1) / determinant])

    def mass_and_v(self, phi: float, dphi: float, mu: float) -> tuple[float, float]:
        """m(phi) and v(phi', phi) of (28)-(30); lambda_T = mu lambda_N with a signed mu."""
        s, c = sin(phi), cos(phi)
        mass = self.m1 * c**2 + self.m2 * s**2 + mu * self.m2 * s * c
        a1 = (self.m2 - self.m1) * s * c + mu * self.m2 * c**2
        a2 = mu * self.c_y * c * s + self.c_y * s**2
        a3 = self.k_phi * (phi - self.phi0) - self.k_y * s * c - mu * self.k_y * c**2 + self.k_y * self.y0 * s
        a3 += mu * self.k_y * self.y0 * c - (self.m1 + self.m2) * (s + mu * c) * self.g + self.m1 * self.g * s
        return mass, a1 * dphi**2 + a2 * dphi + a3

    def contact_forces(self, phi: float, dphi: float, ddphi: float) -> tuple[float, float]:
        """(10) with y = cos(phi): lambda_N, lambda_T."""
        s, c = sin(phi), cos(phi)
        y, dy, ddy = c, -dphi * s, -(dphi**2) * c - ddphi * s
        normal = (self.m1 + self.m2) * (ddy + self.g) + self.m1 * (ddphi * s + dphi**2 * c)
        normal += self.c_y * dy + self.k_y * (y - self.y0)
        tangential = -self.m1 * dphi**2 * s + self.m1 * ddphi * c + self.k_phi * (phi - self.phi0) / c
        tangential += s / c * (-self.m2 * (ddy + self.g) - self.c_y * dy - self.k_y * (y - self.y0))
        return normal, tangential

    def slip_force(self, phi: float, dphi: float, direction: int) -> float:
        """lambda_N while slipping."""
        mass, v = self.mass_and_v(phi, dphi, -direction * self.mu)
        return self.contact_forces(phi, dphi, -v / mass)[0]

    def impact(self, phi: float, v_n: float, v_t: float) -> tuple[float, float]:
        """Two phases, three cases each (13)-(22)."""
        s, c = sin(phi), cos(phi)
        M = np.array([[self.m1, self.m1 * s], [self.m1 * s, self.m1 + self.m2]])
        F = np.array([[s, c], [1.0, 0.0]])
        G = F.T @ np.linalg.solve(M, F)
        start = np.array([v_n, v_t])
        found = []
        for slope in (0.0, -self.mu, self.mu):  # stick, positive slip, negative slip
            if slope == 0.0:
                impulse = np.linalg.solve(G, -start)
            else:
                p_n = -v_n / (G[0, 0] + slope * G[0, 1])
                impulse = np.array([p_n, slope * p_n])
            after = start + G @ impulse
            inside = abs(impulse[1]) <= self.mu * impulse[0] if slope == 0.0 else after[1] * slope < 0
            if impulse[0] > 0 and inside:
                found.append((impulse, after))
        assert len(found) == 1
        compression, middle = found[0]
        if self.e == 0.0:
            return 0.0, middle[1]
        p_n = self.e * compression[0]
        p_t = -(middle[1] + G[1, 0] * p_n) / G[1, 1]
        p_t = min(max(p_t, -self.mu * p_n), self.mu * p_n)
        after = middle + G @ np.array([p_n, p_t])
        return after[0], after[1]

    def run(self, phi: float, y: float, t_end: float) -> tuple[float, np.ndarray]:
        """From rest in flight to t_end; every mode is a method that returns time, state and the next mode."""
        t, z, mode = 0.0, np.array([phi, y, 0.0, 0.0]), "flight"
        while t < t_end:
            t, z, mode = getattr(self, f"_{mode.rstrip('+-')}")(t, z, mode, t_end)
        return t, z

    def _integrate(self, rhs, t, z, t_end, events, max_step=MAX_STEP):
        for event in events:
            event.terminal = True
        solution = solve_ivp(
            rhs,
            (t, t_end),
            z,
            method="DOP853",
            rtol=2.3e-14,
            atol=1e-14,
            max_step=max_step,
            events=events,
            dense_output=True,
        )
        fired = [k for k, times in enumerate(solution.t_events) if len(times)]
        self.pieces.append((t, solution.t[-1], solution.sol))
        return solution.t[-1], solution.y[:, -1], fired[0] if fired else None

    def _flight(self, t, z, mode, t_end):
        def gap(_, z):
            return z[1] - cos(z[0])

        gap.direction = -1
        # SciPy sees an event only where a step ends between its two zeros: steps are a fifth of a short flight.
        v_n, _, a_n, _ = self._tip(t, z)
        hop = -0.4 * v_n / a_n if v_n > BOUNCE / 2 and a_n < 0 else MAX_STEP
        t, z, fired = self._integrate(self.flight, t, z, t_end, [gap], min(hop, MAX_STEP))
        if fired is None:
            return t, z, mode
        v_n, v_t, a_n, a_t = self._tip(t, z)
        if v_n < -SLOW:
            self.events.append((t, "impact"))
        v_n, v_t = self.impact(z[0], v_n, v_t)
        if v_n > BOUNCE:
            return t, self._on_belt(t, z[0], v_n, v_t), "flight"
        phi = z[0]
        if v_n > 0:
            duration, v_t = die_out(v_n, v_t, a_n, a_t, lambda n, s: self.impact(phi, n, s))
            phi += duration * z[2]
            t += duration
            self.events.append((t, "chatter"))
        z = self._on_belt(t, phi, 0.0, v_t)
        return t, z, self._after_contact(t, phi, z[2], v_t)

    def _tip(self, t, z):
        """Normal and tangential velocity, and free acceleration, of the tip relative to the belt."""
        phi, _, dphi, dy = z
        ddphi, ddy = self.flight(t, z)[2:]
        s, c, (belt, rate) = sin(phi), cos(phi), self.belt(t)
        return dy + dphi * s, dphi * c - belt, ddy + ddphi * s + dphi**2 * c, ddphi * c - dphi**2 * s - rate

    def _on_belt(self, t, phi, v_n, v_t):
        """The state with the gap closed and these velocities of the tip relative to the belt."""
        dphi = (v_t + self.belt(t)[0]) / cos(phi)
        return np.array([phi, cos(phi), dphi, v_n - dphi * sin(phi)])

    def _after_contact(self, t, phi, dphi, v_t):
        """Which contact mode, or flight, follows from a closed gap."""
        if abs(v_t) > 1e-12:
            direction = 1 if v_t > 0 else -1
            return f"slip{'+-'[direction < 0]}" if self.slip_force(phi, dphi, direction) > 0 else "flight"
        normal, tangential = self.contact_forces(phi, *self._stick_rates(t, phi))
        if normal > 0 and abs(tangential) < self.mu * normal:
            return "stick"
        return self._leave_stick(t, phi, dphi)

    def _leave_stick(self, t, phi, dphi):
        for direction in (1, -1):
            mass, v = self.mass_and_v(phi, dphi, -direction * self.mu)
            slip_rate = -v / mass * cos(phi) - dphi**2 * sin(phi) - self.belt(t)[1]
            holds = mass > 0 and self.slip_force(phi, dphi, direction) > 0
            if holds and direction * slip_rate > -1e-9:
                return f"slip{'+-'[direction < 0]}"
        return "flight"

    def _stick_rates(self, t, phi):
        """(41)."""
        v, a = self.belt(t)
        return v / cos(phi), a / cos(phi) + v**2 * sin(phi) / cos(phi) ** 3

    def _slip(self, t, z, mode, t_end):
        direction = 1 if mode.endswith("+") else -1

        def rhs(_, w):
            mass, v = self.mass_and_v(w[0], w[1], -direction * self.mu)
            return [w[1], -v / mass]

        def force(_, w):
            return self.slip_force(w[0], w[1], direction)

        def slip(t, w):
            return w[1] * cos(w[0]) - self.belt(t)[0]

        force.direction, slip.direction = -1, -direction
        t, w, fired = self._integrate(rhs, t, [z[0], z[2]], t_end, [force, slip])
        z = np.array([w[0], cos(w[0]), w[1], -w[1] * sin(w[0])])
        if fired is None:
            return t, z, mode
        if fired == 0:
            self.events.append((t, "lift_off"))
            return t, z, "flight"
        following = self._after_contact(t, w[0], w[1], 0.0)
        self.events.append((t, "stick" if following == "stick" else "reversal"))
        return t, z, following

    def _stick(self, t0, z, mode, t_end):
        """The closed form (42); the friction cone is met at a root."""
        from scipy.optimize import brentq

        sine, w = sin(z[0]), 2 * pi / self.v_period

        def angle(t):
            distance = self.v_belt * (t - t0) - self.v_amplitude / w * (cos(w * t) - cos(w * t0))
            return asin(sine + distance)

        def margin(t):
            normal, tangential = self.contact_forces(angle(t), *self._stick_rates(t, angle(t)))
            return self.mu * normal - abs(tangential)

        t = t0
        while t < t_end and margin(min(t + MAX_STEP, t_end)) > 0:
            t = min(t + MAX_STEP, t_end)
        ends = t < t_end
        if ends:
            t = brentq(margin, t, min(t + MAX_STEP, t_end), xtol=1e-15, rtol=1e-15)
        phi = angle(t)
        dphi = self._stick_rates(t, phi)[0]
        z = np.array([phi, cos(phi), dphi, -dphi * sin(phi)])
        if not ends:
            return t, z, mode
        following = self._leave_stick(t, phi, dphi)
        self.events.append((t, "slip" if following.startswith("slip") else "lift_off"))
        return t, z, following
