"""Models with resets, and their motions in closed form."""

from __future__ import annotations

import numpy as np
import sympy as sp

import jounce


def kicked_ball(**resets: jounce.Reset) -> jounce.Model:
    """A ball that is struck upwards at every bounce, by a tenth of its speed, with a counter."""
    y, dy = jounce.coordinate("y", "m")
    g, e = jounce.parameters(g=9.81, e=0.8)
    n = jounce.discrete("n", description="bounces")
    return jounce.Model.from_lagrangian(
        "kicked_ball",
        coordinates=[y],
        kinetic=dy**2 / 2,
        potential=g * y,
        contacts=[jounce.Contact("floor", gap=y, restitution=e)],
        resets=[jounce.Reset("impact:floor", {dy: 1.1 * dy, n: n + 1}, name="kick"), *resets.values()],
        start={y: 1.0},
    )


def simplest_walker() -> jounce.Model:
    """Garcia, Chatterjee, Ruina & Coleman (1998): a point mass on two legs without mass, equations (1) to (4)."""
    theta, dtheta = jounce.coordinate("theta", "rad")
    phi, dphi = jounce.coordinate("phi", "rad")
    slope = jounce.parameter("slope", 0.009, "rad")
    fall, c = sp.sin(theta - slope), sp.cos(2 * theta)
    heelstrike = jounce.Reset(
        phi - 2 * theta,
        {theta: -theta, phi: -2 * theta, dtheta: c * dtheta, dphi: c * (1 - c) * dtheta},
        only_if=theta < -0.05,
        name="heelstrike",
    )
    swing = fall + dtheta**2 * sp.sin(phi) - sp.cos(theta - slope) * sp.sin(phi)
    return jounce.Model("simplest_walker", [theta, phi], [1, 1], [fall, swing], resets=[heelstrike])


#: The fixed point behind heelstrike at slope 0.009, period 1 ("long" gait).
WALKER_THETA, WALKER_RATE = 0.200310900544287, -0.199832473004977


def walker_start(system: jounce.System, theta: float = WALKER_THETA, rate: float = WALKER_RATE) -> jounce.State:
    """Behind a heelstrike: the stance angle and its rate say the rest."""
    return system.state(theta=theta, phi=2 * theta, d_theta=rate, d_phi=(1 - np.cos(2 * theta)) * rate)


def relay() -> jounce.Model:
    """x'' = -s, s = sign of x with hysteresis h: s switches to +1 at x = h going up, to -1 at x = -h going down."""
    x, _dx = jounce.coordinate("x", "m")
    h = jounce.parameter("h", 0.1, "m")
    side = jounce.discrete("side", 1)
    return jounce.Model(
        "relay",
        [x],
        [1],
        [-side],
        resets=[
            jounce.Reset(x - h, {side: 1}, direction=+1, name="up"),
            jounce.Reset(x + h, {side: -1}, direction=-1, name="down"),
        ],
        start={x: 1.0},
    )
