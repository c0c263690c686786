"""From script to picture in below 40 lines: the examples of which that is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
SHORT = (
    "longterm/when_does_a_walker_limp",
    "friction/why_does_a_brake_squeal",
    "machines/how_does_a_clock_keep_ticking",
    "machines/how_late_may_a_controller_be",
    "machines/what_does_friction_cost_an_engine",
)


@pytest.mark.parametrize("name", SHORT)
def test_it_takes_less_than_forty_lines(name: str) -> None:
    assert len((EXAMPLES / f"{name}.py").read_text().splitlines()) < 40
