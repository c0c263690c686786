"""Which restitution a law of compliant contact gives: asked for, achieved in a simulation, and in closed form.

A mass m meets a fixed surface with speed v and nothing else acts on it. With F = K delta^n (1 + a ddelta/v) the energy
integral separates: ddelta d(ddelta)/(1 + a ddelta/v) = -(K/m) delta^n d(delta), and compression and expansion reach the
same depth if

    a (1 + e) = ln[(1 + a)/(1 - a e)] ,

whatever m, K, n and v are. The linear laws are damped oscillators, zeta being their damping over the critical one:

    Kelvin-Voigt     zeta = c/(2 sqrt(k m))    e = exp(-zeta (pi - 2 asin zeta)/sqrt(1 - zeta^2))    until F = 0
                                               e = exp(-pi zeta/sqrt(1 - zeta^2))           until g = 0: adhesive
    Maxwell          zeta = sqrt(k m)/(2 c)    e = exp(-pi zeta/sqrt(1 - zeta^2))                    until F = 0

For zeta >= 1 the first continues as exp(-2 zeta acosh(zeta)/sqrt(zeta^2 - 1)) and the others give no rebound.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from jounce.errors import ModelError, OptionError
from jounce.model import Contact, Model, coordinate, parameter
from jounce.model.compliance import (
    ComplianceLaw,
    Hertz,
    KelvinVoigt,
    Maxwell,
    StandardLinearSolid,
    _Hysteretic,
)
from jounce.simulation.options import Options, check_range, is_finite
from jounce.simulation.simulate import simulate
from jounce.system.compilation import compile_model

if TYPE_CHECKING:
    from jounce.system.system import System

LONGEST = 1000.0  # of the contact's own time: a law that has not let go by then has no rebound


def achieved_restitution(
    law: ComplianceLaw, asked: float = 1.0, *, mass: float = 1.0, speed: float = 1.0, tolerance: float = 1e-12
) -> float:
    """The restitution that a simulated collision gives: a mass meets a fixed surface, nothing else acts.

    asked   the restitution asked for, of the laws that have one (HuntCrossley, LankaraniNikravesh, Flores2011)

    >>> round(jounce.achieved_restitution(jounce.HuntCrossley(1e6), 0.8), 4)
    0.8329
    """
    _check_positive(mass=mass, speed=speed)
    if not isinstance(law, ComplianceLaw):
        raise OptionError(f"achieved_restitution needs a law of compliance, like Hertz(1e9), not {type(law).__name__}")
    coefficients: dict[str, Any] = {name: float(value) for name, value in _dynamic(law).items()}
    kind: Any = type(law)
    system = _collision(kind, getattr(law, "adhesive", False))
    start = system.state(y=0.0, d_y=-speed)
    options = Options(tolerance=tolerance, record="events", ledger=False)
    t_end = LONGEST * _time_scale(law, mass, speed)
    run = simulate(system, start, t_end, options=options, stop_at={"open": 1}, m=mass, e=asked, **coefficients)
    # without any other force the speed of separation is still that at which the gap opens
    return run.final["d_y"] / speed if run.status.name == "STOPPED" else 0.0


def exact_restitution(law: ComplianceLaw, asked: float = 1.0, *, mass: float = 1.0) -> float:
    """The same in closed form (see above); the standard linear solid has none and is refused.

    >>> round(jounce.exact_restitution(jounce.KelvinVoigt(1e4, 20.0)), 6)
    0.744079
    """
    _check_positive(mass=mass)
    check_range("asked", asked, 0.0, 1.0)
    match law:
        case Hertz():
            return 1.0
        case _Hysteretic():
            return hysteretic_restitution(float(law.factor(asked)))
        case KelvinVoigt():
            zeta = float(law.damping) / (2 * math.sqrt(float(law.stiffness) * mass))
            return oscillator_restitution(zeta) if law.adhesive else _without_pull(zeta)
        case Maxwell():
            return oscillator_restitution(math.sqrt(float(law.stiffness) * mass) / (2 * float(law.damping)))
    raise ModelError(f"{type(law).__name__} has no closed form of its restitution; use achieved_restitution")


def hysteretic_restitution(a: float) -> float:
    """e of a (1 + e) = ln[(1 + a)/(1 - a e)], the root below min(1, 1/a)."""
    if a < 0.0:
        raise ModelError(f"the damping factor is {a}; it must not be negative")
    if a == 0.0:
        return 1.0
    goal = _beyond_logarithm(a)
    low, high = 0.0, min(1.0, 1.0 / a)
    for _ in range(100):
        e = 0.5 * (low + high)
        if a * e < 1.0 and _beyond_logarithm(-a * e) < goal:
            low = e
        else:
            high = e
    return 0.5 * (low + high)


def _beyond_logarithm(x: float) -> float:
    """x - ln(1 + x) without cancellation: the equation is this at a = this at -a e."""
    if abs(x) > 0.1:
        return x - math.log1p(x)
    return sum((-x) ** k / k for k in range(20, 1, -1))


def oscillator_restitution(zeta: float) -> float:
    """exp(-pi zeta/sqrt(1 - zeta^2)): half an oscillation; 0 from critical damping on."""
    return math.exp(-math.pi * zeta / math.sqrt(1.0 - zeta * zeta)) if zeta < 1.0 else 0.0


def damping_ratio(restitution: float) -> float:
    """The zeta for which half a damped oscillation has this restitution: -ln e/sqrt(pi^2 + ln^2 e)."""
    if not 0.0 < restitution <= 1.0:
        raise ModelError(f"the restitution is {restitution}; a damping ratio exists for values in (0, 1]")
    logarithm = math.log(restitution)
    return -logarithm / math.hypot(math.pi, logarithm)


def _without_pull(zeta: float) -> float:
    if zeta < 1.0:
        return math.exp(-zeta * 2.0 * math.acos(zeta) / math.sqrt(1.0 - zeta * zeta))
    if zeta == 1.0:
        return math.exp(-2.0)
    return math.exp(-zeta * 2.0 * math.acosh(zeta) / math.sqrt(zeta * zeta - 1.0))


def _dynamic(law: ComplianceLaw) -> dict[str, Any]:
    """The coefficients that matter in a frictionless collision and can change from run to run."""
    return {name: value for name, value in law.coefficients().items() if name != "friction_speed"}


def _time_scale(law: ComplianceLaw, mass: float, speed: float) -> float:
    """The time of a quarter oscillation, up to a factor of order one."""
    stiffness, n = float(law.stiffness), float(getattr(law, "exponent", 1.0))  # type: ignore[attr-defined]
    if isinstance(law, StandardLinearSolid):
        stiffness += float(law.branch_stiffness)
    depth = ((n + 1) * mass * speed**2 / (2 * stiffness)) ** (1 / (n + 1))
    return depth / speed


@cache
def _collision(kind: Any, adhesive: bool) -> System:
    """A mass above a surface at y = 0; the coefficients of the law are parameters, so one system serves them all."""
    fields = [name for name in kind.__dataclass_fields__ if name not in ("friction_speed", "adhesive")]
    law = kind(**{name: parameter(name, 1.0) for name in fields})
    if isinstance(law, KelvinVoigt):
        law = replace(law, adhesive=adhesive)
    y, dy = coordinate("y", "m")
    m, e = parameter("m", 1.0), parameter("e", 1.0)
    surface = Contact("surface", gap=y, restitution=e, compliance=law)
    model = Model.from_lagrangian(
        f"collision_{kind.__name__}", coordinates=[y], kinetic=m * dy**2 / 2, contacts=[surface], guards={"open": y},
        start={y: 1.0},
    )  # fmt: skip
    return compile_model(model)


def _check_positive(**values: float) -> None:
    for name, value in values.items():
        if not is_finite(value) or not 0.0 < float(value) * float(value) < math.inf:
            raise ModelError(f"{name} is {value!r}; it must be a positive number")
