"""The signature of a periodic motion: the cyclic sequence of its events, and what two signatures differ in.

Along a branch the signature is constant; where it changes the flow is not smooth, and that is the bifurcation.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jounce.kernels.records.workspace import RESTITUTION, SURFACE_STRIDE
from jounce.simulation.events import EventKind
from jounce.simulation.modes import Mode

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory

#: Kinds that do not change the motion's form.
_IGNORED = (EventKind.GRAZING, EventKind.SCHEDULE, EventKind.USER)
#: Slip velocities below this, relative to the normal ones, are rounding: the case of the law means nothing.
_NO_SLIP = 1e-9


#: The case of an impact too slow to be resolved: it may be any.
_ANY = -1


class Step(NamedTuple):
    """One event of an orbit; ``region`` is the impact law's case, 0 where none applies, -1 where it is not known."""

    kind: str
    contact: str
    mode_before: str
    mode_after: str
    region: int

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Step):
            return NotImplemented
        return self[:4] == other[:4] and (self.region == other.region or _ANY in (self.region, other.region))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self[:4])

    def __str__(self) -> str:
        change = "" if self.mode_before == self.mode_after else f" {self.mode_before}>{self.mode_after}"
        return f"{self.kind} {self.contact}{change}"


Signature = tuple[Step, ...]


def signature_of(run: Trajectory) -> Signature:
    """The events of a run over one period, begun so that every starting point gives the same tuple.

    The infinitely many impacts that a chatter ends are one step: how many of them were computed one by one says
    nothing about the motion.
    """
    rows, floats = run.data.event_int, run.data.event_float
    times = floats[:, 0].tolist()
    keep = [k for k, row in enumerate(rows.tolist()) if _matters(row) and times[k] > run.t_start]
    steps = [_step(run, k) for k in keep]
    return _rotated(_without_chattering_impacts(steps))


def _matters(row: list[int]) -> bool:
    """Whether an event changes the motion's form: a grazing that closes its contact does."""
    return row[0] not in _IGNORED or (row[0] == EventKind.GRAZING and row[2] != row[3])


def _landing_kind(run: Trajectory, contact: int, t: float) -> EventKind:
    """What a landing too slow to rebound visibly is: the end of a chatter, or without restitution an impact."""
    from jounce.analysis.orbits.solution.mode_surface import model_values

    system, n = run.system, run.system.n
    z = run.states([t])[0]
    surfaces = model_values(system, run.data.parameters, "surfaces", SURFACE_STRIDE * system.nc, t, z[:n], z[n:])
    return EventKind.CHATTER if surfaces[SURFACE_STRIDE * contact + RESTITUTION] > 0.0 else EventKind.IMPACT


def contact_speed(run: Trajectory, contact: int) -> float:
    """The velocity scale of a contact: what the engine found, or the fastest of its events in a run from a file."""
    if run.data.contact_speed.size:
        return float(run.data.contact_speed[contact])
    rows = run.data.event_float[run.data.event_int[:, 1] == contact, 1:5]
    return float(np.nanmax(np.abs(rows), initial=0.0))


def _chatter_speed(run: Trajectory, contact: int) -> float:
    """Impacts slower than this belong to a chatter."""
    if run.data.chatter_speed.size:
        return float(run.data.chatter_speed[contact])
    return math.sqrt(run.options.chatter_rise) * contact_speed(run, contact)


def _step(run: Trajectory, k: int) -> Step:
    kind, contact, before, after, _, region, _ = run.data.event_int[k, :7].tolist()
    t, v_n, _, v_t, v_t_after = run.data.event_float[k, :5].tolist()
    closes = before == Mode.OPEN and after != Mode.OPEN
    if kind == EventKind.GRAZING or (kind == EventKind.IMPACT and closes and abs(v_n) < _chatter_speed(run, contact)):
        kind, region = _landing_kind(run, contact, t), _ANY
    if kind == EventKind.RESET:
        return Step("reset", run.model.resets[region].name, "", "", 0)
    name = run.contacts[contact] if contact >= 0 else ""
    means_nothing = kind != EventKind.IMPACT or max(abs(v_t), abs(v_t_after)) <= _NO_SLIP * contact_speed(run, contact)
    modes = [str(Mode(mode)) if mode >= 0 else "" for mode in (before, after)]
    return Step(str(EventKind(kind)), name, modes[0], modes[1], 0 if means_nothing else max(region, _ANY))


