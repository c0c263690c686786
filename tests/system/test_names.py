"""Names of a model's parameters and coordinates beside those of functions and their arguments."""

from __future__ import annotations

import pytest

import jounce
from jounce import Body, Contact, Line, Model, PointOn, Revolute, contact_between, ground


def oscillator(parameter: str) -> Model:
    (x, dx), k = jounce.coordinate("x", "m"), jounce.parameter(parameter, 1.0)
    stop = Contact("stop", gap=1 - x, restitution=1)
    return Model.from_lagrangian(
        "oscillator", coordinates=[x], kinetic=dx**2 / 2, potential=k * x**2 / 2, contacts=[stop]
    )


CALLS = {
    "period": lambda model: jounce.find_orbit(model, {"x": 0.5}, period=4.0),
    "direction": lambda model: jounce.sweep(model, "direction", [1.0, 2.0], "impact:stop", {"x": 0.5}, direction="up"),
    "transient": lambda model: jounce.lyapunov(model, {"x": 0.5}, 10.0, transient=3.0),
    "duration": lambda model: jounce.lyapunov(model, {"x": 0.5}, duration=10.0),
    "keep": lambda model: jounce.basins(model, {"x": [0.1, 0.2], "d_x": [0.0, 1.0]}, "impact:stop", keep=3),
    "guess": lambda model: jounce.find_equilibrium(model, [], guess={"x": 0.1}),
    "section": lambda model: jounce.SectionMap(model, section="impact:stop"),
    "over": lambda model: jounce.painleve.mode_map(model, over={"x": (0, 1), "d_x": (0, 1)}, contact="stop"),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("compiled", [False, True])
def test_a_keyword_that_may_mean_two_things_is_refused(name, compiled):
    model = oscillator(name)
    with pytest.raises(jounce.OptionError, match=f"'{name}' is an argument of this function and a parameter of the"):
        CALLS[name](jounce.compile_model(model) if compiled else model)


def test_an_argument_by_its_place_leaves_its_name_to_the_parameter():
    exponents = [jounce.lyapunov(oscillator("duration"), {"x": 0.5}, 10.0).exponents]
    exponents.append(jounce.lyapunov(oscillator("k"), {"x": 0.5}, duration=10.0).exponents)
    assert exponents[0].tolist() == exponents[1].tolist()


@pytest.mark.parametrize("name", ["hold", "self"])
def test_parameters_of_a_machine_may_be_called_like_arguments_of_methods(name):
    length = jounce.parameter(name, 0.5, "m")
    bar = Body("bar", mass=1.0, inertia=0.1, center=(0.5, 0.5))
    hinge = Revolute("hinge", ground, bar, (0, 0.5), (-length, 0))
    touch = contact_between("touch", PointOn(bar, (0.5, 0)), Line(ground, (0, 0), (1, 0)))
    machine = Model.from_bodies("flap", bodies=[bar], joints=[hinge], contacts=[touch], gravity=9.81)
    run = jounce.simulate(machine, {"bar_theta": 0.3}, 0.1, **{name: 0.4})
    place = run.start
    assert place["bar_x"] == pytest.approx(0.4 * 0.955336489125606, rel=1e-12)
    assert place["bar_theta"] == 0.3


def test_a_coordinate_may_be_called_self():
    q, u = jounce.coordinate("self", "m")
    model = Model.from_lagrangian("ball", coordinates=[q], kinetic=u**2 / 2, potential=9.81 * q)
    assert jounce.simulate(model, {"self": 1.0}, 1.0).final["self"] == pytest.approx(1 - 9.81 / 2, rel=1e-12)
    assert jounce.compile_model(model).state(self=2.0)["self"] == 2.0
