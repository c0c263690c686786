"""Machine code in files: written, read, damaged, linked, called, and refused."""

from __future__ import annotations

import errno
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jounce.kernels.records import workspace
from jounce.toolchain import build, jit, machine_code
from jounce.toolchain.abi import f8, f8_1d, f8_2d, i8, i8_1d, pointer, record, void
from jounce.toolchain.compiler import compiled
from jounce.toolchain.emission import Code
from jounce.toolchain.jit import Block, kernel

PAIR = np.dtype([("x", "f8"), ("n", "i8"), ("row", "f8", (3,))], align=True)


def linked(function, signature, name: str) -> Block:
    symbol = f"jounce_test_{name}"
    return Block(function, signature, symbol, of_engine=False)


@kernel
def norm(x, y):
    """A helper that is compiled into its caller."""
    return math.sqrt(x * x + y * y)


def test_numbers_in_and_out() -> None:
    def hypotenuse(x, n):
        return norm(x, n)

    block = linked(hypotenuse, f8(f8, i8), "hypotenuse")
    assert block(3.0, 4) == 5.0
    assert block.address > 0


def test_another_layout_is_another_file() -> None:
    """A block that calls no other knows the layout of its records by its own signature alone."""

    def first(pair):
        return pair.n

    moved = np.dtype([("x", "f8"), ("y", "f8"), ("n", "i8")], align=True)
    paths = {linked(first, i8(record(layout)), "first").path for layout in (PAIR, moved)}
    assert len(paths) == 2
    # a process links a symbol once: what is called needs names of its own
    blocks = [
        linked(first, i8(record(layout)), name) for layout, name in ((PAIR, "first_pair"), (moved, "first_moved"))
    ]
    for block, layout in zip(blocks, (PAIR, moved), strict=True):
        numbers = np.zeros(1, layout)
        numbers["n"] = 7
        assert block(numbers) == 7


def test_arrays_records_and_pointers() -> None:
    def gather(pair, weights, table, counts, out):
        for i in range(table.shape[0]):
            for j in range(table.shape[1]):
                pair.row[i] += weights[j] * table[i, j]
        pair.n += counts.size
        out[0] = pair.x + pair.row[2]

    block = linked(gather, void(record(PAIR), f8_1d, f8_2d, i8_1d, pointer), "gather")
    pair, out = np.zeros(1, PAIR), np.zeros(1)
    pair["x"] = 0.5
    table = np.arange(6.0).reshape(3, 2)
    assert block(pair, np.array([2.0, 10.0]), table, np.zeros(4, dtype=np.int64), out) is None
    assert pair[0]["row"].tolist() == (table @ [2.0, 10.0]).tolist()
    assert pair[0]["n"] == 4
    assert out[0] == 0.5 + 58.0
    with pytest.raises(TypeError, match="contiguous"):
        block(pair, np.array([2.0, 10.0]), np.arange(12.0).reshape(3, 4)[:, ::2], np.zeros(4, dtype=np.int64), out)
    with pytest.raises(TypeError, match="float64"):
        block(pair, np.array([2, 10]), table, np.zeros(4, dtype=np.int64), out)
    with pytest.raises(TypeError, match="2 dimensions"):
        block(pair, np.array([2.0, 10.0]), table.ravel(), np.zeros(4, dtype=np.int64), out)


def test_one_block_finds_another_by_its_symbol() -> None:
    def below(x):
        return x + 1.0

    inner = linked(below, f8(f8), "below")
    assert inner.address

    def above(x):
        return inner(x) * 2.0

    code = compiled(above, f8(f8), "jounce_test_above")
    assert "jounce_test_below" in code.needs
    assert linked(above, f8(f8), "above")(3.0) == 8.0


@pytest.fixture(scope="module")
def code() -> Code:
    def third(x):
        return x / 3.0

    return compiled(third, f8(f8), "jounce_test_third")


