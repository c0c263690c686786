"""The first compilation of the engine: who compiles what, where it is kept, and what happens where it cannot be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from jounce.kernels.contact import forces as contact_forces
from jounce.kernels.engine import advance
from jounce.kernels.flow import flight
from jounce.kernels.tangent import propagation
from jounce.toolchain import build, folders
from jounce.toolchain.abi import f8
from jounce.toolchain.compiler import LINE, prefix_length
from jounce.toolchain.jit import Block

# A small engine in place of the real one: two files of kernels, one of them with a block that calls the other's.
BELOW = """
from jounce.toolchain.abi import f8
from jounce.toolchain.jit import block


@block(f8(f8))
def square(x):
    return x * x
"""
ADVANCE = """
from jounce.kernels.below import square
from jounce.toolchain.abi import f8, f8_1d
from jounce.toolchain.jit import block, kernel

FACTOR = 2.0


@kernel
def twice(x):
    '''A description.'''
    return FACTOR * x


@block(f8(f8))
def above(x):
    return twice(square(x))


@block(f8(f8_1d))
def run(x):
    return above(x[0])
"""
CALL = """import sys, numpy, jounce.kernels.engine.advance as a
print(a.run(numpy.array([3.0])), 'jounce.toolchain.compiler' in sys.modules)"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package ``jounce`` that is nothing but the small engine."""
    top = tmp_path / "first" / "jounce"
    shutil.copytree(Path(build.__file__).parent, top / "toolchain", ignore=shutil.ignore_patterns("__pycache__"))
    (top / "toolchain" / "call_rows.py").write_text("")
    texts = dict.fromkeys(
        (
            "__init__.py",
            "kernels/__init__.py",
            "kernels/audit/__init__.py",
            "kernels/audit/run.py",
            "kernels/engine/__init__.py",
            "kernels/engine/sound.py",
        ),
        "",
    )
    for name, text in (texts | {"kernels/below.py": BELOW, "kernels/engine/advance.py": ADVANCE}).items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    return tmp_path / "first"


def start(package: Path, cache: Path, code: str = CALL, *options: str) -> subprocess.Popen[str]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    environment |= {"JOUNCE_CACHE": str(cache), "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen(
        [sys.executable, *options, "-c", code],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What was printed: the value and whether the translator was imported; and what was said."""
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out.strip(), err


def test_two_processes_at_once_compile_once_and_a_copy_elsewhere_not_at_all(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    both = [start(package, cache) for _ in range(2)]
    results = [finish(process) for process in both]
    assert [value for value, _ in results] == ["18.0 False", "18.0 False"]
    assert sorted("The engine is compiled" in text for _, text in results) == [False, True]
    (folder,) = cache.glob("code-*")
    assert not list(folder.glob("claims-*"))
    made = {file.name: file.stat().st_mtime_ns for file in folder.glob("*.code")}
    assert {name.split("-")[0].split(".")[-1] for name in made} == {"square", "above", "run"}
    # the same text in another place, written at another time
    other = tmp_path / "second"
    shutil.copytree(package, other)
    value, text = finish(start(other, cache))
    assert value == "18.0 False"
    assert "ompil" not in text
    assert made == {file.name: file.stat().st_mtime_ns for file in folder.glob("*.code")}


def test_an_edit_compiles_what_it_changes_and_nothing_else(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    finish(start(package, cache))

    def names() -> set[str]:
        return {file.name for file in cache.glob("code-*/*.code")}

    before = names()
    engine = package / "jounce" / "kernels" / "engine" / "advance.py"
    engine.write_text(ADVANCE.replace("    '''A description.'''", '    """Another one."""\n    # a comment'))
    assert finish(start(package, cache))[0] == "18.0 False"
    assert names() == before
    # a constant that a kernel reads, which is built into one block
    engine.write_text(ADVANCE.replace("FACTOR = 2.0", "FACTOR = 3.0"))
    assert finish(start(package, cache))[0] == "27.0 True"
    assert [name.split("-")[0] for name in names() - before] == ["jounce.kernels.engine.advance.above"]
    # a block below: its callers know it by name
    (package / "jounce" / "kernels" / "below.py").write_text(BELOW.replace("x * x", "x * x * x"))
    assert finish(start(package, cache))[0] == "81.0 True"
    assert len(names() - before) == 2


def test_a_folder_that_cannot_be_written(package: Path, tmp_path: Path) -> None:
    """A file in its place, which not even root can write into: the engine compiles for this process alone."""
    cache = tmp_path / "cache"
    cache.write_text("not a folder")
    value, _ = finish(start(package, cache))
    assert value == "18.0 False"


def test_an_engine_that_others_compiled_is_used_where_it_cannot_be_written(tmp_path, monkeypatch) -> None:
    folder = tmp_path / "kernels"
    folder.mkdir()
    (folder / "block.code").write_text("machine code")

    def refuse(**_):
        raise PermissionError("read-only")

    monkeypatch.setattr(folders.tempfile, "TemporaryFile", refuse)
    folder.chmod(0o555)
    copy = folders.usable.__wrapped__(folder)
    assert copy != folder
    assert copy.stat().st_mode & 0o777 == 0o700  # for others than root, who may write everywhere
    assert "read-only" in folders.why_passing(copy / "block.code")
    assert not folders.why_passing(folder)
    assert (copy / "block.code").read_text() == "machine code"
    (copy / "more.code").write_text("what this process compiles")
    assert not (folder / "more.code").exists()


def test_who_has_no_home_has_a_folder_for_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("JOUNCE_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", nobody)
    folder = folders.cache_root()
    assert folder == folders.cache_root()
    assert folder.stat().st_mode & 0o777 == 0o700  # what lies there is executed: nobody else may write it
    assert folders.why_passing(folder / "models")


def test_processes_compile_what_python_without_descriptions_asks_for(package: Path, tmp_path: Path) -> None:
    """-OO changes the bytecode that code is kept by, and with it the names of all files."""
    for option in ("-O", "-OO"):
        value, said = finish(start(package, tmp_path / "cache", CALL, option))
        assert value == "18.0 False", said


def test_who_works_for_a_process_that_was_killed_stops(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    code = """import os
parents = iter((1, 1))
os.getppid = lambda: next(parents, 2)  # it lives until one block is compiled
from jounce.toolchain import build, jit
claims = jit.code_folder() / "claims-of-the-test"
claims.mkdir()
build.work(str(claims), *build.STANDARD)
print(claims.exists(), len(list(claims.parent.glob("*.code"))))"""
    value, said = finish(start(package, cache, code))
    assert value == "False 1", said


def test_a_failing_process_leaves_the_work_to_whoever_needs_it(package: Path, tmp_path: Path) -> None:
    code = "from jounce.toolchain import processes; processes.CALL = 'raise SystemExit(1)'\n" + CALL
    value, text = finish(start(package, tmp_path / "cache", code))
    assert value == "18.0 True"
    assert "The engine is compiled" not in text


def test_a_program_that_is_no_python_is_not_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An application with Python in it would start itself again, and wait for itself."""

    def refuse(*_: object) -> bool:
        raise AssertionError("processes were started")

    monkeypatch.setattr(build, "_run_processes", refuse)
    monkeypatch.setattr(Block, "path", property(lambda block: tmp_path / block.symbol))
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    build.prepare.__wrapped__(tmp_path)


def test_one_at_a_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    order = []

    def second() -> None:
        with build.locked(tmp_path, "engine", "waiting for the first"):
            order.append("second")

    with build.locked(tmp_path, "another"), build.locked(tmp_path, "engine"):
        thread = threading.Thread(target=second)
        thread.start()
        time.sleep(0.1)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]
    assert capsys.readouterr().err.splitlines() == ["waiting for the first"]
    with build.locked(tmp_path, "engine", "waiting for nobody"):
        pass
    assert not capsys.readouterr().err


