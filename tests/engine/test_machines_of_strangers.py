"""Machines that nobody here had in mind, written from the documentation, against closed forms; in three units."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Contact, Model, coordinate, coordinates, parameters
from tests.families.family import factor

UNITS = [(1.0, 1.0, 1.0), (1e3, 1e3, 1e-3), (1e6, 1e-6, 1e9)]


def _final(
    model: Model, start: dict[str, float], t_end: float, tolerance: float, units: tuple[float, ...]
) -> np.ndarray:
    """[q, u] at the end in the units of the model as it is written, from a run in other units that is cut once."""
    system, scales = jounce.compile_model(model), np.array(units)
    of_state = {**system.model.coordinates, **system.model.velocity_units}
    values = {name: x * factor(model.parameters[name].unit, scales) for name, x in model.defaults.items()}
    scaled = {name: x * factor(of_state[name], scales) for name, x in start.items()}
    end, state = t_end * scales[1], system.state(**scaled)
    for until in (0.43 * end, end):
        run = jounce.simulate(system, state, until, tolerance=tolerance, **values)
        assert run.status.ok, run.status.message
        assert run.audit().empty
        state = run.final
    return np.concatenate([state.q, state.u]) / [factor(unit, scales) for unit in of_state.values()]


def _settlement(m_1: float, m_2: float, g: float, R: float, e: float) -> float:
    """How deep one blow from 1 m drives a pile: bounces on a pile that slows down, then both go down together."""
    slows = R / m_2 - g
    v_ram, v_pile, depth = -math.sqrt(2 * g), 0.0, 0.0
    for _ in range(60):
        p = -(1 + e) * (v_ram - v_pile) / (1 / m_1 + 1 / m_2)
        v_ram, v_pile = v_ram + p / m_1, v_pile - p / m_2
        bounce = 2 * (v_ram - v_pile) / (g + slows)
        assert v_pile + slows * bounce < 0  # the pile is still on its way when the ram is back
        depth -= v_pile * bounce + slows * bounce**2 / 2
        v_ram, v_pile = v_ram - g * bounce, v_pile + slows * bounce
    v = (m_1 * v_ram + m_2 * v_pile) / (m_1 + m_2)
    return depth + v**2 / (2 * (R / (m_1 + m_2) - g))


@pytest.mark.parametrize("units", UNITS)
def test_a_pile_driver(units: tuple[float, ...]) -> None:
    """A ram falls 1 m onto a pile that the soil holds with a constant force."""
    (a, _), (b, db) = coordinates("a b", "m")
    m_1, m_2, g, R, e = parameters(m_1=(500.0, "kg"), m_2=(300.0, "kg"), g=(9.81, "m/s^2"), R=(60e3, "N"), e=0.4)
    anvil = Contact("anvil", gap=a - b, restitution=e)
    soil = Contact("soil", slip=db, friction=1, load=(), preload=R)
    model = Model("pile_driver", [a, b], [m_1, m_2], [-m_1 * g, -m_2 * g], contacts=[anvil, soil], start={a: 1.0})
    depth = _settlement(500.0, 300.0, 9.81, 60e3, 0.4)
    for tolerance in (1e-6, 1e-12):
        found = _final(model, {"a": 1.0}, 1.0, tolerance, units)
        assert found == pytest.approx([-depth, -depth, 0, 0], abs=1e-12)


@pytest.mark.parametrize("units", UNITS)
def test_a_crate_on_a_braking_truck(units: tuple[float, ...]) -> None:
    """It slides against the cab, bounces there and lies at the cab when the truck stands, 15^2/(2 6) m ahead."""
    x, dx = coordinate("x", "m")
    m, g, mu, a, v, L, e = parameters(
        m=(40.0, "kg"), g=(9.81, "m/s^2"), mu=0.3, a=(6.0, "m/s^2"), v=(15.0, "m/s"), L=(1.5, "m"), e=0.2
    )
    t = jounce.time
    place = sp.Piecewise((v * t - a * t**2 / 2, t < v / a), (v**2 / (2 * a), True))
    speed = sp.Piecewise((v - a * t, t < v / a), (0, True))
    bed = Contact("bed", slip=dx - speed, friction=mu, load=(), preload=m * g)
    cab = Contact("cab", gap=place + L - x, restitution=e)
    model = Model("truck", [x], [m], [0], contacts=[bed, cab])
    assert _final(model, {"x": 0.0, "d_x": 15.0}, 4.0, 1e-9, units) == pytest.approx([20.25, 0.0], abs=1e-12)


@pytest.mark.parametrize("units", UNITS)
def test_two_masses_on_a_slack_string(units: tuple[float, ...]) -> None:
    """Both rub on a table; the first one is thrown, the string jerks the second along, and both come to rest."""
    (a, da), (b, db) = coordinates("a b", "m")
    m_1, m_2, g, mu, L, e = parameters(
        m_1=(1.0, "kg"), m_2=(2.0, "kg"), g=(9.81, "m/s^2"), mu=0.25, L=(1.0, "m"), e=0.3
    )
    contacts = [
        Contact("string", gap=L - (a - b), restitution=e),
        Contact("one", slip=da, friction=mu, load=(), preload=m_1 * g),
        Contact("two", slip=db, friction=mu, load=(), preload=m_2 * g),
    ]
    model = Model("slack_string", [a, b], [m_1, m_2], [0, 0], contacts=contacts, start={a: 0.2})
    slows = 0.25 * 9.81
    before = math.sqrt(3.0**2 - 2 * slows * 0.8)  # the string is taut after 0.8 m
    p = 1.3 * before / 1.5
    # the second one is faster behind the jerk, so that the string is slack, and stops before it is at the first
    one, two = before - p, p / 2
    assert 0 < one < two
    expected = [1.0 + one**2 / (2 * slows), two**2 / (2 * slows), 0.0, 0.0]
    assert expected[0] > expected[1]
    found = _final(model, {"a": 0.2, "d_a": 3.0}, 3.0, 1e-10, units)
    assert found == pytest.approx(expected, abs=1e-12)
