"""Stiff contacts that stay pressed: closed forms over ten powers of the stiffness, other units, what it costs."""

from __future__ import annotations

import cmath
import math
from functools import cache

import mpmath as mp
import numpy as np
import pytest
import sympy as sp

import jounce
from jounce.kernels.flow import radau_table

M, G, FORCE, OMEGA, SPAN = 1.3, 9.81, 3.0, 3.0, 4.0
STIFF = [1e2, 1e4, 1e6, 1e8, 1e10, 1e12]


@cache
def shaken(law: str) -> jounce.System:
    """A mass on a floor, pushed by F cos(omega t)."""
    y, dy = jounce.coordinate("y", "m")
    m, g, k, c, F, omega = jounce.parameters(m=M, g=G, k=1e4, c=10.0, F=FORCE, omega=OMEGA)
    compliance = {"linear": jounce.KelvinVoigt(k, c), "hertz": jounce.HuntCrossley(k)}[law]
    model = jounce.Model.from_lagrangian(
        f"shaken_{law}",
        coordinates=[y],
        kinetic=m * dy**2 / 2,
        potential=m * g * y,
        forces={y: F * sp.cos(omega * jounce.time)},
        contacts=[jounce.Contact("floor", gap=y, restitution=0.5, compliance=compliance)],
    )
    return jounce.compile_model(model)


def pressed(K: float, zeta: float = 0.3, **given: object) -> jounce.Trajectory:
    """A run that begins where the weight alone would rest."""
    system = shaken("linear")
    options = jounce.Options(tolerance=1e-9, **given)  # type: ignore[arg-type]
    c = 2 * zeta * math.sqrt(K * M)
    return jounce.simulate(system, system.state(y=-M * G / K), SPAN, options=options, k=K, c=c)


def closed_form(K: float, zeta: float, t: np.ndarray) -> np.ndarray:
    """y of m y'' + c y' + K y = -m g + F cos(omega t) from y = -m g/K at rest."""
    c = 2 * zeta * math.sqrt(K * M)
    answer = FORCE / (K - M * OMEGA**2 + 1j * c * OMEGA)
    first = (-c + cmath.sqrt(c * c - 4 * K * M)) / (2 * M)
    second = (-c - cmath.sqrt(c * c - 4 * K * M)) / (2 * M)
    y0, v0 = -answer.real, (-1j * OMEGA * answer).real
    b = (v0 - first * y0) / (second - first)
    a = y0 - b
    forced = (answer * np.exp(1j * OMEGA * t)).real
    return -M * G / K + forced + (a * np.exp(first * t) + b * np.exp(second * t)).real


@pytest.mark.parametrize("K", STIFF)
def test_a_pressed_contact_follows_its_load(K):
    """Depth, so force, to the tolerance at every time of the run, ledger and audit with it; never more than 600 steps.

    Explicit steps alone are 2e6 at K = 1e12.
    """
    run = pressed(K)
    t = np.linspace(0.25, SPAN, 301)
    np.testing.assert_allclose(run.states(t)[:, 0], closed_form(K, 0.3, t), rtol=2e-7)
    assert run.status.name == "FINISHED"
    assert run.audit().empty
    assert float(abs(run.energy["residual"]).max()) < 1e-9 * M * G * abs(run.final["y"]) + 1e-9 * FORCE**2 / K
    assert len(run.data.step_t) < 600


@pytest.mark.parametrize("zeta", [0.05, 0.9, 20.0])
def test_any_damping(zeta):
    """Hardly damped, almost critically, and so much that the damper is slower than the load."""
    run = pressed(1e9, zeta)
    t = np.linspace(0.5, SPAN, 301)
    np.testing.assert_allclose(run.states(t)[:, 0], closed_form(1e9, zeta, t), rtol=2e-7)
    assert run.audit().empty


@pytest.mark.parametrize(("length", "time", "mass"), [(1e6, 1.0, 1.0), (1.0, 1e-6, 1e6), (1e-6, 1e6, 1e-6)])
def test_in_other_units(length, time, mass):
    system, K = shaken("linear"), 1e9
    c = 0.6 * math.sqrt(K * M)
    rate, force = mass / time**2, mass * length / time**2
    values = {"m": M * mass, "g": G * length / time**2, "k": K * rate, "c": c * mass / time}
    values |= {"F": FORCE * force, "omega": OMEGA / time}
    start = system.state(y=-M * G / K * length)
    run = jounce.simulate(system, start, SPAN * time, options=jounce.Options(tolerance=1e-9), **values)
    t = np.linspace(0.25, SPAN, 101)
    np.testing.assert_allclose(run.states(t * time)[:, 0], closed_form(K, 0.3, t) * length, rtol=2e-7)


