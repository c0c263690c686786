"""Model -> the text of one function for each thing the engine asks of a model, in Python as instructions.py takes it.

All functions have the signatures of jounce.toolchain.jit. M is never inverted symbolically: free_acceleration divides
where M is diagonal, eliminates with an unrolled root-free Cholesky factorisation M = L D L^T where that is short
(elimination.py), and with loops otherwise. joint_acceleration eliminates the joints in the same way.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import sympy as sp

from jounce.codegen import kinematics
from jounce.codegen.bounds import flight_acceleration, flight_bounds, flight_rows
from jounce.codegen.contact_flow import contact_flows
from jounce.codegen.elimination import solve_free, solve_with_joints
from jounce.codegen.flight_guards import guard_degrees, guard_rates
from jounce.codegen.held_sides import Sides, held_sides, with_held_sides
from jounce.codegen.printer import KernelPrinter, LocalNames, curve_lines
from jounce.codegen.ranges import range_function
from jounce.codegen.subexpressions import common_subexpressions
from jounce.codegen.taylor import series_functions
from jounce.codegen.whole_angles import offsets, with_whole_angles
from jounce.model.expressions import check_computable
from jounce.model.jumps import normal
from jounce.model.magnitude import size_rows
from jounce.model.model import Model
from jounce.model.periodicity import mechanics_turns
from jounce.model.profiles import OfProfile, written
from jounce.model.time_dependence import cycles_in, timed_expressions

WIDTH = 120
# Unrolled elimination of a full matrix of 12 coordinates takes about this many lines.
_UNROLLED_LINES = 190
# A chain of fourteen bodies takes about this many with its joints; beyond, loops of the engine serve.
_UNROLLED_JOINT_LINES = 800


def generate_module(model: Model) -> str:
    """The whole module as text."""
    writer = ModuleWriter(model)
    acceleration = flight_acceleration(model)
    bounds = flight_bounds(model, acceleration)
    if bounds is None:
        acceleration = None
    degrees = guard_degrees(model, acceleration)
    acceleration_text, flow = writer.acceleration(), writer.flow()
    gaps = writer.function("gaps", kinematics.gap_rows(model), "Per contact: g, gamma_N.")
    functions = [
        acceleration_text,
        *flow,
        writer.joint_acceleration(),
        *_mechanics(writer, gaps),
        writer.as_written(
            "guard_rates",
            with_whole_angles(model, guard_rates(model, degrees, acceleration)),
            "Per guard: phi', phi'' in flight.",
        ),
        writer.as_written("flight_bounds", bounds or [], "Per contact K, K_up, K_jerk, a parabola below the gap."),
        writer.function("flight_gaps", flight_rows(model, acceleration), "Per contact in flight: g, gamma_N, g''."),
        writer.function(
            "landing",
            [] if acceleration is None else [*kinematics.contact_rows(model), *size_rows(model)],
            "At the end of a flight: what contacts gives, then what sizes gives.",
        ),
        *_laws_and_sizes(writer),
    ]
    flows, flowing = contact_flows(writer)
    free = [*flow, acceleration_text][0]
    series, stride, guarded, affine = _series(writer, free, flows, gaps) if bounds is None else ([], 0, True, False)
    narrow = range_function(writer)
    constants = {
        "BALLISTIC": bounds is not None,
        "GUARD_DEGREES": degrees,
        "GUARD_KINKS": tuple(int(model.kinks.get(guard, 0)) for guard in model.watched),
        "HELD_SIDES": tuple(int(normal(guard)[0] in writer.sides) for guard in model.watched) if writer.sides else (),
        "TURNS": mechanics_turns(model),
        "FORCING": period_rows(model)[1:],
        "WATCHED_ANGLES": tuple(model.q.index(q) for q in offsets(model)),
        "CONTACT_FLOWS": flowing,
        "SERIES_STRIDE": stride,
        "SERIES_GUARDS": guarded,
        "SERIES_AFFINE": affine,
        "NARROW": (narrow.outputs, narrow.watched) if narrow else ([], 0),
    }
    lines = [*(f"{name} = {value}" for name, value in constants.items()), *curve_lines(writer.printer)]
    return "\n\n\n".join(["\n".join(lines), *functions, *flows, *series, *([narrow.text] if narrow else [])])


def _mechanics(writer: ModuleWriter, gaps: str) -> list[str]:
    """Equations of motion, contacts, joints, powers and guards at one state."""
    model = writer.model
    return [
        writer.function("dynamics", [*model.M, *model.h], f"M row by row, then h (n = {model.n})."),
        writer.function(
            "contacts", kinematics.contact_rows(model), "Per contact: g, gamma_N, gamma_T, c_N, c_T, W_N, W_T."
        ),
        gaps,
        writer.function("surfaces", kinematics.surface_rows(model), "Per contact: friction and restitution."),
        writer.function("joints", kinematics.joint_rows(model), "Per joint: g, g', c, J with g'' = J.u' + c."),
        writer.function(
            "powers",
            with_whole_angles(model, kinematics.power_rows(model)),
            "Applied power, friction loss, surface power, loss of compliant contacts; per joint its g_t.",
        ),
        writer.as_written("guards", with_whole_angles(model, list(model.watched)), "The guards of the user."),
    ]


def period_rows(model: Model) -> tuple[list[sp.Expr], int, tuple[int, ...]]:
    """The period and what repeats how often in it, how many these are (-1: not known), the parameters in them."""
    if model.period is None:
        return [], -1, ()
    cycles = cycles_in(timed_expressions(model), model.period, model.p)
    rows = [model.period, *(cycles or ())]
    used = {symbol for row in rows for symbol in row.free_symbols}
    places = tuple(k for k, symbol in enumerate(model.p) if symbol in used)
    return rows, -1 if cycles is None else len(cycles), places


def _laws_and_sizes(writer: ModuleWriter) -> list[str]:
    """Compliance, resets, sizes of terms, the period, and what is asked for at many states at once."""
    model = writer.model
    return [
        writer.function(
            "compliance",
            kinematics.compliance_rows(model),
            "Per contact: F_N, F_T, loss, surface power, elastic, return.",
        ),
        writer.as_written(
            "resets", kinematics.reset_rows(model), "T + V, per reset whether its condition holds, all right sides."
        ),
        writer.as_written("sizes", size_rows(model), "How large the terms of each gap, joint, guard and slip are."),
        writer.as_written(
            "period", period_rows(model)[0], "The period of the forcing, and what repeats how often in it."
        ),
        writer.batch(
            "energies", kinematics.energy_rows(model), "T, V, per compliant contact that of its springs, row by row."
        ),
        writer.batch("gap_rates", [kinematics.gap_rate(model, c.gap) for c in model.contacts], "gamma_N, row by row."),
    ]


def _series(writer: ModuleWriter, free: str, flows: list[str], gaps: str) -> tuple[list[str], int, bool, bool]:
    """The series of the motion; on a step the sides of all borders are certain."""
    model = writer.model
    if writer.sides:
        writer.sides_certain = True
        free, flows = next(iter([*writer.flow(), writer.acceleration()])), contact_flows(writer)[0]
        gaps = writer.function("gaps", kinematics.gap_rows(model), "")
        writer.sides_certain = False
    return series_functions(_with_series(model, free, flows), gaps, model.n)


def _with_series(model: Model, free: str, flows: list[str]) -> dict[str, str]:
    """The functions whose series the engine can use, by name: of the free motion, of contacts that are closed alone."""
    if model.joints or any(contact.compliance is not None for contact in model.contacts):
        return {}
    return {"free": free} | {text[len("def ") : text.index("(")]: text for text in flows}


class ModuleWriter:
    """Writes the functions of one model as text."""

    def __init__(self, model: Model, held: tuple[Sequence[sp.Symbol], Sides] | None = None) -> None:
        """``held``: the sides of a machine that runs from tables, in whose vector there are no turns of angles."""
        self.model = model
        self.checked: set[sp.Basic] = set()
        self.printer = KernelPrinter()
        self.names = LocalNames([name for name in model.symbols if name != "t"])
        self.slots = {symbol: f"q[{k}]" for k, symbol in enumerate(model.q)}
        self.slots |= {symbol: f"u[{k}]" for k, symbol in enumerate(model.u)}
        turned = offsets(model) if held is None else {}
        self.names.of |= {symbol.name: self.names.fresh(f"{q.name}_turned") for q, symbol in turned.items()}
        symbols, self.sides = held_sides(model) if held is None else held
        self.names.of |= {symbol.name: self.names.fresh(f"side_{k}") for k, symbol in enumerate(symbols)}
        self.sides_certain = False
        self.vector = (*model.p, *model.memory, *turned.values(), *symbols)
        self.slots |= {symbol: f"p[{k}]" for k, symbol in enumerate(self.vector)}
        self.locals = {symbol: sp.Symbol(self.names.of[symbol.name], real=True) for symbol in self.slots}

    def function(self, name: str, outputs: Sequence[sp.Expr], doc: str) -> str:
        """One function that writes expressions of one state."""
        lines, results = self._assignments(outputs, held=True)
        lines += [self._line(f"out[{k}]", result) for k, result in enumerate(results)]
        return self.state_function(name, doc, lines)

    def as_written(self, name: str, outputs: Sequence[sp.Expr], doc: str) -> str:
        """One such function in which jumps are what they are, whatever side a step holds."""
        lines, results = self._assignments(outputs)
        lines += [self._line(f"out[{k}]", result) for k, result in enumerate(results)]
        return self.state_function(name, doc, lines)

    def acceleration(self) -> str:
        """u' = M^-1 h."""
        name, doc = "free_acceleration", "u' = M^-1 h."
        return (self._diagonal if self.model.M.is_diagonal() else self._eliminated)(name, doc, [])

    def flow(self) -> list[str]:
        """u' and the powers behind it, which share what they are made of; none where there are joints or no powers."""
        powers = with_whole_angles(self.model, kinematics.power_rows(self.model))
        if self.model.joints or all(power == 0 for power in powers):
            return []
        name, doc = "free_flow", "u' = M^-1 h, then applied power, friction loss, surface power, contact loss."
        return [(self._diagonal if self.model.M.is_diagonal() else self._eliminated)(name, doc, powers)]

    def _diagonal(self, name: str, doc: str, powers: list[sp.Expr]) -> str:
        """u' = h_i / M_ii, then the powers."""
        M, h = self.model.M, self.model.h
        return self.function(name, [*(h[i] / M[i, i] for i in range(self.model.n)), *powers], doc)

    def _eliminated(self, name: str, doc: str, powers: list[sp.Expr]) -> str:
        """Solve M x = h: M = L D L^T, then L z = h, D w = z, L^T x = w; entries known to be zero never appear."""
        model, n = self.model, self.model.n
        pairs = _lower(model)
        wanted = {**{f"M_{i}_{j}": model.M[i, j] for i, j in pairs}, **_forces(model)}
        texts, lines = self.named(wanted | {f"power_{k}": power for k, power in enumerate(powers)})
        entry = {pair: texts[f"M_{pair[0]}_{pair[1]}"] for pair in pairs}
        side = [texts[f"h_{i}"] for i in range(n)]
        solve = solve_free(n, entry, side, self.names)
        if len(solve) > _UNROLLED_LINES:
            solve = _looped_solve(n, entry, side)
        solve += [f"out[{n + k}] = {texts[f'power_{k}']}" for k in range(len(powers))]
        return self.state_function(name, doc, lines + solve)

    def joint_acceleration(self) -> str:
        """Solve M u' = h + J^T nu, J u' = -c; where the text would be too long the function says that it has not."""
        model, n = self.model, self.model.n
        doc = "u', nu, and 1.0 if these are good: M u' = h + J^T nu, J u' = -c."
        if not model.joints:
            return self.state_function("joint_acceleration", doc, [])
        rows = [kinematics.position_constraint(model, g) for g in model.joints.values()]
        pairs = _lower(model)
        places = [(k, j) for k, row in enumerate(rows) for j in range(n) if row.direction[j] != 0]
        wanted = {f"M_{i}_{j}": model.M[i, j] for i, j in pairs} | _forces(model)
        wanted |= {f"J_{k}_{j}": rows[k].direction[j] for k, j in places}
        wanted |= {f"b_{k}": row.bias for k, row in enumerate(rows)}
        texts, lines = self.named(wanted)
        solve = solve_with_joints(
            n,
            {pair: texts[f"M_{pair[0]}_{pair[1]}"] for pair in pairs},
            [texts[f"h_{i}"] for i in range(n)],
            {place: texts[f"J_{place[0]}_{place[1]}"] for place in places},
            [texts[f"b_{k}"] for k in range(len(rows))],
            self.names,
        )
        if len(solve) > _UNROLLED_JOINT_LINES:
            lines, solve = [], [f"out[{n + len(rows)}] = 0.0"]
        return self.state_function("joint_acceleration", doc, lines + solve)

    def named(self, wanted: dict[str, sp.Expr]) -> tuple[dict[str, str], list[str]]:
        """A text for each expression, a literal or the name of a variable, and the lines that compute these."""
        lines, results = self._assignments(list(wanted.values()), held=True)
        texts = {}
        for name, result in zip(wanted, results, strict=True):
            if result.is_Number or result.is_Symbol:
                texts[name] = self.printer.doprint(result)
                continue
            texts[name] = self.names.fresh(name)
            lines.append(self._line(texts[name], result))
        return texts, lines

    def batch(self, name: str, outputs: Sequence[sp.Expr], doc: str) -> str:
        """One function that writes expressions of many states, row after row."""
        n, width = self.model.n, len(outputs)
        head = [f"def {name}(count, t, q, u, p, out):", f'    """{doc}"""']
        if not outputs:
            return "\n".join(head)
        assignments, results, used = self._reduce(outputs)
        lines = [f"{self.locals[s].name} = {slot}" for s, slot in self.slots.items() if s in used and slot[0] == "p"]
        lines.append("for row in range(count):")
        loop = []
        if sp.Symbol("t", real=True) in used:
            loop.append(f"{self._time_name} = t[row]")
        for symbol, slot in self.slots.items():
            if symbol in used and slot[0] != "p":
                index = slot[2:-1] if n == 1 else f"row*{n} + {slot[2:-1]}"
                loop.append(f"{self.locals[symbol].name} = {slot[0]}[{'row' if n == 1 else index}]")
        loop += [self._line(left.name, right, time=self._time_name) for left, right in assignments]
        for k, result in enumerate(results):
            loop.append(self._line("out[row]" if width == 1 else f"out[row*{width} + {k}]", result, self._time_name))
        return "\n".join([*head, *_indent(lines, 1), *_indent(loop, 2)])

    @property
    def _time_name(self) -> str:
        if "t" not in self.names.of:
            self.names.of["t"] = self.names.fresh("t_row")
        return self.names.of["t"]

    def state_function(self, name: str, doc: str, lines: list[str]) -> str:
        """The text of a function of one state."""
        head = [f"def {name}(t, q, u, p, out):", f'    """{doc}"""']
        return "\n".join([*head, *_indent(lines, 1)])

    def _assignments(self, outputs: Sequence[sp.Expr], held: bool = False) -> tuple[list[str], list[sp.Expr]]:
        """The lines that load symbols and compute common subexpressions, and the outputs in terms of them."""
        assignments, results, used = self._reduce(outputs, held)
        lines = [f"{self.locals[s].name} = {slot}" for s, slot in self.slots.items() if s in used]
        return lines + [self._line(left.name, right) for left, right in assignments], results

    def _reduce(
        self, outputs: Sequence[sp.Expr], held: bool = False
    ) -> tuple[list[tuple[sp.Symbol, sp.Expr]], list[sp.Expr], set[sp.Basic]]:
        parts, smooth = _parts_of(outputs), list(outputs)
        if any(isinstance(part, sp.DiracDelta) for part in parts):
            smooth = [without_impulses(expression) for expression in outputs]
        if any(isinstance(part, OfProfile) for part in parts):
            smooth = written(smooth)
        for expression in smooth:
            check_computable(expression, f"model {self.model.name!r}, derivatives for the generated code", self.checked)
        if held:
            smooth = [with_held_sides(expression, self.sides, self.sides_certain) for expression in smooth]
        used = _symbols_in(smooth)
        # replacing builds every node anew, which for Max means comparing its arguments: only where a name changes
        renamed = {symbol: local for symbol, local in self.locals.items() if symbol != local}
        local = [expression.xreplace(renamed) for expression in smooth] if renamed else smooth
        assignments, results = common_subexpressions(local, self._temporaries())
        return assignments, results, used

    def _temporaries(self) -> Iterator[sp.Symbol]:
        taken = set(self.names.of.values())
        number = 0
        while True:
            name = f"c{number}"
            if name not in taken:
                yield sp.Symbol(name, real=True)
            number += 1

    def _line(self, left: str, expression: sp.Expr, time: str = "t") -> str:
        if time != "t":
            expression = expression.xreplace({sp.Symbol("t", real=True): sp.Symbol(time, real=True)})
        text = _without_outer_parentheses(self.printer.doprint(expression))
        if len(left) + len(text) + 3 <= WIDTH - 8:
            return f"{left} = {text}"
        wrapped = textwrap.wrap(text, WIDTH - 12, break_long_words=False, break_on_hyphens=False)
        return "\n".join([f"{left} = (", *(f"    {part}" for part in wrapped), ")"])


