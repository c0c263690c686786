"""SectionMap: a system looked at on a section is a discrete map, which every analysis accepts."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.scales import time_scale
from jounce.errors import OptionError, SimulationError, suggestion
from jounce.kernels.contact.window import show_contacts
from jounce.kernels.maps.iterate import FIRST_STATE, PHASE, PLAN, STOP, iterate
from jounce.kernels.records.recording import RECORD
from jounce.kernels.records.workspace import WORKSPACE
from jounce.simulation.modes import code_of, join_words, mode_codes, word_count
from jounce.simulation.options import Options, as_options, check_whole, is_finite, refuse_options
from jounce.simulation.period import is_forced, turn_length
from jounce.simulation.records import structure
from jounce.simulation.roster import Roster, check_all_fit, needs_list
from jounce.simulation.run_start import machine_record, remember, scales_of, start_motion
from jounce.simulation.section import Section
from jounce.simulation.status import Status, StatusCode, describe
from jounce.simulation.templates import own_loop
from jounce.simulation.watch import look
from jounce.system.checks import check_start
from jounce.system.inputs import StateLike, SystemLike, as_state, as_system, beside_parameters
from jounce.system.state import State
from jounce.units import in_seconds

if TYPE_CHECKING:
    import pandas as pd

    from jounce.system.state import State

#: Columns of a sample before the coordinates and velocities.
SAMPLE_COLUMNS = ("t", "return_time", "impacts", "events", "mode", "signature")
MOST_CROSSINGS = 10_000_000  # a few gigabytes
BLOCK = 256  # most crossings between two looks at Ctrl-C and at the thread's watch
PATIENCE = 0.005  # s: a block that took longer is not followed by a larger one
LONGEST_RETURN = 100.0  # periods of the forcing, or of a vibration as fast as the start changes


@dataclass(frozen=True, eq=False)
class Samples:
    """Crossings of a section, in order.

    array    one row a crossing: ``names`` says what each column is. t is the time within the forcing period (0 without
             forcing), return_time, impacts and events count from the crossing before, mode is encoded as in events,
             signature is a hash of the events in between
    status   FINISHED, or why there are fewer crossings than asked for; AT_REST: the last rows are the state of rest
    memory   per crossing, of every compliant contact: 1 if it is pressed, and 1/v of its touch; then the discrete
             states, whose names are ``states``
    contacts per crossing the modes of all contacts and how their guards begin, encoded: see State
    sides    per crossing, of every guard the side of zero on which it is: see State
    scales   how large things have been by the last crossing: see State
    """

    names: tuple[str, ...]
    array: np.ndarray
    status: Status
    coordinates: tuple[str, ...]
    memory: np.ndarray
    contacts: np.ndarray
    nc: int
    states: tuple[str, ...] = ()
    sides: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    scales: np.ndarray = field(default_factory=lambda: np.empty(0))

    def __len__(self) -> int:
        return len(self.array)

    def __getitem__(self, name: str) -> np.ndarray:
        if name in self.states:
            return self.memory[:, self.states.index(name) - len(self.states)]
        if name not in self.names:
            raise SimulationError(f"samples have no {name!r}; {suggestion(name, self.names)}")
        return self.array[:, self.names.index(name)]

    def state(self, index: int) -> State:
        """One crossing as a State."""
        row, n = self.array[index], len(self.coordinates)
        q, u = row[FIRST_STATE : FIRST_STATE + n], row[FIRST_STATE + n :]
        words = self.contacts[index].astype(np.int64).reshape(2, -1)  # of modes and orders
        modes, orders = mode_codes(join_words(words), self.nc)
        sides = self.sides[index].astype(np.int64) if len(self.sides) else ()
        carried = self.memory[index], modes, orders, self.scales, self.states, sides
        return State(row[0], q, u, self.coordinates, *carried)

    @property
    def table(self) -> pd.DataFrame:
        """The samples as a pandas table, with the discrete states."""
        import pandas as pd

        table = pd.DataFrame(self.array, columns=list(self.names))
        return table.assign(**{name: self[name] for name in self.states})


class SectionMap:
    """The map from one crossing of a section to the next.

    system           as it was given; ``self.system`` may carry one more guard
    section          a Section or its text
    longest_return   a motion that has not come back in this time has no return; default 100 periods of the forcing, or
                     of a vibration as fast as the start changes by itself (analysis/scales.py)
    parameters       overrides by name

    Where time plays no part at these parameters (``timeless``), it does not count: a motion can come to rest, and
    crossings at different times are the same.

    >>> system = jounce.compile_model(jounce.systems.ball_on_table())
    >>> strobe = jounce.SectionMap(system, "phase:0", omega=3.0, e=0.9)
    >>> returns = strobe.iterate(system.state(t=1.5, y=6.4), 3)
    >>> len(returns)
    3
    """

    @beside_parameters
    def __init__(
        self,
        system: SystemLike,
        section: Section | str,
        *,
        options: Options | None = None,
        longest_return: float | str | None = None,
        **parameters: float | str,
    ) -> None:
        self.section = Section.parse(section)
        self.system, self.guard = self.section.attach(as_system(system, "SectionMap"))
        self.options = as_options(options)
        refuse_options(parameters, self.system)
        self.parameters = self.system.parameters(**parameters)
        longest: Any = in_seconds(longest_return, "longest_return", OptionError)
        if longest is not None and not (is_finite(longest) and longest > 0.0):
            raise OptionError(f"longest_return is {longest!r}; it must be a positive time")
        self.longest_return = longest
        self.timeless = self.section.kind != "phase" and not is_forced(self.system, self.parameters)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the samples."""
        return (*SAMPLE_COLUMNS, *self.system.coordinate_names, *self.system.velocity_names)

    @cached_property
    def machine(self) -> np.ndarray:
        """The model as the kernels see it, with these parameters."""
        if not needs_list(self.system):
            check_all_fit(self.system, "a map of a section")
        return machine_record(self.system, self.parameters, self.options)

    def plan(self) -> np.ndarray:
        """The record by which the kernels know the section."""
        plan = np.zeros(1, PLAN)
        p = plan[0]
        p["section"] = PHASE if self.section.kind == "phase" else STOP
        p["fraction"] = self.section.fraction
        period = None if self.system.autonomous else self.system.period(self.parameters)
        if self.longest_return is not None:
            p["longest_return"] = self.longest_return
        elif period:
            p["longest_return"] = LONGEST_RETURN * period
        else:
            p["natural_returns"] = LONGEST_RETURN * 2.0 * math.pi
            time = time_scale(self.system, self.system.state(), self.parameters)
            p["longest_return"] = p["natural_returns"] * time  # of starts at which nothing moves and no force acts
        p["parameter"] = -1
        return plan

    def record(self) -> np.ndarray:
        """Buffers that keep nothing and watch for the section's event."""
        record = np.zeros(1, RECORD)
        record[0]["watch_kind"], record[0]["watch_contact"] = self.section.watch(self.system)
        return record

    def motion(self, state: State) -> np.ndarray:
        """A motion that is about to begin at ``state``."""
        motion = start_motion(self.system, state, state.t, self.parameters, self.options)
        s = motion[0]
        s["settings"]["keep_ledger"] = 0
        if self.guard >= 0:
            s["settings"]["user_stops"][self.guard] = 1
            s["settings"]["user_direction"][self.guard] = self.section.direction
        if self.timeless:
            s["settings"]["autonomous"], s["settings"]["period"] = 1, 1.0
        if self.section.kind == "phase" and not s["settings"]["period"] > 0.0:
            raise OptionError(
                f"section {self.section}: the model {self.system.model.name} does not repeat itself after its period "
                f"{self.system.period(self.parameters)!r}; use another section"
            )
        return motion

    def iterate(self, state: StateLike, count: int) -> Samples:
        """The next ``count`` crossings after ``state``; a start on the section is not one of them."""
        count = check_whole("count", count, 0, MOST_CROSSINGS)
        state = self.system.fitted(as_state(self.system, state, "state"))
        closed = self.system.closed_contacts(state)
        check_start(self.system, state, self.parameters, closed)
        machine, motion, record = self.machine, self.motion(state), self.record()
        roster = self.roster()
        if roster is not None:
            machine = machine.copy()
            roster.take_up(state, bool(motion[0]["brought"]["known"]))
            roster.join(machine, motion, record)
        width = len(self.names)
        known = width + len(self.system.model.memory)
        modes = known + 2 * word_count(self.system.nc)
        samples = np.full((count, modes + self.system.ng), np.nan)
        out = np.zeros(2, np.int64)
        if self.system.model.memory:
            remember(machine[0]["p"], structure(motion).brought, self.system, state)
        machine[0]["own_loop"] = own_loop(self.system, self.options)
        workspace, plan, done, size = np.zeros(1, WORKSPACE), self.plan(), 0, 1
        while done < count:  # in blocks: Ctrl-C is looked at between them
            look()
            block = samples[done : done + size]
            began = time.perf_counter()
            found = iterate.from_python(machine, workspace, motion, record, plan, block, out)
            done += found
            if found < len(block):
                break
            if time.perf_counter() - began < PATIENCE:
                size = min(4 * size, BLOCK)
        if roster is not None:
            show_contacts.from_python(machine, workspace, motion)
        status = self._status(StatusCode(int(out[1])), motion[0], record[0], roster)
        rows = samples[:done]
        system = self.system
        return Samples(
            self.names,
            rows[:, :width],
            status,
            system.coordinate_names,
            memory=rows[:, width:known],
            contacts=rows[:, known:modes],
            nc=system.nc,
            states=system.state_names,
            sides=rows[:, modes : modes + len(system.guard_names)],
            scales=self._scales(workspace, motion, roster) if done else np.empty(0),
        )

    def roster(self) -> Roster | None:
        """The candidates of runs that look at near contacts only; None where all are looked at."""
        return Roster(self.system, self.options) if needs_list(self.system) else None

    def _scales(self, workspace: np.ndarray, motion: np.ndarray, roster: Roster | None) -> np.ndarray:
        """How large things have been: see State."""
        if roster is None:
            return scales_of(self.system, structure(workspace), structure(motion))
        return np.concatenate([workspace[0]["reference"][: 2 * self.system.n], roster.scales(workspace)])

    def __call__(self, state: StateLike) -> State:
        """The next crossing; a SimulationError where there is none."""
        samples = self.iterate(state, 1)
        if not len(samples):
            raise SimulationError(f"no return to the section {self.section}: {samples.status.message}")
        return samples.state(0)

    def period(self) -> float:
        """The time after which the model repeats itself; 0 if it never does."""
        return turn_length(self.system, self.parameters)

    def _status(self, code: StatusCode, s: Any, record: Any, roster: Roster | None) -> Status:
        mode = code_of(s["modes"][: self.system.nc].tolist() if roster is None else roster.modes)
        t = float(s["epoch"] + s["t"])
        events = int(record["counter"][2])
        return describe(code, t, self.system.mode_names(mode), rest=t, events=events, stop="the section")

    def __repr__(self) -> str:
        return f"SectionMap({self.system.model.name!r}, {str(self.section)!r})"
