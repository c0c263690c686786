"""The pictures of docs/studio.md, taken from the running studio: ``python -m docs.studio_pictures [NAME ...]``.

Needs chromium and its driver, as the studio's tests do.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from tests.studio.browser import Page, open_browser, running_studio

IMAGES = Path(__file__).parent / "images"
BALL = {"parameters": {"e": 0.5, "omega": 3.5}, "start": {"y": 1.86, "d_y": -7.2}}
CASCADE = {
    "parameter": "omega", "from": 3.3, "to": 4.15, "section": "impact:table", "quantity": "d_y", "direction": "up",
    "transient": 600, "keep": 120, "values": 0, "colour": "period", "low": None, "high": None, "lanes": None,
}  # fmt: skip
PLANE = {
    "x": "y", "y": "d_y", "xFrom": 0.0, "xTo": 15.0, "yFrom": -10.0, "yTo": 10.0, "section": "phase:0",
    "transient": 300, "size": 256,
}  # fmt: skip
ONE_IMPACT = {
    "A": 2.3, "B": -0.7, "C": 1.4, "v_t": 1.0, "v_n": -1.0, "mu": 0.9, "e": 0.5,
    "map": {"x": "theta1", "xFrom": -0.84, "xTo": 0.84, "y": "d_theta1", "yFrom": -5.0, "yTo": 5.0, "contact": "tip"},
}  # fmt: skip


def show(page: Page, system: str, panel: str, theme: str = "light", **parts: Any) -> None:
    """Put a session on the screen and wait for its panel."""
    session = {"jounce_studio": 1, "system": system, "t_end": 42.0, "panel": panel, **parts}
    before = page.script(
        "return jounceStudio.info?.name + jounceStudio.motion.element.dataset.serial"
    )
    page.script(
        "jounceStudio.setTheme(arguments[0]); jounceStudio.restore(arguments[1])", theme, session
    )
    page.wait(lambda: page.script("return !!jounceStudio.info") and before != "", "the session")
    time.sleep(1.0)


def wait_done(page: Page, panel: str) -> None:
    """Until a panel has nothing more to compute."""
    page.wait(
        lambda: page.script(f"return document.querySelector('{panel}').dataset.done"),
        f"{panel} done",
        300.0,
    )
    time.sleep(0.3)


def motion(page: Page) -> None:
    """The rod that tumbles, with its events and energy."""
    rod = {"parameters": {"omega": 4.405, "mu": 0.05, "e": 0.55}, "start": {"y": 6.0, "theta": 0.3}}
    show(page, "slender_rod", "motion", variables=["y", "theta", "d_theta"], **rod)
    page.wait(lambda: page.script("return !jounceStudio.motion.fresh"), "the motion")
    time.sleep(1.0)
    page.script("jounceStudio.motion.setTime(8.42)")
    page.picture(str(IMAGES / "studio-motion.png"))


def diagram(page: Page) -> None:
    """The cascade, and a zoom into it with the branch of the simple orbit."""
    show(page, "ball_on_table", "diagram", diagram=CASCADE, **BALL)
    wait_done(page, ".diagram")
    page.picture(str(IMAGES / "studio-diagram.png"))
    page.script("jounceStudio.setTheme('dark'); jounceStudio.panels[1].clickFollows = true")
    page.script("jounceStudio.panels[1].click(3.6, 8.5)")
    page.wait(
        lambda: page.script("return jounceStudio.panels[1].layer.branches.length"),
        "the branch",
        300.0,
    )
    page.script(
        "const p = jounceStudio.panels[1].plane; p.setView({...p.view, x0: 3.82, x1: 4.14}, true)"
    )
    time.sleep(0.5)
    wait_done(page, ".diagram")
    page.picture(str(IMAGES / "studio-zoom.png"))
    page.script("jounceStudio.panels[1].clickFollows = false")


def basins(page: Page) -> None:
    """Where the starts of a ball lead."""
    show(page, "ball_on_table", "basins", basins=PLANE, parameters={"omega": 3.0, "e": 0.9})
    wait_done(page, ".basins")
    page.picture(str(IMAGES / "studio-basins.png"))


def impact(page: Page) -> None:
    """One impact under nine laws, and the map of the manipulator."""
    show(page, "manipulator", "impact", parameters={"mu": 0.8}, impact=ONE_IMPACT)
    page.wait(lambda: page.data(".impact", "singular"), "the map with its singular points", 200.0)
    time.sleep(0.3)
    page.picture(str(IMAGES / "studio-impact.png"))


def session(page: Page) -> None:
    """The script of the cascade."""
    show(page, "ball_on_table", "diagram", diagram={**CASCADE, "transient": 60, "keep": 20}, **BALL)
    wait_done(page, ".diagram")
    page.click('[data-tab="session"]')
    page.wait(lambda: page.serial(".session") >= 1, "the scripts")
    time.sleep(0.5)
    page.picture(str(IMAGES / "studio-session.png"))


def main() -> None:
    """All pictures."""
    with (
        tempfile.TemporaryDirectory() as profile,
        running_studio(first="ball_on_table") as studio,
        open_browser(profile) as driver,
    ):
        page = Page(driver)
        page.open(studio.address)
        page.wait(lambda: page.data(".motion", "details"), "the first motion", 120.0)
        wanted = sys.argv[1:]
        for picture in (motion, diagram, basins, impact, session):
            if wanted and picture.__name__ not in wanted:
                continue
            picture(page)
            print(picture.__name__, flush=True)


if __name__ == "__main__":
    main()
