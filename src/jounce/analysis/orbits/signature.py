"""The signature of a periodic motion: the cyclic sequence of its events, and what two signatures differ in.

Along a branch the signature is constant; where it changes the flow is not smooth, and that is the bifurcation.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from jounce.simulation.events import EventKind
from jounce.simulation.modes import Mode

if TYPE_CHECKING:
    from jounce.simulation.trajectory import Trajectory

#: Kinds that do not change the motion's form.
_IGNORED = (EventKind.GRAZING, EventKind.SCHEDULE, EventKind.USER)
#: Slip velocities below this, relative to the normal ones, are rounding: the case of the law means nothing.
_NO_SLIP = 1e-9


class Step(NamedTuple):
    """One event of an orbit; ``region`` is the impact law's case, 0 where none applies."""

    kind: str
    contact: str
    mode_before: str
    mode_after: str
    region: int

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
    keep = [k for k, row in enumerate(rows) if row[0] not in _IGNORED and floats[k, 0] > run.t_start]
    steps = [_step(run, k) for k in keep]
    return _rotated(_without_chattering_impacts(steps))


def _step(run: Trajectory, k: int) -> Step:
    kind, contact, before, after, _, region, _ = (int(value) for value in run.data.event_int[k][:7])
    _, v_n, _, v_t, v_t_after = run.data.event_float[k][:5]
    name = run.contacts[contact] if contact >= 0 else ""
    means_nothing = kind != EventKind.IMPACT or max(abs(v_t), abs(v_t_after)) <= _NO_SLIP * (1.0 + abs(v_n))
    modes = [str(Mode(mode)) if mode >= 0 else "" for mode in (before, after)]
    return Step(str(EventKind(kind)), name, modes[0], modes[1], 0 if means_nothing else max(region, 0))


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
    return min((tuple(steps[k:] + steps[:k]) for k in range(len(steps))), default=())


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
              "a stick phase of {contact} disappears: its duration falls to zero"),
    "slip": ("a slip phase of {contact} appears", "a slip phase of {contact} disappears"),
    "chatter": ("the bounces of {contact} become infinitely many: chatter sets in",
                "the chatter of {contact} no longer ends: its bounces become finitely many"),
}  # fmt: skip


def explain_change(before: Signature, after: Signature) -> Change:
    """Name the difference of two signatures: grazing, gain or loss of flight, stick or slip, chatter, impact law."""
    counts_before, counts_after = _phases(before), _phases(after)
    gained, lost = counts_after - counts_before, counts_before - counts_after
    detail = _edits(before, after)
    for phase in _order(before, gained + lost):
        for counts, appears in ((gained, True), (lost, False)):
            contacts = sorted({contact for what, contact in counts if what == phase})
            if not contacts:
                continue
            words = _WORDS[phase][0 if appears else 1].format(contact=" and ".join(contacts))
            return Change(_name(phase, appears), f"{words} ({detail})")
    return Change("impact_case", f"an impact passes into another case of its law ({detail})")


def _name(phase: str, appears: bool) -> str:
    if phase == "grazing":
        return "grazing"
    if phase == "chatter":
        return "chatter_onset" if appears else "chatter_end"
    return f"{'gain' if appears else 'loss'}_of_{phase}"


def _order(before: Signature, changed: Counter[tuple[str, str]]) -> list[str]:
    """A hop that begins ends in bounces too: it is a flight gained, not a chatter."""
    flies = any(step.kind in ("impact", "lift_off", "chatter") for step in before)
    first = ["chatter", "flight"] if flies else ["flight", "chatter"]
    present = {what for what, _ in changed}
    return [what for what in (*first, "stick", "grazing", "slip") if what in present]


def _phases(signature: Signature) -> Counter[tuple[str, str]]:
    """How often each contact impacts, chatters and begins to fly, stick and slip."""
    counts: Counter[tuple[str, str]] = Counter()
    for step in signature:
        if step.kind == "impact":
            counts["grazing", step.contact] += 1
        if step.kind == "chatter":
            counts["chatter", step.contact] += 1
        if step.mode_after == step.mode_before:
            continue
        phase = {"OPEN": "flight", "STICK": "stick"}.get(step.mode_after, "slip")
        if step.mode_after:
            counts[phase, step.contact] += 1
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
    keep = ~np.isin(rows[:, 0], _IGNORED) if len(rows) else np.zeros(0, dtype=bool)
    times: np.ndarray = np.unique(floats[keep, 0]) if len(rows) else np.zeros(0)
    return times
