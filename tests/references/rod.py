"""The slender rod on a sinusoidal floor in 40-digit arithmetic: exact flights, exact energetic impacts.

Coordinates x, y, theta of the centre, half length L, inertia I = m L^2/3. End P1 is at (x, y) - L (cos, sin),
end P2 at (x, y) + L (cos, sin) of theta; sigma = -1 for P1 and +1 for P2:
    gap = y + sigma L sin(theta) - A sin(omega t),
    gamma_N = y' + sigma L cos(theta) theta' - A omega cos(omega t),
    gamma_T = x' - sigma L sin(theta) theta'.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from .arithmetic import Number, first_return, first_root, mp

SIGMA = {"P1": -1, "P2": 1}
ENDS = ("P1", "P2")


@dataclass(frozen=True)
class Rod:
    """Parameters of the rod and its floor, made exact numbers when the rod is made."""

    A: Any = 1.0
    omega: Any = 3.0
    mu: Any = 0.0
    e: Any = 0.8
    g: Any = 9.81
    m: Any = 1.0
    L: Any = 1.0

    def __post_init__(self) -> None:
        for name in ("A", "omega", "mu", "e", "g", "m", "L"):
            object.__setattr__(self, name, mp.mpf(getattr(self, name)))

    @property
    def inertia(self) -> Any:
        """I = m L^2/3."""
        return self.m * self.L**2 / 3

    def gap(self, end: str, t: Any, q: Any, u: Any) -> tuple[Any, Any]:
        """(gap, gamma_N) of one end."""
        arm, phase = SIGMA[end] * self.L, self.omega * t
        return (
            q[1] + arm * mp.sin(q[2]) - self.A * mp.sin(phase),
            u[1] + arm * mp.cos(q[2]) * u[2] - self.A * self.omega * mp.cos(phase),
        )

    def slip(self, end: str, q: Any, u: Any) -> Any:
        """gamma_T of one end."""
        return u[0] - SIGMA[end] * self.L * mp.sin(q[2]) * u[2]

    def fly(self, q: Any, u: Any, s: Any) -> tuple[Any, Any]:
        """(q, u) after a free flight of duration s."""
        moved = (q[0] + s * u[0], q[1] + s * (u[1] - self.g * s / 2), q[2] + s * u[2])
        return moved, (u[0], u[1] - self.g * s, u[2])

    def energy(self, q: Any, u: Any) -> Any:
        """Kinetic and potential energy."""
        return (self.m * (u[0] ** 2 + u[1] ** 2) + self.inertia * u[2] ** 2) / 2 + self.m * self.g * q[1]


def exact(values: Any) -> tuple[Any, Any, Any]:
    """Three exact numbers."""
    a, b, c = values
    return mp.mpf(a), mp.mpf(b), mp.mpf(c)


def next_landing(rod: Rod, t0: Number, q: Any, u: Any, touching: tuple[int, ...] = ()) -> tuple[Any, str, Any, Any]:
    """The first impact of a free flight: (t, end, q, u) just before it.

    gap'' = -g - sigma L sin(theta) theta'^2 + A omega^2 sin(omega t) >= -(g + L theta'^2 + A omega^2).
    ``touching`` lists the ends (0 for P1, 1 for P2) that start on the floor.
    """
    t0, q, u = mp.mpf(t0), exact(q), exact(u)

    def guard(end: str) -> Any:
        return lambda t: rod.gap(end, t, *rod.fly(q, u, t - t0))

    curvature = rod.g + rod.A * rod.omega**2 + rod.L * u[2] ** 2
    found = first_root([guard(end) for end in ENDS], curvature, t0, touching)
    assert found is not None
    t, index = found
    q, u = rod.fly(q, u, t - t0)
    return t, ENDS[index], q, u


def landing_after_release(rod: Rod, end: str, t0: Number, q: Any, u: Any) -> tuple[Any, str, Any, Any]:
    """The first impact after ``end`` is released from sustained contact, where gap = gap' = gap'' = 0.

    gap''' = -sigma L cos(theta) theta'^3 + A omega^3 cos(omega t) > 0, |gap''''| <= L theta'^4 + A omega^4.
    A start from double precision is set onto the floor first, in y and y'.
    """
    t0, q, u = mp.mpf(t0), exact(q), exact(u)
    gap, rate = rod.gap(end, t0, q, u)
    q, u = (q[0], q[1] - gap, q[2]), (u[0], u[1] - rate, u[2])
    spin, other = u[2], ENDS[1 - ENDS.index(end)]
    third = -SIGMA[end] * rod.L * mp.cos(q[2]) * spin**3 + rod.A * rod.omega**3 * mp.cos(rod.omega * t0)
    if third <= 0:
        raise ValueError("the contact is not released: the third derivative of its gap is not positive")
    fourth, curvature = rod.L * spin**4 + rod.A * rod.omega**4, rod.g + rod.A * rod.omega**2 + rod.L * spin**2

    def guard(name: str) -> Any:
        return lambda t: rod.gap(name, t, *rod.fly(q, u, t - t0))

    t, struck = first_return(guard(end), 3, third, fourth, curvature, t0), end
    earlier = first_root([guard(other)], curvature, t0, t_max=t)
    if earlier:
        t, struck = earlier[0], other
    return t, struck, *rod.fly(q, u, t - t0)


class Impulse(NamedTuple):
    """Outcome of the impulse process of one contact."""

    v_t: Any
    v_n: Any
    p_t: Any
    p_n: Any
    work_compression: Any
    work_restitution: Any
    phases: tuple[str, ...]


def energetic_impact(A: Any, B: Any, C: Any, v_t: Any, v_n: Any, mu: Any, e: Any) -> Impulse:
    """The energetic (Stronge) impact by exact integration in the normal impulse p.

    dv_n/dp = C + B tau, dv_t/dp = B + A tau, tau = -mu sign(v_t) in slip, -B/A in stick (possible if |B| <= mu A).
    v is piecewise linear and the work of the normal impulse W = integral of v_n dp piecewise quadratic in p: each phase
    ends at v_t = 0 (slip), at v_n = 0 (compression) or where W_restitution = -e^2 W_compression.
    """
    A, B, C, v_t, v_n, mu, e = (mp.mpf(value) for value in (A, B, C, v_t, v_n, mu, e))
    if v_n >= 0:
        raise ValueError("the contact does not approach")
    p_t = p_n = compression = restitution = mp.mpf(0)
    compressing, phases = True, []
    while compressing or restitution < -(e**2) * compression:
        tau, name = _friction_ratio(A, B, v_t, mu)
        slope_n, slope_t = C + B * tau, B + A * tau
        length, ending = mp.inf, ""
        if name != "stick" and v_t * slope_t < 0:
            length, ending = -v_t / slope_t, "v_t"
        if compressing and slope_n > 0 and -v_n / slope_n <= length:
            length, ending = -v_n / slope_n, "v_n"
        if not compressing:
            missing = -(e**2) * compression - restitution  # v_n s + slope s^2/2 = missing
            needed = 2 * missing / (v_n + mp.sqrt(v_n**2 + 2 * slope_n * missing))
            if needed <= length:
                length, ending = needed, "work"
        if length == mp.inf:
            raise ValueError("the process never ends: K is not positive semidefinite")
        work = length * (v_n + slope_n * length / 2)
        compression, restitution = (
            (compression + work, restitution) if compressing else (compression, restitution + work)
        )
        p_n, p_t = p_n + length, p_t + tau * length
        v_n, v_t = v_n + slope_n * length, v_t + slope_t * length
        phases.append(name)
        v_t = mp.mpf(0) if ending == "v_t" or name == "stick" else v_t
        if ending == "v_n":
            v_n, compressing = mp.mpf(0), False
        if ending == "work":
            break
    return Impulse(v_t, v_n, p_t, p_n, compression, restitution, tuple(phases))


def _friction_ratio(A: Any, B: Any, v_t: Any, mu: Any) -> tuple[Any, str]:
    """dp_t/dp_n and the phase's name; at v_t = 0 the contact sticks if it can, else slips the way B drives it."""
    if mu == 0:
        return mp.mpf(0), "frictionless"
    if v_t == 0 and abs(B) <= mu * A:
        return -B / A, "stick"
    positive = v_t > 0 or (v_t == 0 and B > 0)
    return (-mu, "slip+") if positive else (mu, "slip-")


