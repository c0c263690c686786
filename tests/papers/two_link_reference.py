"""Liu's manipulator and the thesis' double pendulum a second time: Cartesian bodies with constraints, by SciPy.

Nothing here comes from the package. Accelerations and joint forces solve Newton's and Euler's equations of the single
bodies with their constraints; the states between events come from DOP853 at the limit of double precision; stick is
kinematics (both coordinates follow the belt); the impact is marched in impulse space.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import atan2, cos, hypot, pi, sin, sqrt

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from tests.papers.comparison import BOUNCE, SLOW, die_out

MAX_STEP = 1e-2
NOTHING = 1e-12  # m/s: a slip velocity below it is zero
STICK_STEP = 2e-2  # s: how closely the margin of stick is sampled


def impact(A: float, B: float, C: float, v_t: float, v_n: float, mu: float, e: float, law: str) -> tuple[float, float]:
    """March in impulse space until the law's own end: compression, restitution; slip, then stick or reversed slip."""
    direction = np.sign(v_t) if v_t else np.sign(B)
    ratio, first = -mu * direction, True
    compression = impulse = work = 0.0
    restitution = False
    if v_t == 0.0 and abs(B) <= mu * A:
        ratio, first = -B / A, False
    while True:
        k_t, k_n = A * ratio + B, B * ratio + C
        stop = -v_t / k_t if first and v_t * k_t < 0 else np.inf
        if not restitution:
            end = -v_n / k_n if k_n > 0 else np.inf
        elif law == "poisson":
            end = e * compression - impulse
        else:  # energetic: v_n x + k_n x^2/2 is the work still to be returned
            end = (-v_n + sqrt(v_n**2 + 2 * k_n * work)) / k_n
        x = min(stop, end)
        if restitution:
            impulse += x
            work -= v_n * x + k_n * x**2 / 2
        else:
            compression += x
            work -= v_n * x + k_n * x**2 / 2
        v_t, v_n = v_t + k_t * x, v_n + k_n * x
        if stop < end:
            v_t, first = 0.0, False
            ratio = -B / A if abs(B) <= mu * A else mu * direction
        elif restitution:
            return v_t, v_n
        else:
            v_n, restitution, work = 0.0, True, e**2 * work
            if e == 0.0:
                return v_t, 0.0


