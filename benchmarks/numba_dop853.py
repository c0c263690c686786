"""A hybrid automaton by hand: DOP853 in Numba, unrolled for one problem, with events found by their sign.

A step is straight code without arrays of stages. Guards are looked at where a step ends; where one has changed its
sign, its root on the cubic through both ends starts secants on fresh steps of full order. What this does not do: two
roots inside one step are missed, and no work is accounted for.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np
from scipy.integrate._ivp import dop853_coefficients as table

from benchmarks.smooth_problems import MOST_EVENTS, Problem

_A, _C = table.A, table.C
FAILED = -2  # in place of a guard: the tolerance is below what rounding leaves


def _sum(weights: Any, n: int, k: int, stages: str = "k") -> str:
    return " + ".join(f"{float(w)!r}*{stages}{j}_{k}" for j, w in enumerate(weights) if w != 0.0)


def _stage(i: int, n: int) -> list[str]:
    state = ", ".join(f"z[{k}] + h*({_sum(_A[i, :i], n, k)})" for k in range(n))
    return [f"s = ({state},)", f"{_names(i, n)} = rate(t + {float(_C[i])!r}*h, s)"]


def _names(i: int, n: int) -> str:
    return "".join(f"k{i}_{k}, " for k in range(n))


def _step_text(n: int) -> str:
    """step(t, z, f, h, tolerance) -> (error, new z)."""
    lines = [f"{_names(0, n)} = f"]
    for i in range(1, 12):
        lines += _stage(i, n)
    lines += [f"y{k} = z[{k}] + h*({_sum(table.B, n, k)})" for k in range(n)]
    for k in range(n):
        lines.append(f"w{k} = 1.0/(tolerance*(1.0 + max(abs(z[{k}]), abs(y{k}))))")
        lines.append(f"a{k} = ({_sum(table.E5[:12], n, k)})*w{k}")
        lines.append(f"b{k} = ({_sum(table.E3[:12], n, k)})*w{k}")
    five, three = (" + ".join(f"{x}{k}*{x}{k}" for k in range(n)) for x in "ab")
    lines += [f"five = {five}", f"three = {three}"]
    lines.append(f"error = 0.0 if five == 0.0 else abs(h)*five/sqrt((five + 0.01*three)*{n})")
    lines.append(f"return error, ({', '.join(f'y{k}' for k in range(n))},)")
    return "\n    ".join(["def step(t, z, f, h, tolerance):", *lines])


def _cubic_text(n: int) -> str:
    """cubic(z, f, h, y, g, x): the state at a part x of the step from z to y with the rates f and g."""
    terms = ", ".join(f"z[{k}]*a + y[{k}]*b + f[{k}]*c + g[{k}]*d" for k in range(n))
    lines = ["r = 1.0 - x", "a, b = r*r*(1.0 + 2.0*x), x*x*(1.0 + 2.0*r)", "c, d = h*x*r*r, -h*x*x*r"]
    return "\n    ".join(["def cubic(z, f, h, y, g, x):", *lines, f"return ({terms},)"])


def _guards_text(count: int) -> str:
    """guards(t, z): the index of the first negative guard, and guard(i, t, z): its value."""
    first = [f"if g{i}(t, z) < 0.0: return {i}" for i in range(count)]
    value = [f"if i == {i}: return g{i}(t, z)" for i in range(count - 1)]
    negative = "\n    ".join(["def negative(t, z):", *first, "return -1"])
    return negative + "\n" + "\n    ".join(["def guard(i, t, z):", *value, f"return g{count - 1}(t, z)"])


def _flow(mode: Any, n: int) -> Any:
    """flow(t, z, h, t_end, tolerance) -> (t, z, h, guard that vanished or -1) in one mode."""
    scope: dict[str, Any] = {"rate": _compiled(mode.rate), "sqrt": math.sqrt}
    scope |= {f"g{i}": _compiled(guard) for i, guard in enumerate(mode.guards)}
    for text in (_step_text(n), _cubic_text(n), _guards_text(len(mode.guards))):
        exec(text, scope)
    rate = scope["rate"]
    step, cubic, negative, guard = (_compiled(scope[name]) for name in ("step", "cubic", "negative", "guard"))

    @numba.njit(error_model="numpy")
    def cubic_root(t: float, z: Any, f: Any, h: float, y: Any, g: Any, i: int) -> Any:
        """(root on the cubic through both ends of the step, slope there)"""
        a, b, fa, fb, side, slope = 0.0, 1.0, guard(i, t, z), guard(i, t + h, y), 0, -1.0
        x = 0.0
        for _ in range(30):
            x = (a * fb - b * fa) / (fb - fa)
            value = guard(i, t + x * h, cubic(z, f, h, y, g, x))
            slope = (fb - fa) / (b - a)
            if value >= 0.0:
                a, fa, fb, side = x, value, fb * (0.5 if side == 1 else 1.0), 1
            else:
                b, fb, fa, side = x, value, fa * (0.5 if side == -1 else 1.0), -1
            if abs(value) <= 1e-6 * abs(slope):
                break
        return x, slope

    @numba.njit(error_model="numpy")
    def land(t: float, z: Any, f: Any, h: float, y: Any, i: int, tolerance: float) -> Any:
        """(x, state) at the root of guard i: secants on steps of full order, from the root of the cubic."""
        x, slope = cubic_root(t, z, f, h, y, rate(t + h, y), i)
        before, value_before = -1.0, 0.0
        for _ in range(6):
            _, y = step(t, z, f, x * h, tolerance)
            value = guard(i, t + x * h, y)
            if before >= 0.0 and x != before:
                slope = (value - value_before) / (x - before)
            before, value_before = x, value
            move = -value / slope
            if not abs(move) > 1e-3 * tolerance:
                break
            x += move
        return before, y

    @numba.njit(error_model="numpy")
    def flow(t: float, z: Any, h: float, t_end: float, tolerance: float) -> Any:
        f, fresh = rate(t, z), True
        while True:
            last = t + h >= t_end
            length = t_end - t if last else h
            error, y = step(t, z, f, length, tolerance)
            if not error <= 1.0:
                h = length * max(0.2, 0.9 * error**-0.125)
                if not t + 1e-3 * h > t:
                    return t, z, h, FAILED
                continue
            i = negative(t + length, y)
            if i >= 0:
                if fresh and guard(i, t, z) <= 1e-12:
                    h, fresh = 0.25 * length, False  # it starts at its root: look again nearer to it
                    continue
                x, y = land(t, z, f, length, y, i, tolerance)
                return t + x * length, y, h, i
            t, z = (t_end if last else t + length), y
            if last:
                return t, z, h, -1
            f, fresh = rate(t, z), False
            h = length * min(5.0, 0.9 * max(error, 1e-8) ** -0.125)

    return flow


def _compiled(function: Any) -> Any:
    return function if hasattr(function, "py_func") else numba.njit(error_model="numpy")(function)


def _jump(mode: Any, i: int) -> Any:
    if mode.jumps[i] is None:
        return _compiled(lambda t, z: z)
    return _compiled(mode.jumps[i])


def _move_text(modes: Any) -> str:
    """move(mode, guard, t, z) -> (next mode, state behind the jump)."""
    lines = []
    for k, mode in enumerate(modes):
        for i, after in enumerate(mode.after):
            lines.append(f"if mode == {k} and guard == {i}: return {after}, jump_{k}_{i}(t, z)")
    return "\n    ".join(["def move(mode, guard, t, z):", *lines, "return mode, z"])


class HandWritten:
    """A compiled loop for one problem."""

    def __init__(self, problem: Problem) -> None:
        modes, n = problem.modes(math.sin, math.cos, _compiled), len(problem.start)
        flows = [_flow(mode, n) for mode in modes]
        scope = {f"jump_{k}_{i}": _jump(mode, i) for k, mode in enumerate(modes) for i in range(len(mode.after))}
        exec(_move_text(modes), scope)
        move = _compiled(scope["move"])
        first, second, third = flows[0], flows[1 % len(flows)], flows[2 % len(flows)]

        @numba.njit(error_model="numpy")
        def run(z: Any, t_end: float, tolerance: float) -> Any:
            mode, t, events = 0, 0.0, 0
            sizes = np.full(3, 1e-2)
            while True:
                if mode == 0:
                    t, z, h, guard = first(t, z, sizes[0], t_end, tolerance)
                elif mode == 1:
                    t, z, h, guard = second(t, z, sizes[1], t_end, tolerance)
                else:
                    t, z, h, guard = third(t, z, sizes[2], t_end, tolerance)
                sizes[mode] = h
                if guard < 0:
                    return z, events if guard != FAILED else -1
                events += 1
                if events > MOST_EVENTS * t_end:
                    return z, -1
                mode, z = move(mode, guard, t, z)

        self.compiled, self.start = run, problem.start

    def run(self, span: float, tolerance: float) -> tuple[np.ndarray, int]:
        """The state at the end, and the number of events."""
        state, events = self.compiled(self.start, span, tolerance)
        return np.array(state) if events >= 0 else np.full(len(self.start), np.nan), events
