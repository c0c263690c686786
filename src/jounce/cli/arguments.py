"""Reading what people type: numbers by name, schedules, systems."""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
import traceback
from math import isfinite
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from jounce.errors import JounceError, ModelError, OptionError, suggestion
from jounce.units import in_seconds, in_unit, is_quantity

if TYPE_CHECKING:
    from jounce.model.model import Model
    from jounce.system.system import System


SYSTEM_HELP = "a name from `jounce systems`, path/to/model.toml, or path/to/model.py:function"


def add_motion(parser: argparse.ArgumentParser) -> None:
    """The options that say which motion is meant: of which system, with which parameters, from where."""
    parser.add_argument("system", metavar="SYSTEM", help=SYSTEM_HELP)
    parser.add_argument(
        "--set",
        metavar="NAME=NUMBER,...",
        help="parameters, like omega=4.405,mu=0.05, with units if need be: g=981cm/s^2; or @p.toml",
    )
    parser.add_argument("--start", metavar="NAME=NUMBER,...", help="start state, like y=6,theta=30deg,d_theta=-1")
    parser.add_argument("--t-start", type=seconds, default=0.0, metavar="T", help="time of the start (default 0)")


def add_laws(group: argparse._ArgumentGroup) -> None:
    """The options of the laws and tolerances behind every long computation."""
    group.add_argument("--tolerance", type=float, metavar="TOL", help="error tolerance of a step")
    group.add_argument("--law", metavar="NAME", help="impact law, like energetic, poisson or newton")
    group.add_argument("--simultaneous", choices=("sequential", "joint"), help="how simultaneous impacts are treated")


def quantity(text: str) -> float | str:
    """A number, or a number with a unit as it is, whose meaning the model knows; for argparse."""
    try:
        return _number(text, "it")
    except OptionError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def seconds(text: str) -> float:
    """A time: a number of seconds, or a text with a unit, such as 2min; for argparse."""
    try:
        return float(in_seconds(quantity(text), "it", OptionError))
    except OptionError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def in_units_of(arguments: argparse.Namespace, model: Model) -> None:
    """--from, --to and --step as numbers in the unit that the model declares for --parameter."""
    name = arguments.parameter
    if name not in model.parameters:
        hint = suggestion(name, model.parameters, "parameters")
        raise OptionError(f"--parameter {name!r}: {model.name} has no such parameter; {hint}")
    unit = model.parameters[name].unit
    arguments.low = in_unit(arguments.low, unit, "--from", OptionError)
    arguments.high = in_unit(arguments.high, unit, "--to", OptionError)
    arguments.step = in_unit(arguments.step, unit, "--step", OptionError)


def parse_numbers(text: str | None, option: str) -> dict[str, Any]:
    """``"y=6,theta=30deg"`` -> {"y": 6.0, "theta": "30deg"}; ``"@p.toml"`` stands for the numbers in that file."""
    numbers: dict[str, Any] = {}
    for item in filter(None, (part.strip() for part in (text or "").split(","))):
        if item.startswith("@"):
            found = _numbers_of_file(item[1:], option)
        else:
            name, equals, value = (part.strip() for part in item.partition("="))
            if not equals or not name.isidentifier():
                raise OptionError(
                    f"{option} takes name=number pairs separated by commas, like y=6,theta=0.3, or @FILE.toml; "
                    f"got {item!r}"
                )
            found = {name: _number(value, f"{option} {name}")}
        for name, number in found.items():
            if name in numbers:
                raise OptionError(f"{option} gives {name} twice")
            numbers[name] = number
    return numbers


def _numbers_of_file(path: str, option: str) -> dict[str, float | str]:
    """The numbers of a TOML file of lines name = number, or name = "number unit"."""
    from jounce.model.files.source import Source

    data = Source(path).data
    for name, value in data.items():
        if isinstance(value, bool) or not (isinstance(value, int | float) or is_quantity(value)):
            raise OptionError(f"{option} @{path}: {name} must be a number, or a text of a number and a unit")
    return {name: _number(str(value), f"{option} @{path}: {name}") for name, value in data.items()}


def parse_schedule(items: list[str]) -> list[tuple[float, dict[str, Any]]]:
    """``["t=3:mu=0.9,e=0.5"]`` -> [(3.0, {"mu": 0.9, "e": 0.5})], in order of time."""
    schedule = []
    for item in items:
        when, colon, changes = item.partition(":")
        name, equals, value = (part.strip() for part in when.partition("="))
        if not colon or name != "t" or not equals:
            raise OptionError(f"--schedule takes a time and the parameters from then on, like t=3:mu=0.9; got {item!r}")
        numbers = parse_numbers(changes, "--schedule")
        if not numbers:
            raise OptionError(f"--schedule {item!r} changes nothing; write the new values after the colon, t=3:mu=0.9")
        moment = in_seconds(_number(value, "--schedule t"), "--schedule t", OptionError)
        schedule.append((moment, numbers))
    return sorted(schedule, key=lambda entry: entry[0])


