"""Contacts that pull, by adhesion or by damping on the way out: friction takes energy all the same."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import jounce
from jounce import Contact, Flores2011, HuntCrossley, KelvinVoigt, Model, coordinates, parameters

LAWS = [
    KelvinVoigt(4e3, 100.0, adhesive=True),
    KelvinVoigt(4e3, 20.0, adhesive=True, friction_speed=1e-2),
    KelvinVoigt(4e3, 100.0),
    HuntCrossley(1e5),
    Flores2011(1e5),
]


@cache
def skidding(number: int) -> jounce.System:
    """A mass that lands on a floor, a belt that runs with 0.5 m/s, with friction; pulled up by a force."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    m, g, mu, e, lift = parameters(m=1.0, g=9.81, mu=0.8, e=0.1, lift=0.0)
    contact = Contact("floor", gap=y, slip=dx - 0.5, friction=mu, restitution=e, compliance=LAWS[number])
    model = Model.from_lagrangian(
        f"skidding{number}",
        coordinates=[x, y],
        kinetic=m * (dx**2 + dy**2) / 2,
        potential=m * g * y,
        forces={y: lift},
        contacts=[contact],
        start={y: 0.3},
    )
    return jounce.compile_model(model)


def friction_speed(law, y: np.ndarray, dy: np.ndarray) -> np.ndarray:
    """v_s: as given, or a hundredth of the speed with which the mass of 1 kg would leave its spring."""
    if law.friction_speed is not None:
        return np.full(len(y), float(law.friction_speed))
    depth = np.maximum(-y, 0.0)
    spring = 4e3 * depth**2 / 2 if isinstance(law, KelvinVoigt) else 1e5 * depth**2.5 / 2.5
    return 0.01 * np.sqrt(dy**2 + 2 * spring)


@pytest.mark.parametrize("number", range(len(LAWS)))
@pytest.mark.parametrize("speed", [20.0, -3.0])
def test_friction_opposes_the_slip_and_takes_energy(number, speed):
    system = skidding(number)
    run = jounce.simulate(system, system.state(d_x=speed), 1.0, e=0.1)
    ledger = run.energy
    assert np.diff(ledger.friction_loss.values).min() > -1e-9
    assert abs(ledger.residual.values).max() < 1e-6
    times = np.linspace(0.0, 1.0, 4001)
    forces = run.contact_forces(times)
    normal, tangential = forces["lambda_N"].values[:, 0], forces["lambda_T"].values[:, 0]
    slip = run.states(times)[:, 2] - 0.5
    assert (tangential * slip).max() < 1e-9
    developed = np.abs(slip) / np.hypot(slip, friction_speed(LAWS[number], *run.states(times)[:, [1, 3]].T))
    np.testing.assert_allclose(np.abs(tangential), 0.8 * np.abs(normal) * developed, atol=1e-7)
    if number < 2:
        assert normal.min() < -0.1  # it does pull


@pytest.mark.parametrize("number", [0, 1])
def test_a_run_cut_while_a_contact_pulls_goes_on_the_same(number):
    system = skidding(number)
    sharp = jounce.Options(tolerance=1e-12)
    whole = jounce.simulate(system, system.state(d_x=20.0), 1.0, options=sharp)
    times = np.linspace(0.2, 0.6, 2001)
    pulling = times[whole.contact_forces(times)["lambda_N"].values[:, 0] < -0.1]
    assert len(pulling) > 5
    for t in pulling[[0, len(pulling) // 2, -1]]:
        first = jounce.simulate(system, system.state(d_x=20.0), t, options=sharp)
        for state in (first.final, whole.at(t)):
            rest = jounce.simulate(system, state, 1.0, options=sharp)
            assert np.concatenate([rest.final.q, rest.final.u]) == pytest.approx(
                np.concatenate([whole.final.q, whole.final.u]), abs=2e-8
            )
            assert len(rest.events) == (whole.events.t > t).sum()
