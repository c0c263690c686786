"""PeriodicOrbit and find_orbit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.orbits.solution.closing import (
    as_guess,
    check_period,
    check_run,
    estimate_period,
    motion,
    past_first_jump,
)
from jounce.analysis.orbits.solution.evaluation import Evaluation
from jounce.analysis.orbits.solution.joined_run import joined
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.multipliers import Multipliers, multipliers_of
from jounce.analysis.orbits.solution.newton import newton, what_is_open
from jounce.analysis.orbits.solution.node_places import GROWTH, growth
from jounce.analysis.orbits.solution.problems import new_shooting, shooting_of
from jounce.analysis.orbits.solution.shooting import Shooting
from jounce.analysis.orbits.solution.signature import Signature, describe_signature, signature_of
from jounce.analysis.orbits.solution.symmetry import find_symmetry, with_closes
from jounce.analysis.scales import variable_sizes
from jounce.analysis.variables import place_columns, variable_names, variables_at, variables_of
from jounce.errors import OptionError, SimulationError, is_one_of
from jounce.simulation.options import Options, as_options, check_names, check_whole, refuse_options
from jounce.system.inputs import StateLike, SystemLike, as_system, beside_parameters

if TYPE_CHECKING:
    import pandas as pd

    from jounce.simulation.trajectory import Trajectory
    from jounce.system.state import State
    from jounce.system.system import System

#: What an orbit is computed with unless options say otherwise: bifurcations are located to 1e-8.
ORBIT_TOLERANCE = 1e-12
#: Bounces are followed one by one down to this part of the contact's speed. With ten times as much the multipliers of a
#: wiper that chatters are good to 5e-5; with less those of a rod that rattles are lost in rounding.
CHATTER_RISE = 1e-14
#: A period with more events than this is none: a guess that rattles without end must not hold up the search.
MAX_EVENTS = 1000
#: A motion that moves by less than this, relative to the sizes of its variables, rests; two states nearer are the same.
_STILL = 1e-7


@dataclass(frozen=True, eq=False)
class PeriodicOrbit:
    """A periodic motion.

    state        one state of it, in the middle of a smooth stretch; ``state.t`` is its time within the forcing
    period       the time it takes; ``forcing_periods`` counts those of the forcing (0: autonomous)
    parameters   all parameters by name
    monodromy    d z(T)/d z(0) at ``state``, z = [q, u] and behind them the discrete states that take real values
    signature    its events in order, each (kind, contact, mode before, mode after, case of the impact law)
    drift        coordinates that do not return, such as a position along a floor, and how far they go in a period
    closure      how well it closes, relative to the sizes of its variables
    shots        the states at the nodes, where perturbations grow too much to follow it in one go
    hold         variables that were not varied: multipliers are those of the motion in which they stay as they are
    closes       coordinates that return up to a shift: by how much, as expressions of the parameters
    remembered   compliant contacts of which z has 1/v of the last touch, too: one of them is pressed at any time
    irregular    events at which the motion has no derivative, or none that is well conditioned (a grazing, the slowest
                 bounces of a rattling body): where there are any the multipliers are not to be trusted

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> orbit = jounce.find_orbit(system, {"t": 1.5, "y": 6.4}, omega=3.0, e=0.9)
    >>> orbit.stable, [round(float(abs(value)), 6) for value in orbit.multipliers]
    (True, [0.9, 0.9])
    """

    system: System
    parameters: dict[str, float]
    state: State
    period: float
    forcing_periods: int
    monodromy: Floats
    signature: Signature
    closure: float
    options: Options
    drift: dict[str, float] = field(default_factory=dict)
    spectrum: Multipliers = field(default_factory=Multipliers, repr=False)
    shots: tuple[State, ...] = ()
    hold: tuple[str, ...] = ()
    irregular: int = 0
    closes: dict[str, str] = field(default_factory=dict)
    remembered: tuple[int, ...] = ()

    @property
    def multipliers(self) -> np.ndarray:
        """All eigenvalues of the monodromy matrix, the largest first; in stick and with joints some are zero."""
        return self.spectrum.values

    @property
    def trivial(self) -> np.ndarray:
        """Which multipliers are 1 for every orbit: shifts along an autonomous orbit and along ignorable coordinates."""
        return self.spectrum.trivial

    @property
    def nontrivial(self) -> np.ndarray:
        """The multipliers that decide stability, the largest first."""
        return self.spectrum.nontrivial

    @property
    def stable(self) -> bool:
        """Whether every nontrivial multiplier lies inside the unit circle, further than it is known."""
        return self.spectrum.radius < 1.0 - self.spectrum.width

    @property
    def neutral(self) -> bool:
        """Whether no multiplier lies outside the unit circle but some on it, as far as they are known."""
        return self.spectrum.unstable == 0 and self.spectrum.neutral > 0

    @property
    def stability(self) -> str:
        """stable, neutral or unstable."""
        return "stable" if self.stable else "neutral" if self.neutral else "unstable"

    @property
    def nodes(self) -> int:
        """How many nodes the shooting had."""
        return max(1, len(self.shots))

    @cached_property
    def run(self) -> Trajectory:
        """One period of the motion, dense, from ``state`` on."""
        options = replace(self.options, record="all")
        starts = self.shots or (self.state,)
        ends = [*(shot.t for shot in starts[1:]), self.state.t + self.period]
        spans = [end - start.t for start, end in zip(starts, ends, strict=True)]
        parts = zip(starts, spans, strict=True)
        runs = [motion(self.system, start, span, options, self.parameters) for start, span in parts]
        return joined([check_run(run, "the orbit") for run in runs])

    def closed(self, difference: Floats) -> Floats:
        """The difference of two states as an error of closure: shifts, turns and drifts taken out."""
        p = self.system.parameters(**self.parameters)
        symmetry = replace(find_symmetry(self.system), closes=tuple(self.closes.items()))
        return symmetry.close(difference, symmetry.shift(self.system, p, len(difference)))

    @property
    def events(self) -> pd.DataFrame:
        """The events of one period."""
        return self.run.events

    def at(self, t: float) -> State:
        """The state at any time: the motion repeats (coordinates that drift are those of the first period)."""
        wrapped = self.state.t + (t - self.state.t) % self.period
        return self.run.at(min(wrapped, self.run.t_end))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the orbit to one file, which ``jounce.load`` reads back."""
        from jounce.analysis.orbits.files import save_orbit

        save_orbit(self, path)

    def __repr__(self) -> str:
        forcing = f" = {self.forcing_periods} of the forcing" if self.forcing_periods else ""
        return (
            f"<PeriodicOrbit of {self.system.model.name}: period {self.period:.8g}{forcing}, "
            f"{self.stability} (largest multiplier {self.spectrum.radius:.6g}), "
            f"{describe_signature(self.signature)}>"
        )


