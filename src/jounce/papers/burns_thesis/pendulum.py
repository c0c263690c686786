"""S. J. Burns, doctoral thesis, chapter 6: a double pendulum at rest on a moving belt whose friction changes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from jounce.analysis.painleve import critical_friction
from jounce.papers.framework.claim import Claim, Verdict
from jounce.papers.framework.portraits import draw_history, finish, panels
from jounce.plot import style
from jounce.simulation.options import Options
from jounce.simulation.simulate import simulate
from jounce.simulation.trajectory import Trajectory
from jounce.system.compilation import compile_model
from jounce.systems import double_pendulum

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.system.system import System

CHANGE = 0.05  # s: when the friction changes


@dataclass(frozen=True)
class Place:
    """Where the pendulum rests: the angles, the belt's velocity, restitution, and the friction before the change."""

    theta: float
    phi: float
    V: float
    e: float
    mu: float


FIRST = Place(3.8572, 4.1154, -0.96, 0.7, 0.6)  # Figs 6.7, 6.9; printed mu0 = 0.7
SECOND = Place(4.21, 4.3, -0.98, 0.9, 0.3)  # Figs 6.8, 6.10


@cache
def pendulum_system() -> System:
    """The double pendulum, compiled once."""
    return compile_model(double_pendulum())


def critical(place: Place) -> float:
    """The friction at which A = 0."""
    state = pendulum_system().state(theta=place.theta, phi=place.phi)
    return float(critical_friction(pendulum_system(), state).mu)


# ------------------------------------------------------------------------------------------------ at rest


@cache
def _equations() -> tuple[Any, Any, Any]:
    """h at rest, the direction of the sliding force and the Jacobian of all forces, functions of (q, p, force, mu)."""
    model = pendulum_system().model
    contact = model.contacts[0]
    force, mu = sp.symbols("force mu_slip")
    W_N = sp.Matrix([sp.diff(contact.gap, q) for q in model.q])
    W_T = sp.Matrix([sp.diff(contact.slip, u) for u in model.u])
    h = sp.Matrix(model.h).subs(dict.fromkeys(model.u, 0))
    direction = W_N - mu * W_T  # V < 0: the tip slides up along the belt, lambda1 = -mu lambda2
    jacobian = sp.Matrix(model.M).LUsolve((h + direction * force).jacobian(sp.Matrix(model.q)))
    arguments = [*model.q, *model.p, force, mu]
    h_at, direction_at, jacobian_at = (sp.lambdify(arguments, part, "numpy") for part in (h, direction, jacobian))
    return h_at, direction_at, jacobian_at


def statics(place: Place) -> tuple[float, float]:
    """(T, lambda2) that hold the pendulum at rest on the sliding belt: h(T) + (W_N - mu W_T) lambda2 = 0, (6.28)."""
    h, direction, _ = _equations()
    q = (place.theta, place.phi)

    def at(function: Any, T: float) -> np.ndarray:
        p = pendulum_system().parameters(T=T)
        return np.asarray(function(*q, *p, 0.0, place.mu), dtype=float).ravel()

    free, along = at(h, 0.0), at(direction, 0.0)
    torque = at(h, 1.0) - free
    T, force = np.linalg.solve(np.column_stack([torque, along]), -free)
    return float(T), float(force)


def spectrum(place: Place) -> np.ndarray:
    """The eigenvalues of (6.24) at rest under constant forces, the squares' roots in pairs: two of the four."""
    T, force = statics(place)
    p = pendulum_system().parameters(T=T)
    squares = np.linalg.eigvals(np.asarray(_equations()[2](place.theta, place.phi, *p, force, place.mu), dtype=float))
    return np.sqrt(np.sort_complex(squares.astype(complex)))[::-1]


def _spectrum_text(place: Place) -> str:
    values = spectrum(place)
    if np.abs(values.imag).max() < 1e-9:
        return ", ".join(f"±{value.real:.2f}" for value in values)
    return ", ".join(f"±{value:.2f}" for value in values)


# ------------------------------------------------------------------------------------------------ the change


def parameters(place: Place) -> dict[str, Any]:
    """Torque, plane, belt and restitution."""
    torque = statics(place)[0]
    return {"T": torque, "V": place.V, "e": place.e, "d": -float(np.sin(place.theta) + np.sin(place.phi))}


