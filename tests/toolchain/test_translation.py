"""The translator of kernels: what Python gives, the compiled code gives, to the last bit; what it cannot do it says."""

from __future__ import annotations

import ast
import itertools
import math
import struct
from pathlib import Path

import numpy as np
import pytest

import jounce.kernels
from jounce.toolchain import python_mode
from jounce.toolchain.abi import f8, f8_1d, f8_2d, i8_1d, pointer, record
from jounce.toolchain.compiler import compiled
from jounce.toolchain.jit import Block, Kernel, address, copy_record, scratch
from jounce.toolchain.kernel_types import Complex, Integer, Integers, Numbers, Real, Reals, Reals2, Scalar, Truth
from jounce.toolchain.translation.module import TranslationError, entry_text, instance
from jounce.toolchain.translation.types import COMPLEX, FLOAT, INT, UNKNOWN, Rows, record_type

REALS = (0.0, -0.0, 1.0, -1.0, 0.1, -2.5, 3.75, 7.0, 1e300, -1e-300, math.inf, -math.inf, math.nan)
WHOLE = (0, 1, -1, 2, 3, -3, 7, -8, 64, 1 << 40, -(1 << 40))
TABLE = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
WEIGHTS = (2.0, 3.0, 5.0)
PAIR = np.dtype([("x", "f8"), ("n", "i8"), ("row", "f8", (2, 3))], align=True)
NESTED = np.dtype([("t", "f8"), ("inner", PAIR), ("count", "i8")], align=True)


def bits(value: object) -> object:
    """To the last bit; one NaN is as good as another."""
    if isinstance(value, tuple):
        return tuple(map(bits, value))
    if isinstance(value, float):
        return "nan" if math.isnan(value) else struct.pack("d", value)
    return int(value) if isinstance(value, bool | np.integer | int) else value


def agree(function, *values) -> None:
    """The compiled function and the same as Python (python_mode.py) for all combinations of arguments."""
    fast, plain = Kernel(function), python_mode.plain(function)
    for arguments in itertools.product(*values):
        with np.errstate(all="ignore"):
            expected = plain(*(np.float64(x) if isinstance(x, float) else x for x in arguments))
        expected = tuple(map(float_or_whole, expected)) if isinstance(expected, tuple) else float_or_whole(expected)
        assert bits(fast(*arguments)) == bits(expected), arguments


def float_or_whole(value: object) -> object:
    return float(value) if isinstance(value, np.floating) else value


def real_operators(x: Real, y: Real) -> tuple[Real, Real, Real, Real, Real, Real]:
    return x + y, x - y, x * y, x / y, -x, abs(y)


def real_choices(x: Real, y: Real) -> tuple[Real, Real, Truth, Truth, Truth, Truth, Truth, Truth]:
    return max(x, y, 0.5), min(x, y, 0.5), x < y, x <= y, x == y, x != y, x > y, x >= y


def real_powers(x: Real) -> tuple[Real, Real, Real, Real]:
    return x**2, x**3, x**7, 3 * x**5


def real_functions(x: Real, y: Real) -> tuple[Truth, Truth, Truth, Real, Real]:
    return math.isnan(x), math.isinf(x), math.isfinite(x), math.copysign(x, y), math.sqrt(abs(x))


def remainder(x: Real, y: Real) -> Real:
    return x % y


def chained(x: Real, y: Real, z: Real) -> Truth:
    return x < y <= z


def test_operators_of_reals() -> None:
    agree(real_operators, REALS, REALS)
    agree(real_choices, REALS, REALS)
    agree(real_powers, REALS)
    agree(real_functions, REALS, REALS)
    finite = [x for x in REALS if math.isfinite(x)]
    agree(remainder, finite, [y for y in finite if y])
    agree(chained, REALS[:9], REALS[:9], REALS[:9])


def whole_operators(a: Integer, b: Integer) -> tuple[Integer, Integer, Integer, Integer, Integer, Integer, Integer]:
    return a + b, a - b, a // b, a % b, a & b, a | b, a ^ b


def by_constants(a: Integer) -> tuple[Integer, Integer, Integer, Integer, Integer, Integer]:
    return a // 8, a % 8, a // 3, a % 3, a >> 2, a // -4


def test_whole_numbers_are_divided_as_in_python() -> None:
    agree(whole_operators, WHOLE, [b for b in WHOLE if b])
    agree(by_constants, WHOLE)
    assert Kernel(whole_operators)(5, 0)[2:4] == (0, 0)


def mixed(a: Integer, x: Real, b: Truth) -> tuple[Real, Real, Integer, Integer, Real, Truth]:
    return a * x, a / 4, a + b, int(x), float(a), b or a > 3


