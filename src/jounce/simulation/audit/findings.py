"""What an audit can find, and the words for it."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from jounce.kernels.audit import record


class Finding(IntEnum):
    """What is wrong; what the kernels find is numbered as they number it."""

    PENETRATION = record.PENETRATION
    LEFT_SURFACE = record.LEFT_SURFACE
    LEAVING_SURFACE = record.LEAVING_SURFACE
    SLIP_AGAINST_MODE = record.SLIP_AGAINST_MODE
    STICK_SLIPS = record.STICK_SLIPS
    PULLING = record.PULLING
    OUTSIDE_CONE = record.OUTSIDE_CONE
    WRONG_ACCELERATION = record.WRONG_ACCELERATION
    VELOCITY_MISMATCH = record.VELOCITY_MISMATCH
    JOINT_OPEN = record.JOINT_OPEN
    JOINT_RATE = record.JOINT_RATE
    POSITION_JUMP = record.POSITION_JUMP
    MOMENTUM_JUMP = record.MOMENTUM_JUMP
    IMPULSE_PULLS = record.IMPULSE_PULLS
    IMPULSE_OUTSIDE_CONE = record.IMPULSE_OUTSIDE_CONE
    ENERGY_GAINED = record.ENERGY_GAINED
    FRICTION_GIVES = record.FRICTION_GIVES
    NOT_FINITE = record.NOT_FINITE
    LEDGER = 18
    LAW = 19
    RESET = 20
    SWITCH = 21
    SIDE = record.SIDE
    TOO_MANY_NEAR = record.TOO_MANY_NEAR
    LIMIT = record.LIMIT
    WRONG_FACE = record.WRONG_FACE
    NEGATIVE_FRICTION = record.NEGATIVE_FRICTION

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
    Finding.NOT_FINITE: ("record is not finite, or the squares in it are not", ""),
    Finding.LEDGER: ("ledger open", "energy"),
    Finding.LAW: ("impact disagrees with its law", "impulse"),
    Finding.RESET: ("state behind a reset is not that of its map", "coordinate, velocity or discrete state"),
    Finding.SWITCH: ("switch slides while a contact pushes along its surface", "duration"),
    Finding.SIDE: ("switch is not on the side of its surface", "surface"),
    Finding.LIMIT: ("switch slides beyond its limits", "square of a rate"),
    Finding.WRONG_FACE: ("impulse along a face on which its contact is not", "length"),
    Finding.NEGATIVE_FRICTION: ("friction or preload below zero", "coefficient, or force"),
    Finding.TOO_MANY_NEAR: ("more contacts are near one another than the audit looks at", ""),
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
