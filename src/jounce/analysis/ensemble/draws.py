"""Starts and parameters drawn from distributions: at random, on a Latin hypercube or a Sobol sequence.

All columns are drawn together, as points u in the unit cube. Column j is F_j^-1(u_j), with F_j the distribution asked
for. Correlated columns go through normal variables first: w = L Phi^-1(u) with L L^T = R, then F_j^-1(Phi(w_j)). Normal
columns so have the correlations R themselves; of others, R are the correlations of the normal variables behind them.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from jounce.errors import OptionError, is_one_of, suggestion
from jounce.simulation.options import check_whole, is_finite

METHODS = ("random", "latin_hypercube", "sobol")
INSIDE = 2.0**-53  # points keep this distance from the faces of the cube, where many distributions are infinite
MOST_RUNS = 100_000_000

Correlation = Mapping[tuple[str, str], float]


@dataclass(frozen=True)
class Normal:
    """A normal distribution.

    >>> jounce.Normal(6.0, 0.1)
    Normal(mean=6.0, deviation=0.1)
    """

    mean: float
    deviation: float

    def __post_init__(self) -> None:
        if not (is_finite(self.mean) and is_finite(self.deviation) and self.deviation >= 0.0):
            raise OptionError(f"{self!r}: mean and deviation must be finite, the deviation not negative")

    def ppf(self, u: np.ndarray) -> np.ndarray:
        """The value below which a draw lies with probability u."""
        from scipy.special import ndtri

        return self.mean + self.deviation * np.asarray(ndtri(u))


@dataclass(frozen=True)
class Uniform:
    """A uniform distribution between two numbers.

    >>> jounce.Uniform(0.7, 0.9)
    Uniform(low=0.7, high=0.9)
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (is_finite(self.low) and is_finite(self.high) and self.low <= self.high):
            raise OptionError(f"{self!r}: low and high must be finite, low not above high")

    def ppf(self, u: np.ndarray) -> np.ndarray:
        """The value below which a draw lies with probability u."""
        return self.low + (self.high - self.low) * u


def is_distribution(value: Any) -> bool:
    """Normal, Uniform, or any distribution of scipy.stats with its parameters given."""
    return callable(getattr(value, "ppf", None))


def draw(
    runs: int,
    distributions: Mapping[str, Any],
    *,
    seed: int = 0,
    method: str = "random",
    correlation: Correlation | None = None,
) -> dict[str, np.ndarray]:
    """Name -> ``runs`` values; the same for the same seed.

    distributions   name -> jounce.Normal, jounce.Uniform, or a distribution of scipy.stats, e.g. scipy.stats.gamma(2.0)
    method          "random"; "latin_hypercube": each column has one value in each of ``runs`` slices of equal
                    probability; "sobol": a scrambled Sobol sequence, best with a power of two of runs
    correlation     {(name, other): number in (-1, 1)}

    >>> columns = jounce.draw(1000, {"e": jounce.Uniform(0.7, 0.9)}, seed=1)
    >>> round(float(columns["e"].mean()), 2)
    0.8
    """
    check_whole("runs", runs, 1, MOST_RUNS)
    seed = check_whole("seed", seed, 0, 2**63)
    if not is_one_of(method, METHODS):
        raise OptionError(f"method is {method!r}; {suggestion(method, METHODS, 'methods')}")
    if not isinstance(distributions, Mapping):
        raise OptionError(f"distributions is {distributions!r}; it must be like {{'e': jounce.Uniform(0.4, 0.6)}}")
    if not isinstance(correlation, Mapping | None):
        raise OptionError(f"correlation is {correlation!r}; it must be like {{('e', 'mu'): 0.5}}, or None")
    names = list(distributions)
    for name in names:
        if not is_distribution(distributions[name]):
            raise OptionError(
                f"{name!r} is {distributions[name]!r}; it must be jounce.Normal(mean, deviation), jounce.Uniform(low, "
                "high) or a distribution of scipy.stats"
            )
    matrix = _correlation_matrix(names, correlation or {})
    points = np.clip(_points(runs, len(names), seed, method), INSIDE, 1.0 - INSIDE)
    if correlation:
        from scipy.special import ndtr, ndtri

        points = np.clip(ndtr(ndtri(points) @ np.linalg.cholesky(matrix).T), INSIDE, 1.0 - INSIDE)
    columns = {name: np.asarray(distributions[name].ppf(points[:, k]), dtype=float) for k, name in enumerate(names)}
    for name, values in columns.items():
        if values.shape != (runs,) or not np.all(np.isfinite(values)):
            raise OptionError(f"{name!r}: {distributions[name]!r} does not give {runs} finite numbers")
    return columns


def _points(runs: int, columns: int, seed: int, method: str) -> np.ndarray:
    """Points of the unit cube, [runs, columns]."""
    if columns == 0:
        return np.zeros((runs, 0))
    generator = np.random.default_rng(seed)
    if method == "random":
        return generator.random((runs, columns))

    from scipy.stats import qmc

    engine = (qmc.Sobol if method == "sobol" else qmc.LatinHypercube)(columns, seed=generator)
    with warnings.catch_warnings():
        # the balance of a number of points that is no power of two: said in the docstring
        warnings.filterwarnings("ignore", message="The balance properties of Sobol")
        return np.asarray(engine.random(runs))


def _correlation_matrix(names: list[str], correlation: Correlation) -> np.ndarray:
    matrix = np.eye(len(names))
    for pair, value in correlation.items():
        known = isinstance(pair, tuple) and len(pair) == 2 and all(is_one_of(name, names) for name in pair)
        if not known or pair[0] == pair[1]:
            raise OptionError(f"correlation: {pair!r} is no pair of drawn columns; {suggestion('', names, 'columns')}")
        if not is_finite(value) or not -1.0 < value < 1.0:
            raise OptionError(f"correlation of {pair[0]} and {pair[1]} is {value!r}; it must lie between -1 and 1")
        i, j = names.index(pair[0]), names.index(pair[1])
        matrix[i, j] = matrix[j, i] = value
    if names and not np.linalg.eigvalsh(matrix)[0] > 0.0:
        raise OptionError("correlation: no variables have all these correlations together; make some of them smaller")
    return matrix
