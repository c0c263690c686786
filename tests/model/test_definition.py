"""Models as plain data: complete, stable, and harmless when foreign."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
import sympy as sp

import jounce
from jounce.errors import ModelError, StorageError
from jounce.model import Circle, Contact, Ground, Model, Point, Segment
from jounce.model.definition import equations_hash, from_definition, to_definition
from jounce.model.expressions import identically_zero
from jounce.model.trees import from_tree, to_tree

x, dx = jounce.coordinate("x", "m")
k = jounce.parameter("k", 2.0, "N/m", "stiffness")


def rich_model(default: float = 2.0) -> Model:
    stiffness = jounce.parameter("k", default, "N/m", "stiffness")
    force = sp.Piecewise((-stiffness * x, x < 1), (sp.Max(x, sp.Rational(1, 3)), sp.And(x > 2, x < 3)), (0.1, True))
    return Model(
        "rich",
        [x],
        mass=1,
        forces=force + sp.sign(dx) * sp.Abs(x) - sp.pi * sp.exp(-x) * sp.sqrt(x**2 + 1),
        contacts=[Contact("wall", gap=3 - x, restitution=0.5, law="newton")],
        guards={"fast": dx - 1},
        period=2 * sp.pi / stiffness,
        start={x: 0.5},
        drawing=[Ground(0), Segment((0, 0), (x, 0)), Circle((x, 0), 1, x), Point((x, 0), "wall")],
    )


def test_round_trip_through_json() -> None:
    model = rich_model()
    again = from_definition(json.loads(json.dumps(to_definition(model))))
    assert to_definition(again) == to_definition(model)
    assert again.h == model.h
    assert again.contacts == model.contacts
    assert again.drawing == model.drawing
    assert again.parameters == model.parameters


def test_defaults_do_not_change_the_hash_but_equations_do() -> None:
    assert equations_hash(rich_model(2.0)) == equations_hash(rich_model(3.0))
    other = Model("rich", [x], mass=1, forces=-k * x)
    assert equations_hash(other) != equations_hash(rich_model())


def test_hash_is_the_same_in_every_session() -> None:
    code = (
        "from jounce.systems import SYSTEMS\n"
        "from jounce.model.definition import equations_hash\n"
        "from jounce.codegen.module_text import generate_module\n"
        "import hashlib\n"
        "print([(equations_hash(m), hashlib.sha256(generate_module(m).encode()).hexdigest())"
        " for m in (SYSTEMS['two_discs'](), SYSTEMS['slender_rod']())])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize(
    "tree", [["__import__", "os"], ["system"], "unknown", ["Add", {"a": 1}], [], True, ["Lambda", "x"]]
)
def test_foreign_trees_are_refused(tree: object) -> None:
    with pytest.raises(ModelError, match=r"^expression"):
        from_tree(tree, {"x": sp.Symbol("x", real=True)})


def test_damaged_definition_is_a_storage_error() -> None:
    data = to_definition(rich_model())
    del data["mass"]
    with pytest.raises(StorageError, match="stored model cannot be read"):
        from_definition(data)


def test_numbers_survive_exactly() -> None:
    for number in (sp.Float(0.1), sp.Rational(1, 3), sp.Integer(7), sp.Float(1e-300)):
        assert from_tree(json.loads(json.dumps(to_tree(number))), {}) == number


def test_identically_zero_sees_identities_and_only_those() -> None:
    a, b = sp.symbols("a b", real=True)
    assert identically_zero(sp.sin(a) ** 2 + sp.cos(a) ** 2 - 1)
    assert identically_zero(sp.sin(a + b) - sp.sin(a) * sp.cos(b) - sp.cos(a) * sp.sin(b))
    assert not identically_zero(sp.sin(a) ** 2 + sp.cos(a) ** 2 - 1 + sp.Float(1e-9) * b)
    assert not identically_zero(a - b)


def test_a_function_that_vanishes_on_one_side_is_not_zero() -> None:
    a = sp.Symbol("a", real=True)
    for half in (
        a - sp.Abs(a),
        sp.Max(a, 0) - a,
        sp.Heaviside(-a),
        sp.Piecewise((0, a > 0), (a, True)),
        1 - sp.sign(a),
    ):
        assert not identically_zero(half)
    damping = jounce.parameter("c", 0.1)
    damper = Model.from_lagrangian(
        "one_sided",
        coordinates=[x],
        kinetic=dx**2 / 2,
        forces={x: -damping * (dx - sp.Abs(dx)) / 2},
    )
    assert damper.applied_power != 0
