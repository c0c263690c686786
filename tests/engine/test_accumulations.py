"""Bounces that accumulate where no force drives the body back: a surface does, or friction; in other units, cut."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

import jounce
from jounce import Contact, Model, coordinate, coordinates, parameters
from tests.families.family import factor

UNITS = [(1.0, 1.0, 1.0), (1e-6, 1e-3, 1e3), (1e5, 1e-6, 1e-4), (2.0**11, 2.0**-7, 2.0**15)]


def van() -> Model:
    """A ball that floats in a van which accelerates: its wall catches up with it, again and again."""
    y, _ = coordinate("y", "m")
    m, a, e = parameters(m=(1.0, "kg"), a=(1.5, "m/s^2"), e=0.3)
    return Model("van", [y], [m], [0], contacts=[Contact("meet", gap=y - a * jounce.time**2 / 2, restitution=e)])


def braked_wagons() -> Model:
    """Two wagons, the first of which brakes harder: the friction of preloads alone drives them together."""
    (x, dx), (z, dz) = coordinates("x z", "m")
    m, F, G, e = parameters(m=(1.0, "kg"), F=(2.0, "N"), G=(0.5, "N"), e=0.3)
    contacts = [
        Contact("meet", gap=z - x, restitution=e),
        Contact("first", slip=dz, friction=1, load=(), preload=G),
        Contact("second", slip=dx, friction=1, load=(), preload=F),
    ]
    return Model("wagons", [x, z], [m, m], [0, 0], contacts=contacts)


def sliding_blocks() -> Model:
    """Two blocks that slide over a floor of two roughnesses: the friction of other contacts drives them together."""
    (x, dx), (z, dz), (y, _), (h, _) = coordinates("x z y h", "m")
    m, g, e, one, two = parameters(m=(1.0, "kg"), g=(10.0, "m/s^2"), e=0.3, one=0.2, two=0.05)
    contacts = [
        Contact("meet", gap=z - x, restitution=e),
        Contact("under_x", gap=y, slip=dx, friction=one),
        Contact("under_z", gap=h, slip=dz, friction=two),
    ]
    return Model("blocks", [x, z, y, h], [m] * 4, [0, 0, -m * g, -m * g], contacts=contacts)


def _start(model: Model) -> dict[str, float]:
    """The gap is 0.1 and closes with 1.5 m/s^2; wagons and blocks go backwards, so that the hindmost brakes less."""
    if model.name == "van":
        return {"y": 0.1}
    return {"z": 0.1, "d_x": -5.0, "d_z": -5.0}


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("build", [van, braked_wagons, sliding_blocks])
def test_bounces_end_as_under_a_force(build: Callable[[], Model], units: tuple[float, ...]) -> None:
    """They are a chatter, at the closed form's time: not bounces down to rounding and a grazing."""
    system, scales = jounce.compile_model(build()), np.array(units)
    of = {**system.model.coordinates, **system.model.velocity_units}
    values = {name: x * factor(system.model.parameters[name].unit, scales) for name, x in system.model.defaults.items()}
    start = {name: x * factor(of[name], scales) for name, x in _start(system.model).items()}
    expected = math.sqrt(2 * 0.1 / 1.5) * 1.3 / 0.7
    for cut in (0.5, 0.9999 * expected):
        first = jounce.simulate(system, start, cut * scales[1], **values)
        run = jounce.simulate(system, first.final, 0.8 * scales[1], **values)
        rows = run.events[run.events.contact == "meet"]
        assert run.status.ok
        assert run.audit("dense").empty
        assert rows.kind.iloc[-1] == "chatter"
        assert len(rows) < 20
        # a gap between places 3 m away is known to 4e-16 m, and the slowest rebounds have 5e-7 m/s
        assert rows.t.iloc[-1] / scales[1] == pytest.approx(expected, rel=1e-9)
