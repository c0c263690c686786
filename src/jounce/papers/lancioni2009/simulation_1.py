"""The claims of Lancioni et al. (2009), section 6.1.1: Simulation 1."""

from __future__ import annotations

import math

from jounce.papers.framework.claim import Claim, Verdict
from jounce.papers.lancioni2009.claim_figures import ONE, diagram, equilibria, figures, orbits, sides, threshold_claim
from jounce.papers.lancioni2009.motion import Attractor, equilibrium
from jounce.papers.lancioni2009.thresholds import (
    ELASTIC,
    PLASTIC,
    angle_and_friction,
    bounces_of,
    critical_friction,
    cycle_of,
    period_of,
)

_MU = f"{ONE}, phi0 = π/8"
_PHI = f"{ONE}, mu = 0.4"


def simulation_1_claims() -> list[Claim]:
    """One claim after another, in the order of the text."""
    return [*_friction_claims(), *_friction_orbits(), *_angle_claims(), *_elastic_angle_claims()]


def _friction_claims() -> list[Claim]:
    """mu varies, phi0 = pi/8: thresholds (Figs 2, 3, 5)."""
    t = threshold_claim
    return [
        Claim(
            "critical_friction",
            "A vanishes somewhere only above mu_crit = 2 sqrt(m1/m2)",
            "(34)",
            ONE,
            f"{2 * math.sqrt(0.1):.4f}",
            critical_friction,
            lambda: figures().critical_friction_curve(),
        ),
        t(
            "hopf_mu",
            "the sliding equilibrium loses its stability",
            "6.1.1, Fig. 2",
            _MU,
            "0.40977",
            equilibria("mu", "trace", 0.35, 0.45),
        ),
        t(
            "slip_cycle_end",
            "the cycle of pure slip ends",
            "6.1.1, Fig. 2b",
            _MU,
            "0.40983",
            equilibria("mu", "trace", 0.4096, 0.41),
        ),
        t(
            "hopping_elastic",
            "the hopping branch begins",
            "6.1.1, Fig. 2b",
            f"{_MU}, e = 0.2",
            "0.3882",
            diagram("mu", 0.38, 0.42),
        ),
        t(
            "hopping_plastic",
            "the hopping branch begins",
            "6.1.1, Fig. 2c",
            f"{_MU}, e = 0",
            "0.3896",
            sides("mu", 5e-4, e=0.0),
        ),
        t(
            "stick_after_impact",
            "slip after the impact turns into stick",
            "6.1.1, Fig. 5",
            f"{_MU}, e = 0",
            "0.3979",
            sides("mu", 3e-3, e=0.0),
        ),
        t(
            "slip_phase_lost",
            "the slip phase is lost: stick ends in flight",
            "6.1.1, Fig. 3b",
            f"{_MU}, e = 0",
            "0.645",
            sides("mu", 0.03, e=0.0),
            Verdict.WRONG,
            "Slip is lost where A = b = 0 on the curve of stick: ours is that root.",
        ),
        Claim(
            "equilibrium_angle",
            "the angle of equilibrium at mu = 0.3",
            "6.1.1, Fig. 3",
            _MU,
            "0.392",
            lambda: equilibrium(mu=0.3),
            lambda: figures().equilibrium_angle(0.1, 0.6),
        ),
        Claim(
            "equilibrium_and_friction",
            "as friction grows, the angle of equilibrium ...",
            "6.1.1",
            _MU,
            "rises",
            angle_and_friction,
            lambda: figures().equilibrium_angle(0.1, 0.6),
            Verdict.WRONG,
            "The belt runs against phi: more friction pulls the tip back.",
        ),
    ]


def _friction_orbits() -> list[Claim]:
    """mu varies: cycles (Figs 3 to 5)."""
    return [
        Claim(
            "orbit_mu_06_plastic",
            "the cycle",
            "6.1.1, Figs 3b, 4b",
            f"{_MU}, mu = 0.6, e = 0",
            "flight-stick-slip",
            lambda: cycle_of(mu=0.6, e=0.0),
            orbits({"mu": 0.6, "e": 0.0}, {"mu": 0.8, "e": 0.0}),
            detail=lambda: period_of(mu=0.6, e=0.0),
        ),
        Claim(
            "orbit_mu_06_elastic",
            "the cycle",
            "6.1.1, Figs 3a, 4a",
            f"{_MU}, mu = 0.6, e = 0.2",
            "1 impact a period, no contact phase",
            lambda: bounces_of(mu=0.6, e=0.2),
            lambda: figures().histories([(f"e = {e}", Attractor(mu=0.6, e=e)) for e in (0.2, 0.0)], 1.0),
            detail=lambda: period_of(mu=0.6, e=0.2),
        ),
        Claim(
            "orbit_mu_08_plastic",
            "the cycle",
            "6.1.1, Fig. 3b",
            f"{_MU}, mu = 0.8, e = 0",
            "flight-stick",
            lambda: cycle_of(mu=0.8, e=0.0),
            orbits({"mu": 0.8, "e": 0.0}),
            detail=lambda: period_of(mu=0.8, e=0.0),
        ),
        Claim(
            "orbit_mu_039_plastic",
            "the cycle below 0.3979",
            "6.1.1, Fig. 5b",
            f"{_MU}, mu = 0.392, e = 0",
            "flight-slip-stick-slip",
            lambda: cycle_of(mu=0.392, e=0.0),
            orbits({"mu": 0.392, "e": 0.0}),
            detail=lambda: period_of(mu=0.392, e=0.0),
        ),
    ]


