"""Branch: orbits or equilibria along a parameter, as a labelled table with special points."""

from __future__ import annotations

from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.orbits.solution.signature import Signature, describe_signature
from jounce.analysis.variables import variable_names
from jounce.errors import OptionError, SimulationError, is_one_of, suggestion
from jounce.simulation.options import check_callable, is_finite
from jounce.system.checks import check_parameters
from jounce.units import in_units

if TYPE_CHECKING:
    import pandas as pd

    from jounce.analysis.orbits.equilibria.equilibrium import Equilibrium
    from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit

Solution = Any  # PeriodicOrbit | Equilibrium
_PLURAL = {"orbit": "orbits", "equilibrium": "equilibria"}


@dataclass(frozen=True, eq=False)
class BranchPoint:
    """One solution of a branch.

    solution   the orbit or equilibrium
    section    its state at phase 0 of the forcing, or after the first event of its signature, [2n]
    low, high  the least and the greatest value of every variable over the period, [2n]
    """

    solution: Solution
    section: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass(frozen=True, eq=False)
class SpecialPoint:
    """A bifurcation: its kind, the solution there, and in words what happens.

    kind          fold, period_doubling, neimark_sacker, pitchfork, transcritical, branch_point, hopf, limit_point, or
                  what the signature's change is: grazing, gain_of_flight, loss_of_stick, chatter_onset, ...;
                  stability_change where stability changes for a reason that could not be resolved
    parameter     the value at which it happens; ``uncertainty`` says how far it may be off
    after         the signature beyond, where it changes
    direction     of the branch that crosses, at a branch point: a change of all unknowns of the orbit's equations
    """

    kind: str
    parameter: float
    uncertainty: float
    solution: Solution
    explanation: str
    index: int
    after: Signature | None = None
    direction: np.ndarray | None = None


