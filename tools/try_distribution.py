"""Install what a user would get into an empty environment and try it: ``python tools/try_distribution.py dist``.

Every wheel and source archive of the folder gets an environment of its own, without the checkout in sight. Tried are
the version, the commands, the page for beginners section by section with its times, files, the studio's page, types.
"""

from __future__ import annotations

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


PAGE = Path(__file__).parents[1] / "docs" / "start.md"


def strangers_path() -> str:
    """A script of the page for beginners: its code section by section, each with the time that it took."""
    script = ["import time", "began = time.perf_counter()", "def done(section):", "    global began"]
    script += ["    now = time.perf_counter()", "    print(f'  {now - began:6.1f} s  {section}')", "    began = now"]
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        blocks = re.findall(r"^```python\n(.*?)^```$", section, flags=re.DOTALL | re.MULTILINE)
        if blocks:
            script += [*blocks, f"done({section.splitlines()[0]!r})"]
    return "\n".join(script)


def try_one(archive: Path, extra: str) -> None:
    """An environment, the archive in it, the trial."""
    with tempfile.TemporaryDirectory(prefix="jounce-try-") as name:
        folder = Path(name)
        began = time.perf_counter()
        venv.create(folder / "env", with_pip=True)
        binaries = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
        python = binaries / ("python.exe" if os.name == "nt" else "python")
        environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
        environment["JOUNCE_CACHE"] = os.environ.get("JOUNCE_CACHE", str(folder / "cache"))

        def call(*command: str | Path) -> None:
            subprocess.run([str(part) for part in command], cwd=folder, env=environment, check=True)

        call(python, "-m", "pip", "install", "--quiet", f"{archive.resolve()}{extra}")
        installed = time.perf_counter()
        call(binaries / "jounce", "--version")
        call(binaries / "jounce", "systems")
        call(binaries / "jounce", "show", "slender_rod")
        (folder / "trial.py").write_text(TRIAL, encoding="utf-8")
        (folder / "path.py").write_text(strangers_path(), encoding="utf-8")
        call(python, "path.py")
        call(python, "trial.py")
        ended = time.perf_counter()
        print(f"{archive.name}: installed in {installed - began:.0f} s, tried in {ended - installed:.0f} s", flush=True)


def main(folder: str = "dist") -> None:
    """All archives of the folder."""
    archives = sorted([*Path(folder).glob("*.whl"), *Path(folder).glob("*.tar.gz")])
    if not archives:
        raise SystemExit(f"no wheel and no source archive in {folder}; `make dist` makes them")
    for archive in archives:
        try_one(archive, "[studio]")


if __name__ == "__main__":
    main(*sys.argv[1:2])
