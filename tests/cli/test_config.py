"""Options from files: --config run.toml, --set @p.toml; tables on standard output."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from jounce.cli import main
from jounce.cli.arguments import parse_numbers
from jounce.errors import JounceError

RUN = """\
system = "bouncing_ball"
t-end = 0.8
set = { e = 0.5, g = 9.81 }
start = { y = 1 }
schedule = ["t=0.7:e=0.25"]
"""


def test_a_config_is_what_would_be_typed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.toml"
    path.write_text(RUN)
    outputs = []
    for line in (
        ["simulate", "--config", str(path), "--json", "-"],
        ["simulate", "bouncing_ball", f"--config={path}", "--set", "e=0.5", "--json", "-"],
        ["simulate", "bouncing_ball", "--t-end", "0.8", "--set", "e=0.5,g=9.81", "--start", "y=1", "--json", "-",
         "--schedule", "t=0.7:e=0.25"],
    ):  # fmt: skip
        assert main(line) == 0
        outputs.append(json.loads(capsys.readouterr().out))
        outputs[-1].pop("wall_time")
    assert outputs[0] == outputs[1] == outputs[2]
    assert main(["simulate", "--config", str(path), "--t-end", "0.3", "--set", "g=1.5", "--json", "-"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["t_end"] == 0.3
    assert content["parameters"]["g"] == 1.5
    assert content["parameters"]["e"] == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tend = 3\n", "did you mean 't-end'"),
        ("t_end = \n", "run.toml:1:"),
        ("law = 2020-01-01\n", "law takes numbers and texts"),
        ("set = { e = { a = 1 } }\n", "set takes numbers and texts"),
        ('config = "other.toml"\n', "has no option 'config'"),
    ],
)
def test_wrong_configs(text: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "run.toml"
    path.write_text(text)
    assert main(["simulate", "bouncing_ball", "--config", str(path)]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_numbers_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "p.toml"
    path.write_text("omega = 4.405\nmu = 1e-2 # friction\nn = 3\n")
    assert parse_numbers(f"@{path},e=0.5", "--set") == {"omega": 4.405, "mu": 0.01, "n": 3.0, "e": 0.5}
    for text, message in (("a = 'x'", "a must be a number"), ("e = 1", "gives e twice"), ("a = inf", "finite")):
        path.write_text(text)
        with pytest.raises(JounceError, match=message):
            parse_numbers(f"e=0.5,@{path}", "--set")
    with pytest.raises(JounceError, match="no file"):
        parse_numbers("@nowhere.toml", "--set")


def test_events_on_standard_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ball = ["simulate", "bouncing_ball", "--start", "y=1", "--t-end", "0.8"]
    assert main([*ball, "--events", "-", "--json", str(tmp_path / "run.json")]) == 0
    events = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert events["t"][0] == pytest.approx(np.sqrt(2 / 9.81), abs=1e-9)
    assert main([*ball, "--events", "-", "--json", "-"]) == 2
    assert "both mean standard output" in capsys.readouterr().err
    assert main([*ball, "--plot", "-"]) == 2
    assert "must end in" in capsys.readouterr().err


BALL = """\
name = "ball"
[coordinates]
y = "m"
[parameters]
g = [9.81, "m/s^2"]
e = 0.8
[equations]
mass = [1]
forces = ["-g"]
[contacts.floor]
gap = "y"
restitution = "e"
[start]
y = 1.0
"""


def _ball(folder: Path, commands: str) -> str:
    path = folder / "ball.toml"
    path.write_text(BALL + commands)
    return str(path)


def test_a_model_says_what_is_worth_doing_with_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Less than a --config file, and less than what is typed."""
    path = _ball(tmp_path, "[commands.simulate]\nt-end = 0.7\nset = { e = 0.5, g = 10 }\n")
    config = tmp_path / "run.toml"
    config.write_text("t-end = 0.6\nset = { g = 11 }\n")
    for typed, end, values in (
        ([], 0.7, {"e": 0.5, "g": 10.0}),
        (["--config", str(config)], 0.6, {"e": 0.5, "g": 11.0}),
        (["--config", str(config), "--t-end", "0.5", "--set", "e=0.9"], 0.5, {"e": 0.9, "g": 11.0}),
    ):
        assert main(["simulate", path, *typed, "--json", "-"]) == 0
        content = json.loads(capsys.readouterr().out)
        assert (content["t_end"], content["parameters"]) == (end, values)


def test_a_sweep_in_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sweep = (
        '[commands.sweep]\nparameter = "g"\nfrom = 9\nto = 10\nnumber = 3\nsection = "impact:floor"\nset = { e = 1 }\n'
    )
    assert main(["sweep", _ball(tmp_path, sweep + "transient = 3\nkeep = 2\n")]) == 0
    assert len(pd.read_csv("sweep_ball_g/attractors.csv")) == 3


@pytest.mark.parametrize(
    "line", ['out = "elsewhere.nc"', 'json = "elsewhere"', 'plot = "elsewhere.png"', 'set = "@p.toml"', 'config = "x"']
)
def test_a_model_from_a_stranger_names_no_files(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["simulate", _ball(tmp_path, f"[commands.simulate]\nt-end = 1\n{line}\n")]) == 2
    assert "may not name files" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["ball.toml"]


def test_mistakes_in_a_models_commands_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", _ball(tmp_path, "[commands.simulate]\nt-ende = 1\n")]) == 2
    assert "did you mean 't-end'" in capsys.readouterr().err
    assert main(["simulate", _ball(tmp_path, "[commands]\nsimulate = 3\n"), "--t-end", "1"]) == 2
    assert "ball.toml:16:12: commands.simulate" in " ".join(capsys.readouterr().err.split())
