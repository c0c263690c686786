"""The first compilation of the engine: who compiles what, where it is kept, and what happens where it cannot be."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import jounce
from jounce.kernels import advance, build, contact_forces, flight
from jounce.kernels.compiler import LINE, prefix_length

# A small engine in place of the real one: three kernels files, one of them with a block that calls another's.
BLOCKS = {
    **dict.fromkeys(("abi.py", "build.py", "compiler.py", "content_locator.py", "intrinsics.py", "jit.py")),
    "machine_code.py": None,
    "nothing.py": "",
    "__init__.py": "",
    "below.py": """
from jounce.kernels.abi import f8
from jounce.kernels.jit import block


@block(f8(f8))
def square(x):
    return x * x
""",
    "call_rows.py": "",
    "advance.py": """
from jounce.kernels.abi import f8, f8_1d
from jounce.kernels.below import square
from jounce.kernels.jit import block, kernel


@kernel
def twice(x):
    return 2.0 * x


@block(f8(f8))
def above(x):
    return twice(square(x))


@block(f8(f8_1d))
def run(x):
    return above(x[0])
""",
}
CALL = "import sys, numpy, jounce.kernels.advance as a; print(a.run(numpy.array([3.0])), 'numba' in sys.modules)"


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package ``jounce`` that is nothing but the small engine."""
    kernels = tmp_path / "first" / "jounce" / "kernels"
    kernels.mkdir(parents=True)
    (kernels.parent / "__init__.py").write_text("")
    for name, text in BLOCKS.items():
        (kernels / name).write_text((build.HERE / name).read_text() if text is None else text)
    return tmp_path / "first"


def start(package: Path, cache: Path, code: str = CALL) -> subprocess.Popen[str]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment |= {"JOUNCE_CACHE": str(cache), "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def finish(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What was printed: the value and whether Numba was imported; and what was said."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.strip(), err


def test_two_processes_at_once_compile_once_and_a_copy_elsewhere_not_at_all(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    both = [start(package, cache) for _ in range(2)]
    results = [finish(process) for process in both]
    assert [value for value, _ in results] == ["18.0 False", "18.0 False"]
    assert sorted("The engine is compiled" in text for _, text in results) == [False, True]
    (folder,) = cache.glob("kernels-*")
    assert (folder / "ready").exists()
    assert not list(folder.glob("claims-*"))
    made = {file.name: file.stat().st_mtime_ns for file in folder.glob("*.code")}
    assert {name.split("_")[1] for name in made} == {"square", "above", "run"}
    # the same text in another place, written at another time
    other = tmp_path / "second"
    (other / "jounce" / "kernels").mkdir(parents=True)
    for file in package.rglob("*.py"):
        (other / file.relative_to(package)).write_text(file.read_text())
    value, text = finish(start(other, cache))
    assert value == "18.0 False"
    assert "ompil" not in text
    assert made == {file.name: file.stat().st_mtime_ns for file in folder.glob("*.code")}


def test_a_folder_that_cannot_be_written(package: Path, tmp_path: Path) -> None:
    """A file in its place, which not even root can write into: the engine compiles for this process alone."""
    cache = tmp_path / "cache"
    cache.write_text("not a folder")
    value, _ = finish(start(package, cache))
    assert value == "18.0 False"


def test_an_engine_that_others_compiled_is_used_where_it_cannot_be_written(tmp_path, monkeypatch) -> None:
    folder = tmp_path / "kernels"
    folder.mkdir()
    (folder / "ready").touch()
    (folder / "block.code").write_text("machine code")

    def refuse(**_):
        raise PermissionError("read-only")

    monkeypatch.setattr(build.tempfile, "TemporaryFile", refuse)
    copy = build.usable.__wrapped__(folder)
    assert copy != folder
    assert (copy / "ready").exists()
    assert (copy / "block.code").read_text() == "machine code"
    (copy / "more.code").write_text("what this process compiles")
    assert not (folder / "more.code").exists()


def test_a_failing_process_leaves_the_work_to_whoever_needs_it(package: Path, tmp_path: Path) -> None:
    code = "from jounce.kernels import build; build.WORKER = 'raise SystemExit(1)'; " + CALL
    value, text = finish(start(package, tmp_path / "cache", code))
    assert value == "18.0 True"
    assert "The engine is compiled" not in text
    assert not list((tmp_path / "cache").glob("kernels-*/ready"))


def test_the_user_may_switch_numba_off(package: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    value, _ = finish(start(package, tmp_path / "cache"))
    assert value == "18.0 False"


def test_one_at_a_time(tmp_path: Path) -> None:
    order = []

    def second() -> None:
        with build.locked(tmp_path):
            order.append("second")

    with build.locked(tmp_path):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.1)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_the_dearest_block_is_the_one_with_most_below_it() -> None:
    blocks = (advance.run_machine, flight.fly_ballistic, contact_forces.evaluate_model)
    dearest, middle, cheapest = (build.cost(block.py_func, set()) for block in blocks)
    assert dearest > middle > cheapest


def test_functions_lie_at_offsets_of_their_own() -> None:
    functions = jounce.compile_model(jounce.systems.ball_on_table()).functions
    names = ("free_acceleration", "dynamics", "contacts", "gaps", "surfaces", "flight_bounds")
    for name in names:
        # functions that were not built into it may come before it
        assert 0 <= getattr(functions, name).address % 4096 - prefix_length(name) < 512
    assert len({prefix_length(name) for name in names}) == len(names)
    assert all(prefix_length(name) % LINE == 0 for name in names)
