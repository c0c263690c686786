"""Newton's method for the equations of an orbit at fixed parameters."""

from __future__ import annotations

import numpy as np

from jounce.analysis.orbits.solution.evaluation import Evaluation
from jounce.analysis.orbits.solution.joined_run import joined
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.shooting import Shooting, variable_ranges
from jounce.analysis.variables import variable_names
from jounce.errors import SimulationError

#: An orbit closes to this, relative to the sizes of its variables, or better.
CLOSES = 1e-9
#: Newton stops where closure no longer falls and is below CLOSES.
_ITERATIONS = 40
#: Relative singular values below which a direction changes nothing: rounding; the error of derivatives in contact.
_CUTOFFS = (1e-10, 1e-7)
#: An orbit further from its guess than this many ranges of the guess's motion is not one near it.
_FARTHEST = 100.0


def newton(problem: Shooting, guess: Floats, tolerance: float | None = None) -> tuple[Floats, Evaluation]:
    """Solve the orbit's equations at fixed parameters; steps that make matters worse are shortened."""
    goal = max(1e-13, 2.0 * problem.options.tolerance) if tolerance is None else tolerance
    evaluation, first = problem.evaluate(guess), guess
    reach = _reach(problem, guess, evaluation)
    for _ in range(_ITERATIONS):
        if evaluation.closure <= goal:
            return guess, evaluation
        better = _improved(problem, guess, evaluation)
        if better is None or np.max(np.abs(better[0] - first) / reach) > _FARTHEST:
            break
        guess, evaluation = better
    if evaluation.closure <= CLOSES:
        return guess, evaluation
    raise SimulationError(
        f"no periodic orbit was found: Newton's method stopped with an error of {evaluation.closure:.2e}; "
        f"{what_is_open(problem, guess, evaluation)}. Start nearer to the orbit (simulate until the transient is over "
        "and take run.final), check period=, or use more nodes"
    )


def _improved(problem: Shooting, guess: Floats, evaluation: Evaluation) -> tuple[Floats, Evaluation] | None:
    """The next iterate: the smallest solution of the linearised equations, bounded; None where none is better.

    Where orbits form a family (a foot may stand anywhere on a flat floor) the Jacobian is singular up to its own
    rounding: the direction of the family must be left alone, or it is asked for a step without bound.
    """
    reach = _reach(problem, guess, evaluation)
    for cutoff in _CUTOFFS:
        step = evaluation.expand @ least_squares(evaluation.jacobian, -evaluation.residual, cutoff)
        longest = float(np.max(np.abs(step) / reach))
        better = _shortened(problem, guess, step / max(1.0, longest), evaluation)
        if better is not None:
            return better
    return None


def _reach(problem: Shooting, guess: Floats, evaluation: Evaluation) -> Floats:
    """How far each unknown may move in one step: the range of its variable over the present motion, half a period.

    Linearisation says nothing about states further away than the orbit is large.
    """
    run = joined([segment.run for segment in evaluation.segments])
    ranges = np.tile(variable_ranges(run, problem.remembered), len(problem.fractions))
    tail = guess[len(ranges) :]
    period = [0.5 * problem.period(guess)] if problem.multiple == 0 else []
    return np.concatenate([ranges, period, np.full(len(tail) - len(period), np.inf)])


def what_is_open(problem: Shooting, guess: Floats, evaluation: Evaluation) -> str:
    """Which variable comes back worst, by how much it is off after a period and how far it ranges."""
    run = joined([segment.run for segment in evaluation.segments])
    names = variable_names(problem.system, problem.remembered)
    ends = [*problem.states(guess)[1:], problem.states(guess)[0]]
    jumps = [segment.final_vector - end for segment, end in zip(evaluation.segments, ends, strict=True)]
    errors = np.array([problem.closed(guess, jump) for jump in jumps])
    ranges = variable_ranges(run, problem.remembered)
    worst = int(np.argmax(np.abs(errors / ranges).max(axis=0)))
    off = float(errors[np.argmax(np.abs(errors[:, worst])), worst])
    words = f"{names[worst]} does not close: it is off by {off:.3g} after {problem.period(guess):.6g} s"
    words += f" (its range is {ranges[worst]:.3g})"
    if worst >= problem.system.n:
        return words
    return f"{words}; if it comes back up to a shift, say by how much: closes={{{names[worst]!r}: ...}}"


def _shortened(problem: Shooting, guess: Floats, step: Floats, before: Evaluation) -> tuple[Floats, Evaluation] | None:
    """The longest of step, step/2, ... that reduces the error; None where none does."""
    fraction = 1.0
    for _ in range(8):
        trial = guess + fraction * step
        try:
            trial = problem.projected(trial)
            evaluation = problem.evaluate(trial)
        except SimulationError:
            fraction *= 0.25
            continue
        if evaluation.closure < before.closure * (1.0 - 0.1 * fraction):
            return trial, evaluation
        fraction *= 0.5
    return None


def least_squares(matrix: Floats, right: Floats, cutoff: float) -> Floats:
    """The smallest solution; directions in which nothing changes (a family of orbits) are left alone."""
    return np.asarray(np.linalg.lstsq(matrix, right, rcond=cutoff)[0], dtype=np.float64)
