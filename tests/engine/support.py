"""What the engine's tests share: systems compiled once a process, how far a ledger is from closing."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import jounce
from jounce.system import System
from jounce.systems import find_system

MODES_THAT_LAST = ("FINISHED", "AT_REST")


@cache
def ready_made(name: str) -> System:
    """A ready-made system by name."""
    return jounce.compile_model(find_system(name)())


def simulate(system: System | str, t_end: float, start: dict[str, float] | None = None, **rest: Any) -> Any:
    """A run of a system from a start given by names; parameters and options go through."""
    system = ready_made(system) if isinstance(system, str) else system
    return jounce.simulate(system, system.state(**(start or {})), t_end, **rest)


def exchanged_energy(energy: Any) -> float:
    """All energy that moved in a run: what the ledger's residual is measured against.

    Every change of the kinetic energy, the losses, and the work of applied forces and surfaces, each without regard
    to its sign.
    """
    moved = sum(np.abs(np.diff(energy[name])).sum() for name in ("kinetic", "applied_work", "surface_work"))
    return float(moved + energy["friction_loss"][-1] + energy["impact_loss"][-1])


def unexplained(run: Any) -> float:
    """The largest residual of the energy ledger relative to the energy exchanged."""
    energy = run.energy
    return float(np.abs(energy["residual"]).max()) / max(exchanged_energy(energy), 1e-300)


def kinds(run: Any) -> list[str]:
    """The kinds of the events in order."""
    return run.events["kind"].tolist()


def of_kind(run: Any, *wanted: str) -> Any:
    """The rows of the event table of the given kinds."""
    return run.events[run.events["kind"].isin(wanted)]
