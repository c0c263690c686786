"""The runs of C. Liu, Z. Zhao and B. Chen (2006), section 6: Cases 4, 4 with e_p = 0, 5 and 6."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.painleve import coefficients
from jounce.papers.framework.claim import Claim, Verdict
from jounce.papers.framework.orbits import impacts, phases
from jounce.papers.framework.portraits import draw_history, draw_orbit, finish, panels
from jounce.papers.liu2006.model import HEIGHT, manipulator_system, map_figure
from jounce.simulation.options import Options
from jounce.simulation.simulate import simulate
from jounce.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Section 6: start, height, duration and parameters.
CASES: dict[str, tuple[float, float, float, dict[str, Any]]] = {
    "case 4": (0.7, HEIGHT, 6.0, {"Kr": 150.0, "C1": 2.0, "C2": 2.0, "v_t": -0.4, "e": 0.7}),
    "case 4 plastic": (0.7, HEIGHT, 6.0, {"Kr": 100.0, "C1": 0.1, "C2": 0.1, "v_t": -0.4, "e": 0.0}),
    "case 5": (-0.2, HEIGHT, 6.0, {"Kr": 100.0, "C1": 0.1, "C2": 0.1, "v_t": 0.1, "e": 0.0}),
    "case 6": (0.5, 4 / 3, 60.0, {"Kr": 100.0, "C1": 0.1, "C2": 0.1, "v_t": -0.05, "e": 0.0}),
}


_NAMES = {"flight": "flight", "slip": "slip+", "back-slip": "slip-", "stick": "stick"}


@cache
def case(name: str) -> Trajectory:
    """A run of section 6: at rest on the belt, the spring relaxed, the tip released whenever B > 0."""
    theta1, height, t_end, parameters = CASES[name]
    theta2 = math.acos(height - math.cos(theta1))
    options = Options(law="poisson", stick_release="free")
    start = manipulator_system().state(theta1=theta1, theta2=theta2)
    run = simulate(manipulator_system(), start, t_end, options=options, H=height, d0=theta1 - theta2, **parameters)
    if not run.status.ok:
        raise RuntimeError(f"{name}: {run.status}")
    return run


def _sequence(name: str, count: int) -> str:
    """The first phases, slip in either direction called slip; a tangential impact at the start is named."""
    run = case(name)
    words = ["slip" if phase.word == "back-slip" else phase.word for phase in phases(run, "tip")]
    joined = [word for k, word in enumerate(words) if k == 0 or word != words[k - 1]]
    first = run.events.iloc[0]
    tangential = first.kind == "paradox" and first.t == 0.0
    return "-".join((["impact without collision"] if tangential else []) + joined[:count])


def _times(name: str, count: int) -> str:
    """When the first phases begin, slip in either direction named; a run of bounces by its impacts."""
    run = case(name)
    found = phases(run, "tip")
    if len(found) == 1:
        times = impacts(run, "tip").t.to_numpy()
        bounces = ", ".join(f"{t:.4f}" for t in times[: count - 1])
        return f"impacts at t = 0, {bounces} s ...; the last interval is {times[-1] - times[-2]:.4f} s"
    return ", ".join(f"{_NAMES[phase.word]} {phase.start:.4f}" for phase in found[:count]) + " s"


def _first_stick() -> float:
    """How long the tip of Case 6 sticks before stick-slip sets in."""
    first = next(phase for phase in phases(case("case 6"), "tip") if phase.word == "stick")
    return first.end - first.start


def _stick_slip_period() -> float:
    """The time between two beginnings of stick at the end of Case 6."""
    starts = [phase.start for phase in phases(case("case 6"), "tip") if phase.word == "stick"]
    return starts[-1] - starts[-2]


def _separation() -> str:
    """How the tip leaves the belt after the tangential impact at the start of Case 4."""
    first = impacts_without_collision(case("case 4")).iloc[0]
    with_belt = abs(first.v_t_after) < 1e-12 and first.v_n_after > 0
    return "with the belt's speed, upwards" if with_belt else "otherwise"


def impacts_without_collision(run: Trajectory) -> Any:
    """The rows of the event table that are impacts without an approach."""
    table = run.events
    return table[(table.kind == "impact") & (table.v_n_before > -1e-12) & (table.p_n > 0)]


def _case_5() -> str:
    run = case("case 5")
    settled = phases(run, "tip")[-1].word != "flight"
    return f"{len(impacts(run, 'tip'))} impacts, then {'contact' if settled else 'flight'}"


def _coefficients() -> Any:
    state = manipulator_system().state(theta1=0.7, theta2=0.4468)
    return coefficients(manipulator_system(), state, Kr=150.0, C1=2.0, C2=2.0, d0=0.7 - 0.4468, v_t=-0.4, mu=0.5)


@cache
def _case_figure(name: str) -> Figure:
    run = case(name)
    figure, axes = panels(3, 4.2)
    draw_orbit(axes[0], run, "tip", 0, 2)
    finish(figure, axes[0], "θ1 [rad]", "dθ1/dt [rad/s]", name)

    def tangential(z: np.ndarray) -> np.ndarray:
        return np.asarray(np.cos(z[:, 0]) * z[:, 2] + np.cos(z[:, 1]) * z[:, 3])

    def normal(z: np.ndarray) -> np.ndarray:
        return np.asarray(np.sin(z[:, 0]) * z[:, 2] + np.sin(z[:, 1]) * z[:, 3])

    draw_history(axes[1], run, "tip", tangential)
    finish(figure, axes[1], "t [s]", "tangential speed of the tip [m/s]")
    draw_history(axes[2], run, "tip", normal)
    if np.ptp(axes[2].get_ylim()) < 1e-6:  # contact throughout: do not blow rounding up to a picture
        axes[2].set_ylim(-0.01, 0.01)
    return finish(figure, axes[2], "t [s]", "normal speed of the tip [m/s]")


_CASE_4 = "Kr = 150, C1 = C2 = 2, v_t = -0.4, e_p = 0.7"
_CASE_4_PLASTIC = "Kr = 100, C1 = C2 = 0.1, v_t = -0.4, e_p = 0"


def case_claims() -> list[Claim]:
    """One after another, in the order of the text."""
    return [
        Claim(
            "case_4_A",
            "A at the start of Case 4",
            "section 6",
            f"theta1 = 0.7, {_CASE_4}",
            "-0.0167",
            lambda: float(_coefficients().A),
            lambda: map_figure(0.5),
        ),
        Claim(
            "case_4_B",
            "B at the start of Case 4",
            "section 6",
            f"theta1 = 0.7, {_CASE_4}",
            "-3.492",
            lambda: float(_coefficients().B),
            lambda: map_figure(0.5),
            Verdict.WRONG,
            "The sign, and so the inconsistent mode, holds; at rest with the spring relaxed B is another number.",
        ),
        Claim(
            "case_4",
            "Case 4 begins with",
            "section 6, Figs 7-9",
            f"theta1 = 0.7, {_CASE_4}",
            "impact without collision-flight",
            lambda: _sequence("case 4", 2),
            lambda: _case_figure("case 4"),
            note="Bounces follow, which tend to a period of their own.",
            detail=lambda: _times("case 4", 7),
        ),
        Claim(
            "case_4_separation",
            "in Case 4 the tip leaves the belt",
            "section 6, Figs 8, 9",
            f"theta1 = 0.7, {_CASE_4}",
            "with the belt's speed, upwards",
            _separation,
            lambda: _case_figure("case 4"),
            detail=lambda: f"{impacts_without_collision(case('case 4')).v_n_after.iloc[0]:.4f} m/s",
        ),
        Claim(
            "case_4_plastic",
            "Case 4 with e_p = 0 begins with",
            "section 6, Figs 10-12",
            f"theta1 = 0.7, {_CASE_4_PLASTIC}",
            "impact without collision-stick-flight-slip-flight",
            lambda: _sequence("case 4 plastic", 4),
            lambda: _case_figure("case 4 plastic"),
            note="The paper's rule: the tip is released as soon as B > 0, also out of stick (stick_release='free').",
            detail=lambda: _times("case 4 plastic", 6),
        ),
        Claim(
            "case_5",
            "Case 5 begins with",
            "section 6, Figs 13-15",
            "theta1 = -0.2, theta2 = 0.81399, v_t = 0.1, e_p = 0",
            "slip-stick-slip-flight-slip",
            lambda: _sequence("case 5", 5),
            lambda: _case_figure("case 5"),
            note="The printed theta2 = 0.4468 lies below the belt.",
            detail=lambda: _times("case 5", 7),
        ),
        Claim(
            "case_5_impacts",
            "Case 5 is stabilised on the belt after",
            "section 6",
            "as Case 5",
            "2 impacts, then contact",
            _case_5,
            lambda: _case_figure("case 5"),
        ),
        Claim(
            "case_6",
            "Case 6 begins with",
            "section 6, Fig. 16",
            "H = 4/3, theta1 = 0.5, v_t = -0.05",
            "slip-stick-slip-stick-slip",
            lambda: _sequence("case 6", 5),
            lambda: _case_figure("case 6"),
            note="The tip first slides on, then reverses, then sticks.",
            detail=lambda: _times("case 6", 9),
        ),
        Claim(
            "case_6_stick",
            "Case 6: stick is kept for a time before stick-slip sets in",
            "section 6, Fig. 16",
            "H = 4/3, theta1 = 0.5, v_t = -0.05",
            "a time",
            lambda: "a time" if _first_stick() > 1.0 else "no time",
            lambda: _case_figure("case 6"),
            detail=lambda: f"{_first_stick():.4f} s; then stick-slip with the period {_stick_slip_period():.4f} s",
        ),
    ]
