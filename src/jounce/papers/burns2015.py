"""S. J. Burns and P. T. Piiroinen (2015): a slender rod on a vibrating floor."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.papers.claim import Claim, Paper
from jounce.papers.orbits import Cycle, find_cycle, threshold, words
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
def _settled(omega: float, e: float, height: float, settle: int = 600, span: int = 60) -> Trajectory:
    """The level rod (both ends at once) after ``settle`` periods of the floor."""
    T = 2 * math.pi / omega
    start = _system().state(y=height)
    quiet = Options(simultaneous="joint", law="newton", record="nothing", ledger=False)
    parameters: dict[str, Any] = {"omega": omega, "e": e, "mu": 0.05}
    end = simulate(_system(), start, settle * T, options=quiet, **parameters).final
    loud = Options(simultaneous="joint", law="newton")
    return simulate(_system(), end, (settle + span) * T, options=loud, **parameters)


def _cycle(omega: float, e: float, height: float) -> Cycle | None:
    run = _settled(omega, e, height)
    return find_cycle(run, "P1", run.t_start)


def _orbit(omega: float, e: float, bounces: int) -> float | None:
    """A height from which the rod settles on an orbit with that many bounces, or None."""
    for height in np.linspace(1.2, 12.0, 109):
        cycle = _cycle(omega, e, float(height))
        if cycle is not None and cycle.sequence == ("flight",) and cycle.impacts == bounces:
            return float(height)
    return None


@cache
def _found(omega: float, e: float, bounces: int) -> tuple[float, Cycle] | None:
    height = _orbit(omega, e, bounces)
    cycle = None if height is None else _cycle(omega, e, height)
    return None if height is None or cycle is None else (height, cycle)


def _describe(omega: float, e: float, bounces: int) -> str:
    found = _found(omega, e, bounces)
    if found is None:
        return "not found"
    return f"{found[1].impacts} bounces in {found[1].period * omega / (2 * math.pi):.6g} periods"


def _figure(omega: float, e: float, bounces: int) -> Figure:
    found = _found(omega, e, bounces)
    figure, (axes,) = panels(1, 7.0, 3.6)
    if found is not None:
        run = _settled(omega, e, found[0])
        draw_history(axes, run, "P1", lambda z: z[:, 1])
        times = np.linspace(run.t_start, run.t_end, 3000)
        axes.plot(times, np.sin(omega * times), color="#999999", linewidth=0.8, label="floor")
        axes.set_xlim(run.t_start, run.t_start + 14 * 2 * math.pi / omega)
    return finish(figure, axes, "t [s]", "y [m]", f"omega = {omega}, e = {e}")


def _leaves(omega: float) -> bool:
    """Whether a rod that lies on the floor is thrown off within two periods."""
    start = _system().state(d_y=omega)
    options = Options(simultaneous="joint", law="newton")
    run = simulate(_system(), start, 4 * math.pi / omega, options=options, omega=omega, e=0.8, mu=0.05)
    return "flight" in words(run, "P1", -1.0)


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
        "the lying rod is thrown off above omega* = sqrt(g/A)",
        "section 5",
        "A = 1, g = 9.81",
        f"{math.sqrt(9.81):.4f}",
        lambda: threshold(_leaves, 3.0, 3.3),
    ),
    Claim(
        "p1",
        "the period-1 orbit",
        "Fig. 9c",
        "omega = 3, e = 0.9, mu = 0.05",
        "1 bounces in 1 periods",
        lambda: _describe(3.0, 0.9, 1),
        lambda: _figure(3.0, 0.9, 1),
    ),
    Claim(
        "p2",
        "the period-2 orbit",
        "Fig. 9b",
        "omega = 3.55085, e = 0.8, mu = 0.05",
        "2 bounces in 2 periods",
        lambda: _describe(3.55085, 0.8, 2),
        lambda: _figure(3.55085, 0.8, 2),
    ),
    Claim(
        "p3",
        "the period-3 orbit: three bounces in six periods of the floor",
        "Fig. 9a",
        "omega = 3, e = 0.9, mu = 0.05",
        "3 bounces in 6 periods",
        lambda: _describe(3.0, 0.9, 3),
        lambda: _figure(3.0, 0.9, 3),
    ),
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
