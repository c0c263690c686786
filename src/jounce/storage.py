"""Results on disk: one netCDF-4 file a run, versioned, written whole or not at all.

The file holds the arrays of RunData as netCDF variables and everything else as text attributes. The model is stored as
data (names and expression trees), never as code: reading a file runs nothing that is in it, and needs no compiler.
Any netCDF reader can open it.
"""

from __future__ import annotations

import dataclasses
import json
from enum import Enum
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.errors import StorageError
from jounce.file_targets import checked_path
from jounce.netcdf import check_version, opened, read_array, read_json, write_array, write_file
from jounce.simulation.events import INT_COLUMNS
from jounce.simulation.modes import join_words, split_words, word_count
from jounce.simulation.options import Options
from jounce.simulation.run_data import RunData
from jounce.simulation.status import Status, StatusCode
from jounce.simulation.trajectory import Trajectory

if TYPE_CHECKING:
    from jounce.analysis.attractors.basins import Basins
    from jounce.analysis.attractors.diagram import Diagram
    from jounce.analysis.orbits.continuation.branch import Branch
    from jounce.analysis.orbits.equilibria.equilibrium import Equilibrium
    from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit

FORMAT = "jounce-trajectory"
# 2: a fourth account of work, the loss in compliant contacts; 3: what these contacts remember; 5: modes of states;
# 6: resets and discrete states. Runs without them are written as before.
FORMAT_VERSION = 6
WITHOUT_RESETS = 5
SEALED_SINCE = 4  # a checksum of the whole file

#: RunData's arrays and the netCDF dimensions of each.
_ARRAYS = {
    "parameters": ("parameter",),
    "q_start": ("coordinate",),
    "u_start": ("coordinate",),
    "q_final": ("coordinate",),
    "u_final": ("coordinate",),
    "total_impact_loss": ("contact",),
    "step_t": ("step",),
    "step_h": ("step",),
    "step_mode": ("step",),
    "step_coefficients": ("step", "coefficient", "state"),
    "step_work": ("boundary", "work"),
    "event_float": ("event", "event_float_column"),
    "event_int": ("event", "event_int_column"),
}
_MEMORY = {"memory_start": ("known_memory",), "memory_final": ("memory",)}
_ORDERS = {"step_order": ("ordered_step",)}
_STATES = {"step_states": ("recorded_step", "discrete_state")}
#: How large things were, by which a run that goes on from the file is measured; files of before have none.
_SCALES = {"scales": ("scale",), "contact_speed": ("known_contact",), "chatter_speed": ("known_contact",)}
_SCHEDULE = {"schedule_t": ("breakpoint",), "schedule_parameters": ("breakpoint", "parameter")}
_CODES = ("step_mode", "step_order")  # of systems: words, one more dimension, where there are several
_INTEGERS = ("step_mode", "event_int")
_NUMBERS = ("t_start", "t_end_reached", "wall_time", "mode_final")
_MODES = ("mode_start", "order_start", "order_final")
_LISTS = ("sides_final", "faces_start", "faces_final")


def save(run: Trajectory, path: str | PathLike[str]) -> None:
    """Write a run to one file; the file appears complete or not at all."""
    write_file(path, lambda file: _write(run, file))


def load(path: str | PathLike[str]) -> Trajectory | PeriodicOrbit | Equilibrium | Branch | Diagram | Basins:
    """Read a result back: a run, an orbit, an equilibrium or a branch from its file, a sweep or basins from a folder.

    Of a run, states, events and energies are there at once, contact forces after compiling the model on first use.

    >>> ball = jounce.systems.bouncing_ball()
    >>> run = jounce.simulate(ball, {"y": 1.0}, t_end=1.0)
    >>> run.save("run.nc")
    >>> jounce.load("run.nc").final == run.final
    True
    """
    target = checked_path("the file", path)
    if target.is_dir():
        return _load_folder(target)
    if not target.is_file():
        raise StorageError(f"no file {target}")
    with opened(target) as file:
        if str(file.attrs.get("format")).startswith("jounce-orbits-"):
            from jounce.analysis.orbits.files import read_orbits

            return read_orbits(file, target)
        _check_format(file, target)
        return _read(file)


