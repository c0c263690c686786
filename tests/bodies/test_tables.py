"""Machines that run from tables: the same kinematics, forces and motions as their expressions, without a compiler."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Body, CircleOn, Corners, Edge, Line, Model, PolygonOn, Revolute, contact_between, ground
from jounce.errors import ModelError, SimulationError
from jounce.kernels.records.workspace import CONTACT_STRIDE, JOINT_STRIDE, PAIR
from jounce.model.expressions import value_at
from jounce.system.evaluation import values_of
from tests.bodies.table_machines import forces, shapes


def _states(system: Any, count: int, seed: int) -> list[tuple[Any, ...]]:
    random = np.random.default_rng(seed)
    start = np.array([system.model.start[name] for name in system.coordinate_names])
    found = []
    for _ in range(count):
        q = start + random.choice([0.1, 0.5, 2.0]) * random.standard_normal(system.n)
        p = system.defaults * (1 + 0.05 * random.standard_normal(system.defaults.size))
        found.append((random.uniform(0, 2), q, random.standard_normal(system.n), p))
    return found


def _symbols(model: Model, t: float, q: Any, u: Any, p: Any) -> dict[Any, float]:
    return {model.symbols["t"]: t} | dict(zip((*model.q, *model.u, *model.p), [*q, *u, *p], strict=True))


def _contacts(system: Any, t: float, q: Any, u: Any, p: Any) -> Any:
    width = CONTACT_STRIDE + 2 * system.n
    return values_of(system.functions.contacts, width * system.nc, t, q, u, p).reshape(system.nc, width)


def _derivative(f: Any, h: float = 1e-4) -> Any:
    """Five points: the error is of the order h^4, and what rounding leaves over h."""
    return (8.0 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12.0 * h)


@pytest.fixture(scope="module")
def touching() -> Any:
    return jounce.compile_model(shapes(), bodies="tables")


@pytest.fixture(scope="module")
def driven() -> Any:
    return jounce.compile_model(forces(), bodies="tables")


@pytest.mark.parametrize("seed", range(3))
def test_gaps_and_slips_are_those_of_the_expressions(touching: Any, seed: int) -> None:
    model, n = touching.model, touching.n
    for t, q, u, p in _states(touching, 4, seed):
        rows, values = _contacts(touching, t, q, u, p), _symbols(model, t, q, u, p)
        wanted = [value_at(contact.gap, values) for contact in model.contacts]
        np.testing.assert_allclose(rows[:, 0], wanted, rtol=1e-12, atol=1e-13)
        slips = [0.0 if contact.slip is None else value_at(contact.slip, values) for contact in model.contacts]
        np.testing.assert_allclose(rows[:, 2], slips, rtol=1e-12, atol=1e-12)
        along = _derivative(lambda s: _contacts(touching, t + s, q + s * u, u, p))  # noqa: B023
        np.testing.assert_allclose(rows[:, 1], along[:, 0], rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(rows[:, 3], along[:, 1], rtol=1e-7, atol=1e-7)
        np.testing.assert_allclose(rows[:, 4], along[:, 2], rtol=1e-7, atol=1e-7)
        for j in range(n):  # velocities are affine in u
            ahead = _contacts(touching, t, q, u + np.eye(n)[j], p)
            np.testing.assert_allclose(ahead[:, 1] - rows[:, 1], rows[:, CONTACT_STRIDE + j], atol=1e-12)
            np.testing.assert_allclose(ahead[:, 2] - rows[:, 2], rows[:, CONTACT_STRIDE + n + j], atol=1e-12)


@pytest.mark.parametrize("seed", range(2))
def test_forces_and_joints_are_those_of_the_expressions(driven: Any, seed: int) -> None:
    model, n, nj = driven.model, driven.n, driven.nj
    for t, q, u, p in _states(driven, 3, seed):
        values = _symbols(model, t, q, u, p)
        dynamics = values_of(driven.functions.dynamics, n * n + n, t, q, u, p)
        masses = [value_at(m, values) for m in model.M.diagonal()]
        np.testing.assert_allclose(dynamics[: n * n : n + 1], masses, rtol=1e-15)
        np.testing.assert_allclose(dynamics[n * n :], [value_at(h, values) for h in model.h], rtol=1e-11, atol=1e-11)
        rows = values_of(driven.functions.joints, nj * (JOINT_STRIDE + n), t, q, u, p).reshape(nj, -1)
        wanted = [value_at(g, values) for g in model.joints.values()]
        np.testing.assert_allclose(rows[:, 0], wanted, rtol=1e-12, atol=1e-13)
        powers = values_of(driven.functions.powers, 4 + nj, t, q, u, p)
        assert powers[0] == pytest.approx(value_at(model.applied_power, values), rel=1e-11, abs=1e-11)
        # the elimination of the joints satisfies M u' = h + J^T nu, J u' = -c
        solved = values_of(driven.functions.joint_acceleration, n + nj + 1, t, q, u, p)
        assert solved[-1] == 1.0
        J = rows[:, JOINT_STRIDE:]
        np.testing.assert_allclose(J @ solved[:n], -rows[:, 2], rtol=1e-8, atol=1e-8)
        residual = dynamics[: n * n].reshape(n, n) @ solved[:n] - dynamics[n * n :] - J.T @ solved[n:-1]
        np.testing.assert_allclose(residual, 0.0, atol=1e-9 * np.abs(dynamics).max())


@pytest.mark.parametrize("name", ["dynamics", "contacts", "surfaces", "joints", "guards"])
def test_tangents_are_derivatives(touching: Any, driven: Any, name: str) -> None:
    for system in (touching, driven):
        n, nc, nj = system.n, system.nc, system.nj
        sizes = {"dynamics": n * n + n, "contacts": nc * (CONTACT_STRIDE + 2 * PAIR), "surfaces": 7 * nc}
        size = (sizes | {"joints": nj * (JOINT_STRIDE + n), "guards": system.ng})[name]
        function = system.near.contacts if name == "contacts" else getattr(system.functions, name)
        tangent = getattr(system.tangents, f"{name}_tangent")
        random = np.random.default_rng(5)
        for t, q, u, p in _states(system, 2, 9):
            dq, du, dp = (random.standard_normal(len(x)) for x in (q, u, p))
            sides = np.zeros(system.vector_size - p.size)  # of jumps, which no step holds here
            packed = [np.append(np.append(q, dq), 0.0), np.append(np.append(u, du), 0.7)]
            packed.append(np.concatenate([p, sides, dp, sides]))
            along = _derivative(
                lambda s: values_of(function, size, t + 0.7 * s, q + s * dq, u + s * du, p + s * dp)  # noqa: B023
            )
            np.testing.assert_allclose(values_of(tangent, size, t, *packed), along, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("face", ["edge", "polygon"])
def test_tangents_of_compiled_outlines_are_those_of_tables(face: str) -> None:
    """Cases share conditions, which have no derivative."""
    box = Body("box", mass=1.0, inertia=0.1)
    outline = PolygonOn(box, [(-0.2, -0.1), (0.2, -0.1), (0.1, 0.15)])
    floor = Edge(ground, (-1, 0), (1, 0)) if face == "edge" else PolygonOn(ground, [(-1, -1), (1, -1), (0, 0)])
    contacts = contact_between("floor", outline, floor, friction=0.3)
    model = Model.from_bodies("outlines", bodies=[box], contacts=contacts, start={box.y: 1.0})
    systems = [jounce.compile_model(model, bodies=how) for how in ("compiled", "tables")]
    nc, n, columns = systems[0].nc, systems[0].n, systems[1].near.columns
    random = np.random.default_rng(3)
    for t, q, u, p in _states(systems[0], 2, 9):
        packed = [np.append(np.append(x, random.standard_normal(len(x))), [0.7 * k]) for k, x in enumerate((q, u))]
        compiled, paired = (
            values_of(
                system.tangents.contacts_tangent,
                nc * (CONTACT_STRIDE + 2 * width),
                t,
                *packed,
                np.array([*p, *p, 0.0]),
            )
            for system, width in zip(systems, (n, PAIR), strict=True)
        )
        compiled, paired = compiled.reshape(nc, -1), paired.reshape(nc, -1)
        spread = np.zeros_like(compiled)
        spread[:, :CONTACT_STRIDE] = paired[:, :CONTACT_STRIDE]
        for part in range(2):
            for k in range(PAIR):
                spread[np.arange(nc), CONTACT_STRIDE + n * part + columns[:, k]] += (
                    paired[:, CONTACT_STRIDE + PAIR * part + k]
                )  # fmt: skip
        # inside an outline tables leave out faces into which the corner's own edges go, compiled gaps do not
        outside = values_of(systems[0].functions.gaps, 2 * nc, t, q, u, p)[::2] > 0.0
        assert outside.any()
        np.testing.assert_allclose(spread[outside], compiled[outside], rtol=1e-10, atol=1e-10)


def test_kinks_of_forces_are_guards(driven: Any) -> None:
    """Max(x, 0) has a kink at x = 0, Piecewise(1, y > 0) a jump at y = 0; the user's guard is the first."""
    assert driven.guard_names == ("high",)
    assert sorted(driven.guard_kinks) == [0, 1, 2]
    assert {str(guard).strip("-") for guard in driven.model.watched[1:]} == {"weight_x", "weight_y"}
    assert "written" not in forces().__dict__


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "quick_return"])
def test_ready_made_machines_move_the_same(name: str) -> None:
    make = getattr(jounce.systems, name)
    model = make("ideal") if name == "quick_return" else make()
    runs = []
    for way in ("tables", "compiled"):
        system = jounce.compile_model(model, bodies=way)
        assert (system.tables is not None) == (way == "tables")
        runs.append(jounce.simulate(system, system.state(), 1.5, tolerance=1e-11))
    for run in runs:
        assert run.status.name == "FINISHED"
        assert run.audit().empty
    scale = np.abs(runs[1].final.u).max()
    np.testing.assert_allclose(runs[0].final.q, runs[1].final.q, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(runs[0].final.u, runs[1].final.u, rtol=1e-12, atol=1e-12 * scale)


def _tumbling_box(length: float = 1.0, clock: float = 1.0) -> Model:
    """A box with four corners that falls on a floor beside a disc, in units of length and time of one's choice."""
    box = Body("box", 1.0, 0.05 * length**2, center=(0, 0.8 * length), angle=0.4, velocity=(0.3 * length / clock, 0))
    disc = Body("disc", 0.5, 0.01 * length**2, center=(0.9 * length, 0.6 * length))
    corners = [(a * length, b * length) for a, b in ((-0.3, -0.2), (0.3, -0.2), (0.3, 0.2), (-0.3, 0.2))]
    floor, ball = Line(ground), CircleOn(disc, (0, 0), 0.2 * length)
    return Model.from_bodies(
        "tumbling_box",
        bodies=[box, disc],
        contacts=[
            contact_between("floor", Corners(box, corners), floor, friction=0.4, restitution=0.3),
            contact_between("ball", ball, floor, friction=0.3, restitution=0.5),
            contact_between("both", ball, PolygonOn(box, corners), friction=0.2, restitution=0.5),
        ],
        gravity=9.81 * length / clock**2,
    )


def test_impacts_come_at_the_same_times() -> None:
    """A rod that tumbles over a table that shakes."""
    A, omega, mu = jounce.parameters(A=0.1, omega=9.0, mu=0.3)
    rod = Body("rod", 1.0, 0.1, center=(0, 1.2), angle=0.3, spin=1.0)
    table = Line(ground, (0, A * sp.sin(omega * jounce.time)), speed=0.2)
    contact = contact_between("end", Corners(rod, [(-0.5, 0), (0.5, 0)]), table, friction=mu, restitution=0.8)
    model = Model.from_bodies("tumbling_rod", bodies=[rod], contacts=[contact], gravity=9.81)
    systems = [jounce.compile_model(model, bodies=way) for way in ("tables", "compiled")]
    runs = [jounce.simulate(system, system.state(), 1.5, tolerance=1e-11) for system in systems]
    events = [run.events for run in runs]
    assert len(events[0]) >= 6
    assert list(events[0].kind) == list(events[1].kind)
    assert list(events[0].contact) == list(events[1].contact)
    np.testing.assert_allclose(events[0].t, events[1].t, rtol=0.0, atol=1e-9)
    assert all(run.audit().empty for run in runs)
    for run in runs:
        assert abs(run.energy.residual.values).max() < 1e-8


def test_other_units_are_the_same_motion() -> None:
    length, clock = 2.0**-10, 2.0**-4
    runs = []
    for model, duration in ((_tumbling_box(), 1.0), (_tumbling_box(length, clock), clock)):
        system = jounce.compile_model(model, bodies="tables")
        runs.append(jounce.simulate(system, system.state(), duration))
    assert list(runs[0].events.kind) == list(runs[1].events.kind)
    np.testing.assert_allclose(runs[1].events.t / clock, runs[0].events.t, rtol=1e-12)
    assert all(run.audit().empty for run in runs)


def _chain(count: int) -> Model:
    length, m = jounce.parameters(length=0.2, m=1.0)
    links, joints, before = [], [], ground
    for k in range(count):
        link = Body(f"link_{k}", m, m * length**2 / 12, center=(0.2 * (k + 0.5), 3.0), angle=0.0)
        end = (0, 3) if before is ground else (length / 2, 0)
        joints.append(Revolute(f"pin_{k}", before, link, at_first=end, at_second=(-length / 2, 0)))
        links.append(link)
        before = link
    return Model.from_bodies("chain", bodies=links, joints=joints, gravity=9.81)


def test_a_long_chain_needs_no_compiler_and_keeps_its_energy(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise AssertionError("something was compiled")

    monkeypatch.setattr("jounce.codegen.cache.load_model", refuse)
    model = _chain(30)
    system = jounce.compile_model(model)
    assert "written" not in model.__dict__  # no equation has been written as an expression
    assert "from tables" in repr(system)
    run = jounce.simulate(system, system.state(), 0.4, tolerance=1e-10)
    assert run.status.name == "FINISHED"
    assert run.audit().empty
    assert abs(run.energy.residual.values).max() < 1e-7 * run.energy.kinetic.values.max()
    # parameters are those of the run: nothing is made anew
    other = jounce.simulate(system, system.assemble(length=0.25), 0.1, length=0.25, m=2.0)
    assert other.status.name == "FINISHED"


def test_a_system_of_tables_goes_to_another_process() -> None:
    system = jounce.compile_model(_chain(6))
    again = pickle.loads(pickle.dumps(system))
    assert again.tables is not None
    runs = [jounce.simulate(s, s.state(), 0.3) for s in (system, again)]
    np.testing.assert_array_equal(runs[0].final.q, runs[1].final.q)


def test_small_machines_are_compiled_and_what_tables_do_not_hold_is() -> None:
    assert jounce.compile_model(_chain(2)).tables is None
    ball = jounce.systems.bouncing_ball()
    with pytest.raises(SimulationError, match="cannot run from tables"):
        jounce.compile_model(ball, bodies="tables")
    with pytest.raises(SimulationError, match="bodies='table'"):
        jounce.compile_model(ball, bodies="table")


@pytest.mark.parametrize("surface", ["line", "circle", "edge", "polygon"])
def test_gaps_with_cases_are_not_compiled(surface: str) -> None:
    """A gap on an edge or a polygon has a case for each part and takes seconds to compile: tables of any size."""
    block, ball = Body("block", 1.0, 0.1, center=(0, 0.1)), Body("ball", 1.0, 0.1, center=(0, 1.0))
    shapes = {
        "line": Line(block, (0, 0.1)),
        "circle": CircleOn(block, (0, 0), 0.1),
        "edge": Edge(block, (-0.1, 0.1), (0.1, 0.1)),
        "polygon": PolygonOn(block, [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)]),
    }
    contact = contact_between("top", CircleOn(ball, (0, 0), 0.2), shapes[surface])
    model = Model.from_bodies(f"on_a_{surface}", bodies=[block, ball], contacts=[contact], gravity=9.81)
    assert (jounce.compile_model(model).tables is not None) == (surface in ("edge", "polygon"))


def test_a_start_inside_another_body_is_refused() -> None:
    ball = Body("ball", 1.0, 0.1, center=(0, 0.1))
    contact = contact_between("floor", CircleOn(ball, (0, 0), 0.2), Line(ground))
    model = Model.from_bodies("sunk", bodies=[ball], contacts=[contact], gravity=9.81)
    with pytest.raises(ModelError, match=r"the gap is -0\.1 at the default start"):
        jounce.compile_model(model, bodies="tables")


def _of_expressions(ball: Body) -> dict[str, dict[str, Any]]:
    """What keeps a machine from tables, by words of the message."""
    soft, floor = CircleOn(ball, (0, 0), 0.2), Line(ground)
    bend = jounce.OwnCompliance(elastic=sp.Max(jounce.penetration, 2 * jounce.penetration - 0.1), energy=0)
    return {
        r"contact 'own' has a gap or a slip of its own with kinks": {
            "contacts": [jounce.Contact("own", gap=sp.Max(ball.y, ball.x) + 1)]
        },
        r"contact 'bend' has a force with kinks": {"contacts": [contact_between("bend", soft, floor, compliance=bend)]},
        r"a shape or a mass depends on 'ball_y'": {
            "contacts": [contact_between("tide", soft, Line(ground, (0, 0.1 * ball.y)))]
        },
        r"it has a Switch": {"forces": [jounce.Force(ball, (jounce.Switch("side", ball.d_x + ball.x), 0))]},
        r"a shape or a mass depends on 'size'": {
            "contacts": [contact_between("egg", CircleOn(ball, (0, 0), 0.2 + jounce.discrete("size")), floor)]
        },
        r"a force jumps with a velocity": {"forces": [jounce.Force(ball, (-sp.sign(ball.d_x), 0))]},
    }


@pytest.mark.parametrize("case", range(6))
def test_what_keeps_a_machine_from_tables_is_said(case: int) -> None:
    ball = Body("ball", 1.0, 0.1, center=(0, 1.0))
    says, given = list(_of_expressions(ball).items())[case]
    model = Model.from_bodies("ball", bodies=[ball], gravity=9.81, **given)
    with pytest.raises(SimulationError, match=f"cannot run from tables: .*({says})"):
        jounce.compile_model(model, bodies="tables")
