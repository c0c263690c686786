"""Signatures for people: the events of one period of a periodic motion, in order."""

from __future__ import annotations

from functools import lru_cache

from jounce.kernels.records.attractor_codes import REPEATS, SIGNATURE_ENTRIES
from jounce.simulation.events import EventKind
from jounce.simulation.modes import Mode

QUIET = "no event"


@lru_cache(maxsize=4096)
def signature_text(
    entries: tuple[int, ...], length: int, contacts: tuple[str, ...], resets: tuple[str, ...] = ()
) -> str:
    """``table impact ×2, table chatter → SLIP+, table lift_off``; the same wherever on the orbit it begins."""
    if length == 0:
        return QUIET
    pairs = [divmod(entry, REPEATS) for entry in entries[: min(abs(length), SIGNATURE_ENTRIES)]]
    whole = 0 < length <= SIGNATURE_ENTRIES
    if whole:
        pairs = _canonical(pairs)
    text = ", ".join(_entry(code, times, contacts, resets) for code, times in pairs)
    return text if whole else f"{text}, …"


def _canonical(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Equal events at both ends joined, then the smallest of all rotations."""
    if len(pairs) > 1 and pairs[0][0] == pairs[-1][0]:
        pairs = [(pairs[0][0], pairs[0][1] + pairs[-1][1]), *pairs[1:-1]]
    return min(pairs[k:] + pairs[:k] for k in range(len(pairs)))


def _entry(code: int, times: int, contacts: tuple[str, ...], resets: tuple[str, ...]) -> str:
    sixteens, rest = divmod(code, 4096)
    rest, after = divmod(rest, 16)
    kind, contact = divmod(rest, 16)
    contact += 16 * sixteens
    words = [contacts[contact - 1]] if contact > 0 else []
    words.append(str(EventKind(kind)))
    if EventKind(kind) is EventKind.RESET:
        words.append(resets[after - 1])
    elif after > 1 and EventKind(kind) is not EventKind.STICK:
        words.append(f"→ {Mode(after - 1)}")
    if times > 1:
        words.append(f"×{times}")
    return " ".join(words)