def parse_actions(items: list[str]) -> dict[str, dict[str, str]] | None:
    """``["impact:foot:F=150,mu=mu/2"]`` -> {"impact:foot": {"F": "150", "mu": "mu/2"}}."""
    actions: dict[str, dict[str, str]] = {}
    for item in items:
        event, _, changes = (part.strip() for part in item.rpartition(":"))
        for change in re.split(r",(?![^(]*\))", changes):  # commas between changes, not those of Max(a, b)
            name, equals, value = (part.strip() for part in change.partition("="))
            if not (event and equals and name.isidentifier() and value):
                raise OptionError(f"--on takes an event and what it sets, like impact:foot:F=150; got {item!r}")
            actions.setdefault(event, {})[name] = value
    return actions or None


def _number(text: str, where: str) -> float | str:
    """A finite number, or the text of one with a unit."""
    if is_quantity(text):
        return text
    try:
        value = float(text)
    except ValueError:
        raise OptionError(f"{where} must be a number, with a unit or without, not {text!r}") from None
    if not isfinite(value):
        raise OptionError(f"{where} must be a finite number, not {text!r}")
    return value


def find_model(name: str) -> Model:
    """A ready-made system by name, ``path/to/model.toml``, or ``path/to/model.py:function``."""
    if name.endswith(".toml"):
        from jounce.model.model import Model

        return Model.from_file(name)
    path, colon, function = name.rpartition(":")
    if colon and path.endswith(".py"):
        return _own_model(Path(path), function)
    if name.endswith(".py"):
        raise ModelError(f"{name} is a file; say which function in it makes the model, like {name}:rod")
    from jounce import systems

    names = list(systems.descriptions())
    if name not in names:
        raise ModelError(
            f"no system named {name!r}; {suggestion(name, names, 'systems')}. An own model is path/to/model.toml or "
            "path/to/model.py:function"
        )
    model: Model = getattr(systems, name)()
    return model


def find_system(name: str) -> System:
    """What ``find_model`` finds, compiled; a ready-made system that is in the cache without making its model."""
    from jounce.system.compilation import compile_model  # the help text of a command needs no engine
    from jounce.system.stored import ready_made

    return ready_made(name, lambda: find_model(name)) if name.isidentifier() else compile_model(find_model(name))


def _own_model(path: Path, function: str) -> Model:
    from jounce.model import Model

    module = _import_file(path)
    found = getattr(module, function, None)
    if found is None:
        callables = [key for key, value in vars(module).items() if callable(value) and _defined_in(value, module)]
        raise ModelError(f"{path} has no {function!r}; {suggestion(function, callables, 'functions')}")
    try:
        model = found() if callable(found) and not isinstance(found, Model) else found
    except JounceError as error:
        raise type(error)(f"{_place(path, error)}: {error}") from error
    except Exception as error:
        raise ModelError(f"{_place(path, error)}: {function} failed with {type(error).__name__}: {error}") from error
    if not isinstance(model, Model):
        raise ModelError(f"{path}:{function} must give a jounce.Model, not {type(model).__name__}")
    return model


def _place(path: Path, error: BaseException) -> str:
    """path:line of the innermost line of a user's file that led to an error; of a mistake in its syntax, its own."""
    if isinstance(error, SyntaxError) and error.filename and Path(error.filename).resolve() == path.resolve():
        return f"{path}:{error.lineno}"
    calls = traceback.extract_tb(error.__traceback__)
    lines = [call.lineno for call in calls if Path(call.filename).resolve() == path.resolve()]
    return f"{path}:{lines[-1]}" if lines else str(path)


def _import_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise ModelError(f"no file {path}; an own model is path/to/model.py:function")
    spec = importlib.util.spec_from_file_location(f"jounce_own_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ModelError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.resolve().parent))  # the file may import its neighbours
    try:
        spec.loader.exec_module(module)
    except JounceError as error:
        raise type(error)(f"{_place(path, error)}: {error}") from error
    except Exception as error:
        raise ModelError(f"{_place(path, error)}: could not be imported: {type(error).__name__}: {error}") from error
    finally:
        sys.path.pop(0)
    return module


def _defined_in(value: object, module: ModuleType) -> bool:
    return getattr(value, "__module__", None) == module.__name__