def test_numbers_of_several_types() -> None:
    agree(mixed, WHOLE[:8], (0.5, -2.75, 1e9), (True, False))


def whole_exponent(x: Real, k: Integer) -> tuple[Real, Real]:
    return x**k, 2.0**k


def whole_base(a: Integer) -> tuple[Integer, Integer, Real]:
    return a**3, a**0, a**-1


def real_exponent(x: Real, y: Real) -> Real:
    return x**y


def test_powers() -> None:
    for x, k in itertools.product((0.5, 2.0, -4.0), range(-9, 10)):  # exact, however they are found
        assert Kernel(whole_exponent)(x, k) == (x**k, 2.0**k)
    for a in (-3, 2, 7):
        assert Kernel(whole_base)(a) == (a**3, a**0, a**-1)
    for x, y in itertools.product((0.3, 2.0, 9.5), (-1.5, 0.0, 0.5, 3.0)):
        assert Kernel(real_exponent)(x, y) == pytest.approx(x**y, rel=1e-15)


def looked_at(x: Real, out: Reals) -> Truth:
    out[0] += 1.0
    return x > 0.0


_looked_at = Kernel(looked_at)


def short(x: Real, y: Real, out: Reals) -> tuple[Truth, Real]:
    both = _looked_at(x, out) and _looked_at(y, out)
    return both, out[0]


def test_what_need_not_be_looked_at_is_not() -> None:
    assert Kernel(short)(1.0, 1.0, np.zeros(1)) == (True, 2.0)
    assert Kernel(short)(-1.0, 1.0, np.zeros(1)) == (False, 1.0)


def loops(n: Integer, step: Integer) -> tuple[Integer, Integer, Integer, Integer]:
    up = down = odd = k = 0
    for i in range(n):
        if i % 2 == 0:
            continue
        odd += i
        i = 100  # the loop goes on where it was
    for k in range(n, 0, -step):
        down += k
    for value in (3, n, step):
        up += value
    while True:
        n -= 1
        if n < 0:
            break
    return odd, down, up, k


def test_loops() -> None:
    agree(loops, (0, 1, 5, 8), (1, 2, 3))


def grown(n: Integer) -> tuple[Real, Integer]:
    total = 0
    best = 0
    for k in range(n):
        best = k if k > 2 else best
        total = total + 0.5 * k
    return total, best


def test_a_variable_has_the_widest_of_its_types() -> None:
    assert Kernel(grown)(6) == (7.5, 5)
    assert Kernel(grown)(0) == (0.0, 0)


def reads(table: Reals2, k: Integer) -> tuple[Real, Real, Real, Integer]:
    part = table[1]
    return TABLE[k, 2] + WEIGHTS[k], part[k], address(table, 4)[0], table.shape[0] * 10 + part.size


def test_tables_and_parts_of_arrays() -> None:
    assert Kernel(reads)(2.0 * TABLE, 1) == (9.0, 10.0, 10.0, 23)


def writes(pair, other, counts: Integers) -> Integer:
    pair.inner.row[1, 2] += 4.0
    pair.inner.n, pair.t = counts[1], pair.inner.x
    copy_record(other, pair)
    pair.inner.n += 1
    return other.inner.n + other.count


def test_records_within_records() -> None:
    pair, other = np.zeros(1, NESTED), np.zeros(1, NESTED)
    pair["inner"]["x"], pair["count"] = 2.5, 3
    assert Kernel(writes)(pair, other, np.array([5, 7])) == 10
    assert (pair["inner"]["row"][0, 1, 2], pair["t"][0], pair["inner"]["n"][0]) == (4.0, 2.5, 8)
    assert other["inner"]["n"][0] == 7


def generic(x: Scalar, row: Numbers[Scalar]) -> Scalar:
    return x * x + row[0]


_generic = Kernel(generic)


def kept(a: Real, b: Real) -> tuple[Real, Real, Real, Truth]:
    row = scratch(0j)
    row[1] = complex(a, b)
    z: Complex = _generic(row[1], address(row, 1))
    return z.real, z.imag, _generic(a, address(TABLE, 0)), z != 0.0


def test_complex_numbers() -> None:
    def product(a: Real, b: Real, c: Real, d: Real) -> tuple[Real, Real, Real, Real]:
        z, w = complex(a, b), complex(c, d)
        both, ratio = z * w, z / w
        return both.real, both.imag, ratio.real, ratio.imag

    for a, b, c, d in itertools.product((0.0, 1.5, -2.0), (0.5, -3.0), (4.0, -0.25), (0.0, 2.0, -1e200)):
        z, w = complex(a, b), complex(c, d)
        assert Kernel(product)(a, b, c, d) == ((z * w).real, (z * w).imag, (z / w).real, (z / w).imag)
        both = z * z + z
        assert Kernel(kept)(a, b) == (both.real, both.imag, a * a + 1.0, True)
    results = [instance(generic, (kind, Rows(kind, (UNKNOWN,)))).result for kind in (FLOAT, COMPLEX)]
    assert results == [FLOAT, COMPLEX]


