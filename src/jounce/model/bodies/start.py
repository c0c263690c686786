"""The start of a machine: from the poses the user gave to poses that satisfy every joint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import sympy as sp
from numpy.typing import NDArray

from jounce.errors import ModelError
from jounce.model import assembly
from jounce.model.assembly import Floats
from jounce.model.lagrangian import gradient
from jounce.model.numeric import numpy_function
from jounce.model.vocabulary import Vocabulary

#: What is not given moves this much more easily than what is.
_NOT_GIVEN = 100.0
_TRIES = 40


def assembled_start(
    words: Vocabulary, joints: Mapping[str, sp.Expr], given: Mapping[str, float], *, allow_redundant: bool
) -> dict[str, float]:
    """Coordinates and velocities at t = 0 that satisfy the joints, as near as possible to those given.

    Raises a ModelError where the joints cannot all be closed (which stay open), where some follow from others
    (which), and where the start is a dead point.
    """
    names = [symbol.name for symbol in (*words.q, *words.u)]
    values = np.array([given.get(name, 0.0) for name in names])
    n = len(words.q)
    if not joints:
        return dict(zip(names, values.tolist(), strict=True))
    machine = _Machine(words, joints)
    known = np.array([name in given for name in names])
    q = _closed_positions(machine, values[:n], known[:n])
    if not allow_redundant:
        _check_redundancy(machine, q)
    _, J, g_t = machine.rows(q)
    for mobility in _mobilities(known[n:], assembly.moving_cost(J, machine.units)):
        u, left = assembly.close_velocities(J, g_t, values[n:], mobility)
        worst = int(np.argmax(np.abs(left)))
        if abs(left[worst]) <= assembly.CLOSED * (1.0 + float(np.abs(J[worst]) @ np.abs(u))):
            break
    else:
        raise ModelError(
            f"no velocities satisfy the joints at the start: {machine.names[worst]!r} keeps the rate {left[worst]:.3g}"
            ". The machine is locked in this position, or a driver asks for what the other joints forbid"
        )
    start = np.concatenate((q, u))
    start[np.abs(start) < 1e-15] = 0.0  # rounding of what is zero
    return dict(zip(names, start.tolist(), strict=True))


class _Machine:
    """The joints at t = 0 with the default parameters, as functions of q."""

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
        everything = [part.subs(t, 0) for part in (*g, *(entry for row in entries for entry in row), *rates)]
        self._function = numpy_function([list(words.q)], everything)

    def rows(self, q: Floats) -> tuple[Floats, Floats, Floats]:
        """g, J and g_t."""
        with np.errstate(all="ignore"):
            values = np.array(self._function(q), dtype=np.float64)
        m, n = len(self.names), len(q)
        return values[:m], values[m : m + m * n].reshape(m, n), values[m + m * n :]

    def position_rows(self, q: Floats) -> tuple[Floats, Floats]:
        """g and J."""
        return self.rows(q)[:2]


def _mobilities(known: NDArray[np.bool_], cost: Floats) -> Iterator[Floats]:
    """What is given stays, if that is possible; otherwise it moves too, but less easily than what is not given."""
    if known.any():
        yield np.where(known, 0.0, 1.0) / cost
    yield np.where(known, 1.0, _NOT_GIVEN) / cost


def _closed_positions(machine: _Machine, q: Floats, known: NDArray[np.bool_]) -> Floats:
    """From the guess; where that fails, from other angles of the bodies whose angle is not given."""
    turning = np.array([unit == "rad" for unit in machine.units]) & ~known
    random = np.random.default_rng(2010)
    best: assembly.Closing | None = None
    for attempt in range(_TRIES if turning.any() else 1):
        trial = q.copy()
        if attempt:
            trial[turning] = random.uniform(-np.pi, np.pi, int(turning.sum()))
        cost = assembly.moving_cost(machine.rows(trial)[1], machine.units)
        for mobility in _mobilities(known, cost):
            closing = assembly.close_positions(machine.position_rows, trial, mobility, assembly.step_limit(cost))
            if closing.closed:
                return closing.q
            if best is None or np.linalg.norm(closing.residual) < np.linalg.norm(best.residual):
                best = closing
    assert best is not None
    raise ModelError(_cannot_be_assembled(machine, best))


def _cannot_be_assembled(machine: _Machine, best: assembly.Closing) -> str:
    order = np.argsort(-np.abs(best.residual))
    left = [f"{machine.names[k]} by {best.residual[k]:.3g}" for k in order if abs(best.residual[k]) > 1e-9][:4]
    message = (
        f"the machine cannot be assembled at t = 0 with the default parameters: at best, joints stay open "
        f"({', '.join(left)} m or rad). Check the points and lengths of these joints, or give the bodies a start "
        "nearer to the assembled one"
    )
    count, n = len(machine.names), len(machine.coordinates)
    if count > n:
        message += f". There are {count} joint equations for {n} coordinates: at least {count - n} too many"
    return message


def _check_redundancy(machine: _Machine, q: Floats) -> None:
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


def _holds_nearby(machine: _Machine, q: Floats, dependent: list[str]) -> bool:
    """Whether the machine without the dependent equations still satisfies them wherever it moves."""
    open_rows = np.array([name in dependent for name in machine.names])

    def others(place: Floats) -> tuple[Floats, Floats]:
        g, J = machine.position_rows(place)
        return g[~open_rows], J[~open_rows]

    cost = assembly.moving_cost(machine.rows(q)[1], machine.units)
    random = np.random.default_rng(7)
    for _ in range(4):
        trial = q + 0.03 * float(np.max(cost)) / cost * random.standard_normal(len(q))
        closing = assembly.close_positions(others, trial, 1.0 / cost, assembly.step_limit(cost))
        if closing.closed and np.max(np.abs(machine.rows(closing.q)[0])) > 1e-9:
            return False
    return True
