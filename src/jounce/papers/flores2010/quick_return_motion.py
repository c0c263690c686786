"""The quick-return mechanism of Flores & Ambrosio (2010) with four clearance joints, beside the ideal one."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.impacts.contact_periods import contact_offset, contact_periods
from jounce.model.stiffness import Material, hertz_stiffness
from jounce.papers.framework.portraits import finish, panels
from jounce.plot import style
from jounce.plot.journal import plot_journal_orbit
from jounce.simulation.options import Options
from jounce.simulation.simulate import simulate
from jounce.simulation.trajectory import Trajectory
from jounce.system.compilation import compile_model
from jounce.systems import quick_return

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.system.system import System

TURN = 2 * math.pi / 3.0  # s
CLEARANCE = 0.5e-3  # m


@cache
def _system(pins: str) -> System:
    """Minimal coordinates: the tests show that Cartesian ones give the same motion."""
    return compile_model(quick_return(pins, minimal=pins != "ideal"))


@cache
def motion(turns: float = 2.0, pins: str = "compliant", **options: Any) -> Trajectory:
    """From journals centred in their bearings, with the velocities of the ideal mechanism."""
    system = _system(pins)
    return simulate(system, system.state(), turns * TURN, options=Options(**options))


def constant_without_contact() -> str:
    """How much the slider's velocity changes in the longest flights of J4."""
    run = motion()
    table = contact_periods(run, "J4")
    ends, starts = table["t_touch"].to_numpy()[1:], table["t_separate"].to_numpy()[:-1]
    longest = np.argsort(starts - ends)[:20]
    change = [abs(run.at(a)["d_slider_x"] - run.at(b, "left")["d_slider_x"]) for a, b in
              zip(starts[longest], ends[longest], strict=True)]  # fmt: skip
    return "constant" if max(change) < 1e-9 else f"changes by {max(change):.2g} m/s"


def kinds_of_motion(joint: str = "J2") -> str:
    """Which of the three kinds of relative motion occur: contacts shorter than 1 ms count as impacts."""
    table = contact_periods(motion(), joint)
    gaps = table["t_touch"].to_numpy()[1:] - table["t_separate"].to_numpy()[:-1]
    kinds = {
        "free flight": bool(np.any(gaps > 1e-4)),
        "impact with rebound": bool(np.any(table["duration"] < 1e-3)),
        "continuous contact": bool(np.any(table["duration"] > 1e-2)),
    }
    return ", ".join(kind for kind, found in kinds.items() if found)


def without_control() -> str:
    """What becomes of the mechanism if contacts are noticed at the end of steps chosen for accuracy alone."""
    run = motion(0.02, contact_detection="none", max_events=2000)
    depth = float(contact_periods(run)["deepest"].max())
    kinetic = float(run.energy["kinetic"].max())
    fails = not run.status.ok or kinetic > 100.0 or depth > 0.1 * CLEARANCE
    return "fails" if fails else "runs"


def force_at(depth: float) -> float:
    """Hertz's force between journal and bearing [N]."""
    return float(hertz_stiffness(0.0095, 0.01, material=Material(207e9, 0.3), inside=True) * depth**1.5)


# ------------------------------------------------------------------------------------------------ figures


def slider_figure() -> Figure:
    """Figure 9: position and velocity of the slider against the ideal mechanism, second turn."""
    run, ideal = motion(), motion(pins="ideal")
    times = np.linspace(TURN, 2 * TURN, 6000)
    figure, axes = panels(2, 5.2, 3.8)
    with_play, without = run.dataset(times), ideal.dataset(times)
    for axis, name, label in zip(axes, ("slider_x", "d_slider_x"), ("x [m]", "dx/dt [m/s]"), strict=True):
        axis.plot(times, with_play[name], color=style.RED, linewidth=0.8, label="four clearance joints")
        axis.plot(times, without[name], color=style.INK, linewidth=1.2, label="ideal joints")
        finish(figure, axis, "t [s]", f"slider's {label}")
    return figure


def impact_figure(joint: str = "J2") -> Figure:
    """Figure 10: penetration, force and time step of one impact."""
    run = motion()
    table = contact_periods(run, joint)
    hits = table[(table["duration"] < 3e-4) & (table["t_touch"] > 0.1)]
    hit = hits.iloc[int(np.argmax(hits["largest_force"].to_numpy()))]
    low, high = hit["t_touch"] - 0.4 * hit["duration"], hit["t_separate"] + 0.4 * hit["duration"]
    times = np.linspace(low, high, 600)
    after = 1e3 * (times - hit["t_touch"])
    figure, axes = panels(2, 4.8, 3.6)
    depth = np.maximum(np.hypot(*contact_offset(run, joint, times).T) - CLEARANCE, 0.0)
    axes[0].plot(after, 1e6 * depth, color=style.BLUE, linewidth=1.3)
    finish(figure, axes[0], "t after touch [ms]", "penetration [µm]", f"{joint}, {hit['approach']:.3f} m/s")
    right = axes[0].twinx()
    steps = (run.data.step_t >= low) & (run.data.step_t <= high)
    right.semilogy(
        1e3 * (run.data.step_t[steps] - hit["t_touch"]), run.data.step_h[steps], ".-", color=style.RED, linewidth=0.7,
        markersize=4,
    )  # fmt: skip
    right.set_ylabel("time step [s]", fontsize=10, color=style.RED)
    right.tick_params(labelsize=9, colors=style.RED)
    force = run.contact_forces(times)["lambda_N"].sel(contact=joint)
    axes[1].plot(after, force, color=style.BLUE, linewidth=1.3)
    return finish(figure, axes[1], "t after touch [ms]", "contact force [N]")


def orbit_figure(joint: str = "J2") -> Figure:
    """Figure 11: the journal's centre in its bearing, a point a step."""
    return plot_journal_orbit(motion(), joint, t_from=TURN)


def step_figure() -> Figure:
    """The time step over a part of the second turn."""
    run = motion()
    figure, (axes,) = panels(1, 8.0, 3.4)
    chosen = (run.data.step_t > TURN) & (run.data.step_t < TURN + 0.1)
    axes.semilogy(run.data.step_t[chosen], run.data.step_h[chosen], ".", color=style.BLUE, markersize=1.5)
    touches = run.events.loc[run.events["kind"] == "touch", "t"]
    touches = touches[(touches > TURN) & (touches < TURN + 0.1)]
    axes.plot(touches, np.full(len(touches), run.data.step_h[chosen].max() * 2), "|", color=style.RED, label="touch")
    return finish(figure, axes, "t [s]", "time step [s]", "the step follows the contacts")