@cache
def change(place: Place, mu_after: float, then: float = 1e-6) -> Trajectory:
    """At rest on the belt until the friction changes; a little while ``then`` is simulated after that."""
    return simulate(
        pendulum_system(),
        pendulum_system().state(theta=place.theta, phi=place.phi),
        CHANGE + then,
        options=Options(law="energetic"),
        schedule=[(CHANGE, {"mu": mu_after})],
        mu=place.mu,
        **parameters(place),
    )


def rebound(place: Place, mu_after: float) -> float:
    """The normal velocity with which the tip leaves at the change; 0 where it does not."""
    events = change(place, mu_after).events
    struck = events[(events.kind == "impact") & (np.abs(events.t - CHANGE) < 1e-9)]
    return float(struck.v_n_after.iloc[0]) if len(struck) else 0.0


def _above_and_below(place: Place) -> str:
    limit = critical(place)
    above, below = rebound(place, limit + 1e-6), rebound(place, limit - 1e-6)
    return f"above mu_c: {'impact' if above > 0 else 'nothing'}; below: {'impact' if below > 0 else 'nothing'}"


def _grows(place: Place) -> str:
    values = [rebound(place, mu) for mu in np.linspace(critical(place) + 0.01, 1.6, 8)]
    return "grows" if (np.diff(values) > 0).all() and values[0] > 0 else "does not grow"


def _rebounds(place: Place) -> str:
    near, far = rebound(place, critical(place) + 1e-4), rebound(place, 1.3)
    return f"{near:.4f} m/s at mu_c + 1e-4, {far:.4f} m/s at 1.3"


# ------------------------------------------------------------------------------------------------ figures


def _normal_velocity(z: np.ndarray) -> np.ndarray:
    return np.asarray(np.cos(z[:, 0]) * z[:, 2] + np.cos(z[:, 1]) * z[:, 3])


@cache
def change_figure(place: Place) -> Figure:
    """The tip's normal velocity over time, just above mu_c and far above (Figs 6.7, 6.8)."""
    figure, axes = panels(2, 5.0)
    for one, mu in zip(axes, (critical(place) + 1e-4, 1.3), strict=True):
        draw_history(one, change(place, mu, 0.1), "tip", _normal_velocity)
        title = f"μ: {place.mu} → {mu:.4f} at t = {CHANGE} s"
        finish(figure, one, "t [s]", "normal velocity of the tip [m/s]", title)
    return figure


@cache
def motion_figure(place: Place) -> Figure:
    """Angles and angular velocities through the change, just above mu_c (Figs 6.9, 6.10)."""
    figure, axes = panels(2, 5.0)
    run = change(place, critical(place) + 1e-4, 0.1)
    times = np.linspace(0.0, run.t_end, 3001)
    states = run.states(times)
    for one, columns, unit in zip(axes, ((0, 1), (2, 3)), ("angle [rad]", "angular velocity [rad/s]"), strict=True):
        for column, name, colour in zip(columns, ("θ", "φ"), (style.BLUE, style.RED), strict=True):
            one.plot(times, states[:, column], color=colour, linewidth=1.3, label=name)
        finish(figure, one, "t [s]", unit, f"μ: {place.mu} → {critical(place) + 1e-4:.4f} at t = {CHANGE} s")
    return figure


@cache
def rebound_figure(place: Place) -> Figure:
    """The velocity after the change over the friction after it."""
    figure, (axes,) = panels(1, 5.4)
    limit = critical(place)
    mus = np.concatenate([np.linspace(limit - 0.1, limit - 1e-6, 8), np.linspace(limit + 1e-6, 1.6, 40)])
    axes.plot(mus, [rebound(place, float(mu)) for mu in mus], ".-", color=style.BLUE, linewidth=1.0)
    axes.axvline(limit, color=style.RED, linestyle="--", linewidth=1.0, label=f"μ_c = {limit:.5f}")
    return finish(figure, axes, "friction μ_p after the change", "normal velocity after it [m/s]")