def factorial(n: Integer) -> Integer:
    return 1 if n < 2 else n * _factorial(n - 1)


_factorial = Kernel(factorial)


def test_a_kernel_may_call_itself() -> None:
    assert _factorial(10) == math.factorial(10)


def test_one_version_of_a_kernel_for_all_numbers() -> None:
    before = instance(whole_operators, (INT, INT))
    assert instance(whole_operators, (INT, INT)) is before
    with_real = instance(real_powers, (INT,))
    assert with_real.arguments == (FLOAT,)
    assert with_real is instance(real_powers, (FLOAT,))


def test_sizes_are_not_read_again_after_a_number_was_stored() -> None:
    """What lies in a record under a name of its own is not what lies in a row: LLVM reads it once."""

    def fill(pair, out: Reals) -> None:
        for k in range(pair.n):
            out[k] = 1.5

    text = entry_text(fill, (record_type(PAIR), Rows(FLOAT, (UNKNOWN,))), "fill")[0]
    assert text.count("!tbaa") >= 2
    names = {line.split('"')[1] for line in text.splitlines() if line.startswith("!") and '!"' in line}
    assert "float" in names
    assert any(name.endswith(".n") for name in names)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("    return [x, x]", "kernels have no List"),
        ("    return y", "y is read before it is assigned"),
        ("    return x.nothing", "has no nothing"),
        ("    return sorted(x)", "cannot call"),
        ("    with x:\n        pass", "kernels have no With"),
        ("    y = x\n    y = (x, x)\n    return y[0]", "y is a number of type float and then 2 values"),
        ("    for k in x:\n        pass", "a loop over something else than a range or a tuple"),
        ("    return f(a=x)", "arguments have no names"),
        ("    return x[0]", "has no elements"),
        ("    return x & 1", "bits of a real number"),
        ('    return "text"', "is no value of a kernel"),
    ],
)
def test_what_kernels_cannot_do_is_said_with_its_line(tmp_path: Path, lines: str, message: str) -> None:
    file = tmp_path / "kernels_of_a_test.py"
    file.write_text(f"def f(x: float) -> float:\n{lines}\n")
    space: dict[str, object] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    with pytest.raises(TranslationError, match=message) as caught:
        compiled(space["f"], f8(f8), "jounce_test_refused")  # type: ignore[arg-type]
    assert "kernels_of_a_test.py:" in str(caught.value)


def test_a_file_that_was_edited_meanwhile_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "edited.py"
    file.write_text("def f(x: float) -> float:\n    return x\n")
    space: dict[str, object] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    file.write_text("def f(x: float) -> float:\n    return 2.0 * x\n")
    with pytest.raises(TranslationError, match="was edited since f was imported"):
        compiled(space["f"], f8(f8), "jounce_test_edited")  # type: ignore[arg-type]


def test_arguments_of_c() -> None:
    def gather(pair, table: Reals2, weights: Reals, counts: Integers, out: Reals) -> Real:
        for i in range(table.shape[0]):
            for j in range(table.shape[1]):
                pair.row[i, j] += weights[j] * table[i, j]
        out[0] = counts.size + counts[1]
        return table.shape[1]

    block = Block(gather, f8(record(PAIR), f8_2d, f8_1d, i8_1d, pointer), "jounce_test_gathered", of_engine=False)
    pair, out = np.zeros(1, PAIR), np.zeros(1)
    assert block(pair, TABLE, np.array(WEIGHTS), np.array([4, 5], dtype=np.int64), out) == 3.0
    assert pair["row"][0].tolist() == (TABLE * WEIGHTS).tolist()
    assert out[0] == 7.0


def test_no_kernel_counts_from_the_end_of_an_array() -> None:
    """Compiled code would read what lies before the array."""
    found = []
    for file in sorted(Path(jounce.kernels.__file__).parent.rglob("*.py")):
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(function, ast.FunctionDef) or not function.decorator_list:
                continue
            for node in ast.walk(function):
                if isinstance(node, ast.Subscript):
                    indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                    negative = [k for k in indices if isinstance(k, ast.UnaryOp) and isinstance(k.op, ast.USub)]
                    found += [f"{file.name}:{index.lineno}" for index in negative]
    assert not found
