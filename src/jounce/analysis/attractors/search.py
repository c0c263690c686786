"""AttractorSearch: what is asked of every value or start, and the engine that answers for a chunk of them at a time."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.attractors.settling import settle, sureness
from jounce.analysis.sections.recurrence import state_periods
from jounce.analysis.sections.section_map import SectionMap
from jounce.analysis.stores.chunk_store import Field
from jounce.analysis.stores.models import model_entry
from jounce.errors import SimulationError, is_one_of, suggestion
from jounce.kernels.maps.attractor import attractors
from jounce.kernels.maps.growth import SCRATCH_ROWS
from jounce.kernels.maps.iterate import FIRST_STATE
from jounce.kernels.records import attractor_codes as codes
from jounce.kernels.records.attractor_codes import SIGNATURE_ENTRIES
from jounce.kernels.records.workspace import WORKSPACE
from jounce.simulation.modes import mode_code, split_words, word_count
from jounce.simulation.options import Options, check_range, check_whole
from jounce.simulation.period import turn_length
from jounce.simulation.section import Section
from jounce.simulation.templates import own_loop
from jounce.system.checks import check_parameters, check_start

if TYPE_CHECKING:
    from jounce.analysis.sections.section_map import SectionMap
    from jounce.system.state import State
    from jounce.system.system import System

#: The whole numbers found of every attractor, in the order of kernels/records/attractor_codes.py.
FACT_NAMES = ("kind", "status", "period", "count", "impacts", "events", "returns", "total_impacts", "entries")
KEPT_NAMES = ("t", "return_time", "impacts", "events")  # of the samples; mode and hash only serve the search
MOST_RETURNS, MOST_KEPT = 10**12, 10**6  # a thread keeps that many samples in memory: some hundred megabytes
PATIENCE, MOST_PATIENCE = 16, 10**6  # of sweeps and basins; see settling.py
LEAST_TWIN_RETURNS = 100  # over which the growth of a deviation is measured at least


@dataclass(frozen=True, eq=False)
class AttractorSearch:
    """How attractors are looked for.

    parameter        the parameter that varies; None: none does
    transient        returns to the section before the attractor is looked at; fewer once the motion repeats
    keep             samples kept of a motion that does not repeat; a periodic one needs only its period
    recurrence       deviation, relative to the scales of the run, within which two points of the section are the same
    longest_return   see SectionMap
    timeless         whether time plays no part at any value: see ``settled``
    patience         undecided motions are followed for up to so many times transient + keep returns: see settling.py
    """

    system: System
    section: Section
    parameter: str | None
    parameters: dict[str, float]
    transient: int
    keep: int
    recurrence: float = 1e-8
    longest_return: float | None = None
    options: Options = field(default_factory=Options)
    timeless: bool = False
    patience: int = 1

    def __post_init__(self) -> None:
        check_whole("transient", self.transient, 0, MOST_RETURNS)
        check_whole("patience", self.patience, 1, MOST_PATIENCE)
        check_whole("keep", self.keep, 1, MOST_KEPT)
        check_range("recurrence", self.recurrence, 1e-14, 1e-2)
        names = self.system.parameter_names
        if self.parameter is not None and not is_one_of(self.parameter, names):
            raise SimulationError(f"there is no parameter {self.parameter!r}; {suggestion(self.parameter, names)}")
        if self.parameter is not None and self.parameter in self.parameters:
            raise SimulationError(f"{self.parameter} varies; it cannot be fixed to {self.parameters[self.parameter]!r}")
        self.section.check(self.system)

    @cached_property
    def map(self) -> SectionMap:
        """The section map at the first value of the parameter."""
        return SectionMap(
            self.system, self.section, options=self.options, longest_return=self.longest_return, **self.parameters
        )

    @property
    def quantities(self) -> tuple[str, ...]:
        """The columns of the samples that are kept."""
        return (*KEPT_NAMES, *self.system.coordinate_names, *self.system.velocity_names)

    def at(self, value: float) -> SectionMap:
        """The section map at one value of the parameter."""
        varied = {} if self.parameter is None else {self.parameter: float(value)}
        every = {**self.parameters, **varied}
        return SectionMap(self.system, self.section, options=self.options, longest_return=self.longest_return, **every)

    def settled(self, values: np.ndarray) -> AttractorSearch:
        """The same search, knowing whether time plays a part in this range of values."""
        middle = values[len(values) // 2]
        timeless = all(self.at(value).timeless for value in (values[0], middle, values[-1]))
        return replace(self, timeless=timeless)

    def periods(self, values: np.ndarray) -> np.ndarray:
        """The forcing period at every value; 0 where the model has none or does not keep it."""
        system = self.map.system
        if self.timeless:
            return np.ones(len(values))
        vectors = np.repeat(self.map.parameters[None, :], len(values), axis=0)
        if self.parameter is not None:
            vectors[:, system.parameter_names.index(self.parameter)] = values
        return np.array([turn_length(system, vector) for vector in vectors], dtype=np.float64)

    def check(self, values: np.ndarray, starts: list[tuple[float, State]]) -> None:
        """Whether the model exists at the ends of the range of values, and can start where lanes do."""
        state = starts[0][1] if starts else self.system.state()
        for value in (float(values[0]), float(values[-1])):
            section_map = self.at(value)
            check_parameters(section_map.system, state.t, state.q, state.u, section_map.parameters)
            section_map.motion(state)  # is what the section needs there?
        for value, start in starts:
            check_start(self.system, start, self.at(value).parameters)

    def point(self, start: State, period: float) -> np.ndarray:
        """A state as the kernels carry it: kernels/maps/section_point.py."""
        phase = 0.0 if self.timeless else start.t / period if period > 0.0 else start.t
        memory = self.system.memory_of(start)
        known = self.system.knows_modes(start)
        codes = [mode_code(codes) if known else -1 for codes in (start.modes, start.orders)]
        contacts = split_words(codes, self.system.nc)
        return np.concatenate(([phase], start.q, start.u, memory, contacts.ravel()))

    def start_bytes(self, points: np.ndarray) -> bytes:
        """Points as bytes for a digest; without what is known of contacts where nothing is."""
        state = 1 + 2 * self.system.n
        known = points[:, state:]
        return np.ascontiguousarray(points if (known >= 0.0).any() else points[:, :state]).tobytes()

    @property
    def width(self) -> int:
        """How many numbers a point has."""
        return 1 + 2 * self.system.n + len(self.system.model.memory) + 2 * word_count(self.system.nc)

    def description(self) -> dict[str, Any]:
        """Everything that shapes the result, ready for JSON."""
        return {
            "model": model_entry(self.system),
            "section": str(self.section),
            "parameter": self.parameter,
            "parameters": {name: float(value) for name, value in sorted(self.parameters.items())},
            "transient": int(self.transient),
            "keep": int(self.keep),
            "recurrence": self.recurrence,
            "patience": int(self.patience),
            "longest_return": self.longest_return,
            "options": self.options.as_dict(),
        }

    @cached_property
    def token(self) -> str:
        """A hash of the description."""
        return hashlib.sha256(json.dumps(self.description(), sort_keys=True).encode()).hexdigest()[:16]

    def __reduce__(self) -> tuple[Any, ...]:
        values = (self.system, self.section, self.parameter, self.parameters, self.transient, self.keep)
        more = (self.recurrence, self.longest_return, self.options, self.timeless, self.patience)
        return AttractorSearch, (*values, *more)

    def fields(self) -> dict[str, Field]:
        """The arrays in which a store keeps what is found."""
        return {
            "facts": Field(("fact",), (len(FACT_NAMES),), columns=FACT_NAMES),
            "samples": Field(("sample", "quantity"), (self.keep, len(self.quantities)), "float64"),
            "exponent": Field(dtype="float64"),
            "sure": Field(dtype="float64"),
            "signature": Field(("entry",), (SIGNATURE_ENTRIES,)),
            "end": Field(("component",), (self.width,), "float64"),
        }


class Engine:
    """The records of one thread, made once and used for chunk after chunk."""

    def __init__(self, search: AttractorSearch) -> None:
        self.search = search
        section_map = search.map
        self.system = section_map.system
        self.machine = section_map.machine.copy()
        self.workspace = np.zeros(1, WORKSPACE)
        self.record = section_map.record()
        self.fresh = section_map.motion(self.system.state())
        self.fresh[0]["settings"]["autonomous"] = search.timeless
        if search.timeless:
            self.fresh[0]["settings"]["period"] = 1.0
        self.roster = section_map.roster()
        if self.roster is not None:
            self.roster.join(self.machine, self.fresh, self.record)
        self.motion = self.fresh.copy()
        self.plan = section_map.plan()
        p = self.plan[0]
        if search.parameter is not None:
            p["parameter"] = self.system.parameter_names.index(search.parameter)
        p["transient"], p["keep"], p["recurrence"] = search.transient, search.keep, search.recurrence
        p["twin_returns"] = max(search.keep, LEAST_TWIN_RETURNS)
        periods = state_periods(self.system)
        p["wrap"][: periods.size] = periods
        self.scratch = np.zeros((SCRATCH_ROWS, search.width))

    def run(
        self, values: np.ndarray, periods: np.ndarray, starts: np.ndarray, carried: bool, cancel: np.ndarray
    ) -> dict[str, np.ndarray] | None:
        """The attractors of one chunk, in order, undecided ones followed on; None if it was cancelled."""
        self.machine[0]["own_loop"] = own_loop(self.system, self.search.map.options)
        if carried:
            return self._carried(values, periods, starts, cancel)
        return self._settled(values, periods, starts, cancel)

    def _settled(
        self, values: np.ndarray, periods: np.ndarray, starts: np.ndarray, cancel: np.ndarray
    ) -> dict[str, np.ndarray] | None:
        """Independent starts: one pass, then those that are undecided for longer and longer."""
        search = self.search

        def follow(chosen: np.ndarray, ends: np.ndarray, transient: int) -> dict[str, np.ndarray] | None:
            return self._pass(values[chosen], periods[chosen], ends, False, cancel, transient)

        found = self._pass(values, periods, starts, False, cancel, search.transient)
        return None if found is None else settle(found, follow, search.transient, search.keep, search.patience)

    def _carried(
        self, values: np.ndarray, periods: np.ndarray, starts: np.ndarray, cancel: np.ndarray
    ) -> dict[str, np.ndarray] | None:
        """One value after another: as many at once as are decided, an undecided one by itself until it is."""
        parts: list[dict[str, np.ndarray]] = []
        first, batch, start = 0, len(values), starts
        while first < len(values):
            items = slice(first, min(first + batch, len(values)))
            found = self._pass(values[items], periods[items], start, True, cancel, self.search.transient)
            if found is None:
                return None
            found["sure"] = sureness(found["facts"], np.ones(len(found["facts"]), np.int64))
            undecided = np.flatnonzero(found["sure"] < 1.0) if self.search.patience > 1 else np.zeros(0, np.int64)
            batch *= 2
            if len(undecided):
                count = int(undecided[0]) + 1
                found = {name: rows[:count] for name, rows in found.items()}
                if not self._settle_last(found, values[first + count - 1], periods[first + count - 1], cancel):
                    return None
                batch = 1
            parts.append(found)
            first += len(found["sure"])
            start = np.stack([found["end"][-1], starts[1]])  # the second row: where a motion that stopped goes on
        return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

    def _settle_last(self, found: dict[str, np.ndarray], value: float, period: float, cancel: np.ndarray) -> bool:
        """Follow the last of some results on, in place; False if it was cancelled."""
        search = self.search

        def follow(_: np.ndarray, ends: np.ndarray, transient: int) -> dict[str, np.ndarray] | None:
            return self._pass(np.array([value]), np.array([period]), ends, False, cancel, transient)

        last = {name: rows[-1:].copy() for name, rows in found.items()}
        settled = settle(last, follow, search.transient, search.keep, search.patience)
        if settled is None:
            return False
        for name, rows in settled.items():
            found[name][-1:] = rows
        return True

    def _pass(
        self,
        values: np.ndarray,
        periods: np.ndarray,
        starts: np.ndarray,
        carried: bool,
        cancel: np.ndarray,
        transient: int,
    ) -> dict[str, np.ndarray] | None:
        """One go of the compiled loop over some items; None if it was cancelled."""
        count, search = len(values), self.search
        self.plan[0]["carried"], self.plan[0]["transient"] = carried, transient
        width = len(search.map.names)
        # discrete states tell apart what else would be the same
        remembered = len(search.system.model.memory) if search.system.state_names else 0
        samples = np.full((count, search.keep, width + remembered), np.nan)
        facts = np.zeros((count, codes.FACTS), np.int64)
        exponents = np.full(count, np.nan)
        signatures = np.zeros((count, codes.SIGNATURE_ENTRIES), np.int64)
        ends = np.zeros((count, search.width))
        done = attractors.from_python(
            self.machine, self.workspace, self.motion, self.fresh, self.record, self.plan,
            np.ascontiguousarray(values, dtype=np.float64), np.ascontiguousarray(periods, dtype=np.float64),
            np.ascontiguousarray(starts, dtype=np.float64), ends, samples, facts, exponents, signatures,
            self.scratch, cancel,
        )  # fmt: skip
        if done < count:
            return None
        kept = np.delete(samples[:, :, :width], np.s_[len(KEPT_NAMES) : FIRST_STATE], axis=2)
        return {"facts": facts, "samples": kept, "exponent": exponents, "signature": signatures, "end": ends}
