"""``jounce show NAME``: coordinates, parameters and contacts of one system."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING, Any

from jounce.cli.arguments import SYSTEM_HELP, find_model
from jounce.cli.output import check_writable, write_json
from jounce.model.names import is_integral

if TYPE_CHECKING:
    from jounce.model.model import Model


def add_parser(
    subparsers: argparse._SubParsersAction[argparse.ArgumentParser], shared: argparse.ArgumentParser
) -> None:
    """Register the command."""
    parser = subparsers.add_parser("show", parents=[shared], help="coordinates, parameters and contacts of a system")
    parser.add_argument("system", metavar="SYSTEM", help=SYSTEM_HELP)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Print what a system is made of."""
    check_writable(arguments.json, "--json")
    content = describe(find_model(arguments.system))
    if arguments.json != "-":
        print(as_text(content))
    write_json(content, arguments.json)
    return 0


def describe(model: Model) -> dict[str, Any]:
    """The facts about a model, ready for text or JSON."""
    return {
        "name": model.name,
        "description": model.description,
        "source": model.source,
        "coordinates": [
            {"name": name, "unit": unit, "start": model.start.get(name, 0.0), "velocity": f"d_{name}"}
            for name, unit in model.coordinates.items()
            if not is_integral(name)
        ],
        "internal_states": [
            {"name": name, "unit": model.velocity_units[name], "start": model.start.get(name, 0.0), "rate": str(rate)}
            for name, rate in model.internal_states.items()
        ],
        "parameters": [
            {"name": p.name, "default": p.default, "unit": p.unit, "description": p.description}
            for p in model.parameters.values()
        ],
        "contacts": [
            {
                "name": contact.name,
                "gap": str(contact.gap),
                "slip": None if contact.slip is None else str(contact.slip),
                "friction": str(contact.friction),
                "static_friction": str(contact.static_friction),
                "restitution": str(contact.restitution),
                "law": contact.law,
            }
            for contact in model.contacts
        ],
        "joints": {name: str(expression) for name, expression in model.joints.items()},
        "period": None if model.period is None else str(model.period),
    }


def as_text(content: dict[str, Any]) -> str:
    """The facts as a page for people."""
    lines = [
        content["name"],
        *textwrap.wrap(content["description"] or "", 96, initial_indent="  ", subsequent_indent="  "),
    ]
    if content["source"]:
        lines += textwrap.wrap(f"Source: {content['source']}", 96, initial_indent="  ", subsequent_indent="  ")
    lines += ["", "Coordinates (velocities are d_<coordinate>)"]
    lines += _table([[c["name"], f"[{c['unit'] or '1'}]", f"start {c['start']:g}"] for c in content["coordinates"]])
    if content["internal_states"]:
        lines += ["", "Internal states"]
    lines += _table(
        [
            [z["name"], f"[{z['unit'] or '1'}]", f"start {z['start']:g}", f"rate {z['rate']}"]
            for z in content["internal_states"]
        ]
    )
    lines += ["", "Parameters"]
    rows = [
        [p["name"], f"{p['default']:g}", f"[{p['unit'] or '1'}]", p["description"] or ""] for p in content["parameters"]
    ]
    lines += _table(rows) or ["  none"]
    lines += ["", "Contacts"]
    for contact in content["contacts"]:
        lines.append(f"  {contact['name']}")
        lines.append(f"    gap          {contact['gap']}")
        if contact["slip"] is None:
            lines.append("    frictionless")
        else:
            lines.append(f"    slip         {contact['slip']}")
            static = contact["static_friction"]
            also = "" if static == contact["friction"] else f" (static {static})"
            lines.append(f"    friction     {contact['friction']}{also}")
        lines.append(f"    restitution  {contact['restitution']}")
    if not content["contacts"]:
        lines.append("  none")
    if content["joints"]:
        lines += ["", "Joints", *_table([[name, f"{text} = 0"] for name, text in content["joints"].items()])]
    if content["period"]:
        lines += ["", f"Forcing period: {content['period']} s"]
    return "\n".join(lines)


def _table(rows: list[list[str]]) -> list[str]:
    if not rows:
        return []
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    cells = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    return [f"  {line}".rstrip() for line in cells]
