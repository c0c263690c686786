"""Switches that are no friction, beside rigid contacts that push along their surfaces: left out, and said so.

The value that holds such a switch knows nothing of the forces of contacts (docs/decisions/0022-switches.md). A run must
end with words that name the switch and say what to write, in any units and with any integrator, or be right.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp

import jounce

(x, dx), (y, dy), (a, da) = (jounce.coordinate(*each) for each in (("x", "m"), ("y", "m"), ("a", "rad")))
PARAMETERS = half, force, mass, gravity, rate = jounce.parameters(
    half=(0.3, "m"), force=(3.2, "N"), mass=(1.0, "kg"), gravity=(9.81, "m/s^2"), rate=(3.0, "rad/s")
)
FORCES = {
    "along another direction": {y: -force * sp.sign(dy + dx / 10)},
    "towards the wall": {x: -force * sp.sign(dx + dy / 3)},
    "by another velocity": {x: -force * sp.sign(dx) * (1 + (da / rate) ** 2)},
    "by a torque": {a: -force * half * sp.sign(half * da + dx)},
    "driving": {x: force / 4 * sp.sign(dx)},
}
UNITS = [(1.0, 1.0, 1.0), (1e3, 1.0, 1.0), (1e-6, 1e3, 1e2), (1.0, 1e-6, 1e3)]  # lengths, times, masses


@cache
def rod(name: str) -> jounce.System:
    """A rod above a rough floor, with one of these forces."""
    law = {"friction": sp.Rational(9, 10), "restitution": sp.Rational(2, 5)}
    tip = jounce.Contact("tip", gap=y - half * sp.sin(a), slip=dx + half * da * sp.sin(a), **law)
    model = jounce.Model.from_lagrangian(
        "rod_" + name.replace(" ", "_"), coordinates=[x, y, a],
        kinetic=mass * (dx**2 + dy**2 + half**2 * da**2 / 3) / 2, potential=mass * gravity * y,
        forces=FORCES[name], contacts=[tip], parameters=PARAMETERS,
    )  # fmt: skip
    return jounce.compile_model(model)


@pytest.mark.parametrize("units", UNITS)
@pytest.mark.parametrize("name", FORCES)
def test_a_run_is_right_or_says_what_to_write(name: str, units: tuple[float, float, float]) -> None:
    length, duration, weight = units
    newton = weight * length / duration**2
    ended = 0
    for seed, integrator in enumerate(("taylor", "dop853", "dopri5", "taylor", "dop853")):
        random = np.random.default_rng(seed)
        start = {
            "y": (0.35 + 0.2 * random.random()) * length, "a": 1.1 + 0.3 * random.random(),
            "d_x": 1.26 * random.normal() * length / duration, "d_a": -3.0 * random.random() / duration,
        }  # fmt: skip
        run = jounce.simulate(
            rod(name), start, 1.5 * duration, options=jounce.Options(integrator=integrator, max_events=20000),
            half=0.3 * length, force=3.2 * newton * (0.2 + random.random()), mass=weight, rate=3 / duration,
            gravity=9.81 * length / duration**2,
        )  # fmt: skip
        if run.status.ok:
            assert run.audit().empty
            continue
        ended += 1
        assert run.status.name in ("AUDIT_FAILED", "ENDLESS_RESETS")
        assert "switch" in run.status.message
        assert "load=" in run.status.message
    assert ended


def test_a_brake_in_mud_is_a_contact() -> None:
    """The same rod with friction along its own velocity: that is a contact, however it is written."""
    law = {"friction": sp.Rational(9, 10), "restitution": sp.Rational(2, 5)}
    tip = jounce.Contact("tip", gap=y - half * sp.sin(a), slip=dx + half * da * sp.sin(a), **law)
    brake = jounce.Contact("brake", slip=dy, friction=1, load=(), preload=force)
    start = {"y": 0.35, "a": 1.1, "d_x": 1.26, "d_a": -3.0}
    runs = []
    for name, forces, contacts in (("signed", {y: -force * sp.sign(dy)}, [tip]), ("braked", {}, [tip, brake])):
        model = jounce.Model.from_lagrangian(
            name, coordinates=[x, y, a], kinetic=mass * (dx**2 + dy**2 + half**2 * da**2 / 3) / 2,
            potential=mass * gravity * y, forces=forces, contacts=contacts,
        )  # fmt: skip
        runs.append(jounce.simulate(model, start, 1.0))
    assert all(run.status.ok for run in runs)
    np.testing.assert_allclose(runs[0].final.q, runs[1].final.q, atol=1e-9)
