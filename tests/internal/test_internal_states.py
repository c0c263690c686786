"""Internal states: against closed forms and SciPy, with impacts and resets, in orbits, exponents and files."""

from __future__ import annotations

from math import exp, log, pi
from pathlib import Path

import matplotlib
import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.linalg import expm
from scipy.optimize import brentq

import jounce

matplotlib.use("Agg")
G = 9.81


def motor() -> jounce.Model:
    """A ball on a jet whose thrust z follows a command with a lag: z' = (F - z)/tau."""
    y, dy = jounce.coordinate("y", "m")
    F, tau, e = jounce.parameters(F=(4.0, "N"), tau=(0.3, "s"), e=0.6)
    z = jounce.internal("z", "N")
    return jounce.Model.from_lagrangian(
        "motor", coordinates=[y], kinetic=dy**2 / 2, potential=G * y, forces={y: z}, rates={z: (F - z) / tau},
        contacts=[jounce.Contact("floor", gap=y, restitution=e)], start={y: 1.0, z: 1.0},
    )  # fmt: skip


@pytest.fixture(scope="module")
def follower() -> jounce.System:
    """A driven oscillator and a state that follows it: linear, so that everything is known."""
    x, dx = jounce.coordinate("x", "m")
    c, rate = jounce.parameters(c=(0.2, "1/s"), rate=(3.0, "1/s"))
    z = jounce.internal("z", "m")
    force = -x - c * dx + sp.cos(jounce.time) / 2 + z / 10
    return jounce.compile_model(
        jounce.Model("follower", [x], [1], [force], rates={z: rate * (x - z)}, period=2 * sp.pi, start={x: 1.0})
    )


def matrix(c: float = 0.2, rate: float = 3.0) -> np.ndarray:
    return np.array([[0, 1, 0], [-1, -c, 0.1], [rate, 0, -rate]])


def test_an_internal_state_has_its_own_name_and_unit() -> None:
    model = motor()
    assert repr(model) == "Model('motor': coordinates y; internal states z; contacts floor)"
    assert model.units["z"] == "N"
    assert model.internal_states["z"] == (model.symbols["F"] - model.symbols["z"]) / model.symbols["tau"]
    system = jounce.compile_model(model)
    state = system.state(y=2.0, z="3 kN")
    assert repr(state) == "State(t=0, y=2, d_y=0, z=3000)"
    assert state.keys() == ["t", "y", "d_y", "z"]
    assert state.replace(z=1.0)["z"] == 1.0


def test_flight_and_impacts_leave_it_alone() -> None:
    """z = F + (z_0 - F) e^(-t/tau) through all impacts; the flight in between is known too."""
    run = jounce.simulate(motor(), None, t_end=2.0)
    assert (run.events.kind == "impact").sum() >= 2
    t = np.linspace(0.0, 2.0, 41)
    np.testing.assert_allclose([state["z"] for state in run.at(t)], 4 - 3 * np.exp(-t / 0.3), rtol=1e-9)
    first = float(run.events.t.iloc[0])
    fallen = 1 + (4 - G) * first**2 / 2 - 3 * (0.3 * first - 0.09 * (1 - exp(-first / 0.3)))
    assert fallen == pytest.approx(0.0, abs=1e-10)
    assert run.energy["kinetic"][-1] == pytest.approx(run.final["d_y"] ** 2 / 2, rel=1e-14)
    assert float(np.abs(run.energy["residual"]).max()) < 1e-9
    assert run.audit().empty
    assert set(run.dataset([0.5]).data_vars) == {"y", "d_y", "z", "mode"}


def test_a_body_at_rest_waits_for_it() -> None:
    """The thrust grows from zero under a ball that lies: it lifts off when z = g, and is not taken for one at rest."""
    run = jounce.simulate(motor(), {"y": 0.0, "z": 0.0}, t_end=2.0, F=12.0)
    off = run.events[run.events.kind == "lift_off"].t.iloc[0]
    assert off == pytest.approx(-0.3 * log(1 - G / 12.0), rel=1e-9)
    assert run.status.name == "FINISHED"


def test_its_size_leaves_the_others_alone() -> None:
    """The same motion with the state in other units is the same motion: scales are not shared with it."""
    runs = []
    for unit in (1.0, 2.0**40):
        x, dx = jounce.coordinate("x", "m")
        z = jounce.internal("z")
        model = jounce.Model("scaled", [x], [1], [-x - z / unit], rates={z: unit * dx - 3 * z}, start={x: 1.0})
        runs.append(jounce.simulate(model, None, t_end=30.0))
    assert runs[0].final["x"] == runs[1].final["x"]
    assert len(runs[0].data.step_t) == len(runs[1].data.step_t)


