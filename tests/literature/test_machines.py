"""Machines of the literature that were not in mind when the engine was written, audited densely, in three units."""

from __future__ import annotations

import pytest

from tests.literature import contrivances, flights, frictions, machines, textbooks
from tests.literature.case import UNITS, seen

CASES = {**flights.CASES, **frictions.CASES, **machines.CASES, **contrivances.CASES, **textbooks.CASES}


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("name", CASES)
def test_a_machine_of_the_literature(name: str, units: str) -> None:
    case = CASES[name]
    case.check(seen(case, UNITS[units]))


@pytest.mark.parametrize("name", contrivances.AS_WRITTEN)
def test_a_machine_with_a_curve(name: str) -> None:
    case = contrivances.AS_WRITTEN[name]
    case.check(seen(case, UNITS["as written"]))
