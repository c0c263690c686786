"""S. J. Burns and P. T. Piiroinen (2015): a slender rod on a vibrating floor."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from jounce.papers.burns_diagrams import CLAIMS as DIAGRAM_CLAIMS
from jounce.papers.claim import Claim, Paper
from jounce.papers.orbits import find_cycle, words
from jounce.papers.portraits import draw_history, finish, panels
from jounce.simulation.options import Options
from jounce.simulation.simulate import simulate
from jounce.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.compilation.system import System


@cache
def _system() -> System:
    from jounce.compilation.system import compile_model
    from jounce.systems import slender_rod

    return compile_model(slender_rod())


@cache
def _one_bounce(omega: float, e: float) -> Trajectory:
    """The level rod (both ends at once), started near the orbit of one bounce a period and left to settle on it.

    In closed form it strikes at the phase cos(phi) = pi g (1 - e)/((1 + e) A omega^2) and leaves with g T/2 (A = 1).
    """
    g, T = 9.81, 2 * math.pi / omega
    phase = math.acos(math.pi * g * (1 - e) / ((1 + e) * omega**2))
    start = _system().state(t=phase / omega, y=math.sin(phase) + 1e-6, theta=0.0, d_y=g * T / 2)
    options = Options(simultaneous="joint", law="newton")
    return simulate(_system(), start, start.t + 200 * T, options=options, omega=omega, e=e, mu=0.05)


def _describe(omega: float, e: float) -> str:
    run = _one_bounce(omega, e)
    cycle = find_cycle(run, "P1", run.t_end - 60 * 2 * math.pi / omega)
    if cycle is None:
        return "no cycle"
    return f"{cycle.impacts} bounces in {cycle.period * omega / (2 * math.pi):.6g} periods"


def _figure(omega: float, e: float) -> Figure:
    run = _one_bounce(omega, e)
    figure, (axes,) = panels(1, 7.0, 3.6)
    draw_history(axes, run, "P1", lambda z: z[:, 1])
    times = np.linspace(run.t_start, run.t_end, 20_000)
    axes.plot(times, np.sin(omega * times), color="#999999", linewidth=0.8, label="floor")
    axes.set_xlim(run.t_end - 8 * 2 * math.pi / omega, run.t_end)
    return finish(figure, axes, "t [s]", "y [m]", f"omega = {omega}, e = {e}")


def _leaves(omega: float) -> bool:
    """Whether a rod that lies on the floor is thrown off within two periods."""
    start = _system().state(y=0.0, theta=0.0, d_y=omega)
    options = Options(simultaneous="joint", law="newton")
    run = simulate(_system(), start, 4 * math.pi / omega, options=options, omega=omega, e=0.8, mu=0.05)
    return "flight" in words(run, "P1", -1.0)


def _either_side_of_lift_off() -> str:
    below, above = _leaves(math.sqrt(9.81) - 1e-6), _leaves(math.sqrt(9.81) + 1e-6)
    return f"{'leaves' if below else 'stays'} below, {'leaves' if above else 'stays'} above"


def _steepest() -> float:
    from jounce.analysis.painleve import minimal_critical_friction
    from jounce.compilation.system import compile_model
    from jounce.systems import painleve_rod

    return float(minimal_critical_friction(compile_model(painleve_rod()), {"theta": (0.05, 1.55)}, "tip").mu)


CLAIMS = (
    Claim(
        "smallest_critical_friction",
        "the smallest friction at which the rod jams is 4/3, at theta = atan 2",
        "section 3",
        "slender rod",
        f"{4 / 3:.4f}",
        _steepest,
    ),
    Claim(
        "lift_off_frequency",
        "the lying rod at 1e-6 rad/s below and above omega* = sqrt(g/A)",
        "section 5",
        "A = 1, g = 9.81",
        "stays below, leaves above",
        _either_side_of_lift_off,
    ),
    Claim(
        "p1",
        "the period-1 orbit",
        "Fig. 9c",
        "omega = 3, e = 0.9, mu = 0.05",
        "1 bounces in 1 periods",
        lambda: _describe(3.0, 0.9),
        lambda: _figure(3.0, 0.9),
    ),
    *DIAGRAM_CLAIMS,
)

PAPER = Paper(
    name="burns2015",
    citation="Burns and Piiroinen, A hybrid scheme for simulation of planar rigid bodies with impacts and friction "
    "using impact mappings, International Journal of Non-Linear Mechanics 77 (2015) 312-324",
    summary="A slender rod on a vertically vibrating floor (`jounce.systems.slender_rod`). The periodic orbits of the "
    "paper are those of the level rod, both of whose ends strike at once (`simultaneous='joint'`, Newton's law).",
    claims=CLAIMS,
    choices=(
        "Flat contact is discontinuous: sequential impacts of the two ends do not become v+ = -e v- as theta -> 0. "
        "`simultaneous` names the choice.",
    ),
    misprints=(
        "B and B' lack L², L'². The signs of the frame's rotation do not fit theta = alpha - beta.",
        "(23): no e² under the root. Decision tree: region 2 is the false branch.",
        "State 3: theta'' = 3(-sin lambda1 + cos lambda2).",
        "Table 1: XIV is d'' > 0; XV is \"and\".",
        "The Jacobian's d f2/d t_i has (e + 1), not (e - 1); (5.40)-(5.48) of the thesis lack the floor's velocity.",
    ),
)
