"""What a step of smooth motion costs, in calls of the model's functions: counted, not timed."""

from __future__ import annotations

import ctypes
from collections import Counter
from typing import Any

import pytest

import jounce
from jounce.kernels.records import recording
from jounce.simulation.driver import Driver
from jounce.toolchain.abi import STATE_SIGNATURE
from tests.engine.support import ready_made

PLACES = (("slide", 0), ("stick", 0), ("dynamics", None), ("gaps", None), ("free_flow", None))


def calls(
    name: str, t_end: float, tolerance: float, record: str, integrator: str, **start: float
) -> tuple[Counter[str], int, int]:
    """(calls of each function of the model, steps, events) of one run."""
    system = ready_made(name)
    options = jounce.Options(tolerance=tolerance, record=record, integrator=integrator)
    driver = Driver(system, system.state(**start), t_end, system.parameters(), options)
    found: Counter[str] = Counter()
    kept = [_counting(driver.machine[0], field, place, found) for field, place in PLACES]
    driver.run()
    assert kept
    counter = driver.record[0]["counter"]
    return found, int(counter[recording.STEPS_TOTAL]), int(counter[recording.EVENTS_TOTAL])


def _counting(machine: Any, field: str, place: int | None, found: Counter[str]) -> Any:
    """Put a function that counts in front of one of the model's; it must be kept alive."""
    prototype = STATE_SIGNATURE.prototype()
    address = machine[field] if place is None else machine[field][place]
    if not address:
        return None
    original = prototype(int(address))

    def call(*arguments: Any) -> None:
        found[field] += 1
        original(*arguments)

    counting = prototype(call)
    number = ctypes.cast(counting, ctypes.c_void_p).value
    if place is None:
        machine[field] = number
    else:
        machine[field][place] = number
    return counting


@pytest.mark.parametrize("tolerance", [1e-6, 1e-10])
def test_a_closed_contact_costs_its_own_function_and_few_general_solutions(tolerance):
    """41 general solutions a step were needed before a closed contact had functions of its own."""
    found, steps, events = calls("belt_oscillator", 20.0, tolerance, "nothing", "dop853", d_x=0.2)
    assert events == 16
    # twelve stages and five places on most steps; a landing, a search and a look ahead at each event
    assert found["slide"] + found["stick"] <= 20 * steps + 80 * events
    assert found["dynamics"] <= 14 * events + 20


def test_a_step_that_nobody_records_has_no_interpolant():
    """Three evaluations fewer a step, and five looks at the gap in place of thirteen."""
    alone, steps, events = calls("impact_oscillator", 80.0, 1e-10, "nothing", "dop853")
    recorded, same, _ = calls("impact_oscillator", 80.0, 1e-10, "all", "dop853")
    assert steps == same
    assert events >= 10
    assert recorded["free_flow"] - alone["free_flow"] >= 3 * (steps - 3 * events)
    assert alone["gaps"] <= 6 * steps + 40 * events


@pytest.mark.parametrize("record", ["nothing", "all"])
def test_a_step_by_series_asks_the_model_at_its_end_only(record):
    """Whether it is recorded or not: the series is the interpolant. Works take up to eight points of Gauss."""
    found, steps, events = calls("impact_oscillator", 80.0, 1e-10, record, "taylor")
    assert events >= 10
    assert found["free_flow"] <= steps + 5 * events
    assert found["gaps"] <= 6 * steps + 40 * events
    found, steps, events = calls("belt_oscillator", 20.0, 1e-10, record, "taylor", d_x=0.2)
    assert found["slide"] + found["stick"] <= 7 * steps + 60 * events
    assert found["dynamics"] <= 14 * events + 20
