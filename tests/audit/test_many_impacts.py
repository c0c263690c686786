"""The audit of a machine with many contacts, joints and impacts holds a part of its numbers at a time."""

from __future__ import annotations

import tracemalloc

import numpy as np

import jounce
from jounce import Body, CircleOn, Line, Model, Revolute, contact_between, ground
from jounce.simulation.audit import laws


def _chain() -> jounce.Trajectory:
    """Eight links that fall onto a floor."""
    bodies: list[Body] = []
    joints, contacts, before, at = [], [], ground, (0.0, 0.0)
    for k in range(8):
        body = Body(f"link{k}", mass=1.0, inertia=0.01, center=(0.3 * k + 0.15, 0))
        joints.append(Revolute(f"pin{k}", before, body, at, (-0.15, 0)))
        contacts.append(
            contact_between(f"floor{k}", CircleOn(body, (0.1, 0), 0.05), Line(ground, (0, -0.6)), restitution=0.5)
        )
        bodies, before, at = [*bodies, body], body, (0.15, 0.0)
    model = Model.from_bodies("falls", bodies=bodies, joints=joints, gravity=9.81, contacts=contacts)
    return jounce.simulate(jounce.compile_model(model), None, t_end=0.7)


def test_groups_of_rows_give_the_numbers_of_all_in_bounded_memory(monkeypatch) -> None:
    run = _chain()
    rows = laws._rows(run)
    assert len(rows) > 5
    whole = laws._contact_numbers(run, rows)
    many = np.resize(rows, 20_000)  # 30 million numbers at once
    tracemalloc.start()
    grouped = laws._contact_numbers(run, many)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6
    for ours, theirs in zip(whole, grouped, strict=True):
        assert (np.resize(ours, 20_000) == theirs).all()
    monkeypatch.setattr(laws, "AT_ONCE", 1)
    for ours, theirs in zip(whole, laws._contact_numbers(run, rows), strict=True):
        assert (ours == theirs).all()
