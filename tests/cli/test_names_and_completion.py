"""Wrong names have suggestions everywhere; shells complete the right ones."""

from __future__ import annotations

import inspect
import json
import shutil
import subprocess

import pytest

import jounce
from jounce.cli.completion import SHELLS
from jounce.cli.main import build_parser, main

#: words of a command line -> what its error says
WRONG = {
    "command": (["simulat"], "no command 'simulat'; did you mean 'simulate'?"),
    "option": (["simulate", "slender_rod", "--tend", "5"], "no option --tend; did you mean '--t-end'?"),
    "choice": (["simulate", "slender_rod", "--record", "event"], "did you mean 'events'?"),
    "loose word": (["simulate", "slender_rod", "fast"], "'fast' belongs to no option"),
    "system": (["simulate", "slender_rodd"], "did you mean 'slender_rod'?"),
    "coordinate of a start": (["simulate", "slender_rod", "--start", "thta=1"], "did you mean 'theta'?"),
    "parameter": (["simulate", "slender_rod", "--set", "omeg=1"], "did you mean 'omega'?"),
    "scheduled parameter": (["simulate", "slender_rod", "--schedule", "t=1:omeg=1"], "did you mean 'omega'?"),
    "law": (["simulate", "slender_rod", "--law", "newtn"], "did you mean 'newton'?"),
    "column of a picture": (
        ["simulate", "slender_rod", "--phase", "p.png", "--phase-coordinate", "thet"],
        "did you mean 'theta'?",
    ),
    "swept parameter": (["sweep", "slender_rod", "--parameter", "omeg", "--from", "1", "--to", "2"], "'omega'?"),
    "continued parameter": (["continue", "slender_rod", "--parameter", "omeg", "--from", "1", "--to", "2"], "'omega'?"),
    "contact of a section": (
        ["sweep", "wiper", "--parameter", "mu", "--from", "0.1", "--to", "0.2", "--section", "impact:tp"],
        "did you mean 'tip'?",
    ),
    "kind of a section": (
        ["sweep", "wiper", "--parameter", "mu", "--from", "0.1", "--to", "0.2", "--section", "impct:tip"],
        "did you mean 'impact'?",
    ),
    "axis of a grid": (["basins", "ball_on_table", "--grid", "yy=0:1:2"], "did you mean 'y'?"),
    "contact of a mode": (
        ["continue", "wiper", "--mode", "tp:STICK", "--parameter", "mu", "--from", "0.1", "--to", "0.2"],
        "did you mean 'tip'?",
    ),
    "paper": (["reproduce", "liu2005"], "did you mean 'liu2006'?"),
    "claim": (["reproduce", "lancioni2009", "nothing"], "valid claims:"),
    "shell": (["completion", "bsh"], "did you mean 'bash'?"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_names_have_suggestions(case, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words, message = WRONG[case]
    try:
        status = main(words)
    except SystemExit as ended:
        status = ended.code
    assert status == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.iterdir())


def test_columns_of_results_have_suggestions():
    run = jounce.simulate(jounce.systems.bouncing_ball(), {"y": 1.0}, 0.1)
    for wrong in (lambda: run["yy"], lambda: run.final["d_yy"], lambda: run.final.replace(yy=1.0)):
        with pytest.raises(jounce.SimulationError, match="did you mean"):
            wrong()


def test_names_in_scripts_have_suggestions():
    y, _ = jounce.coordinate("y", "m")
    wrong = {
        "did you mean 'tolerance'?": lambda: jounce.Options(tolerence=1e-8),
        "did you mean 'friction'?": lambda: jounce.Contact("floor", gap=y, frction=0.3),
        "did you mean 'contacts'?": lambda: jounce.Model("ball", [y], 1, 0, contcts=[]),
        "did you mean 'simulate'?": lambda: jounce.simulat,
        "did you mean 'plot_energy'?": lambda: jounce.plot.plot_enrgy,
        "did you mean 'slender_rod'?": lambda: jounce.systems.slender_rd,
    }
    for message, mistake in wrong.items():
        with pytest.raises((jounce.JounceError, AttributeError)) as caught:
            mistake()
        assert message in str(caught.value)
    assert inspect.signature(jounce.Options).parameters["tolerance"].default == 1e-10


def test_events_are_in_the_json(capsys):
    assert main(["simulate", "bouncing_ball", "--start", "y=1", "--t-end", "1", "--json", "-"]) == 0
    content = json.loads(capsys.readouterr().out)
    rows = content["event_table"]
    run = jounce.simulate(jounce.systems.bouncing_ball(), {"y": 1.0}, 1.0)
    assert [row["t"] for row in rows] == run.events["t"].tolist()
    assert rows[0]["kind"] == "impact"
    assert rows[0]["contact"] == run.events["contact"][0]
    assert "guard" not in rows[0]  # a column without a meaning for this kind
    assert content["events"]["impact"] == sum(row["kind"] == "impact" for row in rows)
    assert main(["simulate", "bouncing_ball", "--t-end", "1", "--record", "nothing", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["event_table"] == []


def test_negative_numbers_with_units_are_values():
    arguments = build_parser().parse_args(["simulate", "slender_rod", "--t-start", "-5ms", "--t-end", "1e-3min"])
    assert (arguments.t_start, arguments.t_end) == (-0.005, 0.06)


# ------------------------------------------------------------------------------------------------ completion

#: what stands before the cursor -> some of what a shell offers
COMPLETED = {
    "jounce sim": "simulate",
    "jounce simulate slen": "slender_rod",
    "jounce simulate slender_rod --rec": "--record",
    "jounce simulate slender_rod --record ev": "events",
    "jounce sweep wiper --direction ": "both",
    "jounce reproduce li": "liu2006",
    "jounce completion z": "zsh",
}


@pytest.fixture(scope="module")
def scripts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("scripts")
    for shell in SHELLS:
        with pytest.MonkeyPatch.context() as patch:
            lines: list[str] = []
            patch.setattr("builtins.print", lambda text, lines=lines: lines.append(text))
            assert main(["completion", shell]) == 0
        (folder / shell).write_text("\n".join(lines) + "\n")
    return folder


@pytest.mark.parametrize("shell", SHELLS)
def test_scripts_know_every_command_option_and_system(scripts, shell):
    text = (scripts / shell).read_text()
    subparsers = next(action for action in build_parser()._actions if action.dest == "command")
    for name, parser in subparsers.choices.items():
        assert name in text
        for option in parser._option_string_actions:
            if option.startswith("--"):
                assert (option[2:] if shell == "fish" else option) in text
    assert all(name in text for name in jounce.systems.SYSTEMS)


@pytest.mark.parametrize("typed", COMPLETED)
def test_bash_completes(scripts, typed):
    words = typed.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    program = (
        f"source '{scripts / 'bash'}'; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _jounce; "
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True, cwd=scripts)
    assert COMPLETED[typed] in done.stdout.split()
    assert not done.stderr


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_accept_their_scripts(scripts, shell):
    program = shutil.which(shell)
    if program is None:
        assert (scripts / shell).read_text().count("'") % 2 == 0  # quotes are balanced, all that can be said here
        return
    subprocess.run([program, "-n", str(scripts / shell)], check=True, capture_output=True)