@beside_parameters
def find_orbit(
    system: SystemLike,
    guess: StateLike,
    section: Any = None,
    *,
    period: int = 1,
    nodes: int | str = "auto",
    hold: Sequence[str] = (),
    closes: Mapping[str, Any] | None = None,
    options: Options | None = None,
    **parameters: float | str,
) -> PeriodicOrbit:
    """The periodic orbit near ``guess``.

    section   what a return is: "phase:0", "impact:P1", "guard:name:+1", "plane:theta=0.1:+1" or a Section. By default
              the phase of the forcing; for an autonomous model the recurrence of the motion itself
    period    how many returns make a period
    nodes     nodes of the shooting; "auto" takes more than one where perturbations grow strongly
    hold      variables that a symmetry keeps and that are not varied, like "theta" and "d_theta" of a rod that stays
              level: where its two ends strike at once no derivative by the angle exists
    closes    {"x": 2*L}: coordinates that return up to whole multiples of a shift, a number or an expression of the
              parameters, under which the model stays the same; several shift together
    options   as for simulate; by default tolerance=1e-12 and chatter_rise=1e-14

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> orbit = jounce.find_orbit(system, {"t": 1.5, "y": 6.4}, omega=3.0, e=0.9)
    >>> round(orbit.period, 6), orbit.stability
    (2.094395, 'stable')
    """
    system = as_system(system, "find_orbit")
    options = orbit_options(options)
    refuse_options(parameters, system)
    numbers = system.numbers(parameters)
    guess = as_guess(system, guess, numbers)
    hold = check_names("hold", hold)
    check_whole("period", period, 1, 1_000_000)
    if not is_one_of(nodes, ("auto",)) and (type(nodes) is not int or not 1 <= nodes <= 200):
        raise OptionError(f"nodes is {nodes!r}; it must be 'auto' or a whole number from 1 to 200")
    p = system.parameters(**numbers)
    check_period(system, guess, p)
    symmetry = with_closes(system, {} if closes is None else closes, p, guess)
    guess = symmetry.brought_back(guess, symmetry.shift(system, p))
    span = estimate_period(system, guess, section, period, options, numbers, symmetry)
    problem = new_shooting(system, options, numbers, span, hold, closes)
    run = check_run(motion(system, guess, span, options, numbers), "the guess")
    run = past_first_jump(run, options, numbers)
    automatic = nodes == "auto"
    problem, unknowns = problem.placed(run, 1 if automatic else int(nodes))
    solved = _solve(problem, unknowns, run, automatic)
    orbit = orbit_from(*solved)
    if _is_point(orbit):
        raise _shrunk(orbit, f". From the guess {what_is_open(problem, unknowns, problem.evaluate(unknowns))}")
    return primitive(orbit)


