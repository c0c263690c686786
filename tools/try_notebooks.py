"""``show`` and ``explore`` inside a running JupyterLab and a running marimo: ``python -m tools.try_notebooks``.

Needs chromium with its driver and ``pip install jupyterlab marimo selenium 'jounce[notebook]'``, hundreds of MB and
therefore no part of the tests. Each notebook is opened in a real browser and its cells are run; the shown run plays,
the shown diagram has its points, a slider of ``explore`` is dragged and what it then shows is what ``simulate`` gives.
With ``--pictures FOLDER`` the screens are kept.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jounce
from tests.studio.browser import Page, open_browser, what_is_missing

CELLS = (
    "import jounce\nimport numpy as np\n\nsystem = jounce.compile_model(jounce.systems.ball_on_table())",
    'run = jounce.simulate(system, {"y": 2.0}, t_end=10.0)\njounce.show(run)',
    'diagram = jounce.sweep(system, "omega", np.linspace(3.3, 4.15, 200), "impact:table", {"y": 1.86, "d_y": -7.2}, '
    'transient=200, keep=40, e=0.5)\njounce.show(diagram, "d_y")',
    "jounce.explore(system)",
)
HOSTS = ("jupyter", "marimo")
START = 60.0  # s that a server may take
# Everything inside shadow trees too: marimo puts each widget into one.
DEEP = """
const found = [];
const look = (root) => {
  found.push(...root.querySelectorAll(arguments[0]));
  for (const element of root.querySelectorAll("*")) if (element.shadowRoot) look(element.shadowRoot);
};
look(document);
return found;
"""


def missing() -> str | None:
    """What has to be installed, or None."""
    for module in ("jupyterlab", "marimo", "anywidget"):
        if find_spec(module) is None:
            return f"no {module} here: pip install jupyterlab marimo 'jounce[notebook]'"
    return what_is_missing()


@contextmanager
def served(command: list[str], folder: Path, address: re.Pattern[str], **settings: str) -> Iterator[str]:
    """A server of notebooks, and the address that it prints."""
    log = folder / "server.log"
    environment = {**os.environ, **settings}
    with log.open("w") as output:
        server = subprocess.Popen(command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT)
    try:
        end = time.perf_counter() + START
        while not (found := address.search(log.read_text())):
            if server.poll() is not None or time.perf_counter() > end:
                raise SystemExit(f"{command[2]} did not start:\n{log.read_text()}")
            time.sleep(0.1)
        yield found[0]
    finally:
        server.terminate()
        try:
            server.wait(START)
        except subprocess.TimeoutExpired:
            server.kill()


@contextmanager
def jupyter(folder: Path) -> Iterator[str]:
    """JupyterLab with a notebook of the cells."""
    cells = [
        {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": cell, "id": f"cell{k}"}
        for k, cell in enumerate(CELLS)
    ]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (folder / "jounce.ipynb").write_text(json.dumps(notebook))
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--port=0", "--ip=127.0.0.1",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]  # fmt: skip
    asks_nothing = folder / "settings" / "@jupyterlab" / "apputils-extension" / "notification.jupyterlab-settings"
    asks_nothing.parent.mkdir(parents=True)
    asks_nothing.write_text('{"fetchNews": "false"}')
    settings = {"JUPYTERLAB_SETTINGS_DIR": str(folder / "settings")}
    with served(command, folder, re.compile(r"http://127\.0\.0\.1:\d+/lab\?token=\w+"), **settings) as address:
        yield address.replace("/lab?", "/doc/tree/jounce.ipynb?")


@contextmanager
def marimo(folder: Path) -> Iterator[str]:
    """Marimo's editor with the same cells."""
    lines = ["import marimo", "", "app = marimo.App()"]
    for cell in CELLS:
        lines += ["", "", "@app.cell", "def _():", *(f"    {line}".rstrip() for line in cell.splitlines())]
    (folder / "jounce_notebook.py").write_text("\n".join(lines) + "\n")
    command = [
        sys.executable, "-m", "marimo", "edit", "jounce_notebook.py", "--headless", "--no-token", "--host", "127.0.0.1",
        "--skip-update-check",
    ]  # fmt: skip
    with served(command, folder, re.compile(r"http://(localhost|127\.0\.0\.1):\d+\S*")) as address:
        yield address


class Notebook:
    """What a person does in a notebook."""

    def __init__(self, page: Page, pictures: Path | None, host: str) -> None:
        self.page, self.pictures, self.host = page, pictures, host

    def find(self, selector: str, count: int = 1) -> list[Any]:
        """Elements anywhere on the page, once there are as many as wanted."""

        def enough() -> Any:
            found = self.page.script(DEEP, selector)
            return found if len(found) >= count else None

        return list(self.page.wait(enough, f"{count} x {selector}", 240.0))

    def picture(self, name: str, element: Any) -> None:
        """Keep the screen with an element in the middle of it."""
        self.page.script("arguments[0].scrollIntoView({block: 'center'})", element)
        time.sleep(1.5)
        if self.pictures:
            self.page.picture(str(self.pictures / f"notebook-{self.host}-{name}.png"))

    def run_all(self) -> None:
        """Run the cells, by marimo's button or by Shift-Enter in each."""
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys

        if self.host == "marimo":
            self.page.wait(self._press_run, "the cells to run", 120.0)
            return
        ready = (
            "return /\\| Idle/.test(document.body.innerText) && !!document.querySelector('.cm-content')?.offsetParent"
        )
        self.page.wait(lambda: self.page.script(ready), "the kernel", 120.0)
        self.find(".jp-SideBar [data-id='filebrowser']")[0].click()  # away with the list of files
        self.find(".jp-Notebook .jp-Cell .cm-content")[0].click()
        hands = ActionChains(self.page.driver)
        for _ in CELLS:
            hands.key_down(Keys.SHIFT).send_keys(Keys.ENTER).key_up(Keys.SHIFT).pause(0.5)
        hands.perform()

    def _press_run(self) -> bool:
        """The button does nothing before the kernel is there, and a second press nothing to cells that have run."""
        self.find("[data-testid='run-button']")[-1].click()
        time.sleep(2.0)
        return bool(self.page.script(DEEP, "iframe"))

    def inside(self, frame: Any, check: Callable[[], None]) -> None:
        """Do something inside the frame of a shown page."""
        self.page.driver.switch_to.frame(frame)
        try:
            check()
        finally:
            self.page.driver.switch_to.default_content()


