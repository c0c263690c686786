"""Parts of machines that contradict themselves: refused where they are made, with what to give instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jounce import (
    Body,
    CircleOn,
    Model,
    ModelError,
    PointOn,
    Revolute,
    Spring,
    Translational,
    contact_between,
    coordinate,
    discrete,
    ground,
    rate_and_state,
    sampled,
)

BAR, WHEEL = Body("bar", 1, 1), Body("wheel", 1, 1)
X, DX = coordinate("x", "m")
LAW = {"normal": 1, "mu": 0.5, "a": 0.01, "b": 0.02, "length": 1e-3, "reference": 1e-3}


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: PointOn(BAR, (1, 2, 3)), r"the place must be a pair \(a, b\), not \(1, 2, 3\)"),
        (lambda: PointOn(BAR, (0, 0), 0.1), r"PointOn has no radius; use CircleOn"),
        (lambda: Spring(BAR, BAR, stiffness=1.0), r"between 'bar' and itself; give two different bodies"),
        (lambda: Revolute("r", BAR, BAR), r"joins 'bar' to itself; give two different bodies"),
        (lambda: Revolute("r", ground, BAR, friction=0.1), r"friction but no radius; give radius="),
        (lambda: Translational("r", ground, BAR, length=0.1), r"a length but no friction; give friction="),
        (lambda: contact_between("k", PointOn(BAR), CircleOn(BAR, (1, 1), 1)), r"both sides belong to 'bar'"),
        (lambda: Model.from_bodies("m", bodies=[]), r"at least one Body"),
        (lambda: Body("b", 1, 1, shapes=["circle"]), r"expected shapes Segment"),
        (lambda: Model.from_bodies("m", bodies=[BAR], coordinates=[X]), r"coordinates= belongs to minimal="),
        (
            lambda: Model.from_bodies("m", bodies=[BAR, WHEEL], coordinates=[X], minimal={BAR: (X, 0, 0)}),
            r"the pose of 'wheel' is missing; every body needs one",
        ),
        (lambda: Model("m", coordinates=[], mass=[], forces=[]), r"at least one coordinate"),
        (lambda: sampled({discrete("u", 0): -X}, every=0.1, delay=-1), r"the delay is -1; it must not be negative"),
        (lambda: sampled({discrete("u", 0): -X}, every=0), r"every is 0; it must be a positive time"),
        (lambda: sampled([-X], every=0.1), r"expected a dictionary \{discrete state: expression\}"),
        (lambda: rate_and_state(DX, **LAW, law="agein"), r"'agein' is no law; did you mean 'aging'"),
        (lambda: Model.from_text("a = " + 500 * "[" + 500 * "]"), r"nested too deeply"),
    ],
)
def test_a_part_that_contradicts_itself(make: Callable[[], Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        make()


def test_what_is_right_is_made() -> None:
    """The same parts with what the messages ask for."""
    Revolute("r", ground, BAR, friction=0.1, radius=0.01)
    Translational("g", ground, BAR, length=0.1, friction=0.1)
    contact_between("k", PointOn(BAR), CircleOn(WHEEL, (1, 1), 1))
    Model.from_bodies("m", bodies=[BAR], coordinates=[X], minimal={BAR: (X, 0, 0)})
    sampled({discrete("u", 0): -X}, every=0.1, delay=0)
    rate_and_state(DX, **LAW, law="aging")