def test_resets_set_it_and_guards_see_it() -> None:
    """A thermostat: between 19 and 21 degrees the switching times are logarithms."""
    x, _ = jounce.coordinate("x", "m")
    T = jounce.internal("T", "K")
    on = jounce.discrete("on", 1)
    model = jounce.Model(
        "thermostat", [x], [1], [0], rates={T: 30 * on - T}, start={T: 19.0},
        resets=[
            jounce.Reset(T - 21, {on: 0}, direction=+1, name="hot"),
            jounce.Reset(T - 19, {on: 1}, direction=-1, name="cold"),
        ],
    )  # fmt: skip
    run = jounce.simulate(model, None, t_end=3.0)
    up, down = log((30 - 19) / (30 - 21)), log(21 / 19)
    np.testing.assert_allclose(np.diff(np.append(0.0, run.events.t)), np.resize([up, down], len(run.events)), rtol=1e-9)
    assert len(run.events) >= 15
    dropped = jounce.simulate(model, None, t_end=0.25, on={"hot": {"T": 15.0}})
    assert dropped.final["T"] == pytest.approx(15 * exp(-(0.25 - up)), rel=1e-9)


def test_exponents_are_those_of_the_variables(follower: jounce.System) -> None:
    spectrum = jounce.lyapunov(follower, follower.state(), 400.0, transient=50.0)
    wanted = np.sort(np.linalg.eigvals(matrix()).real)[::-1]
    assert len(spectrum.exponents) == 3
    np.testing.assert_allclose(spectrum.exponents, wanted, atol=2e-3)
    single = jounce.lyapunov(follower, follower.state(), 400.0, transient=50.0, count=1)
    assert single.exponents[0] == pytest.approx(wanted[0], abs=5e-3)


def test_orbits_close_in_the_state_and_not_in_its_integral(follower: jounce.System) -> None:
    orbit = jounce.find_orbit(follower, follower.state(), "phase:0")
    wanted = np.linalg.eigvals(expm(2 * pi * matrix()))
    assert len(orbit.multipliers) == 3
    assert not orbit.trivial.any()
    assert orbit.drift == {}
    np.testing.assert_allclose(np.sort_complex(orbit.multipliers), np.sort_complex(wanted), atol=1e-8)
    branch = jounce.continue_orbit(orbit, "rate", (3.0, 4.0), step=0.2)
    steady = np.linalg.solve(1j * np.eye(3) - matrix(rate=4.0), [0, 0.5, 0])
    assert branch.orbit_at(4.0)[0].state["z"] == pytest.approx(steady[2].real, abs=1e-7)


@pytest.mark.parametrize("unit", [1.0, 1e-6, 1e9])
def test_a_motion_of_internal_states_alone_is_an_orbit(unit: float) -> None:
    """A relay with hysteresis about three lags, whose half period is that of the closed form, in any unit of time.

    C (1 + exp(A h))^-1 (exp(A h) - 1) A^-1 B is the width of the hysteresis.
    """
    x, dx = jounce.coordinate("x", "m")
    z = [jounce.internal(f"z{k}") for k in (1, 2, 3)]
    T = jounce.parameter("T", 1.0, "s")
    side = jounce.discrete("side", 1)
    resets = [
        jounce.Reset(z[2] - sp.Rational(1, 10), {side: -1}, direction=+1, name="down"),
        jounce.Reset(z[2] + sp.Rational(1, 10), {side: 1}, direction=-1, name="up"),
    ]
    rates = {z[0]: (side - z[0]) / T, z[1]: (z[0] - z[1]) / T, z[2]: (z[1] - z[2]) / T}
    relay = jounce.compile_model(jounce.Model("relay", [x], [1], [(-x / T - dx) / T], rates=rates, resets=resets))
    guess = jounce.simulate(relay, {"z1": 1.0}, 60 * unit, T=unit).final
    orbit = jounce.find_orbit(relay, guess, "reset:up", T=unit)
    A = np.array([[-1.0, 0, 0], [1, -1, 0], [0, 1, -1]])

    def excess(h: float) -> float:
        grown = expm(A * h)
        lag = np.linalg.solve(A, (grown - np.eye(3)) @ [1.0, 0, 0])
        return float(np.linalg.solve(np.eye(3) + grown, lag)[2]) - 0.1

    assert orbit.period / unit == pytest.approx(2 * brentq(excess, 1.5, 10), rel=1e-9)


def test_sweeps_find_the_period(follower: jounce.System) -> None:
    found = jounce.sweep(follower, "rate", [2.0, 3.0], "phase:0", starts=[follower.state()])
    assert set(found.attractors.period) == {1}


