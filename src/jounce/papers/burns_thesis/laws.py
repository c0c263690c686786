"""S. J. Burns, doctoral thesis, chapter 3: Brach's law, its extension and the energetic law, on one end of a rod.

The end P1 of the slender rod (m = 1, half length 1, I = 1/3) at the angle theta has, with x = cos, y = sin,

    A = 1 + y²/I,  B = -x y/I,  C = 1 + x²/I,    V_TC = V_T + y theta',  V_NC = V_N - x theta'    (3.1)-(3.5)
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from jounce.analysis.impacts.compare_laws import compare_laws
from jounce.analysis.impacts.impact import impact
from jounce.kernels.impact.tables import brach_case_of, brach_ratios_to
from jounce.papers.framework.claim import Claim, Verdict
from jounce.papers.framework.orbits import threshold

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INERTIA = 1 / 3
BRACH, ENERGETIC = "brach_extended", "energetic"
#: The map a region of the energetic law belongs to, Table 3.2.
MAPS = {1: "I", 2: "I", 3: "II", 4: "II", 7: "II", 8: "II", 5: "III", 6: "III", 9: "III", 10: "III"}
#: What limits the impulse ratio of the extended law of Brach, in the last digit of its region.
BOUNDS = {1: "mu_f", 2: "mu_C", 3: "mu_E"}


@dataclass(frozen=True)
class EnergyFigure:
    """A figure of the energy loss over the impulse ratio: the state before the impact and its axes."""

    theta: float
    V_T: float
    V_N: float
    spin: float
    reach: float
    zoom: tuple[float, float, float, float]  # of panel (b)
    height: tuple[float, float]  # of panel (a)


@dataclass(frozen=True)
class SweepFigure:
    """A figure of the slip velocity after over the one before the impact."""

    spin: float
    V_N: float
    theta: float
    e: float
    mu: float
    reach: tuple[float, float]


ENERGY_FIGURES = {
    "3.3": EnergyFigure(math.atan(2.0), -2.0, -1.5, 1.9, 9.0, (-0.9, 0.9, -0.1, 0.8), (-9.0, 1.0)),
    "3.4": EnergyFigure(0.5, 4.5, -3.0, -0.8, 14.0, (0.0, 12.0, 0.0, 0.35), (-0.3, 0.5)),
    "3.5": EnergyFigure(2.3, -2.46, -2.0, 2.9, 14.0, (-7.0, 3.0, 0.0, 0.0032), (-0.01, 0.01)),
}
SWEEP_FIGURES = {
    "3.8": SweepFigure(2.9, -2.0, 2.3, 0.9, 0.6, (-0.4, 0.3)),
    "3.10": SweepFigure(0.5, -2.0, 0.8, 0.9, 0.6, (-0.4, 1.0)),
    "3.11": SweepFigure(-0.8, -1.0, 0.2, 0.6, 0.5, (-0.05, 0.8)),
}


def rod_matrix(theta: float) -> dict[str, float]:
    """A, B, C of the rod's end."""
    x, y = math.cos(theta), math.sin(theta)
    return {"A": 1 + y * y / INERTIA, "B": -x * y / INERTIA, "C": 1 + x * x / INERTIA}


def contact_velocity(figure: EnergyFigure) -> tuple[float, float]:
    """(V_TC, V_NC) before the impact."""
    return (
        figure.V_T + math.sin(figure.theta) * figure.spin,
        figure.V_N - math.cos(figure.theta) * figure.spin,
    )


def ratios(name: str, e: float) -> dict[str, float]:
    """mu_C, mu_E1, mu_E2 (the smaller in size first), mu_M, mu_s in the thesis' sign, s = -sgn V_TC times p_t/p_n."""
    figure = ENERGY_FIGURES[name]
    v_t, v_n = contact_velocity(figure)
    found = np.zeros(5)
    brach_ratios_to.from_python(*rod_matrix(figure.theta).values(), v_t, v_n, e, found)
    sign = -math.copysign(1.0, v_t)
    return {key: sign * value for key, value in zip(("C", "E1", "E2", "M", "s"), found.tolist(), strict=True)}


def cases(name: str) -> str:
    """The cases of Table 3.1 for e = 0, 0.5 and 1."""
    v_t, _ = contact_velocity(ENERGY_FIGURES[name])
    sign = -math.copysign(1.0, v_t)
    found = []
    for e in (0.0, 0.5, 1.0):
        r = ratios(name, e)
        found.append(int(brach_case_of.from_python(*(sign * r[key] for key in ("E1", "E2", "M", "s")), sign)))
    return ", ".join(map(str, found))


