"""The errors of Jounce: each message says what was wrong, where, which values are valid and what to try."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import fields
from functools import wraps
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)


class JounceError(Exception):
    """The base of every error that Jounce raises on purpose.

    >>> try:
    ...     jounce.load("no such file")
    ... except jounce.JounceError as error:
    ...     print(type(error).__name__)
    StorageError
    """


class ModelError(JounceError):
    """A model that makes no sense: found when the model is made, before anything is compiled.

    >>> y, dy = jounce.coordinate("y", "m")
    >>> try:
    ...     jounce.Model("broken", [y], [1], [0], contacts=[jounce.Contact("floor", gap=dy)])
    ... except jounce.ModelError as error:
    ...     print(str(error)[:47])
    contact 'floor': gap depends on the velocity 'd
    """


class SimulationError(JounceError):
    """A start state, a parameter value or a run that cannot be simulated.

    >>> try:
    ...     jounce.simulate(jounce.systems.bouncing_ball(), {"z": 1.0}, t_end=1.0)
    ... except jounce.SimulationError as error:
    ...     print(str(error)[:60])
    start: unknown name 'z'; valid names: t, y, d_y
    """


class OptionError(JounceError):
    """An option with a value it cannot have.

    >>> try:
    ...     jounce.Options(law="neuton")
    ... except jounce.OptionError as error:
    ...     print(str(error)[:60])
    unknown law of impact 'neuton': did you mean 'newton'? Valid
    """


class StorageError(JounceError):
    """A file that cannot be written, or that is not a result of Jounce.

    >>> try:
    ...     jounce.load("no such file")
    ... except jounce.StorageError as error:
    ...     print(type(error).__name__)
    StorageError
    """


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a long piece of work; ``partial`` is what there was by then, whole in itself: a run, a branch.

    It is a KeyboardInterrupt: a loop over runs ends with it, like everything else that Ctrl-C ends.

    >>> try:
    ...     raise jounce.Interrupted("stopped by Ctrl-C", partial=None)
    ... except KeyboardInterrupt as stop:
    ...     print(stop)
    stopped by Ctrl-C
    """

    def __init__(self, message: str, partial: object = None) -> None:
        super().__init__(message)
        self.partial = partial


def is_one_of(name: Any, valid: Iterable[str]) -> bool:
    """Whether something is one of these names; what is no text is none of them, whatever ``==`` makes of it."""
    return isinstance(name, str) and name in tuple(valid)


def suggestion(name: Any, valid: Iterable[str], noun: str = "names") -> str:
    """The tail of an "unknown name" message: the closest valid name, then all of them."""
    from difflib import get_close_matches

    valid, name = list(valid), name[:100] if isinstance(name, str) else ""
    if not valid:
        return f"there are no {noun} to choose from"
    close = get_close_matches(name, valid, n=1, cutoff=0.6)
    listing = f"valid {noun}: {', '.join(valid)}"
    return f"did you mean {close[0]!r}? {listing[0].upper()}{listing[1:]}" if close else listing


def named_arguments(error: type[JounceError]) -> Callable[[Class], Class]:
    """For a dataclass that people make: an argument that it does not have is an error with the closest one it has."""

    def decorate(made: Class) -> Class:
        create = made.__init__  # type: ignore[misc]
        names = [entry.name for entry in fields(made) if entry.init]

        @wraps(create)
        def checked(self: Any, *positional: Any, **given: Any) -> None:
            for name in given:
                if name not in names:
                    hint = suggestion(name, names, "arguments")
                    raise error(f"{made.__name__} has no argument {name!r}; {hint}")
            create(self, *positional, **given)

        made.__init__ = checked  # type: ignore[misc]
        return made

    return decorate
