"""Automata of composed models: counters, kicks, toggles and sampled controllers."""

from __future__ import annotations

from typing import Any

import sympy as sp

import jounce
from jounce import Reset, discrete
from tests.families.composing.parts import Parts


def _kick(parts: Parts, low: float, high: float) -> dict[Any, Any]:
    """A change of the velocity of a coordinate that no joint holds."""
    free = parts.free_coordinates()
    if not free or parts.chance(0.3):
        return {}
    u = parts.velocity[parts.one_of(free)]
    return {u: u * parts.parameter("", low, high)}


def reset(parts: Parts, k: int) -> None:
    """At an event of a contact, where a guard vanishes, or where a run begins."""
    count = discrete(f"n{k}", 0)
    rigid = [each for each in parts.contacts if each.compliance is None and each.gap is not None]
    kind = parts.one_of(["event", "event", "guard", "guard", "start"])
    if kind == "event" and rigid:
        contact = parts.one_of(rigid)
        events = ["impact", "impact", "lift_off", *(["stick", "slip"] if contact.has_friction else [])]
        event = parts.one_of(events)
        change = _kick(parts, 0.5, 1.1) if event == "impact" else {}
        limit = {"only_if": count < 5} if parts.chance(0.4) else {}
        parts.resets.append(Reset(f"{event}:{contact.name}", {count: count + 1} | change, name=f"hit{k}", **limit))
    elif kind == "start":
        parts.resets.append(Reset("run:start", {count: count + 1}, name=f"begins{k}"))
    else:
        q = parts.any_coordinate()
        place = parts.parameter("rad" if parts.turns(q) else "m", -0.5, 0.5)
        change = {count: parts.one_of([count + 1, 1 - count])} | _kick(parts, 0.6, 1.1)
        parts.resets.append(Reset(q - place, change, direction=parts.one_of([1, -1, 0]), name=f"passes{k}"))
    q = parts.any_coordinate()
    parts.push(q, -parts.parameter(parts.force_unit(q), 0.05, 1) * count / (1 + count))


def wear(parts: Parts, k: int) -> None:
    """A counter that a guard advances, of which contacts drawn later may take a factor."""
    worn = discrete(f"w{k}", 0)
    q = parts.any_coordinate()
    parts.resets.append(Reset(parts.velocity[q], {worn: worn + 1}, direction=-1, name=f"wears{k}"))
    parts.wear.append((2 + worn) / (2 + 2 * worn))


def controller(parts: Parts, k: int) -> None:
    """A force that is sampled and held."""
    q = parts.any_coordinate()
    unit = parts.force_unit(q)
    command = discrete(f"command{k}", 0.0, unit)
    stiffness = parts.parameter("N m" if parts.turns(q) else "N/m", 0.5, 20)
    late, limit = parts.parameter("s", 0.02, 0.5), parts.parameter(unit, 1, 10)
    wanted = -stiffness * (q + late * parts.velocity[q])
    every = 2 * sp.pi / (parts.frequency * parts.one_of([5, 10, 20]))
    parts.resets += jounce.sampled({command: sp.Max(-limit, sp.Min(limit, wanted))}, every=every, name=f"sample{k}")
    parts.push(q, command)
