"""Machines of many contacts look at those that are near: no event is lost, and the motion is that of all contacts."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from benchmarks import scenes
from jounce.analysis.stability.variation import flow
from jounce.simulation import driver, roster
from jounce.system.evaluation import values_of


def discs_by_hand(q: np.ndarray, v: np.ndarray, size: float, count: int) -> np.ndarray:
    """Times of the first collisions of elastic unit discs of equal mass in a square box, by closed forms alone."""
    q, v, t, times = q.copy(), v.copy(), 0.0, []
    a, b = np.triu_indices(len(q), 1)
    while len(times) < count:
        with np.errstate(divide="ignore", invalid="ignore"):
            walls = np.where(v > 0, (size - 1 - q) / v, np.where(v < 0, (1 - q) / v, np.inf))
            d, w = q[a] - q[b], v[a] - v[b]
            closing, square = (d * w).sum(1), (w * w).sum(1)
            root = closing**2 - square * ((d * d).sum(1) - 4)
            pairs = np.where((closing < 0) & (root > 0), (-closing - np.sqrt(np.maximum(root, 0))) / square, np.inf)
        step = min(walls.min(), pairs.min())
        q, t = q + step * v, t + step
        if walls.min() < pairs.min():
            body, axis = np.unravel_index(walls.argmin(), walls.shape)
            v[body, axis] *= -1
        else:
            k = pairs.argmin()
            n = (q[a[k]] - q[b[k]]) / 2
            jump = ((v[b[k]] - v[a[k]]) @ n) * n
            v[a[k]] += jump
            v[b[k]] -= jump
        times.append(t)
    return np.array(times)


def test_billiard_is_that_of_closed_forms():
    """30 discs and 555 contacts: 60 collisions at the times of a simulation that knows no engine."""
    model = scenes.billiard(30)
    system = jounce.compile_model(model)
    start = system.state()
    q, v = start.q.reshape(-1, 3)[:, :2], start.u.reshape(-1, 3)[:, :2]
    expected = discs_by_hand(q, v, np.sqrt(np.pi * 30 / 0.25), 60)
    run = jounce.simulate(system, start, 0.5 * (expected[-2] + expected[-1]))
    assert run.status.name == "FINISHED", run.status
    assert run.events.t.to_numpy() == pytest.approx(expected[:-1], rel=1e-8)
    assert run.energy.kinetic.to_numpy() == pytest.approx(float(run.energy.kinetic[0]), rel=1e-12)


@pytest.mark.parametrize(
    ("scene", "end"),
    [(lambda: scenes.discs(8), 0.25), (lambda: scenes.heap(12), 3.0), (lambda: scenes.dominoes(20, False), 0.1)],
    ids=["shaken discs", "heap", "dominoes on hinges"],
)
def test_list_changes_nothing(scene, end, monkeypatch):
    """Events and the state at the end are those of a run that looks at all contacts."""
    system = jounce.compile_model(scene())
    assert roster.keeps_list(system)
    near = jounce.simulate(system, None, end)
    monkeypatch.setattr(roster, "LEAST", 10**9)
    whole = jounce.simulate(system, None, end)
    assert near.status.name == whole.status.name == "FINISHED"
    assert near.events.contact.tolist() == whole.events.contact.tolist()
    assert near.events.kind.tolist() == whole.events.kind.tolist()
    assert near.events.t.to_numpy() == pytest.approx(whole.events.t.to_numpy(), rel=1e-9)
    assert near.final.q == pytest.approx(whole.final.q, rel=1e-7, abs=1e-9)
    assert near.final.modes.tolist() == whole.final.modes.tolist()
    modes = [run.mode_codes_at(whole.data.step_t + 1e-9 * end, "right") for run in (near, whole)]
    assert np.array_equal(*modes)


def test_run_goes_on_where_it_was_cut():
    """The modes, speeds and sizes of all contacts are carried by a state."""
    system = jounce.compile_model(scenes.heap(12))
    whole = jounce.simulate(system, None, 4.0)
    first = jounce.simulate(system, None, 2.0)
    second = jounce.simulate(system, first.final, 4.0)
    times = np.concatenate([first.events.t, second.events.t])
    assert times == pytest.approx(whole.events.t.to_numpy(), rel=1e-8)


def test_units_of_a_billiard():
    """The same motion in units that differ by powers of ten."""
    times = []
    for length, rate, mass in ((1.0, 1.0, 1.0), (1e-6, 1e6, 1e6), (1e6, 1e-6, 1e-6)):
        run = jounce.simulate(jounce.compile_model(scenes.billiard(8, 0.25, mass, length, rate)), None, 3.0 / rate)
        assert run.status.name == "FINISHED"
        times.append(run.events.t.to_numpy() * rate)
    assert len(times[0]) > 4
    assert times[1] == pytest.approx(times[0], rel=1e-9)
    assert times[2] == pytest.approx(times[0], rel=1e-9)


def test_levers_bound_the_change_of_every_gap():
    """D_a + l_a T_a + D_b + l_b T_b is never less than what a gap changes by, for all kinds of shapes."""
    from jounce import Body, CircleOn, Corners, Edge, Line, Model, PolygonOn, contact_between, ground

    a = Body("a", mass=1.0, inertia=1.0, center=(0.0, 0.0))
    b = Body("b", mass=1.0, inertia=1.0, center=(9.0, 0.0))
    square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
    shapes = [
        Line(b, (-2.0, 0.0), (0.0, 1.0)),
        CircleOn(b, (-0.5, 1.0), 1.5),
        Edge(b, (-2.0, -3.0), (-2.0, 3.0)),
        PolygonOn(b, square),
        Line(ground, (0.0, -5.0), (1.0, 0.0)),
    ]
    corners = Corners(a, {"p": (0.7, 0.4), "r": (-0.3, 1.2)})
    contacts = [contact_between(f"c{k}", corners, shape) for k, shape in enumerate(shapes)]
    system = jounce.compile_model(Model.from_bodies("pair", bodies=[a, b], contacts=contacts), bodies="tables")
    random, nc, q, u, p = np.random.default_rng(3), system.nc, system.state().q, np.zeros(6), system.parameters()
    lever = values_of(system.near.levers, 3 * nc, 0.0, q, u, p).reshape(nc, 3)
    gap = values_of(system.functions.gaps, 2 * nc, 0.0, q, u, p)[::2]
    for _ in range(300):
        change = random.normal(size=6) * 10.0 ** random.uniform(-3, 0.3)
        moved = values_of(system.functions.gaps, 2 * nc, 0.0, q + change, u, p)[::2]
        D, T = np.hypot(change[[0, 3]], change[[1, 4]]), np.abs(change[[2, 5]])
        side = np.array([0 if name.startswith("c4") else D[1] for name in system.contact_names])
        turn = np.array([0 if name.startswith("c4") else T[1] for name in system.contact_names])
        grown = lever[:, 1] + lever[:, 2] * (D.sum() + lever[:, 0] * T[0])
        bound = D[0] + lever[:, 0] * T[0] + side + grown * turn
        assert (np.abs(moved - gap) <= bound * (1 + 1e-12)).all()


@pytest.fixture(scope="module")
def crowd():
    """30 discs in a shaken box, 555 contacts: more than the engine looks at at one time."""
    return jounce.compile_model(scenes.discs(30, size=0.9))


def test_ensemble_of_many_contacts_is_that_of_simulate(crowd):
    """Runs one after the other in the same records, of which the second starts where another one has been cut."""
    whole = jounce.simulate(crowd, None, 0.08)
    cut = jounce.simulate(crowd, None, 0.04).final
    many = jounce.ensemble(crowd, [crowd.state(), cut, crowd.state()], 0.08, keep=("status", "final", "ledger"))
    assert many.status.values.tolist() == ["FINISHED"] * 3
    names = [*crowd.coordinate_names, *crowd.velocity_names]
    ends = np.array([many[name].values for name in names])
    assert np.array_equal(ends[:, 0], np.concatenate([whole.final.q, whole.final.u]))
    assert np.array_equal(ends[:, 2], ends[:, 0])
    assert ends[:, 1] == pytest.approx(ends[:, 0], rel=1e-7, abs=1e-9)
    assert float(many.impact_loss[0]) == pytest.approx(float(whole.data.total_impact_loss.sum()), rel=1e-12)


def test_sections_sweeps_and_basins_of_many_contacts():
    """Of 30 discs one column carries a blow to the roof and back: a return takes 2 (size - 10 radii)/v."""
    system = jounce.compile_model(scenes.billiard(30))
    start = system.state(**(dict.fromkeys(system.velocity_names, 0.0) | {"d_d0_y": 1.0}))
    expected = 2.0 * (np.sqrt(np.pi * 30 / 0.25) - 10.0)
    samples = jounce.SectionMap(system, "impact:floor0").iterate(start, 3)
    assert samples["return_time"][1:] == pytest.approx([expected, expected], rel=1e-12)
    assert samples["impacts"][1:].tolist() == [10, 10]
    few = {"transient": 2, "keep": 2}
    diagram = jounce.sweep(system, "e", np.array([1.0]), "impact:floor0", start, **few)
    assert diagram.dataset["period"].values.ravel().tolist() == [1]
    basin = jounce.basins(system, {"d_d0_y": np.array([1.0, 2.0])}, "impact:floor0", start, **few)
    assert basin.dataset.sizes["d_d0_y"] == 2


def test_derivatives_of_many_contacts(crowd):
    """A column of the flow over some impacts is that of differences; the same records give exponents."""
    start, end, h, k = crowd.state(), 0.08, 1e-8, 0
    carried = driver.Driver(crowd, start, end, crowd.parameters(), jounce.Options())
    carried.carry(np.eye(2 * crowd.n)[:, [crowd.n + k]])
    assert len(carried.run().events) > 5
    ends = []
    for step in (h, -h):
        moved = start.replace(**{crowd.velocity_names[k]: float(start.u[k]) + step})
        final = jounce.simulate(crowd, moved, end).final
        ends.append(np.concatenate([final.q, final.u]))
    expected = (ends[0] - ends[1]) / (2 * h)
    assert carried.columns[:, 0] == pytest.approx(expected, abs=1e-5 * np.abs(expected).max())
    carried.release()
    assert np.isfinite(jounce.lyapunov(crowd, start, 0.03, count=1).exponents).all()


def test_list_changes_no_derivative(monkeypatch):
    """With the list the columns are those without it, bit for bit."""
    system = jounce.compile_model(scenes.discs(9))
    whole = flow(system, system.state(), 0.1).matrix
    monkeypatch.setattr(driver, "needs_list", roster.keeps_list)
    assert np.array_equal(flow(system, system.state(), 0.1).matrix, whole)


def test_fifty_discs_in_a_shaken_box():
    """Energy and momentum of 50 discs: the ledger closes, and the impulses of the walls are the change of momentum."""
    system = jounce.compile_model(scenes.discs(50, size=1.2))
    run = jounce.simulate(system, None, 0.1)
    assert run.status.name == "FINISHED"
    assert len(run.events) > 40
    assert not len(run.audit())
    assert np.abs(run.energy.residual).max() < 1e-9 * float(run.energy.kinetic.max())
    walls, given = {"left": (1, 0), "right": (-1, 0), "floor": (0, 1), "roof": (0, -1)}, np.zeros(2)
    for side, (x, y) in walls.items():
        own = run.events[run.events.contact.str.startswith(side)]
        given += own.p_n.sum() * np.array([x, y]) + own.p_t.sum() * np.array([y, -x])
    change = (run.final.u - system.state().u).reshape(-1, 3)[:, :2].sum(axis=0)
    change[1] += 50 * scenes.G * 0.1
    assert change == pytest.approx(given, abs=1e-9 * np.abs(run.final.u).sum())
