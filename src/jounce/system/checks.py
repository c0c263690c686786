"""The checks a start passes before it is simulated: the values of this run, not the defaults of the model."""

from __future__ import annotations

from collections.abc import Container

import numpy as np

from jounce.errors import SimulationError
from jounce.model.names import is_integral
from jounce.model.surfaces import CLOSED, SURFACE_COLUMNS, load_problem, surface_problem
from jounce.system.evaluation import joint_directions, joint_rows, normal_directions, values_of
from jounce.system.state import State
from jounce.system.system import System

_REMEDY = "system.assemble(start, parameter=value, ...) moves a start onto the joints, with the parameters of the run"


def check_start(system: System, start: State, p: np.ndarray, closed: Container[str] = ()) -> None:
    """Raise a SimulationError that names the first thing at which the run cannot start.

    The gaps of contacts that are known to be ``closed`` are zero up to the accuracy of the run that says so.
    """
    t, q, u = start.t, start.q, start.u
    _check_states(system, start)
    p = system.vector(p, start)
    check_parameters(system, t, q, u, p)
    gaps = values_of(system.functions.gaps, 2 * system.nc, t, q, u, p).reshape(system.nc, 2)
    sizes = values_of(system.functions.sizes, 2 * system.nc + system.nj + system.ng, t, q, u, p)
    if start.scales.size >= 2 * system.n + len(sizes):
        # a state out of a run knows how large the terms have been
        sizes = np.maximum(sizes, start.scales[2 * system.n : 2 * system.n + len(sizes)])
    sizes[: system.nc] += shares_of_gaps(system, t, q, u, p)
    for contact, (gap, _), size in zip(system.outline.contacts, gaps, sizes, strict=False):
        name = contact.name
        if contact.compliance is None and name not in closed and not gap >= -CLOSED * size:
            raise SimulationError(
                f"contact {name!r}: the gap is {gap:.6g} at the start (t = {t:.6g}); it must not be negative. "
                "Move the body away from the surface, or start at another time"
            )
    _check_joints(system, t, q, u, p, sizes[system.nc :])


def _check_states(system: System, start: State) -> None:
    count = len(system.state_names)
    for name, value in zip(system.state_names, system.memory_of(start)[-count:] if count else (), strict=True):
        if not np.isfinite(value):
            raise SimulationError(f"the discrete state {name!r} is {value} at the start; it must be finite")


