"""Model.from_sympy_mechanics: KanesMethod, LagrangesMethod and System of sympy.physics.mechanics -> Model.

Lagrange's equations are E = M q'' - h - J^T lambda = 0, so M = dE/dq'' and h = -E at q'' = 0, lambda = 0.

Kane's speeds u need not be q'. With q' = Y(q, t) u + z(q, t) and W = Y^-1 we have u = W (q' - z), and Kane's equations
K u' = f, which are projections on the partial velocities by u, become projections on those by q' with W^T:

    W^T K W q'' = W^T (f - K b) ,      b = d/dt(W (q' - z)) at fixed q' .

Holonomic constraints become joints. Kane's equations are therefore formed without them, every coordinate and speed
independent: the constraint forces are then those of the joints, which the engine computes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

import sympy as sp
from sympy.physics import mechanics
from sympy.physics.mechanics import KanesMethod, dynamicsymbols

from jounce.errors import ModelError, suggestion
from jounce.model.lagrangian import tidy, time_derivative
from jounce.model.model import Model
from jounce.model.names import velocity_name
from jounce.model.symbols import plain_symbol, time


class _Mechanics(NamedTuple):
    """M q'' = h and the constraints g(q, t) = 0, in SymPy's q(t), with what q and q' are called in a Model."""

    coordinates: tuple[str, ...]
    mass: sp.Matrix
    forces: sp.Matrix
    constraints: list[sp.Expr]
    words: dict[sp.Basic, sp.Expr]


def model_from_mechanics(
    name: str,
    method: Any,
    *,
    parameters: Any = (),
    units: Mapping[Any, str] | None = None,
    joint_names: Sequence[str] = (),
    joints: Mapping[str, Any] | None = None,
    **rest: Any,
) -> Model:
    """See ``Model.from_sympy_mechanics``."""
    allowed = {entry.name for entry in fields(Model)} - {"name", "coordinates", "mass", "forces", "applied_power"}
    for argument in rest:
        if argument not in allowed:
            raise ModelError(f"from_sympy_mechanics has no argument {argument!r}; {suggestion(argument, allowed)}")
    found = _mechanics(method)
    named = {_text(key, found): unit for key, unit in (units or {}).items()}
    for coordinate in named:
        if coordinate not in found.coordinates:
            hint = suggestion(coordinate, found.coordinates, "coordinates")
            raise ModelError(f"units: no coordinate {coordinate!r}; {hint}")
    held = _named_constraints(found, joint_names)
    settled = {key: _settled(value, found.words) for key, value in rest.items()}
    return Model(
        name,
        {coordinate: named.get(coordinate, "") for coordinate in found.coordinates},
        found.mass,
        list(found.forces),
        joints=held | _settled(dict(joints or {}), found.words),
        parameters=parameters,
        **settled,
    )


def _mechanics(method: Any) -> _Mechanics:
    system = getattr(mechanics, "System", None)  # SymPy 1.13 and later
    if system is not None and isinstance(method, system):
        if not isinstance(method.eom_method, mechanics.LagrangesMethod):
            return _from_system(method)
        method = method.eom_method
    if isinstance(method, mechanics.LagrangesMethod):
        return _from_lagrange(method)
    if isinstance(method, mechanics.KanesMethod):
        return _from_kane(method)
    raise ModelError(
        f"from_sympy_mechanics takes a KanesMethod, a LagrangesMethod or a System, not {type(method).__name__}"
    )


def _words(q: Sequence[sp.Expr]) -> tuple[tuple[str, ...], dict[sp.Basic, sp.Expr]]:
    """The names of the coordinates, and SymPy's q(t), q'(t) and t -> the symbols of a Model."""
    t = dynamicsymbols._t
    names = tuple(str(q_i.func) for q_i in q)
    words: dict[sp.Basic, sp.Expr] = {t: time}
    for name, q_i in zip(names, q, strict=True):
        words |= {q_i: plain_symbol(name), q_i.diff(t): plain_symbol(velocity_name(name))}
    return names, words


def _from_lagrange(method: Any) -> _Mechanics:
    constraints = list(method._hol_coneqs)  # SymPy has no public name for what was given as hol_coneqs
    if len(method.coneqs) > len(constraints):
        raise ModelError("nonholonomic constraints cannot be part of a model; holonomic ones become joints")
    equations = method.form_lagranges_equations() if method.eom is None else method.eom
    t = dynamicsymbols._t
    accelerations = [q_i.diff(t, 2) for q_i in method.q]
    absent = dict.fromkeys([*accelerations, *(method.lam_vec if constraints else ())], sp.Integer(0))
    names, words = _words(list(method.q))
    v = [plain_symbol(velocity_name(name)) for name in names]
    mass = equations.jacobian(accelerations).applyfunc(lambda entry: tidy(entry.xreplace(words), v))
    forces = equations.applyfunc(lambda entry: tidy(-entry.xreplace(absent).xreplace(words), v))
    return _Mechanics(names, mass, forces, [g.xreplace(words) for g in constraints], words)


def _from_system(system: Any) -> _Mechanics:
    if len(system.nonholonomic_constraints):
        raise ModelError("nonholonomic constraints cannot be part of a model; holonomic ones become joints")
    loads = [*system.loads, *(load for actuator in system.actuators for load in actuator.to_loads())]
    free = _free_method(system.frame, system.q, system.u, system.kdes)
    return _from_free_kane(free, system.bodies, loads, list(system.holonomic_constraints))


def _from_kane(method: Any) -> _Mechanics:
    # SymPy has no public names for the frame and for what was given as constraints and auxiliary speeds
    constraints = list(method._f_h)
    if method._k_nh.rows > len(constraints):
        raise ModelError("nonholonomic constraints cannot be part of a model; holonomic ones become joints")
    if len(method._uaux):
        raise ModelError("auxiliary speeds cannot be part of a model; leave u_auxiliary out")
    if method.bodies is None:
        raise ModelError("the KanesMethod has no bodies yet; call its kanes_equations(bodies, loads) first")
    kinematics = [rate - value for rate, value in method.kindiffdict().items()]
    free = _free_method(method._inertial, method.q, method.u, kinematics)
    return _from_free_kane(free, method.bodies, method.forcelist, constraints)


def _free_method(frame: Any, q: Any, u: Any, kinematics: Any) -> Any:
    """Kane's method with every coordinate and speed independent."""
    if len(u) != len(q):
        raise ModelError(f"{len(u)} speeds for {len(q)} coordinates; a model needs one each")
    return KanesMethod(frame, list(q), list(u), kd_eqs=list(kinematics))


