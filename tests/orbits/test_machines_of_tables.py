"""Orbits and their derivatives of machines that run from tables: closed forms, and the same machines compiled."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import jounce
from benchmarks import scenes
from jounce import (
    Body,
    CircleOn,
    Line,
    Model,
    PointOn,
    Spring,
    Translational,
    contact_between,
    ground,
    parameters,
    time,
)
from jounce.analysis.orbits.solution.mode_surface import contact_tangents


def _guided(count: int) -> Model:
    """Points on vertical guides over a shaken table: the first one bounces, damped springs hold the others above it."""
    e, omega, amplitude = parameters(e=(0.9, ""), omega=(3.0, "rad/s"), A=(1.0, "m"))
    bodies = [Body(f"b{k}", 1.0, 0.01, center=(10.0 * k, 6.4)) for k in range(count)]
    springs = [Spring(ground, b, 100.0, 2.0, 25.0, at_first=(10.0 * k, 8.4)) for k, b in enumerate(bodies) if k > 0]
    table = Line(ground, (0, amplitude * sp.sin(omega * time)), (1, 0))
    return Model.from_bodies(
        f"guided{count}",
        bodies=bodies,
        joints=[Translational(f"g{k}", ground, b, at_first=(10.0 * k, 0), axis=(0, 1)) for k, b in enumerate(bodies)],
        contacts=[contact_between(f"c{k}", PointOn(b, (0, 0)), table, restitution=e) for k, b in enumerate(bodies)],
        forces=springs,
        gravity=9.81,
        period=2 * sp.pi / omega,
    )


@pytest.mark.parametrize("count", [1, 3])
def test_multipliers_of_a_bouncing_point(count: int) -> None:
    """The product of the two multipliers is e^2; they are complex here, so e is the modulus of both."""
    system = jounce.compile_model(_guided(count), bodies="tables")
    start = system.state(t=1.5, **{f"b{k}_y": 6.4 for k in range(count)})
    orbit = jounce.find_orbit(system, start, omega=3.0, e=0.9)
    assert orbit.period == pytest.approx(2 * np.pi / 3)
    sizes = np.sort(np.abs(orbit.multipliers))[::-1]
    assert sizes[:2] == pytest.approx([0.9, 0.9], rel=1e-6)
    assert sizes[2] < 1e-3


@pytest.mark.parametrize("count", [1, 2, 4])
def test_tangents_of_contacts_are_those_of_compiled_code(count: int) -> None:
    """With as many numbers a row as coordinates ask for, whatever tables write."""
    rows, random = [], np.random.default_rng(count)
    n = 3 * count
    place = (0.3, *random.normal(size=(2, n)), 0.7, *random.normal(size=(2, n)))
    for bodies in ("tables", "compiled"):
        system = jounce.compile_model(_guided(count), bodies=bodies)
        rows.append(contact_tangents(system, system.parameters(), *place))
    assert rows[0].shape == (count, 5 + 2 * n)
    assert rows[0] == pytest.approx(rows[1], abs=1e-12)


def test_equilibrium_of_a_disc_in_a_groove() -> None:
    """Both sides push with N and hold with mu N: sqrt(2) (1 + mu) N = m g, in tables as compiled."""
    disc = Body("disc", 1.0, 0.1, center=(0, 1.5))
    rim, low = CircleOn(disc, (0, 0), 1.0), 1.5 - np.sqrt(2.0)
    sides = {"left": Line(ground, (0, low), (1, -1)), "right": Line(ground, (0, low), (1, 1))}
    model = Model.from_bodies(
        "groove",
        bodies=[disc],
        gravity=9.81,
        contacts=[contact_between(name, rim, side, friction=0.5) for name, side in sides.items()],
    )
    for bodies in ("tables", "compiled"):
        rest = jounce.find_equilibrium(jounce.compile_model(model, bodies=bodies), "left:SLIP+ right:SLIP-")
        assert rest.state.q[:2] == pytest.approx([0.0, 1.5], abs=1e-12)
        normal = 9.81 / (np.sqrt(2.0) * 1.5)
        assert np.asarray(rest.forces) == pytest.approx(np.array([[normal, -normal / 2], [normal, normal / 2]]))


def test_an_orbit_among_many_contacts() -> None:
    """Of 26 discs, 429 contacts, one column carries a blow to the roof and back, 2 (size - 10 radii) in a period."""
    system = jounce.compile_model(scenes.billiard(26))
    start = system.state(**(dict.fromkeys(system.velocity_names, 0.0) | {"d_d0_y": 1.0}))
    orbit = jounce.find_orbit(system, start, "impact:floor0")
    assert orbit.period == pytest.approx(2.0 * (np.sqrt(np.pi * 26 / 0.25) - 10.0), rel=1e-10)
    # elastic impacts keep the volume of phase space
    assert np.prod(orbit.multipliers) == pytest.approx(1.0, rel=1e-5)
