"""The compiled functions of a model, by name."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class ModelFunctions(NamedTuple):
    """The compiled functions of a model; shapes and layouts are in the docstring of each generated function."""

    free_acceleration: Any
    joint_acceleration: Any
    dynamics: Any
    contacts: Any
    gaps: Any
    surfaces: Any
    joints: Any
    powers: Any
    guards: Any
    guard_rates: Any
    gap_rates: Any
    flight_bounds: Any
    flight_gaps: Any
    landing: Any
    compliance: Any
    resets: Any
    sizes: Any


class TangentFunctions(NamedTuple):
    """Directional derivatives of the model's functions (codegen/tangents.py), compiled when first asked for."""

    dynamics_tangent: Any
    contacts_tangent: Any
    surfaces_tangent: Any
    joints_tangent: Any
    compliance_tangent: Any
    guards_tangent: Any
    resets_tangent: Any


class NearContacts(NamedTuple):
    """What the engine asks of a machine of tables in place of functions: of contacts that are near (bodies/near.py)."""

    contacts: Any
    gaps: Any
    gap_rates: Any
    surfaces: Any
    sizes: Any
    faces: Any
    dynamics: Any
    levers: Any
    columns: np.ndarray  # of each contact, the coordinates of its two bodies
    moving: np.ndarray  # of each contact, whether a part of it moves by itself, as a function of time
    bounded: bool  # whether it is known of each contact how far its gap may change, so that a list may be kept


class NarrowParts(NamedTuple):
    """The ranges of parts that can be narrow: the function, its outputs as (kind, index, index), how many parts."""

    ranges: Any
    outputs: list[tuple[int, int, int]]
    watched: int
