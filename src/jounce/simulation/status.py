"""How a run ended: a name to test, and a message that says what happened, where and what to try."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from jounce.kernels.records import codes
from jounce.kernels.records.workspace import MAX_CLOSED
from jounce.simulation.law import Law
from jounce.simulation.options import Options, Simultaneous


class StatusCode(IntEnum):
    """The ends of a run; three are Python's alone."""

    FINISHED = codes.FINISHED
    AT_REST = codes.AT_REST
    STOPPED = codes.STOPPED
    PARADOX = codes.PARADOX_STOP
    STEP_UNDERFLOW = codes.STEP_UNDERFLOW
    TOO_MANY_EVENTS = codes.TOO_MANY_EVENTS
    NOT_FINITE = codes.NOT_FINITE
    LAW_FAILED = codes.LAW_FAILED
    NO_PROGRESS = codes.NO_PROGRESS
    NO_RETURN = codes.NO_RETURN
    INTERRUPTED = 10
    LOCKED = 11
    AUDIT_FAILED = 12
    TOO_MANY_STEPS = codes.TOO_MANY_STEPS
    ENDLESS_RESETS = codes.ENDLESS_RESETS
    RESET_REFUSED = codes.RESET_REFUSED
    TOO_MANY_CLOSED = codes.TOO_MANY_CLOSED
    GAP_JUMPS = codes.GAP_JUMPS


MOST_NAMED = 32  # contacts up to which a message names the modes of all

_MESSAGES = {
    StatusCode.FINISHED: "reached t={t:.6g}",
    StatusCode.AT_REST: "came to rest at t={rest:.6g} in mode {mode} and stays there until t={t:.6g}",
    StatusCode.STOPPED: "stopped at {stop} at t={t:.9g} in mode {mode}",
    StatusCode.PARADOX: (
        "no motion is consistent, or none is allowed by the options, at t={t:.9g} out of mode {mode}: a Painlevé "
        "paradox; see Options.inconsistent and Options.indeterminate, or look at the coefficients with jounce.painleve"
    ),
    StatusCode.STEP_UNDERFLOW: (
        "step size underflow at t={t:.9g} in mode {mode}: a force or acceleration grows without bound there (a "
        "singularity of the model, or the approach to a Painlevé singular point); try another tolerance, or stop before"
        "{cause}"
    ),
    StatusCode.TOO_MANY_EVENTS: (
        "{events} events by t={t:.9g} in mode {mode}; raise Options.max_events, or Options.chatter_rise if impacts "
        "accumulate"
    ),
    StatusCode.TOO_MANY_CLOSED: (
        "more contacts touch at t={t:.9g} than the engine serves at one time ({closed}), out of mode {mode}; leave out "
        "contacts that depend on others (three feet in a line), or let some be compliant"
    ),
    StatusCode.TOO_MANY_STEPS: "{steps} steps by t={t:.9g} in mode {mode}: {cause}; see Options.max_steps",
    StatusCode.NOT_FINITE: (
        "the model gives values that are not finite, or a mass matrix that is not positive definite, at t={t:.9g} in "
        "mode {mode}; check its expressions there"
    ),
    StatusCode.LAW_FAILED: ("the law of impact has no solution at t={t:.9g} in mode {mode}{advice}"),
    StatusCode.NO_PROGRESS: (
        "events follow one another with no time passing, or hardly any, at t={t:.9g} in mode {mode}: a contact "
        "switches between modes none of which lasts{cause}; try a slightly different start, or static friction above "
        "kinetic friction"
    ),
    StatusCode.ENDLESS_RESETS: (
        "resets follow one another without end at t={t:.9g} in mode {mode}, the last is {cause}"
    ),
    StatusCode.RESET_REFUSED: (
        "{cause} at t={t:.9g} in mode {mode}, so the motion cannot go on there; change its map, or give it a condition "
        "(only_if)"
    ),
    StatusCode.GAP_JUMPS: (
        "the gap of contact {cause} changes its sign at t={t:.9g} in mode {mode} without vanishing. An Edge has one "
        "side, and what has passed its end is behind it: give a plate as a thin PolygonOn. A gap of one's own must be "
        "continuous"
    ),
    StatusCode.LOCKED: (
        "the machine locks at t={t:.9g} in mode {mode}: there the joints {joints} leave no motion that goes on (a dead "
        "point), and forces grow without bound; change the lengths, or drive another body"
    ),
    StatusCode.NO_RETURN: (
        "the section was not met again by t={t:.9g}, in mode {mode}; choose a section that the motion crosses, or "
        "raise longest_return"
    ),
    StatusCode.INTERRUPTED: "interrupted at t={t:.9g} in mode {mode}; the result up to there is kept",
}