class RodImpact(NamedTuple):
    """One impact: velocities of the rod (u) and of the contact (v_t, v_n) on both sides, impulses."""

    t: Any
    end: str
    q: tuple[Any, Any, Any]
    u_before: tuple[Any, Any, Any]
    u_after: tuple[Any, Any, Any]
    v_before: tuple[Any, Any]
    v_after: tuple[Any, Any]
    impulse: tuple[Any, Any]


def strike(rod: Rod, end: str, t: Any, q: Any, u: Any) -> RodImpact:
    """The energetic impact of one end, W_N = (0, 1, sigma L cos), W_T = (1, 0, -sigma L sin)."""
    arm = SIGMA[end] * rod.L
    cosine, sine = arm * mp.cos(q[2]), -arm * mp.sin(q[2])
    m, inertia = rod.m, rod.inertia
    v_t, v_n = rod.slip(end, q, u), rod.gap(end, t, q, u)[1]
    outcome = energetic_impact(
        1 / m + sine**2 / inertia, sine * cosine / inertia, 1 / m + cosine**2 / inertia, v_t, v_n, rod.mu, rod.e
    )
    p_t, p_n = outcome.p_t, outcome.p_n
    after = (u[0] + p_t / m, u[1] + p_n / m, u[2] + (cosine * p_n + sine * p_t) / inertia)
    return RodImpact(t, end, q, u, after, (v_t, v_n), (outcome.v_t, outcome.v_n), (p_t, p_n))


def rod_impacts(rod: Rod, count: int, q: Any, u: Any, t: Number = 0, until: Number = None) -> list[RodImpact]:
    """The first ``count`` impacts (at most up to the time ``until``) of a rod that starts above the floor.

    Each end hits by its own law ("sequential"). The height is set onto the floor at an impact, which removes its
    rounding of 1e-40.
    """
    t, q, u, touching = mp.mpf(t), exact(q), exact(u), ()
    impacts: list[RodImpact] = []
    while len(impacts) < count:
        t, end, q, u = next_landing(rod, t, q, u, touching)
        if until is not None and t > until:
            break
        q = (q[0], q[1] - rod.gap(end, t, q, u)[0], q[2])
        impacts.append(strike(rod, end, t, q, u))
        u, touching = impacts[-1].u_after, (ENDS.index(end),)
    return impacts


def rod_state(rod: Rod, t: Number, impacts: list[RodImpact]) -> tuple[Any, Any]:
    """(q, u) at a time between the first impact of the list and the one that follows its last."""
    last = max((impact for impact in impacts if impact.t <= t), key=lambda impact: impact.t)
    return rod.fly(last.q, last.u_after, mp.mpf(t) - last.t)
