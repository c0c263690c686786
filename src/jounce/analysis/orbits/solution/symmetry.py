"""What a motion need not return to: ignorable coordinates, whole turns of angles, a shift that the user names.

A walker on tiles of pitch L comes back as it was, 2 L further on: x(T) = x(0) + 2 L. Such a shift is a symmetry of the
model, like a turn of an angle, and an orbit closes up to whole multiples of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.orbits.solution.mode_surface import Floats, model_values
from jounce.analysis.scales import diagonal_mass, sizes_of, time_scale
from jounce.errors import ModelError, OptionError, suggestion
from jounce.kernels.records.workspace import SURFACE_STRIDE
from jounce.model.names import is_integral
from jounce.system.evaluation import contact_directions, contact_rows, joint_directions, joint_rows

if TYPE_CHECKING:
    from jounce.system.state import State
    from jounce.system.system import System

#: Model functions that agree to this, relative to their largest entries, before and after a shift are the same.
_SAME = 1e-9
#: States at which that is looked at.
_TRIALS = 5


@dataclass(frozen=True)
class Symmetry:
    """Coordinates that need not return to their values.

    ignorable   indices of coordinates that appear nowhere in the model: only their velocities matter
    angles      indices of coordinates in which the model repeats after 2 pi
    closes      (coordinate, expression of parameters): by how much they shift together, as text
    """

    ignorable: tuple[int, ...] = ()
    angles: tuple[int, ...] = ()
    names: tuple[str, ...] = field(default=(), repr=False)
    closes: tuple[tuple[str, str], ...] = ()

    def shift(self, system: System, p: Floats, width: int | None = None) -> Floats:
        """The shift as a change of all variables, ``width`` of them, at these parameters."""
        vector = np.zeros(system.width if width is None else width)
        for name, text in self.closes:
            vector[self.names.index(name)] = float(_shift_function(system, text, None)(*p))
        return vector

    def shift_rate(self, system: System, p: Floats, parameter: str, width: int) -> Floats:
        """Its derivative by a parameter."""
        vector = np.zeros(width)
        for name, text in self.closes:
            vector[self.names.index(name)] = float(_shift_function(system, text, parameter)(*p))
        return vector

    def close(self, difference: Floats, shift: Floats) -> Floats:
        """The difference of two states as an error of closure: shifts, whole turns and drifts taken out."""
        error: Floats = difference - whole_shifts(difference, shift) * shift if self.closes else difference.copy()
        if self.ignorable:
            error[list(self.ignorable)] = 0.0
        for k in self.angles:
            error[k] -= 2 * np.pi * round(error[k] / (2 * np.pi))
        return error

    def brought_back(self, state: State, shift: Floats) -> State:
        """The same state the nearest whole number of shifts to the origin.

        A shift that depends on a parameter moves a state a thousand tiles away a thousand times as far.
        """
        n = len(state.q)
        count = whole_shifts(np.concatenate([state.q, state.u]), shift)
        if count == 0:
            return state
        return state.replace(**dict(zip(self.names, (state.q - count * shift[:n]).tolist(), strict=True)))

    def drift(self, difference: Floats, shift: Floats) -> dict[str, float]:
        """By how much the coordinates that need not return move in a period."""
        moved = difference - self.close(difference, shift)
        free = {*self.ignorable, *self.angles, *np.flatnonzero(shift).tolist()}
        shown = [k for k in sorted(free) if moved[k] != 0.0 and not is_integral(self.names[k])]
        return {self.names[k]: float(moved[k]) for k in shown}


def whole_shifts(difference: Floats, shift: Floats) -> int:
    """How many shifts a difference of two states contains: all coordinates that shift do so together."""
    shifted = np.flatnonzero(shift)
    if len(shifted) == 0 or not np.all(np.isfinite(difference)):
        return 0
    return round(float(np.mean(difference[shifted] / shift[shifted])))


@lru_cache(maxsize=256)
def _shift_function(system: System, text: str, parameter: str | None) -> Callable[..., float]:
    """An expression of the parameters, or its derivative by one, as a function of all of them in order."""
    import sympy as sp

    expression = _parsed(system, text)
    if parameter is not None:
        expression = sp.diff(expression, system.model.p[system.parameter_names.index(parameter)])
    return sp.lambdify(system.model.p, expression, "math")  # type: ignore[no-any-return]


def _parsed(system: System, text: str) -> Any:
    from jounce.model.parsing import parse_expression

    symbols = dict(zip(system.parameter_names, system.model.p, strict=False))
    try:
        return parse_expression(text, symbols, "closes")
    except ModelError as error:
        raise OptionError(f"{error}; a shift is a number or an expression of the parameters") from None


def with_closes(system: System, closes: Mapping[str, Any], p: Floats, guess: State | None = None) -> Symmetry:
    """The symmetry of a system with the shift that the user names, under which it must keep its form near a guess."""
    symmetry = find_symmetry(system)
    if not isinstance(closes, Mapping):
        raise OptionError(f"closes is {closes!r}; it must be like {{'x': 2*L}}: coordinate and its shift in a period")
    if not closes:
        return symmetry
    entries = []
    for name, value in closes.items():
        if name not in system.coordinate_names:
            hint = suggestion(str(name), system.coordinate_names, "coordinates")
            raise OptionError(f"closes: no coordinate {name!r}; {hint}")
        entries.append((name, _as_text(name, value)))
    found = Symmetry(symmetry.ignorable, symmetry.angles, symmetry.names, tuple(entries))
    shift = found.shift(system, p)
    zero = [name for name, _ in entries if not (np.isfinite(v := shift[found.names.index(name)]) and v != 0.0)]
    if zero:
        raise OptionError(f"closes: the shift of {zero[0]} is {dict(entries)[zero[0]]}; it must be finite and not zero")
    if guess is not None and not repeats(system, shift[: system.n], p, guess):
        words = ", ".join(f"{name} by {text}" for name, text in entries)
        raise OptionError(
            f"closes: {system.model.name} is not the same after a shift of {words} at these parameters; the shift must "
            "be one under which masses, forces, gaps and joints repeat (all coordinates that shift with it named)"
        )
    return found


def _as_text(name: str, value: Any) -> str:
    import sympy as sp

    if isinstance(value, str):
        return value
    if isinstance(value, sp.Basic):
        return sp.sstr(value, full_prec=True)
    if isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
        return repr(float(value))
    raise OptionError(f"closes: the shift of {name} is {value!r}; it must be a number or an expression like 2*L")


@lru_cache(maxsize=64)
def find_symmetry(system: System) -> Symmetry:
    """Which coordinates the equations of motion do not contain, or contain only through sines and cosines."""
    from jounce.model.periodicity import NOWHERE

    ignorable = tuple(k for k, turns in enumerate(system.turns) if turns == NOWHERE)
    angles = tuple(k for k, turns in enumerate(system.turns) if turns == 1)
    return Symmetry(ignorable, angles, system.coordinate_names)


def repeats(system: System, shift: Floats, p: Floats, guess: State) -> bool:
    """Whether the model's functions are the same after a shift of the coordinates, at a few states around a guess.

    States reach as far as shift and guess do, in the metric of M, and numbers of one kind are compared with the largest
    of them: with Q_j and V_j the sizes of coordinates and velocities, all M_ij Q_i Q_j are energies, all W_j Q_j gaps.
    """
    n, random, t = system.n, np.random.default_rng(1), guess.t
    mass, time = diagonal_mass(system, t, guess.q, p), time_scale(system, guess, p)
    reach = np.concatenate([np.abs(guess.q) + np.abs(shift), np.abs(guess.u) * time])
    places = sizes_of(np.hstack([reach.reshape(2, n)] * 2), mass, 1.0)[:n]
    for _ in range(_TRIALS):
        q, u = guess.q + places * random.uniform(-1, 1, n), places / time * random.uniform(-1, 1, n)
        now = t + time * float(random.uniform(0, 1))
        here, there = (_comparable(system, p, now, at, u, places) for at in (q, q + shift))
        for a, b in zip(here, there, strict=True):
            if not np.allclose(a, b, rtol=0.0, atol=_SAME * np.abs(a).max(initial=0.0), equal_nan=True):
                return False
    return True


def _comparable(system: System, p: Floats, t: float, q: Floats, u: Floats, places: Floats) -> list[Floats]:
    """The numbers of the model at a state, in groups of one unit."""
    n = system.n
    dynamics = model_values(system, p, "dynamics", n * n + n, t, q, u)
    surfaces = model_values(system, p, "surfaces", SURFACE_STRIDE * system.nc, t, q, u)
    groups = [dynamics[: n * n].reshape(n, n) * places * places[:, None], dynamics[n * n :] * places, surfaces]
    for row in contact_rows(system, t, q, u, p):
        normal, tangent = contact_directions(row)
        groups += [np.append(normal * places, row[0]), tangent * places, row[1:3], row[3:5]]
    for row in joint_rows(system, t, q, u, p):
        groups += [np.append(joint_directions(row) * places, row[0]), row[1:2], row[2:3]]
    return groups
