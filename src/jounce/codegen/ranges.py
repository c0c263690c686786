"""The range of what can be narrow in a model over a box of times, coordinates and velocities: one function.

A step that samples a force cannot know what it does between the samples: exp(-(t - 5)^2/1e-6) and cos(t)^1000 are zero
to rounding nearly everywhere. But the model is symbolic, and the range of such a part over all of a step can be bounded
(range_nodes.py). The engine takes no step on which it is neither gentle nor without effect (kernels/flow/unseen.py):

    (high - low) * adjoint ,

where the adjoint is found backwards from what the part is used in: |d output/d part| times the weight of the output,
which the caller gives (how many tolerances the motion is off if this force, mass, gap, ... is wrong by 1 on the step).

The function has the arguments of a batch; ``count`` is not used. t = [low, high], q and u have all lower ends, then all
upper ones. out holds the weights of the outputs; behind them it writes for each watched part: low, high, 1.0 if it is
gentle, adjoint.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp

from jounce.codegen.instructions import CURVE
from jounce.codegen.kinematics import surface_rows
from jounce.codegen.range_nodes import FLATTEST, Condition, Node, NoRangeError, RangeMaker
from jounce.model.curves import Curve, Points
from jounce.model.model import Model
from jounce.model.profiles import OfProfile
from jounce.model.symbols import time

if TYPE_CHECKING:
    from jounce.codegen.module_text import ModuleWriter

#: Outputs that the engine can give a weight, and watched parts that it has room for: kernels/records/workspace.py.
FORCE, MASS, GAP, JOINT, GUARD, SLIP, FRICTION, FRICTION_BACK = range(8)
MOST_OUTPUTS = 128
MOST_WATCHED = 96
MOST_LINES = 6000  # of the function: machine code for more takes longer to make than it is worth
_KINKS = (sp.Abs, sp.sign, sp.Heaviside, sp.Max, sp.Min, sp.Piecewise, Curve)
_SMOOTH = (sp.sin, sp.cos, sp.log, sp.asin, sp.acos, sp.asinh, sp.acosh, sp.atanh)

Output = tuple[int, int, int]


@dataclass(frozen=True)
class Ranges:
    """The function, what its outputs are (kind and indices), and how many parts it watches."""

    text: str
    outputs: list[Output]
    watched: int


def range_function(writer: ModuleWriter, given: Mapping[Output, sp.Expr] | None = None) -> Ranges | None:
    """The function ``ranges`` of a model; None where nothing in it can be narrow, or its range is not known.

    ``given``: the outputs, where they are not all that the motion depends on.
    """
    moving = {*writer.model.q, *writer.model.u, time}
    known: dict[sp.Basic, bool] = {}
    outputs = {
        key: value
        for key, value in (_outputs(writer.model) if given is None else given).items()
        # how far a place on a closed curve may move along a step is not known here
        if can_be_narrow(value, moving, known) and not value.has(OfProfile)
    }
    kinked: dict[sp.Basic, bool] = {}
    for key in [key for key in outputs if key[0] in (GAP, GUARD)]:
        # kinks of what is only looked at for its zeros are found there (kernels/events/guard_polynomial.py)
        if not can_be_narrow(outputs[key], moving, kinked, kinks=False):
            del outputs[key]
    if not outputs or len(outputs) > MOST_OUTPUTS:
        return None
    function = ast.parse(writer.function("narrow", list(outputs.values()), "")).body[0]
    assert isinstance(function, ast.FunctionDef)
    try:
        reader = _Reader(function, writer.model.n, writer.printer.curves)
    except NoRangeError:
        return None
    if not 0 < len(reader.maker.entries) <= MOST_WATCHED or len(reader.maker.lines) > MOST_LINES:
        return None
    return Ranges(reader.text(), list(outputs), len(reader.maker.entries))


def _outputs(model: Model) -> dict[Output, sp.Expr]:
    """What the motion depends on, each with its kind and its indices.

    Without the forces of compliant contacts: they begin and end at events, which are located.
    """
    n, surfaces = model.n, surface_rows(model)
    switches = [model.symbols[name] for name in model.vocabulary.memory[::2]]
    opened = dict.fromkeys(switches, sp.Integer(0))
    forces = [force.xreplace(opened) for force in model.h] if opened else list(model.h)
    found: dict[Output, sp.Expr] = {(FORCE, i, 0): force for i, force in enumerate(forces)}
    found |= {(MASS, i, j): model.M[i, j] for i in range(n) for j in range(n)}
    found |= {(JOINT, k, 0): joint for k, joint in enumerate(model.joints.values())}
    found |= {(GUARD, k, 0): guard for k, guard in enumerate(model.guards.values())}
    width = len(surfaces) // len(model.contacts) if model.contacts else 0
    for i, contact in enumerate(model.contacts):
        found[GAP, i, 0] = contact.gap
        if contact.slip is not None and contact.compliance is None:
            found[SLIP, i, 0] = contact.slip
            found[FRICTION, i, 0], found[FRICTION_BACK, i, 0] = surfaces[width * i], surfaces[width * i + 1]
    return found


def can_be_narrow(
    expression: sp.Basic, moving: set[sp.Symbol], known: dict[sp.Basic, bool] | None = None, kinks: bool = True
) -> bool:
    """Whether something in it is watched; parts that expressions share are looked at once."""
    known = {} if known is None else known
    if expression not in known:
        known[expression] = bool(expression.args) and (
            (is_watched(expression, kinks) and bool(expression.free_symbols & moving))
            or any(can_be_narrow(part, moving, known, kinks) for part in expression.args)
        )
    return known[expression]


def is_watched(part: sp.Basic, kinks: bool = True) -> bool:
    """Whether the outermost function of an expression can be narrow, or has a kink."""
    if isinstance(part, _KINKS):
        return kinks
    if isinstance(part, sp.Pow):
        exponent = part.exp
        return part.base == sp.E or not (exponent.is_Rational and 0 < exponent <= FLATTEST)
    return isinstance(part, sp.Function) and not isinstance(part, _SMOOTH)


class _Reader:
    """Follows the lines of a function; what a name means may be narrowed inside a choice."""

    def __init__(self, function: ast.FunctionDef, n: int, curves: Mapping[str, Points]) -> None:
        self.n, self.maker, self.curves = n, RangeMaker(), curves
        self.names: dict[str, Node] = {}
        self.conditions: dict[str, ast.expr] = {}  # that several choices share, as a switch's "does it slide"
        self.loaded: dict[str, Node] = {}
        self.results: dict[int, Node] = {}
        for statement in function.body:
            match statement:
                case ast.Expr(ast.Constant(str())) | ast.Pass():
                    pass
                case ast.Assign([ast.Name(name)], ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()) as condition):
                    self.conditions[name] = condition
                case ast.Assign([ast.Name(name)], value):
                    self.names[name] = self._value(value)
                case ast.Assign([ast.Subscript(ast.Name("out"), ast.Constant(int(place)))], value):
                    self.results[place] = self._value(value)
                case _:
                    raise NoRangeError

    def _value(self, node: ast.expr) -> Node:
        if len(self.maker.lines) > MOST_LINES:
            raise NoRangeError
        match node:
            case ast.Constant(float(number)):
                return self.maker.fixed(repr(number))
            case ast.Name("pi" | "nan" as name):
                return self.maker.fixed(name)
            case ast.Name("t"):
                return self.names["t"] if "t" in self.names else self._load("t", "t[0]", "t[1]")
            case ast.Name(name):
                return self.names[name]
            case ast.Subscript(ast.Name("q" | "u" as kind), ast.Constant(int(place))):
                return self._load(f"{kind}{place}", f"{kind}[{place}]", f"{kind}[{place + self.n}]")
            case ast.Subscript(ast.Name("p"), ast.Constant(int(place))):
                return self._load(f"p{place}", f"p[{place}]", "")
            case ast.UnaryOp(ast.USub(), operand):
                return self.maker.negative(self._value(operand))
            case ast.BinOp(base, ast.Pow(), ast.Constant(int(exponent))):
                return self.maker.power(self._value(base), exponent)
            case ast.BinOp(ast.BinOp() | ast.Name(), ast.Mult(), ast.Name(name)) if (repeated := _repeated(node)) > 1:
                return self.maker.power(self._value(ast.Name(name)), repeated)
            case ast.BinOp(left, operator, right):
                return self._arithmetic(operator, self._value(left), self._value(right))
            case ast.IfExp(condition, first, second):
                return self._choice(condition, first, second)
            case ast.Call(ast.Name(name), [argument, ast.Name(curve)]) if name == CURVE:
                return self.maker.on_curve(self._value(argument), curve, self.curves[curve])
            case ast.Call(ast.Name(name), arguments):
                return self.maker.call(name, [self._value(argument) for argument in arguments])
        raise NoRangeError

    def _load(self, key: str, low: str, high: str) -> Node:
        """An argument by its place; names of the model, such as q1, may be the same text and mean another place."""
        if key not in self.loaded:
            self.loaded[key] = self.maker.node(low, high, (), moving=high != "")
        return self.loaded[key]

    def _arithmetic(self, operator: ast.operator, a: Node, b: Node) -> Node:
        match operator:
            case ast.Add():
                return self.maker.add(a, b)
            case ast.Sub():
                return self.maker.subtract(a, b)
            case ast.Mult():
                return self.maker.multiply(a, b)
            case ast.Div():
                return self.maker.divide(a, b)
        raise NoRangeError

    def _choice(self, condition: ast.expr, first: ast.expr, second: ast.expr) -> Node:
        if isinstance(condition, ast.Name):
            condition = self.conditions[condition.id]
        known = self._condition(condition)
        a = self._narrowed(condition, first, holds=True)
        b = self._narrowed(condition, second, holds=False)
        return self.maker.chosen(known, a, b)

    def _narrowed(self, condition: ast.expr, branch: ast.expr, holds: bool) -> Node:
        """The value of a branch, with what its condition says of a name on its left side."""
        match condition:
            case ast.Compare(ast.Name(name), [ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE() as sign], [limit]):
                before = self._value(ast.Name(name))
                end = self._value(limit)
                below = isinstance(sign, ast.Lt | ast.LtE) == holds
                if before.moving:
                    outside = self.names.get(name)
                    self.names[name] = self.maker.clamped(before, "" if below else end.low, end.high if below else "")
                    value = self._value(branch)
                    del self.names[name]
                    if outside is not None:
                        self.names[name] = outside
                    return value
        return self._value(branch)

    def _condition(self, node: ast.expr) -> Condition:
        match node:
            case ast.Name(name):
                return self._condition(self.conditions[name])
            case ast.Compare(left, [operator], [right]):
                return _compared(operator, self._value(left), self._value(right))
            case ast.BoolOp(operator, parts):
                known = [self._condition(part) for part in parts]
                word = " and " if isinstance(operator, ast.And) else " or "
                surely, possibly = (
                    word.join(f"({text})" for text in texts)
                    for texts in zip(*((part.surely, part.possibly) for part in known), strict=True)
                )
                return Condition(surely, possibly, any(part.moving for part in known))
            case ast.UnaryOp(ast.Not(), operand):
                inner = self._condition(operand)
                return Condition(f"not ({inner.possibly})", f"not ({inner.surely})", inner.moving)
        raise NoRangeError

    def text(self) -> str:
        """The function: ranges forwards, adjoints backwards."""
        maker, first = self.maker, len(self.results)
        lines = list(maker.lines)
        for k, entry in enumerate(maker.entries):
            place = first + 4 * k
            lines += [f"out[{place}] = {entry.low}", f"out[{place + 1}] = {entry.high}"]
            lines.append(f"out[{place + 2}] = 1.0 if {entry.gentle} else 0.0")
        adjoints, names = self._adjoints()
        places = [
            f"out[{first + 4 * k + 3}] = {entry.weight}*{names[entry.node]}" for k, entry in enumerate(maker.entries)
        ]
        lines += [*adjoints, *places]
        head = ["def ranges(count, t, q, u, p, out):", '    """Ranges of the parts of the model that can be narrow."""']
        return "\n".join([*head, *(f"    {line}" for line in lines)])

    def _adjoints(self) -> tuple[list[str], dict[Node, str]]:
        """The lines that compute them, from the outputs to the parts below, and their names."""
        terms: dict[Node, list[str]] = {}
        for place, node in self.results.items():
            if node.watched:
                terms.setdefault(node, []).append(f"out[{place}]")
        lines, names = [], dict.fromkeys((entry.node for entry in self.maker.entries), "0.0")
        for node in reversed(self.maker.nodes):
            if node not in terms:
                continue
            names[node] = f"d{node.index}"
            lines.append(f"{names[node]} = {' + '.join(terms[node])}")
            for part, slope in node.parts:
                if part.watched:
                    # what nothing depends on stays nothing, however steep; so does what has no part in it (a case that
                    # is not taken), however much that matters
                    term = f"({names[node]}*{slope} if {names[node]} > 0.0 and {slope} > 0.0 else 0.0)"
                    terms.setdefault(part, []).append(names[node] if slope == "1.0" else term)
        return lines, names


def _repeated(node: ast.expr) -> int:
    """How many factors x*x*... of one name there are; 0 for other products."""
    factors: list[ast.expr] = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        factors.append(node.right)
        node = node.left
    factors.append(node)
    names = {factor.id if isinstance(factor, ast.Name) else "" for factor in factors}
    return len(factors) if len(names) == 1 and "" not in names else 0


def _compared(operator: ast.cmpop, a: Node, b: Node) -> Condition:
    """Whether one range lies on one side of the other."""
    moving = a.moving or b.moving
    match operator:
        case ast.Lt() | ast.LtE():
            sign = "<" if isinstance(operator, ast.Lt) else "<="
            return Condition(f"{a.high} {sign} {b.low}", f"{a.low} {sign} {b.high}", moving)
        case ast.Gt() | ast.GtE():
            sign = ">" if isinstance(operator, ast.Gt) else ">="
            return Condition(f"{a.low} {sign} {b.high}", f"{a.high} {sign} {b.low}", moving)
    overlap = f"{a.low} <= {b.high} and {b.low} <= {a.high}"
    same = f"{a.low} == {b.high} and {a.high} == {b.low}"
    if isinstance(operator, ast.Eq):
        return Condition(same, overlap, moving)
    return Condition(f"not ({overlap})", f"not ({same})", moving)