def orbit_options(options: Options | None) -> Options:
    """Options for orbits: tight, dense, without the work ledger."""
    if options is None:
        return Options(tolerance=ORBIT_TOLERANCE, chatter_rise=CHATTER_RISE, ledger=False, max_events=MAX_EVENTS)
    options = as_options(options)
    return replace(options, record="all", ledger=False, max_events=min(options.max_events, MAX_EVENTS))


def otherwise(options: Options, run: Trajectory) -> Options:
    """Options with which the same motion is computed in another way: the difference says how far it may be off.

    Steps are half as long at most and bounces are extrapolated from earlier on. A tighter tolerance alone would not do:
    where steps are limited by something else it changes nothing.
    """
    return replace(
        options,
        tolerance=max(0.1 * options.tolerance, 1e-14),
        largest_step=0.5 * float(run.data.step_h.max(initial=run.t_end - run.t_start)),
        chatter_rise=min(10.0 * options.chatter_rise, 1e-4),
        chatter_speed=None if options.chatter_speed is None else 3.0 * options.chatter_speed,
    )


def _solve(
    problem: Shooting, unknowns: Floats, run: Trajectory, more_nodes: bool
) -> tuple[Shooting, Floats, Evaluation]:
    """Newton's method; where it fails or perturbations grow strongly, again with more nodes."""
    counts = [len(problem.fractions), 4, 12] if more_nodes else [len(problem.fractions)]
    failure: SimulationError | None = None
    for count in counts:
        if count != len(problem.fractions):
            problem, unknowns = problem.placed(run, count)
        try:
            found, evaluation = newton(problem, unknowns)
        except SimulationError as error:
            failure = error
            continue
        if growth(evaluation).max() > GROWTH and count != counts[-1]:
            run = problem.follow(found)
            continue
        return problem, found, evaluation
    raise failure or SimulationError("no orbit was found")


