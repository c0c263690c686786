"""Kernels that are written at random: what Python gives, the compiled code gives, to the last bit."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jounce.toolchain import python_mode
from jounce.toolchain.jit import Kernel, address
from jounce.toolchain.translation.module import TranslationError
from tests.toolchain.test_translation import bits

WHOLE, REAL = ("a", "b", "c"), ("x", "y", "z")
SIZE = 8
BELOW = """
def less(x: float, y: float) -> float:
    if x > y:
        return x - y
    return 0.5 * x + y


def swapped(x: float, y: float) -> tuple[float, float]:
    return y, x


def total(row) -> float:
    total = 0.0
    for k in range(row.size):
        total += row[k]
    return total


def divisor(a: int, b: int) -> int:
    return a if b == 0 else divisor(b, a % b)


def pushed(r, x: float) -> None:
    r.x -= x
    r.n = (r.n + 7) % 1009
"""
PAIR = np.dtype([("x", "f8"), ("n", "i8"), ("row", "f8", (2, 3))], align=True)
LARGEST, LEAST = (1 << 63) - 1, -(1 << 63)
_files = itertools.count()


def written(folder: Path, lines: str, **names: Any) -> Callable[..., Any]:
    """A function of a file, as the translator wants it."""
    file = folder / f"kernels_{next(_files)}.py"
    file.write_text(lines)
    space: dict[str, Any] = {"math": math, **names}
    exec(compile(lines, str(file), "exec"), space)
    return space["f"]


def functions_below(folder: Path, made: Callable[[Any], Any]) -> dict[str, Any]:
    """The functions that kernels call, which call one another as they are made."""
    file = folder / "kernels_below.py"
    file.write_text(BELOW)
    space: dict[str, Any] = {}
    exec(compile(BELOW, str(file), "exec"), space)
    names = [name for name in space if not name.startswith("__")]
    space.update({name: made(space[name]) for name in names})
    return {name: space[name] for name in names}


class Author:
    """Writes a kernel: whole numbers are kept small by remainders, so that Python's stay within 64 bits."""

    def __init__(self, chance: random.Random) -> None:
        self.chance, self.lines, self.depth, self.loops, self.counters = chance, [], 1, 0, 0

    def text(self) -> str:
        for _ in range(self.chance.randint(3, 8)):
            self.statement(3)
        arguments = "a: int, b: int, c: int, x: float, y: float, z: float, r, t, p"
        return "\n".join([f"def f({arguments}):", *self.lines, "    return a, b, c, x, y, z"]) + "\n"

    def write(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def whole(self, deep: int) -> str:
        pick = self.chance.choice
        if deep == 0:
            return pick([*WHOLE, str(self.chance.randint(-9, 9)), str(SIZE)])
        left, right, real = self.whole(deep - 1), self.whole(deep - 1), self.real(0)
        return pick([
            f"(({left} {pick('+-*')} {right}) % 10007)", f"({left} // ({right} % 7 + 1))", f"({left} // -3)",
            f"({left} % ({right} % 5 - 6))", f"({left} {pick('&|^')} {right})", f"({left} >> ({right} % 60))",
            f"max({left}, {right})", f"min({left}, {right}, 5)", f"abs({left})", f"(-{left})",
            f"({left} if {self.truth(deep - 1)} else {right})", f"({left} and {right})", f"({left} or {right})",
            f"(int({real}) % 1009 if abs({real}) < 1e15 else {left})",
            f"({self.truth(deep - 1)}) + {left}", "p.n", f"divisor({left} % 100, {right} % 100)",
        ])  # fmt: skip

    def real(self, deep: int) -> str:
        pick = self.chance.choice
        if deep == 0:
            return pick([*REAL, "0.5", "-2.0", "3", self.element()])
        left, right = self.real(deep - 1), self.real(deep - 1)
        return pick([
            f"({left} {pick('+-*/')} {right})", f"max({left}, {right})", f"min({left}, {right})", f"abs({left})",
            f"(-{left})", f"({left} if {self.truth(deep - 1)} else {right})", f"{left} ** {pick((0, 1, 2, 3, -2))}",
            f"math.copysign({left}, {right})", f"math.sqrt(abs({left}))", f"({left} or {right})",
            f"({self.whole(deep - 1)} / {right})", f"({self.whole(deep - 1)} * {left})",
            f"less({left}, {right})", f"swapped({left}, {right})[0]", f"total({pick(('r', 't[1]', 'p.row[0]'))})",
            f"({left}, {right}, {self.whole(0)})[{self.whole(0)} % 3]", "p.x",
            f"address(r, {self.whole(0)} % 4)[{self.whole(0)} % 4]",
        ])  # fmt: skip

    def truth(self, deep: int) -> str:
        pick = self.chance.choice
        value = self.whole if self.chance.random() < 0.5 else self.real
        plain = f"{value(0)} {pick(('<', '<=', '>', '>=', '==', '!='))} {value(0)}"
        if deep == 0:
            return plain
        return pick([
            plain, f"{value(0)} < {value(0)} <= {value(0)} != {value(0)}", f"(not {self.truth(deep - 1)})",
            f"({self.truth(deep - 1)} and {self.truth(deep - 1)})",
            f"({self.truth(deep - 1)} or {self.truth(deep - 1)})",
            f"{self.whole(0)} in ({self.whole(0)}, {self.whole(0)}, 2)",
        ])  # fmt: skip

    def element(self) -> str:
        first, second = self.chance.choice(WHOLE), self.chance.choice(WHOLE)
        places = (f"r[{first} % {SIZE}]", f"t[{first} % 2, {second} % 3]", f"t[{first} % 2][2]", "p.x")
        return self.chance.choice((*places, f"p.row[{first} % 2, {second} % 3]"))

    def block(self, deep: int) -> None:
        self.depth += 1
        for _ in range(self.chance.randint(1, 3)):
            self.statement(deep)
        self.depth -= 1

    def statement(self, deep: int) -> None:
        pick, chance = self.chance.choice, self.chance.random()
        if deep and chance < 0.15:
            self.write(f"if {self.truth(2)}:")
            self.block(deep - 1)
            if self.chance.random() < 0.5:
                self.write("else:")
                self.block(deep - 1)
        elif deep and self.loops < 3 and chance < 0.35:
            self.loop(deep)
        elif self.loops and chance < 0.42:
            self.write(f"if {self.truth(1)}:")
            self.depth += 1
            self.write(pick(("break", "continue", "return a, b, c, x, y, z")))
            self.depth -= 1
        elif chance < 0.5:
            self.write(f"{self.element()}, {self.element()} = {self.element()}, {self.element()}")
        elif chance < 0.55:
            self.write(f"a, {self.element()}, b = b, {self.real(1)}, {self.whole(1)}")
        elif chance < 0.65:
            self.write(f"{self.element()} {pick('+-*')}= {self.real(1)}")
        elif chance < 0.8:
            self.write(f"{pick(WHOLE)} = {self.whole(2)}")
        elif chance < 0.82:
            first, second = self.whole(0), self.whole(0)
            self.write(pick((
                f"x, {self.element()} = swapped({self.real(1)}, y)", f"pushed(p, {self.real(1)})",
                f"r[{first} % 4 : {second} % 8] = {self.real(1)}", f"p.n = {self.whole(2)} % 1009",
                f"c, p.n = p.n, {first} % 1009",
            )))  # fmt: skip
        elif chance < 0.85:
            self.write(f"{pick(WHOLE)} {pick(('//=', '%='))} {self.whole(0)} % 5 + 1")
        elif chance < 0.9:
            self.write(f"x = y = {self.real(2)}")
        else:
            self.write(f"{pick(REAL)} = {self.real(2)}")

    def loop(self, deep: int) -> None:
        self.loops += 1
        self.counters += 1
        pick, name = self.chance.choice, f"k{self.counters}"
        kind = pick(("range", "while", "values"))
        if kind == "range":
            low, high = self.whole(0), self.whole(0)
            limits = pick(
                (f"{high} % 6", f"{low} % 5, {high} % 7", f"{low} % 7, {high} % 5, -2", f"0, 5, {low} % 3 + 1")
            )
            self.write(f"for {name} in range({limits}):")
        elif kind == "values":
            self.write(f"for {name} in ({self.whole(1)}, {self.whole(0)}, 4):")
        else:
            self.write(f"{name} = 0")
            self.write(f"while {name} < 5 and {self.truth(1)}:")
            self.write(f"    {name} += 1")
        self.depth += 1
        self.write(f"c = c + {name} % 11")
        self.depth -= 1
        self.block(deep - 1)
        self.loops -= 1


def outcome(function: Callable[..., Any], whole: tuple[int, ...], reals: tuple[Any, ...]) -> object:
    rows = np.array([1.5, -0.0, 0.0, 7.25, -3.0, 1e308, math.nan, -math.inf])
    table = np.array([[0.5, -1.5, 1e-300], [math.inf, 2.0, -0.0]])
    pair = np.zeros(1, PAIR)
    pair["x"], pair["n"], pair["row"] = -0.75, 5, table[::-1] * 2.0
    with np.errstate(all="ignore"):
        result = function(
            *whole, *reals, rows, table, pair if isinstance(function, Kernel) else python_mode.Record(pair)
        )
    numbers = [*rows.tolist(), *table.ravel().tolist(), pair["x"][0].item(), *pair["row"].ravel().tolist()]
    wide = zip(result, (int,) * 3 + (float,) * 3, strict=True)
    return bits(tuple(kind(value) for value, kind in wide)), bits(tuple(numbers)), pair["n"][0].item()


@pytest.mark.parametrize("seed", range(60))
def test_random_kernels(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    text = Author(chance).text()
    compiled, plain = (
        made(written(tmp_path, text, address=address, **functions_below(tmp_path, made)))
        for made in (Kernel, python_mode.plain)
    )
    values = (0.0, -0.0, 1.5, -2.25, 1e-3, 7e9, 1e300, math.inf, math.nan)
    for _ in range(5):
        whole = tuple(chance.randint(-50, 50) for _ in WHOLE)
        reals = tuple(np.float64(chance.choice(values)) for _ in REAL)
        assert outcome(compiled, whole, reals) == outcome(plain, whole, reals)


def wrapped(value: int) -> int:
    """The number that 64 bits leave of a whole number."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


BITS = """def f(a: int, b: int) -> tuple[int, int, int, int, int, int, int]:
    return a + b, a - b, a * b, a << b, a >> b, a // b, a % b
"""


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(LEAST, LARGEST), st.integers(LEAST, LARGEST) | st.integers(-70, 70))
def test_whole_numbers_of_64_bits(tmp_path: Path, a: int, b: int) -> None:
    if not hasattr(test_whole_numbers_of_64_bits, "kernel"):
        test_whole_numbers_of_64_bits.kernel = Kernel(written(tmp_path, BITS))  # type: ignore[attr-defined]
    result = test_whole_numbers_of_64_bits.kernel(a, b)  # type: ignore[attr-defined]
    assert result[:3] == (wrapped(a + b), wrapped(a - b), wrapped(a * b))
    if b >= 0:
        assert result[3:5] == (wrapped(a << min(b, 64)), a >> min(b, 64))
    assert result[5:] == ((wrapped(a // b), a % b) if b else (0, 0))


def test_the_least_number_by_minus_one_does_not_end_the_process(tmp_path: Path) -> None:
    kernel = Kernel(written(tmp_path, BITS))
    assert kernel(LEAST, -1)[5:] == (LEAST, 0)
    assert kernel(5, 0)[5:] == (0, 0)


def test_reals_beyond_whole_numbers(tmp_path: Path) -> None:
    lines = "def f(x: float) -> tuple[int, int, int]:\n    return int(x), math.floor(x), math.ceil(x)\n"
    kernel = Kernel(written(tmp_path, lines))
    assert kernel(1e300) == (LARGEST,) * 3
    assert kernel(-math.inf) == (LEAST,) * 3
    assert kernel(math.nan) == (0, 0, 0)
    for x in (-2.5, -0.0, 0.5, 4.0e15 + 0.5, -(2.0**62), 2.0**62):
        assert kernel(x) == (int(x), math.floor(x), math.ceil(x))


def test_powers_and_functions_are_those_of_python(tmp_path: Path) -> None:
    """LLVM would take x * x, sqrt(x) and exp2(y) for what pow gives, which is not the same for every number."""
    lines = """def f(x: float, y: float) -> tuple[float, float, float, float, float]:
    return x**0.5, x**2.0, 2.0**y, x**y, math.hypot(x, y)
"""
    function = written(tmp_path, lines)
    kernel, chance = Kernel(function), random.Random(5)
    for _ in range(2000):
        x, y = chance.expovariate(0.1), chance.gauss(0.0, 9.0)
        assert kernel(x, y)[:4] == (x**0.5, x**2.0, 2.0**y, x**y)
        assert kernel(x, y) == python_mode.plain(function)(x, y)


SHADE = 1.0
SHADES = ((1, 2), (3, 4))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("while x > 1.0:\n        x -= 1.0\n    else:\n        x = 5.0", "else behind a loop"),
        ("for k in range(1, 5, 0):\n        x += k", "a range in steps of 0"),
        ("for k in range(1, 5, 1, 1):\n        x += k", "a range of 4 limits"),
        ("x += SHADE\n    SHADE = 2.0", "SHADE is read before it is assigned"),
        ("for k in range(3):\n        x += SHADE if k > 0 else 0.0\n        SHADE = 5.0", "SHADE is read before"),
        ("x += r[-1]", "place -1 of an array"),
        ("r[-2:] = x", "place -2 of an array"),
        ("x += (x, 2.0)[2]", "place 2 of 2"),
        ("x += SHADES[int(x)]", "a tuple of tuples"),
        ("x = max((x, 2.0))", "1 arguments of"),
        ("x = math.log(x, 2.0)", "math.log of 2 numbers"),
        ("x = math.hypot(x, 1.0, 2.0)", "math.hypot of 3 numbers"),
        ("x = float(int(x, 2))", "2 arguments of"),
        ("x = float(1 << 70)", "has more than 64 bits"),
        ("x = float(int(x) << -1)", "a shift by -1 bits"),
        ("x = float(2 ** int(x))", "exponent that may be negative"),
        ("x = x if x in (1.0, 2.0) else 0.0", "a real number in a tuple"),
        ("x = 1.0 if complex(x, 0.0) < complex(0.0, x) else 0.0", "an order of complex numbers"),
        ("x = complex(x).real", "1 arguments of"),
        ("if x > 0.0:\n        return x\n    while x > 1.0:\n        return 2.0", "its end is reached"),
        ("if x > 0.0:\n        return", "now a result, now none"),
        ("x = g(x, x)", "2 arguments of g, which takes 1"),
        ("x = g()", "0 arguments of g, which takes 1"),
        ("x = python_mode.CHOSEN + x", "import it by its own name"),
        ("x //= 2.0", "no operator FloorDiv of float"),
        ("x = -2.0 if x else (1.0, 2.0)", "or 2 values"),
    ],
)
def test_what_would_be_another_thing_than_in_python_is_refused(tmp_path: Path, lines: str, message: str) -> None:
    def g(x: float) -> float:
        return x

    text = f"def f(x: float, r) -> float:\n    {lines}\n" + ("" if "return" in lines else "    return x\n")
    function = written(tmp_path, text, SHADE=SHADE, SHADES=SHADES, g=Kernel(g), python_mode=python_mode)
    with pytest.raises(TranslationError, match=message) as caught:
        Kernel(function)(1.0, np.ones(4))
    assert f"{function.__code__.co_filename}:" in str(caught.value)


def test_an_edited_number_is_refused_and_an_edited_description_is_not(tmp_path: Path) -> None:
    """The instructions of both texts are the same; the number is a new one, so that no code of it is kept."""
    number = random.Random().random()
    text = f'def f(x: float) -> float:\n    """One."""\n    return {number} * x\n'
    for edited in (text.replace(f"{number}", f"{number + 1.0}"), text.replace("One", "Two")):
        function = written(tmp_path, text)
        Path(function.__code__.co_filename).write_text(edited, encoding="utf-8")
        if "One" in edited:
            with pytest.raises(TranslationError, match="was edited since f was imported"):
                Kernel(function)(1.0)
        else:
            assert Kernel(function)(1.0) == number


def test_a_result_that_is_nothing_is_found_all_the_same(tmp_path: Path) -> None:
    def add(r) -> None:
        r[0] += 1.0

    function = written(tmp_path, "def f(r) -> None:\n    return add(r)\n", add=Kernel(add))
    numbers = np.zeros(1)
    Kernel(function)(numbers)
    assert numbers[0] == 1.0
