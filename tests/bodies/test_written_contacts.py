"""Joints that rub, brakes, rolling resistance and gears in tables: contacts whose gap and slip are expressions."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Body, CircleOn, Contact, Line, Model, Revolute, Torque, Translational, contact_between, ground
from jounce.analysis.stability.variation import flow
from jounce.errors import ModelError, SimulationError
from jounce.kernels.records.workspace import CONTACT_STRIDE, PAIR, SURFACE_STRIDE, WORKS
from jounce.model.bodies.machine_model import MachineModel
from jounce.system.evaluation import values_of

UNITS = {"SI": (1.0, 1.0, 1.0), "mm_ms_g": (1e3, 1e3, 1e3), "foot_minute_pound": (3.28, 1 / 60, 2.2)}


def _workshop() -> Model:
    """A crank with a rod and a slider on a link that swings, a train of wheels with play, a brake, a disc that rolls.

    All joints rub, one after Stribeck; L, T and M are the units.
    """
    L, T, M, mu = jounce.parameters(L=1.0, T=1.0, M=1.0, mu=0.15)
    g, speed, force = 9.81 * L / T**2, L / T, M * L / T**2
    link = Body("link", 2 * M, 0.2 * M * L**2, center=(0.1 * L, 0.3 * L), angle=0.2)
    slider = Body("slider", 0.5 * M, 0.01 * M * L**2, center=(0.4 * L, 0.5 * L), velocity=(0.3 * speed, 0))
    wheel = Body("wheel", M, 0.02 * M * L**2, center=(2 * L, 0), angle=0, spin=3.0 / T)
    gear = Body("gear", M, 0.05 * M * L**2, center=(2.5 * L, 0), angle=0)
    disc = Body("disc", M, 0.005 * M * L**2, center=(-L, 0.1 * L), velocity=(0.5 * speed, 0), spin=-4 / T)
    stribeck = mu * (1 + sp.exp(-jounce.slip / speed))
    return Model.from_bodies(
        "workshop",
        bodies=[link, slider, wheel, gear, disc],
        joints=[
            Revolute(
                "pivot", ground, link, (0, 0.3 * L), (-0.1 * L, 0), radius=0.03 * L, friction=stribeck,
                static_friction=2.5 * mu, preload=0.2 * force, viscous=0.01 * M * L**2 / T,
            ),
            Translational(
                "guide", link, slider, at_first=(0, 0.1 * L), axis=(2, 1), at_second=(0.02 * L, 0.01 * L),
                friction=mu, length=0.2 * L, viscous=0.1 * M / T,
            ),
            Revolute("axle", ground, wheel, (2 * L, 0), radius=0.02 * L, friction=mu, viscous=0.001 * M * L**2 / T),
            Revolute("shaft", ground, gear, (2.5 * L, 0), radius=0.02 * L, friction=mu),
        ],
        forces=[Torque(gear, 0.3 * sp.sin(3 * jounce.time / T) * force * L)],
        contacts=[
            *jounce.gear_pair("mesh", wheel.theta, gear.theta, radii=(0.2 * L, 0.3 * L), backlash=0.01 * L,
                              restitution=0.4),
            contact_between("floor", CircleOn(disc, (0, 0), 0.1 * L), Line(ground), friction=0.4),
            Contact("rolling", slip=disc.d_theta, friction=0.004 * L, load="floor"),
            Contact("brake", slip=0.2 * L * (wheel.d_theta - gear.d_theta), friction=mu, load=(),
                    preload=force * (1 + sp.sin(wheel.theta) ** 2)),
        ],
        gravity=g,
    )  # fmt: skip


@cache
def _systems() -> list[Any]:
    model = _workshop()
    assert isinstance(model, MachineModel)
    return [jounce.compile_model(model, bodies=way) for way in ("tables", "compiled")]


def _state(units: tuple[float, float, float], random: Any) -> tuple[Any, ...]:
    L, T, M = units
    system = _systems()[0]
    place = np.array([L, L, 1.0] * 5)
    q = system.state().q * place + 0.2 * place * random.standard_normal(system.n)
    u = place / T * random.standard_normal(system.n)
    return random.uniform(0, 2) * T, q, u, np.array([L, T, M, 0.15])


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
def test_functions_are_those_of_compiled_code(units: tuple[float, float, float]) -> None:
    tables, compiled = _systems()
    n, nc, nj, ng = tables.n, tables.nc, tables.nj, tables.ng
    assert tables.parameter_names == compiled.parameter_names == ("L", "T", "M", "mu")
    sizes = {
        "contacts": nc * (CONTACT_STRIDE + 2 * n), "gaps": 2 * nc, "surfaces": SURFACE_STRIDE * nc,
        "dynamics": n * n + n, "powers": WORKS + nj,
    }  # fmt: skip
    random = np.random.default_rng(7)
    for _ in range(5):
        given = _state(units, random)
        for name, size in sizes.items():
            found, wanted = (values_of(getattr(s.functions, name), size, *given) for s in (tables, compiled))
            rows = (nc, -1) if name in ("contacts", "surfaces") else (1, -1)
            scale = np.abs(wanted.reshape(rows)).max(axis=1, keepdims=True)
            assert np.all(np.abs(found - wanted).reshape(rows) <= 1e-13 * scale), name
        # of a written contact the size of its terms is that of a compiled model: the same expression
        found, wanted = (values_of(s.functions.sizes, 2 * nc + nj + ng, *given) for s in (tables, compiled))
        own = [k for k, name in enumerate(tables.contact_names) if name != "floor"]
        np.testing.assert_allclose(found[own], wanted[own], rtol=1e-12)
        np.testing.assert_allclose(found[nc + nj + ng :][own], wanted[nc + nj + ng :][own], rtol=1e-12)


def test_tangents_are_those_of_compiled_code() -> None:
    tables, compiled = _systems()
    n, nc, columns = tables.n, tables.nc, tables.near.columns
    random = np.random.default_rng(3)
    for _ in range(3):
        t, q, u, p = _state(UNITS["SI"], random)
        dq, du, dp = (random.standard_normal(len(x)) for x in (q, u, p))
        packed = t, np.append(q, [*dq, 0.0]), np.append(u, [*du, 0.7]), np.append(p, dp)
        for name, size in {"surfaces": SURFACE_STRIDE * nc, "dynamics": n * n + n}.items():
            found, wanted = (values_of(getattr(s.tangents, f"{name}_tangent"), size, *packed) for s in _systems())
            np.testing.assert_allclose(found, wanted, rtol=1e-11, atol=1e-11)
        near = np.append(packed[3], 0.0)
        found = values_of(tables.tangents.contacts_tangent, nc * (CONTACT_STRIDE + 2 * PAIR), *packed[:3], near)
        wanted = values_of(compiled.tangents.contacts_tangent, nc * (CONTACT_STRIDE + 2 * n), *packed)
        found, wanted = found.reshape(nc, -1), wanted.reshape(nc, -1)
        spread = np.zeros_like(wanted)
        spread[:, :CONTACT_STRIDE] = found[:, :CONTACT_STRIDE]
        for part in range(2):
            for k in range(PAIR):
                entries = found[:, CONTACT_STRIDE + PAIR * part + k]
                spread[np.arange(nc), CONTACT_STRIDE + n * part + columns[:, k]] += entries
        np.testing.assert_allclose(spread, wanted, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
def test_motions_are_those_of_compiled_code(units: tuple[float, float, float]) -> None:
    L, T, M = units
    place, runs = np.array([L, L, 1.0] * 5), []
    for system in _systems():
        start = system.state()
        start = jounce.State(0.0, start.q * place, start.u * place / T, system.coordinate_names)
        runs.append(jounce.simulate(system, start, 1.5 * T, tolerance=1e-11, L=L, T=T, M=M))
    assert [run.status.name for run in runs] == ["FINISHED"] * 2
    assert {"impact", "stick", "reversal"} <= set(runs[0].events.kind)
    assert list(runs[0].events.kind) == list(runs[1].events.kind)
    assert list(runs[0].events.contact) == list(runs[1].events.contact)
    np.testing.assert_allclose(runs[0].events.t, runs[1].events.t, rtol=0.0, atol=1e-9 * T)
    np.testing.assert_allclose(runs[0].final.q / place, runs[1].final.q / place, rtol=0.0, atol=1e-9)
    assert runs[0].audit("dense").empty
    assert abs(runs[0].energy.residual.values).max() < 1e-8 * M * (L / T) ** 2


def test_derivatives_of_the_flow_are_those_of_compiled_code() -> None:
    options = jounce.Options(tolerance=1e-11)
    found, wanted = (flow(system, system.state(), 0.6, options=options) for system in _systems())
    assert {"impact", "stick"} & set(found.run.events.kind)
    assert np.abs(found.matrix - wanted.matrix).max() < 1e-6 * np.abs(wanted.matrix).max()


def test_coordinates_repeat_as_in_compiled_code() -> None:
    tables, compiled = _systems()
    assert tables.turns == compiled.turns


def test_chain_of_rubbing_links_is_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six links of thirty rub in their pins; nothing is written out or compiled, and energy goes into friction."""

    def refuse(*_: Any) -> None:
        raise AssertionError("something was compiled")

    monkeypatch.setattr("jounce.codegen.cache.load_model", refuse)
    links = [Body(f"link{k}", 1.0, 0.01, center=(0.2 * k + 0.1, 0), angle=0) for k in range(30)]
    joints = [
        Revolute(
            f"pin{k}", before, link, (0, 0) if k == 0 else (0.1, 0), (-0.1, 0),
            **({"radius": 0.01, "friction": 0.2} if k < 6 else {}),
        )
        for k, (before, link) in enumerate(zip([ground, *links], links, strict=False))
    ]  # fmt: skip
    model = Model.from_bodies("rubbing_chain", bodies=links, joints=joints, gravity=9.81)
    run = jounce.simulate(jounce.compile_model(model), None, 0.05)
    assert run.status.name == "FINISHED"
    assert run.audit().empty
    assert "written" not in vars(model)
    assert run.energy.friction_loss.values[-1] > 1e-6
    assert abs(run.energy.residual.values).max() < 1e-7


