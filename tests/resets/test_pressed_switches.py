"""Switches that are no friction, along whose surfaces compliant contacts push: these are part of what holds them."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import jounce
from jounce import Contact, Model, Options, coordinates, parameters

UNITS = [(1.0, 1.0, 1.0), (1e-6, 1e-3, 1e-9), (1e6, 1e2, 1e3), (2.0**-20, 2.0**7, 2.0**30)]
m, F, k, c, L, w = parameters(
    m=(1.0, "kg"), F=(6.0, "N"), k=(20.0, "N/m"), c=(1.0, "N s/m"), L=(1.0, "m"), w=(2.0, "rad/s")
)
POWERS = {"m": (0, 0, 1), "F": (1, -2, 1), "k": (0, -2, 1), "c": (0, -1, 1), "L": (1, 0, 0), "w": (0, -1, 0)}


@cache
def pushed(by_hand: bool) -> Any:
    """A relay pushes one of two coupled masses to lead the other one into a soft wall."""
    (x, dx), (y, _) = coordinates("x y", "m")
    relay = sp.sign(dx + w * (x - 3 * L / 5))
    wall = Contact("wall", gap=L / 2 - x, compliance=jounce.KelvinVoigt(stiffness=k, damping=c))
    forces = [-k * sp.Max(0, x - L / 2) if by_hand else 0, F * relay]
    return jounce.compile_model(
        Model("pushed", [x, y], [[2 * m, m], [m, 2 * m]], forces, contacts=[] if by_hand else [wall])
    )


def run_of(system: Any, units: tuple[float, float, float], t_end: float, **given: float) -> Any:
    length, duration, mass = units
    sizes = {name: length**a * duration**b * mass**d for name, (a, b, d) in POWERS.items()}
    values = {name: given.get(name, entry.default) for name, entry in system.model.parameters.items()}
    options = Options(audit="dense", tolerance=1e-10, scales=dict.fromkeys("xy", length))
    run = jounce.simulate(
        system, None, t_end * duration, options=options, **{name: values[name] * sizes[name] for name in values}
    )
    assert run.status.ok, run.status.message
    return run


@pytest.mark.parametrize(
    ("given", "leaves"),
    [
        ({"F": 6.0}, 0),
        ({"F": 6.0, "c": 8.0}, 0),
        ({"F": 6.0, "c": 30.0}, 1),  # the damper takes the mass off the surface at the touch
        ({"F": 2.0}, 1),
        ({"F": 2.0, "c": 8.0}, 0),
    ],
)
def test_a_relay_leads_a_mass_into_a_soft_wall(given: dict[str, float], leaves: int) -> None:
    """Against a relay that is smoothed over a velocity, as its width falls."""
    F_0, c_0 = given["F"], given.get("c", 1.0)

    def rates(t: float, z: np.ndarray, width: float) -> list[float]:
        x, u, v = z[0], *z[2:]
        depth = x - 0.5
        wall = max(20.0 * depth + c_0 * u, 0.0) if depth > 0 else 0.0
        force = F_0 * np.tanh((u + 2 * (x - 0.6)) / width)
        return [u, v, (-2 * wall - force) / 3, (wall + 2 * force) / 3]

    runs = [run_of(pushed(False), units, 6.0, **given) for units in UNITS]
    places = np.array([[run.final[name] / units[0] for name in "xy"] for run, units in zip(runs, UNITS, strict=True)])
    np.testing.assert_allclose(places, places[[0] * len(UNITS)], rtol=1e-8)
    np.testing.assert_array_equal(places[-1], places[0])
    assert runs[0].events.reset.tolist().count("sign_1_leaves") == leaves
    misses = []
    for width in (1e-3, 1e-4, 1e-5):
        found = solve_ivp(rates, (0, 6), [0, 0, 0, 0], args=(width,), method="Radau", rtol=1e-10, atol=1e-12)
        misses.append(np.abs(found.y[:2, -1] - places[0]).max())
    assert misses[2] < misses[1] / 3 < misses[0] / 9
    assert misses[2] < 1e-4 * np.abs(places[0]).max()


@pytest.mark.parametrize("F_0", [6.0, 2.0, 1.0])
def test_a_soft_wall_is_a_spring_that_only_pushes(F_0: float) -> None:
    ours, theirs = (run_of(pushed(by_hand), UNITS[0], 6.0, F=F_0, c=0.0) for by_hand in (False, True))
    assert ours.final["x"] == pytest.approx(theirs.final["x"], abs=1e-8)
    assert ours.final["y"] == pytest.approx(theirs.final["y"], abs=1e-7)


def test_it_is_cut_and_continued() -> None:
    system = pushed(False)
    whole = jounce.simulate(system, None, 6.0, tolerance=1e-11, F=2.0, c=8.0)
    for cut in (0.3, *whole.events.t.iloc[1:5].tolist(), 3.0):
        first = jounce.simulate(system, None, cut, tolerance=1e-11, F=2.0, c=8.0)
        second = jounce.simulate(system, first.final, 6.0, tolerance=1e-11, F=2.0, c=8.0)
        assert second.final["y"] == pytest.approx(whole.final["y"], abs=1e-7)


@pytest.mark.parametrize(
    "law",
    [
        jounce.Hertz(stiffness=100.0),
        jounce.HuntCrossley(stiffness=100.0),
        jounce.Maxwell(stiffness=50.0, damping=4.0),
    ],
)
def test_any_law_of_compliance_is_part_of_what_holds(law: Any) -> None:
    """The surface stays at zero while the switch slides with the contact pressed: x - 3/5 falls as e^(-2 t)."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    wall = Contact("wall", gap=0.5 - x, slip=dy, friction=0.3, restitution=0.5, compliance=law)
    model = Model("pushed", [x, y], [[2, 1], [1, 2]], [0, 9 * sp.sign(dx + 2 * (x - 0.6))], contacts=[wall])
    run = jounce.simulate(model, None, 4.0, options=Options(audit="dense", tolerance=1e-10))
    assert run.status.ok, run.status.message
    touch = float(run.events.t[run.events.kind == "touch"].iloc[0])
    assert run.at(touch + 0.2)["sign_1"] == 0
    missing = run.at(touch + 0.2)["x"] - 0.6
    assert missing == pytest.approx(-0.1 * np.exp(-0.4), rel=1e-7)