def _symbols_in(expressions: Sequence[sp.Expr]) -> set[sp.Basic]:
    """The symbols of all expressions."""
    return {part for part in _parts_of(expressions) if isinstance(part, sp.Symbol)}


def _parts_of(expressions: Sequence[sp.Expr]) -> set[sp.Basic]:
    """All parts of all expressions; what they share is walked through once."""
    seen: set[sp.Basic] = set()
    stack: list[sp.Basic] = list(expressions)
    while stack:
        part = stack.pop()
        if part not in seen:
            seen.add(part)
            stack.extend(part.args)
    return seen


def _lower(model: Model) -> list[tuple[int, int]]:
    """Places of the entries of M on and below the diagonal that are not zero."""
    return [(i, j) for i in range(model.n) for j in range(i + 1) if model.M[i, j] != 0]


def _forces(model: Model) -> dict[str, sp.Expr]:
    return {f"h_{i}": model.h[i] for i in range(model.n)}


def without_impulses(expression: sp.Expr) -> sp.Expr:
    """Drop the DiracDelta that differentiating sign, Abs, Max and Heaviside leaves at isolated points."""
    if not expression.has(sp.DiracDelta):
        return expression
    return expression.replace(lambda part: isinstance(part, sp.DiracDelta), lambda part: sp.Integer(0))


