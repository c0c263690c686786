"""C. Liu, Z. Zhao and B. Chen (2006): a two-link manipulator on a moving belt, and its Painlevé paradox."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.painleve import critical_friction, minimal_critical_friction, mode_map
from jounce.analysis.painleve.scalar_problem import ScalarMode
from jounce.papers.framework.claim import Claim, Paper, Verdict
from jounce.papers.framework.portraits import finish, panels
from jounce.papers.liu2006.cases import case_claims
from jounce.papers.liu2006.model import HEIGHT, PLANE, manipulator_system, map_figure, singular

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BASE = "H = 5/3"


def _paradox_below() -> str:
    """Where theta1' > 0 is paradoxical at mu = 1.2: on both sides of theta1 = 0, or only on one."""
    found = mode_map(manipulator_system(), PLANE, points=201, v_t=0.0, mu=1.2)
    upper = found.own_modes[:, found.values[1] > 0.0]
    theta1 = found.values[0][(upper >= ScalarMode.INDETERMINATE).any(axis=1)]
    return "also at theta1 < 0, apart" if theta1.min() < 0 < theta1.max() else "on one side"


def _minimal(height: float) -> float:
    reach = math.acos(height - 1.0)
    theta1 = 0.9 * reach
    start = manipulator_system().state(theta1=theta1, theta2=math.acos(height - math.cos(theta1)))
    found = minimal_critical_friction(
        manipulator_system(), {"theta1": (-reach, reach)}, state=start, H=height, points=201
    )
    return float(found.mu)


def _aligned() -> float:
    angle = math.acos(HEIGHT / 2)
    return float(critical_friction(manipulator_system(), manipulator_system().state(theta1=angle, theta2=angle)).mu)


def _towards_zero() -> str:
    ratio = _minimal(2 - 1e-6) / _minimal(2 - 1e-4)
    return "zero" if abs(ratio - 0.1) < 1e-2 else "not zero"  # like sqrt(2l - H)


# ------------------------------------------------------------------------------------------------ figures


@cache
def _minimum_figure() -> Figure:
    figure, (axes,) = panels(1, 5.4)
    heights = np.linspace(1.0, 1.999, 40)
    axes.plot(heights, [_minimal(float(height)) for height in heights])
    axes.plot(HEIGHT, _minimal(HEIGHT), "o", label=f"H = 5/3: {_minimal(HEIGHT):.5f}")
    return finish(figure, axes, "H [m]", "smallest critical friction", "Fig. 2")


# ------------------------------------------------------------------------------------------------ claims


def _point_claims() -> list[Claim]:
    printed = [
        ("node", 0.5, 0, "0.6819", "-1.006", "1.273", "unstable node"),
        ("saddle", 0.5, 1, "0.744", "-0.982", "-1.379", "saddle"),
        ("upper", 0.8, 0, "0.5266", "1.6153", None, "saddle"),
        ("lower", 0.8, 1, "0.7944", "-0.8617", None, "saddle"),
    ]
    claims = []
    for name, mu, k, angle, rate, first, kind in printed:
        where = "section 4, Fig. 3" if mu == 0.5 else "section 4, Fig. 5"
        parameters = f"{BASE}, mu = {mu}, no torque"

        def entry(part: str, k: int = k, mu: float = mu) -> Any:
            point = singular(mu)[k]
            return {"kind": point.kind, "lambda1": point.eigenvalues[0], "lambda2": point.eigenvalues[1]}.get(
                part, point.state[part] if part in ("theta1", "d_theta1") else None
            )

        def claim(
            part: str,
            text: str,
            value: str,
            expected: Verdict = Verdict.HOLDS,
            note: str = "",
            entry: Any = entry,
            name: str = name,
            where: str = where,
            parameters: str = parameters,
            mu: float = mu,
        ) -> Claim:
            return Claim(
                f"{name}_{part}",
                f"singular point A = B = 0: {text}",
                where,
                parameters,
                value,
                lambda: entry(part),
                lambda: map_figure(mu),
                expected,
                note,
            )

        claims += [claim("theta1", "theta1", angle), claim("d_theta1", "theta1'", rate), claim("kind", "type", kind)]
        if first is not None:
            claims.append(claim("lambda1", "first eigenvalue", first))
            note = "The sign, and so the type, holds. The Jacobian's entry is x2 dA/dx1, printed without x2."
            claims.append(claim("lambda2", "second eigenvalue", "22", Verdict.WRONG, note))
    return claims


CLAIMS = (
    Claim(
        "minimal_friction",
        "the smallest friction at which A can vanish",
        "section 4",
        BASE,
        "0.4807",
        lambda: _minimal(HEIGHT),
        _minimum_figure,
    ),
    Claim(
        "minimal_friction_limit",
        "as H tends to 2l the smallest critical friction tends to",
        "section 3, Fig. 2",
        "l = 1",
        "zero",
        _towards_zero,
        _minimum_figure,
    ),
    Claim(
        "aligned_friction",
        "the critical friction with aligned links",
        "(19)",
        BASE,
        "0.633",
        _aligned,
        _minimum_figure,
        Verdict.WRONG,
        "Ours is sqrt(4 l² - H²)/H, the paper's own formula.",
    ),
    Claim(
        "aligned_angle",
        "the angle of the aligned links",
        "(19)",
        BASE,
        "0.5857",
        lambda: math.acos(HEIGHT / 2),
        _minimum_figure,
    ),
    *_point_claims(),
    Claim(
        "paradox_at_1_2",
        "with theta1' > 0 and mu = 1.2 the paradox appears",
        "section 4, Fig. 6",
        f"{BASE}, mu = 1.2, no torque",
        "also at theta1 < 0, apart",
        _paradox_below,
        lambda: map_figure(1.2),
    ),
    *case_claims(),
)

PAPER = Paper(
    name="liu2006",
    citation="Liu, Zhao and Chen, The bouncing motion appearing in a robotic system with unilateral constraint, "
    "Nonlinear Dynamics 49 (2007) 217-232 (published online 2006)",
    summary="Two links hang above a moving belt (`jounce.systems.manipulator`). In some configurations sliding has no "
    "consistent force: an impact without collision follows. Impacts follow Poisson's law (`law='poisson'`).",
    claims=CLAIMS,
    choices=(
        "The spring is relaxed at the start; the damper in the elbow dissipates: "
        "tau2 = Kr[(theta1 - theta2) - (theta1 - theta2)_0] + C2 (theta1' - theta2').",
        '"Cannot enter the paradox from slip" holds only for a belt at rest: with v_t = -1, mu = 0.5 and no torque, '
        "theta1 = 0.6 and theta1' = 1 run into A = B = 0 at t = 0.115.",
    ),
    misprints=(
        "R2 = -m l² theta1'² sin(theta1 - theta2)/2.",
        "(13): 3 cos(theta1 - theta2) sin sin.",
        "(17): dx1/dt = x2; the Jacobian's J11 = x2 dA/dx1.",
        "mu0* = 0.6633, not 0.633.",
        '"Unstable sink" is an unstable node.',
        "Appendix, h2: (3/8) cos(theta1 - theta2) tau1.",
        "(29): the printed damper pumps energy.",
        "Case 5 starts at theta2 = 0.81399.",
    ),
)
