"""What events set in one run, against closed forms and against the same thing written as resets of the model."""

from __future__ import annotations

from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jounce

G = 9.81


@pytest.fixture(scope="module")
def hopper() -> jounce.System:
    """A mass under gravity and a thrust F, on a floor."""
    y, dy = jounce.coordinate("y", "m")
    m, F, e = jounce.parameters(m=(2.0, "kg"), F=(0.0, "N", "thrust"), e=0.5)
    n = jounce.discrete("n")
    model = jounce.Model.from_lagrangian(
        "hopper", coordinates=[y], kinetic=m * dy**2 / 2, potential=m * G * y, forces={y: F},
        contacts=[jounce.Contact("floor", gap=y, restitution=e)], guards={"apex": dy},
        resets=[jounce.Reset("lift_off:floor", {n: n + 1}, name="count")], start={y: 1.0},
    )  # fmt: skip
    return jounce.compile_model(model)


def test_an_impact_sets_a_force(hopper: jounce.System) -> None:
    """Behind the first impact the thrust is 15 N: parabolas with g and with g - F/m."""
    run = jounce.simulate(hopper, None, t_end=1.2, on={"impact:floor": {"F": "0.015 kN"}})
    first, speed, less = sqrt(2 / G), 0.5 * sqrt(2 * G), G - 15.0 / 2.0
    tau = 1.2 - first
    assert run.final["y"] == pytest.approx(speed * tau - less * tau**2 / 2, rel=1e-12)
    assert run.events.reset.dropna().tolist() == ["on_impact_floor"]
    assert run.at(first / 2)["F"] == 0.0
    assert run.final["F"] == 15.0
    assert float(np.abs(run.energy["residual"]).max()) < 1e-11
    assert run.audit().empty


def test_every_event_of_sections_can_act(hopper: jounce.System) -> None:
    """The apex switches the thrust on, half way down it is off again; the counter of touches is an expression."""
    on: dict[Any, Any] = {
        "guard:apex:-1": {"F": "m*9.81"},
        "plane:d_y=-3:-1": {"F": 0.0},
        "impact": {"n": "n + 1", "d_y": "d_y + 1"},
    }
    run = jounce.simulate(hopper, {"y": 1.0, "d_y": -2.0}, t_end=1.0, on=on, F=-4.0)
    assert run.events.reset.dropna().tolist() == ["on_plane", "on_impact_floor", "on_apex"]
    down = sqrt(4 + 2 * (G + 2) * 1.0)  # with F = -4 N down to -3 m/s, then without
    height = 1.0 - (9 - 4) / (2 * (G + 2))
    speed = sqrt(9 + 2 * G * height)
    assert down > 3
    impact = run.events[run.events.kind == "impact"].iloc[0]
    assert impact.v_n_before == pytest.approx(-speed, rel=1e-12)
    assert run.final["d_y"] == pytest.approx(0.0, abs=1e-12)  # hovers
    assert run.final["y"] == pytest.approx((0.5 * speed + 1) ** 2 / (2 * G), rel=1e-12)
    assert run.final["n"] == 1


def test_a_run_that_is_cut_goes_on_with_what_was_set(hopper: jounce.System) -> None:
    on = {"impact:floor": {"F": "F + 5"}}
    whole = jounce.simulate(hopper, None, t_end=2.5, on=on)
    half = jounce.simulate(hopper, None, t_end=1.0, on=on)
    rest = jounce.simulate(hopper, half.final, t_end=2.5, on=on)
    assert half.final["F"] == 5.0
    assert rest.final["y"] == pytest.approx(whole.final["y"], rel=1e-10)
    assert rest.final["F"] == whole.final["F"] >= 10.0
    # without actions the thrust is the parameter again, and discrete states go on
    counted = jounce.simulate(hopper, half.final.replace(n=7.0), t_end=1.01)
    assert counted.final["n"] == 7.0


def test_what_a_reset_sets_joins_its_map(hopper: jounce.System) -> None:
    rest = hopper.state(y=0.0)
    lifted = jounce.simulate(hopper, rest, t_end=2.0, schedule=[(0.5, {"m": 0.5})], on={"count": {"F": 10.0}}, F=6.0)
    assert lifted.events.reset.dropna().tolist() == ["count"]
    tau = 1.5
    assert lifted.final["y"] == pytest.approx((10.0 / 0.5 - G) * tau**2 / 2, rel=1e-12)


def test_ensembles_act_as_runs_do(hopper: jounce.System) -> None:
    on = {"impact:floor": {"F": 15.0}}
    thrusts = np.array([0.0, 3.0, 6.0])
    table = jounce.ensemble(hopper, {"y": 1.0}, 1.0, parameters={"F": thrusts, "e": 0.4}, on=on)
    single = [jounce.simulate(hopper, None, 1.0, on=on, F=F, e=0.4).final["y"] for F in thrusts]
    assert table["y"].values.tolist() == single


def test_an_action_survives_a_file(hopper: jounce.System, tmp_path: Path) -> None:
    run = jounce.simulate(hopper, None, t_end=1.2, on={"impact:floor": {"F": 15}})
    run.save(tmp_path / "run.nc")
    assert jounce.load(tmp_path / "run.nc").at(1.0)["F"] == 15.0


def test_the_command_line_acts(capsys: pytest.CaptureFixture[str]) -> None:
    from jounce.cli.main import main

    arguments = ["simulate", "ball_on_table", "--start", "y=1", "--t-end", "2", "--events", "-"]
    assert main([*arguments, "--on", "impact:table:e=0.1", "--set", "A=0"]) == 0
    assert "on_impact_table" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("on", "words"),
    [
        ({"impact:flor": {"F": 1}}, "did you mean 'floor'"),
        ({"impct:floor": {"F": 1}}, "did you mean 'impact'"),
        ({"apx": {"F": 1}}, "did you mean 'apex'"),
        ({"phase:0": {"F": 1}}, "give what happens there as schedule"),
        ({"paradox:floor": {"F": 1}}, "nothing can be set at events of kind 'paradox'"),
        ({"impact:floor": {"f": 1}}, "valid parameters and states: m, F, e"),
        ({"impact:floor": {"F": "3 m"}}, "F is '3 m'"),
        ({"impact:floor": {"F": float("nan")}}, "must be a finite number"),
        ({"impact:floor": {"m": -1.0}}, "not positive definite"),
        ({"impact:floor": {"e": 2.0}}, "restitution"),
        ({"impact:floor": 3}, "expected {parameter: value}"),
        ("impact:floor", "on must be"),
    ],
)
def test_mistakes_name_what_is_valid(hopper: jounce.System, on: Any, words: str) -> None:
    with pytest.raises(jounce.JounceError) as error:
        jounce.simulate(hopper, None, t_end=1.0, on=on)
    assert words in str(error.value)


def test_a_parameter_is_set_by_events_or_by_times(hopper: jounce.System) -> None:
    with pytest.raises(jounce.SimulationError, match="takes it from one of them"):
        jounce.simulate(hopper, None, t_end=1.0, on={"apex": {"F": 1}}, schedule=[(0.5, {"F": 2.0})])
