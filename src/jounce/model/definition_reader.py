"""The model of a stored definition: every part is taken by its type, and nothing else is accepted.

A file may come from a stranger. Expressions are read by trees.py; names must be identifiers, numbers finite, texts of
bounded length; keys that are not known are refused. What is wrong is said with the place where it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from jounce.errors import ModelError, StorageError, suggestion
from jounce.model import drawing as shapes
from jounce.model.compliance import LAWS, Compliance
from jounce.model.compliant_contact import memory_names
from jounce.model.contact import Contact
from jounce.model.model import Model
from jounce.model.names import velocity_name
from jounce.model.resets import Reset
from jounce.model.speeds import SPEEDS
from jounce.model.symbols import plain_symbol, time
from jounce.model.trees import from_tree
from jounce.model.vocabulary import check_identifier

CONTACT_EXPRESSIONS = ("gap", "slip", "friction", "static_friction", "restitution", "tangential_restitution")
COMPLIANCE_EXPRESSIONS = ("normal", "tangential", "loss", "surface", "elastic", "back")
LONGEST_TEXT = 20_000
LONGEST_LINE = 200
MOST_ENTRIES = 10_000

_REQUIRED = (
    *("name", "coordinates", "parameters", "mass", "forces", "contacts", "joints", "guards", "potential"),
    *("applied_power", "contact_names", "joint_names", "guard_names", "period", "start", "drawing"),
    *("description", "source"),
)
_OPTIONAL = ("loads", "compliance", "penetration", "offset", "scales", "resets", "states")


def from_definition(data: Any) -> Model:
    """The model of ``to_definition``'s data; raises StorageError when the data are damaged or foreign."""
    try:
        return _Definition(data).model()
    except ModelError as error:
        raise StorageError(f"the stored model cannot be read: {error}") from None
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise StorageError(f"the stored model cannot be read: {type(error).__name__}: {error}") from None


