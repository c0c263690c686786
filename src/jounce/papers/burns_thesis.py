"""S. J. Burns, doctoral thesis, chapter 6: a double pendulum on a belt whose friction changes."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.papers.claim import Claim, Paper
from jounce.papers.portraits import draw_history, finish, panels
from jounce.simulation.options import Options
from jounce.simulation.simulate import simulate
from jounce.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.compilation.system import System

#: theta, phi, V, e and a friction at which the pendulum can rest on the belt.
FIRST = (3.8572, 4.1154, -0.96, 0.7, 0.6)
SECOND = (4.21, 4.3, -0.98, 0.9, 0.3)
CHANGE = 0.05  # s: when the friction changes


@cache
def _system() -> System:
    from jounce.compilation.system import compile_model
    from jounce.systems import double_pendulum

    return compile_model(double_pendulum())


def critical(place: tuple[float, ...]) -> float:
    """The friction at which A = 0."""
    from jounce.analysis.painleve import critical_friction

    return float(critical_friction(_system(), _system().state(theta=place[0], phi=place[1])).mu)


def _resting_torque(place: tuple[float, ...]) -> float:
    """The torque that holds the pendulum at rest on the moving belt: M u' = 0 with the sliding force."""
    from scipy.optimize import brentq

    from jounce.analysis.painleve import coefficients

    theta, phi, V, _, mu = place
    state = _system().state(theta=theta, phi=phi)

    def acceleration(T: float) -> float:
        """theta'' while sliding, from the virtual work along the belt: phi'' follows from the contact."""
        parameters = _parameters(place, T)
        c = coefficients(_system(), state, slip=1, mu=mu, T=T, V=V)
        force = -c.B / c.A
        p = _system().parameters(mu=mu, **parameters)
        rates = _accelerations(state.q, p, force, mu)
        return float(rates[0])

    return float(brentq(acceleration, -60.0, 60.0, xtol=1e-13))


def _parameters(place: tuple[float, ...], T: float) -> dict[str, Any]:
    theta, phi, V, e, _ = place
    return {"T": T, "V": V, "e": e, "d": -float(np.sin(theta) + np.sin(phi))}


@cache
def _equations() -> object:
    import sympy as sp

    model = _system().model
    contact = model.contacts[0]
    force, mu = sp.symbols("force mu_slip")
    W_N = sp.Matrix([sp.diff(contact.gap, q) for q in model.q])
    W_T = sp.Matrix([sp.diff(contact.slip, u) for u in model.u])
    rates = model.M.LUsolve(model.h + (W_N - mu * W_T) * force)
    still = dict.fromkeys(model.u, 0)
    return sp.lambdify([*model.q, *model.p, force, mu], list(rates.subs(still)), "math", cse=True)


def _accelerations(q: np.ndarray, p: np.ndarray, force: float, mu: float) -> list[float]:
    return _equations()(*q, *p, force, mu)  # type: ignore[operator, no-any-return]


@cache
def change(place: tuple[float, ...], mu_after: float, then: float = 1e-3) -> Trajectory:
    """At rest on the belt until the friction changes; a little while ``then`` is simulated after that."""
    theta, phi, _, _, mu = place
    parameters = _parameters(place, _resting_torque(place))
    return simulate(
        _system(),
        _system().state(theta=theta, phi=phi),
        CHANGE + then,
        options=Options(law="energetic"),
        schedule=[(CHANGE, {"mu": mu_after})],
        mu=mu,
        **parameters,
    )


def rebound(place: tuple[float, ...], mu_after: float) -> float:
    """The normal velocity with which the tip leaves at the change; 0 where it does not."""
    events = change(place, mu_after).events
    struck = events[(events.kind == "impact") & (np.abs(events.t - CHANGE) < 1e-9)]
    return float(struck.v_n_after.iloc[0]) if len(struck) else 0.0


def _above_and_below(place: tuple[float, ...]) -> str:
    limit = critical(place)
    above, below = rebound(place, limit + 1e-4), rebound(place, limit - 1e-4)
    return f"above mu_c: {'impact' if above > 0 else 'nothing'}; below: {'impact' if below > 0 else 'nothing'}"


