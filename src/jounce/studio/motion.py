"""The Motion panel: one run, its drawing frame by frame, its time history, events and energy."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.errors import OptionError
from jounce.studio import limits
from jounce.studio.catalogue import Entry
from jounce.studio.jobs import Job
from jounce.studio.protocol import Fields

if TYPE_CHECKING:
    from jounce import Options, State, Trajectory

FRAME_RATE = 60.0  # frames a second of motion, as far as FRAMES allows
HITS = ("impact", "chatter")
INDETERMINATE = ("separate", "contact", "stop")


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion as asked for: what simulate needs."""

    entry: Entry
    parameters: dict[str, Any]
    start: State
    t_end: float
    options: Options

    def run(self, job: Job) -> Trajectory:
        """Simulate; ends early when cancelled, and with a message when it takes too long."""
        import jounce

        deadline, pauses = time.perf_counter() + limits.RUN_SECONDS, 0

        def look(fraction: float) -> None:
            nonlocal pauses
            job.progress(fraction)
            pauses += 1
            if pauses > limits.RUN_PAUSES or time.perf_counter() > deadline:
                raise OptionError(
                    f"the run was given up after {fraction:.0%} of {self.t_end:g} s: it takes too long to be looked "
                    "at. Shorten t_end, or use jounce simulate"
                )

        return jounce.simulate(
            self.entry.system,
            self.start,
            t_end=self.t_end,
            options=self.options,
            progress=look,
            **self.parameters,
        )


def read_motion(fields: Fields, entry: Entry) -> Motion:
    """The motion that a request describes; every number checked against its bounds."""
    system = entry.system
    parameters = fields.numbers("parameters", system.parameter_names)
    given = fields.numbers("start", entry.variables)
    t_start = fields.number("t_start", 0.0)
    span = fields.number("t_end", low=t_start, high=t_start + limits.LONGEST_RUN)
    start = system.state(t=t_start, **given)
    if parameters and system.nj:
        start = system.assemble(start, hold=given, **parameters)
    return Motion(entry, parameters, start, span, read_options(fields))


def read_options(fields: Fields) -> Options:
    """Tolerance and law, as far as the page offers them."""
    import jounce

    inner = fields.group("options")
    chosen: dict[str, Any] = {"max_events": limits.RUN_EVENTS}
    if "law" in inner:
        chosen["law"] = inner.text("law")
    if "tolerance" in inner:
        chosen["tolerance"] = inner.number("tolerance", low=1e-14, high=1e-2)
    if "indeterminate" in inner:
        chosen["indeterminate"] = inner.choice("indeterminate", INDETERMINATE)
    return jounce.Options(**chosen)


def send_motion(job: Job, motion: Motion, run: Trajectory, notes: Mapping[str, Any]) -> None:
    """The first answer to a moved slider: status, history, frames, modes, impacts."""
    system = motion.entry.system
    times, states = history(run)
    frame_times, frames, modes = _frames(motion, run)
    hits, contacts = _impacts(run)
    content = {
        **notes,
        "system": system.model.name,
        "status": {"name": run.status.name, "message": run.status.message},
        "t_start": run.t_start,
        "t_end": run.t_end,
        "start": run.start.as_dict(),
        "final": run.final.as_dict(),
        "parameters": run.parameters,
        "events": len(run.events),
        "variables": list(run.variables().items()),
        "intervals": _intervals(run),
    }
    job.send("motion", content, [times, states, frame_times, frames, modes, hits, contacts])


def history(run: Trajectory, span: tuple[float, float] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Times and states, one variable after the other; NaN where a line breaks."""
    from jounce.plot.sampling import sample

    times, states = sample(run, limits.HISTORY if span else limits.HISTORY // 2, span, limits.JUMPS)
    return times, np.ascontiguousarray(states.T)


def _frames(motion: Motion, run: Trajectory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, the numbers of all shapes, and the mode of every contact, frame by frame."""
    span = run.t_end - run.t_start
    count = int(np.clip(span * FRAME_RATE, limits.FRAMES // 16, limits.FRAMES))
    times = np.linspace(run.t_start, run.t_end, count)
    values = motion.entry.drawing.along(run, times)
    return times, values.astype(np.float32), run.mode_codes_at(times, "right").astype(np.uint8)


def _impacts(run: Trajectory) -> tuple[np.ndarray, np.ndarray]:
    events = run.events
    hits = events[events["kind"].isin(HITS)]
    index = {name: k for k, name in enumerate(run.contacts)}
    contacts = hits["contact"].map(index).fillna(255).to_numpy(dtype=np.uint8)
    return hits["t"].to_numpy(dtype=np.float64), contacts


def _intervals(run: Trajectory) -> list[list[list[float]]]:
    """Of every contact the spans [from, to, mode] in which it is closed; none beyond what can be drawn."""
    listed = []
    for contact in run.contacts:
        spans = [[a, b, int(mode)] for a, b, mode in run.mode_intervals(contact) if int(mode)]
        listed.append(spans if len(spans) <= limits.JUMPS else [])
    return listed


def send_window(job: Job, run: Trajectory, fields: Fields) -> None:
    """The history of a part of the run at the resolution of the view."""
    first = fields.number("from", low=run.t_start, high=run.t_end)
    last = fields.number("to", low=first, high=run.t_end)
    times, states = history(run, (first, last))
    job.send("window", {"from": first, "to": last}, [times, states])


def send_details(job: Job, run: Trajectory) -> None:
    """The table of events and the energy ledger: wanted once the hand rests."""
    events = run.events.head(limits.TABLE_ROWS)
    columns = {name: events[name].tolist() for name in events.columns}
    content: dict[str, Any] = {"table": columns, "rows": len(run.events)}
    ledger = run.energy
    job.check()
    keep = _thinned(len(ledger["time"]))
    names = [name for name, values in ledger.data_vars.items() if values.dims == ("time",)]
    arrays = [ledger[name].to_numpy()[keep] for name in ("time", *names)]
    job.send("details", {**content, "ledger": names}, [np.asarray(array, dtype=np.float64) for array in arrays])


def _thinned(rows: int) -> np.ndarray:
    """At most HISTORY rows, evenly, the last one included."""
    return np.unique(np.linspace(0, rows - 1, min(rows, limits.HISTORY)).astype(np.int64))
