"""The tree of an expression as text that ``parsing.parse_tree`` reads back to the same expression.

Sums and products are written as people do: a - b/2 in place of a + (-1/2)*b. SymPy brings both to one form, because
it combines numerical factors and powers with whole exponents when a product is made.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jounce.model.curve_arcs import BOUND, VALUES
from jounce.model.profiles import FUNCTIONS as PROFILE_FUNCTIONS

_SUM, _PRODUCT, _POWER, _ATOM = range(4)
_RELATIONS = {
    "StrictLessThan": "<",
    "LessThan": "<=",
    "StrictGreaterThan": ">",
    "GreaterThan": ">=",
    "Equality": "==",
    "Unequality": "!=",
}


def tree_text(tree: Any, names: Any = ()) -> str:
    """The text of a tree; ``names`` are the symbols that may stand in it: a symbol may be called pi or E."""
    return _Writer(names).text(tree)


def condition_text(tree: Any, names: Any = ()) -> str:
    """The text of a condition's tree."""
    return _Writer(names).condition(tree)


class _Writer:
    def __init__(self, names: Any, bound: Mapping[str, str] | None = None) -> None:
        self.names, self.bound = names, bound or {}

    def text(self, tree: Any, least: int = _SUM) -> str:
        """With parentheses if the tree binds less than ``least``."""
        written, strength = self._written(tree)
        return written if strength >= least else f"({written})"

    def _written(self, tree: Any) -> tuple[str, int]:
        if isinstance(tree, str):
            return self.bound.get(tree, tree), _ATOM
        if isinstance(tree, int | float):
            return repr(tree), _ATOM if tree >= 0 else _PRODUCT
        kind, *rest = tree
        if kind == "Add":
            return self._sum(rest), _SUM
        if kind in ("Mul", "/") or (kind == "Pow" and _is_negative(rest[1])):
            return self._product([tree] if kind != "Mul" else rest), _PRODUCT
        if kind == "Pow":
            return self._power(*rest)
        if kind == "pi":
            return ("acos(-1)" if "pi" in self.names else "pi"), _ATOM
        if kind == "E":
            return "exp(1)", _ATOM
        if kind == "Piecewise":
            cases = (f"({self.text(value)}, {self.condition(condition)})" for value, condition in rest)
            return f"Piecewise({', '.join(cases)})", _ATOM
        if kind == "Curve":
            argument, breaks, pieces, repeats = rest
            numbers = f"{_tuple(breaks)}, ({', '.join(map(_tuple, pieces))})"
            return f"Curve({self.text(argument)}, {numbers}, {repeats})", _ATOM
        if kind in PROFILE_FUNCTIONS:
            u, v, x, y, start, end, *more = rest
            inside = _Writer((), {BOUND: "s"} | {value.name: f"v{j}" for j, value in enumerate(VALUES)})
            places = [inside.coordinate(part) for part in (x, y)]
            texts = [self.text(u), self.text(v), "s", *places, repr(start), repr(end)]
            if more:
                texts.append(repr(more[0]))
                texts += [
                    f"(v{j}, {self.text(value)}, {low!r}, {high!r})" for j, (value, low, high) in enumerate(more[1])
                ]
            return f"{kind}({', '.join(texts)})", _ATOM
        return f"{kind}({', '.join(self.text(part) for part in rest)})", _ATOM

    def coordinate(self, tree: Any) -> str:
        """x of a curve, or (x, x')."""
        if not isinstance(tree, dict):
            return self.text(tree)
        return f"({self.text(tree['place'])}, {self.text(tree['slope'])})"

    def _sum(self, terms: list[Any]) -> str:
        first, *others = (self.text(term, _PRODUCT) for term in terms)
        return first + "".join(f" - {term[1:]}" if term.startswith("-") else f" + {term}" for term in others)

    def _product(self, factors: list[Any]) -> str:
        above: list[str] = []
        below: list[str] = []
        sign = ""
        for factor in factors:
            if isinstance(factor, list) and factor[0] == "/":
                factor, denominator = factor[1:]
                below.append(str(denominator))
            if isinstance(factor, list) and factor[0] == "Pow" and _is_negative(factor[2]):
                inverse = factor[1] if factor[2] == -1 else ["Pow", factor[1], _negated(factor[2])]
                below.append(self.text(inverse, _POWER))
                continue
            if isinstance(factor, int | float) and factor < 0:
                sign, factor = "-" if not sign else "", -factor
            if factor != 1 or isinstance(factor, float):
                above.append(self.text(factor, _POWER))
        return sign + "/".join(["*".join(above) or "1", *below])

    def _power(self, base: Any, exponent: Any) -> tuple[str, int]:
        if exponent == ["/", 1, 2]:
            return f"sqrt({self.text(base)})", _ATOM
        return f"{self.text(base, _ATOM)}**{self.text(exponent, _ATOM)}", _POWER

    def condition(self, tree: Any) -> str:
        """A part that is true or false."""
        kind, *rest = tree
        if kind in ("true", "false"):
            return kind.capitalize()
        if kind in _RELATIONS:
            return f"{self.text(rest[0])} {_RELATIONS[kind]} {self.text(rest[1])}"
        if kind == "Not":
            return f"not ({self.condition(rest[0])})"
        return f" {kind.lower()} ".join(f"({self.condition(part)})" for part in rest)


def _is_negative(exponent: Any) -> bool:
    """Of a whole number or a fraction; decimals stay as they are."""
    if isinstance(exponent, list) and exponent[0] == "/":
        exponent = exponent[1]
    return type(exponent) is int and exponent < 0


def _negated(exponent: Any) -> Any:
    return ["/", -exponent[1], exponent[2]] if isinstance(exponent, list) else -exponent


def _tuple(numbers: list[float]) -> str:
    """Numbers in parentheses, with the comma that makes one number a tuple."""
    return f"({', '.join(map(repr, numbers))},)"
