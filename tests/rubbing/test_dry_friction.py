"""Dry friction written as a force with a sign in it: held and let go at the times of closed forms, in any units."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from sympy import sign, sin

import jounce
from jounce import Model, coordinates, parameters, time

#: The direction of the push, and units of length, time and mass.
WAYS = [(1, (1.0, 1.0, 1.0)), (-1, (1.0, 1.0, 1.0)), (-1, (1e-5, 1e4, 1e3)), (1, (3e4, 2e-5, 1e-6))]
INTEGRATORS = ["taylor", "dop853", "dopri5"]


@cache
def block() -> Any:
    """A block on a floor or a belt, pushed by a constant force and by one that swings."""
    ((x, dx),) = coordinates("x", "m")
    m, F, G, A, w, t_0 = parameters(
        m=(1.0, "kg"), F=(1.0, "N"), G=(0.0, "N"), A=(2.0, "N"), w=(1.0, "rad/s"), t_0=(0.0, "s")
    )
    force = G + A * sin(w * (time - t_0)) - F * sign(dx)
    return jounce.compile_model(Model("rubbed_block", [x], [m], [force]))


def _run(units: tuple[float, float, float], t_end: float, d_x: float, chosen: dict[str, Any], **given: float) -> Any:
    length, duration, mass = units
    options = jounce.Options(**chosen, audit="dense", scales={"x": length, "d_x": length / duration})
    force = mass * length / duration**2
    scaled = {name: value * force for name, value in given.items() if name in "FGA"}
    scaled |= {"m": mass, "w": given["w"] / duration, "t_0": given["t_0"] * duration}
    return jounce.simulate(block(), {"d_x": d_x * length / duration}, t_end * duration, options=options, **scaled)


@pytest.mark.parametrize(("mirrored", "units"), WAYS)
@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_what_friction_holds_is_let_go_where_the_force_reaches_it(
    mirrored: int, integrator: str, units: tuple[float, float, float]
) -> None:
    """m v' = A sin(w t) - F sign(v) from rest: held to sin(w t) = F/A, however long the step that holds it could be."""
    random = np.random.default_rng(1)
    for _ in range(8):
        F, w = random.uniform(0.5, 1.9), random.uniform(0.3, 3.0)
        t_end = random.uniform(20.0, 60.0)
        options = {"integrator": integrator, "tolerance": 1e-8}
        run = _run(units, t_end, 0.0, options, F=F, G=0.0, A=2.0 * mirrored, w=w, t_0=0.0)
        assert run.status.name == "FINISHED", run.status.message
        assert run.audit().empty
        leaves = run.events[run.events["reset"] == "sign_d_x_leaves"]
        assert leaves["t"].iloc[0] / units[1] == pytest.approx(np.arcsin(F / 2) / w, rel=1e-9)


def _turned_back(F: float, excess: float, alpha: float, w: float, tau: float) -> float:
    """The velocity at the time tau behind that at which the block stops, with the closed forms of each part."""
    held = brentq(lambda s: excess * s - alpha * (1 - np.cos(w * s)) / w**2, excess / alpha, 3 * excess / alpha)
    left = np.arcsin(w * (2 * F + excess) / alpha) / w
    if tau <= 0:
        return float((2 * F + excess) * tau - alpha * (1 - np.cos(w * tau)) / w**2)
    if tau <= held:
        return float(excess * tau - alpha * (1 - np.cos(w * tau)) / w**2)
    if tau <= left:
        return 0.0
    return float((2 * F + excess) * (tau - left) + alpha * (np.cos(w * tau) - np.cos(w * left)) / w**2)


@pytest.mark.parametrize(("mirrored", "units"), WAYS)
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("excess", [1e-2, 1e-4, 1e-6, 1e-8])
def test_a_block_that_friction_turns_back_as_it_begins_to_slip_is_held(
    excess: float, mirrored: int, integrator: str, units: tuple[float, float, float]
) -> None:
    """It comes to rest where the push exceeds friction by little, and falls: slip of excess^2/(2 alpha), then rest.

    The push is F + excess - (alpha/w) sin(w tau), tau the time since the block has come to rest.
    """
    F, w, t_0, alpha = 0.8, 0.9, 0.7, 2.5
    start, end = (_turned_back(F, excess, alpha, w, tau) for tau in (-t_0, 1.5))
    for tolerance in (1e-7, 1e-10):
        options = {"integrator": integrator, "tolerance": tolerance}
        given = {"F": F, "G": mirrored * (F + excess), "A": -mirrored * alpha / w, "w": w, "t_0": t_0}
        run = _run(units, t_0 + 1.5, mirrored * start, options, **given)
        assert run.status.name == "FINISHED", run.status.message
        assert run.audit().empty
        speed = mirrored * run.final["d_x"] * units[1] / units[0]
        assert speed == pytest.approx(end, abs=max(30 * tolerance, 1e-12))
