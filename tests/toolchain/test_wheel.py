"""The wheel: engine inside, first run at once, nothing that users do needs Numba.

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
MOST_SECONDS = 3.0


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"JOUNCE_PROCESSORS": "host"}, check=True, capture_output=True)
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture
def environment(tmp_path: Path) -> Path:
    """An empty environment: what Jounce depends on is in sight, but neither Numba nor this checkout."""
    venv.create(tmp_path / "env")
    python = tmp_path / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    text = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(subprocess.run([python, "-c", text], capture_output=True, text=True, check=True).stdout.strip())
    (packages / "dependencies.pth").write_text(f"{Path(sympy.__file__).parents[1]}\n")
    (packages / "no_numba.pth").write_text("import sys; sys.modules['numba'] = None\n")
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


def test_from_the_wheel_to_the_first_finished_run(wheel: Path, environment: Path) -> None:
    """By processor time: other work on the machine hardly disturbs it."""
    clock = time.perf_counter if os.name == "nt" else processor_time_of_children
    began = clock()
    install(environment, wheel)
    command = [environment, "-m", "jounce", "simulate", "ball_on_table", "--t-end", "10"]
    done = call(environment, *command)
    assert clock() - began < MOST_SECONDS
    assert "FINISHED" in done.stdout
    assert done.stderr == ""  # nothing was compiled
    cache = environment.parents[2] / "cache"
    assert [path.name for path in cache.iterdir()] == ["models"]


def test_users_need_no_numba(wheel: Path, environment: Path) -> None:
    install(environment, wheel)
    done = call(environment, environment, USER_PATHS)
    assert done.stdout.strip() == "None"
    assert not list((environment.parents[2] / "cache").glob("code-*"))
