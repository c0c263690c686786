"""Orbits at each of whose times a contact is pressed that goes by the speed of its touch: memories are unknowns."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
from sympy import cos, pi

import jounce
from jounce.analysis.variables import variables_of, with_variables

TIGHT = jounce.Options(tolerance=1e-13)


@cache
def jaw() -> jounce.System:
    """A mass that is a little too large for the space between its two stops, shaken."""
    x, dx = jounce.coordinate("x", "m")
    w, A = jounce.parameters(w=(20.0, "rad/s"), A=(60.0, "N"))
    stops = [
        jounce.Contact(name, gap=sign * x - 0.01, restitution=0.6, compliance=jounce.HuntCrossley(4e3))
        for name, sign in (("left", 1), ("right", -1))
    ]
    forces = [-dx / 2 + A * cos(w * jounce.time)]
    return jounce.compile_model(jounce.Model("jaw", [x], [1], forces, contacts=stops, period=2 * pi / w))


@cache
def shaken() -> jounce.PeriodicOrbit:
    return jounce.find_orbit(jaw(), jounce.simulate(jaw(), {"x": 0.05}, 60.0).final, "phase:0")


def test_the_orbit_closes_with_what_it_remembers() -> None:
    orbit = shaken()
    assert orbit.remembered == (0, 1)
    assert len(orbit.multipliers) == 3  # x, x' and 1/v of the one stop that is pressed
    later = jounce.simulate(jaw(), orbit.state, orbit.state.t + 10 * orbit.period, options=TIGHT).final
    start, end = (variables_of(jaw(), state, orbit.remembered) for state in (orbit.state, later))
    np.testing.assert_allclose(end, start, atol=1e-10)


def test_its_derivative_is_that_of_differences() -> None:
    orbit = shaken()
    z = variables_of(jaw(), orbit.state, orbit.remembered)

    def arrive(moved: np.ndarray) -> np.ndarray:
        state = with_variables(jaw(), orbit.state.t, moved, orbit.state.memory, orbit.remembered)
        run = jounce.simulate(jaw(), state, orbit.state.t + orbit.period, options=TIGHT)
        return variables_of(jaw(), run.final, orbit.remembered)

    for k in np.flatnonzero(z):
        step = 1e-4 * abs(z[k]) * np.eye(len(z))[k]
        parts = [w * (arrive(z + n * step) - arrive(z - n * step)) for n, w in ((1, 45), (2, -9), (3, 1))]
        np.testing.assert_allclose(orbit.monodromy[:, k], sum(parts) / (60 * step[k]), atol=2e-8)


def test_branches_and_files_have_the_memories(tmp_path: Path) -> None:
    branch = jounce.continue_orbit(shaken(), "A", (58.0, 62.0))
    assert "right_inverse_approach" in branch.table
    branch.save(tmp_path / "jaw.nc")
    again = jounce.load(tmp_path / "jaw.nc")
    assert again.table.equals(branch.table)
    orbit = again.points[-1].solution
    assert orbit.run.final["x"] == pytest.approx(orbit.state["x"], abs=1e-10)


def test_exponents_are_those_of_the_multipliers() -> None:
    orbit = shaken()
    expected = np.log(np.abs(orbit.multipliers[0])) / orbit.period
    found = jounce.lyapunov(jaw(), orbit.state, 100 * orbit.period)
    assert found.exponents == pytest.approx([expected, expected], abs=0.1)