@pytest.mark.parametrize("law", ["linear", "hertz"])
def test_events_are_those_of_explicit_steps(law):
    """A load that lifts the mass off after a long rest: where it does so, and where it comes down."""
    system = shaken(law)
    # cos begins at rest and lifts by 1.1 of the weight half a period later, when explicit steps would be 40,000
    values = {"k": 1e8, "F": 1.1 * M * G, "omega": 2.0} | ({"c": 1e3} if law == "linear" else {})
    times = []
    for integrator in ("taylor", "dop853"):
        options = jounce.Options(tolerance=1e-10, integrator=integrator, max_steps=10**7)
        depth = 2.1 * M * G / 1e8 if law == "linear" else (2.1 * M * G / 1e8) ** (2 / 3)
        start = system.state(t=math.pi / 2, y=-depth, d_y=0.0)
        run = jounce.simulate(system, start, math.pi / 2 + 3.0, options=options, **values)
        events = run.events[run.events["kind"].isin(["touch", "separate"])]
        times.append(events["t"].to_numpy()[:2])
        assert run.status.name == "FINISHED"
        assert run.audit().empty
    assert len(times[0]) == 2
    np.testing.assert_allclose(times[0], times[1], rtol=1e-8)


def test_a_long_rest_costs_nothing():
    """After a drop with its bounces the steps of a rest without load grow to its end."""
    y, dy = jounce.coordinate("y", "m")
    m, g, k, c = jounce.parameters(m=1.0, g=G, k=1e10, c=1e4)
    floor = jounce.Contact("floor", gap=y, compliance=jounce.KelvinVoigt(k, c))
    model = jounce.Model.from_lagrangian(
        "dropped", coordinates=[y], kinetic=m * dy**2 / 2, potential=m * g * y, contacts=[floor]
    )
    system = jounce.compile_model(model)
    run = jounce.simulate(system, system.state(y=0.01), 1000.0)
    assert run.final["y"] == pytest.approx(-G / 1e10, rel=1e-6)
    assert len(run.data.step_t) < 20_000


def test_the_table():
    """Radau IIA with five stages again, by 40 digits (Hairer & Wanner II, IV.5)."""
    with mp.workdps(40):
        polynomial = mp.taylor(lambda x: mp.diff(lambda z: z**4 * (z - 1) ** 5, x, 4), 0, 5)[::-1]
        c = sorted(mp.re(root) for root in mp.polyroots(polynomial, maxsteps=200, extraprec=200))
        powers = mp.matrix(5, 5)
        integrals = mp.matrix(5, 5)
        for i in range(5):
            for k in range(5):
                powers[i, k], integrals[i, k] = c[i] ** k, c[i] ** (k + 1) / (k + 1)
        inverse = (integrals * powers**-1) ** -1
        own = np.array([[float(inverse[i, k]) for k in range(5)] for i in range(5)])
    np.testing.assert_allclose(radau_table.C, [float(x) for x in c], rtol=1e-14)
    np.testing.assert_allclose(radau_table.INVERSE, own, rtol=1e-13)
    roots = radau_table.ROOTS[:, 0] + 1j * radau_table.ROOTS[:, 1]
    to, back = (part[0] + 1j * part[1] for part in (radau_table.TO, radau_table.BACK))
    np.testing.assert_allclose(np.einsum("pi,p,pj->ij", back, roots, to).real, own, atol=1e-12)
    # the estimate is exact for what a polynomial of degree five does: z = x^k with f = k x^(k-1)
    for k in range(1, 6):
        f0 = 1.0 if k == 1 else 0.0
        assert abs(f0 / radau_table.ROOTS[0, 0] + radau_table.ERROR @ radau_table.C**k) < 1e-13
        data = np.array([f0, *radau_table.C**k])
        nested = radau_table.NESTED @ data
        for x in (0.2, 0.7):
            value = 0.0
            for row in range(5, -1, -1):
                value = (value + nested[row]) * (x if row % 2 == 0 else 1.0 - x)
            assert value == pytest.approx(x**k, rel=1e-12)
        x = radau_table.MIDDLE
        assert radau_table.MIDDLE_STATE @ data == pytest.approx(x**k, rel=1e-13)
        assert radau_table.START_RATE @ radau_table.C**k == pytest.approx(f0, abs=1e-13)
        assert radau_table.MIDDLE_RATE @ data == pytest.approx(k * x ** (k - 1), rel=1e-13)
