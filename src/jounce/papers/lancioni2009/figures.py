"""The figures of Lancioni et al. (2009), from their captions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.painleve import minimal_critical_friction
from jounce.papers.framework.portraits import curve, draw_history, draw_orbit, finish, panels
from jounce.papers.lancioni2009.motion import (
    CONTACT,
    Attractor,
    equilibrium,
    evaluate,
    follow_branch,
    observe,
    wiper_system,
)
from jounce.plot import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PHI, D_PHI = "φ [rad]", "dφ/dt [rad/s]"


def orbit_panels(motions: Sequence[tuple[str, Attractor]], span: float = 0.6) -> Figure:
    """Orbits in the (phi, phi') plane with the curves b = 0 and slip = 0 (Figs 3, 5, 7-9, 11, 13)."""
    figure, axes = panels(len(motions))
    for one, (title, motion) in zip(axes, motions, strict=True):
        run = observe(motion.state, min(span, 8.0), **motion.parameters)
        if motion.moves:
            draw_orbit(one, run, CONTACT, 0, 2)
        else:
            one.plot(run.final["phi"], run.final["d_phi"], "o", color=style.INK, label="equilibrium")
            one.set_xlim(run.final["phi"] - 0.1, run.final["phi"] + 0.1)
            one.set_ylim(-1.3, 0.5)
        if motion.parameters.get("v_amplitude", 0.0) == 0.0:
            _switching_curves(one, motion.parameters)
        finish(figure, one, PHI, D_PHI, title)
    return figure


def _switching_curves(axes: Axes, parameters: dict[str, Any]) -> None:
    """b = 0, where slip turns into flight, and slip = 0, the curve of stick."""
    (x1, x2), (y1, y2) = axes.get_xlim(), axes.get_ylim()
    phi, d_phi = np.meshgrid(np.linspace(x1, x2, 160), np.linspace(y1, y2, 160))
    b = evaluate("b", phi, d_phi, **parameters)
    if b.min() < 0 < b.max():
        axes.contour(phi, d_phi, b, levels=[0.0], colors=[style.INK], linewidths=0.8)
        axes.plot([], [], color=style.INK, linewidth=0.8, label="b = 0")
    angles = np.linspace(x1, x2, 200)
    stick = parameters.get("v_belt", -1.0) / np.cos(angles)
    inside = (stick > y1) & (stick < y2)
    if inside.any():
        axes.plot(angles[inside], stick[inside], color=style.GREY, linewidth=0.8, linestyle="-.", label="slip = 0")


def histories(motions: Sequence[tuple[str, Attractor]], span: float) -> Figure:
    """The height of the tip over time (Figs 4, 12, 15)."""
    figure, axes = panels(len(motions), 5.0, 3.4)
    for one, (title, motion) in zip(axes, motions, strict=True):
        run = observe(motion.state, span, **motion.parameters)
        draw_history(one, run, CONTACT, lambda z: z[:, 1] - np.cos(z[:, 0]))
        finish(figure, one, "t [s]", "height of the tip [m]", title)
    return figure


def either_side(parameter: str, value: float, delta: float, start: Any = None, **fixed: Any) -> Figure:
    """The settled orbit just below and just above a threshold."""
    sides = [value - delta, value + delta]
    motions = [
        (f"{style.symbol(parameter)} = {side:.5g}", Attractor(start, 60.0, **fixed, **{parameter: side}))
        for side in sides
    ]
    return orbit_panels(motions, span=8.0 if fixed.get("v_amplitude") else 0.6)


def branch(parameter: str, low: float, high: float, value: float, points: int = 40, **fixed: Any) -> Figure:
    """The largest |phi'| of the hopping motion, followed to its end, and of what is left beyond (Figs 2, 6)."""
    figure, (axes,) = panels(1, 5.8)
    begin, limit = (high, low) if value < (low + high) / 2 else (low, high)
    for e, colour in ((0.2, style.BLUE), (0.0, style.RED)):
        followed = list(
            follow_branch(
                parameter,
                begin,
                limit,
                lambda motion: motion.hops,
                settle=30.0,
                tolerance=1e-5,
                steps=points,
                e=e,
                **fixed,
            )
        )
        axes.plot(
            *zip(*[(x, motion.amplitude) for x, motion in followed], strict=True), ".-", color=colour, markersize=3,
            linewidth=0.8, label=f"e = {e}, hopping",
        )  # fmt: skip
        left = np.linspace(followed[-1][0], limit, 12)[1:]
        settled = [Attractor(None, 100.0, span=2.0, e=e, **fixed, **{parameter: float(x)}).amplitude for x in left]
        axes.plot(left, settled, "x", color=colour, markersize=4, label=f"e = {e}, from a drop")
    axes.axvline(value, color=style.INK, linewidth=0.8, linestyle="--", label=f"{value:.6g}")
    return finish(figure, axes, style.symbol(parameter), "largest |dφ/dt| [rad/s]")


@cache
def equilibrium_curve(parameter: str, quantity: str, low: float, high: float, mark: float, **fixed: Any) -> Figure:
    """A quantity of the sliding equilibrium against a parameter: its zero is the bifurcation."""
    names = {"trace": "trace of the slip flow at equilibrium [1/s]", "force": "normal force at equilibrium [N]"}

    def values(xs: np.ndarray) -> list[float]:
        return [
            float(evaluate(quantity, equilibrium(**fixed, **{parameter: x}), **fixed, **{parameter: x})) for x in xs
        ]

    return curve(np.linspace(low, high, 80), values, style.symbol(parameter), names[quantity], mark=mark)


@cache
def equilibrium_angle(low: float, high: float) -> Figure:
    """The angle of equilibrium against friction, for both directions of the belt."""
    figure, (axes,) = panels(1, 5.4)
    mus = np.linspace(low, high, 60)
    for sign, label in ((1.0, "belt to the left"), (-1.0, "belt to the right")):
        axes.plot(mus, [equilibrium(sign, mu=float(mu)) for mu in mus], label=label)
    axes.axhline(math.pi / 8, color=style.GREY, linewidth=0.8, linestyle=":", label="φ0")
    return finish(figure, axes, "μ", PHI)


def critical_friction_curve() -> Figure:
    """The friction at which A = 0 against the angle, and its minimum."""
    found = minimal_critical_friction(wiper_system(), {"phi": (-1.4, 1.4)}, "tip")
    figure, (axes,) = panels(1, 5.4)
    axes.plot(found.values[0], found.curve)
    axes.axhline(found.mu, color=style.RED, linewidth=1.0, linestyle="--", label=f"{found.mu:.6f}")
    axes.set_ylim(0.0, 3.0)
    return finish(figure, axes, PHI, "critical friction")
