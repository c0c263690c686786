"""C. Liu, Z. Zhao and B. Chen (2006): a two-link manipulator on a moving belt, and its Painlevé paradox."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.papers.claim import Claim, Paper, Verdict
from jounce.papers.orbits import impacts, phases
from jounce.papers.portraits import draw_history, draw_orbit, finish, panels
from jounce.simulation.options import Options
from jounce.simulation.simulate import simulate
from jounce.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from jounce.analysis.painleve import SingularPoint
    from jounce.compilation.system import System

HEIGHT = 5 / 3
REACH = math.acos(HEIGHT - 1.0)
PLANE = {"theta1": (-REACH, REACH), "d_theta1": (-3.0, 3.0)}
BASE = "H = 5/3"

#: Section 6: start, height, duration and parameters.
CASES: dict[str, tuple[float, float, float, dict[str, Any]]] = {
    "case 4": (0.7, HEIGHT, 6.0, {"Kr": 150.0, "C1": 2.0, "C2": 2.0, "v_t": -0.4, "e": 0.7}),
    "case 4 plastic": (0.7, HEIGHT, 6.0, {"Kr": 100.0, "C1": 0.1, "C2": 0.1, "v_t": -0.4, "e": 0.0}),
    "case 5": (-0.2, HEIGHT, 6.0, {"Kr": 100.0, "C1": 0.1, "C2": 0.1, "v_t": 0.1, "e": 0.0}),
    "case 6": (0.5, 4 / 3, 60.0, {"Kr": 100.0, "C1": 0.1, "C2": 0.1, "v_t": -0.05, "e": 0.0}),
}


_NAMES = {"flight": "flight", "slip": "slip+", "back-slip": "slip-", "stick": "stick"}


@cache
def _system() -> System:
    from jounce.compilation.system import compile_model
    from jounce.systems import manipulator

    return compile_model(manipulator())


@cache
def case(name: str) -> Trajectory:
    """A run of section 6: at rest on the belt, the spring relaxed, the tip released whenever B > 0."""
    theta1, height, t_end, parameters = CASES[name]
    theta2 = math.acos(height - math.cos(theta1))
    options = Options(law="poisson", stick_release="free")
    start = _system().state(theta1=theta1, theta2=theta2)
    run = simulate(_system(), start, t_end, options=options, H=height, d0=theta1 - theta2, **parameters)
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


def _paradox_below() -> str:
    """Where theta1' > 0 is paradoxical at mu = 1.2: on both sides of theta1 = 0, or only on one."""
    from jounce.analysis.painleve import mode_map
    from jounce.analysis.painleve.scalar_problem import ScalarMode

    found = mode_map(_system(), PLANE, points=201, v_t=0.0, mu=1.2)
    upper = found.own_modes[:, found.values[1] > 0.0]
    theta1 = found.values[0][(upper >= ScalarMode.INDETERMINATE).any(axis=1)]
    return "also at theta1 < 0, apart" if theta1.min() < 0 < theta1.max() else "on one side"


def _case_5() -> str:
    run = case("case 5")
    settled = phases(run, "tip")[-1].word != "flight"
    return f"{len(impacts(run, 'tip'))} impacts, then {'contact' if settled else 'flight'}"


@cache
def _singular(mu: float) -> tuple[SingularPoint, ...]:
    from jounce.analysis.painleve import singular_points

    return tuple(sorted(singular_points(_system(), PLANE, v_t=0.0, mu=mu), key=lambda point: point.state["theta1"]))


def _coefficients() -> Any:
    from jounce.analysis.painleve import coefficients

    state = _system().state(theta1=0.7, theta2=0.4468)
    return coefficients(_system(), state, Kr=150.0, C1=2.0, C2=2.0, d0=0.7 - 0.4468, v_t=-0.4, mu=0.5)


def _minimal(height: float) -> float:
    from jounce.analysis.painleve import minimal_critical_friction

    reach = math.acos(height - 1.0)
    theta1 = 0.9 * reach
    start = _system().state(theta1=theta1, theta2=math.acos(height - math.cos(theta1)))
    found = minimal_critical_friction(_system(), {"theta1": (-reach, reach)}, state=start, H=height, points=201)
    return float(found.mu)


