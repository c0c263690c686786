"""Impacts of a double arm with two rubbing pins, a second time: in the coordinates of the bodies, with SciPy."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import root

import jounce
from jounce import Body, Line, Model, PointOn, Revolute, contact_between, ground, parameters

FLOOR = -0.2  # below the pin
MASSES, INERTIAS, HALVES, RADII = (2.0, 1.0), (0.05, 0.02), (0.4, 0.3), (0.05, 0.04)


def double_arm(length: float = 1.0, mass: float = 1.0, time: float = 1.0) -> Model:
    """Two links on rubbing pins above a floor, in units in which the metre is ``length`` and so on."""
    mu, mu_knee, mu_floor, e = parameters(mu=(0.3, ""), mu_knee=(0.3, ""), mu_floor=(0.2, ""), e=(0.6, ""))
    bodies = [Body(name, m * mass, J * mass * length**2) for name, m, J in zip("ab", MASSES, INERTIAS, strict=True)]
    first, second = (half * length for half in HALVES)
    joints = [
        Revolute("pin", ground, bodies[0], (0, 0), (-first, 0), radius=RADII[0] * length, friction=mu),
        Revolute("knee", bodies[0], bodies[1], (first, 0), (-second, 0), radius=RADII[1] * length, friction=mu_knee),
    ]
    floor = contact_between(
        "floor",
        PointOn(bodies[1], (second, 0)),
        Line(ground, (0, FLOOR * length), (1, 0)),
        restitution=e,
        friction=mu_floor,
    )
    gravity = 9.81 * length / time**2
    return Model.from_bodies("double_arm", bodies=bodies, joints=joints, gravity=gravity, contacts=[floor])


def arm_start(system: jounce.System, angles: Any, spins: Any, length: float = 1.0, time: float = 1.0) -> Any:
    """The state at two angles and two angular velocities."""
    values: dict[str, float] = {}
    at, moves = np.zeros(2), np.zeros(2)
    for name, half, angle, spin in zip("ab", HALVES, angles, spins, strict=True):
        along = half * length * np.array([math.cos(angle), math.sin(angle)])
        across = np.array([-along[1], along[0]]) * spin / time
        for k, axis in enumerate("xy"):
            values[f"{name}_{axis}"], values[f"d_{name}_{axis}"] = (at + along)[k], (moves + across)[k]
        values[f"{name}_theta"], values[f"d_{name}_theta"] = angle, spin / time
        at, moves = at + 2 * along, moves + 2 * across
    return system.state(**values)


def arm_matrices(angles: Any) -> tuple[np.ndarray, ...]:
    """M, the equations of both pins, the floor's normal and slip, and the slips of both pins, as rows."""
    M = np.diag([v for m, J in zip(MASSES, INERTIAS, strict=True) for v in (m, m, J)])
    (c_1, s_1), (c_2, s_2) = ((math.cos(a), math.sin(a)) for a in angles)
    h_1, h_2 = HALVES
    J = np.array(
        [
            [1, 0, h_1 * s_1, 0, 0, 0],
            [0, 1, -h_1 * c_1, 0, 0, 0],
            [-1, 0, h_1 * s_1, 1, 0, h_2 * s_2],
            [0, -1, -h_1 * c_1, 0, 1, -h_2 * c_2],
        ]
    )
    normal = np.array([0, 0, 0, 0, 1, h_2 * c_2])
    slip = np.array([0, 0, 0, 1, 0, -h_2 * s_2])
    pins = np.array([[0, 0, RADII[0], 0, 0, 0], [0, 0, -RADII[1], 0, 0, RADII[1]]])
    return M, J, normal, slip, pins


class Blow:
    """du, the joint impulses and all friction for a unit of normal impulse, for given signs of the three slips."""

    def __init__(self, angles: Any, mu: float, mu_floor: float) -> None:
        self.M, self.J, self.normal, self.slip, self.pins = arm_matrices(angles)
        self.rows = np.vstack([self.slip, self.pins])
        self.mu, self.mu_floor = mu, mu_floor

    def limits(self, x: np.ndarray) -> np.ndarray:
        """The cones: of the floor for a unit of p_n, of the pins for their joint impulses."""
        return np.array([self.mu_floor, self.mu * math.hypot(*x[:2]), self.mu * math.hypot(*x[2:4])])

    def rates(self, signs: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray]:
        """(du, friction impulses); a sign of 0 is a slip that rests."""

        def change(x: np.ndarray) -> np.ndarray:
            return np.linalg.solve(self.M, self.normal + self.J.T @ x[:4] + self.rows.T @ x[4:])

        def miss(x: np.ndarray) -> np.ndarray:
            du, limits = change(x), self.limits(x)
            laws = [x[4 + k] + s * limits[k] if s else self.rows[k] @ du for k, s in enumerate(signs)]
            return np.array([*(self.J @ du), *laws])

        found = root(miss, np.full(7, -0.1), tol=1e-13)
        assert np.abs(miss(found.x)).max() < 1e-9
        self.cone = self.limits(found.x)
        self.joints = found.x[:4]
        return change(found.x), found.x[4:]


