"""Verdicts on motions that creep: past the place where an orbit is about to be born, or away at a constant rate."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Contact, Model, Reset, coordinate, parameters
from jounce.model import time


def _mass_that_is_set_anew() -> jounce.System:
    """A driven mass whose drive has the strength 2 + sin X; X becomes X + (1 - cos X)/2 + eps once a period.

    For eps < 0 X comes to rest where cos X = 1 + 2 eps; for eps > 0 it never does, and creeps past 0 by eps a period.
    """
    x, dx = coordinate("x", "m")
    m, k, c, w, F, eps = parameters(
        m=(1.0, "kg"), k=(4.0, "N/m"), c=(2.0, "N s/m"), w=(1.0, "rad/s"), F=(1.0, "N"), eps=(1e-6, "")
    )
    X = sp.Symbol("X", real=True)
    return jounce.compile_model(
        Model(
            "set_anew", [x], [m], [-k * x - c * dx + F * sp.cos(w * time) * (2 + sp.sin(X))],
            [Contact("far", gap=x + 1000)], parameters=[m, k, c, w, F, eps], period=2 * sp.pi / w,
            states={X: (-0.5, "", "what is set anew")},
            resets=[Reset(sp.sin(w * time) + sp.Rational(1, 10), {X: X + (1 - sp.cos(X)) / 2 + eps}, direction=1)],
        )
    )  # fmt: skip


@pytest.mark.parametrize(("eps", "kind"), [(-2e-6, "periodic"), (1e-7, "unsettled"), (2e-6, "unsettled")])
def test_past_the_place_of_an_orbit_that_is_not_there(eps: float, kind: str) -> None:
    """Hundreds of returns follow one another within the tolerance of 1e-5, and the motion leaves all the same."""
    found = jounce.basins(_mass_that_is_set_anew(), {"d_x": [0.0, 1.0]}, "phase:0", eps=eps, recurrence=1e-5)
    assert found.attractors.kind.tolist() == [kind]


def test_a_motion_that_drifts() -> None:
    """A mass that a force shakes moves on by 2.5e-8, 6e-9 and 1.3e-9 of its place in each period."""
    x, _ = coordinate("x", "m")
    m, w, F = parameters(m=(1.0, "kg"), w=(1.0, "rad/s"), F=(0.1, "N"))
    model = Model(
        "drifting", [x], [m], [F * sp.cos(w * time)], [Contact("far", gap=x + 1000)], parameters=[m, w, F],
        period=2 * sp.pi / w,
    )  # fmt: skip
    system = jounce.compile_model(model)
    finely = jounce.Options(tolerance=1e-13)
    found = jounce.basins(system, {"d_x": [2e-10, 1e-9, 4e-9]}, "phase:0", {"x": 1.0}, options=finely)
    assert not (found.attractors.kind == "periodic").any()
    at_rest = jounce.basins(system, {"x": [1.0, 2.0]}, "phase:0", {"d_x": 0.0})
    assert at_rest.attractors.kind.tolist() == ["periodic", "periodic"]


def test_starts_have_the_discrete_states_of_the_model_and_of_the_start() -> None:
    """A basin of a machine with resets; its motions agree with those of single runs."""
    system = _mass_that_is_set_anew()
    limit = -float(np.arccos(1 - 0.02))  # X rests where its step vanishes
    start = system.state(x=0.0)
    for given in (None, start, start.replace(X=-0.3)):
        found = jounce.basins(system, {"d_x": [0.0, 1.0]}, "phase:0", given, eps=-0.01)
        assert found.attractors.kind.tolist() == ["periodic"]
        assert found.index.ravel().tolist() == [0, 0]
        run = jounce.simulate(system, start if given is None else given, 200 * 2 * np.pi, eps=-0.01)
        assert run.final["X"] == pytest.approx(limit, abs=1e-8)
        assert found.points[0]["x"].iloc[0] == pytest.approx(run.final["x"], abs=1e-6)
    # above the repelling rest X leaves for the next one: the start's own value counts
    far = jounce.simulate(system, start.replace(X=0.5), 200 * 2 * np.pi, eps=-0.01)
    found = jounce.basins(system, {"d_x": [0.0]}, "phase:0", start.replace(X=0.5), eps=-0.01)
    assert far.final["X"] == pytest.approx(2 * np.pi + limit, abs=1e-8)
    assert found.attractors.kind.tolist() == ["periodic"]
    random = jounce.sweep(
        system, "eps", [-0.01, -0.02], "phase:0", random_starts=2, ranges={"x": (-1, 1)}
    ).dataset  # fmt: skip
    assert (random.status.values == 0).all()
