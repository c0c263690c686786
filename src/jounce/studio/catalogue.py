"""The systems a page can choose: the ready-made ones, the one named when the studio was started, those of sessions.

A session brings a model of one's own as the text of a model file (docs/model-files.md): data and expressions, which are
read by their grammar and never executed.
"""

from __future__ import annotations

import hashlib
import math
import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

import jounce
from jounce import Model
from jounce.errors import JounceError, OptionError, suggestion
from jounce.model.names import EVENT_KINDS, is_integral, switch_names
from jounce.model.resets import OF_COMPLIANT
from jounce.studio import limits
from jounce.studio.preparation import Preparation

if TYPE_CHECKING:
    from jounce import Model, System
    from jounce.plot.shapes import Drawing

PERIODS_SHOWN = 20  # of the forcing, in the first picture of a system
SECONDS_SHOWN = 10.0  # without forcing


@dataclass(frozen=True, eq=False)
class Entry:
    """A system ready to run, and its drawing as a function.

    name   under which the page asks for it
    text   of a model of one's own: what a session holds of it; None for a ready-made one
    """

    system: System
    drawing: Drawing
    name: str
    text: str | None = None

    @property
    def model(self) -> Model:
        """The model behind the system."""
        return self.system.model

    @property
    def variables(self) -> tuple[str, ...]:
        """Coordinates, then velocities: what a plane of starts can have as its axes."""
        return (*self.system.coordinate_names, *self.system.velocity_names)

    @property
    def start_names(self) -> tuple[str, ...]:
        """What a start may give: coordinates, velocities and discrete states."""
        return (*self.variables, *self.system.state_names)

    @property
    def frictional(self) -> tuple[str, ...]:
        """The contacts with friction: those that have a Painlevé map."""
        pairs = zip(self.system.contact_names, self.system.has_friction, strict=True)
        return tuple(name for name, slips in pairs if slips)


class Catalogue:
    """Names -> compiled systems; the last few are kept."""

    def __init__(self, own: Model | None = None, source: str | None = None) -> None:
        """``own`` is a model of the user's, ``source`` the file it came from, for the scripts that repeat a picture."""
        self.own, self.source = own, source
        self._lock = threading.Lock()
        self._entries: OrderedDict[str, Entry] = OrderedDict()
        self._adopted: OrderedDict[str, tuple[str, Model]] = OrderedDict()  # name -> text of a session, its model
        self._digests: dict[str, str] = {}  # name -> of the text that has it
        self._rehearsed: set[tuple[str, str]] = set()  # requests whose code is loaded, with the system's name
        self.preparation = Preparation()

    def names(self) -> dict[str, str]:
        """Name -> one line about it; an own model first."""
        from jounce import systems

        listing = dict(systems.descriptions())
        if self.own is None:
            return listing
        return {self.own.name: self.own.description or f"from {self.source}"} | listing

    @cached_property
    def own_text(self) -> str | None:
        """The own model as the text of a file; None where a file cannot hold it or it is too long for a session."""
        return None if self.own is None else model_text_of(self.own)

    def adopt(self, text: str) -> str:
        """The name of the model of a session's text; the last few are kept.

        A name means one text as long as the studio runs: where it is taken a part of the text's hash is added.
        """
        if self.own is not None and text == self.own_text:
            return self.own.name
        digest = hashlib.sha256(text.encode()).hexdigest()
        model = self.preparation.get(("text", digest), lambda: Model.from_text(text, "the session's model"))
        with self._lock:
            name = model.name
            if name in self.names() or self._digests.setdefault(name, digest) != digest:
                name = f"{name}-{digest[:12]}"
            self._adopted[name] = (text, model)
            self._adopted.move_to_end(name)
            while len(self._adopted) > limits.MODELS:
                forgotten, _ = self._adopted.popitem(last=False)
                self._forget(forgotten)
            return name

    def entry(self, name: str) -> Entry:
        """The system of a name, compiled on first use."""
        with self._lock:
            if name in self._entries:
                self._entries.move_to_end(name)
                return self._entries[name]
        return self.preparation.get(name, lambda: self._keep(name))

    def _keep(self, name: str) -> Entry:
        with self._lock:
            if name in self._entries:  # made between a look and the next
                return self._entries[name]
        entry = self._make(name)
        with self._lock:
            self._entries[name] = entry
            while len(self._entries) > limits.SYSTEMS:
                self._forget(next(iter(self._entries)))
            return entry

    def _forget(self, name: str) -> None:
        self._entries.pop(name, None)
        self._rehearsed = {key for key in self._rehearsed if key[1] != name}

    def is_rehearsed(self, kind: str, name: str) -> bool:
        """Whether the system of a name has answered a request of this kind."""
        return (kind, name) in self._rehearsed

    def rehearsed(self, kind: str, name: str) -> None:
        """Note that it has."""
        with self._lock:
            self._rehearsed.add((kind, name))

    def _make(self, name: str) -> Entry:
        from jounce.plot.shapes import Drawing

        text = None
        if self.own is not None and name == self.own.name:
            model, text = self.own, self.own_text
        elif name in self._adopted:
            text, model = self._adopted[name]
        elif name in jounce.systems.SYSTEMS:
            model = jounce.systems.SYSTEMS[name]()
        else:
            hint = suggestion(name, list(self.names()), "systems")
            raise OptionError(f"the studio has no system {name!r}; {hint}. Start it with your own: jounce studio FILE")
        return Entry(jounce.compile_model(model), Drawing(model), name, text)


