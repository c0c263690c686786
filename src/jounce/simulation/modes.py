"""The mode of one contact, and the mode of a whole system as one integer."""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: A system mode is sum mode_i * MODE_BASE**i over the contacts i.
MODE_BASE = 8


class Mode(IntEnum):
    """What one contact does; the values are those of the kernels."""

    OPEN = 0
    SLIP_POSITIVE = 1
    SLIP_NEGATIVE = 2
    STICK = 3
    PRESSED = 4

    def __str__(self) -> str:
        return _LABELS[self]


_LABELS = {
    Mode.OPEN: "OPEN",
    Mode.SLIP_POSITIVE: "SLIP+",
    Mode.SLIP_NEGATIVE: "SLIP-",
    Mode.STICK: "STICK",
    Mode.PRESSED: "PRESSED",
}


def mode_codes(system_mode: ArrayLike, contacts: int) -> NDArray[np.int64]:
    """The mode code of every contact: shape (...,) -> (..., contacts)."""
    codes = np.asarray(system_mode, dtype=np.int64)[..., None]
    return (codes // MODE_BASE ** np.arange(contacts, dtype=np.int64)) % MODE_BASE


def mode_code(codes: ArrayLike) -> int:
    """The system mode from the mode code of every contact."""
    return int(sum(int(code) * MODE_BASE**i for i, code in enumerate(np.asarray(codes))))


def describe_mode(system_mode: int, contacts: list[str]) -> str:
    """A system mode for people: ``P1:STICK P2:OPEN``."""
    codes = mode_codes(system_mode, len(contacts))
    return " ".join(f"{name}:{Mode(int(code))}" for name, code in zip(contacts, codes, strict=True))
