"""G. Lancioni, S. Lenci and U. Galvanetto (2009): the frictional impact oscillator, or windscreen wiper."""

from __future__ import annotations

from jounce.papers.framework import branch_claims
from jounce.papers.framework.claim import Claim, Paper, Verdict
from jounce.papers.lancioni2009.claim_figures import SINE, TWO, equilibria, figures, orbits, sides, threshold_claim
from jounce.papers.lancioni2009.motion import equilibrium
from jounce.papers.lancioni2009.simulation_1 import simulation_1_claims
from jounce.papers.lancioni2009.thresholds import (
    ELASTIC,
    HARMONIC,
    SIMULATION_2,
    cycle_of,
    period_of,
    sine_words,
)


def _claims_two() -> list[Claim]:
    mu_2, phi_2 = f"{TWO}, phi0 = π/8", f"{TWO}, mu = 0.4"
    t = threshold_claim
    two = SIMULATION_2
    return [
        t(
            "two_hopf",
            "the sliding equilibrium loses its stability",
            "6.1.2, Fig. 10",
            mu_2,
            "0.353",
            equilibria("mu", "trace", 0.3, 0.4, **two),
        ),
        t(
            "two_stick",
            "the slip cycle begins to stick",
            "6.1.2, Figs 10, 11",
            mu_2,
            "0.360",
            sides("mu", 0.002, **two),
        ),
        t(
            "two_flight",
            "flight enters the motion",
            "6.1.2, Fig. 11",
            mu_2,
            "0.453",
            sides("mu", 0.005, **two),
            Verdict.WRONG,
            "Ours bisects on whether the settled motion has a flight phase at all.",
        ),
        Claim(
            "orbit_two_mu_049",
            "the cycle",
            "6.1.2, Fig. 12",
            f"{mu_2}, mu = 0.49, e = 0",
            "flight-slip-stick-slip",
            lambda: cycle_of(mu=0.49, **two),
            orbits({"mu": 0.49, "e": 0.0, **two}, {"mu": 0.49, "e": 0.2, **two}, span=1.2),
            detail=lambda: period_of(mu=0.49, **two),
        ),
        t(
            "two_phi0_hopf_low",
            "stick-slip begins",
            "6.1.2, Fig. 13",
            phi_2,
            "0.225",
            equilibria("phi0", "trace", 0.15, 0.3, mu=0.4, **two),
            note="Ours is the root of the trace, one unit of the last digit below the printed value.",
        ),
        t(
            "two_phi0_stick_lost",
            "the stick phase is lost",
            "6.1.2, Fig. 13c",
            phi_2,
            "0.434",
            sides("phi0", 0.002, mu=0.4, **two),
        ),
        t(
            "two_phi0_hopf_high",
            "the slip cycle ends in the equilibrium",
            "6.1.2, Fig. 13a",
            phi_2,
            "0.442",
            equilibria("phi0", "trace", 0.41, 0.47, mu=0.4, **two),
            Verdict.UNFINISHED,
            "Ours is the root of the trace. At phi0 = 0.441 the motion still has |phi'| near 0.1 after 100 s.",
        ),
        Claim(
            "orbit_two_phi0_04",
            "the cycle",
            "6.1.2, Fig. 13b",
            f"{phi_2}, phi0 = 0.4",
            "stick-slip",
            lambda: cycle_of(mu=0.4, phi0=0.4, **two),
            orbits({"mu": 0.4, "phi0": 0.4, **two}, span=1.2),
            detail=lambda: period_of(mu=0.4, phi0=0.4, **two),
        ),
    ]


