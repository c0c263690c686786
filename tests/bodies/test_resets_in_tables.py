"""Resets, discrete and internal states in tables: the same maps and motions as compiled, in any units."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Body, CircleOn, Force, Line, Model, Reset, Revolute, Spring, Torque, contact_between, ground
from jounce.analysis.stability.variation import flow
from jounce.model.bodies.machine_model import MachineModel
from jounce.system.evaluation import values_of

UNITS = {"SI": (1.0, 1.0, 1.0), "mm_ms_g": (1e3, 1e3, 1e3), "foot_minute_pound": (3.28, 1 / 60, 2.2)}


def _juggler() -> Model:
    """A disc that is struck on its floor, and a door whose motor a relay turns round; L, T and M are the units.

    The thrust on the disc is held from bounce to bounce, the current of the motor follows its voltage.
    """
    L, T, M = jounce.parameters(L=1.0, T=1.0, M=1.0)
    speed, force = L / T, M * L / T**2
    disc = Body("disc", M, 0.005 * M * L**2, center=(0, L), velocity=(0.3 * speed, 0))
    door = Body("door", 2 * M, 0.3 * M * L**2, center=(2 * L, 0), angle=0, spin=1 / T)
    bounces, thrust, side = jounce.discrete("bounces"), jounce.discrete("thrust"), jounce.discrete("side", 1.0)
    current = jounce.internal("current", "A")
    held = sp.Piecewise((1, sp.Eq(side, 1)), (sp.Rational(3, 2), True))
    floor = contact_between("floor", CircleOn(disc, (0, 0), 0.1 * L), Line(ground), friction=0.1, restitution=0.8)
    return Model.from_bodies(
        "juggler",
        bodies=[disc, door],
        joints=[Revolute("hinge", ground, door, (2 * L, 0), radius=0.01 * L, friction=0.2)],
        forces=[
            Force(disc, (thrust * force, 0)),
            Torque(door, current * force * L - 0.1 * side * held * force * L),
            Spring(ground, door, force / L * (1 + side / 2), rest_length=L, at_first=(2 * L, L), at_second=(L / 9, 0)),
        ],
        contacts=[floor],
        rates={current: (side * sp.cos(door.theta) - 3 * current) / T},
        start={current: 0.5},
        resets=[
            Reset("impact:floor", {disc.d_y: disc.d_y + 0.3 * speed, bounces: bounces + 1, thrust: -disc.d_x / speed},
                  only_if=bounces < 4, name="strike"),
            Reset(door.theta - 0.4, {side: -1, door.d_theta: 0.9 * door.d_theta}, direction=1, only_if=sp.Eq(side, 1)),
            Reset(door.theta + 0.2, {side: 1}, direction=-1, only_if=sp.Or(sp.Ne(side, 1), bounces > 100), name="back"),
        ],
        gravity=9.81 * L / T**2,
    )  # fmt: skip


@cache
def _systems() -> list[Any]:
    model = _juggler()
    assert isinstance(model, MachineModel)
    return [jounce.compile_model(model, bodies=way) for way in ("tables", "compiled")]


def _vectors(system: Any) -> tuple[np.ndarray, np.ndarray]:
    """Places and speeds whose units are those of the state, by their powers of L and 1/T."""
    lengths = np.array([1, 1, 0] * 2 + [0])
    return lengths, np.array([1, 1, 1] * 2 + [0])


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
def test_functions_are_those_of_compiled_code(units: tuple[float, float, float]) -> None:
    L, T, M = units
    tables, compiled = _systems()
    assert tables.parameter_names == compiled.parameter_names == ("L", "T", "M")
    assert tables.state_names == compiled.state_names == ("bounces", "thrust", "side")
    assert tables.real_states == compiled.real_states == ("thrust",)
    n, random = tables.n, np.random.default_rng(11)
    lengths, rates = _vectors(tables)
    place = L**lengths
    sizes = {"resets": 1 + 3 + 6, "dynamics": n * n + n, "guards": tables.ng, "powers": 4 + tables.nj}
    for side in (1.0, -1.0, 0.5):
        q, u = place * random.standard_normal(n), place / T**rates * random.standard_normal(n)
        p = np.array([L, T, M, 3.0, random.standard_normal(), side])
        for name, size in sizes.items():
            found, wanted = (values_of(getattr(s.functions, name), size, 0.3, q, u, p) for s in (tables, compiled))
            np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-13 * np.abs(wanted).max(), err_msg=name)


def test_tangents_are_those_of_compiled_code() -> None:
    tables, compiled = _systems()
    n, random = tables.n, np.random.default_rng(3)
    q, u, dq, du = random.standard_normal((4, n))
    p = np.array([1.0, 1.0, 1.0, 3.0, 0.7, 1.0])
    dp = np.array([0.1, 0.2, -0.3, 0.0, 0.4, 0.0])  # flags and counters do not vary
    packed = 0.3, np.append(q, [*dq, 0.0]), np.append(u, [*du, 0.7]), np.append(p, dp)
    for name, size in {"resets": 6, "dynamics": n * n + n, "guards": tables.ng}.items():
        found, wanted = (values_of(getattr(s.tangents, f"{name}_tangent"), size, *packed) for s in (tables, compiled))
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12, err_msg=name)


def _run(system: Any, units: tuple[float, float, float], t_end: float) -> Any:
    L, T, M = units
    lengths, rates = _vectors(system)
    start = system.state()
    start = jounce.State(0.0, start.q * L**lengths, start.u * L**lengths / T**rates, system.coordinate_names)
    return jounce.simulate(system, start, t_end * T, tolerance=1e-11, L=L, T=T, M=M)


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
def test_motions_are_those_of_compiled_code(units: tuple[float, float, float]) -> None:
    L, T, M = units
    runs = [_run(system, units, 4.0) for system in _systems()]
    lengths, rates = _vectors(_systems()[0])
    assert [run.status.name for run in runs] == ["FINISHED"] * 2
    assert list(runs[0].events.kind) == list(runs[1].events.kind)
    assert (runs[0].events.kind == "reset").sum() >= 5
    np.testing.assert_allclose(runs[0].events.t, runs[1].events.t, rtol=0.0, atol=1e-10 * T)
    np.testing.assert_allclose(runs[0].final.q, runs[1].final.q, rtol=0.0, atol=1e-10 * L)
    scale = L**lengths / T**rates
    np.testing.assert_allclose(runs[0].final.u / scale, runs[1].final.u / scale, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(runs[0].final.memory, runs[1].final.memory, rtol=1e-10)
    assert runs[0].audit("dense").empty
    energy = M * (L / T) ** 2
    found, wanted = (run.energy for run in runs)
    assert abs(found.residual.values).max() < 1e-8 * energy
    for name in ("kinetic", "potential", "applied_work"):
        assert found[name].values[-1] == pytest.approx(wanted[name].values[-1], rel=1e-8, abs=1e-8 * energy)


def test_derivatives_of_the_flow_are_those_of_compiled_code() -> None:
    options = jounce.Options(tolerance=1e-11)
    found, wanted = (flow(system, system.state(), 1.5, options=options) for system in _systems())
    assert (found.run.events.kind == "reset").any()
    assert found.matrix.shape == wanted.matrix.shape
    assert np.abs(found.matrix - wanted.matrix).max() < 1e-6 * np.abs(wanted.matrix).max()


def test_coordinates_repeat_as_in_compiled_code() -> None:
    tables, compiled = _systems()
    assert tables.turns == compiled.turns


def test_chain_with_a_controller_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty links, the last of them driven by a relay and a filter: nothing is written out or compiled."""

    def refuse(*_: Any) -> None:
        raise AssertionError("something was compiled")

    monkeypatch.setattr("jounce.codegen.cache.load_model", refuse)
    links = [Body(f"link{k}", 1.0, 0.01, center=(0.2 * k + 0.1, 0), angle=0) for k in range(30)]
    joints = [
        Revolute(f"pin{k}", before, link, (0, 0) if k == 0 else (0.1, 0), (-0.1, 0))
        for k, (before, link) in enumerate(zip([ground, *links], links, strict=False))
    ]
    side, filtered, end = jounce.discrete("side", 1.0), jounce.internal("filtered", "m/s"), links[-1]
    model = Model.from_bodies(
        "driven_chain", bodies=links, joints=joints, gravity=9.81,
        forces=[Force(end, (0, 20 * side - 5 * filtered))],
        rates={filtered: 100 * (end.d_y - filtered)},
        resets=[Reset(end.y - 0.01, {side: -1}, direction=1), Reset(end.y + 0.01, {side: 1}, direction=-1, name="on")],
    )  # fmt: skip
    run = jounce.simulate(jounce.compile_model(model), None, 0.1)
    assert run.status.name == "FINISHED"
    assert (run.events.kind == "reset").any()
    assert run.audit().empty
    assert "written" not in vars(model)
    assert abs(run.energy.residual.values).max() < 1e-7


def test_mistakes_are_named_when_the_model_is_made() -> None:
    ball = Body("ball", 1.0, 0.1, center=(0, 1.0))
    floor = contact_between("floor", CircleOn(ball, (0, 0), 0.1), Line(ground))
    for reset, says in (
        (Reset("impact:flour", {ball.d_y: 0}), "there is no contact 'flour'"),
        (Reset("low", {ball.d_y: 0}), "there is no guard 'low'"),
        (Reset(ball.y, {"bal_y": 0}), "'bal_y' cannot be assigned"),
    ):
        with pytest.raises(jounce.ModelError, match=says):
            Model.from_bodies("wrong", bodies=[ball], contacts=[floor], resets=[reset])
