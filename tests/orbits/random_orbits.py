"""Periodic orbits of many systems at random parameters.

Stable ones: attractors found by simulation, then by Newton's method. Unstable ones, on which no motion settles: by
Newton's method from random guesses.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np

import jounce
from jounce.errors import SimulationError

QUIET: dict[str, Any] = {"record": "nothing", "ledger": False, "max_events": 100_000}


@cache
def compiled(name: str) -> Any:
    return jounce.compile_model(getattr(jounce.systems, name)())


def ball(random: np.random.Generator) -> Any:
    parameters = {"omega": random.uniform(2.6, 6.5), "e": random.uniform(0.05, 0.9)}
    return "ball_on_table", {"y": random.uniform(1.0, 6.0), "d_y": random.uniform(-5, 5)}, parameters, {}


def oscillator(random: np.random.Generator) -> Any:
    parameters = {"omega": random.uniform(0.4, 3.0), "d": random.uniform(-0.3, 0.8), "e": random.uniform(0.2, 0.9)}
    parameters |= {"c": random.uniform(0.1, 0.5)}
    return "impact_oscillator", {"x": parameters["d"] - random.uniform(0.1, 1.0)}, parameters, {}


def belt(random: np.random.Generator) -> Any:
    mu = random.uniform(0.1, 0.5)
    parameters = {"v_belt": random.uniform(0.05, 0.6), "mu": mu, "mu_s": mu * random.uniform(1.1, 2.0)}
    parameters |= {"c": random.uniform(0.0, 0.3), "k": random.uniform(3.0, 20.0)}
    return "belt_oscillator", {"x": 0.0}, parameters, {}


def wiper(random: np.random.Generator) -> Any:
    parameters = {"mu": random.uniform(0.36, 0.6), "phi0": random.uniform(0.1, 0.5), "e": random.uniform(0.0, 0.5)}
    phi = parameters["phi0"] - 0.05
    return "wiper", {"phi": phi, "y": math.cos(phi) + 0.05}, parameters, {"law": "poisson_two_phase"}


def rod(random: np.random.Generator) -> Any:
    """Near the rocking orbit at omega = 3, e = 0.9, mu = 0.5."""
    parameters = {
        "omega": random.uniform(2.97, 3.02),
        "e": random.uniform(0.895, 0.905),
        "mu": random.uniform(0.48, 0.52),
    }
    start = {"t": 0.5947851, "y": 1.345104, "theta": 3.518258, "d_x": -0.056351, "d_y": 0.277637, "d_theta": 0.982319}
    # its two ends rattle alternately: the slowest bounces have no well conditioned derivative
    return "slender_rod", start, parameters, {"chatter_speed": 1e-6}


def pendulum(random: np.random.Generator) -> Any:
    angle = random.uniform(0.2, 1.2)
    parameters = {"e": 1.0, "mu": 0.0, "wall": random.uniform(-0.4, 0.1)}
    return "wall_pendulum", {"x": math.sin(angle), "y": -math.cos(angle)}, parameters, {}


#: System -> how many of its orbits are wanted.
WANTED = {ball: 70, oscillator: 55, belt: 30, wiper: 33, rod: 4, pendulum: 8}


#: System -> how many of its unstable orbits are wanted.
UNSTABLE = {ball: 40, oscillator: 10}


def random_orbits(kind: Any, count: int, seed: int = 7) -> Iterator[Any]:
    """Orbits of one system; motions that are chaotic or come to rest are passed over."""
    random, tries = np.random.default_rng(seed), 0
    while count > 0:
        tries += 1
        assert tries < 400, f"{kind.__name__}: no orbits are found"
        name, start, parameters, law = kind(random)
        orbit = settle(compiled(name), start, parameters, law)
        if orbit is not None and orbit.signature:
            count -= 1
            yield orbit


def unstable_orbits(kind: Any, count: int, seed: int = 11) -> Iterator[Any]:
    """Unstable orbits of one system, from random guesses a few impacts long."""
    random, tries = np.random.default_rng(seed), 0
    while count > 0:
        tries += 1
        assert tries < 3000, f"{kind.__name__}: no unstable orbits are found"
        name, start, parameters, law = kind(random)
        system, options = compiled(name), jounce.Options(tolerance=1e-12, chatter_speed=3e-7, **law)
        try:
            period = system.period(system.parameters(**parameters))
            begin = system.state(t=random.uniform(0.0, period), **start)
            near = jounce.simulate(system, begin, begin.t + 2 * period, options=options, **parameters).final
            guess = system.state(t=near.t % period, **{name: near[name] for name in near if name != "t"})
            orbit = jounce.find_orbit(system, guess, period=int(random.integers(1, 4)), options=options, **parameters)
        except SimulationError:
            continue
        if orbit.signature and not orbit.stable and orbit.irregular == 0:
            count -= 1
            yield orbit


def settle(system: Any, start: dict[str, float], parameters: dict[str, float], law: dict[str, Any]) -> Any:
    """The orbit onto which a start settles, or None."""
    forcing = system.period(system.parameters(**parameters)) if system.model.name != "wiper" else None
    spans = {"wall_pendulum": 0.0, "wiper": 40.0, "belt_oscillator": 40.0, "slender_rod": 20.0}
    span = spans.get(system.model.name, 120 * (forcing or 0.0))
    begin = system.state(**start)
    try:
        run = jounce.simulate(system, begin, begin.t + span, options=jounce.Options(**QUIET, **law), **parameters)
        if run.status.name != "FINISHED":
            return None
        period = recurrence(system, run.final, forcing, parameters, law) if forcing else 1
        if period is None:
            return None
        options = jounce.Options(**{"tolerance": 1e-12, "chatter_speed": 3e-7, **law})
        return jounce.find_orbit(system, run.final, period=period, options=options, **parameters)
    except SimulationError:
        return None


def recurrence(system: Any, state: Any, forcing: float, parameters: dict[str, float], law: dict[str, Any]) -> Any:
    """After how many forcing periods the motion nearly repeats; None if it does not within eight."""
    turned = system.model.name == "slender_rod"
    for count in range(1, 9):
        end = state.t + count * forcing
        later = jounce.simulate(system, state, end, options=jounce.Options(**QUIET, **law), **parameters).final
        moved = np.concatenate([later.q, later.u]) - np.concatenate([state.q, state.u])
        if turned:
            moved[0] = 0.0  # the rod may walk
        if np.abs(moved).max() < 1e-3:
            return count
    return None
