"""Models of many contacts: modes in several words, limits known before compiling, scratch that is not cleared."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Body, CircleOn, Contact, Corners, Line, Model, Reset, contact_between, ground
from jounce.kernels.records.workspace import (
    MAX_CANDIDATES,
    MAX_CLOSED,
    MAX_CONTACTS,
    MAX_COORDINATES,
    MAX_GUARDS,
    MAX_PARAMETERS,
    MAX_RESETS,
    MAX_STATES,
)
from jounce.simulation.modes import join_words, mode_code, mode_codes, split_words
from jounce.simulation.records import RunRecords
from jounce.system.compilation import WHAT_TO_TRY
from tests.engine.test_many_contacts import drops
from tests.engine.test_reused_records import same

BALLS = 20  # 20 contacts: modes of two words


@pytest.fixture(scope="module")
def system():
    return jounce.compile_model(drops(BALLS, height=0.1, rise=0.01))


def test_words_of_modes():
    random = np.random.default_rng(3)
    for contacts in (1, 17, 18, 40, 64):
        codes = random.integers(0, 5, (6, contacts))
        modes = [mode_code(row) for row in codes]
        assert mode_codes(modes, contacts).tolist() == codes.tolist()
        assert join_words(split_words(modes, contacts)).tolist() == modes
        assert join_words(split_words([-1, modes[0]], contacts)).tolist() == [-1, modes[0]]


def test_every_ball_comes_to_rest_at_its_own_time(system):
    """A ball from the height h has bounced for the last time at sqrt(2 h/g) (1 + e)/(1 - e)."""
    run = jounce.simulate(system, None, 3.0)
    last = run.events.groupby("contact", sort=False).t.last()
    heights = 0.1 + 0.01 * np.arange(BALLS)
    expected = np.sqrt(2 * heights / 10) * 3.0
    assert [last[f"c{k}"] for k in range(BALLS)] == pytest.approx(expected, rel=1e-7)
    assert run.status.name == "AT_REST"
    assert run.audit().empty
    middle = float(expected[9] + expected[10]) / 2
    assert run.at(middle).mode_names == ("SLIP+",) * 10 + ("OPEN",) * 10


def test_a_file_keeps_the_modes(system, tmp_path):
    run = jounce.simulate(system, None, 3.0)
    run.save(tmp_path / "run.nc")
    again = jounce.load(tmp_path / "run.nc")
    for name in ("step_mode", "step_order", "mode_final", "order_final"):
        assert np.array_equal(getattr(again.data, name), getattr(run.data, name))
    assert again.at(0.6).mode_names == run.at(0.6).mode_names


def test_a_run_goes_on_from_its_middle(system):
    whole = jounce.simulate(system, None, 3.0)
    start = jounce.simulate(system, None, 0.55).final
    assert "SLIP+" in start.mode_names
    assert "OPEN" in start.mode_names
    rest = jounce.simulate(system, start, 3.0)
    assert rest.final.mode_names == whole.final.mode_names
    assert rest.final.q == pytest.approx(whole.final.q, abs=1e-12)
    found = jounce.ensemble(system, [start, start], 3.0, keep=("final", "status"))
    assert found["status"].values.tolist() == ["AT_REST"] * 2
    assert [str(found[f"c{k}_mode"].values[0]) for k in range(BALLS)] == ["SLIP+"] * BALLS


def test_sections_of_a_system_with_many_contacts(system):
    section_map = jounce.SectionMap(system, "impact:c19", longest_return=10.0)
    samples = section_map.iterate(system.state(), 3)
    assert len(samples) == 3
    run = jounce.simulate(system, None, 2.0)
    times = run.events[(run.events.kind == "impact") & (run.events.contact == "c19")].t.to_numpy()[:3]
    assert samples.state(2).mode_names == run.at(float(times[2])).mode_names


def test_too_large_a_model_is_refused_before_it_is_compiled(monkeypatch):
    def forbidden(*_):
        raise AssertionError("compiled")

    monkeypatch.setattr("jounce.codegen.cache.load_model", forbidden)
    with pytest.raises(jounce.SimulationError, match=f"has {MAX_CONTACTS + 1} contacts; the engine serves up to"):
        jounce.compile_model(side_by_side(1, MAX_CONTACTS + 1), bodies="compiled")


def _too_many(what):
    """A machine with one more of something than the engine serves."""
    ball = Body("ball", 1.0, 0.1, center=(0, 1))
    floor = contact_between("floor", CircleOn(ball, (0, 0), 0.1), Line(ground))
    parts = {
        "coordinates": lambda: {"bodies": [Body(f"b{k}", 1.0, 0.1) for k in range(MAX_COORDINATES // 3 + 1)]},
        "contacts": lambda: {
            "contacts": [
                contact_between(f"c{k}", CircleOn(ball, (0, 0), 0.1), Line(ground, (0, -k)))
                for k in range(MAX_CANDIDATES + 1)
            ]
        },
        "joints and brakes that rub": lambda: {
            "contacts": [
                Contact(f"brake{k}", slip=ball.d_x, friction=0.1, load=(), preload=1) for k in range(MAX_CLOSED + 1)
            ]
        },
        "guards": lambda: {"guards": {f"g{k}": ball.x - k for k in range(MAX_GUARDS + 1)}},
        "parameters": lambda: {"parameters": {f"p{k}": 1.0 for k in range(MAX_PARAMETERS + 1)}},
        "discrete states": lambda: {"states": {f"s{k}": 0.0 for k in range(MAX_STATES + 1)}},
        "resets": lambda: {
            "contacts": [floor],
            "resets": [Reset("impact:floor", {ball.d_x: k}, name=f"r{k}") for k in range(MAX_RESETS + 1)],
        },
    }
    return Model.from_bodies("large", **({"bodies": [ball]} | parts[what]()))


@pytest.mark.parametrize("what", [what for what in WHAT_TO_TRY if what not in ("joints", "assignments in resets")])
def test_what_is_too_large_is_named_before_any_work_with_what_to_try(what, monkeypatch):
    def forbidden(*_):
        raise AssertionError("compiled")

    monkeypatch.setattr("jounce.codegen.cache.load_model", forbidden)
    with pytest.raises(jounce.SimulationError) as refused:
        jounce.compile_model(_too_many(what))
    assert f" {what}; the engine serves up to " in str(refused.value)
    assert WHAT_TO_TRY[what] in str(refused.value)


def side_by_side(count, floors=1):
    """Balls that lie beside one another, each on its own floors."""
    balls = [Body(f"b{k}", 1.0, 1e-3, center=(0.2 * k, 0.05)) for k in range(count)]
    contacts = [
        contact_between(f"c{k}_{j}", CircleOn(ball, (0, 0), 0.05), Line(ground, (0, -0.01 * j)), friction=0.3)
        for k, ball in enumerate(balls)
        for j in range(floors)
    ]
    return Model.from_bodies("balls_side_by_side", bodies=balls, contacts=contacts, gravity=9.81)


def centipede(count, friction):
    """A block on many feet."""
    block = Body("block", 1.0, 0.05, center=(0, 0.3))
    feet = [(-0.4 + 0.8 * k / (count - 1), -0.3) for k in range(count)]
    contact = contact_between("foot", Corners(block, feet), Line(ground), friction=friction)
    model = Model.from_bodies("centipede", bodies=[block], contacts=[contact], gravity=9.81)
    return jounce.compile_model(model, bodies="tables")


def test_more_contacts_closed_at_one_time_than_there_is_room_for():
    run = jounce.simulate(centipede(MAX_CLOSED + 1, 0.0), None, 1.0)
    assert run.status.name == "TOO_MANY_CLOSED"
    assert str(MAX_CLOSED) in run.status.message


@pytest.mark.parametrize("count", [45, MAX_COORDINATES // 3])
def test_many_closed_contacts_that_stand_apart(count):
    """Balls that lie still; each carries its own weight."""
    run = jounce.simulate(side_by_side(count), None, 1.0)
    assert run.status.name in ("FINISHED", "AT_REST")
    assert run.audit().empty
    forces = run.contact_forces(np.array([0.5])).lambda_N.values
    np.testing.assert_allclose(forces, 9.81, rtol=1e-12)


def test_a_hundred_boxes_on_two_feet_each():
    """One of them slides to its stop; statics leaves the friction of all others open."""
    boxes = [Body(f"b{k}", 1.0, 0.02, center=(0.5 * k, 0.15)) for k in range(MAX_COORDINATES // 3)]
    contacts = [
        contact_between(f"c{k}", Corners(box, [(-0.2, -0.15), (0.2, -0.15)]), Line(ground), friction=0.3)
        for k, box in enumerate(boxes)
    ]
    model = Model.from_bodies("boxes", bodies=boxes, contacts=contacts, gravity=9.81)
    run = jounce.simulate(model, {"d_b99_x": 1.0}, 1.0)
    assert run.status.name == "AT_REST"
    assert run.audit().empty
    assert float(run.events.t.iloc[-1]) == pytest.approx(1 / (0.3 * 9.81), rel=1e-12)
    assert run.final["b99_x"] - 49.5 == pytest.approx(1 / (2 * 0.3 * 9.81), rel=1e-12)
    np.testing.assert_allclose(run.contact_forces(np.array([0.9])).lambda_N.values, 9.81 / 2, rtol=1e-12)


@pytest.mark.parametrize(("count", "friction"), [(33, 0.0), (40, 0.5), (96, 0.0)])
def test_a_cluster_of_all_contacts_that_may_touch(count, friction):
    """A block on so many feet that conditions of its mode would not fit into one integer; it carries its weight."""
    run = jounce.simulate(centipede(count, friction), None, 1.0)
    assert run.status.name in ("AT_REST", "FINISHED"), run.status
    assert run.audit().empty
    assert float(run.contact_forces(np.array([0.5])).lambda_N.sum()) == pytest.approx(9.81, rel=1e-10)


@pytest.mark.parametrize("name", sorted(jounce.systems.SYSTEMS))
def test_scratch_is_written_before_it_is_read(name, monkeypatch):
    """A run in a workspace full of numbers that are none, behind what a run remembers, is the same run."""
    system = jounce.compile_model(getattr(jounce.systems, name)())
    spoilt = jounce.simulate(system, None, 1.0)
    monkeypatch.setattr("jounce.simulation.driver.borrow_records", RunRecords)
    assert same(jounce.simulate(system, None, 1.0), spoilt)


def test_a_machine_that_is_too_large_to_be_compiled_says_why_it_is() -> None:
    """Tables would hold its contacts, but not a damper that is switched on."""
    body = jounce.Body("plate", mass=1.0, inertia=1.0, center=(0, 1))
    points = jounce.Corners(body, [(0.001 * k, 0) for k in range(MAX_CONTACTS + 1)])
    damper = jounce.Damper(jounce.ground, body, sp.Piecewise((0, jounce.time < 1), (1, True)), at_first=(0, 5))
    model = jounce.Model.from_bodies(
        "comb",
        bodies=[body],
        contacts=jounce.contact_between("floor", points, jounce.Line(jounce.ground)),
        forces=[damper],
    )
    with pytest.raises(jounce.SimulationError, match=r"cannot run from tables, which serve more: .*Piecewise"):
        jounce.compile_model(model)