def energy_loss(name: str, e: float, mu: np.ndarray) -> np.ndarray:
    """T_L(mu) over the energy before, (3.15): what an impulse of the ratio mu takes with Newton's restitution e."""
    figure = ENERGY_FIGURES[name]
    K, (v_t, v_n) = rod_matrix(figure.theta), contact_velocity(figure)
    r = -math.copysign(1.0, v_t) * mu
    p_n = -(1 + e) * v_n / (K["C"] + K["B"] * r)
    v_t_after = v_t + (K["A"] * r + K["B"]) * p_n
    loss = -p_n * (r * (v_t + v_t_after) + (1 - e) * v_n) / 2
    before = (figure.V_T**2 + figure.V_N**2 + INERTIA * figure.spin**2) / 2
    return np.asarray(loss / before)


# ------------------------------------------------------------------------------------------------ sweeps of V_TC


def inputs(name: str) -> dict[str, float]:
    """What an impact of this figure has besides its slip velocity."""
    figure = SWEEP_FIGURES[name]
    v_n = figure.V_N - math.cos(figure.theta) * figure.spin
    return {**rod_matrix(figure.theta), "v_n": v_n, "mu": figure.mu, "e": figure.e}


@cache
def sweep(name: str, law: str, low: float, high: float, points: int = 4001) -> pd.DataFrame:
    """V_TC from low to high through a law."""
    return compare_laws("v_t", np.linspace(low, high, points), laws=[law], **inputs(name))


def region(name: str, law: str, v_t: float) -> int:
    """The region of one impact."""
    return int(impact(law, v_t=v_t, **inputs(name)).region)


def stick_edge(name: str, law: str, low: float, high: float) -> float:
    """Where stick begins or ends between two slip velocities of which exactly one ends in stick."""

    def sticks(v_t: float) -> bool:
        return impact(law, v_t=v_t, **inputs(name)).v_t == 0.0

    return threshold(sticks, low, high, 1e-12)


def _same_edges() -> str:
    pairs = [(-0.14, -0.12), (0.005, 0.02)]
    apart = [abs(stick_edge("3.8", BRACH, *pair) - stick_edge("3.8", ENERGETIC, *pair)) for pair in pairs]
    return "at the same slip in both laws" if max(apart) < 1e-9 else "at different slips"


def _pieces(name: str, law: str, low: float, high: float) -> list[tuple[int, float]]:
    """(region, where it begins) along a sweep, each change bisected."""
    table = sweep(name, law, low, high, 20001)
    codes, where = table["region"].to_numpy(), table["v_t"].to_numpy()
    found = [(int(codes[0]), low)]
    for k in np.flatnonzero(np.diff(codes)):

        def before(v_t: float, code: int = int(codes[k])) -> bool:
            return region(name, law, v_t) == code

        found.append((int(codes[k + 1]), threshold(before, where[k], where[k + 1], 1e-9)))
    return found


def _maps_in_stick() -> str:
    low, high = stick_edge("3.8", ENERGETIC, -0.14, -0.12), stick_edge("3.8", ENERGETIC, 0.005, 0.02)
    return ", ".join(MAPS[code] for code, _ in _pieces("3.8", ENERGETIC, low + 1e-9, high - 1e-9))


def _largest_jump(law: str) -> float:
    """The largest jump of the centre's tangential velocity after the impact, over that before it (Fig. 3.9).

    The steepest interval of a sweep is swept again, twice: what is left of its step is a jump, not a slope.
    """
    low, high = SWEEP_FIGURES["3.8"].reach
    for _ in range(3):
        table = sweep("3.8", law, low, high, 10001)
        steps = np.abs(np.diff(table["v_t"] + table["p_t"]))
        k = int(np.argmax(steps))
        low, high = float(table["v_t"].iloc[k]), float(table["v_t"].iloc[k + 1])
    return float(steps[k])


def _jumps() -> str:
    sizes = {law: _largest_jump(law) for law in (BRACH, ENERGETIC)}
    brach, energetic = (f"{size:.4f} m/s" if size > 1e-9 else "none" for size in sizes.values())
    return f"the largest jump: {brach} against {energetic}"


def _more_severe() -> str:
    return "Brach's" if _largest_jump(BRACH) > _largest_jump(ENERGETIC) else "the energetic one"


def _end_of_stick_3_10() -> str:
    table = sweep("3.10", BRACH, -0.05, 1.0)
    stuck = (table["v_t_after"] == 0.0).to_numpy()
    bound = BOUNDS[int(table["region"].to_numpy()[~stuck][0]) % 10]
    stays = (sweep("3.10", ENERGETIC, -0.05, 1.0)["v_t_after"] == 0.0).all()
    return f"Brach: ends in {bound}; energetic: {'stays' if stays else 'ends'}"


@cache
def _bounds_3_11() -> list[tuple[str, float]]:
    """What limits the ratio of Brach's law along Fig. 3.11, and from which slip on."""
    found: list[tuple[str, float]] = []
    for code, where in _pieces("3.11", BRACH, 1e-6, 0.8):
        if not found or found[-1][0] != BOUNDS[code % 10]:
            found.append((BOUNDS[code % 10], where))
    return found