def _load_folder(path: Path) -> Diagram | Basins:
    from jounce.analysis.stores.chunk_store import read_description

    kind = read_description(path).get("kind")
    if kind == "sweep":
        from jounce.analysis.attractors.diagram import Diagram

        return Diagram.load(path)
    if kind == "basins":
        from jounce.analysis.attractors.basins import Basins

        return Basins.load(path)
    if kind == "ensemble":
        raise StorageError(f"{path} holds an ensemble: call jounce.ensemble again with store={str(path)!r}, it is read")
    raise StorageError(f"{path} holds {kind!r}, which this Jounce does not know; upgrade it")


def _write(run: Trajectory, file: Any) -> None:
    from jounce.model.definition import equations_hash, to_definition

    data = run.data
    schedule = data.schedule or [(data.t_start, data.parameters)]
    arrays = {name: np.ascontiguousarray(getattr(data, name)) for name in {**_ARRAYS, **_MEMORY, **_ORDERS, **_SCALES}}
    wide = word_count(len(run.model.contacts)) > 1
    if wide:
        arrays |= {name: split_words(arrays[name], len(run.model.contacts)) for name in _CODES}
    if not data.faces_final.size:  # as files without faces have always been
        arrays["event_int"] = np.ascontiguousarray(arrays["event_int"][:, :-1])
    arrays["schedule_t"] = np.array([t for t, _ in schedule], dtype=float)
    arrays["schedule_parameters"] = np.vstack([vector for _, vector in schedule])
    has_resets = bool(run.model.resets or run.model.states)
    extra = _STATES if has_resets else {}
    arrays |= {name: np.ascontiguousarray(getattr(data, name)) for name in extra}
    for name, dimensions in {**_ARRAYS, **_MEMORY, **_ORDERS, **_SCALES, **_SCHEDULE, **extra}.items():
        write_array(file, name, (*dimensions, "word") if wide and name in _CODES else dimensions, arrays[name])
    file.attrs["format"] = FORMAT
    file.attrs["format_version"] = FORMAT_VERSION if has_resets else WITHOUT_RESETS
    if has_resets:
        file.attrs["total_reset_work"] = data.total_reset_work
    for name, text in run.attributes().items():
        file.attrs[name] = text
    file.attrs["model_hash"] = equations_hash(run.model)
    file.attrs["model_definition"] = json.dumps(to_definition(run.model))
    file.attrs["options"] = json.dumps(data.options.as_dict())
    file.attrs["status_record"] = json.dumps(_plain(data.status))
    file.attrs["record"] = data.record
    file.attrs["modes_dropped"] = data.modes_dropped
    file.attrs["scales_start"] = json.dumps(data.scales_start.tolist())
    for name in _LISTS:
        file.attrs[name] = json.dumps(getattr(data, name).tolist())
    for name in (*_NUMBERS, *_MODES):
        number = getattr(data, name)
        file.attrs[name] = number if abs(number) < 2**63 else str(number)


def _check_format(file: Any, path: Path) -> None:
    found = file.attrs.get("format")
    if found != FORMAT:
        raise StorageError(f"{path} is a netCDF file, but not a run of Jounce (format {found!r}, expected {FORMAT!r})")
    check_version(file, path, FORMAT_VERSION, SEALED_SINCE)


