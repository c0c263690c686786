"""Test functions: quantities of an orbit that change their sign at a bifurcation, and the search for their zeros."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from jounce.analysis.orbits.continuation.arclength import Metric, bordered
from jounce.analysis.orbits.solution.mode_surface import Floats

#: Name -> (label in a picture, what happens there).
EXPLANATIONS = {
    "fold": ("SN", "saddle-node: a stable and an unstable orbit meet; a multiplier is +1"),
    "period_doubling": ("PD", "period doubling: a multiplier is -1; an orbit of twice the period branches off"),
    "period_halving": (
        "PD",
        "the orbit becomes one of half its period: the branch begins at its period doubling",
    ),
    "neimark_sacker": ("NS", "Neimark-Sacker: a pair of multipliers crosses the unit circle; a torus branches off"),
    "branch_point": ("BP", "branch point: another branch of the same period crosses; a multiplier is +1"),
    "pitchfork": ("PF", "pitchfork: two more branches begin; a symmetry is broken as a rule"),
    "transcritical": ("TC", "transcritical: two branches cross and exchange their stability"),
    "stability_change": ("?", "stability changes, and what happens could not be resolved"),
    "hopf": ("H", "Hopf: a pair of eigenvalues crosses the imaginary axis; a periodic orbit branches off"),
    "limit_point": ("LP", "limit point: two equilibria meet; an eigenvalue is 0"),
    "grazing": ("G", "grazing"),
    "gain_of_flight": ("+F", "flight enters"),
    "loss_of_flight": ("-F", "flight is lost"),
    "gain_of_stick": ("+St", "stick enters"),
    "loss_of_stick": ("-St", "stick is lost"),
    "gain_of_slip": ("+Sl", "slip enters"),
    "loss_of_slip": ("-Sl", "slip is lost"),
    "chatter_onset": ("+C", "chatter sets in"),
    "chatter_end": ("-C", "chatter ends"),
    "impact_case": ("IC", "an impact passes into another case of its law"),
    "boundary": ("B", "boundary equilibrium"),
}

#: How many multipliers (eigenvalues) a zero of a test function moves across the border of stability.
CROSSES = {
    "fold": 1,
    "branch_point": 1,
    "period_doubling": 1,
    "neimark_sacker": 2,
    "limit_point": 1,
    "hopf": 2,
}
#: What vanishes for a pair of multipliers (eigenvalues) where it crosses that border.
PAIRS: dict[str, Callable[[complex, complex], complex]] = {
    "neimark_sacker": lambda a, b: 1.0 - a * b,
    "hopf": lambda a, b: a + b,
}
#: Kinds of branch point: two branches of one period cross.
BRANCH_POINTS = ("branch_point", "pitchfork", "transcritical")


def label_of(kind: str) -> str:
    """The short label of a kind of bifurcation."""
    return EXPLANATIONS.get(kind, (kind[:2].upper(), ""))[0]


def orbit_tests(multipliers: np.ndarray, evaluation: Any, direction: Floats, metric: Metric) -> dict[str, float]:
    """Fold: dp/ds. Flip: prod (1 + mu). Neimark-Sacker: prod_{i<j} (1 - mu_i mu_j). Branch point: the bordered det."""
    return {
        "fold": float(direction[-1]),
        "period_doubling": float(np.prod(1.0 + multipliers).real),
        "neimark_sacker": pair_product(multipliers, PAIRS["neimark_sacker"]),
        "branch_point": _determinant(bordered(evaluation, direction, metric)),
    }


def equilibrium_tests(eigenvalues: np.ndarray, evaluation: Any, direction: Floats, metric: Metric) -> dict[str, float]:
    """Limit point: dp/ds. Hopf: prod_{i<j} (lambda_i + lambda_j), scaled to 1. Branch point: the bordered det."""
    scale = max(float(np.abs(eigenvalues).max(initial=0.0)), 1e-300)
    return {
        "limit_point": float(direction[-1]),
        "hopf": pair_product(eigenvalues / scale, PAIRS["hopf"]),
        "branch_point": _determinant(bordered(evaluation, direction, metric)),
    }


def _determinant(matrix: Floats) -> float:
    """Smooth along a branch, also through folds; large ones are cut, because only the sign and the zero matter."""
    sign, logarithm = np.linalg.slogdet(matrix)
    return float(sign * np.exp(min(float(logarithm), 600.0)))


def pair_product(values: np.ndarray, term: Callable[[complex, complex], complex]) -> float:
    """The product over all pairs; real, because complex values come in conjugate pairs. 1 where there is no pair."""
    total: complex = 1.0
    for i in range(len(values)):
        for j in range(i):
            total *= term(values[i], values[j])
    return float(np.real(total))


def has_balanced_pair(kind: str, values: np.ndarray, width: float) -> bool:
    """Whether what a test function multiplies is zero for one of its pairs, as far as it is known."""
    return any(abs(PAIRS[kind](a, b)) <= width for a, b in combinations(values, 2))


def confirmed(kind: str, values: np.ndarray) -> bool:
    """Whether a zero of a test function is what its name says: the pair must be complex."""
    if kind == "neimark_sacker":
        pairs = [v for v in values if abs(v.imag) > 1e-6 * abs(v) and abs(abs(v) - 1.0) < 1e-3]
        return bool(pairs)
    if kind == "hopf":
        scale = max(np.abs(values).max(initial=0.0), 1e-300)
        return any(abs(v.real) < 1e-4 * scale and abs(v.imag) > 1e-6 * scale for v in values)
    return True


def find_zero(function: Callable[[float], float], low: float, high: float, at_low: float, at_high: float) -> float:
    """The zero of a test function between two lengths, as sharply as rounding allows."""
    from scipy.optimize import brentq

    known = {low: at_low, high: at_high}

    def value(length: float) -> float:
        if length not in known:
            known[length] = function(length)
        return known[length]

    return float(brentq(value, low, high, xtol=1e-13 * max(abs(low), abs(high)), rtol=1e-14, maxiter=60))
