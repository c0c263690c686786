"""A few random runs of every family; python -m tests.families.run makes as many as one likes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.families import assembled
from tests.families.check import failures_of
from tests.families.family import dimension
from tests.families.run import FAMILIES

SEEDS = range(3)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_random_runs(family) -> None:  # type: ignore[no-untyped-def]
    found = [failure for seed in SEEDS for failure in failures_of(family, seed)]
    assert not found, "\n".join(map(str, found))


@pytest.mark.parametrize("seed", range(2))
def test_random_machines_in_any_units(seed: int) -> None:
    """Bit for bit in powers of two, to the tolerance in powers of ten from 1e-6 to 1e6."""
    assert not assembled.failures_of(seed, 0.5)


@pytest.mark.parametrize(
    ("unit", "expected"),
    [("", (0, 0, 0)), ("m/s^2", (1, -2, 0)), ("kg m^2/s", (2, -1, 1)), ("N/m", (0, -2, 1)), ("rad/m", (-1, 0, 0))],
)
def test_dimensions(unit: str, expected: tuple[int, int, int]) -> None:
    np.testing.assert_array_equal(dimension(unit), expected)
