"""The extremes in the columns of a branch, beside closed forms: one step of the engine may be a whole flight."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

import jounce

E, G, AMPLITUDE = 0.5, 9.81, 0.01


def shaken_ball(length: float, time: float) -> jounce.Model:
    """A ball on a shaken plate, in units of so many metres and seconds."""
    y, _ = jounce.coordinate("y", "m")
    g, amplitude, w = jounce.parameters(g=G / length * time**2, amplitude=AMPLITUDE / length, w=40.0 * time)
    plate = jounce.Contact("plate", gap=y - amplitude * sp.sin(w * jounce.time), restitution=E)
    return jounce.Model(
        "ball",
        [y],
        [1],
        [-g],
        contacts=[plate],
        parameters=[g, amplitude, w],
        period=2 * sp.pi / w,
        start={y: 1 / length},
    )


def one_bounce(w: float, sign: int) -> tuple[float, float, float]:
    """Phase, height and speed just after the impact of an orbit that bounces once a period."""
    speed = G * math.pi / w
    phase = sign * math.acos(speed * (1 - E) / (1 + E) / (AMPLITUDE * w))
    return phase, AMPLITUDE * math.sin(phase), speed


@pytest.mark.parametrize("sign", [1, -1])  # the node and the saddle
@pytest.mark.parametrize(("length", "time"), [(1.0, 1.0), (1e-3, 1e-3), (1e4, 1.0)])
def test_heights_and_speeds_of_a_branch(length: float, time: float, sign: int) -> None:
    system = jounce.compile_model(shaken_ball(length, time))
    phase, height, speed = one_bounce(40.0, sign)
    start = system.state(t=phase % (2 * math.pi) / 40.0 / time, y=height / length, d_y=speed / length * time)
    orbit = jounce.find_orbit(system, start)
    branch = jounce.continue_orbit(orbit, "w", (36.0 * time, 42.0 * time), step=0.7 * time)
    table = branch.table[branch.table["signature"] == 0]
    assert len(table) > 6
    exact = [one_bounce(w / time, sign) for w in table["w"]]
    top = [(y + v**2 / (2 * G)) / length for _, y, v in exact]
    np.testing.assert_allclose(table["max_y"], top, rtol=1e-9)
    np.testing.assert_allclose(table["min_y"], [y / length for _, y, _ in exact], rtol=1e-9)
    np.testing.assert_allclose(table["max_d_y"], [v / length * time for *_, v in exact], rtol=1e-9)


def test_extremes_of_a_swing_without_events() -> None:
    """x = cos(t), forced at rest: the extremes are 1 and -1 whatever the phase at which the orbit begins."""
    x, _ = jounce.coordinate("x")
    w = jounce.parameter("w", 2.0)
    forced = jounce.Model("swing", [x], [1], [-x + sp.cos(w * jounce.time)], parameters=[w], period=2 * sp.pi / w)
    orbit = jounce.find_orbit(forced, {"x": -0.3})  # x = cos(w t)/(1 - w^2)
    branch = jounce.continue_orbit(orbit, "w", (1.7, 2.3), step=0.1)
    size = 1.0 / (branch.table["w"] ** 2 - 1.0)
    np.testing.assert_allclose(branch.table["max_x"], size, rtol=1e-9)
    np.testing.assert_allclose(branch.table["min_d_x"], -size * branch.table["w"], rtol=1e-9)
