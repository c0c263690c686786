"""Basins: every computed start ends where basins says, boundaries are refined, zooms and clicks work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce
from jounce.analysis.attractors.refinement import Refinement
from jounce.analysis.attractors.search import PATIENCE, AttractorSearch
from tests.studio.browser import Page
from tests.studio.client import connected

PLANE: dict[str, Any] = {
    "x": "y", "y": "d_y", "xFrom": -1.0, "xTo": 6.0, "yFrom": -9.0, "yTo": 3.0, "section": "phase:0", "transient": 60,
    "size": 32,
}  # fmt: skip
BALL: dict[str, Any] = {"system": "ball_on_table", "parameters": {"e": 0.5, "omega": 3.5}}


def _partition(labels: np.ndarray) -> np.ndarray:
    """Labels renamed by the first cell that has them: equal for equal partitions."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return first[inverse]


def test_a_refined_plane_equals_basins_where_it_was_computed() -> None:
    system = jounce.compile_model(jounce.systems.ball_on_table())
    axes = {"y": np.linspace(-1.0, 6.0, 32), "d_y": np.linspace(-9.0, 3.0, 32)}
    section = jounce.Section.parse("phase:0")
    search = AttractorSearch(system, section, None, dict(BALL["parameters"]), 60, 32, patience=PATIENCE)
    plane = Refinement(search, axes, system.state())
    computed = np.zeros(32 * 32, bool)
    for level in plane.run(np.zeros(2, np.int64)):
        if level.share > 0.0:
            computed[level.cells] = True
        assert np.all(plane.labels.ravel()[level.cells] == level.labels)
    whole = jounce.basins(system, axes, "phase:0", transient=60, keep=32, **BALL["parameters"])
    assert np.array_equal(plane.labels == -1, whole.index == -1)
    mine, theirs = plane.labels.ravel()[computed], whole.index.ravel()[computed]
    np.testing.assert_array_equal(_partition(mine), _partition(theirs))
    assert (_partition(plane.labels.ravel()) == _partition(whole.index.ravel())).mean() > 0.97
    assert computed.mean() < 0.9


def test_cells_arrive_coarse_first_and_cover_the_plane(studio: Any) -> None:
    with connected(studio) as client:
        client.send("basins", **BALL, **PLANE)
        head, _ = client.receive("basins", "error")
        assert head["size"] == 32
        seen, steps, fractions = np.zeros(32 * 32, int), [], []
        while True:
            content, arrays = client.receive("basins-cells", "basins-done", "error")
            assert content["type"] != "error", content
            if content["type"] == "basins-done":
                break
            seen[arrays[0]] += 1
            steps.append(content["step"])
            fractions.append(content["fraction"])
        assert fractions == sorted(fractions)  # of the whole plane, not of a level
        assert fractions[-1] == 1.0
        assert np.all(seen == 1)
        assert steps == sorted(steps, reverse=True)
        assert sum(row["share"] for row in content["attractors"]) == pytest.approx(1.0)
        assert len(content["attractors"]) >= 2
        assert {row["kind"] for row in content["attractors"]} == {"periodic"}
        same = [row["text"] for row in content["attractors"]]
        assert all((row["where"] is None) == (same.count(row["text"]) == 1) for row in content["attractors"])


def test_attractors_of_the_same_kind_are_told_apart_by_where_they_are(studio: Any) -> None:
    """A rod that falls onto a floor at rest lies there on one of its sides."""
    plane = {**PLANE, "x": "theta", "y": "d_theta", "xFrom": -3.0, "xTo": 3.0, "yFrom": -1.0, "yTo": 1.0, "size": 64}
    with connected(studio) as client:
        rod = {"system": "slender_rod", "parameters": {"A": 0.0, "e": 0.2}, "start": {"y": 2.0}}
        client.send("basins", **rod, **plane)
        content, _ = client.receive("basins-done", "error")
    assert content["type"] == "basins-done", content
    rests = [row for row in content["attractors"] if row["kind"] == "rest"]
    assert [row["where"][0] for row in rests] == ["theta", "theta"], content["attractors"]
    assert abs(np.cos(rests[0]["where"][1]) + np.cos(rests[1]["where"][1])) < 1e-6  # one upside down


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"size": 10**6}, "size is"),
        ({"x": "d_y"}, "both axes"),
        ({"xTo": -1.0}, "smaller to a larger"),
        ({"section": "impact:wall"}, "wall"),
        ({"transient": 10**9}, "transient is"),
    ],
)
def test_an_absurd_plane_is_refused(studio: Any, change: dict[str, Any], message: str) -> None:
    with connected(studio) as client:
        assert message in client.refusal("basins", **{**BALL, **PLANE, **change})


def test_the_panel_fills_zooms_and_shows_the_clicked_motion(page: Page) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    page.script(
        "jounceStudio.open({...jounceStudio.session, system: 'ball_on_table', parameters: {e: 0.5, omega: 3.5},"
        "start: {}, diagram: null, panel: 'basins', basins: arguments[0]}, true)",
        PLANE,
    )
    number = "return Number(document.querySelector('.basins').dataset.done ?? 0)"
    page.wait(lambda: page.script(number) > 0, "the plane")
    first = page.script(number)
    colours = page.script(
        "const c = jounceStudio.panels[2].image, d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        "const s = new Set(); for (let k = 0; k < d.length; k += 4) s.add(d[k] * 65536 + d[k + 1] * 256 + d[k + 2]);"
        "return s.size"
    )
    assert colours >= 3  # two attractors and starts inside the table
    assert "inside a surface" in page.one(".basins .legend").text
    over = page.one(".basins .over")
    width, height = over.size["width"], over.size["height"]
    page.drag(over, (0.4 * width, 0.3 * height), (0.7 * width, 0.7 * height))
    page.wait(lambda: page.script(number) > first, "the zoomed plane")
    view = page.script("return jounceStudio.panels[2].imageView")
    assert view["x1"] - view["x0"] < 3.5
    before = page.serial()
    ActionChains(page.driver).move_to_element(over).click().perform()
    page.wait(lambda: page.serial() > before, "the clicked motion")
    start, final = page.data(".motion", "start"), page.data(".motion", "final")
    assert view["x0"] < start["y"] < view["x1"]
    system = jounce.compile_model(jounce.systems.ball_on_table())
    run = jounce.simulate(system, system.state(y=start["y"], d_y=start["d_y"]), final["t"], e=0.5, omega=3.5)
    for name, value in run.final.as_dict().items():
        assert abs(final[name] - value) <= 1e-12 * (1 + abs(value)), name