@dataclass(eq=False)
class Branch:
    """Solutions in order along a curve; ``table`` and ``special`` are pandas tables.

    parameter   the name of the parameter
    bounds      between which values it was followed
    ends        why the branch begins and why it ends

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> orbit = jounce.find_orbit(system, {"t": 1.5, "y": 6.4}, omega=3.0, e=0.9)
    >>> branch = jounce.continue_orbit(orbit, "omega", (2.9, 3.3), step=0.1)
    >>> branch.ends, [point.kind for point in branch.specials]
    (('omega reaches its bound 2.9', 'omega reaches its bound 3.3'), ['period_doubling'])
    """

    parameter: str
    bounds: tuple[float, float]
    kind: str  # "orbit" or "equilibrium"
    points: list[BranchPoint] = field(default_factory=list)
    specials: list[SpecialPoint] = field(default_factory=list)
    ends: tuple[str, str] = ("the start", "the end")
    settings: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def begun(
        cls,
        parameter: str,
        bounds: tuple[float, float],
        kind: str,
        step: float | None,
        direction: str,
        max_points: int,
    ) -> Branch:
        """A branch without points, with what is asked for; the largest step is a hundredth of the bounds by default."""
        low, high = bounds
        largest = float(step) if step is not None else (high - low) / 100
        settings = {"step": largest, "direction": direction, "max_points": max_points, "finished": []}
        return cls(parameter, (low, high), kind, settings=settings, ends=("not followed", "not followed"))

    def __len__(self) -> int:
        return len(self.points)

    @property
    def system(self) -> Any:
        """The compiled system."""
        return self.points[0].solution.system

    @property
    def values(self) -> np.ndarray:
        """The parameter at every point."""
        return np.array([point.solution.parameters[self.parameter] for point in self.points])

    @property
    def stable(self) -> np.ndarray:
        """Whether every point is stable."""
        return np.array([point.solution.stable for point in self.points], dtype=bool)

    @property
    def signatures(self) -> list[Signature]:
        """The signatures met, in order; the table refers to them by number."""
        found: dict[Signature, None] = {}
        for point in self.points:
            found.setdefault(point.solution.signature, None)
        return list(found)

    @property
    def table(self) -> pd.DataFrame:
        """One row a point: parameter, period, stable, extremes and section values of every variable, multipliers."""
        import pandas as pd

        names = self._variables()
        numbers = {signature: k for k, signature in enumerate(self.signatures)}
        rows = [self._row(point, names, numbers) for point in self.points]
        return pd.DataFrame(rows)

    def _row(self, point: BranchPoint, names: list[str], numbers: dict[Signature, int]) -> dict[str, Any]:
        solution = point.solution
        row: dict[str, Any] = {self.parameter: solution.parameters[self.parameter]}
        row |= {name: solution.parameters[name] for name in self.settings.get("also", [])}
        if self.kind == "orbit":
            row["period"] = solution.period
        row["stable"] = solution.stable
        row["signature"] = numbers[solution.signature]
        row |= dict(zip(names, point.section.tolist(), strict=True))
        if self.kind == "orbit":
            row |= {f"min_{name}": value for name, value in zip(names, point.low.tolist(), strict=True)}
            row |= {f"max_{name}": value for name, value in zip(names, point.high.tolist(), strict=True)}
        values = solution.multipliers if self.kind == "orbit" else solution.eigenvalues
        word = "multiplier" if self.kind == "orbit" else "eigenvalue"
        return row | {f"{word}_{k}": complex(value) for k, value in enumerate(values)}

    @property
    def special(self) -> pd.DataFrame:
        """One row a bifurcation: kind, parameter, period, explanation, and the point before which it lies."""
        import pandas as pd

        rows = []
        for special in self.specials:
            row: dict[str, Any] = {"kind": special.kind, self.parameter: special.parameter}
            row["uncertainty"] = special.uncertainty
            if self.kind == "orbit":
                row["period"] = special.solution.period
            row |= {"point": special.index, "explanation": special.explanation}
            rows.append(row)
        columns = ["kind", self.parameter, "uncertainty", *(["period"] if self.kind == "orbit" else []), "point"]
        return pd.DataFrame(rows, columns=[*columns, "explanation"])

    @property
    def extent(self) -> float:
        """How large the parameter is: the larger bound. What is known of its values is relative to this."""
        return max(abs(bound) for bound in self.bounds)

    def find(self, kind: str) -> list[SpecialPoint]:
        """The special points of one kind; "branch_point" finds pitchforks and transcritical points too."""
        from jounce.analysis.orbits.bifurcations.test_functions import BRANCH_POINTS, EXPLANATIONS

        if not is_one_of(kind, EXPLANATIONS):
            raise OptionError(f"no kind of bifurcation is called {kind!r}; {suggestion(kind, EXPLANATIONS, 'kinds')}")
        kinds = BRANCH_POINTS if kind == "branch_point" else (kind,)
        return [special for special in self.specials if special.kind in kinds]

    def orbit_at(self, value: float) -> list[PeriodicOrbit | Equilibrium]:
        """The solutions of the branch at a value of the parameter: Newton's method from the nearest points."""
        from jounce.analysis.orbits.continuation.continue_orbit import solution_at

        values = self.values
        crossing = np.flatnonzero((values[:-1] - value) * (values[1:] - value) <= 0)
        starts = {int(k if abs(values[k] - value) < abs(values[k + 1] - value) else k + 1) for k in crossing}
        return [solution_at(self.points[k].solution, self.parameter, value) for k in sorted(starts)]

    def variable(self, name: str) -> np.ndarray:
        """A column of the table."""
        table = self.table
        if name not in table:
            raise OptionError(f"the branch has no column {name!r}; {suggestion(name, map(str, table), 'columns')}")
        return table[name].to_numpy()

    def _variables(self) -> list[str]:
        system = self.system
        if self.kind == "orbit":
            return list(variable_names(system, self.points[0].solution.remembered if self.points else ()))
        return [*system.coordinate_names, *system.velocity_names]

    def save(self, path: str | PathLike[str]) -> None:
        """Write the branch to one file, which ``jounce.load`` reads back."""
        from jounce.analysis.orbits.files import save_branch

        save_branch(self, path)

    def _repr_html_(self) -> str:
        """For notebooks: how far the branch reaches, and its bifurcations."""
        from jounce.html_summary import summary, table

        if not self.points:
            return summary(f"Branch of {_PLURAL[self.kind]} in {self.parameter}: empty", {})
        values = self.values
        facts = {
            "points": f"{len(self)}, {int(self.stable.sum())} of them stable",
            self.parameter: f"{values.min():.8g} to {values.max():.8g}",
            "ends": " | ".join(self.ends),
        }
        rows = [(special.kind, special.parameter, special.explanation) for special in self.specials]
        title = f"Branch of {_PLURAL[self.kind]} of {self.system.model.name}"
        return summary(title, facts, table(("bifurcation", self.parameter, ""), rows))

    def __repr__(self) -> str:
        if not self.points:
            return f"<Branch of {_PLURAL[self.kind]} in {self.parameter}: empty>"
        values = self.values
        kinds = ", ".join(f"{s.kind} at {s.parameter:.8g}" for s in self.specials) or "no bifurcations"
        return (
            f"<Branch of {_PLURAL[self.kind]} of {self.system.model.name}: {len(self)} points, {self.parameter} = "
            f"{values.min():.6g} .. {values.max():.6g}; {kinds}>"
        )


