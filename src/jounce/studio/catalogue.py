"""The systems a page can choose: the ready-made ones, and the one named when the studio was started."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jounce.errors import OptionError, suggestion
from jounce.model.symbols import is_integral
from jounce.studio.limits import SYSTEMS

if TYPE_CHECKING:
    from jounce import Model, System
    from jounce.plot.shapes import Drawing

PERIODS_SHOWN = 20  # of the forcing, in the first picture of a system
SECONDS_SHOWN = 10.0  # without forcing


@dataclass(frozen=True, eq=False)
class Entry:
    """A system ready to run, and its drawing as a function."""

    system: System
    drawing: Drawing

    @property
    def model(self) -> Model:
        """The model behind the system."""
        return self.system.model

    @property
    def variables(self) -> tuple[str, ...]:
        """Coordinates, then velocities."""
        return (*self.system.coordinate_names, *self.system.velocity_names)


class Catalogue:
    """Names -> compiled systems; the last few are kept."""

    def __init__(self, own: Model | None = None, source: str | None = None) -> None:
        """``own`` is a model of the user's, ``source`` where it came from, for the commands that repeat a picture."""
        self.own, self.source = own, source
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, Entry] = OrderedDict()

    def names(self) -> dict[str, str]:
        """Name -> one line about it; an own model first."""
        from jounce import systems

        listing = dict(systems.descriptions())
        if self.own is None:
            return listing
        return {self.own.name: self.own.description or f"from {self.source}"} | listing

    def entry(self, name: str) -> Entry:
        """The system of a name, compiled on first use."""
        with self._lock:  # two pages that ask for one system compile it once
            if name in self._entries:
                self._entries.move_to_end(name)
                return self._entries[name]
            entry = self._make(name)
            self._entries[name] = entry
            while len(self._entries) > SYSTEMS:
                self._entries.popitem(last=False)
            return entry

    def _make(self, name: str) -> Entry:
        import jounce
        from jounce.plot.shapes import Drawing

        if self.own is not None and name == self.own.name:
            model = self.own
        elif name in jounce.systems.SYSTEMS:
            model = jounce.systems.SYSTEMS[name]()
        else:
            hint = suggestion(name, list(self.names()), "systems")
            raise OptionError(f"the studio has no system {name!r}; {hint}. Start it with your own: jounce studio FILE")
        return Entry(jounce.compile_model(model), Drawing(model))


def describe(entry: Entry) -> dict[str, Any]:
    """A system for the page: its knobs with units, defaults and ranges, its shapes, its sections."""
    system, model = entry.system, entry.model
    start = system.state()
    units = {**model.coordinates, **model.velocity_units}
    state = zip(entry.variables, (*start.q.tolist(), *start.u.tolist()), strict=True)
    period = None if system.autonomous else system.period()
    period = period if period is not None and math.isfinite(period) and period > 0.0 else None
    return {
        "name": model.name,
        "description": model.description,
        "source": model.source,
        "parameters": [
            {"name": name, "unit": entry_.unit, "text": entry_.description, "value": entry_.default}
            | _range(entry_.default, entry_.description)
            for name, entry_ in model.parameters.items()
        ],
        "state": [
            {"name": name, "unit": units[name], "text": "", "value": value} | _state_range(value, units[name])
            for name, value in state
            if not is_integral(name)
        ],
        "coordinates": [name for name in system.coordinate_names if not is_integral(name)],
        "contacts": list(system.contact_names),
        "joints": system.nj,
        "friction": [bool(value) for value in system.has_friction],
        "t_end": _round(PERIODS_SHOWN * period) if period else SECONDS_SHOWN,
        "period": period,
        "shapes": shapes(entry),
        "sections": (["phase:0"] if period else [])
        + [f"impact:{name}" for name in system.contact_names]
        + [f"plane:{name}=0:-1" for name in system.velocity_names],
    }


def shapes(entry: Entry) -> list[dict[str, Any]]:
    """What the page must know of every shape to draw it from its numbers."""
    listed = []
    for shape, width in zip(entry.model.drawing, entry.drawing.widths, strict=True):
        attributes = {key: getattr(shape, key) for key in ("body", "contact", "fixed", "filled") if hasattr(shape, key)}
        turns = getattr(shape, "angle", None) is not None
        listed.append({"kind": type(shape).__name__, "width": width, "turns": turns, **attributes})
    return listed


def _range(value: float, text: str) -> dict[str, float]:
    """Where a slider starts and ends: a guess by size, which an exact entry may leave."""
    if "restitution" in text or "friction" in text:
        return {"low": 0.0, "high": max(1.0, _round(2.0 * abs(value)))}
    if value == 0.0:
        return {"low": -1.0, "high": 1.0}
    bounds = sorted((_round(value / 10.0), _round(3.0 * value)))
    return {"low": bounds[0], "high": bounds[1]}


def _state_range(value: float, unit: str) -> dict[str, float]:
    if unit == "rad":
        return {"low": min(-3.2, value), "high": max(3.2, value)}
    reach = _round(max(1.0, 2.0 * abs(value)))
    return {"low": -reach, "high": reach}


def _round(value: float) -> float:
    """Two leading digits."""
    return float(f"{value:.2g}")
