"""One machine, what is known of its motion, and the run of it in any units, seen in those it is written in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

import jounce
from jounce import Model
from tests.units.rescaling import Units

Numbers = dict[str, float]
UNITS = {
    "as written": Units(),
    "micro": Units(length=1e6, time=1e3, mass=1e9),
    "cosmic": Units(length=1e-6, time=1e-4, mass=1e-5),
}


@dataclass(frozen=True)
class Case:
    model: Callable[[], Model]
    t_end: float
    check: Callable[[Seen], None]
    start: Numbers | None = None
    options: dict[str, Any] = field(default_factory=dict)
    stop_at: Any = None


class Seen:
    """A run in the units in which its model is written."""

    def __init__(self, run: jounce.Trajectory, system: jounce.System, units: Units) -> None:
        self.run, self.units = run, units
        self.sizes = {**system.model.coordinates, **system.model.velocity_units}

    def times(self, *kinds: str, contact: str | None = None) -> np.ndarray:
        """When events of these kinds happen."""
        events = self.run.events
        wanted = events.kind.isin(kinds) if kinds else events.kind.notna()
        if contact is not None:
            wanted &= events.contact == contact
        return events.t[wanted].to_numpy() / self.units.time

    def at(self, t: float, side: str = "right") -> Numbers:
        """Coordinates and velocities at a time."""
        return self._plain(self.run.at(t * self.units.time, side=side))

    @property
    def final(self) -> Numbers:
        return self._plain(self.run.final)

    def _plain(self, state: jounce.State) -> Numbers:
        return {name: state[name] / self.units.factor(unit) for name, unit in self.sizes.items()}


@cache
def compiled(case: Callable[[], Model]) -> jounce.System:
    return jounce.compile_model(case())


def seen(case: Case, units: Units, **more: Any) -> Seen:
    """The run of a case, which must end well, densely audited and with a ledger that closes."""
    system = compiled(case.model)
    model = system.model
    sizes = {**model.coordinates, **model.velocity_units, **dict.fromkeys(model.states, "")}
    values = {name: x * units.factor(model.parameters[name].unit) for name, x in model.defaults.items()}
    given = {**model.start, **(case.start or {})}
    start = {name: x * units.factor(sizes[name]) for name, x in given.items()}
    options = jounce.Options(audit="dense", **{**case.options, **more})
    run = jounce.simulate(system, start, case.t_end * units.time, options=options, stop_at=case.stop_at, **values)
    assert run.status.ok, run.status
    largest = max(float(abs(run.energy[part]).max()) for part in ("kinetic", "potential"))
    assert float(abs(run.energy.residual).max()) < 1e-7 * largest
    return Seen(run, system, units)
