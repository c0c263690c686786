"""Taylor series of the motion: a function of one state -> the function that writes its series along the flow.

A generated function such as ``free_flow`` or ``slide_0`` is straight code: each line is a few sums, products, quotients
and elementary functions of those above it. Along the flow each of them is a power series in x, the time since the start
of the step over a length h that the caller chooses. The series are found order by order: with those of q and u known to
order k all lines follow to order k (Griewank & Walther, Evaluating Derivatives, ch. 13), and these lead to order k + 1.

    c = a b        c_k = sum_j a_j b_k-j
    c = a/b        b_0 c_k = a_k - sum_j<k c_j b_k-j
    c = sqrt(a)    2 c_0 c_k = a_k - sum_0<j<k c_j c_k-j
    c = sin(a)     k c_k = sum_j>0 j a_j cos(a)_k-j                cos with - sin
    c = log(a)     k a_0 c_k = k a_k - sum_0<j<k j c_j a_k-j
    c = a^e        k a_0 c_k = e sum_j>0 j a_j c_k-j - sum_0<j<k j c_j a_k-j
    c = tan(a)     k c_k = sum_j>0 j a_j (1 + c^2)_k-j             atan by a' = c' (1 + a^2)
    q_k+1 = h u_k/(k+1) ,   u_k+1 = h (u')_k/(k+1) .

In every sum the terms with 0 < j < k are known before anything of order k is: one loop over j adds them all up. The
factors of all sums stand side by side, ``left`` and ``right``, one order after the other, so that four sums are one
instruction (instructions.py). What is only added or scaled needs no memory.

Lines with a choice that depends on the state, absolute values, the larger of two numbers and the like have no series,
nor has their function. exp, tanh and their kin have one that is not used: exp(-1e4 (t - 5)^2) and tanh(1e3 (t - 5)) are
zero and constant to rounding with all their derivatives well before they rise, so that a series sees nothing ahead of
it; the stages of a Runge-Kutta step do. High powers hide what is ahead of them in the same way. What singularities in
the complex plane make steep, quotients and roots, shows in the coefficients from far away.

A series function has the arguments of a batch: ``count`` is the order, t = (time, h, sign of the slip). It writes order
k to out[k stride + i]: q, u, the four powers (to order count - 1), behind them its own rows. out[2n + 4] is 1.0 where
the original says that its result is sound. From 2n + 5 on stand, to order count - 1, what ends a mode: lambda_N,
lambda_T, the determinant, gamma_T and mu_s lambda_N of the closed contact, then the gaps of the others. Where one of
these has no series none is written, and the stride of the guards is 0. out[stride + 2n + 4] has the bits of those that
are constant along the flow, out[2 stride + 2n + 4] the number of orders that are written.

Affine motion. Where u' and what ends a mode are sums of coordinates, velocities and harmonic functions of time with
constant factors, their series have no sums over j: an order costs a few operations, and the series converge for all
times. The engine asks for more orders of them. If no harmonic function is among them and all coordinates and velocities
vanish at order 3, every later order of them is a linear function of the one before and vanishes, too: a stick on a belt
is a straight line. Products of f of them, powers, then end at order 2f, and the function writes SHORT orders only.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from jounce.codegen.instructions import CURVE
from jounce.codegen.series_rows import Constant, NoSeriesError, Row, RowMaker, Value, closure, grouped

POWERS = 4
#: Sums of products beyond which a model keeps to the Runge-Kutta pair: its series would not be faster.
MOST_SUMS = 96
MOST_ROWS = 256  # numbers of one order: kernels/records/workspace.py
MOST_ORDERS = 28  # room; the engine asks for fewer: kernels/records/workspace.py
#: Numbers behind u' of a contact that is closed alone, in the order in which their series are written.
FORCE_GUARDS = {4: 0, 5: 1, 6: 2, 8: 3, 9: 4}
SOUND = 7
SHORT = 8  # orders of an affine motion that has ended: its powers are products of three factors at most
MOST_BITS = 50  # whole numbers that a double holds
LANES = 4  # sums that are added up at once


def series_functions(texts: dict[str, str], gaps: str, n: int) -> tuple[list[str], int, bool, bool]:
    """The series of the functions that have one, under the names given with ``_series`` behind.

    Also their stride, whether they have those of the guards, and whether the motion is affine in all of them; ``gaps``
    is the text of the function of that name.
    """
    functions = {name: _function(text) for name, text in texts.items()}
    for with_guards in (True, False):
        made = []
        for name, function in functions.items():
            try:
                made.append(_Series(name, function, _function(gaps) if with_guards else None, n))
            except NoSeriesError:
                if with_guards and _has_series(name, function, n):
                    break
        else:
            stride = max((one.width for one in made), default=0)
            affine = with_guards and len(made) > 0 and all(one.is_affine for one in made)
            return [one.text(stride) for one in made], stride, with_guards, affine
    raise AssertionError


def _function(text: str) -> ast.FunctionDef:
    function = ast.parse(text).body[0]
    assert isinstance(function, ast.FunctionDef)
    return function


def _has_series(name: str, function: ast.FunctionDef, n: int) -> bool:
    """Whether a function has a series if nothing is asked of its guards."""
    try:
        _Series(name, function, None, n)
    except NoSeriesError:
        return False
    return True


class _Series(RowMaker):
    """The series of one function, whose lines are followed in order."""

    def __init__(self, name: str, function: ast.FunctionDef, gaps: ast.FunctionDef | None, n: int) -> None:
        super().__init__()
        self.name, self.n = name, n
        self.values: dict[str, Value] = {}
        self.sound: ast.expr | None = None
        self.outputs: dict[int, Value] = {}
        self.guards: dict[int, Value] = {}
        self.with_guards = gaps is not None
        self.state = [self.row(f"{'qu'[i // n]}[{i % n}]", "", ()) for i in range(2 * n)]
        self.time: Row | None = None
        for statement in function.body:
            self._statement(statement)
        if gaps is not None:
            self._add_gaps(gaps)
        self._keep_used()

    # reading the function

    def _statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.Expr(ast.Constant(str())):
                pass
            case ast.Assign([ast.Name(name)], value):
                self.values[name] = self._value(value)
            case ast.Assign([ast.Subscript(ast.Name("out"), ast.Constant(int(place)))], value):
                if place < self.n + POWERS:
                    self.outputs[place] = self._value(value)
                elif place == self.n + SOUND:
                    self.sound = value
                elif self.with_guards:
                    self.guards[FORCE_GUARDS[place - self.n]] = self._value(value)
            case _:
                raise NoSeriesError

    def _add_gaps(self, gaps: ast.FunctionDef) -> None:
        """Follow the function that writes gaps and their rates, with names of its own; the rates are not kept."""
        names, self.values = self.values, {}
        closed = int(self.name.split("_")[1]) if "_" in self.name else -1
        for statement in gaps.body:
            match statement:
                case ast.Assign([ast.Subscript(ast.Name("out"), ast.Constant(int(place)))], value):
                    if place % 2 == 0:
                        gap = Constant("0.0") if place // 2 == closed else self._value(value)
                        self.guards[len(FORCE_GUARDS) + place // 2] = gap
                case _:
                    self._statement(statement)
        self.values = names

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(float(number)):
                return Constant(repr(number))
            case ast.Name("t"):
                return self._time()
            case ast.Name(name):
                return self.values[name] if name in self.values else Constant(name)
            case ast.Subscript(ast.Name("q" | "u" as kind), ast.Constant(int(place))):
                return self.state[place + self.n * (kind == "u")]
            case ast.Subscript(ast.Name("p"), ast.Constant(int(place))):
                return self.constant(f"p[{place}]")
            case ast.Subscript(ast.Name("out"), ast.Constant(0)):
                return self.constant("t[2]")
            case ast.UnaryOp(ast.USub(), operand):
                return self.linear("-{0}", self._value(operand))
            case ast.BinOp(base, ast.Pow(), ast.Constant(int(exponent))):
                return self.whole_power(self._value(base), exponent)
            case ast.BinOp(left, operator, right):
                return self.binary(operator, self._value(left), self._value(right))
            case ast.IfExp(condition, first, second):
                return self._choice(condition, self._value(first), self._value(second))
            case ast.Call(ast.Name(name), [argument, ast.Name(curve)]) if name == CURVE:
                value = self._value(argument)
                if isinstance(value, Row):  # a piece holds for a part of a step only
                    raise NoSeriesError
                return self.constant(f"{CURVE}({value.text}, {curve})")
            case ast.Call(ast.Name(name), arguments):
                return self.call(name, [self._value(argument) for argument in arguments])
        raise NoSeriesError

    def _time(self) -> Row:
        if self.time is None:
            self.time = self.affine("t[0]", "h")
        return self.time

    def _choice(self, condition: ast.expr, a: Value, b: Value) -> Value:
        """Only where the condition does not change along the flow."""
        match condition:
            case ast.Compare(left, [operator], [right]):
                ends = [self._value(left), self._value(right)]
                if all(isinstance(end, Constant) for end in ends):
                    sign = {ast.Gt: ">", ast.Lt: "<", ast.GtE: ">=", ast.LtE: "<=", ast.Eq: "==", ast.NotEq: "!="}
                    text = f"{ends[0].text} {sign[type(operator)]} {ends[1].text}"  # type: ignore[union-attr]
                    if isinstance(a, Row) or isinstance(b, Row):
                        return self.chosen(text, a, b)
                    return self.constant(f"({a.text} if {text} else {b.text})")
        raise NoSeriesError

    # writing the series

    def _keep_used(self) -> None:
        """Only rows that something asks for, and the places of those that sums read."""
        names = {node.id for node in ast.walk(self.sound or ast.Constant(1.0)) if isinstance(node, ast.Name)}
        asked = [self.values[name] for name in sorted(names) if name in self.values]
        wanted = [*self.outputs.values(), *self.guards.values(), *asked]
        stack = [value for value in wanted if isinstance(value, Row)] + self.state
        used: set[int] = set()
        while stack:
            row = stack.pop()
            if row.index not in used:
                used.add(row.index)
                stack.extend(row.parts)
        self.rows = [row for row in self.rows if row.index in used]
        self.sums = [(row, pair) for row in self.rows for pair in row.sums]
        for i, row in enumerate(self.state):
            row.stored = i
        self.first_guard = 2 * self.n + POWERS + 1
        self.width = self.first_guard + max(self.guards, default=-1) + 1
        for row in self.rows:
            if row.before and row.stored < 0:
                row.stored, self.width = self.width, self.width + 1
        if len(self.sums) > MOST_SUMS or self.width > MOST_ROWS:
            raise NoSeriesError

    def text(self, stride: int) -> str:
        """The function; sums are written out in the order of their rows."""
        n = self.n
        lines = ["h = t[1]", *self.constants]
        lines += [f"{row.at_start} = {row.first}" for row in self._ordered(first=True)]
        lines += [f"out[{row.stored}] = {row.at_start}" for row in self.rows if row.stored >= 0]
        lines += [f"out[{2 * n + j}] = {_start(self.outputs.get(n + j))}" for j in range(POWERS)]
        lines.append(f"out[{2 * n + POWERS}] = {self._sound_text()}")
        lines += [f"out[{self.first_guard + g}] = {_start(value)}" for g, value in self.guards.items()]
        if self.sums:
            lines.append(f"sums = [0.0]*{self._lanes}")
            lines += [f"{side} = [nan]*{MOST_ORDERS * self._lanes}" for side in ("left", "right")]
        rates = [_start(self.outputs[j]) for j in range(n)]
        lines += [f"out[{stride + i}] = h*{self.state[n + i].at_start}" for i in range(n)]
        lines += [f"out[{stride + n + i}] = h*{grouped(rates[i])}" for i in range(n)]
        lines.append(f"out[{stride + 2 * n + POWERS}] = {float(self._constant_guards)}")
        lines += self._loop_lines(stride)
        return "\n".join([f"def {self.name}_series(count, t, q, u, p, out):", *_indented(lines)])

    @property
    def is_affine(self) -> bool:
        """Whether u' and what ends the mode have series without sums."""
        return not any(row.sums for row in closure([self.outputs[j] for j in range(self.n)] + [*self.guards.values()]))

    @property
    def _constant_guards(self) -> int:
        """The bits of the guards that do not change along the flow."""
        return sum(1 << g for g, value in self.guards.items() if g < MOST_BITS and _later(value) == "0.0")

    @property
    def _can_end(self) -> bool:
        """Whether nothing is left from order SHORT on where the state vanishes at order 3."""
        degrees = dict.fromkeys(self.state, 2)
        for row in sorted(self.rows, key=lambda row: row.index):
            if row.before or (row.sums and not row.product):
                return False
            of_parts = [degrees.get(part, SHORT) for part in row.parts]
            if row not in degrees:
                degrees[row] = 1 if row.slope else sum(of_parts) if row.product else max(of_parts, default=0)
        return self.is_affine and max(degrees.values()) < SHORT

    def _loop_lines(self, stride: int) -> list[str]:
        """The orders behind the first."""
        orders, number = _indented(self._order_lines(stride)), f"out[{2 * stride + 2 * self.n + POWERS}]"
        if not self._can_end:
            return [f"{number} = float(count)", "for k in range(1, count):", *orders]
        ended = " and ".join(f"out[{3 * stride + row.stored}] == 0.0" for row in self.state)
        return [
            f"for k in range(1, {SHORT} if float(count) > {SHORT - 0.5} else count):",
            *orders,
            f"{number} = {float(SHORT)} if float(count) > {SHORT - 0.5} and {ended} else float(count)",
            f"for k in range({SHORT}, {SHORT} if {ended} else count):",
            *orders,
        ]

    @property
    def _lanes(self) -> int:
        """Sums, and as many more that are zero as make whole groups."""
        return -(-len(self.sums) // LANES) * LANES

    def _sum_lines(self) -> list[str]:
        """All sums over 0 < j < k; those of the order before come last, so that nothing waits for them."""
        lanes = self._lanes
        products = [
            f"    for i in range({lanes}):",
            f"        sums[i] += left[j*{lanes} + i]*right[(k - j)*{lanes} + i]",
        ]
        return [
            *(f"sums[{i}] = 0.0" for i in range(lanes)),
            "for j in range(2, k - 1):",
            *products,
            "for j in range(1, k, max(k - 2, 1)):",
            *products,
        ]

    def _factor_lines(self) -> list[str]:
        """The factors of the sums at order k, for those of the orders that follow."""
        lanes, lines = self._lanes, []
        for i in range(lanes):
            pair = [row.at_order for row in self.sums[i][1]] if i < len(self.sums) else ["0.0", "0.0"]
            lines += [f"{side}[k*{lanes} + {i}] = {v}" for side, v in zip(("left", "right"), pair, strict=True)]
        return lines

    def _order_lines(self, stride: int) -> list[str]:
        """All rows at order k; the state at order k + 1."""
        n = self.n
        lines = ["order = float(k)", "inverse = 1.0/order", "next = h/float(k + 1)"]
        at, ahead, before = f"k*{stride}", f"(k + 1)*{stride}", f"(k - 1)*{stride}"
        lines += [f"{row.at_order} = out[{at} + {row.stored}]" for row in self.state]
        lines += [f"{row.at_order}_before = out[{before} + {row.stored}]" for row in self.rows if row.before]
        lines += self._sum_lines() if self.sums else []
        places: dict[int, list[str]] = {}
        for i, (row, _) in enumerate(self.sums):
            places.setdefault(row.index, []).append(f"sums[{i}]")
        for row in self._ordered(first=False):
            if row.later == "0.0" or row.index < 2 * n:
                continue
            lines.append(f"{row.at_order} = {row.later.format(*places.get(row.index, []))}")
            if row.stored >= 0:
                lines.append(f"out[{at} + {row.stored}] = {row.at_order}")
        lines += self._factor_lines()
        lines += [f"out[{at} + {2 * n + j}] = {_later(self.outputs.get(n + j))}" for j in range(POWERS)]
        lines += [f"out[{at} + {self.first_guard + g}] = {_later(value)}" for g, value in self.guards.items()]
        lines += [f"out[{ahead} + {i}] = next*{self.state[n + i].at_order}" for i in range(n)]
        lines += [f"out[{ahead} + {n + i}] = next*{grouped(_later(self.outputs[i]))}" for i in range(n)]
        return lines

    def _ordered(self, first: bool) -> list[Row]:
        """Rows after those that they are computed from, at order 0 or at the others."""
        known, ordered = set(), []
        wanted = {row.at_start if first else row.at_order: row for row in self.rows}

        def visit(row: Row) -> None:
            if row.index in known:
                return
            known.add(row.index)
            text = row.first if first else row.later.format("0.0", "0.0")
            for name in (node.id for node in ast.walk(ast.parse(text or "0.0")) if isinstance(node, ast.Name)):
                if name in wanted:
                    visit(wanted[name])
            ordered.append(row)

        for row in self.rows:
            visit(row)
        return ordered

    def _sound_text(self) -> str:
        """Whether the original is sound, from the values at order 0."""
        if self.sound is None:
            return "1.0"
        names = {name: _start(value) for name, value in self.values.items()}

        class Renamed(ast.NodeTransformer):
            def visit_Name(self, node: ast.Name) -> ast.Name:
                return ast.Name(names.get(node.id, node.id))

        return ast.unparse(Renamed().visit(ast.parse(ast.unparse(self.sound), mode="eval")))


def _start(value: Value | None) -> str:
    if value is None:
        return "0.0"
    return value.text if isinstance(value, Constant) else value.at_start


def _later(value: Value | None) -> str:
    return value.at_order if isinstance(value, Row) else "0.0"


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]
