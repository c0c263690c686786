"""Joints that reverse together, next to a place where one of them hardly moves with the others."""

from __future__ import annotations

import math
from functools import cache

import pytest
from scipy.optimize import brentq

import jounce
from tests.families.rubbing import rubbing_crank

#: A crank that a constant torque drives, turns round and leaves again; at the tolerances 1e-7 and 1e-8.
PARAMETERS = {"T": -3.0, "v": 1e-9, "mu": 0.05, "mu_g": 0.05, "r": 0.01, "g": 0.0, "J_c": 0.1}


@pytest.fixture(scope="module")
def system() -> jounce.System:
    return jounce.compile_model(rubbing_crank())


def start(system: jounce.System, a: float, speed: float) -> jounce.State:
    """The slider-crank with R = 0.3 m, L = 1 m at the angle a."""
    R, L = 0.3, 1.0
    b = -math.asin(R / L * math.sin(a))
    db = -R * math.cos(a) * speed / (L * math.cos(b))
    values = {"a": a, "d_a": speed, "b": b, "d_b": db, "p": 0.0, "d_p": 0.0}
    for name, along, across in (("x", L / 2, "y"), ("s", L, None)):
        values[name] = R * math.cos(a) + along * math.cos(b)
        values[f"d_{name}"] = -R * math.sin(a) * speed - along * math.sin(b) * db
        if across:
            values[across] = R * math.sin(a) + along * math.sin(b)
            values[f"d_{across}"] = R * math.cos(a) * speed + along * math.cos(b) * db
    return system.state(**values)


def turns_at(system: jounce.System, a: float, speed: float, **options: object) -> tuple[jounce.Trajectory, float]:
    """The run, and the time at which the crank turns round."""
    chosen = jounce.Options(audit="dense", **options)  # type: ignore[arg-type]
    run = jounce.simulate(system, start(system, a, speed), 0.6, options=chosen, **PARAMETERS)
    t = float(brentq(lambda t: run.at(t)["d_a"], 1e-3, 0.6, xtol=1e-15))
    return run, t


@cache
def speed_to(system: jounce.System, dead: float, beyond: float) -> float:
    """The speed with which a crank that starts before a dead centre turns round behind it."""

    def misses(speed: float) -> float:
        run, t = turns_at(system, dead - 0.3, speed, tolerance=1e-11)
        return float(run.at(t)["a"]) - dead - beyond

    return float(brentq(misses, 1.5, 6.0, xtol=1e-11))


@pytest.mark.parametrize("integrator", ["taylor", "dop853", "dopri5"])
@pytest.mark.parametrize("tolerance", [1e-7, 1e-8])
@pytest.mark.parametrize("dead", [0.0, math.pi / 2], ids=["guide", "small"])
def test_joints_reverse_together_with_the_velocity_of_the_crank(
    system: jounce.System, dead: float, tolerance: float, integrator: str
) -> None:
    """At the dead centre of the guide, or of the small end, a slip is 1e-3 to 1e-6 of the others; all stop at once."""
    for beyond in (1e-3, 1e-4, 1e-5, 1e-6):
        speed = speed_to(system, dead, beyond)
        run, t = turns_at(system, dead - 0.3, speed, tolerance=tolerance, integrator=integrator)
        assert run.status.name == "FINISHED", run.status.message
        near = run.events[(run.events.t - t).abs() < 1e-4]
        instant = near[near.contact == "big"].t.to_numpy()
        assert len(instant) == 1
        before, behind = (run.at(instant[0], side=side)["d_a"] for side in ("left", "right"))  # type: ignore[arg-type]
        assert abs(before - behind) < 100 * tolerance * speed
