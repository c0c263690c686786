"""The same motion in other units: numbers of a model multiplied by what their units say."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

import jounce

#: Exponents of (length, time, mass) of the units that ready-made systems use; angles have none.
BASE = {
    "": (0, 0, 0),
    "1": (0, 0, 0),
    "rad": (0, 0, 0),
    "m": (1, 0, 0),
    "s": (0, 1, 0),
    "kg": (0, 0, 1),
    "Hz": (0, -1, 0),
    "N": (1, -2, 1),
    "J": (2, -2, 1),
    "W": (2, -3, 1),
    "Pa": (-1, -2, 1),
}


@dataclass(frozen=True)
class Units:
    """How many new units there are in an old one."""

    length: float = 1.0
    time: float = 1.0
    mass: float = 1.0

    def factor(self, unit: str) -> float:
        """By what a number in this unit is multiplied."""
        length, time, mass = dimension(unit)
        return self.length**length * self.time**time * self.mass**mass


def dimension(unit: str) -> tuple[float, float, float]:
    """Exponents of a unit such as 'kg m^2/s^2', 'N s/m' or 'N/m^1.5'."""
    total = np.zeros(3)
    sign = 1
    for part in re.findall(r"/|[^\s/*]+", unit.replace("(", " ").replace(")", " ")):
        if part == "/":
            sign = -1
            continue
        name, _, power = part.partition("^")
        total += sign * float(power or 1) * np.array(BASE[name])
    return float(total[0]), float(total[1]), float(total[2])


def rescaled(
    system: jounce.System, start: dict[str, float], values: dict[str, float], units: Units
) -> tuple[jounce.State, dict[str, float]]:
    """Start and parameters of the same motion in other units."""
    model = system.model
    wanted = dict(model.start) | start
    names = {**model.coordinates, **model.velocity_units}
    state = system.state(**{name: wanted.get(name, 0.0) * units.factor(unit) for name, unit in names.items()})
    given = model.defaults | values
    parameters = {name: given[name] * units.factor(entry.unit) for name, entry in model.parameters.items()}
    return state, parameters


def compare_events(here: jounce.Trajectory, there: jounce.Trajectory, units: Units) -> tuple[int, float]:
    """(events that agree in kind and contact, largest difference of their times relative to the run)."""
    a, b = here.events, there.events
    count = 0
    worst = 0.0
    span = here.t_end - here.t_start
    columns = ["kind", "contact", "t"]
    for (kind, contact, t), (kind_b, contact_b, t_b) in zip(
        a[columns].itertuples(index=False), b[columns].itertuples(index=False), strict=False
    ):
        if kind != kind_b or contact != contact_b:
            break
        count += 1
        worst = max(worst, abs(t - t_b / units.time) / span)
    return count, worst
