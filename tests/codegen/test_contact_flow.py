"""The functions of a contact that is closed alone, against NumPy's solution of the same equations, for every system."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sympy import cos, sin

import jounce
from jounce.model import Contact, Model, coordinates, parameters
from jounce.model.surfaces import SURFACE_COLUMNS
from jounce.system import System, compile_model
from jounce.system.evaluation import values_of
from jounce.systems import SYSTEMS
from jounce.toolchain.jit import evaluate

ROUNDING = 1e-12  # of the terms that are summed, times the condition of the equations
POWERS = 4
NORMAL, TANGENT, DETERMINANT, SOUND, SLIP, LIMIT = range(POWERS, POWERS + 6)
SLIDES = {"slide+": 1.0, "slide-": -1.0}


def three_feet() -> Model:
    """A full mass matrix, moving surfaces, friction that depends on the place, one contact without friction."""
    (x, dx), (y, dy), (a, da) = coordinates("x y a")
    m, mu, v = parameters(m=1.3, mu=0.4, v=0.7)
    t = jounce.time
    return Model.from_lagrangian(
        "three_feet",
        coordinates=[x, y, a],
        kinetic=m * (dx**2 + dy**2) / 2 + da**2 / 5 + cos(a) * dx * da / 3,
        potential=9.81 * m * y + x**2,
        forces={x: cos(3 * t) - dx / 7},
        contacts=[
            Contact("left", gap=y - sin(a) - cos(t) / 9, slip=dx + cos(a) * da - v, friction=mu * (1 + x**2)),
            Contact(
                "right",
                gap=y + sin(a) * 2,
                slip=dx - 2 * cos(a) * da + sin(t),
                friction=mu * (1 + 1 / (1 + jounce.slip**2)),
            ),
            Contact("wall", gap=3 - x + a**2),
        ],
    )


MODELS = {**SYSTEMS, "three_feet": three_feet}


@pytest.fixture(scope="module", params=MODELS)
def system(request: pytest.FixtureRequest) -> System:
    return compile_model(MODELS[request.param]())


def written(function: Any, n: int, point: tuple[Any, ...], sign: float = 0.0) -> np.ndarray:
    """What a function of a contact writes; ``slide`` reads the sign of the slip from the first place."""
    out = np.full(n + POWERS + 6, sign)
    evaluate(function, *point, out)
    return out


def equations(system: System, i: int, point: tuple[Any, ...]) -> dict[str, Any]:
    """What the model itself says at one state of contact i."""
    n = system.n
    dynamics = values_of(system.functions.dynamics, n * n + n, *point)
    contact = values_of(system.functions.contacts, system.nc * (5 + 2 * n), *point)[i * (5 + 2 * n) :]
    columns = len(SURFACE_COLUMNS)
    surface = values_of(system.functions.surfaces, columns * system.nc, *point)[columns * i :]
    powers = values_of(system.functions.powers, POWERS, *point)
    return {
        "M": dynamics[: n * n].reshape(n, n),
        "h": dynamics[n * n :],
        "rates": contact[1:3],
        "c": contact[3:5],
        "W": contact[5 : 5 + 2 * n].reshape(2, n),
        "mu": {1.0: surface[SURFACE_COLUMNS.index("friction")], -1.0: surface[SURFACE_COLUMNS.index("friction_back")]},
        "mu_s": surface[SURFACE_COLUMNS.index("static_friction")],
        "powers": powers,
    }


def solved(e: dict[str, Any], mode: str) -> tuple[np.ndarray, np.ndarray, float, float]:
    """(u', (lambda_N, lambda_T), normalised determinant, condition) by dense linear algebra."""
    M, W = e["M"], e["W"]
    if mode == "stick":
        rows, columns = W, W
    else:
        weight = SLIDES[mode] * e["mu"][SLIDES[mode]]
        rows, columns = W[:1], W[:1] - weight * W[1:]
    response = np.linalg.solve(M, columns.T)
    free = np.linalg.solve(M, e["h"])
    G = rows @ response
    x = np.linalg.solve(G, -(e["c"][: len(rows)] + rows @ free))
    forces = x if mode == "stick" else np.array([x[0], -weight * x[0]])
    mobilities = np.einsum("kj,jk->k", rows, np.linalg.solve(M, rows.T))
    condition = np.linalg.cond(M) * np.linalg.cond(G / np.sqrt(np.outer(mobilities, mobilities)))
    return free + response @ x, forces, float(np.linalg.det(G) / np.prod(mobilities)), condition


@pytest.mark.parametrize("mode", ["slide+", "slide-", "stick"])
def test_they_agree_with_dense_linear_algebra(system, mode):
    rng = np.random.default_rng(5)
    n = system.n
    for i, (slide, stick) in enumerate(system.contact_flows):
        function = stick if mode == "stick" else slide
        if function is None:
            assert not system.has_friction[i]
            continue
        for _ in range(20):
            t = rng.uniform(0, 3)
            q, u = (rng.uniform(-1.5, 1.5, n) for _ in range(2))
            point = (t, q, u, system.defaults)
            e = equations(system, i, point)
            out = written(function, n, point, SLIDES.get(mode, 0.0))
            expected, forces, determinant, condition = solved(e, mode)
            if not (np.linalg.eigvalsh(e["M"]).min() > 0.0 and condition < 1e6):
                continue
            assert out[n + SOUND] == 1.0
            size = ROUNDING * condition * (1.0 + np.abs(forces).max() + np.abs(expected).max())
            assert np.allclose(out[:n], expected, rtol=0, atol=size)
            assert np.allclose(out[n + NORMAL : n + TANGENT + 1], forces, rtol=0, atol=size)
            assert out[n + DETERMINANT] == pytest.approx(determinant, rel=ROUNDING * condition)
            assert out[n + SLIP] == pytest.approx(e["rates"][1], abs=ROUNDING * (1.0 + np.abs(e["W"]).max() * n))
            assert out[n + LIMIT] == pytest.approx(e["mu_s"] * forces[0], abs=size)
            drift = e["rates"] - e["W"] @ u
            powers = e["powers"] + np.array([0.0, -forces[1] * e["rates"][1], -forces @ drift, 0.0])
            assert np.allclose(out[n : n + POWERS], powers, rtol=0, atol=10.0 * size * (1.0 + np.abs(u).max()))


def test_free_motion_has_its_powers_behind_it(system):
    if system.free_flow is None:
        assert system.nj or not system.has_applied_power
        return
    rng = np.random.default_rng(6)
    for _ in range(5):
        point = (rng.uniform(0, 3), *rng.uniform(-1.5, 1.5, (2, system.n)), system.defaults)
        out = values_of(system.free_flow, system.n + POWERS, *point)
        free = values_of(system.functions.free_acceleration, system.n, *point)
        assert np.allclose(out[: system.n], free, rtol=1e-13, atol=0)
        assert np.allclose(out[system.n :], values_of(system.functions.powers, POWERS, *point), rtol=1e-13, atol=1e-300)


def test_constraints_that_depend_on_one_another_are_left_to_the_general_way():
    """A mass on a rail that allows the direction (1, 1) only: normal and tangent are one row up to a factor."""
    (x, dx), (y, dy) = coordinates("x y")
    (small,) = parameters(small=0.0)
    model = Model.from_lagrangian(
        "one_row",
        coordinates=[x, y],
        kinetic=(dx**2 + dy**2) / 2,
        potential=y,
        contacts=[Contact("rail", gap=x + y, slip=dx + (1 + small) * dy, friction=0.3)],
    )
    system = compile_model(model)
    (_, stick), n = system.contact_flows[0], 2
    for small, sound in ((0.0, 0.0), (1e-6, 0.0), (1e-2, 1.0)):
        point = (0.0, np.zeros(2), np.ones(2), system.parameters(small=small))
        assert written(stick, n, point)[n + SOUND] == sound


def test_many_contacts_take_the_general_way_beyond_a_bound_on_code():
    counts = {name: len(compile_model(make()).contact_flows) for name, make in SYSTEMS.items()}
    assert counts["belt_oscillator"] == counts["wiper"] == counts["double_pendulum"] == 1
    assert counts["quick_return"] == 0  # joints
