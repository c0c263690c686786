"""Columns that stand upright: no coordinate across them has a size of its own but rounding."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import jounce
from jounce import Body, Force, Model, Revolute, TorsionSpring, ground, parameters
from tests.literature.case import UNITS
from tests.units.rescaling import Units

near = np.testing.assert_allclose
INERTIA, DAMPING = 1e-3, 0.1
CASES = [("as written", "compiled"), *((units, "tables") for units in UNITS)]


def column(units: Units, follows: bool) -> Model:
    """Two bars of length 1, masses 2 and 1 at their ends, on elastic hinges of stiffness 1, and a load at the end."""
    length, mass = units.length, units.mass
    inertia, couple = units.factor("kg m^2"), units.factor("N m")
    (load,) = parameters(load=(0.1 * units.factor("N"), ""))
    lower = Body("lower", mass=2 * mass, inertia=INERTIA * inertia, center=(0, length))
    upper = Body("upper", mass=mass, inertia=INERTIA * inertia, center=(0, 2 * length))
    foot, knee = (Revolute(*ends, (0, 0), (0, -length)) for ends in (("foot", ground, lower), ("knee", lower, upper)))
    bending = [
        TorsionSpring(*ends, stiffness=couple, damping=DAMPING * units.factor("N m s"))
        for ends in ((ground, lower), (lower, upper))
    ]
    forces = [*bending, Force(upper, (0, -load), follows=follows)]
    return Model.from_bodies("column", bodies=[lower, upper], joints=[foot, knee], forces=forces)


def largest_real_part(load: float) -> float:
    """Of the eigenvalues of the column under a load that follows its end (Ziegler 1952), for angles of the bars."""
    mass = np.array([[3.0 + INERTIA, 1.0], [1.0, 1.0 + INERTIA]])
    bending = np.array([[2.0, -1.0], [-1.0, 1.0]])
    stiffness = bending - load * np.array([[1.0, -1.0], [0.0, 0.0]])
    rates = np.block(
        [
            [np.zeros((2, 2)), np.eye(2)],
            [-np.linalg.solve(mass, stiffness), -DAMPING * np.linalg.solve(mass, bending)],
        ]
    )
    return float(np.linalg.eigvals(rates).real.max())


@pytest.mark.parametrize(("units", "kind"), CASES)
def test_a_load_that_follows_makes_a_column_flutter(units: str, kind: str) -> None:
    force = UNITS[units].factor("N")
    system = jounce.compile_model(column(UNITS[units], follows=True), bodies=kind)
    upright = jounce.find_equilibrium(system, "", system.state(), load=0.1 * force)
    found = jounce.continue_equilibrium(upright, "load", (0.1 * force, 2.0 * force), step=0.3 * force).specials
    assert [special.kind for special in found] == ["hopf"]
    near(found[0].parameter / force, brentq(largest_real_part, 1.0, 2.0, xtol=1e-14), rtol=1e-9)


@pytest.mark.parametrize(("units", "kind"), CASES)
def test_a_dead_load_buckles_it(units: str, kind: str) -> None:
    """At the load (3 -+ sqrt 5)/2 of both its shapes."""
    force = UNITS[units].factor("N")
    system = jounce.compile_model(column(UNITS[units], follows=False), bodies=kind)
    upright = jounce.find_equilibrium(system, "", system.state(), load=0.1 * force)
    found = jounce.continue_equilibrium(upright, "load", (0.1 * force, 3.0 * force), step=0.3 * force).specials
    assert [special.kind for special in found] == ["pitchfork", "pitchfork"]
    loads = [special.parameter / force for special in found]
    near(loads, [(3 - math.sqrt(5)) / 2, (3 + math.sqrt(5)) / 2], rtol=1e-9)