class _Definition:
    """One definition while it is read."""

    def __init__(self, data: Any) -> None:
        self.data = table(data, "model", (*_REQUIRED, *_OPTIONAL))
        for key in _REQUIRED:
            if key not in self.data:
                raise ModelError(f"{key!r} is missing")
        self.coordinates = {
            name: line(unit, f"unit of {name!r}")
            for name, unit in names(self.data["coordinates"], "coordinate").items()
        }
        self.parameters = self._parameters("parameter")
        self.states = self._parameters("state")
        self.contacts = self._list("contact_names")
        self.known: dict[str, sp.Symbol] = {}

    def model(self) -> Model:
        """The whole."""
        n = len(self.coordinates)
        laws = self._list("compliance", len(self.contacts))
        remembered = memory_names([Contact(self._contact_name(k), 0, compliance=law) for k, law in enumerate(laws)])
        words = (*self.coordinates, *map(velocity_name, self.coordinates), *self.parameters, *remembered, *self.states)
        self.known = SPEEDS | {name: plain_symbol(name) for name in words} | {"t": time}
        mass = [self._read(tree, f"mass[{k}]") for k, tree in enumerate(self._list("mass", n * n))]
        forces = [self._read(tree, f"forces[{k}]") for k, tree in enumerate(self._list("forces", n))]
        data = self.data
        return Model(
            identifier(data["name"], "model"),
            self.coordinates,
            sp.ImmutableMatrix(n, n, mass),
            forces,
            contacts=[self._contact(k) for k in range(len(self.contacts))],
            joints=self._named("joint"),
            guards=self._named("guard"),
            potential=self._read(data["potential"], "potential"),
            parameters=self.parameters,
            period=self._optional(data["period"], "period"),
            start={name: number(value, f"start: {name}") for name, value in names(data["start"], "start").items()},
            drawing=[self._shape(entry, f"drawing[{k}]") for k, entry in enumerate(self._list("drawing"))],
            description=text(data["description"], "description"),
            source=text(data["source"], "source"),
            applied_power=self._read(data["applied_power"], "applied_power"),
            scales={
                name: number(value, f"scales: {name}") for name, value in names(data.get("scales", {}), "scale").items()
            },
            resets=[self._reset(entry, f"resets[{k}]") for k, entry in enumerate(self._list("resets"))],
            states=self.states,
        )

    def _list(self, key: str, length: int | None = None) -> list[Any]:
        """The list under a key; one that files of earlier versions lack is empty of content."""
        if key in _OPTIONAL and key not in self.data:
            return [None] * (length or 0)
        return listing(self.data[key], key, length)

    def _read(self, tree: Any, where: str) -> sp.Expr:
        return from_tree(tree, self.known, where)

    def _optional(self, tree: Any, where: str) -> sp.Expr | None:
        return None if tree is None else self._read(tree, where)

    def _reset(self, given: Any, where: str) -> Reset:
        entry = table(given, where, ("name", "guard", "direction", "only_if", "map"))
        name = identifier(entry["name"], "reset")
        pairs = [listing(pair, f"reset {name!r}: map", 2) for pair in listing(entry["map"], f"reset {name!r}: map")]
        if type(entry["direction"]) is not int:
            raise ModelError(f"reset {name!r}: the direction must be a whole number")
        return Reset(
            line(entry["guard"], f"reset {name!r}: guard"),
            {identifier(key, "assigned symbol"): self._read(tree, f"reset {name!r}: {key}") for key, tree in pairs},
            entry["direction"],
            self._optional(entry["only_if"], f"reset {name!r}: only_if"),
            name,
        )

    def _parameters(self, kind: str) -> dict[str, tuple[float, str, str]]:
        """Parameters or discrete states: name -> default or initial value, unit, description."""
        found = {}
        for k, given in enumerate(self._list(f"{kind}s")):
            entry = table(given, f"{kind}s[{k}]", ("name", "default", "unit", "description"))
            name = identifier(entry["name"], kind)
            where = f"{kind} {name!r}"
            if name in found:
                raise ModelError(f"{where} is there twice")
            texts = line(entry["unit"], f"{where}: unit"), text(entry["description"], f"{where}: description")
            found[name] = (number(entry["default"], f"{where}: default"), *texts)
        return found

    def _named(self, kind: str) -> dict[str, sp.Expr]:
        """Joints and guards: names in one list, expressions in another."""
        listed = [line(name, f"the name of a {kind}") for name in self._list(f"{kind}_names")]
        trees = self._list(f"{kind}s", len(listed))
        return {name: self._read(tree, f"{kind} {name!r}") for name, tree in zip(listed, trees, strict=True)}

    def _contact_name(self, k: int) -> str:
        return identifier(listing(self.contacts[k], f"contact_names[{k}]", 2)[0], "contact")

    def _contact(self, k: int) -> Contact:
        count, name, law = len(self.contacts), self._contact_name(k), self.contacts[k][1]
        where = f"contact {name!r}"
        trees = listing(self._list("contacts", count)[k], f"contacts[{k}]", len(CONTACT_EXPRESSIONS))
        offset = self._list("offset", count)[k]
        return Contact(
            name,
            law=None if law is None else line(law, f"{where}: law"),
            compliance=self._compliance(self._list("compliance", count)[k], where),
            penetration=self._optional(self._list("penetration", count)[k], f"{where}: penetration"),
            offset=None
            if offset is None
            else tuple(self._read(part, f"{where}: offset") for part in listing(offset, f"{where}: offset", 2)),
            **{
                key: self._optional(tree, f"{where}: {key}")
                for key, tree in zip(CONTACT_EXPRESSIONS, trees, strict=True)
            },
            **self._load(self._list("loads", count)[k], where),
        )

    def _load(self, entry: Any, where: str) -> dict[str, Any]:
        if entry is None:
            return {}
        found = table(entry, f"{where}: load", ("of", "preload", "lever"))
        return {
            "load": tuple(line(name, f"{where}: load") for name in listing(found["of"], f"{where}: load")),
            "preload": self._read(found["preload"], f"{where}: preload"),
            "lever": self._optional(found["lever"], f"{where}: lever"),
        }

    def _compliance(self, entry: Any, where: str) -> Compliance | None:
        if entry is None:
            return None
        own = ("law", "pulls", "branch", "coefficients")
        found = table(entry, f"{where}: compliance", (*COMPLIANCE_EXPRESSIONS, *own))
        if found["law"] not in LAWS:
            raise ModelError(f"{where}: unknown law of compliance; {suggestion(str(found['law'])[:80], LAWS, 'laws')}")
        if type(found["pulls"]) is not int or found["pulls"] not in range(4):
            raise ModelError(f"{where}: pulls must be 0, 1, 2 or 3")
        coefficients = names(found["coefficients"], f"{where}: coefficient of compliance")
        return Compliance(
            law=found["law"],
            pulls=found["pulls"],
            branch=None if found["branch"] is None else identifier(found["branch"], f"{where}: branch"),
            coefficients={name: self._read(tree, f"{where}: {name}") for name, tree in coefficients.items()},
            **{key: self._read(found[key], f"{where}: {key}") for key in COMPLIANCE_EXPRESSIONS},
        )

    def _shape(self, entry: Any, where: str) -> Any:
        parts = listing(entry, where)
        rest = self._attributes(parts[-1], where) if parts and type(parts[-1]) is dict else {}

        def read(tree: Any) -> sp.Expr:
            return self._read(tree, where)

        match parts[:-1] if rest else parts:
            case ["Segment", x1, y1, x2, y2]:
                return shapes.Segment((read(x1), read(y1)), (read(x2), read(y2)), **rest)
            case ["Coil", x1, y1, x2, y2]:
                return shapes.Coil((read(x1), read(y1)), (read(x2), read(y2)))
            case ["Polygon", *numbers] if len(numbers) % 2 == 0:
                corners = [read(tree) for tree in numbers]
                return shapes.Polygon(tuple(zip(corners[::2], corners[1::2], strict=True)), **rest)
            case ["Circle", x, y, radius, angle]:
                return shapes.Circle((read(x), read(y)), read(radius), self._optional(angle, where), **rest)
            case ["Ground", x1, y1, x2, y2]:
                return shapes.Ground(((read(x1), read(y1)), (read(x2), read(y2))))
            case ["Point", x, y]:
                return shapes.Point((read(x), read(y)), **rest)
            case ["Point", x, y, contact]:  # as files of version 0.1 have it
                return shapes.Point((read(x), read(y)), None if contact is None else identifier(contact, where))
        raise ModelError(f"{where}: an unknown shape, or one with a wrong number of parts")

    def _attributes(self, given: Any, where: str) -> dict[str, Any]:
        """The plain attributes of a shape."""
        found = table(given, where, ("body", "contact", "filled", "fixed"))
        for key, value in found.items():
            if key in ("filled", "fixed"):
                if type(value) is not bool:
                    raise ModelError(f"{where}: {key} must be true or false")
            elif value is not None:
                line(value, f"{where}: {key}")
        return found


