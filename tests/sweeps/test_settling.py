"""Transient chaos is not called chaos: what is undecided is followed on, checked against long iteration."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from sympy import cos, pi

import jounce
from jounce.analysis.attractors.settling import settle
from jounce.analysis.sections.section_map import SectionMap
from jounce.errors import OptionError
from jounce.kernels.records import attractor_codes as codes
from jounce.model import Contact, Model, coordinate, parameters, time

GRID = {"x": np.linspace(0.06, 0.99, 9), "d_x": np.linspace(-1.0, 1.0, 8)}


@cache
def fermi_ulam():
    """A ball between a shaking and a fixed wall, little damped: chaos for thousands of returns, then one orbit."""
    x, dx = coordinate("x", "m")
    eps, e1, e2 = parameters(eps=(0.05, "m"), e1=(0.95, ""), e2=(0.95, ""))
    walls = [
        Contact("moving", gap=x - eps * cos(time), restitution=e1),
        Contact("fixed", gap=1 - x, restitution=e2),
    ]
    start = {x: 0.5, dx: 0.4}
    model = Model.from_lagrangian(
        "fermi_ulam", coordinates=[x], kinetic=dx**2 / 2, period=2 * pi, start=start, contacts=walls
    )
    return jounce.compile_model(model)


def test_transient_chaos_settles():
    at_once = jounce.basins(fermi_ulam(), GRID, "phase:0", patience=1)
    kinds = dict(zip(at_once.attractors.kind, at_once.attractors.share, strict=True))
    assert kinds["chaotic"] > 0.1  # what a first look says
    followed = jounce.basins(fermi_ulam(), GRID, "phase:0")
    table = followed.attractors
    assert table.kind[0] == "periodic"
    assert table.period[0] == 1
    assert table.sure[0] == 1.0
    assert table.share[0] > 0.95  # one motion may wander for all of its budget: its verdict is not sure then
    assert "unsettled" not in set(table.kind)
    assert (table.sure[table.kind == "chaotic"] < 1.0).all()
    section_map = SectionMap(fermi_ulam(), "phase:0")
    undecided = np.argwhere(at_once.dataset.kind.to_numpy() != codes.PERIODIC)
    point = followed.points[0].iloc[0]
    for i, j in undecided[::10]:  # a long iteration of the map ends on the same point
        start = fermi_ulam().state(x=GRID["x"][i], d_x=GRID["d_x"][j])
        last = section_map.iterate(start, 20_000).array[-1]
        names = section_map.names
        for name in ("x", "d_x"):
            assert last[names.index(name)] == pytest.approx(point[name], abs=1e-6)


def test_chaos_stays_chaos_and_says_how_sure():
    """The ball on a table at omega = 4.5: chaotic in both tests, so sure by 3/4."""
    system = jounce.compile_model(jounce.systems.ball_on_table())
    request = {"parameter": "omega", "values": np.linspace(4.45, 4.5, 4), "section": "phase:0", "e": 0.8}
    diagram = jounce.sweep(system, start=system.state(y=3.0), transient=300, **request)
    table = diagram.attractors
    for row in table[table.kind == "chaotic"].itertuples():
        assert row.sure >= 0.75
        assert row.returns >= 2 * 400
        assert row.exponent > 0.0
    assert (table.kind == "chaotic").any()
    assert (table.sure[table.kind == "periodic"] == 1.0).all()
    again = jounce.sweep(system, start=system.state(y=3.0), transient=300, threads=1, **request)
    assert again.attractors.equals(table)


def test_starts_of_their_own_are_followed_on_too():
    diagram = jounce.sweep(
        fermi_ulam(), "e1", [0.94, 0.95], "phase:0", random_starts=3, ranges={"x": (0.1, 0.9), "d_x": (-1, 1)}
    )
    table = diagram.attractors
    assert "unsettled" not in set(table.kind)
    assert (table.kind == "periodic").any()
    assert (table.sure[table.kind == "periodic"] == 1.0).all()
    assert (table.sure[table.kind == "chaotic"] < 1.0).all()  # twice is not for ever


@pytest.mark.parametrize("patience", [0, -1, 2.5, True, "many"])
def test_patience_is_a_whole_number(patience):
    with pytest.raises(OptionError, match="patience"):
        jounce.basins(fermi_ulam(), GRID, "phase:0", patience=patience)


def results(kinds):
    facts = np.zeros((len(kinds), codes.FACTS), np.int64)
    facts[:, codes.KIND] = kinds
    facts[:, codes.RETURNS] = 100
    return {"facts": facts, "end": np.zeros((len(kinds), 3)), "exponent": np.zeros(len(kinds))}


def test_rounds_double_and_stay_within_the_budget():
    asked = []

    def never(chosen, ends, transient):
        asked.append((chosen.tolist(), transient))
        return results([codes.UNSETTLED if k == 1 else codes.CHAOTIC for k in chosen])

    found = settle(results([codes.PERIODIC, codes.UNSETTLED, codes.CHAOTIC]), never, 90, 10, 8)
    # the chaotic one is tested once more and left alone, because nothing leaves chaos; 100 + 100 + 200 + 400 = 8 x 100
    assert asked == [([1, 2], 90), ([1], 190), ([1], 390)]
    assert found["sure"].tolist() == [1.0, 0.0, 0.75]
    assert found["facts"][:, codes.RETURNS].tolist() == [100, 400, 200]


def test_chaos_is_followed_on_while_some_of_it_settles():
    rounds = iter([[codes.PERIODIC, codes.CHAOTIC, codes.CHAOTIC], [codes.REST, codes.CHAOTIC], [codes.CHAOTIC]])
    found = settle(results([codes.CHAOTIC] * 3), lambda *_: results(next(rounds)), 90, 10, 16)
    assert found["facts"][:, codes.KIND].tolist() == [codes.PERIODIC, codes.REST, codes.CHAOTIC]
    assert found["sure"].tolist() == [1.0, 1.0, 5.0 / 6.0]


def test_a_cancelled_round_gives_nothing():
    assert settle(results([codes.UNSETTLED]), lambda *_: None, 90, 10, 4) is None