def _aligned() -> float:
    from jounce.analysis.painleve import critical_friction

    angle = math.acos(HEIGHT / 2)
    return float(critical_friction(_system(), _system().state(theta1=angle, theta2=angle)).mu)


def _towards_zero() -> str:
    ratio = _minimal(2 - 1e-6) / _minimal(2 - 1e-4)
    return "zero" if abs(ratio - 0.1) < 1e-2 else "not zero"  # like sqrt(2l - H)


# ------------------------------------------------------------------------------------------------ figures


def _minimum_figure() -> Figure:
    figure, (axes,) = panels(1, 5.4)
    heights = np.linspace(1.0, 1.999, 40)
    axes.plot(heights, [_minimal(float(height)) for height in heights])
    axes.plot(HEIGHT, _minimal(HEIGHT), "o", label=f"H = 5/3: {_minimal(HEIGHT):.5f}")
    return finish(figure, axes, "H [m]", "smallest critical friction", "Fig. 2")


def _map_figure(mu: float) -> Figure:
    from jounce.analysis.painleve import mode_map
    from jounce.analysis.painleve.scalar_problem import ScalarMode

    found = mode_map(_system(), PLANE, points=301, v_t=0.0, mu=mu)
    slip = np.where(found.slip_velocity >= 0, 1, -1)
    modes = np.where(slip > 0, found.modes[1], found.modes[-1])
    figure, (axes,) = panels(1, 6.0, 4.4)
    colours = ["#ffffff", "#56B4E9", "#DDDDDD", "#E69F00", "#D55E00"]
    from matplotlib.colors import ListedColormap

    axes.pcolormesh(*found.values, modes.T, cmap=ListedColormap(colours), vmin=-0.5, vmax=4.5, shading="auto")
    for mode in (ScalarMode.FLIGHT, ScalarMode.SLIDING, ScalarMode.INDETERMINATE, ScalarMode.INCONSISTENT):
        axes.plot([], [], "s", color=colours[mode], label=f"M{int(mode)}: {str(mode).lower()}")
    for point in _singular(mu):
        axes.plot(point.state["theta1"], point.state["d_theta1"], "k.", markersize=7)
    return finish(figure, axes, "θ1 [rad]", "dθ1/dt [rad/s]", f"admissible set, mu = {mu} (belt at rest)")


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
    return finish(figure, axes[2], "t [s]", "normal speed of the tip [m/s]")


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
            point = _singular(mu)[k]
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
                lambda: _map_figure(mu),
                expected,
                note,
            )

        claims += [claim("theta1", "theta1", angle), claim("d_theta1", "theta1'", rate), claim("kind", "type", kind)]
        if first is not None:
            claims.append(claim("lambda1", "first eigenvalue", first))
            note = "The sign, and so the type, holds. The Jacobian's entry is x2 dA/dx1, printed without x2."
            claims.append(claim("lambda2", "second eigenvalue", "22", Verdict.WRONG, note))
    return claims


_CASE_4 = "Kr = 150, C1 = C2 = 2, v_t = -0.4, e_p = 0.7"
_CASE_4_PLASTIC = "Kr = 100, C1 = C2 = 0.1, v_t = -0.4, e_p = 0"

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
    Claim("aligned_angle", "the angle of the aligned links", "(19)", BASE, "0.5857", lambda: math.acos(HEIGHT / 2)),
    *_point_claims(),
    Claim(
        "paradox_at_1_2",
        "with theta1' > 0 and mu = 1.2 the paradox appears",
        "section 4, Fig. 6",
        f"{BASE}, mu = 1.2, no torque",
        "also at theta1 < 0, apart",
        _paradox_below,
        lambda: _map_figure(1.2),
    ),
    Claim(
        "case_4_A",
        "A at the start of Case 4",
        "section 6",
        f"theta1 = 0.7, {_CASE_4}",
        "-0.0167",
        lambda: float(_coefficients().A),
        lambda: _map_figure(0.5),
    ),
    Claim(
        "case_4_B",
        "B at the start of Case 4",
        "section 6",
        f"theta1 = 0.7, {_CASE_4}",
        "-3.492",
        lambda: float(_coefficients().B),
        lambda: _map_figure(0.5),
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