def _looped_solve(n: int, entry: dict[tuple[int, int], str], h: list[str]) -> list[str]:
    """The same elimination in loops, for matrices whose unrolled form would be long."""
    lines = [f"matrix = [0.0]*{n * n}"]
    lines += [f"matrix[{n * i + j}] = {entry.get((i, j), '0.0')}" for i in range(n) for j in range(i + 1)]
    lines += [f"out[{i}] = {name}" for i, name in enumerate(h)]
    return [
        *lines,
        f"for j in range({n}):",
        "    for i in range(j):",
        f"        matrix[{n}*j + j] -= matrix[{n}*j + i]*matrix[{n}*j + i]*matrix[{n}*i + i]",
        f"    for i in range(j + 1, {n}):",
        "        for k in range(j):",
        f"            matrix[{n}*i + j] -= matrix[{n}*i + k]*matrix[{n}*j + k]*matrix[{n}*k + k]",
        f"        matrix[{n}*i + j] /= matrix[{n}*j + j]",
        f"for i in range({n}):",
        "    for k in range(i):",
        f"        out[i] -= matrix[{n}*i + k]*out[k]",
        f"for i in range({n - 1}, -1, -1):",
        f"    out[i] /= matrix[{n}*i + i]",
        f"    for k in range(i + 1, {n}):",
        f"        out[i] -= matrix[{n}*k + i]*out[k]",
    ]


def _without_outer_parentheses(text: str) -> str:
    depth = 0
    for position, character in enumerate(text):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            return text[1:-1] if text.startswith("(") and position == len(text) - 1 else text
    return text


def _indent(lines: list[str], levels: int) -> list[str]:
    return [textwrap.indent(line, "    " * levels) for line in lines]
