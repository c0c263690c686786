"""Sweeps, basins, exponents, orbits, branches, equilibria and Painlevé tools in other units: the same answers.

In units that differ by powers of two no bit differs: every algorithm works on numbers that are measured by the motion's
own sizes. Only eigenvalues of equilibria at which nothing moves and no force acts begin with a time taken from the
linearised equations, whose rounding LAPACK does not promise to scale.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import jounce
from tests.units.rescaling import Units, rescaled

#: Exponents of length and mass are even: see test_other_units.py.
POWERS_OF_TWO = [Units(2.0**20, 2.0**11, 2.0**-8)]
OTHERS = [Units(1e6, 1e3, 1.0), Units(1e-6, 1e-6, 1e6), Units(1e6, 1e6, 1e6)]
#: What an analysis gives, in the old units: numbers, and words that must be the same.
Answer = tuple[dict[str, Any], dict[str, Any]]


def state_factors(model: jounce.Model, units: Units) -> np.ndarray:
    return np.array([units.factor(unit) for unit in (*model.coordinates.values(), *model.velocity_units.values())])


def case(name: str, start: dict[str, float], values: dict[str, float], units: Units) -> Any:
    system = jounce.compile_model(getattr(jounce.systems, name)())
    return system, *rescaled(system, start, values, units)


def settled_orbit(
    name: str, values: dict[str, float], settle: float, units: Units, start: dict[str, float] | None = None
) -> jounce.PeriodicOrbit:
    """The orbit that a motion settles on; an unstable one needs a start nearby, since no motion settles there."""
    system, state, parameters = case(name, start or {}, values, units)
    run = jounce.simulate(system, state, settle * units.time, **parameters)
    return jounce.find_orbit(system, run.final, **parameters)


def orbit(name: str, values: dict[str, float], settle: float) -> Callable[[Units], Answer]:
    def found(units: Units) -> Answer:
        result = settled_orbit(name, values, settle, units)
        z = np.concatenate([result.state.q, result.state.u]) / state_factors(result.system.model, units)
        numbers = {"z": z, "period": result.period / units.time, "multipliers": np.abs(result.nontrivial)}
        return numbers, {"signature": result.signature, "stability": result.stability}

    return found


def branch(
    name: str,
    values: dict[str, float],
    settle: float,
    parameter: str,
    bounds: tuple[float, float],
    step: float,
    near: dict[str, float] | None = None,
):
    def found(units: Units) -> Answer:
        start = settled_orbit(name, values, settle, units, near)
        factor = units.factor(start.system.model.parameters[parameter].unit)
        low, high = (bound * factor for bound in bounds)
        result = jounce.continue_orbit(start, parameter, (low, high), step=step * factor)
        places = np.array([special.parameter for special in result.specials]) / factor
        kinds = [special.kind for special in result.specials]
        return {"specials": places, "ends": result.values[[0, -1]] / factor}, {"kinds": kinds}

    return found


def sweep(units: Units) -> Answer:
    system, state, parameters = case("impact_oscillator", {}, {}, units)
    omegas = np.linspace(0.6, 0.9, 13) * units.factor("1/s")
    parameters.pop("omega")
    diagram = jounce.sweep(system, "omega", omegas, "phase:0", state, transient=100, keep=30, **parameters)
    found = diagram.dataset
    samples = found["samples"].sel(quantity=["x", "d_x"]).values / [units.length, units.length / units.time]
    words = {name: found[name].values.tolist() for name in ("kind", "period", "impacts", "status")}
    return {"samples": samples, "exponent": found["exponent"].values}, words


def diagram_at_impacts(units: Units) -> Answer:
    """A section without a phase, in a model without time: the longest return is one of the model's own."""
    system, state, parameters = case("woodpecker", {}, {}, units)
    values = np.array([0.28, 0.3]) * units.factor(system.model.parameters["mu"].unit)
    parameters.pop("mu")
    diagram = jounce.sweep(system, "mu", values, "impact:beak", state, transient=60, keep=8, **parameters)
    found = diagram.dataset
    samples = found["samples"].sel(quantity=["phi_sleeve", "d_phi_bird"]).values / [1.0, 1.0 / units.time]
    return {"samples": samples}, {"kind": found["kind"].values.tolist(), "period": found["period"].values.tolist()}