def try_shown(notebook: Notebook) -> None:
    """The run and the diagram of ``show`` are those that the cells give in this process; the run plays."""
    page = notebook.page
    here: dict[str, Any] = {}
    exec("\n".join(CELLS[:3]), here)
    film, diagram = notebook.find("iframe[srcdoc*='jounce-film']", 2)[:2]

    def plays() -> None:
        page.wait(lambda: page.data(".motion", "details"), "the shown run")
        assert page.data(".motion", "final") == here["run"].final.as_dict()
        page.click(".play")
        page.wait(lambda: page.script("return jounceStudio.motion.time") > 0.5, "the film")

    def has_points() -> None:
        page.wait(lambda: page.script("return document.querySelector('.diagram').dataset.done"), "the shown diagram")
        count = page.script("return jounceStudio.panels[1].picture.cloud.count")
        assert count == sum(len(part.quantity) for part in here["diagram"].points("d_y")), count

    page.script("arguments[0].scrollIntoView({block: 'center'})", film)
    notebook.inside(film, plays)
    notebook.picture("run", film)
    page.script("arguments[0].scrollIntoView({block: 'center'})", diagram)
    notebook.inside(diagram, has_points)
    notebook.picture("diagram", diagram)
    print(f"{notebook.host}: jounce.show(run) plays, jounce.show(diagram) has its points", flush=True)


def try_explored(notebook: Notebook) -> None:
    """A slider of ``explore`` is dragged: what the widget shows is what ``simulate`` gives."""
    page = notebook.page
    motion = notebook.find(".jounce-widget .motion")[0]

    def final() -> dict[str, float] | None:
        text = page.script("return arguments[0].dataset.final ?? null", motion)
        return None if text is None else json.loads(text)

    before = page.wait(final, "the first motion of explore", 240.0)
    page.script("arguments[0].scrollIntoView({block: 'center'})", motion)
    time.sleep(1.0)
    slider = notebook.find('.jounce-widget [data-knob="omega"]')[0]
    width, height = slider.size["width"], slider.size["height"]
    at = 8 + float(page.script("return arguments[0].value / 1000", slider)) * (width - 16)
    page.drag(slider, (at, height / 2), (at + 0.25 * width, height / 2))
    page.wait(lambda: final() != before, "a new curve")
    time.sleep(1.0)
    omega = float(notebook.find('.jounce-widget [data-entry="omega"]')[0].get_attribute("value"))
    shown, started = final(), json.loads(page.script("return arguments[0].dataset.start", motion))
    assert shown is not None
    t_end = float(notebook.find('.jounce-widget [data-entry="t_end"]')[0].get_attribute("value"))
    wanted = jounce.simulate(jounce.systems.ball_on_table(), started, t_end, omega=omega).final.as_dict()
    for name, value in wanted.items():
        assert abs(shown[name] - value) <= 1e-12 * (1 + abs(value)), (name, shown[name], value)
    notebook.picture("explore", motion)
    print(f"{notebook.host}: a slider of jounce.explore was dragged to omega = {omega}, the curve followed", flush=True)
    tab = notebook.find('.jounce-widget [data-tab="diagram"]')[0]
    page.script("arguments[0].scrollIntoView({block: 'center'})", tab)
    tab.click()
    diagram = notebook.find(".jounce-widget .diagram")[0]
    page.wait(lambda: page.script("return arguments[0].dataset.done ?? null", diagram), "the diagram of explore", 240.0)
    notebook.picture("explore-diagram", diagram)
    print(f"{notebook.host}: the diagram of jounce.explore was computed", flush=True)


def main() -> None:
    """Both, or the ones that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hosts", nargs="*", metavar="{jupyter,marimo}", help="default: both")
    parser.add_argument("--pictures", type=Path, metavar="FOLDER")
    given = parser.parse_args()
    for host in given.hosts:  # argparse would refuse an empty list of choices
        if host not in HOSTS:
            parser.error(f"{host!r} is neither jupyter nor marimo")
    lack = missing()
    if lack:
        raise SystemExit(lack)
    for host in given.hosts or HOSTS:
        with (
            tempfile.TemporaryDirectory() as profile,
            tempfile.TemporaryDirectory() as folder,
            {"jupyter": jupyter, "marimo": marimo}[host](Path(folder)) as address,
            open_browser(profile, 1280, 900) as driver,
        ):
            page = Page(driver)
            page.open(address)
            notebook = Notebook(page, given.pictures, host)
            try:
                notebook.run_all()
                try_shown(notebook)
                try_explored(notebook)
            except Exception:
                page.picture(f"notebook-{host}-failed.png")
                raise


if __name__ == "__main__":
    main()
