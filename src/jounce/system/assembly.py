"""Assembly of a compiled system: states that satisfy its joints, at any time and with any parameters."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from jounce.errors import SimulationError
from jounce.model import assembly
from jounce.model.assembly import Floats
from jounce.system import evaluation
from jounce.system.evaluation import values_of
from jounce.system.state import State

if TYPE_CHECKING:
    from jounce.system.system import System

#: The most steps along which a machine is followed from its default start to the state asked for.
_STEPS = 4000
_SMALLEST = 1e-7
#: The farthest a coordinate may move in one such step, in parts of the limit of Newton's own steps.
_REACH = 0.6


def joint_rows(system: System, t: float, q: Floats, u: Floats, p: Floats) -> tuple[Floats, Floats, Floats]:
    """g, g' and J of every joint."""
    rows = evaluation.joint_rows(system, t, q, u, p)
    return rows[:, 0], rows[:, 1], evaluation.joint_directions(rows)


def joint_terms(system: System, t: float, q: Floats, p: Floats) -> Floats:
    """The sizes of the terms of every joint."""
    count = 2 * system.nc + system.nj + system.ng
    sizes = values_of(system.functions.sizes, count, t, q, np.zeros(system.n), p)
    return sizes[system.nc : system.nc + system.nj]


def assembled(system: System, guess: State, p: Floats, held: Collection[str]) -> State:
    """The state nearest to ``guess`` that satisfies the joints, with the ``held`` coordinates and velocities kept.

    A guess that is assembled with the default parameters is followed while they change to p; any other is the start
    of Newton's method. Raises a SimulationError that names the joint that stays open.
    """
    n = system.n
    fixed = np.array([name in held for name in (*system.coordinate_names, *system.velocity_names)])
    origin, target = Place(guess.t, guess.q, system.defaults), Place(guess.t, guess.q, p)
    s, q = _follow(system, origin, target, fixed[:n])
    closing = _closed(system, guess.t, q if s == 1.0 else guess.q, p, fixed[:n])
    if not closing.closed:
        raise SimulationError(_cannot_be_assembled(system, guess, closing, held))
    u, left, wrong = _closed_velocities(system, guess.t, closing.q, guess.u, p, fixed[n:])
    if wrong.any():
        worst = int(np.flatnonzero(wrong)[np.argmax(np.abs(left[wrong]))])
        raise SimulationError(
            f"no velocities satisfy the joints at t = {guess.t:.6g}: {system.joint_names[worst]!r} keeps the rate "
            f"{left[worst]:.3g}{_holding(held)}. The machine is locked in this position, or a driver asks for what "
            "the other joints forbid"
        )
    return State(guess.t, closing.q, u, system.coordinate_names)


def followed(system: System, t: float, values: Mapping[str, float]) -> State | None:
    """The default start moved along the joints until it has the given time, coordinates and velocities.

    The machine is followed in small steps, so it stays assembled the way it is. None where it cannot get there.
    """
    names = (*system.coordinate_names, *system.velocity_names)
    start = np.array([system.outline.start.get(name, 0.0) for name in names])
    target = np.array([values.get(name, start[k]) for k, name in enumerate(names)])
    fixed = np.array([name in values for name in names])
    n, p = system.n, system.defaults
    q = target[:n]
    if not _is_closed(system, t, q, p):
        s, q = _follow(system, Place(0.0, start[:n], p), Place(t, target[:n], p), fixed[:n])
        if s < 1.0:
            return None
    rates = joint_rows(system, t, q, target[n:], p)[1]
    _, g_t, J = joint_rows(system, t, q, np.zeros(n), p)
    if np.all(np.abs(rates) <= assembly.CLOSED * assembly.sizes_of_rates(J, g_t, target[n:], _cost(system, t, q, p))):
        return State(t, q, target[n:], system.coordinate_names)
    u, _, wrong = _closed_velocities(system, t, q, target[n:], p, fixed[n:])
    return None if wrong.any() else State(t, q, u, system.coordinate_names)


@dataclass(frozen=True)
class Place:
    """Where a machine is, or is to be: time, coordinates, parameters."""

    t: float
    q: Floats
    p: Floats

    def towards(self, end: Place, s: float) -> Place:
        """The place at the share s of the way to ``end``, all in proportion."""
        if s == 1.0:
            return end
        return Place(self.t + s * (end.t - self.t), self.q + s * (end.q - self.q), self.p + s * (end.p - self.p))


def _follow(system: System, origin: Place, target: Place, fixed: NDArray[np.bool_]) -> tuple[float, Floats]:
    """From the origin at s = 0 towards the target at s = 1: time, parameters and held coordinates in proportion.

    Returns how far it came (0 from an origin that is not assembled) and where it is there.
    """
    q, s, step, before = np.array(origin.q), 0.0, 0.125, None
    if not _is_closed(system, origin.t, q, origin.p):
        return s, q
    for _ in range(_STEPS):
        ahead = min(1.0, s + step)
        now = origin.towards(target, ahead)
        trial = q if before is None else q + (ahead - s) / before[0] * (q - before[1])
        closing = _closed(system, now.t, np.where(fixed, now.q, trial), now.p, fixed)
        limit = _REACH * _step_limit(system, now.t, q, now.p)
        if closing.closed and np.all(np.abs(closing.q - q) <= np.where(fixed, np.inf, limit)):
            before, q, s = (ahead - s, q), closing.q, ahead
            step *= 1.5
        else:
            step /= 2.0
        if s >= 1.0 or step < _SMALLEST:
            break
    return s, q