def test_a_file_gives_back_what_was_written(code: Code, tmp_path: Path) -> None:
    path = tmp_path / "third.code"
    machine_code.write(path, code)
    assert machine_code.read(path) == code
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "changed", "no head"])
def test_damaged_files_are_as_good_as_none(code: Code, tmp_path: Path, damage: str) -> None:
    path = tmp_path / "third.code"
    machine_code.write(path, code)
    content = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        changed = bytearray(content)
        changed[-100] ^= 1
        path.write_bytes(
            {"empty": b"", "cut": content[:-50], "changed": bytes(changed), "no head": code.content}[damage]
        )
    assert machine_code.read(path) is None


def test_the_head_is_covered_too(code: Code, tmp_path: Path) -> None:
    path = tmp_path / "third.code"
    machine_code.write(path, code)
    content = path.read_bytes()
    for place in range(content.index(b"\n") + 1):
        for bit in range(8):
            changed = bytearray(content)
            changed[place] ^= 1 << bit
            path.write_bytes(changed)
            assert machine_code.read(path) in (None, code), f"bit {bit} of byte {place}"


def test_what_the_process_does_not_have_is_an_error_and_not_its_end(code: Code) -> None:
    lost = Code(("jounce_test_lost",), (*code.needs, "jounce_nowhere"), code.content, {})
    with pytest.raises(ImportError, match="jounce_nowhere"):
        machine_code.link(lost)


def test_code_for_another_processor_is_kept_apart() -> None:
    text = "from jounce.toolchain import jit; print(jit.tools_hash(), jit.emission.toolchain())"
    hashes = []
    for processor in ({}, {}, {"JOUNCE_CPU_NAME": "generic"}, {"JOUNCE_CPU_FEATURES": ""}):
        environment = os.environ | processor
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True, env=environment)
        hashes.append(done.stdout)
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 3


def test_a_warm_command_needs_no_compiler(tmp_path: Path) -> None:
    """``jounce simulate`` of what has been compiled before imports neither the translator nor SciPy nor pandas."""
    text = """
import sys
from jounce.cli.main import main
code = main(["simulate", "ball_on_table", "--t-end", "1", "--json", "run.json"])
names = ("jounce.toolchain.compiler", "scipy", "pandas", "xarray", "matplotlib")
heavy = [name for name in names if name in sys.modules]
print(code, heavy, file=sys.stderr)
"""
    for expected in ("0 ", "0 []"):  # the first run may compile
        done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, cwd=tmp_path, check=True)
        assert done.stderr.strip().splitlines()[-1].startswith(expected), done.stderr


def test_code_is_kept_by_the_layout_of_its_records_too() -> None:
    def last(pair):
        return pair.row[2]

    longer = np.dtype([("x", "f8"), ("m", "f8"), ("n", "i8"), ("row", "f8", (3,))], align=True)
    short, long = (Block(last, f8(record(dtype)), "jounce_test_last", of_engine=False) for dtype in (PAIR, longer))
    assert short.path != long.path


def test_on_a_full_disk_code_serves_this_process_and_it_is_said_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(path: Path, code: Code) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def doubled(x: float) -> float:
        return 2.0 * x

    monkeypatch.setattr(build, "_LOST", set())
    monkeypatch.setattr(machine_code, "write", full)
    build.say_lost.cache_clear()
    for name in ("first", "second"):
        assert Block(doubled, f8(f8), f"jounce_test_full_disk_{name}", of_engine=False)(1.5) == 3.0
    said = capsys.readouterr().err
    assert said.count("No space left on device") == 1
    assert build._LOST


def test_memory_behind_the_parameters_holds_that_of_the_largest_model() -> None:
    """What Python calls reads no further than what was allotted: a machine of 350 soft contacts once did."""
    assert jit.MEMORY >= 2 * workspace.MAX_CONTACTS + workspace.MAX_COORDINATES
