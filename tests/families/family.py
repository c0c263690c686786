"""What a family of random models is, and its draws in any units."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

import jounce
from jounce.model import Model

Numbers = dict[str, float]

#: Exponents of length, time and mass of the symbols in a unit.
_DIMENSIONS = {"m": (1, 0, 0), "s": (0, 1, 0), "kg": (0, 0, 1), "N": (1, -2, 1), "rad": (0, 0, 0), "": (0, 0, 0)}


@dataclass(frozen=True)
class Draw:
    """One random run: everything but the model, in the units of the model as it is written."""

    parameters: Numbers
    start: Numbers
    t_end: float
    options: dict[str, Any]


@dataclass(frozen=True)
class Family:
    """A model with parameters at run time, and how to draw them."""

    name: str
    model: Callable[[], Model]
    draw: Callable[[np.random.Generator], tuple[Numbers, Numbers, float]]  # parameters, start, end
    laws: tuple[str, ...] = ("energetic", "poisson", "newton")
    integrators: tuple[str, ...] = ("dop853", "dop853", "dopri5")
    #: Ends that are right for some draws: a paradox of rigid friction, a jam between surfaces that close in.
    good: tuple[str, ...] = ("FINISHED", "AT_REST")
    bodies: str = "auto"  # of compile_model

    def sample(self, seed: int) -> Draw:
        """The run of a seed."""
        random = np.random.default_rng([seed, *self.name.encode()])
        parameters, start, t_end = self.draw(random)
        options = {
            "law": str(random.choice(self.laws)),
            "simultaneous": str(random.choice(["sequential", "sequential", "joint"])),
            "tolerance": float(10.0 ** random.uniform(-11, -7)),
            "integrator": str(random.choice(self.integrators)),
            "chatter_speed": 1e-6,
            "joint_gap": 1e-9,
            "max_events": 20_000,
            "audit": "off",  # the runner audits densely
        }
        return Draw(parameters, start, t_end, options)


@cache
def compiled(family: Family) -> Any:
    """The system of a family, once a process."""
    return jounce.compile_model(family.model(), bodies=family.bodies)


def dimension(unit: str) -> np.ndarray:
    """Exponents of length, time and mass of a unit such as "kg m^2" or "m/s^2"."""
    above, _, below = unit.partition("/")
    total = np.zeros(3)
    for text, sign in ((above, 1), (below, -1)):
        for symbol, power in re.findall(r"([A-Za-z]+)(?:\^(\d+))?", text):
            total += sign * int(power or 1) * np.array(_DIMENSIONS[symbol])
    return total


def factor(unit: str, scales: np.ndarray) -> float:
    """What a number of this unit is multiplied with where length, time and mass are."""
    return float(np.prod(scales ** dimension(unit)))


def in_units(family: Family, draw: Draw, scales: np.ndarray) -> Draw:
    """The same run with lengths, times and masses multiplied by ``scales``."""
    model = compiled(family).model
    units = {**model.coordinates, **model.velocity_units}
    options = dict(draw.options)
    for name, unit in (("chatter_speed", "m/s"), ("joint_gap", "m"), ("largest_step", "s")):
        if options.get(name) is not None:
            options[name] *= factor(unit, scales)
    values = {**model.defaults, **draw.parameters}
    return replace(
        draw,
        parameters={name: x * factor(model.parameters[name].unit, scales) for name, x in values.items()},
        start={name: value * factor(units[name], scales) for name, value in draw.start.items()},
        t_end=draw.t_end * scales[1],
        options=options,
    )


def state_factors(family: Family, scales: np.ndarray) -> np.ndarray:
    """The factors of [q, u]."""
    model = compiled(family).model
    return np.array([factor(unit, scales) for unit in (*model.coordinates.values(), *model.velocity_units.values())])


def between(random: np.random.Generator, **ranges: tuple[float, float]) -> Numbers:
    """One number a name, uniform in its range."""
    return {name: float(random.uniform(*bounds)) for name, bounds in ranges.items()}


def sizes(family: Family, run: Any) -> np.ndarray:
    """The extent of [q, u] in a run, of all coordinates of one unit together.

    A velocity is at least what moves its coordinate by a millionth of its extent: one that a joint holds is rounding.
    """
    model = compiled(family).model
    units = np.array([*model.coordinates.values(), *model.velocity_units.values()])
    ends = np.concatenate([[*run.start.q, *run.start.u], [*run.final.q, *run.final.u]]).reshape(2, -1)
    reached = np.abs(np.vstack([ends, run.data.step_coefficients[:, 0]])).max(axis=0)
    extent = np.array([reached[units == unit].max() for unit in units]) + 1e-300
    moves = 1e-6 * extent[: model.n] / (run.t_end - run.t_start)
    return np.maximum(extent, np.concatenate([np.zeros(model.n), moves]))
