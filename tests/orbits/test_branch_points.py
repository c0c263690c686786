"""Branch points of orbits and equilibria against closed forms, and no change of stability without a word."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from sympy import cos, pi, sin

import jounce
from jounce.analysis.orbits.bifurcations import crossings
from jounce.model import Contact, Model, coordinate, coordinates, parameters, time


@cache
def impact_pair():
    """A ball between two walls that move together: a shaken box."""
    x, dx = coordinate("x", "m")
    A, omega, D, e = parameters(A=(0.1, "m"), omega=(5.0, "rad/s"), D=(0.3, "m"), e=(0.6, ""))
    s = A * sin(omega * time)
    walls = [Contact("left", gap=x - s + D / 2, restitution=e), Contact("right", gap=D / 2 + s - x, restitution=e)]
    model = Model.from_lagrangian(
        "impact_pair", coordinates=[x], kinetic=dx**2 / 2, contacts=walls, period=2 * pi / omega
    )
    return jounce.compile_model(model)


def breaks_symmetry(e):
    """Half a period and a mirror make a map of determinant e^2; its multiplier is -1 where tan a = -2 (1+e)/((1-e) pi),
    a being the phase of the impact, and D = pi A cos a (1+e)/(1-e) + 2 A sin a."""
    angle = -math.atan(2 * (1 + e) / ((1 - e) * math.pi))
    return 0.1 * math.pi * math.cos(angle) * (1 + e) / (1 - e) + 0.2 * math.sin(angle), angle


def symmetric_orbit(e, D):
    """pi v/omega = D - 2 A sin a and v (1-e) = A omega cos a (1+e): the later of the two phases is the stable one."""
    from scipy.optimize import brentq

    _, angle = breaks_symmetry(e)
    a = brentq(lambda a: 0.1 * math.pi * math.cos(a) * (1 + e) / (1 - e) + 0.2 * math.sin(a) - D, angle, 0.3)
    v = 0.5 * math.cos(a) * (1 + e) / (1 - e)
    later = 0.3  # radians after the impact
    system = impact_pair()
    state = system.state(t=(a + later) / 5.0, x=0.1 * math.sin(a) - D / 2 + v * later / 5.0, d_x=v)
    return jounce.find_orbit(system, state, D=D, e=e)


def changes_are_named(branch):
    """Between two points of different stability lies a special point."""
    named = {special.index for special in branch.specials}
    for k in range(1, len(branch)):
        if branch.stable[k] != branch.stable[k - 1]:
            assert k in named, f"stability changes before point {k} without a word"


@pytest.mark.parametrize("e", [0.4, 0.6, 0.8])
@pytest.mark.parametrize("step", [0.01, 0.03])
def test_symmetry_breaking_of_the_impact_pair(e, step):
    exact, _ = breaks_symmetry(e)
    orbit = symmetric_orbit(e, exact + 0.02)
    branch = jounce.continue_orbit(orbit, "D", (exact - 0.03, exact + 0.03), step=step)
    changes_are_named(branch)
    (found,) = branch.find("pitchfork")
    assert found.parameter == pytest.approx(exact, abs=1e-11)
    assert abs(found.parameter - exact) <= found.uncertainty < 1e-9
    assert branch.find("branch_point") == [found]
    assert np.abs(found.solution.nontrivial - 1.0).min() < 1e-6


def test_switching_onto_the_asymmetric_orbits(tmp_path):
    """Both sides: mirror images, half a period apart; the branch comes back to where it began."""
    exact, _ = breaks_symmetry(0.6)
    branch = jounce.continue_orbit(symmetric_orbit(0.6, exact + 0.02), "D", (exact - 0.02, exact + 0.03), step=0.01)
    branch.save(tmp_path / "branch.nc")
    for source in (branch, jounce.load(tmp_path / "branch.nc")):
        sides = [jounce.switch_branch(source, source.find("pitchfork")[0], side=side) for side in (1, -1)]
        for side in sides:
            assert side.closure < 1e-10
            assert side.stable
            assert side.parameters["D"] < exact
    followed = [jounce.continue_orbit(side, "D", (exact - 0.01, exact + 0.01), step=0.002) for side in sides]
    for walk in followed:
        changes_are_named(walk)
        (origin,) = walk.specials
        assert origin.kind == "pitchfork"
        assert origin.parameter == pytest.approx(exact, abs=1e-9)
        assert walk.values.max() < exact + 1e-9
        ends = [point.solution for point in (walk.points[0], walk.points[-1])]
        assert [end.parameters["D"] for end in ends] == pytest.approx([exact - 0.01] * 2)
        half = ends[0].at(ends[0].state.t + ends[0].period / 2)
        assert -half["x"] == pytest.approx(ends[1].at(ends[0].state.t)["x"], abs=1e-9)
        assert abs(half["d_x"] + ends[0].at(ends[0].state.t)["d_x"]) > 1e-2  # it is not symmetric itself


@pytest.mark.parametrize("begin", [0.0207, 0.0214, 0.0221])
def test_a_walk_towards_a_pitchfork_stays_on_its_branch(begin):
    """Wherever it begins: its steps end on the symmetric orbits, which cross there, as if the branch turned away."""
    exact, _ = breaks_symmetry(0.6)
    branch = jounce.continue_orbit(symmetric_orbit(0.6, exact + begin), "D", (exact - 0.02, exact + 0.03), step=0.01)
    for side in (1, -1):
        orbit = jounce.switch_branch(branch, branch.find("pitchfork")[0], side=side)
        walk = jounce.continue_orbit(orbit, "D", (exact - 0.01, exact + 0.01), step=0.002)
        assert [special.kind for special in walk.specials] == ["pitchfork"]
        assert walk.values.max() < exact + 1e-9


# ------------------------------------------------------------------ exact branches: x = 0 crosses another one at p = 0


def normal_form(name, nonlinear, forced):
    """z'' = -c z' + p z - nonlinear(z), with x = z + b cos(omega t): z = 0 is an orbit for every p."""
    x, dx = coordinate("x", "m")
    p, c, b, omega = parameters(p=(-0.2, "1/s^2"), c=(0.7, "1/s"), b=(0.4, "m"), omega=(2.0, "rad/s"))
    drive, speed = (b * cos(omega * time), -b * omega * sin(omega * time)) if forced else (0, 0)
    z, dz = x - drive, dx - speed
    force = -c * dz + p * z - nonlinear(z) - omega**2 * drive
    model = Model.from_lagrangian(
        name, coordinates=[x], kinetic=dx**2 / 2, forces={x: force}, period=2 * pi / omega if forced else None
    )
    return jounce.compile_model(model)


