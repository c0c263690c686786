"""Stacks, cradles, dominoes, a box in a slot, discs in a box: against closed forms or a second formulation."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from benchmarks.scenes import G, compiled, cradle, discs, dominoes, row, slot, stack


def test_stack_stays_for_a_thousand_seconds():
    run = jounce.simulate(compiled(stack(3)), None, 1000.0, slope=0.3)
    assert run.status.name == "AT_REST"
    assert run.final.q == pytest.approx(run.start.q, abs=1e-12)
    assert run.audit().empty
    forces = run.contact_forces(np.array([500.0]))
    by_box = forces.lambda_N.values.reshape(3, 2).sum(axis=1)
    assert by_box == pytest.approx(np.array([3.0, 2.0, 1.0]) * G * np.cos(0.3), rel=1e-9)


@pytest.mark.parametrize("count", [1, 3, 4, 10])
def test_stack_topples_at_the_angle_at_which_its_weight_leaves_the_base(count):
    """tan(slope) = a/(n b): the centre of mass of all boxes stands over the lower edge."""
    run = jounce.simulate(compiled(stack(count, turning=True)), None, np.arctan(1 / count) / 0.05 + 0.1, mu=1.5)
    first = run.events.iloc[0]
    assert (first.kind, first.contact) == ("lift_off", "under0_left")
    assert first.t == pytest.approx(np.arctan(1 / count) / 0.05, rel=1e-9)
    assert run.audit().empty


@pytest.mark.parametrize("tolerance", [1e-10, 1e-8, 1e-6])
def test_rest_under_a_turning_weight_takes_few_steps(tolerance):
    """Accelerations of boxes in balance are the rounding of forces that cancel: no step is cut for them."""
    run = jounce.simulate(compiled(stack(3, turning=True)), None, 6.0, mu=1.5, tolerance=tolerance)
    assert len(run.events) == 0
    assert len(run.data.step_t) < 100  # 1,600 to 15,000 where rounding was taken for an error
    assert run.final.q == pytest.approx(run.start.q, abs=1e-12)
    assert run.audit().empty


@pytest.mark.parametrize("count", [5, 12])
@pytest.mark.parametrize("e", [1.0, 0.8])
def test_a_blow_runs_through_a_row_of_balls(count, e):
    """Ball k + 1 gets (1 + e)/2 of the speed with which ball k comes, which keeps (1 - e)/2 of it."""
    run = jounce.simulate(compiled(row(count)), None, 1.0, e=e)
    first = run.events.drop_duplicates("contact")
    assert first.contact.tolist() == [f"c{k}" for k in range(count - 1)]
    speeds = ((1 + e) / 2) ** np.arange(count - 1)
    assert first.v_n_before.to_numpy() == pytest.approx(-speeds, rel=1e-12)
    assert first.p_n.to_numpy() == pytest.approx((1 + e) / 2 * speeds, rel=1e-12)
    assert first.t.to_numpy() == pytest.approx(0.01 * np.cumsum(1 / speeds), rel=1e-12)
    assert run.final.u.sum() == pytest.approx(1.0, abs=1e-12)
    assert run.audit().empty


def test_cradle_with_joints_and_with_angles():
    """Five balls on rods: what the joints of Cartesian coordinates hold is what the angles say."""
    jointed, reduced = (jounce.simulate(compiled(cradle(5, minimal)), None, 1.2) for minimal in (False, True))
    assert jointed.events.contact.tolist() == reduced.events.contact.tolist()
    assert jointed.events.t.to_numpy() == pytest.approx(reduced.events.t.to_numpy(), rel=1e-8)
    turns = [jointed.final[f"ball{k}_theta"] for k in range(5)]
    assert turns == pytest.approx(reduced.final.q, abs=1e-7)
    assert jointed.audit().empty
    assert reduced.audit().empty


def test_box_that_fills_its_slot():
    """Eight corners at the walls, four of which touch, and two on the floor: it stays, whatever turns gravity."""
    run = jounce.simulate(compiled(slot()), None, 10.0)
    assert run.status.name == "AT_REST"
    assert float(run.contact_forces(np.array([5.0])).lambda_N.sel(contact=["floor_sw", "floor_se"]).sum()) <= G + 1e-9
    assert run.audit().empty


def test_box_that_runs_between_two_walls():
    """Without friction it meets a wall every 2 c/v, flat, and comes back as fast."""
    system = compiled(slot(0.05))
    options = jounce.Options(simultaneous="joint", law="newton")
    start = system.state(d_box_x=1.0)
    run = jounce.simulate(system, start, 2.0, mu=0.0, e=1.0, options=options)
    times = run.events[run.events.kind == "impact"].t.unique()
    assert times == pytest.approx(0.05 + 0.1 * np.arange(len(times)), rel=1e-12)
    assert len(times) == 20
    assert abs(run.final["d_box_x"]) == pytest.approx(1.0, abs=1e-12)
    assert run.audit().empty


def test_discs_in_a_shaken_box():
    """Energy by the ledger; momentum: what the walls have given, and gravity."""
    system = compiled(discs(4))
    run = jounce.simulate(system, None, 0.5)
    assert run.status.name == "FINISHED"
    assert (run.events.kind == "impact").sum() > 15
    assert float(abs(run.energy.residual).max()) < 1e-8
    impacts = run.events[run.events.kind == "impact"]
    normals = {"floor": (0, 1), "roof": (0, -1), "left": (1, 0), "right": (-1, 0)}
    given = np.array([0.0, -4 * G * 0.5])
    for side, (x, y) in normals.items():
        own = impacts[impacts.contact.str.startswith(side)]
        # the tangent is the normal turned by -90 degrees
        given += own.p_n.sum() * np.array([x, y]) + own.p_t.sum() * np.array([y, -x])
    momentum = [sum(state[f"d_d{k}_{axis}"] for k in range(4)) for state in (run.final, run.start) for axis in "xy"]
    assert np.subtract(momentum[:2], momentum[2:]) == pytest.approx(given, abs=1e-8)
    assert run.audit().empty


def test_dominoes_with_joints_and_with_angles():
    """Ten dominoes on hinges: the wave is the same in Cartesian coordinates with 20 joints and in 10 angles."""
    jointed, reduced = (jounce.simulate(compiled(dominoes(10, minimal)), None, 0.2) for minimal in (False, True))
    for run in (jointed, reduced):
        assert run.status.name == "FINISHED"
        assert run.audit().empty
    first = [e[e.contact.str.startswith("c")].drop_duplicates("contact") for e in (jointed.events, reduced.events)]
    assert first[0].contact.tolist() == first[1].contact.tolist() == [f"c{k}" for k in range(len(first[0]))]
    assert first[0].t.to_numpy() == pytest.approx(first[1].t.to_numpy(), rel=1e-6)
