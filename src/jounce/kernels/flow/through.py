"""Flights that go on where a section has been met.

A section at a phase of the forcing asks for the state at a time, and a ballistic flight is a parabola: the state is
read off it. Ended there, the flight would be two, and each of them would look for the next contact. So a flight of a
motion whose owner says ``s.ahead.wanted`` is found to its own end. Where that lies behind the end of the run the state
is put onto the parabola, and what the flight was is kept: it is taken up as if the run had not ended, with the time,
the turns and the state with which it began, so that it has the bits of a flight that nobody has interrupted.
"""

import math

from jounce.kernels.flow.accept import clear_fresh
from jounce.kernels.flow.flight import UNDECIDED, flight_state, fly_ballistic
from jounce.kernels.records.fields import Machine, Motion, Record, Workspace
from jounce.kernels.records.scales import note_state
from jounce.toolchain.jit import kernel
from jounce.toolchain.kernel_types import Integer, Real, Truth


@kernel
def find_flight(m: Machine, w: Workspace, s: Motion, known: Integer, latest: Real) -> tuple[Integer, Real]:
    """(the contact with which the present flight ends, NO_CONTACT or UNDECIDED; how far it was looked for).

    ``known``: see ``fly_ballistic``. A flight that is under way has been looked for to its end.
    """
    if s.ahead.kept:
        s.ahead.kept = 0
        s.event.flight = s.ahead.duration
        flight_state(m, w, s, s.event.flight)
        return s.ahead.hit, math.inf
    if s.ahead.wanted:
        hit = fly_ballistic(m, w, s, math.inf, known)
        if hit != UNDECIDED:
            return hit, math.inf
    return fly_ballistic(m, w, s, latest - s.t, known), latest - s.t


@kernel
def go_through(m: Machine, w: Workspace, s: Motion, hit: Integer, latest: Real) -> None:
    """The run ends at ``latest``, on the flight that begins at the present state and ends with ``hit`` later."""
    s.ahead.kept, s.ahead.hit, s.ahead.duration = 1, hit, s.event.flight
    s.ahead.t, s.ahead.turns, s.ahead.first, s.ahead.sections = s.t, s.turns, latest - s.t, 0
    for j in range(m.n):
        s.ahead.z[j], s.ahead.z[m.n + j] = s.z[j], s.z[m.n + j]
        s.ahead.acceleration[j] = w.stages[0, m.n + j]
    clear_fresh(m, w, s)
    place_on_flight(m, w, s, s.ahead.first)
    s.t = latest


@kernel
def place_on_flight(m: Machine, w: Workspace, s: Motion, time: Real) -> None:
    """The state of the flight that is kept, so long after its start; as ``flight_state`` has it."""
    for j in range(m.n):
        a, u = s.ahead.acceleration[j], s.ahead.z[m.n + j]
        s.q[j] = s.z[j] = s.ahead.z[j] + (u + 0.5 * a * time) * time
        s.u[j] = s.z[m.n + j] = u + a * time
    note_state(m, w, s, s.z)


@kernel
def meets_next(m: Machine, w: Workspace, s: Motion, period: Real) -> Truth:
    """Whether the flight that is kept goes on to the next of the times that follow one another by ``period``: then the
    state is the one there.
    """
    s.ahead.sections += 1
    time = s.ahead.first + s.ahead.sections * period
    if not time < s.ahead.duration:
        return False
    place_on_flight(m, w, s, time)
    return True


@kernel
def back_to_start(m: Machine, s: Motion, record: Record) -> None:
    """The motion where the flight that is kept began, seen from the last section that it has met."""
    s.t, s.turns = s.ahead.t, s.ahead.turns - s.ahead.sections
    s.epoch = record.epoch = s.turns * s.settings.period
    for j in range(m.n):
        s.q[j] = s.z[j] = s.ahead.z[j]
        s.u[j] = s.z[m.n + j] = s.ahead.z[m.n + j]