# A paradox at which an option ends the run, by the number of the option in kernels/records/codes.py.
_REFUSALS = {
    1: (
        "several motions are consistent at t={t:.9g} out of mode {mode}, and indeterminate='stop' ends the run there: "
        "a Painlevé paradox; choose another Options.indeterminate to go on, or look at the coefficients with "
        "jounce.painleve"
    ),
    2: (
        "no motion is consistent at t={t:.9g} out of mode {mode}, and inconsistent='stop' ends the run there: a "
        "Painlevé paradox; Options.inconsistent='impact' goes on with an impact without collision"
    ),
    3: (
        "a plastic impact at t={t:.9g} out of mode {mode} leaves a contact that opens at once, and "
        "plastic_release='stop' ends the run there; choose another Options.plastic_release to go on"
    ),
    5: (
        "no mode of the contacts is consistent at t={t:.9g} out of mode {mode}: all of them have been tried, and no "
        "contact alone is jammed by its friction, so no impact without collision follows. Contacts that wedge a body "
        "do this; lower their friction, or model one of them as compliant"
    ),
    6: (
        "rubbing joints jam at t={t:.9g} out of mode {mode}: their forces grow with their friction and their friction "
        "with their forces, no balance of both goes on with the motion, and none of them alone can stop by its own "
        "friction; lower the friction, or give the guide more length and the pin less radius"
    ),
    4: (
        "no motion is consistent at t={t:.9g} out of mode {mode}: a Painlevé paradox. Only an impact without collision "
        "could go on, and the law of impact gives no impulse for it; try law='energetic'"
    ),
}


_OPEN_FORCES = "; statics leaves its contact forces open: those of least norm that friction can carry are given"


_REACHED = frozenset({StatusCode.FINISHED, StatusCode.AT_REST, StatusCode.STOPPED})


@dataclass(frozen=True)
class Status:
    """``code`` and ``message``; ``ok`` when the run reached what was asked."""

    code: StatusCode
    message: str

    @property
    def name(self) -> str:
        """FINISHED, AT_REST, ..."""
        return self.code.name

    @property
    def ok(self) -> bool:
        """Whether the run reached its end time or the guard at which it was to stop."""
        return self.code in _REACHED

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"


def finished(t: float) -> Status:
    """The status of a run that reached the time asked for."""
    return Status(StatusCode.FINISHED, _MESSAGES[StatusCode.FINISHED].format(t=t))


def _mode_text(modes: dict[str, str]) -> str:
    """The modes of all contacts, or, of many, those that are not open."""
    if len(modes) <= MOST_NAMED:
        return " ".join(f"{name}:{value}" for name, value in modes.items()) or "free"
    closed = [f"{name}:{value}" for name, value in modes.items() if value != "OPEN"]
    return " ".join([*closed, f"({len(modes) - len(closed)} contacts open)"])


def describe(
    code: StatusCode,
    t: float,
    modes: dict[str, str],
    *,
    rest: float,
    events: int,
    stop: str,
    joints: str = "",
    refusal: int = 0,
    open_forces: bool = False,
    options: Options | None = None,
    steps: int = 0,
    cause: str = "",
) -> Status:
    """The status of a run that ended at t in the given modes.

    ``refusal`` is the option that ended it, if one did; ``open_forces``: statics does not determine the contact forces.
    """
    mode = _mode_text(modes)
    text = _REFUSALS[refusal] if code is StatusCode.PARADOX and refusal in _REFUSALS else _MESSAGES[code]
    if code is StatusCode.AT_REST and open_forces:
        text += _OPEN_FORCES
    if code is StatusCode.FINISHED:
        return finished(t)
    values = {"rest": rest, "events": events, "stop": stop, "joints": joints, "steps": steps, "cause": cause}
    values["closed"] = MAX_CLOSED
    return Status(code, text.format(t=t, mode=mode, advice=_law_advice(options), **values))


def _law_advice(options: Options | None) -> str:
    """What to try where a law of impact has no solution: what is not in force already."""
    advice = []
    if options is not None and options.simultaneous is Simultaneous.JOINT and options.law is not Law.POISSON:
        advice.append("law='poisson', which has one where friction locks touching contacts against each other")
    if options is not None and options.law is not Law.ENERGETIC:
        advice.append("law='energetic', which always has one for a contact alone")
    if options is not None and options.simultaneous is not Simultaneous.SEQUENTIAL:
        advice.append("simultaneous='sequential'")
    if advice:
        return "; try " + ", or ".join(advice)
    return (
        ": a body is jammed, by friction or between surfaces that close in on it, and rigid bodies have no motion; "
        "lower the friction if there is any, or model one of the contacts as compliant"
    )