def model_text_of(model: Model) -> str | None:
    """A model as the text of a file; None where a file cannot hold it or it is too long for a session."""
    try:
        text = model.to_text()
    except JounceError:
        return None
    return text if len(text) <= limits.MODEL_LETTERS else None


def describe(entry: Entry, own: bool = False) -> dict[str, Any]:
    """A system for the page: its knobs with units, defaults and ranges, its shapes, its sections.

    own   whether it is the model named when the studio was started
    """
    system, model = entry.system, entry.model
    start = system.state().as_dict()
    units = {**model.coordinates, **model.velocity_units} | {name: s.unit for name, s in model.states.items()}
    texts = {name: state.description for name, state in model.states.items()}
    coefficients = _coefficients(model)
    switches = switch_names(model.states, model.guards)  # a run finds out by itself on which side they are
    names = [name for name in entry.start_names if not is_integral(name) and name not in switches]
    sizes = _sizes(system, model, {name: units[name] for name in names})
    period = None if system.autonomous else system.period()
    period = period if period is not None and math.isfinite(period) and period > 0.0 else None
    return {
        "name": entry.name,
        "model": entry.text,
        "unsaid": own and entry.text is None,
        "description": model.description,
        "source": model.source,
        "parameters": [
            {"name": name, "unit": entry_.unit, "text": entry_.description, "value": entry_.default}
            | _range(entry_.default, coefficients.get(name, entry_.description))
            for name, entry_ in model.parameters.items()
        ],
        "state": [
            {"name": name, "unit": units[name], "text": texts.get(name, ""), "value": start[name]}
            | _state_range(start[name], units[name], sizes[name])
            for name in names
        ],
        "discrete": list(system.state_names),
        "internal": list(model.internal_states),
        "coordinates": [name for name in system.coordinate_names if not is_integral(name)],
        "usual": _usual(entry),
        "contacts": list(system.contact_names),
        "joints": system.nj,
        "friction": [bool(value) for value in system.has_friction],
        "t_end": _round(PERIODS_SHOWN * period) if period else SECONDS_SHOWN,
        "period": period,
        "shapes": shapes(entry),
        "sections": (["phase:0"] if period else [])
        + [f"impact:{name}" for name in system.contact_names]
        + [f"reset:{name}" for name in system.reset_names]
        + [f"guard:{name}:+1" for name in system.guard_names]
        + [f"plane:{name}=0:-1" for name in system.velocity_names if not is_integral(name)],
        "happenings": happenings(entry),
    }


