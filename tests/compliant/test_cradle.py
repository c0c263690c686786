"""Newton's cradle: balls that touch with neither force nor rate nor acceleration, until the first one is hit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import jounce
from jounce import Contact, Hertz, Model, Options, coordinates


@pytest.mark.parametrize("count", [3, 5])
def test_a_row_of_touching_balls(count):
    """Final velocities against SciPy at tight tolerance, from a first ball that touches or comes from afar."""
    pairs = coordinates(" ".join(f"x{i}" for i in range(count)), "m")
    q, v = [place for place, _ in pairs], [speed for _, speed in pairs]
    stiffness = 1e6
    system = jounce.compile_model(
        Model.from_lagrangian(
            f"cradle_{count}",
            coordinates=q,
            kinetic=sum(speed**2 for speed in v) / 2,
            potential=0 * q[0],
            contacts=[
                Contact(f"c{i}", gap=q[i + 1] - q[i], compliance=Hertz(stiffness, 1.5)) for i in range(count - 1)
            ],
            start={},
        )
    )

    def rates(_, z):
        force = stiffness * np.maximum(0.0, z[: count - 1] - z[1:count]) ** 1.5
        acceleration = np.append(0.0, force) - np.append(force, 0.0)
        return np.append(z[count:], acceleration)

    for gap, speed in ((0.0, 1.0), (0.1, 1.0), (0.3, 0.01)):
        start = np.zeros(2 * count)
        start[count] = speed
        step = 1e-4 / speed
        reference = solve_ivp(rates, (0, 500 * step), start, method="DOP853", rtol=1e-12, atol=1e-15, max_step=step)
        duration = gap / speed + 500 * step
        state = system.state(x0=-gap, d_x0=speed)
        run = jounce.simulate(system, state, duration, options=Options(max_events=200))
        assert run.status.name == "FINISHED", run.status
        np.testing.assert_allclose(run.final.u, reference.y[count:, -1], rtol=0, atol=1e-8 * speed)
        assert set(run.events["kind"]) <= {"touch", "separate"}
