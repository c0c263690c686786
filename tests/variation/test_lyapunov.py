"""Lyapunov exponents against what is known exactly."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import jounce
from jounce.analysis.stability.variation import flow
from jounce.cli.main import main


@pytest.fixture(scope="module")
def ball() -> jounce.System:
    return jounce.compile_model(jounce.systems.ball_on_table())


def test_the_sum_of_the_exponents_counts_the_impacts(ball: jounce.System) -> None:
    """Flight keeps volumes, each impact contracts them by e^2: sum lambda = 2 ln(e) N/t, whatever the motion."""
    spectrum = jounce.lyapunov(ball, ball.state(y=1.5), 1000.0, transient=50.0, omega=5.0, e=0.8)
    assert spectrum.chaotic
    assert spectrum.impacts > 300
    assert spectrum.exponents.sum() == pytest.approx(2 * math.log(0.8) * spectrum.impacts / 1000.0, abs=1e-10)


def test_a_stable_orbit_has_the_logarithms_of_its_multipliers(ball: jounce.System) -> None:
    """One bounce a period at omega = 3, e = .9: a complex pair of modulus e, so both exponents are ln(e)/T."""
    g, A, omega, e = 9.81, 1.0, 3.0, 0.9
    period = 2 * math.pi / omega
    phi = math.acos(math.pi * g * (1 - e) / ((1 + e) * A * omega**2))
    top = ball.state(t=phi / omega + 0.5 * period, y=A * math.sin(phi) + g * period**2 / 8, d_y=0.0)
    multipliers = np.linalg.eigvals(flow(ball, top, period, omega=omega, e=e).matrix)
    np.testing.assert_allclose(np.abs(multipliers), e, atol=1e-10)
    spectrum = jounce.lyapunov(ball, top, 500 * period, omega=omega, e=e)
    assert not spectrum.chaotic
    np.testing.assert_allclose(spectrum.exponents, math.log(e) / period, atol=2e-3)


def test_a_ball_that_rides_on_its_table_has_lost_all_directions(ball: jounce.System) -> None:
    spectrum = jounce.lyapunov(ball, ball.state(y=1.5), 30.0, transient=60.0, omega=2.0, e=0.3)
    assert (spectrum.exponents == -math.inf).all()


def test_bad_requests_are_refused(ball: jounce.System) -> None:
    with pytest.raises(jounce.OptionError, match="count is 3"):
        jounce.lyapunov(ball, ball.state(y=1.5), 10.0, count=3)
    with pytest.raises(jounce.SimulationError, match="duration is -1"):
        jounce.lyapunov(ball, ball.state(y=1.5), -1.0)


def test_the_picture_shows_every_exponent(ball: jounce.System) -> None:
    spectrum = jounce.lyapunov(ball, ball.state(y=1.5), 200.0, transient=50.0, omega=5.0, e=0.8)
    axes = jounce.plot.plot_lyapunov(spectrum).axes[0]
    assert len(axes.get_legend().get_texts()) == 2
    assert "1/s" in axes.get_ylabel()


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, result = tmp_path / "out", tmp_path / "result.json"
    command = f"lyapunov ball_on_table --set omega=5,e=0.8 --start y=1.5 --transient 50 --duration 500 --out {out}"
    assert main([*command.split(), "--json", str(result)]) == 0
    assert "ball_on_table: chaotic" in capsys.readouterr().out
    found = json.loads(result.read_text())
    assert sum(found["exponents"]) == pytest.approx(2 * math.log(0.8) * found["impacts"] / 500.0, abs=1e-10)
    assert (out / "lyapunov.png").stat().st_size > 10_000
    assert len((out / "history.csv").read_text().splitlines()) > 300
    assert main(command.replace("--duration 500", "--duration 0").split()) == 2
    assert "duration is 0.0; it must be a finite time > 0" in capsys.readouterr().err


def test_the_command_says_what_became_of_a_direction(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A ball without restitution lies on the table: both directions are contracted to nothing, no NaN is printed."""
    command = f"lyapunov ball_on_table --set omega=3,e=0 --start y=1.5 --duration 20 --out {tmp_path}"
    assert main(command.split()) == 0
    said = capsys.readouterr().out
    assert said.count("-inf: contracted to nothing in finite time") == 2
    assert "nan" not in said


def test_a_long_run_keeps_its_interval_and_fewer_rows(ball: jounce.System, monkeypatch: pytest.MonkeyPatch) -> None:
    """Exponents do not depend on how many rows the history has: perturbations are made orthonormal as often."""
    request = {"system": ball, "start": {"y": 1.5}, "duration": 173.0, "omega": 5.0, "e": 0.8}
    all_rows = jounce.lyapunov(**request)
    monkeypatch.setattr("jounce.analysis.stability.lyapunov.MOST_ROWS", 50)
    few_rows = jounce.lyapunov(**request)
    np.testing.assert_array_equal(few_rows.exponents, all_rows.exponents)
    assert len(few_rows.history) <= 50
    places = np.searchsorted(all_rows.times, few_rows.times * (1 - 1e-12))
    np.testing.assert_array_equal(few_rows.history, all_rows.history[places])
    assert few_rows.times[-1] == pytest.approx(173.0)
