"""Ranges of straight code: each operation of a function of one state as an interval, and how much its value matters.

A node has as text the ends of its range, made from those of its parts, and for each part a bound on the derivative:

    c = a + b     [a] + [b]                                        1, 1
    c = a b       the least and the largest of four products       |b|, |a|
    c = 1/b       [1/hi, 1/lo], everything where 0 is inside       1/|b|^2
    c = cos(a)    by the distance d of the middle of [a] from the nearest 2 pi k: 1 where d is inside, ...
    c = exp(a)    [exp(lo), exp(hi)]                               exp(hi)

Rounding is not turned outwards: what the ranges are compared with is larger by many orders of magnitude.

What is watched: functions that can be flat over most of a step and far from it in between. exp and its kin, tanh and
atan, powers above 10, quotients, choices, absolute values. A watched value is ``gentle`` on a piece of a step, down to
a sixteenth of it, where it can hide nothing: where it varies by less than a factor of VISIBLE, where the argument
of a tanh changes by less than STEADY, where a choice is decided. |a| and max(a, b) are watched by the parts of a and of
a - b below and above zero: a dip of a to the other side of zero shows in these, and not in the range of |a|.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from jounce.codegen.instructions import CURVE, CURVE_HIGH, CURVE_LOW, CURVE_PIECE
from jounce.model.curves import ROUGH, Points

#: Values of one sign that differ by no more than this factor on a sixteenth of a step; the samples of a step are a
#: quarter of it apart at most, so that one of them sees 1 % of a peak at least.
VISIBLE = 3.0
#: Changes of the argument of tanh, atan and sinh there, and of angles.
STEADY = 0.5
FLATTEST = 10  # powers up to this are polynomials that a step resolves: series_rows.py
EVERYTHING = "1e999"
LARGEST = 1e300

INCREASING = {
    "exp": "exp({0})",
    "tanh": "tanh({0})",
    "atan": "atan({0})",
    "sinh": "sinh({0})",
    "asinh": "asinh({0})",
    "log": "log(max({0}, 0.0))",
    "sqrt": "sqrt(max({0}, 0.0))",
    "asin": "asin(min(max({0}, -1.0), 1.0))",
    "acosh": "acosh(max({0}, 1.0))",
    "atanh": "atanh(min(max({0}, -1.0), 1.0))",
}
#: Bounds on derivatives, of the argument's ends {0}, {1} and of the value's {2}, {3}.
SLOPES = {
    "exp": "{3}",
    "tanh": "1.0",
    "atan": "1.0",
    "sinh": "(1.0 + max(abs({2}), abs({3})))",
    "asinh": "1.0",
    "log": "(1.0/{0})",
    "sqrt": "(0.5/{2})",
    "asin": "(1.0/sqrt(1.0 - max({0}*{0}, {1}*{1})))",
    "acosh": "(1.0/sqrt({0}*{0} - 1.0))",
    "atanh": "(1.0/(1.0 - max({0}*{0}, {1}*{1})))",
}
#: Where these exist. Elsewhere the value itself is watched, and nothing below it: its range says all.
STEEP = {
    "log": "{0} > 0.0",
    "sqrt": "{0} > 0.0",
    "asin": "{0} > -1.0 and {1} < 1.0",
    "acosh": "{0} > 1.0",
    "atanh": "{0} > -1.0 and {1} < 1.0",
}


class NoRangeError(Exception):
    """The function has parts whose range is not known here."""


@dataclass
class Node:
    """One value: the names of the ends of its range, and its parts with bounds on the derivatives by them."""

    index: int
    low: str
    high: str
    moving: bool
    parts: tuple[tuple[Node, str], ...] = ()
    watched: bool = False  # it or something below it

    def __hash__(self) -> int:
        return self.index

    @property
    def size(self) -> str:
        """The largest absolute value."""
        return f"max(abs({self.low}), abs({self.high}))" if self.moving else f"abs({self.low})"


@dataclass
class Entry:
    """What is compared with samples: ends of a range, the condition under which it can hide nothing, whose value."""

    low: str
    high: str
    gentle: str
    node: Node
    weight: float = 1.0


@dataclass
class Condition:
    """Texts of whether it surely holds and whether it possibly does; ``moving`` if it may change along the motion."""

    surely: str
    possibly: str
    moving: bool


@dataclass
class RangeMaker:
    """Makes nodes; ``lines`` compute the ends of their ranges in order."""

    lines: list[str] = field(default_factory=list)
    nodes: list[Node] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)

    def node(self, low: str, high: str, parts: Sequence[tuple[Node, str]], moving: bool = True) -> Node:
        """A new value; one that does not move has one end only."""
        index = len(self.nodes)
        names = (f"a{index}", f"b{index}") if moving else (f"a{index}", f"a{index}")
        self.lines.append(f"{names[0]} = {low}")
        if moving:
            self.lines.append(f"{names[1]} = {high}")
        kept = tuple((part, slope) for part, slope in parts if part.watched)
        made = Node(index, *names, moving, kept, any(part.watched for part, _ in kept))
        self.nodes.append(made)
        return made

    def fixed(self, text: str) -> Node:
        """A number that does not change along the motion."""
        return self.node(text, text, (), moving=False)

    def name(self, text: str) -> str:
        """A variable of its own for a text."""
        made = f"c{len(self.lines)}"
        self.lines.append(f"{made} = {text}")
        return made

    def watch(self, node: Node, gentle: str) -> Node:
        """Watch the value of a node."""
        node.watched = True
        self.entries.append(Entry(node.low, node.high, gentle, node))
        return node

    def watch_sides(self, node: Node, low: str, high: str, weight: float) -> Node:
        """Watch a node that has a kink where something between low and high is zero."""
        node.watched = True
        gentle = f"{low} >= 0.0 or {high} <= 0.0"
        for side in ("min", "max"):
            ends = (self.name(f"{side}({low}, 0.0)"), self.name(f"{side}({high}, 0.0)"))
            self.entries.append(Entry(*ends, gentle, node, weight))
        return node

    # arithmetic

    def add(self, a: Node, b: Node) -> Node:
        """a + b."""
        return self.node(f"{a.low} + {b.low}", f"{a.high} + {b.high}", [(a, "1.0"), (b, "1.0")], a.moving or b.moving)

    def subtract(self, a: Node, b: Node) -> Node:
        """a - b."""
        return self.node(f"{a.low} - {b.high}", f"{a.high} - {b.low}", [(a, "1.0"), (b, "1.0")], a.moving or b.moving)

    def negative(self, a: Node) -> Node:
        """-a."""
        return self.node(f"-{a.high}", f"-{a.low}", [(a, "1.0")], a.moving)

    def multiply(self, a: Node, b: Node) -> Node:
        """a b."""
        if a is b:
            return self.power(a, 2)
        if not a.moving and not b.moving:
            return self.fixed(f"{a.low}*{b.low}")
        a_ends = dict.fromkeys((a.low, a.high))
        products = [self.name(f"{x}*{y}") for x in a_ends for y in dict.fromkeys((b.low, b.high))]
        joined = ", ".join(products)
        return self.node(f"min({joined})", f"max({joined})", [(a, b.size), (b, a.size)])

    def power(self, a: Node, exponent: int) -> Node:
        """a^k with a whole k > 0."""
        if not a.moving:
            return self.fixed(f"{a.low}**{exponent}")
        low, high = self.name(f"{a.low}**{exponent}"), self.name(f"{a.high}**{exponent}")
        slope = f"{float(exponent)}*({a.size})**{exponent - 1}" if exponent > 1 else "1.0"
        if exponent % 2:
            made = self.node(low, high, [(a, slope)])
        else:
            inside = f"{a.low} < 0.0 and {a.high} > 0.0"
            made = self.node(f"0.0 if {inside} else min({low}, {high})", f"max({low}, {high})", [(a, slope)])
        return self.watch(made, visible(made)) if exponent > FLATTEST else made

    def divide(self, a: Node, b: Node) -> Node:
        """a/b; the reciprocal of b is watched."""
        if not b.moving:
            return self.multiply(a, self.fixed(f"1.0/{b.low}"))
        apart = f"{b.low} > 0.0 or {b.high} < 0.0"
        low, high = f"1.0/{b.high} if {apart} else -{EVERYTHING}", f"1.0/{b.low} if {apart} else {EVERYTHING}"
        made = self.node(low, high, [])
        made.parts = ((b, f"({made.size})**2"),) if b.watched else ()
        return self.multiply(a, self.watch(made, visible(made)))

    # functions

    def call(self, name: str, arguments: Sequence[Node]) -> Node:
        """A function by its name in generated code."""
        if not any(a.moving for a in arguments):
            return self.fixed(f"{name}({', '.join(a.low for a in arguments)})")
        if name in INCREASING:
            return self.increasing(name, arguments[0])
        several: dict[str, Callable[[Node, Node], Node]] = {"pow": self.real_power, "atan2": self.angle}
        if name in ("max", "min"):
            made = arguments[0]
            for other in arguments[1:]:
                made = self.larger(name, made, other)
            return made
        if name in several:
            return several[name](*arguments)
        single: dict[str, Callable[[Node], Node]] = {
            "abs": self.absolute,
            "cosh": self.cosh,
            "cos": self.cosine,
            "sin": self.sine,
            "tan": lambda a: self.divide(self.sine(a), self.cosine(a)),
            "acos": lambda a: self.subtract(self.fixed("0.5*pi"), self.increasing("asin", a)),
        }
        if name not in single:
            raise NoRangeError
        return single[name](arguments[0])

    def increasing(self, name: str, a: Node) -> Node:
        """A function that increases everywhere."""
        made = self.node(INCREASING[name].format(a.low), INCREASING[name].format(a.high), [])
        slope = SLOPES[name].format(a.low, a.high, made.low, made.high)
        if name in STEEP:
            finite = STEEP[name].format(a.low, a.high)
            slope = f"({slope} if {finite} else 0.0)"
        made.parts = ((a, slope),) if a.watched else ()
        made.watched = a.watched
        if name in STEEP:
            return self.watch(made, finite) if a.watched else made
        if name == "exp":
            return self.watch(made, visible(made))
        return self.watch(made, f"{a.high} - {a.low} <= {STEADY}") if name in ("tanh", "atan", "sinh") else made

    def cosh(self, a: Node) -> Node:
        """cosh(a), least at 0."""
        ends = f"cosh({a.low}), cosh({a.high})"
        made = self.node(f"1.0 if {a.low} < 0.0 and {a.high} > 0.0 else min({ends})", f"max({ends})", [])
        made.parts = ((a, made.high),) if a.watched else ()
        return self.watch(made, visible(made))

    def cosine(self, a: Node) -> Node:
        """cos(a)."""
        middle = self.name(f"0.5*({a.low} + {a.high})")
        return self._wave(a, f"abs(atan2(sin({middle}), cos({middle})))")

    def sine(self, a: Node) -> Node:
        """sin(a) = cos(a - pi/2)."""
        middle = self.name(f"0.5*({a.low} + {a.high})")
        return self._wave(a, f"abs(atan2(-cos({middle}), sin({middle})))")

    def _wave(self, a: Node, distance: str) -> Node:
        """A cosine, of which the crest nearest to the middle of [a] is at this distance from it."""
        far, half = self.name(distance), self.name(f"0.5*({a.high} - {a.low})")
        low = f"cos({far} + {half}) if {far} + {half} < pi else -1.0"
        high = f"cos({far} - {half}) if {far} > {half} else 1.0"
        return self.node(low, high, [(a, "1.0")])

    def real_power(self, a: Node, b: Node) -> Node:
        """a^b with a >= 0, monotone in each of both."""
        bases = [f"max({x}, 0.0)" for x in dict.fromkeys((a.low, a.high))]
        corners = [self.name(f"pow({x}, {y})") for x in bases for y in dict.fromkeys((b.low, b.high))]
        joined = ", ".join(corners)
        made = self.node(f"min({joined})", f"max({joined})", [])
        logarithm = f"max({', '.join(f'abs(log({x}))' for x in bases)})"
        positive = f"if {a.low} > 0.0 else 0.0"
        slopes = [(a, f"({b.size}*{made.high}/{a.low} {positive})"), (b, f"({made.high}*{logarithm} {positive})")]
        made.parts = tuple((part, slope) for part, slope in slopes if part.watched)
        return self.watch(made, visible(made))

    def angle(self, y: Node, x: Node) -> Node:
        """atan2(y, x), monotone in each of both away from the cut."""
        heights, widths = dict.fromkeys((y.low, y.high)), dict.fromkeys((x.low, x.high))
        corners = [self.name(f"atan2({v}, {h})") for v in heights for h in widths]
        joined = ", ".join(corners)
        away = f"{x.low} > 0.0 or {y.low} >= 0.0 or {y.high} < 0.0"
        made = self.node(f"min({joined}) if {away} else -pi", f"max({joined}) if {away} else pi", [])
        near = " + ".join(f"max({v.low}, -{v.high}, 0.0)**2" for v in (x, y))
        made.parts = tuple((part, f"1.0/sqrt({near})") for part in (y, x) if part.watched)
        return self.watch(made, f"({away}) and {made.high} - {made.low} <= {STEADY}")

    def on_curve(self, a: Node, name: str, points: Points) -> Node:
        """A curve through points: the least and the largest value of the pieces that [a] reaches.

        Nothing of it is narrower than the shortest piece. Where a slope or a curvature jumps at the breaks, as
        at the kinks of other choices, it is gentle only within a piece.
        """
        if not a.moving:
            return self.fixed(f"{CURVE}({a.low}, {name})")
        low, high = (f"{kind}({a.low}, {a.high}, {name})" for kind in (CURVE_LOW, CURVE_HIGH))
        steepest = max(max(map(abs, piece)) for piece in points.slope().extent())
        width = min(b - a for a, b in pairwise(points.breaks)) if len(points.breaks) > 1 else math.inf
        made = self.node(low, high, [(a, repr(min(steepest, LARGEST)))])
        near = f"{a.high} - {a.low} <= {min(width, LARGEST)!r}"
        if points.roughness() > ROUGH:
            return self.watch(made, near)
        width = points.period if points.repeats else LARGEST
        inside = f"{CURVE_PIECE}({a.low}, {name}) == {CURVE_PIECE}({a.high}, {name})"
        return self.watch(made, f"{inside} and {a.high} - {a.low} < {width!r}")

    # kinks and choices

    def absolute(self, a: Node) -> Node:
        """|a|."""
        ends = f"abs({a.low}), abs({a.high})"
        low = f"0.0 if {a.low} < 0.0 and {a.high} > 0.0 else min({ends})"
        return self.watch_sides(self.node(low, f"max({ends})", [(a, "1.0")]), a.low, a.high, 2.0)

    def larger(self, name: str, a: Node, b: Node) -> Node:
        """The larger or the smaller of two."""
        if not (a.moving or b.moving):
            return self.fixed(f"{name}({a.low}, {b.low})")
        made = self.node(f"{name}({a.low}, {b.low})", f"{name}({a.high}, {b.high})", [(a, "1.0"), (b, "1.0")])
        low, high = self.name(f"{a.low} - {b.high}"), self.name(f"{a.high} - {b.low}")
        return self.watch_sides(made, low, high, 1.0)

    def chosen(self, condition: Condition, a: Node, b: Node) -> Node:
        """a where the condition holds, b elsewhere."""
        surely, possibly = condition.surely, condition.possibly
        if not condition.moving and not (a.moving or b.moving):
            return self.fixed(f"{a.low} if {surely} else {b.low}")

        def end(kind: str, first: str, second: str) -> str:
            return f"{first} if {surely} else ({kind}({first}, {second}) if {possibly} else {second})"

        parts = [(a, f"(1.0 if {possibly} else 0.0)"), (b, f"(0.0 if {surely} else 1.0)")]
        made = self.node(end("min", a.low, b.low), end("max", a.high, b.high), parts)
        return self.watch(made, f"({surely}) or not ({possibly})") if condition.moving else made

    def clamped(self, a: Node, low: str, high: str) -> Node:
        """A value of which more is known, where a choice is decided."""
        first = a.low if low == "" else f"min(max({a.low}, {low}), {a.high})"
        last = a.high if high == "" else f"max(min({a.high}, {high}), {a.low})"
        return self.node(first, last, [(a, "1.0")])


def visible(made: Node) -> str:
    """The condition that all values have one sign and differ by a factor of VISIBLE at most."""
    above = f"{made.low} > 0.0 and {made.high} <= {VISIBLE}*{made.low}"
    return f"({above}) or ({made.high} < 0.0 and {made.low} >= {VISIBLE}*{made.high})"
