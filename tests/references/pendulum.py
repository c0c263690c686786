"""The pendulum that hits a vertical wall, by elliptic integrals in 40-digit arithmetic.

phi'' = -(g/l) sin(phi), x = l sin(phi), y = -l cos(phi); the wall x = w, the pendulum at sigma (x - w) >= 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from .arithmetic import Number, mp


class WallImpact(NamedTuple):
    """Time, angle of the wall, angular velocity before and after."""

    t: Any
    phi: Any
    d_phi_before: Any
    d_phi_after: Any


def wall_restitution(phi: Number, mu: Number, e: Number) -> Any:
    """-phi'+/phi'- of an energetic impact with friction at the angle phi.

    gamma_N = sigma l cos(phi) phi' and gamma_T = l sin(phi) phi' vanish together, so slip reverses as compression ends.
    Then dgamma_N/dp = (cos^2 + mu |sin cos|)/m in compression and (cos^2 - mu |sin cos|)/m in restitution, and
    W = gamma_N^2/(2 slope) gives e sqrt((1 - mu |tan|)/(1 + mu |tan|)); the contact wedges (0) if mu |tan| >= 1.
    """
    lever = mp.mpf(mu) * abs(mp.tan(mp.mpf(phi)))
    return mp.mpf(0) if lever >= 1 else mp.mpf(e) * mp.sqrt((1 - lever) / (1 + lever))


def wall_impacts(
    count: int,
    *,
    phi: Number,
    d_phi: Number,
    length: Number,
    wall: Number,
    e: Number,
    mu: Number = 0,
    sigma: int = -1,
    g: Number = 9.81,
) -> list[WallImpact]:
    """The first ``count`` impacts of a swinging pendulum that starts at t = 0 with (phi, phi').

    With k = sin(amplitude/2), the time from the lowest point to phi is F(asin(sin(phi/2)/k), k^2)/sqrt(g/l).
    """
    length, wall, g = mp.mpf(length), mp.mpf(wall), mp.mpf(g)
    phi, d_phi = sigma * mp.mpf(phi), sigma * mp.mpf(d_phi)  # mirrored, so that the pendulum is at phi >= angle
    angle, rate = sigma * mp.asin(wall / length), mp.sqrt(g / length)
    ratio = wall_restitution(angle, mu, e)
    t, impacts = mp.mpf(0), []
    for _ in range(count):
        k = mp.sqrt(mp.sin(phi / 2) ** 2 + (d_phi / (2 * rate)) ** 2)
        if k >= mp.cos(angle / 2) or k <= abs(mp.sin(angle / 2)):
            raise ValueError("the pendulum turns over, meets the wall from above, or does not reach it")
        here, there = _phase(phi, k), _phase(angle, k)
        # up to the turning point and back, or straight down
        swing = 2 * mp.ellipk(k**2) - here - there if d_phi > 0 else here - there
        t += swing / rate
        before = -2 * rate * mp.sqrt(k**2 - mp.sin(angle / 2) ** 2)
        after = -ratio * before
        impacts.append(WallImpact(t, sigma * angle, sigma * before, sigma * after))
        phi, d_phi = angle, after
    return impacts


def _phase(phi: Any, k: Any) -> Any:
    """The elliptic argument at the angle phi on the rising branch; at the turning point rounding may exceed 1."""
    return mp.ellipf(mp.asin(max(-1, min(1, mp.sin(phi / 2) / k))), k**2)
