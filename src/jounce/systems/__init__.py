"""Ready-made models, one file each: ``jounce.systems.slender_rod()``.

A new system is a file with one function of the same name, and one line in each of the two lists below.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jounce.errors import ModelError, suggestion
from jounce.model import Model
from jounce.systems.ball_on_table import ball_on_table
from jounce.systems.belt_oscillator import belt_oscillator
from jounce.systems.bouncing_ball import bouncing_ball
from jounce.systems.cam_follower import cam_follower
from jounce.systems.double_pendulum import double_pendulum
from jounce.systems.falling_ball import falling_ball
from jounce.systems.four_bar import four_bar
from jounce.systems.impact_oscillator import impact_oscillator
from jounce.systems.manipulator import manipulator
from jounce.systems.painleve_rod import painleve_rod
from jounce.systems.quick_return import quick_return
from jounce.systems.rocking_block import rocking_block
from jounce.systems.slender_rod import slender_rod
from jounce.systems.slider_crank import slider_crank
from jounce.systems.two_discs import two_discs
from jounce.systems.wall_pendulum import compliant_wall_pendulum, wall_pendulum
from jounce.systems.wiper import wiper
from jounce.systems.woodpecker import woodpecker

SYSTEMS: dict[str, Callable[[], Model]] = {
    function.__name__: function
    for function in (
        bouncing_ball,
        ball_on_table,
        slender_rod,
        impact_oscillator,
        belt_oscillator,
        wall_pendulum,
        falling_ball,
        compliant_wall_pendulum,
        two_discs,
        painleve_rod,
        manipulator,
        double_pendulum,
        wiper,
        rocking_block,
        woodpecker,
        cam_follower,
        slider_crank,
        four_bar,
        quick_return,
    )
}

__all__ = [
    "SYSTEMS",
    "ball_on_table",
    "belt_oscillator",
    "bouncing_ball",
    "cam_follower",
    "compliant_wall_pendulum",
    "descriptions",
    "double_pendulum",
    "falling_ball",
    "find_system",
    "four_bar",
    "impact_oscillator",
    "manipulator",
    "painleve_rod",
    "quick_return",
    "rocking_block",
    "slender_rod",
    "slider_crank",
    "two_discs",
    "wall_pendulum",
    "wiper",
    "woodpecker",
]


def descriptions() -> dict[str, str]:
    """Name -> one line, without building any model."""
    return {name: (function.__doc__ or "").strip().partition("\n")[0] for name, function in SYSTEMS.items()}


def find_system(name: str) -> Callable[[], Model]:
    """The function that makes the model of this name."""
    if name not in SYSTEMS:
        raise ModelError(f"there is no system {name!r}; {suggestion(name, SYSTEMS, 'systems')}")
    return SYSTEMS[name]


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'jounce.systems' has no attribute {name!r}; {suggestion(name, __all__)}")
