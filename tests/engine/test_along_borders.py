"""Motions along the border of a jump: a stop that moves with what touches it, and creeps back where nothing does."""

from __future__ import annotations

from functools import cache

import pytest
from sympy import Heaviside, Piecewise

import jounce
from jounce import Model, coordinate, internal, parameters
from tests.units.rescaling import Units, rescaled

F, m, k, c, L = parameters(F=(1.0, "N"), m=(1.0, "kg"), k=(2.0, "N/m"), c=(0.05, "s"), L=(0.02, "m"))
FORMS = {
    "from": lambda b, touched, free: Piecewise((touched, b >= 0), (free, True)),
    "after": lambda b, touched, free: Piecewise((touched, b > 0), (free, True)),
    "step": lambda b, touched, free: free + (touched - free) * Heaviside(b),
}
UNITS = [Units(), Units(1e3, 1e6), Units(1e-3, 1e-6), Units(3.0, 7.0, 11.0), Units(2.0**-20, 2.0**7, 2.0**30)]


@cache
def carried(form: str) -> jounce.System:
    """The stop z moves with the block where they touch, x - z >= L, and creeps back before; the block goes on."""
    x, dx = coordinate("x", "m")
    z = internal("z", "m")
    rate = FORMS[form](x - z - L, dx, -z / c)
    return jounce.compile_model(Model(f"carried_{form}", [x], [m], [F - k * x], rates={z: rate}))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("behind", [0.0, 0.001, -0.004])
def test_a_stop_goes_with_what_touches_it(form: str, behind: float) -> None:
    """x - z = L from the first touch on, as long as the block pushes, whatever side of it rounding is on."""
    system = carried(form)
    for units in UNITS:
        for tolerance in (1e-6, 1e-9, 1e-12):
            state, values = rescaled(system, {"x": 0.0, "d_x": 0.0}, {}, units)
            state = state.replace(z=behind * units.length)
            options = jounce.Options(tolerance=tolerance, audit="dense", max_steps=20_000)
            run = jounce.simulate(system, state, 2.0 * units.time, options=options, **values)
            assert run.status.ok, (units, tolerance, run.status.message)
            for t in (0.5, 0.9, 1.4, 2.0):
                there = run.at(t * units.time)
                assert (there["x"] - there["z"]) / units.length == pytest.approx(0.02, abs=tolerance)
