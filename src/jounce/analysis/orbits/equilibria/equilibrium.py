"""Equilibrium and find_equilibrium: where a system rests in a mode, its contacts open, sliding, sticking or pressed.

It rests where forces balance with the velocities at zero and internal states keep their values,

    h(q, 0) + sum_k F_k(q) x_k = 0,   and the gaps of closed contacts and the joints vanish

(statics.py); a contact may slide there, because its surface moves. Stability is that of the flow on the mode's
constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.orbits.equilibria.statics import (
    at_rest,
    balance,
    comparable_solution,
    constraint_directions,
    memory_at_rest,
    place_names,
    places_of,
    pressed_forces,
    pressed_places,
    statics,
    statics_jacobian,
    statics_measure,
    statics_sizes,
    surface_rows,
)
from jounce.analysis.orbits.solution.closing import as_guess
from jounce.analysis.orbits.solution.mode_surface import Floats, ModeSurface, describe, model_values
from jounce.analysis.orbits.solution.symmetry import find_symmetry
from jounce.analysis.scales import by_power_of_two, diagonal_mass, sizes_of
from jounce.analysis.stability.variation import Linearisation, linearise
from jounce.errors import OptionError, SimulationError, suggestion
from jounce.kernels.records.workspace import STATIC_FRICTION, SURFACE_STRIDE
from jounce.model.names import ADHERES
from jounce.simulation.modes import Mode
from jounce.simulation.period import is_forced
from jounce.system.inputs import StateLike, SystemLike, as_system, beside_parameters
from jounce.system.state import State

if TYPE_CHECKING:
    from jounce.system.system import System

ModeLike = str | Mapping[str, str] | Sequence[int]

_ITERATIONS = 60
#: Forces below this, relative to those of which they are the sum, balance; gaps relative to their terms are closed.
_RESTS = 1e-11
#: Part of the whole that counts in each coordinate.
_COUPLED = 1e-3
#: Slip velocities of contacts at rest below this, relative to their terms, are zero.
_MOVES_NOT = 1e-12


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A state of rest.

    modes        the mode of every contact, by code; ``mode`` by name
    forces       (lambda_N, lambda_T) of every contact, [nc, 2]
    eigenvalues  of the flow on the mode's constraints, by real part; ``neutral`` of them are 0 for every equilibrium of
                 the mode: where a sticking contact rests, and coordinates that appear nowhere
    margins      what keeps it in its mode, each positive where the mode is consistent: gaps, forces, slip, cone
    sizes        how large coordinates and velocities are there, [2n]: where it lies, or by how much a coordinate must
                 move to change the forces by as much as they are, and that times the largest eigenvalue

    >>> wiper = jounce.compile_model(jounce.systems.wiper())
    >>> rest = jounce.find_equilibrium(wiper, "tip:SLIP+", mu=0.3)
    >>> rest.stable
    True
    """

    system: System
    parameters: dict[str, float]
    state: State
    modes: tuple[int, ...]
    forces: Floats
    eigenvalues: np.ndarray
    neutral: int
    margins: dict[str, float]
    sizes: Floats

    @property
    def mode(self) -> dict[str, str]:
        """Contact -> its mode."""
        return {name: str(Mode(mode)) for name, mode in zip(self.system.contact_names, self.modes, strict=True)}

    @property
    def stable(self) -> bool:
        """Whether small motions in its mode die out."""
        return bool(np.all(self.nontrivial.real < 0.0)) and self.consistent

    @property
    def width(self) -> float:
        """How near to zero the real part of an eigenvalue is zero, as far as it is known."""
        return 1e-10 * float(np.abs(self.eigenvalues).max(initial=0.0))

    @property
    def unstable(self) -> int:
        """How many eigenvalues have a positive real part."""
        return int(np.sum(self.nontrivial.real > self.width))

    @property
    def nontrivial(self) -> np.ndarray:
        """The eigenvalues that decide stability."""
        order = np.argsort(np.abs(self.eigenvalues))
        chosen: np.ndarray = self.eigenvalues[np.sort(order[self.neutral :])]
        return chosen

    @property
    def consistent(self) -> bool:
        """Whether the mode is one the system can be in: gaps, forces and slip have the right signs."""
        return all(value >= 0.0 for value in self.margins.values())

    @property
    def signature(self) -> tuple[()]:
        """No events."""
        return ()

    def save(self, path: str | PathLike[str]) -> None:
        """Write the equilibrium to one file, which ``jounce.load`` reads back."""
        from jounce.analysis.orbits.files import save_equilibrium

        save_equilibrium(self, path)

    def __repr__(self) -> str:
        state = ", ".join(f"{name}={self.state[name]:.8g}" for name in place_names(self.system))
        return (
            f"<Equilibrium of {self.system.model.name} in {describe(self.system, self.modes)}: {state}; "
            f"{'stable' if self.stable else 'unstable' if self.consistent else 'not consistent'}>"
        )


