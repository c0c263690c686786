"""Sampled controllers against the exact discrete-time system."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm

import jounce
from jounce.errors import ModelError

A = np.array([[0.0, 1.0], [-4.0, -0.3]])
B = np.array([0.0, 1.0])


def mass(every, **controller) -> jounce.Model:
    """A mass on a spring with a force that a controller holds."""
    x, dx = jounce.coordinate("x", "m")
    F = jounce.discrete("F", 0.0, "N")
    return jounce.Model(
        "held_mass",
        [x],
        [1],
        [-4 * x - 0.3 * dx + F],
        resets=jounce.sampled({F: -30 * (x - 0.1) - 4 * dx}, every, **controller),
        start={x: 1.0},
    )


def held(z: np.ndarray, force: float, duration: float) -> np.ndarray:
    """The mass under a constant force, exactly."""
    whole = np.zeros((3, 3))
    whole[:2, :2], whole[:2, 2] = A, B
    return (expm(whole * duration) @ np.append(z, force))[:2]


def exact(every: float, delay: float, samples: int) -> np.ndarray:
    """The state at samples * every, from effect to effect."""
    z, force, now = np.array([1.0, 0.0]), 0.0, 0.0
    due: list[tuple[float, float]] = []
    for k in range(1, samples + 1):
        while due and due[0][0] < k * every * (1 - 1e-12):
            at, after = due.pop(0)
            z, now, force = held(z, force, at - now), at, after
        z, now = held(z, force, k * every - now), k * every
        due.append((now + delay, -30 * (z[0] - 0.1) - 4 * z[1]))
        if delay == 0.0 or math.isclose(due[0][0], now, rel_tol=1e-12):
            force = due.pop(0)[1]
    return z


@pytest.mark.parametrize("delay", [0.0, 0.004, 0.01, 0.024])
def test_a_held_force_equals_the_exact_discrete_system(delay: float) -> None:
    every, samples = 0.01, 150
    system = jounce.compile_model(mass(every, delay=delay))
    options = jounce.Options(tolerance=1e-12)
    run = jounce.simulate(system, system.state(), every * samples, options=options)
    assert run.status.name == "FINISHED"
    state = run.at(every * samples, side="left")
    assert [state["x"], state["d_x"]] == pytest.approx(exact(every, delay, samples), abs=1e-9)
    assert run.audit("dense").empty
    assert float(abs(run.energy.residual).max()) < 1e-9


def test_a_kilohertz_with_a_delay_is_the_exact_discrete_system() -> None:
    system = jounce.compile_model(mass(1e-3, delay=4e-4))
    run = jounce.simulate(system, system.state(), 1.0, options=jounce.Options(tolerance=1e-12))
    state = run.at(1.0, side="left")
    assert [state["x"], state["d_x"]] == pytest.approx(exact(1e-3, 4e-4, 1000), abs=1e-9)


def test_a_thousand_samples_a_second_are_not_missed() -> None:
    """However long the first steps are: every sample has its row."""
    system = jounce.compile_model(mass(jounce.parameter("T", 0.01, "s"), name="look"))
    run = jounce.simulate(system, system.state(), 1.0005, T=1e-3)
    rows = run.events[run.events.kind == "reset"]
    assert rows.t.to_numpy() == pytest.approx(1e-3 * np.arange(1, 1001), abs=1e-12)
    assert set(rows.reset) == {"look"}


def test_a_run_that_is_cut_between_samples_goes_on_the_same() -> None:
    system = jounce.compile_model(mass(0.01, delay=0.024))
    whole = jounce.simulate(system, system.state(), 0.5)
    first = jounce.simulate(system, system.state(), 0.2537)
    rest = jounce.simulate(system, first.final, 0.5)
    assert rest.final["x"] == pytest.approx(whole.final["x"], abs=1e-9)


def test_a_controller_holds_a_ball_that_bounces() -> None:
    """A paddle strikes harder below: the height of the bounces settles where it is wanted."""
    y, dy = jounce.coordinate("y", "m")
    thrust = jounce.discrete("thrust", 0.0, "N")
    energy = 9.81 * y + dy**2 / 2
    model = jounce.Model(
        "held_ball",
        [y],
        [1],
        [-9.81 + thrust],
        contacts=[jounce.Contact("floor", gap=y, restitution=0.8)],
        resets=jounce.sampled({thrust: 2.0 * (9.81 * 0.5 - energy) * dy}, every=1e-3, delay=4e-4),
        start={y: 0.2},
    )
    run = jounce.simulate(model, None, t_end=20.0)
    late = run.events[(run.events.kind == "impact") & (run.events.t > 15.0)]
    heights = late.v_n_after.to_numpy() ** 2 / (2 * 9.81)
    assert np.ptp(heights) < 1e-2 * heights.mean()
    assert run.audit().empty


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({}, 0.1), "expected a dictionary"),
        (({jounce.coordinate("x")[0]: 1}, 0.1), "is no discrete state"),
        (({jounce.discrete("F"): 1}, 0.0), "must be a positive time"),
    ],
)
def test_refusals(arguments, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        jounce.sampled(*arguments)


@pytest.mark.parametrize(("delay", "message"), [(-0.1, "must not be negative"), (1.0, "at most 16 samples")])
def test_refused_delays(delay: float, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        jounce.sampled({jounce.discrete("F"): 1}, 0.01, delay=delay)
