"""The model of a store: what tells it from others, ready for JSON."""

from __future__ import annotations

from typing import Any

from jounce.model.definition import to_definition
from jounce.simulation.roster import needs_list
from jounce.system.system import System


def model_entry(system: System) -> dict[str, Any]:
    """The definition of the model; of a machine of many contacts, which takes minutes, its tables' digest."""
    if needs_list(system):
        return {"name": system.outline.name, "tables": system.key}
    return to_definition(system.model)
