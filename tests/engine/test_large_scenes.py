"""Thirty dominoes, sixty links, ten boxes, touching balls, gears, stairs: against second formulations."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jounce
from benchmarks import scene_table, scenes
from benchmarks.scenes import G, compiled
from jounce import Options
from tests.references.dominoes import Row


def test_the_wave_through_thirty_dominoes_is_van_leeuwens() -> None:
    """Thirty dominoes on hinges, plastic and with friction: when each is hit, and with it the speed of the wave."""
    system = compiled(scenes.dominoes(30, minimal=False))
    theirs = Row(h=0.05, w=0.01, d=0.02, mu=0.2).times(30, 8.0)
    options = Options(simultaneous="joint", law="newton", tolerance=1e-9)
    run = jounce.simulate(system, None, float(theirs[-1]) + 0.01, options=options, e=0.0)
    hits = run.events[run.events.contact.str.startswith("c") & (run.events.kind == "impact")].drop_duplicates("contact")
    assert hits.contact.tolist() == [f"c{k}" for k in range(29)]
    assert hits.t.to_numpy() == pytest.approx(theirs, abs=1e-8)
    assert run.audit().empty


@pytest.mark.parametrize("policy", [{}, {"simultaneous": "joint", "law": "newton"}], ids=["sequential", "joint"])
def test_free_dominoes_fall_to_rest(policy: dict[str, str]) -> None:
    """Four dominoes that no hinge holds slide, lean and come to lie: every place of every step passes the audit."""
    run = jounce.simulate(compiled(scenes.free_dominoes(4)), None, 1.5, options=Options(audit="dense", **policy))
    assert run.status.name == "AT_REST"
    assert run.audit().empty
    hits = run.events[run.events.contact.str.startswith("c")].drop_duplicates("contact")
    assert hits.contact.tolist() == ["c0", "c1", "c2"]
    assert float(abs(run.energy.residual).max()) < 1e-9 * float(run.energy.kinetic.max() + 4 * 0.01 * G * 0.025)


def test_ten_boxes_stay_for_a_thousand_seconds() -> None:
    run = jounce.simulate(compiled(scenes.stack(10)), None, 1000.0, slope=0.05)
    assert run.status.name == "AT_REST"
    assert run.final.q == pytest.approx(run.start.q, abs=1e-12)
    weights = run.contact_forces(np.array([500.0])).lambda_N.values.reshape(10, 2).sum(axis=1)
    assert weights == pytest.approx(np.arange(10, 0, -1) * G * math.cos(0.05), rel=1e-9)
    assert run.audit().empty


def test_sixty_links_hang_in_their_catenary() -> None:
    """All pins carry the same horizontal force, and half of the weight hangs on each end."""
    model, pull = scenes.catenary(60, 2.0)
    run = jounce.simulate(jounce.compile_model(model), None, 0.5)
    assert run.final.q == pytest.approx(run.start.q, abs=1e-10)
    forces = run.joint_forces(np.array([0.3]))
    across = [float(forces[f"pin{k}.x"][0]) for k in range(60)]
    down = [float(forces[f"pin{k}.y"][0]) for k in range(60)]
    assert across == pytest.approx(np.full(60, -pull), rel=1e-9)
    assert down == pytest.approx((30 - np.arange(60)) * G, abs=1e-8)
    assert run.audit().empty


def test_sixty_links_of_a_roller_chain_over_a_wheel() -> None:
    """In balance a roller gives 2 T tan(a/2), a the turn from one to the next, the first and the last one half of it.

    Pulled harder at one side it begins with the acceleration of its mass, reduced to the pull: a link on the wheel
    counts m (cos(a/2)^2 + L^2/(12 R^2)). Later rollers leave the wheel at one side: their forces do not pull.
    """
    system = compiled(scenes.roller_chain(60))
    turn, first = math.pi / scenes.WRAPPED, (60 - scenes.WRAPPED) // 2
    names = [f"roller{k}" for k in range(first, first + scenes.WRAPPED + 1)]
    rest = jounce.simulate(system, None, 1.0)
    assert rest.status.name == "AT_REST"
    assert rest.audit().empty
    share = np.full(scenes.WRAPPED + 1, 2.0)
    share[[0, -1]] = 1.0
    given = rest.contact_forces(np.array([0.5])).lambda_N.sel(contact=names).values.ravel()
    assert given == pytest.approx(share * 10.0 * math.tan(turn / 2), rel=1e-9)
    run = jounce.simulate(system, None, 0.385, right=12.0)
    reach = scenes.LINK / 2 / math.sin(turn / 2)
    mass = 0.1 * (60 - scenes.WRAPPED)
    mass += 0.1 * scenes.WRAPPED * (math.cos(turn / 2) ** 2 + scenes.LINK**2 / (12 * reach**2))
    assert run.at(1e-3)["d_link59_y"] == pytest.approx(-2.0 / mass * 1e-3, rel=1e-8)
    assert run.events.kind.iloc[0] == "lift_off"
    assert run.events.contact.iloc[0] == names[-1]
    assert float(abs(run.energy.residual).max()) < 1e-9 * float(run.energy.kinetic.max())
    assert run.audit().empty


@pytest.mark.parametrize(("count", "t_end"), [(5, 0.02), (20, 0.04)])
def test_balls_that_touch_share_a_blow_as_scipy_says(count: int, t_end: float) -> None:
    """Hertz's contacts: the first ball comes back, the last takes most of its speed, the one before it some."""
    run = jounce.simulate(compiled(scenes.touching_balls(count)), None, t_end)
    ours = np.array([run.final[f"d_ball{k}_x"] for k in range(count)])

    def rates(_: float, z: np.ndarray) -> np.ndarray:
        force = np.concatenate([[0.0], 1e6 * np.maximum(-np.diff(z[:count]), 0.0) ** 1.5 / 0.1, [0.0]])
        return np.concatenate([z[count:], -np.diff(force)])

    start = np.concatenate([np.zeros(count), [1.0], np.zeros(count - 1)])
    theirs = solve_ivp(rates, (0.0, t_end), start, "DOP853", rtol=1e-10, atol=1e-13).y[count:, -1]
    assert ours == pytest.approx(theirs, abs=1e-6)
    assert ours.sum() == pytest.approx(1.0, abs=1e-11)
    assert (ours**2).sum() == pytest.approx(1.0, abs=1e-6)
    assert run.audit().empty


