"""The joints of a machine at t = 0 with the default parameters, in numbers: what assembling its start asks for.

The equations are those of joints.py, with their derivatives written out. For the end P_b of the second body and P_a of
the first, d = P_b - P_a, and the arm (X, Y) of a point, dP = (1, 0, -Y), (0, 1, X) by (x, y, theta).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import sympy as sp

from jounce.model import assembly
from jounce.model.assembly import Floats
from jounce.model.bodies.body import Body, Frame, pair
from jounce.model.bodies.joints import Driver, Joint, Translational, unit_vector
from jounce.model.expressions import as_expression, value_at
from jounce.model.symbols import time

#: value and rate of a number that may depend on time
Moving = tuple[float, float]


class NumericJoints:
    """g, J, the sizes of the terms of g, and g_t of every equation, as functions of q."""

    def __init__(self, bodies: Sequence[Body], joints: Sequence[Joint], defaults: Mapping[str, float]) -> None:
        self._place = {body: 3 * k for k, body in enumerate(bodies)}
        self._defaults = defaults
        self.coordinates = [q.name for body in bodies for q in body.pose]
        self.units = ["m", "m", "rad"] * len(bodies)
        self._equations: dict[str, Callable[[Floats], _Row]] = {}
        for joint in joints:
            for direction in joint.directions():
                self._equations[f"{joint.name}.{direction}"] = self._equation(joint, direction)
        self.names = list(self._equations)

    def rows(self, q: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """g, J, the sizes of the terms of g, and g_t."""
        m = len(self.names)
        g, J, terms, g_t = np.zeros(m), np.zeros((m, len(q))), np.zeros(m), np.zeros(m)
        for k, equation in enumerate(self._equations.values()):
            row = equation(q)
            g[k], terms[k], g_t[k] = row.value, row.size, row.rate
            for frame, entries in row.entries:
                place = self._place.get(frame)  # type: ignore[call-overload]
                if place is not None:
                    J[k, place : place + 3] += entries
        return g, J, terms, g_t

    def position_rows(self, q: Floats) -> tuple[Floats, Floats, Floats]:
        """g, J and the sizes of the terms of g."""
        return self.rows(q)[:3]

    def measures(self, q: Floats) -> tuple[Floats, float]:
        """The cost of moving each coordinate, and how large the machine is."""
        _, J, terms, _ = self.rows(q)
        return assembly.moving_cost(J, terms, self.units), assembly.machine_length(J, terms, self.units)

    # ------------------------------------------------------------------------------------------ equations

    def _equation(self, joint: Any, direction: str) -> Callable[[Floats], _Row]:
        first, second = joint.first, joint.second
        if direction == "angle":
            angle = self._moving(joint.angle)
            return lambda q: self._turn(q, first, second, angle)
        ends = self._point(first, joint.at_first), self._point(second, joint.at_second)
        if direction in ("x", "y"):
            axis = (1.0, 0.0) if direction == "x" else (0.0, 1.0)
            return lambda q: self._along(q, ends, axis, None, (0.0, 0.0))
        if isinstance(joint, Translational):
            a, b = self._direction(joint.axis)
            return lambda q: self._along(q, ends, (-b, a), first, (0.0, 0.0))
        assert isinstance(joint, Driver)
        length = self._moving(joint.length)
        if joint.axis is not None:
            axis = self._direction(joint.axis)
            return lambda q: self._along(q, ends, axis, first, length)
        return lambda q: self._apart(q, ends, length)

    def _turn(self, q: Floats, first: Frame, second: Frame, angle: Moving) -> _Row:
        a, b = self._pose(q, first)[2], self._pose(q, second)[2]
        entries = [(second, (0.0, 0.0, 1.0)), (first, (0.0, 0.0, -1.0))]
        return _Row(b - a - angle[0], abs(a) + abs(b) + abs(angle[0]), -angle[1], entries)

    def _along(self, q: Floats, ends: Any, axis: Any, turning: Frame | None, length: Moving) -> _Row:
        """n.d - length, with n fixed to a frame or to the ground."""
        a, b = _End(self._pose(q, ends[0][0]), ends[0]), _End(self._pose(q, ends[1][0]), ends[1])
        n = axis if turning is None else _turned(self._pose(q, turning)[2], axis)
        d = b.place[0] - a.place[0], b.place[1] - a.place[1]
        value = n[0] * d[0] + n[1] * d[1] - length[0]
        size = abs(n[0]) * (a.size[0] + b.size[0]) + abs(n[1]) * (a.size[1] + b.size[1]) + abs(length[0])
        rate = n[0] * (b.own[0] - a.own[0]) + n[1] * (b.own[1] - a.own[1]) - length[1]
        entries = [(ends[1][0], b.entries(n, 1.0)), (ends[0][0], a.entries(n, -1.0))]
        if turning is not None:
            entries.append((turning, (0.0, 0.0, n[0] * d[1] - n[1] * d[0])))
        return _Row(value, size, rate, entries)

    def _apart(self, q: Floats, ends: Any, length: Moving) -> _Row:
        """|d| - length."""
        a, b = _End(self._pose(q, ends[0][0]), ends[0]), _End(self._pose(q, ends[1][0]), ends[1])
        d = b.place[0] - a.place[0], b.place[1] - a.place[1]
        distance = math.hypot(*d)
        n = (d[0] / distance, d[1] / distance) if distance > 0.0 else (math.nan, math.nan)
        size = abs(n[0]) * (a.size[0] + b.size[0]) + abs(n[1]) * (a.size[1] + b.size[1]) + distance + abs(length[0])
        rate = n[0] * (b.own[0] - a.own[0]) + n[1] * (b.own[1] - a.own[1]) - length[1]
        return _Row(
            distance - length[0], size, rate, [(ends[1][0], b.entries(n, 1.0)), (ends[0][0], a.entries(n, -1.0))]
        )

    # ------------------------------------------------------------------------------------------ numbers

    def _pose(self, q: Floats, frame: Frame) -> tuple[float, float, float]:
        place = self._place.get(frame)  # type: ignore[call-overload]
        return (0.0, 0.0, 0.0) if place is None else (q[place], q[place + 1], q[place + 2])

    def _moving(self, value: Any) -> Moving:
        expression = as_expression(value, "a joint")
        rate = sp.diff(expression, time) if expression.has(time) else sp.Integer(0)
        return self._number(expression), self._number(rate)

    def _number(self, expression: sp.Expr) -> float:
        values = {s: 0.0 if s == time else self._defaults[s.name] for s in expression.free_symbols}
        return value_at(expression, values)

    def _direction(self, axis: Any) -> tuple[float, float]:
        a, b = (self._number(part) for part in unit_vector(axis, "axis"))
        return a, b

    def _point(self, frame: Frame, place: Any) -> tuple[Frame, Moving, Moving]:
        a, b = pair(place, "a point of a joint")
        return frame, self._moving(a), self._moving(b)


class _Row:
    """One equation at one place."""

    def __init__(self, value: float, size: float, rate: float, entries: list[tuple[Frame, Any]]) -> None:
        self.value, self.size, self.rate, self.entries = value, size, rate, entries


class _End:
    """A point of a body: where it is, its arm, its own velocity in the body, and the sizes of its components."""

    def __init__(self, pose: tuple[float, float, float], point: tuple[Frame, Moving, Moving]) -> None:
        x, y, theta = pose
        _, a, b = point
        self.arm = _turned(theta, (a[0], b[0]))
        self.own = _turned(theta, (a[1], b[1]))
        self.place = x + self.arm[0], y + self.arm[1]
        arms = (2.0 + abs(theta)) * (abs(a[0]) + abs(b[0]))
        self.size = abs(x) + arms, abs(y) + arms

    def entries(self, n: Any, sign: float) -> tuple[float, float, float]:
        """The derivative of sign n.P by the pose."""
        return sign * n[0], sign * n[1], sign * (n[1] * self.arm[0] - n[0] * self.arm[1])


def _turned(theta: float, vector: tuple[float, float]) -> tuple[float, float]:
    c, s = math.cos(theta), math.sin(theta)
    return vector[0] * c - vector[1] * s, vector[0] * s + vector[1] * c