def check_parameters(system: System, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> None:
    """The part of ``check_start`` that is about parameters: mass, friction and restitution make sense."""
    p = system.vector(p)
    _check_finite(system, t, q, u, p)
    _check_compliance(system, t, q, u, p)
    _check_mass(system, t, q, u, p)
    _check_surfaces(system, t, q, u, p)


def check_joints_keep(system: System, name: str, where: str) -> None:
    """A length that jumps, or a driver whose speed jumps, would tear the machine apart at that instant."""
    for joint, expression in system.model.joints.items() if system.nj else ():
        if name in {symbol.name for symbol in expression.free_symbols}:
            raise SimulationError(
                f"{where}: joint {joint!r} depends on {name!r}, so the machine would jump; write the change "
                "into the joint as a function of jounce.time, or simulate in two parts with system.assemble between"
            )


def _check_finite(system: System, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> None:
    names = ("t", *system.coordinate_names, *system.velocity_names, *system.parameter_names)
    for name, value in zip(names, np.concatenate(([t], q, u, p)).tolist(), strict=False):
        if not np.isfinite(value):
            raise SimulationError(f"{name!r} is {value} at the start; it must be finite")


def _check_mass(system: System, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> None:
    n = system.n
    values = values_of(system.functions.dynamics, n * n + n, t, q, u, p)
    if not np.all(np.isfinite(values)):
        first = int(np.argmin(np.isfinite(values)))
        what = "the mass matrix" if first < n * n else f"the force on {system.coordinate_names[first - n * n]!r}"
        raise SimulationError(f"{what} is not finite at the start; check the parameters and the start state")
    heavy = [k for k, name in enumerate(system.coordinate_names) if not is_integral(name)]
    lowest = float(np.linalg.eigvalsh(values[: n * n].reshape(n, n)[np.ix_(heavy, heavy)])[0])
    if not lowest > 0.0:
        raise SimulationError(
            f"the mass matrix is not positive definite at the start (lowest eigenvalue {lowest:.3g}); "
            "masses and inertias must be positive"
        )
    _check_sizes(system, q, u, values[: n * n].reshape(n, n))


def _check_sizes(system: System, q: np.ndarray, u: np.ndarray, mass: np.ndarray) -> None:
    """The engine measures a motion by sum M_jj q_j^2 and by its energy: both must be numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        for values, names in ((q, system.coordinate_names), (u, system.velocity_names)):
            squares = np.abs(mass) * np.abs(np.outer(values, values))
            if not np.isfinite(squares.sum()):
                largest = int(np.argmax(np.abs(values)))
                raise SimulationError(
                    f"{names[largest]!r} is {values[largest]:g} at the start: its square times a mass is too large for "
                    "double precision; choose units in which it is nearer to 1"
                )


def _check_surfaces(system: System, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> None:
    width = len(SURFACE_COLUMNS)
    rows = values_of(system.functions.surfaces, width * system.nc, t, q, u, p).reshape(system.nc, width)
    asked = ("friction_at_rest", "static_friction", "restitution", "tangential_restitution")
    for name, contact, row in zip(system.contact_names, system.outline.contacts, rows.tolist(), strict=True):
        mu, mu_static, e, e_t = (row[SURFACE_COLUMNS.index(column)] for column in asked)
        if contact.load is None:
            problem = surface_problem(mu, mu_static, e, e_t)
        else:  # in place of restitutions it has a preload and a lever
            problem = surface_problem(mu, mu_static, 0.0, 0.0) or load_problem(e, e_t)
        if problem:
            raise SimulationError(f"contact {name!r}: {problem} at the start")


def _check_compliance(system: System, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> None:
    if all(contact.compliance is None for contact in system.outline.contacts):
        return
    from jounce.model.compliant_contact import compliance_problem  # SymPy, for compliant contacts alone

    compliant = [contact for contact in system.model.contacts if contact.compliance is not None]
    values = {system.model.symbols["t"]: t}
    own = (*system.model.p, *system.model.memory)
    for symbols, numbers in ((system.model.q, q), (system.model.u, u), (own, p)):
        values |= dict(zip(symbols, np.asarray(numbers).tolist(), strict=False))
    for contact in compliant:
        problem = compliance_problem(contact, values)
        if problem:
            raise SimulationError(f"contact {contact.name!r}: {problem} at the start")


def _shares(system: System, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray, values: np.ndarray) -> np.ndarray:
    """What a motion as a whole, sum M_jj v_j^2, may be in each coordinate."""
    n = system.n
    masses = values_of(system.functions.dynamics, n * n + n, t, q, u, p)[: n * n : n + 1]
    return np.asarray(np.sqrt(masses @ (values * values) / masses))


def shares_of_gaps(system: System, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> np.ndarray:
    """What each gap changes where the machine moves by its own size: a surface at zero gives a gap no terms."""
    directions, columns = normal_directions(system, t, q, u, p)
    return np.asarray((np.abs(directions) * _shares(system, t, q, u, p, q)[columns]).sum(axis=1))


def _check_joints(system: System, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray, sizes: np.ndarray) -> None:
    rows = joint_rows(system, t, q, u, p)
    accelerations = values_of(system.functions.free_acceleration, system.n, t, q, u, p)
    place, motion, force = (_shares(system, t, q, u, p, values) for values in (q, u, accelerations))
    for name, row, own in zip(system.joint_names, rows, sizes, strict=False):
        # a joint that holds a coordinate at zero has no terms of its own: it is measured by the machine as a whole
        J = joint_directions(row)
        size = own + np.abs(J) @ place
        if not abs(row[0]) <= CLOSED * size:
            raise SimulationError(
                f"joint {name!r} is violated by {row[0]:.6g} at the start; it must be zero there. {_REMEDY}"
            )
        # velocities that are all but zero are measured by what the forces would make of them: v^2 = a size
        speed = np.abs(J) @ motion + abs(row[1] - J @ u) + np.sqrt(np.abs(J) @ force * size)
        if not abs(row[1]) <= CLOSED * speed:
            raise SimulationError(
                f"joint {name!r}: the start velocities leave the joint at the rate {row[1]:.6g}; it must be zero. "
                + _REMEDY
            )
