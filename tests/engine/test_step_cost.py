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


def calls(name: str, t_end: float, tolerance: float, record: str, **start: float) -> tuple[Counter[str], int, int]:
    """(calls of each function of the model, steps, events) of one run."""
    system = ready_made(name)
    options = jounce.Options(tolerance=tolerance, record=record)
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
    found, steps, events = calls("belt_oscillator", 20.0, tolerance, "nothing", d_x=0.2)
    assert events == 16
    # twelve stages and five places on most steps; a landing, a search and a look ahead at each event
    assert found["slide"] + found["stick"] <= 20 * steps + 80 * events
    assert found["dynamics"] <= 14 * events + 20


def test_a_step_that_nobody_records_has_no_interpolant():
    """Three evaluations fewer a step, and five looks at the gap in place of thirteen."""
    alone, steps, events = calls("impact_oscillator", 80.0, 1e-10, "nothing")
    recorded, same, _ = calls("impact_oscillator", 80.0, 1e-10, "all")
    assert steps == same
    assert events >= 10
    assert recorded["free_flow"] - alone["free_flow"] >= 3 * (steps - 3 * events)
    assert alone["gaps"] <= 6 * steps + 40 * events
