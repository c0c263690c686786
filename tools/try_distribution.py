"""Install what a user would get into an empty environment and try it: ``python tools/try_distribution.py dist``.

Every wheel and source archive of the folder gets an environment of its own, without the checkout in sight. Tried are
the version, the commands, the page for beginners section by section, the page that the studio serves, files, types.
A table says how long each step of a stranger took, by the clock and of the processor: the one of docs/installation.md.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

TRIAL = """
import importlib.resources, math, pathlib
import jounce

package = importlib.resources.files("jounce")
assert (package / "py.typed").is_file(), "py.typed is missing"
static = package / "studio" / "static"
assert any(file.name.endswith(".js") for file in static.iterdir()), "the studio's page is missing"
assert (package / "studio" / "static" / "index.html").is_file()

run = jounce.simulate(jounce.systems.bouncing_ball(), {"y": 1.0}, t_end=10.0, e=0.5)
assert run.status.name == "AT_REST", run.status
assert abs(run.events["t"].iloc[-1] - 3 * math.sqrt(2 / 9.81)) < 1e-11

x, dx = jounce.coordinate("x", "m")
wall = jounce.Contact("wall", gap=1 - x, restitution=0.5)
own = jounce.Model("own", coordinates=[x], mass=[1], forces=[0], contacts=[wall])
first = jounce.simulate(own, {"d_x": 2.0}, t_end=1.0).events.iloc[0]
assert abs(first["t"] - 0.5) < 1e-12 and abs(first["v_n_after"] - 1.0) < 1e-12

run.save("run.nc")
assert jounce.load("run.nc").final == run.final
jounce.plot.plot_time_history(run).savefig("run.png")
assert pathlib.Path("run.png").stat().st_size > 5000
print("jounce", jounce.__version__, "from", package)
"""


STUDIO = """
import re, subprocess, sys, urllib.request

browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())  # the token of the address becomes a cookie
server = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE, text=True)
try:
    address = server.stdout.readline().strip()
    page = browser.open(address, timeout=60).read().decode()
    home = address.partition("?")[0]
    parts = [part for part in re.findall(r'(?:src|href)="([^":#]+)"', page) if not part.startswith("data:")]
    assert any(part.partition("?")[0].endswith(".js") for part in parts), parts
    for part in parts:
        with browser.open(home + part.lstrip("/"), timeout=60) as answer:
            assert answer.status == 200 and answer.read(), part
finally:
    server.terminate()
    server.wait(60)
print("the studio serves its page with", ", ".join(parts))
"""


PAGE = Path(__file__).parents[1] / "docs" / "start.md"


Times = list[tuple[str, float, float]]  # step, seconds by the clock, seconds of the processor


def strangers_path() -> str:
    """A script of the page for beginners: its code section by section, each with the times that it took."""
    script = [
        "import json, time",
        "times, began = [], (time.perf_counter(), time.process_time())",
        "def done(section):",
        "    global began",
        "    now = (time.perf_counter(), time.process_time())",
        "    times.append((section, now[0] - began[0], now[1] - began[1]))",
        "    began = now",
    ]
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        blocks = re.findall(r"^```python\n(.*?)^```$", section, flags=re.DOTALL | re.MULTILINE)
        if blocks:
            script += [*blocks, f"done({section.splitlines()[0]!r})"]
    return "\n".join([*script, "json.dump(times, open('times.json', 'w'))"])


def print_table(times: Times) -> None:
    """Markdown, as docs/installation.md has it."""
    print("| step | s | s of the processor |\n|---|---|---|")
    for step, seconds, processor in times:
        print(f"| {step} | {seconds:.1f} | {processor:.1f} |")


def try_one(archive: Path, extra: str) -> None:
    """An environment, the archive in it, the trial."""
    times: Times = []
    with tempfile.TemporaryDirectory(prefix="jounce-try-") as name:
        folder = Path(name)
        venv.create(folder / "env", with_pip=True)
        binaries = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        python = binaries / ("python.exe" if os.name == "nt" else "python")
        environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
        environment["JOUNCE_CACHE"] = os.environ.get("JOUNCE_CACHE", str(folder / "cache"))

        def call(step: str, *command: str | Path) -> None:
            began, processor = time.perf_counter(), children_seconds()
            subprocess.run([str(part) for part in command], cwd=folder, env=environment, check=True)
            times.append((step, time.perf_counter() - began, children_seconds() - processor))

        call("pip install", python, "-m", "pip", "install", "--quiet", f"{archive.resolve()}{extra}")
        call("jounce --version", binaries / "jounce", "--version")
        call("jounce systems", binaries / "jounce", "systems")
        call("jounce show slender_rod", binaries / "jounce", "show", "slender_rod")
        demo = ("--start", "y=6,theta=0.3", "--set", "omega=4.405,mu=0.05,e=0.8", "--t-end", "50", "--plot", "rod.png")
        call("jounce simulate slender_rod", binaries / "jounce", "simulate", "slender_rod", *demo)
        (folder / "trial.py").write_text(TRIAL, encoding="utf-8")
        (folder / "path.py").write_text(strangers_path(), encoding="utf-8")
        call("the ten-minute start", python, "path.py")
        times += json.loads((folder / "times.json").read_text())
        (folder / "studio.py").write_text(STUDIO, encoding="utf-8")
        studio = (binaries / "jounce", "studio", "ball_on_table", "--no-browser")
        call("jounce studio ball_on_table, its page", python, "studio.py", *studio)
        call("files, pictures, an own model", python, "trial.py")
        print(f"{archive.name} with Python {sys.version.split()[0]}: installed and tried")
        print_table(times)


def children_seconds() -> float:
    """Processor time of all programs that have ended: Windows does not count them."""
    spent = os.times()
    return spent.children_user + spent.children_system


def main(folder: str = "dist") -> None:
    """All archives of the folder."""
    archives = sorted([*Path(folder).glob("*.whl"), *Path(folder).glob("*.tar.gz")])
    if not archives:
        raise SystemExit(f"no wheel and no source archive in {folder}; `make dist` makes them")
    for archive in archives:
        try_one(archive, "[studio]")


if __name__ == "__main__":
    main(*sys.argv[1:2])
