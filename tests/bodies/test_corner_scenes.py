"""Ordinary scenes with polygons end well, nothing penetrates, and mirrored or in other units they are the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jounce
from tests.bodies.corner_scenes import (
    SCENES,
    G,
    Scene,
    box_on_a_belt,
    depth,
    placed,
    pushed_stack,
    rolling_hexagon,
)

Build = Callable[[Scene], float]


def run_of(build: Build, **how: Any) -> tuple[Scene, Any]:
    scene = Scene(**how)
    end = build(scene)
    return scene, jounce.simulate(scene.model(), None, end * scene.time, tolerance=1e-10)


def plain_place(scene: Scene, run: Any) -> np.ndarray:
    """The last coordinates in the units of the scene as it is written, and not mirrored."""
    kinds = [name.rsplit("_", 1)[1] for name in run.final.names]
    units = {"x": scene.side * scene.length, "y": scene.length, "theta": scene.side}
    return run.final.q / [units[kind] for kind in kinds]


@pytest.mark.parametrize("build", SCENES, ids=lambda build: build.__name__)
def test_scene_is_sound_and_the_same_mirrored_and_in_millimetres(build: Build) -> None:
    scene, run = run_of(build)
    assert run.status.name in ("FINISHED", "AT_REST"), run.status
    assert run.audit("dense").empty
    kinetic = float(np.abs(run.energy["kinetic"]).max())
    assert np.abs(run.energy["residual"]).max() < 1e-9 * max(kinetic, 1.0)
    assert max(depth(scene, run.at(t)) for t in np.linspace(run.t_start, run.t_end, 100)) < 1e-9
    for how in ({"side": -1}, {"length": 1e3, "time": 1e3}):
        other_scene, other = run_of(build, **how)
        assert other.status.name == run.status.name
        np.testing.assert_allclose(plain_place(other_scene, other), plain_place(scene, run), rtol=0, atol=1e-8)


def test_box_on_a_belt_has_its_speed_after_v_over_mu_g() -> None:
    _, run = run_of(box_on_a_belt)
    assert run.events.kind.iloc[0] == "stick"
    assert run.events.t.iloc[0] == pytest.approx(1.0 / (0.4 * G), abs=1e-9)


def test_pushed_stack_moves_apart_by_newton() -> None:
    _, run = run_of(pushed_stack)
    at = run.at(0.2)
    assert at["a_x"] == pytest.approx((8.0 - 0.2 * G - 0.1 * 2 * G) * 0.02, abs=1e-9)
    assert at["b_x"] == pytest.approx(0.2 * G * 0.02, abs=1e-9)


def test_hexagon_keeps_its_angular_momentum_about_each_new_corner() -> None:
    """It sticks behind each impact and the old corner parts: I w + r x v = (I + a^2) w+ for mass 1, I = 5/12 a^2."""
    scene, run = run_of(rolling_hexagon)
    impacts = run.events[(run.events.kind == "impact") & (run.events.t > 0)]
    assert len(impacts) == 5
    for t, contact, mode in zip(impacts.t, impacts.contact, impacts.mode_after, strict=True):
        assert mode == "STICK"
        before, after = run.at(t, side="left"), run.at(t, side="right")
        body, corners = scene.outlines[0]
        x, y = before.q[:2] - placed(body, corners, before)[int(contact[-1]) - 1]
        inertia = 5 / 12 * 0.01
        spin = (inertia * before.u[2] + x * before.u[1] - y * before.u[0]) / (inertia + 0.01)
        np.testing.assert_allclose(after.u, [-spin * y, spin * x, spin], rtol=0, atol=1e-8)
