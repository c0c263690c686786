"""Impacts that accumulate, followed one by one to speeds of 1e-25 in more than 60 digits."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

from .arithmetic import Number, first_root, mp
from .rod import ENDS, Rod, exact, next_landing, strike

WORKING_DIGITS = 75
SLOWEST = "1e-25"
MOST_IMPACTS = 5000


class ChatterEnd(NamedTuple):
    """Accumulation time, the tangential position and velocity there, and how many impacts were followed."""

    t: Any
    x: Any
    v_x: Any
    impacts: int


def table_chatter(
    *,
    A: Number,
    omega: Number,
    e: Number,
    y: Number,
    v: Number,
    t: Number = 0,
    g: Number = 9.81,
    mu: Number = 0,
    x: Number = 0,
    v_x: Number = 0,
    tilt: Number = 0,
    touching: bool = False,
) -> ChatterEnd:
    """Complete chatter of a point mass on the table y = A sin(omega t), which may be tilted and have friction.

    In the table's frame gravity is (g sin(tilt), -g cos(tilt)) and the table moves along y. For a point mass B = 0 in
    the energetic law: gamma_N+ = -e gamma_N-, p_n = m (1 + e) |gamma_N-|, and friction takes up to mu p_n from x'.
    From the last impact, with relative speed w and a = g cos(tilt) - A omega^2 sin(omega t), the rest takes
    2 w/(a (1 - e)) and m w (1 + e)/(1 - e) of normal impulse, up to O(w^2).
    """
    with mp.workdps(WORKING_DIGITS):
        A, omega, e, g, mu, tilt = (mp.mpf(value) for value in (A, omega, e, g, mu, tilt))
        t, x, y, v_x, v = (mp.mpf(value) for value in (t, x, y, v_x, v))
        along, down = g * mp.sin(tilt), g * mp.cos(tilt)
        for impact in range(1, MOST_IMPACTS):
            start, y0, v0 = t, y, v

            def gap(time: Any, start: Any = start, y0: Any = y0, v0: Any = v0) -> tuple[Any, Any]:
                s, phase = time - start, omega * time
                return y0 + s * (v0 - down * s / 2) - A * mp.sin(phase), v0 - down * s - A * omega * mp.cos(phase)

            found = first_root([gap], down + A * omega**2, t, touching=(0,) if touching else ())
            assert found is not None
            t, touching = found[0], True
            s, w = t - start, -gap(t)[1]
            x, v_x = x + s * (v_x + along * s / 2), _rub(v_x + along * s, mu * (1 + e) * w)
            y, v = A * mp.sin(omega * t), A * omega * mp.cos(omega * t) + e * w
            if e * w < mp.mpf(SLOWEST):
                pressing = down - A * omega**2 * mp.sin(omega * t)
                rest = 2 * e * w / (pressing * (1 - e))
                if pressing <= 0:
                    raise ValueError("the chatter does not end: the table falls away faster than the mass")
                slowed = _rub(v_x + along * rest, mu * e * w * (1 + e) / (1 - e))
                return ChatterEnd(t + rest, x + rest * (v_x + slowed) / 2, slowed, impact)
        raise ValueError("the impacts do not accumulate")


def _rub(v_x: Any, loss: Any) -> Any:
    """Friction's impulse: it slows the slip and stops at zero."""
    return mp.sign(v_x) * max(mp.mpf(0), abs(v_x) - loss)


class RodChatterEnd(NamedTuple):
    """The first accumulation of impacts of a rod: which ends it stops, when, the state, impacts of each end."""

    ends: tuple[str, ...]
    t: Any
    q: tuple[Any, Any, Any]
    u: tuple[Any, Any, Any]
    impacts: dict[str, int]
    energy_loss: Any


def rod_chatter(rod: Rod, q: Any, u: Any, t: Number = 0, touching: tuple[int, ...] = ()) -> RodChatterEnd:
    """The impacts of a rod on a fixed floor (A = 0), one by one, to their first accumulation.

    Without gravity, and nearly flat, the approach speeds of alternating impacts of the two ends obey
        a_(n+1) = (1 + e) a_n/2 - e a_(n-1)
    (an impact of one end drives the other down, W_N1.M^-1.W_N2 = -2/m). For e < 7 - 4 sqrt(3) = 0.0718 its roots are
    real and both ends stop together after infinitely many impacts: ends = ("P1", "P2"). For larger e a burst is
    finite, both ends rise again, and gravity decides: one end may accumulate alone, the other in the air.
    What remains after speeds of 1e-25 changes the time by O(1e-25).
    """
    if rod.A != 0:
        raise ValueError("the floor must be fixed: A = 0")
    slowest = mp.mpf(SLOWEST)
    with mp.workdps(WORKING_DIGITS):
        t, q, u = mp.mpf(t), exact(q), exact(u)
        before, hits, recent = rod.energy(q, u), dict.fromkeys(ENDS, 0), ""
        for _ in range(MOST_IMPACTS):
            t, end, q, u = next_landing(rod, t, q, u, touching)
            q = (q[0], q[1] - rod.gap(end, t, q, u)[0], q[2])
            impact = strike(rod, end, t, q, u)
            hits[end] += 1
            u, touching = impact.u_after, (ENDS.index(end),)
            recent = (recent + end)[-16:]
            gap, rate = rod.gap(ENDS[1 - touching[0]], t, q, u)
            if impact.v_after[1] < slowest and max(abs(gap), abs(rate)) < 100 * slowest:
                return RodChatterEnd(ENDS, t, q, u, hits, before - rod.energy(q, u))
            if impact.v_after[1] < slowest and recent == 8 * end and gap > slowest:
                return RodChatterEnd((end,), t, q, u, hits, before - rod.energy(q, u))
    raise ValueError("the impacts do not accumulate")


