"""What can happen at a point in time, and the table of everything that happened."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.kernels.records import codes
from jounce.simulation.law import Law
from jounce.simulation.modes import Mode

if TYPE_CHECKING:
    import pandas as pd

    from jounce.simulation.run_data import RunData


class EventKind(IntEnum):
    """The kinds of event, numbered as the kernels number them."""

    IMPACT = codes.IMPACT
    CHATTER = codes.CHATTER
    LIFT_OFF = codes.LIFT_OFF
    STICK = codes.STICK_BEGINS
    SLIP = codes.SLIP_BEGINS
    REVERSAL = codes.REVERSAL
    TOUCH = codes.TOUCH
    SEPARATE = codes.SEPARATE
    GRAZING = codes.GRAZING
    PARADOX = codes.PARADOX
    SCHEDULE = codes.SCHEDULE
    USER = codes.USER
    RESET = codes.RESET_EVENT

    def __str__(self) -> str:
        return self.name.lower()


#: Columns of RunData.event_float, in order.
FLOAT_COLUMNS = ("t", "v_n_before", "v_n_after", "v_t_before", "v_t_after", "p_n", "p_t", "energy_loss")

#: Columns of RunData.event_int, in order.
INT_COLUMNS = ("kind", "contact", "mode_before", "mode_after", "law", "region", "step", "face")

#: Columns of the public table, in order.
TABLE_COLUMNS = (
    "t",
    "kind",
    "contact",
    "mode_before",
    "mode_after",
    "v_n_before",
    "v_n_after",
    "v_t_before",
    "v_t_after",
    "p_n",
    "p_t",
    "law",
    "region",
    "energy_loss",
    "guard",
    "reset",
    "face",
)


def event_columns(data: RunData, contacts: list[str], guards: list[str], resets: list[str]) -> dict[str, Any]:
    """The events by columns, with names instead of codes; NaN or None where a column has no meaning.

    A row without a law (code -1) transferred no impulse, so p_n, p_t and energy_loss are NaN there;
    a row without a contact (code -1: a schedule, a user guard, a reset) has no modes and no velocities; ``guard`` names
    the user guard of a row of kind user, ``reset`` the reset of a row of kind reset; energy_loss is what it takes.
    ``face`` is the number of the face that a sharp corner strikes or goes on upon: of a polygon the k-th one leads from
    its k-th corner to the next; 1 is the side of an edge, 2 and 3 are its end and its start. NaN for other contacts.
    """
    floats = {name: data.event_float[:, k].copy() for k, name in enumerate(FLOAT_COLUMNS)}
    codes = {name: data.event_int[:, k] for k, name in enumerate(INT_COLUMNS)}
    no_contact, no_law = codes["contact"] < 0, codes["law"] < 0
    for name in ("v_n_before", "v_n_after", "v_t_before", "v_t_after"):
        floats[name][no_contact] = np.nan
    is_reset = codes["kind"] == EventKind.RESET
    for name in ("p_n", "p_t", "energy_loss"):
        floats[name][no_law & ~is_reset] = np.nan
    kinds = {int(kind): str(kind) for kind in EventKind}
    modes = {int(mode): str(mode) for mode in Mode}
    laws = {int(law): law.name.lower() for law in Law}
    is_user = codes["kind"] == EventKind.USER
    columns: dict[str, Any] = {
        **floats,
        "kind": _named(codes["kind"], kinds),
        "contact": _named(codes["contact"], dict(enumerate(contacts))),
        "mode_before": _named(np.where(no_contact, -1, codes["mode_before"]), modes),
        "mode_after": _named(np.where(no_contact, -1, codes["mode_after"]), modes),
        "law": _named(codes["law"], laws),
        "region": np.where((codes["region"] < 0) | is_reset, np.nan, codes["region"].astype(float)),
        "guard": _named(np.where(is_user, codes["region"], -1), dict(enumerate(guards))),
        "reset": _named(np.where(is_reset, codes["region"], -1), dict(enumerate(resets))),
        "face": np.where(no_contact | (codes["face"] <= 0), np.nan, codes["face"].astype(float)),
    }
    return {name: columns[name] for name in TABLE_COLUMNS}


def event_table(data: RunData, contacts: list[str], guards: list[str], resets: list[str]) -> pd.DataFrame:
    """``event_columns`` as a pandas table, NaN where a column has no meaning."""
    import pandas as pd

    columns = event_columns(data, contacts, guards, resets)
    texts = {name: pd.Series(column, dtype="str") for name, column in columns.items() if isinstance(column, list)}
    return pd.DataFrame({**columns, **texts})


def _named(codes: np.ndarray, names: dict[int, str]) -> list[str | None]:
    """Codes -> names; a code without a name (-1) becomes None."""
    return [names.get(int(code)) for code in codes]
