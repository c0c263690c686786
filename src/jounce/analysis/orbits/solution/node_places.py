"""Where the nodes of an orbit lie best: in the middle of smooth stretches, spread over the period."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.orbits.solution.signature import event_times
from jounce.model.compliant_contact import remembering_contacts
from jounce.simulation.events import EventKind
from jounce.simulation.modes import Mode

if TYPE_CHECKING:
    from jounce.analysis.orbits.solution.evaluation import Evaluation
    from jounce.analysis.orbits.solution.mode_surface import Floats
    from jounce.simulation.trajectory import Trajectory

#: A stretch in flight is preferred to one in contact up to this factor of their lengths: nothing confines it.
_PREFER_FLIGHT = 3.0
#: How far a node may lie from its even share of the period, in shares: neighbours stay half a share apart.
_ASIDE = 0.25
#: Growth of perturbations from node to node up to which shooting is safe.
GROWTH = 1e3


def node_times(run: Trajectory, count: int) -> list[float]:
    """Times in smooth stretches: the first in the middle of the longest one, the others spread over the period.

    Each of the others lies in the stretch that has most of the surroundings of its even share, in the middle of what it
    has of them: a short phase, which may be about to vanish, holds no node where a longer one is near. A phase in which
    a compliant contact goes by the speed of its touch holds none where there are others: there q and u are not all of
    the motion.
    """
    period, events = run.t_end - run.t_start, event_times(run)
    if len(events) == 0:
        return [run.t_start + k * period / count for k in range(count)]
    lengths = np.diff(np.append(events, events[0] + period))
    centres = events + lengths / 2
    inside = np.where(centres < run.t_end, centres, centres - period)
    codes = run.mode_codes_at(inside, "right")
    whole = ~(codes[:, going_by_their_touch(run)] == Mode.PRESSED).any(axis=1)
    if not whole.any():  # memories are unknowns then
        whole[:] = True
    first = int(np.argmax(lengths * whole * np.where(codes.any(axis=1), 1.0, _PREFER_FLIGHT)))
    times = [float(inside[first])]
    for k in range(1, count):
        half = _ASIDE * period / count
        low = times[0] + k * period / count - half
        begins = (events - low) % period  # from the beginning of the surroundings on; the last stretch is cut by it
        ends = np.minimum(begins + lengths, 2.0 * half)
        cut = int(np.argmax(begins))
        begins[cut], ends[cut] = 0.0, min(max(begins[cut] + lengths[cut] - period, 0.0), 2.0 * half)
        best = int(np.argmax(np.where(whole, ends - begins, 0.0)))
        if not (whole[best] and ends[best] > begins[best]):
            continue
        t = (low + (begins[best] + ends[best]) / 2 - run.t_start) % period + run.t_start
        times.append(float(t))
    return times


def going_by_their_touch(run: Trajectory) -> list[int]:
    """Compliant contacts that touch in a run and whose force depends on the speed with which they did."""
    touching = set(run.data.event_int[run.data.event_int[:, 0] == EventKind.TOUCH, 1].tolist())
    return [i for i in remembering_contacts(run.model) if i in touching]


def memories_needed(run: Trajectory) -> tuple[int, ...]:
    """The contacts whose memories belong to the state at every node: one of them is pressed at any time."""
    touching, events = going_by_their_touch(run), event_times(run)
    if not touching or len(events) == 0:
        return ()
    ends = np.append(events, events[0] + run.t_end - run.t_start)
    centres = (ends[1:] + ends[:-1]) / 2
    inside = np.where(centres < run.t_end, centres, centres - (run.t_end - run.t_start))
    codes = run.mode_codes_at(inside, "right")[:, touching]
    return tuple(touching) if (codes == Mode.PRESSED).any(axis=1).all() else ()


def node_room(run: Trajectory, fractions: tuple[float, ...]) -> tuple[float, float]:
    """How far nodes of a run that begins at the first are from events, relative to the best places there are (1: best).

    Of the first node, and of the one that is nearest to an event.
    """
    period, events = run.t_end - run.t_start, event_times(run)
    if len(events) == 0:
        return 1.0, 1.0

    def rooms(times: Floats) -> Floats:
        away = np.abs(times[:, None] - events) % period
        return np.minimum(away, period - away).min(axis=1)

    have = rooms(run.t_start + (np.array(fractions) - fractions[0]) * period)
    best = rooms(np.array(node_times(run, len(fractions))))
    longest = float(np.diff(np.append(events, events[0] + period)).max())
    return 2.0 * float(have[0]) / longest, float(have.min() / best.min()) if best.min() > 0.0 else 1.0


def growth(evaluation: Evaluation) -> Floats:
    """By how much perturbations grow from each node to the next."""
    return np.array([np.linalg.norm(matrix, 2) for matrix in evaluation.matrices])


def nodes_needed(evaluation: Evaluation) -> int:
    """How many nodes keep that growth below a tenth of what single shooting bears; more only where it bears it not."""
    factors = growth(evaluation)
    enough = max(1, int(np.ceil(np.log(np.maximum(factors, 1.0)).sum() / np.log(0.1 * GROWTH))))
    return enough if factors.max() > GROWTH else min(enough, len(factors))
