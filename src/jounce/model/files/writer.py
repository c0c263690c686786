"""A model as the text of a TOML file: its equations M u' = h, however it was made.

Forces of compliant contacts stand in h behind a factor <contact>_pressed. They are left out by setting it to zero, and
the file names the law instead, from which the reader makes the same forces again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import sympy as sp

from jounce.errors import StorageError
from jounce.file_targets import file_to_replace
from jounce.model.compliance import ADHERES, Compliance
from jounce.model.contact import Contact
from jounce.model.drawing import Ground, Shape
from jounce.model.expressions import as_expression
from jounce.model.files.expression_text import condition_text, tree_text
from jounce.model.model import Model
from jounce.model.names import integral_name
from jounce.model.resets import Reset
from jounce.model.trees import to_tree

#: Left out of a contact where they have this value.
_USUAL: dict[str, Any] = {"friction": 0, "restitution": 0, "tangential_restitution": 0, "preload": 0}
WIDEST = 120  # characters of a list on one line


def model_to_file(model: Model, path: str | Path) -> Path:
    """Write the file, whole or not at all."""
    target = file_to_replace(path)
    text = model_text(model)
    temporary = target.with_name(f".{target.name}.part")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(target)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise StorageError(f"{target} cannot be written: {error.strerror or error}") from None
    return Path(path)


def model_text(model: Model) -> str:
    """The whole file."""
    return _ModelWriter(model).text()


class _ModelWriter:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.names = set(model.symbols)

    def text(self) -> str:
        """Tables in the order of the documentation."""
        model = self.model
        head = {"name": model.name, "description": model.description, "source": model.source}
        lines = [f"{key} = {_quoted(value)}" for key, value in head.items() if value]
        if model.period is not None:
            lines.append(f"period = {self._value(model.period)}")
        hidden = {law.branch for law in self._laws()} | {integral_name(name) for name in model.internal_states}
        kept = [k for k, name in enumerate(model.coordinates) if name not in hidden]
        units = list(model.coordinates.items())
        lines += ["", "[coordinates]", *(f"{units[k][0]} = {_quoted(units[k][1])}" for k in kept)]
        if model.parameters:
            lines += ["", "[parameters]"]
        for entry in model.parameters.values():
            texts = [repr(entry.default), _quoted(entry.unit), _quoted(entry.description)]
            lines.append(f"{entry.name} = [{', '.join(texts)}]")
        if model.states:
            lines += ["", "[states]"]
        for state in model.states.values():
            texts = [repr(state.default), _quoted(state.unit), _quoted(state.description)]
            lines.append(f"{state.name} = [{', '.join(texts)}]")
        if model.internal_states:
            lines += ["", "[rates]"]
        for name, rate in model.internal_states.items():
            lines.append(f"{name} = [{self._value(rate)}, {_quoted(model.velocity_units[name])}]")
        lines += ["", "[equations]", *self._equations(kept)]
        for contact in model.contacts:
            lines += ["", f"[contacts.{contact.name}]", *self._contact(contact)]
        for reset in model.resets:
            lines += ["", f"[resets.{reset.name}]", *self._reset(reset)]
        own = {reset.name for reset in model.resets if reset.guard == reset.name}
        for what in ("joints", "guards", "start", "scales"):
            hidden = own if what == "guards" else set()
            entries = {name: value for name, value in getattr(model, what).items() if name not in hidden}
            if entries:
                lines += ["", f"[{what}]"]
                lines += [f"{_key(name)} = {self._value(value)}" for name, value in entries.items()]
        for shape in model.drawing:
            lines += ["", "[[drawing]]", *self._shape(shape)]
        return "\n".join(lines) + "\n"

    def _laws(self) -> list[Compliance]:
        return [contact.compliance for contact in self.model.contacts if contact.compliance is not None]

    def _equations(self, kept: list[int]) -> Iterator[str]:
        model = self.model
        mass = model.M.extract(kept, kept)
        rows = list(mass.diagonal()) if mass.is_diagonal() else [list(mass.row(i)) for i in range(mass.rows)]
        free = {model.symbols[f"{c.name}_pressed"]: sp.Integer(0) for c in model.contacts if c.compliance is not None}
        yield f"mass = {self._value(rows)}"
        yield f"forces = {self._value([model.h[k].xreplace(free) for k in kept])}"
        yield f"potential = {self._value(model.potential)}"
        yield f"applied_power = {self._value(model.applied_power)}"

    def _contact(self, contact: Contact) -> Iterator[str]:
        for entry in fields(contact):
            value = getattr(contact, entry.name)
            if entry.name == "name" or value is None or (entry.name in _USUAL and value == _USUAL[entry.name]):
                continue
            if entry.name == "static_friction" and value == contact.friction:
                continue
            if entry.name == "gap" and contact.load is not None:
                continue  # it has none
            if entry.name == "law":
                yield f"law = {_quoted(value)}"
            elif entry.name == "load":
                yield f"load = [{', '.join(map(_quoted, value))}]"
            elif entry.name == "compliance":
                yield f"compliance = {self._compliance(value)}"
            else:
                yield f"{entry.name} = {self._value(value)}"

    def _reset(self, reset: Reset) -> Iterator[str]:
        guards = self.model.guards
        by_name = reset.event is not None or self._is_listed(reset.guard)
        yield f"guard = {_quoted(reset.guard) if by_name else self._value(guards[reset.guard])}"
        if reset.direction:
            yield f"direction = {reset.direction}"
        if reset.only_if is not None:
            condition = to_tree(reset.only_if)[1][1]
            yield f"only_if = {_quoted(condition_text(condition, self.names))}"
        yield "map = { " + ", ".join(f"{name} = {self._value(value)}" for name, value in reset.map.items()) + " }"

    def _is_listed(self, guard: str) -> bool:
        """Whether a guard is written under [guards], and not with the reset that has brought it."""
        return not any(reset.guard == reset.name == guard for reset in self.model.resets)

    def _compliance(self, law: Compliance) -> str:
        parts = [f"law = {_quoted(law.law)}"]
        parts += [f"{name} = {self._value(value)}" for name, value in law.coefficients.items()]
        if law.pulls == ADHERES:
            parts.append("adhesive = true")
        return f"{{ {', '.join(parts)} }}"

    def _shape(self, shape: Shape) -> Iterator[str]:
        yield f"shape = {_quoted(type(shape).__name__)}"
        for entry in fields(shape):
            value = shape.points if isinstance(shape, Ground) else getattr(shape, entry.name)
            if isinstance(value, str):
                yield f"{entry.name} = {_quoted(value)}"
            elif isinstance(value, bool):
                if value != entry.default:
                    yield f"{entry.name} = {str(value).lower()}"
            elif value is not None:
                yield f"{entry.name} = {self._value(value)}"

    def _value(self, value: Any) -> str:
        """A number, an expression as text, or a list of them."""
        if isinstance(value, list | tuple):
            parts = [self._value(part) for part in value]
            line = f"[{', '.join(parts)}]"
            return line if len(line) <= WIDEST else "[\n" + "".join(f"    {part},\n" for part in parts) + "]"
        tree = to_tree(as_expression(value, "a model file"))
        return repr(tree) if isinstance(tree, int | float) else _quoted(tree_text(tree, self.names))


def _quoted(text: str) -> str:
    """A basic string of TOML: JSON's escapes, and DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return _quoted(name) if "." in name else name
