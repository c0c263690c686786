"""What a picture is drawn from: refused by name where it is something else."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from jounce.errors import OptionError

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")

#: Kind of result -> what gives it.
SOURCES = {
    "Trajectory": "jounce.simulate",
    "Branch": "jounce.continue_orbit",
    "PeriodicOrbit": "jounce.find_orbit",
    "Diagram": "jounce.sweep",
    "Basins": "jounce.basins",
    "LyapunovSpectrum": "jounce.lyapunov",
    "ImpactOutcome": "jounce.impact",
    "DataFrame": "jounce.compare_laws",
    "ModeMap": "jounce.painleve.mode_map",
    "MinimalFriction": "jounce.painleve.minimal_critical_friction",
}


def check_kind(picture: str, value: Any, kind: str) -> None:
    """Refuse what is no result of this kind; known by the name of its class, so that nothing is imported."""
    if not any(base.__name__ == kind for base in type(value).__mro__):
        raise OptionError(f"{picture} draws what {SOURCES[kind]} gives, not {type(value).__name__}")


def drawn_from(kind: str) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """For a function whose first argument is a result of one kind."""

    def decorate(draw: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @wraps(draw)
        def checked(*positional: Parameters.args, **named: Parameters.kwargs) -> Result:
            given = positional[0] if positional else next(iter(named.values()), None)
            check_kind(draw.__name__, given, kind)
            return draw(*positional, **named)

        return checked

    return decorate
