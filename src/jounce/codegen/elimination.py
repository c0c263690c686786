"""Linear systems solved in generated code: every entry has a name, and entries known to be zero never appear.

The matrix is M = L D L^T without roots. Joints J u' = -c are eliminated by the same factorisation of

    S = Y D^-1 Y^T ,  Y = J L^-T ,      S nu = -(c + Y D^-1 L^-1 h) ,      u' = L^-T D^-1 (L^-1 h + Y^T nu) .
"""

from __future__ import annotations

from jounce.codegen.printer import LocalNames

CLEARLY_DEFINITE = 1e-8  # relative pivot of S above which no joint depends on the others (kernels/contact/linear.py)

Entries = dict[tuple[int, int], str]


class Elimination:
    """Writes the lines that solve one system; texts are names or literals of what was computed above."""

    def __init__(self, names: LocalNames) -> None:
        self.names = names
        self.lines: list[str] = []

    def let(self, name: str, terms: list[str]) -> str:
        """A new variable: the sum of terms that carry their sign."""
        fresh = self.names.fresh(name)
        text = " ".join(terms)
        self.lines.append(f"{fresh} = {text.removeprefix('+ ').replace('- ', '-', 1) if text[0] in '+-' else text}")
        return fresh

    def factor(self, order: list[int], entry: Entries, letters: str) -> tuple[Entries, dict[int, str]]:
        """(L below the diagonal, D) of the symmetric matrix whose lower triangle in this order is ``entry``."""
        lower: Entries = {}
        scaled: Entries = {}  # L_ij D_j
        pivot: dict[int, str] = {}
        for at, j in enumerate(order):
            before = [k for k in order[:at] if (j, k) in lower]
            terms = [f"- {product(lower[j, k], scaled[j, k])}" for k in before]
            pivot[j] = self.let(f"{letters[1]}_{j}", [entry[j, j], *terms]) if terms else entry[j, j]
            for i in order[at + 1 :]:
                terms = [f"- {product(scaled[i, k], lower[j, k])}" for k in before if (i, k) in lower]
                first = entry.get((i, j), entry.get((j, i)))
                if first is None and not terms:
                    continue
                scaled[i, j] = self.let(f"{letters[2]}_{i}_{j}", [first, *terms] if first else terms)
                lower[i, j] = self.let(f"{letters[0]}_{i}_{j}", [f"{scaled[i, j]}/{pivot[j]}"])
        return lower, pivot

    def forward(self, order: list[int], lower: Entries, right: dict[int, str], name: str) -> dict[int, str]:
        """L^-1 right."""
        found: dict[int, str] = {}
        for at, i in enumerate(order):
            terms = [f"- {product(lower[i, k], found[k])}" for k in order[:at] if (i, k) in lower and k in found]
            if terms:
                found[i] = self.let(f"{name}_{i}", [right[i], *terms] if i in right else terms)
            elif i in right:
                found[i] = right[i]
        return found

    def backward(self, order: list[int], lower: Entries, right: dict[int, str], name: str) -> dict[int, str]:
        """L^-T right; ``right`` are sums, in parentheses where needed."""
        found: dict[int, str] = {}
        for at in reversed(range(len(order))):
            i = order[at]
            terms = [f"- {product(lower[k, i], found[k])}" for k in order[at + 1 :] if (k, i) in lower]
            found[i] = self.let(f"{name}_{i}", [right[i], *terms])
        return found


def solve_free(n: int, mass: Entries, h: list[str], names: LocalNames) -> list[str]:
    """Lines that write M^-1 h to ``out``."""
    work, order = Elimination(names), list(range(n))
    lower, pivot = work.factor(order, mass, "LDS")
    z = work.forward(order, lower, dict(enumerate(h)), "z")
    x = work.backward(order, lower, {i: f"{z[i]}/{pivot[i]}" for i in order}, "x")
    return work.lines + [f"out[{i}] = {x[i]}" for i in order]


def solve_with_joints(
    n: int, mass: Entries, h: list[str], joints: Entries, biases: list[str], names: LocalNames
) -> list[str]:
    """Lines that write u', then nu, then whether M is positive and S clearly so (1.0 or 0.0) to ``out``."""
    work, order, count = Elimination(names), list(range(n)), len(biases)
    lower, pivot = work.factor(order, mass, "LDS")
    inverse = {j: work.let(f"I_{j}", [f"1.0/{pivot[j]}"]) for j in order}
    z = work.forward(order, lower, dict(enumerate(h)), "z")
    free = {j: work.let(f"a_{j}", [product(z[j], inverse[j])]) for j in order}
    rows = [
        work.forward(order, lower, {j: joints[k, j] for j in order if (k, j) in joints}, f"Y_{k}") for k in range(count)
    ]
    scaled = [{j: _scaled(work, row[j], inverse[j], f"V_{k}_{j}") for j in row} for k, row in enumerate(rows)]
    delassus: Entries = {}
    for i in range(count):
        for k in range(i + 1):
            terms = [f"+ {product(rows[i][j], scaled[k][j])}" for j in order if j in rows[i] and j in rows[k]]
            if terms:
                delassus[i, k] = work.let(f"G_{i}_{k}", terms)
    if any((k, k) not in delassus for k in range(count)):
        return [f"out[{n + count}] = 0.0"]  # a joint that nothing can move is left to the loops
    right = {
        k: work.let(f"r_{k}", [f"- {biases[k]}", *(f"- {product(rows[k][j], free[j])}" for j in order if j in rows[k])])
        for k in range(count)
    }
    joint_order = least_fill(count, delassus)
    joint_lower, joint_pivot = work.factor(joint_order, delassus, "KEW")
    f = work.forward(joint_order, joint_lower, right, "f")
    nu = work.backward(joint_order, joint_lower, {k: f"{f[k]}/{joint_pivot[k]}" for k in joint_order}, "nu")
    total = {
        j: " + ".join([free[j], *(product(scaled[k][j], nu[k]) for k in range(count) if j in rows[k])]) for j in order
    }
    x = work.backward(order, lower, total, "x")
    sound = [f"{pivot[j]} > 0.0" for j in order]
    sound += [f"{joint_pivot[k]} > {CLEARLY_DEFINITE}*{delassus[k, k]}" for k in range(count)]
    return [
        *work.lines,
        *(f"out[{j}] = {x[j]}" for j in order),
        *(f"out[{n + k}] = {nu[k]}" for k in range(count)),
        f"out[{n + count}] = 1.0 if ({' and '.join(sound)}) else 0.0",
    ]


def _scaled(work: Elimination, entry: str, inverse: str, name: str) -> str:
    return work.let(name, [product(entry, inverse)])


def product(a: str, b: str) -> str:
    """The text of a*b without factors of one."""
    if a == "1.0":
        return b
    if b == "1.0":
        return a
    return f"{_factor(a)}*{_factor(b)}"


def _factor(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def least_fill(count: int, entry: Entries) -> list[int]:
    """An order of elimination: always the unknown with the fewest neighbours next (minimum degree)."""
    neighbours: dict[int, set[int]] = {k: set() for k in range(count)}
    for i, k in entry:
        if i != k:
            neighbours[i].add(k)
            neighbours[k].add(i)
    order = []
    while neighbours:
        k = min(neighbours, key=lambda index: (len(neighbours[index]), index))
        around = neighbours.pop(k)
        for i in around:
            neighbours[i] |= around - {i}
            neighbours[i].discard(k)
        order.append(k)
    return order
