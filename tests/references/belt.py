"""The block on a belt in closed form: stick, slip and reversal, joined in 40-digit arithmetic.

m x'' + c x' + k x = -mu m g sign(gamma_T), gamma_T = x' - v_belt; in stick |k x + c v_belt| <= mu_s m g.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from .arithmetic import Number, first_return, first_root, mp


class BeltEvent(NamedTuple):
    """kind is "slip" (stick ends), "stick" (slip ends) or "reversal"; x and v at that time."""

    t: Any
    kind: str
    x: Any
    v: Any


@dataclass(frozen=True)
class Belt:
    """Parameters, made exact numbers when the belt is made."""

    m: Any = 1.0
    k: Any = 1.0
    c: Any = 0.0
    v_belt: Any = 1.0
    mu: Any = 0.3
    mu_s: Any = 0.4
    g: Any = 9.81

    def __post_init__(self) -> None:
        for name in ("m", "k", "c", "v_belt", "mu", "mu_s", "g"):
            object.__setattr__(self, name, mp.mpf(getattr(self, name)))
        if self.c**2 >= 4 * self.k * self.m:
            raise ValueError("the oscillator must be underdamped")

    def force(self, x: Any) -> Any:
        """The friction that stick needs, k x + c v_belt."""
        return self.k * x + self.c * self.v_belt

    def slide(self, x: Any, v: Any, s: int, time: Any) -> tuple[Any, Any, Any]:
        """(x, x', x'') a time after (x, v), slipping with gamma_T of the sign s: a damped harmonic about its centre."""
        centre, decay = -s * self.mu * self.m * self.g / self.k, self.c / (2 * self.m)
        ringing = mp.sqrt(self.k / self.m - decay**2)
        a, b = x - centre, (v + decay * (x - centre)) / ringing
        cosine, sine, factor = mp.cos(ringing * time), mp.sin(ringing * time), mp.exp(-decay * time)
        z = factor * (a * cosine + b * sine)
        rate = factor * ((b * ringing - decay * a) * cosine - (a * ringing + decay * b) * sine)
        return centre + z, rate, -(self.k * z + self.c * rate) / self.m

    def bounds(self, x: Any, v: Any, s: int) -> tuple[Any, Any]:
        """Bounds on |x'''| and |x''''| during a slide, by its decreasing energy E = z'^2 + (k/m) z^2."""
        z = x + s * self.mu * self.m * self.g / self.k
        natural, damping = mp.sqrt(self.k / self.m), self.c / self.m
        speed = mp.sqrt(v**2 + natural**2 * z**2)
        second = speed * (natural + damping)
        third = natural**2 * speed + damping * second
        return third, natural**2 * second + damping * third


def belt_events(belt: Belt, count: int, x: Number, v: Number, t: Number = 0) -> list[BeltEvent]:
    """The first ``count`` events of a block that starts at (x, v); v == v_belt starts in stick if that can hold.

    Slip ends at gamma_T = 0; there the block sticks if |k x + c v_belt| <= mu_s m g, else its slip reverses. Slip out
    of stick starts at k x + c v_belt = +-mu_s m g, with gamma_T of the opposite sign. The list is shorter than
    ``count`` if the block slips for 20 natural periods: it comes to rest at the centre of its slide and slips for ever.
    """
    t, x, v = mp.mpf(t), mp.mpf(x), mp.mpf(v)
    grip = belt.mu_s * belt.m * belt.g
    events: list[BeltEvent] = []
    stuck = v == belt.v_belt and abs(belt.force(x)) < grip
    s = 0 if stuck else _direction(belt, x, v)
    while len(events) < count:
        if stuck:
            target = (mp.sign(belt.v_belt) * grip - belt.c * belt.v_belt) / belt.k
            t, x, v, stuck, s = t + (target - x) / belt.v_belt, target, belt.v_belt, False, -int(mp.sign(belt.v_belt))
            events.append(BeltEvent(t, "slip", x, v))
            continue
        end = _slip_end(belt, t, x, v, s)
        if end is None:
            break
        t, x = end
        v, stuck = belt.v_belt, abs(belt.force(x)) <= grip
        s = 0 if stuck else _direction(belt, x, v)
        events.append(BeltEvent(t, "stick" if stuck else "reversal", x, v))
    return events


def _direction(belt: Belt, x: Any, v: Any) -> int:
    """The sign of gamma_T, or at gamma_T = 0 the way the spring pulls."""
    return int(mp.sign(v - belt.v_belt)) or -int(mp.sign(belt.force(x)))


def _slip_end(belt: Belt, t: Any, x: Any, v: Any, s: int) -> tuple[Any, Any] | None:
    """(t, x) at the next gamma_T = 0 of a slide, if any; it may start at a first- or second-order zero."""

    def guard(time: Any) -> tuple[Any, Any]:
        _, rate, second = belt.slide(x, v, s, time)
        return s * (rate - belt.v_belt), s * second

    third, fourth = belt.bounds(x, v, s)
    acceleration = s * belt.slide(x, v, s, 0)[2]
    longest = 40 * mp.pi * mp.sqrt(belt.m / belt.k)
    if v != belt.v_belt:
        found = first_root([guard], third, 0, t_max=longest)
        time = found[0] if found else None
    elif acceleration > mp.mpf(10) ** (8 - mp.dps):
        time = first_return(guard, 1, acceleration, third, third, 0, longest)
    else:  # mu_s = mu: gamma_T'' = -(k/m) v_belt
        time = first_return(guard, 2, abs(belt.k / belt.m * belt.v_belt), fourth, third, 0, longest)
    return None if time is None else (t + time, belt.slide(x, v, s, time)[0])
