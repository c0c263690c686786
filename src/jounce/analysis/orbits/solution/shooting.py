"""The equations of a periodic orbit: multiple shooting on the hybrid flow, in the tangent space of the constraints.

The unknowns are the states z_i at nodes of the orbit, its period T if the motion is autonomous, and the free
parameters. Node i lies at the fraction s_i of the period, in the middle of a smooth stretch, and

    R_i = N_{i+1}^T ( flow(z_i, (s_{i+1} - s_i) T) - z_{i+1} ) = 0,    i = 0 .. m-1,   z_m = z_0,

where the columns of N_i span the directions that the mode of node i allows. All of it is written in variables measured
by their sizes (analysis/scales.py), z_k/S_k, and in periods T/T_usual, so that numbers are comparable in any units. An
autonomous orbit may be started anywhere on itself: f . (z_0 - z_0 of the iterate before) = 0 chooses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jounce.analysis.orbits.solution.closing import (
    MOST_STEPS,
    check_run,
    forcing_period,
    motion,
    period_rate,
)
from jounce.analysis.orbits.solution.evaluation import Evaluation
from jounce.analysis.orbits.solution.joined_run import joined
from jounce.analysis.orbits.solution.mode_surface import Floats, ModeSurface
from jounce.analysis.orbits.solution.node_places import memories_needed, node_times
from jounce.analysis.orbits.solution.symmetry import Symmetry, whole_shifts
from jounce.analysis.scales import diagonal_mass, sizes_of, variable_sizes
from jounce.analysis.stability import variation
from jounce.analysis.variables import largest_states, variables_at, variables_of, with_variables
from jounce.errors import SimulationError
from jounce.simulation.modes import Mode
from jounce.simulation.options import Options

if TYPE_CHECKING:
    from jounce.analysis.stability.variation import Variation
    from jounce.simulation.trajectory import Trajectory
    from jounce.system.state import State
    from jounce.system.system import System

#: A period this many times the usual one is a step of Newton's method gone astray.
_LONGEST = 4.0
#: Step of a difference in a parameter where its exact column does not exist, relative to its size.
_PARAMETER_STEP = 1e-6
#: A variable that does not move ranges over this part of what the others may be in it.
_LEAST_RANGE = 1e-2
#: Parameters for which a problem knows what depends on them.
_KEPT_PLACES = 4
#: Trial runs may take this many times the steps of the run from which the nodes were taken, and some.
_MORE_STEPS, _FEWEST_STEPS = 20, 5_000


class AtParameters(NamedTuple):
    """The parameter vector, the period of the forcing (None: autonomous), by how much coordinates may shift."""

    p: Floats
    forcing: float | None
    shift: Floats


@dataclass(frozen=True, eq=False)
class Shooting:
    """The boundary value problem of one orbit.

    parameters   all of them by name; ``free`` names those that are unknowns
    multiple     how many forcing periods the orbit takes; 0: autonomous, the period is unknown
    sizes        how large the variables are, by which everything is measured
    extents      how large the free parameters are, by which differences are measured
    held         variables that a symmetry keeps, such as the angle of a level rod: they are not varied
    usual        about how long the period is: a guess far from it is refused
    fractions    where the nodes are, as fractions of the period from time 0
    modes        the mode of every node
    memories     compliant contacts and discrete states at every node, as a State keeps them; () without such
    most_steps   a trial run of more steps has gone astray
    remembered   compliant contacts whose memory of their touch is unknown, too: one is pressed wherever a node may lie
    """

    system: System
    options: Options
    parameters: dict[str, float]
    symmetry: Symmetry
    multiple: int
    sizes: Floats
    free: tuple[str, ...] = ()
    extents: tuple[float, ...] = ()
    held: tuple[int, ...] = ()
    usual: float = np.inf
    fractions: tuple[float, ...] = (0.0,)
    modes: tuple[tuple[int, ...], ...] = ((),)
    memories: tuple[tuple[float, ...], ...] = ()
    most_steps: int = MOST_STEPS
    remembered: tuple[int, ...] = ()

    # ------------------------------------------------------------------ the unknowns, packed

    @property
    def width(self) -> int:
        """How many variables a node has."""
        return self.system.width + len(self.remembered)

    @property
    def size(self) -> int:
        """How many numbers a guess has."""
        return self.width * len(self.fractions) + (self.multiple == 0) + len(self.free)

    def pack(self, states: list[Floats], period: float, values: list[float]) -> Floats:
        """One vector of all unknowns."""
        return np.concatenate([*states, [period] if self.multiple == 0 else [], values])

    def states(self, guess: Floats) -> list[Floats]:
        """The states at the nodes."""
        m, width = len(self.fractions), self.width
        return list(guess[: m * width].reshape(m, width))

    def values(self, guess: Floats) -> dict[str, float]:
        """All parameters by name."""
        count = len(self.free)
        found = guess[len(guess) - count :].tolist() if count else []
        return {**self.parameters, **dict(zip(self.free, found, strict=True))}

    @cached_property
    def _given(self) -> tuple[Floats, list[int]]:
        """The parameter vector with what is given, and where the free ones stand in it."""
        places = [self.system.parameter_names.index(name) for name in self.free]
        return self.system.parameters(**self.parameters), places

    @cached_property
    def _places(self) -> dict[bytes, AtParameters]:
        """What was asked for last, by the free parameters."""
        return {}

    def _at(self, guess: Floats) -> AtParameters:
        """What depends on the parameters of a guess alone: asked for dozens of times at each."""
        key = guess[len(guess) - len(self.free) :].tobytes()
        found = self._places.get(key)
        if found is None:
            if len(self._places) >= _KEPT_PLACES:
                self._places.clear()
            found = self._places[key] = self._find_at(guess)
        return found

    def _find_at(self, guess: Floats) -> AtParameters:
        given, places = self._given
        p = given.copy()
        p[places] = guess[len(guess) - len(places) :]
        if not np.isfinite(p).all():
            raise SimulationError("the parameters of the orbit become infinite")
        p.flags.writeable = False
        forcing = forcing_period(self.system, p) if self.multiple else None
        return AtParameters(p, forcing, self.symmetry.shift(self.system, p, self.width))

    def vector(self, guess: Floats) -> Floats:
        """All parameters in the order of the model."""
        return self._at(guess).p

    def period(self, guess: Floats) -> float:
        """The time the orbit takes."""
        if self.multiple == 0:
            unknown = float(guess[-1 - len(self.free)])
            if not 0.0 < unknown < _LONGEST * self.usual:
                raise SimulationError(f"the period becomes {unknown:g}, which makes no sense here")
            return unknown
        period = self._at(guess).forcing
        if period is None:
            raise SimulationError("the forcing has vanished: at these parameters the model is autonomous")
        return self.multiple * period

    def time(self, guess: Floats, node: int) -> float:
        """The time of a node: that at which the forcing has its phase."""
        return self.fractions[node] * self.period(guess) if self.multiple else 0.0

    def start(self, guess: Floats, node: int = 0) -> State:
        """A node as a state."""
        memory = self.memories[node] if self.memories else ()
        return with_variables(self.system, self.time(guess, node), self.states(guess)[node], memory, self.remembered)

    def closed(self, guess: Floats, difference: Floats) -> Floats:
        """The difference of two states as an error of closure."""
        return self.symmetry.close(difference, self.shift(guess))

    def shift(self, guess: Floats) -> Floats:
        """By how much coordinates may shift in a period, at the guess's parameters."""
        return self._at(guess).shift

    def field(self, guess: Floats, node: int) -> ModeSurface:
        """The smooth flow at a node."""
        p = self.vector(guess)
        if self.memories:
            p = self.system.vector(p, self.start(guess, node))
        return ModeSurface(self.system, p, self.modes[node])

    def projected(self, guess: Floats) -> Floats:
        """The guess with every node moved onto its constraints."""
        tail = guess[self.width * len(self.fractions) :]
        states = []
        for node, z in enumerate(self.states(guess)):
            field = self.field(guess, node)
            states.append(z if field.free else field.project(self.time(guess, node), z))
        return np.concatenate([*states, tail])

    # ------------------------------------------------------------------ the equations

    def durations(self, period: float) -> list[float]:
        """From each node to the next."""
        ends = [*self.fractions[1:], self.fractions[0] + 1.0]
        return [(b - a) * period for a, b in zip(self.fractions, ends, strict=True)]

    def evaluate(self, guess: Floats) -> Evaluation:
        """Residual and Jacobian at a guess that lies on its constraints."""
        period, states, count = self.period(guess), self.states(guess), len(self.fractions)
        exact = self.free[0] if len(self.free) == 1 and not self._constraints_move(guess) else None
        p = self.vector(guess)
        segments = tuple(
            variation.follow(
                *(self.system, self.start(guess, node), duration, p, exact, self.options, self.most_steps),
                self.remembered,
            )
            for node, duration in enumerate(self.durations(period))
        )
        for node, segment in enumerate(segments):
            check_run(segment.run, "the orbit cannot be followed")
            self._check_states(segment.final, (node + 1) % count)
        jumps = [segments[node].final_vector - states[(node + 1) % count] for node in range(count)]
        errors = [self.closed(guess, jump) / self.sizes for jump in jumps]
        bases = tuple(
            self.field(guess, node).tangent_basis(self.time(guess, node), states[node], self.sizes, self.fixed(node))
            for node in range(count)
        )
        # block by block in the order of the nodes that are arrived at, as the Jacobian's rows are
        residual = np.concatenate([bases[node].T @ errors[node - 1] for node in range(count)])
        closure = max(np.abs(error).max() for error in errors)
        jacobian, expand = self._jacobian(guess, segments, bases, exact)
        if self.multiple == 0:
            # measured in ranges of the variables: an ellipse is left along its radius, not along its short axis
            ranges = variable_ranges(segments[0].run, self.remembered)
            direction = bases[0].T @ (segments[0].rate_start / ranges * (self.sizes / ranges))
            row = np.zeros(jacobian.shape[1])
            row[: len(direction)] = direction / np.linalg.norm(direction)
            jacobian, residual = np.vstack([jacobian, row]), np.append(residual, 0.0)
        return Evaluation(residual, jacobian, expand, float(closure), segments, bases, self.sizes, tuple(errors))

    def fixed(self, node: int) -> tuple[int, ...]:
        """The components of a node that do not vary: an open contact remembers nothing."""
        modes = self.modes[node]
        empty = (self.system.width + k for k, i in enumerate(self.remembered) if modes[i] != Mode.PRESSED)
        return (*self.symmetry.ignorable, *self.held, *empty)

    def _check_states(self, final: State, node: int) -> None:
        """Flags and counters come back to their values at a node, but for those that nothing depends on.

        What takes real values is an unknown as q and u are.
        """
        if not self.system.state_names:
            return
        free = (*self.system.outline.unread_states, *self.system.real_states)
        values = dict(zip(self.system.state_names, self.memories[node][-len(self.system.state_names) :], strict=True))
        for name, value in values.items():
            if name not in free and final[name] != value:
                raise SimulationError(
                    f"the discrete state {name!r} is {value:g} at a node of the orbit and {final[name]:g} when the "
                    "motion returns there: it repeats after more returns; see period="
                )

    def _jacobian(
        self, guess: Floats, segments: tuple[Variation, ...], bases: tuple[Floats, ...], exact: str | None
    ) -> tuple[Floats, Floats]:
        """dR/d(reduced unknowns) without the phase condition, and the map from these to the guess."""
        count, width = len(bases), self.width
        sizes = [basis.shape[1] for basis in bases]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(int)
        inner, extra = int(starts[-1]), (self.multiple == 0) + len(self.free)
        jacobian, expand = np.zeros((inner, inner + extra)), np.zeros((count * width + extra, inner + extra))
        ends = [*self.fractions[1:], self.fractions[0] + 1.0]
        for node, segment in enumerate(segments):
            after = (node + 1) % count
            rows, columns = slice(starts[after], starts[after + 1]), slice(starts[node], starts[node + 1])
            matrix = segment.matrix * self.sizes / self.sizes[:, None]
            jacobian[rows, columns] += bases[after].T @ matrix @ bases[node]
            jacobian[rows, rows] -= np.eye(sizes[after])
            expand[node * width : (node + 1) * width, columns] = self.sizes[:, None] * bases[node]
            if self.multiple == 0:
                share = (ends[node] - self.fractions[node]) * self.usual
                jacobian[rows, inner] = bases[after].T @ (segment.rate_end * share / self.sizes)
        expand[count * width :, inner:] = np.eye(extra)
        if self.multiple == 0:
            expand[count * width, inner] = self.usual
        for k, name in enumerate(self.free):
            column = inner + extra - len(self.free) + k
            if exact is not None:
                jacobian[:, column] = self._exact_column(guess, segments, bases, name)
            else:
                jacobian[:, column], expand[: count * width, column] = self._difference_column(guess, bases, name)
        return jacobian, expand

    def _period_rate(self, guess: Floats, name: str) -> float:
        """dT/dp."""
        if self.multiple == 0:
            return 0.0
        rate = period_rate(self.system, name)(*self.vector(guess).tolist())
        return self.multiple * float(rate)

    def _exact_column(
        self, guess: Floats, segments: tuple[Variation, ...], bases: tuple[Floats, ...], name: str
    ) -> Floats:
        """dR/dp from the variations; where the forcing's period depends on p, nodes and durations move with it."""
        stretch, ends = self._period_rate(guess, name), [*self.fractions[1:], self.fractions[0] + 1.0]
        parts: list[Floats] = [np.zeros(0)] * len(bases)
        states, shift, p = self.states(guess), self.shift(guess), self.vector(guess)
        moving = self.symmetry.shift_rate(self.system, p, name, self.width)
        for node, segment in enumerate(segments):
            after = (node + 1) % len(bases)
            column = np.array(segment.parameter_column)
            column += ends[node] * stretch * segment.rate_end
            column -= self.fractions[node] * stretch * (segment.matrix @ segment.rate_start)
            column -= whole_shifts(segment.final_vector - states[after], shift) * moving
            parts[after] = bases[after].T @ (column / self.sizes)
        return np.concatenate(parts)

    def _difference_column(self, guess: Floats, bases: tuple[Floats, ...], name: str) -> tuple[Floats, Floats]:
        """dR/dp and dz/dp by central differences, the nodes following their constraints as p moves them."""
        position = len(guess) - len(self.free) + self.free.index(name)
        h = _PARAMETER_STEP * self.extents[self.free.index(name)]
        sides = []
        for side in (1.0, -1.0):
            moved = guess.copy()
            moved[position] += side * h
            moved = self.projected(moved)
            sides.append((self._errors(moved, bases), moved))
        (ahead, z_ahead), (behind, z_behind) = sides
        width = self.width * len(self.fractions)
        return (ahead - behind) / (2 * h), (z_ahead - z_behind)[:width] / (2 * h)

    def _errors(self, guess: Floats, bases: tuple[Floats, ...]) -> Floats:
        states, count = self.states(guess), len(self.fractions)
        parts: list[Floats] = [np.zeros(0)] * count
        for node, duration in enumerate(self.durations(self.period(guess))):
            start = self.start(guess, node)
            run = motion(self.system, start, duration, self.options, self.values(guess), self.most_steps)
            after = (node + 1) % count
            jump = variables_of(self.system, run.final, self.remembered) - states[after]
            parts[after] = bases[after].T @ (self.closed(guess, jump) / self.sizes)
        return np.concatenate(parts)

    def _constraints_move(self, guess: Floats) -> bool:
        """Whether a node's constraints change with the free parameter, directly or through the forcing's phase."""
        name = self.free[0]
        stretch = self._period_rate(guess, name)
        for node, z in enumerate(self.states(guess)):
            field, t, dt = self.field(guess, node), self.time(guess, node), self.fractions[node] * stretch
            if not field.free and np.any(field.constraint_change(t, z, dt, np.zeros_like(z), name) != 0.0):
                return True
        return False

    # ------------------------------------------------------------------ nodes

    def follow(self, guess: Floats) -> Trajectory:
        """The motion over one period, from node to node."""
        values = self.values(guess)
        runs = []
        for node, span in enumerate(self.durations(self.period(guess))):
            run = motion(self.system, self.start(guess, node), span, self.options, values, self.most_steps)
            runs.append(check_run(run, "the orbit"))
        return joined(runs)

    def placed(self, run: Trajectory, count: int) -> tuple[Shooting, Floats]:
        """The same problem with ``count`` nodes in smooth stretches of this run, and the guess the run gives."""
        period = run.t_end - run.t_start
        times, remembered = node_times(run, count), self.remembered or memories_needed(run)
        base = times[0]
        ordered = sorted((t - base) % period for t in times)
        ordered = [ordered[0], *(b for a, b in pairwise(ordered) if b - a > 1e-3 * period / count)]
        # beyond the run's end the motion repeats, drifts apart: a node's state is taken one period earlier
        wanted = np.array([base + offset for offset in ordered])
        beyond = wanted > run.t_end
        instants = np.clip(np.where(beyond, wanted - period, wanted), run.t_start, run.t_end)
        shift = self.symmetry.shift(self.system, run.data.parameters, self.system.width + len(remembered))
        first, last = variables_at(run, [run.t_start, run.t_end], "right", remembered)
        whole = last - first
        drift = whole - self.symmetry.close(whole, shift)
        states = variables_at(run, instants, "right", remembered) + beyond[:, None] * drift
        codes = run.mode_codes_at(instants, "right")
        phase = (base / period) % 1.0 if self.multiple else 0.0
        fractions = tuple(phase + offset / period for offset in ordered)
        modes = tuple(tuple(int(mode) for mode in row) for row in codes)
        values = [run.parameters[name] for name in self.free]
        most_steps = min(MOST_STEPS, _FEWEST_STEPS + _MORE_STEPS * len(run.data.step_t))
        memories = tuple(tuple(state.memory.tolist()) for state in run.at(instants)) if run.model.memory else ()
        problem = replace(
            self,
            usual=period,
            fractions=fractions,
            modes=modes,
            memories=memories,
            most_steps=most_steps,
            sizes=variable_sizes(run, self.symmetry.ignorable, remembered),
            remembered=remembered,
        )
        guess = problem.pack(list(states), period, values)
        return problem, problem.projected(guess)


def variable_ranges(run: Trajectory, remembered: tuple[int, ...] = ()) -> Floats:
    """How far each variable ranges over a run; at least a hundredth of what the whole of the ranges may be in it."""
    ranges = np.ptp(variables_at(run, np.linspace(run.t_start, run.t_end, 200), "right", remembered), axis=0)
    behind, largest = slice(2 * run.system.n, None), largest_states(run, remembered)
    ranges[behind] = np.maximum(ranges[behind], _LEAST_RANGE * largest)
    mass = diagonal_mass(run.system, run.t_start, run.data.q_start, run.data.parameters)
    return sizes_of(ranges[None, :], mass, _LEAST_RANGE)
