"""Equations of motion keep the digits of what was written: against the same energies in 60-digit arithmetic."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Model, coordinates, parameters, time
from jounce.model.expansion import expanded


def energies(k, c, d, a):
    """Springs and a guide of two masses, all by differences from places that may be far away."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    distance = sp.sqrt((x - c) ** 2 + (y - d) ** 2)
    well = sp.exp(-(((x - c) / a) ** 2)) + (x - c) ** 4 / a**4 + (distance - a) ** 2 / a**2
    guide = (y - d) ** 2 / a  # a mass on a parabola, its other coordinate
    rate = sp.diff(guide, y) * dy
    kinetic = (dx**2 + dy**2 + (dx + rate) ** 2) / 2 + sp.sin(x / a) ** 2 * dx**2 + sp.cos(x / a) ** 2 * dx**2
    return [x, y], [dx, dy], kinetic, k * well


def accelerations_in_digits(numbers, q0, u0):
    """M^-1 h of Lagrange's equations, differentiated by SymPy and evaluated with 60 digits, nothing multiplied out."""
    names = sp.symbols("k c d a", real=True)
    q, u, kinetic, potential = energies(*names)
    M = sp.Matrix(2, 2, lambda i, j: sp.diff(kinetic, u[i], u[j]))
    h = [
        sp.diff(kinetic, q[i]) - sp.diff(potential, q[i]) - sum(sp.diff(kinetic, u[i], q[j]) * u[j] for j in range(2))
        for i in range(2)
    ]
    with mpmath.workdps(60):
        at = [mpmath.mpf(value) for value in (*numbers, *q0, *u0)]
        mass, force = sp.lambdify([*names, *q, *u], [M, sp.Matrix(h)], "mpmath")(*at)
        return np.array([float(value) for value in mpmath.lu_solve(mpmath.matrix(mass), mpmath.matrix(force))])


@pytest.mark.parametrize("far", [0.0, 1.0, 1e3, 1e6])
def test_places_far_from_the_origin_lose_no_digits(far):
    """Equations that are written by differences do not know where the origin is.

    The differences are multiples of 1/16, which doubles hold at these places too.
    """
    chosen = parameters(k=(3.0, "N/m"), c=(far, "m"), d=(2 * far, "m"), a=(0.5, "m"))
    q, u, kinetic, potential = energies(*chosen)
    model = Model.from_lagrangian("far", coordinates=q, kinetic=kinetic, potential=potential)
    numbers, q0, u0 = (3.0, far, 2 * far, 0.5), [far + 5 / 16, 2 * far - 3 / 16], [0.75, -1.25]
    M, h = sp.lambdify([*chosen, *q, *u], [model.M.tolist(), list(model.h)], "math")(*numbers, *q0, *u0)
    mine = np.linalg.solve(np.array(M, dtype=float), np.array(h, dtype=float).ravel())
    exact = accelerations_in_digits(numbers, q0, u0)
    assert np.abs(mine - exact).max() < 1e-13 * np.abs(exact).max()


@pytest.mark.parametrize("beside", [0, sp.Rational(1, 2)])
def test_pulses_beside_what_is_multiplied_out_do_not_overflow(beside):
    """exp(-100 (t/a - 1)^2) multiplied out has a factor exp(200 t/a), which overflows at t = 3.55 a."""
    (x, dx), (y, dy) = coordinates("x y", "rad")
    a, size = parameters(a=(0.4, "s"), size=(1.0, "N m"))
    links = dx**2 + (dx * sp.cos(x) + dy * sp.cos(y)) ** 2 + (dx * sp.sin(x) + dy * sp.sin(y)) ** 2
    pulse = size * sp.exp(-100 * (time / a - 1) ** 2)
    model = Model.from_lagrangian(
        "pushed",
        coordinates=[x, y],
        kinetic=links / 2,
        potential=-sp.cos(x),
        forces={x: pulse, y: -beside * sp.sign(dy)},
    )
    assert not any(part.args[0].is_number for entry in model.h for part in entry.atoms(sp.exp))
    late, later = (
        jounce.simulate(model, {"x": 0.3, "y": 0.1}, 2.0, options=jounce.Options(integrator=name))
        for name in ("taylor", "dopri5")
    )
    assert late.status.name == "FINISHED"
    np.testing.assert_allclose(late.final.q, later.final.q, atol=1e-8)


def test_what_cancels_still_does():
    """Sums of squares of sine and cosine, inertial terms, and multiples of one sum."""
    x, y, c, k, v = sp.symbols("x y c k v", real=True)
    assert expanded(k * (2 * x - 2 * c) / 2 - k * (x - c), [v]) == 0
    assert expanded(k * (c - x) * y + k * (x - c) * y, [v]) == 0
    assert expanded((v + (x - c) * y) * k - v * k - (x - c) * y * k, [v]) == 0
    assert expanded((sp.cos(x) + y) ** 2 - sp.cos(x) ** 2 - 2 * y * sp.cos(x), [v]) == y**2
    assert expanded((x - c) ** 4 + y * (sp.sin(x) + 1), [v]) == (c - x) ** 4 + y * sp.sin(x) + y
    inside = sp.exp(-((x - c) ** 2)) * (1 + sp.sin(y)) + sp.sqrt((x - c) ** 2 + y**2)
    assert expanded(inside, [v]).atoms(sp.exp) == {sp.exp(-((x - c) ** 2))}
    assert sp.sqrt((x - c) ** 2 + y**2) in expanded(inside, [v]).args
