"""Kinetic and potential energy to equations of motion: what ``Model.from_lagrangian`` gives to ``Model``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from jounce.model.derivatives import derivative
from jounce.model.internal_states import MASS, checked_rates, extended_forces, integrals, internal_scales, state_name
from jounce.model.lagrangian import is_scleronomic, lagrange_equations
from jounce.model.settling import settled_column
from jounce.model.switching.switch import found_switches, switch_states
from jounce.model.symbols import plain_symbol
from jounce.model.vocabulary import Vocabulary, given_scales


def equations_of_energies(
    coordinates: Any,
    kinetic: Any,
    potential: Any,
    forces: Mapping[Any, Any],
    parameters: Any,
    rest: dict[str, Any],
) -> dict[str, Any]:
    """The arguments of ``Model`` but its name; ``rest`` are those that energies do not change."""
    contents = (kinetic, potential, forces, *rest.values())
    rates = checked_rates(rest.pop("rates", {}))
    switches = rest["switches"] = found_switches(rest.get("switches", {}), contents)
    contents = (*contents, list(switches.values()))
    states = {**rest.get("states", {}), **switch_states(switches)}
    rest["scales"] = internal_scales(rates) | given_scales(coordinates, rest.get("scales", {}))
    words = Vocabulary.collect(coordinates, parameters, contents, states=states)
    words = replace(words, coordinates=words.coordinates | integrals(rates))
    words.check_names()
    rest["states"] = words.states
    internal = [plain_symbol(state_name(key)) for key in rates]
    T = words.expression(kinetic, "kinetic energy", internal=False) + MASS * sp.Add(*(z**2 for z in internal)) / 2
    forces = extended_forces(forces, rates)
    V = words.expression(potential, "potential", velocities=False)
    Q = settled_column(words, forces, "force")
    M, h = lagrange_equations(T, V, Q, words.q, words.u)
    power = None
    if is_scleronomic(T, words.u):
        # d/dt (T + V) = u.Q + V_t: exact, and shorter than what the general formula gives
        powers = (u_i * Q_i for u_i, Q_i in zip(words.u, Q, strict=True) if u_i not in internal)
        power = sp.Add(*powers, derivative(V, words.symbols["t"]))
    found = {"mass": M, "forces": h, "potential": V, "applied_power": power}
    return {**rest, **found, "coordinates": words.coordinates, "parameters": words.parameters}
