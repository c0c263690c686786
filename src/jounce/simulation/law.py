"""The laws of impact by name, and what the numbers of their regions mean."""

from __future__ import annotations

from enum import IntEnum

from jounce.errors import OptionError, suggestion
from jounce.kernels.records import codes


class Law(IntEnum):
    """A law of impact; the numbers are those of the kernels. See docs/impact-laws.md.

    >>> jounce.Law.parse("poisson"), len(list(jounce.Law))
    (<Law.POISSON: 1>, 9)
    """

    ENERGETIC = codes.ENERGETIC
    POISSON = codes.POISSON
    NEWTON = codes.NEWTON
    WHITTAKER = codes.WHITTAKER
    SMITH = codes.SMITH
    BRACH = codes.BRACH
    BRACH_EXTENDED = codes.BRACH_EXTENDED
    POISSON_TWO_PHASE = codes.POISSON_TWO_PHASE
    CHATTERJEE_RUINA = codes.CHATTERJEE_RUINA

    def __str__(self) -> str:
        return self.name.lower()

    @classmethod
    def names(cls) -> list[str]:
        """The names as a user writes them."""
        return [str(law) for law in cls]

    @classmethod
    def parse(cls, law: Law | str) -> Law:
        """The law of a name; a wrong name raises an error that lists the valid ones."""
        if isinstance(law, Law):
            return law
        if isinstance(law, str) and law in cls.names():
            return cls[law.upper()]
        raise OptionError(f"unknown law of impact {law!r}: {suggestion(str(law), cls.names(), 'laws')}")

    @property
    def follows_process(self) -> bool:
        """Whether the law follows slip and stick through the impact, rather than relating its two ends."""
        return self <= Law.NEWTON

    @property
    def may_add_energy(self) -> bool:
        """Whether the law can increase the kinetic energy for 0 <= e <= 1."""
        return self in (Law.NEWTON, Law.WHITTAKER, Law.BRACH)

    @property
    def tangential_range(self) -> tuple[float, float]:
        """The valid tangential restitutions; (0, 0) when the law has none."""
        if self is Law.CHATTERJEE_RUINA:
            return -1.0, 1.0
        return (0.0, 1.0) if self in (Law.POISSON_TWO_PHASE, Law.WHITTAKER) else (0.0, 0.0)


_PROCESS_REGIONS = (
    "slip throughout",
    "slip, stick in restitution",
    "slip, stick in compression",
    "slip, reversal in restitution",
    "slip, reversal in compression",
)
_REGIONS = {
    0: "no impulse",
    11: "frictionless",
    12: "locked",
    13: "joints rub along",
    21: "slip kept",
    22: "stick",
    23: "slip reversed",
    31: "friction bound",
    32: "stick bound",
    61: "within the friction cone",
    62: "on the friction cone",
}
_MOTIONS = {1: "slip+", 2: "slip-", 3: "stick"}
_BOUNDS = {1: "friction bound", 2: "stick bound", 3: "energy bound"}


def region_name(region: int) -> str:
    """Words for the region that a law reports."""
    if 1 <= region <= 10:
        start = "+" if region % 2 else "-"
        return f"{_PROCESS_REGIONS[(region - 1) // 2]} ({start})"
    if region in _REGIONS:
        return _REGIONS[region]
    if 200 < region < 300:
        return f"compression {_MOTIONS[region // 10 % 10]}, expansion {_MOTIONS[region % 10]}"
    if 100 < region < 200:
        return f"case {region // 10 % 10}, {_BOUNDS[region % 10]}"
    return f"region {region}"
