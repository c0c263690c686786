"""Implicit steps in other units: a soft box on its corners, with equations of lengths, an angle and forces."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Contact, Maxwell, Model, Options


@pytest.fixture(scope="module")
def soft_box() -> jounce.System:
    """A box that lands on two corners, each with a spring and a damper in series, an internal state."""
    (x, dx), (y, dy), (a, da) = (jounce.coordinate(name, unit) for name, unit in (("x", "m"), ("y", "m"), ("a", "rad")))
    m, r, k, c, g, mu = jounce.parameters(
        m=(0.8, "kg"), r=(0.3, "m"), k=(2e4, "N/m"), c=(30.0, "kg/s"), g=(9.81, "m/s^2"), mu=0.3
    )
    corners = []
    for number, side in enumerate((1, -1)):
        across, up = x + r * (side * sp.cos(a) + sp.sin(a)), y + r * (side * sp.sin(a) - sp.cos(a))
        law = {"friction": mu, "compliance": Maxwell(k, c * (1 + number))}
        corners.append(Contact(f"corner{number}", gap=up, slip=dx + sp.diff(across, a) * da, **law))
    model = Model.from_lagrangian(
        "soft_box", coordinates=[x, y, a], kinetic=m * (dx**2 + dy**2) / 2 + m * r**2 * da**2 / 5, potential=m * g * y,
        contacts=corners,
    )  # fmt: skip
    return jounce.compile_model(model)


def landed(system: jounce.System, tolerance: float, length: float, time: float, mass: float) -> list[np.ndarray]:
    """Times of the steps and the states there, in units of the first box."""
    values = {
        "m": 0.8 * mass, "r": 0.3 * length, "k": 2e4 * mass / time**2, "c": 30.0 * mass / time,
        "g": 9.81 * length / time**2, "mu": 0.3,
    }  # fmt: skip
    start = {"y": 0.35 * length, "a": 0.04, "d_x": length / time, "d_a": -0.3 / time}
    run = jounce.simulate(system, start, 2.0 * time, options=Options(tolerance=tolerance), **values)
    return [run.data.step_t / time, run.data.step_coefficients[:, 0, :3] / np.array([length, length, 1.0])]


@pytest.mark.parametrize("tolerance", [1e-5, 1e-7, 1e-9])
def test_implicit_steps_in_powers_of_two(soft_box: jounce.System, tolerance: float) -> None:
    """To the last bit: which equation is eliminated first does not depend on units, whatever has been exchanged."""
    own = landed(soft_box, tolerance, 1.0, 1.0, 1.0)
    for scales in ((4.0**5, 1.0, 1.0), (1.0, 4.0**-5, 1.0), (1.0, 1.0, 4.0**-5), (4.0**-6, 4.0**-7, 4.0**-3)):
        for ours, theirs in zip(own, landed(soft_box, tolerance, *scales), strict=True):
            np.testing.assert_array_equal(ours, theirs, err_msg=str(scales))