class Rest(NamedTuple):
    """The rod lies flat: when, where, its horizontal velocity, impacts of each end, chatters of a single end."""

    t: Any
    x: Any
    v_x: Any
    impacts: dict[str, int]
    single_chatters: int


def rod_settle(rod: Rod, q: Any, u: Any, t: Number = 0) -> Rest:
    """The frictionless rod on a fixed floor until it lies flat, through any number of single chatters.

    A chatter of one end leaves it sliding while the other end swings: with a = |theta|,
        (I + m L^2 cos^2 a) a'^2/2 + m g L sin a = E,
    a quadrature for the time until it lands; the landing drives the sliding end down and both ends hit in turn at that
    instant. The cascade shrinks geometrically (by 11/32 a landing for e = 1/2); followed to speeds of 1e-8 and its
    landings extrapolated, its end is good to about 1e-15. ``impacts`` counts those followed.
    """
    if rod.mu != 0:
        raise ValueError("the quadrature is for a frictionless floor: mu = 0")
    hits, cycles = dict.fromkeys(ENDS, 0), 0
    touching: tuple[int, ...] = ()
    landings: list[Any] = []
    with mp.workdps(WORKING_DIGITS):
        while True:
            end = rod_chatter(rod, q, u, t, touching)
            hits = {name: hits[name] + end.impacts[name] for name in ENDS}
            if len(end.ends) == 2:
                return Rest(end.t, end.q[0], end.u[0], hits, cycles)
            cycles += 1
            duration, q, u = _swing(rod, end)
            t, free = end.t + duration, ENDS[1 - ENDS.index(end.ends[0])]
            landings.append(t)
            if abs(u[2]) * rod.L < mp.mpf("1e-8"):
                t = _geometric_limit(landings)
                return Rest(t, q[0] + u[0] * (t - landings[-1]), u[0], hits, cycles)
            u, touching = strike(rod, free, t, q, u).u_after, (ENDS.index(free),)
            hits[free] += 1


def _geometric_limit(times: list[Any]) -> Any:
    """Aitken's limit of a sequence whose differences shrink by a constant ratio; refused if they do not."""
    a, b, c = (y - x for x, y in itertools.pairwise(times[-4:]))
    if abs(b / a - c / b) > 1e-5:
        raise ValueError("the landings of the cascade are not geometric")
    return times[-1] + c * c / (b - c)


def _swing(rod: Rod, end: RodChatterEnd) -> tuple[Any, Any, Any]:
    """(duration, q, u) of the swing of the free end down to the floor, the other one sliding without friction."""
    sigma = 1 if end.ends == ("P1",) else -1  # the free end
    a, rate = sigma * end.q[2], sigma * end.u[2]
    if not 0 < a < mp.pi / 2:
        raise ValueError("the rod must be within a right angle of theta = 0")
    m, g, L = rod.m, rod.g, rod.L

    def inertia(angle: Any) -> Any:
        return rod.inertia + m * L**2 * mp.cos(angle) ** 2

    energy = inertia(a) * rate**2 / 2 + m * g * L * mp.sin(a)
    top = mp.asin(energy / (m * g * L))

    def slowness(s: Any) -> Any:  # da/a' with a = top - s^2, which removes the root's singularity and all cancellation
        drop = 4 * m * g * L * mp.cos(top - s**2 / 2) * mp.sin(s**2 / 2)
        return (
            2 * s * mp.sqrt(inertia(top - s**2) / drop)
            if s
            else 2 * mp.sqrt(inertia(top) / (2 * m * g * L * mp.cos(top)))
        )

    here, floor = mp.sqrt(max(mp.mpf(0), top - a)), mp.sqrt(top)
    duration = mp.quad(slowness, [0, floor]) + mp.sign(rate) * mp.quad(slowness, [0, here])
    speed = -mp.sqrt(2 * energy / inertia(0))
    x = end.q[0] + duration * end.u[0]
    return duration, (x, mp.mpf(0), mp.mpf(0)), (end.u[0], L * speed, sigma * speed)
