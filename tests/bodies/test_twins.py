"""Ready-made models whose gaps and slips were written by hand, built again from bodies: the same events."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Body, CircleOn, Corners, Force, Line, Model, PointOn, contact_between, ground, time


def same_events(one: jounce.Trajectory, other: jounce.Trajectory, count: int = 40) -> None:
    a, b = one.events.iloc[:count], other.events.iloc[:count]
    assert len(a) > 3
    assert len(a) == len(b)
    assert list(a["kind"]) == list(b["kind"])
    for column in ("t", "v_n_before", "v_n_after", "v_t_before", "v_t_after", "p_n", "p_t"):
        assert np.allclose(a[column].astype(float), b[column].astype(float), atol=1e-7, equal_nan=True), column


def test_slender_rod() -> None:
    m, L, A, omega, g = jounce.parameters(m=1.0, L=1.0, A=1.0, omega=3.0, g=9.81)
    rod = Body("rod", m, m * L**2 / 3, center=(0, 6), angle=0.3)
    floor = Line(ground, (0, A * sp.sin(omega * time)))
    mu, e = jounce.parameters(mu=0.1, e=0.8)
    ends = [
        contact_between(name, PointOn(rod, (side * L, 0)), floor, friction=mu, restitution=e)
        for name, side in (("P1", -1), ("P2", 1))
    ]
    twin = Model.from_bodies("rod_twin", bodies=[rod], contacts=ends, gravity=g, period=2 * sp.pi / omega)
    systems = [jounce.compile_model(model) for model in (jounce.systems.slender_rod(), twin)]
    runs = [jounce.simulate(s, s.state(), 6.0, omega=4.405, mu=0.3, e=0.6, L=0.8) for s in systems]
    same_events(*runs)
    assert systems[1].ballistic  # the fast path of free flight is found behind the geometry too


def test_rocking_block() -> None:
    m, b, h, mu = jounce.parameters(m=1.0, b=0.1, h=0.4, mu=0.8)
    block = Body("block", m, m * (b**2 + h**2) / 3, center=(-0.1, 0.45), angle=0.15)
    feet = contact_between("foot", Corners(block, {"left": (-b, -h), "right": (b, -h)}), Line(ground), friction=mu)
    shake = Force(block, (m * 0.03 * 25 * sp.sin(5 * time), 0))
    twin = Model.from_bodies("block_twin", bodies=[block], forces=[shake], contacts=feet, gravity=9.81)
    systems = [jounce.compile_model(model) for model in (jounce.systems.rocking_block(), twin)]
    runs = [
        jounce.simulate(systems[0], systems[0].state(), 2.0, A=0.03),
        jounce.simulate(systems[1], systems[1].state(), 2.0),
    ]
    same_events(*runs)
    assert runs[0].final["theta"] == pytest.approx(runs[1].final["block_theta"], abs=1e-7)


def test_two_discs() -> None:
    """The hand-written tangent is the opposite one, so slip and its impulse change their sign."""
    a = Body("a", 1.0, 0.5**2 / 2, center=(-1.0, 0.3), velocity=(1.0, 0))
    b = Body("b", 2.0, 2.0 * 0.3**2 / 2, center=(1.0, 0.0))
    rims = contact_between("rims", CircleOn(b, (0, 0), 0.3), CircleOn(a, (0, 0), 0.5), friction=0.3, restitution=0.8)
    systems = [
        jounce.compile_model(m)
        for m in (jounce.systems.two_discs(), Model.from_bodies("disc_twin", bodies=[a, b], contacts=[rims]))
    ]
    hand = jounce.simulate(systems[0], systems[0].state(), 3.0, m2=2.0, r2=0.3)
    twin = jounce.simulate(systems[1], systems[1].state(), 3.0)
    one, other = (run.events.iloc[0] for run in (hand, twin))
    for column in ("t", "v_n_before", "v_n_after", "p_n"):
        assert one[column] == pytest.approx(other[column], abs=1e-10), column
    for column in ("v_t_before", "v_t_after", "p_t"):
        assert one[column] == pytest.approx(-other[column], abs=1e-10), column
    assert np.allclose(hand.final.q, twin.final.q, atol=1e-9)
