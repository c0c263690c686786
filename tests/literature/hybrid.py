"""A hybrid motion by SciPy, its modes and their borders written by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from scipy.integrate import solve_ivp

#: (guard, direction, state -> (mode, state)).
Rule = tuple[Callable[[float, Any], float], int, Callable[[float, Any], tuple[Any, Any]]]
Modes = Callable[[Any], tuple[Callable[[float, Any], Any], list[Rule]]]


class Motion(NamedTuple):
    times: list[float]  # of the changes
    modes: list[Any]  # behind them
    final: Any


def integrate(modes: Modes, mode: Any, y: Any, t_end: float, most: float = 1.0) -> Motion:
    """The motion through ``modes(mode)``, its rates and rules; no step is longer than ``most``."""
    t, times, entered = 0.0, [], []
    while True:
        rates, rules = modes(mode)
        guards = []
        for guard, direction, _ in rules:
            one = lambda t, y, guard=guard: guard(t, y)  # noqa: E731 - SciPy wants attributes on it
            one.terminal, one.direction = True, direction  # type: ignore[attr-defined]
            guards.append(one)
        found = solve_ivp(rates, (t, t_end), y, method="DOP853", rtol=1e-12, atol=1e-13, events=guards, max_step=most)
        t, y = found.t[-1], found.y[:, -1].copy()
        if found.status == 0:
            return Motion(times, entered, y)
        hit = next(k for k, when in enumerate(found.t_events) if len(when))
        mode, y = rules[hit][2](t, y)
        times.append(t)
        entered.append(mode)


def sliders(
    force: Callable[[int, float, Any], float], inertia: list[float], holds: Callable[[int, float], float],
    slides: Callable[[int, float, float], float], belt: Callable[[float], float] = lambda t: 0.0,
) -> Modes:  # fmt: skip
    """Masses that rub on a belt, by holds(i, t) at rest and slides(i, t, speed) in slip; y = x, v, x, v, ..."""

    def modes(signs: Any) -> Any:
        def rates(t: float, y: Any) -> Any:
            parts = []
            for i, s in enumerate(signs):
                v = y[2 * i + 1]
                parts += [v, (force(i, t, y) - s * slides(i, t, s * (v - belt(t)))) / inertia[i] if s else 0.0]
            return parts

        rules: list[Rule] = []
        for i, s in enumerate(signs):

            def to(sign: int, i: int = i) -> Any:
                return tuple(sign if j == i else other for j, other in enumerate(signs))

            if s == 0:
                for way in (1, -1):
                    limit = lambda t, y, i=i, way=way: force(i, t, y) - way * holds(i, t)  # noqa: E731
                    rules.append((limit, way, lambda t, y, to=to, way=way: (to(way), y)))
            else:

                def stop(t: float, y: Any, i: int = i, to: Any = to) -> Any:
                    y[2 * i + 1] = belt(t)
                    f = force(i, t, y)
                    return to(0 if abs(f) <= holds(i, t) else (1 if f > 0 else -1)), y

                rules.append((lambda t, y, i=i: y[2 * i + 1] - belt(t), -s, stop))
        return rates, rules

    return modes
