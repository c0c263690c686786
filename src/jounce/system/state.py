"""State: where a system is, by name and as arrays."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from jounce.errors import SimulationError, suggestion
from jounce.model.names import is_integral, velocity_name

MODE_NAMES = ("OPEN", "SLIP+", "SLIP-", "STICK", "PRESSED")


@lru_cache(maxsize=256)
def _velocity_names(names: tuple[str, ...]) -> tuple[str, ...]:
    """Of a system's coordinates; states of a run are asked for them by the thousand."""
    return tuple(velocity_name(name) for name in names)


def _fixed(values: Any, kind: type = np.float64) -> np.ndarray:
    """Numbers that cannot be changed."""
    if isinstance(values, tuple) and not values:
        return _nothing(kind)
    array: np.ndarray = np.array(values, dtype=kind)
    array.flags.writeable = False
    return array


@lru_cache(maxsize=2)
def _nothing(kind: type) -> np.ndarray:
    """No numbers: what most states know of contacts and scales."""
    empty: np.ndarray = np.empty(0, dtype=kind)
    empty.flags.writeable = False
    return empty


class State:
    """Time, coordinates q and velocities u at one instant; ``state["theta"]``, ``state["d_theta"]``, ``state["t"]``.

    A state out of a run also carries in which mode each contact was (``modes``), so that a run that starts there goes
    on as the first one did. Without modes, as in ``system.state(...)`` and after ``replace``, the engine decides.

    modes    codes, one a contact; ``mode_names`` says them in words
    orders   how the guards of each contact begin, as kernels/contact/orders.py numbers it
    memory   for each compliant contact whether it is pressed, 1 or 0, and 1/v of the speed v at its touch; without it a
             contact that is closed has no approach. Then the values of the discrete states
    states   the names of the discrete states: ``state["side"]``
    scales   how large things have been in that run (kernels/records/scales.py): q, u; gaps, joints, guards; speeds
    sides    of zero, on which each guard of the model is: 1 or -1; 2 where it has just had its event, 0 if not known
    faces    of the other outline, on which each contact of a sharp corner is held, from 1 on; 0: on none, or not known

    >>> system = jounce.compile_model(jounce.systems.bouncing_ball())
    >>> state = system.state(y=2.0)
    >>> state["y"], state.replace(d_y=-1.0)["d_y"]
    (2.0, -1.0)
    """

    __slots__ = ("faces", "memory", "modes", "names", "orders", "q", "scales", "sides", "states", "t", "u")

    t: float
    q: np.ndarray
    u: np.ndarray
    names: tuple[str, ...]
    faces: np.ndarray
    memory: np.ndarray
    modes: np.ndarray
    orders: np.ndarray
    scales: np.ndarray
    sides: np.ndarray
    states: tuple[str, ...]

    def __init__(
        self,
        t: float,
        q: Any,
        u: Any,
        names: tuple[str, ...],
        memory: Any = (),
        modes: Any = (),
        orders: Any = (),
        scales: Any = (),
        states: tuple[str, ...] = (),
        sides: Any = (),
        faces: Any = (),
    ) -> None:
        place, motion, kept = _fixed(q), _fixed(u), _fixed(memory)
        contacts, guards = _fixed(modes, np.int64), _fixed(orders, np.int64)
        if place.shape != (len(names),) or motion.shape != (len(names),):
            raise SimulationError(f"a state of {len(names)} coordinates needs as many positions and velocities")
        if contacts.shape != guards.shape:
            raise SimulationError("a state needs as many modes of contacts as orders of their guards")
        if kept.size < len(states):
            raise SimulationError(f"a state with the discrete states {', '.join(states)} needs a value for each")
        fixed = object.__setattr__
        fixed(self, "t", float(t))
        fixed(self, "q", place)
        fixed(self, "u", motion)
        fixed(self, "names", tuple(names))
        fixed(self, "memory", kept)
        fixed(self, "modes", contacts)
        fixed(self, "orders", guards)
        fixed(self, "scales", _fixed(scales))
        fixed(self, "sides", _fixed(sides, np.int64))
        fixed(self, "faces", _fixed(faces, np.int64))
        fixed(self, "states", tuple(states))

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a State cannot be changed; use state.replace(name=value)")

    def __getitem__(self, name: str) -> float:
        if name == "t":
            return self.t
        if name in self.states:
            return float(self.memory[self.states.index(name) - len(self.states)])
        if name in self.names:
            return float(self.q[self.names.index(name)])
        velocities = self._velocities
        if name not in velocities:
            raise SimulationError(f"a state has no {name!r}; {suggestion(name, list(self))}")
        return float(self.u[velocities.index(name)])

    @property
    def _velocities(self) -> tuple[str, ...]:
        return _velocity_names(self.names)

    def __iter__(self) -> Iterator[str]:
        yield "t"
        yield from (name for name in self.names if not is_integral(name))
        yield from self._velocities
        yield from self.states

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, name: object) -> bool:
        return name in tuple(self)

    def keys(self) -> list[str]:
        """The names: t, the coordinates, the velocities, internal and discrete states."""
        return list(self)

    def as_dict(self) -> dict[str, float]:
        """Name -> value, the time first."""
        return {name: self[name] for name in self}

    @property
    def mode_names(self) -> tuple[str, ...]:
        """The modes of the contacts in words, in order; () where they are not known."""
        return tuple(MODE_NAMES[code] for code in self.modes)

    def replace(self, **values: float) -> State:
        """A copy with some values changed and no modes; what compliant contacts remember stays, where gaps allow it."""
        own = ("t", *self.names, *self._velocities, *self.states)
        merged = {name: self[name] for name in own}
        for name, value in values.items():
            if name not in merged:
                raise SimulationError(f"a state has no {name!r}; {suggestion(name, list(self))}")
            try:
                merged[name] = math.nan if isinstance(value, str | bytes | bool) else float(value)
            except (TypeError, ValueError, OverflowError):
                merged[name] = math.nan
            if not math.isfinite(merged[name]):
                hint = "; a state knows no units: system.state(...) does" if isinstance(value, str) else ""
                raise SimulationError(f"replace: {name} must be a finite number, not {value!r}{hint}")
        n = len(self.names)
        numbers, memory = list(merged.values()), self.memory
        if self.states:
            memory = np.concatenate([memory[: -len(self.states)], numbers[2 * n + 1 :]])
        q, u = numbers[1 : n + 1], numbers[n + 1 : 2 * n + 1]
        return State(numbers[0], q, u, self.names, memory, scales=self.scales, states=self.states)

    def with_memory(self, memory: Any, states: tuple[str, ...]) -> State:
        """The same place with another memory, of which the last entries are discrete states of these names."""
        contacts = self.modes, self.orders, self.scales
        return State(self.t, self.q, self.u, self.names, memory, *contacts, states, self.sides, self.faces)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        same = self.names == other.names and self.states == other.states and self.as_dict() == other.as_dict()
        return same and all(
            np.array_equal(getattr(self, name), getattr(other, name), equal_nan=name == "memory")
            for name in ("memory", "modes", "orders")
        )

    def __hash__(self) -> int:
        return hash((self.names, tuple(self.as_dict().values())))

    def __reduce__(self) -> tuple[Any, ...]:
        carried = (self.memory, self.modes, self.orders, self.scales, self.states, self.sides, self.faces)
        return State, (self.t, self.q, self.u, self.names, *carried)

    def __repr__(self) -> str:
        return f"State({', '.join(f'{name}={value:.10g}' for name, value in self.as_dict().items())})"
