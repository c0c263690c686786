"""SymPy expressions -> Python arithmetic on floats, of the kind that instructions.py translates."""

from __future__ import annotations

import builtins
import itertools
import keyword
import math
from collections.abc import Iterable
from typing import Any

import sympy as sp
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.pycode import PythonCodePrinter

from jounce.codegen.instructions import CONSTANTS, CURVE, FOOT, ONE_ARGUMENT, SUPPORT, TWO_ARGUMENTS
from jounce.codegen.subexpressions import common_subexpressions
from jounce.model.curve_arcs import S
from jounce.model.curves import Points
from jounce.model.profiles import Profile

_LARGEST_UNROLLED_POWER = 4
_PARAMETER = sp.Symbol("s", real=True)  # of a curve


class KernelPrinter(PythonCodePrinter):
    """Prints with float literals, functions of ``math`` by bare name, and products instead of small powers."""

    def __init__(self) -> None:
        super().__init__({"fully_qualified_modules": False})
        self.curves: dict[str, Points] = {}  # those whose calls were printed, by name
        self.profiles: dict[str, Profile] = {}

    def _print_Integer(self, expr: Any) -> str:
        return repr(float(expr.p))

    _print_Zero = _print_One = _print_NegativeOne = _print_Integer  # noqa: N815 - SymPy finds these by class name

    def parenthesize(self, item: Any, level: int, strict: bool = False) -> str:
        """As SymPy's, without parentheses around a literal."""
        if item.is_Rational and item > 0:
            return self._print(item)  # printed as one literal, whatever SymPy thinks of a quotient's precedence
        return str(super().parenthesize(item, level, strict))

    def _print_Rational(self, expr: Any) -> str:
        return repr(expr.p / expr.q)  # the division of two ints is correctly rounded

    _print_Half = _print_Rational  # noqa: N815

    def _print_Float(self, expr: Any) -> str:
        return repr(float(expr))

    def _print_Exp1(self, expr: Any) -> str:
        return repr(math.e)

    def _print_Symbol(self, expr: Any) -> str:
        return str(expr.name)

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        base, exponent = expr.base, expr.exp
        if exponent.is_Rational and exponent < 0:
            divisor = base if exponent == -1 else sp.Pow(base, -exponent, evaluate=False)
            return f"(1.0/{self._print_group(divisor)})"
        if exponent == sp.S.Half:
            return f"sqrt({self._print(base)})"
        if exponent.is_Integer:
            if exponent == 1:
                return self._print_group(base)
            if base.is_Symbol and exponent <= _LARGEST_UNROLLED_POWER:
                return f"({'*'.join([self._print(base)] * int(exponent))})"
            return f"{self._print_group(base)}**{int(exponent)}"
        if exponent.is_Rational and exponent.q == 2:
            power = (exponent.p - 1) // 2
            whole = base if power == 1 else sp.Pow(base, power, evaluate=False)
            return f"({self._print_group(whole)}*sqrt({self._print(base)}))"
        return f"pow({self._print(base)}, {self._print(exponent)})"

    def _print_group(self, expr: Any) -> str:
        return str(self.parenthesize(expr, PRECEDENCE["Atom"]))

    def _print_sign(self, expr: Any) -> str:
        x = self._print_group(expr.args[0])
        return f"(1.0 if {x} > 0.0 else (-1.0 if {x} < 0.0 else 0.0))"

    def _print_Heaviside(self, expr: Any) -> str:
        x = self._print_group(expr.args[0])
        at_zero = self._print(expr.args[1])
        return f"(1.0 if {x} > 0.0 else (0.0 if {x} < 0.0 else {at_zero}))"

    def _print_Held(self, expr: Any) -> str:
        side = self._print_group(expr.args[1])
        return f"({side} if {side} != 0.0 else {self._print(expr.args[0])})"

    def _print_Abs(self, expr: Any) -> str:
        return f"abs({self._print(expr.args[0])})"

    def _print_Piecewise(self, expr: Any) -> str:
        text = repr(math.nan)
        for value, condition in reversed(expr.args):
            if condition == sp.true:
                text = self._print(value)
            else:
                text = f"({self._print(value)} if {self._print(condition)} else {text})"
        return text if text.startswith("(") else f"({text})"

    def _print_Curve(self, expr: Any) -> str:
        """The call of a curve, which becomes a constant of the module."""
        name = str(expr.args[1])
        self.curves[name] = expr.args[1]
        return f"{CURVE}({self._print(expr.args[0])}, {name})"

    def _print_Foot(self, expr: Any) -> str:
        return self._search(FOOT, *expr.args)

    def _print_Support(self, expr: Any) -> str:
        return self._search(SUPPORT, *expr.args)

    def _search(self, kind: str, u: Any, v: Any, profile: Profile, *values: Any) -> str:
        """The search of a place on a curve, which becomes a function of the module."""
        self.profiles[str(profile)] = profile
        place, given = f"{self._print(u)}, {self._print(v)}", "".join(f", {self._print(value)}" for value in values)
        return f"{kind}({place}, {profile}{given})"


_ARGUMENTS = ("t", "q", "u", "p", "out", "count", "row", "matrix")


def curve_lines(printer: KernelPrinter) -> list[str]:
    """The curves that functions call, as constants of their module."""
    profiles = [f"{name} = {profile_constants(profile, printer)!r}" for name, profile in printer.profiles.items()]
    return [*profiles, *(f"{name} = {points.__getnewargs__()!r}" for name, points in printer.curves.items())]


def profile_constants(
    profile: Profile, printer: KernelPrinter
) -> tuple[str, tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """The text of the function that computes c, c', c'' of a curve; its ends and size; its arcs; its limits."""
    measured, values = profile.measured, profile.symbols
    local = {S: _PARAMETER} | {value: sp.Symbol(f"v{j}", real=True) for j, value in enumerate(values)}
    outputs = [part.xreplace(local) for order in range(3) for part in profile.inner(order)]
    names = (sp.Symbol(f"c{k}", real=True) for k in itertools.count())
    assignments, results = common_subexpressions(outputs, names)
    lines = [f"v{j} = k[{j}]" for j in range(len(values))]
    lines += [f"{left} = {printer.doprint(right)}" for left, right in assignments]
    lines += [f"point[{k}] = {printer.doprint(result)}" for k, result in enumerate(results)]
    limits = tuple(end for ends in measured.limits for end in ends)
    return "\n".join(lines), measured.ends, measured.arcs, limits


class LocalNames:
    """Names of local variables: the model's own where possible, never one that means something else."""

    def __init__(self, model_names: Iterable[str]) -> None:
        functions = {*ONE_ARGUMENT, *TWO_ARGUMENTS, CURVE, FOOT, SUPPORT}
        self._forbidden = {*functions, *CONSTANTS, *_ARGUMENTS, *keyword.kwlist, *dir(builtins)}
        self.of = {name: name for name in model_names}
        self._taken = self._forbidden | set(self.of)
        for name in self._forbidden & set(self.of):
            self.of[name] = self.fresh(name)

    def fresh(self, wish: str) -> str:
        """A name like ``wish`` that nothing else has."""
        while wish in self._taken:
            wish += "_"
        self._taken.add(wish)
        return wish
