"""Expressions as nested lists of names and numbers: the form in which files keep them, and its reader.

    tree       symbol | whole number | decimal | ["/", p, q] | ["pi"] | ["E"] | [function, tree, ...]
               | ["Piecewise", [tree, condition], ...]
               | ["Curve", tree, [break, ...], [[coefficient, ...], ...], true | false]
               | ["Foot" | "Distance" | ..., tree, tree, x, y, start, end]      (profiles.py)
               | [..., start, end, open, [[tree, least, largest], ...]]         what the curve depends on
    x, y       trees in the one symbol "s.", the parameter of a closed curve from start to end
    condition  ["true"] | ["false"] | [relation, tree, tree] | ["And" | "Or", condition, ...] | ["Not", condition]

The reader accepts this grammar and nothing else, each part by its type: a list where a number belongs never reaches
SymPy, whose constructors evaluate text. SymPy works exactly, so a short text can ask for a number that fills the
memory (9**9**9) or for 1e11 digits (sin(exp(exp(25)))). Two rules bound this before anything is built: a part without
symbols must have a finite value in doubles, and whole numbers and exponents have a largest size.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from typing import Any

import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model.arithmetic import OPERATIONS, Number, quotient
from jounce.model.cases import Abs, Piecewise
from jounce.model.curve_arcs import MOST_VALUES, VALUES, S
from jounce.model.curves import Curve, Points
from jounce.model.profiles import FUNCTIONS as PROFILE_FUNCTIONS
from jounce.model.profiles import profile_of

#: Bits of the whole numbers in a fraction: every double is a fraction of such numbers.
MOST_BITS = 1100
#: The largest exponent: powers of sums are multiplied out in places.
LARGEST_EXPONENT = 1000
#: Levels of nesting and parts of one expression; the largest machine shipped has 21 levels and 8e4 parts in all.
MOST_LEVELS = 200
MOST_PARTS = 1_000_000
#: Breaks of a curve (tables.py makes no more) and coefficients of a piece: cubics, and their integrals.
MOST_BREAKS = 1001
MOST_COEFFICIENTS = 5

_MANY = 10_000
_CONSTANTS: dict[str, Any] = {"pi": sp.pi, "E": sp.E}
_TRUTHS: dict[str, Any] = {"true": sp.true, "false": sp.false}
_ONE_ARGUMENT = (
    *(sp.sin, sp.cos, sp.tan, sp.asin, sp.acos, sp.atan, sp.sinh, sp.cosh, sp.tanh, sp.asinh, sp.acosh, sp.atanh),
    *(sp.exp, sp.log, Abs, sp.sign),
)
#: Function of a model -> how many arguments it takes.
FUNCTIONS: dict[str, Any] = {
    **{function.__name__: (function, 1, 1) for function in _ONE_ARGUMENT},
    "atan2": (sp.atan2, 2, 2),
    "Max": (sp.Max, 2, _MANY),
    "Min": (sp.Min, 2, _MANY),
    "Heaviside": (sp.Heaviside, 1, 2),
}
_ALGEBRA: dict[str, Any] = {"Add": (sp.Add, 2, _MANY), "Mul": (sp.Mul, 2, _MANY), "Pow": (sp.Pow, 2, 2)}
_RELATIONS: dict[str, Any] = {
    relation.__name__: (relation, 2, 2)
    for relation in (
        *(sp.StrictLessThan, sp.LessThan, sp.StrictGreaterThan, sp.GreaterThan, sp.Equality, sp.Unequality),
    )
}
_LOGIC: dict[str, Any] = {"And": (sp.And, 2, 256), "Or": (sp.Or, 2, 256), "Not": (sp.Not, 1, 1)}
_UNORDERED = ("Max", "Min", "And", "Or")
# built as they stand: comparing the arguments with one another takes the square of their number, or for ever
_AS_THEY_STAND = ("Max", "Min", *_RELATIONS)


def to_tree(expression: sp.Basic, level: int = 0) -> Any:
    """An expression as nested lists of names and numbers, ready for JSON and the same in every session."""
    if level > MOST_LEVELS:
        raise ModelError(f"an expression is nested in more than {MOST_LEVELS} levels; write it flatter")
    if isinstance(expression, sp.Symbol):
        return expression.name
    if isinstance(expression, sp.Integer):
        return int(expression)
    if isinstance(expression, sp.Rational):
        return ["/", int(expression.p), int(expression.q)]
    if isinstance(expression, sp.Float):
        return float(expression)
    for name, constant in (_CONSTANTS | _TRUTHS).items():
        if expression == constant:
            return [name]
    kind = type(expression).__name__
    if kind == "Piecewise":
        return [kind, *([to_tree(part, level + 2) for part in case.args] for case in expression.args)]
    if isinstance(expression, Curve):
        argument, points = expression.args
        pieces = [list(piece) for piece in points.pieces]
        return [kind, to_tree(argument, level + 1), list(points.breaks), pieces, points.repeats]
    if kind in PROFILE_FUNCTIONS:
        u, v, profile, *values = expression.args
        curve, ranges = profile.parts, profile.ranges
        given = [[to_tree(value, level + 2), *ends] for value, ends in zip(values, ranges, strict=True)]
        more = [profile.is_open, given] if profile.is_open or given else []
        return [kind, to_tree(u, level + 1), to_tree(v, level + 1), *curve[:4], *more]
    if kind == "ITE":  # what SymPy makes of a comparison with a Piecewise
        condition, yes, no = expression.args
        return to_tree(sp.Or(sp.And(condition, yes), sp.And(sp.Not(condition), no)), level)
    arguments = [to_tree(argument, level + 1) for argument in expression.args]
    return [kind, *(sorted(arguments, key=repr) if kind in _UNORDERED else arguments)]


def from_tree(tree: Any, symbols: Mapping[str, sp.Symbol], where: str = "expression") -> sp.Expr:
    """The expression of a tree in these symbols; a ModelError says where it is none."""
    return TreeReader(symbols, where).expression(tree)


class TreeReader:
    """Reads one tree from the leaves up; every part comes with its value where it has no symbols, else None."""

    def __init__(self, symbols: Mapping[str, sp.Symbol], where: str) -> None:
        self.symbols, self.where = symbols, where
        self.path: list[int] = []
        self.parts = 0

    def expression(self, tree: Any) -> sp.Expr:
        """The whole of it."""
        return self._number(tree)[0]

    def _refuse(self, why: str) -> ModelError:
        place = "".join(f"[{k}]" for k in self.path)
        return ModelError(f"{self.where}{f', part {place}' if place else ''}: {why}")

    def _enter(self) -> None:
        self.parts += 1
        if self.parts > MOST_PARTS or len(self.path) > MOST_LEVELS:
            raise self._refuse(f"too large: more than {MOST_PARTS} parts, or nested in more than {MOST_LEVELS} levels")

    def _below(self, k: int, read: Any, tree: Any) -> Any:
        self.path.append(k)
        result = read(tree)
        self.path.pop()
        return result

    def _number(self, tree: Any) -> tuple[sp.Expr, Number | None]:
        """Anything with a numerical value."""
        self._enter()
        kind = type(tree)
        if kind is str:
            if tree not in self.symbols:
                raise self._refuse(f"unknown symbol {_short(tree)}; {suggestion(tree[:80], self.symbols, 'symbols')}")
            return self.symbols[tree], None
        if kind is int:
            return sp.Integer(tree), self._finite(quotient(tree, 1) if self._fits(tree) else math.inf)
        if kind is float:
            return sp.Float(self._finite(tree)), tree
        if kind is not list or not tree or type(tree[0]) is not str:
            raise self._refuse(f"{_short(tree)} is no part of an expression")
        return self._node(tree[0], tree[1:])

    def _node(self, kind: str, rest: list[Any]) -> tuple[sp.Expr, Number | None]:
        if kind == "/":
            return self._fraction(rest)
        if kind in _CONSTANTS and not rest:
            return _CONSTANTS[kind], float(_CONSTANTS[kind])
        if kind == "Piecewise":
            return self._piecewise(rest)
        if kind == "Curve":
            return self._curve(rest)
        if kind in PROFILE_FUNCTIONS:
            return self._on_profile(kind, rest)
        make, least, most = FUNCTIONS.get(kind) or _ALGEBRA.get(kind) or (None, 0, 0)
        if make is None:
            names = [*_ALGEBRA, *FUNCTIONS, "Piecewise", "Curve", *PROFILE_FUNCTIONS]
            raise self._refuse(f"unknown function {_short(kind)}; {suggestion(kind[:80], names, 'functions')}")
        self._count(kind, rest, least, most)
        parts = [self._below(k + 1, self._number, tree) for k, tree in enumerate(rest)]
        if kind == "Pow":
            self._check_power(*parts)
        return self._made(kind, make, parts)

    def _made(self, kind: str, make: Any, parts: list[Any]) -> tuple[Any, Number | None]:
        """A node whose parts are read: its value is looked at before SymPy sees it."""
        value = None
        if all(part[1] is not None for part in parts):
            value = OPERATIONS[kind](*(part[1] for part in parts))
            if type(value) is float or type(value) is int:
                value = self._finite(float(value))
        arguments = [part[0] for part in parts]
        return (make(*arguments, evaluate=False) if kind in _AS_THEY_STAND else make(*arguments)), value

    def _fraction(self, rest: list[Any]) -> tuple[sp.Expr, Number]:
        if len(rest) != 2 or any(type(part) is not int for part in rest) or rest[1] == 0:
            raise self._refuse("a fraction consists of two whole numbers, the second of them not 0")
        if not all(map(self._fits, rest)):
            raise self._refuse(f"a fraction of numbers with more than {MOST_BITS} bits")
        return sp.Rational(*rest), self._finite(quotient(*rest))

    def _check_power(self, base: tuple[sp.Expr, Number | None], exponent: tuple[sp.Expr, Number | None]) -> None:
        if exponent[1] is None:
            return
        if abs(exponent[1]) > LARGEST_EXPONENT:
            raise self._refuse(f"the exponent {exponent[1]:.6g} is beyond +-{LARGEST_EXPONENT}")
        number = base[0]
        if isinstance(number, sp.Rational):
            bits = max(int(number.p).bit_length(), int(number.q).bit_length())
            if bits * abs(exponent[1]) > MOST_BITS:
                raise self._refuse(f"a power that needs more than {MOST_BITS} bits")

    def _piecewise(self, rest: list[Any]) -> tuple[sp.Expr, Number | None]:
        self._count("Piecewise", rest, 1, _MANY)
        values, conditions = [], []
        for k, pair in enumerate(rest):
            if type(pair) is not list or len(pair) != 2:
                raise self._refuse("a case of Piecewise is a pair [value, condition]")
            self.path.append(k + 1)
            values.append(self._below(0, self._number, pair[0]))
            conditions.append(self._below(1, self._condition, pair[1]))
            self.path.pop()
        made = Piecewise(*((v[0], c[0]) for v, c in zip(values, conditions, strict=True)))
        if any(part[1] is None for part in (*values, *conditions)):
            return made, None
        chosen = (float(v[1]) for v, c in zip(values, conditions, strict=True) if c[1])
        return made, self._finite(next(chosen, math.nan))

    def _curve(self, rest: list[Any]) -> tuple[sp.Expr, Number | None]:
        self._count("Curve", rest, 4, 4)
        if type(rest[3]) is not bool or (rest[3] and len(rest[1]) < 2):
            raise self._refuse("a curve says by true or false whether it repeats; one that does has two breaks")
        argument, value = self._below(1, self._number, rest[0])
        breaks, pieces = self._numbers(rest[1], MOST_BREAKS), rest[2]
        if type(pieces) is not list or len(pieces) != len(breaks) + 1:
            raise self._refuse(f"a curve of {len(breaks)} breaks has {len(breaks) + 1} pieces")
        if any(b <= a for a, b in itertools.pairwise(breaks)):
            raise self._refuse("the breaks of a curve must increase")
        points = Points(breaks, [self._numbers(piece, MOST_COEFFICIENTS) for piece in pieces], rest[3])
        return Curve(argument, points), None if value is None else self._finite(points.value(float(value)))

    def _on_profile(self, kind: str, rest: list[Any]) -> tuple[sp.Expr, Number | None]:
        """A function of a curve, whose own expressions know its parameter, its values and no other symbol."""
        self._count(kind, rest, 6, 8)
        (u, first), (v, second) = (self._below(k + 1, self._number, rest[k]) for k in range(2))
        is_open, given = self._values(rest[6:])
        values = [self._below(8, self._number, value[0]) for value in given]
        ranges = [tuple(self._numbers(value[1:], 2)) for value in given]
        outside, self.symbols = self.symbols, {symbol.name: symbol for symbol in (S, *VALUES[: len(given)])}
        x, y = (self._place(k + 1, rest[k]) for k in (2, 3))
        self.symbols = outside
        start, end = self._numbers(rest[4:6], 2)
        try:
            profile = profile_of(x, y, start, end, is_open, ranges)
        except ModelError as error:
            raise self._refuse(str(error)) from None
        made = PROFILE_FUNCTIONS[kind](u, v, profile, *(value for value, _ in values))
        known = all(number is not None for number in (first, second, *(number for _, number in values)))
        return made, self._finite(float(made)) if known else None

    def _place(self, k: int, tree: Any) -> Any:
        """x or y of a curve, or a pair of it and its derivative."""
        if not isinstance(tree, dict):
            return self._below(k, self._number, tree)[0]
        if set(tree) != {"place", "slope"}:
            raise self._refuse("a coordinate of a curve is a tree, or has a place and a slope")
        return tuple(self._below(k, self._number, tree[name])[0] for name in ("place", "slope"))

    def _values(self, rest: list[Any]) -> tuple[bool, list[Any]]:
        """Whether a curve is open, and [tree, least, largest] of each value that it depends on."""
        if not rest:
            return False, []
        is_open, given = rest if len(rest) == 2 else (rest[0], [])
        triples = type(given) is list and all(type(value) is list and len(value) == 3 for value in given)
        if type(is_open) is not bool or not triples or len(given) > MOST_VALUES:
            raise self._refuse(
                "a curve says by true or false whether it is open; what it depends on is a list of at most "
                f"{MOST_VALUES} lists, [value, least, largest]"
            )
        return is_open, given

    def _numbers(self, given: Any, most: int) -> list[float]:
        if type(given) is not list or not 0 < len(given) <= most:
            raise self._refuse(f"a curve has lists of 1 to {most} numbers")
        if any(type(number) not in (int, float) for number in given):
            raise self._refuse("a curve consists of numbers")
        return [self._finite(quotient(x, 1) if type(x) is int else float(x)) for x in given]

    def _condition(self, tree: Any) -> tuple[Any, Number | None]:
        """Anything that is true or false."""
        self._enter()
        if type(tree) is not list or not tree or type(tree[0]) is not str:
            raise self._refuse(f"{_short(tree)} is no condition")
        kind, rest = tree[0], tree[1:]
        if kind in _TRUTHS and not rest:
            return _TRUTHS[kind], kind == "true"
        make, least, most = _RELATIONS.get(kind) or _LOGIC.get(kind) or (None, 0, 0)
        if make is None:
            raise self._refuse(f"unknown condition {_short(kind)}; {suggestion(kind[:80], [*_RELATIONS, *_LOGIC])}")
        self._count(kind, rest, least, most)
        read = self._number if kind in _RELATIONS else self._condition
        return self._made(kind, make, [self._below(k + 1, read, part) for k, part in enumerate(rest)])

    def _count(self, kind: str, rest: list[Any], least: int, most: int) -> None:
        if not least <= len(rest) <= most:
            wanted = f"{least}" if least == most else f"{least} to {most}"
            raise self._refuse(f"{kind} with {len(rest)} arguments; it takes {wanted}")

    def _fits(self, number: int) -> bool:
        return number.bit_length() <= MOST_BITS

    def _finite(self, value: float) -> float:
        if not math.isfinite(value):
            raise self._refuse("a number that is not finite, or too large for double precision")
        return value


def _short(thing: Any) -> str:
    """What a message shows of something foreign: without its length and without line breaks."""
    text = repr(thing) if isinstance(thing, (str, int, float, bool, type(None))) else f"a {type(thing).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."