def describe_signatures(branch: Branch) -> list[str]:
    """Every signature of a branch in words, by number."""
    return [describe_signature(signature) for signature in branch.signatures]


def check_special(special: Any, kinds: tuple[str, ...], why: str) -> None:
    """A special point of one of the kinds, as ``branch.find(kind)[0]`` gives."""
    if not isinstance(special, SpecialPoint):
        raise OptionError(
            f"{why}; give a special point like branch.find({kinds[0]!r})[0], not {type(special).__name__}"
        )
    if special.kind not in kinds:
        raise OptionError(f"{why}; this special point is a {special.kind}, not a {' or a '.join(kinds)}")


def check_request(
    solution: Solution,
    parameter: str,
    bounds: tuple[float, float],
    step: float | None,
    direction: str,
    max_points: int,
    progress: Any = None,
) -> tuple[float, float]:
    """Wrong names, bounds and steps, before anything is computed; the bounds as numbers."""
    system, parameters = solution.system, solution.parameters
    if not is_one_of(parameter, system.parameter_names):
        raise OptionError(f"no parameter {parameter!r}; {suggestion(parameter, system.parameter_names, 'parameters')}")
    try:
        low, high = map(float, in_units(bounds, system.model.units[parameter], "bounds", OptionError))
    except (TypeError, ValueError, OverflowError):
        low = high = np.nan
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise OptionError(f"bounds are {bounds!r}; they must be two finite numbers, the smaller first, like (2, 4)")
    value = parameters[parameter]
    if not low <= value <= high:
        raise OptionError(f"{parameter} is {value:g} at the start, which lies outside the bounds {low:g} .. {high:g}")
    fits = step is None or (is_finite(step) and 0.0 < step <= high - low and low + step > low and high - step < high)
    if not fits:
        raise OptionError(
            f"step is {step!r}; it must be positive, no larger than the bounds are apart, and not so small that it is "
            f"lost in the rounding of {parameter}"
        )
    check_callable("progress", progress)
    if not is_one_of(direction, ("both", "up", "down")):
        raise OptionError(f"direction is {direction!r}; it must be 'both', 'up' or 'down'")
    if isinstance(max_points, bool) or not isinstance(max_points, int) or max_points < 2:
        raise OptionError(f"max_points is {max_points!r}; it must be a whole number from 2 on")
    for bound in (low, high):
        _check_model_at(solution, parameter, bound)
    return low, high


def _check_model_at(solution: Solution, parameter: str, bound: float) -> None:
    """A bound at which the model makes no sense, such as a restitution above 1 or a frequency of 0."""
    from jounce.analysis.orbits.solution.closing import forcing_period

    system, state = solution.system, solution.state
    p = system.parameters(**{**solution.parameters, parameter: bound})
    try:
        check_parameters(system, state.t, state.q, state.u, p)
        period = forcing_period(system, p)
        if getattr(solution, "forcing_periods", 0) and period is None:
            raise SimulationError("time plays no part there, so the motion is not forced")
    except SimulationError as error:
        raise OptionError(
            f"bounds reach {parameter} = {bound:g}, where the model is not valid: {error}. Choose narrower bounds"
        ) from None
