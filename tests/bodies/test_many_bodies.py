"""Machines of many bodies, each against a closed form, another program or a check that shares nothing with it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jounce
from benchmarks import scenes
from jounce import Body, CircleOn, Line, Model, PolygonOn, contact_between, ground


@pytest.mark.parametrize("e", [1.0, 0.8])
def test_a_blow_runs_through_twenty_balls(e: float) -> None:
    """Ball k + 1 leaves with (1 + e)/2 of the speed v_k at which ball k comes, after the time gap/v_k."""
    gap, radius, count = 0.01, 0.05, 20
    balls = [
        Body(f"ball{k}", 1.0, 1e-3, center=(k * (2 * radius + gap), 0), velocity=(1.0 if k == 0 else 0.0, 0))
        for k in range(count)
    ]
    rims = [CircleOn(ball, (0, 0), radius) for ball in balls]
    contacts = [contact_between(f"c{k}", b, a, restitution=e) for k, (a, b) in enumerate(pairwise(rims))]
    system = jounce.compile_model(Model.from_bodies("balls_in_a_row", bodies=balls, contacts=contacts))
    assert system.tables is not None
    speeds = ((1 + e) / 2) ** np.arange(count)
    times = np.cumsum(gap / speeds[:-1])
    run = jounce.simulate(system, None, float(times[-1]) + 1e-3)
    first = run.events[run.events.kind == "impact"].groupby("contact", sort=False).first()
    assert list(first.index) == [f"c{k}" for k in range(count - 1)]
    np.testing.assert_allclose(first.t, times, rtol=1e-11)
    assert run.final[f"d_ball{count - 1}_x"] == pytest.approx(speeds[-1], rel=1e-12)
    assert sum(run.final[f"d_ball{k}_x"] for k in range(count)) == pytest.approx(1.0, rel=1e-12)  # momentum
    assert run.audit().empty


def _pendulum(count: int, length: float, gravity: float, angles: np.ndarray, t_end: float) -> np.ndarray:
    """Uniform links on one another in minimal coordinates, by SciPy: the angles at the end.

    With phi the angles from the horizontal, link k's centre is at sum_{j<k} l e_j + l/2 e_k, so that
    A_ij cos(phi_i - phi_j) phi_j'' = -A_ij sin(phi_i - phi_j) phi_j'^2 - g b_i cos(phi_i) for unit masses.
    """
    behind = np.arange(count)[::-1]  # links behind each one
    A = np.array([[length**2 * (behind[max(i, j)] + 0.5) for j in range(count)] for i in range(count)])
    np.fill_diagonal(A, length**2 * (behind + 0.25 + 1.0 / 12))
    b = length * (behind + 0.5)

    def rates(_: float, z: np.ndarray) -> np.ndarray:
        phi, rate = z[:count], z[count:]
        turn = phi[:, None] - phi[None, :]
        right = -(A * np.sin(turn)) @ rate**2 - gravity * b * np.cos(phi)
        return np.concatenate([rate, np.linalg.solve(A * np.cos(turn), right)])

    start = np.concatenate([angles, np.zeros(count)])
    found = solve_ivp(rates, (0.0, t_end), start, method="DOP853", rtol=1e-10, atol=1e-12)
    return found.y[:count, -1]


def test_a_chain_of_sixty_links_falls_as_scipy_says() -> None:
    model = scenes.chain(60)
    system = jounce.compile_model(model)
    run = jounce.simulate(system, None, 0.1, tolerance=1e-10)
    assert run.status.name == "FINISHED"
    assert run.audit().empty
    start = np.array([model.start[f"link{k}_theta"] for k in range(60)])
    wanted = _pendulum(60, scenes.LINK, scenes.G, start, 0.1)
    np.testing.assert_allclose([run.final[f"link{k}_theta"] for k in range(60)], wanted, atol=2e-7)


def _distance(point: np.ndarray, outline: np.ndarray) -> float:
    """Of a point from a convex outline; negative inside."""
    ends = np.roll(outline, -1, axis=0) - outline
    shares = np.clip(((point - outline) * ends).sum(axis=1) / (ends**2).sum(axis=1), 0.0, 1.0)
    nearest = float(np.linalg.norm(point - outline - shares[:, None] * ends, axis=1).min())
    heights = ends[:, 1] * (point - outline)[:, 0] - ends[:, 0] * (point - outline)[:, 1]
    return nearest if heights.max() > 0.0 else -nearest


def test_polygons_meet_polygons_both_ways() -> None:
    """Blocks fall on one another, corner on face and face on corner, slide off and come to rest.

    No rounded corner is ever nearer to another block than its radius, by a distance that is computed here.
    """
    radius, corners = 0.005, [(-0.2, -0.1), (0.2, -0.1), (0.2, 0.1), (-0.2, 0.1)]
    places = [((0.0, 0.25), 0.3, 0.0), ((0.15, 0.7), -0.7, 2.0), ((-0.05, 1.2), 1.4, -1.0)]
    bodies = [
        Body(f"block{k}", 1.0, 0.05 / 3, center=center, angle=angle, spin=spin)
        for k, (center, angle, spin) in enumerate(places)
    ]
    shapes = [PolygonOn(body, corners, rounding=radius) for body in bodies]
    pairs = [(0, 1), (1, 2), (0, 2)]
    coefficients = {"friction": 0.3, "restitution": 0.2}
    contacts = [contact_between(f"pair{a}{b}", shapes[a], shapes[b], **coefficients) for a, b in pairs]
    contacts += [contact_between(f"floor{k}", shape, Line(ground), **coefficients) for k, shape in enumerate(shapes)]
    model = Model.from_bodies("blocks", bodies=bodies, contacts=contacts, gravity=9.81)
    assert len(model.contacts) == 3 * 8 + 3 * 4
    run = jounce.simulate(model, None, 2.0)
    assert run.status.name == "AT_REST"
    assert run.audit().empty
    assert abs(run.energy.residual.values).max() < 1e-6
    met = set(run.events.contact)
    assert any(name.startswith("pair") and "_a_" in name for name in met)
    assert any(name.startswith("pair") and "_b_" in name for name in met)
    outline = np.array(corners)
    centres = outline - radius * np.sign(outline)
    for t in np.linspace(0.0, run.final.t, 50):
        state, turned = run.at(float(t)), []
        for k in range(3):
            c, s = np.cos(state[f"block{k}_theta"]), np.sin(state[f"block{k}_theta"])
            place, turn = np.array([state[f"block{k}_x"], state[f"block{k}_y"]]), np.array([[c, s], [-s, c]])
            turned.append((outline @ turn + place, centres @ turn + place))
        for a, b in (*pairs, *((b, a) for a, b in pairs)):
            assert min(_distance(point, turned[b][0]) for point in turned[a][1]) > radius - 1e-8
        assert min(float(points[:, 1].min()) for _, points in turned) > radius - 1e-8
