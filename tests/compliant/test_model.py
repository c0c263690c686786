"""Compliant contacts as part of a model: names, errors, files."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.model.definition import equations_hash, from_definition, to_definition
from tests.compliant.models import FINE, drop


def model(**changes: object) -> jounce.Model:
    y, dy = jounce.coordinate("y", "m")
    K, e = jounce.parameters(K=(1e6, "N/m^1.5"), e=0.8)
    arguments = {"gap": y, "restitution": e, "compliance": jounce.LankaraniNikravesh(K)} | changes
    contact = jounce.Contact("floor", **arguments)  # type: ignore[arg-type]
    return jounce.Model.from_lagrangian(
        "thing", coordinates=[y], kinetic=dy**2 / 2, potential=9.81 * y, contacts=[contact], start={y: 1.0}
    )


def test_the_engines_memory_is_nobodys_parameter() -> None:
    system = drop(jounce.LankaraniNikravesh(1e6))
    assert system.parameter_names == ("m", "g", "e")
    assert [symbol.name for symbol in system.model.memory] == ["floor_pressed", "floor_inverse_approach"]
    assert system.modes == {"floor": ("OPEN", "PRESSED")}
    with pytest.raises(jounce.SimulationError, match="unknown name 'floor_pressed'"):
        system.parameters(floor_pressed=1.0)


def test_a_law_with_a_memory_adds_a_named_coordinate() -> None:
    system = drop(jounce.Maxwell(1e5, 100.0))
    assert system.coordinate_names == ("y", "floor_branch")
    assert system.model.coordinates["floor_branch"] == "N s"
    assert system.model.velocity_units["d_floor_branch"] == "N"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"compliance": 1e6}, r"compliance is 1000000.0; it must be a law, one of Hertz, KelvinVoigt, .*or None"),
        ({"compliance": jounce.Hertz(-1.0)}, "contact 'floor': Hertz: stiffness is -1; it must be positive"),
        ({"compliance": jounce.Hertz(1e6, 0)}, "exponent is 0; it must be positive"),
        ({"compliance": jounce.Maxwell(1e6, 0)}, "Maxwell: (damping|stiffness) is"),
        ({"compliance": jounce.Flores2011(1e6), "restitution": 0}, "Flores2011 divides by the restitution"),
        ({"compliance": jounce.Hertz("stiff")}, "contact 'floor': Hertz, stiffness: expected a number"),
    ],
)
def test_laws_that_make_no_sense(changes: dict[str, object], message: str) -> None:
    with pytest.raises(jounce.ModelError, match=message):
        model(**changes)


def test_a_parameter_of_the_run_is_checked_too() -> None:
    system = jounce.compile_model(model())
    with pytest.raises(jounce.SimulationError, match="stiffness is -3; it must be positive at the start"):
        jounce.simulate(system, system.state(), 1.0, K=-3.0)


def test_names_that_the_engine_needs_are_refused() -> None:
    y, dy = jounce.coordinate("y", "m")
    taken = jounce.parameter("floor_pressed", 1.0)
    with pytest.raises(jounce.ModelError, match="'floor_pressed' has the same name as"):
        jounce.Model.from_lagrangian(
            "thing",
            coordinates=[y],
            kinetic=taken * dy**2 / 2,
            contacts=[jounce.Contact("floor", gap=y, compliance=jounce.Hertz(1e6))],
            start={y: 1.0},
        )


@pytest.mark.parametrize("law", [jounce.LankaraniNikravesh(1e6), jounce.StandardLinearSolid(1e5, 1e5, 50.0), None])
def test_definitions_and_copies(law: object) -> None:
    original = model(compliance=law)
    copied = from_definition(json.loads(json.dumps(to_definition(original))))
    assert equations_hash(copied) == equations_hash(original)
    assert copied.forces == original.forces
    assert copied.contacts == original.contacts
    again = dataclasses.replace(original, description="another text")
    assert equations_hash(again) == equations_hash(original)


def test_files(tmp_path: Path) -> None:
    system = drop(jounce.LankaraniNikravesh(1e6))
    run = jounce.simulate(system, system.state(y=0.2), 0.4, options=FINE)
    run.save(tmp_path / "run.nc")
    loaded = jounce.load(tmp_path / "run.nc")
    times = np.linspace(0, 0.4, 301)
    np.testing.assert_array_equal(loaded.states(times), run.states(times))
    for name in ("elastic", "contact_loss", "residual"):
        np.testing.assert_array_equal(loaded.energy[name], run.energy[name])
    np.testing.assert_array_equal(loaded.contact_forces(times)["lambda_N"], run.contact_forces(times)["lambda_N"])
    assert loaded.options == run.options


def test_records_without_steps_still_close_their_ledger() -> None:
    system = drop(jounce.HuntCrossley(1e6))
    whole = jounce.simulate(system, system.state(y=0.2), 0.9)
    ends = jounce.simulate(system, system.state(y=0.2), 0.9, options=jounce.Options(record="nothing"))
    assert ends.final["y"] == whole.final["y"]
    assert float(ends.energy["contact_loss"][-1]) == float(whole.energy["contact_loss"][-1])
    assert abs(float(ends.energy["residual"][-1])) < 1e-9
