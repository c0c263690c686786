"""The wheel: engine inside, first run at once, nothing that users do compiles kernels.

The engine in this wheel is compiled for the machine that tests, so that it comes from the cache where that is warm.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest
import sympy

ROOT = Path(__file__).parents[2]
USER_PATHS = Path(__file__).parent / "user_paths.py"
MOST_SECONDS = 3.0  # on a machine that takes IMPORTS for its imports, and in proportion on a slower one
IMPORTS = 0.85


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("wheel"))


def built(folder: Path) -> Path:
    """A wheel with the engine for this machine."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"JOUNCE_PROCESSORS": "host"}, check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    return empty_environment(tmp_path)


def empty_environment(folder: Path) -> Path:
    """An environment in which what Jounce depends on is in sight, but not this checkout."""
    venv.create(folder / "env")
    python = folder / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    text = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(subprocess.run([python, "-c", text], capture_output=True, text=True, check=True).stdout.strip())
    (packages / "dependencies.pth").write_text(f"{Path(sympy.__file__).parents[1]}\n")
    return python


def call(environment: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    variables = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "VIRTUAL_ENV")}
    folder = environment.parents[2]
    variables["JOUNCE_CACHE"] = str(folder / "cache")
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def install(environment: Path, wheel: Path) -> None:
    pip = [sys.executable, "-m", "pip", "--python", environment, "install", "--quiet", "--no-deps", "--no-index"]
    call(environment, *pip, wheel)


def processor_time_of_children() -> float:
    times = os.times()
    return times.children_user + times.children_system


def test_the_tag_names_the_platform(wheel: Path) -> None:
    name, _, python, abi, platform = wheel.stem.split("-")
    assert (name, python, abi) == ("jounce", "py3", "none")
    assert platform != "any"


def first_run(folder: Path, wheel: Path) -> float:
    """Seconds from the wheel to the end of the first run; whatever else the machine does can only add to them."""
    environment = empty_environment(folder)
    clock = time.perf_counter if os.name == "nt" else processor_time_of_children
    began = clock()
    install(environment, wheel)
    done = call(environment, environment, "-m", "jounce", "simulate", "ball_on_table", "--t-end", "10")
    spent = clock() - began
    assert "FINISHED" in done.stdout
    assert done.stderr == ""  # nothing was compiled
    assert [path.name for path in (folder / "cache").iterdir()] == ["models"]
    return spent


def slowness() -> float:
    """How much longer than IMPORTS this machine takes to import what Jounce depends on, at least 1."""
    began = processor_time_of_children()
    subprocess.run([sys.executable, "-c", "import numpy, pandas, xarray, sympy"], check=True)
    return max(1.0, (processor_time_of_children() - began) / IMPORTS)


def test_from_the_wheel_to_the_first_finished_run(wheel: Path, tmp_path: Path) -> None:
    """By processor time, the shortest of up to four trials, each in an environment of its own."""
    spent = []
    for trial in range(4):
        (tmp_path / str(trial)).mkdir()
        spent.append(first_run(tmp_path / str(trial), wheel) / slowness())
        if spent[-1] < MOST_SECONDS:
            return
    pytest.fail(f"from the wheel to the first finished run: {spent} s, at most {MOST_SECONDS} s expected")


def test_users_compile_no_kernel(wheel: Path, environment: Path) -> None:
    install(environment, wheel)
    done = call(environment, environment, USER_PATHS)
    assert done.stdout.strip() == "False"
    assert not list((environment.parents[2] / "cache").glob("code-*"))