@beside_parameters
def find_equilibrium(
    system: SystemLike, mode: ModeLike, guess: StateLike | None = None, **parameters: float | str
) -> Equilibrium:
    """The equilibrium in a mode nearest to a guess.

    mode    {"tip": "SLIP+"}, "tip:SLIP+", or "SLIP+" for a system of one contact; compliant contacts are PRESSED or
            OPEN. Contacts not named are open, joints that rub stick
    guess   a state; its velocities do not matter. Default: the model's start. Of a compliant contact that it knows to
            be pressed the damping goes by the touch it remembers; without one a law that needs it has no damping

    >>> y, dy = jounce.coordinate("y", "m")
    >>> floor = jounce.Contact("floor", gap=y, compliance=jounce.KelvinVoigt(5e3, 12.0))
    >>> ball = jounce.Model("ball", [y], [2], [-2 * 9.81], contacts=[floor], start={y: 0.1})
    >>> rest = jounce.find_equilibrium(ball, "PRESSED")
    >>> round(rest.state["y"], 9)  # -m g/k
    -0.003924
    """
    system = as_system(system, "find_equilibrium")
    modes = parse_mode(system, mode)
    _check_loads_stick(system, modes)
    numbers = system.numbers(parameters)
    p = system.parameters(**numbers)
    if is_forced(system, p):
        raise SimulationError(
            f"{system.model.name} is forced at these parameters and has no equilibrium; a motion that repeats is found "
            "with jounce.find_orbit"
        )
    start = as_guess(system, {} if guess is None else guess, numbers)
    vector = np.concatenate([p, memory_at_rest(system, modes, start)])
    surface = ModeSurface(system, vector, modes)
    return equilibrium_at(system, modes, vector, _solve(surface, pressed_places(surface, places_of(system, start))))


def _check_loads_stick(system: System, modes: tuple[int, ...]) -> None:
    """Friction of loads that slide is no linear function of the forces: such a rest is a motion to be followed."""
    for contact, code in zip(system.model.contacts, modes, strict=True):
        if contact.load is not None and code in (Mode.SLIP_POSITIVE, Mode.SLIP_NEGATIVE):
            raise SimulationError(
                f"contact {contact.name!r} slides under the load of others; equilibria are found where such contacts "
                "stick. Follow the motion with simulate until it is steady"
            )


def parse_mode(system: System, mode: ModeLike) -> tuple[int, ...]:
    """Codes, one a contact, from a dictionary, a text or codes."""
    labels = {str(label): int(label) for label in Mode}
    if isinstance(mode, str):
        parts = mode.replace(",", " ").split()
        if len(parts) == 1 and ":" not in mode and system.nc == 1:
            parts = [f"{system.contact_names[0]}:{mode}"]
        mode = dict(part.partition(":")[::2] for part in parts)
    if isinstance(mode, Mapping):
        for name in mode:
            if name not in system.contact_names:
                raise OptionError(f"mode: no contact {name!r}; {suggestion(name, system.contact_names, 'contacts')}")
        usual = {name: "OPEN" if "OPEN" in valid else "STICK" for name, valid in system.modes.items()}
        chosen = [mode.get(name, usual[name]) for name in system.contact_names]
        wrong = [label for label in chosen if label not in labels]
        if wrong:
            raise OptionError(f"mode: {wrong[0]!r} is no mode; {suggestion(str(wrong[0]), labels, 'modes')}")
        return _possible(system, tuple(labels[label] for label in chosen))
    if not isinstance(mode, list | tuple) or any(code not in labels.values() for code in mode):
        raise OptionError(f"mode is {mode!r}; it must be like {{'tip': 'SLIP+'}} or 'tip:SLIP+'")
    if len(mode) != system.nc:
        raise OptionError(f"mode: {len(mode)} codes given; {system.model.name} has {system.nc} contacts")
    return _possible(system, tuple(int(code) for code in mode))