def _three(gap: Any) -> Model:
    bodies = [Body(f"b{k}", 1.0, 0.1, center=(k, 0)) for k in range(3)]
    return Model.from_bodies("three", bodies=bodies, contacts=[Contact("c", gap=gap(*bodies))])


@pytest.mark.parametrize(
    ("gap", "says"),
    [
        (lambda a, b, c: a.x + b.x + c.x + 1, "moves more than two bodies"),
        (lambda a, b, c: sp.Abs(b.x - a.x), "kinks or curves"),
    ],
)
def test_what_tables_do_not_hold_is_compiled(gap: Any, says: str) -> None:
    model = _three(gap)
    assert jounce.compile_model(model).tables is None
    with pytest.raises(SimulationError, match=says):
        jounce.compile_model(model, bodies="tables")


@pytest.mark.parametrize(
    ("contact", "says"),
    [
        (lambda a: Contact("c", gap=a.x, slip=a.d_y**2, friction=0.1), "not affine"),
        (lambda a: Contact("c", gap=sp.Integer(1)), "does not depend on any coordinate"),
        (lambda a: Contact("c", slip=a.d_y, friction=0.1, load=("pin.x", "pin.z")), "'pin.z' does not exist"),
        (lambda a: Contact("c", slip=a.d_y, friction=0.1, load=(), preload=-1), "preload"),
        (lambda a: Contact("c", gap=a.d_x), "velocity 'a_x'|d_a_x"),
    ],
)
def test_mistakes_are_named_when_the_model_is_made(contact: Any, says: str) -> None:
    a = Body("a", 1.0, 0.1, center=(0.5, 0))
    pin = Revolute("pin", ground, a, (0, 0), (-0.5, 0))
    with pytest.raises(ModelError, match=says):
        Model.from_bodies("wrong", bodies=[a], joints=[pin], contacts=[contact(a)])
