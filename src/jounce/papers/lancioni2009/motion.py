"""The wiper's settled motions, its sliding flow and its equilibria, for the claims of Lancioni et al.

Everything follows from the model in ``jounce.systems.wiper``; no printed equation is used.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp

from jounce.papers.framework.orbits import SHORTEST, Cycle, find_cycle, impacts, phases, words
from jounce.simulation.options import Options
from jounce.simulation.simulate import simulate
from jounce.simulation.trajectory import Trajectory
from jounce.system.compilation import compile_model
from jounce.system.state import State
from jounce.system.system import System
from jounce.systems import wiper

CONTACT = "tip"
OPTIONS: dict[str, Any] = {"law": "poisson_two_phase", "tolerance": 1e-10}


@lru_cache(maxsize=1)
def wiper_system() -> System:
    """The wiper, compiled once."""
    return compile_model(wiper())


def dropped(phi: float, height: float = 0.05) -> State:
    """At rest above the belt."""
    return wiper_system().state(phi=phi, y=math.cos(phi) + height)


def in_contact(phi: float, d_phi: float = 0.0) -> State:
    """On the belt with a given angular velocity (l = 1)."""
    return wiper_system().state(phi=phi, y=math.cos(phi), d_phi=d_phi, d_y=-d_phi * math.sin(phi))


def advance(start: State, duration: float, **parameters: Any) -> State:
    """The state a while later; nothing in between is kept."""
    options = Options(record="nothing", ledger=False, **OPTIONS)
    run = simulate(wiper_system(), start, start.t + duration, options=options, **parameters)
    _check(run)
    return run.final


def observe(start: State, duration: float, **parameters: Any) -> Trajectory:
    """The motion from ``start`` on, dense."""
    run = simulate(wiper_system(), start, start.t + duration, options=Options(**OPTIONS), **parameters)
    _check(run)
    return run


def _check(run: Trajectory) -> None:
    if not run.status.ok:
        raise RuntimeError(f"wiper with {run.parameters}: {run.status}")


class Attractor:
    """The motion into which a start settles, with what the claims ask about it."""

    def __init__(self, start: State | None = None, settle: float = 100.0, span: float = 4.0, **parameters: Any) -> None:
        phi0 = parameters.get("phi0", math.pi / 8)
        self.parameters = parameters
        self.state = advance(start or dropped(phi0 - 0.05), settle, **parameters)
        self.run = observe(self.state, span, **parameters)

    @property
    def words(self) -> set[str]:
        """Kinds of phase in the settled motion."""
        return words(self.run, CONTACT, self.run.t_start)

    @property
    def cycle(self) -> Cycle | None:
        """Its cycle, if it has settled on one."""
        return find_cycle(self.run, CONTACT, self.run.t_start)

    @property
    def moves(self) -> bool:
        """Whether it is more than an equilibrium."""
        return self.amplitude > 1e-2

    @property
    def amplitude(self) -> float:
        """The largest |phi'|."""
        times = np.linspace(self.run.t_start, self.run.t_end, 8001)
        return float(np.abs(self.run.states(times)[:, 2]).max())

    @property
    def hops(self) -> bool:
        """Whether impacts go on."""
        return len(impacts(self.run, CONTACT, self.run.t_end - 1.0)) > 0

    def after_impact(self) -> str:
        """The phase in which the flight before the last one ended: slip, stick or back-slip."""
        found = phases(self.run, CONTACT)[:-1]
        following = [b.word for a, b in itertools.pairwise(found) if a.word == "flight"]
        return following[-1] if following else "none"


