"""S. J. Burns, doctoral thesis: laws of impact compared (chapter 3), a double pendulum on a belt (chapter 6)."""

from __future__ import annotations

from jounce.papers.burns_thesis.laws import chapter_3_claims
from jounce.papers.burns_thesis.pendulum import chapter_6_claims
from jounce.papers.framework.claim import Paper

PAPER = Paper(
    name="burns_thesis",
    citation="Burns, doctoral thesis on rigid-body impacts with friction, chapters 3 and 6",
    summary="Chapter 3 compares Brach's law (`law='brach_extended'`) and the energetic law on one end of a slender "
    "rod. In chapter 6 a double pendulum rests on a moving vertical belt (`jounce.systems.double_pendulum`); its "
    "friction changes at an instant, which beyond the critical friction is an impact without collision. Energetic law. "
    "The orbits of chapters 4 and 5 are those of the paper of 2015: `jounce reproduce burns2015`.",
    claims=(*chapter_3_claims(), *chapter_6_claims()),
    choices=(
        "V < 0 means lambda1 = -mu lambda2. The torque T holds the pendulum at rest before the change.",
        "Figs 6.7 to 6.10 print mu0 = 0.7, with which the pendulum cannot rest; 0.6 can.",
    ),
    misprints=(
        "Section 2, Whittaker: |P1| <= mu P2, P1 = -mu P2 sgn(v_T+). Glocker-Pfeiffer: P2exp = e_p P2comp.",
        "Maxwell element: (2.51) lacks a division by omega0, (2.52) has no sqrt(k/m), z' in (2.49) is w'.",
        "(3.12): x - s mu y. (3.18): the denominator ends in + x y V_TC, no 2. (3.19): no factor 2. s = -sgn V_TC.",
        '"mu_E1 is the larger root" is false in Fig. 3.3. Cases 2 and 4 of Table 3.1 cannot occur. '
        'After (3.23) read "not considered".',
        "(3.49), (5.28): no e² under the root. Decision tree: region 2 is the false branch.",
        "(5.40)-(5.48) lack the floor's velocity: q2'+ = -e q2'- + (1 + e) A omega cos(omega t_i).",
        "(6.3)-(6.5): the sign of B.",
        "(6.15): Q = -((m1 + m2) g l1 sin, m2 g l2 sin). (6.16), (6.17): m2 g l2 cos. L = (phi'², -theta'²).",
        "(6.19): the order is (lambda1, lambda2); M^-1_11 has cos². (6.20): B is opposite to (3.41).",
        "(6.23): m cos²(phi). alpha3 = [T - l1 l2 m2 s12 phi'² - l1 K - l1 c12 (m2 l1 s12 theta'² + F)]/"
        "(l1² (m1 + m2 s12²)).",
        "Figs 6.4 and 6.5 hold theta.",
        "The eigenvalues ±9.38, ±8.59i and ±9.44, ±8.50i are wrong: the spectrum is two real pairs.",
        "mu0 = 0.7 has no equilibrium with lambda2 > 0.",
    ),
)
