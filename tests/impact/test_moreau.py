"""Moreau's and Glocker's Newton law with tangential restitution, for one contact and for several."""

from __future__ import annotations

import warnings
from itertools import product

import numpy as np
import pytest

import jounce
from jounce import Body, Corners, Line, Model, contact_between, ground, impact_many
from tests.impact.cases import random_rows


def test_coulombs_law_holds_for_the_weighted_slip() -> None:
    """xi = v_t+ + e_t v_t: p_t = -mu p_n sign(xi), or xi = 0 within the cone; v_n+ = -e v_n."""
    rows = random_rows(20_000, seed=41)
    e_t = np.random.default_rng(41).uniform(0.0, 1.0, len(rows))
    A, B, C, v_t, v_n, mu, e = rows[:, :7].T
    outcome = impact_many("whittaker", A, B, C, v_t, v_n, mu, e, e_t=e_t)
    assert outcome.v_n == pytest.approx(-e * v_n, rel=1e-12)
    assert outcome.v_t == pytest.approx(v_t + A * outcome.p_t + B * outcome.p_n, abs=1e-9 * np.abs(v_t).max())
    xi = outcome.v_t + e_t * v_t
    slips, cone = np.abs(xi) > 1e-12, mu * outcome.p_n
    assert 1000 < slips.sum() < 19_000
    assert np.abs(outcome.p_t + cone * np.sign(xi))[slips].max() < 1e-12 * cone.max()
    assert (np.abs(outcome.p_t) <= cone * (1 + 1e-12))[~slips].all()


def test_a_superball_and_a_flat_box() -> None:
    """A ball that grips leaves with -e_t v_t; so do both corners of a box that lands flat, by the joint law."""
    x, dx = jounce.coordinate("x", "m")
    y, dy = jounce.coordinate("y", "m")
    theta, spin = jounce.coordinate("theta", "rad")
    touch = {"friction": 0.9, "restitution": 0.8, "tangential_restitution": 0.6}
    floor = jounce.Contact("floor", gap=y, slip=dx + 0.1 * spin, law="whittaker", **touch)
    ball = Model.from_lagrangian(
        "superball", coordinates=[x, y, theta], kinetic=(dx**2 + dy**2) / 2 + 0.004 * spin**2 / 2, potential=9.81 * y,
        contacts=[floor],
    )  # fmt: skip
    box = Body("box", 1.0, 0.1, center=(0, 1.0), velocity=(1.0, 0))
    corners = Corners(box, {"left": (-0.5, -0.1), "right": (0.5, -0.1)})
    flat = Model.from_bodies(
        "flat_box", bodies=[box], gravity=9.81, contacts=[contact_between("sole", corners, Line(ground), **touch)]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one = jounce.simulate(ball, {"y": 1.0, "d_x": 1.0}, t_end=0.5)
        two = jounce.simulate(flat, None, t_end=0.5, options=jounce.Options(law="newton", simultaneous="joint"))
    for run in (one, two):
        rows = run.events[run.events.kind.astype(str) == "impact"]
        assert rows.v_t_after.to_numpy() == pytest.approx(-0.6 * rows.v_t_before.to_numpy(), rel=1e-9)
        assert rows.v_n_after.to_numpy() == pytest.approx(-0.8 * rows.v_n_before.to_numpy(), rel=1e-9)
        assert run.audit().empty


@pytest.mark.parametrize("seed", range(12))
def test_several_contacts_against_all_their_cases(seed: int) -> None:
    """A box that lands on both corners: of stick, slip and open at each, SciPy's linear algebra finds the same one."""
    random = np.random.default_rng([seed, 7])
    mu, e, e_t = random.uniform(0.0, 0.5), random.uniform(0.0, 0.9), random.uniform(0.0, 1.0)
    v = np.array([random.normal(), -1.0, random.normal() / 2])
    box = Body("box", 1.3, 0.1, center=(0.0, 0.2 + 1e-9))
    corners = Corners(box, {"left": (-0.5, -0.2), "right": (0.3, -0.2)})
    touch = {"friction": mu, "restitution": e, "tangential_restitution": e_t}
    model = Model.from_bodies("box", bodies=[box], contacts=[contact_between("sole", corners, Line(ground), **touch)])
    options = jounce.Options(law="newton", simultaneous="joint", joint_gap=1e-6)
    start = {"box_x": 0.0, "box_y": 0.2, "d_box_x": v[0], "d_box_y": v[1], "d_box_theta": v[2]}
    run = jounce.simulate(model, start, 1e-6, options=options)
    after = run.final.u
    M = np.diag([1.3, 1.3, 0.1])
    normals, tangents = np.array([[0, 1, -0.5], [0, 1, 0.3]]), np.array([[1, 0, 0.2], [1, 0, 0.2]])
    found = [u for u in _outcomes(M, normals, tangents, v, mu, e, e_t) if np.abs(u - after).max() < 1e-9]
    assert found, (after, _outcomes(M, normals, tangents, v, mu, e, e_t))


def _outcomes(M, normals, tangents, u, mu, e, e_t) -> list[np.ndarray]:
    """All u+ that satisfy both laws: every contact open (p = 0), sticking (xi = 0) or slipping either way."""
    outcomes = []
    for kinds in product(("open", "stick", 1, -1), repeat=2):
        rows, right = [], []
        for k, kind in enumerate(kinds):
            n_row, t_row = np.zeros(4), np.zeros(4)
            answer = np.linalg.solve(M, np.vstack([normals, tangents]).T)  # u+ = u + answer @ (p_n, p_t)
            if kind == "open":
                n_row[k] = t_row[2 + k] = 1.0
                rows += [n_row, t_row]
                right += [0.0, 0.0]
                continue
            rows.append(normals[k] @ answer)
            right.append(-(1 + e) * normals[k] @ u)
            if kind == "stick":
                rows.append(tangents[k] @ answer)
                right.append(-(1 + e_t) * tangents[k] @ u)
            else:
                t_row[2 + k], t_row[k] = 1.0, kind * mu
                rows.append(t_row)
                right.append(0.0)
        p, *_ = np.linalg.lstsq(np.array(rows), np.array(right), rcond=1e-12)
        after = u + answer @ p
        if np.abs(np.array(rows) @ p - right).max() > 1e-9 or (p[:2] < -1e-9).any():
            continue
        xi, gap = tangents @ after + e_t * tangents @ u, normals @ after + e * normals @ u
        holds = [
            {"open": gap[k] >= -1e-9, "stick": abs(p[2 + k]) <= mu * p[k] + 1e-9}[kind]
            if isinstance(kind, str)
            else kind * xi[k] >= -1e-9
            for k, kind in enumerate(kinds)
        ]
        if all(holds):
            outcomes.append(after)
    return outcomes
