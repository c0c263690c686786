"""Forces and coefficients of machines of tables that can be narrow are watched as in compiled code."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Body, CircleOn, Force, Line, Model, Spring, Torque, contact_between, ground
from jounce.codegen.ranges import FORCE, FRICTION, FRICTION_BACK
from jounce.model.bodies.machine_model import MachineModel
from jounce.system.evaluation import values_of

t, slip = jounce.time, jounce.slip
UNITS = {"SI": (1.0, 1.0, 1.0), "small": (2.0**-20, 2.0**-14, 2.0**9), "large": (2.0**17, 2.0**19, 2.0**-12)}
BEGIN = 0.8123456


def _pushed() -> Model:
    """A cart that is pushed by a jump, one by a bell, and a disc that is turned and rubs; the units are L, T, M."""
    L, T, M, width = jounce.parameters(L=1.0, T=1.0, M=1.0, width=1e-4)
    cart = Body("cart", M, 0.1 * M * L**2)
    bell = Body("bell", M, 0.1 * M * L**2, center=(3 * L, 0))
    disc = Body("disc", M, 0.02 * M * L**2, center=(6 * L, 0.2 * L))
    on = sp.And(t >= BEGIN * T, t < (BEGIN + width) * T)
    impulse = M * L / T
    push = impulse / (width * T) * sp.Piecewise((1, on), (0, True))
    peak = impulse / (sp.sqrt(sp.pi) * width * T) * sp.exp(-(((t - T * BEGIN) / (width * T)) ** 2))
    rubbing = 0.2 + 0.3 * sp.exp(-4 * slip * T / L)
    return Model.from_bodies(
        "pushed",
        bodies=[cart, bell, disc],
        contacts=[contact_between("floor", CircleOn(disc, (0, 0), 0.2 * L), Line(ground), friction=rubbing)],
        forces=[
            Force(cart, (push, 0), at=(0, 0.1 * L)),
            Force(bell, (0, peak)),
            Force(disc, (0, -9.81 * M * L / T**2)),
            Torque(disc, 0.4 * M * L**2 / T**2 * sp.sign(sp.sin(5 * t / T)), reaction=bell),
            Spring(ground, bell, 9.0 * M / T**2, at_first=(2 * L, 0)),
        ],
    )


@cache
def _both() -> list[Any]:
    model = _pushed()
    assert isinstance(model, MachineModel)
    systems = [jounce.compile_model(model, bodies=way) for way in ("tables", "compiled")]
    assert [system.tables is not None for system in systems] == [True, False]
    return systems


def _run(system: Any, units: tuple[float, float, float], width: float, duration: float) -> Any:
    L, T, M = units
    place = np.array([L, L, 1.0] * 3)
    start = jounce.State(0.0, system.state().q * place, np.zeros(9), system.coordinate_names)
    options = jounce.Options(tolerance=1e-10)
    return jounce.simulate(system, start, duration * T, options=options, L=L, T=T, M=M, width=width)


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
@pytest.mark.parametrize("width", [1e-2, 1e-6])
def test_pushes_give_their_momentum(units: tuple[float, float, float], width: float) -> None:
    """Of a push as long as a bell is wide: 1 from both, though no stage of a step need lie in either."""
    L, T, _ = units
    runs = [_run(system, units, width, 2.0) for system in _both()]
    for run in runs:
        assert run.status.name == "FINISHED"
        assert run.final["d_cart_x"] == pytest.approx(L / T, rel=1e-9)
        assert run.final["cart_x"] == pytest.approx(L * (2.0 - BEGIN - width / 2), rel=1e-9)
    place = np.array([L, L, 1.0] * 3)
    np.testing.assert_allclose(runs[0].final.q / place, runs[1].final.q / place, rtol=0.0, atol=1e-8)
    assert list(runs[0].events.kind) == list(runs[1].events.kind)
    np.testing.assert_allclose(runs[0].events.t, runs[1].events.t, rtol=0.0, atol=1e-9 * T)
    assert runs[0].audit("dense").empty
    assert len(runs[0].data.step_t) == pytest.approx(len(runs[1].data.step_t), rel=0.3)


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
def test_ranges_are_those_of_compiled_code(units: tuple[float, float, float]) -> None:
    tables, compiled = _both()
    kinds = {kind for kind, *_ in tables.narrow.outputs}
    assert kinds == {FORCE, FRICTION, FRICTION_BACK}
    assert {tuple(output) for output in tables.narrow.outputs} == {tuple(output) for output in compiled.narrow.outputs}
    L, T, _ = units
    random = np.random.default_rng(2)
    place = np.array([L, L, 1.0] * 3)
    for _ in range(20):
        q, u, moment = place * random.uniform(-1, 1, 9), place / T * random.uniform(-1, 1, 9), T * random.uniform(0, 2)
        half = 10.0 ** random.uniform(-6, -1)
        times = np.array([moment, moment + T * half])
        box_q = np.concatenate([q - half * place, q + half * place])
        box_u = np.concatenate([u - half * place / T, u + half * place / T])
        found = []
        for system in (tables, compiled):
            weights = {tuple(output): 1.0 + k for k, output in enumerate(sorted(map(tuple, tables.narrow.outputs)))}
            outputs = [weights[tuple(output)] for output in system.narrow.outputs]
            out = np.concatenate([outputs, np.full(4 * system.narrow.watched, np.nan)])
            vector = np.concatenate([units, [1e-3], np.zeros(system.vector_size - 4)])
            system.narrow.ranges(1, times, box_q, box_u, vector, out)
            rows = out[len(outputs) :].reshape(-1, 4)
            found.append(rows[np.lexsort(rows.T)])
        np.testing.assert_allclose(*found, rtol=1e-12)


def test_jumps_are_decided_by_the_sides_that_steps_hold() -> None:
    """The branch of a side goes on beyond its border, in forces, derivatives and works."""
    tables, compiled = _both()
    assert sorted(tables.model.watched, key=str) == sorted(compiled.model.watched, key=str)
    assert sum(tables.held_sides) == sum(compiled.held_sides) == 3
    assert tables.vector_size == compiled.vector_size
    q, u, n = np.zeros(9), np.ones(9), 9
    for sides in np.ndindex(3, 3, 3):
        values = dict(zip(map(str, tables.model.watched), np.array(sides) - 1.0, strict=True))
        found = []
        for system in (tables, compiled):
            held = [values[str(guard)] for guard in system.model.watched]
            p = np.concatenate([system.defaults, held])
            forces = values_of(system.functions.dynamics, n * n + n, 0.3, q, u, p)[n * n :]
            powers = values_of(system.functions.powers, 4, 0.3, q, u, p)
            packed = np.append(np.append(q, u), 0.0), np.append(np.append(u, q), 1.0), np.append(p, np.ones(p.size))
            slopes = values_of(system.tangents.dynamics_tangent, n * n + n, 0.3, *packed)[n * n :]
            found.append(np.concatenate([forces, powers, slopes]))
        np.testing.assert_allclose(*found, rtol=1e-12, atol=1e-12 * np.abs(found[1]).max())


def test_a_push_of_one_body_among_many_is_no_reason_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compiled is the range of the push alone."""

    def refuse(*_: Any) -> None:
        raise AssertionError("the whole machine was compiled")

    monkeypatch.setattr("jounce.codegen.cache.load_model", refuse)
    discs = [Body(f"disc_{k}", 1.0, 0.02, center=(k, 0.2)) for k in range(8)]
    contacts = [contact_between(disc.name, CircleOn(disc, (0, 0), 0.2), Line(ground), friction=0.5) for disc in discs]
    push = Force(discs[3], (sp.Piecewise((30, t < 0.1), (0, True)), 0))
    model = Model.from_bodies("row", bodies=discs, contacts=contacts, forces=[push], gravity=9.81)
    system = jounce.compile_model(model)
    assert system.narrow.outputs == [(FORCE, 9, 0)]
    assert "written" not in vars(model)
    run = jounce.simulate(system, system.state(), 0.5)
    # it slips and turns: m x'' = F - mu m g up to 0.1 s
    assert run.at(0.1)["disc_3_x"] == pytest.approx(3 + 0.5 * (30 - 0.5 * 9.81) * 0.01, rel=1e-9)
    assert run.audit("dense").empty
