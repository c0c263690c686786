"""A model in a notebook: coordinates, contacts, and the parameters with their defaults and units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jounce.html_summary import summary, table
from jounce.model.names import is_integral

if TYPE_CHECKING:
    from jounce.model.model import Model


def model_html(model: Model) -> str:
    """The summary as HTML."""
    units = {name: unit for name, unit in model.coordinates.items() if not is_integral(name)}
    facts = {
        "coordinates": ", ".join(f"{name} [{unit}]" if unit else name for name, unit in units.items()),
        **({"internal states": ", ".join(model.internal_states)} if model.internal_states else {}),
        "contacts": ", ".join(contact.name for contact in model.contacts) or "none",
        "joints": ", ".join(model.joints) or "none",
        **({"resets": ", ".join(reset.name for reset in model.resets)} if model.resets else {}),
        "source": model.source or "–",
    }
    rows = [(entry.name, entry.default, entry.unit, entry.description) for entry in model.parameters.values()]
    title = f"{model.name}: {model.description}" if model.description else model.name
    return summary(title, facts, table(("parameter", "default", "unit", ""), rows))
