"""Motions along a surface at which forces or rates jump: no switch describes them, and the run says which surface."""

from __future__ import annotations

import sympy as sp
from sympy import Heaviside, Piecewise

import jounce
from jounce import Model, coordinate, internal, parameters

F, m, c, L = parameters(F=(1.0, "N"), m=(1.0, "kg"), c=(0.05, "s"), L=(0.02, "m"))


def test_a_stop_that_is_carried_along_names_its_surface() -> None:
    """The drifting oscillator of Pavlovskaia, Wiercigroch and Grebogi, its phases written as cases.

    Where the mass touches the stop z' = x', and x - z - g is zero until they part: no side of it is left.
    """
    x, dx = coordinate("x", "")
    z, v = internal("z", ""), internal("v", "")
    a, b, w, xi, g = parameters(a=0.3, b=0.15, w=0.1, xi=0.01, g=0.02)
    force = 2 * xi * dx + (z - v)
    touches = (x - z - g >= 0) & (force > 0)
    drifts = touches & (force > 1)
    rates = {
        z: Piecewise((dx, touches), (-(z - v) / (2 * xi), True)),
        v: Piecewise((dx + (z - v - 1) / (2 * xi), drifts), (0, True)),
    }
    push = a * sp.cos(w * jounce.time) + b - Piecewise((1, drifts), (force, touches), (0, True))
    run = jounce.simulate(Model("drifting", [x], [1], [push], rates=rates, period=2 * sp.pi / w), {}, 60.0)
    assert run.status.name == "STEP_UNDERFLOW"
    assert "g - x + z = 0" in run.status.message
    assert "discrete states" in run.status.message


def test_a_force_without_bound_beside_a_jump_names_no_surface() -> None:
    """Behind x = L/2 there is another force, and the force grows without bound at x = L."""
    x, _ = coordinate("x", "m")
    force = F * L / sp.sqrt(sp.Abs(L - x) * L) ** 3 * L**2 / L + F * Heaviside(x - L / 2)
    run = jounce.simulate(Model("unbounded", [x], [m], [force]), {"x": 0.0}, 5.0)
    assert run.status.name == "STEP_UNDERFLOW"
    assert "surface" not in run.status.message
