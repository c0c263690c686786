"""Falling ball and pendulum of Flores & Ambrosio (2010): a contact found late gives energy."""

from __future__ import annotations

import warnings
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from jounce import systems
from jounce.papers.framework.portraits import finish, panels
from jounce.plot import style
from jounce.simulation.options import Options
from jounce.simulation.simulate import simulate
from jounce.simulation.trajectory import Trajectory
from jounce.system.compilation import compile_model

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.system.system import System

STEP = 1e-4  # s: the paper's largest step
SIMULATIONS = {"SIM-I": 0.0200, "SIM-II": 0.0175, "SIM-III": 0.0150}  # s: its three steps in another program
LABELS = {"located": "located", "reject": "procedure 2", "interpolate": "procedure 1", "none": "no control"}
COLOURS = {"located": style.INK, "reject": style.BLUE, "interpolate": "#009E73", "none": style.RED}


@cache
def _system(name: str) -> System:
    return compile_model(getattr(systems, name)())


@cache
def pendulum(detection: str, step: float = STEP, t_end: float = 2.0) -> Trajectory:
    """The elastic pendulum, released with a horizontal arm."""
    # without control a long step throws the sphere round with kilometres a second: the first contact tells it all
    events = 2 if step > 1e-3 else 10_000
    options = Options(contact_detection=detection, largest_step=step, penetration_tolerance=1e-8, max_events=events)
    system = _system("compliant_wall_pendulum")
    with warnings.catch_warnings():
        # at 1e-7 s the sphere moves 4e-7 m: procedure 2 always ends at its smallest step, and says so every time
        warnings.simplefilter("ignore")
        return simulate(system, system.state(), t_end, options=options)


def rebound_height(run: Trajectory) -> float:
    """The highest point of the sphere after its first contact, above the release [m], from its energy."""
    after = _first(run, "separate")
    state = run.at(after)
    return 0.5 * (state["d_x"] ** 2 + state["d_y"] ** 2) / 9.81 + state["y"]


def first_penetration(run: Trajectory) -> float:
    """delta where the first contact is noticed [m]."""
    return -run.at(_first(run, "touch"))["x"]


def energy_ratio() -> float:
    """Energy gained without control over (2/5) K delta0^(5/2)."""
    run = pendulum("none")
    return 9.81 * rebound_height(run) / (0.4 * 3.39e10 * first_penetration(run) ** 2.5)


def steps_around_contact() -> str:
    """What the step of procedure 2 does before, in and after the first contact."""
    run = pendulum("reject")
    touch, separate = _first(run, "touch"), _first(run, "separate")
    t, h = run.data.step_t, run.data.step_h
    before = h[(t < touch - 10 * STEP)].max()
    inside = h[(t >= touch) & (t < separate)].max()
    after = h[(t > separate + 10 * STEP)].max()
    same = np.isclose(before, STEP) and np.isclose(after, STEP)
    return f"1e-4 s before and after, {'shorter' if inside < STEP else 'not shorter'} in contact" if same else "other"


def simulations() -> str:
    """Whether the height of the rebound depends on the step."""
    heights = [rebound_height(pendulum("none", step)) for step in SIMULATIONS.values()]
    spread = (max(heights) - min(heights)) / max(heights)
    return "dramatically different" if spread > 0.1 else "alike"


def _first(run: Trajectory, kind: str) -> float:
    return float(run.events.loc[run.events["kind"] == kind, "t"].iloc[0])


# ------------------------------------------------------------------------------------------------ figures


def ball_figure() -> Figure:
    """The paper's figure 1b: the ball's path with and without control."""
    system = _system("falling_ball")
    figure, axes = panels(2, 4.8, 3.6)
    for detection in ("located", "none"):
        options = Options(contact_detection=detection, largest_step=STEP)
        run = simulate(system, system.state(), 1.6, options=options)
        touch = _first(run, "touch")
        spans = (np.linspace(0.0, run.t_end, 2000), np.linspace(touch - 4e-4, touch + 5e-4, 2000))
        for one, times in zip(axes, spans, strict=True):
            z = run.states(times)
            one.plot(z[:, 0], z[:, 1], color=COLOURS[detection], linewidth=1.2, label=LABELS[detection])
    axes[1].axhline(0.1, color=style.GREY, linewidth=0.8, linestyle="--", label="touching the floor")
    finish(figure, axes[0], "x [m]", "y [m]", "falling ball, steps up to 1e-4 s")
    return finish(figure, axes[1], "x [m]", "y [m]", "near the first contact")


