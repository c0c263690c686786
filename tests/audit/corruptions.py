"""Recorded runs, each spoiled in one way: what an audit must find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

import jounce
from jounce.simulation.modes import Mode
from jounce.simulation.trajectory import Trajectory

GRAVITY = 9.81


@cache
def ramp() -> Any:
    """A block on a rough floor before a wall: flight, impact with friction, slide, stop, stick."""
    (x, dx), (y, dy) = jounce.coordinates("x y", "m")
    m, g, mu, e, d = jounce.parameters(m=(2.0, "kg"), g=(GRAVITY, "m/s^2"), mu=0.3, e=0.5, d=(40.0, "m"))
    return jounce.compile_model(
        jounce.Model.from_lagrangian(
            "ramp",
            coordinates=[x, y],
            kinetic=m * (dx**2 + dy**2) / 2,
            potential=m * g * y,
            contacts=[
                jounce.Contact("floor", gap=y, slip=dx, friction=mu, restitution=e),
                jounce.Contact("wall", gap=d - x, restitution=e),
            ],
        )
    )


@cache
def pendulum() -> Any:
    """A point on a rod, in Cartesian coordinates: a joint."""
    (x, dx), (y, dy) = jounce.coordinates("x y", "m")
    m, g = jounce.parameters(m=(2.0, "kg"), g=(GRAVITY, "m/s^2"))
    return jounce.compile_model(
        jounce.Model.from_lagrangian(
            "pendulum",
            coordinates=[x, y],
            kinetic=m * (dx**2 + dy**2) / 2,
            potential=m * g * y,
            joints={"rod": sp.sqrt(x**2 + y**2) - 1},
            start={x: 1.0},
        )
    )


@cache
def block_run() -> Trajectory:
    """A flight with impacts, a chatter, a slide and rest."""
    return jounce.simulate(ramp(), ramp().state(y=1.0, d_x=4.0), 6.0, options=jounce.Options(audit="off"))


@cache
def pendulum_run() -> Trajectory:
    """A swing."""
    return jounce.simulate(pendulum(), pendulum().state(), 2.0, options=jounce.Options(audit="off"))


def spoiled(run: Trajectory, **changes: Any) -> Trajectory:
    """The run with some of its record replaced."""
    return Trajectory(replace(run.data, **changes), run.model)


def with_coefficients(run: Trajectory, step: int, change: Callable[[np.ndarray], None]) -> Trajectory:
    """The run with the interpolant [1+m, 2n] of one step changed in place."""
    coefficients = run.data.step_coefficients.copy()
    change(coefficients[step])
    return spoiled(run, step_coefficients=coefficients)


def first_step(run: Trajectory, mode: Mode, contact: int = 0) -> int:
    """The first step in which a contact is in the mode."""
    codes = run.data.step_mode // 8**contact % 8
    return int(np.flatnonzero(codes == mode)[0])


def first_row(run: Trajectory, kind: int = 0) -> int:
    """The first event of a kind."""
    return int(np.flatnonzero(run.data.event_int[:, 0] == kind)[0])


def with_event(run: Trajectory, column: int, factor: float) -> Trajectory:
    """The run with one number of its first impact multiplied."""
    floats = run.data.event_float.copy()
    floats[first_row(run), column] *= factor
    return spoiled(run, event_float=floats)


def with_mode(run: Trajectory, step: int, mode: Mode) -> Trajectory:
    """The run with another mode of the first contact on one step."""
    modes = run.data.step_mode.copy()
    modes[step] += int(mode) - modes[step] % 8
    return spoiled(run, step_mode=modes)


def without_events(run: Trajectory) -> Trajectory:
    """The run without its first row."""
    row = first_row(run)
    keep = np.arange(len(run.data.event_int)) != row
    return spoiled(run, event_int=run.data.event_int[keep], event_float=run.data.event_float[keep])


def shift(place: int, amount: float) -> Callable[[np.ndarray], None]:
    """Move one coordinate or velocity of a step."""

    def change(rows: np.ndarray) -> None:
        rows[0, place] += amount

    return change


def push(place: int, amount: float) -> Callable[[np.ndarray], None]:
    """Change the rate of one coordinate or velocity on a step."""

    def change(rows: np.ndarray) -> None:
        rows[1, place] += amount

    return change


def dip(place: int, depth: float) -> Callable[[np.ndarray], None]:
    """Bend a coordinate down in the middle of a step, its ends kept."""

    def change(rows: np.ndarray) -> None:
        rows[2, place] -= 4.0 * depth

    return change
