"""Minimal coordinates: the pose of every body as a function of a few coordinates chosen by the user."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model.bodies.body import Body
from jounce.model.expressions import as_expression
from jounce.model.lagrangian import time_derivative
from jounce.model.numeric import numpy_function
from jounce.model.symbols import CoordinateSymbol, coordinate
from jounce.model.vocabulary import Vocabulary

_TRIALS = 6
# what vanishes at every trial point to this, in m or rad, is satisfied identically
_SATISFIED = 1e-9


class Reduction:
    """Cartesian coordinates as they are, or expressed by minimal ones."""

    def __init__(self, bodies: tuple[Body, ...], minimal: Mapping[Any, Any] | None, coordinates: Any) -> None:
        self.bodies = bodies
        self.minimal = None if minimal is None else _poses(bodies, minimal)
        if self.minimal is None:
            if coordinates is not None:
                raise ModelError("coordinates= belongs to minimal=, which expresses every body's pose by them")
            self.coordinates = [q for body in bodies for q in body.pose]
        else:
            self.coordinates = _minimal_coordinates(self.minimal, coordinates)

    @property
    def velocities(self) -> list[sp.Symbol]:
        """The velocity of each coordinate."""
        return [coordinate(q.name, q.unit)[1] for q in self.coordinates]

    def replacements(self, words: Vocabulary) -> dict[str, sp.Expr]:
        """Name of a body's coordinate or velocity -> its expression in the model's own."""
        if self.minimal is None:
            return {}
        found: dict[str, sp.Expr] = {}
        for body, pose in self.minimal.items():
            for q, u, expression in zip(body.pose, body.motion, pose, strict=True):
                settled = words.expression(expression, f"minimal: {q}", velocities=False)
                found[q.name] = settled
                found[u.name] = time_derivative(settled, words.q, words.u)
        return found

    def settled(self, expression: sp.Expr, replacements: Mapping[str, sp.Expr]) -> sp.Expr:
        """The expression with every pose and velocity replaced."""
        if not replacements:
            return expression
        symbols = {s: replacements[s.name] for s in expression.free_symbols if s.name in replacements}
        return expression.xreplace(symbols)

    def satisfied(self, g: sp.Expr, words: Vocabulary, start: Mapping[str, float]) -> bool:
        """Whether a joint holds whatever the coordinates, the parameters and the time, near the start and the defaults.

        Poses with roots and arcs are real only near a machine that can be assembled, so the trial points lie there.
        """
        symbols = sorted(g.free_symbols, key=lambda symbol: symbol.name)
        function = numpy_function(symbols, g)
        random = np.random.default_rng(3)
        values = []
        for _ in range(10 * _TRIALS):
            point = []
            for symbol in symbols:
                base = words.parameters[symbol.name].default if symbol.name in words.parameters else None
                shift = random.uniform(-1.0, 1.0)
                point.append(base * (1 + 0.02 * shift) if base else start.get(symbol.name, 0.0) + 0.1 * shift)
            with np.errstate(all="ignore"):
                value = complex(function(*point))
            if math.isfinite(abs(value)):
                values.append(abs(value))
            if len(values) == _TRIALS:
                break
        return len(values) > 2 and max(values) < _SATISFIED


def _poses(bodies: tuple[Body, ...], minimal: Mapping[Any, Any]) -> dict[Body, tuple[Any, Any, Any]]:
    named = {body.name: body for body in bodies}
    poses: dict[Body, tuple[Any, Any, Any]] = {}
    for key, pose in minimal.items():
        name = key if isinstance(key, str) else getattr(key, "name", str(key))
        if name not in named:
            raise ModelError(f"minimal: {name!r} is not among the bodies; {suggestion(name, named, 'bodies')}")
        if not isinstance(pose, (tuple, list)) or len(pose) != 3:
            raise ModelError(f"minimal: the pose of {name!r} must be (x, y, theta), not {pose!r}")
        x, y, theta = (as_expression(part, f"minimal: the pose of {name!r}") for part in pose)
        poses[named[name]] = (x, y, theta)
    missing = [name for name, body in named.items() if body not in poses]
    if missing:
        raise ModelError(f"minimal: the pose of {', '.join(map(repr, missing))} is missing; every body needs one")
    return poses


def _minimal_coordinates(poses: Mapping[Body, tuple[Any, Any, Any]], coordinates: Any) -> list[Any]:
    found = {
        s for pose in poses.values() for part in pose for s in part.free_symbols if isinstance(s, CoordinateSymbol)
    }
    if coordinates is None:
        chosen = sorted(found, key=lambda symbol: symbol.name)
    else:
        listed = coordinates if isinstance(coordinates, (list, tuple)) else [coordinates]
        chosen = [item[0] if isinstance(item, tuple) else item for item in listed]
    if not chosen:
        raise ModelError("minimal: the poses contain no coordinate; make them of what jounce.coordinate(...) returns")
    for symbol in sorted(found - set(chosen), key=lambda symbol: symbol.name):
        raise ModelError(f"minimal: {symbol.name!r} is not among coordinates= ({', '.join(s.name for s in chosen)})")
    return chosen