def _claims_harmonic() -> list[Claim]:
    t = threshold_claim
    mu_h, phi_h = f"{SINE}, phi0 = π/8", f"{SINE}, mu = 0.4, e = 0.2"
    sine, elastic = HARMONIC, ELASTIC
    return [
        t(
            "sine_mu_flight",
            "flight enters the motion",
            "6.2, Fig. 14",
            f"{mu_h}, e = 0.2",
            "0.414",
            sides("mu", 0.01, e=0.2, **sine),
            Verdict.WRONG,
            "Ours bisects on whether the settled motion has a flight phase at all.",
        ),
        Claim(
            "sine_angle_back",
            "the motion tends to this angle while the belt runs back",
            "6.2",
            f"{mu_h}, mu = 0.4",
            "0.388",
            lambda: equilibrium(1.0, mu=0.4),
            lambda: figures().equilibrium_angle(0.2, 0.6),
            Verdict.WRONG,
            "Ours is the angle of the sliding equilibrium.",
        ),
        Claim(
            "sine_angle_forth",
            "the motion tends to this angle while the belt runs forth",
            "6.2",
            f"{mu_h}, mu = 0.4",
            "0.409",
            lambda: equilibrium(-1.0, mu=0.4),
            lambda: figures().equilibrium_angle(0.2, 0.6),
        ),
        t(
            "sine_phi0_flight",
            "flight enters the motion",
            "6.2, Fig. 16",
            phi_h,
            "0.23",
            sides("phi0", 0.02, **elastic, **sine),
        ),
        t(
            "sine_phi0_flight_lost",
            "flight is lost",
            "6.2, Fig. 16",
            phi_h,
            "0.375",
            sides("phi0", 0.01, **elastic, **sine),
            Verdict.WRONG,
            "Ours bisects on whether the settled motion has a flight phase at all.",
        ),
        t(
            "sine_phi0_flight_again",
            "flight comes back",
            "6.2, Fig. 16",
            phi_h,
            "0.430",
            sides("phi0", 0.01, **elastic, **sine),
            Verdict.WRONG,
            "Ours bisects on whether the settled motion has a flight phase at all.",
        ),
        t(
            "sine_phi0_leaves",
            "the tip stays in flight from",
            "6.2",
            phi_h,
            "0.478",
            equilibria("phi0", "force", 0.4, 0.52, mu=0.4),
            note="Where the belt's force on the resting tip vanishes: the same value in both directions of the belt.",
        ),
        Claim(
            "sine_y0_924",
            "with the guide's spring at y0 = 0.924 the motion has",
            "6.2, Fig. 17b",
            f"{SINE}, mu = 0.4, phi0 = 0.34, e = 0.2",
            "flight",
            lambda: sine_words(phi0=0.34, y0=0.924, **elastic),
            orbits({"phi0": 0.34, "y0": 0.924, **elastic, **sine}, span=8.0, settle=41.0),
            Verdict.WRONG,
            "Lowering y0 presses the tip onto the belt: the settled motion has no flight.",
        ),
        Claim(
            "sine_y0_739",
            "with y0 = 0.739 the motion tends, while the belt runs forth, to the angle",
            "6.2, Fig. 17c",
            f"{SINE}, mu = 0.4, phi0 = 0.34, e = 0.2",
            "0.58",
            lambda: equilibrium(-1.0, mu=0.4, phi0=0.34, y0=0.739),
            orbits({"phi0": 0.34, "y0": 0.739, **elastic, **sine}, span=8.0, settle=41.0),
            Verdict.WRONG,
            "Ours is the angle of the sliding equilibrium.",
        ),
    ]


PAPER = Paper(
    name="lancioni2009",
    citation="Lancioni, Lenci and Galvanetto, Non-linear dynamics of a mechanical system with a frictional unilateral "
    "constraint, International Journal of Non-Linear Mechanics 44 (2009) 658-674",
    summary="The frictional impact oscillator (`jounce.systems.wiper`) on a belt of constant or harmonic velocity: its "
    "equilibria, stick-slip and hopping motions, and the values of friction and of the spring's angle where they "
    "change. Impacts follow Poisson's law in two phases (`law='poisson_two_phase'`).",
    claims=(*simulation_1_claims(), *_claims_two(), *_claims_harmonic(), *branch_claims.WIPER),
    choices=(
        "A threshold belongs to a motion. Where motions coexist it matters whether the branch is followed, each value "
        "begun on the motion before it, or every value is begun anew (here: at rest, 0.05 rad from phi0 and 0.05 m "
        "above the belt, 100 s to settle). The text does not say which; the notes say which gives the printed value.",
        "Thresholds of equilibria are roots; those of motions are bisected to 1e-6 on the settled motion's phases.",
        "g is not printed: g = 10 m/s² fits. c_y is 10 N s/m (the printed unit is N/(ms)).",
        "An impact without restitution after which nothing holds the tip (b > 0) goes on in flight; the paper stops.",
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
