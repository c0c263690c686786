"""Numbers with units: conversion against SI's own definitions, every door through which people hand numbers over."""

from __future__ import annotations

import json
import math
import time

import numpy as np
import pytest

import jounce
from jounce.cli.main import main
from jounce.errors import JounceError, ModelError, OptionError, SimulationError
from jounce.units import UnitError, coherent, in_unit, is_quantity, parse_unit
from tests.units.rescaling import dimension

#: (text, declared unit, number by the definition of the units, written out)
CONVERSIONS = (
    ("5 mm", "m", 5e-3),
    ("5mm", "m", 5e-3),
    ("-.5e1 mm", "m", -5e-3),
    ("0.3 m", "mm", 300.0),
    ("981 cm/s^2", "m/s^2", 9.81),
    ("200 g", "kg", 0.2),
    ("1.5 t", "kg", 1500.0),
    ("2 min", "s", 120.0),
    ("0.5 h", "s", 1800.0),
    ("90 km/h", "m/s", 25.0),
    ("180 deg", "rad", math.pi),
    ("180°", "rad", math.pi),
    ("1 turn", "deg", 360.0),
    ("30 rpm", "rad/s", math.pi),
    ("2 kHz", "Hz", 2000.0),
    ("2 kHz", "1/s", 2000.0),
    ("3 N/mm", "N/m", 3000.0),
    ("1 N s/mm^1.5", "N s/m^1.5", 1000.0**1.5),
    ("1 N/mm^(3/2)", "N/m^1.5", 1000.0**1.5),
    ("1 J", "N m", 1.0),
    ("1 kW", "J/s", 1000.0),
    ("2 MPa", "N/mm^2", 2.0),
    ("2 N/(mm s)", "N/(m s)", 2000.0),
    ("2 kg*m**2", "g cm^2", 2e7),
    ("4 kg m²", "kg m^2", 4.0),
    ("3 µm", "m", 3e-6),
    ("5 %", "", 0.05),
    ("30 deg", "", math.pi / 6),  # the radian is 1
    ("1 N m/deg", "N m/rad", 180.0 / math.pi),
    ("1 Nm", "N m/rad", 1.0),
    ("3 1/min", "1/s", 0.05),
    ("1 lbf", "N", 0.45359237 * 9.80665),
    ("12 V", "W/A", 12.0),
)


@pytest.mark.parametrize(("text", "unit", "number"), CONVERSIONS, ids=[f"{c[0]} in {c[1]}" for c in CONVERSIONS])
def test_conversion(text, unit, number):
    assert in_unit(text, unit, "x", SimulationError) == pytest.approx(number, rel=2e-16, abs=0.0)


def test_numbers_and_other_texts_stay_as_they_are():
    for value in (5.0, 5, "5", "5e3", "big", "1 + 2", "inf", "", None, ["5 mm"], "5 /s", "-m", "x" * 300):
        assert in_unit(value, "m", "x", SimulationError) is value
        assert not is_quantity(value)


