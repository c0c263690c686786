"""The loop of every continuation: what is the same for orbits, equilibria and curves of bifurcations."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from sympy import cos, pi, sin

import jounce
from jounce.analysis.orbits.continuation.branch import Branch
from jounce.analysis.orbits.continuation.walk import CLOSED, Walk
from jounce.analysis.orbits.equilibria.equilibrium_branch import EquilibriumProblem
from jounce.model import Model, coordinate, parameters, time


@cache
def ring():
    """x'' = -c x' + k (1 - x^2 - p^2): its equilibria are a circle, which a walk goes round."""
    x, dx = coordinate("x", "m")
    p, c, k = parameters(p=(0.0, "m"), c=(0.7, "1/s"), k=(2.0, "1/(m s^2)"))
    force = -c * dx + k * (1 - x**2 - p**2)
    return jounce.compile_model(
        Model.from_lagrangian("ring", coordinates=[x], kinetic=dx**2 / 2, forces={x: force}, start={x: 1.0})
    )


def rest(**values):
    return jounce.find_equilibrium(ring(), "", {"x": 1.0}, **values)


@pytest.mark.parametrize("direction", ["up", "down", "both"])
def test_a_closed_branch_is_gone_round_once(direction):
    branch = jounce.continue_equilibrium(rest(p=0.1), "p", (-2.0, 2.0), step=0.1, direction=direction)
    assert branch.ends == (CLOSED, CLOSED)
    x, p = branch.variable("x"), branch.values
    assert np.hypot(x, p) == pytest.approx(np.ones(len(branch)), abs=1e-9)
    turned = np.unwrap(np.arctan2(p, x))
    assert np.ptp(turned) == pytest.approx(2 * math.pi, abs=1e-9)  # the last point is the first one
    assert (np.diff(turned) > 0.0).all() or (np.diff(turned) < 0.0).all()
    assert sorted(special.parameter for special in branch.specials) == pytest.approx([-1.0, 1.0], abs=1e-11)
    assert {special.kind for special in branch.specials} == {"limit_point"}


@cache
def shaken_ring():
    """The same with x = z + b cos(omega t): orbits, of which z is constant."""
    x, dx = coordinate("x", "m")
    p, c, k, b, omega = parameters(
        p=(0.0, "m"), c=(0.7, "1/s"), k=(2.0, "1/(m s^2)"), b=(0.4, "m"), omega=(2.0, "rad/s")
    )
    drive, speed = b * cos(omega * time), -b * omega * sin(omega * time)
    force = -c * (dx - speed) + k * (1 - (x - drive) ** 2 - p**2) - omega**2 * drive
    return jounce.compile_model(
        Model.from_lagrangian(
            "shaken_ring", coordinates=[x], kinetic=dx**2 / 2, forces={x: force}, period=2 * pi / omega
        )
    )


def test_a_closed_branch_of_orbits_is_gone_round_once():
    system = shaken_ring()
    orbit = jounce.find_orbit(system, system.state(x=1.4), p=0.1)
    branch = jounce.continue_orbit(orbit, "p", (-2.0, 2.0), step=0.1)
    assert branch.ends == (CLOSED, CLOSED)
    turned = np.unwrap(np.arctan2(branch.values, branch.variable("x") - 0.4))
    assert np.ptp(turned) == pytest.approx(2 * math.pi, abs=1e-9)
    folds = sorted(special.parameter for special in branch.find("fold"))
    assert folds == pytest.approx([-1.0, 1.0], abs=1e-9)


def test_a_branch_along_which_the_parameter_hardly_changes_is_not_closed():
    """x = p/1e4: steps are as long as x asks for, and the parameter's start stays within a step of it for long."""
    x, dx = coordinate("x", "m")
    p, c = parameters(p=(0.0, "m"), c=(0.7, "1/s"))
    model = Model.from_lagrangian(
        "steep", coordinates=[x], kinetic=dx**2 / 2, forces={x: -c * dx + 1e-4 * p - x}, start={x: 1e-8}
    )
    rest = jounce.find_equilibrium(jounce.compile_model(model), "", p=1e-4)
    branch = jounce.continue_equilibrium(rest, "p", (1e-5, 1.0), step=0.3)
    assert len(branch) > 20
    assert branch.ends == ("p reaches its bound 1e-05", "p reaches its bound 1")


