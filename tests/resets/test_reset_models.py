"""Resets and discrete states in models: their checks, stored definitions, TOML files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sympy as sp

import jounce
from jounce.model.definition import equations_hash, from_definition, to_definition
from tests.resets.models import kicked_ball, relay, simplest_walker

y, dy = jounce.coordinate("y", "m")
n = jounce.discrete("n")


def ball(*resets: Any, **rest: Any) -> jounce.Model:
    return jounce.Model("ball", [y], [1], [-9.81], contacts=[jounce.Contact("floor", gap=y)], resets=resets, **rest)


@pytest.mark.parametrize(
    ("reset", "message"),
    [
        (jounce.Reset("impact:flor", {dy: 0}), "there is no contact 'flor'"),
        (jounce.Reset("bounce:floor", {dy: 0}), "there are no events of kind 'bounce'"),
        (jounce.Reset("touchdown", {dy: 0}), "there is no guard 'touchdown'"),
        (jounce.Reset("impact:floor", {dy: 0}, direction=1), "has no direction"),
        (jounce.Reset(y, {dy: 0}, direction=2), "the direction is 2"),
        (jounce.Reset(y, {"z": 0}), "'z' cannot be assigned"),
        (jounce.Reset(y, {}), "expected a map"),
        (jounce.Reset(y, {dy: sp.Symbol("w")}), "'w' is no coordinate"),
        (jounce.Reset(n, {dy: 0}), "it never vanishes"),
        (jounce.Reset(y, {dy: 0}, only_if=n == 1), "only_if is False"),
        (jounce.Reset(y, {dy: 0}, only_if=n), "must be a condition"),
        ("impact:floor", "expected a Reset"),
    ],
)
def test_a_reset_that_makes_no_sense_is_refused(reset: Any, message: str) -> None:
    with pytest.raises(jounce.ModelError, match=message):
        ball(reset)


def test_names_are_distinct_and_initial_values_agree() -> None:
    with pytest.raises(jounce.ModelError, match="there twice"):
        ball(jounce.Reset(y, {dy: 0}, name="a"), jounce.Reset(dy, {dy: 1}, name="a"))
    with pytest.raises(jounce.ModelError, match="same name as a contact"):
        ball(jounce.Reset(y - 1, {dy: 0}, name="floor"))
    with pytest.raises(jounce.ModelError, match="two initial values"):
        ball(jounce.Reset(y, {n: n + jounce.discrete("n", 3)}))
    with pytest.raises(jounce.ModelError, match="same name as the coordinate"):
        ball(jounce.Reset(y, {jounce.discrete("y"): 1}))


def test_plain_symbols_are_declared_by_states() -> None:
    k = sp.Symbol("k")
    model = ball(jounce.Reset("impact:floor", {k: k + 1}), states={"k": (4, "", "bounces")})
    assert model.states["k"].default == 4.0
    assert jounce.compile_model(model).state()["k"] == 4.0
    assert jounce.compile_model(model).state(k=2)["k"] == 2.0


@pytest.mark.parametrize("make", [kicked_ball, simplest_walker, relay])
def test_resets_survive_definitions_and_files(make: Any, tmp_path: Path) -> None:
    model = make()
    stored = json.loads(json.dumps(to_definition(model)))
    again = from_definition(stored)
    assert equations_hash(again) == equations_hash(model)
    assert again.resets == model.resets
    assert again.states == model.states
    path = model.to_file(tmp_path / "model.toml")
    read = jounce.Model.from_file(path)
    assert equations_hash(read) == equations_hash(model)
    assert read.states == model.states
    assert read.to_file(tmp_path / "second.toml").read_text() == path.read_text()


WALKER = """
[coordinates]
theta = "rad"
phi = "rad"

[parameters]
slope = [0.009, "rad"]

[states]
steps = 0

[definitions]
c = "cos(2*theta)"

[equations]
mass = [1, 1]
forces = ["sin(theta - slope)", "sin(theta - slope) + d_theta**2*sin(phi) - cos(theta - slope)*sin(phi)"]

[resets.heelstrike]
guard = "phi - 2*theta"
only_if = "theta < -0.05 and not (steps > 100)"
map = { theta = "-theta", phi = "-2*theta", d_theta = "c*d_theta", d_phi = "c*(1 - c)*d_theta", steps = "steps + 1" }
"""


def test_a_file_writes_a_walker(tmp_path: Path) -> None:
    path = tmp_path / "walker.toml"
    path.write_text(WALKER)
    model = jounce.Model.from_file(path)
    ours = simplest_walker()
    own = {name: value for name, value in model.resets[0].map.items() if name != "steps"}
    assert {name: sp.expand(value) for name, value in own.items()} == {
        name: sp.expand(value) for name, value in ours.resets[0].map.items()
    }
    assert model.guards == ours.guards
    assert list(model.states) == ["steps"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("theta < -0.05", "theta", "is no condition"),
        ("theta < -0.05", "__import__('os') < 1", "cannot be used|unknown"),
        ('only_if = "theta', 'only_iff = "theta', "unknown entry"),
        ("map = { theta", "map = { thta", "cannot be assigned"),
        ('guard = "phi', 'guard = "impact:foot" #', "no contact 'foot'"),
        ("steps = 0", 'steps = "many"', "expected a finite number"),
    ],
)
def test_a_wrong_file_says_where(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "walker.toml"
    path.write_text(WALKER.replace(old, new, 1))
    with pytest.raises(jounce.ModelError, match=message) as error:
        jounce.Model.from_file(path)
    assert "walker.toml:" in str(error.value)


def test_a_foreign_definition_with_resets_is_refused() -> None:
    data = to_definition(kicked_ball())
    for change in (
        {"resets": [{"name": "a"}]},
        {"resets": [{**data["resets"][0], "guard": ["impact:floor"]}]},
        {"resets": [{**data["resets"][0], "map": [["d_y", ["__import__", "os"]]]}]},
        {"states": [{"name": "n", "default": "0", "unit": "", "description": ""}]},
    ):
        with pytest.raises(jounce.StorageError):
            from_definition({**data, **change})


def test_machines_from_bodies_have_resets() -> None:
    body = jounce.Body("block", mass=1, inertia=1, center=(0, 1))
    hits = jounce.discrete("hits")
    model = jounce.Model.from_bodies(
        "block",
        bodies=[body],
        gravity=9.81,
        contacts=jounce.contact_between(
            "foot", jounce.PointOn(body, (0, 0)), jounce.Line(jounce.ground, (0, 0), (1, 0)), restitution=1
        ),
        resets=[jounce.Reset("impact:foot", {hits: hits + 1})],
    )
    run = jounce.simulate(model, None, 2.0)
    assert run.final["hits"] == 2