@cache
def rest_figure(place: Place) -> Figure:
    """The force that rest needs, and the spectrum at rest, over the friction before the change."""
    figure, (left, right) = panels(2, 5.0)
    mus = np.linspace(0.05, 1.0, 400)
    places = [replace(place, mu=float(mu)) for mu in mus]
    forces = np.array([statics(one)[1] for one in places])
    forces[np.abs(forces) > 400] = np.nan  # the pole at mu = cot(phi)
    left.plot(mus, forces, color=style.BLUE)
    left.axhline(0.0, color=style.INK, linewidth=0.7)
    left.axvline(place.mu, color=style.GREY, linestyle=":", linewidth=1.0, label=f"μ0 = {place.mu}")
    left.set_ylim(-300, 300)
    finish(figure, left, "friction μ0", "force λ2 of the belt [N]", "below zero the belt would have to pull")
    values = np.array([spectrum(one) for one in places])
    values[np.isnan(forces)] = complex(np.nan, np.nan)
    for part, name, dashes in ((values.real, "real part", "-"), (values.imag, "imaginary part", ":")):
        for k, colour in enumerate((style.BLUE, style.RED)):
            right.plot(mus, part[:, k], dashes, color=colour, linewidth=1.3, label=f"pair {k + 1}, {name}")
    right.set_ylim(-1, 40)
    return finish(figure, right, "friction μ0", "eigenvalue [1/s]", "constant forces, (6.24)")


# ------------------------------------------------------------------------------------------------ claims

_PAIRS = (
    "Under constant forces, as in (6.24), the squares of the eigenvalues are real: with a positive force both are "
    "positive (two real pairs), with the negative force of too large a friction both are negative; here never one of "
    "each."
)
_SINGULAR = (
    "Less than about 0.002 below mu_c the sliding that follows runs into A = B = 0 within a millisecond: the run ends "
    "there with a status that says so, or goes on in an impact without collision."
)


def chapter_6_claims() -> list[Claim]:
    """The critical friction, rest and its spectrum, and what a change of friction does."""
    no_rest = "The printed mu0 = 0.7 has no rest (rest_first); ours starts from mu0 = 0.6."
    return [
        *_place_claims("first", FIRST, "6.7", "0.82", "±9.38, ±8.59i", "", no_rest),
        _rest_claim(),
        *_place_claims("second", SECOND, "6.8", "0.46", "±9.44, ±8.50i", "The caption prints 0.462.", _SINGULAR),
    ]


def _rest_claim() -> Claim:
    printed = replace(FIRST, mu=0.7)
    return Claim(
        "rest_first",
        "rest on the belt at the printed mu0 = 0.7",
        "Fig. 6.7",
        f"theta = {FIRST.theta:g}, phi = {FIRST.phi:g}, mu0 = 0.7",
        "the belt pushes",
        lambda: "the belt pushes" if statics(printed)[1] > 0 else "the belt would have to pull",
        lambda: rest_figure(FIRST),
        Verdict.WRONG,
        "lambda2 = m2 g sin(phi)/(cos(phi) - mu sin(phi)) changes its sign at mu = cot(phi).",
        lambda: f"lambda2 = {statics(printed)[1]:.1f} N",
    )


def _place_claims(
    name: str, place: Place, figure: str, mu_c: str, eigenvalues: str, critical_note: str, change_note: str
) -> list[Claim]:
    angles = f"theta = {place.theta:g}, phi = {place.phi:g}"
    given = f"{angles}, V = {place.V:g}, e = {place.e:g}, mu0 = {place.mu:g}"
    return [
        Claim(
            f"critical_{name}",
            "the critical friction",
            f"Fig. {figure}",
            angles,
            mu_c,
            partial(critical, place),
            partial(rebound_figure, place),
            note=critical_note,
        ),
        Claim(
            f"spectrum_{name}",
            "the eigenvalues at rest",
            "section 6.3.4",
            given,
            eigenvalues,
            partial(_spectrum_text, place),
            partial(rest_figure, place),
            Verdict.WRONG,
            _PAIRS,
        ),
        Claim(
            f"change_{name}",
            "a change of friction to 1e-6 above and 1e-6 below mu_c",
            f"Fig. {figure}a",
            given,
            "above mu_c: impact; below: nothing",
            partial(_above_and_below, place),
            partial(change_figure, place),
            note=change_note,
        ),
        Claim(
            f"rebound_{name}",
            "as mu_p rises, the normal velocity after the change",
            f"Fig. {figure}b",
            given,
            "grows",
            partial(_grows, place),
            partial(motion_figure, place),
            detail=partial(_rebounds, place),
        ),
    ]
