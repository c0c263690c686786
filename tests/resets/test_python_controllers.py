"""Controllers that are Python functions, against the compiled ones, the exact discrete-time system and mistakes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import jounce
from jounce.errors import SimulationError
from tests.resets.test_controllers import exact


def model() -> jounce.Model:
    """The mass of test_controllers, with the force as a parameter."""
    x, dx = jounce.coordinate("x", "m")
    F = jounce.parameter("F", 0.0, "N")
    return jounce.Model("python_held_mass", [x], [1], [-4 * x - 0.3 * dx + F], start={x: 1.0})


def law(t: float, state: jounce.State) -> dict[str, float]:
    return {"F": -30 * (state["x"] - 0.1) - 4 * state["d_x"]}


@pytest.mark.parametrize("delay", [0.004, 0.01, 0.023])
def test_a_python_controller_is_the_discrete_time_system(delay: float) -> None:
    every, samples = 0.01, 60
    controller = jounce.Controller(law, every=every, delay=delay)
    run = jounce.simulate(model(), None, t_end=every * samples, tolerance=1e-12, controller=controller)
    z, waiting = np.array([1.0, 0.0]), 0.0
    forces = []
    for k in range(samples):
        forces.append((k * every + delay, -30 * (z[0] - 0.1) - 4 * z[1]))
        z, waiting = _through(z, waiting, [entry for entry in forces if entry[0] > k * every - 1e-12], k * every, every)
    assert run.status.name == "FINISHED"
    assert [run.final["x"], run.final["d_x"]] == pytest.approx(z, abs=1e-9)
    assert run.audit().empty


def _through(z: np.ndarray, force: float, changes: Any, t: float, every: float) -> tuple[np.ndarray, float]:
    """One period with the forces that take effect in it."""
    from tests.resets.test_controllers import held

    now = t
    for moment, value in changes:
        if moment < t + every - 1e-12:
            z = held(z, force, moment - now)
            now, force = moment, value
    return held(z, force, t + every - now), force


def test_without_a_delay_it_acts_at_its_sample() -> None:
    seen: list[float] = []

    def spy(t: float, state: jounce.State) -> dict[str, float]:
        seen.append(t)
        return law(t, state)

    run = jounce.simulate(
        model(), None, t_end="50 ms", tolerance=1e-12, controller=jounce.Controller(spy, every="10 ms")
    )
    assert seen == pytest.approx([0.0, 0.01, 0.02, 0.03, 0.04, 0.05])
    assert (run.events.kind.astype(str) == "schedule").sum() >= 5
    assert exact is not None
    stepwise = {"x": 1.0}
    state: Any = stepwise
    for k in range(5):
        start = run.system.state(**stepwise) if k == 0 else state
        part = jounce.simulate(run.system, start, t_end=0.01 * (k + 1), tolerance=1e-12, **law(0.0, start))
        state = part.final
    assert [run.final["x"], run.final["d_x"]] == pytest.approx([state["x"], state["d_x"]], abs=1e-12)


def test_contacts_go_on_under_a_controller() -> None:
    """A block that a controller pulls on dry ground: it sticks until the force is mu g, and then slides."""
    x, dx = jounce.coordinate("x", "m")
    F = jounce.parameter("F", 0.0, "N")
    pad = jounce.Contact("ground", slip=dx, friction=0.5, load=(), preload=9.81)
    block = jounce.Model("pulled", [x], [1], [F], contacts=[pad])
    ramp = jounce.Controller(lambda t, state: {"F": 2.0 * t}, every=0.1)
    run = jounce.simulate(block, None, t_end=4.0, controller=ramp)
    begins = run.events[run.events.kind.astype(str) == "slip"]
    assert begins.t.tolist() == pytest.approx([2.5])
    assert run.audit().empty
    assert abs(run.energy.residual[-1]) < 1e-9


@pytest.mark.parametrize(
    ("controller", "said"),
    [
        (law, "must be a Controller"),
        (jounce.Controller(lambda t, s: {"G": 1.0}, every=0.1), "unknown parameter 'G'"),
        (jounce.Controller(lambda t, s: {"F": float("nan")}, every=0.1), "must be a finite number"),
        (jounce.Controller(lambda t, s: 3.0, every=0.1), "expected {parameter: value}"),  # type: ignore[arg-type]
        (jounce.Controller(lambda t, s: {"F": 1.0}, every=1e-9), "at most"),
    ],
)
def test_mistakes_are_named(controller: Any, said: str) -> None:
    with pytest.raises(SimulationError, match=said):
        jounce.simulate(model(), None, t_end=1.0, controller=controller)


@pytest.mark.parametrize("given", [{"every": 0.0}, {"every": -1.0}, {"every": 0.1, "delay": -0.1}, {"every": "1 kg"}])
def test_times_of_a_controller_make_sense(given: Any) -> None:
    with pytest.raises(SimulationError, match="Controller"):
        jounce.Controller(law, **given)


def test_an_error_in_the_function_reaches_the_user() -> None:
    def broken(t: float, state: jounce.State) -> dict[str, float]:
        raise ZeroDivisionError(f"at {t}")

    with pytest.raises(ZeroDivisionError, match=r"at 0\.0"):
        jounce.simulate(model(), None, t_end=1.0, controller=jounce.Controller(broken, every=0.1))
