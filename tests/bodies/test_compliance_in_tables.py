"""Compliant contacts, joints with play and belts of machines that run from tables: those of the expressions."""

from __future__ import annotations

import pickle
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import (
    Body,
    CircleOn,
    ClearanceJoint,
    Corners,
    Edge,
    Line,
    Model,
    PointOn,
    PolygonOn,
    Revolute,
    contact_between,
    ground,
)
from jounce.analysis.stability.variation import flow
from jounce.codegen.kinematics import compliance_rows, power_rows, surface_rows
from jounce.errors import ModelError, SimulationError
from jounce.kernels.records.workspace import COMPLIANCE_STRIDE, CONTACT_STRIDE, SURFACE_STRIDE, WORKS
from jounce.model.bodies.machine_model import MachineModel
from jounce.model.numeric import numpy_function
from jounce.model.periodicity import mechanics_turns
from jounce.system.evaluation import values_of

t, delta, rate = jounce.time, jounce.penetration, jounce.penetration_rate
UNITS = {"SI": (1.0, 1.0, 1.0), "small": (2.0**-20, 2.0**-14, 2.0**9), "large": (2.0**17, 2.0**19, 2.0**-12)}
SQUARE = ((-0.3, -0.2), (0.3, -0.2), (0.3, 0.2), (-0.3, 0.2))


def _pressed() -> Model:
    """Every law on one pair of sides at least, every pair of sides with a law; L, T and M are the units."""
    L, T, M, mu, e = jounce.parameters(L=1.0, T=1.0, M=1.0, mu=0.3, e=0.5)
    K, k, c = 1e5 * M / (T**2 * sp.sqrt(L)), 3e3 * M / T**2, 20.0 * M / T
    speed = L / T
    box = Body("box", M, 0.1 * M * L**2, center=(0, 0.65 * L), angle=0.1)
    disc = Body("disc", 0.7 * M, 0.02 * M * L**2, center=(1.5 * L, 0.8 * L))
    cage = Body("cage", 2.0 * M, 0.3 * M * L**2, center=(-3 * L, 2 * L))
    arm = Body("arm", 1.5 * M, 0.2 * M * L**2, center=(-2.8 * L, 2 * L))
    square = [(a * L, b * L) for a, b in SQUARE]
    ball = CircleOn(disc, (0.03 * L, 0), 0.2 * L, spin=0.5 * t / T**2)
    floor = Line(ground, (0, 0.02 * L * sp.sin(7 * t / T)), (1, 0), speed=1.4 * speed)
    step = Edge(ground, (1.8 * L, 0.4 * L), (3 * L, 0.3 * L), speed=0.5 * speed * sp.cos(3 * t / T))
    own = jounce.OwnCompliance(elastic=k * delta + k * delta**2 / L, damping=c * delta * rate / L)
    friction = mu + 0.1 / (1 + 5 * jounce.slip / speed)
    return Model.from_bodies(
        "pressed",
        bodies=[box, disc, cage, arm],
        joints=[Revolute("hinge", cage, arm, at_first=(0.1 * L, 0), at_second=(-0.1 * L, 0))],
        contacts=[
            contact_between(
                "left", PointOn(box, square[0]), floor, friction=friction, restitution=e,
                compliance=jounce.HuntCrossley(K),
            ),
            contact_between("ball", ball, PolygonOn(box, square), friction=mu, compliance=jounce.KelvinVoigt(k, c)),
            contact_between(
                "ground", ball, floor, friction=mu,
                compliance=jounce.KelvinVoigt(k, c, adhesive=True, friction_speed=0.1 * speed),
            ),
            contact_between("step", ball, step, friction=mu, compliance=jounce.Hertz(K, 2.2)),
            contact_between(
                "hole", CircleOn(disc, (0, 0), 0.05 * L), CircleOn(cage, (0, 0), 6 * L, inside=True), friction=mu,
                restitution=e, compliance=jounce.LankaraniNikravesh(K),
            ),
            contact_between("wheel", ball, CircleOn(cage, (0, 0), 2 * L), friction=mu, compliance=own),
            contact_between("wall", CircleOn(cage, (0.1 * L, 0), 0.1 * L), floor, compliance=jounce.Maxwell(k, c)),
            contact_between(
                "end", PointOn(cage, (0.2 * L, -0.2 * L)), floor, friction=mu,
                compliance=jounce.StandardLinearSolid(k, k / 2, c),
            ),
            contact_between(
                "belt", PointOn(disc, (0, 0.1 * L)), step, friction=friction,
                restitution=e / (1 + jounce.approach_speed / speed),
            ),
        ],
        gravity=9.81 * L / T**2,
    )  # fmt: skip


