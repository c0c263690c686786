"""Corners of a box that come to rest together: rebounds at which one contact may not be held without the others."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest

from tests.families.check import failures_of, simulate
from tests.families.cornered import FAMILIES

FAMILY = {family.name: family for family in FAMILIES}
CASCADE = 162500095  # two corners bounce in turn while the box slides down both sides of its groove


@pytest.mark.parametrize(
    ("name", "seed"),
    [
        ("groove", 161500113),  # a corner comes back to a dead centre about another one that sticks
        ("groove", CASCADE),
        ("round_groove", 900006),
        ("round_groove", 900026),
        ("round_groove", 900037),
        ("round_groove", 900053),
    ],
)
def test_corners_that_come_to_rest(name: str, seed: int) -> None:
    """They end, in few events; no velocity jumps without an impulse; cut and in other units they are the same."""
    assert failures_of(FAMILY[name], seed) == []
    assert len(simulate(FAMILY[name], FAMILY[name].sample(seed)).events) < 1000


def frozen_contacts(run: Any, parameters: dict[str, float], t: float) -> tuple[Any, Any]:
    """(free accelerations, responses to a sliding impulse) of corner 1 on the left and corner 2 on the right side."""
    w, h, mu, state = parameters["w"], parameters["h"], parameters["mu"], run.at(t)
    turn, spin = state["b_theta"], state["d_b_theta"]
    c, s = np.cos(turn), np.sin(turn)
    rows, free, pushes = [], [], []
    for corner, slope in (((-w / 2, -h / 2), -parameters["left"]), ((w / 2, -h / 2), parameters["right"])):
        arm = np.array([[c, -s], [s, c]]) @ corner
        normal = np.array([-slope, 1.0]) / np.hypot(slope, 1.0)
        along = np.array([normal[1], -normal[0]])
        lever = [arm[0] * n[1] - arm[1] * n[0] for n in (normal, along)]
        velocity = np.array([state["d_b_x"], state["d_b_y"]]) + spin * np.array([-arm[1], arm[0]])
        friction = -np.sign(velocity @ along) * mu
        inertia = (w * w + h * h) / 12
        rows.append((*normal, lever[0]))
        free.append(normal @ [0.0, -parameters["g"]] - spin * spin * (normal @ arm))
        pushes.append((*(normal + friction * along), (lever[0] + friction * lever[1]) / inertia))
    return mpmath.matrix(free), mpmath.matrix((np.array(rows) @ np.array(pushes).T).tolist())


def accumulate(v: Any, b: Any, D: Any, e: float) -> tuple[Any, list[Any]]:
    """Duration and impulses of the bounces of two contacts that touch and leave at v, with 60 digits."""
    g, p, t = [mpmath.mpf(0)] * 2, [mpmath.mpf(0)] * 2, mpmath.mpf(0)
    for _ in range(4000):
        times = [(v[i] + mpmath.sqrt(v[i] ** 2 - 2 * b[i] * g[i])) / -b[i] for i in (0, 1)]
        i = 0 if times[0] < times[1] else 1
        t += times[i]
        g = [g[k] + v[k] * times[i] + b[k] * times[i] ** 2 / 2 for k in (0, 1)]
        v = [v[k] + b[k] * times[i] for k in (0, 1)]
        g[i] = mpmath.mpf(0)
        push = -(1 + e) * v[i] / D[i, i]
        p[i] += push
        v = [v[k] + D[k, i] * push for k in (0, 1)]
    return t, p


def test_two_corners_bounce_in_turn_until_they_slide_together() -> None:
    """The end of the cascade against 60-digit arithmetic, impact by impact."""
    draw = FAMILY["groove"].sample(CASCADE)
    run = simulate(FAMILY["groove"], draw)
    rows = run.events[run.events.kind == "chatter"]
    time = rows.t[rows.contact == "left_a_1"][rows.t.isin(rows.t[rows.contact == "right_a_2"])].iloc[0]
    left, right = (rows[(rows.t == time) & (rows.contact == name)].iloc[0] for name in ("left_a_1", "right_a_2"))
    before = run.events.t[run.events.t < time].iloc[-1]
    with mpmath.workdps(60):
        b, D = frozen_contacts(run, draw.parameters, time)
        started = [mpmath.mpf(left.v_n_before), mpmath.mpf(right.v_n_before)]
        duration, impulses = accumulate(started, b, D, draw.parameters["e"])
    assert time - before == pytest.approx(float(duration), rel=1e-4)
    assert [left.p_n, right.p_n] == pytest.approx([float(p) for p in impulses], rel=1e-4)
