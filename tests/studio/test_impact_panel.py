"""One impact under every law, and the Painlevé map, as the library has them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce
from jounce.studio.catalogue import Catalogue
from jounce.studio.impact import send_painleve
from jounce.studio.jobs import Cancelled, Job
from jounce.studio.protocol import Fields
from tests.studio.browser import Page
from tests.studio.client import connected

ONE = {"A": 2.3, "B": -0.7, "C": 1.4, "v_t": 1.0, "v_n": -1.0, "mu": 0.9, "e": 0.5}
MAP: dict[str, Any] = {
    "system": "manipulator", "parameters": {"mu": 0.8}, "x": "theta1", "y": "d_theta1", "xFrom": -0.8, "xTo": 0.8,
    "yFrom": -5.0, "yTo": 5.0, "points": 40,
}  # fmt: skip


def test_every_law_as_jounce_impact_has_it(studio: Any) -> None:
    with connected(studio) as client:
        answer, _ = client.ask("impact", **ONE)
        assert [row["law"] for row in answer["laws"]] == [str(law) for law in jounce.Law]
        for row, law in zip(answer["laws"], jounce.Law, strict=True):
            outcome = jounce.impact(law, **ONE)
            assert (row["v_t"], row["v_n"], row["energy_loss"]) == (outcome.v_t, outcome.v_n, outcome.energy_loss)
            np.testing.assert_array_equal(row["path"], outcome.path)
        assert "v_n" in client.refusal("impact", **{**ONE, "v_n": 1.0})
        assert "A is" in client.refusal("impact", **{**ONE, "A": "big"})


def test_a_map_and_its_points_are_given_up_while_they_are_computed() -> None:
    entry, shares = Catalogue().entry("manipulator"), []

    def look(share: float) -> None:
        shares.append(share)
        if len(shares) == 5:
            raise Cancelled

    over = {"theta1": (-0.8, 0.8), "d_theta1": (-5.0, 5.0)}
    for work in (jounce.painleve.mode_map, jounce.painleve.singular_points):
        shares.clear()
        with pytest.raises(Cancelled):
            work(entry.system, over, "tip", points=40, progress=look, mu=0.8)
        assert shares == [k / 40 for k in range(1, 6)]
    job = Job("painleve", 1, lambda *_: pytest.fail("a job that was ended sends nothing"))
    job.cancel()
    with pytest.raises(Cancelled):
        send_painleve(job, Fields(MAP, "request"), entry)


def test_the_map_as_painleve_has_it(studio: Any) -> None:
    with connected(studio) as client:
        answer, (modes,) = client.ask("painleve", **MAP)
        assert answer["type"] == "painleve", answer
        singular = client.receive("painleve", "error")[0]["singular"]
        assert "no contact with friction" in client.refusal("painleve", **{**MAP, "system": "ball_on_table"})
    system = jounce.compile_model(jounce.systems.manipulator())
    over = {"theta1": (-0.8, 0.8), "d_theta1": (-5.0, 5.0)}
    wanted = jounce.painleve.mode_map(system, over, points=40, mu=0.8)
    np.testing.assert_array_equal(modes.reshape(40, 40), wanted.own_modes)
    points = jounce.painleve.singular_points(system, over, mu=0.8)
    assert [point["kind"] for point in singular] == [point.kind for point in points]
    assert {3, 4} & set(modes.tolist())  # the paradox is on the map


def test_a_moved_slider_changes_every_path(page: Page) -> None:
    page.click('[data-tab="impact"]')
    page.wait(lambda: page.serial(".impact") >= 1, "the laws")
    before = page.data(".impact", "laws")
    assert len(page.all(".law canvas")) == len(jounce.Law)
    page.after(lambda: page.type('[data-entry="impact-mu"]', "0.1"), ".impact")
    after = page.data(".impact", "laws")
    outcome = jounce.impact("energetic", **{**ONE, "mu": 0.1})
    energetic = {row[0]: row[1:] for row in after}[str(jounce.Law.ENERGETIC)]
    assert energetic == pytest.approx([outcome.v_t, outcome.v_n], abs=1e-15)
    assert after != before
    page.wait(lambda: page.data(".impact", "map"), "the Painlevé map of the rod")


def _edges(page: Page) -> list[float]:
    return [float(page.one(f'[data-entry="map-{edge}"]').get_attribute("value")) for edge in ("x0", "x1", "y0", "y1")]


def test_the_fields_of_the_map_show_what_its_axes_show(page: Page) -> None:
    view = "const {x0, x1, y0, y1} = jounceStudio.panels[3].map.view; return [x0, x1, y0, y1]"
    drawn = "const i = jounceStudio.panels[3].image; return i && [i.x0, i.x1, i.y0, i.y1]"
    page.click('[data-tab="impact"]')
    page.wait(lambda: page.script(drawn), "the map")
    whole = _edges(page)
    assert whole == page.script(view) == page.script(drawn)
    page.drag(page.one(".impact .over"), (100.0, 40.0), (200.0, 120.0))
    page.wait(lambda: page.script(drawn) == page.script(view) != whole, "the map of the zoom")
    zoomed = _edges(page)
    assert zoomed == page.script(view)
    assert whole[0] < zoomed[0] < zoomed[1] < whole[1]
    page.type('[data-entry="map-x1"]', str(zoomed[0] - 0.5))  # an empty range waits for its other end
    assert page.script(view) == zoomed
    page.type('[data-entry="map-x0"]', str(zoomed[0] - 1.0))
    page.wait(lambda: page.script(drawn) == [zoomed[0] - 1.0, zoomed[0] - 0.5, *zoomed[2:]], "the map of a typed range")
    saved = page.script("return jounceStudio.snapshot().impact.map")
    assert [saved[name] for name in ("xFrom", "xTo", "yFrom", "yTo")] == page.script(view)
    assert saved["contact"] in jounce.compile_model(jounce.systems.slender_rod()).contact_names


@pytest.mark.parametrize("width", [1024, 1440])
def test_nothing_lies_over_the_laws(page: Page, width: int) -> None:
    size = {"width": width, "height": 700, "deviceScaleFactor": 1, "mobile": False}
    page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        page.click('[data-tab="impact"]')
        page.wait(lambda: page.all(".laws .law canvas"), "the laws")
        edges = "return [...document.querySelectorAll('.impact-side *')].map(e => e.getBoundingClientRect().right)"
        laws = page.script("return document.querySelector('.laws').getBoundingClientRect().left")
        assert max(page.script(edges)) <= laws
    finally:
        size |= {"width": 1280, "height": 720}
        page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def test_axes_and_clock_of_short_motions_say_more_than_zero(page: Page) -> None:
    """Of a woodpecker's fraction of a second: labels differ, and the clock moves."""
    short = {"jounce_studio": 1, "system": "woodpecker", "t_end": 2e-5, "panel": "motion"}
    page.after(lambda: page.script("jounceStudio.restore(arguments[0])", short))
    page.wait(lambda: page.script("return jounceStudio.info?.name") == "woodpecker", "the woodpecker")
    clock = []
    for moment in (0.5e-5, 1e-5, 1.5e-5):
        page.script("jounceStudio.motion.setTime(arguments[0])", moment)
        clock.append(page.text(".clock"))
    assert clock == ["t = 0.500e-5 s", "t = 1.000e-5 s", "t = 1.500e-5 s"]
