"""The nodes of an orbit along a branch: moved as events come near, added as perturbations grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.orbits.bifurcations.boundaries import motion_at
from jounce.analysis.orbits.continuation.arclength import correct
from jounce.analysis.orbits.solution.mode_surface import Floats
from jounce.analysis.orbits.solution.node_places import node_room, node_times, nodes_needed
from jounce.analysis.orbits.solution.periodic_orbit import CLOSES
from jounce.errors import SimulationError

if TYPE_CHECKING:
    from jounce.analysis.orbits.continuation.walk import Place, Walk
    from jounce.analysis.orbits.solution.shooting import Shooting

#: How near to an event a node may come, relative to the best place it could have, before it is moved: the first, any.
ROOM, LEAST_ROOM = 0.4, 0.25
#: An event nearer than this to a node, likewise, is passing it where the signature was seen to change.
PASSING = 1e-4
#: Nodes are added as perturbations grow, up to this many.
MOST_NODES = 60
#: How far along the branch, in steps, a neighbouring motion is that shows its direction at other nodes.
NEIGHBOUR = 1e-7


def moved(walk: Walk, here: Place) -> Place:
    """The same place with its nodes where there is room, and as many as the growth of perturbations needs."""
    count = len(here.problem.fractions)
    wanted = min(MOST_NODES, nodes_needed(here.evaluation))
    first, least = node_room(here.orbit.run, here.problem.fractions)
    if wanted == count and first >= (ROOM if count == 1 else ROOM / 2) and least >= LEAST_ROOM:
        return here
    return _placed_anew(walk, here, wanted)


def with_more_room(walk: Walk, here: Place) -> Place | None:
    """The same place with its nodes further from events, if an event is just passing one of them; None otherwise.

    An event that passes a node changes the signature as well, and nothing happens to the orbit there.
    """
    if node_room(here.orbit.run, here.problem.fractions)[1] >= PASSING:
        return None
    metric = walk.metric
    found = _placed_anew(walk, here, len(here.problem.fractions))
    if node_room(found.orbit.run, found.problem.fractions)[1] >= PASSING:
        return found
    walk.metric = metric
    return None


def _placed_anew(walk: Walk, here: Place, count: int) -> Place:
    """The same place with its nodes where there is most room; as it was where the orbit does not close from there."""
    problem, unknowns = here.problem.placed(here.orbit.run, count)
    walk.measure(here.orbit, problem)
    try:
        unknowns, evaluation, _ = correct(
            problem, unknowns, unknowns, walk.parameter_axis(problem), 0.0, walk.metric, CLOSES
        )
    except SimulationError:
        return here
    found = walk.place(problem, unknowns, evaluation, _carried(here, problem, unknowns))
    return here if found.orbit.signature != here.orbit.signature else found


def _carried(here: Place, problem: Shooting, unknowns: Floats) -> Floats:
    """The direction of the branch at other nodes: what is the same at all of them, and how a neighbour passes them.

    Near a fold the parameter does not say which way is ahead.
    """
    ahead = np.zeros(problem.size)
    tail = problem.size - 2 * problem.system.n * len(problem.fractions)
    ahead[-tail:] = here.direction[-tail:]
    run = motion_at(here.problem, here.unknowns + NEIGHBOUR * here.direction)
    if run is None:
        return ahead
    # shares of the period from the run's start on; a shift along an autonomous orbit is orthogonal to its branch
    old, count = here.orbit.run, len(problem.fractions)
    first = (node_times(old, count)[0] - old.t_start) / (old.t_end - old.t_start)
    shares = [(first + fraction - problem.fractions[0]) % 1.0 for fraction in problem.fractions]
    passed = run.states([run.t_start + share * (run.t_end - run.t_start) for share in shares])
    changes = [problem.closed(unknowns, z - other) for z, other in zip(passed, problem.states(unknowns), strict=True)]
    ahead[:-tail] = np.concatenate(changes) / NEIGHBOUR
    return ahead
