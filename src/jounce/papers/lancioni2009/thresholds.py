"""What Lancioni et al. (2009) claim about the wiper, as functions: thresholds, cycles, equilibria."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from jounce.analysis.painleve import minimal_critical_friction
from jounce.papers.framework.orbits import threshold
from jounce.papers.lancioni2009.motion import (
    Attractor,
    branch_end,
    dropped,
    end_of_slip_phase,
    equilibrium,
    root_in,
    slip_cycle_end,
    wiper_system,
)

SIMULATION_2: dict[str, Any] = {"m1": 0.4, "k_phi": 25.0}
HARMONIC: dict[str, Any] = {"v_belt": 0.0, "v_amplitude": 1.0}
ELASTIC: dict[str, Any] = {"mu": 0.4, "e": 0.2}
PLASTIC: dict[str, Any] = {"mu": 0.4, "e": 0.0}


# ------------------------------------------------------------------------------------------------ what is computed


@cache
def critical_friction() -> float:
    """The smallest friction at which A vanishes somewhere, (34)."""
    return float(minimal_critical_friction(wiper_system(), {"phi": (-1.4, 1.4)}, "tip").mu)


def cycle_of(settle: float = 100.0, **parameters: Any) -> str:
    """The settled cycle in words."""
    motion = Attractor(settle=settle, **parameters)
    return str(motion.cycle) if motion.cycle else "no cycle"


def period_of(settle: float = 100.0, **parameters: Any) -> str:
    """How long the settled cycle takes, and its impacts."""
    cycle = Attractor(settle=settle, **parameters).cycle
    if cycle is None:
        return "no cycle"
    return f"period {cycle.period:.5f} s, {cycle.impacts} impact{'s' * (cycle.impacts != 1)}"


def bounces_of(**parameters: Any) -> str:
    """How many impacts a cycle of bounces has; another cycle in words."""
    motion = Attractor(**parameters)
    cycle = motion.cycle
    if cycle is None or cycle.sequence != ("flight",):
        return str(cycle)
    return f"{cycle.impacts} impact{'s' * (cycle.impacts > 1)} a period, no contact phase"


def _harmonic_flies(parameters: dict[str, Any]) -> bool:
    return "flight" in Attractor(settle=41.0, span=8.0, **HARMONIC, **parameters).words


def _one_bounce(motion: Attractor) -> bool:
    return motion.cycle is not None and motion.cycle.impacts == 1


def _hops(motion: Attractor) -> bool:
    return motion.hops


@cache
def threshold_of(name: str) -> float:
    """A threshold, computed once a process: the table and the figure both need it."""
    return float(_THRESHOLDS[name]())


_THRESHOLDS: dict[str, Callable[[], float]] = {
    "hopf_mu": lambda: root_in("mu", "trace", 0.3, 0.5),
    "slip_cycle_end": lambda: slip_cycle_end(0.4097, 0.411),
    "hopping_elastic": lambda: branch_end("mu", 0.395, 0.38, _hops, start=dropped(0.35), settle=300.0, e=0.2),
    "hopping_plastic": lambda: branch_end("mu", 0.395, 0.38, _hops, start=dropped(0.35), settle=300.0, e=0.0),
    "stick_after_impact": lambda: threshold(lambda mu: Attractor(mu=mu).after_impact() == "stick", 0.396, 0.4),
    "slip_phase_lost": end_of_slip_phase,
    "phi0_hopf_low": lambda: root_in("phi0", "trace", 0.02, 0.1, mu=0.4),
    "phi0_flight": lambda: threshold(lambda x: "flight" in Attractor(phi0=x, **PLASTIC).words, 0.21, 0.23),
    "phi0_stick_after_impact": lambda: threshold(
        lambda x: Attractor(phi0=x, **PLASTIC).after_impact() == "stick", 0.38, 0.4
    ),
    "phi0_stick_lost": lambda: threshold(lambda x: "stick" in Attractor(phi0=x, **PLASTIC).words, 0.405, 0.42),
    "phi0_slip_lost": lambda: threshold(lambda x: "slip" in Attractor(phi0=x, **PLASTIC).words, 0.42, 0.44),
    "phi0_equilibrium_lifts": lambda: root_in("phi0", "force", 0.43, 0.5, mu=0.4),
    "phi0_hopf_high": lambda: root_in("phi0", "trace", 0.3, 0.42, mu=0.4),
    "phi0_e_slip_after_chatter": lambda: threshold(
        lambda x: Attractor(phi0=x, **ELASTIC).after_impact() == "slip", 0.32, 0.34
    ),
    "phi0_e_stick_after_chatter": lambda: threshold(
        lambda x: Attractor(phi0=x, **ELASTIC).after_impact() == "stick", 0.36, 0.37
    ),
    "phi0_e_slip_lost": lambda: branch_end("phi0", 0.368, 0.38, lambda a: "slip" in a.words, settle=60.0, **ELASTIC),
    "phi0_e_one_bounce": lambda: branch_end("phi0", 0.4, 0.38, _one_bounce, **ELASTIC),
    "phi0_e_hopping_end": lambda: branch_end("phi0", 0.4, 0.7, _hops, settle=60.0, **ELASTIC),
    # What another reading of a claim gives: a motion from a drop instead of the branch, stick anywhere instead of after
    # the chatter. The pages show them beside ours.
    "phi0_stick_lost_low": lambda: threshold(lambda x: "stick" in Attractor(phi0=x, **PLASTIC).words, 0.03, 0.06),
    "phi0_e_reversed_slip": lambda: threshold(
        lambda x: Attractor(phi0=x, **ELASTIC).after_impact() == "back-slip", 0.335, 0.355
    ),
    "phi0_e_any_stick": lambda: threshold(lambda x: "stick" in Attractor(phi0=x, **ELASTIC).words, 0.36, 0.375),
    "phi0_e_slip_dropped": lambda: threshold(lambda x: "slip" in Attractor(phi0=x, **ELASTIC).words, 0.366, 0.38),
    "phi0_e_hopping_dropped": lambda: threshold(lambda x: _hops(Attractor(phi0=x, **ELASTIC)), 0.44, 0.48),
    "two_hopf": lambda: root_in("mu", "trace", 0.3, 0.42, **SIMULATION_2),
    "two_stick": lambda: threshold(
        lambda mu: "stick" in Attractor(dropped(0.3), 400.0, mu=mu, **SIMULATION_2).words, 0.355, 0.365
    ),
    "two_flight": lambda: threshold(
        lambda mu: "flight" in Attractor(dropped(0.3), mu=mu, **SIMULATION_2).words, 0.44, 0.46
    ),
    "two_phi0_hopf_low": lambda: root_in("phi0", "trace", 0.1, 0.3, mu=0.4, **SIMULATION_2),
    "two_phi0_stick_lost": lambda: threshold(
        lambda x: "stick" in Attractor(dropped(x - 0.05), 400.0, mu=0.4, phi0=x, **SIMULATION_2).words, 0.43, 0.4395
    ),
    "two_phi0_hopf_high": lambda: root_in("phi0", "trace", 0.4, 0.5, mu=0.4, **SIMULATION_2),
    "sine_mu_flight": lambda: threshold(lambda mu: _harmonic_flies({"mu": mu, "e": 0.2}), 0.405, 0.42),
    "sine_phi0_flight": lambda: threshold(lambda x: _harmonic_flies({**ELASTIC, "phi0": x}), 0.21, 0.25),
    "sine_phi0_flight_lost": lambda: threshold(lambda x: _harmonic_flies({**ELASTIC, "phi0": x}), 0.37, 0.39),
    "sine_phi0_flight_again": lambda: threshold(lambda x: _harmonic_flies({**ELASTIC, "phi0": x}), 0.39, 0.46),
    "sine_phi0_leaves": lambda: max(root_in("phi0", "force", 0.43, 0.5, sign=sign, mu=0.4) for sign in (1.0, -1.0)),
}


def angle_and_friction() -> str:
    """Whether the angle of equilibrium rises or falls with friction."""
    return "rises" if equilibrium(mu=0.35) > equilibrium(mu=0.3) else "falls"


def sine_words(**parameters: Any) -> str:
    """Whether the settled motion on the harmonic belt has flight."""
    return "flight" if _harmonic_flies(parameters) else "no flight"