def _without_chattering_impacts(steps: list[Step]) -> list[Step]:
    """Drop the impacts that lead up to a chatter of the same contact, cyclically."""
    absorbed = set()
    for k, step in enumerate(steps):
        if step.kind != "chatter":
            continue
        for back in range(1, len(steps)):
            other = (k - back) % len(steps)
            if steps[other].contact != step.contact:
                continue
            if steps[other].kind != "impact":
                break
            absorbed.add(other)
    return [step for k, step in enumerate(steps) if k not in absorbed]


def _rotated(steps: list[Step]) -> Signature:
    """Begun where the tuple is least; cases of the law come last, because some of them are not known."""
    turns = (tuple(steps[k:] + steps[:k]) for k in range(len(steps)))
    return min(turns, key=lambda turn: ([step[:4] for step in turn], [step.region for step in turn]), default=())


def describe_signature(signature: Signature) -> str:
    """``3 impact P1, slip tip STICK>SLIP+``: equal neighbours are counted; an orbit without events is smooth."""
    groups = [(text, len(list(same))) for text, same in groupby(map(str, signature))]
    return ", ".join(text if count == 1 else f"{count} {text}" for text, count in groups) or "no events"


# ------------------------------------------------------------------------------------------------ differences


@dataclass(frozen=True)
class Change:
    """What becomes of an orbit where its signature changes: a name, and an explanation in words."""

    name: str
    explanation: str


_WORDS = {
    "grazing": ("an impact of {contact} appears: the flight grazes the surface",
                "an impact of {contact} disappears: its velocity falls to zero, a grazing"),
    "flight": ("a flight of {contact} appears: its normal force falls to zero",
               "a flight of {contact} disappears: the contact no longer opens"),
    "stick": ("a stick phase of {contact} appears: its slip velocity touches zero",
              "a stick phase of {contact} disappears: {how}"),
    "slip": ("a slip phase of {contact} appears", "a slip phase of {contact} disappears: {how}"),
    "chatter": ("the bounces of {contact} become infinitely many: chatter sets in",
                "the chatter of {contact} no longer ends: its bounces become finitely many"),
}  # fmt: skip
_SHRINKS = "its duration falls to zero"
#: A phase that disappears while it still lasts has lost its beginning.
_NOT_BEGUN = {"stick": "the slip velocity no longer reaches zero", "slip": "friction no longer reaches its limit"}
#: A phase shorter than this, relative to the run, has shrunk to nothing.
_SHORT = 1e-2


def explain_change(before: Trajectory, after: Trajectory) -> Change:
    """Name the difference of two motions: grazing, gain or loss of flight, stick or slip, chatter, impact law."""
    old, new = signature_of(before), signature_of(after)
    counts_before, counts_after = _phases(old), _phases(new)
    gained, lost = counts_after - counts_before, counts_before - counts_after
    detail = _edits(old, new)
    for phase in _order(old, new, gained + lost, before, after):
        for counts, appears in ((gained, True), (lost, False)):
            contacts = sorted({contact for what, contact in counts if what == phase})
            if not contacts:
                continue
            words = _WORDS[phase][0 if appears else 1]
            lasts = phase in _NOT_BEGUN and _odd_phase(before, after, contacts[0], phase)[1] > _SHORT
            how = _NOT_BEGUN[phase] if lasts else _SHRINKS
            return Change(_name(phase, appears), f"{words.format(contact=' and '.join(contacts), how=how)} ({detail})")
    return Change("impact_case", f"an impact passes into another case of its law ({detail})")


def _name(phase: str, appears: bool) -> str:
    if phase == "grazing":
        return "grazing"
    if phase == "chatter":
        return "chatter_onset" if appears else "chatter_end"
    return f"{'gain' if appears else 'loss'}_of_{phase}"