def happenings(entry: Entry) -> list[str]:
    """The events that an action may wait for, in the words of ``simulate(on=...)``."""
    listed = [
        f"{kind}:{contact.name}"
        for contact in entry.model.contacts
        for kind in (EVENT_KINDS if contact.compliance is None else OF_COMPLIANT)
    ]
    listed += [f"reset:{name}" for name in entry.system.reset_names]
    listed += [f"guard:{name}:+1" for name in entry.system.guard_names]
    first = entry.system.coordinate_names[0]
    return [*listed, f"plane:{first}=0:+1"]


def shapes(entry: Entry) -> list[dict[str, Any]]:
    """What the page must know of every shape to draw it from its numbers."""
    listed = []
    for shape, width in zip(entry.model.drawing, entry.drawing.widths, strict=True):
        attributes = {key: getattr(shape, key) for key in ("body", "contact", "fixed", "filled") if hasattr(shape, key)}
        turns = getattr(shape, "angle", None) is not None
        listed.append({"kind": type(shape).__name__, "width": width, "turns": turns, **attributes})
    return listed


def _usual(entry: Entry) -> str:
    """The coordinate to look at first: the first one that a gap depends on, for others may drift away."""
    gaps = {symbol.name for contact in entry.model.contacts for symbol in contact.gap.free_symbols}
    names = [name for name in entry.system.coordinate_names if not is_integral(name)]
    return next((name for name in names if name in gaps), names[0])


def _coefficients(model: Model) -> dict[str, str]:
    """Of the parameters that are friction or restitution of a contact as they stand: which of the two."""
    return {
        str(law): word
        for contact in model.contacts
        for word, law in (("friction", contact.friction), ("restitution", contact.restitution))
        if getattr(law, "is_Symbol", False)
    }


def _range(value: float, text: str) -> dict[str, float]:
    """Where a slider starts and ends: a guess by size, which an exact entry may leave."""
    if "restitution" in text:
        return {"low": 0.0, "high": max(1.0, value)}
    if "friction" in text:
        return {"low": 0.0, "high": max(1.0, _round(2.0 * abs(value)))}
    if value == 0.0:
        return {"low": -1.0, "high": 1.0}
    bounds = sorted((_round(value / 10.0), _round(3.0 * value)))
    return {"low": bounds[0], "high": bounds[1]}


def _sizes(system: System, model: Model, units: Mapping[str, str]) -> dict[str, float]:
    """How large each variable is, by the start, the scales that the model says and its parameters of the same unit.

    What none of these tells has the share of the others in it: a velocity is that of the coordinates in the time in
    which the motion changes.
    """
    from jounce.analysis.scales import start_sizes

    start = system.state()
    by_unit: dict[str, float] = {}
    known = [(unit, max(abs(start[name]), model.scales.get(name, 0.0))) for name, unit in units.items()]
    known += [(parameter.unit, abs(parameter.default)) for parameter in model.parameters.values()]
    for unit, size in known:
        by_unit[unit] = max(by_unit.get(unit, 0.0), size)
    said = {name: np.array([by_unit[units[name]]]) for name in units if by_unit[units[name]] > 0.0}
    moving = (*system.coordinate_names, *system.velocity_names)
    found = dict(zip(moving, start_sizes(system, system.parameters(), start, said).tolist(), strict=True))
    return {name: by_unit[unit] or found.get(name, 1.0) for name, unit in units.items()}


def _state_range(value: float, unit: str, size: float) -> dict[str, float]:
    if unit == "rad":
        return {"low": min(-3.2, value), "high": max(3.2, value)}
    reach = _round(2.0 * size)
    return {"low": -reach, "high": reach}


def _round(value: float) -> float:
    """Two leading digits."""
    return float(f"{value:.2g}")
