"""A user's guard that vanishes at the instant of a contact's event: one row, before it, always."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Contact, Model, coordinates, parameters


@pytest.fixture(scope="module")
def balls():
    """A ball with guards equal to its gap in several writings, on flights that are parabolas and others."""
    systems = []
    for spring in (0, 1):
        (x, dx), (y, dy) = coordinates("x y", "m")
        e, k, b = parameters(e=0.8, k=0.0, b=(0.3, "m"))
        model = Model.from_lagrangian(
            f"guarded_ball{spring}",
            coordinates=[x, y],
            kinetic=(dx**2 + dy**2) / 2,
            potential=9.81 * y + k * x**2 / 2 if spring else 9.81 * y,
            contacts=[Contact("floor", gap=y - b, restitution=e)],
            guards={"gap": y - b, "twice": 2 * (b - y), "scaled": sp.sin(y - b) * 1e3, "apex": dy},
            start={y: 1.3, x: 0.1},
        )
        systems.append(jounce.compile_model(model))
    return systems


CASES = [(0, {}), (1, {"k": 0.0}), (1, {"k": 4000.0}), (1, {"k": 17.3})]


@pytest.mark.parametrize(("which", "values"), CASES)
@pytest.mark.parametrize("height", [1.0, 0.731, 0.05])
def test_every_impact_has_one_row_of_each_guard_before_it(balls, which, values, height):
    system = balls[which]
    run = jounce.simulate(system, system.state(y=0.3 + height), 3.0, **values)
    events = run.events
    impacts = events.index[events.kind == "impact"]
    assert len(impacts) >= 6
    for row in impacts:
        before = events.iloc[max(row - 3, 0) : row]
        assert sorted(before.guard) == ["gap", "scaled", "twice"], events.iloc[max(row - 6, 0) : row + 4]
        # a root is known to the rounding of the guard divided by its speed, and to that of the time
        assert np.abs(before.t - events.t[row]).max() < 1e-15 - 4e-16 / events.v_n_before[row]
    rows = events[events.kind == "user"]
    apex = rows.t[rows.guard == "apex"].to_numpy()
    assert len(apex) >= len(impacts) - 1
    # the velocity jumps over zero at an impact without being zero: no row there
    assert not np.isin(apex, events.t[impacts]).any()
    for name in ("gap", "twice", "scaled"):
        times = rows.t[rows.guard == name].to_numpy()
        # a chatter at the end stands for infinitely many impacts: the guards vanish with the first of them
        assert len(times) - len(impacts) in (0, 1)


@pytest.mark.parametrize(("which", "values"), CASES)
def test_runs_that_stop_at_the_guard_stop_at_every_impact(balls, which, values):
    system = balls[which]
    whole = jounce.simulate(system, system.state(), 3.0, **values)
    impacts = whole.events[whole.events.kind == "impact"]
    state = system.state()
    for t, v in zip(impacts.t[:6], impacts.v_n_before[:6], strict=True):
        run = jounce.simulate(system, state, 3.0, **values, stop_at={"gap": -1})
        assert run.status.name == "STOPPED"
        assert "'gap'" in run.status.message
        assert "gap" in set(run.events.guard[run.events.t == run.final.t])
        state = run.final
        assert state.t == pytest.approx(t, abs=1e-9)
        assert state["d_y"] == pytest.approx(v, abs=1e-8)


def test_files_keep_the_names_of_guards(balls, tmp_path):
    run = jounce.simulate(balls[0], balls[0].state(), 1.0)
    run.save(tmp_path / "run.nc")
    assert jounce.load(tmp_path / "run.nc").events.guard.tolist() == run.events.guard.tolist()
