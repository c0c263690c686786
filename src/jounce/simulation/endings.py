"""How a run ended, in words: what happened, where, in which mode, and what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jounce.kernels.records import codes, recording
from jounce.kernels.records.tolerances import CRAWL_LIMIT
from jounce.simulation.on_surfaces import surface_met
from jounce.simulation.own_laws import lets_go_at_once
from jounce.simulation.slow_runs import slow_cause
from jounce.simulation.status import Status, StatusCode, describe, finished
from jounce.system.assembly import joint_rows, singularity

if TYPE_CHECKING:
    from jounce.simulation.driver import Driver

DEAD_POINT = 1e-3  # smallest singular value of the joints' directions where an underflow of the step size means a lock
BARELY = 1e-6  # of the way that the speed would make since the start: a motion that has moved less has just begun
DROPPED = {
    codes.DROPPED_AWAY: "its gap is open",
    codes.DROPPED_INSIDE: "its gap is negative",
    codes.DROPPED_MOVING: "it has a normal velocity",
    codes.DROPPED_SLIDING: "it slides",
    codes.DROPPED_BACKWARDS: "it slides the other way",
}


def status_of(driver: Driver, code: StatusCode, rest: float | None = None) -> Status:
    """The status of a run as it stands; ``rest`` is when it came to rest."""
    t, system = driver.time, driver.system
    if code is StatusCode.FINISHED:
        return finished(t)
    code, joints = _explained(driver, code)
    report, counter = driver.motion[0]["report"], driver.records.counter
    stopped_by = int(report["stopped_by"])
    return describe(
        code,
        t,
        system.mode_names(driver.mode),
        rest=t if rest is None else rest,
        events=int(counter[recording.EVENTS_TOTAL]),
        stop=f"the guard {system.guard_names[stopped_by]!r}" if stopped_by >= 0 else str(driver.watched or ""),
        joints=joints,
        refusal=int(report["refusal"]),
        open_forces=bool(report["open_forces"]),
        options=driver.options,
        steps=int(counter[recording.STEPS_TOTAL]),
        cause=slow_cause(driver)
        if code is StatusCode.TOO_MANY_STEPS
        else _barely_begun(driver, code)
        or _reset_failure(driver, code)
        or _crawls(driver, code)
        or _lets_go(driver, code)
        or _jumping_contact(driver, code)
        or (surface_met(driver) if code is StatusCode.STEP_UNDERFLOW else ""),
    )


def _crawls(driver: Driver, code: StatusCode) -> str:
    """How little time the last instants have taken, where that is why a run was given up."""
    memory = driver.motion[0]["memory"]
    if code is not StatusCode.NO_PROGRESS or memory["crawl"] < CRAWL_LIMIT:
        return ""
    return f" (the last {int(memory['crawl'])} instants took {float(memory['crawl_time']):.3g} s together)"


def _explained(driver: Driver, code: StatusCode) -> tuple[StatusCode, str]:
    """A step size that underflows where joints become dependent is a machine that locks; and which joints."""
    system = driver.system
    if code is not StatusCode.STEP_UNDERFLOW or not system.nj:
        return code, ""
    s, n = driver.motion[0], system.n
    p = driver.records.p[: driver.parameters.size]
    J = joint_rows(system, float(s["t"]), s["q"][:n], s["u"][:n], p)[2]
    smallest, joints = singularity(J, system.joint_names)
    return (StatusCode.LOCKED, ", ".join(joints)) if smallest < DEAD_POINT else (code, "")


def _barely_begun(driver: Driver, code: StatusCode) -> str:
    """What to try where steps become too small because a motion out of rest in the origin has no size yet."""
    if code is not StatusCode.STEP_UNDERFLOW:
        return ""
    s, n, start = driver.motion[0], driver.system.n, driver.start
    known = start.q.any() or start.u.any() or s["brought"]["given"].any()
    reference = driver.workspace[0]["reference"]
    way, speed = reference[:n], reference[n : 2 * n]
    if known or (way > BARELY * speed * (driver.time - start.t)).any():
        return ""
    return (
        ". Or the motion has only just begun, out of rest in the origin, and nothing says how large it will be: "
        "give Options(scales={...}) or coordinate(..., scale=...)"
    )


def _lets_go(driver: Driver, code: StatusCode) -> str:
    """What to say where a contact begins and ends without end because of the law that a user has written."""
    return lets_go_at_once(driver.system, driver.collection.event_rows()[1]) if code is StatusCode.NO_PROGRESS else ""


def _jumping_contact(driver: Driver, code: StatusCode) -> str:
    """The contact whose gap jumps."""
    if code is not StatusCode.GAP_JUMPS:
        return ""
    i = int(driver.records.s.report.failed_place)
    return repr(driver.system.contact_names[i if driver.roster is None else driver.roster.name(i)])


_RESET_ADVICE = (
    ": what it does leads to it again, or it happens at each of infinitely many impacts that accumulate; give it a "
    "condition (only_if), such as a speed below which it does not happen, or a map that leaves its guard"
)


def _reset_failure(driver: Driver, code: StatusCode) -> str:
    """The reset with which the run ended, and what is wrong behind it."""
    report, system = driver.motion[0]["report"], driver.system
    if code not in (StatusCode.ENDLESS_RESETS, StatusCode.RESET_REFUSED):
        return ""
    reset = system.reset_names[int(report["failed_reset"])]
    name = f"reset {reset!r}"
    if code is StatusCode.ENDLESS_RESETS:
        return name + (_switch_advice(driver, reset) or _RESET_ADVICE)
    match int(report["reset_refusal"]):
        case codes.REFUSED_NOT_FINITE:
            return f"{name} gives a value that is not finite"
        case codes.REFUSED_INSIDE:
            return f"{name} puts contact {system.contact_names[int(report['failed_place'])]!r} inside its surface"
        case codes.REFUSED_JOINT:
            return f"{name} opens joint {system.joint_names[int(report['failed_place'])]!r}, or gives it a velocity"
    return name


def _switch_advice(driver: Driver, reset: str) -> str:
    """What to try where the reset is one of a switch beside closed contacts; "" elsewhere."""
    switch, _, what = reset.rpartition("_")
    closed = any(driver.motion[0]["modes"][: driver.system.nc] != codes.OPEN)
    if switch not in driver.system.state_names or what not in ("switches", "leaves") or not closed:
        return ""
    return (
        f": switch {switch!r} goes to and fro where contacts push along its surface, whose forces are no part of the "
        "value that would hold it; make dry friction a contact with load= in place of sign(velocity), or the contacts "
        "compliant"
    )


def modes_dropped(driver: Driver) -> str:
    """Why the modes of the start were not believed; "" if they were, or there were none."""
    report = driver.records.s.report
    if not report.dropped:
        return ""
    i = int(report.dropped_contact) if driver.roster is None else driver.roster.name(int(report.dropped_contact))
    name, mode, found = driver.system.contact_names[i], driver.start.mode_names[i], DROPPED[int(report.dropped)]
    return f"contact {name!r} is {mode} in the start, but {found} there: the modes were chosen anew"