def orbit_from(problem: Shooting, unknowns: Floats, evaluation: Evaluation) -> PeriodicOrbit:
    """The orbit that solves the equations."""
    run = joined([segment.run for segment in evaluation.segments])
    z = problem.states(unknowns)[0]
    end = variables_of(problem.system, run.final, problem.remembered)
    orbit = PeriodicOrbit(
        system=problem.system,
        parameters=problem.values(unknowns),
        state=problem.start(unknowns),
        period=problem.period(unknowns),
        forcing_periods=problem.multiple,
        monodromy=evaluation.monodromy,
        signature=signature_of(run),
        closure=evaluation.closure,
        options=problem.options,
        drift=problem.symmetry.drift(end - z, problem.shift(unknowns)),
        spectrum=multipliers_of(problem, evaluation),
        shots=_shots(problem, unknowns),
        irregular=sum(segment.irregular for segment in evaluation.segments),
        closes=dict(problem.symmetry.closes),
        hold=tuple(variable_names(problem.system)[k] for k in problem.held),
        remembered=problem.remembered,
    )
    orbit.__dict__["run"] = run
    return orbit


def _shots(problem: Shooting, unknowns: Floats) -> tuple[State, ...]:
    """The states at the nodes, at their times from the first on; none where there is one node only."""
    if len(problem.fractions) == 1:
        return ()
    first, period = problem.start(unknowns), problem.period(unknowns)
    times = [first.t + (fraction - problem.fractions[0]) * period for fraction in problem.fractions]
    return tuple(problem.start(unknowns, node).replace(t=t) for node, t in enumerate(times))


def _is_point(orbit: PeriodicOrbit) -> bool:
    """Whether nothing moves: a free motion of no duration closes from every state."""
    return not orbit.forcing_periods and extent(orbit) < _STILL


def _shrunk(orbit: PeriodicOrbit, why: str = "") -> SimulationError:
    """The error of a search that ends at such a point."""
    return SimulationError(
        f"the search has shrunk to a point, {orbit.state}, which is no orbit{why}. Start nearer to the orbit, or find "
        "a rest with jounce.find_equilibrium"
    )


def primitive(orbit: PeriodicOrbit) -> PeriodicOrbit:
    """The orbit with its smallest period: a motion that repeats within the period asked for is run through once."""
    if _is_point(orbit):
        raise _shrunk(orbit)
    for divisor in (2, 3, 5, 7):
        if orbit.forcing_periods and orbit.forcing_periods % divisor:
            continue
        if not _repeats_within(orbit, divisor):
            continue
        problem = shooting_of(orbit, period=orbit.period / divisor)
        run = motion(orbit.system, orbit.state, orbit.period / divisor, orbit.options, orbit.parameters)
        problem, unknowns = problem.placed(run, orbit.nodes)
        unknowns, evaluation = newton(problem, unknowns)
        return primitive(orbit_from(problem, unknowns, evaluation))
    return orbit


def _repeats_within(orbit: PeriodicOrbit, divisor: int) -> bool:
    """Whether the motion repeats after a fraction of its period already."""
    run, part = orbit.run, orbit.period / divisor
    times = run.t_start + part * (np.arange(7) + 0.37) / 8
    rows = [variables_at(run, instants, "right", orbit.remembered) for instants in (times, times + part)]
    errors = [orbit.closed(row) for row in rows[1] - rows[0]]
    return bool((np.abs(errors) < _STILL * orbit_sizes(orbit)).all())


def orbit_sizes(orbit: PeriodicOrbit) -> Floats:
    """How large the variables of an orbit are."""
    return variable_sizes(orbit.run, find_symmetry(orbit.system).ignorable, orbit.remembered)


def extent(orbit: PeriodicOrbit) -> float:
    """How far the motion reaches, relative to the sizes of its places: that of the one that moves most."""
    run, columns = orbit.run, place_columns(orbit.system)
    places = run.states(np.linspace(run.t_start, run.t_end, 200))[:, columns]
    return float((np.ptp(places, axis=0) / orbit_sizes(orbit)[columns]).max())
