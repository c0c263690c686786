"""Dragging a body: which coordinates bring the grabbed point under the pointer.

The grabbed point is a fixed combination of a shape's corners, r(q) = sum w_k corner_k(q). Newton's method with the
shortest step relative to the sizes S of the coordinates, dq = S (J S)^+ (target - r), moves and turns a free body as a
hand on a table would, and moves along what it allows a body that is held.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from jounce.errors import OptionError
from jounce.studio.catalogue import Entry
from jounce.studio.motion import Motion, read_motion
from jounce.studio.protocol import Fields

ROUNDS = 8
STEP = 1e-6  # of the difference quotient, relative to the sizes of the coordinates
REACH = 0.5  # longest step of one round, relative to the same: angles would jump otherwise
RANK = 1e-6  # directions that move the point by less than this share of the best are left alone


def read_drag(fields: Fields, entry: Entry) -> Motion:
    """The motion that starts with the grabbed point at the target."""
    motion = read_motion(fields, entry)
    inner = fields.group("drag")
    shape = inner.integer("shape", low=0, high=len(entry.model.drawing) - 1)
    weights = inner.sequence("weights", entry.drawing.widths[shape] // 2)
    target = inner.sequence("target", 2)
    if len(target) != 2:
        raise OptionError("drag: target must be a point [x, y]")
    q = dragged(motion, shape, np.array(weights), np.array(target))
    state = motion.start.replace(**dict(zip(entry.system.coordinate_names, q.tolist(), strict=True)))
    if entry.system.nj:
        state = entry.system.assemble_with(state, (), motion.parameters)
    state = entry.system.with_states(state, {name: motion.start[name] for name in entry.system.state_names})
    return replace(motion, start=state)


def dragged(motion: Motion, shape: int, weights: np.ndarray, target: np.ndarray) -> np.ndarray:
    """The coordinates after the drag."""
    entry = motion.entry
    first = int(np.sum(entry.drawing.widths[:shape]))
    start = motion.start
    p = np.array([*entry.system.parameters(**motion.parameters), *(start[name] for name in entry.system.state_names)])
    q = np.array(start.q, dtype=np.float64)
    n = len(q)
    angles = np.array([entry.model.units[name] == "rad" for name in entry.system.coordinate_names])
    drawn = entry.drawing.values(np.array([start.t]), q[None, :], p[None, :])[0, first : first + 2 * len(weights)]
    length = max(np.abs(drawn).max(), np.abs(target).max())
    for _ in range(ROUNDS):
        sizes = np.abs(q) + np.where(angles, 1.0, length)
        step = STEP * sizes
        rows = np.vstack([q, q + np.diag(step)])
        numbers = entry.drawing.values(np.full(n + 1, motion.start.t), rows, np.tile(p, (n + 1, 1)))
        corners = numbers[:, first : first + 2 * len(weights)].reshape(n + 1, len(weights), 2)
        points = np.tensordot(corners, weights, axes=([1], [0]))
        jacobian = ((points[1:] - points[0]) / step[:, None]).T
        if not np.all(np.isfinite(jacobian)):
            break
        move = sizes * (np.linalg.pinv(jacobian * sizes, rcond=RANK) @ (target - points[0]))
        q = q + np.clip(move, -REACH * sizes, REACH * sizes)
    return q
