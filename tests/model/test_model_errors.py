"""Every mistake in a model is found when it is made, and named."""

from __future__ import annotations

import math
from typing import Any

import pytest
import sympy as sp

import jounce
from jounce.errors import ModelError
from jounce.model import Contact, Model, Point

x, dx = jounce.coordinate("x", "m")
y, dy = jounce.coordinate("y", "m")
g, e = jounce.parameters(g=(9.81, "m/s^2"), e=0.5)
t = jounce.time


def make(**changes: Any) -> Model:
    arguments: dict[str, Any] = {
        "name": "body",
        "coordinates": [x, y],
        "mass": [1, 1],
        "forces": [0, -g],
        "contacts": [Contact("floor", gap=y, slip=dx, friction=0.3, restitution=e)],
        "start": {y: 1.0},
    }
    return Model(**(arguments | changes))


def contact(**changes: Any) -> list[Contact]:
    return [Contact(**({"name": "floor", "gap": y, "slip": dx} | changes))]


def test_the_unchanged_model_is_well_formed() -> None:
    model = make()
    assert list(model.coordinates.items()) == [("x", "m"), ("y", "m")]
    assert model.velocity_units == {"d_x": "m/s", "d_y": "m/s"}
    assert model.defaults == {"g": 9.81, "e": 0.5}
    assert model.contacts[0].static_friction == model.contacts[0].friction


