"""What a run of the package and a reference have in common: the events that matter, and bounces that die out."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from jounce.simulation.trajectory import Trajectory

ROUNDING = 1e-9  # m/s, s: an event whose velocities stay below it transfers nothing, a phase shorter than it is none
SLOW = 1e-4  # m/s: slower impacts belong to the end of a chatter, which has one time of its own
BOUNCE = 1e-6  # m/s: a reference sums slower rebounds with frozen accelerations; its error falls with the square


def real_events(run: Trajectory, contact: str = "tip", slowest: float = SLOW) -> list[tuple[float, str]]:
    """(t, what follows): impacts, with and without collision, chatters, and changes of mode that last."""
    table = run.events[run.events.contact == contact]
    struck = table[table.kind == "impact"]
    tangential = (struck.v_n_before.abs() < ROUNDING) & (struck.p_n > ROUNDING)
    impacts = struck[(struck.v_n_before < -slowest) | tangential]
    events = [(float(t), "impact") for t in impacts.t]
    events += [(float(t), "chatter") for t in table[table.kind == "chatter"].t]
    spans = [span for span in run.mode_intervals(contact) if span[1] - span[0] > ROUNDING]
    kinds = {"OPEN": "lift_off", "STICK": "stick"}
    for before, after in itertools.pairwise(spans):
        struck_open = any(abs(after[0] - t) < ROUNDING for t, _ in events)
        if str(before[2]) == "OPEN" or before[2] == after[2] or struck_open:
            continue
        slips = "slip" if str(before[2]) == "STICK" else "reversal"
        events.append((after[0], kinds.get(str(after[2]), slips)))
    return sorted(events)


def die_out(
    v_n: float, v_t: float, a_n: float, a_t: float, strike: Callable[[float, float], tuple[float, float]]
) -> tuple[float, float]:
    """How long bounces from (v_n, v_t) go on under constant accelerations, and the slip velocity at their end."""
    assert a_n < 0, "nothing brings the contact back"
    total, start = 0.0, v_n
    while v_n > 1e-12 * start:
        flight = -2 * v_n / a_n
        total += flight
        v_n, v_t = strike(-v_n, v_t + a_t * flight)
    return total, v_t
