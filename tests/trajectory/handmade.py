"""Runs in closed form, written into RunData by hand: what Trajectory must make of them is known exactly."""

from __future__ import annotations

import numpy as np
import sympy as sp

import jounce
from jounce.simulation.events import EventKind
from jounce.simulation.law import Law
from jounce.simulation.modes import Mode
from jounce.simulation.run_data import RunData
from jounce.simulation.trajectory import Trajectory
from tests.trajectory.endings import finished, options

GRAVITY = 9.81
NAN = np.nan


def ball_model() -> jounce.Model:
    y, dy = jounce.coordinate("y", "m")
    m, g, e = jounce.parameters(m=(2.0, "kg", "mass"), g=(GRAVITY, "m/s^2", "gravity"), e=(0.5, "", "restitution"))
    floor = sp.Rational(1, 5) * sp.sin(3 * jounce.time)
    return jounce.Model.from_lagrangian(
        "ball",
        coordinates=[y],
        kinetic=m * dy**2 / 2,
        potential=m * g * y,
        contacts=[jounce.Contact("floor", gap=y - floor, restitution=e)],
        start={y: 1.0},
        drawing=[jounce.Ground(floor), jounce.Point((0, y), "floor")],
        description="A ball.",
    )


def parabola(y: float, v: float, h: float, g: float = GRAVITY) -> np.ndarray:
    """[z0, F1, F2, 0, 0] of y + v x h - g (x h)^2 / 2 and its velocity."""
    c = g * h * h / 2
    rows = np.zeros((5, 2))
    rows[0], rows[1], rows[2] = (y, v), (h * v - c, -g * h), (c, 0.0)
    return rows


class BallRun:
    """A ball of mass 2 dropped from y=1 that hits surfaces of given height and speed; every number in closed form."""

    mass, e = 2.0, 0.5

    def __init__(self, surfaces: list[tuple[float, float]] = ((0.0, 0.3), (0.1, -0.2), (0.05, 0.5))) -> None:  # type: ignore[assignment]
        t, y, v, surface_work = 0.0, 1.0, 0.0, 0.0
        self.t, self.h, self.coefficients, self.floats, self.work = [], [], [], [], [[0.0, 0.0, 0.0, 0.0]]
        self.sides: list[tuple[float, float, float, float]] = []  # t, y, v before, v after
        self.losses: list[float] = []
        for height, w in surfaces:
            impact_v = -np.sqrt(v * v + 2 * GRAVITY * (y - height))
            h = (v - impact_v) / GRAVITY
            self._fly(t, y, v, h)
            t, y = t + h, height
            before, after = impact_v - w, -self.e * (impact_v - w)
            p = self.mass * (after - before)
            loss = self.mass * (before**2 - after**2) / 2
            surface_work += p * w
            self.floats.append([t, before, after, 0.0, 0.0, p, 0.0, loss])
            self.losses.append(loss)
            self.sides.append((t, y, impact_v, w + after))
            self.work.append([0.0, 0.0, surface_work, 0.0])
            v = w + after
        self._fly(t, y, v, 0.05)
        self.work.append(self.work[-1])
        self.t_end = t + 0.05
        self.y_end, self.v_end = y + v * 0.05 - GRAVITY * 0.05**2 / 2, v - GRAVITY * 0.05

    def _fly(self, t: float, y: float, v: float, h: float) -> None:
        """One flight in two unequal steps."""
        for part, share in ((0.0, 0.3), (0.3, 0.7)):
            s = part * h
            self.t.append(t + s)
            self.h.append(share * h)
            self.coefficients.append(parabola(y + v * s - GRAVITY * s * s / 2, v - GRAVITY * s, share * h))
            if part == 0.0:
                self.work.append(self.work[-1])

    def data(self, **changes: object) -> RunData:
        impacts = len(self.floats)
        steps = [2 * (k + 1) for k in range(impacts)]
        ints = [[EventKind.IMPACT, 0, Mode.OPEN, Mode.OPEN, Law.ENERGETIC, 11, step, 0] for step in steps]
        arguments: dict[str, object] = {
            "system": None,
            "parameters": np.array([self.mass, GRAVITY, self.e]),
            "t_start": 0.0,
            "q_start": np.array([1.0]),
            "u_start": np.array([0.0]),
            "t_end_reached": self.t_end,
            "q_final": np.array([self.y_end]),
            "u_final": np.array([self.v_end]),
            "mode_final": 0,
            "total_impact_loss": np.array([sum(self.losses)]),
            "status": finished(self.t_end),
            "options": options(),
            "schedule": [(0.0, np.array([self.mass, GRAVITY, self.e]))],
            "step_t": np.array(self.t),
            "step_h": np.array(self.h),
            "step_mode": np.zeros(len(self.t), dtype=np.int64),
            "step_coefficients": np.array(self.coefficients),
            "step_work": np.array(self.work),
            "event_float": np.array(self.floats),
            "event_int": np.array(ints, dtype=np.int64),
        }
        return RunData(**{**arguments, **changes})  # type: ignore[arg-type]

    def trajectory(self, **changes: object) -> Trajectory:
        return Trajectory(self.data(**changes), ball_model())


