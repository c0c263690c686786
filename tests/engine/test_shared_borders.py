"""Borders that a jump shares with Abs, Max or Min: one branch on a step, whatever form it is written in."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy as sp
from sympy import Abs, Heaviside, Max, Min, Piecewise, sign

import jounce
from jounce import Contact, Model, coordinate, parameters
from jounce.codegen.held_choices import chosen, sign_of_choice

x, dx = coordinate("x", "m")
m, k, w, V, N, mu, T = parameters(
    m=(1.0, "kg"), k=(5.0, "N/m"), w=(3.0, "rad/s"), V=(0.7, "m/s"), N=(10.0, "N"), mu=0.08, T=(1.0, "s")
)
t = jounce.time
tau = sp.sin(w * t)


def _belt(name: str, speed: sp.Expr) -> jounce.System:
    pad = Contact("belt", slip=dx - speed, friction=mu, load=(), preload=N)
    return jounce.compile_model(Model(name, [x], [m], [-k * x], contacts=[pad], period=2 * sp.pi / w))


def _run(system: jounce.System, t_end: float, start: dict[str, float], **given: Any) -> jounce.Trajectory:
    run = jounce.simulate(system, start, t_end, options=jounce.Options(audit="dense", max_steps=5000), **given)
    assert run.status.ok, run.status.message
    assert run.audit().empty
    return run


@pytest.mark.parametrize(
    ("speed", "cases"),
    [
        (V * Max(0, tau), Piecewise((V * tau, tau > 0), (0, True))),
        (V * Max(0, tau) + V * Heaviside(tau) / 2, Piecewise((V * tau + V / 2, tau > 0), (0, True))),
        (V * Abs(tau) + V * sign(tau) / 2, Piecewise((V * tau + V / 2, tau > 0), (-V * tau - V / 2, True))),
        (V * Min(tau, 0) - V * Heaviside(-tau), Piecewise((0, tau > 0), (V * tau - V, True))),
    ],
)
def test_a_belt_is_the_same_in_any_form(speed: sp.Expr, cases: sp.Expr) -> None:
    """Its friction is too weak for what the belt does behind its border: the block must begin to slide there."""
    start = {"x": 0.0, "d_x": 0.02}
    one, other = _belt("choices", speed), _belt("cases", cases)
    for tolerance in (1e-7, 1e-11):
        runs = [_run(system, 20.0, start, tolerance=tolerance) for system in (one, other)]
        assert runs[0].events.kind.tolist() == runs[1].events.kind.tolist()
        np.testing.assert_allclose(runs[0].events.t, runs[1].events.t, rtol=1e-9)
        assert runs[0].final["x"] == pytest.approx(runs[1].final["x"], rel=1e-9)
        assert len(runs[0].data.step_t) < 1.2 * len(runs[1].data.step_t)


@pytest.mark.parametrize("ramp", [V * Max(0, t - T) / T, -V * Min(0, T - t) / T, V * (Abs(t - T) + t - T) / T / 2])
def test_a_block_begins_to_slide_where_a_ramp_begins(ramp: sp.Expr) -> None:
    """x = mu N (t - T)^2/(2 m) from then on."""
    run = _run(_belt("ramp", ramp), 3.0, {"x": 0.0}, k=0.0, mu=0.02)
    assert run.events.kind.tolist() == ["slip"]
    assert run.final["x"] == pytest.approx(0.4, rel=1e-12)
    assert len(run.data.step_t) < 20


def _half_swings(t_end: float) -> tuple[float, float]:
    """x and x' of x'' = -5 x for x < 0 and -20 x - 2 for x > 0, from x = 0.3, x' = 1."""
    time, place, rate = 0.0, 0.3, 1.0
    while True:
        above = place > 0.0 or (place == 0.0 and rate > 0.0)
        omega, centre = (math.sqrt(20.0), -0.1) if above else (math.sqrt(5.0), 0.0)
        radius, phase = math.hypot(place - centre, rate / omega), math.atan2(-rate / omega, place - centre)
        # x - centre = radius cos(phase + omega s) passes -centre with the rate that leaves the side
        leaves = math.acos(-centre / radius) if above else 2 * math.pi - math.acos(-centre / radius)
        duration = ((leaves - phase) % (2 * math.pi)) / omega
        last = time + duration > t_end
        duration = t_end - time if last else duration
        place = centre + radius * math.cos(phase + omega * duration) if last else 0.0
        rate = -radius * omega * math.sin(phase + omega * duration)
        time += duration
        if last:
            return place, rate


def test_a_spring_with_a_preload_on_one_side() -> None:
    """The larger spring begins where the preload does, at one border: Max and Heaviside."""
    F = jounce.parameter("F", 2.0, "N")
    spring = Model("spring", [x], [m], [-k * x - 3 * k * Max(0, x) - F * Heaviside(x)])
    run = _run(jounce.compile_model(spring), 7.0, {"x": 0.3, "d_x": 1.0}, tolerance=1e-12)
    assert (run.final["x"], run.final["d_x"]) == pytest.approx(_half_swings(7.0), abs=1e-11)


def test_choices_and_their_derivatives_leaf_by_leaf() -> None:
    """Without a held side they are what SymPy says."""
    a, b, c = sp.symbols("a b c", real=True)
    whole = [Max(0, Min(a, b)), Max(a, b, c), Min(a, Max(b, c)), Abs(a - b)]
    signs = [Heaviside(Min(a, b)), sign(a - Max(b, c)), Heaviside(2 * Max(a, Min(b, c)) - 1)]
    random = np.random.default_rng(4)
    for _ in range(20):
        values = dict(zip((a, b, c), random.uniform(-1, 1, 3), strict=True))
        for part in whole:
            assert chosen(part, lambda border: border > 0).subs(values) == pytest.approx(float(part.subs(values)))
        for part in signs:
            found = sign_of_choice(part, lambda border: border > 0)
            assert found is not None
            assert found.subs(values) == part.subs(values)
