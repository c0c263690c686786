"""Rows of events name the face of every impulse, audits verify it, and runs that are cut go on from the same face."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import jounce
from jounce.simulation.events import INT_COLUMNS
from jounce.simulation.trajectory import Trajectory
from tests.families.check import failures_of, simulate
from tests.families.cornered import FAMILIES

GROOVE = {family.name: family for family in FAMILIES}["groove"]
FACE, CONTACT, LAW = (INT_COLUMNS.index(name) for name in ("face", "contact", "law"))


@cache
def in_groove() -> Trajectory:
    """A box that comes to rest in a groove, with impulses along four faces of three outlines."""
    return simulate(GROOVE, GROOVE.sample(111500018))


def with_face(run: Trajectory, row: int, face: int) -> Trajectory:
    rows = run.data.event_int.copy()
    rows[row, FACE] = face
    return Trajectory(replace(run.data, event_int=rows), run.model)


def test_every_impulse_names_a_face_of_the_other_outline() -> None:
    run = in_groove()
    rows = run.data.event_int[run.data.event_int[:, LAW] >= 0]
    assert len(rows) > 10
    assert run.audit("dense").empty
    assert ((rows[:, FACE] >= 1) & (rows[:, FACE] <= 4)).all()
    names = [run.contacts[k] for k in rows[:, CONTACT]]
    slopes = {name: face for name, face in zip(names, rows[:, FACE].tolist(), strict=True) if "_a_" in name}
    # the outline of the left block goes up its slope from the bottom of the groove, that of the right one down to it
    assert all(face == (1 if name.startswith("left") else 4) for name, face in slopes.items())


@pytest.mark.parametrize("face", [2, 3, 4])
def test_a_face_that_was_not_struck_is_found(face: int) -> None:
    """A hidden side of a block, the far side, the side below: the jump disagrees, and the corner cannot be there."""
    run = in_groove()
    row = int(np.flatnonzero((run.data.event_int[:, LAW] >= 0) & (run.data.event_int[:, FACE] == 1))[0])
    found = set(with_face(run, row, face).audit("dense")["what"])
    assert "impulse along a face on which its contact is not" in found
    assert "velocity jumps without its impulse" in found


def test_a_state_carries_the_faces_of_closed_contacts() -> None:
    run = in_groove()
    end = run.final
    closed = [k for k, mode in enumerate(end.mode_names) if mode != "OPEN"]
    assert closed
    assert (end.faces[closed] > 0).all()
    inside = run.at(run.t_end - 0.1)
    assert inside.faces[closed].tolist() == end.faces[closed].tolist()
    goes_on = jounce.simulate(run.system, inside, inside.t + 0.2, options=run.options, **run.parameters)
    assert goes_on.status.name == "AT_REST"
    assert goes_on.data.faces_start.tolist() == inside.faces.tolist()
    assert goes_on.final.faces[closed].tolist() == end.faces[closed].tolist()


def test_a_file_keeps_the_faces(tmp_path) -> None:  # type: ignore[no-untyped-def]
    run = in_groove()
    run.save(tmp_path / "groove.nc")
    again = jounce.load(tmp_path / "groove.nc")
    assert isinstance(again, Trajectory)
    assert np.array_equal(again.data.event_int, run.data.event_int)
    assert again.final.faces.tolist() == run.final.faces.tolist()


@pytest.mark.parametrize(
    "seed",
    [
        111500185,  # joint impacts of corners that are near: several faces at one place
        111500251,  # impacts of 1e-11 along another face than the place says
        112500006,  # a rebound of 1e-7 next to a dead centre: to stop it took the whole motion
        121500075,  # a corner that grazes next to a dead centre, which is an impact
        112500078,  # corners that depend on one another so closely that not both can be stopped
        121500019,  # an accumulation in which the corner that is left alone took part
        112500192,
    ],
)
def test_boxes_in_grooves(seed: int) -> None:
    assert failures_of(GROOVE, seed) == []