def _possible(system: System, modes: tuple[int, ...]) -> tuple[int, ...]:
    """The modes, if compliant contacts alone are pressed, and nothing else but open."""
    for contact, code in zip(system.outline.contacts, modes, strict=True):
        if (contact.compliance is not None and code != Mode.OPEN) != (code == Mode.PRESSED):
            valid = ", ".join(system.modes[contact.name])
            raise OptionError(f"mode: contact {contact.name!r} cannot be {Mode(code)}; its modes are {valid}")
    return modes


def _solve(surface: ModeSurface, places: Floats) -> Floats:
    """Gauss-Newton with shortened steps; the nearest point where a whole family rests."""
    unknowns = balance(surface, places)
    sizes = np.zeros(0)
    for _ in range(_ITERATIONS):
        now = statics_sizes(surface, unknowns)
        sizes = np.maximum(sizes, now) if sizes.size else now  # terms that vanish at rest have been large before
        measure = statics_measure(surface, unknowns, sizes)
        residual = statics(surface, unknowns) / measure
        error = float(np.linalg.norm(residual))
        step = comparable_solution(statics_jacobian(surface, unknowns) / measure[:, None], -residual)
        fraction = 1.0
        while fraction > 1e-4:
            trial = unknowns + fraction * step
            new = statics(surface, trial) / measure
            if np.all(np.isfinite(new)) and np.linalg.norm(new) < error:
                break
            fraction /= 2.0
        else:
            break
        unknowns, residual = trial, new
    if np.abs(residual).max(initial=0.0) <= _RESTS:
        solution: Floats = unknowns[: surface.system.n]
        return solution
    raise SimulationError(
        f"no equilibrium of {surface.system.model.name} in mode {surface} was found: {np.abs(residual).max():.2e} of "
        "the forces remain unbalanced; try another guess or another mode"
    )


def equilibrium_at(system: System, modes: tuple[int, ...], p: Floats, places: Floats) -> Equilibrium:
    """The equilibrium at a solution of the equations: its forces, eigenvalues and margins.

    p   the parameters and behind them the memory of the mode
    """
    q, u = at_rest(system, places)
    count = len(system.parameter_names)
    state = State(0.0, q, u, system.coordinate_names).with_memory(p[count:], system.state_names)
    surface = ModeSurface(system, p, modes)
    at = linearise(system, state, np.array(modes, dtype=np.int64), p)
    if surface.sticking:
        moving = surface.contacts(0.0, q, u)[surface.sticking, 2]
        terms = model_values(system, p, "sizes", 2 * system.nc + system.nj + system.ng, 0.0, q, u)[-system.nc :]
        if np.any(np.abs(moving) > _MOVES_NOT * terms[surface.sticking]):
            raise SimulationError(
                "a sticking contact moves with its surface: there is no rest in this mode; use SLIP+ or SLIP-"
            )
    sizes = _sizes(surface, places, at)
    basis = surface.tangent_basis(0.0, np.concatenate([q, u]), sizes)
    reduced, unit = by_power_of_two(basis.T @ (at.by_state * sizes / sizes[:, None]) @ basis)
    values = np.linalg.eigvals(reduced).astype(complex) * unit
    values = values[np.lexsort((-values.imag, -values.real))]
    ignorable = len(find_symmetry(system).ignorable)
    names = dict(zip(system.parameter_names, p[:count].tolist(), strict=True))
    neutral = min(len(values), len(surface.sticking) + ignorable + _empty_branches(system, modes))
    forces = at.forces.copy()
    for i, force in pressed_forces(surface, places).items():
        forces[i] = force
    return Equilibrium(system, names, state, modes, forces, values, neutral, _margins(surface, forces, places), sizes)