FORMS = {"transcritical": lambda z: z**2, "pitchfork": lambda z: z**3}


@cache
def form(kind, forced):
    return normal_form(f"{kind}_{'forced' if forced else 'free'}", FORMS[kind], forced)


def other_branch(kind, p):
    """p z = z^2, p z = z^3."""
    return [p] if kind == "transcritical" else [math.sqrt(p), -math.sqrt(p)]


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("step", [0.03, 0.11])
def test_branch_points_of_orbits(kind, step):
    system = form(kind, True)
    orbit = jounce.find_orbit(system, system.state(x=0.4), p=-0.2)
    branch = jounce.continue_orbit(orbit, "p", (-0.3, 0.31), step=step)
    changes_are_named(branch)
    (found,) = branch.specials
    assert found.kind == kind
    assert abs(found.parameter) <= found.uncertainty < 1e-8
    assert branch.stable[branch.values < 0].all()
    assert not branch.stable[branch.values > 0].any()
    for side in (1, -1):
        crossing = jounce.switch_branch(branch, found, side=side)
        z = crossing.at(0.0)["x"] - 0.4
        assert min(abs(z - exact) for exact in other_branch(kind, crossing.parameters["p"])) < 1e-8
        assert abs(z) > 1e-5


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("step", [0.03, 0.11])
def test_branch_points_of_equilibria(kind, step):
    system = form(kind, False)
    rest = jounce.find_equilibrium(system, "", system.state(x=0.0), p=-0.2)
    branch = jounce.continue_equilibrium(rest, "p", (-0.3, 0.31), step=step)
    changes_are_named(branch)
    (found,) = branch.specials
    assert found.kind == kind
    assert abs(found.parameter) <= found.uncertainty < 1e-8
    for side in (1, -1):
        crossing = jounce.switch_branch(branch, found, side=side)
        exact = other_branch(kind, crossing.parameters["p"])
        assert min(abs(crossing.state["x"] - value) for value in exact) < 1e-8
        along = jounce.continue_equilibrium(crossing, "p", (-0.3, 0.31), step=step)
        changes_are_named(along)
        for point in along.points:
            value = point.solution.parameters["p"]
            assert point.solution.state["x"] ** (1 if kind == "transcritical" else 2) == pytest.approx(value, abs=1e-8)


def test_pitchfork_of_autonomous_orbits():
    """A van der Pol oscillator carries a second coordinate along: w'' = -w' + p w - w^3 + (x^2 - 2) w'/10."""
    (x, dx), (w, dw) = coordinates("x w", "m")
    (p,) = (
        parameters(
            p=(-0.2, "1/s^2"),
        )
        if isinstance(parameters(p=(-0.2, "1/s^2")), tuple)
        else ()
    )
    forces = {x: (1 - x**2) * dx - x, w: -dw + p * w - w**3}
    model = Model.from_lagrangian(
        "carried", coordinates=[x, w], kinetic=(dx**2 + dw**2) / 2, forces=forces, start={x: 2.0}
    )
    system = jounce.compile_model(model)
    settled = jounce.simulate(system, system.state(x=2.0), 40.0, p=-0.2).final
    orbit = jounce.find_orbit(system, settled, p=-0.2)
    branch = jounce.continue_orbit(orbit, "p", (-0.2, 0.2), step=0.06)
    changes_are_named(branch)
    (found,) = branch.specials
    assert found.kind == "pitchfork"
    assert abs(found.parameter) <= found.uncertainty < 1e-8
    crossing = jounce.switch_branch(branch, found)
    assert crossing.state["w"] ** 2 == pytest.approx(crossing.parameters["p"], abs=1e-8)


def test_what_cannot_be_resolved_is_said(monkeypatch):
    """Stability changes, and no test function has a zero: the branch must say so."""
    monkeypatch.setattr(crossings, "_zero", lambda *_: None)
    exact, _ = breaks_symmetry(0.6)
    branch = jounce.continue_orbit(symmetric_orbit(0.6, exact + 0.02), "D", (exact - 0.02, exact + 0.03), step=0.01)
    changes_are_named(branch)
    (found,) = branch.specials
    assert found.kind == "stability_change"
    assert abs(found.parameter - exact) <= found.uncertainty < 0.01
    assert "could not be resolved" in found.explanation
