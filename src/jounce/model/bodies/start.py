"""The start of a machine: from the poses the user gave to poses that satisfy every joint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from jounce.errors import ModelError
from jounce.model import assembly
from jounce.model.assembly import Floats
from jounce.model.lagrangian import gradient
from jounce.model.magnitude import magnitude
from jounce.model.numeric import numpy_function
from jounce.model.vocabulary import Vocabulary


class JointRows(Protocol):
    """The joints at t = 0 with the default parameters, as functions of q."""

    names: list[str]
    coordinates: list[str]
    units: list[str]

    def rows(self, q: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """g, J, the sizes of the terms of g, and g_t."""

    def position_rows(self, q: Floats) -> tuple[Floats, Floats, Floats]:
        """g, J and the sizes of the terms of g."""

    def measures(self, q: Floats) -> tuple[Floats, float]:
        """The cost of moving each coordinate, and how large the machine is."""


#: What is not given moves this much more easily than what is.
_NOT_GIVEN = 100.0
_TRIES = 40
#: A dependent equation still holds beside the start if it is open by less than this part of its terms.
_HOLDS = 1e-9
_ROUNDING = 4 * np.finfo(np.float64).eps


def assembled_start(
    words: Vocabulary, machine: JointRows | None, given: Mapping[str, float], *, allow_redundant: bool
) -> dict[str, float]:
    """Coordinates and velocities at t = 0 that satisfy the joints, as near as possible to those given.

    Raises a ModelError where the joints cannot all be closed (which stay open), where some follow from others
    (which), and where the start is a dead point.
    """
    names = [symbol.name for symbol in (*words.q, *words.u)]
    values = np.array([given.get(name, 0.0) for name in names])
    n = len(words.q)
    if machine is None:
        return dict(zip(names, values.tolist(), strict=True))
    known = np.array([name in given for name in names])
    q = _closed_positions(machine, values[:n], known[:n])
    if not allow_redundant:
        _check_redundancy(machine, q)
    _, J, terms, g_t = machine.rows(q)
    cost = assembly.moving_cost(J, terms, machine.units)
    for mobility in _mobilities(known[n:], cost):
        u, left = assembly.close_velocities(J, g_t, values[n:], mobility)
        worst = int(np.argmax(np.abs(left)))
        if np.all(np.abs(left) <= assembly.CLOSED * assembly.sizes_of_rates(J, g_t, u, cost)):
            break
    else:
        raise ModelError(
            f"no velocities satisfy the joints at the start: {machine.names[worst]!r} keeps the rate {left[worst]:.3g}"
            ". The machine is locked in this position, or a driver asks for what the other joints forbid"
        )
    start = np.concatenate([_without_rounding(values, cost) for values in (q, u)])
    return dict(zip(names, start.tolist(), strict=True))


def _without_rounding(values: Floats, cost: Floats) -> Floats:
    """What is rounding beside the others becomes zero."""
    sizes = np.abs(values) * cost
    return np.where(sizes < _ROUNDING * sizes.max(initial=0.0), 0.0, values)


class SymbolicJoints:
    """Those of any expressions."""

    def __init__(self, words: Vocabulary, joints: Mapping[str, sp.Expr]) -> None:
        self.names = list(joints)
        self.coordinates = list(words.coordinates)
        self.units = list(words.coordinates.values())
        defaults = {
            symbol: parameter.default for symbol, parameter in zip(words.p, words.parameters.values(), strict=True)
        }
        t = words.symbols["t"]
        g = sp.Matrix([expression.xreplace(defaults) for expression in joints.values()])
        entries = [gradient(row, words.q) for row in g]
        rates = [sp.diff(row, t) for row in g]
        terms = [magnitude(row) for row in g]
        parts = (*g, *(entry for row in entries for entry in row), *terms, *rates)
        everything = [part.subs(t, 0) for part in parts]
        self._function = numpy_function([list(words.q)], everything)

    def rows(self, q: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """g, J, the sizes of the terms of g, and g_t."""
        with np.errstate(all="ignore"):
            values = np.array(self._function(q), dtype=np.float64)
        m, n = len(self.names), len(q)
        g, J, terms, g_t = np.split(values, [m, m + m * n, 2 * m + m * n])
        return g, J.reshape(m, n), terms, g_t

    def position_rows(self, q: Floats) -> tuple[Floats, Floats, Floats]:
        """g, J and the sizes of the terms of g."""
        return self.rows(q)[:3]

    def measures(self, q: Floats) -> tuple[Floats, float]:
        """The cost of moving each coordinate, and how large the machine is."""
        _, J, terms, _ = self.rows(q)
        return assembly.moving_cost(J, terms, self.units), assembly.machine_length(J, terms, self.units)


def _mobilities(known: NDArray[np.bool_], cost: Floats) -> Iterator[Floats]:
    """What is given stays, if that is possible; otherwise it moves too, but less easily than what is not given."""
    if known.any():
        yield np.where(known, 0.0, 1.0) / cost
    yield np.where(known, 1.0, _NOT_GIVEN) / cost


def _closed_positions(machine: JointRows, q: Floats, known: NDArray[np.bool_]) -> Floats:
    """From the guess; where that fails, from other angles of the bodies whose angle is not given."""
    turning = np.array([unit == "rad" for unit in machine.units]) & ~known
    random = np.random.default_rng(2010)
    best: assembly.Closing | None = None
    for attempt in range(_TRIES if turning.any() else 1):
        trial = q.copy()
        if attempt:
            trial[turning] = random.uniform(-np.pi, np.pi, int(turning.sum()))
        cost, length = machine.measures(trial)
        limit = assembly.step_limit(cost, length)
        for mobility in _mobilities(known, cost):
            closing = assembly.close_positions(machine.position_rows, trial, mobility, limit)
            if closing.closed:
                return closing.q
            if best is None or np.linalg.norm(closing.residual) < np.linalg.norm(best.residual):
                best = closing
    assert best is not None
    raise ModelError(_cannot_be_assembled(machine, best))


def _cannot_be_assembled(machine: JointRows, best: assembly.Closing) -> str:
    order = np.argsort(-np.abs(best.residual))
    left = [f"{machine.names[k]} by {best.residual[k]:.3g}" for k in order if best.open[k]][:4]
    message = (
        f"the machine cannot be assembled at t = 0 with the default parameters: at best, joints stay open "
        f"({', '.join(left)} m or rad). Check the points and lengths of these joints, or give the bodies a start "
        "nearer to the assembled one"
    )
    count, n = len(machine.names), len(machine.coordinates)
    if count > n:
        message += f". There are {count} joint equations for {n} coordinates: at least {count - n} too many"
    return message


def check_loads_known(words: Vocabulary, joints: Mapping[str, sp.Expr], start: Mapping[str, float]) -> None:
    """Refuse joints that rub while some follow from others: statics leaves open what presses them."""
    machine, n = SymbolicJoints(words, joints), len(words.q)
    q = np.array([start.get(symbol.name, 0.0) for symbol in words.q])
    try:
        q = _closed_positions(machine, q, np.array([symbol.name in start for symbol in words.q]))
    except ModelError:
        return  # a start of one's own may close them
    found = assembly.dependent_rows(machine.rows(q)[1], machine.names) if n else {}
    if found and _holds_nearby(machine, q, list(found)):
        texts = [f"{name!r} follows from {', '.join(map(repr, others))}" for name, others in found.items()]
        raise ModelError(
            f"joints of this model load contacts, and what presses them must be known: {'; '.join(texts)}. Leave the "
            "redundant joints out"
        )


def _check_redundancy(machine: JointRows, q: Floats) -> None:
    """Dependent equations: everywhere near the start (redundant joints) or only there (a dead point)."""
    found = assembly.dependent_rows(machine.rows(q)[1], machine.names)
    if not found:
        return
    texts = [f"{name!r} follows from {', '.join(map(repr, others))}" for name, others in found.items()]
    if not _holds_nearby(machine, q, list(found)):
        raise ModelError(
            f"the start is a dead point of the machine ({'; '.join(texts)} there, but not beside it), where its motion "
            "and its joint forces are not unique; start somewhere else"
        )
    raise ModelError(
        f"the machine is over-constrained: {'; '.join(texts)}. Leave the redundant equations out (a guide in place of "
        "a second pin), or give allow_redundant=True: the motion is the same, and of all possible joint forces those "
        "of least norm are reported"
    )


def _holds_nearby(machine: JointRows, q: Floats, dependent: list[str]) -> bool:
    """Whether the machine without the dependent equations still satisfies them wherever it moves."""
    open_rows = np.array([name in dependent for name in machine.names])

    def others(place: Floats) -> tuple[Floats, Floats, Floats]:
        g, J, terms = machine.position_rows(place)
        return g[~open_rows], J[~open_rows], terms[~open_rows]

    cost, length = machine.measures(q)
    random = np.random.default_rng(7)
    for _ in range(4):
        trial = q + 0.03 * length / cost * random.standard_normal(len(q))
        limit = assembly.step_limit(cost, length)
        closing = assembly.close_positions(others, trial, 1.0 / cost, limit)
        g, J, terms = machine.position_rows(closing.q)
        if closing.closed and np.any(np.abs(g) > _HOLDS * assembly.sizes_of_joints(J, terms, limit)):
            return False
    return True