def pendulum_figure() -> Figure:
    """Figure 5: position and velocity of the sphere."""
    figure, axes = panels(2, 4.8, 3.6)
    for detection in ("located", "none"):
        run = pendulum(detection)
        times = np.linspace(0.0, run.t_end, 4000)
        z = run.states(times)
        label = LABELS[detection]
        axes[0].plot(times, z[:, 1], color=COLOURS[detection], linewidth=1.2, label=label)
        axes[1].plot(times, z[:, 2], color=COLOURS[detection], linewidth=1.2, label=label)
    finish(figure, axes[0], "t [s]", "y [m]", "pendulum, steps up to 1e-4 s")
    return finish(figure, axes[1], "t [s]", "dx/dt [m/s]")


def step_figure() -> Figure:
    """Figure 6: time step and penetration through the first contact, for the located contact and procedure 2."""
    figure, axes = panels(2, 4.8, 3.6)
    for axis, detection in zip(axes, ("located", "reject"), strict=True):
        run = pendulum(detection)
        touch, separate = _first(run, "touch"), _first(run, "separate")
        low, high = touch - 2.5 * STEP, separate + 2.5 * STEP
        times = np.linspace(low, high, 600)
        axis.plot(1e3 * (times - touch), -1e6 * run.states(times)[:, 0], color=style.BLUE, linewidth=1.2)
        axis.set_ylim(0, None)
        finish(figure, axis, "t after touch [ms]", "penetration [µm]", LABELS[detection])
        right = axis.twinx()
        inside = (run.data.step_t >= low) & (run.data.step_t <= high)
        ends = run.data.step_t[inside] - touch
        right.semilogy(1e3 * ends, run.data.step_h[inside], ".-", color=style.RED, markersize=4, linewidth=0.7)
        right.set_ylabel("time step [s]", fontsize=10, color=style.RED)
        right.tick_params(labelsize=9, colors=style.RED)
    return figure


def energy_figure() -> Figure:
    """Energy after the first contact against the largest step, for every way to find it."""
    figure, (axes,) = panels(1, 6.2, 4.2)
    steps = np.geomspace(1e-5, 1e-3, 9)
    for detection in ("none", "interpolate", "reject", "located"):
        runs = [pendulum(detection, float(step), 1.0) for step in steps]
        gained = [max(abs(9.81 * rebound_height(run)), 1e-13) for run in runs]
        axes.loglog(
            steps, gained, "o-", color=COLOURS[detection], markersize=3.5, linewidth=1.2, label=LABELS[detection]
        )
        if detection == "none":
            law = [0.4 * 3.39e10 * first_penetration(run) ** 2.5 for run in runs]
            axes.loglog(steps, law, "x", color=style.INK, markersize=7, label="(2/5) K δ₀^2.5")
    return finish(
        figure, axes, "largest time step [s]", "|energy gained in one contact| [J]", "elastic pendulum, 9.81 J"
    )


def simulations_figure() -> Figure:
    """What the paper's figure 7 shows for three steps: how fast the sphere leaves the wall."""
    figure, axes = panels(3, 3.4, 3.6)
    for axis, (name, step) in zip(axes, SIMULATIONS.items(), strict=True):
        run = pendulum("none", step)
        touch = _first(run, "touch")
        times = np.linspace(2 * touch - run.t_end, run.t_end, 2000)
        z = run.states(times)
        axis.plot(1e6 * (times - touch), z[:, 2], color=style.RED, linewidth=1.0)
        axis.set_ylim(-300, 5500)
        finish(figure, axis, "t after touch [µs]", "dx/dt [m/s]", f"{name}: {step} s")
        axis.text(0.03, 0.9, f"rebound to {rebound_height(run):.3g} m", transform=axis.transAxes, fontsize=9)
    return figure
