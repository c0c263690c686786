"""Discrete states that take real values are variables: derivatives, orbits, branches and exponents go by them."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import sympy as sp
from scipy.linalg import expm
from scipy.optimize import brentq

import jounce
from jounce.analysis.stability.variation import flow
from jounce.analysis.variables import variable_names, variables_of
from jounce.model.real_states import real_states
from tests.families.check import at_most
from tests.sweeps.test_sampled import EVERY, D, K, driven_broom

OPTIONS = jounce.Options(tolerance=1e-13)


def sample_map(delay: float) -> np.ndarray:
    """The map of deviations (x, x', F) of the broom from sample to sample, by matrix exponentials."""
    flow = np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    change = expm(flow * delay)
    change[2] = -K, -D, 0.0
    return expm(flow * (EVERY - delay)) @ change


def by_size(values: np.ndarray) -> np.ndarray:
    return np.array(sorted(values, key=lambda value: (-round(abs(value), 9), value.imag)))


@pytest.mark.parametrize("delay", [0.05, 0.1, 0.15])
def test_multipliers_of_a_sampled_controller_are_those_of_its_map(delay: float) -> None:
    """Two samples make a period; what waits to be applied follows from the state: its multiplier is zero.

    With a delay of half the time between samples the guess begins and ends at a sample.
    """
    orbit = jounce.find_orbit(driven_broom(), {"x": 0.1}, delay=delay)
    step = sample_map(delay)
    expected = np.append(np.linalg.eigvals(step @ step), 0.0)
    np.testing.assert_allclose(by_size(orbit.multipliers), by_size(expected), atol=1e-12)
    assert len(orbit.signature) == 4
    assert orbit.irregular == 0


def test_a_delayed_controller_loses_its_stability_where_its_map_does(tmp_path: Path) -> None:
    system = driven_broom()
    orbit = jounce.find_orbit(system, {"x": 0.1}, delay=0.12)
    branch = jounce.continue_orbit(orbit, "delay", (0.12, 0.2))
    expected = brentq(lambda delay: np.abs(np.linalg.eigvals(sample_map(delay))).max() - 1.0, 0.12, 0.2, xtol=1e-14)
    (found,) = branch.specials
    assert found.kind == "neimark_sacker"
    assert found.parameter == pytest.approx(expected, abs=1e-9)
    branch.save(tmp_path / "branch.nc")
    again = jounce.load(tmp_path / "branch.nc")
    assert again.table.equals(branch.table)
    assert {"F", "min_F", "max_F"} <= set(branch.table.columns)
    solution = again.points[3].solution
    assert solution.run.final["F"] == pytest.approx(solution.state["F"], abs=1e-11)


def test_exponents_of_a_sampled_controller() -> None:
    """Their sum is the logarithm of a determinant, which no direction of a perturbation shapes."""
    delay = 0.1
    found = jounce.lyapunov(driven_broom(), {"x": 0.1}, 300 * EVERY, count=3, delay=delay)
    expected = np.sort(np.log(np.abs(np.linalg.eigvals(sample_map(delay)))) / EVERY)[::-1]
    assert found.exponents == pytest.approx(expected, abs=0.02)
    assert found.exponents.sum() == pytest.approx(expected.sum(), abs=2e-2)


@cache
def learning_ball() -> jounce.System:
    """A ball between a floor that learns and a gate: every kind of expression depends on what was remembered.

    The floor's height, its restitution and friction, the force, the gate and the map itself.
    """
    x, dx = jounce.coordinate("x", "m")
    y, dy = jounce.coordinate("y", "m")
    a, b = jounce.parameters(a=0.2, b=0.3)
    speed, height, hits = jounce.discrete("speed", 1.0), jounce.discrete("height", 0.05), jounce.discrete("hits")
    floor = jounce.Contact(
        "floor", gap=y - height - a * x / 10, slip=dx, friction=0.02 + speed / 500, restitution=1 / (1 + a * speed)
    )
    resets = [
        jounce.Reset("impact:floor", {speed: dy - b * dx, hits: hits + 1}, name="learn"),
        jounce.Reset(
            x - 0.5 - a * height, {height: height * sp.cos(y) / 2 + speed / 90, dx: dx - b * speed}, name="gate"
        ),
    ]
    force = [-a * speed * dx - x, -9.81 - b * height]
    return jounce.compile_model(
        jounce.Model("learning", [x, y], [1, 1.5], force, contacts=[floor], resets=resets, start={y: 1.0, dx: 1.0})
    )


def difference(arrive, z0: np.ndarray, k: int, step: float) -> np.ndarray:
    """A central difference of order six."""
    total = np.zeros_like(z0)
    for order, weight in ((1, 45), (2, -9), (3, 1)):
        shift = order * step * np.eye(len(z0))[k]
        total += weight * (arrive(z0 + shift) - arrive(z0 - shift))
    return total / (60 * step)


@pytest.mark.parametrize("duration", [0.7, 1.4, 2.3])
def test_derivatives_agree_with_differences(duration: float) -> None:
    system = learning_ball()
    start = system.state()
    names = variable_names(system)
    assert names == ("x", "y", "d_x", "d_y", "speed", "height")

    def arrive(z: np.ndarray, **parameters: float) -> np.ndarray:
        moved = start.replace(**dict(zip(names, z.tolist(), strict=True)))
        run = jounce.simulate(system, moved, duration, options=OPTIONS, **parameters)
        assert run.events.kind.tolist() == events
        return variables_of(system, run.final)

    found = flow(system, start, duration, parameter="a", options=OPTIONS)
    events = found.run.events.kind.tolist()
    assert {"learn", "gate"} <= set(found.run.events.reset)
    assert found.irregular == 0
    z0 = variables_of(system, start)
    columns = np.array([difference(arrive, z0, k, 2e-4) for k in range(len(z0))]).T
    np.testing.assert_allclose(found.matrix, columns, atol=1e-9 * np.abs(columns).max())

    def moved_parameter(value: np.ndarray) -> np.ndarray:
        return arrive(z0, a=float(value[0]))

    by_parameter = sum(
        weight * (moved_parameter(np.array([0.2 + order * 2e-4])) - moved_parameter(np.array([0.2 - order * 2e-4])))
        for order, weight in ((1, 45), (2, -9), (3, 1))
    ) / (60 * 2e-4)  # fmt: skip
    np.testing.assert_allclose(found.parameter_column, by_parameter, atol=1e-9 * np.abs(by_parameter).max())


def test_a_memory_that_nothing_reads_is_no_variable() -> None:
    x, dx = jounce.coordinate("x")
    last = jounce.discrete("last")
    model = jounce.Model("memory", [x], [1], [-x], resets=[jounce.Reset(dx, {last: x})], start={x: 1.0})
    system = jounce.compile_model(model)
    assert system.real_states == ()
    turn = np.array([[np.cos(5.0), np.sin(5.0)], [-np.sin(5.0), np.cos(5.0)]])
    np.testing.assert_allclose(flow(system, system.state(), 5.0).matrix, turn, atol=1e-9)


def test_an_autonomous_orbit_with_a_memory() -> None:
    """An oscillator that is kicked by a part of how far it came the last time: closed form of cycle and multipliers.

    x'' = -x; where x' falls through zero (at x = r) the amplitude r is remembered as s, and the one before in the force
    of the kick: at x = 0 upwards x' becomes c + k s. With turns of radius v: s' = v, v' = c + k s. The cycle has
    v = s = c/(1 - k); the map (v, s) -> (c + k v, v) has the multipliers k and 0.
    """
    x, dx = jounce.coordinate("x")
    c, k = jounce.parameters(c=1.0, k=0.6)
    s = jounce.discrete("s", 1.0)
    resets = [
        jounce.Reset(dx, {s: x}, direction=-1, name="crest"),
        jounce.Reset(x, {dx: c + k * s}, direction=+1, name="kick"),
    ]
    system = jounce.compile_model(jounce.Model("kicked", [x], [1], [-x], resets=resets, start={x: 0.1, dx: 2.0}))
    orbit = jounce.find_orbit(system, {"x": 0.1, "d_x": 2.0, "s": 2.0}, "reset:crest")
    assert orbit.period == pytest.approx(2 * np.pi, abs=1e-10)
    assert orbit.state["s"] == pytest.approx(2.5, abs=1e-10)
    np.testing.assert_allclose(by_size(orbit.nontrivial), [0.6, 0.0], atol=1e-9)
    branch = jounce.continue_orbit(orbit, "k", (0.5, 0.9))
    table = branch.table
    np.testing.assert_allclose(table["max_s"], 1 / (1 - table["k"]), rtol=1e-9)


def test_runs_end_at_samples() -> None:
    """Ends and scheduled changes at whole periods, where the time that is left may be the rounding of their sum."""
    system = driven_broom()
    for k in range(30, 90):
        end = 0.3 * k
        run = jounce.simulate(system, {"x": 0.1}, end)
        assert run.status.name == "FINISHED"
        assert run.t_end == end
        changed = jounce.simulate(system, {"x": 0.1}, end + 0.2, schedule=[(end, {"delay": 0.04})])
        assert changed.status.name == "FINISHED"
        assert changed.audit().empty


def test_what_takes_real_values_is_read_off_its_form() -> None:
    """Flags depend on the motion by conditions and signs alone; a state that is given such a state's value follows."""
    x, dx = jounce.coordinate("x", "m")
    flag, side, held, follows, clipped = (
        jounce.discrete(name) for name in ("flag", "side", "held", "follows", "clipped")
    )
    changes = {
        flag: sp.Piecewise((1, x + dx > 0), (0, True)), side: sp.sign(x) + flag, follows: 2 * held + 1, held: x,
        clipped: sp.Piecewise((1, x > 1), (x**2, True)),
    }  # fmt: skip
    model = jounce.Model("states", [x], [1], [flag + side + follows + clipped], resets=[jounce.Reset(dx, changes)])
    assert jounce.compile_model(model).real_states == ("held", "follows", "clipped")


def sampled_map(force: sp.Expr, states: dict[sp.Symbol, sp.Expr], name: str) -> jounce.System:
    """A damped oscillator with exponents -1/2, -1/2, a force on it, and a map of discrete states once a second."""
    x, dx = jounce.coordinate("x")
    wave = sp.sin(2 * sp.pi * jounce.time - 1)
    resets = [jounce.Reset(wave, states, direction=1, name="map")]
    return jounce.compile_model(jounce.Model(name, [x], [1], [force - x - dx], resets=resets, start={x: 1.0}, period=1))


def test_a_map_of_discrete_states_has_its_exponents() -> None:
    """Maps that no motion enters stretch all the same: Hénon's, with exponents of the sum ln 3/10, and 3 x mod 1."""
    a, b, c = jounce.discrete("a", 0.1), jounce.discrete("b", 0.1), jounce.discrete("c", 0.3)
    henon = sampled_map(a, {a: 1 - sp.Rational(7, 5) * a**2 + b, b: sp.Rational(3, 10) * a}, "henon")
    found = jounce.lyapunov(henon, henon.state(), 3000.0).exponents
    assert found[0] == pytest.approx(0.4192, abs=0.02)  # Benettin et al. 1980, and many since
    assert found[1:3] == pytest.approx([-0.5, -0.5], abs=2e-3)
    assert found.sum() == pytest.approx(np.log(0.3) - 1.0, abs=1e-3)
    tripled = sampled_map(c, {c: 3 * c - sp.Heaviside(3 * c - 1) - sp.Heaviside(3 * c - 2)}, "tripled")
    found = jounce.lyapunov(tripled, tripled.state(), 200.0).exponents
    assert found[0] == pytest.approx(np.log(3.0), rel=1e-9)


def test_the_fixed_point_of_a_map_of_discrete_states_has_its_multipliers() -> None:
    a = jounce.discrete("a", 0.6)
    logistic = sampled_map(a, {a: sp.Rational(14, 5) * a * (1 - a)}, "logistic")
    orbit = jounce.find_orbit(logistic, logistic.state(x=0.6), "reset:map")
    assert orbit.state["a"] == pytest.approx(1 - 5 / 14, abs=1e-10)
    slowest = np.exp(-0.5)
    assert sorted(np.abs(orbit.multipliers)) == pytest.approx(sorted([slowest, slowest, 0.8]), abs=1e-8)


@pytest.mark.parametrize(
    "change",
    [
        lambda n: n + 1, lambda n: 1 - n, lambda n: 3 * n - 4 * sp.Heaviside(n - 2), lambda n: n * (n - 1),
        lambda n: n + 0.5, lambda n: sp.Piecewise((n + 0.25, n < 3), (-n, True)), lambda n: sp.sign(n) * sp.Min(n, 3),
        lambda n: 7,
    ],
)  # fmt: skip
def test_counters_and_flags_do_not_vary(change) -> None:
    x, dx = jounce.coordinate("x")
    n = jounce.discrete("n", 1)
    assert real_states(jounce.Model("counts", [x], [1], [n - x], resets=[jounce.Reset(dx, {n: change(n)})])) == ()


def test_a_map_that_moves_nothing_has_no_exponents_and_a_word_says_so() -> None:
    """Memories, sums and counters that nothing reads are no maps of their own."""
    a, b, s, n = jounce.discrete("a", 0.1), jounce.discrete("b", 0.1), jounce.discrete("s"), jounce.discrete("n")
    x = jounce.coordinate("x")[0]
    idle = sampled_map(sp.Integer(0), {a: 1 - sp.Rational(7, 5) * a**2 + b, b: sp.Rational(3, 10) * a}, "idle")
    with pytest.warns(UserWarning, match="discrete states a, b change by a map of their own"):
        assert len(jounce.lyapunov(idle, idle.state(), 30.0).exponents) == 2
    silent = sampled_map(sp.Integer(0), {a: x, b: a, s: s + x, n: n + 1}, "silent")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jounce.lyapunov(silent, silent.state(), 30.0)


def test_a_sampled_crank_with_dry_friction() -> None:
    """The conditions under which its friction holds have too many terms for a derivative; it is made in seconds."""
    (a, da), (b, db), (s, ds) = (jounce.coordinate(name, unit) for name, unit in (("a", ""), ("b", ""), ("s", "m")))
    r, far, torque = jounce.parameters(r=(0.2, "m"), far=(0.7, "m"), torque=(0.4, "N m"))
    middle = (r * sp.cos(a) + far * sp.cos(b) / 2, far * sp.sin(b) / 2)
    speeds = [sum(sp.diff(place, q) * u for q, u in ((a, da), (b, db))) for place in middle]
    command = jounce.discrete("command", 0.0, "N m")
    model = jounce.Model.from_lagrangian(
        "sampled_crank", coordinates=[a, b, s], kinetic=da**2 / 20 + (speeds[0] ** 2 + speeds[1] ** 2 + ds**2) / 2,
        forces={a: command - torque * sp.sign(da)}, resets=jounce.sampled({command: -3 * a}, every=0.1),
        joints={"reach": r * sp.cos(a) + far * sp.cos(b) - s, "guide": r * sp.sin(a) + far * sp.sin(b)},
    )  # fmt: skip
    with at_most(1.0):
        assert real_states(model) == ("command",)