MISTAKES: dict[str, tuple[dict[str, Any], str]] = {
    "misspelt symbol": (
        {"forces": [0, -sp.Symbol("d_yy")]},
        r"force on 'y': 'd_yy' is no coordinate, .*did you mean 'd_y'\? Valid symbols: x, y, d_x, d_y, e, t",
    ),
    "symbol in a gap": ({"contacts": contact(gap=y - sp.Symbol("height"))}, r"contact 'floor': gap: 'height' is no"),
    "undefined function": ({"forces": [sp.Function("f")(t), 0]}, r"force on 'x': f cannot be computed; functions"),
    "text": ({"forces": ["-g", 0]}, r"force on 'x': expected a number or a SymPy expression, not '-g'"),
    "infinite expression": ({"forces": [sp.oo, 0]}, r"is not a finite"),
    "quadratic slip": ({"contacts": contact(slip=dx + dx * dy)}, r"contact 'floor': the slip velocity is not affine"),
    "slip without velocity": ({"contacts": contact(slip=x)}, r"does not depend on any velocity \(d_x, d_y\)"),
    "gap with velocity": ({"contacts": contact(gap=y + dy)}, r"contact 'floor': gap depends on the velocity 'd_y'"),
    "gap without coordinate": ({"contacts": contact(gap=sp.sin(t))}, r"gap does not depend on any coordinate"),
    "friction without slip": ({"contacts": contact(slip=None, friction=0.1)}, r"has friction but no slip velocity"),
    "mass of wrong shape": ({"mass": [[1, 0]]}, r"mass matrix has shape 1 x 2; the 2 coordinates need 2 x 2"),
    "mass not symmetric": ({"mass": [[1, x], [0, 1]]}, r"not symmetric: M\[y,x\] = 0 but M\[x,y\] = x"),
    "mass not definite": ({"mass": [[1, 2], [2, 1]]}, r"not positive definite .*coordinate 'y'"),
    "mass with velocity": ({"mass": [dx, 1]}, r"entry \[x,x\] depends on the velocity 'd_x'"),
    "mass not finite": ({"mass": [1 / x, 1]}, r"the mass matrix is not finite at the default start"),
    "too few forces": ({"forces": [0]}, r"1 forces for 2 coordinates \(x, y\)"),
    "force on no coordinate": ({"forces": {"z": 1}}, r"force on 'z': no such coordinate"),
    "restitution": ({"contacts": contact(restitution=1.5)}, r"contact 'floor': the restitution is 1.5.*\[0, 1\]"),
    "restitution at defaults": ({"contacts": contact(restitution=e - 1)}, r"the restitution is -0.5"),
    "negative friction": ({"contacts": contact(friction=-0.1)}, r"friction coefficient is -0.1"),
    "static below kinetic": ({"contacts": contact(friction=0.3, static_friction=0.2)}, r"static friction 0.2 is below"),
    "friction not real": ({"contacts": contact(friction=sp.sqrt(x - 1))}, r"friction coefficient is nan"),
    "negative gap": ({"start": {y: -0.5}}, r"contact 'floor': the gap is -0.5 at the default start"),
    "joint violated": ({"joints": {"rail": x - 1}}, r"joint 'rail' is violated by -1 at the default start"),
    "joint with velocity": ({"joints": {"rail": dx}}, r"joint 'rail' depends on the velocity 'd_x'"),
    "joint without coordinate": ({"joints": {"rail": sp.sin(t)}}, r"joint 'rail' does not depend on any coordinate"),
    "start not finite": ({"start": {y: math.nan}}, r"start: 'y' is nan"),
    "start misspelt": ({"start": {"d_yy": 1.0}}, r"start: 'd_yy' is no coordinate or velocity; did you mean 'd_y'"),
    "duplicate coordinate": ({"coordinates": [x, x]}, r"coordinate 'x' is listed twice"),
    "duplicate contact": ({"contacts": contact() * 2}, r"contact 'floor' has the same name as a contact"),
    "joint named like a contact": ({"joints": {"floor": x}}, r"joint 'floor' has the same name as a contact"),
    "contact name": ({"contacts": contact(name="left end")}, r"contact 'left end': a name must be a Python identifier"),
    "model name": ({"name": "my-model"}, r"model 'my-model': a name must be"),
    "keyword as a name": ({"coordinates": ["lambda", y]}, r"coordinate 'lambda': a name must be a Python identifier"),
    "parameter slip": ({"parameters": {"slip": 0.3}}, r"parameter 'slip': this name stands for jounce.slip in"),
    "coordinate penetration": ({"coordinates": ["penetration", y]}, r"coordinate 'penetration': this name stands for"),
    "coordinate t": ({"coordinates": ["t", y]}, r"coordinate 't' has the same name as the time"),
    "velocity clash": ({"coordinates": ["y", "d_y"]}, r"'d_y' has the same name as the coordinate 'd_y'"),
    "parameter clash": ({"parameters": {"x": 1.0}}, r"parameter 'x' has the same name as the coordinate 'x'"),
    "reserved parameter": ({"parameters": {"options": 1.0}}, r"'options': this name is reserved"),
    "parameter not finite": ({"parameters": {"k": math.inf}}, r"parameter 'k': the default inf is not finite"),
    "parameter no number": ({"parameters": {"k": "soft"}}, r"parameter 'k': the default must be a number, not 'soft'"),
    "two defaults": ({"parameters": {"g": 1.62}}, r"parameter 'g' is declared twice"),
    "potential with velocity": ({"potential": dx**2}, r"potential depends on the velocity 'd_x'"),
    "period with coordinate": ({"period": x}, r"period depends on 'x'; only parameters"),
    "period not positive": ({"period": -g}, r"the forcing period is -9.81"),
    "drawing of no contact": (
        {"drawing": [Point((x, y), "flor")]},
        r"contact 'flor', which does not exist; did you mean",
    ),
    "drawing without pairs": ({"drawing": [Point(x)]}, r"drawing: Point needs pairs \(x, y\), not x"),
    "no contact": ({"contacts": "floor"}, r"contacts: expected a Contact, not 'floor'"),
    "no forces": ({"forces": None}, r"1 forces for 2 coordinates"),
    "a law's class": (
        {"contacts": contact(compliance=jounce.Hertz)},
        r"compliance is <class .*it must be a law, one of",
    ),
    "law no name": ({"contacts": contact(law=3)}, r"contact 'floor': the law must be a name"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistake_is_named(mistake: str) -> None:
    changes, message = MISTAKES[mistake]
    with pytest.raises(ModelError, match=message):
        make(**changes)


def test_the_example_of_the_documentation_runs() -> None:
    import textwrap

    from jounce.model import model as module

    example = textwrap.dedent((module.__doc__ or "").split("ten lines:")[1])
    names: dict[str, Any] = {}
    exec(example, names)
    assert names["model"].contacts[0].name == "floor"


def test_parameter_must_be_a_number_at_once() -> None:
    with pytest.raises(ModelError, match="parameter 'k': the default must be a number"):
        jounce.parameter("k", "soft")  # type: ignore[arg-type]


def test_plain_symbols_and_strings_make_the_same_model() -> None:
    plain = Model(
        "body",
        coordinates={"x": "m", "y": "m"},
        mass=[[1, 0], [0, 1]],
        forces={"y": -sp.Symbol("g")},
        contacts=[
            Contact("floor", gap=sp.Symbol("y"), slip=sp.Symbol("d_x"), friction=0.3, restitution=sp.Symbol("e"))
        ],
        parameters={"g": (9.81, "m/s^2"), "e": 0.5},
        start={"y": 1.0},
    )
    from jounce.model.definition import to_definition

    assert to_definition(plain) == to_definition(make())


def test_equal_names_with_other_defaults_do_not_leak_between_models() -> None:
    """SymPy caches expressions by equal symbols; a second model must not inherit the first one's defaults."""
    for default in (1.0, 2.0):
        mass = jounce.parameter("mass", default, "kg")
        assert make(forces=[2 * mass, 0]).defaults["mass"] == default


def test_lists_of_contacts_may_stand_among_contacts() -> None:
    """What ``gear_pair`` gives, as it is."""
    mesh = jounce.gear_pair("mesh", x, y, radii=(1, 1), backlash=0.1, restitution=0.5)
    model = make(contacts=[mesh, Contact("floor", gap=y)], start={})
    assert [c.name for c in model.contacts] == ["mesh_drive", "mesh_coast", "floor"]