# ------------------------------------------------------------------------------------------------ plain data by type


def table(value: Any, where: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """A dictionary with none but these keys."""
    if type(value) is not dict or any(type(key) is not str for key in value):
        raise ModelError(f"{where}: expected a dictionary of named entries")
    for key in value:
        if key not in keys:
            raise ModelError(f"{where}: unknown entry {key[:80]!r}; {suggestion(key[:80], keys, 'entries')}")
    return value


def names(value: Any, kind: str) -> Mapping[str, Any]:
    """A dictionary whose keys are names of one kind."""
    if type(value) is not dict:
        raise ModelError(f"{kind}s: expected a dictionary of names")
    for name in value:
        identifier(name, kind)
    return value


def listing(value: Any, where: str, length: int | None = None) -> list[Any]:
    """A list, of a given length where that is known."""
    if type(value) is not list:
        raise ModelError(f"{where}: expected a list")
    if len(value) > MOST_ENTRIES if length is None else len(value) != length:
        raise ModelError(
            f"{where}: {len(value)} entries, expected {f'at most {MOST_ENTRIES}' if length is None else length}"
        )
    return value


def identifier(value: Any, kind: str) -> str:
    """A name."""
    check_identifier(value, kind)
    return str(value)


def number(value: Any, where: str) -> float:
    """A finite number."""
    if type(value) not in (int, float) or not abs(value) < 2.0**1023:
        raise ModelError(f"{where}: expected a finite number")
    return float(value)


def text(value: Any, where: str) -> str:
    """A text of bounded length."""
    if type(value) is not str or len(value) > LONGEST_TEXT:
        raise ModelError(f"{where}: expected a text of at most {LONGEST_TEXT} characters")
    return value


def line(value: Any, where: str) -> str:
    """A short text without line breaks and other control characters."""
    if type(value) is not str or len(value) > LONGEST_LINE or not value.isprintable():
        raise ModelError(f"{where}: expected one line of at most {LONGEST_LINE} characters")
    return value
