"""The problems of side_by_side in heyoka: events of a Taylor integrator; what follows an event is written by hand."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import heyoka as hy
import numpy as np

from benchmarks.pairs import E, by_orbit

G = 9.81
TOLERANCE = 1e-12


def _event(gap: Any, jump: Callable[[Any], bool]) -> Any:
    """At a falling zero of ``gap``: ``jump`` rewrites the state and says whether to go on."""
    return hy.t_event(gap, callback=lambda integrator, *_: jump(integrator), direction=hy.event_direction.negative)


def _run(equations: list[Any], state: list[float], events: list[Any], span: float) -> Any:
    integrator = hy.taylor_adaptive(equations, np.array(state), tol=TOLERANCE, t_events=events)
    integrator.propagate_until(span)
    return integrator


def bounces(e: float, number: int, near: float = 0.0) -> float:
    """The time of an impact of the ball, or, with ``near``, of its last falling below that height before it."""
    y, v = hy.make_vars("y", "v")
    times: list[float] = []
    low: list[float] = []

    def bounce(integrator: Any) -> bool:
        integrator.state[1] *= -e
        times.append(integrator.time)
        return len(times) < number

    def lowers(integrator: Any) -> bool:
        low.append(integrator.time)
        return True

    events = [_event(y, bounce)] + ([_event(y - near, lowers)] if near else [])
    _run([(y, v), (v, hy.expression(-G))], [1.0, 0.0], events, 6.0)
    return max(low) if near else times[-1]


def stopping_distance() -> float:
    """A block with 2 m/s and friction 0.3."""
    x, v = hy.make_vars("x", "v")
    return float(_run([(x, v), (v, hy.expression(-0.3 * G))], [0.0, 2.0], [_event(v, lambda _: False)], 5.0).state[0])


def begins_to_roll() -> float:
    """A disc with 6 m/s and friction 0.1: speeds of its centre and of its rim."""
    v, rim = hy.make_vars("v", "rim")
    equations = [(v, hy.expression(-0.1 * G)), (rim, hy.expression(2 * 0.1 * G))]
    return float(_run(equations, [6.0, 0.0], [_event(v - rim, lambda _: False)], 5.0).time)


def two_balls() -> float:
    """The speed of a light ball dropped on top of a heavy one."""
    low, high, v_low, v_high = hy.make_vars("low", "high", "v_low", "v_high")
    M, m = 0.6, 0.06

    def floor(integrator: Any) -> bool:
        integrator.state[2] *= -1
        return True

    def meet(integrator: Any) -> bool:
        first, second = integrator.state[2], integrator.state[3]
        integrator.state[3] = (2 * M * first + (m - M) * second) / (M + m)
        return False

    weight = hy.expression(-G)
    equations = [(low, v_low), (high, v_high), (v_low, weight), (v_high, weight)]
    return float(_run(equations, [1.0, 1.001, 0.0, 0.0], [_event(low, floor), _event(high - low, meet)], 2.0).state[3])


def cradle() -> float:
    """The speed of the last of five balls."""
    x = hy.make_vars(*(f"x{k}" for k in range(5)))
    v = hy.make_vars(*(f"v{k}" for k in range(5)))

    def exchange(k: int) -> Callable[[Any], bool]:
        def jump(integrator: Any) -> bool:
            state = integrator.state
            state[5 + k], state[6 + k] = float(state[6 + k]), float(state[5 + k])
            return k < 3

        return jump

    equations = [*zip(x, v, strict=True), *((v[k], -G / 0.25 * x[k]) for k in range(5))]
    events = [_event(x[k + 1] - x[k] + 1e-4, exchange(k)) for k in range(4)]
    return float(_run(equations, [-0.1, *[0.0] * 9], events, math.pi).state[9])


def pendulum() -> float:
    """The third impact with a wall below the pivot of a pendulum released level, e = 0.7."""
    angle, rate = hy.make_vars("angle", "rate")
    times: list[float] = []

    def bounce(integrator: Any) -> bool:
        integrator.state[1] *= -0.7
        times.append(integrator.time)
        return len(times) < 3

    _run([(angle, rate), (rate, -G * hy.sin(angle))], [math.pi / 2, 0.0], [_event(angle, bounce)], 6.0)
    return times[-1]


def spin() -> float:
    """The sideways speed of a disc that lands with 60 rad/s from 1 m, friction 0.2, e = 0.6."""
    y, v = hy.make_vars("y", "v")
    landing = _run([(y, v), (v, hy.expression(-G))], [1.0, 0.0], [_event(y, lambda _: False)], 6.0)
    return 0.2 * 1.6 * abs(float(landing.state[1]))


def belt() -> float:
    """How far a block on a spring of 10 N/m is carried by a belt of 0.2 m/s, friction 0.3: slip, stick, slip."""
    x, v = hy.make_vars("x", "v")
    friction = 0.3 * G
    slip = _run([(x, v), (v, friction - 10 * x)], [0.0, 0.0], [_event(0.2 - v, lambda _: False)], 6.0)
    held = [(x, v), (v, 0.0 * x)]
    stick = _run(held, [slip.state[0], 0.2], [_event(friction - 10 * x, lambda _: False)], 6.0)
    end = _run([(x, v), (v, friction - 10 * x)], [stick.state[0], 0.2], [_event(v, lambda _: False)], 6.0)
    return float(end.state[0])


def pairs() -> float:
    """Where the ball on a table begins to bounce in pairs: its orbit and multipliers by hand."""
    y, v = hy.make_vars("y", "v")
    gap = y - hy.sin(hy.par[0] * hy.time)
    events = [_event(gap, lambda _: False)]
    flight = hy.taylor_adaptive([(y, v), (v, hy.expression(-G))], [0.0, 0.0], tol=TOLERANCE, t_events=events)

    def impact(t: float, speed: float, omega: float) -> tuple[float, float]:
        flight.pars[0], flight.time = omega, t
        flight.state[:] = [math.sin(omega * t), speed]
        flight.reset_cooldowns()
        flight.propagate_until(t + 10.0)
        return flight.time, (1 + E) * omega * math.cos(omega * flight.time) - E * flight.state[1]

    return by_orbit(impact)
