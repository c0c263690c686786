"""What is kept of every run: which arrays the kernels fill, and the Dataset that is made of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.analysis.stores.chunk_store import Field
from jounce.errors import OptionError, is_one_of, suggestion
from jounce.kernels.maps.ensemble import FACTS, MODE
from jounce.kernels.records.codes import MODE_BASE, WORD
from jounce.simulation.events import EventKind
from jounce.simulation.modes import word_count
from jounce.simulation.options import Options, Recording
from jounce.simulation.run_data import WORK_COLUMNS
from jounce.simulation.status import StatusCode
from jounce.system.state import MODE_NAMES
from jounce.system.system import System

if TYPE_CHECKING:
    import xarray as xr

    from jounce.analysis.ensemble.columns import Rows

KEPT = ("status", "final", "counts", "ledger", "extrema")


@dataclass(frozen=True, eq=False)
class Wanted:
    """What is kept.

    keep     some of KEPT
    events   as they are called, e.g. "impact:tip"; ``kinds`` are the same as rows (kind, contact or guard; -1: any)
    times    at which the state is kept, ascending
    """

    system: System
    keep: tuple[str, ...]
    events: tuple[str, ...]
    kinds: np.ndarray
    times: np.ndarray

    @classmethod
    def parse(cls, system: System, keep: Any, events: Any, at: Any, options: Options) -> Wanted:
        """What was asked for, checked."""
        keep, events = (_names(value, what) for value, what in ((keep, "keep"), (events, "events")))
        for name in keep:
            if not is_one_of(name, KEPT):
                raise OptionError(f"keep: unknown {name!r}; {suggestion(name, KEPT, 'entries')}")
        kinds = np.array([_kind(system, name) for name in events], dtype=np.int64).reshape(len(events), 2)
        times = _times(at)
        if (times.size or "extrema" in keep) and options.record is not Recording.ALL:
            raise OptionError("states at times and extrema are read from the steps: they need Options(record='all')")
        if events and options.record is Recording.NOTHING:
            raise OptionError("events need Options(record='all') or Options(record='events')")
        if "ledger" in keep and not options.ledger:
            raise OptionError("keep: 'ledger' needs Options(ledger=True)")
        return cls(system, keep, events, kinds, times)

    def arrays(self, runs: int) -> dict[str, np.ndarray]:
        """Room for the results of some runs."""
        return {
            name: np.full((runs, *field.shape), -1 if field.dtype == "int64" else np.nan, field.dtype)
            for name, field in self.fields().items()
        }

    def fields(self) -> dict[str, Field]:
        """The arrays that the kernels fill (kernels/maps/ensemble.py), after their first dimension, the run."""
        n, nc = self.system.n, self.system.nc
        extra = len(self.system.state_names) + bool(self.system.reset_names)
        return {
            "ends": Field(("end",), (1 + 2 * n + len(WORK_COLUMNS) + nc + extra,), "float64"),
            "facts": Field(("fact",), (FACTS + word_count(self.system.nc) - 1,)),
            "watched": Field(("event", "number"), (len(self.events), 3), "float64"),
            "samples": Field(("time", "component"), (self.times.size, 2 * n), "float64"),
            "extrema": Field(("side", "component"), (2 if "extrema" in self.keep else 0, 2 * n), "float64"),
        }

    def dataset(self, rows: Rows, results: dict[str, np.ndarray], done: np.ndarray, options: Options) -> xr.Dataset:
        """The results by name, of the runs that are done."""
        import xarray as xr

        varied = rows.varied
        if not done.all():
            results, varied = ({name: values[done] for name, values in part.items()} for part in (results, varied))
        variables: dict[str, Any] = {}
        for part in (self._ends, self._counts, self._ledger, self._events, self._extrema):
            variables |= {name: ("run", values) for name, values in part(results).items()}
        coordinates: dict[str, Any] = {name: ("run", values) for name, values in varied.items()}
        coordinates["run"] = np.flatnonzero(done)
        if self.times.size:
            coordinates["time"] = self.times
            names = (*self.system.coordinate_names, *self.system.velocity_names)
            for k, name in enumerate(names):
                variables[f"{name}_at"] = (("run", "time"), results["samples"][:, :, k])
        attributes = {"model": self.system.model.name, "options": json.dumps(options.as_dict())}
        return xr.Dataset(variables, coordinates, attributes)

    def _ends(self, results: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        found = {}
        if "status" in self.keep:
            found["status"] = np.array([code.name for code in StatusCode])[results["facts"][:, 0]]
        if "final" in self.keep:
            names = ("t", *self.system.coordinate_names, *self.system.velocity_names)
            found |= {name: results["ends"][:, k] for k, name in enumerate(names)}
            states = len(names) + len(WORK_COLUMNS) + self.system.nc
            found |= {name: results["ends"][:, states + k] for k, name in enumerate(self.system.state_names)}
            for i, contact in enumerate(self.system.contact_names):
                found[f"{contact}_mode"] = _mode_names(results["facts"], i)
        return found

    def _counts(self, results: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        if "counts" not in self.keep:
            return {}
        return {name: results["facts"][:, k] for k, name in enumerate(("events", "impacts", "steps"), 1)}

    def _ledger(self, results: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        if "ledger" not in self.keep:
            return {}
        at = 1 + 2 * self.system.n
        works = results["ends"][:, at : at + len(WORK_COLUMNS)]
        losses = results["ends"][:, at + len(WORK_COLUMNS) :][:, : self.system.nc]
        given = {"reset_work": results["ends"][:, -1]} if self.system.reset_names else {}
        lost = {"impact_loss": losses.sum(axis=1)}
        return {name: works[:, k] for k, name in enumerate(WORK_COLUMNS)} | lost | given

    def _events(self, results: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        found: dict[str, np.ndarray] = {}
        for k, name in enumerate(self.events):
            count, first, last = results["watched"][:, k].T
            found |= {f"{name}_count": count.astype(np.int64), f"{name}_first": first, f"{name}_last": last}
        return found

    def _extrema(self, results: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        if "extrema" not in self.keep:
            return {}
        names = (*self.system.coordinate_names, *self.system.velocity_names)
        return {
            f"{name}_{side}": results["extrema"][:, row, k]
            for k, name in enumerate(names)
            for row, side in enumerate(("min", "max"))
        }


def _names(value: Any, what: str) -> tuple[str, ...]:
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise OptionError(f"{what} is {value!r}; it must be a list of names")
    return tuple(dict.fromkeys(names))


def _kind(system: System, text: str) -> tuple[int, int]:
    """(kind, contact, guard or reset) of "impact", "impact:tip", "user:guard" or "reset:name"."""
    kind, _, place = text.partition(":")
    kinds = [str(member) for member in EventKind]
    if not is_one_of(kind, kinds):
        raise OptionError(f"events: unknown kind {kind!r} in {text!r}; {suggestion(kind, kinds, 'kinds')}")
    places, noun = system.contact_names, "contacts"
    if kind in ("user", "reset"):
        places, noun = (system.guard_names, "guards") if kind == "user" else (system.reset_names, "resets")
    if place and not is_one_of(place, places):
        raise OptionError(f"events: {text!r}; {suggestion(place, places, noun)}")
    return int(EventKind[kind.upper()]), places.index(place) if place else -1


def _times(at: Any) -> np.ndarray:
    """Finite, ascending times."""
    try:
        times = np.atleast_1d(np.asarray([] if at is None else at, dtype=np.float64))
    except (TypeError, ValueError, OverflowError):
        times = np.full(1, np.nan)
    if times.ndim != 1 or not np.all(np.isfinite(times)) or np.any(np.diff(times) <= 0.0):
        raise OptionError("at must be finite times, each later than the one before, like numpy.linspace(0, 10, 101)")
    return times


def _mode_names(facts: np.ndarray, contact: int) -> np.ndarray:
    word, place = divmod(contact, WORD)
    codes = facts[:, MODE if word == 0 else FACTS + word - 1]
    return np.array(MODE_NAMES)[(codes // MODE_BASE**place) % MODE_BASE]