WRONG = {
    "another dimension": ("5 kg", "m", r"x is '5 kg'; it is declared in 'm'.*Units that fit: m, mm, cm, km, in, ft"),
    "a compound of another dimension": ("5 N", "N/m", "Units that fit: N/m, N/mm"),
    "no unit declared": ("5 mm", "", "declared without a unit"),
    "turns or radians": ("5 Hz", "rad/s", "counts radians or turns.*rad/s, deg/s, rpm"),
    "radians or turns": ("5 rpm", "1/s", "counts radians or turns.*1/s, Hz, kHz"),
    "a misspelt unit": ("5 Ncm", "N m", "there is no unit 'Ncm'"),
    "a unit of no table": ("5 mm", "pixel", "declared in 'pixel', which is no unit that can be converted"),
    "a product behind a slash": ("5 N/m s", "Pa", "can be read in two ways"),
    "a slash without anything": ("5 m/", "m", "not complete"),
    "an open parenthesis": ("5 N/(m s", "m", "not complete"),
    "a closed parenthesis": ("5 m)", "m", "parentheses"),
    "a sign": ("5 m+m", "m", "cannot be read"),
    "a huge power": ("5 m^99999999", "m", "beyond 12"),
    "a huge number": ("1e999 km", "m", "too large"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_units(case):
    text, unit, message = WRONG[case]
    with pytest.raises(OptionError, match=message):
        in_unit(text, unit, "x", OptionError)


def test_hostile_texts_take_no_time():
    begin = time.process_time()
    for text in ("1e999999999 m", "9" * 190 + " m", "1 " + "m " * 90, "1 m" + "^2" * 90, "1 " + "(" * 150):
        try:
            in_unit(text, "m", "x", OptionError)
        except OptionError:
            continue
    assert time.process_time() - begin < 0.5


def test_every_declared_unit_is_known_and_agrees_with_a_second_reading():
    for name in jounce.systems.descriptions():
        model = getattr(jounce.systems, name)()
        for quantity, unit in model.units.items():
            found = [float(power) for power in parse_unit(unit).dimension]
            assert tuple(found[:3]) == dimension(unit), (name, quantity, unit)
            assert in_unit(f"2.5 {unit}", unit, quantity, SimulationError) == 2.5 if unit else True
    with pytest.raises(UnitError, match="did you mean 'kg'"):
        parse_unit("kgg")


def test_a_number_declares_the_unit_without_prefixes():
    found = {text: coherent(text, "x", ModelError) for text in ("5 kN/mm", "200 g", "30 rpm", "5 Nm/deg", "5 %")}
    assert found["5 kN/mm"] == (5e6, "N/m")
    assert found["200 g"] == (0.2, "kg")
    assert found["30 rpm"] == (pytest.approx(math.pi), "rad/s")
    assert found["5 Nm/deg"] == (pytest.approx(900 / math.pi), "N m/rad")
    assert found["5 %"] == (0.05, "")


# ------------------------------------------------------------------------------------------------ doors


@pytest.fixture(scope="module")
def ball():
    return jounce.compile_model(jounce.systems.ball_on_table())


def test_models():
    y, dy = jounce.coordinate("y", "m", scale="2 mm")
    m, g, h = jounce.parameters(m=("200 g", "kg", "mass"), g="981 cm/s^2", h=("5 mm", "m"))
    model = jounce.Model.from_lagrangian(
        "drop", coordinates=[y], kinetic=m * dy**2 / 2, potential=m * g * (y + h), start={y: "30 cm", "d_y": "36 km/h"}
    )
    assert model.defaults == {"m": 0.2, "g": 9.81, "h": 0.005}
    assert model.parameters["g"].unit == "m/s^2"
    assert model.start == {"y": 0.3, "d_y": 10.0}
    assert model.scales == {"y": 2e-3}
    listed = jounce.Model("p", ["x"], 1, 0, parameters={"k": ("3 N/mm", "N/m"), "c": "2 %"})
    assert listed.defaults == {"k": 3000.0, "c": 0.02}
    with pytest.raises(ModelError, match=r"parameter 'm': the default is '2 s'.*Units that fit: kg"):
        jounce.parameter("m", "2 s", "kg")
    with pytest.raises(ModelError, match=r"start: 'y' is '3 s'"):
        jounce.Model("p", [y], 1, 0, start={y: "3 s"})


def test_starts_parameters_times_and_schedules(ball):
    assert ball.state(t="2 min", y="5 mm", d_y="36 km/h") == ball.state(t=120.0, y=0.005, d_y=10.0)
    with pytest.raises(SimulationError, match=r"state: y is '5 s'.*Units that fit: m, mm"):
        ball.state(y="5 s")
    with pytest.raises(SimulationError, match="a state knows no units"):
        ball.state().replace(y="5 mm")
    schedule = [(0.5, {"e": 0.7})]
    plain = jounce.simulate(ball, {"y": 1.0}, 2.0, schedule=schedule, omega=3.0, g=9.81)
    schedule = [("500 ms", {"e": "70 %"})]
    typed = jounce.simulate(ball, {"y": "100 cm"}, "2000 ms", schedule=schedule, omega="3 rad/s", g="981 cm/s^2")
    assert plain.final == typed.final
    assert typed.parameters["g"] == 9.81
    with pytest.raises(SimulationError, match=r"t_end is '2 m'"):
        jounce.simulate(ball, None, "2 m")
    assert jounce.Options(largest_step="2 ms").largest_step == 2e-3


def test_analyses(ball):
    orbit = jounce.find_orbit(ball, {"y": "30 cm", "d_y": 2.0}, omega="3 rad/s", e="20 %")
    assert orbit.parameters["e"] == 0.2
    assert jounce.lyapunov(ball, {"y": 1.0}, "5000 ms", omega=3.0, e="20 %").times[-1] == pytest.approx(5.0, rel=0.2)
    diagram = jounce.sweep(ball, "e", ["10 %", "20 %"], "phase:0", {"y": 1.0}, transient=5, keep=1, omega="3 rad/s")
    assert diagram.values.tolist() == [0.1, 0.2]
    grid = {"y": ["50 cm", 1.0]}
    found = jounce.basins(ball, grid, "phase:0", transient=5, keep=1, longest_return="1 min", omega="3 rad/s")
    assert found.axes["y"].tolist() == [0.5, 1.0]
    runs = jounce.ensemble(ball, {"y": ["50 cm", "1 m"]}, "100 ms", parameters={"omega": "3 rad/s"})
    assert runs["y_start"].values.tolist() == [0.5, 1.0]
    with pytest.raises(OptionError, match="values is '3 m'"):
        jounce.sweep(ball, "e", ["3 m"], "phase:0")


def test_a_machine_starts_with_units():
    crank = jounce.Body("crank", mass=1.0, inertia=0.1)
    pin = jounce.Revolute("pin", jounce.ground, crank)
    model = jounce.Model.from_bodies("wheel", bodies=[crank], joints=[pin], start={crank.theta: "90 deg"})
    assert model.start["crank_theta"] == pytest.approx(np.pi / 2, rel=1e-12)


def test_what_takes_no_units_says_so(tmp_path):
    with pytest.raises(ModelError, match=r"body 'rod': mass.*'200 g'; a number with a unit is a parameter"):
        jounce.Body("rod", mass="200 g", inertia=1.0)
    path = tmp_path / "rod.toml"
    path.write_text('[bodies.rod]\nmass = "200 g"\ninertia = 1\n')
    with pytest.raises(ModelError, match=r"rod.toml:2:.*numbers with units belong into \[parameters\] or \[start\]"):
        jounce.Model.from_file(path)


def test_discrete_states_and_sampled_controllers():
    force = jounce.discrete("F", "2 kN", "N")
    assert force.state.default == 2000.0
    with pytest.raises(ModelError, match="discrete state 'F': the default is '2 s'"):
        jounce.discrete("F", "2 s", "N")
    x, dx = jounce.coordinate("x", "m")
    models = [
        jounce.Model("cart", [x], 1, [force], resets=jounce.sampled({force: -3 * x - dx}, every=every, delay=delay))
        for every, delay in ((0.01, 0.004), ("10 ms", "4 ms"))
    ]
    first, second = ([(reset.name, reset.guard) for reset in model.resets] for model in models)
    assert first == second
    assert len(first) == 2
    assert jounce.compile_model(models[0]).state(F="1 kN").as_dict() == pytest.approx(
        jounce.compile_model(models[1]).state(F=1000.0).as_dict()
    )


def test_model_files(tmp_path):
    path = tmp_path / "drop.toml"
    text = """
name = "drop"
[coordinates]
y = "m"
[parameters]
m = ["200 g", "kg", "mass"]
g = "981 cm/s^2"
[energies]
kinetic = "m*d_y**2/2"
potential = "m*g*y"
[start]
y = "30 cm"
d_y = "1 - 2"
"""
    path.write_text(text)
    model = jounce.Model.from_file(path)
    assert model.defaults == {"m": 0.2, "g": 9.81}
    assert model.parameters["g"].unit == "m/s^2"
    assert model.start == {"y": 0.3, "d_y": -1.0}
    path.write_text(text.replace("200 g", "200 s"))
    with pytest.raises(ModelError, match=r"drop.toml:6:5: .*Units that fit: kg"):
        jounce.Model.from_file(path)
    path.write_text(text.replace("30 cm", "30 kg"))
    with pytest.raises(ModelError, match=r"drop.toml:12:5: .*Units that fit: m"):
        jounce.Model.from_file(path)


def _command(capsys, *words):
    status = main(words)
    return status, capsys.readouterr()


def test_commands(capsys, tmp_path):
    (tmp_path / "p.toml").write_text('g = "981 cm/s^2"\n')
    words = ("simulate", "bouncing_ball", "--json", "-")
    status, typed = _command(
        capsys, *words, "--start", "y=50cm", "--t-end", "0.05min", "--set", f"@{tmp_path / 'p.toml'},e=50%",
        "--schedule", "t=1500ms:g=1000cm/s^2", "--t-start", "-100ms",
    )  # fmt: skip
    assert status == 0, typed.err
    plain = _command(
        capsys, *words, "--start", "y=0.5", "--t-end", "3", "--set", "g=9.81,e=0.5", "--schedule", "t=1.5:g=10",
        "--t-start=-0.1",
    )[1]  # fmt: skip
    one, two = (json.loads(result.out) for result in (typed, plain))
    assert one["final"] == two["final"]
    for option, value in (
        ("--start", "y=5kg"),
        ("--set", "g=5kg"),
        ("--schedule", "t=1:g=5kg"),
        ("--schedule", "t=1m:g=5"),
    ):
        status, result = _command(capsys, *words, option, value)
        assert status == 2
        assert "Units that fit" in " ".join(result.err.split())
    with pytest.raises(SystemExit):
        main([*words, "--t-end", "5kg"])
    assert "declared in 's'" in capsys.readouterr().err


def test_sweeps_and_basins(capsys, tmp_path):
    shared = ["--transient", "5", "--keep", "1", "--json", "-"]
    status, result = _command(
        capsys, "sweep", "ball_on_table", "--parameter", "omega", "--from", "20rpm", "--to", "0.4turn/s",
        "--number", "3", "--random", "1", "--range", "y=50cm:1", "--out", str(tmp_path / "s"), *shared,
    )  # fmt: skip
    assert status == 0, result.err
    content = json.loads(result.out)
    assert (content["from"], content["to"]) == pytest.approx((20 * math.pi / 30, 0.8 * math.pi))
    status, result = _command(
        capsys, "basins", "ball_on_table", "--grid", "y=50cm:1m:2", "--out", str(tmp_path / "b"), *shared
    )
    assert status == 0, result.err
    assert json.loads(result.out)["axes"] == {"y": [0.5, 1.0, 2]}
    status, result = _command(
        capsys, "sweep", "ball_on_table", "--parameter", "omega", "--from", "1m", "--to", "3", *shared
    )
    assert status == 2
    assert "--from is '1m'" in " ".join(result.err.split())


def test_errors_are_ours():
    assert issubclass(UnitError, JounceError)