def _order(
    old: Signature, new: Signature, changed: Counter[tuple[str, str]], before: Trajectory, after: Trajectory
) -> list[str]:
    """Which change comes first: what appears brings others along.

    A hop that begins ends in bounces too: it is a flight gained, not a chatter. A slip phase within stick makes two
    stick phases of one, a stick phase within slip two of slip: the one that has no counterpart decides.
    """
    flies = all(any(step.kind in ("impact", "lift_off", "chatter") for step in steps) for steps in (old, new))
    first = ["chatter", "flight"] if flies else ["flight", "chatter"]
    present = {what for what, _ in changed}
    rubs = ["stick", "slip"]
    for contact in sorted({contact for what, contact in changed if what in rubs}):
        more, other = (after, before) if sum(_phases(new).values()) > sum(_phases(old).values()) else (before, after)
        if {(what, contact) for what in rubs} <= set(changed):
            rubs.sort(key=lambda what: _odd_phase(more, other, contact, what)[0])
    return [what for what in (*first, rubs[0], "grazing", rubs[1]) if what in present]


def _odd_phase(more: Trajectory, other: Trajectory, contact: str, phase: str) -> tuple[float, float]:
    """Of the phases of a kind, the one with the least counterpart: its share that the other run has too, its length.

    Both runs begin at nearly the same state; lengths are relative to the run.
    """
    index, span = more.contacts.index(contact), more.t_end - more.t_start
    found = [(1.0, 1.0)]
    if _has_no_length(more, index, phase):
        found.append((0.0, 0.0))
    for begin, end, mode in more.mode_intervals(contact):
        if phase_of(str(mode)) != phase or end <= begin:
            continue
        times = begin + (end - begin) * (np.arange(9) + 0.5) / 9 - more.t_start + other.t_start
        codes = other.mode_codes_at(np.clip(times, other.t_start, other.t_end), "right")[:, index]
        shared = np.mean([phase_of(str(Mode(code))) == phase for code in codes])
        found.append((float(shared), (end - begin) / span))
    return min(found)


def _has_no_length(run: Trajectory, contact: int, phase: str) -> bool:
    """Whether a phase of this kind begins and ends at one time: it has events and no interval."""
    rows = (run.data.event_int[:, 1] == contact) & (run.data.event_int[:, 2] != run.data.event_int[:, 3])
    times, modes = run.data.event_float[rows, 0].tolist(), run.data.event_int[rows, 3].tolist()
    return any(
        phase_of(str(Mode(mode))) == phase and end <= begin
        for mode, begin, end in zip(modes, times, times[1:], strict=False)
        if mode >= 0
    )


def phase_of(mode: str) -> str:
    """flight, stick or slip."""
    return {"OPEN": "flight", "STICK": "stick"}.get(mode, "slip")


def _phases(signature: Signature) -> Counter[tuple[str, str]]:
    """How often each contact impacts, chatters and begins to fly, stick and slip."""
    counts: Counter[tuple[str, str]] = Counter()
    for step in signature:
        if step.kind in ("impact", "touch"):
            counts["grazing", step.contact] += 1
        if step.kind in ("touch", "separate"):
            continue  # its flight and its contact come and go with the touch
        if step.kind == "chatter":
            counts["chatter", step.contact] += 1
        if step.mode_after == step.mode_before:
            continue
        if step.mode_after:
            counts[phase_of(step.mode_after), step.contact] += 1
    return counts


def _edits(before: Signature, after: Signature) -> str:
    """The steps that differ, the second sequence turned to where it fits the first best."""
    turns = [after[k:] + after[:k] for k in range(len(after))] or [()]
    best = max(turns, key=lambda turn: SequenceMatcher(None, before, turn, autojunk=False).ratio())
    parts = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, best, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        old, new = describe_signature(before[i1:i2]), describe_signature(best[j1:j2])
        if old == new:
            cases = [f"{a.region} to {b.region}" for a, b in zip(before[i1:i2], best[j1:j2], strict=True)]
            parts.append(f"{old}: case {', '.join(cases)}")
        else:
            parts.append({"insert": f"new: {new}", "delete": f"gone: {old}", "replace": f"{old} becomes {new}"}[tag])
    return "; ".join(parts) or "no difference in the order of events"


def event_times(run: Trajectory) -> np.ndarray:
    """The times inside the run at which the motion is not smooth."""
    rows, floats = run.data.event_int, run.data.event_float
    keep = [k for k, row in enumerate(rows.tolist()) if _matters(row)]
    times: np.ndarray = np.unique(floats[keep, 0])
    return times
