from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.studio.browser import Page, open_browser, running_studio, what_is_missing


@pytest.fixture(scope="session")
def studio() -> Iterator[Any]:
    with running_studio() as running:
        yield running


@pytest.fixture(scope="session")
def driver(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    missing = what_is_missing()
    if missing:
        pytest.skip(missing)
    with open_browser(str(tmp_path_factory.mktemp("profile"))) as opened:
        yield opened


@pytest.fixture
def page(driver: Any, studio: Any) -> Page:
    """The studio in the browser, its first motion on the screen."""
    shown = Page(driver)
    shown.open(studio.address)
    shown.wait(lambda: shown.data(".motion", "details"), "the first motion")
    return shown
