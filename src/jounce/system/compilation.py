"""compile_model: from a model to a System, by the compiler, from tables, or from the cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from jounce.errors import SimulationError, is_one_of, suggestion
from jounce.kernels.records import workspace
from jounce.model.names import ALWAYS_CLOSED
from jounce.model.outline import Outline
from jounce.system.forcing import Forcing, compiled_forcing
from jounce.system.functions import ModelFunctions, NarrowParts
from jounce.system.system import System

if TYPE_CHECKING:
    from jounce.codegen.kept import ModelCode
    from jounce.model.bodies.machine_model import MachineModel
    from jounce.model.bodies.parts import Parts
    from jounce.model.model import Model

#: how a machine of bodies runs
WAYS = ("auto", "tables", "compiled")
# up to so many bodies and contacts a machine without edges and polygons is compiled unless tables are asked for; pins
# that rattle and compliant contacts take many steps a second, and are worth twice as long
COMPILED_BODIES, COMPILED_CONTACTS = 4, 16
COMPILED_RATTLING = 8


RUBBING = "joints and brakes that rub"
#: what to do about a model that has too many of something
WHAT_TO_TRY = {
    "coordinates": "A body has three: make one body of those that are welded, or describe the machine by minimal=",
    "contacts": "Leave out pairs that never meet, and make an outline of several faces a PolygonOn",
    RUBBING: "They are closed at all times: let those with little friction have viscous= alone",
    "joints": "Make one body of those that are welded, or describe the machine by minimal= coordinates",
    "guards": "Resets with the same expression share one; leave out those that only report",
    "parameters": "Write what never changes as a number",
    "discrete states": "One state can count, or hold several flags as a number",
    "resets": "Resets of one guard can be one, with a Piecewise for each right side",
    "assignments in resets": "Leave out those that assign what is there already",
}


def compile_model(model: Model, bodies: str = "auto") -> System:
    """Make a model ready to run: translated into machine code, or loaded where that was done before on this machine.

    bodies   how a machine of ``Model.from_bodies`` runs: "tables" from its parts, without compiling anything,
             "compiled" as every other model, "auto" from tables if it has more than four bodies (eight with compliant
             contacts or play in joints), more than sixteen contacts, or contacts on edges or polygons, and tables hold
             everything in it: other machines are compiled in about a second, and then run up to twice as fast

    >>> jounce.compile_model(jounce.systems.bouncing_ball())
    System('bouncing_ball': 1 coordinates, 1 contacts, 0 joints)
    """
    from jounce.model.model import Model  # SymPy, which whoever has a model has loaded

    if not isinstance(model, Model):
        raise SimulationError(f"compile_model needs a Model, e.g. jounce.systems.slender_rod(), not {model!r}")
    if not is_one_of(bodies, WAYS):
        raise SimulationError(f"compile_model: bodies={bodies!r}; {suggestion(bodies, WAYS)}")
    check_sizes(model.outline, in_tables=bodies != "compiled" and model.parts is not None)
    reason = ""
    if bodies != "compiled":
        system, reason = _from_tables(model, required=bodies == "tables")
        if system is not None:
            return system
    check_sizes(model.outline, why=reason)
    return _compiled(model)


def _from_tables(model: Model, *, required: bool) -> tuple[System | None, str]:
    """The system of a machine that runs from its parts, or None and why it must be compiled."""
    reason = model.why_written or "it is not made of bodies"
    if model.parts is not None:
        if not required and _compiles_soon(model.parts):
            return None, ""
        from jounce.system.tables.lowering import NotInTablesError
        from jounce.system.tables.system import table_system

        try:
            system = table_system(cast("MachineModel", model))
            # the range of what can be narrow over a step is known to compiled code only (codegen/ranges.py)
            if required or not system.tables.facts["narrow"]:
                return system, ""
            reason = (
                "it has a shape, a spring or a coefficient that may jump or be narrow in time (Piecewise, Abs, exp, a "
                "quotient of times), which tables do not watch"
            )
        except NotInTablesError as found:
            reason = str(found)
    if required:
        raise SimulationError(f"model {model.name!r} cannot run from tables: {reason}; leave bodies= out to compile it")
    return None, reason


def _compiles_soon(parts: Parts) -> bool:
    """Whether the expressions of a machine are few and short: a gap on an edge or a polygon has a case for each part.

    Two blocks that touch one another take 50 s to compile, and then run no faster (decision 24).
    """
    from jounce.model.bodies.geometry import Edge, PolygonOn  # SymPy, which whoever has a model has loaded

    compliant = any(contact.compliance is not None for contact in parts.contacts)
    rattles = compliant or any(joint.has_play for joint in parts.joints)
    most = COMPILED_RATTLING if rattles else COMPILED_BODIES
    if len(parts.bodies) > most or len(parts.contacts) > COMPILED_CONTACTS:
        return False
    return not any(isinstance(getattr(contact, "b", None), Edge | PolygonOn) for contact in parts.contacts)


def _compiled(model: Model) -> System:
    """The system of a model whose functions are generated."""
    from jounce.codegen.cache import load_model, model_key  # SymPy, which whoever has a model has loaded
    from jounce.model.time_dependence import depends_on_time

    key = model_key(model)
    facts = {"autonomous": not depends_on_time(model), "has_applied_power": bool(model.applied_power != 0)}
    return system_of(model.outline, lambda: model, load_model(model, key), key, facts)


def system_of(
    outline: Outline, source: Callable[[], Model], code: ModelCode, key: str, facts: Mapping[str, bool]
) -> System:
    """The system of compiled functions; ``facts`` are those that neither the outline nor the code knows."""
    functions = ModelFunctions(*(code.functions[name] for name in ModelFunctions._fields))
    has_friction = np.array([contact.has_friction for contact in outline.contacts], dtype=np.bool_)
    defaults = np.array([parameter.default for parameter in outline.parameters.values()], dtype=np.float64)
    has_friction.flags.writeable = defaults.flags.writeable = False
    return System(
        outline=outline,
        source=source,
        functions=functions,
        free_flow=code.functions.get("free_flow"),
        contact_flows=tuple(
            (code.functions[f"slide_{i}"], code.functions.get(f"stick_{i}"))
            for i in range(code.constants["CONTACT_FLOWS"])
        ),
        series={
            name.removesuffix("_series"): function
            for name, function in code.functions.items()
            if name.endswith("_series")
        },
        series_stride=code.constants["SERIES_STRIDE"],
        series_guards=code.constants["SERIES_GUARDS"],
        series_affine=code.constants["SERIES_AFFINE"],
        energies=code.functions["energies"],
        forcing=_forcing(outline, code),
        narrow=_narrow_parts(code),
        key=key,
        n=len(outline.coordinates),
        nc=len(outline.contacts),
        nj=len(outline.joints),
        ng=len(code.constants["GUARD_DEGREES"]),
        autonomous=facts["autonomous"],
        ballistic=code.constants["BALLISTIC"],
        guard_degrees=tuple(code.constants["GUARD_DEGREES"]),
        guard_kinks=tuple(code.constants["GUARD_KINKS"]),
        held_sides=tuple(code.constants["HELD_SIDES"]),
        has_applied_power=facts["has_applied_power"],
        has_friction=has_friction,
        turns=tuple(code.constants["TURNS"]),
        watched_angles=tuple(code.constants["WATCHED_ANGLES"]),
        defaults=defaults,
    )


def _forcing(outline: Outline, code: ModelCode) -> Forcing | None:
    return compiled_forcing(code.functions["period"], *code.constants["FORCING"]) if outline.has_period else None


def _narrow_parts(code: Any) -> NarrowParts | None:
    outputs, watched = code.constants["NARROW"]
    return NarrowParts(code.functions["ranges"], outputs, watched) if watched else None


def check_sizes(outline: Outline, in_tables: bool = False, why: str = "") -> None:
    """The engine's records have fixed sizes; say so before a model that outgrows them is compiled."""
    limits = (
        (len(outline.coordinates), workspace.MAX_COORDINATES, "coordinates"),
        (len(outline.contacts), workspace.MAX_CANDIDATES if in_tables else workspace.MAX_CONTACTS, "contacts"),
        (sum(contact.kind_of_load in ALWAYS_CLOSED for contact in outline.contacts), workspace.MAX_CLOSED, RUBBING),
        (len(outline.joints), workspace.MAX_JOINTS, "joints"),
        (len(outline.guards), workspace.MAX_GUARDS, "guards"),
        (len(outline.parameters), workspace.MAX_PARAMETERS, "parameters"),
        (len(outline.states), workspace.MAX_STATES, "discrete states"),
        (len(outline.resets), workspace.MAX_RESETS, "resets"),
        (sum(len(reset.targets) for reset in outline.resets), workspace.MAX_ASSIGNMENTS, "assignments in resets"),
    )
    for size, limit, what in limits:
        if size > limit:
            because = f" of a machine that is compiled. This one cannot run from tables, which serve more: {why}"
            raise SimulationError(
                f"model {outline.name!r} has {size} {what}; the engine serves up to {limit}{because if why else ''}. "
                f"{WHAT_TO_TRY[what]}"
            )
