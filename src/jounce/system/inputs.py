"""What people hand over: a model for a system, a dictionary for a state; and words for what is neither."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeAlias, TypeVar

from jounce.errors import OptionError, SimulationError, is_one_of, suggestion
from jounce.system.compilation import compile_model
from jounce.system.state import State
from jounce.system.system import System

if TYPE_CHECKING:
    from jounce.model.model import Model

#: What stands for a system and for a state, everywhere.
SystemLike: TypeAlias = "System | Model"
StateLike = State | Mapping[str, float | str]
P = ParamSpec("P")
R = TypeVar("R")


def beside_parameters(function: Callable[P, R]) -> Callable[P, R]:
    """A function of a system that takes the model's parameters by keyword, beside arguments of its own.

    A keyword that may be meant as either is refused: find_orbit(system, guess, period=2.0) of a model with a parameter
    ``period`` would leave the parameter as it is.
    """
    own = frozenset(
        name for name, each in inspect.signature(function).parameters.items() if each.kind is not each.VAR_KEYWORD
    )

    @wraps(function)
    def called(*args: P.args, **keywords: P.kwargs) -> R:
        for name in own.intersection(keywords):
            if any(name in _parameters_of(value) for value in (*args[:2], keywords.get("system"))):
                raise OptionError(
                    f"{function.__qualname__}: {name!r} is an argument of this function and a parameter of the model; "
                    "rename the parameter"
                )
        return function(*args, **keywords)

    return called


def _parameters_of(value: Any) -> Collection[str]:
    """The names of the parameters of a system or a model; none of anything else."""
    known = value.outline.parameters if isinstance(value, System) else getattr(value, "parameters", ())
    return known if isinstance(known, Mapping) else ()


def as_system(value: Any, what: str) -> System:
    """A system, or the one of a model; ``what`` names the function that needs it."""
    if isinstance(value, System):
        return value
    from jounce.model.model import Model  # SymPy, not where the system is compiled already

    if isinstance(value, Model):
        return compile_model(value)
    if callable(value) and getattr(value, "__module__", "").startswith("jounce.systems"):
        raise SimulationError(f"{what} needs a system or a model: call {value.__name__}() to make the model")
    raise SimulationError(
        f"{what} needs a system or a model, as jounce.compile_model(model) and jounce.systems.slender_rod() give; not "
        f"{type(value).__name__}"
    )


def as_state(system: System, value: Any, what: str, parameters: Mapping[str, float | str] | None = None) -> State:
    """A state of the system: as it is, from a dictionary name -> number, or (None) the default start.

    What a dictionary does not name has its default start; with joints it follows from what is named, at ``parameters``.
    """
    if value is None:
        value = {}
    if isinstance(value, Mapping):
        given: dict[Any, Any] = {getattr(name, "name", name): number for name, number in value.items()}
        valid = ("t", *system.coordinate_names, *system.velocity_names, *system.state_names)
        for name in given:
            if not is_one_of(name, valid):
                raise SimulationError(f"{what}: unknown name {name!r}; {suggestion(name, valid)}")
        state = system.state(**given)
        if system.nj and parameters:
            state = system.assemble_with(state, [name for name in given if name != "t"], parameters)
        return state
    if not isinstance(value, State):
        example = ", ".join(f"{name!r}: 1.0" for name in system.coordinate_names[:2])
        raise SimulationError(
            f"{what} must be a state, as system.state(...) gives, or a dictionary like {{{example}}}; not "
            f"{type(value).__name__}"
        )
    if value.names != system.coordinate_names:
        raise SimulationError(
            f"{what} has the coordinates {', '.join(value.names)}; {system.outline.name} has "
            f"{', '.join(system.coordinate_names)}"
        )
    return value