@pytest.mark.parametrize("step", [0.03, 0.1, 0.27])
def test_a_branch_ends_on_its_bounds(step):
    branch = jounce.continue_equilibrium(rest(p=0.1), "p", (-0.6, 0.8), step=step)
    assert branch.values[[0, -1]] == pytest.approx([-0.6, 0.8], abs=1e-15)
    assert branch.ends == ("p reaches its bound -0.6", "p reaches its bound 0.8")
    assert branch.specials == []


def test_a_branch_that_begins_on_its_bound_has_that_point_once():
    branch = jounce.continue_equilibrium(rest(p=0.1), "p", (0.1, 0.8), step=0.1)
    assert branch.ends == ("p reaches its bound 0.1", "p reaches its bound 0.8")
    assert (np.diff(branch.values) > 0.0).all()


def test_a_bound_just_before_a_fold_is_reached_and_one_just_behind_is_not():
    """The parameter turns at 1."""
    before = jounce.continue_equilibrium(rest(p=0.1), "p", (0.0, 1.0 - 1e-6), step=0.1, direction="up")
    behind = jounce.continue_equilibrium(rest(p=0.1), "p", (0.0, 1.0 + 1e-6), step=0.1, direction="up")
    assert before.values[-1] == pytest.approx(1.0 - 1e-6, abs=1e-15)
    assert before.specials == []
    assert behind.ends[1] == "p reaches its bound 0"
    assert behind.variable("x")[-1] == pytest.approx(-1.0, abs=1e-9)
    assert [special.kind for special in behind.specials] == ["limit_point"]


def test_an_interrupted_branch_of_equilibria_keeps_what_it_has():
    calls = []

    def progress(count, value):
        calls.append((count, value))
        if len(calls) == 9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as raised:
        jounce.continue_equilibrium(rest(p=0.1), "p", (-0.6, 0.8), step=0.1, progress=progress)
    branch = raised.value.partial
    assert "interrupted" in branch.ends
    assert len(branch) == 8
    assert [count for count, _ in calls] == list(range(1, 10))
    assert (np.diff(branch.values) > 0.0).all()


def test_a_walk_is_an_iterator_over_places():
    branch = Branch.begun("p", (-2.0, 2.0), "equilibrium", 0.1, "up", 1000)
    walk = Walk(branch, EquilibriumProblem(rest(p=0.1), branch), 1)
    for number, place in zip(range(20), walk.places(), strict=False):
        assert len(branch.points) == number + 1
        assert place.value == branch.values[-1]
        assert walk.metric.norm(place.direction) == pytest.approx(1.0, rel=1e-14)
    assert walk.reason == ""


def test_a_branch_that_is_lost_says_where_and_what_it_nearly_touches(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mass between two stops, x = a cos(w t) with a = F/|1 - w^2 + i w/5|, whose continuation is taken away."""
    (x, dx), (F, w) = coordinate("x", "m"), parameters(F=0.3, w=1.1)
    stops = [jounce.Contact("left", gap=1 + x), jounce.Contact("right", gap=1 - x)]
    force = F * cos(w * time) - x - dx / 5
    orbit = jounce.find_orbit(Model("stops", [x], [1], [force], contacts=stops, period=2 * pi / w), {}, "phase:0")
    monkeypatch.setattr(Walk, "_try", lambda *_: (None, 0))
    monkeypatch.setattr("jounce.analysis.orbits.bifurcations.boundaries.locate", lambda *_: None)
    ends = jounce.continue_orbit(orbit, "F", (0.01, 1.0), step=0.05).ends
    least = 1 - 0.3 / abs(1 - 1.1**2 + 1.1j / 5)
    for end in ends:
        assert "beyond F = 0.3, and the signature does not change" in end
        assert f"left {least:.3g} of {2 - least:.3g}, right {least:.3g} of {2 - least:.3g}" in end


def test_a_branch_of_equilibria_that_is_lost_says_where(monkeypatch: pytest.MonkeyPatch) -> None:
    start = rest(p=0.1)
    monkeypatch.setattr(Walk, "_try", lambda *_: (None, 0))
    ends = jounce.continue_equilibrium(start, "p", (-2.0, 2.0), step=0.1).ends
    assert ends == ("Newton's method no longer converges beyond p = 0.1",) * 2