def test_the_dearest_block_is_the_one_with_most_below_it() -> None:
    blocks = (advance.loop, flight.fly_ballistic, contact_forces.evaluate_model)
    sizes = [build.size(block.py_func) for block in blocks]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3


def test_functions_lie_at_offsets_of_their_own() -> None:
    def twice(x):
        return 2.0 * x

    def half(x):
        return 0.5 * x

    for function in (twice, half):
        block = Block(function, f8(f8), f"jounce_test_offset_{function.__name__}", of_engine=False)
        # functions that were not built into it may come before it
        assert 0 <= block.address % 4096 - prefix_length(function.__name__) < 512
    assert prefix_length("twice") != prefix_length("half")
    assert all(prefix_length(name) % LINE == 0 for name in ("twice", "half"))


def test_a_plain_run_compiles_what_it_calls_and_nothing_that_is_only_imported(package: Path, tmp_path: Path) -> None:
    kernels = package / "jounce" / "kernels"
    for name in ("seldom", "never"):
        text = "from jounce.kernels.below import square\n" + BELOW.replace("square", name).replace(
            "x * x", "square(x) + 1.0"
        )
        (kernels / f"{name}.py").write_text(text)
    (kernels / "engine" / "advance.py").write_text("import jounce.kernels.never, jounce.kernels.seldom\n" + ADVANCE)

    def made() -> set[str]:
        return {file.name.split("-")[0].split(".")[-1] for file in (tmp_path / "cache").glob("code-*/*.code")}

    assert finish(start(package, tmp_path / "cache"))[0] == "18.0 False"
    assert made() == {"square", "above", "run"}
    asked = "from jounce.kernels.seldom import seldom; print(seldom(3.0))"
    assert finish(start(package, tmp_path / "cache", asked))[0] == "10.0"
    assert made() == {"square", "above", "run", "seldom"}


def test_what_is_asked_for_is_compiled_in_one_round_with_what_a_plain_run_needs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: list[tuple[str, ...]] = []
    monkeypatch.setattr(Block, "path", property(lambda block: tmp_path / block.symbol))
    monkeypatch.setattr(build, "_run_processes", lambda folder, modules, count: asked.append(tuple(modules)) or True)
    build.prepare.__wrapped__(tmp_path, ("jounce.kernels.tangent.propagation",))
    assert asked == [(*build.STANDARD, "jounce.kernels.tangent.propagation")]
    assert {propagation.propagate, advance.loop} <= set(build.blocks_of(asked[0]))
