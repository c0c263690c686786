"""Model.from_file: a TOML file -> Model.

    name, description, source, period
    [coordinates]   name = unit
    [parameters]    name = default, or [default, unit, description]; a default may be a text with a unit, "5 mm"
    [definitions]   name = expression, for use below it and everywhere else
    [energies]      kinetic, potential; [forces] coordinate = expression                       Model.from_lagrangian
    [equations]     mass, forces, potential, applied_power                                     Model
    [bodies.NAME]   mass, inertia, ...; [joints.NAME], [forces.NAME] with type; gravity        Model.from_bodies
    [contacts.NAME] gap, slip, friction, ..., or between = [shape, shape] of bodies
    [joints]        name = expression; [guards] name = expression
    [states]        name = initial value, or [value, unit, description]: discrete states
    [rates]         name = rate, or [rate, unit]: internal states
    [switches]      name = surface: the name is then the sign of the surface, in forces and rates
    [resets.NAME]   guard = expression, name of a guard or "impact:CONTACT"; map = {symbol = expression}; direction;
                    only_if = condition
    [start]         [scales]  name = number
    [[drawing]]     shape = "Segment", ...
    [commands.NAME] options of commands that are given this file (cli/config.py), sweeps among them: not of the model

Expressions are texts that parsing.py reads; nothing of the file is ever executed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jounce.errors import ModelError
from jounce.model.contact import Contact
from jounce.model.files.entries import MOST_ENTRIES, Entries
from jounce.model.files.machine import Machine
from jounce.model.files.source import Source, Trail
from jounce.model.model import Model
from jounce.model.names import Parameter
from jounce.model.resets import Reset
from jounce.model.speeds import SPEEDS
from jounce.model.symbols import coordinate, declared_parameter, internal, plain_symbol, time
from jounce.model.vocabulary import check_identifier
from jounce.units import is_quantity

_TEXTS = ("name", "description", "source")
_KEYS = (
    *(*_TEXTS, "period", "coordinates", "parameters", "definitions", "energies", "equations", "bodies", "gravity"),
    *("minimal", "allow_redundant", "forces", "contacts", "joints", "guards", "start", "scales", "drawing", "states"),
    *("resets", "rates", "switches", "commands"),
)
_WAYS = ("energies", "equations", "bodies")
#: Entries that only one of the three ways knows.
_OF_BODIES = ("gravity", "minimal", "allow_redundant")


def model_from_file(path: str | Path) -> Model:
    """The model of a file; a ModelError says what is wrong with it, in which line and column."""
    return _Reader(Source(path)).model()


def model_from_text(text: str, name: str = "model.toml") -> Model:
    """The model of the text of such a file; ``name`` stands for the file in messages and for a missing name."""
    return _Reader(Source(name, text)).model()


class _Reader:
    def __init__(self, source: Source) -> None:
        self.entries = Entries(source)
        self.data = self.entries.table(source.data, (), _KEYS)
        for key, value in self.data.items():
            if isinstance(value, dict | list) and len(value) > MOST_ENTRIES:
                raise self.entries.error((key,), f"{len(value)} entries; at most {MOST_ENTRIES} are read")
        for command, options in self._named("commands").items():
            if not isinstance(options, dict):
                raise self.entries.error(("commands", command), "expected a table of options, as [commands.sweep] is")
        self.texts = {key: self.entries.text(self.data[key], (key,)) for key in _TEXTS if key in self.data}
        self.texts.setdefault("name", source.path.stem)

    def model(self) -> Model:
        """The whole, by the one of three ways that the file goes."""
        chosen = [way for way in _WAYS if way in self.data]
        if len(chosen) != 1:
            said = " and ".join(f"[{way}]" for way in chosen) or "none of them"
            raise self.entries.error((), f"a model needs one of [energies], [equations], [bodies]; the file has {said}")
        for key in _OF_BODIES if chosen[0] != "bodies" else ("scales",):
            if key in self.data:
                raise self.entries.error((key,), f"this entry has no meaning beside [{chosen[0]}]")
        ways = {"energies": self._from_energies, "equations": self._from_equations, "bodies": self._from_bodies}
        try:
            self._read_names()
            return ways[chosen[0]]()
        except ModelError as error:
            raise self.entries.located(error) from None

    def _read_names(self) -> None:
        """Coordinates, parameters, bodies and definitions: what expressions may name."""
        entries = self.entries
        self.coordinates = {
            name: entries.text(unit, ("coordinates", name)) for name, unit in self._named("coordinates").items()
        }
        self.parameters = {
            name: self._parameter(name, given, ("parameters", name))
            for name, given in self._named("parameters").items()
        }
        self.states = {
            name: self._parameter(name, given, ("states", name)) for name, given in self._named("states").items()
        }
        self.internal = {name: internal(name, self._rate_unit(name)) for name in self._named("rates")}
        self.own = [coordinate(name, unit) for name, unit in self.coordinates.items()]
        entries.symbols |= {symbol.name: symbol for pair in self.own for symbol in pair}
        entries.symbols |= self.internal
        plain = (*self.parameters, *self.states, *self._named("switches"))
        entries.symbols |= {name: plain_symbol(name) for name in plain} | {"t": time}
        entries.symbols = SPEEDS | entries.symbols
        self.machine = Machine(entries, self._named("bodies"))
        for name, value in self._named("definitions").items():
            entries.define(name, value, ("definitions", name))

    def _named(self, key: str) -> dict[str, Any]:
        """A table whose keys are names."""
        found = self.entries.table(self.data.get(key, {}), (key,))
        for name in found:
            try:
                check_identifier(name, key)
            except ModelError as error:
                raise self.entries.error((key, name), str(error)) from None
        return found

    def _parameter(self, name: str, given: Any, trail: Trail) -> Parameter:
        """A default, or [default, unit, description], the last two if need be."""
        entries = self.entries
        parts = given if isinstance(given, list) else [given]
        if not 1 <= len(parts) <= 3:
            raise entries.error(trail, 'expected a number or [number, unit, description], such as [9.81, "m/s^2"]')
        texts = [entries.text(part, trail) for part in parts[1:]]
        if not is_quantity(parts[0]):
            return Parameter(name, entries.number(parts[0], trail), *texts)
        try:
            return declared_parameter(name, parts[0], *texts)
        except ModelError as error:
            raise entries.error(trail, str(error)) from None

    # ------------------------------------------------------------------------------------------- three ways

    def _from_energies(self) -> Model:
        energies = self._values("energies", ("kinetic", "potential"))
        if "kinetic" not in energies:
            raise self.entries.error(("energies",), "the entry 'kinetic' is missing")
        return Model.from_lagrangian(**energies, forces=self._values("forces"), **self._rest())

    def _from_equations(self) -> Model:
        if "forces" in self.data:
            raise self.entries.error(("forces",), "beside [equations] the forces are an entry of that table")
        equations = self._values("equations", ("mass", "forces", "potential", "applied_power"))
        for key in ("mass", "forces"):
            if key not in equations:
                raise self.entries.error(("equations",), f"the entry {key!r} is missing")
        return Model(**equations, **self._rest())

    def _from_bodies(self) -> Model:
        rest = self._rest(joints=self.machine.joints(self._named("joints")))
        rest["coordinates"] = [q for q, _ in self.own] or None
        rest["drawing"] = rest["drawing"] or None
        del rest["scales"]
        given: dict[str, Any] = {}
        if "gravity" in self.data:
            given["gravity"] = self.entries.value(self.data["gravity"], ("gravity",))
        if "minimal" in self.data:
            poses = self._values("minimal")
            given["minimal"] = {self.entries.frame(name, ("minimal", name)): pose for name, pose in poses.items()}
        if "allow_redundant" in self.data:
            given["allow_redundant"] = self.data["allow_redundant"] is True
        forces = self.machine.forces(self._named("forces"))
        return Model.from_bodies(bodies=self.machine.bodies, forces=forces, **given, **rest)

    def _rest(self, joints: Any = None) -> dict[str, Any]:
        """What all three ways have in common."""
        joints = self._joints() if joints is None else joints
        period = None if "period" not in self.data else self.entries.expression(self.data["period"], ("period",))
        contacts = [self._contact(name, given) for name, given in self._named("contacts").items()]
        return {
            **self.texts,
            "coordinates": self.coordinates,
            "parameters": self.parameters,
            "period": period,
            "contacts": [contact for made in contacts for contact in (made if isinstance(made, list) else [made])],
            "joints": joints,
            "guards": self._values("guards"),
            "resets": [self._reset(name, given) for name, given in self._named("resets").items()],
            "states": self.states,
            "switches": self._values("switches"),
            "rates": {self.internal[name]: self._rate(name) for name in self.internal},
            "start": self._numbers("start"),
            "scales": self._numbers("scales"),
            "drawing": self.entries.shapes(self.data.get("drawing", []), ("drawing",)),
        }

    def _values(self, key: str, keys: tuple[str, ...] | None = None) -> dict[str, Any]:
        """A table of expressions, or of lists of them."""
        table = self.entries.table(self.data.get(key, {}), (key,), keys)
        return {name: self.entries.value(value, (key, name)) for name, value in table.items()}

    def _numbers(self, key: str) -> dict[str, Any]:
        """A table of numbers, texts with a unit or expressions without symbols."""
        table = self.entries.table(self.data.get(key, {}), (key,))
        return {
            name: value if is_quantity(value) else self.entries.value(value, (key, name))
            for name, value in table.items()
        }

    def _rate_unit(self, name: str) -> str:
        """The unit of an internal state: of [rate, unit] the second, else none."""
        given, trail = self.data["rates"][name], ("rates", name)
        if isinstance(given, list) and len(given) != 2:
            raise self.entries.error(trail, 'expected a rate or [rate, unit], such as ["d_x - z/tau", "m"]')
        return self.entries.text(given[1], trail) if isinstance(given, list) else ""

    def _rate(self, name: str) -> Any:
        given = self.data["rates"][name]
        return self.entries.expression(given[0] if isinstance(given, list) else given, ("rates", name))

    def _joints(self) -> dict[str, Any]:
        """name = expression; a joint of several equations is a table of its own, [joints.name]."""
        found: dict[str, Any] = {}
        for name, value in self._values("joints").items():
            found |= {f"{name}.{part}": g for part, g in value.items()} if isinstance(value, dict) else {name: value}
        return found

    def _reset(self, name: str, given: Any) -> Reset:
        entries, trail = self.entries, ("resets", name)
        table = entries.table(given, trail, ("guard", "map", "direction", "only_if"))
        for key in ("guard", "map"):
            if key not in table:
                raise entries.error(trail, f"a reset needs the entry {key!r}")
        guard = table["guard"]
        if not isinstance(guard, str) or (":" not in guard and guard not in self._named("guards")):
            guard = entries.expression(guard, (*trail, "guard"))
        assigned = entries.table(table["map"], (*trail, "map"))
        return Reset(
            guard,
            {key: entries.expression(value, (*trail, "map", key)) for key, value in assigned.items()},
            direction=table.get("direction", 0),
            only_if=entries.expression(table["only_if"], (*trail, "only_if"), True) if "only_if" in table else None,
            name=name,
        )

    def _contact(self, name: str, given: Any) -> Any:
        trail = ("contacts", name)
        if "between" in self.entries.table(given, trail):
            return self.machine.contact(name, given, trail)
        return self.entries.made(Contact, given, trail, name=name)