def basins(units: Units) -> Answer:
    system, state, parameters = case("impact_oscillator", {}, {"omega": 0.6}, units)
    speed = units.length / units.time
    grid = {"x": np.linspace(-1.0, 0.9, 6) * units.length, "d_x": np.linspace(-2.0, 2.0, 6) * speed}
    found = jounce.basins(system, grid, "phase:0", state, transient=100, keep=30, **parameters)
    points = [table[["x", "d_x"]].to_numpy() / [units.length, speed] for table in found.points]
    return {"points": np.vstack(points)}, {"index": found.index.tolist(), "kinds": found.attractors["kind"].tolist()}


def belt_basins(units: Units) -> Answer:
    system, state, parameters = case("belt_oscillator", {}, {}, units)
    speed = units.length / units.time
    grid = {"x": np.linspace(-0.3, 0.3, 4) * units.length, "d_x": np.linspace(-0.2, 0.2, 4) * speed}
    found = jounce.basins(system, grid, "event:stick", state, transient=50, keep=20, **parameters)
    return {"x": found.points[0]["x"].to_numpy() / units.length}, {"index": found.index.tolist()}


def exponents(name: str, duration: float) -> Callable[[Units], Answer]:
    def found(units: Units) -> Answer:
        system, state, parameters = case(name, {}, {}, units)
        result = jounce.lyapunov(system, state, duration * units.time, **parameters)
        finite = np.isfinite(result.exponents)
        numbers = {"exponents": result.exponents[finite] * units.time, "spread": result.spread[finite] * units.time}
        return numbers, {"chaotic": result.chaotic, "finite": finite.tolist(), "impacts": result.impacts}

    return found


def equilibria(units: Units) -> Answer:
    system, state, parameters = case("wiper", {}, {"mu": 0.3}, units)
    rest = jounce.find_equilibrium(system, "SLIP+", state, **parameters)
    found = jounce.continue_equilibrium(rest, "mu", (0.05, 0.6))
    numbers = {
        "q": rest.state.q / state_factors(system.model, units)[: system.n],
        "eigenvalues": rest.eigenvalues * units.time,
        "forces": rest.forces / units.factor("N"),
        "specials": np.array([special.parameter for special in found.specials]),
    }
    return numbers, {"kinds": [special.kind for special in found.specials], "points": len(found)}


def painleve(units: Units) -> Answer:
    tools = jounce.painleve
    system, state, parameters = case("painleve_rod", {}, {"mu": 1.6}, units)
    ranges = {"theta": (0.1, 1.5), "d_theta": (-10.0 / units.time, 10.0 / units.time)}
    scalar = tools.coefficients(system, state, "tip", 1, **parameters)
    points = tools.singular_points(system, ranges, "tip", state=state, **parameters)
    chart = tools.mode_map(system, ranges, "tip", state=state, points=15, **parameters)
    closed = tools.closed_state(system, state, "tip", **parameters)
    least = tools.minimal_critical_friction(system, {"theta": (0.1, 1.5)}, "tip", state=state, **parameters)
    numbers = {
        "A": scalar.A * units.mass,
        "B": scalar.B * units.time**2 / units.length,
        "places": np.array([[p.state["theta"], p.state["d_theta"] * units.time] for p in points]),
        "eigenvalues": np.array([p.eigenvalues for p in points]) * (units.mass * units.time),
        "closed": np.concatenate([closed.q, closed.u]) / state_factors(system.model, units),
        "critical": tools.critical_friction(system, state, "tip", **parameters).mu,
        "least": least.mu,
    }
    modes = {str(sign): np.asarray(found).tolist() for sign, found in chart.modes.items()}
    return numbers, {"kinds": [p.kind for p in points], "modes": modes}


