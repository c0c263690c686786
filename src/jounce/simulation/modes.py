"""The mode of one contact, and the mode of a whole system as one integer, sum mode_i * MODE_BASE**i.

The kernels cut it into words of 17 contacts (kernels/records/words.py). Of up to 17 contacts it is the only word; of
more it is one of Python's integers, and arrays of modes have the dtype object.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from jounce.kernels.records import codes
from jounce.kernels.records.codes import MODE_BASE, WORD

_WORD_BITS = WORD * (MODE_BASE.bit_length() - 1)


class Mode(IntEnum):
    """What one contact does; the values are those of the kernels."""

    OPEN = codes.OPEN
    SLIP_POSITIVE = codes.SLIP_POSITIVE
    SLIP_NEGATIVE = codes.SLIP_NEGATIVE
    STICK = codes.STICK
    PRESSED = codes.PRESSED

    def __str__(self) -> str:
        return _LABELS[self]


_LABELS = {
    Mode.OPEN: "OPEN",
    Mode.SLIP_POSITIVE: "SLIP+",
    Mode.SLIP_NEGATIVE: "SLIP-",
    Mode.STICK: "STICK",
    Mode.PRESSED: "PRESSED",
}


def word_count(contacts: int) -> int:
    """How many words the mode of so many contacts has; at least one."""
    return max(-(-contacts // WORD), 1)


def code_type(contacts: int) -> type:
    """The dtype of arrays of modes."""
    return np.int64 if word_count(contacts) == 1 else object


def split_words(system_mode: ArrayLike, contacts: int) -> NDArray[np.int64]:
    """The words of modes: shape (...,) -> (..., words); all words of one that is not known are -1."""
    words = word_count(contacts)
    if words == 1:
        return np.asarray(system_mode, dtype=np.int64)[..., None]
    codes = np.asarray(system_mode, dtype=object)
    size = -(-words * _WORD_BITS // 8)
    held = b"".join(max(int(code), 0).to_bytes(size, "little") for code in codes.reshape(-1))
    bits = np.unpackbits(np.frombuffer(held, np.uint8).reshape(-1, size), axis=1, bitorder="little")
    digits = np.zeros((len(bits), words, 64), np.uint8)
    digits[:, :, :_WORD_BITS] = bits[:, : words * _WORD_BITS].reshape(-1, words, _WORD_BITS)
    found = np.packbits(digits, axis=2, bitorder="little").reshape(-1).view("<i8").reshape(*codes.shape, words)
    found[np.asarray(codes < 0, dtype=bool)] = -1
    return found


def join_words(words: NDArray[np.int64]) -> NDArray[Any]:
    """The modes of which these are the words: shape (..., words) -> (...,)."""
    if words.shape[-1] == 1:
        return words[..., 0]
    flat = np.ascontiguousarray(words, dtype="<i8").reshape(-1, words.shape[-1])
    bits = np.unpackbits(flat.view(np.uint8).reshape(*flat.shape, 8), axis=2, bitorder="little")[:, :, :_WORD_BITS]
    held = np.packbits(bits.reshape(len(flat), flat.shape[1] * _WORD_BITS), axis=1, bitorder="little")
    codes = np.empty(len(flat), dtype=object)
    codes[:] = [
        -1 if row[0] < 0 else int.from_bytes(own.tobytes(), "little") for row, own in zip(flat, held, strict=True)
    ]
    return codes.reshape(words.shape[:-1])


def mode_codes(system_mode: ArrayLike, contacts: int) -> NDArray[np.int64]:
    """The mode code of every contact: shape (...,) -> (..., contacts)."""
    words = split_words(system_mode, contacts)
    place = np.arange(contacts)
    return (words[..., place // WORD] // MODE_BASE ** (place % WORD)) % MODE_BASE


def codes_of(system_mode: int, contacts: int) -> list[int]:
    """The same of one mode."""
    digits = f"{system_mode:o}"[::-1].ljust(contacts, "0")
    return [int(digit) for digit in digits[:contacts]]


def mode_code(codes: ArrayLike) -> int:
    """The system mode from the mode code of every contact."""
    return code_of(np.asarray(codes).tolist())


def code_of(codes: list[int]) -> int:
    """The same, of a list of whole numbers."""
    return int("".join([str(int(code)) for code in reversed(codes)]) or "0", MODE_BASE)


def describe_mode(system_mode: int, contacts: list[str]) -> str:
    """A system mode for people: ``P1:STICK P2:OPEN``."""
    codes = mode_codes(system_mode, len(contacts))
    return " ".join(f"{name}:{Mode(int(code))}" for name, code in zip(contacts, codes, strict=True))