@lru_cache(maxsize=1)
def sliding_flow() -> dict[str, Any]:
    """Functions (phi, phi', v, slip sign, parameters...) of the flow on the belt, derived from the model.

    acceleration  phi'' while slipping;  force  lambda_N;  A, b  with g'' = A lambda_N + b;  trace  d phi''/d phi';
    stiffness  d phi''/d phi
    """
    model = wiper()
    s = model.symbols
    contact = model.contacts[0]
    sign = sp.Symbol("sign")
    q, u = sp.Matrix(model.q), sp.Matrix(model.u)
    W_N = sp.Matrix([sp.diff(contact.gap, x) for x in model.q])
    W_T = sp.Matrix([sp.diff(contact.slip, x) for x in model.u])
    gap_rate = (W_N.T * u)[0]
    c_N = (sp.Matrix([gap_rate]).jacobian(q) * u)[0]
    direction = W_N - sign * s["mu"] * W_T
    inverse = model.M.inv()
    A = (W_N.T * inverse * direction)[0]
    b = (W_N.T * inverse * model.h)[0] + c_N
    force = -b / A
    acceleration = (inverse * (model.h + direction * force))[0]
    on_belt = {s["y"]: s["l"] * sp.cos(s["phi"]), s["d_y"]: -s["l"] * sp.sin(s["phi"]) * s["d_phi"]}
    arguments = [s["phi"], s["d_phi"], sign, *model.p]
    A, b, force, acceleration = (expression.subs(on_belt) for expression in (A, b, force, acceleration))
    expressions = {
        "A": A,
        "b": b,
        "force": force,
        "acceleration": acceleration,
        "trace": sp.diff(acceleration, s["d_phi"]),
        "stiffness": sp.diff(acceleration, s["phi"]),
    }
    return {name: sp.lambdify(arguments, expression, "numpy", cse=True) for name, expression in expressions.items()}


def evaluate(name: str, phi: Any, d_phi: Any = 0.0, sign: float = 1.0, **parameters: Any) -> Any:
    """One quantity of ``sliding_flow`` with the parameters by name."""
    p = wiper_system().parameters(**parameters)
    return sliding_flow()[name](phi, d_phi, sign, *p)


def equilibrium(sign: float = 1.0, **parameters: Any) -> float:
    """The angle at which the tip rests while the belt slides under it: phi'' = 0 (section 4.1)."""
    from scipy.optimize import brentq

    phi0 = parameters.get("phi0", math.pi / 8)

    def acceleration(phi: float) -> float:
        return float(evaluate("acceleration", phi, 0.0, sign, **parameters))

    grid = np.linspace(phi0 - 0.4, phi0 + 0.4, 161)
    values = [acceleration(phi) for phi in grid]
    roots = [
        brentq(acceleration, grid[k], grid[k + 1], xtol=1e-14)
        for k in range(len(grid) - 1)
        if values[k] > 0 >= values[k + 1]
    ]
    if not roots:
        raise ValueError(f"no equilibrium near phi0={phi0}")
    return float(min(roots, key=lambda phi: abs(phi - phi0)))


def root_in(parameter: str, quantity: str, low: float, high: float, sign: float = 1.0, **parameters: Any) -> float:
    """The value of a parameter at which a quantity of the sliding equilibrium vanishes; sign: of the slip."""
    from scipy.optimize import brentq

    def value(x: float) -> float:
        given = parameters | {parameter: x}
        return float(evaluate(quantity, equilibrium(sign, **given), 0.0, sign, **given))

    return float(brentq(value, low, high, xtol=1e-12))


def follow_branch(
    parameter: str,
    alive: float,
    limit: float,
    keeps: Callable[[Attractor], bool],
    start: State | None = None,
    settle: float = 100.0,
    tolerance: float = 1e-6,
    steps: int = 16,
    **fixed: Any,
) -> Iterator[tuple[float, Attractor]]:
    """The motions of a branch with a property, from ``alive`` to its end or to ``limit``, each begun on the one before.

    A step that loses the property is halved, so a coexisting motion with a larger basin is not mistaken for the end.
    """
    motion = Attractor(start, settle, **fixed, **{parameter: alive})
    if not keeps(motion):
        raise ValueError(f"the motion at {parameter}={alive} lacks the property: start nearer to the branch")
    yield alive, motion
    largest = step = (limit - alive) / steps
    while abs(step) > tolerance and (limit - alive) * largest > 0:
        trial = Attractor(motion.state, settle, span=2.0, **fixed, **{parameter: alive + step})
        if not keeps(trial):
            step /= 2
            continue
        alive, motion = alive + step, trial
        yield alive, motion
        step = max(1.5 * step, largest, key=lambda x: -abs(x))


