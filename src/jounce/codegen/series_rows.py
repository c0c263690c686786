"""What becomes of a line of straight code along the flow: numbers that stay, and rows, each a power series.

The recurrences are those above codegen/taylor.py. A row knows as text how it is computed at order 0 and at order k from
the names of others: ``a3`` is the value of row 3 at order 0, ``v3`` that at order k.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass, field

#: Whole powers above this have no series: cos(t)^100 is zero with all derivatives that a series of order 10, the least,
#: has (kernels/flow/taylor.py) at pi/2, and nothing there tells of the pulse at pi.
FLATTEST = 10


class NoSeriesError(Exception):
    """The function has parts that are not analytic."""


@dataclass(frozen=True)
class Constant:
    """A number that does not change along the flow, as text."""

    text: str


@dataclass
class Row:
    """A series: how it is computed at order 0 and at order k, with {s} for its sum; ``stored``: its place in memory."""

    index: int
    first: str
    later: str
    parts: tuple[Row, ...]
    sums: list[tuple[Row, Row]] = field(default_factory=list)  # of products, over 0 < j < k
    stored: int = -1
    slope: str = ""  # where it is affine in time: its only later coefficient, that of order 1
    before: bool = False  # it reads the order before from memory
    product: bool = False  # of two rows, and nothing else

    def __hash__(self) -> int:
        return self.index

    @property
    def at_start(self) -> str:
        """The name of its value at order 0."""
        return f"a{self.index}"

    @property
    def at_order(self) -> str:
        """The name of its value at order k."""
        return f"v{self.index}"


Value = Constant | Row


class RowMaker:
    """Makes the rows of one function; equal ones are made once."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.constants: list[str] = []
        self.known: dict[tuple[str, ...], Value] = {}

    def constant(self, text: str) -> Constant:
        """A number that is computed once."""
        key = ("constant", text)
        if key not in self.known:
            name = f"b{len(self.constants)}"
            self.constants.append(f"{name} = {text}")
            self.known[key] = Constant(name)
        found = self.known[key]
        assert isinstance(found, Constant)
        return found

    def row(
        self, first: str, later: str, parts: tuple[Row, ...], sums: Sequence[tuple[Row, Row]] = (), key: str = ""
    ) -> Row:
        """A new row, or with a key that which has the same texts."""
        names = (first, later, key)
        if key and names in self.known:
            found = self.known[names]
            assert isinstance(found, Row)
            return found
        row = Row(len(self.rows), first, later, parts, list(sums))
        self.rows.append(row)
        if key:
            self.known[names] = row
        return row

    def affine(self, first: str, slope: str) -> Row:
        """A row that is affine in time."""
        made = self.row(first, f"({slope} if order < 1.5 else 0.0)", (), key="affine")
        made.slope = slope
        return made

    def linear(self, form: str, *values: Value) -> Value:
        """The same form at every order; it is homogeneous in the series among the values."""
        texts = [value.text if isinstance(value, Constant) else value.at_start for value in values]
        rows = tuple(value for value in values if isinstance(value, Row))
        if not rows:
            return self.constant(form.format(*texts))
        if all(row.slope for row in rows):
            slopes = [value.text if isinstance(value, Constant) else value.slope for value in values]
            return self._after(rows, self.affine(form.format(*texts), self.constant(form.format(*slopes)).text))
        later = [value.text if isinstance(value, Constant) else value.at_order for value in values]
        return self.row(form.format(*texts), form.format(*later), rows, key="linear")

    def _after(self, rows: tuple[Row, ...], made: Row) -> Row:
        """Note what a row needs at order 0."""
        made.parts = rows
        return made

    def _shifted(self, a: Row, first: str, sign: str = "") -> Row:
        """A row plus a number, or the number minus the row."""
        if a.slope:
            return self._after((a,), self.affine(first, self.constant(sign + a.slope).text if sign else a.slope))
        return self.row(first, sign + a.at_order, (a,), key="shift")

    def binary(self, operator: ast.operator, a: Value, b: Value) -> Value:
        """a + b, a - b, a*b or a/b."""
        match operator, a, b:
            case ((ast.Add() | ast.Sub()), Row(), Constant()):
                sign = "+" if isinstance(operator, ast.Add) else "-"
                return self._shifted(a, f"{a.at_start} {sign} {grouped(b.text)}")
            case ast.Add(), Constant(), Row():
                return self._shifted(b, f"{a.text} + {b.at_start}")
            case ast.Sub(), Constant(), Row():
                return self._shifted(b, f"{a.text} - {b.at_start}", "-")
            case ast.Add(), _, _:
                return self.linear("{0} + {1}", a, b)
            case ast.Sub(), _, _:
                return self.linear("{0} - ({1})", a, b)
            case ast.Mult(), Row(), Row():
                return self._product(a, b)
            case ast.Mult(), _, _:
                return self.linear("({0})*({1})", a, b)
            case ast.Div(), _, Row():
                return self._quotient(a, b)
            case ast.Div(), Row(), Constant():
                return self.linear("({0})*({1})", a, self.constant(f"1.0/({b.text})"))
            case ast.Div(), Constant(), Constant():
                return self.constant(f"({a.text})/({b.text})")
        raise NoSeriesError

    def _product(self, a: Row, b: Row) -> Row:
        if b.index < a.index:
            a, b = b, a
        if a is b:
            later = f"{{0}} + 2.0*({a.at_start}*{a.at_order})"
        else:
            later = f"{{0}} + ({a.at_start}*{b.at_order} + {a.at_order}*{b.at_start})"
        made = self.row(f"{a.at_start}*{b.at_start}", later, (a, b), [(a, b)], key="product")
        made.product = True
        return made

    def _quotient(self, a: Value, b: Row) -> Row:
        first = f"{a.text if isinstance(a, Constant) else a.at_start}/{b.at_start}"
        key = ("quotient", first)
        if key in self.known:
            found = self.known[key]
            assert isinstance(found, Row)
            return found
        inverse = self._inverse(b)
        made = self.row(first, "", (b, inverse, *([a] if isinstance(a, Row) else [])))
        load = a.at_order if isinstance(a, Row) else "0.0"
        made.later = f"({load} - {{0}} - {made.at_start}*{b.at_order})*{inverse.at_start}"
        made.sums = [(made, b)]
        self.known[key] = made
        return made

    def _inverse(self, b: Row, factor: str = "1.0") -> Row:
        """factor/b_0, at order 0 only."""
        return self.row(f"{factor}/{b.at_start}", "0.0", (b,), key="inverse")

    def _scaled_by_order(self, a: Row) -> Row:
        """k a_k: the derivative of a, times x."""
        return self.row("0.0", f"order*{a.at_order}", (a,), key="order")

    def whole_power(self, base: Value, exponent: int) -> Value:
        """By squaring, as instructions.py has it."""
        if isinstance(base, Row) and exponent > FLATTEST:
            raise NoSeriesError
        result: Value | None = None
        while True:
            if exponent & 1:
                result = base if result is None else self.binary(ast.Mult(), result, base)
            exponent >>= 1
            if not exponent:
                assert result is not None
                return result
            base = self.binary(ast.Mult(), base, base)

    def chosen(self, condition: str, a: Value, b: Value) -> Row:
        """a or b by a condition that does not change along the flow."""
        first = [value.text if isinstance(value, Constant) else value.at_start for value in (a, b)]
        later = ["0.0" if isinstance(value, Constant) else value.at_order for value in (a, b)]
        rows = tuple(value for value in (a, b) if isinstance(value, Row))
        return self.row(
            f"({first[0]} if {condition} else {first[1]})",
            f"({later[0]} if {condition} else {later[1]})",
            rows,
            key="choice",
        )

    def call(self, name: str, arguments: list[Value]) -> Value:
        """A function of ``math``."""
        if all(isinstance(argument, Constant) for argument in arguments):
            texts = [argument.text for argument in arguments]  # type: ignore[union-attr]
            return self.constant(f"{name}({', '.join(texts)})")
        a = arguments[0]
        if name == "pow" and isinstance(a, Row) and isinstance(arguments[1], Constant):
            return self._power(a, arguments[1])
        if not isinstance(a, Row) or len(arguments) > 1:
            raise NoSeriesError
        key = (name, a.at_start)
        if key not in self.known:
            self._function(name, a)
        if key not in self.known:
            raise NoSeriesError
        return self.known[key]

    def _function(self, name: str, a: Row) -> None:
        """Enter the series of a function of one row, together with the one that it needs."""
        known, rate = self.known, self._scaled_by_order(a)
        match name:
            case "sin" | "cos":
                sine = self.row(f"sin({a.at_start})", "", (rate,))
                cosine = self.row(f"cos({a.at_start})", "", (rate, sine))
                if a.slope:
                    sine.parts, cosine.parts = (a, cosine), (a, sine)
                    sine.before = cosine.before = True
                    sine.later = f"{a.slope}*{cosine.at_order}_before*inverse"
                    cosine.later = f"-({a.slope}*{sine.at_order}_before)*inverse"
                else:
                    sine.parts = (rate, cosine)
                    sine.sums, cosine.sums = [(rate, cosine)], [(rate, sine)]
                    sine.later = f"({{0}} + {rate.at_order}*{cosine.at_start})*inverse"
                    cosine.later = f"-({{0}} + {rate.at_order}*{sine.at_start})*inverse"
                known["sin", a.at_start], known["cos", a.at_start] = sine, cosine
            case "sqrt":
                made = self.row(f"sqrt({a.at_start})", "", (a,))
                half = self._inverse(made, "0.5")
                made.parts, made.sums = (a, half), [(made, made)]
                made.later = f"({a.at_order} - {{0}})*{half.at_start}"
                known[name, a.at_start] = made
            case "log":
                known[name, a.at_start] = self._integral(f"log({a.at_start})", rate, a)
            case "atan":
                square = self.binary(ast.Add(), self._product(a, a), Constant("1.0"))
                assert isinstance(square, Row)
                known[name, a.at_start] = self._integral(f"atan({a.at_start})", rate, square)
            case "tan":
                made = self.row(f"tan({a.at_start})", "", (rate,))
                square = self.binary(ast.Mult(), made, made)
                slope = self.binary(ast.Add(), Constant("1.0"), square)
                assert isinstance(slope, Row)
                made.parts, made.sums = (rate, slope), [(rate, slope)]
                made.later = f"({{0}} + {rate.at_order}*{slope.at_start})*inverse"
                known[name, a.at_start] = made

    def _integral(self, first: str, rate: Row, divisor: Row) -> Row:
        """c with c' divisor = a', of which ``rate`` is a' x."""
        made = self.row(first, "", (rate, divisor))
        own = self._scaled_by_order(made)
        inverse = self._inverse(divisor)
        made.parts, made.sums = (rate, divisor, own, inverse), [(own, divisor)]
        made.later = f"({rate.at_order} - {{0}})*{inverse.at_start}*inverse"
        return made

    def _power(self, a: Row, exponent: Constant) -> Value:
        key = ("pow", a.at_start, exponent.text)
        if key not in self.known:
            made = self.row(f"pow({a.at_start}, {exponent.text})", "", (a,))
            rate, own, inverse = self._scaled_by_order(a), self._scaled_by_order(made), self._inverse(a)
            made.parts, made.sums = (a, rate, own, inverse), [(rate, made), (own, a)]
            load = f"({exponent.text})*({{0}} + {rate.at_order}*{made.at_start}) - {{1}}"
            made.later = f"({load})*{inverse.at_start}*inverse"
            self.known[key] = made
        return self.known[key]


def closure(values: Sequence[Value | None]) -> set[Row]:
    """The rows among the values and all that they are computed from."""
    stack = [value for value in values if isinstance(value, Row)]
    found: set[Row] = set()
    while stack:
        row = stack.pop()
        if row not in found:
            found.add(row)
            stack.extend(row.parts)
    return found


def grouped(text: str) -> str:
    """A text that can follow an operator."""
    return f"({text})" if text.startswith("-") else text
