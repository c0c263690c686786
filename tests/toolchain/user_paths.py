"""What users do, each thing in its smallest form; test_wheel.py runs this with an installed wheel."""

from __future__ import annotations

import sys

import numpy as np
import sympy as sp

import jounce
from jounce import painleve


def own_model() -> jounce.Model:
    """A ball on a plate on a spring, with an angle to have friction and a joint too."""
    (x, dx), (y, dy), (z, dz) = jounce.coordinates("x y z", "m")
    k, mu = jounce.parameters(k=40.0, mu=0.2)
    return jounce.Model.from_lagrangian(
        "own_plate",
        coordinates=[x, y, z],
        kinetic=(dx**2 + dy**2 + 3 * dz**2) / 2,
        potential=9.81 * y + k * z**2 / 2,
        contacts=[jounce.Contact("plate", gap=y - z - sp.cos(3 * x) / 10, slip=dx, friction=mu, restitution=0.6)],
        start={x: 0.1, y: 0.6, "d_x": 0.3},
    )


def main() -> None:
    """Everything; an assertion where a result is known."""
    run = jounce.simulate(own_model(), {}, t_end=2.0)
    assert run.status.ok
    assert len(run.audit("dense")) == 0
    assert np.isfinite(run.contact_forces(np.linspace(0.0, 2.0, 5)).to_array()).all()
    machine = jounce.simulate(jounce.systems.slider_crank(), {}, t_end=0.1)
    assert machine.status.ok

    for law in jounce.Law:
        outcome = jounce.impact(law, 2.0, 0.3, 1.5, 0.5, -1.0, 0.3, 0.0)
        assert abs(outcome.v_n) < 1e-12
        assert outcome.phases
    assert jounce.impact_many("energetic", 2.0, 0.3, 1.5, 0.5, -np.ones(3), 0.3, 0.5).solved.all()

    ball = jounce.compile_model(jounce.systems.ball_on_table())
    orbit = jounce.find_orbit(ball, ball.state(t=1.5, y=6.4), omega=3.0, e=0.9)
    assert orbit.stable
    assert jounce.continue_orbit(orbit, "omega", (2.9, 3.1), step=0.1).special.empty
    diagram = jounce.sweep(ball, "omega", [2.8, 3.0], "phase:0", ball.state(y=1.0, d_y=4.0), keep=4, threads=2, e=0.8)
    assert not diagram.branches.empty
    grid = {"y": np.linspace(1.0, 6.0, 2), "d_y": np.linspace(-2.0, 2.0, 2)}
    assert jounce.basins(ball, grid, "phase:0", transient=50, keep=4, omega=3.0, e=0.9).attractors is not None
    assert np.isfinite(jounce.lyapunov(ball, ball.state(y=3.0), 20.0, transient=5.0, omega=4.5, e=0.8).exponents).all()

    wiper = jounce.compile_model(jounce.systems.wiper())
    assert jounce.find_equilibrium(wiper, "tip:SLIP+", mu=0.3).mode
    manipulator = jounce.compile_model(jounce.systems.manipulator())
    state = painleve.closed_state(manipulator, manipulator.state(theta1=0.7, theta2=0.4468))
    assert painleve.coefficients(manipulator, state, slip=+1).A < 0.0


if __name__ == "__main__":
    main()
    print("jounce.toolchain.compiler" in sys.modules)
