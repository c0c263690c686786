"""Kernels as plain Python: the same bits as the compiled engine, lines of their own files, and no compiler."""

from __future__ import annotations

import inspect
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from jounce.kernels.contact import linear
from jounce.toolchain import python_mode
from jounce.toolchain.abi import f8, i8, integer_pointer, pointer, record, void

SMALL_RUNS = Path(__file__).parent / "small_runs.py"
PAIR = np.dtype([("x", "f8"), ("n", "i8"), ("row", "f8", (2, 3))], align=True)


def numbers(**variables: str) -> list[str]:
    done = subprocess.run([sys.executable, SMALL_RUNS], env=os.environ | variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_small_runs_bit_for_bit(tmp_path: Path) -> None:
    compiled = numbers()
    plain = numbers(JOUNCE_PYTHON="1", JOUNCE_CACHE=str(tmp_path))
    assert plain[:-1] == compiled[:-1]
    assert plain[-1] == "False"  # the translator was not even imported
    assert [path.name for path in tmp_path.iterdir()] == ["models"]  # of the engine nothing was compiled


def test_a_record_is_the_memory_it_lies_on() -> None:
    array = np.zeros(1, PAIR)
    pair = python_mode.Record(array)
    pair.x, pair.n = 2.5, 7
    pair.row[1, 2] = 4.0
    assert array[0]["x"] == 2.5
    assert array[0]["row"][1, 2] == 4.0
    other = python_mode.record_at(record(PAIR))(array.ctypes.data)
    assert (other.x, other.n, other.row[1, 2]) == (2.5, 7, 4.0)
    with pytest.raises(KeyError):
        pair.z = 1.0
    copy = python_mode.Record(np.zeros(1, PAIR))
    python_mode.copy_record(copy, pair)
    pair.n = 8
    assert copy.n == 7


def test_a_record_within_a_record_is_its_memory_too() -> None:
    array = np.zeros(1, np.dtype([("t", "f8"), ("inner", PAIR)], align=True))
    outer = python_mode.Record(array)
    outer.inner.n, outer.inner.row[1, 2] = 7, 4.0
    assert (array[0]["inner"]["n"], array[0]["inner"]["row"][1, 2]) == (7, 4.0)
    inner = outer.inner
    array[0]["inner"]["x"] = 2.5
    assert inner.x == 2.5


def test_pointers_are_views() -> None:
    array = np.arange(6.0).reshape(2, 3)
    behind = python_mode.address(array, 4)
    behind[1] = 10.0
    assert array[1, 2] == 10.0
    assert python_mode.address(behind, 1)[0] == 10.0


def test_arguments_have_the_types_of_the_signature() -> None:
    def types(x, k, p, counts):
        p[0] = x
        counts[1] = k
        return k

    floats, integers = np.zeros(2), np.zeros(2, dtype=np.int64)
    signature = f8(f8, i8, pointer, integer_pointer)
    result = python_mode.call(types, signature, (1, 3.0, floats, integers.ctypes.data))
    assert isinstance(result, np.float64)
    assert (floats[0], integers[1], result) == (1.0, 3, 3.0)
    assert python_mode.call(lambda: 1, void(), ()) is None


def _arithmetic(x, y):
    """Lines as a kernel has them."""
    z = x / y
    z /= y
    root = math.sqrt(x)
    return z, root, x**3, math.log(y), 2.0**x


def test_rules_of_the_compiled_code() -> None:
    plain = python_mode.plain(_arithmetic)
    with np.errstate(all="ignore"):
        quotient, root, cube, logarithm, power = plain(-2.0, 0.0)
    assert (quotient, cube, logarithm, power) == (-math.inf, -8.0, -math.inf, 0.25)
    assert math.isnan(root)
    assert plain.__code__.co_firstlineno == inspect.getsourcelines(_arithmetic)[1]
    assert plain.__code__.co_filename == __file__


def test_a_debugger_stops_in_the_lines_of_the_kernel() -> None:
    function = python_mode.plain(linear.solve_ranked.py_func)
    lines = {line for _, _, line in function.__code__.co_lines() if line}
    source, first = inspect.getsourcelines(linear.solve_ranked.py_func)
    assert lines <= set(range(first, first + len(source)))
    assert len(lines) > 10
