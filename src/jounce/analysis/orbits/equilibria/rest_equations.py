"""The equations of rest with one free parameter, which a branch of equilibria follows."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from jounce.analysis.orbits.continuation.arclength import Metric
from jounce.analysis.orbits.continuation.branch import Branch
from jounce.analysis.orbits.equilibria.equilibrium import Equilibrium, equilibrium_at
from jounce.analysis.orbits.equilibria.statics import (
    at_rest,
    balance,
    places_of,
    statics,
    statics_jacobian,
    statics_measure,
    statics_sizes,
)
from jounce.analysis.orbits.solution.mode_surface import Floats, ModeSurface
from jounce.analysis.orbits.solution.symmetry import find_symmetry
from jounce.model.names import is_integral
from jounce.system.evaluation import contact_directions
from jounce.system.system import System

#: Part of the forces whose change makes the size of an unknown that is zero.
_LEAST = 0.1


@dataclass(frozen=True, eq=False)
class _Statics:
    residual: Floats
    jacobian: Floats
    expand: Floats
    closure: float

    @property
    def full(self) -> Floats:
        """The residual itself."""
        return self.residual

    def lifted(self, left: Floats) -> Floats:
        """A vector on the residual as it is."""
        return left


@dataclass(frozen=True, eq=False)
class RestEquations:
    """Unknowns (places, forces, p). Where a contact sticks it stays.

    memory    what stands behind the parameters in the mode
    measure   of the equations, from where the branch begins: one for the whole branch, so that they stay smooth
    """

    system: System
    modes: tuple[int, ...]
    parameters: dict[str, float]
    name: str
    memory: Floats
    measure: Floats

    def surface(self, value: float) -> ModeSurface:
        """The mode at a value of the parameter."""
        p = self.system.parameters(**{**self.parameters, self.name: float(value)})
        return ModeSurface(self.system, np.concatenate([p, self.memory]), self.modes)

    def evaluate(self, guess: Floats) -> _Statics:
        """Residual and Jacobian."""
        n, size = self.system.n, len(guess)
        surface = self.surface(guess[-1])
        residual = statics(surface, guess[:-1]) / self.measure
        matrix = statics_jacobian(surface, guess[:-1], self.name) / self.measure[:, None]
        _, tangents = contact_directions(surface.contacts(0.0, *at_rest(self.system, guess[:n])))
        held = list(tangents[surface.sticking])
        names = self.system.coordinate_names
        held += [np.eye(n)[k] for k in find_symmetry(self.system).ignorable if not is_integral(names[k])]
        expand = np.eye(size)
        if held:
            rows = np.zeros((len(held), size))
            rows[:, :n] = np.array(held) / np.linalg.norm(held, axis=1)[:, None]
            expand = np.linalg.svd(rows)[2][np.linalg.matrix_rank(rows) :].T
            if len(rows) + expand.shape[1] == size and np.linalg.det(np.vstack([rows, expand.T])) < 0.0:
                expand[:, 0] *= -1.0  # one orientation along the branch: the sign of determinants has a meaning
        return _Statics(residual, matrix @ expand, expand, float(np.abs(residual).max(initial=0.0)))

    def projected(self, guess: Floats) -> Floats:
        """Nothing to project: gaps and joints are among the equations."""
        return guess

    def equilibrium(self, guess: Floats) -> Equilibrium:
        """The solution as an Equilibrium."""
        return equilibrium_at(self.system, self.modes, self.surface(guess[-1]).p, guess[: self.system.n].copy())


def rest_equations(equilibrium: Equilibrium, branch: Branch) -> tuple[RestEquations, Floats, Metric]:
    """The equations of a branch that begins at an equilibrium, their solution there, and a metric of their unknowns."""
    name, system = branch.parameter, equilibrium.system
    value = equilibrium.parameters[name]
    equations = RestEquations(
        system, equilibrium.modes, equilibrium.parameters, name, equilibrium.state.memory, np.ones(1)
    )
    start = balance(equations.surface(value), places_of(system, equilibrium.state))
    surfaces = [equations.surface(at) for at in (value, *branch.bounds)]
    # the largest terms of the equations, for the parameter at the start and at its bounds
    largest = np.max([statics_sizes(surface, start) for surface in surfaces], axis=0)
    equations = replace(equations, measure=statics_measure(surfaces[0], start, largest))
    size = 0.1 * _unknown_sizes(equations, start, value)
    metric = Metric(np.append(1.0 / size / np.sqrt(len(start)), 1.0 / branch.settings["step"]))
    return equations, np.append(start, value), metric


def _unknown_sizes(equations: RestEquations, unknowns: Floats, value: float) -> Floats:
    """What coordinates and forces are, or a tenth of what changes the forces by as much as they are."""
    matrix = statics_jacobian(equations.surface(value), unknowns) / equations.measure[:, None]
    strongest = np.abs(matrix).max(axis=0)
    changes = np.divide(_LEAST, strongest, out=np.zeros(len(unknowns)), where=strongest > 0.0)
    sizes = np.maximum(np.abs(unknowns), changes)
    return np.where(sizes > 0.0, sizes, 1.0)
