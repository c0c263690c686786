"""Heaps with strong friction: contacts that part or slide by less than is seen, and slides that never begin."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog

import jounce
from benchmarks import scenes

#: Seven discs at 7.025 s of ``random_heap(204)``: disc 2 hangs between disc 5 and the wall, 3e-6 above the floor.
PLACES = [
    [2.309915407432861, 0.9999999999999999, -1.2311263615073589],
    [4.378944199671752, 1.0000000000000033, -0.20132344791977633],
    [8.378944199669503, 1.0000030061628564, -0.08775893763155741],
    [1.0, 2.5113310773520157, -0.9372000731790785],
    [3.3507539002565845, 2.7154663238281764, 1.120558325272321],
    [6.378944199671762, 1.0, -2.554315048979443],
    [2.0364051566994372, 4.222943481303456, 0.6272365298950197],
]
VELOCITIES = [
    [0.0005150942712092283, 0.0, -0.0005150942712092283],
    [0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0],
    [0.0, -0.0004464474609491619, 0.0011967374649847692],
    [0.018340511748573797, 0.010992658966403775, -0.021382537790244426],
    [0.0, 0.0, 0.0],
    [0.07429470572742698, 0.059778356439942164, -0.052853006942738714],
]


def sticking_margin(places: np.ndarray, velocities: np.ndarray, friction: float, size: float) -> float:
    """The largest margin in the cones of forces with which all contacts of discs stick: a linear programme.

    Radius, mass and weight are 1. Every contact has a force n along its normal and t, |t| <= mu n; the accelerations
    that all of them give together leave its gap and its slip as they are.
    """
    rows, turns = [], []
    walls = [((0.0, 1.0), 0.0), ((1.0, 0.0), 0.0), ((-1.0, 0.0), -size)]
    for k, place in enumerate(places):
        for normal, offset in walls:
            if place[:2] @ normal - offset < 1.0 + 1e-9:
                pair = np.zeros((2, *places.shape))
                pair[0, k, :2], pair[1, k] = normal, [normal[1], -normal[0], 1.0]
                rows += [*pair]
                turns += [0.0, 0.0]
    for a, b in combinations(range(len(places)), 2):
        apart = places[b, :2] - places[a, :2]
        if np.hypot(*apart) < 2.0 + 1e-9:
            x, y = apart / np.hypot(*apart)
            pair = np.zeros((2, *places.shape))
            pair[0, b, :2], pair[0, a, :2] = (x, y), (-x, -y)
            pair[1, b], pair[1, a] = (-y, x, -1.0), (y, -x, -1.0)
            rows += [*pair]
            across = (velocities[b, :2] - velocities[a, :2]) @ (-y, x)
            turns += [across**2 / np.hypot(*apart), 0.0]  # the normal turns
    W = np.reshape(rows, (len(rows), -1))
    answers = W / np.tile([1.0, 1.0, 0.5], len(places))
    cone = np.zeros((len(W), len(W) + 1))
    for k in range(0, len(W), 2):
        for sign in (0, 1):
            cone[k + sign, [k, k + 1, -1]] = -friction, 2 * sign - 1, 1.0
    answer = linprog(
        np.r_[np.zeros(len(W)), -1.0],
        A_ub=cone,
        b_ub=np.zeros(len(W)),
        A_eq=np.c_[answers @ W.T, np.zeros(len(W))],
        b_eq=answers @ np.tile([0.0, 1.0, 0.0], len(places)) - turns,
        bounds=[(None, None)] * len(W) + [(None, 1.0)],
    )
    return float(answer.x[-1]) if answer.success else -np.inf


def test_a_slide_that_never_begins_is_a_stick() -> None:
    """A disc that friction holds in the air, next to the height at which it could not move: `PARADOX` before.

    Lemke's method ends at a corner of the forces that are open: friction of the disc at its limit, a slip of rounding.
    """
    places = np.array(PLACES)
    model = scenes.random_heap(204)
    friction = float(model.defaults["mu"])
    moving = [1, 2, 4, 5, 6]  # the others are a heap of their own
    assert sticking_margin(places[moving], np.array(VELOCITIES)[moving], friction, np.sqrt(28 * np.pi)) > 0.2
    system = jounce.compile_model(model)
    start = system.state().replace(
        **dict(zip(system.coordinate_names, places.ravel().tolist(), strict=True)),
        **dict(zip(system.velocity_names, np.ravel(VELOCITIES).tolist(), strict=True)),
    )
    run = jounce.simulate(system, start, 1e-3)
    assert run.status.name == "FINISHED", run.status
    assert run.audit("dense").empty
    held = [3 * k + j for k in (1, 2, 5) for j in range(3)]
    assert np.abs(run.final.q - places.ravel())[held].max() < 1e-12


@pytest.mark.parametrize("units", [(1.0, 1.0, 1.0), (1e3, 1e-5, 1e2)])
@pytest.mark.parametrize("seed", [105, 213])
def test_a_heap_comes_to_its_end(seed: int, units: tuple[float, float, float]) -> None:
    """Five discs that others throw off a wall by 1e-8 of their speeds, and press back at once: without end before."""
    mass, length, rate = units
    system = jounce.compile_model(scenes.random_heap(seed, mass, length, rate))
    run = jounce.simulate(system, None, 12.0 / rate, options=jounce.Options(max_steps=20_000))
    assert run.status.name == "AT_REST", run.status
    assert run.audit("dense").empty
    assert np.abs(run.energy.residual).max() < 1e-9 * float(run.energy.kinetic.max())