def _read(file: Any) -> Trajectory:
    from jounce.model.definition import equations_hash, from_definition

    model = from_definition(read_json(file, "model_definition"))
    if equations_hash(model) != file.attrs["model_hash"]:
        raise StorageError("the stored model does not match its hash: the file was changed after it was written")
    arrays: dict[str, Any] = {
        name: read_array(file, name, np.int64 if name in _INTEGERS else np.float64) for name in {**_ARRAYS, **_SCHEDULE}
    }
    version = int(file.attrs["format_version"])
    if version > 2:
        arrays |= {name: read_array(file, name, np.float64) for name in _MEMORY}
    if version > 4:
        arrays |= {name: read_array(file, name, np.int64) for name in _ORDERS}
    if version > 5:
        arrays |= {name: read_array(file, name, np.float64) for name in _STATES}
    arrays |= {name: read_array(file, name, np.float64) for name in _SCALES if name in file.variables}
    arrays |= {name: join_words(arrays[name]) for name in _CODES if name in arrays and arrays[name].ndim == 2}
    if version == 1:
        arrays["step_work"] = np.pad(arrays["step_work"], ((0, 0), (0, 1)))
    times, vectors = arrays.pop("schedule_t"), arrays.pop("schedule_parameters")
    numbers: dict[str, Any] = {name: float(file.attrs[name]) for name in _NUMBERS}
    numbers["mode_final"] = int(file.attrs["mode_final"])
    if version > 4:
        numbers |= {name: int(file.attrs[name]) for name in _MODES}
        numbers["modes_dropped"] = str(file.attrs["modes_dropped"])
    if version > 5:
        numbers["total_reset_work"] = float(file.attrs["total_reset_work"])
    if "scales_start" in file.attrs:
        arrays["scales_start"] = np.array(read_json(file, "scales_start"), dtype=np.float64)
    arrays |= {name: np.array(read_json(file, name), dtype=np.int64) for name in _LISTS if name in file.attrs}
    if arrays["event_int"].shape[1:] == (len(INT_COLUMNS) - 1,):  # of files that name no faces
        arrays["event_int"] = np.pad(arrays["event_int"], ((0, 0), (0, 1)))
    data = RunData(
        system=None,
        status=_read_status(read_json(file, "status_record")),
        options=Options(**read_json(file, "options")),
        record=str(file.attrs["record"]),
        schedule=[(float(t), vector) for t, vector in zip(times, vectors, strict=True)],
        **numbers,
        **arrays,
    )
    _check_shapes(data, len(model.coordinates), len(model.parameters), len(model.contacts), len(model.states))
    if data.sides_final.shape not in ((0,), (len(model.guards),)):
        raise StorageError(f"the array sides_final has shape {data.sides_final.shape}: damaged file")
    return Trajectory(data, model)


def _check_shapes(data: RunData, n: int, parameters: int, contacts: int, states: int) -> None:
    steps, events = len(data.step_t), len(data.event_float)
    expected = {
        "parameters": (parameters,),
        "q_start": (n,),
        "u_start": (n,),
        "q_final": (n,),
        "u_final": (n,),
        "total_impact_loss": (contacts,),
        "scales_start": (len(data.scales_start) and 2 * n,),
        "contact_speed": (len(data.contact_speed) and contacts,),
        "chatter_speed": (len(data.chatter_speed) and contacts,),
        "step_h": (steps,),
        "step_mode": (steps,),
        "step_order": (len(data.step_order) and steps,),
        "step_work": (steps + 1, 4),
        "step_states": (len(data.step_states) and steps, states),
        "event_float": (events, 8),
        "event_int": (events, len(INT_COLUMNS)),
        "faces_start": (len(data.faces_start) and contacts,),
        "faces_final": (len(data.faces_final) and contacts,),
    }
    for name, shape in expected.items():
        if getattr(data, name).shape != shape:
            raise StorageError(
                f"the array {name} has shape {getattr(data, name).shape}, expected {shape}: damaged file"
            )


def _plain(value: Any) -> Any:
    """Options and status as JSON: dataclasses become dictionaries, enums their names."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        return value.item()
    return value


def _read_status(record: dict[str, Any]) -> Status:
    return Status(StatusCode[record["code"].upper()], str(record["message"]))
