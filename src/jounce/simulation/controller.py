"""A controller that is a Python function: called at every sample, its outputs are held until the next ones.

The run stops at each sample, calls the function with the state there and goes on in the same record: one trajectory
comes out. Each call costs some hundred microseconds beside what the function takes; an expression (``jounce.sampled``)
runs in machine code and is a part of the model, so that sections, orbits and files know it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.errors import SimulationError, is_one_of, suggestion
from jounce.simulation.options import check_callable, is_finite
from jounce.units import in_seconds, in_unit

if TYPE_CHECKING:
    from jounce.system.state import State
    from jounce.system.system import System

MOST_SAMPLES = 10_000_000
WHOLE = 1e-9  # a delay this near to a whole number of periods is one


@dataclass(frozen=True)
class Controller:
    """A function (t, state) -> {parameter: value} that is called every so often.

    function   called first at the start of the run, then ``every`` later, and so on. The state is that of the run:
               state["x"], state["d_x"]. It gives the same parameters each time
    every      time between two samples, a number or a text such as "1 ms"
    delay      from a sample to its effect; until the first one has acted the parameters have their own values

    >>> x, dx = jounce.coordinate("x", "m")
    >>> F = jounce.parameter("F", 0.0, "N")
    >>> cart = jounce.Model("cart", [x], [1], [F])
    >>> pull = jounce.Controller(lambda t, state: {"F": -4 * state["x"] - 4 * state["d_x"]}, every="10 ms")
    >>> abs(jounce.simulate(cart, {"x": 1.0}, 5.0, controller=pull).final["x"]) < 1e-3
    True
    """

    function: Callable[[float, State], Mapping[str, Any]]
    every: float | str
    delay: float | str = 0.0

    def __post_init__(self) -> None:
        check_callable("Controller: function", self.function)
        for name, least in (("every", math.ulp(0.0)), ("delay", 0.0)):
            seconds: Any = in_seconds(getattr(self, name), f"Controller: {name}", SimulationError)
            if not is_finite(seconds) or not float(seconds) >= least:
                kind = "positive" if least > 0.0 else "not negative"
                raise SimulationError(f"Controller: {name} is {getattr(self, name)!r}; it must be a time, {kind}")
            object.__setattr__(self, name, float(seconds))


class Sampling:
    """The samples of one run: when they are, what the function gave, and the rows of the schedule that it fills."""

    def __init__(self, controller: Controller, system: System, start: State, t_end: float) -> None:
        self.controller, self.system, self.t_start, self.t_end = controller, system, start.t, t_end
        every = float(controller.every)
        samples = (t_end - start.t) / every * (1 + 4e-16) + 1.0
        if not samples <= MOST_SAMPLES:
            span = f"from t={start.t:g} to {t_end:g}"
            raise SimulationError(f"Controller: {samples:.10g} samples {span}; at most {MOST_SAMPLES}")
        count = math.floor(samples)
        self.times = start.t + every * np.arange(count)
        self.position = 0
        first = self._outputs(start)
        self.names = tuple(first)
        self.rows = np.full((count, len(self.names), 3), np.nan)
        periods = float(controller.delay) / every
        if abs(periods - round(periods)) < WHOLE:
            periods = round(periods)  # it acts at the very time of a later sample
        self.rows[:, :, 0] = (start.t + every * (np.arange(count) + periods))[:, None]
        self.rows[:, :, 1] = [system.parameter_names.index(name) for name in self.names]
        self._fill(first)

    def _outputs(self, state: State) -> dict[str, float]:
        """What the function gives, checked."""
        from jounce.system.checks import check_joints_keep

        given = self.controller.function(state.t, state)
        where = f"controller at t={state.t:g}"
        if not isinstance(given, Mapping) or not given:
            raise SimulationError(f"{where}: expected {{parameter: value}}, not {given!r}")
        valid, found = self.system.parameter_names, {}
        for key, value in given.items():
            name: Any = getattr(key, "name", key)
            if not is_one_of(name, valid):
                raise SimulationError(f"{where}: unknown parameter {name!r}; {suggestion(name, valid, 'parameters')}")
            number: Any = in_unit(value, self.system.outline.units[name], f"{where}: {name}", SimulationError)
            if not is_finite(number):
                raise SimulationError(f"{where}: {name} is {value!r}; it must be a finite number")
            found[name] = float(number)
            if self.position == 0:
                check_joints_keep(self.system, name, where)
        if self.position > 0 and found.keys() != set(self.names):
            raise SimulationError(f"{where}: it gives {sorted(found)}, and gave {sorted(self.names)} before")
        return found

    def _fill(self, outputs: Mapping[str, float]) -> None:
        self.rows[self.position, :, 2] = [outputs[name] for name in self.names]
        self.position += 1

    @property
    def schedule(self) -> np.ndarray:
        """Rows (time, parameter, value) of all samples; values of those to come are filled in as they are taken."""
        return self.rows.reshape(-1, 3)

    @property
    def next_stop(self) -> float:
        """Where the run is to stop next: at a sample, or at its end."""
        return float(self.times[self.position]) if self.position < len(self.times) else self.t_end

    def sample(self, state: State) -> bool:
        """Take the sample at which the run has stopped; False at the end of the run."""
        if self.position >= len(self.times):
            return False
        self._fill(self._outputs(state))
        return True
