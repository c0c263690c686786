"""Borders as zeros of smooth quantities: the least gap of a flight, a vanishing speed, the least force.

The parameter is a smooth function of them, so the point at which they vanish is extrapolated from the side on which the
orbit exists; whether the engine still resolves the touching itself does not matter.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.orbits.continuation.arclength import extrapolate
from jounce.analysis.orbits.solution.signature import event_times, phase_of
from jounce.errors import SimulationError
from jounce.simulation.events import EventKind
from jounce.simulation.modes import Mode
from jounce.system.evaluation import contact_rows

if TYPE_CHECKING:
    from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit

#: A flight whose least gap is below this, relative to its greatest, touches.
TOUCHES = 1e-6
#: Stretches shorter than this part of the period are not looked at.
_SHORTEST = 1e-9
_SAMPLES = 400
#: A quantity that is so many times its noise is known well enough to be extrapolated.
_ABOVE = 10.0


def least_gap(orbit: PeriodicOrbit, contact: str) -> tuple[float, float]:
    """The least local minimum of the gap inside flights, and the greatest gap; (inf, 0) where there is none."""
    run, system = orbit.run, orbit.system
    index, p, n = system.contact_names.index(contact), system.parameters(**orbit.parameters), system.n

    def gaps(times: np.ndarray) -> np.ndarray:
        rows = zip(times, run.states(times), strict=True)
        return np.array([contact_rows(system, t, z[:n], z[n:], p)[index, 0] for t, z in rows])

    return _least(orbit, contact, gaps, {Mode.OPEN})


def least_gaps(orbit: PeriodicOrbit) -> str:
    """How near flights come to their surfaces in between, in words; "" where none does.

    Where several graze at once no motion on one side has an orbit's signature, and Newton's method ends before.
    """
    try:
        gaps = {name: least_gap(orbit, name) for name in orbit.system.contact_names}
    except SimulationError:  # its run, which a branch does not keep, cannot be repeated there
        return ""
    near = [f"{name} {least:.3g} of {most:.3g}" for name, (least, most) in gaps.items() if np.isfinite(least)]
    return f"; the least gaps of its flights, and the greatest: {', '.join(near)}" if near else ""


def least_force(orbit: PeriodicOrbit, contact: str) -> tuple[float, float]:
    """The least local minimum of the normal force inside phases of contact, and the greatest; (inf, 0) without one."""

    def forces(times: np.ndarray) -> np.ndarray:
        return np.asarray(orbit.run.contact_forces(times)["lambda_N"].sel(contact=contact))

    return _least(orbit, contact, forces, {Mode.STICK, Mode.SLIP_POSITIVE, Mode.SLIP_NEGATIVE})


def _least(
    orbit: PeriodicOrbit, contact: str, quantity: Callable[[np.ndarray], np.ndarray], modes: set[Mode]
) -> tuple[float, float]:
    """The least local minimum of a quantity within the smooth stretches of some modes, and its greatest value.

    Stretches that are low all the time, as the last bounces of a chatter, touch nothing: their minima are rounding.
    """
    run = orbit.run
    found, greatest, events = [(np.inf, np.inf)], 0.0, event_times(run)
    for begin, end, mode in run.mode_intervals(contact):
        inside = events[(events > begin) & (events < end)]
        for a, b in zip([begin, *inside], [*inside, end], strict=True):
            if mode not in modes or b - a < _SHORTEST * orbit.period:
                continue
            times = np.linspace(a, b, _SAMPLES)[1:-1]
            values = quantity(times)
            greatest = max(greatest, float(values.max()))
            for k in np.flatnonzero((values[1:-1] < values[:-2]) & (values[1:-1] <= values[2:])) + 1:
                step = times[1] - times[0]
                lowest, _ = _parabola(times[k], step, values[k - 1 : k + 2])
                near = lowest + step / 20 * np.arange(-1, 2)
                found.append((_parabola(lowest, step / 20, quantity(near))[1], float(values.max())))
    return min(least for least, reach in found if reach > TOUCHES * greatest), greatest


def _parabola(middle: float, step: float, values: np.ndarray) -> tuple[float, float]:
    """Where the parabola through three values is least, and its value there."""
    below, here, above = (float(value) for value in values)
    curvature = above - 2.0 * here + below
    if curvature <= 0.0:
        return middle, here
    offset = -(above - below) / (2.0 * curvature)
    return middle + offset * step, here - (above - below) ** 2 / (8.0 * curvature)


def slowest_impact(orbit: PeriodicOrbit) -> tuple[float, float]:
    """The least and the greatest approach speed of an impact; (inf, 0) without impacts.

    An impact that grazes depends on its depth by a root, so that the parameter is a power series of its speed.
    """
    data = orbit.run.data
    # joints that rub in a blow approach nothing; the last entry is for events of no contact
    approaches = np.array([*(contact.load is None for contact in orbit.run.model.contacts), False])
    impacts = (data.event_int[:, 0] == EventKind.IMPACT) & approaches[data.event_int[:, 1]]
    speeds = data.event_float[impacts, 1]
    return float(np.min(np.abs(speeds), initial=np.inf)), float(np.max(np.abs(speeds), initial=0.0))


def shortest_phase(orbit: PeriodicOrbit, phase: str) -> tuple[float, float]:
    """How long the shortest phase of flight, stick or slip lasts (nan without one), and the period."""
    run = orbit.run
    lengths = [
        end - begin
        for contact in run.contacts
        for begin, end, mode in run.mode_intervals(contact)
        # the phase of the node is cut in two by the period's end, and is a long one
        if phase_of(str(mode)) == phase and begin > run.t_start and end < run.t_end
    ]
    return float(min(lengths, default=np.nan)), orbit.period


def vanishing_point(values: Sequence[float], points: Sequence[float], noise: float) -> tuple[float, float] | None:
    """The parameter at which a quantity vanishes that is known at points which approach it, and how surely.

    The polynomial through three of the nearest that stand out of the noise is evaluated at zero.
    """
    known = sorted((abs(v), v, at) for v, at in zip(values, points, strict=True) if np.isfinite(v))
    chosen: list[tuple[float, float]] = []
    for size, value, at in known:
        # clearly apart from those before: differences must not drown in rounding
        if size > _ABOVE * noise and all(abs(value - other) > 0.3 * size for other, _ in chosen):
            chosen.append((value, at))
    if len(chosen) < 2:
        return None
    chosen = chosen[:3][::-1]
    quantities, places = [value for value, _ in chosen], [np.array([at]) for _, at in chosen]
    best = float(extrapolate(quantities, places, 0.0)[0])
    if len(chosen) == 2:
        return best, 0.1 * abs(best - chosen[-1][1])
    return best, abs(best - float(extrapolate(quantities[-2:], places[-2:], 0.0)[0]))