@cache
def _tables() -> Any:
    model = _pressed()
    assert isinstance(model, MachineModel)
    system = jounce.compile_model(model, bodies="tables")
    assert "written" not in vars(model)
    return system


@cache
def _expressions() -> Any:
    """What the expressions of the machine say, by NumPy: (t, q, u, p, memory) -> numbers by the names of functions."""
    model = _tables().model
    parts = {
        "gaps": [contact.gap for contact in model.contacts],
        "surfaces": surface_rows(model),
        "compliance": compliance_rows(model),
        "powers": power_rows(model),
        "mass": list(model.M.diagonal()),
        "forces": list(model.h),
    }
    everything = [row for rows in parts.values() for row in rows]
    ends = np.cumsum([len(rows) for rows in parts.values()])[:-1]
    function = numpy_function([model.symbols["t"], *model.q, *model.u, *model.p, *model.memory], everything)

    def evaluate(*point: Any) -> dict[str, Any]:
        values = function(*(number for part in point for number in np.atleast_1d(part)))
        return dict(zip(parts, np.split(np.array(values, dtype=float), ends), strict=True))

    return evaluate


def _states(units: tuple[float, float, float], count: int) -> Any:
    """Times, places, velocities and vectors with contacts that are pressed at random; the units of q and u."""
    system = _tables()
    L, T, M = units
    random = np.random.default_rng(1)
    start = np.array([system.model.start.get(name, 0.0) for name in system.coordinate_names])
    place = np.array([L, L, 1.0] * 4 + [M * L / T] * 2)
    speed = np.array([L / T, L / T, 1.0 / T] * 4 + [M * L / T**2] * 2)
    for _ in range(count):
        q = place * (start + random.choice([0.02, 0.1, 0.5]) * random.standard_normal(system.n))
        u = speed * random.standard_normal(system.n)
        p = np.append(units, system.defaults[3:])
        memory = np.zeros(system.outline.compliant_memory)
        memory[::2], memory[1::2] = random.integers(0, 2, memory.size // 2), random.uniform(0, 2, memory.size // 2)
        memory[1::2] *= T / L
        yield T * random.uniform(0, 2), q, u, np.concatenate([p, memory]), place, speed, random


def _agree(found: Any, wanted: Any, columns: int, tolerance: float = 1e-12) -> None:
    """Numbers of one kind stand in one column; one is compared with itself and with the largest of its kind."""
    found, wanted = (np.reshape(values, (-1, columns)) for values in (found, wanted))
    size = np.abs(wanted) + 1e-2 * np.abs(wanted).max(axis=0)
    assert np.all(np.abs(found - wanted) <= tolerance * size), np.nanmax(np.abs(found - wanted) / size)


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
def test_functions_are_those_of_the_expressions(units: tuple[float, float, float]) -> None:
    system, evaluate = _tables(), _expressions()
    n, nc = system.n, system.nc
    columns = {"surfaces": SURFACE_STRIDE, "compliance": COMPLIANCE_STRIDE}
    for t, q, u, p, *_ in _states(units, 6):
        wanted = evaluate(t, q, u, p)
        for name, width in columns.items():
            _agree(values_of(getattr(system.functions, name), width * nc, t, q, u, p), wanted[name], width)
        _agree(values_of(system.functions.gaps, 2 * nc, t, q, u, p)[::2], wanted["gaps"], 1)
        powers = values_of(system.functions.powers, WORKS + system.nj, t, q, u, p)
        _agree(powers, wanted["powers"], powers.size)
        dynamics = values_of(system.functions.dynamics, n * n + n, t, q, u, p)
        np.testing.assert_allclose(dynamics[: n * n : n + 1], wanted["mass"], rtol=1e-14)
        assert np.count_nonzero(dynamics[: n * n]) == n
        _agree(dynamics[n * n : -2], wanted["forces"][:-2], 3)
        np.testing.assert_allclose(dynamics[-2:], wanted["forces"][-2:], rtol=1e-12)
        # of compliant contacts the engine asks for the slip velocity alone: their friction is a part of h
        rows = values_of(system.functions.contacts, nc * (CONTACT_STRIDE + 2 * n), t, q, u, p).reshape(nc, -1)
        assert not rows[:-1, 4].any()
        assert not rows[:-1, CONTACT_STRIDE + n :].any()
        assert rows[-1, CONTACT_STRIDE + n :].any()
        # and joints hold what the forces would tear apart: M u' = h + J^T nu, J u' = -c
        solved = values_of(system.functions.joint_acceleration, n + 3, t, q, u, p)
        joints = values_of(system.functions.joints, 2 * (3 + n), t, q, u, p).reshape(2, -1)
        forces = dynamics[n * n :] + joints[:, 3:].T @ solved[n:-1]
        sizes = np.abs(forces) + np.abs(dynamics[n * n :])
        assert np.all(np.abs(dynamics[: n * n : n + 1] * solved[:n] - forces) <= 1e-12 * sizes)


def test_coordinates_of_branches_repeat_as_in_the_expressions() -> None:
    system = _tables()
    assert system.coordinate_names[-2:] == ("wall_branch", "end_branch")
    assert system.turns[-2:] == mechanics_turns(system.model)[-2:]


@pytest.mark.parametrize("name", ["dynamics", "surfaces", "compliance"])
def test_tangents_are_derivatives(name: str) -> None:
    """Five points along a direction, in units in which everything is about 1."""
    system = _tables()
    n, nc = system.n, system.nc
    size = {"surfaces": SURFACE_STRIDE * nc, "compliance": COMPLIANCE_STRIDE * nc}.get(name, n * n + n)
    function, tangent = getattr(system.functions, name), getattr(system.tangents, f"{name}_tangent")
    for t, q, u, p, place, speed, random in _states(UNITS["SI"], 3):
        dq, du, dp = place * random.standard_normal(n), speed * random.standard_normal(n), np.zeros(p.size)
        dp[: system.defaults.size] = 0.1 * random.standard_normal(system.defaults.size)
        dp[system.defaults.size + 1 :: 2] = random.standard_normal(system.outline.compliant_memory // 2)
        packed = np.append(np.append(q, dq), 0.0), np.append(np.append(u, du), 0.7), np.append(p, dp)

        def ahead(s: float) -> Any:
            return values_of(function, size, t + 0.7 * s, q + s * dq, u + s * du, p + s * dp)  # noqa: B023

        h = 1e-5
        along = (8.0 * (ahead(h) - ahead(-h)) - (ahead(2 * h) - ahead(-2 * h))) / (12.0 * h)
        found = values_of(tangent, size, t, *packed)
        np.testing.assert_allclose(found, along, rtol=1e-6, atol=1e-8 * np.abs(along).max())


def _hammer() -> Model:
    """A crank whose rod has play in both pins, with a head that strikes a moving floor; L, T and M are the units."""
    L, T, M, spin = jounce.parameters(L=1.0, T=1.0, M=1.0, spin=6.0)
    K, k, c = 2e5 * M / (T**2 * sp.sqrt(L)), 3e3 * M / T**2, 20.0 * M / T
    crank = Body("crank", M, 0.02 * M * L**2, center=(0.1 * L, L), angle=0, spin=spin / T)
    rod = Body("rod", 0.5 * M, 0.01 * M * L**2, center=(0.35 * L, 0.9 * L), velocity=(0, 0.4 * L / T))
    head = Body("head", 0.7 * M, 0.01 * M * L**2, center=(0.5 * L, 0.25 * L))
    play = {"bearing_radius": 0.05 * L, "journal_radius": 0.0495 * L, "friction": 0.1, "restitution": 0.9}
    law = jounce.LankaraniNikravesh(K)
    floor = Line(ground, (0, 0.02 * L * sp.sin(7 * t / T)), speed=0.4 * L / T)
    return Model.from_bodies(
        "hammer",
        bodies=[crank, rod, head],
        joints=[
            Revolute("pivot", ground, crank, at_first=(0, L), at_second=(-0.1 * L, 0)),
            ClearanceJoint("pin", crank, rod, at_first=(0.1 * L, 0), at_second=(-0.15 * L, 0), compliance=law, **play),
            ClearanceJoint("wrist", rod, head, at_first=(0.15 * L, 0), at_second=(0, 0.6 * L), **play),
        ],
        contacts=[
            contact_between(
                "foot", CircleOn(head, (0, 0), 0.1 * L), floor, friction=0.3,
                compliance=jounce.StandardLinearSolid(k, k, c),
            ),
        ],
        gravity=9.81 * L / T**2,
    )  # fmt: skip


@cache
def _hammers() -> list[Any]:
    model = _hammer()
    assert isinstance(model, MachineModel)
    return [jounce.compile_model(model, bodies=way) for way in ("tables", "compiled")]


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
def test_motions_are_those_of_the_expressions(units: tuple[float, float, float]) -> None:
    """Pins that rattle, compliant and rigid, and a blow in any units; the audit looks between the steps, too."""
    L, T, M = units
    runs = []
    place = np.array([L, L, 1.0] * 3 + [M * L / T])
    speed = np.array([L, L, 1.0] * 3 + [M * L / T]) / T
    for system in _hammers():
        start = system.state()
        start = jounce.State(0.0, start.q * place, start.u * speed, system.coordinate_names)
        runs.append(jounce.simulate(system, start, 0.12 * T, tolerance=1e-11, L=L, T=T, M=M))
    assert [run.status.name for run in runs] == ["FINISHED"] * 2
    assert {"touch", "separate", "impact"} <= set(runs[0].events.kind)
    assert list(runs[0].events.kind) == list(runs[1].events.kind)
    np.testing.assert_allclose(runs[0].events.t, runs[1].events.t, rtol=0.0, atol=1e-9 * T)
    np.testing.assert_allclose(runs[0].final.q / place, runs[1].final.q / place, rtol=0.0, atol=1e-9)
    assert runs[0].audit("dense").empty
    energy = M * (L / T) ** 2
    assert abs(runs[0].energy.residual.values).max() < 1e-8 * energy
    for name in ("elastic", "contact_loss", "surface_work", "friction_loss"):
        found, wanted = (run.energy[name].values[-1] for run in runs)
        assert found == pytest.approx(wanted, rel=1e-8, abs=1e-8 * energy)


def _links(count: int) -> Model:
    """Links with play in their pins."""
    links = [Body(f"link_{k}", 1.0, 0.01, center=(0.2 * k, 0), angle=0) for k in range(count)]
    law = jounce.Hertz(1e7)
    joints = [
        ClearanceJoint(
            f"pin_{k}", first, second, at_first=(0.1, 0), at_second=(-0.1, 0), bearing_radius=0.02,
            journal_radius=0.0198, compliance=law,
        )
        for k, (first, second) in enumerate(pairwise([ground, *links]))
    ]  # fmt: skip
    return Model.from_bodies("links", bodies=links, joints=joints, gravity=9.81)


def test_few_bodies_that_rattle_are_compiled_and_many_are_not() -> None:
    """Pins in their bearings take many steps a second: compiled they run twice as fast, while that takes a second."""
    assert jounce.compile_model(_links(2)).tables is None
    model = _links(9)
    system = jounce.compile_model(model)
    assert system.tables is not None
    run = jounce.simulate(system, system.state(), 0.05)
    assert run.status.name == "FINISHED"
    assert run.audit("dense").empty
    assert "written" not in vars(model)


def test_boxes_on_a_soft_floor_are_not_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Corners of ten outlines on a soft polygon settle under their weight: sum of F_N = sum of m g."""

    def refuse(*_: Any) -> None:
        raise AssertionError("something was compiled")

    monkeypatch.setattr("jounce.codegen.cache.load_model", refuse)
    boxes = [Body(f"box_{k}", 1.0 + 0.1 * k, 0.05, center=(0.9 * k, 0.2)) for k in range(10)]
    slab = PolygonOn(ground, [(-1, -1), (10, -1), (10, 0), (-1, 0)])
    law, square = jounce.KelvinVoigt(2e4, 400.0), list(SQUARE)
    contacts = [contact_between(box.name, Corners(box, square), slab, friction=0.5, compliance=law) for box in boxes]
    model = Model.from_bodies("settling", bodies=boxes, contacts=contacts, gravity=9.81)
    system = jounce.compile_model(model)
    run = jounce.simulate(system, system.state(), 1.0)
    assert run.status.name == "FINISHED"
    assert run.audit().empty
    depths = 0.2 - run.final.q[1::3]
    weights = 9.81 * (1.0 + 0.1 * np.arange(10))
    np.testing.assert_allclose(2 * 2e4 * depths, weights, rtol=1e-6)


@pytest.mark.parametrize(
    ("contact", "says"),
    [
        ({"restitution": 0.5 / (1 + jounce.approach_speed), "compliance": jounce.HuntCrossley(1e4)}, "approach_speed"),
        ({"compliance": jounce.Hertz(-1.0)}, "stiffness is -1"),
        ({"compliance": jounce.Flores2011(1e4)}, "divides by the restitution"),
        ({"compliance": jounce.Hertz}, "it must be a law"),
    ],
)
def test_laws_that_make_no_sense_are_refused(contact: dict[str, Any], says: str) -> None:
    ball = Body("ball", 1.0, 0.1, center=(0, 1.0))
    contacts = contact_between("floor", CircleOn(ball, (0, 0), 0.2), Line(ground), **contact)
    with pytest.raises(ModelError, match=says):
        Model.from_bodies("refused", bodies=[ball], contacts=contacts, gravity=9.81)


def test_laws_with_kinks_are_compiled() -> None:
    """Where a force has a kink while it is pressed a guard ends the step, whose expression tables do not have."""
    ball = Body("ball", 1.0, 0.1, center=(0, 1.0))
    law = jounce.OwnCompliance(elastic=sp.Max(delta, 2 * delta - 0.1), energy=0)
    contacts = contact_between("floor", CircleOn(ball, (0, 0), 0.2), Line(ground), compliance=law)
    model = Model.from_bodies("bend", bodies=[ball], contacts=contacts, gravity=9.81)
    with pytest.raises(SimulationError, match="cannot run from tables"):
        jounce.compile_model(model, bodies="tables")


def _parcels() -> Model:
    """A hoop and a disc that fall onto a belt and are carried along; friction and bounces change with their speeds."""
    L, T, M = jounce.parameters(L=1.0, T=1.0, M=1.0)
    speed = L / T
    hoop = Body("hoop", M, 0.09 * M * L**2, center=(0, 0.35 * L), velocity=(0.3 * speed, 0))
    disc = Body("disc", M, 0.02 * M * L**2, center=(1.5 * L, 0.5 * L))
    belt = Line(ground, speed=1.5 * speed)
    coefficients = {
        "friction": 0.2 + 0.3 * sp.exp(-4 * jounce.slip / speed) + 0.05 * sp.sin(hoop.x / L),
        "static_friction": 0.6,
    }
    bouncing = 0.8 * jounce.approach_speed / (2 * speed + jounce.approach_speed)
    return Model.from_bodies(
        "parcels",
        bodies=[hoop, disc],
        contacts=[
            contact_between("hoop", CircleOn(hoop, (0, 0), 0.3 * L), belt, **coefficients),
            contact_between("disc", CircleOn(disc, (0, 0), 0.2 * L), belt, restitution=bouncing, **coefficients),
        ],
        gravity=9.81 * L / T**2,
    )


@cache
def _conveyors() -> list[Any]:
    return [jounce.compile_model(_parcels(), bodies=way) for way in ("tables", "compiled")]


@pytest.mark.parametrize("units", UNITS.values(), ids=UNITS)
def test_coefficients_may_depend_on_speeds_and_places(units: tuple[float, float, float]) -> None:
    L, T, M = units
    place = np.array([L, L, 1.0] * 2)
    runs = []
    for system in _conveyors():
        start = system.state()
        start = jounce.State(0.0, start.q * place, start.u * place / T, system.coordinate_names)
        runs.append(jounce.simulate(system, start, 0.6 * T, tolerance=1e-11, L=L, T=T, M=M))
    assert [run.status.name for run in runs] == ["FINISHED"] * 2
    assert {"impact", "stick"} <= set(runs[0].events.kind)
    assert list(runs[0].events.kind) == list(runs[1].events.kind)
    np.testing.assert_allclose(runs[0].events.t, runs[1].events.t, rtol=0.0, atol=1e-9 * T)
    np.testing.assert_allclose(runs[0].final.q / place, runs[1].final.q / place, rtol=0.0, atol=1e-9)
    assert runs[0].audit("dense").empty


@pytest.mark.parametrize("belt", [0.0, 0.7 + 0.2 * sp.sin(3 * t)], ids=["still", "running"])
def test_belts_along_edges_are_those_of_the_expressions(belt: Any) -> None:
    """In front of the edge, beyond both of its ends, and on an edge that turns."""
    flap, ball = Body("flap", 1.0, 0.1), Body("ball", 1.0, 0.1)
    contact = contact_between(
        "belt", CircleOn(ball, (0.02, 0), 0.1), Edge(flap, (-0.5, 0.1), (0.5, 0.2), speed=belt), friction=0.4
    )
    model = Model.from_bodies("flap", bodies=[flap, ball], contacts=[contact], start={ball.y: 1.0})
    system = jounce.compile_model(model, bodies="tables")
    slip, random = model.contacts[0].slip, np.random.default_rng(7)
    wanted = numpy_function([model.symbols["t"], *model.q, *model.u], slip)
    sides = set()
    for _ in range(40):
        moment, q, u = random.uniform(0, 2), random.uniform(-1, 1, 6), random.standard_normal(6)
        rows = [
            values_of(system.functions.contacts, CONTACT_STRIDE + 12, moment + s, q + s * u, u, system.defaults)
            for s in (0.0, -2e-5, -1e-5, 1e-5, 2e-5)
        ]
        if min(row[0] for row in rows) < 0.01:
            continue  # behind the edge
        assert rows[0][2] == pytest.approx(wanted(moment, *q, *u), rel=1e-12, abs=1e-12)
        behind, near, ahead, beyond = (row[2] for row in rows[1:])
        along = (8.0 * (ahead - near) - (beyond - behind)) / 12e-5
        if abs(along - (ahead - near) / 2e-5) < 1e-4:  # not over a border between front and end
            assert rows[0][4] == pytest.approx(along, rel=1e-6, abs=1e-6)
        c, s = np.cos(q[2]), np.sin(q[2])
        d = q[3:5] - q[:2] + 0.02 * np.array([np.cos(q[5]), np.sin(q[5])])
        sides.add(int(np.sign(np.trunc((c * d[0] + s * d[1]) / 0.5))))
    assert sides == {-1, 0, 1}


def test_derivatives_of_the_flow_are_those_of_compiled_code() -> None:
    """Through touches, rigid impacts in a bearing and the memory of both, which stand behind the parameters."""
    options = jounce.Options(tolerance=1e-11)
    found, wanted = (flow(system, system.state(), 0.06, options=options) for system in _hammers())
    assert {"touch", "impact"} <= set(found.run.events.kind)
    assert np.abs(found.matrix - wanted.matrix).max() < 1e-6 * np.abs(wanted.matrix).max()


def test_a_system_with_laws_goes_to_another_process() -> None:
    system = _hammers()[0]
    again = pickle.loads(pickle.dumps(system))
    assert again.tables is not None
    runs = [jounce.simulate(s, s.state(), 0.1) for s in (system, again)]
    np.testing.assert_array_equal(runs[0].final.q, runs[1].final.q)