@dataclass
class TwoLinkReference:
    """The event loop; a machine says what accelerations a contact force makes and where its tip is.

    events collects (t, kind) as ``real_events`` of the tests does for a trajectory of the package.
    """

    mu: float = 0.5
    e: float = 0.0
    law: str = "poisson"
    release: str = "cone"  # "free": out of stick already where the free tip would rise
    events: list[tuple[float, str]] = field(default_factory=list)

    @property
    def stick_friction(self) -> float:
        return self.mu

    def accelerations(self, z: np.ndarray, normal: float, tangential: float) -> np.ndarray:
        """(theta1'', theta2'') under a force at the tip."""
        raise NotImplementedError

    def directions(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The tip's velocities (normal, tangential) of unit rates of the angles."""
        raise NotImplementedError

    def gap(self, z: np.ndarray) -> float:
        raise NotImplementedError

    def belt(self) -> float:
        raise NotImplementedError

    def held(self, z: np.ndarray, duration: float) -> np.ndarray:
        """The state after the tip has moved with the belt for a while."""
        raise NotImplementedError

    # ------------------------------------------------------------------------------ what follows from them

    def velocities(self, z: np.ndarray) -> tuple[float, float]:
        """(v_n, v_t) of the tip relative to the belt."""
        normal, tangential = self.directions(z)
        return float(normal @ z[2:]), float(tangential @ z[2:]) - self.belt()

    def tip_acceleration(self, z: np.ndarray, normal: float, tangential: float) -> np.ndarray:
        """(normal, tangential): W.a and the rate of W along the motion, in closed form of the two arms."""
        a = self.accelerations(z, normal, tangential)
        return np.array([w @ a for w in self.directions(z)]) + self.centripetal(z)

    def centripetal(self, z: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def response(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Free acceleration of the tip and the matrix [[nn, nt], [tn, tt]] of what forces add."""
        free = self.tip_acceleration(z, 0.0, 0.0)
        columns = [self.tip_acceleration(z, *unit) - free for unit in ((1.0, 0.0), (0.0, 1.0))]
        return free, np.array(columns).T

    def slip_coefficients(self, z: np.ndarray, direction: float) -> tuple[float, float]:
        """A and B of g'' = A lambda_N + B."""
        free, G = self.response(z)
        return G[0, 0] - direction * self.mu * G[0, 1], free[0]

    def stick_forces(self, z: np.ndarray) -> np.ndarray:
        free, G = self.response(z)
        return np.linalg.solve(G, -free)

    # ------------------------------------------------------------------------------------------- the event loop

    def run(self, t: float, z: np.ndarray, mode: str, t_end: float) -> tuple[np.ndarray, str]:
        """From t in a mode ("contact": whichever holds) to t_end; the events are collected."""
        z = np.asarray(z, dtype=float)
        if mode == "contact":
            z, mode = self.settle(t, z)
        while t < t_end:
            t, z, mode = getattr(self, f"_{mode.rstrip('+-')}")(t, z, mode, t_end)
        return z, mode

    def settle(self, t: float, z: np.ndarray) -> tuple[np.ndarray, str]:
        """What follows at a closed gap without normal velocity: a mode, or an impact without collision."""
        slip = self.velocities(z)[1]
        if abs(slip) < NOTHING:
            return z, self._from_rest(z)
        direction = float(np.sign(slip))
        A, B = self.slip_coefficients(z, direction)
        if B > 0:
            return z, "flight"
        if A > 0:
            return z, "slip+" if direction > 0 else "slip-"
        self.events.append((t, "impact"))
        return self._strike(t, z)[1:]

    def _from_rest(self, z: np.ndarray) -> str:
        normal, tangential = self.stick_forces(z)
        free = self.tip_acceleration(z, 0.0, 0.0)[0]
        if normal > 0 and abs(tangential) < self.stick_friction * normal and (self.release == "cone" or free < 0):
            return "stick"
        return self._leave_stick(z)

    def _leave_stick(self, z: np.ndarray) -> str:
        free, G = self.response(z)
        for direction in (1.0, -1.0):
            A = G[0, 0] - direction * self.mu * G[0, 1]
            force = -free[0] / A
            rate = free[1] + (G[1, 0] - direction * self.mu * G[1, 1]) * force
            if A > 0 and force > 0 and direction * rate > -1e-9:  # zero where the cone is left
                return "slip+" if direction > 0 else "slip-"
        return "flight"

    def _strike(self, t: float, z: np.ndarray) -> tuple[float, np.ndarray, str]:
        """An impact from the velocities of z, with or without approach, and all that follows it while bounces die."""
        free, G = self.response(z)

        def strike(v_n: float, v_t: float) -> tuple[float, float]:
            return impact(G[1, 1], G[0, 1], G[0, 0], v_t, v_n, self.mu, self.e, self.law)[::-1]

        v_n, v_t = strike(*self.velocities(z))
        z = self._with_velocities(z, v_n, v_t)
        if v_n > BOUNCE:
            return t, z, "flight"
        if v_n > 0:
            duration, v_t = die_out(v_n, v_t, *free, strike)
            t += duration
            self.events.append((t, "chatter"))
            z = self._with_velocities(np.array([*(z[:2] + duration * z[2:]), 0.0, 0.0]), 0.0, v_t)
        return t, *self.settle(t, z)

    def _with_velocities(self, z: np.ndarray, v_n: float, v_t: float) -> np.ndarray:
        rates = np.linalg.solve(np.array(self.directions(z)), [v_n, v_t + self.belt()])
        return np.array([z[0], z[1], *rates])

    def _integrate(self, rhs, t, z, t_end, events, max_step=MAX_STEP):
        for event in events:
            event.terminal = True
        solution = solve_ivp(rhs, (t, t_end), z, "DOP853", rtol=2.3e-14, atol=1e-15, max_step=max_step, events=events)
        fired = [k for k, times in enumerate(solution.t_events) if len(times)]
        return solution.t[-1], solution.y[:, -1], fired[0] if fired else None

    def _flight(self, t, z, mode, t_end):
        def rhs(_, z):
            return [z[2], z[3], *self.accelerations(z, 0.0, 0.0)]

        def gap(_, z):
            return self.gap(z)

        gap.direction = -1
        # SciPy sees an event only where a step ends between its two zeros: steps are a fifth of a short flight.
        v_n, a_n = self.velocities(z)[0], self.tip_acceleration(z, 0.0, 0.0)[0]
        hop = -0.4 * v_n / a_n if v_n > BOUNCE / 2 and a_n < 0 else MAX_STEP
        t, z, fired = self._integrate(rhs, t, z, t_end, [gap], min(hop, MAX_STEP))
        if fired is None:
            return t, z, mode
        if self.velocities(z)[0] < -SLOW:
            self.events.append((t, "impact"))
        return self._strike(t, z)

    def _slip(self, t, z, mode, t_end):
        direction = 1.0 if mode == "slip+" else -1.0

        def rhs(_, z):
            A, B = self.slip_coefficients(z, direction)
            force = -B / A
            return [z[2], z[3], *self.accelerations(z, force, -direction * self.mu * force)]

        def force(_, z):
            return -self.slip_coefficients(z, direction)[1]

        def slip(_, z):
            return self.velocities(z)[1]

        def singular(_, z):
            return self.slip_coefficients(z, direction)[0]

        force.direction, slip.direction, singular.direction = -1, -direction, -1
        t, z, fired = self._integrate(rhs, t, z, t_end, [force, slip, singular])
        if fired is None:
            return t, z, mode
        assert fired != 2, f"A = 0 at t={t}"
        if fired == 0:
            self.events.append((t, "lift_off"))
            return t, z, "flight"
        z = self._with_velocities(z, 0.0, 0.0)
        following = self._from_rest(z)
        self.events.append((t, {"stick": "stick", "flight": "lift_off"}.get(following, "reversal")))
        return t, z, following

    def _stick(self, t0, z0, mode, t_end):
        def margin(t):
            z = self.held(z0, t - t0)
            normal, tangential = self.stick_forces(z)
            cone = self.stick_friction * normal - abs(tangential)
            return cone if self.release == "cone" else min(cone, -self.tip_acceleration(z, 0.0, 0.0)[0])

        t = t0
        while t < t_end and margin(min(t + STICK_STEP, t_end)) > 0:
            t = min(t + STICK_STEP, t_end)
        if t >= t_end:
            return t_end, self.held(z0, t_end - t0), mode
        t = brentq(margin, t, min(t + STICK_STEP, t_end), xtol=1e-15, rtol=1e-15)
        z = self.held(z0, t - t0)
        lifts = self.release == "free" and self.tip_acceleration(z, 0.0, 0.0)[0] > -1e-9
        following = "flight" if lifts else self._leave_stick(z)
        self.events.append((t, "slip" if following.startswith("slip") else "lift_off"))
        return t, z, following


@dataclass
class ManipulatorReference(TwoLinkReference):
    """Two uniform links, six Cartesian coordinates, four pin constraints; the belt a height H below the pivot."""

    l: float = 1.0  # noqa: E741 - the paper's l
    m: float = 1.0
    g: float = 9.8
    H: float = 5 / 3
    v_t: float = -0.4
    mu_s: float = 0.8
    Kr: float = 0.0
    C1: float = 0.0
    C2: float = 0.0
    d0: float = 0.0

    @property
    def stick_friction(self) -> float:
        return self.mu_s

    def accelerations(self, z, normal, tangential):
        """(x1, y1, theta1, x2, y2, theta2, four pin forces): Newton and Euler for each link, and the pins."""
        theta1, theta2, rate1, rate2 = z
        h, m, inertia = self.l / 2, self.m, self.m * self.l**2 / 12
        s1, c1, s2, c2, w1, w2 = sin(theta1), cos(theta1), sin(theta2), cos(theta2), rate1**2, rate2**2
        J = np.array(
            [
                [1, 0, -h * c1, 0, 0, 0],
                [0, 1, -h * s1, 0, 0, 0],
                [-1, 0, -h * c1, 1, 0, -h * c2],
                [0, -1, -h * s1, 0, 1, -h * s2],
            ]
        )
        elbow = self.Kr * (theta1 - theta2 - self.d0) + self.C2 * (rate1 - rate2)
        forces = [0, -m * self.g, -self.C1 * rate1 - elbow]
        forces += [tangential, -m * self.g + normal, elbow + h * (c2 * tangential + s2 * normal)]
        bias = [-h * s1 * w1, h * c1 * w1, -h * (s1 * w1 + s2 * w2), h * (c1 * w1 + c2 * w2)]
        matrix = np.zeros((10, 10))
        matrix[:6, :6] = np.diag([m, m, inertia, m, m, inertia])
        matrix[:6, 6:], matrix[6:, :6] = -J.T, J
        return np.linalg.solve(matrix, [*forces, *bias])[[2, 5]]

    def directions(self, z):
        return self.l * np.sin(z[:2]), self.l * np.cos(z[:2])

    def centripetal(self, z):
        squares = z[2:] ** 2
        return self.l * np.array([np.cos(z[:2]) @ squares, -np.sin(z[:2]) @ squares])

    def gap(self, z):
        return self.H - self.l * (cos(z[0]) + cos(z[1]))

    def belt(self):
        return self.v_t

    def held(self, z, duration):
        """The triangle of pivot, elbow and tip; the bend of the elbow stays on its side."""
        x = self.l * (sin(z[0]) + sin(z[1])) + self.v_t * duration
        reach, lean = hypot(x, self.H), atan2(x, self.H)
        bend = np.arccos(reach / (2 * self.l)) * (1.0 if z[0] >= z[1] else -1.0)
        angles = np.array([lean + bend, lean - bend])
        rates = np.linalg.solve(np.array(self.directions(angles)), [0.0, self.v_t])
        return np.array([*angles, *rates])


@dataclass
class PendulumReference(TwoLinkReference):
    """Two point masses on massless arms, four Cartesian coordinates, two length constraints; a vertical belt.

    x points away from the belt, y up; the torque is a force across the upper arm.
    """

    law: str = "energetic"
    m1: float = 0.5
    m2: float = 0.5
    l1: float = 1.0
    l2: float = 1.0
    g: float = 9.81
    d: float = 0.0
    T: float = 0.0
    V: float = -1.0

    def accelerations(self, z, normal, tangential):
        theta, phi, rate1, rate2 = z
        a1, a2 = np.array([sin(theta), -cos(theta)]), np.array([sin(phi), -cos(phi)])  # along the arms
        n1, n2 = np.array([cos(theta), sin(theta)]), np.array([cos(phi), sin(phi)])  # across them
        J = np.array([[*a1, 0, 0], [*-a2, *a2]])
        across = self.T / self.l1 * n1
        forces = [across[0], across[1] - self.m1 * self.g, normal, tangential - self.m2 * self.g]
        bias = [-self.l1 * rate1**2, -self.l2 * rate2**2]
        matrix = np.zeros((6, 6))
        matrix[:4, :4] = np.diag([self.m1, self.m1, self.m2, self.m2])
        matrix[:4, 4:], matrix[4:, :4] = -J.T, J
        a = np.linalg.solve(matrix, [*forces, *bias])[:4]
        return np.array([n1 @ a[:2] / self.l1, n2 @ (a[2:] - a[:2]) / self.l2])

    def directions(self, z):
        lengths = np.array([self.l1, self.l2])
        return lengths * np.cos(z[:2]), lengths * np.sin(z[:2])

    def centripetal(self, z):
        squares = np.array([self.l1, self.l2]) * z[2:] ** 2
        return np.array([-np.sin(z[:2]) @ squares, np.cos(z[:2]) @ squares])

    def gap(self, z):
        return self.l1 * sin(z[0]) + self.l2 * sin(z[1]) + self.d

    def belt(self):
        return self.V

    def held(self, z, duration):
        x = -self.d
        y = -self.l1 * cos(z[0]) - self.l2 * cos(z[1]) + self.V * duration
        reach, lean = hypot(x, y), atan2(x, -y)
        inner = np.arccos((self.l1**2 + reach**2 - self.l2**2) / (2 * self.l1 * reach))
        side = 1.0 if sin(z[0] - z[1]) >= 0 else -1.0
        theta = lean + side * inner
        phi = atan2(x - self.l1 * sin(theta), -(y + self.l1 * cos(theta)))
        turns = 2 * pi * np.round((z[:2] - [theta, phi]) / (2 * pi))
        angles = np.array([theta, phi]) + turns
        rates = np.linalg.solve(np.array(self.directions(angles)), [0.0, self.V])
        return np.array([*angles, *rates])

    def resting_torque(self, theta: float, phi: float) -> float:
        """(6.30) with lambda1 = -mu lambda2 (V < 0): statics of the lower arm, then of both about the pivot."""
        normal = self.m2 * self.g * sin(phi) / (cos(phi) - self.mu * sin(phi))
        return self.l1 * ((self.m1 + self.m2) * self.g * sin(theta) - normal * (cos(theta) - self.mu * sin(theta)))
