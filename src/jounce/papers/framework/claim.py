"""A claim of a paper, what we find instead of or beside it, and the verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from jounce.errors import OptionError, suggestion

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Verdict(Enum):
    """What became of a claim."""

    HOLDS = "holds"
    WRONG = "WRONG"
    UNFINISHED = "unfinished"

    def __str__(self) -> str:
        return self.value

    @property
    def meaning(self) -> str:
        """The verdict in a sentence."""
        return _MEANINGS[self]


_MEANINGS = {
    Verdict.HOLDS: "ours agrees within one unit of the last digit printed, or word for word",
    Verdict.WRONG: "ours differs from what is printed",
    Verdict.UNFINISHED: "what is printed belongs to a motion that had not settled yet; ours belongs to the settled one",
}


@dataclass(frozen=True)
class Claim:
    """One number or statement of a paper.

    name        an identifier, also the name of the figure's file
    statement   what is claimed, in a few words
    where       section, figure or equation
    parameters  those that matter, as text
    printed     the value as printed: a decimal number, or words
    compute     () -> a number or words, to be compared with ``printed``
    figure      () -> a picture that shows it
    expected    the verdict found independently of this code; the tests compare
    note        why, where ours differs
    detail      () -> more about ours than the paper says: times, periods; computed, printed after ours, not judged
    """

    name: str
    statement: str
    where: str
    parameters: str
    printed: str
    compute: Callable[[], float | str]
    figure: Callable[[], Figure] | None = None
    expected: Verdict = Verdict.HOLDS
    note: str = ""
    detail: Callable[[], str] | None = None

    @property
    def is_number(self) -> bool:
        """Whether the paper prints a number."""
        try:
            float(self.printed)
        except ValueError:
            return False
        return True

    def judge(self, ours: float | str) -> Verdict:
        """Compare ours with the paper's; a value that differs is called what the claim's history says it is."""
        if self.is_number and isinstance(ours, (int, float)):
            agrees = abs(ours - float(self.printed)) <= unit_of_last_digit(self.printed) * (1 + 1e-9)
        else:
            agrees = str(ours) == self.printed
        if agrees:
            return Verdict.HOLDS
        return Verdict.UNFINISHED if self.expected is Verdict.UNFINISHED else Verdict.WRONG


@dataclass(frozen=True)
class Paper:
    """A paper: where it appeared, what it claims, what is misprinted in it."""

    name: str
    citation: str
    summary: str
    claims: tuple[Claim, ...]
    misprints: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()  # what the text leaves open and how we read it

    def claim(self, name: str) -> Claim:
        """The claim of this name."""
        names = [claim.name for claim in self.claims]
        if name not in names:
            raise OptionError(f"{self.name} has no claim {name!r}; {suggestion(name, names, 'claims')}")
        return self.claims[names.index(name)]


@dataclass(frozen=True)
class Result:
    """What computing one claim gave."""

    paper: str
    claim: Claim = field(repr=False)
    ours: float | str
    verdict: Verdict
    seconds: float
    cached: bool = False
    detail: str = ""

    @property
    def as_expected(self) -> bool:
        """Whether the verdict is the one found independently."""
        return self.verdict is self.claim.expected

    def ours_text(self) -> str:
        """Ours, with three digits more than the paper prints, and its detail."""
        text = self.ours if isinstance(self.ours, str) else self._number(self.ours)
        return f"{text} ({self.detail})" if self.detail else text

    def _number(self, value: float) -> str:
        decimals = len(self.claim.printed.partition(".")[2]) if self.claim.is_number else 4
        return f"{value:.{min(decimals + 3, 9)}f}"

    def content(self) -> dict[str, Any]:
        """For JSON."""
        claim = self.claim
        return {
            "paper": self.paper,
            "claim": claim.name,
            "statement": claim.statement,
            "where": claim.where,
            "parameters": claim.parameters,
            "printed": claim.printed,
            "ours": self.ours,
            "detail": self.detail,
            "verdict": str(self.verdict),
            "expected": str(claim.expected),
            "note": claim.note,
            "seconds": self.seconds,
        }


def unit_of_last_digit(printed: str) -> float:
    """``"0.390"`` -> 0.001."""
    mantissa, _, exponent = printed.lower().partition("e")
    decimals = len(mantissa.partition(".")[2])
    return float(10.0 ** (int(exponent or 0) - decimals))
