"""A result as a small table of HTML, for notebooks: needs nothing but text."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def summary(title: str, facts: Mapping[str, Any], *tables: str) -> str:
    """A title, facts by name, and further tables below them."""
    rows = "".join(f"<tr><th style='text-align:left'>{_text(k)}</th><td>{_text(v)}</td></tr>" for k, v in facts.items())
    return f"<div><strong>{_text(title)}</strong><table>{rows}</table>{''.join(tables)}</div>"


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Rows under column titles."""
    head = "".join(f"<th>{_text(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{_text(value)}</td>" for value in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _text(value: Any) -> str:
    return html.escape(f"{value:.8g}" if isinstance(value, float) else str(value))
