"""A block that friction stops exactly on the border of a push: the forces of the side from which it came hold there."""

from __future__ import annotations

import math
from functools import cache

import pytest
import sympy as sp
from sympy import Heaviside, Piecewise, sign

import jounce
from jounce import Contact, Model, coordinate, coordinates, parameters
from tests.units.rescaling import Units, rescaled

m, g, F, L, X = parameters(m=(1.0, "kg"), g=(9.81, "m/s^2"), F=(1.0, "N"), L=(1.0, "m"), X=(0.5, "m"))
mu = parameters(mu=0.1)[0]
#: Zero before the border b = 0, one behind it; at the border each is another number.
STEPS = {
    "heaviside": lambda b: Heaviside(b),
    "sign": lambda b: (1 + sign(b / 3)) / 2,
    "after": lambda b: Piecewise((1, b > 0), (0, True)),
    "from": lambda b: Piecewise((1, b >= 0), (0, True)),
}
UNITS = [
    Units(),
    Units(1e3, 1e6),
    Units(1e6, 1e6, 1e6),
    Units(1e-3, 1e-6),
    Units(1e-6, 1e-4, 1e-5),
    Units(3.0, 7.0, 11.0),
    Units(2.0**-20, 2.0**7, 2.0**30),
]


@cache
def block(step: str, floor: bool) -> jounce.System:
    """It slides to x = X, behind which it is pushed back by twice F, as far as friction lets it."""
    if floor:
        (x, dx), (y, _) = coordinates("x y", "m")
        rub = Contact("rub", gap=y, slip=dx, friction=mu, restitution=0)
        moving, forces = [x, y], [-2 * F * STEPS[step](x - X), -m * g]
    else:
        x, dx = coordinate("x", "m")
        rub = Contact("rub", slip=dx, friction=mu, load=(), preload=m * g)
        moving, forces = [x], [-2 * F * STEPS[step](x - X)]
    return jounce.compile_model(Model(f"{step}_{floor}", moving, sp.eye(len(moving)) * m, forces, contacts=[rub]))


def stop(
    system: jounce.System, floor: bool, units: Units, tolerance: float, way: float, border: float
) -> jounce.Trajectory:
    """The run of a block that starts ``way`` before the border with the speed that friction stops there."""
    start = {"x": border - way, "d_x": math.sqrt(2 * 0.1 * 9.81 * way)} | ({"y": 0.0} if floor else {})
    state, values = rescaled(system, start, {"X": border}, units)
    options = jounce.Options(audit="dense", tolerance=tolerance, max_steps=2000)
    return jounce.simulate(system, state, 5.0 * units.time, options=options, **values)


@pytest.mark.parametrize("floor", [True, False])
@pytest.mark.parametrize("step", STEPS)
def test_a_block_that_stops_at_a_border_rests_there(step: str, floor: bool) -> None:
    """In any units, however the jump is written, wherever the border is, the origin included."""
    system = block(step, floor)
    for units in UNITS:
        for tolerance in (1e-6, 1e-9, 1e-11):
            for way, border in ((0.5, 0.5), (0.5, 0.0), (0.37, -1.2), (1.0, 0.0), (2.0, 3.0), (0.125, 0.1)):
                run = stop(system, floor, units, tolerance, way, border)
                assert run.status.name == "AT_REST", (units, tolerance, way, border, run.status.message)
                # back from beyond it comes by half as much at most
                assert run.final["x"] / units.length == pytest.approx(border, abs=20 * tolerance * way)


@pytest.mark.parametrize("floor", [True, False])
@pytest.mark.parametrize("step", STEPS)
def test_a_block_that_starts_on_a_border_rests_there(step: str, floor: bool) -> None:
    """Behind it the push is stronger than friction, before it there is none."""
    system = block(step, floor)
    for units in UNITS:
        for border in (0.5, 0.0, -1.2):
            start = {"x": border, "d_x": 0.0} | ({"y": 0.0} if floor else {})
            state, values = rescaled(system, start, {"X": border}, units)
            options = jounce.Options(audit="dense", max_steps=2000)
            run = jounce.simulate(system, state, 5.0 * units.time, options=options, **values)
            assert run.status.name == "AT_REST", (units, border, run.status.message)
            assert run.final["x"] / units.length == pytest.approx(border, abs=1e-12)
