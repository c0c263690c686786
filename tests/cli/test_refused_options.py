"""Options with values that make no sense: said in words, with what would do, before anything is computed."""

from __future__ import annotations

import os

import pytest

from tests.cli.test_refusals import GRID, RANGE, refused

BALL = "ball_on_table"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["simulate", BALL, "--on", "impact:table"], "an event and what it sets, like impact:foot:F=150"),
        (["simulate", BALL, "--joint-forces", "forces.png"], "ball_on_table has no joints"),
        (["sweep", BALL, *RANGE, "--number", "0"], "--number is 0; it must be from 1 to"),
        (["sweep", BALL, *RANGE, "--number", "99999999999"], "--number is 99999999999; it must be from 1 to"),
        (["sweep", BALL, *RANGE, "--step", "1e-12"], "--step 1e-12 makes more than"),
        (["orbit", BALL, "--settle", "-1"], "--settle -1: it must be a time of 0 or more"),
        (["orbit", BALL, "--closes", "y"], "'y' is not NAME=SHIFT; write it like x=2*L"),
        (["painleve", "painleve_rod", "--over", "theta=0:1"], "two state variables, like theta1=-0.8:0.8"),
        (["painleve", "painleve_rod", "--over", "theta=0:1,ome=0:1"], "unknown name 'ome'; valid coordinates"),
        (["reproduce", "lancioni2009", "--all"], "give a paper or --all, not both"),
        (["studio", BALL, "--port", "70000"], "--port is 70000; it must be between 0 and 65535"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_an_option_that_makes_no_sense(arguments, words, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert words in refused(capsys, *arguments)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "arguments",
    [["sweep", BALL, *RANGE, "--number", "2"], ["basins", *GRID], ["reproduce", "lancioni2009"]],
    ids=lambda words: words[0],
)
def test_a_folder_below_a_file(arguments, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes").write_text("kept", encoding="utf-8")
    assert "--out notes/results cannot be made: Not a directory" in refused(
        capsys, *arguments, "--out", "notes/results"
    )
    assert (tmp_path / "notes").read_text(encoding="utf-8") == "kept"