def compliant(units: Units) -> Answer:
    """A compliant contact on a section: what it remembers of its touch is scaled too."""
    system, state, parameters = case("compliant_wall_pendulum", {}, {}, units)
    found = jounce.SectionMap(system, "event:touch", **parameters).iterate(state, 4)
    names = (*system.coordinate_names, *system.velocity_names)
    rows = np.column_stack([found[name] for name in names]) / state_factors(system.model, units)
    return {"rows": rows, "returns": found["return_time"] / units.time}, {"status": found.status.name}


#: analysis: (what it gives, how far rounding of the conversion may be magnified)
ANALYSES: dict[str, tuple[Callable[[Units], Answer], float]] = {
    "orbit of an impact oscillator": (orbit("impact_oscillator", {}, 200.0), 1e-11),
    "orbit on a belt": (orbit("belt_oscillator", {}, 60.0), 1e-11),
    "orbit of a wiper": (orbit("wiper", {"mu": 0.6}, 40.0), 1e-11),
    "orbit of a woodpecker": (orbit("woodpecker", {}, 3.0), 1e-10),
    "flip": (
        branch(
            "impact_oscillator", {"omega": 2.8, "d": 0.0}, 0.0, "omega", (2.6, 2.9), 0.05, {"x": -0.479, "d_x": 0.0429}
        ),
        1e-11,
    ),
    "fold and grazing": (branch("impact_oscillator", {}, 200.0, "omega", (0.7, 0.83), 0.02), 1e-10),
    "sweep": (sweep, 1e-12),
    "diagram at impacts": (diagram_at_impacts, 1e-10),
    "basins": (basins, 1e-12),
    "basins on a belt": (belt_basins, 1e-12),
    "exponents of an impact oscillator": (exponents("impact_oscillator", 300.0), 1e-9),
    "exponents on a belt": (exponents("belt_oscillator", 30.0), 1e-10),
    "exponents of a pendulum": (exponents("wall_pendulum", 3.0), 1e-10),
    "equilibria": (equilibria, 1e-11),
    "Painlevé": (painleve, 1e-9),
    "compliant contact": (compliant, 1e-10),
}


@pytest.mark.parametrize("name", ANALYSES)
def test_powers_of_two_change_no_bit(name: str) -> None:
    analysis, _ = ANALYSES[name]
    numbers, words = analysis(Units())
    for units in POWERS_OF_TWO:
        other_numbers, other_words = analysis(units)
        assert other_words == words, units
        for key, values in numbers.items():
            np.testing.assert_array_equal(other_numbers[key], values, err_msg=f"{key} {units}")


@pytest.mark.parametrize("name", ANALYSES)
def test_other_units_change_nothing_but_rounding(name: str) -> None:
    analysis, allowed = ANALYSES[name]
    numbers, words = analysis(Units())
    for units in OTHERS:
        other_numbers, other_words = analysis(units)
        assert other_words == words, units
        for key, values in numbers.items():
            size = 1.0 if key == "multipliers" else np.abs(np.nan_to_num(values)).max()
            np.testing.assert_allclose(
                other_numbers[key], values, rtol=0.0, atol=allowed * size, err_msg=f"{key} {units}"
            )


def test_an_odd_power_of_two_changes_no_bit_of_any_eigenvalue() -> None:
    (x, dx), (y, dy) = jounce.coordinates("x y", "m")
    k = jounce.parameters(a=1.0, b=1.0, c=1.0, d=1.0)
    pushes = {x: -k[0] * x - k[2] * dx + k[3] * dy, y: -k[1] * y - k[3] * dx - k[2] * dy}
    model = jounce.Model.from_lagrangian("pair", coordinates=[x, y], kinetic=(dx**2 + dy**2) / 2, forces=pushes)
    system, random = jounce.compile_model(model), np.random.default_rng(11)
    for a, b, c, d in random.uniform(0.1, 3.0, (40, 4)):
        known, faster = (
            jounce.find_equilibrium(system, [], a=s * s * a, b=s * s * b, c=s * c, d=s * d).eigenvalues / s
            for s in (1.0, 2.0**-11)
        )
        np.testing.assert_array_equal(known, faster)
