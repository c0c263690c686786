"""Guesses at an impact or a reset, uncertainties that hold, and grazings with friction named as such."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from sympy import cos, pi

import jounce
from jounce import Reset
from jounce.model import Contact, Model, coordinate, coordinates, parameters, time
from tests.orbits import closed_form


@cache
def ball():
    return jounce.compile_model(jounce.systems.ball_on_table())


def just_after_impact(k, e, omega):
    """The exact state of one bounce in k periods, as the closed form gives it."""
    angle = closed_form.phase(k, e, omega)
    return ball().state(t=angle / omega, y=math.sin(angle), d_y=closed_form.G * math.pi * k / omega)


def test_the_exact_state_after_an_impact_is_a_guess():
    """Whether the impact at the end of the period is part of the guess's run is rounding: all of many must be found."""
    random = np.random.default_rng(7)
    for _ in range(25):
        k, e = int(random.integers(1, 3)), float(random.uniform(0.3, 0.9))
        low, high = closed_form.fold(k, e), closed_form.flip(k, e)
        omega = float(random.uniform(1.005 * low, 1.05 * high))
        orbit = jounce.find_orbit(ball(), just_after_impact(k, e, omega), period=k, omega=omega, e=e)
        for value in closed_form.multipliers(k, e, omega):
            assert np.abs(orbit.nontrivial - value).min() < 1e-7


@cache
def rimless_wheel():
    """A wheel of spokes under a hub of mass m, rolling down a slope: McGeer (1990). Each step swaps the spoke."""
    theta, d_theta = coordinate("theta", "rad")
    g, length, alpha, slope = parameters(g=9.81, length=(1.0, "m"), alpha=(0.3, "rad"), slope=(0.1, "rad"))
    after = {theta: slope - alpha, d_theta: cos(2 * alpha) * d_theta}
    return jounce.compile_model(
        Model.from_lagrangian(
            "rimless_wheel",
            coordinates=[theta],
            kinetic=length**2 * d_theta**2 / 2,
            potential=g * length * cos(theta),
            resets=[Reset(theta - slope - alpha, after, direction=1, name="step")],
        )
    )


def test_a_state_behind_a_reset_is_a_guess():
    """Rolling at omega^2 = 4 g/L sin(alpha) sin(slope)/(1 - c^2) before a step, multiplier c^2, c = cos(2 alpha)."""
    random = np.random.default_rng(11)
    for _ in range(12):
        alpha, slope, length = random.uniform(0.25, 0.35), random.uniform(0.1, 0.15), 10.0 ** random.uniform(-4, 4)
        before = math.sqrt(4 * 9.81 / length * math.sin(alpha) * math.sin(slope) / (1 - math.cos(2 * alpha) ** 2))
        after = math.cos(2 * alpha) * before * random.uniform(0.985, 1.015)
        values = {"alpha": alpha, "slope": slope, "length": length}
        for section in (None, "reset:step"):
            orbit = jounce.find_orbit(rimless_wheel(), {"theta": slope - alpha, "d_theta": after}, section, **values)
            step = orbit.run.events[orbit.run.events.kind == "reset"].iloc[0]
            assert math.isclose(orbit.run.at(step.t, side="left")["d_theta"], before, rel_tol=1e-9)
            assert np.abs(orbit.nontrivial - math.cos(2 * alpha) ** 2).min() < 1e-7


def test_stated_uncertainties_hold():
    """Folds and flips of random cases: the true error lies within what is stated."""
    random, errors = np.random.default_rng(3), []
    for _ in range(3):
        k, e = int(random.integers(1, 3)), float(random.uniform(0.3, 0.9))
        fold, flip = closed_form.fold(k, e), closed_form.flip(k, e)
        omega = fold + 0.3 * (flip - fold)
        orbit = jounce.find_orbit(ball(), just_after_impact(k, e, omega), period=k, omega=omega, e=e)
        branch = jounce.continue_orbit(orbit, "omega", (0.98 * fold, 1.01 * flip), step=0.1, max_points=25)
        for kind, exact in (("fold", fold), ("period_doubling", flip)):
            special = min(branch.find(kind), key=lambda s: abs(s.parameter - exact))
            errors.append(abs(special.parameter - exact) / special.uncertainty)
            assert special.uncertainty < 1e-9
    assert max(errors) <= 1.0, errors


