"""How forces move velocities that joints hold.

With J u' = -c, G = J M^-1 J^T, forces f move the velocities by P M^-1 f, P = 1 - M^-1 J^T G^-1 J, and the joints by
themselves by -M^-1 J^T G^-1 c.
"""

from __future__ import annotations

from typing import Any

import sympy as sp
from sympy.matrices.exceptions import NonInvertibleMatrixError

from jounce.errors import ModelError
from jounce.model.expansion import expanded
from jounce.model.lagrangian import gradient, time_derivative


class HeldVelocities:
    """How forces move velocities that joints hold: P M^-1, symmetric; without joints M^-1."""

    def __init__(self, mass: sp.MatrixBase, joints: list[sp.Expr], q: Any, u: Any) -> None:
        self.mass, self.joints = mass, joints
        if joints:
            self.J = sp.Matrix([gradient(g, q) for g in joints])
            self.answer = self._accelerated(self.J.T)  # M^-1 J^T
            self.G = (self.J * self.answer).applyfunc(lambda entry: expanded(entry, u))
            rates = [time_derivative(g, q, u) for g in joints]
            self.bias = sp.Matrix([time_derivative(rate, q, u) for rate in rates])

    def _accelerated(self, forces: sp.MatrixBase) -> sp.MatrixBase:
        """M^-1 f."""
        try:
            return self.mass.LUsolve(forces)
        except NonInvertibleMatrixError:
            raise ModelError("the mass matrix is singular: give every coordinate a mass or an inertia") from None

    def row(self, direction: sp.Matrix) -> sp.Matrix:
        """(P M^-1 d)^T."""
        moved = self._accelerated(direction)
        if self.joints:
            moved -= self.answer * self.G.LUsolve(self.J * moved)
        return moved.T

    def drift(self, direction: sp.Matrix) -> sp.Expr:
        """-d.M^-1 J^T G^-1 c: what the joints do by themselves."""
        if not self.joints:
            return sp.Integer(0)
        return -(direction.T * self.answer * self.G.LUsolve(self.bias))[0, 0]
