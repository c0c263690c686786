"""The motion while one contact is closed, as straight code: its accelerations, forces, guards and powers at once.

The engine's general way (kernels/contact/forces.py) evaluates the model, factors M, assembles the constraints of the
mode and solves them, in loops over sizes that it learns at run time. While a single contact is closed and there are no
joints the same elimination is a few dozen lines. With M = L D L^T, y = L^-1 w of a direction w and z = L^-1 h:

    slide   F = W_N - s mu W_T ,   A = W_N.M^-1.F ,   lambda_N = -(c_N + W_N.M^-1.h)/A ,   lambda_T = -s mu lambda_N
    stick   G = (W_N, W_T) M^-1 (W_N, W_T)^T  by G = L D L^T of its own
    both    u' = M^-1 (h + W_N lambda_N + W_T lambda_T) .

Each function of one contact writes, behind u',

    applied power, friction loss, surface power, contact loss,
    lambda_N, lambda_T, determinant, sound, gamma_T, mu_s lambda_N .

The determinant is normalised as in ``solve_mode``: A/C with C = W_N.M^-1.W_N, or that of G over the product of its
diagonal. ``sound`` is 1.0 where M is positive definite and the mode's constraints are clearly independent; elsewhere
the engine takes its general way. ``slide`` reads s, the sign of the slip, from out[0].
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import sympy as sp

from jounce.codegen import kinematics
from jounce.codegen.elimination import CLEARLY_DEFINITE, Elimination, Entries, product
from jounce.codegen.whole_angles import with_whole_angles
from jounce.model.speeds import sliding_friction

if TYPE_CHECKING:
    from jounce.codegen.module_text import ModuleWriter

#: Lines of all functions of a model together beyond which further contacts take the general way.
MOST_LINES = 400
_DOC = "u', the four powers, lambda_N, lambda_T, determinant, sound, gamma_T, mu_s lambda_N."
_SOUND = 7  # place of this number behind u'


def contact_flows(writer: ModuleWriter) -> tuple[list[str], int]:
    """The functions slide_i and stick_i of the first contacts, and for how many contacts there are such functions."""
    texts: list[str] = []
    model, lines_left = writer.model, MOST_LINES
    if model.joints:
        return texts, 0
    for i, contact in enumerate(model.contacts):
        if contact.compliance is not None or contact.load is not None:
            return texts, i
        data = _ContactData(writer, i)
        bodies = {"slide": data.slide()}
        if contact.slip is not None:
            bodies["stick"] = data.stick()
        lines_left -= sum(len(data.lines) + len(body) for body in bodies.values())
        if lines_left < 0:
            return texts, i
        texts += [writer.state_function(f"{name}_{i}", _DOC, data.lines + body) for name, body in bodies.items()]
    return texts, len(model.contacts)


class _ContactData:
    """Names of what both functions of contact i start from, and the lines that compute these."""

    def __init__(self, writer: ModuleWriter, i: int) -> None:
        model = writer.model
        self.n, self.names, contact = model.n, writer.names, model.contacts[i]
        normal = kinematics.position_constraint(model, contact.gap)
        tangential = kinematics.velocity_constraint(model, contact.slip)
        self.pairs = [(a, b) for a in range(self.n) for b in range(a + 1) if model.M[a, b] != 0]
        wanted = {f"M_{a}_{b}": model.M[a, b] for a, b in self.pairs}
        wanted |= {f"h_{j}": model.h[j] for j in range(self.n)}
        wanted |= {f"N_{j}": w for j, w in enumerate(normal.direction) if w != 0}
        wanted |= {f"T_{j}": w for j, w in enumerate(tangential.direction) if w != 0}
        wanted |= {"c_N": normal.bias, "c_T": tangential.bias, "gamma_N": normal.rate, "gamma_T": tangential.rate}
        slip = sp.Integer(0) if contact.slip is None else contact.slip
        wanted |= {"mu": sliding_friction(contact.friction, slip), "mu_back": sliding_friction(contact.friction, -slip)}
        wanted |= {"mu_s": contact.static_friction}
        wanted |= {f"u_{j}": u for j, u in enumerate(model.u)}
        own = with_whole_angles(model, kinematics.power_rows(model))
        wanted |= {f"power_{k}": power for k, power in enumerate(own)}
        self.texts, self.lines = writer.named(wanted)

    def _row(self, letter: str) -> dict[int, str]:
        return {j: self.texts[f"{letter}_{j}"] for j in range(self.n) if f"{letter}_{j}" in self.texts}

    def _friction(self) -> str:
        """mu in the direction of the slip."""
        ahead, back = self.texts["mu"], self.texts["mu_back"]
        return _factor(ahead) if ahead == back else f"({ahead} if out[0] > 0.0 else {back})"

    def _begin(self) -> _Work:
        mass: Entries = {(a, b): self.texts[f"M_{a}_{b}"] for a, b in self.pairs}
        return _Work(self, mass)

    def slide(self) -> list[str]:
        """Lines of the sliding mode."""
        work = self._begin()
        weight = work.let("weight", ["out[0]*" + self._friction()]) if work.tangent else "0.0"
        column = {
            j: work.let(
                f"F_{j}",
                [*([work.scaled_n[j]] if j in work.scaled_n else []), *_minus(weight, work.scaled_t.get(j))],
            )
            for j in range(self.n)
            if j in work.scaled_n or j in work.scaled_t
        }
        a = work.dot("A", work.normal, column)
        c = work.dot("C", work.normal, work.scaled_n)
        if a is None or c is None:
            return [f"out[{self.n + _SOUND}] = 0.0"]
        force = work.let("force_N", [f"{work.load('c_N', work.normal)}/{a}"])
        friction = work.let("force_T", [f"-{weight}*{force}"])
        total = {j: " + ".join([work.free[j], *_product(column.get(j), force)]) for j in range(self.n)}
        determinant = work.let("determinant", [f"{a}/{c}"])
        return work.finish(total, force, friction, determinant, [f"abs({a}) > 0.0", f"{c} > 0.0"])

    def stick(self) -> list[str]:
        """Lines of the sticking mode."""
        work = self._begin()
        nn = work.dot("G_NN", work.normal, work.scaled_n)
        tt = work.dot("G_TT", work.tangent, work.scaled_t)
        if nn is None or tt is None:
            return [f"out[{self.n + _SOUND}] = 0.0"]
        load_n, load_t = work.load("c_N", work.normal), work.load("c_T", work.tangent)
        nt = work.dot("G_NT", work.tangent, work.scaled_n)
        if nt is None:
            pivot = tt
            friction = work.let("force_T", [f"{load_t}/{tt}"])
            force = work.let("force_N", [f"{load_n}/{nn}"])
        else:
            ratio = work.let("K", [f"{nt}/{nn}"])
            pivot = work.let("E", [tt, f"- {ratio}*{nt}"])
            friction = work.let("force_T", [f"({load_t} - {ratio}*{load_n})/{pivot}"])
            force = work.let("force_N", [f"{load_n}/{nn}", f"- {ratio}*{friction}"])
        total = {
            j: " + ".join(
                [work.free[j], *_product(work.scaled_n.get(j), force), *_product(work.scaled_t.get(j), friction)]
            )
            for j in range(self.n)
        }
        determinant = work.let("determinant", [f"{pivot}/{tt}"])
        return work.finish(total, force, friction, determinant, [f"{nn} > 0.0", f"{pivot} > {CLEARLY_DEFINITE!r}*{tt}"])


class _Work(Elimination):
    """The elimination of M with the rows of one contact; ``scaled`` rows are D^-1 L^-1 w."""

    def __init__(self, data: _ContactData, mass: Entries) -> None:
        super().__init__(data.names)
        self.data, self.order = data, list(range(data.n))
        self.lower, self.pivot = self.factor(self.order, mass, "LDS")
        inverse = {j: self.let(f"I_{j}", [f"1.0/{self.pivot[j]}"]) for j in self.order}
        z = self.forward(self.order, self.lower, {j: data.texts[f"h_{j}"] for j in self.order}, "z")
        self.free = {j: self.let(f"a_{j}", [product(z[j], inverse[j])]) for j in self.order}
        self.normal = self.forward(self.order, self.lower, data._row("N"), "y_N")
        self.tangent = self.forward(self.order, self.lower, data._row("T"), "y_T")
        self.scaled_n = {j: self.let(f"v_N_{j}", [product(y, inverse[j])]) for j, y in self.normal.items()}
        self.scaled_t = {j: self.let(f"v_T_{j}", [product(y, inverse[j])]) for j, y in self.tangent.items()}

    def dot(self, name: str, row: dict[int, str], column: dict[int, str]) -> str | None:
        """row.column, None where it is known to be zero."""
        terms = [f"+ {product(row[j], column[j])}" for j in self.order if j in row and j in column]
        return self.let(name, terms) if terms else None

    def load(self, bias: str, row: dict[int, str]) -> str:
        """-(c + w.M^-1.h): what the forces have to stop."""
        terms = [f"- {product(row[j], self.free[j])}" for j in self.order if j in row]
        return self.let(f"r_{bias}", [f"- {_factor(self.data.texts[bias])}", *terms])

    def finish(self, total: dict[int, str], force: str, friction: str, determinant: str, sound: list[str]) -> list[str]:
        """All lines: u' = L^-T total, then what stands behind it."""
        texts, n = self.data.texts, self.data.n
        x = self.backward(self.order, self.lower, total, "x")
        sound = [*(f"{self.pivot[j]} > 0.0" for j in self.order), *sound]
        surface_n = self._drift("gamma_N", "N")
        surface_t = self._drift("gamma_T", "T")
        slip = _factor(texts["gamma_T"])
        rest = [
            texts["power_0"],
            f"{texts['power_1']} - {friction}*{slip}",
            f"{texts['power_2']} - ({force}*{surface_n} + {friction}*{surface_t})",
            texts["power_3"],
            force,
            friction,
            determinant,
            f"1.0 if ({' and '.join(sound)}) else 0.0",
            texts["gamma_T"],
            f"{_factor(texts['mu_s'])}*{force}",
        ]
        lines = [*self.lines, *(f"out[{j}] = {x[j]}" for j in self.order)]
        return lines + [f"out[{n + k}] = {text}" for k, text in enumerate(rest)]

    def _drift(self, rate: str, letter: str) -> str:
        """gamma - w.u: the part of a contact's velocity that its surface has."""
        texts, row = self.data.texts, self.data._row(letter)
        return self.let(f"{rate}_drift", [texts[rate], *(f"- {product(w, texts[f'u_{j}'])}" for j, w in row.items())])


def _factor(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _minus(weight: str, entry: str | None) -> list[str]:
    return [] if entry is None else [f"- {product(weight, entry)}"]


def _product(entry: str | None, force: str) -> list[str]:
    return [] if entry is None else [product(entry, force)]