def _empty_branches(system: System, modes: tuple[int, ...]) -> int:
    """Branches of compliant contacts that are open: without force, they stay so."""
    pairs = zip(system.outline.contacts, modes, strict=True)
    return sum(bool(contact.compliance and contact.compliance.branch) and mode == Mode.OPEN for contact, mode in pairs)


def _sizes(surface: ModeSurface, places: Floats, at: Linearisation) -> Floats:
    """See Equilibrium; coordinates in the metric of M, so that those which nothing holds have a size too."""
    system, n = surface.system, surface.system.n
    unknowns = balance(surface, places)
    measure = statics_measure(surface, unknowns, statics_sizes(surface, unknowns))[:n]
    sensitivity = statics_jacobian(surface, unknowns)[:n, :n] / measure[:, None]
    strongest = np.abs(sensitivity).max(axis=0)
    moved = np.maximum(np.abs(places), np.divide(1.0, strongest, out=np.zeros(n), where=strongest > 0.0))
    mass = diagonal_mass(system, 0.0, at_rest(system, places)[0], surface.p)
    sizes = sizes_of(np.concatenate([moved, np.zeros(n)])[None, :], mass, _COUPLED)[:n]
    scaled = at.by_state[n:, :n] * sizes / sizes[:, None]
    rate = float(np.sqrt(np.abs(scaled).max(initial=0.0))) or float(np.abs(at.by_state[n:, n:]).max(initial=0.0)) or 1.0
    within, velocities = at_rest(system, sizes)[1], rate * sizes
    # the place of an internal state is the velocity of its coordinate
    return np.concatenate([np.where(within > 0.0, sizes / rate, sizes), np.where(within > 0.0, sizes, velocities)])


def _margins(surface: ModeSurface, forces: Floats, places: Floats) -> dict[str, float]:
    """What must not be negative, by name."""
    system = surface.system
    contacts = surface.contacts(0.0, *at_rest(system, places))
    friction = surface_rows(surface, places)
    margins = {"determinant of the contact problem": _determinant(surface, places)}
    for i, name in enumerate(system.contact_names):
        mode = surface.modes[i]
        if mode == Mode.OPEN:
            margins[f"gap of {name}"] = float(contacts[i, 0])
            continue
        if mode == Mode.PRESSED:
            margins[f"depth of {name}"] = -float(contacts[i, 0])
            law = system.outline.contacts[i].compliance
            if law is not None and law.pulls == ADHERES:
                continue
        margins[f"normal force of {name}"] = float(forces[i, 0])
        if mode == Mode.STICK:
            limit = friction[SURFACE_STRIDE * i + STATIC_FRICTION] * forces[i, 0]
            margins[f"friction cone of {name}"] = float(limit - abs(forces[i, 1]))
        elif mode != Mode.PRESSED and system.has_friction[i]:
            sign = 1.0 if mode == Mode.SLIP_POSITIVE else -1.0
            margins[f"slip of {name}"] = float(sign * contacts[i, 2])
    return margins


def _determinant(surface: ModeSurface, places: Floats) -> float:
    """det(R M^-1 F) / det(R M^-1 R): A/C for one sliding contact; not positive: a Painlevé paradox."""
    system, n = surface.system, surface.system.n
    R, F = constraint_directions(surface, places)
    if len(R) == 0:
        return 1.0
    values = model_values(system, surface.p, "dynamics", n * n + n, 0.0, *at_rest(system, places))
    inverse = np.linalg.inv(values[: n * n].reshape(n, n))
    return float(np.linalg.det(R @ inverse @ F.T) / np.linalg.det(R @ inverse @ R.T))
