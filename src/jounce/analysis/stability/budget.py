"""A budget of steps for trial runs: a search that strays must come back with an error, not compute for ever."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from jounce.errors import SimulationError
from jounce.kernels.records.recording import STEPS_TOTAL

if TYPE_CHECKING:
    from jounce.simulation.driver import Driver


def step_budget(driver: Driver, most: int) -> Callable[[float], None]:
    """A progress report that ends a run of more than ``most`` steps; the run looks up at least once in so many."""
    settings, counter = driver.records.settings, driver.records.counter
    settings.pause_steps = min(settings.pause_steps, most)

    def look(_: float) -> None:
        if counter[STEPS_TOTAL] >= most:
            raise SimulationError(
                f"the motion takes more than {most} steps from t = {driver.start.t:g} to t = {driver.time:.6g} "
                "alone: it is not near a periodic one; start nearer to the orbit"
            )

    return look
