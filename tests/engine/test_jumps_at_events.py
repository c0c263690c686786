"""What jumps at the very instant of another event: the roots are one to rounding, and both must happen.

A block on a belt that turns as a square wave has a motion of its own, whatever other bodies do at the same instants.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
import sympy as sp

import jounce
from jounce import Contact, Model, Reset, coordinate, discrete, parameter, time

(X, DX), (Y, DY) = (coordinate(name, "m") for name in "xy")
W = parameter("w", 5.0, "rad/s")
SPEED, BRAKING, GRAVITY = 0.3, 4.0, 10.0


def belt(slip: sp.Expr, wave: sp.Expr, name: str = "belt") -> Contact:
    """Dry friction of a block on a belt that turns with the sign of a wave."""
    return Contact(name, slip=slip + sp.sign(wave) * sp.Rational(3, 10), friction=1, load=(), preload=4)


def beside(name: str) -> tuple[list[Contact], list[Reset]]:
    """What else happens at the zeros of sin(w t), to a coordinate that the block knows nothing of."""
    n = discrete("n")
    return {
        # goes up and down on a plate, with a brake whose slip vanishes where the plate turns
        "brake": ([
            Contact("plate", gap=Y - sp.sin(W * time) ** 2 / 80),
            Contact("brake", slip=DY, friction=1, load=(), preload=sp.Rational(1, 4)),
        ], []),
        "ball": ([Contact("floor", gap=Y, restitution=1)], []),
        "spring": ([Contact("floor", gap=Y, compliance=jounce.KelvinVoigt(4e4, 0))], []),
        "belt": ([belt(DY, sp.cos(W * time - sp.pi / 2), "other")], []),
        "count": ([], [Reset(sp.sin(W * time) * (2 + sp.cos(time)), {n: n + 1}, name="counts")]),
    }[name]  # fmt: skip


@cache
def system(name: str) -> jounce.System:
    contacts, resets = beside(name)
    force = [0, 0 if name == "belt" else -10]
    waves = [belt(DX, sp.sin(W * time)), *contacts]
    return jounce.compile_model(Model(f"belt_beside_{name}", [X, Y], [1, 1], force, contacts=waves, resets=resets))


def place(w: float, t: float) -> tuple[float, float]:
    """Of a block that begins with its belt: each turn takes its velocity to the other side within 0.15 s."""
    half, ramp = np.pi / w, 2 * SPEED / BRAKING
    k = int(t / half)
    side, since = (-1.0) ** (k + 1), t - k * half
    whole = [-SPEED * half] + [(-1.0) ** (j + 1) * SPEED * (half - ramp) for j in range(1, k)]
    x = sum(whole[:k])
    if k == 0:
        return -SPEED * t, -SPEED
    if since < ramp:
        return x + side * (BRAKING * since**2 / 2 - SPEED * since), side * (BRAKING * since - SPEED)
    return x + side * SPEED * (since - ramp), side * SPEED


@pytest.mark.parametrize("integrator", ["taylor", "dop853", "dopri5"])
@pytest.mark.parametrize("w", [5.0, 5.151499538140719, 7.3, np.pi])
@pytest.mark.parametrize("name", ["brake", "ball", "spring", "belt", "count"])
def test_a_belt_turns_at_the_instant_of_another_event(name: str, w: float, integrator: str) -> None:
    up = GRAVITY * np.pi / w / 2 if name == "ball" else -SPEED if name == "belt" else 0.0
    options = jounce.Options(integrator=integrator, audit="dense", tolerance=1e-10)
    for t_end in (6.0, 6.1, 6.37):
        run = jounce.simulate(system(name), {"d_x": -SPEED, "d_y": up}, t_end, options=options, w=w)
        assert run.status.name == "FINISHED", run.status.message
        x, dx = place(w, t_end)
        assert (run.final["x"], run.final["d_x"]) == pytest.approx((x, dx), abs=1e-9)
        if name == "belt":
            assert (run.final["y"], run.final["d_y"]) == pytest.approx((x, dx), abs=1e-9)
