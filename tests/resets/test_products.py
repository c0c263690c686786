"""Jumps that share a product, that feel each other and that lose their force while they hold: against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from sympy import Heaviside, Piecewise, Rational, cos, sign, sin

import jounce
from jounce import Model, Options, coordinate, coordinates, time

X, DX = coordinate("x", "m")
(A, DA), (B, DB) = coordinates("a b", "m")
R = Rational
DENSE = Options(audit="dense")


def smoothed(forces, masses, start, t_end: float, width: float) -> np.ndarray:
    """The same motion with tanh(s/width) in place of every sign, by SciPy."""
    q, u = ([X], [DX]) if len(forces) == 1 else ([A, B], [DA, DB])
    sign_of = {"sign": lambda z: np.tanh(z / width), "Heaviside": lambda z, _=0: (1 + np.tanh(z / width)) / 2}
    force = sp.lambdify([*q, *u, time], forces, modules=[sign_of, "numpy"])
    n = len(q)

    def rates(t, z):
        return [*z[n:], *(f / m for f, m in zip(force(*z, t), masses, strict=True))]

    begin = [start.get(symbol, 0.0) for symbol in (*q, *u)]
    found = solve_ivp(rates, (0.0, t_end), begin, method="Radau", rtol=1e-8, atol=1e-12, max_step=0.01)
    return found.y[:, -1]


STACK = -R(3, 10) * sign(DA - DB), R(3, 10) * sign(DA - DB) - sign(DB) / 5


@pytest.mark.parametrize(
    ("forces", "start", "t_end"),
    [
        ([-X - sign(DX) * sign(DX - 1)], {X: -1.5}, 5.0),  # held at v = 1, where only the second jumps
        ([-X - R(3, 10) * sign(DX) * Heaviside(X)], {X: 2.1}, 12.0),  # friction on one half of the way
        ([-X - sign(DX) * (R(1, 5) + Heaviside(R(1, 10) - sp.Abs(DX)) / 5)], {X: 2.0}, 12.0),
        ([-X + 2 - 2 * sign(DX) * Heaviside(sp.Abs(DX) - R(1, 2))], {X: 0.0}, 3.0),  # a brake above a speed
        ([-sign(DA) * (2 + sign(DB)) * R(3, 10) - A, -sign(DB) * (2 + sign(DA)) * R(3, 10) - B], {A: 2.0, B: 1.0}, 8.0),
        ([-A - sign(DA - 1) * (1 + Heaviside(DB)) * R(3, 10), sin(2 * time) / 2 - B - sign(DB) * R(3, 10)],
         {A: 2.0, B: 1.0}, 12.0),
        ([STACK[0], STACK[1] + time / 10], {A: 0.0}, 15.0),  # two blocks: both held, one leaves, then the other
        ([STACK[0], STACK[1] + R(1, 2)], {A: 0.0}, 2.0),
        ([STACK[0], STACK[1] + 3], {A: 0.0}, 2.0),
        ([STACK[0], STACK[1] + 2 * sin(time)], {A: 0.0}, 6.0),
        ([STACK[0], STACK[1]], {DA: -1.0, DB: 1.0}, 8.0),
    ],
)  # fmt: skip
def test_jumps_that_feel_each_other_against_smoothed_ones(forces, start, t_end: float) -> None:
    coordinates_ = [X] if len(forces) == 1 else [A, B]
    masses = [1, 2][: len(forces)]
    run = jounce.simulate(
        Model("jumps", coordinates_, masses, list(forces), start={s.name: v for s, v in start.items()}),
        None,
        t_end,
        options=Options(audit="dense", max_steps=20_000),
    )
    assert run.status.ok, run.status
    ours = np.concatenate([run.final.q, run.final.u])
    coarse, fine = (smoothed(forces, masses, start, t_end, width) for width in (1e-5, 1e-6))
    assert np.abs(ours - fine).max() < 2e-4
    assert np.abs(ours - fine).max() <= np.abs(ours - coarse).max() + 1e-6  # and it is their limit
    assert float(abs(run.energy.residual).max()) < 1e-8


def test_two_equal_masses_stop_at_one_instant() -> None:
    """Both surfaces vanish together; a product of their signs holds one of them, and the other moves on."""
    model = Model(
        "equal",
        [A, B],
        [1, 1],
        [-A - R(3, 10) * sign(DA) * (2 + sign(DB)), -B - R(3, 10) * sign(DB) * (2 + sign(DA))],
        start={A: 2.0, B: 1.0},
    )
    run = jounce.simulate(model, None, 20.0, options=DENSE)
    assert run.status.ok
    # to the left both rub with 0.3 (2 - 1) ... a: 2 about 0.3 to -1.4, b: 1 about 0.3 to -0.4, where friction holds b
    at_turn = run.at(float(run.events.t[run.events.t > 1.0].iloc[0]))
    assert (at_turn["a"], at_turn["b"]) == pytest.approx((-1.4, -0.4), abs=1e-9)
    assert run.final["b"] == pytest.approx(-0.4, abs=1e-9)
    # b rests with the sign S of its force over 0.3 (2 + 1): 0.4 = -0.9 S; a turns about -0.3 (2 + S) = -7/15
    assert run.final["a"] == pytest.approx(-14 / 15 + 1.4 - 8 / 15, abs=1e-8)


@pytest.mark.parametrize(
    ("force", "x_end"),
    [
        (R(1, 5) - R(3, 10) * sign(DX) * Heaviside(2 - time), 0.1),  # a brake that is let go
        (R(1, 5) - R(3, 10) * sign(DX) * (1 - Heaviside(time - 1) / 2), 0.1),  # to half
        (-R(3, 10) * sign(DX) + Heaviside(time - 1) / 2, 0.4),  # pushed beyond its limit
        (R(1, 5) - sign(DX) * Piecewise((R(3, 10), time < 2), (0, True)), 0.1),
    ],
)
def test_what_holds_is_taken_away(force, x_end: float) -> None:
    run = jounce.simulate(Model("brake", [X], [1], [force]), None, 3.0, options=DENSE)
    assert run.status.ok
    assert run.final["x"] == pytest.approx(x_end, abs=1e-9)


def test_a_floor_that_ends_under_another_body() -> None:
    model = Model("floor", [A, B], [1, 1], [R(1, 5) - R(3, 10) * sign(DA) * Heaviside(1 - B), 0], start={"d_b": 1.0})
    run = jounce.simulate(model, None, 3.0, options=DENSE)
    assert run.status.ok
    assert run.final["a"] == pytest.approx(0.4, abs=1e-9)


def test_friction_that_a_schedule_lowers_lets_go() -> None:
    mu = jounce.parameter("mu", 0.3)
    model = Model("held", [X], [1], [-X - mu * sign(DX)], start={X: 0.25})
    run = jounce.simulate(model, None, 1.0 + np.pi, schedule=[(1.0, {"mu": 0.1})], options=DENSE)
    assert run.events.reset.dropna().tolist() == ["sign_d_x_starts", "sign_d_x_leaves"]
    assert run.final["x"] == pytest.approx(-0.05, abs=1e-9)  # 0.25 about -0.1 of friction


def test_units_are_the_same_motion() -> None:
    """Lengths times 2^20, times times 2^-7: bit for bit."""
    ends = []
    for length, seconds in ((1.0, 1.0), (2.0**20, 2.0**-7)):
        rate = length / seconds
        force = -X / seconds**2 - R(3, 10) * length / seconds**2 * sign(DX) * Heaviside(DX + rate / 2)
        model = Model("scaled", [X], [1], [sp.nsimplify(force)], start={X: 2.0 * length})
        run = jounce.simulate(model, None, 8.0 * seconds)
        ends.append((run.final["x"] / length, run.final["d_x"] / rate, len(run.events)))
    assert ends[0] == ends[1]


def test_an_orbit_through_a_product() -> None:
    """Friction on one half of the way: the multipliers are those of differences of the flow."""
    force = -X - DX / 5 - R(3, 10) * sign(DX) * Heaviside(X) + cos(2 * time)
    system = jounce.compile_model(Model("half", [X], [1], [force], period=sp.pi))
    start = jounce.simulate(system, {"x": 1.0}, 40 * np.pi).final.replace(t=0.0)
    orbit = jounce.find_orbit(system, start, "phase:0")
    end = jounce.simulate(system, orbit.state, orbit.state.t + np.pi).final
    assert end["x"] == pytest.approx(orbit.state["x"], abs=1e-8)
    rows = []
    for name in ("x", "d_x"):
        moved = [orbit.state.replace(**{name: orbit.state[name] + step}) for step in (1e-6, -1e-6)]
        ends = [jounce.simulate(system, state, state.t + np.pi, tolerance=1e-12).final for state in moved]
        rows.append([(ends[0][k] - ends[1][k]) / 2e-6 for k in ("x", "d_x")])
    expected = np.sort_complex(np.linalg.eigvals(np.array(rows).T))
    assert np.sort_complex(orbit.multipliers) == pytest.approx(expected, abs=1e-5)
