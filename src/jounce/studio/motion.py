"""The Motion panel: one run, its drawing frame by frame, its time history, events and energy."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

import jounce
from jounce.errors import Interrupted
from jounce.plot.sampling import sample
from jounce.studio import limits
from jounce.studio.catalogue import Entry
from jounce.studio.jobs import Job
from jounce.studio.protocol import Fields

if TYPE_CHECKING:
    from jounce import Model, Options, State, Trajectory
    from jounce.plot.shapes import Drawing

FRAME_RATE = 60.0  # frames a second of motion, as far as FRAMES allows
HITS = ("impact", "chatter")
#: Accounts of the ledger that change between events, with the sign of their part in the energy.
WORKS = {"applied_work": 1.0, "surface_work": 1.0, "friction_loss": -1.0}
VISIBLE = 1e-9  # a change of an account that counts, relative to the largest
INDETERMINATE = ("separate", "contact", "stop")


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion as asked for: what simulate needs."""

    entry: Entry
    parameters: dict[str, Any]
    start: State
    t_end: float
    options: Options
    on: dict[str, dict[str, str]] = field(default_factory=dict)

    def run(self, job: Job) -> Trajectory:
        """Simulate; ends early when cancelled, and with what there is (INTERRUPTED) when it takes too long."""
        deadline, pauses = time.perf_counter() + limits.RUN_SECONDS, 0

        def look(fraction: float) -> None:
            nonlocal pauses
            job.progress(fraction)
            pauses += 1
            if pauses > limits.RUN_PAUSES or time.perf_counter() > deadline:
                raise KeyboardInterrupt  # by which simulate hands over the run so far

        try:
            return jounce.simulate(
                self.entry.system,
                self.start,
                t_end=self.t_end,
                options=self.options,
                on=self.on or None,
                progress=look,
                **self.parameters,
            )
        except Interrupted as given_up:
            return cast("Trajectory", given_up.partial)

    def status(self, run: Trajectory) -> dict[str, str]:
        """How its run ended, for the page."""
        message = run.status.message
        if run.status.name == "INTERRUPTED":
            message = f"given up at t={run.t_end:.4g} of {self.t_end:g}: the rest takes too long to be looked at. "
            message += "Shorten the time, or use jounce simulate"
        return {"name": run.status.name, "message": message}


def read_motion(fields: Fields, entry: Entry) -> Motion:
    """The motion that a request describes; every number checked against its bounds."""
    system = entry.system
    parameters = fields.numbers("parameters", system.parameter_names)
    t_start = fields.number("t_start", 0.0)
    span = fields.number("t_end", low=t_start, high=t_start + limits.LONGEST_RUN)
    start = read_start(fields, entry, t_start, parameters if parameters else None)
    return Motion(entry, parameters, start, span, read_options(fields), actions_of(read_actions(fields)))


def read_start(fields: Fields, entry: Entry, t: float, parameters: dict[str, Any] | None) -> State:
    """The state that ``start`` gives; with parameters a machine is put together for them, what was given held."""
    given = fields.numbers("start", entry.start_names)
    start = entry.system.state(t=t, **given)
    if parameters is None or not entry.system.nj:
        return start
    held = [name for name in given if name in entry.variables]
    return entry.system.assemble_with(start, held, parameters)


def read_actions(fields: Fields) -> list[dict[str, str]]:
    """What events set: a list of event, name and value, an expression as text; simulate reads and checks them."""
    return [
        {key: action.text(key, longest=limits.ACTION_LETTERS) for key in ("event", "name", "value")}
        for action in fields.groups("on", limits.ACTIONS)
    ]


def actions_of(listed: list[dict[str, str]]) -> dict[str, dict[str, str]]:
    """The same in the form that ``simulate`` takes."""
    actions: dict[str, dict[str, str]] = {}
    for action in listed:
        actions.setdefault(action["event"], {})[action["name"]] = action["value"]
    return actions


def read_options(fields: Fields) -> Options:
    """Tolerance and law, as far as the page offers them."""
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
    times, states = history(run)
    job.check()  # a long run takes a while to sample, too
    frame_times, frames, modes = _frames(motion, run)
    job.check()
    hits, contacts = _impacts(run)
    resets = _resets(run)
    job.check()
    content = {
        **notes,
        "system": motion.entry.name,
        "status": motion.status(run),
        "t_start": run.t_start,
        "t_end": run.t_end,
        "start": run.start.as_dict(),
        "final": run.final.as_dict(),
        "parameters": run.parameters,
        "events": len(run.events),
        "variables": [*run.variables().items(), *((name, s.unit) for name, s in run.model.states.items())],
        "discrete": list(run.model.states),
        "intervals": _intervals(run),
    }
    job.send("motion", content, [times, states, frame_times, frames, modes, hits, contacts, resets])


