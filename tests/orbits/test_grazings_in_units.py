"""A branch that grazes again and again goes on behind each grazing, in any units."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import sympy as sp

import jounce
from jounce import Contact, Model, coordinate, parameters
from jounce.analysis.orbits.bifurcations import boundaries

A, E, G = 0.01, 0.5, 9.81  # m, 1, m/s^2
#: Where the flight of a ball that bounces once a period grazes the plate, and that of those that bounce once more.
GRAZINGS = (49.5652928, 43.1076839, 41.0808143, 40.2612321)


def shaken_ball(length: float, time: float) -> Model:
    """A ball on a plate that is shaken with 10 mm, in units of so many metres and seconds."""
    y, _ = coordinate("y", "m")
    g, a, w, e = parameters(g=(G / length * time**2, "m/s^2"), a=(A / length, "m"), w=(50.0 * time, "rad/s"), e=E)
    plate = Contact("plate", gap=y - a * sp.sin(w * jounce.time), restitution=e)
    return Model("shaken_ball", [y], [1], [-g], contacts=[plate], period=2 * sp.pi / w, start={y: 2 * A / length})


def test_a_branch_is_followed_beyond_an_edge_as_well_as_its_places_are_known() -> None:
    """Bisection crowds places at an edge; a parabola through the last three multiplied their errors by 1e16."""
    random = np.random.default_rng(5)
    lengths = [1.0 - 2.0**-k for k in range(40)]
    points = [curve(s) + 1e-12 * random.standard_normal(3) for s in lengths]
    here: Any = SimpleNamespace(direction=np.array([1.0, 0.0, 1.0]))
    for probe in boundaries._PROBES:
        error = np.abs(boundaries._followed(here, lengths, points, lengths[-1] + probe) - curve(lengths[-1] + probe))
        assert error.max() <= 20.0 * probe**3 + 2e-11


def curve(s: float) -> Any:
    """A place on a branch with a curvature and a torsion of about 1."""
    return np.array([math.sin(s), math.cos(s), s])


def test_a_branch_goes_on_behind_every_grazing() -> None:
    length, time = 1e-3, 1e-3
    system = jounce.compile_model(shaken_ball(length, time))
    # one of the two orbits with one bounce a period, which leave with gT/2; they meet in a fold
    leaves = math.pi * G / 50.0
    phase = 2 * math.pi - math.acos(leaves * (1 - E) / (1 + E) / (A * 50.0))
    start = system.state(t=phase / 50.0 / time, y=A * math.sin(phase) / length, d_y=leaves / length * time)
    orbit = jounce.find_orbit(system, start, "impact:plate")
    branch = jounce.continue_orbit(orbit, "w", (30.0 * time, 50.0 * time), step=time, max_points=170)
    special = branch.special
    found = special.loc[special["kind"] == "grazing", "w"].to_numpy() / time
    fold = math.sqrt(math.pi * G * (1 - E) / (1 + E) / A)
    assert min(abs(special.loc[special["kind"] == "fold", "w"].to_numpy() / time - fold)) < 1e-8 * fold
    for value in GRAZINGS:
        assert min(abs(found - value)) < 1e-6 * value, (value, found)
    assert not any("emanates" in end for end in branch.ends), branch.ends