def branch_end(
    parameter: str, alive: float, limit: float, keeps: Callable[[Attractor], bool], tolerance: float = 1e-6, **rest: Any
) -> float:
    """Where a branch of motions with a property ends, to ``tolerance``."""
    upwards = math.copysign(1.0, limit - alive)
    for end, _ in follow_branch(parameter, alive, limit, keeps, tolerance=tolerance, **rest):
        alive = end
    if (limit - alive) * upwards <= 0:
        raise ValueError(f"the branch goes on beyond {parameter}={limit}")
    return alive + upwards * tolerance / 2


def slip_turn(phi: float, mu: float) -> tuple[float, float]:
    """Start where the bar turns (phi' = 0) and slip for one turn: the next such angle, and the smallest normal force.

    The flow of slip is followed also where its force is negative, so that the force's minimum is smooth in ``phi``.
    """
    from scipy.integrate import solve_ivp

    p, flow = wiper_system().parameters(mu=mu), sliding_flow()

    def slip(_: float, z: np.ndarray) -> list[float]:
        return [z[1], flow["acceleration"](z[0], z[1], 1.0, *p)]

    def turning(_: float, z: np.ndarray) -> float:
        return float(z[1])

    turning.terminal, turning.direction = True, -1.0  # type: ignore[attr-defined]
    start = [phi, -1e-13]  # just past the event
    turn = solve_ivp(slip, (0.0, 1.0), start, "DOP853", rtol=1e-12, atol=1e-14, events=turning, dense_output=True)
    phis, rates = turn.sol(np.linspace(0.0, turn.t[-1], 2000))
    return float(turn.y[0, -1]), float(np.min(flow["force"](phis, rates, 1.0, *p)))


def slip_cycle_end(low: float, high: float) -> float:
    """The friction at which the cycle of pure slip touches b = 0 and is gone.

    On the orbit that touches b = 0 the amplitude shrinks in a turn as long as the cycle lies inside it; where it
    neither shrinks nor grows that orbit is the cycle.
    """
    from scipy.optimize import brentq

    def growth_of_touching_orbit(mu: float) -> float:
        centre = equilibrium(mu=mu)
        touching = brentq(lambda phi: slip_turn(phi, mu)[1], centre + 1e-4, centre + 0.1, xtol=1e-12)
        return slip_turn(touching, mu)[0] - touching

    return float(brentq(growth_of_touching_orbit, low, high, xtol=1e-9))


def end_of_slip_phase() -> float:
    """The friction at which stick ends in flight at once: A = 0 where the curve of stick meets b = 0 (e = 0).

    The force of the beginning slip, -b/A, is that of stick, which is positive: A and b vanish together.
    """
    from scipy.optimize import brentq

    def b_in_stick(phi: float) -> float:
        return float(evaluate("b", phi, -1.0 / math.cos(phi)))

    phi = brentq(b_in_stick, 0.3, 0.4, xtol=1e-15)
    return float(brentq(lambda mu: evaluate("A", phi, 0.0, 1.0, mu=mu), 0.1, 2.0, xtol=1e-14))


__all__ = [
    "CONTACT",
    "SHORTEST",
    "Attractor",
    "advance",
    "branch_end",
    "dropped",
    "end_of_slip_phase",
    "equilibrium",
    "evaluate",
    "follow_branch",
    "in_contact",
    "observe",
    "root_in",
    "slip_cycle_end",
    "wiper_system",
]
