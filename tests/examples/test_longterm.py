"""The examples of the long run: a number of each is compared with a closed form or a second computation."""

from __future__ import annotations

from math import log, pi, sin, sqrt
from pathlib import Path

import numpy as np
import pytest

from tests.examples.gallery import Checks, G, Names, examples, try_example

CHECKS = Checks()
check = CHECKS.check


@pytest.mark.parametrize("path", examples("longterm"), ids=lambda path: path.stem)
def test_example(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    try_example(path, CHECKS, tmp_path, monkeypatch)


def test_every_example_has_a_check() -> None:
    assert {path.stem for path in examples("longterm")} == set(CHECKS)


@check
def how_often_does_a_machine_touch_that_hardly_does(names: Names) -> None:
    """Free, it grazes where its amplitude is the wall's distance; windows shrink by the square of its multiplier."""
    c, omega = 3.0, 1.7
    assert names["grazing"] == pytest.approx(np.hypot(1 - omega**2, c * omega), rel=1e-9)
    slow = np.exp(-(c - np.sqrt(c * c - 4)) / 2 * 2 * np.pi / omega)
    assert names["ratio"] == pytest.approx(
        slow**2, rel=0.05
    )  # neighbours of the sweep differ by 8 %, over three windows


@check
def when_does_the_ball_bounce_in_pairs(names: Names) -> None:
    # one bounce a period loses its stability where A w^2 sin(phase) = 2 (1 + e^2) g/(1 + e)^2
    e = 0.9
    w = ((pi * (1 - e) / (1 + e)) ** 2 + (2 * (1 + e * e) / (1 + e) ** 2) ** 2) ** 0.25 * sqrt(G)
    assert names["doubling"].parameter == pytest.approx(w, rel=1e-9)


@check
def what_happens_when_a_machine_just_touches(names: Names) -> None:
    w, c = 0.8, 0.1
    assert names["grazing"] == pytest.approx(sqrt((1 - w * w) ** 2 + (c * w) ** 2), rel=1e-9)


@check
def which_starts_lead_where(names: Names) -> None:
    atlas = names["atlas"]
    single = atlas.attractors[(atlas.attractors["kind"] == "periodic") & (atlas.attractors["period"] == 1)].index[0]
    point = atlas.points[single].iloc[0]
    # flown back to its impact, the ball leaves with g T/(1 + e) against the table's speed
    T, e, w = 2 * pi / 3, 0.9, 3.0
    table = G * T * (1 - e) / (2 * (1 + e))  # speed of the table at the impact
    phase = np.arccos(table / w)  # the stable one throws the ball while it slows down
    start, v = sin(phase), table + e * G * T / (1 + e)
    flight = T - phase / w
    assert point["y"] == pytest.approx(start + v * flight - G * flight**2 / 2, abs=1e-6)


@check
def how_chaotic_is_a_ball(names: Names) -> None:
    spectrum = names["spectrum"]
    assert float(sum(spectrum.exponents)) == pytest.approx(2 * log(0.8) * spectrum.impacts / 1000.0, rel=1e-9)
    assert names["largest"] > 0


@check
def does_a_diagram_depend_on_the_way(names: Names) -> None:
    spacing = 2.0 / 80
    assert 0 <= sqrt(G) - names["rests"] < spacing  # A w^2 = g
    fold = sqrt(pi * G * (1 - 0.8) / (1 + 0.8))
    assert 0 <= names["bounces"] - fold < spacing


@check
def when_does_a_soft_ball_bounce_in_pairs(names: Names) -> None:
    """The hard ball's doubling is the limit, approached with the time in contact, which goes with the root of 1/k."""
    late = names["hard"] - np.array(names["doublings"])
    assert (late > 0.0).all()
    assert late[-1] < 1e-3
    np.testing.assert_allclose(late[:-1] / late[1:], sqrt(10.0), rtol=0.05)


@check
def when_does_a_walker_limp(names: Names) -> None:
    """Garcia et al. (1998): the gait at slope 0.009 to 15 digits, and a doubling near 0.015."""
    slopes, angles = names["slopes"], names["angles"]
    np.testing.assert_allclose(angles[0], 0.200310900544287, atol=1e-8)
    spread = np.array([np.ptp(row) for row in angles])
    assert (spread[slopes < 0.0149] < 1e-6).all()
    assert (spread[slopes > 0.0152] > 1e-3).all()
    two = angles[int(np.argmin(np.abs(slopes - 0.016)))]
    assert np.ptp(two[::2]) < 1e-6 < 1e-3 < abs(two[0] - two[1])


@check
def where_does_a_ball_bounce_once(names: Names) -> None:
    """One bounce a period needs A w^2 >= pi g (1 - e)/(1 + e), and is stable up to a second closed form."""
    for curve, extra in ((names["fold"], 0.0), (names["flip"], 2.0)):
        e = curve["e"].to_numpy()
        assert (e.min(), e.max()) == pytest.approx((0.3, 0.95), abs=1e-12)
        border = np.hypot(pi * (1 - e) / (1 + e), extra * (1 + e**2) / (1 + e) ** 2)
        np.testing.assert_allclose(curve["omega"], np.sqrt(G * border), rtol=1e-10)