def _closed(system: System, t: float, q: Floats, p: Floats, fixed: NDArray[np.bool_]) -> assembly.Closing:
    rest = np.zeros(system.n)

    def rows(place: Floats) -> tuple[Floats, Floats, Floats]:
        g, _, J = joint_rows(system, t, place, rest, p)
        return g, J, joint_terms(system, t, place, p)

    cost, length = _measures(system, t, q, p)
    mobility = np.where(fixed, 0.0, 1.0 / cost)
    return assembly.close_positions(rows, q, mobility, assembly.step_limit(cost, length))


def _measures(system: System, t: float, q: Floats, p: Floats) -> tuple[Floats, float]:
    """The cost of moving each coordinate, and how large the machine is."""
    J, terms = joint_rows(system, t, q, np.zeros(system.n), p)[2], joint_terms(system, t, q, p)
    units = list(system.outline.coordinates.values())
    return assembly.moving_cost(J, terms, units), assembly.machine_length(J, terms, units)


def _cost(system: System, t: float, q: Floats, p: Floats) -> Floats:
    return _measures(system, t, q, p)[0]


def _step_limit(system: System, t: float, q: Floats, p: Floats) -> Floats:
    return assembly.step_limit(*_measures(system, t, q, p))


def _closed_velocities(
    system: System, t: float, q: Floats, u: Floats, p: Floats, fixed: NDArray[np.bool_]
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Velocities, the rates that joints keep, and which of these are more than rounding."""
    _, g_t, J = joint_rows(system, t, q, np.zeros(system.n), p)
    cost = _cost(system, t, q, p)
    u, left = assembly.close_velocities(J, g_t, u, np.where(fixed, 0.0, 1.0 / cost))
    return u, left, ~(np.abs(left) <= assembly.CLOSED_RATE * assembly.sizes_of_rates(J, g_t, u, cost))


def _is_closed(system: System, t: float, q: Floats, p: Floats) -> bool:
    g, _, J = joint_rows(system, t, q, np.zeros(system.n), p)
    sizes = assembly.sizes_of_joints(J, joint_terms(system, t, q, p), _step_limit(system, t, q, p))
    return bool(np.all(np.abs(g) <= assembly.CLOSED * sizes))


def _holding(held: Collection[str]) -> str:
    return f" with {', '.join(held)} held" if held else ""


def _cannot_be_assembled(system: System, guess: State, closing: assembly.Closing, held: Collection[str]) -> str:
    order = np.argsort(-np.abs(closing.residual))
    left = [f"{system.joint_names[k]} by {closing.residual[k]:.3g}" for k in order if closing.open[k]]
    place = ", ".join(f"{name}={value:.6g}" for name, value in zip(system.coordinate_names, closing.q, strict=True))
    return (
        f"{_lock(system, guess, held)}{system.outline.name} cannot be assembled at t = {guess.t:.6g}{_holding(held)}: "
        "at best, joints stay open "
        f"({', '.join(left[:4])} m or rad) at {place}. Give a start nearer to an assembled one, hold fewer "
        "coordinates, or check the lengths among the parameters"
    )


def _lock(system: System, guess: State, held: Collection[str]) -> str:
    """Where the machine stops when it is followed from its default start towards what is asked."""
    fixed = np.array([name in held for name in system.coordinate_names])
    start = np.array([system.outline.start.get(name, 0.0) for name in system.coordinate_names])
    if guess.t == 0.0 and not fixed.any():
        return ""
    p = system.defaults
    s, q = _follow(system, Place(0.0, start, p), Place(guess.t, guess.q, p), fixed)
    if not 0.0 < s < 1.0:
        return ""
    J = joint_rows(system, s * guess.t, q, np.zeros(system.n), p)[2]
    if not fixed.any() and singularity(J, system.joint_names)[0] > 0.05:
        return ""
    place = ", ".join(f"{name}={value:.6g}" for name, value in zip(system.coordinate_names, q, strict=True))
    return f"moved from its default start, the machine locks on the way at t = {s * guess.t:.6g} ({place}). "


def singularity(J: Floats, names: Sequence[str]) -> tuple[float, list[str]]:
    """The smallest singular value of J with rows of length 1, and the joints whose equations it makes dependent."""
    lengths = np.linalg.norm(J, axis=1)
    if not np.all(lengths > 0.0) or not np.isfinite(J).all():
        return 0.0, [name.partition(".")[0] for name, length in zip(names, lengths, strict=True) if not length > 0.0]
    left, values, _ = np.linalg.svd(J / lengths[:, None])
    smallest = float(values[-1]) if J.shape[0] <= J.shape[1] else 0.0
    weights = np.abs(left[:, -1])
    heavy = [
        name.partition(".")[0] for name, weight in zip(names, weights, strict=True) if weight > 0.2 * weights.max()
    ]
    return smallest, list(dict.fromkeys(heavy))