class Sums:
    """What has been given up to a moment of a process.

    pressed, rubbed   of the floor and both pins: the normal impulse, or the length of the way of the joint's impulse;
                      the impulse of friction
    joints            the impulses of the four joint equations
    """

    def __init__(self) -> None:
        self.pressed, self.rubbed, self.joints = np.zeros(3), np.zeros(3), np.zeros(4)

    def add(self, x: float, blow: Blow, friction: np.ndarray) -> None:
        """A piece of the normal impulse x on which all rates are constant."""
        self.pressed += x * np.array([1.0, math.hypot(*blow.joints[:2]), math.hypot(*blow.joints[2:])])
        self.rubbed += x * friction
        self.joints += x * blow.joints


def process(
    angles: Any, u: np.ndarray, law: str, mu: float, mu_floor: float, e: float, sums: Sums | None = None
) -> np.ndarray:
    """u behind the impact, piece by piece; at every stop all combinations of rest and slip are asked."""
    sums = Sums() if sums is None else sums
    blow = Blow(angles, mu, mu_floor)
    start = v_n = float(blow.normal @ u)
    slips, p, p_c, w, w_c, restitution = blow.rows @ u, 0.0, 0.0, 0.0, 0.0, False
    for _ in range(12):
        for choice in itertools.product(*[(np.sign(v),) if v else (0.0, 1.0, -1.0) for v in slips]):
            du, friction = blow.rates(choice)
            rates = blow.rows @ du
            rests = slips == 0
            inside = all(abs(friction[k]) <= blow.cone[k] * (1 + 1e-9) for k in range(3) if rests[k] and not choice[k])
            if inside and all(choice[k] * rates[k] >= -1e-9 for k in range(3) if rests[k]):
                break
        else:
            raise AssertionError("no combination is consistent")
        k_n = float(blow.normal @ du)
        if not restitution:
            end = -v_n / k_n if k_n > 0 else math.inf
        elif law == "poisson":
            end = e * p_c - (p - p_c)
        elif law == "newton":
            end = (-e * start - v_n) / k_n
        else:  # v_n x + k_n x^2/2 = what is missing
            end = (-v_n + math.sqrt(v_n**2 + 2 * k_n * (-(e**2) * w_c - (w - w_c)))) / k_n
        stops = [-v / r if v * r < 0 else math.inf for v, r in zip(slips, rates, strict=True)]
        x = min(end, *stops)
        sums.add(x, blow, friction)
        p, w, u, v_n = p + x, w + x * (v_n + k_n * x / 2), u + du * x, v_n + k_n * x
        slips = np.where([s == x for s in stops] | (rests & (np.array(choice) == 0)), 0.0, slips + rates * x)
        if x == end and restitution:
            return u
        if x == end:
            restitution, p_c, w_c, v_n = True, p, w, 0.0
    raise AssertionError("the process does not end")


def compliant(angles: Any, u: np.ndarray, mu: float, mu_floor: float, e: float, width: float) -> np.ndarray:
    """u behind a linear spring that gives back e^2 of its work, at a place that does not change: a stiff floor.

    Friction is mu N tanh(v/width) in all three slips, joint forces are found anew at every moment.
    """
    blow = Blow(angles, mu, mu_floor)
    M_inv = np.linalg.inv(blow.M)
    held = blow.J @ M_inv @ blow.J.T

    def rate(force: float, u: np.ndarray) -> np.ndarray:
        along = np.tanh(blow.rows @ u / width)
        joints = np.zeros(4)
        for _ in range(60):
            cone = np.array([mu_floor * force, mu * math.hypot(*joints[:2]), mu * math.hypot(*joints[2:])])
            load = blow.normal * force - blow.rows.T @ (along * cone)
            joints = -np.linalg.solve(held, blow.J @ M_inv @ load)
        return M_inv @ (load + blow.J.T @ joints)

    def loading(_: float, z: np.ndarray) -> np.ndarray:
        return np.array([*rate(z[6], z[:6]), -blow.normal @ z[:6]])

    def unloading(_: float, z: np.ndarray) -> np.ndarray:
        return np.array([*rate(z[6], z[:6]), -blow.normal @ z[:6] / e**2])

    def deepest(_: float, z: np.ndarray) -> float:
        return float(blow.normal @ z[:6])

    def empty(_: float, z: np.ndarray) -> float:
        return float(z[6] - 1e-12)

    deepest.terminal = empty.terminal = True  # type: ignore[attr-defined]
    z = np.array([*u, 0.0])
    for rates, event in ((loading, deepest), (unloading, empty)):
        z = solve_ivp(rates, (0, 100), z, "LSODA", rtol=1e-9, atol=1e-11, events=event).y[:, -1]
    return np.asarray(z[:6])


def jam_of_pin(angles: Any, u: np.ndarray, mu_knee: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(u+, friction impulses, joint impulses) of the inelastic stop: the pin sticks, the knee slides on as it did."""
    M, J, _, _, pins = arm_matrices(angles)
    sign = np.sign(pins[1] @ u)

    def behind(x: np.ndarray) -> np.ndarray:
        return u + np.linalg.solve(M, J.T @ x[:4] + pins.T @ x[4:])

    def miss(x: np.ndarray) -> np.ndarray:
        return np.array([*(J @ behind(x)), pins[0] @ behind(x), x[5] + sign * mu_knee * math.hypot(*x[2:4])])

    x = root(miss, np.full(6, 0.1), tol=1e-13).x
    assert np.abs(miss(x)).max() < 1e-10
    return behind(x), x[4:], x[:4]
