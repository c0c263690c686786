"""What flights are searched by: curvatures of gaps, and bounds on how fast these change, against differences."""

from __future__ import annotations

import numpy as np
import pytest

import jounce
from jounce.system.evaluation import values_of

STEP = 1e-4


@pytest.mark.parametrize("name", ["ball_on_table", "slender_rod", "bouncing_ball"])
def test_curvatures_and_their_bounds(name: str) -> None:
    """Along a parabola: g'' is the difference of velocities, |g'''| stays below its bound."""
    system = jounce.compile_model(getattr(jounce.systems, name)())
    n, nc, p, random = system.n, system.nc, system.defaults, np.random.default_rng(7)
    for _ in range(20):
        t, q, u = random.uniform(0.0, 3.0), random.normal(size=n), 3.0 * random.normal(size=n)
        a = values_of(system.functions.free_acceleration, n, t, q, u, p)
        rows = []
        for s in (-STEP, 0.0, STEP):
            place = q + (u + 0.5 * a * s) * s
            rows.append(values_of(system.functions.flight_gaps, 3 * nc, t + s, place, u + a * s, p).reshape(nc, 3))
        np.testing.assert_allclose(rows[1][:, 2], (rows[2][:, 1] - rows[0][:, 1]) / (2 * STEP), atol=1e-4)
        bounds = values_of(system.functions.flight_bounds, 6 * nc, t, q, u, p).reshape(nc, 6)
        jerk = np.abs(rows[2][:, 2] - rows[0][:, 2]) / (2 * STEP)
        assert (bounds[:, 2] >= 0.0).all()
        assert (jerk <= bounds[:, 2] * (1.0 + 1e-9) + 1e-6).all()
        assert (rows[1][:, 2] >= -bounds[:, 0] - 1e-9).all()
        assert (rows[1][:, 2] <= bounds[:, 1] + 1e-9).all()


@pytest.mark.parametrize("name", ["ball_on_table", "slender_rod"])
def test_a_landing_is_contacts_and_sizes(name: str) -> None:
    system = jounce.compile_model(getattr(jounce.systems, name)())
    n, nc, p, random = system.n, system.nc, system.defaults, np.random.default_rng(8)
    count, sizes = nc * (5 + 2 * n), 2 * nc
    t, q, u = 0.7, random.normal(size=n), random.normal(size=n)
    both = values_of(system.functions.landing, count + sizes, t, q, u, p)
    apart = (
        values_of(system.functions.contacts, count, t, q, u, p),
        values_of(system.functions.sizes, sizes, t, q, u, p),
    )
    np.testing.assert_allclose(both, np.concatenate(apart), rtol=1e-15)
