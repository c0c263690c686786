"""Bodies at rest on more contacts than statics needs: they stick, with forces that friction can carry, and say so."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize

import jounce
from jounce import Contact, Model, coordinates
from jounce import parameters as named


@pytest.fixture(scope="module")
def corner():
    """A mass pressed into a corner."""
    (x, dx), (y, dy) = coordinates("x y", "m")
    force, g, mu, nu, e = named(F=10.0, g=9.81, mu=0.3, nu=0.3, e=0.1)
    return jounce.compile_model(
        Model.from_lagrangian(
            "corner",
            coordinates=[x, y],
            kinetic=(dx**2 + dy**2) / 2,
            potential=g * y,
            forces={x: -force},
            contacts=[
                Contact("floor", gap=y, slip=dx, friction=mu, restitution=e),
                Contact("wall", gap=x, slip=dy, friction=nu, restitution=e),
            ],
            start={},
        )
    )


def least_norm_within_cones(force: float, g: float, mu: float, nu: float) -> np.ndarray:
    """N1, T1, N2, T2 of floor and wall by SciPy: N1 + T2 = g, N2 + T1 = F, |T| <= mu N."""
    result = minimize(
        lambda z: z @ z,
        np.array([g, 0.0, force, 0.0]),
        jac=lambda z: 2 * z,
        constraints=[
            {"type": "eq", "fun": lambda z: z[0] + z[3] - g},
            {"type": "eq", "fun": lambda z: z[2] + z[1] - force},
            *(
                {"type": "ineq", "fun": lambda z, a=a, b=b, f=f, s=s: f * z[a] + s * z[b]}
                for a, b, f in ((0, 1, mu), (2, 3, nu))
                for s in (1, -1)
            ),
        ],
        options={"ftol": 1e-13, "maxiter": 500},
    )
    assert all(abs(result.x[a] + result.x[b] - c) < 1e-9 for a, b, c in ((0, 3, g), (2, 1, force)))
    return result.x


@pytest.mark.parametrize("seed", range(12))
def test_a_mass_at_rest_in_a_corner_sticks(corner, seed):
    rng = np.random.default_rng(seed)
    force, g = rng.uniform(1, 20, 2)
    mu, nu = rng.uniform(0.1, 2.0, 2)
    start = {"x": rng.choice([0.0, 0.3]), "y": rng.choice([0.0, 0.2]), "d_x": rng.choice([0.0, -1.0])}
    values = {"F": force, "g": g, "mu": mu, "nu": nu}
    run = jounce.simulate(corner, corner.state(**start), 60.0, **values)
    if (mu * g > force and start["x"] > 0.0) or (nu * force > g and start["y"] > 0.0):
        assert "statics" not in run.status.message
        return  # friction of one surface holds it before it reaches the other
    assert run.status.name == "AT_REST", run.status
    assert "floor:STICK wall:STICK" in run.status.message
    assert "statics leaves its contact forces open" in run.status.message
    forces = run.contact_forces([59.0])
    normal, tangential = forces["lambda_N"].values[0], forces["lambda_T"].values[0]
    found = np.array([normal[0], tangential[0], normal[1], tangential[1]])
    np.testing.assert_allclose(found, least_norm_within_cones(force, g, mu, nu), rtol=0, atol=1e-5 * (force + g))
    assert (np.abs(tangential) <= np.array([mu, nu]) * normal * (1 + 1e-9)).all()


def test_a_body_on_one_contact_has_definite_forces():
    (x, dx), (y, dy) = coordinates("x y", "m")
    system = jounce.compile_model(
        Model.from_lagrangian(
            "single",
            coordinates=[x, y],
            kinetic=(dx**2 + dy**2) / 2,
            potential=9.81 * y,
            contacts=[Contact("floor", gap=y, slip=dx, friction=0.3)],
            start={},
        )
    )
    run = jounce.simulate(system, system.state(d_x=1.0), 10.0)
    assert run.status.name == "AT_REST"
    assert "statics" not in run.status.message


@pytest.mark.parametrize("count", [2, 3, 5])
def test_bodies_that_touch_without_a_force(count):
    """Equal oscillators side by side, gaps and forces identically zero: as quick as one alone, and no event."""
    pairs = coordinates(" ".join(f"x{i}" for i in range(count)), "m")
    k = named(k=19.195)
    stiffness = k[0] if isinstance(k, tuple) else k
    places, speeds = [p[0] for p in pairs], [p[1] for p in pairs]
    system = jounce.compile_model(
        Model.from_lagrangian(
            f"side_by_side_{count}",
            coordinates=places,
            kinetic=sum(v**2 for v in speeds) / 2,
            potential=stiffness * sum(p**2 for p in places) / 2,
            contacts=[Contact(f"c{i}", gap=places[i + 1] - places[i], restitution=0.0) for i in range(count - 1)],
            start={},
        )
    )
    for scale in (1.0, 1e-6, 1e5):
        start = {f"d_x{i}": scale for i in range(count)}
        run = jounce.simulate(system, system.state(**start), 10.0, options=jounce.Options(max_events=100))
        assert run.status.name == "FINISHED"
        assert len(run.events) == 0
        assert len(run.data.step_t) < 400
        omega = np.sqrt(19.195)
        assert run.final["x0"] == pytest.approx(scale * np.sin(omega * 10) / omega, abs=1e-7 * scale + 1e-9)
        assert run.final[f"x{count - 1}"] == pytest.approx(run.final["x0"], abs=1e-12 * scale + 1e-15)


@pytest.mark.parametrize("theta", [0.0, 1e-17, 1e-16, 1e-15, -1e-16, np.pi, 29 * np.pi])
def test_both_ends_of_a_flat_rod_stick(theta):
    """Nothing acts along the table: the equations of stick have no terms but rounding, and do not contradict it."""
    rod = jounce.compile_model(jounce.systems.slender_rod())
    start = rod.state(y=1.0, theta=theta, x=-23.0)
    run = jounce.simulate(rod, start, 1.5, A=0.0, omega=4.405, mu=0.05, e=0.0)
    assert (run.modes([1.4]).values == "STICK").all()
