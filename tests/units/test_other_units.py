"""The same motion in other units is the same motion: event tables scale, by powers of two to the last bit.

The ready-made systems carry units on every number, so the same machine code runs with all numbers multiplied.
"""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from tests.units.rescaling import Units, compare_events, rescaled

#: system: (start, parameters, duration [s], how far chaos may magnify the rounding of a conversion)
CASES: dict[str, tuple[dict[str, float], dict[str, float], float, float]] = {
    "ball_on_table": ({"y": 6.4}, {"omega": 3.0, "e": 0.9}, 30.0, 1e-11),
    "slender_rod": ({"y": 6.0, "theta": 0.3}, {"omega": 4.405, "mu": 0.05, "e": 0.8}, 8.0, 1e-8),
    "belt_oscillator": ({}, {}, 10.0, 1e-12),
    "impact_oscillator": ({}, {}, 10.0, 1e-12),
    "bouncing_ball": ({}, {}, 3.0, 1e-12),
    "wiper": ({}, {}, 10.0, 1e-11),
    "woodpecker": ({}, {}, 1.0, 1e-10),
    "double_pendulum": ({}, {}, 3.0, 1e-10),
    "wall_pendulum": ({}, {}, 3.0, 1e-12),
    "rocking_block": ({}, {}, 3.0, 1e-11),
    "two_discs": ({}, {}, 3.0, 1e-12),
    "cam_follower": ({}, {}, 0.5, 1e-8),
    "manipulator": ({}, {}, 1.0, 1e-11),
    "painleve_rod": ({}, {}, 3.0, 1e-11),
    "falling_ball": ({}, {}, 2.0, 1e-10),
    "compliant_wall_pendulum": ({}, {}, 2.0, 1e-10),
    "four_bar": ({}, {}, 2.0, 1e-12),
    "slider_crank": ({}, {}, 2.0, 1e-12),
}
#: Even exponents of length, for stiffnesses in N/m^1.5, and of mass, of which redundant contacts take a root.
POWERS_OF_TWO = [Units(2.0**20, 2.0**10, 2.0**-8), Units(2.0**-8, 2.0**-9, 2.0**6)]
OTHERS = [
    Units(1e6, 1e3, 1.0),  # micrometres, milliseconds
    Units(1e6, 1e6, 1e9),  # micrometres, microseconds, micrograms
    Units(1e-6, 1e-6, 1e6),
    Units(1.0, 1e6, 1.0),  # microseconds
    Units(1e3, 1.0, 1e-3),  # millimetres, tonnes
    Units(1e-3, 60.0, 1.0),
]


def run(name: str, units: Units) -> jounce.Trajectory:
    start, values, duration, _ = CASES[name]
    system = jounce.compile_model(getattr(jounce.systems, name)())
    state, parameters = rescaled(system, start, values, units)
    return jounce.simulate(system, state, duration * units.time, **parameters)


def final(result: jounce.Trajectory, units: Units) -> np.ndarray:
    """The last state in the old units."""
    model = result.model
    factors = [units.factor(unit) for unit in (*model.coordinates.values(), *model.velocity_units.values())]
    return np.concatenate([result.final.q, result.final.u]) / factors


@pytest.mark.parametrize("name", CASES)
def test_powers_of_two_change_no_bit(name: str) -> None:
    here = run(name, Units())
    for units in POWERS_OF_TWO:
        there = run(name, units)
        assert there.status.name == here.status.name
        count, late = compare_events(here, there, units)
        assert count == len(here.events) == len(there.events)
        assert late == 0.0
        np.testing.assert_array_equal(final(there, units), final(here, Units()))


@pytest.mark.parametrize("name", CASES)
def test_other_units_change_nothing_but_rounding(name: str) -> None:
    here = run(name, Units())
    allowed = CASES[name][3]
    size = np.abs(final(here, Units())).max()
    for units in OTHERS:
        there = run(name, units)
        assert there.status.name == here.status.name, units
        count, late = compare_events(here, there, units)
        assert count == len(here.events) == len(there.events), units
        assert late <= allowed, (units, late)
        assert np.abs(final(there, units) - final(here, Units())).max() <= 1e3 * allowed * size, units