def history(run: Trajectory, span: tuple[float, float] | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Times and states, one variable after the other; NaN where a line breaks."""
    times, states = sample(run, limits.HISTORY if span else limits.HISTORY // 2, span, limits.JUMPS, discrete=True)
    return times, np.ascontiguousarray(states.T)


def _frames(motion: Motion, run: Trajectory) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Times, the numbers of all shapes, and the mode of every contact, frame by frame."""
    span = run.t_end - run.t_start
    count = int(np.clip(span * FRAME_RATE, limits.FRAMES // 16, limits.FRAMES))
    times = np.linspace(run.t_start, run.t_end, count)
    drawing = motion.entry.drawing if run.system is motion.entry.system else _drawing(run.model)
    values = drawing.along(run, times)
    return times, values.astype(np.float32), run.mode_codes_at(times, "right").astype(np.uint8)


@lru_cache(maxsize=8)
def _drawing(model: Model) -> Drawing:
    """Of a run with actions, in which some parameters are discrete states."""
    from jounce.plot.shapes import Drawing

    return Drawing(model)


def _resets(run: Trajectory) -> np.ndarray:
    """When resets acted; none where they lie closer than one can see."""
    events = run.events
    times = events.loc[events["kind"] == "reset", "t"].to_numpy(dtype=np.float64)
    return times if len(times) <= limits.RESETS else times[:0]


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
    ledger = _ledger(run)
    job.check()
    names = [name for name in ledger if name != "time"]
    content |= {"ledger": names, "energy_unit": run.model.energy_unit}
    job.send("details", content, [ledger[name] for name in ("time", *names)])


def _ledger(run: Trajectory) -> dict[str, np.ndarray]:
    """The energy ledger for a picture: its rows, and between them a grid, for steps may be longer than what they do.

    On the grid the energies are those of the state there. What they gain between two rows beyond a straight line is
    the work that changes there, if one alone does; else works go straight from row to row.
    """
    from jounce.simulation.energy import parameters_at
    from jounce.simulation.stored_energy import stored_energies

    ledger = run.energy
    keep = _thinned(len(ledger["time"]))
    columns = {
        str(name): np.asarray(values.to_numpy()[keep], dtype=np.float64)
        for name, values in {"time": ledger["time"], **ledger.data_vars}.items()
        if values.dims == ("time",)
    }
    rows = columns["time"]
    grid = np.setdiff1d(np.linspace(run.t_start, run.t_end, limits.HISTORY // 4), rows)
    grid = grid[(grid > rows[0]) & (grid < rows[-1])]
    if not len(run.data.step_t) or not len(grid):
        return columns
    after = np.searchsorted(rows, grid, side="right")
    share = (grid - rows[after - 1]) / (rows[after] - rows[after - 1])
    between = {
        name: values[after - 1] + share * (values[after] - values[after - 1]) for name, values in columns.items()
    }
    arguments = (grid, run.states(grid), parameters_at(run.data, grid))
    stored = stored_energies(run.system)(*arguments)[:, :2].T
    if not any(contact.compliance for contact in run.model.contacts):  # springs hold energy, too
        gained = stored[0] + stored[1] - between["kinetic"] - between["potential"]
        changes = np.array([np.abs(columns[name][after] - columns[name][after - 1]) for name in WORKS])
        moves = changes > VISIBLE * max(float(np.abs(columns[name]).max()) for name in (*WORKS, "kinetic"))
        for name, alone in zip(WORKS, moves & (moves.sum(axis=0) == 1), strict=True):
            between[name] = between[name] + np.where(alone, WORKS[name] * gained, 0.0)
    between["kinetic"], between["potential"] = stored
    return {name: np.insert(values, after, between[name]) for name, values in columns.items()}


def _thinned(rows: int) -> np.ndarray:
    """At most HISTORY rows, evenly, the last one included."""
    return np.unique(np.linspace(0, rows - 1, min(rows, limits.HISTORY)).astype(np.int64))