def block_model() -> jounce.Model:
    (x, dx), (y, dy) = jounce.coordinates("x y", "m")
    m, g, mu = jounce.parameters(m=(1.0, "kg"), g=(GRAVITY, "m/s^2"), mu=(0.4, ""))
    return jounce.Model.from_lagrangian(
        "block",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        contacts=[
            jounce.Contact("floor", gap=y, slip=dx, friction=mu),
            jounce.Contact("stop", gap=50 - x),
        ],
    )


def sliding_block(v: float = 3.0, mu: float = 0.4, rest: float = 0.5) -> Trajectory:
    """A block that slides to rest under friction (SLIP+), then sticks; a second contact stays open."""
    deceleration = mu * GRAVITY
    h = v / deceleration
    distance = v * h / 2
    slide, stick = np.zeros((5, 4)), np.zeros((5, 4))
    c = deceleration * h * h / 2
    slide[0, 2] = v
    slide[1] = (h * v - c, 0, -deceleration * h, 0)
    slide[2] = (c, 0, 0, 0)
    stick[0, 0] = distance
    loss = mu * GRAVITY * distance
    parameters = np.array([1.0, GRAVITY, mu])
    changed = np.array([1.0, GRAVITY, 0.9])
    data = RunData(
        system=None,
        parameters=parameters,
        t_start=0.0,
        q_start=np.zeros(2),
        u_start=np.array([v, 0.0]),
        t_end_reached=h + rest,
        q_final=np.array([distance, 0.0]),
        u_final=np.zeros(2),
        mode_final=int(Mode.STICK),
        total_impact_loss=np.zeros(2),
        status=finished(h + rest),
        options=options(),
        schedule=[(0.0, parameters), (h + rest / 2, changed)],
        step_t=np.array([0.0, h, h + rest / 2]),
        step_h=np.array([h, rest / 2, rest / 2]),
        step_mode=np.array([Mode.SLIP_POSITIVE, Mode.STICK, Mode.STICK], dtype=np.int64),
        step_coefficients=np.array([slide, stick, stick]),
        step_work=np.array([[0, 0, 0, 0], [0, loss, 0, 0], [0, loss, 0, 0], [0, loss, 0, 0]], dtype=float),
        event_float=np.array([[h, 0, 0, 0, 0, 0, 0, 0], [h + rest / 2, 0, 0, 0, 0, 0, 0, 0]], dtype=float),
        event_int=np.array(
            [
                [EventKind.STICK, 0, Mode.SLIP_POSITIVE, Mode.STICK, -1, -1, 1, 0],
                [EventKind.SCHEDULE, -1, 0, 0, -1, -1, 2, 0],
            ],
            dtype=np.int64,
        ),
    )
    return Trajectory(data, block_model())
