"""Nodes of orbits: where they are placed, and that a branch does not end where an event passes one."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import jounce
from jounce.analysis.orbits.solution import nodes
from jounce.analysis.orbits.solution.node_places import node_times
from jounce.analysis.orbits.solution.signature import event_times
from jounce.papers.lancioni2009.branches import OPTIONS
from jounce.papers.lancioni2009.motion import Attractor, wiper_system


@cache
def orbit_of_two_nodes():
    system = jounce.compile_model(jounce.systems.ball_on_table())
    return jounce.find_orbit(system, system.state(y=6.4, t=1.5), nodes=2, omega=3.0, e=0.9)


def specials(branch):
    return [(special.kind, special.parameter) for special in branch.specials]


def test_a_branch_goes_on_where_an_event_passes_a_node(monkeypatch):
    """The second node lies beside the impact, which passes it at omega = 1.73 if no node is moved in time."""
    bounds = (1.6, 3.1)
    usual = jounce.continue_orbit(orbit_of_two_nodes(), "omega", bounds, step=0.2, direction="down")
    monkeypatch.setattr(nodes, "moved", lambda walk, here: here)
    passed = jounce.continue_orbit(orbit_of_two_nodes(), "omega", bounds, step=0.2, direction="down")
    assert passed.ends[0] == usual.ends[0] == "omega reaches its bound 1.6"
    assert specials(passed) == specials(usual) == []
    ends = [np.sort_complex(branch.points[0].solution.multipliers) for branch in (usual, passed)]
    np.testing.assert_allclose(*ends, rtol=1e-8)


def wiper_cycle(value):
    """A cycle of flight, slip, stick and slip of Lancioni's wiper without restitution; its last phases are short."""
    parameters = {"mu": 0.4, "e": 0.0, "phi0": value}
    start = Attractor(settle=60.0, **parameters).state
    return jounce.find_orbit(wiper_system(), start, options=OPTIONS, **parameters)


@pytest.mark.parametrize("count", [2, 3, 5, 8])
def test_nodes_lie_away_from_events(count):
    run = wiper_cycle(0.4).run
    events, period = event_times(run), run.t_end - run.t_start
    times = np.array(node_times(run, count))
    away = np.abs(times[:, None] - events) % period
    room = np.minimum(away, period - away).min(axis=1)
    # the surroundings of a node, half of an even share, hold at most len(events) + 1 pieces of stretches
    assert room.min() >= 0.25 * period / count / (len(events) + 1)
    gaps = np.diff(np.sort(times), append=times.min() + period)
    assert gaps.min() >= 0.5 * period / count


def test_a_phase_that_vanishes_holds_no_node(monkeypatch):
    """The slip phase shrinks to nothing at phi0 = 0.4293 (Fig. 6), and the branch goes on as an impact without it."""
    monkeypatch.setattr(nodes, "nodes_needed", lambda evaluation: 2)
    branch = jounce.continue_orbit(wiper_cycle(0.425), "phi0", (0.41, 0.435), step=0.01)
    found = dict(specials(branch))
    assert found["loss_of_flight"] == pytest.approx(0.429298304868, abs=1e-9)
    assert branch.ends[1].startswith("phi0 reaches its bound")