def _grows(place: tuple[float, ...]) -> str:
    values = [rebound(place, mu) for mu in np.linspace(critical(place) + 0.01, 1.6, 8)]
    return "grows" if (np.diff(values) > 0).all() and values[0] > 0 else "does not grow"


def _figure(place: tuple[float, ...]) -> Figure:
    figure, axes = panels(2, 5.0)
    limit = critical(place)

    def normal(z: np.ndarray) -> np.ndarray:
        return np.asarray(np.cos(z[:, 0]) * z[:, 2] + np.cos(z[:, 1]) * z[:, 3])

    for one, mu in zip(axes, (limit + 1e-4, 1.3), strict=True):
        draw_history(one, change(place, mu, 0.1), "tip", normal)
        finish(
            figure, one, "t [s]", "normal velocity of the tip [m/s]", f"mu: {place[4]} -> {mu:.4f} at t = {CHANGE} s"
        )
    return figure


CLAIMS = (
    Claim(
        "critical_first",
        "the critical friction",
        "Fig. 6.7",
        "theta = 3.8572, phi = 4.1154",
        "0.82",
        lambda: critical(FIRST),
        lambda: _figure(FIRST),
    ),
    Claim(
        "critical_second",
        "the critical friction",
        "Fig. 6.8",
        "theta = 4.21, phi = 4.3",
        "0.46",
        lambda: critical(SECOND),
        lambda: _figure(SECOND),
    ),
    Claim(
        "change_first",
        "a change of friction to just above and just below mu_c",
        "Fig. 6.7a",
        "theta = 3.8572, phi = 4.1154, V = -0.96, e = 0.7",
        "above mu_c: impact; below: nothing",
        lambda: _above_and_below(FIRST),
        lambda: _figure(FIRST),
        note="The printed mu0 = 0.7 has no equilibrium with a positive force; ours starts from mu0 = 0.6.",
    ),
    Claim(
        "change_second",
        "a change of friction to just above and just below mu_c",
        "Fig. 6.8a",
        "theta = 4.21, phi = 4.3, V = -0.98, e = 0.9, mu0 = 0.3",
        "above mu_c: impact; below: nothing",
        lambda: _above_and_below(SECOND),
        lambda: _figure(SECOND),
    ),
    Claim(
        "rebound_first",
        "as mu_p rises, the normal velocity after the change",
        "Fig. 6.7b",
        "as Fig. 6.7",
        "grows",
        lambda: _grows(FIRST),
        lambda: _figure(FIRST),
    ),
    Claim(
        "rebound_second",
        "as mu_p rises, the normal velocity after the change",
        "Fig. 6.8b",
        "as Fig. 6.8",
        "grows",
        lambda: _grows(SECOND),
        lambda: _figure(SECOND),
    ),
)

PAPER = Paper(
    name="burns_thesis",
    citation="Burns, doctoral thesis on rigid-body impacts with friction, chapter 6",
    summary="A double pendulum rests on a moving vertical belt (`jounce.systems.double_pendulum`). Its friction "
    "changes at an instant; beyond the critical friction that is an impact without collision. Energetic law.",
    claims=CLAIMS,
    choices=("V < 0 means lambda1 = -mu lambda2. The torque T holds the pendulum at rest before the change.",),
    misprints=(
        "(6.15): Q = -((m1 + m2) g l1 sin, m2 g l2 sin). (6.16), (6.17): m2 g l2 cos. L = (phi'², -theta'²).",
        "(6.19): the order is (lambda1, lambda2); M^-1_11 has cos². (6.20): B is opposite to (3.41).",
        "(6.23): m cos²(phi).",
        "Figs 6.4 and 6.5 hold theta.",
        "The eigenvalues ±9.38, ±8.59i are wrong: the spectrum is two real pairs.",
        "mu0 = 0.7 has no equilibrium with lambda2 > 0.",
    ),
)
