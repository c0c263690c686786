"""S. J. Burns and P. T. Piiroinen (2015): a slender rod on a vibrating floor."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.painleve import minimal_critical_friction
from jounce.papers.burns2015 import diagrams as burns_diagrams
from jounce.papers.burns2015 import level_rod
from jounce.papers.burns2015.level_rod import BRANCHES_8, BRANCHES_9, ORBITS
from jounce.papers.framework import branch_claims
from jounce.papers.framework.claim import Claim, Paper, Verdict
from jounce.papers.framework.orbits import words
from jounce.papers.framework.portraits import finish, panels
from jounce.plot.painleve import plot_critical_friction
from jounce.simulation.options import Options
from jounce.simulation.simulate import simulate
from jounce.system.compilation import compile_model
from jounce.systems import painleve_rod

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.analysis.painleve import MinimalFriction


def _leaves(omega: float) -> bool:
    """Whether a rod that lies on the floor is thrown off within two periods."""
    system = level_rod.rod_system()
    start = system.state(y=0.0, theta=0.0, d_y=omega)
    options = Options(**level_rod.POLICY)
    run = simulate(system, start, 4 * math.pi / omega, options=options, omega=omega, e=0.8, mu=0.05)
    return "flight" in words(run, "P1", -1.0)


def _either_side_of_lift_off() -> str:
    below, above = _leaves(math.sqrt(9.81) - 1e-6), _leaves(math.sqrt(9.81) + 1e-6)
    return f"{'leaves' if below else 'stays'} below, {'leaves' if above else 'stays'} above"


def _force_figure() -> Figure:
    """The force of the floor on the lying rod over one period, below and above omega*."""
    figure, (axes,) = panels(1, 5.8)
    phase = np.linspace(0.0, 2 * math.pi, 400)
    for factor in (0.9, 1.0, 1.1):
        omega = factor * math.sqrt(9.81)
        axes.plot(phase, 9.81 - omega**2 * np.sin(phase), label=f"ω = {factor:g} ω*")
    axes.axhline(0.0, color="#222222", linewidth=0.7)
    return finish(figure, axes, "phase ωt [rad]", "force of the floor per mass [m/s²]", "ω* = sqrt(g/A)")


def _steepest() -> MinimalFriction:
    return minimal_critical_friction(compile_model(painleve_rod()), {"theta": (0.05, 1.55)}, "tip")


def _friction_figure() -> Figure:
    return plot_critical_friction(_steepest())


def _orbit_claim(name: str, printed: str, where: str, note: str = "") -> Claim:
    omega, e, _ = ORBITS[name]
    return Claim(
        name,
        f"the orbit {name}",
        where,
        f"omega = {omega:g}, e = {e:g}, mu = 0.05",
        printed,
        lambda: level_rod.period_word(name),
        lambda: level_rod.orbit_figure(name),
        note=note,
        detail=lambda: level_rod.period_detail(name),
    )


CLAIMS = (
    Claim(
        "smallest_critical_friction",
        "the smallest friction at which the rod jams is 4/3, at theta = atan 2",
        "section 3",
        "slender rod",
        f"{4 / 3:.4f}",
        lambda: float(_steepest().mu),
        _friction_figure,
    ),
    Claim(
        "lift_off_frequency",
        "the lying rod at 1e-6 rad/s below and above omega* = sqrt(g/A)",
        "section 5",
        "A = 1, g = 9.81",
        "stays below, leaves above",
        _either_side_of_lift_off,
        _force_figure,
    ),
    _orbit_claim("p1", "period-1", "Fig. 9c"),
    _orbit_claim("p2", "period-2", "Fig. 9b", "The doubling of one bounce in two periods T of the floor."),
    _orbit_claim("p3", "period-3", "Fig. 9a", "Its basin was found by search; it coexists with p1."),
    Claim(
        "branches_lost",
        "the branches of period-1 orbits and their doublings end near",
        "Fig. 8a",
        "e = 0.9, mu = 0.05",
        "3.5",
        lambda: level_rod.ends(0.9, BRANCHES_9)[1],
        lambda: level_rod.branch_figure(0.9, BRANCHES_9),
        note="Ours is the branch of p1. Each is followed upwards, 400 periods a step; it ends in a crisis after a "
        "cascade of doublings, beyond which the motion stays for a while: waiting ten times as long moves the ends by "
        "0.002.",
        detail=lambda: level_rod.ends_text(0.9, BRANCHES_9),
    ),
    Claim(
        "chaos",
        "the motion at omega = 3.8",
        "Fig. 8b",
        "e = 0.8, mu = 0.05",
        "chaos",
        lambda: level_rod.chaos(3.8, 0.8),
        lambda: level_rod.chaos_figure(3.8, 0.8),
        note="Started on the orbit of one bounce a period, which is unstable there. Irregular motion is also found "
        "from where the branch of one bounce in two periods ends, with windows in between; the branch of one bounce in "
        "three periods is still there at 3.8.",
        detail=lambda: f"neighbours part by exp({level_rod.divergence(3.8, 0.8):.1f}) a period; "
        + level_rod.ends_text(0.8, BRANCHES_8),
    ),
    Claim(
        "branches_sustained",
        "with the lower restitution periodic motion of the same kind lasts to larger omega",
        "section 4.3, Fig. 8",
        "e = 0.8 against e = 0.9",
        "yes",
        lambda: "yes" if all(level_rod.ends(0.8, BRANCHES_8)[k] > level_rod.ends(0.9, BRANCHES_9)[k] for k in (1, 2, 3))
        else "no",
        lambda: level_rod.branch_figure(0.8, BRANCHES_8),
    ),
    Claim(
        "asymmetric_chaos",
        "after t = 790 the motion is still",
        "Fig. 6",
        "omega = 4.40572, e = 0.9, mu = 0.5",
        "asymmetric",
        lambda: level_rod.still_asymmetric(4.40572, 0.9, 0.5, 790.0),
        lambda: level_rod.slant_figure(4.40572, 0.9, 0.5, 790.0),
        note="The paper's start is not printed; ours is dropped from y = 6 m at 0.3 rad.",
    ),
    Claim(
        "long_term_symmetry",
        "at low frequencies all long-term motion is",
        "section 4.3",
        "omega = 3, e = 0.9, mu = 0.5",
        "symmetric",
        level_rod.long_term,
        level_rod.rocking_figure,
        Verdict.WRONG,
        "The rod rocks from end to end for ever: a stable orbit of twice the floor's period.",
        lambda: f"it returns to {level_rod.rocking_return(2):.0e} after 200 T",
    ),
    *burns_diagrams.CLAIMS,
    *branch_claims.BURNS,
)  # fmt: skip

PAPER = Paper(
    name="burns2015",
    citation="Burns and Piiroinen, A hybrid scheme for simulation of planar rigid bodies with impacts and friction "
    "using impact mappings, International Journal of Non-Linear Mechanics 77 (2015) 312-324",
    summary="A slender rod on a vertically vibrating floor (`jounce.systems.slender_rod`). The periodic orbits of the "
    "paper are those of the level rod, both of whose ends strike at once (`simultaneous='joint'`, Newton's law); T is "
    "the floor's period.",
    claims=CLAIMS,
    choices=(
        "Flat contact is discontinuous: sequential impacts of the two ends do not become v+ = -e v- as theta -> 0. "
        "`simultaneous` names the choice; the paper switches to symmetric motion below an angle theta_crit.",
        "The time at which asymmetric motion turns symmetric (Fig. 5, t = 302) depends on that angle and on the start, "
        "which is not printed: it is a distribution, not a number, and no claim is made of it here.",
        "The initial condition in the appendix of the thesis is no orbit of its parameters.",
    ),
    misprints=(
        "B and B' lack L², L'². The signs of the frame's rotation do not fit theta = alpha - beta.",
        "(23): no e² under the root. Decision tree: region 2 is the false branch.",
        "State 3: theta'' = 3(-sin lambda1 + cos lambda2), "
        "lambda2 = (g + sin theta'² - A omega² sin omega t)/(1 + 3 cos² - 3 s mu sin cos).",
        "Table 1: XIV is d'' > 0; XV is \"and\".",
        "The Jacobian's d f2/d t_i has (e + 1), not (e - 1). Saltation: h_X = (1, 0, -A omega cos), "
        "f_in/out = (q5-/+, -g, 1), and A is missing in g_X.",
    ),
)
