"""Compiled models on disk: made once for each set of equations, whole or not at all."""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import sympy as sp
from llvmlite import binding as llvm
from llvmlite import ir

from jounce.codegen.held_sides import Sides
from jounce.codegen.instructions import STATE_ARGUMENTS, translate
from jounce.codegen.kept import LOADING, ModelCode, kept_path, linked, translation_path
from jounce.codegen.module_text import ModuleWriter, generate_module
from jounce.codegen.printer import curve_lines
from jounce.codegen.profile_search import ProfileSearch
from jounce.codegen.ranges import Output, Ranges, range_function
from jounce.codegen.tangents import generate_tangents
from jounce.model import definition
from jounce.model.curves import POINTS, Points
from jounce.model.definition import equations_hash
from jounce.model.model import Model
from jounce.model.profiles import PROFILE
from jounce.model.trees import to_tree
from jounce.toolchain import build, emission, machine_code


@cache
def generator_version() -> str:
    """A hash of everything but the model that shapes the generated code: what builds models and what writes them."""
    digest = hashlib.sha256()
    rooms = (Path(__file__).parent, Path(definition.__file__).parent)
    for file in sorted([*(file for room in rooms for file in room.glob("*.py")), Path(emission.__file__)]):
        digest.update(file.read_bytes())
    return digest.hexdigest()


def model_key(model: Model) -> str:
    """The hash under which the model's code is kept: of the equations, and of the period, which is a function too."""
    period = "" if model.period is None else json.dumps(to_tree(model.period))
    return equations_hash(model, generator_version(), period)


def load_model(model: Model, key: str) -> ModelCode:
    """The functions of a model, from disk where possible."""
    return _load(f"{model.name}_{key}", lambda: generate_module(model))


def load_tangents(model: Model, key: str) -> ModelCode:
    """The directional derivatives of a model's functions, from disk where possible."""
    return _load(f"{model.name}_{key}_tangents", lambda: generate_tangents(model))


def load_ranges(
    model: Model, outputs: Mapping[Output, sp.Expr], held: tuple[Sequence[sp.Symbol], Sides]
) -> tuple[ModelCode, Ranges] | None:
    """The ranges of some outputs of a machine that runs from tables, and its sides; None where they are not known."""
    writer = ModuleWriter(model, held)
    ranges = range_function(writer, outputs)
    if ranges is None:
        return None
    text = "\n\n\n".join([*curve_lines(writer.printer), ranges.text])
    key = hashlib.sha256(f"{generator_version()} {text}".encode()).hexdigest()
    return _load(f"{model.name}_{key}_ranges", lambda: text), ranges


def _load(name: str, generate: Callable[[], str]) -> ModelCode:
    """One thread at a time: none translates what another has under way."""
    with LOADING:
        path = kept_path(name)
        return linked(name, machine_code.read(path) or _made(path, name, generate))


def _made(path: Path, name: str, generate: Callable[[], str]) -> emission.Code:
    module, code = compiled(generate(), f"{name}.")
    build.keep({translation_path(name): module, path: code})
    return code


def compiled(text: str, prefix: str) -> tuple[emission.Code, emission.Code]:
    """Generated functions in machine code, their symbols being their names behind the prefix.

    Before it stands their intermediate code, which a loop of the system's own is made of (simulation/specialise.py).
    """
    statements = ast.parse(text).body
    functions = [statement for statement in statements if isinstance(statement, ast.FunctionDef)]
    constants = {
        statement.targets[0].id: ast.literal_eval(statement.value)
        for statement in statements
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)
    }
    curves = {name: Points(*constants.pop(name)) for name in list(constants) if name.startswith(POINTS)}
    module = ir.Module()
    module.triple = emission.target().triple
    closed = {name: constants.pop(name) for name in list(constants) if name.startswith(PROFILE)}
    profiles = {name: ProfileSearch(module, name, content, curves) for name, content in closed.items()}
    symbols = translate(functions, module, prefix, curves, profiles)
    parsed = llvm.parse_assembly(str(module))
    parsed.verify()
    translation = machine_code.translation(parsed)
    batch = [len(function.args.args) != len(STATE_ARGUMENTS) for function in functions]
    return translation, emission.emitted(parsed, symbols, constants=constants, batch=batch)
