"""A real browser without a window, and a studio to look at."""

from __future__ import annotations

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
MISSING = "no {} here: install it with `apt-get install chromium chromium-driver` to run the studio's browser tests"
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--force-device-scale-factor=1",
    "--hide-scrollbars",
)
PATIENCE = 60.0  # s, on a machine with other work


def what_is_missing() -> str | None:
    """Why there is no browser, or None."""
    if not any(map(shutil.which, CHROMIUM)):
        return MISSING.format("chromium")
    if not shutil.which("chromedriver"):
        return MISSING.format("chromedriver")
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "no selenium here: pip install 'jounce[dev]'"
    return None


@contextmanager
def open_browser(profile: str, width: int = 1280, height: int = 720) -> Iterator[Any]:
    """A browser with an empty profile."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = next(path for path in map(shutil.which, CHROMIUM) if path)
    for flag in (*FLAGS, f"--window-size={width},{height}", f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
    )
    try:
        yield driver
    finally:
        driver.quit()


@contextmanager
def running_studio(**chosen: Any) -> Iterator[Any]:
    """A studio that serves from a thread of this process."""
    from jounce.studio.server import Studio

    studio = Studio(**chosen)
    ready = threading.Event()
    thread = threading.Thread(target=studio.run, args=(ready.set,), daemon=True)
    thread.start()
    assert ready.wait(PATIENCE), "the studio did not start"
    try:
        yield studio
    finally:
        studio.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive(), "the studio did not end"


class Page:
    """What a person does with the page, in a few words."""

    def __init__(self, driver: Any) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        self.driver.get("about:blank")
        self.driver.get(address)

    def one(self, selector: str) -> Any:
        from selenium.webdriver.common.by import By

        return self.wait(lambda: next(iter(self.driver.find_elements(By.CSS_SELECTOR, selector)), None), selector)

    def all(self, selector: str) -> list[Any]:
        from selenium.webdriver.common.by import By

        found: list[Any] = self.driver.find_elements(By.CSS_SELECTOR, selector)
        return found

    def text(self, selector: str) -> str:
        """What an element says at this moment: the page may put another in its place at the next."""
        return str(self.script("return document.querySelector(arguments[0])?.innerText ?? ''", selector))

    def click(self, selector: str) -> None:
        self.one(selector).click()

    def type(self, selector: str, text: str) -> None:
        """Replace what an entry holds, as with select-all and typing, then leave it with Tab."""
        from selenium.webdriver.common.keys import Keys

        entry = self.one(selector)
        entry.send_keys(Keys.CONTROL, "a")
        entry.send_keys(text, Keys.TAB)

    def script(self, text: str, *arguments: Any) -> Any:
        return self.driver.execute_script(text, *arguments)

    def wait(self, condition: Callable[[], Any], what: str, patience: float = PATIENCE) -> Any:
        """Until something is true; the page's own complaints are part of the failure."""
        end = time.perf_counter() + patience
        while time.perf_counter() < end:
            found = condition()
            if found:
                return found
            time.sleep(0.02)
        complaints = [entry["message"] for entry in self.driver.get_log("browser")]
        raise AssertionError(f"waited {patience:g} s for {what}; the console says {complaints}")

    def data(self, selector: str, name: str) -> Any:
        """A data attribute of an element, read as JSON."""
        text = self.script(f"return document.querySelector({selector!r})?.dataset[{name!r}] ?? null")
        return None if text is None else json.loads(text)

    def serial(self, panel: str = ".motion") -> int:
        """How many answers a panel has shown."""
        return int(self.data(panel, "serial") or 0)

    def after(self, action: Callable[[], Any], panel: str = ".motion") -> None:
        """Act, and wait for the panel's next answer."""
        before = self.serial(panel)
        action()
        self.wait(lambda: self.serial(panel) > before, f"an answer in {panel}")

    def drag(self, element: Any, start: tuple[float, float], end: tuple[float, float], hold: bool = False) -> None:
        """Press at one point of an element (pixels from its corner), move to another, let go."""
        from selenium.webdriver.common.action_chains import ActionChains

        box = element.size
        middle = (box["width"] / 2, box["height"] / 2)
        chain = ActionChains(self.driver, duration=60)
        chain.move_to_element_with_offset(
            element, int(start[0] - middle[0]), int(start[1] - middle[1])
        ).click_and_hold()
        for part in (0.3, 0.7, 1.0):
            x, y = (start[k] + part * (end[k] - start[k]) for k in (0, 1))
            chain.move_to_element_with_offset(element, int(x - middle[0]), int(y - middle[1]))
        if not hold:
            chain.release()
        chain.perform()

    def picture(self, path: str) -> None:
        self.driver.save_screenshot(path)
