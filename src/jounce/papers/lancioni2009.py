"""G. Lancioni, S. Lenci and U. Galvanetto (2009): the frictional impact oscillator, or windscreen wiper."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from jounce.papers.claim import Claim, Paper, Verdict
from jounce.papers.orbits import threshold
from jounce.papers.wiper_motion import (
    Attractor,
    branch_end,
    dropped,
    end_of_slip_phase,
    equilibrium,
    root_in,
    slip_cycle_end,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PHI0 = math.pi / 8
SIMULATION_2 = {"m1": 0.4, "k_phi": 25.0}
HARMONIC = {"v_belt": 0.0, "v_amplitude": 1.0}
ELASTIC = {"mu": 0.4, "e": 0.2}
PLASTIC = {"mu": 0.4, "e": 0.0}

ONE = "Simulation 1: m1 = 0.1, k_phi = 100"
TWO = "Simulation 2: m1 = 0.4, k_phi = 25"
SINE = "belt sin(2πt/4)"


def _figures() -> Any:
    from jounce.papers import wiper_figures

    return wiper_figures


# ------------------------------------------------------------------------------------------------ what is computed


@cache
def critical_friction() -> float:
    """The smallest friction at which A vanishes somewhere, (34)."""
    from jounce.analysis.painleve import minimal_critical_friction
    from jounce.papers.wiper_motion import wiper_system

    return float(minimal_critical_friction(wiper_system(), {"phi": (-1.4, 1.4)}, "tip").mu)


def _cycle(settle: float = 100.0, **parameters: float) -> str:
    motion = Attractor(settle=settle, **parameters)
    return str(motion.cycle) if motion.cycle else "no cycle"


def _bounces(**parameters: float) -> str:
    motion = Attractor(**parameters)
    cycle = motion.cycle
    if cycle is None or cycle.sequence != ("flight",):
        return str(cycle)
    return f"{cycle.impacts} impact a period, no contact phase"


def _harmonic_flies(parameters: dict[str, float]) -> bool:
    return "flight" in Attractor(settle=41.0, span=8.0, **HARMONIC, **parameters).words


def _one_bounce(motion: Attractor) -> bool:
    return motion.cycle is not None and motion.cycle.impacts == 1


def _hops(motion: Attractor) -> bool:
    return motion.hops


@cache
def _value(name: str) -> float:
    """A threshold, computed once a process: the table and the figure both need it."""
    return float(_THRESHOLDS[name]())


_THRESHOLDS: dict[str, Callable[[], float]] = {
    "hopf_mu": lambda: root_in("mu", "trace", 0.3, 0.5),
    "slip_cycle_end": lambda: slip_cycle_end(0.4097, 0.411),
    "hopping_elastic": lambda: branch_end("mu", 0.395, 0.38, _hops, dropped(0.35), 300.0, e=0.2),
    "hopping_plastic": lambda: branch_end("mu", 0.395, 0.38, _hops, dropped(0.35), 300.0, e=0.0),
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
    "sine_phi0_flight_again": lambda: threshold(lambda x: _harmonic_flies({**ELASTIC, "phi0": x}), 0.41, 0.44),
}


def _angle_and_friction() -> str:
    return "rises" if equilibrium(mu=0.35) > equilibrium(mu=0.3) else "falls"


def _sine_words(**parameters: float) -> str:
    return "flight" if _harmonic_flies(parameters) else "no flight"


# ------------------------------------------------------------------------------------------------ claims


def _threshold_claim(
    name: str,
    statement: str,
    where: str,
    parameters: str,
    printed: str,
    figure: Callable[[float], Figure],
    expected: Verdict = Verdict.HOLDS,
    note: str = "",
) -> Claim:
    return Claim(
        name, statement, where, parameters, printed, lambda: _value(name), lambda: figure(_value(name)), expected, note
    )


def _sides(parameter: str, delta: float, start: Any = None, **fixed: float) -> Callable[[float], Figure]:
    return lambda value: _figures().either_side(parameter, value, delta, start, **fixed)


def _diagram(parameter: str, low: float, high: float, **fixed: float) -> Callable[[float], Figure]:
    return lambda value: _figures().branch(parameter, low, high, value, **fixed)


def _equilibria(parameter: str, quantity: str, low: float, high: float, **fixed: float) -> Callable[[float], Figure]:
    return lambda value: _figures().equilibrium_curve(parameter, quantity, low, high, value, **fixed)


def _orbits(*cases: dict[str, float], span: float = 0.6, settle: float = 60.0) -> Callable[[], Figure]:
    def draw() -> Figure:
        motions = []
        for case in cases:
            title = ", ".join(f"{key} = {value:.4g}" for key, value in case.items() if key not in HARMONIC)
            motions.append((title, Attractor(settle=settle, **case)))
        return _figures().orbit_panels(motions, span=span)

    return draw


def _claims_one() -> list[Claim]:
    mu_1, phi_1 = f"{ONE}, phi0 = π/8", f"{ONE}, mu = 0.4"
    t = _threshold_claim
    return [
        Claim(
            "critical_friction",
            "A vanishes somewhere only above mu_crit = 2 sqrt(m1/m2)",
            "(34)",
            ONE,
            f"{2 * math.sqrt(0.1):.4f}",
            critical_friction,
            lambda: _figures().equilibrium_angle(0.1, 0.6),
        ),
        t("hopf_mu", "the sliding equilibrium loses its stability", "6.1.1, Fig. 2", mu_1, "0.40977",
          _equilibria("mu", "trace", 0.35, 0.45)),
        t("slip_cycle_end", "the cycle of pure slip ends", "6.1.1, Fig. 2b", mu_1, "0.40983",
          _sides("mu", 2e-4)),
        t("hopping_elastic", "the hopping branch begins", "6.1.1, Fig. 2b", f"{mu_1}, e = 0.2", "0.3882",
          _diagram("mu", 0.38, 0.42)),
        t("hopping_plastic", "the hopping branch begins", "6.1.1, Fig. 2c", f"{mu_1}, e = 0", "0.3896",
          _sides("mu", 5e-4, e=0.0)),
        t("stick_after_impact", "slip after the impact turns into stick", "6.1.1, Fig. 5", f"{mu_1}, e = 0", "0.3979",
          _sides("mu", 3e-3, e=0.0)),
        t("slip_phase_lost", "the slip phase is lost: stick ends in flight", "6.1.1, Fig. 3b", f"{mu_1}, e = 0", "0.645",
          _sides("mu", 0.03, e=0.0), Verdict.WRONG,
          "Slip is lost where A = b = 0 on the curve of stick, a root; the printed value is read off a diagram."),
        Claim("equilibrium_angle", "the angle of equilibrium at mu = 0.3", "6.1.1, Fig. 3", mu_1, "0.392",
              lambda: equilibrium(mu=0.3), lambda: _figures().equilibrium_angle(0.1, 0.6)),
        Claim("equilibrium_and_friction", "as friction grows, the angle of equilibrium ...", "6.1.1", mu_1, "rises",
              _angle_and_friction, lambda: _figures().equilibrium_angle(0.1, 0.6), Verdict.WRONG,
              "The belt runs against phi: more friction pulls the tip back."),
        Claim("orbit_mu_06_plastic", "the cycle", "6.1.1, Figs 3b, 4b", f"{mu_1}, mu = 0.6, e = 0", "flight-stick-slip",
              lambda: _cycle(mu=0.6, e=0.0), _orbits({"mu": 0.6, "e": 0.0}, {"mu": 0.8, "e": 0.0})),
        Claim("orbit_mu_06_elastic", "the cycle", "6.1.1, Figs 3a, 4a", f"{mu_1}, mu = 0.6, e = 0.2",
              "1 impact a period, no contact phase", lambda: _bounces(mu=0.6, e=0.2),
              lambda: _figures().histories([(f"e = {e}", Attractor(mu=0.6, e=e)) for e in (0.2, 0.0)], 1.0)),
        Claim("orbit_mu_08_plastic", "the cycle", "6.1.1, Fig. 3b", f"{mu_1}, mu = 0.8, e = 0", "flight-stick",
              lambda: _cycle(mu=0.8, e=0.0), _orbits({"mu": 0.8, "e": 0.0})),
        Claim("orbit_mu_039_plastic", "the cycle below 0.3979", "6.1.1, Fig. 5b", f"{mu_1}, mu = 0.392, e = 0",
              "flight-slip-stick-slip", lambda: _cycle(mu=0.392, e=0.0), _orbits({"mu": 0.392, "e": 0.0})),
        t("phi0_hopf_low", "the sliding equilibrium exists up to", "6.1.1, Fig. 6", phi_1, "0.044",
          _equilibria("phi0", "trace", 0.0, 0.1, mu=0.4)),
        t("phi0_flight", "flight enters the motion", "6.1.1, Figs 6, 7", phi_1, "0.223", _sides("phi0", 0.01, **PLASTIC)),
        t("phi0_stick_after_impact", "slip after the impact turns into stick", "6.1.1, Fig. 8b", f"{phi_1}, e = 0",
          "0.387", _sides("phi0", 0.01, **PLASTIC)),
        t("phi0_stick_lost", "the stick phase is lost", "6.1.1, Fig. 8c", f"{phi_1}, e = 0", "0.413",
          _sides("phi0", 0.01, **PLASTIC), note="The impact still stops the tip inside the cone; the forces after it do not hold it."),
        t("phi0_slip_lost", "the slip phase is lost", "6.1.1, Fig. 8d", f"{phi_1}, e = 0", "0.429",
          _sides("phi0", 0.005, **PLASTIC),
          note="The paper stops here (b > 0 after a plastic impact); flight with zero normal velocity continues the branch."),
        t("phi0_equilibrium_lifts", "the equilibrium leaves the belt", "6.1.1, Fig. 6", phi_1, "0.478",
          _equilibria("phi0", "force", 0.4, 0.52, mu=0.4)),
        t("phi0_hopf_high", "the sliding equilibrium is stable again from", "6.1.1, Fig. 6", phi_1, "0.383",
          _equilibria("phi0", "trace", 0.35, 0.42, mu=0.4), Verdict.UNFINISHED,
          "The growth rate is nearly zero there; a simulation must be very long to see it."),
        Claim("orbit_phi0_035_plastic", "the cycle", "6.1.1, Fig. 8a", f"{phi_1}, phi0 = 0.35, e = 0",
              "flight-slip-stick-slip", lambda: _cycle(phi0=0.35, **PLASTIC), _orbits({"phi0": 0.35, **PLASTIC})),
        t("phi0_e_slip_after_chatter", "slip after the chatter is lost", "6.1.1, Fig. 9b", f"{phi_1}, e = 0.2", "0.330",
          _sides("phi0", 0.005, **ELASTIC), Verdict.WRONG,
          "Here forward slip gives way to reversed slip, which lasts until phi0 = 0.345."),
        t("phi0_e_stick_after_chatter", "stick after the chatter is lost", "6.1.1, Fig. 9c", f"{phi_1}, e = 0.2", "0.365",
          _sides("phi0", 0.004, **ELASTIC)),
        t("phi0_e_slip_lost", "the slip phase is lost", "6.1.1, Fig. 9d", f"{phi_1}, e = 0.2", "0.374",
          _sides("phi0", 0.001, **ELASTIC), note="Followed from below: a motion of bounces only coexists from 0.3714 on."),
        t("phi0_e_one_bounce", "bouncing has period one from", "6.1.1, Fig. 9", f"{phi_1}, e = 0.2", "0.386",
          _sides("phi0", 0.003, **ELASTIC)),
        t("phi0_e_hopping_end", "bouncing ends", "6.1.1, Fig. 6", f"{phi_1}, e = 0.2", "0.581",
          _diagram("phi0", 0.36, 0.48, mu=0.4)),
    ]  # fmt: skip


def _claims_two() -> list[Claim]:
    mu_2, phi_2 = f"{TWO}, phi0 = π/8", f"{TWO}, mu = 0.4"
    t = _threshold_claim
    two = SIMULATION_2
    return [
        t("two_hopf", "the sliding equilibrium loses its stability", "6.1.2, Fig. 10", mu_2, "0.353",
          _equilibria("mu", "trace", 0.3, 0.4, **two)),
        t("two_stick", "the slip cycle begins to stick", "6.1.2, Figs 10, 11", mu_2, "0.360", _sides("mu", 0.002, **two)),
        t("two_flight", "flight enters the motion", "6.1.2, Fig. 11", mu_2, "0.453", _sides("mu", 0.005, **two),
          Verdict.WRONG, "The first flights are short and low, and hard to see."),
        Claim("orbit_two_mu_049", "the cycle", "6.1.2, Fig. 12", f"{mu_2}, mu = 0.49, e = 0", "flight-slip-stick-slip",
              lambda: _cycle(mu=0.49, **two), _orbits({"mu": 0.49, "e": 0.0, **two}, {"mu": 0.49, "e": 0.2, **two}, span=1.2)),
        t("two_phi0_hopf_low", "stick-slip begins", "6.1.2, Fig. 13", phi_2, "0.225",
          _equilibria("phi0", "trace", 0.15, 0.3, mu=0.4, **two)),
        t("two_phi0_stick_lost", "the stick phase is lost", "6.1.2, Fig. 13c", phi_2, "0.434",
          _sides("phi0", 0.002, mu=0.4, **two)),
        t("two_phi0_hopf_high", "the slip cycle ends in the equilibrium", "6.1.2, Fig. 13a", phi_2, "0.442",
          _equilibria("phi0", "trace", 0.41, 0.47, mu=0.4, **two), Verdict.UNFINISHED,
          "The cycle dies out slowly near its end; the equilibrium is stable from the root of the trace on."),
        Claim("orbit_two_phi0_04", "the cycle", "6.1.2, Fig. 13b", f"{phi_2}, phi0 = 0.4", "stick-slip",
              lambda: _cycle(mu=0.4, phi0=0.4, **two), _orbits({"mu": 0.4, "phi0": 0.4, **two}, span=1.2)),
    ]  # fmt: skip


def _claims_harmonic() -> list[Claim]:
    t = _threshold_claim
    mu_h, phi_h = f"{SINE}, phi0 = π/8", f"{SINE}, mu = 0.4, e = 0.2"
    sine, elastic = HARMONIC, ELASTIC
    return [
        t("sine_mu_flight", "flight enters the motion", "6.2, Fig. 14", f"{mu_h}, e = 0.2", "0.414",
          _sides("mu", 0.01, e=0.2, **sine), Verdict.WRONG, "The first flights are short and low, and hard to see."),
        Claim("sine_angle_back", "the motion tends to this angle while the belt runs back", "6.2", f"{mu_h}, mu = 0.4",
              "0.388", lambda: equilibrium(1.0, mu=0.4), lambda: _figures().equilibrium_angle(0.2, 0.6),
              Verdict.UNFINISHED, "The half period is too short to reach the equilibrium."),
        Claim("sine_angle_forth", "the motion tends to this angle while the belt runs forth", "6.2", f"{mu_h}, mu = 0.4",
              "0.409", lambda: equilibrium(-1.0, mu=0.4), lambda: _figures().equilibrium_angle(0.2, 0.6)),
        t("sine_phi0_flight", "flight enters the motion", "6.2, Fig. 16", phi_h, "0.23", _sides("phi0", 0.02, **elastic, **sine)),
        t("sine_phi0_flight_lost", "flight is lost", "6.2, Fig. 16", phi_h, "0.375",
          _sides("phi0", 0.01, **elastic, **sine), Verdict.WRONG, "The last flights are short and low, and hard to see."),
        t("sine_phi0_flight_again", "flight comes back", "6.2, Fig. 16", phi_h, "0.430",
          _sides("phi0", 0.01, **elastic, **sine), Verdict.WRONG, "The first flights are short and low, and hard to see."),
        Claim("sine_y0_924", "with the guide's spring at y0 = 0.924 the motion has", "6.2, Fig. 17b",
              f"{SINE}, mu = 0.4, phi0 = 0.34, e = 0.2", "flight", lambda: _sine_words(phi0=0.34, y0=0.924, **elastic),
              _orbits({"phi0": 0.34, "y0": 0.924, **elastic, **sine}, span=8.0, settle=41.0), Verdict.WRONG,
              "Lowering y0 presses the tip onto the belt: there is no flight left."),
        Claim("sine_y0_739", "with y0 = 0.739 the motion tends, while the belt runs forth, to the angle", "6.2, Fig. 17c",
              f"{SINE}, mu = 0.4, phi0 = 0.34, e = 0.2", "0.58", lambda: equilibrium(-1.0, mu=0.4, phi0=0.34, y0=0.739),
              _orbits({"phi0": 0.34, "y0": 0.739, **elastic, **sine}, span=8.0, settle=41.0), Verdict.WRONG,
              "The equilibrium of the slip motion lies elsewhere."),
    ]  # fmt: skip


PAPER = Paper(
    name="lancioni2009",
    citation="Lancioni, Lenci and Galvanetto, Non-linear dynamics of a mechanical system with a frictional unilateral "
    "constraint, International Journal of Non-Linear Mechanics 44 (2009) 658-674",
    summary="The frictional impact oscillator (`jounce.systems.wiper`) on a belt of constant or harmonic velocity: its "
    "equilibria, stick-slip and hopping motions, and the values of friction and of the spring's angle at which they change. "
    "Impacts follow Poisson's law in two phases (`law='poisson_two_phase'`).",
    claims=(*_claims_one(), *_claims_two(), *_claims_harmonic()),
    choices=(
        "g is not printed: g = 10 m/s² fits. c_y is 10 N s/m (the printed unit is N/(ms)).",
        "An impact without restitution after which nothing presses the tip down (b > 0) is continued by flight; the paper stops.",
    ),
    misprints=(
        "Section 4.2.1 swaps the sign of sliding.",
        "A = m/[l² m1 (m2 + m1 cos²)]: the l² is missing.",
        "(40): the first term is l phi'' cos.",
        "Section 4.3: mu changes its sign in v and in m, and inverted slip also needs m > 0 and lambda_N > 0.",
        "(25): for a belt that runs back (s' < 0) H = (G21 - mu G22)/(G11 - mu G12).",
        'Section 5.1: "b < 0, no solution" cannot occur.',
    ),
)
