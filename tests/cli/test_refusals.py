"""Input that no command can use: refused in words, before any work, and nothing is left behind."""

from __future__ import annotations

import builtins
import os
import signal
import subprocess
import sys
import time
from typing import Any

import pandas as pd
import pytest

import jounce
import jounce.__main__
from jounce.cli import main
from jounce.cli.output import replaced
from jounce.errors import StorageError

LONG = 300 * "a"  # longer than any file system takes
BALL = ["ball_on_table", "--set", "omega=3,e=0.9", "--start", "y=6.4", "--t-start", "1.5"]
GRID = ["ball_on_table", "--grid", "y=0:15:3,d_y=-1:1:3"]
RANGE = ["--parameter", "omega", "--from", "2.9", "--to", "3.1"]


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What is said of a command line that must fail with exit code 2, and not as a failure of Jounce itself."""
    try:
        code = main(list(arguments))
    except SystemExit as ended:  # of argparse
        code = ended.code
    assert code == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "unexpected" not in said
    assert "error: " in said
    return said


@pytest.mark.parametrize(
    "arguments",
    [
        ["systems", "--json", LONG],
        ["simulate", "ball_on_table", "--plot", LONG + ".png"],
        ["simulate", "ball_on_table", "--out", LONG + ".nc"],
        ["show", "ball_on_table", "--json", LONG],
        ["orbit", *BALL, "--out", LONG],
        ["sweep", "ball_on_table", *RANGE, "--out", LONG],
        ["basins", *GRID, "--out", LONG],
    ],
    ids=lambda words: words[0] + words[-2],
)
def test_a_name_that_no_file_can_have(arguments, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    said = refused(capsys, *arguments)
    assert "cannot be used" in said
    assert "too long" in said
    assert len(said) < 250
    assert os.listdir(tmp_path) == []


def test_an_empty_name(capsys) -> None:
    assert "--json is empty; give a path" in refused(capsys, "systems", "--json", "")


@pytest.mark.parametrize("option", ["--schedule", "--on", "--set", "--t-end", "--plot"])
def test_two_dashes_are_no_value(option, capsys) -> None:
    assert f"{option}: expected one argument" in refused(capsys, "simulate", "ball_on_table", f"{option}=--")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["orbit", *BALL, "--coordinate", "z"], "no such coordinate; valid coordinates: y"),
        (["continue", *BALL, *RANGE, "--variable", "max_z"], "did you mean 'max_y'?"),
        (["sweep", "ball_on_table", *RANGE, "--quantity", "d_z"], "did you mean 'd_y'?"),
    ],
    ids=lambda words: words[0],
)
def test_what_a_picture_is_to_show_is_checked_first(arguments, expected, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)

    def work(*_: object, **__: object) -> None:
        raise AssertionError("the work has begun")

    for name in ("find_orbit", "continue_orbit", "sweep"):
        monkeypatch.setattr(jounce, name, work)
    assert expected in refused(capsys, *arguments)
    assert os.listdir(tmp_path) == []


def test_a_branch_shows_multipliers_by_their_modulus(capsys, tmp_path) -> None:
    arguments = ["continue", *BALL, *RANGE, "--step", "0.1", "--variable", "multiplier_0", "--out", str(tmp_path)]
    assert main(arguments) == 0
    assert "Warning" not in capsys.readouterr().err
    branch = jounce.load(tmp_path / "branch.nc")
    assert jounce.plot.plot_branch(branch, "multiplier_0").axes[0].get_ylabel() == "modulus of multiplier 0"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["lyapunov", "ball_on_table", "--duration", "1e308"], "times can be followed"),
        (["lyapunov", "ball_on_table", "--duration", "1e-320"], "it must be longer"),
        (["lyapunov", *BALL, "--set", "omega=1e300", "--duration", "9"], "times can be followed"),
        (["orbit", *BALL, "--set", "omega=1e300"], "the forcing period of ball_on_table is 6.28319e-300 s"),
        (["continue", *BALL, *RANGE, "--step", "1e-320"], "lost in the rounding of omega"),
        (["simulate", "ball_on_table", "--start", "y=1e308"], "'y' is 1e+308 at the start: its square"),
        (["simulate", "ball_on_table", "--start", "d_y=-1e200"], "'d_y' is -1e+200 at the start: its square"),
    ],
    ids=lambda words: "-".join((words[0], *words[-2:])) if isinstance(words, list) else "",
)
def test_numbers_at_the_ends_of_double_precision(arguments, expected, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert expected in refused(capsys, *arguments)
    assert os.listdir(tmp_path) == []


def test_a_full_disk_leaves_the_old_file(tmp_path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("before")
    with pytest.raises(StorageError, match=r"table\.csv cannot be written: No space left"), replaced(path):
        raise OSError(28, "No space left on device")
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["table.csv"]


def test_ctrl_c_while_modules_are_imported(monkeypatch, capsys) -> None:
    """The command has not begun: what imports it answers."""
    imported = builtins.__import__

    def interrupted(name, *rest):
        if name == "jounce.cli":
            raise KeyboardInterrupt
        return imported(name, *rest)

    monkeypatch.setattr(builtins, "__import__", interrupted)
    assert jounce.__main__.main() == 130
    assert capsys.readouterr().err == "jounce: interrupted\n"


@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_command_in_one_line(number, code, monkeypatch, capsys, tmp_path) -> None:
    """Also while a file is written, of which nothing is left."""
    monkeypatch.chdir(tmp_path)
    before = signal.getsignal(signal.SIGTERM)

    def write(self: object, path: object, **_: object) -> None:
        with open(str(path), "w", encoding="utf-8") as file:
            file.write("half")
        os.kill(os.getpid(), number)
        time.sleep(5.0)

    monkeypatch.setattr(pd.DataFrame, "to_csv", write)
    assert main(["simulate", "ball_on_table", "--t-end", "1", "--events", "e.csv"]) == code
    said = capsys.readouterr().err
    assert said.startswith("jounce: ")
    assert len(said.splitlines()) == 1
    assert os.listdir(tmp_path) == []
    assert signal.getsignal(signal.SIGTERM) == before


def _piped(*arguments: str, **redirected: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "jounce", *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, timeout=120, check=False, **redirected)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_standard_output_that_is_closed_or_full() -> None:
    closed = _piped("systems", preexec_fn=lambda: os.close(1))
    assert (closed.returncode, closed.stderr) == (0, "")
    with open("/dev/full", "w", encoding="utf-8") as full:
        for arguments in (["systems"], ["show", "ball_on_table", "--json", "-"]):
            ended = _piped(*arguments, stdout=full)
            assert ended.returncode == 2
            assert ended.stderr.startswith("jounce: error: standard output cannot be used: No space left on device")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_what_standard_output_refused_is_not_written_again() -> None:
    """Python flushes standard output once more at its end: the exit code was 120 where anything was left by then."""
    later = (
        "import atexit, sys; from jounce.cli import main; atexit.register(print, 'more'); sys.exit(main(['systems']))"
    )
    with open("/dev/full", "w", encoding="utf-8") as full:
        ended = subprocess.run(
            [sys.executable, "-c", later], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120
        )
    assert ended.returncode == 2
    assert "Exception ignored" not in ended.stderr


def test_a_run_that_cannot_be_kept_is_named(tmp_path, monkeypatch, capsys) -> None:
    """By the name that was typed, not by that of the file beside it."""
    monkeypatch.chdir(tmp_path)

    def write(self: object, path: object) -> None:
        raise StorageError(f"{path} cannot be written: File too large; nothing was changed")

    monkeypatch.setattr(jounce.Trajectory, "save", write)
    said = refused(capsys, "simulate", "ball_on_table", "--t-end", "1", "--out", "run.nc")
    assert said == "jounce: error: run.nc cannot be written: File too large; nothing was changed"
    assert os.listdir(tmp_path) == []
