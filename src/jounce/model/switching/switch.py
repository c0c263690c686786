"""A switch as its user writes it, and the names and states that it has in a model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp

from jounce.errors import ModelError
from jounce.model.expressions import as_expression, expressions_in
from jounce.model.names import Parameter
from jounce.model.resets import Reset
from jounce.model.vocabulary import check_identifier

#: Values of the state of a switch beside 1 and -1; the last within an instant at which several surfaces vanish.
SLIDING, UNKNOWN, MEETS = 0, 2, 3
AT_CONTACT = "switches_at_"  # name of the reset behind impacts of a contact that moves surfaces; its name follows


class Switch(sp.Symbol):
    """The sign of an expression as a symbol for forces and rates: ``relay = Switch("relay", x + dx)``.

    >>> x, dx = jounce.coordinate("x", "m")
    >>> side = jounce.Switch("side", x + dx)
    >>> relay = jounce.Model("relay", [x], [1], [-side], start={x: 1.0})
    >>> jounce.simulate(relay, None, t_end=5.0).status.name
    'FINISHED'
    """

    surface: Any

    def __new__(cls, name: str, surface: Any = 0, **assumptions: Any) -> Switch:
        """A symbol beside SymPy's own cache."""
        check_identifier(name, "switch")
        symbol: Switch = sp.Symbol.__xnew__(cls, name, real=True)
        symbol.surface = as_expression(surface, f"switch {name!r}")
        return symbol

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        return Switch, (self.name, self.surface)

    def _hashable_content(self) -> tuple[Any, ...]:
        return (*super()._hashable_content(), self.surface)


def found_switches(given: Any, contents: Iterable[Any]) -> dict[str, sp.Expr]:
    """Name -> surface of the switches that are listed and of those met in expressions."""
    if not isinstance(given, Mapping):
        raise ModelError(f"switches: expected a dictionary name -> surface, not {given!r}")
    found = {str(name): as_expression(surface, f"switch {name!r}") for name, surface in given.items()}
    for item in contents:
        for expression in expressions_in(item):
            for symbol in sorted(expression.atoms(Switch), key=lambda symbol: symbol.name):
                if found.setdefault(symbol.name, symbol.surface) != symbol.surface:
                    raise ModelError(f"switch {symbol.name!r} has two surfaces; give them two names")
    return found


def switch_states(names: Iterable[str]) -> dict[str, Parameter]:
    """The discrete state of each switch."""
    words = "side of its surface, 0 while it slides, 2 before a run"
    return {name: Parameter(name, float(UNKNOWN), "", words) for name in names}


def switch_surfaces(guards: Any) -> dict[str, sp.Expr]:
    """Name -> surface of the switches among the guards of a settled model."""
    given = guards.items() if isinstance(guards, Mapping) else ()
    return {
        name.removesuffix("_switches"): guard.args[-1].expr
        for name, guard in given
        if isinstance(name, str) and name.endswith("_switches") and isinstance(guard, sp.Piecewise)
    }


def surface_guard(reset: Reset) -> str:
    """The name of the guard that is the surface of a switch, if this reset of a settled model starts one; else ""."""
    name = next(iter(reset.map), "")
    return f"{name}_switches" if reset.name == f"{name}_starts" else ""
