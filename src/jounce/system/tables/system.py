"""A machine of bodies as a System, without a compiler."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from jounce.kernels.bodies import functions, layout, near, tangents
from jounce.model.bodies.machine_model import MachineModel
from jounce.model.surfaces import CLOSED
from jounce.model.time_dependence import cycles_in
from jounce.model.validation import start_below
from jounce.system.checks import shares_of_gaps
from jounce.system.evaluation import values_of
from jounce.system.forcing import Forcing, forcing_of
from jounce.system.functions import ModelFunctions, NearContacts, TangentFunctions
from jounce.system.system import System
from jounce.system.tables.bound import bound_functions
from jounce.system.tables.builder import TableBuilder, Tables
from jounce.system.tables.narrow import narrow_parts
from jounce.system.tables.turns import table_turns


def table_system(model: MachineModel) -> System:
    """The system of a machine; raises NotInTablesError where something of it must be compiled."""
    tables = TableBuilder(model).tables(model.watched)
    functions = bound_functions(_kernels(), tables)
    has_friction = np.array([contact.has_friction for contact in model.parts.contacts], dtype=np.bool_)
    defaults = np.array(list(model.defaults.values()), dtype=np.float64)
    has_friction.flags.writeable = defaults.flags.writeable = False
    sizes, near = tables.record[0], _near(tables)
    joints, works = int(sizes["nj"]), bool(tables.facts["works"])
    has_powers = works or int(sizes["compliant"]) > 0
    system = System(
        outline=model.outline,
        source=lambda: model,
        functions=ModelFunctions(*(functions[name] for name in ModelFunctions._fields)),
        free_flow=functions["free_flow"] if has_powers and not joints else None,
        contact_flows=(),
        series={},
        series_stride=0,
        series_guards=False,
        series_affine=False,
        energies=None,
        forcing=_forcing(model, tables),
        narrow=narrow_parts(model, tables.facts["sides"]),
        key=f"tables-{tables.digest()}",
        n=int(sizes["n"]),
        nc=int(sizes["nc"]),
        nj=joints,
        ng=int(sizes["ng"]),
        autonomous=bool(tables.facts["autonomous"]),
        ballistic=False,
        guard_degrees=(-1,) * int(sizes["ng"]),
        guard_kinks=tuple(int(model.kinks.get(guard, 0)) for guard in model.watched),
        has_applied_power=works,
        has_friction=has_friction,
        turns=table_turns(tables),
        held_sides=tables.facts["held"],
        watched_angles=(),
        defaults=defaults,
        near=near,
        faces=near.faces if tables.facts["faces"] else None,
        tables=tables,
    )
    _check_start(system)
    return system


def _forcing(model: MachineModel, tables: Tables) -> Forcing | None:
    if model.period is None:
        return None
    return forcing_of(model.period, cycles_in(tables.facts["timed"], model.period, model.p), model.p)


def _near(tables: Tables) -> NearContacts:
    """The functions of contacts that are near, and what does not depend on the state."""
    names = {name: f"near_{name}" for name in ("contacts", "gaps", "gap_rates", "surfaces", "sizes", "faces")}
    names |= {"dynamics": "diagonal_dynamics", "levers": "levers"}
    bound = bound_functions({name: getattr(near, own) for name, own in names.items()}, tables)
    count, bodies = int(tables.record["nc"][0]), int(tables.record["bodies"][0])
    rows = tables.arrays["contact"][: count * layout.TOUCH_ROW].reshape(count, layout.TOUCH_ROW)
    sides = rows[:, [layout.BODY_A, layout.BODY_B]]
    sides = np.where(sides < bodies, sides, sides[:, ::-1])  # the ground has zeros in the columns of the other body
    columns = (3 * sides[:, :, None] + np.arange(3)).reshape(count, 6)
    bounded = bool((rows[:, layout.KIND] != layout.WRITTEN).all())
    return NearContacts(**bound, columns=columns, moving=_moving(rows), bounded=bounded)


def _moving(rows: np.ndarray) -> np.ndarray:
    """Whether a rate of a point, a radius or a direction is not zero."""
    kind = rows[:, layout.KIND]
    points = [layout.CENTER_A + 1, layout.CENTER_A + 4, layout.RADIUS_A + 1, layout.POINT_B + 1, layout.POINT_B + 4]
    moving = (rows[:, points] != 0).any(axis=1)
    straight, round_ = kind == layout.LINE, (kind == layout.CIRCLE) | (kind == layout.HOLE)
    moving |= straight & (rows[:, layout.DIRECTION + 2] != 0)
    moving |= round_ & (rows[:, layout.RADIUS_B + 1] != 0)
    return np.asarray(moving)


def _check_start(system: System) -> None:
    """No gap may be negative where the machine starts by default, as in every model."""
    start = system.outline.start
    q, u = (
        np.array([start.get(name, 0.0) for name in names]) for names in (system.coordinate_names, system.velocity_names)
    )
    gaps = values_of(system.functions.gaps, 2 * system.nc, 0.0, q, u, system.defaults)[::2]
    count = 2 * system.nc + system.nj + system.ng
    sizes = values_of(system.functions.sizes, count, 0.0, q, u, system.defaults)
    if system.nc:
        sizes[: system.nc] += shares_of_gaps(system, 0.0, q, u, system.defaults)
    for contact, gap, size in zip(system.outline.contacts, gaps, sizes, strict=False):
        if contact.compliance is None and not gap >= -CLOSED * size:
            raise start_below(contact.name, gap)


def table_tangents(tables: Tables) -> TangentFunctions:
    """The directional derivatives of a machine's functions."""
    names = TangentFunctions._fields
    kernels = {name: getattr(tangents, name) for name in names}
    found = bound_functions(kernels, tables)
    return TangentFunctions(*(found[name] for name in TangentFunctions._fields))


@cache
def _kernels() -> dict[str, Any]:
    absent = ("guard_rates", "flight_bounds", "flight_gaps", "landing")
    names = (*ModelFunctions._fields, "free_flow")
    return {name: functions.nothing if name in absent else getattr(functions, name) for name in names}