def _from_free_kane(free: Any, bodies: Any, loads: Any, constraints: list[sp.Expr]) -> _Mechanics:
    free.kanes_equations(bodies, loads or None)
    t, rates = dynamicsymbols._t, free.kindiffdict()
    motion = sp.Matrix([rates[q_i.diff(t)] for q_i in free.q])
    names, words = _words(list(free.q))
    q, v = ([plain_symbol(name) for name in part] for part in (names, map(velocity_name, names)))
    Y = motion.jacobian(free.u)
    z = (motion - Y * sp.Matrix(free.u)).applyfunc(sp.expand)
    W = Y.xreplace(words).inv()
    speeds = W * (sp.Matrix(v) - z.xreplace(words))
    words |= dict(zip(free.u, speeds, strict=True))
    K, f = free.mass_matrix.xreplace(words), free.forcing.xreplace(words)
    b = speeds.applyfunc(lambda speed: time_derivative(speed, q, v))
    mass, forces = ((W.T * part).applyfunc(lambda entry: tidy(entry, v)) for part in (K * W, f - K * b))
    return _Mechanics(names, mass, forces, [g.xreplace(words) for g in constraints], words)


def _named_constraints(found: _Mechanics, given: Sequence[str]) -> dict[str, sp.Expr]:
    names = list(given) or [f"constraint_{k + 1}" for k in range(len(found.constraints))]
    if len(names) != len(found.constraints):
        raise ModelError(f"joint_names: {len(names)} names for {len(found.constraints)} holonomic constraints")
    return dict(zip(names, found.constraints, strict=True))


def _text(key: Any, found: _Mechanics) -> str:
    return key if isinstance(key, str) else str(found.words.get(key, key))


def _settled(value: Any, words: dict[sp.Basic, sp.Expr]) -> Any:
    """Contacts, guards, starts and shapes that were written with SymPy's q(t), in the symbols of the model."""
    if isinstance(value, sp.Basic):
        return value.xreplace(words)
    if isinstance(value, Mapping):
        return {_settled(key, words): _settled(part, words) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_settled(part, words) for part in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{entry.name: _settled(getattr(value, entry.name), words) for entry in fields(value)})
    return value