def _interrupted() -> str:
    return ", ".join(bound for bound, _ in _bounds_3_11()[1:4])


def _never_sticks() -> str:
    return "never" if (sweep("3.11", ENERGETIC, -0.05, 0.8)["v_t_after"] != 0.0).all() else "somewhere"


def _drawing(kind: str, name: str) -> Callable[[], Figure]:
    def draw() -> Figure:
        from jounce.papers.burns_thesis import figures as thesis_figures

        figure: Figure = getattr(thesis_figures, kind)(name)
        return figure

    return draw


def chapter_3_claims() -> list[Claim]:
    """Figs 3.3 to 3.11, in their order."""
    larger = '"mu_E1 is the larger root" does not hold here.'
    printed = {"3.3": ("6, 6, 6", larger), "3.4": ("3, 7, 7", ""), "3.5": ("3, 3, 3", "")}
    return [*(_energy_claim(name, *text) for name, text in printed.items()), *_claims_3_8(), *_claims_3_10()]


def _energy_claim(name: str, printed: str, note: str) -> Claim:
    f = ENERGY_FIGURES[name]
    return Claim(
        f"fig_{name.replace('.', '_')}_cases",
        "the cases of Table 3.1 for e = 0, 0.5 and 1",
        f"Fig. {name}",
        f"theta = {f.theta:.4g}, V_T = {f.V_T:g}, V_N = {f.V_N:g}, theta' = {f.spin:g}",
        printed,
        partial(cases, name),
        _drawing("energy_figure", name),
        note=note,
    )


def _given(name: str) -> str:
    f = SWEEP_FIGURES[name]
    return f"theta = {f.theta:g}, theta' = {f.spin:g}, V_N = {f.V_N:g}, e = {f.e:g}, mu = {f.mu:g}"


def _edge_claim(claim: str, name: str, printed: str, low: float, high: float) -> Claim:
    which = "from which" if claim.endswith("begins") else "up to which"
    return Claim(
        claim,
        f"the slip velocity {which} the end sticks",
        f"Fig. {name}",
        _given(name),
        printed,
        partial(stick_edge, name, ENERGETIC, low, high),
        _drawing("sweep_figure", name),
        Verdict.WRONG,
        "A grid point of the sampled curve: both laws change at ours.",
    )


def _claims_3_8() -> list[Claim]:
    given, figure = _given("3.8"), _drawing("sweep_figure", "3.8")
    return [
        _edge_claim("fig_3_8_stick_begins", "3.8", "-0.125", -0.14, -0.12),
        _edge_claim("fig_3_8_stick_ends", "3.8", "0.012", 0.005, 0.02),
        Claim(
            "fig_3_8_same",
            "stick begins and ends",
            "Fig. 3.8",
            given,
            "at the same slip in both laws",
            _same_edges,
            figure,
        ),
        Claim(
            "fig_3_8_maps",
            "the maps through which stick goes",
            "Fig. 3.8b",
            given,
            "II, III, III",
            _maps_in_stick,
            figure,
            Verdict.WRONG,
            "Slip that stops in restitution (map II) is a last, narrow piece before map I.",
        ),
        Claim(
            "fig_3_9_jumps",
            "the law whose discontinuities are more severe",
            "Fig. 3.9",
            given,
            "Brach's",
            _more_severe,
            _drawing("centre_figure", "3.8"),
            note="The text says that both laws jump; the energetic one has no jump in this range.",
            detail=_jumps,
        ),
    ]


def _claims_3_10() -> list[Claim]:
    given, figure = _given("3.11"), _drawing("sweep_figure", "3.11")
    return [
        _edge_claim("fig_3_10_stick_begins", "3.10", "-0.0713", -0.1, -0.05),
        Claim(
            "fig_3_10_stick_ends",
            "as the slip velocity grows further, stick",
            "Fig. 3.10",
            _given("3.10"),
            "Brach: ends in mu_E; energetic: stays",
            _end_of_stick_3_10,
            _drawing("sweep_figure", "3.10"),
        ),
        Claim(
            "fig_3_11_interrupted",
            "Brach's stick is interrupted: the bounds are",
            "Fig. 3.11a",
            given,
            "mu_C, mu_f, mu_C",
            _interrupted,
            figure,
            note="The first mu_C does not begin at V_TC = 0, as the text says, but at the first value shown.",
            detail=lambda: "from V_TC = " + ", ".join(f"{where:.4f}" for _, where in _bounds_3_11()[1:4]),
        ),
        Claim(
            "fig_3_11_energy_bound",
            "the slip velocity at which mu_f gives way to -mu_E",
            "section 3.3",
            given,
            "0.6421",
            lambda: _bounds_3_11()[-1][1],
            figure,
            note="Printed as a remark on Fig. 3.8; it belongs to Fig. 3.11.",
        ),
        Claim("fig_3_11_energetic", "the energetic law sticks", "Fig. 3.11b", given, "never", _never_sticks, figure),
    ]
