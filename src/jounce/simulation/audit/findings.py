"""What an audit can find, and the words for it."""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Finding(IntEnum):
    """What is wrong; the numbers below LEDGER are those of kernels/audit/record.py."""

    PENETRATION = 0
    LEFT_SURFACE = 1
    LEAVING_SURFACE = 2
    SLIP_AGAINST_MODE = 3
    STICK_SLIPS = 4
    PULLING = 5
    OUTSIDE_CONE = 6
    WRONG_ACCELERATION = 7
    VELOCITY_MISMATCH = 8
    JOINT_OPEN = 9
    JOINT_RATE = 10
    POSITION_JUMP = 11
    MOMENTUM_JUMP = 12
    IMPULSE_PULLS = 13
    IMPULSE_OUTSIDE_CONE = 14
    ENERGY_GAINED = 15
    FRICTION_GIVES = 16
    NOT_FINITE = 17
    LEDGER = 18
    LAW = 19
    RESET = 20
    SWITCH = 21

    def __str__(self) -> str:
        return _WORDS[self][0]

    @property
    def unit(self) -> str:
        """Of the amount, in the units of the model."""
        return _WORDS[self][1]


_WORDS = {
    Finding.PENETRATION: ("penetration", "gap"),
    Finding.LEFT_SURFACE: ("closed contact has a gap", "gap"),
    Finding.LEAVING_SURFACE: ("closed contact moves along its normal", "normal velocity"),
    Finding.SLIP_AGAINST_MODE: ("slip against the mode", "slip velocity"),
    Finding.STICK_SLIPS: ("stick slips", "slip velocity"),
    Finding.PULLING: ("normal force pulls", "force"),
    Finding.OUTSIDE_CONE: ("friction outside its law", "force"),
    Finding.WRONG_ACCELERATION: ("acceleration without forces", "force over the root of a mass"),
    Finding.VELOCITY_MISMATCH: ("velocity is not the rate of its coordinate", "velocity"),
    Finding.JOINT_OPEN: ("joint open", "length or angle"),
    Finding.JOINT_RATE: ("joint opens", "velocity"),
    Finding.POSITION_JUMP: ("coordinate jumps", "length or angle"),
    Finding.MOMENTUM_JUMP: ("velocity jumps without its impulse", "impulse over the root of a mass"),
    Finding.IMPULSE_PULLS: ("impulse pulls", "impulse"),
    Finding.IMPULSE_OUTSIDE_CONE: ("impulse outside its cone", "impulse"),
    Finding.ENERGY_GAINED: ("impact gives energy", "energy"),
    Finding.FRICTION_GIVES: ("friction gives energy", "power"),
    Finding.NOT_FINITE: ("record is not finite", ""),
    Finding.LEDGER: ("ledger open", "energy"),
    Finding.LAW: ("impact disagrees with its law", "impulse"),
    Finding.RESET: ("state behind a reset is not that of its map", "coordinate, velocity or discrete state"),
    Finding.SWITCH: ("switch slides while a contact pushes along its surface", "duration"),
}

#: Columns of a row of findings: t, contact (-1: none, -2 - k: joint k), what, amount, limit.
FINDING_COLUMNS = 5


def place_name(code: int, contacts: list[str], joints: tuple[str, ...]) -> str | None:
    """The contact or joint of a row of findings."""
    if code == -1:
        return None
    return contacts[code] if code >= 0 else joints[-2 - code]


def no_findings() -> np.ndarray:
    """A clean audit."""
    return np.empty((0, FINDING_COLUMNS))