def _angle_claims() -> list[Claim]:
    """phi0 varies, e = 0 (Figs 6 to 8)."""
    t = threshold_claim
    return [
        t(
            "phi0_hopf_low",
            "the sliding equilibrium exists up to",
            "6.1.1, Fig. 6",
            _PHI,
            "0.044",
            equilibria("phi0", "trace", 0.0, 0.1, mu=0.4),
            note="Ours is the root of the trace (a Hopf point). Stick-slip reaches a little below it, beside the "
            "stable equilibrium; the printed digits hold for both.",
            other=("stick-slip from a drop ends", "phi0_stick_lost_low"),
        ),
        t(
            "phi0_flight",
            "flight enters the motion",
            "6.1.1, Figs 6, 7",
            _PHI,
            "0.223",
            sides("phi0", 0.01, **PLASTIC),
        ),
        t(
            "phi0_stick_after_impact",
            "slip after the impact turns into stick",
            "6.1.1, Fig. 8b",
            f"{_PHI}, e = 0",
            "0.387",
            sides("phi0", 0.01, **PLASTIC),
        ),
        t(
            "phi0_stick_lost",
            "the stick phase is lost",
            "6.1.1, Fig. 8c",
            f"{_PHI}, e = 0",
            "0.413",
            sides("phi0", 0.01, **PLASTIC),
            note="The impact still stops the tip inside the cone; the forces after it do not hold it.",
        ),
        t(
            "phi0_slip_lost",
            "the slip phase is lost",
            "6.1.1, Fig. 8d",
            f"{_PHI}, e = 0",
            "0.429",
            sides("phi0", 0.005, **PLASTIC),
            note="The paper stops here (b > 0 after a plastic impact); flight continues the branch.",
        ),
        t(
            "phi0_equilibrium_lifts",
            "the equilibrium leaves the belt",
            "6.1.1, Fig. 6",
            _PHI,
            "0.478",
            equilibria("phi0", "force", 0.4, 0.52, mu=0.4),
        ),
        t(
            "phi0_hopf_high",
            "the sliding equilibrium is stable again from",
            "6.1.1, Fig. 6",
            _PHI,
            "0.383",
            equilibria("phi0", "trace", 0.35, 0.42, mu=0.4),
            Verdict.UNFINISHED,
            "Ours is the root of the trace. At the printed value a perturbation grows by 0.03 1/s only.",
        ),
        Claim(
            "orbit_phi0_035_plastic",
            "the cycle",
            "6.1.1, Fig. 8a",
            f"{_PHI}, phi0 = 0.35, e = 0",
            "flight-slip-stick-slip",
            lambda: cycle_of(phi0=0.35, **PLASTIC),
            orbits({"phi0": 0.35, **PLASTIC}),
            detail=lambda: period_of(phi0=0.35, **PLASTIC),
        ),
    ]


def _elastic_angle_claims() -> list[Claim]:
    """phi0 varies, e = 0.2 (Figs 6, 9)."""
    t = threshold_claim
    return [
        t(
            "phi0_e_slip_after_chatter",
            "slip after the chatter is lost",
            "6.1.1, Fig. 9b",
            f"{_PHI}, e = 0.2",
            "0.330",
            sides("phi0", 0.005, **ELASTIC),
            Verdict.WRONG,
            "At ours forward slip gives way to reversed slip, which goes on beyond the printed value until stick "
            "follows the chatter at once.",
            ("reversed slip ends", "phi0_e_reversed_slip"),
        ),
        t(
            "phi0_e_stick_after_chatter",
            "stick after the chatter is lost",
            "6.1.1, Fig. 9c",
            f"{_PHI}, e = 0.2",
            "0.365",
            sides("phi0", 0.004, **ELASTIC),
            note="Counted as lost where a chatter no longer ends in stick, as the text describes it. Stick that comes "
            "later in the cycle goes on; counted so the printed value would be WRONG by 1.5 units of its last digit.",
            other=("any stick ends", "phi0_e_any_stick"),
        ),
        t(
            "phi0_e_slip_lost",
            "the slip phase is lost",
            "6.1.1, Fig. 9d",
            f"{_PHI}, e = 0.2",
            "0.374",
            sides("phi0", 0.001, **ELASTIC),
            note="The branch is followed from below. A motion of bounces only coexists with its end: started anew "
            "from a drop at each value, the motion loses slip earlier, and the printed value would not hold.",
            other=("from a drop", "phi0_e_slip_dropped"),
        ),
        t(
            "phi0_e_one_bounce",
            "bouncing has period one from",
            "6.1.1, Fig. 9",
            f"{_PHI}, e = 0.2",
            "0.386",
            sides("phi0", 0.003, **ELASTIC),
            note="The branch of one bounce a cycle, followed from above.",
        ),
        Claim(
            "orbit_phi0_038_elastic",
            "the cycle between 0.374 and 0.386",
            "6.1.1, Fig. 9f",
            f"{_PHI}, phi0 = 0.38, e = 0.2",
            "3 impacts a period, no contact phase",
            lambda: bounces_of(phi0=0.38, **ELASTIC),
            orbits({"phi0": 0.38, **ELASTIC}, {"phi0": 0.3745, **ELASTIC}, span=2.0),
            note="Period 3 in a range of many periods and of chaos (beside it: phi0 = 0.3745).",
            detail=lambda: period_of(phi0=0.38, **ELASTIC),
        ),
        t(
            "phi0_e_hopping_end",
            "bouncing ends",
            "6.1.1, Fig. 6",
            f"{_PHI}, e = 0.2",
            "0.581",
            diagram("phi0", 0.4, 0.62, mu=0.4),
            note="The branch is followed from below in steps that shrink towards its end, as its basin does. From a "
            "drop (at rest, 0.05 rad and 0.05 m away) the motion comes to rest much earlier, where depends on it.",
            other=("from a drop", "phi0_e_hopping_dropped"),
        ),
    ]
