"""Contact that lasts: no drift of position or velocity in 100,000 forcing periods."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.model import Contact, Model, coordinates, parameters, time
from tests.engine.models import rubbing_mass
from tests.engine.support import simulate
from tests.references.sliding import SlidingRod, sliding_start

PERIODS = 100_000
TOLERANCE = 1e-10
LONG = jounce.Options(record="nothing", ledger=False)


def gap_errors(run):
    """|gap| and |gap velocity| of every contact and joint at the end, from the model's own expressions."""
    model, state = run.model, run.final
    values = {model.symbols["t"]: state.t, **dict(zip(model.q, state.q, strict=True))}
    values.update(zip(model.u, state.u, strict=True))
    values.update(zip(model.p, run.data.parameters, strict=True))
    errors = []
    for expression in [contact.gap for contact in model.contacts] + list(model.joints.values()):
        rate = expression.diff(model.symbols["t"])
        rate += sum(expression.diff(q) * u for q, u in zip(model.q, model.u, strict=True))
        errors.append((abs(float(expression.subs(values).evalf(30))), abs(float(rate.subs(values).evalf(30)))))
    return np.array(errors)


def test_a_ball_rides_on_the_table():
    """A omega^2 < g: it never leaves, and stays on the table to 1e-10."""
    omega = 3.0
    run = simulate(
        "ball_on_table", 10_000 * 2 * np.pi / omega, {"y": 0.0, "d_y": 0.9 * omega}, A=0.9, omega=omega, options=LONG
    )
    assert run.status.name == "FINISHED"
    assert gap_errors(run).max() < TOLERANCE


def test_a_ball_chatters_to_rest_and_rides():
    """From a bouncing start: the contact begins by a chatter and holds to 1e-10 for 100,000 periods."""
    omega = 5.0
    run = simulate("ball_on_table", PERIODS * 2 * np.pi / omega, {"y": 0.4}, A=0.2, omega=omega, e=0.5, options=LONG)
    assert run.status.name == "FINISHED"
    assert gap_errors(run).max() < TOLERANCE


def test_a_mass_slides_and_rides():
    """Sliding along a vibrating table at a constant speed, without friction, for 10,000 periods."""
    system = jounce.compile_model(rubbing_mass())
    start = {"y": 0.0, "d_x": 0.5}
    run = simulate(system, 10_000 * 2 * np.pi / 4.0, start, A=0.3, omega=4.0, mu=0.0, options=LONG)
    assert run.status.name == "FINISHED"
    assert gap_errors(run).max() < TOLERANCE
    assert run.final["d_x"] == pytest.approx(0.5, abs=TOLERANCE)


def sliding_stand() -> Model:
    """A tilted rod held upright by a stiff spring, its end sliding back and forth on a vibrating floor."""
    from sympy import pi, sin

    (x, dx), (y, dy), (theta, dtheta) = coordinates("x y theta", "m")
    m, L, g, A, omega, mu, e, k, c, F = parameters(
        m=1.0, L=1.0, g=9.81, A=0.1, omega=4.0, mu=0.2, e=0.3, k=60.0, c=5.0, F=6.0
    )
    return Model.from_lagrangian(
        "sliding_stand",
        coordinates=[x, y, theta],
        kinetic=m * (dx**2 + dy**2) / 2 + m * L**2 / 3 * dtheta**2 / 2,
        potential=m * g * y + k * x**2 / 2 + k * (theta - 1) ** 2 / 2,
        forces={x: F * sin(omega * time) - c * dx, theta: -c * dtheta},
        contacts=[
            Contact(
                "tip",
                gap=y - L * sin(theta) - A * sin(omega * time),
                slip=dx + L * sin(theta) * dtheta,
                friction=mu,
                restitution=e,
            )
        ],
        period=2 * pi / omega,
        start={y: float(np.sin(1.0)), theta: 1.0, "d_y": 0.4},
    )


@pytest.mark.slow
def test_a_rod_end_slides_back_and_forth():
    """Two slides and two sticking phases in every period, and still no drift after 10,000 of them."""
    system = jounce.compile_model(sliding_stand())
    start = dict(system.model.start)
    # over a few periods with everything recorded: the end does slide both ways and never leaves
    short = simulate(system, 20 * 2 * np.pi / 4.0, start)
    assert {"SLIP+", "SLIP-", "STICK"} <= set(short.events["mode_after"])
    assert "lift_off" not in short.events["kind"].tolist()
    run = simulate(system, 10_000 * 2 * np.pi / 4.0, start, options=LONG)
    assert run.status.name == "FINISHED"
    assert gap_errors(run).max() < TOLERANCE


def test_a_pendulum_keeps_its_arm():
    """A joint is held as a contact is: the arm's length and its rate after 20,000 swings."""
    options = jounce.Options(record="nothing", ledger=False)
    run = simulate("wall_pendulum", 40_000.0, {"x": 0.3, "y": -np.sqrt(1 - 0.09)}, wall=-0.9, options=options)
    assert run.status.name == "FINISHED"
    assert gap_errors(run)[1].max() < TOLERANCE


@pytest.mark.parametrize("method", ["dop853", "dopri5"])
def test_the_gap_is_closed_all_along_a_slide(method):
    """Within one slide of the rod, dense output and all: |gap| and |gap velocity| below 1e-10."""
    rod = SlidingRod(A=0.2, omega=3.0, mu=0.2)
    q, u = sliding_start(rod, 0.0, 0.9, 0.0, 1.0)
    start = dict(zip(("x", "y", "theta", "d_x", "d_y", "d_theta"), (*q, *u), strict=True))
    options = jounce.Options(integrator=method)
    run = simulate("slender_rod", 0.3, start, A=0.2, omega=3.0, mu=0.2, e=0.5, options=options)
    spans = [span for span in run.mode_intervals("P1") if str(span[2]) != "OPEN"]
    assert spans
    assert spans[0][0] == 0.0
    t = np.linspace(spans[0][0], spans[0][1], 2001)[:-1]
    z = run.states(t)
    gap = z[:, 1] - np.sin(z[:, 2]) - 0.2 * np.sin(3.0 * t)
    rate = z[:, 4] - np.cos(z[:, 2]) * z[:, 5] - 0.6 * np.cos(3.0 * t)
    # between the steps the interpolant is as good as the tolerance asks, at the steps the state is projected
    assert np.abs(gap).max() < 10 * run.options.tolerance
    assert np.abs(rate).max() < 10 * run.options.tolerance
    steps = run.data.step_t[(run.data.step_t > 0) & (run.data.step_t < spans[0][1])]
    z = run.states(steps)
    assert len(steps) > 2
    assert np.abs(z[:, 1] - np.sin(z[:, 2]) - 0.2 * np.sin(3.0 * steps)).max() < 1e-12


def test_memory_of_a_long_run_does_not_grow():
    """record="nothing" keeps no rows, whatever the length; the end and the totals exist."""
    run = simulate("ball_on_table", 20_000.0, {"y": 2.0}, options=jounce.Options(record="nothing"))
    kept = [run.data.step_t, run.data.step_coefficients, run.data.event_float, run.data.event_int]
    assert sum(array.size for array in kept) == 0
    assert run.data.step_work.shape == (1, 4)
    assert run.data.total_impact_loss[0] > 100.0
