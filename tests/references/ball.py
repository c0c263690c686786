"""The bouncing ball in closed form; the ball on a sinusoidal table in 40-digit arithmetic."""

from __future__ import annotations

from typing import Any, NamedTuple

from .arithmetic import Number, first_return, first_root, mp

GRAVITY = 9.81


def bounce_times(height: Number, e: Number, count: int, g: Number = GRAVITY) -> list[Any]:
    """Impact times of a ball dropped from ``height``: t_k = t_1 (1 + 2 e (1 - e^(k-1))/(1 - e)), t_1 = sqrt(2 h/g)."""
    height, e, g = mp.mpf(height), mp.mpf(e), mp.mpf(g)
    first = mp.sqrt(2 * height / g)
    return [first * (1 + 2 * e * (1 - e ** (k - 1)) / (1 - e)) for k in range(1, count + 1)]


def accumulation_time(height: Number, e: Number, g: Number = GRAVITY) -> Any:
    """The time at which the bounces of a dropped ball accumulate, sqrt(2 h/g) (1 + e)/(1 - e)."""
    height, e, g = mp.mpf(height), mp.mpf(e), mp.mpf(g)
    return mp.sqrt(2 * height / g) * (1 + e) / (1 - e)


class TableImpact(NamedTuple):
    """One impact; velocities are absolute, not relative to the table."""

    t: Any
    y: Any
    v_before: Any
    v_after: Any


def table_impacts(
    count: int,
    *,
    A: Number,
    omega: Number,
    e: Number,
    y: Number,
    v: Number,
    t: Number = 0,
    g: Number = GRAVITY,
    touching: bool = False,
) -> list[TableImpact]:
    """The first ``count`` impacts of a ball on the table A sin(omega t).

    v+ = -e v- + (1 + e) A omega cos(omega t_i); the gap's second derivative is at least -(g + A omega^2).
    ``touching`` says that the ball starts on the table, leaving it. An incomplete chatter is followed as far as
    ``count`` goes; see chatter.py for its end.
    """
    A, omega, e, g = (mp.mpf(value) for value in (A, omega, e, g))
    t, y, v = mp.mpf(t), mp.mpf(y), mp.mpf(v)
    impacts: list[TableImpact] = []
    for _ in range(count):
        t, v_before = _landing(A, omega, g, t, y, v, touching)
        y, touching = A * mp.sin(omega * t), True
        v = -e * v_before + (1 + e) * A * omega * mp.cos(omega * t)
        impacts.append(TableImpact(t, y, v_before, v))
    return impacts


def _gap(A: Any, omega: Any, g: Any, t0: Any, y: Any, v: Any) -> Any:
    """The gap and its rate on a flight that starts at (t0, y, v)."""

    def gap(t: Any) -> tuple[Any, Any]:
        s, phase = t - t0, omega * t
        return y + s * (v - g * s / 2) - A * mp.sin(phase), v - g * s - A * omega * mp.cos(phase)

    return gap


def _landing(A: Any, omega: Any, g: Any, t0: Any, y: Any, v: Any, touching: bool) -> tuple[Any, Any]:
    """Time of the next impact and the ball's velocity just before it."""
    gap = _gap(A, omega, g, t0, y, v)
    found = first_root([gap], g + A * omega**2, t0, touching=(0,) if touching else ())
    assert found is not None
    return found[0], v - g * (found[0] - t0)


def table_state(t: Number, impacts: list[TableImpact], *, g: Number = GRAVITY) -> tuple[Any, Any]:
    """(y, v) at a time after the first impact of the list and before the impact that follows its last."""
    last = max((impact for impact in impacts if impact.t <= t), key=lambda impact: impact.t)
    s, g = mp.mpf(t) - last.t, mp.mpf(g)
    return last.y + s * (last.v_after - g * s / 2), last.v_after - g * s


class LiftOff(NamedTuple):
    """A ball at rest on the table leaves it at t_release and lands at t_landing with the absolute speed v_landing."""

    t_release: Any
    y_release: Any
    v_release: Any
    t_landing: Any
    v_landing: Any


def table_lift_off(*, A: Number, omega: Number, g: Number = GRAVITY, after: Number = 0) -> LiftOff:
    """Release of a ball that rests on the table: A omega^2 sin(omega t) = g, rising; there gap = gap' = gap'' = 0.

    lambda_N = m (g - A omega^2 sin(omega t)) vanishes, and gap''' = A omega^3 cos(omega t) > 0, |gap''''| <= A omega^4.
    """
    A, omega, g = mp.mpf(A), mp.mpf(omega), mp.mpf(g)
    if A * omega**2 <= g:
        raise ValueError("the table never throws the ball: A omega^2 <= g")
    phase, period = mp.asin(g / (A * omega**2)), 2 * mp.pi / omega
    t = phase / omega
    t += period * max(0, mp.ceil((mp.mpf(after) - t) / period))
    y, v = A * mp.sin(omega * t), A * omega * mp.cos(omega * t)
    gap = _gap(A, omega, g, t, y, v)
    landing = first_return(gap, 3, A * omega**3 * mp.cos(phase), A * omega**4, g + A * omega**2, t)
    return LiftOff(t, y, v, landing, v - g * (landing - t))


class OneBounceOrbit(NamedTuple):
    """One bounce in k forcing periods: the state just after the impact, at t = phase/omega."""

    phase: Any
    t: Any
    y: Any
    v: Any
    period: Any
    multipliers: tuple[Any, Any]
    g: Any

    def state(self, s: Number) -> tuple[Any, Any, Any]:
        """(t, y, v) a time 0 <= s <= period after the impact; s = period/2 is the top of the flight."""
        s = mp.mpf(s)
        return self.t + s, self.y + s * (self.v - self.g * s / 2), self.v - self.g * s


def one_bounce_orbit(
    k: int, *, A: Number, omega: Number, e: Number, g: Number = GRAVITY, rising_phase: bool = True
) -> OneBounceOrbit:
    """The orbit that bounces once in k forcing periods T = 2 pi/omega.

    It lands where it left, so v+ = -v- = g k T/2, and the impact v+ - w = -e (v- - w) with w = A omega cos(phi) gives
        cos(phi) = k pi g (1 - e)/((1 + e) A omega^2).
    Its two solutions have sin(phi) > 0 (``rising_phase``, the one that can be stable) and sin(phi) < 0.
    Multipliers: det = e^2, trace = 1 + e^2 - (1 + e)^2 A omega^2 sin(phi)/g.
    """
    A, omega, e, g = (mp.mpf(value) for value in (A, omega, e, g))
    cosine = k * mp.pi * g * (1 - e) / ((1 + e) * A * omega**2)
    if cosine > 1:
        raise ValueError(f"no one-bounce orbit: cos(phi) = {mp.nstr(cosine, 6)} > 1")
    phase = mp.acos(cosine) if rising_phase else -mp.acos(cosine)
    period = 2 * mp.pi * k / omega
    trace = 1 + e**2 - (1 + e) ** 2 * A * omega**2 * mp.sin(phase) / g
    root = mp.sqrt(mp.mpc(trace**2 - 4 * e**2))
    multipliers = ((trace + root) / 2, (trace - root) / 2)
    return OneBounceOrbit(phase, phase / omega, A * mp.sin(phase), g * period / 2, period, multipliers, g)
