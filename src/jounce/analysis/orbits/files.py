"""Orbits, equilibria and branches on disk: one netCDF file each, versioned, written whole or not at all.

Numbers are netCDF variables, one row a solution; what is text (model, options, signatures, explanations) is JSON in
attributes. The model is stored as data, as in ``jounce.storage``: reading a file runs nothing that is in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from jounce import __version__
from jounce.analysis.orbits.continuation.branch import Branch, BranchPoint, SpecialPoint
from jounce.analysis.orbits.equilibria.equilibrium import Equilibrium, equilibrium_at
from jounce.analysis.orbits.equilibria.statics import memory_at_rest, places_of
from jounce.analysis.orbits.solution.multipliers import Multipliers
from jounce.analysis.orbits.solution.periodic_orbit import PeriodicOrbit
from jounce.analysis.orbits.solution.signature import Signature, Step
from jounce.errors import StorageError
from jounce.netcdf import check_version, opened, read_array, read_json, write_array, write_file
from jounce.simulation.options import Options
from jounce.system.compilation import compile_model
from jounce.system.state import State
from jounce.system.system import System

FORMAT_VERSION = 3  # 2: the nodes of an orbit that was followed from node to node; 3: a checksum of the whole file
SEALED_SINCE = 3
_PREFIX = "jounce-orbits-"


def save_orbit(orbit: PeriodicOrbit, path: str | PathLike[str]) -> None:
    """Write one orbit."""
    _save(path, "orbit", orbit.system, {"solution": [orbit]}, {})


def save_equilibrium(equilibrium: Equilibrium, path: str | PathLike[str]) -> None:
    """Write one equilibrium."""
    _save(path, "equilibrium", equilibrium.system, {"solution": [equilibrium]}, {})


def save_branch(branch: Branch, path: str | PathLike[str]) -> None:
    """Write a branch with its special points."""
    groups = {"point": [p.solution for p in branch.points], "special": [s.solution for s in branch.specials]}
    extra = {
        "parameter": branch.parameter,
        "bounds": list(branch.bounds),
        "branch_kind": branch.kind,
        "ends": list(branch.ends),
        "settings": branch.settings,
        "specials": [_special_record(special) for special in branch.specials],
    }
    width = branch.points[0].section.size if branch.points else 2 * branch.system.n
    arrays = {
        name: np.array([getattr(point, name) for point in branch.points]).reshape(len(branch.points), width)
        for name in ("section", "low", "high")
    }
    _save(path, "branch", branch.system, groups, extra, arrays)


def _special_record(special: SpecialPoint) -> dict[str, Any]:
    return {
        "kind": special.kind,
        "parameter": special.parameter,
        "uncertainty": special.uncertainty,
        "explanation": special.explanation,
        "index": special.index,
        "direction": None if special.direction is None else special.direction.tolist(),
        "after": None if special.after is None else [list(step) for step in special.after],
    }


def _save(
    path: str | PathLike[str],
    kind: str,
    system: System,
    groups: Mapping[str, Sequence[Any]],
    extra: dict[str, Any],
    arrays: dict[str, np.ndarray] | None = None,
) -> None:
    from jounce.model.definition import equations_hash, to_definition

    def fill(file: Any) -> None:
        file.attrs["format"], file.attrs["format_version"] = _PREFIX + kind, FORMAT_VERSION
        file.attrs["version"], file.attrs["model"] = __version__, system.model.name
        file.attrs["model_definition"] = json.dumps(to_definition(system.model))
        file.attrs["model_hash"] = equations_hash(system.model)
        file.attrs["extra"] = json.dumps(extra)
        for group, solutions in groups.items():
            _write_solutions(file, group, solutions)
        for name, values in (arrays or {}).items():
            write_array(file, name, ("point", "variable"), np.ascontiguousarray(values))

    write_file(path, fill)


def _write_solutions(file: Any, group: str, solutions: Sequence[Any]) -> None:
    """States, parameters and spectra of solutions of one kind, one row each."""
    rows = len(solutions)
    if rows == 0:
        file.attrs[f"{group}_texts"] = "[]"
        return
    columns: dict[str, tuple[tuple[str, ...], list[Any]]] = {
        "t": ((), [s.state.t for s in solutions]),
        "z": (("state",), [np.concatenate([s.state.q, s.state.u]) for s in solutions]),
        "p": (("parameter",), [list(s.parameters.values()) for s in solutions]),
    }
    if isinstance(solutions[0], PeriodicOrbit):
        columns |= {
            "period": ((), [s.period for s in solutions]),
            "closure": ((), [s.closure for s in solutions]),
            "monodromy": (("variable", "column"), [s.monodromy for s in solutions]),
            "multiplier_real": (("multiplier",), [s.multipliers.real for s in solutions]),
            "multiplier_imaginary": (("multiplier",), [s.multipliers.imag for s in solutions]),
            "trivial": (("multiplier",), [s.trivial.astype(float) for s in solutions]),
        }
    for name, (dimensions, values) in columns.items():
        shaped = np.array(values, dtype=np.float64).reshape(rows, *(np.shape(values[0])))
        write_array(file, f"{group}_{name}", (group, *dimensions), shaped)
    file.attrs[f"{group}_texts"] = json.dumps([_texts(solution) for solution in solutions])


def _texts(solution: Any) -> dict[str, Any]:
    if isinstance(solution, Equilibrium):
        return {"modes": list(solution.modes), "memory": solution.state.memory.tolist()}
    return {
        "options": solution.options.as_dict(),
        "signature": [list(step) for step in solution.signature],
        "drift": solution.drift,
        "forcing_periods": solution.forcing_periods,
        "shots": [[shot.t, *shot.q, *shot.u] for shot in solution.shots],
        "memories": [list(state.memory) for state in (solution.state, *solution.shots) if state.memory.size],
        "hold": list(solution.hold),
        "closes": solution.closes,
        "irregular": solution.irregular,
        "remembered": list(solution.remembered),
    }


# ------------------------------------------------------------------------------------------------ reading


def read_orbits(file: Any, path: Path) -> PeriodicOrbit | Equilibrium | Branch:
    """What an open file holds."""
    from jounce.model.definition import equations_hash, from_definition

    check_version(file, path, FORMAT_VERSION, SEALED_SINCE)
    model = from_definition(read_json(file, "model_definition"))
    if equations_hash(model) != file.attrs["model_hash"]:
        raise StorageError("the stored model does not match its hash: the file was changed after it was written")
    system = compile_model(model)
    kind = str(file.attrs["format"]).removeprefix(_PREFIX)
    if kind == "branch":
        return _read_branch(file, system)
    if kind not in ("orbit", "equilibrium"):
        raise StorageError(f"{path} holds a {kind!r}, which this Jounce does not know; upgrade it")
    solution: PeriodicOrbit | Equilibrium = _read_solutions(file, "solution", system)[0]
    return solution


def _read_branch(file: Any, system: System) -> Branch:
    extra = read_json(file, "extra")
    solutions, specials = _read_solutions(file, "point", system), _read_solutions(file, "special", system)
    arrays = [read_array(file, name) for name in ("section", "low", "high")]
    points = [BranchPoint(solution, *rows) for solution, *rows in zip(solutions, *arrays, strict=True)]
    records = []
    for solution, record in zip(specials, extra["specials"], strict=True):
        after, direction = record.pop("after"), record.pop("direction", None)
        record["direction"] = None if direction is None else np.array(direction, dtype=np.float64)
        records.append(SpecialPoint(solution=solution, after=None if after is None else _signature(after), **record))
    return Branch(
        extra["parameter"],
        (extra["bounds"][0], extra["bounds"][1]),
        extra["branch_kind"],
        points,
        records,
        (extra["ends"][0], extra["ends"][1]),
        extra["settings"],
    )


def _read_solutions(file: Any, group: str, system: System) -> list[Any]:
    texts = read_json(file, f"{group}_texts")
    if not texts:
        return []
    names: tuple[str, ...] = ("t", "z", "p")
    if "modes" not in texts[0]:
        names += ("period", "closure", "monodromy", "multiplier_real", "multiplier_imaginary", "trivial")
    columns = {name: read_array(file, f"{group}_{name}") for name in names}
    return [_solution(system, text, {name: columns[name][k] for name in names}) for k, text in enumerate(texts)]


def _solution(system: System, text: dict[str, Any], row: dict[str, Any]) -> PeriodicOrbit | Equilibrium:
    n = system.n
    parameters = dict(zip(system.parameter_names, row["p"].tolist(), strict=True))
    if "modes" in text:
        rest, modes = State(0.0, row["z"][:n], row["z"][n:], system.coordinate_names), tuple(text["modes"])
        memory = np.array(text["memory"]) if "memory" in text else memory_at_rest(system, modes, rest)
        return equilibrium_at(system, modes, np.concatenate([row["p"], memory]), places_of(system, rest))
    values = row["multiplier_real"] + 1j * row["multiplier_imaginary"]
    shots = text.get("shots", [])
    memories = text.get("memories", []) or [[]] * (1 + len(shots))
    states = system.state_names if memories[0] else ()

    def state(t: float, z: Any, memory: list[float]) -> State:
        return State(t, z[:n], z[n:], system.coordinate_names, memory, states=states)

    return PeriodicOrbit(
        system=system,
        parameters=parameters,
        state=state(float(row["t"]), row["z"], memories[0]),
        period=float(row["period"]),
        forcing_periods=int(text["forcing_periods"]),
        monodromy=row["monodromy"],
        signature=_signature(text["signature"]),
        closure=float(row["closure"]),
        options=Options(**text["options"]),
        drift=text["drift"],
        spectrum=Multipliers(values, row["trivial"] > 0.5),
        shots=tuple(state(t, z, memory) for (t, *z), memory in zip(shots, memories[1:], strict=True)),
        hold=tuple(text["hold"]),
        irregular=int(text["irregular"]),
        closes=dict(text.get("closes", {})),
        remembered=tuple(text.get("remembered", ())),
    )


def _signature(steps: list[list[Any]]) -> Signature:
    return tuple(Step(*step) for step in steps)


def resumed_branch(path: str | PathLike[str], wanted: Branch, orbit: PeriodicOrbit) -> Branch:
    """The branch to go on with: the one in the file, if it is the beginning of the one wanted."""
    target = Path(path)
    if not target.exists():
        return wanted
    try:
        with opened(target) as file:
            found = read_orbits(file, target)
    except StorageError as error:
        raise StorageError(f"the checkpoint cannot be read: {error}. Move it away to begin anew") from None
    if not isinstance(found, Branch):
        raise StorageError(f"{target} holds no branch; give another checkpoint, or move that file away")
    same = (found.parameter, found.bounds, found.kind) == (wanted.parameter, wanted.bounds, wanted.kind)
    same = same and all(found.settings.get(key) == wanted.settings[key] for key in ("step", "direction", "max_points"))
    same = same and found.system.key == orbit.system.key and bool(found.points)
    others = {name: value for name, value in orbit.parameters.items() if name != wanted.parameter}
    if not same or any(found.points[0].solution.parameters[name] != value for name, value in others.items()):
        raise StorageError(f"{target} holds another branch; give another checkpoint, or move that file away")
    return found