def test_a_train_of_gears_takes_up_its_play() -> None:
    """The impulses of flanks leave sum J_k n_k w_k = T t alone; in the end all flanks drive, n_k w alike."""
    run = jounce.simulate(compiled(scenes.gear_train()), None, 1.0)
    ratios = np.array([(-1) ** k * scenes.RADII[0] / radius for k, radius in enumerate(scenes.RADII)])
    speed = 0.5 / np.sum(np.array(scenes.INERTIAS) * ratios**2)
    assert run.final.u == pytest.approx(speed * ratios, rel=1e-10)
    play = np.array(scenes.RADII[:-1]) * run.final.q[:-1] + np.array(scenes.RADII[1:]) * run.final.q[1:]
    assert play == pytest.approx([1e-4, -1e-4, 1e-4, -1e-4], rel=1e-7)
    assert float(abs(run.energy.residual).max()) < 1e-9
    assert run.audit().empty


def test_a_box_falls_down_twelve_steps() -> None:
    """Every flight is a parabola, impacts pass the audit of their law, and it comes to lie on the floor."""
    run = jounce.simulate(compiled(scenes.stairs(12)), None, 8.0)
    assert run.status.name == "AT_REST"
    assert run.final["box_y"] == pytest.approx(-12 * scenes.RISE + scenes.HALF_BOX[1], abs=1e-9)
    touched = {name.split("_")[0] for name in run.events.contact}
    assert len(touched) > 6
    times = [0.0, *run.events[run.events.kind == "impact"].t.unique()[:8]]
    for begin, end in pairwise(times):
        first, last, t = run.at(begin, side="right"), run.at(end, side="left"), end - begin
        assert last["box_y"] == pytest.approx(first["box_y"] + first["d_box_y"] * t - G * t**2 / 2, abs=1e-10)
        assert last["box_x"] == pytest.approx(first["box_x"] + first["d_box_x"] * t, abs=1e-10)
    assert float(abs(run.energy.residual).max()) < 1e-9
    assert run.audit().empty


@pytest.mark.parametrize(
    "scene", [scene_table.boxes_at_rest, scene_table.gear_train, scene_table.stairs, scene_table.roller_chain]
)
def test_the_table_of_scenes_says_how_far_they_are_off(scene: Callable[[scene_table.Timed], scene_table.Held]) -> None:
    """The script that ships measures what these tests ask; its rows have a difference, a residual and no findings."""
    held = scene(scene_table.Timed())
    assert 0.0 < held.difference < 1e-9
    off, residual, findings = scene_table.line(scene).strip("| ").split(" | ")[5:8]
    assert float(off.split()[0]) == pytest.approx(held.difference, rel=0.5)
    assert float(residual) < 1e-9
    assert findings == "0"