def test_the_uncertainty_of_a_grazing_holds():
    """The amplitude F/|k - m omega^2 + i c omega| reaches the wall."""
    system = jounce.compile_model(jounce.systems.impact_oscillator())
    for omega, c in ((0.8, 0.17), (1.3, 0.3)):
        amplitude = 1.0 / abs(1.0 - omega**2 + 1j * c * omega)
        request = {"omega": omega, "c": c, "F": 1.0, "k": 1.0}
        orbit = jounce.find_orbit(system, system.state(x=amplitude / 2), d=amplitude + 0.2, **request)
        branch = jounce.continue_orbit(
            orbit, "d", (amplitude - 0.01, amplitude + 0.3), step=0.1, direction="down", max_points=15
        )
        special = branch.find("grazing")[0]
        assert abs(special.parameter - amplitude) <= special.uncertainty < 1e-8


def test_a_grazing_with_friction_is_a_grazing():
    """A block slides along beside a wall that its vibration just reaches; beyond, the plastic impact brings slip."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    d, F, mu, e = parameters(d=(1.0, "m"), F=(1.0, "N"), mu=(0.3, ""), e=(0.0, ""))
    wall = Contact("wall", gap=d - y, slip=dx, friction=mu, restitution=e)
    forces = {x: 1 - dx, y: -0.3 * dy - y + F * cos(1.3 * time)}
    model = Model.from_lagrangian(
        "rubbing", coordinates=[x, y], kinetic=(dx**2 + dy**2) / 2, forces=forces, contacts=[wall], period=2 * pi / 1.3
    )
    system = jounce.compile_model(model)
    amplitude = 1.0 / abs(1.0 - 1.3**2 + 0.39j)
    orbit = jounce.find_orbit(system, system.state(d_x=1.0), d=amplitude + 0.2)
    branch = jounce.continue_orbit(
        orbit, "d", (amplitude - 0.01, amplitude + 0.3), step=0.1, direction="down", max_points=12
    )
    special = branch.specials[0]
    assert special.kind == "grazing"
    assert abs(special.parameter - amplitude) <= special.uncertainty < 1e-8


def test_a_branch_goes_on_behind_its_fold_whatever_the_step():
    """Two bounces a period: behind the fold the orbit passes the same frequency backwards and looks much alike."""
    guess = ball().state(t=0.742527018, y=1.247408836, d_y=-1.871226843)
    orbit = jounce.find_orbit(ball(), guess, nodes=2, omega=4.384696731034794, e=0.3)
    for step in (0.02, 0.007):
        branch = jounce.continue_orbit(orbit, "omega", (4.36, 4.4), step=step, direction="down")
        assert branch.ends[0] == "omega reaches its bound 4.4"
        assert [special.kind for special in branch.specials] == ["fold"]
        assert not branch.points[0].solution.stable


def test_a_grazing_is_the_same_from_both_sides():
    """From below the flight touches the wall; from above an impact vanishes and its multiplier grows without bound."""
    system = jounce.compile_model(jounce.systems.impact_oscillator())
    found = []
    for omega, bounds, way, step in ((0.505, (0.5, 0.5135), "up", 0.004), (0.53, (0.511, 0.54), "down", 0.02)):
        run = jounce.simulate(system, {}, 400.0, omega=0.65 if way == "down" else omega)
        orbit = jounce.find_orbit(system, run.final, omega=0.65 if way == "down" else omega)
        if way == "down":
            (orbit,) = jounce.continue_orbit(orbit, "omega", (omega, 0.66), step=0.04, direction="down").orbit_at(omega)
        branch = jounce.continue_orbit(orbit, "omega", bounds, step=step, direction=way)
        found.append(branch.find("grazing")[0])
    below, above = found
    assert abs(below.parameter - above.parameter) <= below.uncertainty + above.uncertainty < 1e-8
