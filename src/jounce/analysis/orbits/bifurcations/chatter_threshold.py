"""Where a chatter stops being complete: the last bounces coincide with the moment the contact is no longer pressed.

There the free acceleration of the contact rises through zero, b = -j tau with tau the time left. A bounce of speed v
flies for s with v - j tau s/2 + j s^2/6 = 0, so that only X = v/(j tau^2) = v j/b^2 matters, and with sigma = s/tau

    X = sigma/2 - sigma^2/6 ,    X' = e (sigma/2 - sigma^2/3)/(1 - sigma)^2 .

The map's fixed point, (3 - sigma)(1 - sigma)^2 = e (3 - 2 sigma), repels: from below it the bounces accumulate in time,
from above they do not. A chatter is therefore critical where a late bounce has X at that point, whether or not the
still later ones can be resolved. What is neglected is O(tau).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.orbits.solution.signature import contact_speed
from jounce.analysis.stability.variation import rate
from jounce.simulation.events import EventKind
from jounce.system.evaluation import contact_directions, contact_rows

if TYPE_CHECKING:
    from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit

#: Slower bounces, relative to the speeds of the contact, are near the rounding of positions.
_SLOWEST = 5e-8


def critical_level(e: float) -> float:
    """The fixed point of X for a restitution between 0 and 1."""
    roots = np.roots([-1.0, 5.0, -7.0 + 2.0 * e, 3.0 - 3.0 * e])  # (3 - s)(1 - s)^2 - e (3 - 2 s)
    inside = [float(root.real) for root in roots if abs(root.imag) < 1e-9 and 0.0 < root.real < 1.0]
    return min(inside) / 2 - min(inside) ** 2 / 6


def bounces(orbit: PeriodicOrbit, contact: str) -> np.ndarray:
    """(time, approach speed, rebound speed) of the longest run of impacts of a contact, cyclically."""
    data, index = orbit.run.data, orbit.system.contact_names.index(contact)
    own = data.event_int[:, 1] == index
    kinds, floats = data.event_int[own, 0], data.event_float[own]
    breaks = np.flatnonzero((kinds != EventKind.IMPACT) & (kinds != EventKind.GRAZING))
    if len(breaks):
        kinds, floats = np.roll(kinds, -breaks[0]), np.roll(floats, -breaks[0], axis=0)
    runs = np.split(np.arange(len(kinds)), np.flatnonzero(kinds != EventKind.IMPACT))
    longest = max(runs, key=len)
    longest = longest[kinds[longest] == EventKind.IMPACT]
    rows: np.ndarray = np.abs(floats[longest, :3])
    return rows


def margin(orbit: PeriodicOrbit, contact: str, number: int) -> float:
    """X of one bounce minus its critical level; nan where the theory does not apply."""
    rows = bounces(orbit, contact)
    if number + 1 >= len(rows):
        return float("nan")
    (t, approach, speed), following = rows[number], rows[number + 1, 0]
    flight = (following - t) % orbit.period
    end = min(t + flight / 2, orbit.run.t_end)
    begin, later = _pressing(orbit, contact, t), _pressing(orbit, contact, end)
    jerk = (later - begin) / (end - t) if end > t else 0.0
    if not (begin < 0.0 < jerk and 0.0 < speed < approach):
        return float("nan")
    return float(speed * jerk / begin**2 - critical_level(speed / approach))


def last_resolved(orbit: PeriodicOrbit, contact: str) -> int:
    """The number of the last bounce of the falling sequence that is fast enough to be known well; -1 without one."""
    speeds = bounces(orbit, contact)[:, 2]
    falling = int(np.argmax(np.append(np.diff(speeds) >= 0.0, True))) + 1
    fastest = contact_speed(orbit.run, orbit.system.contact_names.index(contact))
    fast = np.flatnonzero(speeds[:falling] > _SLOWEST * fastest)
    return int(fast[-1]) if len(fast) else -1


def _pressing(orbit: PeriodicOrbit, contact: str, t: float) -> float:
    """The contact's acceleration while it is open, W_N u' + c_N."""
    system, n = orbit.system, orbit.system.n
    p, state = system.parameters(**orbit.parameters), orbit.run.at(t)
    row = contact_rows(system, t, state.q, state.u, p)[system.contact_names.index(contact)]
    modes = orbit.run.mode_codes_at(np.array([t]), "right")[0]
    return float(contact_directions(row)[0] @ rate(system, state, modes, p)[n:] + row[3])
