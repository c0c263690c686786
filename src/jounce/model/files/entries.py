"""The entries of a model file by type: tables with known keys, expressions, and the objects that tables describe."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import MISSING, fields
from typing import Any

import sympy as sp

from jounce.errors import ModelError, suggestion
from jounce.model.bodies.body import Frame
from jounce.model.compliance import LAWS
from jounce.model.drawing import Circle, Coil, Ground, Point, Polygon, Segment
from jounce.model.files.source import ModelFileError, Source, Trail
from jounce.model.parsing import ExpressionError, parse_tree
from jounce.model.stiffness import Material
from jounce.model.trees import from_tree
from jounce.units import is_quantity

LONGEST_TEXT = 20_000  # characters
LONGEST_EXPRESSION = 100_000  # characters
MOST_PARTS = 20_000  # of all expressions of a file, some 25 microseconds each
MOST_ENTRIES = 5_000  # of a table at the top: some hundred contacts more than any machine has

SHAPES: dict[str, type] = {shape.__name__: shape for shape in (Segment, Circle, Polygon, Coil, Ground, Point)}
_FRAMES = ("first", "second", "body", "reaction")
_TEXTS = ("law", "contact")
_SWITCHES = ("inside", "follows", "filled", "fixed", "adhesive")

#: Messages of Model name what they are about; the patterns lead back to the entry.
_ABOUT: tuple[tuple[str, str], ...] = (
    (r"contact '(\w+)': (\w+)", "contacts"),
    (r"contact '(\w+)'", "contacts"),
    (r"joint '([\w.]+)'", "joints"),
    (r"guard '(\w+)'", "guards"),
    (r"reset '(\w+)': (\w+)", "resets"),
    (r"reset '(\w+)'", "resets"),
    (r"discrete state '(\w+)'", "states"),
    (r"internal state '(\w+)'", "rates"),
    (r"parameter '(\w+)'", "parameters"),
    (r"coordinate '(\w+)'", "coordinates"),
    (r"body '(\w+)'", "bodies"),
    (r"force on '(\w+)'", "forces"),
    (r"start: '(\w+)'", "start"),
    (r"scales: '(\w+)'", "scales"),
    (r"the (kinetic) energy", "energies"),
    (r"the mass matrix", "equations"),
    (r"the forcing period|period depends", "period"),
)


class Entries:
    """One file while it is read: the symbols, definitions and bodies that its expressions may name."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.symbols: dict[str, sp.Symbol] = {}
        self.definitions: dict[str, Any] = {}
        self.frames: dict[str, Frame] = {}
        self.parts = 0
        self._sizes: dict[int, int] = {}  # of the trees in self.definitions, which live as long as this

    def error(self, trail: Trail, message: str, column: int | None = None) -> ModelError:
        """What is wrong, with file, line and column."""
        return self.source.error(trail, f"{_shown(trail)}: {message}" if trail else message, column)

    def located(self, error: ModelError) -> ModelError:
        """The message of a model that makes no sense, with the place of the entry it names."""
        if isinstance(error, ModelFileError):
            return error
        for pattern, section in _ABOUT:
            found = re.search(pattern, str(error))
            if found:
                return self.source.error((section, *found.groups()), str(error))
        return self.source.error((), str(error))

    # ------------------------------------------------------------------------------------------- plain values

    def table(self, value: Any, trail: Trail, keys: Collection[str] | None = None) -> dict[str, Any]:
        """A table, with none but these keys."""
        if not isinstance(value, dict):
            raise self.error(trail, f"expected a table of named entries, not {_short(value)}")
        for key in value if keys is not None else ():
            if key not in (keys or ()):
                raise self.error((*trail, key), f"unknown entry; {suggestion(key, keys or (), 'entries')}")
        return value

    def text(self, value: Any, trail: Trail) -> str:
        """A text of bounded length."""
        if not isinstance(value, str) or len(value) > LONGEST_TEXT:
            raise self.error(trail, f"expected a text of at most {LONGEST_TEXT} characters, not {_short(value)}")
        return value

    def number(self, value: Any, trail: Trail) -> float:
        """A finite number."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 2.0**1023:
            raise self.error(trail, f"expected a finite number, not {_short(value)}")
        return float(value)

    def choice(self, table: dict[str, Any], key: str, kinds: Mapping[str, Any], trail: Trail) -> Any:
        """What the entry ``key`` of a table chooses by name."""
        name = table.get(key)
        if not isinstance(name, str) or name not in kinds:
            said = "is missing" if name is None else f"is {_short(name)}"
            raise self.error((*trail, key), f"{said}; {suggestion(name, kinds, 'names')}")
        return kinds[name]

    # ------------------------------------------------------------------------------------------- expressions

    def tree(self, value: Any, trail: Trail, condition: bool = False) -> Any:
        """The tree of an expression or of a condition; its parts count towards those of the file."""
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self.error(trail, f"expected a number or an expression in quotes, not {_short(value)}")
        tree = value
        if isinstance(value, str):
            try:
                tree = parse_tree(value, self.symbols, "", self.definitions, LONGEST_EXPRESSION, condition)
            except ExpressionError as error:
                hint = "; numbers with units belong into [parameters] or [start]" if is_quantity(value) else ""
                raise self.error(trail, str(error).removeprefix(": ") + hint, error.column) from None
        self.parts += self._size(tree)
        if self.parts > MOST_PARTS:
            raise self.error(trail, f"the expressions of the file have more than {MOST_PARTS} parts")
        return tree

    def _size(self, tree: Any) -> int:
        """The number of parts; that of a definition is known, however often it is used in others."""
        if not isinstance(tree, list):
            return 1
        known = self._sizes.get(id(tree))
        return 1 + sum(map(self._size, tree[1:])) if known is None else known

    def expression(self, value: Any, trail: Trail, condition: bool = False) -> sp.Expr:
        """A number or a text as an expression of the file's symbols; of a condition: 1 where it holds, else 0."""
        if condition and not isinstance(value, str):
            raise self.error(trail, f"expected a condition in quotes, such as 'theta < 0.1', not {_short(value)}")
        tree = self.tree(value, trail, condition)
        try:
            return from_tree(tree, self.symbols, "")
        except ModelError as error:
            raise self.error(trail, str(error).lstrip(":, ")) from None

    def define(self, name: str, value: Any, trail: Trail) -> None:
        """A name for an expression; it is checked here, and read anew at every use."""
        if name in self.symbols or name in self.definitions:
            raise self.error(trail, f"{name!r} is a coordinate, velocity, parameter or t already; rename it")
        self.expression(value, trail)
        tree = self.tree(value, trail)
        if isinstance(tree, list):
            self._sizes[id(tree)] = self._size(tree)
        self.definitions[name] = tree

    def value(self, value: Any, trail: Trail) -> Any:
        """An expression, or a list or table of them: lists become tuples."""
        if isinstance(value, list):
            return tuple(self.value(part, (*trail, k)) for k, part in enumerate(value))
        if isinstance(value, dict):
            return {key: self.value(part, (*trail, key)) for key, part in value.items()}
        return self.expression(value, trail)

    # ------------------------------------------------------------------------------------------- objects

    def made(self, kind: type, given: Any, trail: Trail, also: Collection[str] = (), **known: Any) -> Any:
        """An object of a dataclass from a table whose keys are its fields; ``also`` are keys with another meaning."""
        named = {entry.name: entry for entry in fields(kind) if entry.name not in known}
        table = self.table(given, trail, [*named, *also])
        for name, entry in named.items():
            if name not in table and entry.default is MISSING and entry.default_factory is MISSING:
                raise self.error(trail, f"{kind.__name__} needs the entry {name!r}")
        arguments = {key: self._argument(kind, key, table[key], (*trail, key)) for key in named if key in table}
        try:
            return kind(**known, **arguments)
        except ModelError as error:
            raise self.error(trail, str(error)) from None

    def _argument(self, kind: type, key: str, value: Any, trail: Trail) -> Any:
        if key in _TEXTS or (key == "body" and kind in SHAPES.values()):
            return self.text(value, trail)
        if key == "load":
            names = value if isinstance(value, list) else [value]
            return tuple(self.text(name, trail) for name in names)
        if key in _FRAMES:
            return self.frame(value, trail)
        if key in _SWITCHES:
            if not isinstance(value, bool):
                raise self.error(trail, f"expected true or false, not {_short(value)}")
            return value
        if key == "compliance":
            law = self.choice(self.table(value, trail), "law", LAWS, trail)
            return self.made(law, value, trail, also=("law",))
        if key == "material":
            return self.made(Material, value, trail)
        if key == "shapes":
            return self.shapes(value, trail)
        return self.value(value, trail)

    def frame(self, value: Any, trail: Trail) -> Frame:
        """A body by its name, or the ground."""
        if not isinstance(value, str) or value not in self.frames:
            raise self.error(trail, f"no body {_short(value)}; {suggestion(value, self.frames, 'bodies')}")
        return self.frames[value]

    def shapes(self, value: Any, trail: Trail) -> list[Any]:
        """The shapes of a picture: tables with the entry ``shape``."""
        if not isinstance(value, list):
            raise self.error(trail, "expected a list of shapes: [[drawing]] before each of them")
        made = []
        for k, entry in enumerate(value):
            place = (*trail, k)
            kind = self.choice(self.table(entry, place), "shape", SHAPES, place)
            made.append(self.made(kind, entry, place, also=("shape",)))
        return made


def _shown(trail: Trail) -> str:
    """contacts.floor.gap, drawing[2].start."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part[:60]}" for part in trail)
    return text.removeprefix(".")


def _short(value: Any) -> str:
    text = repr(value) if isinstance(value, str | int | float | bool) else f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."
