"""The level rod on a shaking floor: the orbits of Burns & Piiroinen (2015), Figs 8 and 9, by simulation.

Both ends strike at once (``simultaneous="joint"``, Newton's law), so the rod is a ball. One bounce in k periods T of
the floor strikes at the phase phi and leaves with the velocity g k T/2 relative to the ground (A = 1):

    cos(phi) = k pi g (1 - e)/((1 + e) omega²)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.papers.framework.orbits import Cycle, find_cycle, impacts
from jounce.papers.framework.portraits import draw_history, finish, panels
from jounce.plot import style
from jounce.simulation.options import Options
from jounce.simulation.simulate import simulate
from jounce.simulation.trajectory import Trajectory
from jounce.system.compilation import compile_model
from jounce.systems import slender_rod

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.system.state import State
    from jounce.system.system import System

g = 9.81
POLICY: dict[str, Any] = {"simultaneous": "joint", "law": "newton"}
#: Periods of the floor a start is given to settle, and periods that are then looked at.
SETTLE, LOOK = 400, 120


@cache
def rod_system() -> System:
    """The slender rod, compiled once."""
    return compile_model(slender_rod())


def leaving(phase: float, velocity: float, omega: float) -> State:
    """The level rod just above the floor at a phase of the floor, with its velocity over the ground."""
    return rod_system().state(t=phase / omega, y=math.sin(phase) + 1e-6, theta=0.0, d_y=velocity)


def bounce_start(omega: float, e: float, k: int) -> State:
    """On the orbit of one bounce in k periods."""
    phase = math.acos(k * math.pi * g * (1 - e) / ((1 + e) * omega**2))
    return leaving(phase, g * k * math.pi / omega, omega)


def carried(state: State, omega: float, to: float) -> State:
    """The same height, velocity and phase of the floor at another frequency."""
    phase = (state.t * omega) % (2 * math.pi)
    return rod_system().state(t=phase / to, y=state["y"], theta=0.0, d_y=state["d_y"])


@dataclass(frozen=True)
class Motion:
    """A settled motion."""

    omega: float
    e: float
    run: Trajectory

    @property
    def cycle(self) -> Cycle | None:
        """Its cycle, if it has one."""
        return find_cycle(self.run, "P1", self.run.t_start)

    def keeps(self, k: int) -> bool:
        """Whether every flight still lasts about k periods: the orbit of one bounce in k and its period doublings."""
        flights = np.diff(impacts(self.run, "P1").t) * self.omega / (2 * math.pi)
        return len(flights) > 5 and bool(k - 0.5 < flights.min() and flights.max() < k + 0.5)


def settle(start: State, omega: float, e: float, periods: int = SETTLE) -> Motion:
    """Where a start has gone after so many periods."""
    period = 2 * math.pi / omega
    parameters: dict[str, Any] = {"omega": omega, "e": e, "mu": 0.05}
    brief = Options(record="nothing", ledger=False, **POLICY)
    state = simulate(rod_system(), start, start.t + periods * period, options=brief, **parameters).final
    run = simulate(rod_system(), state, state.t + LOOK * period, options=Options(**POLICY), **parameters)
    return Motion(omega, e, run)


#: The labels of Fig. 8: omega, e and a start in the basin. p3 is no doubling of a simple orbit; its basin was searched.
ORBITS: dict[str, tuple[float, float, tuple[float, float] | int]] = {
    "p1": (3.0, 0.9, 1),
    "p2": (3.55085, 0.8, 2),
    "p3": (3.0, 0.9, (1.4273, 17.1394)),
}


@cache
def orbit(name: str) -> Motion:
    """p1, p2 or p3."""
    omega, e, where = ORBITS[name]
    start = bounce_start(omega, e, where) if isinstance(where, int) else leaving(*where, omega)
    return settle(start, omega, e)


def period_word(name: str) -> str:
    """How many bounces an orbit has before it repeats."""
    cycle = orbit(name).cycle
    return f"period-{cycle.impacts}" if cycle else "no cycle"


def period_detail(name: str) -> str:
    """Its length in periods of the floor."""
    motion = orbit(name)
    cycle = motion.cycle
    if cycle is None:
        return ""
    return f"{cycle.impacts} bounce{'s' * (cycle.impacts > 1)} in {cycle.period * motion.omega / (2 * math.pi):.6g} T"


@cache
def branch_end(e: float, k: int, alive: float, limit: float, periods: int = SETTLE, tolerance: float = 1e-4) -> float:
    """The frequency up to which the motion of one bounce in k periods, doubled or not, can be followed.

    Each step begins on the motion before it. The branch ends in a crisis: beyond it the motion stays for a while, the
    shorter the farther, so its last digits depend on how long one waits.
    """
    motion = settle(bounce_start(alive, e, k), alive, e, periods)
    if not motion.keeps(k):
        raise ValueError(f"no motion of one bounce in {k} periods at omega={alive}, e={e}")
    step = (limit - alive) / 16
    while step > tolerance:
        trial = settle(carried(motion.run.final, alive, alive + step), alive + step, e, periods)
        if trial.keeps(k):
            alive, motion = alive + step, trial
        else:
            step /= 2
    return alive + step / 2


BRANCHES_9 = {1: (3.3, 3.6), 2: (3.2, 3.6), 3: (3.2, 3.7)}
BRANCHES_8 = {1: (3.3, 3.7), 2: (3.3, 3.9), 3: (3.4, 4.0)}


def ends(e: float, branches: dict[int, tuple[float, float]]) -> dict[int, float]:
    """Where the branches of one bounce in 1, 2 and 3 periods end."""
    return {k: branch_end(e, k, *reach) for k, reach in branches.items()}


def ends_text(e: float, branches: dict[int, tuple[float, float]]) -> str:
    """The same in words."""
    found = ends(e, branches)
    return "one bounce in " + ", ".join(f"{k} T up to {value:.2f}" for k, value in found.items())


@cache
def divergence(omega: float, e: float, periods: int = 60) -> float:
    """How much, as an exponent per period, two motions 1e-9 apart part from each other after they have settled."""
    base = settle(bounce_start(omega, e, 1), omega, e, 2000).run.final
    other = rod_system().state(t=base.t, y=base["y"] + 1e-9, theta=0.0, d_y=base["d_y"])
    period, options = 2 * math.pi / omega, Options(**POLICY)
    runs = [
        simulate(rod_system(), start, base.t + periods * period, options=options, omega=omega, e=e, mu=0.05)
        for start in (base, other)
    ]
    times = base.t + period * np.arange(1, periods + 1)
    apart = np.abs(runs[0].states(times)[:, 1] - runs[1].states(times)[:, 1])
    until = int(np.argmax(apart > 1e-3)) if (apart > 1e-3).any() else periods - 1
    return float(np.log(max(apart[until], 1e-16) / 1e-9) / (until + 1))


def chaos(omega: float, e: float) -> str:
    """Whether a settled motion repeats, and whether neighbours part."""
    repeats = settle(bounce_start(omega, e, 1), omega, e, 2000).cycle is not None
    return "chaos" if not repeats and divergence(omega, e) > 0.05 else "no chaos"


def _asymmetric(start: State, t_end: float, **parameters: Any) -> Trajectory:
    """The rod that strikes with one end after the other, each by the energetic law."""
    return simulate(rod_system(), start, t_end, options=Options(simultaneous="sequential"), **parameters)


def _spin(state: State) -> float:
    return abs(state["d_theta"]) + abs(math.sin(state["theta"]))


def still_asymmetric(omega: float, e: float, mu: float, t_end: float) -> str:
    """Whether the rod, dropped aslant, still turns after so long."""
    start = rod_system().state(y=6.0, theta=0.3)
    return "asymmetric" if _spin(_asymmetric(start, t_end, omega=omega, e=e, mu=mu).final) > 1e-3 else "symmetric"


#: A start near the rocking orbit at omega = 3, e = 0.9, mu = 0.5; the motion tends to it.
ROCKING = {"y": 0.27, "theta": 2.8735, "d_y": 2.64, "d_theta": 0.37, "d_x": -0.04}


@cache
def rocking() -> Trajectory:
    """The motion from there, 200 periods long."""
    period = 2 * math.pi / 3.0
    return _asymmetric(rod_system().state(**ROCKING), 200 * period, omega=3.0, e=0.9, mu=0.5)


def rocking_return(k: int) -> float:
    """How far the state is from that k periods before, at the end of that motion (x apart: the rod may drift)."""
    run, period = rocking(), 2 * math.pi / 3.0
    now, then = run.states(run.t_end - period * np.array([0.5, 0.5 + k]))
    return float(np.abs(now[1:] - then[1:]).max())


def long_term() -> str:
    """What the motion near the rocking orbit becomes."""
    if _spin(rocking().at(rocking().t_end)) < 1e-3:
        return "symmetric"
    repeats = [k for k in (1, 2, 3, 4) if rocking_return(k) < 1e-7]
    return f"rocks with the period {repeats[0]} T" if repeats else "asymmetric"


# ------------------------------------------------------------------------------------------------ figures


def rocking_figure() -> Figure:
    """The two ends and the floor over the last periods of the rocking motion."""
    figure, (left, right) = panels(2, 6.0, 3.8)
    run, period = rocking(), 2 * math.pi / 3.0
    times = np.linspace(run.t_end - 6 * period, run.t_end, 6000)
    z = run.states(times)
    for sign, name, colour in ((-1, "P1", style.BLUE), (1, "P2", style.RED)):
        left.plot(times, z[:, 1] + sign * np.sin(z[:, 2]), color=colour, linewidth=1.3, label=name)
    left.plot(times, np.sin(3.0 * times), color=style.GREY, linewidth=0.8, label="floor")
    finish(figure, left, "t [s]", "height [m]", "ω = 3, e = 0.9, μ = 0.5")
    right.plot(times, z[:, 2] - math.pi, color=style.BLUE, linewidth=1.3)
    return finish(figure, right, "t [s]", "θ - π [rad]")


def slant_figure(omega: float, e: float, mu: float, t_end: float) -> Figure:
    """The angle over time, and the two ends at the end (Fig. 6)."""
    figure, (left, right) = panels(2, 6.0, 3.8)
    run = _asymmetric(rod_system().state(y=6.0, theta=0.3), t_end, omega=omega, e=e, mu=mu)
    times = np.linspace(0.0, t_end, 8000)
    angle = np.mod(run.states(times)[:, 2], 2 * math.pi)
    left.plot(times, angle, ".", color=style.BLUE, markersize=1.0)
    finish(figure, left, "t [s]", "θ mod 2π [rad]", f"ω = {omega}, e = {e}, μ = {mu}")
    times = np.linspace(t_end - 10, t_end, 4000)
    z = run.states(times)
    for sign, name, colour in ((-1, "P1", style.BLUE), (1, "P2", style.RED)):
        right.plot(times, z[:, 1] + sign * np.sin(z[:, 2]), color=colour, linewidth=1.2, label=name)
    right.plot(times, np.sin(omega * times), color=style.GREY, linewidth=0.8, label="floor")
    return finish(figure, right, "t [s]", "height [m]")


def orbit_figure(name: str) -> Figure:
    """The height of the rod and of the floor over some periods (Fig. 9)."""
    motion = orbit(name)
    figure, (axes,) = panels(1, 7.5, 3.8)
    run, period = motion.run, 2 * math.pi / motion.omega
    draw_history(axes, run, "P1", lambda z: z[:, 1])
    times = np.linspace(run.t_end - 14 * period, run.t_end, 4000)
    axes.plot(times, np.sin(motion.omega * times), color=style.GREY, linewidth=0.8, label="floor")
    axes.set_xlim(times[0], times[-1])
    return finish(figure, axes, "t [s]", "y [m]", f"{name}: ω = {motion.omega}, e = {motion.e} ({period_detail(name)})")


def branch_figure(e: float, branches: dict[int, tuple[float, float]]) -> Figure:
    """The phases of the impacts of each branch, followed upwards until it ends (Fig. 8)."""
    figure, (axes,) = panels(1, 7.5, 4.2)
    for (k, (start, _)), colour in zip(branches.items(), style.LINES, strict=False):
        end = branch_end(e, k, *branches[k])
        motion = settle(bounce_start(start, e, k), start, e)
        for omega in np.linspace(start, end - 2e-4, 60):
            trial = settle(carried(motion.run.final, motion.omega, float(omega)), float(omega), e, 200)
            if not trial.keeps(k):  # the crisis has begun
                continue
            motion = trial
            phases = (impacts(motion.run, "P1").t * omega) % (2 * math.pi)
            axes.plot(np.full(len(phases), omega), phases, ".", color=colour, markersize=1.5)
        axes.axvline(end, color=colour, linestyle="--", linewidth=1.0, label=f"one bounce in {k} T ends: {end:.2f}")
    return finish(figure, axes, "ω [rad/s]", "phase ωt of the impacts [rad]", f"e = {e}")


def chaos_figure(omega: float, e: float) -> Figure:
    """Phase and speed of the impacts of a long motion."""
    figure, (axes,) = panels(1, 5.4)
    run = settle(bounce_start(omega, e, 1), omega, e, 2000).run
    options = Options(record="events", ledger=False, **POLICY)
    long = simulate(rod_system(), run.final, run.t_end + 3000, options=options, omega=omega, e=e, mu=0.05)
    struck = impacts(long, "P1")
    axes.plot((struck.t * omega) % (2 * math.pi), -struck.v_n_before, ".", color=style.BLUE, markersize=1.5)
    return finish(figure, axes, "phase ωt of the impact [rad]", "approach speed [m/s]", f"ω = {omega}, e = {e}")
