"""A ball thrown off a sinusoidal table, bounce by bounce in 25 digits: do its bounces end before it is thrown again?

A = 1. The table throws the ball where omega^2 sin(omega t) = g. Bounces that are not over by then never end.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import mpmath as mp

from tests.orbits.closed_form import G


@cache
def threshold(e: float, low: float, high: float) -> float:
    """The frequency between ``low`` and ``high`` at which the bounces stop being complete."""
    with mp.workdps(25):
        below, above = mp.mpf(low), mp.mpf(high)
        assert completes(below, e)
        assert not completes(above, e)
        while above - below > 2e-10:
            middle = (below + above) / 2
            below, above = (middle, above) if completes(middle, e) else (below, middle)
        return float(below)


def completes(omega: Any, e: float) -> bool:
    """Whether the pressing acceleration outlasts the bounces: in the end it changes by a millionth while they last."""
    g, e = mp.mpf(G), mp.mpf(e)
    t = mp.asin(g / omega**2) / omega
    end = t + 2 * mp.pi / omega
    speed = mp.mpf(0)  # relative to the table
    while t < end:
        s = _flight(omega, g, t, speed, end)
        if s is None:
            return False
        speed, t = -e * _rate(omega, g, t, speed, s), t + s
        pressing = g - omega**2 * mp.sin(omega * t)
        if pressing > 0 and 2 * speed / (pressing * (1 - e)) * omega**3 < mp.mpf("1e-6") * pressing:
            return True
    return False


def _rate(omega: Any, g: Any, t: Any, speed: Any, s: Any) -> Any:
    """The rate of the gap a time s after the ball left the table with a relative speed."""
    return speed - g * s - omega * (mp.cos(omega * (t + s)) - mp.cos(omega * t))


def _flight(omega: Any, g: Any, t: Any, speed: Any, end: Any) -> Any:
    """How long it flies, or None if it is still in the air at the end; the gap is divided by s: no root at s = 0."""
    drift = speed + omega * mp.cos(omega * t)

    def gap(s: Any) -> Any:
        return drift - g * s / 2 - 2 * mp.cos(omega * (t + s / 2)) * mp.sin(omega * s / 2) / s

    pressing = g - omega**2 * mp.sin(omega * t)
    high = min(2 * speed / pressing, mp.mpf("0.02")) if speed > 0 and pressing > 0 else mp.mpf("0.02")
    low = high / 8
    while speed > 0 and gap(low) < 0:
        low /= 4
    while speed == 0 and gap(low) < 0:  # the throw: nothing but the acceleration lifts it
        low, high = 2 * low, 2 * high
    while gap(high) > 0:
        low, high = high, high * mp.mpf("1.3")
        if t + low > end:
            return None
    return mp.findroot(gap, (low, high), solver="anderson")
