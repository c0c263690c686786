"""Systems beyond the papers against their closed forms, and the mechanism of the tutorial."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

import jounce
from examples.door_latch import door_latch


@pytest.mark.parametrize(("b", "h"), [(0.1, 0.4), (0.2, 0.5)])
def test_block_loses_what_housner_says(b: float, h: float) -> None:
    """theta'+ / theta'- = 1 - (3/2) sin^2(alpha) at each change of corner (Housner 1963), with e = 0 and no slip."""
    system = jounce.compile_model(jounce.systems.rocking_block())
    tilt = 0.1
    start = system.state(theta=tilt, y=b * math.sin(tilt) + h * math.cos(tilt))
    run = jounce.simulate(system, start, 2.0, b=b, h=h, mu=5.0)
    struck = run.events[(run.events.kind == "impact") & (run.events.v_n_before < -1e-3)]
    assert list(struck.contact[:4]) == ["right", "left", "right", "left"]
    kept = [run.at(t, "right")["d_theta"] / run.at(t, "left")["d_theta"] for t in struck.t[:4]]
    alpha = math.atan(b / h)
    assert kept == pytest.approx([1 - 1.5 * math.sin(alpha) ** 2] * 4, abs=1e-9)


def test_block_rocks_with_housners_quarter_period() -> None:
    """From theta0 to upright: cosh(t sqrt(3 g/(4 R))) = alpha/(alpha - theta0) for a slender block, small angles."""
    system = jounce.compile_model(jounce.systems.rocking_block())
    b, h, tilt = 0.01, 0.4, 0.01
    start = system.state(theta=tilt, y=b * math.sin(tilt) + h * math.cos(tilt))
    run = jounce.simulate(system, start, 2.0, b=b, h=h, mu=5.0)
    alpha, R = math.atan(b / h), math.hypot(b, h)
    expected = math.acosh(alpha / (alpha - tilt)) / math.sqrt(3 * 9.81 / (4 * R))
    assert float(run.events[run.events.kind == "impact"].t.iloc[0]) == pytest.approx(expected, rel=1e-3)


def test_follower_leaves_the_cam_at_the_closed_form_speed() -> None:
    """Without damping contact is lost where m lift omega^2/2 > k (lift + preload) + m g."""
    system = jounce.compile_model(jounce.systems.cam_follower())
    p = system.model.defaults
    limit = math.sqrt(2 * (p["k"] * (p["lift"] + p["preload"]) + p["m"] * p["g"]) / (p["m"] * p["lift"]))

    def leaves(omega: float) -> bool:
        run = jounce.simulate(system, system.state(x=0.0), 2 * math.pi / omega, omega=omega, c=0.0)
        return any(str(mode) == "OPEN" and b - a > 1e-8 for a, b, mode in run.mode_intervals("cam"))

    assert not leaves(limit - 1e-6)
    assert leaves(limit + 1e-6)


def test_woodpecker_climbs_down_periodically() -> None:
    """The beak strikes once a cycle, the cycle repeats, and the sleeve jams at phi = -+(r_sleeve - r_pole)/h_sleeve."""
    system = jounce.compile_model(jounce.systems.woodpecker())
    options = jounce.Options(law="newton", simultaneous="joint")
    run = jounce.simulate(system, system.state(**system.model.start), 6.0, options=options)
    assert run.status.ok
    strokes = run.events[(run.events.contact == "beak") & (run.events.v_n_before < -0.1)]
    periods = np.diff(strokes.t)[-8:]
    assert np.ptp(periods) < 1e-4
    assert 0.1 < periods.mean() < 0.2
    heights = [run.at(t)["y"] for t in strokes.t[-9:]]
    assert (np.diff(heights) < 0).all()
    stuck = [(a, b) for a, b, mode in run.mode_intervals("lower") if str(mode) == "STICK" and b - a > 1e-3]
    middle = run.at(sum(stuck[-1]) / 2)
    assert middle["phi_sleeve"] == pytest.approx(-(0.0031 - 0.0025) / 0.0058, abs=1e-9)
    assert abs(middle["d_y"]) < 1e-9
    assert float(np.abs(run.energy.residual).max()) < 1e-9


# ---------------------------------------------------------------------------------------------- docs/tutorial.md


@pytest.fixture(scope="module")
def door():
    return jounce.compile_model(door_latch())


def test_tutorial_door(door) -> None:
    """The bolt meets the plate, chatters and slides along it; the ledger closes."""
    run = jounce.simulate(door, door.state(**door.model.start), 1.0)
    assert run.status.ok
    plate = run.events[run.events.contact == "plate"]
    assert {"impact", "chatter", "lift_off"} <= set(plate.kind)
    assert any(str(mode) == "SLIP+" and b - a > 0.01 for a, b, mode in run.mode_intervals("plate"))
    assert float(np.abs(run.energy.residual).max()) < 1e-8
    assert run.final["theta"] > -1e-9


def test_tutorial_door_without_the_plate_is_a_damped_door(door) -> None:
    """x0 far away, the bolt held by a stiff spring: theta' = theta'(0) exp(-c t/(J + m (L + s0)^2)) until the stop."""
    start = door.state(theta=0.3, s=0.02, d_theta=-1.5)
    run = jounce.simulate(door, start, 0.1, x0=5.0, k=1e7)
    inertia = 0.8 + 0.2 * 0.82**2
    assert run.final["d_theta"] == pytest.approx(-1.5 * math.exp(-0.3 * 0.1 / inertia), rel=1e-5)


def test_tutorial_runs_as_written(tmp_path, monkeypatch, door) -> None:
    """The blocks of the page, one after the other, are the example: the same model, the same run, a picture."""
    text = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/tutorial.md", "exec"), names)
    model, example = names["model"], door.model
    assert model.defaults == example.defaults
    assert (model.M, model.h) == (example.M, example.h)
    assert [contact.gap for contact in model.contacts] == [contact.gap for contact in example.contacts]
    run = jounce.simulate(door, door.state(**example.start), 1.0)
    assert list(names["run"].final.u) == list(run.final.u)
    assert (tmp_path / "door.png").stat().st_size > 10_000
