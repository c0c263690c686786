"""The equations of rest in a mode, and their derivatives.

The unknowns are the places of rest, one a coordinate, and the contact and joint forces x. A coordinate rests at q with
the velocity 0; the place of an internal state is its value, which is the velocity of a coordinate of its own that
nothing depends on (model/internal_states.py): there the rate vanishes. So it is with the force in the branch of a
compliant contact. A compliant contact that is pressed is no constraint: its force is part of h.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from jounce.analysis.orbits.solution.mode_surface import Floats, ModeSurface, model_values, tangent_rows, tangent_values
from jounce.analysis.scales import diagonal_mass, inverse_roots, shares
from jounce.kernels.records.workspace import COMPLIANCE_STRIDE, FRICTION, FRICTION_BACK, SURFACE_STRIDE
from jounce.model.names import is_integral, velocity_name
from jounce.simulation.modes import Mode
from jounce.system.evaluation import contact_directions, joint_directions

if TYPE_CHECKING:
    from jounce.system.state import State
    from jounce.system.system import System


#: How deep a contact is pressed first, relative to the terms of its gap, and how often that is tried.
_FIRST_DEPTH, _APPROACHES = 1e-3, 20
#: Terms of a gap or a joint that are smaller, relative to what the whole machine may be in them, are rounding.
_NO_TERMS = 1e-12


def at_rest(system: System, places: Floats) -> tuple[Floats, Floats]:
    """(q, u) of places of rest, or of changes of them."""
    within = _internal(system)
    return np.where(within, 0.0, places), np.where(within, places, 0.0)


def places_of(system: System, state: State) -> Floats:
    """Where a state rests, or would, were its velocities zero."""
    return np.where(_internal(system), state.u, state.q)


def _internal(system: System) -> np.ndarray:
    branches = [contact.compliance.branch for contact in system.outline.contacts if contact.compliance is not None]
    return np.array([is_integral(name) or name in branches for name in system.coordinate_names])


def place_names(system: System) -> list[str]:
    """What the places of rest are called: coordinates, and the internal states and forces that are velocities."""
    return [
        velocity_name(name) if within else name
        for name, within in zip(system.coordinate_names, _internal(system), strict=True)
    ]


def memory_at_rest(system: System, modes: tuple[int, ...], state: State) -> Floats:
    """What stands behind the parameters in a mode: which compliant contacts are pressed, then the discrete states.

    A pressed contact remembers the touch that the state knows of; its damping may go by that. Without one it has none.
    """
    memory: Floats = np.nan_to_num(system.memory_of(state))
    compliant = [mode for contact, mode in zip(system.outline.contacts, modes, strict=True) if contact.compliance]
    for k, mode in enumerate(compliant):
        pressed = float(mode == Mode.PRESSED)
        memory[2 * k], memory[2 * k + 1] = pressed, pressed * memory[2 * k + 1]
    return memory


def pressed_places(surface: ModeSurface, places: Floats) -> Floats:
    """The nearest places at which the contacts that are to be pressed are so: of a gap nothing pulls a body into it."""
    system = surface.system
    pressed = [i for i, mode in enumerate(surface.modes) if mode == Mode.PRESSED]
    q, u = at_rest(system, places)
    for _ in range(_APPROACHES):
        rows = surface.contacts(0.0, q, u)[pressed]
        sizes = _terms(surface, q, u)[pressed]
        wanted = rows[:, 0] + _FIRST_DEPTH * np.where(sizes > 0.0, sizes, 1.0)
        if not np.any(rows[:, 0] >= 0.0):
            break
        mass = diagonal_mass(system, 0.0, q, surface.p)
        weights = inverse_roots(mass)
        normals = contact_directions(rows)[0] * weights
        q = q - weights * np.linalg.lstsq(normals, np.where(rows[:, 0] >= 0.0, wanted, 0.0), rcond=1e-12)[0]
    return np.where(_internal(system), places, q)


def pressed_forces(surface: ModeSurface, places: Floats) -> dict[int, Floats]:
    """(F_N, F_T) of the compliant contacts that are pressed."""
    system = surface.system
    pressed = [i for i, mode in enumerate(surface.modes) if mode == Mode.PRESSED]
    if not pressed:
        return {}
    size = COMPLIANCE_STRIDE * system.nc
    rows = model_values(system, surface.p, "compliance", size, 0.0, *at_rest(system, places))
    return {i: rows[COMPLIANCE_STRIDE * i :][:2] for i in pressed}


def constraint_directions(surface: ModeSurface, places: Floats) -> tuple[Floats, Floats]:
    """Rows R (joints, normals of closed contacts, tangents of sticking ones) and the directions F of their forces.

    A sliding contact's force leans by its friction: F = W_N - s mu W_T.
    """
    q, u = at_rest(surface.system, places)
    leaning = _leaning(surface, surface_rows(surface, places))
    return _directions(surface, surface.contacts(0.0, q, u), surface.joints(0.0, q, u), leaning)


def surface_rows(surface: ModeSurface, places: Floats) -> Floats:
    """Friction and restitution of every contact at rest, as the model gives them."""
    system = surface.system
    return model_values(system, surface.p, "surfaces", SURFACE_STRIDE * system.nc, 0.0, *at_rest(system, places))


def _directions(surface: ModeSurface, contacts: Floats, joints: Floats, leaning: Floats) -> tuple[Floats, Floats]:
    """The same from the rows of contacts and joints, or from their derivatives at constant friction."""
    system, n = surface.system, surface.system.n
    normals, tangents = contact_directions(contacts)
    rows = [*joint_directions(joints), *normals[surface.closed]]
    forces = [row.copy() for row in rows]
    for k, i in enumerate(surface.closed):
        forces[system.nj + k] -= leaning[i] * tangents[i]
    sticking = list(tangents[surface.sticking])
    shape = (len(rows) + len(sticking), n)
    return np.array(rows + sticking).reshape(shape), np.array(forces + sticking).reshape(shape)


def _leaning(surface: ModeSurface, friction: Floats) -> Floats:
    """s mu of every contact that slides, 0 of others, from the rows of ``surfaces`` or from their derivatives."""
    system = surface.system
    rows, leaning = friction.reshape(system.nc, SURFACE_STRIDE), np.zeros(system.nc)
    for i in surface.closed:
        if system.has_friction[i] and surface.modes[i] == Mode.SLIP_POSITIVE:
            leaning[i] = rows[i, FRICTION]
        elif system.has_friction[i] and surface.modes[i] == Mode.SLIP_NEGATIVE:
            leaning[i] = -rows[i, FRICTION_BACK]
    return leaning


def statics(surface: ModeSurface, unknowns: Floats) -> Floats:
    """What vanishes at rest, of (places, x): h + F^T x, the gaps of closed contacts, the joints."""
    n = surface.system.n
    places, x = unknowns[:n], unknowns[n:]
    q, u = at_rest(surface.system, places)
    _, F = constraint_directions(surface, places)
    gaps = surface.contacts(0.0, q, u)[surface.closed, 0]
    return np.concatenate([forces_at(surface, places) + F.T @ x, gaps, surface.joints(0.0, q, u)[:, 0]])


def forces_at(surface: ModeSurface, places: Floats) -> Floats:
    """h at rest; of an internal state its rate, times its mass."""
    system, n = surface.system, surface.system.n
    return model_values(system, surface.p, "dynamics", n * n + n, 0.0, *at_rest(system, places))[n * n :]


def statics_sizes(surface: ModeSurface, unknowns: Floats) -> Floats:
    """The sizes of the terms of which ``statics`` are the sums, row by row.

    Forces as a whole, in the metric of M: f_j^2/M_jj has one unit. The force of a coordinate is a sum whose terms may
    cancel, so what each coordinate contributes to first order counts, |dh/dq| |q|. Gaps and joints as the model gives
    their terms; where these are rounding, as across a machine that stands upright, what coordinates of its size would
    change them by.
    """
    system, n = surface.system, surface.system.n
    places, x = unknowns[:n], unknowns[n:]
    q, u = at_rest(system, places)
    _, F = constraint_directions(surface, places)
    mass = diagonal_mass(system, 0.0, q, surface.p)
    jacobian = statics_jacobian(surface, unknowns)[:, :n]
    stiffness, whole = jacobian[:n], shares(places**2, mass)
    terms = np.abs(forces_at(surface, places)) + np.abs(stiffness) @ np.abs(places) + np.abs(F.T) @ np.abs(x)
    accelerations = np.divide(terms, mass, out=np.zeros(n), where=mass > 0.0)
    forces = np.maximum(terms, mass * shares(accelerations**2, mass))
    terms = _terms(surface, q, u)
    lengths = np.concatenate([terms[surface.closed], terms[system.nc : system.nc + system.nj]])
    changes = np.abs(jacobian[n:]) @ whole
    return np.concatenate([forces, np.where(lengths > _NO_TERMS * changes, lengths, changes)])


def _terms(surface: ModeSurface, q: Floats, u: Floats) -> Floats:
    """The sizes of the terms of gaps, joints, guards and slips."""
    system = surface.system
    return model_values(system, surface.p, "sizes", 2 * system.nc + system.nj + system.ng, 0.0, q, u)


def statics_measure(surface: ModeSurface, unknowns: Floats, sizes: Floats) -> Floats:
    """By what ``statics`` are measured: the sizes of their terms, or, where none acts, what one unit of q would change.

    At the origin of a model without weight nothing says how large a coordinate is but its unit (or its ``scale``).
    """
    system = surface.system
    unit = np.array([system.model.scales.get(name, 1.0) for name in place_names(system)])
    stiffness = np.abs(statics_jacobian(surface, unknowns)[:, : system.n]) @ unit
    measure = np.where(sizes > 0.0, sizes, stiffness)
    return np.where(measure > 0.0, measure, 1.0)


def statics_jacobian(surface: ModeSurface, unknowns: Floats, parameter: str | None = None) -> Floats:
    """The derivatives of ``statics`` by (places, x) and by a parameter, exactly: its columns."""
    system, n = surface.system, surface.system.n
    places, x = unknowns[:n], unknowns[n:]
    q, u = at_rest(system, places)
    _, tangents = contact_directions(surface.contacts(0.0, q, u))
    leaning = _leaning(surface, surface_rows(surface, places))
    directions: list[tuple[Floats, str | None]] = [(row, None) for row in np.eye(n)]
    if parameter is not None:
        directions.append((np.zeros(n), parameter))
    columns = []
    for change, name in directions:
        dp = np.array([float(other == name) for other in system.parameter_names])
        place = (0.0, q, u, 0.0, *at_rest(system, change), dp)
        dh = tangent_values(system, surface.p, "dynamics", n * n + n, *place)[n * n :]
        d_contacts, d_joints = tangent_rows(system, surface.p, *place)
        d_surfaces = tangent_values(system, surface.p, "surfaces", SURFACE_STRIDE * system.nc, *place)
        d_leaning = _leaning(surface, d_surfaces)
        _, dF = _directions(surface, d_contacts, d_joints, leaning)
        for k, i in enumerate(surface.closed):
            dF[system.nj + k] -= d_leaning[i] * tangents[i]
        columns.append(np.concatenate([dh + dF.T @ x, d_contacts[surface.closed, 0], d_joints[:, 0]]))
    _, F = constraint_directions(surface, places)
    by_force = np.vstack([F.T, np.zeros((len(columns[0]) - n, len(x)))])
    by_place = np.array(columns).T
    return np.hstack([by_place[:, :n], by_force, by_place[:, n:]])


def balance(surface: ModeSurface, places: Floats) -> Floats:
    """(places, x) with the forces that come nearest to balance there, each coordinate measured by its mass."""
    _, F = constraint_directions(surface, places)
    mass = diagonal_mass(surface.system, 0.0, at_rest(surface.system, places)[0], surface.p)
    weights = inverse_roots(np.where(mass > 0.0, mass, mass.max()))
    forces = comparable_solution(F.T * weights[:, None], -forces_at(surface, places) * weights)
    return np.concatenate([places, forces])


def comparable_solution(matrix: Floats, right: Floats) -> Floats:
    """The least-squares solution of least norm, unknowns measured by what they do: columns of length 1."""
    lengths = np.linalg.norm(matrix, axis=0)
    lengths = np.where(lengths > 0.0, lengths, 1.0)
    return np.asarray(np.linalg.lstsq(matrix / lengths, right, rcond=1e-12)[0] / lengths, dtype=np.float64)
