"""The nodes of an orbit along a branch: moved as events come near, added as perturbations grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.orbits.bifurcations.boundaries import motion_at
from jounce.analysis.orbits.continuation.arclength import correct
from jounce.analysis.orbits.continuation.orbit_metric import orbit_metric
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.newton import CLOSES
from jounce.analysis.orbits.solution.node_places import node_room, node_times, nodes_needed
from jounce.analysis.variables import variables_at
from jounce.errors import SimulationError

if TYPE_CHECKING:
    from jounce.analysis.orbits.continuation.place import OrbitPlace
    from jounce.analysis.orbits.continuation.walk import Walk
    from jounce.analysis.orbits.solution.shooting import Shooting

#: How near to an event a node may come, relative to the best place it could have, before it is moved: the first, any.
ROOM, LEAST_ROOM = 0.4, 0.25
#: An event nearer than this to a node, likewise, is passing it where the signature was seen to change.
PASSING = 1e-4
#: Nodes are added as perturbations grow, up to this many.
MOST_NODES = 60
#: How far along the branch, in steps, a neighbouring motion is that shows its direction at other nodes.
NEIGHBOUR = 1e-7


def moved(walk: Walk, here: OrbitPlace) -> OrbitPlace:
    """The same place with its nodes where there is room, and as many as the growth of perturbations needs."""
    count = len(here.equations.fractions)
    wanted = min(MOST_NODES, nodes_needed(here.evaluation))
    first, least = node_room(here.solution.run, here.equations.fractions)
    if wanted == count and first >= (ROOM if count == 1 else ROOM / 2) and least >= LEAST_ROOM:
        return here
    return _placed_anew(walk, here, wanted)


def with_more_room(walk: Walk, here: OrbitPlace) -> OrbitPlace | None:
    """The same place with its nodes further from events, if an event is just passing one of them; None otherwise.

    An event that passes a node changes the signature as well, and nothing happens to the orbit there.
    """
    if node_room(here.solution.run, here.equations.fractions)[1] >= PASSING:
        return None
    metric = walk.metric
    found = _placed_anew(walk, here, len(here.equations.fractions))
    if node_room(found.solution.run, found.equations.fractions)[1] >= PASSING:
        return found
    walk.metric = metric
    return None


def _placed_anew(walk: Walk, here: OrbitPlace, count: int) -> OrbitPlace:
    """The same place with its nodes where there is most room; as it was where the orbit does not close from there."""
    equations, unknowns = here.equations.placed(here.solution.run, count)
    walk.metric = orbit_metric(here.solution, equations, walk.problem.free)
    try:
        unknowns, evaluation, _ = correct(equations, unknowns, unknowns, walk.axis(unknowns), 0.0, walk.metric, CLOSES)
    except SimulationError:
        return here
    found = walk.place(equations, unknowns, evaluation, _carried(here, equations, unknowns))
    return here if found.signature != here.signature else found


def _carried(here: OrbitPlace, equations: Shooting, unknowns: Floats) -> Floats:
    """The direction of the branch at other nodes: what is the same at all of them, and how a neighbour passes them.

    Near a fold the parameter does not say which way is ahead.
    """
    ahead = np.zeros(equations.size)
    tail = equations.size - equations.width * len(equations.fractions)
    ahead[-tail:] = here.direction[-tail:]
    run = motion_at(here.equations, here.unknowns + NEIGHBOUR * here.direction)
    if run is None:
        return ahead
    # shares of the period from the run's start on; a shift along an autonomous orbit is orthogonal to its branch
    old, count = here.solution.run, len(equations.fractions)
    first = (node_times(old, count)[0] - old.t_start) / (old.t_end - old.t_start)
    shares = [(first + fraction - equations.fractions[0]) % 1.0 for fraction in equations.fractions]
    times = [run.t_start + share * (run.t_end - run.t_start) for share in shares]
    passed = variables_at(run, times, "right", equations.remembered)
    changes = [
        equations.closed(unknowns, z - other) for z, other in zip(passed, equations.states(unknowns), strict=True)
    ]
    ahead[:-tail] = np.concatenate(changes) / NEIGHBOUR
    return ahead