def test_models_with_internal_states_survive_files(tmp_path: Path) -> None:
    model = motor()
    model.to_file(tmp_path / "motor.toml")
    text = (tmp_path / "motor.toml").read_text()
    assert "[rates]" in text
    assert "integral" not in text
    again = jounce.Model.from_file(tmp_path / "motor.toml")
    first, second = (jounce.simulate(which, None, t_end=1.0) for which in (model, again))
    assert first.final.as_dict() == second.final.as_dict()
    first.save(tmp_path / "run.nc")
    assert jounce.load(tmp_path / "run.nc").at(0.5)["z"] == first.at(0.5)["z"]
    assert jounce.plot.plot_time_history(first) is not None


def test_bodies_may_have_internal_states() -> None:
    """A mass on a Maxwell element: the force z in the damper's spring relaxes; against SciPy."""
    block = jounce.Body("block", mass=1.0, inertia=1.0)
    z = jounce.internal("z", "N")
    model = jounce.Model.from_bodies(
        "maxwell", bodies=[block], forces=[jounce.Force(block, (-z, 0))], rates={z: 50 * block.motion[0] - 20 * z},
        start={block.x: 0.1, z: 2.0},
    )  # fmt: skip
    run = jounce.simulate(model, None, t_end=2.0, tolerance=1e-11)
    wanted = solve_ivp(lambda t, y: [y[1], -y[2], 50 * y[1] - 20 * y[2]], (0, 2), [0.1, 0, 2.0], rtol=1e-12, atol=1e-13)
    found = [run.final[name] for name in ("block_x", "d_block_x", "z")]
    np.testing.assert_allclose(found, wanted.y[:, -1], atol=1e-9)


def test_friction_may_depend_on_it() -> None:
    """A block that heats its track while it slides, mu = 0.4/(1 + T): against SciPy, to the end of the slip."""
    x, dx = jounce.coordinate("x", "m")
    y, dy = jounce.coordinate("y", "m")
    T = jounce.internal("T", "K")
    track = jounce.Contact("track", gap=y, slip=dx, friction=sp.Rational(2, 5) / (1 + T))
    model = jounce.Model.from_lagrangian(
        "heater", coordinates=[x, y], kinetic=(dx**2 + dy**2) / 2, potential=G * y, contacts=[track],
        rates={T: dx**2 / 4 - T},
    )  # fmt: skip
    run = jounce.simulate(model, {"d_x": 3.0}, t_end=3.0, tolerance=1e-11)

    def stops(t: float, z: np.ndarray) -> float:
        return float(z[1])

    stops.terminal = True  # type: ignore[attr-defined]
    wanted = solve_ivp(
        lambda t, z: [z[1], -0.4 * G / (1 + z[2]), z[1] ** 2 / 4 - z[2]], (0, 3), [0, 3, 0],
        rtol=1e-12, atol=1e-13, events=stops, method="DOP853",
    )  # fmt: skip
    assert run.events[run.events.kind == "stick"].t.iloc[0] == pytest.approx(wanted.t[-1], rel=1e-9)
    assert run.final["x"] == pytest.approx(wanted.y[0, -1], rel=1e-9)
    assert float(np.abs(run.energy["residual"]).max()) < 1e-9
    assert run.audit().empty


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"rates": {"x": 1}}, "internal state 'x' has the same name as the coordinate 'x'"),
        ({"rates": [1]}, "expected a dictionary"),
        (
            {"contacts": [jounce.Contact("wall", gap=sp.Symbol("x") + sp.Symbol("z"))]},
            "depends on the internal state 'z'",
        ),
        ({"mass": [1 + sp.Symbol("z") ** 2]}, "depends on the internal state 'z'"),
    ],
)
def test_mistakes_are_named(parts: dict[str, object], words: str) -> None:
    x, _ = jounce.coordinate("x", "m")
    given = {"mass": [1], "forces": [0], "rates": {jounce.internal("z"): 1}} | parts
    with pytest.raises(jounce.ModelError) as error:
        jounce.Model("wrong", [x], **given)
    assert words in str(error.value)


def test_a_ball_rests_on_its_floor_with_the_thrust_at_its_command() -> None:
    rest = jounce.find_equilibrium(motor(), "SLIP+")
    assert rest.state["z"] == pytest.approx(4.0, rel=1e-12)
    assert rest.forces[0, 0] == pytest.approx(G - 4.0, rel=1e-12)
    assert rest.eigenvalues[-1] == pytest.approx(-1 / 0.3, rel=1e-9)
    assert repr(rest) == "<Equilibrium of motor in floor:SLIP+: y=0, z=4; stable>"


def test_the_command_line_and_the_studio_name_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from jounce.cli.main import main
    from jounce.studio.catalogue import Catalogue, describe

    motor().to_file(tmp_path / "motor.toml")
    assert main(["show", str(tmp_path / "motor.toml")]) == 0
    shown = capsys.readouterr().out
    assert "Internal states" in shown
    assert "integral" not in shown
    page = describe(Catalogue(motor()).entry("motor"))
    assert [entry["name"] for entry in page["state"]] == ["y", "d_y", "z"]
    assert page["coordinates"] == ["y"]
